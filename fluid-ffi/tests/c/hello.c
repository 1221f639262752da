#include "vorton.h"
#include <stdio.h>

int main(void) {
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = 0.2f;
    VortonWorldId world;
    if (vorton_world_create(&def, &world) < 0) return 1;

    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.circulation = 5.0f;                              /* travels along +z */
    vorton_world_add_initial(world, &ring, NULL, NULL);

    float point[3] = {0, 0, 1}, velocity[3];
    for (int frame = 0; frame < 60; ++frame) vorton_world_step(world, 1.0f / 60.0f);
    vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, point, sizeof point, velocity, sizeof velocity, 1);
    printf("the fluid at (0, 0, 1) moves at %.2f m/s\n", velocity[2]);
    return vorton_world_destroy(world) < 0;
}
