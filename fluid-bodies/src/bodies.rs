//! All bodies of a world, and their part in a step.

mod apart;
mod coupling;
mod departed;
mod in_tanks;
mod memory;
mod saving;
mod settings;
mod setting_out;
mod settling;
mod shift;

use crate::added_inertia::AddedInertia;
use crate::body::{
    Body, BodyDef, BodyState, BuoyantForce, Held, KnownShapes, MOST_POINTS, check_spin_of_half_space,
};
use crate::buoyant_force::{Wrench, ambient_in_holes, force_against};
use crate::cloud::CloudExtent;
use crate::clusters::Clusters;
use crate::contact::{Contact, Contacts};
use crate::contact_energy::ContactEnergy;
use crate::friction::Friction;
use crate::merging::Merging;
use crate::mirrors::WithoutImages;
use crate::no_slip::{Assigned, NoSlip};
use crate::obstacle::surface_of_half_space;
use crate::obstacles::{Obstacle, Obstacles};
use crate::pose::StepPoses;
use crate::shapes::Shape;
use departed::Departed;
use fluid_core::boundary::{Enclosure, Enclosures, Motion, StepTime, WallHit};
use fluid_core::math::Vec3Columns;
use fluid_core::params::{ParamError, Params};
use fluid_core::velocity::{Mirror, SourceCloud, Sources, SourcesNearby};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};
use std::sync::Arc;

pub use settings::BodySettings;

/// Bodies, in the order in which they were added.
///
/// A ball held in still fluid gets the weight of the fluid that it displaces, in every step:
///
/// ```
/// use fluid_bodies::bodies::{Bodies, BodySettings};
/// use fluid_bodies::{BodyDef, shapes::Shape};
/// use fluid_core::glam::Vec3;
/// use fluid_core::{params::Params, sim::VortexSim};
/// use fluid_threads::Serial;
///
/// let params = Params { gravity: Vec3::Z * -10.0, ..Params::default() };
/// let (mut sim, mut bodies) = (VortexSim::new(params)?, Bodies::new(BodySettings::default(), &params)?);
/// let ball = bodies.add(BodyDef { shapes: vec![Shape::sphere(0.5)], mass: 3.0, ..BodyDef::default() })?;
/// let dt = 1.0 / 60.0;
/// sim.step(&Serial, &mut bodies, dt)?;
/// let lift = bodies.body_mut(ball).take_impulse().linear.z / f64::from(dt);
/// let displaced = std::f64::consts::PI / 6.0 * f64::from(params.ambient.density);
/// assert!((lift / (10.0 * displaced) - 1.0).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bodies {
    settings: BodySettings,
    /// Initial parameters of the fluid, with the wind of the last step.
    fluid: Params,
    core_radius: f32,
    max_vortons: usize,
    /// The vortons when their sources were last gathered.
    vortons: CloudExtent,
    list: Vec<Body>,
    obstacles: Obstacles,
    contacts: Contacts,
    clusters: Clusters,
    /// Scratch memory of `hold_under`.
    held_before: Held,
    /// Shapes of level geometry removed since the last step that snapshots refer to by hash. They are kept so
    /// that a failed load does not lose them.
    gone_levels: Vec<Arc<[Shape]>>,
    /// Vortons and bodies without images when the sources were last gathered.
    without_images: WithoutImages,
    merging: Merging,
    no_slip: NoSlip,
    energy: ContactEnergy,
    friction: Friction,
    nearby: SourcesNearby,
    /// Vortons that hit container walls in the last step, recorded only if the wall treatment uses them.
    wall_hits: Vec<WallHit>,
    /// Energy per density \[m⁵/s²\] of the flow driven by bodies that were removed since the start of the
    /// last step.
    energy_gone: f64,
    /// Indices of the containers in this step.
    tanks: Vec<usize>,
    /// Energy per density \[m⁵/s²\] that removed bodies held, each by itself.
    sheets_gone: f64,
    /// Largest speed of a vorton in the last step \[m/s\], while there are half-spaces or free bodies with
    /// sheets.
    fastest: f64,
    /// Scratch memory for comparing kinds of bodies.
    kind: Vec<u8>,
    /// Precomputed shape data of the most recently removed bodies, reused for new bodies with equal shapes.
    departed: Departed,
}

