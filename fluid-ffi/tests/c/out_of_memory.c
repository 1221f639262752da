/*
 * Memory runs out in the n-th allocation of a call, and stays out until the call returns: the call completes,
 * from memory that it holds, or returns VORTON_ERR_OUT_OF_MEMORY and has changed nothing. The first
 * allocations take the memory to hold; after these it has nothing else. Each case runs in a child process.
 */
#define _DEFAULT_SOURCE
#include "check.h"

#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_armed;
static unsigned asked, fails_from;
static size_t bytes_given;

static void *allocate(size_t size, size_t alignment, void *user) {
    void *memory;
    (void)user;
    if (is_armed && ++asked >= fails_from) return NULL;
    CHECK(posix_memalign(&memory, alignment < sizeof memory ? sizeof memory : alignment, size) == 0);
    bytes_given += size;
    return memory;
}

static void give_back(void *memory, size_t size, size_t alignment, void *user) {
    (void)alignment;
    (void)user;
    bytes_given -= size;
    free(memory);
}

enum { SIDE = 40, MANY = SIDE * SIDE, BODIES = 24, NEVER = 1000000000 };

static VortonWorldId world, other;
static VortonTracersId tracers, shown;
static VortonEmitterId emitter;
static VortonBodyId bodies[BODIES], bare, tight;
static VortonShapeId shape;
static VortonOpId ops[3];
static VortonVorton vortons[MANY];
static VortonVec3 places[MANY];
static float pairs[MANY][6], numbers[MANY], heights[SIDE * SIDE], texels[16 * 16 * 16 * 4];
static VortonSurface surfaces[MANY];
static VortonLine lines[4000];
static uint32_t triangles[SIDE * SIDE][3];
static uint64_t ids[MANY];
static unsigned char *saved, *saved_other, *tape;
static size_t saved_size, saved_other_size, tape_size;

static void keep_tape(void *user, const void *bytes, size_t size) {
    (void)user;
    tape = (unsigned char *)realloc(tape, tape_size + size);
    CHECK(tape != NULL);
    memcpy(tape + tape_size, bytes, size);
    tape_size += size;
}

/* Vortons, tracers, effects. */

static VortonResult add_tracers(void) { return vorton_tracers_add(world, tracers, places, NULL, NULL, MANY); }
static VortonResult add_vortons(void) { return vorton_vortons_add(world, vortons, MANY, NULL); }
static VortonResult remove_vortons(void) { return vorton_vortons_remove(world, ids, MANY, NULL); }
static VortonResult clear_vortons(void) { return vorton_vortons_clear(world); }

static VortonResult add_of_type(uint32_t type) {
    VortonInitialDef def = vorton_default_initial_def(type);
    def.spacing = 0.1f;
    def.count = 2000;
    def.radius = 0.4f;
    return vorton_world_add_initial(world, &def, NULL, NULL);
}

static VortonResult add_ring_of_lattice(void) { return add_of_type(VORTON_INITIAL_RING); }
static VortonResult add_filament(void) { return add_of_type(VORTON_INITIAL_FILAMENT_RING); }
static VortonResult add_noise(void) { return add_of_type(VORTON_INITIAL_NOISE); }
static VortonResult add_box(void) { return add_of_type(VORTON_INITIAL_DENSITY_BOX); }

static VortonResult create_tracers(uint32_t readable) {
    VortonTracersDef def = vorton_default_tracers_def();
    VortonTracersId set;
    def.capacity = 5000;
    def.readable_during_steps = readable;
    return vorton_tracers_create(world, &def, &set);
}
static VortonResult create_plain_tracers(void) { return create_tracers(0); }
static VortonResult create_readable_tracers(void) { return create_tracers(1); }
static VortonResult clear_tracers(void) { return vorton_tracers_clear(world, tracers); }
static VortonResult destroy_tracers(void) { return vorton_tracers_destroy(world, shown); }
static VortonResult add_implied(void) {
    VortonImpliedDef def = vorton_default_implied_def();
    def.per_cell = 2;
    return vorton_tracers_add_implied(world, tracers, &def, NULL);
}
static VortonResult acquire(void) {
    VortonTracerRows rows;
    const VortonResult code = vorton_tracers_acquire(world, shown, &rows, sizeof rows);
    return code == VORTON_OK ? vorton_tracers_release(world, rows.lease) : code;
}

