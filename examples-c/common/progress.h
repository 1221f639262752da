/*
 * A progress line and a stopwatch for the examples.
 */
#ifndef EXAMPLES_PROGRESS_H
#define EXAMPLES_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Shows that `done` of `total` steps of `what` are finished. Call it with done = 0 and after every step.
 *
 * On a terminal it redraws one line and ends it when done reaches total; elsewhere (a file, a build log) it
 * prints a short line each time another quarter is complete. One task at a time: a call with a smaller `done`
 * or another `total` starts a new one. Not safe to call from several threads.
 */
void progress_line(const char *what, unsigned done, unsigned total);

/* Seconds on a clock that never runs backwards; only differences mean anything. 0 where there is none. */
double progress_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
