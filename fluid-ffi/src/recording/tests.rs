//! Each function of the header is recorded or changes nothing, and no bytes make a replay panic.

use super::replay::vorton_world_replay;
use super::vorton_world_record;
use crate::body::{vorton_body_create, vorton_body_destroy};
use crate::emitter::vorton_emitter_create;
use crate::guard;
use crate::initial::vorton_world_add_initial;
use crate::recorder::Call;
use crate::recorder::format::{self, HEADER, RECORD_HEADER};
use crate::shape::vorton_shape_create;
use crate::status::*;
use crate::tracers::{vorton_tracers_add, vorton_tracers_create};
use crate::types::VortonVec3;
use crate::types::body::{VortonBodyDef, VortonBodyId};
use crate::types::emitter::{VortonEmitterDef, VortonEmitterId};
use crate::types::initial::VortonInitialDef;
use crate::types::recording::VortonReplay;
use crate::types::shape::{
    VORTON_SHAPE_HALF_SPACE, VORTON_SHAPE_HEIGHT_FIELD, VORTON_SHAPE_HULL, VORTON_SHAPE_SPHERE,
    VortonShapeDef,
};
use crate::types::tracers::{VortonTracersDef, VortonTracersId};
use crate::types::world::*;
use crate::types::world_def::VortonWorldDef;
use crate::vortons::vorton_vortons_clear;
use crate::world::*;
use fluid_core::math::Random;
use libc::c_void;
use std::collections::BTreeSet;

pub(crate) const RECORD_HEADER_SIZE: usize = RECORD_HEADER;

/// Appends a record of any values.
pub(crate) fn put_values(code: u8, values: &[u8], out: &mut Vec<u8>) {
    format::put_values(code, values, out);
}

/// Functions that change nothing in a world, or belong to no world; operations are not part of a world's
/// state, and their runs are recorded by their impulses on bodies.
const CHANGE_NOTHING: &[&str] = &[
    "vorton_abi_version",
    "vorton_body_added_inertia",
    "vorton_body_def",
    "vorton_body_is_awake",
    "vorton_body_number",
    "vorton_body_read",
    "vorton_body_shapes",
    "vorton_body_user_data",
    "vorton_build_info",
    "vorton_check_abi",
    "vorton_emitter_def",
    "vorton_emitter_user_data",
    "vorton_last_error",
    "vorton_memory",
    "vorton_op_create",
    "vorton_op_destroy",
    "vorton_op_update",
    "vorton_preset_world_def",
    "vorton_replay_world_def",
    "vorton_result_name",
    "vorton_world_sample",
    "vorton_world_sample_lines",
    "vorton_world_sample_surfaces",
    "vorton_world_sample_volume",
    "vorton_set_allocator",
    "vorton_set_log",
    "vorton_shape_added_inertia",
    "vorton_shape_mass_properties",
    "vorton_shape_user_data",
    "vorton_tracers_acquire",
    "vorton_tracers_def",
    "vorton_tracers_read",
    "vorton_tracers_release",
    "vorton_tracers_user_data",
    "vorton_version",
    "vorton_view_check",
    "vorton_vortons_read",
    "vorton_world_bodies",
    "vorton_world_create",
    "vorton_world_def",
    "vorton_world_density_from_temperature",
    "vorton_world_destroy",
    "vorton_world_draw",
    "vorton_world_emitters",
    "vorton_world_hash_all",
    "vorton_world_invariants",
    "vorton_world_kill_volumes",
    "vorton_world_mass_deviation",
    "vorton_world_memory",
    "vorton_world_save",
    "vorton_world_stats",
    "vorton_world_temperature_from_density",
    "vorton_world_tracers",
    "vorton_world_user_data",
];

/// Functions that consist of recorded ones.
const RECORDED_BY_PARTS: &[&str] = &["vorton_world_replay"];

#[test]
fn every_function_of_the_header_is_recorded_or_changes_nothing() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/vorton.h");
    let header = std::fs::read_to_string(path).expect("the header is there");
    let name_of = |text: &str| {
        let (before, _) = text.split_once('(')?;
        let name = before.split(|c: char| !(c.is_alphanumeric() || c == '_')).next_back()?;
        name.starts_with("vorton_").then(|| name.to_owned())
    };
    let functions: BTreeSet<_> = header.split("VORTON_API").skip(1).filter_map(name_of).collect();
    assert!(functions.len() > 130, "{}", functions.len());
    let recorded: BTreeSet<_> =
        Call::ALL.iter().map(|(_, name)| name.to_string_lossy().into_owned()).collect();
    for name in &functions {
        let is_harmless = CHANGE_NOTHING.contains(&name.as_str())
            || ["_init", "_is_valid"].iter().any(|end| name.ends_with(end));
        let is_recorded = recorded.contains(name) || RECORDED_BY_PARTS.contains(&name.as_str());
        assert_ne!(is_harmless, is_recorded, "{name}: record it, or list it if it changes nothing");
    }
    for name in recorded.iter().map(String::as_str).chain(CHANGE_NOTHING.iter().copied()) {
        assert!(functions.contains(name), "{name} is not in the header");
    }
}

