/* Counts allocations: what a game calls in every frame makes none, once it has run for a while. */
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

enum { TRACERS = 2000, PARTICLES = 1500, CAPACITY = 2000, POINTS = 600, WARM_UP = 80, FRAMES = 200 };

typedef struct Particle {
    float position[3], velocity[3], age;
} Particle;

static Particle particles[CAPACITY];
static float points[POINTS][3], velocities[POINTS][3], positions[TRACERS][3], ages[TRACERS];
static uint32_t ids[TRACERS];
static VortonVec3 seeds[TRACERS];
static VortonVorton vortons[1000];

/* Counts the allocations of one kind of call over all frames after the warm-up. */
enum { STEP, OPS, READ, SAMPLE, LOOK, CHANGE, KINDS };
static const char *const names[KINDS] = {"step", "ops_run", "tracers_read", "sample", "reading", "changing"};
static unsigned counts[KINDS];

#define COUNTED(kind, call) \
    do { \
        const unsigned before_ = allocations; \
        OK(call); \
        if (frame >= WARM_UP) counts[kind] += allocations - before_; \
    } while (0)

int main(void) {
    static const uint32_t types[] = {VORTON_OP_VELOCITY, VORTON_OP_ACCELERATE, VORTON_OP_ADVECT, VORTON_OP_AGE, VORTON_OP_KILL,
                                     VORTON_OP_EMIT, VORTON_OP_BOUNDS};
    enum { OPERATIONS = sizeof types / sizeof types[0] };
    VortonWorldDef world_def = vorton_default_world_def();
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    const VortonQuat identity = {0, 0, 0, 1};
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId tracers;
    VortonOpId ops[OPERATIONS];
    VortonStream streams[3];
    VortonParticleView view;
    VortonOpResult result;
    VortonStats stats;
    uint64_t hash;
    size_t count;
    uint32_t frame, i;
    int failed = 0;

    world_def.max_vortons = 1000;
    world_def.max_age = 1.0f;
    OK(vorton_world_create(&world_def, &world));
    add_ring(world, 200);
    emitter_def.rate = 200;
    emitter_def.extent = vec3(1, 1, 1);
    emitter_def.strength_spread = vec3(0.05f, 0.05f, 0.05f);
    OK(vorton_emitter_create(world, &emitter_def, &emitter));
    tracers_def.capacity = TRACERS;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    for (i = 0; i < TRACERS; ++i) seeds[i] = vec3(random_unit(3 * i), random_unit(3 * i + 1), random_unit(3 * i + 2));
    OK(vorton_tracers_add(world, tracers, seeds, NULL, TRACERS));
    for (i = 0; i < OPERATIONS; ++i) {
        VortonOpDef def = vorton_default_op_def(types[i]);
        def.kill_mode = VORTON_KILL_COMPACT;
        def.max_age = types[i] == VORTON_OP_KILL ? 0.5f : 0.0f;
        OK(vorton_op_create(world, &def, &ops[i]));
    }
    for (i = 0; i < 3; ++i) {
        streams[i].semantic = i == 0 ? VORTON_POSITION : i == 1 ? VORTON_VELOCITY : VORTON_AGE;
        streams[i].format = i == 2 ? VORTON_F32 : VORTON_F32X3;
        streams[i].stride = sizeof(Particle);
        streams[i].offset = 12 * i;
        streams[i].base = particles;
    }
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 3;
    view.streams = streams;
    view.count = PARTICLES;
    view.capacity = CAPACITY;
    view.element_size = sizeof(Particle);
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    stats.struct_size = sizeof stats;

    for (frame = 0; frame < WARM_UP + FRAMES; ++frame) {
        COUNTED(CHANGE, vorton_emitter_set_pose(world, emitter, vec3(0.01f * (float)frame, 0, 0), identity));
        COUNTED(CHANGE, vorton_world_set_wind(world, vec3(0.1f, 0, 0)));
        COUNTED(CHANGE, vorton_emitter_burst(world, emitter, 1));
        COUNTED(STEP, vorton_world_step(world, 0.02f));
        COUNTED(OPS, vorton_ops_run(world, ops, OPERATIONS, &view, 0.02f, frame, &result));
        view.count = result.count;
        COUNTED(READ, vorton_tracers_read(world, tracers, positions[0], 12, ids, NULL, ages, TRACERS, &count));
        CHECK(count == TRACERS);
        COUNTED(SAMPLE, vorton_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, velocities[0], 12, POINTS));
        COUNTED(SAMPLE, vorton_sample(world, VORTON_SAMPLE_VORTICITY, points[0], 12, velocities[0], 12, POINTS));
        COUNTED(LOOK, vorton_world_stats(world, &stats));
        COUNTED(LOOK, vorton_world_hash(world, &hash));
        COUNTED(LOOK, vorton_vortons_read(world, vortons, 1000, &count));
    }
    CHECK(allocations > 10 && stats.expired > 0 && result.emitted > 0);
    OK(vorton_world_destroy(world));
    for (i = 0; i < KINDS; ++i) {
        printf("%s: %u allocations in %d frames\n", names[i], counts[i], FRAMES);
        failed |= counts[i] > 0;
    }
    return failed;
}
#endif
