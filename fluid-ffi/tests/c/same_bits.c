/*
 * One scene, summed directly and on a mesh, on one thread, on pools of several sizes, with other
 * instructions, and from a host with an unusual floating-point mode: everything readable must be the same
 * bytes, and the host's mode must be restored. The scene has vortices, heavy fluid under gravity, diffusion,
 * bodies, tracers and operations.
 */
#include "check.h"

#include <fenv.h>
#if defined(__x86_64__)
# include <xmmintrin.h>
#endif

enum { BODIES = 3, SEEDS = 1500, TRACERS = 4000, PARTICLES = 3000, CAPACITY = 3400, POINTS = 700, STEPS = 8, OPERATIONS = 12, STREAMS = 9 };

typedef struct Particle {
    float position[3], velocity[3], age;
    uint32_t flags;
    float temperature, spin[3], orientation[4];
    uint32_t hit;
    float normal[3];
} Particle;

/* Everything readable, without padding. */
typedef struct Outcome {
    uint64_t hash, hash_all;
    uint64_t count, killed, emitted, hits, tracer_count;
    VortonAabb bounds;
    VortonVec3 tracers[TRACERS];
    uint32_t tracer_ids[TRACERS];
    float tracer_ages[TRACERS], tracer_values[TRACERS];
    Particle particles[CAPACITY];
    VortonVec3 velocities[POINTS], vorticities[POINTS];
    float densities[POINTS], dyes[POINTS];
    double energy, helicity, impulse[3];
    VortonBodyState states[BODIES];
    VortonBodyImpulse impulses[STEPS][BODIES];
} Outcome;

/* The host's modes. */

typedef struct Mode {
    const char *name;
    int rounding;
    unsigned flush;     /* x86-64: bits of MXCSR for flush to zero and denormals are zero. */
} Mode;

static const Mode modes[] = {
    {"as it starts", FE_TONEAREST, 0},
#if defined(FE_UPWARD)
    {"rounds up", FE_UPWARD, 0},
#endif
#if defined(FE_TOWARDZERO)
    {"rounds towards zero, flushes denormals", FE_TOWARDZERO, 0x8040u},
#endif
};
enum { MODES = sizeof modes / sizeof modes[0] };

static void set_mode(const Mode *mode) {
    CHECK(fesetround(mode->rounding) == 0);
#if defined(__x86_64__)
    _mm_setcsr((_mm_getcsr() & ~0x8040u) | mode->flush);
#endif
}

static void check_mode(const Mode *mode) {
    CHECK(fegetround() == mode->rounding);
#if defined(__x86_64__)
    CHECK((_mm_getcsr() & 0x8040u) == mode->flush);
#endif
}

/* A call, after which the host's mode must be restored. */
#define CALL(call) (OK(call), check_mode(mode))

/* The start values of every run, computed before any mode is set. */
static VortonVec3 seeds[SEEDS];
static Particle start[CAPACITY];
static float points[POINTS][3];
static VortonEmitValue emitted[2];

static void prepare(void) {
    uint32_t i, k;
    for (i = 0; i < SEEDS; ++i) {
        seeds[i] = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, 2 * random_unit(3 * i + 2) - 1);
    }
    for (i = 0; i < PARTICLES; ++i) {
        for (k = 0; k < 3; ++k) start[i].position[k] = 3 * random_unit(3 * i + k) - 1.5f;
        start[i].velocity[0] = 1e-40f * (float)(i % 7);
        start[i].age = random_unit(9 * i);
        start[i].orientation[3] = 1;
    }
    for (i = 0; i < POINTS; ++i) {
        for (k = 0; k < 3; ++k) points[i][k] = 4 * random_unit(5 * i + k) - 2;
    }
    memset(emitted, 0, sizeof emitted);
    emitted[0].semantic = VORTON_POSITION;
    emitted[0].spread[0] = 0.7f;
    emitted[1].semantic = VORTON_VELOCITY;
    emitted[1].value[2] = 0.3;
    emitted[1].spread[1] = 0.1f;
}

