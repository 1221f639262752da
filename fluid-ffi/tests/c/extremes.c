/*
 * For any finite input to any function, no NaN or infinity is returned, and no internal error occurs. Worlds,
 * vortons, initial conditions, emitters, tracers, bodies, shapes, operations and the host's particles get
 * seeded numbers up to the largest float; some calls are refused, as documented, and everything readable is
 * read. In the end the world is restored from its own snapshot. Arguments: the first round, how many (default
 * 0 400).
 */
#include "check.h"

#include <float.h>
#include <math.h>

enum { OTHER, FLOATS, DOUBLES };
typedef struct Field {
    const char *name, *field;
    size_t offset, size;
    int numbers;
} Field;
static const Field fields[] = {
#define STRUCT(name, size, alignment)
#define FIELD(name, field, offset, size, numbers) {#name, #field, offset, size, numbers},
#include "layout.inc"
};

static uint64_t state, round_number;

static uint32_t dice(uint32_t sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

static float usual(void) {
    return (float)dice(1u << 20) / (float)(1u << 19) - 1.0f;
}

/* A finite number, mostly an extreme one. */
static float extreme(void) {
    static const float values[] = {0, 1, 3, 1e-45f, 1e-38f, 1e-20f, 1e-9f, 1e3f, 9.99e6f, 9.9e8f, 9.9e9f, 9.9e11f, 1e19f, 1e25f, 1e30f, 1e38f, FLT_MAX};
    const float value = values[dice(sizeof values / sizeof values[0])];
    return dice(2) ? value : -value;
}

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* The number of a struct's first field; the others follow it. */
static size_t first_field(const char *name) {
    static const char *last;
    static size_t first;
    if (name == last) return first;
    for (first = 0; first < FIELDS && strcmp(fields[first].name, name) != 0;) ++first;
    CHECK(first < FIELDS);
    last = name;
    return first;
}

static int is_field_of(size_t f, size_t first) {
    return f < FIELDS && (fields[f].name == fields[first].name || strcmp(fields[f].name, fields[first].name) == 0);
}

static void fail(const char *what, double value) {
    printf("round %u: %s is %g\n", (unsigned)round_number, what, value);
    exit(1);
}

static void finite_floats(const char *what, const float *values, size_t count) {
    size_t i;
    for (i = 0; i < count; ++i) {
        if (!isfinite(values[i])) fail(what, (double)values[i]);
    }
}

/* All numbers of a struct. */
static void finite(const char *name, const void *memory) {
    const size_t first = first_field(name);
    char what[128];
    size_t f, n;
    for (f = first; is_field_of(f, first); ++f) {
        const size_t width = fields[f].numbers == FLOATS ? sizeof(float) : sizeof(double);
        if (fields[f].numbers == OTHER) continue;
        for (n = 0; n < fields[f].size / width; ++n) {
            const unsigned char *at = (const unsigned char *)memory + fields[f].offset + n * width;
            float narrow;
            double wide;
            memcpy(&narrow, at, sizeof narrow);
            if (width == sizeof wide) memcpy(&wide, at, sizeof wide);
            else wide = (double)narrow;
            if (isfinite(wide)) continue;
            (void)snprintf(what, sizeof what, "%s.%s", name, fields[f].field);
            fail(what, wide);
        }
    }
}

/* Makes some numbers of a struct extreme, but not rotations. */
static void spoil(const char *name, void *memory, uint32_t one_in) {
    const size_t first = first_field(name);
    size_t f, n;
    for (f = first; is_field_of(f, first); ++f) {
        const size_t width = fields[f].numbers == FLOATS ? sizeof(float) : sizeof(double);
        if (fields[f].numbers == OTHER || strcmp(fields[f].field, "rotation") == 0) continue;
        for (n = 0; n < fields[f].size / width; ++n) {
            unsigned char *at = (unsigned char *)memory + fields[f].offset + n * width;
            const float narrow = dice(3) ? usual() : extreme();
            const double wide = (double)narrow;
            if (dice(one_in) == 0) memcpy(at, width == sizeof wide ? (const void *)&wide : (const void *)&narrow, width);
        }
    }
}

static unsigned calls, done;

/* Any result except an internal error. */
static VortonResult tried(const char *call, VortonResult result) {
    calls += 1;
    done += result >= 0;
    if (result <= VORTON_ERR_POISONED) {
        char text[512];
        (void)vorton_last_error(text, sizeof text);
        printf("round %u: %s: %s\n", (unsigned)round_number, call, text);
        exit(1);
    }
    return result;
}
#define TRY(call) tried(#call, (call))

static VortonVec3 any3(void) {
    return dice(2) ? vec3(usual(), usual(), usual()) : vec3(extreme(), usual(), extreme());
}

enum { MAX_VORTONS = 150, TRACERS = 40, BODIES = 3, PARTICLES = 30, OPS = VORTON_OP_COLLIDE };

typedef struct Particle {
    float position[3], velocity[3], age, lifetime, density, spin[3], orientation[4], normal[3];
    int32_t birth;
    uint32_t flags, hit;
} Particle;

static VortonWorldId make_any_world(void) {
    VortonWorldDef def;
    VortonWorldId world;
    unsigned attempt;
    for (attempt = 0;; ++attempt) {
        def = vorton_default_world_def();
        def.gravity = vec3(0, 0, -9.8f);
        if (attempt < 20) spoil("VortonWorldDef", &def, 12);
        def.kernel = dice(3);
        def.precision = dice(2);
        def.instructions = dice(2);
        def.solver = dice(3);
        def.field_sampling = dice(2);
        def.equation_of_state = dice(2);
        def.stratification = dice(3);
        def.walls = dice(4);
        def.max_grid_nodes = 4096 + dice(5000);
        def.max_vortons = MAX_VORTONS;
        if (dice(2)) def.viscosity = 1e-3f;
        if (TRY(vorton_world_create(&def, &world)) == VORTON_OK) return world;
    }
}

static void put_vortons(VortonWorldId world) {
    VortonVorton vortons[30];
    uint32_t i, type;
    for (i = 0; i < 30; ++i) {
        memset(&vortons[i], 0, sizeof vortons[i]);
        vortons[i].position = vec3(usual(), usual(), usual());
        vortons[i].strength = vec3(0.1f * usual(), 0.1f * usual(), 0.1f * usual());
        vortons[i].volume = 1e-3f;
        vortons[i].mass_deviation = 1e-4f * usual();
        vortons[i].dye = 1e-3f;
        spoil("VortonVorton", &vortons[i], 20);
        (void)TRY(vorton_vortons_add(world, &vortons[i], 1, NULL));
    }
    for (type = VORTON_INITIAL_RING; type <= VORTON_INITIAL_DENSITY_BOX; ++type) {
        VortonInitialDef def = vorton_default_initial_def(type);
        if (dice(3)) continue;
        def.count = 20;
        spoil("VortonInitialDef", &def, 8);
        (void)TRY(vorton_world_add_initial(world, &def, NULL, NULL));
    }
}

static void look_at_world(VortonWorldId world) {
    static VortonVorton vortons[MAX_VORTONS];
    static float points[64][3], vectors[64][3], numbers[64];
    static VortonLine lines[8000];
    VortonDrawDef drawing = vorton_default_draw_def();
    VortonStats stats;
    VortonInvariants sums;
    size_t count = 0, line_count = 0, i;
    uint32_t quantity;
    OK(vorton_vortons_read(world, vortons, MAX_VORTONS, &count));
    for (i = 0; i < count; ++i) finite("VortonVorton", &vortons[i]);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(world, &stats));
    finite("VortonStats", &stats);
    memset(&sums, 0, sizeof sums);
    sums.struct_size = sizeof sums;
    sums.flags = VORTON_INVARIANTS_PAIRS;
    OK(vorton_world_invariants(world, &sums));
    finite("VortonInvariants", &sums);
    for (i = 0; i < 64; ++i) {
        const VortonVec3 point = any3();
        points[i][0] = point.x;
        points[i][1] = point.y;
        points[i][2] = point.z;
        if (i < count) memcpy(points[i], &vortons[i].position, sizeof points[i]);
    }
    memset(vectors, 0, sizeof vectors);
    memset(numbers, 0, sizeof numbers);
    for (quantity = VORTON_SAMPLE_VELOCITY; quantity <= VORTON_SAMPLE_DYE; ++quantity) {
        const int is_vector = quantity <= VORTON_SAMPLE_VORTICITY;
        (void)TRY(vorton_world_sample(world, quantity, points[0], 12, is_vector ? vectors[0] : numbers, is_vector ? 12 : 4, 64));
    }
    for (quantity = 0; quantity < 3; ++quantity) {
        drawing.flags = 255;
        if (TRY(vorton_world_draw(world, &drawing, lines, sizeof lines / sizeof lines[0], &line_count)) == VORTON_OK) {
            for (i = 0; i < line_count; ++i) finite("VortonLine", &lines[i]);
        }
        drawing = vorton_default_draw_def();
        drawing.arrows_x = drawing.arrows_y = drawing.arrows_z = 5;
        spoil("VortonDrawDef", &drawing, 6);
    }
    finite_floats("a sampled vector", vectors[0], 3 * 64);
    finite_floats("a sampled number", numbers, 64);
    for (i = 0; i < 4; ++i) {
        float out = 0;
        const float a = extreme(), b = extreme();
        (void)TRY(vorton_world_density_from_temperature(world, a, &out));
        (void)TRY(vorton_world_temperature_from_density(world, a, &out));
        (void)TRY(vorton_world_mass_deviation(world, a, b, &out));
        finite_floats("a conversion", &out, 1);
    }
}

