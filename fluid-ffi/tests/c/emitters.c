/*
 * Emitters of warm, dyed fluid and of jets, with tracers: definitions take effect, are read back, are saved
 * and restored, and are refused if invalid.
 */
#include "check.h"

#include <math.h>
#include <stddef.h>

/* Stops the program unless `call` returns `code`. */
#define ANSWERS(code, call) check_result(__FILE__, __LINE__, #call, (code), (call))

enum { TRACERS = 3000, VORTONS = 1000, BYTES = 4 << 20 };

static unsigned char saved[BYTES];
static float tracer_positions[3 * TRACERS];
static uint32_t tags[TRACERS];
static VortonVorton vortons[VORTONS];

static VortonWorldId create_world(void) {
    VortonWorldDef def = vorton_default_world_def();
    def.gravity.z = -9.8f;
    def.max_age = 2.0f;
    VortonWorldId world;
    OK(vorton_world_create(&def, &world));
    return world;
}

static VortonTracersId create_tracers(VortonWorldId world) {
    VortonTracersDef def = vorton_default_tracers_def();
    def.capacity = TRACERS;
    VortonTracersId tracers;
    OK(vorton_tracers_create(world, &def, &tracers));
    return tracers;
}

static VortonEmitterDef warm_jet(VortonTracersId tracers) {
    VortonEmitterDef def = vorton_default_emitter_def();
    def.rate = 300.0f;
    def.temperature = 330.0f;
    def.dye = 1.0f;
    def.nozzle_radius = 0.15f;
    def.nozzle_speed = 2.0f;
    def.tracers = tracers;
    def.tracer_rate = 1000.0f;
    def.tracer_tag = 9;
    return def;
}

static uint64_t hash_all(VortonWorldId world) {
    uint64_t hash = 0;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

static size_t count_tracers(VortonWorldId world, VortonTracersId tracers) {
    size_t count = 0;
    OK(vorton_tracers_read(world, tracers, tracer_positions, 12, NULL, tags, NULL, NULL, TRACERS, &count));
    return count;
}

/* Steps of any length between 1/120 and 1/20 s. */
static void run(VortonWorldId world, int steps) {
    int i;
    for (i = 0; i < steps; ++i) STEP(vorton_world_step(world, (float)(1 + (7 * i) % 6) / 120.0f));
}

static void test_what_comes_out(void) {
    const VortonWorldId world = create_world();
    const VortonTracersId tracers = create_tracers(world);
    const VortonEmitterDef def = warm_jet(tracers);
    const float point[3] = {0.0f, 0.0f, 0.3f};
    float value;
    VortonEmitterId emitter;
    VortonInvariants sums = vorton_default_invariants();
    size_t count, i;
    OK(vorton_emitter_create(world, &def, &emitter));
    run(world, 24); /* .7 s */
    count = count_tracers(world, tracers);
    CHECK(count == 700);
    for (i = 0; i < count; ++i) CHECK(tags[i] == 9 && tracer_positions[3 * i + 2] > -0.05f);
    OK(vorton_world_invariants(world, &sums));
    /* Its thrust and the impulse of gravity. */
    CHECK(sums.linear_impulse[2] > 0.9 * 0.5 * 4.0 * 3.14159 * 0.0225 * 0.7);
    OK(vorton_world_sample(world, VORTON_SAMPLE_TEMPERATURE, point, sizeof point, &value, sizeof value, 1));
    CHECK(value > 300.0f && value <= 331.0f);
    OK(vorton_world_sample(world, VORTON_SAMPLE_DYE, point, sizeof point, &value, sizeof value, 1));
    CHECK(value > 0.2f && value <= 1.01f);
    /* A full set takes no more tracers, and the fluid continues. */
    run(world, 90);
    CHECK(count_tracers(world, tracers) == TRACERS);
    OK(vorton_world_destroy(world));
}

static void test_read_back_and_changed(void) {
    const VortonWorldId world = create_world(), other = create_world();
    const VortonTracersId tracers = create_tracers(world), gone = create_tracers(world), foreign = create_tracers(other);
    VortonEmitterDef def = warm_jet(tracers), now, plain = vorton_default_emitter_def();
    VortonEmitterId emitter;
    def.user_data = 5;
    OK(vorton_emitter_create(world, &def, &emitter));
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(memcmp(&now, &def, sizeof now) == 0);
    OK(vorton_emitter_update(world, emitter, &plain));
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(memcmp(&now, &plain, sizeof now) == 0);

    def.tracers = gone;
    OK(vorton_emitter_update(world, emitter, &def));
    OK(vorton_tracers_destroy(world, gone));
    /* The emitter continues without a set, and the definition read can be set again. */
    run(world, 3);
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(now.tracers.index1 == 0 && now.tracer_rate == def.tracer_rate);
    OK(vorton_emitter_update(world, emitter, &now));
    ANSWERS(VORTON_ERR_STALE_ID, vorton_emitter_update(world, emitter, &def));
    def.tracers = foreign;
    ANSWERS(VORTON_ERR_WRONG_WORLD, vorton_emitter_update(world, emitter, &def));
    ANSWERS(VORTON_ERR_WRONG_WORLD, vorton_emitter_create(world, &def, &emitter));
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(other));
}

