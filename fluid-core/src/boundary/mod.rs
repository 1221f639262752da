//! The boundary of the fluid: the seam through which bodies meet it. The fluid owns the trait and never names
//! a body.
//!
//! One word for each thing: a container is a body with holes, a hole is the shape of its inside, and an
//! enclosure is the fluid that it holds.

pub(crate) mod enclosure;
pub(crate) mod surfaces;
pub(crate) mod walls;

pub use self::enclosure::{Enclosure, Enclosures, Inside};
pub use self::surfaces::{NoSurfaces, SurfaceImpulse, Surfaces, Touch};
pub use self::walls::{Wall, WallHit, WallTreatment};
pub(crate) use self::walls::{WallNodes, WallSource};
use crate::math::Vec3Columns;
use crate::params::Params;
use crate::particles::Vortons;
use crate::velocity::{PublishedField, Sources};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

/// One step's motion, as bodies see it.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// Runs loops.
    pub exec: &'a dyn Executor,
    /// Length of the step \[s\].
    pub dt: f32,
    /// What the fluid is made of.
    pub params: &'a Params,
    /// The flow at the middle of the step.
    pub field: &'a PublishedField,
}

/// Which time of a step is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepTime {
    /// Where the step begins.
    Start,
    /// Half a step later.
    Middle,
    /// Where the step ends.
    End,
}

impl StepTime {
    /// The time since the start of the step, as a part of the step \[1\].
    pub fn part(self) -> f32 {
        match self {
            Self::Start => 0.0,
            Self::Middle => 0.5,
            Self::End => 1.0,
        }
    }
}

/// What a set of bodies does. A step asks for `enclosures`, what bodies cover, walls and `bound_vortons` (at
/// each solve), calls `see_flow`, `vorton_contacts` and then `end_step`; afterwards each set of tracers that is
/// advanced calls `tracer_contacts`. Every hook does nothing unless implemented.
pub trait BodyCoupling: Sync {
    /// The flow at the middle of the step is known, and nothing has met a body yet.
    fn see_flow(&mut self, _motion: Motion<'_>) {}

    /// What the flow at the middle of a step of `dt` \[s\] gives to the vorticity that bodies hold, per
    /// density \[m⁴/s\]: the vortons lose as much. Known after [`see_flow`](Self::see_flow).
    fn impulse_from_vortons(&self, _dt: f32) -> DVec3 {
        DVec3::ZERO
    }

    /// Vortons have moved from `before` (same rows) to where they are now: sweep them against the bodies,
    /// push them out, give them the strengths that the surfaces ask for. Rows may not be added or removed
    /// here.
    fn vorton_contacts(&mut self, _motion: Motion<'_>, _before: &Vec3Columns, _vortons: &mut Vortons) {}

    /// True if tracers may meet a surface.
    fn meets_tracers(&self) -> bool {
        true
    }

    /// The same for a set of tracers, which have no strength. Not asked unless
    /// [`meets_tracers`](Self::meets_tracers).
    fn tracer_contacts(&mut self, _motion: Motion<'_>, _before: &[Vec3], _after: &mut [Vec3]) {}

    /// True if no vorton can stay at `place` \[m\], because a body is there or so near that it keeps vortons
    /// away.
    fn covers(&self, _place: Vec3) -> bool {
        false
    }

    /// A step of `dt` \[s\] begins: appends the enclosures that carry fluid along.
    fn enclosures(&mut self, _dt: f32, _enclosures: &mut Enclosures) {}

    /// True if there are containers, whose walls the fluid has to know of.
    fn has_walls(&self) -> bool {
        false
    }

    /// True if there are containers whose walls hold flow only where vortons touch them: the flow outside of
    /// them is part of the energy then, and walls work on the fluid.
    fn has_leaky_walls(&self) -> bool {
        self.has_walls()
    }

    /// Most energy of the flow of all sources for unit work on the fluid \[1\]: above 1 where some of that
    /// flow is behind walls.
    fn energy_of_work(&self) -> f64 {
        1.0
    }

    /// What is known of the walls of containers at `place` \[m\]: None if no container holds the place and no
    /// wall is nearer than `reach` \[m\]. Asked from several threads, at every node of the density's lattice,
    /// for walls as they are at the start of the step or in its middle; bodies in the fluid are no walls. Not
    /// asked again while every enclosure stands where it was, with the same inside and the same acceleration.
    fn wall_at(&self, _place: Vec3, _reach: f32, _time: StepTime) -> Option<Wall> {
        None
    }

    /// Vortons that hit the walls of containers in the last step. Only
    /// [`PoisonedByHits`](WallTreatment::PoisonedByHits) wants to know.
    fn wall_hits(&self) -> &[WallHit] {
        &[]
    }

    /// How often each vorton may be among the sources of the flow, itself and its images, at most \[1\]: 2 to
    /// the number of mirrors.
    fn copies(&self) -> usize {
        1
    }

    /// Appends the vorticity that bodies hold, as vortons that move with them, as they are `after` \[s\] from
    /// the start of the step, and then the images of all sources in mirrors ([`Sources::mirror`]).
    fn bound_vortons(&mut self, _after: f32, _sources: &mut Sources) {}

    /// Work per density \[m⁵/s²\] that bodies did on the fluid in this step, through what they exchanged with
    /// it in `vorton_contacts`, less what that turned into heat.
    fn work(&self) -> f64 {
        0.0
    }

    /// Energy per density \[m⁵/s²\] that the flow which bodies make by their own motion has gained since the
    /// middle of the last step. Known after [`enclosures`](Self::enclosures).
    fn energy_gained(&self) -> f64 {
        0.0
    }

    /// The fluid's step is over: impulses and heat from its vortons are final.
    fn end_step(&mut self, _motion: Motion<'_>) {}
}

/// A fluid without bodies.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoBodies;

impl BodyCoupling for NoBodies {
    fn meets_tracers(&self) -> bool {
        false
    }
}
