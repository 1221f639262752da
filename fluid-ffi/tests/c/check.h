/* Common code of the test programs: error exits, and a world with contents. */
#ifndef CHECK_H
#define CHECK_H

#include <vorton.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stops the program unless `condition` holds. */
#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

/* Stops the program unless `call` returns VORTON_OK. */
#define OK(call) check_result(__FILE__, __LINE__, #call, VORTON_OK, (call))

/* Stops the program if `call`, a step, fails. VORTON_NOTE_TOO_COARSE is not a failure. */
#define STEP(call) check_step(__FILE__, __LINE__, #call, (call))

/* Stops the program unless `call` is refused as a bad value, with an error that contains `word`. */
#define REFUSED_FOR(call, word) check_refused(__FILE__, __LINE__, (call), (word))

static inline void check_failed(const char *file, int line, const char *condition) {
    printf("%s:%d: does not hold: %s\n", file, line, condition);
    exit(1);
}

static inline void check_result(const char *file, int line, const char *call, VortonResult expected, VortonResult got) {
    char text[512];
    if (got == expected) return;
    (void)vorton_last_error(text, sizeof text);
    printf("%s:%d: %s\n  answered %s (%s)\n  instead of %s\n", file, line, call, vorton_result_name(got), text,
           vorton_result_name(expected));
    exit(1);
}

static inline void check_refused(const char *file, int line, VortonResult got, const char *word) {
    char text[512];
    (void)vorton_last_error(text, sizeof text);
    if (got == VORTON_ERR_BAD_VALUE && strstr(text, word)) return;
    printf("%s:%d: %s (%s), which does not name '%s'\n", file, line, vorton_result_name(got), text, word);
    exit(1);
}

static inline void check_step(const char *file, int line, const char *call, VortonResult got) {
    if (got != VORTON_NOTE_TOO_COARSE) check_result(file, line, call, VORTON_OK, got);
}

static inline VortonVec3 vec3(float x, float y, float z) {
    VortonVec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline VortonWorldId make_world(uint32_t threads, uint32_t worker_count, uint32_t max_vortons) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.threads = threads;
    def.worker_count = worker_count;
    def.max_vortons = max_vortons;
    OK(vorton_world_create(&def, &world));
    return world;
}

/* A ring of `count` vortons around the origin, travelling along z. */
static inline void add_ring(VortonWorldId world, uint32_t count) {
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.count = count;
    ring.circulation = 2.0f;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
}

static inline VortonOpId make_op(VortonWorldId world, uint32_t type) {
    const VortonOpDef def = vorton_default_op_def(type);
    VortonOpId op;
    OK(vorton_op_create(world, &def, &op));
    return op;
}

static inline uint64_t hash_of(VortonWorldId world) {
    uint64_t hash = 0;
    OK(vorton_world_hash(world, &hash));
    return hash;
}

/* A uniform number in [0, 1) that depends on `n` alone. */
static inline float random_unit(uint32_t n) {
    n = n * 747796405u + 2891336453u;
    n = ((n >> ((n >> 28) + 4u)) ^ n) * 277803737u;
    return (float)(((n >> 22) ^ n) >> 8) / 16777216.0f;
}

#endif
