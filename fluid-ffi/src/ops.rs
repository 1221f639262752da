//! Particle operations over the host's own arrays (the articles' ParticleOperation).

use crate::guard;
use crate::handle::{child_id, stale};
use crate::memory::{check_array, check_output, read_def, sized32, slice, write, write_sized};
use crate::names::in_c;
use crate::op_result::VortonOpResult;
use crate::sample::{VORTON_SAMPLE_DENSITY, scalar_quantity};
use crate::status::*;
use crate::types::VortonVec3;
use crate::view::{
    VORTON_DENSITY, VORTON_TEMPERATURE, VORTON_USER0, VortonParticleView, view_overlaps, with_view,
};
use crate::world::{Published, VortonWorldId, World, with_world};
use fluid_bodies::ledger::Reaction;
use fluid_particles::ops::*;
use fluid_particles::view::{ParticleView, Semantic};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

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
pub const VORTON_OP_BODIES: u32 = 12;
/// Used in place of VELOCITY: adds eddies smaller than core_radius. Relaxes the particle's velocity to (fluid
/// velocity + `intensity` * eddy velocity) * `gain`, at `rate`. The eddy velocity follows from the local
/// strain rate [1/s], about 0.6 * core_radius * strain rate (Kolmogorov's spectrum over three octaves);
/// eddies are advected by the flow, and vanish in fluid at rest or in rigid rotation. Velocity is replaced,
/// so nothing accumulates from frame to frame; ADVECT and BODIES after it keep particles out of bodies as
/// usual. The flow is sampled by the quadratic spline whatever VortonWorldDef.field_sampling says, so even
/// without eddies it differs from VELOCITY by the error of linear interpolation. Needs position and velocity.
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

/// A rate so large that the change is complete within any step. (Written out in cbindgen.toml: cbindgen would
/// drop the suffix of the float.)
const VORTON_RATE_AT_ONCE: f32 = f32::MAX;

/// The last user attribute.
const LAST_USER: u32 = VORTON_USER0 + 15;

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
    /// BODIES: coefficient of restitution, 0 to 1: normal speed after the collision over normal speed before.
    /// Default 0.
    pub restitution: f32,
    /// BODIES: fraction of the tangential speed that a collision removes, 0 (slides, the default) to 1
    /// (sticks).
    pub friction: f32,
    /// BODIES: mass of one particle [kg]. Default 0: no reaction on bodies.
    pub mass: f32,
    /// VELOCITY, TURBULENCE: factor on the velocity, any finite number: to convert m/s to your unit of
    /// velocity (0.001 for metres per millisecond), or to scale the effect of the flow. The sample point does
    /// not depend on it; ADVECT and BODIES expect velocities in m/s. Default 1.
    pub gain: f32,
}

