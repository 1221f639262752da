/*
 * Heavy dye flows down a valley and around a boulder: level geometry of two kinds, terrain as a height field
 * and the boulder as a triangle mesh. Both are impermeable to tracers, so all dye must be above the ground
 * and outside the boulder at the end.
 */
#include "common/drops.h"
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 210,
    PANELS = 4,
    COLUMNS = 61, /* Samples of the terrain. */
    ROWS = 41,
    RINGS = 9, /* Rings of the boulder's vertices, between its two poles. */
    SECTORS = 16,
    VERTICES = RINGS * SECTORS + 2,
    TRIANGLES = 2 * RINGS * SECTORS,
    GROUND_DOTS = 40, /* For each cell. */
    BOULDER_DOTS = 8000
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 60, 120, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float CELL = 0.25f;
static const VortonVec3 CORNER = {-7.0f, -5.0f, 0.0f};
static const VortonVec3 BOULDER = {-0.4f, -0.1f, 0.3f};
static const float BOULDER_RADIUS = 0.85f;
static const float DENSITY_DEVIATION = 0.2f;
static const DropsFluid FLUID = {.spacing = 0.25f, .viscosity = 0.005f};
static const uint32_t TRACERS_PER_CELL = 5;
static const float TRACER_THRESHOLD = 0.45f;

static float heights[ROWS * COLUMNS];
static float vertices[VERTICES][3];
static uint32_t triangles[TRIANGLES][3];

static void blue(float value, float rgb[3])
{
    (void)value;
    rgb[0] = 0.10f;
    rgb[1] = 0.20f;
    rgb[2] = 0.86f;
}

/* A valley that descends along x and winds a little. */
static float valley(float x, float y)
{
    const float side = y - 0.5f * sinf(0.8f * x);
    return -0.45f * x + 0.16f * side * side;
}

static void create_level(VortonWorldId world, const VortonBodyDef *def, const VortonShapeDef *shape)
{
    VortonBodyId body;
    CHECK(vorton_body_create(world, def, &body));
    CHECK(vorton_shape_create(world, body, shape, NULL));
}

static void add_terrain(VortonWorldId world)
{
    for (int row = 0; row < ROWS; ++row) {
        for (int column = 0; column < COLUMNS; ++column) {
            heights[row * COLUMNS + column] = valley(CORNER.x + CELL * (float)column, CORNER.y + CELL * (float)row);
        }
    }
    VortonBodyDef level = vorton_default_body_def();
    level.mass = 0.0f; /* Static. */
    level.position = CORNER;
    VortonShapeDef ground = vorton_default_shape_def(VORTON_SHAPE_HEIGHT_FIELD);
    ground.heights = heights;
    ground.columns = COLUMNS;
    ground.rows = ROWS;
    ground.spacing[0] = ground.spacing[1] = CELL;
    create_level(world, &level, &ground);
}

/* Returns the radius [m] of the boulder in this direction, of unit length. */
static float boulder_reach(VortonVec3 way)
{
    return BOULDER_RADIUS * (1.0f + 0.12f * sinf(4.0f * way.x) * cosf(5.0f * way.y + 1.0f) + 0.08f * sinf(6.0f * way.z));
}

static VortonVec3 direction(double polar, double around)
{
    return (VortonVec3){(float)(sin(polar) * cos(around)), (float)(sin(polar) * sin(around)), (float)cos(polar)};
}

static void add_boulder(VortonWorldId world)
{
    const double pi = 3.14159265358979;
    for (int i = 0; i < VERTICES; ++i) {
        const int ring = i / SECTORS, is_pole = i >= RINGS * SECTORS;
        const double polar = is_pole ? pi * (i - RINGS * SECTORS) : pi * (ring + 1) / (RINGS + 1);
        const VortonVec3 way = direction(polar, is_pole ? 0.0 : 2.0 * pi * (i % SECTORS) / SECTORS);
        const float reach = boulder_reach(way);
        vertices[i][0] = reach * way.x;
        vertices[i][1] = reach * way.y;
        vertices[i][2] = reach * way.z;
    }
    /* Counterclockwise as seen from outside, so that the inside is solid. */
    uint32_t(*next)[3] = triangles;
    for (uint32_t sector = 0; sector < SECTORS; ++sector) {
        const uint32_t beside = (sector + 1) % SECTORS, last = (RINGS - 1) * SECTORS;
        const uint32_t top[3] = {RINGS * SECTORS, sector, beside};
        const uint32_t bottom[3] = {RINGS * SECTORS + 1, last + beside, last + sector};
        memcpy(*next++, top, sizeof top);
        memcpy(*next++, bottom, sizeof bottom);
        for (uint32_t ring = 0; ring + 1 < RINGS; ++ring) {
            const uint32_t above = ring * SECTORS, below = above + SECTORS;
            const uint32_t one[3] = {above + sector, below + sector, below + beside};
            const uint32_t other[3] = {above + sector, below + beside, above + beside};
            memcpy(*next++, one, sizeof one);
            memcpy(*next++, other, sizeof other);
        }
    }
    VortonBodyDef level = vorton_default_body_def();
    level.mass = 0.0f;
    level.position = BOULDER;
    VortonShapeDef boulder = vorton_default_shape_def(VORTON_SHAPE_MESH);
    boulder.points = vertices[0];
    boulder.point_count = VERTICES;
    boulder.triangles = triangles[0];
    boulder.triangle_count = TRIANGLES;
    create_level(world, &level, &boulder);
}

