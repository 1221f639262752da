/* Distances of points from bodies: closed formulas in double for every shape, and the nearest of many. */
#include "check.h"

#include <math.h>

enum { POINTS = 4000, BODIES = 40 };

typedef struct Probe {
    uint32_t before;
    VortonVec3 place;
    VortonSurface surface;
    uint32_t after;
} Probe;

static Probe probes[POINTS];

static double dot(VortonVec3 a, VortonVec3 b) {
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

static VortonVec3 minus(VortonVec3 a, VortonVec3 b) {
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static VortonWorldId new_world(void) {
    return make_world(VORTON_THREADS_POOL, 2, 10);
}

static VortonBodyId add(VortonWorldId world, VortonVec3 at, VortonQuat rotation, const VortonShapeDef *shape) {
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId body;
    def.position = at;
    def.rotation = rotation;
    def.mass = 0;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, shape, NULL));
    return body;
}

static const VortonQuat straight = {0, 0, 0, 1};

static void scatter(float width) {
    uint32_t n;
    for (n = 0; n < POINTS; ++n) {
        Probe *probe = &probes[n];
        memset(probe, 0x55, sizeof *probe);
        probe->place = vec3(width * (random_unit(3 * n) - 0.5f), width * (random_unit(3 * n + 1) - 0.5f), width * (random_unit(3 * n + 2) - 0.5f));
    }
}

static void look(VortonWorldId world, const VortonBodyId *body, float reach) {
    int n;
    OK(vorton_world_sample_surfaces(world, body, reach, &probes[0].place.x, sizeof probes[0], &probes[0].surface, sizeof probes[0], POINTS));
    for (n = 0; n < POINTS; ++n) CHECK(probes[n].before == 0x55555555 && probes[n].after == 0x55555555);
}

static int same_id(VortonBodyId a, VortonBodyId b) {
    return a.index1 == b.index1 && a.world == b.world && a.generation == b.generation;
}

static int is_none(const VortonSurface *s, float reach) {
    return s->distance == reach && s->body.index1 == 0 && s->body.world == 0 && s->body.generation == 0 && dot(s->normal, s->normal) == 0 &&
           dot(s->point, s->point) == 0;
}

/* Distance, up to `error`, and body of a surface are these, and its fields are consistent. */
static void expect(const Probe *probe, double distance, VortonBodyId body, double error) {
    const VortonSurface *s = &probe->surface;
    const VortonVec3 away = minus(probe->place, s->point);
    if (fabs(s->distance - distance) > error) {
        printf("at %g %g %g: %g instead of %g\n", (double)probe->place.x, (double)probe->place.y, (double)probe->place.z,
               (double)s->distance, distance);
        exit(1);
    }
    CHECK(same_id(s->body, body));
    CHECK(fabs(dot(s->normal, s->normal) - 1) < 1e-5);
    CHECK(fabs(sqrt(dot(away, away)) - fabs(distance)) < 2 * error);
    /* Out of the surface and into the fluid. */
    CHECK(fabs(distance) < 0.01 || fabs(dot(away, s->normal) - distance) < 0.01 * fabs(distance) + error);
}

static double ball_distance(VortonVec3 place, double radius) {
    return sqrt(dot(place, place)) - radius;
}

static double box_distance(VortonVec3 place, VortonVec3 half) {
    const double q[3] = {fabs((double)place.x) - half.x, fabs((double)place.y) - half.y, fabs((double)place.z) - half.z};
    const double inside = fmax(q[0], fmax(q[1], q[2]));
    const double x = fmax(q[0], 0), y = fmax(q[1], 0), z = fmax(q[2], 0);
    return inside > 0 ? sqrt(x * x + y * y + z * z) : inside;
}

static double capsule_distance(VortonVec3 place, double half_height, double radius) {
    const double z = fmax(fabs((double)place.z) - half_height, 0);
    return sqrt((double)place.x * place.x + (double)place.y * place.y + z * z) - radius;
}

