//! All bodies of a world, and what they do in a step.

use crate::body::{Body, BodyDef, BodyState, BuoyantForce, Friction};
use crate::buoyant_force::{Wrench, buoyant_force};
use crate::contact::{Contact, Contacts};
use crate::heat::conduct;
use crate::ledger::{Bound, Moments, Reaction};
use crate::no_slip::{Assigned, NoSlip, NoSlipSettings};
use crate::obstacles::{Obstacle, Obstacles};
use crate::shapes::{MassProperties, Parity, Shape};
use fluid_core::constants::PARTICLE_CHUNK;
use fluid_core::coupling::{BodyCoupling, Motion};
use fluid_core::math::Vec3Columns;
use fluid_core::params::{ParamError, Params};
use fluid_core::particles::Vortons;
use fluid_core::velocity::{SourceCloud, VelocityField};
use fluid_threads::for_each_chunk_mut;
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

impl Default for BodySettings {
    fn default() -> Self {
        Self { no_slip: NoSlipSettings { depth: 1.2, rate: 30.0, passes: 16 }, specific_heat: 1000.0 }
    }
}

/// Bodies, in the order in which they were added.
#[derive(Debug, Clone)]
pub struct Bodies {
    settings: BodySettings,
    core_radius: f32,
    list: Vec<Body>,
    obstacles: Obstacles,
    contacts: Contacts,
    no_slip: NoSlip,
    /// Per body, for the step.
    flows: Vec<RelativeFlow>,
}

/// Distance from a surface at which particles are put down \[core radii\].
const SKIN: f32 = 1e-3;

