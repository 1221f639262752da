/*
 * The library's memory comes from the host, all of it is freed, and running out is an error: for a host that
 * provides at most 64 MiB, and for a process with a low memory limit.
 */
#define _DEFAULT_SOURCE
#include "check.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char arena; /* The user pointer. */
static size_t bytes, peak, blocks, largest, asked;
static size_t most = (size_t)64 << 20;
static pthread_mutex_t counters = PTHREAD_MUTEX_INITIALIZER; /* Threads of pools take memory, too. */

/* Header in front of a block, at its alignment, to detect a different size or alignment when it is freed. */
typedef struct Header {
    size_t size, alignment;
    void *whole;
} Header;

/* True if this much is left. */
static bool count(size_t size) {
    bool fits;
    (void)pthread_mutex_lock(&counters);
    asked += 1;
    if (size > largest) largest = size;
    fits = bytes + size <= most;
    if (fits) {
        bytes += size;
        blocks += 1;
        if (bytes > peak) peak = bytes;
    }
    (void)pthread_mutex_unlock(&counters);
    return fits;
}

static void *allocate(size_t size, size_t alignment, void *user) {
    char *whole, *block;
    Header *header;
    CHECK(user == &arena && size > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    if (!count(size)) return NULL;
    whole = (char *)malloc(size + alignment + sizeof(Header));
    CHECK(whole != NULL);
    block = whole + sizeof(Header);
    block += (alignment - (size_t)block % alignment) % alignment;
    header = (Header *)(void *)block - 1;
    if ((size_t)header % sizeof(void *) != 0) {
        /* Small alignments: keep the header's own. */
        block += sizeof(void *) - (size_t)block % sizeof(void *);
        header = (Header *)(void *)block - 1;
    }
    header->size = size;
    header->alignment = alignment;
    header->whole = whole;
    memset(block, 0xa5, size); /* Zeroed memory would hide uninitialised values. */
    return block;
}

static void give_back(void *memory, size_t size, size_t alignment, void *user) {
    Header *header = (Header *)memory - 1;
    CHECK(user == &arena && header->size == size && header->alignment == alignment);
    (void)pthread_mutex_lock(&counters);
    bytes -= size;
    blocks -= 1;
    (void)pthread_mutex_unlock(&counters);
    free(header->whole);
}

static VortonMemory memory(void) {
    VortonMemory now;
    now.struct_size = sizeof now;
    OK(vorton_memory(&now));
    return now;
}

static VortonResult create(uint32_t max_vortons, uint32_t threads, VortonWorldId *world) {
    VortonWorldDef def = vorton_default_world_def();
    def.max_vortons = max_vortons;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.gravity = vec3(0, 0, -1);
    return vorton_world_create(&def, world);
}

/* A world with objects of each kind, which runs and is destroyed. */
static void live(uint32_t threads) {
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldId world;
    VortonTracersId tracers;
    VortonBodyId body;
    const VortonVec3 place = {0, 0, 0.5f};
    uint64_t hash;
    int i;
    OK(create(3000, threads, &world));
    add_ring(world, 100);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    tracers_def.capacity = 1000;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_tracers_add(world, tracers, &place, NULL, NULL, 1));
    body_def.flags = VORTON_BODY_NO_THROUGH;
    body_def.position.x = 1.5f;
    shape_def.radius = 0.3f;
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_shape_create(world, body, &shape_def, NULL));
    for (i = 0; i < 12; ++i) STEP(vorton_world_step(world, 0.02f));
    OK(vorton_world_hash_all(world, &hash));
    OK(vorton_body_destroy(world, body));
    OK(vorton_world_destroy(world));
}

static void from_the_host(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world, another;
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonTracersId tracers;
    uint32_t max_vortons;
    size_t before, after;
    live(VORTON_THREADS_SERIAL);
    CHECK(asked > 100 && memory().bytes == bytes && memory().blocks == blocks && memory().peak_bytes == peak);
    CHECK(memory().allocations == asked);
    /* All of it is freed, except memory kept since the first call. */
    before = bytes;
    live(VORTON_THREADS_SERIAL);
    CHECK(bytes == before && bytes < 4096);
    live(VORTON_THREADS_POOL);
    for (max_vortons = 0; max_vortons < 30; ++max_vortons) {
        OK(create(500, VORTON_THREADS_POOL, &world));
        STEP(vorton_world_step(world, 0.01f));
        OK(vorton_world_destroy(world));
    }
    after = bytes;
    printf("left after worlds: %u bytes, after pools: %u bytes\n", (unsigned)before, (unsigned)after);
    CHECK(after < 65536);
    /* The largest request, the probe, covers the memory of a world, but not much more. */
    for (max_vortons = 1024; max_vortons <= 16384; max_vortons *= 4) {
        before = bytes;
        largest = 0;
        def.max_vortons = max_vortons;
        def.viscosity = max_vortons == 4096 ? 0 : 1e-3f;
        OK(vorton_world_create(&def, &world));
        printf("%u vortons: asked for %u bytes, took %u\n", (unsigned)max_vortons, (unsigned)largest, (unsigned)(bytes - before));
        CHECK(bytes - before <= largest && largest / 3 < bytes - before);
        OK(vorton_world_destroy(world));
    }
    /* Too large a request is an error, and changes nothing. */
    OK(create(1000, VORTON_THREADS_SERIAL, &world));
    before = bytes;
    for (max_vortons = 1u << 17; max_vortons <= 1u << 24; max_vortons *= 2) {
        check_result(__FILE__, __LINE__, "create", VORTON_ERR_OUT_OF_MEMORY, create(max_vortons, VORTON_THREADS_SERIAL, &another));
    }
    tracers_def.capacity = 1u << 26;
    check_result(__FILE__, __LINE__, "tracers", VORTON_ERR_OUT_OF_MEMORY, vorton_tracers_create(world, &tracers_def, &tracers));
    CHECK(bytes < before + 512); /* The error sentence. */
    add_ring(world, 50);
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_world_destroy(world));
    check_result(__FILE__, __LINE__, "late", VORTON_ERR_TOO_LATE, vorton_set_allocator(allocate, give_back, &arena));
    before = (size_t)memory().bytes;
    CHECK(before == bytes);
}

/* Without a host's functions, in a process that may have 512 MiB. */
static void from_the_system(void) {
    const struct rlimit limit = {(rlim_t)512 << 20, (rlim_t)512 << 20};
    VortonWorldId world;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return;
    check_result(__FILE__, __LINE__, "create", VORTON_ERR_OUT_OF_MEMORY, create(1u << 24, VORTON_THREADS_SERIAL, &world));
    check_result(__FILE__, __LINE__, "create", VORTON_ERR_OUT_OF_MEMORY, create(1u << 20, VORTON_THREADS_SERIAL, &world));
    OK(create(10000, VORTON_THREADS_SERIAL, &world));
    add_ring(world, 100);
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_world_destroy(world));
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__)
    /* Its shadow needs more than the limit. */
    const bool is_limited = false;
#else
    const bool is_limited = true;
#endif
    if (is_limited) {
        int status = 0;
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            from_the_system();
            fflush(stdout);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(vorton_set_allocator(allocate, NULL, NULL) == VORTON_ERR_NULL);
    OK(vorton_set_allocator(allocate, give_back, &arena));
    from_the_host();
    return 0;
}
