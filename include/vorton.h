/*
 * vorton.h - smoke, dye and heat that move: a vortex-particle fluid for games. C99 and later, C++11 and
 * later.
 *
 * Generated from fluid-ffi; do not edit. MIT OR Apache-2.0.
 *
 * A smoke ring travels, and moves whatever asks it:
 *
 *     VortonWorldDef def = vorton_default_world_def();
 *     VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
 *     VortonWorldId world;
 *     float point[3] = {0, 0, 1}, velocity[3];
 *     def.core_radius = 0.2f;
 *     if (vorton_world_create(&def, &world) < 0) return 1;
 *     vorton_add_initial(world, &ring, NULL, NULL);
 *     vorton_world_step(world, 1.0f / 60.0f);
 *     vorton_sample(world, VORTON_SAMPLE_VELOCITY, point, sizeof point, velocity, sizeof velocity, 1);
 *     vorton_world_destroy(world);
 *
 * Conventions
 * - Every function that can fail returns VortonResult: 0 done, positive done with a note, negative failed and
 *   nothing changed. vorton_last_error has a sentence about this thread's last failure. Failed: result < 0.
 *   Numbers without a name are kept for later versions.
 * - Bodies are your physics engine's: it moves them, the fluid pushes them. A frame of dt seconds goes:
 *     1. vorton_bodies_set_states     where the engine's bodies are now, and how fast they move
 *     2. vorton_world_step(dt)        they move on with these velocities, and the fluid with them
 *     3. vorton_bodies_take_impulses  velocity += linear / mass, angular velocity += I^-1 angular
 *     4. the engine's own step of dt  with its gravity, contacts and joints
 *   Several steps of the fluid in one of the engine: repeat 2, or let vorton_world_advance find how many it
 *   takes; bodies go on by themselves, impulses add up until they are taken.
 *   Bodies that the engine puts to sleep: vorton_body_set_awake.
 *   Positions are those of the centre of mass, rotations turn the body's axes into the world's, angular
 *   velocity and angular impulse are in the world's axes.
 *   What impulses do not move (static, kinematic, animated) has mass 0 here, or the fluid counts on its
 *   giving way. Weight is the engine's; lift (Archimedes) is in the impulses once VortonWorldDef.gravity is
 *   the engine's gravity. Vortons never push a body faster than the fluid goes, however light it is: it gets
 *   the rest later. Lift is not held back, and the fluid around has no inertia of its own for it (added
 *   mass): what is much lighter than fluid shoots up at (fluid density / body density - 1) * gravity.
 *   Bodies stir the fluid by the vortons at their surfaces, and make none: where there are no vortons,
 *   nothing happens. Surround bodies with vorton_bodies_surround, fill the places through which they move
 *   with VORTON_INITIAL_NOISE of a small amplitude, or let an emitter feed them.
 * - Units are consistent: metres, kilograms, seconds, kelvins and radians unless you prefer others.
 *   Right-handed, any axis may be up. Positions are float: keep them within some ten thousand core radii of
 *   the origin.
 * - Structs begin with struct_size. Fill one with its vorton_..._init, or get it filled from its
 *   vorton_default_..., then change what you need.
 * - Ids are 8 bytes, by value. Zeroed memory is the null id; an id that outlived its object is
 *   VORTON_ERR_STALE_ID.
 * - Any thread may call anything. Per world there are many readers or one writer at a time; a clash is
 *   VORTON_ERR_BUSY and does no harm. Operations on particles and samples read the field of the last
 *   completed step, so they may run while another thread steps the world; so may creating and changing
 *   operations, conversions between temperature and density, drawing the field alone, statistics and hash as
 *   of the last completed step, and reading and acquiring tracers that are readable during steps. Readers:
 *   ..._read, _stats, _invariants, _hash, _hash_all, _is_awake, _draw, _def, lists of ids, and _user_data of
 *   emitters and tracers. Writers: everything else that takes a world, but for what is named in the sentence
 *   before the last, vorton_tracers_release, ..._is_valid, _number and the other _user_data, which wait for
 *   nothing.
 * - Pointers are checked for NULL and alignment in every build. A pointer may be NULL only where its function
 *   says so. Numbers that are not finite are refused; in arrays of particles such elements are skipped and
 *   counted. Steps, speeds and spins have bounds (VORTON_MAX_...) far beyond any use. Whatever finite numbers
 *   go in, no NaN and no infinity comes out: what grows beyond float is removed or skipped, and counted, or
 *   becomes the largest float.
 * - Density is that of the ambient plus the deviation that vortons carry (mass_deviation). Gravity turns its
 *   differences into vorticity: heavy fluid sinks, light fluid rises. Heat is light fluid: temperature and
 *   density stand for each other.
 * - The same calls give the same bits for any number of threads, whatever the host's floating-point mode.
 * - fork(): a child process has no threads of VORTON_THREADS_POOL; its worlds go on serially, with the same
 *   bits. Fork while no other thread is inside of a call, or what that call had locked stays so in the child.
 * - Nothing unwinds or aborts into the host: an internal error is VORTON_ERR_PANIC and stops that world only.
 *   Only running out of memory ends the process, as Rust's allocator does.
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

/* A rate [1/s] so large that the change is complete within any step: VortonOpDef.rate,
   VortonWorldDef.no_slip_rate. */
#define VORTON_RATE_AT_ONCE 3.402823466e+38f

/* Longest step [s], in either direction of time, of vorton_world_step, vorton_world_step_within,
   vorton_world_advance and vorton_ops_run. */
#define VORTON_MAX_STEP 1e7f

/* Largest speed [m/s] of the wind: VortonWorldDef.wind, vorton_world_set_wind. */
#define VORTON_MAX_SPEED 1e10f

/* Largest speed [m/s] of a body. */
#define VORTON_MAX_BODY_SPEED 1e6f

/* Largest coordinate [m] of a body's position. */
#define VORTON_MAX_COORDINATE 1e9f

/* Largest VortonWorldDef.gravity [m/s^2]. */
#define VORTON_MAX_GRAVITY 1e12f

/* Largest angular velocity [rad/s] of a body. */
#define VORTON_MAX_SPIN 1e6f

/* VortonStats.stretch_number above which a step was too coarse for its flow: VORTON_NOTE_TOO_COARSE. (1 in
 * steps of second order, which are that long only if VortonWorldDef.fourth_order_above says so.) */
#define VORTON_STRETCH_FOLLOWED 2.0f

/* For vorton_check_abi. */
#define VORTON_HEADER_VERSION \
    ((VORTON_VERSION_MAJOR + 0u) << 24 | (VORTON_VERSION_MINOR + 0u) << 16 | (VORTON_VERSION_PATCH + 0u) << 8)


/// Done.
#define VORTON_OK 0

/// Done, but a list was too short for all results; the count tells how many there are.
#define VORTON_NOTE_TRUNCATED 1

/// Done, but elements that were not finite were left untouched; the count tells how many.
#define VORTON_NOTE_SKIPPED_NONFINITE 3

/// Done, but a step was too coarse for the flow: VortonStats.stretch_number was above
/// VORTON_STRETCH_FOLLOWED, and growth that the step could not follow was held back. Or vorton_world_advance
/// would have needed more than max_steps steps. Nothing is lost but accuracy.
#define VORTON_NOTE_TOO_COARSE 4

/// A required pointer is NULL.
#define VORTON_ERR_NULL -1

/// A struct_size is smaller than any version of the struct, or larger with an unknown tail that is not zero.
#define VORTON_ERR_STRUCT_SIZE -2

/// A value is out of its range, a reserved field is not 0, or a pointer is not aligned.
#define VORTON_ERR_BAD_VALUE -3

/// A value is NaN or infinite.
#define VORTON_ERR_NOT_FINITE -4

/// The id is null, or what it named has been destroyed.
#define VORTON_ERR_STALE_ID -5

/// The id belongs to another world.
#define VORTON_ERR_WRONG_WORLD -6

/// Another thread is writing to this world (or reading it, for a call that writes), or a callback called back
/// in.
#define VORTON_ERR_BUSY -7

/// No room: max_vortons, a capacity, VORTON_MAX_WORLDS or VORTON_MAX_OBJECTS.
#define VORTON_ERR_CAPACITY -8

/// The buffer is too small; the count tells the size needed.
#define VORTON_ERR_BUFFER_SMALL -10

/// A stream of a particle view is malformed: format, stride, alignment, overlap, table or index list.
#define VORTON_ERR_BAD_STREAM -11

/// An operation needs a stream that the view does not have.
#define VORTON_ERR_MISSING_STREAM -12

/// Bytes are not a snapshot that this world can be restored from.
#define VORTON_ERR_SNAPSHOT -13

/// This machine or build cannot do it.
#define VORTON_ERR_UNSUPPORTED -14

/// Header and library do not fit together.
#define VORTON_ERR_ABI -15

/// It had to be called before: see the function.
#define VORTON_ERR_TOO_LATE -16

/// There is no memory for what was asked for.
#define VORTON_ERR_OUT_OF_MEMORY -17

/// An earlier internal error has stopped this world; only destroying it and reading its last field are left.
#define VORTON_ERR_POISONED -98

/// An internal error was caught. The world it happened in is poisoned.
#define VORTON_ERR_PANIC -99

/// Something failed.
#define VORTON_LOG_ERROR 3

/// Something was skipped, cut or counted.
#define VORTON_LOG_WARNING 2

/// For information.
#define VORTON_LOG_INFO 1

/// Goes up with any change of layout, value or signature that an old program would notice.
#define VORTON_ABI_VERSION 4

/// Version of this header.
#define VORTON_VERSION_MAJOR 0

/// Version of this header.
#define VORTON_VERSION_MINOR 3

/// Version of this header.
#define VORTON_VERSION_PATCH 0

/// Everything on the calling thread.
#define VORTON_THREADS_SERIAL 0

/// A pool of threads that the world owns. Results are the same bits as with VORTON_THREADS_SERIAL.
#define VORTON_THREADS_POOL 1

/// The host's job system, reached by VortonWorldDef.enqueue_task and finish_task; the library starts no
/// thread. The thread that makes a step works on it from its start to its end, and tasks that the host runs
/// meanwhile help. Results are the same bits, whenever and wherever the host runs tasks, if at all.
#define VORTON_THREADS_HOST 2

/// One pool for all worlds with VORTON_THREADS_SHARED_POOL. The first such world makes it, with its
/// worker_count and its callbacks; its threads end with the last one. Worlds may be stepped at the same time.
#define VORTON_THREADS_SHARED_POOL 3

/// High-order algebraic core (Winckelmans and Leonard 1993), far field exact to (core/r)^4. The default.
#define VORTON_KERNEL_WINCKELMANS_LEONARD 0

/// Rosenhead-Moore (Plummer) core, far field exact to (core/r)^2.
#define VORTON_KERNEL_ROSENHEAD_MOORE 1

/// The articles' core: rigid rotation inside, singular outside. Not smooth.
#define VORTON_KERNEL_RIGID_CORE 2

/// IEEE arithmetic: the same bits on every instruction set. The default.
#define VORTON_PRECISION_EXACT 0

/// Reciprocal square root estimates and fused multiply-add: faster, bits depend on the processor.
#define VORTON_PRECISION_FAST 1

/// The widest instructions that the processor has. The default.
#define VORTON_INSTRUCTIONS_AUTO 0

/// What every processor of the target has.
#define VORTON_INSTRUCTIONS_PORTABLE 1

/// 256-bit vectors (x86-64).
#define VORTON_INSTRUCTIONS_AVX2 2

/// 512-bit vectors (x86-64).
#define VORTON_INSTRUCTIONS_AVX512 3

/// VORTON_SOLVER_DIRECT or VORTON_SOLVER_MESH, whichever costs less for the vortons there are. Chosen from
/// their number and places alone, so the same on every machine and with any number of tracers. The default.
#define VORTON_SOLVER_AUTO 0

/// Every vorton acts on every other: exact, time grows with the square of their number. Best below about a
/// thousand.
#define VORTON_SOLVER_DIRECT 1

/// A mesh that follows the vortons: time grows with their number and the volume that they span. Within about
/// 1 % of VORTON_SOLVER_DIRECT at the vortons (see nodes_per_core).
#define VORTON_SOLVER_MESH 2

/// VortonWorldDef.walls: density beside the walls of containers (VORTON_SHAPE_HOLE) is that of the fluid
/// there, and gravity is felt less the container's acceleration: what is at rest stays so.
#define VORTON_WALLS_BALANCED 0

/// Nodes around vortons that hit walls in the last step lose the part of the density's gradient across these
/// walls, as in part 14 of the articles. This and the next two are there to be compared with.
#define VORTON_WALLS_POISONED_BY_HITS 1

/// Nodes inside of walls lose it, as in part 14 of the articles.
#define VORTON_WALLS_POISONED_BY_NODES 2

/// Nothing is done: fluid streams along walls for ever.
#define VORTON_WALLS_UNTREATED 3

/// Between the nodes of the mesh, tracers, operations and samples blend 8 nodes: fastest, within a few
/// percent. The default.
#define VORTON_SAMPLING_TRILINEAR 0

/// They blend 27 nodes: within about a percent, and the gradient is continuous, too. Two to three times the
/// cost for each tracer.
#define VORTON_SAMPLING_QUADRATIC_SPLINE 1

/// A budget counts vortons, pairs, nodes, solves and samples, each at a fixed cost on one core of about 3
/// GHz: decisions and results are the same on every machine and with any number of threads, fit for lockstep.
/// What bodies cost is not counted. The default.
#define VORTON_MEASURE_COUNTED 0

/// A budget goes by the clock: the time that the stages of the last two steps took, on all threads of the
/// world together, bodies included. Results cannot be repeated.
#define VORTON_MEASURE_CLOCK 1

/// VortonStats.quality: as VortonWorldDef says.
#define VORTON_QUALITY_FULL 0

/// One velocity solve a step up to a stretch number of 0.6 instead of 0.5, two up to 1 instead of 0.8.
#define VORTON_QUALITY_FEWER_SOLVES 1

/// And nodes of the mesh 1.5 times as far apart, but not further than a core radius.
#define VORTON_QUALITY_COARSE_MESH 2

/// VortonStats.tracer_quality: one sample of the field for each tracer in a step, where its last velocities
/// lead; two where steps are long for the flow, or not as long as the last one.
#define VORTON_TRACERS_FULL 0

/// A mesh that only tracers read has nodes 1.5 times as far apart.
#define VORTON_TRACERS_COARSE_MESH 1

/// One sample in every second step, half of the tracers in turns; in the other step a tracer goes on as
/// before. Those in turbulence (VortonTracersDef.turbulence) are sampled in each step.
#define VORTON_TRACERS_EVERY_SECOND_STEP 2

/// Most worlds at a time.
#define VORTON_MAX_WORLDS 1024

/// Most emitters, operations, sets of tracers, bodies and shapes of one world at a time, each.
#define VORTON_MAX_OBJECTS 65535

/// Density times temperature is constant: warm air. The default.
#define VORTON_IDEAL_GAS 0

/// Density falls by `expansion` times ambient_density per kelvin: liquids.
#define VORTON_LINEAR_EXPANSION 1

/// The ambient has the same density everywhere. The default.
#define VORTON_STRATIFICATION_NONE 0

/// Density changes by density_gradient per metre; it is ambient_density at the origin that the world was
/// created with (vorton_world_shift_origin).
#define VORTON_STRATIFICATION_LINEAR 1

/// Two layers with a smooth interface (tanh).
#define VORTON_STRATIFICATION_LAYERS 2

/// Bit of VortonVorton.flags: the fluid made this vorton, to take up vorticity where density varies, or what
/// diffuses to where there was none. It is born without strength, mass and dye, and goes when it is of no
/// use. Read only: vorton_vortons_add ignores it.
#define VORTON_VORTON_HALO 1

/// A smoke ring with a core of finite thickness: vorticity falls off as (1 + cos(pi c / thickness)) / 2 with
/// the distance c from the circle; with the peak w, circulation = w thickness^2 (pi/2 - 2/pi). Uses centre,
/// axis, radius, thickness, circulation, spacing.
#define VORTON_INITIAL_RING 1

/// A thin ring of `count` vortons on a circle. Uses centre, axis, radius, circulation, count.
#define VORTON_INITIAL_FILAMENT_RING 2

/// A slug of fluid that rolls up into a ring. Uses centre, axis, radius, thickness, circulation, spacing.
#define VORTON_INITIAL_JET 3

/// A straight vortex. Uses centre, axis, radius, length, circulation, variation, wave_number, spacing.
#define VORTON_INITIAL_TUBE 4

/// A shear layer. Uses centre, axis (its normal), direction (of the vorticity), thickness, length (along
/// direction), width, velocity_jump, variation, spacing.
#define VORTON_INITIAL_SHEET 5

/// A box of vortons with random vorticity and no total strength. A small amplitude makes fluid at rest that
/// bodies can stir. Uses centre, extent, spacing, amplitude, seed.
#define VORTON_INITIAL_NOISE 6

/// A ball of heavier or lighter fluid with a sharp edge. Gravity sinks or raises it. Uses centre, radius,
/// density_deviation, dye, spacing.
#define VORTON_INITIAL_DENSITY_BALL 7

/// A drop without an edge: its density falls off as a Gaussian of standard deviation `radius` (at least the
/// world's core_radius), which a lattice resolves best. Uses centre, radius, density_deviation (in the
/// middle), dye, spacing.
#define VORTON_INITIAL_DENSITY_DROP 8

/// A box of heavier or lighter fluid. Uses centre, extent, density_deviation, dye, spacing.
#define VORTON_INITIAL_DENSITY_BOX 9

/// The tracers' values stay what they were given. The default.
#define VORTON_SHOW_NONE 0

