/*
 * A world as coloured lines: each is compared with a closed formula, or with the result of another function
 * for the same world. Lines that do not fit are counted, and nothing is written past the end.
 */
#include "check.h"

#include <float.h>
#include <math.h>

enum { MOST = 8000, VORTONS = 3000, ROUND = 24, SPHERE = 3 * ROUND, CAPSULE = 4 * ROUND + 4, CYLINDER = 2 * ROUND + 4, PATCH = 22 };

static VortonLine lines[MOST];
static VortonVorton vortons[VORTONS];
static const VortonQuat straight = {0, 0, 0, 1};
/* A rotation about no axis of a shape: 2/7, 3/7, 6/7 is a unit vector. */
static const VortonQuat turned = {0.6f * 2 / 7, 0.6f * 3 / 7, 0.6f * 6 / 7, 0.8f};

/* Colours as bytes, for any byte order. */
typedef struct Rgba {
    unsigned char r, g, b, a;
} Rgba;

static Rgba rgba(uint32_t color) {
    Rgba bytes;
    memcpy(&bytes, &color, sizeof bytes);
    CHECK(bytes.a == 255);
    return bytes;
}

static int is_color(uint32_t color, int r, int g, int b) {
    const Rgba c = rgba(color);
    return c.r == r && c.g == g && c.b == b;
}

static double dot(VortonVec3 a, VortonVec3 b) {
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

static double size(VortonVec3 a) {
    return sqrt(dot(a, a));
}

static VortonVec3 minus(VortonVec3 a, VortonVec3 b) {
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static VortonVec3 cross(VortonVec3 a, VortonVec3 b) {
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static VortonVec3 middle(const VortonLine *line) {
    return vec3((line->from.x + line->to.x) / 2, (line->from.y + line->to.y) / 2, (line->from.z + line->to.z) / 2);
}

/* v + 2 q.w (q x v) + 2 q x (q x v), in double. */
static void rotate(VortonQuat q, const double v[3], double out[3]) {
    const double x = q.y * v[2] - q.z * v[1], y = q.z * v[0] - q.x * v[2], z = q.x * v[1] - q.y * v[0];
    out[0] = v[0] + 2 * (q.w * x + q.y * z - q.z * y);
    out[1] = v[1] + 2 * (q.w * y + q.z * x - q.x * z);
    out[2] = v[2] + 2 * (q.w * z + q.x * y - q.y * x);
}

/* A point of the world in the axes of an object at `at` with a rotation. */
static VortonVec3 to_local(VortonVec3 at, VortonQuat q, VortonVec3 point) {
    const double from[3] = {(double)point.x - at.x, (double)point.y - at.y, (double)point.z - at.z};
    VortonQuat back = q;
    double out[3];
    back.x = -q.x;
    back.y = -q.y;
    back.z = -q.z;
    rotate(back, from, out);
    return vec3((float)out[0], (float)out[1], (float)out[2]);
}

static VortonDrawDef only(uint32_t flags) {
    VortonDrawDef def = vorton_default_draw_def();
    def.flags = flags;
    return def;
}

static size_t draw(VortonWorldId world, const VortonDrawDef *def) {
    size_t count = 0, asked = 0;
    OK(vorton_world_draw(world, def, NULL, 0, &asked));
    OK(vorton_world_draw(world, def, lines, MOST, &count));
    CHECK(count == asked);
    return count;
}

static size_t draw_only(VortonWorldId world, uint32_t flags) {
    const VortonDrawDef def = only(flags);
    return draw(world, &def);
}

static VortonWorldId world_of(uint32_t solver, uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.solver = solver;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.max_vortons = VORTONS;
    OK(vorton_world_create(&def, &world));
    return world;
}

static VortonWorldId new_world(void) {
    return world_of(VORTON_SOLVER_DIRECT, VORTON_THREADS_SERIAL);
}

static VortonBodyId add_body(VortonWorldId world, VortonVec3 at, VortonQuat rotation, const VortonShapeDef *shape) {
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId body;
    def.position = at;
    def.rotation = rotation;
    def.mass = shape->type == VORTON_SHAPE_HALF_SPACE ? 0.0f : 1.0f;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, shape, NULL));
    return body;
}

/* Shapes. */

static const VortonVec3 body_at = {0.4f, -0.7f, 1.1f}, shape_at = {0.3f, 0.2f, -0.1f};
/* A quarter about x. */
static const VortonQuat shape_turned = {0.70710678f, 0, 0, 0.70710678f};

static size_t draw_shape(VortonShapeDef shape) {
    VortonWorldId world = new_world();
    size_t count, other;
    const int is_hole = (shape.flags & VORTON_SHAPE_HOLE) != 0;
    shape.position = shape_at;
    shape.rotation = shape_turned;
    (void)add_body(world, body_at, turned, &shape);
    other = draw_only(world, is_hole ? VORTON_DRAW_BODIES : VORTON_DRAW_CONTAINERS);
    CHECK(other == 0);
    count = draw_only(world, is_hole ? VORTON_DRAW_CONTAINERS : VORTON_DRAW_BODIES);
    OK(vorton_world_destroy(world));
    return count;
}

/* A point of a line in the shape's axes. */
static VortonVec3 in_shape(VortonVec3 point) {
    return to_local(shape_at, shape_turned, to_local(body_at, turned, point));
}

/* Each corner is an end of three lines, which are as long as the box is along one axis. */
static void boxes(void) {
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_BOX);
    const VortonVec3 half = {0.9f, 0.4f, 0.6f};
    int corners[8] = {0}, pass;
    size_t n, i;
    shape.half_extents = half;
    for (pass = 0; pass < 2; ++pass) {
        shape.flags = pass == 0 ? 0 : VORTON_SHAPE_HOLE;
        CHECK(draw_shape(shape) == 12);
        for (n = 0; n < 12; ++n) {
            const VortonVec3 ends[2] = {in_shape(lines[n].from), in_shape(lines[n].to)};
            const float way[3] = {fabsf(ends[1].x - ends[0].x), fabsf(ends[1].y - ends[0].y), fabsf(ends[1].z - ends[0].z)};
            const size_t axis = n / 4;
            const float along = axis == 0 ? half.x : axis == 1 ? half.y : half.z;
            CHECK(fabsf(way[axis] - 2 * along) < 1e-5f && way[(axis + 1) % 3] < 1e-5f && way[(axis + 2) % 3] < 1e-5f);
            for (i = 0; i < 2; ++i) {
                CHECK(fabsf(fabsf(ends[i].x) - half.x) < 1e-5f);
                CHECK(fabsf(fabsf(ends[i].y) - half.y) < 1e-5f);
                CHECK(fabsf(fabsf(ends[i].z) - half.z) < 1e-5f);
                corners[(ends[i].x > 0) + 2 * (ends[i].y > 0) + 4 * (ends[i].z > 0)] += 1;
            }
            CHECK(pass == 0 ? is_color(lines[n].color, 208, 208, 208) : is_color(lines[n].color, 255, 160, 32));
        }
    }
    for (i = 0; i < 8; ++i) CHECK(corners[i] == 2 * 3);
}

