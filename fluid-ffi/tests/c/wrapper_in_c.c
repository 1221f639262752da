/* The program of wrapper.cpp with the functions of vorton.h. Both have the same output. */
#include "check.h"

typedef struct Particle {
    VortonVec3 position;
    int32_t birth;
    VortonVec3 velocity;
    float age;
    float spin_axis[3];
    uint32_t flags;
} Particle;

enum { capacity = 200, steps = 40, table_count = 50 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = (const unsigned char *)bytes;
    size_t i;
    for (i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

int main(void) {
    static Particle particles[capacity];
    static VortonVec3 column_positions[capacity], column_velocities[capacity];
    static void *table[table_count];
    const float dt = 1.0f / 60.0f;
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    VortonEmitterDef source = vorton_default_emitter_def();
    VortonTracersDef set = vorton_default_tracers_def();
    VortonBodyDef ball = vorton_default_body_def();
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonOpDef kill = vorton_default_op_def(VORTON_OP_KILL);
    VortonWorldId world;
    VortonEmitterId emitter;
    VortonTracersId tracers;
    VortonBodyId body;
    VortonOpId ops[4], pair[2];
    VortonStats stats;
    VortonVec3 points[2], velocities[2];
    size_t count = capacity, left = 0;
    uint64_t hash = 14695981039346656037u;
    uint32_t frame;
    int i;

    def.core_radius = 0.2f;
    OK(vorton_world_create(&def, &world));
    ring.circulation = 3.0f;
    OK(vorton_world_add_initial(world, &ring, NULL, NULL));
    source.position = vec3(0.0f, 0.0f, -1.0f);
    source.strength = vec3(0.01f, 0.0f, 0.02f);
    OK(vorton_emitter_create(world, &source, &emitter));
    set.capacity = 64;
    OK(vorton_tracers_create(world, &set, &tracers));
    ball.position = vec3(0.0f, 0.0f, 0.6f);
    OK(vorton_body_create(world, &ball, &body));
    sphere.radius = 0.3f;
    OK(vorton_shape_create(world, body, &sphere, NULL));

    kill.kill_mode = VORTON_KILL_COMPACT;
    kill.max_age = 0.75f;
    ops[0] = make_op(world, VORTON_OP_VELOCITY);
    ops[1] = make_op(world, VORTON_OP_ADVECT);
    ops[2] = make_op(world, VORTON_OP_AGE);
    OK(vorton_op_create(world, &kill, &ops[3]));
    pair[0] = make_op(world, VORTON_OP_VELOCITY);
    pair[1] = make_op(world, VORTON_OP_ADVECT);

    memset(particles, 0, sizeof particles);
    for (i = 0; i < capacity; ++i) {
        const uint32_t n = (uint32_t)i * 4u;
        particles[i].position = vec3(2.0f * random_unit(n) - 1.0f, 2.0f * random_unit(n + 1) - 1.0f, random_unit(n + 2));
        particles[i].age = 0.2f * random_unit(n + 3);
        column_positions[i] = particles[i].position;
    }
    OK(vorton_tracers_add(world, tracers, column_positions, NULL, NULL, 64));

    for (frame = 0; frame < steps; ++frame) {
        VortonBodyState state;
        VortonBodyImpulse impulse;
        STEP(vorton_world_step(world, dt));
        {
            VortonStream streams[] = {{VORTON_POSITION, VORTON_F32X3, sizeof(Particle), offsetof(Particle, position), NULL},
                                      {VORTON_VELOCITY, VORTON_F32X3, sizeof(Particle), offsetof(Particle, velocity), NULL},
                                      {VORTON_AGE, VORTON_F32, sizeof(Particle), offsetof(Particle, age), NULL}};
            VortonParticleView view;
            VortonOpResult result;
            for (i = 0; i < 3; ++i) streams[i].base = particles;
            memset(&view, 0, sizeof view);
            view.struct_size = sizeof view;
            view.count = count;
            view.capacity = capacity;
            view.streams = streams;
            view.stream_count = 3;
            view.element_size = sizeof(Particle);
            memset(&result, 0, sizeof result);
            result.struct_size = sizeof result;
            OK(vorton_ops_run(world, ops, 4, &view, dt, frame, &result));
            count = result.count;
        }
        {
            VortonStream streams[] = {{VORTON_POSITION, VORTON_F32X3, sizeof(VortonVec3), 0, NULL},
                                      {VORTON_VELOCITY, VORTON_F32X3, sizeof(VortonVec3), 0, NULL}};
            VortonParticleView view;
            streams[0].base = column_positions;
            streams[1].base = column_velocities;
            memset(&view, 0, sizeof view);
            view.struct_size = sizeof view;
            view.count = capacity;
            view.capacity = capacity;
            view.streams = streams;
            view.stream_count = 2;
            OK(vorton_ops_run(world, pair, 2, &view, dt, frame, NULL));
        }
        OK(vorton_body_take_impulse(world, body, &impulse));
        OK(vorton_body_read(world, body, &state));
        state.velocity.z += impulse.linear.z / ball.mass;
        OK(vorton_body_set_state(world, body, &state));
        hash = mix(hash, &impulse, sizeof impulse);
    }

    /* The same particles by a table of pointers, in reverse. */
    for (i = 0; i < table_count; ++i) table[i] = &particles[table_count - 1 - i];
    {
        VortonStream streams[] = {{VORTON_POSITION, VORTON_F32X3, sizeof(Particle), offsetof(Particle, position), NULL},
                                  {VORTON_VELOCITY, VORTON_F32X3, sizeof(Particle), offsetof(Particle, velocity), NULL}};
        VortonParticleView view;
        memset(&view, 0, sizeof view);
        view.struct_size = sizeof view;
        view.count = table_count;
        view.capacity = table_count;
        view.streams = streams;
        view.stream_count = 2;
        view.table = table;
        OK(vorton_ops_run(world, pair, 2, &view, dt, steps, NULL));
    }

    points[0] = vec3(0.0f, 0.0f, 1.0f);
    points[1] = vec3(0.5f, 0.5f, 0.5f);
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, &points[0].x, sizeof points[0], &velocities[0].x, sizeof velocities[0], 2));
    OK(vorton_tracers_read(world, tracers, NULL, 0, NULL, NULL, NULL, NULL, 0, &left));
    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(world, &stats));
    hash = mix(hash, particles, sizeof particles);
    hash = mix(hash, column_positions, sizeof column_positions);
    hash = mix(hash, velocities, sizeof velocities);
    printf("world %016llx, hosts %016llx, %u particles, %u tracers, %u vortons\n", (unsigned long long)hash_of(world),
           (unsigned long long)hash, (unsigned)count, (unsigned)left, (unsigned)stats.vortons);
    OK(vorton_world_destroy(world));
    return 0;
}