/// Bit of VortonBodyDef.flags: the body's own weight (mass * VortonWorldDef.gravity) is part of the impulses,
/// too. For hosts without gravity of their own; with an engine's it would count twice.
#define VORTON_BODY_WEIGHT 1

/// Bit of VortonBodyDef.flags: no lift by the weight of the fluid that the body displaces. Not together with
/// VORTON_BODY_WEIGHT.
#define VORTON_BODY_NO_BUOYANT_FORCE 2

/// Bit of VortonBodyDef.flags: the kinetic energy that body and fluid lose by friction
/// (VortonBodyImpulse.lost_energy) warms the body.
#define VORTON_BODY_FRICTION_WARMS 4

/// Bit of VortonBodyDef.flags: no fluid goes through the body's surface, whether or not vortons touch it, and
/// the body moves the fluid around it: fluid makes way for it and closes behind it, and its added mass holds
/// it back, so that light bodies rise and fall as they do in water. Impulses contain it; hosts do nothing for
/// it. Where vortons touch the body, fluid sticks to it: it is braked, sheds a wake and turns fluid with it;
/// where there are none, fluid slides along. Each shape that the body is given takes 2 to 220 ms then,
/// unless another body of the world has the same shapes, and each step up to 2,048 more sources: switch it on
/// for the bodies that are large against the core radius. Without effect on bodies with holes, on
/// half-spaces, and on bodies of more than 30 shapes or so. A body that moves by more than half of its size,
/// or turns by more than a third of a radian, in a step feels less of the flow of others.
#define VORTON_BODY_NO_THROUGH 8

/// A ball about the shape's origin: `radius`.
#define VORTON_SHAPE_SPHERE 1

/// A box about the shape's origin, edges along its axes: `half_extents`.
#define VORTON_SHAPE_BOX 2

/// A capsule about the shape's origin, along its z axis: `radius`, and `half_height` of the straight part
/// between the two half balls.
#define VORTON_SHAPE_CAPSULE 3

/// The convex hull of `points`: a mesh's vertices, say. Points inside of the hull do no harm.
#define VORTON_SHAPE_HULL 4

/// The convex solid on the inner sides of all `planes`.
#define VORTON_SHAPE_PLANES 5

/// Everything below the plane z = 0 of the shape's axes: a floor, a water bed, a large wall. Turn the shape
/// or its body to make a wall of it; fluid is on the side of +z. No size is used.
///
/// Nothing flows through it: each vorton has a mirror image, so the flow is exact up to the surface, for
/// vortons of any size. Fluid slides along it without friction and without heat transfer. Vortons, tracers
/// and particles of yours stay above it.
///
/// It is the only shape of its body, whose mass is 0 and whose angular velocity is 0; a hole it cannot be. It
/// displaces nothing and takes no impulses from the fluid. A world may have up to three, at right angles to
/// each other (floor and corner), and turn one only while there is no other. Others are refused.
///
/// A body that moves it (a lift) moves the mirror, and what is in the way is pushed out. The fluid above does
/// not feel its velocity: in fluid without end a floor that rises would lift all of it. Wind blows as it is
/// told, through the surface as well: let it blow along. Viscosity does not cross the surface.
///
/// Where vortons are near it costs a second copy of them, and each further half-space doubles that: a step
/// takes about twice as long, on the mesh up to three times, because its box holds both. Where the vortons
/// would induce less than 1 % of the largest speed of a vorton at the surface, the images are left out, and
/// a half-space costs nothing: from about seven radii above it on for a ring. The first step with it takes
/// memory for the images.
#define VORTON_SHAPE_HALF_SPACE 6

/// `triangles` between `points`: static level geometry, of any form, anywhere. Points with the same
/// coordinates are one; triangles without an area are left out. Making it takes about half a microsecond for
/// each triangle.
///
/// Where the surface is closed (each edge belongs to two triangles, wound in opposite directions), what is
/// behind its triangles is solid: fluid is where these are seen counterclockwise. So a rock is solid inside
/// and a cave outside. Any other surface is a thin wall with fluid on both sides, whatever its winding.
/// Nothing passes it, but where heavy or light fluid lies at one side, halo (VORTON_VORTON_HALO) may be born
/// at the other.
///
/// The mass of its body is 0; other shapes of that body may be solids that are no half-spaces. Body and mesh
/// may be moved, and sweep out what is in their way; while it stands still, what it costs is that of the
/// triangles near the fluid. It displaces nothing, exchanges no heat, and takes impulses.
///
/// Vortons, tracers and particles of yours stay on their side of it; fluid sticks to it where vortons touch
/// it. VORTON_BODY_NO_THROUGH does nothing: elsewhere the flow goes through, as it does by default through
/// other bodies. For a flat floor or wall VORTON_SHAPE_HALF_SPACE is exact.
#define VORTON_SHAPE_MESH 7

/// Ground under `heights` along z: the sample in column i and row j is at x = i spacing[0], y = j spacing[1]
/// of the shape's axes; turn the shape or its body where y is up. The cell between four samples is two
/// triangles, whose common edge goes from sample (i, j) to (i + 1, j + 1). What is below is solid, to any
/// depth; beside the outermost samples there is nothing. All else is as with VORTON_SHAPE_MESH; it takes a
/// tenth of the memory.
#define VORTON_SHAPE_HEIGHT_FIELD 8

/// A cylinder about the shape's origin, along its z axis: `radius`, and `half_height`, half the distance of
/// its flat ends, positive. As a hole, its walls act where vortons touch them. With VORTON_BODY_NO_THROUGH a
/// prism of the same volume stands for it.
#define VORTON_SHAPE_CYLINDER 9

/// Bit of VortonShapeDef.flags: the shape is a hole: fluid is inside of it, and solid around it (a tank, a
/// bottle). What is in it when a step begins stays in it, however the body moves; what is outside is left
/// alone. Several holes of a body that overlap are one room.
///
/// The walls of a body that is one hole, and nothing else, hold flow: fluid goes along them, whether or not
/// vortons touch them, and vortex lines that end there go on as in a mirror. With VortonWorldDef.viscosity
/// they drag fluid along, where vortons with a volume are near. What fills the hole has inertia, and, without
/// VORTON_BODY_NO_BUOYANT_FORCE, weight: impulses contain both, so the engine's body is the shell alone, of
/// any mass. That takes 0.1 to 0.9 s for each shape that the body is given, and up to 2,048 sources in each
/// step in which something turns in the hole. Holes larger than some 20 core radii or less than 2.5 across,
/// and bodies of several shapes with a hole, do without: their walls act where vortons touch them, and the
/// weight and the inertia of what is in them are the engine's. So are those of a hole that is nearer than two
/// core radii to another such hole, or has more than a quarter of its height in a half-space, for that time.
/// A tank may stand on a half-space, and sink in a little: what is in it has no images there.
#define VORTON_SHAPE_HOLE 1

/// Bit of VortonShapeDef.flags, of meshes and height fields: snapshots (vorton_world_save) have a hash of its
/// points, triangles or heights instead of these, which a host has anyway. The world that restores such a
/// snapshot must have a body with the same level geometry, created with this flag; else vorton_world_restore
/// answers VORTON_ERR_SNAPSHOT. That holds for a level that has been destroyed, too.
#define VORTON_SHAPE_SAVED_BY_HASH 2

/// Most points or planes that VORTON_SHAPE_HULL or _PLANES may be made from.
#define VORTON_MAX_HULL_POINTS 4096

/// Most faces that the solid may have: triangles and polygons of the hull, or planes that bound the solid.
#define VORTON_MAX_HULL_FACES 256

/// Most triangles of a VORTON_SHAPE_MESH.
#define VORTON_MAX_MESH_TRIANGLES 1048576

/// Most points of a VORTON_SHAPE_MESH.
#define VORTON_MAX_MESH_VERTICES 3145728

/// Most columns, and most rows, of a VORTON_SHAPE_HEIGHT_FIELD.
#define VORTON_MAX_HEIGHT_FIELD_SAMPLES 4097

/// A slightly uneven smoke ring that travels along +z at about .3 sqrt(g scale), g being 9.81 m/s^2. scale:
/// the radius of the ring, 1 m. Tracers of its core have the second tag.
#define VORTON_PRESET_SMOKE_RING 1

/// Hot gas that rises from a square for as long as its emitter lives. scale: the edge of the square, .5 m.
/// strength multiplies the density deviation, -20 % of the ambient's.
#define VORTON_PRESET_CAMPFIRE 2

/// A flame thrown along +z from a nozzle, for as long as its emitter lives. scale: the length of the flame,
/// 1 m; strength multiplies the speed of the jet, sqrt(g scale).
#define VORTON_PRESET_TORCH 3

/// A ball of hot gas that rises and becomes a mushroom. scale: its radius, 2 m. strength multiplies the
/// density deviation, -20 % of the ambient's. It pushes no fluid outwards: that of a blast is not simulated.
#define VORTON_PRESET_EXPLOSION 4

/// Air pressed out under something that lands, and the dust that it lifts: a vortex ring that falls along -z
/// on the floor at z = 0, which a body or half-space of yours has to be. scale: the radius of the dust, .8 m.
#define VORTON_PRESET_DUST_PUFF 5

/// A drop of heavy dye that falls, becomes a ring and tears. scale: its radius, 1 m. strength multiplies the
/// density deviation, 20 % of the ambient's.
#define VORTON_PRESET_INK_DROP 6

/// Air that spins and rises along +z from a floor, for as long as its emitters live. scale: its height, 6 m.
/// Tracers of the dust around its foot have the second tag.
#define VORTON_PRESET_TORNADO 7

/// The trailing vortices of a wing that has flown along +x, eight spans long; they sink along -z at about
/// .1 sqrt(g scale). scale: the distance of the vortices, 2 m.
#define VORTON_PRESET_WAKE 8

/// A ball of fluid with flakes at its bottom, in a container to be shaken: a body of mass 0, which you move.
/// scale: its inner radius, 1 m. strength multiplies the weight of the flakes' fluid, 6 % of the ambient's.
#define VORTON_PRESET_SNOW_GLOBE 9

/// Emitters of a preset, at most.
#define VORTON_PRESET_EMITTERS 2

/// VortonKillVolume.type: a box of half_extents, turned by rotation.
#define VORTON_KILL_VOLUME_BOX 0

/// VortonKillVolume.type: a ball of radius.
#define VORTON_KILL_VOLUME_SPHERE 1

/// VortonKillVolume.flags: the volume is one of those that bound the world. What is in none of them is
/// removed; what is in one of them stays, unless a volume without this flag removes it.
#define VORTON_KILL_VOLUME_OUTSIDE 1

/// Most volumes of a world.
#define VORTON_MAX_KILL_VOLUMES 256

/// Velocity [m/s], wind included.
#define VORTON_SAMPLE_VELOCITY 1

/// Vorticity [1/s], the curl of the velocity.
#define VORTON_SAMPLE_VORTICITY 2

/// Density [kg/m^3]: the ambient's and the vortons' deviation.
#define VORTON_SAMPLE_DENSITY 3

/// Density minus that of the ambient at the same place [kg/m^3]: what sinks is positive, what rises negative.
#define VORTON_SAMPLE_DENSITY_DEVIATION 4

/// Temperature [K], from density by the world's equation of state.
#define VORTON_SAMPLE_TEMPERATURE 5

/// Concentration of dye: 1 inside a dyed body of fluid, 0 outside.
#define VORTON_SAMPLE_DYE 6

/// Each number of a texel is a float.
#define VORTON_TEXEL_F32 1

/// Each number of a texel is a half (IEEE 754 binary16), rounded to the nearest; what is beyond its range is
/// its largest value, 65504.
#define VORTON_TEXEL_F16 2

/// VortonDrawDef.flags: each vorton, as a line along its strength with the vorton in the middle. All are
/// equally long; strength is told by the colour, from blue (none) over green to red (max_strength). A vorton
/// without strength is a grey line along z.
#define VORTON_DRAW_VORTONS 1

/// VortonDrawDef.flags: the velocity of the field that vorton_sample reads, as arrows at the points of a
/// lattice: a shaft and two lines of a head, from blue (0) over green to red (max_speed). Three lines for
/// each point; where nothing flows all three are points.
#define VORTON_DRAW_FIELD 2

/// VortonDrawDef.flags: the boxes of the meshes that hold the field, 12 lines each: violet that of the
/// velocity, if it is on a mesh, brown those of density and dye.
#define VORTON_DRAW_MESH 4

/// VortonDrawDef.flags: the solid shapes of bodies, in light grey, those of sleeping bodies half as bright.
/// 12 edges of a box, three circles of 24 lines of a sphere, 100 lines of a capsule, 52 of a cylinder, the
/// edges of a hull, and of a half-space a grid of 10 x 10 cells (22 lines) near the vortons; of meshes and
/// height fields three lines of each triangle there.
#define VORTON_DRAW_BODIES 8

/// VortonDrawDef.flags: the holes of containers, as VORTON_DRAW_BODIES, in orange.
#define VORTON_DRAW_CONTAINERS 16

/// VortonDrawDef.flags: where vortons touched bodies in the last step: lines from the surface along its
/// normal, into the fluid, in magenta.
#define VORTON_DRAW_CONTACTS 32

/// VortonDrawDef.flags: volumes in which vortons and tracers are removed, in red, and those that bound the
/// world (VORTON_KILL_VOLUME_OUTSIDE), in green: 12 lines of a box, 72 of a sphere.
#define VORTON_DRAW_KILL_VOLUMES 64

/// VortonDrawDef.flags: the boxes of emitters, in yellow: 12 lines each.
#define VORTON_DRAW_EMITTERS 128

/// Most points of a lattice of arrows.
#define VORTON_MAX_ARROWS 1048576

/// Position [m]: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3.
#define VORTON_POSITION 1

/// Velocity [m/s]: formats as position.
#define VORTON_VELOCITY 2

/// Age [s]: VORTON_F32.
#define VORTON_AGE 3

/// Age [s] at which this particle dies: VORTON_F32.
#define VORTON_LIFETIME 4

/// Frame of birth: VORTON_I32.
#define VORTON_BIRTH_FRAME 5

/// Bits: VORTON_U32. Bit VORTON_FLAG_DEAD is set by killing; dead particles are skipped by everything.
#define VORTON_FLAGS 6

/// Size [m]: VORTON_F32. Only emission writes it.
#define VORTON_SIZE 7

/// Density [kg/m^3]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
#define VORTON_DENSITY 8

/// Temperature [K]: VORTON_F32. Emission and VORTON_OP_SAMPLE_SCALAR write it.
#define VORTON_TEMPERATURE 9

/// Angular velocity [rad/s] about the world's axes: formats as position.
#define VORTON_ANGULAR_VELOCITY 10

/// Orientation: VORTON_QUAT_F32, the unit quaternion that turns the particle's own axes into the world's.
#define VORTON_ORIENTATION 11

/// The number (vorton_body_number) of the body that the particle met in VORTON_OP_BODIES: VORTON_U32; 0:
/// none. Every run of that operation writes it for every particle that it looks at; emission writes 0.
#define VORTON_HIT 12

/// Unit normal of the surface that it met then, out of the body: VORTON_F32X3, VORTON_F32X4 or VORTON_F64X3.
/// 0 0 0 if it met none.
#define VORTON_NORMAL 13

/// VORTON_U8, a bool for instance: 0 is a dead particle, which everything skips. Killing writes 0, emission
/// 1. A view has one of VORTON_FLAGS, VORTON_ALIVE and VORTON_DEAD at most.
#define VORTON_ALIVE 14

/// VORTON_U8: the same the other way round. Not 0 is a dead particle; killing writes 1, emission 0.
#define VORTON_DEAD 15

/// Position in three arrays of VORTON_F32, one for each component.
#define VORTON_POSITION_X 16

/// See VORTON_POSITION_X.
#define VORTON_POSITION_Y 17

/// See VORTON_POSITION_X.
#define VORTON_POSITION_Z 18

/// Velocity in three arrays of VORTON_F32, one for each component.
#define VORTON_VELOCITY_X 19

/// See VORTON_VELOCITY_X.
#define VORTON_VELOCITY_Y 20

/// See VORTON_VELOCITY_X.
#define VORTON_VELOCITY_Z 21

/// Angular velocity in three arrays of VORTON_F32, one for each component.
#define VORTON_ANGULAR_VELOCITY_X 22

/// See VORTON_ANGULAR_VELOCITY_X.
#define VORTON_ANGULAR_VELOCITY_Y 23

/// See VORTON_ANGULAR_VELOCITY_X.
#define VORTON_ANGULAR_VELOCITY_Z 24

/// First of sixteen attributes of your own (VORTON_USER0 + 0 to 15): VORTON_F32. Emission and
/// VORTON_OP_SAMPLE_SCALAR write them.
#define VORTON_USER0 64

/// One 32-bit float.
#define VORTON_F32 1

/// Three 32-bit floats.
#define VORTON_F32X3 3

/// Four 32-bit floats, of which the first three are used; the fourth is never touched.
#define VORTON_F32X4 4

/// Three 64-bit floats.
#define VORTON_F64X3 5

/// Four 32-bit floats, all used: a quaternion x, y, z, w (w is the real part).
#define VORTON_QUAT_F32 6

/// One unsigned 32-bit integer.
#define VORTON_U32 7

/// One signed 32-bit integer.
#define VORTON_I32 8

/// One byte.
#define VORTON_U8 9

/// Bit of VORTON_FLAGS: the particle is dead.
#define VORTON_FLAG_DEAD 1

/// Most streams of a view.
#define VORTON_MAX_STREAMS 32

