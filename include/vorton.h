/*
 * vorton.h - smoke, dye and heat that move: a vortex-particle fluid for games. C99 and later, C++11 and
 * later.
 *
 * Generated from fluid-ffi; do not edit. MIT OR Apache-2.0.
 *
 * A smoke ring of radius 1 m and circulation 1 m^2/s travels along +z; sample the flow anywhere:
 *
 *     VortonWorldDef def = vorton_default_world_def();
 *     VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
 *     VortonWorldId world;
 *     float point[3] = {0, 0, 1}, velocity[3];
 *     def.core_radius = 0.2f;
 *     if (vorton_world_create(&def, &world) < 0) return 1;
 *     vorton_world_add_initial(world, &ring, NULL, NULL);
 *     for (int frame = 0; frame < 60; frame++) vorton_world_step(world, 1.0f / 60.0f);
 *     vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, point, sizeof point, velocity, sizeof velocity, 1);
 *     vorton_world_destroy(world);
 *
 * Link with -lpthread -lm -ldl (Linux) or -lkernel32 -lntdll -luserenv -lws2_32 -ldbghelp (mingw).
 *
 * Contents, in this order; each section has its constants, types and functions:
 *   results, library, memory, vectors, rotations and boxes, threads, profiler zones, worlds, ambient fluid,
 *   vortons, initial conditions, tracers, bodies, shapes, emitters, presets, kill volumes,
 *   views of particles, operations on particles, samples, statistics and drawing, snapshots and recordings.
 *
 * Conventions
 * - Every function that can fail returns VortonResult: 0 done, positive done with a note, negative failed and
 *   nothing changed (after VORTON_ERR_PANIC the world has stopped, and can only be destroyed).
 *   vorton_last_error describes this thread's last failure. Test for failure with result < 0. Other
 *   numbers are reserved for later versions.
 * - Structs that may grow begin with struct_size: fill them with vorton_..._init, or take them filled from
 *   vorton_default_... (at the end of this file), then change the fields you need. Plain structs (vectors,
 *   ids, VortonBodyState, VortonBodyImpulse, VortonStream, VortonKillVolume, ...) have none.
 * - Ids are 8 bytes and passed by value. Zeroed memory is the null id; the id of a destroyed object gives
 *   VORTON_ERR_STALE_ID.
 * - Pointers are checked for NULL and alignment in every build. A pointer may be NULL only where its function
 *   says so. The library keeps none of them after a call, except callbacks and their user pointers. Strides
 *   are in bytes. Numbers that are not finite are refused; in arrays of particles such elements are skipped
 *   and counted. Steps, speeds and spins have bounds (VORTON_MAX_...) far beyond any use. Finite input never
 *   produces NaN or infinity: values that grow beyond float are removed or skipped, and counted, or clamped
 *   to the largest float.
 * - Any thread may call any function. VORTON_ERR_BUSY means a conflict with a call of another thread; nothing
 *   has changed then.
 *     never busy       ..._is_valid, _number, vorton_tracers_release, vorton_world_memory; _user_data of
 *                      worlds, bodies and shapes
 *     during a step    operations on particles and their creation, samples, conversions between temperature
 *                      and density, drawing the field alone, acquiring and reading tracers that are readable
 *                      during steps, vorton_world_stats and vorton_world_hash (busy before they have a step):
 *                      they read the last completed step
 *     readers, many    other ..._read, _invariants, _hash_all, _is_awake, _draw, _def, _save,
 *                      _kill_volumes, _added_inertia, lists of ids, and _user_data of emitters and tracers
 *     writers, alone   every other function that takes a world
 * - Units are consistent: metres, kilograms, seconds, kelvins and radians unless you prefer others.
 *   Right-handed, any axis may be up. Quaternions are x y z w. Positions are float: keep them within some ten
 *   thousand core radii of the origin.
 * - Bodies belong to your physics engine, which moves them; the fluid pushes them. A frame of dt seconds:
 *     1. vorton_bodies_set_states     where the engine's bodies are now, and how fast they move
 *     2. vorton_world_step(dt)        they move on with these velocities, and the fluid with them
 *     3. vorton_ops_run(dt)           your own particles, in the fluid of this step
 *     4. vorton_bodies_take_impulses  velocity += linear / mass, angular velocity += I^-1 angular
 *     5. the engine's own step of dt  with its gravity, contacts and joints
 *   For several fluid steps per engine step, repeat 2, or let vorton_world_advance find the number of steps;
 *   bodies keep moving by themselves, those with a mass under gravity and the impulses of the fluid, and
 *   impulses accumulate until they are taken.
 *   For bodies that the engine puts to sleep, see vorton_body_set_awake.
 *   Positions are those of the centre of mass, rotations turn the body's axes into the world's, angular
 *   velocity and angular impulse are in the world's axes.
 *   Give static, kinematic and animated bodies mass 0; otherwise the fluid expects them to recoil. The engine
 *   applies the weight; the impulses contain the lift (Archimedes) once VortonWorldDef.gravity is the
 *   engine's gravity. Vortons never push a body faster than the fluid moves, however light the body is: the
 *   part of an impulse beyond that is kept and applied in later steps. Lift is not limited in this way, and
 *   by default the surrounding fluid adds no inertia to the body (no added mass): a body much lighter than
 *   the fluid accelerates upwards at (fluid density / body density - 1) * gravity.
 *   By default bodies act on the flow through vortons that touch them and create none: where there are none,
 *   a moving body does not stir the fluid; VORTON_BODY_NO_THROUGH bodies displace it everywhere. Surround
 *   bodies with vorton_bodies_surround, fill the regions through which they move with VORTON_INITIAL_NOISE of
 *   a small amplitude, or let an emitter supply vortons.
 * - Density is the ambient density plus the deviation that vortons carry (mass_deviation). Gravity turns
 *   density differences into vorticity: heavy fluid sinks, light fluid rises. Hot fluid is light fluid: the
 *   equation of state converts between temperature and density.
 * - The same calls give the same bits for any number of threads, whatever the host's floating-point mode.
 * - fork(): a child process has no VORTON_THREADS_POOL threads; its worlds continue serially, with the same
 *   bits. Fork while no other thread is inside a call; otherwise the locks held by that call stay locked in
 *   the child.
 * - Nothing unwinds or aborts into the host: an internal error is VORTON_ERR_PANIC and stops that world only.
 *   Only running out of memory in a step of a world without VortonWorldDef.check_memory ends the process.
 */


#ifndef VORTON_H
#define VORTON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Define VORTON_USE_DLL before including this on Windows if you link vorton.dll instead of the static
   library. */
#ifndef VORTON_API
# if defined(_WIN32) && defined(VORTON_USE_DLL)
#  define VORTON_API __declspec(dllimport)
# else
#  define VORTON_API
# endif
#endif

/* Calling convention of functions and callbacks, whatever the compiler's default. */
#ifndef VORTON_CALL
# if defined(_WIN32)
#  define VORTON_CALL __cdecl
# else
#  define VORTON_CALL
# endif
#endif

