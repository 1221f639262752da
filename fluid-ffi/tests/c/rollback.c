/*
 * Rollback as in a network game: a snapshot in every frame, and every few frames back to an older one and
 * forward again. Bodies, emitters, tracer sets and an emission are created and destroyed meanwhile. The
 * result has the bits and the ids of a world that was never rolled back.
 */
#include "check.h"

enum { FRAMES = 48, BACK = 8, PARTICLES = 400 };

typedef struct Host {
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId smoke, sparks;
    VortonBodyId ball, box, debris;
    VortonOpId emission;
    VortonVec3 particles[PARTICLES];
    size_t count;
} Host;

static float frame_length(uint32_t frame) {
    return 1.0f / 144 + (1.0f / 15 - 1.0f / 144) * random_unit(frame / 4);
}

static VortonBodyId add_body(VortonWorldId world, uint32_t type, bool no_through, VortonVec3 at) {
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(type);
    VortonBodyId body;
    VortonShapeId shape;
    def.position = at;
    def.mass = 0.02f;
    def.flags = no_through ? VORTON_BODY_NO_THROUGH : 0;
    def.heat_transfer = 2;
    def.drag_coefficient = 0.5f;
    def.magnus_coefficient = 0.4f;
    def.user_data = 1000 + type;
    shape_def.radius = 0.2f;
    shape_def.half_extents = vec3(0.2f, 0.15f, 0.1f);
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, &shape_def, &shape));
    return body;
}

static void begin(Host *host, uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonOpDef op_def = vorton_default_op_def(VORTON_OP_EMIT);
    uint32_t i;
    memset(host, 0, sizeof *host);
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.gravity = vec3(0, 0, -4);
    def.viscosity = def.diffusivity = 1e-3f;
    def.max_vortons = 3000;
    def.max_age = 2;
    def.ignition_temperature = 500;
    OK(vorton_world_create(&def, &host->world));
    add_ring(host->world, 120);
    drop.centre = vec3(0, 0, 0.9f);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    drop.dye = 1;
    OK(vorton_world_add_initial(host->world, &drop, NULL, NULL));
    emitter_def.rate = 90;
    emitter_def.extent = vec3(0.5f, 0.5f, 0.5f);
    emitter_def.strength_spread = vec3(0.05f, 0.05f, 0.05f);
    emitter_def.volume = 1e-4f;
    emitter_def.temperature = 600;
    emitter_def.fuel = 2e5f;
    OK(vorton_emitter_create(host->world, &emitter_def, &host->emitter));
    tracers_def.capacity = 600;
    tracers_def.show = VORTON_SAMPLE_DYE;
    tracers_def.readable_during_steps = 1;
    tracers_def.turbulence = 0.8f;
    OK(vorton_tracers_create(host->world, &tracers_def, &host->smoke));
    for (i = 0; i < 500; ++i) {
        const VortonVec3 place = vec3(random_unit(3 * i) - 0.5f, random_unit(3 * i + 1) - 0.5f, 2 * random_unit(3 * i + 2) - 0.5f);
        OK(vorton_tracers_add(host->world, host->smoke, &place, NULL, NULL, 1));
    }
    host->ball = add_body(host->world, VORTON_SHAPE_SPHERE, true, vec3(0.2f, 0, -0.6f));
    host->box = add_body(host->world, VORTON_SHAPE_BOX, false, vec3(-0.9f, 0.3f, 0.4f));
    op_def.rate = 70;
    op_def.seed = 5;
    OK(vorton_op_create(host->world, &op_def, &host->emission));
}

