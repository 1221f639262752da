/* Reading back the contents of a world: user data, definitions, lists. */
#include "check.h"

/* One of each kind. */
typedef struct Held {
    VortonWorldId world;
    VortonBodyId body;
    VortonShapeId shape;
    VortonEmitterId emitter;
    VortonTracersId tracers;
} Held;

static VortonBodyId make_body(VortonWorldId world, uint64_t user_data, VortonShapeId *shape) {
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId body;
    body_def.user_data = user_data;
    shape_def.user_data = user_data + 1;
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_shape_create(world, body, &shape_def, shape));
    return body;
}

static Held hold(uint64_t user_data) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    Held held;
    world_def.max_vortons = 200;
    world_def.user_data = user_data + 4;
    OK(vorton_world_create(&world_def, &held.world));
    held.body = make_body(held.world, user_data, &held.shape);
    emitter_def.strength.z = 0.1f;
    emitter_def.user_data = user_data + 2;
    OK(vorton_emitter_create(held.world, &emitter_def, &held.emitter));
    tracers_def.capacity = 10;
    tracers_def.user_data = user_data + 3;
    OK(vorton_tracers_create(held.world, &tracers_def, &held.tracers));
    return held;
}

static void expect(const Held *held, uint64_t user_data) {
    uint64_t got[5];
    int n;
    OK(vorton_body_user_data(held->world, held->body, &got[0]));
    OK(vorton_shape_user_data(held->world, held->shape, &got[1]));
    OK(vorton_emitter_user_data(held->world, held->emitter, &got[2]));
    OK(vorton_tracers_user_data(held->world, held->tracers, &got[3]));
    OK(vorton_world_user_data(held->world, &got[4]));
    for (n = 0; n < 5; ++n) CHECK(got[n] == user_data + (uint64_t)n);
}

/* User data stays through steps and changes to other objects, and the fluid does not depend on it. */
static void user_data(void) {
    const uint64_t large = 0xfedcba9876543210u;
    const Held held = hold(large), other = hold(0);
    VortonBodyState state;
    VortonShapeId shape;
    VortonBodyId body;
    uint64_t got;
    int n;
    memset(&state, 0, sizeof state);
    state.rotation.w = 1;
    for (n = 0; n < 20; ++n) {
        STEP(vorton_world_step(held.world, 0.02f));
        STEP(vorton_world_step(other.world, 0.02f));
    }
    CHECK(hash_of(held.world) == hash_of(other.world));
    expect(&held, large);
    expect(&other, 0);

    /* A later object in a reused slot has its own user data. */
    body = make_body(held.world, 70, &shape);
    OK(vorton_body_destroy(held.world, body));
    CHECK(vorton_body_user_data(held.world, body, &got) == VORTON_ERR_STALE_ID);
    CHECK(vorton_shape_user_data(held.world, shape, &got) == VORTON_ERR_STALE_ID);
    body = make_body(held.world, 80, &shape);
    OK(vorton_body_user_data(held.world, body, &got));
    CHECK(got == 80);
    OK(vorton_shape_user_data(held.world, shape, &got));
    CHECK(got == 81);
    OK(vorton_body_place(held.world, held.body, &state));
    OK(vorton_body_set_mass(held.world, held.body, 2));
    OK(vorton_shape_destroy(held.world, shape));
    expect(&held, large);

    OK(vorton_body_set_user_data(held.world, held.body, 10));
    OK(vorton_shape_set_user_data(held.world, held.shape, 11));
    OK(vorton_emitter_set_user_data(held.world, held.emitter, 12));
    OK(vorton_tracers_set_user_data(held.world, held.tracers, 13));
    OK(vorton_world_set_user_data(held.world, 14));
    expect(&held, 10);
    expect(&other, 0);
    OK(vorton_world_destroy(held.world));
    OK(vorton_world_destroy(other.world));
}