/* On functions that create: a failure leaves the id unset. Define it as nothing to ignore results there. */
#ifndef VORTON_NODISCARD
# if defined(__cplusplus) && \
    (__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#  define VORTON_NODISCARD [[nodiscard]]
# elif defined(__GNUC__)
#  define VORTON_NODISCARD __attribute__((warn_unused_result))
# else
#  define VORTON_NODISCARD
# endif
#endif

/* A rate [1/s] so large that the change is complete within any step: VortonOpDef.rate,
   VortonWorldDef.no_slip_rate. */
#define VORTON_RATE_AT_ONCE 3.402823466e+38f

/* Longest step [s]: vorton_world_step, vorton_world_step_within and vorton_world_advance accept dt from
   -VORTON_MAX_STEP to VORTON_MAX_STEP, vorton_ops_run from 0 to VORTON_MAX_STEP. */
#define VORTON_MAX_STEP 1e7f

/* Largest speed [m/s] of the wind: VortonWorldDef.wind, vorton_world_set_wind. */
#define VORTON_MAX_SPEED 1e10f

/* Largest speed [m/s] of a body. */
#define VORTON_MAX_BODY_SPEED 1e6f

/* Largest distance [m] of a body from the origin. */
#define VORTON_MAX_COORDINATE 1e9f

/* Largest VortonWorldDef.gravity [m/s^2]. */
#define VORTON_MAX_GRAVITY 1e12f

/* Largest angular velocity [rad/s] of a body. */
#define VORTON_MAX_SPIN 1e6f

/* VortonStats.stretch_number above which a step was too coarse for its flow: VORTON_NOTE_TOO_COARSE. (For
 * second-order steps the bound is 1; VortonWorldDef.fourth_order_above decides whether steps that long stay
 * second order.) */
#define VORTON_STRETCH_FOLLOWED 2.0f

/* Version of this header, for vorton_check_abi. */
#define VORTON_HEADER_VERSION \
    ((VORTON_VERSION_MAJOR + 0u) << 24 | (VORTON_VERSION_MINOR + 0u) << 16 | (VORTON_VERSION_PATCH + 0u) << 8)

#ifdef __cplusplus
extern "C" {
#endif

/* Results ------------------------------------------------------------------------------------------------ */

/// Done.
#define VORTON_OK 0

/// Done, but a list was too short for all results; the count that the call returns is their total number.
#define VORTON_NOTE_TRUNCATED 1

/// Done, but elements that were not finite were left untouched; the call counts them.
#define VORTON_NOTE_SKIPPED_NONFINITE 3

/// Done, but a step was too coarse for the flow, and the growth of some strengths was limited:
/// VortonStats.stretch_number was above 1 in a step of one or two solves (VortonStats.solves), or above
/// VORTON_STRETCH_FOLLOWED in one of four. Or vorton_world_advance would have needed more than max_steps
/// steps. Only accuracy is lost.
#define VORTON_NOTE_TOO_COARSE 4

/// Done, but a replayed step gave another hash than the recorded one, or a call another result: see
/// vorton_world_replay.
#define VORTON_NOTE_DIVERGED 5

/// A required pointer is NULL.
#define VORTON_ERR_NULL -1

/// A struct_size is smaller than any version of the struct, or larger with an unknown tail that is not zero.
#define VORTON_ERR_STRUCT_SIZE -2

/// A value is out of its range, a reserved field is not 0, or a pointer is not aligned.
#define VORTON_ERR_BAD_VALUE -3

/// A value is NaN or infinite.
#define VORTON_ERR_NOT_FINITE -4

/// The id is null, or its object has been destroyed.
#define VORTON_ERR_STALE_ID -5

/// The id belongs to another world, which may have been destroyed.
#define VORTON_ERR_WRONG_WORLD -6

/// Another thread is writing to this world (or reading it, for a call that writes), or a callback called the
/// library.
#define VORTON_ERR_BUSY -7

/// A limit is reached: max_vortons, a capacity, VORTON_MAX_WORLDS or VORTON_MAX_OBJECTS.
#define VORTON_ERR_CAPACITY -8

/// The buffer is too small; the count that the call returns is the size needed.
#define VORTON_ERR_BUFFER_SMALL -10

/// A stream of a particle view, or an array with a stride, is malformed: format, stride, alignment, overlap,
/// table or index list.
#define VORTON_ERR_BAD_STREAM -11

/// An operation needs a stream that the view does not have.
#define VORTON_ERR_MISSING_STREAM -12

/// The bytes are not a snapshot from which this world can be restored.
#define VORTON_ERR_SNAPSHOT -13

/// This machine or build does not support the request.
#define VORTON_ERR_UNSUPPORTED -14

/// Header and library are of incompatible versions.
#define VORTON_ERR_ABI -15

/// The function had to be called earlier: see its documentation.
#define VORTON_ERR_TOO_LATE -16

/// Not enough memory for the request.
#define VORTON_ERR_OUT_OF_MEMORY -17

/// The bytes are not a recording that this library can replay, or they are damaged.
#define VORTON_ERR_RECORDING -18

/// An earlier internal error has stopped this world; it can only be destroyed, and its last field be read.
#define VORTON_ERR_POISONED -98

/// An internal error was caught. The world in which it happened is poisoned (VORTON_ERR_POISONED).
#define VORTON_ERR_PANIC -99

/// Result of a function: 0 done, positive done with a note, negative failed and nothing changed.
typedef int32_t VortonResult;

/* Library ------------------------------------------------------------------------------------------------ */

/// ABI version: increases with any change of layout, value or signature that affects an old program.
#define VORTON_ABI_VERSION 4u

/// Version of this header.
#define VORTON_VERSION_MAJOR 0

/// Version of this header.
#define VORTON_VERSION_MINOR 3

/// Version of this header.
#define VORTON_VERSION_PATCH 0

/// Something failed.
#define VORTON_LOG_ERROR 3

/// Something was skipped, truncated or counted.
#define VORTON_LOG_WARNING 2

/// Informational.
#define VORTON_LOG_INFO 1

/// Receives a line of UTF-8 text. Called from any thread; must not call the library (such a call returns
/// VORTON_ERR_BUSY), throw or longjmp.
typedef void (VORTON_CALL *VortonLogFn)(int32_t level, const char *text, void *user);

/// Returns the ABI version with which the library was built.
VORTON_API uint32_t VORTON_CALL vorton_abi_version(void);

/// Returns the version of the library: major << 24 | minor << 16 | patch << 8.
VORTON_API uint32_t VORTON_CALL vorton_version(void);

/// Returns one line about the build (version, target, float rules), for logs and bug reports. Static; do not
/// free.
VORTON_API const char *VORTON_CALL vorton_build_info(void);

/// Checks that the program's header and this library are compatible. Call it first, as
/// vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION).
///
/// @return VORTON_OK, or VORTON_ERR_ABI with both versions in vorton_last_error.
VORTON_API VortonResult VORTON_CALL vorton_check_abi(uint32_t header_abi, uint32_t header_version);

/// Sets the function that receives the library's log lines (NULL: none, the default); replaces the previous
/// one.
///
/// @param function  see VortonLogFn; called from any thread until another call of vorton_set_log has returned
/// @param user      passed through to the function
/// @param min_level least level to report: VORTON_LOG_INFO, VORTON_LOG_WARNING or VORTON_LOG_ERROR (failures;
///     VORTON_ERR_BUSY is INFO)
VORTON_API VortonResult VORTON_CALL vorton_set_log(VortonLogFn function, void *user, int32_t min_level);

/// Returns the name of a result code, such as "VORTON_ERR_NULL". Static; do not free.
VORTON_API const char *VORTON_CALL vorton_result_name(VortonResult result);

/// Copies the text of this thread's last failure into `buffer`, truncated to `capacity` and always
/// terminated. A later success does not clear it.
///
/// @param buffer may be NULL if capacity is 0
/// @return the bytes needed for the whole text with its terminator
VORTON_API size_t VORTON_CALL vorton_last_error(char *buffer, size_t capacity);

/* Memory ------------------------------------------------------------------------------------------------- */

/// Allocates `size` bytes, at least 1, at a multiple of `alignment`, a power of two. Return NULL if there is
/// no memory. A function that makes a world larger, or needs memory to compute something, first allocates one
/// block as large as everything that it can need, and frees it at its end: without that block it returns
/// VORTON_ERR_OUT_OF_MEMORY and has changed nothing; with it, it completes, whatever is refused later. What
/// other functions need comes from a reserve of 64 KiB. Steps do so with VortonWorldDef.check_memory. Without
/// it, a step that needs more (a mesh that grows, more contacts with bodies than before) ends the process if
/// that is refused. Called on any thread; must not call the library, throw or longjmp.
typedef void *(VORTON_CALL *VortonAllocateFn)(size_t size, size_t alignment, void *user);

/// Frees memory from VortonAllocateFn, with the same size and alignment. The same rules as for
/// VortonAllocateFn.
typedef void (VORTON_CALL *VortonFreeFn)(void *memory, size_t size, size_t alignment, void *user);

/// Memory used by the library, all worlds together or one. Fill it with vorton_memory_init before the call.
typedef struct VortonMemory {
    /// sizeof(VortonMemory); set by vorton_memory_init.
    uint32_t struct_size;
    /// Reserved: 0.
    uint32_t reserved;
    /// Bytes currently allocated.
    uint64_t bytes;
    /// Largest number of bytes so far.
    uint64_t peak_bytes;
    /// Blocks currently allocated.
    uint64_t blocks;
    /// Allocations since the start. Steps make none in steady state.
    uint64_t allocations;
} VortonMemory;

/// Makes the library allocate all memory from the host, permanently. Call it before any other function,
/// including those that fill in defaults and vorton_check_abi: it is refused once the library has allocated
/// memory. Both functions must work until the process ends.
///
/// @param allocate allocates memory
/// @param free     frees it
/// @param user     passed through to both
/// @return VORTON_ERR_TOO_LATE if the library has memory already; VORTON_ERR_NULL, without a sentence in
///     vorton_last_error, if a function is NULL
VORTON_API VortonResult VORTON_CALL vorton_set_allocator(
    VortonAllocateFn allocate, VortonFreeFn free, void *user);

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonMemory)
VORTON_API VortonResult VORTON_CALL vorton_memory_init(struct VortonMemory *out, uint32_t struct_size);

/// Reports how much memory the library has allocated, all worlds together. May be called at any time.
VORTON_API VortonResult VORTON_CALL vorton_memory(struct VortonMemory *out);

/* Vectors, rotations and boxes --------------------------------------------------------------------------- */

/// A vector; each use states its unit.
typedef struct VortonVec3 {
    /// x
    float x;
    /// y
    float y;
    /// z
    float z;
} VortonVec3;

/// An axis-aligned box.
typedef struct VortonAabb {
    /// Corner with the smallest coordinates.
    struct VortonVec3 min;
    /// Corner with the largest coordinates.
    struct VortonVec3 max;
} VortonAabb;

/// A rotation as a unit quaternion; x y z is the vector part. Identity: 0 0 0 1.
typedef struct VortonQuat {
    /// x
    float x;
    /// y
    float y;
    /// z
    float z;
    /// w
    float w;
} VortonQuat;

/* Threads ------------------------------------------------------------------------------------------------ */

/// Everything runs on the calling thread.
#define VORTON_THREADS_SERIAL 0u

/// A thread pool owned by the world: its threads help the one that calls a step, which works on it from start
/// to end. The same bits as with VORTON_THREADS_SERIAL.
#define VORTON_THREADS_POOL 1u

/// The host's job system, called through VortonWorldDef.enqueue_task and finish_task; the library starts no
/// thread. The thread that calls a step works on it from start to end; tasks that the host runs meanwhile
/// help. The results have the same bits, whenever and wherever the host runs the tasks, if at all.
#define VORTON_THREADS_HOST 2u

/// One pool for all worlds with VORTON_THREADS_SHARED_POOL. The first such world creates the pool, with its
/// worker_count and its callbacks; the threads end with the last such world. Worlds may be stepped at the
/// same time: none waits for another.
#define VORTON_THREADS_SHARED_POOL 3u

/// A task of the library. Call it once with its context, on any thread. It works on the step to which it
/// belongs and returns when that step has ended: at once if the step is over, the world is destroyed, or the
/// thread is itself inside a step. Must not be called after the library has been unloaded.
typedef void (VORTON_CALL *VortonTaskFn)(void *task_context);

/// Enqueues a task in the host's job system. Returns the handle for finish_task, or NULL if finish_task need
/// not be called: the task was refused, has been run at once, or may run at any time. Called on the thread
/// that calls the library, up to worker_count - 1 times at the start of a step, of a run of operations or of
/// many samples. May call the library on other worlds; must not throw or longjmp.
typedef void *(VORTON_CALL *VortonEnqueueTaskFn)(VortonTaskFn task, void *task_context, void *user);

/// Waits until the task of this handle, which enqueue_task has returned, is no longer running. All work is
/// already done when this is called: a running task ends at once, and a task that has not begun need not run.
/// Called at the end of the step, run or sampling for which enqueue_task was called, on the same thread. May
/// run other jobs meanwhile, including steps of other worlds, in the thread's own floating-point mode; must
/// not throw or longjmp.
typedef void (VORTON_CALL *VortonFinishTaskFn)(void *host_task, void *user);

/// Notifies the host that a pool thread starts or ends: called on that thread, before and after all else.
/// `worker` counts from 0. Must not call the library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
typedef void (VORTON_CALL *VortonThreadFn)(uint32_t worker, void *user);

/* Profiler zones ----------------------------------------------------------------------------------------- */

/// Begins a profiler zone: a step of a world ("vorton step"), or one of its successive stages inside it
/// ("vorton velocity", "vorton tracers" and so on, as in VortonStats). Called on the thread that calls the
/// step; must not call the library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
///
/// @param name static, the same address each time
/// @param user VortonWorldDef.zone_user
typedef void (VORTON_CALL *VortonZoneBeginFn)(const char *name, void *user);

/// Ends the innermost open zone. The same rules as for VortonZoneBeginFn.
typedef void (VORTON_CALL *VortonZoneEndFn)(void *user);

/* Worlds ------------------------------------------------------------------------------------------------- */

/// Most worlds at a time.
#define VORTON_MAX_WORLDS 1024u

/// Most objects of each kind (emitters, operations, sets of tracers, bodies, shapes) of one world at a time.
#define VORTON_MAX_OBJECTS 65535u

/// High-order algebraic core (Winckelmans and Leonard 1993), far field exact to (core/r)^4. The default.
#define VORTON_KERNEL_WINCKELMANS_LEONARD 0u

/// Rosenhead-Moore (Plummer) core, far field exact to (core/r)^2.
#define VORTON_KERNEL_ROSENHEAD_MOORE 1u

/// The articles' core: rigid rotation inside, singular outside. Not smooth.
#define VORTON_KERNEL_RIGID_CORE 2u

/// Exact IEEE arithmetic: the same bits with every instruction set. The default.
#define VORTON_PRECISION_EXACT 0u

/// Reciprocal square root estimates and fused multiply-add: faster, bits depend on the processor.
#define VORTON_PRECISION_FAST 1u

/// The widest instruction set of the processor. The default.
#define VORTON_INSTRUCTIONS_AUTO 0u

/// The instruction set that every processor of the target has.
#define VORTON_INSTRUCTIONS_PORTABLE 1u

/// 256-bit vectors (x86-64).
#define VORTON_INSTRUCTIONS_AVX2 2u

/// 512-bit vectors (x86-64).
#define VORTON_INSTRUCTIONS_AVX512 3u

/// VORTON_SOLVER_DIRECT, VORTON_SOLVER_MESH or a tree, whichever costs less for the current vortons. A tree
/// sums scattered vortons, distant ones together, within about .5 % of VORTON_SOLVER_DIRECT. The choice
/// depends on their number and positions alone, so it is the same on every machine and with any number of
/// tracers. The default.
#define VORTON_SOLVER_AUTO 0u

/// Sums over all pairs of vortons: exact, time grows with the square of their number. Best below about a
/// thousand.
#define VORTON_SOLVER_DIRECT 1u

/// Solves on a mesh that follows the vortons: time grows with their number and the volume that they span.
/// Vortons outside are summed, many by a tree.
/// Within about 1 % of VORTON_SOLVER_DIRECT at the vortons (see nodes_per_core).
#define VORTON_SOLVER_MESH 2u

/// VortonWorldDef.walls: density next to the walls of containers (VORTON_SHAPE_HOLE) is extrapolated from the
/// fluid there, and gravity is reduced by the container's acceleration (effective gravity), so fluid at rest
/// stays at rest.
#define VORTON_WALLS_BALANCED 0u

/// Removes the density gradient's component normal to a wall at the nodes around vortons that hit the wall in
/// the last step, as in part 14 of the articles. This constant and the next two are for comparison.
#define VORTON_WALLS_POISONED_BY_HITS 1u

/// Removes that component at the nodes inside walls, as in part 14 of the articles.
#define VORTON_WALLS_POISONED_BY_NODES 2u

/// No treatment: fluid streams along walls for ever.
#define VORTON_WALLS_UNTREATED 3u

/// Tracers, operations and samples interpolate between 8 nodes of the mesh: fastest, accurate to a few
/// percent. The default.
#define VORTON_SAMPLING_TRILINEAR 0u

/// They interpolate between 27 nodes: accurate to about a percent, with a continuous gradient. Two to three
/// times the cost per tracer.
#define VORTON_SAMPLING_QUADRATIC_SPLINE 1u

/// A budget counts vortons, pairs, nodes, solves and samples (with the sums of tracers outside of the mesh),
/// each at a fixed cost on one core of about 3 GHz: decisions and results are the same on every machine and
/// with any number of threads, suitable for lockstep. The cost of bodies is not counted. The default.
#define VORTON_MEASURE_COUNTED 0u

/// A budget uses the clock: the time that the stages of the last two steps took, on all threads of the world
/// together, bodies included. Results are not reproducible.
#define VORTON_MEASURE_CLOCK 1u

/// VortonStats.quality: as set in VortonWorldDef.
#define VORTON_QUALITY_FULL 0u

/// One velocity solve a step up to a stretch number of 0.6 instead of 0.5, two up to 1 instead of 0.8.
#define VORTON_QUALITY_FEWER_SOLVES 1u

/// Fewer solves, and mesh nodes 1.5 times as far apart, but not further than a core radius.
#define VORTON_QUALITY_COARSE_MESH 2u

/// VortonStats.tracer_quality: one sample of the field per tracer and step, at a point extrapolated from its
/// last velocities; two if steps are long for the flow, or not as long as the last one.
#define VORTON_TRACERS_FULL 0u

/// A mesh that only tracers sample has nodes 1.5 times as far apart.
#define VORTON_TRACERS_COARSE_MESH 1u

/// One sample in every second step, half of the tracers in turn; in the other step a tracer keeps its
/// velocity. Tracers with turbulence (VortonTracersDef.turbulence) are sampled in each step.
#define VORTON_TRACERS_EVERY_SECOND_STEP 2u

/// Definition of a world. Fill it with vorton_world_def_init, then change the fields you need.
typedef struct VortonWorldDef {
    /// sizeof(VortonWorldDef); set by vorton_world_def_init.
    uint32_t struct_size;
    /// VORTON_THREADS_...
    uint32_t threads;
    /// Threads that work on a step, 1 to 256; 0: one per processor. With VORTON_THREADS_POOL and
    /// VORTON_THREADS_SHARED_POOL, the calling thread and worker_count - 1 threads of the pool; with
    /// VORTON_THREADS_HOST, the calling thread and worker_count - 1 tasks. Ignored by VORTON_THREADS_SERIAL.
    uint32_t worker_count;
    /// VORTON_KERNEL_...
    uint32_t kernel;
    /// VORTON_PRECISION_...
    uint32_t precision;
    /// VORTON_INSTRUCTIONS_...; a set that the processor lacks is refused with VORTON_ERR_UNSUPPORTED.
    uint32_t instructions;
    /// VORTON_SOLVER_...: method of computing velocity.
    uint32_t solver;
    /// VORTON_SAMPLING_...: interpolation on a mesh for tracers, operations and samples.
    uint32_t field_sampling;
    /// Core radius [m] of every vorton: the size of the smallest eddy. A smaller radius resolves more detail
    /// and needs more vortons: space them no further apart than core_radius / 1.25 along a filament and
    /// core_radius / 1.5 in a volume. Default 0.1.
    float core_radius;
    /// Nodes of the mesh per core radius, 1 to 8 (fewer if max_grid_nodes requires it); time grows with the
    /// third power. 1.5 suits rings, sheets and drops (within 0.6 % of the largest velocity), 2.5 rough
    /// clouds of unrelated vortons. Default 1.5.
    float nodes_per_core;
    /// Most nodes of the mesh, 4096 to 16777216, about 130 bytes each, allocated when needed; density has as
    /// many on a lattice of its own, and as many again for bodies of fluid too far apart for one box. If many
    /// vortons would be outside the mesh, it takes fewer nodes per core radius, down to 1
    /// (VortonStats.nodes_per_core; coherent vortices are then 2 to 5 % off). Vortons still outside are
    /// summed, and gravity does not act on fluid outside all density boxes: both are counted in
    /// VortonStats. Default 262144, such as 64 x 64 x 64.
    uint32_t max_grid_nodes;
    /// Rate [1/s] at which strengths turn towards the local vorticity, which stabilises coarse clouds. 0:
    /// exact inviscid motion. Default 1.
    float relaxation_rate;
    /// Kinematic viscosity [m^2/s]: vortices spread as sqrt(viscosity * time), and small ones die first. Air
    /// 1.5e-5, water 1e-6; a visible effect needs more: 0.1 * core_radius^2 per second shows within seconds.
    /// Default 0.
    float viscosity;
    /// Diffusivity [m^2/s] of heat (mass deviation) and dye, which spread as vorticity does. Default 0.
    float diffusivity;
    /// Acceleration of gravity [m/s^2], at most VORTON_MAX_GRAVITY. It acts where density differs from the
    /// ambient density: heavy fluid sinks along it, light fluid rises. Bodies receive lift equal to the
    /// weight of the fluid that they displace. Default 0: nothing sinks, rises or is lifted.
    struct VortonVec3 gravity;
    /// Uniform velocity [m/s] of all fluid outside of containers, at most VORTON_MAX_SPEED. Default 0.
    struct VortonVec3 wind;
    /// Density [kg/m^3] of the undisturbed fluid: the reference of mass deviations, and the inertia of all
    /// fluid (keep deviations well below it). From 1e-9 to 1e9. Default 1.
    float ambient_density;
    /// Temperature [K] of fluid of density ambient_density. From 1e-9 to 1e9. Default 300.
    float ambient_temperature;
    /// VORTON_IDEAL_GAS or VORTON_LINEAR_EXPANSION: dependence of density on temperature.
    uint32_t equation_of_state;
    /// VORTON_LINEAR_EXPANSION: thermal expansion [1/K], positive. Default 0.0002: water at 20 degrees
    /// Celsius.
    float expansion;
    /// VORTON_STRATIFICATION_...: how the ambient density varies in space. It must vary along gravity only,
    /// or the ambient would not be at rest.
    uint32_t stratification;
    /// VORTON_STRATIFICATION_LINEAR: change of density per metre [kg/m^4]. A gradient along gravity (denser
    /// below) is stable: fluid displaced up or down returns. Default 0.
    struct VortonVec3 density_gradient;
    /// VORTON_STRATIFICATION_LAYERS: normal of the interface, any length but 0. Default z.
    struct VortonVec3 layer_normal;
    /// Position of the interface along layer_normal [m], from the origin. Default 0.
    float layer_height;
    /// Density on the side to which layer_normal points minus density on the other side [kg/m^3]; at the
    /// interface it is ambient_density. Default 0.
    float layer_jump;
    /// Half thickness of the interface [m], positive. Default 0.1.
    float layer_thickness;
    /// Age [s] at which vortons are removed; 0: never. Default 0.
    float max_age;
    /// Most vortons alive at a time, up to 16777216, halo vortons (VORTON_VORTON_HALO) included. Memory for
    /// all of them is allocated at creation: about 440 bytes each, 750 with viscosity or diffusivity; mesh
    /// nodes are extra. From half of it on, viscosity and diffusivity spread less around a cloud: they add
    /// fewer vortons there. Default 16384.
    uint32_t max_vortons;
    /// Smagorinsky's constant, at least 0: eddies too small for the vortons to resolve act as an additional
    /// viscosity (smagorinsky * core_radius)^2 * velocity gradient, everywhere, which also takes energy from
    /// coherent vortices. With 0 (the default), energy_budget alone limits wakes, which break up into ever
    /// smaller eddies; 0.2 makes them smoother.
    float smagorinsky;
    /// Rate [1/s] at which bodies enforce no-slip: a step cancels the fraction 1 - exp(-rate * dt) of the
    /// slip. 0: bodies only push vortons and tracers aside. Default 30, which takes a few frames;
    /// VORTON_RATE_AT_ONCE is allowed. Container walls that act only where vortons touch them (see
    /// VORTON_SHAPE_HOLE) cancel all flow through them in each step, unless the rate is 0.
    float no_slip_rate;
    /// Depth of the layer around a body in which vortons take up the vorticity that its surface sheds [core
    /// radii], at least 0. A deeper layer is coarser and needs fewer vortons; below 1 it is thinner than a
    /// vorton. Default 1.2.
    float shedding_depth;
    /// Specific heat of the fluid [J/(kg K)], positive: sets how much fluid cools a hot body
    /// (VortonBodyDef.heat_transfer). Default 1000, as air; water 4200.
    float specific_heat;
    /// Temperature [K] at which the fuel of a vorton (VortonVorton.fuel, VortonEmitterDef.fuel) begins to
    /// burn: 500 to 900 for gases in air. It is compared with the vorton's own temperature, so fire spreads
    /// from one vorton to the next only with a diffusivity. 0: nothing burns. Default 0.
    float ignition_temperature;
    /// Time [s] in which all but 1/e of a hot vorton's fuel burns, positive: 0.1 to 0.5 for flames. Default
    /// 0.2.
    float burn_time;
    /// Part of the expansion of burning fluid that pushes other fluid away, 0 to 1. 1 J expands the fluid by
    /// 1 / (specific_heat * ambient_density * ambient_temperature) [m^3]. 0: heat acts by buoyancy alone, and
    /// velocity costs less. In containers it is always 0. Default 1.
    float burn_expansion;
    /// VORTON_WALLS_...: treatment of density at the walls of containers. Default VORTON_WALLS_BALANCED.
    uint32_t walls;
    /// 1 (the default): a step may not raise the energy of the vortons by more than gravity, bodies and new
    /// vortons put in. Smooth vortices are not affected, and no flow blows up, however long it runs. 0: the
    /// plain inviscid equation, which multiplies the energy of flows that break up; for comparison with
    /// theory.
    uint32_t energy_budget;
    /// Stretch number at the start of a step, at least 0, above which the step is fourth order (Runge-Kutta)
    /// with four velocity solves, because a second-order step (midpoint, two solves) would break up the
    /// vortices of so fast a flow. With multistep, steps of one solve are taken up to 1.25 times this number
    /// or 0.4, whichever is less, and corrected steps up to twice (three times if only a few vortons are in
    /// so fast a flow). 0: every step; FLT_MAX: none. Default 0.4.
    float fourth_order_above;
    /// 1 (the default): a step about as long as the last two, if the flow is not too fast for it, takes one
    /// velocity solve instead of two: the rates of the last two steps are extrapolated to find its midpoint
    /// (Adams-Bashforth). About as accurate as midpoint steps with two solves, which 0 selects for all steps.
    /// If the flow is somewhat too fast, a second solve at the midpoint corrects the first.
    uint32_t multistep;
    /// VORTON_SOLVER_AUTO: number of points per step at which particle operations and vorton_world_sample_...
    /// read the field; tracers are counted automatically. If it is large, the field of even a few vortons is
    /// put on a mesh for sampling, which costs less than summing it at each point. Vortons and bodies do not
    /// depend on it. Default 0.
    uint32_t expected_samples;
    /// VORTON_THREADS_HOST: enqueues a task; required.
    VortonEnqueueTaskFn enqueue_task;
    /// VORTON_THREADS_HOST: waits for a task; required.
    VortonFinishTaskFn finish_task;
    /// VORTON_THREADS_HOST: passed to enqueue_task and finish_task.
    void *task_user;
    /// VORTON_THREADS_POOL and VORTON_THREADS_SHARED_POOL: called first on each thread of the pool, for
    /// instance to name it for a profiler or to pin it to a core. NULL: not called.
    VortonThreadFn thread_start;
    /// The same pools: called last on each thread. NULL: not called.
    VortonThreadFn thread_stop;
    /// Passed to thread_start and thread_stop.
    void *thread_user;
    /// User data, stored and never interpreted: see vorton_world_user_data. Default 0.
    uint64_t user_data;
    /// Called when a step and its stages begin, for a profiler. NULL: not called.
    VortonZoneBeginFn zone_begin;
    /// Called when they end. NULL: not called.
    VortonZoneEndFn zone_end;
    /// Passed to zone_begin and zone_end.
    void *zone_user;
    /// 1: each call that takes steps first allocates one block as large as all that it can need, and frees it
    /// at its end; refused, it returns VORTON_ERR_OUT_OF_MEMORY and changes nothing. The block has about 340
    /// bytes for each of max_vortons, 600 more with bodies, and 260 for each node of the meshes. A mesh
    /// without memory to grow keeps its size: vortons outside cost more time (VortonStats.mesh_outside), and
    /// gravity does not act on density outside (VortonStats.density_outside); then bits depend on the memory
    /// of the machine. 0 (the default): steps allocate only to grow, so nothing in steady state; refused,
    /// they end the process.
    uint32_t check_memory;
    /// 0.
    uint32_t reserved;
    /// Limit of the memory of the world [bytes], as vorton_world_memory reports it; 0 (the default): none.
    /// Functions that could exceed it return VORTON_ERR_OUT_OF_MEMORY and change nothing. They count the
    /// memory that they can need at a time, often twice of that kept, and 32 MB for a shape with a sheet;
    /// vorton_world_restore counts one snapshot and added elements. Steps and vorton_world_reset are not
    /// refused. A mesh without room to grow keeps its size, as with check_memory; then bits depend on the
    /// memory used before, so use max_grid_nodes instead where worlds on several machines must agree. The
    /// other memory of steps is bounded by the numbers of vortons, bodies and tracers, and may exceed the
    /// limit.
    uint64_t max_memory;
} VortonWorldDef;

/// A world: one fluid with everything in it. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonWorldId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint32_t generation;
} VortonWorldId;

/// Time limits of vorton_world_step_within. Fill it with vorton_budget_init, then change the fields you need.
typedef struct VortonBudget {
    /// sizeof(VortonBudget); set by vorton_budget_init.
    uint32_t struct_size;
    /// VORTON_MEASURE_...
    uint32_t measure;
    /// Milliseconds for everything but tracers, at least 0; FLT_MAX: no limit. Default 2.
    float fluid_ms;
    /// Milliseconds for all sets of tracers, at least 0; FLT_MAX: no limit. A separate limit, so that the
    /// fluid of a game in lockstep does not depend on how many tracers each machine draws. Default 1.
    float tracers_ms;
} VortonBudget;

/// Creates a world. Allocates all memory that its steps need, except that of mesh nodes
/// (VortonWorldDef.max_grid_nodes). There may be VORTON_MAX_WORLDS worlds at a time, each with
/// VORTON_MAX_OBJECTS objects of each kind; beyond that, creation returns VORTON_ERR_CAPACITY.
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_world_create(
    const struct VortonWorldDef *def, struct VortonWorldId *out);

/// Destroys a world and everything in it; all its ids become stale. When this returns, its memory is freed
/// and the threads of its pool have ended, unless another thread is inside a call on it: that call completes
/// normally and cleans up at its end.
VORTON_API VortonResult VORTON_CALL vorton_world_destroy(struct VortonWorldId world);

/// True if the id names a living world.
VORTON_API bool VORTON_CALL vorton_world_is_valid(struct VortonWorldId world);

/// Advances the world by dt seconds in one step and publishes the new field: emitters, vortons and bodies,
/// then every tracer set. Second order in time, or fourth if dt is long for the flow
/// (VortonWorldDef.fourth_order_above). Does not allocate in steady state: only a mesh that changes its size,
/// or is about to, allocates.
///
/// Keep VortonStats.stretch_number below about 1: for faster flows, take several smaller steps.
/// vorton_world_advance takes as many as needed. A negative dt runs time backwards (without relaxation,
/// diffusion, emission, and the flow's forces on bodies with VORTON_BODY_NO_THROUGH). 0 publishes the present
/// field, and moves nothing; steps that follow may differ slightly from those of a world without it, so hosts
/// in lockstep pause together.
///
/// @param dt finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @return VORTON_NOTE_TOO_COARSE if growth too fast for the step was limited (VortonStats.stretch_number);
///     VORTON_ERR_OUT_OF_MEMORY only with VortonWorldDef.check_memory
VORTON_API VortonResult VORTON_CALL vorton_world_step(struct VortonWorldId world, float dt);

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
/// @return VORTON_NOTE_TOO_COARSE if more than max_steps were needed, or growth too fast for a step was
///     limited; VORTON_ERR_OUT_OF_MEMORY only with VortonWorldDef.check_memory
VORTON_API VortonResult VORTON_CALL vorton_world_advance(
    struct VortonWorldId world, float dt, float max_stretch, uint32_t max_steps, uint32_t *out_steps);

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
VORTON_API VortonResult VORTON_CALL vorton_world_step_within(
    struct VortonWorldId world, float dt, const struct VortonBudget *budget);

/// Changes the uniform velocity [m/s] of all fluid outside of containers from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_wind(struct VortonWorldId world, struct VortonVec3 wind);

/// Changes gravity [m/s^2] from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_gravity(
    struct VortonWorldId world, struct VortonVec3 gravity);

/// Changes viscosity and the diffusivity of heat and dye [m^2/s], both at least 0, from the next step on.
/// Allocates when diffusion is switched on for the first time.
VORTON_API VortonResult VORTON_CALL vorton_world_set_diffusion(
    struct VortonWorldId world, float viscosity, float diffusivity);

/// Changes the relaxation rate [1/s] from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_relaxation_rate(struct VortonWorldId world, float rate);

/// Computes a hash of all vortons, bodies and the time, not of tracers and emitters. Equal fluids have equal
/// hashes on any number of threads: compare it between machines of a network game that run the same build.
///
/// While another thread steps or changes the world, the hash is that of the last completed step. Only the
/// first such call, and further calls until the running step has ended, return VORTON_ERR_BUSY: from then on
/// each step of the world computes its hash, which takes about 12 ns per vorton. Between steps a hash that
/// the last step has computed is reused.
VORTON_API VortonResult VORTON_CALL vorton_world_hash(struct VortonWorldId world, uint64_t *out);

