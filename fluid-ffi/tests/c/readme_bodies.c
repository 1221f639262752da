/* The README's bodies. A test puts its lines where the comment below says. */
#include "vorton.h"
#include <stdio.h>

int main(void) {
    const float dt = 1.0f / 60.0f;
    const size_t n = 1;
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonWorldId world;
    VortonBodyId id;
    VortonBodyId *ids = &id;
    VortonBodyState states[1] = {{{1, 0, 0.25f}, {0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0}}};
    VortonBodyImpulse impulses[1];
    if (vorton_world_create(&def, &world) < 0) return 1;
    if (vorton_world_add_initial(world, &ring, NULL, NULL) < 0) return 1;
    {
        /* README */
    }
    /* The ring passes below the ball and pushes it, so the ball has its shape. */
    if (impulses[0].hits == 0) return 1;
    printf("%u vortons at the ball\n", (unsigned)impulses[0].hits);
    return vorton_world_destroy(world) < 0;
}
