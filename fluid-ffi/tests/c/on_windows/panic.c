/* A panic inside of the library in a Windows program is an error of that world alone: it unwinds through what
 * gcc has linked, by Windows' own tables. */
#include "../failing_clock.h"

int main(void) {
    panic_inside(VORTON_THREADS_SERIAL);
    panic_inside(VORTON_THREADS_POOL);
    printf("panics were caught\n");
    return 0;
}