/* The host's actions in a frame, the same each time it is played. */
static void play(Host *host, uint32_t frame) {
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonParticleView view;
    VortonStream stream;
    VortonOpResult result;
    VortonBodyImpulse impulse;
    VortonBodyState state;
    const float dt = frame_length(frame);
    if (frame % 12 == 5) host->debris = add_body(host->world, VORTON_SHAPE_SPHERE, true, vec3(0, 0.1f * (float)(frame % 7), 0.5f));
    if (frame % 12 == 9) OK(vorton_body_destroy(host->world, host->debris));
    if (frame == 10 || frame == 30) OK(vorton_tracers_create(host->world, &tracers_def, &host->sparks));
    if (frame > 10 && frame < 20) OK(vorton_tracers_add(host->world, host->sparks, &host->particles[frame], NULL, NULL, 1));
    if (frame == 20) OK(vorton_tracers_destroy(host->world, host->sparks));
    if (frame == 14) OK(vorton_world_set_gravity(host->world, vec3(0, 1, -3)));
    if (frame == 22) OK(vorton_world_set_wind(host->world, vec3(0.2f, 0, 0)));
    if (frame == 26) OK(vorton_emitter_destroy(host->world, host->emitter));
    CHECK(vorton_emitter_is_valid(host->world, host->emitter) == (frame < 26));
    CHECK(vorton_tracers_is_valid(host->world, host->sparks) == ((frame >= 10 && frame < 20) || frame >= 30));
    CHECK(vorton_op_is_valid(host->world, host->emission));
    if (frame == 27) OK(vorton_body_set_temperature(host->world, host->box, 350));
    if (frame == 33 || frame == 37) OK(vorton_body_set_awake(host->world, host->ball, frame == 37));
    if (frame == 35) OK(vorton_world_set_smagorinsky(host->world, 0.1f));
    if (frame == 36) OK(vorton_world_set_no_slip_rate(host->world, 20));
    if (frame == 38) OK(vorton_world_set_max_age(host->world, 1.5f));
    OK(vorton_body_read(host->world, host->box, &state));
    state.position.x += 0.5f * dt;
    state.velocity = vec3(0.5f, 0, 0);
    OK(vorton_body_set_state(host->world, host->box, &state));
    STEP(vorton_world_step(host->world, dt));
    OK(vorton_body_take_impulse(host->world, host->ball, &impulse));
    memset(&view, 0, sizeof view);
    memset(&stream, 0, sizeof stream);
    memset(&result, 0, sizeof result);
    stream.semantic = VORTON_POSITION;
    stream.format = VORTON_F32X3;
    stream.base = host->particles;
    stream.stride = sizeof(VortonVec3);
    view.struct_size = sizeof view;
    view.streams = &stream;
    view.stream_count = 1;
    view.count = host->count;
    view.capacity = PARTICLES;
    view.element_size = sizeof(VortonVec3);
    result.struct_size = sizeof result;
    OK(vorton_ops_run(host->world, &host->emission, 1, &view, dt, frame, &result));
    host->count = result.count;
}

static uint64_t hash_all(const Host *host) {
    uint64_t hash = 0;
    OK(vorton_world_hash_all(host->world, &hash));
    return hash;
}

static size_t save(const Host *host, unsigned char **bytes, size_t *room) {
    size_t size = 0;
    OK(vorton_world_save(host->world, NULL, 0, &size));
    if (size > *room) {
        *room = 2 * size;
        *bytes = (unsigned char *)realloc(*bytes, *room);
        CHECK(*bytes != NULL);
    }
    OK(vorton_world_save(host->world, *bytes, *room, &size));
    return size;
}

typedef struct Snapshot {
    unsigned char *bytes;
    size_t room, size;
    Host host; /* The host's own state, without the world. */
} Snapshot;

static uint64_t hashes[FRAMES];
static Host straight, rolled, other;
static Snapshot snapshots[FRAMES];

static void roll_back(void) {
    uint32_t frame, again;
    begin(&rolled, VORTON_THREADS_POOL);
    for (frame = 0; frame < FRAMES; ++frame) {
        snapshots[frame].host = rolled;
        snapshots[frame].size = save(&rolled, &snapshots[frame].bytes, &snapshots[frame].room);
        play(&rolled, frame);
        CHECK(hash_all(&rolled) == hashes[frame]);
        if (frame % 5 != 4 || frame < BACK) continue;
        rolled = snapshots[frame + 1 - BACK].host;
        OK(vorton_world_restore(rolled.world, snapshots[frame + 1 - BACK].bytes, snapshots[frame + 1 - BACK].size));
        for (again = frame + 1 - BACK; again <= frame; ++again) {
            play(&rolled, again);
            CHECK(hash_all(&rolled) == hashes[again]);
        }
    }
    CHECK(rolled.count == straight.count);
    CHECK(memcmp(rolled.particles, straight.particles, sizeof rolled.particles) == 0);
    CHECK(rolled.debris.generation == straight.debris.generation && rolled.sparks.generation == straight.sparks.generation);
    CHECK((rolled.debris.index1 & 0xffff) == (straight.debris.index1 & 0xffff));
}

/* A snapshot of one world, restored in another one that has run before: further steps are the same. */
static void move(void) {
    const Snapshot *snapshot = &snapshots[FRAMES / 2];
    VortonBodyId bodies[4];
    size_t count = 0;
    uint64_t number = 0;
    uint32_t frame;
    begin(&other, VORTON_THREADS_SERIAL);
    for (frame = 0; frame < 9; ++frame) play(&other, frame);
    OK(vorton_world_restore(other.world, snapshot->bytes, snapshot->size));
    OK(vorton_world_restore(rolled.world, snapshot->bytes, snapshot->size));
    CHECK(hash_all(&other) == hash_all(&rolled));
    /* The world lists its ids, and user data identifies the objects. */
    OK(vorton_world_bodies(other.world, bodies, 4, &count));
    CHECK(count >= 2);
    for (frame = 0; frame < count; ++frame) {
        OK(vorton_body_user_data(other.world, bodies[frame], &number));
        CHECK(frame > 1 || number == (frame == 0 ? 1000u + VORTON_SHAPE_SPHERE : 1000u + VORTON_SHAPE_BOX));
    }
    for (frame = 0; frame < 6; ++frame) {
        STEP(vorton_world_step(other.world, frame_length(frame)));
        STEP(vorton_world_step(rolled.world, frame_length(frame)));
    }
    CHECK(hash_all(&other) == hash_all(&rolled));
}