impl VortonOpDef {
    fn default_of(r#type: u32) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            r#type,
            vector: VortonVec3::ZERO,
            rate: match r#type {
                VORTON_OP_VELOCITY | VORTON_OP_TURBULENCE | VORTON_OP_WIND | VORTON_OP_SPIN => {
                    VORTON_RATE_AT_ONCE
                }
                VORTON_OP_EMIT => 60.0,
                _ => 0.0,
            },
            quadratic: 0.0,
            sample: VORTON_AT_MIDPOINT,
            kill_mode: VORTON_KILL_MARK,
            max_age: 0.0,
            max_age_frames: 0,
            value_count: 0,
            timing: VORTON_EMIT_AT_ONCE,
            quantity: VORTON_SAMPLE_DENSITY,
            into: 0,
            intensity: if r#type == VORTON_OP_TURBULENCE { 1.0 } else { 0.0 },
            values: std::ptr::null(),
            seed: Turbulence::SEED,
            restitution: 0.0,
            friction: 0.0,
            mass: 0.0,
            gain: 1.0,
        }
    }

    fn sample_at(&self) -> Outcome<SampleAt> {
        match self.sample {
            VORTON_AT_MIDPOINT => Ok(SampleAt::Midpoint),
            VORTON_AT_PARTICLE => Ok(SampleAt::Here),
            other => {
                Err(Error::bad_value(format_args!("sample is {other}, which is no VORTON_AT_... constant")))
            }
        }
    }

    fn sample_scalar(&self) -> Outcome<SampleScalar> {
        let quantity = scalar_quantity(self.quantity).ok_or_else(|| {
            let text =
                format_args!("quantity is {}, which is no VORTON_SAMPLE_... of one number", self.quantity);
            Error::bad_value(text)
        })?;
        match (self.into, Semantic::from_code(self.into)) {
            (0, _) => Ok(SampleScalar::new(quantity)),
            (VORTON_DENSITY | VORTON_TEMPERATURE | VORTON_USER0..=LAST_USER, Some(into)) => {
                Ok(SampleScalar { quantity, into })
            }
            (other, _) => Err(Error::bad_value(format_args!(
                "into is {other}, but must be 0, VORTON_DENSITY, VORTON_TEMPERATURE or one of VORTON_USER0 + 0 to 15"
            ))),
        }
    }

    fn kill(&self) -> Outcome<Kill> {
        let mode = match self.kill_mode {
            VORTON_KILL_MARK => KillMode::Mark,
            VORTON_KILL_LIST => KillMode::List,
            VORTON_KILL_COMPACT => KillMode::Compact,
            other => {
                return Err(Error::bad_value(format_args!(
                    "kill_mode is {other}, which is no VORTON_KILL_... constant"
                )));
            }
        };
        let max_age = (self.max_age != 0.0).then_some(self.max_age);
        let max_age_frames = (self.max_age_frames != 0).then_some(self.max_age_frames);
        Ok(Kill { max_age, max_age_frames, mode })
    }

    /// # Safety
    /// `values` is null or points to `value_count` values.
    unsafe fn checked(&self) -> Outcome<OpData> {
        let numbers = [
            ("rate", self.rate),
            ("quadratic", self.quadratic),
            ("max_age", self.max_age),
            ("restitution", self.restitution),
            ("friction", self.friction),
            ("mass", self.mass),
            ("intensity", self.intensity),
        ];
        finite(&numbers.map(|(_, value)| value), "the operation definition")?;
        finite(&[self.gain], "gain")?;
        for (name, value) in numbers {
            if value < 0.0 {
                return Err(Error::bad_value(format_args!("{name} is {value}, but must be at least 0")));
            }
        }
        for (name, value) in [("restitution", self.restitution), ("friction", self.friction)] {
            if value > 1.0 {
                return Err(Error::bad_value(format_args!("{name} is {value}, but must be at most 1")));
            }
        }
        let vector = self.vector.checked("vector")?;
        let mut prototype = Vec::new();
        let kind = match self.r#type {
            VORTON_OP_VELOCITY => {
                let Self { rate, gain, .. } = *self;
                Kind::Plain(Velocity { rate, gain, sample: self.sample_at()? }.into())
            }
            VORTON_OP_ADVECT => Kind::Plain(Advect.into()),
            VORTON_OP_ACCELERATE => Kind::Plain(Accelerate { acceleration: vector }.into()),
            VORTON_OP_WIND => Kind::Plain(Wind { velocity: vector, rate: self.rate }.into()),
            VORTON_OP_DRAG => Kind::Plain(Drag { linear_rate: self.rate, quadratic: self.quadratic }.into()),
            VORTON_OP_AGE => Kind::Plain(Age.into()),
            VORTON_OP_KILL => Kind::Plain(self.kill()?.into()),
            VORTON_OP_EMIT => {
                // SAFETY: the caller's promise.
                let values = unsafe { slice(self.values, self.value_count as usize, "values") }?;
                prototype = values.iter().map(VortonEmitValue::checked).collect::<Outcome<_>>()?;
                let timing = match self.timing {
                    VORTON_EMIT_AT_ONCE => EmitTiming::AtOnce,
                    VORTON_EMIT_EVEN => EmitTiming::Even,
                    other => {
                        let text = format_args!("timing is {other}, which is no VORTON_EMIT_... constant");
                        return Err(Error::bad_value(text));
                    }
                };
                Kind::Emit { rate: self.rate, seed: self.seed, timing }
            }
            VORTON_OP_BOUNDS => Kind::Plain(Bounds.into()),
            VORTON_OP_SAMPLE_SCALAR => Kind::Plain(self.sample_scalar()?.into()),
            VORTON_OP_SPIN => Kind::Plain(Spin { rate: self.rate, sample: self.sample_at()? }.into()),
            VORTON_OP_BODIES => {
                let Self { restitution, friction, mass, .. } = *self;
                Kind::Plain(Collide { restitution, friction, mass }.into())
            }
            VORTON_OP_TURBULENCE => {
                let Self { rate, gain, intensity, seed, .. } = *self;
                Kind::Plain(Turbulence { rate, gain, sample: self.sample_at()?, intensity, seed }.into())
            }
            other => return Err(unknown_type(other)),
        };
        Ok(OpData { kind, prototype, emit_state: Mutex::default() })
    }
}