impl Bodies {
    /// None yet, in a fluid with these parameters.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn new(settings: BodySettings, params: &Params) -> Result<Self, ParamError> {
        let NoSlipSettings { depth, rate, passes } = settings.no_slip;
        ParamError::check(
            depth.is_finite() && depth >= 0.0,
            "no-slip depth",
            depth,
            "at least 0 core radii",
        )?;
        ParamError::check(rate >= 0.0, "no-slip rate", rate, "at least 0 per second")?;
        ParamError::check(passes >= 1, "no-slip passes", passes, "at least 1")?;
        let heat = settings.specific_heat;
        ParamError::check(heat.is_finite() && heat > 0.0, "specific heat", heat, "positive")?;
        Ok(Self {
            settings,
            core_radius: params.core_radius,
            list: Vec::new(),
            obstacles: Obstacles::new(SKIN * params.core_radius),
            contacts: Contacts::default(),
            no_slip: NoSlip::new(settings.no_slip, SourceCloud::new(params.direct_settings())),
            flows: Vec::new(),
        })
    }

    /// Adds a body, which gets the highest number.
    ///
    /// # Errors
    /// A value out of its range; nothing has changed then.
    pub fn add(&mut self, def: BodyDef) -> Result<usize, ParamError> {
        let body = Body::new(&def)?;
        self.obstacles.push(Obstacle::new(Arc::from(def.shapes), def.state.pose()));
        self.list.push(body);
        self.flows.push(RelativeFlow::default());
        Ok(self.list.len() - 1)
    }

    /// Gives body `index` other shapes, in coordinates whose origin is its centre of mass. Without any, it touches nothing.
    ///
    /// # Errors
    /// A hole, or a pose that is not valid; nothing has changed then.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set_shapes(&mut self, index: usize, shapes: Vec<Shape>) -> Result<(), ParamError> {
        let body = &mut self.list[index];
        body.set_shapes(&shapes)?;
        self.obstacles.set_shapes(index, Arc::from(shapes));
        Ok(())
    }

    /// Removes body `index`; those behind it move up.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn remove(&mut self, index: usize) {
        self.list.remove(index);
        self.obstacles.remove(index);
        self.flows.remove(index);
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

    /// Says how body `index` moves from now on. In the next step particles are swept along its way from where it was last; if it is set down
    /// somewhere else without a way, use [`place`](Self::place).
    ///
    /// # Errors
    /// A value that is not finite, or a quaternion that is not of unit length; nothing has changed then.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn set_state(&mut self, index: usize, state: BodyState) -> Result<(), ParamError> {
        ParamError::check(state.is_valid(), "body state", state, "finite, with a unit quaternion")?;
        self.list[index].state = state;
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
        self.set_state(index, state)?;
        self.obstacles.place(index, state.pose());
        Ok(())
    }

    /// The bodies as obstacles: where they were and are in the step just taken.
    pub fn obstacles(&self) -> &Obstacles {
        &self.obstacles
    }

    /// The contacts of the step just taken.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts.contacts
    }

    /// As the contacts' vortons were before they were changed, in the order of [`contacts`](Self::contacts).
    pub fn assigned(&self) -> &[Assigned] {
        self.no_slip.assigned()
    }

    /// Bodies move as their velocities say.
    fn advance(&mut self, dt: f32) {
        for body in &mut self.list {
            let BodyState { velocity, angular_velocity, .. } = body.state;
            let pose = body.state.pose().advanced(velocity, angular_velocity, dt);
            (body.state.position, body.state.rotation) = (pose.position, pose.rotation);
        }
        let list = &self.list;
        self.obstacles.advance(|i| {
            let state = &list[i].state;
            (state.pose(), state.velocity, state.angular_velocity)
        });
    }

    /// What pushing vortons out did to the fluid's impulse, the bodies owe or get.
    fn settle_ejections(&mut self, density: f64, vortons: &Vortons) {
        for group in self.contacts.ejections.chunk_by(|a, b| a.body == b.body) {
            let body = &mut self.list[group[0].body as usize];
            let centre = body.state.position.as_dvec3();
            let mut change = Moments::default();
            for ejection in group {
                let (place, strength) = row(vortons, ejection.row);
                change.add(-1.0, centre, ejection.from, strength);
                change.add(1.0, centre, place, strength);
            }
            body.owe(density, &change);
        }
    }

    fn conduct_heat(&mut self, motion: Motion<'_>, vortons: &mut Vortons) {
        for group in self.contacts.contacts.chunk_by(|a, b| a.body == b.body) {
            let body = &mut self.list[group[0].body as usize];
            if body.heat_transfer > 0.0 {
                body.reaction.heat += conduct(motion, body, group, vortons, self.settings.specific_heat);
            }
        }
    }

    /// What new strengths at surfaces did to the fluid's impulse, the bodies owe or get.
    fn settle_strengths(&mut self, density: f64, vortons: &Vortons) {
        let assigned = self.no_slip.assigned();
        let pairs = self.contacts.contacts.iter().zip(assigned);
        let mut pairs = pairs.peekable();
        while let Some(&(first, _)) = pairs.peek() {
            let body = &mut self.list[first.body as usize];
            let centre = body.state.position.as_dvec3();
            let (mut change, mut slip_sum, mut slip2) = (Moments::default(), DVec3::ZERO, 0.0);
            let (mut lost, mut hits) = (0.0, 0_u32);
            while let Some((contact, old)) = pairs.next_if(|(contact, _)| contact.body == first.body) {
                let (place, strength) = row(vortons, contact.row);
                let mut one = Moments::default();
                one.add(-1.0, centre, old.position, old.strength);
                one.add(1.0, centre, place, strength);
                let slip = old.slip.as_dvec3();
                // Of a plastic collision: half of the impulse times the relative velocity before.
                lost -= 0.5 * density * one.linear.dot(slip);
                slip_sum += slip;
                slip2 += slip.length_squared();
                hits += 1;
                change = change.and(&one);
            }
            let hit = f64::from(hits);
            self.flows[first.body as usize] =
                RelativeFlow { mean: slip_sum / hit, spread: (slip2 / hit).sqrt(), contacts: hits };
            body.owe(density, &change);
            body.lose(lost.max(0.0));
            body.reaction.hits += hits;
        }
    }
}

