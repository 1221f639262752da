//! Types and constants of bodies.

use crate::handle::child_id;
use crate::memory::sized32;
use crate::status::*;
use crate::types::{VortonQuat, VortonVec3, saturated, saturated64};
use fluid_bodies::ledger::BodyImpulse;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::constants::{MAX_BODY_SPEED, MAX_COORDINATE, MAX_SPIN};
use glam::DVec3;

/// A body. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonBodyId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonBodyId, "body");

/// Bit of VortonBodyDef.flags: the impulses also contain the body's own weight (mass *
/// VortonWorldDef.gravity). For hosts that do not apply gravity themselves; otherwise the weight would count
/// twice.
pub const VORTON_BODY_WEIGHT: u32 = 1;
/// Bit of VortonBodyDef.flags: no buoyancy (the weight of the displaced fluid). Cannot be combined with
/// VORTON_BODY_WEIGHT.
pub const VORTON_BODY_NO_BUOYANT_FORCE: u32 = 2;
/// Bit of VortonBodyDef.flags: the kinetic energy that body and fluid lose by friction
/// (VortonBodyImpulse.lost_energy) warms the body.
pub const VORTON_BODY_FRICTION_WARMS: u32 = 4;
/// Bit of VortonBodyDef.flags: the body's surface is impermeable, whether or not vortons touch it, and the
/// moving body displaces the fluid around it. The body also has added mass, so light bodies rise and fall
/// as they do in water; the impulses contain it, and the host does nothing for it (for light bodies on
/// springs and joints, see VortonBodyDef.fluid_mass). Where vortons touch the body, the no-slip condition
/// holds: the body is braked, sheds a wake and drags fluid along as it turns. Elsewhere the fluid slips.
/// Creating a shape of the body then takes 1 to 50 ms, unless a body of the world has the same shapes, or
/// had them lately, and each step has up to 2,300 more sources: use it for bodies that are large compared
/// to the core radius. No effect on bodies with holes, half-spaces, and bodies of more than about 30
/// shapes. The flow of other sources acts less on a body that in a step moves by more than half of its
/// largest half extent (of a ball half of the radius), or turns by more than a third of a radian; no
/// rotation is gained from the body's own flow then.
pub const VORTON_BODY_NO_THROUGH: u32 = 8;

/// Motion state of a body from the physics engine, with vectors in the world's axes. Has no struct_size, so
/// it can be embedded in your own structs.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonBodyState {
    /// Position of the centre of mass [m].
    pub position: VortonVec3,
    /// Orientation: turns the body's axes into the world's.
    pub rotation: VortonQuat,
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    pub velocity: VortonVec3,
    /// Angular velocity [rad/s], at most VORTON_MAX_SPIN.
    pub angular_velocity: VortonVec3,
}

/// Impulses and heat from the fluid to a body since they were last taken: apply them to the engine's body
/// before the engine's step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonBodyImpulse {
    /// Impulse [N s], lift included, to be applied at the centre of mass: velocity += linear / mass.
    pub linear: VortonVec3,
    /// Angular impulse [N m s] about the centre of mass, in the world's axes, lift included.
    pub angular: VortonVec3,
    /// Heat [J] received by the body; negative: given off.
    pub heat: f32,
    /// Kinetic energy [J] that body and fluid have lost to friction and impact.
    pub lost_energy: f32,
    /// Present temperature of the body [K].
    pub temperature: f32,
    /// Vortons in contact with its surface, counted in each step, and host particles that hit it
    /// (VORTON_OP_COLLIDE).
    pub hits: u32,
    /// The part of `linear` due to gravity [N s]: lift, the body's weight with VORTON_BODY_WEIGHT, and the
    /// weight of the fluid in its hole. It acts in every step, also on a body that floats at rest, where the
    /// engine's gravity balances it: it is no reason to wake a body. The remainder, linear - lift_linear, is
    /// the push from vortons, accelerated fluid (as in a tank that accelerates; the tank gets the push of
    /// what is in it) and particles. Fluid at rest exerts no push on a body at rest.
    /// (Exception: a body held by a floor or a joint receives a push in its first frame with
    /// VORTON_BODY_NO_THROUGH, and a decreasing push in its first twenty frames with a hole: until the
    /// library has detected the support, it treats the fluid around or in the body as falling with it.)
    pub lift_linear: VortonVec3,
    /// The part of `angular` due to gravity [N m s].
    pub lift_angular: VortonVec3,
}

impl VortonBodyState {
    pub(crate) fn checked(&self) -> Outcome<BodyState> {
        Ok(BodyState {
            position: at_most(self.position.checked("position")?, MAX_COORDINATE, "position", "m")?,
            rotation: self.rotation.checked("rotation")?,
            velocity: at_most(self.velocity.checked("velocity")?, MAX_BODY_SPEED, "velocity", "m/s")?,
            angular_velocity: at_most(
                self.angular_velocity.checked("angular_velocity")?,
                MAX_SPIN,
                "angular_velocity",
                "rad/s",
            )?,
        })
    }

    pub(crate) fn of(state: &BodyState) -> Self {
        let [x, y, z, w] = state.rotation.to_array();
        Self {
            position: state.position.into(),
            rotation: VortonQuat { x, y, z, w },
            velocity: state.velocity.into(),
            angular_velocity: state.angular_velocity.into(),
        }
    }
}

impl VortonBodyImpulse {
    pub(crate) fn of(impulse: &BodyImpulse, temperature: f64) -> Self {
        let vector = |v: DVec3| VortonVec3::from(v.map(saturated64).as_vec3());
        Self {
            linear: vector(impulse.linear),
            angular: vector(impulse.angular),
            heat: saturated(impulse.heat),
            lost_energy: saturated(impulse.lost_energy),
            temperature: saturated(temperature),
            hits: impulse.hits,
            lift_linear: vector(impulse.lift_linear),
            lift_angular: vector(impulse.lift_angular),
        }
    }
}