/* Three closed circles about the centre, one in each plane, of lines of the same length. */
static void spheres(void) {
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    const double chord = 2 * 0.7 * sin(3.14159265358979 / ROUND);
    size_t n;
    shape.radius = 0.7f;
    CHECK(draw_shape(shape) == SPHERE);
    for (n = 0; n < SPHERE; ++n) {
        const VortonVec3 end = in_shape(lines[n].to), start = in_shape(lines[n].from);
        const VortonVec3 *next = &lines[n % ROUND == ROUND - 1 ? n - (ROUND - 1) : n + 1].from;
        const size_t circle = n / ROUND;
        const float off = circle == 0 ? end.z : circle == 1 ? end.x : end.y;
        CHECK(fabs(size(end) - 0.7) < 1e-5 && fabsf(off) < 1e-5f);
        CHECK(size(minus(lines[n].to, *next)) < 1e-6);
        CHECK(fabs(size(minus(end, start)) - chord) < 1e-5);
    }
}

static double capsule_distance(VortonVec3 p, double half_height, double radius) {
    const double z = fmax(fabs((double)p.z) - half_height, 0);
    return sqrt((double)p.x * p.x + (double)p.y * p.y + z * z) - radius;
}

/* All ends are on the surface; the poles are among them. */
static void capsules(void) {
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_CAPSULE);
    float top = 0, bottom = 0;
    int sides = 0;
    size_t n;
    shape.radius = 0.3f;
    shape.half_height = 0.5f;
    CHECK(draw_shape(shape) == CAPSULE);
    for (n = 0; n < CAPSULE; ++n) {
        const VortonVec3 from = in_shape(lines[n].from), to = in_shape(lines[n].to);
        CHECK(fabs(capsule_distance(from, 0.5, 0.3)) < 1e-5 && fabs(capsule_distance(to, 0.5, 0.3)) < 1e-5);
        sides += fabs(size(minus(to, from)) - 1) < 1e-5;
        top = fmaxf(top, to.z);
        bottom = fminf(bottom, to.z);
    }
    CHECK(sides == 4 && fabsf(top - 0.8f) < 1e-5f && fabsf(bottom + 0.8f) < 1e-5f);
}

