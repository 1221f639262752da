/*
 * Restarting a level: a world with objects of every kind is reset, and continues with the bits of a world
 * created with the present definition. Ids of destroyed objects are stale.
 */
#include "check.h"

enum { FRAMES = 12, SMOKE = 200, PARTICLES = 200, VORTONS = 1500 };

typedef struct Level {
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId smoke;
    VortonBodyId bodies[3];
    VortonShapeId shape;
    size_t body_count;
    VortonVec3 particles[PARTICLES];
    size_t count;
} Level;

static VortonShapeId add_body(Level *level, const VortonBodyDef *body_def, const VortonShapeDef *shape_def) {
    VortonBodyId *body = &level->bodies[level->body_count++];
    VortonShapeId shape;
    OK(vorton_body_create(level->world, body_def, body));
    OK(vorton_shape_create(level->world, *body, shape_def, &shape));
    return shape;
}

static void add_tracers(Level *level) {
    VortonTracersDef def = vorton_default_tracers_def();
    uint32_t i;
    def.capacity = SMOKE;
    def.show = VORTON_SAMPLE_DYE;
    def.readable_during_steps = 1;
    OK(vorton_tracers_create(level->world, &def, &level->smoke));
    for (i = 0; i < SMOKE; ++i) {
        const VortonVec3 place = vec3(random_unit(3 * i) - 0.5f, random_unit(3 * i + 1) - 0.5f, random_unit(3 * i + 2) - 0.5f);
        OK(vorton_tracers_add(level->world, level->smoke, &place, NULL, NULL, 1));
    }
}

/* A ring, an emitter, an impermeable ball, and a box. */
static void fill_open(Level *level) {
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE), box = vorton_default_shape_def(VORTON_SHAPE_BOX);
    add_ring(level->world, 120);
    emitter.rate = 200;
    emitter.extent = vec3(0.5f, 0.5f, 0.5f);
    emitter.strength_spread = vec3(0.05f, 0.05f, 0.05f);
    OK(vorton_emitter_create(level->world, &emitter, &level->emitter));
    add_tracers(level);
    body.mass = 0.02f;
    body.flags = VORTON_BODY_NO_THROUGH;
    body.position = vec3(0.2f, 0, 0.7f);
    ball.radius = 0.2f;
    level->shape = add_body(level, &body, &ball);
    body.flags = 0;
    body.position = vec3(-0.9f, 0.3f, 0.2f);
    box.half_extents = vec3(0.2f, 0.15f, 0.1f);
    (void)add_body(level, &body, &box);
}

/* A drop that falls in a box of fluid, above a floor. */
static void fill_tank(Level *level) {
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef tank = vorton_default_shape_def(VORTON_SHAPE_BOX), floor = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    drop.dye = 1;
    OK(vorton_world_add_initial(level->world, &drop, NULL, NULL));
    emitter.rate = 0;
    OK(vorton_emitter_create(level->world, &emitter, &level->emitter));
    OK(vorton_emitter_burst(level->world, level->emitter, 3));
    add_tracers(level);
    body.mass = 0;
    tank.half_extents = vec3(0.8f, 0.8f, 0.8f);
    tank.flags = VORTON_SHAPE_HOLE;
    level->shape = add_body(level, &body, &tank);
    body.position = vec3(0, 0, -1.5f);
    (void)add_body(level, &body, &floor);
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = (const unsigned char *)bytes;
    size_t i;
    for (i = 0; i < size; ++i) hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

/* The readable state of a level. */
static uint64_t look(Level *level) {
    static VortonVec3 positions[SMOKE];
    static uint32_t ids[SMOKE];
    static float ages[SMOKE], values[SMOKE];
    VortonStats stats;
    static VortonVorton vortons[VORTONS];
    VortonBodyImpulse impulse;
    const float point[3] = {0.1f, 0.2f, 0.3f};
    float velocity[3];
    size_t i, count = 0;
    uint32_t number = 0;
    uint64_t hash = hash_of(level->world);
    OK(vorton_tracers_read(level->world, level->smoke, &positions[0].x, sizeof positions[0], ids, NULL, ages, values, SMOKE, &count));
    hash = mix(mix(hash, positions, count * sizeof positions[0]), ids, count * sizeof ids[0]);
    hash = mix(mix(hash, ages, count * sizeof ages[0]), values, count * sizeof values[0]);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(level->world, &stats));
    stats.workers = 0;
    hash = mix(hash, &stats, offsetof(VortonStats, step_ms));
    for (i = 0; i < level->body_count; ++i) {
        OK(vorton_body_take_impulse(level->world, level->bodies[i], &impulse));
        OK(vorton_body_number(level->world, level->bodies[i], &number));
        hash = mix(mix(hash, &impulse, sizeof impulse), &number, sizeof number);
    }
    OK(vorton_world_sample(level->world, VORTON_SAMPLE_VELOCITY, point, 12, velocity, 12, 1));
    hash = mix(hash, velocity, sizeof velocity);
    OK(vorton_vortons_read(level->world, vortons, VORTONS, &count));
    for (i = 0; i < count; ++i) hash = mix(hash, &vortons[i].id, sizeof vortons[i].id);
    return mix(hash, level->particles, sizeof level->particles);
}

