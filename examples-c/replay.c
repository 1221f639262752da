/*
 * A ring hits a ball and a fire burns beside it, while all calls are recorded: a bug report. The recording is
 * replayed in a world with other threads, with the same bits after each step; then in a world in which the
 * wind is changed after half of the steps, and the replay names that step.
 */
#include "common/progress.h"
#include "common/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 120 /* 2 s. */
};

static const float FRAME_SECONDS = 1.0f / 60.0f;

/* Bytes in memory; a file serves as well. */
typedef struct Recording {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
} Recording;

static void append(void *user, const void *bytes, size_t size)
{
    Recording *recording = user;
    if (recording->size + size > recording->capacity) {
        recording->capacity = 2 * (recording->size + size);
        recording->bytes = realloc(recording->bytes, recording->capacity);
        if (recording->bytes == NULL) {
            fail("there is no memory for the recording", __FILE__, __LINE__);
        }
    }
    memcpy(recording->bytes + recording->size, bytes, size);
    recording->size += size;
}

static VortonBodyId add_ball(VortonWorldId world)
{
    VortonBodyDef def = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonBodyId ball;
    def.position.z = 1.0f;
    def.mass = 0.05f;
    shape.radius = 0.2f;
    CHECK(vorton_body_create(world, &def, &ball));
    CHECK(vorton_shape_create(world, ball, &shape, NULL));
    return ball;
}

/* A session of a game. Returns the size of its recording before the first frame. */
static size_t play(Recording *recording, unsigned frames)
{
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_RING);
    VortonEmitterDef fire = vorton_default_emitter_def();
    VortonEmitterId emitter;
    VortonWorldId world;
    def.gravity.z = -9.8f;
    def.max_age = 1.0f;
    CHECK(vorton_world_create(&def, &world));
    ring.radius = 0.4f;
    ring.thickness = 0.1f;
    CHECK(vorton_world_add_initial(world, &ring, NULL, NULL));
    const VortonBodyId ball = add_ball(world);
    CHECK(vorton_world_record(world, append, recording));
    const size_t begun = recording->size;

    fire.position.x = 1.5f;
    fire.extent.x = fire.extent.y = 0.3f;
    fire.volume = 3e-4f;
    fire.temperature = 400.0f;
    CHECK(vorton_emitter_create(world, &fire, &emitter));
    VortonBodyState state;
    CHECK(vorton_body_read(world, ball, &state));
    for (unsigned frame = 1; frame <= frames; ++frame) {
        VortonBodyImpulse impulse;
        CHECK(vorton_body_take_impulse(world, ball, &impulse));
        state.velocity.z += impulse.linear.z / 0.05f - 9.8f * FRAME_SECONDS;
        state.position.z += state.velocity.z * FRAME_SECONDS;
        if (state.position.z < 0.5f) {
            state.velocity.z = 2.0f; /* Thrown up again. */
        }
        CHECK(vorton_body_set_state(world, ball, &state));
        CHECK(vorton_world_advance(world, FRAME_SECONDS, 0.5f, 4, NULL));
        progress_line("replay", frame, frames);
    }
    CHECK(vorton_world_destroy(world));
    return begun;
}

/* Replays all, with a wind after `undisturbed` steps. */
static VortonReplay replay(const Recording *recording, uint64_t undisturbed)
{
    VortonWorldDef def = vorton_default_world_def();
    VortonReplay progress = vorton_default_replay();
    VortonWorldId world;
    def.threads = VORTON_THREADS_POOL;
    CHECK(vorton_replay_world_def(recording->bytes, recording->size, &def));
    CHECK(vorton_world_create(&def, &world));
    while (!progress.finished) {
        if (progress.steps == undisturbed) {
            const VortonVec3 breeze = {0.001f, 0.0f, 0.0f};
            CHECK(vorton_world_set_wind(world, breeze));
        }
        CHECK(vorton_world_replay(world, recording->bytes, recording->size, &progress));
    }
    CHECK(vorton_world_destroy(world));
    return progress;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "replay", FRAMES);
    Recording recording = {NULL, 0, 0};
    progress_line("replay", 0, options.frames);
    const size_t begun = play(&recording, options.frames);
    const VortonReplay same = replay(&recording, UINT64_MAX);
    const uint64_t half = same.steps / 2;
    const VortonReplay other = replay(&recording, half);

    printf("  frames recorded      %9u\n", options.frames);
    printf("  calls                %9llu\n", (unsigned long long)same.calls);
    printf("  bytes at the start   %9lu  (a snapshot)\n", (unsigned long)begun);
    printf("  bytes a frame        %9.0f\n", (double)(recording.size - begun) / options.frames);
    const int is_same = same.diverged_step == UINT64_MAX && same.steps == options.frames;
    printf("  replayed in a pool        %s\n", is_same ? "the same bits" : "OTHER BITS");
    printf("  with a breeze of 1 mm/s   differs from step %llu on, %s\n", (unsigned long long)other.diverged_step,
           other.diverged_in == NULL ? "nowhere" : other.diverged_in);
    free(recording.bytes);
    if (!is_same || other.diverged_step != half) {
        printf("FAILED: the wrong step\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