/* An emitter with -1 or a non-finite value in a field is refused, and the error names the field. */
static void refuse(VortonWorldId world, VortonEmitterDef def, size_t offset, const char *word) {
    const float nonsense[] = {-1.0f, NAN, INFINITY};
    VortonEmitterId emitter = {77, 77, 77};
    int i;
    for (i = 0; i < 3; ++i) {
        memcpy((char *)&def + offset, &nonsense[i], sizeof nonsense[i]);
        if (i == 0) REFUSED_FOR(vorton_emitter_create(world, &def, &emitter), word);
        else ANSWERS(VORTON_ERR_NOT_FINITE, vorton_emitter_create(world, &def, &emitter));
        CHECK(emitter.index1 == 77);
    }
}

static void test_nonsense(void) {
    const VortonWorldId world = create_world();
    const uint64_t before = hash_all(world);
    VortonEmitterDef def = vorton_default_emitter_def();
    def.nozzle_radius = 1.0f;
    refuse(world, def, offsetof(VortonEmitterDef, temperature), "temperature");
    refuse(world, def, offsetof(VortonEmitterDef, dye), "dye");
    refuse(world, def, offsetof(VortonEmitterDef, nozzle_radius), "nozzle");
    refuse(world, def, offsetof(VortonEmitterDef, nozzle_speed), "nozzle");
    refuse(world, def, offsetof(VortonEmitterDef, nozzle_disturbance), "nozzle");
    refuse(world, def, offsetof(VortonEmitterDef, tracer_rate), "tracer_rate");
    CHECK(hash_all(world) == before);
    OK(vorton_world_destroy(world));
}

static void test_saved(void) {
    const VortonWorldId world = create_world(), copy = create_world();
    const VortonTracersId tracers = create_tracers(world);
    const VortonEmitterDef def = warm_jet(tracers);
    VortonEmitterId emitter;
    size_t size = 0;
    uint64_t after;
    OK(vorton_emitter_create(world, &def, &emitter));
    run(world, 20);
    OK(vorton_world_save(world, saved, BYTES, &size));
    run(world, 20);
    after = hash_all(world);
    OK(vorton_world_restore(world, saved, size));
    run(world, 20);
    CHECK(hash_all(world) == after);
    OK(vorton_world_restore(copy, saved, size));
    run(copy, 20);
    CHECK(hash_all(copy) == after);
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(copy));
}

/* A jet of 40 m/s at a wall .3 m in front of the nozzle, in steps of 1/30 s: no tracer is emitted behind it,
   and tracers inside a kill volume are not emitted at all. */
static void test_walls_in_front_of_a_jet(void) {
    const VortonWorldId world = create_world();
    const VortonTracersId tracers = create_tracers(world);
    VortonEmitterDef def = warm_jet(tracers);
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef box = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonKillVolume sink = vorton_default_kill_volume();
    VortonStats stats = vorton_default_stats();
    VortonEmitterId emitter;
    VortonBodyId body;
    size_t count, i, step, sent = 0;
    def.nozzle_speed = 40.0f;
    def.rate = 0.0f;
    OK(vorton_emitter_create(world, &def, &emitter));
    body_def.mass = 0.0f; /* static */
    body_def.position.z = 0.35f;
    box.half_extents.x = box.half_extents.y = 100.0f;
    box.half_extents.z = 0.05f;
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_shape_create(world, body, &box, NULL));
    for (step = 0; step < 20; ++step) {
        STEP(vorton_world_step(world, 1.0f / 30.0f));
        count = count_tracers(world, tracers);
        for (i = 0; i < count; ++i) CHECK(tracer_positions[3 * i + 2] <= 0.3001f);
        CHECK(count >= sent + 33);
        sent = count;
    }
    sink.type = VORTON_KILL_VOLUME_SPHERE;
    sink.radius = 5.0f;
    OK(vorton_world_set_kill_volumes(world, &sink, 1));
    STEP(vorton_world_step(world, 1.0f / 30.0f));
    CHECK(count_tracers(world, tracers) == 0);
    OK(vorton_world_stats(world, &stats));
    CHECK(stats.killed_tracers >= sent + 33);
    OK(vorton_world_destroy(world));
}

/* A set has capacity for all emitted tracers if it is tracer_rate times (max_age plus one step), and tracers
   without a valid position are not emitted. */
