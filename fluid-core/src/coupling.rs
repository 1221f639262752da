//! The seam through which bodies meet the fluid. The fluid owns the trait and never names a body.

use crate::math::Vec3Columns;
use crate::params::Params;
use crate::particles::Vortons;
use crate::velocity::{PublishedField, Sources};
use fluid_threads::Executor;
use glam::Vec3;

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

/// What a set of bodies does. A step asks what bodies cover, for their `bound_vortons` twice, calls `vorton_contacts` and then `hand_over`; afterwards each set of tracers that is
/// advanced calls `tracer_contacts`. Every hook does nothing unless implemented.
pub trait BodyCoupling {
    /// Vortons have moved from `before` (same rows) to where they are now: sweep them against the bodies, push them out, give
    /// them the strengths that the surfaces ask for. Rows may not be added or removed here.
    fn vorton_contacts(&mut self, _motion: Motion<'_>, _before: &Vec3Columns, _vortons: &mut Vortons) {}

    /// The same for a set of tracers, which have no strength.
    fn tracer_contacts(&mut self, _motion: Motion<'_>, _before: &[Vec3], _after: &mut [Vec3]) {}

    /// True if no vorton can stay at `place` \[m\], because a body is there or so near that it keeps vortons away.
    fn covers(&self, _place: Vec3) -> bool {
        false
    }

    /// Appends the vorticity that bodies hold, as vortons that move with them, as they are `after` \[s\] from the start of the step.
    fn bound_vortons(&self, _after: f32, _sources: &mut Sources) {}

    /// The fluid's step is over: impulses and heat from its vortons are final.
    fn hand_over(&mut self, _motion: Motion<'_>) {}
}

/// A fluid without bodies.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoBodies;

impl BodyCoupling for NoBodies {}
