/* Level geometry: a mesh, a cave and terrain keep vortons, tracers and a host's particles on their side, over
   many frames of random length; invalid input is refused; snapshots contain them. */
#include "check.h"

#include <math.h>

enum { SIDE = 33, FRAMES = 150, PARTICLES = 2000, RINGS = 9, SECTORS = 12 };

static float heights[SIDE * SIDE];
static float sphere_points[3 * (2 + RINGS * SECTORS)];
static uint32_t sphere_triangles[3 * 2 * RINGS * SECTORS];

static VortonBodyId make_level(VortonWorldId world, const VortonShapeDef *shape, VortonVec3 at) {
    VortonBodyDef def = vorton_default_body_def();
    VortonBodyId body;
    def.position = at;
    def.mass = 0;
    OK(vorton_body_create(world, &def, &body));
    OK(vorton_shape_create(world, body, shape, NULL));
    return body;
}

static double height_at(double x, double y) {
    return 0.3 * sin(2 * x) * cos(1.7 * y);
}

/* A ball of triangles that face inwards: a cave of radius 1. */
static VortonShapeDef cave(void) {
    VortonShapeDef def = vorton_default_shape_def(VORTON_SHAPE_MESH);
    const double pi = 4 * atan(1.0);
    uint32_t ring, sector, n = 0;
    float *point = sphere_points;
    const uint32_t poles[2] = {RINGS * SECTORS, RINGS * SECTORS + 1};
    for (ring = 0; ring < RINGS; ++ring) {
        for (sector = 0; sector < SECTORS; ++sector) {
            const double theta = pi * (ring + 1) / (RINGS + 1), phi = 2 * pi * sector / SECTORS;
            *point++ = (float)(sin(theta) * cos(phi));
            *point++ = (float)(sin(theta) * sin(phi));
            *point++ = (float)cos(theta);
        }
    }
    for (ring = 0; ring < 2; ++ring) {
        *point++ = 0;
        *point++ = 0;
        *point++ = ring ? -1.0f : 1.0f;
    }
#define FACE(a, b, c) (sphere_triangles[n++] = (a), sphere_triangles[n++] = (b), sphere_triangles[n++] = (c))
    for (sector = 0; sector < SECTORS; ++sector) {
        const uint32_t next = (sector + 1) % SECTORS;
        FACE(poles[0], next, sector);
        FACE(poles[1], (RINGS - 1) * SECTORS + sector, (RINGS - 1) * SECTORS + next);
        for (ring = 0; ring + 1 < RINGS; ++ring) {
            const uint32_t a = ring * SECTORS, b = a + SECTORS;
            FACE(a + sector, b + next, b + sector);
            FACE(a + sector, a + next, b + next);
        }
    }
    def.points = sphere_points;
    def.point_count = 2 + RINGS * SECTORS;
    def.triangles = sphere_triangles;
    def.triangle_count = n / 3;
    return def;
}

static VortonShapeDef terrain(void) {
    VortonShapeDef def = vorton_default_shape_def(VORTON_SHAPE_HEIGHT_FIELD);
    int i, j;
    for (j = 0; j < SIDE; ++j) {
        for (i = 0; i < SIDE; ++i) heights[j * SIDE + i] = (float)height_at(0.125 * i - 2, 0.125 * j - 2);
    }
    def.position = vec3(-2, -2, 0);
    def.heights = heights;
    def.columns = def.rows = SIDE;
    def.spacing[0] = def.spacing[1] = 0.125f;
    return def;
}

typedef struct Particle {
    VortonVec3 place, velocity;
    float age;
} Particle;

static Particle particles[PARTICLES];

/* Distance from the level, through the library; closed formulas are in the Rust tests. */
static float least_distance(VortonWorldId world, const float *places, uint32_t stride, size_t count) {
    static VortonSurface surfaces[32768];
    float least = 1e9f;
    size_t n;
    CHECK(count <= 32768);
    OK(vorton_world_sample_surfaces(world, NULL, 0.5f, places, stride, surfaces, 0, count));
    for (n = 0; n < count; ++n) least = fminf(least, surfaces[n].distance);
    return least;
}