/* A ring, a hot ball in its path and an emitter next to it, from these definitions; nothing has moved yet. */
static Held scene(const VortonWorldDef *world_def, const VortonBodyDef *body_def, const VortonEmitterDef *emitter_def,
                  const VortonTracersDef *tracers_def) {
    const VortonVec3 tracer = {0, 0, 0.2f};
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    Held held;
    OK(vorton_world_create(world_def, &held.world));
    ring.count = 40;
    OK(vorton_world_add_initial(held.world, &ring, NULL, NULL));
    OK(vorton_body_create(held.world, body_def, &held.body));
    shape_def.radius = 0.3f;
    OK(vorton_shape_create(held.world, held.body, &shape_def, &held.shape));
    OK(vorton_emitter_create(held.world, emitter_def, &held.emitter));
    OK(vorton_tracers_create(held.world, tracers_def, &held.tracers));
    OK(vorton_tracers_add(held.world, held.tracers, &tracer, NULL, NULL, 1));
    return held;
}

/* The world after some steps. */
static uint64_t future(Held held) {
    int n;
    uint64_t hash;
    size_t tracers;
    float place[3] = {0, 0, 0};
    uint32_t bits;
    for (n = 0; n < 10; ++n) STEP(vorton_world_step(held.world, 0.02f));
    OK(vorton_tracers_read(held.world, held.tracers, place, sizeof place, NULL, NULL, NULL, NULL, 1, &tracers));
    memcpy(&bits, &place[0], sizeof bits);
    hash = hash_of(held.world) + tracers + bits;
    OK(vorton_world_destroy(held.world));
    return hash;
}

static VortonWorldDef world_def_of(VortonWorldId world) {
    VortonWorldDef def;
    memset(&def, 0x55, sizeof def);
    OK(vorton_world_def(world, &def, sizeof def));
    return def;
}
static VortonBodyDef body_def_of(const Held *held) {
    VortonBodyDef def;
    memset(&def, 0x55, sizeof def);
    OK(vorton_body_def(held->world, held->body, &def, sizeof def));
    return def;
}
static VortonEmitterDef emitter_def_of(const Held *held) {
    VortonEmitterDef def;
    memset(&def, 0x55, sizeof def);
    OK(vorton_emitter_def(held->world, held->emitter, &def, sizeof def));
    return def;
}
static VortonTracersDef tracers_def_of(const Held *held) {
    VortonTracersDef def;
    memset(&def, 0x55, sizeof def);
    OK(vorton_tracers_def(held->world, held->tracers, &def, sizeof def));
    return def;
}
#define SAME(a, b) CHECK(memcmp(&(a), &(b), sizeof(a)) == 0)

/* Changes one thing of `held`, and the same in its definition. */
enum { CHANGES = 19 };
static void change(const Held *held, int n, VortonWorldDef *world, VortonBodyDef *body, VortonEmitterDef *emitter,
                   VortonTracersDef *tracers) {
    const float inertia[9] = {0.3f, 0, 0, 0, 0.4f, 0, 0, 0, 0.5f};
    const VortonQuat turned = {0, 0.6f, 0, 0.8f};
    switch (n) {
    case 0: world->wind = vec3(0.1f, 0, 0); OK(vorton_world_set_wind(held->world, world->wind)); break;
    case 1: world->gravity = vec3(0, 1, 0); OK(vorton_world_set_gravity(held->world, world->gravity)); break;
    case 2: world->viscosity = 0.01f; OK(vorton_world_set_diffusion(held->world, 0.01f, 0)); break;
    case 3: world->relaxation_rate = 7; OK(vorton_world_set_relaxation_rate(held->world, 7)); break;
    case 4: world->smagorinsky = 0.9f; OK(vorton_world_set_smagorinsky(held->world, 0.9f)); break;
    case 5: world->no_slip_rate = 3; OK(vorton_world_set_no_slip_rate(held->world, 3)); break;
    case 6:
        world->specific_heat = 5;
        OK(vorton_world_set_specific_heat(held->world, 5));
        world->ignition_temperature = 280, world->burn_time = 0.1f, world->burn_expansion = 0.5f;
        OK(vorton_world_set_combustion(held->world, 280, 0.1f, 0.5f));
        break;
    case 7: world->max_age = 0.1f; OK(vorton_world_set_max_age(held->world, 0.1f)); break;
    case 8: body->mass = 3; OK(vorton_body_set_mass(held->world, held->body, 3)); break;
    case 9: memcpy(body->inertia, inertia, sizeof inertia); OK(vorton_body_set_inertia(held->world, held->body, inertia)); break;
    case 10: body->temperature = 350; OK(vorton_body_set_temperature(held->world, held->body, 350)); break;
    case 11: body->heat_transfer = 0; OK(vorton_body_set_heat_transfer(held->world, held->body, 0)); break;
    case 12: body->heat_capacity = 0; OK(vorton_body_set_heat_capacity(held->world, held->body, 0)); break;
    case 13: emitter->rate = 20; OK(vorton_emitter_set_rate(held->world, held->emitter, 20)); break;
    case 14:
        emitter->position = vec3(0.5f, -0.5f, 0.2f);
        emitter->rotation = turned;
        OK(vorton_emitter_set_pose(held->world, held->emitter, emitter->position, turned));
        break;
    case 15:
        emitter->extent = vec3(0.1f, 0.2f, 0.3f);
        emitter->strength_spread = vec3(0.01f, 0.02f, 0);
        emitter->volume = 1e-3f;
        emitter->fuel = 100;
        emitter->seed = 9;
        emitter->user_data = 99;
        OK(vorton_emitter_update(held->world, held->emitter, emitter));
        break;
    case 16: tracers->max_age = 0.05f; OK(vorton_tracers_set_max_age(held->world, held->tracers, 0.05f)); break;
    case 17: tracers->turbulence = 0.7f; OK(vorton_tracers_set_turbulence(held->world, held->tracers, 0.7f)); break;
    default: world->expected_samples = 123; OK(vorton_world_set_expected_samples(held->world, 123));
    }
}

