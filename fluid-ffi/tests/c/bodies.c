/* Bodies through the C interface: states in, impulses and heat out, one by one and in bulk. */
#include "check.h"

#include <math.h>

static const double pi = 3.141592653589793;

static void near(int line, double value, double expected, double tolerance) {
    if (fabs(value - expected) <= tolerance) return;
    printf("line %d: %.9g, but should be %.9g within %g\n", line, value, expected, tolerance);
    exit(1);
}
#define NEAR(value, expected, tolerance) near(__LINE__, (value), (expected), (tolerance))
#define NEAR3(v, ex, ey, ez, tolerance) \
    (NEAR((v).x, ex, tolerance), NEAR((v).y, ey, tolerance), NEAR((v).z, ez, tolerance))

static VortonBodyId make_body(VortonWorldId world, const VortonBodyDef *def, float radius) {
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId body;
    VortonShapeId shape;
    ball.radius = radius;
    OK(vorton_body_create(world, def, &body));
    OK(vorton_shape_create(world, body, &ball, &shape));
    return body;
}

static VortonBodyState at(float x, float y, float z) {
    VortonBodyState state;
    memset(&state, 0, sizeof state);
    state.position = vec3(x, y, z);
    state.rotation.w = 1;
    return state;
}

/* Closed forms: ball, turned box, capsule, tetrahedron; a cube gives the same for each representation. */
static void mass_properties(void) {
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const float cube[] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1};
    static const float sides[] = {2, 0, 0, 2, -1, 0, 0, 1, 0, 1, 0, 1, 0, -3, 0, 3, 0, 0, 1, 1, 0, 0, -1, 1};
    static const uint32_t cubes[] = {VORTON_SHAPE_BOX, VORTON_SHAPE_HULL, VORTON_SHAPE_PLANES};
    VortonShapeDef def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonMassProperties out;
    double volume, ends;
    int k;

    def.radius = 2;
    def.position = vec3(1, 2, 3);
    OK(vorton_shape_mass_properties(&def, &out));
    NEAR(out.volume, 32 * pi / 3, 1e-4);
    NEAR(out.area, 16 * pi, 1e-4);
    NEAR3(out.centroid, 1, 2, 3, 1e-6);
    for (k = 0; k < 9; ++k) NEAR(out.inertia[k], k % 4 == 0 ? 0.4 * out.volume * 4 : 0, 1e-4);

    /* A quarter turn about z exchanges x and y. */
    def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    def.half_extents = vec3(1, 2, 3);
    def.rotation.z = def.rotation.w = sqrtf(0.5f);
    OK(vorton_shape_mass_properties(&def, &out));
    NEAR(out.volume, 48, 1e-4);
    NEAR(out.area, 88, 1e-4);
    NEAR(out.inertia[0], 48 / 3.0 * (1 + 9), 1e-3);
    NEAR(out.inertia[4], 48 / 3.0 * (4 + 9), 1e-3);
    NEAR(out.inertia[8], 48 / 3.0 * (1 + 4), 1e-3);
    NEAR(out.inertia[1], 0, 1e-3);

    def = vorton_default_shape_def(VORTON_SHAPE_CAPSULE);
    def.radius = 1;
    def.half_height = 2;
    OK(vorton_shape_mass_properties(&def, &out));
    volume = 4 * pi;
    ends = 4 * pi / 3;
    NEAR(out.volume, volume + ends, 1e-4);
    NEAR(out.area, 2 * pi * 4 + 4 * pi, 1e-4);
    NEAR(out.inertia[8], volume / 2 + 0.4 * ends, 1e-4);
    /* Across: cylinder; and each half ball about its own centroid, 3/8 behind its face. */
    NEAR(out.inertia[0], volume * (1.0 / 4 + 16.0 / 12) + ends * (0.4 - 9.0 / 64 + 2.375 * 2.375), 1e-3);

    def = vorton_default_shape_def(VORTON_SHAPE_CYLINDER);
    def.radius = 1;
    def.half_height = 2;
    OK(vorton_shape_mass_properties(&def, &out));
    NEAR(out.volume, volume, 1e-4);
    NEAR(out.area, 2 * pi * 4 + 2 * pi, 1e-4);
    NEAR(out.inertia[8], volume / 2, 1e-4);
    NEAR(out.inertia[0], volume * (1.0 / 4 + 16.0 / 12), 1e-3);

    def = vorton_default_shape_def(VORTON_SHAPE_HULL);
    def.points = corners;
    def.point_count = 4;
    OK(vorton_shape_mass_properties(&def, &out));
    NEAR(out.volume, 1.0 / 6, 1e-6);
    NEAR(out.area, 1.5 + sqrt(3.0) / 2, 1e-6);
    NEAR3(out.centroid, 0.25, 0.25, 0.25, 1e-6);
    for (k = 0; k < 9; ++k) NEAR(out.inertia[k], k % 4 == 0 ? 1.0 / 80 : 1.0 / 480, 1e-7);

    for (k = 0; k < 3; ++k) {
        def = vorton_default_shape_def(cubes[k]);
        def.half_extents = vec3(1, 1, 1);
        def.points = cube;
        def.point_count = 8;
        def.planes = sides;
        def.plane_count = 6;
        OK(vorton_shape_mass_properties(&def, &out));
        NEAR(out.volume, 8, 1e-5);
        NEAR(out.area, 24, 1e-5);
        NEAR(out.inertia[0], 16.0 / 3, 1e-5);
    }
}