static void test_room_and_places(void) {
    const VortonWorldId world = create_world();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonEmitterDef def = vorton_default_emitter_def();
    VortonStats stats = vorton_default_stats();
    VortonTracersId tracers;
    VortonEmitterId emitter;
    size_t count, i, step;
    tracers_def.capacity = 650;
    tracers_def.max_age = 1.0f;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    def.rate = 0.0f;
    def.extent.x = def.extent.y = def.extent.z = 0.1f;
    def.tracers = tracers;
    def.tracer_rate = 640.0f;
    OK(vorton_emitter_create(world, &def, &emitter));
    for (step = 0; step < 300; ++step) {
        STEP(vorton_world_step(world, 1.0f / 64.0f));
        count = count_tracers(world, tracers);
        CHECK(count == (step < 65 ? 10 * (step + 1) : 650));
    }
    OK(vorton_tracers_clear(world, tracers));
    def.position.x = 3.3e38f;
    def.extent.x = 3e38f;
    OK(vorton_emitter_update(world, emitter, &def));
    STEP(vorton_world_step(world, 1.0f / 64.0f));
    count = count_tracers(world, tracers);
    for (i = 0; i < 3 * count; ++i) CHECK(isfinite(tracer_positions[i]));
    OK(vorton_world_stats(world, &stats));
    CHECK(count < 10 && stats.lost_tracers + count == 10);
    OK(vorton_world_destroy(world));
}

/* An emitter on a cart of 6 m/s, in frames of several steps: definition, trail, snapshot, and what it does
   without the cart. */
static void test_carried(void) {
    const VortonWorldId world = create_world(), other = create_world();
    VortonEmitterDef def = vorton_default_emitter_def(), now;
    VortonBodyDef body_def = vorton_default_body_def();
    VortonBodyState state;
    VortonBodyId cart, foreign, first;
    VortonEmitterId emitter;
    size_t size = 0, count, i, frame;
    uint64_t after;
    float last = 0.0f;
    body_def.mass = 0.0f;
    OK(vorton_body_create(world, &body_def, &first));
    body_def.position.y = 2.0f;
    OK(vorton_body_create(world, &body_def, &cart));
    OK(vorton_body_create(other, &body_def, &foreign));
    def.body = foreign;
    ANSWERS(VORTON_ERR_WRONG_WORLD, vorton_emitter_create(world, &def, &emitter));
    def.body = cart;
    def.position.z = 0.5f;
    def.rate = 600.0f;
    def.strength.z = 1e-7f;
    OK(vorton_emitter_create(world, &def, &emitter));
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(memcmp(&now, &def, sizeof now) == 0);
    OK(vorton_body_read(world, cart, &state));
    state.velocity.x = 6.0f;
    OK(vorton_body_set_state(world, cart, &state));
    for (frame = 0; frame < 20; ++frame) {
        STEP(vorton_world_advance(world, frame % 3 ? 0.02f : 0.05f, 1e-9f, 3, NULL));
        if (frame == 9) OK(vorton_world_save(world, saved, BYTES, &size));
    }
    after = hash_all(world);
    OK(vorton_world_restore(world, saved, size));
    for (frame = 10; frame < 20; ++frame) STEP(vorton_world_advance(world, frame % 3 ? 0.02f : 0.05f, 1e-9f, 3, NULL));
    CHECK(hash_all(world) == after);
    OK(vorton_body_read(world, cart, &state));
    OK(vorton_vortons_read(world, vortons, VORTONS, &count));
    CHECK(count > 300);
    for (i = 0; i < count; ++i) {
        /* One every centimetre; the flow of these weak ones moves nothing. */
        const VortonVec3 at = vortons[i].position;
        CHECK(at.x > last - 1e-3f && at.x < last + 0.012f);
        CHECK(fabsf(at.y - 2.0f) < 1e-3f && fabsf(at.z - 0.5f) < 1e-3f);
        last = at.x;
    }
    CHECK(last > 2.5f && last < state.position.x);
    /* Another body goes, and then the cart: the emitter stays where it is. */
    OK(vorton_body_destroy(world, first));
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(memcmp(&now, &def, sizeof now) == 0);
    OK(vorton_body_destroy(world, cart));
    ANSWERS(VORTON_ERR_STALE_ID, vorton_emitter_update(world, emitter, &def));
    OK(vorton_emitter_def(world, emitter, &now, sizeof now));
    CHECK(now.body.index1 == 0 && now.position.y == 2.0f && now.position.z == 0.5f);
    CHECK(fabsf(now.position.x - state.position.x) < 1e-5f);
    OK(vorton_emitter_update(world, emitter, &now));
    run(world, 3);
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(other));
}

int main(void) {
    test_what_comes_out();
    test_room_and_places();
    test_walls_in_front_of_a_jet();
    test_read_back_and_changed();
    test_nonsense();
    test_saved();
    test_carried();
    return 0;
}
