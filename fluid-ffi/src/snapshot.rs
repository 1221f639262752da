//! Snapshots: saving and restoring a whole world as bytes.

use crate::guard;
use crate::handle::Slots;
use crate::heap::{self, Refusing, Spare};
use crate::memory::{check_array, check_output, slice, write};
use crate::recorder::Call;
use crate::state::op::OpEntry;
use crate::state::{Need, State, TracerSet, World, reading, writing};
use crate::status::*;
use crate::tracers::MAX_TRACERS;
use crate::types::world::VortonWorldId;
use fluid_core::particles::Tracers;
use fluid_core::saved::{Element, LoadError, NoInsides, Reader, Saved, Writer, check};
use fluid_threads::Executor;
use libc::c_void;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use twox_hash::XxHash3_64;

/// The first bytes of a snapshot.
const MAGIC: u64 = u64::from_le_bytes(*b"VORTON\x1a\n");

/// Revision of the snapshot format within a version of the library.
const FORM: u32 = 24;

/// Magic, version of the library, format revision, size of the contents and their checksum.
const HEADER: usize = 40;

/// No world creates as many objects: adding to a smaller number does not overflow.
const LAST_SERIAL: u64 = 1 << 62;

fluid_core::saved::fields!(TracerSet { key, max_age, capacity, readable_during_steps });
impl Element for TracerSet {}

