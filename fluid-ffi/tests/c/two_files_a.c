/* With two_files_b.c: the inline functions of the header do not clash, and both files see the same
 * defaults. */
#include <vorton.h>

float core_radius_elsewhere(void);

int main(void) {
    const VortonWorldDef def = vorton_default_world_def();
    const VortonOpDef op = vorton_default_op_def(VORTON_OP_VELOCITY);
    if (vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION) != VORTON_OK) return 1;
    if (def.struct_size != sizeof def || def.core_radius < 0.05f) return 2;
    if (op.type != VORTON_OP_VELOCITY || op.rate < VORTON_RATE_AT_ONCE) return 3;
    return core_radius_elsewhere() < def.core_radius || core_radius_elsewhere() > def.core_radius ? 4 : 0;
}
