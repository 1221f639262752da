//! Definition of a world.

use crate::memory::sized32;
use crate::types::VortonVec3;
use crate::types::threads::{VORTON_THREADS_SERIAL, VortonEnqueueTaskFn, VortonFinishTaskFn, VortonThreadFn};
use crate::types::zones::{VortonZoneBeginFn, VortonZoneEndFn};
use fluid_bodies::bodies::BodySettings;
use fluid_core::params::Params;
use libc::c_void;

/// High-order algebraic core (Winckelmans and Leonard 1993), far field exact to (core/r)^4. The default.
pub const VORTON_KERNEL_WINCKELMANS_LEONARD: u32 = 0;
/// Rosenhead-Moore (Plummer) core, far field exact to (core/r)^2.
pub const VORTON_KERNEL_ROSENHEAD_MOORE: u32 = 1;
/// The articles' core: rigid rotation inside, singular outside. Not smooth.
pub const VORTON_KERNEL_RIGID_CORE: u32 = 2;

/// Exact IEEE arithmetic: the same bits with every instruction set. The default.
pub const VORTON_PRECISION_EXACT: u32 = 0;
/// Reciprocal square root estimates and fused multiply-add: faster, bits depend on the processor.
pub const VORTON_PRECISION_FAST: u32 = 1;

/// The widest instruction set of the processor. The default.
pub const VORTON_INSTRUCTIONS_AUTO: u32 = 0;
/// The instruction set that every processor of the target has.
pub const VORTON_INSTRUCTIONS_PORTABLE: u32 = 1;
/// 256-bit vectors (x86-64).
pub const VORTON_INSTRUCTIONS_AVX2: u32 = 2;
/// 512-bit vectors (x86-64).
pub const VORTON_INSTRUCTIONS_AVX512: u32 = 3;

/// VORTON_SOLVER_DIRECT, VORTON_SOLVER_MESH or a tree, whichever costs less for the current vortons. A tree
/// sums scattered vortons, distant ones together, within about .5 % of VORTON_SOLVER_DIRECT. The choice
/// depends on their number and positions alone, so it is the same on every machine and with any number of
/// tracers. The default.
pub const VORTON_SOLVER_AUTO: u32 = 0;
/// Sums over all pairs of vortons: exact, time grows with the square of their number. Best below about a
/// thousand.
pub const VORTON_SOLVER_DIRECT: u32 = 1;
/// Solves on a mesh that follows the vortons: time grows with their number and the volume that they span.
/// Vortons outside are summed, many by a tree.
/// Within about 1 % of VORTON_SOLVER_DIRECT at the vortons (see nodes_per_core).
pub const VORTON_SOLVER_MESH: u32 = 2;

/// VortonWorldDef.walls: density next to the walls of containers (VORTON_SHAPE_HOLE) is extrapolated from the
/// fluid there, and gravity is reduced by the container's acceleration (effective gravity), so fluid at rest
/// stays at rest.
pub const VORTON_WALLS_BALANCED: u32 = 0;
/// Removes the density gradient's component normal to a wall at the nodes around vortons that hit the wall in
/// the last step, as in part 14 of the articles. This constant and the next two are for comparison.
pub const VORTON_WALLS_POISONED_BY_HITS: u32 = 1;
/// Removes that component at the nodes inside walls, as in part 14 of the articles.
pub const VORTON_WALLS_POISONED_BY_NODES: u32 = 2;
/// No treatment: fluid streams along walls for ever.
pub const VORTON_WALLS_UNTREATED: u32 = 3;

/// Tracers, operations and samples interpolate between 8 nodes of the mesh: fastest, accurate to a few
/// percent. The default.
pub const VORTON_SAMPLING_TRILINEAR: u32 = 0;
/// They interpolate between 27 nodes: accurate to about a percent, with a continuous gradient. Two to three
/// times the cost per tracer.
pub const VORTON_SAMPLING_QUADRATIC_SPLINE: u32 = 1;