/// The particle takes the fluid's velocity times `gain`, at `rate`; `sample` says where the fluid is sampled.
/// Needs position and velocity.
#define VORTON_OP_VELOCITY 1

/// Position += velocity * dt. Needs position and velocity.
#define VORTON_OP_ADVECT 2

/// Velocity += vector * dt: gravity and other accelerations [m/s^2]. Needs velocity.
#define VORTON_OP_ACCELERATE 3

/// Velocity turns into the constant `vector` [m/s] at `rate`. Needs velocity.
#define VORTON_OP_WIND 4

/// Velocity is dragged towards the fluid's: linear drag `rate` [1/s] and quadratic drag `quadratic` [1/m],
/// solved exactly. Needs position and velocity.
#define VORTON_OP_DRAG 5

/// Age += dt. Needs age.
#define VORTON_OP_AGE 6

/// Kills particles older than max_age [s] (needs age; where there is a lifetime stream, each particle's own
/// lifetime stands instead, and 0 dies at once) or than max_age_frames (needs birth frame).
#define VORTON_OP_KILL 7

/// Emits particles into the memory between count and capacity, `rate` per second.
#define VORTON_OP_EMIT 8

/// Computes the bounding box. Needs position.
#define VORTON_OP_BOUNDS 9

/// A stream takes the fluid's density, temperature or dye at the particle: `quantity`, written to the stream
/// `into`. Needs position and that stream.
#define VORTON_OP_SAMPLE_SCALAR 10

/// The particle's angular velocity turns into the fluid's (half the vorticity) at `rate`; `sample` says where
/// the fluid is sampled. An orientation, where there is one, turns with it, exactly. Needs position and
/// angular velocity.
#define VORTON_OP_SPIN 11

/// Bodies are in the way: a particle that ran into one on its way from position - velocity * dt to position
/// is put back in front of it, and its velocity against the surface changes as `restitution` and `friction`
/// say. Belongs directly behind ADVECT, after vorton_world_step with the same dt: bodies go the way of the
/// last completed step. With a `mass`, bodies get the momentum that particles lose, with the next
/// vorton_body_take_impulse. Needs position and velocity; writes VORTON_HIT and VORTON_NORMAL where there are
/// such streams.
#define VORTON_OP_BODIES 12

/// As VELOCITY, in its place, with the eddies that are smaller than core_radius: the particle takes
/// (fluid's velocity + `intensity` * theirs) * `gain`, at `rate`. They are as strong as the local strain of
/// the flow makes them, about 0.6 * core_radius * strain rate [1/s] (Kolmogorov's spectrum over three
/// octaves), go along with the flow, and are 0 where nothing moves or all turns as one. Velocity is replaced,
/// so nothing adds up from frame to frame; behind it ADVECT and BODIES keep particles out of bodies as
/// always. The flow is read by the quadratic spline whatever VortonWorldDef.field_sampling says, so even
/// without eddies it differs from VELOCITY's by what linear reading errs. Needs position and velocity.
#define VORTON_OP_TURBULENCE 13

/// Marks the dead: VORTON_FLAG_DEAD in VORTON_FLAGS, or the byte of VORTON_ALIVE or VORTON_DEAD. Needs one of
/// these streams.
#define VORTON_KILL_MARK 0

/// Writes the indices of the dead to VortonOpResult.kill_list, ascending.
#define VORTON_KILL_LIST 1

/// Closes the gaps, keeping the order; VortonOpResult.count is the new count. Needs element_size or packed
/// streams.
#define VORTON_KILL_COMPACT 2

/// Sample the fluid halfway along the particle's path, so that VELOCITY then ADVECT is second order in time.
/// The default.
#define VORTON_AT_MIDPOINT 0

/// Sample the fluid where the particle is: half the cost, first order.
#define VORTON_AT_PARTICLE 1

/// All particles of a frame are born at its end. The default.
#define VORTON_EMIT_AT_ONCE 0

/// Births are spread evenly over the frame: a fast emitter leaves a line instead of puffs.
#define VORTON_EMIT_EVEN 1

/// Most operations in one list.
#define VORTON_MAX_OPS 32

/// Compute energy and helicity, too, which costs time with the square of the number of vortons.
#define VORTON_INVARIANTS_PAIRS 1

/// What a function answers: 0 done, positive done with a note, negative failed and nothing changed.
typedef int32_t VortonResult;

/// Receives a line of UTF-8 text. May come from any thread; must not call back into the library (that answers
/// VORTON_ERR_BUSY) and must not throw or longjmp.
typedef void (*VortonLogFn)(int32_t level, const char *text, void *user);

/// Gives `size` bytes, at least 1, at a multiple of `alignment`, a power of two. NULL: there are none; then a
/// function that asks for much at once answers VORTON_ERR_OUT_OF_MEMORY, and what needs a little ends the
/// process. Called on any thread; must not call the library, throw or longjmp.
typedef void *(*VortonAllocateFn)(size_t size, size_t alignment, void *user);

/// Takes back what VortonAllocateFn has given, with the same size and alignment. As that one.
typedef void (*VortonFreeFn)(void *memory, size_t size, size_t alignment, void *user);

/// What the memory of the library is: of all worlds together. Fill it with vorton_memory_init before the
/// call.
typedef struct VortonMemory {
    /// sizeof(VortonMemory); set by vorton_memory_init.
    uint32_t struct_size;
    /// 0.
    uint32_t reserved;
    /// Bytes now.
    uint64_t bytes;
    /// Most bytes so far.
    uint64_t peak_bytes;
    /// Blocks now.
    uint64_t blocks;
    /// Blocks that have ever been asked for. Steps ask for none in steady state.
    uint64_t allocations;
} VortonMemory;

/// A vector, in the units that the place where it stands says.
typedef struct VortonVec3 {
    /// x
    float x;
    /// y
    float y;
    /// z
    float z;
} VortonVec3;

/// A task of the library. Call it once with its context, on any thread. It takes part in the step that it
/// belongs to and returns when that has ended: at once if it is over, the world is gone, or the thread is
/// itself making a step. Not to be called after the library has been unloaded.
typedef void (*VortonTaskFn)(void *task_context);

/// Takes a task for the host's job system. Returns what finish_task is to get, or NULL if that needs no call:
/// the task was refused, has been run at once, or may run at any time. Called on the thread that calls the
/// library, up to worker_count - 1 times at the start of a step, of a run of operations or of many samples.
/// May call the library on other worlds; must not throw or longjmp.
typedef void *(*VortonEnqueueTaskFn)(VortonTaskFn task, void *task_context, void *user);

/// Returns when the task of this handle, which enqueue_task has returned, is not running any more. All work
/// is done by then: a running task ends at once, and one that has not begun need not run. Called at the end
/// of what enqueue_task was called for, on its thread. May run other jobs meanwhile, steps of other worlds
/// among them, in the floating-point mode that the thread had; must not throw or longjmp.
typedef void (*VortonFinishTaskFn)(void *host_task, void *user);

/// Tells of a pool's thread: called on it, first and last thing. `worker` counts from 0. Must not call the
/// library (that answers VORTON_ERR_BUSY), throw or longjmp.
typedef void (*VortonThreadFn)(uint32_t worker, void *user);

/// A zone begins: a step of a world ("vorton step"), or in it one of its stages, one after the other ("vorton
/// velocity", "vorton tracers" and so on, as in VortonStats). Called on the thread that makes the step; must
/// not call the library (that answers VORTON_ERR_BUSY), throw or longjmp.
///
/// @param name static, the same address each time
/// @param user VortonWorldDef.zone_user
typedef void (*VortonZoneBeginFn)(const char *name, void *user);

/// The zone that has begun last is over. As VortonZoneBeginFn.
typedef void (*VortonZoneEndFn)(void *user);

/// What a world is made from. Fill it with vorton_world_def_init, then change what you need.
typedef struct VortonWorldDef {
    /// sizeof(VortonWorldDef); set by vorton_world_def_init.
    uint32_t struct_size;
    /// VORTON_THREADS_...
    uint32_t threads;
    /// Threads that work on a step, 1 to 256; 0: one for each processor. Of VORTON_THREADS_POOL and
    /// VORTON_THREADS_SHARED_POOL they are the pool's, up to 64 of which work on one step; of
    /// VORTON_THREADS_HOST the calling one and those of worker_count - 1 tasks. Ignored by
    /// VORTON_THREADS_SERIAL.
    uint32_t worker_count;
    /// VORTON_KERNEL_...
    uint32_t kernel;
    /// VORTON_PRECISION_...
    uint32_t precision;
    /// VORTON_INSTRUCTIONS_...; one that the processor lacks is refused with VORTON_ERR_UNSUPPORTED.
    uint32_t instructions;
    /// VORTON_SOLVER_...: how velocity is computed.
    uint32_t solver;
    /// VORTON_SAMPLING_...: how tracers, operations and samples read a mesh.
    uint32_t field_sampling;
    /// Core radius [m] of every vorton: the size of the smallest eddy. Smaller is sharper and needs more
    /// vortons: they should be no further apart than core_radius / 1.25 along a filament and core_radius /
    /// 1.5 in a volume. Default 0.1.
    float core_radius;
    /// Nodes of the mesh per core radius, 1 to 8 (fewer where max_grid_nodes asks for it); time grows with
    /// the third power. 1.5 suits rings, sheets and drops (within 0.6 % of the largest velocity), 2.5 rough
    /// clouds of unrelated vortons. Default 1.5.
    float nodes_per_core;
    /// Most nodes of the mesh, 4096 to 16777216, about 130 bytes each, taken when they are needed; density
    /// has as many on a lattice of its own, and as many again for fluid in places too far apart for one box.
    /// Where many vortons would be outside of the mesh, there are fewer nodes per core radius, down to 1
    /// (VortonStats.nodes_per_core; coherent vortices are then 2 to 5 % off). What still is outside is summed
    /// directly, and fluid outside of all of density's boxes feels no gravity: both are counted in
    /// VortonStats. Default 262144, such as 64 x 64 x 64.
    uint32_t max_grid_nodes;
    /// Rate [1/s] at which strengths turn towards the vorticity around them, which keeps coarse clouds alive.
    /// 0: exact inviscid motion. Default 1.
    float relaxation_rate;
    /// Kinematic viscosity [m^2/s]: vortices spread as sqrt(viscosity * time), and small ones die first. Air
    /// 1.5e-5, water 1e-6; games want more: 0.1 * core_radius^2 per second shows within seconds. Default 0.
    float viscosity;
    /// Diffusivity [m^2/s] of heat (mass deviation) and dye, which spread in the same way. Default 0.
    float diffusivity;
    /// Acceleration of gravity [m/s^2], at most VORTON_MAX_GRAVITY. It acts where density differs from the
    /// ambient's: heavy fluid sinks along it, light fluid rises. Bodies are lifted by the weight of the fluid
    /// that they displace. Default 0: nothing sinks, rises or is lifted.
    struct VortonVec3 gravity;
    /// Uniform velocity [m/s] of the whole fluid, at most VORTON_MAX_SPEED. Default 0.
    struct VortonVec3 wind;
    /// Density [kg/m^3] of the fluid that no vorton speaks for: what mass deviations deviate from, and the
    /// inertia of all fluid (keep deviations well below it). Default 1.
    float ambient_density;
    /// Temperature [K] of fluid of that density. Default 300.
    float ambient_temperature;
    /// VORTON_IDEAL_GAS or VORTON_LINEAR_EXPANSION: how density follows temperature.
    uint32_t equation_of_state;
    /// VORTON_LINEAR_EXPANSION: thermal expansion [1/K], positive. Default 0.0002: water at 20 degrees
    /// Celsius.
    float expansion;
    /// VORTON_STRATIFICATION_...: how the ambient's density varies with place. Along gravity, or it would not
    /// be at rest.
    uint32_t stratification;
    /// VORTON_STRATIFICATION_LINEAR: change of density per metre [kg/m^4]. Along gravity (denser below) is
    /// stable: what is pushed up or down comes back. Default 0.
    struct VortonVec3 density_gradient;
    /// VORTON_STRATIFICATION_LAYERS: direction across the interface, any length but 0. Default z.
    struct VortonVec3 layer_normal;
    /// Where the interface is along layer_normal [m], from the origin. Default 0.
    float layer_height;
    /// Density on the side to which layer_normal points minus density on the other [kg/m^3]; the interface
    /// has ambient_density. Default 0.
    float layer_jump;
    /// Half thickness of the interface [m], positive. Default 0.1.
    float layer_thickness;
    /// Age [s] at which vortons are removed; 0: never. Default 0.
    float max_age;
    /// Most vortons alive at a time, up to 16777216, those of the halo included (VORTON_VORTON_HALO). Memory
    /// for all of them is taken at creation: about 440 bytes each, 750 with viscosity or diffusivity; nodes
    /// come extra. Default 16384.
    uint32_t max_vortons;
    /// Smagorinsky's constant, at least 0: eddies too small for the vortons to carry act as an additional
    /// viscosity (smagorinsky * core_radius)^2 * gradient of velocity, everywhere, which costs coherent
    /// vortices energy, too. 0 (the default) leaves wakes, which break up into ever smaller eddies, to
    /// energy_budget; 0.2 makes them smoother.
    float smagorinsky;
    /// How fast bodies make the fluid stick to their surfaces [1/s]: the share of the slip that is cancelled
    /// in a step is 1 - exp(-rate * dt). 0: bodies only push vortons and tracers aside. Default 30, within a
    /// few frames; VORTON_RATE_AT_ONCE is allowed. Walls that act only where vortons touch them (see
    /// VORTON_SHAPE_HOLE) cancel all that flows through them in each step, unless it is 0.
    float no_slip_rate;
    /// Depth of the layer around a body in which vortons take up what its surface sheds [core radii], at
    /// least 0. Deeper is rougher and needs fewer vortons; below 1 the layer is thinner than a vorton.
    /// Default 1.2.
    float shedding_depth;
    /// Specific heat of the fluid [J/(kg K)], positive: how much fluid it takes to cool a hot body
    /// (VortonBodyDef.heat_transfer). Default 1000, as air; water 4200.
    float specific_heat;
    /// VORTON_WALLS_...: what is done about density at the walls of containers. Default
    /// VORTON_WALLS_BALANCED.
    uint32_t walls;
    /// 1 (the default): a step may not raise the energy of the vortons by more than gravity, bodies and new
    /// vortons put in. Smooth vortices are left alone, and no flow blows up, however long it runs. 0: the
    /// bare inviscid equation, which multiplies the energy of flows that break up; for comparison with
    /// theory.
    uint32_t energy_budget;
    /// Stretch number at the start of a step, at least 0, above which the step is made at fourth order (Runge
    /// and Kutta) with four velocity solves, because at second order (midpoint) with two the vortices of a
    /// flow so fast would break up. With multistep, steps of one solve are taken up to 1.25 times, and
    /// corrected ones up to twice, this number or 0.4, whichever is less (up to three times where only a few
    /// vortons are in so fast a flow). 0: every step; FLT_MAX: none. Default 0.4.
    float fourth_order_above;
    /// 1 (the default): a step about as long as the last two, of a flow that is not too fast for it, takes
    /// one velocity solve instead of two: the rates of the last two steps lead to its middle (Adams and
    /// Bashforth). About as accurate as steps of two solves (midpoint), which 0 makes of all. Where the flow
    /// is somewhat too fast, a second solve at the middle corrects the first.
    uint32_t multistep;
    /// VORTON_SOLVER_AUTO: places at which particle operations and vorton_sample_... read the field in a
    /// step; tracers count by themselves. If there are many, a field of few vortons is put on a mesh for
    /// them, which costs less than to sum it at each place. Vortons and bodies do not depend on it. Default
    /// 0.
    uint32_t expected_samples;
    /// 0.
    uint32_t reserved;
    /// VORTON_THREADS_HOST: takes a task. Must be given then.
    VortonEnqueueTaskFn enqueue_task;
    /// VORTON_THREADS_HOST: waits for a task. Must be given then.
    VortonFinishTaskFn finish_task;
    /// VORTON_THREADS_HOST: passed to both.
    void *task_user;
    /// VORTON_THREADS_POOL and VORTON_THREADS_SHARED_POOL: called first on each thread of the pool, for
    /// instance to name it for a profiler or to pin it to a core. NULL: nothing.
    VortonThreadFn thread_start;
    /// The same pools: called last on each of its threads. NULL: nothing.
    VortonThreadFn thread_stop;
    /// Passed to both.
    void *thread_user;
    /// A number of yours, which the library only keeps: see vorton_world_user_data. Default 0.
    uint64_t user_data;
    /// Called when a step and its stages begin, for a profiler. NULL: nothing.
    VortonZoneBeginFn zone_begin;
    /// Called when they end. NULL: nothing.
    VortonZoneEndFn zone_end;
    /// Passed to both.
    void *zone_user;
} VortonWorldDef;

/// What vorton_world_step_within may spend. Fill it with vorton_budget_init, then change what you need.
typedef struct VortonBudget {
    /// sizeof(VortonBudget); set by vorton_budget_init.
    uint32_t struct_size;
    /// VORTON_MEASURE_...
    uint32_t measure;
    /// Milliseconds for everything but tracers, at least 0; FLT_MAX: no limit. Default 2.
    float fluid_ms;
    /// Milliseconds for all sets of tracers, at least 0; FLT_MAX: no limit. A limit of its own, so that the
    /// fluid of a game in lockstep does not depend on how many tracers each machine draws. Default 1.
    float tracers_ms;
} VortonBudget;

/// A world: one fluid with everything in it. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonWorldId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint32_t generation;
} VortonWorldId;