static VortonResult add_preset(uint32_t type) {
    VortonPresetDef def = vorton_default_preset_def(type);
    def.tracers = 500;
    def.scale = 0.5f;
    return vorton_world_add_preset(world, &def, NULL, NULL, NULL);
}
static VortonResult preset_ring(void) { return add_preset(VORTON_PRESET_SMOKE_RING); }
static VortonResult preset_fire(void) { return add_preset(VORTON_PRESET_CAMPFIRE); }
static VortonResult preset_explosion(void) { return add_preset(VORTON_PRESET_EXPLOSION); }
static VortonResult preset_drop(void) { return add_preset(VORTON_PRESET_INK_DROP); }
static VortonResult preset_globe(void) { return add_preset(VORTON_PRESET_SNOW_GLOBE); }

static VortonResult create_emitter(void) {
    const VortonEmitterDef def = vorton_default_emitter_def();
    VortonEmitterId id;
    return vorton_emitter_create(world, &def, &id);
}
static VortonResult update_emitter(void) {
    VortonEmitterDef def = vorton_default_emitter_def();
    def.rate = 7;
    return vorton_emitter_update(world, emitter, &def);
}
static VortonResult destroy_emitter(void) { return vorton_emitter_destroy(world, emitter); }

/* Bodies and shapes. */

static VortonResult create_body(void) {
    const VortonBodyDef def = vorton_default_body_def();
    VortonBodyId id;
    return vorton_body_create(world, &def, &id);
}
static VortonResult create_first_body(void) {
    const VortonBodyDef def = vorton_default_body_def();
    VortonBodyId id;
    return vorton_body_create(other, &def, &id);
}
static VortonResult destroy_body(void) { return vorton_body_destroy(world, bodies[0]); }

static VortonShapeDef shape_def(uint32_t type) {
    VortonShapeDef def = vorton_default_shape_def(type);
    def.points = (const float *)places;
    def.point_count = type == VORTON_SHAPE_MESH ? SIDE * SIDE : 300;
    def.triangles = triangles[0];
    def.triangle_count = SIDE * (SIDE - 1);
    def.planes = pairs[0];
    def.plane_count = 6;
    def.heights = heights;
    def.columns = def.rows = SIDE;
    return def;
}
static VortonResult create_shape(VortonBodyId body, uint32_t type, uint32_t flags) {
    VortonShapeDef def = shape_def(type);
    def.flags = flags;
    return vorton_shape_create(world, body, &def, NULL);
}
static VortonResult shape_ball(void) { return create_shape(bare, VORTON_SHAPE_SPHERE, 0); }
static VortonResult shape_box(void) { return create_shape(bare, VORTON_SHAPE_BOX, 0); }
static VortonResult shape_capsule(void) { return create_shape(bare, VORTON_SHAPE_CAPSULE, 0); }
static VortonResult shape_cylinder(void) { return create_shape(bare, VORTON_SHAPE_CYLINDER, 0); }
static VortonResult shape_hull(void) { return create_shape(bare, VORTON_SHAPE_HULL, 0); }
static VortonResult shape_planes(void) { return create_shape(bare, VORTON_SHAPE_PLANES, 0); }
static VortonResult shape_half_space(void) { return create_shape(bare, VORTON_SHAPE_HALF_SPACE, 0); }
static VortonResult shape_mesh(void) { return create_shape(bare, VORTON_SHAPE_MESH, 0); }
static VortonResult shape_heights(void) { return create_shape(bare, VORTON_SHAPE_HEIGHT_FIELD, 0); }
static VortonResult shape_compound(void) { return create_shape(bodies[1], VORTON_SHAPE_HULL, 0); }
static VortonResult shape_tight(void) { return create_shape(tight, VORTON_SHAPE_BOX, 0); }
static VortonResult shape_hole(void) { return create_shape(bare, VORTON_SHAPE_HULL, VORTON_SHAPE_HOLE); }
static VortonResult destroy_shape(void) { return vorton_shape_destroy(world, shape); }
static VortonResult added_inertia(void) {
    float out[21];
    return vorton_body_added_inertia(world, bodies[1], out);
}
static VortonResult added_inertia_of_shape(void) {
    const VortonShapeDef def = shape_def(VORTON_SHAPE_HULL);
    float out[21];
    return vorton_shape_added_inertia(&def, out);
}
static VortonResult mass_properties(void) {
    const VortonShapeDef def = shape_def(VORTON_SHAPE_HULL);
    VortonMassProperties out;
    return vorton_shape_mass_properties(&def, &out);
}
static VortonResult set_states(void) {
    VortonBodyState states[BODIES];
    int i;
    for (i = 0; i < BODIES; ++i) OK(vorton_body_read(world, bodies[i], &states[i]));
    return vorton_bodies_set_states(world, bodies, states, 0, BODIES);
}
static VortonResult take_impulses(void) {
    VortonBodyImpulse impulses[BODIES];
    return vorton_bodies_take_impulses(world, bodies, impulses, 0, BODIES);
}
static VortonResult set_mass(void) { return vorton_body_set_mass(world, bodies[0], 3); }
static VortonResult set_user_data(void) { return vorton_body_set_user_data(world, bodies[0], 3); }
/* Changes are kept until the next call that is recorded. */
static VortonResult set_user_data_often(void) {
    VortonResult code = VORTON_OK;
    int i;
    for (i = 0; i < 2000 && code == VORTON_OK; ++i) code = set_user_data();
    return code;
}
static VortonResult remove_embedded(void) { return vorton_world_remove_embedded(world, 0.1f, NULL, NULL); }
static VortonResult surround(void) {
    VortonSurroundDef def = vorton_default_surround_def();
    def.body = bodies[2];
    return vorton_bodies_surround(world, &def, NULL, NULL);
}