/// Fills a budget with the defaults.
///
/// @param struct_size sizeof(VortonBudget)
VORTON_API VortonResult VORTON_CALL vorton_budget_init(struct VortonBudget *out, uint32_t struct_size);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonWorldDef)
VORTON_API VortonResult VORTON_CALL vorton_world_def_init(struct VortonWorldDef *out, uint32_t struct_size);

/// Reads the definition that would create this world as it is now, without its contents: the definition
/// passed to vorton_world_create, with the changes by setters since.
///
/// @param struct_size sizeof(VortonWorldDef)
VORTON_API VortonResult VORTON_CALL vorton_world_def(
    struct VortonWorldId world, struct VortonWorldDef *out, uint32_t struct_size);

/// Changes VortonWorldDef.smagorinsky from the next step on. Allocates when diffusion is switched on for the
/// first time.
VORTON_API VortonResult VORTON_CALL vorton_world_set_smagorinsky(
    struct VortonWorldId world, float smagorinsky);

/// Changes VortonWorldDef.max_age [s] from the next step on; 0: never.
VORTON_API VortonResult VORTON_CALL vorton_world_set_max_age(struct VortonWorldId world, float max_age);

/// Changes VortonWorldDef.expected_samples from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_expected_samples(
    struct VortonWorldId world, uint32_t samples);

/// Changes VortonWorldDef.ignition_temperature [K] (0: nothing burns), burn_time [s] and burn_expansion from
/// the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_combustion(
    struct VortonWorldId world, float ignition_temperature, float burn_time, float burn_expansion);

/// Changes the user data of a world (VortonWorldDef.user_data), for instance an address or an index. The
/// library never interprets it. Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_world_set_user_data(
    struct VortonWorldId world, uint64_t user_data);

/// Reads the user data of a world. Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_world_user_data(struct VortonWorldId world, uint64_t *out);

/// Empties a world, for instance to restart a level: vortons, bodies with their shapes, emitters and sets of
/// tracers are destroyed, their ids become stale, and time, statistics and ids of vortons start at 0. Changes
/// by setters are kept: the world continues with the same bits as a world created with the definition that
/// vorton_world_def reads now. Its vorton_world_hash is that of such a world; vorton_world_hash_all is not,
/// because new ids follow the stale ones. User data, operations and kill volumes are kept; the state that
/// emissions carry from run to run is cleared.
///
/// Keeps the memory of the world, so it is faster than destroying and creating one, and allocates next to
/// nothing. The costly preparation of shapes (see VORTON_BODY_NO_THROUGH) is kept for the last few kinds. A
/// snapshot that was saved before may still be restored.
///
/// @return VORTON_ERR_BUSY while an emission runs, or another thread steps or reads the world
VORTON_API VortonResult VORTON_CALL vorton_world_reset(struct VortonWorldId world);

/// Shifts the origin of a world's coordinates, for large worlds: the point `origin` [m] becomes (0, 0, 0),
/// and every position p becomes p - origin, as in PhysX's shiftOrigin. Positions are floats: 4 km from the
/// origin they are multiples of 0.25 to 0.5 mm, too coarse for a slow flow to move. A game that moves its
/// origin to the player from time to time calls this with the same vector.
///
/// All contents of the world are shifted: vortons, tracers, bodies with their shapes and contacts, emitters,
/// kill volumes, layers of the ambient, the published field, and the output of vorton_world_draw.
/// vorton_world_sample returns at p - origin the values it had at p, without a step. Velocities, strengths,
/// impulses of bodies and ids do not change; VortonInvariants are about the new origin. The flow continues
/// unchanged, up to the rounding of positions, for any vector: lattices are shifted, too. A shift by 0
/// changes nothing.
///
/// Data of the host is not shifted: particles of operations, positions that an emission (VORTON_OP_EMIT)
/// writes, rows acquired before (vorton_tracers_acquire), and positions passed from now on, such as states of
/// bodies. A snapshot contains the origin of its world, and restoring returns to it. vorton_world_def reads
/// the layers of the ambient in the coordinates of the world's creation, and vorton_world_reset moves them,
/// and kill volumes, back to these.
///
/// Call it between steps; takes about 3 % of a step, and does not allocate in steady state.
///
/// @param origin old coordinates of the new origin [m], from -1e9 to 1e9
/// @return VORTON_ERR_BAD_VALUE if it, or a body afterwards, is farther away; VORTON_ERR_BUSY while another
///     thread uses the world. The world is then unchanged
VORTON_API VortonResult VORTON_CALL vorton_world_shift_origin(
    struct VortonWorldId world, struct VortonVec3 origin);

/* Ambient fluid ------------------------------------------------------------------------------------------ */

/// Density times temperature is constant: gases such as air. The default.
#define VORTON_IDEAL_GAS 0u

/// Density falls by `expansion` times ambient_density per kelvin: liquids.
#define VORTON_LINEAR_EXPANSION 1u

/// The ambient has the same density everywhere. The default.
#define VORTON_STRATIFICATION_NONE 0u

/// Density changes by density_gradient per metre; it is ambient_density at the origin with which the world
/// was created (vorton_world_shift_origin).
#define VORTON_STRATIFICATION_LINEAR 1u

/// Two layers with a smooth interface (tanh).
#define VORTON_STRATIFICATION_LAYERS 2u

/// Computes the density [kg/m^3] of fluid of a temperature [K], both positive, from the world's equation of
/// state.
VORTON_API VortonResult VORTON_CALL vorton_world_density_from_temperature(
    struct VortonWorldId world, float temperature, float *out);

/// Computes the temperature [K] of fluid of a density [kg/m^3], both positive, from the world's equation of
/// state.
VORTON_API VortonResult VORTON_CALL vorton_world_temperature_from_density(
    struct VortonWorldId world, float density, float *out);

/// Computes the mass deviation [kg] of a volume [m^3] of fluid of a temperature [K]: the value for
/// VortonVorton.mass_deviation of warm (negative: it rises) or cold fluid. Relative to ambient_density;
/// stratification is ignored.
VORTON_API VortonResult VORTON_CALL vorton_world_mass_deviation(
    struct VortonWorldId world, float volume, float temperature, float *out);

/* Vortons ------------------------------------------------------------------------------------------------ */

/// Bit of VortonVorton.flags: a halo vorton, created by the library to carry baroclinic vorticity where
/// density varies but no vorton exists, or to receive diffused quantities. It starts without strength, mass
/// and dye, and is removed when no longer needed. Read only: vorton_vortons_add ignores it.
#define VORTON_VORTON_HALO 1u

/// A particle that carries vorticity and, optionally, mass deviation and dye.
typedef struct VortonVorton {
    /// Position [m].
    struct VortonVec3 position;
    /// Strength [m^3/s]: vorticity times volume.
    struct VortonVec3 strength;
    /// Volume of fluid that it represents [m^3], at least 0. Density needs it, and a vorton takes up
    /// baroclinic vorticity in proportion to it.
    float volume;
    /// Mass [kg] in excess of the same volume of ambient fluid: volume * (density - ambient_density).
    /// Positive sinks, negative rises.
    float mass_deviation;
    /// Dye [m^3]: concentration times volume. It does not affect the flow.
    float dye;
    /// Age [s]; grows by dt in each step.
    float age;
    /// VORTON_VORTON_HALO or 0.
    uint32_t flags;
    /// Fuel [J], at least 0: the heat that it releases when it burns (VortonWorldDef.ignition_temperature).
    float fuel;
    /// Id, never reused in a world. Ignored by vorton_vortons_add.
    uint64_t id;
} VortonVorton;

/// Adds vortons, all or none.
///
/// @param vortons      `count` vortons; ids and the flag VORTON_VORTON_HALO are ignored
/// @param out_first_id NULL, or receives the id of the first; the others follow
VORTON_API VortonResult VORTON_CALL vorton_vortons_add(
    struct VortonWorldId world, const struct VortonVorton *vortons, size_t count, uint64_t *out_first_id);

/// Copies the vortons out, in the order in which they were added.
///
/// @param out       room for capacity vortons; may be NULL if capacity is 0
/// @param out_count receives the number of vortons, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only returns the count, and is VORTON_OK.
VORTON_API VortonResult VORTON_CALL vorton_vortons_read(
    struct VortonWorldId world, struct VortonVorton *out, size_t capacity, size_t *out_count);

/// Removes the vortons with these ids; ids that no vorton has are ignored.
///
/// @param out_removed NULL, or receives the number removed
VORTON_API VortonResult VORTON_CALL vorton_vortons_remove(
    struct VortonWorldId world, const uint64_t *ids, size_t count, size_t *out_removed);

/// Removes all vortons.
VORTON_API VortonResult VORTON_CALL vorton_vortons_clear(struct VortonWorldId world);

/* Initial conditions ------------------------------------------------------------------------------------- */

/// A smoke ring with a core of finite thickness: vorticity falls off as (1 + cos(pi c / thickness)) / 2 with
/// the distance c from the circle; with the peak w, circulation = w thickness^2 (pi/2 - 2/pi). Uses centre,
/// axis, radius, thickness, circulation, spacing.
#define VORTON_INITIAL_RING 1u

/// A thin ring of `count` vortons on a circle. Uses centre, axis, radius, circulation, count.
#define VORTON_INITIAL_FILAMENT_RING 2u

/// A slug of fluid that rolls up into a ring. Uses centre, axis, radius, thickness, circulation, spacing.
#define VORTON_INITIAL_JET 3u

/// A straight vortex. Uses centre, axis, radius, length, circulation, variation, wave_number, spacing.
#define VORTON_INITIAL_TUBE 4u

/// A shear layer. Uses centre, axis (its normal), direction (of the vorticity), thickness, length (along
/// direction), width, velocity_jump, variation, spacing.
#define VORTON_INITIAL_SHEET 5u

/// A box of vortons with random vorticity and zero total strength. With a small amplitude, fluid nearly at
/// rest that bodies can stir. Uses centre, extent, spacing, amplitude, seed.
#define VORTON_INITIAL_NOISE 6u

/// A ball of heavier or lighter fluid with a sharp edge, which sinks or rises under gravity. Uses centre,
/// radius, density_deviation, dye, fuel, spacing.
#define VORTON_INITIAL_DENSITY_BALL 7u

/// A drop without an edge: its density falls off as a Gaussian of standard deviation `radius` (at least the
/// world's core_radius), the profile that a lattice resolves best. Uses centre, radius, density_deviation (in
/// the middle), dye, fuel, spacing.
#define VORTON_INITIAL_DENSITY_DROP 8u

/// A box of heavier or lighter fluid. Uses centre, extent, density_deviation, dye, fuel, spacing.
#define VORTON_INITIAL_DENSITY_BOX 9u

/// Definition of an initial condition. Fill it with vorton_initial_def_init, then change the fields that the
/// type uses.
typedef struct VortonInitialDef {
    /// sizeof(VortonInitialDef); set by vorton_initial_def_init.
    uint32_t struct_size;
    /// VORTON_INITIAL_...
    uint32_t type;
    /// Centre [m].
    struct VortonVec3 centre;
    /// Direction in which a ring of positive circulation travels; direction of a tube's vorticity; normal of
    /// a sheet. Any length but 0. Default z.
    struct VortonVec3 axis;
    /// Direction of a sheet's vorticity, perpendicular to axis. Default y.
    struct VortonVec3 direction;
    /// Edges of a box [m], noise or density. Default 1.
    struct VortonVec3 extent;
    /// Radius of a ring, jet, tube or ball, standard deviation of a drop [m]. Default 1; tube and ball 0.5,
    /// drop 0.2.
    float radius;
    /// Radius of a ring's core (at most radius), width of a jet's shear layer, half thickness of a sheet [m].
    /// Default 0.25.
    float thickness;
    /// Length of a tube or sheet along its vorticity [m]. Default 2.
    float length;
    /// Width of a sheet across its vorticity [m]. Default 2.
    float width;
    /// Circulation [m^2/s]; delivered exactly. Default 1.
    float circulation;
    /// Velocity difference across a sheet [m/s]; delivered exactly. Default 1.
    float velocity_jump;
    /// Relative variation of a tube's radius or a sheet's thickness along its length. Default 0.
    float variation;
    /// Waves of that variation along a tube. Default 1.
    float wave_number;
    /// Full width of each component of the noise's vorticity [1/s]. Default 1.
    float amplitude;
    /// Density of a ball, drop or box minus ambient_density [kg/m^3]: positive sinks, negative rises;
    /// delivered exactly as mass. Keep it well below ambient_density (or scale gravity instead). Default 0.1.
    float density_deviation;
    /// Concentration of dye in a ball, drop or box (in the middle of a drop), 0 to 1: see VORTON_SAMPLE_DYE.
    /// Default 0.
    float dye;
    /// Distance between vortons [m], for all types but the filament ring. Should be at most the world's
    /// core_radius / 1.5; above core_radius a warning is logged, because the vortons then do not overlap.
    /// Default 0.0667, for the default core_radius of 0.1.
    float spacing;
    /// Vortons of a filament ring, at least 3. Default 64.
    uint32_t count;
    /// Heat [J/m^3] that the fuel in a ball, drop or box (in the middle of a drop) releases when it burns, at
    /// least 0. It burns from the start where density_deviation makes it as hot as
    /// VortonWorldDef.ignition_temperature: the rim of a ball (a tenth of its fuel) and most of a drop are
    /// cooler, and burn only where diffusivity carries heat to them. Default 0.
    float fuel;
    /// Seed of the noise and of the disturbance.
    uint64_t seed;
    /// Random displacement of each vorton: full width of the distribution of each coordinate, as a fraction
    /// of the distance between vortons, 0 to 1. Symmetric flows stay symmetric without a disturbance; with
    /// 0.5 a drop of 2,700 vortons breaks up into wisps as it falls. Default 0.
    float position_disturbance;
    /// Random relative change of each vorton's strength and mass deviation: full width, 0 to 1. Total
    /// strength and mass are kept; the circulation of n vortons has a relative error of this / sqrt(12 n).
    /// Default 0.
    float strength_disturbance;
} VortonInitialDef;

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonInitialDef)
/// @param type        VORTON_INITIAL_...
VORTON_API VortonResult VORTON_CALL vorton_initial_def_init(
    struct VortonInitialDef *out, uint32_t struct_size, uint32_t type);

/// Adds an initial condition to the fluid, all or nothing. The prescribed circulation or mass is delivered
/// exactly (circulation: without strength_disturbance).
///
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added
VORTON_API VortonResult VORTON_CALL vorton_world_add_initial(
    struct VortonWorldId world, const struct VortonInitialDef *def, uint64_t *out_first_id,
    size_t *out_count);

/* Tracers ------------------------------------------------------------------------------------------------ */

/// Steps do not change the tracers' values. The default.
#define VORTON_SHOW_NONE 0u

/// Definition of a set of tracers. Fill it with vorton_tracers_def_init, then change the fields you need.
typedef struct VortonTracersDef {
    /// sizeof(VortonTracersDef); set by vorton_tracers_def_init.
    uint32_t struct_size;
    /// Most tracers alive at a time, up to 67108864. Memory for all of them (about 80 bytes each) is
    /// allocated at creation. Default 65536.
    uint32_t capacity;
    /// Age [s] at which a tracer is removed; 0: never. Default 0.
    float max_age;
    /// Quantity that each step writes into the tracers' values, for colouring: VORTON_SHOW_NONE,
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE. Costs two to three times as much as
    /// moving them.
    uint32_t show;
    /// User data, stored and never interpreted: see vorton_tracers_user_data. Default 0.
    uint64_t user_data;
    /// 1: vorton_tracers_read also works while another thread steps the world, and returns the tracers of the
    /// last completed step. Each step then copies the set at its end, and the set takes 56 bytes more per
    /// tracer of its capacity. 0: it returns VORTON_ERR_BUSY meanwhile. Default 0.
    uint32_t readable_during_steps;
    /// Intensity with which eddies smaller than core_radius move the tracers, at least 0; 1: as in
    /// Kolmogorov's spectrum, see VORTON_OP_TURBULENCE. Moving a tracer then takes 15 to 30 ns of one core
    /// instead of 7 to 15. Tracers still do not enter bodies. Default 0: none.
    float turbulence;
} VortonTracersDef;

/// A set of tracers. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonTracersId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonTracersId;

/// Definition of tracers placed by density: spread evenly over the regions of large density deviation. Fill
/// it with vorton_implied_def_init, then change the fields you need.
typedef struct VortonImpliedDef {
    /// sizeof(VortonImpliedDef); set by vorton_implied_def_init.
    uint32_t struct_size;
    /// Tracers along each edge of a cell of size core_radius / 1.5, so its third power per cell; 1 to 64.
    /// Default 5.
    uint32_t per_cell;
    /// Least deviation that receives tracers, as a fraction of the largest deviation anywhere, of either
    /// sign: above 0, at most 1. A lower value makes the cloud thicker. Default 0.6.
    float threshold;
    /// Randomness of the positions: 0 is a lattice, 1 has no visible order. Default 1.
    float jitter;
    /// Tag stored with the tracers. Default 0.
    uint32_t tag;
    /// Reserved: 0.
    uint32_t reserved;
    /// Seed of the random positions.
    uint64_t seed;
} VortonImpliedDef;

/// The tracers after the last completed step, for reading in place. All arrays have count elements; with
/// count 0 they must not be read.
typedef struct VortonTracerRows {
    /// Size of this struct [bytes]: set by vorton_tracers_acquire.
    uint32_t struct_size;
    /// Reserved: 0.
    uint32_t reserved;
    /// For vorton_tracers_release.
    uint64_t lease;
    /// Number of tracers.
    size_t count;
    /// Positions [m].
    const struct VortonVec3 *positions;
    /// Ids: 0 for the first tracer ever added to the set, and so on.
    const uint32_t *ids;
    /// Tags from vorton_tracers_add, VortonImpliedDef.tag or VortonEmitterDef.tracer_tag.
    const uint32_t *tags;
    /// Ages [s].
    const float *ages;
    /// The quantity VortonTracersDef.show, or the values added.
    const float *values;
} VortonTracerRows;

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonTracersDef)
VORTON_API VortonResult VORTON_CALL vorton_tracers_def_init(
    struct VortonTracersDef *out, uint32_t struct_size);

/// Creates an empty set of tracers. Every step of the world moves them with the flow.
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_tracers_create(
    struct VortonWorldId world, const struct VortonTracersDef *def, struct VortonTracersId *out);

/// Destroys a set of tracers. Emitters that feed the set continue without tracers.
VORTON_API VortonResult VORTON_CALL vorton_tracers_destroy(
    struct VortonWorldId world, struct VortonTracersId tracers);

/// True if the id names a living set of tracers of this world. Does not wait for a step.
VORTON_API bool VORTON_CALL vorton_tracers_is_valid(
    struct VortonWorldId world, struct VortonTracersId tracers);

/// Adds tracers at these positions, all or none.
///
/// @param positions `count` positions [m]
/// @param tags      NULL (all 0), or count tags, such as the number of a dye or an emitter, stored with the
///     tracers
/// @param values    NULL (all 0), or count values; steps overwrite them unless VortonTracersDef.show is
///     VORTON_SHOW_NONE
VORTON_API VortonResult VORTON_CALL vorton_tracers_add(
    struct VortonWorldId world, struct VortonTracersId tracers, const struct VortonVec3 *positions,
    const uint32_t *tags, const float *values, size_t count);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonImpliedDef)
VORTON_API VortonResult VORTON_CALL vorton_implied_def_init(
    struct VortonImpliedDef *out, uint32_t struct_size);

/// Adds tracers where the density of the present vortons deviates from the ambient density: all or none. No
/// step is needed before. Their values are the quantity VortonTracersDef.show, or the density deviation
/// [kg/m^3] with VORTON_SHOW_NONE. Allocates.
///
/// @param out_count NULL, or receives the number of tracers added
/// @return VORTON_ERR_CAPACITY if they do not fit into the set
VORTON_API VortonResult VORTON_CALL vorton_tracers_add_implied(
    struct VortonWorldId world, struct VortonTracersId tracers, const struct VortonImpliedDef *def,
    size_t *out_count);

/// Removes all tracers of a set.
VORTON_API VortonResult VORTON_CALL vorton_tracers_clear(
    struct VortonWorldId world, struct VortonTracersId tracers);

/// Copies the tracers out, for instance directly into a vertex buffer. Their order changes from time to time
/// (the set sorts itself by position); the ids identify them.
///
/// While another thread steps or changes the world, a set with VortonTracersDef.readable_during_steps returns
/// the tracers of the last completed step; for any other set this returns VORTON_ERR_BUSY.
///
/// @param positions       NULL, or room for capacity positions, three floats each
/// @param position_stride bytes from one position to the next, a multiple of 4 and at least 12; 0: packed;
///     ignored without positions
/// @param ids             NULL, or room for capacity ids: 0 for the first tracer ever added to the set, and
///     so on (removal does not restart the count; it wraps after 2^32)
/// @param tags            NULL, or room for capacity tags
/// @param ages            NULL, or room for capacity ages [s]
/// @param values          NULL, or room for capacity values: the quantity VortonTracersDef.show, or the
///     values added
/// @param out_count       receives the number of tracers, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only returns the count, and is VORTON_OK.
VORTON_API VortonResult VORTON_CALL vorton_tracers_read(
    struct VortonWorldId world, struct VortonTracersId tracers, float *positions, uint32_t position_stride,
    uint32_t *ids, uint32_t *tags, float *ages, float *values, size_t capacity, size_t *out_count);

