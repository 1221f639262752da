//! Worlds: creation, lifetime and the step.

use crate::allocator::check_memory;
use crate::body_table::{BodyIds, BodyTable, PendingReactions, PublishedBodies};
use crate::budget::VortonBudget;
use crate::emitter::{TracerSource, feed};
use crate::guard::{self, PoisonOnPanic};
use crate::handle::{Key, Living, Slots, stale};
use crate::kept_hash::KeptHash;
use crate::memory::{check_optional_output, check_output, read_def, write, write_optional};
use crate::ops::OpEntry;
use crate::published_tracers::PublishedTracers;
use crate::recording::{Call, Recorder};
use crate::stats::{VortonStats, stats_of};
use crate::status::*;
use crate::threads;
use crate::types::VortonVec3;
use crate::user_data::UserData;
use crate::warned::Warned;
use crate::world_def::{KeptDef, VortonWorldDef, body_settings, params};
use crate::zones::HostsZones;
use fluid_bodies::bodies::Bodies;
use fluid_bodies::ledger::Reaction;
use fluid_core::advance::{Advance, StepLimits};
use fluid_core::clock::Moment;
use fluid_core::governor::{Budget, Choice, Measure};
use fluid_core::params::check_step;
use fluid_core::particles::Tracers;
use fluid_core::saved::{NoInsides, Saved, Writer};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::PublishedField;
use fluid_particles::ops::RunScratch;
use fluid_threads::Executor;
use glam::Vec3;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// A world: one fluid with everything in it. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonWorldId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub generation: u32,
}

/// Most worlds at a time.
pub const VORTON_MAX_WORLDS: u32 = 1024;
/// Most objects of each kind (emitters, operations, sets of tracers, bodies, shapes) of one world at a time.
pub const VORTON_MAX_OBJECTS: u32 = 65535;

/// Upper bound \[bytes\] on the memory that a world allocates at creation: a fixed part and a part per vorton
/// of its capacity. Memory for bodies, density and meshes is allocated later.
const BYTES: usize = 1 << 20;
const BYTES_PER_VORTON: usize = 768;

/// Slot numbers of children fit 16 bits.
pub(crate) const MAX_CHILDREN: usize = VORTON_MAX_OBJECTS as usize;
const _: () = assert!(VORTON_MAX_OBJECTS <= u16::MAX as u32);

/// A world and the locks around its parts. A step holds `state`; operations and queries lock only the parts
/// that they read, so they can run during a step.
pub(crate) struct World {
    /// Distinguishes children of this world from those of any other, including an earlier world in the same
    /// slot. Does not wrap: the table of worlds is exhausted first.
    pub(crate) serial: u32,
    pub(crate) exec: Arc<dyn Executor>,
    state: RwLock<State>,
    published: Mutex<Published>,
    pub(crate) published_tracers: PublishedTracers,
    ops: Mutex<Slots<OpEntry>>,
    /// Scratch memory of finished runs, for reuse.
    scratch: Mutex<Vec<RunScratch>>,
    /// Memory of drawn arrows, for reuse.
    velocities: Mutex<Vec<Vec3>>,
    /// Locked after `state` if both are.
    body_ids: Mutex<BodyIds>,
    reactions: Mutex<PendingReactions>,
    /// Locked after `state` if both are.
    living: Mutex<LivingChildren>,
    user_data: Mutex<UserData>,
    def: KeptDef,
    zones: HostsZones,
    /// The statistics at the end of the last step.
    stats_of_step: Mutex<Option<VortonStats>>,
    kept_hash: KeptHash,
    /// Memory of a snapshot.
    snapshot: Mutex<Vec<u8>>,
    poisoned: AtomicBool,
}

/// The living emitters and sets of tracers. Outside the state, so that a query does not wait for a step.
#[derive(Debug, Default)]
pub(crate) struct LivingChildren {
    pub(crate) emitters: Living,
    pub(crate) tracers: Living,
}

/// The readable results of the last completed step.
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
    /// A pair without readers, for the next publication.
    spares: Vec<Published>,
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

static WORLDS: RwLock<Slots<Arc<World>>> = RwLock::new(Slots::new(VORTON_MAX_WORLDS as usize));
static NEXT_SERIAL: AtomicU32 = AtomicU32::new(1);

fn lookup(id: VortonWorldId) -> Outcome<Arc<World>> {
    let worlds = WORLDS.read().unwrap_or_else(|poison| poison.into_inner());
    let key = world_key(id);
    key.and_then(|key| worlds.get(key)).cloned().ok_or_else(|| stale("world"))
}

