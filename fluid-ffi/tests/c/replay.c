/*
 * An open scene is recorded: default settings, frames of any length in several steps, bodies that are thrown
 * around, tanks, a floor, level geometry, emitters, tracers, effects, host particles that push bodies, and
 * objects that come and go. Its recording is replayed ("bits"), made to diverge ("diverge"), cut and damaged
 * ("damage").
 */
#include "check.h"
#include <stddef.h>

#define EXPECT(code, call) check_result(__FILE__, __LINE__, #call, code, (call))

enum { FRAMES = 200, CALLS = 61, GRAINS = 200, MAX_VORTONS = 600 };

/* A recording in memory. */
typedef struct Tape {
    unsigned char *bytes;
    size_t size, room;
} Tape;

static void tape_write(void *user, const void *bytes, size_t size) {
    Tape *tape = (Tape *)user;
    if (tape->size + size > tape->room) {
        tape->room = 2 * (tape->size + size);
        tape->bytes = (unsigned char *)realloc(tape->bytes, tape->room);
        CHECK(tape->bytes != NULL);
    }
    memcpy(tape->bytes + tape->size, bytes, size);
    tape->size += size;
}

/* Word, checksum and values of a record; 0 at the end. */
static size_t next_record(const Tape *tape, size_t at, unsigned *code) {
    uint64_t word;
    if (tape->size - at < 16) return 0;
    memcpy(&word, tape->bytes + at, sizeof word);
    *code = (unsigned)(word & 0xff);
    at += 16 + (size_t)(word >> 8 & 0xffffffffffu);
    return at <= tape->size ? at : 0;
}

enum { HEADER = 32 };

static uint32_t drawn;
static float unit(void) {
    return random_unit(drawn++);
}
static float between(float low, float high) {
    return low + (high - low) * unit();
}
static VortonVec3 place(float reach) {
    const float x = between(-reach, reach), y = between(-reach, reach);
    return vec3(x, y, between(-reach, reach));
}

typedef struct Scene {
    VortonWorldId world;
    VortonTracersId smoke, puff;
    VortonEmitterId fire, lamp;
    VortonBodyId balls[3], guest, tank, level;
    VortonShapeId guest_shape;
    VortonOpId ops[2];
    bool has_guest, has_puff, has_lamp;
    struct { float position[3], velocity[3]; } grains[GRAINS];
    unsigned char *snapshot;
    size_t snapshot_size;
} Scene;

static VortonBodyId add_body(VortonWorldId world, uint32_t type, float size, float mass, uint32_t flags, uint32_t shape_flags, VortonVec3 at) {
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(type);
    VortonBodyId body;
    def.position = at;
    def.mass = mass;
    def.flags = flags;
    def.heat_transfer = 2;
    def.user_data = 77;
    shape.radius = size;
    shape.half_extents = vec3(size, size, size);
    shape.flags = shape_flags;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, &shape, NULL));
    return body;
}

