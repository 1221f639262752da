//! Definition of a body: state, properties, and checks of both.

use crate::pose::Pose;
use crate::shapes::Shape;
use fluid_core::constants::{MAX_BODY_SPEED, MAX_COORDINATE, MAX_SPIN};
use fluid_core::math::trace;
use fluid_core::params::ParamError;
use glam::{DMat3, DVec3, Quat, Vec3};

/// State of motion of a body, controlled by the physics engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Position of the centre of mass \[m\].
    pub position: Vec3,
    /// Unit quaternion from the body's axes to the world's.
    pub rotation: Quat,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity \[rad/s\], in the world's axes.
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
    /// Returns position and rotation.
    pub fn pose(&self) -> Pose {
        Pose { position: self.position, rotation: self.rotation }
    }

    /// True if the quaternion is of unit length, no coordinate exceeds [`MAX_COORDINATE`], no speed \[m/s\]
    /// exceeds [`MAX_BODY_SPEED`] and no angular velocity \[rad/s\] exceeds [`MAX_SPIN`].
    pub fn is_valid(&self) -> bool {
        // Written so that NaN is invalid.
        let within = |v: Vec3, most: f32| v.abs().max_element() <= most && v.is_finite();
        self.pose().is_valid()
            && within(self.position, MAX_COORDINATE)
            && within(self.velocity, MAX_BODY_SPEED)
            && within(self.angular_velocity, MAX_SPIN)
    }
}

/// Gravity and buoyancy of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BuoyantForce {
    /// Neither buoyancy nor weight.
    Off,
    /// Buoyancy: the weight of the displaced fluid. The engine applies the body's own weight.
    #[default]
    On,
    /// Buoyancy and the body's own weight, for engines that do not apply gravity.
    OnWithWeight,
}

fluid_core::saved::variants!(BuoyantForce { Off, On, OnWithWeight });

/// Destination of the energy that friction and impact dissipate between moving bodies and fluid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LostEnergy {
    /// Counted, then discarded.
    #[default]
    Counted,
    /// Counted, and converted to heat of the body.
    WarmsBody,
}

fluid_core::saved::variants!(LostEnergy { Counted, WarmsBody });

/// Definition of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDef {
    /// Shapes, in coordinates with the origin at the centre of mass. A body without shapes touches nothing.
    pub shapes: Vec<Shape>,
    /// Initial state of motion.
    pub state: BodyState,
    /// Mass \[kg\], positive. Impulses do not move a body of infinite mass; bodies with a half-space, mesh or
    /// height field must have it.
    pub mass: f32,
    /// Inertia tensor about the centre of mass \[kg m²\], in the body's axes: symmetric, positive definite,
    /// and no principal moment larger than the sum of the others. None distributes the mass evenly over the
    /// shapes.
    pub inertia: Option<DMat3>,
    /// Part of `mass` \[kg\] that stands for fluid around the body, or for the fluid in its holes, at least 0
    /// and less than `mass` (E69).
    /// What an engine does to a body in a step, by springs, joints and contacts, meets the inertia of that
    /// fluid at once; otherwise the fluid answers with the next impulse, and a light body on a stiff spring
    /// or in a chain gains energy, and a light tank loses its swing. At most the smallest added mass over all
    /// directions, or the mass of the fluid in the holes: more makes springs gain energy. It has no weight:
    /// the lift, unless it is off, balances it.
    pub fluid_mass: f32,
    /// The same part of `inertia` \[kg m²\], symmetric; at most the angular part of the added inertia, or the
    /// inertia about the centre of mass of fluid that fills the holes and turns with them as ideal flow.
    pub fluid_inertia: DMat3,
    /// Effect of gravity.
    pub buoyant_force: BuoyantForce,
    /// Temperature \[K\], positive.
    pub temperature: f32,
    /// Heat capacity C \[J/K\], positive; infinity keeps the temperature constant.
    pub heat_capacity: f32,
    /// Heat transfer coefficient h \[W/(m² K)\] between its surface and the fluid, at least 0; 0 insulates.
    pub heat_transfer: f32,
    /// Destination of the energy that friction and impact dissipate; its amount is
    /// [`BodyImpulse::lost_energy`](crate::ledger::BodyImpulse::lost_energy).
    pub lost_energy: LostEnergy,
    /// True if no fluid passes through the surface, whether or not vortons touch it, and the body moves the
    /// fluid around it as theory predicts (E51, E52): fluid makes way for it and closes behind it, the body
    /// has added mass, and vortons that touch it enforce no-slip (E56). Costs up to 2,300 sources. Ignored
    /// for bodies with holes, and for bodies of more parts than a sheet supports.
    pub no_through: bool,
    /// Drag coefficient, at least 0 \[1\]: force of the flow along itself, over that of its dynamic pressure
    /// on the body's mean cross-section, where no vorton touches the surface (E64). A ball has 0.47, a box
    /// 1. Rotation of impermeable bodies is braked likewise.
    pub drag_coefficient: f32,
    /// Coefficient k of the force k ρ V w × v on a body of volume V that spins at w and moves at v through
    /// the fluid, with or without vortons at the surface \[1\], at least 0; 3/8 for a ball of which the lift
    /// coefficient is its spin parameter w R/v (E64).
    pub magnus_coefficient: f32,
}

