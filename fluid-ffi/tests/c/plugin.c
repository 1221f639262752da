/* A plugin with the library inside: a shared object that an engine loads and unloads. */
#include "check.h"

uint64_t plugin_run(uint32_t threads);

uint64_t plugin_run(uint32_t threads) {
    const VortonWorldId world = make_world(threads, 2, 200);
    uint64_t hash;
    int step;
    add_ring(world, 64);
    for (step = 0; step < 10; ++step) STEP(vorton_world_step(world, 0.01f));
    hash = hash_of(world);
    CHECK(vorton_world_step(world, -1.0f / 0.0f) == VORTON_ERR_NOT_FINITE);
    OK(vorton_world_destroy(world));
    return hash;
}