fn world_key(id: VortonWorldId) -> Option<Key> {
    Some(Key { index1: id.index1, generation: id.generation.try_into().ok()? })
}

impl State {
    /// True if vorticity, heat or dye diffuse.
    pub(crate) fn diffuses(&self) -> bool {
        self.sim.params().diffuses()
    }
}

impl World {
    fn new(def: &VortonWorldDef) -> Outcome<Self> {
        let params = params(def)?;
        params.validate()?;
        let exec = threads::executor(def)?;
        let bodies = Bodies::new(body_settings(def)?, &params)?;
        check_memory(BYTES + BYTES_PER_VORTON * params.max_vortons, "max_vortons")?;
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
            published: Mutex::new(unread()),
            published_tracers: PublishedTracers::default(),
            ops: Mutex::new(Slots::new(MAX_CHILDREN)),
            scratch: Mutex::default(),
            velocities: Mutex::default(),
            body_ids: Mutex::new(BodyIds::new()),
            reactions: Mutex::default(),
            living: Mutex::default(),
            def: KeptDef::new(def),
            zones,
            user_data: Mutex::new(UserData { world: def.user_data, ..UserData::default() }),
            stats_of_step: Mutex::default(),
            kept_hash: KeptHash::default(),
            snapshot: Mutex::default(),
            poisoned: AtomicBool::new(false),
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
                warned: Warned::default(),
                step_ms: 0.0,
                recorder: Recorder::default(),
            }),
        })
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

    /// Returns the field and the bodies of the last completed step, both of the same step. The lock is held
    /// only while the pointers are copied.
    pub(crate) fn published(&self) -> Published {
        self.published.lock().unwrap_or_else(|poison| poison.into_inner()).clone()
    }

    /// Returns the field of the last completed step.
    pub(crate) fn field(&self) -> Arc<PublishedField> {
        self.published().field
    }

    /// Returns the statistics of the last completed step, if there was one.
    pub(crate) fn stats_of_step(&self) -> Option<VortonStats> {
        *self.stats_of_step.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Stores the reactions of host particles on bodies until the impulses are taken: pairs of `Touch::body`
    /// of these `bodies` and the reaction, with the angular impulse about the body's centre. Reactions of
    /// destroyed bodies are dropped.
    pub(crate) fn add_reactions(&self, bodies: &PublishedBodies, reactions: &[(u32, Reaction)]) {
        if reactions.is_empty() {
            return;
        }
        let ids = self.body_ids();
        let mut pending = self.reactions();
        for (body, reaction) in reactions {
            if let Some(key) = bodies.key(*body).filter(|&key| ids.bodies.get(key).is_some()) {
                pending.add(key, reaction);
            }
        }
    }

    pub(crate) fn body_ids(&self) -> MutexGuard<'_, BodyIds> {
        self.body_ids.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    pub(crate) fn reactions(&self) -> MutexGuard<'_, PendingReactions> {
        self.reactions.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Adds the reaction of host particles on a body.
    pub(crate) fn add_reaction(&self, key: Key, reaction: &Reaction) {
        self.reactions().add(key, reaction);
    }

    /// Locks the pending reactions for a call that uses them up, after writing them to the recording.
    pub(crate) fn reactions_in_order(&self, recorder: &mut Recorder) -> MutexGuard<'_, PendingReactions> {
        let mut reactions = self.reactions();
        reactions.log.write_to(recorder);
        reactions
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

    /// Returns the definition of the world.
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
    }

    /// Copies the sets that are readable during steps, for readers during the next step.
    pub(crate) fn publish_tracers(&self, tracers: &Slots<Tracers>, sets: &[TracerSet]) {
        for TracerSet { key, readable_during_steps, .. } in sets {
            if let Some(set) = tracers.get(*key).filter(|_| *readable_during_steps) {
                self.published_tracers.publish(&*self.exec, *key, set);
            }
        }
    }

    /// Advances the state by one frame. Enters the executor once for all steps: entering a pool costs ten
    /// times as much as a loop inside it.
    pub(crate) fn advance(&self, state: &mut State, dt: f32, frame: Frame) -> Outcome<Advance> {
        frame.check(dt)?;
        let _zone = self.zones.step();
        let start = Moment::now();
        // Checked, so the step is taken: it is recorded before, with the reactions that it uses up.
        let mut reactions = self.reactions_in_order(&mut state.recorder);
        state.bodies.push(&self.body_ids(), &mut reactions);
        drop(reactions);
        let frame = self.record_step(state, dt, frame)?;
        let mut outcome = None;
        let State { sim, bodies, tracers, tracer_sets, tracer_sources, .. } = state;
        self.exec.enter(&mut || {
            let mut after_step = |sim: &mut VortexSim, bodies: &mut Bodies, step: f32| {
                sim.set_wall_hits(bodies.wall_hits());
                for set in &*tracer_sets {
                    if let Some(tracers) = tracers.get_mut(set.key) {
                        sim.advance_tracers(&*self.exec, bodies, tracers, step);
                        // Expired tracers are removed first to make room.
                        tracers.retain_up_to(set.max_age);
                        feed(sim, bodies, tracer_sources, (set, tracers), step);
                    }
                }
            };
            let bodies = &mut bodies.bodies;
            outcome = Some(match frame {
                Frame::Steps(limits) => sim.advance(&*self.exec, bodies, dt, limits, after_step),
                Frame::Within(_) | Frame::AsChosen(_) => match frame {
                    Frame::Within(budget) => sim.step_within(&*self.exec, bodies, dt, budget),
                    _ => sim.step_as_chosen(&*self.exec, bodies, dt),
                }
                .map(|()| {
                    after_step(sim, bodies, dt);
                    Advance { steps: 1, step: dt, followed: sim.stats().was_followed() }
                }),
            });
            self.publish_tracers(tracers, tracer_sets);
        });
        let advance = outcome.unwrap_or(Ok(Advance { steps: 0, step: 0.0, followed: true }))?;
        self.publish(state);
        state.step_ms = start.elapsed_ms() as f32;
        let diffuses = state.diffuses();
        state.warned.look_at(state.sim.stats(), diffuses);
        self.note_stats(state);
        if state.recorder.is_on() {
            let hash = self.kept_hash.now(&state.sim, &state.bodies);
            self.record(&mut state.recorder, &Call::Stepped { hash });
        }
        Ok(advance)
    }

    /// Writes a step to the recording. Returns how it is taken: its quality is chosen here if the choice
    /// cannot be repeated, because it depends on the clock.
    fn record_step(&self, state: &mut State, dt: f32, frame: Frame) -> Outcome<Frame> {
        let State { sim, recorder, .. } = state;
        let choose = |sim: &mut VortexSim| match frame {
            Frame::Within(budget) => sim.choose_within(&*self.exec, dt, budget),
            Frame::AsChosen(choice) => {
                sim.choose_again(&*self.exec, &choice);
                Ok(())
            }
            Frame::Steps(_) => Ok(()),
        };
        let by_clock = matches!(frame, Frame::Within(Budget { measure: Measure::Clock, .. }));
        if !(by_clock && recorder.is_on() || matches!(frame, Frame::AsChosen(_))) {
            self.record(recorder, &frame.call(dt));
            return Ok(frame);
        }
        let mut chosen = Ok(());
        self.exec.enter(&mut || chosen = choose(sim));
        chosen?;
        let (choice, mut bytes) = (sim.choice(), [0; 512]);
        let mut out = Writer::new(&mut bytes, &NoInsides);
        choice.save(&mut out);
        let len = out.len();
        self.record(recorder, &Call::StepAsChosen { dt, choice: Cow::Borrowed(&bytes[..len]) });
        Ok(Frame::AsChosen(choice))
    }

    /// Returns the hash of the present world, or that of the last completed step if there is a writer.
    fn hash(&self) -> Outcome<u64> {
        match self.read() {
            Ok(state) => Ok(self.kept_hash.now(&state.sim, &state.bodies)),
            Err(error) if error.code == VORTON_ERR_BUSY => self.kept_hash.last().ok_or(error),
            Err(error) => Err(error),
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

/// How a frame is advanced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frame {
    /// In equal steps.
    Steps(StepLimits),
    /// In one step.
    Within(Budget),
    /// In one step, at a quality chosen before.
    AsChosen(Choice),
}

impl Frame {
    fn check(&self, dt: f32) -> Outcome {
        check_step(dt)?;
        match self {
            Self::Steps(limits) => limits.validate()?,
            Self::Within(budget) => budget.validate()?,
            Self::AsChosen(_) => {}
        }
        Ok(())
    }

    /// Returns the frame as it is recorded if its quality can be chosen again.
    fn call(&self, dt: f32) -> Call<'static> {
        match *self {
            Self::Steps(limits) if limits == StepLimits::ONE => Call::Step { dt },
            Self::Steps(StepLimits { max_stretch, max_steps }) => {
                Call::Advance { dt, max_stretch, max_steps }
            }
            Self::Within(budget) => Call::StepWithin { dt, budget: VortonBudget::of(&budget) },
            Self::AsChosen(_) => Call::StepAsChosen { dt, choice: Cow::Borrowed(&[]) },
        }
    }
}