/* One shape at the given position and rotation; `of` computes the distance of a point in the shape's axes. */
typedef double (*Distance)(VortonVec3 place, const VortonShapeDef *shape);

static double of_ball(VortonVec3 place, const VortonShapeDef *shape) { return ball_distance(place, shape->radius); }
static double of_box(VortonVec3 place, const VortonShapeDef *shape) { return box_distance(place, shape->half_extents); }
static double of_capsule(VortonVec3 place, const VortonShapeDef *shape) {
    return capsule_distance(place, shape->half_height, shape->radius);
}
static double of_floor(VortonVec3 place, const VortonShapeDef *shape) {
    (void)shape;
    return place.z;
}

static void one_shape(VortonShapeDef shape, Distance of, float reach) {
    const VortonVec3 at = {0.3f, -0.2f, 0.1f};
    /* A quarter about z turns (x, y) to (-y, x). */
    const VortonQuat quarter = {0, 0, 0.70710678f, 0.70710678f};
    const int is_hole = (shape.flags & VORTON_SHAPE_HOLE) != 0;
    VortonWorldId world = new_world();
    const VortonBodyId body = add(world, at, quarter, &shape);
    int n, near = 0, far = 0, inside = 0;
    STEP(vorton_world_step(world, 0));
    scatter(4);
    look(world, &body, reach);
    look(world, NULL, reach);
    for (n = 0; n < POINTS; ++n) {
        const VortonVec3 from_body = minus(probes[n].place, at);
        const VortonVec3 local = vec3(from_body.y, -from_body.x, from_body.z);
        const double solid = of(local, &shape), distance = is_hole ? -solid : solid;
        /* Points outside a hole ignore it, up to a hundredth of its size. */
        if (is_hole && distance < 0 && distance > -0.02) continue;
        if (distance < reach && !(is_hole && distance < 0)) {
            expect(&probes[n], distance, body, 2e-6);
            near += 1;
            inside += distance < 0;
        } else {
            CHECK(is_none(&probes[n].surface, reach));
            far += 1;
        }
    }
    CHECK(near > 20 && far > 20 && (inside > 2 || is_hole));
    OK(vorton_world_destroy(world));
}

static void every_shape(void) {
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE), box = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonShapeDef capsule = vorton_default_shape_def(VORTON_SHAPE_CAPSULE), floor = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    ball.radius = 0.7f;
    box.half_extents = vec3(0.9f, 0.4f, 0.6f);
    capsule.radius = 0.4f;
    capsule.half_height = 0.5f;
    one_shape(ball, of_ball, 0.8f);
    one_shape(box, of_box, 0.8f);
    one_shape(capsule, of_capsule, 0.8f);
    one_shape(floor, of_floor, 0.5f);
    ball.flags = box.flags = capsule.flags = VORTON_SHAPE_HOLE;
    ball.radius = 1.5f;
    box.half_extents = vec3(1.2f, 1.0f, 1.4f);
    one_shape(ball, of_ball, 0.5f);
    one_shape(box, of_box, 0.5f);
    one_shape(capsule, of_capsule, 0.3f);
}

