//! Worlds: creation, life and the step.

use crate::ambient;
use crate::guard::{self, PoisonOnPanic};
use crate::handle::{Key, Slots, stale};
use crate::log;
use crate::memory::{check_output, read_def, sized32, write, write_sized};
use crate::ops::OpEntry;
use crate::status::*;
use crate::types::VortonVec3;
use fluid_bodies::NoBodies;
use fluid_core::InstructionSet;
use fluid_core::ops::RunScratch;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_core::stats::Stats;
use fluid_core::velocity::{FieldSampling, Kernel, Precision, PublishedField, SolverKind};
use fluid_threads::{Executor, Pool, Serial};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Instant;

/// A world: one fluid with everything in it. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonWorldId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub generation: u32,
}

/// Everything on the calling thread.
pub const VORTON_THREADS_SERIAL: u32 = 0;
/// A pool of threads that the world owns. Results are the same bits as with VORTON_THREADS_SERIAL.
pub const VORTON_THREADS_POOL: u32 = 1;

/// High-order algebraic core (Winckelmans and Leonard 1993), far field exact to (core/r)^4. The default.
pub const VORTON_KERNEL_WINCKELMANS_LEONARD: u32 = 0;
/// Rosenhead-Moore (Plummer) core, far field exact to (core/r)^2.
pub const VORTON_KERNEL_ROSENHEAD_MOORE: u32 = 1;
/// The articles' core: rigid rotation inside, singular outside. Not smooth.
pub const VORTON_KERNEL_RIGID_CORE: u32 = 2;

/// IEEE arithmetic: the same bits on every instruction set. The default.
pub const VORTON_PRECISION_EXACT: u32 = 0;
/// Reciprocal square root estimates and fused multiply-add: faster, bits depend on the processor.
pub const VORTON_PRECISION_FAST: u32 = 1;

/// The widest instructions that the processor has. The default.
pub const VORTON_INSTRUCTIONS_AUTO: u32 = 0;
/// What every processor of the target has.
pub const VORTON_INSTRUCTIONS_PORTABLE: u32 = 1;
/// 256-bit vectors (x86-64).
pub const VORTON_INSTRUCTIONS_AVX2: u32 = 2;
/// 512-bit vectors (x86-64).
pub const VORTON_INSTRUCTIONS_AVX512: u32 = 3;

/// VORTON_SOLVER_DIRECT or VORTON_SOLVER_MESH, whichever costs less for the vortons there are. Chosen from their number and places
/// alone, so the same on every machine and with any number of tracers. The default.
pub const VORTON_SOLVER_AUTO: u32 = 0;
/// Every vorton acts on every other: exact, time grows with the square of their number. Best below about a thousand.
pub const VORTON_SOLVER_DIRECT: u32 = 1;
/// A mesh that follows the vortons: time grows with their number and the volume that they span. Within about 1 % of
/// VORTON_SOLVER_DIRECT at the vortons (see nodes_per_core).
pub const VORTON_SOLVER_MESH: u32 = 2;

/// Between the nodes of the mesh, tracers, operations and samples blend 8 nodes: fastest, within a few percent. The default.
pub const VORTON_SAMPLING_TRILINEAR: u32 = 0;
/// They blend 27 nodes: within about a percent, and the gradient is continuous, too. Two to three times the cost for each tracer.
pub const VORTON_SAMPLING_QUADRATIC_SPLINE: u32 = 1;

/// Worlds that can exist at a time.
const MAX_WORLDS: usize = 1024;
/// Emitters, operations and tracer sets of one world, each. Their slots' numbers fit 16 bits.
pub(crate) const MAX_CHILDREN: usize = 65_535;

