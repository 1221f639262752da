//! The boundary of the fluid: the interface between fluid and bodies. The trait is defined here, so this
//! crate does not depend on any type of body.
//!
//! Terms: a container is a body with cavities, a hole is the shape of a cavity, and an enclosure is the fluid
//! in it.

pub(crate) mod carrier;
pub(crate) mod enclosure;
mod followers;
pub(crate) mod poison;
pub(crate) mod surfaces;
pub(crate) mod walls;

pub use self::carrier::Carrier;
pub(crate) use self::enclosure::Walls;
pub use self::enclosure::{Enclosure, Enclosures, StepTime, Wall};
pub use self::followers::Follower;
pub(crate) use self::followers::FollowerMass;
pub use self::poison::WallHit;
pub use self::surfaces::{NoSurfaces, SurfaceImpulse, Surfaces, Touch};
pub use self::walls::WallTreatment;
pub(crate) use self::walls::{WallNodes, WallSource};
pub use crate::inside::{Inside, walls_one_by_one};

use crate::math::Vec3Columns;
use crate::params::Params;
use crate::particles::{Vorton, Vortons};
use crate::velocity::{Mirror, PublishedField, Sources};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

/// A step's motion, as passed to bodies.
#[derive(Clone, Copy)]
pub struct Motion<'a> {
    /// Executor of loops.
    pub exec: &'a dyn Executor,
    /// Length of the step \[s\].
    pub dt: f32,
    /// Parameters of the fluid.
    pub params: &'a Params,
    /// The flow at the middle of the step.
    pub field: &'a PublishedField,
    /// The sources of the flow last solved; in [`see_flow`](BodyCoupling::see_flow), of the field.
    pub sources: &'a Sources,
    /// Viscosity times time \[m²\] over which vorticity has diffused in this step.
    pub diffused: f32,
}

/// Depth of the walls of containers \[core radii\]: the range within which density acts. Points farther
/// outside are not affected by them.
const WALL_DEPTH: f32 = 4.0;

/// The boundary of the fluid during one step. Bodies fill it in when the step begins; it stays fixed until
/// the next one, so results do not depend on the order of other calls.
#[derive(Debug, Clone)]
pub struct Boundary {
    /// Wind \[m/s\] of the step, outside of the enclosures: known when bodies fill in the rest.
    pub wind: Vec3,
    /// [`Params::smoothing_at_walls`](crate::params::Params::smoothing_at_walls) of the step: known likewise.
    pub smoothing_at_walls: f32,
    /// The fluid that containers hold, and their walls.
    pub enclosures: Enclosures,
    /// Upper bound on the copies of each vorton among the sources, itself and its images \[1\]: 2 to the
    /// power of the number of mirrors.
    pub copies: usize,
    /// Energy per density \[m⁵/s²\] that the flow induced by the bodies' own motion has gained since the
    /// middle of the last step.
    pub energy_gained: f64,
    /// Energy per density \[m⁵/s²\] of the flow that bodies drive at the middle of the step.
    pub driven: f64,
    /// True if containers turn, and the work of all bodies is known.
    pub work_is_known: bool,
    /// True if the work of some bodies is known only steps later: not that of containers.
    pub work_is_late: bool,
    /// True if bodies hold strength, and all of these stand still or are moved by their engine.
    pub holders_are_driven: bool,
    /// Work of friction per density \[m⁵/s²\] in the last step, at the walls of containers that an engine
    /// moves.
    pub friction: f64,
    /// Energy per density \[m⁵/s²\] of sheets on bodies that have appeared or gone since the last step, each
    /// by itself.
    pub appeared: f64,
}

crate::saved::fields!(Boundary {
    wind, smoothing_at_walls, enclosures, copies, energy_gained, driven, work_is_known, work_is_late,
    holders_are_driven, friction, appeared,
} check is_valid);

impl Default for Boundary {
    /// No boundary.
    fn default() -> Self {
        Self {
            wind: Vec3::ZERO,
            smoothing_at_walls: 0.0,
            enclosures: Enclosures::default(),
            copies: 1,
            energy_gained: 0.0,
            driven: 0.0,
            work_is_known: false,
            work_is_late: false,
            holders_are_driven: false,
            friction: 0.0,
            appeared: 0.0,
        }
    }
}

impl Boundary {
    /// True if `copies` is in the range that mirrors can give.
    fn is_valid(&self) -> bool {
        (1..=1 << Sources::MOST_MIRRORS).contains(&self.copies)
    }

    /// Clears the boundary for a new step with these parameters, and moves the enclosures of the last one to
    /// `before`.
    pub(crate) fn begin(&mut self, params: &Params, before: &mut Enclosures) {
        std::mem::swap(&mut self.enclosures, before);
        let mut enclosures = std::mem::take(&mut self.enclosures);
        enclosures.clear();
        let (wind, smoothing_at_walls) = (params.wind, params.smoothing_at_walls());
        *self = Self { wind, smoothing_at_walls, enclosures, ..Self::default() };
    }

    /// True if no vorton may be created at `place` \[m\] at the start of the step, because of a body there or
    /// a container's wall nearer than `margin` \[m\].
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

/// Work of bodies on the fluid in a step, per density \[m⁵/s²\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ContactWork {
    /// That of which only impulses are known.
    pub work: f64,
    /// Energy that contacts have given to the vortons besides, negative if they have taken some: it is
    /// summed, so all of it counts.
    pub known: f64,
}

