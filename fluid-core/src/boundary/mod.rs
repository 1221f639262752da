//! The boundary of the fluid: the seam through which bodies meet it. The fluid owns the trait and never names
//! a body.
//!
//! One word for each thing: a container is a body with holes, a hole is the shape of its inside, and an
//! enclosure is the fluid that it holds.

pub(crate) mod enclosure;
pub(crate) mod poison;
pub(crate) mod surfaces;
pub(crate) mod walls;

pub(crate) use self::enclosure::Walls;
pub use self::enclosure::{Enclosure, Enclosures, StepTime, Wall};
pub use self::poison::WallHit;
pub use self::surfaces::{NoSurfaces, SurfaceImpulse, Surfaces, Touch};
pub use self::walls::WallTreatment;
pub(crate) use self::walls::{WallNodes, WallSource};
pub use crate::inside::Inside;

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

/// Depth of the walls of containers \[core radii\]: as far as density is felt. What is farther outside has
/// nothing to do with them.
const WALL_DEPTH: f32 = 4.0;

/// What bounds the fluid during one step. Bodies fill it in when the step begins; it does not change before
/// the next one, so that nothing which reads it depends on what else has been called.
#[derive(Debug, Clone)]
pub struct Boundary {
    /// The fluid that containers hold, and their walls.
    pub enclosures: Enclosures,
    /// How often each vorton may be among the sources of the flow, itself and its images, at most \[1\]: 2 to
    /// the number of mirrors.
    pub copies: usize,
    /// Energy per density \[m⁵/s²\] that the flow which bodies make by their own motion has gained since the
    /// middle of the last step.
    pub energy_gained: f64,
}

crate::saved::fields!(Boundary { enclosures, copies, energy_gained } check is_valid);

impl Default for Boundary {
    /// None.
    fn default() -> Self {
        Self { enclosures: Enclosures::default(), copies: 1, energy_gained: 0.0 }
    }
}

impl Boundary {
    /// True if there may be so many images.
    fn is_valid(&self) -> bool {
        (1..=1 << Sources::MOST_MIRRORS).contains(&self.copies)
    }

    /// A step begins, of which nothing is known yet. The enclosures of the last one become `before`.
    pub(crate) fn begin(&mut self, before: &mut Enclosures) {
        std::mem::swap(&mut self.enclosures, before);
        self.enclosures.clear();
        (self.copies, self.energy_gained) = (1, 0.0);
    }

    /// True if no vorton can be born at `place` \[m\] at the start of the step: a body is there, or a
    /// container's wall is nearer than `margin` \[m\].
    pub(crate) fn covers(
        &self,
        bodies: &dyn BodyCoupling,
        place: Vec3,
        core_radius: f32,
        margin: f32,
    ) -> bool {
        let reach = margin.max(WALL_DEPTH * core_radius);
        let wall = || Walls { enclosures: &self.enclosures, time: StepTime::Start }.at(place, reach);
        bodies.covers(place) || wall().is_some_and(|wall| wall.distance < margin)
    }
}

/// Two-way coupling between the fluid and a set of bodies. A step calls [`begin_step`](Self::begin_step),
/// [`set_out`](Self::set_out), [`bound_vortons`](Self::bound_vortons) at each solve, and then
/// [`see_flow`](Self::see_flow), [`vorton_contacts`](Self::vorton_contacts) and [`end_step`](Self::end_step),
/// once each; what one of them finds for the step is what it returns. The methods of `&self` may be called at
/// any time.
pub trait BodyCoupling: Sync {
    /// A step of `dt` \[s\] begins, with these vortons: fills in what bounds the fluid in it. `boundary` is
    /// that of no bodies.
    fn begin_step(&mut self, _dt: f32, _vortons: &Vortons, _boundary: &mut Boundary) {}

    /// True if no vorton can stay at `place` \[m\], because a solid is there or so near that it keeps vortons
    /// away. Walls of containers do not count: enclosures know them.
    fn covers(&self, _place: Vec3) -> bool {
        false
    }

    /// These vortons set out, after those have come and gone that a step has born and retired. Nothing has
    /// been moved yet.
    fn set_out(&mut self, _vortons: &Vortons) {}

    /// Appends the vorticity that bodies hold, as vortons that move with them, as they are at `time`, and
    /// then the images of all sources in mirrors ([`Sources::mirror`]). Returns the most energy of the flow
    /// of all sources for unit work on the fluid \[1\]: above 1 where some of that flow is behind walls.
    fn bound_vortons(&mut self, _time: StepTime, _sources: &mut Sources) -> f64 {
        1.0
    }

    /// The flow at the middle of the step is known, and nothing has met a body yet. Returns what it gives to
    /// the vorticity that bodies hold in the step, per density \[m⁴/s\]: the vortons lose as much.
    fn see_flow(&mut self, _motion: Motion<'_>) -> DVec3 {
        DVec3::ZERO
    }

    /// Vortons have moved from `before` (same rows) to where they are now: sweep them against the bodies,
    /// push them out, give them the strengths that the surfaces ask for. Rows may not be added or removed
    /// here. Returns the work per density \[m⁵/s²\] that bodies have done on the fluid by that, less what
    /// turned into heat.
    fn vorton_contacts(&mut self, _motion: Motion<'_>, _before: &Vec3Columns, _vortons: &mut Vortons) -> f64 {
        0.0
    }

    /// Rows of vortons that have become part of others in [`vorton_contacts`](Self::vorton_contacts),
    /// ascending: the step removes them.
    fn absorbed(&self) -> &[u32] {
        &[]
    }

    /// The fluid's step is over: impulses and heat from its vortons are final.
    fn end_step(&mut self, _motion: Motion<'_>) {}

    /// What tracers cannot cross, as it moved in the step just taken. None if they cannot meet anything.
    fn surfaces(&self) -> Option<&dyn Surfaces> {
        None
    }
}

/// A fluid without bodies.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoBodies;

impl BodyCoupling for NoBodies {}
