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
const FORM: u32 = 32;

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
        if len > bytes.capacity() {
            // Not both at a time.
            *bytes = Vec::new();
            if !heap::is_within_limit(len) {
                return Err(over_limit());
            }
        }
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
    fn read_contents(&self, state: &mut State, bytes: &[u8], room: &RestoreRoom) -> Result<(), LoadError> {
        let (has_memory, is_within_limit) =
            (|bytes| room.has_memory(bytes), |bytes| room.is_within_limit(bytes));
        let from = Reader::new(bytes, &NoInsides, &*self.exec);
        let mut from = from.with_memory(&has_memory).with_limit(&is_within_limit);
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
        let mut from = Reader::new(from.rest(), &bodies.bodies, &*self.exec).with_limit(&is_within_limit);
        sim.load(&mut from)?;
        emitters.load(&mut from)?;
        next_emitter.load(&mut from)?;
        check(*next_emitter < LAST_SERIAL)?;
        emitter_ids.load(&mut from)?;
        tracer_sources.load(&mut from)?;
        check([emitters.len(), tracer_sources.len()] == [sim.emitters().len(); 2])?;
        let count = bodies.bodies.list().len();
        check(sim.emitters().iter().filter_map(|emitter| emitter.def.body).all(|body| body < count))?;
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

    /// Restores the contents of a snapshot; on failure the previous state.
    fn restore(&self, state: &mut State, contents: &[u8]) -> Outcome {
        drop(self.pending_impulses_in_order(&mut state.recorder));
        let mut before = self.snapshot_memory();
        let room = before.capacity();
        let outcome = self.restore_or_go_back(state, contents, &mut before);
        // A world that has been refused has no more use for it.
        if outcome.is_err() && before.capacity() > room {
            *before = Vec::new();
        }
        outcome
    }

    fn restore_or_go_back(&self, state: &mut State, contents: &[u8], before: &mut Vec<u8>) -> Outcome {
        self.write_all(state, before)?;
        let has_been = self.memory.counts().bytes;
        // A world that restores from time to time, as rollback does, has the memory for it.
        let size = contents.len();
        let _hold = if size > state.restored + state.restored / 8 {
            let bytes = RESTORED * size + state.sim.memory_of_all_terms();
            let need = Need::objects("the snapshot").and(bytes);
            Some(self.hold_beyond_limit(state, need)?)
        } else {
            None
        };
        let requests = heap::requests();
        let room = RestoreRoom::default();
        let mut outcome = self.load(state, contents, &room);
        // The copies for readers grow as much, those of tracers twice.
        let grown = self.memory.counts().bytes.saturating_sub(has_been) as usize;
        if outcome.is_ok() && grown > 0 && !room.is_within_limit(2 * grown) {
            outcome = Err(LoadError::OutOfMemory);
        }
        if let Err(error) = outcome {
            let is_over_limit = room.is_over_limit.swap(false, Ordering::Relaxed);
            room.is_limited.store(false, Ordering::Relaxed);
            let restored = self.load(state, before, &room);
            assert!(restored.is_ok(), "a world cannot become again what it was: {restored:?}");
            return Err(if is_over_limit { over_limit() } else { refused_by(error) });
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

    /// Loads the contents of a snapshot. A panic, as by absurd numbers, is damage.
    fn load(&self, state: &mut State, contents: &[u8], room: &RestoreRoom) -> Result<(), LoadError> {
        let mut outcome = Err(LoadError::Damaged);
        self.exec.enter(&mut || {
            let read = AssertUnwindSafe(|| self.read_contents(state, contents, room));
            outcome = catch_unwind(read).unwrap_or(Err(LoadError::Damaged));
        });
        outcome
    }
}

/// The memory that a restore may take.
struct RestoreRoom {
    /// True if the limit of the world counts: not for going back.
    is_limited: AtomicBool,
    /// True if the limit has refused memory.
    is_over_limit: AtomicBool,
    /// Memory for bodies with shapes that no body has: it is no multiple of their bytes.
    spares: Mutex<Vec<Spare>>,
}

impl Default for RestoreRoom {
    fn default() -> Self {
        Self { is_limited: true.into(), is_over_limit: false.into(), spares: Mutex::default() }
    }
}

impl RestoreRoom {
    fn is_within_limit(&self, bytes: usize) -> bool {
        let is_within = !self.is_limited.load(Ordering::Relaxed) || heap::is_within_limit(bytes);
        self.is_over_limit.fetch_or(!is_within, Ordering::Relaxed);
        is_within
    }

    fn has_memory(&self, bytes: usize) -> bool {
        let spare = self.is_within_limit(bytes).then(|| Spare::take(bytes)).flatten();
        let found = spare.is_some();
        self.spares.lock().unwrap_or_else(|poison| poison.into_inner()).extend(spare);
        found
    }
}

/// Upper bound on the memory that restoring takes, as a multiple of the snapshot.
const RESTORED: usize = 4;

fn no_memory(size: usize) -> Error {
    let text = format_args!("there is no memory for a snapshot of {size} bytes");
    Error::new(VORTON_ERR_OUT_OF_MEMORY, text)
}

fn over_limit() -> Error {
    Error::new(VORTON_ERR_OUT_OF_MEMORY, "max_memory leaves no room for the snapshot")
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
///     with another definition; VORTON_ERR_BUSY while an emission runs; VORTON_ERR_OUT_OF_MEMORY if there is
///     no memory for it, or no room below VortonWorldDef.max_memory. The world is then unchanged
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
/// different hashes. This hash covers the state of emissions, so it differs between worlds of which one has a
/// VORTON_OP_EMIT operation and the other has none. vorton_world_hash is cheaper, and does not depend on
/// tracers. Allocates memory for a snapshot once.
///
/// @return VORTON_ERR_OUT_OF_MEMORY if there is none, or no room below VortonWorldDef.max_memory
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
pub(crate) mod tests;