/// Returns the version of this library.
fn version() -> [u32; 4] {
    let number = |text: &str| text.parse().unwrap_or(u32::MAX);
    let [major, minor, patch] =
        [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"), env!("CARGO_PKG_VERSION_PATCH")];
    [number(major), number(minor), number(patch), FORM]
}

impl World {
    /// Writes the contents, as far as they fit. Returns their size, and the size of the leading part that
    /// belongs to the world itself: the remainder is user data of the host.
    fn write_contents(&self, state: &State, bytes: &mut [u8]) -> Outcome<[usize; 2]> {
        let bodies = &state.bodies.bodies;
        let mut out = Writer::new(bytes, bodies);
        bodies.save(&mut out);
        state.bodies.save(&self.body_ids(), &mut out);
        self.pending_impulses().save(&mut out);
        state.sim.save(&mut out);
        state.emitters.save(&mut out);
        state.next_emitter.save(&mut out);
        state.emitter_ids.save(&mut out);
        state.tracer_sources.save(&mut out);
        state.tracers.save(&mut out);
        state.tracer_sets.save(&mut out);
        save_emissions(&*self.ops()?, &mut out)?;
        let own = out.len();
        self.user_data().save(&mut out);
        Ok([out.len(), own])
    }

    /// Writes the contents. Returns the size of the part that belongs to the world itself.
    fn write_all(&self, state: &State, bytes: &mut Vec<u8>) -> Outcome<usize> {
        let [len, own] = self.write_contents(state, &mut [])?;
        let _asking = Refusing::begin(false);
        bytes.try_reserve_exact(len.saturating_sub(bytes.len())).map_err(|_| no_memory(len))?;
        bytes.resize(len, 0);
        self.write_contents(state, bytes)?;
        Ok(own)
    }

    /// Returns the size of a snapshot.
    pub(crate) fn size_of_snapshot(&self, state: &State) -> Outcome<usize> {
        Ok(HEADER + self.write_contents(state, &mut [])?[0])
    }

    /// Returns a snapshot.
    pub(crate) fn snapshot(&self, state: &State) -> Outcome<Vec<u8>> {
        let size = self.size_of_snapshot(state)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| no_memory(size))?;
        bytes.resize(size, 0);
        self.write_snapshot(state, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes a snapshot as far as it fits. Returns its size.
    fn write_snapshot(&self, state: &State, room: &mut [u8]) -> Outcome<usize> {
        let (header, rest) = room.split_at_mut(HEADER.min(room.len()));
        let [len, _] = self.write_contents(state, rest)?;
        if let Some(contents) = rest.get(..len) {
            let mut header = Writer::new(header, &NoInsides);
            MAGIC.save(&mut header);
            version().save(&mut header);
            (len as u64, XxHash3_64::oneshot(contents)).save(&mut header);
        }
        Ok(HEADER + len)
    }

    /// Loads the contents of a snapshot.
    fn read_contents(
        &self,
        state: &mut State,
        bytes: &[u8],
        has_memory: &dyn Fn(usize) -> bool,
    ) -> Result<(), LoadError> {
        let mut from = Reader::new(bytes, &NoInsides, &*self.exec).with_memory(has_memory);
        let State {
            sim,
            emitters,
            next_emitter,
            emitter_ids,
            tracer_sources,
            tracers,
            tracer_sets,
            bodies,
            ..
        } = state;
        bodies.bodies.load(&mut from)?;
        bodies.load(&mut self.body_ids(), &mut from)?;
        let mut impulses = self.pending_impulses();
        impulses.load(&mut from)?;
        impulses.log.clear();
        drop(impulses);
        let mut from = Reader::new(from.rest(), &bodies.bodies, &*self.exec);
        sim.load(&mut from)?;
        emitters.load(&mut from)?;
        next_emitter.load(&mut from)?;
        check(*next_emitter < LAST_SERIAL)?;
        emitter_ids.load(&mut from)?;
        tracer_sources.load(&mut from)?;
        check([emitters.len(), tracer_sources.len()] == [sim.emitters().len(); 2])?;
        tracers.load(&mut from)?;
        tracer_sets.load(&mut from)?;
        let fits = |set: &TracerSet| {
            let has_room = |tracers: &Tracers| (tracers.len()..=MAX_TRACERS as usize).contains(&set.capacity);
            tracers.get(set.key).is_some_and(has_room)
        };
        check(tracer_sets.iter().all(fits))?;
        check(tracer_sources.iter().filter_map(|source| source.set).all(|key| tracers.get(key).is_some()))?;
        load_emissions(&*self.ops().map_err(|_| LoadError::Damaged)?, &mut from)?;
        self.user_data().load(&mut from)?;
        check(from.is_at_end())
    }

    /// Loads the contents of a snapshot; on failure restores the previous state.
    fn restore(&self, state: &mut State, contents: &[u8]) -> Outcome {
        drop(self.pending_impulses_in_order(&mut state.recorder));
        let mut before = self.snapshot_memory();
        self.write_all(state, &mut before)?;
        // A world that restores from time to time, as rollback does, has the memory for it.
        let size = contents.len();
        let _hold = if size > state.restored + state.restored / 8 {
            let bytes = RESTORED * size + state.sim.memory_of_all_terms();
            Some(self.hold(state, Need::objects("the snapshot").and(bytes))?)
        } else {
            None
        };
        let requests = heap::requests();
        // Bodies with shapes that no body has take memory that is no multiple of their bytes.
        let spares = Mutex::new(Vec::new());
        let is_limited = AtomicBool::new(true);
        let has_memory = |bytes: usize| {
            if is_limited.load(Ordering::Relaxed) && !heap::is_within_limit(bytes) {
                return false;
            }
            let spare = Spare::take(bytes);
            let found = spare.is_some();
            spares.lock().unwrap_or_else(|poison| poison.into_inner()).extend(spare);
            found
        };
        let mut read = |bytes: &[u8]| {
            let mut outcome = Err(LoadError::Damaged);
            self.exec.enter(&mut || {
                let read = AssertUnwindSafe(|| self.read_contents(state, bytes, &has_memory));
                outcome = catch_unwind(read).unwrap_or(Err(LoadError::Damaged));
            });
            outcome
        };
        if let Err(error) = read(contents) {
            is_limited.store(false, Ordering::Relaxed);
            let restored = read(&before);
            assert!(restored.is_ok(), "a world cannot become again what it was: {restored:?}");
            return Err(refused_by(error));
        }
        self.note_living(state);
        self.published_tracers.keep(&state.tracer_sets);
        let State { tracers, tracer_sets, .. } = &*state;
        self.exec.enter(&mut || self.publish_tracers(tracers, tracer_sets));
        self.publish(state);
        self.note_stats(state);
        let is_quiet = heap::requests() == requests;
        state.restored = if is_quiet { state.restored.max(size).max(before.len()) } else { 0 };
        Ok(())
    }
}

/// Upper bound on the memory that restoring takes, as a multiple of the snapshot.
const RESTORED: usize = 4;

fn no_memory(size: usize) -> Error {
    let text = format_args!("there is no memory for a snapshot of {size} bytes");
    Error::new(VORTON_ERR_OUT_OF_MEMORY, text)
}

fn refused_by(error: LoadError) -> Error {
    match error {
        LoadError::OutOfMemory => Error::new(VORTON_ERR_OUT_OF_MEMORY, error),
        error => refused(error),
    }
}

fn refused(text: impl std::fmt::Display) -> Error {
    Error::new(VORTON_ERR_SNAPSHOT, text)
}

/// Saves the state that emissions carry from run to run, with their slots.
fn save_emissions(ops: &Slots<OpEntry>, out: &mut Writer<'_>) -> Outcome {
    let emissions = || ops.iter().filter(|(_, op)| op.emits());
    emissions().count().save(out);
    for (key, op) in emissions() {
        key.save(out);
        op.lock_state()?.save(out);
    }
    Ok(())
}

/// Loads the states of emissions. Emissions destroyed since stay destroyed, new ones continue, and one that
/// is running on another thread keeps its state.
fn load_emissions(ops: &Slots<OpEntry>, from: &mut Reader<'_>) -> Result<(), LoadError> {
    for _ in 0..from.count(1)? {
        let (key, carried) = (from.value()?, from.value()?);
        if let Some(Ok(mut state)) = ops.get(key).filter(|op| op.emits()).map(|op| op.lock_state()) {
            *state = carried;
        }
    }
    Ok(())
}

/// Returns the contents of a snapshot, after checking that it is complete and of this version.
fn contents(bytes: &[u8]) -> Outcome<&[u8]> {
    let Some((header, contents)) = bytes.split_at_checked(HEADER) else {
        return Err(refused(format_args!("{} bytes are not a snapshot", bytes.len())));
    };
    let mut from = Reader::new(header, &NoInsides, &fluid_threads::Serial);
    let mut read = || Ok((from.value()?, from.value()?, from.value()?, from.value()?));
    let (magic, saved, size, sum): (u64, [u32; 4], u64, u64) =
        read().map_err(|error: LoadError| refused(error))?;
    if magic != MAGIC {
        return Err(refused("the bytes are not a snapshot"));
    }
    if saved != version() {
        let [major, minor, patch, form] = saved;
        let text =
            format_args!("the snapshot is of version {major}.{minor}.{patch} of the library, form {form}");
        return Err(refused(text));
    }
    if size != contents.len() as u64 || sum != XxHash3_64::oneshot(contents) {
        return Err(refused("the snapshot is damaged: its size or its checksum is not what it was"));
    }
    Ok(contents)
}

/// Saves a whole world into the caller's memory: vortons, bodies, emitters and tracers with their ids and
/// user data, all state that the next steps depend on, and the field for sampling. A world restored from it
/// continues with the same bits, on any number of threads. The bytes contain no pointers and may be moved,
/// stored and sent; they have a version and a checksum. Does not allocate. Particle operations are not
/// included, except the state that emissions carry from run to run; nor is the host's own memory.
///
/// @param out      room for capacity bytes; may be NULL if capacity is 0
/// @param out_size receives the size of the snapshot in bytes, also when it does not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; the contents of `out` are then undefined. A
///     capacity of 0 only returns the size, and is VORTON_OK. VORTON_ERR_BUSY while an emission runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_save(
    world: VortonWorldId,
    out: *mut c_void,
    capacity: usize,
    out_size: *mut usize,
) -> VortonResult {
    guard::run(|| {
        let out = out.cast::<u8>();
        check_array(out, capacity, "out")?;
        check_output(out_size, "out_size")?;
        reading(world, |world, state| {
            let room = if capacity == 0 {
                &mut []
            } else {
                // SAFETY: checked above; the caller promises that much room.
                unsafe { std::slice::from_raw_parts_mut(out, capacity) }
            };
            let size = world.write_snapshot(state, room)?;
            // SAFETY: checked above; the caller promises the rest.
            unsafe { write(out_size, size, "out_size") }?;
            if capacity == 0 {
                return Ok(());
            }
            if capacity < size {
                let text = format_args!("room for {capacity} bytes, but the snapshot has {size}");
                return Err(Error::new(VORTON_ERR_BUFFER_SMALL, text));
            }
            Ok(())
        })
    })
}

/// Restores a world to the state of a snapshot, taken of this world or of another world with the same
/// definition (except threads, and the fields that have setters). Ids are restored, too: objects created
/// since are gone, objects destroyed since exist again. The id of an object that is gone may be reused by the
/// next object created. In another world, list the new ids with vorton_world_bodies, vorton_world_emitters
/// and vorton_world_tracers. Allocates only if the snapshot has more objects or elements, and repeats the
/// costly preparation of shapes (see VORTON_BODY_NO_THROUGH) only for bodies with shapes that no body has and
/// none of the last few destroyed bodies had.
///
/// @return VORTON_ERR_SNAPSHOT if the bytes are damaged, or from another version of the library or a world
///     with another definition; VORTON_ERR_BUSY while an emission runs. The world is then unchanged
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_restore(
    world: VortonWorldId,
    snapshot: *const c_void,
    size: usize,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller promises `size` readable bytes.
        let bytes = unsafe { slice(snapshot.cast::<u8>(), size, "snapshot") }?;
        writing(world, |world, state| {
            world.restore(state, contents(bytes)?)?;
            world.record(&mut state.recorder, &Call::Restore { snapshot: Cow::Borrowed(bytes) });
            Ok(())
        })
    })
}