/* Ball, cube (.638 of its volume), a turned and shifted box, and a body of two cubes that touch. */
static void added_inertia(void) {
    VortonShapeDef def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldDef world_def = vorton_default_world_def();
    VortonBodyDef body_def = vorton_default_body_def();
    VortonWorldId world;
    VortonBodyId body;
    VortonShapeId second;
    const double half = 16 * pi / 3;
    float one[21], both[21];
    char text[256];
    int k;

    /* Half of 32 pi / 3, at (1, 2, 0): momentum by turning about z, -y and x; and the lever arms squared. */
    def.radius = 2;
    def.position = vec3(1, 2, 0);
    OK(vorton_shape_added_inertia(&def, one));
    for (k = 0; k < 12; ++k) {
        if (k == 0 || k == 6 || k == 11) NEAR(one[k], half, 1e-4);
        if (k == 1 || k == 2 || k == 7) NEAR(one[k], 0, 1e-4);
    }
    NEAR(one[3], 0, 1e-4);
    NEAR(one[4], 0, 1e-4);
    NEAR(one[5], -2 * half, 1e-4);
    NEAR(one[10], half, 1e-4);
    NEAR(one[12], 2 * half, 1e-4);
    NEAR(one[13], -half, 1e-4);
    NEAR(one[15], 4 * half, 1e-3);
    NEAR(one[16], -2 * half, 1e-3);
    NEAR(one[18], half, 1e-3);
    NEAR(one[20], 5 * half, 1e-3);

    def = vorton_default_shape_def(VORTON_SHAPE_BOX);
    OK(vorton_shape_added_inertia(&def, one));
    NEAR(one[0], 0.638, 0.005);
    NEAR(one[6], one[0], 1e-6);
    NEAR(one[11], one[0], 1e-6);
    for (k = 0; k < 21; ++k) {
        if (k != 0 && k != 6 && k != 11 && k != 15 && k != 18 && k != 20) NEAR(one[k], 0, 1e-6);
    }

    /* Two cubes of edge 1 are a box of 2 by 1 by 1, and nothing without them; a tank has none. */
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_body_added_inertia(world, body, both));
    for (k = 0; k < 21; ++k) NEAR(both[k], 0, 0);
    def.position = vec3(0.5f, 0, 0);
    OK(vorton_shape_create(world, body, &def, NULL));
    def.position = vec3(-0.5f, 0, 0);
    OK(vorton_shape_create(world, body, &def, &second));
    OK(vorton_body_added_inertia(world, body, both));
    NEAR(both[0] / 2, 0.335, 0.01);
    NEAR(both[6] / 2, 0.83, 0.02);
    NEAR(both[11] / 2, 0.83, 0.02);
    OK(vorton_shape_destroy(world, second));
    def.position = vec3(0.5f, 0, 0);
    OK(vorton_shape_added_inertia(&def, one));
    OK(vorton_body_added_inertia(world, body, both));
    for (k = 0; k < 21; ++k) NEAR(both[k], one[k], 0);
    def.flags = VORTON_SHAPE_HOLE;
    OK(vorton_shape_create(world, body, &def, NULL));
    CHECK(vorton_body_added_inertia(world, body, both) == VORTON_ERR_BAD_VALUE);
    CHECK(vorton_shape_added_inertia(&def, both) == VORTON_ERR_BAD_VALUE);
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "hole"));
    for (k = 0; k < 21; ++k) NEAR(both[k], one[k], 0);
    OK(vorton_world_destroy(world));
}

/* States and impulses may be embedded in the host's own structs. */
typedef struct Thing {
    char name[5];
    VortonBodyState state;
    double mine;
    VortonBodyImpulse impulse;
} Thing;

