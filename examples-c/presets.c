/*
 * Effects by name: each preset in a world of its own, at three moments. The numbers here are for the camera
 * only; an effect itself is
 *
 *     VortonPresetDef fire = vorton_default_preset_def(VORTON_PRESET_CAMPFIRE);
 *     vorton_preset_world_def(&fire, &world_def);
 *     vorton_world_add_preset(world, &fire, &tracers, NULL, NULL);
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOMENTS = 3,
    MAX_TRACERS = 60000,
    FRAMES_PER_SECOND = 60
};

static const float GRAVITY = 9.81f;
static const float MAX_STRETCH = 1.0f;
/* How the snow globe is turned over [s]. */
static const float TURN_SECONDS = 0.6f;
static const float TURN_BACK_SECONDS = 1.2f;

/* How a preset is shown. Lengths are over its scale, times over its time of fall sqrt(scale / g). */
typedef struct Show {
    const char *name;
    uint32_t type;
    float moments[MOMENTS];
    float target[3];   /* What the camera looks at. */
    float distance;    /* Of the camera. */
    float height;      /* Of the camera above its target. */
    float puff;        /* Radius of a puff. */
    float opacity;
    float colors[2][3]; /* By tag; of a bonfire, by temperature. */
    uint32_t vortons;
} Show;

static const Show SHOWS[] = {
    {"smoke_ring", VORTON_PRESET_SMOKE_RING, {2, 8, 14}, {0, 0, 2.2f}, 11, 1.5f, 0.022f, 0.05f,
     {{0.80f, 0.82f, 0.86f}, {0.95f, 0.72f, 0.42f}}, 2000},
    {"campfire", VORTON_PRESET_CAMPFIRE, {5, 11, 30}, {0, 0, 2.8f}, 17, 1, 0.04f, 0.05f, {{0.80f, 0.74f, 0.70f}, {0}}, 2000},
    {"torch", VORTON_PRESET_TORCH, {0.7f, 1.4f, 5}, {0, 0, 0.65f}, 3.4f, 0.3f, 0.009f, 0.05f, {{1.0f, 0.55f, 0.18f}, {0}}, 3000},
    {"explosion", VORTON_PRESET_EXPLOSION, {2, 7, 13}, {0, 0, 3.4f}, 17, 0, 0.028f, 0.06f, {{1.0f, 0.60f, 0.30f}, {0}}, 2500},
    {"dust_puff", VORTON_PRESET_DUST_PUFF, {0.6f, 1.8f, 4}, {0, 0, 0.2f}, 6, 1.6f, 0.016f, 0.05f, {{0.80f, 0.68f, 0.50f}, {0}}, 1500},
    {"ink_drop", VORTON_PRESET_INK_DROP, {3, 8, 14}, {0, 0, -3}, 15, 0, 0.026f, 0.06f, {{0.30f, 0.48f, 0.90f}, {0}}, 2500},
    {"tornado", VORTON_PRESET_TORNADO, {2, 4, 10}, {0, 0, 0.5f}, 3, 0.3f, 0.007f, 0.05f,
     {{0.75f, 0.75f, 0.78f}, {0.72f, 0.60f, 0.44f}}, 2000},
    {"wake", VORTON_PRESET_WAKE, {2, 12, 24}, {0, 0, -1.2f}, 17, 8, 0.025f, 0.05f, {{0.85f, 0.87f, 0.92f}, {0}}, 2000},
    {"bonfire", VORTON_PRESET_BONFIRE, {3, 6, 14}, {0, 0, 2.4f}, 14, 0, 0.035f, 0.07f, {{0}, {0}}, 2000},
    {"snow_globe", VORTON_PRESET_SNOW_GLOBE, {1, 6, 12}, {0, 0, 0}, 5.2f, 0.6f, 0.013f, 0.05f, {{0.95f, 0.96f, 1.0f}, {0}}, 2000},
};

enum {
    SHOW_COUNT = sizeof SHOWS / sizeof SHOWS[0]
};

/* A preset in a world that is made for it. */
typedef struct Stage {
    VortonWorldId world;
    VortonTracersId tracers;
    VortonBodyId body;
    float scale;
    float time_of_fall; /* sqrt(scale / g) [s] */
    float seconds;
} Stage;

static Stage stage_create(const Show *show)
{
    VortonPresetDef preset = vorton_default_preset_def(show->type);
    preset.vortons = show->vortons;
    preset.tracers = MAX_TRACERS;
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    CHECK(vorton_preset_world_def(&preset, &def));

    Stage stage = {.scale = preset.scale, .time_of_fall = sqrtf(preset.scale / GRAVITY)};
    CHECK(vorton_world_create(&def, &stage.world));
    if (show->type == VORTON_PRESET_DUST_PUFF || show->type == VORTON_PRESET_TORNADO) {
        add_floor(stage.world);
    }
    CHECK(vorton_world_add_preset(stage.world, &preset, &stage.tracers, NULL, &stage.body));
    return stage;
}