static void play(uint32_t solver, uint32_t threads, uint32_t workers, uint32_t instructions, const Mode *mode, Outcome *out) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonImpliedDef implied = vorton_default_implied_def();
    VortonOpDef op_defs[OPERATIONS];
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId tracers;
    VortonOpId ops[OPERATIONS];
    VortonStream streams[STREAMS];
    VortonParticleView view;
    VortonOpResult result;
    VortonInvariants invariants;
    VortonStats stats;
    size_t tracer_count = 0, implied_count = 0;
    static uint32_t tags[TRACERS];
    static const uint32_t shape_types[BODIES] = {VORTON_SHAPE_SPHERE, VORTON_SHAPE_BOX, VORTON_SHAPE_HULL};
    static const float corners[] = {0.3f, 0.3f, 0.3f, 0.3f, -0.3f, -0.3f, -0.3f, 0.3f, -0.3f, -0.3f, -0.3f, 0.3f, 0, 0, 0.5f};
    VortonBodyDef body_defs[BODIES];
    VortonShapeDef shape_defs[BODIES];
    VortonBodyId bodies[BODIES];
    VortonBodyState moved;
    VortonShapeId shape;
    uint32_t i;

    memset(out, 0, sizeof *out);
    memcpy(out->particles, start, sizeof start);
    world_def.threads = threads;
    world_def.worker_count = workers;
    world_def.instructions = instructions;
    world_def.solver = solver;
    world_def.field_sampling = solver == VORTON_SOLVER_MESH ? VORTON_SAMPLING_TRILINEAR : VORTON_SAMPLING_QUADRATIC_SPLINE;
    world_def.gravity = vec3(0, 1e-41f, -9.81f);
    world_def.viscosity = 1e-3f;
    world_def.diffusivity = 5e-4f;
    world_def.stratification = VORTON_STRATIFICATION_LAYERS;
    world_def.layer_jump = -0.1f;
    world_def.max_vortons = 2500;
    world_def.max_age = 0.12f;
    world_def.wind = vec3(0.1f, 0, 1e-41f);
    ring.count = 300;
    ring.circulation = 3;
    noise.amplitude = 2;
    noise.spacing = 0.125f;
    noise.seed = 5;
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    drop.dye = 1;
    implied.threshold = 0.3f;
    implied.per_cell = 2;
    implied.jitter = 0.7f;
    emitter_def.rate = 300;
    emitter_def.extent = vec3(1, 1, 0);
    emitter_def.strength = vec3(0, 1e-40f, 0.01f);
    emitter_def.strength_spread = vec3(0.01f, 0.01f, 0.01f);
    tracers_def.capacity = TRACERS;
    tracers_def.show = VORTON_SAMPLE_TEMPERATURE;
    tracers_def.turbulence = 0.5f;
    op_defs[0] = vorton_default_op_def(VORTON_OP_VELOCITY);
    op_defs[0].rate = 5;
    op_defs[1] = vorton_default_op_def(VORTON_OP_ACCELERATE);
    op_defs[1].vector = vec3(0, -1.0f / 3, 1e-40f);
    op_defs[2] = vorton_default_op_def(VORTON_OP_DRAG);
    op_defs[2].rate = 0.7f;
    op_defs[2].quadratic = 0.3f;
    op_defs[3] = vorton_default_op_def(VORTON_OP_ADVECT);
    op_defs[4] = vorton_default_op_def(VORTON_OP_AGE);
    op_defs[5] = vorton_default_op_def(VORTON_OP_KILL);
    op_defs[5].kill_mode = VORTON_KILL_COMPACT;
    op_defs[5].max_age = 1.1f;
    op_defs[6] = vorton_default_op_def(VORTON_OP_EMIT);
    op_defs[6].rate = 377;
    op_defs[6].timing = VORTON_EMIT_EVEN;
    op_defs[6].values = emitted;
    op_defs[6].value_count = 2;
    op_defs[7] = vorton_default_op_def(VORTON_OP_BOUNDS);
    op_defs[8] = vorton_default_op_def(VORTON_OP_SAMPLE_SCALAR);
    op_defs[8].quantity = VORTON_SAMPLE_TEMPERATURE;
    op_defs[9] = vorton_default_op_def(VORTON_OP_SPIN);
    op_defs[9].rate = 3;
    op_defs[10] = vorton_default_op_def(VORTON_OP_COLLIDE);
    op_defs[10].restitution = 0.3f;
    op_defs[10].friction = 0.2f;
    op_defs[10].mass = 0.001f;
    op_defs[11] = vorton_default_op_def(VORTON_OP_TURBULENCE);
    op_defs[11].intensity = 0.6f;
    op_defs[11].seed = 5;
    for (i = 0; i < BODIES; ++i) {
        body_defs[i] = vorton_default_body_def();
        body_defs[i].position = vec3(0.6f * (float)i - 0.6f, 0.2f * (float)i, -0.1f * (float)i);
        body_defs[i].velocity = vec3(0, 1.0f - (float)i, 0.3f);
        body_defs[i].angular_velocity = vec3(1e-40f, 2, (float)i);
        body_defs[i].mass = (float)i;
        body_defs[i].temperature = 350.0f;
        body_defs[i].heat_transfer = 20;
        body_defs[i].flags = i == 1 ? VORTON_BODY_WEIGHT | VORTON_BODY_FRICTION_WARMS : 0;
        shape_defs[i] = vorton_default_shape_def(shape_types[i]);
        shape_defs[i].radius = 0.3f;
        shape_defs[i].half_extents = vec3(0.3f, 0.2f, 0.1f);
        shape_defs[i].points = corners;
        shape_defs[i].point_count = 5;
    }
    memset(&moved, 0, sizeof moved);
    moved.position = vec3(0.1f, 0.2f, -0.1f);
    moved.rotation.w = 1;
    moved.velocity = vec3(-1, 0, 0.5f);
    for (i = 0; i < STREAMS; ++i) {
        static const uint32_t semantics[] = {VORTON_POSITION, VORTON_VELOCITY, VORTON_AGE, VORTON_FLAGS, VORTON_TEMPERATURE,
                                             VORTON_ANGULAR_VELOCITY, VORTON_ORIENTATION, VORTON_HIT, VORTON_NORMAL};
        static const uint32_t formats[] = {VORTON_F32X3, VORTON_F32X3, VORTON_F32, VORTON_U32, VORTON_F32, VORTON_F32X3,
                                           VORTON_QUAT_F32, VORTON_U32, VORTON_F32X3};
        static const size_t offsets[] = {offsetof(Particle, position), offsetof(Particle, velocity), offsetof(Particle, age),
                                         offsetof(Particle, flags), offsetof(Particle, temperature), offsetof(Particle, spin),
                                         offsetof(Particle, orientation), offsetof(Particle, hit), offsetof(Particle, normal)};
        streams[i].semantic = semantics[i];
        streams[i].format = formats[i];
        streams[i].stride = sizeof(Particle);
        streams[i].offset = (uint32_t)offsets[i];
        streams[i].base = out->particles;
    }
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = STREAMS;
    view.streams = streams;
    view.count = PARTICLES;
    view.capacity = CAPACITY;
    view.element_size = sizeof(Particle);
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    memset(&invariants, 0, sizeof invariants);
    invariants.struct_size = sizeof invariants;
    invariants.flags = VORTON_INVARIANTS_PAIRS;

    set_mode(mode);
    CALL(vorton_world_create(&world_def, &world));
    CALL(vorton_world_add_initial(world, &ring, NULL, NULL));
    CALL(vorton_world_add_initial(world, &noise, NULL, NULL));
    CALL(vorton_world_add_initial(world, &drop, NULL, NULL));
    CALL(vorton_emitter_create(world, &emitter_def, &emitter));
    CALL(vorton_tracers_create(world, &tracers_def, &tracers));
    for (i = 0; i < SEEDS; ++i) tags[i] = 3 * i;
    CALL(vorton_tracers_add(world, tracers, seeds, tags, NULL, SEEDS));
    CALL(vorton_tracers_add_implied(world, tracers, &implied, &implied_count));
    CHECK(implied_count > 0);
    for (i = 0; i < BODIES; ++i) {
        CALL(vorton_body_create(world, &body_defs[i], &bodies[i]));
        CALL(vorton_shape_create(world, bodies[i], &shape_defs[i], &shape));
    }
    CALL(vorton_world_remove_embedded(world, 0.01f, NULL, NULL));
    for (i = 0; i < OPERATIONS; ++i) CALL(vorton_op_create(world, &op_defs[i], &ops[i]));
    for (i = 0; i < STEPS; ++i) {
        (STEP(vorton_world_step(world, 0.02f)), check_mode(mode));
        CALL(vorton_bodies_take_impulses(world, bodies, out->impulses[i], 0, BODIES));
        if (i == STEPS / 2) CALL(vorton_bodies_set_states(world, &bodies[1], &moved, 0, 1));
        CALL(vorton_ops_run(world, ops, OPERATIONS, &view, 0.02f, i, &result));
        view.count = result.count;
        out->killed += result.killed;
        out->emitted += result.emitted;
        out->hits += result.hits;
    }
    CALL(vorton_world_hash(world, &out->hash));
    CALL(vorton_world_hash_all(world, &out->hash_all));
    CALL(vorton_tracers_read(world, tracers, &out->tracers[0].x, sizeof out->tracers[0], out->tracer_ids, tags,
                             out->tracer_ages, out->tracer_values, TRACERS, &tracer_count));
    CHECK(tracer_count > SEEDS && tracer_count < SEEDS + implied_count);
    for (i = 0; i < tracer_count; ++i) {
        CHECK(tags[i] == (out->tracer_ids[i] < SEEDS ? 3 * out->tracer_ids[i] : 0));
        CHECK(out->tracer_values[i] > 100.0f && out->tracer_values[i] < 1000.0f);
    }
    CALL(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, &out->velocities[0].x, 12, POINTS));
    CALL(vorton_world_sample(world, VORTON_SAMPLE_VORTICITY, points[0], 12, &out->vorticities[0].x, 12, POINTS));
    CALL(vorton_world_sample(world, VORTON_SAMPLE_DENSITY, points[0], 12, out->densities, 4, POINTS));
    CALL(vorton_world_sample(world, VORTON_SAMPLE_DYE, points[0], 12, out->dyes, 4, POINTS));
    stats.struct_size = sizeof stats;
    CALL(vorton_world_stats(world, &stats));
    CHECK(stats.bodies == BODIES && stats.body_contacts > 0);
    for (i = 0; i < BODIES; ++i) CALL(vorton_body_read(world, bodies[i], &out->states[i]));
    CHECK((stats.mesh_nodes > 0) == (solver == VORTON_SOLVER_MESH) && stats.diffusion_passes > 0);
    CALL(vorton_world_invariants(world, &invariants));
    CALL(vorton_world_destroy(world));
    CHECK(vorton_world_step(world, 0.02f) == VORTON_ERR_STALE_ID);
    check_mode(mode);
    set_mode(&modes[0]);
    out->count = result.count;
    out->bounds = result.bounds;
    out->tracer_count = tracer_count;
    out->energy = invariants.energy;
    out->helicity = invariants.helicity;
    memcpy(out->impulse, invariants.linear_impulse, sizeof out->impulse);
}

