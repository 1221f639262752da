//! All bodies of a world, and what they do in a step.

mod apart;
mod departed;
mod saving;
mod settling;
mod shift;

use crate::added_inertia::AddedInertia;
use crate::body::{Body, BodyDef, BodyState, BuoyantForce, Held, KnownShapes, check_spin_of_half_space};
use crate::buoyant_force::{Wrench, buoyant_force};
use crate::cloud::Cloud;
use crate::clusters::Clusters;
use crate::contact::{Contact, Contacts};
use crate::friction::Friction;
use crate::merging::Merging;
use crate::mirrors::{self, WithoutImages};
use crate::no_slip::{Assigned, NoSlip, NoSlipSettings};
use crate::obstacle::surface_of_half_space;
use crate::obstacles::{Obstacle, Obstacles};
use crate::pose::StepPoses;
use crate::shapes::Shape;
use departed::Departed;
use fluid_core::boundary::{
    BodyCoupling, Boundary, Enclosure, Enclosures, Motion, StepTime, Surfaces, WallHit,
};
use fluid_core::math::Vec3Columns;
use fluid_core::params::{ParamError, Params};
use fluid_core::particles::Vortons;
use fluid_core::velocity::{Mirror, SourceCloud, Sources};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// How bodies and fluid act on each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodySettings {
    /// How bodies shed vorticity.
    pub no_slip: NoSlipSettings,
    /// Specific heat c of the fluid \[J/(kg K)\], positive.
    pub specific_heat: f32,
}

fluid_core::saved::fields!(BodySettings { no_slip, specific_heat });

impl Default for BodySettings {
    fn default() -> Self {
        Self { no_slip: NoSlipSettings { depth: 1.2, rate: 30.0, passes: 16 }, specific_heat: 1000.0 }
    }
}

impl BodySettings {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let NoSlipSettings { depth, rate, passes } = self.no_slip;
        ParamError::check(
            depth.is_finite() && depth >= 0.0,
            "no-slip depth",
            depth,
            "at least 0 core radii",
        )?;
        ParamError::check(rate >= 0.0, "no-slip rate", rate, "at least 0 per second")?;
        ParamError::check(passes >= 1, "no-slip passes", passes, "at least 1")?;
        let heat = self.specific_heat;
        ParamError::check(heat.is_finite() && heat > 0.0, "specific heat", heat, "positive")
    }
}

/// Bodies, in the order in which they were added.
#[derive(Debug, Clone)]
pub struct Bodies {
    settings: BodySettings,
    /// What the fluid was made of at first, in the wind of the last step.
    fluid: Params,
    core_radius: f32,
    max_vortons: usize,
    list: Vec<Body>,
    obstacles: Obstacles,
    contacts: Contacts,
    clusters: Clusters,
    /// What `hold_under` works in.
    held_before: Held,
    /// Level geometry that has gone since the last step and that snapshots have the hash of: one that cannot
    /// be loaded after all must not take it along.
    gone_levels: Vec<Arc<[Shape]>>,
    /// What had no images when sources were last gathered.
    without_images: WithoutImages,
    merging: Merging,
    no_slip: NoSlip,
    friction: Friction,
    /// Vortons that have met the walls of containers in the last step, where that is to be known.
    wall_hits: Vec<WallHit>,
    /// Energy per density \[m⁵/s²\] of the flow of their own motion that has gone with bodies since the last
    /// step began.
    energy_gone: f64,
    /// Largest speed of a vorton in the last step \[m/s\], as far as half-spaces need it.
    fastest: f64,
    /// Memory in which kinds of bodies are compared.
    kind: Vec<u8>,
    /// What takes long to find of the shapes of the last bodies that have gone, for others that have them.
    departed: Departed,
}

/// Vortons among which contacts are looked for, and contacts, for which there is room with the first body: at
/// most 1.3 and 1.3 MiB. More take memory once.
const ROWS: usize = 16_384;
const CONTACTS: usize = 4096;