/* Changes are read back and equal a creation with these values: nothing else has changed, and they take
 * effect. */
static void definitions(void) {
    VortonWorldDef world_def = vorton_default_world_def(), world_now;
    VortonBodyDef body_def = vorton_default_body_def(), body_now;
    VortonEmitterDef emitter_def = vorton_default_emitter_def(), emitter_now;
    VortonTracersDef tracers_def = vorton_default_tracers_def(), tracers_now;
    VortonWorldDef large[2];
    Held held;
    uint64_t unchanged;
    int n, all;
    world_def.max_vortons = 400;
    world_def.core_radius = 0.12f;
    world_def.solver = VORTON_SOLVER_DIRECT;
    world_def.gravity.z = -1;
    world_def.layer_jump = 0.5f;
    world_def.task_user = &held;
    world_def.user_data = 5;
    body_def.position = vec3(0.9f, 0.1f, 0.3f);
    body_def.velocity = vec3(0, 0.1f, 0);
    body_def.angular_velocity = vec3(0, 0, 1);
    body_def.temperature = 400;
    body_def.heat_transfer = 1000;
    body_def.flags = VORTON_BODY_FRICTION_WARMS | VORTON_BODY_WEIGHT;
    body_def.user_data = 6;
    emitter_def.strength.x = 0.01f;
    emitter_def.position.y = 0.9f;
    emitter_def.user_data = 7;
    tracers_def.capacity = 10;
    tracers_def.show = VORTON_SAMPLE_DYE;
    tracers_def.user_data = 8;
    unchanged = future(scene(&world_def, &body_def, &emitter_def, &tracers_def));
    CHECK(unchanged == future(scene(&world_def, &body_def, &emitter_def, &tracers_def)));
    for (all = 0; all < 2; ++all) {
        for (n = 0; n < (all ? 1 : CHANGES); ++n) {
            int k;
            uint64_t changed;
            world_now = world_def;
            body_now = body_def;
            emitter_now = emitter_def;
            tracers_now = tracers_def;
            held = scene(&world_def, &body_def, &emitter_def, &tracers_def);
            for (k = n; k < (all ? CHANGES : n + 1); ++k) change(&held, k, &world_now, &body_now, &emitter_now, &tracers_now);
            const VortonWorldDef world_read = world_def_of(held.world);
            const VortonBodyDef body_read = body_def_of(&held);
            const VortonEmitterDef emitter_read = emitter_def_of(&held);
            const VortonTracersDef tracers_read = tracers_def_of(&held);
            SAME(world_read, world_now);
            SAME(body_read, body_now);
            SAME(emitter_read, emitter_now);
            SAME(tracers_read, tracers_now);
            changed = future(held);
            CHECK(changed == future(scene(&world_read, &body_read, &emitter_read, &tracers_read)));
            if (n < CHANGES - 1) CHECK(changed != unchanged);
        }
    }

    /* Changes of bodies by steps are in their definitions, too. */
    held = scene(&world_def, &body_def, &emitter_def, &tracers_def);
    for (n = 0; n < 10; ++n) STEP(vorton_world_step(held.world, 0.02f));
    body_now = body_def_of(&held);
    {
        VortonBodyState state;
        VortonBodyImpulse impulse;
        OK(vorton_body_read(held.world, held.body, &state));
        OK(vorton_body_take_impulse(held.world, held.body, &impulse));
        CHECK(memcmp(&body_now.position, &state, sizeof state) == 0);
        CHECK(body_now.temperature < 400 && memcmp(&body_now.temperature, &impulse.temperature, sizeof(float)) == 0);
    }
    /* A larger struct of a later header has zeros beyond the fields that the library knows. */
    memset(large, 0x55, sizeof large);
    OK(vorton_world_def(held.world, large, sizeof large[0] + 16));
    CHECK(large[0].struct_size == sizeof large[0] + 16 && large[1].struct_size == 0 && large[1].kernel == 0);
    CHECK(large[1].precision == 0x55555555u);
    OK(vorton_world_destroy(held.world));
}

