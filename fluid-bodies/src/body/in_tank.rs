//! What a body in a tank exchanges with the fluid there (E55).

use super::{Body, BuoyantForce};
use crate::obstacle::Room;
use crate::reply::TankPush;
use crate::shapes::MassProperties;
use crate::sheet::Pair;
use fluid_core::constants::MAX_BODY_SPEED;
use fluid_core::math::trace;
use glam::{DVec3, Vec3};

/// State of a body in the hole of another one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InTank {
    /// Index of the tank; None outside of tanks.
    tank: Option<usize>,
    /// Velocity of the body at the end of the last step in this tank \[m/s\]; None if it starts afresh.
    velocity: Option<DVec3>,
    /// Room of the tank.
    room: usize,
    /// True in the first step of nonzero length in this tank, or outside of the last one; found in each step.
    is_new: bool,
    /// Impulse \[N s\] of the fluid on the body without lift when the step began.
    before: DVec3,
}

fluid_core::saved::fields!(InTank { tank, velocity } not { room, is_new, before });

impl InTank {
    /// Returns the indices of the tank and of its room.
    pub(crate) fn place(&self) -> Option<(usize, usize)> {
        Some((self.tank?, self.room))
    }

    /// True if the tank is the body with this index.
    pub(crate) fn is_in(&self, index: usize) -> bool {
        self.tank == Some(index)
    }

    /// True if the tank is one of `count` bodies.
    pub(crate) fn is_among(&self, count: usize) -> bool {
        self.tank.is_none_or(|tank| tank < count)
    }

    /// Adjusts the index after body `removed` was removed.
    pub(crate) fn forget_body(&mut self, removed: usize) {
        match &mut self.tank {
            Some(tank) if *tank > removed => *tank -= 1,
            Some(tank) if *tank == removed => *self = Self::default(),
            _ => {}
        }
    }
}

/// Demands of the bodies in a tank on its motion in a step, which bound the reactions that follow a step
/// late.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Demands {
    /// Σ (ρV)²/m over the bodies that its acceleration moves as lift \[kg\].
    pull: f64,
    /// Mass \[kg\] of the fluid that bodies displace, times their acceleration relative to the tank's where
    /// that is larger.
    burden: f64,
}

/// Largest demands relative to the mass of shell and contents \[1\]: a reaction that comes a step late grows
/// from 1 on.
const MOST_PULL: f64 = 0.5;
/// The same for all demands together \[1\].
const MOST_BURDEN: f64 = 0.75;

/// Added mass of a body without a sheet, over the mass of the fluid that it displaces \[1\]: that of a ball.
const ADDED_MASS: f64 = 0.5;

impl Demands {
    pub(crate) fn and(self, other: Self) -> Self {
        Self { pull: self.pull + other.pull, burden: self.burden + other.burden }
    }

    /// Returns the part \[1\] of the acceleration of a tank of this mass \[kg\], contents included, that
    /// bodies feel.
    fn share_of_lift(&self, mass: f64) -> f64 {
        if mass.is_finite() && self.pull > 0.0 { (MOST_PULL * mass / self.pull).min(1.0) } else { 1.0 }
    }

    /// Returns the part \[1\] of the reaction of bodies that the tank gets.
    fn share_of_reaction(&self, mass: f64) -> f64 {
        let all = self.burden + self.share_of_lift(mass) * self.pull;
        if mass.is_finite() && all > 0.0 { (MOST_BURDEN * mass / all).min(1.0) } else { 1.0 }
    }
}

impl Body {
    /// Begins a step in a room of a tank, given by their indices, or outside.
    pub(crate) fn begin_in(&mut self, place: Option<(usize, usize)>) {
        let same = self.in_tank.tank == place.map(|(tank, _)| tank);
        let velocity = self.in_tank.velocity.filter(|_| same && !self.asleep);
        self.in_tank = InTank {
            tank: place.map(|(tank, _)| tank),
            velocity: place.map(|_| velocity.unwrap_or(self.state.velocity.as_dvec3())),
            room: place.map_or(0, |(_, room)| room),
            is_new: !same,
            before: self.impulse.linear - self.impulse.lift_linear,
        };
    }