/// A particle that carries vorticity, and mass and dye if you like.
typedef struct VortonVorton {
    /// Where [m].
    struct VortonVec3 position;
    /// Strength [m^3/s]: vorticity times volume.
    struct VortonVec3 strength;
    /// Volume of fluid that it stands for [m^3], at least 0. Density needs it: it is the part of space that
    /// can take up vorticity.
    float volume;
    /// Mass [kg] beyond that of as much ambient fluid: volume * (density - ambient_density). Positive sinks,
    /// negative rises.
    float mass_deviation;
    /// Dye [m^3]: concentration times volume. It colours, and does nothing else.
    float dye;
    /// Seconds since it was added.
    float age;
    /// VORTON_VORTON_HALO or 0.
    uint32_t flags;
    /// 0.
    uint32_t reserved;
    /// Its id, never reused in a world. Ignored by vorton_vortons_add.
    uint64_t id;
} VortonVorton;

/// What to put into the fluid. Fill it with vorton_initial_def_init, then change what the type uses.
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
    /// Distance between vortons [m], of all but the filament ring. At most the world's core_radius / 1.5;
    /// above core_radius the log gets a warning, because the vortons then do not overlap. Default 0.0667, for
    /// the default core_radius of 0.1.
    float spacing;
    /// Vortons of a filament ring, at least 3. Default 64.
    uint32_t count;
    /// 0.
    uint32_t reserved;
    /// Seed of the noise and of the disturbance.
    uint64_t seed;
    /// Random displacement of each vorton: full width of the distribution of each coordinate, as a fraction
    /// of the distance between vortons, 0 to 1. Symmetric flows stay symmetric without a disturbance; with
    /// 0.5 a drop of 2,700 vortons tears into wisps as it falls. Default 0.
    float position_disturbance;
    /// Random relative change of each vorton's strength and mass deviation: full width, 0 to 1. Total
    /// strength and mass stay; a circulation that n vortons make is off by this / sqrt(12 n) of it. Default
    /// 0.
    float strength_disturbance;
} VortonInitialDef;

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

/// A set of tracers. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonTracersId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonTracersId;