/// What a world is made from. Fill it with vorton_world_def_init, then change what you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonWorldDef {
    /// sizeof(VortonWorldDef); set by vorton_world_def_init.
    pub struct_size: u32,
    /// VORTON_THREADS_...
    pub threads: u32,
    /// Threads of VORTON_THREADS_POOL, 1 to 256; 0: one for each processor. Ignored by VORTON_THREADS_SERIAL.
    pub worker_count: u32,
    /// VORTON_KERNEL_...
    pub kernel: u32,
    /// VORTON_PRECISION_...
    pub precision: u32,
    /// VORTON_INSTRUCTIONS_...; one that the processor lacks is refused with VORTON_ERR_UNSUPPORTED.
    pub instructions: u32,
    /// VORTON_SOLVER_...: how velocity is computed.
    pub solver: u32,
    /// VORTON_SAMPLING_...: how tracers, operations and samples read a mesh.
    pub field_sampling: u32,
    /// Core radius [m] of every vorton: the size of the smallest eddy. Smaller is sharper and needs more vortons: they should be no
    /// further apart than core_radius / 1.25 along a filament and core_radius / 1.5 in a volume. Default 0.1.
    pub core_radius: f32,
    /// Nodes of the mesh per core radius, 1 to 8; time grows with the third power. 1.5 suits rings, sheets and drops (within 0.6 %
    /// of the largest velocity), 2.5 rough clouds of unrelated vortons. Default 1.5.
    pub nodes_per_core: f32,
    /// Most nodes of the mesh, 4096 to 16777216, about 250 bytes each, taken when they are needed; density has as many on a lattice
    /// of its own, 130 bytes each. Vortons outside of the mesh are summed directly, those outside of the density's box feel no
    /// gravity: both are counted in VortonStats. Default 262144, such as 64 x 64 x 64.
    pub max_grid_nodes: u32,
    /// Rate [1/s] at which strengths turn towards the vorticity around them, which keeps coarse clouds alive. 0: exact
    /// inviscid motion. Default 1.
    pub relaxation_rate: f32,
    /// Kinematic viscosity [m^2/s]: vortices spread as sqrt(viscosity * time), and small ones die first. Air 1.5e-5, water 1e-6;
    /// games want more: 0.1 * core_radius^2 per second shows within seconds. Default 0.
    pub viscosity: f32,
    /// Diffusivity [m^2/s] of heat (mass deviation) and dye, which spread in the same way. Default 0.
    pub diffusivity: f32,
    /// Acceleration of gravity [m/s^2]. It acts where density differs from the ambient's: heavy fluid sinks along it, light fluid
    /// rises. Default 0: nothing does.
    pub gravity: VortonVec3,
    /// Uniform velocity [m/s] of the whole fluid. Default 0.
    pub wind: VortonVec3,
    /// Density [kg/m^3] of the fluid that no vorton speaks for: what mass deviations deviate from, and the inertia of all fluid
    /// (keep deviations well below it). Default 1.
    pub ambient_density: f32,
    /// Temperature [K] of fluid of that density. Default 300.
    pub ambient_temperature: f32,
    /// VORTON_IDEAL_GAS or VORTON_LINEAR_EXPANSION: how density follows temperature.
    pub equation_of_state: u32,
    /// VORTON_LINEAR_EXPANSION: thermal expansion [1/K], positive. Default 0.0002: water at 20 degrees Celsius.
    pub expansion: f32,
    /// VORTON_STRATIFICATION_...: how the ambient's density varies with place. Along gravity, or it would not be at rest.
    pub stratification: u32,
    /// VORTON_STRATIFICATION_LINEAR: change of density per metre [kg/m^4]. Along gravity (denser below) is stable: what is pushed up
    /// or down comes back. Default 0.
    pub density_gradient: VortonVec3,
    /// VORTON_STRATIFICATION_LAYERS: direction across the interface, any length but 0. Default z.
    pub layer_normal: VortonVec3,
    /// Where the interface is along layer_normal [m], from the origin. Default 0.
    pub layer_height: f32,
    /// Density on the side to which layer_normal points minus density on the other [kg/m^3]; the interface has ambient_density.
    /// Default 0.
    pub layer_jump: f32,
    /// Half thickness of the interface [m], positive. Default 0.1.
    pub layer_thickness: f32,
    /// Age [s] at which vortons are removed; 0: never. Default 0.
    pub max_age: f32,
    /// Most vortons alive at a time, up to 16777216, those of the halo included (VORTON_VORTON_HALO). Memory for all of them is taken
    /// at creation: about 330 bytes each, 580 with viscosity or diffusivity; nodes come extra. Default 16384.
    pub max_vortons: u32,
}