    /// Sets the velocity \[m/s\] with which its tank carries fluid along in a step: the body moves relative
    /// to that fluid as through still fluid (E74). As long as the body is in the same tank, the pressure that
    /// sets the fluid in motion pushes it as much as the fluid that it displaces; its added mass follows from
    /// the relative motion.
    pub(crate) fn feel_tank(&mut self, velocity: Vec3) {
        // A tank that its engine has placed elsewhere in a step of hardly any length.
        if !velocity.is_finite() {
            return;
        }
        let velocity = velocity.clamp_length_max(MAX_BODY_SPEED);
        let faster = (velocity - self.wind).as_dvec3();
        self.feel_wind(velocity);
        if self.in_tank.is_new || faster == DVec3::ZERO {
            return;
        }
        // The part of the engine's mass that stands for fluid is pushed by fluid, too.
        let of_engine = faster * (self.fluid_of_engine() / self.density);
        let (displaced, rotation) = (self.displaced, self.state.rotation.as_dquat().normalize());
        if let Some(surface) = &mut self.surface {
            let push = faster * displaced.volume;
            let torque = (rotation * displaced.centroid).cross(push);
            surface.of_tank = TankPush { faster, push: Pair { linear: push + of_engine, angular: torque } };
        }
    }

    /// True if the body was in another tank, or in none, in the last step.
    pub(crate) fn is_new_here(&self) -> bool {
        self.in_tank.is_new
    }

    /// Returns where the body is.
    pub(crate) fn in_tank(&self) -> &InTank {
        &self.in_tank
    }

    /// Forgets where the body has been.
    pub(crate) fn leave_tank(&mut self) {
        self.in_tank = InTank::default();
    }

    /// True if the acceleration of its tank acts on it as lift: flow acts on a sheet by itself.
    pub(crate) fn feels_tank_as_lift(&self) -> bool {
        self.in_tank.tank.is_some() && self.surface.is_none() && self.displaced.volume > 0.0
    }

    /// Returns the part of the engine's mass that stands for fluid \[kg\].
    fn fluid_of_engine(&self) -> f64 {
        if self.told_mass.is_finite() { self.fluid_mass } else { 0.0 }
    }

    /// Returns what it demands of a tank around it.
    pub(crate) fn demands(&self) -> Demands {
        let displaced = self.density * self.displaced.volume;
        let own = self.inertia_to_share().mass;
        if own.is_infinite() {
            // It does not answer.
            return Demands::default();
        }
        match self.moved_inertia().filter(|_| self.surface.is_some()) {
            Some(added) => {
                let added = self.density / 3.0 * trace(&added.linear);
                let faster = (displaced + self.fluid_of_engine() + added) / (own + added);
                Demands { pull: 0.0, burden: displaced * faster.max(1.0) }
            }
            None => {
                let is_lifted = self.buoyant_force != BuoyantForce::Off;
                let pull = if is_lifted { displaced * displaced / own } else { 0.0 };
                Demands { pull, burden: displaced }
            }
        }
    }

    /// Sets the demands of the bodies in its holes in this step.
    pub(crate) fn demand(&mut self, demands: Demands) {
        self.demands_inside = demands;
    }

    pub(crate) fn add_demand(&mut self, demands: Demands) {
        self.demands_inside = self.demands_inside.and(demands);
    }

    /// Returns the mass of shell and contents \[kg\]; infinite if impulses do not move the shell.
    fn mass_with_content(&self) -> f64 {
        let content = self.filling.as_ref().map_or(0.0, |filling| filling.content.mass_beside_engine());
        self.inertia_to_share().mass + content
    }