/// Returns the result code of a step.
fn followed(advance: &Advance) -> VortonResult {
    if advance.followed { VORTON_OK } else { VORTON_NOTE_TOO_COARSE }
}

fn busy() -> Error {
    Error::new(VORTON_ERR_BUSY, "another thread is using this world; one writer or many readers at a time")
}

/// Runs `body` on a world that may be poisoned (`body` makes its own checks).
pub(crate) fn with_world<T>(id: VortonWorldId, body: impl FnOnce(&World) -> Outcome<T>) -> Outcome<T> {
    let world = lookup(id)?;
    let _poison = PoisonOnPanic(&world.poisoned);
    body(&world)
}

/// Runs `body` as the only writer of a world.
pub(crate) fn writing<T>(
    id: VortonWorldId,
    body: impl FnOnce(&World, &mut State) -> Outcome<T>,
) -> Outcome<T> {
    with_world(id, |world| body(world, &mut *world.write()?))
}

/// Runs `body` as a reader of a world.
pub(crate) fn reading<T>(id: VortonWorldId, body: impl FnOnce(&World, &State) -> Outcome<T>) -> Outcome<T> {
    with_world(id, |world| body(world, &*world.read()?))
}

/// Creates a world. Allocates all memory that its steps need, except that of mesh nodes
/// (VortonWorldDef.max_grid_nodes). There may be VORTON_MAX_WORLDS worlds at a time, each with
/// VORTON_MAX_OBJECTS objects of each kind; beyond that, creation returns VORTON_ERR_CAPACITY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_create(
    def: *const VortonWorldDef,
    out: *mut VortonWorldId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonWorldDef::default(), "def") }?;
        let world = Arc::new(World::new(&def)?);
        let key = WORLDS.write().unwrap_or_else(|poison| poison.into_inner()).insert(world)?;
        let id = VortonWorldId { index1: key.index1, generation: u32::from(key.generation) };
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys a world and everything in it; all its ids become stale. When this returns, its memory is freed
/// and the threads of its pool have ended, unless another thread is inside a call on it: that call completes
/// normally and cleans up at its end.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_destroy(world: VortonWorldId) -> VortonResult {
    guard::run(|| {
        let mut worlds = WORLDS.write().unwrap_or_else(|poison| poison.into_inner());
        let removed = world_key(world).and_then(|key| worlds.remove(key));
        // The lock is released before the world is dropped: joining a pool's threads takes time.
        drop(worlds);
        removed.map(drop).ok_or_else(|| stale("world"))
    })
}