/* Two rims and four lines between them. */
static void cylinders(void) {
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_CYLINDER);
    int sides = 0;
    size_t n;
    shape.radius = 0.3f;
    shape.half_height = 0.5f;
    CHECK(draw_shape(shape) == CYLINDER);
    for (n = 0; n < CYLINDER; ++n) {
        const VortonVec3 from = in_shape(lines[n].from), to = in_shape(lines[n].to);
        CHECK(fabs(sqrt((double)from.x * from.x + (double)from.y * from.y) - 0.3) < 1e-5 && fabs(fabs((double)from.z) - 0.5) < 1e-5);
        sides += fabs(size(minus(to, from)) - 1) < 1e-5;
    }
    CHECK(sides == 4);
}

/* Edges are between faces that are not coplanar: those of a prism's triangulation are left out, and so are
   inner points. */
static void hulls(void) {
    enum { SIDES = 7, POINTS = 2 * SIDES + 3 };
    static float points[POINTS][3] = {{0, 0, 0.5f}, {0, 0, 0}, {0.1f, 0.2f, -0.5f}};
    static const float tetrahedron[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HULL);
    int upright = 0, i;
    size_t n;
    for (i = 0; i < SIDES; ++i) {
        float *low = points[3 + 2 * i], *high = points[4 + 2 * i];
        low[0] = high[0] = (float)cos(6.283185307 * i / SIDES);
        low[1] = high[1] = (float)sin(6.283185307 * i / SIDES);
        low[2] = -0.5f;
        high[2] = 0.5f;
    }
    shape.points = points[0];
    shape.point_count = POINTS;
    CHECK(draw_shape(shape) == 3 * SIDES);
    for (n = 0; n < 3 * SIDES; ++n) {
        const VortonVec3 from = in_shape(lines[n].from), to = in_shape(lines[n].to);
        const double length = size(minus(from, to));
        CHECK(fabsf(fabsf(from.z) - 0.5f) < 1e-5f && fabs(sqrt((double)from.x * from.x + (double)from.y * from.y) - 1) < 1e-5);
        upright += fabs(length - 1) < 1e-5;
        CHECK(fabs(length - 1) < 1e-5 || fabs(length - 2 * sin(3.14159265358979 / SIDES)) < 1e-5);
    }
    CHECK(upright == SIDES);
    shape.points = tetrahedron;
    shape.point_count = 4;
    CHECK(draw_shape(shape) == 6);
    for (n = 0; n < 6; ++n) {
        const double length = size(minus(lines[n].from, lines[n].to));
        CHECK(fabs(length - 1) < 1e-5 || fabs(length - sqrt(2)) < 1e-5);
    }
}

/* A grid in the plane, as wide as the vortons above it, that stays fixed while they move a little. */
static void half_spaces(void) {
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonWorldId world = new_world();
    static VortonLine before[PATCH];
    const VortonDrawDef def = only(VORTON_DRAW_BODIES);
    VortonVec3 foot;
    double widest = 0, nearest = 1e9;
    size_t n, count;
    (void)add_body(world, vec3(0, 0, -2), turned, &shape);
    CHECK(draw(world, &def) == PATCH);
    add_ring(world, 100);
    CHECK(draw(world, &def) == PATCH);
    foot = to_local(vec3(0, 0, -2), turned, vec3(0, 0, 0));
    for (n = 0; n < PATCH; ++n) {
        const VortonVec3 from = to_local(vec3(0, 0, -2), turned, lines[n].from), to = to_local(vec3(0, 0, -2), turned, lines[n].to);
        CHECK(fabsf(from.z) < 1e-5f && fabsf(to.z) < 1e-5f);
        widest = fmax(widest, fmax(fabs((double)from.x - foot.x), fabs((double)from.y - foot.y)));
        nearest = fmin(nearest, fmax(fabs((double)from.x - foot.x), fabs((double)from.y - foot.y)));
        CHECK(fabs(size(minus(from, to)) - size(minus(lines[0].from, lines[0].to))) < 1e-4);
    }
    /* The ring's radius is 1. */
    CHECK(nearest > 1 && widest < 10);
    memcpy(before, lines, sizeof before);
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_vortons_read(world, vortons, VORTONS, &count));
    CHECK(vortons[0].position.z > 1e-4f && draw(world, &def) == PATCH);
    CHECK(memcmp(before, lines, sizeof before) == 0);
    OK(vorton_world_destroy(world));
}