/* Balls everywhere, in a tank above a floor: the nearest of all, for any reach. */
static void many_bodies(void) {
    static VortonBodyId bodies[BODIES];
    static VortonVec3 centres[BODIES];
    static Probe whole[POINTS];
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE), tank = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonShapeDef floor = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonWorldId world = new_world();
    VortonBodyId tank_body, floor_body;
    uint32_t i;
    int n, reaches;
    ball.radius = 0.2f;
    for (i = 0; i < BODIES; ++i) {
        centres[i] = vec3(3 * random_unit(3 * i + 9) - 1.5f, 3 * random_unit(3 * i + 10) - 1.5f, 3 * random_unit(3 * i + 11) - 1.5f);
        bodies[i] = add(world, centres[i], straight, &ball);
    }
    tank.half_extents = vec3(2, 2, 2);
    tank.flags = VORTON_SHAPE_HOLE;
    tank_body = add(world, vec3(0, 0, 0), straight, &tank);
    floor_body = add(world, vec3(0, 0, -1.2f), straight, &floor);
    scatter(3.9f);
    STEP(vorton_world_step(world, 0));
    for (reaches = 0; reaches < 3; ++reaches) {
        const float reach = reaches == 0 ? 0.1f : reaches == 1 ? 0.6f : 100.0f;
        look(world, NULL, reach);
        for (n = 0; n < POINTS; ++n) {
            double nearest = probes[n].place.z + 1.2;
            VortonBodyId body = floor_body;
            const double wall = -box_distance(probes[n].place, tank.half_extents);
            if (wall < nearest) {
                nearest = wall;
                body = tank_body;
            }
            for (i = 0; i < BODIES; ++i) {
                const double distance = ball_distance(minus(probes[n].place, centres[i]), 0.2);
                if (distance < nearest) {
                    nearest = distance;
                    body = bodies[i];
                }
            }
            if (fabs(nearest - reach) < 1e-5) continue;
            if (nearest < reach) {
                expect(&probes[n], nearest, body, 2e-6);
            } else {
                CHECK(is_none(&probes[n].surface, reach));
            }
        }
    }
    /* Packed, in another order, one by one: the same bits. */
    memcpy(whole, probes, sizeof whole);
    for (n = POINTS - 1; n >= 0; n -= 7) {
        VortonSurface alone;
        OK(vorton_world_sample_surfaces(world, NULL, 100, &probes[n].place.x, 12, &alone, sizeof alone, 1));
        CHECK(memcmp(&alone, &whole[n].surface, sizeof alone) == 0);
    }
    /* One of them alone, wherever the others are. */
    look(world, &bodies[7], 100);
    for (n = 0; n < POINTS; ++n) expect(&probes[n], ball_distance(minus(probes[n].place, centres[7]), 0.2), bodies[7], 2e-6);
    OK(vorton_world_destroy(world));
}

/* Bodies have their poses after the last step; new bodies are included after the next. */
static void as_of_the_last_step(void) {
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyDef def = vorton_default_body_def();
    VortonWorldId world = new_world();
    VortonSurface surface;
    VortonBodyId body;
    float places[6] = {2, 0, 0, NAN, 0, 0};
    VortonSurface two[2];
    ball.radius = 0.5f;
    def.mass = 0;
    def.velocity = vec3(1, 0, 0);
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, &ball, NULL));
    OK(vorton_world_sample_surfaces(world, &body, 9, places, 12, &surface, sizeof surface, 1));
    CHECK(is_none(&surface, 9));
    STEP(vorton_world_step(world, 0));
    OK(vorton_world_sample_surfaces(world, &body, 9, places, 12, &surface, sizeof surface, 1));
    CHECK(fabsf(surface.distance - 1.5f) < 1e-6f && fabsf(surface.point.x - 0.5f) < 1e-6f && surface.normal.x > 0.999f);
    STEP(vorton_world_step(world, 0.25f));
    OK(vorton_world_sample_surfaces(world, NULL, 9, places, 12, &surface, sizeof surface, 1));
    CHECK(fabsf(surface.distance - 1.25f) < 1e-6f && fabsf(surface.point.x - 0.75f) < 1e-6f);
    memset(two, 0x55, sizeof two);
    CHECK(vorton_world_sample_surfaces(world, NULL, 9, places, 12, two, sizeof two[0], 2) == VORTON_NOTE_SKIPPED_NONFINITE);
    CHECK(memcmp(&two[0], &surface, sizeof surface) == 0 && two[1].body.index1 == 0x55555555u);
    OK(vorton_body_destroy(world, body));
    STEP(vorton_world_step(world, 0));
    OK(vorton_world_sample_surfaces(world, NULL, 9, places, 12, &surface, sizeof surface, 1));
    CHECK(is_none(&surface, 9));
    OK(vorton_world_destroy(world));
}

int main(void) {
    every_shape();
    many_bodies();
    as_of_the_last_step();
    printf("distances are right\n");
    return 0;
}