/// What a state may be.
const VALID_STATE: &str =
    "finite, with a unit quaternion, coordinates to 1e9 m and speeds to 1e6 m/s and rad/s";

/// Distance from a surface at which particles are put down \[core radii\].
const SKIN: f32 = 1e-3;

impl Bodies {
    /// None yet, in a fluid with these parameters.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn new(settings: BodySettings, params: &Params) -> Result<Self, ParamError> {
        settings.validate()?;
        Ok(Self {
            settings,
            fluid: *params,
            core_radius: params.core_radius,
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
            friction: Friction::new(SourceCloud::new(params.direct_settings())),
            wall_hits: Vec::new(),
            energy_gone: 0.0,
            fastest: 0.0,
            kind: Vec::new(),
            departed: Departed::default(),
        })
    }

    /// How bodies and fluid act on each other.
    pub fn settings(&self) -> &BodySettings {
        &self.settings
    }

    /// Changes how bodies and fluid act on each other, from the next step on.
    ///
    /// # Errors
    /// A setting out of its range; nothing has changed then.
    pub fn set_settings(&mut self, settings: BodySettings) -> Result<(), ParamError> {
        settings.validate()?;
        self.settings = settings;
        self.no_slip.set_settings(settings.no_slip);
        Ok(())
    }

    /// Adds a body, which gets the highest number.
    ///
    /// # Errors
    /// A value out of its range; nothing has changed then.
    pub fn add(&mut self, def: BodyDef) -> Result<usize, ParamError> {
        let body = Body::new(&def, &self.fluid, self.known_shapes(&def.shapes))?;
        let pose = def.state.pose();
        self.check_mirror(self.list.len(), surface_of_half_space(&def.shapes, &pose))?;
        self.reserve();
        self.obstacles.push(Obstacle::new(Arc::from(def.shapes), pose));
        self.list.push(body);
        Ok(self.list.len() - 1)
    }

    /// Takes the memory that bodies need, once.
    fn reserve(&mut self) {
        self.contacts.reserve(ROWS.min(self.max_vortons));
        self.clusters.reserve(CONTACTS.min(self.max_vortons));
        self.held_before.reserve();
        self.merging.reserve(CONTACTS.min(self.max_vortons));
        self.no_slip.reserve(CONTACTS.min(self.max_vortons));
        self.friction.reserve(CONTACTS.min(self.max_vortons));
    }

    /// Gives body `index` other shapes, in coordinates whose origin is its centre of mass. Without any, it
    /// touches nothing.
    ///
    /// # Errors
    /// A size or a pose that is not valid; nothing has changed then.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set_shapes(&mut self, index: usize, shapes: Vec<Shape>) -> Result<(), ParamError> {
        let pose = self.list[index].state.pose();
        self.check_mirror(index, surface_of_half_space(&shapes, &pose))?;
        let known = self.known_shapes(&shapes);
        self.list[index].set_shapes(&shapes, known)?;
        self.keep_levels(index);
        self.obstacles.set_shapes(index, Arc::from(shapes));
        Ok(())
    }

    /// What other bodies know of these shapes, or those that have gone last.
    fn known_shapes(&self, shapes: &[Shape]) -> KnownShapes {
        let same = self.list.iter().zip(self.obstacles.list());
        let same = same.filter(|(_, obstacle)| *obstacle.shapes() == *shapes);
        let departed = self.departed.find(shapes).cloned();
        let known = same.map(|(body, _)| body.known_shapes()).chain(departed);
        known.into_iter().find(KnownShapes::is_any).unwrap_or_default()
    }

    /// Checks that body `index` may have its plane, if it is a half-space, beside those of the others: images
    /// of images are exact for right angles only.
    fn check_mirror(&self, index: usize, plane: Option<Mirror>) -> Result<(), ParamError> {
        let Some(plane) = plane else { return Ok(()) };
        let others = || self.mirrors().filter(|(other, _)| *other != index).map(|(_, mirror)| mirror);
        let allowed = "at right angles to those of all other half-spaces";
        let square = others().all(|other| plane.is_square_to(&other));
        ParamError::check(square, "normal of the half-space", plane.normal().as_vec3(), allowed)
    }

    /// Checks that body `index` may be in this state, as [`set_state`](Self::set_state) does.
    ///
    /// # Errors
    /// Those of [`set_state`](Self::set_state).
    ///
    /// # Panics
    /// If there is no such body.
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
        // Many small turns are a large one.
        self.check_mirror(index, obstacle.mirror_at(&state.pose()))
    }

    /// The half-spaces where they are now: their numbers and surfaces.
    fn mirrors(&self) -> impl Iterator<Item = (usize, Mirror)> {
        let each = self.list.iter().zip(self.obstacles.list()).enumerate();
        each.filter_map(|(index, (body, obstacle))| Some((index, obstacle.mirror_at(&body.state.pose())?)))
    }

    /// Added inertia of body `index` (E49), about its centre of mass and in its axes, in fluid of density 1.
    /// None if it has holes. The first call takes what [`AddedInertia::of`] takes; its result is kept until
    /// the shapes change. For engines whose bodies can have an inertia of six by six numbers, and without
    /// [`BodyDef::no_through`], which makes steps use it.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn added_inertia(&self, index: usize) -> Option<AddedInertia> {
        self.list[index].added_inertia(self.obstacles.list()[index].shapes())
    }

    /// Removes body `index`; those behind it move up.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn remove(&mut self, index: usize) {
        self.energy_gone += self.list[index].own_energy();
        self.take_out(index);
    }

    /// Removes body `index` as if it had not been there. What takes long to find of its shapes is kept for a
    /// while: bodies of one kind come and go.
    fn take_out(&mut self, index: usize) {
        self.keep_levels(index);
        let (body, obstacle) = (self.list.remove(index), self.obstacles.remove(index));
        let known = body.known_shapes();
        if !known.is_any() || self.known_shapes(obstacle.shapes()).is_any() {
            return;
        }
        self.departed.keep(obstacle.shared_shapes(), known);
    }

    /// The level geometry of body `index`, which is to lose its shapes, is kept until the next step if
    /// snapshots have the hash of it.
    fn keep_levels(&mut self, index: usize) {
        let obstacle = &self.obstacles.list()[index];
        let is_known = |shapes: &Arc<[Shape]>| Arc::ptr_eq(shapes, &obstacle.shared_shapes());
        if obstacle.shapes().iter().any(Shape::is_saved_by_hash) && !self.gone_levels.iter().any(is_known) {
            self.gone_levels.push(obstacle.shared_shapes());
        }
    }

    /// The bodies, in order.
    pub fn list(&self) -> &[Body] {
        &self.list
    }

    /// One body, to read or change.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn body_mut(&mut self, index: usize) -> &mut Body {
        &mut self.list[index]
    }

    /// Says how body `index` moves from now on. In the next step particles are swept along its way from where
    /// it was last; if it is set down somewhere else without a way, use [`place`](Self::place).
    ///
    /// # Errors
    /// A value that is not finite, or a quaternion that is not of unit length; a half-space with an
    /// angular velocity, or one that is turned while there are others; nothing has changed then.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set_state(&mut self, index: usize, state: BodyState) -> Result<(), ParamError> {
        self.check_state(index, &state)?;
        self.list[index].tell(state, self.obstacles.list()[index].ball().radius);
        Ok(())
    }

    /// As [`set_state`](Self::set_state), without a way there: nothing is swept away.
    ///
    /// # Errors
    /// As [`set_state`](Self::set_state).
    ///
    /// # Panics
    /// If there is no such body.
    pub fn place(&mut self, index: usize, state: BodyState) -> Result<(), ParamError> {
        self.check_state(index, &state)?;
        self.obstacles.place(index, state.pose());
        self.list[index].put(state);
        Ok(())
    }

    /// Takes over what a vorton at `place` \[m\] carries that is inside of a body, or less than `margin`
    /// \[m\] outside of it, and is to be removed for that: what turned there, the body holds from now on, and
    /// its surface brings to rest. True if it is inside of one.
    pub fn absorb(&mut self, place: Vec3, strength: Vec3, margin: f32) -> bool {
        let nearest = if place.is_finite() { self.obstacles.nearest(place, margin) } else { None };
        if let Some((body, _)) = nearest {
            self.list[body as usize].absorb(place, strength);
        }
        nearest.is_some()
    }

    /// The bodies as obstacles: where they were and are in the step just taken.
    pub fn obstacles(&self) -> &Obstacles {
        &self.obstacles
    }

    /// Distance \[m\] from solids at which vortons that touch them are kept; 0 if fluid does not stick.
    pub fn contact_distance(&self) -> f32 {
        if self.settings.no_slip.rate > 0.0 { self.core_radius } else { 0.0 }
    }

    /// The contacts of the step just taken.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.contacts
    }

    /// As the contacts' vortons were before they were changed, in the order of [`contacts`](Self::contacts).
    pub fn assigned(&self) -> &[Assigned] {
        self.no_slip.assigned()
    }

    /// Vortons that have hit the walls of containers in the last step, for
    /// [`VortexSim::set_wall_hits`](fluid_core::sim::VortexSim::set_wall_hits). None where
    /// [`Params::walls`](fluid_core::params::Params::walls) does not ask for them.
    pub fn wall_hits(&self) -> &[WallHit] {
        &self.wall_hits
    }

    /// Bodies move as their velocities say, and as what acts on them lets them.
    fn advance(&mut self, motion: Motion<'_>) {
        for index in 0..self.list.len() {
            if self.list[index].wants_lift() {
                let (lift, weight) = self.lift(motion, index);
                self.list[index].set_lift(lift, weight, motion.params.ambient.density.into());
                // Its way is known only now.
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

    /// Slip of a body that nothing moves falls by a factor of exp(-this) in a step.
    fn relaxed(&self, dt: f32) -> f64 {
        let relaxed = f64::from(self.settings.no_slip.rate) * f64::from(dt.abs());
        if relaxed > 0.0 { relaxed } else { 0.0 }
    }

    /// What lifts a body, its own weight included if that is wanted, and what the engine is thought to add to
    /// that by itself \[m/s²\].
    fn lift(&self, motion: Motion<'_>, index: usize) -> (Wrench, Option<DVec3>) {
        let body = &self.list[index];
        let gravity = motion.params.gravity.as_dvec3();
        if body.buoyant_force == BuoyantForce::Off || body.is_immovable() {
            return (Wrench::default(), Some(DVec3::ZERO));
        }
        let mut lift = buoyant_force(motion, &self.obstacles, index, body);
        let content = body.weight_of_content(gravity);
        lift.force += content.force;
        lift.torque += content.torque;
        if body.buoyant_force == BuoyantForce::On {
            return (lift, Some(gravity));
        }
        if body.told_mass.is_finite() {
            lift.force += gravity * body.told_mass;
        }
        (lift, None)
    }

    /// What bodies hold, where they are at `time`.
    fn add_bound_vortons(&mut self, time: StepTime, sources: &mut Sources) {
        let vortons = sources.len();
        self.add_walls(time, vortons, sources);
        for (index, body) in self.list.iter().enumerate() {
            body.sheet_vortons(time).for_each(|source| self.add_source_of(index, source, sources));
        }
        if self.list.iter().all(|body| body.bound().felt == DVec3::ZERO) {
            return;
        }
        let cloud = Cloud::of(&sources.positions, &sources.strengths, vortons);
        for (index, body) in self.list.iter().enumerate() {
            let each = body.bound_vortons(cloud, body.pose_of_bound(time));
            each.for_each(|source| self.add_source_of(index, source, sources));
        }
    }

    /// Adds a vorton that body `index` holds, with images if it has some.
    fn add_source_of(&self, index: usize, (position, strength): (Vec3, Vec3), sources: &mut Sources) {
        if self.without_images.has_body(index) {
            sources.leave_without_images(sources.len());
        }
        sources.push(position, strength);
    }

    /// The sheets on the walls of holes. They keep in the flow of what the holes hold, which has no images in
    /// half-spaces therefore. The first `vortons` of the sources are vortons.
    fn add_walls(&mut self, time: StepTime, vortons: usize, sources: &mut Sources) {
        let has_mirrors = self.obstacles.list().iter().any(Obstacle::is_half_space);
        self.without_images.clear();
        for index in 0..self.list.len() {
            let (body, obstacle) = (&mut self.list[index], &self.obstacles.list()[index]);
            let first = sources.len();
            body.add_walls(time, vortons, sources);
            if !has_mirrors || !body.holds_flow() {
                continue;
            }
            let pose = body.pose_of_walls(time);
            // In the middle of a step, vortons may be led a little through a wall.
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

    /// The containers, which carry what they hold along, and their walls.
    fn add_enclosures(&mut self, dt: f32, enclosures: &mut Enclosures) {
        let each = self.list.iter_mut().zip(self.obstacles.list());
        for (body, obstacle) in each.filter(|(_, obstacle)| obstacle.is_container()) {
            let StepPoses { start, middle, end } = *body.poses();
            let centre = obstacle.ball().centre;
            // By the way that it really goes: an engine may move it by its position alone.
            let way = end.to_world(centre) - start.to_world(centre);
            let velocity = if dt == 0.0 { Vec3::ZERO } else { way / dt };
            body.carry(velocity, dt);
            enclosures.push(Enclosure {
                inside: obstacle.holes().clone(),
                at_start: (start.position, start.rotation),
                at_middle: (middle.position, middle.rotation),
                velocity,
                acceleration: body.acceleration(),
                holds_flow: body.holds_flow(),
            });
        }
    }

    /// Most energy of the flow of vortons and bodies for unit work on the fluid \[1\]: above 1 where some of
    /// that flow is behind the walls of containers.
    pub fn energy_of_work(&self) -> f64 {
        self.list.iter().map(Body::space_behind_walls).fold(1.0, f64::max)
    }

    /// How often each vorton may be among the sources of the flow, itself and its images in half-spaces, at
    /// most \[1\].
    pub fn copies(&self) -> usize {
        1 << self.obstacles.list().iter().filter(|obstacle| obstacle.is_half_space()).count()
    }

    /// How fast vortons have moved against the wind.
    fn note_fastest(&mut self, motion: Motion<'_>, before: &Vec3Columns, after: &Vec3Columns) {
        if motion.dt == 0.0 || !self.list.iter().any(Body::is_half_space) {
            return;
        }
        let carried = motion.params.wind * motion.dt;
        let ways = before.iter().zip(after.iter()).map(|(before, after)| (after - before - carried).length());
        let farthest = ways.filter(|way| way.is_finite()).fold(0.0, f32::max);
        self.fastest = f64::from(farthest / motion.dt.abs());
    }
}

impl BodyCoupling for Bodies {
    fn begin_step(&mut self, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
        self.gone_levels.clear();
        self.keep_sheets_apart();
        let each = self.list.iter_mut().zip(self.obstacles.list());
        each.for_each(|(body, obstacle)| body.see_layers(*obstacle.pose(), vortons));
        let each = self.list.iter_mut().zip(self.obstacles.list());
        let gained = each.map(|(body, obstacle)| body.set_out(dt, *obstacle.pose())).sum::<f64>();
        boundary.energy_gained = gained - std::mem::take(&mut self.energy_gone);
        boundary.copies = self.copies();
        self.add_enclosures(dt, &mut boundary.enclosures);
    }

    fn covers(&self, place: Vec3) -> bool {
        // Vortons that stick to a solid are kept a core radius away from it: one born nearer would leave its
        // place to the next at once. Fluid at the walls of its container stays where it is.
        self.obstacles.is_near_a_solid(place, self.contact_distance())
    }

    fn set_out(&mut self, vortons: &Vortons) {
        self.list.iter_mut().for_each(|body| body.find_inside(vortons));
    }

    fn bound_vortons(&mut self, time: StepTime, sources: &mut Sources) -> f64 {
        self.add_bound_vortons(time, sources);
        let bodies = self.list.iter().zip(self.obstacles.list());
        for (body, obstacle) in bodies.filter(|(_, obstacle)| obstacle.is_half_space()) {
            let mirror = obstacle.mirror_at(&body.poses().at(time));
            if let Some(mirror) = mirror.filter(|mirror| mirrors::are_felt(sources, mirror, self.fastest)) {
                sources.mirror(mirror);
            }
        }
        self.energy_of_work()
    }

    fn see_flow(&mut self, motion: Motion<'_>) -> DVec3 {
        self.fluid.wind = motion.params.wind;
        self.list.iter_mut().for_each(|body| body.see_flow(motion));
        self.list.iter().map(|body| body.force_of_flow()).sum::<DVec3>() * f64::from(motion.dt)
    }

    fn vorton_contacts(&mut self, motion: Motion<'_>, before: &Vec3Columns, vortons: &mut Vortons) -> f64 {
        self.merging.clear();
        if self.list.is_empty() {
            return 0.0;
        }
        let density = f64::from(motion.params.ambient.density);
        self.advance(motion);
        self.note_fastest(motion, before, &vortons.positions);
        let depth = self.settings.no_slip.depth * self.core_radius;
        self.contacts.find(motion.exec, &self.obstacles, before, &mut vortons.positions, depth);
        self.settle_ejections(density, self.relaxed(motion.dt), vortons);
        let lifted = self.work_of_ejections(motion, vortons);
        self.note_wall_hits(motion.params.walls, vortons);
        self.conduct_heat(motion, vortons);
        for contacts in self.contacts.contacts.chunk_by_mut(|a, b| a.body == b.body) {
            let body = &mut self.list[contacts[0].body as usize];
            body.hold_under(contacts, (&mut self.clusters, &mut self.held_before));
        }
        if !self.contacts.contacts.is_empty() {
            let each = self.list.iter().zip(self.obstacles.list());
            let mirrors = each.filter_map(|(body, obstacle)| obstacle.mirror_at(&body.state.pose()));
            self.no_slip.set_mirrors(mirrors, &self.without_images);
        }
        self.no_slip.assign(motion, (&self.list, &self.obstacles), &self.contacts.contacts, vortons);
        self.list.iter_mut().for_each(|body| body.drag_along(motion, vortons));
        self.no_slip.keep_outside(&self.obstacles, &self.contacts.contacts, vortons);
        self.rub(motion, vortons);
        if motion.dt > 0.0 {
            self.merging.merge(&self.contacts.contacts, self.core_radius, before, vortons);
        }
        self.settle_strengths(density, (self.relaxed(motion.dt), motion.dt != 0.0), vortons);
        self.limit_pushes(motion, density);
        let gravity = motion.params.gravity.as_dvec3();
        self.list.iter_mut().for_each(|body| body.weigh_content(gravity, vortons));
        let work = |body: &Body| body.work(motion.params.wind);
        (self.list.iter().map(work).sum::<f64>() + lifted) / density
    }

    fn absorbed(&self) -> &[u32] {
        self.merging.absorbed()
    }

    fn end_step(&mut self, motion: Motion<'_>) {
        for index in 0..self.list.len() {
            let (lift, weight) = self.lift(motion, index);
            let body = &mut self.list[index];
            if body.buoyant_force != BuoyantForce::Off && !body.is_asleep() {
                let dt = f64::from(motion.dt);
                body.reaction.add_lift(lift.force * dt, lift.torque * dt);
            }
            body.finish_step(motion.dt, lift, weight, motion.params.ambient.density.into());
            body.find_poses(motion.dt, *self.obstacles.list()[index].pose());
        }
    }

    fn surfaces(&self) -> Option<&dyn Surfaces> {
        (!self.list.is_empty()).then_some(&self.obstacles as &dyn Surfaces)
    }
}