/* Draws the level as dots in the picture. */
typedef struct Dots {
    size_t count;
    float (*positions)[3];
    float (*colors)[3];
} Dots;

static void dot(Dots *dots, float x, float y, float z, float red, float green, float blue)
{
    float *at = dots->positions[dots->count], *color = dots->colors[dots->count];
    at[0] = x;
    at[1] = y;
    at[2] = z;
    color[0] = red;
    color[1] = green;
    color[2] = blue;
    ++dots->count;
}

/* Returns the fractional part of multiples of the golden ratio: even, and without a visible pattern. */
static float spread(size_t n, double step)
{
    const double x = (double)(n + 1) * step;
    return (float)(x - floor(x));
}

static Dots dots_of_level(size_t room)
{
    const size_t ground = (size_t)GROUND_DOTS * (COLUMNS - 1) * (ROWS - 1);
    Dots dots = {0, malloc((room + ground + BOULDER_DOTS) * sizeof *dots.positions),
                 malloc((room + ground + BOULDER_DOTS) * sizeof *dots.colors)};
    if (!dots.positions || !dots.colors) {
        fail("no memory for the picture", __FILE__, __LINE__);
    }
    for (size_t n = 0; n < ground; ++n) {
        const float x = CORNER.x + CELL * (COLUMNS - 1) * spread(n, 0.7548776662466927);
        const float y = CORNER.y + CELL * (ROWS - 1) * spread(n, 0.5698402909980532);
        dot(&dots, x, y, valley(x, y) - 0.08f, 0.88f, 0.83f, 0.74f);
    }
    for (size_t n = 0; n < BOULDER_DOTS; ++n) {
        const double up = 2.0 * (double)spread(n, 0.7548776662466927) - 1.0;
        const VortonVec3 way = direction(acos(up), 6.283185307179586 * (double)spread(n, 0.5698402909980532));
        const float reach = boulder_reach(way) - 0.06f;
        dot(&dots, BOULDER.x + reach * way.x, BOULDER.y + reach * way.y, BOULDER.z + reach * way.z, 0.62f, 0.60f, 0.58f);
    }
    return dots;
}

static void draw(Picture *picture, int panel, Dye *dye, Dots *dots, unsigned frame)
{
    const PictureCamera camera = {{2.0f, -10.0f, 14.0f}, {-0.3f, 0.1f, 0.0f}, {0.0f, 0.0f, 1.0f}, 30.0f};
    const size_t level = dots->count;
    char caption[64];
    dye_read(dye);
    for (size_t i = 0; i < dye->count; ++i) {
        const float *at = dye->positions[i], *color = dye->colors[i];
        dot(dots, at[0], at[1], at[2], color[0], color[1], color[2]);
    }
    const PictureParticles particles = {.count = dots->count,
                                        .positions = dots->positions[0],
                                        .position_stride = sizeof *dots->positions,
                                        .colors = dots->colors[0],
                                        .color_stride = sizeof *dots->colors,
                                        .radius = 0.05f,
                                        .opacity = 0.16f};
    (void)picture_draw_particles(picture, panel, &camera, &particles);
    (void)snprintf(caption, sizeof caption, "%.1f s", (double)frame * (double)FRAME_SECONDS);
    (void)picture_caption(picture, panel, caption);
    dots->count = level;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "hillside", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = drops_create_world(&FLUID);
    add_terrain(world);
    add_boulder(world);
    drops_add(world, &FLUID, (VortonVec3){-3.6f, -0.2f, valley(-3.6f, -0.2f) + 1.25f}, DENSITY_DEVIATION);
    Dye dye;
    dye_create_implied(&dye, world, TRACERS_PER_CELL, TRACER_THRESHOLD, blue);
    Dots dots = dots_of_level(dye.capacity);

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1200, 900, 2, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &dye, &dots, 0);

    progress_line("hillside", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        drops_frame(&run, FRAME_SECONDS);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &dye, &dots, frame);
            }
        }
        progress_line("hillside", frame, options.frames);
    }

    int failed = run_print(&run, "hillside");
    const DropsState last = drops_read(world);
    printf("  down the valley  %10.4f    m\n", last.heavy.centre[0] + 3.6);
    dye_read(&dye);
    VortonSurface *surfaces = malloc((dye.count + 1) * sizeof *surfaces);
    if (!surfaces) {
        fail("no memory", __FILE__, __LINE__);
    }
    CHECK(vorton_world_sample_surfaces(world, NULL, 1.0f, dye.positions[0], sizeof *dye.positions, surfaces, 0, dye.count));
    float nearest = 1.0f;
    for (size_t i = 0; i < dye.count; ++i) {
        nearest = fminf(nearest, surfaces[i].distance);
    }
    printf("  dye and level    %10.6f    m apart at the least, %zu tracers\n", (double)nearest, dye.count);
    if (!(nearest > 0.0f)) {
        printf("FAILED: dye is in the level\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    free(surfaces);
    free(dots.positions);
    free(dots.colors);
    picture_destroy(picture);
    dye_destroy(&dye);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