/// Definition of a world. Fill it with vorton_world_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonWorldDef {
    /// sizeof(VortonWorldDef); set by vorton_world_def_init.
    pub struct_size: u32,
    /// VORTON_THREADS_...
    pub threads: u32,
    /// Threads that work on a step, 1 to 256; 0: one per processor. With VORTON_THREADS_POOL and
    /// VORTON_THREADS_SHARED_POOL, the calling thread and worker_count - 1 threads of the pool; with
    /// VORTON_THREADS_HOST, the calling thread and worker_count - 1 tasks. Ignored by VORTON_THREADS_SERIAL.
    pub worker_count: u32,
    /// VORTON_KERNEL_...
    pub kernel: u32,
    /// VORTON_PRECISION_...
    pub precision: u32,
    /// VORTON_INSTRUCTIONS_...; a set that the processor lacks is refused with VORTON_ERR_UNSUPPORTED.
    pub instructions: u32,
    /// VORTON_SOLVER_...: method of computing velocity.
    pub solver: u32,
    /// VORTON_SAMPLING_...: interpolation on a mesh for tracers, operations and samples.
    pub field_sampling: u32,
    /// Core radius [m] of every vorton: the size of the smallest eddy. A smaller radius resolves more detail
    /// and needs more vortons: space them no further apart than core_radius / 1.25 along a filament and
    /// core_radius / 1.5 in a volume. Default 0.1.
    pub core_radius: f32,
    /// Nodes of the mesh per core radius, 1 to 8 (fewer if max_grid_nodes requires it); time grows with the
    /// third power. 1.5 suits rings, sheets and drops (within 0.6 % of the largest velocity), 2.5 rough
    /// clouds of unrelated vortons. Default 1.5.
    pub nodes_per_core: f32,
    /// Most nodes of the mesh, 4096 to 16777216, about 130 bytes each, allocated when needed; density has as
    /// many on a lattice of its own, and as many again for bodies of fluid too far apart for one box. If many
    /// vortons would be outside the mesh, it takes fewer nodes per core radius, down to 1
    /// (VortonStats.nodes_per_core; coherent vortices are then 2 to 5 % off). Vortons still outside are
    /// summed, and gravity does not act on fluid outside all density boxes: both are counted in
    /// VortonStats. Default 262144, such as 64 x 64 x 64.
    pub max_grid_nodes: u32,
    /// Rate [1/s] at which strengths turn towards the local vorticity, which stabilises coarse clouds. 0:
    /// exact inviscid motion. Default 1.
    pub relaxation_rate: f32,
    /// Kinematic viscosity [m^2/s]: vortices spread as sqrt(viscosity * time), and small ones die first. Air
    /// 1.5e-5, water 1e-6; a visible effect needs more: 0.1 * core_radius^2 per second shows within seconds.
    /// Default 0.
    pub viscosity: f32,
    /// Diffusivity [m^2/s] of heat (mass deviation) and dye, which spread as vorticity does. Default 0.
    pub diffusivity: f32,
    /// Acceleration of gravity [m/s^2], at most VORTON_MAX_GRAVITY. It acts where density differs from the
    /// ambient density: heavy fluid sinks along it, light fluid rises. Bodies receive lift equal to the
    /// weight of the fluid that they displace. Default 0: nothing sinks, rises or is lifted.
    pub gravity: VortonVec3,
    /// Uniform velocity [m/s] of all fluid outside of containers, at most VORTON_MAX_SPEED. Default 0.
    pub wind: VortonVec3,
    /// Density [kg/m^3] of the undisturbed fluid: the reference of mass deviations, and the inertia of all
    /// fluid (keep deviations well below it). From 1e-9 to 1e9. Default 1.
    pub ambient_density: f32,
    /// Temperature [K] of fluid of density ambient_density. From 1e-9 to 1e9. Default 300.
    pub ambient_temperature: f32,
    /// VORTON_IDEAL_GAS or VORTON_LINEAR_EXPANSION: dependence of density on temperature.
    pub equation_of_state: u32,
    /// VORTON_LINEAR_EXPANSION: thermal expansion [1/K], positive. Default 0.0002: water at 20 degrees
    /// Celsius.
    pub expansion: f32,
    /// VORTON_STRATIFICATION_...: how the ambient density varies in space. It must vary along gravity only,
    /// or the ambient would not be at rest.
    pub stratification: u32,
    /// VORTON_STRATIFICATION_LINEAR: change of density per metre [kg/m^4]. A gradient along gravity (denser
    /// below) is stable: fluid displaced up or down returns. Default 0.
    pub density_gradient: VortonVec3,
    /// VORTON_STRATIFICATION_LAYERS: normal of the interface, any length but 0. Default z.
    pub layer_normal: VortonVec3,
    /// Position of the interface along layer_normal [m], from the origin. Default 0.
    pub layer_height: f32,
    /// Density on the side to which layer_normal points minus density on the other side [kg/m^3]; at the
    /// interface it is ambient_density. Default 0.
    pub layer_jump: f32,
    /// Half thickness of the interface [m], positive. Default 0.1.
    pub layer_thickness: f32,
    /// Age [s] at which vortons are removed; 0: never. Default 0.
    pub max_age: f32,
    /// Most vortons alive at a time, up to 16777216, halo vortons (VORTON_VORTON_HALO) included. Memory for
    /// all of them is allocated at creation: about 440 bytes each, 750 with viscosity or diffusivity; mesh
    /// nodes are extra. From half of it on, viscosity and diffusivity spread less around a cloud: they add
    /// fewer vortons there. Default 16384.
    pub max_vortons: u32,
    /// Smagorinsky's constant, at least 0: eddies too small for the vortons to resolve act as an additional
    /// viscosity (smagorinsky * core_radius)^2 * velocity gradient, everywhere, which also takes energy from
    /// coherent vortices. With 0 (the default), energy_budget alone limits wakes, which break up into ever
    /// smaller eddies; 0.2 makes them smoother.
    pub smagorinsky: f32,
    /// Rate [1/s] at which bodies enforce no-slip: a step cancels the fraction 1 - exp(-rate * dt) of the
    /// slip. 0: bodies only push vortons and tracers aside. Default 30, which takes a few frames;
    /// VORTON_RATE_AT_ONCE is allowed. Container walls that act only where vortons touch them (see
    /// VORTON_SHAPE_HOLE) cancel all flow through them in each step, unless the rate is 0.
    pub no_slip_rate: f32,
    /// Depth of the layer around a body in which vortons take up the vorticity that its surface sheds [core
    /// radii], at least 0. A deeper layer is coarser and needs fewer vortons; below 1 it is thinner than a
    /// vorton. Default 1.2.
    pub shedding_depth: f32,
    /// Specific heat of the fluid [J/(kg K)], positive: sets how much fluid cools a hot body
    /// (VortonBodyDef.heat_transfer). Default 1000, as air; water 4200.
    pub specific_heat: f32,
    /// Temperature [K] at which the fuel of a vorton (VortonVorton.fuel, VortonEmitterDef.fuel) begins to
    /// burn: 500 to 900 for gases in air. It is compared with the vorton's own temperature, so fire spreads
    /// from one vorton to the next only with a diffusivity. 0: nothing burns. Default 0.
    pub ignition_temperature: f32,
    /// Time [s] in which all but 1/e of a hot vorton's fuel burns, positive: 0.1 to 0.5 for flames. Default
    /// 0.2.
    pub burn_time: f32,
    /// Part of the expansion of burning fluid that pushes other fluid away, 0 to 1. 1 J expands the fluid by
    /// 1 / (specific_heat * ambient_density * ambient_temperature) [m^3]. 0: heat acts by buoyancy alone, and
    /// velocity costs less. In containers it is always 0. Default 1.
    pub burn_expansion: f32,
    /// VORTON_WALLS_...: treatment of density at the walls of containers. Default VORTON_WALLS_BALANCED.
    pub walls: u32,
    /// 1 (the default): a step may not raise the energy of the vortons by more than gravity, bodies and new
    /// vortons put in. Smooth vortices are not affected, and no flow blows up, however long it runs. 0: the
    /// plain inviscid equation, which multiplies the energy of flows that break up; for comparison with
    /// theory.
    pub energy_budget: u32,
    /// Stretch number at the start of a step, at least 0, above which the step is fourth order (Runge-Kutta)
    /// with four velocity solves, because a second-order step (midpoint, two solves) would break up the
    /// vortices of so fast a flow. With multistep, steps of one solve are taken up to 1.25 times this number
    /// or 0.4, whichever is less, and corrected steps up to twice (three times if only a few vortons are in
    /// so fast a flow). 0: every step; FLT_MAX: none. Default 0.4.
    pub fourth_order_above: f32,
    /// 1 (the default): a step about as long as the last two, if the flow is not too fast for it, takes one
    /// velocity solve instead of two: the rates of the last two steps are extrapolated to find its midpoint
    /// (Adams-Bashforth). About as accurate as midpoint steps with two solves, which 0 selects for all steps.
    /// If the flow is somewhat too fast, a second solve at the midpoint corrects the first.
    pub multistep: u32,
    /// VORTON_SOLVER_AUTO: number of points per step at which particle operations and vorton_world_sample_...
    /// read the field; tracers are counted automatically. If it is large, the field of even a few vortons is
    /// put on a mesh for sampling, which costs less than summing it at each point. Vortons and bodies do not
    /// depend on it. Default 0.
    pub expected_samples: u32,
    /// VORTON_THREADS_HOST: enqueues a task; required.
    pub enqueue_task: VortonEnqueueTaskFn,
    /// VORTON_THREADS_HOST: waits for a task; required.
    pub finish_task: VortonFinishTaskFn,
    /// VORTON_THREADS_HOST: passed to enqueue_task and finish_task.
    pub task_user: *mut c_void,
    /// VORTON_THREADS_POOL and VORTON_THREADS_SHARED_POOL: called first on each thread of the pool, for
    /// instance to name it for a profiler or to pin it to a core. NULL: not called.
    pub thread_start: VortonThreadFn,
    /// The same pools: called last on each thread. NULL: not called.
    pub thread_stop: VortonThreadFn,
    /// Passed to thread_start and thread_stop.
    pub thread_user: *mut c_void,
    /// User data, stored and never interpreted: see vorton_world_user_data. Default 0.
    pub user_data: u64,
    /// Called when a step and its stages begin, for a profiler. NULL: not called.
    pub zone_begin: VortonZoneBeginFn,
    /// Called when they end. NULL: not called.
    pub zone_end: VortonZoneEndFn,
    /// Passed to zone_begin and zone_end.
    pub zone_user: *mut c_void,
    /// 1: each call that takes steps first allocates one block as large as all that it can need, and frees it
    /// at its end; refused, it returns VORTON_ERR_OUT_OF_MEMORY and changes nothing. The block has about 340
    /// bytes for each of max_vortons, 600 more with bodies, and 260 for each node of the meshes. A mesh
    /// without memory to grow keeps its size: vortons outside cost more time (VortonStats.mesh_outside), and
    /// gravity does not act on density outside (VortonStats.density_outside); then bits depend on the memory
    /// of the machine. 0 (the default): steps allocate only to grow, so nothing in steady state; refused,
    /// they end the process.
    pub check_memory: u32,
    /// 0.
    pub reserved: u32,
    /// Limit of the memory of the world [bytes], as vorton_world_memory reports it; 0 (the default): none.
    /// Functions that could exceed it return VORTON_ERR_OUT_OF_MEMORY and change nothing. They count the
    /// memory that they can need at a time, often twice of that kept, and 32 MB for a shape with a sheet;
    /// vorton_world_restore counts one snapshot and added elements. Steps and vorton_world_reset are not
    /// refused. A mesh without room to grow keeps its size, as with check_memory; then bits depend on the
    /// memory used before, so use max_grid_nodes instead where worlds on several machines must agree. The
    /// other memory of steps is bounded by the numbers of vortons, bodies and tracers, and may exceed the
    /// limit.
    pub max_memory: u64,
}

