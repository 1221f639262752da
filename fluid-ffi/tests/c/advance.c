/* vorton_world_advance equals the reported number of calls of vorton_world_step, tracers and bodies included;
   coarse steps are reported. */
#include "check.h"

enum { TRACERS = 100, RING = 100 };

typedef struct Place {
    VortonWorldId world;
    VortonTracersId tracers;
    VortonBodyId ball;
} Place;

static Place place(void) {
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonVec3 seeds[TRACERS];
    Place p;
    uint32_t i;
    p.world = make_world(VORTON_THREADS_SERIAL, 0, 1000);
    add_ring(p.world, RING);
    tracers_def.capacity = TRACERS;
    OK(vorton_tracers_create(p.world, &tracers_def, &p.tracers));
    for (i = 0; i < TRACERS; ++i) {
        seeds[i] = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, random_unit(3 * i + 2));
    }
    OK(vorton_tracers_add(p.world, p.tracers, seeds, NULL, NULL, TRACERS));
    sphere.radius = 0.3f;
    body_def.position = vec3(1, 0, 0.5f);
    body_def.velocity = vec3(-0.5f, 0, 0);
    OK(vorton_body_create(p.world, &body_def, &p.ball));
    OK(vorton_shape_create(p.world, p.ball, &sphere, NULL));
    return p;
}

/* Positions of the tracers by id; the sets sort themselves at different times, because the measuring step
   counts as a step, too. */
static void read_tracers(const Place *p, float positions[TRACERS][3]) {
    float read[TRACERS][3];
    uint32_t ids[TRACERS];
    size_t count, i;
    OK(vorton_tracers_read(p->world, p->tracers, read[0], 12, ids, NULL, NULL, NULL, TRACERS, &count));
    CHECK(count == TRACERS);
    for (i = 0; i < TRACERS; ++i) memcpy(positions[ids[i]], read[i], sizeof read[i]);
}

static void expect_equal(const Place *a, const Place *b) {
    float one[TRACERS][3], other[TRACERS][3];
    CHECK(hash_of(a->world) == hash_of(b->world));
    read_tracers(a, one);
    read_tracers(b, other);
    CHECK(memcmp(one, other, sizeof one) == 0);
}

int main(void) {
    const Place a = place(), b = place();
    const VortonWorldId empty = make_world(VORTON_THREADS_SERIAL, 0, 100);
    VortonStats stats;
    uint32_t steps = 77, frame, i, all = 0;
    stats.struct_size = sizeof stats;
    /* As the measuring step of advance: vortons have been added. */
    OK(vorton_world_step(b.world, 0));
    for (frame = 0; frame < 5; ++frame) {
        const float dt = 1.0f / 20;
        OK(vorton_world_advance(a.world, dt, 0.3f, 1000, &steps));
        for (i = 0; i < steps; ++i) OK(vorton_world_step(b.world, dt / (float)steps));
        expect_equal(&a, &b);
        OK(vorton_world_stats(a.world, &stats));
        CHECK(stats.stretch_number < 0.5f && stats.bodies == 1);
        all += steps;
    }
    CHECK(all > 10 && stats.steps == all + 1);
    /* A limit that is too low, and a single step. */
    CHECK(vorton_world_advance(a.world, 0.05f, 0.3f, 1, &steps) == VORTON_NOTE_TOO_COARSE && steps == 1);
    CHECK(vorton_world_step(a.world, 10) == VORTON_NOTE_TOO_COARSE);
    OK(vorton_world_stats(a.world, &stats));
    CHECK(stats.stretch_number > VORTON_STRETCH_FOLLOWED);
    /* Fluid at rest: one step of any length. */
    OK(vorton_world_step(empty, 10));
    OK(vorton_world_advance(empty, 10, 0.3f, 1000, &steps));
    CHECK(steps == 1);
    OK(vorton_world_advance(empty, 10, 0.3f, 1000, NULL));
    OK(vorton_world_destroy(a.world));
    OK(vorton_world_destroy(b.world));
    OK(vorton_world_destroy(empty));
    printf("5 frames in %u steps\n", (unsigned)all);
    return 0;
}