static void look_at_tracers(VortonWorldId world, VortonTracersId tracers) {
    static float positions[TRACERS][3], ages[TRACERS], values[TRACERS];
    size_t count = 0;
    OK(vorton_tracers_read(world, tracers, positions[0], 12, NULL, NULL, ages, values, TRACERS, &count));
    finite_floats("a tracer's position", positions[0], 3 * count);
    finite_floats("a tracer's age", ages, count);
    finite_floats("a tracer's value", values, count);
}

/* Whatever a world has come to, it can be saved, and become that again. */
static void go_back(VortonWorldId world) {
    size_t needed = 0, bytes = 0;
    char why[256];
    void *snapshot;
    OK(vorton_world_save(world, NULL, 0, &needed));
    snapshot = malloc(needed);
    CHECK(snapshot != NULL);
    OK(vorton_world_save(world, snapshot, needed, &bytes));
    if (vorton_world_restore(world, snapshot, bytes) != VORTON_OK) {
        (void)vorton_last_error(why, sizeof why);
        printf("round %u: not restored: %s\n", (unsigned)round_number, why);
        exit(1);
    }
    free(snapshot);
}

static void play(void) {
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static Particle particles[PARTICLES + 10];
    const VortonWorldId world = make_any_world();
    const VortonQuat identity = {0, 0, 0, 1};
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonImpliedDef implied = vorton_default_implied_def();
    VortonEmitterId emitter;
    VortonTracersId tracers;
    VortonBodyId bodies[BODIES];
    VortonOpId ops[OPS];
    VortonEmitValue values[2];
    VortonStream streams[10];
    float added[21];
    VortonParticleView view;
    VortonOpResult result;
    uint32_t i, frame, op_count = 0, body_count = 0;
    int has_emitter;

    put_vortons(world);
    emitter_def.strength_spread = vec3(0.1f, 0.1f, 0.1f);
    spoil("VortonEmitterDef", &emitter_def, 10);
    has_emitter = TRY(vorton_emitter_create(world, &emitter_def, &emitter)) == VORTON_OK;
    tracers_def.capacity = TRACERS;
    tracers_def.show = dice(2) ? VORTON_SHOW_NONE : VORTON_SAMPLE_DENSITY + dice(4);
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    for (i = 0; i < TRACERS / 2; ++i) {
        const VortonVec3 place = any3();
        const float value = extreme();
        (void)TRY(vorton_tracers_add(world, tracers, &place, NULL, &value, 1));
    }
    implied.per_cell = 1;
    spoil("VortonImpliedDef", &implied, 8);
    (void)TRY(vorton_tracers_add_implied(world, tracers, &implied, NULL));
    for (i = 0; i < BODIES; ++i) {
        VortonBodyDef def = vorton_default_body_def();
        static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
        const uint32_t type = dice(4) ? VORTON_SHAPE_SPHERE + dice(4) : VORTON_SHAPE_HALF_SPACE + dice(4);
        VortonShapeDef shape = vorton_default_shape_def(type);
        VortonMassProperties properties;
        float points[12];
        unsigned n;
        def.heat_transfer = 1;
        if (dice(3) == 0) {
            def.drag_coefficient = (float)dice(2000) * 0.5f;
            def.magnus_coefficient = (float)dice(10) * 0.1f;
        }
        def.velocity = vec3(usual(), usual(), usual());
        def.flags = dice(2) ? VORTON_BODY_FRICTION_WARMS | VORTON_BODY_WEIGHT : 0;
        if (type >= VORTON_SHAPE_HALF_SPACE && type != VORTON_SHAPE_CYLINDER) def.mass = 0;
        spoil("VortonBodyDef", &def, 12);
        if (TRY(vorton_body_create(world, &def, &bodies[body_count])) != VORTON_OK) continue;
        for (n = 0; n < 12; ++n) points[n] = dice(20) ? corners[n] : extreme();
        shape.points = points;
        shape.point_count = 4;
        shape.triangles = faces;
        shape.triangle_count = 1 + dice(4);
        shape.heights = points;
        shape.columns = 2;
        shape.rows = 2 + dice(5);
        shape.flags = dice(6) ? 0 : VORTON_SHAPE_HOLE;
        spoil("VortonShapeDef", &shape, 12);
        if (TRY(vorton_shape_mass_properties(&shape, &properties)) == VORTON_OK) finite("VortonMassProperties", &properties);
        /* Takes as long as everything else together: only for every other world. */
        if (i == 0 && dice(2) && TRY(vorton_shape_added_inertia(&shape, added)) == VORTON_OK) {
            finite_floats("added inertia", added, 21);
        }
        (void)TRY(vorton_shape_create(world, bodies[body_count], &shape, NULL));
        body_count += 1;
    }
    memset(values, 0, sizeof values);
    values[0].semantic = VORTON_POSITION;
    values[1].semantic = VORTON_VELOCITY;
    for (i = 0; i < 2; ++i) spoil("VortonEmitValue", &values[i], 3);
    for (i = 0; i < OPS; ++i) {
        VortonOpDef def = vorton_default_op_def(VORTON_OP_VELOCITY + i);
        def.kill_mode = dice(2) ? VORTON_KILL_MARK : VORTON_KILL_COMPACT;
        def.sample = dice(2);
        def.timing = dice(2);
        def.values = values;
        def.value_count = 2;
        def.max_age = 5;
        def.mass = 1e-3f;
        spoil("VortonOpDef", &def, 10);
        if (TRY(vorton_op_create(world, &def, &ops[op_count])) == VORTON_OK) op_count += 1;
    }
    memset(particles, 0, sizeof particles);
    for (i = 0; i < PARTICLES; ++i) {
        const VortonVec3 a = any3(), b = any3(), c = any3();
        memcpy(particles[i].position, &a, 12);
        memcpy(particles[i].velocity, &b, 12);
        memcpy(particles[i].spin, &c, 12);
        particles[i].orientation[3] = dice(4) ? 1 : extreme();
        particles[i].age = dice(2) ? 0 : extreme();
        particles[i].lifetime = extreme();
    }
    {
        static const uint32_t semantics[] = {VORTON_POSITION, VORTON_VELOCITY, VORTON_AGE, VORTON_LIFETIME, VORTON_DENSITY,
                                             VORTON_ANGULAR_VELOCITY, VORTON_ORIENTATION, VORTON_NORMAL, VORTON_BIRTH_FRAME,
                                             VORTON_FLAGS};
        static const uint32_t formats[] = {VORTON_F32X3, VORTON_F32X3, VORTON_F32, VORTON_F32, VORTON_F32, VORTON_F32X3,
                                           VORTON_QUAT_F32, VORTON_F32X3, VORTON_I32, VORTON_U32};
        static const size_t offsets[] = {offsetof(Particle, position), offsetof(Particle, velocity), offsetof(Particle, age),
                                         offsetof(Particle, lifetime), offsetof(Particle, density), offsetof(Particle, spin),
                                         offsetof(Particle, orientation), offsetof(Particle, normal), offsetof(Particle, birth),
                                         offsetof(Particle, flags)};
        for (i = 0; i < 10; ++i) {
            streams[i].semantic = semantics[i];
            streams[i].format = formats[i];
            streams[i].stride = sizeof(Particle);
            streams[i].offset = (uint32_t)offsets[i];
            streams[i].base = particles;
        }
    }
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 10;
    view.streams = streams;
    view.count = PARTICLES;
    view.capacity = PARTICLES + 10;
    view.element_size = sizeof(Particle);

    for (frame = 0; frame < 4; ++frame) {
        float dt = dice(2) ? 0.02f : extreme();
        if (dice(4) == 0) (void)TRY(vorton_world_set_wind(world, any3()));
        if (dice(4) == 0) (void)TRY(vorton_world_set_gravity(world, any3()));
        if (dice(4) == 0) (void)TRY(vorton_world_set_diffusion(world, extreme(), extreme()));
        if (dice(4) == 0) (void)TRY(vorton_world_set_relaxation_rate(world, extreme()));
        if (has_emitter) {
            if (dice(4) == 0) (void)TRY(vorton_emitter_set_pose(world, emitter, any3(), identity));
            if (dice(4) == 0) (void)TRY(vorton_emitter_set_rate(world, emitter, extreme()));
            (void)TRY(vorton_emitter_burst(world, emitter, 2));
        }
        for (i = 0; i < body_count; ++i) {
            VortonBodyState body;
            if (dice(3)) continue;
            memset(&body, 0, sizeof body);
            spoil("VortonBodyState", &body, 3);
            body.rotation.w = 1;
            if (dice(3)) (void)TRY(vorton_body_set_state(world, bodies[i], &body));
            else (void)TRY(vorton_body_place(world, bodies[i], &body));
            if (dice(4) == 0) (void)TRY(vorton_body_set_mass(world, bodies[i], extreme()));
            if (dice(4) == 0) OK(vorton_body_set_awake(world, bodies[i], dice(2) == 0));
            if (dice(4) == 0) (void)TRY(vorton_body_set_temperature(world, bodies[i], extreme()));
            if (dice(4) == 0) (void)TRY(vorton_body_set_heat_transfer(world, bodies[i], extreme()));
            if (dice(4) == 0) (void)TRY(vorton_body_set_heat_capacity(world, bodies[i], extreme()));
        }
        if (dice(3)) (void)TRY(vorton_world_step(world, dt));
        else if (dice(2)) {
            VortonBudget budget = vorton_default_budget();
            budget.measure = dice(3);
            budget.fluid_ms = dice(2) ? 0.0f : fabsf(extreme());
            budget.tracers_ms = dice(2) ? 0.0f : fabsf(extreme());
            (void)TRY(vorton_world_step_within(world, dt, &budget));
            (void)TRY(vorton_world_step_within(world, dt, &budget));
        } else {
            uint32_t steps = 0;
            (void)TRY(vorton_world_advance(world, dt, dice(2) ? 0.3f : extreme(), dice(6), &steps));
        }
        look_at_world(world);
        look_at_tracers(world, tracers);
        for (i = 0; i < body_count; ++i) {
            VortonBodyState body;
            VortonBodyImpulse impulse;
            OK(vorton_body_read(world, bodies[i], &body));
            finite("VortonBodyState", &body);
            OK(vorton_body_take_impulse(world, bodies[i], &impulse));
            finite("VortonBodyImpulse", &impulse);
        }
        memset(&result, 0, sizeof result);
        result.struct_size = sizeof result;
        for (i = 0; i < op_count; ++i) {
            dt = dice(2) ? 0.02f : fabsf(extreme());
            if (TRY(vorton_ops_run(world, &ops[i], 1, &view, dt, frame, &result)) < 0) continue;
            view.count = result.count;
            finite("VortonOpResult", &result);
        }
        for (i = 0; i < view.count; ++i) {
            finite_floats("a particle", particles[i].position, offsetof(Particle, birth) / sizeof(float));
        }
        if (dice(4) == 0) (void)TRY(vorton_world_remove_embedded(world, fabsf(extreme()), NULL, NULL));
    }
    go_back(world);
    OK(vorton_world_destroy(world));
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
    for (round_number = first; round_number < first + rounds; ++round_number) {
        state = round_number * 0x9e3779b97f4a7c15u + 1;
        (void)dice(2);
        play();
    }
    printf("%u calls, %u done: all finite\n", calls, done);
    return 0;
}