/// True if the id names a living world.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_is_valid(world: VortonWorldId) -> bool {
    lookup(world).is_ok()
}

/// Advances the world by dt seconds in one step and publishes the new field: emitters, vortons and bodies,
/// then every tracer set. Second order in time, or fourth if dt is long for the flow
/// (VortonWorldDef.fourth_order_above). Does not allocate in steady state: only a mesh that changes its size,
/// or is about to, allocates.
///
/// Keep VortonStats.stretch_number below about 1: for faster flows, take several smaller steps.
/// vorton_world_advance takes as many as needed. A negative dt runs time backwards (without relaxation,
/// diffusion and emission); 0 only publishes the present field.
///
/// @param dt finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @return VORTON_NOTE_TOO_COARSE if VortonStats.stretch_number was above VORTON_STRETCH_FOLLOWED
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_step(world: VortonWorldId, dt: f32) -> VortonResult {
    guard::call(|| {
        finite(&[dt], "dt")?;
        let one = Frame::Steps(StepLimits::ONE);
        let advance = writing(world, |world, state| world.advance(state, dt, one))?;
        Ok(followed(&advance))
    })
}

/// Advances the world by dt seconds in as many equal steps as its flow needs: each as vorton_world_step,
/// tracers and bodies included. The field is published once, after the last.
///
/// The number of steps follows from VortonStats.max_gradient of the last step. If vortons have been added
/// since, or no step has been taken yet, a step of dt 0 measures the flow first; it is not counted. Run
/// particle operations that follow each step *out_steps times, with a dt of dt / *out_steps.
///
/// @param dt          finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param max_stretch target for the largest VortonStats.stretch_number, positive: 0.3 is accurate at second
///     order, 1 at fourth order, which long steps use (VortonWorldDef.fourth_order_above)
/// @param max_steps   most steps, at least 1
/// @param out_steps   NULL, or receives the number of steps taken
/// @return VORTON_NOTE_TOO_COARSE if more than max_steps were needed, or VortonStats.stretch_number was above
///     VORTON_STRETCH_FOLLOWED in a step
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_advance(
    world: VortonWorldId,
    dt: f32,
    max_stretch: f32,
    max_steps: u32,
    out_steps: *mut u32,
) -> VortonResult {
    guard::call(|| {
        check_optional_output(out_steps, "out_steps")?;
        finite(&[dt, max_stretch], "dt or max_stretch")?;
        let limits = StepLimits { max_stretch, max_steps };
        let advance = writing(world, |world, state| world.advance(state, dt, Frame::Steps(limits)))?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out_steps, advance.steps, "out_steps") }?;
        Ok(followed(&advance))
    })
}

