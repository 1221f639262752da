/*
 * Clusters far apart have meshes of their own, more or fewer when they meet and part: worlds restored
 * from a snapshot, new ones and one that was in another state, go on with the same bits.
 */
#include "check.h"

enum { FRAMES = 96, EVERY = 24, AHEAD = 10, CLUSTERS = 4 };

static float frame_length(uint32_t frame) {
    return 1.0f / 144 + (1.0f / 15 - 1.0f / 144) * random_unit(frame);
}

static VortonWorldId new_world(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    def.solver = VORTON_SOLVER_MESH;
    def.core_radius = 0.24f;
    def.max_vortons = 16000;
    def.gravity = vec3(0, 0, -3);
    OK(vorton_world_create(&def, &world));
    return world;
}

static void add_clusters(VortonWorldId world) {
    uint32_t i;
    for (i = 0; i < CLUSTERS; ++i) {
        VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_RING);
        VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
        /* The first two fly at each other. */
        ring.centre = vec3(i < 2 ? 4.5f * (float)i : 25.0f * (float)i, 0.1f * (float)i, 0);
        ring.axis = vec3(i == 1 ? -1.0f : 1.0f, 0, 0);
        /* So thick that a mesh costs less than the sum of their vortons. */
        ring.circulation = 3;
        ring.thickness = 0.6f;
        ring.spacing = drop.spacing = 0.16f;
        OK(vorton_world_add_initial(world, &ring, NULL, NULL));
        drop.radius = 0.6f;
        drop.centre = vec3(ring.centre.x, 30, 4.0f * (float)i);
        if (i == 2) OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    }
}

static uint64_t run(VortonWorldId world, uint32_t from, uint32_t count) {
    uint32_t frame;
    for (frame = from; frame < from + count; ++frame) {
        uint32_t steps = 1 + frame % 3, i;
        for (i = 0; i < steps; ++i) OK(vorton_world_step(world, frame_length(frame) / (float)steps));
    }
    {
        uint64_t hash;
        OK(vorton_world_hash_all(world, &hash));
        return hash;
    }
}

int main(void) {
    static unsigned char snapshot[64u << 20];
    VortonWorldId world = new_world(), other = new_world();
    VortonStats stats = vorton_default_stats();
    uint32_t frame, changes = 0;
    uint64_t nodes = 0;
    add_clusters(world);
    /* Undivided, and with another past. */
    add_ring(other, 100);
    run(other, 0, 5);
    for (frame = 0; frame < FRAMES; frame += EVERY) {
        VortonWorldId fresh = new_world();
        uint64_t expected;
        size_t count;
        OK(vorton_world_stats(world, &stats));
        changes += stats.mesh_nodes != nodes;
        nodes = stats.mesh_nodes;
        OK(vorton_world_save(world, snapshot, sizeof snapshot, &count));
        expected = run(world, frame, AHEAD);
        OK(vorton_world_restore(fresh, snapshot, count));
        CHECK(run(fresh, frame, AHEAD) == expected);
        OK(vorton_world_restore(other, snapshot, count));
        CHECK(run(other, frame, AHEAD) == expected);
        OK(vorton_world_restore(world, snapshot, count));
        CHECK(run(world, frame, AHEAD) == expected);
        OK(vorton_world_restore(world, snapshot, count));
        run(world, frame, EVERY);
        OK(vorton_world_destroy(fresh));
    }
    OK(vorton_world_stats(world, &stats));
    printf("%u vortons, %u changes of the meshes, %u nodes at last\n", (unsigned)stats.vortons, changes,
           (unsigned)stats.mesh_nodes);
    CHECK(changes >= 3 && stats.mesh_outside == 0 && stats.non_finite == 0);
    OK(vorton_world_destroy(world));
    OK(vorton_world_destroy(other));
    return 0;
}