static void bulk(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 16);
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId ids[4];
    VortonShapeId shape;
    VortonShapeDef box = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonBodyState packed[4], state;
    VortonBodyImpulse impulses[4];
    Thing things[4];
    uint32_t numbers[4], number;
    uint64_t hash;
    VortonStats stats;
    int i;

    memset(things, 0, sizeof things);
    def.temperature = 280;
    for (i = 0; i < 4; ++i) {
        def.temperature += 10;
        ids[i] = make_body(world, &def, 0.25f);
        OK(vorton_body_number(world, ids[i], &numbers[i]));
        CHECK(numbers[i] >= 1 && (i == 0 || numbers[i] != numbers[i - 1]));
        things[i].state = at(2.0f * (float)i, 0, 0);
        things[i].state.velocity = vec3(0, 1, 0.5f * (float)i);
        things[i].state.angular_velocity = vec3(0, 0, (float)i);
        things[i].mine = 77;
    }
    hash = hash_of(world);
    OK(vorton_bodies_set_states(world, ids, &things[0].state, sizeof things[0], 4));
    CHECK(hash_of(world) != hash);
    for (i = 0; i < 4; ++i) {
        OK(vorton_body_read(world, ids[i], &state));
        CHECK(memcmp(&state, &things[i].state, sizeof state) == 0);
        packed[i] = state;
    }
    OK(vorton_bodies_set_states(world, ids, packed, 0, 4));

    /* Bodies keep moving by themselves, exactly. */
    for (i = 0; i < 10; ++i) STEP(vorton_world_step(world, 0.1f));
    for (i = 0; i < 4; ++i) {
        OK(vorton_body_read(world, ids[i], &state));
        NEAR3(state.position, 2.0 * i, 1, 0.5 * i, 1e-5);
        NEAR(state.rotation.z, sin(0.5 * i), 1e-5);
        NEAR(state.rotation.w, cos(0.5 * i), 1e-5);
    }

    /* Strided and packed; no other bytes are written; in fluid at rest there are no impulses. */
    OK(vorton_bodies_take_impulses(world, ids, &things[0].impulse, sizeof things[0], 4));
    OK(vorton_bodies_take_impulses(world, ids, impulses, 0, 4));
    for (i = 0; i < 4; ++i) {
        CHECK(things[i].mine > 76 && things[i].name[4] == 0 && things[i].impulse.hits == 0);
        NEAR(things[i].impulse.temperature, 290 + 10 * i, 0);
        NEAR3(things[i].impulse.linear, 0, 0, 0, 0);
        CHECK(memcmp(&things[i].impulse, &impulses[i], sizeof impulses[i]) == 0);
    }

    /* If an id occurs twice, the last state counts. */
    ids[1] = ids[0];
    OK(vorton_bodies_set_states(world, ids, packed, 0, 4));
    OK(vorton_body_read(world, ids[0], &state));
    CHECK(memcmp(&state, &packed[1], sizeof state) == 0);

    OK(vorton_body_set_temperature(world, ids[2], 512.5f));
    const float inertia[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4};
    OK(vorton_body_set_inertia(world, ids[2], inertia));
    OK(vorton_body_set_inertia(world, ids[2], NULL));
    OK(vorton_body_set_mass(world, ids[2], 0));
    OK(vorton_body_take_impulse(world, ids[2], &impulses[0]));
    NEAR(impulses[0].temperature, 512.5, 0);

    /* When a body is destroyed, the others keep their ids; its slot is reused by another body, with the same
       number and another id. */
    OK(vorton_body_destroy(world, ids[0]));
    CHECK(!vorton_body_is_valid(world, ids[0]) && vorton_body_is_valid(world, ids[3]));
    OK(vorton_body_number(world, ids[3], &number));
    CHECK(number == numbers[3]);
    OK(vorton_body_read(world, ids[3], &state));
    CHECK(memcmp(&state, &packed[3], sizeof state) == 0);
    ids[1] = make_body(world, &def, 0.25f);
    OK(vorton_body_number(world, ids[1], &number));
    CHECK(number == numbers[0] && !vorton_body_is_valid(world, ids[0]));
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(world, &stats));
    CHECK(stats.bodies == 4 && stats.shapes == 4 && stats.body_contacts == 0);

    /* Several shapes, and none. */
    OK(vorton_shape_create(world, ids[1], &box, &shape));
    CHECK(vorton_shape_is_valid(world, shape));
    OK(vorton_shape_destroy(world, shape));
    CHECK(!vorton_shape_is_valid(world, shape));
    STEP(vorton_world_step(world, 0.1f));
    OK(vorton_world_destroy(world));
}

/* Only vortons inside are removed: counted by hand. */
static void embedded(void) {
    enum { EDGE = 12, MOST = EDGE * EDGE * EDGE };
    static VortonVorton vortons[MOST];
    static VortonVec3 places[MOST];
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, MOST);
    const VortonBodyDef def = vorton_default_body_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonTracersId tracers;
    VortonBodyId body;
    VortonBodyState state = at(0.31f, 0.42f, 0.53f);
    size_t inside = 0, near_by = 0, gone, gone_too, count;
    int i;
    memset(vortons, 0, sizeof vortons);
    for (i = 0; i < MOST; ++i) {
        const int x = i % EDGE, y = i / EDGE % EDGE, z = i / EDGE / EDGE;
        places[i] = vec3(0.1f * (float)x, 0.1f * (float)y, 0.1f * (float)z);
        vortons[i].position = places[i];
    }
    for (i = 0; i < MOST; ++i) {
        const double x = places[i].x - state.position.x, y = places[i].y - state.position.y, z = places[i].z - state.position.z;
        const double distance = sqrt(x * x + y * y + z * z);
        CHECK(fabs(distance - 0.25) > 1e-5 && fabs(distance - 0.35) > 1e-5);
        inside += distance < 0.25;
        near_by += distance < 0.35;
    }
    OK(vorton_vortons_add(world, vortons, MOST, NULL));
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_tracers_add(world, tracers, places, NULL, NULL, MOST));
    body = make_body(world, &def, 0.25f);
    OK(vorton_body_place(world, body, &state));
    OK(vorton_world_remove_embedded(world, 0, &gone, &gone_too));
    CHECK(inside > 50 && gone == inside && gone_too == inside);
    OK(vorton_world_remove_embedded(world, 0.1f, &gone, NULL));
    CHECK(near_by > inside && gone == near_by - inside);
    OK(vorton_world_remove_embedded(world, 0.1f, NULL, &gone_too));
    CHECK(gone_too == 0);
    OK(vorton_tracers_read(world, tracers, NULL, 0, NULL, NULL, NULL, NULL, 0, &count));
    CHECK(count == MOST - near_by);
    OK(vorton_world_destroy(world));
}

