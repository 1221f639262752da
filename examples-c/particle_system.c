/*
 * A particle system independent of the library, with the library's operations inside it.
 *
 * The engine below has its own particle (an array of structures) and its own list of operations, in the style
 * of the articles: each operation receives the array, its count, the time step and the frame, and returns the
 * new count. Half of the list are the engine's own operations. The other half are adapters of a dozen lines
 * around operations of the library, which work on the same array in place: nothing is copied, and the library
 * owns no particle.
 *
 * Smoke rises from a nozzle and a vortex ring flies through it. The example runs twice, on one thread and on
 * a pool; every bit of every particle is the same.
 */
#include "common/picture.h"
#include "common/progress.h"
#include "common/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 116,
    PANELS = 4,
    CAPACITY = 60000,
    OPERATIONS = 9
};

static const unsigned PANEL_FRAMES[PANELS] = {36, 68, 92, 116};
static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.3f;
static const VortonVec3 RING_CENTRE = {-2.7f, 0.0f, 0.1f};
static const float RING_RADIUS = 0.7f;

/* ---- The engine, independent of the library. ---- */

typedef struct Particle {
    float position[3]; /* [m] */
    float velocity[3]; /* [m/s] */
    float size;        /* [m] */
    float color[3];
    float age;           /* [s] */
    float lifetime;      /* [s] */
    int32_t birth_frame; /* For the replay. */
    uint32_t kind;       /* KIND_... */
} Particle;

enum {
    KIND_PLUME,
    KIND_RING
};

/* Hashing whole particles is right only if no byte of them is padding. */
typedef char particle_has_no_padding[sizeof(Particle) == 14 * sizeof(float) ? 1 : -1];

/* An operation on particles; its parameters follow in the structure that starts with it. */
typedef struct Operation Operation;
struct Operation {
    const char *name;
    size_t (*operate)(Operation *op, Particle *particles, size_t count, float dt, uint32_t frame);
    double seconds; /* Time spent in it so far. */
};

typedef struct EmitOp {
    Operation base;
    float nozzle[3];
    float radius;   /* Radius of the nozzle [m]. */
    float speed;    /* Upward [m/s]. */
    float rate;     /* [1/s] */
    float remainder;
    uint64_t emitted;
} EmitOp;

static size_t emit_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    EmitOp *op = (EmitOp *)base;
    op->remainder += op->rate * dt;
    for (; op->remainder >= 1.0f && count < CAPACITY; op->remainder -= 1.0f, ++count, ++op->emitted) {
        const uint64_t random = 8 * op->emitted;
        const float angle = 6.28318531f * random_unit(random);
        const float off = op->radius * sqrtf(random_unit(random + 1));
        const float born = dt * random_unit(random + 2); /* Birth within the step: a stream, not puffs. */
        Particle *p = &particles[count];
        *p = (Particle){.kind = KIND_PLUME, .birth_frame = (int32_t)frame, .lifetime = 2.0f, .size = 0.03f};
        p->position[0] = op->nozzle[0] + off * cosf(angle);
        p->position[1] = op->nozzle[1] + off * sinf(angle);
        p->position[2] = op->nozzle[2] + op->speed * born;
        p->velocity[2] = op->speed;
        p->lifetime += random_unit(random + 3);
    }
    return count;
}

typedef struct PuffOp {
    Operation base;
    const Smoke *shape;
    int is_out;
} PuffOp;

static size_t puff_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    PuffOp *op = (PuffOp *)base;
    (void)dt;
    for (size_t i = 0; !op->is_out && i < op->shape->count && count < CAPACITY; ++i, ++count) {
        const VortonVec3 at = op->shape->points[i];
        particles[count] = (Particle){.position = {at.x, at.y, at.z},
                                      .kind = KIND_RING,
                                      .birth_frame = (int32_t)frame,
                                      .lifetime = 60.0f,
                                      .size = 0.03f};
    }
    op->is_out = 1;
    return count;
}

typedef struct RiseOp {
    Operation base;
    float speed;   /* Speed of fresh smoke through the fluid [m/s]. */
    float cooling; /* [1/s] */
} RiseOp;

static size_t rise_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    const RiseOp *op = (const RiseOp *)base;
    (void)dt;
    (void)frame;
    for (size_t i = 0; i < count; ++i) {
        if (particles[i].kind == KIND_PLUME) {
            particles[i].velocity[2] += op->speed * expf(-op->cooling * particles[i].age);
        }
    }
    return count;
}

typedef struct GrowOp {
    Operation base;
    float rate; /* [m/s] */
} GrowOp;

static size_t grow_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    const GrowOp *op = (const GrowOp *)base;
    (void)frame;
    for (size_t i = 0; i < count; ++i) {
        particles[i].size += op->rate * dt;
    }
    return count;
}