static void run(VortonShapeDef shape, int is_cave, float drop) {
    static VortonVorton vortons[16384];
    static VortonVec3 tracer_places[20000];
    const VortonWorldId world = make_world(VORTON_THREADS_POOL, 2, 16384);
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonOpDef follow_def = vorton_default_op_def(VORTON_OP_VELOCITY), advect_def = vorton_default_op_def(VORTON_OP_ADVECT);
    VortonOpDef bodies_def = vorton_default_op_def(VORTON_OP_COLLIDE);
    VortonOpId ops[3];
    VortonTracersId tracers;
    VortonBodyId level;
    VortonStats stats = vorton_default_stats();
    VortonStream streams[3];
    VortonParticleView view;
    size_t hits = 0;
    double first = 0;
    uint32_t frame, n;
    level = make_level(world, &shape, vec3(0, 0, 0));
    ring.centre = vec3(0, 0, is_cave ? 0.1f : 0.9f);
    ring.axis = vec3(0.1f, 0, -1);
    ring.radius = 0.3f;
    ring.circulation = 1;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    tracers_def.capacity = 20000;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    for (n = 0; n < 20000; ++n) {
        tracer_places[n] = vec3(random_unit(3 * n) - 0.5f, random_unit(3 * n + 1) - 0.5f, 0.5f * random_unit(3 * n + 2) + drop);
        if (n < PARTICLES) particles[n].place = tracer_places[n];
    }
    OK(vorton_tracers_add(world, tracers, tracer_places, NULL, NULL, 20000));
    OK(vorton_op_create(world, &follow_def, &ops[0]));
    OK(vorton_op_create(world, &advect_def, &ops[1]));
    OK(vorton_op_create(world, &bodies_def, &ops[2]));
    memset(streams, 0, sizeof streams);
    streams[0].semantic = VORTON_POSITION;
    streams[0].base = &particles[0].place;
    streams[1].semantic = VORTON_VELOCITY;
    streams[1].base = &particles[0].velocity;
    streams[0].format = streams[1].format = VORTON_F32X3;
    streams[0].stride = streams[1].stride = sizeof(Particle);
    memset(&view, 0, sizeof view);
    view.struct_size = sizeof view;
    view.stream_count = 2;
    view.streams = streams;
    view.count = view.capacity = PARTICLES;
    view.element_size = sizeof(Particle);
    for (frame = 0; frame < FRAMES; ++frame) {
        const float dt = 1.0f / 144 + random_unit(1000 + frame) * (1.0f / 15 - 1.0f / 144);
        VortonOpResult result = vorton_default_op_result();
        size_t count;
        CHECK(vorton_world_step(world, dt) >= 0);
        CHECK(vorton_ops_run(world, ops, 3, &view, dt, frame, &result) >= 0);
        hits += result.hits;
        OK(vorton_world_stats(world, &stats));
        CHECK(stats.non_finite == 0);
        if (frame == 0) first = stats.energy;
        CHECK(stats.energy <= 1.05 * first);
        if (frame % 10) continue;
        OK(vorton_vortons_read(world, vortons, 16384, &count));
        CHECK(least_distance(world, &vortons[0].position.x, sizeof vortons[0], count) >= 0);
        CHECK(least_distance(world, &particles[0].place.x, sizeof particles[0], PARTICLES) >= 0);
    }
    printf("%s: %lu hits, energy %.4f of the first\n", is_cave ? "cave" : "terrain", (unsigned long)hits, stats.energy / first);
    {
        /* Saved and restored after the level is destroyed, the world continues with the same bits. */
        size_t size = 0, written = 0;
        uint64_t hash, again;
        void *bytes;
        OK(vorton_world_save(world, NULL, 0, &size));
        bytes = malloc(size);
        CHECK(bytes != NULL);
        OK(vorton_world_save(world, bytes, size, &written));
        for (n = 0; n < 20; ++n) CHECK(vorton_world_step(world, 1.0f / 60) >= 0);
        OK(vorton_world_hash_all(world, &hash));
        OK(vorton_body_destroy(world, level));
        OK(vorton_world_restore(world, bytes, written));
        CHECK(vorton_body_is_valid(world, level));
        for (n = 0; n < 20; ++n) CHECK(vorton_world_step(world, 1.0f / 60) >= 0);
        OK(vorton_world_hash_all(world, &again));
        CHECK(hash == again);
        free(bytes);
    }
    OK(vorton_world_destroy(world));
}

