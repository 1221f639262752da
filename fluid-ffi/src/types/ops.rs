//! Types and constants of operations.

use crate::handle::child_id;
use crate::memory::sized32;
use crate::types::VortonVec3;

/// A particle operation with its parameters. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonOpId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonOpId, "operation");

/// Relaxes the particle's velocity to the fluid's velocity times `gain`, at `rate`; `sample` selects the
/// sample point. Needs position and velocity.
pub const VORTON_OP_VELOCITY: u32 = 1;
/// Position += velocity * dt. Needs position and velocity.
pub const VORTON_OP_ADVECT: u32 = 2;
/// Velocity += vector * dt: gravity and other accelerations [m/s^2]. Needs velocity.
pub const VORTON_OP_ACCELERATE: u32 = 3;
/// Relaxes velocity to the constant `vector` [m/s] at `rate`. Needs velocity.
pub const VORTON_OP_WIND: u32 = 4;
/// Drags velocity towards the fluid's: linear drag `rate` [1/s] and quadratic drag `quadratic` [1/m], solved
/// exactly. Needs position and velocity.
pub const VORTON_OP_DRAG: u32 = 5;
/// Age += dt. Needs age.
pub const VORTON_OP_AGE: u32 = 6;
/// Kills particles older than max_age [s] (needs age; a lifetime stream replaces max_age by each particle's
/// own lifetime, where 0 dies at once) or than max_age_frames (needs birth frame).
pub const VORTON_OP_KILL: u32 = 7;
/// Emits particles into the memory between count and capacity, `rate` per second.
pub const VORTON_OP_EMIT: u32 = 8;
/// Computes the bounding box. Needs position.
pub const VORTON_OP_BOUNDS: u32 = 9;

/// Samples the fluid's density, temperature or dye at the particle: writes `quantity` to the stream `into`.
/// Needs position and that stream.
pub const VORTON_OP_SAMPLE_SCALAR: u32 = 10;
/// Relaxes the particle's angular velocity to the fluid's (half the vorticity) at `rate`; `sample` selects
/// the sample point. Integrates the orientation exactly, if there is such a stream. Needs position and
/// angular velocity.
pub const VORTON_OP_SPIN: u32 = 11;
/// Collides particles with bodies: a particle that entered a body on its path from position - velocity * dt
/// to position is moved back in front of the surface, and its velocity relative to the surface changes by
/// `restitution` and `friction`. Place it directly after ADVECT, after vorton_world_step with the same dt:
/// bodies move as in the last completed step. With a `mass`, bodies receive the momentum that particles lose,
/// with the next vorton_body_take_impulse. Needs position and velocity; writes VORTON_HIT and VORTON_NORMAL
/// if there are such streams.
pub const VORTON_OP_COLLIDE: u32 = 12;
/// Used in place of VELOCITY: adds eddies smaller than core_radius. Relaxes the particle's velocity to (fluid
/// velocity + `intensity` * eddy velocity) * `gain`, at `rate`. The eddy velocity follows from the local
/// strain rate [1/s], about 0.6 * core_radius * strain rate (Kolmogorov's spectrum over three octaves);
/// eddies are advected by the flow, and vanish in fluid at rest or in rigid rotation. Velocity is replaced,
/// so nothing accumulates from frame to frame; ADVECT and COLLIDE after it keep particles out of bodies as
/// usual. The strain rate is that of the flow as it is sampled (VortonWorldDef.field_sampling): between nodes
/// of the mesh a derivative of linear interpolation by default. Needs position and velocity.
pub const VORTON_OP_TURBULENCE: u32 = 13;

/// Marks the dead: VORTON_FLAG_DEAD in VORTON_FLAGS, or the byte of VORTON_ALIVE or VORTON_DEAD. Needs one of
/// these streams.
pub const VORTON_KILL_MARK: u32 = 0;
/// Writes the indices of the dead to VortonOpResult.kill_list, ascending.
pub const VORTON_KILL_LIST: u32 = 1;
/// Compacts the arrays, keeping the order; VortonOpResult.count is the new count. Needs element_size or
/// packed streams.
pub const VORTON_KILL_COMPACT: u32 = 2;