/* Bodies are drawn at their present pose, sleeping ones half as bright, those outside the box not at all. */
static void poses_and_sleep(void) {
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldId world = new_world();
    VortonBodyState state;
    VortonDrawDef def = only(VORTON_DRAW_BODIES);
    VortonBodyId body;
    size_t n;
    ball.radius = 0.5f;
    body = add_body(world, vec3(3, 0, 0), straight, &ball);
    CHECK(draw(world, &def) == SPHERE && fabs(size(minus(lines[5].to, vec3(3, 0, 0))) - 0.5) < 1e-5);
    OK(vorton_body_read(world, body, &state));
    state.position = vec3(-2, 1, 4);
    OK(vorton_body_set_state(world, body, &state));
    OK(vorton_body_set_awake(world, body, false));
    CHECK(draw(world, &def) == SPHERE);
    for (n = 0; n < SPHERE; ++n) {
        CHECK(fabs(size(minus(lines[n].from, vec3(-2, 1, 4))) - 0.5) < 1e-5);
        CHECK(is_color(lines[n].color, 104, 104, 104));
    }
    def.high.x = -1.4f;
    CHECK(draw(world, &def) == SPHERE);
    def.low.x = -1.49f;
    CHECK(draw(world, &def) == 0);
    def.low.x = -1.51f;
    CHECK(draw(world, &def) == SPHERE);
    OK(vorton_world_destroy(world));
}

/* Vortons. */

static void vorton_lines(void) {
    VortonWorldId world = new_world();
    VortonDrawDef def = only(VORTON_DRAW_VORTONS);
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    VortonVorton odd[2];
    VortonWorldDef world_def;
    double strongest = 0, length;
    size_t n, count, red = 0, drawn, in_box = 0;
    noise.extent = vec3(1, 1, 1);
    noise.spacing = 0.2f;
    OK(vorton_world_add_initial(world, &noise, NULL, NULL));
    memset(odd, 0, sizeof odd);
    odd[0].position = vec3(2, 0, 0);
    odd[1].position = vec3(2, 1, 0);
    odd[1].strength = vec3(0, 1e-30f, 0);
    OK(vorton_vortons_add(world, odd, 2, NULL));
    OK(vorton_world_def(world, &world_def, sizeof world_def));
    OK(vorton_vortons_read(world, vortons, VORTONS, &count));
    CHECK(count > 60 && draw(world, &def) == count);
    for (n = 0; n < count; ++n) strongest = fmax(strongest, size(vortons[n].strength));
    def.vorton_length = 3;
    CHECK(draw(world, &def) == count);
    length = 3.0 * world_def.core_radius;
    for (n = 0; n < count; ++n) {
        const VortonVec3 way = minus(lines[n].to, lines[n].from);
        const double strength = size(vortons[n].strength), share = strength / strongest;
        const Rgba c = rgba(lines[n].color);
        CHECK(size(minus(middle(&lines[n]), vortons[n].position)) < 1e-6);
        CHECK(fabs(size(way) - length) < 1e-5);
        if (strength == 0) {
            CHECK(n == count - 2 && is_color(lines[n].color, 128, 128, 128) && fabs(way.z - length) < 1e-6);
            continue;
        }
        /* Parallel, and not antiparallel. */
        CHECK(dot(way, vortons[n].strength) > 0);
        CHECK(n == count - 1 || size(cross(way, vortons[n].strength)) < 2e-6 * length * strength + 1e-6 * strength);
        red += c.r == 255 && c.g == 0;
        CHECK(share > 0.5 ? c.b == 0 && abs(c.r - (int)(255 * fmin(1, 4 * share - 2))) <= 1
                          : c.r == 0 && abs(c.b - (int)(255 * fmin(1, 2 - 4 * share))) <= 1);
    }
    CHECK(red >= 1 && is_color(lines[count - 1].color, 0, 0, 255));
    /* Vortons in a box, in order, with max_strength set by the caller. */
    def.low = vec3(0, -0.3f, -1);
    def.high = vec3(1, 1, 0.2f);
    def.max_strength = (float)(strongest / 2);
    drawn = draw(world, &def);
    for (n = 0; n < count; ++n) {
        const VortonVec3 p = vortons[n].position;
        if (p.x < 0 || p.x > 1 || p.y < -0.3f || p.y > 1 || p.z < -1 || p.z > 0.2f) continue;
        CHECK(in_box < drawn && size(minus(middle(&lines[in_box]), p)) < 1e-6);
        CHECK(size(vortons[n].strength) < strongest / 2 || is_color(lines[in_box].color, 255, 0, 0));
        in_box += 1;
    }
    CHECK(in_box == drawn && drawn > 5 && drawn < count / 2);
    OK(vorton_world_destroy(world));
}

