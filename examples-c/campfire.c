/*
 * A campfire and a vent: emitters release warm air, and tracers with it. The fire is a box of air of 420 K
 * that rises as a plume; the vent beside it is the nozzle of a jet, which blows its smoke into the plume.
 * Eddies below the core radius make the smoke billow; they do not act on the fluid. Both may run without end:
 * max_age removes old vortons, so their number settles.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 150, /* 5 s. */
    PANELS = 4,
    MAX_VORTONS = 12000,
    MAX_TRACERS = 300000,
    FIRE = 0, /* Tags of tracers. */
    VENT = 1
};

static const unsigned PANEL_FRAMES[PANELS] = {24, 54, 96, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.6f;
static const float GRAVITY = 9.8f;  /* Along -z [m/s^2]. */
static const float COLD = 290.0f;   /* [K] */
static const float HOT = 420.0f;    /* [K] */
static const float SPACING = 0.06f; /* Distance of vortons in the fire [m]. */
static const float MAX_AGE = 3.5f;  /* [s] */

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    def.gravity = (VortonVec3){0.0f, 0.0f, -GRAVITY};
    def.ambient_temperature = COLD;
    def.max_age = MAX_AGE;
    def.max_vortons = MAX_VORTONS;
    def.smagorinsky = 0.1f; /* Damps the eddies below the resolution into which plumes break up. */
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    return world;
}

static VortonTracersId create_tracers(VortonWorldId world)
{
    VortonTracersDef def = vorton_default_tracers_def();
    def.capacity = MAX_TRACERS;
    def.max_age = MAX_AGE;
    def.show = VORTON_SAMPLE_TEMPERATURE;
    def.turbulence = 1.0f; /* Eddies smaller than the core radius. */
    VortonTracersId tracers;
    CHECK(vorton_tracers_create(world, &def, &tracers));
    return tracers;
}

static void light_fire(VortonWorldId world, VortonTracersId smoke)
{
    VortonEmitterDef fire = vorton_default_emitter_def();
    fire.position = (VortonVec3){-0.5f, 0.0f, 0.0f};
    fire.extent = (VortonVec3){0.4f, 0.4f, 0.1f};
    fire.rate = 400.0f;
    fire.volume = SPACING * SPACING * SPACING;
    fire.temperature = HOT;
    fire.tracers = smoke;
    fire.tracer_rate = 45000.0f;
    fire.tracer_tag = FIRE;
    VortonEmitterId id;
    CHECK(vorton_emitter_create(world, &fire, &id));
}

static void open_vent(VortonWorldId world, VortonTracersId smoke)
{
    VortonEmitterDef vent = vorton_default_emitter_def();
    vent.position = (VortonVec3){1.1f, 0.0f, 0.3f};
    vent.rotation = (VortonQuat){0.0f, -0.5f, 0.0f, 0.8660254f}; /* z to the left, 60 degrees from upright. */
    vent.rate = 0.0f; /* No warm vortons: the jet has the temperature of the air. */
    vent.nozzle_radius = 0.14f;
    vent.nozzle_speed = 1.6f;
    vent.tracers = smoke;
    vent.tracer_rate = 20000.0f;
    vent.tracer_tag = VENT;
    VortonEmitterId id;
    CHECK(vorton_emitter_create(world, &vent, &id));
}

/* The drawn data: positions and colours of all tracers. */
typedef struct Shown {
    size_t count;
    float (*positions)[3];
    float (*colors)[3];
    uint32_t *tags;
    float *temperatures;
} Shown;

static void color_of(uint32_t tag, float temperature, float rgb[3])
{
    static const float SMOKE[2][3] = {{0.62f, 0.60f, 0.60f}, {0.30f, 0.52f, 0.80f}};
    static const float GLOW[3] = {1.0f, 0.42f, 0.06f};
    const float hot = fminf(fmaxf((temperature - COLD) / (0.5f * (HOT - COLD)), 0.0f), 1.0f);
    for (int c = 0; c < 3; ++c) {
        rgb[c] = SMOKE[tag][c] + hot * (GLOW[c] - SMOKE[tag][c]);
    }
}

static void draw(Picture *picture, int panel, VortonWorldId world, VortonTracersId tracers, Shown *shown, unsigned frame)
{
    const PictureCamera camera = {{-0.05f, -11.0f, 1.6f}, {-0.05f, 0.0f, 1.6f}, {0.0f, 0.0f, 1.0f}, 21.0f};
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s", (double)((float)frame * FRAME_SECONDS));
    CHECK(vorton_tracers_read(world, tracers, &shown->positions[0][0], sizeof shown->positions[0], NULL, shown->tags,
                              NULL, shown->temperatures, MAX_TRACERS, &shown->count));
    for (size_t i = 0; i < shown->count; ++i) {
        color_of(shown->tags[i], shown->temperatures[i], shown->colors[i]);
    }
    const PictureParticles particles = {.count = shown->count,
                                        .positions = &shown->positions[0][0],
                                        .position_stride = sizeof shown->positions[0],
                                        .colors = &shown->colors[0][0],
                                        .color_stride = sizeof shown->colors[0],
                                        .radius = 0.012f,
                                        .opacity = 0.03f};
    (void)picture_draw_particles(picture, panel, &camera, &particles);
    (void)picture_caption(picture, panel, caption);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "campfire", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    const VortonTracersId smoke = create_tracers(world);
    light_fire(world, smoke);
    open_vent(world, smoke);
    Shown shown = {.positions = allocate(MAX_TRACERS, sizeof *shown.positions),
                   .colors = allocate(MAX_TRACERS, sizeof *shown.colors),
                   .tags = allocate(MAX_TRACERS, sizeof *shown.tags),
                   .temperatures = allocate(MAX_TRACERS, sizeof *shown.temperatures)};

    Run run;
    run_begin(&run, world);
    Picture *picture = picture_create(1600, 620, PANELS, 1);
    (void)picture_background(picture, (const float[3]){0.13f, 0.15f, 0.20f}, (const float[3]){0.05f, 0.06f, 0.09f});
    progress_line("campfire", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, 1);
        for (int panel = 0; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, world, smoke, &shown, frame);
            }
        }
        progress_line("campfire", frame, options.frames);
    }

    int failed = run_print(&run, "campfire");
    VortonStats stats = vorton_default_stats();
    CHECK(vorton_world_stats(world, &stats));
    printf("  not added        %10llu    vortons that there was no room for\n", (unsigned long long)stats.not_added);
    const VortonInvariants sums = run_invariants(&run);
    if (!(sums.linear_impulse[2] > 0.0 && stats.tracers > 0)) {
        printf("FAILED: nothing rises\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    free(shown.positions);
    free(shown.colors);
    free(shown.tags);
    free(shown.temperatures);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
