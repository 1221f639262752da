// Irrlicht 1.8: particles are one array of SParticle (68 bytes), which the engine passes to its affectors.
//
// Irrlicht counts time in milliseconds and moves particles by SParticle::vector * milliseconds. Two ways to
// integrate the library, both without a copy:
//
// - The library moves the particles: VELOCITY and ADVECT, in seconds. Velocity is written to startVector,
//   which the engine itself only writes at birth, and vector stays 0, so the engine's motion is exactly zero.
// - The engine moves them: VELOCITY alone, written to vector, in a world with the millisecond as its unit of
//   time. The engine's affectors for gravity and attraction also work then.
//
// The engine handles birth, age and death in both.
#include "vorton.hpp"

#include "sparks.h"

#include <irrlicht.h>

#include <utility>
#include <vector>

using irr::scene::SParticle;

// --- The bridge ----------------------------------------------------------------------------------

namespace vorton {
// Members X, Y, Z.
template <> struct Layout<irr::core::vector3df> : Components<float, 3> {};
} // namespace vorton

class FluidAffector : public vorton::Operation<irr::scene::IParticleAffector, vorton::OpList<> > {
  public:
    // `dt` is in the world's unit of time.
    FluidAffector(vorton::OpList<> ops, irr::core::vector3df SParticle::*velocity, float dt)
        : Operation(std::move(ops)), velocity_(velocity), dt_(dt) {}

    void affect(irr::u32, SParticle *particles, irr::u32 count) override {
        vorton::View<SParticle> view(particles, count);
        view.bind<VORTON_POSITION>(&SParticle::pos).bind<VORTON_VELOCITY>(velocity_);
        const double start = spark_seconds();
        spark_check(run(view, dt_, frame++).code(), "run");
        seconds += spark_seconds() - start;
    }
    irr::scene::E_PARTICLE_AFFECTOR_TYPE getType() const override { return irr::scene::EPAT_NONE; }

    uint32_t frame = 0;
    double seconds = 0;

  private:
    irr::core::vector3df SParticle::*velocity_;
    float dt_;
};

// --- The game ------------------------------------------------------------------------------------

// Irrlicht's point emitter, with all sparks at once in place of random ones.
class SparkEmitter : public irr::scene::IParticleEmitter {
  public:
    explicit SparkEmitter(irr::scene::IParticleEmitter *defaults) : defaults_(defaults), is_done_(false) {}

    irr::s32 emitt(irr::u32 now, irr::u32, SParticle *&out) override {
        if (is_done_) return 0;
        is_done_ = true;
        sparks_.resize(SPARKS);
        for (uint32_t i = 0; i < SPARKS; ++i) {
            SParticle &spark = sparks_[i];
            float start[3];
            spark_start(i, start);
            spark = SParticle();
            spark.pos.set(start[0], start[1], start[2]);
            spark.startTime = now;
            // Half a frame is a whole number of milliseconds, too. The first frame is that of its birth.
            const float frames = spark_lifetime_frames(i) - 1.0f;
            spark.endTime = now + static_cast<irr::u32>(frames * static_cast<float>(SPARK_FRAME_MS));
            spark.color.color = spark.startColor.color = i; // Its number: the engine fills gaps from the end.
        }
        out = sparks_.data();
        return SPARKS;
    }
    void setDirection(const irr::core::vector3df &v) override { defaults_->setDirection(v); }
    void setMinParticlesPerSecond(irr::u32 n) override { defaults_->setMinParticlesPerSecond(n); }
    void setMaxParticlesPerSecond(irr::u32 n) override { defaults_->setMaxParticlesPerSecond(n); }
    void setMinStartColor(const irr::video::SColor &c) override { defaults_->setMinStartColor(c); }
    void setMaxStartColor(const irr::video::SColor &c) override { defaults_->setMaxStartColor(c); }
    void setMaxStartSize(const irr::core::dimension2df &s) override { defaults_->setMaxStartSize(s); }
    void setMinStartSize(const irr::core::dimension2df &s) override { defaults_->setMinStartSize(s); }
    void setMinLifeTime(irr::u32 t) override { defaults_->setMinLifeTime(t); }
    void setMaxLifeTime(irr::u32 t) override { defaults_->setMaxLifeTime(t); }
    void setMaxAngleDegrees(irr::s32 a) override { defaults_->setMaxAngleDegrees(a); }
    const irr::core::vector3df &getDirection() const override { return defaults_->getDirection(); }
    irr::u32 getMinParticlesPerSecond() const override { return defaults_->getMinParticlesPerSecond(); }
    irr::u32 getMaxParticlesPerSecond() const override { return defaults_->getMaxParticlesPerSecond(); }
    const irr::video::SColor &getMinStartColor() const override { return defaults_->getMinStartColor(); }
    const irr::video::SColor &getMaxStartColor() const override { return defaults_->getMaxStartColor(); }
    const irr::core::dimension2df &getMaxStartSize() const override { return defaults_->getMaxStartSize(); }
    const irr::core::dimension2df &getMinStartSize() const override { return defaults_->getMinStartSize(); }
    irr::u32 getMinLifeTime() const override { return defaults_->getMinLifeTime(); }
    irr::u32 getMaxLifeTime() const override { return defaults_->getMaxLifeTime(); }
    irr::s32 getMaxAngleDegrees() const override { return defaults_->getMaxAngleDegrees(); }