/* The flow. */

enum { X = 9, Y = 4, Z = 5, ARROWS = X * Y * Z };

static VortonDrawDef arrows(void) {
    VortonDrawDef def = only(VORTON_DRAW_FIELD);
    def.arrows_x = X;
    def.arrows_y = Y;
    def.arrows_z = Z;
    def.arrows_low = vec3(-1.5f, -0.5f, -1);
    def.arrows_high = vec3(1.2f, 0.7f, 0.9f);
    def.arrow_length = 0.25f;
    return def;
}

static void flow(uint32_t solver) {
    static VortonLine of_serial[3 * ARROWS];
    static VortonVec3 points[ARROWS], velocities[ARROWS];
    VortonWorldId world;
    VortonDrawDef def = arrows();
    uint32_t threads;
    size_t n, fastest = 0;
    for (threads = 0; threads < 2; ++threads) {
        world = world_of(solver, threads == 0 ? VORTON_THREADS_SERIAL : VORTON_THREADS_POOL);
        add_ring(world, 400);
        OK(vorton_world_set_wind(world, vec3(0.5f, 0, 0)));
        STEP(vorton_world_step(world, 0.02f));
        CHECK(draw(world, &def) == 3 * ARROWS);
        if (threads == 0) memcpy(of_serial, lines, sizeof of_serial);
        else CHECK(memcmp(of_serial, lines, sizeof of_serial) == 0);
        if (threads == 0) OK(vorton_world_destroy(world));
    }
    for (n = 0; n < ARROWS; ++n) {
        points[n].x = -1.5f + ((float)(n % X) + 0.5f) * 2.7f / X;
        points[n].y = -0.5f + ((float)(n / X % Y) + 0.5f) * 1.2f / Y;
        points[n].z = -1 + ((float)(n / (X * Y)) + 0.5f) * 1.9f / Z;
        CHECK(size(minus(lines[3 * n].from, points[n])) < 1e-6);
        points[n] = lines[3 * n].from;
    }
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, &points[0].x, 12, &velocities[0].x, 12, ARROWS));
    for (n = 0; n < ARROWS; ++n) {
        if (size(velocities[n]) > size(velocities[fastest])) fastest = n;
    }
    for (n = 0; n < ARROWS; ++n) {
        const VortonLine *shaft = &lines[3 * n];
        const VortonVec3 way = minus(shaft->to, shaft->from), v = velocities[n];
        const double speed = size(v), share = speed / size(velocities[fastest]);
        const int red = (int)(255 * fmin(1, fmax(0, 4 * share - 2)));
        int head;
        CHECK(size(minus(way, vec3(v.x * 0.25f, v.y * 0.25f, v.z * 0.25f))) < 1e-6);
        CHECK(abs(rgba(shaft->color).r - red) <= 1);
        for (head = 1; head < 3; ++head) {
            const VortonVec3 back = minus(shaft[head].to, shaft[head].from);
            CHECK(shaft[head].color == shaft->color && memcmp(&shaft[head].from, &shaft->to, sizeof shaft->to) == 0);
            /* A quarter of the length back, and a tenth aside. */
            CHECK(fabs(dot(back, way) + 0.25 * dot(way, way)) < 1e-5);
            CHECK(fabs(size(cross(back, way)) - 0.1 * dot(way, way)) < 1e-5);
        }
    }
    CHECK(size(velocities[fastest]) > 1 && is_color(lines[3 * fastest].color, 255, 0, 0));
    def.max_speed = (float)(4 * size(velocities[fastest]));
    CHECK(draw(world, &def) == 3 * ARROWS);
    CHECK(rgba(lines[3 * fastest].color).r == 0 && rgba(lines[3 * fastest].color).g >= 254 && rgba(lines[3 * fastest].color).b >= 254);
    OK(vorton_world_destroy(world));
}