static VortonBodyImpulse impulse_under_gravity(uint32_t flags, float mass) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonBodyDef def = vorton_default_body_def();
    VortonWorldId world;
    VortonBodyImpulse impulse;
    VortonBodyId body;
    world_def.gravity = vec3(0, 0, -10);
    world_def.max_vortons = 16;
    OK(vorton_world_create(&world_def, &world));
    def.flags = flags;
    def.mass = mass;
    body = make_body(world, &def, 0.5f);
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_body_take_impulse(world, body, &impulse));
    OK(vorton_world_destroy(world));
    return impulse;
}

/* Only lift, to the last bit. */
static void no_push(int line, VortonBodyImpulse impulse) {
    if (memcmp(&impulse.linear, &impulse.lift_linear, sizeof impulse.linear) == 0 &&
        memcmp(&impulse.angular, &impulse.lift_angular, sizeof impulse.angular) == 0)
        return;
    printf("line %d: fluid at rest has pushed a body\n", line);
    exit(1);
}
#define NO_PUSH(impulse) no_push(__LINE__, (impulse))

/* Archimedes, in fluid of density 1, and the body's weight on request. */
static void gravity(void) {
    static const uint32_t flags[] = {0, VORTON_BODY_WEIGHT, VORTON_BODY_NO_BUOYANT_FORCE, VORTON_BODY_WEIGHT};
    static const float masses[] = {2, 2, 2, 0};
    const double lift = 0.01 * 10 * pi / 6;
    /* A static body has no weight either. */
    const double expected[] = {lift, lift - 0.01 * 2 * 10, 0, lift};
    int n;
    for (n = 0; n < 4; ++n) {
        const VortonBodyImpulse impulse = impulse_under_gravity(flags[n], masses[n]);
        NEAR3(impulse.linear, 0, 0, expected[n], 1e-6);
        NO_PUSH(impulse);
    }
    /* With neutral buoyancy the fluid exerts no force. */
    NO_PUSH(impulse_under_gravity(VORTON_BODY_NO_THROUGH, (float)(pi / 6)));
}

/* An impermeable ball: added mass slows its release, and fluid in front moves with it. In fluid of density 1;
   a ball of radius .5 displaces pi / 6. */
static void no_through(void) {
    const double displaced = pi / 6, mass = 0.2 * displaced, dt = 0.01;
    /* (1 - .2) g V over the mass and half of the displaced mass; the engine adds its weight. */
    const double velocity = dt * 10 * (1 - 0.2) / (0.2 + 0.5);
    VortonWorldDef world_def = vorton_default_world_def();
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyState state = at(0, 0, 0);
    VortonWorldId world;
    VortonBodyId body;
    VortonInvariants sums;
    float front[3] = {0, 0, 0.75f}, fluid[3];

    /* Lift is unchanged; the reaction of the accelerated fluid is a push. */
    const VortonBodyImpulse impulse = impulse_under_gravity(VORTON_BODY_NO_THROUGH, (float)mass);
    NEAR3(impulse.linear, 0, 0, mass * (velocity + dt * 10), 1e-5);
    NEAR3(impulse.lift_linear, 0, 0, dt * 10 * displaced, 1e-6);

    world_def.core_radius = 0.1f;
    world_def.max_vortons = 16;
    OK(vorton_world_create(&world_def, &world));
    def.flags = VORTON_BODY_NO_THROUGH | VORTON_BODY_NO_BUOYANT_FORCE;
    def.mass = 0;
    def.velocity = vec3(0, 0, 1);
    body = make_body(world, &def, 0.5f);
    state.velocity = vec3(0, 0, 1);
    OK(vorton_bodies_set_states(world, &body, &state, sizeof state, 1));
    STEP(vorton_world_step(world, 1e-3f));
    STEP(vorton_world_step(world, 1e-3f));
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, front, sizeof front, fluid, sizeof fluid, 1));
    /* A dipole: (R / r)^3. */
    NEAR(fluid[2], 8.0 / 27, 0.02);
    memset(&sums, 0, sizeof sums);
    sums.struct_size = sizeof sums;
    OK(vorton_world_invariants(world, &sums));
    NEAR(sums.bound_impulse[2], 0.5 * displaced, 0.01);
    OK(vorton_world_destroy(world));
}

/* A ring of 300 vortons, and a static ball in its path. */
static VortonBodyId ring_and_ball(VortonVec3 place, VortonWorldId *out) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonBodyDef def = vorton_default_body_def();
    world_def.max_vortons = 400;
    world_def.solver = VORTON_SOLVER_DIRECT;
    world_def.gravity.y = -10;
    OK(vorton_world_create(&world_def, out));
    ring.count = 300;
    OK(vorton_world_add_initial(*out, &ring, NULL, NULL));
    def.position = place;
    def.mass = 0;
    return make_body(*out, &def, 0.3f);
}

static VortonInvariants invariants_of(VortonWorldId world) {
    VortonInvariants invariants;
    memset(&invariants, 0, sizeof invariants);
    invariants.struct_size = sizeof invariants;
    OK(vorton_world_invariants(world, &invariants));
    return invariants;
}

