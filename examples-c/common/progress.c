/*
 * A progress line and a stopwatch for the examples. Plain C99 on top of two calls of the operating system:
 * "is this a terminal" and "what time is it".
 */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty and fileno need it with -std=c99. */
#endif

#include "progress.h"

#include <stdio.h>

#if defined(_WIN32)
#include <io.h>
#include <windows.h>
#else
#include <time.h>
#include <unistd.h>
#endif

enum {
    BAR_CELLS = 30,
    QUARTERS = 4
};

static int stdout_is_terminal(void)
{
#if defined(_WIN32)
    return _isatty(_fileno(stdout));
#else
    return isatty(fileno(stdout));
#endif
}

/* floor(done * parts / total); 64 bits because done * 100 overflows 32 after 43 million steps. */
static unsigned share(unsigned done, unsigned total, unsigned parts)
{
    return (unsigned)((unsigned long long)done * parts / total);
}

void progress_line(const char *what, unsigned done, unsigned total)
{
    static unsigned last_done;
    static unsigned last_total;

    if (total == 0) {
        return;
    }
    if (done > total) {
        done = total;
    }
    if (total != last_total || done < last_done) {
        last_done = 0;
        last_total = total;
    }

    if (stdout_is_terminal()) {
        char bar[BAR_CELLS + 1];
        const unsigned filled = share(done, total, BAR_CELLS);
        for (unsigned i = 0; i < BAR_CELLS; ++i) {
            bar[i] = i < filled ? '#' : '.';
        }
        bar[BAR_CELLS] = '\0';
        printf("\r%s [%s] %3u %% ", what, bar, share(done, total, 100));
        if (done == total && last_done != total) {
            printf("\n");
        }
        fflush(stdout);
    } else if (share(done, total, QUARTERS) > share(last_done, total, QUARTERS)) {
        printf("%s: %u of %u (%u %%)\n", what, done, total, share(done, total, 100));
        fflush(stdout); /* A log is written as the run proceeds, not all at exit. */
    }
    last_done = done;
}

double progress_seconds(void)
{
#if defined(_WIN32)
    LARGE_INTEGER ticks;
    LARGE_INTEGER ticks_per_second;
    if (!QueryPerformanceCounter(&ticks) || !QueryPerformanceFrequency(&ticks_per_second)) {
        return 0.0;
    }
    return (double)ticks.QuadPart / (double)ticks_per_second.QuadPart;
#else
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0.0;
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}
