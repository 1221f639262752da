//! Worlds: the table of worlds, the state of a world, and its locks.

pub(crate) mod body_table;
pub(crate) mod kept_hash;
pub(crate) mod op;
pub(crate) mod published_tracers;
pub(crate) mod stats;
pub(crate) mod tracer_source;
pub(crate) mod user_data;
pub(crate) mod warned;

use crate::guard::PoisonOnPanic;
use crate::handle::{Key, Living, Slots, stale};
use crate::heap::{self, Hold, StepHold, WithHolds, WorldMemory};
use crate::recorder::{Call, Recorder};
use crate::settings::{KeptDef, body_settings, params, switch};
use crate::state::body_table::{BodyIds, BodyTable, PendingImpulses, PublishedBodies};
use crate::state::kept_hash::KeptHash;
use crate::state::op::OpEntry;
use crate::state::published_tracers::{Copied, PublishedTracers};
use crate::state::stats::stats_of;
use crate::state::tracer_source::TracerSource;
use crate::state::user_data::UserData;
use crate::state::warned::Warned;
use crate::status::*;
use crate::threads;
use crate::types::stats::VortonStats;
use crate::types::world::{VORTON_MAX_OBJECTS, VORTON_MAX_WORLDS, VortonWorldId};
use crate::types::world_def::VortonWorldDef;
use crate::zones::HostsZones;
use fluid_bodies::bodies::Bodies;
use fluid_bodies::ledger::BodyImpulse;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::saved::{Saved, Writer};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::PublishedField;
use fluid_particles::ops::RunScratch;
use glam::Vec3;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// Upper bound \[bytes\] on the memory that a world allocates at creation: a fixed part and a part per vorton
/// of its capacity. Memory for bodies, density and meshes is allocated later.
const WORLD_BYTES: usize = 1 << 20;
const BYTES_PER_VORTON: usize = 768;

/// Upper bound \[bytes\] on the memory that the tables of objects take while they grow by a few objects: a
/// fixed part and a part per slot. A table that is full takes twice its size beside the old one.
const OBJECTS_BYTES: usize = 16 << 10;
const BYTES_PER_SLOT: usize = 512;

/// Upper bound on the memory of a publication, as a multiple of the saved fluid and tracers.
const PUBLISHED: usize = 4;

/// Slot numbers of children fit 16 bits.
pub(crate) const MAX_CHILDREN: usize = VORTON_MAX_OBJECTS as usize;

/// A world and the locks around its parts. A step holds `state`; operations and queries lock only the parts
/// that they read, so they can run during a step. Order of locks, where a call holds several: `state`, then
/// `body_ids` or `living`, then `impulses`, then `user_data`.
pub(crate) struct World {
    /// Distinguishes children of this world from those of any other, including an earlier world in the same
    /// slot. Never reused: generations of slots limit the worlds of a process to 1024 times 65535.
    pub(crate) serial: u32,
    pub(crate) exec: Arc<WithHolds>,
    /// True if steps first take the memory that they can need.
    checks_memory: bool,
    state: RwLock<State>,
    published: Mutex<Published>,
    pub(crate) published_tracers: PublishedTracers,
    ops: Mutex<Slots<OpEntry>>,
    /// Scratch memory of finished runs, for reuse.
    scratch: Mutex<Vec<RunScratch>>,
    /// Memory of drawn arrows, for reuse.
    velocities: Mutex<Vec<Vec3>>,
    body_ids: Mutex<BodyIds>,
    impulses: Mutex<PendingImpulses>,
    living: Mutex<LivingChildren>,
    user_data: Mutex<UserData>,
    def: KeptDef,
    pub(crate) zones: HostsZones,
    /// The statistics at the end of the last step.
    stats_of_step: Mutex<Option<VortonStats>>,
    pub(crate) kept_hash: KeptHash,
    /// Memory of a snapshot.
    snapshot: Mutex<Vec<u8>>,
    poisoned: AtomicBool,
    pub(crate) memory: WorldMemory,
}

/// The living emitters and sets of tracers. Outside the state, so that a query does not wait for a step.
#[derive(Debug, Default)]
pub(crate) struct LivingChildren {
    pub(crate) emitters: Living,
    pub(crate) tracers: Living,
}

/// The results that readers see: of the last completed step, or of a restore, a reset or a shift of the
/// origin since.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    pub(crate) field: Arc<PublishedField>,
    pub(crate) bodies: Arc<PublishedBodies>,
}