/* The momentum that the fluid loses pushes the ball: in fluid of density 1, momentum is the impulse of the
 * vortons and of the bound strength. Lift is as without vortons. */
static void ledger(void) {
    static const VortonVec3 places[] = {{0.9f, 0.1f, 0.35f}, {-0.7f, 0.6f, -0.2f}, {0, -1.05f, 0.32f}};
    size_t n;
    int k;
    for (n = 0; n < sizeof places / sizeof places[0]; ++n) {
        VortonWorldId world;
        const VortonBodyId body = ring_and_ball(places[n], &world);
        const VortonInvariants before = invariants_of(world);
        double got[3] = {0, 0, 0};
        uint32_t hits = 0;
        int step;
        for (k = 0; k < 3; ++k) CHECK(before.bound_strength[k] == 0 && before.bound_impulse[k] == 0);
        for (step = 0; step < 20; ++step) {
            VortonBodyImpulse impulse;
            VortonInvariants now;
            double most = 0;
            STEP(vorton_world_step(world, 0.01f));
            OK(vorton_body_take_impulse(world, body, &impulse));
            now = invariants_of(world);
            NEAR3(impulse.lift_linear, 0, 0.01 * 10 * pi * 4 / 3 * 0.027, 0, 1e-8);
            NEAR3(impulse.lift_angular, 0, 0, 0, 1e-8);
            got[0] += (double)impulse.linear.x - (double)impulse.lift_linear.x;
            got[1] += (double)impulse.linear.y - (double)impulse.lift_linear.y;
            got[2] += (double)impulse.linear.z - (double)impulse.lift_linear.z;
            hits += impulse.hits;
            /* Single-precision rounding of strengths, positions and impulses. */
            for (k = 0; k < 3; ++k) {
                const double fluid = now.linear_impulse[k] + now.bound_impulse[k] - now.owed_impulse[k];
                const double lost = before.linear_impulse[k] - fluid;
                const double strength = before.total_strength[k] - now.total_strength[k];
                NEAR(got[k], lost, 1e-5 * before.linear_impulse[2]);
                NEAR(strength, now.bound_strength[k], 1e-5 * before.strength_magnitude);
                most = fmax(most, fabs(now.bound_impulse[k]));
            }
            CHECK(most > 1e-4 * before.linear_impulse[2]);
        }
        CHECK(hits > 0 && fabs(got[0]) + fabs(got[1]) + fabs(got[2]) > 1e-3 * before.linear_impulse[2]);
        OK(vorton_world_destroy(world));
    }
}

/* The total impulse does not depend on how often it is taken: all of it goes to the first call, once. */
static void taking(void) {
    const VortonVec3 place = {0.9f, 0.1f, 0.35f};
    VortonWorldId often, once;
    const VortonBodyId a = ring_and_ball(place, &often), b = ring_and_ball(place, &once);
    VortonBodyId twice[2];
    VortonBodyImpulse impulse, both[2];
    VortonStats stats;
    double sum = 0, lost = 0, turn = 0;
    unsigned hits = 0;
    int step;
    stats.struct_size = sizeof stats;
    for (step = 0; step < 20; ++step) {
        STEP(vorton_world_step(often, 0.01f));
        STEP(vorton_world_step(once, 0.01f));
        OK(vorton_body_take_impulse(often, a, &impulse));
        OK(vorton_world_stats(often, &stats));
        CHECK(impulse.hits == stats.body_contacts && impulse.lost_energy >= 0);
        sum += (double)impulse.linear.x;
        turn += (double)impulse.angular.y;
        lost += (double)impulse.lost_energy;
        hits += impulse.hits;
    }
    twice[0] = twice[1] = b;
    OK(vorton_bodies_take_impulses(once, twice, both, 0, 2));
    CHECK(hits > 100 && lost > 0 && both[0].hits == hits && both[1].hits == 0);
    /* Twenty roundings to single precision. */
    NEAR((double)both[0].linear.x, sum, 2e-6 * fabs(sum));
    NEAR((double)both[0].angular.y, turn, 2e-6 * fabs(turn));
    NEAR((double)both[0].lost_energy, lost, 2e-6 * lost);
    NEAR3(both[1].linear, 0, 0, 0, 0);
    NEAR(both[1].temperature, both[0].temperature, 0);
    CHECK(hash_of(often) == hash_of(once));
    OK(vorton_world_destroy(often));
    OK(vorton_world_destroy(once));
    printf("%u vortons touched the ball\n", hits);
}

/* Host particles hit a moving ball, which receives the momentum that they lose; several calls accumulate
   until it is taken. */
