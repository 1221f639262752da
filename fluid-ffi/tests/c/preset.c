/* Effects by name: each adds its objects and moves, one that does not fit changes nothing, and a snapshot
 * continues to the same bits. */
#include "check.h"

#include <math.h>

#define REFUSED(code, call) check_result(__FILE__, __LINE__, #call, code, (call))

static const uint32_t types[] = {VORTON_PRESET_SMOKE_RING, VORTON_PRESET_CAMPFIRE, VORTON_PRESET_TORCH,
                                 VORTON_PRESET_EXPLOSION, VORTON_PRESET_DUST_PUFF, VORTON_PRESET_INK_DROP,
                                 VORTON_PRESET_TORNADO, VORTON_PRESET_WAKE, VORTON_PRESET_SNOW_GLOBE,
                                 VORTON_PRESET_BONFIRE};

enum { TYPES = sizeof types / sizeof types[0], TRACERS = 4000 };

/* As the header and README tell it. */
static VortonWorldId create(VortonPresetDef *def, VortonTracersId *tracers, VortonEmitterId *emitters, VortonBodyId *body) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonWorldId world;
    OK(vorton_preset_world_def(def, &world_def));
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_world_add_preset(world, def, tracers, emitters, body));
    return world;
}

static size_t tracer_count(VortonWorldId world, VortonTracersId set) {
    size_t count = 0;
    OK(vorton_tracers_read(world, set, NULL, 0, NULL, NULL, NULL, NULL, 0, &count));
    return count;
}

static size_t vorton_count(VortonWorldId world) {
    size_t count = 0;
    OK(vorton_vortons_read(world, NULL, 0, &count));
    return count;
}

static void each(uint32_t type) {
    VortonPresetDef def = vorton_default_preset_def(type);
    VortonTracersId tracers;
    VortonEmitterId emitters[VORTON_PRESET_EMITTERS];
    VortonBodyId body;
    VortonWorldId world;
    VortonInvariants sums = vorton_default_invariants();
    uint64_t hash = 0, again = 1;
    size_t size = 0, written = 0;
    void *snapshot;
    bool fed, held;
    int step;
    def.tracers = TRACERS;
    def.vortons = 400;
    def.seed = 7;
    world = create(&def, &tracers, emitters, &body);
    fed = type == VORTON_PRESET_CAMPFIRE || type == VORTON_PRESET_TORCH || type == VORTON_PRESET_TORNADO ||
          type == VORTON_PRESET_BONFIRE;
    held = type == VORTON_PRESET_SNOW_GLOBE;
    CHECK(vorton_tracers_is_valid(world, tracers));
    CHECK(vorton_emitter_is_valid(world, emitters[0]) == fed);
    CHECK(vorton_emitter_is_valid(world, emitters[1]) == (type == VORTON_PRESET_TORNADO));
    CHECK(vorton_body_is_valid(world, body) == held);
    CHECK((vorton_count(world) > 100) == !fed && (tracer_count(world, tracers) > TRACERS / 2) == !fed);
    for (step = 0; step < 10; ++step) STEP(vorton_world_step(world, 1.0f / 60.0f));
    sums.flags = VORTON_INVARIANTS_PAIRS;
    OK(vorton_world_invariants(world, &sums));
    CHECK(isfinite(sums.energy) && (held || sums.energy > 0));
    CHECK(vorton_count(world) > 0 && tracer_count(world, tracers) > 0);

    OK(vorton_world_save(world, NULL, 0, &size));
    snapshot = malloc(size);
    OK(vorton_world_save(world, snapshot, size, &written));
    for (step = 0; step < 5; ++step) STEP(vorton_world_step(world, 1.0f / 60.0f));
    OK(vorton_world_hash_all(world, &hash));
    OK(vorton_world_restore(world, snapshot, written));
    for (step = 0; step < 5; ++step) STEP(vorton_world_step(world, 1.0f / 60.0f));
    OK(vorton_world_hash_all(world, &again));
    CHECK(hash == again);
    free(snapshot);
    OK(vorton_world_destroy(world));
}

