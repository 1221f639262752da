/* Worlds with a shifted origin: all contents are shifted, values read right after a shift equal those before,
   and the flow continues as in a world without a shift. */
#include "check.h"

#include <math.h>

enum { MOST = 8000, TRACERS = 2000, POINTS = 1500, LINES = 60000, BODIES = 6, SIDE = 9 };

/* The contents of a world. */
enum { LAYERS, GRADIENT, VISCOUS, SCENES };

typedef struct Host {
    VortonWorldId world;
    VortonTracersId tracers;
    VortonEmitterId emitter;
    VortonBodyId ids[BODIES];
    VortonBodyState states[BODIES];
    float masses[BODIES];
    /* The old coordinates of the origin, if a run has shifted it. */
    VortonVec3 origin;
    /* Angular impulses received by bodies. */
    VortonVec3 turned[BODIES];
    /* Vortons at the start. */
    size_t first_count;
} Host;

static const float DT = 1.0f / 60.0f;

static VortonVec3 sum(VortonVec3 a, VortonVec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static VortonVec3 less(VortonVec3 a, VortonVec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static double largest(VortonVec3 a) { return fmax(fabs((double)a.x), fmax(fabs((double)a.y), fabs((double)a.z))); }

static void add_body(Host *host, int n, VortonVec3 at, float mass, uint32_t flags, const VortonShapeDef *shape) {
    VortonBodyDef def = vorton_default_body_def();
    def.position = at;
    def.mass = host->masses[n] = mass;
    def.flags = flags;
    OK(vorton_body_create(host->world, &def, &host->ids[n]));
    OK(vorton_shape_create(host->world, host->ids[n], shape, NULL));
    OK(vorton_body_read(host->world, host->ids[n], &host->states[n]));
}

static void add_bodies(Host *host) {
    static float heights[SIDE * SIDE];
    VortonShapeDef ball = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonShapeDef capsule = vorton_default_shape_def(VORTON_SHAPE_CAPSULE);
    VortonShapeDef tank = vorton_default_shape_def(VORTON_SHAPE_BOX);
    VortonShapeDef floor_shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    VortonShapeDef hills = vorton_default_shape_def(VORTON_SHAPE_HEIGHT_FIELD);
    int n;
    ball.radius = 0.2f;
    capsule.radius = 0.15f;
    capsule.half_height = 0.15f;
    add_body(host, 0, vec3(0.35f, 0, 0.6f), 0.05f, VORTON_BODY_NO_THROUGH, &capsule);
    add_body(host, 1, vec3(-0.3f, 0.1f, 0.7f), 0.05f, 0, &ball);
    tank.half_extents = vec3(0.45f, 0.45f, 0.45f);
    tank.flags = VORTON_SHAPE_HOLE;
    add_body(host, 2, vec3(-2, 0, 1), 0, 0, &tank);
    host->states[2].velocity = vec3(0.3f, 0, 0.1f);
    add_body(host, 3, vec3(0, 0, -0.75f), 0, 0, &floor_shape);
    for (n = 0; n < SIDE * SIDE; ++n) heights[n] = 0.1f * sinf(0.7f * (float)n);
    hills.heights = heights;
    hills.columns = hills.rows = SIDE;
    hills.spacing[0] = hills.spacing[1] = 0.25f;
    add_body(host, 4, vec3(0.3f, -2.5f, -0.2f), 0, 0, &hills);
    ball.radius = 0.15f;
    add_body(host, 5, vec3(1.5f, 1.5f, 0.5f), 0.02f, VORTON_BODY_WEIGHT, &ball);
}

static void add_fluid(Host *host, int scene, float nudge) {
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonInitialDef box = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BOX);
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.centre = vec3(0.9f + nudge, 0.05f, 0.6f);
    ring.axis = vec3(-1, 0, 0.1f);
    ring.radius = 0.3f;
    OK(vorton_world_add_initial(host->world, &ring, NULL, NULL));
    ring.centre = vec3(0, 0, -0.2f);
    ring.axis = vec3(0, 0, -1);
    OK(vorton_world_add_initial(host->world, &ring, NULL, NULL));
    if (scene == VISCOUS) return;
    drop.centre = vec3(0.3f, -0.9f, 0.8f);
    drop.radius = 0.1f;
    drop.dye = 1;
    OK(vorton_world_add_initial(host->world, &drop, NULL, NULL));
    box.centre = vec3(-2, 0, 0.8f);
    box.extent = vec3(0.6f, 0.6f, 0.3f);
    OK(vorton_world_add_initial(host->world, &box, NULL, NULL));
}

static void add_things(Host *host) {
    VortonEmitterDef emitter = vorton_default_emitter_def();
    VortonTracersDef tracers = vorton_default_tracers_def();
    VortonKillVolume volumes[2];
    static VortonVec3 places[TRACERS];
    uint32_t n;
    emitter.position = vec3(0.2f, 1, 0.2f);
    emitter.extent = vec3(0.2f, 0.2f, 0.05f);
    emitter.strength = vec3(0, 0.01f, 0);
    emitter.strength_spread = vec3(0.005f, 0.005f, 0);
    emitter.volume = 3e-4f;
    OK(vorton_emitter_create(host->world, &emitter, &host->emitter));
    tracers.capacity = TRACERS;
    tracers.show = VORTON_SAMPLE_DENSITY;
    tracers.readable_during_steps = 1;
    tracers.turbulence = 1;
    OK(vorton_tracers_create(host->world, &tracers, &host->tracers));
    for (n = 0; n < TRACERS; ++n) {
        places[n] = vec3(5 * random_unit(3 * n) - 3, 3 * random_unit(3 * n + 1) - 1.5f, 2 * random_unit(3 * n + 2) - 0.5f);
    }
    OK(vorton_tracers_add(host->world, host->tracers, places, NULL, NULL, TRACERS));
    volumes[0] = volumes[1] = vorton_default_kill_volume();
    volumes[0].flags = VORTON_KILL_VOLUME_OUTSIDE;
    volumes[0].position = vec3(-0.5f, 0, 0.5f);
    volumes[0].half_extents = vec3(4, 3, 2);
    volumes[1].type = VORTON_KILL_VOLUME_SPHERE;
    /* No node of the lattices is on its surface, where rounding would decide. */
    volumes[1].position = vec3(0.21f, 1.013f, 0.617f);
    volumes[1].radius = 0.2f;
    OK(vorton_world_set_kill_volumes(host->world, volumes, 2));
}

/* A world with everything in it, except gravity and density in a viscous one. */
static Host make(int scene, float nudge) {
    VortonWorldDef def = vorton_default_world_def();
    Host host;
    memset(&host, 0, sizeof host);
    def.max_vortons = MOST;
    if (scene == VISCOUS) {
        def.viscosity = 2e-3f;
    } else {
        def.gravity = vec3(0, 0, -1);
        def.stratification = scene == LAYERS ? VORTON_STRATIFICATION_LAYERS : VORTON_STRATIFICATION_LINEAR;
        def.layer_height = 0.5f;
        def.layer_jump = -0.1f;
        def.layer_thickness = 0.3f;
        def.density_gradient = vec3(0, 0, -0.1f);
    }
    OK(vorton_world_create(&def, &host.world));
    if (scene != VISCOUS) add_bodies(&host);
    add_fluid(&host, scene, nudge);
    add_things(&host);
    OK(vorton_vortons_read(host.world, NULL, 0, &host.first_count));
    if (scene == VISCOUS) OK(vorton_world_set_kill_volumes(host.world, NULL, 0));
    return host;
}

/* A frame of a host with a minimal engine. */
static void frame(Host *host, int has_bodies) {
    VortonBodyImpulse impulse;
    int n;
    if (has_bodies) OK(vorton_bodies_set_states(host->world, host->ids, host->states, 0, BODIES));
    STEP(vorton_world_step(host->world, DT));
    for (n = 0; n < BODIES && has_bodies; ++n) {
        VortonBodyState *state = &host->states[n];
        OK(vorton_body_take_impulse(host->world, host->ids[n], &impulse));
        host->turned[n] = sum(host->turned[n], impulse.angular);
        if (host->masses[n] > 0) {
            state->velocity.x += impulse.linear.x / host->masses[n];
            state->velocity.y += impulse.linear.y / host->masses[n];
            state->velocity.z += impulse.linear.z / host->masses[n];
            if (n != 5) state->velocity.z -= DT;
        }
        state->position = sum(state->position, vec3(state->velocity.x * DT, state->velocity.y * DT, state->velocity.z * DT));
    }
}

static void shift(Host *host, VortonVec3 origin) {
    int n;
    OK(vorton_world_shift_origin(host->world, origin));
    for (n = 0; n < BODIES; ++n) host->states[n].position = less(host->states[n].position, origin);
    host->origin = sum(host->origin, origin);
}

/* ---- Values right after a shift. ---- */

typedef struct Read {
    float velocity[POINTS][3], vorticity[POINTS][3], scalars[4][POINTS];
    VortonSurface surfaces[POINTS];
    VortonLine lines[LINES];
    size_t line_count, vorton_count, tracer_count;
    VortonVorton vortons[MOST];
    VortonVec3 tracers[TRACERS], rows[TRACERS];
    float values[TRACERS];
    VortonBodyState states[BODIES];
    VortonEmitterDef emitter;
    VortonKillVolume volumes[2];
    size_t volume_count;
    VortonInvariants invariants;
    VortonBodyImpulse impulses[BODIES];
} Read;

static Read before, after;

/* Everything readable, at points displaced by -origin. */
static void read_all(const Host *host, int has_bodies, VortonVec3 origin, Read *out) {
    static VortonVec3 points[POINTS];
    static const uint32_t scalars[4] = {VORTON_SAMPLE_DENSITY, VORTON_SAMPLE_DENSITY_DEVIATION, VORTON_SAMPLE_TEMPERATURE,
                                        VORTON_SAMPLE_DYE};
    const VortonWorldId world = host->world;
    VortonDrawDef draw = vorton_default_draw_def();
    VortonTracerRows rows;
    uint32_t n;
    for (n = 0; n < POINTS; ++n) {
        /* In and around the tank and the drop, among the rings, and far outside all boxes. */
        static const float sizes[4] = {1.2f, 0.5f, 5.0f, 40.0f};
        const VortonVec3 middles[4] = {vec3(-2, 0, 1), vec3(0.3f, -0.9f, 0.7f), vec3(0, 0, 0.5f), vec3(0, 0, 0)};
        const VortonVec3 middle = middles[n % 4];
        const float size = sizes[n % 4];
        points[n] = less(sum(middle, vec3(size * (random_unit(3 * n) - 0.5f), size * (random_unit(3 * n + 1) - 0.5f),
                                          size * (random_unit(3 * n + 2) - 0.5f))), origin);
    }
    memset(out, 0, sizeof *out);
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, &points[0].x, 12, out->velocity[0], 12, POINTS));
    OK(vorton_world_sample(world, VORTON_SAMPLE_VORTICITY, &points[0].x, 12, out->vorticity[0], 12, POINTS));
    for (n = 0; n < 4; ++n) OK(vorton_world_sample(world, scalars[n], &points[0].x, 12, out->scalars[n], 4, POINTS));
    OK(vorton_world_sample_surfaces(world, NULL, 0.7f, &points[0].x, 12, out->surfaces, 0, POINTS));
    draw.flags |= VORTON_DRAW_FIELD;
    draw.arrows_low = less(vec3(-2.5f, -0.5f, 0), origin);
    draw.arrows_high = less(vec3(1, 0.5f, 1.5f), origin);
    OK(vorton_world_draw(world, &draw, out->lines, LINES, &out->line_count));
    OK(vorton_vortons_read(world, out->vortons, MOST, &out->vorton_count));
    OK(vorton_tracers_read(world, host->tracers, &out->tracers[0].x, 12, NULL, NULL, NULL, out->values, TRACERS,
                           &out->tracer_count));
    OK(vorton_tracers_acquire(world, host->tracers, &rows, sizeof rows));
    CHECK(rows.count == out->tracer_count);
    memcpy(out->rows, rows.positions, rows.count * sizeof *out->rows);
    OK(vorton_tracers_release(world, rows.lease));
    OK(vorton_emitter_def(world, host->emitter, &out->emitter, sizeof out->emitter));
    OK(vorton_world_kill_volumes(world, out->volumes, 2, &out->volume_count));
    out->invariants = vorton_default_invariants();
    OK(vorton_world_invariants(world, &out->invariants));
    for (n = 0; n < BODIES && has_bodies; ++n) OK(vorton_body_read(world, host->ids[n], &out->states[n]));
}