static void particles(void) {
    enum { COUNT = 3 };
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 16);
    const VortonBodyDef still = vorton_default_body_def();
    VortonOpDef op_def = vorton_default_op_def(VORTON_OP_COLLIDE);
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId other, ball;
    VortonOpId op;
    VortonBodyImpulse impulse;
    VortonOpResult result;
    VortonStream streams[3];
    VortonParticleView view;
    float positions[COUNT][3], velocities[COUNT][3];
    uint32_t hits[COUNT], number;
    int run, i;

    other = make_body(world, &still, 0.1f);
    def.position = vec3(5, 0, 0);
    def.velocity = vec3(-1, 0, 0);
    ball = make_body(world, &def, 0.5f);
    OK(vorton_body_number(world, ball, &number));
    STEP(vorton_world_step(world, 0.1f));
    op_def.mass = 0.25f;
    op_def.restitution = 0.5f;
    OK(vorton_op_create(world, &op_def, &op));
    memset(streams, 0, sizeof streams);
    for (i = 0; i < 3; ++i) {
        streams[i].semantic = i == 0 ? VORTON_POSITION : i == 1 ? VORTON_VELOCITY : VORTON_HIT;
        streams[i].format = i == 2 ? VORTON_U32 : VORTON_F32X3;
        streams[i].stride = i == 2 ? 4 : 12;
        streams[i].base = i == 0 ? (void *)positions : i == 1 ? (void *)velocities : (void *)hits;
    }
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 3;
    view.streams = streams;
    view.count = view.capacity = COUNT;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    for (run = 0; run < 2; ++run) {
        memset(positions, 0, sizeof positions);
        memset(velocities, 0, sizeof velocities);
        memset(hits, 0xff, sizeof hits);
        /* Straight at the ball's front, from 4.3 to 4.7, while the ball moved from 4.5 to 4.4; the others
           pass far away. */
        positions[0][0] = 4.7f;
        velocities[0][0] = 4;
        positions[1][1] = positions[2][2] = 9;
        OK(vorton_ops_run(world, &op, 1, &view, 0.1f, 0, &result));
        CHECK(result.hits == 1 && hits[0] == number && hits[1] == 0 && hits[2] == 0);
        NEAR(positions[0][0], 4.4, 1e-3);
        /* 5 m/s against the ball before, 2.5 away from it afterwards. */
        NEAR(velocities[0][0], -1 - 2.5, 1e-5);
    }
    OK(vorton_body_take_impulse(world, ball, &impulse));
    NEAR3(impulse.linear, 2 * 0.25 * 7.5, 0, 0, 1e-5);
    NEAR3(impulse.angular, 0, 0, 0, 1e-5);
    NEAR(impulse.lost_energy, 2 * 0.5 * 0.25 * (25 - 6.25), 1e-4);
    CHECK(impulse.hits == 2);
    OK(vorton_body_take_impulse(world, other, &impulse));
    CHECK(impulse.hits == 0);

    /* A destroyed body receives nothing, nor does the new body in its slot. */
    OK(vorton_body_destroy(world, ball));
    positions[0][0] = 4.7f;
    velocities[0][0] = 4;
    OK(vorton_ops_run(world, &op, 1, &view, 0.1f, 0, &result));
    CHECK(result.hits == 1);
    ball = make_body(world, &def, 0.5f);
    OK(vorton_body_take_impulse(world, ball, &impulse));
    CHECK(impulse.hits == 0);
    NEAR3(impulse.linear, 0, 0, 0, 0);
    OK(vorton_world_destroy(world));
}

/* Two layers in a tank that is moved by twice its width in a step: no vorton is left behind, and the layers
   stay at rest in the tank. */
static void containers(void) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef hole = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonInitialDef layer = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BOX);
    VortonWorldId world;
    VortonBodyId body;
    VortonShapeId shape;
    VortonBodyState state;
    VortonStats stats = vorton_default_stats();
    static VortonVorton vortons[4000];
    size_t count, i;
    int step;
    world_def.core_radius = 0.15f;
    world_def.relaxation_rate = 0;
    world_def.gravity.z = -10;
    OK(vorton_world_create(&world_def, &world));
    def.mass = 0;
    OK(vorton_body_create(world, &def, &body));
    hole.flags = VORTON_SHAPE_HOLE;
    OK(vorton_shape_create(world, body, &hole, &shape));
    layer.extent = vec3(1, 1, 0.5f);
    layer.spacing = 0.1f;
    for (i = 0; i < 2; ++i) {
        layer.centre.z = i == 0 ? -0.25f : 0.25f;
        layer.density_deviation = i == 0 ? 0.1f : -0.1f;
        OK(vorton_world_add_initial(world, &layer, NULL, NULL));
    }
    memset(&state, 0, sizeof state);
    state.rotation.w = 1;
    for (step = 0; step < 20; ++step) {
        /* By its position alone: the engine passes no velocity. */
        state.position.x = step % 2 == 0 ? 0 : 2.0f;
        OK(vorton_body_set_state(world, body, &state));
        STEP(vorton_world_step(world, 1.0f / 60));
        OK(vorton_vortons_read(world, vortons, 4000, &count));
        OK(vorton_world_stats(world, &stats));
        CHECK(count + stats.merged >= 1000 && stats.merged < 100);
        for (i = 0; i < count; ++i) {
            CHECK(fabs(vortons[i].position.x - state.position.x) < 0.5 && fabs(vortons[i].position.y) < 0.5);
            CHECK(fabs(vortons[i].position.z) < 0.5);
        }
    }
    OK(vorton_world_destroy(world));
}

/* A host with an engine with gravity and one body of density 2, which floats in fluid of that density, or
 * between layers of density 3 and 1. */
typedef struct Engine {
    VortonWorldId world;
    VortonBodyId body;
    VortonBodyState state;
    double mass, push, pushes[3];
    int sleeps;
} Engine;

