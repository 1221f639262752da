/*
 * Every function, with every misuse that it can detect. A refused call must return the right code, leave its
 * sentence in vorton_last_error and in the log, and change nothing: neither the worlds, nor the host's
 * particles and buffers, nor the later steps of the worlds (compared with worlds that were not misused).
 */
#include "check.h"

#include <float.h>
#include <math.h>

/* The log: every line, and the result of a call from inside the callback. */

static const float sight_line[6] = {-9, 0, 0, 9, 0, 0};

static unsigned log_lines;
static char log_last[1024];
static VortonWorldId log_calls_back;
static VortonResult log_call_answered;

static void on_log(int32_t level, const char *text, void *user) {
    CHECK(user == &log_lines);
    CHECK(level >= VORTON_LOG_INFO && level <= VORTON_LOG_ERROR);
    log_lines += 1;
    (void)snprintf(log_last, sizeof log_last, "%s", text);
    if (log_calls_back.index1 != 0) {
        log_call_answered = vorton_world_step(log_calls_back, 0.1f);
    }
}

/* Two worlds with objects of every kind. */

enum { PARTICLES = 40, CAPACITY = 64, TRACERS = 10, HEAVY = 8, STREAMS = 11 };

typedef struct Particle {
    double position[3];
    float velocity[4];
    float age, lifetime;
    int32_t birth;
    uint32_t flags;
    float density, spin[3], orientation[4];
    uint32_t hit;
    float normal[3];
} Particle;

typedef struct Place {
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId tracers;
    VortonBodyId body;
    VortonShapeId shape;
    VortonOpId ops[VORTON_OP_TURBULENCE + 1];
    Particle particles[CAPACITY];
    VortonStream streams[STREAMS];
    VortonParticleView view;
} Place;

static VortonEmitValue emit_position(void) {
    VortonEmitValue value;
    memset(&value, 0, sizeof value);
    value.semantic = VORTON_POSITION;
    value.value[0] = 1.0;
    value.spread[0] = 0.5f;
    return value;
}

static VortonStream stream(uint32_t semantic, uint32_t format, size_t stride, size_t offset, void *base) {
    VortonStream s;
    s.semantic = semantic;
    s.format = format;
    s.stride = (uint32_t)stride;
    s.offset = (uint32_t)offset;
    s.base = base;
    return s;
}

static VortonBodyState body_state(void) {
    VortonBodyState state;
    memset(&state, 0, sizeof state);
    state.position = vec3(1.0f, 0.0f, 0.3f);
    state.rotation.w = 1.0f;
    state.velocity = vec3(0.0f, 0.2f, 0.0f);
    return state;
}

static void place_make(Place *place, uint32_t threads) {
    const VortonEmitValue value = emit_position();
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonTracersDef tracers = vorton_default_tracers_def();
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonOpDef emit = vorton_default_op_def(VORTON_OP_EMIT);
    VortonVorton heavy[HEAVY];
    VortonVec3 points[TRACERS];
    uint32_t type;
    int i;

    memset(place, 0, sizeof *place);
    place->world = make_world(threads, 2, 256);
    add_ring(place->world, 64);
    memset(heavy, 0, sizeof heavy);
    for (i = 0; i < HEAVY; ++i) {
        heavy[i].position = vec3(0.07f * (float)(i & 1), 0.07f * (float)(i >> 1 & 1), 0.07f * (float)(i >> 2));
        heavy[i].volume = 0.07f * 0.07f * 0.07f;
        heavy[i].mass_deviation = 0.1f * heavy[i].volume;
        heavy[i].dye = heavy[i].volume;
    }
    OK(vorton_vortons_add(place->world, heavy, HEAVY, NULL));
    OK(vorton_world_set_gravity(place->world, vec3(0.0f, 0.0f, -9.81f)));
    OK(vorton_world_set_diffusion(place->world, 1e-4f, 1e-4f));
    emitter.strength = vec3(0.0f, 0.0f, 0.1f);
    emitter.strength_spread = vec3(0.1f, 0.1f, 0.1f);
    emitter.extent = vec3(0.5f, 0.5f, 0.5f);
    OK(vorton_emitter_create(place->world, &emitter, &place->emitter));
    tracers.capacity = TRACERS + 5;
    tracers.show = VORTON_SAMPLE_DENSITY;
    OK(vorton_tracers_create(place->world, &tracers, &place->tracers));
    for (i = 0; i < TRACERS; ++i) points[i] = vec3(0.1f * (float)i, 0.0f, 0.2f);
    OK(vorton_tracers_add(place->world, place->tracers, points, NULL, NULL, TRACERS));
    body.position = body_state().position;
    body.velocity = body_state().velocity;
    body.heat_transfer = 10.0f;
    body.temperature = 400.0f;
    shape.radius = 0.3f;
    OK(vorton_body_create(place->world, &body, &place->body));
    OK(vorton_shape_create(place->world, place->body, &shape, &place->shape));
    for (type = VORTON_OP_VELOCITY; type <= VORTON_OP_COLLIDE; ++type) {
        if (type != VORTON_OP_EMIT) place->ops[type] = make_op(place->world, type);
    }
    emit.values = &value;
    emit.value_count = 1;
    OK(vorton_op_create(place->world, &emit, &place->ops[VORTON_OP_EMIT]));

    for (i = 0; i < PARTICLES; ++i) {
        Particle *p = &place->particles[i];
        p->position[0] = 0.05 * i;
        p->velocity[1] = 1.0f;
        p->velocity[3] = 7.0f;
        p->lifetime = 100.0f;
        p->orientation[3] = 1.0f;
    }
    place->streams[0] = stream(VORTON_POSITION, VORTON_F64X3, sizeof(Particle), offsetof(Particle, position), place->particles);
    place->streams[1] = stream(VORTON_VELOCITY, VORTON_F32X4, sizeof(Particle), offsetof(Particle, velocity), place->particles);
    place->streams[2] = stream(VORTON_AGE, VORTON_F32, sizeof(Particle), offsetof(Particle, age), place->particles);
    place->streams[3] = stream(VORTON_LIFETIME, VORTON_F32, sizeof(Particle), offsetof(Particle, lifetime), place->particles);
    place->streams[4] = stream(VORTON_BIRTH_FRAME, VORTON_I32, sizeof(Particle), offsetof(Particle, birth), place->particles);
    place->streams[5] = stream(VORTON_FLAGS, VORTON_U32, sizeof(Particle), offsetof(Particle, flags), place->particles);
    place->streams[6] = stream(VORTON_DENSITY, VORTON_F32, sizeof(Particle), offsetof(Particle, density), place->particles);
    place->streams[7] = stream(VORTON_ANGULAR_VELOCITY, VORTON_F32X3, sizeof(Particle), offsetof(Particle, spin), place->particles);
    place->streams[8] = stream(VORTON_ORIENTATION, VORTON_QUAT_F32, sizeof(Particle), offsetof(Particle, orientation), place->particles);
    place->streams[9] = stream(VORTON_HIT, VORTON_U32, sizeof(Particle), offsetof(Particle, hit), place->particles);
    place->streams[10] = stream(VORTON_NORMAL, VORTON_F32X3, sizeof(Particle), offsetof(Particle, normal), place->particles);
    place->view.struct_size = sizeof place->view;
    place->view.stream_count = STREAMS;
    place->view.streams = place->streams;
    place->view.count = PARTICLES;
    place->view.capacity = CAPACITY;
    place->view.element_size = sizeof(Particle);
    OK(vorton_view_check(&place->view));
    STEP(vorton_world_step(place->world, 0.02f));
}

/* The readable state of a world as one number. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = (const unsigned char *)bytes;
    size_t i;
    for (i = 0; i < size; ++i) hash = (hash ^ b[i]) * 1099511628211u;
    return hash;
}

static uint64_t fingerprint(const Place *place) {
    VortonVec3 positions[TRACERS + 5];
    float ages[TRACERS + 5], values[TRACERS + 5];
    size_t count = 0;
    VortonStats stats;
    const float point[3] = {0.3f, 0.1f, 0.4f};
    float velocity[3];
    VortonBodyState state;
    uint64_t hash = hash_of(place->world);
    OK(vorton_body_read(place->world, place->body, &state));
    hash = mix(hash, &state, sizeof state);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(place->world, &stats));
    hash = mix(hash, &stats, offsetof(VortonStats, step_ms));
    OK(vorton_tracers_read(place->world, place->tracers, &positions[0].x, sizeof positions[0], NULL, NULL, ages, values, TRACERS + 5, &count));
    hash = mix(hash, positions, count * sizeof positions[0]);
    hash = mix(hash, ages, count * sizeof ages[0]);
    hash = mix(hash, values, count * sizeof values[0]);
    OK(vorton_world_sample(place->world, VORTON_SAMPLE_VELOCITY, point, 12, velocity, 12, 1));
    hash = mix(hash, velocity, sizeof velocity);
    OK(vorton_world_sample(place->world, VORTON_SAMPLE_DENSITY, point, 12, velocity, 4, 1));
    hash = mix(hash, velocity, sizeof velocity[0]);
    return mix(hash, place->particles, sizeof place->particles);
}

/* The later state of the world and its particles. */
static uint64_t future(Place *place) {
    VortonOpResult result;
    VortonBodyImpulse impulse;
    uint32_t frame;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    for (frame = 0; frame < 5; ++frame) {
        STEP(vorton_world_step(place->world, 0.02f));
        OK(vorton_ops_run(place->world, &place->ops[VORTON_OP_VELOCITY], VORTON_OP_COLLIDE, &place->view, 0.02f, frame, &result));
        place->view.count = result.count;
    }
    OK(vorton_body_take_impulse(place->world, place->body, &impulse));
    CHECK(impulse.hits > 0);
    return mix(mix(fingerprint(place), &result, sizeof result), &impulse, sizeof impulse);
}

static Place a, b, untouched_a, untouched_b;
static uint64_t fingerprint_a, fingerprint_b;
static unsigned refusals;

/* Sentences use the C names. */
static int has_a_rust_name(const char *text) {
    static const char *const names[] = {"Vec3", "Mat3", "Quat", "Some(", "::", " Position", " Velocity", " Age", " Flags", " User",
                                        " Density", " Normal", "BirthFrame", " F32", "[F32", "(Kill", "(Emit"};
    size_t n;
    for (n = 0; n < sizeof names / sizeof names[0]; ++n) {
        if (strstr(text, names[n])) return 1;
    }
    return 0;
}

static void expect_refusal(int line, const char *call, VortonResult expected, unsigned lines_before, VortonResult got) {
    char text[1024];
    check_result(__FILE__, line, call, expected, got);
    if (vorton_last_error(text, sizeof text) < 10 || log_lines != lines_before + 1 || strcmp(text, log_last) != 0) {
        printf("%s:%d: %s\n  said \"%s\", logged %u lines, the last: \"%s\"\n", __FILE__, line, call, text,
               log_lines - lines_before, log_last);
        exit(1);
    }
    if (has_a_rust_name(text)) {
        printf("%s:%d: %s\n  said \"%s\"\n", __FILE__, line, call, text);
        exit(1);
    }
    if (fingerprint(&a) != fingerprint_a || fingerprint(&b) != fingerprint_b) {
        printf("%s:%d: %s\n  was refused, but changed something\n", __FILE__, line, call);
        exit(1);
    }
    refusals += 1;
}

