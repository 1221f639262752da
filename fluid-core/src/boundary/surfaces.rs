//! Surfaces that particles cannot cross. The trait is defined here and does not depend on any type of body.

use glam::{DVec3, Vec3};

/// A particle's contact with a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Index of the body in the list of bodies.
    pub body: u32,
    /// The point of the surface \[m\] at the end of the step.
    pub point: Vec3,
    /// Unit normal there, pointing into the fluid.
    pub normal: Vec3,
    /// Velocity of the surface there \[m/s\].
    pub velocity: Vec3,
}

/// Bodies as moving obstacles, frozen at their poses at the start and at the end of a step.
pub trait Surfaces: Sync {
    /// Moves particles that would have crossed a surface on their straight paths from `before` to `after`
    /// \[m\] back out of it, in `after`, and stores each one's last contact in `touches` (`None`: no contact,
    /// and `after` is unchanged). The paths are relative to the bodies, with their motion and spin.
    /// Afterwards no particle is inside a body. Runs on the calling thread, does not allocate. Positions that
    /// are not finite are left alone.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]);

    /// Like [`meet`](Self::meet), without reporting contacts.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn keep_out(&self, before: &[Vec3], after: &mut [Vec3]) {
        assert!(before.len() == after.len(), "slices differ in length");
        for (before, after) in before.chunks(TOUCHES).zip(after.chunks_mut(TOUCHES)) {
            self.meet(before, after, &mut [None; TOUCHES][..before.len()]);
        }
    }

    /// Like [`keep_out`](Self::keep_out), for particles that have appeared at `before` when the fraction
    /// `since` of the step had passed. By default, for surfaces that do not move.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn keep_out_since(&self, before: &[Vec3], after: &mut [Vec3], since: f32) {
        _ = since;
        self.keep_out(before, after);
    }
}

/// Contacts per call that [`Surfaces::keep_out`] discards \[1\].
const TOUCHES: usize = 64;

/// No surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoSurfaces;

impl Surfaces for NoSurfaces {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        assert!(before.len() == after.len() && after.len() == touches.len(), "slices differ in length");
        touches.fill(None);
    }
}

/// Impulse that particles with mass have given to a body in collisions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SurfaceImpulse {
    /// Impulse J \[N s\], equal to the particles' loss.
    pub linear: DVec3,
    /// Its moment about the origin of the world, Σ x × J at the contact points x \[N m s\].
    pub moment: DVec3,
    /// Kinetic energy lost \[J\]: Σ ½ m (|w before|² - |w after|²), with w the velocity relative to the
    /// surface.
    pub lost_energy: f64,
    /// Number of contacts.
    pub hits: u32,
}

impl SurfaceImpulse {
    /// Angular impulse \[N m s\] about `centre` \[m\].
    pub fn angular(&self, centre: DVec3) -> DVec3 {
        self.moment - centre.cross(self.linear)
    }

    /// Adds the impulse of other particles.
    pub fn add(&mut self, other: Self) {
        self.linear += other.linear;
        self.moment += other.moment;
        self.lost_energy += other.lost_energy;
        self.hits = self.hits.saturating_add(other.hits);
    }
}
