//! A rigid body that moves by itself: stands in for a physics engine in examples and tests, and is no more
//! than that. No collisions, no joints, no sleep.
//!
//! What is stored is what is conserved: velocity and angular momentum in the world. Spin is looked up from
//! them with the inertia tensor as the body is turned now.

use crate::body::{BodyDef, BodyState};
use crate::free_motion::Inertia;
use crate::ledger::Reaction;
use crate::shapes::MassProperties;
use fluid_core::math::rotation::unit;
use glam::{DMat3, DQuat, DVec3};

/// A body of constant mass and inertia, in f64.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Centre of mass \[m\].
    position: DVec3,
    /// Unit quaternion that turns the body's axes into the world's.
    rotation: DQuat,
    /// Of the centre of mass \[m/s\].
    velocity: DVec3,
    /// About the centre of mass, world axes \[kg m²/s\]; zero for what nothing turns.
    angular_momentum: DVec3,
    /// Spin \[rad/s\] of a body that nothing turns; zero for others.
    driven_spin: DVec3,
    mass: f64,
    /// About the centre of mass, body axes \[1/(kg m²)\]; zero for what nothing turns.
    inverse_inertia: DMat3,
    /// Applied since the last step \[N\].
    force: DVec3,
    /// Applied since the last step \[N m\].
    torque: DVec3,
}

impl RigidBody {
    /// As defined; its mass spread evenly over its shapes unless its inertia is told. Infinite mass: it moves
    /// on as it does, whatever pushes it. Without volume: nothing turns it.
    pub fn new(def: &BodyDef) -> Self {
        let solid = MassProperties::of(&def.shapes);
        let mass = f64::from(def.mass);
        let mut inverse_inertia = DMat3::ZERO;
        if let Some(inertia) = def.inertia.filter(|_| mass.is_finite()) {
            inverse_inertia = inertia.inverse();
        } else if mass.is_finite() && solid.volume > 0.0 {
            inverse_inertia = (solid.inertia_about_origin() * (mass / solid.volume)).inverse();
        }
        let mut body = Self {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            driven_spin: DVec3::ZERO,
            mass,
            inverse_inertia,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        };
        body.set_state(&def.state);
        body
    }

    /// Sets it down, moving as `state` says.
    pub fn set_state(&mut self, state: &BodyState) {
        self.position = state.position.as_dvec3();
        self.rotation = state.rotation.as_dquat().normalize();
        self.velocity = state.velocity.as_dvec3();
        let spin = state.angular_velocity.as_dvec3();
        if self.inverse_inertia == DMat3::ZERO {
            self.driven_spin = spin;
        } else {
            let turn = self.turn();
            self.angular_momentum = turn * (self.inverse_inertia.inverse() * (turn.transpose() * spin));
        }
    }

    /// How it moves, as fluids and pictures want it.
    pub fn state(&self) -> BodyState {
        BodyState {
            position: self.position.as_vec3(),
            rotation: unit(self.rotation.as_quat()),
            velocity: self.velocity.as_vec3(),
            angular_velocity: self.angular_velocity().as_vec3(),
        }
    }

    /// Centre of mass \[m\].
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Unit quaternion that turns the body's axes into the world's.
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Velocity of the centre of mass \[m/s\].
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Angular velocity \[rad/s\], world axes.
    pub fn angular_velocity(&self) -> DVec3 {
        let turn = self.turn();
        self.driven_spin + turn * (self.inverse_inertia * (turn.transpose() * self.angular_momentum))
    }

    /// Mass \[kg\]; may be infinite.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Momentum \[N s\]; zero for an infinite mass, which has no use for any.
    pub fn momentum(&self) -> DVec3 {
        if self.mass.is_finite() { self.velocity * self.mass } else { DVec3::ZERO }
    }

    /// Angular momentum \[N m s\] about the centre of mass, world axes; zero for what nothing turns.
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }

    /// Kinetic energy \[J\] of motion and spin; zero for an infinite mass.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.momentum().dot(self.velocity) + self.angular_momentum.dot(self.angular_velocity()))
    }

    /// A force \[N\] at the centre of mass over the next step.
    pub fn apply_force(&mut self, force: DVec3) {
        self.force += force;
    }

    /// A force \[N\] at a `place` \[m\] of the world over the next step.
    pub fn apply_force_at(&mut self, force: DVec3, place: DVec3) {
        self.force += force;
        self.torque += (place - self.position).cross(force);
    }

    /// A torque \[N m\] over the next step.
    pub fn apply_torque(&mut self, torque: DVec3) {
        self.torque += torque;
    }

    /// An impulse \[N s\] at the centre of mass, now.
    pub fn apply_impulse(&mut self, impulse: DVec3) {
        self.velocity += impulse / self.mass;
    }

    /// An impulse \[N s\] at a `place` \[m\] of the world, now.
    pub fn apply_impulse_at(&mut self, impulse: DVec3, place: DVec3) {
        self.apply_impulse(impulse);
        self.apply_impulsive_torque((place - self.position).cross(impulse));
    }

    /// An angular impulse \[N m s\] about the centre of mass, now.
    pub fn apply_impulsive_torque(&mut self, angular_impulse: DVec3) {
        if self.inverse_inertia != DMat3::ZERO {
            self.angular_momentum += angular_impulse;
        }
    }

    /// What the fluid has done to it, now. Heat is not this body's business.
    pub fn apply(&mut self, reaction: &Reaction) {
        self.apply_impulse(reaction.linear);
        self.apply_impulsive_torque(reaction.angular);
    }

    /// Moves on by `dt` \[s\] and forgets the forces. Semi-implicit, as engines for games are: forces change
    /// the velocity, which then moves the body. So it is ahead by half a step of what its velocity has
    /// changed: first order under forces, exact without. Free rotation is second order and keeps angular
    /// momentum to the bit, energy to round-off (while it turns less than about a radian per step).
    pub fn integrate(&mut self, dt: f64) {
        self.velocity += self.force * (dt / self.mass);
        self.position += self.velocity * dt;
        self.apply_impulsive_torque(self.torque * dt);
        let spin = self.driven_spin + self.mean_spin(dt);
        // Cayley's map of the mean spin: the rotation that goes with the midpoint rule.
        let half = spin * (0.5 * dt);
        self.rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * self.rotation).normalize();
        (self.force, self.torque) = (DVec3::ZERO, DVec3::ZERO);
    }

    /// Spin \[rad/s\] in the middle of the next `dt`.
    fn mean_spin(&self, dt: f64) -> DVec3 {
        if self.inverse_inertia == DMat3::ZERO {
            return DVec3::ZERO;
        }
        let inertia =
            Inertia { mass: self.mass, tensor: DMat3::ZERO, inverse: self.inverse_inertia, part: None };
        inertia.mean_spin(self.rotation, self.angular_momentum, dt)
    }

    fn turn(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }
}