/* `log_lines` is read before the call: the arguments of a function may be evaluated in any order. */
#define REFUSED(code, call) \
    do { \
        const unsigned lines_before_ = log_lines; \
        const VortonResult answer_ = (call); \
        expect_refusal(__LINE__, #call, (code), lines_before_, answer_); \
    } while (0)

#define NULL_REFUSED(call) REFUSED(VORTON_ERR_NULL, call)
#define MISALIGNED(type, pointer) ((type *)(void *)((char *)(pointer) + 1))

/* Ids. */

static VortonVolumeDef small_volume(void) {
    VortonVolumeDef def = vorton_default_volume_def();
    def.width = def.height = def.depth = 2;
    return def;
}

static void refuse_world(VortonResult code, VortonWorldId w) {
    const VortonWorldId none = {0, 0};
    const VortonVorton vorton = {{0, 0, 0}, {0, 0, 1}, 0, 0, 0, 0, 0, 0, 0};
    const VortonBudget budget = vorton_default_budget();
    const VortonVolumeDef volume = small_volume();
    const VortonDrawDef drawing = vorton_default_draw_def();
    VortonDrawDef flow = drawing;
    uint16_t texels[4 * 8];
    const VortonInitialDef initial = vorton_default_initial_def(VORTON_INITIAL_RING);
    const VortonSurroundDef surround = vorton_default_surround_def();
    const VortonPresetDef preset = vorton_default_preset_def(VORTON_PRESET_CAMPFIRE);
    const VortonEmitterDef emitter_def = vorton_default_emitter_def();
    const VortonTracersDef tracers_def = vorton_default_tracers_def();
    const VortonImpliedDef implied = vorton_default_implied_def();
    const VortonOpDef op_def = vorton_default_op_def(VORTON_OP_AGE);
    const VortonBodyDef body_def = vorton_default_body_def();
    const VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonBodyState state = body_state();
    VortonBodyImpulse impulse;
    VortonBodyId body = {77, 77, 77};
    VortonShapeId shape = {77, 77, 77};
    bool awake = true;
    VortonWorldDef world_now = {0};
    VortonBodyDef body_now = {0};
    VortonEmitterDef emitter_now = {0};
    VortonTracersDef tracers_now = {0};
    VortonTracerRows rows = {0};
    uint32_t number = 77;
    const VortonQuat identity = {0, 0, 0, 1};
    const VortonVec3 zero = {0, 0, 0};
    VortonEmitterId emitter = {77, 77, 77};
    VortonTracersId tracers = {77, 77, 77};
    VortonOpId op = {77, 77, 77};
    VortonStats stats;
    VortonMemory memory = vorton_default_memory();
    VortonInvariants invariants;
    VortonVorton vortons[1];
    VortonSurface surface;
    uint64_t id = 77;
    size_t count = 77;
    float point[3] = {0, 0, 0}, out[3] = {77, 77, 77}, added[21] = {77};
    VortonReplay replay = vorton_default_replay();

    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    memset(&invariants, 0, sizeof invariants);
    invariants.struct_size = sizeof invariants;
    REFUSED(code, vorton_world_destroy(w));
    REFUSED(code, vorton_world_step(w, 0.1f));
    REFUSED(code, vorton_world_advance(w, 0.1f, 0.3f, 4, NULL));
    REFUSED(code, vorton_world_step_within(w, 0.1f, &budget));
    REFUSED(code, vorton_world_set_wind(w, zero));
    REFUSED(code, vorton_world_set_gravity(w, zero));
    REFUSED(code, vorton_world_set_diffusion(w, 0.0f, 0.0f));
    REFUSED(code, vorton_world_set_relaxation_rate(w, 1.0f));
    REFUSED(code, vorton_world_density_from_temperature(w, 300.0f, out));
    REFUSED(code, vorton_world_temperature_from_density(w, 1.0f, out));
    REFUSED(code, vorton_world_mass_deviation(w, 1.0f, 300.0f, out));
    REFUSED(code, vorton_world_hash(w, &id));
    REFUSED(code, vorton_world_hash_all(w, &id));
    REFUSED(code, vorton_world_save(w, NULL, 0, &count));
    REFUSED(code, vorton_world_restore(w, &id, sizeof id));
    REFUSED(code, vorton_world_reset(w));
    REFUSED(code, vorton_world_record(w, NULL, NULL));
    REFUSED(code, vorton_world_replay(w, NULL, 0, &replay));
    CHECK(replay.finished == 0);
    REFUSED(code, vorton_world_shift_origin(w, zero));
    REFUSED(code, vorton_world_set_kill_volumes(w, NULL, 0));
    REFUSED(code, vorton_world_kill_volumes(w, NULL, 0, &count));
    REFUSED(code, vorton_world_set_smagorinsky(w, 0.1f));
    REFUSED(code, vorton_world_set_no_slip_rate(w, 1.0f));
    REFUSED(code, vorton_world_set_specific_heat(w, 1.0f));
    REFUSED(code, vorton_world_set_combustion(w, 500, 0.1f, 1));
    REFUSED(code, vorton_world_set_max_age(w, 1.0f));
    REFUSED(code, vorton_world_set_expected_samples(w, 1));
    REFUSED(code, vorton_world_def(w, &world_now, sizeof world_now));
    REFUSED(code, vorton_body_def(w, a.body, &body_now, sizeof body_now));
    REFUSED(code, vorton_emitter_def(w, a.emitter, &emitter_now, sizeof emitter_now));
    REFUSED(code, vorton_tracers_def(w, a.tracers, &tracers_now, sizeof tracers_now));
    CHECK(world_now.struct_size + body_now.struct_size + emitter_now.struct_size + tracers_now.struct_size == 0);
    REFUSED(code, vorton_emitter_update(w, a.emitter, &emitter_def));
    REFUSED(code, vorton_tracers_set_max_age(w, a.tracers, 1.0f));
    REFUSED(code, vorton_tracers_set_turbulence(w, a.tracers, 1.0f));
    REFUSED(code, vorton_body_set_heat_transfer(w, a.body, 1.0f));
    REFUSED(code, vorton_body_set_heat_capacity(w, a.body, 1.0f));
    REFUSED(code, vorton_world_bodies(w, &body, 1, &count));
    REFUSED(code, vorton_world_emitters(w, &emitter, 1, &count));
    REFUSED(code, vorton_world_tracers(w, &tracers, 1, &count));
    REFUSED(code, vorton_body_shapes(w, a.body, &shape, 1, &count));
    CHECK(count == 77 && body.world == 77 && emitter.world == 77 && tracers.world == 77 && shape.world == 77);
    REFUSED(code, vorton_world_set_user_data(w, 1));
    REFUSED(code, vorton_world_user_data(w, &id));
    REFUSED(code, vorton_body_set_user_data(w, a.body, 1));
    REFUSED(code, vorton_body_user_data(w, a.body, &id));
    REFUSED(code, vorton_shape_set_user_data(w, a.shape, 1));
    REFUSED(code, vorton_shape_user_data(w, a.shape, &id));
    REFUSED(code, vorton_emitter_set_user_data(w, a.emitter, 1));
    REFUSED(code, vorton_emitter_user_data(w, a.emitter, &id));
    REFUSED(code, vorton_tracers_set_user_data(w, a.tracers, 1));
    REFUSED(code, vorton_tracers_user_data(w, a.tracers, &id));
    CHECK(id == 77);
    REFUSED(code, vorton_world_stats(w, &stats));
    REFUSED(code, vorton_world_memory(w, &memory));
    REFUSED(code, vorton_world_invariants(w, &invariants));
    REFUSED(code, vorton_vortons_add(w, &vorton, 1, &id));
    REFUSED(code, vorton_vortons_read(w, vortons, 1, &count));
    REFUSED(code, vorton_vortons_remove(w, &id, 1, &count));
    REFUSED(code, vorton_vortons_clear(w));
    REFUSED(code, vorton_world_add_initial(w, &initial, &id, &count));
    REFUSED(code, vorton_emitter_create(w, &emitter_def, &emitter));
    REFUSED(code, vorton_emitter_destroy(w, a.emitter));
    REFUSED(code, vorton_emitter_set_pose(w, a.emitter, zero, identity));
    REFUSED(code, vorton_emitter_set_rate(w, a.emitter, 1.0f));
    REFUSED(code, vorton_emitter_burst(w, a.emitter, 1));
    REFUSED(code, vorton_tracers_create(w, &tracers_def, &tracers));
    REFUSED(code, vorton_tracers_destroy(w, a.tracers));
    REFUSED(code, vorton_tracers_add(w, a.tracers, &zero, NULL, NULL, 1));
    REFUSED(code, vorton_tracers_add_implied(w, a.tracers, &implied, &count));
    REFUSED(code, vorton_tracers_clear(w, a.tracers));
    REFUSED(code, vorton_tracers_read(w, a.tracers, point, 12, NULL, NULL, NULL, NULL, 1, &count));
    REFUSED(code, vorton_tracers_acquire(w, a.tracers, &rows, sizeof rows));
    CHECK(rows.struct_size == 0);
    REFUSED(code, vorton_tracers_release(w, 1));
    memset(&impulse, 0, sizeof impulse);
    REFUSED(code, vorton_body_create(w, &body_def, &body));
    REFUSED(code, vorton_body_destroy(w, a.body));
    REFUSED(code, vorton_body_number(w, a.body, &number));
    REFUSED(code, vorton_body_set_state(w, a.body, &state));
    REFUSED(code, vorton_body_place(w, a.body, &state));
    REFUSED(code, vorton_body_read(w, a.body, &state));
    REFUSED(code, vorton_body_added_inertia(w, a.body, added));
    REFUSED(code, vorton_body_set_temperature(w, a.body, 300));
    REFUSED(code, vorton_body_set_mass(w, a.body, 1));
    REFUSED(code, vorton_body_set_awake(w, a.body, false));
    REFUSED(code, vorton_body_is_awake(w, a.body, &awake));
    REFUSED(code, vorton_body_set_inertia(w, a.body, NULL));
    REFUSED(code, vorton_body_take_impulse(w, a.body, &impulse));
    REFUSED(code, vorton_bodies_set_states(w, &a.body, &state, 0, 1));
    REFUSED(code, vorton_bodies_take_impulses(w, &a.body, &impulse, 0, 1));
    REFUSED(code, vorton_world_remove_embedded(w, 0, &count, &count));
    REFUSED(code, vorton_bodies_surround(w, &surround, &id, &count));
    REFUSED(code, vorton_world_add_preset(w, &preset, NULL, NULL, NULL));
    REFUSED(code, vorton_shape_create(w, a.body, &shape_def, &shape));
    REFUSED(code, vorton_shape_destroy(w, a.shape));
    CHECK(!vorton_body_is_valid(w, a.body) && !vorton_shape_is_valid(w, a.shape));
    CHECK(body.index1 == 77 && shape.index1 == 77 && number == 77 && impulse.temperature <= 0 && state.velocity.y > 0);
    REFUSED(code, vorton_world_sample(w, VORTON_SAMPLE_VELOCITY, point, 12, out, 12, 1));
    REFUSED(code, vorton_world_sample_volume(w, &volume, texels, sizeof texels));
    flow.flags = VORTON_DRAW_FIELD;
    REFUSED(code, vorton_world_draw(w, &drawing, NULL, 0, &count));
    REFUSED(code, vorton_world_draw(w, &flow, NULL, 0, &count));
    REFUSED(code, vorton_world_sample_surfaces(w, NULL, 1, point, 12, &surface, sizeof surface, 1));
    REFUSED(code, vorton_world_sample_lines(w, VORTON_SAMPLE_DYE, sight_line, 24, out, 4, 1));
    REFUSED(code, vorton_op_create(w, &op_def, &op));
    REFUSED(code, vorton_op_update(w, a.ops[VORTON_OP_AGE], &op_def));
    REFUSED(code, vorton_op_destroy(w, a.ops[VORTON_OP_AGE]));
    REFUSED(code, vorton_ops_run(w, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, NULL));
    CHECK(!vorton_world_is_valid(w) && !vorton_world_is_valid(none));
    CHECK(!vorton_emitter_is_valid(w, a.emitter) && !vorton_tracers_is_valid(w, a.tracers) && !vorton_op_is_valid(w, a.ops[VORTON_OP_AGE]));
    CHECK(id == 77 && count == 77 && emitter.index1 == 77 && tracers.index1 == 77 && op.index1 == 77);
    CHECK(out[0] > 76 && added[0] > 76 && stats.steps == 0 && invariants.max_strength <= 0);
}

static void refuse_children(VortonResult code, VortonEmitterId emitter, VortonTracersId tracers, VortonOpId op) {
    const VortonImpliedDef implied = vorton_default_implied_def();
    const VortonOpDef op_def = vorton_default_op_def(VORTON_OP_AGE);
    const VortonQuat identity = {0, 0, 0, 1};
    const VortonVec3 zero = {0, 0, 0};
    const VortonOpId list[2] = {a.ops[VORTON_OP_AGE], op};
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    float positions[3 * TRACERS];
    VortonTracerRows rows = {0};
    uint64_t number = 77;
    size_t count = 77;
    REFUSED(code, vorton_emitter_destroy(a.world, emitter));
    REFUSED(code, vorton_emitter_set_pose(a.world, emitter, zero, identity));
    REFUSED(code, vorton_emitter_set_rate(a.world, emitter, 1.0f));
    REFUSED(code, vorton_emitter_burst(a.world, emitter, 1));
    REFUSED(code, vorton_emitter_def(a.world, emitter, &emitter_def, sizeof emitter_def));
    REFUSED(code, vorton_emitter_update(a.world, emitter, &emitter_def));
    REFUSED(code, vorton_tracers_def(a.world, tracers, &tracers_def, sizeof tracers_def));
    REFUSED(code, vorton_tracers_set_max_age(a.world, tracers, 1.0f));
    REFUSED(code, vorton_tracers_set_turbulence(a.world, tracers, 1.0f));
    REFUSED(code, vorton_emitter_set_user_data(a.world, emitter, 1));
    REFUSED(code, vorton_emitter_user_data(a.world, emitter, &number));
    REFUSED(code, vorton_tracers_set_user_data(a.world, tracers, 1));
    REFUSED(code, vorton_tracers_user_data(a.world, tracers, &number));
    CHECK(number == 77);
    REFUSED(code, vorton_tracers_destroy(a.world, tracers));
    REFUSED(code, vorton_tracers_add(a.world, tracers, &zero, NULL, NULL, 1));
    REFUSED(code, vorton_tracers_add_implied(a.world, tracers, &implied, &count));
    REFUSED(code, vorton_tracers_clear(a.world, tracers));
    REFUSED(code, vorton_tracers_read(a.world, tracers, positions, 12, NULL, NULL, NULL, NULL, TRACERS, &count));
    REFUSED(code, vorton_tracers_acquire(a.world, tracers, &rows, sizeof rows));
    CHECK(rows.struct_size == 0);
    REFUSED(code, vorton_op_update(a.world, op, &op_def));
    REFUSED(code, vorton_op_destroy(a.world, op));
    REFUSED(code, vorton_ops_run(a.world, list, 2, &a.view, 0.1f, 1, NULL));
    CHECK(!vorton_emitter_is_valid(a.world, emitter) && !vorton_tracers_is_valid(a.world, tracers) && !vorton_op_is_valid(a.world, op));
    CHECK(count == 77);
}

static void refuse_bodies(VortonResult code, VortonBodyId body, VortonShapeId shape) {
    const VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    const VortonBodyId list[2] = {a.body, body};
    VortonBodyState states[2];
    VortonBodyImpulse impulses[2];
    VortonShapeId new_shape = {77, 77, 77};
    VortonBodyDef body_def = {0};
    VortonSurroundDef surround = vorton_default_surround_def();
    size_t count = 77;
    uint64_t user_data = 77;
    uint32_t number = 77;
    bool awake = true;
    float added[21];
    memset(impulses, 0, sizeof impulses);
    states[0] = states[1] = body_state();
    REFUSED(code, vorton_body_destroy(a.world, body));
    REFUSED(code, vorton_body_number(a.world, body, &number));
    REFUSED(code, vorton_body_set_state(a.world, body, states));
    REFUSED(code, vorton_body_place(a.world, body, states));
    REFUSED(code, vorton_body_read(a.world, body, states));
    REFUSED(code, vorton_body_added_inertia(a.world, body, added));
    REFUSED(code, vorton_body_set_temperature(a.world, body, 300));
    REFUSED(code, vorton_body_set_mass(a.world, body, 1));
    REFUSED(code, vorton_body_def(a.world, body, &body_def, sizeof body_def));
    REFUSED(code, vorton_body_set_heat_transfer(a.world, body, 1.0f));
    REFUSED(code, vorton_body_set_heat_capacity(a.world, body, 1.0f));
    REFUSED(code, vorton_body_shapes(a.world, body, &new_shape, 1, &count));
    CHECK(count == 77 && new_shape.world == 77);
    REFUSED(code, vorton_body_set_user_data(a.world, body, 1));
    REFUSED(code, vorton_body_user_data(a.world, body, &user_data));
    REFUSED(code, vorton_shape_set_user_data(a.world, shape, 1));
    REFUSED(code, vorton_shape_user_data(a.world, shape, &user_data));
    CHECK(user_data == 77);
    REFUSED(code, vorton_body_set_awake(a.world, body, false));
    REFUSED(code, vorton_body_is_awake(a.world, body, &awake));
    REFUSED(code, vorton_body_set_inertia(a.world, body, NULL));
    REFUSED(code, vorton_body_take_impulse(a.world, body, impulses));
    /* The null id means all bodies. */
    surround.body = body;
    if (body.index1 != 0) REFUSED(code, vorton_bodies_surround(a.world, &surround, &user_data, &count));
    CHECK(count == 77 && user_data == 77);
    REFUSED(code, vorton_shape_create(a.world, body, &shape_def, &new_shape));
    REFUSED(code, vorton_shape_destroy(a.world, shape));
    CHECK(!vorton_body_is_valid(a.world, body) && !vorton_shape_is_valid(a.world, shape));
    /* All or none: the first of the two ids is valid. */
    states[0].velocity.x = 5.0f;
    REFUSED(code, vorton_bodies_set_states(a.world, list, states, 0, 2));
    CHECK(strncmp(log_last, "ids[1]: ", 8) == 0);
    REFUSED(code, vorton_bodies_take_impulses(a.world, list, impulses, 0, 2));
    CHECK(number == 77 && new_shape.index1 == 77 && impulses[0].temperature <= 0 && awake);
}

static void ids(void) {
    const VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonWorldId world = {0, 0}, older;
    VortonEmitterId emitter = {0, 0, 0};
    VortonTracersId tracers = {0, 0, 0};
    const VortonBodyDef body_def = vorton_default_body_def();
    const VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonBodyId body = {0, 0, 0};
    VortonShapeId shape = {0, 0, 0};
    VortonOpId op = {0, 0, 0};
    int i;

    refuse_world(VORTON_ERR_STALE_ID, world);
    world.index1 = 0xffffffffu;
    world.generation = 0xffffffffu;
    refuse_world(VORTON_ERR_STALE_ID, world);
    world = a.world;
    world.generation += 0x10000u;
    refuse_world(VORTON_ERR_STALE_ID, world);
    refuse_children(VORTON_ERR_STALE_ID, emitter, tracers, op);
    refuse_children(VORTON_ERR_WRONG_WORLD, b.emitter, b.tracers, b.ops[VORTON_OP_AGE]);
    refuse_bodies(VORTON_ERR_STALE_ID, body, shape);
    refuse_bodies(VORTON_ERR_WRONG_WORLD, b.body, b.shape);

    tracers_def.capacity = 1;
    OK(vorton_emitter_create(a.world, &emitter_def, &emitter));
    OK(vorton_tracers_create(a.world, &tracers_def, &tracers));
    op = make_op(a.world, VORTON_OP_AGE);
    CHECK(vorton_emitter_is_valid(a.world, emitter) && vorton_tracers_is_valid(a.world, tracers) && vorton_op_is_valid(a.world, op));
    OK(vorton_emitter_destroy(a.world, emitter));
    OK(vorton_tracers_destroy(a.world, tracers));
    OK(vorton_op_destroy(a.world, op));
    refuse_children(VORTON_ERR_STALE_ID, emitter, tracers, op);
    OK(vorton_body_create(a.world, &body_def, &body));
    OK(vorton_shape_create(a.world, body, &shape_def, &shape));
    CHECK(vorton_body_is_valid(a.world, body) && vorton_shape_is_valid(a.world, shape));
    OK(vorton_body_destroy(a.world, body)); /* And its shape. */
    refuse_bodies(VORTON_ERR_STALE_ID, body, shape);

    /* A world in the slot of a destroyed world is another world, also for the children of the destroyed one.
       */
    older = make_world(VORTON_THREADS_SERIAL, 0, 16);
    OK(vorton_emitter_create(older, &emitter_def, &emitter));
    OK(vorton_tracers_create(older, &tracers_def, &tracers));
    op = make_op(older, VORTON_OP_AGE);
    OK(vorton_world_destroy(older));
    refuse_world(VORTON_ERR_STALE_ID, older);
    refuse_children(VORTON_ERR_WRONG_WORLD, emitter, tracers, op);
    world = make_world(VORTON_THREADS_SERIAL, 0, 16);
    CHECK(world.index1 == older.index1 && world.generation != older.generation);
    refuse_world(VORTON_ERR_STALE_ID, older);
    (void)make_op(world, VORTON_OP_AGE);
    REFUSED(VORTON_ERR_WRONG_WORLD, vorton_op_destroy(world, op));
    OK(vorton_world_destroy(world));

    /* Nor after so many worlds that 16 bits of their number repeat. */
    older = make_world(VORTON_THREADS_SERIAL, 0, 1);
    op = make_op(older, VORTON_OP_AGE);
    OK(vorton_world_destroy(older));
    for (i = 1; i < 65536; ++i) OK(vorton_world_destroy(make_world(VORTON_THREADS_SERIAL, 0, 1)));
    world = make_world(VORTON_THREADS_SERIAL, 0, 1);
    CHECK(make_op(world, VORTON_OP_AGE).world == op.world);
    REFUSED(VORTON_ERR_WRONG_WORLD, vorton_op_destroy(world, op));
    OK(vorton_world_destroy(world));
}

/* Definitions: every float of every struct, and struct_size. */

typedef VortonResult (*Init)(void *def, uint32_t size);
typedef VortonResult (*Use)(const void *def);

typedef struct Def {
    const char *name;
    size_t size;
    Init init;       /* NULL for structs without struct_size: those start as 0. */
    Use use;
} Def;

/* A world that may change. */
static VortonWorldId spare;
static VortonEmitterId spare_emitter;
static VortonTracersId spare_tracers;
static VortonOpId spare_op;

static VortonResult world_init(void *def, uint32_t size) {
    return vorton_world_def_init((VortonWorldDef *)def, size);
}
static VortonResult world_use(const void *def) {
    VortonWorldId world;
    const VortonResult result = vorton_world_create((const VortonWorldDef *)def, &world);
    if (result == VORTON_OK) OK(vorton_world_destroy(world));
    return result;
}

static VortonResult budget_init(void *def, uint32_t size) {
    return vorton_budget_init((VortonBudget *)def, size);
}
static VortonResult budget_use(const void *def) {
    return vorton_world_step_within(spare, 0, (const VortonBudget *)def);
}

static VortonResult volume_init(void *def, uint32_t size) {
    return vorton_volume_def_init((VortonVolumeDef *)def, size);
}
static VortonResult volume_use(const void *def) {
    static uint16_t texels[4 * 32 * 32 * 32];
    return vorton_world_sample_volume(spare, (const VortonVolumeDef *)def, texels, sizeof texels);
}

static VortonResult draw_init(void *def, uint32_t size) {
    return vorton_draw_def_init((VortonDrawDef *)def, size);
}
/* A refused call writes neither lines nor a count. */
static VortonResult draw_use(const void *def) {
    static VortonLine lines[4096];
    size_t count = 77;
    VortonResult result;
    lines[0].color = 77;
    result = vorton_world_draw(spare, (const VortonDrawDef *)def, lines, 4096, &count);
    CHECK(result >= 0 || (count == 77 && lines[0].color == 77));
    return result;
}

static VortonResult surround_init(void *def, uint32_t size) {
    return vorton_surround_def_init((VortonSurroundDef *)def, size);
}
/* A refused call writes neither an id nor a count. */
static VortonResult surround_use(const void *def) {
    size_t count = 77;
    uint64_t first = 77;
    const VortonResult result = vorton_bodies_surround(spare, (const VortonSurroundDef *)def, &first, &count);
    CHECK(result >= 0 || (count == 77 && first == 77));
    return result;
}

static VortonResult preset_init(void *def, uint32_t size) {
    return vorton_preset_def_init((VortonPresetDef *)def, size, VORTON_PRESET_CAMPFIRE);
}
/* What is refused writes no ids. */
static VortonResult preset_use(const void *def) {
    VortonTracersId tracers = {77, 77, 77};
    VortonEmitterId emitters[VORTON_PRESET_EMITTERS] = {{77, 77, 77}, {77, 77, 77}};
    VortonBodyId body = {77, 77, 77};
    const VortonResult result = vorton_world_add_preset(spare, (const VortonPresetDef *)def, &tracers, emitters, &body);
    CHECK(result >= 0 || (tracers.world == 77 && emitters[0].world == 77 && emitters[1].world == 77 && body.world == 77));
    if (result == VORTON_OK) {
        OK(vorton_emitter_destroy(spare, emitters[0]));
        OK(vorton_tracers_destroy(spare, tracers));
        CHECK(emitters[1].index1 == 0 && body.index1 == 0);
    }
    return result;
}
static VortonResult preset_world_use(const void *def) {
    VortonWorldDef world = vorton_default_world_def();
    const float core_radius = world.core_radius;
    const VortonResult result = vorton_preset_world_def((const VortonPresetDef *)def, &world);
    CHECK(result >= 0 || world.core_radius == core_radius);
    return result;
}

static uint32_t initial_type, op_type;

static VortonResult initial_init(void *def, uint32_t size) {
    return vorton_initial_def_init((VortonInitialDef *)def, size, initial_type);
}
static VortonResult initial_use(const void *def) {
    const VortonResult result = vorton_world_add_initial(spare, (const VortonInitialDef *)def, NULL, NULL);
    OK(vorton_vortons_clear(spare));
    return result;
}
static VortonResult emitter_init(void *def, uint32_t size) {
    return vorton_emitter_def_init((VortonEmitterDef *)def, size);
}
static VortonResult emitter_use(const void *def) {
    VortonEmitterId emitter;
    const VortonResult result = vorton_emitter_create(spare, (const VortonEmitterDef *)def, &emitter);
    if (result == VORTON_OK) OK(vorton_emitter_destroy(spare, emitter));
    return result;
}
static VortonResult emitter_update_use(const void *def) {
    return vorton_emitter_update(spare, spare_emitter, (const VortonEmitterDef *)def);
}
static VortonResult tracers_init(void *def, uint32_t size) {
    return vorton_tracers_def_init((VortonTracersDef *)def, size);
}
static VortonResult tracers_use(const void *def) {
    VortonTracersId tracers;
    const VortonResult result = vorton_tracers_create(spare, (const VortonTracersDef *)def, &tracers);
    if (result == VORTON_OK) OK(vorton_tracers_destroy(spare, tracers));
    return result;
}
static VortonResult implied_init(void *def, uint32_t size) {
    return vorton_implied_def_init((VortonImpliedDef *)def, size);
}
static VortonResult implied_use(const void *def) {
    const VortonResult result = vorton_tracers_add_implied(spare, spare_tracers, (const VortonImpliedDef *)def, NULL);
    OK(vorton_tracers_clear(spare, spare_tracers));
    return result;
}
static VortonResult op_init(void *def, uint32_t size) {
    return vorton_op_def_init((VortonOpDef *)def, size, op_type);
}
static VortonResult op_use(const void *def) {
    VortonOpId op;
    const VortonResult result = vorton_op_create(spare, (const VortonOpDef *)def, &op);
    if (result == VORTON_OK) OK(vorton_op_destroy(spare, op));
    return result;
}
static VortonResult op_update_use(const void *def) {
    return vorton_op_update(spare, spare_op, (const VortonOpDef *)def);
}
static VortonResult emit_value_use(const void *def) {
    VortonEmitValue value = *(const VortonEmitValue *)def;
    VortonOpDef op = vorton_default_op_def(VORTON_OP_EMIT);
    value.semantic = VORTON_POSITION;
    op.values = &value;
    op.value_count = 1;
    return op_use(&op);
}
static uint32_t shape_type;
static VortonBodyId spare_body;
static const float tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const float cube[] = {1, 0, 0, 1, -1, 0, 0, 1, 0, 1, 0, 1, 0, -1, 0, 1, 0, 0, 1, 1, 0, 0, -1, 1};

static VortonResult body_init(void *def, uint32_t size) {
    return vorton_body_def_init((VortonBodyDef *)def, size);
}
static VortonResult body_use(const void *def) {
    VortonBodyId body;
    const VortonResult result = vorton_body_create(spare, (const VortonBodyDef *)def, &body);
    if (result == VORTON_OK) OK(vorton_body_destroy(spare, body));
    return result;
}
static VortonResult shape_init(void *def, uint32_t size) {
    const VortonResult result = vorton_shape_def_init((VortonShapeDef *)def, size, shape_type);
    if (result == VORTON_OK && shape_type == VORTON_SHAPE_HULL) {
        ((VortonShapeDef *)def)->points = tetrahedron;
        ((VortonShapeDef *)def)->point_count = 4;
    }
    if (result == VORTON_OK && shape_type == VORTON_SHAPE_PLANES) {
        ((VortonShapeDef *)def)->planes = cube;
        ((VortonShapeDef *)def)->plane_count = 6;
    }
    if (result == VORTON_OK && shape_type == VORTON_SHAPE_MESH) {
        ((VortonShapeDef *)def)->points = tetrahedron;
        ((VortonShapeDef *)def)->point_count = 4;
        ((VortonShapeDef *)def)->triangles = faces;
        ((VortonShapeDef *)def)->triangle_count = 4;
    }
    if (result == VORTON_OK && shape_type == VORTON_SHAPE_HEIGHT_FIELD) {
        ((VortonShapeDef *)def)->heights = cube;
        ((VortonShapeDef *)def)->columns = 4;
        ((VortonShapeDef *)def)->rows = 6;
    }
    return result;
}
static VortonShapeDef shape_of(uint32_t type) {
    VortonShapeDef def;
    shape_type = type;
    OK(shape_init(&def, sizeof def));
    return def;
}
static VortonResult shape_use(const void *def) {
    VortonShapeId shape;
    const VortonResult result = vorton_shape_create(spare, spare_body, (const VortonShapeDef *)def, &shape);
    if (result == VORTON_OK) OK(vorton_shape_destroy(spare, shape));
    return result;
}
static VortonResult mass_use(const void *def) {
    VortonMassProperties out;
    return vorton_shape_mass_properties((const VortonShapeDef *)def, &out);
}
static VortonResult added_use(const void *def) {
    float out[21];
    return vorton_shape_added_inertia((const VortonShapeDef *)def, out);
}
static VortonBodyState turned(const void *def) {
    VortonBodyState state = *(const VortonBodyState *)def;
    if (state.rotation.x == 0 && state.rotation.y == 0 && state.rotation.z == 0) state.rotation.w += 1.0f;
    return state;
}
static VortonResult state_use(const void *def) {
    const VortonBodyState state = turned(def);
    return vorton_body_set_state(spare, spare_body, &state);
}
static VortonResult place_use(const void *def) {
    const VortonBodyState state = turned(def);
    return vorton_body_place(spare, spare_body, &state);
}
static VortonResult states_use(const void *def) {
    VortonBodyId ids[2];
    VortonBodyState states[2];
    ids[0] = ids[1] = spare_body;
    states[0] = body_state();
    states[1] = turned(def);
    return vorton_bodies_set_states(spare, ids, states, 0, 2);
}
static VortonResult vorton_use(const void *def) {
    const VortonResult result = vorton_vortons_add(spare, (const VortonVorton *)def, 1, NULL);
    OK(vorton_vortons_clear(spare));
    return result;
}
static VortonResult wind_use(const void *def) {
    return vorton_world_set_wind(spare, *(const VortonVec3 *)def);
}
static VortonResult gravity_use(const void *def) {
    return vorton_world_set_gravity(spare, *(const VortonVec3 *)def);
}
static VortonResult kill_use(const void *def) {
    VortonKillVolume volumes[2];
    VortonResult result;
    volumes[0] = vorton_default_kill_volume();
    volumes[1] = *(const VortonKillVolume *)def;
    if (volumes[1].rotation.w == 0 && volumes[1].rotation.x == 0 && volumes[1].rotation.y == 0 && volumes[1].rotation.z == 0) volumes[1].rotation.w = 1;
    if (volumes[1].half_extents.x == 0) volumes[1].half_extents.x = 1;
    if (volumes[1].half_extents.y == 0) volumes[1].half_extents.y = 1;
    if (volumes[1].half_extents.z == 0) volumes[1].half_extents.z = 1;
    result = vorton_world_set_kill_volumes(spare, volumes, 2);
    OK(vorton_world_set_kill_volumes(spare, NULL, 0));
    return result;
}
static VortonResult kill_as_it_is(const VortonKillVolume *volume) {
    const VortonResult result = vorton_world_set_kill_volumes(spare, volume, 1);
    size_t count = 77;
    OK(vorton_world_kill_volumes(spare, NULL, 0, &count));
    CHECK(count == 0);
    return result;
}
static VortonResult position_use(const void *def) {
    const VortonQuat identity = {0, 0, 0, 1};
    return vorton_emitter_set_pose(spare, spare_emitter, *(const VortonVec3 *)def, identity);
}
static VortonResult tracer_use(const void *def) {
    const VortonResult result = vorton_tracers_add(spare, spare_tracers, (const VortonVec3 *)def, NULL, NULL, 1);
    OK(vorton_tracers_clear(spare, spare_tracers));
    return result;
}
static VortonResult rotation_use(const void *def) {
    VortonQuat rotation = *(const VortonQuat *)def;
    const VortonVec3 zero = {0, 0, 0};
    if (rotation.x == 0 && rotation.y == 0 && rotation.z == 0 && rotation.w == 0) rotation.w = 1.0f;
    return vorton_emitter_set_pose(spare, spare_emitter, zero, rotation);
}

static const Def defs[] = {
    {"VortonWorldDef", sizeof(VortonWorldDef), world_init, world_use},
    {"VortonBudget", sizeof(VortonBudget), budget_init, budget_use},
    {"VortonVolumeDef", sizeof(VortonVolumeDef), volume_init, volume_use},
    {"VortonDrawDef", sizeof(VortonDrawDef), draw_init, draw_use},
    {"VortonSurroundDef", sizeof(VortonSurroundDef), surround_init, surround_use},
    {"VortonPresetDef", sizeof(VortonPresetDef), preset_init, preset_use},
    {"VortonPresetDef", sizeof(VortonPresetDef), preset_init, preset_world_use},
    {"VortonInitialDef", sizeof(VortonInitialDef), initial_init, initial_use},
    {"VortonEmitterDef", sizeof(VortonEmitterDef), emitter_init, emitter_use},
    {"VortonEmitterDef", sizeof(VortonEmitterDef), emitter_init, emitter_update_use},
    {"VortonTracersDef", sizeof(VortonTracersDef), tracers_init, tracers_use},
    {"VortonImpliedDef", sizeof(VortonImpliedDef), implied_init, implied_use},
    {"VortonOpDef", sizeof(VortonOpDef), op_init, op_use},
    {"VortonOpDef", sizeof(VortonOpDef), op_init, op_update_use},
    {"VortonBodyDef", sizeof(VortonBodyDef), body_init, body_use},
    {"VortonShapeDef", sizeof(VortonShapeDef), shape_init, shape_use},
    {"VortonShapeDef", sizeof(VortonShapeDef), shape_init, mass_use},
    {"VortonShapeDef", sizeof(VortonShapeDef), shape_init, added_use},
    {"VortonBodyState", sizeof(VortonBodyState), NULL, state_use},
    {"VortonBodyState", sizeof(VortonBodyState), NULL, place_use},
    {"VortonBodyState", sizeof(VortonBodyState), NULL, states_use},
    {"VortonEmitValue", sizeof(VortonEmitValue), NULL, emit_value_use},
    {"VortonVorton", sizeof(VortonVorton), NULL, vorton_use},
    {"VortonVec3", sizeof(VortonVec3), NULL, wind_use},
    {"VortonVec3", sizeof(VortonVec3), NULL, gravity_use},
    {"VortonVec3", sizeof(VortonVec3), NULL, position_use},
    {"VortonVec3", sizeof(VortonVec3), NULL, tracer_use},
    {"VortonQuat", sizeof(VortonQuat), NULL, rotation_use},
    {"VortonKillVolume", sizeof(VortonKillVolume), NULL, kill_use},
};
enum { DEFS = sizeof defs / sizeof defs[0], ROOM = 512 };

enum { OTHER, FLOATS, DOUBLES };
typedef struct Field {
    const char *name;
    size_t offset, size;
    int numbers;
} Field;
static const Field fields[] = {
#define STRUCT(name, size, alignment)
#define FIELD(name, field, offset, size, numbers) {#name, offset, size, numbers},
#include "layout.inc"
};

/* Memory for any definition, aligned for all of them. */
typedef union Memory {
    unsigned char bytes[ROOM];
    uint64_t alignment[ROOM / 8];
} Memory;

static void start(const Def *def, Memory *memory) {
    memset(memory, 0, sizeof *memory);
    if (def->init) OK(def->init(memory->bytes, (uint32_t)def->size));
}

static void not_finite(const Def *def) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    Memory memory;
    size_t f, n, k;
    unsigned found = 0;
    for (f = 0; f < sizeof fields / sizeof fields[0]; ++f) {
        const size_t width = fields[f].numbers == FLOATS ? sizeof(float) : sizeof(double);
        if (fields[f].numbers == OTHER || strcmp(fields[f].name, def->name) != 0) continue;
        for (n = 0; n < fields[f].size / width; ++n) {
            for (k = 0; k < 3; ++k) {
                const float narrow = (float)bad[k];
                const void *number = width == sizeof(float) ? (const void *)&narrow : (const void *)&bad[k];
                start(def, &memory);
                memcpy(memory.bytes + fields[f].offset + n * width, number, width);
                REFUSED(VORTON_ERR_NOT_FINITE, def->use(memory.bytes));
                found += 1;
            }
        }
    }
    CHECK(found > 0);
}