/* Plays a level that has been filled; writes its state in each frame. */
static void play(Level *level, VortonOpId emission, uint64_t looks[FRAMES]) {
    VortonParticleView view;
    VortonStream stream;
    VortonOpResult result;
    uint32_t frame;
    memset(&view, 0, sizeof view);
    memset(&stream, 0, sizeof stream);
    memset(&result, 0, sizeof result);
    memset(level->particles, 0, sizeof level->particles);
    stream.semantic = VORTON_POSITION;
    stream.format = VORTON_F32X3;
    stream.base = level->particles;
    stream.stride = sizeof(VortonVec3);
    view.struct_size = sizeof view;
    view.streams = &stream;
    view.stream_count = 1;
    view.capacity = PARTICLES;
    view.element_size = sizeof(VortonVec3);
    result.struct_size = sizeof result;
    for (frame = 0; frame < FRAMES; ++frame) {
        STEP(vorton_world_step(level->world, 0.02f + 0.01f * random_unit(frame / 4)));
        OK(vorton_ops_run(level->world, &emission, 1, &view, 0.03f, frame, &result));
        view.count = result.count;
        looks[frame] = look(level);
    }
}

static uint64_t hash_all(VortonWorldId world) {
    uint64_t hash = 0;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

static VortonOpId make_emission(VortonWorldId world) {
    VortonOpDef def = vorton_default_op_def(VORTON_OP_EMIT);
    VortonOpId op;
    def.rate = 70;
    OK(vorton_op_create(world, &def, &op));
    return op;
}

#define STALE(call) check_result(__FILE__, __LINE__, #call, VORTON_ERR_STALE_ID, (call))

/* All contents are destroyed. */
static void check_empty(const Level *before, uint64_t user_data) {
    VortonWorldId world = before->world;
    VortonStats stats;
    VortonInvariants invariants;
    VortonTracerRows rows = {0};
    size_t count = 77;
    uint64_t number = 0;
    const float point[3] = {0.1f, 0.2f, 0.3f};
    float velocity[3] = {7, 7, 7};
    STALE(vorton_emitter_burst(world, before->emitter, 1));
    STALE(vorton_tracers_clear(world, before->smoke));
    STALE(vorton_tracers_acquire(world, before->smoke, &rows, sizeof rows));
    CHECK(!vorton_body_is_valid(world, before->bodies[0]) && !vorton_body_is_valid(world, before->bodies[1]));
    CHECK(!vorton_shape_is_valid(world, before->shape));
    CHECK(!vorton_emitter_is_valid(world, before->emitter) && !vorton_tracers_is_valid(world, before->smoke));
    OK(vorton_world_bodies(world, NULL, 0, &count));
    CHECK(count == 0);
    OK(vorton_world_emitters(world, NULL, 0, &count));
    CHECK(count == 0);
    OK(vorton_world_tracers(world, NULL, 0, &count));
    CHECK(count == 0);
    OK(vorton_vortons_read(world, NULL, 0, &count));
    CHECK(count == 0);
    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(world, &stats));
    CHECK(stats.steps == 0 && stats.time == 0 && stats.bodies == 0 && stats.shapes == 0 && stats.tracers == 0);
    CHECK(stats.step_ms == 0 && stats.velocity_ms == 0 && stats.halo_born == 0 && stats.energy == 0);
    memset(&invariants, 0, sizeof invariants);
    invariants.struct_size = sizeof invariants;
    OK(vorton_world_invariants(world, &invariants));
    CHECK(invariants.max_strength == 0 && invariants.bound_strength[2] == 0 && invariants.bound_impulse[2] == 0);
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, point, 12, velocity, 12, 1));
    CHECK(velocity[1] == 0 && velocity[2] == 0);
    OK(vorton_world_user_data(world, &number));
    CHECK(number == user_data);
}

