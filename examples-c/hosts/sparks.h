/*
 * The scene of all hosts, and the comparison with the golden result. C99 and C++11.
 *
 * 8,000 sparks start around a vortex ring of 64 vortons, which carries them for 120 frames of 16 ms. Every
 * fourth spark dies during the run. plain.c runs the scene on a plain C array and writes the end position of
 * each spark; the hosts run it on the particles of their engine and compare.
 *
 * Start positions are computed without functions of the C library, so they are the same bits everywhere. 16
 * ms is a whole number of milliseconds, because Irrlicht's clock has no fractions of a millisecond.
 */
#ifndef HOSTS_SPARKS_H
#define HOSTS_SPARKS_H

#include "vorton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SPARKS = 8000,
    SPARK_FRAMES = 120,
    SPARK_FRAME_MS = 16
};

static const float SPARK_DT = 0.016f; /* [s] */

/* End of a spark. */
typedef struct SparkEnd {
    float position[3]; /* 0 if it has died. */
    uint32_t is_alive;
} SparkEnd;

/* The printed results of a run. */
typedef struct SparkReport {
    const char *host;
    const char *run;
    size_t particle_bytes;
    double operation_ms; /* Time in vorton_ops_run, per frame. */
    /* 0: the bits must be the golden ones. Otherwise the largest distance from them [m]. */
    double tolerance;
} SparkReport;

/* Uniform in [0, 1), from a counter (splitmix64). */
static inline float spark_random(uint64_t counter)
{
    uint64_t z = (counter + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (float)((z ^ (z >> 31)) >> 40) * (1.0f / 16777216.0f);
}

/* Start position [m]: random in a box around the ring. */
static inline void spark_start(uint32_t spark, float position[3])
{
    static const float EXTENT[3] = {2.8f, 2.8f, 1.6f};
    for (uint32_t axis = 0; axis < 3; ++axis) {
        position[axis] = EXTENT[axis] * (spark_random(3u * (uint64_t)spark + axis) - 0.5f);
    }
}

/* Lifetime in frames. Half a frame more than a whole number, because engines differ in the order of age and
 * motion, and in whether a particle as old as its lifetime dies. 1e6: it outlives the run. */
static inline float spark_lifetime_frames(uint32_t spark)
{
    return spark % 4 == 3 ? 20.5f + (float)(spark / 4 % 80) : 1e6f;
}

/* Creates a world with a ring that travels along +z. `second` is the number of time units per second: 1 for
 * seconds, 1000 for milliseconds. */
static inline VortonResult spark_world(float second, VortonWorldId *out)
{
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonResult result = vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION);
    def.core_radius = 0.2f;
    def.relaxation_rate /= second;
    ring.circulation = 5.0f / second;
    if (result >= 0) result = vorton_world_create(&def, out);
    if (result >= 0) result = vorton_world_add_initial(*out, &ring, NULL, NULL);
    return result;
}

/* Processor time of this process [s]. */
static inline double spark_seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* Milliseconds per frame. */
static inline double spark_frame_ms(double seconds)
{
    return 1e3 * seconds / (double)SPARK_FRAMES;
}

/* Ends the program with the library's error sentence for a failed call. */
static inline void spark_check(VortonResult result, const char *call)
{
    if (result < 0) {
        char text[512];
        (void)vorton_last_error(text, sizeof text);
        printf("%s: %s: %s\n", call, vorton_result_name(result), text);
        exit(EXIT_FAILURE);
    }
}

/* FNV-1a over the ends of all sparks. */
static inline uint64_t spark_hash(const SparkEnd *ends)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < SPARKS * sizeof *ends; ++i) {
        hash = (hash ^ ((const unsigned char *)ends)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static inline void spark_print(const SparkReport *report, const SparkEnd *ends)
{
    double sum[3] = {0.0, 0.0, 0.0};
    unsigned alive = 0;
    for (size_t i = 0; i < SPARKS; ++i) {
        alive += ends[i].is_alive;
        for (int axis = 0; axis < 3; ++axis) sum[axis] += (double)ends[i].position[axis];
    }
    printf("%-8s %-36s %3u B, %u of %u alive, sum (%.6f, %.6f, %.6f), %.2f ms, hash %016llx", report->host, report->run,
           (unsigned)report->particle_bytes, alive, (unsigned)SPARKS, sum[0], sum[1], sum[2], report->operation_ms,
           (unsigned long long)spark_hash(ends));
}

/* Prints a run and compares it with the golden result in a file. Returns 0, or 1 if they differ. */
static inline int spark_compare(const SparkReport *report, const SparkEnd *ends, const char *golden_path)
{
    SparkEnd *golden = (SparkEnd *)malloc(SPARKS * sizeof *golden);
    FILE *file = fopen(golden_path, "rb");
    const int is_read = golden != NULL && file != NULL && fread(golden, sizeof *golden, SPARKS, file) == SPARKS;
    double largest = 0.0;
    unsigned lives = 0;
    int is_good = is_read;
    if (file != NULL) (void)fclose(file);
    spark_print(report, ends);
    if (!is_read) printf("\nFAILED: no golden answer in %s: run plain first\n", golden_path);
    for (size_t i = 0; is_read && i < SPARKS; ++i) {
        double square = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double off = (double)ends[i].position[axis] - (double)golden[i].position[axis];
            square += off * off;
        }
        /* Comparisons with NaN are false. */
        if (!(square <= largest * largest)) largest = sqrt(square);
        lives += ends[i].is_alive != golden[i].is_alive;
    }
    if (is_read) {
        const int is_same = memcmp(ends, golden, SPARKS * sizeof *golden) == 0;
        is_good = report->tolerance > 0.0 ? lives == 0 && largest <= report->tolerance : is_same;
        if (is_same) printf(": golden, to the last bit\n");
        else printf(": %.1e m off at most\n", largest);
        if (!is_good) printf("FAILED: not the golden answer; %u sparks live or died that should not have\n", lives);
    }
    free(golden);
    return is_good ? 0 : 1;
}

#endif