static void struct_sizes(const Def *def) {
    Memory memory;
    uint32_t size;
    size_t i;
    start(def, &memory);
    OK(def->use(memory.bytes));
    NULL_REFUSED(def->use(NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, def->use(memory.bytes + 1));
    NULL_REFUSED(def->init(NULL, (uint32_t)def->size));
    REFUSED(VORTON_ERR_BAD_VALUE, def->init(memory.bytes + 1, (uint32_t)def->size));
    for (i = 0; i < 4; ++i) {
        static const uint32_t wrong[] = {0, 4, 0xffffffffu, 0};
        size = i < 3 ? wrong[i] : (uint32_t)def->size - 1;
        start(def, &memory);
        memcpy(memory.bytes, &size, sizeof size);
        REFUSED(VORTON_ERR_STRUCT_SIZE, def->use(memory.bytes));
        memset(&memory, 0x55, sizeof memory);
        REFUSED(VORTON_ERR_STRUCT_SIZE, def->init(memory.bytes, size));
        CHECK(memory.bytes[0] == 0x55 && memory.bytes[ROOM - 1] == 0x55);
    }
    /* A later version of the struct, filled by its own init: accepted as long as the new fields are 0. */
    memset(&memory, 0x55, sizeof memory);
    size = (uint32_t)def->size + 16;
    OK(def->init(memory.bytes, size));
    for (i = def->size; i < size; ++i) CHECK(memory.bytes[i] == 0);
    CHECK(memory.bytes[size] == 0x55);
    OK(def->use(memory.bytes));
    memory.bytes[size - 1] = 1;
    REFUSED(VORTON_ERR_STRUCT_SIZE, def->use(memory.bytes));
}

static void definitions(void) {
    size_t d;
    for (d = 0; d < DEFS; ++d) {
        for (initial_type = VORTON_INITIAL_RING; initial_type <= VORTON_INITIAL_DENSITY_BOX; ++initial_type) {
            for (op_type = VORTON_OP_VELOCITY; op_type <= VORTON_OP_TURBULENCE; ++op_type) {
                const int is_initial = defs[d].init == initial_init, is_op = defs[d].init == op_init;
                const int is_shape = defs[d].init == shape_init;
                const uint32_t last = defs[d].use == shape_use ? VORTON_SHAPE_CYLINDER : is_shape ? VORTON_SHAPE_PLANES : 1;
                if ((initial_type > 1 && !is_initial) || (op_type > 1 && !is_op)) continue;
                for (shape_type = VORTON_SHAPE_SPHERE; shape_type <= last; ++shape_type) {
                    if (shape_type == VORTON_SHAPE_HALF_SPACE) continue;
                    if (defs[d].init) struct_sizes(&defs[d]);
                    not_finite(&defs[d]);
                }
            }
        }
    }
}

/* Output structs, and the view. */
#define REFUSED_INIT(Type, init, filled) \
    do { \
        Memory memory_; \
        Type zero_; \
        const Type filled_ = filled; \
        uint32_t size_ = (uint32_t)sizeof(Type); \
        size_t n_; \
        memset(&zero_, 0, sizeof zero_); \
        zero_.struct_size = size_; \
        CHECK(memcmp(&zero_, &filled_, sizeof zero_) == 0); \
        NULL_REFUSED(init(NULL, size_)); \
        memset(&memory_, 0x55, sizeof memory_); \
        REFUSED(VORTON_ERR_BAD_VALUE, init((Type *)(void *)(memory_.bytes + 1), size_)); \
        REFUSED(VORTON_ERR_STRUCT_SIZE, init((Type *)(void *)memory_.bytes, 0)); \
        REFUSED(VORTON_ERR_STRUCT_SIZE, init((Type *)(void *)memory_.bytes, size_ - 1)); \
        REFUSED(VORTON_ERR_STRUCT_SIZE, init((Type *)(void *)memory_.bytes, 0xffffffffu)); \
        for (n_ = 0; n_ < ROOM; ++n_) CHECK(memory_.bytes[n_] == 0x55); \
        OK(init((Type *)(void *)memory_.bytes, size_ + 16)); \
        for (n_ = sizeof size_; n_ < size_ + 16; ++n_) CHECK(memory_.bytes[n_] == 0); \
        CHECK(memory_.bytes[n_] == 0x55); \
    } while (0)

static void results(void) {
    REFUSED_INIT(VortonMemory, vorton_memory_init, vorton_default_memory());
    REFUSED_INIT(VortonParticleView, vorton_particle_view_init, vorton_default_particle_view());
    REFUSED_INIT(VortonOpResult, vorton_op_result_init, vorton_default_op_result());
    REFUSED_INIT(VortonStats, vorton_stats_init, vorton_default_stats());
    REFUSED_INIT(VortonInvariants, vorton_invariants_init, vorton_default_invariants());
}

/* Values out of range. `change` is a list of statements on `def`. */
#define BAD_DEF(type, value, change, use) \
    do { \
        type def = value; \
        change; \
        REFUSED(VORTON_ERR_BAD_VALUE, use(&def)); \
    } while (0)
#define BAD_WORLD(change) BAD_DEF(VortonWorldDef, vorton_default_world_def(), change, world_use)
#define BAD_BUDGET(change) BAD_DEF(VortonBudget, vorton_default_budget(), change, budget_use)
#define BAD_VOLUME(change) BAD_DEF(VortonVolumeDef, vorton_default_volume_def(), change, volume_use)
#define BAD_DRAW(change) BAD_DEF(VortonDrawDef, vorton_default_draw_def(), change, draw_use)
#define BAD_SURROUND(change) BAD_DEF(VortonSurroundDef, vorton_default_surround_def(), change, surround_use)
#define BAD_PRESET(change) \
    do { \
        BAD_DEF(VortonPresetDef, vorton_default_preset_def(VORTON_PRESET_CAMPFIRE), change, preset_use); \
        BAD_DEF(VortonPresetDef, vorton_default_preset_def(VORTON_PRESET_CAMPFIRE), change, preset_world_use); \
    } while (0)
#define BAD_INITIAL(kind, change) BAD_DEF(VortonInitialDef, vorton_default_initial_def(kind), change, initial_use)
#define BAD_EMITTER(change) \
    do { \
        BAD_DEF(VortonEmitterDef, vorton_default_emitter_def(), change, emitter_use); \
        BAD_DEF(VortonEmitterDef, vorton_default_emitter_def(), change, emitter_update_use); \
    } while (0)
#define BAD_TRACERS(change) BAD_DEF(VortonTracersDef, vorton_default_tracers_def(), change, tracers_use)
#define BAD_IMPLIED(change) BAD_DEF(VortonImpliedDef, vorton_default_implied_def(), change, implied_use)
#define BAD_OP(kind, change) \
    do { \
        BAD_DEF(VortonOpDef, vorton_default_op_def(kind), change, op_use); \
        BAD_DEF(VortonOpDef, vorton_default_op_def(kind), change, op_update_use); \
    } while (0)
#define BAD_BODY(change) BAD_DEF(VortonBodyDef, vorton_default_body_def(), change, body_use)
#define BAD_SHAPE(kind, change) \
    do { \
        BAD_DEF(VortonShapeDef, shape_of(kind), change, shape_use); \
        BAD_DEF(VortonShapeDef, shape_of(kind), change, mass_use); \
    } while (0)
#define BAD_KILL(change) BAD_DEF(VortonKillVolume, vorton_default_kill_volume(), change, kill_as_it_is)
#define BAD_EMIT_VALUE(change) BAD_DEF(VortonEmitValue, emit_position(), change, emit_value_as_it_is)

static VortonResult emit_value_as_it_is(const VortonEmitValue *value) {
    VortonOpDef op = vorton_default_op_def(VORTON_OP_EMIT);
    op.values = value;
    op.value_count = 1;
    return op_use(&op);
}

/* The init of an unknown type writes nothing. */
#define UNKNOWN_TYPE(Def, init, type) \
    do { \
        Def def_; \
        memset(&def_, 0x5a, sizeof def_); \
        REFUSED(VORTON_ERR_BAD_VALUE, init(&def_, (uint32_t)sizeof def_, type)); \
        CHECK(def_.struct_size == 0x5a5a5a5au); \
    } while (0)

static void ranges(void) {
    static const float flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    /* Two planes facing away from each other. */
    static const float empty[] = {1, 0, 0, -1, -1, 0, 0, -1, 0, 1, 0, 1, 0, -1, 0, 1, 0, 0, 1, 1, 0, 0, -1, 1};
    const float negative = -1.0f;
    float untouched = 77.0f;
    BAD_KILL(def.type = 2);
    BAD_KILL(def.flags = 2);
    BAD_KILL(def.half_extents.y = 0);
    BAD_KILL(def.half_extents.z = negative);
    BAD_KILL(def.type = VORTON_KILL_VOLUME_SPHERE; def.radius = 0);
    BAD_KILL(def.type = VORTON_KILL_VOLUME_SPHERE; def.radius = negative);
    BAD_KILL(def.rotation.w = 0);
    BAD_KILL(def.rotation.x = 1);
    BAD_WORLD(def.threads = 4);
    BAD_WORLD(def.ignition_temperature = negative);
    BAD_WORLD(def.burn_time = 0);
    BAD_WORLD(def.burn_expansion = negative);
    BAD_WORLD(def.burn_expansion = 1.1f);
    BAD_WORLD(def.threads = VORTON_THREADS_POOL; def.worker_count = 257);
    BAD_WORLD(def.kernel = 3);
    BAD_WORLD(def.precision = 2);
    BAD_WORLD(def.instructions = 4);
    BAD_WORLD(def.solver = 3);
    BAD_WORLD(def.field_sampling = 2);
    BAD_WORLD(def.nodes_per_core = 0.9f);
    BAD_WORLD(def.nodes_per_core = 8.1f);
    BAD_WORLD(def.max_grid_nodes = 4095);
    BAD_WORLD(def.max_grid_nodes = 16777217);
    BAD_WORLD(def.viscosity = negative);
    BAD_WORLD(def.smagorinsky = negative);
    BAD_WORLD(def.no_slip_rate = negative);
    BAD_WORLD(def.shedding_depth = negative);
    BAD_WORLD(def.specific_heat = negative);
    BAD_WORLD(def.specific_heat = 0);
    BAD_WORLD(def.diffusivity = negative);
    BAD_WORLD(def.ambient_density = 0);
    BAD_WORLD(def.ambient_density = negative);
    BAD_WORLD(def.ambient_temperature = 0);
    BAD_WORLD(def.ambient_temperature = negative);
    BAD_WORLD(def.ambient_density = 1e-10f);
    BAD_WORLD(def.ambient_temperature = 2e9f);
    BAD_WORLD(def.equation_of_state = 2);
    BAD_WORLD(def.equation_of_state = VORTON_LINEAR_EXPANSION; def.expansion = 0);
    BAD_WORLD(def.stratification = 3);
    BAD_WORLD(def.stratification = VORTON_STRATIFICATION_LAYERS; def.layer_normal = vec3(0, 0, 0));
    BAD_WORLD(def.stratification = VORTON_STRATIFICATION_LAYERS; def.layer_thickness = 0);
    BAD_WORLD(def.core_radius = 0);
    BAD_WORLD(def.core_radius = negative);
    BAD_WORLD(def.core_radius = FLT_MAX);
    BAD_WORLD(def.relaxation_rate = negative);
    BAD_WORLD(def.max_age = negative);
    BAD_WORLD(def.max_vortons = 0);
    BAD_WORLD(def.max_vortons = 16777217);

    BAD_INITIAL(VORTON_INITIAL_RING, def.position_disturbance = -0.1f);
    BAD_INITIAL(VORTON_INITIAL_RING, def.position_disturbance = 1.5f);
    BAD_INITIAL(VORTON_INITIAL_RING, def.strength_disturbance = -1);
    BAD_INITIAL(VORTON_INITIAL_RING, def.strength_disturbance = 2);
    BAD_INITIAL(VORTON_INITIAL_RING, def.type = 0);
    BAD_INITIAL(VORTON_INITIAL_RING, def.type = 10);
    UNKNOWN_TYPE(VortonInitialDef, vorton_initial_def_init, 0);
    UNKNOWN_TYPE(VortonInitialDef, vorton_initial_def_init, 10);
    BAD_INITIAL(VORTON_INITIAL_RING, def.axis = vec3(0, 0, 0));
    BAD_INITIAL(VORTON_INITIAL_RING, def.thickness = 1.5f);
    BAD_INITIAL(VORTON_INITIAL_RING, def.radius = 0);
    BAD_INITIAL(VORTON_INITIAL_RING, def.spacing = 0);
    BAD_INITIAL(VORTON_INITIAL_RING, def.spacing = 1e-6f);
    BAD_INITIAL(VORTON_INITIAL_RING, def.circulation = FLT_MAX);
    BAD_INITIAL(VORTON_INITIAL_FILAMENT_RING, def.count = 2);
    BAD_INITIAL(VORTON_INITIAL_FILAMENT_RING, def.count = 0xffffffffu);
    BAD_INITIAL(VORTON_INITIAL_JET, def.thickness = negative);
    BAD_INITIAL(VORTON_INITIAL_TUBE, def.radius = 1e7f);
    BAD_INITIAL(VORTON_INITIAL_TUBE, def.variation = negative);
    BAD_INITIAL(VORTON_INITIAL_TUBE, def.wave_number = negative);
    BAD_INITIAL(VORTON_INITIAL_SHEET, def.direction = def.axis);
    BAD_INITIAL(VORTON_INITIAL_SHEET, def.length = 0);
    BAD_INITIAL(VORTON_INITIAL_SHEET, def.width = 0);
    BAD_INITIAL(VORTON_INITIAL_NOISE, def.extent = vec3(1, 0, 1));
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BALL, def.radius = negative);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BALL, def.density_deviation = FLT_MAX);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BALL, def.dye = 1.1f);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BALL, def.fuel = negative);
    BAD_INITIAL(VORTON_INITIAL_RING, def.fuel = negative);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BOX, def.dye = negative);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_DROP, def.radius = 0.09f);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_DROP, def.spacing = 1e-6f);
    BAD_INITIAL(VORTON_INITIAL_DENSITY_BOX, def.extent = vec3(1, 0, 1));

    BAD_EMITTER(def.rate = negative);
    BAD_EMITTER(def.fuel = negative);
    BAD_EMITTER(def.volume = negative);
    BAD_EMITTER(def.rotation.w = 0);
    BAD_EMITTER(def.rotation.w = 1.2f);
    BAD_TRACERS(def.capacity = 0);
    BAD_TRACERS(def.capacity = 67108865);
    BAD_TRACERS(def.max_age = negative);
    BAD_TRACERS(def.readable_during_steps = 2);
    BAD_TRACERS(def.turbulence = negative);
    BAD_TRACERS(def.show = VORTON_SAMPLE_VELOCITY);
    BAD_TRACERS(def.show = VORTON_SAMPLE_DYE + 1);
    BAD_IMPLIED(def.per_cell = 0);
    BAD_IMPLIED(def.per_cell = 65);
    BAD_IMPLIED(def.threshold = 0);
    BAD_IMPLIED(def.threshold = 1.1f);
    BAD_IMPLIED(def.jitter = negative);
    BAD_IMPLIED(def.jitter = 1.1f);
    BAD_IMPLIED(def.reserved = 1);

    BAD_OP(VORTON_OP_AGE, def.type = 0);
    BAD_OP(VORTON_OP_AGE, def.type = VORTON_OP_TURBULENCE + 1);
    UNKNOWN_TYPE(VortonOpDef, vorton_op_def_init, 0);
    UNKNOWN_TYPE(VortonOpDef, vorton_op_def_init, VORTON_OP_TURBULENCE + 1);
    BAD_OP(VORTON_OP_VELOCITY, def.rate = negative);
    BAD_OP(VORTON_OP_VELOCITY, def.sample = 2);
    BAD_OP(VORTON_OP_WIND, def.rate = negative);
    BAD_OP(VORTON_OP_DRAG, def.rate = negative);
    BAD_OP(VORTON_OP_DRAG, def.quadratic = negative);
    BAD_OP(VORTON_OP_KILL, def.kill_mode = 3);
    BAD_OP(VORTON_OP_KILL, def.max_age = negative);
    BAD_OP(VORTON_OP_EMIT, def.rate = negative);
    BAD_OP(VORTON_OP_EMIT, def.timing = 2);
    BAD_OP(VORTON_OP_SAMPLE_SCALAR, def.quantity = 0);
    BAD_OP(VORTON_OP_SAMPLE_SCALAR, def.quantity = VORTON_SAMPLE_VELOCITY);
    BAD_OP(VORTON_OP_SAMPLE_SCALAR, def.into = VORTON_AGE);
    BAD_OP(VORTON_OP_SAMPLE_SCALAR, def.into = VORTON_USER0 + 16);
    BAD_OP(VORTON_OP_SPIN, def.rate = negative);
    BAD_OP(VORTON_OP_SPIN, def.sample = 2);
    BAD_OP(VORTON_OP_COLLIDE, def.restitution = negative);
    BAD_OP(VORTON_OP_COLLIDE, def.restitution = 1.1f);
    BAD_OP(VORTON_OP_COLLIDE, def.friction = negative);
    BAD_OP(VORTON_OP_COLLIDE, def.friction = 1.1f);
    BAD_OP(VORTON_OP_COLLIDE, def.mass = negative);
    BAD_OP(VORTON_OP_TURBULENCE, def.rate = negative);
    BAD_OP(VORTON_OP_TURBULENCE, def.sample = 2);
    BAD_OP(VORTON_OP_TURBULENCE, def.intensity = negative);
    BAD_EMIT_VALUE(def.semantic = 0);
    BAD_EMIT_VALUE(def.semantic = VORTON_USER0 + 16);
    BAD_EMIT_VALUE(def.reserved = 1);
    BAD_EMIT_VALUE(def.reserved2 = 1);

    BAD_BODY(def.flags = 16);
    BAD_BODY(def.flags = VORTON_BODY_WEIGHT | VORTON_BODY_NO_BUOYANT_FORCE);
    BAD_BODY(def.rotation.w = 0);
    BAD_BODY(def.rotation.w = 1.1f);
    BAD_BODY(def.mass = negative);
    BAD_BODY(def.temperature = 0);
    BAD_BODY(def.heat_capacity = negative);
    BAD_BODY(def.heat_transfer = negative);
    BAD_BODY(def.drag_coefficient = negative);
    BAD_BODY(def.drag_coefficient = 1001);
    BAD_BODY(def.magnus_coefficient = negative);
    BAD_BODY(def.magnus_coefficient = 1001);
    BAD_BODY(def.fluid_mass = negative);
    BAD_BODY(def.fluid_mass = 1);
    BAD_BODY((def.mass = 0, def.fluid_mass = 0.1f));
    BAD_BODY(def.fluid_inertia[1] = 1);
    BAD_BODY(def.fluid_inertia[4] = negative);
    BAD_BODY(def.velocity.y = 1.1e6f);
    BAD_BODY(def.angular_velocity.z = -1e19f);
    BAD_BODY(def.position.x = 2e9f);
    BAD_BODY(def.inertia[0] = 1);
    BAD_BODY(def.inertia[0] = def.inertia[4] = 1; def.inertia[8] = 2.1f);
    BAD_BODY(def.inertia[0] = def.inertia[4] = def.inertia[8] = 1; def.inertia[1] = 0.1f);
    const float thin[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_inertia(a.world, a.body, thin));
    VortonBodyState fast = {{0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0}, {0, 1e19f, 0}};
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_state(a.world, a.body, &fast));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_place(a.world, a.body, &fast));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_temperature(a.world, a.body, 0));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_mass(a.world, a.body, negative));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_heat_transfer(a.world, a.body, negative));
    CHECK(strncmp(log_last, "heat_transfer is -", 18) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_heat_capacity(a.world, a.body, negative));
    CHECK(strncmp(log_last, "heat_capacity is -", 18) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_smagorinsky(a.world, negative));
    CHECK(strncmp(log_last, "smagorinsky is -", 16) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_no_slip_rate(a.world, negative));
    CHECK(strncmp(log_last, "no_slip_rate is -", 17) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_specific_heat(a.world, 0));
    CHECK(strncmp(log_last, "specific_heat is 0", 18) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_combustion(a.world, negative, 0.1f, 1));
    CHECK(strncmp(log_last, "ignition_temperature is -", 25) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_combustion(a.world, 500, 0, 1));
    CHECK(strncmp(log_last, "burn_time is 0", 14) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_combustion(a.world, 500, 0.1f, 2));
    CHECK(strncmp(log_last, "burn_expansion is 2", 19) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_max_age(a.world, negative));
    CHECK(strncmp(log_last, "max_age is -", 12) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_tracers_set_max_age(a.world, a.tracers, negative));
    CHECK(strncmp(log_last, "max_age is -", 12) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_tracers_set_turbulence(a.world, a.tracers, negative));
    CHECK(strncmp(log_last, "turbulence is -", 15) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_remove_embedded(a.world, negative, NULL, NULL));
    UNKNOWN_TYPE(VortonShapeDef, vorton_shape_def_init, 0);
    UNKNOWN_TYPE(VortonShapeDef, vorton_shape_def_init, VORTON_SHAPE_CYLINDER + 1);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.type = 0);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.type = VORTON_SHAPE_CYLINDER + 1);
    BAD_SHAPE(VORTON_SHAPE_HALF_SPACE, def.flags = VORTON_SHAPE_HOLE);
    BAD_SHAPE(VORTON_SHAPE_HALF_SPACE, def.rotation.w = 0);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.flags = VORTON_SHAPE_HOLE);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.point_count = 2);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.point_count = VORTON_MAX_MESH_VERTICES + 1);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.point_count = 3); /* A triangle refers to the fourth. */
    BAD_SHAPE(VORTON_SHAPE_MESH, def.triangle_count = 0);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.triangle_count = VORTON_MAX_MESH_TRIANGLES + 1);
    BAD_SHAPE(VORTON_SHAPE_MESH, def.points = MISALIGNED(const float, tetrahedron));
    BAD_SHAPE(VORTON_SHAPE_MESH, def.triangles = MISALIGNED(const uint32_t, faces));
    BAD_SHAPE(VORTON_SHAPE_MESH, def.reserved2 = 1);
    {
        VortonShapeDef def = shape_of(VORTON_SHAPE_MESH);
        def.points = NULL;
        NULL_REFUSED(shape_use(&def));
        def = shape_of(VORTON_SHAPE_MESH);
        def.triangles = NULL;
        NULL_REFUSED(shape_use(&def));
        def = shape_of(VORTON_SHAPE_HEIGHT_FIELD);
        def.heights = NULL;
        NULL_REFUSED(shape_use(&def));
    }
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.flags = VORTON_SHAPE_HOLE);
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.columns = 1);
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.rows = VORTON_MAX_HEIGHT_FIELD_SAMPLES + 1);
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.spacing[0] = 0);
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.spacing[1] = negative);
    BAD_SHAPE(VORTON_SHAPE_HEIGHT_FIELD, def.heights = MISALIGNED(const float, cube));
    BAD_SHAPE(VORTON_SHAPE_BOX, def.rotation.w = 0);
    BAD_SHAPE(VORTON_SHAPE_SPHERE, def.radius = 0);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.half_extents.x = 0);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.half_extents.y = negative);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.half_extents.z = 0);
    BAD_SHAPE(VORTON_SHAPE_CAPSULE, def.radius = negative);
    BAD_SHAPE(VORTON_SHAPE_CAPSULE, def.half_height = negative);
    BAD_SHAPE(VORTON_SHAPE_CYLINDER, def.radius = 0);
    BAD_SHAPE(VORTON_SHAPE_CYLINDER, def.half_height = 0);
    BAD_SHAPE(VORTON_SHAPE_HULL, def.point_count = 3);
    BAD_SHAPE(VORTON_SHAPE_HULL, def.point_count = VORTON_MAX_HULL_POINTS + 1);
    BAD_SHAPE(VORTON_SHAPE_PLANES, def.plane_count = VORTON_MAX_HULL_POINTS + 1);
    BAD_SHAPE(VORTON_SHAPE_HULL, def.points = MISALIGNED(const float, tetrahedron));
    BAD_SHAPE(VORTON_SHAPE_HULL, def.points = flat);
    BAD_SHAPE(VORTON_SHAPE_PLANES, def.plane_count = 3);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.flags = VORTON_SHAPE_HOLE << 1);
    BAD_SHAPE(VORTON_SHAPE_BOX, def.reserved = 1);
    BAD_SHAPE(VORTON_SHAPE_PLANES, def.plane_count = 5); /* Open on one side. */
    BAD_SHAPE(VORTON_SHAPE_PLANES, def.planes = empty);
    BAD_SHAPE(VORTON_SHAPE_PLANES, def.planes = MISALIGNED(const float, cube));
    {
        VortonBodyId ids[2];
        VortonBodyState states[2];
        VortonBodyImpulse impulses[2];
        ids[0] = ids[1] = a.body;
        states[0] = states[1] = body_state();
        states[0].velocity.x = 9.0f;
        states[1].rotation.w = 2.0f;
        memset(impulses, 0, sizeof impulses);
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_state(a.world, a.body, &states[1]));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_place(a.world, a.body, &states[1]));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_set_states(a.world, ids, states, 0, 2));
        CHECK(strncmp(log_last, "states[1]: rotation", 19) == 0);
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_bodies_set_states(a.world, ids, states, sizeof states[0] - 4, 1));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_bodies_set_states(a.world, ids, states, sizeof states[0] + 2, 1));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_bodies_take_impulses(a.world, ids, impulses, sizeof impulses[0] - 4, 1));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_bodies_take_impulses(a.world, ids, impulses, sizeof impulses[0] + 2, 1));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_set_states(a.world, ids, states, 0, SIZE_MAX / 8));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_take_impulses(a.world, ids, impulses, SIZE_MAX / 4 * 4, 2));
        CHECK(impulses[0].temperature <= 0 && impulses[1].temperature <= 0);
    }

    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_relaxation_rate(a.world, negative));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_diffusion(a.world, negative, 0));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_diffusion(a.world, 0, negative));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_density_from_temperature(a.world, 0, &untouched));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_temperature_from_density(a.world, negative, &untouched));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_mass_deviation(a.world, negative, 300, &untouched));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_mass_deviation(a.world, 1, 0, &untouched));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_mass_deviation(a.world, FLT_MAX, 0.001f, &untouched));
    CHECK(untouched > 76);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_emitter_set_rate(a.world, a.emitter, negative));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, negative, 1, NULL));
    {
        const VortonQuat none = {0, 0, 0, 0};
        VortonVorton vortons[2] = {{{0, 0, 0}, {0, 0, 1}, 0, 0, 0, 0, 0, 0, 0}, {{0, 0, 0}, {0, 0, 1}, -1.0f, 0, 0, 0, 0, 0, 0}};
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_emitter_set_pose(a.world, a.emitter, vec3(0, 0, 0), none));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_add(a.world, vortons, 2, NULL));
        vortons[1].volume = 0;
        vortons[1].flags = VORTON_VORTON_HALO << 1;
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_add(a.world, vortons, 2, NULL));
        vortons[1].flags = 0;
        vortons[1].fuel = -1;
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_add(a.world, vortons, 2, NULL));
        vortons[1].fuel = 0;
        vortons[1].age = -1e-3f;
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_add(a.world, vortons, 2, NULL));
    }
}

