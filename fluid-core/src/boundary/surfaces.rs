//! Surfaces that particles cannot cross. The fluid owns the trait and never names a body.

use glam::{DVec3, Vec3};

/// Where a particle has met a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Which body: its number in the list of bodies.
    pub body: u32,
    /// The point of the surface \[m\] at the end of the step.
    pub point: Vec3,
    /// Unit normal there, pointing into the fluid.
    pub normal: Vec3,
    /// Velocity of the surface there \[m/s\].
    pub velocity: Vec3,
}

/// Bodies as moving obstacles, frozen: where they were at the start of a step and where they are at its end.
pub trait Surfaces: Sync {
    /// Moves particles that would have crossed a surface on their straight ways from `before` to `after`
    /// \[m\] back out of it, into `after`, and says what each has met last in `touches` (None: nothing, and
    /// `after` is unchanged). Motion and spin of the bodies are part of the way. Afterwards no particle is
    /// inside of a body. Runs on the calling thread, does not allocate. Places that are not finite are left
    /// alone.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]);

    /// As [`meet`](Self::meet), without saying what has been met.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn keep_out(&self, before: &[Vec3], after: &mut [Vec3]) {
        assert!(before.len() == after.len(), "slices differ in length");
        for (before, after) in before.chunks(TOUCHES).zip(after.chunks_mut(TOUCHES)) {
            self.meet(before, after, &mut [None; TOUCHES][..before.len()]);
        }
    }
}

/// Touches that [`Surfaces::keep_out`] forgets together \[1\].
const TOUCHES: usize = 64;

/// No bodies at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoSurfaces;

impl Surfaces for NoSurfaces {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        assert!(before.len() == after.len() && after.len() == touches.len(), "slices differ in length");
        touches.fill(None);
    }
}

/// What particles that have a mass have given to a body by touching it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SurfaceImpulse {
    /// Impulse J \[N s\]: what the particles have lost.
    pub linear: DVec3,
    /// Its moment about the origin of the world, Σ x × J with x where each particle touched \[N m s\].
    pub moment: DVec3,
    /// Kinetic energy \[J\] that has gone: Σ ½ m (|w before|² - |w after|²), with w the velocity against the
    /// surface.
    pub lost_energy: f64,
    /// Touches.
    pub hits: u32,
}

impl SurfaceImpulse {
    /// Angular impulse \[N m s\] about `centre` \[m\].
    pub fn angular(&self, centre: DVec3) -> DVec3 {
        self.moment - centre.cross(self.linear)
    }

    /// Adds what others have given.
    pub fn add(&mut self, other: Self) {
        self.linear += other.linear;
        self.moment += other.moment;
        self.lost_energy += other.lost_energy;
        self.hits = self.hits.saturating_add(other.hits);
    }
}