/* The world. */

static VortonResult wind(void) { return vorton_world_set_wind(world, vec3(1, 0, 0)); }
static VortonResult gravity(void) { return vorton_world_set_gravity(world, vec3(0, 0, -9)); }
static VortonResult diffusion(void) { return vorton_world_set_diffusion(world, 1e-3f, 1e-3f); }
static VortonResult smagorinsky(void) { return vorton_world_set_smagorinsky(world, 0.2f); }
static VortonResult max_age(void) { return vorton_world_set_max_age(world, 2); }
static VortonResult combustion(void) { return vorton_world_set_combustion(world, 600, 1, 1); }
static VortonResult kill_volumes(void) {
    VortonKillVolume volume;
    memset(&volume, 0, sizeof volume);
    volume.type = VORTON_KILL_VOLUME_BOX;
    volume.rotation.w = 1;
    volume.position = vec3(9, 9, 9);
    volume.half_extents = vec3(1, 1, 1);
    return vorton_world_set_kill_volumes(world, &volume, 1);
}
static VortonResult create_world(uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId id;
    VortonResult code;
    def.max_vortons = 2000;
    def.threads = threads;
    def.worker_count = 2;
    code = vorton_world_create(&def, &id);
    return code == VORTON_OK ? vorton_world_destroy(id) : code;
}
static VortonResult create_serial(void) { return create_world(VORTON_THREADS_SERIAL); }
static VortonResult create_pool(void) { return create_world(VORTON_THREADS_POOL); }
static VortonResult reset(void) { return vorton_world_reset(world); }
static VortonResult shift(void) { return vorton_world_shift_origin(world, vec3(1, 2, 3)); }
static VortonResult hash_all(void) {
    uint64_t hash;
    return vorton_world_hash_all(world, &hash);
}
static VortonResult save(void) {
    size_t size;
    return vorton_world_save(world, saved, saved_size + 64, &size);
}
static VortonResult restore(void) { return vorton_world_restore(world, saved, saved_size); }
static VortonResult restore_other(void) { return vorton_world_restore(world, saved_other, saved_other_size); }
static VortonResult restore_in_other(void) { return vorton_world_restore(other, saved, saved_size); }
static VortonResult record(void) { return vorton_world_record(world, keep_tape, NULL); }
static VortonResult replay(void) {
    VortonReplay progress = vorton_default_replay();
    VortonResult code = VORTON_OK;
    while (code >= 0 && !progress.finished) code = vorton_world_replay(other, tape, tape_size, &progress);
    return code == VORTON_NOTE_DIVERGED ? VORTON_OK : code;
}
static VortonResult stats(void) {
    VortonStats out = vorton_default_stats();
    return vorton_world_stats(world, &out);
}
static VortonResult invariants(void) {
    VortonInvariants out = vorton_default_invariants();
    return vorton_world_invariants(world, &out);
}
static VortonResult bad_value(void) {
    const VortonResult code = vorton_world_set_max_age(world, -1);
    return code == VORTON_ERR_BAD_VALUE ? VORTON_OK : code;
}

