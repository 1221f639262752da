// The README's lines for C++. A test puts them where the comment below says.
#include "vorton.hpp"
#include <stdio.h>

struct Particle {
    float position[3], velocity[3];
};

static int fail(const char *text) {
    printf("%s\n", text);
    return 1;
}

static int run(const VortonWorldDef &def) {
    const float dt = 1.0f / 60.0f;
    const uint32_t frame = 0;
    static Particle particles[10];
    const size_t count = 10;
    /* README */
    if (!world.set_wind({1, 0, 0}) || !world.step(dt) || !follow.run(view, dt, frame)) return 1;
    if (!(particles[9].velocity[0] > 0.99f)) return 1;
    printf("blown along at %g m/s\n", static_cast<double>(particles[9].velocity[0]));
    return 0;
}

int main() {
    VortonWorldDef def = vorton_default_world_def();
    if (run(def) != 0) return 1;
    def.core_radius = -1;
    return run(def) == 0;
}
