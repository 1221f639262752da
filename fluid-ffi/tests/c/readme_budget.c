/* The README's budget. A test puts its lines where the comment below says. */
#include "vorton.h"
#include <stdio.h>

int main(void) {
    const float dt = 1.0f / 60.0f;
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonStats stats;
    VortonWorldId world;
    if (vorton_world_create(&def, &world) < 0) return 1;
    if (vorton_world_add_initial(world, &ring, NULL, NULL) < 0) return 1;
    {
        /* README */
    }
    stats.struct_size = sizeof stats;
    if (vorton_world_stats(world, &stats) < 0) return 1;
    /* A small ring is within it. */
    if (stats.steps != 1 || stats.quality != VORTON_QUALITY_FULL || stats.expected_ms > 2) return 1;
    printf("expected %.3f ms\n", (double)stats.expected_ms);
    return vorton_world_destroy(world) < 0;
}