/// Number of vortons tested for contact, and of contacts, for which memory is reserved with the first body:
/// at most 1.3 and 1.3 MiB. Larger numbers allocate once.
const ROWS: usize = 16_384;
const CONTACTS: usize = 4096;

/// Permitted values of a body's state.
const VALID_STATE: &str =
    "finite, with a unit quaternion, coordinates to 1e9 m and speeds to 1e6 m/s and rad/s";

/// Distance from a surface at which particles are placed \[core radii\].
const SKIN: f32 = 1e-3;

impl Bodies {
    /// Creates an empty set of bodies in a fluid with these parameters.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range.
    pub fn new(settings: BodySettings, params: &Params) -> Result<Self, ParamError> {
        settings.validate()?;
        Ok(Self {
            settings,
            fluid: *params,
            core_radius: params.core_radius,
            vortons: CloudExtent::NONE,
            max_vortons: params.max_vortons,
            list: Vec::new(),
            obstacles: Obstacles::new(SKIN * params.core_radius),
            contacts: Contacts::default(),
            clusters: Clusters::default(),
            held_before: Held::default(),
            gone_levels: Vec::new(),
            without_images: WithoutImages::default(),
            merging: Merging::default(),
            no_slip: NoSlip::new(settings.no_slip, SourceCloud::new(params.direct_settings())),
            energy: ContactEnergy::new(SourceCloud::new(params.direct_settings())),
            friction: Friction::new(SourceCloud::new(params.direct_settings())),
            nearby: SourcesNearby::new(params.direct_settings()),
            wall_hits: Vec::new(),
            energy_gone: 0.0,
            tanks: Vec::new(),
            sheets_gone: 0.0,
            fastest: 0.0,
            kind: Vec::new(),
            departed: Departed::default(),
        })
    }

    /// Returns the settings of the coupling between bodies and fluid.
    pub fn settings(&self) -> &BodySettings {
        &self.settings
    }

    /// Changes the coupling settings, from the next step on.
    ///
    /// # Errors
    /// Returns an error if a setting is out of range; nothing is changed then.
    pub fn set_settings(&mut self, settings: BodySettings) -> Result<(), ParamError> {
        settings.validate()?;
        self.settings = settings;
        self.no_slip.set_settings(settings.no_slip);
        Ok(())
    }

    /// Adds a body and returns its index, the highest one.
    ///
    /// # Errors
    /// Returns an error if a value is out of range; nothing is changed then.
    pub fn add(&mut self, def: BodyDef) -> Result<usize, ParamError> {
        let body = Body::new(&def, &self.fluid, self.known_shapes(&def.shapes))?;
        let pose = def.state.pose();
        self.check_mirror(self.list.len(), surface_of_half_space(&def.shapes, &pose))?;
        self.obstacles.push(Obstacle::new(Arc::from(def.shapes), pose));
        self.list.push(body);
        self.reserve();
        Ok(self.list.len() - 1)
    }

    /// Reserves the memory that bodies need. Further calls allocate nothing.
    fn reserve(&mut self) {
        self.contacts.reserve(ROWS.min(self.max_vortons));
        self.clusters.reserve(CONTACTS.min(self.max_vortons));
        self.held_before.reserve();
        self.merging.reserve(CONTACTS.min(self.max_vortons));
        self.no_slip.reserve(CONTACTS.min(self.max_vortons));
        self.friction.reserve(CONTACTS.min(self.max_vortons));
        self.energy.reserve(CONTACTS.min(self.max_vortons), MOST_POINTS);
        self.reserve_for_sheets();
    }

    /// Reserves the memory that bodies with sheets need together.
    fn reserve_for_sheets(&mut self) {
        if self.list.iter().any(Body::has_sheet) {
            self.nearby.reserve();
        }
    }

