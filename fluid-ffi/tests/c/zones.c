/* A profiler is notified of each step and of its stages: steps do not overlap, and the stages in a step
 * follow each other, on the thread that calls the step. It changes no bit, and must not call the library. */
#include "check.h"

enum { DEEPEST = 4, NAMES = 16 };

typedef struct Profiler {
    const char *open[DEEPEST];
    int depth;
    unsigned steps, stages;
    const char *names[NAMES];
    unsigned count;
    VortonWorldId world;
} Profiler;

static void zone_begin(const char *name, void *user) {
    Profiler *profiler = (Profiler *)user;
    uint64_t hash;
    unsigned i;
    CHECK(profiler->depth < DEEPEST);
    profiler->open[profiler->depth++] = name;
    CHECK(vorton_world_hash(profiler->world, &hash) == VORTON_ERR_BUSY);
    if (profiler->depth == 1) {
        CHECK(strcmp(name, "vorton step") == 0);
        profiler->steps += 1;
        return;
    }
    CHECK(profiler->depth == 2 && strncmp(name, "vorton ", 7) == 0);
    profiler->stages += 1;
    for (i = 0; i < profiler->count && profiler->names[i] != name; ++i) {
        CHECK(strcmp(profiler->names[i], name) != 0); /* One address for each name. */
    }
    CHECK(i < NAMES);
    profiler->names[i] = name;
    if (i == profiler->count) profiler->count += 1;
}

static void zone_end(void *user) {
    Profiler *profiler = (Profiler *)user;
    CHECK(profiler->depth > 0);
    profiler->depth -= 1;
}

static uint64_t play(uint32_t threads, Profiler *profiler) {
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonTracersId tracers;
    VortonWorldId world;
    const VortonVec3 place = {0, 0, 0.2f};
    uint64_t hash;
    uint32_t i, steps = 0;
    def.threads = threads;
    def.gravity = vec3(0, 0, -5);
    def.viscosity = 1e-3f;
    if (profiler != NULL) {
        def.zone_begin = zone_begin;
        def.zone_end = zone_end;
        def.zone_user = profiler;
    }
    OK(vorton_world_create(&def, &world));
    if (profiler != NULL) profiler->world = world;
    add_ring(world, 200);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_tracers_add(world, tracers, &place, NULL, NULL, 1));
    for (i = 0; i < 6; ++i) STEP(vorton_world_step(world, 0.02f));
    STEP(vorton_world_advance(world, 0.05f, 0.1f, 8, &steps));
    CHECK(steps > 1);
    OK(vorton_world_hash_all(world, &hash));
    OK(vorton_world_destroy(world));
    return hash;
}

int main(void) {
    uint32_t threads;
    const uint64_t alone = play(VORTON_THREADS_SERIAL, NULL);
    for (threads = VORTON_THREADS_SERIAL; threads <= VORTON_THREADS_POOL; ++threads) {
        Profiler profiler;
        memset(&profiler, 0, sizeof profiler);
        CHECK(play(threads, &profiler) == alone);
        CHECK(profiler.depth == 0 && profiler.steps == 7 && profiler.count >= 9 && profiler.stages >= 7 * profiler.count);
    }
    printf("steps and stages have been told\n");
    return 0;
}
