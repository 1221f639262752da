//! Replaying a recording: the calls are made as a host makes them, through the exported functions.

use super::bytes;
use crate::body::definition::*;
use crate::body::heat::*;
use crate::body::sleep::*;
use crate::body::*;
use crate::emitter::*;
use crate::frame::Frame;
use crate::handle::{Id, stale};
use crate::initial::vorton_world_add_initial;
use crate::kill_volumes::vorton_world_set_kill_volumes;
use crate::memory::{Sized32, read_def, struct_size, write_sized};
use crate::preset::vorton_world_add_preset;
use crate::recorder::Call;
use crate::recorder::LevelHeader;
use crate::recorder::format::{self, refused};
use crate::reset::vorton_world_reset;
use crate::shape::*;
use crate::shift::vorton_world_shift_origin;
use crate::snapshot::{vorton_world_restore, vorton_world_save};
use crate::state::{with_world, writing};
use crate::status::*;
use crate::surround::vorton_bodies_surround;
use crate::tracers::definition::*;
use crate::tracers::*;
use crate::types::body::*;
use crate::types::emitter::*;
use crate::types::preset::{VORTON_PRESET_EMITTERS, VortonPresetDef};
use crate::types::recording::VortonReplay;
use crate::types::shape::*;
use crate::types::surround::VortonSurroundDef;
use crate::types::tracers::*;
use crate::types::world::*;
use crate::types::world_def::VortonWorldDef;
use crate::vortons::*;
use crate::world::definition::*;
use crate::world::*;
use crate::{guard, log};
use fluid_bodies::ledger::BodyImpulse;
use fluid_core::governor::Choice;
use fluid_core::saved::{NoInsides, Reader};
use glam::DVec3;
use libc::c_void;
use std::ptr::{from_ref, null, null_mut};

impl VortonReplay {
    /// Notes that the last call had another result than in the recording.
    fn diverge(&mut self, function: &'static std::ffi::CStr, how: &str) {
        if self.diverged_call == u64::MAX {
            let is_step = function == c"vorton_world_hash";
            let function = if is_step { c"vorton_world_step" } else { function };
            // A damaged recording may have a hash before any call.
            let call = self.calls.saturating_sub(1);
            (self.diverged_call, self.diverged_in) = (call, function.as_ptr());
            self.diverged_step = if is_step { self.steps.saturating_sub(1) } else { self.steps };
            let name = function.to_string_lossy();
            let text = format!("the replay diverges at step {}: {name} {how}", self.diverged_step);
            log::line(log::VORTON_LOG_WARNING, &text);
        }
    }
}

/// Result of a call that was made again.
enum Made {
    /// The code of its result, and whether it returned the recorded ids and counts.
    Call(VortonResult, bool),
    /// The hash after a step.
    Hash(VortonResult, u64),
    /// The values of the record do not belong together.
    Nonsense,
}

/// Fills the struct for the beginning of a replay.
///
/// @param struct_size sizeof(VortonReplay)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_replay_init(out: *mut VortonReplay, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonReplay::default(), "out") })
}

/// Sets a world definition to that of a recorded world, so that a world for the replay can be created. Keeps
/// the fields on which results do not depend: threads and worker_count, instructions, and the host's
/// functions with their pointers.
///
/// @param recording the bytes of a recording, from the beginning
/// @param size      their number
/// @param inout     a definition from vorton_world_def_init
/// @return VORTON_ERR_RECORDING if the bytes are damaged, cut before the first call, or from another version
///     of the library
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_replay_world_def(
    recording: *const c_void,
    size: usize,
    inout: *mut VortonWorldDef,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: as the caller promises.
        let bytes = unsafe { bytes(recording, size) }?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let size = unsafe { struct_size(inout, "inout") }?;
        // SAFETY: as above.
        let given = unsafe { read_def(inout.cast_const(), VortonWorldDef::default(), "inout") }?;
        let mut def = given;
        let is_set = match format::next(bytes, 0)? {
            Some((Call::Begin { def: numbers, user_data, .. }, _)) => {
                def.user_data = user_data;
                format::set_numbers(&mut def, &numbers)
            }
            _ => return Err(refused("the recording is cut before its first call")),
        };
        if !is_set {
            return Err(refused("the definition in the recording is damaged"));
        }
        let VortonWorldDef { struct_size, threads, worker_count, instructions, .. } = given;
        let def = VortonWorldDef { struct_size, threads, worker_count, instructions, ..def };
        // SAFETY: as above.
        unsafe { write_sized(inout, size, def, "inout") }
    })
}