/// The part of a world that a step changes.
pub(crate) struct State {
    pub(crate) sim: VortexSim,
    /// Serial numbers of the emitters, in the order of `sim.emitters()`.
    pub(crate) emitters: Vec<u64>,
    pub(crate) next_emitter: u64,
    pub(crate) emitter_ids: Slots<u64>,
    /// The tracer source of each emitter.
    pub(crate) tracer_sources: Vec<TracerSource>,
    pub(crate) tracers: Slots<Tracers>,
    /// The living tracer sets, in order of creation.
    pub(crate) tracer_sets: Vec<TracerSet>,
    pub(crate) bodies: BodyTable,
    /// Pairs that were published earlier: the next publication reuses one without readers.
    spares: Vec<Published>,
    /// Size of the last snapshot restored if that has not allocated, else 0.
    pub(crate) restored: usize,
    /// Number of publications since the last that has allocated.
    quiet: usize,
    pub(crate) warned: Warned,
    /// Duration of the last call of `vorton_world_step` \[ms\].
    pub(crate) step_ms: f32,
    pub(crate) recorder: Recorder,
}

/// The world's record of a tracer set.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TracerSet {
    pub(crate) key: Key,
    pub(crate) max_age: f32,
    pub(crate) capacity: usize,
    pub(crate) readable_during_steps: bool,
}

/// Upper bound \[bytes\] on the memory of a set per tracer, without copies for readers.
const BYTES_PER_TRACER: usize = 72;

impl TracerSet {
    /// Returns an upper bound \[bytes\] on the memory of a set.
    pub(crate) fn memory(capacity: usize, readable_during_steps: bool) -> usize {
        let copies = if readable_during_steps { 2 * Copied::BYTES } else { 0 };
        (BYTES_PER_TRACER + copies).saturating_mul(capacity + 256)
    }
}

pub(crate) static WORLDS: RwLock<Slots<Arc<World>>> = RwLock::new(Slots::new(VORTON_MAX_WORLDS as usize));
static NEXT_SERIAL: AtomicU32 = AtomicU32::new(1);

pub(crate) fn lookup(id: VortonWorldId) -> Outcome<Arc<World>> {
    let worlds = WORLDS.read().unwrap_or_else(|poison| poison.into_inner());
    let key = world_key(id);
    key.and_then(|key| worlds.get(key)).cloned().ok_or_else(|| stale("world"))
}

pub(crate) fn world_key(id: VortonWorldId) -> Option<Key> {
    Some(Key { index1: id.index1, generation: id.generation.try_into().ok()? })
}

impl State {
    /// True if vorticity, heat or dye diffuse.
    pub(crate) fn diffuses(&self) -> bool {
        self.sim.params().diffuses()
    }
}

impl World {
    pub(crate) fn new(def: &VortonWorldDef) -> Outcome<Arc<Self>> {
        let memory = WorldMemory::open(def.max_memory)?;
        memory.during(|| Self::with(def, memory.clone()).map(Arc::new))
    }

    fn with(def: &VortonWorldDef, memory: WorldMemory) -> Outcome<Self> {
        let params = params(def)?;
        params.validate()?;
        let checks_memory = switch("check_memory", def.check_memory)?;
        reserved(&[def.reserved], "def")?;
        let _hold = Hold::take(
            WORLD_BYTES.saturating_add(BYTES_PER_VORTON.saturating_mul(params.max_vortons)),
            "max_vortons",
        )?;
        let exec = threads::executor(def)?;
        let bodies = Bodies::new(body_settings(def)?, &params)?;
        let mut sim = VortexSim::new(params)?;
        let zones = HostsZones::of(def);
        sim.set_zones(zones.shared());
        let unread = || {
            let mut field = sim.field().clone();
            field.reserve(params.max_vortons);
            Published { field: Arc::new(field), bodies: Arc::default() }
        };
        let mut spares = Vec::with_capacity(8);
        spares.push(unread());
        Ok(Self {
            serial: NEXT_SERIAL.fetch_add(1, Ordering::Relaxed),
            exec,
            checks_memory: checks_memory || heap::refuses_in_this_test(),
            published: Mutex::new(unread()),
            published_tracers: PublishedTracers::default(),
            ops: Mutex::new(Slots::new(MAX_CHILDREN)),
            scratch: Mutex::default(),
            velocities: Mutex::default(),
            body_ids: Mutex::new(BodyIds::new()),
            impulses: Mutex::default(),
            living: Mutex::default(),
            def: KeptDef::new(def),
            zones,
            user_data: Mutex::new(UserData { world: def.user_data, ..UserData::default() }),
            stats_of_step: Mutex::default(),
            kept_hash: KeptHash::default(),
            snapshot: Mutex::default(),
            poisoned: AtomicBool::new(false),
            memory,
            state: RwLock::new(State {
                sim,
                emitters: Vec::new(),
                next_emitter: 0,
                emitter_ids: Slots::new(MAX_CHILDREN),
                tracer_sources: Vec::new(),
                tracers: Slots::new(MAX_CHILDREN),
                tracer_sets: Vec::new(),
                bodies: BodyTable::new(bodies),
                spares,
                restored: 0,
                quiet: 0,
                warned: Warned::default(),
                step_ms: 0.0,
                recorder: Recorder::default(),
            }),
        })
    }

