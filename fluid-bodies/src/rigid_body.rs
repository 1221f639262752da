//! A minimal rigid body that replaces a physics engine in examples and tests. No collisions, no joints, no
//! sleep.
//!
//! The state consists of the conserved quantities: velocity and angular momentum in the world. The spin
//! follows from the angular momentum and the inertia tensor at the present rotation.

use crate::body::{BodyDef, BodyState};
use crate::free_motion::Inertia;
use crate::ledger::BodyImpulse;
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
    /// Velocity of the centre of mass \[m/s\].
    velocity: DVec3,
    /// Angular momentum about the centre of mass, world axes \[kg m²/s\]; zero if the body cannot be turned.
    angular_momentum: DVec3,
    /// Spin \[rad/s\] of a body that cannot be turned; zero for others.
    driven_spin: DVec3,
    mass: f64,
    /// Inverse inertia about the centre of mass, body axes \[1/(kg m²)\]; zero if the body cannot be turned.
    inverse_inertia: DMat3,
    /// Force applied since the last step \[N\].
    force: DVec3,
    /// Torque applied since the last step \[N m\].
    torque: DVec3,
}

impl RigidBody {
    /// Creates a body from its definition, with the mass distributed evenly over its shapes unless an inertia
    /// is given. A body of infinite mass keeps its motion, whatever pushes it. A body without volume or given
    /// inertia cannot be turned.
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

    /// Sets position, rotation and velocities.
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

    /// Returns the state in the form used by the fluid and by graphics.
    pub fn state(&self) -> BodyState {
        BodyState {
            position: self.position.as_vec3(),
            rotation: unit(self.rotation.as_quat()),
            velocity: self.velocity.as_vec3(),
            angular_velocity: self.angular_velocity().as_vec3(),
        }
    }

    /// Returns the centre of mass \[m\].
    pub fn position(&self) -> DVec3 {
        self.position
    }

    /// Returns the unit quaternion from the body's axes to the world's.
    pub fn rotation(&self) -> DQuat {
        self.rotation
    }

    /// Returns the velocity of the centre of mass \[m/s\].
    pub fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// Returns the angular velocity \[rad/s\], world axes.
    pub fn angular_velocity(&self) -> DVec3 {
        let turn = self.turn();
        self.driven_spin + turn * (self.inverse_inertia * (turn.transpose() * self.angular_momentum))
    }

    /// Returns the mass \[kg\]; may be infinite.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Returns the momentum \[N s\]; zero for an infinite mass.
    pub fn momentum(&self) -> DVec3 {
        if self.mass.is_finite() { self.velocity * self.mass } else { DVec3::ZERO }
    }

    /// Returns the angular momentum \[N m s\] about the centre of mass, world axes; zero if the body cannot
    /// be turned.
    pub fn angular_momentum(&self) -> DVec3 {
        self.angular_momentum
    }

    /// Returns the kinetic energy \[J\] of motion and spin; zero for an infinite mass.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.momentum().dot(self.velocity) + self.angular_momentum.dot(self.angular_velocity()))
    }

    /// Applies a force \[N\] at the centre of mass over the next step.
    pub fn apply_force(&mut self, force: DVec3) {
        self.force += force;
    }

    /// Applies a force \[N\] at a `place` \[m\] in the world over the next step.
    pub fn apply_force_at(&mut self, force: DVec3, place: DVec3) {
        self.force += force;
        self.torque += (place - self.position).cross(force);
    }

    /// Applies a torque \[N m\] over the next step.
    pub fn apply_torque(&mut self, torque: DVec3) {
        self.torque += torque;
    }

    /// Applies an impulse \[N s\] at the centre of mass, immediately.
    pub fn apply_impulse(&mut self, impulse: DVec3) {
        self.velocity += impulse / self.mass;
    }

    /// Applies an impulse \[N s\] at a `place` \[m\] in the world, immediately.
    pub fn apply_impulse_at(&mut self, impulse: DVec3, place: DVec3) {
        self.apply_impulse(impulse);
        self.apply_impulsive_torque((place - self.position).cross(impulse));
    }

    /// Applies an angular impulse \[N m s\] about the centre of mass, immediately.
    pub fn apply_impulsive_torque(&mut self, angular_impulse: DVec3) {
        if self.inverse_inertia != DMat3::ZERO {
            self.angular_momentum += angular_impulse;
        }
    }

    /// Applies the fluid's impulses, immediately. The body has no temperature, so heat is ignored.
    pub fn apply(&mut self, impulse: &BodyImpulse) {
        self.apply_impulse(impulse.linear);
        self.apply_impulsive_torque(impulse.angular);
    }

    /// Advances the body by `dt` \[s\] and clears the forces. Semi-implicit, as in game engines: forces
    /// change the velocity, which then moves the body. The position is therefore ahead by half a step times
    /// the change of velocity: first order under forces, exact without. Free rotation is second order and
    /// keeps angular momentum to the bit, energy to round-off (while it turns less than about a radian per
    /// step).
    pub fn integrate(&mut self, dt: f64) {
        self.velocity += self.force * (dt / self.mass);
        self.position += self.velocity * dt;
        self.apply_impulsive_torque(self.torque * dt);
        let spin = self.driven_spin + self.mean_spin(dt);
        // Cayley transform of the mean spin: the rotation that belongs to the midpoint rule.
        let half = spin * (0.5 * dt);
        self.rotation = (DQuat::from_xyzw(half.x, half.y, half.z, 1.0) * self.rotation).normalize();
        (self.force, self.torque) = (DVec3::ZERO, DVec3::ZERO);
    }

    /// Returns the spin \[rad/s\] at the middle of the next `dt`.
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
