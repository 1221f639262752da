/* Vortons without strength around bodies: all points of the lattice at the requested distances, and no
 * others; and bodies that move through fluid without vortons unhindered are braked by it. */
#include "check.h"

#include <math.h>

enum { ROOM = 20000 };

#define REFUSED(code, call) check_result(__FILE__, __LINE__, #call, code, (call))

static const VortonVec3 middle = {0.1137f, -0.0512f, 0.0274f};
static VortonVorton vortons[ROOM];

static VortonBodyId add_ball(VortonWorldId world, VortonVec3 position, float radius) {
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId body;
    def.position = position;
    shape.radius = radius;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, &shape, NULL));
    return body;
}

static VortonBodyId add_fixed(VortonWorldId world, VortonVec3 position, const VortonShapeDef *shape) {
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId body;
    def.mass = 0;
    def.position = position;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, shape, NULL));
    return body;
}

static size_t read_all(VortonWorldId world) {
    size_t count = 0;
    OK(vorton_vortons_read(world, vortons, ROOM, &count));
    return count;
}

static double from_ball(const VortonVec3 *place, VortonVec3 centre, double radius) {
    const double x = (double)place->x - (double)centre.x, y = (double)place->y - (double)centre.y, z = (double)place->z - (double)centre.z;
    return sqrt(x * x + y * y + z * z) - radius;
}

/* By default a shell from one to three core radii, on a lattice of two thirds of a core radius. */
static void where_they_are(void) {
    const float core = 0.12f, spacing = core / 1.5f;
    VortonWorldDef world_def = vorton_default_world_def();
    VortonSurroundDef def = vorton_default_surround_def();
    VortonWorldId world;
    VortonBodyId ball;
    uint64_t first = 77;
    size_t count = 77, again = 77, i, expected = 0, borderline = 0;
    int x, y, z;
    world_def.core_radius = core;
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_bodies_surround(world, &def, &first, &count)); /* No body, no vorton. */
    CHECK(count == 0 && read_all(world) == 0);
    add_ring(world, 10);
    ball = add_ball(world, middle, 0.41f);
    OK(vorton_bodies_surround(world, &def, &first, &count));
    CHECK(first == 10 && read_all(world) == 10 + count);
    for (z = -20; z <= 20; ++z) {
        for (y = -20; y <= 20; ++y) {
            for (x = -20; x <= 20; ++x) {
                const VortonVec3 place = vec3((float)x * spacing, (float)y * spacing, (float)z * spacing);
                const double far = from_ball(&place, middle, 0.41);
                expected += far > 0.12 && far < 0.36;
                borderline += fabs(far - 0.12) < 1e-5 || fabs(far - 0.36) < 1e-5;
            }
        }
    }
    CHECK(borderline == 0 && count == expected && count > 1000);
    for (i = 10; i < 10 + count; ++i) {
        const VortonVorton *v = &vortons[i];
        const double far = from_ball(&v->position, middle, 0.41);
        CHECK(far > 0.12 && far < 0.36 && v->id == i && v->flags == 0 && v->age == 0);
        CHECK(v->strength.x == 0 && v->strength.y == 0 && v->strength.z == 0 && v->mass_deviation == 0 && v->dye == 0);
        CHECK(fabsf(v->volume / (spacing * spacing * spacing) - 1) < 1e-6f);
    }
    /* A second call adds nothing; a thicker shell adds only the missing vortons. */
    OK(vorton_bodies_surround(world, &def, NULL, &again));
    CHECK(again == 0);
    def.thickness = 0.45f;
    def.body = ball;
    OK(vorton_bodies_surround(world, &def, NULL, &again));
    CHECK(again > count / 4 && read_all(world) == 10 + count + again);
    for (i = 10 + count; i < 10 + count + again; ++i) CHECK(from_ball(&vortons[i].position, middle, 0.41) >= 0.36);
    OK(vorton_bodies_surround(world, &def, NULL, NULL));
    CHECK(read_all(world) == 10 + count + again);
    /* None where vortons are removed. */
    OK(vorton_vortons_clear(world));
    {
        VortonKillVolume below = vorton_default_kill_volume();
        below.position.z = -5;
        below.half_extents = vec3(5, 5, 5);
        OK(vorton_world_set_kill_volumes(world, &below, 1));
        OK(vorton_bodies_surround(world, &def, NULL, &count));
        CHECK(count > 500 && read_all(world) == count);
        for (i = 0; i < count; ++i) CHECK(vortons[i].position.z > 0);
        STEP(vorton_world_step(world, 0.01f));
        CHECK(read_all(world) == count);
    }
    OK(vorton_body_destroy(world, ball));
    REFUSED(VORTON_ERR_STALE_ID, vorton_bodies_surround(world, &def, NULL, &count));
    OK(vorton_world_destroy(world));
}

