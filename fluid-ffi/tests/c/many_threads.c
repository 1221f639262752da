/*
 * Threads that step, sample, run operations, read, create and destroy, all at once and without locking. Each
 * result must be one that the header promises, and calls that only read must not change the results of steps.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { STEPS = 150, RING = 300, SHORT_LIVES = 60 };

static VortonWorldId world, doomed;
static VortonOpId ops[4], emit;
static VortonTracersId tracers;
static VortonBodyId ball;
static int done;
static unsigned answers[3]; /* OK or a note, BUSY, STALE_ID */

static int is_done(void) {
    return __atomic_load_n(&done, __ATOMIC_ACQUIRE);
}

static VortonResult allowed(const char *call, VortonResult result) {
    const int kind = result >= VORTON_OK ? 0 : result == VORTON_ERR_BUSY ? 1 : result == VORTON_ERR_STALE_ID ? 2 : 3;
    if (kind == 3) check_result(__FILE__, __LINE__, call, VORTON_OK, result);
    (void)__atomic_add_fetch(&answers[kind], 1u, __ATOMIC_RELAXED);
    return result;
}

#define TRY(call) allowed(#call, (call))

static void *step(void *unused) {
    int steps = 0;
    while (steps < STEPS) {
        if (TRY(vorton_world_step(world, 0.01f)) >= 0) steps += 1;
        else (void)sched_yield();
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return unused;
}

static void *sample(void *unused) {
    static const float points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    float out[3][3];
    VortonSurface surfaces[3];
    VortonDrawDef flow = vorton_default_draw_def();
    VortonLine lines[3 * 512 + 24];
    size_t count;
    flow.flags = VORTON_DRAW_FIELD | VORTON_DRAW_MESH;
    while (!is_done()) {
        CHECK(TRY(vorton_world_draw(world, &flow, lines, 3 * 512 + 24, &count)) == VORTON_OK);
        CHECK(TRY(vorton_world_sample_surfaces(world, NULL, 1, points[0], 12, surfaces, 0, 3)) == VORTON_OK);
        CHECK(TRY(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, out[0], 12, 3)) == VORTON_OK);
        CHECK(TRY(vorton_world_sample(world, VORTON_SAMPLE_VORTICITY, points[0], 12, out[0], 12, 3)) == VORTON_OK);
    }
    return unused;
}

static void *operate(void *unused) {
    enum { PARTICLES = 1200, CAPACITY = 1300 };
    struct { float position[3], velocity[3], age; } *particles = calloc(CAPACITY, sizeof *particles);
    VortonStream streams[3];
    VortonParticleView view;
    VortonOpResult result;
    VortonOpId list[5];
    uint32_t frame = 0;
    int i;
    CHECK(particles != NULL);
    memset(streams, 0, sizeof streams);
    for (i = 0; i < 3; ++i) {
        streams[i].semantic = i == 0 ? VORTON_POSITION : i == 1 ? VORTON_VELOCITY : VORTON_AGE;
        streams[i].format = i == 2 ? VORTON_F32 : VORTON_F32X3;
        streams[i].stride = sizeof *particles;
        streams[i].offset = 12 * (uint32_t)i;
        streams[i].base = particles;
    }
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 3;
    view.streams = streams;
    view.capacity = CAPACITY;
    view.element_size = sizeof *particles;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    memcpy(list, ops, sizeof ops);
    list[4] = emit;
    while (!is_done()) {
        view.count = PARTICLES;
        CHECK(TRY(vorton_ops_run(world, list, 4, &view, 0.01f, frame, &result)) == VORTON_OK);
        /* Both operating threads use one emission, which only one can run at a time. */
        (void)TRY(vorton_ops_run(world, list, 5, &view, 0.01f, frame++, &result));
    }
    free(particles);
    return unused;
}

static void *look(void *unused) {
    static VortonVorton vortons[RING];
    static VortonLine lines[RING + 1000];
    const VortonDrawDef drawing = vorton_default_draw_def();
    float positions[64][3];
    size_t count;
    uint64_t hash;
    uint32_t number;
    VortonBodyState state;
    VortonBodyImpulse impulse;
    VortonStats stats;
    VortonInvariants invariants;
    memset(&invariants, 0, sizeof invariants);
    stats.struct_size = sizeof stats;
    invariants.struct_size = sizeof invariants;
    while (!is_done()) {
        (void)TRY(vorton_world_stats(world, &stats));
        (void)TRY(vorton_world_invariants(world, &invariants));
        (void)TRY(vorton_world_hash(world, &hash));
        (void)TRY(vorton_vortons_read(world, vortons, RING, &count));
        (void)TRY(vorton_world_draw(world, &drawing, lines, RING + 1000, &count));
        (void)TRY(vorton_tracers_read(world, tracers, positions[0], 12, NULL, NULL, NULL, NULL, 64, &count));
        (void)TRY(vorton_body_read(world, ball, &state));
        (void)TRY(vorton_body_take_impulse(world, ball, &impulse));
        (void)TRY(vorton_bodies_take_impulses(world, &ball, &impulse, 0, 1));
        CHECK(TRY(vorton_body_number(world, ball, &number)) == VORTON_OK && number == 1);
        CHECK(vorton_world_is_valid(world) && vorton_body_is_valid(world, ball));
        CHECK(vorton_tracers_is_valid(world, tracers));
        (void)sched_yield();
    }
    return unused;
}

