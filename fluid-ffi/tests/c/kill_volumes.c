/*
 * Kill volumes: particles inside at the end of a step are removed, as if by the host; nothing else changes,
 * on any number of threads.
 */
#include "check.h"

#include <float.h>
#include <math.h>

enum { MOST = 4000, TRACERS = 500 };

static VortonVorton vortons[MOST];
static VortonVec3 places[TRACERS];
static uint32_t tracer_ids[TRACERS];

static size_t read_vortons(VortonWorldId world) {
    size_t count = 0;
    OK(vorton_vortons_read(world, vortons, MOST, &count));
    return count;
}

static VortonStats stats_of(VortonWorldId world) {
    VortonStats stats = vorton_default_stats();
    OK(vorton_world_stats(world, &stats));
    return stats;
}

static uint64_t hash_all(VortonWorldId world) {
    uint64_t hash = 0;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

static VortonKillVolume box(VortonVec3 at, VortonVec3 half, uint32_t flags) {
    VortonKillVolume volume = vorton_default_kill_volume();
    volume.position = at;
    volume.half_extents = half;
    volume.flags = flags;
    return volume;
}

static VortonKillVolume ball(VortonVec3 at, float radius, uint32_t flags) {
    VortonKillVolume volume = vorton_default_kill_volume();
    volume.type = VORTON_KILL_VOLUME_SPHERE;
    volume.position = at;
    volume.radius = radius;
    volume.flags = flags;
    return volume;
}

/* Inside test for axis-aligned boxes and balls. */
static int is_in(const VortonKillVolume *volume, VortonVec3 p) {
    const float x = p.x - volume->position.x, y = p.y - volume->position.y, z = p.z - volume->position.z;
    if (volume->type == VORTON_KILL_VOLUME_SPHERE) return x * x + y * y + z * z <= volume->radius * volume->radius;
    return fabsf(x) <= volume->half_extents.x && fabsf(y) <= volume->half_extents.y && fabsf(z) <= volume->half_extents.z;
}

static int is_killed(const VortonKillVolume *volumes, size_t count, VortonVec3 place) {
    int bounded = 0, within = 0;
    size_t v;
    for (v = 0; v < count; ++v) {
        if (volumes[v].flags == 0) {
            if (is_in(&volumes[v], place)) return 1;
        } else {
            bounded = 1;
            within |= is_in(&volumes[v], place);
        }
    }
    return bounded && !within;
}

static VortonWorldId ring_world(uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.max_vortons = MOST;
    OK(vorton_world_create(&def, &world));
    add_ring(world, 300);
    return world;
}

/* A ring that leaves the level, and a ball in its path: the same bits as if the host removes the vortons. */
static void as_if_the_host_did_it(void) {
    VortonKillVolume volumes[3];
    VortonWorldId world = ring_world(VORTON_THREADS_POOL), by_hand = ring_world(VORTON_THREADS_SERIAL);
    uint64_t gone[MOST], total = 0;
    size_t n, count, removed, killed;
    int step;
    volumes[0] = box(vec3(0, 0, 0), vec3(3, 3, 0.35f), VORTON_KILL_VOLUME_OUTSIDE);
    volumes[1] = box(vec3(0.5f, 0, 0.9f), vec3(2, 3, 0.6f), VORTON_KILL_VOLUME_OUTSIDE);
    volumes[2] = ball(vec3(0.9f, 0, 0.7f), 0.3f, 0);
    OK(vorton_world_set_kill_volumes(world, volumes, 3));
    for (step = 0; step < 90; ++step) {
        STEP(vorton_world_step(world, 0.03f));
        STEP(vorton_world_step(by_hand, 0.03f));
        count = read_vortons(by_hand);
        for (n = killed = 0; n < count; ++n) {
            if (is_killed(volumes, 3, vortons[n].position)) gone[killed++] = vortons[n].id;
        }
        OK(vorton_vortons_remove(by_hand, gone, killed, &removed));
        CHECK(removed == killed);
        total += killed;
        CHECK(hash_of(world) == hash_of(by_hand));
        CHECK(stats_of(world).killed == total && stats_of(by_hand).killed == 0);
        CHECK(stats_of(world).energy == stats_of(by_hand).energy);
        CHECK(stats_of(world).expired == 0 && stats_of(world).non_finite == 0);
    }
    CHECK(total > 100);
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(by_hand));
}

/* Volumes that nothing enters, and no volumes, have no effect. */
static void far_away(void) {
    VortonWorldId world = ring_world(VORTON_THREADS_SERIAL), without = ring_world(VORTON_THREADS_SERIAL);
    VortonKillVolume volumes[2];
    int step;
    volumes[0] = box(vec3(9, 0, 0), vec3(1, 1, 1), 0);
    volumes[1] = ball(vec3(0, 0, 0), 8, VORTON_KILL_VOLUME_OUTSIDE);
    OK(vorton_world_set_kill_volumes(world, volumes, 2));
    for (step = 0; step < 20; ++step) {
        STEP(vorton_world_step(world, 0.03f));
        STEP(vorton_world_step(without, 0.03f));
        CHECK(hash_of(world) == hash_of(without));
        CHECK(stats_of(world).energy == stats_of(without).energy);
    }
    CHECK(hash_all(world) != hash_all(without));
    OK(vorton_world_set_kill_volumes(world, NULL, 0));
    CHECK(hash_all(world) == hash_all(without));
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(without));
}

