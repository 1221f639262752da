/* The program around the snippets of docs/c-api.md: a minimal engine. A test puts each snippet at its marker
 * comment. */
#define _POSIX_C_SOURCE 200809L
#include "vorton.h"
#include "check.h"
#include <math.h>
#include <stddef.h>
#include <vorton_export.h>

enum { MAX_BODIES = 4 };

typedef struct Body {
    VortonBodyState state;
    float inverse_mass, inverse_inertia; /* Balls: the same about all axes. */
    int sleeps;
} Body;

typedef struct Particle {
    float position[3], velocity[3];
} Particle;

typedef struct Leaf {
    float position[3], wind[3];
} Leaf;

/* A job system that runs the task on which it waits. */
typedef struct JobSystem {
    struct { VortonTaskFn task; void *context; } jobs[1024];
    size_t count, waited;
} JobSystem;

static void *jobs_add(void *user, VortonTaskFn task, void *context)
{
    JobSystem *system = user;
    CHECK(system->count < 1024);
    system->jobs[system->count].task = task;
    system->jobs[system->count].context = context;
    return &system->jobs[system->count++];
}

static void jobs_wait(void *user, void *job)
{
    const size_t index = (size_t)((char *)job - (char *)((JobSystem *)user)->jobs) / sizeof ((JobSystem *)user)->jobs[0];
    ((JobSystem *)user)->waited += 1;
    ((JobSystem *)user)->jobs[index].task(((JobSystem *)user)->jobs[index].context);
}

static VortonBodyState engine_state(const Body *body)
{
    return body->state;
}

static void engine_apply(Body *body, const VortonBodyImpulse *impulse)
{
    body->state.velocity.x += impulse->linear.x * body->inverse_mass;
    body->state.velocity.y += impulse->linear.y * body->inverse_mass;
    body->state.velocity.z += impulse->linear.z * body->inverse_mass;
    body->state.angular_velocity.x += impulse->angular.x * body->inverse_inertia;
    body->state.angular_velocity.y += impulse->angular.y * body->inverse_inertia;
    body->state.angular_velocity.z += impulse->angular.z * body->inverse_inertia;
}

static void engine_step(Body *bodies, size_t n, float dt)
{
    size_t i;
    for (i = 0; i < n; ++i) {
        bodies[i].state.position.x += bodies[i].state.velocity.x * dt;
        bodies[i].state.position.y += bodies[i].state.velocity.y * dt;
        bodies[i].state.position.z += bodies[i].state.velocity.z * dt;
    }
}

static void engine_shift_origin(Body *bodies, size_t n, VortonVec3 origin)
{
    size_t i;
    for (i = 0; i < n; ++i) {
        bodies[i].state.position.x -= origin.x;
        bodies[i].state.position.y -= origin.y;
        bodies[i].state.position.z -= origin.z;
    }
}

/* Memory for a snapshot. */
typedef struct Snapshot {
    void *bytes;
    size_t size, room;
} Snapshot;

static void snapshot_grow(Snapshot *slot, size_t room)
{
    slot->bytes = realloc(slot->bytes, room);
    slot->room = room;
    CHECK(slot->bytes != NULL);
}

static void engine_wake(Body *body)
{
    body->sleeps = 0;
}

/* FRAME */

/* SLEEP */

/* A counting heap. */
typedef struct Heap {
    size_t bytes;
    size_t most; /* 0: any amount. */
} Heap;

static void *heap_take(Heap *heap, size_t size, size_t alignment)
{
    void *memory = NULL;
    if (heap->most > 0 && heap->bytes + size > heap->most) return NULL;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0) return NULL;
    heap->bytes += size;
    return memory;
}

static void heap_give_back(Heap *heap, void *memory, size_t size, size_t alignment)
{
    (void)alignment;
    heap->bytes -= size;
    free(memory);
}

/* MEMORY */

/* What the engine lets go of. */
static int parts_unloaded;
static void level_unload_something(void)
{
    parts_unloaded += 1;
}

/* CHECKED */

/* DRAG */

/* JOINT */

/* JOBS */

/* RENDER */

/* POINTERS */

/* FLOOR */

/* The engine's terrain data. */
typedef struct Terrain {
    VortonVec3 corner;
    const float *heights;
    uint32_t width, depth;
    float cell;
} Terrain;

/* TERRAIN */

/* WIND */

/* TURBULENCE */