/* Snapshots with the hash of a level are small, and need a world that has it. */
static void saved_by_hash(VortonShapeDef shape) {
    VortonWorldId worlds[2];
    VortonBodyId bodies[2];
    VortonShapeId shape_ids[2];
    VortonBodyDef def = vorton_default_body_def();
    uint64_t hashes[2], before, after;
    size_t sizes[2], size;
    char text[512];
    void *bytes;
    int n;
    def.mass = 0;
    for (n = 0; n < 2; ++n) {
        VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
        shape.flags = n == 0 ? 0 : VORTON_SHAPE_SAVED_BY_HASH;
        worlds[n] = make_world(VORTON_THREADS_SERIAL, 0, 4096);
        OK(vorton_body_create(worlds[n], &def, &bodies[n]));
        OK(vorton_shape_create(worlds[n], bodies[n], &shape, &shape_ids[n]));
        ring.radius = 0.2f;
        ring.centre = vec3(0, 0, shape.type == VORTON_SHAPE_MESH ? 0 : 1.2f);
        OK(vorton_world_add_initial(worlds[n], &ring, NULL, NULL));
        for (size = 0; size < 10; ++size) CHECK(vorton_world_step(worlds[n], 1.0f / 60) >= 0);
        OK(vorton_world_hash(worlds[n], &hashes[n]));
        OK(vorton_world_save(worlds[n], NULL, 0, &sizes[n]));
    }
    CHECK(hashes[0] == hashes[1]);
    printf("%lu bytes with the level, %lu with its hash\n", (unsigned long)sizes[0], (unsigned long)sizes[1]);
    CHECK(sizes[0] > sizes[1] + (shape.type == VORTON_SHAPE_MESH ? 12 * shape.triangle_count : 4 * shape.columns * shape.rows));
    bytes = malloc(sizes[1]);
    CHECK(bytes != NULL);
    OK(vorton_world_save(worlds[1], bytes, sizes[1], &size));
    OK(vorton_world_hash_all(worlds[1], &before));
    for (n = 0; n < 10; ++n) CHECK(vorton_world_step(worlds[1], 1.0f / 60) >= 0);
    OK(vorton_world_restore(worlds[1], bytes, size));
    OK(vorton_world_hash_all(worlds[1], &after));
    CHECK(before == after);
    /* The shape was destroyed in this frame. */
    OK(vorton_shape_destroy(worlds[1], shape_ids[1]));
    OK(vorton_world_restore(worlds[1], bytes, size));
    OK(vorton_world_hash_all(worlds[1], &after));
    CHECK(before == after);
    /* A world that has the level, and one that had it before. */
    OK(vorton_world_hash_all(worlds[0], &before));
    CHECK(vorton_world_restore(worlds[0], bytes, size) == VORTON_ERR_SNAPSHOT);
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "hash of a mesh or height field") != NULL);
    OK(vorton_world_hash_all(worlds[0], &after));
    CHECK(before == after);
    OK(vorton_body_destroy(worlds[1], bodies[1]));
    CHECK(vorton_world_step(worlds[1], 1.0f / 60) >= 0);
    OK(vorton_world_hash_all(worlds[1], &before));
    CHECK(vorton_world_restore(worlds[1], bytes, size) == VORTON_ERR_SNAPSHOT);
    OK(vorton_world_hash_all(worlds[1], &after));
    CHECK(before == after);
    OK(vorton_body_create(worlds[1], &def, &bodies[1]));
    OK(vorton_shape_create(worlds[1], bodies[1], &shape, NULL));
    OK(vorton_world_restore(worlds[1], bytes, size));
    OK(vorton_world_hash(worlds[1], &hashes[1]));
    CHECK(hashes[0] == hashes[1]);
    free(bytes);
    for (n = 0; n < 2; ++n) OK(vorton_world_destroy(worlds[n]));
}