/* A rough floor below everything, hull and planes: the arrays of shapes. */
static VortonBodyId add_level(VortonWorldId world, uint32_t flags) {
    static const float points[] = {-9, -9, -2.2f, 9, -9, -2, 9, 9, -2.1f, -9, 9, -2.3f, 0, 0, -2.4f};
    static const uint32_t triangles[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    static const float heights[] = {0, 0.1f, 0, 0.2f, 0.1f, 0};
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef mesh = vorton_default_shape_def(VORTON_SHAPE_MESH);
    VortonShapeDef field = vorton_default_shape_def(VORTON_SHAPE_HEIGHT_FIELD);
    VortonBodyId body;
    def.mass = 0;
    OK(vorton_body_create(world, &def, &body));
    mesh.points = points;
    mesh.point_count = 5;
    mesh.triangles = triangles;
    mesh.triangle_count = 4;
    mesh.flags = field.flags = flags;
    OK(vorton_shape_create(world, body, &mesh, NULL));
    field.position.z = -2;
    field.heights = heights;
    field.columns = 3;
    field.rows = 2;
    OK(vorton_shape_create(world, body, &field, NULL));
    return body;
}

static void begin(Scene *scene, uint32_t threads, uint32_t level_flags) {
    VortonWorldDef def = vorton_default_world_def();
    VortonTracersDef tracers = vorton_default_tracers_def();
    VortonOpDef collide = vorton_default_op_def(VORTON_OP_COLLIDE);
    int i;
    memset(scene, 0, sizeof *scene);
    drawn = 0;
    def.gravity = vec3(0, 0, -2);
    def.max_vortons = MAX_VORTONS;
    def.max_age = 0.7f;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 3;
    def.user_data = 5;
    OK(vorton_world_create(&def, &scene->world));
    add_ring(scene->world, 60);
    scene->level = add_level(scene->world, level_flags);
    tracers.capacity = 3000;
    tracers.readable_during_steps = 1;
    OK(vorton_tracers_create(scene->world, &tracers, &scene->smoke));
    for (i = 0; i < 3; ++i) {
        const uint32_t kind = i == 1 ? VORTON_SHAPE_BOX : VORTON_SHAPE_SPHERE;
        scene->balls[i] = add_body(scene->world, kind, 0.25f, 0.05f, i == 0 ? VORTON_BODY_NO_THROUGH : 0, 0, place(1));
    }
    collide.mass = 1e-3f;
    collide.friction = 0.5f;
    scene->ops[0] = make_op(scene->world, VORTON_OP_ADVECT);
    OK(vorton_op_create(scene->world, &collide, &scene->ops[1]));
    for (i = 0; i < GRAINS; ++i) {
        const VortonVec3 at = place(1.5f), to = place(3);
        memcpy(scene->grains[i].position, &at, sizeof at);
        memcpy(scene->grains[i].velocity, &to, sizeof to);
    }
}

static void run_grains(Scene *scene, float dt, uint32_t frame) {
    VortonStream streams[2];
    VortonParticleView view = vorton_default_particle_view();
    int i;
    for (i = 0; i < 2; ++i) {
        streams[i].semantic = i == 0 ? VORTON_POSITION : VORTON_VELOCITY;
        streams[i].format = VORTON_F32X3;
        streams[i].stride = sizeof scene->grains[0];
        streams[i].offset = i == 0 ? 0 : 12;
        streams[i].base = scene->grains;
    }
    view.streams = streams;
    view.stream_count = 2;
    view.count = view.capacity = GRAINS;
    OK(vorton_ops_run(scene->world, scene->ops, 2, &view, dt, frame, NULL));
}

/* Calls that are made once: settings, and one of everything that the frames leave out. */
static void settings(Scene *scene, uint32_t frame) {
    const VortonWorldId world = scene->world;
    switch (frame) {
    case 3: OK(vorton_world_set_wind(world, vec3(0.2f, 0, 0))); break;
    case 4: OK(vorton_world_set_gravity(world, vec3(0, 0.2f, -3))); break;
    case 5: OK(vorton_world_set_diffusion(world, 1e-3f, 2e-3f)); break;
    case 6: OK(vorton_world_set_relaxation_rate(world, 2)); break;
    case 7: OK(vorton_world_set_smagorinsky(world, 0.1f)); break;
    case 8: OK(vorton_world_set_max_age(world, 0.6f)); break;
    case 9: OK(vorton_world_set_expected_samples(world, 500)); break;
    case 10: OK(vorton_world_set_no_slip_rate(world, 20)); break;
    case 11:
        OK(vorton_world_set_specific_heat(world, 1500));
        OK(vorton_world_set_combustion(world, 295, 0.1f, 0.5f));
        break;
    case 12: {
        VortonKillVolume bounds = vorton_default_kill_volume();
        bounds.flags = VORTON_KILL_VOLUME_OUTSIDE;
        bounds.half_extents = vec3(6, 6, 6);
        OK(vorton_world_set_kill_volumes(world, &bounds, 1));
        break;
    }
    case 13: {
        VortonSurroundDef def = vorton_default_surround_def();
        def.body = scene->balls[1];
        def.thickness = 0.12f;
        def.spacing = 0.1f;
        OK(vorton_bodies_surround(world, &def, NULL, NULL));
        break;
    }
    case 14: OK(vorton_tracers_set_max_age(world, scene->smoke, 1)); break;
    case 15: OK(vorton_tracers_set_turbulence(world, scene->smoke, 0.5f)); break;
    case 16: {
        const float inertia[9] = {0.002f, 0, 0, 0, 0.002f, 0, 0, 0, 0.002f};
        OK(vorton_body_set_inertia(world, scene->balls[0], inertia));
        OK(vorton_body_set_mass(world, scene->balls[0], 0.06f));
        OK(vorton_body_set_heat_transfer(world, scene->balls[0], 3));
        OK(vorton_body_set_heat_capacity(world, scene->balls[0], 2));
        OK(vorton_body_set_temperature(world, scene->balls[0], 350));
        break;
    }
    case 17: {
        VortonImpliedDef def = vorton_default_implied_def();
        VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
        drop.radius = 0.2f;
        drop.spacing = 0.1f;
        OK(vorton_tracers_clear(world, scene->smoke));
        OK(vorton_world_add_initial(world, &drop, NULL, NULL));
        def.per_cell = 2;
        OK(vorton_tracers_add_implied(world, scene->smoke, &def, NULL));
        break;
    }
    case 18: {
        VortonVorton some[3];
        uint64_t first, gone[2];
        size_t removed;
        memset(some, 0, sizeof some);
        some[0].strength.x = 0.1f;
        some[1].position.z = 0.5f;
        OK(vorton_vortons_add(world, some, 3, &first));
        gone[0] = first + 1;
        gone[1] = 1u << 30;
        OK(vorton_vortons_remove(world, gone, 2, &removed));
        CHECK(removed == 1);
        break;
    }
    case 19: OK(vorton_world_remove_embedded(world, 0.05f, NULL, NULL)); break;
    case 20: {
        size_t size;
        OK(vorton_world_save(world, NULL, 0, &size));
        scene->snapshot = (unsigned char *)malloc(size);
        CHECK(scene->snapshot != NULL);
        scene->snapshot_size = size;
        OK(vorton_world_save(world, scene->snapshot, size, &size));
        break;
    }
    case 24: OK(vorton_world_restore(world, scene->snapshot, scene->snapshot_size)); break;
    case 25: OK(vorton_world_shift_origin(world, vec3(0.5f, -0.25f, 0))); break;
    case 26: {
        VortonPresetDef puff = vorton_default_preset_def(VORTON_PRESET_SNOW_GLOBE);
        puff.position = vec3(1.5f, 0, 0);
        puff.scale = 0.2f;
        puff.tracers = 100;
        OK(vorton_world_add_preset(world, &puff, NULL, NULL, &scene->tank));
        break;
    }
    case 37: {
        VortonEmitterDef def = vorton_default_emitter_def();
        VortonEmitterId emitter;
        OK(vorton_emitter_create(world, &def, &emitter));
        OK(vorton_emitter_destroy(world, emitter));
        break;
    }
    case 27: OK(vorton_world_set_user_data(world, 9)); break;
    default: break;
    }
}

/* Objects that come and go. */
static void guests(Scene *scene) {
    const VortonWorldId world = scene->world;
    if (unit() < 0.15f) {
        if (scene->has_guest) {
            OK(vorton_shape_set_user_data(world, scene->guest_shape, drawn));
            if (unit() < 0.5f) OK(vorton_shape_destroy(world, scene->guest_shape));
            OK(vorton_body_destroy(world, scene->guest));
        } else {
            VortonShapeDef hull = vorton_default_shape_def(unit() < 0.5f ? VORTON_SHAPE_HULL : VORTON_SHAPE_PLANES);
            static const float corners[] = {0.3f, 0, 0, -0.2f, 0.2f, 0, -0.2f, -0.2f, 0, 0, 0, 0.3f};
            static const float planes[] = {1, 0, 0, 0.2f, -1, 0, 0, 0.2f, 0, 1, 0, 0.2f, 0, -1, 0, 0.2f, 0, 0, 1, 0.2f, 0, 0, -1, 0.2f};
            scene->guest = add_body(world, VORTON_SHAPE_CAPSULE, 0.1f, 0.03f, 0, 0, place(1));
            hull.points = corners;
            hull.point_count = 4;
            hull.planes = planes;
            hull.plane_count = 6;
            OK(vorton_shape_create(world, scene->guest, &hull, &scene->guest_shape));
        }
        scene->has_guest = !scene->has_guest;
    }
    if (unit() < 0.15f) {
        if (scene->has_puff) {
            OK(vorton_tracers_destroy(world, scene->puff));
        } else {
            const VortonVec3 seeds[2] = {{0.1f, 0, 0.2f}, {0, 0.3f, 0}};
            const uint32_t tags[2] = {3, 4};
            const float values[2] = {0.5f, 0.25f};
            const VortonTracersDef def = vorton_default_tracers_def();
            OK(vorton_tracers_create(world, &def, &scene->puff));
            OK(vorton_tracers_add(world, scene->puff, seeds, tags, unit() < 0.5f ? values : NULL, 2));
            OK(vorton_tracers_add(world, scene->puff, seeds, NULL, NULL, 2));
            OK(vorton_tracers_set_user_data(world, scene->puff, drawn));
        }
        scene->has_puff = !scene->has_puff;
    }
    if (unit() < 0.15f) {
        if (scene->has_lamp) {
            OK(vorton_emitter_destroy(world, scene->lamp));
        } else {
            VortonEmitterDef def = vorton_default_emitter_def();
            def.position = place(1);
            def.rate = 60;
            def.volume = 2e-4f;
            def.temperature = 400;
            def.tracers = scene->smoke;
            def.tracer_rate = 200;
            if (unit() < 0.5f) def.body = scene->balls[1];
            OK(vorton_emitter_create(world, &def, &scene->lamp));
            def.rate = 80;
            OK(vorton_emitter_update(world, scene->lamp, &def));
            OK(vorton_emitter_set_user_data(world, scene->lamp, drawn));
            OK(vorton_emitter_set_rate(world, scene->lamp, 70));
            OK(vorton_emitter_burst(world, scene->lamp, 5));
        }
        scene->has_lamp = !scene->has_lamp;
    }
}

static void frame(Scene *scene, uint32_t number) {
    const VortonWorldId world = scene->world;
    const float dt = between(1.0f / 144, 1.0f / 15);
    const int steps = 1 + (int)(2.5f * unit());
    VortonBodyState states[3];
    VortonBodyImpulse impulses[3];
    int i;
    settings(scene, number);
    guests(scene);
    if (scene->has_lamp) {
        const VortonQuat identity = {0, 0, 0, 1};
        OK(vorton_emitter_set_pose(world, scene->lamp, place(1), identity));
    }
    for (i = 0; i < 3; ++i) {
        OK(vorton_body_read(world, scene->balls[i], &states[i]));
        /* Thrown back, and now and then elsewhere. */
        states[i].velocity = place(3);
        states[i].rotation.w *= 1.001f; /* As an engine's: not quite of unit length. */
        if (states[i].position.x * states[i].position.x > 2) states[i].position.x *= 0.5f;
        if (states[i].position.z * states[i].position.z > 2) states[i].position.z *= 0.5f;
        if (states[i].position.y * states[i].position.y > 2) states[i].position.y *= 0.5f;
    }
    if (number % 7 == 0) OK(vorton_body_place(world, scene->balls[1], &states[1]));
    OK(vorton_bodies_set_states(world, scene->balls, states, 0, 3));
    OK(vorton_body_set_state(world, scene->balls[2], &states[2]));
    if (number % 11 == 0) OK(vorton_body_set_awake(world, scene->balls[2], number % 22 == 0));
    OK(vorton_body_set_user_data(world, scene->balls[0], number));
    for (i = 0; i < steps; ++i) {
        const float part = dt / (float)steps;
        VortonBudget budget = vorton_default_budget();
        budget.fluid_ms = 0.2f + unit();
        /* By the clock: the quality is another one in each run. */
        budget.measure = unit() < 0.5f ? VORTON_MEASURE_CLOCK : VORTON_MEASURE_COUNTED;
        switch ((int)(4 * unit())) {
        case 0: STEP(vorton_world_advance(world, part, 0.5f, 3, NULL)); break;
        case 1: STEP(vorton_world_step_within(world, part, &budget)); break;
        default: STEP(vorton_world_step(world, part)); break;
        }
        run_grains(scene, part, number);
        if (unit() < 0.3f) OK(vorton_body_take_impulse(world, scene->balls[0], &impulses[0]));
    }
    OK(vorton_bodies_take_impulses(world, scene->balls, impulses, 0, 3));
    if (number == 40) OK(vorton_vortons_clear(world));
    if (number == 42) {
        /* All begins again: objects are gone. */
        OK(vorton_world_reset(world));
        scene->has_guest = scene->has_puff = scene->has_lamp = false;
        add_ring(world, 30);
        for (i = 0; i < 3; ++i) scene->balls[i] = add_body(world, VORTON_SHAPE_SPHERE, 0.2f, 0.05f, 0, 0, place(1));
        {
            const VortonTracersDef def = vorton_default_tracers_def();
            OK(vorton_tracers_create(world, &def, &scene->smoke));
        }
    }
}

/* Records the scene, from its second frame on. */
static void record(Scene *scene, Tape *tape, uint32_t frames, uint32_t level_flags) {
    uint32_t number;
    memset(tape, 0, sizeof *tape);
    begin(scene, VORTON_THREADS_SERIAL, level_flags);
    frame(scene, 0);
    OK(vorton_world_record(scene->world, tape_write, tape));
    for (number = 1; number < frames; ++number) frame(scene, number);
}

static void end(Scene *scene, Tape *tape) {
    OK(vorton_world_destroy(scene->world));
    free(scene->snapshot);
    free(tape->bytes);
}

static VortonWorldId world_for(const Tape *tape, uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 3;
    OK(vorton_replay_world_def(tape->bytes, tape->size, &def));
    CHECK(def.gravity.z != 0 && def.max_vortons == MAX_VORTONS && def.user_data == 5 && def.threads == threads);
    OK(vorton_world_create(&def, &world));
    return world;
}

static uint64_t hash_all(VortonWorldId world) {
    uint64_t hash;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

/* Replays all of a tape: returns the number of steps. */
static VortonReplay replay_all(VortonWorldId world, const Tape *tape) {
    VortonReplay replay = vorton_default_replay();
    uint64_t steps = 0;
    while (!replay.finished) {
        const VortonResult result = vorton_world_replay(world, tape->bytes, tape->size, &replay);
        CHECK(result == VORTON_OK || result == VORTON_NOTE_DIVERGED);
        CHECK(replay.steps <= steps + 1);
        steps = replay.steps;
    }
    return replay;
}

/* Replays the tape in a pool, and records the replay. */
static int bits(void) {
    Scene scene;
    Tape tape, again;
    VortonWorldId world;
    VortonReplay replay;
    uint64_t user_data;
    size_t at = HEADER, next, begun, tail;
    unsigned code, seen = 0, counts[256] = {0}, bytes[256] = {0};
    record(&scene, &tape, FRAMES, VORTON_SHAPE_SAVED_BY_HASH);
    begun = next_record(&tape, HEADER, &code);
    for (; (next = next_record(&tape, at, &code)) != 0; at = next) {
        counts[code] += 1;
        bytes[code] += (unsigned)(next - at);
    }
    for (code = 0; code < CALLS; ++code) {
        if (counts[code] == 0) printf("no call %u\n", code);
        seen += counts[code] > 0;
    }
    CHECK(at == tape.size && seen == CALLS && counts[CALLS] == 0);

    world = world_for(&tape, VORTON_THREADS_POOL);
    memset(&again, 0, sizeof again);
    OK(vorton_world_record(world, tape_write, &again));
    replay = replay_all(world, &tape);
    CHECK(replay.offset == tape.size && replay.diverged_step == UINT64_MAX && replay.diverged_in == NULL);
    CHECK(replay.diverged_call == UINT64_MAX && replay.steps == counts[5] && replay.calls > 2 * replay.steps);
    CHECK(hash_of(world) == hash_of(scene.world) && replay.hash == replay.expected_hash);
    /* Tracers and emitters, too. */
    CHECK(hash_all(world) == hash_all(scene.world));
    OK(vorton_world_user_data(world, &user_data));
    CHECK(user_data == 9);
    /* The replay has made the same calls, and is recorded as they were. */
    tail = tape.size - begun;
    CHECK(again.size > tail && memcmp(again.bytes + again.size - tail, tape.bytes + begun, tail) == 0);
    OK(vorton_world_record(world, NULL, NULL));
    STEP(vorton_world_step(world, 0.01f));
    at = again.size;
    OK(vorton_world_set_wind(world, vec3(0, 0, 0)));
    CHECK(at == again.size);
    OK(vorton_world_destroy(world));
    free(again.bytes);
    printf("%u steps in %d frames, %u calls; %u bytes, of which %u for two snapshots\n", counts[5], FRAMES,
           (unsigned)replay.calls, (unsigned)tape.size, bytes[0] + bytes[7]);
    end(&scene, &tape);
    return 0;
}

/* Something is changed in the replaying world after this many steps: the next step tells. */
static void diverges(const Tape *tape, uint64_t after, int what) {
    const VortonWorldId world = world_for(tape, VORTON_THREADS_SERIAL);
    VortonReplay replay = vorton_default_replay();
    VortonEmitterDef def = vorton_default_emitter_def();
    VortonEmitterId emitter;
    VortonVorton vorton;
    VortonResult result;
    while (replay.steps < after) {
        OK(vorton_world_replay(world, tape->bytes, tape->size, &replay));
        CHECK(replay.diverged_step == UINT64_MAX && replay.hash == replay.expected_hash);
    }
    switch (what) {
    case 0: OK(vorton_world_set_wind(world, vec3(0.01f, 0, 0))); break;
    case 1:
        memset(&vorton, 0, sizeof vorton);
        vorton.strength.x = 1e-6f;
        OK(vorton_vortons_add(world, &vorton, 1, NULL));
        break;
    default:
        /* It takes the place of the next emitter. */
        def.rate = 0;
        OK(vorton_emitter_create(world, &def, &emitter));
        break;
    }
    do {
        result = vorton_world_replay(world, tape->bytes, tape->size, &replay);
        CHECK(result == VORTON_OK || result == VORTON_NOTE_DIVERGED);
    } while (what == 2 && result == VORTON_OK && !replay.finished);
    CHECK(result == VORTON_NOTE_DIVERGED && replay.diverged_in != NULL);
    if (what < 2) {
        CHECK(replay.diverged_step == after && replay.hash != replay.expected_hash);
        CHECK(strcmp(replay.diverged_in, "vorton_world_step") == 0 || strcmp(replay.diverged_in, "vorton_vortons_add") == 0);
    } else {
        CHECK(replay.diverged_step >= after && strcmp(replay.diverged_in, "vorton_emitter_create") == 0);
    }
    /* The rest can be replayed all the same, and the first one stays noted. */
    {
        const uint64_t step = replay.diverged_step, call = replay.diverged_call;
        while (!replay.finished) CHECK(vorton_world_replay(world, tape->bytes, tape->size, &replay) >= 0);
        CHECK(replay.diverged_step == step && replay.diverged_call == call);
    }
    OK(vorton_world_destroy(world));
}

static unsigned warnings;
static void on_log(int32_t level, const char *text, void *user) {
    (void)user;
    warnings += level == VORTON_LOG_WARNING && strncmp(text, "the replay diverges at step ", 28) == 0;
}

static int diverge(void) {
    Scene scene;
    Tape tape;
    VortonReplay replay = vorton_default_replay();
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId other;
    record(&scene, &tape, 40, 0);
    OK(vorton_set_log(on_log, NULL, VORTON_LOG_WARNING));
    diverges(&tape, 10, 1);
    diverges(&tape, 25, 0);
    diverges(&tape, 62, 2);
    CHECK(warnings == 3);
    OK(vorton_set_log(NULL, NULL, 0));
    /* A world with another definition is refused and unchanged. */
    OK(vorton_replay_world_def(tape.bytes, tape.size, &def));
    def.core_radius = 0.2f;
    OK(vorton_world_create(&def, &other));
    add_ring(other, 30);
    {
        const uint64_t hash = hash_all(other);
        EXPECT(VORTON_ERR_SNAPSHOT, vorton_world_replay(other, tape.bytes, tape.size, &replay));
        CHECK(replay.offset == 0 && replay.steps == 0 && hash_all(other) == hash);
    }
    OK(vorton_world_destroy(other));
    printf("divergences found\n");
    end(&scene, &tape);
    return 0;
}

/* Replays a tape without any trust in it. Returns the last result. */
static VortonResult try_all(VortonWorldId world, const unsigned char *bytes, size_t size, VortonReplay *replay) {
    *replay = vorton_default_replay();
    for (;;) {
        const VortonResult result = vorton_world_replay(world, bytes, size, replay);
        CHECK(replay->offset <= size);
        if (result < 0 || replay->finished) return result;
    }
}

static int damage(void) {
    Scene scene;
    Tape tape;
    VortonWorldId world;
    VortonReplay replay = vorton_default_replay();
    size_t at, next, last, tries;
    unsigned code, refused = 0, cuts = 0;
    uint64_t steps = 0;
    record(&scene, &tape, 12, 0);
    world = world_for(&tape, VORTON_THREADS_SERIAL);
    /* Cut everywhere near the beginning and the end of each record: all before is replayed, with one struct,
     * as the bytes arrive. */
    for (at = HEADER, last = 0; (next = next_record(&tape, at, &code)) != 0; at = next) {
        const size_t lengths[] = {at, at + 1, at + 15, at + 16, next - 1, next};
        size_t i;
        for (i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            const size_t length = lengths[i] < next ? lengths[i] : next;
            if (at == HEADER && length < next) continue;
            do {
                OK(vorton_world_replay(world, tape.bytes, length, &replay));
            } while (!replay.finished && replay.offset < length);
            CHECK(replay.offset == (length == next ? next : at));
            cuts += 1;
        }
        steps += code == 5;
        CHECK(replay.steps == steps);
        last = at;
    }
    CHECK(at == tape.size && replay.diverged_step == UINT64_MAX && hash_all(world) == hash_all(scene.world));
    CHECK(last > HEADER);
    /* Cut before the first call. */
    for (at = 0; at <= HEADER; ++at) {
        VortonWorldDef def = vorton_default_world_def();
        OK(try_all(world, tape.bytes, at, &replay));
        CHECK(replay.finished == 1 && replay.offset == 0 && replay.calls == 0);
        EXPECT(VORTON_ERR_RECORDING, vorton_replay_world_def(tape.bytes, at, &def));
        CHECK(def.gravity.z == 0);
    }
    /* Bytes flipped at random: refused where they are, or, in the header of a recording, at once. */
    for (at = HEADER, last = 0; (next = next_record(&tape, at, &code)) != 0 && code != 5; at = next) {}
    tape.size = next;
    for (tries = 0; tries < 3000; ++tries) {
        /* Half of them after the snapshot. */
        unsigned unused;
        const size_t begun = next_record(&tape, HEADER, &unused);
        const size_t low = tries % 2 == 0 ? 0 : begun, place_of = low + (size_t)((float)(tape.size - low) * unit());
        const unsigned char bit = (unsigned char)(1u << (unsigned)(8 * unit()));
        VortonReplay mark = vorton_default_replay();
        if (place_of >= begun) {
            /* What is before is not repeated. */
            at = HEADER;
            while ((next = next_record(&tape, at, &unused)) <= place_of) at = next;
            mark.offset = at;
        }
        tape.bytes[place_of] ^= bit;
        EXPECT(VORTON_ERR_RECORDING, vorton_world_replay(world, tape.bytes, tape.size, &mark));
        CHECK(mark.calls == 0 && mark.steps == 0);
        tape.bytes[place_of] ^= bit;
        refused += 1;
    }
    /* Offsets in the middle of calls. */
    for (tries = 0; tries < 200; ++tries) {
        replay = vorton_default_replay();
        replay.offset = HEADER + 1 + (uint64_t)(unit() * 200);
        EXPECT(VORTON_ERR_RECORDING, vorton_world_replay(world, tape.bytes, tape.size, &replay));
    }
    replay.offset = tape.size + 1;
    EXPECT(VORTON_ERR_BAD_VALUE, vorton_world_replay(world, tape.bytes, tape.size, &replay));
    OK(try_all(world, tape.bytes, tape.size, &replay));
    CHECK(replay.steps == 1 && replay.finished == 1 && replay.offset == tape.size);
    OK(vorton_world_destroy(world));
    printf("%u cuts, %u damaged\n", cuts, refused);
    end(&scene, &tape);
    return 0;
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "bits";
    if (strcmp(part, "bits") == 0) return bits();
    return strcmp(part, "diverge") == 0 ? diverge() : damage();
}