/* At zero velocity arrows are points; a flat box has arrows in its plane. */
static void still_water(void) {
    VortonWorldId world = new_world();
    VortonDrawDef def = arrows();
    size_t n;
    def.arrows_high.z = def.arrows_low.z;
    def.arrows_z = 1;
    CHECK(draw(world, &def) == 3 * X * Y);
    for (n = 0; n < 3 * X * Y; ++n) {
        CHECK(memcmp(&lines[n].from, &lines[n].to, sizeof lines[n].to) == 0 && is_color(lines[n].color, 0, 0, 255));
        CHECK(lines[n].from.z == -1);
    }
    OK(vorton_world_destroy(world));
}

/* Boxes of meshes contain the vortons. */
static void meshes(void) {
    VortonWorldId world = world_of(VORTON_SOLVER_MESH, VORTON_THREADS_SERIAL);
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonVec3 low = vec3(FLT_MAX, FLT_MAX, FLT_MAX), high = vec3(-FLT_MAX, -FLT_MAX, -FLT_MAX);
    size_t n, count;
    CHECK(draw_only(world, VORTON_DRAW_MESH) == 0);
    add_ring(world, 300);
    STEP(vorton_world_step(world, 0.01f));
    CHECK(draw_only(world, VORTON_DRAW_MESH) == 12);
    for (n = 0; n < 12; ++n) {
        const VortonVec3 ends[2] = {lines[n].from, lines[n].to};
        int end;
        for (end = 0; end < 2; ++end) {
            low = vec3(fminf(low.x, ends[end].x), fminf(low.y, ends[end].y), fminf(low.z, ends[end].z));
            high = vec3(fmaxf(high.x, ends[end].x), fmaxf(high.y, ends[end].y), fmaxf(high.z, ends[end].z));
        }
        CHECK(is_color(lines[n].color, 128, 96, 255));
    }
    OK(vorton_vortons_read(world, vortons, VORTONS, &count));
    for (n = 0; n < count; ++n) {
        const VortonVec3 p = vortons[n].position;
        CHECK(p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y && p.z < high.z);
    }
    CHECK(high.x < 9 && low.x > -9);
    drop.radius = 0.1f;
    drop.spacing = 0.1f;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    STEP(vorton_world_step(world, 0.01f));
    CHECK(draw_only(world, VORTON_DRAW_MESH) == 24);
    CHECK(is_color(lines[12].color, 160, 96, 32));
    OK(vorton_world_destroy(world));
}

/* Contacts lead from the surface along its normal: as many as the statistics say. */
static void contacts(void) {
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldId world = new_world();
    VortonStats stats = vorton_default_stats();
    VortonDrawDef def = only(VORTON_DRAW_CONTACTS);
    VortonWorldDef world_def;
    const VortonVec3 centre = {1, 0, 0};
    size_t n, count, above = 0;
    ball.radius = 0.4f;
    def.contact_length = 2;
    (void)add_body(world, centre, straight, &ball);
    add_ring(world, 200);
    STEP(vorton_world_step(world, 0));
    OK(vorton_world_def(world, &world_def, sizeof world_def));
    OK(vorton_world_stats(world, &stats));
    count = draw(world, &def);
    CHECK(count == stats.body_contacts && count > 5);
    for (n = 0; n < count; ++n) {
        const VortonVec3 out = minus(lines[n].from, centre), way = minus(lines[n].to, lines[n].from);
        CHECK(fabs(size(out) - 0.4) < 1e-5);
        CHECK(fabs(size(way) - 2.0 * world_def.core_radius) < 1e-5);
        CHECK(fabs(dot(out, way) - 0.4 * size(way)) < 1e-5);
        CHECK(is_color(lines[n].color, 255, 0, 255));
        above += out.y >= 0;
    }
    def.low.y = 0;
    CHECK(above < count && draw(world, &def) == above);
    OK(vorton_world_destroy(world));
}