static void refuses(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 100);
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef mesh = cave(), ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonShapeDef floor_def = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonMassProperties mass;
    VortonBodyId body;
    float added[21];
    OK(vorton_body_create(world, &def, &body));
    REFUSED_FOR(vorton_shape_create(world, body, &mesh, NULL), "mass");
    OK(vorton_body_set_mass(world, body, 0));
    OK(vorton_shape_create(world, body, &mesh, NULL));
    OK(vorton_shape_create(world, body, &ball, NULL));
    REFUSED_FOR(vorton_body_set_mass(world, body, 1), "mass");
    REFUSED_FOR(vorton_shape_create(world, body, &floor_def, NULL), "shapes");
    ball.flags = VORTON_SHAPE_HOLE;
    REFUSED_FOR(vorton_shape_create(world, body, &ball, NULL), "shapes");
    mesh.flags = VORTON_SHAPE_HOLE;
    REFUSED_FOR(vorton_shape_create(world, body, &mesh, NULL), "HOLE");
    ball.flags = VORTON_SHAPE_SAVED_BY_HASH;
    REFUSED_FOR(vorton_shape_create(world, body, &ball, NULL), "SAVED_BY_HASH");
    mesh.flags = 4;
    REFUSED_FOR(vorton_shape_create(world, body, &mesh, NULL), "flags");
    mesh.flags = 0;
    REFUSED_FOR(vorton_shape_mass_properties(&mesh, &mass), "meshes");
    REFUSED_FOR(vorton_shape_added_inertia(&mesh, added), "meshes");
    REFUSED_FOR(vorton_body_added_inertia(world, body, added), "meshes");
    sphere_triangles[5] = 2 + RINGS * SECTORS;
    REFUSED_FOR(vorton_shape_create(world, body, &mesh, NULL), "triangle 1");
    OK(vorton_world_destroy(world));
}

/* The debug view shows triangles near the vortons, three lines each: here those within 1.25 m of the origin
   along each axis, because there are no vortons, and cells of the view are powers of two. */
static void is_drawn(VortonShapeDef shape) {
    static VortonLine lines[40000];
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 100);
    const int is_cave = shape.type == VORTON_SHAPE_MESH;
    VortonDrawDef def = vorton_default_draw_def();
    size_t count, expected = 0, n;
    int i, j, half;
    (void)make_level(world, &shape, vec3(0, 0, 0));
    def.flags = VORTON_DRAW_BODIES;
    OK(vorton_world_draw(world, &def, lines, 40000, &count));
    if (is_cave) expected = 3 * shape.triangle_count;
    for (j = 0; !is_cave && j + 1 < SIDE; ++j) {
        for (i = 0; i + 1 < SIDE; ++i) {
            const double x = 0.125 * i - 2, y = 0.125 * j - 2;
            for (half = 0; half < 2; ++half) expected += x + 0.125 >= -1.25 && x <= 1.25 && y + 0.125 >= -1.25 && y <= 1.25 ? 3 : 0;
        }
    }
    CHECK(count == expected);
    for (n = 0; n < count; ++n) {
        const VortonVec3 from = lines[n].from, to = lines[n % 3 == 2 ? n - 2 : n + 1].from;
        const double off = is_cave ? sqrt((double)from.x * from.x + (double)from.y * from.y + (double)from.z * from.z) - 1 : from.z - height_at(from.x, from.y);
        CHECK(fabs(off) < 1e-6);
        CHECK(memcmp(&lines[n].to, &to, sizeof to) == 0);
    }
    OK(vorton_world_destroy(world));
}

int main(void) {
    run(cave(), 1, -0.25f);
    run(terrain(), 0, 0.4f);
    is_drawn(cave());
    is_drawn(terrain());
    saved_by_hash(cave());
    saved_by_hash(terrain());
    refuses();
    return 0;
}
