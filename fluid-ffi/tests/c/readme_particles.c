/* The README's particles. A test puts its lines where the comment below says. */
#include "vorton.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct Particle {
    float position[3], velocity[3], age;
} Particle;

int main(void) {
    enum { capacity = 100, op_count = 3 };
    static const uint32_t types[op_count] = {VORTON_OP_VELOCITY, VORTON_OP_ADVECT, VORTON_OP_AGE};
    const float dt = 1.0f / 60.0f;
    const uint32_t frame = 0;
    static Particle particles[capacity];
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonWorldId world;
    VortonOpId ops[op_count];
    VortonOpResult result;
    size_t count = 10;
    int i;
    if (vorton_world_create(&def, &world) < 0) return 1;
    if (vorton_world_add_initial(world, &ring, NULL, NULL) < 0 || vorton_world_step(world, dt) < 0) return 1;
    for (i = 0; i < op_count; ++i) {
        const VortonOpDef op = vorton_default_op_def(types[i]);
        if (vorton_op_create(world, &op, &ops[i]) < 0) return 1;
    }
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    {
        /* README */
    }
    if (count != 10 || result.non_finite != 0 || !(particles[0].position[2] > 0) || particles[0].age != dt) return 1;
    printf("carried to %g m\n", (double)particles[0].position[2]);
    return vorton_world_destroy(world) < 0;
}