#define REFUSED_SNAPSHOT(host, bytes, size) \
    check_result(__FILE__, __LINE__, "restore", VORTON_ERR_SNAPSHOT, vorton_world_restore((host)->world, bytes, size))

/* With any defect of a snapshot, the world is unchanged. */
static void refuse(void) {
    Snapshot *snapshot = &snapshots[FRAMES / 3];
    const uint64_t before = hash_all(&rolled);
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    uint64_t hash = 0, again = 0;
    size_t at, size = 0;
    char text[256];
    for (at = 0; at < 60; ++at) REFUSED_SNAPSHOT(&rolled, snapshot->bytes, at);
    REFUSED_SNAPSHOT(&rolled, snapshot->bytes, snapshot->size - 1);
    for (at = 0; at < snapshot->size; at = at < 100 ? at + 1 : at + 4999) {
        snapshot->bytes[at] ^= 0x10;
        REFUSED_SNAPSHOT(&rolled, snapshot->bytes, snapshot->size);
        snapshot->bytes[at] ^= 0x10;
    }
    CHECK(hash_all(&rolled) == before);
    /* Too small a buffer, and a larger one than needed. */
    check_result(__FILE__, __LINE__, "save", VORTON_ERR_BUFFER_SMALL, vorton_world_save(rolled.world, snapshot->bytes, 1000, &size));
    CHECK(size > 1000 && size <= snapshot->room);
    OK(vorton_world_save(rolled.world, snapshot->bytes, snapshot->room, &size));
    /* A world with another definition. */
    def.core_radius *= 2;
    OK(vorton_world_create(&def, &world));
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_world_hash_all(world, &hash));
    check_result(__FILE__, __LINE__, "restore", VORTON_ERR_SNAPSHOT, vorton_world_restore(world, snapshot->bytes, size));
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "core_radius") != NULL);
    OK(vorton_world_hash_all(world, &again));
    CHECK(again == hash);
    OK(vorton_world_destroy(world));
}

static void add_drop(VortonWorldId world, float x) {
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    drop.radius = 0.1f;
    drop.centre = vec3(x, 0.1f, 0);
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
}

static VortonWorldId falling(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.gravity = vec3(0, 0, -1);
    OK(vorton_world_create(&def, &world));
    add_drop(world, 0);
    return world;
}

/* State of a world outside its snapshot, such as fluid far away that is gone, has no effect: a world with
   another past, shifted or not, continues as the saved one. */
static void another_past(void) {
    int past, n, k;
    for (past = 0; past < 4; ++past) {
        const VortonWorldId worlds[2] = {falling(), falling()};
        VortonKillVolume far_away = vorton_default_kill_volume();
        size_t size;
        void *bytes;
        const VortonWorldId had = worlds[past == 3 ? 0 : 1];
        far_away.position = vec3(300, 0, 0);
        far_away.half_extents = vec3(50, 50, 50);
        add_drop(had, 300);
        for (n = 0; n < 3; ++n) STEP(vorton_world_step(had, 1.0f / 60));
        if (past > 0) OK(vorton_world_shift_origin(had, vec3(3.3f, -70.123f, 11.01f)));
        if (past == 3) {
            OK(vorton_world_shift_origin(had, vec3(-3.3f, 70.123f, -11.01f)));
            OK(vorton_world_set_kill_volumes(had, &far_away, 1));
        }
        if (past == 2) STEP(vorton_world_step(had, 1.0f / 60));
        for (n = 0; n < 5; ++n) STEP(vorton_world_step(worlds[0], 1.0f / 60));
        OK(vorton_world_set_kill_volumes(worlds[0], NULL, 0));
        OK(vorton_world_save(worlds[0], NULL, 0, &size));
        bytes = malloc(size);
        CHECK(bytes != NULL);
        OK(vorton_world_save(worlds[0], bytes, size, &size));
        OK(vorton_world_restore(worlds[1], bytes, size));
        for (k = 0; k < 2; ++k) add_drop(worlds[k], 300);
        for (n = 0; n < 6; ++n) {
            for (k = 0; k < 2; ++k) STEP(vorton_world_step(worlds[k], 1.0f / 60));
            CHECK(hash_of(worlds[0]) == hash_of(worlds[1]));
        }
        free(bytes);
        for (k = 0; k < 2; ++k) OK(vorton_world_destroy(worlds[k]));
    }
}

