/* vorton_world_step_within: a budget without limits is vorton_world_step; by counts its decisions and bits
 * are the same on any number of threads; a budget of 0 has the cheapest quality; a plain step has full
 * quality again. */
#include "check.h"

#include <float.h>

enum { TRACERS = 3000, STEPS = 60 };

typedef struct Place {
    VortonWorldId world;
    VortonTracersId tracers;
} Place;

static Place place(uint32_t threads, uint32_t workers) {
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_RING);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    static VortonVec3 seeds[TRACERS];
    Place p;
    uint32_t i;
    def.threads = threads;
    def.worker_count = workers;
    def.core_radius = 0.3f;
    OK(vorton_world_create(&def, &p.world));
    ring.radius = ring.thickness = 1;
    ring.spacing = 0.2f;
    ring.circulation = 10;
    OK(vorton_world_add_initial(p.world, &ring, NULL, NULL));
    OK(vorton_tracers_create(p.world, &tracers_def, &p.tracers));
    for (i = 0; i < TRACERS; ++i) {
        seeds[i] = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, random_unit(3 * i + 2));
    }
    OK(vorton_tracers_add(p.world, p.tracers, seeds, NULL, NULL, TRACERS));
    return p;
}

static VortonStats stats_of(const Place *p) {
    VortonStats stats;
    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(p->world, &stats));
    return stats;
}

static void expect_equal(const Place *a, const Place *b) {
    static float one[TRACERS][3], other[TRACERS][3];
    size_t count;
    CHECK(hash_of(a->world) == hash_of(b->world));
    OK(vorton_tracers_read(a->world, a->tracers, one[0], 12, NULL, NULL, NULL, NULL, TRACERS, &count));
    OK(vorton_tracers_read(b->world, b->tracers, other[0], 12, NULL, NULL, NULL, NULL, TRACERS, &count));
    CHECK(count == TRACERS && memcmp(one, other, sizeof one) == 0);
}

int main(void) {
    const float dt = 1.0f / 60;
    const Place a = place(VORTON_THREADS_SERIAL, 0);
    const Place b = place(VORTON_THREADS_POOL, 2);
    const Place c = place(VORTON_THREADS_SERIAL, 0);
    VortonBudget budget = vorton_default_budget();
    VortonStats stats, others;
    uint32_t step, coarse = 0, fine = 0;
    CHECK(budget.measure == VORTON_MEASURE_COUNTED && budget.fluid_ms > 0 && budget.tracers_ms > 0);
    budget.fluid_ms = budget.tracers_ms = FLT_MAX;
    for (step = 0; step < 5; ++step) {
        OK(vorton_world_step(a.world, dt));
        OK(vorton_world_step_within(b.world, dt, &budget));
        OK(vorton_world_step_within(c.world, dt, &budget));
        expect_equal(&a, &b);
        expect_equal(&a, &c);
    }
    stats = stats_of(&c);
    CHECK(stats.quality == VORTON_QUALITY_FULL && stats.tracer_quality == VORTON_TRACERS_FULL);
    CHECK(stats.quality_changes == 0 && stats.expected_ms > 0 && stats.expected_tracers_ms > 0);
    CHECK(stats_of(&a).expected_ms <= 0 && stats_of(&a).expected_tracers_ms <= 0);
    for (step = 0; step < STEPS; ++step) {
        budget.fluid_ms = step % 50 == 0 ? 0.0f : 1e3f;
        budget.tracers_ms = step < 20 ? 0.0f : 0.035f;
        OK(vorton_world_step_within(b.world, dt, &budget));
        OK(vorton_world_step_within(c.world, dt, &budget));
        expect_equal(&b, &c);
        stats = stats_of(&c);
        others = stats_of(&b);
        CHECK(stats.quality == others.quality && stats.tracer_quality == others.tracer_quality);
        CHECK(stats.expected_ms <= others.expected_ms && stats.expected_ms >= others.expected_ms);
        coarse += stats.quality == VORTON_QUALITY_COARSE_MESH;
        fine += stats.quality == VORTON_QUALITY_FULL;
        CHECK(stats.tracer_quality > VORTON_TRACERS_FULL);
    }
    CHECK(coarse > 0 && fine > 0 && stats.quality_changes >= 4);
    OK(vorton_world_step(c.world, dt));
    stats = stats_of(&c);
    CHECK(stats.quality == VORTON_QUALITY_FULL && stats.tracer_quality == VORTON_TRACERS_FULL);
    /* By the clock: any time exceeds a budget of 0, after two steps with known times. */
    budget.measure = VORTON_MEASURE_CLOCK;
    budget.fluid_ms = budget.tracers_ms = 0;
    for (step = 0; step < 4; ++step) OK(vorton_world_step_within(c.world, dt, &budget));
    stats = stats_of(&c);
    CHECK(stats.quality == VORTON_QUALITY_COARSE_MESH && stats.tracer_quality == VORTON_TRACERS_EVERY_SECOND_STEP);
    CHECK(stats.vortons == stats_of(&a).vortons && stats.tracers == TRACERS);
    /* A step of 10 s is too long for this flow at any cost. */
    CHECK(vorton_world_step_within(c.world, 10, &budget) == VORTON_NOTE_TOO_COARSE);
    OK(vorton_world_destroy(a.world));
    OK(vorton_world_destroy(b.world));
    OK(vorton_world_destroy(c.world));
    printf("%u coarse steps, %u fine ones\n", (unsigned)coarse, (unsigned)fine);
    return 0;
}
