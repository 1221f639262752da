/*
 * Worlds that check their memory (VortonWorldDef.check_memory) and allocate in steps for many reasons, in
 * unsteady frames of one step or several. With VORTON_TEST_REFUSE in the environment the library gives steps
 * nothing beyond what they hold; else the host has little left once a world is made, and steps complete, or
 * return VORTON_ERR_OUT_OF_MEMORY and have changed nothing.
 */
#define _DEFAULT_SOURCE
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CROWD = 700, MOST_BODIES = 8 };

static size_t bytes, most = SIZE_MAX;
static uint32_t refused, refused_in_all, taken_in_all;

static void *allocate(size_t size, size_t alignment, void *user) {
    void *memory;
    (void)user;
    if (size > most - bytes) return NULL;
#if defined(_WIN32)
    memory = _aligned_malloc(size, alignment);
    CHECK(memory != NULL);
#else
    CHECK(posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, size) == 0);
#endif
    bytes += size;
    return memory;
}

static void give_back(void *memory, size_t size, size_t alignment, void *user) {
    (void)alignment;
    (void)user;
    bytes -= size;
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

typedef struct Scene {
    VortonWorldId world;
    VortonBodyId bodies[MOST_BODIES];
    VortonBodyState states[MOST_BODIES];
    uint32_t body_count;
    VortonTracersId tracers;
} Scene;

static VortonWorldDef definition(uint32_t max_vortons) {
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = 0.1f;
    def.gravity = vec3(0, 0, 0);
    def.max_vortons = max_vortons;
    def.check_memory = 1;
    return def;
}

/* Vortons at random positions around a centre [m], as strong and as heavy as given. */
static void add_crowd(VortonWorldId world, VortonVec3 centre, float size, float strength, float mass) {
    static VortonVorton crowd[CROWD];
    uint32_t i;
    memset(crowd, 0, sizeof crowd);
    for (i = 0; i < CROWD; ++i) {
        VortonVorton *vorton = &crowd[i];
        vorton->position = vec3(centre.x + size * (random_unit(6 * i) - 0.5f), centre.y + size * (random_unit(6 * i + 1) - 0.5f),
                                centre.z + size * (random_unit(6 * i + 2) - 0.5f));
        vorton->strength = vec3(strength * (random_unit(6 * i + 3) - 0.5f), strength * (random_unit(6 * i + 4) - 0.5f),
                                strength * (random_unit(6 * i + 5) - 0.5f));
        vorton->volume = 1e-3f;
        vorton->mass_deviation = mass;
    }
    OK(vorton_vortons_add(world, crowd, CROWD, NULL));
}

static void add_shaped(Scene *scene, const VortonBodyDef *body, const VortonShapeDef *shape) {
    const uint32_t index = scene->body_count++;
    scene->states[index].position = body->position;
    scene->states[index].rotation.w = 1;
    OK(vorton_body_create(scene->world, body, &scene->bodies[index]));
    OK(vorton_shape_create(scene->world, scene->bodies[index], shape, NULL));
}

static void add_body(Scene *scene, uint32_t type, uint32_t flags, float mass, VortonVec3 position) {
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(type);
    body.flags |= flags;
    body.mass = mass;
    body.position = position;
    shape.radius = 0.25f;
    shape.half_extents = vec3(0.25f, 0.2f, 0.15f);
    add_shaped(scene, &body, &shape);
}

static void add_tracers(Scene *scene, uint32_t capacity, uint32_t readable) {
    VortonTracersDef def = vorton_default_tracers_def();
    VortonVec3 *places = (VortonVec3 *)malloc(capacity * sizeof *places);
    uint32_t i;
    def.capacity = capacity;
    def.readable_during_steps = readable;
    OK(vorton_tracers_create(scene->world, &def, &scene->tracers));
    CHECK(places != NULL);
    for (i = 0; i < capacity; ++i)
        places[i] = vec3(3 * random_unit(3 * i) - 1.5f, 3 * random_unit(3 * i + 1) - 1.5f, 3 * random_unit(3 * i + 2) - 1.5f);
    OK(vorton_tracers_add(scene->world, scene->tracers, places, NULL, NULL, capacity));
    free(places);
}

/* Vortons as fast as steps can follow, which take two and four solves; some far away later. */
static void fast(Scene *scene) {
    VortonWorldDef def = definition(CROWD + 8);
    OK(vorton_world_create(&def, &scene->world));
    add_crowd(scene->world, vec3(0, 0, 0), 1, 0.1f, 0);
    add_tracers(scene, 3000, 1);
}

/* Fluid that falls, diffuses and grows a halo. */
static void heavy(Scene *scene) {
    VortonWorldDef def = definition(3000);
    def.gravity = vec3(0, 0, -9.8f);
    def.viscosity = def.diffusivity = 1e-3f;
    OK(vorton_world_create(&def, &scene->world));
    add_crowd(scene->world, vec3(0, 0, 0), 1, 0.01f, 1e-4f);
    add_tracers(scene, 3000, 0);
}

/* Two clouds farther apart than a mesh is wide, each with density. */
static void apart(Scene *scene) {
    VortonWorldDef def = definition(4000);
    def.gravity = vec3(0, 0, -9.8f);
    def.max_grid_nodes = 1 << 14;
    def.solver = VORTON_SOLVER_MESH;
    OK(vorton_world_create(&def, &scene->world));
    add_crowd(scene->world, vec3(0, 0, 0), 1, 0.01f, 1e-4f);
    add_crowd(scene->world, vec3(30, 0, 0), 1, 0.01f, -1e-4f);
    add_tracers(scene, 20000, 0);
}

/* Many contacts, sheets, a floor that mirrors, and vortons between them. */
static void bodies(Scene *scene) {
    VortonWorldDef def = definition(2 * CROWD);
    uint32_t i;
    def.gravity = vec3(0, 0, -9.8f);
    def.smagorinsky = 0.1f;
    OK(vorton_world_create(&def, &scene->world));
    for (i = 0; i < MOST_BODIES - 1; ++i) {
        const VortonVec3 position = vec3(0.6f * (float)(i % 3) - 0.6f, 0.6f * (float)(i / 3) - 0.6f, 0.1f * (float)i);
        add_body(scene, i % 2 ? VORTON_SHAPE_BOX : VORTON_SHAPE_SPHERE, i % 3 == 0 ? 0 : VORTON_BODY_NO_THROUGH, 10, position);
    }
    add_body(scene, VORTON_SHAPE_HALF_SPACE, 0, 0, vec3(0, 0, -1));
    add_crowd(scene->world, vec3(0, 0, 0), 1.5f, 0.02f, 1e-5f);
    add_tracers(scene, 3000, 0);
}

/* A container of two layers, moved about. */
static void tank(Scene *scene) {
    VortonWorldDef def = definition(2000);
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef cavity = vorton_default_shape_def(VORTON_SHAPE_BOX);
    def.gravity = vec3(0, 0, -9.8f);
    def.viscosity = 1e-3f;
    OK(vorton_world_create(&def, &scene->world));
    body.mass = 0;
    cavity.flags |= VORTON_SHAPE_HOLE;
    cavity.half_extents = vec3(0.6f, 0.4f, 0.5f);
    add_shaped(scene, &body, &cavity);
    add_crowd(scene->world, vec3(0, 0, -0.2f), 0.5f, 0.01f, 1e-4f);
    add_tracers(scene, 3000, 0);
}

static void effect(Scene *scene, uint32_t type) {
    VortonPresetDef preset = vorton_default_preset_def(type);
    VortonWorldDef def = definition(1);
    preset.vortons = 600;
    preset.tracers = 2000;
    OK(vorton_preset_world_def(&preset, &def));
    OK(vorton_world_create(&def, &scene->world));
    OK(vorton_world_add_preset(scene->world, &preset, &scene->tracers, NULL, NULL));
}
static void fire(Scene *scene) { effect(scene, VORTON_PRESET_BONFIRE); }
static void jet(Scene *scene) { effect(scene, VORTON_PRESET_TORCH); }
static void globe(Scene *scene) { effect(scene, VORTON_PRESET_SNOW_GLOBE); }

static VortonResult take_steps(const Scene *scene, uint32_t frame, float dt) {
    VortonBudget budget = vorton_default_budget();
    if (frame % 3 == 0) return vorton_world_step(scene->world, dt);
    if (frame % 3 == 1) return vorton_world_advance(scene->world, dt, 0.5f, 4, NULL);
    budget.measure = VORTON_MEASURE_COUNTED;
    budget.fluid_ms = budget.tracers_ms = frame % 4 == 0 ? 0.5f : 50.0f;
    return vorton_world_step_within(scene->world, dt, &budget);
}

static void advance(const Scene *scene, uint32_t frame, float dt) {
    uint64_t before, after;
    VortonResult code;
    OK(vorton_world_hash(scene->world, &before));
    code = take_steps(scene, frame, dt);
    if (code != VORTON_ERR_OUT_OF_MEMORY || most == SIZE_MAX) {
        STEP(code);
        taken_in_all += 1;
        return;
    }
    refused += 1;
    refused_in_all += 1;
    OK(vorton_world_hash(scene->world, &after));
    CHECK(before == after);
}

static void run(const char *name, void (*make)(Scene *scene), uint32_t frames, size_t left) {
    Scene scene;
    VortonStats stats = vorton_default_stats();
    uint32_t frame, i;
    memset(&scene, 0, sizeof scene);
    refused = 0;
    make(&scene);
    if (left > 0) most = bytes + left;
    for (frame = 0; frame < frames; ++frame) {
        const float dt = 1.0f / (15.0f + 129.0f * random_unit(frame));
        const float time = 0.03f * (float)frame;
        for (i = 0; i < scene.body_count; ++i) {
            VortonBodyState *state = &scene.states[i];
            /* The last one is the floor. */
            if (i + 1 == MOST_BODIES) continue;
            state->velocity = vec3(sinf(5 * time + (float)i), cosf(7 * time), 0.3f * sinf(3 * time));
            state->position.x += dt * state->velocity.x;
            state->position.y += dt * state->velocity.y;
            state->position.z += dt * state->velocity.z;
            OK(vorton_body_set_state(scene.world, scene.bodies[i], state));
        }
        /* Far away, so that boxes grow, if there is memory for that call. */
        if (make == fast && frame % 8 == 7) {
            VortonVorton far_away;
            memset(&far_away, 0, sizeof far_away);
            far_away.position = vec3(0.2f * (float)frame, 0, 0);
            far_away.strength = vec3(0, 0, 1e-3f);
            far_away.volume = 1e-3f;
            CHECK(vorton_vortons_add(scene.world, &far_away, 1, NULL) >= 0 || most != SIZE_MAX);
        }
        advance(&scene, frame, dt);
    }
    if (left > 0) most = SIZE_MAX - 1;
    OK(vorton_world_stats(scene.world, &stats));
    CHECK(stats.non_finite == 0 && isfinite(stats.energy));
    printf("%-8s %5u vortons, %6u nodes, %u outside, %u contacts, %u solves, refused %u\n", name,
           (unsigned)stats.vortons, (unsigned)stats.mesh_nodes, (unsigned)stats.mesh_outside,
           (unsigned)stats.body_contacts, (unsigned)stats.solves, (unsigned)refused);
    OK(vorton_world_destroy(scene.world));
}

static void run_all(uint32_t frames, size_t left) {
    run("fast", fast, frames, left);
    run("heavy", heavy, frames, left);
    run("apart", apart, frames, left);
    run("bodies", bodies, frames, left);
    run("tank", tank, frames, left);
    run("fire", fire, frames, left);
    run("jet", jet, frames, left);
    run("globe", globe, frames, left);
}

int main(int argc, char **argv) {
    static const size_t KIB[] = {1000, 3000, 8000, 16000, 32000};
    const uint32_t frames = argc > 1 ? (uint32_t)atoi(argv[1]) : 20;
    size_t i;
    OK(vorton_set_allocator(allocate, give_back, NULL));
    if (getenv("VORTON_TEST_REFUSE") != NULL) {
        run_all(frames, 0);
    } else {
        for (i = 0; i < sizeof KIB / sizeof *KIB; ++i) {
            printf("%u KiB\n", (unsigned)KIB[i]);
            run_all(frames / 2, KIB[i] << 10);
        }
        CHECK(refused_in_all > 0 && taken_in_all > 0);
    }
    CHECK(bytes < 4096);
    return 0;
}
