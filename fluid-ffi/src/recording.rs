//! Recordings: a snapshot of a world, and the calls that have changed it since, as bytes for the host.

pub mod replay;
#[cfg(test)]
pub(crate) mod tests;

use crate::guard;
use crate::memory::slice;
use crate::recorder::{Call, LevelHeader, Log, RecordingSink, format};
use crate::state::{Need, State, World, writing};
use crate::status::*;
use crate::types::recording::VortonRecordFn;
use crate::types::world::VortonWorldId;
use crate::types::world_def::VortonWorldDef;
use fluid_bodies::shapes::{Geometry, Shape};
use libc::c_void;
use std::borrow::Cow;

/// All such level geometry of a world.
#[derive(Debug, Default)]
struct Levels {
    levels: Vec<LevelHeader>,
    points: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    heights: Vec<f32>,
}

impl Levels {
    /// Returns the size \[bytes\] of all such geometry.
    fn bytes(state: &State) -> usize {
        let obstacles = state.bodies.bodies.obstacles().list();
        let shapes = obstacles.iter().flat_map(|obstacle| obstacle.shapes());
        let bytes = |shape: &Shape| match &shape.geometry {
            Geometry::Mesh(mesh) => size_of_val(mesh.vertices()) + size_of_val(mesh.triangles()),
            Geometry::HeightField(field) => size_of_val(field.heights()),
            _ => 0,
        };
        shapes.filter(|shape| Shape::is_saved_by_hash(shape)).map(bytes).sum()
    }

    fn of(state: &State) -> Self {
        let mut all = Self::default();
        let obstacles = state.bodies.bodies.obstacles().list();
        let shapes = obstacles.iter().flat_map(|obstacle| obstacle.shapes());
        for shape in shapes.filter(|shape| Shape::is_saved_by_hash(shape)) {
            let none = LevelHeader { points: 0, triangles: 0, columns: 0, rows: 0, spacing: [0.0; 2] };
            match &shape.geometry {
                Geometry::Mesh(mesh) => {
                    let (points, triangles) = (mesh.vertices(), mesh.triangles());
                    all.points.extend(points.iter().map(|point| point.to_array()));
                    all.triangles.extend(triangles.iter().map(|triangle| triangle.to_array()));
                    let (points, triangles) = (points.len() as u32, triangles.len() as u32);
                    all.levels.push(LevelHeader { points, triangles, ..none });
                }
                Geometry::HeightField(field) => {
                    all.heights.extend_from_slice(field.heights());
                    let ([columns, rows], spacing) = (field.samples().to_array(), field.spacing().to_array());
                    all.levels.push(LevelHeader { columns, rows, spacing, ..none });
                }
                _ => {}
            }
        }
        all
    }
}

/// Upper bound on the memory that the beginning of a recording takes, as a multiple of its bytes.
const RECORDED: usize = 5;

impl World {
    /// Ends a recording and begins another one, if `sink` is given.
    fn record_to(&self, state: &mut State, sink: Option<RecordingSink>) -> Outcome {
        drop(self.pending_impulses_in_order(&mut state.recorder));
        self.user_data().log.write_to(&mut state.recorder);
        let Some(sink) = sink else {
            state.recorder.end();
            self.log_changes(false);
            return Ok(());
        };
        // A reaction that arrives meanwhile may be in the snapshot or not: then another one is taken.
        let snapshot = loop {
            self.log_changes(true);
            let snapshot = self.snapshot(state).inspect_err(|_| self.log_changes(state.recorder.is_on()))?;
            if self.pending_impulses().log.is_empty() {
                break snapshot;
            }
        };
        let def = self.present_def(state);
        let Levels { levels, points, triangles, heights } = Levels::of(state);
        state.recorder.begin(sink);
        state.recorder.write(&Call::Begin {
            def: Cow::Borrowed(format::numbers(&comparable(def))),
            user_data: def.user_data,
            levels: Cow::Owned(levels),
            points: Cow::Owned(points),
            triangles: Cow::Owned(triangles),
            heights: Cow::Owned(heights),
            snapshot: Cow::Owned(snapshot),
        });
        Ok(())
    }

    fn log_changes(&self, on: bool) {
        self.pending_impulses().log = Log::new(on);
        self.user_data().log = Log::new(on);
    }
}

/// Returns the definition without the fields on which results do not depend, so that the recordings of two
/// machines can be compared byte by byte.
fn comparable(def: VortonWorldDef) -> VortonWorldDef {
    let VortonWorldDef { struct_size, threads, instructions, .. } = VortonWorldDef::default();
    VortonWorldDef { struct_size, threads, worker_count: 0, instructions, ..def }
}

/// Begins a recording of a world: passes a header, a snapshot (vorton_world_save), and then each call that
/// changes the world to `write`, in order, with the hash of the world (vorton_world_hash) after each step.
/// vorton_world_replay makes the same calls in another world, and finds the first step that gives other bits.
///
/// A call is recorded when it has succeeded, a step before it begins: if the program ends in a step, the
/// recording still contains that step. Recorded are all calls that change vortons, bodies, emitters, tracers,
/// settings or user data; of particle operations, which work on memory of the host, only their impulses on
/// bodies (VORTON_OP_COLLIDE); of a step within a budget by the clock, its quality. A restored snapshot is
/// recorded whole. Meshes and height fields are recorded whole, too, also with VORTON_SHAPE_SAVED_BY_HASH.
///
/// A step takes 44 bytes, and 60 for each body of which the state is set and the impulse taken, in calls for
/// many bodies. A recorded step computes the hash, about 12 ns per vorton, and does not allocate in steady
/// state. Recording ends with the world, or when another recording begins. It is not part of snapshots: it
/// goes on when one is restored.
///
/// @param write receives the bytes; NULL: ends the recording
/// @param user  passed through to write
/// @return VORTON_ERR_BUSY while an emission (VORTON_OP_EMIT) runs, or another thread uses the world. The
///     previous recording then goes on
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_record(
    world: VortonWorldId,
    write: VortonRecordFn,
    user: *mut c_void,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the host promises that the function may be called with this pointer until it is replaced.
        let sink = write.map(|write| unsafe { RecordingSink::new(write, user) });
        writing(world, |world, state| {
            let snapshot = if sink.is_some() { world.size_of_snapshot(state)? } else { 0 };
            let bytes = RECORDED * (snapshot + Levels::bytes(state));
            let _hold = world.hold(state, Need::objects("the recording").and(bytes))?;
            world.record_to(state, sink)
        })
    })
}

/// Returns the bytes of a recording.
///
/// # Safety
/// `recording` is null or points to `size` readable bytes that are not written during `'a`.
unsafe fn bytes<'a>(recording: *const c_void, size: usize) -> Outcome<&'a [u8]> {
    // SAFETY: the caller's promise.
    unsafe { slice(recording.cast::<u8>(), size, "recording") }
}
