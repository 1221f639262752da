/* Counts allocations: per-frame calls make none after a warm-up. */
#include "check.h"

#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__)
int main(void) {
    printf("not counted: needs glibc without a sanitizer\n");
    return 0;
}
#else

#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned allocations;

void *malloc(size_t size) {
    allocations += 1;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    allocations += 1;
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    allocations += 1;
    return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    allocations += 1;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size) {
    allocations += 1;
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}

enum { TRACERS = 2000, BODIES = 3, PARTICLES = 1500, CAPACITY = 2000, POINTS = 600, MAX_VORTONS = 2500, WARM_UP = 400, FRAMES = 100, RECORDED = 60 };

typedef struct Particle {
    float position[3], velocity[3], age, density, spin[3], orientation[4];
} Particle;

static Particle particles[CAPACITY];
static float points[POINTS][3], velocities[POINTS][3], positions[TRACERS][3], ages[TRACERS], values[TRACERS];
static VortonSurface surfaces[POINTS];
static VortonLine lines[8000];
static uint32_t ids[TRACERS];
static VortonVec3 seeds[TRACERS];
static VortonVorton vortons[MAX_VORTONS];
static unsigned char snapshot[64 << 20];

/* The last record of the recording. */
static unsigned char last_record[64 << 20];
static size_t recorded;
static void keep_record(void *user, const void *bytes, size_t size) {
    (void)user;
    if (size <= sizeof last_record) memcpy(last_record, bytes, size);
    recorded += size;
}

/* Counts the allocations of one kind of call over all frames after the warm-up, of the recording, too. */
enum { STEP, OPS, READ, SAMPLE, LOOK, CHANGE, BULK, SAVE, DRAW, SHIFT, KINDS };
static const char *const names[KINDS] = {"step", "ops_run", "tracers_read", "sample", "reading", "changing", "bodies", "save and restore", "draw",
                                        "shift"};
static unsigned counts[KINDS];

#define COUNTED(kind, call) \
    do { \
        const unsigned before_ = allocations; \
        STEP(call); \
        if (frame >= WARM_UP && frame / 10 != (WARM_UP + FRAMES) / 10) counts[kind] += allocations - before_; \
    } while (0)