/// What an emitter sheds: a mist of vortons in a box (stirred, warm, heavy or dyed fluid), or the jet of a
/// nozzle. Fill it with vorton_emitter_def_init, then change what you need. Vortons stay until they reach
/// VortonWorldDef.max_age or a kill volume; at max_vortons emitters stop. Give worlds with emitters a
/// max_age.
typedef struct VortonEmitterDef {
    /// sizeof(VortonEmitterDef); set by vorton_emitter_def_init.
    uint32_t struct_size;
    /// Vortons per second, at least 0. Default 60.
    float rate;
    /// Centre of the box [m].
    struct VortonVec3 position;
    /// Orientation of the box and of the strengths.
    struct VortonQuat rotation;
    /// Edges of the box [m]; zero emits from a point. Not used with a nozzle.
    struct VortonVec3 extent;
    /// Mean strength [m^3/s] of a vorton, in the box's frame.
    struct VortonVec3 strength;
    /// Full width of the random part of each component of the strength [m^3/s].
    struct VortonVec3 strength_spread;
    /// Volume of a vorton [m^3], at least 0: that of the cube of two thirds of core_radius, or so. With a
    /// nozzle 0 is what passes it between two vortons. Default 0.
    float volume;
    /// 0.
    uint32_t reserved;
    /// Seed of the random numbers: equal seeds, equal vortons.
    uint64_t seed;
    /// A number of yours, which the library only keeps: see vorton_emitter_user_data. Default 0.
    uint64_t user_data;
    /// Density of what it sheds, minus the ambient's [kg/m^3]: negative rises, positive sinks. Takes a
    /// volume: a vorton has the mass deviation volume times this. Default 0.
    float density_deviation;
    /// Temperature of what it sheds [K], which sets the density; 0: density_deviation is used. Default 0.
    float temperature;
    /// Concentration of dye in what it sheds, 0 to 1: see VORTON_SAMPLE_DYE. Takes a volume. Default 0.
    float dye;
    /// Radius [m] of a jet's nozzle: a disc across the z axis of the frame that pushes fluid along it, as a
    /// fan or rotor does, by 1/2 density speed^2 area [N]. Fluid passes it at half of nozzle_speed and
    /// narrows to .7 of the radius within a radius or so; a pipe pushes as hard as a disc of 1.4 times its
    /// radius. It sheds nozzle_speed / (1.33 core_radius) rings a second, of 9.4 nozzle_radius / core_radius
    /// vortons each (8 at least), and beside them `rate` vortons from the disc: set rate to 0 if the jet is
    /// of the fluid around. 0: no nozzle. Default 0.
    float nozzle_radius;
    /// Speed [m/s] of the jet, at least 0. Default 1.
    float nozzle_speed;
    /// Random displacement of the vortons of those rings: full width, as a fraction of their distance, 0 to
    /// 1. A jet without it stays symmetric longer than real ones do. Default 0.1.
    float nozzle_disturbance;
    /// The set to which the emitter adds tracers, where its vortons come out. What the set has no room for is
    /// left out: it needs tracer_rate times its max_age and one step. Null: none. Default null.
    struct VortonTracersId tracers;
    /// Tracers per second, at least 0. Default 0.
    float tracer_rate;
    /// A number of yours, which stays with the tracers. Default 0.
    uint32_t tracer_tag;
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

/// What a set of tracers is made from. Fill it with vorton_tracers_def_init, then change what you need.
typedef struct VortonTracersDef {
    /// sizeof(VortonTracersDef); set by vorton_tracers_def_init.
    uint32_t struct_size;
    /// Most tracers alive at a time, up to 67108864. Memory for all of them (about 80 bytes each) is taken at
    /// creation. Default 65536.
    uint32_t capacity;
    /// Age [s] at which a tracer is removed; 0: never. Default 0.
    float max_age;
    /// What each step writes into the tracers' values, for colouring: VORTON_SHOW_NONE,
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE. Costs two to three times as much as
    /// moving them.
    uint32_t show;
    /// A number of yours, which the library only keeps: see vorton_tracers_user_data. Default 0.
    uint64_t user_data;
    /// 1: vorton_tracers_read answers also while another thread steps the world, with the tracers as the step
    /// before has left them. Each step then copies the set at its end, and the set takes 56 bytes more for
    /// each tracer of its capacity. 0: it answers VORTON_ERR_BUSY meanwhile. Default 0.
    uint32_t readable_during_steps;
    /// How much of the eddies that are smaller than core_radius moves the tracers, at least 0: 1 as in
    /// Kolmogorov's spectrum, see VORTON_OP_TURBULENCE. Moving them costs some seven times as much then,
    /// about 50 ns for each tracer, and the flow is read by the quadratic spline. Bodies stay in the way.
    /// Default 0: none.
    float turbulence;
} VortonTracersDef;

/// Tracers where the density is: evenly spread where its deviation is large. Fill it with
/// vorton_implied_def_init, then change what you need.
typedef struct VortonImpliedDef {
    /// sizeof(VortonImpliedDef); set by vorton_implied_def_init.
    uint32_t struct_size;
    /// Tracers along each edge of a cell of core_radius / 1.5: its third power in each cell, 1 to 64. Default
    /// 5.
    uint32_t per_cell;
    /// Least share of the largest deviation anywhere, of either sign, that gets tracers: above 0, at most 1.
    /// Lower makes the cloud thicker. Default 0.6.
    float threshold;
    /// Randomness of the places: 0 is a lattice, 1 has no visible order. Default 1.
    float jitter;
    /// A number of yours, which stays with the tracers. Default 0.
    uint32_t tag;
    /// 0.
    uint32_t reserved;
    /// Seed of the random places.
    uint64_t seed;
} VortonImpliedDef;

/// Tracers as the last completed step has left them, to be read where they are. All arrays have count
/// elements; without tracers they may not be read at all.
typedef struct VortonTracerRows {
    /// Bytes of this struct: set by vorton_tracers_acquire.
    uint32_t struct_size;
    /// 0.
    uint32_t reserved;
    /// For vorton_tracers_release.
    uint64_t lease;
    /// Number of tracers.
    size_t count;
    /// Positions [m].
    const struct VortonVec3 *positions;
    /// Ids: 0 for the first tracer ever added to the set, and so on.
    const uint32_t *ids;
    /// What vorton_tracers_add was given, or VortonImpliedDef.tag.
    const uint32_t *tags;
    /// Ages [s].
    const float *ages;
    /// What VortonTracersDef.show says, or what was given.
    const float *values;
} VortonTracerRows;

/// What a body is made from. Fill it with vorton_body_def_init, then change what you need, create the body,
/// and give it shapes with vorton_shape_create.
typedef struct VortonBodyDef {
    /// sizeof(VortonBodyDef); set by vorton_body_def_init.
    uint32_t struct_size;
    /// VORTON_BODY_... bits, or 0 (the default).
    uint32_t flags;
    /// Where its centre of mass is [m].
    struct VortonVec3 position;
    /// How its axes are turned.
    struct VortonQuat rotation;
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    struct VortonVec3 velocity;
    /// Angular velocity [rad/s], in the world's axes, at most VORTON_MAX_SPIN.
    struct VortonVec3 angular_velocity;
    /// Mass [kg], the engine's. 0: impulses do not move it, as with a static or kinematic body; they are
    /// handed out all the same. Default 1. The fluid counts on a body of this mass, and of `inertia`, giving
    /// way to its impulses: a heavy one stops the fluid, a light one goes along with it.
    float mass;
    /// Temperature [K], positive. Default 300.
    float temperature;
    /// Heat capacity [J/K]: mass times specific heat; 0: its temperature stays what it is. Default 1.
    float heat_capacity;
    /// Heat transfer coefficient [W/(m^2 K)] between its surface and the fluid that touches it; 0 (the
    /// default) insulates.
    float heat_transfer;
    /// Inertia tensor [kg m^2] about the centre of mass, in the body's axes: 3 x 3, symmetric, positive
    /// definite, and no principal moment larger than the sum of the other two. All 0 (the default): the mass
    /// is spread evenly over the shapes, which for a body with ballast or a light shell may be off by
    /// factors.
    float inertia[9];
    /// A number of yours, which the library only keeps: see vorton_body_user_data. Default 0.
    uint64_t user_data;
} VortonBodyDef;

/// A body. Zeroed memory is the null id. Opaque: do not look inside.
typedef struct VortonBodyId {
    /// Opaque.
    uint32_t index1;
    /// Opaque.
    uint16_t world;
    /// Opaque.
    uint16_t generation;
} VortonBodyId;

/// How a body moves, as the physics engine says: vectors in the world's axes. No struct_size, so that it may
/// lie in structs of yours.
typedef struct VortonBodyState {
    /// Where its centre of mass is [m].
    struct VortonVec3 position;
    /// How its axes are turned.
    struct VortonQuat rotation;
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    struct VortonVec3 velocity;
    /// Angular velocity [rad/s], at most VORTON_MAX_SPIN.
    struct VortonVec3 angular_velocity;
} VortonBodyState;

/// What the fluid has given to a body since this was last taken: add it to the engine's body before the
/// engine's step.
typedef struct VortonBodyImpulse {
    /// Impulse [N s], lift included, to be applied at the centre of mass: velocity += linear / mass.
    struct VortonVec3 linear;
    /// Angular impulse [N m s] about the centre of mass, in the world's axes, that of lift included.
    struct VortonVec3 angular;
    /// Heat [J] that has gone into the body; negative: out of it.
    float heat;
    /// Kinetic energy [J] that body and fluid have lost by friction and impact.
    float lost_energy;
    /// The body's temperature now [K].
    float temperature;
    /// Vortons that were at its surface, counted in each step, and particles of yours that met it
    /// (VORTON_OP_BODIES).
    uint32_t hits;
    /// The part of `linear` that gravity has given [N s]: lift, with VORTON_BODY_WEIGHT the body's weight,
    /// and the weight of what fills its hole. It acts in every step, also on a body that floats at rest,
    /// where the engine's gravity balances it: it is no reason to wake a body. The rest, linear -
    /// lift_linear, is what has pushed the body: vortons, fluid that is set moving, particles. Fluid at rest
    /// pushes a body at rest by 0. (One with VORTON_BODY_NO_THROUGH that a floor or a joint holds is pushed
    /// in its first frame, and one with a hole less and less in its first twenty: until the library has seen
    /// that something holds it, the fluid around or in it counts as falling along.)
    struct VortonVec3 lift_linear;
    /// The part of `angular` that gravity has given [N m s].
    struct VortonVec3 lift_angular;
} VortonBodyImpulse;

/// A solid, or a hole. Fill it with vorton_shape_def_init, then change what the type uses. Lengths in metres.
typedef struct VortonShapeDef {
    /// sizeof(VortonShapeDef); set by vorton_shape_def_init.
    uint32_t struct_size;
    /// VORTON_SHAPE_...
    uint32_t type;
    /// Where its origin is in the body [m]; the body's origin is its centre of mass. Default 0.
    struct VortonVec3 position;
    /// How it is turned in the body.
    struct VortonQuat rotation;
    /// BOX: half the edges [m], positive. Default 0.5.
    struct VortonVec3 half_extents;
    /// SPHERE, CAPSULE and CYLINDER: radius [m], positive. Default 0.5.
    float radius;
    /// CAPSULE: half the length of the straight part [m], at least 0. CYLINDER: half its height [m],
    /// positive. Default 0.5.
    float half_height;
    /// HULL: number of points, 4 to VORTON_MAX_HULL_POINTS. Their hull may have VORTON_MAX_HULL_FACES faces.
    /// MESH: number of points, 3 to VORTON_MAX_MESH_VERTICES.
    uint32_t point_count;
    /// PLANES: number of planes, 4 to VORTON_MAX_HULL_POINTS, of which VORTON_MAX_HULL_FACES may bound the
    /// solid.
    uint32_t plane_count;
    /// HULL: x y z [m] of each point, not all in one plane; copied. MESH: x y z [m] of each point; copied.
    const float *points;
    /// PLANES: nx ny nz d of each plane; inside is nx x + ny y + nz z <= d. Normals point outwards and may
    /// have any length but 0. Together they must enclose a volume; copied.
    const float *planes;
    /// Sum of VORTON_SHAPE_HOLE or VORTON_SHAPE_SAVED_BY_HASH, or nothing. Default 0: a solid.
    uint32_t flags;
    /// 0.
    uint32_t reserved;
    /// A number of yours, which the library only keeps: see vorton_shape_user_data. Default 0.
    uint64_t user_data;
    /// MESH: three numbers of points for each triangle; copied.
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
    /// 0.
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

/// What a solid of density 1 weighs, and where: times its density, what an engine wants to know.
typedef struct VortonMassProperties {
    /// Volume [m^3]; times density: mass.
    float volume;
    /// Area of the surface [m^2].
    float area;
    /// Centroid [m], in the body's axes: the centre of mass.
    struct VortonVec3 centroid;
    /// Inertia tensor about the centroid [m^5], in the body's axes, symmetric; times density [kg m^2].
    float inertia[9];
} VortonMassProperties;

/// Where to put vortons without strength. Fill it with vorton_surround_def_init, then change what you need.
typedef struct VortonSurroundDef {
    /// sizeof(VortonSurroundDef); set by vorton_surround_def_init.
    uint32_t struct_size;
    /// 0.
    uint32_t reserved;
    /// The body; the null id (the default): all bodies.
    struct VortonBodyId body;
    /// Lowest coordinates [m] of the vortons. Default 0 0 0, with high 0 0 0: anywhere. Half-spaces, meshes
    /// and height fields have vortons around them only where low and high say how far.
    struct VortonVec3 low;
    /// Highest coordinates [m] of the vortons.
    struct VortonVec3 high;
    /// Distance [m] between vortons. 0 (the default): the world's core_radius / 1.5; above core_radius the
    /// log gets a warning, because the vortons then do not overlap.
    float spacing;
    /// Vortons are nearer than this [m] to a surface. 0 (the default): three times the world's core_radius.
    float thickness;
} VortonSurroundDef;

/// An effect by name. Fill it with vorton_preset_def_init, then change what you need.
typedef struct VortonPresetDef {
    /// sizeof(VortonPresetDef); set by vorton_preset_def_init.
    uint32_t struct_size;
    /// VORTON_PRESET_...
    uint32_t type;
    /// Origin of the effect [m].
    struct VortonVec3 position;
    /// Rotation from the effect's axes to the world's. Gravity stays the world's.
    struct VortonQuat rotation;
    /// Length [m] that the type tells, .001 to 100000. Effects look alike at every scale: speeds go with its
    /// root.
    float scale;
    /// Factor of the effect's speed or, where the type says so, density deviation, .05 to 4. Default 1.
    float strength;
    /// About as many vortons as the effect has at its beginning or, if it is fed, at any time, 100 to 262144,
    /// halo aside. vorton_preset_world_def chooses core_radius by it; vorton_add_preset fills the world that
    /// there is. Default 1000.
    uint32_t vortons;
    /// Tracers at the beginning or, if it is fed, at any time, at most 4194304; 0: none. Default 30000.
    uint32_t tracers;
    /// The set that they are added to; the null id (the default): a new set with room for them.
    struct VortonTracersId tracer_set;
    /// Tag of the tracers; those of a second part of the effect have the next number. Default 0.
    uint32_t tracer_tag;
    /// Seed of the unevenness from which instabilities grow, and of the tracers' positions. Default 1.
    uint64_t seed;
} VortonPresetDef;

/// A volume in which vortons and tracers are removed: a room that is switched off, or the bounds of a level.
/// vorton_default_kill_volume is a box of 1 m around the origin.
typedef struct VortonKillVolume {
    /// VORTON_KILL_VOLUME_BOX or VORTON_KILL_VOLUME_SPHERE.
    uint32_t type;
    /// 0 or VORTON_KILL_VOLUME_OUTSIDE.
    uint32_t flags;
    /// Its centre [m].
    struct VortonVec3 position;
    /// VORTON_KILL_VOLUME_BOX: turns its axes into the world's.
    struct VortonQuat rotation;
    /// VORTON_KILL_VOLUME_BOX: half its edges [m], positive.
    struct VortonVec3 half_extents;
    /// VORTON_KILL_VOLUME_SPHERE: radius [m], positive.
    float radius;
} VortonKillVolume;

/// The solid surface nearest to a point.
typedef struct VortonSurface {
    /// Distance [m] of the point from it: negative inside of a solid. The reach if no surface is nearer.
    float distance;
    /// The nearest point of the surface [m]; 0 0 0 if none is within reach.
    struct VortonVec3 point;
    /// Unit normal there, into the fluid; 0 0 0 if none is within reach.
    struct VortonVec3 normal;
    /// The body that has it; the null id if none is within reach.
    struct VortonBodyId body;
} VortonSurface;

/// A box of texels in the caller's memory. Fill it with vorton_volume_def_init, then say where the box is.
typedef struct VortonVolumeDef {
    /// sizeof(VortonVolumeDef); set by vorton_volume_def_init.
    uint32_t struct_size;
    /// VORTON_TEXEL_... Default VORTON_TEXEL_F16.
    uint32_t format;
    /// Numbers of each texel, 1 to 4; those that show nothing are 0. Default 4.
    uint32_t components;
    /// VORTON_SAMPLE_VELOCITY or VORTON_SAMPLE_VORTICITY for the first three numbers, or 0. Default
    /// VORTON_SAMPLE_VELOCITY.
    uint32_t vector;
    /// VORTON_SAMPLE_DENSITY, _DENSITY_DEVIATION, _TEMPERATURE or _DYE for the number after these, or for the
    /// first one, or 0. Default 0.
    uint32_t scalar;
    /// Texels along x, each at least 1, at most 2^31 together. Default 32, as of the next two.
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

/// What of a world is drawn, and how. Fill it with vorton_draw_def_init, then change what you need.
typedef struct VortonDrawDef {
    /// sizeof(VortonDrawDef); set by vorton_draw_def_init.
    uint32_t struct_size;
    /// Sum of VORTON_DRAW_... Default: all but VORTON_DRAW_FIELD, whose arrows need a box.
    uint32_t flags;
    /// Lowest corner of the box that is looked at [m]: vortons and contacts outside of it are not drawn, nor
    /// are shapes whose bounding spheres do not reach into it. Arrows, meshes, kill volumes and emitters are
    /// drawn anywhere. Default: -FLT_MAX.
    struct VortonVec3 low;
    /// Highest corner of it [m], not below the lowest. Default: FLT_MAX.
    struct VortonVec3 high;
    /// Length of a vorton's line [core radii], positive. Default 1.
    float vorton_length;
    /// Strength that is red [m^3/s]; 0: that of the strongest vorton of the world. Default 0.
    float max_strength;
    /// Length of a contact's line [core radii], positive. Default 1.
    float contact_length;
    /// Length of an arrow per speed [s], positive: the arrow leads from its point to where the fluid there
    /// would be after that time. Default 0.1.
    float arrow_length;
    /// Speed that is red [m/s]; 0: that of the fastest arrow. Default 0.
    float max_speed;
    /// Arrows along x, each at least 1, at most VORTON_MAX_ARROWS together. Default 8, as of the next two.
    uint32_t arrows_x;
    /// Arrows along y.
    uint32_t arrows_y;
    /// Arrows along z.
    uint32_t arrows_z;
    /// Lowest corner of the box of arrows [m]. They begin at the centres of its cells, as the samples of a
    /// volume of texels are taken. x runs fastest, then y, then z.
    struct VortonVec3 arrows_low;
    /// Highest corner of it [m], not below the lowest.
    struct VortonVec3 arrows_high;
    /// 0.
    uint32_t reserved;
} VortonDrawDef;

/// A coloured line of a debug view.
typedef struct VortonLine {
    /// Where the line begins [m].
    struct VortonVec3 from;
    /// Where it ends [m].
    struct VortonVec3 to;
    /// Its colour: in memory the bytes red, green, blue, alpha, as graphics APIs take R8G8B8A8 (0xAABBGGRR on
    /// little-endian machines). Alpha is 255.
    uint32_t color;
} VortonLine;

/// One attribute of the host's particles: element i is at base + offset + i * stride, aligned to its
/// component.
typedef struct VortonStream {
    /// What it is: VORTON_POSITION, ...
    uint32_t semantic;
    /// How it is stored: VORTON_F32X3, ...
    uint32_t format;
    /// Bytes from one particle to the next.
    uint32_t stride;
    /// Bytes from base (or from a table's pointer) to the attribute.
    uint32_t offset;
    /// The array; ignored with a table.
    void *base;
} VortonStream;

/// The host's particles, as they lie in memory. Fill it with vorton_particle_view_init, then set what you
/// need.
typedef struct VortonParticleView {
    /// sizeof(VortonParticleView); set by vorton_particle_view_init.
    uint32_t struct_size;
    /// Number of streams, at most VORTON_MAX_STREAMS.
    uint32_t stream_count;
    /// Particles that exist.
    size_t count;
    /// Particles for which there is memory, at least count; only emission uses the rest.
    size_t capacity;
    /// The attributes.
    const struct VortonStream *streams;
    /// NULL; or the addresses of capacity particles, for hosts that keep a list of pointers: attributes are
    /// at table[i] + offset. No two may be the same.
    void *const *table;
    /// NULL (with an index_count of 0): visit all particles. Otherwise the particles to visit, strictly
    /// ascending; a list of none needs an address, too.
    const uint32_t *indices;
    /// Number of indices.
    size_t index_count;
    /// Bytes of one whole particle of an array of structures; only compaction needs it. 0 otherwise.
    size_t element_size;
} VortonParticleView;

/// What emission writes into one attribute: value + spread * (u - 1/2), u uniform in [0, 1) for each
/// component.
typedef struct VortonEmitValue {
    /// The attribute, a stream of the view.
    uint32_t semantic;
    /// 0.
    uint32_t reserved;
    /// Centre of the values; scalars use the first.
    double value[3];
    /// Full width of the random part.
    float spread[3];
    /// 0.
    uint32_t reserved2;
} VortonEmitValue;

/// An operation's parameters. Fill it with vorton_op_def_init, then change what the type uses.
typedef struct VortonOpDef {
    /// sizeof(VortonOpDef); set by vorton_op_def_init.
    uint32_t struct_size;
    /// VORTON_OP_...
    uint32_t type;
    /// ACCELERATE [m/s^2], WIND [m/s].
    struct VortonVec3 vector;
    /// VELOCITY, TURBULENCE, WIND and SPIN: share per second, exponential [1/s], VORTON_RATE_AT_ONCE by
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
    /// SAMPLE_SCALAR: VORTON_DENSITY, VORTON_TEMPERATURE or an attribute of yours, each for any quantity. 0
    /// (the default): the stream of the quantity's name; dye goes to VORTON_USER0.
    uint32_t into;
    /// TURBULENCE: how much of the eddies, at least 0; 1 (the default) as in Kolmogorov's spectrum.
    float intensity;
    /// EMIT: what new particles are; copied. Attributes without a value get 0 (age: see timing; lifetime: for
    /// ever; orientation: no turn, and it takes no value).
    const struct VortonEmitValue *values;
    /// EMIT: seed of the random numbers. TURBULENCE: particles with the same seed are in the same eddies; 1
    /// (the default) are those of tracers.
    uint64_t seed;
    /// BODIES: speed away from the surface after the touch as a share of the speed into it before, 0 to 1.
    /// Default 0.
    float restitution;
    /// BODIES: share of the speed along the surface that a touch takes, 0 (slides, the default) to 1
    /// (sticks).
    float friction;
    /// BODIES: mass of one particle [kg]. Default 0: bodies do not feel it.
    float mass;
    /// VELOCITY, TURBULENCE: factor on the velocity, any finite number. What 1 m/s is in your unit of
    /// velocity (0.001 for metres per millisecond), or how much of the flow shows. Where the fluid is sampled
    /// does not depend on it; ADVECT and BODIES take velocities in m/s. Default 1.
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

/// An axis-aligned box.
typedef struct VortonAabb {
    /// Least corner.
    struct VortonVec3 min;
    /// Greatest corner.
    struct VortonVec3 max;
} VortonAabb;

/// What a run of operations did. Fill it with vorton_op_result_init, then set kill_list and kill_capacity if
/// there is an operation that lists.
typedef struct VortonOpResult {
    /// sizeof(VortonOpResult); set by vorton_op_result_init.
    uint32_t struct_size;
    /// 1 if `bounds` has been computed and there was a particle to bound.
    uint32_t has_bounds;
    /// Particles after the run: the view's count, unless EMIT or KILL with VORTON_KILL_COMPACT has changed
    /// it.
    size_t count;
    /// Particles killed.
    size_t killed;
    /// Particles that compaction has taken out: killed now, or marked before.
    size_t removed;
    /// Particles emitted.
    size_t emitted;
    /// Particles that EMIT could not place for want of capacity.
    size_t not_emitted;
    /// Particles left untouched by an operation because a value that it reads was not finite.
    size_t non_finite;
    /// In: room for VORTON_KILL_LIST, or NULL.
    uint32_t *kill_list;
    /// In: number of indices that fit into kill_list.
    size_t kill_capacity;
    /// Bounding box of the living particles.
    struct VortonAabb bounds;
    /// Particles that met a body.
    size_t hits;
} VortonOpResult;

/// What a world has counted, and what its last step took (of several steps in a frame: the last one). Fill
/// it with vorton_stats_init before the call.
typedef struct VortonStats {
    /// sizeof(VortonStats); set by vorton_stats_init.
    uint32_t struct_size;
    /// Threads that take part.
    uint32_t workers;
    /// Steps taken.
    uint64_t steps;
    /// Simulated time [s].
    double time;
    /// Vortons alive, those of the halo included.
    uint64_t vortons;
    /// Tracers alive, in all sets.
    uint64_t tracers;
    /// Vortons that emitters and the halo could not add for want of room: raise max_vortons.
    uint64_t not_added;
    /// Vortons removed because of their age.
    uint64_t expired;
    /// Vortons removed because their position, strength, mass or dye was not finite any more: steps were too
    /// long for the flow.
    uint64_t non_finite;
    /// Tracers removed because their position was not finite any more, in all sets.
    uint64_t lost_tracers;
    /// Vortons of the halo born so far: VORTON_VORTON_HALO.
    uint64_t halo_born;
    /// Vortons of the halo gone so far, because they were of no use any more.
    uint64_t halo_retired;
    /// Nodes of the mesh in the last step; 0: velocity was summed directly.
    uint64_t mesh_nodes;
    /// Vortons outside of the mesh in the last step, which were summed directly: right, but slow. Raise
    /// max_grid_nodes.
    uint64_t mesh_outside;
    /// Vortons with mass or dye outside of all of density's boxes in the last step: gravity did not see them.
    /// Raise max_grid_nodes.
    uint64_t density_outside;
    /// Length of the last step times the largest velocity gradient in it. A step of fourth order (solves) is
    /// accurate below about 1, one of second order below about 0.3. Above VORTON_STRETCH_FOLLOWED not even
    /// one of fourth order follows the flow: take smaller steps, or let vorton_world_advance take them.
    float stretch_number;
    /// Largest velocity gradient [1/s] at a vorton with strength in the last step, also after a step with
    /// dt 0. A frame of length T wants about T * max_gradient steps: vorton_world_advance takes them.
    float max_gradient;
    /// Share of the vorticity that density made in the last step which found no vorton near: next to 0 unless
    /// max_vortons is reached.
    float baroclinic_lost;
    /// Passes of diffusion in the last step.
    uint32_t diffusion_passes;
    /// Share of the last step's diffusion that was done: below 1 where it was too much for the most passes
    /// there may be.
    float diffused_share;
    /// Milliseconds that the last vorton_world_step took: all stages below, and publishing the field.
    float step_ms;
    /// Milliseconds of the last step: emitters.
    float emit_ms;
    /// Milliseconds of the last step: the halo comes and goes.
    float halo_ms;
    /// Milliseconds of the last step: the velocity solves.
    float velocity_ms;
    /// Milliseconds of the last step: gravity and density make vorticity.
    float baroclinic_ms;
    /// Milliseconds of the last step: advance of positions and strengths.
    float advance_ms;
    /// Milliseconds of the last step: vorticity, heat and dye spread.
    float diffuse_ms;
    /// Milliseconds of the last step: relaxation.
    float relax_ms;
    /// Milliseconds of the last step: bodies.
    float bodies_ms;
    /// Milliseconds of the last step: ageing and removal.
    float remove_ms;
    /// Milliseconds of the last step: tracers, in all sets.
    float tracers_ms;
    /// Viscosity [m^2/s] in the last step: VortonWorldDef.viscosity, and what smagorinsky added.
    float viscosity;
    /// Bodies there are.
    uint32_t bodies;
    /// Shapes there are, of all bodies.
    uint32_t shapes;
    /// Vortons that were so near to a body in the last step (VortonWorldDef.shedding_depth) that they took up
    /// what it sheds. 0: bodies did nothing to the fluid.
    uint32_t body_contacts;
    /// Velocity solves for the motion in the last step: 1 of one that the last two lead, 2 with a correction
    /// (VortonWorldDef.multistep) and of any other of second order, 4 of one of fourth order
    /// (VortonWorldDef.fourth_order_above).
    uint32_t solves;
    /// Milliseconds of the last step: energy beyond the budget was taken out.
    float energy_ms;
    /// Energy per density [m^5/s^2] of the vortons and of the bound vorticity of bodies, at the start of the
    /// last step, at its middle if its start was not solved for (multistep), at its end if it took four
    /// solves; of the fluid's side of half-spaces; 0 without energy_budget. Of the steps whose start is not
    /// solved for every second one does not sum it while it is clear of what energy_budget allows: this is
    /// then the last sum.
    double energy;
    /// Energy per density [m^5/s^2] that the budget took out in the last step: 0 for flows that the vortons
    /// resolve. If at most 2 % of the energy was taken out, this is an estimate from its slope: the energy
    /// falls by a few percent less, in noise by up to a third less; on a mesh by some tenths less or more.
    double energy_removed;
    /// Steps so far in which the budget had to scale all strengths.
    uint64_t energy_scalings;
    /// Least source of vorticity in the last step, as a share of the strongest one around, for which a vorton
    /// of the halo was born where none was near: 0.02; more if max_vortons left no room for weaker ones; 0 if
    /// density made no vorticity.
    float halo_threshold;
    /// Vortons of the halo alive: VORTON_VORTON_HALO.
    uint32_t halo_vortons;
    /// Nodes of the mesh to each core radius in the last step: VortonWorldDef.nodes_per_core, or fewer where
    /// that mesh would have left many vortons outside (VortonWorldDef.max_grid_nodes); 0: velocity was summed
    /// directly.
    float nodes_per_core;
    /// VORTON_QUALITY_...: quality of the last step; full but for vorton_world_step_within.
    uint32_t quality;
    /// VORTON_TRACERS_...: the quality that the budget allowed for tracers. Over a step that is too fast for
    /// it they are moved with more samples.
    uint32_t tracer_quality;
    /// Milliseconds that vorton_world_step_within expected of the last step, as its budget measures them,
    /// tracers aside; 0 of any other step.
    float expected_ms;
    /// The same of tracers.
    float expected_tracers_ms;
    /// 0.
    uint32_t reserved;
    /// How often one of the two has changed.
    uint64_t quality_changes;
    /// Vortons removed in kill volumes: vorton_world_set_kill_volumes.
    uint64_t killed;
    /// Tracers removed in kill volumes, of all sets.
    uint64_t killed_tracers;
    /// Vortons that have become part of another because flow along a surface has led both to one place, and
    /// their ids with them. The one that stays, the older one unless it is of the halo, has the strength,
    /// mass and dye of both, and the volume of both but for the halo's.
    uint64_t merged;
} VortonStats;

/// What an unbounded inviscid flow conserves, by itself and with bodies in it. Fill it with
/// vorton_invariants_init before the call, and set flags.
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
    /// Sum of the lengths of the strengths [m^3/s]: the scale to judge total_strength by.
    double strength_magnitude;
    /// Largest strength [m^3/s].
    double max_strength;
    /// Kinetic energy per density [m^5/s^2] of the vortons without images in half-spaces; 0 without
    /// VORTON_INVARIANTS_PAIRS.
    double energy;
    /// Helicity [m^4/s^2]; 0 without VORTON_INVARIANTS_PAIRS.
    double helicity;
    /// Strength that bodies hold [m^3/s]: what vortons got at their surfaces is missing inside of them.
    /// total_strength + bound_strength does not change when bodies and vortons meet.
    double bound_strength[3];
    /// Its part of the impulse [m^4/s], and what fluid has that moves with bodies of VORTON_BODY_NO_THROUGH,
    /// known from their second step on. density * (linear_impulse + bound_impulse), the momentum of your
    /// bodies and what vorton_bodies_take_impulses has for them do not change together when bodies and
    /// vortons meet. What goes into static and kinematic bodies leaves that sum.
    double bound_impulse[3];
} VortonInvariants;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// The ABI version that the library was built with.
VORTON_API uint32_t vorton_abi_version(void);

/// The version of the library: major << 24 | minor << 16 | patch << 8.
VORTON_API uint32_t vorton_version(void);

/// One line about the build (version, target, float rules), for logs and bug reports. Static; do not free.
VORTON_API const char *vorton_build_info(void);

/// Checks that a program and this library fit together. Call it first, as
/// vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION).
///
/// @return VORTON_OK, or VORTON_ERR_ABI with both versions in vorton_last_error.
VORTON_API VortonResult vorton_check_abi(uint32_t header_abi, uint32_t header_version);

/// Sets the function that receives the library's log lines (NULL: none, the default); replaces the one
/// before.
///
/// @param function  see VortonLogFn; is called from any thread until another call of vorton_set_log has
///     returned
/// @param user      passed to it as it is
/// @param min_level least level to report: VORTON_LOG_INFO, VORTON_LOG_WARNING or VORTON_LOG_ERROR (failures;
///     busy is INFO)
VORTON_API VortonResult vorton_set_log(VortonLogFn function, void *user, int32_t min_level);

/// The name of a result code, such as "VORTON_ERR_NULL". Static; do not free.
VORTON_API const char *vorton_result_name(VortonResult result);

/// Copies the text of this thread's last failure into `buffer`, cut to `capacity` and always terminated. A
/// later success does not erase it.
///
/// @param buffer may be NULL if capacity is 0
/// @return the bytes needed for the whole text with its terminator
VORTON_API size_t vorton_last_error(char *buffer, size_t capacity);

/// Makes all memory of the library come from the host, for good. Call it before any other function, those
/// that fill in defaults and vorton_check_abi among them: it is refused once the library has memory. Both
/// functions have to work until the process ends.
///
/// @param allocate gives memory
/// @param free     takes it back
/// @param user     passed to both as it is
/// @return VORTON_ERR_TOO_LATE if the library has memory already; VORTON_ERR_NULL without a sentence if a
///     function is NULL
VORTON_API VortonResult vorton_set_allocator(VortonAllocateFn allocate, VortonFreeFn free, void *user);

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonMemory)
VORTON_API VortonResult vorton_memory_init(struct VortonMemory *out, uint32_t struct_size);

/// Tells how much memory the library has, of all worlds together. May be called at any time.
VORTON_API VortonResult vorton_memory(struct VortonMemory *out);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonWorldDef)
VORTON_API VortonResult vorton_world_def_init(struct VortonWorldDef *out, uint32_t struct_size);

/// Fills a budget with the defaults.
///
/// @param struct_size sizeof(VortonBudget)
VORTON_API VortonResult vorton_budget_init(struct VortonBudget *out, uint32_t struct_size);

/// Creates a world. All memory that its steps need is taken now, except that of nodes
/// (VortonWorldDef.max_grid_nodes). There may be VORTON_MAX_WORLDS at a time, each with VORTON_MAX_OBJECTS
/// objects of each kind; beyond that, creating answers VORTON_ERR_CAPACITY.
VORTON_API VortonResult vorton_world_create(const struct VortonWorldDef *def, struct VortonWorldId *out);

/// Destroys a world and everything in it; all its ids become stale. Its memory is free and the threads of its
/// pool have ended when this returns, unless another thread is just making a call on it: that call goes on
/// unharmed and cleans up at its end.
VORTON_API VortonResult vorton_world_destroy(struct VortonWorldId world);

/// True if the id names a living world.
VORTON_API bool vorton_world_is_valid(struct VortonWorldId world);

/// Advances the world by dt seconds in one step and publishes the new field: emitters, vortons and bodies,
/// then every tracer set. Second order in time, or fourth where dt is long for the flow
/// (VortonWorldDef.fourth_order_above). Does not allocate in steady state: only a mesh that changes its size,
/// or is expected to, takes memory.
///
/// Keep VortonStats.stretch_number below about 1: where the flow is faster, several smaller steps are better.
/// vorton_world_advance takes as many as it needs. A negative dt runs time backwards (without relaxation,
/// diffusion and emission); 0 only publishes the present field.
///
/// @param dt finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @return VORTON_NOTE_TOO_COARSE if VortonStats.stretch_number was above VORTON_STRETCH_FOLLOWED
VORTON_API VortonResult vorton_world_step(struct VortonWorldId world, float dt);

/// Advances the world by dt seconds in as many equal steps as its flow needs: each as vorton_world_step,
/// tracers and bodies included. The field is published once, after the last.
///
/// How many there must be is known from VortonStats.max_gradient, that of the last step. Where vortons have
/// been added since, or no step was taken yet, a step of dt 0 looks at the flow first; it is not counted.
/// Operations on particles that follow each step of the world are best run *out_steps times, with a dt of dt
/// / *out_steps.
///
/// @param dt          finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param max_stretch largest VortonStats.stretch_number to aim at, positive: 0.3 is accurate at second
///     order, 1 at fourth, which long steps have (VortonWorldDef.fourth_order_above)
/// @param max_steps   most steps, at least 1
/// @param out_steps   NULL, or receives how many there were
/// @return VORTON_NOTE_TOO_COARSE if more than max_steps were needed, or VortonStats.stretch_number was above
///     VORTON_STRETCH_FOLLOWED
///     in one of them
VORTON_API
VortonResult vorton_world_advance(struct VortonWorldId world,
                                  float dt,
                                  float max_stretch,
                                  uint32_t max_steps,
                                  uint32_t *out_steps);

/// Advances the world by dt seconds in one step, as vorton_world_step does, at the best quality that is
/// expected to cost no more than the budget. VortonStats.quality and tracer_quality say which that was,
/// expected_ms and expected_tracers_ms what was expected of it. Quality gives way before a step that would
/// cost more; it comes back when the better one would have cost less than 0.8 of the limit for 30 steps, or
/// for more where it did not last. No limit is kept below what the cheapest quality costs. A world that is
/// stepped by vorton_world_step or vorton_world_advance again has full quality again.
///
/// @param dt     finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param budget what the step may cost
/// @return as vorton_world_step
VORTON_API
VortonResult vorton_world_step_within(struct VortonWorldId world,
                                      float dt,
                                      const struct VortonBudget *budget);

/// Changes the uniform velocity [m/s] of the whole fluid from the next step on.
VORTON_API VortonResult vorton_world_set_wind(struct VortonWorldId world, struct VortonVec3 wind);

/// Changes gravity [m/s^2] from the next step on.
VORTON_API VortonResult vorton_world_set_gravity(struct VortonWorldId world, struct VortonVec3 gravity);

/// Changes viscosity and the diffusivity of heat and dye [m^2/s], both at least 0, from the next step on.
/// Allocates when diffusion is switched on for the first time.
VORTON_API
VortonResult vorton_world_set_diffusion(struct VortonWorldId world,
                                        float viscosity,
                                        float diffusivity);

/// Changes the relaxation rate [1/s] from the next step on.
VORTON_API VortonResult vorton_world_set_relaxation_rate(struct VortonWorldId world, float rate);

/// A hash of all vortons, bodies and the time, not of tracers and emitters. Equal fluids have equal hashes on
/// any number of threads: compare it between machines of a network game that run the same build.
///
/// While another thread steps or changes the world, the hash is that of the last completed step. Only the
/// first such call, and others until the step that runs then has ended, answer VORTON_ERR_BUSY: from then on
/// each step of the world finds its hash, which takes some 12 ns for each vorton. Between steps a hash that
/// the last step has found is not found again.
VORTON_API VortonResult vorton_world_hash(struct VortonWorldId world, uint64_t *out);

/// The density [kg/m^3] of fluid of a temperature [K], both positive, by the world's equation of state.
VORTON_API
VortonResult vorton_world_density_from_temperature(struct VortonWorldId world,
                                                   float temperature,
                                                   float *out);

/// The temperature [K] of fluid of a density [kg/m^3], both positive, by the world's equation of state.
VORTON_API
VortonResult vorton_world_temperature_from_density(struct VortonWorldId world,
                                                   float density,
                                                   float *out);

/// The mass deviation [kg] of a volume [m^3] of fluid of a temperature [K]: what to put into
/// VortonVorton.mass_deviation for warm (negative: it rises) or cold fluid. Relative to ambient_density;
/// stratification is not looked at.
VORTON_API
VortonResult vorton_world_mass_deviation(struct VortonWorldId world,
                                         float volume,
                                         float temperature,
                                         float *out);

/// Adds vortons, all or none.
///
/// @param vortons      count of them; ids and the flag VORTON_VORTON_HALO are ignored
/// @param out_first_id NULL, or receives the id of the first; the others follow
VORTON_API
VortonResult vorton_vortons_add(struct VortonWorldId world,
                                const struct VortonVorton *vortons,
                                size_t count,
                                uint64_t *out_first_id);

/// Copies the vortons out, in the order in which they were added.
///
/// @param out       room for capacity vortons; may be NULL if capacity is 0
/// @param out_count receives the number of vortons, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only asks for the
///         count, and is VORTON_OK.
VORTON_API
VortonResult vorton_vortons_read(struct VortonWorldId world,
                                 struct VortonVorton *out,
                                 size_t capacity,
                                 size_t *out_count);

/// Removes the vortons with these ids; ids that no vorton has are ignored.
///
/// @param out_removed NULL, or receives how many went
VORTON_API
VortonResult vorton_vortons_remove(struct VortonWorldId world,
                                   const uint64_t *ids,
                                   size_t count,
                                   size_t *out_removed);

/// Removes all vortons.
VORTON_API VortonResult vorton_vortons_clear(struct VortonWorldId world);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonInitialDef)
/// @param type        VORTON_INITIAL_...
VORTON_API
VortonResult vorton_initial_def_init(struct VortonInitialDef *out,
                                     uint32_t struct_size,
                                     uint32_t type);

