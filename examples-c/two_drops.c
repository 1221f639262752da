/*
 * A light red drop rises into a heavy blue one that falls: part 8 of the articles, figure 5.
 *
 * Each becomes a vortex ring on its path. Where they meet, the rings push each other outwards, and the dyes,
 * both blocked, lie face to face. The blue half is the red half's mirror image at all times, so the impulse
 * of gravity downwards equals that upwards.
 */
#include "common/drops.h"
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 108,
    PANELS = 6
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 45, 60, 72, 87, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float DENSITY_DEVIATION = 0.2f;
static const float HEIGHT = 2.0f; /* Height of the heavy drop's centre; the light drop is as far below. */
/* The rings stretch to almost three times their length; without viscosity they become too thin for the
 * vortons: energy is 20 % above the work of gravity after 3.6 s, and half a second later the mirror symmetry
 * is lost. */
static const DropsFluid FLUID = {.spacing = 0.25f, .viscosity = 0.005f};
static const uint32_t TRACERS_PER_CELL = 6;
static const float TRACER_THRESHOLD = 0.45f;
/* Tolerance of the positions of the masses [m]: rounding errors grow in a flow that breaks up. */
static const double MIRROR_TOLERANCE = 0.02;

static void red_or_blue(float value, float rgb[3])
{
    const float light[3] = {0.86f, 0.12f, 0.10f};
    const float heavy[3] = {0.10f, 0.20f, 0.86f};
    for (int c = 0; c < 3; ++c) {
        rgb[c] = value < 0.0f ? light[c] : heavy[c];
    }
}

static void draw(Picture *picture, int panel, Dye *dye, const DropsState *state, unsigned frame)
{
    dye_read(dye);
    const PictureCamera camera = {{0.0f, -16.0f, 4.5f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 21.5f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, %.1f m apart", (double)frame * (double)FRAME_SECONDS,
                   state->heavy.centre[2] - state->light.centre[2]);
    dye_draw(dye, picture, panel, &camera, 0.037f, 0.018f, caption);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "two_drops", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = drops_create_world(&FLUID);
    drops_add(world, &FLUID, (VortonVec3){0.0f, 0.0f, HEIGHT}, DENSITY_DEVIATION);
    drops_add(world, &FLUID, (VortonVec3){0.0f, 0.0f, -HEIGHT}, -DENSITY_DEVIATION);
    Dye dye;
    dye_create_implied(&dye, world, TRACERS_PER_CELL, TRACER_THRESHOLD, red_or_blue);

    const DropsState first = drops_read(world);
    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 950, 3, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &dye, &first, 0);

    progress_line("two drops", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        drops_frame(&run, FRAME_SECONDS);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                const DropsState state = drops_read(world);
                draw(picture, panel, &dye, &state, frame);
            }
        }
        progress_line("two drops", frame, options.frames);
    }

    int failed = drops_report(&run, "two_drops", &first, MIRROR_TOLERANCE);
    const DropsState last = drops_read(world);
    const double off_mirror = fabs(last.heavy.centre[2] + last.light.centre[2]);
    printf("  off the mirror   %10.4f    m\n", off_mirror);
    if (!(off_mirror <= MIRROR_TOLERANCE)) {
        printf("FAILED: the light drop is not the heavy one's mirror image, to %g m\n", MIRROR_TOLERANCE);
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