/* Fluid without strength, in a world whose origin was shifted before: a new world restored from it has the
   hash of the saved one in all steps. */
static void still_and_shifted(void) {
    const VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    VortonWorldId worlds[2];
    uint64_t hashes_of_both[2];
    size_t size;
    void *bytes;
    int n, k;
    for (k = 0; k < 2; ++k) OK(vorton_world_create(&def, &worlds[k]));
    OK(vorton_world_shift_origin(worlds[0], vec3(0.01f, 0, 0)));
    drop.radius = 0.3f;
    drop.spacing = 0.077f;
    OK(vorton_world_add_initial(worlds[0], &drop, NULL, NULL));
    OK(vorton_world_save(worlds[0], NULL, 0, &size));
    bytes = malloc(size);
    CHECK(bytes != NULL);
    OK(vorton_world_save(worlds[0], bytes, size, &size));
    OK(vorton_world_restore(worlds[1], bytes, size));
    for (n = 0; n < 5; ++n) {
        for (k = 0; k < 2; ++k) {
            OK(vorton_world_hash_all(worlds[k], &hashes_of_both[k]));
            STEP(vorton_world_step(worlds[k], 1.0f / 60));
        }
        CHECK(hashes_of_both[0] == hashes_of_both[1]);
    }
    free(bytes);
    for (k = 0; k < 2; ++k) OK(vorton_world_destroy(worlds[k]));
}

/* Saves worlds[0], restores it and worlds[1] from that, and lets both go on. */
static void go_on_alike(const VortonWorldId worlds[2]) {
    size_t size;
    void *bytes;
    int n, k;
    OK(vorton_world_save(worlds[0], NULL, 0, &size));
    bytes = malloc(size);
    CHECK(bytes != NULL);
    OK(vorton_world_save(worlds[0], bytes, size, &size));
    for (k = 0; k < 2; ++k) OK(vorton_world_restore(worlds[k], bytes, size));
    for (n = 0; n < 3; ++n) {
        for (k = 0; k < 2; ++k) STEP(vorton_world_step(worlds[k], 1.0f / 60));
        CHECK(hash_of(worlds[0]) == hash_of(worlds[1]));
    }
    OK(vorton_world_restore(worlds[0], bytes, size));
    free(bytes);
}

/* Bodies that vortons touch are destroyed one by one: each such world can be saved and restored. */
static void bodies_gone(void) {
    int run;
    for (run = 0; run < 8; ++run) {
        const uint32_t types[] = {VORTON_SHAPE_SPHERE, VORTON_SHAPE_BOX, VORTON_SHAPE_CAPSULE};
        VortonStats stats = vorton_default_stats();
        VortonWorldDef def = vorton_default_world_def();
        VortonWorldId worlds[2];
        VortonBodyId bodies[3];
        uint32_t count = 1 + (uint32_t)run % 3, touching, i;
        def.gravity = vec3(0, 0, -1);
        for (i = 0; i < 2; ++i) OK(vorton_world_create(&def, &worlds[i]));
        add_ring(worlds[0], 60);
        for (i = 0; i < count; ++i) bodies[i] = add_body(worlds[0], types[i], run > 5, vec3(0.9f - 0.6f * (float)i, 0.1f, 0));
        for (i = 0; i < 3; ++i) STEP(vorton_world_step(worlds[0], 1.0f / 60));
        OK(vorton_world_stats(worlds[0], &stats));
        CHECK(stats.body_contacts > 0);
        for (i = 0; i < count; ++i) {
            touching = stats.body_contacts;
            OK(vorton_body_destroy(worlds[0], bodies[run % 2 == 0 ? i : count - 1 - i]));
            OK(vorton_world_stats(worlds[0], &stats));
            CHECK(stats.body_contacts <= touching && (i + 1 < count || stats.body_contacts == 0));
            go_on_alike(worlds);
        }
        for (i = 0; i < 2; ++i) OK(vorton_world_destroy(worlds[i]));
    }
}

int main(void) {
    VortonStats stats = vorton_default_stats();
    uint32_t frame;
    bodies_gone();
    another_past();
    still_and_shifted();
    begin(&straight, VORTON_THREADS_SERIAL);
    for (frame = 0; frame < FRAMES; ++frame) {
        play(&straight, frame);
        hashes[frame] = hash_all(&straight);
    }
    OK(vorton_world_stats(straight.world, &stats));
    CHECK(stats.heat_released > 0 && stats.burning > 0);
    roll_back();
    move();
    refuse();
    for (frame = 0; frame < FRAMES; ++frame) free(snapshots[frame].bytes);
    OK(vorton_world_destroy(straight.world));
    OK(vorton_world_destroy(rolled.world));
    OK(vorton_world_destroy(other.world));
    printf("%d frames, rolled back %d at a time: the same bits\n", FRAMES, BACK);
    return 0;
}