/// Adds an initial condition to the fluid, all of it or nothing. The prescribed circulation or mass is
/// delivered exactly (circulation: without strength_disturbance).
///
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added
VORTON_API
VortonResult vorton_add_initial(struct VortonWorldId world,
                                const struct VortonInitialDef *def,
                                uint64_t *out_first_id,
                                size_t *out_count);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonEmitterDef)
VORTON_API VortonResult vorton_emitter_def_init(struct VortonEmitterDef *out, uint32_t struct_size);

/// Creates an emitter. It sheds vortons at the beginning of each step, in order of creation, as long as
/// max_vortons leaves room (VortonStats.not_added counts the rest). A ring of a nozzle is shed whole or not
/// at all. Vortons of a nozzle that are due within a step are spread along the jet and then move with the
/// step, so they are up to nozzle_speed * dt in front of the disc when the step ends. Tracers come out as the
/// step ends: from the disc on along the jet, as far as no body is in the way.
VORTON_API
VortonResult vorton_emitter_create(struct VortonWorldId world,
                                   const struct VortonEmitterDef *def,
                                   struct VortonEmitterId *out);

/// Destroys an emitter; what it has shed stays.
VORTON_API VortonResult vorton_emitter_destroy(struct VortonWorldId world, struct VortonEmitterId emitter);

/// True if the id names a living emitter of this world. Does not wait for a step.
VORTON_API bool vorton_emitter_is_valid(struct VortonWorldId world, struct VortonEmitterId emitter);

/// Moves an emitter: where its box is from the next step on.
VORTON_API
VortonResult vorton_emitter_set_pose(struct VortonWorldId world,
                                     struct VortonEmitterId emitter,
                                     struct VortonVec3 position,
                                     struct VortonQuat rotation);

/// Changes the rate [vortons per second] of an emitter, at least 0.
VORTON_API
VortonResult vorton_emitter_set_rate(struct VortonWorldId world,
                                     struct VortonEmitterId emitter,
                                     float rate);

/// Sheds `count` extra vortons at the beginning of the next step.
VORTON_API
VortonResult vorton_emitter_burst(struct VortonWorldId world,
                                  struct VortonEmitterId emitter,
                                  uint32_t count);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonTracersDef)
VORTON_API VortonResult vorton_tracers_def_init(struct VortonTracersDef *out, uint32_t struct_size);

/// Creates an empty set of tracers. Every step of the world moves them with the flow.
VORTON_API
VortonResult vorton_tracers_create(struct VortonWorldId world,
                                   const struct VortonTracersDef *def,
                                   struct VortonTracersId *out);

/// Destroys a set of tracers. Emitters that feed the set continue without tracers.
VORTON_API VortonResult vorton_tracers_destroy(struct VortonWorldId world, struct VortonTracersId tracers);

/// True if the id names a living set of tracers of this world. Does not wait for a step.
VORTON_API bool vorton_tracers_is_valid(struct VortonWorldId world, struct VortonTracersId tracers);

/// Adds tracers at these positions [m], all or none.
///
/// @param positions count of them
/// @param tags      NULL (all 0), or count numbers of yours, such as a dye or an emitter, which stay with the
///     tracers
/// @param values    NULL (all 0), or count numbers to show; steps overwrite them if VortonTracersDef.show
///     says so
VORTON_API
VortonResult vorton_tracers_add(struct VortonWorldId world,
                                struct VortonTracersId tracers,
                                const struct VortonVec3 *positions,
                                const uint32_t *tags,
                                const float *values,
                                size_t count);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonImpliedDef)
VORTON_API VortonResult vorton_implied_def_init(struct VortonImpliedDef *out, uint32_t struct_size);

/// Adds tracers where the density of the vortons, as they are now, deviates from the ambient's: all or none.
/// No step is needed before. Their values are what the set shows, or the density deviation [kg/m^3] in a set
/// that shows nothing. Allocates.
///
/// @param out_count NULL, or receives the number of tracers added
/// @return VORTON_ERR_CAPACITY if they do not fit into the set
VORTON_API
VortonResult vorton_tracers_add_implied(struct VortonWorldId world,
                                        struct VortonTracersId tracers,
                                        const struct VortonImpliedDef *def,
                                        size_t *out_count);

/// Removes all tracers of a set.
VORTON_API VortonResult vorton_tracers_clear(struct VortonWorldId world, struct VortonTracersId tracers);

/// Copies tracers out, straight into a vertex buffer if you like. Their order changes from time to time (the
/// set sorts itself by place); the ids say which is which.
///
/// While another thread steps or changes the world, a set with VortonTracersDef.readable_during_steps gives
/// its tracers as the last completed step has left them; any other set answers VORTON_ERR_BUSY.
///
/// @param positions       NULL, or room for capacity positions, three floats each
/// @param position_stride bytes from one position to the next, a multiple of 4 and at least 12; ignored
///     without positions
/// @param ids             NULL, or room for capacity ids: 0 for the first tracer ever added to the set, and
///     so on (removing
///                        does not start anew; wraps after 2^32)
/// @param tags            NULL, or room for capacity tags
/// @param ages            NULL, or room for capacity ages [s]
/// @param values          NULL, or room for capacity values: what VortonTracersDef.show says, or what was
///     given
/// @param out_count       receives the number of tracers, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only asks for the
///         count, and is VORTON_OK.
VORTON_API
VortonResult vorton_tracers_read(struct VortonWorldId world,
                                 struct VortonTracersId tracers,
                                 float *positions,
                                 uint32_t position_stride,
                                 uint32_t *ids,
                                 uint32_t *tags,
                                 float *ages,
                                 float *values,
                                 size_t capacity,
                                 size_t *out_count);

/// Gives the tracers of a set as the last completed step has left them, without a copy, also while another
/// thread makes the next step. The set has to have VortonTracersDef.readable_during_steps. They stay as they
/// are until vorton_tracers_release or until the world is destroyed, also when the set is changed or
/// destroyed. Tracers that were added since are not among them. Where rows are held while two steps end, the
/// set takes memory for its capacity once more, up to three times, and keeps it.
///
/// @param struct_size sizeof(VortonTracerRows)
/// @return VORTON_ERR_BAD_VALUE for a set that is not readable during steps; VORTON_ERR_CAPACITY while 1024
///     have not been released
VORTON_API
VortonResult vorton_tracers_acquire(struct VortonWorldId world,
                                    struct VortonTracersId tracers,
                                    struct VortonTracerRows *out,
                                    uint32_t struct_size);

/// Ends the use of rows that vorton_tracers_acquire has given: their arrays may not be read any more. Any
/// thread may do so, also while a step runs.
///
/// @param lease VortonTracerRows.lease
/// @return VORTON_ERR_STALE_ID if there is none of this number, or it has been released
VORTON_API VortonResult vorton_tracers_release(struct VortonWorldId world, uint64_t lease);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonBodyDef)
VORTON_API VortonResult vorton_body_def_init(struct VortonBodyDef *out, uint32_t struct_size);

/// Creates a body without shapes, which touches nothing; give it some with vorton_shape_create, in
/// coordinates whose origin is its centre of mass.
VORTON_API
VortonResult vorton_body_create(struct VortonWorldId world,
                                const struct VortonBodyDef *def,
                                struct VortonBodyId *out);

/// Destroys a body and its shapes. Impulses that were not taken are lost.
VORTON_API VortonResult vorton_body_destroy(struct VortonWorldId world, struct VortonBodyId body);

/// True if the id names a living body of this world. Does not wait for a step.
VORTON_API bool vorton_body_is_valid(struct VortonWorldId world, struct VortonBodyId body);

/// The number of a body, 1 to VORTON_MAX_OBJECTS, that VORTON_HIT streams hold: stays the same for as long as
/// the body lives, and may belong to another one afterwards. Small: fit for an array of yours.
VORTON_API
VortonResult vorton_body_number(struct VortonWorldId world,
                                struct VortonBodyId body,
                                uint32_t *out);