impl VortonEmitValue {
    fn checked(&self) -> Outcome<Attribute> {
        reserved(&[self.reserved, self.reserved2], "an emitted value")?;
        let numbers = self.value.iter().copied().chain(self.spread.map(f64::from));
        if !numbers.clone().all(f64::is_finite) {
            return Err(Error::new(VORTON_ERR_NOT_FINITE, "an emitted value or spread is not finite"));
        }
        let semantic = Semantic::from_code(self.semantic).ok_or_else(|| {
            Error::bad_value(format_args!("an emitted value has the unknown semantic {}", self.semantic))
        })?;
        Ok(Attribute { semantic, value: self.value, spread: self.spread })
    }
}

sized32!(VortonOpDef);

/// An operation in a world's table. A run holds a reference, so the operation may be changed or destroyed
/// meanwhile.
pub(crate) type OpEntry = Arc<OpData>;

#[derive(Debug)]
pub(crate) struct OpData {
    kind: Kind,
    prototype: Vec<Attribute>,
    emit_state: Mutex<EmitState>,
}

#[derive(Debug)]
enum Kind {
    Plain(Operation<'static>),
    Emit { rate: f32, seed: u64, timing: EmitTiming },
}

impl OpData {
    fn operation(&self) -> Operation<'_> {
        match self.kind {
            Kind::Plain(operation) => operation,
            Kind::Emit { rate, seed, timing } => {
                Emit { rate, seed, timing, prototype: &self.prototype }.into()
            }
        }
    }

    /// True if the operation carries state from run to run.
    pub(crate) fn emits(&self) -> bool {
        matches!(self.kind, Kind::Emit { .. })
    }

    /// True if its outcome is reported only in the result struct.
    fn reports(&self) -> bool {
        match &self.kind {
            Kind::Emit { .. } | Kind::Plain(Operation::Bounds(_)) => true,
            Kind::Plain(Operation::Kill(kill)) => kill.mode != KillMode::Mark,
            Kind::Plain(_) => false,
        }
    }

    /// Locks the state of an emission for a run.
    pub(crate) fn lock_state(&self) -> Outcome<MutexGuard<'_, EmitState>> {
        match self.emit_state.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poison)) => Ok(poison.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let text = "this emission is running already, in another thread or earlier in the list";
                Err(Error::new(VORTON_ERR_BUSY, text))
            }
        }
    }
}

fn refused(error: OpError) -> Error {
    let code = match &error {
        OpError::Operation { problem: Problem::MissingStream { .. }, .. } => VORTON_ERR_MISSING_STREAM,
        OpError::Operation { problem: Problem::Compact(_), .. } => VORTON_ERR_BAD_STREAM,
        _ => VORTON_ERR_BAD_VALUE,
    };
    Error::new(code, in_c(&error.to_string()))
}

fn unknown_type(value: u32) -> Error {
    Error::bad_value(format_args!("type is {value}, which is no VORTON_OP_... constant"))
}

/// Fills a definition with the defaults of an operation.
///
/// @param struct_size sizeof(VortonOpDef)
/// @param type        VORTON_OP_...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_op_def_init(
    out: *mut VortonOpDef,
    struct_size: u32,
    r#type: u32,
) -> VortonResult {
    guard::run(|| {
        if !(VORTON_OP_VELOCITY..=VORTON_OP_TURBULENCE).contains(&r#type) {
            return Err(unknown_type(r#type));
        }
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, VortonOpDef::default_of(r#type), "out") }
    })
}

/// Creates an operation, which can be run any number of times on any particles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_op_create(
    world: VortonWorldId,
    def: *const VortonOpDef,
    out: *mut VortonOpId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let data = unsafe { read_def(def, VortonOpDef::default_of(0), "def")?.checked() }?;
        let id = with_world(world, |world| {
            let key = world.ops()?.insert(Arc::new(data))?;
            Ok(VortonOpId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Changes an operation. An emission continues its state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_op_update(
    world: VortonWorldId,
    op: VortonOpId,
    def: *const VortonOpDef,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let mut data = unsafe { read_def(def, VortonOpDef::default_of(0), "def")?.checked() }?;
        with_world(world, |world| {
            let mut ops = world.ops()?;
            let entry = ops.get_mut(op.key(world.serial)?).ok_or_else(|| stale(VortonOpId::KIND))?;
            data.emit_state = Mutex::new(*entry.lock_state()?);
            *entry = Arc::new(data);
            Ok(())
        })
    })
}

/// Destroys an operation.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_op_destroy(world: VortonWorldId, op: VortonOpId) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            let key = op.key(world.serial)?;
            world.ops()?.remove(key).map(drop).ok_or_else(|| stale(VortonOpId::KIND))
        })
    })
}

