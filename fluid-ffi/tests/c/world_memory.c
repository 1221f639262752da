/*
 * Each world's memory is counted by itself, to the byte, whichever thread or call frees it, and
 * VortonWorldDef.max_memory limits what functions add to it, without ever stopping a step.
 */
#include "check.h"

#include <string.h>

static VortonMemory all(void) {
    VortonMemory memory = vorton_default_memory();
    OK(vorton_memory(&memory));
    return memory;
}

static VortonMemory of(VortonWorldId world) {
    VortonMemory memory = vorton_default_memory();
    OK(vorton_world_memory(world, &memory));
    return memory;
}

static VortonWorldId create(uint32_t threads, uint32_t solver, uint64_t max_memory) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.core_radius = 0.1f;
    def.max_vortons = 3000;
    def.gravity = vec3(0, 0, -1);
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.solver = solver;
    def.max_memory = max_memory;
    OK(vorton_world_create(&def, &world));
    return world;
}

/* A full set of tracers. */
static VortonTracersId add_tracers(VortonWorldId world, uint32_t capacity) {
    static VortonVec3 places[1 << 17];
    VortonTracersDef def = vorton_default_tracers_def();
    VortonTracersId tracers;
    uint32_t i;
    CHECK(capacity <= 1 << 17);
    for (i = 0; i < capacity; ++i) places[i] = vec3(random_unit(3 * i), random_unit(3 * i + 1), random_unit(3 * i + 2));
    def.capacity = capacity;
    def.readable_during_steps = 1;
    OK(vorton_tracers_create(world, &def, &tracers));
    OK(vorton_tracers_add(world, tracers, places, NULL, NULL, capacity));
    return tracers;
}

static VortonResult add_body(VortonWorldId world, float radius, uint32_t flags) {
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId body;
    VortonResult result;
    body_def.flags |= flags;
    body_def.position.x = 1.5f;
    shape_def.radius = radius;
    result = vorton_body_create(world, &body_def, &body);
    return result == VORTON_OK ? vorton_shape_create(world, body, &shape_def, NULL) : result;
}

/* Vortons at random positions in a cube [m], so that a mesh pays. */
static void add_crowd(VortonWorldId world, uint32_t count, float size) {
    static VortonVorton crowd[2000];
    uint32_t i;
    CHECK(count <= 2000);
    memset(crowd, 0, sizeof crowd);
    for (i = 0; i < count; ++i) {
        crowd[i].position = vec3(size * (random_unit(3 * i) - 0.5f), size * (random_unit(3 * i + 1) - 0.5f), size * (random_unit(3 * i + 2) - 0.5f));
        crowd[i].strength = vec3(1e-3f * (random_unit(7 * i) - 0.5f), 1e-3f, 0);
        crowd[i].volume = 1e-3f;
    }
    OK(vorton_vortons_add(world, crowd, count, NULL));
}

static void run(VortonWorldId world, uint32_t steps) {
    uint32_t i;
    for (i = 0; i < steps; ++i) STEP(vorton_world_step(world, 1.0f / 144 + random_unit(i) * (1.0f / 15 - 1.0f / 144)));
}

static bool near(uint64_t a, uint64_t b, uint64_t slack) { return a <= b + slack && b <= a + slack; }