/* Operations, samples, drawing. */

static VortonResult create_operation(void) {
    const VortonOpDef def = vorton_default_op_def(VORTON_OP_VELOCITY);
    VortonOpId id;
    return vorton_op_create(world, &def, &id);
}
static VortonResult update_operation(void) {
    const VortonOpDef def = vorton_default_op_def(VORTON_OP_COLLIDE);
    return vorton_op_update(world, ops[2], &def);
}
static VortonResult run_operations(void) {
    static VortonVec3 velocities[MANY];
    const VortonStream streams[2] = {{VORTON_POSITION, VORTON_F32X3, sizeof *places, 0, places},
                                     {VORTON_VELOCITY, VORTON_F32X3, sizeof *velocities, 0, velocities}};
    VortonParticleView view = vorton_default_particle_view();
    view.count = view.capacity = MANY;
    view.streams = streams;
    view.stream_count = 2;
    return vorton_ops_run(world, ops, 3, &view, 0.01f, 0, NULL);
}
static VortonResult sample(void) {
    return vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, &places[0].x, sizeof *places, pairs[0], sizeof *pairs, MANY);
}
static VortonResult sample_lines(void) {
    return vorton_world_sample_lines(world, VORTON_SAMPLE_DYE, pairs[0], sizeof *pairs, numbers, sizeof *numbers, MANY);
}
static VortonResult sample_volume(void) {
    VortonVolumeDef def = vorton_default_volume_def();
    def.width = def.height = def.depth = 16;
    return vorton_world_sample_volume(world, &def, texels, sizeof texels);
}
static VortonResult sample_surfaces(void) {
    return vorton_world_sample_surfaces(world, NULL, 3, &places[0].x, sizeof *places, surfaces, 0, MANY);
}
static VortonResult draw(void) {
    VortonDrawDef def = vorton_default_draw_def();
    size_t count;
    VortonResult code;
    def.flags = ~0u >> 24;
    code = vorton_world_draw(world, &def, lines, sizeof lines / sizeof *lines, &count);
    return code == VORTON_NOTE_TRUNCATED ? VORTON_OK : code;
}

/* Steps, of worlds that check their memory. */

static VortonResult without_note(VortonResult code) { return code > 0 ? VORTON_OK : code; }
static VortonResult step(void) { return without_note(vorton_world_step(world, 0.01f)); }
static VortonResult advance(void) { return without_note(vorton_world_advance(world, 0.03f, 0.1f, 4, NULL)); }
static VortonResult step_within(void) {
    VortonBudget budget = vorton_default_budget();
    budget.measure = VORTON_MEASURE_COUNTED;
    budget.fluid_ms = budget.tracers_ms = 0.1f;
    return without_note(vorton_world_step_within(world, 0.01f, &budget));
}

/* Before them: a mesh must grow. */
static VortonResult scatter(void) {
    uint32_t i;
    for (i = 0; i < MANY; ++i) {
        vortons[i].position = vec3(3 * places[i].x, 3 * places[i].y, 3 * places[i].z);
        vortons[i].strength = vec3(0.01f, 0.01f * places[i].y, 0);
    }
    return add_vortons();
}
/* Density that falls, diffuses and grows a halo, among bodies. */
static VortonResult let_fall(void) {
    OK(vorton_world_set_gravity(world, vec3(0, 0, -9.8f)));
    OK(vorton_world_set_diffusion(world, 1e-3f, 1e-3f));
    return add_vortons();
}
/* As fast as steps can follow. */
static VortonResult speed_up(void) {
    uint32_t i;
    for (i = 0; i < MANY; ++i) vortons[i].strength = vec3(0.1f * places[i].z, 0.1f * places[i].x, 0.1f * places[i].y);
    return add_vortons();
}
static VortonResult (*const BEFORE[])(void) = {NULL, record, scatter, let_fall, speed_up};