/// True if the id names a living operation of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_op_is_valid(world: VortonWorldId, op: VortonOpId) -> bool {
    with_world(world, |world| Ok(world.has_op(op.key(world.serial)?))).is_ok_and(|lives| lives)
}

/// Runs a list of operations over the host's particles, in place. Adjacent operations that process each
/// particle independently run together, chunk by chunk, in one pass over memory; the result has the same bits
/// as running them one by one. May run while another thread steps the world, and on several arrays at the
/// same time. Does not allocate in steady state.
///
/// The usual order: VELOCITY or TURBULENCE, then WIND, ACCELERATE or DRAG, SPIN, ADVECT, BODIES,
/// SAMPLE_SCALAR, AGE, KILL, EMIT. Call it after vorton_world_step, with the same dt: after each of several
/// steps of a frame, or after the last one with that step's dt for each. Everything is checked before
/// anything is changed.
///
/// @param ops    `count` operations, at most VORTON_MAX_OPS
/// @param view   the particles; no other thread may use them meanwhile
/// @param dt     seconds, from 0 to VORTON_MAX_STEP
/// @param frame  number of this frame, for births and ages in frames
/// @param inout  NULL, or receives the results; required by EMIT, BOUNDS, and KILL with VORTON_KILL_LIST or
///     _COMPACT
/// @return VORTON_NOTE_SKIPPED_NONFINITE or VORTON_NOTE_TRUNCATED if particles were skipped or the kill list
///     was too short
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_ops_run(
    world: VortonWorldId,
    ops: *const VortonOpId,
    count: u32,
    view: *const VortonParticleView,
    dt: f32,
    frame: u32,
    inout: *mut VortonOpResult,
) -> VortonResult {
    guard::call(|| {
        finite(&[dt], "dt")?;
        if count > VORTON_MAX_OPS {
            return Err(Error::bad_value(format_args!(
                "{count} operations; a list has at most {VORTON_MAX_OPS}"
            )));
        }
        // SAFETY: the caller promises `count` readable ids.
        let ids = unsafe { slice(ops, count as usize, "ops") }?;
        let mut result = match inout.is_null() {
            true => None,
            // SAFETY: a result of struct_size bytes by the caller's promise.
            false => Some(unsafe { read_def(inout.cast_const(), VortonOpResult::EMPTY, "inout") }?),
        };
        let (kill_list, kill_capacity) = result
            .as_ref()
            .map_or((std::ptr::null_mut(), 0), |result| (result.kill_list, result.kill_capacity));
        check_array(kill_list, kill_capacity, "kill_list")?;
        let report = with_world(world, |world| {
            let entries = entries(world, ids)?;
            if result.is_none() && entries.iter().flatten().any(|entry| entry.reports()) {
                return Err(Error::new(
                    VORTON_ERR_NULL,
                    "inout is NULL, but the list has an operation that reports",
                ));
            }
            // SAFETY: the caller passes null or a view as described, not used otherwise.
            unsafe {
                with_view(view, |particles| {
                    let overlaps = kill_capacity > 0
                        && view.read().stream_count > 0
                        && view_overlaps(view, kill_list.addr(), 4 * kill_capacity);
                    if overlaps {
                        let text = "kill_list overlaps the view's streams, table or indices";
                        return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
                    }
                    run(world, &entries, particles, dt, frame, list(kill_list, kill_capacity))
                })
            }
        })?;
        if let Some(result) = &mut result {
            result.fill(&report);
            // SAFETY: as above.
            unsafe { write_sized(inout, result.struct_size, *result, "inout") }?;
        }
        Ok(match report {
            _ if report.list_truncated => VORTON_NOTE_TRUNCATED,
            _ if report.skipped_non_finite > 0 => VORTON_NOTE_SKIPPED_NONFINITE,
            _ => VORTON_OK,
        })
    })
}