unsafe extern "C" fn keep(user: *mut c_void, bytes: *const c_void, size: usize) {
    // SAFETY: `user` is the vector of the test, which nothing else uses during a call.
    let (tape, bytes) =
        unsafe { (&mut *user.cast::<Vec<u8>>(), std::slice::from_raw_parts(bytes.cast::<u8>(), size)) };
    tape.extend_from_slice(bytes);
}

pub(crate) fn world() -> VortonWorldId {
    let def = VortonWorldDef { max_vortons: 600, ..VortonWorldDef::default() };
    let mut id = VortonWorldId { index1: 0, generation: 0 };
    // SAFETY: both point to locals.
    assert_eq!(unsafe { vorton_world_create(&raw const def, &raw mut id) }, VORTON_OK);
    id
}

/// Returns a short recording with arrays of several kinds.
pub(crate) fn tape() -> Vec<u8> {
    let mut tape = Vec::new();
    let world = world();
    // SAFETY: all pointers are of locals, and arrays are as long as their counts say; the recording ends with
    // the world.
    unsafe {
        assert_eq!(vorton_world_record(world, Some(keep), (&raw mut tape).cast()), VORTON_OK);
        let ring = VortonInitialDef { count: 30, spacing: 0.1, ..VortonInitialDef::default() };
        let ring = VortonInitialDef { r#type: crate::types::initial::VORTON_INITIAL_FILAMENT_RING, ..ring };
        let none = std::ptr::null_mut();
        assert_eq!(vorton_world_add_initial(world, &raw const ring, none, std::ptr::null_mut()), VORTON_OK);
        let mut set = VortonTracersId::NULL;
        let def = VortonTracersDef { capacity: 99, ..VortonTracersDef::default() };
        assert_eq!(vorton_tracers_create(world, &raw const def, &raw mut set), VORTON_OK);
        let (at, tags, values) = ([VortonVec3 { x: 0.1, y: 0.0, z: 0.0 }; 3], [1; 3], [0.5; 3]);
        let (tags, values) = (tags.as_ptr(), values.as_ptr());
        assert_eq!(vorton_tracers_add(world, set, at.as_ptr(), tags, values, 3), VORTON_OK);
        let (mut emitter, def) =
            (VortonEmitterId::NULL, VortonEmitterDef { tracers: set, ..Default::default() });
        assert_eq!(vorton_emitter_create(world, &raw const def, &raw mut emitter), VORTON_OK);
        let points = [[0.3_f32, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3], [-0.2, -0.2, -0.2]];
        for kind in [VORTON_SHAPE_SPHERE, VORTON_SHAPE_HULL, VORTON_SHAPE_HEIGHT_FIELD] {
            let def = VortonBodyDef { mass: 0.0, ..VortonBodyDef::default() };
            let (mut body, mut shape) = (VortonBodyId::NULL, VortonShapeDef::default_of(kind));
            assert_eq!(vorton_body_create(world, &raw const def, &raw mut body), VORTON_OK);
            (shape.points, shape.point_count) = (points.as_ptr().cast(), 4);
            (shape.heights, shape.columns, shape.rows) = (points.as_ptr().cast(), 4, 3);
            let created = vorton_shape_create(world, body, &raw const shape, std::ptr::null_mut());
            assert_eq!(created, VORTON_OK);
            if kind == VORTON_SHAPE_SPHERE {
                assert_eq!(vorton_body_destroy(world, body), VORTON_OK);
            }
        }
    }
    for _ in 0..2 {
        assert!(vorton_world_step(world, 0.02) >= VORTON_OK);
    }
    assert_eq!(vorton_vortons_clear(world), VORTON_OK);
    assert!(vorton_world_step(world, 0.02) >= VORTON_OK);
    assert_eq!(vorton_world_destroy(world), VORTON_OK);
    tape
}

/// Replays until an error or the end. Returns the last result.
pub(crate) fn replay(world: VortonWorldId, bytes: &[u8]) -> (VortonResult, VortonReplay) {
    let mut progress = VortonReplay::default();
    loop {
        // SAFETY: all of a slice is readable.
        let result =
            unsafe { vorton_world_replay(world, bytes.as_ptr().cast(), bytes.len(), &raw mut progress) };
        if result < 0 || progress.finished == 1 {
            return (result, progress);
        }
    }
}

/// Returns the offsets of all records, and the size.
pub(crate) fn records(tape: &[u8]) -> Vec<usize> {
    let mut offsets = vec![HEADER];
    while let Ok(Some((_, end))) = format::next(tape, *offsets.last().expect("not empty")) {
        offsets.push(end);
    }
    offsets
}

/// Changes values of a record, and corrects word and checksum.
fn forge(tape: &[u8], record: std::ops::Range<usize>, random: Random) -> Vec<u8> {
    let pick = |n: u64, count: usize| (f64::from(random.unit(n)) * count as f64) as usize;
    let mut values = tape[record.start + RECORD_HEADER..record.end].to_vec();
    let mut code = tape[record.start];
    for n in 0..1 + pick(1, 3) {
        if let Some(byte) = (!values.is_empty()).then(|| pick(10 + n as u64, values.len())) {
            values[byte] = [0, 1, 0x7f, 0xff, values[byte] ^ 0x80][pick(20 + n as u64, 5)];
        }
    }
    match pick(2, 6) {
        0 => values.truncate(pick(3, values.len() + 1)),
        1 => values.push(0),
        // Another call with these values; the beginning stays, and steps may last forever.
        2 if record.start > HEADER => code = 5 + pick(4, 60) as u8,
        _ => {}
    }
    let mut forged = tape[..record.start].to_vec();
    format::put_values(code, &values, &mut forged);
    forged.extend_from_slice(&tape[record.end..]);
    forged
}

#[test]
fn forged_calls_are_refused_or_diverge_and_nothing_panics() {
    let tape = tape();
    let offsets = records(&tape);
    assert_eq!(offsets.last(), Some(&tape.len()));
    assert!(offsets.len() > 18);
    let mut id = world();
    let (mut refused, mut diverged) = (0, 0);
    let (result, progress) = replay(id, &tape);
    assert_eq!((result, progress.diverged_step, progress.steps), (VORTON_OK, u64::MAX, 3));
    for seed in 0..4000 {
        let record = 1 + (seed % (offsets.len() as u64 - 2)) as usize;
        // Tracer sets of any size take any memory.
        if tape[offsets[record]] == 33 {
            continue;
        }
        let forged = forge(&tape, offsets[record]..offsets[record + 1], Random::new(seed));
        let (result, progress) = replay(id, &forged);
        refused += u32::from(result == VORTON_ERR_RECORDING || result == VORTON_ERR_SNAPSHOT);
        diverged += u32::from(progress.diverged_call != u64::MAX);
        let is_known = [VORTON_ERR_RECORDING, VORTON_ERR_SNAPSHOT, VORTON_NOTE_DIVERGED, VORTON_OK];
        assert!(is_known.contains(&result), "seed {seed}: {result}, {}", guard::last_error());
        if seed % 100 == 99 {
            assert_eq!(vorton_world_destroy(id), VORTON_OK);
            id = world();
        }
    }
    println!("{refused} refused, {diverged} diverged");
    assert!(refused > 500 && diverged > 500);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}

/// Refused calls are not recorded: if they used up ids, later objects would have others in a replay.
#[test]
fn a_refused_shape_takes_no_id() {
    let (mut tape, id) = (Vec::new(), world());
    // SAFETY: all pointers are of locals; the recording ends with the world.
    unsafe {
        assert_eq!(vorton_world_record(id, Some(keep), (&raw mut tape).cast()), VORTON_OK);
        let mut body = VortonBodyId::NULL;
        let def = VortonBodyDef::default();
        assert_eq!(vorton_body_create(id, &raw const def, &raw mut body), VORTON_OK);
        for (kind, expected) in [
            (VORTON_SHAPE_SPHERE, VORTON_OK),
            (VORTON_SHAPE_HALF_SPACE, VORTON_ERR_BAD_VALUE),
            (VORTON_SHAPE_SPHERE, VORTON_OK),
        ] {
            let shape = VortonShapeDef::default_of(kind);
            assert_eq!(vorton_shape_create(id, body, &raw const shape, std::ptr::null_mut()), expected);
        }
    }
    assert!(vorton_world_step(id, 0.02) >= VORTON_OK);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
    let again = world();
    let (result, progress) = replay(again, &tape);
    assert_eq!((result, progress.steps, progress.diverged_call), (VORTON_OK, 1, u64::MAX));
    assert_eq!(vorton_world_destroy(again), VORTON_OK);
}

#[test]
fn a_hash_before_any_call_is_survived() {
    let mut tape = tape();
    let first = records(&tape)[1];
    tape.truncate(first);
    put_values(5, &[0; 8], &mut tape);
    let id = world();
    let (result, progress) = replay(id, &tape);
    assert_eq!((result, progress.diverged_step, progress.diverged_call), (VORTON_NOTE_DIVERGED, 0, 0));
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}

#[test]
fn another_version_is_named() {
    let mut tape = tape();
    tape[12] ^= 0xff;
    let id = world();
    let (result, progress) = replay(id, &tape);
    assert_eq!((result, progress.offset), (VORTON_ERR_RECORDING, 0));
    assert!(guard::last_error().starts_with("the recording is of version 0."), "{}", guard::last_error());
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}
