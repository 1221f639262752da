/* What a world tells of what it holds: numbers of the host's, definitions, lists. */
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

/* They stay through steps and whatever becomes of others, and the fluid does not depend on them. */
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

    /* A later one in the slot of one that is gone has its own. */
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

int main(void) {
    user_data();
    printf("told all\n");
    return 0;
}
