/*
 * A ball flies through a block of smoke: part 4 of the articles, figures 4 and 5.
 *
 * The fluid is at rest and would stay so: the vortons in the smoke carry almost no vorticity. Where they
 * touch the ball, no-slip gives them vorticity; that makes the wake, and the momentum of the wake is the
 * momentum that the ball loses. The second picture shows position and speed of the ball, beside the values of
 * the article.
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
    FRAMES = 252, /* 8.4 s, as in figure 5. */
    PANELS = 8
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 12, 27, 45, 72, 114, 174, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.45f;
static const double DENSITY = 1.0; /* Density of the fluid [kg/m^3]. */
/* Viscosity of the articles [m^2/s]: with the ball's speed and diameter a Reynolds number of 80, at which a
   wake is straight. The library creates vortons where viscosity spreads vorticity. */
static const float VISCOSITY = 0.01f;
static const float RADIUS = 0.2f;
static const float MASS = 0.2f; /* Six times the mass of the displaced fluid. */
static const float START = -2.0f;
static const float SPEED = 2.0f;
/* Spacing of vortons. They are kept a core radius (1.5 spacings) off the ball, so its effective radius in the
 * fluid is larger by a core radius. */
static const float SPACING = 0.0556f;
static const float SMOKE_SPACING = 0.0215f;
static const VortonVec3 BLOCK = {4.0f, 0.5f, 0.5f};
/* Full width of the noise's vorticity [1/s]: nearly empty vortons, which receive vorticity from the ball. */
static const float NOISE = 1e-4f;
/* Read off figure 5. */
static const float ARTICLE_SPEED[][2] = {{0.25f, 2.0f}, {1.0f, 1.0f}, {2.0f, 0.75f},
                                         {3.5f, 0.45f}, {4.5f, 0.33f}, {8.4f, 0.33f}};
static const float ARTICLE_POSITION[][2] = {{0.0f, -2.0f}, {1.6f, 0.0f}, {4.0f, 1.6f}, {8.4f, 3.0f}};

/* The ball's path, frame by frame. */
typedef struct Track {
    float time[FRAMES + 1];
    float position[FRAMES + 1];
    float speed[FRAMES + 1];
} Track;

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    def.ambient_density = (float)DENSITY;
    def.viscosity = VISCOSITY;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    noise.extent = BLOCK;
    noise.amplitude = NOISE;
    noise.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &noise, NULL, NULL));
    return world;
}

static void note(Track *track, const Ball *ball, unsigned frame)
{
    track->time[frame] = (float)frame * FRAME_SECONDS;
    track->position[frame] = (float)ball->engine.position[0];
    track->speed[frame] = (float)ball->engine.velocity[0];
}