/// Two-way coupling between the fluid and a set of bodies. A step calls, in this order:
///
/// 1. [`take_rings`](Self::take_rings), with [`mirror_over`](Self::mirror_over) for each emitter,
/// 2. [`begin_step`](Self::begin_step),
/// 3. [`visit_sheets`](Self::visit_sheets) and [`set_out`](Self::set_out),
/// 4. [`bound_vortons`](Self::bound_vortons) at each solve,
/// 5. [`see_flow`](Self::see_flow),
/// 6. [`weaken`](Self::weaken) if strengths have been scaled, and then
///    [`vorton_contacts`](Self::vorton_contacts),
/// 7. [`end_step`](Self::end_step), and [`absorbed`](Self::absorbed) after it.
///
/// Results for the step are passed back as return values. The other `&self` methods, and
/// [`push_content`](Self::push_content), may be called at any time.
pub trait BodyCoupling: Sync {
    /// Called first in a step: passes the vortons that bodies leave behind to `add`, at most `room` of them.
    /// Returns the number left out.
    fn take_rings(&mut self, _room: usize, _add: &mut dyn FnMut(Vorton)) -> u64 {
        0
    }

    /// Returns a plane that `place` \[m\] is behind, and before which the box of an emitter emits, with its
    /// middle at `middle` \[m\] and this half width \[m\] along each normal: that of a half-space, or a face
    /// of the solid around `place`.
    fn mirror_over(&self, _middle: Vec3, _half_width: &dyn Fn(Vec3) -> f32, _place: Vec3) -> Option<Mirror> {
        None
    }

    /// Begins a step of `dt` \[s\] with these vortons, and fills in the fluid's boundary, which is passed in
    /// empty, except for the wind.
    fn begin_step(&mut self, _exec: &dyn Executor, _dt: f32, _vortons: &Vortons, _boundary: &mut Boundary) {}

    /// True if no vorton can stay at `place` \[m\], because it is in a solid or in the layer from which
    /// solids push vortons out. Walls of containers do not count; enclosures handle them.
    fn covers(&self, _place: Vec3) -> bool {
        false
    }

    /// Calls `visit` with the bodies that follow the fluid around them and may cover a part of a box \[m\].
    fn visit_followers(&self, _low: Vec3, _high: Vec3, _visit: &mut dyn FnMut(&Follower<'_>)) {}

    /// Returns the container that holds `place` \[m\], by its index, with the velocity \[m/s\] with which it
    /// carries fluid along; None outside of containers.
    fn carried(&self, _place: Vec3) -> Option<(usize, Vec3)> {
        None
    }

    /// Called when something other than bodies gives the fluid at `place` \[m\], in the container with this
    /// index, an impulse \[N s\]: closed fluid holds no momentum but that of its container, so the walls get
    /// it.
    fn push_content(&mut self, _container: usize, _place: Vec3, _impulse: DVec3) {}

    /// Returns the pose of body number `index` at the start of the next step, as the carrier of emitters;
    /// None if there is no such body.
    fn carrier(&self, _index: usize) -> Option<Carrier> {
        None
    }

    /// Called with the vortons of the step, after the step has added and removed halo and rim vortons and
    /// before any of them is moved.
    fn set_out(&mut self, _exec: &dyn Executor, _vortons: &Vortons) {}

    /// Lets the vorticity held by bodies induce only this part \[1\] of its flow from now on: that of the
    /// vortons has been scaled likewise.
    fn weaken(&mut self, _part: f32) {}

    /// Visits the rows of those vortons [set out](Self::set_out) that are in an edge or corner of a
    /// container, in order for each container. Walls that fluid slips along cancel the vorticity there, so
    /// flow that stretches it is an error, and strengths may not grow.
    fn visit_cornered(&self, _visit: &mut dyn FnMut(usize)) {}

    /// Appends the bound vorticity of bodies at `time`, as vortons that move with the bodies, and then the
    /// images of all sources in mirrors ([`Sources::mirror`]). Returns an upper bound on the energy that the
    /// flow of all sources gains per unit of work on the fluid \[1\]: above 1 if part of that flow is behind
    /// walls.
    fn bound_vortons(&mut self, _exec: &dyn Executor, _time: StepTime, _sources: &mut Sources) -> f64 {
        1.0
    }

    /// Visits balls, centre and radius \[m\], at the start of the step around the bodies to which the flow
    /// [gives impulse](Self::see_flow).
    fn visit_sheets(&self, _visit: &mut dyn FnMut(Vec3, f32)) {}

    /// Called with the flow at the middle of the step, before vortons meet bodies. Visits the place \[m\] of
    /// each body at the start of the step with the impulse per density \[m⁴/s\] that the flow gives to its
    /// bound vorticity in the step; the vortons that drive this flow lose the same amount.
    fn see_flow(&mut self, _motion: Motion<'_>, _visit: &mut dyn FnMut(Vec3, DVec3)) {}

    /// Called after vortons have moved from `before` (same rows) to their present positions: sweeps them
    /// against the bodies, pushes them out, and sets the strengths that enforce the surfaces' conditions.
    /// Rows may not be added or removed here. Returns the work that bodies do on the fluid by this, minus the
    /// part that turns into heat.
    fn vorton_contacts(
        &mut self,
        _motion: Motion<'_>,
        _before: &Vec3Columns,
        _vortons: &mut Vortons,
    ) -> ContactWork {
        ContactWork::default()
    }

    /// Returns the rows of vortons merged into others by [`vorton_contacts`](Self::vorton_contacts),
    /// ascending: the step removes them.
    fn absorbed(&self) -> &[u32] {
        &[]
    }

    /// Called last in a step: impulses and heat from the step's vortons are final.
    fn end_step(&mut self, _motion: Motion<'_>) {}

    /// Returns the surfaces that stop tracers, as they moved in the step just taken. `None` if there is
    /// nothing to meet.
    fn surfaces(&self) -> Option<&dyn Surfaces> {
        None
    }
}

/// A fluid without bodies.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoBodies;

impl BodyCoupling for NoBodies {}