/* What all worlds have is what each of them has, and a constant of the library. */
static void counted(uint32_t threads) {
    /* The threads of a pool begin and end at their own pace, and have some memory of their own. */
    const uint64_t slack = threads == VORTON_THREADS_SERIAL ? 0 : 1 << 15;
    VortonWorldId worlds[2];
    VortonTracersId tracers;
    VortonTracerRows rows;
    VortonMemory before = all(), first, second;
    uint64_t constant;
    size_t size;
    void *bytes;
    int i;
    for (i = 0; i < 2; ++i) worlds[i] = create(threads, VORTON_SOLVER_AUTO, 0);
    first = of(worlds[0]);
    CHECK(first.bytes > 3000 * 300 && near(first.bytes, of(worlds[1]).bytes, slack) && first.blocks > 100 && first.allocations >= first.blocks);
    constant = all().bytes - 2 * first.bytes;
    CHECK(near(constant, before.bytes, slack + 4096));

    /* Of two equal worlds, one gets more. */
    add_crowd(worlds[1], 1500, 2);
    tracers = add_tracers(worlds[1], 20000);
    OK(add_body(worlds[1], 0.3f, VORTON_BODY_NO_THROUGH));
    run(worlds[1], 10);
    second = of(worlds[1]);
    CHECK(second.bytes > first.bytes + 1000000 && second.peak_bytes >= second.bytes && near(of(worlds[0]).bytes, first.bytes, slack));
    CHECK(near(all().bytes, constant + first.bytes + second.bytes, slack + 4096));
    CHECK(near(all().blocks, before.blocks + first.blocks + second.blocks, slack / 256 + 32));

    /* What steps add or free is the stepping world's. */
    run(worlds[1], 10);
    CHECK(near(all().bytes, constant + first.bytes + of(worlds[1]).bytes, slack + 4096) && near(of(worlds[0]).bytes, first.bytes, slack));

    /* The other world, restored from it, has the same kind of memory; each frees its own. */
    OK(vorton_world_save(worlds[1], NULL, 0, &size));
    CHECK((bytes = malloc(size)) != NULL);
    OK(vorton_world_save(worlds[1], bytes, size, &size));
    OK(vorton_world_restore(worlds[0], bytes, size));
    free(bytes);
    CHECK(of(worlds[0]).bytes > first.bytes + 1000000);
    CHECK(near(all().bytes, constant + of(worlds[0]).bytes + of(worlds[1]).bytes, slack + 4096));

    /* Rows that a reader holds outlive their world, and stay its memory. */
    OK(vorton_tracers_acquire(worlds[1], tracers, &rows, sizeof rows));
    OK(vorton_world_destroy(worlds[1]));
    CHECK(vorton_world_memory(worlds[1], &second) == VORTON_ERR_STALE_ID);
    OK(vorton_world_destroy(worlds[0]));
    printf("left: %d bytes more than before\n", (int)(all().bytes - before.bytes));
}

/* The limit refuses what is too large, changes nothing then, and lets steps go on. */
static void limited(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world, twin;
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonTracersId tracers, small;
    VortonStats stats = vorton_default_stats();
    uint64_t limit, hash, outside = 0;
    uint32_t i;
    char text[256];
    def.max_memory = 1u << 20;
    CHECK(vorton_world_create(&def, &world) == VORTON_ERR_OUT_OF_MEMORY);
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "max_memory") != NULL);

    /* Tracers. */
    limit = 6u << 20;
    world = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, limit);
    hash = hash_of(world);
    tracers_def.capacity = 1u << 17;
    CHECK(vorton_tracers_create(world, &tracers_def, &tracers) == VORTON_ERR_OUT_OF_MEMORY);
    CHECK(hash_of(world) == hash && of(world).bytes < limit);
    tracers_def.capacity = 1u << 12;
    for (i = 0; vorton_tracers_create(world, &tracers_def, &tracers) == VORTON_OK; ++i) CHECK(of(world).bytes <= limit);
    CHECK(i > 4 && of(world).bytes > limit / 2 && of(world).peak_bytes <= limit);
    /* Smaller sets fill the rest: steps may take a little of the room that a large one leaves. */
    tracers_def.capacity = 3u << 10;
    while (vorton_tracers_create(world, &tracers_def, &small) == VORTON_OK) CHECK(of(world).bytes <= limit);
    run(world, 10);
    OK(vorton_tracers_destroy(world, tracers));
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_world_destroy(world));

    /* A mesh keeps its size: without a limit it grows with the cloud. */
    for (i = 0; i < 2; ++i) {
        twin = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_MESH, 0);
        add_crowd(twin, 1000, 1.5f);
        run(twin, 20);
        limit = of(twin).bytes + of(twin).bytes / 8;
        add_crowd(twin, 1000, 3.5f);
        run(twin, 30);
        printf("without a limit %u KiB\n", (unsigned)(of(twin).bytes >> 10));
        CHECK(of(twin).bytes > limit + (1u << 20));
        OK(vorton_world_destroy(twin));

        world = create(i == 0 ? VORTON_THREADS_SERIAL : VORTON_THREADS_POOL, VORTON_SOLVER_MESH, limit + (i << 16));
        add_crowd(world, 1000, 1.5f);
        run(world, 20);
        add_crowd(world, 1000, 3.5f);
        run(world, 30);
        OK(vorton_world_stats(world, &stats));
        outside = stats.mesh_outside;
        printf("limit %u KiB: %u KiB, %u vortons outside of %u nodes\n", (unsigned)(limit >> 10), (unsigned)(of(world).bytes >> 10),
               (unsigned)outside, (unsigned)stats.mesh_nodes);
        CHECK(of(world).bytes <= limit + (i << 16) && outside > 0);
        run(world, 5);
        OK(vorton_world_destroy(world));
    }
}