impl BodyDef {
    /// Upper bound of the coefficients of drag and of sideways force \[1\].
    pub const MOST_COEFFICIENT: f32 = 1000.0;
}

impl Default for BodyDef {
    /// 1 kg, insulating, 300 K, without shapes.
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            state: BodyState::default(),
            mass: 1.0,
            inertia: None,
            fluid_mass: 0.0,
            fluid_inertia: DMat3::ZERO,
            buoyant_force: BuoyantForce::default(),
            temperature: 300.0,
            heat_capacity: 1.0,
            heat_transfer: 0.0,
            lost_energy: LostEnergy::default(),
            no_through: false,
            drag_coefficient: 0.0,
            magnus_coefficient: 0.0,
        }
    }
}

/// Checks that the mass of a half-space or level geometry is infinite.
pub(super) fn check_mass_of_immovable(mass: f64) -> Result<(), ParamError> {
    let allowed = "infinite (in C: 0) for a body with a half-space, mesh or height field";
    ParamError::check(mass.is_infinite(), "mass", mass, allowed)
}

/// Part of a body's mass and inertia tensor that stands for fluid \[kg\], \[kg m²\].
pub(super) type FluidPart = (f64, DMat3);

/// Checks the part of these that stands for fluid.
pub(super) fn check_fluid_part(
    mass: f64,
    inertia: Option<DMat3>,
    (fluid_mass, fluid_inertia): FluidPart,
) -> Result<(), ParamError> {
    let allowed = "at least 0 and less than the mass, and 0 for a body that impulses do not move";
    let is_part = fluid_mass == 0.0 || mass.is_finite() && (0.0..mass).contains(&fluid_mass);
    ParamError::check(is_part, "fluid_mass", fluid_mass, allowed)?;
    if fluid_inertia == DMat3::ZERO {
        return Ok(());
    }
    let trace = trace(&fluid_inertia);
    let asymmetry = asymmetry(fluid_inertia);
    // A capsule has no added inertia about its axis.
    let slack = DMat3::from_diagonal(DVec3::splat(INERTIA_SLACK * trace));
    let valid = fluid_inertia.is_finite()
        && mass.is_finite()
        && asymmetry <= INERTIA_SLACK * trace
        && is_positive(symmetric(fluid_inertia) + slack);
    let allowed =
        "finite, symmetric and at least 0 about each axis, and 0 for a body that impulses do not move";
    ParamError::check(valid, "fluid_inertia", fluid_inertia, allowed)?;
    let is_less = inertia.is_none_or(|inertia| is_positive(symmetric(inertia) - symmetric(fluid_inertia)));
    ParamError::check(is_less, "fluid_inertia", fluid_inertia, "less than the inertia about each axis")
}

/// Checks that a half-space does not rotate.
pub(crate) fn check_spin_of_half_space(state: &BodyState) -> Result<(), ParamError> {
    let spin = state.angular_velocity;
    ParamError::check(spin == Vec3::ZERO, "angular_velocity", spin, "0 for a body that is a half-space")
}

/// Tolerance of the rules for inertia tensors, relative to the trace \[1\]: covers rounding to f32 and in
/// engines.
const INERTIA_SLACK: f64 = 1e-3;
/// Least principal moment of inertia, relative to the trace \[1\].
const LEAST_INERTIA: f64 = 1e-6;

/// Checks that an inertia tensor is physically possible.
pub(super) fn check_inertia(inertia: Option<DMat3>) -> Result<(), ParamError> {
    let Some(tensor) = inertia else { return Ok(()) };
    let trace = trace(&tensor);
    let asymmetry = asymmetry(tensor);
    let valid = tensor.is_finite() && trace > 0.0 && trace.is_finite() && asymmetry <= INERTIA_SLACK * trace;
    ParamError::check(valid, "inertia", tensor, "finite and symmetric, with a positive trace")?;
    let scaled = symmetric(tensor) * (1.0 / trace);
    let positive = is_positive(scaled - DMat3::from_diagonal(DVec3::splat(LEAST_INERTIA)));
    ParamError::check(positive, "inertia", tensor, "positive definite")?;
    // Second moments of the mass: each principal moment of inertia is the sum of two of them.
    let second_moments = DMat3::from_diagonal(DVec3::splat(0.5 + INERTIA_SLACK)) - scaled;
    ParamError::check(
        is_positive(second_moments),
        "inertia",
        tensor,
        "such that no principal moment is larger than the sum of the other two",
    )
}

/// Returns the largest difference between a tensor and its transpose.
fn asymmetry(tensor: DMat3) -> f64 {
    (tensor - tensor.transpose()).to_cols_array().into_iter().fold(0.0_f64, |a, b| a.max(b.abs()))
}

/// Returns the symmetric part.
pub(super) fn symmetric(tensor: DMat3) -> DMat3 {
    (tensor + tensor.transpose()) * 0.5
}

/// True if a symmetric matrix is positive definite: all leading minors are positive.
fn is_positive(m: DMat3) -> bool {
    let second = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && second > 0.0 && m.determinant() > 0.0
}