static const struct {
    const char *name;
    VortonResult (*make)(void);
    /* 1: prepares a shape, which takes long: only the first and a later allocation, and none. */
    int is_slow;
    /* What has been done to the world before: an index of BEFORE. 1: it is recorded. */
    int before;
} CALLS[] = {
    {"tracers_add", add_tracers, 0, 0},
    {"tracers_add, recorded", add_tracers, 0, 1},
    {"vortons_add", add_vortons, 0, 0},
    {"vortons_add, recorded", add_vortons, 0, 1},
    {"vortons_remove", remove_vortons, 0, 0},
    {"vortons_clear", clear_vortons, 0, 0},
    {"add_initial, ring", add_ring_of_lattice, 0, 0},
    {"add_initial, filament", add_filament, 0, 0},
    {"add_initial, noise", add_noise, 0, 0},
    {"add_initial, box", add_box, 0, 0},
    {"tracers_create", create_plain_tracers, 0, 0},
    {"tracers_create, readable", create_readable_tracers, 0, 0},
    {"tracers_clear", clear_tracers, 0, 0},
    {"tracers_destroy", destroy_tracers, 0, 0},
    {"tracers_add_implied", add_implied, 0, 0},
    {"tracers_acquire", acquire, 0, 0},
    {"preset, smoke ring", preset_ring, 0, 0},
    {"preset, campfire", preset_fire, 0, 0},
    {"preset, explosion", preset_explosion, 0, 0},
    {"preset, ink drop", preset_drop, 0, 0},
    {"preset, snow globe", preset_globe, 1, 0},
    {"emitter_create", create_emitter, 0, 0},
    {"emitter_update", update_emitter, 0, 0},
    {"emitter_destroy", destroy_emitter, 0, 0},
    {"body_create", create_body, 0, 0},
    {"body_create, first", create_first_body, 0, 0},
    {"body_destroy", destroy_body, 0, 0},
    {"shape_create, ball", shape_ball, 0, 0},
    {"shape_create, box", shape_box, 0, 0},
    {"shape_create, capsule", shape_capsule, 0, 0},
    {"shape_create, cylinder", shape_cylinder, 0, 0},
    {"shape_create, hull", shape_hull, 0, 0},
    {"shape_create, hull, recorded", shape_hull, 0, 1},
    {"shape_create, planes", shape_planes, 0, 0},
    {"shape_create, half-space", shape_half_space, 0, 0},
    {"shape_create, mesh", shape_mesh, 0, 0},
    {"shape_create, mesh, recorded", shape_mesh, 0, 1},
    {"shape_create, heights", shape_heights, 0, 0},
    {"shape_create, compound", shape_compound, 0, 0},
    {"shape_create, no_through", shape_tight, 1, 0},
    {"shape_create, hole", shape_hole, 1, 0},
    {"shape_destroy", destroy_shape, 0, 0},
    {"body_added_inertia", added_inertia, 1, 0},
    {"shape_added_inertia", added_inertia_of_shape, 1, 0},
    {"shape_mass_properties", mass_properties, 0, 0},
    {"bodies_set_states", set_states, 0, 0},
    {"bodies_set_states, recorded", set_states, 0, 1},
    {"bodies_take_impulses", take_impulses, 0, 0},
    {"body_set_mass, recorded", set_mass, 0, 1},
    {"body_set_user_data, recorded", set_user_data, 0, 1},
    {"2000 user data, recorded", set_user_data_often, 0, 1},
    {"remove_embedded", remove_embedded, 0, 0},
    {"bodies_surround", surround, 0, 0},
    {"set_wind", wind, 0, 0},
    {"set_gravity", gravity, 0, 0},
    {"set_diffusion", diffusion, 0, 0},
    {"set_smagorinsky", smagorinsky, 0, 0},
    {"set_max_age", max_age, 0, 0},
    {"set_combustion", combustion, 0, 0},
    {"set_kill_volumes", kill_volumes, 0, 0},
    {"world_create, serial", create_serial, 0, 0},
    {"world_create, pool", create_pool, 0, 0},
    {"world_reset", reset, 0, 0},
    {"shift_origin", shift, 0, 0},
    {"hash_all", hash_all, 0, 0},
    {"world_save", save, 0, 0},
    {"world_restore", restore, 0, 0},
    {"world_restore, others", restore_other, 1, 0},
    {"world_restore, first", restore_in_other, 1, 0},
    {"world_record", record, 0, 0},
    {"world_replay", replay, 1, 0},
    {"world_stats", stats, 0, 0},
    {"world_invariants", invariants, 0, 0},
    {"a refused call", bad_value, 0, 0},
    {"op_create", create_operation, 0, 0},
    {"op_update", update_operation, 0, 0},
    {"ops_run", run_operations, 0, 0},
    {"ops_run, recorded", run_operations, 0, 1},
    {"sample", sample, 0, 0},
    {"sample_lines", sample_lines, 0, 0},
    {"sample_volume", sample_volume, 0, 0},
    {"sample_surfaces", sample_surfaces, 0, 0},
    {"world_draw", draw, 0, 0},
    {"world_step", step, 0, 0},
    {"world_step, recorded", step, 0, 1},
    {"world_step, larger mesh", step, 0, 2},
    {"world_step, falling density", step, 0, 3},
    {"world_step, fast flow", step, 0, 4},
    {"world_advance", advance, 0, 4},
    {"world_step_within", step_within, 0, 2},
};

