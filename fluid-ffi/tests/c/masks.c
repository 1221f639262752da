/*
 * Particles that are marked dead by a bit of VORTON_FLAGS, a bool `alive` (VORTON_ALIVE) or a byte `dead`
 * (VORTON_DEAD): arrays of structures, arrays and lists of pointers give the same bits, and dead particles
 * are not changed.
 */
#include "check.h"

enum { COUNT = 1500, CAPACITY = 2000, FRAMES = 6, STREAMS = 5 };

typedef struct Particle {
    VortonVec3 position, velocity;
    float age, lifetime;
    uint32_t flags;
    unsigned char before, mask, after[2];
} Particle;

typedef enum Layout { STRUCTS, ARRAYS, POINTERS } Layout;

typedef struct Host {
    Particle particles[CAPACITY];
    VortonVec3 positions[CAPACITY], velocities[CAPACITY];
    float ages[CAPACITY], lifetimes[CAPACITY];
    uint32_t flags[CAPACITY];
    unsigned char masks[CAPACITY + 2];
    void *table[CAPACITY];
    VortonStream streams[STREAMS];
    VortonParticleView view;
    uint32_t semantic;
    Layout layout;
} Host;

static VortonWorldId world;

static void add_stream(Host *host, uint32_t semantic, uint32_t format, size_t size, void *array, size_t offset) {
    VortonStream *stream = &host->streams[host->view.stream_count++];
    stream->semantic = semantic;
    stream->format = format;
    stream->stride = (uint32_t)(host->layout == ARRAYS ? size : sizeof(Particle));
    stream->offset = (uint32_t)(host->layout == ARRAYS ? 0 : offset);
    stream->base = host->layout == ARRAYS ? array : host->particles;
}

static int is_dead(const Host *host, size_t i) {
    const int by_arrays = host->layout == ARRAYS;
    const unsigned char mask = by_arrays ? host->masks[i] : host->particles[i].mask;
    if (host->semantic == VORTON_FLAGS) return (by_arrays ? host->flags[i] : host->particles[i].flags) & VORTON_FLAG_DEAD;
    return host->semantic == VORTON_ALIVE ? mask == 0 : mask != 0;
}

static void make(Host *host, uint32_t semantic, Layout layout) {
    size_t i;
    memset(host, 0, sizeof *host);
    host->semantic = semantic;
    host->layout = layout;
    for (i = 0; i < CAPACITY; ++i) {
        const uint32_t n = (uint32_t)i;
        Particle *p = &host->particles[i];
        const int dead = n % 7 == 3;
        p->position = vec3(random_unit(9 * n) - 0.5f, random_unit(9 * n + 1) - 0.5f, random_unit(9 * n + 2) - 0.5f);
        p->velocity = vec3(random_unit(9 * n + 3), 0, 0);
        p->lifetime = 0.3f * random_unit(9 * n + 4);
        p->flags = (n % 4) << 4 | (semantic == VORTON_FLAGS && dead ? VORTON_FLAG_DEAD : 0u);
        /* Any byte but 0 is true. */
        p->mask = (unsigned char)((semantic == VORTON_ALIVE) == dead ? 0 : 1 + n % 255);
        p->before = p->after[0] = 0xab;
        host->positions[i] = p->position;
        host->velocities[i] = p->velocity;
        host->lifetimes[i] = p->lifetime;
        host->flags[i] = p->flags;
        host->masks[i] = p->mask;
        host->table[i] = p;
    }
    host->masks[CAPACITY] = 0xab;
    add_stream(host, VORTON_POSITION, VORTON_F32X3, sizeof(VortonVec3), host->positions, offsetof(Particle, position));
    add_stream(host, VORTON_VELOCITY, VORTON_F32X3, sizeof(VortonVec3), host->velocities, offsetof(Particle, velocity));
    add_stream(host, VORTON_AGE, VORTON_F32, sizeof(float), host->ages, offsetof(Particle, age));
    add_stream(host, VORTON_LIFETIME, VORTON_F32, sizeof(float), host->lifetimes, offsetof(Particle, lifetime));
    if (semantic == VORTON_FLAGS) {
        add_stream(host, semantic, VORTON_U32, sizeof(uint32_t), host->flags, offsetof(Particle, flags));
    } else {
        add_stream(host, semantic, VORTON_U8, 1, host->masks, offsetof(Particle, mask));
    }
    host->view.struct_size = sizeof host->view;
    host->view.count = COUNT;
    host->view.capacity = CAPACITY;
    host->view.streams = host->streams;
    host->view.element_size = layout == ARRAYS ? 0 : sizeof(Particle);
    if (layout == POINTERS) host->view.table = (void *const *)host->table;
    OK(vorton_view_check(&host->view));
}