/* Tracers are removed like vortons; the others are unchanged. A step with dt 0 removes nothing. */
static void tracers(void) {
    VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 0, 10);
    VortonTracersDef def = vorton_default_tracers_def();
    VortonKillVolume volumes[2];
    VortonTracersId sets[2];
    size_t n, count = 0, expected = 0, set;
    def.capacity = TRACERS;
    volumes[0] = ball(vec3(0.2f, 0, 0), 0.4f, 0);
    volumes[1] = box(vec3(0, 0, 0), vec3(0.9f, 0.8f, 0.9f), VORTON_KILL_VOLUME_OUTSIDE);
    for (n = 0; n < TRACERS; ++n) {
        const uint32_t i = (uint32_t)n;
        places[n] = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, 2 * random_unit(3 * i + 2) - 1);
        expected += !is_killed(volumes, 2, places[n]);
    }
    for (set = 0; set < 2; ++set) {
        OK(vorton_tracers_create(world, &def, &sets[set]));
        OK(vorton_tracers_add(world, sets[set], places, NULL, NULL, TRACERS));
    }
    OK(vorton_world_set_kill_volumes(world, volumes, 2));
    STEP(vorton_world_step(world, 0));
    CHECK(stats_of(world).tracers == 2 * TRACERS && stats_of(world).killed_tracers == 0);
    STEP(vorton_world_step(world, 0.01f));
    for (set = 0; set < 2; ++set) {
        VortonVec3 left[TRACERS];
        OK(vorton_tracers_read(world, sets[set], &left[0].x, sizeof left[0], tracer_ids, NULL, NULL, NULL, TRACERS, &count));
        CHECK(count == expected && expected > 50 && expected < TRACERS - 50);
        for (n = 0; n < count; ++n) {
            CHECK(!is_killed(volumes, 2, left[n]));
            CHECK(memcmp(&left[n], &places[tracer_ids[n]], sizeof left[n]) == 0);
        }
    }
    CHECK(stats_of(world).killed_tracers == 2 * (TRACERS - expected) && stats_of(world).lost_tracers == 0);
    OK(vorton_world_destroy(world));
}

static VortonWorldId drop_world(uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonEmitterId id;
    VortonWorldId world;
    VortonKillVolume volume = box(vec3(0, 0, -0.75f), vec3(3, 3, 0.5f), 0);
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.gravity = vec3(0, 0, -8);
    def.viscosity = def.diffusivity = 1e-3f;
    def.max_vortons = MOST;
    def.max_age = 0.5f;
    OK(vorton_world_create(&def, &world));
    drop.radius = 0.2f;
    drop.spacing = 0.1f;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    /* In the volume: its vortons are removed at once. */
    emitter.position = vec3(0, 1, -0.7f);
    OK(vorton_emitter_create(world, &emitter, &id));
    /* An eighth of a turn about z, after which the volume is the same near the drop. */
    volume.rotation.z = 0.38268343f;
    volume.rotation.w = 0.92387953f;
    OK(vorton_world_set_kill_volumes(world, &volume, 1));
    return world;
}

/* A drop falls into an inactive room, with halo, diffusion and ages: no vorton is inside after a step, and
 * none is created there; snapshots contain the volume. */
static void a_room_is_off(void) {
    static unsigned char snapshot[1 << 23];
    VortonWorldId world = drop_world(VORTON_THREADS_SERIAL), other = drop_world(VORTON_THREADS_POOL);
    VortonKillVolume volume;
    VortonStats stats;
    size_t n, size = 0, count = 0;
    int step;
    for (step = 0; step < 24; ++step) {
        STEP(vorton_world_step(world, 0.02f));
        STEP(vorton_world_step(other, 0.02f));
        CHECK(hash_all(world) == hash_all(other));
        count = read_vortons(world);
        for (n = 0; n < count; ++n) CHECK(!(vortons[n].position.z < -0.2501f && vortons[n].position.z > -1.2499f));
        if (step == 8) OK(vorton_world_save(world, snapshot, sizeof snapshot, &size));
    }
    stats = stats_of(world);
    CHECK(stats.killed > 20);
    /* Restored in a world without volumes, it exists again. */
    OK(vorton_world_set_kill_volumes(other, NULL, 0));
    OK(vorton_world_restore(other, snapshot, size));
    OK(vorton_world_kill_volumes(other, &volume, 1, &count));
    CHECK(count == 1 && volume.type == VORTON_KILL_VOLUME_BOX && fabsf(volume.rotation.w - 0.92387953f) < 1e-6f);
    for (step = 9; step < 24; ++step) STEP(vorton_world_step(other, 0.02f));
    CHECK(hash_all(world) == hash_all(other));
    /* A reset keeps it. */
    OK(vorton_world_reset(other));
    OK(vorton_world_kill_volumes(other, NULL, 0, &count));
    CHECK(count == 1 && stats_of(other).killed == 0);
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(other));
}

int main(void) {
    as_if_the_host_did_it();
    far_away();
    tracers();
    a_room_is_off();
    printf("volumes remove what enters them\n");
    return 0;
}