  private:
    irr::scene::IParticleEmitter *defaults_;
    std::vector<SParticle> sparks_;
    bool is_done_;
};

// Reads the engine's array, which only affectors can access.
class Reader : public irr::scene::IParticleAffector {
  public:
    void affect(irr::u32, SParticle *particles, irr::u32 count) override {
        ends.assign(SPARKS, SparkEnd());
        for (irr::u32 i = 0; i < count; ++i) {
            SparkEnd &end = ends[particles[i].startColor.color];
            end.position[0] = particles[i].pos.X;
            end.position[1] = particles[i].pos.Y;
            end.position[2] = particles[i].pos.Z;
            end.is_alive = 1;
        }
    }
    irr::scene::E_PARTICLE_AFFECTOR_TYPE getType() const override { return irr::scene::EPAT_NONE; }

    std::vector<SparkEnd> ends;
};

static int play(irr::IrrlichtDevice *device, bool engine_moves, const char *golden) {
    // Units of the world's time per second.
    const float second = engine_moves ? 1000.0f : 1.0f;
    const float dt = engine_moves ? static_cast<float>(SPARK_FRAME_MS) : SPARK_DT;
    VortonWorldId id = VortonWorldId();
    spark_check(spark_world(second, &id), "spark_world");
    vorton::World world(id);
    vorton::OpList<> ops;
    spark_check(ops.add(world, vorton_default_op_def(VORTON_OP_VELOCITY)).code(), "add");
    if (!engine_moves) spark_check(ops.add(world, vorton_default_op_def(VORTON_OP_ADVECT)).code(), "add");

    irr::scene::ISceneManager *scene = device->getSceneManager();
    irr::scene::IParticleSystemSceneNode *system = scene->addParticleSystemSceneNode(false);
    irr::scene::IParticleEmitter *defaults = system->createPointEmitter();
    SparkEmitter *emitter = new SparkEmitter(defaults);
    FluidAffector *fluid =
        new FluidAffector(std::move(ops), engine_moves ? &SParticle::vector : &SParticle::startVector, dt);
    Reader *reader = new Reader;
    system->setEmitter(emitter);
    system->addAffector(fluid);

    // The engine's clock is set by hand. In its first frame a particle system only records the time.
    irr::u32 now = 1000;
    device->getTimer()->stop();
    device->getTimer()->setTime(now);
    scene->drawAll();
    for (int frame = 0; frame < SPARK_FRAMES; ++frame) {
        spark_check(world.step(dt).code(), "step");
        now += SPARK_FRAME_MS;
        device->getTimer()->setTime(now);
        scene->drawAll();
    }
    // One more frame of length 0, without the fluid, to read the array.
    system->removeAllAffectors();
    system->addAffector(reader);
    scene->drawAll();

    // Numbers in m/ms round differently from numbers in m/s. 120 roundings of positions below 4 m, each by at
    // most 1.2e-7 m, add up to 1.4e-5 m; the flow separates neighbours, most near the cores: measured 3.5e-5
    // m.
    const double tolerance = engine_moves ? 1e-4 : 0.0;
    const char *run = engine_moves ? "VELOCITY; the engine moves, in ms" : "VELOCITY, ADVECT; the engine ages";
    const SparkReport report = {"Irrlicht", run, sizeof(SParticle), spark_frame_ms(fluid->seconds), tolerance};
    const int failed = spark_compare(&report, reader->ends.data(), golden);
    system->removeAllAffectors();
    system->setEmitter(nullptr);
    system->remove();
    fluid->drop();
    reader->drop();
    emitter->drop();
    defaults->drop();
    return failed;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("usage: irrlicht FILE\n");
        return EXIT_FAILURE;
    }
    irr::SIrrlichtCreationParameters parameters;
    parameters.DriverType = irr::video::EDT_NULL;
    parameters.LoggingLevel = irr::ELL_ERROR;
    irr::IrrlichtDevice *device = irr::createDeviceEx(parameters);
    if (device == nullptr) {
        printf("FAILED: no device\n");
        return EXIT_FAILURE;
    }
    const int failed = play(device, false, argv[1]) + play(device, true, argv[1]);
    device->drop();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