/* The largest value that the header allows is accepted, the next float beyond is not. */
static void bounds(void) {
    static const float limits[] = {VORTON_MAX_STEP, VORTON_MAX_SPEED, VORTON_MAX_GRAVITY, VORTON_MAX_SPIN,
                                   VORTON_MAX_BODY_SPEED};
    float most[5], beyond[5];
    const VortonWorldId empty = make_world(VORTON_THREADS_SERIAL, 0, 10);
    const VortonBudget budget = vorton_default_budget();
    VortonParticleView view = a.view;
    int sign, i;
    view.count = 0;
    for (sign = -1; sign <= 1; sign += 2) {
        VortonBodyState state = body_state();
        for (i = 0; i < 5; ++i) {
            most[i] = (float)sign * limits[i];
            beyond[i] = nextafterf(most[i], (float)sign * INFINITY);
        }
        OK(vorton_world_step(empty, most[0]));
        OK(vorton_world_advance(empty, most[0], 0.3f, 1, NULL));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_step(a.world, beyond[0]));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_advance(a.world, beyond[0], 0.3f, 4, NULL));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_step_within(a.world, beyond[0], &budget));
        OK(vorton_world_set_wind(spare, vec3(0, most[1], 0)));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_wind(a.world, vec3(0, beyond[1], 0)));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_shift_origin(a.world, vec3(0, (float)sign * 1.001e9f, 0)));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_shift_origin(a.world, vec3((float)sign * INFINITY, 0, 0)));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_shift_origin(a.world, vec3(0, 0, NAN)));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_wind(a.world, vec3(most[1], most[1], 0)));
        OK(vorton_world_set_gravity(spare, vec3(0, 0, most[2])));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_gravity(a.world, vec3(0, 0, beyond[2])));
        BAD_WORLD(def.wind.x = beyond[1]);
        BAD_WORLD(def.gravity.x = beyond[2]);
        BAD_BODY(def.velocity.y = beyond[4]);
        BAD_BODY(def.angular_velocity.z = beyond[3]);
        state.velocity = vec3(most[4], 0, 0);
        state.angular_velocity.x = most[3];
        OK(vorton_body_set_state(spare, spare_body, &state));
        state.velocity.x = beyond[4];
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_set_state(a.world, a.body, &state));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_body_place(a.world, a.body, &state));
        state.velocity.x = 0;
        state.angular_velocity.x = beyond[3];
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_set_states(a.world, &a.body, &state, 0, 1));
    }
    OK(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &view, VORTON_MAX_STEP, 0, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &view, beyond[0], 0, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_advance(a.world, 0.1f, 0, 4, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_advance(a.world, 0.1f, -0.3f, 4, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_advance(a.world, 0.1f, 0.3f, 0, NULL));
    BAD_VOLUME(def.format = 0);
    BAD_VOLUME(def.format = 3);
    BAD_VOLUME(def.components = 2);
    BAD_VOLUME(def.components = 5);
    BAD_VOLUME((def.components = 3, def.scalar = VORTON_SAMPLE_DYE));
    BAD_VOLUME((def.vector = 0, def.scalar = 0));
    BAD_VOLUME(def.vector = VORTON_SAMPLE_DYE);
    BAD_VOLUME(def.scalar = VORTON_SAMPLE_VELOCITY);
    BAD_VOLUME(def.scalar = 99);
    BAD_VOLUME(def.width = 0);
    BAD_VOLUME(def.depth = 0);
    BAD_VOLUME((def.width = 65536, def.height = 65536));
    BAD_VOLUME(def.width = UINT32_MAX);
    BAD_VOLUME(def.high.y = def.low.y);
    BAD_VOLUME((def.low.x = -FLT_MAX, def.high.x = FLT_MAX));
    BAD_VOLUME(def.row_pitch = 32 * 8 - 2);
    BAD_VOLUME(def.row_pitch = 32 * 8 + 1);
    BAD_VOLUME(def.slice_pitch = 32 * 32 * 8 - 2);
    BAD_VOLUME(def.slice_pitch = SIZE_MAX);
    {
        VortonVolumeDef def = vorton_default_volume_def();
        def.row_pitch = SIZE_MAX - 1;
        REFUSED(VORTON_ERR_BUFFER_SMALL, volume_use(&def));
        def.row_pitch = 0;
        def.slice_pitch = (SIZE_MAX / 8) & ~(size_t)1;
        REFUSED(VORTON_ERR_BUFFER_SMALL, volume_use(&def));
    }
    BAD_PRESET(def.type = 0);
    BAD_PRESET(def.type = VORTON_PRESET_BONFIRE + 1);
    BAD_PRESET(def.scale = 0);
    BAD_PRESET(def.scale = 2e5f);
    BAD_PRESET(def.strength = 0);
    BAD_PRESET(def.strength = 4.1f);
    BAD_PRESET(def.vortons = 99);
    BAD_PRESET(def.vortons = 300000);
    BAD_PRESET(def.tracers = 5000000);
    BAD_PRESET(def.rotation.w = 2);
    BAD_SURROUND(def.reserved = 1);
    BAD_SURROUND(def.spacing = -FLT_MIN);
    BAD_SURROUND(def.thickness = -1);
    BAD_SURROUND((def.low.y = 1, def.high.y = 0.5f));
    BAD_SURROUND((def.low.x = 1, def.high.z = 1));
    BAD_DRAW(def.flags = 256);
    BAD_DRAW(def.flags |= 0x80000000u);
    BAD_DRAW((def.low.x = 1, def.high.x = 0.5f));
    BAD_DRAW((def.low.z = 1, def.high.z = 0.5f));
    BAD_DRAW(def.vorton_length = 0);
    BAD_DRAW(def.vorton_length = -1);
    BAD_DRAW(def.contact_length = 0);
    BAD_DRAW(def.contact_length = -1);
    BAD_DRAW(def.arrow_length = 0);
    BAD_DRAW(def.arrow_length = -1);
    BAD_DRAW(def.max_strength = -1);
    BAD_DRAW(def.max_speed = -1);
    BAD_DRAW(def.arrows_x = 0);
    BAD_DRAW(def.arrows_y = 0);
    BAD_DRAW(def.arrows_z = 0);
    BAD_DRAW((def.arrows_x = 1024, def.arrows_y = 1024, def.arrows_z = 2));
    BAD_DRAW(def.arrows_y = UINT32_MAX);
    BAD_DRAW(def.arrows_high.y = def.arrows_low.y - 1);
    BAD_DRAW((def.arrows_low.x = -FLT_MAX, def.arrows_high.x = FLT_MAX));
    BAD_DRAW(def.reserved = 1);
    BAD_BUDGET(def.measure = 2);
    BAD_BUDGET(def.fluid_ms = -1);
    BAD_BUDGET(def.tracers_ms = -FLT_MIN);
    OK(vorton_world_destroy(empty));
    OK(vorton_world_set_wind(spare, vec3(0, 0, 0)));
    OK(vorton_world_set_gravity(spare, vec3(0, 0, 0)));
    {
        const VortonBodyState state = body_state();
        OK(vorton_body_place(spare, spare_body, &state));
    }
}

static void lone_floats(void) {
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    int k;
    for (k = 0; k < 3; ++k) {
        const VortonVec3 points[2] = {{0, 0, 0}, {0, bad[k], 0}}, fine[2] = {{0, 0, 0}, {0, 0, 0}};
        const float values[2] = {0, bad[k]};
        const VortonBudget budget = vorton_default_budget();
        float out;
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_step(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_advance(a.world, bad[k], 0.3f, 4, NULL));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_step_within(a.world, bad[k], &budget));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_advance(a.world, 0.1f, bad[k], 4, NULL));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_relaxation_rate(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_diffusion(a.world, bad[k], 0));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_diffusion(a.world, 0, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_density_from_temperature(a.world, bad[k], &out));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_temperature_from_density(a.world, bad[k], &out));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_mass_deviation(a.world, bad[k], 300, &out));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_mass_deviation(a.world, 1, bad[k], &out));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_emitter_set_rate(a.world, a.emitter, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_body_set_temperature(a.world, a.body, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_body_set_mass(a.world, a.body, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_body_set_heat_transfer(a.world, a.body, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_body_set_heat_capacity(a.world, a.body, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_smagorinsky(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_no_slip_rate(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_specific_heat(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_combustion(a.world, bad[k], 0.1f, 1));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_combustion(a.world, 500, bad[k], 1));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_combustion(a.world, 500, 0.1f, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_set_max_age(a.world, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_tracers_set_max_age(a.world, a.tracers, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_tracers_set_turbulence(a.world, a.tracers, bad[k]));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_remove_embedded(a.world, bad[k], NULL, NULL));
        {
            float numbers[24];
            VortonShapeDef hull = shape_of(VORTON_SHAPE_HULL), planes = shape_of(VORTON_SHAPE_PLANES);
            memcpy(numbers, tetrahedron, sizeof tetrahedron);
            numbers[7] = bad[k];
            hull.points = numbers;
            REFUSED(VORTON_ERR_NOT_FINITE, shape_use(&hull));
            memcpy(numbers, cube, sizeof cube);
            numbers[23] = bad[k];
            planes.planes = numbers;
            REFUSED(VORTON_ERR_NOT_FINITE, shape_use(&planes));
        }
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, bad[k], 1, NULL));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_tracers_add(a.world, a.tracers, points, NULL, NULL, 2));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_tracers_add(a.world, a.tracers, fine, NULL, values, 2));
    }
}

/* Pointers that are NULL or not aligned, beyond those tested by struct_sizes. */

static void pointers(void) {
    const VortonWorldDef world_def = vorton_default_world_def();
    const VortonEmitterDef emitter_def = vorton_default_emitter_def();
    const VortonTracersDef tracers_def = vorton_default_tracers_def();
    const VortonInitialDef initial = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    const VortonImpliedDef implied = vorton_default_implied_def();
    const VortonOpDef op_def = vorton_default_op_def(VORTON_OP_AGE);
    const VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    const VortonBodyState state = body_state();
    VortonBodyImpulse impulse;
    VortonOpDef emit = vorton_default_op_def(VORTON_OP_EMIT);
    const VortonVolumeDef volume = small_volume();
    const VortonDrawDef drawing = vorton_default_draw_def();
    const VortonSurroundDef surround = vorton_default_surround_def();
    const VortonPresetDef preset = vorton_default_preset_def(VORTON_PRESET_CAMPFIRE);
    VortonReplay replay = vorton_default_replay();
    VortonWorldDef replay_def = vorton_default_world_def();
    VortonVorton vortons[200];
    VortonEmitValue values[2];
    VortonVec3 points[TRACERS + 5];
    VortonOpId list[2];
    VortonOpResult results[2];
    VortonStats stats[2];
    VortonMemory memory = vorton_default_memory();
    VortonInvariants invariants[2];
    uint64_t numbers[4] = {0, 0, 0, 0};
    VortonSurface surface;
    size_t count;
    float *floats = &points[0].x;
    uint32_t type;

    memset(vortons, 0, sizeof vortons);
    memset(points, 0, sizeof points);
    NULL_REFUSED(vorton_set_allocator(NULL, NULL, NULL));
    NULL_REFUSED(vorton_memory(NULL));
    NULL_REFUSED(vorton_world_create(&world_def, NULL));
    NULL_REFUSED(vorton_world_memory(a.world, NULL));
    NULL_REFUSED(vorton_world_hash(a.world, NULL));
    NULL_REFUSED(vorton_world_hash_all(a.world, NULL));
    NULL_REFUSED(vorton_world_save(a.world, NULL, 0, NULL));
    NULL_REFUSED(vorton_world_set_kill_volumes(a.world, NULL, 1));
    NULL_REFUSED(vorton_world_kill_volumes(a.world, NULL, 1, &count));
    NULL_REFUSED(vorton_world_kill_volumes(a.world, NULL, 0, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_set_kill_volumes(a.world, MISALIGNED(VortonKillVolume, vortons), 1));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_kill_volumes(a.world, MISALIGNED(VortonKillVolume, vortons), 1, &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_kill_volumes(a.world, NULL, 0, MISALIGNED(size_t, numbers)));
    NULL_REFUSED(vorton_world_save(a.world, NULL, 100, &count));
    NULL_REFUSED(vorton_world_save(a.world, vortons, 100, NULL));
    NULL_REFUSED(vorton_world_restore(a.world, NULL, 100));
    NULL_REFUSED(vorton_replay_init(NULL, sizeof(VortonReplay)));
    NULL_REFUSED(vorton_replay_world_def(NULL, 100, &replay_def));
    NULL_REFUSED(vorton_replay_world_def(vortons, 100, NULL));
    REFUSED(VORTON_ERR_RECORDING, vorton_replay_world_def(vortons, 40, &replay_def));
    NULL_REFUSED(vorton_world_replay(a.world, NULL, 100, &replay));
    NULL_REFUSED(vorton_world_replay(a.world, vortons, 100, NULL));
    REFUSED(VORTON_ERR_RECORDING, vorton_world_replay(a.world, vortons, 40, &replay));
    replay.offset = 41;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_replay(a.world, vortons, 40, &replay));
    replay.struct_size = 8;
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_replay(a.world, vortons, 40, &replay));
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_replay_init(&replay, 8));
    NULL_REFUSED(vorton_world_def(a.world, NULL, sizeof world_def));
    NULL_REFUSED(vorton_body_def(a.world, a.body, NULL, sizeof body_def));
    NULL_REFUSED(vorton_emitter_def(a.world, a.emitter, NULL, sizeof emitter_def));
    NULL_REFUSED(vorton_tracers_def(a.world, a.tracers, NULL, sizeof tracers_def));
    NULL_REFUSED(vorton_world_bodies(a.world, NULL, 1, &count));
    NULL_REFUSED(vorton_world_bodies(a.world, NULL, 0, NULL));
    NULL_REFUSED(vorton_world_emitters(a.world, NULL, 1, &count));
    NULL_REFUSED(vorton_world_emitters(a.world, NULL, 0, NULL));
    NULL_REFUSED(vorton_world_tracers(a.world, NULL, 1, &count));
    NULL_REFUSED(vorton_world_tracers(a.world, NULL, 0, NULL));
    NULL_REFUSED(vorton_body_shapes(a.world, a.body, NULL, 1, &count));
    NULL_REFUSED(vorton_body_shapes(a.world, a.body, NULL, 0, NULL));
    NULL_REFUSED(vorton_world_user_data(a.world, NULL));
    NULL_REFUSED(vorton_body_user_data(a.world, a.body, NULL));
    NULL_REFUSED(vorton_shape_user_data(a.world, a.shape, NULL));
    NULL_REFUSED(vorton_emitter_user_data(a.world, a.emitter, NULL));
    NULL_REFUSED(vorton_tracers_user_data(a.world, a.tracers, NULL));
    NULL_REFUSED(vorton_world_stats(a.world, NULL));
    NULL_REFUSED(vorton_world_invariants(a.world, NULL));
    NULL_REFUSED(vorton_vortons_add(a.world, NULL, 1, NULL));
    NULL_REFUSED(vorton_vortons_read(a.world, NULL, 1, &count));
    NULL_REFUSED(vorton_vortons_read(a.world, vortons, 200, NULL));
    NULL_REFUSED(vorton_vortons_remove(a.world, NULL, 1, NULL));
    NULL_REFUSED(vorton_world_add_initial(a.world, NULL, NULL, NULL));
    NULL_REFUSED(vorton_emitter_create(a.world, &emitter_def, NULL));
    NULL_REFUSED(vorton_tracers_create(a.world, &tracers_def, NULL));
    NULL_REFUSED(vorton_tracers_add(a.world, a.tracers, NULL, NULL, NULL, 1));
    NULL_REFUSED(vorton_tracers_read(a.world, a.tracers, floats, 12, NULL, NULL, NULL, NULL, TRACERS + 5, NULL));
    NULL_REFUSED(vorton_tracers_add_implied(a.world, a.tracers, NULL, NULL));
    NULL_REFUSED(vorton_world_density_from_temperature(a.world, 300, NULL));
    NULL_REFUSED(vorton_world_temperature_from_density(a.world, 1, NULL));
    NULL_REFUSED(vorton_world_mass_deviation(a.world, 1, 300, NULL));
    NULL_REFUSED(vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, NULL, 12, floats, 12, 1));
    NULL_REFUSED(vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, floats, 12, NULL, 12, 1));
    NULL_REFUSED(vorton_world_sample_volume(a.world, NULL, floats, sizeof floats));
    NULL_REFUSED(vorton_world_sample_volume(a.world, &volume, NULL, 64));
    NULL_REFUSED(vorton_volume_def_init(NULL, sizeof(VortonVolumeDef)));
    NULL_REFUSED(vorton_world_add_preset(a.world, NULL, NULL, NULL, NULL));
    NULL_REFUSED(vorton_preset_world_def(NULL, NULL));
    NULL_REFUSED(vorton_preset_def_init(NULL, sizeof(VortonPresetDef), VORTON_PRESET_TORCH));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(a.world, &preset, MISALIGNED(VortonTracersId, numbers), NULL, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(a.world, &preset, NULL, MISALIGNED(VortonEmitterId, numbers), NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_add_preset(a.world, &preset, NULL, NULL, MISALIGNED(VortonBodyId, numbers)));
    NULL_REFUSED(vorton_bodies_surround(a.world, NULL, NULL, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_surround(a.world, &surround, MISALIGNED(uint64_t, numbers), &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_surround(a.world, &surround, NULL, MISALIGNED(size_t, numbers)));
    NULL_REFUSED(vorton_world_draw(a.world, NULL, NULL, 0, &count));
    NULL_REFUSED(vorton_world_draw(a.world, &drawing, NULL, 1, &count));
    NULL_REFUSED(vorton_world_draw(a.world, &drawing, NULL, 0, NULL));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_draw(a.world, &drawing, MISALIGNED(VortonLine, vortons), 1, &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_draw(a.world, &drawing, NULL, 0, MISALIGNED(size_t, numbers)));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_draw(a.world, &drawing, (VortonLine *)(void *)vortons, SIZE_MAX / 28, &count));
    NULL_REFUSED(vorton_world_sample_surfaces(a.world, NULL, 1, NULL, 12, &surface, sizeof surface, 1));
    NULL_REFUSED(vorton_world_sample_surfaces(a.world, NULL, 1, floats, 12, NULL, sizeof surface, 1));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_surfaces(a.world, MISALIGNED(VortonBodyId, numbers), 1, floats, 12, &surface, sizeof surface, 1));
    NULL_REFUSED(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, NULL, 24, floats, 4, 1));
    NULL_REFUSED(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, sight_line, 24, NULL, 4, 1));
    NULL_REFUSED(vorton_body_create(a.world, &body_def, NULL));
    NULL_REFUSED(vorton_body_number(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_set_state(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_place(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_read(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_is_awake(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_added_inertia(a.world, a.body, NULL));
    NULL_REFUSED(vorton_body_take_impulse(a.world, a.body, NULL));
    NULL_REFUSED(vorton_bodies_set_states(a.world, NULL, &state, 0, 1));
    NULL_REFUSED(vorton_bodies_set_states(a.world, &a.body, NULL, 0, 1));
    NULL_REFUSED(vorton_bodies_take_impulses(a.world, NULL, &impulse, 0, 1));
    NULL_REFUSED(vorton_bodies_take_impulses(a.world, &a.body, NULL, 0, 1));
    OK(vorton_bodies_set_states(a.world, NULL, NULL, 0, 0));
    OK(vorton_bodies_take_impulses(a.world, NULL, NULL, 0, 0));
    OK(vorton_shape_create(spare, spare_body, &shape_def, NULL));
    NULL_REFUSED(vorton_shape_mass_properties(&shape_def, NULL));
    NULL_REFUSED(vorton_shape_added_inertia(&shape_def, NULL));
    shape_def = shape_of(VORTON_SHAPE_HULL);
    shape_def.points = NULL;
    NULL_REFUSED(shape_use(&shape_def));
    shape_def = shape_of(VORTON_SHAPE_PLANES);
    shape_def.planes = NULL;
    NULL_REFUSED(mass_use(&shape_def));
    NULL_REFUSED(vorton_view_check(NULL));
    NULL_REFUSED(vorton_op_create(a.world, &op_def, NULL));
    NULL_REFUSED(vorton_op_update(a.world, a.ops[VORTON_OP_AGE], NULL));
    NULL_REFUSED(vorton_ops_run(a.world, NULL, 1, &a.view, 0.1f, 1, NULL));
    NULL_REFUSED(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, NULL, 0.1f, 1, NULL));
    emit.value_count = 1;
    NULL_REFUSED(vorton_op_create(a.world, &emit, list));
    for (type = VORTON_OP_EMIT; type <= VORTON_OP_BOUNDS; ++type) {
        NULL_REFUSED(vorton_ops_run(a.world, &a.ops[type], 1, &a.view, 0.1f, 1, NULL));
    }

#define MISALIGNED_REFUSED(call) REFUSED(VORTON_ERR_BAD_VALUE, call)
    MISALIGNED_REFUSED(vorton_world_create(&world_def, MISALIGNED(VortonWorldId, numbers)));
    MISALIGNED_REFUSED(vorton_world_hash(a.world, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_hash_all(a.world, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_save(a.world, NULL, 0, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_bodies(a.world, MISALIGNED(VortonBodyId, numbers), 1, &count));
    MISALIGNED_REFUSED(vorton_world_bodies(a.world, NULL, 0, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_emitters(a.world, MISALIGNED(VortonEmitterId, numbers), 1, &count));
    MISALIGNED_REFUSED(vorton_world_emitters(a.world, NULL, 0, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_tracers(a.world, MISALIGNED(VortonTracersId, numbers), 1, &count));
    MISALIGNED_REFUSED(vorton_world_tracers(a.world, NULL, 0, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_body_shapes(a.world, a.body, MISALIGNED(VortonShapeId, numbers), 1, &count));
    MISALIGNED_REFUSED(vorton_body_shapes(a.world, a.body, NULL, 0, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_user_data(a.world, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_body_user_data(a.world, a.body, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_shape_user_data(a.world, a.shape, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_emitter_user_data(a.world, a.emitter, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_tracers_user_data(a.world, a.tracers, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_stats(a.world, MISALIGNED(VortonStats, stats)));
    MISALIGNED_REFUSED(vorton_world_memory(a.world, MISALIGNED(VortonMemory, &memory)));
    MISALIGNED_REFUSED(vorton_world_invariants(a.world, MISALIGNED(VortonInvariants, invariants)));
    MISALIGNED_REFUSED(vorton_vortons_add(a.world, MISALIGNED(VortonVorton, vortons), 1, NULL));
    MISALIGNED_REFUSED(vorton_vortons_add(a.world, vortons, 1, MISALIGNED(uint64_t, numbers)));
    MISALIGNED_REFUSED(vorton_vortons_read(a.world, MISALIGNED(VortonVorton, vortons), 199, &count));
    MISALIGNED_REFUSED(vorton_vortons_read(a.world, vortons, 200, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_vortons_remove(a.world, MISALIGNED(uint64_t, numbers), 1, NULL));
    MISALIGNED_REFUSED(vorton_vortons_remove(a.world, numbers, 1, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_add_initial(a.world, &initial, MISALIGNED(uint64_t, numbers), NULL));
    MISALIGNED_REFUSED(vorton_world_add_initial(a.world, &initial, NULL, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_emitter_create(a.world, &emitter_def, MISALIGNED(VortonEmitterId, numbers)));
    MISALIGNED_REFUSED(vorton_tracers_create(a.world, &tracers_def, MISALIGNED(VortonTracersId, numbers)));
    MISALIGNED_REFUSED(vorton_tracers_add(a.world, a.tracers, MISALIGNED(VortonVec3, points), NULL, NULL, 1));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, MISALIGNED(float, floats), 12, NULL, NULL, NULL, NULL, TRACERS, &count));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, NULL, 0, MISALIGNED(uint32_t, vortons), NULL, NULL, NULL, TRACERS, &count));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, NULL, 0, NULL, MISALIGNED(uint32_t, vortons), NULL, NULL, TRACERS, &count));
    MISALIGNED_REFUSED(vorton_tracers_add(a.world, a.tracers, points, MISALIGNED(uint32_t, vortons), NULL, 1));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, NULL, 0, NULL, NULL, MISALIGNED(float, vortons), NULL, TRACERS, &count));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, floats, 12, NULL, NULL, NULL, NULL, TRACERS, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_tracers_read(a.world, a.tracers, NULL, 0, NULL, NULL, NULL, MISALIGNED(float, vortons), TRACERS, &count));
    MISALIGNED_REFUSED(vorton_tracers_add(a.world, a.tracers, points, NULL, MISALIGNED(float, vortons), 1));
    MISALIGNED_REFUSED(vorton_tracers_add_implied(a.world, a.tracers, &implied, MISALIGNED(size_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_density_from_temperature(a.world, 300, MISALIGNED(float, numbers)));
    MISALIGNED_REFUSED(vorton_world_temperature_from_density(a.world, 1, MISALIGNED(float, numbers)));
    MISALIGNED_REFUSED(vorton_world_mass_deviation(a.world, 1, 300, MISALIGNED(float, numbers)));
    MISALIGNED_REFUSED(vorton_body_create(a.world, &body_def, MISALIGNED(VortonBodyId, numbers)));
    MISALIGNED_REFUSED(vorton_body_number(a.world, a.body, MISALIGNED(uint32_t, numbers)));
    MISALIGNED_REFUSED(vorton_body_set_state(a.world, a.body, MISALIGNED(VortonBodyState, vortons)));
    MISALIGNED_REFUSED(vorton_body_place(a.world, a.body, MISALIGNED(VortonBodyState, vortons)));
    MISALIGNED_REFUSED(vorton_body_read(a.world, a.body, MISALIGNED(VortonBodyState, vortons)));
    MISALIGNED_REFUSED(vorton_body_added_inertia(a.world, a.body, MISALIGNED(float, vortons)));
    MISALIGNED_REFUSED(vorton_body_take_impulse(a.world, a.body, MISALIGNED(VortonBodyImpulse, vortons)));
    MISALIGNED_REFUSED(vorton_bodies_set_states(a.world, MISALIGNED(VortonBodyId, numbers), &state, 0, 1));
    MISALIGNED_REFUSED(vorton_bodies_set_states(a.world, &a.body, MISALIGNED(VortonBodyState, vortons), 0, 1));
    MISALIGNED_REFUSED(vorton_bodies_take_impulses(a.world, MISALIGNED(VortonBodyId, numbers), &impulse, 0, 1));
    MISALIGNED_REFUSED(vorton_bodies_take_impulses(a.world, &a.body, MISALIGNED(VortonBodyImpulse, vortons), 0, 1));
    MISALIGNED_REFUSED(vorton_world_advance(a.world, 0.1f, 0.3f, 4, MISALIGNED(uint32_t, numbers)));
    MISALIGNED_REFUSED(vorton_world_remove_embedded(a.world, 0, MISALIGNED(size_t, numbers), NULL));
    MISALIGNED_REFUSED(vorton_world_remove_embedded(a.world, 0, NULL, MISALIGNED(size_t, numbers)));
    shape_def = shape_of(VORTON_SHAPE_BOX);
    MISALIGNED_REFUSED(vorton_shape_create(a.world, a.body, &shape_def, MISALIGNED(VortonShapeId, numbers)));
    MISALIGNED_REFUSED(vorton_shape_mass_properties(&shape_def, MISALIGNED(VortonMassProperties, vortons)));
    MISALIGNED_REFUSED(vorton_shape_added_inertia(&shape_def, MISALIGNED(float, vortons)));
    MISALIGNED_REFUSED(vorton_op_create(a.world, &op_def, MISALIGNED(VortonOpId, numbers)));
    emit.values = MISALIGNED(VortonEmitValue, values);
    MISALIGNED_REFUSED(vorton_op_create(a.world, &emit, list));
    MISALIGNED_REFUSED(vorton_ops_run(a.world, MISALIGNED(VortonOpId, list), 1, &a.view, 0.1f, 1, NULL));
    MISALIGNED_REFUSED(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, MISALIGNED(VortonParticleView, vortons), 0.1f, 1, NULL));
    MISALIGNED_REFUSED(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, MISALIGNED(VortonOpResult, results)));
    MISALIGNED_REFUSED(vorton_view_check(MISALIGNED(VortonParticleView, vortons)));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, MISALIGNED(float, floats), 12, &vortons[0].position.x, 12, 1));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, floats, 12, MISALIGNED(float, vortons), 12, 1));

    {
        VortonWorldDef world_now;
        VortonBodyDef body_now;
        VortonEmitterDef emitter_now;
        VortonTracersDef tracers_now;
        REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_def(a.world, &world_now, sizeof world_now - 1));
        REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_body_def(a.world, a.body, &body_now, sizeof body_now - 1));
        REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_emitter_def(a.world, a.emitter, &emitter_now, 0));
        REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_tracers_def(a.world, a.tracers, &tracers_now, 0xffffffffu));
    }
    /* Requirements on a struct that only the library fills. */
    memset(stats, 0, sizeof stats);
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_stats(a.world, stats));
    memset(&memory, 0, sizeof memory);
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_memory(a.world, &memory));
    stats[0].struct_size = sizeof stats[0] - 1;
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_stats(a.world, stats));
    stats[0].struct_size = sizeof stats[0] + 16;
    stats[1].workers = 77;
    OK(vorton_world_stats(a.world, stats));
    CHECK(stats[0].struct_size == sizeof stats[0] + 16 && stats[1].workers == 0 && stats[0].steps == 1);
    memset(invariants, 0, sizeof invariants);
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_world_invariants(a.world, invariants));
    invariants[0].struct_size = sizeof invariants[0];
    invariants[0].flags = 2;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_invariants(a.world, invariants));
    memset(results, 0, sizeof results);
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, results));
    results[0].struct_size = sizeof results;
    results[1].count = 1;
    REFUSED(VORTON_ERR_STRUCT_SIZE, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, results));
    results[0].struct_size = sizeof results[0];
    results[0].kill_capacity = 1;
    NULL_REFUSED(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, results));
    results[0].kill_list = MISALIGNED(uint32_t, numbers);
    MISALIGNED_REFUSED(vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, results));
    /* The kill list must not overlap the particles. */
    results[0].kill_list = (uint32_t *)(void *)a.particles;
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &a.view, 0.1f, 1, results));
}

