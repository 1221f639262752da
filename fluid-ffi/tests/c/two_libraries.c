/* vorton and another Rust library in one program. Each catches its own panics, and its hook sees no others.
 * Linked with -Wl,--wrap=clock_gettime: a failing clock makes Rust's standard library panic inside vorton. */
#include "check.h"

#include <errno.h>
#include <time.h>

int32_t other_library_pick(size_t index);
size_t other_library_count_panics(void);
int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

static int clock_fails = 0;

int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
    if (clock_fails == 0) return __real_clock_gettime(clock, out);
    errno = EINVAL;
    return -1;
}

static void count_lines(int32_t level, const char *text, void *user) {
    (void)text;
    if (level == VORTON_LOG_ERROR) ++*(int *)user;
}

static void panic_inside(uint32_t threads) {
    const VortonWorldId broken = make_world(threads, 2, 100), sound = make_world(threads, 2, 100);
    char text[512];
    add_ring(broken, 32);
    add_ring(sound, 32);
    OK(vorton_world_step(broken, 0.01f));
    clock_fails = 1;
    CHECK(vorton_world_step(broken, 0.01f) == VORTON_ERR_PANIC);
    clock_fails = 0;
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "internal error") != NULL);
    CHECK(vorton_world_step(broken, 0.01f) == VORTON_ERR_POISONED);
    OK(vorton_world_step(sound, 0.01f));
    OK(vorton_world_destroy(broken));
    OK(vorton_world_destroy(sound));
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