impl Default for VortonWorldDef {
    fn default() -> Self {
        let params = Params::default();
        Self {
            struct_size: size_of::<Self>() as u32,
            threads: VORTON_THREADS_SERIAL,
            worker_count: 0,
            kernel: VORTON_KERNEL_WINCKELMANS_LEONARD,
            precision: VORTON_PRECISION_EXACT,
            instructions: VORTON_INSTRUCTIONS_AUTO,
            solver: VORTON_SOLVER_AUTO,
            field_sampling: VORTON_SAMPLING_TRILINEAR,
            core_radius: params.core_radius,
            nodes_per_core: params.nodes_per_core,
            max_grid_nodes: params.max_grid_nodes as u32,
            relaxation_rate: params.relaxation_rate,
            viscosity: params.viscosity,
            diffusivity: params.diffusivity,
            gravity: VortonVec3::ZERO,
            wind: VortonVec3::ZERO,
            ambient_density: params.ambient.density,
            ambient_temperature: params.ambient.temperature,
            equation_of_state: ambient::VORTON_IDEAL_GAS,
            expansion: 2e-4,
            stratification: ambient::VORTON_STRATIFICATION_NONE,
            density_gradient: VortonVec3::ZERO,
            layer_normal: VortonVec3 { z: 1.0, ..VortonVec3::ZERO },
            layer_height: 0.0,
            layer_jump: 0.0,
            layer_thickness: 0.1,
            max_age: 0.0,
            max_vortons: params.max_vortons as u32,
        }
    }
}

sized32!(VortonWorldDef);

/// A world and the locks around its parts. A step holds `state`; operations and queries hold only what they read, so that
/// they can run while the step does.
pub(crate) struct World {
    /// Tells children of this world from those of any other, also of one that lived in the same slot before. Does not wrap:
    /// the table of worlds is used up before.
    pub(crate) serial: u32,
    pub(crate) exec: Arc<dyn Executor>,
    state: RwLock<State>,
    published: Mutex<Arc<PublishedField>>,
    ops: Mutex<Slots<OpEntry>>,
    /// Memory of runs that have ended, for the next ones.
    scratch: Mutex<Vec<RunScratch>>,
    poisoned: AtomicBool,
}

/// What a step changes.
pub(crate) struct State {
    pub(crate) sim: VortexSim,
    /// Serial numbers of the emitters, in the order of `sim.emitters()`.
    pub(crate) emitters: Vec<u64>,
    pub(crate) next_emitter: u64,
    pub(crate) emitter_ids: Slots<u64>,
    pub(crate) tracers: Slots<Tracers>,
    /// The living tracer sets, in order of creation.
    pub(crate) tracer_sets: Vec<TracerSet>,
    /// Fields that nobody reads any more, for the next publication.
    spare_fields: Vec<Arc<PublishedField>>,
    warned: Warned,
    /// Time that the last call of `vorton_world_step` took \[ms\].
    pub(crate) step_ms: f32,
}

/// What the log has been told about this world: each thing once.
#[derive(Debug, Clone, Copy, Default)]
struct Warned {
    mesh: bool,
    density: bool,
    diffusion: bool,
}

impl Warned {
    /// Says what the last step could not do in full.
    fn look_at(&mut self, stats: &Stats, diffuses: bool) {
        let once = |said: &mut bool, happened: bool, text: std::fmt::Arguments<'_>| {
            if happened && !*said {
                *said = true;
                log::line(log::VORTON_LOG_WARNING, &text.to_string());
            }
        };
        let outside = stats.mesh_outside;
        once(
            &mut self.mesh,
            outside > 0,
            format_args!(
                "{outside} vortons are outside of the mesh, summed directly: max_grid_nodes is too small"
            ),
        );
        let outside = stats.density_outside;
        once(
            &mut self.density,
            outside > 0,
            format_args!(
                "{outside} vortons are outside of the density's box, without gravity: max_grid_nodes is too small"
            ),
        );
        let percent = 100.0 * stats.diffused_share;
        once(
            &mut self.diffusion,
            diffuses && stats.diffusion_stages > 0 && stats.diffused_share < 1.0,
            format_args!(
                "only {percent:.0} % of the diffusion was done: viscosity or diffusivity is too large for the step"
            ),
        );
    }
}