typedef struct ColorOp {
    Operation base;
    float full_speed; /* Speed of the brightest colour [m/s]. */
} ColorOp;

static size_t color_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    const ColorOp *op = (const ColorOp *)base;
    (void)dt;
    (void)frame;
    for (size_t i = 0; i < count; ++i) {
        Particle *p = &particles[i];
        const float *v = p->velocity;
        const float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / op->full_speed;
        if (p->kind == KIND_PLUME) {
            picture_speed_color(speed, p->color);
        } else {
            p->color[0] = 0.36f;
            p->color[1] = 0.72f;
            p->color[2] = 0.80f;
        }
    }
    return count;
}

/* The whole list, in order. */
static size_t operate(Operation *const list[OPERATIONS], Particle *particles, size_t count, float dt, uint32_t frame)
{
    for (int i = 0; i < OPERATIONS; ++i) {
        const double start = progress_seconds();
        count = list[i]->operate(list[i], particles, count, dt, frame);
        list[i]->seconds += progress_seconds() - start;
    }
    return count;
}

/* ---- The bridge: all code needed to run the library's operations in that list. ---- */

typedef struct FluidOp {
    Operation base;
    VortonWorldId world;
    VortonOpId op;
} FluidOp;

static size_t fluid_operate(Operation *base, Particle *particles, size_t count, float dt, uint32_t frame)
{
    const FluidOp *self = (const FluidOp *)base;
    const VortonStream streams[] = {
        {VORTON_POSITION, VORTON_F32X3, sizeof(Particle), offsetof(Particle, position), particles},
        {VORTON_VELOCITY, VORTON_F32X3, sizeof(Particle), offsetof(Particle, velocity), particles},
        {VORTON_AGE, VORTON_F32, sizeof(Particle), offsetof(Particle, age), particles},
        {VORTON_LIFETIME, VORTON_F32, sizeof(Particle), offsetof(Particle, lifetime), particles},
    };
    const VortonParticleView view = {
        .struct_size = sizeof view,
        .stream_count = sizeof streams / sizeof streams[0],
        .count = count,
        .capacity = count,
        .streams = streams,
        .element_size = sizeof(Particle), /* Compaction moves whole particles. */
    };
    VortonOpResult result = {.struct_size = sizeof result};
    CHECK(vorton_ops_run(self->world, &self->op, 1, &view, dt, frame, &result));
    return result.count;
}

static FluidOp fluid_op(const char *name, VortonWorldId world, const VortonOpDef *def)
{
    FluidOp op = {.base = {name, fluid_operate, 0.0}, .world = world};
    CHECK(vorton_op_create(world, def, &op.op));
    return op;
}

/* ---- The scene. ---- */

static void add_ring(VortonWorldId world)
{
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_RING);
    ring.centre = RING_CENTRE;
    ring.axis = (VortonVec3){1.0f, 0.0f, 0.0f};
    ring.radius = RING_RADIUS;
    ring.thickness = 0.45f;
    ring.circulation = 4.5f;
    ring.spacing = 0.15f;
    CHECK(vorton_world_add_initial(world, &ring, NULL, NULL));
}

static void draw(Picture *picture, int panel, const Particle *particles, size_t count, unsigned frame)
{
    const PictureCamera camera = {{3.3f, -7.6f, 1.6f}, {0.1f, 0.0f, 0.1f}, {0.0f, 0.0f, 1.0f}, 29.0f};
    const PictureParticles smoke = {
        .count = count,
        .positions = particles[0].position,
        .position_stride = sizeof(Particle),
        .colors = particles[0].color,
        .color_stride = sizeof(Particle),
        .radius = 0.036f,
        .opacity = 0.032f,
    };
    char caption[64];
    (void)snprintf(caption, sizeof caption, "%.1f s, %u particles", (double)frame * (double)FRAME_SECONDS,
                   (unsigned)count);
    (void)picture_draw_particles(picture, panel, &camera, &smoke);
    (void)picture_caption(picture, panel, caption);
}

/* FNV-1a over every byte of every particle. */
static uint64_t particles_hash(const Particle *particles, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)particles;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count * sizeof *particles; ++i) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static int all_finite(const Particle *particles, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        for (int a = 0; a < 3; ++a) {
            if (!isfinite(particles[i].position[a]) || !isfinite(particles[i].velocity[a])) {
                return 0;
            }
        }
    }
    return 1;
}

