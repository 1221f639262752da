// The program of wrapper_in_c.c through vorton.hpp, and the behaviour of owners. Compiled without exceptions
// and RTTI, and linked without the C++ runtime library.
#include <vorton.hpp>

#include "check.h"

namespace {

// Vector types of a host: one that is recognised, one that needs a Layout.
struct Vec3 {
    float x, y, z;
};
struct Odd {
    float v[3];
};

struct Thing {
    Vec3 position;
};

// The attributes are partly in a base class, as in engines.
struct Particle : Thing {
    int32_t birth;
    VortonVec3 velocity;
    float age;
    Odd spin_axis;
    uint32_t flags;
};

// An engine's base class.
class HostOp {
  public:
    explicit HostOp(const char *name) : name_(name) {}
    virtual void operate(Particle *particles, size_t &count, float dt, uint32_t frame) = 0;
    const char *name() const { return name_; }

  protected:
    ~HostOp() {}

  private:
    const char *name_;
};

enum { capacity = 200, steps = 40, table_count = 50 };

class FluidOp final : public vorton::Operation<HostOp, vorton::OpList<4> > {
  public:
    explicit FluidOp(vorton::OpList<4> &&ops) : Operation(static_cast<vorton::OpList<4> &&>(ops), "fluid") {}
    void operate(Particle *particles, size_t &count, float dt, uint32_t frame) override {
        vorton::View<Particle> view(particles, count, capacity);
        view.bind<VORTON_POSITION>(&Particle::position).bind<VORTON_VELOCITY>(&Particle::velocity).bind(VORTON_AGE, &Particle::age);
        VortonOpResult result = vorton::op_result();
        CHECK(run(view, dt, frame, &result));
        count = result.count;
    }
};

uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = static_cast<const unsigned char *>(bytes);
    for (size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
    return hash;
}

void count_errors(int32_t, const char *, void *user) { ++*static_cast<int *>(user); }

vorton::Op make(vorton::World &world, uint32_t type) {
    vorton::Result<vorton::Op> made = world.create_op(vorton_default_op_def(type));
    CHECK(made);
    return made.take();
}

void same_as_in_c() {
    static Particle particles[capacity];
    static VortonVec3 column_positions[capacity], column_velocities[capacity];
    static Particle *table[table_count];
    const float dt = 1.0f / 60.0f;

    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = 0.2f;
    vorton::Result<vorton::World> made = vorton::World::create(def);
    CHECK(made);
    vorton::World world = made.take();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.circulation = 3.0f;
    CHECK(world.add_initial(ring).value() == ring.count);
    VortonEmitterDef source = vorton_default_emitter_def();
    source.position = vec3(0.0f, 0.0f, -1.0f);
    source.strength = vec3(0.01f, 0.0f, 0.02f);
    vorton::Emitter emitter = world.create_emitter(source).take();
    VortonTracersDef set = vorton_default_tracers_def();
    set.capacity = 64;
    vorton::Tracers tracers = world.create_tracers(set).take();
    VortonBodyDef ball = vorton_default_body_def();
    ball.position = vec3(0.0f, 0.0f, 0.6f);
    vorton::Body body = world.create_body(ball).take();
    CHECK(emitter && tracers && body);
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    sphere.radius = 0.3f;
    CHECK(body.add_shape(sphere));

    VortonOpDef kill = vorton_default_op_def(VORTON_OP_KILL);
    kill.kill_mode = VORTON_KILL_COMPACT;
    kill.max_age = 0.75f;
    vorton::OpList<4> list;
    CHECK(list.add(world, vorton_default_op_def(VORTON_OP_VELOCITY)));
    CHECK(list.add(world, vorton_default_op_def(VORTON_OP_ADVECT)));
    CHECK(list.add(world, vorton_default_op_def(VORTON_OP_AGE)));
    CHECK(list.add(world, kill));
    CHECK(list.add(world, kill).code() == VORTON_ERR_CAPACITY);
    FluidOp fluid(static_cast<vorton::OpList<4> &&>(list));
    HostOp &host = fluid;
    CHECK(strcmp(host.name(), "fluid") == 0);
    vorton::OpList<2> pair;
    CHECK(pair.add(world, vorton_default_op_def(VORTON_OP_VELOCITY)));
    CHECK(pair.add(world, vorton_default_op_def(VORTON_OP_ADVECT)));

    for (uint32_t i = 0; i < capacity; ++i) {
        const uint32_t n = i * 4u;
        particles[i].position.x = 2.0f * random_unit(n) - 1.0f;
        particles[i].position.y = 2.0f * random_unit(n + 1) - 1.0f;
        particles[i].position.z = random_unit(n + 2);
        particles[i].age = 0.2f * random_unit(n + 3);
        column_positions[i] = vec3(particles[i].position.x, particles[i].position.y, particles[i].position.z);
    }
    CHECK(tracers.add(column_positions, 64));

    size_t count = capacity;
    uint64_t hash = 14695981039346656037u;
    for (uint32_t frame = 0; frame < steps; ++frame) {
        CHECK(world.step(dt));
        host.operate(particles, count, dt, frame);
        vorton::Columns columns(capacity);
        columns.column<VORTON_POSITION>(column_positions).column<VORTON_VELOCITY>(column_velocities);
        CHECK(pair.run(columns, dt, frame));
        const vorton::Result<VortonBodyImpulse> impulse = body.take_impulse();
        vorton::Result<VortonBodyState> state = body.read();
        CHECK(impulse && state);
        state->velocity.z += impulse->linear.z / ball.mass;
        CHECK(body.set_state(*state));
        hash = mix(hash, &*impulse, sizeof *impulse);
    }

    for (int i = 0; i < table_count; ++i) table[i] = &particles[table_count - 1 - i];
    vorton::View<Particle> view = vorton::View<Particle>::table(table, table_count, table_count);
    view.bind<VORTON_POSITION>(&Particle::position).bind<VORTON_VELOCITY>(&Particle::velocity);
    CHECK(pair.run(view, dt, steps));

    const VortonVec3 points[2] = {vec3(0.0f, 0.0f, 1.0f), vec3(0.5f, 0.5f, 0.5f)};
    VortonVec3 velocities[2];
    CHECK(world.sample<VORTON_SAMPLE_VELOCITY>(points, velocities, 2));
    const vorton::Result<VortonStats> stats = world.stats();
    CHECK(stats);
    hash = mix(hash, particles, sizeof particles);
    hash = mix(hash, column_positions, sizeof column_positions);
    hash = mix(hash, velocities, sizeof velocities);
    printf("world %016llx, hosts %016llx, %u particles, %u tracers, %u vortons\n",
           static_cast<unsigned long long>(world.hash().value()), static_cast<unsigned long long>(hash),
           static_cast<unsigned>(count), static_cast<unsigned>(tracers.count().value()),
           static_cast<unsigned>(stats->vortons));
}

} // namespace