/// What the world knows of a tracer set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TracerSet {
    pub(crate) key: Key,
    pub(crate) max_age: f32,
    pub(crate) capacity: usize,
}

static WORLDS: RwLock<Slots<Arc<World>>> = RwLock::new(Slots::new(MAX_WORLDS));
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
    /// True if vorticity, heat or dye spread.
    pub(crate) fn diffuses(&self) -> bool {
        let params = self.sim.params();
        params.viscosity > 0.0 || params.diffusivity > 0.0
    }
}

impl World {
    fn new(def: &VortonWorldDef) -> Outcome<Self> {
        let params = params(def)?;
        let exec: Arc<dyn Executor> = match def.threads {
            VORTON_THREADS_SERIAL => Arc::new(Serial),
            VORTON_THREADS_POOL => Arc::new(pool(def.worker_count)?),
            other => return Err(unknown("threads", other)),
        };
        let sim = VortexSim::new(params)?;
        let field = || {
            let mut field = sim.field().clone();
            field.reserve(params.max_vortons);
            Arc::new(field)
        };
        let mut spare_fields = Vec::with_capacity(8);
        spare_fields.push(field());
        Ok(Self {
            serial: NEXT_SERIAL.fetch_add(1, Ordering::Relaxed),
            exec,
            published: Mutex::new(field()),
            ops: Mutex::new(Slots::new(MAX_CHILDREN)),
            scratch: Mutex::default(),
            poisoned: AtomicBool::new(false),
            state: RwLock::new(State {
                sim,
                emitters: Vec::new(),
                next_emitter: 0,
                emitter_ids: Slots::new(MAX_CHILDREN),
                tracers: Slots::new(MAX_CHILDREN),
                tracer_sets: Vec::new(),
                spare_fields,
                warned: Warned::default(),
                step_ms: 0.0,
            }),
        })
    }

    fn check_alive(&self) -> Outcome {
        if self.poisoned.load(Ordering::Acquire) {
            let text =
                "an internal error has stopped this world; destroy it (queries of its last field still work)";
            return Err(Error::new(VORTON_ERR_POISONED, text));
        }
        Ok(())
    }

    fn write(&self) -> Outcome<RwLockWriteGuard<'_, State>> {
        self.check_alive()?;
        match self.state.try_write() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(busy()),
            Err(TryLockError::Poisoned(poison)) => Ok(poison.into_inner()),
        }
    }

    fn read(&self) -> Outcome<RwLockReadGuard<'_, State>> {
        self.check_alive()?;
        match self.state.try_read() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::WouldBlock) => Err(busy()),
            Err(TryLockError::Poisoned(poison)) => Ok(poison.into_inner()),
        }
    }

    /// The field of the last completed step. The lock is held for the copy of a pointer.
    pub(crate) fn field(&self) -> Arc<PublishedField> {
        self.published.lock().unwrap_or_else(|poison| poison.into_inner()).clone()
    }

    pub(crate) fn ops(&self) -> Outcome<MutexGuard<'_, Slots<OpEntry>>> {
        self.check_alive()?;
        Ok(self.ops.lock().unwrap_or_else(|poison| poison.into_inner()))
    }

    pub(crate) fn take_scratch(&self) -> RunScratch {
        self.scratch.lock().unwrap_or_else(|poison| poison.into_inner()).pop().unwrap_or_default()
    }

    pub(crate) fn give_back_scratch(&self, scratch: RunScratch) {
        self.scratch.lock().unwrap_or_else(|poison| poison.into_inner()).push(scratch);
    }

    /// Copies the simulation's field into one that nobody reads, and shows that one to everybody.
    fn publish(&self, state: &mut State) {
        let unread = state.spare_fields.iter().position(|field| Arc::strong_count(field) == 1);
        let mut next = match unread {
            Some(index) => state.spare_fields.swap_remove(index),
            None => Arc::new(state.sim.field().clone()),
        };
        if let Some(field) = Arc::get_mut(&mut next) {
            field.copy_from(state.sim.field());
        }
        let mut published = self.published.lock().unwrap_or_else(|poison| poison.into_inner());
        let old = std::mem::replace(&mut *published, next);
        drop(published);
        if state.spare_fields.len() < state.spare_fields.capacity() {
            state.spare_fields.push(old);
        }
    }

    /// Enters the executor once for the whole step: entering a pool costs ten times what a loop inside it costs.
    fn step(&self, state: &mut State, dt: f32) -> Outcome {
        let start = Instant::now();
        let mut outcome = Ok(());
        self.exec.enter(&mut || outcome = self.advance(state, dt));
        outcome?;
        self.publish(state);
        state.step_ms = 1e3 * start.elapsed().as_secs_f32();
        let diffuses = state.diffuses();
        state.warned.look_at(state.sim.stats(), diffuses);
        Ok(())
    }

    fn advance(&self, state: &mut State, dt: f32) -> Outcome {
        state.sim.step(&*self.exec, &mut NoBodies, dt)?;
        for set in &state.tracer_sets {
            if let Some(tracers) = state.tracers.get_mut(set.key) {
                state.sim.advance_tracers(&*self.exec, &mut NoBodies, tracers, dt);
                tracers.retain(|_, age| age <= set.max_age);
            }
        }
        Ok(())
    }
}