int main(void) {
    static Outcome first, other;
    static const uint32_t workers[] = {0, 1, 2, 3, 8};
    uint64_t hash = 0;
    uint32_t solver;
    unsigned runs = 0;
    size_t m, w;
    volatile float third = 3.0f;
    float plain, changed;

    /* The modes are real: they change results of the host. */
    plain = 1.0f / third;
    set_mode(&modes[MODES - 1]);
    changed = 1.0f / third;
    set_mode(&modes[0]);
    CHECK(MODES == 1 || memcmp(&plain, &changed, sizeof plain) != 0);

    prepare();
    for (solver = VORTON_SOLVER_DIRECT; solver <= VORTON_SOLVER_MESH; ++solver) {
        play(solver, VORTON_THREADS_SERIAL, 0, VORTON_INSTRUCTIONS_AUTO, &modes[0], &first);
        CHECK(first.killed > 0 && first.emitted > 0 && first.hits > 0 && first.tracer_count > SEEDS && first.energy > 0);
        for (m = 0; m < MODES; ++m) {
            /* Every pool with the usual mode, the others with a pool and without. */
            for (w = 0; w < sizeof workers / sizeof workers[0]; w += m == 0 ? 1 : 3) {
                const uint32_t threads = workers[w] == 0 ? VORTON_THREADS_SERIAL : VORTON_THREADS_POOL;
                play(solver, threads, workers[w], VORTON_INSTRUCTIONS_AUTO, &modes[m], &other);
                if (memcmp(&first, &other, sizeof first) != 0) {
                    printf("solver %u, %u workers, host %s: not the same bits\n", solver, workers[w], modes[m].name);
                    return 1;
                }
                runs += 1;
            }
        }
        play(solver, VORTON_THREADS_POOL, 2, VORTON_INSTRUCTIONS_PORTABLE, &modes[0], &other);
        CHECK(memcmp(&first, &other, sizeof first) == 0);
        hash ^= first.hash;
    }
    printf("%u runs, hash %016llx\n", runs + 2, (unsigned long long)hash);
    return 0;
}