/// Says how a body moves: where it is at the world's present time, and with which velocities the engine lets
/// it move on. The next step clears the body's whole way, from where it was at the end of the last step to
/// where it is then.
///
/// Impulses that have not been taken yet move the body inside of the library, from the step that gave them
/// on: the library adds the change of velocity that they make to the state that is set, and a body whose
/// state is not set goes on as it went, pushed by them. So any number of fluid steps may be taken in one
/// engine step, with the impulses taken and the states set once, in either order: nothing counts twice, if
/// each impulse that is taken has been applied to the engine's body before the next state is set. Impulses
/// that are not taken within .25 s of steps are left out of states that are set from then on; so are all if
/// none was ever taken.
///
/// What the engine does by itself (weight, floors, joints) is measured from one state to the next, and taken
/// to go on during a step.
///
/// Coordinates are at most 1e9 m, velocities 1e6 m/s and angular velocities 1e6 rad/s, along each axis;
/// others are refused.
VORTON_API
VortonResult vorton_body_set_state(struct VortonWorldId world,
                                   struct VortonBodyId body,
                                   const struct VortonBodyState *state);

/// Sets a body down somewhere else (teleports it): as vorton_body_set_state, but without a way from where it
/// was. The next step pushes out what is inside of it there; or remove that before, with
/// vorton_world_remove_embedded.
VORTON_API
VortonResult vorton_body_place(struct VortonWorldId world,
                               struct VortonBodyId body,
                               const struct VortonBodyState *state);

/// Reads how a body moves: as last set, advanced by the steps since, and pushed by all impulses, taken or
/// not.
VORTON_API
VortonResult vorton_body_read(struct VortonWorldId world,
                              struct VortonBodyId body,
                              struct VortonBodyState *out);

/// Reads the added inertia of a body, of all its shapes together: see vorton_shape_added_inertia, also for
/// the order of the numbers. Where shapes overlap, nothing counts twice. All 0 if it has no shapes; refused
/// if it has holes, half-spaces, meshes or height fields. The first call after the body's shapes have changed
/// takes up to 0.7 s and allocates, during which steps of this world on other threads answer VORTON_ERR_BUSY:
/// call it while loading. Later calls only read.
///
/// @param out 21 floats [m^3], [m^4], [m^5]
VORTON_API
VortonResult vorton_body_added_inertia(struct VortonWorldId world,
                                       struct VortonBodyId body,
                                       float *out);

/// Changes a body's temperature [K], positive.
VORTON_API
VortonResult vorton_body_set_temperature(struct VortonWorldId world,
                                         struct VortonBodyId body,
                                         float temperature);

/// Changes a body's inertia tensor (see VortonBodyDef.inertia).
///
/// @param inertia 9 floats [kg m^2]; NULL or all 0: the mass is spread evenly over the shapes
VORTON_API
VortonResult vorton_body_set_inertia(struct VortonWorldId world,
                                     struct VortonBodyId body,
                                     const float *inertia);

/// Changes a body's mass [kg]; 0: impulses do not move it (see VortonBodyDef.mass). An inertia tensor that
/// has been told stays.
VORTON_API
VortonResult vorton_body_set_mass(struct VortonWorldId world,
                                  struct VortonBodyId body,
                                  float mass);

/// Takes what the fluid has given to a body since this was last taken; it adds up over steps until then. See
/// vorton_body_set_state for how that goes together with states.
VORTON_API
VortonResult vorton_body_take_impulse(struct VortonWorldId world,
                                      struct VortonBodyId body,
                                      struct VortonBodyImpulse *out);

/// vorton_body_set_state for many bodies, all or none: the states may lie in structs of yours. Of an id that
/// stands twice, the last state counts. Does not allocate in steady state.
///
/// @param ids    count of them
/// @param states the state of ids[i] begins i * stride bytes after this
/// @param stride bytes from one state to the next, a multiple of 4; 0: sizeof(VortonBodyState)
VORTON_API
VortonResult vorton_bodies_set_states(struct VortonWorldId world,
                                      const struct VortonBodyId *ids,
                                      const struct VortonBodyState *states,
                                      size_t stride,
                                      size_t count);

/// vorton_body_take_impulse for many bodies, all or none. An id that stands twice gets everything at its
/// first place and nothing at the others. Does not allocate in steady state.
///
/// @param ids    count of them
/// @param out    the impulse of ids[i] is written i * stride bytes after this
/// @param stride bytes from one impulse to the next, a multiple of 4; 0: sizeof(VortonBodyImpulse)
VORTON_API
VortonResult vorton_bodies_take_impulses(struct VortonWorldId world,
                                         const struct VortonBodyId *ids,
                                         struct VortonBodyImpulse *out,
                                         size_t stride,
                                         size_t count);

/// Removes all vortons and tracers that are inside of bodies: after creating bodies in fluid that is there
/// already, say, or after vorton_body_place. Bodies are where the last step left them, or where they were
/// created or placed since (a state set for the next step does not count yet). What the vortons turned there,
/// their body holds from now on. Steps need no help: they keep particles outside. Allocates.
///
/// @param margin      distance [m] from the surfaces within which particles go, too, at least 0
/// @param out_vortons NULL, or receives how many vortons went
/// @param out_tracers NULL, or receives how many tracers went, of all sets
VORTON_API
VortonResult vorton_world_remove_embedded(struct VortonWorldId world,
                                          float margin,
                                          size_t *out_vortons,
                                          size_t *out_tracers);

/// Changes a body's heat transfer coefficient [W/(m^2 K)], at least 0; 0 insulates (see
/// VortonBodyDef.heat_transfer).
VORTON_API
VortonResult vorton_body_set_heat_transfer(struct VortonWorldId world,
                                           struct VortonBodyId body,
                                           float heat_transfer);

/// Changes a body's heat capacity [J/K]; 0: its temperature stays what it is (see
/// VortonBodyDef.heat_capacity).
VORTON_API
VortonResult vorton_body_set_heat_capacity(struct VortonWorldId world,
                                           struct VortonBodyId body,
                                           float heat_capacity);

/// Puts a body to sleep or wakes it, as its engine has done. Bodies are created awake.
///
/// While it sleeps, a body stays exactly where it is, with velocities 0: nothing in the fluid moves it, and
/// the fluid does not count on its giving way. It is in the way as before, and exchanges heat as before. It
/// gets no lift, because something balances that; what pushes it adds up for vorton_body_take_impulse as
/// before. So an engine puts bodies to sleep by its own rules, and in each frame the host looks whether the
/// fluid wakes one:
///
/// - vorton_bodies_take_impulses; the push of each body is linear - lift_linear;
/// - a body that sleeps and has been pushed by more than a threshold: wake the engine's body, call
///   vorton_body_set_awake(true), and apply the impulse;
/// - a body that is awake: apply the impulse; for the engine's sleep timer, only the push counts;
/// - the engine's own step; then vorton_body_set_awake(false) for each body that the engine has put to sleep.
///
/// A push that is too weak to wake a body, and is not applied, goes to what holds the body in place. Either
/// way, the impulses that were handed out are what the fluid has lost.
///
/// When a body falls asleep, lift that has not been taken is dropped, and pushes are kept. When it wakes, it
/// starts from rest, and pushes that have not been taken move it (see vorton_body_set_state). A state that
/// is set while it sleeps moves it, but its velocities are ignored, and it sleeps on: states of sleeping
/// bodies may be set in each frame, or left out. Mass and inertia count from when it wakes.
///
/// @param awake true: wakes; false: sleeps. Without effect on a body that does so already.
VORTON_API
VortonResult vorton_body_set_awake(struct VortonWorldId world,
                                   struct VortonBodyId body,
                                   bool awake);

/// Tells whether a body is awake.
VORTON_API VortonResult vorton_body_is_awake(struct VortonWorldId world, struct VortonBodyId body, bool *out);

/// Fills a definition with the defaults of a shape: a ball of diameter 1, a box of edge 1, a capsule of
/// length 2 and width 1, a cylinder of height and width 1, no points, planes, triangles or heights yet, or a
/// floor; in the middle of its body.
///
/// @param struct_size sizeof(VortonShapeDef)
/// @param type        VORTON_SHAPE_...
VORTON_API
VortonResult vorton_shape_def_init(struct VortonShapeDef *out,
                                   uint32_t struct_size,
                                   uint32_t type);

/// Gives a body one more shape. Shapes of a body may overlap; what two of them share is lifted twice, then.
///
/// @param out NULL, or receives the shape's id: only vorton_shape_destroy asks for it, and a body's shapes go
///     with the body
VORTON_API
VortonResult vorton_shape_create(struct VortonWorldId world,
                                 struct VortonBodyId body,
                                 const struct VortonShapeDef *def,
                                 struct VortonShapeId *out);

/// Takes a shape from its body.
VORTON_API VortonResult vorton_shape_destroy(struct VortonWorldId world, struct VortonShapeId shape);

/// True if the id names a shape of a living body of this world. Does not wait for a step.
VORTON_API bool vorton_shape_is_valid(struct VortonWorldId world, struct VortonShapeId shape);

/// Computes what a shape weighs, for making the engine's body from it; needs no world. If the centroid is not
/// 0, subtract it from VortonShapeDef.position before creating the shape: the origin of a body is its centre
/// of mass. Half-spaces, meshes and height fields are refused: nothing moves their bodies.
VORTON_API
VortonResult vorton_shape_mass_properties(const struct VortonShapeDef *def,
                                          struct VortonMassProperties *out);

/// Computes the added inertia of a solid: the inertia of the fluid that it has to accelerate with itself, in
/// fluid of density 1, in the axes of its body and about the body's origin, its centre of mass; needs no
/// world. For engines whose bodies can have an inertia of six by six numbers: not together with
/// VORTON_BODY_NO_THROUGH, whose impulses contain it. A ball has half of what it displaces and none for
/// turning; other shapes are within about 1 to 8 % (docs/validation.md). Takes up to 0.7 s, for a box 10 to
/// 50 ms, and allocates: call it while loading, and keep the result. Holes are refused, because what is
/// around them is not known, and half-spaces, meshes and height fields, whose bodies nothing moves. See
/// vorton_body_added_inertia for bodies of several shapes.
///
/// @param out 21 floats: the upper triangle, row after row, of the symmetric matrix of momentum x y z and
///     angular momentum x y z (rows) by velocity x y z and angular velocity x y z (columns); 0 to 2, 6, 7 and
///     11 are [m^3], 3 to 5, 8 to 10 and 12 to 14 [m^4], the last six [m^5]; times the fluid's density [kg],
///     [kg m], [kg m^2]
VORTON_API VortonResult vorton_shape_added_inertia(const struct VortonShapeDef *def, float *out);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonSurroundDef)
VORTON_API VortonResult vorton_surround_def_init(struct VortonSurroundDef *out, uint32_t struct_size);

/// Puts vortons without strength, mass and dye into the fluid around bodies, and into containers along their
/// walls: fluid at rest that the bodies can stir. Without VORTON_BODY_NO_THROUGH a body stops and feels the
/// fluid only where vortons touch it. They move with the fluid, so a body leaves those behind that were put
/// around it: fill the places through which it moves, by a larger thickness or by VORTON_INITIAL_NOISE.
///
/// The vortons stand on a lattice, at multiples of the spacing along the world's axes: wherever such a place
/// is nearer to a surface than the thickness. None is put into a solid or less than core_radius from one
/// (where fluid sticks to bodies, contacts keep vortons so far away), less than half a spacing from a
/// half-space or from a wall of a container, beyond a wall of a container that is around the body, in a
/// volume that kills, or less than half a spacing from a vorton: what is surrounded already gets nothing
/// more. Their volume is the cube of the spacing. Of coordinates beyond a million spacings nothing is put.
///
/// All or none. Bodies are where the last step left them, or where they were created or placed since. Takes
/// about half a microsecond for each vorton, ten times as long beside terrain; allocates.
///
/// @param def          vorton_default_surround_def() surrounds all bodies
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added, which may be 0
/// @return VORTON_ERR_CAPACITY if max_vortons leaves too little room; VORTON_ERR_BAD_VALUE for a half-space,
///     mesh or height field without low and high, and for a region of more than 8 million places
VORTON_API
VortonResult vorton_bodies_surround(struct VortonWorldId world,
                                    const struct VortonSurroundDef *def,
                                    uint64_t *out_first_id,
                                    size_t *out_count);

/// Fills a definition with the defaults of a preset.
///
/// @param struct_size sizeof(VortonPresetDef)
/// @param type        VORTON_PRESET_...
VORTON_API
VortonResult vorton_preset_def_init(struct VortonPresetDef *out,
                                    uint32_t struct_size,
                                    uint32_t type);

/// Sets what a preset asks of its world in a definition: core_radius, gravity, smagorinsky, viscosity,
/// relaxation_rate, max_age and max_vortons. A world may have other values: an effect then has more or fewer
/// vortons, and one that is fed needs a max_age.
///
/// @param inout a definition from vorton_world_def_init; its other fields stay
VORTON_API
VortonResult vorton_preset_world_def(const struct VortonPresetDef *def,
                                     struct VortonWorldDef *inout);

/// Adds an effect to a world: its vortons and tracers, its emitters and its container, all of it or nothing.
/// Everything is made of what vorton_add_initial, vorton_emitter_create and vorton_body_create make, and may
/// be changed, moved and destroyed likewise. Allocates.
///
/// @param out_tracers  NULL, or receives the set of its tracers: the one given, a new one, or the null id if
///     there are none
/// @param out_emitters NULL, or receives VORTON_PRESET_EMITTERS ids, null ids for those that it has not
/// @param out_body     NULL, or receives the container's body, the null id if it has none
/// @return VORTON_ERR_CAPACITY if vortons, tracers or objects do not fit
VORTON_API
VortonResult vorton_add_preset(struct VortonWorldId world,
                               const struct VortonPresetDef *def,
                               struct VortonTracersId *out_tracers,
                               struct VortonEmitterId *out_emitters,
                               struct VortonBodyId *out_body);

/// Changes the number that VortonWorldDef.user_data has given to a world: an address or an index of yours,
/// say. The library never looks at it. Does not wait for a step.
VORTON_API VortonResult vorton_world_set_user_data(struct VortonWorldId world, uint64_t user_data);

/// The number of yours that a world has. Does not wait for a step.
VORTON_API VortonResult vorton_world_user_data(struct VortonWorldId world, uint64_t *out);

/// Changes the number that VortonBodyDef.user_data has given to a body. Does not wait for a step.
VORTON_API
VortonResult vorton_body_set_user_data(struct VortonWorldId world,
                                       struct VortonBodyId body,
                                       uint64_t user_data);

/// The number of yours that a body has. Does not wait for a step.
VORTON_API
VortonResult vorton_body_user_data(struct VortonWorldId world,
                                   struct VortonBodyId body,
                                   uint64_t *out);

/// Changes the number that VortonShapeDef.user_data has given to a shape. Does not wait for a step.
VORTON_API
VortonResult vorton_shape_set_user_data(struct VortonWorldId world,
                                        struct VortonShapeId shape,
                                        uint64_t user_data);

/// The number of yours that a shape has. Does not wait for a step.
VORTON_API
VortonResult vorton_shape_user_data(struct VortonWorldId world,
                                    struct VortonShapeId shape,
                                    uint64_t *out);

/// Changes the number that VortonEmitterDef.user_data has given to an emitter.
VORTON_API
VortonResult vorton_emitter_set_user_data(struct VortonWorldId world,
                                          struct VortonEmitterId emitter,
                                          uint64_t user_data);

/// The number of yours that an emitter has.
VORTON_API
VortonResult vorton_emitter_user_data(struct VortonWorldId world,
                                      struct VortonEmitterId emitter,
                                      uint64_t *out);

/// Changes the number that VortonTracersDef.user_data has given to a set of tracers.
VORTON_API
VortonResult vorton_tracers_set_user_data(struct VortonWorldId world,
                                          struct VortonTracersId tracers,
                                          uint64_t user_data);

/// The number of yours that a set of tracers has.
VORTON_API
VortonResult vorton_tracers_user_data(struct VortonWorldId world,
                                      struct VortonTracersId tracers,
                                      uint64_t *out);

/// Reads the definition that would make a world as this one is now, without what lives in it: what
/// vorton_world_create got, and what setters have changed since.
///
/// @param struct_size sizeof(VortonWorldDef)
VORTON_API
VortonResult vorton_world_def(struct VortonWorldId world,
                              struct VortonWorldDef *out,
                              uint32_t struct_size);

/// Reads the definition that would make a body as this one is now, without its shapes: where it is and how
/// it moves (as vorton_body_read), its present temperature, and the rest as told last. A mass or a heat
/// capacity of 0 stays 0; an inertia that has not been told is all 0. Whether it sleeps is not in it.
///
/// @param struct_size sizeof(VortonBodyDef)
VORTON_API
VortonResult vorton_body_def(struct VortonWorldId world,
                             struct VortonBodyId body,
                             struct VortonBodyDef *out,
                             uint32_t struct_size);

/// Reads the definition that would make an emitter as this one is now.
///
/// @param struct_size sizeof(VortonEmitterDef)
VORTON_API
VortonResult vorton_emitter_def(struct VortonWorldId world,
                                struct VortonEmitterId emitter,
                                struct VortonEmitterDef *out,
                                uint32_t struct_size);

/// Changes an emitter to what a definition says, all of it. It goes on where it was: the vortons that are due
/// stay due, and the next one is the next of its random numbers.
VORTON_API
VortonResult vorton_emitter_update(struct VortonWorldId world,
                                   struct VortonEmitterId emitter,
                                   const struct VortonEmitterDef *def);

/// Reads the definition that would make a set of tracers as this one is now, without the tracers.
///
/// @param struct_size sizeof(VortonTracersDef)
VORTON_API
VortonResult vorton_tracers_def(struct VortonWorldId world,
                                struct VortonTracersId tracers,
                                struct VortonTracersDef *out,
                                uint32_t struct_size);

/// Changes the age [s] at which the tracers of a set are removed, from the next step on; 0: never.
VORTON_API
VortonResult vorton_tracers_set_max_age(struct VortonWorldId world,
                                        struct VortonTracersId tracers,
                                        float max_age);