/* One whole run. Draws if `picture` is not NULL. Returns 0, or 1 if a check failed. */
static int simulate(uint32_t threads, unsigned frames, Picture *picture, uint64_t *hash)
{
    const char *title = threads == VORTON_THREADS_SERIAL ? "particle system, one thread" : "particle system, pool";
    VortonWorldDef def = vorton_default_world_def();
    def.threads = threads;
    def.core_radius = 0.225f; /* 1.5 spacings. */
    /* Half a million particles sample the field: more than VORTON_SOLVER_AUTO expects. */
    def.solver = VORTON_SOLVER_MESH;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    add_ring(world);

    Smoke ring_smoke = {0};
    smoke_add_ring(&ring_smoke, RING_CENTRE, 0, RING_RADIUS, 0.26f, 0.045f);
    Particle *particles = allocate(CAPACITY, sizeof *particles);
    size_t count = 0;

    /* At once: smoke has no inertia. */
    const VortonOpDef velocity_def = vorton_default_op_def(VORTON_OP_VELOCITY);
    const VortonOpDef advect_def = vorton_default_op_def(VORTON_OP_ADVECT);
    const VortonOpDef age_def = vorton_default_op_def(VORTON_OP_AGE);
    VortonOpDef kill_def = vorton_default_op_def(VORTON_OP_KILL);
    kill_def.kill_mode = VORTON_KILL_COMPACT;

    FluidOp velocity = fluid_op("velocity (vorton)", world, &velocity_def);
    RiseOp rise = {.base = {"rise", rise_operate, 0.0}, .speed = 1.3f, .cooling = 0.15f};
    FluidOp advect = fluid_op("advect (vorton)", world, &advect_def);
    FluidOp age = fluid_op("age (vorton)", world, &age_def);
    GrowOp grow = {.base = {"grow", grow_operate, 0.0}, .rate = 0.01f};
    FluidOp kill = fluid_op("kill (vorton)", world, &kill_def);
    EmitOp emit = {.base = {"emit", emit_operate, 0.0},
                   .nozzle = {0.0f, 0.0f, -1.75f},
                   .radius = 0.3f,
                   .speed = 1.3f,
                   .rate = 11000.0f};
    PuffOp puff = {.base = {"puff", puff_operate, 0.0}, .shape = &ring_smoke};
    ColorOp color = {.base = {"colour", color_operate, 0.0}, .full_speed = 3.2f};
    Operation *const list[OPERATIONS] = {&velocity.base, &rise.base, &advect.base, &age.base,  &grow.base,
                                         &kill.base, &emit.base,     &puff.base,   &color.base};

    Run run;
    run_begin(&run, world);
    progress_line(title, 0, frames);
    for (unsigned frame = 1; frame <= frames; ++frame) {
        /* After each step, not once a frame, so that the particles use the field at the middle of their own
         * time step. */
        const unsigned steps = run_steps(&run, FRAME_SECONDS, MAX_STRETCH);
        const float dt = FRAME_SECONDS / (float)steps;
        for (unsigned step = 0; step < steps; ++step) {
            run_step(&run, dt);
            count = operate(list, particles, count, dt, frame);
        }
        for (int panel = 0; picture != NULL && panel < PANELS; ++panel) {
            if (PANEL_FRAMES[panel] == frame) {
                draw(picture, panel, particles, count, frame);
            }
        }
        progress_line(title, frame, frames);
    }

    int failed = run_report(&run, title, 0.05);
    *hash = particles_hash(particles, count);
    printf("  particles        %10u    of %u bytes, hash %016llx\n", (unsigned)count, (unsigned)sizeof(Particle),
           (unsigned long long)*hash);
    printf("  ms per frame");
    for (int i = 0; i < OPERATIONS; ++i) {
        const char *separator = i == 0 ? "  " : i % 5 == 0 ? ",\n              " : ", ";
        printf("%s%s %.3f", separator, list[i]->name, 1e3 * list[i]->seconds / (double)frames);
    }
    printf("\n\n");
    if (!all_finite(particles, count)) {
        printf("FAILED: a particle is not finite\n");
        failed = 1;
    }

    smoke_free(&ring_smoke);
    free(particles);
    CHECK(vorton_world_destroy(world)); /* Also destroys its operations. */
    return failed;
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "particle_system", FRAMES);
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    Picture *picture = options.is_cut ? NULL : picture_create(1200, 760, 2, 2);
    uint64_t serial_hash = 0;
    uint64_t pool_hash = 0;
    int failed = simulate(VORTON_THREADS_SERIAL, options.frames, NULL, &serial_hash);
    failed |= simulate(VORTON_THREADS_POOL, options.frames, picture, &pool_hash);
    if (serial_hash == pool_hash) {
        printf("one thread and pool: the same particles to the last bit\n");
    } else {
        printf("FAILED: one thread and pool gave different particles\n");
        failed = 1;
    }
    if (!options.is_cut && picture_write_png(picture, options.picture) != 0) {
        fail("the picture could not be written", __FILE__, __LINE__);
    }
    picture_destroy(picture);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