impl BodyCoupling for Bodies {
    fn vorton_contacts(&mut self, motion: Motion<'_>, before: &Vec3Columns, vortons: &mut Vortons) {
        if self.list.is_empty() {
            return;
        }
        self.advance(motion.dt);
        let density = f64::from(motion.params.ambient.density);
        let depth = self.settings.no_slip.depth * self.core_radius;
        self.contacts.find(motion.exec, &self.obstacles, before, &mut vortons.positions, depth);
        self.settle_ejections(density, vortons);
        self.conduct_heat(motion, vortons);
        self.flows.fill(RelativeFlow::default());
        self.no_slip.assign(motion, &self.list, &self.contacts.contacts, vortons);
        self.no_slip.keep_outside(&self.obstacles, &self.contacts.contacts, vortons);
        self.settle_strengths(density, vortons);
    }

    fn tracer_contacts(&mut self, motion: Motion<'_>, before: &[Vec3], after: &mut [Vec3]) {
        if self.list.is_empty() {
            return;
        }
        let obstacles = &self.obstacles;
        for_each_chunk_mut(motion.exec, PARTICLE_CHUNK, after, &|first, after: &mut [Vec3]| {
            obstacles.keep_out(&before[first..first + after.len()], after);
        });
    }

    fn hand_over(&mut self, motion: Motion<'_>) {
        for (index, (body, flow)) in self.list.iter_mut().zip(&self.flows).enumerate() {
            body.pay(&match flow.contacts {
                0 => RelativeFlow { mean: free_flow(motion, &body.state), ..*flow },
                _ => *flow,
            });
            if body.buoyant_force != BuoyantForce::Off {
                let Wrench { mut force, torque } = buoyant_force(motion, &self.obstacles, index, body);
                if body.buoyant_force == BuoyantForce::OnWithWeight && body.mass.is_finite() {
                    force += motion.params.gravity.as_dvec3() * body.mass;
                }
                body.reaction.linear += force * f64::from(motion.dt);
                body.reaction.angular += torque * f64::from(motion.dt);
            }
        }
    }
}

impl Body {
    fn new(def: &BodyDef) -> Result<Self, ParamError> {
        ParamError::check(def.state.is_valid(), "body state", def.state, "finite, with a unit quaternion")?;
        ParamError::check(def.mass > 0.0, "mass", def.mass, "positive")?;
        ParamError::check(def.heat_capacity > 0.0, "heat capacity", def.heat_capacity, "positive")?;
        let finite = |v: f32| v.is_finite();
        let warm = finite(def.temperature) && def.temperature > 0.0;
        ParamError::check(warm, "temperature", def.temperature, "positive")?;
        let transfer = def.heat_transfer;
        ParamError::check(finite(transfer) && transfer >= 0.0, "heat transfer", transfer, "at least 0")?;
        let mut body = Self {
            state: def.state,
            mass: f64::from(def.mass),
            displaced: MassProperties::NONE,
            area: 0.0,
            buoyant_force: def.buoyant_force,
            temperature: f64::from(def.temperature),
            heat_capacity: f64::from(def.heat_capacity),
            heat_transfer: transfer.into(),
            friction: def.friction,
            bound: Bound::default(),
            reaction: Reaction::default(),
        };
        body.set_shapes(&def.shapes)?;
        Ok(body)
    }

    fn set_shapes(&mut self, shapes: &[Shape]) -> Result<(), ParamError> {
        let valid = |shape: &Shape| shape.geometry.is_valid() && shape.pose.is_valid();
        let solid = shapes.iter().all(|shape| shape.parity == Parity::Solid && valid(shape));
        ParamError::check(solid, "shapes", shapes, "solids with positive sizes and finite poses")?;
        let moments = |shape: &Shape| shape.geometry.convex().mass_properties().moved(&shape.pose);
        self.displaced = shapes.iter().map(moments).fold(MassProperties::NONE, |sum, one| sum.and(&one));
        self.area = shapes.iter().map(|shape| shape.geometry.convex().area()).sum();
        Ok(())
    }

    /// How it moves, as last said and advanced since.
    pub fn state(&self) -> &BodyState {
        &self.state
    }