fn busy() -> Error {
    Error::new(VORTON_ERR_BUSY, "another thread is using this world; one writer or many readers at a time")
}

pub(crate) fn unknown(what: &str, value: u32) -> Error {
    Error::bad_value(format_args!("{what} is {value}, which is none of its constants"))
}

fn pool(worker_count: u32) -> Outcome<Pool> {
    let workers = match worker_count as usize {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get().min(Pool::MAX_WORKERS)),
        count if count <= Pool::MAX_WORKERS => count,
        count => {
            return Err(Error::bad_value(format_args!("worker_count is {count}, but must be at most 256")));
        }
    };
    Pool::with_start_hook(workers, guard::adopt_worker_thread)
        .map_err(|error| Error::new(VORTON_ERR_UNSUPPORTED, error))
}

fn params(def: &VortonWorldDef) -> Outcome<Params> {
    finite(&[def.core_radius, def.nodes_per_core, def.relaxation_rate, def.max_age], "the world definition")?;
    finite(&[def.viscosity, def.diffusivity], "the world definition")?;
    if def.max_age < 0.0 {
        return Err(Error::bad_value(format_args!(
            "max_age is {}, but must be at least 0 (0: never)",
            def.max_age
        )));
    }
    let instruction_set = match def.instructions {
        VORTON_INSTRUCTIONS_AUTO => InstructionSet::Auto,
        VORTON_INSTRUCTIONS_PORTABLE => InstructionSet::Portable,
        VORTON_INSTRUCTIONS_AVX2 => InstructionSet::Avx2,
        VORTON_INSTRUCTIONS_AVX512 => InstructionSet::Avx512,
        other => return Err(unknown("instructions", other)),
    };
    if !instruction_set.is_available() {
        return Err(Error::new(
            VORTON_ERR_UNSUPPORTED,
            format_args!("this processor lacks {instruction_set:?}"),
        ));
    }
    Ok(Params {
        core_radius: def.core_radius,
        kernel: match def.kernel {
            VORTON_KERNEL_WINCKELMANS_LEONARD => Kernel::WinckelmansLeonard,
            VORTON_KERNEL_ROSENHEAD_MOORE => Kernel::RosenheadMoore,
            VORTON_KERNEL_RIGID_CORE => Kernel::RigidCore,
            other => return Err(unknown("kernel", other)),
        },
        precision: match def.precision {
            VORTON_PRECISION_EXACT => Precision::Exact,
            VORTON_PRECISION_FAST => Precision::Fast,
            other => return Err(unknown("precision", other)),
        },
        instruction_set,
        solver: match def.solver {
            VORTON_SOLVER_AUTO => SolverKind::Auto,
            VORTON_SOLVER_DIRECT => SolverKind::Direct,
            VORTON_SOLVER_MESH => SolverKind::Mesh,
            other => return Err(unknown("solver", other)),
        },
        nodes_per_core: def.nodes_per_core,
        max_grid_nodes: def.max_grid_nodes as usize,
        field_sampling: match def.field_sampling {
            VORTON_SAMPLING_TRILINEAR => FieldSampling::Trilinear,
            VORTON_SAMPLING_QUADRATIC_SPLINE => FieldSampling::QuadraticSpline,
            other => return Err(unknown("field_sampling", other)),
        },
        relaxation_rate: def.relaxation_rate,
        gravity: def.gravity.checked("gravity")?,
        ambient: ambient::of(def)?,
        equation_of_state: ambient::equation_of_state(def)?,
        viscosity: def.viscosity,
        diffusivity: def.diffusivity,
        wind: def.wind.checked("wind")?,
        max_age: if def.max_age == 0.0 { f32::INFINITY } else { def.max_age },
        max_vortons: def.max_vortons as usize,
    })
}