static void floors_tanks_and_level_geometry(void) {
    static const float corners[] = {-1, -1, 0, 1, -1, 0, 0, 1, 0.2f};
    static const uint32_t corner_numbers[] = {0, 1, 2};
    VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, ROOM);
    VortonSurroundDef def = vorton_default_surround_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonBodyId floor = add_fixed(world, vec3(0, 0, -0.5f), &shape), tank, mesh;
    size_t count = 77, i;
    /* Without low and high they are only obstacles. */
    OK(vorton_bodies_surround(world, &def, NULL, &count));
    CHECK(count == 0);
    def.body = floor;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_surround(world, &def, NULL, &count));
    def.low = vec3(-0.5f, -0.5f, -3);
    def.high = vec3(0.5f, 0.3f, 3);
    OK(vorton_bodies_surround(world, &def, NULL, &count));
    CHECK(count == 15 * 12 * 4 && read_all(world) == count);
    for (i = 0; i < count; ++i) CHECK(vortons[i].position.z > -0.5f + 0.5f * 0.0666f && vortons[i].position.z < -0.2f);
    shape = vorton_default_shape_def(VORTON_SHAPE_MESH);
    shape.points = corners;
    shape.point_count = 3;
    shape.triangles = corner_numbers;
    shape.triangle_count = 1;
    mesh = add_fixed(world, vec3(0, 0, 5), &shape);
    def.body = mesh;
    OK(vorton_bodies_surround(world, &def, NULL, &count));
    CHECK(count == 0);
    def.high.z = 6;
    OK(vorton_bodies_surround(world, &def, NULL, &count));
    CHECK(count > 100);
    OK(vorton_vortons_clear(world));
    /* A tank is filled, up to half a spacing from its walls. */
    shape = vorton_default_shape_def(VORTON_SHAPE_BOX);
    shape.flags = VORTON_SHAPE_HOLE;
    shape.half_extents = vec3(0.5f, 0.5f, 0.5f);
    tank = add_fixed(world, vec3(0, 0, 2), &shape);
    def = vorton_default_surround_def();
    def.body = tank;
    def.spacing = 0.1f;
    def.thickness = 1;
    OK(vorton_bodies_surround(world, &def, NULL, &count));
    CHECK(count == 9 * 9 * 9 && read_all(world) == count);
    for (i = 0; i < count; ++i) {
        const VortonVec3 p = vortons[i].position;
        CHECK(fabsf(p.x) < 0.451f && fabsf(p.y) < 0.451f && fabsf(p.z - 2) < 0.451f);
    }
    OK(vorton_world_destroy(world));
}

/* All or none. */
static void too_many(void) {
    VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 300);
    VortonSurroundDef def = vorton_default_surround_def();
    size_t count = 77;
    uint64_t first = 77;
    (void)add_ball(world, vec3(0, 0, 0), 0.3f);
    add_ring(world, 20);
    REFUSED(VORTON_ERR_CAPACITY, vorton_bodies_surround(world, &def, &first, &count));
    CHECK(count == 77 && first == 77 && read_all(world) == 20);
    /* A region that would take minutes. */
    def.spacing = 1e-5f;
    REFUSED(VORTON_ERR_BAD_VALUE, vorton_bodies_surround(world, &def, &first, &count));
    CHECK(count == 77 && first == 77 && read_all(world) == 20);
    OK(vorton_world_destroy(world));
}

/* Impulse on a ball that an engine moves at 1 m/s along x for half a second. */
static VortonBodyImpulse drive(uint32_t threads, bool surrounded, uint64_t *hash, size_t *out_count) {
    VortonWorldId world = make_world(threads, 2, ROOM);
    VortonBodyId ball = add_ball(world, vec3(0, 0, 0), 0.3f);
    VortonSurroundDef def = vorton_default_surround_def();
    VortonBodyImpulse impulse, sum;
    VortonBodyState state;
    int frame;
    *out_count = 0;
    if (surrounded) OK(vorton_bodies_surround(world, &def, NULL, out_count));
    memset(&sum, 0, sizeof sum);
    memset(&state, 0, sizeof state);
    state.rotation.w = 1;
    state.velocity.x = 1;
    for (frame = 0; frame < 30; ++frame) {
        state.position.x = (float)frame / 60;
        OK(vorton_body_set_state(world, ball, &state));
        STEP(vorton_world_step(world, 1.0f / 60));
        OK(vorton_body_take_impulse(world, ball, &impulse));
        sum.linear.x += impulse.linear.x;
        sum.linear.y += impulse.linear.y;
        sum.hits += impulse.hits;
    }
    *hash = hash_of(world);
    OK(vorton_world_destroy(world));
    return sum;
}

int main(void) {
    uint64_t hash, again;
    size_t count;
    VortonBodyImpulse without, with, pooled;
    where_they_are();
    floors_tanks_and_level_geometry();
    too_many();
    without = drive(VORTON_THREADS_SERIAL, false, &hash, &count);
    CHECK(count == 0 && without.hits == 0 && without.linear.x == 0 && without.linear.y == 0);
    with = drive(VORTON_THREADS_SERIAL, true, &hash, &count);
    printf("%u vortons, %u hits, impulse %g %g N s\n", (unsigned)count, (unsigned)with.hits, (double)with.linear.x, (double)with.linear.y);
    CHECK(with.hits > 100 && with.linear.x < 0 && fabsf(with.linear.y) < 0.1f * fabsf(with.linear.x));
    pooled = drive(VORTON_THREADS_POOL, true, &again, &count);
    CHECK(again == hash && pooled.linear.x == with.linear.x && pooled.hits == with.hits);
    return 0;
}