static double worst;

/* `b`, seen from the origin, is `a`: up to `slack`, which the largest differences are close to. */
static int moved(VortonVec3 a, VortonVec3 b, VortonVec3 origin, double slack) {
    const double off = largest(less(sum(b, origin), a));
    worst = fmax(worst, off);
    return off <= slack;
}

static int near(const float *a, const float *b, size_t count, double slack) {
    size_t n;
    double most = 0;
    for (n = 0; n < count; ++n) most = fmax(most, fabs((double)a[n] - (double)b[n]));
    if (!(most <= slack)) printf("  off by %g\n", most);
    return most <= slack;
}

static double scale_of(const float *values, size_t count) {
    double most = 0;
    while (count--) most = fmax(most, fabs((double)values[count]));
    return most;
}

/* Moments about the new origin, from the definition: I' = I - o x S / 2. */
static void check_moments(const VortonInvariants *a, const VortonInvariants *b, VortonVec3 o) {
    const double origin[3] = {(double)o.x, (double)o.y, (double)o.z};
    const double far = fabs(origin[0]) + fabs(origin[1]) + fabs(origin[2]) + 1;
    const double slack = 1e-6 * far * (a->strength_magnitude + 1);
    int i;
    for (i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double *s = a->total_strength, *t = a->bound_strength;
        CHECK(a->total_strength[i] == b->total_strength[i] && a->bound_strength[i] == b->bound_strength[i]);
        CHECK(fabs(b->linear_impulse[i] - (a->linear_impulse[i] - 0.5 * (origin[j] * s[k] - origin[k] * s[j]))) < slack);
        CHECK(fabs(b->bound_impulse[i] - (a->bound_impulse[i] - 0.5 * (origin[j] * t[k] - origin[k] * t[j])))
              <= 1e-12 * far);
    }
}