impl Default for VortonWorldDef {
    fn default() -> Self {
        let params = Params::default();
        let bodies = BodySettings::default();
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
            equation_of_state: super::ambient::VORTON_IDEAL_GAS,
            expansion: 2e-4,
            stratification: super::ambient::VORTON_STRATIFICATION_NONE,
            density_gradient: VortonVec3::ZERO,
            layer_normal: VortonVec3 { z: 1.0, ..VortonVec3::ZERO },
            layer_height: 0.0,
            layer_jump: 0.0,
            layer_thickness: 0.1,
            max_age: 0.0,
            max_vortons: params.max_vortons as u32,
            smagorinsky: params.smagorinsky,
            no_slip_rate: bodies.no_slip.rate,
            shedding_depth: bodies.no_slip.depth,
            specific_heat: bodies.specific_heat,
            ignition_temperature: params.combustion.ignition_temperature,
            burn_time: params.combustion.burn_time,
            burn_expansion: params.combustion.expansion,
            walls: VORTON_WALLS_BALANCED,
            energy_budget: u32::from(params.energy_budget),
            fourth_order_above: params.fourth_order_above,
            multistep: u32::from(params.multistep),
            expected_samples: params.expected_samples as u32,
            enqueue_task: None,
            finish_task: None,
            task_user: std::ptr::null_mut(),
            thread_start: None,
            thread_stop: None,
            thread_user: std::ptr::null_mut(),
            user_data: 0,
            zone_begin: None,
            zone_end: None,
            zone_user: std::ptr::null_mut(),
            check_memory: 0,
            reserved: 0,
            max_memory: 0,
        }
    }
}

sized32!(VortonWorldDef);
