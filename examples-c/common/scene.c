#include "scene.h"

#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Limit for a flow that blows up: the report shows it, and not after hours. */
    MAX_STEPS = 1000,
    /* Most tracers placed by density. */
    IMPLIED_CAPACITY = 1 << 20
};

/* Fraction of max_stretch: a flow that accelerates within a frame should not exceed the limit at once. */
static const float STRETCH_MARGIN = 0.9f;

void flame_color(float temperature, float rgb[3])
{
    static const float RAMP[5][3] = {
        {0.16f, 0.15f, 0.15f}, {0.45f, 0.07f, 0.02f}, {0.95f, 0.30f, 0.03f}, {1.0f, 0.62f, 0.12f}, {1.0f, 0.92f, 0.55f}};
    static const float KELVINS[5] = {320.0f, 390.0f, 490.0f, 620.0f, 800.0f};
    int step = 0;
    float part;
    while (step < 3 && temperature > KELVINS[step + 1]) {
        ++step;
    }
    part = (temperature - KELVINS[step]) / (KELVINS[step + 1] - KELVINS[step]);
    part = fminf(fmaxf(part, 0.0f), 1.0f);
    for (int c = 0; c < 3; ++c) {
        rgb[c] = RAMP[step][c] + part * (RAMP[step + 1][c] - RAMP[step][c]);
    }
}

void fail(const char *what, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    exit(EXIT_FAILURE);
}

void check_result(VortonResult result, const char *call, const char *file, int line)
{
    if (result < 0) {
        char reason[512];
        (void)vorton_last_error(reason, sizeof reason);
        fflush(stdout);
        fprintf(stderr, "%s:%d: %s\n  %s: %s\n", file, line, call, vorton_result_name(result), reason);
        exit(EXIT_FAILURE);
    }
}

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fail("out of memory", __FILE__, __LINE__);
    }
    return memory;
}

Options read_options(int argc, char **argv, const char *example, unsigned frames)
{
    Options options = {.frames = frames, .is_cut = 0};
    const char *folder = argc > 1 ? argv[1] : ".";
    const int length = snprintf(options.picture, sizeof options.picture, "%s/%s.png", folder, example);
    if (length < 0 || (size_t)length >= sizeof options.picture) {
        fail("the folder's name is too long", __FILE__, __LINE__);
    }
    if (argc > 2) {
        const unsigned long wanted = strtoul(argv[2], NULL, 10);
        if (wanted == 0) {
            fail("FRAMES must be a number above 0", __FILE__, __LINE__);
        }
        if (wanted < frames) {
            options.frames = (unsigned)wanted;
            options.is_cut = 1;
        }
    }
    return options;
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over a counter. */
void add_floor(VortonWorldId world)
{
    VortonBodyDef def = vorton_default_body_def();
    def.mass = 0.0f;
    VortonBodyId body;
    CHECK(vorton_body_create(world, &def, &body));
    const VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_HALF_SPACE);
    CHECK(vorton_shape_create(world, body, &shape, NULL));
}

float random_unit(uint64_t counter)
{
    uint64_t z = counter * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (float)(z >> 40) * 0x1p-24f;
}

static void smoke_add_point(Smoke *smoke, VortonVec3 point)
{
    if (smoke->count == smoke->capacity) {
        const size_t capacity = smoke->capacity > 0 ? 2 * smoke->capacity : 1024;
        VortonVec3 *points = realloc(smoke->points, capacity * sizeof *points);
        if (points == NULL) {
            fail("out of memory", __FILE__, __LINE__);
        }
        smoke->points = points;
        smoke->capacity = capacity;
    }
    smoke->points[smoke->count] = point;
    ++smoke->count;
}

/* A ring near which points are kept. */
typedef struct Torus {
    VortonVec3 centre;
    int axis;
    float radius;
    float thickness;
} Torus;

