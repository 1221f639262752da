#include <vorton.h>

float core_radius_elsewhere(void);

float core_radius_elsewhere(void) {
    return vorton_default_world_def().core_radius;
}