static uint64_t hash_of_worlds(void) {
    uint64_t hashes[2];
    OK(vorton_world_hash_all(world, &hashes[0]));
    OK(vorton_world_hash_all(other, &hashes[1]));
    return hashes[0] ^ hashes[1] << 1;
}

/* A child that ends otherwise, by a check for instance, has none of these exit statuses. */
enum { REFUSED = 100, COMPLETED, COMPLETED_WITHOUT, ENDS };

/* In a child process. */
static int make_without_memory(unsigned call, unsigned n) {
    /* Of a snapshot's size: the first call of hash_all takes memory. */
    const uint64_t before = CALLS[call].make == hash_all ? 0 : hash_of_worlds();
    VortonResult code;
    fails_from = n;
    is_armed = true;
    code = CALLS[call].make();
    is_armed = false;
    if (code == VORTON_ERR_OUT_OF_MEMORY) {
        if (before != 0 && hash_of_worlds() != before) return ENDS;
        OK(CALLS[call].make());
    } else if (code != VORTON_OK) {
        char text[256];
        (void)vorton_last_error(text, sizeof text);
        printf("%s: %s\n", CALLS[call].name, text);
        fflush(stdout);
        return ENDS;
    }
    if (n <= 2) {
        /* What was held goes back: only texts of errors are left. */
        STEP(vorton_world_step(world, 0.01f));
        OK(vorton_world_destroy(world));
        OK(vorton_world_destroy(other));
        if (bytes_given > 4096 && CALLS[call].make != create_pool) {
            printf("%u bytes are left\n", (unsigned)bytes_given);
            fflush(stdout);
            return ENDS;
        }
    }
    if (code != VORTON_OK) return REFUSED;
    return asked < n ? COMPLETED : COMPLETED_WITHOUT;
}

static void save_world(VortonWorldId which, unsigned char **out, size_t *size) {
    OK(vorton_world_save(which, NULL, 0, size));
    *out = (unsigned char *)malloc(*size + 64);
    CHECK(*out != NULL);
    OK(vorton_world_save(which, *out, *size + 64, size));
}

static void set_up(void) {
    static const float PLANES[6][4] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 1}, {0, 0, -1, 1}};
    VortonWorldDef def = vorton_default_world_def();
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonEmitterDef emitter_def = vorton_default_emitter_def();
    VortonOpDef collide = vorton_default_op_def(VORTON_OP_COLLIDE);
    uint32_t i;
    def.max_vortons = 8000;
    def.gravity = vec3(0, 0, 0);
    def.check_memory = 1;
    OK(vorton_world_create(&def, &world));
    OK(vorton_world_create(&def, &other));
    add_ring(world, 100);
    tracers_def.capacity = 5000;
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    tracers_def.readable_during_steps = 1;
    OK(vorton_tracers_create(world, &tracers_def, &shown));
    OK(vorton_emitter_create(world, &emitter_def, &emitter));
    for (i = 0; i < MANY; ++i) {
        const VortonVec3 p = vec3(random_unit(3 * i) - 0.5f, random_unit(3 * i + 1) - 0.5f, random_unit(3 * i + 2) - 0.5f);
        places[i] = p;
        vortons[i].position = p;
        vortons[i].volume = 1e-3f;
        vortons[i].mass_deviation = 1e-4f;
        ids[i] = i;
    }
    memcpy(pairs, PLANES, sizeof PLANES);
    for (i = 0; i < SIDE * (SIDE - 1); ++i) {
        triangles[i][0] = i;
        triangles[i][1] = i + 1;
        triangles[i][2] = i + SIDE;
    }
    for (i = 0; i < BODIES; ++i) {
        body.position = vec3(3.0f * (float)i, 0, 0);
        OK(vorton_body_create(world, &body, &bodies[i]));
        OK(vorton_shape_create(world, bodies[i], &ball, NULL));
        ball.position.z += 0.01f;
    }
    for (i = 0; i < 20; ++i) OK(vorton_shape_create(world, bodies[1], &ball, i == 7 ? &shape : NULL));
    body.position = vec3(-9, 0, 0);
    body.mass = 0;
    OK(vorton_body_create(world, &body, &bare));
    body.flags = VORTON_BODY_NO_THROUGH;
    body.mass = 500;
    OK(vorton_body_create(world, &body, &tight));
    ops[0] = make_op(world, VORTON_OP_VELOCITY);
    ops[1] = make_op(world, VORTON_OP_ADVECT);
    collide.mass = 0.1f;
    OK(vorton_op_create(world, &collide, &ops[2]));
    for (i = 0; i < 3; ++i) STEP(vorton_world_step(world, 0.01f));
}