/* A limited world cannot become a larger one, and is again what it was. */
static void restored(void) {
    VortonWorldId large = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, 0);
    VortonWorldId small = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, 6u << 20);
    uint64_t hash;
    size_t size;
    void *bytes;
    (void)add_tracers(large, 1u << 17);
    add_crowd(large, 1500, 2);
    run(large, 5);
    add_crowd(small, 100, 1);
    run(small, 5);
    hash = hash_of(small);
    OK(vorton_world_save(large, NULL, 0, &size));
    CHECK((bytes = malloc(size)) != NULL);
    OK(vorton_world_save(large, bytes, size, &size));
    CHECK(vorton_world_restore(small, bytes, size) == VORTON_ERR_OUT_OF_MEMORY && hash_of(small) == hash);
    run(small, 5);
    free(bytes);
    OK(vorton_world_destroy(large));
    OK(vorton_world_destroy(small));
}

/* A world that is rolled back in each frame needs one snapshot more than it has, in all frames. */
static void rolled_back(void) {
    VortonWorldId world = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, 0);
    VortonTracersDef fill = vorton_default_tracers_def();
    VortonTracersId tracers;
    uint64_t limit, had, hash;
    uint32_t i;
    size_t size;
    char text[256];
    void *bytes;
    (void)add_tracers(world, 40000);
    add_crowd(world, 1500, 2);
    run(world, 10);
    OK(vorton_world_save(world, NULL, 0, &size));
    limit = of(world).bytes + size;
    OK(vorton_world_destroy(world));
    CHECK((bytes = malloc(2 * size)) != NULL);

    world = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, limit + limit / 16);
    (void)add_tracers(world, 40000);
    add_crowd(world, 1500, 2);
    run(world, 10);
    for (i = 0; i < 60; ++i) {
        OK(vorton_world_save(world, bytes, 2 * size, &size));
        STEP(vorton_world_step(world, 1.0f / 60));
        OK(vorton_world_restore(world, bytes, size));
        STEP(vorton_world_step(world, 1.0f / 60));
        CHECK(of(world).peak_bytes <= limit + limit / 16);
    }
    OK(vorton_world_reset(world));
    OK(vorton_world_destroy(world));

    /* Without room for that snapshot it is refused, changes nothing and keeps nothing. */
    world = create(VORTON_THREADS_SERIAL, VORTON_SOLVER_AUTO, limit);
    (void)add_tracers(world, 40000);
    add_crowd(world, 1500, 2);
    run(world, 10);
    fill.capacity = 4096;
    while (vorton_tracers_create(world, &fill, &tracers) == VORTON_OK) continue;
    OK(vorton_world_save(world, NULL, 0, &size));
    CHECK(limit - of(world).bytes < size && (bytes = realloc(bytes, 2 * size)) != NULL);
    OK(vorton_world_save(world, bytes, 2 * size, &size));
    for (i = 0; i < 3; ++i) {
        hash = hash_of(world);
        had = of(world).bytes;
        CHECK(vorton_world_restore(world, bytes, size) == VORTON_ERR_OUT_OF_MEMORY);
        (void)vorton_last_error(text, sizeof text);
        CHECK(strstr(text, "max_memory") != NULL && hash_of(world) == hash && of(world).bytes == had);
        STEP(vorton_world_step(world, 1.0f / 60));
    }
    OK(vorton_world_reset(world));
    free(bytes);
    OK(vorton_world_destroy(world));
}

int main(void) {
    uint64_t before;
    counted(VORTON_THREADS_SERIAL);
    before = all().bytes;
    counted(VORTON_THREADS_SERIAL);
    CHECK(all().bytes == before);
    counted(VORTON_THREADS_POOL);
    limited();
    restored();
    rolled_back();
    return 0;
}
