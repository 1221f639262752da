/*
 * A dyed drop falls in a polyhedron full of fluid: part 14 of the articles, figure 1.
 *
 * The container is a body with a hole that twelve planes enclose, a dodecahedron. At first the drop falls as
 * in unbounded fluid, then it meets the floor, spreads and climbs the slanting walls; the displaced fluid
 * returns down the middle.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"
#include "common/tank.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 150, /* 5 s. */
    PANELS = 6,
    FACES = 12,
    LEAST_STEPS = 2 /* Per frame. */
};

static const unsigned PANEL_FRAMES[PANELS] = {0, 30, 54, 78, 108, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
static const float GRAVITY = 10.0f; /* Along -z [m/s^2]. */
static const float INSIDE = 0.8f;   /* Radius of the sphere that fits into the container [m]. */
static const float DROP = 0.3f;     /* Radius [m]. */
static const VortonVec3 CENTRE = {0.0f, 0.0f, 0.3f};
static const float DEVIATION = 0.2f; /* Deviation of the drop's density [kg/m^3]. */
static const float SPACING = 0.1f;
static const float SMOKE_SPACING = 0.014f;

/* The normals of a dodecahedron's faces point to the corners of an icosahedron. */
static void make_planes(float planes[FACES][4])
{
    const float golden = 1.618034f;
    const float size = sqrtf(1.0f + golden * golden);
    for (int face = 0; face < FACES; ++face) {
        const float a = (face & 1 ? -1.0f : 1.0f) / size;
        const float b = (face & 2 ? -golden : golden) / size;
        const int axis = face / 4;
        planes[face][axis] = 0.0f;
        planes[face][(axis + 1) % 3] = a;
        planes[face][(axis + 2) % 3] = b;
        planes[face][3] = INSIDE;
    }
}

static VortonWorldId create_world(void)
{
    const VortonWorldId world = tank_create_world(SPACING, GRAVITY);
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    drop.centre = CENTRE;
    drop.radius = DROP;
    drop.density_deviation = DEVIATION;
    drop.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &drop, NULL, NULL));
    return world;
}

static void create_dye(Dye *dye, VortonWorldId world)
{
    Smoke box = {0};
    Smoke ball = {0};
    smoke_add_box(&box, (VortonVec3){CENTRE.x - DROP, CENTRE.y - DROP, CENTRE.z - DROP},
                  (VortonVec3){CENTRE.x + DROP, CENTRE.y + DROP, CENTRE.z + DROP}, SMOKE_SPACING);
    ball.points = allocate(box.count, sizeof *ball.points);
    for (size_t i = 0; i < box.count; ++i) {
        const VortonVec3 p = box.points[i];
        const float off[3] = {p.x - CENTRE.x, p.y - CENTRE.y, p.z - CENTRE.z};
        if (off[0] * off[0] + off[1] * off[1] + off[2] * off[2] < DROP * DROP) {
            ball.points[ball.count++] = p;
        }
    }
    dye_create(dye, world, &ball, (const float[3]){0.10f, 0.22f, 0.80f});
    smoke_free(&box);
    smoke_free(&ball);
}

static void draw(Picture *picture, int panel, const Tank *tank, Dye *dye, unsigned frame)
{
    const PictureCamera camera = {{2.2f, -8.0f, 1.0f}, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, 15.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s", (double)frame * (double)FRAME_SECONDS);
    dye_read(dye);
    dye_draw(dye, picture, panel, &camera, 0.014f, 0.035f, caption);
    tank_draw(tank, picture, panel, &camera, (const float[3]){0.35f, 0.38f, 0.42f});
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "container", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    float planes[FACES][4];
    make_planes(planes);
    Tank tank = tank_create(world, (const float(*)[4])planes, FACES);
    tank_fill(&tank, SPACING);
    Dye dye;
    create_dye(&dye, world);

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1500, 950, 3, 2);
    (void)picture_background(picture, (const float[3]){0.95f, 0.955f, 0.96f}, (const float[3]){0.74f, 0.77f, 0.80f});
    draw(picture, 0, &tank, &dye, 0);
    const TankLayers first = tank_layers(&tank);
    size_t outside = 0;

    progress_line("container", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, LEAST_STEPS);
        outside += tank_count_outside(&tank);
        for (int panel = 1; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, &tank, &dye, frame);
            }
        }
        progress_line("container", frame, options.frames);
    }

    int failed = run_print(&run, "container");
    const TankLayers last = tank_layers(&tank);
    printf("  drop             %10.4f    m high, at first %.4f; the floor is at %.4f\n", last.heavy_z, first.heavy_z,
           -(double)INSIDE);
    printf("  its mass         %10.4f    kg more than ambient fluid, at first %.4f\n", last.mass, first.mass);
    printf("  outside          %10zu    vortons, over all frames\n", outside);
    if (outside > 0 || (!options.is_cut && last.heavy_z > first.heavy_z - 0.3)) {
        printf("FAILED: %s\n", outside > 0 ? "vortons have left the container" : "the drop does not fall");
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