/// Makes the calls of a recording (vorton_world_record) up to and including the next step, and compares the
/// world's hash after that step, and ids and counts returned by calls, with the recorded ones. Call it until
/// `finished` is 1, with the same struct; draw the world or inspect it in between. The first call, with an
/// `offset` of 0, restores the snapshot with which the recording begins: what the world contained is gone.
///
/// The world must have the definition of the recorded world (vorton_replay_world_def), with any threads; the
/// machine may be another one. Do not change the world between the calls. Particle operations are not
/// repeated, only their impulses on bodies; the log callback receives the first divergence as a warning.
///
/// A recording may be cut anywhere, by a crash for instance: it is replayed up to its last complete call, and
/// a step that did not end is repeated. Bytes may be appended between two calls, to follow a running world.
///
/// @param recording all bytes of the recording, from the beginning
/// @param size      their number
/// @return VORTON_NOTE_DIVERGED if a call or a step had another result than in the recording: see the fields
///     of VortonReplay. VORTON_ERR_RECORDING if the next bytes are damaged, not a recording, or from another
///     version of the library; VORTON_ERR_SNAPSHOT if the world has another definition; VORTON_ERR_BUSY,
///     _OUT_OF_MEMORY, _PANIC or _POISONED if a call did not succeed for one of these reasons. `offset` is
///     then at the call that was not made
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_replay(
    world: VortonWorldId,
    recording: *const c_void,
    size: usize,
    inout: *mut VortonReplay,
) -> VortonResult {
    let (mut replay, mut given) = (VortonReplay::default(), (0, &[][..], 0));
    let began = guard::run(|| {
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        let own_size = unsafe { struct_size(inout, "inout") }?;
        // SAFETY: as above.
        let before = unsafe { read_def(inout.cast_const(), VortonReplay::default(), "inout") }?;
        // SAFETY: as the caller promises.
        given = (own_size, unsafe { bytes(recording, size) }?, with_world(world, |world| Ok(world.serial))?);
        if before.offset != 0 {
            replay = VortonReplay { finished: 0, ..before };
        }
        if replay.offset > size as u64 {
            let text = format_args!("offset is {}, but the recording has {size} bytes", replay.offset);
            return Err(Error::bad_value(text));
        }
        Ok(())
    });
    if began < 0 {
        return began;
    }
    let (own_size, bytes, serial) = given;
    let result = up_to_the_next_step(world, serial, bytes, &mut replay);
    // SAFETY: as above.
    let written = guard::run(|| unsafe { write_sized(inout, own_size, replay, "inout") });
    if written < 0 { written } else { result }
}

/// Makes calls until a step has ended. Returns the result of vorton_world_replay.
fn up_to_the_next_step(
    world: VortonWorldId,
    serial: u32,
    bytes: &[u8],
    replay: &mut VortonReplay,
) -> VortonResult {
    let mut result = VORTON_OK;
    loop {
        let mut next = None;
        let offset = replay.offset as usize;
        let parsed = guard::run(|| format::next(bytes, offset).map(|found| next = found));
        if parsed < 0 {
            return parsed;
        }
        let Some((call, end)) = next else {
            replay.finished = 1;
            return result;
        };
        let made = make(&call, world, serial);
        if let Made::Call(code, _) | Made::Hash(code, _) = made
            && is_no_result_of(&call, code)
        {
            return code;
        }
        if let Made::Nonsense = made {
            return guard::run(|| Err(refused(format_args!("the recording is damaged at byte {offset}"))));
        }
        replay.offset = end as u64;
        match made {
            Made::Hash(code, hash) => {
                let Call::Stepped { hash: expected } = call else { continue };
                replay.steps += 1;
                (replay.expected_hash, replay.hash) = (expected, hash);
                if code < 0 || hash != expected {
                    replay.diverge(call.function(), "gives another hash");
                    result = VORTON_NOTE_DIVERGED;
                }
                // Without an error: the next call reports damage.
                replay.finished = u32::from(matches!(format::next(bytes, end), Ok(None)));
                return result;
            }
            Made::Call(code, same) => {
                if let Call::Begin { .. } = call {
                    continue;
                }
                replay.calls += 1;
                if code < 0 || !same {
                    replay.diverge(call.function(), if same { "fails" } else { "returns another result" });
                    result = VORTON_NOTE_DIVERGED;
                }
            }
            Made::Nonsense => {}
        }
    }
}

