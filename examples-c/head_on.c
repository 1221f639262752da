/*
 * Two opposite vortex rings meet head-on: they slow down, squeeze each other and spread out into one wide,
 * thin disc, and nothing crosses the middle. Each carries dye of its own colour.
 *
 * As long as the rings are round, their motion is known exactly (a Hamiltonian system of two circles), so the
 * example prints radius and distance beside the exact ones. At the end the same number of vortons covers
 * twice the length, so they start closer than necessary.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 150,
    FRAMES_PER_SECOND = 30,
    PANELS = 4,
    /* The rings widen to twice their size and should still overlap then. */
    RING_VORTONS = 192,
    EXACT_SECONDS = 5
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 60, 105, 150};
static const float MAX_STRETCH = 0.3f;
static const float CORE_RADIUS = 0.1f;
static const float DYE_THICKNESS = 0.3f; /* More than the ring carries: dye left behind forms the wisps. */
static const float DYE_SPACING = 0.043f;
/* Exact radius and distance from the middle [m] after 1 to 5 s, for radius 1 m, circulation +1 and -1 m^2/s,
 * this core and 1 m from the middle: integrated from the exact self-velocity of a circle and the velocity of
 * one circle at the other. */
static const double EXACT[EXACT_SECONDS][2] = {
    {1.0298, 0.7315}, {1.0973, 0.4976}, {1.2448, 0.3146}, {1.5372, 0.1903}, {2.0537, 0.1172},
};

/* Mean distance of both rings' vortons from the axis and from the middle. */
typedef struct RingState {
    double radius;
    double distance;
} RingState;

static RingState read_rings(VortonWorldId world)
{
    VortonVorton vortons[2 * RING_VORTONS];
    size_t count = 0;
    CHECK(vorton_vortons_read(world, vortons, 2 * RING_VORTONS, &count));
    RingState state = {0.0, 0.0};
    for (size_t i = 0; i < count; ++i) {
        const VortonVec3 p = vortons[i].position;
        state.radius += sqrt((double)(p.x * p.x + p.y * p.y)) / (double)count;
        state.distance += fabs((double)p.z) / (double)count;
    }
    return state;
}

static void add_ring(VortonWorldId world, Smoke *smoke, float z, float circulation)
{
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.centre = (VortonVec3){0.0f, 0.0f, z};
    ring.axis = (VortonVec3){0.0f, 0.0f, 1.0f};
    ring.radius = 1.0f;
    ring.circulation = circulation; /* Negative: it travels along -z. */
    ring.count = RING_VORTONS;
    CHECK(vorton_world_add_initial(world, &ring, NULL, NULL));
    smoke_add_ring(smoke, ring.centre, 2, 1.0f, DYE_THICKNESS, DYE_SPACING);
}

static void draw(Picture *picture, int panel, Dye *dye, RingState state, unsigned frame)
{
    dye_read(dye);
    const PictureCamera camera = {{0.0f, -7.6f, 3.1f}, {0.0f, 0.0f, -0.1f}, {0.0f, 0.0f, 1.0f}, 27.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, radius %.2f m", (double)frame / FRAMES_PER_SECOND, state.radius);
    dye_draw(dye, picture, panel, &camera, 0.75f * DYE_SPACING, 0.045f, caption);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "head_on", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = CORE_RADIUS;
    /* VORTON_SOLVER_AUTO takes a mesh: 2 cm off in the end, and no faster here. */
    def.solver = VORTON_SOLVER_DIRECT;
    def.relaxation_rate = 0.0f; /* Exact inviscid motion, to be compared with theory. */
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));

    Smoke smoke = {0};
    add_ring(world, &smoke, -1.0f, 1.0f);
    const size_t first_above = smoke.count;
    add_ring(world, &smoke, 1.0f, -1.0f);
    Dye dye;
    dye_create(&dye, world, &smoke, (const float[3]){0.95f, 0.25f, 0.16f});
    smoke_free(&smoke);
    for (size_t id = first_above; id < dye.count; ++id) {
        dye_set_color(&dye, id, (const float[3]){0.14f, 0.30f, 0.85f});
    }

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1200, 760, 2, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &dye, read_rings(world), 0);

    RingState measured[EXACT_SECONDS] = {{0.0, 0.0}};
    unsigned seconds = 0;
    progress_line("head-on", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, 1.0f / FRAMES_PER_SECOND, MAX_STRETCH, 1);
        if (frame % FRAMES_PER_SECOND == 0 && seconds < EXACT_SECONDS) {
            measured[seconds] = read_rings(world);
            ++seconds;
        }
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &dye, read_rings(world), frame);
            }
        }
        progress_line("head-on", frame, options.frames);
    }

    int failed = run_report(&run, "head_on", 0.01);
    if (seconds > 0) {
        printf("  after          radius    exact   distance    exact\n");
    }
    for (unsigned i = 0; i < seconds; ++i) {
        printf("  %u s           %8.4f %8.4f   %8.4f %8.4f\n", i + 1, measured[i].radius, EXACT[i][0],
               measured[i].distance, EXACT[i][1]);
        if (!(fabs(measured[i].radius - EXACT[i][0]) < 0.05 && fabs(measured[i].distance - EXACT[i][1]) < 0.05)) {
            printf("FAILED: more than 5 cm from the exact place\n");
            failed = 1;
        }
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