    /// Takes the memory that a call can need.
    pub(crate) fn hold(&self, state: &State, need: Need<'_>) -> Outcome<Hold> {
        Hold::take(self.memory_of(state, need), need.what)
    }

    /// As [`hold`](Self::hold), for a call that keeps to the limit of the world by itself.
    pub(crate) fn hold_beyond_limit(&self, state: &State, need: Need<'_>) -> Outcome<Hold> {
        Hold::beyond_limits(self.memory_of(state, need), need.what)
    }

    /// Returns an upper bound \[bytes\] on the memory that a call needs.
    fn memory_of(&self, state: &State, need: Need<'_>) -> usize {
        let ids = self.body_ids();
        let slots = ids.bodies.len() + ids.shapes.len() + state.emitter_ids.len() + state.tracers.len();
        drop(ids);
        let tables = OBJECTS_BYTES + BYTES_PER_SLOT * slots + state.bodies.bodies.memory_of_tables();
        tables + state.recorder.memory(need.recorded) + need.bytes
    }

    /// Takes the memory for terms that have none yet, if the parameters become these. `kills`: there are
    /// kill volumes; as now, if not given.
    pub(crate) fn hold_for_terms(
        &self,
        state: &State,
        next: &Params,
        kills: Option<bool>,
    ) -> Outcome<Option<Hold>> {
        let kills = kills.unwrap_or(!state.sim.kill_volumes().is_empty());
        match state.sim.memory_of_terms(next, kills) {
            0 => Ok(None),
            bytes => self.hold(state, Need::objects("the setting").and(bytes)).map(Some),
        }
    }