/// Runs `body` on a world that may be poisoned (it checks what it needs itself).
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

/// Runs `body` as one of many readers of a world.
pub(crate) fn reading<T>(id: VortonWorldId, body: impl FnOnce(&World, &State) -> Outcome<T>) -> Outcome<T> {
    with_world(id, |world| body(world, &*world.read()?))
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonWorldDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_def_init(out: *mut VortonWorldDef, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonWorldDef::default(), "out") })
}

/// Creates a world. All memory that its steps need is taken now, except that of nodes (VortonWorldDef.max_grid_nodes).
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

/// Destroys a world and everything in it; all its ids become stale. Its memory is free and the threads of its pool have ended
/// when this returns, unless another thread is just making a call on it: that call goes on unharmed and cleans up at its end.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_destroy(world: VortonWorldId) -> VortonResult {
    guard::run(|| {
        let mut worlds = WORLDS.write().unwrap_or_else(|poison| poison.into_inner());
        let removed = world_key(world).and_then(|key| worlds.remove(key));
        // The lock goes before the world does: joining a pool's threads takes time.
        drop(worlds);
        removed.map(drop).ok_or_else(|| stale("world"))
    })
}

/// True if the id names a living world.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_is_valid(world: VortonWorldId) -> bool {
    lookup(world).is_ok()
}

/// Advances the world by dt seconds and publishes the new field: emitters, vortons, then every tracer set. Second order
/// in time. Does not allocate in steady state: only a mesh that changes its size takes memory.
///
/// Keep VortonStats.stretch_number below about 0.3: where the flow is faster, take several smaller steps, about dt *
/// VortonStats.max_gradient / 0.3 of them. (A step with dt 0 tells max_gradient before the first frame.) A negative dt runs
/// time backwards (without relaxation, diffusion and emission); 0 only publishes the present field.
///
/// @param dt finite
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_step(world: VortonWorldId, dt: f32) -> VortonResult {
    guard::run(|| {
        finite(&[dt], "dt")?;
        writing(world, |world, state| world.step(state, dt))
    })
}

/// Changes the uniform velocity [m/s] of the whole fluid from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_wind(world: VortonWorldId, wind: VortonVec3) -> VortonResult {
    guard::run(|| {
        let wind = wind.checked("wind")?;
        writing(world, |_, state| Ok(state.sim.set_wind(wind)?))
    })
}

/// Changes gravity [m/s^2] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_gravity(world: VortonWorldId, gravity: VortonVec3) -> VortonResult {
    guard::run(|| {
        let gravity = gravity.checked("gravity")?;
        writing(world, |_, state| Ok(state.sim.set_gravity(gravity)?))
    })
}

/// Changes viscosity and the diffusivity of heat and dye [m^2/s], both at least 0, from the next step on. Allocates when diffusion
/// is switched on for the first time.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_diffusion(
    world: VortonWorldId,
    viscosity: f32,
    diffusivity: f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[viscosity, diffusivity], "viscosity or diffusivity")?;
        writing(world, |_, state| Ok(state.sim.set_diffusion(viscosity, diffusivity)?))
    })
}

/// Changes the relaxation rate [1/s] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_relaxation_rate(world: VortonWorldId, rate: f32) -> VortonResult {
    guard::run(|| {
        finite(&[rate], "rate")?;
        writing(world, |_, state| Ok(state.sim.set_relaxation_rate(rate)?))
    })
}

/// A hash of all vortons and the time, not of tracers and emitters. Equal fluids have equal hashes on any number of threads:
/// compare it between machines of a network game that run the same build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_hash(world: VortonWorldId, out: *mut u64) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let hash = reading(world, |_, state| Ok(state.sim.state_hash()))?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, hash, "out") }
    })
}