/* Room. */

static void room(void) {
    static VortonWorldId worlds[1025];
    static VortonVorton vortons[300];
    const VortonVec3 points[6] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const VortonWorldDef small = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonImpliedDef implied = vorton_default_implied_def();
    VortonStats stats;
    VortonOpId ops[VORTON_MAX_OPS + 1];
    uint64_t first = 77;
    size_t count = 77;
    unsigned n = 0;

    REFUSED(VORTON_ERR_CAPACITY, vorton_vortons_add(a.world, vortons, 300, &first));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_add(a.world, vortons, SIZE_MAX / 2, &first));
    ring.count = 300;
    REFUSED(VORTON_ERR_CAPACITY, vorton_world_add_initial(a.world, &ring, &first, &count));
    REFUSED(VORTON_ERR_CAPACITY, vorton_tracers_add(a.world, a.tracers, points, NULL, NULL, 6));
    /* The set has room for five; the heavy fluid implies more. */
    implied.per_cell = 8;
    REFUSED(VORTON_ERR_CAPACITY, vorton_tracers_add_implied(a.world, a.tracers, &implied, &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_remove(a.world, &first, SIZE_MAX / 2, &count));
    CHECK(first == 77 && count == 77);

    vortons[0].id = 77;
    REFUSED(VORTON_ERR_BUFFER_SMALL, vorton_vortons_read(a.world, vortons, 1, &count));
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(a.world, &stats));
    CHECK(count == stats.vortons && count >= 64 + HEAVY && vortons[0].id == 77);
    OK(vorton_vortons_read(a.world, NULL, 0, &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_vortons_read(a.world, vortons, SIZE_MAX / 2, &count));
    REFUSED(VORTON_ERR_BUFFER_SMALL, vorton_tracers_read(a.world, a.tracers, &vortons[0].position.x, 12, NULL, NULL, NULL, NULL, TRACERS - 1, &count));
    CHECK(count == TRACERS && vortons[0].id == 77);
    OK(vorton_tracers_read(a.world, a.tracers, NULL, 0, NULL, NULL, NULL, NULL, 0, &count));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_tracers_read(a.world, a.tracers, &vortons[0].position.x, 8, NULL, NULL, NULL, NULL, 300, &count));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_tracers_read(a.world, a.tracers, &vortons[0].position.x, 14, NULL, NULL, NULL, NULL, 300, &count));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_tracers_read(a.world, a.tracers, &vortons[0].position.x, 12, NULL, NULL, NULL, NULL, SIZE_MAX / 4, &count));

    for (n = 0; n <= VORTON_MAX_OPS; ++n) ops[n] = a.ops[VORTON_OP_AGE];
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_ops_run(a.world, ops, VORTON_MAX_OPS + 1, &a.view, 0.1f, 1, NULL));

    for (n = 0; n < 1025; ++n) {
        VortonWorldDef def = small;
        def.max_vortons = 1;
        if (vorton_world_create(&def, &worlds[n]) != VORTON_OK) break;
    }
    CHECK(n > 1000 && n < 1025);
    REFUSED(VORTON_ERR_CAPACITY, vorton_world_create(&small, &worlds[n]));
    while (n-- > 0) OK(vorton_world_destroy(worlds[n]));
}