/// Computes a hash of everything that vorton_world_save copies, except user data: equal worlds have equal
/// hashes on any number of threads, and worlds that differ in anything that affects a later step have
/// different hashes. vorton_world_hash is cheaper, and does not depend on tracers. Allocates memory for a
/// snapshot once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_hash_all(world: VortonWorldId, out: *mut u64) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let hash = reading(world, |world, state| {
            let mut bytes = world.snapshot_memory();
            let own = world.write_all(state, &mut bytes)?;
            Ok(XxHash3_64::oneshot(&bytes[..own]))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, hash, "out") }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::body::vorton_body_create;
    use crate::initial::{vorton_initial_def_init, vorton_world_add_initial};
    use crate::ops::{vorton_op_create, vorton_op_def_init};
    use crate::shape::{vorton_shape_create, vorton_shape_def_init};
    use crate::state::with_world;
    use crate::tracers::{vorton_tracers_add, vorton_tracers_create, vorton_tracers_destroy};
    use crate::types::VortonVec3;
    use crate::types::body::{VortonBodyDef, VortonBodyId};
    use crate::types::initial::VortonInitialDef;
    use crate::types::ops::{VORTON_OP_EMIT, VortonOpDef, VortonOpId};
    use crate::types::shape::{VortonShapeDef, VortonShapeId};
    use crate::types::tracers::{VortonTracersDef, VortonTracersId};
    use crate::types::world_def::VortonWorldDef;
    use crate::world::{vorton_world_create, vorton_world_destroy, vorton_world_step};
    use fluid_core::math::Random;

    /// Adds a mesh and a height field, far below.
    fn add_level(world: VortonWorldId) {
        let points = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let triangles = [[0_u32, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let def = VortonBodyDef {
            mass: 0.0,
            position: VortonVec3 { x: 0.0, y: 0.0, z: -3.0 },
            ..Default::default()
        };
        let mut body = VortonBodyId { index1: 0, world: 0, generation: 0 };
        for kind in [crate::types::shape::VORTON_SHAPE_MESH, crate::types::shape::VORTON_SHAPE_HEIGHT_FIELD] {
            // SAFETY: all pointers are of locals, and the arrays as long as the counts say.
            unsafe {
                assert_eq!(vorton_body_create(world, &raw const def, &raw mut body), VORTON_OK);
                let mut shape = std::mem::zeroed::<VortonShapeDef>();
                let size = size_of::<VortonShapeDef>() as u32;
                assert_eq!(vorton_shape_def_init(&raw mut shape, size, kind), VORTON_OK);
                (shape.points, shape.point_count) = (points.as_ptr().cast(), 4);
                (shape.triangles, shape.triangle_count) = (triangles.as_ptr().cast(), 4);
                (shape.heights, shape.columns, shape.rows) = (points.as_ptr().cast(), 4, 3);
                assert_eq!(
                    vorton_shape_create(world, body, &raw const shape, std::ptr::null_mut()),
                    VORTON_OK
                );
            }
        }
    }

    /// Creates a world with a drop that falls past a ball in a box, level geometry, and tracers.
    pub(crate) fn world() -> VortonWorldId {
        let gravity = VortonVec3 { x: 0.0, y: 0.0, z: -2.0 };
        let def = VortonWorldDef { max_vortons: 4000, gravity, ..VortonWorldDef::default() };
        let mut id = VortonWorldId { index1: 0, generation: 0 };
        // SAFETY: all pointers are of locals.
        unsafe {
            assert_eq!(vorton_world_create(&raw const def, &raw mut id), VORTON_OK);
            let mut drop = std::mem::zeroed::<VortonInitialDef>();
            assert_eq!(
                vorton_initial_def_init(
                    &raw mut drop,
                    size_of::<VortonInitialDef>() as u32,
                    crate::types::initial::VORTON_INITIAL_DENSITY_DROP
                ),
                VORTON_OK
            );
            (drop.radius, drop.spacing, drop.dye) = (0.3, 0.1, 1.0);
            assert_eq!(
                vorton_world_add_initial(id, &raw const drop, std::ptr::null_mut(), std::ptr::null_mut()),
                VORTON_OK
            );
            for (kind, role, size) in [
                (crate::types::shape::VORTON_SHAPE_SPHERE, false, 0.2),
                (crate::types::shape::VORTON_SHAPE_BOX, true, 1.5),
            ] {
                let def = VortonBodyDef {
                    flags: if role { 0 } else { crate::types::body::VORTON_BODY_NO_THROUGH },
                    mass: 0.03,
                    ..VortonBodyDef::default()
                };
                let mut body = VortonBodyId { index1: 0, world: 0, generation: 0 };
                assert_eq!(vorton_body_create(id, &raw const def, &raw mut body), VORTON_OK);
                let mut shape = std::mem::zeroed::<VortonShapeDef>();
                assert_eq!(
                    vorton_shape_def_init(&raw mut shape, size_of::<VortonShapeDef>() as u32, kind),
                    VORTON_OK
                );
                shape.radius = size;
                shape.half_extents = VortonVec3 { x: size, y: size, z: size };
                shape.flags = if role { crate::types::shape::VORTON_SHAPE_HOLE } else { 0 };
                let mut shape_id = VortonShapeId { index1: 0, world: 0, generation: 0 };
                assert_eq!(vorton_shape_create(id, body, &raw const shape, &raw mut shape_id), VORTON_OK);
            }
        }
        add_level(id);
        let def = VortonTracersDef { capacity: 300, readable_during_steps: 1, ..Default::default() };
        let mut set = VortonTracersId { index1: 0, world: 0, generation: 0 };
        let places = [0, 1, 2, 3].map(|n| VortonVec3 { x: 0.1 * n as f32, y: 0.0, z: 0.1 });
        // SAFETY: all pointers are of locals; tags and values may be null.
        unsafe {
            assert_eq!(vorton_tracers_create(id, &raw const def, &raw mut set), VORTON_OK);
            let (none, nothing) = (std::ptr::null(), std::ptr::null());
            assert_eq!(vorton_tracers_add(id, set, places.as_ptr(), none, nothing, places.len()), VORTON_OK);
        }
        for _ in 0..3 {
            assert!(vorton_world_step(id, 0.02) >= VORTON_OK);
        }
        id
    }

    pub(crate) fn save(id: VortonWorldId) -> Vec<u8> {
        let mut size = 0;
        // SAFETY: a capacity of 0 writes nothing; then there is room for all.
        unsafe {
            assert_eq!(vorton_world_save(id, std::ptr::null_mut(), 0, &raw mut size), VORTON_OK);
            let mut bytes = vec![0_u8; size];
            assert_eq!(vorton_world_save(id, bytes.as_mut_ptr().cast(), size, &raw mut size), VORTON_OK);
            bytes
        }
    }

    fn restore(id: VortonWorldId, bytes: &[u8]) -> VortonResult {
        // SAFETY: all of a slice is readable.
        unsafe { vorton_world_restore(id, bytes.as_ptr().cast(), bytes.len()) }
    }

    /// Changes some bytes, mostly near each other, and corrects size and checksum.
    fn forge(bytes: &mut Vec<u8>, random: Random) {
        let last = bytes.len() - HEADER;
        let pick = |n: u64, count: usize| (f64::from(random.unit(n)) * count as f64) as usize;
        let first = HEADER + pick(0, if pick(1, 2) == 0 { last } else { 6000 });
        for n in 0..1 + pick(2, 4) {
            let at = (first + pick(10 + n as u64, 24)).min(bytes.len() - 1);
            bytes[at] = [0, 1, 0x7f, 0xff, bytes[at] ^ 1, bytes[at].wrapping_add(1)][pick(20 + n as u64, 6)];
        }
        if pick(3, 8) == 0 {
            bytes.truncate(HEADER + pick(4, last));
        }
        correct_header(bytes);
    }

    pub(crate) const HEADER_SIZE: usize = HEADER;

    /// Corrects size and checksum of changed contents.
    pub(crate) fn correct_header(bytes: &mut [u8]) {
        let (size, sum) = ((bytes.len() - HEADER) as u64, XxHash3_64::oneshot(&bytes[HEADER..]));
        bytes[24..32].copy_from_slice(&size.to_ne_bytes());
        bytes[32..40].copy_from_slice(&sum.to_ne_bytes());
    }

    fn forged_ones_are_refused_or_survived(seeds: std::ops::Range<u64>) -> [u32; 3] {
        let mut id = world();
        let saved = save(id);
        // Counts of snapshots refused, continued, and continued to an internal error.
        let mut counts = [0; 3];
        for seed in seeds {
            let mut bytes = saved.clone();
            forge(&mut bytes, Random::new(seed));
            let answer = restore(id, &bytes);
            assert!(
                answer == VORTON_OK || answer == VORTON_ERR_SNAPSHOT,
                "seed {seed}: {}",
                guard::last_error()
            );
            if answer == VORTON_ERR_SNAPSHOT {
                assert!(save(id) == saved, "seed {seed} has changed the world");
                counts[0] += 1;
                continue;
            }
            let stepped = vorton_world_step(id, 0.02);
            counts[if stepped >= VORTON_OK { 1 } else { 2 }] += 1;
            if stepped >= VORTON_OK && restore(id, &saved) == VORTON_OK {
                assert!(save(id) == saved, "seed {seed} has left something");
            } else {
                assert_eq!(vorton_world_destroy(id), VORTON_OK);
                id = world();
            }
        }
        assert_eq!(vorton_world_destroy(id), VORTON_OK);
        counts
    }

    #[test]
    fn forged_snapshots_are_refused_and_change_nothing_or_are_survived() {
        let [refused, went_on, failed] = forged_ones_are_refused_or_survived(0..60);
        println!("{refused} refused, {went_on} went on, {failed} stopped at an internal error");
        assert!(refused > 3 && went_on > 3);
    }

    /// The capacity of a tracer set is read from the snapshot and checked before it is allocated.
    #[test]
    fn a_set_of_tracers_cannot_be_made_larger_than_any() {
        let id = world();
        let def = VortonTracersDef { capacity: 123_457, readable_during_steps: 1, ..Default::default() };
        let mut set = VortonTracersId { index1: 0, world: 0, generation: 0 };
        // SAFETY: both point to locals.
        assert_eq!(unsafe { vorton_tracers_create(id, &raw const def, &raw mut set) }, VORTON_OK);
        let saved = save(id);
        let stored = 123_457_u64.to_ne_bytes();
        let at: Vec<_> = (0..saved.len() - 8).filter(|&at| saved[at..at + 8] == stored).collect();
        assert_eq!(at.len(), 1, "the capacity stands there once");
        assert_eq!(vorton_tracers_destroy(id, set), VORTON_OK);
        let without = save(id);
        for capacity in [u64::MAX, 1 << 60, u64::from(MAX_TRACERS) + 1] {
            let mut bytes = saved.clone();
            bytes[at[0]..at[0] + 8].copy_from_slice(&capacity.to_ne_bytes());
            let sum = XxHash3_64::oneshot(&bytes[HEADER..]);
            bytes[32..40].copy_from_slice(&sum.to_ne_bytes());
            assert_eq!(restore(id, &bytes), VORTON_ERR_SNAPSHOT, "{capacity}");
            assert!(save(id) == without, "{capacity} has changed the world");
        }
        assert_eq!(restore(id, &saved), VORTON_OK);
        assert_eq!(vorton_world_destroy(id), VORTON_OK);
    }

    #[test]
    #[ignore = "long"]
    fn many_forged_snapshots() {
        println!("{:?}", forged_ones_are_refused_or_survived(1000..8000));
    }

    fn emission(id: VortonWorldId) -> OpEntry {
        let mut op = VortonOpId { index1: 0, world: 0, generation: 0 };
        // SAFETY: all pointers are of locals.
        unsafe {
            let mut def = std::mem::zeroed::<VortonOpDef>();
            let size = size_of::<VortonOpDef>() as u32;
            assert_eq!(vorton_op_def_init(&raw mut def, size, VORTON_OP_EMIT), VORTON_OK);
            assert_eq!(vorton_op_create(id, &raw const def, &raw mut op), VORTON_OK);
        }
        let find = |world: &World| Ok(world.ops()?.get(op.key(world.serial)?).cloned().expect("it is there"));
        with_world(id, find).expect("a world")
    }

    #[test]
    fn an_emission_that_runs_makes_the_world_busy_and_nothing_worse() {
        let id = world();
        let op = emission(id);
        op.lock_state().expect("free").emitted = 7;
        let saved = save(id);
        let mut emissions = [0; 64];
        let write =
            |world: &World| save_emissions(&*world.ops()?, &mut Writer::new(&mut emissions, &NoInsides));
        with_world(id, write).expect("a world");
        let mut running = op.lock_state().expect("free");
        running.emitted = 9;
        assert_eq!(restore(id, &saved), VORTON_ERR_BUSY);
        // An emission that began later would keep its state.
        let load = |world: &World| {
            let mut from = Reader::new(&emissions, &NoInsides, &fluid_threads::Serial);
            Ok(load_emissions(&*world.ops()?, &mut from))
        };
        assert_eq!(with_world(id, load).expect("a world"), Ok(()));
        assert_eq!(running.emitted, 9);
        drop(running);
        assert_eq!(restore(id, &saved), VORTON_OK);
        assert_eq!(op.lock_state().expect("free").emitted, 7);
        assert_eq!(vorton_world_destroy(id), VORTON_OK);
    }
}