    /// Temperature \[K\].
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Changes the mass \[kg\]; infinity: nothing moves it.
    ///
    /// # Errors
    /// Not positive; nothing has changed then.
    pub fn set_mass(&mut self, mass: f32) -> Result<(), ParamError> {
        ParamError::check(mass > 0.0, "mass", mass, "positive")?;
        self.mass = f64::from(mass);
        Ok(())
    }

    /// Changes the temperature \[K\].
    ///
    /// # Errors
    /// Not positive or not finite; nothing has changed then.
    pub fn set_temperature(&mut self, temperature: f32) -> Result<(), ParamError> {
        let valid = temperature.is_finite() && temperature > 0.0;
        ParamError::check(valid, "temperature", temperature, "positive")?;
        self.temperature = f64::from(temperature);
        Ok(())
    }

    /// What it keeps of the fluid's.
    pub fn bound(&self) -> &Bound {
        &self.bound
    }

    /// What the fluid has given to it since this was last asked; clears it.
    pub fn take_reaction(&mut self) -> Reaction {
        std::mem::take(&mut self.reaction)
    }

    /// The fluid's moments about the centre of mass have changed: the body gets the opposite.
    fn owe(&mut self, density: f64, change: &Moments) {
        self.bound.strength -= change.strength;
        self.bound.impulse -= 0.5 * self.state.position.as_dvec3().cross(change.strength);
        self.bound.owed_linear -= change.linear * density;
        self.bound.owed_angular -= change.angular * density;
    }

    fn lose(&mut self, energy: f64) {
        self.reaction.lost_energy += energy;
        if self.friction == Friction::WarmsBody {
            self.temperature += energy / self.heat_capacity;
            self.reaction.heat += energy;
        }
    }

    /// Hands over what is owed, as far as it does not make the body move faster against the fluid than it does, or than the fluid does
    /// against it: a light body gets the rest in later steps.
    fn pay(&mut self, flow: &RelativeFlow) {
        let Bound { owed_linear: linear, owed_angular: angular, .. } = self.bound;
        let linear_share = flow.share_allowed(linear / self.mass);
        let spin_up = self.surface_speed_from(angular);
        let most = 0.5 * flow.spread.max(flow.mean.length());
        let angular_share = if spin_up > most { most / spin_up } else { 1.0 };
        self.reaction.linear += linear * linear_share;
        self.reaction.angular += angular * angular_share;
        self.bound.owed_linear -= linear * linear_share;
        self.bound.owed_angular -= angular * angular_share;
    }
}

/// How the fluid moves against a body.
#[derive(Debug, Clone, Copy, Default)]
struct RelativeFlow {
    /// Mean velocity of the fluid at the contacts, against the surface \[m/s\].
    mean: DVec3,
    /// Its root mean square there \[m/s\].
    spread: f64,
    contacts: u32,
}

impl RelativeFlow {
    /// The largest share of a change of the body's velocity after which it moves no faster against the fluid than before, or than the
    /// fluid at its contacts; a little more for changes across.
    fn share_allowed(&self, change: DVec3) -> f64 {
        let (square, along, now) =
            (change.length_squared(), change.dot(self.mean), self.mean.length_squared());
        let most = (self.spread * self.spread).max(now + 0.0625 * self.spread * self.spread);
        // The larger root of |mean − share change|² = most.
        let share = (along + (along * along + square * (most - now)).sqrt()) / square;
        if share < 1.0 { share.max(0.0) } else { 1.0 }
    }
}

fn row(vortons: &Vortons, row: u32) -> (Vec3, Vec3) {
    (vortons.positions.get(row as usize), vortons.strengths.get(row as usize))
}

/// Velocity \[m/s\] of the fluid against a body that touches no vorton.
fn free_flow(motion: Motion<'_>, state: &BodyState) -> DVec3 {
    let mut velocity = [Vec3::ZERO];
    motion.field.velocities(&[state.position], &mut velocity);
    (velocity[0] - state.velocity).as_dvec3()
}
