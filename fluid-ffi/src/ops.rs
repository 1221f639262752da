//! Particle operations over the host's own arrays (the articles' ParticleOperation).

use crate::guard;
use crate::handle::stale;
use crate::heap::Hold;
use crate::memory::{check_array, check_output, read_def, slice, write, write_sized};
use crate::names::in_c;
use crate::sample::scalar_quantity;
use crate::state::op::{Kind, OpData, OpEntry};
use crate::state::{Published, World, with_world};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::op_result::VortonOpResult;
use crate::types::ops::{
    VORTON_AT_MIDPOINT, VORTON_AT_PARTICLE, VORTON_EMIT_AT_ONCE, VORTON_EMIT_EVEN, VORTON_KILL_COMPACT,
    VORTON_KILL_LIST, VORTON_KILL_MARK, VORTON_MAX_OPS, VORTON_OP_ACCELERATE, VORTON_OP_ADVECT,
    VORTON_OP_AGE, VORTON_OP_BOUNDS, VORTON_OP_COLLIDE, VORTON_OP_DRAG, VORTON_OP_EMIT, VORTON_OP_KILL,
    VORTON_OP_SAMPLE_SCALAR, VORTON_OP_SPIN, VORTON_OP_TURBULENCE, VORTON_OP_VELOCITY, VORTON_OP_WIND,
    VortonEmitValue, VortonOpDef, VortonOpId,
};
use crate::types::sample::VORTON_SAMPLE_DENSITY;
use crate::types::view::{VORTON_DENSITY, VORTON_TEMPERATURE, VORTON_USER0, VortonParticleView};
use crate::types::world::VortonWorldId;
use crate::view::{view_overlaps, with_view};
use fluid_bodies::ledger::BodyImpulse;
use fluid_particles::ops::*;
use fluid_particles::view::{ParticleView, Semantic};
use std::sync::{Arc, Mutex};

/// The last user attribute.
const LAST_USER: u32 = VORTON_USER0 + 15;

/// A rate so large that the change is complete within any step. (Written out in cbindgen.toml: cbindgen would
/// drop the suffix of the float.)
const VORTON_RATE_AT_ONCE: f32 = f32::MAX;

impl VortonOpDef {
    pub(crate) fn default_of(r#type: u32) -> Self {
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
            VORTON_AT_PARTICLE => Ok(SampleAt::Particle),
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
            VORTON_OP_COLLIDE => {
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

/// Upper bounds \[bytes\] on the memory of an operation, and of the growth of their table per slot.
const BYTES_OF_OP: usize = 4 << 10;
const BYTES_PER_OP: usize = 256;

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
            let mut ops = world.ops()?;
            let _hold = Hold::take(BYTES_OF_OP + BYTES_PER_OP * ops.len(), "the operation")?;
            let key = ops.insert(Arc::new(data))?;
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
            let _hold = Hold::take(BYTES_OF_OP, "the operation")?;
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
/// The usual order: VELOCITY or TURBULENCE, then WIND, ACCELERATE or DRAG, SPIN, ADVECT, COLLIDE,
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
    let inputs = RunInputs { field: &*field, surfaces: &*bodies, dt, frame };
    let mut scratch = world.take_scratch();
    scratch.expect_bodies(bodies.len());
    let memory = RunMemory { scratch: &mut scratch, emit_states: &mut states[..emissions], killed };
    if operations[..count].iter().any(|op| matches!(op, Operation::Collide(op) if op.mass > 0.0)) {
        world.pending_impulses().reserve(bodies.len())?;
    }
    let _hold = match memory.scratch.memory(&operations[..count], view) {
        0 => None,
        bytes => Some(Hold::take(bytes, "the particles")?),
    };
    let report = run_operations(&*world.exec, &inputs, &operations[..count], view, memory);
    for (body, given) in scratch.impulses() {
        let Some(centre) = bodies.centre(*body) else { continue };
        let impulse = BodyImpulse {
            linear: given.linear,
            angular: given.angular(centre.as_dvec3()),
            lost_energy: given.lost_energy,
            hits: given.hits,
            ..BodyImpulse::default()
        };
        world.add_impulses(&bodies, &[(*body, impulse)]);
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
    use crate::types::body::*;
    use crate::types::shape::*;
    use crate::types::view::*;
    use crate::types::world_def::VortonWorldDef;
    use crate::world::*;

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
        let def = VortonOpDef { friction: 1.0, mass: 0.25, ..VortonOpDef::default_of(VORTON_OP_COLLIDE) };
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
        let good = VortonOpDef::default_of(VORTON_OP_COLLIDE);
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