/* Plays one level, resets, plays the other kind of level or the same. */
static void replay(void (*first)(Level *), void (*second)(Level *), uint32_t threads) {
    uint64_t looks[FRAMES], again[FRAMES], expected[FRAMES];
    static Level level, fresh, before;
    VortonWorldDef def = vorton_default_world_def(), in_force;
    VortonOpId emission, other_emission;
    int frame, round;
    memset(&level, 0, sizeof level);
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.max_vortons = VORTONS;
    def.gravity = vec3(0, 0, -3);
    def.user_data = 4711;
    OK(vorton_world_create(&def, &level.world));
    emission = make_emission(level.world);
    first(&level);
    play(&level, emission, looks);
    /* Changes by setters are kept. */
    OK(vorton_world_set_gravity(level.world, vec3(0, 1, -4)));
    OK(vorton_world_set_wind(level.world, vec3(0.2f, 0, 0)));
    OK(vorton_world_set_diffusion(level.world, 1e-3f, 2e-3f));
    OK(vorton_world_set_relaxation_rate(level.world, 0.5f));
    OK(vorton_world_set_smagorinsky(level.world, 0.1f));
    OK(vorton_world_set_no_slip_rate(level.world, 20));
    OK(vorton_world_set_specific_heat(level.world, 900));
    OK(vorton_world_set_combustion(level.world, 500, 0.1f, 0.5f));
    OK(vorton_world_set_max_age(level.world, 0.3f));
    OK(vorton_world_set_expected_samples(level.world, 5000));
    OK(vorton_world_def(level.world, &in_force, sizeof in_force));
    memset(&fresh, 0, sizeof fresh);
    in_force.threads = VORTON_THREADS_SERIAL;
    OK(vorton_world_create(&in_force, &fresh.world));
    other_emission = make_emission(fresh.world);
    second(&fresh);
    play(&fresh, other_emission, expected);
    for (round = 0; round < 2; ++round) {
        before = level;
        OK(vorton_world_reset(level.world));
        check_empty(&before, 4711);
        level.body_count = 0;
        second(&level);
        CHECK(vorton_emitter_is_valid(level.world, level.emitter) && vorton_tracers_is_valid(level.world, level.smoke));
        CHECK(!vorton_emitter_is_valid(level.world, before.emitter) && !vorton_tracers_is_valid(level.world, before.smoke));
        CHECK(vorton_op_is_valid(level.world, emission));
        play(&level, emission, again);
        for (frame = 0; frame < FRAMES; ++frame) CHECK(again[frame] == expected[frame]);
        STALE(vorton_body_destroy(level.world, before.bodies[0]));
        STALE(vorton_emitter_destroy(level.world, before.emitter));
        STALE(vorton_tracers_destroy(level.world, before.smoke));
    }
    CHECK(looks[FRAMES - 1] != expected[FRAMES - 1]);
    OK(vorton_world_destroy(level.world));
    OK(vorton_world_destroy(fresh.world));
}

/* With vortons alone, the whole snapshot equals that of a new world. */
static void all_of_it(void) {
    VortonWorldDef def = vorton_default_world_def(), in_force;
    VortonWorldId world, fresh;
    static unsigned char snapshot[1 << 20];
    size_t size = 0;
    uint64_t before;
    int step;
    def.gravity = vec3(0, 0, -1);
    def.max_vortons = 2000;
    OK(vorton_world_create(&def, &world));
    add_ring(world, 200);
    for (step = 0; step < 5; ++step) STEP(vorton_world_step(world, 0.02f));
    OK(vorton_world_set_gravity(world, vec3(0, 0, -2)));
    OK(vorton_world_set_wind(world, vec3(0, 0.1f, 0)));
    OK(vorton_world_set_diffusion(world, 1e-3f, 1e-3f));
    OK(vorton_world_save(world, snapshot, sizeof snapshot, &size));
    before = hash_all(world);
    OK(vorton_world_reset(world));
    OK(vorton_world_def(world, &in_force, sizeof in_force));
    OK(vorton_world_create(&in_force, &fresh));
    CHECK(hash_all(world) == hash_all(fresh));
    add_ring(world, 300);
    add_ring(fresh, 300);
    for (step = 0; step < 5; ++step) {
        STEP(vorton_world_step(world, 0.02f));
        STEP(vorton_world_step(fresh, 0.02f));
        CHECK(hash_all(world) == hash_all(fresh));
    }
    /* A snapshot from before the reset. */
    OK(vorton_world_restore(world, snapshot, size));
    CHECK(hash_all(world) == before);
    OK(vorton_world_reset(world));
    OK(vorton_world_reset(world));
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(fresh));
}

int main(void) {
    replay(fill_open, fill_open, VORTON_THREADS_SERIAL);
    replay(fill_tank, fill_tank, VORTON_THREADS_POOL);
    replay(fill_open, fill_tank, VORTON_THREADS_SERIAL);
    replay(fill_tank, fill_open, VORTON_THREADS_POOL);
    all_of_it();
    printf("worlds that were reset have the bits of new ones\n");
    return 0;
}