const LIST: usize = VORTON_MAX_OPS as usize;

fn entries(world: &World, ids: &[VortonOpId]) -> Outcome<[Option<OpEntry>; LIST]> {
    let ops = world.ops()?;
    let mut entries = [const { None }; LIST];
    for (entry, id) in entries.iter_mut().zip(ids) {
        *entry = Some(Arc::clone(ops.get(id.key(world.serial)?).ok_or_else(|| stale(VortonOpId::KIND))?));
    }
    Ok(entries)
}

fn run(
    world: &World,
    entries: &[Option<OpEntry>; LIST],
    view: &mut ParticleView<'_>,
    dt: f32,
    frame: u32,
    killed: &mut [u32],
) -> Outcome<RunReport> {
    let mut operations = [Operation::Advect(Advect); LIST];
    let mut locks = [const { None }; LIST];
    let mut states = [EmitState::default(); LIST];
    let mut emissions = 0;
    let mut count = 0;
    for entry in entries.iter().flatten() {
        operations[count] = entry.operation();
        count += 1;
        if let Kind::Emit { .. } = entry.kind {
            let lock = entry.lock_state()?;
            states[emissions] = *lock;
            locks[emissions] = Some(lock);
            emissions += 1;
        }
    }
    let Published { field, bodies } = world.published();
    let moment = Moment { field: &*field, surfaces: &*bodies, dt, frame };
    let mut scratch = world.take_scratch();
    scratch.expect_bodies(bodies.len());
    let memory = RunMemory { scratch: &mut scratch, emit_states: &mut states[..emissions], killed };
    let report = run_operations(&*world.exec, &moment, &operations[..count], view, memory);
    for (body, given) in scratch.impulses() {
        let Some(centre) = bodies.centre(*body) else { continue };
        let reaction = Reaction {
            linear: given.linear,
            angular: given.angular(centre.as_dvec3()),
            lost_energy: given.lost_energy,
            hits: given.hits,
            ..Reaction::default()
        };
        world.add_reactions(&bodies, &[(*body, reaction)]);
    }
    world.give_back_scratch(scratch);
    let report = report.map_err(refused)?;
    for (lock, state) in locks.iter_mut().flatten().zip(states) {
        **lock = state;
    }
    Ok(report)
}

