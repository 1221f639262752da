/*
 * Two layers of fluid slosh in a tank that moves left and right: part 14 of the articles, figure 6.
 *
 * The tank is a body with a hole; only its walls and gravity drive the fluid. It is moved at about the
 * natural sloshing frequency of its two layers (three quarters of the theoretical value, because the layer
 * between them is as thick as a vorton and the walls of so narrow a tank weaken the flow), so crests grow
 * until they roll up. The second picture shows the displacement of the heavy layer.
 */
#include "common/picture.h"
#include "common/plot.h"
#include "common/progress.h"
#include "common/scene.h"
#include "common/tank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 360, /* 12 s. */
    PANELS = 8,
    LEAST_STEPS = 2 /* Per frame. */
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 60, 111, 165, 222, 270, 315, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
static const VortonVec3 HALF = {0.5f, 0.28125f, 0.5f};
static const float SPACING = 0.0625f;
static const float SMOKE_SPACING = 0.02f;
static const float GRAVITY = 10.0f;  /* Along -z [m/s^2]. */
/* Deviation of the heavy layer's density, and difference from the light layer's [kg/m^3]. */
static const float DEVIATION = 0.1f;
static const float AMPLITUDE = 0.5f;  /* Amplitude of the tank's motion [m]. */
static const float FREQUENCY = 1.4f;  /* Frequency of the tank's motion [rad/s]. */
static const float PI = 3.14159265f;

typedef struct Track {
    float time[FRAMES + 1];
    float heavy[FRAMES + 1]; /* Ten times the heavy layer's centre of mass, in the tank [m]. */
    float tank[FRAMES + 1];  /* Displacement of the tank [m]. */
} Track;

/* Frequency of standing waves between two layers of the same depth, one half wave long [rad/s]. */
static float natural_frequency(void)
{
    const float wave_number = PI / (2.0f * HALF.x);
    const float reduced_gravity = 2.0f * GRAVITY * DEVIATION;
    return sqrtf(0.5f * reduced_gravity * wave_number * tanhf(wave_number * HALF.z));
}

static void create_dye(Dye *dye, VortonWorldId world)
{
    Smoke box = {0};
    smoke_add_box(&box, (VortonVec3){-HALF.x, -HALF.y, -HALF.z}, (VortonVec3){HALF.x, HALF.y, 0.0f}, SMOKE_SPACING);
    dye_create(dye, world, &box, (const float[3]){0.10f, 0.22f, 0.80f});
    smoke_free(&box);
}

static void draw(Picture *picture, int panel, const Tank *tank, Dye *dye, unsigned frame)
{
    const float time = (float)frame * FRAME_SECONDS;
    const float x = AMPLITUDE * sinf(FREQUENCY * time); /* The camera follows the tank. */
    const PictureCamera camera = {{x, -7.0f, 0.7f}, {x, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 11.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, tank at %+.2f m", (double)time, (double)x);
    dye_read(dye);
    dye_draw(dye, picture, panel, &camera, 0.011f, 0.03f, caption);
    tank_draw(tank, picture, panel, &camera, (const float[3]){0.35f, 0.38f, 0.42f});
}

/* The tank follows its prescribed path from step to step, and the fluid reacts. */
static void advance(Run *run, Tank *tank, unsigned frame)
{
    const unsigned wanted = run_steps(run, FRAME_SECONDS, MAX_STRETCH);
    const unsigned steps = wanted < LEAST_STEPS ? LEAST_STEPS : wanted;
    const float dt = FRAME_SECONDS / (float)steps;
    for (unsigned step = 0; step < steps; ++step) {
        const float time = (float)frame * FRAME_SECONDS + (float)step * dt;
        const float here = AMPLITUDE * sinf(FREQUENCY * time);
        const float there = AMPLITUDE * sinf(FREQUENCY * (time + dt));
        tank_move(tank, (VortonVec3){here, 0.0f, 0.0f}, (VortonVec3){(there - here) / dt, 0.0f, 0.0f});
        run_step(run, dt);
    }
}

static int write_plot(const Track *track, const char *path)
{
    const PlotCurve curves[2] = {
        {"heavy layer in the tank, times 4", track->time, track->heavy, FRAMES + 1, 0, 0, {0.12f, 0.33f, 0.70f}},
        {"tank", track->time, track->tank, FRAMES + 1, 0, 0, {0.80f, 0.30f, 0.10f}},
    };
    const Plot plot = {
        .title = "Two layers in a tank that moves left and right",
        .x = {"time [s]", 0.0f, 12.0f, 2.0f, 0},
        .left = {"to the right [m]", -0.6f, 0.6f, 0.2f, 1},
        .curves = curves,
        .curve_count = 2,
        .legend = {0.05f, 0.06f},
    };
    return plot_write_png(&plot, 960, 608, path);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "slosh", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = tank_create_world(SPACING, GRAVITY);
    Tank tank = tank_create_box(world, HALF);
    tank_fill_layer(&tank, HALF, -1, DEVIATION, SPACING);
    tank_fill_layer(&tank, HALF, 1, -DEVIATION, SPACING);
    Dye dye;
    create_dye(&dye, world);

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 820, 4, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &tank, &dye, 0);
    static Track track;
    size_t outside = 0;
    double farthest = 0.0;

    progress_line("slosh", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        advance(&run, &tank, frame - 1);
        const TankLayers layers = tank_layers(&tank);
        outside += tank_count_outside(&tank);
        track.time[frame] = (float)frame * FRAME_SECONDS;
        track.heavy[frame] = 4.0f * (float)layers.heavy_x;
        track.tank[frame] = AMPLITUDE * sinf(FREQUENCY * track.time[frame]);
        farthest = fmax(farthest, fabs(layers.heavy_x));
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &tank, &dye, frame);
            }
        }
        progress_line("slosh", frame, options.frames);
    }

    int failed = run_print(&run, "slosh");
    const TankLayers last = tank_layers(&tank);
    printf("  frequency        %10.4f    rad/s; in theory the layers slosh at %.4f by themselves\n", (double)FREQUENCY,
           (double)natural_frequency());
    printf("  heavy layer      %10.4f    m to the side at most; its centre of mass is at %.4f m, at first -0.2500\n",
           farthest, last.heavy_z);
    printf("  outside          %10zu    vortons, over all frames\n", outside);
    if (outside > 0 || (!options.is_cut && farthest < 0.02)) {
        printf("FAILED: %s\n", outside > 0 ? "vortons have left the tank" : "the layers do not slosh");
        failed = 1;
    }
    if (!options.is_cut) {
        const Options plot = read_options(argc, argv, "slosh_plot", FRAMES);
        if (picture_write_png(picture, options.picture) != 0 || write_plot(&track, plot.picture) != 0) {
            fail("the pictures could not be written", __FILE__, __LINE__);
        }
    }
    picture_destroy(picture);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
