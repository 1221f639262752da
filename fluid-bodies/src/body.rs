//! One body: what the engine says of it, and what the fluid keeps for it.

use crate::ledger::{Bound, Reaction};
use crate::pose::Pose;
use crate::shapes::{MassProperties, Shape};
use glam::{DMat3, DVec3, Quat, Vec3};

/// How a body moves. The physics engine's to say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Where its centre of mass is \[m\].
    pub position: Vec3,
    /// Unit quaternion that turns its axes into the world's.
    pub rotation: Quat,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\], about the world's axes.
    pub angular_velocity: Vec3,
}

impl Default for BodyState {
    /// At rest at the origin.
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }
}

impl BodyState {
    /// Where it is.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// True if all is finite and the quaternion of unit length.
    pub fn is_valid(&self) -> bool {
        self.pose().is_valid() && self.velocity.is_finite() && self.angular_velocity.is_finite()
    }
}

/// What gravity and the fluid's density do to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BuoyantForce {
    /// Nothing.
    Off,
    /// The fluid lifts it by the weight of what it displaces. Its own weight is the engine's business.
    #[default]
    On,
    /// That, and its own weight: for an engine without gravity.
    OnWithWeight,
}

/// Where the energy goes that moving bodies and fluid lose to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Friction {
    /// It is counted, and gone.
    #[default]
    Counted,
    /// It is counted, and warms the body.
    WarmsBody,
}

/// What a body is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDef {
    /// Its shapes, in coordinates whose origin is its centre of mass. Without any, it touches nothing.
    pub shapes: Vec<Shape>,
    /// How it moves at first.
    pub state: BodyState,
    /// Mass \[kg\], positive; infinity: nothing moves it.
    pub mass: f32,
    /// What gravity does.
    pub buoyant_force: BuoyantForce,
    /// Temperature \[K\], positive.
    pub temperature: f32,
    /// Heat capacity C \[J/K\], positive; infinity: its temperature stays.
    pub heat_capacity: f32,
    /// Heat transfer coefficient h \[W/(m² K)\] between its surface and the fluid, at least 0; 0 insulates.
    pub heat_transfer: f32,
    /// Where lost energy goes.
    pub friction: Friction,
}

impl Default for BodyDef {
    /// 1 kg, insulating, 300 K, no shapes yet.
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            state: BodyState::default(),
            mass: 1.0,
            buoyant_force: BuoyantForce::default(),
            temperature: 300.0,
            heat_capacity: 1.0,
            heat_transfer: 0.0,
            friction: Friction::default(),
        }
    }
}

/// A body in the fluid.
#[derive(Debug, Clone)]
pub struct Body {
    pub(crate) state: BodyState,
    pub(crate) mass: f64,
    /// Volume, centroid and second moments of all shapes.
    pub(crate) displaced: MassProperties,
    /// Area of the surface \[m²\].
    pub(crate) area: f64,
    pub(crate) buoyant_force: BuoyantForce,
    pub(crate) temperature: f64,
    pub(crate) heat_capacity: f64,
    pub(crate) heat_transfer: f64,
    pub(crate) friction: Friction,
    pub(crate) bound: Bound,
    pub(crate) reaction: Reaction,
}

impl Body {
    /// Speed \[m/s\] that an angular impulse \[N m s\] gives to its surface.
    pub(crate) fn surface_speed_from(&self, angular: DVec3) -> f64 {
        self.spin_from(angular).length() * libm::cbrt(0.75 * self.displaced.volume / std::f64::consts::PI)
    }

    /// Angular velocity \[rad/s\] that an angular impulse \[N m s\] gives to it, as if its mass were spread evenly over its shapes.
    pub(crate) fn spin_from(&self, angular: DVec3) -> DVec3 {
        if self.mass.is_infinite() || self.displaced.volume == 0.0 {
            return DVec3::ZERO;
        }
        let inertia = self.displaced.inertia() * (self.mass / self.displaced.volume);
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        turn * (inertia.inverse() * (turn.transpose() * angular))
    }
}