/// Advances the world by dt seconds in one step, as vorton_world_step does, at the best quality that is
/// expected to cost no more than the budget. VortonStats.quality and tracer_quality report the quality
/// chosen, expected_ms and expected_tracers_ms its expected cost. Quality is lowered before a step that would
/// exceed the limit; it is raised when the better quality would have cost less than 0.8 of the limit for 30
/// steps, or for more steps if it did not last before. Limits below the cost of the cheapest quality are
/// exceeded. vorton_world_step and vorton_world_advance always use full quality.
///
/// @param dt     finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param budget cost limits of the step
/// @return as vorton_world_step
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_step_within(
    world: VortonWorldId,
    dt: f32,
    budget: *const VortonBudget,
) -> VortonResult {
    guard::call(|| {
        finite(&[dt], "dt")?;
        // SAFETY: the caller passes null or a budget of struct_size bytes.
        let given = unsafe { read_def(budget, VortonBudget::default(), "budget") }?;
        let budget = crate::budget::budget(&given)?;
        let advance = writing(world, |world, state| world.advance(state, dt, Frame::Within(budget)))?;
        Ok(followed(&advance))
    })
}

/// Changes the uniform velocity [m/s] of the whole fluid from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_wind(world: VortonWorldId, wind: VortonVec3) -> VortonResult {
    guard::run(|| {
        let wind = wind.checked("wind")?;
        writing(world, |world, state| {
            state.sim.set_wind(wind)?;
            world.record(&mut state.recorder, &Call::SetWind { wind: wind.into() });
            Ok(())
        })
    })
}

/// Changes gravity [m/s^2] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_gravity(world: VortonWorldId, gravity: VortonVec3) -> VortonResult {
    guard::run(|| {
        let gravity = gravity.checked("gravity")?;
        writing(world, |world, state| {
            state.sim.set_gravity(gravity)?;
            world.record(&mut state.recorder, &Call::SetGravity { gravity: gravity.into() });
            Ok(())
        })
    })
}

/// Changes viscosity and the diffusivity of heat and dye [m^2/s], both at least 0, from the next step on.
/// Allocates when diffusion is switched on for the first time.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_diffusion(
    world: VortonWorldId,
    viscosity: f32,
    diffusivity: f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[viscosity, diffusivity], "viscosity or diffusivity")?;
        writing(world, |world, state| {
            state.sim.set_diffusion(viscosity, diffusivity)?;
            world.record(&mut state.recorder, &Call::SetDiffusion { viscosity, diffusivity });
            Ok(())
        })
    })
}

/// Changes the relaxation rate [1/s] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_relaxation_rate(world: VortonWorldId, rate: f32) -> VortonResult {
    guard::run(|| {
        finite(&[rate], "rate")?;
        writing(world, |world, state| {
            state.sim.set_relaxation_rate(rate)?;
            world.record(&mut state.recorder, &Call::SetRelaxationRate { rate });
            Ok(())
        })
    })
}

/// Computes a hash of all vortons, bodies and the time, not of tracers and emitters. Equal fluids have equal
/// hashes on any number of threads: compare it between machines of a network game that run the same build.
///
/// While another thread steps or changes the world, the hash is that of the last completed step. Only the
/// first such call, and further calls until the running step has ended, return VORTON_ERR_BUSY: from then on
/// each step of the world computes its hash, which takes about 12 ns per vorton. Between steps a hash that
/// the last step has computed is reused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_hash(world: VortonWorldId, out: *mut u64) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let hash = with_world(world, World::hash)?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, hash, "out") }
    })
}