/// Changes VortonTracersDef.turbulence from the next step on: how much of the eddies that are smaller than
/// core_radius moves the tracers of a set, at least 0; 0: none.
VORTON_API
VortonResult vorton_tracers_set_turbulence(struct VortonWorldId world,
                                           struct VortonTracersId tracers,
                                           float turbulence);

/// Changes VortonWorldDef.smagorinsky from the next step on. Allocates when something diffuses for the first
/// time.
VORTON_API VortonResult vorton_world_set_smagorinsky(struct VortonWorldId world, float smagorinsky);

/// Changes VortonWorldDef.max_age [s] from the next step on; 0: never.
VORTON_API VortonResult vorton_world_set_max_age(struct VortonWorldId world, float max_age);

/// Changes VortonWorldDef.expected_samples from the next step on.
VORTON_API VortonResult vorton_world_set_expected_samples(struct VortonWorldId world, uint32_t samples);

/// Changes VortonWorldDef.no_slip_rate [1/s] from the next step on.
VORTON_API VortonResult vorton_world_set_no_slip_rate(struct VortonWorldId world, float rate);

/// Changes VortonWorldDef.specific_heat [J/(kg K)] from the next step on.
VORTON_API VortonResult vorton_world_set_specific_heat(struct VortonWorldId world, float specific_heat);

/// Lists the bodies of a world, in the order in which they were created.
///
/// @param out       room for capacity ids; may be NULL if capacity is 0
/// @param out_count receives the number of bodies, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is listed then. A capacity of 0
///     only asks for the count, and is VORTON_OK.
VORTON_API
VortonResult vorton_world_bodies(struct VortonWorldId world,
                                 struct VortonBodyId *out,
                                 size_t capacity,
                                 size_t *out_count);

/// Lists the shapes of a body, in the order in which they were created: see vorton_world_bodies.
VORTON_API
VortonResult vorton_body_shapes(struct VortonWorldId world,
                                struct VortonBodyId body,
                                struct VortonShapeId *out,
                                size_t capacity,
                                size_t *out_count);

/// Lists the emitters of a world, in the order in which they were created: see vorton_world_bodies.
VORTON_API
VortonResult vorton_world_emitters(struct VortonWorldId world,
                                   struct VortonEmitterId *out,
                                   size_t capacity,
                                   size_t *out_count);

/// Lists the sets of tracers of a world, in the order in which they were created: see vorton_world_bodies.
VORTON_API
VortonResult vorton_world_tracers(struct VortonWorldId world,
                                  struct VortonTracersId *out,
                                  size_t capacity,
                                  size_t *out_count);

/// Sets the volumes in which vortons and tracers are removed, in place of those that there were: at the end
/// of each step, whatever is in one then, or outside of all that bound (VORTON_KILL_VOLUME_OUTSIDE). Bodies
/// and emitters stay, and what these shed there goes at once. Counted in VortonStats.killed and
/// killed_tracers; energy goes with the vortons, as when they are too old. A step with dt 0 removes
/// nothing. Where there are volumes, a vorton or tracer costs some 5 ns more, and as much again for each
/// volume near it. They are in snapshots, and stay in vorton_world_reset. Takes memory when there are
/// volumes for the first time.
///
/// @param volumes `count` volumes; may be NULL if count is 0
/// @param count   at most VORTON_MAX_KILL_VOLUMES; 0: nothing is removed any more
VORTON_API
VortonResult vorton_world_set_kill_volumes(struct VortonWorldId world,
                                           const struct VortonKillVolume *volumes,
                                           size_t count);

/// Reads the volumes in which vortons and tracers are removed.
///
/// @param out       room for capacity volumes; may be NULL if capacity is 0
/// @param out_count receives the number of volumes, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is read then. A capacity of 0 only
///     asks for the count, and is VORTON_OK.
VORTON_API
VortonResult vorton_world_kill_volumes(struct VortonWorldId world,
                                       struct VortonKillVolume *out,
                                       size_t capacity,
                                       size_t *out_count);

/// Samples the field of the last step (its midpoint, dt/2 ago) at `count` points, anywhere in space. May run
/// while another thread steps the world: it then sees the field of the step before. Before the first step
/// there is only undisturbed ambient. The two arrays must not overlap. Does not allocate.
///
/// @param quantity     VORTON_SAMPLE_...
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next
/// @param out          results: three floats each for velocity and vorticity, one for the others
/// @param out_stride   bytes from one result to the next
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or what is there, were not finite; their results are
///     untouched
VORTON_API
VortonResult vorton_sample(struct VortonWorldId world,
                           uint32_t quantity,
                           const float *points,
                           uint32_t point_stride,
                           float *out,
                           uint32_t out_stride,
                           size_t count);

/// Integrates a scalar of the field that vorton_sample reads along `count` straight lines: how much smoke is
/// between two points. Through smoke that takes out k of the light per metre where its dye is 1, exp(-k *
/// result) of the light passes. May run while another thread steps the world. The two arrays must not
/// overlap. Does not allocate.
///
/// @param quantity    VORTON_SAMPLE_DYE (results in m) or VORTON_SAMPLE_DENSITY_DEVIATION (kg/m^2)
/// @param lines       where each line begins and where it ends [m], six floats
/// @param line_stride bytes from one line to the next
/// @param out         results, one float each
/// @param out_stride  bytes from one result to the next
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or what is between them, were not finite; their
///     results are untouched
VORTON_API
VortonResult vorton_sample_lines(struct VortonWorldId world,
                                 uint32_t quantity,
                                 const float *lines,
                                 uint32_t line_stride,
                                 float *out,
                                 uint32_t out_stride,
                                 size_t count);

/// Finds the solid surface nearest to each of `count` points: how deep a hand is in a wall, where smoke of
/// yours has to turn, which obstacle is near. Distances are true ones, at edges and corners, too; inside of
/// several shapes that overlap, the one in which the point is deepest counts, by itself. Of a container
/// (VORTON_SHAPE_HOLE) the walls count for points that it holds, and distance is positive there; what is
/// around its holes is not looked at.
///
/// Bodies are where the last completed step has left them: this may run while another thread steps the world.
/// Bodies and shapes that have been created since are seen after the next step (one with dt 0 is enough).
/// The two arrays must not overlap. Does not allocate.
///
/// @param body         NULL: the nearest of all bodies. Otherwise this one alone counts
/// @param reach        surfaces further away than this [m] are not looked for; above 0
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next
/// @param out          count results
/// @param out_stride   bytes from one result to the next; 0: packed
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points were not finite; their results are untouched
VORTON_API
VortonResult vorton_sample_surfaces(struct VortonWorldId world,
                                    const struct VortonBodyId *body,
                                    float reach,
                                    const float *points,
                                    uint32_t point_stride,
                                    struct VortonSurface *out,
                                    uint32_t out_stride,
                                    size_t count);

/// Fills a definition with the defaults: velocity as halves, in 32 texels along each axis of a box of 2 m
/// around the origin.
///
/// @param struct_size sizeof(VortonVolumeDef)
VORTON_API VortonResult vorton_volume_def_init(struct VortonVolumeDef *out, uint32_t struct_size);

/// Fills a volume of texels with the field that vorton_sample reads, in the caller's memory: an upload buffer
/// or a mapped texture, from which GPU particles read the flow. x runs fastest, then y, then z. What is
/// between texels and rows stays untouched. May run while another thread steps the world. Does not allocate.
///
/// @param out  aligned to one number of a texel
/// @param size bytes of it
/// @return VORTON_ERR_BUFFER_SMALL if the volume is larger than that; nothing is written then.
///     VORTON_NOTE_SKIPPED_NONFINITE if something was not finite; such numbers are 0
VORTON_API
VortonResult vorton_sample_volume(struct VortonWorldId world,
                                  const struct VortonVolumeDef *def,
                                  void *out,
                                  size_t size);

/// Fills a definition with the defaults: everything but arrows.
///
/// @param struct_size sizeof(VortonDrawDef)
VORTON_API VortonResult vorton_draw_def_init(struct VortonDrawDef *out, uint32_t struct_size);

/// Draws a world as coloured lines, for the debug view of an engine: one call per frame fills a buffer that a
/// line renderer takes as it is. Lines come in this order: meshes, bodies, containers, kill volumes,
/// emitters, contacts, vortons, arrows of the field.
///
/// Bodies are where vorton_body_read says, contacts are those of the last step, the field is that which
/// vorton_sample reads. A reader: VORTON_ERR_BUSY while another thread changes or steps the world. If flags
/// are VORTON_DRAW_FIELD, VORTON_DRAW_MESH or both, and nothing else, it may run while another thread steps
/// the world. Arrows are sampled by the world's threads; for these it takes memory, 12 bytes for each, when
/// there are more than before. Otherwise it does not allocate.
///
/// @param out       room for capacity lines; may be NULL if capacity is 0
/// @param out_count receives how many lines there are, also when they do not fit
/// @return VORTON_NOTE_TRUNCATED if capacity is less than that; the first of them are in `out` then. A
///     capacity of 0 only asks for the count, and is VORTON_OK; it samples nothing
VORTON_API
VortonResult vorton_world_draw(struct VortonWorldId world,
                               const struct VortonDrawDef *def,
                               struct VortonLine *out,
                               size_t capacity,
                               size_t *out_count);

/// Fills a view with zeros and its size: no particles, no streams.
///
/// @param struct_size sizeof(VortonParticleView)
VORTON_API VortonResult vorton_particle_view_init(struct VortonParticleView *out, uint32_t struct_size);

/// Checks a view without using it: what would be wrong with it, in vorton_last_error.
VORTON_API VortonResult vorton_view_check(const struct VortonParticleView *view);

/// Fills a definition with the defaults of an operation.
///
/// @param struct_size sizeof(VortonOpDef)
/// @param type        VORTON_OP_...
VORTON_API VortonResult vorton_op_def_init(struct VortonOpDef *out, uint32_t struct_size, uint32_t type);

/// Creates an operation, to be run as often as you like, on any particles.
VORTON_API
VortonResult vorton_op_create(struct VortonWorldId world,
                              const struct VortonOpDef *def,
                              struct VortonOpId *out);

/// Changes an operation. An emission goes on where it was.
VORTON_API
VortonResult vorton_op_update(struct VortonWorldId world,
                              struct VortonOpId op,
                              const struct VortonOpDef *def);

/// Destroys an operation.
VORTON_API VortonResult vorton_op_destroy(struct VortonWorldId world, struct VortonOpId op);

/// True if the id names a living operation of this world. Does not wait for a step.
VORTON_API bool vorton_op_is_valid(struct VortonWorldId world, struct VortonOpId op);

/// Runs a list of operations over the host's particles, in place. Neighbours in the list that look at one
/// particle at a time run together, chunk by chunk, so that memory is walked once; the result is the same
/// bits as running them one by one. May run while another thread steps the world, and on several arrays at
/// the same time. Does not allocate in steady state.
///
/// The usual order: VELOCITY or TURBULENCE, then WIND, ACCELERATE or DRAG, SPIN, ADVECT, BODIES,
/// SAMPLE_SCALAR, AGE, KILL, EMIT. Call it after vorton_world_step, with the same dt: after each of several
/// steps of a frame, or after the last one with that step's dt for each. Everything is checked before
/// anything is changed.
///
/// @param ops    `count` operations, at most VORTON_MAX_OPS
/// @param view   the particles; no other thread may use them meanwhile
/// @param dt     seconds, from 0 to VORTON_MAX_STEP
/// @param frame  number of this frame, for births and ages in frames
/// @param inout  NULL, or receives what happened; required by EMIT, BOUNDS, and KILL with VORTON_KILL_LIST or
///     _COMPACT
/// @return VORTON_NOTE_SKIPPED_NONFINITE or VORTON_NOTE_TRUNCATED where that happened
VORTON_API
VortonResult vorton_ops_run(struct VortonWorldId world,
                            const struct VortonOpId *ops,
                            uint32_t count,
                            const struct VortonParticleView *view,
                            float dt,
                            uint32_t frame,
                            struct VortonOpResult *inout);

/// Fills a result with zeros and its size.
///
/// @param struct_size sizeof(VortonOpResult)
VORTON_API VortonResult vorton_op_result_init(struct VortonOpResult *out, uint32_t struct_size);

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonStats)
VORTON_API VortonResult vorton_stats_init(struct VortonStats *out, uint32_t struct_size);

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonInvariants)
VORTON_API VortonResult vorton_invariants_init(struct VortonInvariants *out, uint32_t struct_size);

/// Reads counts and stage times. While another thread steps the world, or writes to it otherwise, they are
/// those of the last completed step; before the first one this answers VORTON_ERR_BUSY then.
VORTON_API VortonResult vorton_world_stats(struct VortonWorldId world, struct VortonStats *inout);

/// Computes the conserved quantities of the vortons, and of what bodies hold, as they are now.
VORTON_API VortonResult vorton_world_invariants(struct VortonWorldId world, struct VortonInvariants *inout);

/// Copies all of a world into the caller's memory: vortons, bodies, emitters and tracers with their ids and
/// user data, what the next steps depend on, and the field that may be sampled. A world restored from it goes
/// on to the same bits, on any number of threads. The bytes hold no pointer of the library's and may be
/// moved, stored and sent; they have a version and a checksum. Does not allocate. Operations on particles are
/// no part of it, but for what emissions carry from run to run; nor is the host's own memory.
///
/// @param out      room for capacity bytes; may be NULL if capacity is 0
/// @param out_size receives how many bytes the snapshot has, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; what is in `out` is of no use then. A
///     capacity of 0 only asks for the size, and is VORTON_OK. VORTON_ERR_BUSY while an emission runs.
VORTON_API
VortonResult vorton_world_save(struct VortonWorldId world,
                               void *out,
                               size_t capacity,
                               size_t *out_size);

/// Makes a world what it was when the snapshot was taken: this world, or another one with the same definition
/// (but for threads, and what can be set later). Ids are what they were: what has been created since is gone,
/// what has been destroyed is there again. An id of what is gone may name what is created next. In another
/// world, ask for its ids by vorton_world_bodies,
/// vorton_world_emitters and vorton_world_tracers. Takes memory only for what there was more of, and time to
/// find what depends on shapes (see VORTON_BODY_NO_THROUGH) only for bodies with shapes that none has and
/// none of the last few destroyed ones had.
///
/// @return VORTON_ERR_SNAPSHOT if the bytes are damaged, or of another version of the library or of a world
///     with another definition; VORTON_ERR_BUSY while an emission runs. The world is what it was then
VORTON_API VortonResult vorton_world_restore(struct VortonWorldId world, const void *snapshot, size_t size);

/// A hash of all that vorton_world_save copies, but for user data: equal worlds have equal hashes on any
/// number of threads, and what differs in anything that a later step can depend on has another one.
/// vorton_world_hash is cheaper, and does not depend on tracers. Takes memory for a snapshot once.
VORTON_API VortonResult vorton_world_hash_all(struct VortonWorldId world, uint64_t *out);

/// Empties a world, as for a level that is played again: vortons, bodies with their shapes, emitters and sets
/// of tracers are destroyed, their ids become stale, and time, statistics and ids of vortons begin at 0. What
/// setters have changed stays: the world goes on to the same bits as one that is created with the definition
/// that vorton_world_def reads now. Its user data, its operations and its kill volumes stay; emissions forget
/// what they carry from run to run.
///
/// Keeps the memory of the world, so it is faster than destroying and creating one (and takes next to none).
/// What takes time to find for the shapes of bodies (see VORTON_BODY_NO_THROUGH) is kept for the last few
/// kinds. A snapshot that was saved before may still be restored.
///
/// @return VORTON_ERR_BUSY while an emission runs, or another thread steps or reads the world
VORTON_API VortonResult vorton_world_reset(struct VortonWorldId world);

/// Shifts the origin of a world's coordinates, for large worlds: the place `origin` [m] becomes (0, 0, 0),
/// and every position p becomes p - origin, as in PhysX's shiftOrigin. Positions are floats: 4 km from the
/// origin they are multiples of 0.25 to 0.5 mm, and a slow flow stands still there. A game that moves its
/// origin to the player now and then calls this with the same vector.
///
/// All that the world holds comes along: vortons, tracers, bodies with their shapes and contacts, emitters,
/// kill volumes, layers of the ambient, the published field, and what vorton_world_draw draws. vorton_sample
/// has at p - origin what it had at p, without a step. Velocities, strengths, impulses of bodies and ids stay
/// what they are; VortonInvariants are about the new origin. The fluid goes on as it would have, up to the
/// rounding of positions, whatever the vector is: lattices come along, too. A shift by 0 changes nothing.
///
/// What belongs to the host does not come along: particles of operations, positions that an emission
/// (VORTON_OP_EMIT) writes, rows that were acquired before (vorton_tracers_acquire), and places that are told
/// from now on, such as states of bodies. A snapshot has the origin of its world: restoring it goes back to
/// that. vorton_world_def reads the layers of the ambient where they were when the world was created, and
/// vorton_world_reset puts them, and kill volumes, back there.
///
/// Between steps; takes some 3 % of a step, and does not allocate in steady state.
///
/// @param origin old coordinates of the new origin [m], from -1e9 to 1e9
/// @return VORTON_ERR_BAD_VALUE if it, or a body afterwards, is farther away; VORTON_ERR_BUSY while another
///     thread uses the world. Nothing changes then
VORTON_API VortonResult vorton_world_shift_origin(struct VortonWorldId world, struct VortonVec3 origin);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VORTON_H */


#ifndef VORTON_DEFAULTS_H
#define VORTON_DEFAULTS_H
/* Definitions by value, filled with the defaults. Inline: compiled by the caller, so that no struct that may
 * grow is ever returned across the library's border. */
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