/// Lists the sets of tracers of a world, in the order in which they were created: see vorton_world_bodies.
VORTON_API VortonResult VORTON_CALL vorton_world_tracers(
    struct VortonWorldId world, struct VortonTracersId *out, size_t capacity, size_t *out_count);

/// Returns pointers to the tracers of a set after the last completed step, without a copy, even while another
/// thread runs the next step. The set needs VortonTracersDef.readable_during_steps. The rows stay unchanged
/// until vorton_tracers_release or until the world is destroyed, even if the set is changed or destroyed.
/// Tracers added since are not included. If rows are held while two steps end, the set allocates memory for
/// its capacity once more, up to three times, and keeps it.
///
/// @param struct_size sizeof(VortonTracerRows)
/// @return VORTON_ERR_BAD_VALUE for a set that is not readable during steps; VORTON_ERR_CAPACITY while 1024
///     leases have not been released
VORTON_API VortonResult VORTON_CALL vorton_tracers_acquire(
    struct VortonWorldId world, struct VortonTracersId tracers, struct VortonTracerRows *out,
    uint32_t struct_size);

/// Releases rows from vorton_tracers_acquire: their arrays must not be read any more. May be called on any
/// thread, also while a step runs.
///
/// @param lease VortonTracerRows.lease
/// @return VORTON_ERR_STALE_ID if there is no such lease, or it has been released
VORTON_API VortonResult VORTON_CALL vorton_tracers_release(struct VortonWorldId world, uint64_t lease);

/// Changes the user data of a set of tracers (VortonTracersDef.user_data).
VORTON_API VortonResult VORTON_CALL vorton_tracers_set_user_data(
    struct VortonWorldId world, struct VortonTracersId tracers, uint64_t user_data);

/// Reads the user data of a set of tracers.
VORTON_API VortonResult VORTON_CALL vorton_tracers_user_data(
    struct VortonWorldId world, struct VortonTracersId tracers, uint64_t *out);

/// Reads the definition that would create this set of tracers as it is now, without the tracers.
///
/// @param struct_size sizeof(VortonTracersDef)
VORTON_API VortonResult VORTON_CALL vorton_tracers_def(
    struct VortonWorldId world, struct VortonTracersId tracers, struct VortonTracersDef *out,
    uint32_t struct_size);

/// Changes the age [s] at which the tracers of a set are removed, from the next step on; 0: never.
VORTON_API VortonResult VORTON_CALL vorton_tracers_set_max_age(
    struct VortonWorldId world, struct VortonTracersId tracers, float max_age);

/// Changes VortonTracersDef.turbulence from the next step on: the intensity with which eddies smaller than
/// core_radius move the tracers of a set, at least 0; 0: none.
VORTON_API VortonResult VORTON_CALL vorton_tracers_set_turbulence(
    struct VortonWorldId world, struct VortonTracersId tracers, float turbulence);

/* Bodies ------------------------------------------------------------------------------------------------- */

/// Bit of VortonBodyDef.flags: the impulses also contain the body's own weight (mass *
/// VortonWorldDef.gravity). For hosts that do not apply gravity themselves; otherwise the weight would count
/// twice.
#define VORTON_BODY_WEIGHT 1u

/// Bit of VortonBodyDef.flags: no buoyancy (the weight of the displaced fluid). Cannot be combined with
/// VORTON_BODY_WEIGHT.
#define VORTON_BODY_NO_BUOYANT_FORCE 2u

/// Bit of VortonBodyDef.flags: the kinetic energy that body and fluid lose by friction
/// (VortonBodyImpulse.lost_energy) warms the body.
#define VORTON_BODY_FRICTION_WARMS 4u

/// Bit of VortonBodyDef.flags: the body's surface is impermeable, whether or not vortons touch it, and the
/// moving body displaces the fluid around it. The body also has added mass, so light bodies rise and fall
/// as they do in water; the impulses contain it, and the host does nothing for it (for light bodies on
/// springs and joints, see VortonBodyDef.fluid_mass). Where vortons touch the body, the no-slip condition
/// holds: the body is braked, sheds a wake and drags fluid along as it turns. Elsewhere the fluid slips.
/// Creating a shape of the body then takes 1 to 50 ms, unless a body of the world has the same shapes, or
/// had them lately, and each step has up to 2,300 more sources: use it for bodies that are large compared
/// to the core radius. No effect on bodies with holes, half-spaces, and bodies of more than about 30
/// shapes. The flow of other sources acts less on a body that in a step moves by more than half of its
/// largest half extent (of a ball half of the radius), or turns by more than a third of a radian; no
/// rotation is gained from the body's own flow then.
#define VORTON_BODY_NO_THROUGH 8u

/// A body. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonBodyId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonBodyId;

/// Definition of a body. Fill it with vorton_body_def_init, change the fields you need, create the body, and
/// add shapes with vorton_shape_create.
typedef struct VortonBodyDef {
    /// sizeof(VortonBodyDef); set by vorton_body_def_init.
    uint32_t struct_size;
    /// VORTON_BODY_... bits, or 0 (the default).
    uint32_t flags;
    /// Position of the centre of mass [m].
    struct VortonVec3 position;
    /// Orientation: turns the body's axes into the world's.
    struct VortonQuat rotation;
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    struct VortonVec3 velocity;
    /// Angular velocity [rad/s], in the world's axes, at most VORTON_MAX_SPIN.
    struct VortonVec3 angular_velocity;
    /// Mass [kg], as in the engine. 0: impulses do not move the body (static or kinematic); they can still be
    /// taken. Default 1. The fluid expects a body of this mass and `inertia` to recoil under its impulses: a
    /// heavy body stops the fluid, a light body moves along with it.
    float mass;
    /// Temperature [K], positive. Default 300.
    float temperature;
    /// Heat capacity [J/K]: mass times specific heat; 0: the temperature is constant. Default 1.
    float heat_capacity;
    /// Heat transfer coefficient [W/(m^2 K)] between the surface and the fluid that touches it; 0 (the
    /// default) insulates.
    float heat_transfer;
    /// Inertia tensor [kg m^2] about the centre of mass, in the body's axes: 3 x 3, symmetric, positive
    /// definite, and no principal moment larger than the sum of the other two. All 0 (the default): computed
    /// for a mass spread evenly over the shapes, which for a body with ballast or a light shell may be wrong
    /// by a large factor.
    float inertia[9];
    /// User data, stored and never interpreted: see vorton_body_user_data. Default 0.
    uint64_t user_data;
    /// Drag coefficient, from 0 (the default) to 1000: force of the flow along itself, over that of its
    /// dynamic pressure on a quarter of the surface area, which is the mean cross-section of a convex body.
    /// It acts at the centre of mass, where no vorton touches the surface: drag that vortons do not resolve.
    /// A ball has 0.47, a cube about 1, a parachute 1.5; above 2 the wake moves on almost as fast as the
    /// body, which then falls faster than by the coefficient. The momentum goes into vortex rings in the
    /// wake, one for each width of the body that the fluid has moved past it, of 8 to 64 vortons: set
    /// VortonWorldDef.max_age, or they fill max_vortons. Rotation of bodies with VORTON_BODY_NO_THROUGH is
    /// braked likewise; of balls and about an axis of symmetry it is not. Ignored for bodies with holes,
    /// half-spaces, meshes and height fields.
    float drag_coefficient;
    /// Coefficient k of the sideways (Magnus) force k rho V (w x v) on a body of volume V that spins at w and
    /// moves at v relative to fluid of density rho, from 0 (the default) to 1000, whether vortons touch the
    /// surface or not. At most that of a surface as fast as v. A ball has about 0.4; its momentum as that of
    /// drag.
    float magnus_coefficient;
    /// Part of `mass` [kg] that stands for fluid around the body: 0 (the default), or up to the smallest
    /// added mass over all directions, for a shape with its axes along the body's
    /// VortonWorldDef.ambient_density times the smallest of values 0, 6 and 11 of vorton_shape_added_inertia.
    /// An engine's springs, joints and contacts then meet that inertia at once, as in real fluid; otherwise
    /// the fluid answers them with the next impulse, and light bodies on stiff springs or in chains gain
    /// energy. It has no weight: the lift, without VORTON_BODY_NO_BUOYANT_FORCE, balances it. For bodies with
    /// VORTON_BODY_NO_THROUGH, and for bodies with holes, with or without that flag, where it stands for the
    /// fluid in the holes: up to VortonWorldDef.ambient_density times the volume of all holes, if their
    /// centre of mass is at the body's; if it is not, springs and joints may gain energy. Less than `mass`, 0
    /// if `mass` is 0.
    float fluid_mass;
    /// The same part of `inertia` [kg m^2], 3 x 3, symmetric: all 0 (the default), or up to the angular part
    /// of the added inertia. For holes, up to the inertia of their fluid as it flows while the walls turn:
    /// the masses of compartments times the squares of their distances from each axis, and about its own
    /// middle 0 for a ball and .16 of a solid's for a cube. Larger values are not refused, and springs gain
    /// energy. Less than `inertia` about each axis, if that is set.
    float fluid_inertia[9];
} VortonBodyDef;

/// Motion state of a body from the physics engine, with vectors in the world's axes. Has no struct_size, so
/// it can be embedded in your own structs.
typedef struct VortonBodyState {
    /// Position of the centre of mass [m].
    struct VortonVec3 position;
    /// Orientation: turns the body's axes into the world's.
    struct VortonQuat rotation;
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    struct VortonVec3 velocity;
    /// Angular velocity [rad/s], at most VORTON_MAX_SPIN.
    struct VortonVec3 angular_velocity;
} VortonBodyState;

/// Impulses and heat from the fluid to a body since they were last taken: apply them to the engine's body
/// before the engine's step.
typedef struct VortonBodyImpulse {
    /// Impulse [N s], lift included, to be applied at the centre of mass: velocity += linear / mass.
    struct VortonVec3 linear;
    /// Angular impulse [N m s] about the centre of mass, in the world's axes, lift included.
    struct VortonVec3 angular;
    /// Heat [J] received by the body; negative: given off.
    float heat;
    /// Kinetic energy [J] that body and fluid have lost to friction and impact.
    float lost_energy;
    /// Present temperature of the body [K].
    float temperature;
    /// Vortons in contact with its surface, counted in each step, and host particles that hit it
    /// (VORTON_OP_COLLIDE).
    uint32_t hits;
    /// The part of `linear` due to gravity [N s]: lift, the body's weight with VORTON_BODY_WEIGHT, and the
    /// weight of the fluid in its hole. It acts in every step, also on a body that floats at rest, where the
    /// engine's gravity balances it: it is no reason to wake a body. The remainder, linear - lift_linear, is
    /// the push from vortons, accelerated fluid (as in a tank that accelerates; the tank gets the push of
    /// what is in it) and particles. Fluid at rest exerts no push on a body at rest.
    /// (Exception: a body held by a floor or a joint receives a push in its first frame with
    /// VORTON_BODY_NO_THROUGH, and a decreasing push in its first twenty frames with a hole: until the
    /// library has detected the support, it treats the fluid around or in the body as falling with it.)
    struct VortonVec3 lift_linear;
    /// The part of `angular` due to gravity [N m s].
    struct VortonVec3 lift_angular;
} VortonBodyImpulse;

/// Definition of the region for vortons without strength. Fill it with vorton_surround_def_init, then change
/// the fields you need.
typedef struct VortonSurroundDef {
    /// sizeof(VortonSurroundDef); set by vorton_surround_def_init.
    uint32_t struct_size;
    /// Reserved: 0.
    uint32_t reserved;
    /// The body; the null id (the default): all bodies.
    struct VortonBodyId body;
    /// Lowest coordinates [m] of the vortons. Default 0 0 0, with high 0 0 0: unbounded. Half-spaces, meshes
    /// and height fields are surrounded only if low and high are set.
    struct VortonVec3 low;
    /// Highest coordinates [m] of the vortons.
    struct VortonVec3 high;
    /// Distance [m] between vortons. 0 (the default): the world's core_radius / 1.5; above core_radius a
    /// warning is logged, because the vortons then do not overlap.
    float spacing;
    /// Thickness [m] of the layer of vortons, from the surface. 0 (the default): three times the world's
    /// core_radius.
    float thickness;
} VortonSurroundDef;

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonBodyDef)
VORTON_API VortonResult VORTON_CALL vorton_body_def_init(struct VortonBodyDef *out, uint32_t struct_size);

/// Creates a body without shapes, which does not touch the fluid; add shapes with vorton_shape_create, in
/// coordinates with the origin at the centre of mass.
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_body_create(
    struct VortonWorldId world, const struct VortonBodyDef *def, struct VortonBodyId *out);

/// Destroys a body and its shapes. Impulses that were not taken are lost.
VORTON_API VortonResult VORTON_CALL vorton_body_destroy(struct VortonWorldId world, struct VortonBodyId body);

/// True if the id names a living body of this world. Does not wait for a step.
VORTON_API bool VORTON_CALL vorton_body_is_valid(struct VortonWorldId world, struct VortonBodyId body);

/// Returns the number of a body, 1 to VORTON_MAX_OBJECTS, as written to VORTON_HIT streams. It is constant
/// for the lifetime of the body and may be reused afterwards. Small, so it can index an array.
VORTON_API VortonResult VORTON_CALL vorton_body_number(
    struct VortonWorldId world, struct VortonBodyId body, uint32_t *out);

/// Sets the state of a body: its pose at the world's present time, and the velocities with which the engine
/// lets it continue. The next step clears the body's whole path, from its pose at the end of the last step to
/// its pose at the end of the next one.
///
/// Impulses that have not been taken yet move the library's copy of the body, from the step that produced
/// them on: the library adds their change of velocity to the state that is set, and if no state is set, the
/// body continues with its own motion and these impulses. So any number of fluid steps may be taken in one
/// engine step, with the impulses taken and the states set once, in either order: nothing counts twice if
/// each impulse taken has been applied to the engine's body before the next state is set. Impulses not taken
/// within .25 s of simulated time are not added to states set from then on; nor is any impulse if none was
/// ever taken.
///
/// The engine's own acceleration of the body (weight, floors, joints) is measured from one state to the next,
/// and extrapolated during a step.
///
/// The position is at most 1e9 m from the origin, the velocity at most 1e6 m/s and the angular velocity at
/// most 1e6 rad/s; larger values are refused.
VORTON_API VortonResult VORTON_CALL vorton_body_set_state(
    struct VortonWorldId world, struct VortonBodyId body, const struct VortonBodyState *state);

/// Teleports a body: as vorton_body_set_state, but without a path from its previous position. The contents
/// of a container stay where they are (vorton_body_set_state takes them along). The next step
/// pushes out vortons and tracers inside the body; to remove them instead, call vorton_world_remove_embedded.
/// A VORTON_BODY_NO_THROUGH body nearer than its largest half extent (and 2/3 rad) to where it was at the end
/// of the last step keeps the flow around it; farther away the flow begins anew, as around a new body, and
/// what the fluid held around the former place leaves VortonInvariants.bound_impulse. Impulses of contacts
/// are not lost.
VORTON_API VortonResult VORTON_CALL vorton_body_place(
    struct VortonWorldId world, struct VortonBodyId body, const struct VortonBodyState *state);

/// Reads the state of a body: as last set, advanced by the steps since, including all impulses, taken or not.
/// What your engine adds, its gravity for instance, is known from the states that you set: before a second
/// one, a body much lighter than the fluid is expected to rise as if it had added mass.
VORTON_API VortonResult VORTON_CALL vorton_body_read(
    struct VortonWorldId world, struct VortonBodyId body, struct VortonBodyState *out);

/// Reads the added inertia of a body, for all its shapes together: see vorton_shape_added_inertia, also for
/// the order of the numbers. Overlapping parts of shapes count once. All 0 if it has no shapes; refused if it
/// has holes, half-spaces, meshes or height fields. The first call after the body's shapes have changed takes
/// up to 0.7 s and allocates; meanwhile steps of this world on other threads return VORTON_ERR_BUSY: call it
/// while loading. Later calls only read.
///
/// @param out 21 floats [m^3], [m^4], [m^5]
VORTON_API VortonResult VORTON_CALL vorton_body_added_inertia(
    struct VortonWorldId world, struct VortonBodyId body, float *out);

/// Changes a body's temperature [K], positive.
VORTON_API VortonResult VORTON_CALL vorton_body_set_temperature(
    struct VortonWorldId world, struct VortonBodyId body, float temperature);

/// Changes a body's inertia tensor (see VortonBodyDef.inertia).
///
/// @param inertia 9 floats [kg m^2]; NULL or all 0: the mass is spread evenly over the shapes
VORTON_API VortonResult VORTON_CALL vorton_body_set_inertia(
    struct VortonWorldId world, struct VortonBodyId body, const float *inertia);

/// Changes a body's mass [kg]; 0: impulses do not move it (see VortonBodyDef.mass). More than
/// VortonBodyDef.fluid_mass. An inertia tensor that has been set is kept.
VORTON_API VortonResult VORTON_CALL vorton_body_set_mass(
    struct VortonWorldId world, struct VortonBodyId body, float mass);

/// Takes the impulses and heat that a body has received since they were last taken; they accumulate over
/// steps. See vorton_body_set_state for the interplay with states.
VORTON_API VortonResult VORTON_CALL vorton_body_take_impulse(
    struct VortonWorldId world, struct VortonBodyId body, struct VortonBodyImpulse *out);

/// Calls vorton_body_set_state for many bodies, all or none; the states may be embedded in your own structs.
/// If an id occurs twice, the last state counts. Does not allocate in steady state.
///
/// @param ids    `count` ids
/// @param states the state of ids[i] begins i * stride bytes after this
/// @param stride bytes from one state to the next, a multiple of 4; 0: sizeof(VortonBodyState)
VORTON_API VortonResult VORTON_CALL vorton_bodies_set_states(
    struct VortonWorldId world, const struct VortonBodyId *ids, const struct VortonBodyState *states,
    size_t stride, size_t count);

/// Calls vorton_body_take_impulse for many bodies, all or none. If an id occurs twice, its first element
/// receives everything and the others zero. Does not allocate in steady state.
///
/// @param ids    `count` ids
/// @param out    the impulse of ids[i] is written i * stride bytes after this
/// @param stride bytes from one impulse to the next, a multiple of 4; 0: sizeof(VortonBodyImpulse)
VORTON_API VortonResult VORTON_CALL vorton_bodies_take_impulses(
    struct VortonWorldId world, const struct VortonBodyId *ids, struct VortonBodyImpulse *out, size_t stride,
    size_t count);

/// Removes all vortons and tracers inside bodies, for instance after creating bodies in existing fluid, or
/// after vorton_body_place. Bodies have their poses after the last step, or those with which they were
/// created or placed since (a state set for the next step does not count yet). The strength of removed
/// vortons is added to the bound strength of their body. Not needed in ordinary steps, which keep particles
/// outside. Allocates.
///
/// @param margin      distance [m] from the surfaces within which particles are removed, too, at least 0
/// @param out_vortons NULL, or receives the number of vortons removed
/// @param out_tracers NULL, or receives the number of tracers removed, from all sets
VORTON_API VortonResult VORTON_CALL vorton_world_remove_embedded(
    struct VortonWorldId world, float margin, size_t *out_vortons, size_t *out_tracers);

/// Lists the bodies of a world, in the order in which they were created.
///
/// @param out       room for capacity ids; may be NULL if capacity is 0
/// @param out_count receives the number of bodies, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is listed then. A capacity of 0
///     only returns the count, and is VORTON_OK.
VORTON_API VortonResult VORTON_CALL vorton_world_bodies(
    struct VortonWorldId world, struct VortonBodyId *out, size_t capacity, size_t *out_count);

/// Changes a body's heat transfer coefficient [W/(m^2 K)], at least 0; 0 insulates (see
/// VortonBodyDef.heat_transfer).
VORTON_API VortonResult VORTON_CALL vorton_body_set_heat_transfer(
    struct VortonWorldId world, struct VortonBodyId body, float heat_transfer);

/// Changes a body's heat capacity [J/K]; 0: the temperature is constant (see VortonBodyDef.heat_capacity).
VORTON_API VortonResult VORTON_CALL vorton_body_set_heat_capacity(
    struct VortonWorldId world, struct VortonBodyId body, float heat_capacity);