/// True for a failure that does not come from the state of the world: the call may succeed later, or nothing
/// can be replayed.
fn is_no_result_of(call: &Call<'_>, code: VortonResult) -> bool {
    let of_all = [
        VORTON_ERR_BUSY,
        VORTON_ERR_OUT_OF_MEMORY,
        VORTON_ERR_PANIC,
        VORTON_ERR_POISONED,
        VORTON_ERR_SNAPSHOT,
    ];
    of_all.contains(&code) || matches!(call, Call::Begin { .. }) && code < 0
}

/// Sets the size of a definition to that of this library.
fn sized<T: Sized32>(mut def: T) -> T {
    def.set_struct_size(size_of::<T>() as u32);
    def
}

/// Makes a call again.
fn make(call: &Call<'_>, world: VortonWorldId, serial: u32) -> Made {
    let emitter = |id: &Id| VortonEmitterId::replayed(*id, serial);
    let set = |id: &Id| VortonTracersId::replayed(*id, serial);
    let body = |id: &Id| VortonBodyId::replayed(*id, serial);
    let shape = |id: &Id| VortonShapeId::replayed(*id, serial);
    let emitter_def = |def: &VortonEmitterDef| VortonEmitterDef {
        tracers: set(&def.tracers.recorded()),
        body: body(&def.body.recorded()),
        ..sized(*def)
    };
    let (mut first, mut count, mut other) = (0_u64, 0_usize, 0_usize);
    let (out_first, out_count, out_other) = (&raw mut first, &raw mut count, &raw mut other);
    // SAFETY: all pointers are of locals, or of slices that have as many elements as the calls are told.
    let code = unsafe {
        match call {
            Call::Begin { snapshot, .. } => return begin(call, world, snapshot),
            Call::Stepped { .. } => {
                let code = vorton_world_hash(world, out_first);
                return Made::Hash(code, first);
            }
            Call::Step { dt } => vorton_world_step(world, *dt),
            Call::Advance { dt, max_stretch, max_steps } => {
                vorton_world_advance(world, *dt, *max_stretch, *max_steps, null_mut())
            }
            Call::StepWithin { dt, budget } => {
                vorton_world_step_within(world, *dt, from_ref(&sized(*budget)))
            }
            Call::StepAsChosen { dt, choice } => {
                let mut from = Reader::new(choice, &NoInsides, &fluid_threads::Serial);
                let Ok(choice) = from.value::<Choice>() else { return Made::Nonsense };
                step_as_chosen(world, *dt, choice)
            }
            Call::Push { body, linear, angular, lost_energy, hits } => {
                let (linear, angular) = (DVec3::from_array(*linear), DVec3::from_array(*angular));
                let (lost_energy, hits) = (*lost_energy, *hits);
                push(
                    world,
                    *body,
                    &BodyImpulse { linear, angular, lost_energy, hits, ..BodyImpulse::default() },
                )
            }
            Call::Restore { snapshot } => {
                vorton_world_restore(world, snapshot.as_ptr().cast(), snapshot.len())
            }
            Call::Reset {} => vorton_world_reset(world),
            Call::ShiftOrigin { origin } => vorton_world_shift_origin(world, *origin),
            Call::SetWind { wind } => vorton_world_set_wind(world, *wind),
            Call::SetGravity { gravity } => vorton_world_set_gravity(world, *gravity),
            Call::SetDiffusion { viscosity, diffusivity } => {
                vorton_world_set_diffusion(world, *viscosity, *diffusivity)
            }
            Call::SetRelaxationRate { rate } => vorton_world_set_relaxation_rate(world, *rate),
            Call::SetSmagorinsky { smagorinsky } => vorton_world_set_smagorinsky(world, *smagorinsky),
            Call::SetMaxAge { max_age } => vorton_world_set_max_age(world, *max_age),
            Call::SetExpectedSamples { samples } => vorton_world_set_expected_samples(world, *samples),
            Call::SetNoSlipRate { rate } => vorton_world_set_no_slip_rate(world, *rate),
            Call::SetSpecificHeat { specific_heat } => vorton_world_set_specific_heat(world, *specific_heat),
            Call::SetCombustion { ignition_temperature, burn_time, burn_expansion } => {
                vorton_world_set_combustion(world, *ignition_temperature, *burn_time, *burn_expansion)
            }
            Call::SetKillVolumes { volumes } => {
                vorton_world_set_kill_volumes(world, volumes.as_ptr(), volumes.len())
            }
            Call::RemoveEmbedded { margin, vortons, tracers } => {
                let code = vorton_world_remove_embedded(world, *margin, out_count, out_other);
                return Made::Call(code, (count as u64, other as u64) == (*vortons, *tracers));
            }
            Call::VortonsAdd { vortons, first: expected } => {
                let code = vorton_vortons_add(world, vortons.as_ptr(), vortons.len(), out_first);
                return Made::Call(code, first == *expected);
            }
            Call::VortonsRemove { ids, removed } => {
                let code = vorton_vortons_remove(world, ids.as_ptr(), ids.len(), out_count);
                return Made::Call(code, count as u64 == *removed);
            }
            Call::VortonsClear {} => vorton_vortons_clear(world),
            Call::AddInitial { def, first: expected, count: expected_count } => {
                let code = vorton_world_add_initial(world, from_ref(&sized(*def)), out_first, out_count);
                return Made::Call(code, (first, count as u64) == (*expected, *expected_count));
            }
            Call::AddPreset { def, tracers, first_emitter, second_emitter, body } => {
                let def = VortonPresetDef { tracer_set: set(&def.tracer_set.recorded()), ..sized(*def) };
                let mut emitters = [VortonEmitterId::NULL; VORTON_PRESET_EMITTERS];
                let (mut own_set, mut container) = (VortonTracersId::NULL, VortonBodyId::NULL);
                let (out_set, out_body) = (&raw mut own_set, &raw mut container);
                let code =
                    vorton_world_add_preset(world, &raw const def, out_set, emitters.as_mut_ptr(), out_body);
                let ids = (own_set.recorded(), emitters.map(VortonEmitterId::recorded), container.recorded());
                return Made::Call(code, ids == (*tracers, [*first_emitter, *second_emitter], *body));
            }
            Call::Surround { def, first: expected, count: expected_count } => {
                let def = VortonSurroundDef { body: body(&def.body.recorded()), ..sized(*def) };
                let code = vorton_bodies_surround(world, &raw const def, out_first, out_count);
                return Made::Call(code, (first, count as u64) == (*expected, *expected_count));
            }
            Call::EmitterCreate { def, emitter } => {
                let def = emitter_def(def);
                let mut id = VortonEmitterId::NULL;
                let code = vorton_emitter_create(world, &raw const def, &raw mut id);
                return Made::Call(code, id.recorded() == *emitter);
            }
            Call::EmitterUpdate { emitter: id, def } => {
                let def = emitter_def(def);
                vorton_emitter_update(world, emitter(id), &raw const def)
            }
            Call::EmitterSetPose { emitter: id, position, rotation } => {
                vorton_emitter_set_pose(world, emitter(id), *position, *rotation)
            }
            Call::EmitterSetRate { emitter: id, rate } => vorton_emitter_set_rate(world, emitter(id), *rate),
            Call::EmitterBurst { emitter: id, count } => vorton_emitter_burst(world, emitter(id), *count),
            Call::EmitterDestroy { emitter: id } => vorton_emitter_destroy(world, emitter(id)),
            Call::TracersCreate { def, set } => {
                let mut id = VortonTracersId::NULL;
                let code = vorton_tracers_create(world, from_ref(&sized(*def)), &raw mut id);
                return Made::Call(code, id.recorded() == *set);
            }
            Call::TracersAdd { set: id, positions, tags, values } => {
                let has_all = |len: usize| len == 0 || len == positions.len();
                if !has_all(tags.len()) || !has_all(values.len()) {
                    return Made::Nonsense;
                }
                let tags = if tags.is_empty() { null() } else { tags.as_ptr() };
                let values = if values.is_empty() { null() } else { values.as_ptr() };
                vorton_tracers_add(world, set(id), positions.as_ptr(), tags, values, positions.len())
            }
            Call::TracersAddImplied { set: id, def, count: expected } => {
                let code = vorton_tracers_add_implied(world, set(id), from_ref(&sized(*def)), out_count);
                return Made::Call(code, count as u64 == *expected);
            }
            Call::TracersClear { set: id } => vorton_tracers_clear(world, set(id)),
            Call::TracersSetMaxAge { set: id, max_age } => {
                vorton_tracers_set_max_age(world, set(id), *max_age)
            }
            Call::TracersSetTurbulence { set: id, turbulence } => {
                vorton_tracers_set_turbulence(world, set(id), *turbulence)
            }
            Call::TracersDestroy { set: id } => vorton_tracers_destroy(world, set(id)),
            Call::BodyCreate { def, body } => {
                let mut id = VortonBodyId::NULL;
                let code = vorton_body_create(world, from_ref(&sized(*def)), &raw mut id);
                return Made::Call(code, id.recorded() == *body);
            }
            Call::BodySetState { body: id, state } => {
                vorton_body_set_state(world, body(id), &raw const *state)
            }
            Call::BodyPlace { body: id, state } => vorton_body_place(world, body(id), &raw const *state),
            Call::BodySetTemperature { body: id, temperature } => {
                vorton_body_set_temperature(world, body(id), *temperature)
            }
            Call::BodySetInertia { body: id, inertia } => {
                vorton_body_set_inertia(world, body(id), inertia.as_ptr())
            }
            Call::BodySetMass { body: id, mass } => vorton_body_set_mass(world, body(id), *mass),
            Call::BodySetHeatTransfer { body: id, heat_transfer } => {
                vorton_body_set_heat_transfer(world, body(id), *heat_transfer)
            }
            Call::BodySetHeatCapacity { body: id, heat_capacity } => {
                vorton_body_set_heat_capacity(world, body(id), *heat_capacity)
            }
            Call::BodySetAwake { body: id, awake } => vorton_body_set_awake(world, body(id), *awake != 0),
            Call::BodyTakeImpulse { body: id } => {
                let mut impulse = std::mem::MaybeUninit::<VortonBodyImpulse>::uninit();
                vorton_body_take_impulse(world, body(id), impulse.as_mut_ptr())
            }
            Call::BodyDestroy { body: id } => vorton_body_destroy(world, body(id)),
            Call::BodiesSetStates { bodies, states } => {
                if bodies.len() != states.len() {
                    return Made::Nonsense;
                }
                let ids: Vec<_> = bodies.iter().map(body).collect();
                vorton_bodies_set_states(world, ids.as_ptr(), states.as_ptr(), 0, ids.len())
            }
            Call::BodiesTakeImpulses { bodies } => {
                let ids: Vec<_> = bodies.iter().map(body).collect();
                let mut impulses = Vec::<VortonBodyImpulse>::with_capacity(ids.len());
                vorton_bodies_take_impulses(world, ids.as_ptr(), impulses.as_mut_ptr(), 0, ids.len())
            }
            Call::ShapeCreate { body: id, heights, samples, shape, .. } => {
                if u64::from(samples[0]) * u64::from(samples[1]) != heights.len() as u64 {
                    return Made::Nonsense;
                }
                let mut made = VortonShapeId::NULL;
                let def = shape_def(call);
                let code = vorton_shape_create(world, body(id), &raw const def, &raw mut made);
                return Made::Call(code, made.recorded() == *shape);
            }
            Call::ShapeDestroy { shape: id } => vorton_shape_destroy(world, shape(id)),
            Call::SetUserData { value } => vorton_world_set_user_data(world, *value),
            Call::BodySetUserData { body: id, value } => vorton_body_set_user_data(world, body(id), *value),
            Call::ShapeSetUserData { shape: id, value } => {
                vorton_shape_set_user_data(world, shape(id), *value)
            }
            Call::EmitterSetUserData { emitter: id, value } => {
                vorton_emitter_set_user_data(world, emitter(id), *value)
            }
            Call::TracersSetUserData { set: id, value } => {
                vorton_tracers_set_user_data(world, set(id), *value)
            }
        }
    };
    Made::Call(code, true)
}