static const VortonVec3 *position(const Host *host, size_t i) {
    return host->layout == ARRAYS ? &host->positions[i] : &host->particles[i].position;
}

static void run(Host *host, uint32_t kill_mode) {
    static uint32_t dead[CAPACITY];
    static Host before;
    VortonOpDef kill = vorton_default_op_def(VORTON_OP_KILL), emit = vorton_default_op_def(VORTON_OP_EMIT);
    VortonOpId ops[6];
    VortonOpResult result;
    uint32_t frame;
    size_t i, died;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
    result.kill_list = dead;
    result.kill_capacity = CAPACITY;
    kill.kill_mode = kill_mode;
    kill.max_age = 0;
    emit.rate = 1000;
    ops[0] = make_op(world, VORTON_OP_VELOCITY);
    ops[1] = make_op(world, VORTON_OP_ADVECT);
    ops[2] = make_op(world, VORTON_OP_AGE);
    OK(vorton_op_create(world, &kill, &ops[3]));
    OK(vorton_op_create(world, &emit, &ops[4]));
    ops[5] = make_op(world, VORTON_OP_BOUNDS);
    for (frame = 0; frame < FRAMES; ++frame) {
        before = *host;
        OK(vorton_ops_run(world, ops, 6, &host->view, 0.02f, frame, &result));
        if (kill_mode != VORTON_KILL_COMPACT) {
            for (i = died = 0; i < before.view.count; ++i) {
                died += is_dead(host, i) && !is_dead(&before, i);
                CHECK(!is_dead(&before, i) || (is_dead(host, i) && memcmp(position(host, i), position(&before, i), 12) == 0));
            }
            CHECK(died == (kill_mode == VORTON_KILL_MARK ? result.killed : 0));
            CHECK(result.killed > 0);
        }
        /* Emission appends living particles. */
        CHECK(result.emitted > 10);
        host->view.count = result.count;
        for (i = result.count - result.emitted; i < result.count; ++i) CHECK(!is_dead(host, i));
        if (kill_mode == VORTON_KILL_COMPACT) {
            for (i = 0; i < result.count; ++i) CHECK(!is_dead(host, i));
        }
        for (i = 0; i < CAPACITY; ++i) CHECK(host->particles[i].before == 0xab && host->particles[i].after[0] == 0xab);
        CHECK(host->masks[CAPACITY] == 0xab);
    }
    for (i = 0; i < 6; ++i) OK(vorton_op_destroy(world, ops[i]));
}

/* Killing and emission write the bytes 0 and 1, the valid values of a bool. */
static void bytes_are_bools(void) {
    static Host host;
    size_t i;
    make(&host, VORTON_ALIVE, ARRAYS);
    for (i = 0; i < CAPACITY; ++i) host.masks[i] = host.masks[i] != 0;
    run(&host, VORTON_KILL_MARK);
    for (i = 0; i < CAPACITY; ++i) CHECK(host.masks[i] <= 1);
    make(&host, VORTON_DEAD, ARRAYS);
    for (i = 0; i < CAPACITY; ++i) host.masks[i] = host.masks[i] != 0;
    run(&host, VORTON_KILL_MARK);
    for (i = 0; i < CAPACITY; ++i) CHECK(host.masks[i] <= 1);
}

int main(void) {
    static const uint32_t semantics[] = {VORTON_FLAGS, VORTON_ALIVE, VORTON_DEAD};
    static Host expected, host;
    uint32_t mode;
    int s, layout;
    size_t i, count = 0;
    world = make_world(VORTON_THREADS_POOL, 2, 300);
    add_ring(world, 100);
    STEP(vorton_world_step(world, 0.02f));
    for (mode = VORTON_KILL_MARK; mode <= VORTON_KILL_COMPACT; ++mode) {
        make(&expected, VORTON_FLAGS, STRUCTS);
        run(&expected, mode);
        for (s = 0; s < 3; ++s) {
            for (layout = STRUCTS; layout <= (mode == VORTON_KILL_COMPACT ? ARRAYS : POINTERS); ++layout) {
                make(&host, semantics[s], (Layout)layout);
                run(&host, mode);
                CHECK(host.view.count == expected.view.count);
                for (i = 0; i < host.view.count; ++i) {
                    CHECK(is_dead(&host, i) == is_dead(&expected, i));
                    CHECK(memcmp(position(&host, i), position(&expected, i), sizeof(VortonVec3)) == 0);
                }
                count += host.view.count;
            }
        }
    }
    bytes_are_bools();
    OK(vorton_world_destroy(world));
    printf("%u particles died alike\n", (unsigned)count);
    return 0;
}