/// Puts a body to sleep or wakes it, following the engine. Bodies are created awake.
///
/// A sleeping body stays exactly in place, with velocities 0: the fluid does not move it and does not expect
/// it to recoil. It remains an obstacle and exchanges heat as before. It receives no lift, because its
/// support balances the lift; pushes accumulate for vorton_body_take_impulse as before. The engine puts
/// bodies to sleep by its own rules, and in each frame the host checks whether the fluid wakes one:
///
/// - vorton_bodies_take_impulses; the push of each body is linear - lift_linear;
/// - a sleeping body with a push above a threshold: wake the engine's body, call vorton_body_set_awake(true),
///   and apply the impulse;
/// - an awake body: apply the impulse; for the engine's sleep timer, only the push counts;
/// - the engine's own step; then vorton_body_set_awake(false) for each body that the engine has put to sleep.
///
/// A push too weak to wake the body, and not applied, is taken up by the body's support. Either way, the
/// impulses taken equal the momentum that the fluid has lost.
///
/// When a body falls asleep, lift that has not been taken is dropped, and pushes are kept. When it wakes, it
/// starts from rest, and pushes that have not been taken move it (see vorton_body_set_state). Setting a state
/// while it sleeps changes its pose, ignores the velocities, and does not wake it: states of sleeping bodies
/// may be set in each frame or omitted. Mass and inertia set meanwhile apply from when it wakes.
///
/// @param awake true: wakes; false: sleeps. No effect if the body is already in that state.
VORTON_API VortonResult VORTON_CALL vorton_body_set_awake(
    struct VortonWorldId world, struct VortonBodyId body, bool awake);

/// Reads whether a body is awake.
VORTON_API VortonResult VORTON_CALL vorton_body_is_awake(
    struct VortonWorldId world, struct VortonBodyId body, bool *out);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonSurroundDef)
VORTON_API VortonResult VORTON_CALL vorton_surround_def_init(
    struct VortonSurroundDef *out, uint32_t struct_size);

/// Adds vortons without strength, mass and dye to the fluid around bodies, and inside containers along their
/// walls: fluid at rest that the bodies can stir. Without VORTON_BODY_NO_THROUGH a body and the fluid
/// interact only where vortons touch the body. The vortons move with the fluid, so a moving body leaves them
/// behind: fill the region through which it moves, by a larger thickness or by VORTON_INITIAL_NOISE.
///
/// The vortons are placed at the points of a lattice (multiples of the spacing along the world's axes) that
/// are nearer to a surface than the thickness. Points are left out inside a solid or less than core_radius
/// from one (the distance that no-slip keeps), less than half a spacing from a half-space or from a wall of a
/// container, beyond a wall of a container around the body, in a kill volume, or less than half a spacing
/// from an existing vorton, so a second call adds nothing. The volume of a vorton is the cube of the spacing.
/// Points with coordinates beyond a million spacings are left out.
///
/// All or none. Bodies have their poses after the last step, or those with which they were created or placed
/// since. Takes about half a microsecond per vorton, ten times as long next to terrain; allocates.
///
/// @param def          vorton_default_surround_def() surrounds all bodies
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added, which may be 0
/// @return VORTON_ERR_CAPACITY if max_vortons leaves too little room; VORTON_ERR_BAD_VALUE for a half-space,
///     mesh or height field without low and high, and for a region of more than 8 million lattice points
VORTON_API VortonResult VORTON_CALL vorton_bodies_surround(
    struct VortonWorldId world, const struct VortonSurroundDef *def, uint64_t *out_first_id,
    size_t *out_count);

/// Changes the user data of a body (VortonBodyDef.user_data). Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_body_set_user_data(
    struct VortonWorldId world, struct VortonBodyId body, uint64_t user_data);

/// Reads the user data of a body. Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_body_user_data(
    struct VortonWorldId world, struct VortonBodyId body, uint64_t *out);

/// Reads the definition that would create this body as it is now, without its shapes: its state (as
/// vorton_body_read), its present temperature, and the other fields as last set. A mass or a heat capacity of
/// 0 stays 0; an inertia that has not been set is all 0. Does not contain whether the body sleeps.
///
/// @param struct_size sizeof(VortonBodyDef)
VORTON_API VortonResult VORTON_CALL vorton_body_def(
    struct VortonWorldId world, struct VortonBodyId body, struct VortonBodyDef *out, uint32_t struct_size);

/// Changes VortonWorldDef.no_slip_rate [1/s] from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_no_slip_rate(struct VortonWorldId world, float rate);

/// Changes VortonWorldDef.specific_heat [J/(kg K)] from the next step on.
VORTON_API VortonResult VORTON_CALL vorton_world_set_specific_heat(
    struct VortonWorldId world, float specific_heat);

/* Shapes ------------------------------------------------------------------------------------------------- */

/// A ball about the shape's origin: `radius`.
#define VORTON_SHAPE_SPHERE 1u

/// A box about the shape's origin, edges along its axes: `half_extents`.
#define VORTON_SHAPE_BOX 2u

/// A capsule about the shape's origin, along its z axis: `radius`, and `half_height` of the straight part
/// between the two half balls.
#define VORTON_SHAPE_CAPSULE 3u

/// The convex hull of `points`, for instance a mesh's vertices. Points inside the hull are ignored.
#define VORTON_SHAPE_HULL 4u

/// The convex solid on the inner sides of all `planes`.
#define VORTON_SHAPE_PLANES 5u

/// Everything below the plane z = 0 of the shape's axes: a floor, a water bed, a large wall. For a wall,
/// rotate the shape or its body; fluid is on the side of +z. No size is used.
///
/// The surface is impermeable: each vorton has a mirror image, so the flow is exact up to the surface, for
/// vortons of any size. It is free-slip and does not transfer heat. Vortons, tracers and host particles stay
/// above it: what the box of an emitter emits below it comes out above, within the height of the box, at its
/// mirror image if the plane cuts the box (strength along the plane changes its sign); others are put on it.
///
/// It must be the only shape of its body, with mass 0 and angular velocity 0, and cannot be a hole. It
/// displaces no fluid and takes no impulses. A world may have up to three half-spaces, at right angles to
/// each other (floor and corner), and may turn one only while there is no other. Anything else is refused.
///
/// A moving body (a lift) moves the mirror, and particles in its path are pushed out. Its velocity does not
/// act on the fluid above: in unbounded fluid a rising floor would lift all of it. Wind is applied unchanged,
/// even through the surface: set it parallel to the surface. Diffusion does not cross the surface.
///
/// Near a half-space all vortons are duplicated, and each further half-space doubles that: a step takes about
/// twice as long, on the mesh up to three times, because its box holds both copies. If the vortons would
/// induce less than 1 % of the largest vorton speed at the surface, the images are left out and the
/// half-space costs nothing: for a ring, from about seven radii above it. The first step with a half-space
/// allocates memory for the images.
#define VORTON_SHAPE_HALF_SPACE 6u

/// `triangles` between `points`: static level geometry, of any form, anywhere. Points with the same
/// coordinates are one; triangles without an area are left out. Creation takes about half a microsecond per
/// triangle.
///
/// If the surface is closed (each edge belongs to two triangles, wound in opposite directions), the region
/// behind its triangles is solid; fluid is on the side from which they appear counterclockwise. So a rock is
/// solid inside and a cave outside. Any other surface is a thin wall with fluid on both sides, whatever its
/// winding. No particle passes it, but if heavy or light fluid lies on one side, halo vortons
/// (VORTON_VORTON_HALO) may be created on the other.
///
/// The mass of its body must be 0; other shapes of that body may be solids other than half-spaces. The body
/// may be moved, and its mesh sweeps particles out of its path; at rest, the cost is proportional to the
/// triangles near the fluid. It displaces no fluid, exchanges no heat, and takes impulses.
///
/// Vortons, tracers and host particles stay on their side of it; no-slip holds where vortons touch it.
/// VORTON_BODY_NO_THROUGH has no effect: elsewhere the flow passes through the surface, as by default through
/// other bodies. For a flat floor or wall VORTON_SHAPE_HALF_SPACE is exact.
#define VORTON_SHAPE_MESH 7u

/// Ground under `heights` along z: the sample in column i and row j is at x = i spacing[0], y = j spacing[1]
/// of the shape's axes; rotate the shape or its body if y is up. The cell between four samples is two
/// triangles, with their common edge from sample (i, j) to (i + 1, j + 1). The region below is solid, to any
/// depth; beyond the outermost samples there is no ground. Otherwise as VORTON_SHAPE_MESH, with a tenth of
/// the memory.
#define VORTON_SHAPE_HEIGHT_FIELD 8u

/// A cylinder about the shape's origin, along its z axis: `radius`, and `half_height`, half the distance of
/// its flat ends, positive. With VORTON_BODY_NO_THROUGH it is approximated by a prism of the same volume.
#define VORTON_SHAPE_CYLINDER 9u

/// Bit of VortonShapeDef.flags: the shape is a hole, a cavity filled with fluid (a tank, a bottle). Particles
/// inside at the start of a step stay inside, however the body moves; particles outside are not affected.
/// Overlapping holes of a body form one cavity. A solid that encloses a whole hole of its body by itself is
/// hollow: a jar is a box with a smaller box as a hole. Other solids that are in a hole, wholly or in part,
/// stand in its fluid, which sticks to them as to other bodies. Outside, fluid slides along glass thinner
/// than two core radii.
///
/// The fluid in the holes has inertia and, without VORTON_BODY_NO_BUOYANT_FORCE, weight: the impulses contain
/// both, so the engine's body is the shell alone, of any mass.
///
/// The walls are impermeable and free-slip, whether or not vortons touch them, and vortex lines that end at
/// them continue as in a mirror. With VortonWorldDef.viscosity the walls drag fluid along where vortons with
/// a volume are near. This takes 5 to 60 ms for each hole created, and up to 2,048 sources in each step with
/// vorticity in the hole. The walls of all holes of a body act only where vortons touch them if one of the
/// holes is larger than about 20 core radii or less than 2.5 across, or if two of them overlap or are nearer
/// than two core radii. The same holds while a hole is nearer than two core radii to that of another body,
/// or has more than a quarter of its height in a half-space. A tank may stand on a half-space and sink in
/// slightly: its contents have no images there.
#define VORTON_SHAPE_HOLE 1u

/// Bit of VortonShapeDef.flags for meshes and height fields: snapshots (vorton_world_save) contain a hash of
/// the points, triangles or heights instead of the data, which the host has anyway. A world that restores
/// such a snapshot must have a body with the same level geometry, created with this flag; otherwise
/// vorton_world_restore returns VORTON_ERR_SNAPSHOT. This also holds if the level has been destroyed since.
#define VORTON_SHAPE_SAVED_BY_HASH 2u

/// Most points of a VORTON_SHAPE_HULL, and most planes of a VORTON_SHAPE_PLANES.
#define VORTON_MAX_HULL_POINTS 4096u

/// Most faces of the resulting solid: triangles and polygons of the hull, or planes that bound the solid.
#define VORTON_MAX_HULL_FACES 256u

/// Most triangles of a VORTON_SHAPE_MESH.
#define VORTON_MAX_MESH_TRIANGLES 1048576u

/// Most points of a VORTON_SHAPE_MESH.
#define VORTON_MAX_MESH_VERTICES 3145728u

/// Most columns, and most rows, of a VORTON_SHAPE_HEIGHT_FIELD.
#define VORTON_MAX_HEIGHT_FIELD_SAMPLES 4097u

/// Definition of a shape, a solid or a hole. Fill it with vorton_shape_def_init, then change the fields that
/// the type uses. Lengths in metres.
typedef struct VortonShapeDef {
    /// sizeof(VortonShapeDef); set by vorton_shape_def_init.
    uint32_t struct_size;
    /// VORTON_SHAPE_...
    uint32_t type;
    /// Position of its origin in the body [m]; the body's origin is its centre of mass. Default 0.
    struct VortonVec3 position;
    /// Orientation in the body.
    struct VortonQuat rotation;
    /// BOX: half the edges [m], positive. Default 0.5.
    struct VortonVec3 half_extents;
    /// SPHERE, CAPSULE and CYLINDER: radius [m], positive. Default 0.5.
    float radius;
    /// CAPSULE: half the length of the straight part [m], at least 0. CYLINDER: half the height [m],
    /// positive. Default 0.5.
    float half_height;
    /// HULL: number of points, 4 to VORTON_MAX_HULL_POINTS. Their hull may have up to VORTON_MAX_HULL_FACES
    /// faces. MESH: number of points, 3 to VORTON_MAX_MESH_VERTICES.
    uint32_t point_count;
    /// PLANES: number of planes, 4 to VORTON_MAX_HULL_POINTS, of which up to VORTON_MAX_HULL_FACES may bound
    /// the solid.
    uint32_t plane_count;
    /// HULL: x y z [m] of each point, not all in one plane; copied. MESH: x y z [m] of each point; copied.
    const float *points;
    /// PLANES: nx ny nz d of each plane; inside is nx x + ny y + nz z <= d. Normals point outwards and may
    /// have any length but 0. Together they must enclose a volume; copied.
    const float *planes;
    /// 0, VORTON_SHAPE_HOLE or VORTON_SHAPE_SAVED_BY_HASH. Default 0: a solid.
    uint32_t flags;
    /// Reserved: 0.
    uint32_t reserved;
    /// User data, stored and never interpreted: see vorton_shape_user_data. Default 0.
    uint64_t user_data;
    /// MESH: three point indices for each triangle; copied.
    const uint32_t *triangles;
    /// HEIGHT_FIELD: columns times rows heights [m], row after row; copied.
    const float *heights;
    /// MESH: number of triangles, 1 to VORTON_MAX_MESH_TRIANGLES.
    uint32_t triangle_count;
    /// HEIGHT_FIELD: samples along x, 2 to VORTON_MAX_HEIGHT_FIELD_SAMPLES.
    uint32_t columns;
    /// HEIGHT_FIELD: samples along y, 2 to VORTON_MAX_HEIGHT_FIELD_SAMPLES.
    uint32_t rows;
    /// HEIGHT_FIELD: distance of samples along x and y [m], positive. Default 1.
    float spacing[2];
    /// Reserved: 0.
    uint32_t reserved2;
} VortonShapeDef;

/// A shape of a body. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonShapeId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonShapeId;

/// Mass properties of a solid of density 1: multiply by the density for the engine's body.
typedef struct VortonMassProperties {
    /// Volume [m^3]; multiply by the density for the mass.
    float volume;
    /// Area of the surface [m^2].
    float area;
    /// Centroid [m], in the body's axes: the centre of mass.
    struct VortonVec3 centroid;
    /// Inertia tensor about the centroid [m^5], in the body's axes, symmetric; times density [kg m^2].
    float inertia[9];
} VortonMassProperties;

/// Fills a definition with the defaults of a shape: a ball of diameter 1, a box of edge 1, a capsule of
/// length 2 and width 1, a cylinder of height and width 1, no points, planes, triangles or heights yet, or a
/// floor; at the origin of its body.
///
/// @param struct_size sizeof(VortonShapeDef)
/// @param type        VORTON_SHAPE_...
VORTON_API VortonResult VORTON_CALL vorton_shape_def_init(
    struct VortonShapeDef *out, uint32_t struct_size, uint32_t type);

/// Adds a shape to a body. Shapes of a body may overlap; buoyancy then counts the common volume twice.
///
/// @param out NULL, or receives the shape's id: only vorton_shape_destroy needs it, and destroying a body
///     destroys its shapes
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_shape_create(
    struct VortonWorldId world, struct VortonBodyId body, const struct VortonShapeDef *def,
    struct VortonShapeId *out);

/// Destroys a shape of a body. A body that has equal shapes again before the next step has not changed. The
/// flow around a VORTON_BODY_NO_THROUGH body goes on around shapes of half to twice the volume.
VORTON_API VortonResult VORTON_CALL vorton_shape_destroy(
    struct VortonWorldId world, struct VortonShapeId shape);

/// True if the id names a shape of a living body of this world. Does not wait for a step.
VORTON_API bool VORTON_CALL vorton_shape_is_valid(struct VortonWorldId world, struct VortonShapeId shape);

/// Computes the mass properties of a shape, for creating the engine's body; needs no world. If the centroid
/// is not 0, subtract it from VortonShapeDef.position before creating the shape: the origin of a body is its
/// centre of mass. Half-spaces, meshes and height fields are refused, because their bodies are static.
VORTON_API VortonResult VORTON_CALL vorton_shape_mass_properties(
    const struct VortonShapeDef *def, struct VortonMassProperties *out);

/// Computes the added inertia of a solid: the inertia of the fluid accelerated along with it, in fluid of
/// density 1, in the axes of its body and about the body's origin, its centre of mass; needs no world. For
/// engines with a 6 x 6 inertia per body, and for VortonBodyDef.fluid_mass; do not add it to bodies with
/// VORTON_BODY_NO_THROUGH in any other way, because their impulses include it. A ball has half the mass of
/// the displaced fluid and no added inertia for rotation; other shapes are accurate to about 1 to 8 %
/// (docs/validation.md). Takes up to 0.7 s, for a box 10 to 50 ms, and allocates: call it while loading, and
/// keep the result. Holes are refused, because the fluid around them is not known, and so are half-spaces,
/// meshes and height fields, because their bodies are static. See vorton_body_added_inertia for bodies of
/// several shapes.
///
/// @param out 21 floats: the upper triangle, row after row, of the symmetric matrix of momentum x y z and
///     angular momentum x y z (rows) by velocity x y z and angular velocity x y z (columns); 0 to 2, 6, 7 and
///     11 are [m^3], 3 to 5, 8 to 10 and 12 to 14 [m^4], the last six [m^5]; times the fluid's density [kg],
///     [kg m], [kg m^2]
VORTON_API VortonResult VORTON_CALL vorton_shape_added_inertia(const struct VortonShapeDef *def, float *out);

/// Lists the shapes of a body, in the order in which they were created: see vorton_world_bodies.
VORTON_API VortonResult VORTON_CALL vorton_body_shapes(
    struct VortonWorldId world, struct VortonBodyId body, struct VortonShapeId *out, size_t capacity,
    size_t *out_count);

/// Changes the user data of a shape (VortonShapeDef.user_data). Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_shape_set_user_data(
    struct VortonWorldId world, struct VortonShapeId shape, uint64_t user_data);

/// Reads the user data of a shape. Does not wait for a step.
VORTON_API VortonResult VORTON_CALL vorton_shape_user_data(
    struct VortonWorldId world, struct VortonShapeId shape, uint64_t *out);

/* Emitters ----------------------------------------------------------------------------------------------- */

/// Definition of an emitter: it emits either vortons at random in a box (stirred, warm, heavy or dyed fluid),
/// or the jet of a nozzle. Fill it with vorton_emitter_def_init, then change the fields you need. Vortons
/// live until they reach VortonWorldDef.max_age or a kill volume; at max_vortons emitters stop. Set a max_age
/// in worlds with emitters.
typedef struct VortonEmitterDef {
    /// sizeof(VortonEmitterDef); set by vorton_emitter_def_init.
    uint32_t struct_size;
    /// Vortons per second, at least 0. Default 60.
    float rate;
    /// Centre of the box [m], in the axes of the body that carries the emitter, if one does (body).
    struct VortonVec3 position;
    /// Orientation of the box and of the strengths, likewise.
    struct VortonQuat rotation;
    /// Edges of the box [m]; zero emits from a point. Fluid of another density or with fuel spreads over at
    /// least a tenth of a core radius along each axis, because density in a plane, line or point is no
    /// three-dimensional fluid. What the box emits inside of a solid comes out in front of the face that is
    /// nearest to the middle of the box, within its width; of a solid that reaches less far behind that face
    /// than the box, in front of the nearest face. Not used with a nozzle.
    struct VortonVec3 extent;
    /// Mean strength [m^3/s] of a vorton, in the box's frame.
    struct VortonVec3 strength;
    /// Full width of the random part of each component of the strength [m^3/s].
    struct VortonVec3 strength_spread;
    /// Volume of a vorton [m^3], at least 0: about the cube of two thirds of core_radius. With a nozzle, 0
    /// stands for the volume of fluid that passes the nozzle per vorton. Otherwise vortons of no volume carry
    /// neither density nor temperature, dye or fuel; vorton_emitter_create logs a warning if the definition
    /// asks for some. Default 0.
    float volume;
    /// Heat [J/m^3] that the fuel in the emitted fluid releases when it burns, at least 0: 2.5e6 makes air of
    /// 300 K a flame of 2300 K. Needs a volume, which grows by the heat. With a nozzle, its rings have none.
    /// Default 0.
    float fuel;
    /// Seed of the random numbers: equal seeds give equal vortons.
    uint64_t seed;
    /// User data, stored and never interpreted: see vorton_emitter_user_data. Default 0.
    uint64_t user_data;
    /// Density of the emitted fluid minus the ambient density [kg/m^3]: negative rises, positive sinks. Needs
    /// a volume: the mass deviation of a vorton is volume times this. Default 0.
    float density_deviation;
    /// Temperature of the emitted fluid [K], which sets its density; 0: density_deviation is used. Default 0.
    float temperature;
    /// Concentration of dye in the emitted fluid, 0 to 1: see VORTON_SAMPLE_DYE. Needs a volume. Default 0.
    float dye;
    /// Radius [m] of a jet's nozzle: a disc across the z axis of the frame that pushes fluid along it, as a
    /// fan or rotor does, by 1/2 density speed^2 area [N]. Fluid passes the disc at half of nozzle_speed, and
    /// the jet narrows to .7 of the radius within about a radius; for the thrust of a pipe, use a disc of 1.4
    /// times its radius. The nozzle sheds nozzle_speed / (1.33 core_radius) rings per second, of 9.4
    /// nozzle_radius / core_radius vortons each (8 at least), and in addition `rate` vortons from the disc:
    /// set rate to 0 if the jet consists of the surrounding fluid. 0: no nozzle. Default 0.
    float nozzle_radius;
    /// Speed [m/s] of the jet, at least 0. Default 1.
    float nozzle_speed;
    /// Random displacement of the vortons of these rings: full width, as a fraction of their distance, 0 to
    /// 1. A jet without it stays symmetric longer than a real jet. Default 0.1.
    float nozzle_disturbance;
    /// The set to which the emitter adds tracers, where its vortons are emitted. Tracers that exceed the
    /// set's capacity are left out: it needs a capacity of tracer_rate times (its max_age plus one step).
    /// Null: none. Default null.
    struct VortonTracersId tracers;
    /// Tracers per second, at least 0. Default 0.
    float tracer_rate;
    /// Tag stored with the tracers. Default 0.
    uint32_t tracer_tag;
    /// The body that carries the emitter: a campfire on a ship, the exhaust of a car, a torch in a hand.
    /// position and rotation are then in the body's axes, from its centre of mass, and what it emits at its
    /// rate in a step comes out at the beginning of the next one, along its way in that step; after
    /// vorton_body_place at the new position, and within the body, if that is a container, at its position
    /// there. If the body is destroyed, the emitter stays where it is. The body does not feel the thrust of a
    /// nozzle. A tank around the nozzle does, through its fluid, except for its own emitters. Null: no body;
    /// the emitter is in the world's axes. Default null.
    struct VortonBodyId body;
} VortonEmitterDef;

