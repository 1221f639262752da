/*
 * A hot ball warms the fluid around it, and the fluid rises: part 10 of the articles, figures 4 to 6.
 *
 * Warm fluid is light fluid. Where it meets cold fluid, gravity creates vorticity: the pair of
 * counter-rotating vortices that carries the plume. The dye shows the temperature, from blue (cold) to red
 * (warm): a block of it in the upper row, a thin sheet through the middle of the same flow in the lower row.
 */
#include "common/ball.h"
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 72, /* 2.4 s. */
    PANELS = 5,  /* In each row. */
    /* Where density varies, the library creates vortons (the halo): at most this many in all. */
    MAX_VORTONS = 6000
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 15, 42, 57, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.45f;
static const float GRAVITY = 10.0f;    /* Along -z [m/s^2]. */
static const float DENSITY = 1.0f;     /* Of the cold fluid [kg/m^3]. */
static const float COLD = 300.0f;      /* [K] */
static const float HOT = 360.0f;       /* Of the ball [K]: fluid as warm has 0.8 of the density. */
static const float SHOWN_WARM = 308.0f; /* The dye is red from this temperature on [K]. */
static const float SPECIFIC_HEAT = 1000.0f;  /* Of the fluid [J/(kg K)]: air. */
static const float HEAT_TRANSFER = 1000.0f;  /* From the ball [W/(m^2 K)]. */
static const float HEAT_CAPACITY = 2000.0f;  /* Of the ball [J/K]. */
static const float DIFFUSIVITY = 0.005f;     /* [m^2/s] */
static const float RADIUS = 0.2f;
static const VortonVec3 BLOCK_LOW = {-0.5f, -0.5f, -0.4f};
static const VortonVec3 BLOCK_HIGH = {0.5f, 0.5f, 0.6f};
static const float SHEET = 0.02f; /* Thickness of the thin dye. */
static const float SPACING = 0.0625f;
static const float BLOCK_SPACING = 0.027f;
static const float SHEET_SPACING = 0.009f;
static const float NOISE = 1e-4f; /* See ball_through_smoke.c. */

static VortonVec3 middle(VortonVec3 low, VortonVec3 high)
{
    return (VortonVec3){0.5f * (low.x + high.x), 0.5f * (low.y + high.y), 0.5f * (low.z + high.z)};
}

static VortonVec3 edges(VortonVec3 low, VortonVec3 high)
{
    return (VortonVec3){high.x - low.x, high.y - low.y, high.z - low.z};
}

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    def.gravity = (VortonVec3){0.0f, 0.0f, -GRAVITY};
    def.ambient_density = DENSITY;
    def.ambient_temperature = COLD;
    /* Expansion of air at 300 K; linear, so that heat is proportional to the missing mass and can be summed.
       */
    def.equation_of_state = VORTON_LINEAR_EXPANSION;
    def.expansion = 1.0f / COLD;
    def.specific_heat = SPECIFIC_HEAT;
    def.diffusivity = DIFFUSIVITY;
    def.max_vortons = MAX_VORTONS;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));

    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    noise.centre = middle(BLOCK_LOW, BLOCK_HIGH);
    noise.extent = edges(BLOCK_LOW, BLOCK_HIGH);
    noise.amplitude = NOISE;
    noise.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &noise, NULL, NULL));
    return world;
}

static void blue_to_red(float temperature, float rgb[3])
{
    static const float STOPS[3][3] = {{0.12f, 0.20f, 0.80f}, {0.62f, 0.30f, 0.55f}, {0.80f, 0.10f, 0.08f}};
    const float share = fminf(fmaxf((temperature - COLD) / (SHOWN_WARM - COLD), 0.0f), 1.0f);
    const int stop = share < 0.5f ? 0 : 1;
    for (int c = 0; c < 3; ++c) {
        rgb[c] = STOPS[stop][c] + (2.0f * share - (float)stop) * (STOPS[stop + 1][c] - STOPS[stop][c]);
    }
}