/* Views. `change` is a list of statements on the view `v` and its streams `s`. */
#define BAD_VIEW(code, change) \
    do { \
        VortonParticleView v = a.view; \
        VortonStream s[STREAMS]; \
        memcpy(s, a.streams, sizeof s); \
        v.streams = s; \
        change; \
        REFUSED(code, vorton_view_check(&v)); \
        REFUSED(code, vorton_ops_run(a.world, &a.ops[VORTON_OP_AGE], 1, &v, 0.1f, 1, NULL)); \
    } while (0)

static void views(void) {
    static const uint32_t descending[] = {3, 2}, twice[] = {2, 2}, beyond[] = {2, PARTICLES}, fine[] = {2, 3, 0};
    char *const bytes = (char *)a.particles;
    void *table[CAPACITY + 1];
    int i;

    BAD_VIEW(VORTON_ERR_STRUCT_SIZE, v.struct_size = 0);
    BAD_VIEW(VORTON_ERR_STRUCT_SIZE, v.struct_size = sizeof v - 1);
    BAD_VIEW(VORTON_ERR_NULL, v.streams = NULL);
    BAD_VIEW(VORTON_ERR_BAD_VALUE, v.streams = MISALIGNED(VortonStream, s));
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.stream_count = VORTON_MAX_STREAMS + 1);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.count = CAPACITY + 1);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.count = v.capacity = SIZE_MAX);
#if SIZE_MAX > 0xffffffffu
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.capacity = (size_t)0xffffffffu + 1);
#endif
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].semantic = 0);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].semantic = VORTON_USER0 + 16);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].format = 0);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].format = 10);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].format = VORTON_U8);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].semantic = VORTON_ALIVE);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].semantic = VORTON_DEAD; s[5].format = VORTON_I32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[9].semantic = VORTON_ALIVE; s[9].format = VORTON_U8);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].semantic = VORTON_DEAD; s[5].format = VORTON_U8; s[9].semantic = VORTON_ALIVE; s[9].format = VORTON_U8);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].semantic = VORTON_DEAD; s[5].format = VORTON_U8; s[5].stride = 0);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].format = VORTON_F32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[4].format = VORTON_F32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[5].format = VORTON_I32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].format = VORTON_QUAT_F32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[6].format = VORTON_U32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[8].format = VORTON_F32X4);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[1].semantic = VORTON_POSITION);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[3].semantic = VORTON_POSITION_X);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].semantic = VORTON_POSITION_X; s[0].format = VORTON_F32);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].base = NULL);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].base = bytes + 1);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].offset += 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].offset += 4; v.element_size = 0);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].stride += 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].stride = 0);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[0].stride = 16);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].offset = s[3].offset);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].offset = 8);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].stride *= 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, s[2].offset = 0xfffffffcu);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.element_size = 8);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.element_size = 0; s[2].base = (void *)(UINTPTR_MAX - 63));
    BAD_VIEW(VORTON_ERR_NULL, v.indices = NULL; v.index_count = 2);
    BAD_VIEW(VORTON_ERR_BAD_VALUE, v.indices = MISALIGNED(uint32_t, fine); v.index_count = 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.indices = descending; v.index_count = 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.indices = twice; v.index_count = 2);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.indices = beyond; v.index_count = 2);

    for (i = 0; i <= CAPACITY; ++i) table[i] = &a.particles[i % CAPACITY];
    BAD_VIEW(VORTON_ERR_BAD_VALUE, v.table = MISALIGNED(void *, table));
    table[CAPACITY - 1] = NULL;
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.table = table);
    table[CAPACITY - 1] = bytes + 2;
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.table = table);
    table[CAPACITY - 1] = (void *)(UINTPTR_MAX - 7);
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.table = table);
    table[CAPACITY - 1] = &a.particles[CAPACITY - 1];
    BAD_VIEW(VORTON_ERR_BAD_STREAM, v.table = table; s[2].offset = s[3].offset);
}

