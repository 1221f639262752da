/*
 * Two equal vortex rings on one axis leapfrog: the rear ring shrinks, speeds up and slips through the front
 * ring, which has widened; then they change roles. Each carries dye of its own colour.
 *
 * The motion of two thin coaxial rings is known exactly (a Hamiltonian system of two circles), so the example
 * prints the times at which the rings pass beside the exact ones.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 360,
    PANELS = 4,
    RING_VORTONS = 48,
    PASSES = 2
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 78, 112, 190};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.2f;
static const float CORE_RADIUS = 0.2f;
/* More than the core: the dye that the rings lose to each other forms the wisps. */
static const float DYE_THICKNESS = 0.28f;
static const float DYE_SPACING = 0.041f;
/* Exact values for radius 1 m, distance 1 m, circulation 1 m^2/s and this core: integrated from the exact
 * self-velocity of a circle and the velocity of one circle at the other. */
static const double EXACT_PASS[PASSES] = {3.7203, 11.1608};

/* Mean position of a ring's vortons along the axis and distance from it. */
typedef struct RingState {
    double x;
    double radius;
} RingState;

static RingState ring_state(const VortonVorton *vortons)
{
    RingState state = {0.0, 0.0};
    for (int i = 0; i < RING_VORTONS; ++i) {
        const VortonVec3 p = vortons[i].position;
        state.x += (double)p.x / RING_VORTONS;
        state.radius += sqrt((double)(p.y * p.y + p.z * p.z)) / RING_VORTONS;
    }
    return state;
}

/* Vortons come back in the order in which they were added: first the ring that starts behind, then the
 * other. */
static void read_rings(VortonWorldId world, RingState rings[2])
{
    VortonVorton vortons[2 * RING_VORTONS];
    size_t count = 0;
    CHECK(vorton_vortons_read(world, vortons, 2 * RING_VORTONS, &count));
    rings[0] = ring_state(vortons);
    rings[1] = ring_state(vortons + RING_VORTONS);
}

static void add_ring(VortonWorldId world, Smoke *smoke, float x)
{
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.centre = (VortonVec3){x, 0.0f, 0.0f};
    ring.axis = (VortonVec3){1.0f, 0.0f, 0.0f};
    ring.radius = 1.0f;
    ring.circulation = 1.0f;
    ring.count = RING_VORTONS;
    CHECK(vorton_world_add_initial(world, &ring, NULL, NULL));
    smoke_add_ring(smoke, ring.centre, 0, 1.0f, DYE_THICKNESS, DYE_SPACING);
}

static void draw(Picture *picture, int panel, Dye *dye, const RingState rings[2], double seconds)
{
    dye_read(dye);
    const float x = (float)(0.5 * (rings[0].x + rings[1].x));
    const PictureCamera camera = {{x + 4.2f, -6.2f, 2.2f}, {x, 0.0f, -0.05f}, {0.0f, 0.0f, 1.0f}, 27.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s", seconds);
    dye_draw(dye, picture, panel, &camera, 0.75f * DYE_SPACING, 0.045f, caption);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "leapfrog", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = CORE_RADIUS;
    def.relaxation_rate = 0.0f; /* Exact inviscid motion, to be compared with theory. */
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));

    Smoke smoke = {0};
    add_ring(world, &smoke, -0.5f);
    const size_t first_ahead = smoke.count;
    add_ring(world, &smoke, 0.5f);
    Dye dye;
    dye_create(&dye, world, &smoke, (const float[3]){0.95f, 0.25f, 0.16f});
    smoke_free(&smoke);
    for (size_t id = first_ahead; id < dye.count; ++id) {
        dye_set_color(&dye, id, (const float[3]){0.14f, 0.30f, 0.85f});
    }

    Run run;
    run_begin(&run, world);
    RingState rings[2];
    read_rings(world, rings);
    Picture *picture = picture_create(1200, 760, 2, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &dye, rings, 0.0);

    double passed_at[PASSES] = {0.0, 0.0};
    unsigned passes = 0;
    progress_line("leapfrog", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        const double before = rings[1].x - rings[0].x;
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, 1);
        read_rings(world, rings);
        const double after = rings[1].x - rings[0].x;
        if (passes < PASSES && (before > 0.0) != (after > 0.0)) {
            passed_at[passes] = ((double)(frame - 1) + before / (before - after)) * (double)FRAME_SECONDS;
            ++passes;
        }
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &dye, rings, (double)frame * (double)FRAME_SECONDS);
            }
        }
        progress_line("leapfrog", frame, options.frames);
    }

    int failed = run_report(&run, "leapfrog", 0.01);
    for (unsigned i = 0; i < PASSES && !options.is_cut; ++i) {
        const double error = fabs(passed_at[i] / EXACT_PASS[i] - 1.0);
        printf("  pass %u           %10.4f s  exact %.4f s, off by %.2f %%\n", i + 1, passed_at[i], EXACT_PASS[i],
               100.0 * error);
        if (!(error < 0.02)) {
            printf("FAILED: more than 2 %% from the exact time\n");
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