static Engine float_cork(uint32_t threads, uint32_t flags, int layers) {
    VortonWorldDef world_def = vorton_default_world_def();
    VortonBodyDef def = vorton_default_body_def();
    Engine engine;
    memset(&engine, 0, sizeof engine);
    world_def.threads = threads;
    world_def.worker_count = 2;
    world_def.max_vortons = 400;
    world_def.gravity.z = -10;
    world_def.ambient_density = 2;
    world_def.stratification = layers ? VORTON_STRATIFICATION_LAYERS : VORTON_STRATIFICATION_NONE;
    world_def.layer_jump = -2;
    world_def.relaxation_rate = 0;
    world_def.solver = VORTON_SOLVER_DIRECT;
    OK(vorton_world_create(&world_def, &engine.world));
    engine.mass = 2 * 4 * pi / 3 * 0.027;
    engine.state = at(0.1f, 0.2f, 0);
    def.mass = (float)engine.mass;
    def.flags = flags;
    def.position = engine.state.position;
    engine.body = make_body(engine.world, &def, 0.3f);
    return engine;
}

static void add_to(VortonVec3 *sum, VortonVec3 v, float factor) {
    *sum = vec3(sum->x + v.x * factor, sum->y + v.y * factor, sum->z + v.z * factor);
}

static double length(VortonVec3 v) { return sqrt((double)(v.x * v.x + v.y * v.y + v.z * v.z)); }

/* One millimetre per second wakes the body. */
static void frame(Engine *engine, float dt) {
    VortonVec3 *velocity = &engine->state.velocity, push;
    VortonBodyImpulse impulse;
    if (!engine->sleeps) OK(vorton_body_set_state(engine->world, engine->body, &engine->state));
    STEP(vorton_world_step(engine->world, dt));
    OK(vorton_body_take_impulse(engine->world, engine->body, &impulse));
    push = impulse.linear;
    add_to(&push, impulse.lift_linear, -1);
    engine->push = length(push);
    engine->pushes[0] += (double)push.x;
    engine->pushes[1] += (double)push.y;
    engine->pushes[2] += (double)push.z;
    if (engine->sleeps) {
        NEAR3(impulse.lift_linear, 0, 0, 0, 0);
        NEAR3(impulse.lift_angular, 0, 0, 0, 0);
        if (engine->push < 1e-3 * engine->mass) return;
        engine->sleeps = 0;
        OK(vorton_body_set_awake(engine->world, engine->body, true));
    } else {
        velocity->z -= 10 * dt;
    }
    add_to(velocity, impulse.linear, (float)(1 / engine->mass));
    add_to(&engine->state.position, *velocity, dt);
}

/* It sleeps through frames of any length in fluid at rest, until a ring hits it. Then it continues as a body
 * that has never slept, without the pushes before it woke. */
static uint64_t sleep_until_hit(uint32_t threads, uint32_t flags, int frames, int layers) {
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    Engine one = float_cork(threads, flags, layers), other = float_cork(threads, flags, layers);
    VortonInvariants start, end;
    VortonBodyState before, now;
    VortonVec3 difference;
    uint64_t hash;
    bool awake;
    int n, woken = -1, k;
    for (n = 0; n < 5; ++n) {
        frame(&one, 1.0f / 60);
        frame(&other, 1.0f / 60);
    }
    OK(vorton_body_is_awake(one.world, one.body, &awake));
    CHECK(awake && hash_of(one.world) == hash_of(other.world));
    one.sleeps = 1;
    OK(vorton_body_set_awake(one.world, one.body, false));
    OK(vorton_body_is_awake(one.world, one.body, &awake));
    CHECK(!awake && hash_of(one.world) != hash_of(other.world));
    OK(vorton_body_read(one.world, one.body, &before));
    for (n = 0; n < frames; ++n) {
        const float dt = 1.0f / 144 + random_unit((uint32_t)n) * (1.0f / 15 - 1.0f / 144);
        frame(&one, dt);
        OK(vorton_body_read(one.world, one.body, &now));
        CHECK(one.sleeps && one.push < 1e-6 * one.mass && memcmp(&before, &now, sizeof now) == 0);
        frame(&other, dt);
    }

    ring.centre = vec3(-0.6f, 0, 0);
    ring.axis = vec3(1, 0, 0);
    ring.radius = 0.4f;
    ring.circulation = 0.5f;
    ring.count = 60;
    OK(vorton_world_add_initial(one.world, &ring, NULL, NULL));
    OK(vorton_world_add_initial(other.world, &ring, NULL, NULL));
    start = invariants_of(one.world);
    memset(one.pushes, 0, sizeof one.pushes);
    for (n = 0; woken < 0 || n < woken + 8; ++n) {
        CHECK(n < 300);
        frame(&one, 1.0f / 60);
        frame(&other, 1.0f / 60);
        if (!one.sleeps && woken < 0) woken = n;
    }
    OK(vorton_body_is_awake(one.world, one.body, &awake));
    CHECK(awake && woken > 0);
    difference = one.state.velocity;
    add_to(&difference, other.state.velocity, -1);
    CHECK(length(difference) < 0.05 * length(other.state.velocity));
    end = invariants_of(one.world);
    for (k = 0; k < 3; ++k) {
        const double lost = start.linear_impulse[k] - end.linear_impulse[k] - end.bound_impulse[k];
        /* Between layers, even a ring alone does not conserve its impulse to the last bit. */
        NEAR(one.pushes[k], 2 * lost, (layers ? 5e-3 : 1e-6) * start.linear_impulse[0]);
    }
    hash = hash_of(one.world);
    OK(vorton_world_destroy(one.world));
    OK(vorton_world_destroy(other.world));
    return hash;
}