template <> struct vorton::Layout<Odd> : vorton::Components<float, 3> {};

namespace {

// Descriptions of views: offsets, strides and formats from the types of members.
void views_say_what_structs_are() {
    struct Other {
        double position[3];
        float orientation[4];
        struct alignas(16) Padded {
            float x, y, z;
        } velocity;
        uint32_t flags;
        int32_t birth;
    };
    static Particle particles[3];
    vorton::View<Particle> view(particles, 2, 3);
    view.bind<VORTON_ANGULAR_VELOCITY>(&Particle::spin_axis).bind<VORTON_FLAGS>(&Particle::flags);
    view.bind<VORTON_BIRTH_FRAME>(&Particle::birth).bind(VORTON_USER0 + 3, &Particle::age);
    const VortonParticleView *got = view.get();
    CHECK(got->count == 2 && got->capacity == 3 && got->element_size == sizeof(Particle) && got->stream_count == 4);
    CHECK(got->streams[0].format == VORTON_F32X3 && got->streams[1].format == VORTON_U32);
    CHECK(got->streams[2].format == VORTON_I32 && got->streams[3].format == VORTON_F32);
    CHECK(got->streams[3].semantic == VORTON_USER0 + 3);
    for (int i = 0; i < 4; ++i) CHECK(got->streams[i].base == particles && got->streams[i].stride == sizeof(Particle));
    const char *const start = reinterpret_cast<const char *>(particles);
    CHECK(start + got->streams[1].offset == reinterpret_cast<const char *>(&particles[0].flags));

    static Other others[2];
    vorton::View<Other> other(others, 2);
    other.bind<VORTON_POSITION>(&Other::position).bind<VORTON_ORIENTATION>(&Other::orientation);
    other.bind<VORTON_VELOCITY>(&Other::velocity);
    got = other.get();
    CHECK(got->streams[0].format == VORTON_F64X3 && got->streams[1].format == VORTON_QUAT_F32);
    CHECK(got->streams[2].format == VORTON_F32X4);
    CHECK(other.check());

    struct Masked {
        bool alive;
        uint8_t dead;
    };
    static Masked masked[2];
    vorton::View<Masked> mask(masked, 2);
    mask.bind<VORTON_ALIVE>(&Masked::alive);
    CHECK(mask.get()->streams[0].format == VORTON_U8 && mask.check());
    mask.bind<VORTON_DEAD>(&Masked::dead);
    CHECK(mask.get()->streams[1].offset == 1 && !mask.check());

    // An attribute chosen at run time is checked when the view is used.
    vorton::View<Particle> wrong(particles, 2);
    wrong.bind(VORTON_POSITION, &Particle::age);
    const vorton::Status status = wrong.check();
    CHECK(status.code() == VORTON_ERR_BAD_STREAM && strstr(status.text().c_str(), "stream") != nullptr);

    // So is the number of streams.
    static float values[33][2];
    vorton::Columns many(2);
    for (int i = 0; i < 33; ++i) many.add(static_cast<uint32_t>(VORTON_USER0 + i % 16), VORTON_F32, sizeof(float), 0, values[i]);
    CHECK(!many.check());
}

// Each object is destroyed once after any moves, and children may outlive their world.
void owners_own_once() {
    vorton::World world = vorton::World::create().take();
    vorton::Body body = world.create_body(vorton_default_body_def()).take();
    const VortonBodyId id = body.id();
    vorton::Shape shape = body.create_shape(vorton_default_shape_def(VORTON_SHAPE_BOX)).take();
    vorton::Body moved(static_cast<vorton::Body &&>(body));
    CHECK(!body && moved && moved.is_valid() && moved.number().value() == 1);
    CHECK(body.set_mass(2.0f).code() == VORTON_ERR_STALE_ID);
    {
        vorton::Body gone = world.create_body(vorton_default_body_def()).take();
        gone = static_cast<vorton::Body &&>(moved);
        CHECK(vorton_body_is_valid(world.id(), id) && world.stats()->bodies == 1);
    }
    CHECK(!vorton_body_is_valid(world.id(), id) && world.stats()->bodies == 0);
    CHECK(shape.destroy()); // Already destroyed with its body.

    vorton::Op op = make(world, VORTON_OP_ADVECT);
    vorton::OpList<3> list, other_list;
    CHECK(list.add(world, vorton_default_op_def(VORTON_OP_ADVECT)) && list.count() == 1);
    const VortonOpId listed = list[0].id();
    other_list = static_cast<vorton::OpList<3> &&>(list);
    CHECK(list.count() == 0 && other_list.count() == 1);
    CHECK(other_list[0].id().index1 == listed.index1 && other_list[0].update(vorton_default_op_def(VORTON_OP_AGE)));
    static float ages[4];
    vorton::Columns columns(4);
    columns.column<VORTON_AGE>(ages);
    CHECK(other_list.run(columns, 0.25f, 0) && ages[3] == 0.25f);
    const uint32_t indices[2] = {0, 3};
    CHECK(other_list.run(columns.only(indices, 2), 0.25f, 1) && ages[3] == 0.5f && ages[2] == 0.25f);
    vorton::World other = vorton::World::create().take();
    vorton::World *const self = &other;
    other = static_cast<vorton::World &&>(*self);
    CHECK(other && world);
    const VortonWorldId first = world.id();
    world = static_cast<vorton::World &&>(other);
    CHECK(!vorton_world_is_valid(first) && world && !other);
    CHECK(op && op.destroy() && !op);
}

// An object destroyed by a reset, or with a world, is not destroyed again by its owner, and no error is
// logged.
void owners_of_what_has_gone_are_silent(const int *errors) {
    vorton::World world = vorton::World::create().take();
    for (int round = 0; round < 3; ++round) {
        VortonTracersDef set = vorton_default_tracers_def();
        set.capacity = 8;
        const vorton::Emitter emitter = world.create_emitter(vorton_default_emitter_def()).take();
        const vorton::Tracers tracers = world.create_tracers(set).take();
        const vorton::Op op = make(world, VORTON_OP_AGE);
        vorton::Body body = world.create_body(vorton_default_body_def()).take();
        const vorton::Shape shape = body.create_shape(vorton_default_shape_def(VORTON_SHAPE_BOX)).take();
        CHECK(emitter.is_valid() && tracers.is_valid() && op.is_valid() && body.is_valid() && shape.is_valid());
        // In the last round all are destroyed by their owners.
        if (round == 0) CHECK(world.reset());
        if (round == 0) CHECK(op.is_valid());
        if (round == 1) CHECK(vorton_world_destroy(world.id()) >= 0);
        const bool live = round == 2;
        CHECK(emitter.is_valid() == live && tracers.is_valid() == live && body.is_valid() == live && shape.is_valid() == live);
        if (round == 1) CHECK(!op.is_valid() && world.destroy());
        if (round == 1) world = vorton::World::create().take();
    }
    CHECK(world.stats()->bodies == 0 && *errors == 0);
    size_t count = 7;
    CHECK(world.emitters(nullptr, 0, &count) && count == 0 && world.tracers(nullptr, 0, &count) && count == 0);
}

void failures_have_a_sentence() {
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = -1.0f;
    const vorton::Result<vorton::World> made = vorton::World::create(def);
    CHECK(!made && !made.value() && made.status().code() == VORTON_ERR_BAD_VALUE);
    CHECK(strcmp(made.status().name(), "VORTON_ERR_BAD_VALUE") == 0);
    CHECK(strstr(made.status().text().c_str(), "core_radius") != nullptr);
    CHECK(strcmp(vorton::Status().text().c_str(), "VORTON_OK") == 0);
}

} // namespace

extern "C" void __cxa_pure_virtual() { abort(); }

int main() {
    int errors = 0;
    failures_have_a_sentence();
    views_say_what_structs_are();
    CHECK(vorton::set_log(count_errors, &errors, VORTON_LOG_ERROR));
    same_as_in_c();
    owners_of_what_has_gone_are_silent(&errors);
    const int before = errors;
    owners_own_once();
    // One call was made on an owner without a body, on purpose.
    CHECK(before == 0 && errors == 1);
    CHECK(vorton::set_log(nullptr, nullptr, VORTON_LOG_ERROR));
    return 0;
}