/* Warm-up and frames of a world with a ring, emitted vortons, heavy drops, diffusion, bodies and tracers. */
static void play(uint32_t solver) {
    static const uint32_t types[] = {VORTON_OP_VELOCITY, VORTON_OP_ACCELERATE, VORTON_OP_ADVECT, VORTON_OP_AGE, VORTON_OP_KILL,
                                     VORTON_OP_EMIT, VORTON_OP_BOUNDS, VORTON_OP_SAMPLE_SCALAR, VORTON_OP_SPIN, VORTON_OP_COLLIDE,
                                     VORTON_OP_TURBULENCE};
    enum { OPERATIONS = sizeof types / sizeof types[0] };
    VortonWorldDef world_def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    const VortonQuat identity = {0, 0, 0, 1};
    VortonWorldId world;
    VortonEmitterDef jet_def = vorton_default_emitter_def();
    VortonEmitterId emitter, jet;
    VortonTracersId tracers, smoke;
    VortonTracerRows rows;
    VortonOpId ops[OPERATIONS];
    VortonStream streams[6];
    VortonParticleView view;
    VortonOpResult result;
    VortonStats stats;
    VortonDrawDef drawing = vorton_default_draw_def();
    uint64_t hash;
    size_t count;
    uint32_t frame, i;
    float density;
    static const uint32_t shapes[BODIES] = {VORTON_SHAPE_SPHERE, VORTON_SHAPE_BOX, VORTON_SHAPE_CAPSULE};
    VortonBodyId bodies[BODIES];
    VortonBodyState states[BODIES];
    VortonBodyImpulse impulses[BODIES];

    memset(particles, 0, sizeof particles);
    world_def.solver = solver;
    world_def.gravity = vec3(0, 0, -0.5f);
    world_def.viscosity = world_def.diffusivity = 1e-3f;
    world_def.max_vortons = MAX_VORTONS;
    world_def.smagorinsky = 0.2f;
    world_def.max_age = 1.0f;
    OK(vorton_world_create(&world_def, &world));
    ring.count = 200;
    ring.circulation = 0.2f;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    drop.radius = 0.1f;
    drop.dye = 1;
    emitter_def.rate = 200;
    emitter_def.extent = vec3(3.5f, 3.5f, 3.5f); /* Wide, so that the mesh keeps its size. */
    emitter_def.strength_spread = vec3(0.005f, 0.005f, 0.005f);
    OK(vorton_emitter_create(world, &emitter_def, &emitter));
    tracers_def.capacity = TRACERS;
    tracers_def.show = VORTON_SAMPLE_DYE;
    tracers_def.readable_during_steps = 1;
    tracers_def.turbulence = 1;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    tracers_def.max_age = 0.5f; /* As many expire as are added. */
    OK(vorton_tracers_create(world, &tracers_def, &smoke));
    jet_def.nozzle_radius = 0.5f;
    jet_def.nozzle_speed = 0.2f;
    jet_def.rate = 20;
    jet_def.dye = 1;
    jet_def.tracers = smoke;
    jet_def.tracer_rate = TRACERS;
    OK(vorton_emitter_create(world, &jet_def, &jet));
    for (i = 0; i < TRACERS; ++i) seeds[i] = vec3(random_unit(3 * i), random_unit(3 * i + 1), random_unit(3 * i + 2));
    OK(vorton_tracers_add(world, tracers, seeds, NULL, NULL, TRACERS));
    for (i = 0; i < BODIES; ++i) {
        VortonBodyDef def = vorton_default_body_def();
        VortonShapeDef shape_def = vorton_default_shape_def(shapes[i]);
        VortonShapeId shape;
        def.position = vec3((float)i - 1, 0.5f, 0);
        def.heat_transfer = 1;
        shape_def.radius = shape_def.half_height = 0.3f;
        shape_def.half_extents = vec3(0.3f, 0.3f, 0.3f);
        OK(vorton_body_create(world, &def, &bodies[i]));
        OK(vorton_shape_create(world, bodies[i], &shape_def, &shape));
        memset(&states[i], 0, sizeof states[i]);
        states[i].angular_velocity.z = 0.3f;
        states[i].rotation.w = 1;
    }
    for (i = 0; i < OPERATIONS; ++i) {
        VortonOpDef def = vorton_default_op_def(types[i]);
        def.kill_mode = VORTON_KILL_COMPACT;
        def.max_age = types[i] == VORTON_OP_KILL ? 0.5f : 0.0f;
        def.mass = types[i] == VORTON_OP_COLLIDE ? 1e-4f : 0.0f;
        OK(vorton_op_create(world, &def, &ops[i]));
    }
    for (i = 0; i < 6; ++i) {
        static const uint32_t semantics[] = {VORTON_POSITION, VORTON_VELOCITY, VORTON_AGE, VORTON_DENSITY,
                                             VORTON_ANGULAR_VELOCITY, VORTON_ORIENTATION};
        static const uint32_t formats[] = {VORTON_F32X3, VORTON_F32X3, VORTON_F32, VORTON_F32, VORTON_F32X3, VORTON_QUAT_F32};
        static const size_t offsets[] = {offsetof(Particle, position), offsetof(Particle, velocity), offsetof(Particle, age),
                                         offsetof(Particle, density), offsetof(Particle, spin), offsetof(Particle, orientation)};
        streams[i].semantic = semantics[i];
        streams[i].format = formats[i];
        streams[i].stride = sizeof(Particle);
        streams[i].offset = (uint32_t)offsets[i];
        streams[i].base = particles;
    }
    for (i = 0; i < CAPACITY; ++i) particles[i].orientation[3] = 1;
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 6;
    view.streams = streams;
    view.count = PARTICLES;
    view.capacity = CAPACITY;
    view.element_size = sizeof(Particle);
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    stats.struct_size = sizeof stats;
    drawing.flags |= VORTON_DRAW_FIELD;

    for (frame = 0; frame < WARM_UP + FRAMES + RECORDED; ++frame) {
        if (frame == WARM_UP + FRAMES) OK(vorton_world_record(world, keep_record, NULL));
        COUNTED(CHANGE, vorton_emitter_set_pose(world, emitter, vec3(0.0001f * (float)frame, 0, 0), identity));
        COUNTED(CHANGE, vorton_world_set_wind(world, vec3(0.01f, 0, 0)));
        COUNTED(CHANGE, vorton_world_set_gravity(world, vec3(0, 0, -0.4f)));
        COUNTED(CHANGE, vorton_world_set_diffusion(world, 1e-3f, 1e-3f));
        COUNTED(CHANGE, vorton_emitter_burst(world, emitter, 1));
        /* A new drop from time to time: the previous ones have expired. At first also one next to each body:
         * fluid warmed by bodies needs its own nodes there. */
        if (frame % 40 == 0) OK(vorton_world_add_initial(world, &drop, NULL, NULL));
        for (i = 0; i < BODIES && frame == 0; ++i) {
            VortonInitialDef warm = drop;
            warm.spacing = 0.1f;
            warm.centre = vec3((float)i - 1, 0.5f, 0.45f);
            OK(vorton_world_add_initial(world, &warm, NULL, NULL));
        }
        for (i = 0; i < BODIES; ++i) states[i].position = vec3((float)i - 1, 0.5f, 0.001f * (float)(frame % 100));
        COUNTED(BULK, vorton_bodies_set_states(world, bodies, states, 0, BODIES));
        COUNTED(BULK, vorton_body_set_state(world, bodies[0], &states[0]));
        COUNTED(BULK, vorton_body_set_temperature(world, bodies[1], 350));
        COUNTED(STEP, vorton_world_step(world, 0.02f));
        COUNTED(BULK, vorton_bodies_take_impulses(world, bodies, impulses, 0, BODIES));
        COUNTED(BULK, vorton_body_take_impulse(world, bodies[0], &impulses[0]));
        COUNTED(OPS, vorton_ops_run(world, ops, OPERATIONS, &view, 0.02f, frame, &result));
        view.count = result.count;
        /* Reading every tenth frame is enough of a warm-up. */
        if (frame < WARM_UP && frame % 10 != 9) continue;
        COUNTED(READ, vorton_tracers_read(world, tracers, positions[0], 12, ids, NULL, ages, values, TRACERS, &count));
        CHECK(count == TRACERS);
        COUNTED(READ, vorton_tracers_acquire(world, tracers, &rows, sizeof rows));
        COUNTED(READ, vorton_tracers_release(world, rows.lease));
        COUNTED(SAMPLE, vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, velocities[0], 12, POINTS));
        COUNTED(SAMPLE, vorton_world_sample(world, VORTON_SAMPLE_VORTICITY, points[0], 12, velocities[0], 12, POINTS));
        COUNTED(SAMPLE, vorton_world_sample(world, VORTON_SAMPLE_TEMPERATURE, points[0], 12, values, 4, POINTS));
        COUNTED(SAMPLE, vorton_world_sample_surfaces(world, NULL, 1, points[0], 12, surfaces, 0, POINTS));
        COUNTED(SAMPLE, vorton_world_sample_lines(world, VORTON_SAMPLE_DYE, points[0], 24, values, 4, POINTS / 2));
        COUNTED(SAMPLE, vorton_world_density_from_temperature(world, 320, &density));
        COUNTED(LOOK, vorton_world_stats(world, &stats));
        COUNTED(LOOK, vorton_world_hash(world, &hash));
        COUNTED(DRAW, vorton_world_draw(world, &drawing, NULL, 0, &count));
        CHECK(count > 3 * 512 + 12 + 72 + 100);
        COUNTED(DRAW, vorton_world_draw(world, &drawing, lines, sizeof lines / sizeof lines[0], &count));
        COUNTED(SAVE, vorton_world_save(world, NULL, 0, &count));
        CHECK(count <= sizeof snapshot);
        COUNTED(SAVE, vorton_world_save(world, snapshot, sizeof snapshot, &count));
        /* A recorded snapshot is copied to new memory. */
        if (frame < WARM_UP + FRAMES) COUNTED(SAVE, vorton_world_restore(world, snapshot, count));
        COUNTED(SHIFT, vorton_world_shift_origin(world, vec3(64, 0, -32)));
        COUNTED(SHIFT, vorton_world_shift_origin(world, vec3(-64, 0, 32)));
        COUNTED(LOOK, vorton_vortons_read(world, vortons, MAX_VORTONS, &count));
    }
    CHECK(allocations > 10 && stats.expired > 0 && result.emitted > 0 && stats.diffusion_passes > 0);
    CHECK(recorded > 100 * RECORDED);
    CHECK((stats.mesh_nodes > 0) == (solver == VORTON_SOLVER_MESH));
    OK(vorton_world_destroy(world));
}

/* With the argument "mesh" on the mesh, else directly. */
int main(int argc, char **argv) {
    const uint32_t solver = argc > 1 && strcmp(argv[1], "mesh") == 0 ? VORTON_SOLVER_MESH : VORTON_SOLVER_DIRECT;
    uint32_t i;
    int failed = 0;
    play(solver);
    printf("%s, allocations in %d frames, and %d recorded ones:", solver == VORTON_SOLVER_MESH ? "mesh" : "direct", FRAMES, RECORDED - 10);
    for (i = 0; i < KINDS; ++i) {
        printf(" %s %u%s", names[i], counts[i], i + 1 < KINDS ? "," : "\n");
        failed |= counts[i] > 0;
    }
    return failed;
}
#endif
