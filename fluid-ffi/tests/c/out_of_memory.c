/*
 * Memory runs out in the n-th allocation of a call, and stays out until the call returns, for every n: the
 * call completes (small blocks come from the library's reserve), or returns VORTON_ERR_OUT_OF_MEMORY and has
 * changed nothing. Each case runs in a child process.
 */
#define _DEFAULT_SOURCE
#include "check.h"

#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_armed;
static unsigned asked, fails_from;

static void *allocate(size_t size, size_t alignment, void *user) {
    void *memory;
    (void)user;
    if (is_armed && ++asked >= fails_from) return NULL;
    CHECK(posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, size) == 0);
    return memory;
}

static void give_back(void *memory, size_t size, size_t alignment, void *user) {
    (void)size;
    (void)alignment;
    (void)user;
    free(memory);
}

enum { MANY = 3000 };

static VortonWorldId world;
static VortonTracersId tracers;
static VortonVorton vortons[MANY];
static VortonVec3 places[MANY];

static VortonResult add_tracers(void) { return vorton_tracers_add(world, tracers, places, NULL, NULL, MANY); }

static VortonResult add_vortons(void) { return vorton_vortons_add(world, vortons, MANY, NULL); }

static VortonResult add_of_type(uint32_t type) {
    VortonInitialDef def = vorton_default_initial_def(type);
    def.spacing = 0.1f;
    def.count = 2000;
    def.radius = 0.4f;
    return vorton_add_initial(world, &def, NULL, NULL);
}

static VortonResult add_ring_of_lattice(void) { return add_of_type(VORTON_INITIAL_RING); }
static VortonResult add_filament(void) { return add_of_type(VORTON_INITIAL_FILAMENT_RING); }
static VortonResult add_noise(void) { return add_of_type(VORTON_INITIAL_NOISE); }
static VortonResult add_box(void) { return add_of_type(VORTON_INITIAL_DENSITY_BOX); }

static VortonResult create_operation(void) {
    const VortonOpDef def = vorton_default_op_def(VORTON_OP_VELOCITY);
    VortonOpId other;
    return vorton_op_create(world, &def, &other);
}

static VortonResult hash_all(void) {
    uint64_t hash;
    return vorton_world_hash_all(world, &hash);
}

static VortonResult wind(void) { return vorton_world_set_wind(world, vec3(1, 0, 0)); }

static VortonResult bad_value(void) {
    const VortonResult code = vorton_world_set_max_age(world, -1);
    return code == VORTON_ERR_BAD_VALUE ? VORTON_OK : code;
}

static const struct {
    const char *name;
    VortonResult (*make)(void);
} CALLS[] = {
    {"tracers_add", add_tracers},
    {"vortons_add", add_vortons},
    {"add_initial, ring", add_ring_of_lattice},
    {"add_initial, filament", add_filament},
    {"add_initial, noise", add_noise},
    {"add_initial, box", add_box},
    {"op_create", create_operation},
    {"hash_all", hash_all},
    {"set_wind", wind},
    {"a refused call", bad_value},
};

static uint64_t hash_of_world(void) {
    uint64_t hash;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

enum { REFUSED, COMPLETED, COMPLETED_WITHOUT, WRONG };

/* In a child process. */
static int make_without_memory(unsigned call, unsigned n) {
    /* Of a snapshot's size: the first call of hash_all takes memory. */
    const uint64_t before = CALLS[call].make == hash_all ? 0 : hash_of_world();
    VortonResult code;
    fails_from = n;
    is_armed = true;
    code = CALLS[call].make();
    is_armed = false;
    if (code == VORTON_OK) return asked < n ? COMPLETED : COMPLETED_WITHOUT;
    if (code != VORTON_ERR_OUT_OF_MEMORY) return WRONG;
    if (before != 0 && hash_of_world() != before) return WRONG;
    OK(CALLS[call].make());
    STEP(vorton_world_step(world, 0.01f));
    return REFUSED;
}

static void set_up(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    int i;
    def.max_vortons = 8000;
    OK(vorton_world_create(&def, &world));
    add_ring(world, 100);
    tracers_def.capacity = 5000;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    for (i = 0; i < MANY; ++i) {
        places[i] = vec3(0.001f * (float)i, 0, 1);
        vortons[i].position = places[i];
        vortons[i].volume = 1e-3f;
    }
    for (i = 0; i < 3; ++i) STEP(vorton_world_step(world, 0.01f));
}

int main(void) {
    unsigned call, ended = 0;
    OK(vorton_set_allocator(allocate, give_back, NULL));
    set_up();
    for (call = 0; call < sizeof CALLS / sizeof CALLS[0]; ++call) {
        unsigned n, counts[4] = {0, 0, 0, 0}, aborted = 0;
        for (n = 1; counts[COMPLETED] == 0 && n < 5000; ++n) {
            int status = 0;
            pid_t child;
            fflush(stdout);
            child = fork();
            CHECK(child >= 0);
            if (child == 0) _exit(make_without_memory(call, n));
            CHECK(waitpid(child, &status, 0) == child);
            if (WIFEXITED(status)) {
                CHECK(WEXITSTATUS(status) < WRONG);
                counts[WEXITSTATUS(status)] += 1;
            } else {
                aborted += 1;
            }
        }
        CHECK(counts[COMPLETED] == 1);
        printf("%-22s %4u allocations: refused %u, completed by the reserve %u, ended the process %u\n", CALLS[call].name,
               n - 2, counts[REFUSED], counts[COMPLETED_WITHOUT], aborted);
        ended += aborted;
    }
    CHECK(ended == 0);
    return 0;
}
