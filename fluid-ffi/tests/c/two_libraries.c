/* vorton and another Rust library in one program. Each catches its own panics, and its hook sees no others.
 * Linked with -Wl,--wrap=clock_gettime: see failing_clock.h. */
#include "failing_clock.h"

int32_t other_library_pick(size_t index);
size_t other_library_count_panics(void);

static void count_lines(int32_t level, const char *text, void *user) {
    (void)text;
    if (level == VORTON_LOG_ERROR) ++*(int *)user;
}

int main(void) {
    int lines = 0;
    CHECK(other_library_count_panics() == 0);
    OK(vorton_set_log(count_lines, &lines, VORTON_LOG_INFO));
    CHECK(other_library_pick(1) == 2 && other_library_pick(3) == -1);
    CHECK(other_library_count_panics() == 1 && lines == 0);
    panic_inside(VORTON_THREADS_SERIAL);
    panic_inside(VORTON_THREADS_POOL);
    CHECK(other_library_count_panics() == 1 && lines > 0);
    CHECK(other_library_pick(4) == -1 && other_library_pick(0) == 1);
    CHECK(other_library_count_panics() == 2);
    OK(vorton_set_log(NULL, NULL, VORTON_LOG_INFO));
    printf("both caught their own\n");
    return 0;
}