/* Kill volumes and emitters. */
static void volumes(void) {
    VortonWorldId world = new_world();
    VortonKillVolume kill[2];
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonEmitterId id;
    size_t n;
    kill[0] = vorton_default_kill_volume();
    kill[0].position = body_at;
    kill[0].rotation = turned;
    kill[0].half_extents = vec3(0.2f, 0.7f, 0.4f);
    kill[1] = vorton_default_kill_volume();
    kill[1].type = VORTON_KILL_VOLUME_SPHERE;
    kill[1].flags = VORTON_KILL_VOLUME_OUTSIDE;
    kill[1].radius = 9;
    OK(vorton_world_set_kill_volumes(world, kill, 2));
    emitter.position = shape_at;
    emitter.rotation = turned;
    emitter.extent = vec3(2, 0, 1);
    OK(vorton_emitter_create(world, &emitter, &id));
    CHECK(draw_only(world, VORTON_DRAW_KILL_VOLUMES | VORTON_DRAW_EMITTERS) == 12 + SPHERE + 12);
    for (n = 0; n < 12; ++n) {
        const VortonVec3 corner = to_local(body_at, turned, lines[n].to);
        CHECK(fabsf(fabsf(corner.x) - 0.2f) < 1e-5f && fabsf(fabsf(corner.y) - 0.7f) < 1e-5f && fabsf(fabsf(corner.z) - 0.4f) < 1e-5f);
        CHECK(is_color(lines[n].color, 224, 32, 32));
    }
    for (; n < 12 + SPHERE; ++n) CHECK(fabs(size(lines[n].to) - 9) < 1e-5 && is_color(lines[n].color, 32, 176, 32));
    for (; n < 12 + SPHERE + 12; ++n) {
        const VortonVec3 corner = to_local(shape_at, turned, lines[n].from);
        CHECK(fabsf(fabsf(corner.x) - 1) < 1e-5f && fabsf(corner.y) < 1e-5f && fabsf(fabsf(corner.z) - 0.5f) < 1e-5f);
        CHECK(is_color(lines[n].color, 255, 240, 64));
    }
    OK(vorton_world_destroy(world));
}

/* A buffer for some of the lines: the first lines, and nothing beyond. Drawing changes nothing. */
static void too_little_room(void) {
    static VortonLine all[MOST];
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldId world = new_world();
    VortonDrawDef def = arrows();
    uint64_t before = 0, after = 0;
    size_t capacity, count, many, n;
    def.flags = vorton_default_draw_def().flags | VORTON_DRAW_FIELD;
    CHECK(vorton_default_draw_def().flags == 255 - VORTON_DRAW_FIELD);
    add_ring(world, 100);
    (void)add_body(world, vec3(1, 0, 0), straight, &ball);
    STEP(vorton_world_step(world, 0.02f));
    OK(vorton_world_hash_all(world, &before));
    many = draw(world, &def);
    CHECK(many > SPHERE + 100 + 3 * ARROWS && many + 7 < MOST);
    memcpy(all, lines, sizeof all);
    for (capacity = 1; capacity < many + 7; capacity += capacity < many - 8 ? 13 : 1) {
        memset(lines, 0x5a, sizeof lines);
        count = 77;
        check_result(__FILE__, __LINE__, "draw", capacity < many ? VORTON_NOTE_TRUNCATED : VORTON_OK,
                     vorton_world_draw(world, &def, lines, capacity, &count));
        CHECK(count == many);
        CHECK(memcmp(lines, all, sizeof lines[0] * (capacity < many ? capacity : many)) == 0);
        for (n = capacity < many ? capacity : many; n < MOST; ++n) CHECK(lines[n].color == 0x5a5a5a5au);
    }
    /* Nothing to draw. */
    def.flags = 0;
    CHECK(draw(world, &def) == 0);
    OK(vorton_world_hash_all(world, &after));
    CHECK(before == after && sizeof(VortonLine) == 28);
    OK(vorton_world_destroy(world));
}

int main(void) {
    boxes();
    spheres();
    capsules();
    cylinders();
    hulls();
    half_spaces();
    poses_and_sleep();
    vorton_lines();
    flow(VORTON_SOLVER_DIRECT);
    flow(VORTON_SOLVER_MESH);
    still_water();
    meshes();
    contacts();
    volumes();
    too_little_room();
    printf("lines are where they belong\n");
    return 0;
}