    /// Takes the memory that steps can need, if the world's definition wants that.
    pub(crate) fn hold_for_steps(&self, state: &State) -> Outcome<Option<StepHold<'_>>> {
        if !self.checks_memory {
            return Ok(None);
        }
        let bodies = &state.bodies.bodies;
        let sets = state.tracer_sets.iter();
        let tracers: usize = sets.map(|set| TracerSet::memory(set.capacity, set.readable_during_steps)).sum();
        let bytes = state.sim.memory_of_step(bodies.copies()) + bodies.memory_of_step() + tracers;
        let need = Need::objects("the step").and(bytes);
        self.exec.hold_for_steps(self.memory_of(state, need)).map(Some)
    }

    /// Takes the memory for publishing, unless the last publications, into the memory of the next ones, have
    /// taken none.
    pub(crate) fn hold_to_publish(&self, state: &State) -> Outcome<Option<Hold>> {
        match self.memory_to_publish(state) {
            0 => Ok(None),
            bytes => self.hold(state, Need::objects("the published field").and(bytes)).map(Some),
        }
    }

    /// Returns an upper bound \[bytes\] on the memory that publishing takes: 0 if the last publications, into
    /// the memory of the next ones, have taken none.
    pub(crate) fn memory_to_publish(&self, state: &State) -> usize {
        if state.quiet > state.spares.len() {
            return 0;
        }
        let mut out = Writer::new(&mut [], &state.bodies.bodies);
        state.sim.save(&mut out);
        state.tracers.save(&mut out);
        PUBLISHED * out.len()
    }

    pub(crate) fn check_alive(&self) -> Outcome {
        if self.poisoned.load(Ordering::Acquire) {
            let text =
                "an internal error has stopped this world; destroy it (queries of its last field still work)";
            return Err(Error::new(VORTON_ERR_POISONED, text));
        }
        Ok(())
    }

    fn write(&self) -> Outcome<RwLockWriteGuard<'_, State>> {
        self.check_alive()?;
        let guard = match self.state.try_write() {
            Ok(guard) => guard,
            Err(TryLockError::WouldBlock) => return Err(busy()),
            Err(TryLockError::Poisoned(poison)) => poison.into_inner(),
        };
        self.kept_hash.begin_change();
        Ok(guard)
    }

    pub(crate) fn read(&self) -> Outcome<RwLockReadGuard<'_, State>> {
        self.check_alive()?;
        match self.state.try_read() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(busy()),
            Err(TryLockError::Poisoned(poison)) => Ok(poison.into_inner()),
        }
    }

    /// Returns the field and the bodies as last published, both of the same state. The lock is held only
    /// while the pointers are copied.
    pub(crate) fn published(&self) -> Published {
        self.published.lock().unwrap_or_else(|poison| poison.into_inner()).clone()
    }

    /// Returns the field as last published.
    pub(crate) fn field(&self) -> Arc<PublishedField> {
        self.published().field
    }

    /// Returns the statistics of the last completed step, if there was one.
    pub(crate) fn stats_of_step(&self) -> Option<VortonStats> {
        *self.stats_of_step.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Adds impulses of host particles on bodies, which stay until the host takes them. Each is given with
    /// the index of its body in `bodies` (`Touch::body`), angular about the body's centre. Those of destroyed
    /// bodies are dropped.
    pub(crate) fn add_impulses(&self, bodies: &PublishedBodies, impulses: &[(u32, BodyImpulse)]) {
        if impulses.is_empty() {
            return;
        }
        let ids = self.body_ids();
        let mut pending = self.pending_impulses();
        for (body, impulse) in impulses {
            if let Some(key) = bodies.key(*body).filter(|&key| ids.bodies.get(key).is_some()) {
                pending.add(key, impulse);
            }
        }
    }

    pub(crate) fn body_ids(&self) -> MutexGuard<'_, BodyIds> {
        self.body_ids.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    pub(crate) fn pending_impulses(&self) -> MutexGuard<'_, PendingImpulses> {
        self.impulses.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Adds the impulse of host particles on a body.
    pub(crate) fn add_impulse(&self, key: Key, impulse: &BodyImpulse) {
        self.pending_impulses().add(key, impulse);
    }

    /// Locks the pending impulses for a call that uses them up, after writing them to the recording.
    pub(crate) fn pending_impulses_in_order(
        &self,
        recorder: &mut Recorder,
    ) -> MutexGuard<'_, PendingImpulses> {
        let mut impulses = self.pending_impulses();
        impulses.log.write_to(recorder);
        impulses
    }

    pub(crate) fn living(&self) -> MutexGuard<'_, LivingChildren> {
        self.living.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Updates the living emitters and sets of tracers from the state.
    pub(crate) fn note_living(&self, state: &State) {
        let mut living = self.living();
        living.emitters.follow(&state.emitter_ids);
        living.tracers.follow(&state.tracers);
    }

    /// Returns the definition with which the world was created; `present_def` has the changes since.
    pub(crate) fn def(&self) -> &VortonWorldDef {
        self.def.get()
    }

    /// Locked after all others.
    pub(crate) fn user_data(&self) -> MutexGuard<'_, UserData> {
        self.user_data.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    pub(crate) fn ops(&self) -> Outcome<MutexGuard<'_, Slots<OpEntry>>> {
        self.check_alive()?;
        Ok(self.ops.lock().unwrap_or_else(|poison| poison.into_inner()))
    }

    /// True if there is an operation in this slot, even if the world is poisoned.
    pub(crate) fn has_op(&self, key: Key) -> bool {
        self.ops.lock().unwrap_or_else(|poison| poison.into_inner()).get(key).is_some()
    }

    pub(crate) fn take_scratch(&self) -> RunScratch {
        self.scratch.lock().unwrap_or_else(|poison| poison.into_inner()).pop().unwrap_or_default()
    }

    pub(crate) fn give_back_scratch(&self, scratch: RunScratch) {
        self.scratch.lock().unwrap_or_else(|poison| poison.into_inner()).push(scratch);
    }

    /// Takes the buffer for velocities, with arbitrary contents; empty while another thread holds it.
    pub(crate) fn take_velocities(&self) -> Vec<Vec3> {
        std::mem::take(&mut *self.velocities.lock().unwrap_or_else(|poison| poison.into_inner()))
    }

    pub(crate) fn give_back_velocities(&self, velocities: Vec<Vec3>) {
        *self.velocities.lock().unwrap_or_else(|poison| poison.into_inner()) = velocities;
    }

    /// Copies the simulation's field and bodies into a pair without readers and publishes that pair.
    pub(crate) fn publish(&self, state: &mut State) {
        let requests = heap::requests();
        self.kept_hash.publish(&state.sim, &state.bodies);
        let unread = |p: &Published| Arc::strong_count(&p.field) == 1 && Arc::strong_count(&p.bodies) == 1;
        let mut next = match state.spares.iter().position(unread) {
            Some(index) => state.spares.swap_remove(index),
            None => Published { field: Arc::new(state.sim.field().clone()), bodies: Arc::default() },
        };
        if let Some(field) = Arc::get_mut(&mut next.field) {
            field.copy_from(state.sim.field());
        }
        if let Some(bodies) = Arc::get_mut(&mut next.bodies) {
            bodies.copy_from(&state.bodies);
        }
        let mut published = self.published.lock().unwrap_or_else(|poison| poison.into_inner());
        let old = std::mem::replace(&mut *published, next);
        drop(published);
        if state.spares.len() < state.spares.capacity() {
            state.spares.push(old);
        }
        state.quiet = if heap::requests() == requests { state.quiet + 1 } else { 0 };
    }

    /// Returns the hash of the present world, or that of the last completed step if there is a writer.
    pub(crate) fn hash(&self) -> Outcome<u64> {
        match self.read() {
            Ok(state) => Ok(self.kept_hash.now(&state.sim, &state.bodies)),
            Err(error) if error.code == VORTON_ERR_BUSY => self.kept_hash.last().ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// Writes a call to the recording, if there is one, after the changes of user data before it.
    pub(crate) fn record(&self, recorder: &mut Recorder, call: &Call<'_>) {
        if recorder.is_on() {
            self.user_data().log.write_to(recorder);
            recorder.write(call);
        }
    }

    /// Stores the present statistics as those of the last step.
    pub(crate) fn note_stats(&self, state: &State) {
        let stats = stats_of(self, state);
        *self.stats_of_step.lock().unwrap_or_else(|poison| poison.into_inner()) = Some(stats);
    }

    /// Locks the buffer for a snapshot, with arbitrary contents.
    pub(crate) fn snapshot_memory(&self) -> MutexGuard<'_, Vec<u8>> {
        self.snapshot.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

fn busy() -> Error {
    Error::new(VORTON_ERR_BUSY, "another thread is using this world; one writer or many readers at a time")
}

/// Runs `body` on a world that may be poisoned (`body` makes its own checks).
pub(crate) fn with_world<T>(id: VortonWorldId, body: impl FnOnce(&World) -> Outcome<T>) -> Outcome<T> {
    let world = lookup(id)?;
    let _poison = PoisonOnPanic(&world.poisoned);
    world.memory.during(|| body(&world))
}

/// Runs `body` as the only writer of a world.
pub(crate) fn writing<T>(
    id: VortonWorldId,
    body: impl FnOnce(&World, &mut State) -> Outcome<T>,
) -> Outcome<T> {
    with_world(id, |world| body(world, &mut *world.write()?))
}

/// Memory that a call can need at a time.
#[derive(Clone, Copy)]
pub(crate) struct Need<'a> {
    what: &'a str,
    bytes: usize,
    recorded: usize,
}

impl<'a> Need<'a> {
    /// For `what`: the growth of the tables of objects by a few.
    pub(crate) const fn objects(what: &'a str) -> Self {
        Self { what, bytes: 0, recorded: 0 }
    }

    /// And `bytes` besides.
    pub(crate) const fn and(self, bytes: usize) -> Self {
        Self { bytes: self.bytes + bytes, ..self }
    }

    /// And the record of a call with arrays of `bytes`, while the world is recorded.
    pub(crate) const fn recorded(self, bytes: usize) -> Self {
        Self { recorded: bytes, ..self }
    }
}

/// As [`writing`], for a call that may make the world larger.
pub(crate) fn growing<T>(
    id: VortonWorldId,
    need: Need<'_>,
    body: impl FnOnce(&World, &mut State) -> Outcome<T>,
) -> Outcome<T> {
    writing(id, |world, state| {
        let _hold = world.hold(state, need)?;
        body(world, state)
    })
}

/// Runs `body` as a reader of a world.
pub(crate) fn reading<T>(id: VortonWorldId, body: impl FnOnce(&World, &State) -> Outcome<T>) -> Outcome<T> {
    with_world(id, |world| body(world, &*world.read()?))
}