static void sampling(void) {
    float points[3 * 4] = {0}, out[3 * 4];
    int i;
    for (i = 0; i < 12; ++i) out[i] = 77.0f;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample(a.world, 0, points, 12, out, 12, 4));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample(a.world, VORTON_SAMPLE_DYE + 1, points, 12, out, 12, 4));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 8, out, 12, 4));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 12, out, 14, 3));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_DENSITY, points, 12, out, 2, 4));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_DYE, points, 12, points + 2, 12, 3));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 12, points, 12, 4));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 12, points + 3, 12, 3));
    REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 12, out, 12, SIZE_MAX / 2));
    for (i = 0; i < 12; ++i) CHECK(out[i] > 76.0f);
    points[4] = NAN;
    CHECK(vorton_world_sample(a.world, VORTON_SAMPLE_VORTICITY, points, 12, out, 12, 4) == VORTON_NOTE_SKIPPED_NONFINITE);
    CHECK(out[2] < 76.0f && out[3] > 76.0f && out[4] > 76.0f && out[5] > 76.0f && out[6] < 76.0f);
    for (i = 0; i < 12; ++i) out[i] = 77.0f;
    CHECK(vorton_world_sample(a.world, VORTON_SAMPLE_DENSITY, points, 12, out, 8, 4) == VORTON_NOTE_SKIPPED_NONFINITE);
    CHECK(out[0] > 1 && out[0] < 2 && out[1] > 76 && out[2] > 76 && out[4] < 2 && out[6] < 2 && out[7] > 76);
    OK(vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, NULL, 0, NULL, 0, 0));
    {
        VortonSurface surfaces[2];
        const VortonBodyId nothing = {0, 0, 0};
        points[4] = 0;
        memset(surfaces, 0x55, sizeof surfaces);
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_sample_surfaces(a.world, NULL, NAN, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_NOT_FINITE, vorton_world_sample_surfaces(a.world, NULL, INFINITY, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_surfaces(a.world, NULL, 0, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_surfaces(a.world, NULL, -1, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_STALE_ID, vorton_world_sample_surfaces(a.world, &nothing, 1, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_WRONG_WORLD, vorton_world_sample_surfaces(a.world, &b.body, 1, points, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_surfaces(a.world, NULL, 1, points, 8, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_surfaces(a.world, NULL, 1, points, 12, surfaces, sizeof surfaces[0] - 4, 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_surfaces(a.world, NULL, 1, points, 12, surfaces, sizeof surfaces[0] + 2, 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_surfaces(a.world, NULL, 1, &surfaces[1].distance, 12, surfaces, sizeof surfaces[0], 2));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_surfaces(a.world, NULL, 1, points, 12, surfaces, sizeof surfaces[0], SIZE_MAX / 2));
        CHECK(surfaces[0].body.index1 == 0x55555555u && surfaces[1].body.index1 == 0x55555555u);
        OK(vorton_world_sample_surfaces(a.world, NULL, 1, NULL, 0, NULL, 0, 0));
    }
    {
        float lines[12] = {-9, 0, 0, 9, 0, 0, 0, -9, 0, 0, NAN, 0}, along[2] = {7, 7};
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_lines(a.world, VORTON_SAMPLE_DENSITY, lines, 24, along, 4, 2));
        REFUSED(VORTON_ERR_BAD_VALUE, vorton_world_sample_lines(a.world, 0, lines, 24, along, 4, 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 20, along, 4, 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 24, along, 2, 2));
        REFUSED(VORTON_ERR_BAD_STREAM, vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 24, lines + 5, 24, 1));
        CHECK(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 24, along, 4, 2) == VORTON_NOTE_SKIPPED_NONFINITE);
        CHECK(along[0] != 7 && along[1] == 7);
        OK(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, NULL, 0, NULL, 0, 0));
    }
}

/* A stride of 0 is that of packed elements, in each function that has strides. */
static void packed(void) {
    float points[3 * 4], out[3 * 4] = {0}, same[3 * 4] = {0}, lines[12] = {-9, 0, 0, 9, 0, 0, 0, -9, 0, 0, 9, 0};
    float along[2], same_along[2], places[3 * (TRACERS + 5)] = {0}, same_places[3 * (TRACERS + 5)] = {0};
    VortonSurface surfaces[4], same_surfaces[4];
    size_t count = 0;
    int i;
    for (i = 0; i < 12; ++i) points[i] = 0.3f * (float)i - 1.5f;
    OK(vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 12, out, 12, 4));
    OK(vorton_world_sample(a.world, VORTON_SAMPLE_VELOCITY, points, 0, same, 0, 4));
    CHECK(memcmp(out, same, sizeof out) == 0 && out[11] != 0);
    OK(vorton_world_sample(a.world, VORTON_SAMPLE_DENSITY, points, 12, out, 4, 4));
    OK(vorton_world_sample(a.world, VORTON_SAMPLE_DENSITY, points, 0, same, 0, 4));
    CHECK(memcmp(out, same, sizeof out) == 0);
    OK(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 24, along, 4, 2));
    OK(vorton_world_sample_lines(a.world, VORTON_SAMPLE_DYE, lines, 0, same_along, 0, 2));
    CHECK(memcmp(along, same_along, sizeof along) == 0);
    memset(surfaces, 0, sizeof surfaces);
    memset(same_surfaces, 0, sizeof same_surfaces);
    OK(vorton_world_sample_surfaces(a.world, NULL, 9, points, 12, surfaces, sizeof surfaces[0], 4));
    OK(vorton_world_sample_surfaces(a.world, NULL, 9, points, 0, same_surfaces, 0, 4));
    CHECK(memcmp(surfaces, same_surfaces, sizeof surfaces) == 0);
    OK(vorton_tracers_read(a.world, a.tracers, places, 12, NULL, NULL, NULL, NULL, TRACERS + 5, &count));
    OK(vorton_tracers_read(a.world, a.tracers, same_places, 0, NULL, NULL, NULL, NULL, TRACERS + 5, &count));
    CHECK(memcmp(places, same_places, sizeof places) == 0 && count > 1);
}