/* Creates and destroys at random; the library's list equals one kept by hand, in order of creation. */
#define LIST(Id, count_call, make, destroy) \
    do { \
        Id ids[30], listed[31]; \
        size_t count = 0, told, n; \
        uint32_t turn; \
        for (turn = 0; turn < 200; ++turn) { \
            const float dice = random_unit(turn); \
            if (count == 0 || (count < 30 && dice < 0.55f)) { \
                OK(make(&ids[count])); \
                count += 1; \
            } else { \
                const size_t gone = (size_t)(random_unit(turn + 1000) * (float)count); \
                OK(destroy(ids[gone])); \
                memmove(&ids[gone], &ids[gone + 1], (count - gone - 1) * sizeof ids[0]); \
                count -= 1; \
            } \
            memset(listed, 0x55, sizeof listed); \
            OK(count_call(NULL, 0, &told)); \
            CHECK(told == count); \
            if (count > 1) CHECK(count_call(listed, count - 1, &told) == VORTON_ERR_BUFFER_SMALL && told == count); \
            CHECK(listed[0].world == 0x5555); \
            if (count > 0) OK(count_call(listed, count + turn % 2, &told)); \
            CHECK(told == count && memcmp(listed, ids, count * sizeof ids[0]) == 0); \
            for (n = count; n < 31; ++n) CHECK(listed[n].world == 0x5555); \
        } \
    } while (0)

static void lists(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 16);
    const VortonBodyDef body_def = vorton_default_body_def();
    const VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    const VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonBodyId body;
    tracers_def.capacity = 1;
#define BODIES(...) vorton_world_bodies(world, __VA_ARGS__)
#define BODY(out) vorton_body_create(world, &body_def, out)
#define NO_BODY(id) vorton_body_destroy(world, id)
    LIST(VortonBodyId, BODIES, BODY, NO_BODY);
    OK(vorton_body_create(world, &body_def, &body));
#define SHAPES(...) vorton_body_shapes(world, body, __VA_ARGS__)
#define SHAPE(out) vorton_shape_create(world, body, &shape_def, out)
#define NO_SHAPE(id) vorton_shape_destroy(world, id)
    LIST(VortonShapeId, SHAPES, SHAPE, NO_SHAPE);
#define EMITTERS(...) vorton_world_emitters(world, __VA_ARGS__)
#define EMITTER(out) vorton_emitter_create(world, &emitter_def, out)
#define NO_EMITTER(id) vorton_emitter_destroy(world, id)
    LIST(VortonEmitterId, EMITTERS, EMITTER, NO_EMITTER);
#define TRACERS(...) vorton_world_tracers(world, __VA_ARGS__)
#define SET(out) vorton_tracers_create(world, &tracers_def, out)
#define NO_SET(id) vorton_tracers_destroy(world, id)
    LIST(VortonTracersId, TRACERS, SET, NO_SET);
    OK(vorton_world_destroy(world));
}

int main(void) {
    user_data();
    definitions();
    lists();
    printf("told all\n");
    return 0;
}