/* SIGHT */

/* A buffer mapped by a graphics API. */
typedef struct Upload {
    void *memory;
    size_t size, row_pitch, slice_pitch;
} Upload;

/* TEXTURE */

/* Lines of a debug view. */
typedef struct DebugLines {
    VortonLine *lines;
    size_t count, room;
} DebugLines;

static void lines_grow(DebugLines *view, size_t room)
{
    view->lines = realloc(view->lines, room * sizeof *view->lines);
    view->room = room;
    CHECK(view->lines != NULL);
}

/* DRAW */

/* EXPORT */

/* SURROUND */

/* EMITTERS */
/* PRESETS */

/* BOUNDS */

/* ORIGIN */

/* HASH */

/* ROLLBACK */

/* RECORD */

/* A body tells its part of mass and inertia that stands for fluid; a mass of less is refused. */
static void keeps_the_fluid_part(const VortonBodyDef *def)
{
    VortonWorldDef world_def = vorton_default_world_def();
    VortonWorldId world;
    VortonBodyId body;
    VortonBodyDef now;
    OK(vorton_world_create(&world_def, &world));
    OK(vorton_body_create(world, def, &body));
    OK(vorton_body_def(world, body, &now, sizeof now));
    CHECK(now.fluid_mass == def->fluid_mass && !memcmp(now.fluid_inertia, def->fluid_inertia, sizeof now.fluid_inertia));
    CHECK(vorton_body_set_mass(world, body, 0.5f * def->fluid_mass) == VORTON_ERR_BAD_VALUE);
    OK(vorton_world_destroy(world));
}