static void draw(Picture *picture, int panel, const Ball *ball, Dye *smoke, unsigned frame)
{
    static const float COLORS[2][3] = {{0.90f, 0.52f, 0.16f}, {0.95f, 0.80f, 0.55f}};
    const PictureCamera camera = {{0.55f, -12.0f, 2.2f}, {0.55f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 9.1f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, %.2f m/s", (double)frame * (double)FRAME_SECONDS,
                   ball->engine.velocity[0]);
    dye_read(smoke);
    ball_draw(ball, picture, panel, &camera, COLORS);
    dye_draw(smoke, picture, panel, &camera, 0.0095f, 0.011f, caption);
}

static int write_plot(const Track *track, const char *path)
{
    enum { POSITIONS = sizeof ARTICLE_POSITION / sizeof *ARTICLE_POSITION,
           SPEEDS = sizeof ARTICLE_SPEED / sizeof *ARTICLE_SPEED };
    float position[2][POSITIONS];
    float speed[2][SPEEDS];
    for (int i = 0; i < POSITIONS; ++i) {
        position[0][i] = ARTICLE_POSITION[i][0];
        position[1][i] = ARTICLE_POSITION[i][1];
    }
    for (int i = 0; i < SPEEDS; ++i) {
        speed[0][i] = ARTICLE_SPEED[i][0];
        speed[1][i] = ARTICLE_SPEED[i][1];
    }
    const float blue[3] = {0.12f, 0.33f, 0.70f};
    const float red[3] = {0.80f, 0.30f, 0.10f};
    const PlotCurve curves[4] = {
        {"position", track->time, track->position, FRAMES + 1, 0, 0, {blue[0], blue[1], blue[2]}},
        {"position in part 4", position[0], position[1], POSITIONS, 0, 1, {blue[0], blue[1], blue[2]}},
        {"speed", track->time, track->speed, FRAMES + 1, 1, 0, {red[0], red[1], red[2]}},
        {"speed in part 4", speed[0], speed[1], SPEEDS, 1, 1, {red[0], red[1], red[2]}},
    };
    const Plot plot = {
        .title = "A ball slows down in smoke",
        .x = {"time [s]", 0.0f, 9.0f, 1.0f, 0},
        .left = {"position [m]", -2.0f, 4.0f, 1.0f, 0},
        .right = {"speed [m/s]", 0.0f, 2.4f, 0.4f, 1},
        .curves = curves,
        .curve_count = 4,
        .legend = {0.36f, 0.06f},
    };
    return plot_write_png(&plot, 960, 608, path);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "ball_through_smoke", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    Smoke block = {0};
    smoke_add_box(&block, (VortonVec3){-0.5f * BLOCK.x, -0.5f * BLOCK.y, -0.5f * BLOCK.z},
                  (VortonVec3){0.5f * BLOCK.x, 0.5f * BLOCK.y, 0.5f * BLOCK.z}, SMOKE_SPACING);
    Dye smoke;
    dye_create(&smoke, world, &block, (const float[3]){0.72f, 0.80f, 0.92f});
    smoke_free(&block);
    VortonBodyDef def = vorton_default_body_def();
    def.flags |= VORTON_BODY_NO_THROUGH; /* The ball displaces the fluid. */
    def.mass = MASS;
    def.position = (VortonVec3){START, 0.0f, 0.0f};
    def.velocity = (VortonVec3){SPEED, 0.0f, 0.0f};
    Ball ball = ball_create(world, &def, RADIUS);

    static Track track; /* Too large for some stacks. */
    note(&track, &ball, 0);
    const Momentum first = ball_momentum(&ball, DENSITY);
    const double first_energy = rigid_body_energy(&ball.engine);
    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 950, 2, 4);
    draw(picture, 0, &ball, &smoke, 0);
    progress_line("ball through smoke", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        ball_frame(&ball, &run, FRAME_SECONDS, MAX_STRETCH, 1);
        note(&track, &ball, frame);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &ball, &smoke, frame);
            }
        }
        progress_line("ball through smoke", frame, options.frames);
    }

    int failed = run_print(&run, "ball_through_smoke");
    const Momentum last = ball_momentum(&ball, DENSITY);
    const double together = last.ball[0] + last.fluid[0];
    /* The displaced flow has half of the momentum of the displaced fluid, from the first step on. */
    const double around = 0.5 * DENSITY * 4.18879 * pow(RADIUS, 3) * SPEED;
    const double drift = together / (first.ball[0] + first.fluid[0] + around) - 1.0;
    printf("  ball's speed     %10.4f    m/s, at first %.4f\n", ball.engine.velocity[0], (double)SPEED);
    printf("  ball's way       %10.4f    m, and %.4f m to the side\n", ball.engine.position[0] - (double)START,
           hypot(ball.engine.position[1], ball.engine.position[2]));
    printf("  its momentum     %10.4f    kg m/s, at first %.4f\n", last.ball[0], first.ball[0]);
    printf("  the fluid's      %10.4f    kg m/s, together %.4f: drift %+.2f %%\n", last.fluid[0], together, 100.0 * drift);
    printf("  ball's energy    %10.4f    J, at first %.4f; %.4f J were lost in contacts\n",
           rigid_body_energy(&ball.engine), first_energy, ball.lost_energy);
    printf("  contacts         %10u    vortons at most at a time\n", ball.most_hits);
    if (!(ball.engine.velocity[0] > 0.0 && ball.engine.velocity[0] < (double)SPEED)) {
        printf("FAILED: the ball does not slow down\n");
        failed = 1;
    }
    if (!options.is_cut) {
        const Options plot = read_options(argc, argv, "ball_through_smoke_plot", FRAMES);
        if (picture_write_png(picture, options.picture) != 0 || write_plot(&track, plot.picture) != 0) {
            fail("the pictures could not be written", __FILE__, __LINE__);
        }
    }
    picture_destroy(picture);
    ball_destroy(&ball);
    dye_destroy(&smoke);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