/// Samples the fluid halfway along the particle's path, so that VELOCITY then ADVECT is second order in time.
/// The default.
pub const VORTON_AT_MIDPOINT: u32 = 0;
/// Samples the fluid at the particle's position: half the cost, first order.
pub const VORTON_AT_PARTICLE: u32 = 1;

/// All particles of a frame are born at its end. The default.
pub const VORTON_EMIT_AT_ONCE: u32 = 0;
/// Births are spread evenly over the frame: a fast emitter leaves a line instead of puffs.
pub const VORTON_EMIT_EVEN: u32 = 1;

/// Most operations in one list.
pub const VORTON_MAX_OPS: u32 = 32;

/// Random value that emission writes into one attribute: value + spread * (u - 1/2), with u uniform in [0, 1)
/// for each component.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonEmitValue {
    /// The attribute, a stream of the view.
    pub semantic: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// Centre of the values; scalars use the first element.
    pub value: [f64; 3],
    /// Full width of the random part.
    pub spread: [f32; 3],
    /// Reserved: 0.
    pub reserved2: u32,
}

/// Definition of an operation. Fill it with vorton_op_def_init, then change the fields that the type uses.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonOpDef {
    /// sizeof(VortonOpDef); set by vorton_op_def_init.
    pub struct_size: u32,
    /// VORTON_OP_...
    pub r#type: u32,
    /// ACCELERATE [m/s^2], WIND [m/s].
    pub vector: VortonVec3,
    /// VELOCITY, TURBULENCE, WIND and SPIN: rate of exponential relaxation [1/s], VORTON_RATE_AT_ONCE by
    /// default; DRAG [1/s]; EMIT: particles per second.
    pub rate: f32,
    /// DRAG: deceleration per squared velocity difference [1/m]. Default 0.
    pub quadratic: f32,
    /// VELOCITY, TURBULENCE and SPIN: VORTON_AT_...
    pub sample: u32,
    /// KILL: VORTON_KILL_...
    pub kill_mode: u32,
    /// KILL: age [s]; 0: not by age. A lifetime stream overrides it for each particle.
    pub max_age: f32,
    /// KILL: age in frames; 0: not by frames.
    pub max_age_frames: u32,
    /// EMIT: number of values.
    pub value_count: u32,
    /// EMIT: VORTON_EMIT_...
    pub timing: u32,
    /// SAMPLE_SCALAR: VORTON_SAMPLE_DENSITY (the default), _DENSITY_DEVIATION, _TEMPERATURE or _DYE.
    pub quantity: u32,
    /// SAMPLE_SCALAR: VORTON_DENSITY, VORTON_TEMPERATURE or a user attribute, each for any quantity. 0 (the
    /// default): the stream named after the quantity; dye goes to VORTON_USER0.
    pub into: u32,
    /// TURBULENCE: factor on the eddy velocity, at least 0; 1 (the default): as in Kolmogorov's spectrum.
    pub intensity: f32,
    /// EMIT: attributes of new particles; copied. Attributes without a value are set to 0 (age: see timing;
    /// lifetime: infinite; orientation: identity, and it accepts no value).
    pub values: *const VortonEmitValue,
    /// EMIT: seed of the random numbers. TURBULENCE: the same seed gives the same eddies; tracers use 1 (the
    /// default).
    pub seed: u64,
    /// COLLIDE: coefficient of restitution, 0 to 1: normal speed after the collision over normal speed
    /// before. Default 0.
    pub restitution: f32,
    /// COLLIDE: fraction of the tangential speed that a collision removes, 0 (slides, the default) to 1
    /// (sticks).
    pub friction: f32,
    /// COLLIDE: mass of one particle [kg]. Default 0: no reaction on bodies.
    pub mass: f32,
    /// VELOCITY, TURBULENCE: factor on the velocity, any finite number: to convert m/s to your unit of
    /// velocity (0.001 for metres per millisecond), or to scale the effect of the flow. The sample point does
    /// not depend on it; ADVECT and COLLIDE expect velocities in m/s. Default 1.
    pub gain: f32,
}

sized32!(VortonOpDef);