static int torus_contains(const Torus *torus, VortonVec3 point)
{
    const float from_centre[3] = {point.x - torus->centre.x, point.y - torus->centre.y, point.z - torus->centre.z};
    const float along = from_centre[torus->axis];
    const float u = from_centre[(torus->axis + 1) % 3];
    const float v = from_centre[(torus->axis + 2) % 3];
    const float off = sqrtf(u * u + v * v) - torus->radius;
    return off * off + along * along < torus->thickness * torus->thickness;
}

static unsigned cells_between(float low, float high, float spacing)
{
    return (unsigned)fmaxf(floorf((high - low) / spacing + 0.5f), 1.0f);
}

static void smoke_add_lattice(Smoke *smoke, VortonVec3 low, VortonVec3 high, float spacing, const Torus *within)
{
    const unsigned nx = cells_between(low.x, high.x, spacing);
    const unsigned ny = cells_between(low.y, high.y, spacing);
    const unsigned nz = cells_between(low.z, high.z, spacing);
    uint64_t counter = 0;
    for (unsigned k = 0; k < nz; ++k) {
        for (unsigned j = 0; j < ny; ++j) {
            for (unsigned i = 0; i < nx; ++i, counter += 3) {
                const VortonVec3 point = {
                    low.x + ((float)i + random_unit(counter)) * (high.x - low.x) / (float)nx,
                    low.y + ((float)j + random_unit(counter + 1)) * (high.y - low.y) / (float)ny,
                    low.z + ((float)k + random_unit(counter + 2)) * (high.z - low.z) / (float)nz,
                };
                if (within == NULL || torus_contains(within, point)) {
                    smoke_add_point(smoke, point);
                }
            }
        }
    }
}

void smoke_add_box(Smoke *smoke, VortonVec3 low, VortonVec3 high, float spacing)
{
    smoke_add_lattice(smoke, low, high, spacing, NULL);
}

void smoke_add_ring(Smoke *smoke, VortonVec3 centre, int axis, float radius, float thickness, float spacing)
{
    const Torus torus = {centre, axis, radius, thickness};
    float half[3] = {radius + thickness, radius + thickness, radius + thickness};
    half[axis] = thickness;
    const VortonVec3 low = {centre.x - half[0], centre.y - half[1], centre.z - half[2]};
    const VortonVec3 high = {centre.x + half[0], centre.y + half[1], centre.z + half[2]};
    smoke_add_lattice(smoke, low, high, spacing, &torus);
}

void smoke_free(Smoke *smoke)
{
    free(smoke->points);
    memset(smoke, 0, sizeof *smoke);
}

/* Allocates memory for the capacity of the set. */
static void dye_allocate(Dye *dye, size_t capacity)
{
    dye->capacity = capacity;
    dye->color_of_id = allocate(capacity, sizeof *dye->color_of_id);
    dye->positions = allocate(capacity, sizeof *dye->positions);
    dye->colors = allocate(capacity, sizeof *dye->colors);
    dye->ids = allocate(capacity, sizeof *dye->ids);
}

static void dye_create_set(Dye *dye, VortonWorldId world, size_t capacity, uint32_t show)
{
    VortonTracersDef def = vorton_default_tracers_def();
    def.capacity = (uint32_t)capacity;
    def.show = show;
    memset(dye, 0, sizeof *dye);
    dye->world = world;
    CHECK(vorton_tracers_create(world, &def, &dye->tracers));
}

void dye_create(Dye *dye, VortonWorldId world, const Smoke *smoke, const float color[3])
{
    dye_create_set(dye, world, smoke->count, VORTON_SHOW_NONE);
    dye_allocate(dye, smoke->count);
    CHECK(vorton_tracers_add(world, dye->tracers, smoke->points, NULL, NULL, smoke->count));
    for (size_t i = 0; i < smoke->count; ++i) {
        dye_set_color(dye, i, color);
    }
    dye_read(dye);
}