/* Lists of operations: the last one is wrong, and the ones before it have done nothing. */

static VortonOpId make_kill(uint32_t mode) {
    VortonOpDef def = vorton_default_op_def(VORTON_OP_KILL);
    VortonOpId op;
    def.kill_mode = mode;
    def.max_age = 0.01f;
    OK(vorton_op_create(a.world, &def, &op));
    return op;
}

static VortonOpId make_emit(const VortonEmitValue *values, uint32_t count) {
    VortonOpDef def = vorton_default_op_def(VORTON_OP_EMIT);
    VortonOpId op;
    def.values = values;
    def.value_count = count;
    OK(vorton_op_create(a.world, &def, &op));
    return op;
}

static void refuse_after_others(VortonResult code, VortonOpId wrong, VortonParticleView view) {
    static uint32_t kill_list[CAPACITY];
    VortonOpId list[6];
    VortonOpResult result;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    result.kill_list = kill_list;
    result.kill_capacity = CAPACITY;
    list[0] = a.ops[VORTON_OP_EMIT];
    list[1] = a.ops[VORTON_OP_VELOCITY];
    list[2] = a.ops[VORTON_OP_ADVECT];
    list[3] = a.ops[VORTON_OP_AGE];
    list[4] = make_kill(VORTON_KILL_LIST);
    list[5] = wrong;
    REFUSED(code, vorton_ops_run(a.world, list, 6, &view, 0.1f, 1, &result));
    CHECK(result.count == 0 && result.killed == 0 && result.emitted == 0 && kill_list[1] == 0);
    OK(vorton_op_destroy(a.world, list[4]));
}

static void lists(void) {
    static const uint32_t indices[] = {2, 3};
    const VortonOpId compact = make_kill(VORTON_KILL_COMPACT), second_list = make_kill(VORTON_KILL_LIST);
    VortonEmitValue values[2];
    VortonOpId emit;
    VortonParticleView view;
    void *table[CAPACITY];
    int i;

    refuse_after_others(VORTON_ERR_BUSY, a.ops[VORTON_OP_EMIT], a.view);
    refuse_after_others(VORTON_ERR_BAD_VALUE, second_list, a.view);
    view = a.view;
    view.stream_count = 5;
    refuse_after_others(VORTON_ERR_MISSING_STREAM, a.ops[VORTON_OP_KILL], view);
    view = a.view;
    view.streams += 1;
    view.stream_count -= 1;
    refuse_after_others(VORTON_ERR_MISSING_STREAM, a.ops[VORTON_OP_BOUNDS], view);
    view = a.view;
    view.element_size = 0;
    refuse_after_others(VORTON_ERR_BAD_STREAM, compact, view);
    view.element_size = 2 * sizeof(Particle);
    refuse_after_others(VORTON_ERR_BAD_STREAM, compact, view);
    view = a.view;
    view.indices = indices;
    view.index_count = 2;
    refuse_after_others(VORTON_ERR_BAD_STREAM, compact, view);
    view = a.view;
    for (i = 0; i < CAPACITY; ++i) table[i] = &a.particles[i];
    view.table = table;
    refuse_after_others(VORTON_ERR_BAD_STREAM, compact, view);

    values[0] = values[1] = emit_position();
    emit = make_emit(values, 2);
    refuse_after_others(VORTON_ERR_BAD_VALUE, emit, a.view);
    OK(vorton_op_destroy(a.world, emit));
    values[0].semantic = VORTON_USER0;
    emit = make_emit(values, 1);
    refuse_after_others(VORTON_ERR_MISSING_STREAM, emit, a.view);
    OK(vorton_op_destroy(a.world, emit));
    values[0].semantic = VORTON_POSITION_X;
    emit = make_emit(values, 1);
    refuse_after_others(VORTON_ERR_BAD_VALUE, emit, a.view);
    OK(vorton_op_destroy(a.world, emit));
    OK(vorton_op_destroy(a.world, compact));
    OK(vorton_op_destroy(a.world, second_list));
}

/* The log and the error text. */

/* Too small a mesh, and too much diffusion for the step: done as well as possible, and logged once. */
static void left_outside(void) {
    static const char *const warnings[] = {"outside of the mesh", "outside of the density", "of the diffusion"};
    VortonWorldDef def = vorton_default_world_def();
    enum { SCATTERED = 1000 };
    static VortonVorton vortons[SCATTERED];
    VortonWorldId world;
    VortonStats stats;
    unsigned lines;
    int kind, step;
    for (kind = 0; kind < 3; ++kind) {
        /* Density has a box for each cluster, but not for this many. */
        const int count = kind == 1 ? SCATTERED : 3;
        def.max_grid_nodes = 4096;
        def.max_vortons = 1000;
        def.solver = kind == 0 ? VORTON_SOLVER_MESH : VORTON_SOLVER_DIRECT;
        def.viscosity = kind == 2 ? 1e6f : 0.0f;
        OK(vorton_world_create(&def, &world));
        memset(vortons, 0, sizeof vortons);
        for (step = 0; step < count; ++step) {
            vortons[step].position = vec3(step >= 2 ? 1000.0f * (float)step : 0.05f * (float)step, 0, 0);
            vortons[step].strength = vec3(0, 0, kind == 1 ? 0.0f : 0.001f);
            vortons[step].volume = 0.001f;
            vortons[step].mass_deviation = kind == 1 ? 1e-4f : 0.0f;
        }
        OK(vorton_vortons_add(world, vortons, (size_t)count, NULL));
        lines = log_lines;
        for (step = 0; step < 3; ++step) STEP(vorton_world_step(world, 0.01f));
        if (log_lines != lines + 1 || strstr(log_last, warnings[kind]) == NULL) {
            printf("%u lines about \"%s\"; the last: %s\n", log_lines - lines, warnings[kind], log_last);
            exit(1);
        }
        stats.struct_size = sizeof stats;
        OK(vorton_world_stats(world, &stats));
        CHECK((stats.mesh_outside == 1) == (kind == 0) && (stats.density_outside > 0) == (kind == 1));
        CHECK((stats.mesh_nodes > 0) == (kind == 0) && (stats.diffusion_passes > 0) == (kind == 2));
        CHECK((stats.diffused_share < 1) == (kind == 2) && stats.step_ms > 0);
        OK(vorton_world_destroy(world));
    }
}

static void texts(void) {
    VortonInitialDef coarse = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    VortonEmitterDef warm = vorton_default_emitter_def();
    VortonEmitterId warm_emitter;
    char text[1024], cut[8];
    size_t size;
    int code;
    unsigned lines;

    REFUSED(VORTON_ERR_ABI, vorton_check_abi(VORTON_ABI_VERSION + 1, VORTON_HEADER_VERSION));
    REFUSED(VORTON_ERR_ABI, vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION + 0x10000));
    OK(vorton_check_abi(vorton_abi_version(), vorton_version()));
    CHECK(strncmp(vorton_build_info(), "vorton ", 7) == 0);
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_set_log(on_log, &log_lines, 0));
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_set_log(on_log, &log_lines, 4));

    size = vorton_last_error(NULL, 0);
    CHECK(vorton_last_error(text, sizeof text) == size && strlen(text) + 1 == size);
    CHECK(vorton_last_error(cut, sizeof cut) == size && strlen(cut) == 7 && strncmp(cut, text, 7) == 0);
    for (code = -128; code < 128; ++code) CHECK(vorton_result_name(code) != NULL);
    CHECK(strcmp(vorton_result_name(VORTON_ERR_BAD_STREAM), "VORTON_ERR_BAD_STREAM") == 0);

    /* Something questionable is done, and logged. */
    lines = log_lines;
    coarse.spacing = 0.3f;
    OK(initial_use(&coarse));
    CHECK(log_lines == lines + 1 && strstr(log_last, "spacing") != NULL);
    warm.rate = 1.0f;
    warm.density_deviation = -0.1f;
    OK(vorton_emitter_create(spare, &warm, &warm_emitter));
    OK(vorton_emitter_destroy(spare, warm_emitter));
    CHECK(log_lines == lines + 2 && strstr(log_last, "density_deviation") != NULL);
    warm.volume = 1e-4f;
    OK(vorton_emitter_create(spare, &warm, &warm_emitter));
    OK(vorton_emitter_destroy(spare, warm_emitter));
    CHECK(log_lines == lines + 2);

    left_outside();

    /* A call from inside the callback is refused, and the call that logged continues. */
    log_calls_back = a.world;
    REFUSED(VORTON_ERR_STALE_ID, vorton_emitter_burst(a.world, (VortonEmitterId){0, 0, 0}, 1));
    CHECK(log_call_answered == VORTON_ERR_BUSY);
    log_calls_back.index1 = 0;

    /* Busy and similar messages can be filtered out, and the log switched off. */
    lines = log_lines;
    OK(vorton_set_log(NULL, NULL, 0));
    CHECK(vorton_world_step(spare, NAN) == VORTON_ERR_NOT_FINITE && log_lines == lines);
    OK(vorton_set_log(on_log, &log_lines, VORTON_LOG_INFO));
}

int main(void) {
    const VortonEmitterDef emitter = vorton_default_emitter_def();
    const VortonTracersDef tracers = vorton_default_tracers_def();
    VortonBodyDef body = vorton_default_body_def();
    OK(vorton_set_log(on_log, &log_lines, VORTON_LOG_INFO));
    place_make(&a, VORTON_THREADS_SERIAL);
    place_make(&b, VORTON_THREADS_POOL);
    place_make(&untouched_a, VORTON_THREADS_SERIAL);
    place_make(&untouched_b, VORTON_THREADS_POOL);
    CHECK(log_lines == 0);
    fingerprint_a = fingerprint(&a);
    fingerprint_b = fingerprint(&b);
    spare = make_world(VORTON_THREADS_SERIAL, 0, 16384);
    OK(vorton_emitter_create(spare, &emitter, &spare_emitter));
    OK(vorton_tracers_create(spare, &tracers, &spare_tracers));
    body.mass = 0; /* It may be a mesh. */
    OK(vorton_body_create(spare, &body, &spare_body));
    spare_op = make_op(spare, VORTON_OP_AGE);

    ids();
    definitions();
    results();
    ranges();
    lone_floats();
    bounds();
    pointers();
    room();
    views();
    sampling();
    packed();
    lists();
    texts();

    CHECK(future(&a) == future(&untouched_a));
    CHECK(future(&b) == future(&untouched_b));
    CHECK(hash_of(a.world) == hash_of(b.world));
    OK(vorton_world_destroy(a.world));
    OK(vorton_world_destroy(b.world));
    OK(vorton_world_destroy(untouched_a.world));
    OK(vorton_world_destroy(untouched_b.world));
    OK(vorton_world_destroy(spare));
    printf("%u calls refused\n", refusals);
    return 0;
}
