/* A clock that fails makes Rust's standard library panic inside vorton. Programs with it are linked with
 * -Wl,--wrap=clock_gettime, on Windows with -Wl,--wrap=QueryPerformanceCounter. */
#ifndef FAILING_CLOCK_H
#define FAILING_CLOCK_H

#include "check.h"

static int clock_fails = 0;

#if defined(_WIN32)
#include <windows.h>

BOOL WINAPI __real_QueryPerformanceCounter(LARGE_INTEGER *out);
BOOL WINAPI __wrap_QueryPerformanceCounter(LARGE_INTEGER *out);

BOOL WINAPI __wrap_QueryPerformanceCounter(LARGE_INTEGER *out) {
    return clock_fails == 0 ? __real_QueryPerformanceCounter(out) : FALSE;
}
#else
#include <errno.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);

int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
    if (clock_fails == 0) return __real_clock_gettime(clock, out);
    errno = EINVAL;
    return -1;
}
#endif

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

#endif