void dye_create_implied(Dye *dye, VortonWorldId world, uint32_t per_cell, float threshold, ColorOfValue color)
{
    VortonImpliedDef def = vorton_default_implied_def();
    def.per_cell = per_cell;
    def.threshold = threshold;
    size_t count = 0;
    dye_create_set(dye, world, IMPLIED_CAPACITY, VORTON_SHOW_NONE);
    CHECK(vorton_tracers_add_implied(world, dye->tracers, &def, &count));
    dye_allocate(dye, count);

    float *values = allocate(count, sizeof *values);
    CHECK(vorton_tracers_read(world, dye->tracers, NULL, 0, dye->ids, NULL, NULL, values, count, &count));
    for (size_t i = 0; i < count; ++i) {
        color(values[i], dye->color_of_id[dye->ids[i]]);
    }
    free(values);
    dye_read(dye);
}

void dye_create_showing(Dye *dye, VortonWorldId world, const Smoke *smoke, uint32_t quantity,
                        ColorOfValue color)
{
    dye_create_set(dye, world, smoke->count, quantity);
    dye_allocate(dye, smoke->count);
    dye->color_of_value = color;
    dye->values = allocate(smoke->count, sizeof *dye->values);
    CHECK(vorton_tracers_add(world, dye->tracers, smoke->points, NULL, NULL, smoke->count));
    dye_read(dye);
}

void dye_set_color(Dye *dye, size_t id, const float color[3])
{
    memcpy(dye->color_of_id[id], color, sizeof dye->color_of_id[id]);
}

void dye_read(Dye *dye)
{
    CHECK(vorton_tracers_read(dye->world, dye->tracers, &dye->positions[0][0], sizeof dye->positions[0], dye->ids, NULL,
                              NULL, dye->values, dye->capacity, &dye->count));
    for (size_t i = 0; i < dye->count; ++i) {
        if (dye->color_of_value != NULL) {
            dye->color_of_value(dye->values[i], dye->colors[i]);
        } else {
            memcpy(dye->colors[i], dye->color_of_id[dye->ids[i]], sizeof dye->colors[i]);
        }
    }
}

void dye_draw(const Dye *dye, Picture *picture, int panel, const PictureCamera *camera, float radius, float opacity,
              const char *caption)
{
    const PictureParticles particles = {
        .count = dye->count,
        .positions = &dye->positions[0][0],
        .position_stride = sizeof dye->positions[0],
        .colors = &dye->colors[0][0],
        .color_stride = sizeof dye->colors[0],
        .radius = radius,
        .opacity = opacity,
    };
    (void)picture_draw_particles(picture, panel, camera, &particles);
    (void)picture_caption(picture, panel, caption);
}

void dye_destroy(Dye *dye)
{
    CHECK(vorton_tracers_destroy(dye->world, dye->tracers));
    free(dye->color_of_id);
    free(dye->positions);
    free(dye->colors);
    free(dye->ids);
    free(dye->values);
    memset(dye, 0, sizeof *dye);
}

VortonInvariants run_invariants(const Run *run)
{
    VortonInvariants invariants = {.struct_size = sizeof invariants, .flags = VORTON_INVARIANTS_PAIRS};
    CHECK(vorton_world_invariants(run->world, &invariants));
    return invariants;
}

static VortonStats run_stats(const Run *run)
{
    VortonStats stats = {.struct_size = sizeof stats};
    CHECK(vorton_world_stats(run->world, &stats));
    return stats;
}

void run_begin(Run *run, VortonWorldId world)
{
    memset(run, 0, sizeof *run);
    run->world = world;
    run->first = run_invariants(run);
    CHECK(vorton_world_step(world, 0.0f)); /* Moves nothing and measures the gradient. */
    run->max_gradient = run_stats(run).max_gradient;
}

unsigned run_steps(const Run *run, float dt, float max_stretch)
{
    const float wanted = ceilf(fabsf(dt) * run->max_gradient / (STRETCH_MARGIN * max_stretch));
    return (unsigned)fminf(fmaxf(wanted, 1.0f), (float)MAX_STEPS);
}