static void check_reading(int scene, VortonVec3 origin) {
    Host host = make(scene, 0);
    const int has_bodies = scene != VISCOUS;
    const double far = largest(origin), rounding = 3e-7 * (far + 8);
    size_t n;
    int i;
    for (i = 0; i < 25; ++i) frame(&host, has_bodies);
    read_all(&host, has_bodies, vec3(0, 0, 0), &before);
    OK(vorton_world_shift_origin(host.world, origin));
    read_all(&host, has_bodies, origin, &after);
    /* Samples: positions are rounded once, and gradients are of order 10 per second. */
    CHECK(near(before.velocity[0], after.velocity[0], 3 * POINTS, 30 * rounding));
    CHECK(near(before.vorticity[0], after.vorticity[0], 3 * POINTS, 1000 * rounding));
    for (i = 0; i < 4; ++i) {
        const double scale = i == 2 ? 3000 : i == 3 ? 30 : 30;
        CHECK(near(before.scalars[i], after.scalars[i], POINTS, scale * rounding));
    }
    CHECK(scale_of(before.velocity[0], 3 * POINTS) > 0.3);
    CHECK(!has_bodies || (scale_of(before.scalars[1], POINTS) > 0.01 && scale_of(before.scalars[3], POINTS) > 0.1));
    for (n = 0; n < POINTS; ++n) {
        const VortonSurface *a = &before.surfaces[n], *b = &after.surfaces[n];
        CHECK(fabs((double)(a->distance - b->distance)) < 20 * rounding);
        CHECK(a->distance == 0.7f || b->distance == 0.7f || fabs((double)a->distance) < 1e-3
              || largest(less(a->normal, b->normal)) > 1e-3 || moved(a->point, b->point, origin, 30 * rounding));
    }
    /* The drawing covers meshes, bodies, containers, kill volumes, emitters, contacts and arrows. */
    CHECK(before.line_count == after.line_count);
    for (n = 0; n < before.line_count; ++n) {
        CHECK(moved(before.lines[n].from, after.lines[n].from, origin, 100 * rounding));
        CHECK(moved(before.lines[n].to, after.lines[n].to, origin, 100 * rounding));
    }
    CHECK(before.vorton_count == after.vorton_count && before.vorton_count > 100);
    for (n = 0; n < before.vorton_count; ++n) {
        VortonVorton a = before.vortons[n], b = after.vortons[n];
        CHECK(moved(a.position, b.position, origin, rounding));
        a.position = b.position;
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
    CHECK(before.tracer_count == after.tracer_count && before.tracer_count > TRACERS / 2);
    for (n = 0; n < before.tracer_count; ++n) {
        CHECK(moved(before.tracers[n], after.tracers[n], origin, rounding));
        CHECK(moved(before.rows[n], after.rows[n], origin, rounding));
        CHECK(before.values[n] == after.values[n]);
    }
    CHECK(moved(before.emitter.position, after.emitter.position, origin, rounding));
    for (n = 0; n < before.volume_count; ++n) CHECK(moved(before.volumes[n].position, after.volumes[n].position, origin, rounding));
    for (i = 0; i < BODIES && has_bodies; ++i) {
        CHECK(moved(before.states[i].position, after.states[i].position, origin, rounding));
        CHECK(memcmp(&before.states[i].rotation, &after.states[i].rotation, sizeof(VortonQuat) + 24) == 0);
    }
    check_moments(&before.invariants, &after.invariants, origin);
    OK(vorton_world_destroy(host.world));
}

/* ---- Later steps. ---- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The distance that 19 of 20 of the vortons that there were at first are below: ids of later ones, of the
   halo for instance, are those of others as soon as one more is born, and whether a vorton at an edge of the
   ground goes over or under it is a matter of rounding. */
static double distance_of(const Host *a, const Host *b) {
    static VortonVorton of_a[MOST], of_b[MOST];
    static double distances[MOST];
    size_t na, nb, i = 0, j = 0, both = 0;
    OK(vorton_vortons_read(a->world, of_a, MOST, &na));
    OK(vorton_vortons_read(b->world, of_b, MOST, &nb));
    while (i < na && j < nb && of_a[i].id < a->first_count) {
        if (of_a[i].id < of_b[j].id) {
            ++i;
        } else if (of_a[i].id > of_b[j].id) {
            ++j;
        } else {
            const VortonVec3 way = less(sum(of_a[i++].position, a->origin), sum(of_b[j++].position, b->origin));
            distances[both++] = largest(way);
            CHECK(distances[both - 1] < 1e3);
        }
    }
    CHECK((double)both > 0.9 * (double)a->first_count);
    qsort(distances, both, sizeof *distances, by_size);
    return distances[both * 19 / 20];
}

static void check_going_on(int scene, int frames, int powers_of_two) {
    static const VortonVec3 even[4] = {{64, -32, 16}, {-128, 32, -8}, {0, 64, 0}, {64, -64, -8}};
    static const VortonVec3 odd[4] = {{77.7f, -31.3f, 4.1f}, {-101.3f, 3.3f, -9.9f}, {0.1234f, 40, 0}, {20, -10, 5}};
    Host still = make(scene, 0), nudged = make(scene, 2e-6f), shifted = make(scene, 0);
    const int has_bodies = scene != VISCOUS;
    size_t n;
    double by_shift, by_nudge;
    VortonStats stats = vorton_default_stats(), stats_still = vorton_default_stats();
    int i;
    for (i = 1; i <= frames; ++i) {
        frame(&still, has_bodies);
        frame(&nudged, has_bodies);
        frame(&shifted, has_bodies);
        if (i % 5 == 0) {
            by_shift = distance_of(&still, &shifted);
            by_nudge = distance_of(&still, &nudged);
            printf("scene %d, frame %d: shifted %.2e m, nudged by 2e-6 m %.2e m\n", scene, i, by_shift, by_nudge);
            CHECK(by_shift < 30 * by_nudge + 3e-5 * i);
        }
        if (i % 6 == 3) shift(&shifted, powers_of_two ? even[i / 6 % 4] : odd[i / 6 % 4]);
    }
    OK(vorton_world_stats(shifted.world, &stats));
    OK(vorton_world_stats(still.world, &stats_still));
    CHECK(stats.non_finite == 0 && stats.lost_tracers == stats_still.lost_tracers);
    CHECK(fabs((double)stats.killed - (double)stats_still.killed) <= 3 + 0.05 * (double)stats_still.killed);
    for (i = 0; i < BODIES && has_bodies; ++i) {
        const VortonVec3 at = sum(shifted.states[i].position, shifted.origin);
        CHECK(largest(less(shifted.turned[i], still.turned[i])) < 0.03 * largest(still.turned[i]) + 1e-6);
        CHECK(largest(less(at, still.states[i].position)) < 2e-3);
        CHECK(largest(less(shifted.states[i].velocity, still.states[i].velocity)) < 2e-2);
    }
    /* The tank keeps its contents. */
    if (has_bodies) {
        size_t count, held = 0, held_still = 0;
        OK(vorton_tracers_read(shifted.world, shifted.tracers, &after.tracers[0].x, 12, NULL, NULL, NULL, NULL, TRACERS, &count));
        for (n = 0; n < count; ++n) held += largest(less(after.tracers[n], shifted.states[2].position)) < 0.4601;
        OK(vorton_tracers_read(still.world, still.tracers, &before.tracers[0].x, 12, NULL, NULL, NULL, NULL, TRACERS, &count));
        for (n = 0; n < count; ++n) held_still += largest(less(before.tracers[n], still.states[2].position)) < 0.4601;
        CHECK(held_still > 20 && held == held_still);
    }
    OK(vorton_world_destroy(still.world));
    OK(vorton_world_destroy(nudged.world));
    OK(vorton_world_destroy(shifted.world));
}

/* ---- The rest. ---- */

static uint64_t hash_all(VortonWorldId world) {
    uint64_t hash;
    OK(vorton_world_hash_all(world, &hash));
    return hash;
}

/* A zero shift changes no bit, a refused shift changes nothing, and a snapshot restores the state before a
   shift. */
static void check_edges(void) {
    Host host = make(LAYERS, 0), other = make(LAYERS, 0);
    VortonBodyState far = host.states[5];
    uint64_t hash;
    size_t size, saved_size;
    void *saved, *shifted;
    int i;
    for (i = 0; i < 8; ++i) {
        frame(&host, 1);
        frame(&other, 1);
    }
    hash = hash_all(host.world);
    OK(vorton_world_shift_origin(host.world, vec3(0, -0.0f, 0)));
    CHECK(hash_all(host.world) == hash);
    REFUSED_FOR(vorton_world_shift_origin(host.world, vec3(0, 2e9f, 0)), "origin");
    CHECK(vorton_world_shift_origin(host.world, vec3(0, NAN, 0)) == VORTON_ERR_NOT_FINITE);
    CHECK(hash_all(host.world) == hash);
    OK(vorton_world_save(host.world, NULL, 0, &saved_size));
    saved = malloc(saved_size);
    OK(vorton_world_save(host.world, saved, saved_size, &saved_size));
    OK(vorton_world_shift_origin(host.world, vec3(300, -20, 7)));
    CHECK(hash_all(host.world) != hash);
    STEP(vorton_world_step(host.world, DT));
    /* Also across a shift in another world: the layers of the ambient are at their positions in the snapshot.
       */
    shifted = malloc(2 * saved_size);
    OK(vorton_world_save(host.world, shifted, 2 * saved_size, &size));
    OK(vorton_world_restore(other.world, shifted, size));
    CHECK(hash_of(other.world) == hash_of(host.world));
    read_all(&host, 0, vec3(300, -20, 7), &before);
    read_all(&other, 0, vec3(300, -20, 7), &after);
    CHECK(memcmp(before.scalars, after.scalars, sizeof before.scalars) == 0);
    CHECK(memcmp(before.velocity, after.velocity, sizeof before.velocity) == 0);
    STEP(vorton_world_step(host.world, DT));
    STEP(vorton_world_step(other.world, DT));
    CHECK(hash_of(other.world) == hash_of(host.world));
    free(shifted);
    /* Back to the world before the shift. */
    OK(vorton_world_restore(host.world, saved, saved_size));
    free(saved);
    CHECK(hash_all(host.world) == hash);
    /* A body that would be too far away. */
    far.position = vec3(-9e8f, 0, 0);
    OK(vorton_body_place(host.world, host.ids[5], &far));
    hash = hash_all(host.world);
    REFUSED_FOR(vorton_world_shift_origin(host.world, vec3(2e8f, 0, 0)), "position of a body");
    CHECK(hash_all(host.world) == hash);
    OK(vorton_world_destroy(host.world));
    OK(vorton_world_destroy(other.world));
}

/* A world that is reset after a shift is a new one: its layers and lattices are where the definition says. */
static void check_reset(void) {
    Host host = make(GRADIENT, 0), fresh = make(GRADIENT, 0);
    int i;
    frame(&host, 1);
    OK(vorton_world_shift_origin(host.world, vec3(3, 4.5f, -20)));
    OK(vorton_world_reset(host.world));
    OK(vorton_world_reset(fresh.world));
    OK(vorton_world_set_kill_volumes(host.world, NULL, 0));
    OK(vorton_world_set_kill_volumes(fresh.world, NULL, 0));
    add_fluid(&host, GRADIENT, 0);
    add_fluid(&fresh, GRADIENT, 0);
    add_things(&host);
    add_things(&fresh);
    for (i = 0; i < 3; ++i) {
        STEP(vorton_world_step(host.world, DT));
        STEP(vorton_world_step(fresh.world, DT));
    }
    CHECK(hash_of(host.world) == hash_of(fresh.world));
    read_all(&host, 0, vec3(0, 0, 0), &before);
    read_all(&fresh, 0, vec3(0, 0, 0), &after);
    CHECK(memcmp(before.scalars, after.scalars, sizeof before.scalars) == 0);
    OK(vorton_world_destroy(host.world));
    OK(vorton_world_destroy(fresh.world));
}

/* Distance in three seconds of a slow ring created at `at`, with the world shifted there or not. */
static double way_of_ring(VortonVec3 at, int shifts) {
    const VortonWorldId world = make_world(VORTON_THREADS_SERIAL, 1, 256);
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    static VortonVorton vortons[256];
    double from = 0, to = 0;
    size_t count, n;
    int i;
    ring.centre = at;
    ring.radius = 0.5f;
    ring.circulation = 0.02f;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    if (shifts) OK(vorton_world_shift_origin(world, at));
    OK(vorton_vortons_read(world, vortons, 256, &count));
    for (n = 0; n < count; ++n) from += (double)vortons[n].position.z / (double)count;
    for (i = 0; i < 180; ++i) STEP(vorton_world_step(world, DT));
    OK(vorton_vortons_read(world, vortons, 256, &count));
    for (n = 0; n < count; ++n) to += (double)vortons[n].position.z / (double)count;
    OK(vorton_world_destroy(world));
    return to - from;
}

/* Far away a float is too coarse for the displacement of a slow ring in a step; near the origin it moves
   correctly. */
static void check_the_benefit(void) {
    const VortonVec3 away = vec3(4096, 4096, 4096);
    const double home = way_of_ring(vec3(0, 0, 0), 0), far = way_of_ring(away, 0), shifted = way_of_ring(away, 1);
    printf("a ring goes %.5f m at home, %.5f m at 4 km, %.5f m at 4 km once the origin is there\n", home, far, shifted);
    CHECK(fabs(far - home) > 0.3 * home);
    CHECK(fabs(shifted - home) < 0.01 * home);
}

int main(void) {
    check_the_benefit();
    check_edges();
    check_reset();
    check_reading(LAYERS, vec3(64, -128, 32));
    check_reading(LAYERS, vec3(-3.3f, 0.7f, 11.9f));
    check_reading(GRADIENT, vec3(1000, 2000.5f, -300.25f));
    check_reading(VISCOUS, vec3(12.345f, -6.789f, 0.123f));
    check_going_on(LAYERS, 25, 1);
    check_going_on(GRADIENT, 25, 0);
    check_going_on(VISCOUS, 30, 0);
    printf("largest difference of a place: %.2e m\n", worst);
    return 0;
}
