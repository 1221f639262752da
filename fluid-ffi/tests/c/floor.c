/* Half-spaces: a ring spreads on a floor as in theory, nothing passes below, and invalid use is refused. */
#include "check.h"

#include <math.h>

enum { COUNT = 256, TRACERS = 2000 };

static VortonBodyId make_half_space(VortonWorldId world, VortonQuat rotation) {
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonBodyId body;
    def.mass = 0;
    def.rotation = rotation;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, &shape, NULL));
    return body;
}

static VortonQuat about_y(double angle) {
    VortonQuat q;
    q.x = q.z = 0;
    q.y = (float)sin(0.5 * angle);
    q.w = (float)cos(0.5 * angle);
    return q;
}

/* Radius and height of a ring of R = .7, sigma = .08 and a circulation of 1.3, starting .8 above the floor.
 * */
static void spreads(int rate) {
    static const double radii[] = {0.7802, 1.2730, 2.7144}, heights[] = {0.3453, 0.1066, 0.0450};
    static VortonVorton vortons[COUNT];
    static VortonVec3 places[TRACERS];
    VortonWorldDef world_def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    const VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonTracersId tracers;
    VortonWorldId world;
    size_t count, i;
    int frame;
    world_def.core_radius = 0.08f;
    world_def.solver = VORTON_SOLVER_DIRECT;
    OK(vorton_world_create(&world_def, &world));
    make_half_space(world, about_y(0));
    ring.centre = vec3(0, 0, 0.8f);
    ring.axis = vec3(0, 0, -1);
    ring.radius = 0.7f;
    ring.circulation = 1.3f;
    ring.count = COUNT;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    for (i = 0; i < TRACERS; ++i) {
        const uint32_t n = 3 * (uint32_t)i;
        places[i] = vec3(3 * random_unit(n) - 1.5f, 3 * random_unit(n + 1) - 1.5f, 0.001f + random_unit(n + 2));
    }
    OK(vorton_tracers_add(world, tracers, places, NULL, NULL, TRACERS));
    for (frame = 1; frame <= 3 * rate; ++frame) {
        uint32_t steps;
        OK(vorton_world_advance(world, 1.0f / (float)rate, 1.0f, 8, &steps));
        if (frame % rate == 0) {
            const int second = frame / rate;
            double radius = 0, height = 0;
            OK(vorton_vortons_read(world, vortons, COUNT, &count));
            CHECK(count == COUNT);
            for (i = 0; i < count; ++i) {
                const VortonVec3 x = vortons[i].position;
                radius += sqrt((double)x.x * x.x + (double)x.y * x.y) / COUNT;
                height += (double)x.z / COUNT;
                CHECK(x.z > 0);
            }
            printf("%d Hz, %d s: radius %.4f, height %.4f\n", rate, second, radius, height);
            CHECK(fabs(radius / radii[second - 1] - 1) < 0.01 && fabs(height / heights[second - 1] - 1) < 0.01);
            OK(vorton_tracers_read(world, tracers, &places[0].x, sizeof places[0], NULL, NULL, NULL, NULL, TRACERS, &count));
            CHECK(count == TRACERS);
            for (i = 0; i < count; ++i) CHECK(places[i].z > 0);
        }
    }
    OK(vorton_world_destroy(world));
}

static void refuses(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 100);
    const VortonBodyDef free_def = vorton_default_body_def();
    VortonBodyDef driven_def = free_def;
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE), ball, hole = shape;
    VortonMassProperties mass;
    VortonBodyId body, floor_body, wall, ids[2];
    VortonBodyState before, after, states[2];
    float added[21];
    uint64_t hash;
    ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    driven_def.mass = 0;
    REFUSED_FOR(vorton_shape_mass_properties(&shape, &mass), "half-space");
    REFUSED_FOR(vorton_shape_added_inertia(&shape, added), "half-space");
    hole.flags = VORTON_SHAPE_HOLE;
    OK(vorton_body_create(world, &free_def, &body));
    hash = hash_of(world);
    REFUSED_FOR(vorton_shape_create(world, body, &shape, NULL), "mass");
    REFUSED_FOR(vorton_shape_create(world, body, &hole, NULL), "HOLE");
    CHECK(hash_of(world) == hash);
    OK(vorton_shape_create(world, body, &ball, NULL));

    floor_body = make_half_space(world, about_y(0));
    REFUSED_FOR(vorton_shape_create(world, floor_body, &ball, NULL), "number of shapes");
    REFUSED_FOR(vorton_body_set_mass(world, floor_body, 1), "mass");
    REFUSED_FOR(vorton_body_added_inertia(world, floor_body, added), "half-space");
    driven_def.rotation = about_y(1);
    OK(vorton_body_create(world, &driven_def, &body));
    REFUSED_FOR(vorton_shape_create(world, body, &shape, NULL), "right angles");
    /* Without its shape the body is no obstacle, and may be turned. */
    OK(vorton_body_read(world, body, &after));
    after.rotation = about_y(2 * atan(1.0));
    OK(vorton_body_set_state(world, body, &after));
    OK(vorton_shape_create(world, body, &shape, NULL));
    wall = body;

    /* All or none: the first of the two states is valid. */
    OK(vorton_body_read(world, floor_body, &before));
    ids[0] = floor_body;
    ids[1] = wall;
    states[0] = before;
    states[0].position.z = 1;
    states[1] = after;
    states[1].rotation = about_y(1);
    REFUSED_FOR(vorton_bodies_set_states(world, ids, states, 0, 2), "states[1]");
    states[1] = after;
    states[1].angular_velocity.x = 1;
    REFUSED_FOR(vorton_bodies_set_states(world, ids, states, 0, 2), "angular_velocity");
    OK(vorton_body_read(world, floor_body, &after));
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    OK(vorton_bodies_set_states(world, ids, states, 0, 1));
    OK(vorton_world_step(world, 0.02f));
    OK(vorton_world_destroy(world));
}

int main(void) {
    refuses();
    spreads(24);
    spreads(60);
    spreads(120);
    return 0;
}