    /// Returns the acceleration of a room \[m/s²\] as bodies in it feel it: what the last two steps have in
    /// common, because a blow is over before the next step knows of it. A jump by more than `size` \[m\] in a
    /// step of `dt` \[s\] is none.
    pub(crate) fn acceleration_felt(&self, room: usize, size: f32, dt: f32) -> DVec3 {
        let lasting = self.lasting_acceleration(room);
        if lasting.length() * f64::from(dt * dt) >= f64::from(size) {
            return DVec3::ZERO;
        }
        lasting * self.demands_inside.share_of_lift(self.mass_with_content())
    }

    /// Returns the force of accelerated fluid on the body, with added mass, over that on the fluid that it
    /// displaces \[1\].
    pub(crate) fn response_in_tank(&self) -> f64 {
        let own = self.inertia_to_share().mass / (self.density * self.displaced.volume);
        if own.is_finite() { (1.0 + ADDED_MASS) * own / (own + ADDED_MASS) } else { 1.0 + ADDED_MASS }
    }

    /// Ends a step in a tank. Returns the impulse \[N s\] on the tank beyond that of fluid that moves with
    /// it: the momentum of the fluid in it is ρ (V v − V_b v_b).
    pub(crate) fn reaction_in_tank(&mut self) -> DVec3 {
        let velocity = self.state.velocity.as_dvec3();
        let InTank { velocity: last, before, .. } = self.in_tank;
        let got = self.impulse.linear - self.impulse.lift_linear - before;
        let faster = velocity - last.unwrap_or(velocity);
        self.in_tank.velocity = (!self.asleep).then_some(velocity);
        // The engine's mass answers for a part of the fluid (E69).
        faster * (self.density * self.displaced.volume + self.fluid_of_engine()) - got
    }

    /// Takes the reaction \[N s\] of a body at `place` \[m\], in the axes of this one, in a room.
    pub(crate) fn take_reaction(&mut self, reaction: DVec3, place: DVec3, room: &Room) {
        let share = self.demands_inside.share_of_reaction(self.mass_with_content());
        self.take_push(reaction * share, place, room);
    }

    /// Takes an impulse \[N s\] that the fluid at `place` \[m\], in the body's axes, in a room has got.
    pub(crate) fn take_push(&mut self, linear: DVec3, place: DVec3, room: &Room) {
        let rotation = self.state.rotation.as_dquat().normalize();
        let push = rotation.conjugate() * linear;
        let of_pressure = torque_of_pressure(room, place, push);
        let angular = rotation * (room.middle.as_dvec3().cross(push) + of_pressure);
        if !(linear.is_finite() && angular.is_finite()) {
            return;
        }
        let (is_moved, velocity) = (self.inertia_to_share().mass.is_finite(), self.moving().velocity);
        match self.filling.as_mut().filter(|_| is_moved) {
            Some(filling) => filling.content.give(Pair { linear, angular }, rotation, velocity),
            None => {
                self.impulse.linear += linear;
                self.impulse.angular += angular;
            }
        }
    }
}

/// Returns the torque, about the middle of a room, by which pressure on its walls passes on a push at
/// `place` \[m\], all in the body's axes: the push times the flow that the room's rotation drives there
/// (reciprocity). That flow is the one of an ellipsoid with the moments of the room; rooms of several holes
/// count as round.
fn torque_of_pressure(room: &Room, place: DVec3, push: DVec3) -> DVec3 {
    let mut holes = room.holes.shapes();
    let (Some(hole), None) = (holes.next(), holes.next()) else { return DVec3::ZERO };
    let turn = hole.pose.rotation.as_dquat().normalize();
    let back = turn.conjugate();
    let MassProperties { centroid, second_moment, .. } = hole.geometry.queries().mass_properties();
    let y = back * (place - hole.pose.position.as_dvec3()) - centroid;
    let f = back * push;
    let s = DVec3::new(second_moment.x_axis.x, second_moment.y_axis.y, second_moment.z_axis.z);
    let of_axis = |a: usize, b: usize| (s[a] - s[b]) / (s[a] + s[b]) * (f[a] * y[b] + f[b] * y[a]);
    let torque = turn * DVec3::new(of_axis(1, 2), of_axis(2, 0), of_axis(0, 1));
    if torque.is_finite() { torque } else { DVec3::ZERO }
}
