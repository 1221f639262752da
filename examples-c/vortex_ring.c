/*
 * A vortex ring flies through a block of smoke: scene 0 of the articles.
 *
 * The minimal program: a world, an initial condition, tracers, steps, and reading the tracers back for
 * drawing. The colour of the smoke shows its start position: in the ring's core or around it.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 48,
    PANELS = 4
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 10, 26, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
/* Distance between tracers [m]. */
static const float SMOKE_SPACING = 0.08f;
static const float CORE_SPACING = 0.055f;

/* The ring of the articles: vorticity 10 (1 + cos(pi c)) 1/s at distance c < 1 m from a circle of radius 1
 * m. */
static void add_ring(VortonWorldId world)
{
    const float pi = 3.14159265f;
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_RING);
    ring.axis = (VortonVec3){1.0f, 0.0f, 0.0f};
    ring.radius = 1.0f;
    ring.thickness = 1.0f;
    ring.circulation = 20.0f * (pi / 2.0f - 2.0f / pi); /* The integral of that vorticity across the core. */
    ring.spacing = 0.25f;
    CHECK(vorton_world_add_initial(world, &ring, NULL, NULL));
}

/* Position of the ring: the mean position along x of the smoke of its core, which stays in it. */
static float ring_x(const Dye *smoke, size_t first_core_id)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < smoke->count; ++i) {
        if (smoke->ids[i] >= first_core_id) {
            sum += (double)smoke->positions[i][0];
            ++count;
        }
    }
    return (float)(sum / (double)count);
}

static void draw(Picture *picture, int panel, const Dye *smoke, float x, float seconds)
{
    const PictureCamera camera = {{x + 4.4f, -8.4f, 2.6f}, {x - 0.9f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 27.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, ring at %.1f m", (double)seconds, (double)x);
    dye_draw(smoke, picture, panel, &camera, 0.036f, 0.026f, caption);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "vortex_ring", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 0.375f; /* 1.5 spacings: neighbours overlap. */
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    add_ring(world);

    /* A block of pale smoke around the ring, and denser, warm smoke in the ring's core. */
    Smoke block = {0};
    smoke_add_box(&block, (VortonVec3){-1.3f, -1.3f, -1.3f}, (VortonVec3){1.3f, 1.3f, 1.3f}, SMOKE_SPACING);
    const size_t first_core_id = block.count;
    smoke_add_ring(&block, (VortonVec3){0.0f, 0.0f, 0.0f}, 0, 1.0f, 0.3f, CORE_SPACING);
    Dye smoke;
    dye_create(&smoke, world, &block, (const float[3]){0.66f, 0.78f, 0.95f});
    smoke_free(&block);
    for (size_t id = first_core_id; id < smoke.count; ++id) {
        dye_set_color(&smoke, id, (const float[3]){1.0f, 0.50f, 0.16f});
    }

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1200, 760, 2, 2);
    dye_read(&smoke);
    draw(picture, 0, &smoke, ring_x(&smoke, first_core_id), 0.0f);
    const float start = ring_x(&smoke, first_core_id);
    progress_line("vortex ring", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, 1);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                dye_read(&smoke);
                draw(picture, panel, &smoke, ring_x(&smoke, first_core_id), (float)frame * FRAME_SECONDS);
            }
        }
        progress_line("vortex ring", frame, options.frames);
    }

    int failed = run_report(&run, "vortex_ring", 0.05);
    dye_read(&smoke);
    const float seconds = (float)options.frames * FRAME_SECONDS;
    const float speed = (ring_x(&smoke, first_core_id) - start) / seconds;
    printf("  speed            %10.3f m/s\n", (double)speed);
    if (!(speed > 0.5f)) {
        printf("FAILED: the ring does not travel along +x\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    dye_destroy(&smoke);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