/* Creates worlds, uses and destroys them, and passes one to the other thread of its kind to destroy while in
   use. */
static void *live_and_die(void *unused) {
    int life;
    for (life = 0; life < SHORT_LIVES; ++life) {
        const uint32_t threads = life % 2 ? VORTON_THREADS_POOL : VORTON_THREADS_SERIAL;
        const VortonWorldId mine = make_world(threads, 2, 64);
        const VortonOpId op = make_op(mine, VORTON_OP_AGE);
        VortonEmitterDef def = vorton_default_emitter_def();
        const VortonBodyDef body_def = vorton_default_body_def();
        VortonEmitterId emitter;
        VortonBodyId body;
        add_ring(mine, 32);
        OK(vorton_emitter_create(mine, &def, &emitter));
        STEP(vorton_world_step(mine, 0.1f));
        OK(vorton_op_destroy(mine, op));
        OK(vorton_world_destroy(mine));
        CHECK(vorton_world_step(mine, 0.1f) == VORTON_ERR_STALE_ID);
        (void)TRY(vorton_world_step(doomed, 0.001f));
        if (TRY(vorton_emitter_create(doomed, &def, &emitter)) == VORTON_OK)
            (void)TRY(vorton_emitter_destroy(doomed, emitter));
        (void)TRY(vorton_vortons_clear(doomed));
        if (TRY(vorton_body_create(doomed, &body_def, &body)) == VORTON_OK) (void)TRY(vorton_body_destroy(doomed, body));
        if (life == SHORT_LIVES / 2) (void)TRY(vorton_world_destroy(doomed));
    }
    return unused;
}

static void on_log(int32_t level, const char *text, void *user) {
    CHECK(level >= VORTON_LOG_INFO && text[0] != '\0' && user == &answers);
    CHECK(vorton_world_step(world, 0.01f) == VORTON_ERR_BUSY);
}

static void *listen(void *unused) {
    while (!is_done()) {
        OK(vorton_set_log(on_log, &answers, VORTON_LOG_INFO));
        (void)sched_yield();
        OK(vorton_set_log(NULL, NULL, 0));
    }
    return unused;
}

static VortonBodyId add_ball(VortonWorldId to) {
    VortonBodyDef def = vorton_default_body_def();
    const VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId body;
    VortonShapeId shape;
    def.position = vec3(1, 0, 0.6f);
    /* Receives all impulses in the same step, so the time of taking them does not matter. */
    def.mass = 0;
    OK(vorton_body_create(to, &def, &body));
    OK(vorton_shape_create(to, body, &shape_def, &shape));
    return body;
}

int main(void) {
    static void *(*const bodies[])(void *) = {step, sample, sample, operate, operate, look, live_and_die, live_and_die, listen};
    enum { THREADS = sizeof bodies / sizeof bodies[0] };
    pthread_t threads[THREADS];
    const VortonTracersDef tracers_def = vorton_default_tracers_def();
    const VortonVec3 points[2] = {{0, 0, 0}, {1, 0, 0}};
    VortonWorldId quiet;
    int i;

#if !defined(_WIN32)
    (void)alarm(300); /* A deadlock fails the test instead of hanging it. */
#endif
    world = make_world(VORTON_THREADS_POOL, 2, RING);
    doomed = make_world(VORTON_THREADS_POOL, 2, 64);
    add_ring(world, RING);
    ball = add_ball(world);
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_tracers_add(world, tracers, points, NULL, NULL, 2));
    ops[0] = make_op(world, VORTON_OP_VELOCITY);
    ops[1] = make_op(world, VORTON_OP_ADVECT);
    ops[2] = make_op(world, VORTON_OP_AGE);
    ops[3] = make_op(world, VORTON_OP_BOUNDS);
    emit = make_op(world, VORTON_OP_EMIT);
    for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    for (i = 0; i < THREADS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);

    quiet = make_world(VORTON_THREADS_SERIAL, 0, RING);
    add_ring(quiet, RING);
    (void)add_ball(quiet);
    for (i = 0; i < STEPS; ++i) STEP(vorton_world_step(quiet, 0.01f));
    CHECK(hash_of(quiet) == hash_of(world));
    CHECK(!vorton_world_is_valid(doomed));
    OK(vorton_world_destroy(quiet));
    OK(vorton_world_destroy(world));
    printf("%u calls done, %u busy, %u stale\n", answers[0], answers[1], answers[2]);
    return 0;
}
