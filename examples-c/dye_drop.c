/*
 * A drop of heavy dye falls through fluid: part 8 of the articles, figure 4.
 *
 * A density gradient across gravity creates vorticity, here all around the drop. It turns the drop inside
 * out: the middle thins to a skin, and the remainder is a vortex ring that widens as it falls and leaves
 * tendrils of dye above it. The dye starts in the heavy fluid, darker where it is heavier.
 *
 * Run twice: as coarse and regular as the articles' drop, and with seven times as many vortons and a seeded
 * disturbance.
 */
#include "common/drops.h"
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PANELS = 5 };

static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float DENSITY_DEVIATION = 0.2f;
/* Fraction of the largest deviation: the edge of the drop is smooth, and its outer part forms the veils. */
static const float TRACER_THRESHOLD = 0.45f;

/* A drop and its picture. */
typedef struct Drop {
    const char *name;
    const char *label;
    DropsFluid fluid;
    uint32_t tracers_per_cell;
    float puff_radius;  /* [m] */
    float puff_opacity;
    double off_axis;    /* Largest distance from its axis at the end [m]. */
    unsigned panel_frames[PANELS]; /* The last one ends the run. */
} Drop;

static const Drop DROPS[] = {
    /* 408 vortons, about as many as in the articles. 4.8 s: later the ring wobbles and stretches beyond the
     * resolution of these vortons. */
    {"dye_drop", "dye drop", {.spacing = 0.25f}, 7, 0.031f, 0.019f, 0.02, {0, 48, 75, 105, 144}},
    /* 2,728 vortons, started as irregular as a real drop: it breaks up into wisps and tendrils, and leans to
     * one side while its impulse points straight down. */
    {"fine_drop", "fine drop", {.spacing = 0.125f, .viscosity = 5e-4f, .disturbance = 0.5f}, 6, 0.014f, 0.016f, 0.25,
     {0, 50, 80, 104, 126}},
};

static void blue(float value, float rgb[3])
{
    const float light[3] = {0.15f, 0.45f, 0.88f};
    const float heavy[3] = {0.06f, 0.08f, 0.70f};
    const float above_least = (value / DENSITY_DEVIATION - TRACER_THRESHOLD) / (1.0f - TRACER_THRESHOLD);
    /* The core of a coarse drop may exceed its density. */
    const float share = fminf(fmaxf(above_least, 0.0f), 1.0f);
    for (int c = 0; c < 3; ++c) {
        rgb[c] = light[c] + share * (heavy[c] - light[c]);
    }
}

static void draw(const Drop *drop, Picture *picture, int panel, Dye *dye, const DropsState *state)
{
    dye_read(dye);
    const PictureCamera camera = {{0.0f, -22.0f, 2.0f}, {0.0f, 0.0f, -2.55f}, {0.0f, 0.0f, 1.0f}, 19.5f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, %.1f m down", drop->panel_frames[panel] * (double)FRAME_SECONDS,
                   fabs(state->heavy.centre[2]));
    dye_draw(dye, picture, panel, &camera, drop->puff_radius, drop->puff_opacity, caption);
}

/* Returns 0, or 1 if a law is broken. */
static int run_drop(const Drop *drop, int argc, char **argv)
{
    const Options options = read_options(argc, argv, drop->name, drop->panel_frames[PANELS - 1]);
    const VortonWorldId world = drops_create_world(&drop->fluid);
    drops_add(world, &drop->fluid, (VortonVec3){0.0f, 0.0f, 0.0f}, DENSITY_DEVIATION);
    Dye dye;
    dye_create_implied(&dye, world, drop->tracers_per_cell, TRACER_THRESHOLD, blue);

    const DropsState first = drops_read(world);
    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1700, 760, PANELS, 1);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(drop, picture, 0, &dye, &first);

    progress_line(drop->label, 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        drops_frame(&run, FRAME_SECONDS);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (drop->panel_frames[panel] == frame) {
                const DropsState state = drops_read(world);
                draw(drop, picture, panel, &dye, &state);
            }
        }
        progress_line(drop->label, frame, options.frames);
    }

    const int failed = drops_report(&run, drop->name, &first, drop->off_axis);
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed;
}

int main(int argc, char **argv)
{
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());
    int failed = 0;
    for (size_t i = 0; i < sizeof DROPS / sizeof *DROPS; ++i) {
        failed |= run_drop(&DROPS[i], argc, argv);
    }
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