/// An emitter. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonEmitterId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonEmitterId;

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonEmitterDef)
VORTON_API VortonResult VORTON_CALL vorton_emitter_def_init(
    struct VortonEmitterDef *out, uint32_t struct_size);

/// Creates an emitter. Emitters emit vortons at the beginning of each step, in order of creation, as long as
/// max_vortons leaves room (VortonStats.not_added counts the rest). A ring of a nozzle is emitted whole or
/// not at all; after one for which there was no room, the room for one is kept free until the next, at most a
/// quarter of max_vortons for all nozzles. Vortons of a nozzle that are due within a step are spread along
/// the jet and then move with the step, so they are up to nozzle_speed * dt in front of the disc when the
/// step ends. Tracers are added at the end of the step: from the disc along the jet, up to the first body in
/// the path.
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_emitter_create(
    struct VortonWorldId world, const struct VortonEmitterDef *def, struct VortonEmitterId *out);

/// Destroys an emitter; vortons and tracers that it has emitted stay.
VORTON_API VortonResult VORTON_CALL vorton_emitter_destroy(
    struct VortonWorldId world, struct VortonEmitterId emitter);

/// True if the id names a living emitter of this world. Does not wait for a step.
VORTON_API bool VORTON_CALL vorton_emitter_is_valid(
    struct VortonWorldId world, struct VortonEmitterId emitter);

/// Moves an emitter to this position and rotation, in the axes of the body that carries it, if one does
/// (VortonEmitterDef.body). What it emits at its rate in the next frame (vorton_world_step or
/// vorton_world_advance) lies along the straight way from its position in the last one, so a torch that is
/// carried leaves a trail without gaps; a burst appears at the new position. vorton_emitter_update puts an
/// emitter elsewhere at once.
VORTON_API VortonResult VORTON_CALL vorton_emitter_set_pose(
    struct VortonWorldId world, struct VortonEmitterId emitter, struct VortonVec3 position,
    struct VortonQuat rotation);

/// Changes the rate [vortons per second] of an emitter, at least 0.
VORTON_API VortonResult VORTON_CALL vorton_emitter_set_rate(
    struct VortonWorldId world, struct VortonEmitterId emitter, float rate);

/// Emits `count` extra vortons at the beginning of the next step.
VORTON_API VortonResult VORTON_CALL vorton_emitter_burst(
    struct VortonWorldId world, struct VortonEmitterId emitter, uint32_t count);

/// Lists the emitters of a world, in the order in which they were created: see vorton_world_bodies.
VORTON_API VortonResult VORTON_CALL vorton_world_emitters(
    struct VortonWorldId world, struct VortonEmitterId *out, size_t capacity, size_t *out_count);

/// Changes the user data of an emitter (VortonEmitterDef.user_data).
VORTON_API VortonResult VORTON_CALL vorton_emitter_set_user_data(
    struct VortonWorldId world, struct VortonEmitterId emitter, uint64_t user_data);

/// Reads the user data of an emitter.
VORTON_API VortonResult VORTON_CALL vorton_emitter_user_data(
    struct VortonWorldId world, struct VortonEmitterId emitter, uint64_t *out);

/// Reads the definition that would create this emitter as it is now.
///
/// @param struct_size sizeof(VortonEmitterDef)
VORTON_API VortonResult VORTON_CALL vorton_emitter_def(
    struct VortonWorldId world, struct VortonEmitterId emitter, struct VortonEmitterDef *out,
    uint32_t struct_size);

/// Replaces the whole definition of an emitter, which emits at the new position at once. Emission continues:
/// vortons that are due stay due, and the sequence of random numbers continues.
VORTON_API VortonResult VORTON_CALL vorton_emitter_update(
    struct VortonWorldId world, struct VortonEmitterId emitter, const struct VortonEmitterDef *def);

/* Presets ------------------------------------------------------------------------------------------------ */

/// A slightly uneven smoke ring that travels along +z at about .3 sqrt(g scale), with g = 9.81 m/s^2. scale:
/// radius of the ring, 1 m. Tracers of its core have the second tag.
#define VORTON_PRESET_SMOKE_RING 1u

/// Hot gas that rises from a square until its emitter is destroyed. scale: edge of the square, .5 m. strength
/// multiplies the density deviation, -20 % of the ambient density.
#define VORTON_PRESET_CAMPFIRE 2u

/// A flame along +z from a nozzle, until its emitter is destroyed. scale: length of the flame, 1 m. strength
/// multiplies the speed of the jet, sqrt(g scale).
#define VORTON_PRESET_TORCH 3u

/// A ball of hot gas that rises and rolls up into a mushroom. scale: radius of the ball, 2 m. strength
/// multiplies the density deviation, -20 % of the ambient density. The outward blast is not simulated.
#define VORTON_PRESET_EXPLOSION 4u

/// Air displaced by an object that lands, and the dust that it lifts: a vortex ring that moves along -z
/// towards a floor at z = 0. The floor is not part of the effect: create a half-space or another body there.
/// scale: radius of the dust, .8 m.
#define VORTON_PRESET_DUST_PUFF 5u

/// A drop of heavy dye that falls, rolls up into a ring and breaks up. scale: radius of the drop, 1 m.
/// strength multiplies the density deviation, 20 % of the ambient density.
#define VORTON_PRESET_INK_DROP 6u

/// Air that spins and rises along +z, until its emitters are destroyed. A floor at z = 0 is not part of the
/// effect. scale: height to which it rises at first, 6 m; on a floor it then stays at .2 to .6 of that.
/// Tracers of the dust around its foot have the second tag.
#define VORTON_PRESET_TORNADO 7u

/// The trailing vortices of a wing that has flown along +x, eight spans long; they sink along -z at about
/// .1 sqrt(g scale). scale: distance of the two vortices, 2 m.
#define VORTON_PRESET_WAKE 8u

/// A ball of fluid with flakes at its bottom, in a container: a body of mass 0. Move or turn it to shake the
/// globe. scale: inner radius, 1 m. strength multiplies the excess density of the fluid with the flakes, 6 %
/// of the ambient density.
#define VORTON_PRESET_SNOW_GLOBE 9u

/// Fuel vapour that leaves a square, burns while it rises, and leaves smoke, until its emitter is destroyed.
/// It needs a world in which fuel burns (VortonWorldDef.ignition_temperature); vorton_preset_world_def
/// prepares one. scale: edge of the square, 1 m. strength multiplies the heat of the fuel, 3 times that of an
/// equal volume of ambient fluid. Tracers in a set of its own carry the temperature (vorton_tracers_read).
#define VORTON_PRESET_BONFIRE 10u

/// Largest number of emitters of a preset.
#define VORTON_PRESET_EMITTERS 2u

/// Definition of an effect by name. Fill it with vorton_preset_def_init, then change the fields you need.
typedef struct VortonPresetDef {
    /// sizeof(VortonPresetDef); set by vorton_preset_def_init.
    uint32_t struct_size;
    /// VORTON_PRESET_...
    uint32_t type;
    /// Origin of the effect [m].
    struct VortonVec3 position;
    /// Rotation from the effect's axes to the world's. Gravity stays the world's.
    struct VortonQuat rotation;
    /// Length [m] that the VORTON_PRESET_... constant describes, .001 to 100000, and at least two core radii
    /// of the world. Effects look alike at every scale: speeds are proportional to its square root.
    float scale;
    /// Factor on the effect's speeds or, for types with a density deviation or fuel, on that deviation or the
    /// fuel's heat, .05 to 4. Default 1.
    float strength;
    /// Approximate number of vortons, without halo: at the start or, for an effect with emitters, at any
    /// time, 100 to 262144. vorton_preset_world_def derives core_radius from it; vorton_world_add_preset
    /// ignores it and uses the world's core_radius. Default 1000.
    uint32_t vortons;
    /// Number of tracers, at the start or, for an effect with emitters, at any time, at most 4194304. Default
    /// 30000.
    uint32_t tracers;
    /// Set that receives the tracers; the null id (the default): a new set with this capacity.
    struct VortonTracersId tracer_set;
    /// Tag of the tracers; tracers of a second part of the effect have tracer_tag + 1. Default 0.
    uint32_t tracer_tag;
    /// Seed of the disturbance from which instabilities grow, and of the tracers' positions. Default 1.
    uint64_t seed;
} VortonPresetDef;

/// Fills a definition with the defaults of a preset.
///
/// @param struct_size sizeof(VortonPresetDef)
/// @param type        VORTON_PRESET_...
VORTON_API VortonResult VORTON_CALL vorton_preset_def_init(
    struct VortonPresetDef *out, uint32_t struct_size, uint32_t type);

/// Sets those fields of a world definition that a preset depends on: core_radius, gravity, smagorinsky,
/// viscosity, relaxation_rate, max_age and max_vortons; for VORTON_PRESET_BONFIRE also diffusivity,
/// ignition_temperature (twice the definition's ambient_temperature) and burn_time. A world may have other
/// values: an effect then has more or fewer vortons, and an effect with emitters needs a max_age.
///
/// @param inout a definition from vorton_world_def_init; its other fields stay
VORTON_API VortonResult VORTON_CALL vorton_preset_world_def(
    const struct VortonPresetDef *def, struct VortonWorldDef *inout);

/// Adds an effect to a world: its vortons and tracers, its emitters and its container, all of it or nothing.
/// They are ordinary vortons, tracers, emitters and bodies, and may be changed, moved and destroyed as such.
/// Allocates.
///
/// @param out_tracers  NULL, or receives the set of its tracers: tracer_set, a new set, or the null id for an
///     effect without tracers
/// @param out_emitters NULL, or receives VORTON_PRESET_EMITTERS ids, followed by null ids if there are fewer
/// @param out_body     NULL, or receives the container's body, the null id for an effect without container
/// @return VORTON_ERR_CAPACITY if vortons, tracers or objects do not fit; VORTON_ERR_BAD_VALUE for
///     VORTON_PRESET_BONFIRE in a world in which nothing burns
VORTON_API VortonResult VORTON_CALL vorton_world_add_preset(
    struct VortonWorldId world, const struct VortonPresetDef *def, struct VortonTracersId *out_tracers,
    struct VortonEmitterId *out_emitters, struct VortonBodyId *out_body);

/* Kill volumes ------------------------------------------------------------------------------------------- */

/// VortonKillVolume.type: a box of `half_extents`, turned by `rotation`.
#define VORTON_KILL_VOLUME_BOX 0u

/// VortonKillVolume.type: a ball of `radius`.
#define VORTON_KILL_VOLUME_SPHERE 1u

/// VortonKillVolume.flags: the volume bounds the world. Particles outside all bounding volumes are removed;
/// particles inside one stay, unless a volume without this flag removes them.
#define VORTON_KILL_VOLUME_OUTSIDE 1u

/// Most kill volumes of a world.
#define VORTON_MAX_KILL_VOLUMES 256u

/// A volume in which vortons and tracers are removed, such as an inactive room, or the bounds of a level.
/// vorton_default_kill_volume is a box of 1 m around the origin.
typedef struct VortonKillVolume {
    /// VORTON_KILL_VOLUME_BOX or VORTON_KILL_VOLUME_SPHERE.
    uint32_t type;
    /// 0 or VORTON_KILL_VOLUME_OUTSIDE.
    uint32_t flags;
    /// Centre [m].
    struct VortonVec3 position;
    /// VORTON_KILL_VOLUME_BOX: turns the box's axes into the world's.
    struct VortonQuat rotation;
    /// VORTON_KILL_VOLUME_BOX: half the edges [m], positive.
    struct VortonVec3 half_extents;
    /// VORTON_KILL_VOLUME_SPHERE: radius [m], positive.
    float radius;
} VortonKillVolume;

/// Replaces the volumes in which vortons and tracers are removed: at the end of each step, those inside a
/// volume, or outside all volumes that bound the world (VORTON_KILL_VOLUME_OUTSIDE). Bodies and emitters
/// stay; vortons that an emitter sheds inside a volume are removed at once. Removals are counted in
/// VortonStats.killed and killed_tracers; removed vortons take their energy with them, as at max_age. A step
/// with dt 0 removes nothing. With volumes, a vorton or tracer costs about 5 ns more, and as much again for
/// each volume near it. Volumes are saved in snapshots and kept by vorton_world_reset. Allocates when volumes
/// are set for the first time.
///
/// @param volumes `count` volumes; may be NULL if count is 0
/// @param count   at most VORTON_MAX_KILL_VOLUMES; 0: no volumes
VORTON_API VortonResult VORTON_CALL vorton_world_set_kill_volumes(
    struct VortonWorldId world, const struct VortonKillVolume *volumes, size_t count);

/// Reads the volumes in which vortons and tracers are removed.
///
/// @param out       room for capacity volumes; may be NULL if capacity is 0
/// @param out_count receives the number of volumes, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is read then. A capacity of 0 only
///     returns the count, and is VORTON_OK.
VORTON_API VortonResult VORTON_CALL vorton_world_kill_volumes(
    struct VortonWorldId world, struct VortonKillVolume *out, size_t capacity, size_t *out_count);

/* Views of particles ------------------------------------------------------------------------------------- */

/// Position [m]: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3.
#define VORTON_POSITION 1u

/// Velocity [m/s]: formats as position.
#define VORTON_VELOCITY 2u

/// Age [s]: VORTON_F32.
#define VORTON_AGE 3u

/// Age [s] at which this particle dies: VORTON_F32.
#define VORTON_LIFETIME 4u

/// Frame of birth: VORTON_I32.
#define VORTON_BIRTH_FRAME 5u

/// Bits: VORTON_U32. Killing sets the bit VORTON_FLAG_DEAD; all operations skip dead particles.
#define VORTON_FLAGS 6u

/// Size [m]: VORTON_F32. Only emission writes it.
#define VORTON_SIZE 7u

/// Density [kg/m^3]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
#define VORTON_DENSITY 8u

/// Temperature [K]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
#define VORTON_TEMPERATURE 9u

/// Angular velocity [rad/s] about the world's axes: formats as position.
#define VORTON_ANGULAR_VELOCITY 10u

/// Orientation: VORTON_QUAT_F32, the unit quaternion that turns the particle's own axes into the world's.
#define VORTON_ORIENTATION 11u

/// The number (vorton_body_number) of the body that the particle hit in VORTON_OP_COLLIDE: VORTON_U32; 0:
/// none. Every run of that operation writes it for every particle that it visits; emission writes 0.
#define VORTON_HIT 12u

/// Unit normal of the surface hit, out of the body: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3. 0 0 0 if
/// none.
#define VORTON_NORMAL 13u

/// Alive flag, VORTON_U8, for instance a bool: 0 is a dead particle, which all operations skip. Killing
/// writes 0, emission 1. A view has at most one of VORTON_FLAGS, VORTON_ALIVE and VORTON_DEAD.
#define VORTON_ALIVE 14u

/// Dead flag, VORTON_U8, the inverse of VORTON_ALIVE: nonzero is a dead particle; killing writes 1, emission
/// 0.
#define VORTON_DEAD 15u

/// Position in three arrays of VORTON_F32, one for each component.
#define VORTON_POSITION_X 16u

/// See VORTON_POSITION_X.
#define VORTON_POSITION_Y 17u

/// See VORTON_POSITION_X.
#define VORTON_POSITION_Z 18u

/// Velocity in three arrays of VORTON_F32, one for each component.
#define VORTON_VELOCITY_X 19u

/// See VORTON_VELOCITY_X.
#define VORTON_VELOCITY_Y 20u

/// See VORTON_VELOCITY_X.
#define VORTON_VELOCITY_Z 21u

/// Angular velocity in three arrays of VORTON_F32, one for each component.
#define VORTON_ANGULAR_VELOCITY_X 22u

/// See VORTON_ANGULAR_VELOCITY_X.
#define VORTON_ANGULAR_VELOCITY_Y 23u

/// See VORTON_ANGULAR_VELOCITY_X.
#define VORTON_ANGULAR_VELOCITY_Z 24u

/// First of sixteen user attributes (VORTON_USER0 + 0 to 15): VORTON_F32. Emission and
/// VORTON_OP_SAMPLE_SCALAR write them.
#define VORTON_USER0 64u

/// One 32-bit float.
#define VORTON_F32 1u

/// Three 32-bit floats.
#define VORTON_F32X3 3u

/// Four 32-bit floats, of which the first three are used; the fourth is never touched.
#define VORTON_F32X4 4u

/// Three 64-bit floats.
#define VORTON_F64X3 5u

/// Four 32-bit floats, all used: a quaternion x, y, z, w (w is the real part).
#define VORTON_QUAT_F32 6u

/// One unsigned 32-bit integer.
#define VORTON_U32 7u

/// One signed 32-bit integer.
#define VORTON_I32 8u

/// One byte.
#define VORTON_U8 9u

/// Bit of VORTON_FLAGS: the particle is dead.
#define VORTON_FLAG_DEAD 1u

/// Most streams of a view.
#define VORTON_MAX_STREAMS 32u

/// One attribute of the host's particles: element i is at base + offset + i * stride, aligned to its
/// component.
typedef struct VortonStream {
    /// Meaning of the attribute: VORTON_POSITION, ...
    uint32_t semantic;
    /// Storage format: VORTON_F32X3, ...
    uint32_t format;
    /// Bytes from one particle to the next.
    uint32_t stride;
    /// Bytes from base (or from a table's pointer) to the attribute.
    uint32_t offset;
    /// The array; ignored with a table.
    void *base;
} VortonStream;

/// The memory layout of the host's particles. Fill it with vorton_particle_view_init, then set the fields you
/// need.
typedef struct VortonParticleView {
    /// sizeof(VortonParticleView); set by vorton_particle_view_init.
    uint32_t struct_size;
    /// Number of streams, at most VORTON_MAX_STREAMS.
    uint32_t stream_count;
    /// Number of particles.
    size_t count;
    /// Particles for which there is memory, at least count; only emission uses the part beyond count.
    size_t capacity;
    /// The attributes.
    const struct VortonStream *streams;
    /// NULL, or the addresses of capacity particles, for hosts that keep a list of pointers: attributes are
    /// at table[i] + offset. The addresses must be distinct.
    void *const *table;
    /// NULL (with an index_count of 0): visit all particles. Otherwise the particles to visit, strictly
    /// ascending; an empty list also needs a non-null address.
    const uint32_t *indices;
    /// Number of indices.
    size_t index_count;
    /// Bytes of one particle in an array of structures; only compaction needs it. 0 otherwise.
    size_t element_size;
} VortonParticleView;

/// Fills a view with zeros and its size: no particles, no streams.
///
/// @param struct_size sizeof(VortonParticleView)
VORTON_API VortonResult VORTON_CALL vorton_particle_view_init(
    struct VortonParticleView *out, uint32_t struct_size);

/// Checks a view without using it; vorton_last_error describes the first problem.
VORTON_API VortonResult VORTON_CALL vorton_view_check(const struct VortonParticleView *view);

/* Operations on particles -------------------------------------------------------------------------------- */

/// Relaxes the particle's velocity to the fluid's velocity times `gain`, at `rate`; `sample` selects the
/// sample point. Needs position and velocity.
#define VORTON_OP_VELOCITY 1u

/// Position += velocity * dt. Needs position and velocity.
#define VORTON_OP_ADVECT 2u

