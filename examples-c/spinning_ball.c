/*
 * A spinning ball winds up smoke: part 4 of the articles, figures 2 and 3.
 *
 * No-slip creates a thin layer of vorticity at the ball's surface, and that layer moves all the fluid around.
 * Even inside the ball, the flow rotates as the ball does. The smoke is a slice through the middle, seen from
 * above, in two shades by its start position; the table shows the speed of rotation of the fluid, at the wall
 * and farther out.
 */
#include "common/ball.h"
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 30, /* 1 s: a turn of the ball. */
    PANELS = 6,
    RINGS = 6,       /* Distances at which the table shows the speed. */
    RING_POINTS = 64
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 6, 12, 18, 24, FRAMES};
static const float RING_RADII[RINGS] = {1.0f, 1.1f, 1.25f, 1.5f, 2.0f, 3.0f}; /* In radii of the ball. */
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
static const float RADIUS = 0.2f;
static const float MASS = 100.0f; /* Heavy enough that the fluid hardly brakes it. */
static const float SPIN = 6.25f;  /* From the impulsive torque of part 4 [rad/s]. */
static const float EDGE = 1.0f;   /* Edge of the block of vortons and smoke. */
static const float SPACING = 0.05f;
static const float SMOKE_SPACING = 0.016f;
static const float SMOKE_HEIGHT = 0.16f;
static const float NOISE = 1e-4f; /* See ball_through_smoke.c. */
static const float PI = 3.14159265f;

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    noise.extent = (VortonVec3){EDGE, EDGE, EDGE};
    noise.amplitude = NOISE;
    noise.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &noise, NULL, NULL));
    return world;
}

static void create_smoke(Dye *dye, VortonWorldId world)
{
    Smoke slice = {0};
    smoke_add_box(&slice, (VortonVec3){-0.5f * EDGE, -0.5f * EDGE, -0.5f * SMOKE_HEIGHT},
                  (VortonVec3){0.5f * EDGE, 0.5f * EDGE, 0.5f * SMOKE_HEIGHT}, SMOKE_SPACING);
    dye_create(dye, world, &slice, (const float[3]){0.40f, 0.55f, 0.80f});
    for (size_t id = 0; id < slice.count; ++id) {
        if (slice.points[id].x * slice.points[id].y > 0.0f) {
            dye_set_color(dye, id, (const float[3]){0.92f, 0.93f, 0.95f});
        }
    }
    smoke_free(&slice);
}

static void draw(Picture *picture, int panel, const Ball *ball, Dye *smoke, unsigned frame)
{
    static const float COLORS[2][3] = {{0.90f, 0.52f, 0.16f}, {0.95f, 0.80f, 0.55f}};
    const PictureCamera camera = {{0.0f, 0.0f, 7.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, 14.0f};
    char caption[64];
    const double seconds = (double)frame * (double)FRAME_SECONDS;
    (void)snprintf(caption, sizeof caption, "%.1f s, %.1f turns", seconds,
                   seconds * (double)SPIN / (2.0 * (double)PI));
    dye_read(smoke);
    ball_draw(ball, picture, panel, &camera, COLORS);
    dye_draw(smoke, picture, panel, &camera, 0.0095f, 0.05f, caption);
}

/* Mean speed around the axis [m/s] on a circle around the ball's equator. */
static double speed_around(VortonWorldId world, float radius)
{
    float points[RING_POINTS][3];
    float velocities[RING_POINTS][3];
    for (int i = 0; i < RING_POINTS; ++i) {
        const float angle = 2.0f * PI * (float)i / (float)RING_POINTS;
        points[i][0] = radius * cosf(angle);
        points[i][1] = radius * sinf(angle);
        points[i][2] = 0.0f;
    }
    CHECK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, &points[0][0], sizeof points[0], &velocities[0][0],
                        sizeof velocities[0], RING_POINTS));
    double sum = 0.0;
    for (int i = 0; i < RING_POINTS; ++i) {
        sum += (double)((points[i][0] * velocities[i][1] - points[i][1] * velocities[i][0]) / radius);
    }
    return sum / RING_POINTS;
}

/* Prints the speeds, and returns the speed next to the ball. */
static double print_speeds(VortonWorldId world, double spin)
{
    double beside = 0.0;
    printf("  speed around the axis, mean over a circle around the equator\n");
    for (int i = 0; i < RINGS; ++i) {
        const double radius = (double)(RING_RADII[i] * RADIUS);
        const double speed = speed_around(world, (float)radius);
        printf("    %4.2f radii     %10.4f    m/s%s\n", (double)RING_RADII[i], speed,
               speed * spin < 0.0 ? ", against the ball's spin" : "");
        beside = i == 0 ? speed : beside;
    }
    return beside;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "spinning_ball", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    Dye smoke;
    create_smoke(&smoke, world);
    VortonBodyDef def = vorton_default_body_def();
    def.mass = MASS;
    def.angular_velocity = (VortonVec3){0.0f, 0.0f, SPIN};
    Ball ball = ball_create(world, &def, RADIUS);

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 950, 3, 2);
    draw(picture, 0, &ball, &smoke, 0);
    progress_line("spinning ball", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        ball_frame(&ball, &run, FRAME_SECONDS, MAX_STRETCH, 1);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &ball, &smoke, frame);
            }
        }
        progress_line("spinning ball", frame, options.frames);
    }

    int failed = run_print(&run, "spinning_ball");
    const double spin = (double)rigid_body_state(&ball.engine).angular_velocity.z;
    const double surface = (double)(SPIN * RADIUS);
    printf("  ball's spin      %10.4f    rad/s, at first %.4f; its equator moves at %.4f m/s\n", spin, (double)SPIN,
           surface);
    const double beside = print_speeds(world, spin);
    printf("  contacts         %10u    vortons at most at a time\n", ball.most_hits);
    /* Vortons are kept a core radius (1.5 spacings) off the ball; up to this distance, fluid may rotate as if
       part of it. */
    const double most = (double)(SPIN * (RADIUS + 1.5f * SPACING));
    if (!(beside > 0.1 * surface && beside < most)) {
        printf("FAILED: the ball does not take the fluid along\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    ball_destroy(&ball);
    dye_destroy(&smoke);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
