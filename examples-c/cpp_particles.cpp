// An engine's particle system in C++ coupled to the fluid with vorton.hpp. The engine has its own particle
// type and base class of affectors, independent of the library; FluidAffector is the bridge. Prints how far a
// ring carries 20,000 sparks; exits with 1 if the distance differs from theory.
#include "vorton.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

// --- The engine ----------------------------------------------------------------------------------

struct Spark {
    struct {
        float x, y, z;
    } position, velocity;
    float age;
    uint32_t colour;
};

class Affector {
  public:
    virtual ~Affector() {}
    virtual bool affect(std::vector<Spark> &sparks, float dt) = 0;
};

class ParticleSystem {
  public:
    std::vector<Spark> sparks;
    void add(std::unique_ptr<Affector> affector) { affectors_.push_back(std::move(affector)); }
    bool update(float dt) {
        for (const std::unique_ptr<Affector> &affector : affectors_)
            if (!affector->affect(sparks, dt)) return false;
        return true;
    }

  private:
    std::vector<std::unique_ptr<Affector> > affectors_;
};

// --- The bridge ----------------------------------------------------------------------------------

class FluidAffector : public vorton::Operation<Affector, vorton::OpList<> > {
  public:
    explicit FluidAffector(vorton::OpList<> ops) : Operation(std::move(ops)), frame_(0) {}

    bool affect(std::vector<Spark> &sparks, float dt) override {
        vorton::View<Spark> view(sparks.data(), sparks.size(), sparks.capacity());
        view.bind<VORTON_POSITION>(&Spark::position).bind<VORTON_VELOCITY>(&Spark::velocity).bind<VORTON_AGE>(&Spark::age);
        VortonOpResult result = vorton::op_result();
        const vorton::Status status = run(view, dt, frame_++, &result);
        if (!status) std::printf("%s\n", status.text().c_str());
        sparks.resize(result.count); // The killed are gone; the others have closed up, in order.
        return static_cast<bool>(status);
    }

  private:
    uint32_t frame_;
};

// --- The game ------------------------------------------------------------------------------------

static int fail(vorton::Status status) {
    std::printf("%s: %s\n", status.name(), status.text().c_str());
    return 1;
}

int main() {
    const float dt = 1.0f / 60.0f, core = 0.2f, circulation = 5.0f;
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = core;
    vorton::Result<vorton::World> made = vorton::World::create(def);
    if (!made) return fail(made.status());
    vorton::World world = made.take();
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.circulation = circulation;
    const vorton::Result<size_t> added = world.add_initial(ring);
    if (!added) return fail(added.status());

    vorton::OpList<> ops;
    const uint32_t types[] = {VORTON_OP_VELOCITY, VORTON_OP_ADVECT, VORTON_OP_AGE, VORTON_OP_KILL};
    for (uint32_t type : types) {
        VortonOpDef op = vorton_default_op_def(type);
        op.kill_mode = VORTON_KILL_COMPACT;
        op.max_age = 1.5f;
        const vorton::Status status = ops.add(world, op);
        if (!status) return fail(status);
    }
    ParticleSystem system;
    system.add(std::unique_ptr<Affector>(new FluidAffector(std::move(ops))));

    // Sparks in the middle of the ring, of ages up to a second: half of them die within the next second.
    const int count = 20000;
    for (int i = 0; i < count; ++i) {
        const float share = static_cast<float>(i) / count, angle = 2.399963f * static_cast<float>(i);
        Spark spark = Spark();
        spark.position.x = 0.3f * std::sqrt(share) * std::cos(angle);
        spark.position.y = 0.3f * std::sqrt(share) * std::sin(angle);
        spark.age = static_cast<float>(i % 1000) / 1000.0f;
        spark.colour = static_cast<uint32_t>(i);
        system.sparks.push_back(spark);
    }

    for (int frame = 0; frame < 60; ++frame) {
        const vorton::Status status = world.step(dt);
        if (!status) return fail(status);
        if (!system.update(dt)) return 1;
    }

    double height = 0;
    for (const Spark &spark : system.sparks) height += static_cast<double>(spark.position.z);
    height /= static_cast<double>(system.sparks.size());
    const vorton::Result<VortonStats> stats = world.stats();
    std::printf("cpp_particles: %d sparks, %d after a second, carried by %.2f m; the ring of %d vortons took %.2f ms a step\n",
                count, static_cast<int>(system.sparks.size()), height, static_cast<int>(stats->vortons),
                static_cast<double>(stats->step_ms));

    // The ring moves at circulation / (4 pi radius) (ln(8 radius / core) - 0.56) = 1.25 m/s. Fluid in its
    // middle moves at circulation / (2 radius) = 2.5 m/s, and slower ahead of it: the result lies between the
    // two.
    const bool half = system.sparks.size() > 9000 && system.sparks.size() < 11000;
    return half && height > 1.2 && height < 2.5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