/// # Safety
/// `list` is null or has room for `capacity` indices that are not used elsewhere.
unsafe fn list<'a>(list: *mut u32, capacity: usize) -> &'a mut [u32] {
    if capacity == 0 {
        return &mut [];
    }
    // SAFETY: checked by the caller of this function: not null, aligned, capacity in range.
    unsafe { std::slice::from_raw_parts_mut(list, capacity) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::*;
    use crate::shape::*;
    use crate::view::*;
    use crate::world::*;
    use crate::world_def::VortonWorldDef;

    /// Creates a world with a ball of radius 0.5 at rest at the origin, in the second of two slots, and steps
    /// it once.
    fn world_with_a_ball() -> (VortonWorldId, VortonBodyId) {
        let def = VortonWorldDef { max_vortons: 16, ..VortonWorldDef::default() };
        let mut world = VortonWorldId { index1: 0, generation: 0 };
        let body_def = VortonBodyDef::default();
        let mut bodies = [VortonBodyId { index1: 0, world: 0, generation: 0 }; 2];
        let mut shape_def = std::mem::MaybeUninit::<VortonShapeDef>::uninit();
        let mut shape = VortonShapeId { index1: 0, world: 0, generation: 0 };
        // SAFETY: all point to locals.
        unsafe {
            assert_eq!(vorton_world_create(&raw const def, &raw mut world), VORTON_OK);
            for body in &mut bodies {
                assert_eq!(vorton_body_create(world, &raw const body_def, body), VORTON_OK);
            }
            let size = size_of::<VortonShapeDef>() as u32;
            assert_eq!(vorton_shape_def_init(shape_def.as_mut_ptr(), size, VORTON_SHAPE_SPHERE), VORTON_OK);
            assert_eq!(vorton_shape_create(world, bodies[1], shape_def.as_ptr(), &raw mut shape), VORTON_OK);
        }
        assert_eq!(vorton_body_destroy(world, bodies[0]), VORTON_OK);
        assert_eq!(vorton_world_step(world, 0.1), VORTON_OK);
        (world, bodies[1])
    }

    #[test]
    fn particles_stick_to_a_body_tell_its_number_and_push_it() {
        let (world, ball) = world_with_a_ball();
        let def = VortonOpDef { friction: 1.0, mass: 0.25, ..VortonOpDef::default_of(VORTON_OP_BODIES) };
        let mut op = VortonOpId { index1: 0, world: 0, generation: 0 };
        // The first particle enters the ball off its axis, 0.1 s after (0.3, 0, 1); the second misses it.
        let (mut positions, mut velocities) = ([[0.3_f32, 0.0, 0.3], [2.0; 3]], [[0.0_f32, 0.0, -7.0]; 2]);
        let (mut hits, mut normals) = ([9_u32; 2], [[9.0_f32; 3]; 2]);
        let stream =
            |semantic, format, stride, base| VortonStream { semantic, format, stride, offset: 0, base };
        let streams = [
            stream(VORTON_POSITION, VORTON_F32X3, 12, positions.as_mut_ptr().cast()),
            stream(VORTON_VELOCITY, VORTON_F32X3, 12, velocities.as_mut_ptr().cast()),
            stream(VORTON_HIT, VORTON_U32, 4, hits.as_mut_ptr().cast()),
            stream(VORTON_NORMAL, VORTON_F32X3, 12, normals.as_mut_ptr().cast()),
        ];
        let view = VortonParticleView {
            struct_size: size_of::<VortonParticleView>() as u32,
            stream_count: 4,
            count: 2,
            capacity: 2,
            streams: streams.as_ptr(),
            ..VortonParticleView::EMPTY
        };
        let mut result =
            VortonOpResult { struct_size: size_of::<VortonOpResult>() as u32, ..VortonOpResult::EMPTY };
        let mut number = 0;
        let mut impulse = std::mem::MaybeUninit::<VortonBodyImpulse>::zeroed();
        // SAFETY: all point to locals, which are as the view says; zeroes are an impulse.
        let impulse = unsafe {
            assert_eq!(vorton_op_create(world, &raw const def, &raw mut op), VORTON_OK);
            let run = vorton_ops_run(world, &raw const op, 1, &raw const view, 0.1, 0, &raw mut result);
            assert_eq!(run, VORTON_OK);
            assert_eq!(vorton_body_number(world, ball, &raw mut number), VORTON_OK);
            assert_eq!(vorton_body_take_impulse(world, ball, impulse.as_mut_ptr()), VORTON_OK);
            impulse.assume_init()
        };
        assert_eq!((result.hits, hits, number), (1, [2, 0], 2));
        assert_eq!((velocities, normals[1]), ([[0.0; 3], [0.0, 0.0, -7.0]], [0.0; 3]));
        let length = glam::Vec3::from(normals[0]).length();
        assert!((length - 1.0).abs() < 1e-6, "normal of length {length}");
        // 0.25 kg stopped from 7 m/s at the point where the path meets the ball, 0.3 m from its axis: r x J
        // has 0.3 m * 1.75 N s about y.
        assert_eq!(impulse.linear, VortonVec3 { x: 0.0, y: 0.0, z: -1.75 });
        assert!((impulse.angular.y - 0.3 * 1.75).abs() < 0.06 * 1.75, "{impulse:?}");
        assert!((impulse.lost_energy - 0.5 * 0.25 * 49.0).abs() < 1e-4 && impulse.hits == 1, "{impulse:?}");
        assert_eq!(vorton_world_destroy(world), VORTON_OK);
    }

    #[test]
    fn shares_are_from_0_to_1() {
        let (world, _) = world_with_a_ball();
        let good = VortonOpDef::default_of(VORTON_OP_BODIES);
        let bad = [
            VortonOpDef { restitution: 1.1, ..good },
            VortonOpDef { friction: 1.1, ..good },
            VortonOpDef { friction: -0.1, ..good },
            VortonOpDef { mass: -1.0, ..good },
            VortonOpDef { intensity: -1.0, ..good },
        ];
        let mut op = VortonOpId { index1: 0, world: 0, generation: 0 };
        for def in bad {
            // SAFETY: both point to locals.
            let created = unsafe { vorton_op_create(world, &raw const def, &raw mut op) };
            assert_eq!(created, VORTON_ERR_BAD_VALUE, "{def:?}");
        }
        assert_eq!(vorton_world_destroy(world), VORTON_OK);
    }
}
