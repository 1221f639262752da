/*
 * A fire: fuel vapour of 700 K rises from a square, burns while it rises, expands, and leaves smoke. Tracers
 * carry the temperature, which is drawn as glowing gas. The heat that was released is compared with the fuel
 * that was emitted: some is still in the vortons, and some was carried away by vortons that had become too
 * cold to burn before they were removed.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FRAMES = 120, /* 4 s. */
    PANELS = 4,
    MAX_VORTONS = 8000,
    MAX_TRACERS = 200000
};

static const unsigned PANEL_FRAMES[PANELS] = {9, 24, 60, FRAMES};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.6f;
static const float GRAVITY = 9.8f;       /* Along -z [m/s^2]. */
static const float COLD = 290.0f;        /* [K] */
static const float VAPOUR = 700.0f;      /* [K] */
static const float IGNITION = 600.0f;    /* [K] */
static const float RATE = 400.0f;        /* Vortons per second. */
static const float VOLUME = 1e-4f;       /* Of a vorton [m^3]; it grows by its heat. */
static const float FUEL = 1.0e6f;        /* [J/m^3]: 40 kW in all. */
static const float CORE_RADIUS = 0.1f;   /* [m] */
static const float MAX_AGE = 2.5f;       /* [s] */
static const float TRACER_RATE = 50000.0f;

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = CORE_RADIUS;
    def.gravity = (VortonVec3){0.0f, 0.0f, -GRAVITY};
    def.ambient_density = 1.2f;
    def.ambient_temperature = COLD;
    def.specific_heat = 1005.0f;
    def.ignition_temperature = IGNITION;
    def.burn_time = 0.25f;
    def.diffusivity = 0.002f; /* Carries heat from one vorton to the next: fire spreads by it. */
    def.smagorinsky = 0.1f;
    def.max_age = MAX_AGE;
    def.max_vortons = MAX_VORTONS;
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

static void light_fire(VortonWorldId world, VortonTracersId gas)
{
    VortonEmitterDef fire = vorton_default_emitter_def();
    fire.extent = (VortonVec3){0.4f, 0.4f, 0.05f};
    fire.rate = RATE;
    fire.volume = VOLUME;
    fire.temperature = VAPOUR;
    fire.fuel = FUEL;
    fire.strength_spread = (VortonVec3){0.002f, 0.002f, 0.002f};
    fire.tracers = gas;
    fire.tracer_rate = TRACER_RATE;
    VortonEmitterId id;
    CHECK(vorton_emitter_create(world, &fire, &id));
}

/* The drawn data: positions and colours of all tracers. */
typedef struct Shown {
    size_t count;
    float (*positions)[3];
    float (*colors)[3];
    float *temperatures;
} Shown;

static float draw(Picture *picture, int panel, VortonWorldId world, VortonTracersId gas, Shown *shown, unsigned frame)
{
    const PictureCamera camera = {{0.0f, -9.0f, 1.3f}, {0.0f, 0.0f, 1.3f}, {0.0f, 0.0f, 1.0f}, 21.0f};
    char caption[64];
    float hottest = 0.0f;
    (void)snprintf(caption, sizeof caption, "%.1f s", (double)((float)frame * FRAME_SECONDS));
    CHECK(vorton_tracers_read(world, gas, &shown->positions[0][0], sizeof shown->positions[0], NULL, NULL, NULL,
                              shown->temperatures, MAX_TRACERS, &shown->count));
    for (size_t i = 0; i < shown->count; ++i) {
        flame_color(shown->temperatures[i], shown->colors[i]);
        hottest = fmaxf(hottest, shown->temperatures[i]);
    }
    const PictureParticles particles = {.count = shown->count,
                                        .positions = &shown->positions[0][0],
                                        .position_stride = sizeof shown->positions[0],
                                        .colors = &shown->colors[0][0],
                                        .color_stride = sizeof shown->colors[0],
                                        .radius = 0.014f,
                                        .opacity = 0.07f};
    (void)picture_draw_particles(picture, panel, &camera, &particles);
    (void)picture_caption(picture, panel, caption);
    return hottest;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "fire", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    const VortonTracersId gas = create_tracers(world);
    light_fire(world, gas);
    Shown shown = {.positions = allocate(MAX_TRACERS, sizeof *shown.positions),
                   .colors = allocate(MAX_TRACERS, sizeof *shown.colors),
                   .temperatures = allocate(MAX_TRACERS, sizeof *shown.temperatures)};

    Run run;
    float hottest = 0.0f;
    run_begin(&run, world);
    Picture *picture = picture_create(1600, 620, PANELS, 1);
    (void)picture_background(picture, (const float[3]){0.05f, 0.05f, 0.07f}, (const float[3]){0.01f, 0.01f, 0.02f});
    progress_line("fire", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, 1);
        for (int panel = 0; panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                hottest = fmaxf(hottest, draw(picture, panel, world, gas, &shown, frame));
            }
        }
        progress_line("fire", frame, options.frames);
    }

    int failed = run_print(&run, "fire");
    VortonStats stats = vorton_default_stats();
    CHECK(vorton_world_stats(world, &stats));
    const double seconds = (double)options.frames * (double)FRAME_SECONDS;
    const double emitted = (double)RATE * seconds * (double)VOLUME * (double)FUEL;
    printf("  fuel emitted     %10.1f kJ  of which %.1f burned, %.1f are left and %.1f left unburnt\n", emitted / 1000.0,
           stats.heat_released / 1000.0, stats.fuel / 1000.0, (emitted - stats.heat_released - stats.fuel) / 1000.0);
    printf("  hottest smoke    %10.0f K   in the pictures\n", (double)hottest);
    if (stats.heat_released + stats.fuel > 1.01 * emitted ||
        (!options.is_cut && stats.heat_released < 0.75 * emitted)) {
        printf("FAILED: the heat does not balance\n");
        failed = 1;
    }
    if (!options.is_cut && !(hottest > IGNITION)) {
        printf("FAILED: nothing glows\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    free(shown.positions);
    free(shown.colors);
    free(shown.temperatures);
    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