/// Velocity += vector * dt: gravity and other accelerations [m/s^2]. Needs velocity.
#define VORTON_OP_ACCELERATE 3u

/// Relaxes velocity to the constant `vector` [m/s] at `rate`. Needs velocity.
#define VORTON_OP_WIND 4u

/// Drags velocity towards the fluid's: linear drag `rate` [1/s] and quadratic drag `quadratic` [1/m], solved
/// exactly. Needs position and velocity.
#define VORTON_OP_DRAG 5u

/// Age += dt. Needs age.
#define VORTON_OP_AGE 6u

/// Kills particles older than max_age [s] (needs age; a lifetime stream replaces max_age by each particle's
/// own lifetime, where 0 dies at once) or than max_age_frames (needs birth frame).
#define VORTON_OP_KILL 7u

/// Emits particles into the memory between count and capacity, `rate` per second.
#define VORTON_OP_EMIT 8u

/// Computes the bounding box. Needs position.
#define VORTON_OP_BOUNDS 9u

/// Samples the fluid's density, temperature or dye at the particle: writes `quantity` to the stream `into`.
/// Needs position and that stream.
#define VORTON_OP_SAMPLE_SCALAR 10u

/// Relaxes the particle's angular velocity to the fluid's (half the vorticity) at `rate`; `sample` selects
/// the sample point. Integrates the orientation exactly, if there is such a stream. Needs position and
/// angular velocity.
#define VORTON_OP_SPIN 11u

/// Collides particles with bodies: a particle that entered a body on its path from position - velocity * dt
/// to position is moved back in front of the surface, and its velocity relative to the surface changes by
/// `restitution` and `friction`. Place it directly after ADVECT, after vorton_world_step with the same dt:
/// bodies move as in the last completed step. With a `mass`, bodies receive the momentum that particles lose,
/// with the next vorton_body_take_impulse. Needs position and velocity; writes VORTON_HIT and VORTON_NORMAL
/// if there are such streams.
#define VORTON_OP_COLLIDE 12u

/// Used in place of VELOCITY: adds eddies smaller than core_radius. Relaxes the particle's velocity to (fluid
/// velocity + `intensity` * eddy velocity) * `gain`, at `rate`. The eddy velocity follows from the local
/// strain rate [1/s], about 0.6 * core_radius * strain rate (Kolmogorov's spectrum over three octaves);
/// eddies are advected by the flow, and vanish in fluid at rest or in rigid rotation. Velocity is replaced,
/// so nothing accumulates from frame to frame; ADVECT and COLLIDE after it keep particles out of bodies as
/// usual. The strain rate is that of the flow as it is sampled (VortonWorldDef.field_sampling): between nodes
/// of the mesh a derivative of linear interpolation by default. Needs position and velocity.
#define VORTON_OP_TURBULENCE 13u

/// Marks the dead: VORTON_FLAG_DEAD in VORTON_FLAGS, or the byte of VORTON_ALIVE or VORTON_DEAD. Needs one of
/// these streams.
#define VORTON_KILL_MARK 0u

/// Writes the indices of the dead to VortonOpResult.kill_list, ascending.
#define VORTON_KILL_LIST 1u

/// Compacts the arrays, keeping the order; VortonOpResult.count is the new count. Needs element_size or
/// packed streams.
#define VORTON_KILL_COMPACT 2u

/// Samples the fluid halfway along the particle's path, so that VELOCITY then ADVECT is second order in time.
/// The default.
#define VORTON_AT_MIDPOINT 0u

/// Samples the fluid at the particle's position: half the cost, first order.
#define VORTON_AT_PARTICLE 1u

/// All particles of a frame are born at its end. The default.
#define VORTON_EMIT_AT_ONCE 0u

/// Births are spread evenly over the frame: a fast emitter leaves a line instead of puffs.
#define VORTON_EMIT_EVEN 1u

/// Most operations in one list.
#define VORTON_MAX_OPS 32u

/// Results of a run of operations. Fill it with vorton_op_result_init, then set kill_list and kill_capacity
/// if an operation uses VORTON_KILL_LIST.
typedef struct VortonOpResult {
    /// sizeof(VortonOpResult); set by vorton_op_result_init.
    uint32_t struct_size;
    /// 1 if `bounds` has been computed from at least one particle.
    uint32_t has_bounds;
    /// Particles after the run: the view's count, unless EMIT or KILL with VORTON_KILL_COMPACT has changed
    /// it.
    size_t count;
    /// Particles killed.
    size_t killed;
    /// Particles removed by compaction: killed now, or marked before.
    size_t removed;
    /// Particles emitted.
    size_t emitted;
    /// Particles that EMIT could not add for lack of capacity.
    size_t not_emitted;
    /// Particles left untouched by an operation because a value that it reads was not finite.
    size_t non_finite;
    /// In: buffer for VORTON_KILL_LIST, or NULL.
    uint32_t *kill_list;
    /// In: number of indices that fit into kill_list.
    size_t kill_capacity;
    /// Bounding box of the living particles.
    struct VortonAabb bounds;
    /// Particles that collided with a body.
    size_t hits;
} VortonOpResult;

/// Random value that emission writes into one attribute: value + spread * (u - 1/2), with u uniform in [0, 1)
/// for each component.
typedef struct VortonEmitValue {
    /// The attribute, a stream of the view.
    uint32_t semantic;
    /// Reserved: 0.
    uint32_t reserved;
    /// Centre of the values; scalars use the first element.
    double value[3];
    /// Full width of the random part.
    float spread[3];
    /// Reserved: 0.
    uint32_t reserved2;
} VortonEmitValue;

/// Definition of an operation. Fill it with vorton_op_def_init, then change the fields that the type uses.
typedef struct VortonOpDef {
    /// sizeof(VortonOpDef); set by vorton_op_def_init.
    uint32_t struct_size;
    /// VORTON_OP_...
    uint32_t type;
    /// ACCELERATE [m/s^2], WIND [m/s].
    struct VortonVec3 vector;
    /// VELOCITY, TURBULENCE, WIND and SPIN: rate of exponential relaxation [1/s], VORTON_RATE_AT_ONCE by
    /// default; DRAG [1/s]; EMIT: particles per second.
    float rate;
    /// DRAG: deceleration per squared velocity difference [1/m]. Default 0.
    float quadratic;
    /// VELOCITY, TURBULENCE and SPIN: VORTON_AT_...
    uint32_t sample;
    /// KILL: VORTON_KILL_...
    uint32_t kill_mode;
    /// KILL: age [s]; 0: not by age. A lifetime stream overrides it for each particle.
    float max_age;
    /// KILL: age in frames; 0: not by frames.
    uint32_t max_age_frames;
    /// EMIT: number of values.
    uint32_t value_count;
    /// EMIT: VORTON_EMIT_...
    uint32_t timing;
    /// SAMPLE_SCALAR: VORTON_SAMPLE_DENSITY (the default), _DENSITY_DEVIATION, _TEMPERATURE or _DYE.
    uint32_t quantity;
    /// SAMPLE_SCALAR: VORTON_DENSITY, VORTON_TEMPERATURE or a user attribute, each for any quantity. 0 (the
    /// default): the stream named after the quantity; dye goes to VORTON_USER0.
    uint32_t into;
    /// TURBULENCE: factor on the eddy velocity, at least 0; 1 (the default): as in Kolmogorov's spectrum.
    float intensity;
    /// EMIT: attributes of new particles; copied. Attributes without a value are set to 0 (age: see timing;
    /// lifetime: infinite; orientation: identity, and it accepts no value).
    const struct VortonEmitValue *values;
    /// EMIT: seed of the random numbers. TURBULENCE: the same seed gives the same eddies; tracers use 1 (the
    /// default).
    uint64_t seed;
    /// COLLIDE: coefficient of restitution, 0 to 1: normal speed after the collision over normal speed
    /// before. Default 0.
    float restitution;
    /// COLLIDE: fraction of the tangential speed that a collision removes, 0 (slides, the default) to 1
    /// (sticks).
    float friction;
    /// COLLIDE: mass of one particle [kg]. Default 0: no reaction on bodies.
    float mass;
    /// VELOCITY, TURBULENCE: factor on the velocity, any finite number: to convert m/s to your unit of
    /// velocity (0.001 for metres per millisecond), or to scale the effect of the flow. The sample point does
    /// not depend on it; ADVECT and COLLIDE expect velocities in m/s. Default 1.
    float gain;
} VortonOpDef;

/// A particle operation with its parameters. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonOpId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonOpId;

/// Fills a definition with the defaults of an operation.
///
/// @param struct_size sizeof(VortonOpDef)
/// @param type        VORTON_OP_...
VORTON_API VortonResult VORTON_CALL vorton_op_def_init(
    struct VortonOpDef *out, uint32_t struct_size, uint32_t type);

/// Creates an operation, which can be run any number of times on any particles.
VORTON_NODISCARD VORTON_API VortonResult VORTON_CALL vorton_op_create(
    struct VortonWorldId world, const struct VortonOpDef *def, struct VortonOpId *out);

/// Changes an operation. An emission continues its state.
VORTON_API VortonResult VORTON_CALL vorton_op_update(
    struct VortonWorldId world, struct VortonOpId op, const struct VortonOpDef *def);

/// Destroys an operation.
VORTON_API VortonResult VORTON_CALL vorton_op_destroy(struct VortonWorldId world, struct VortonOpId op);

/// True if the id names a living operation of this world. Does not wait for a step.
VORTON_API bool VORTON_CALL vorton_op_is_valid(struct VortonWorldId world, struct VortonOpId op);

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
VORTON_API VortonResult VORTON_CALL vorton_ops_run(
    struct VortonWorldId world, const struct VortonOpId *ops, uint32_t count,
    const struct VortonParticleView *view, float dt, uint32_t frame, struct VortonOpResult *inout);

/// Fills a result with zeros and its size.
///
/// @param struct_size sizeof(VortonOpResult)
VORTON_API VortonResult VORTON_CALL vorton_op_result_init(struct VortonOpResult *out, uint32_t struct_size);

/* Samples ------------------------------------------------------------------------------------------------ */

/// Velocity [m/s], wind included.
#define VORTON_SAMPLE_VELOCITY 1u

/// Vorticity [1/s], the curl of the velocity.
#define VORTON_SAMPLE_VORTICITY 2u

/// Density [kg/m^3]: the ambient density plus the vortons' deviation.
#define VORTON_SAMPLE_DENSITY 3u

/// Density minus the ambient density at the same point [kg/m^3]: positive sinks, negative rises.
#define VORTON_SAMPLE_DENSITY_DEVIATION 4u

/// Temperature [K], from density by the world's equation of state.
#define VORTON_SAMPLE_TEMPERATURE 5u

/// Concentration of dye: 1 inside a dyed body of fluid, 0 outside.
#define VORTON_SAMPLE_DYE 6u

/// Each number of a texel is a float.
#define VORTON_TEXEL_F32 1u

/// Each number of a texel is a half (IEEE 754 binary16), rounded to the nearest; values beyond its range are
/// clamped to its largest value, 65504.
#define VORTON_TEXEL_F16 2u

/// The solid surface nearest to a point.
typedef struct VortonSurface {
    /// Distance [m] from the surface to the point: negative inside a solid. Equal to reach if no surface is
    /// nearer.
    float distance;
    /// The nearest point of the surface [m]; 0 0 0 if none is within reach.
    struct VortonVec3 point;
    /// Unit normal there, into the fluid; 0 0 0 if none is within reach.
    struct VortonVec3 normal;
    /// The body of the surface; the null id if none is within reach.
    struct VortonBodyId body;
} VortonSurface;

/// Definition of a box of texels in the caller's memory. Fill it with vorton_volume_def_init, then set the
/// box.
typedef struct VortonVolumeDef {
    /// sizeof(VortonVolumeDef); set by vorton_volume_def_init.
    uint32_t struct_size;
    /// VORTON_TEXEL_... Default VORTON_TEXEL_F16.
    uint32_t format;
    /// Numbers of each texel, 1 to 4; unused numbers are 0. Default 4.
    uint32_t components;
    /// VORTON_SAMPLE_VELOCITY or VORTON_SAMPLE_VORTICITY for the first three numbers, or 0. Default
    /// VORTON_SAMPLE_VELOCITY.
    uint32_t vector;
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE for the number after these, or for the
    /// first one without a vector, or 0. Default 0.
    uint32_t scalar;
    /// Texels along x, each at least 1, at most 2^31 together. Default 32, also for the next two.
    uint32_t width;
    /// Texels along y.
    uint32_t height;
    /// Texels along z.
    uint32_t depth;
    /// Lowest corner of the box [m]. Samples are taken at the centres of texels: the first one is half a
    /// texel inside.
    struct VortonVec3 low;
    /// Highest corner of the box [m], above the lowest along each axis.
    struct VortonVec3 high;
    /// Bytes from one row of texels to the next; 0: packed.
    size_t row_pitch;
    /// Bytes from one slice of rows to the next; 0: packed.
    size_t slice_pitch;
} VortonVolumeDef;

/// Samples the field of the last step (its midpoint, dt/2 ago) at `count` points, anywhere in space. May run
/// while another thread steps the world: it then reads the field of the previous step. Before the first step
/// the field is the undisturbed ambient. The two arrays must not overlap. Does not allocate.
///
/// @param quantity     VORTON_SAMPLE_...
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next; 0: packed
/// @param out          results: three floats each for velocity and vorticity, one for the others
/// @param out_stride   bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or the field there, were not finite; their results
///     are untouched
VORTON_API VortonResult VORTON_CALL vorton_world_sample(
    struct VortonWorldId world, uint32_t quantity, const float *points, uint32_t point_stride, float *out,
    uint32_t out_stride, size_t count);

/// Integrates a scalar of the field that vorton_world_sample reads along `count` straight lines, for instance
/// the amount of smoke between two points. For smoke with an extinction of k per metre at dye 1, the fraction
/// exp(-k * result) of the light passes. May run while another thread steps the world. The two arrays must
/// not overlap. Does not allocate.
///
/// @param quantity    VORTON_SAMPLE_DYE (results in m) or VORTON_SAMPLE_DENSITY_DEVIATION (kg/m^2)
/// @param lines       start and end of each line [m], six floats
/// @param line_stride bytes from one line to the next; 0: packed
/// @param out         results, one float each
/// @param out_stride  bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or the field between them, were not finite; their
///     results are untouched
VORTON_API VortonResult VORTON_CALL vorton_world_sample_lines(
    struct VortonWorldId world, uint32_t quantity, const float *lines, uint32_t line_stride, float *out,
    uint32_t out_stride, size_t count);

/// Finds the solid surface nearest to each of `count` points, for instance for penetration depth or obstacle
/// avoidance of your own particles. Distances are exact, also at edges and corners; inside overlapping
/// shapes, the result is that of the single shape in which the point is deepest. The walls of a container
/// (VORTON_SHAPE_HOLE) count for points inside it, with positive distance; points outside its holes ignore
/// it.
///
/// Bodies have their poses after the last completed step, so this may run while another thread steps the
/// world. Bodies and shapes created since are included after the next step (one with dt 0 is enough). The two
/// arrays must not overlap. Does not allocate.
///
/// @param body         NULL: the nearest of all bodies; otherwise only this body counts
/// @param reach        surfaces further away than this [m] are ignored; above 0
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next; 0: packed
/// @param out          count results
/// @param out_stride   bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points were not finite; their results are untouched
VORTON_API VortonResult VORTON_CALL vorton_world_sample_surfaces(
    struct VortonWorldId world, const struct VortonBodyId *body, float reach, const float *points,
    uint32_t point_stride, struct VortonSurface *out, uint32_t out_stride, size_t count);

/// Fills a definition with the defaults: velocity as halves, in 32 texels along each axis of a box of 2 m
/// around the origin.
///
/// @param struct_size sizeof(VortonVolumeDef)
VORTON_API VortonResult VORTON_CALL vorton_volume_def_init(struct VortonVolumeDef *out, uint32_t struct_size);

/// Fills a volume of texels with the field that vorton_world_sample reads, in the caller's memory: an upload
/// buffer or a mapped texture, from which GPU particles read the flow. x runs fastest, then y, then z.
/// Padding between rows and slices stays untouched. May run while another thread steps the world. Does not
/// allocate.
///
/// @param out  aligned to one number of a texel
/// @param size size of `out` [bytes]
/// @return VORTON_ERR_BUFFER_SMALL if the volume is larger than that; nothing is written then.
///     VORTON_NOTE_SKIPPED_NONFINITE if a number was not finite; such numbers are 0
VORTON_API VortonResult VORTON_CALL vorton_world_sample_volume(
    struct VortonWorldId world, const struct VortonVolumeDef *def, void *out, size_t size);

/* Statistics and drawing --------------------------------------------------------------------------------- */

/// Also computes energy and helicity, which takes time proportional to the square of the number of vortons.
#define VORTON_INVARIANTS_PAIRS 1u

/// VortonDrawDef.flags: each vorton, as a line along its strength with the vorton in the middle. All lines
/// have the same length; the colour shows the strength, from blue (0) through green to red (max_strength). A
/// vorton without strength is a grey line along z.
#define VORTON_DRAW_VORTONS 1u

/// VortonDrawDef.flags: the velocity of the field that vorton_world_sample reads, as arrows at the points of
/// a lattice: a shaft and two lines for the head, from blue (0) through green to red (max_speed). Three lines
/// per point; at zero velocity all three degenerate to points.
#define VORTON_DRAW_FIELD 2u

/// VortonDrawDef.flags: the boxes of the meshes that hold the field, 12 lines each: violet for velocity, if
/// it is on a mesh, brown for density and dye.
#define VORTON_DRAW_MESH 4u

/// VortonDrawDef.flags: the solid shapes of bodies, in light grey, those of sleeping bodies half as bright. A
/// box has 12 lines, a sphere three circles of 24, a capsule 100, a cylinder 52, a hull one per edge, a
/// half-space a grid of 10 x 10 cells (22 lines) near the vortons; meshes and height fields have three lines
/// per triangle in that region.
#define VORTON_DRAW_BODIES 8u

/// VortonDrawDef.flags: the holes of containers, drawn as with VORTON_DRAW_BODIES, in orange.
#define VORTON_DRAW_CONTAINERS 16u

/// VortonDrawDef.flags: the contacts of vortons with bodies in the last step, as lines from the surface along
/// its normal into the fluid, in magenta.
#define VORTON_DRAW_CONTACTS 32u

/// VortonDrawDef.flags: kill volumes, in red, and bounding volumes (VORTON_KILL_VOLUME_OUTSIDE), in green: 12
/// lines per box, 72 per sphere.
#define VORTON_DRAW_KILL_VOLUMES 64u

/// VortonDrawDef.flags: the boxes of emitters, in yellow: 12 lines each.
#define VORTON_DRAW_EMITTERS 128u

/// Most points of a lattice of arrows.
#define VORTON_MAX_ARROWS 1048576u

/// Definition of a debug drawing. Fill it with vorton_draw_def_init, then change the fields you need.
typedef struct VortonDrawDef {
    /// sizeof(VortonDrawDef); set by vorton_draw_def_init.
    uint32_t struct_size;
    /// Sum of VORTON_DRAW_... Default: all but VORTON_DRAW_FIELD: arrows need a box.
    uint32_t flags;
    /// Lowest corner of the visible box [m]: vortons and contacts outside it are not drawn, nor are shapes
    /// with bounding spheres outside it. Arrows, meshes, kill volumes and emitters are always drawn. Default:
    /// -FLT_MAX.
    struct VortonVec3 low;
    /// Highest corner of the visible box [m], not below the lowest. Default: FLT_MAX.
    struct VortonVec3 high;
    /// Length of a vorton's line [core radii], positive. Default 1.
    float vorton_length;
    /// Strength drawn in red [m^3/s]; 0: that of the strongest vorton of the world. Default 0.
    float max_strength;
    /// Length of a contact's line [core radii], positive. Default 1.
    float contact_length;
    /// Length of an arrow per speed [s], positive: the arrow shows the displacement of the fluid in that
    /// time. Default 0.1.
    float arrow_length;
    /// Speed drawn in red [m/s]; 0: that of the fastest arrow. Default 0.
    float max_speed;
    /// Arrows along x, each at least 1, at most VORTON_MAX_ARROWS together. Default 8, also for the next two.
    uint32_t arrows_x;
    /// Arrows along y.
    uint32_t arrows_y;
    /// Arrows along z.
    uint32_t arrows_z;
    /// Lowest corner of the box of arrows [m]. Arrows begin at the centres of its cells, as the samples of
    /// VortonVolumeDef. x runs fastest, then y, then z.
    struct VortonVec3 arrows_low;
    /// Highest corner of the box of arrows [m], not below the lowest.
    struct VortonVec3 arrows_high;
    /// Reserved: 0.
    uint32_t reserved;
} VortonDrawDef;

/// A coloured line of a debug view.
typedef struct VortonLine {
    /// Start of the line [m].
    struct VortonVec3 from;
    /// End of the line [m].
    struct VortonVec3 to;
    /// Colour: in memory the bytes red, green, blue, alpha, the R8G8B8A8 of graphics APIs (0xAABBGGRR on
    /// little-endian machines). Alpha is 255.
    uint32_t color;
} VortonLine;