/// Definition of a body. Fill it with vorton_body_def_init, change the fields you need, create the body, and
/// add shapes with vorton_shape_create.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonBodyDef {
    /// sizeof(VortonBodyDef); set by vorton_body_def_init.
    pub struct_size: u32,
    /// VORTON_BODY_... bits, or 0 (the default).
    pub flags: u32,
    /// Position of the centre of mass [m].
    pub position: VortonVec3,
    /// Orientation: turns the body's axes into the world's.
    pub rotation: VortonQuat,
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    pub velocity: VortonVec3,
    /// Angular velocity [rad/s], in the world's axes, at most VORTON_MAX_SPIN.
    pub angular_velocity: VortonVec3,
    /// Mass [kg], as in the engine. 0: impulses do not move the body (static or kinematic); they can still be
    /// taken. Default 1. The fluid expects a body of this mass and `inertia` to recoil under its impulses: a
    /// heavy body stops the fluid, a light body moves along with it.
    pub mass: f32,
    /// Temperature [K], positive. Default 300.
    pub temperature: f32,
    /// Heat capacity [J/K]: mass times specific heat; 0: the temperature is constant. Default 1.
    pub heat_capacity: f32,
    /// Heat transfer coefficient [W/(m^2 K)] between the surface and the fluid that touches it; 0 (the
    /// default) insulates.
    pub heat_transfer: f32,
    /// Inertia tensor [kg m^2] about the centre of mass, in the body's axes: 3 x 3, symmetric, positive
    /// definite, and no principal moment larger than the sum of the other two. All 0 (the default): computed
    /// for a mass spread evenly over the shapes, which for a body with ballast or a light shell may be wrong
    /// by a large factor.
    pub inertia: [f32; 9],
    /// User data, stored and never interpreted: see vorton_body_user_data. Default 0.
    pub user_data: u64,
    /// Drag coefficient, from 0 (the default) to 1000: force of the flow along itself, over that of its
    /// dynamic pressure on a quarter of the surface area, which is the mean cross-section of a convex body.
    /// It acts at the centre of mass, where no vorton touches the surface: drag that vortons do not resolve.
    /// A ball has 0.47, a cube about 1, a parachute 1.5; above 2 the wake moves on almost as fast as the
    /// body, which then falls faster than by the coefficient. The momentum goes into vortex rings in the
    /// wake, one for each width of the body that the fluid has moved past it, of 8 to 64 vortons: set
    /// VortonWorldDef.max_age, or they fill max_vortons. Rotation of bodies with VORTON_BODY_NO_THROUGH is
    /// braked likewise; of balls and about an axis of symmetry it is not. Ignored for bodies with holes,
    /// half-spaces, meshes and height fields.
    pub drag_coefficient: f32,
    /// Coefficient k of the sideways (Magnus) force k rho V (w x v) on a body of volume V that spins at w and
    /// moves at v relative to fluid of density rho, from 0 (the default) to 1000, whether vortons touch the
    /// surface or not. At most that of a surface as fast as v. A ball has about 0.4; its momentum as that of
    /// drag.
    pub magnus_coefficient: f32,
    /// Part of `mass` [kg] that stands for fluid around the body: 0 (the default), or up to the smallest
    /// added mass over all directions, for a shape with its axes along the body's
    /// VortonWorldDef.ambient_density times the smallest of values 0, 6 and 11 of vorton_shape_added_inertia.
    /// An engine's springs, joints and contacts then meet that inertia at once, as in real fluid; otherwise
    /// the fluid answers them with the next impulse, and light bodies on stiff springs or in chains gain
    /// energy. It has no weight: the lift, without VORTON_BODY_NO_BUOYANT_FORCE, balances it. For bodies with
    /// VORTON_BODY_NO_THROUGH, and for bodies with holes, with or without that flag, where it stands for the
    /// fluid in the holes: up to VortonWorldDef.ambient_density times the volume of all holes, if their
    /// centre of mass is at the body's; if it is not, springs and joints may gain energy. Less than `mass`, 0
    /// if `mass` is 0.
    pub fluid_mass: f32,
    /// The same part of `inertia` [kg m^2], 3 x 3, symmetric: all 0 (the default), or up to the angular part
    /// of the added inertia. For holes, up to the inertia of their fluid as it flows while the walls turn:
    /// the masses of compartments times the squares of their distances from each axis, and about its own
    /// middle 0 for a ball and .16 of a solid's for a cube. Larger values are not refused, and springs gain
    /// energy. Less than `inertia` about each axis, if that is set.
    pub fluid_inertia: [f32; 9],
}

impl Default for VortonBodyDef {
    fn default() -> Self {
        let BodyDef { mass, temperature, heat_capacity, heat_transfer, .. } = BodyDef::default();
        Self {
            struct_size: size_of::<Self>() as u32,
            flags: 0,
            position: VortonVec3::ZERO,
            rotation: VortonQuat::IDENTITY,
            velocity: VortonVec3::ZERO,
            angular_velocity: VortonVec3::ZERO,
            mass,
            temperature,
            heat_capacity,
            heat_transfer,
            inertia: [0.0; 9],
            user_data: 0,
            drag_coefficient: 0.0,
            magnus_coefficient: 0.0,
            fluid_mass: 0.0,
            fluid_inertia: [0.0; 9],
        }
    }
}

sized32!(VortonBodyDef);