void run_step(Run *run, float dt)
{
    const double start = progress_seconds();
    CHECK(vorton_world_step(run->world, dt));
    run->step_seconds += progress_seconds() - start;

    const VortonStats stats = run_stats(run);
    const float stage_ms[RUN_STAGES] = {stats.velocity_ms,
                                        stats.halo_ms + stats.baroclinic_ms,
                                        stats.advance_ms,
                                        stats.diffuse_ms,
                                        stats.relax_ms,
                                        stats.tracers_ms,
                                        stats.emit_ms + stats.bodies_ms + stats.remove_ms};
    for (int s = 0; s < RUN_STAGES; ++s) {
        run->stage_ms[s] += (double)stage_ms[s];
    }
    run->max_gradient = stats.max_gradient;
    run->worst_stretch = fmaxf(run->worst_stretch, stats.stretch_number);
    ++run->steps;
}

void run_frame(Run *run, float dt, float max_stretch, unsigned least_steps)
{
    const unsigned wanted = run_steps(run, dt, max_stretch);
    const unsigned steps = wanted > least_steps ? wanted : least_steps;
    for (unsigned i = 0; i < steps; ++i) {
        run_step(run, dt / (float)steps);
    }
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double distance3(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length3(d);
}

/* Prints the stages that took time. */
static void print_stages(const Run *run)
{
    static const char *const NAMES[RUN_STAGES] = {"velocity",   "density", "advance", "diffusion",
                                                  "relaxation", "tracers", "other"};
    const double steps = run->steps > 0 ? (double)run->steps : 1.0;
    printf("  ms per step      %10.3f", 1e3 * run->step_seconds / steps);
    const char *separator = "    ";
    for (int s = 0; s < RUN_STAGES; ++s) {
        if (run->stage_ms[s] / steps >= 0.0005) { /* Stages that do not print as 0.000. */
            printf("%s%s %.3f", separator, NAMES[s], run->stage_ms[s] / steps);
            separator = ", ";
        }
    }
    printf("\n");
}

int run_print(const Run *run, const char *title)
{
    const VortonStats stats = run_stats(run);
    uint64_t hash = 0;
    CHECK(vorton_world_hash(run->world, &hash));
    printf("\n%s\n", title);
    printf("  vortons          %10llu", (unsigned long long)stats.vortons);
    if (stats.halo_born > 0) {
        printf("    halo: %llu born, %llu gone", (unsigned long long)stats.halo_born,
               (unsigned long long)stats.halo_retired);
    }
    printf("\n  tracers          %10llu\n", (unsigned long long)stats.tracers);
    printf("  steps            %10u    stretch number at most %.2f, %u threads\n", run->steps,
           (double)run->worst_stretch, stats.workers);
    if (stats.mesh_nodes > 0) {
        printf("  mesh nodes       %10llu    in the last step\n", (unsigned long long)stats.mesh_nodes);
    }
    print_stages(run);
    printf("  hash       %016llx\n", (unsigned long long)hash);
    fflush(stdout);
    if (stats.non_finite > 0 || stats.lost_tracers > 0) {
        printf("FAILED: the flow is not finite any more\n");
        return 1;
    }
    return 0;
}

int run_report(const Run *run, const char *title, double tolerance)
{
    const int failed = run_print(run, title);
    const VortonInvariants now = run_invariants(run);
    const VortonInvariants *first = &run->first;
    /* The impulses of two opposite rings cancel; the largest impulse of the strengths at 1 m is a scale that
     * is never 0. */
    const double impulse_scale = fmax(length3(first->linear_impulse), 0.5 * first->strength_magnitude);
    const double impulse_drift = distance3(now.linear_impulse, first->linear_impulse) / impulse_scale;
    const double strength_drift = distance3(now.total_strength, first->total_strength) / first->strength_magnitude;
    const double energy_drift = now.energy / first->energy - 1.0;
    printf("  impulse          %10.4f    drift %.1e\n", length3(now.linear_impulse), impulse_drift);
    printf("  total strength   %10.4f    drift %.1e\n", length3(now.total_strength), strength_drift);
    printf("  energy           %10.4f    drift %+.2f %%\n", now.energy, 100.0 * energy_drift);
    /* So that NaN fails. */
    if (!(impulse_drift <= tolerance && strength_drift <= tolerance && isfinite(energy_drift))) {
        printf("FAILED: impulse or total strength drifted by more than %g\n", tolerance);
        return 1;
    }
    return failed;
}