/// Returns the definition of a recorded shape, with pointers to its arrays.
fn shape_def(call: &Call<'_>) -> VortonShapeDef {
    let mut def = VortonShapeDef::default_of(VORTON_SHAPE_SPHERE);
    if let Call::ShapeCreate {
        kind,
        flags,
        position,
        rotation,
        half_extents,
        radius,
        half_height,
        user_data,
        points,
        planes,
        triangles,
        samples,
        spacing,
        heights,
        ..
    } = call
    {
        (def.r#type, def.flags, def.user_data) = (*kind, *flags, *user_data);
        (def.position, def.rotation, def.half_extents) = (*position, *rotation, *half_extents);
        (def.radius, def.half_height, def.spacing) = (*radius, *half_height, *spacing);
        (def.points, def.point_count) = (points.as_ptr().cast(), points.len() as u32);
        (def.planes, def.plane_count) = (planes.as_ptr().cast(), planes.len() as u32);
        (def.triangles, def.triangle_count) = (triangles.as_ptr().cast(), triangles.len() as u32);
        (def.heights, def.columns, def.rows) = (heights.as_ptr(), samples[0], samples[1]);
    }
    def
}

/// Restores the snapshot with which a recording begins, in a world that has the level geometry to which it
/// refers. If it is refused, the world is restored.
fn begin(call: &Call<'_>, world: VortonWorldId, snapshot: &[u8]) -> Made {
    let Call::Begin { user_data, levels, points, triangles, heights, .. } = call else {
        return Made::Nonsense;
    };
    let mut before = Vec::new();
    if !levels.is_empty() {
        let mut size = 0;
        // SAFETY: with a capacity of 0 nothing but the size is written.
        let mut code = unsafe { vorton_world_save(world, null_mut(), 0, &raw mut size) };
        before.resize(size, 0_u8);
        if code >= 0 {
            // SAFETY: there is room for `size` bytes.
            code = unsafe { vorton_world_save(world, before.as_mut_ptr().cast(), size, &raw mut size) };
        }
        if code >= 0 {
            code = add_levels(world, levels, (points, triangles, heights));
        }
        if code < 0 {
            return Made::Call(code, false);
        }
    }
    // SAFETY: all of a slice is readable.
    let code = unsafe { vorton_world_restore(world, snapshot.as_ptr().cast(), snapshot.len()) };
    if code >= 0 {
        return Made::Call(vorton_world_set_user_data(world, *user_data), true);
    }
    if !before.is_empty() {
        // The error to report is that of the recording's snapshot.
        let text = guard::last_error();
        // SAFETY: all of a slice is readable.
        unsafe { vorton_world_restore(world, before.as_ptr().cast(), before.len()) };
        return Made::Call(guard::run(|| Err(Error::new(code, &text))), false);
    }
    Made::Call(code, false)
}

/// Adds a body with all of this level geometry, of which the snapshot that is restored next has the hashes.
fn add_levels(
    world: VortonWorldId,
    levels: &[LevelHeader],
    (mut points, mut triangles, mut heights): (&[[f32; 3]], &[[u32; 3]], &[f32]),
) -> VortonResult {
    let damaged = || guard::run(|| Err(refused("the level geometry of the recording is damaged")));
    let def = VortonBodyDef { mass: 0.0, ..VortonBodyDef::default() };
    let mut body = VortonBodyId::NULL;
    // SAFETY: both point to locals.
    let mut code = unsafe { vorton_body_create(world, &raw const def, &raw mut body) };
    for level in levels {
        if code < 0 {
            return code;
        }
        let samples = level.columns as usize * level.rows as usize;
        let parts = (
            points.split_at_checked(level.points as usize),
            triangles.split_at_checked(level.triangles as usize),
            heights.split_at_checked(samples),
        );
        let (Some(own_points), Some(own_triangles), Some(own_heights)) = parts else { return damaged() };
        (points, triangles, heights) = (own_points.1, own_triangles.1, own_heights.1);
        let mut shape = VortonShapeDef::default_of(if samples == 0 {
            VORTON_SHAPE_MESH
        } else {
            VORTON_SHAPE_HEIGHT_FIELD
        });
        shape.flags = VORTON_SHAPE_SAVED_BY_HASH;
        (shape.points, shape.point_count) = (own_points.0.as_ptr().cast(), level.points);
        (shape.triangles, shape.triangle_count) = (own_triangles.0.as_ptr().cast(), level.triangles);
        (shape.heights, shape.columns, shape.rows) = (own_heights.0.as_ptr(), level.columns, level.rows);
        shape.spacing = level.spacing;
        // SAFETY: the arrays are as long as their counts say.
        code = unsafe { vorton_shape_create(world, body, &raw const shape, null_mut()) };
    }
    code
}

/// Takes a step at a quality chosen before.
fn step_as_chosen(world: VortonWorldId, dt: f32, choice: Choice) -> VortonResult {
    guard::run(|| {
        finite(&[dt], "dt")?;
        writing(world, |world, state| world.advance(state, dt, Frame::AsChosen(choice)).map(|_| ()))
    })
}

/// Adds the reaction of host particles on a body.
fn push(world: VortonWorldId, body: Id, impulse: &BodyImpulse) -> VortonResult {
    guard::run(|| {
        writing(world, |world, _| {
            let key = body.key().filter(|&key| world.body_ids().bodies.get(key).is_some());
            world.add_impulse(key.ok_or_else(|| stale(VortonBodyId::KIND))?, impulse);
            Ok(())
        })
    })
}