/* Two effects in one world, of a core radius that neither has chosen, share a set of tracers. */
static void in_company(void) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonTracersDef set_def = vorton_default_tracers_def();
    VortonPresetDef def = vorton_default_preset_def(VORTON_PRESET_SMOKE_RING);
    VortonWorldId world;
    VortonTracersId set, none;
    static uint32_t tags[TRACERS];
    static float positions[3 * TRACERS];
    size_t count = 0, i, of_tag[4] = {0, 0, 0, 0};
    world_def.core_radius = 0.2f;
    set_def.capacity = TRACERS;
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_tracers_create(world, &set_def, &set));
    def.tracer_set = set;
    def.tracers = 1000;
    OK(vorton_world_add_preset(world, &def, &none, NULL, NULL));
    CHECK(none.index1 == set.index1 && none.generation == set.generation);
    def.position.x = 5;
    def.tracer_tag = 2;
    OK(vorton_world_add_preset(world, &def, NULL, NULL, NULL));
    OK(vorton_tracers_read(world, set, positions, 12, NULL, tags, NULL, NULL, TRACERS, &count));
    CHECK(count == 2000);
    for (i = 0; i < count; ++i) {
        CHECK(tags[i] < 4 && (positions[3 * i] > 2.5f) == (tags[i] >= 2));
        ++of_tag[tags[i]];
    }
    CHECK(of_tag[0] == 600 && of_tag[1] == 400 && of_tag[2] == 600 && of_tag[3] == 400);
    /* Without tracers there is no set. */
    memset(&def.tracer_set, 0, sizeof def.tracer_set);
    def.tracers = 0;
    def.position.y = 5;
    OK(vorton_world_add_preset(world, &def, &none, NULL, NULL));
    CHECK(none.index1 == 0);
    OK(vorton_world_destroy(world));
}

/* Objects of an effect have no user data, whatever that of destroyed objects in the same slots was. */
static void user_data(void) {
    VortonPresetDef def = vorton_default_preset_def(VORTON_PRESET_CAMPFIRE);
    VortonTracersDef set_def = vorton_default_tracers_def();
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonBodyDef body_def = vorton_default_body_def();
    VortonWorldId world;
    VortonTracersId set;
    VortonEmitterId emitter, emitters[VORTON_PRESET_EMITTERS];
    VortonBodyId body;
    uint64_t found = 7;
    VortonWorldDef world_def = vorton_default_world_def();
    OK(vorton_world_create(&world_def, &world));
    set_def.user_data = emitter_def.user_data = body_def.user_data = 77;
    OK(vorton_tracers_create(world, &set_def, &set));
    OK(vorton_emitter_create(world, &emitter_def, &emitter));
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_tracers_destroy(world, set));
    OK(vorton_emitter_destroy(world, emitter));
    OK(vorton_body_destroy(world, body));
    OK(vorton_world_add_preset(world, &def, &set, emitters, NULL));
    OK(vorton_tracers_user_data(world, set, &found));
    CHECK(found == 0);
    OK(vorton_emitter_user_data(world, emitters[0], &found));
    CHECK(found == 0);
    def = vorton_default_preset_def(VORTON_PRESET_SNOW_GLOBE);
    OK(vorton_world_add_preset(world, &def, NULL, NULL, &body));
    OK(vorton_body_user_data(world, body, &found));
    CHECK(found == 0);
    OK(vorton_world_destroy(world));
}

/* A bonfire burns in its own world at any ambient temperature, its tracers tell its temperature, and a world
 * in which nothing burns refuses it. */