/* Snapshots and a recording of a world with more objects than the one at hand. */
static void make_others(void) {
    uint64_t hash;
    save_world(world, &saved, &saved_size);
    OK(record());
    OK(add_vortons());
    OK(shape_tight());
    OK(create_plain_tracers());
    OK(create_emitter());
    STEP(vorton_world_step(world, 0.01f));
    OK(vorton_world_record(world, NULL, NULL));
    save_world(world, &saved_other, &saved_other_size);
    OK(vorton_world_hash(world, &hash));
}

int main(void) {
    unsigned call, ended = 0;
    pid_t child;
    int status, ends[2];
    OK(vorton_set_allocator(allocate, give_back, NULL));
    set_up();
    /* In a child, so that the world has not had what it is to get. */
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        const unsigned char *parts[3];
        size_t sizes[3], part, at;
        make_others();
        parts[0] = saved, parts[1] = saved_other, parts[2] = tape;
        sizes[0] = saved_size, sizes[1] = saved_other_size, sizes[2] = tape_size;
        for (part = 0; part < 3; ++part) {
            CHECK(write(ends[1], &sizes[part], sizeof *sizes) == (ssize_t)sizeof *sizes);
            for (at = 0; at < sizes[part];) {
                const ssize_t wrote = write(ends[1], parts[part] + at, sizes[part] - at);
                CHECK(wrote > 0);
                at += (size_t)wrote;
            }
        }
        _exit(0);
    }
    for (call = 0; call < 3; ++call) {
        size_t size, at;
        unsigned char *bytes;
        CHECK(read(ends[0], &size, sizeof size) == (ssize_t)sizeof size);
        bytes = (unsigned char *)malloc(size + 64);
        CHECK(bytes != NULL);
        for (at = 0; at < size;) {
            const ssize_t got = read(ends[0], bytes + at, size - at);
            CHECK(got > 0);
            at += (size_t)got;
        }
        if (call == 0) saved = bytes, saved_size = size;
        if (call == 1) saved_other = bytes, saved_other_size = size;
        if (call == 2) tape = bytes, tape_size = size;
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    for (call = 0; call < sizeof CALLS / sizeof CALLS[0]; ++call) {
        unsigned n, last = 0, counts[3] = {0, 0, 0}, aborted = 0;
        for (n = 1; counts[COMPLETED - REFUSED] == 0 && n < NEVER; n += CALLS[call].is_slow ? (n == 1 ? 4 : NEVER / 2) : n < 8 ? 1 : 1 + n / 2) {
            last = n;
            fflush(stdout);
            child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                if (CALLS[call].before > 0) OK(BEFORE[CALLS[call].before]());
                _exit(make_without_memory(call, n));
            }
            CHECK(waitpid(child, &status, 0) == child);
            if (WIFEXITED(status)) {
                const int result = WEXITSTATUS(status);
                if (result < REFUSED || result >= ENDS) printf("%s, from allocation %u on\n", CALLS[call].name, n);
                CHECK(result >= REFUSED && result < ENDS);
                counts[result - REFUSED] += 1;
            } else {
                aborted += 1;
            }
        }
        CHECK(counts[COMPLETED - REFUSED] == 1);
        printf("%-28s below %7u allocations: refused %u, completed without %u, ended the process %u\n", CALLS[call].name,
               last, counts[0], counts[COMPLETED_WITHOUT - REFUSED], aborted);
        ended += aborted;
    }
    CHECK(ended == 0);
    return 0;
}