static void asleep(void) {
    const uint64_t hash = sleep_until_hit(VORTON_THREADS_SERIAL, 0, 1000, 1);
    CHECK(hash == sleep_until_hit(VORTON_THREADS_POOL, 0, 1000, 1));
    (void)sleep_until_hit(VORTON_THREADS_SERIAL, 0, 1000, 0);
    (void)sleep_until_hit(VORTON_THREADS_SERIAL, VORTON_BODY_NO_THROUGH, 20, 0);
}

/* The states and impulses that a sleeping body accepts, and its motion when it wakes. */
static void told_asleep(void) {
    Engine cork = float_cork(VORTON_THREADS_SERIAL, VORTON_BODY_WEIGHT, 0);
    VortonBodyState state = at(1, 2, 3), now;
    VortonBodyImpulse impulse;
    state.velocity = vec3(4, 5, 6);
    state.angular_velocity = vec3(7, 8, 9);
    STEP(vorton_world_step(cork.world, 0.01f));
    OK(vorton_body_set_mass(cork.world, cork.body, (float)(2 * cork.mass)));
    STEP(vorton_world_step(cork.world, 0.01f));
    OK(vorton_body_set_awake(cork.world, cork.body, false));
    OK(vorton_body_take_impulse(cork.world, cork.body, &impulse));
    NEAR3(impulse.linear, 0, 0, 0, 0);
    OK(vorton_body_set_state(cork.world, cork.body, &state));
    STEP(vorton_world_step(cork.world, 0.1f));
    OK(vorton_body_place(cork.world, cork.body, &state));
    STEP(vorton_world_step(cork.world, 0.1f));
    OK(vorton_body_read(cork.world, cork.body, &now));
    NEAR3(now.position, 1, 2, 3, 0);
    NEAR3(now.velocity, 0, 0, 0, 0);
    NEAR3(now.angular_velocity, 0, 0, 0, 0);
    OK(vorton_body_set_awake(cork.world, cork.body, false));
    OK(vorton_body_set_awake(cork.world, cork.body, true));
    OK(vorton_body_set_awake(cork.world, cork.body, true));
    /* Twice the fluid's density: it falls with half of gravity. */
    STEP(vorton_world_step(cork.world, 0.1f));
    OK(vorton_body_read(cork.world, cork.body, &now));
    NEAR3(now.velocity, 0, 0, -0.5 * 10 * 0.1, 1e-5);
    OK(vorton_body_take_impulse(cork.world, cork.body, &impulse));
    NEAR3(impulse.linear, 0, 0, -cork.mass * 10 * 0.1, 1e-5);
    NO_PUSH(impulse);
    OK(vorton_world_destroy(cork.world));
}

/* A body supported by the engine, for instance on a floor, receives no pushes once the support is detected;
 * sleep does not reset the detection. */
static void held(void) {
    static const uint32_t flags[] = {0, VORTON_BODY_NO_THROUGH, 0}, shapes[] = {0, 0, VORTON_SHAPE_HOLE};
    static const int frames[] = {0, 1, 20};
    int n, k;
    for (n = 0; n < 3; ++n) {
        const VortonBodyState state = at(0, 0, 0);
        VortonWorldDef world_def = vorton_default_world_def();
        VortonBodyDef def = vorton_default_body_def();
        VortonShapeDef box = vorton_default_shape_def(VORTON_SHAPE_BOX);
        VortonWorldId world;
        VortonBodyId body;
        world_def.gravity.z = -10;
        world_def.max_vortons = 16;
        OK(vorton_world_create(&world_def, &world));
        def.flags = flags[n];
        def.mass = 5;
        box.flags = shapes[n];
        OK(vorton_body_create(world, &def, &body));
        OK(vorton_shape_create(world, body, &box, NULL));
        for (k = 0; k < 30; ++k) {
            VortonBodyImpulse impulse;
            if (k == 22 || k == 26) OK(vorton_body_set_awake(world, body, k == 26));
            if (k < 22 || k >= 26) OK(vorton_body_set_state(world, body, &state));
            STEP(vorton_world_step(world, 1.0f / 60));
            OK(vorton_body_take_impulse(world, body, &impulse));
            /* In fluid of density 1; the contents of a hole weigh as much as the lift of a solid. */
            if (k < 22 || k >= 26) NEAR3(impulse.lift_linear, 0, 0, (n == 2 ? -10 : 10) / 60.0, 1e-6);
            if (k >= frames[n]) NEAR(impulse.linear.z - impulse.lift_linear.z, 0, 2e-6);
        }
        OK(vorton_world_destroy(world));
    }
}

int main(void) {
    held();
    told_asleep();
    asleep();
    containers();
    mass_properties();
    added_inertia();
    bulk();
    embedded();
    gravity();
    no_through();
    ledger();
    taking();
    particles();
    return 0;
}