static void bonfire(float ambient_temperature) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonPresetDef def = vorton_default_preset_def(VORTON_PRESET_BONFIRE);
    VortonStats stats = vorton_default_stats();
    VortonWorldId world;
    VortonTracersId set = {77, 77, 77};
    static float temperatures[TRACERS];
    char reason[256];
    size_t count = 0, i, hot = 0;
    int step;
    def.tracers = TRACERS;
    def.vortons = 400;
    OK(vorton_world_create(&world_def, &world));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(world, &def, &set, NULL, NULL));
    (void)vorton_last_error(reason, sizeof reason);
    CHECK(strstr(reason, "ignition_temperature") != NULL && set.index1 == 77);
    OK(vorton_world_destroy(world));

    world_def.ambient_temperature = ambient_temperature;
    world_def.specific_heat = 4200;
    OK(vorton_preset_world_def(&def, &world_def));
    CHECK(world_def.ignition_temperature == 2 * ambient_temperature && world_def.specific_heat == 4200);
    CHECK(world_def.burn_time > 0.1f && world_def.burn_time < 1 && world_def.diffusivity > 0);
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_world_add_preset(world, &def, &set, NULL, NULL));
    for (step = 0; step < 30; ++step) STEP(vorton_world_step(world, 1.0f / 60.0f));
    OK(vorton_world_stats(world, &stats));
    CHECK(stats.burning > 10 && stats.heat_released > stats.fuel / 2 && stats.fuel > 0);
    OK(vorton_tracers_read(world, set, NULL, 0, NULL, NULL, NULL, temperatures, TRACERS, &count));
    for (i = 0; i < count; ++i) hot += temperatures[i] > 1.5f * ambient_temperature;
    CHECK(hot > count / 10);
    OK(vorton_world_destroy(world));

    /* Presets without fuel leave combustion as it is. */
    def = vorton_default_preset_def(VORTON_PRESET_CAMPFIRE);
    world_def.burn_time = 7;
    OK(vorton_preset_world_def(&def, &world_def));
    CHECK(world_def.ignition_temperature == 2 * ambient_temperature && world_def.burn_time == 7);
}

/* What does not fit changes nothing: vortons, tracers, emitters, bodies and sets are those of before. */
static void all_or_nothing(uint32_t type) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonTracersDef set_def = vorton_default_tracers_def();
    VortonPresetDef def = vorton_default_preset_def(type);
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonWorldId world;
    VortonTracersId small;
    VortonEmitterId emitter, emitters[VORTON_PRESET_EMITTERS];
    uint64_t before = 0, after = 1;
    size_t sets = 9, lights = 9, bodies = 9;
    int round;
    set_def.capacity = 10;
    def.tracers = 100;
    OK(vorton_preset_world_def(&def, &world_def));
    for (round = 0; round < 2; ++round) {
        if (round == 1) world_def.max_vortons = 50;
        OK(vorton_world_create(&world_def, &world));
        OK(vorton_tracers_create(world, &set_def, &small));
        OK(vorton_emitter_create(world, &emitter_def, &emitter));
        if (round == 0) def.tracer_set = small; else memset(&def.tracer_set, 0, sizeof def.tracer_set);
        OK(vorton_world_hash_all(world, &before));
        emitters[0].index1 = 77;
        REFUSED(VORTON_ERR_CAPACITY, vorton_world_add_preset(world, &def, NULL, emitters, NULL));
        CHECK(emitters[0].index1 == 77);
        OK(vorton_world_hash_all(world, &after));
        OK(vorton_world_tracers(world, NULL, 0, &sets));
        OK(vorton_world_emitters(world, NULL, 0, &lights));
        OK(vorton_world_bodies(world, NULL, 0, &bodies));
        CHECK(before == after && sets == 1 && lights == 1 && bodies == 0 && vorton_count(world) == 0);
        CHECK(vorton_emitter_is_valid(world, emitter) && vorton_tracers_is_valid(world, small));
        OK(vorton_world_destroy(world));
    }
}

int main(void) {
    VortonPresetDef def = vorton_default_preset_def(VORTON_PRESET_INK_DROP);
    VortonWorldDef world_def = vorton_default_world_def();
    VortonWorldId world;
    int i;
    for (i = 0; i < TYPES; ++i) each(types[i]);
    in_company();
    user_data();
    bonfire(300);
    bonfire(1.5f);
    all_or_nothing(VORTON_PRESET_INK_DROP);
    all_or_nothing(VORTON_PRESET_SNOW_GLOBE);
    /* Fields that a preset does not choose stay. */
    world_def.ambient_density = 1.225f;
    world_def.nodes_per_core = 2.0f;
    OK(vorton_preset_world_def(&def, &world_def));
    CHECK(world_def.ambient_density == 1.225f && world_def.nodes_per_core == 2.0f && world_def.gravity.z < -9);
    /* An effect that the world cannot resolve, or only with too many vortons, is refused. */
    OK(vorton_world_create(&world_def, &world));
    def.scale = 1.9f * world_def.core_radius;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(world, &def, NULL, NULL, NULL));
    def.scale = 1e4f * world_def.core_radius;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(world, &def, NULL, NULL, NULL));
    CHECK(vorton_count(world) == 0);
    OK(vorton_world_destroy(world));
    return 0;
}