static void create_dyes(Dye *block, Dye *sheet, VortonWorldId world)
{
    Smoke smoke = {0};
    smoke_add_box(&smoke, BLOCK_LOW, BLOCK_HIGH, BLOCK_SPACING);
    dye_create_showing(block, world, &smoke, VORTON_SAMPLE_TEMPERATURE, blue_to_red);
    smoke_free(&smoke);
    smoke_add_box(&smoke, (VortonVec3){BLOCK_LOW.x, -0.5f * SHEET, BLOCK_LOW.z},
                  (VortonVec3){BLOCK_HIGH.x, 0.5f * SHEET, BLOCK_HIGH.z}, SHEET_SPACING);
    dye_create_showing(sheet, world, &smoke, VORTON_SAMPLE_TEMPERATURE, blue_to_red);
    smoke_free(&smoke);
}

static void draw(Picture *picture, int column, const Ball *ball, Dye *block, Dye *sheet, unsigned frame)
{
    static const float COLORS[2][3] = {{0.95f, 0.75f, 0.10f}, {0.95f, 0.66f, 0.06f}};
    const PictureCamera camera = {{0.0f, -16.0f, 0.75f}, {0.0f, 0.0f, 0.75f}, {0.0f, 0.0f, 1.0f}, 9.4f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, %.1f K", (double)frame * (double)FRAME_SECONDS,
                   ball->temperature);
    dye_read(block);
    dye_read(sheet);
    ball_draw(ball, picture, column, &camera, COLORS);
    dye_draw(block, picture, column, &camera, 0.0145f, 0.027f, caption);
    ball_draw(ball, picture, column + PANELS, &camera, COLORS);
    dye_draw(sheet, picture, column + PANELS, &camera, 0.0085f, 0.085f, "");
}

/* Heat in the fluid [J] and its mean height [m]. */
typedef struct Warmth {
    double heat;
    double height;
} Warmth;

static Warmth read_warmth(VortonWorldId world)
{
    size_t count = 0;
    CHECK(vorton_vortons_read(world, NULL, 0, &count));
    VortonVorton *vortons = allocate(count, sizeof *vortons);
    CHECK(vorton_vortons_read(world, vortons, count, &count));
    Warmth warmth = {0.0, 0.0};
    double missing = 0.0;
    double moment = 0.0;
    for (size_t i = 0; i < count; ++i) {
        missing -= (double)vortons[i].mass_deviation;
        moment -= (double)vortons[i].mass_deviation * (double)vortons[i].position.z;
    }
    free(vortons);
    /* Density falls by density * expansion per kelvin, so the result is specific heat times density times
       volume times kelvin. */
    warmth.heat = (double)SPECIFIC_HEAT * missing * (double)COLD;
    warmth.height = missing > 0.0 ? moment / missing : 0.0;
    return warmth;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "hot_ball", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    Dye block;
    Dye sheet;
    create_dyes(&block, &sheet, world);
    VortonBodyDef def = vorton_default_body_def();
    def.flags |= VORTON_BODY_NO_THROUGH;
    def.mass = 0.0f; /* Static. */
    def.temperature = HOT;
    def.heat_capacity = HEAT_CAPACITY;
    def.heat_transfer = HEAT_TRANSFER;
    Ball ball = ball_create(world, &def, RADIUS);

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 950, PANELS, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.84f, 0.86f, 0.88f});
    draw(picture, 0, &ball, &block, &sheet, 0);
    progress_line("hot ball", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        ball_frame(&ball, &run, FRAME_SECONDS, MAX_STRETCH, 1);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &ball, &block, &sheet, frame);
            }
        }
        progress_line("hot ball", frame, options.frames);
    }

    int failed = run_print(&run, "hot_ball");
    const Warmth warmth = read_warmth(world);
    const double cooled = (double)HEAT_CAPACITY * ((double)HOT - ball.temperature);
    /* It may be 0 at first. */
    const double error = fabs(warmth.heat + ball.heat) / fmax(fabs(ball.heat), 1e-9);
    printf("  ball's heat      %10.3f    K now, at first %.1f: it has lost %.2f J\n", ball.temperature, (double)HOT,
           cooled);
    printf("  heat handed over %10.2f    J from the ball, %.2f J are in the fluid, off by %.1e\n", 0.0 - ball.heat,
           warmth.heat, error);
    printf("  where it is      %10.3f    m above the ball on average\n", warmth.height);
    printf("  contacts         %10u    vortons at most at a time\n", ball.most_hits);
    if (!(warmth.heat > 0.0 && warmth.height > 0.0)) {
        printf("FAILED: the fluid is not warmed, or does not rise\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    ball_destroy(&ball);
    dye_destroy(&block);
    dye_destroy(&sheet);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
