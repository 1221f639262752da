/*
 * A ball floats where heavy fluid lies under light fluid: part 9 of the articles, figure 3.
 *
 * The ball is lighter than the lower layer and heavier than the upper one. It starts in the upper layer,
 * sinks and comes up again, and each time the stirred fluid takes some of its energy, until it rests where it
 * displaces its own weight: at the interface. The layers are unbounded; the dye shows a part of them. The
 * second picture shows the ball's height.
 */
#include "common/ball.h"
#include "common/picture.h"
#include "common/plot.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 180, /* 6 s. */
    PANELS = 9,
    /* Where the ball stirs the layers, the library creates vortons (the halo): at most this many in all. */
    MAX_VORTONS = 5000
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 24, 42, 57, 75, 105, 135, 156, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
static const float GRAVITY = 10.0f;      /* Along -z [m/s^2]. */
static const float DENSITY = 1.0f;       /* Mean density of both layers, and of the ball [kg/m^3]. */
static const float LAYER_JUMP = -0.4f;   /* Upper minus lower [kg/m^3]. */
static const float LAYER_THICKNESS = 0.05f;
static const float RADIUS = 0.2f;
static const float START = 0.5f;
static const float EDGE = 1.0f; /* Edge of the dyed box, which is twice as high. */
/* The region with vortons, around the ball's path. */
static const VortonVec3 BLOCK = {0.8f, 0.8f, 1.5f};
static const float SPACING = 0.0625f;
static const float SMOKE_SPACING = 0.036f;
static const float NOISE = 1e-4f; /* See ball_through_smoke.c. */
static const float PI = 3.14159265f;

/* The ball's path, frame by frame. */
typedef struct Track {
    float time[FRAMES + 1];
    float height[FRAMES + 1];
    float speed[FRAMES + 1];
} Track;

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    def.max_vortons = MAX_VORTONS;
    def.gravity = (VortonVec3){0.0f, 0.0f, -GRAVITY};
    def.ambient_density = DENSITY;
    def.stratification = VORTON_STRATIFICATION_LAYERS;
    def.layer_jump = LAYER_JUMP;
    def.layer_thickness = LAYER_THICKNESS;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    noise.extent = BLOCK;
    noise.amplitude = NOISE;
    noise.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &noise, NULL, NULL));
    return world;
}

/* Red in light fluid, blue in heavy fluid, fixed at the start. */
static void create_dye(Dye *dye, VortonWorldId world)
{
    Smoke box = {0};
    smoke_add_box(&box, (VortonVec3){-0.5f * EDGE, -0.5f * EDGE, -EDGE}, (VortonVec3){0.5f * EDGE, 0.5f * EDGE, EDGE},
                  SMOKE_SPACING);
    dye_create(dye, world, &box, (const float[3]){0.86f, 0.12f, 0.10f});
    for (size_t id = 0; id < box.count; ++id) {
        if (box.points[id].z < 0.0f) {
            dye_set_color(dye, id, (const float[3]){0.10f, 0.20f, 0.86f});
        }
    }
    smoke_free(&box);
}

static void note(Track *track, const Ball *ball, unsigned frame)
{
    track->time[frame] = (float)frame * FRAME_SECONDS;
    track->height[frame] = (float)ball->engine.position[2];
    track->speed[frame] = (float)ball->engine.velocity[2];
}