    /// Replaces the shapes of body `index`, in coordinates with the origin at its centre of mass. A body
    /// without shapes touches nothing. If the body has the shapes of the last step again before the next one,
    /// nothing has changed. The sheet on shapes of up to twice the volume, or half of it, goes on with the
    /// flow around the ones before; around others it begins anew.
    ///
    /// # Errors
    /// Returns an error if a size or a pose is invalid; nothing is changed then.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn set_shapes(&mut self, index: usize, shapes: Vec<Shape>) -> Result<(), ParamError> {
        let pose = self.list[index].state.pose();
        self.check_mirror(index, surface_of_half_space(&shapes, &pose))?;
        let (known, before) = (self.known_shapes(&shapes), self.obstacles.list()[index].shared_shapes());
        let known_before = self.list[index].known_shapes();
        self.list[index].change_shapes((Arc::clone(&before), &shapes), known)?;
        self.keep_levels(index);
        self.obstacles.set_shapes(index, Arc::from(shapes));
        self.keep_known(before, known_before);
        self.reserve_for_sheets();
        Ok(())
    }

    /// Keeps data of shapes that a body no longer has, unless another one has it.
    fn keep_known(&mut self, shapes: Arc<[Shape]>, known: KnownShapes) {
        if known.is_any() && !self.known_shapes(&shapes).is_any() {
            self.departed.keep(shapes, known);
        }
    }

    /// Returns the data precomputed for equal shapes of another body or of ones recently removed.
    fn known_shapes(&self, shapes: &[Shape]) -> KnownShapes {
        let same = self.list.iter().zip(self.obstacles.list());
        let same = same.filter(|(_, obstacle)| *obstacle.shapes() == *shapes);
        let departed = self.departed.find(shapes).cloned();
        let known = same.map(|(body, _)| body.known_shapes()).chain(departed);
        known.into_iter().find(KnownShapes::is_any).unwrap_or_default()
    }

    /// Checks that the plane of body `index`, if it is a half-space, is allowed beside those of the others:
    /// images of images are exact for planes at right angles only.
    fn check_mirror(&self, index: usize, plane: Option<Mirror>) -> Result<(), ParamError> {
        let Some(plane) = plane else { return Ok(()) };
        let others = || self.mirrors().filter(|(other, _)| *other != index).map(|(_, mirror)| mirror);
        let allowed = "at right angles to those of all other half-spaces";
        let square = others().all(|other| plane.is_square_to(&other));
        ParamError::check(square, "normal of the half-space", plane.normal().as_vec3(), allowed)
    }

    /// Checks that body `index` may be set to this state, as [`set_state`](Self::set_state) does.
    ///
    /// # Errors
    /// Returns the errors of [`set_state`](Self::set_state).
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn check_state(&self, index: usize, state: &BodyState) -> Result<(), ParamError> {
        ParamError::check(state.is_valid(), "body state", state, VALID_STATE)?;
        let (body, obstacle) = (&self.list[index], &self.obstacles.list()[index]);
        let normal = |state: &BodyState| obstacle.mirror_at(&state.pose()).map(|mirror| mirror.normal());
        let Some((now, next)) = normal(&body.state).zip(normal(state)) else { return Ok(()) };
        check_spin_of_half_space(state)?;
        let is_alone = self.mirrors().all(|(other, _)| other == index);
        let turns = now.distance(next) > Mirror::SQUARE;
        let allowed = "what it was: a half-space may turn only while there is no other";
        ParamError::check(is_alone || !turns, "rotation", state.rotation, allowed)?;
        // Small turns that pass the check above add up.
        self.check_mirror(index, obstacle.mirror_at(&state.pose()))
    }

    /// Returns indices and current surfaces of the half-spaces.
    fn mirrors(&self) -> impl Iterator<Item = (usize, Mirror)> {
        let each = self.list.iter().zip(self.obstacles.list()).enumerate();
        each.filter_map(|(index, (body, obstacle))| Some((index, obstacle.mirror_at(&body.state.pose())?)))
    }

    /// Returns the added inertia of body `index` (E49), about its centre of mass and in its axes, in fluid of
    /// density 1; None for a body with holes. The first call computes it (see [`AddedInertia::of`] for the
    /// cost); the result is cached until the shapes change. It is meant for engines that support a 6×6
    /// inertia matrix, for bodies without [`BodyDef::no_through`], which includes added inertia in the steps.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn added_inertia(&self, index: usize) -> Option<AddedInertia> {
        self.list[index].added_inertia(self.obstacles.list()[index].shapes())
    }

    /// Removes body `index`; the indices of later bodies decrease by one.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn remove(&mut self, index: usize) {
        self.energy_gone += self.list[index].own_energy();
        self.sheets_gone += self.list[index].energy_held();
        self.take_out(index);
        // Both lists have one order; the indices are those before the removal.
        let contacts = &self.contacts.contacts;
        self.no_slip
            .keep_assigned(|at| contacts.get(at).is_some_and(|contact| contact.body as usize != index));
        self.contacts.forget_body(index);
    }

    /// Removes body `index` without accounting for its energy. Its precomputed shape data is kept for a while
    /// because bodies of one kind come and go.
    fn take_out(&mut self, index: usize) {
        self.keep_levels(index);
        let (body, obstacle) = (self.list.remove(index), self.obstacles.remove(index));
        self.list.iter_mut().for_each(|other| other.forget_body(index));
        self.keep_known(obstacle.shared_shapes(), body.known_shapes());
    }

    /// Keeps the level geometry of body `index`, which is about to lose its shapes, until the next step if
    /// snapshots refer to it by hash.
    fn keep_levels(&mut self, index: usize) {
        let obstacle = &self.obstacles.list()[index];
        let is_known = |shapes: &Arc<[Shape]>| Arc::ptr_eq(shapes, &obstacle.shared_shapes());
        if obstacle.shapes().iter().any(Shape::is_saved_by_hash) && !self.gone_levels.iter().any(is_known) {
            self.gone_levels.push(obstacle.shared_shapes());
        }
    }

    /// Returns the bodies, in order.
    pub fn list(&self) -> &[Body] {
        &self.list
    }

    /// Returns body `index` for reading or changing.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn body_mut(&mut self, index: usize) -> &mut Body {
        &mut self.list[index]
    }

    /// Sets the motion of body `index` from now on. The next step sweeps particles along the body's path from
    /// its last position; use [`place`](Self::place) to teleport it.
    ///
    /// # Errors
    /// Returns an error for a value that is not finite, a quaternion that is not of unit length, a half-space
    /// with an angular velocity, or a half-space that is turned while there are others; nothing is changed
    /// then.
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn set_state(&mut self, index: usize, state: BodyState) -> Result<(), ParamError> {
        self.check_state(index, &state)?;
        self.list[index].tell(state, self.obstacles.list()[index].ball().radius);
        Ok(())
    }

    /// Sets the motion of body `index` like [`set_state`](Self::set_state), but teleports it: nothing is
    /// swept.
    ///
    /// # Errors
    /// Returns the errors of [`set_state`](Self::set_state).
    ///
    /// # Panics
    /// Panics if there is no such body.
    pub fn place(&mut self, index: usize, state: BodyState) -> Result<(), ParamError> {
        self.check_state(index, &state)?;
        self.obstacles.place(index, state.pose());
        self.list[index].put(state);
        Ok(())
    }

    /// Brings the search for bodies near a place up to date, which a step does, too: until then all bodies
    /// are tested once one has been added, removed or placed.
    pub fn refresh_broad_phase(&mut self) {
        self.obstacles.refresh_if_changed();
    }

    /// Absorbs the strength of a vorton at `place` \[m\] that is inside a body, or less than `margin` \[m\]
    /// outside of it, and is to be removed for that: the body holds its vorticity from now on, and the
    /// surface brings it to rest. Returns true if the vorton is inside a body or within the margin.
    pub fn absorb(&mut self, place: Vec3, strength: Vec3, margin: f32) -> bool {
        let nearest = if place.is_finite() { self.obstacles.nearest(place, margin) } else { None };
        if let Some((body, _)) = nearest {
            self.list[body as usize].absorb(place, strength);
        }
        nearest.is_some()
    }

    /// Returns the bodies as obstacles, with their poses at the start and end of the last step.
    pub fn obstacles(&self) -> &Obstacles {
        &self.obstacles
    }

    /// Returns the distance \[m\] from solids at which touching vortons are kept; 0 without no-slip.
    pub fn contact_distance(&self) -> f32 {
        if self.settings.no_slip.rate > 0.0 { self.core_radius } else { 0.0 }
    }

    /// Returns the contacts of the last step.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.contacts
    }

    /// Returns the contacts' vortons before the last step changed them, in the order of
    /// [`contacts`](Self::contacts).
    pub fn assigned(&self) -> &[Assigned] {
        self.no_slip.assigned()
    }

    /// Returns the vortons that hit container walls in the last step, for
    /// [`VortexSim::set_wall_hits`](fluid_core::sim::VortexSim::set_wall_hits). Empty unless
    /// [`Params::walls`](fluid_core::params::Params::walls) uses them.
    pub fn wall_hits(&self) -> &[WallHit] {
        &self.wall_hits
    }

    /// Advances the bodies with their velocities and the forces expected in the step.
    fn advance(&mut self, motion: Motion<'_>) {
        for index in 0..self.list.len() {
            if self.list[index].wants_lift() {
                let (body, obstacle) = (&mut self.list[index], &self.obstacles.list()[index]);
                body.fill_with_ambient(ambient_in_holes(&motion.params.ambient, obstacle, body));
                let (lift, weight) = self.lift(motion, index);
                self.list[index].set_lift(lift, weight, motion.params.ambient.density.into());
                // The path depends on the lift, so it is computed only now.
                self.list[index].find_poses(motion.dt, *self.obstacles.list()[index].pose());
            }
        }
        let (dt, relaxed) = (motion.dt, self.relaxed(motion.dt));
        let list = &mut self.list;
        self.obstacles.advance(|i| {
            let (velocity, spin) = list[i].go(dt, relaxed);
            (list[i].state.pose(), velocity, spin)
        });
    }

    /// Returns x ≥ 0 such that a step reduces the slip at a body of infinite mass by the factor exp(−x).
    fn relaxed(&self, dt: f32) -> f64 {
        let relaxed = f64::from(self.settings.no_slip.rate) * f64::from(dt.abs());
        if relaxed > 0.0 { relaxed } else { 0.0 }
    }

    /// Returns the lift of a body, including its own weight if enabled, and the acceleration \[m/s²\] that
    /// the engine is assumed to add.
    fn lift(&self, motion: Motion<'_>, index: usize) -> (Wrench, Option<DVec3>) {
        self.lift_against(self.apparent_gravity(motion, index), motion, index)
    }

    /// Returns the same where displaced fluid has the weight of this gravity \[m/s²\].
    fn lift_against(&self, felt: DVec3, motion: Motion<'_>, index: usize) -> (Wrench, Option<DVec3>) {
        let body = &self.list[index];
        let gravity = motion.params.gravity.as_dvec3();
        if body.buoyant_force == BuoyantForce::Off || body.is_immovable() {
            return (Wrench::default(), Some(DVec3::ZERO));
        }
        let mut lift = force_against(felt, motion, &self.obstacles, (index, body));
        let content = body.weight_of_content(gravity);
        lift.force += content.force;
        lift.torque += content.torque;
        if body.told_mass.is_finite() {
            lift.force -= gravity * body.fluid_mass;
        }
        if body.buoyant_force == BuoyantForce::On {
            return (lift, Some(gravity));
        }
        if body.told_mass.is_finite() {
            lift.force += gravity * body.told_mass;
        }
        (lift, None)
    }

    /// Adds the vortons held by bodies, at their positions at `time`.
    fn add_bound_vortons(&mut self, exec: &dyn Executor, time: StepTime, sources: &mut Sources) {
        let vortons = sources.len();
        self.vortons = CloudExtent::of(&sources.positions, &sources.strengths, vortons);
        self.add_walls(exec, time, vortons, sources);
        for (index, body) in self.list.iter().enumerate() {
            let first = sources.len();
            body.sheet_vortons(time).for_each(|source| self.add_source_of(index, source, sources));
            sources.group_from(first, body.sheet_energy(time));
        }
        let cloud = self.vortons;
        for (index, body) in self.list.iter().enumerate() {
            let first = sources.len();
            let each = body.bound_vortons(cloud, body.pose_of_bound(time));
            each.for_each(|source| self.add_source_of(index, source, sources));
            // Empty for others, so that the groups of a body keep their numbers.
            let first = if body.has_sheet() { first } else { sources.len() };
            sources.group_from(first, body.energy_of_bound());
        }
    }

    /// Adds a vorton held by body `index`, with images unless the body has none.
    fn add_source_of(&self, index: usize, (position, strength): (Vec3, Vec3), sources: &mut Sources) {
        if self.without_images.has_body(index) {
            sources.leave_without_images(sources.len());
        }
        sources.push(position, strength);
    }

    /// Adds the sheets on the walls of holes. They confine the flow of the holes' contents, which therefore
    /// has no images in half-spaces. The first `vortons` sources are vortons.
    fn add_walls(&mut self, exec: &dyn Executor, time: StepTime, vortons: usize, sources: &mut Sources) {
        let has_mirrors = self.obstacles.list().iter().any(Obstacle::is_half_space);
        self.without_images.clear();
        for index in 0..self.list.len() {
            let (body, obstacle) = (&mut self.list[index], &self.obstacles.list()[index]);
            let first = sources.len();
            body.add_walls(exec, time, vortons, sources);
            if !has_mirrors || !body.holds_flow() {
                continue;
            }
            let pose = body.pose_of_walls(time);
            // At the middle of a step, vortons may be slightly outside of a wall.
            let slack = self.core_radius;
            let holds = |place: Vec3| {
                let wall = obstacle.holes().wall(pose.to_local(place), 0.0);
                wall.is_none_or(|wall| wall.distance >= -slack)
            };
            self.without_images.add_vortons((0..vortons).map(|row| holds(sources.positions.get(row))));
            let others = self.list.iter().enumerate();
            let is_held =
                |(other, body): (usize, &Body)| other == index || holds(body.poses().at(time).position);
            self.without_images.add_bodies(others.map(is_held));
            (0..vortons)
                .filter(|row| self.without_images.has_vorton(*row))
                .for_each(|row| sources.leave_without_images(row));
            (first..sources.len()).for_each(|row| sources.leave_without_images(row));
        }
    }

    /// Adds the containers, which carry their contents along, and their walls.
    fn add_enclosures(&mut self, dt: f32, enclosures: &mut Enclosures) {
        let each = self.list.iter_mut().zip(self.obstacles.list());
        for (body, obstacle) in each.filter(|(_, obstacle)| obstacle.is_container()) {
            let StepPoses { start, middle, .. } = *body.poses();
            for (number, room) in obstacle.rooms().iter().enumerate() {
                let velocity = body.velocity_of_room(room.middle, dt);
                enclosures.push(Enclosure {
                    inside: room.holes.clone(),
                    at_start: (start.position, start.rotation),
                    at_middle: (middle.position, middle.rotation),
                    velocity,
                    acceleration: body.carry(number, velocity, dt),
                    holds_flow: body.holds_flow(),
                });
            }
        }
    }

    /// Returns the largest ratio of the energy of the flow of vortons and bodies to the work on the fluid
    /// \[1\]: above 1 if part of that flow is behind container walls.
    pub fn energy_of_work(&self) -> f64 {
        self.list.iter().map(Body::space_behind_walls).fold(1.0, f64::max)
    }

    /// Returns the largest number of times that a vorton can be among the sources of the flow, counting
    /// itself and its images in half-spaces \[1\].
    pub fn copies(&self) -> usize {
        1 << self.obstacles.list().iter().filter(|obstacle| obstacle.is_half_space()).count()
    }

    /// Records the largest speed of a vorton relative to the wind, or to the tank that it is in.
    fn note_fastest(&mut self, motion: Motion<'_>, before: &Vec3Columns, after: &Vec3Columns) {
        if motion.dt == 0.0 {
            return;
        }
        let is_used = |body: &Body| body.is_half_space() || body.has_sheet() && !body.is_driven();
        if !self.list.iter().any(is_used) {
            self.fastest = 0.0;
            return;
        }
        let way = |(before, after): (Vec3, Vec3)| {
            (after - before - motion.field.carried_at_middle(before) * motion.dt).length()
        };
        let ways = before.iter().zip(after.iter()).map(way);
        let farthest = ways.filter(|way| way.is_finite()).fold(0.0, f32::max);
        self.fastest = f64::from(farthest / motion.dt.abs());
    }
}
