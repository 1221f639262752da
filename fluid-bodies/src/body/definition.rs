//! What an engine says of a body: how it moves, what it is made from, and whether there may be such a body.

use crate::pose::Pose;
use crate::shapes::Shape;
use fluid_core::constants::{MAX_BODY_SPEED, MAX_COORDINATE, MAX_SPIN};
use fluid_core::params::ParamError;
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

fluid_core::saved::fields!(BodyState { position, rotation, velocity, angular_velocity } check is_valid);

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

    /// True if the quaternion is of unit length, no coordinate above [`MAX_COORDINATE`], and no speed \[m/s\]
    /// above [`MAX_BODY_SPEED`] or angular velocity \[rad/s\] above [`MAX_SPIN`].
    pub fn is_valid(&self) -> bool {
        // Written so that what is not a number is not valid.
        let within = |v: Vec3, most: f32| v.abs().max_element() <= most && v.is_finite();
        self.pose().is_valid()
            && within(self.position, MAX_COORDINATE)
            && within(self.velocity, MAX_BODY_SPEED)
            && within(self.angular_velocity, MAX_SPIN)
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

fluid_core::saved::variants!(BuoyantForce { Off, On, OnWithWeight });

/// Where the energy goes that moving bodies and fluid lose to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Friction {
    /// It is counted, and gone.
    #[default]
    Counted,
    /// It is counted, and warms the body.
    WarmsBody,
}

fluid_core::saved::variants!(Friction { Counted, WarmsBody });

/// What a body is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDef {
    /// Its shapes, in coordinates whose origin is its centre of mass. Without any, it touches nothing.
    pub shapes: Vec<Shape>,
    /// How it moves at first.
    pub state: BodyState,
    /// Mass \[kg\], positive; infinity: nothing moves it, as it must be with a half-space.
    pub mass: f32,
    /// Inertia tensor about the centre of mass \[kg m²\], in the body's axes: symmetric, positive definite,
    /// and no principal moment larger than the sum of the others. None: the mass is spread evenly over the
    /// shapes.
    pub inertia: Option<DMat3>,
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
    /// True if no fluid goes through its surface, whether or not vortons touch it, and it moves the fluid
    /// around it as theory says (E51, E52): fluid makes way for it and closes behind it, it has added mass,
    /// and fluid sticks to it where vortons touch it (E56). Costs up to 2,048 sources. Bodies with holes, and
    /// those of more parts than a sheet has room for, do without.
    pub no_through: bool,
}

impl Default for BodyDef {
    /// 1 kg, insulating, 300 K, no shapes yet.
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            state: BodyState::default(),
            mass: 1.0,
            inertia: None,
            buoyant_force: BuoyantForce::default(),
            temperature: 300.0,
            heat_capacity: 1.0,
            heat_transfer: 0.0,
            friction: Friction::default(),
            no_through: false,
        }
    }
}

/// Checks that nothing moves a half-space or level geometry.
pub(super) fn check_mass_of_immovable(mass: f64) -> Result<(), ParamError> {
    let allowed = "infinite (in C: 0) for a body with a half-space, mesh or height field";
    ParamError::check(mass.is_infinite(), "mass", mass, allowed)
}

/// Checks that a half-space does not turn by itself.
pub(crate) fn check_spin_of_half_space(state: &BodyState) -> Result<(), ParamError> {
    let spin = state.angular_velocity;
    ParamError::check(spin == Vec3::ZERO, "angular_velocity", spin, "0 for a body that is a half-space")
}

/// How much an inertia tensor may break its rules, as a share of its trace \[1\]: what f32 and engines leave
/// of them.
const INERTIA_SLACK: f64 = 1e-3;
/// Least principal moment of inertia, as a share of the trace \[1\].
const LEAST_INERTIA: f64 = 1e-6;

/// Checks that there may be a body with this inertia tensor.
pub(super) fn check_inertia(inertia: Option<DMat3>) -> Result<(), ParamError> {
    let Some(tensor) = inertia else { return Ok(()) };
    let trace = tensor.x_axis.x + tensor.y_axis.y + tensor.z_axis.z;
    let asymmetry =
        (tensor - tensor.transpose()).to_cols_array().into_iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let valid = tensor.is_finite() && trace > 0.0 && trace.is_finite() && asymmetry <= INERTIA_SLACK * trace;
    ParamError::check(valid, "inertia", tensor, "finite and symmetric, with a positive trace")?;
    let scaled = symmetric(tensor) * (1.0 / trace);
    let positive = is_positive(scaled - DMat3::from_diagonal(DVec3::splat(LEAST_INERTIA)));
    ParamError::check(positive, "inertia", tensor, "positive definite")?;
    // The second moments of the mass: each principal moment is the sum of two of them.
    let second_moments = DMat3::from_diagonal(DVec3::splat(0.5 + INERTIA_SLACK)) - scaled;
    ParamError::check(
        is_positive(second_moments),
        "inertia",
        tensor,
        "such that no principal moment is larger than the sum of the other two",
    )
}

/// The symmetric part.
pub(super) fn symmetric(tensor: DMat3) -> DMat3 {
    (tensor + tensor.transpose()) * 0.5
}

/// True if a symmetric matrix is positive definite: all leading minors are positive.
fn is_positive(m: DMat3) -> bool {
    let second = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && second > 0.0 && m.determinant() > 0.0
}