static int tour(Heap *heap)
{
    static JobSystem jobs;
    static Particle grains[100], *particles[100];
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonBodyDef ball = vorton_default_body_def();
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonWorldId world;
    VortonBodyId id;
    VortonOpId ops[2], stirred[2];
    Body body = {0};
    Leaf leaves[2] = {{{0, 0, 0.3f}, {0, 0, 0}}, {{0.2f, 0, 0.3f}, {0, 0, 0}}};
    const float points[3][3] = {{-4, 5, 0}, {4, 5, 0}, {-4, 9, 0}};
    VortonInitialDef smoke = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    VortonBodyImpulse push = {0};
    VortonTracersId puff;
    VortonEmitterId fire, fan;
    float vertices[4][5] = {{0}};
    const VortonVec3 puffs[2] = {{0.1f, 0, 0.2f}, {0, 0.1f, 0.2f}};
    VortonVec3 player = {0, 0, 0};
    bool awake;
    static const float heights[6] = {0, 0.1f, 0, 0.2f, 0.1f, 0};
    static const float wall[] = {5, -1, -1, 5, 1, -1, 5, 1, 1, 5, -1, 1};
    static const uint32_t faces[] = {0, 1, 2, 0, 2, 3};
    const Terrain terrain = {{-4, -4, -2.5f}, heights, 3, 2, 4};
    Snapshot slot = {0};
    Upload upload = {0};
    DebugLines view = {0};
    size_t written = 0;
    uint64_t hash = 0, after = 0;
    size_t i;
    OK(create_on_jobs(&jobs, &world));
    CHECK(heap->bytes > 1000000);
    OK(add_floor(world, -3));
    OK(add_terrain(world, &terrain));
    OK(add_mesh(world, wall, 4, faces, 2));
    ring.circulation = 5;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    ball.mass = 0.05f;
    ball.position.z = 1;
    sphere.radius = 0.2f;
    OK(vorton_body_create(world, &ball, &id));
    OK(vorton_shape_create(world, id, &sphere, NULL));
    body.state.rotation.w = 1;
    body.state.position.x = 0.9f;
    body.state.position.z = 0.3f;
    body.inverse_mass = 1 / ball.mass;
    body.inverse_inertia = 2.5f * body.inverse_mass / (sphere.radius * sphere.radius);
    ops[0] = make_op(world, VORTON_OP_VELOCITY);
    ops[1] = make_op(world, VORTON_OP_ADVECT);
    /* Every other element, backwards: not the array's order. */
    for (i = 0; i < 50; ++i) particles[i] = &grains[99 - 2 * i];
    for (i = 0; i < 30; ++i) {
        frame(world, &id, &body, 1, 1.0f / 60);
        OK(blow(world, ops, 2, particles, 50, 1.0f / 60));
    }
    CHECK(grains[99].position[2] > 0.5f && grains[98].position[2] == 0);
    OK(feel_the_wind(world, leaves, 2));
    CHECK(leaves[0].wind[2] > 1 && leaves[1].wind[2] > 1);
    /* The ring carries the ball along. */
    CHECK(body.state.velocity.z > 0.01f);
    /* It sleeps until it is pushed; lift is no push. */
    body.sleeps = 1;
    OK(vorton_body_set_awake(world, id, false));
    push.linear = push.lift_linear = vec3(0, 0, 1);
    wake_or_apply(world, id, &body, &push);
    OK(vorton_body_is_awake(world, id, &awake));
    CHECK(body.sleeps && !awake);
    push.linear.x = 0.01f;
    wake_or_apply(world, id, &body, &push);
    OK(vorton_body_is_awake(world, id, &awake));
    CHECK(!body.sleeps && awake);
    OK(vorton_world_hash(world, &hash));
    CHECK(in_step_with(world, hash) && !in_step_with(world, hash + 1));
    /* Back and forth. */
    OK(keep_frame(&slot, world));
    STEP(vorton_world_step(world, 1.0f / 60));
    OK(vorton_world_hash(world, &after));
    CHECK(after != hash);
    OK(back_to(&slot, world));
    CHECK(in_step_with(world, hash));
    free(slot.bytes);
    /* A file of ten frames, replayed. */
    {
        FILE *file = tmpfile();
        VortonReplay replay;
        unsigned char *recording;
        size_t size;
        CHECK(file != NULL);
        OK(record_session(world, file));
        for (i = 0; i < 10; ++i) {
            OK(vorton_body_set_state(world, id, &body.state));
            STEP(vorton_world_step(world, 1.0f / 60));
        }
        OK(vorton_world_record(world, NULL, NULL));
        size = (size_t)ftell(file);
        recording = malloc(size);
        rewind(file);
        CHECK(recording != NULL && fread(recording, 1, size, file) == size && fclose(file) == 0);
        OK(replay_session(recording, size, &replay));
        CHECK(replay.finished && replay.steps == 10 && replay.offset == size && in_step_with(world, replay.hash));
        free(recording);
    }
    OK(create_smoke(world, &puff));
    OK(vorton_tracers_add(world, puff, puffs, NULL, NULL, 2));
    CHECK(fill_vertices(world, puff, vertices[0], sizeof vertices[0], 4) == 2);
    CHECK(vertices[0][2] == 0.2f && vertices[1][2] == 0.2f && vertices[0][3] == 0 && vertices[2][2] == 0);
    CHECK(fill_vertices(world, puff, vertices[0], sizeof vertices[0], 1) == 0);
    /* Eddies displace particles from the path of the flow alone, but not far. */
    OK(stir(world, puff, &stirred[0]));
    stirred[1] = ops[1];
    grains[98] = grains[99];
    particles[0] = &grains[99];
    OK(blow(world, ops, 2, particles, 1, 1.0f / 60));
    particles[0] = &grains[98];
    OK(blow(world, stirred, 2, particles, 1, 1.0f / 60));
    CHECK(memcmp(grains[98].position, grains[99].position, sizeof grains[98].position) != 0);
    CHECK(fabsf(grains[98].position[2] - grains[99].position[2]) < 0.1f);
    /* A drop of dye between two points hides one from the other, but not points beside it. */
    smoke.centre.y = 5;
    smoke.dye = 1;
    OK(vorton_world_add_initial(world, &smoke, NULL, NULL));
    STEP(vorton_world_step(world, 0.001f));
    CHECK(!can_see(world, points[0], points[1]) && can_see(world, points[0], points[2]));
    upload.row_pitch = 64 * 8 + 256;
    upload.slice_pitch = 64 * upload.row_pitch;
    upload.size = 64 * upload.slice_pitch;
    upload.memory = calloc(upload.size, 1);
    CHECK(upload.memory != NULL);
    OK(fill_texture(world, &upload));
    for (i = 0; i < upload.size; ++i) written += ((unsigned char *)upload.memory)[i] != 0;
    CHECK(written > 64 * 64 * 64);
    free(upload.memory);
    /* Arrows, the ball, the floor and more; again with a buffer that is large enough. */
    OK(draw_fluid(world, &view));
    CHECK(view.count > 3 * 8 * 8 * 8 + 72 + 22 && view.room >= view.count);
    written = view.count;
    OK(draw_fluid(world, &view));
    CHECK(view.count == written && view.lines[0].color != 0);
    free(view.lines);
    /* A file for Unreal: three lines of the box, and one for each of 32^3 vectors. */
    {
        FILE *file = tmpfile();
        int letter, lines = 0;
        CHECK(file != NULL);
        OK(export_for_unreal(world, vec3(-2, -2, -2), vec3(2, 2, 2), file));
        rewind(file);
        while ((letter = fgetc(file)) != EOF) lines += letter == '\n';
        CHECK(lines == 3 + 32 * 32 * 32);
        CHECK(fclose(file) == 0);
    }
    /* A fire and a fan for a tenth of a second; their vortons and tracers stay. */
    OK(light_fire(world, puff, vec3(0, 5, 0), &fire));
    OK(start_fan(world, vec3(1, 5, 0), body.state.rotation, 0.2f, 2, &fan));
    OK(vorton_vortons_read(world, NULL, 0, &i));
    for (hash = 0; hash < 6; ++hash) STEP(vorton_world_step(world, 1.0f / 60));
    OK(vorton_vortons_read(world, NULL, 0, &written));
    CHECK(written > i + 30);
    CHECK(vorton_tracers_read(world, puff, NULL, 0, NULL, NULL, NULL, NULL, 0, &written) >= 0 && written > 1900);
    OK(vorton_emitter_destroy(world, fire));
    OK(vorton_emitter_destroy(world, fan));
    written = 0;
    /* What lands lifts dust, if the set has room for it. */
    OK(vorton_tracers_clear(world, puff));
    OK(land(world, puff, vec3(0, 5, 0), 1, 7));
    CHECK(vorton_tracers_read(world, puff, NULL, 0, NULL, NULL, NULL, NULL, 0, &written) >= 0 && written == 2000);
    written = 0;
    OK(surround(world, id, vec3(-9, -9, -9), vec3(9, 9, 9)));
    OK(bound_level(world, vec3(0, 5, 0), vec3(2, 2, 2), vec3(0, 5, 0)));
    CHECK(!follow_player(world, &player, &body, 1));
    player.x = 600;
    CHECK(follow_player(world, &player, &body, 1) && player.x == 0);
    player.x = -600;
    CHECK(follow_player(world, &player, &body, 1));
    OK(vorton_vortons_read(world, NULL, 0, &written));
    CHECK(written > 100);
    STEP(vorton_world_step(world, 0.001f));
    OK(vorton_vortons_read(world, NULL, 0, &i));
    CHECK(i > 0 && i < written / 2);
    CHECK(jobs.count >= 30 * 3 && jobs.waited == jobs.count);
    OK(vorton_world_destroy(world));
    { const VortonBodyDef flown = thrown_ball(2); CHECK(flown.mass == 2 && flown.drag_coefficient > 0); }
    {
        VortonShapeDef capsule = vorton_default_shape_def(VORTON_SHAPE_CAPSULE);
        VortonBodyDef hung;
        capsule.radius = 0.1f, capsule.half_height = 0.2f;
        hung = jointed_body(0.001f, 1, &capsule);
        CHECK(hung.fluid_mass > 0.001f && hung.fluid_mass < 0.01f && hung.mass == 0.001f + hung.fluid_mass);
        CHECK(hung.inertia[0] > hung.fluid_inertia[0] && hung.fluid_inertia[0] > 10 * hung.fluid_inertia[8]);
        keeps_the_fluid_part(&hung);
    }
    OK(create_checked(&world));
    add_ring(world, 100);
    STEP(step_if_there_is_memory(world, 0.01f));
    heap->most = heap->bytes;
    OK(vorton_world_hash(world, &hash));
    OK(step_if_there_is_memory(world, 0.01f));
    OK(vorton_world_hash(world, &after));
    CHECK(parts_unloaded == 1 && hash == after);
    heap->most = 0;
    STEP(step_if_there_is_memory(world, 0.01f));
    CHECK(parts_unloaded == 1);
    OK(vorton_world_destroy(world));
    CHECK(heap->bytes < 10000);
    printf("all tasks of the guide done\n");
    return 0;
}

int main(void)
{
    static Heap heap;
    CHECK(start(&heap) == VORTON_OK);
    return tour(&heap);
}