static void draw(Picture *picture, int panel, const Ball *ball, Dye *dye, unsigned frame)
{
    static const float COLORS[2][3] = {{0.95f, 0.72f, 0.10f}, {0.90f, 0.62f, 0.06f}};
    const PictureCamera camera = {{0.0f, -14.0f, 0.0f}, {0.0f, 0.0f, -0.03f}, {0.0f, 0.0f, 1.0f}, 9.6f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s", (double)frame * (double)FRAME_SECONDS);
    dye_read(dye);
    ball_draw(ball, picture, panel, &camera, COLORS);
    dye_draw(dye, picture, panel, &camera, 0.019f, 0.024f, caption);
}

static int write_plot(const Track *track, const char *path)
{
    const PlotCurve curves[2] = {
        {"height", track->time, track->height, FRAMES + 1, 0, 0, {0.12f, 0.33f, 0.70f}},
        {"speed upwards", track->time, track->speed, FRAMES + 1, 1, 0, {0.80f, 0.30f, 0.10f}},
    };
    const Plot plot = {
        .title = "A ball between a light layer and a heavy one",
        .x = {"time [s]", 0.0f, 6.0f, 1.0f, 0},
        .left = {"height [m]", -0.6f, 0.6f, 0.2f, 1},
        .right = {"speed upwards [m/s]", -0.6f, 0.6f, 0.2f, 1},
        .curves = curves,
        .curve_count = 2,
        .legend = {0.68f, 0.06f},
    };
    return plot_write_png(&plot, 960, 608, path);
}

/* Highest and lowest position after the first crossing of the interface, for the table. */
static void print_turns(const Track *track, unsigned frames)
{
    printf("  turns            ");
    unsigned turns = 0;
    for (unsigned frame = 1; frame < frames && turns < 6; ++frame) {
        const float before = track->speed[frame];
        const float after = track->speed[frame + 1];
        if (before * after < 0.0f) {
            printf("%s%+.2f m at %.1f s", turns > 0 ? ", " : "", (double)track->height[frame],
                   (double)track->time[frame]);
            ++turns;
        }
    }
    printf("%s\n", turns > 0 ? "" : "none");
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "stratified_ball", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    Dye dye;
    create_dye(&dye, world);
    VortonBodyDef def = vorton_default_body_def();
    /* The stand-in engine has no gravity, so the impulses contain the weight; the ball displaces the layers.
       */
    def.flags = VORTON_BODY_WEIGHT | VORTON_BODY_NO_THROUGH;
    def.mass = DENSITY * 4.0f / 3.0f * PI * RADIUS * RADIUS * RADIUS;
    def.position = (VortonVec3){0.0f, 0.0f, START};
    Ball ball = ball_create(world, &def, RADIUS);

    static Track track; /* Too large for some stacks. */
    note(&track, &ball, 0);
    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 400, PANELS, 1);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.84f, 0.86f, 0.88f});
    draw(picture, 0, &ball, &dye, 0);
    progress_line("stratified ball", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        ball_frame(&ball, &run, FRAME_SECONDS, MAX_STRETCH, 1);
        note(&track, &ball, frame);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &ball, &dye, frame);
            }
        }
        progress_line("stratified ball", frame, options.frames);
    }

    int failed = run_print(&run, "stratified_ball");
    float lowest = START;
    for (unsigned frame = 0; frame <= options.frames; ++frame) {
        lowest = fminf(lowest, track.height[frame]);
    }
    printf("  ball's height    %10.4f    m, at first %.2f; lowest %.4f\n", ball.engine.position[2], (double)START,
           (double)lowest);
    printf("  its speed        %10.4f    m/s upwards\n", ball.engine.velocity[2]);
    print_turns(&track, options.frames);
    printf("  off the axis     %10.4f    m\n", hypot(ball.engine.position[0], ball.engine.position[1]));
    printf("  contacts         %10u    vortons at most at a time\n", ball.most_hits);
    /* It oscillates about the interface for long, with decreasing amplitude. */
    if (!options.is_cut && !(lowest < 0.5f * RADIUS && fabs(ball.engine.position[2]) < 0.6 * (double)START)) {
        printf("FAILED: the ball does not float between the layers\n");
        failed = 1;
    }
    if (!options.is_cut) {
        const Options plot = read_options(argc, argv, "stratified_ball_plot", FRAMES);
        if (picture_write_png(picture, options.picture) != 0 || write_plot(&track, plot.picture) != 0) {
            fail("the pictures could not be written", __FILE__, __LINE__);
        }
    }
    picture_destroy(picture);
    ball_destroy(&ball);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
