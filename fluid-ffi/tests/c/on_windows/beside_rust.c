/* vorton.dll in a program with another Rust library. (Two archives of rustc do not link into one program, and
 * packaging/isolate is for Linux.) */
#include "../check.h"

int32_t other_library_pick(size_t index);

int main(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_POOL, 2, 100);
    add_ring(world, 32);
    OK(vorton_world_step(world, 0.01f));
    CHECK(other_library_pick(1) == 2 && other_library_pick(3) == -1);
    OK(vorton_world_step(world, 0.01f));
    OK(vorton_world_destroy(world));
    printf("beside another Rust library\n");
    return 0;
}