/// Counters of a world, and costs of its last step (of several steps in a frame: the last one). Fill it with
/// vorton_stats_init before the call.
typedef struct VortonStats {
    /// sizeof(VortonStats); set by vorton_stats_init.
    uint32_t struct_size;
    /// Threads that work on a step.
    uint32_t workers;
    /// Steps taken.
    uint64_t steps;
    /// Simulated time [s].
    double time;
    /// Vortons alive, halo vortons included.
    uint64_t vortons;
    /// Tracers alive, in all sets.
    uint64_t tracers;
    /// Vortons that emitters, wakes of bodies and the halo could not add because max_vortons was reached:
    /// raise it. Each attempt counts. Those onto which something would diffuse do not.
    uint64_t not_added;
    /// Vortons removed at max_age.
    uint64_t expired;
    /// Vortons removed because their position, strength, mass or dye had become non-finite: steps were too
    /// long for the flow.
    uint64_t non_finite;
    /// Tracers removed because their position had become non-finite, in all sets.
    uint64_t lost_tracers;
    /// Halo vortons (VORTON_VORTON_HALO) created so far.
    uint64_t halo_born;
    /// Halo vortons removed so far because they were no longer needed.
    uint64_t halo_retired;
    /// Nodes of all meshes in the last step; 0: velocity was summed.
    uint64_t mesh_nodes;
    /// Vortons outside all meshes in the last step, which were summed: correct, but slow where they
    /// are many. If mesh_nodes is close to max_grid_nodes, raise that; otherwise a larger mesh would cost
    /// more.
    uint64_t mesh_outside;
    /// Vortons with mass or dye outside all density boxes in the last step: gravity did not act on them.
    /// Raise max_grid_nodes.
    uint64_t density_outside;
    /// Length of the last step times the largest velocity gradient in it. A fourth-order step (see solves) is
    /// accurate below about 1, a second-order step below about 0.3. Above VORTON_STRETCH_FOLLOWED not even a
    /// fourth-order step follows the flow: take smaller steps, or use vorton_world_advance.
    float stretch_number;
    /// Largest velocity gradient [1/s] at a vorton with strength in the last step, also after a step with dt
    /// 0. A frame of length T needs about T * max_gradient steps, as taken by vorton_world_advance.
    float max_gradient;
    /// Fraction of the last step's baroclinic vorticity source that was lost because no vorton was near
    /// enough to take it: nearly 0 unless max_vortons is reached.
    float baroclinic_lost;
    /// Passes of diffusion in the last step.
    uint32_t diffusion_passes;
    /// Fraction of the last step's diffusion that was carried out: below 1 if it exceeded the limit on the
    /// number of passes.
    float diffused_share;
    /// Milliseconds of the last call that took steps: vorton_world_step, _step_within, or _advance with all
    /// its steps. Includes publishing the field. The stages below are those of the last step.
    float step_ms;
    /// Milliseconds of the last step: emitters.
    float emit_ms;
    /// Milliseconds of the last step: halo creation and removal.
    float halo_ms;
    /// Milliseconds of the last step: velocity solves.
    float velocity_ms;
    /// Milliseconds of the last step: baroclinic vorticity source.
    float baroclinic_ms;
    /// Milliseconds of the last step: advance of positions and strengths.
    float advance_ms;
    /// Milliseconds of the last step: diffusion of vorticity, heat and dye.
    float diffuse_ms;
    /// Milliseconds of the last step: relaxation.
    float relax_ms;
    /// Milliseconds of the last step: bodies.
    float bodies_ms;
    /// Milliseconds of the last step: ageing and removal.
    float remove_ms;
    /// Milliseconds of the last step: tracers, in all sets.
    float tracers_ms;
    /// Viscosity [m^2/s] in the last step: VortonWorldDef.viscosity plus the eddy viscosity of smagorinsky.
    float viscosity;
    /// Number of bodies.
    uint32_t bodies;
    /// Number of shapes, of all bodies.
    uint32_t shapes;
    /// Vortons within VortonWorldDef.shedding_depth of a body in the last step, which took up its shed
    /// vorticity. 0: bodies did not act on the fluid.
    uint32_t body_contacts;
    /// Velocity solves for the motion in the last step: 1 for a multistep, 2 for a corrected multistep
    /// (VortonWorldDef.multistep) and any other second-order step, 4 for a fourth-order step
    /// (VortonWorldDef.fourth_order_above).
    uint32_t solves;
    /// Milliseconds of the last step: removal of energy beyond the budget.
    float energy_ms;
    /// Energy per density [m^5/s^2] of the flow of the vortons and of bodies (their bound vorticity, and the
    /// flow around bodies with VORTON_BODY_NO_THROUGH that move relative to the wind, and in containers that
    /// turn): at the start of the last step, at its midpoint if its start was not solved for (multistep), at
    /// its end if it took four solves; on the fluid's side of half-spaces; 0 without energy_budget. While the
    /// energy is well below the limit of energy_budget, every second multistep does not sum it: this is then
    /// the last sum.
    double energy;
    /// Energy per density [m^5/s^2] that the budget removed in the last step: 0 for flows that the vortons
    /// resolve. If at most 2 % of the energy was removed, this is an estimate from the energy's slope: the
    /// true decrease is a few percent smaller, in noise up to a third smaller; on a mesh some tenths smaller
    /// or larger.
    double energy_removed;
    /// Steps so far in which the budget had to scale down all strengths.
    uint64_t energy_scalings;
    /// Threshold for creating halo vortons in the last step, as a fraction of the strongest baroclinic source
    /// in the neighbourhood: 0.02; more if max_vortons left no room for weaker sources; 0 without baroclinic
    /// vorticity.
    float halo_threshold;
    /// Halo vortons (VORTON_VORTON_HALO) alive.
    uint32_t halo_vortons;
    /// Mesh nodes per core radius in the last step: VortonWorldDef.nodes_per_core, or fewer if that mesh
    /// would have left many vortons outside (VortonWorldDef.max_grid_nodes); 0: velocity was summed.
    float nodes_per_core;
    /// VORTON_QUALITY_...: quality of the last step; below full only with vorton_world_step_within.
    uint32_t quality;
    /// VORTON_TRACERS_...: the quality that the budget allowed for tracers. In steps too long for this
    /// quality they are moved with more samples.
    uint32_t tracer_quality;
    /// Milliseconds that vorton_world_step_within expected for the last step without tracers, as measured by
    /// its budget; 0 for any other step.
    float expected_ms;
    /// Milliseconds expected for tracers in the last step, measured in the same way.
    float expected_tracers_ms;
    /// Vortons with fuel that burned in the last step.
    uint32_t burning;
    /// Number of changes of quality or tracer_quality so far.
    uint64_t quality_changes;
    /// Vortons removed in kill volumes: vorton_world_set_kill_volumes.
    uint64_t killed;
    /// Tracers removed in kill volumes, from all sets.
    uint64_t killed_tracers;
    /// Vortons merged into another because flow along a surface brought both to the same position; their ids
    /// are gone. The remaining vorton, the older one unless it is a halo vorton, has the strength, mass and
    /// dye of both, and the volume of both; of a halo vorton's volume only as much as keeps mass deviation
    /// and dye per volume within those of the two.
    uint64_t merged;
    /// Heat [J] that burnt fuel has released so far.
    double heat_released;
    /// Heat [J] of the fuel left after the last step's combustion, if any could burn.
    double fuel;
    /// Nodes of all boxes of density in the last step with gravity and density that varies.
    uint64_t density_nodes;
} VortonStats;

/// Invariants of an unbounded inviscid flow, without and with bodies. Fill it with vorton_invariants_init
/// before the call, and set flags.
typedef struct VortonInvariants {
    /// sizeof(VortonInvariants); set by vorton_invariants_init.
    uint32_t struct_size;
    /// 0 or VORTON_INVARIANTS_PAIRS.
    uint32_t flags;
    /// Sum of the strengths [m^3/s].
    double total_strength[3];
    /// Half the sum of position x strength [m^4/s]: fluid momentum per density.
    double linear_impulse[3];
    /// A third of the sum of position x (position x strength) [m^5/s].
    double angular_impulse[3];
    /// Sum of the magnitudes of the strengths [m^3/s]: the scale for errors of total_strength.
    double strength_magnitude;
    /// Largest strength [m^3/s].
    double max_strength;
    /// Kinetic energy per density [m^5/s^2] of the vortons without images in half-spaces; 0 without
    /// VORTON_INVARIANTS_PAIRS.
    double energy;
    /// Helicity [m^4/s^2]; 0 without VORTON_INVARIANTS_PAIRS.
    double helicity;
    /// Bound strength of bodies [m^3/s]: the opposite of the strength that vortons gained at their surfaces.
    /// total_strength + bound_strength does not change when bodies and vortons interact, but for errors of
    /// the motion that later steps undo (see owed_impulse).
    double bound_strength[3];
    /// Linear impulse of the bound strength [m^4/s], which moves with the wind, plus that of the fluid moving
    /// with VORTON_BODY_NO_THROUGH bodies, known from their second step on, and that of the next rings in
    /// wakes (VortonBodyDef.drag_coefficient). The sum of density * (linear_impulse + bound_impulse -
    /// owed_impulse), the momentum of your bodies and the impulses not yet taken by
    /// vorton_bodies_take_impulses does not change when bodies and vortons interact. Momentum transferred to
    /// static and kinematic bodies leaves that sum.
    double bound_impulse[3];
    /// Linear impulse [m^4/s] that the vortons have gained by errors of the motion and by the energy budget,
    /// and that later steps take back: a step takes back only what neither disturbs the vortons nor raises
    /// their energy beyond VortonWorldDef.energy_budget. Of a flow that has broken up a part may stay. Lost
    /// by the removal of vortons, in proportion to their strength. Vortons in containers, which take up
    /// impulse, leave theirs as it is. At half-spaces only the part along them counts.
    double owed_impulse[3];
} VortonInvariants;

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonStats)
VORTON_API VortonResult VORTON_CALL vorton_stats_init(struct VortonStats *out, uint32_t struct_size);

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonInvariants)
VORTON_API VortonResult VORTON_CALL vorton_invariants_init(
    struct VortonInvariants *out, uint32_t struct_size);

/// Reads counters and stage times. While another thread steps or changes the world, they are those of the
/// last completed step; before the first step this returns VORTON_ERR_BUSY in that case.
VORTON_API VortonResult VORTON_CALL vorton_world_stats(struct VortonWorldId world, struct VortonStats *inout);

/// Reports how much memory one world has allocated, with everything in it. May be called during a step. Not
/// included are blocks that hold memory ready until a call ends (see VortonAllocateFn), and some KB of each
/// thread of a pool.
VORTON_API VortonResult VORTON_CALL vorton_world_memory(struct VortonWorldId world, struct VortonMemory *out);

/// Computes the invariants of the present vortons and of the strength bound to bodies.
VORTON_API VortonResult VORTON_CALL vorton_world_invariants(
    struct VortonWorldId world, struct VortonInvariants *inout);

/// Fills a definition with the defaults: everything but arrows.
///
/// @param struct_size sizeof(VortonDrawDef)
VORTON_API VortonResult VORTON_CALL vorton_draw_def_init(struct VortonDrawDef *out, uint32_t struct_size);

/// Draws a world as coloured lines, for the debug view of an engine: one call per frame fills a buffer that a
/// line renderer can use directly. The order of the lines: meshes, bodies, containers, kill volumes,
/// emitters, contacts, vortons, arrows of the field.
///
/// Bodies have the poses of vorton_body_read, contacts are those of the last step, and the field is the one
/// that vorton_world_sample reads. A reader: VORTON_ERR_BUSY while another thread changes or steps the world.
/// With VORTON_DRAW_FIELD, VORTON_DRAW_MESH or both, and no other flag, it may run while another thread steps
/// the world. Arrows are sampled by the world's threads, and allocate 12 bytes each if there are more than
/// before. Otherwise it does not allocate.
///
/// @param out       room for capacity lines; may be NULL if capacity is 0
/// @param out_count receives the number of lines, also when they do not fit
/// @return VORTON_NOTE_TRUNCATED if capacity is less than that; `out` then has the first lines. A capacity of
///     0 only returns the count, and is VORTON_OK; it samples nothing
VORTON_API VortonResult VORTON_CALL vorton_world_draw(
    struct VortonWorldId world, const struct VortonDrawDef *def, struct VortonLine *out, size_t capacity,
    size_t *out_count);

/* Snapshots and recordings ------------------------------------------------------------------------------- */

/// Receives the next bytes of a recording: append them to a file or a buffer. Called on the thread of the
/// call that is recorded, before that call returns; never concurrently for one world. Must not call the
/// library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
typedef void (VORTON_CALL *VortonRecordFn)(void *user, const void *bytes, size_t size);

/// Progress of a replay. Fill it with vorton_replay_init; its fields are set by vorton_world_replay.
typedef struct VortonReplay {
    /// sizeof(VortonReplay); set by vorton_replay_init.
    uint32_t struct_size;
    /// 1: no complete call is left. Bytes from `offset` on, if any, belong to a call that was cut.
    uint32_t finished;
    /// Bytes of the recording that have been replayed; 0 (the default) begins.
    uint64_t offset;
    /// Calls made so far, steps included.
    uint64_t calls;
    /// Steps so far: calls of vorton_world_step, _advance or _step_within.
    uint64_t steps;
    /// The first step, counted from 0, after which the hash was another one, or before or in which another
    /// call had another result; UINT64_MAX: none.
    uint64_t diverged_step;
    /// That call, counted from 0; UINT64_MAX: none.
    uint64_t diverged_call;
    /// The function that first had another result, such as "vorton_world_step" for a hash; NULL: none.
    const char *diverged_in;
    /// Recorded hash (vorton_world_hash) after the last step.
    uint64_t expected_hash;
    /// Hash of this world after the last step.
    uint64_t hash;
} VortonReplay;

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
VORTON_API VortonResult VORTON_CALL vorton_world_save(
    struct VortonWorldId world, void *out, size_t capacity, size_t *out_size);

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
VORTON_API VortonResult VORTON_CALL vorton_world_restore(
    struct VortonWorldId world, const void *snapshot, size_t size);

/// Computes a hash of everything that vorton_world_save copies, except user data: equal worlds have equal
/// hashes on any number of threads, and worlds that differ in anything that affects a later step have
/// different hashes. This hash covers the state of emissions, so it differs between worlds of which one has a
/// VORTON_OP_EMIT operation and the other has none. vorton_world_hash is cheaper, and does not depend on
/// tracers. Allocates memory for a snapshot once.
///
/// @return VORTON_ERR_OUT_OF_MEMORY if there is none, or no room below VortonWorldDef.max_memory
VORTON_API VortonResult VORTON_CALL vorton_world_hash_all(struct VortonWorldId world, uint64_t *out);

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
VORTON_API VortonResult VORTON_CALL vorton_world_record(
    struct VortonWorldId world, VortonRecordFn write, void *user);

/// Fills the struct for the beginning of a replay.
///
/// @param struct_size sizeof(VortonReplay)
VORTON_API VortonResult VORTON_CALL vorton_replay_init(struct VortonReplay *out, uint32_t struct_size);

/// Sets a world definition to that of a recorded world, so that a world for the replay can be created. Keeps
/// the fields on which results do not depend: threads and worker_count, instructions, and the host's
/// functions with their pointers.
///
/// @param recording the bytes of a recording, from the beginning
/// @param size      their number
/// @param inout     a definition from vorton_world_def_init
/// @return VORTON_ERR_RECORDING if the bytes are damaged, cut before the first call, or from another version
///     of the library
VORTON_API VortonResult VORTON_CALL vorton_replay_world_def(
    const void *recording, size_t size, struct VortonWorldDef *inout);

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
VORTON_API VortonResult VORTON_CALL vorton_world_replay(
    struct VortonWorldId world, const void *recording, size_t size, struct VortonReplay *inout);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif  /* VORTON_H */

#ifndef VORTON_DEFAULTS_H
#define VORTON_DEFAULTS_H
/* Definitions by value, filled with the defaults. Inline: compiled by the caller, so that no struct that may
 * grow is ever returned across the library boundary. */
#ifdef __cplusplus
# define VORTON_INLINE inline
#else
# define VORTON_INLINE static inline
#endif
VORTON_INLINE VortonWorldDef vorton_default_world_def(void) {
    VortonWorldDef def;
    const uint32_t size = sizeof def;
    if (vorton_world_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonBudget vorton_default_budget(void) {
    VortonBudget budget;
    const uint32_t size = sizeof budget;
    if (vorton_budget_init(&budget, size) != VORTON_OK) {
        budget.struct_size = 0; /* refused by every function */
    }
    return budget;
}
VORTON_INLINE VortonVolumeDef vorton_default_volume_def(void) {
    VortonVolumeDef def;
    const uint32_t size = sizeof def;
    if (vorton_volume_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonDrawDef vorton_default_draw_def(void) {
    VortonDrawDef def;
    const uint32_t size = sizeof def;
    if (vorton_draw_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonSurroundDef vorton_default_surround_def(void) {
    VortonSurroundDef def;
    const uint32_t size = sizeof def;
    if (vorton_surround_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonInitialDef vorton_default_initial_def(uint32_t type) {
    VortonInitialDef def;
    const uint32_t size = sizeof def;
    if (vorton_initial_def_init(&def, size, type) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonEmitterDef vorton_default_emitter_def(void) {
    VortonEmitterDef def;
    const uint32_t size = sizeof def;
    if (vorton_emitter_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonTracersDef vorton_default_tracers_def(void) {
    VortonTracersDef def;
    const uint32_t size = sizeof def;
    if (vorton_tracers_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonImpliedDef vorton_default_implied_def(void) {
    VortonImpliedDef def;
    const uint32_t size = sizeof def;
    if (vorton_implied_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonPresetDef vorton_default_preset_def(uint32_t type) {
    VortonPresetDef def;
    const uint32_t size = sizeof def;
    if (vorton_preset_def_init(&def, size, type) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonBodyDef vorton_default_body_def(void) {
    VortonBodyDef def;
    const uint32_t size = sizeof def;
    if (vorton_body_def_init(&def, size) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonShapeDef vorton_default_shape_def(uint32_t type) {
    VortonShapeDef def;
    const uint32_t size = sizeof def;
    if (vorton_shape_def_init(&def, size, type) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonOpDef vorton_default_op_def(uint32_t type) {
    VortonOpDef def;
    const uint32_t size = sizeof def;
    if (vorton_op_def_init(&def, size, type) != VORTON_OK) {
        def.struct_size = 0; /* refused by every function */
    }
    return def;
}
VORTON_INLINE VortonMemory vorton_default_memory(void) {
    VortonMemory memory;
    const uint32_t size = sizeof memory;
    if (vorton_memory_init(&memory, size) != VORTON_OK) {
        memory.struct_size = 0; /* refused by every function */
    }
    return memory;
}
VORTON_INLINE VortonParticleView vorton_default_particle_view(void) {
    VortonParticleView view;
    const uint32_t size = sizeof view;
    if (vorton_particle_view_init(&view, size) != VORTON_OK) {
        view.struct_size = 0; /* refused by every function */
    }
    return view;
}
VORTON_INLINE VortonOpResult vorton_default_op_result(void) {
    VortonOpResult result;
    const uint32_t size = sizeof result;
    if (vorton_op_result_init(&result, size) != VORTON_OK) {
        result.struct_size = 0; /* refused by every function */
    }
    return result;
}
VORTON_INLINE VortonReplay vorton_default_replay(void) {
    VortonReplay replay;
    const uint32_t size = sizeof replay;
    if (vorton_replay_init(&replay, size) != VORTON_OK) {
        replay.struct_size = 0; /* refused by every function */
    }
    return replay;
}
VORTON_INLINE VortonStats vorton_default_stats(void) {
    VortonStats stats;
    const uint32_t size = sizeof stats;
    if (vorton_stats_init(&stats, size) != VORTON_OK) {
        stats.struct_size = 0; /* refused by every function */
    }
    return stats;
}
VORTON_INLINE VortonInvariants vorton_default_invariants(void) {
    VortonInvariants invariants;
    const uint32_t size = sizeof invariants;
    if (vorton_invariants_init(&invariants, size) != VORTON_OK) {
        invariants.struct_size = 0; /* refused by every function */
    }
    return invariants;
}
VORTON_INLINE VortonKillVolume vorton_default_kill_volume(void) {
    VortonKillVolume volume;
    volume.type = VORTON_KILL_VOLUME_BOX;
    volume.flags = 0;
    volume.position.x = volume.position.y = volume.position.z = 0.0f;
    volume.rotation.x = volume.rotation.y = volume.rotation.z = 0.0f;
    volume.rotation.w = 1.0f;
    volume.half_extents.x = volume.half_extents.y = volume.half_extents.z = 0.5f;
    volume.radius = 0.5f;
    return volume;
}
#endif