/* Turned over within a second and back again two seconds later, about its y axis. */
static void turn_over(Stage *stage, float dt)
{
    const float pi = 3.14159265f;
    const float now = stage->seconds + dt;
    const float up = fminf(now, TURN_SECONDS) / TURN_SECONDS;
    const float down = fminf(fmaxf(now - TURN_BACK_SECONDS, 0.0f), TURN_SECONDS) / TURN_SECONDS;
    const int turns = (up < 1.0f) - (down > 0.0f && down < 1.0f);
    const float half = 0.5f * pi * (up - down);
    VortonBodyState state = {.rotation = {0.0f, sinf(half), 0.0f, cosf(half)}};
    state.angular_velocity.y = (float)turns * pi / TURN_SECONDS;
    CHECK(vorton_body_set_state(stage->world, stage->body, &state));
}

static void draw(Picture *picture, int panel, const Show *show, const Stage *stage, float (*positions)[3],
                 float (*colors)[3], uint32_t *tags, float *temperatures)
{
    size_t count = 0;
    CHECK(vorton_tracers_read(stage->world, stage->tracers, &positions[0][0], sizeof positions[0], NULL, tags, NULL, temperatures,
                              MAX_TRACERS, &count));
    for (size_t i = 0; i < count; ++i) {
        if (show->type == VORTON_PRESET_BONFIRE) {
            flame_color(temperatures[i], colors[i]);
        } else {
            memcpy(colors[i], show->colors[tags[i] % 2], sizeof colors[i]);
        }
    }
    const float scale = stage->scale;
    PictureCamera camera = {.up = {0.0f, 0.0f, 1.0f}, .vertical_fov_degrees = 30.0f};
    for (int c = 0; c < 3; ++c) {
        camera.target[c] = scale * show->target[c];
    }
    camera.eye[0] = camera.target[0];
    camera.eye[1] = camera.target[1] - scale * show->distance;
    camera.eye[2] = camera.target[2] + scale * show->height;
    const PictureParticles particles = {.count = count,
                                        .positions = &positions[0][0],
                                        .position_stride = sizeof positions[0],
                                        .colors = &colors[0][0],
                                        .color_stride = sizeof colors[0],
                                        .radius = show->puff * scale,
                                        .opacity = show->opacity};
    (void)picture_draw_particles(picture, panel, &camera, &particles);
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.2f s", (double)stage->seconds);
    (void)picture_caption(picture, panel, caption);
}

static void print_line(const Show *show, const Stage *stage, double ms, unsigned steps)
{
    VortonStats stats = vorton_default_stats();
    CHECK(vorton_world_stats(stage->world, &stats));
    printf("  %-12s %7llu vortons %8llu tracers %6.2f ms a step\n", show->name, (unsigned long long)stats.vortons,
           (unsigned long long)stats.tracers, ms / (steps > 0 ? steps : 1));
    if (stats.vortons == 0 || stats.tracers == 0) {
        fail("an effect has gone", __FILE__, __LINE__);
    }
}

/* FOLDER/presets_NAME.png */
static void write_picture(const Picture *picture, const Options *options, const Show *show)
{
    char path[sizeof options->picture + 32];
    const int stem = (int)(strlen(options->picture) - strlen(".png"));
    (void)snprintf(path, sizeof path, "%.*s_%s.png", stem, options->picture, show->name);
    if (picture_write_png(picture, path) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "presets", SHOW_COUNT);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    float(*positions)[3] = allocate(MAX_TRACERS, sizeof *positions);
    float(*colors)[3] = allocate(MAX_TRACERS, sizeof *colors);
    uint32_t *tags = allocate(MAX_TRACERS, sizeof *tags);
    float *temperatures = allocate(MAX_TRACERS, sizeof *temperatures);
    const float dt = 1.0f / FRAMES_PER_SECOND;
    progress_line("presets", 0, options.frames);
    for (unsigned n = 0; n < options.frames; ++n) {
        const Show *show = &SHOWS[n];
        Stage stage = stage_create(show);
        Run run;
        run_begin(&run, stage.world);
        Picture *picture = picture_create(MOMENTS * 420, 300, MOMENTS, 1);
        for (int moment = 0; moment < MOMENTS; ++moment) {
            while (stage.seconds < show->moments[moment] * stage.time_of_fall) {
                if (show->type == VORTON_PRESET_SNOW_GLOBE) {
                    turn_over(&stage, dt);
                }
                run_frame(&run, dt, MAX_STRETCH, 1);
                stage.seconds += dt;
            }
            draw(picture, moment, show, &stage, positions, colors, tags, temperatures);
        }
        print_line(show, &stage, 1e3 * run.step_seconds, run.steps);
        if (!options.is_cut) {
            write_picture(picture, &options, show);
        }
        picture_destroy(picture);
        CHECK(vorton_world_destroy(stage.world));
        progress_line("presets", n + 1, options.frames);
    }
    free(positions);
    free(colors);
    free(tags);
    free(temperatures);
    return EXIT_SUCCESS;
}
