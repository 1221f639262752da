// OGRE 1.12: particles are a std::list of pointers to Ogre::Particle (88 bytes), each allocated separately.
//
// The library's operation is a ParticleAffector. Each frame it writes the addresses into a table (8 bytes per
// particle; particles themselves are not copied) and passes the table to the library. VELOCITY is the only
// operation: the engine handles time to live, death and position += direction * time, in this order: it
// expires particles, runs affectors, then moves particles. The fluid is sampled at the middle of that motion.
#include "vorton.hpp"

#include "sparks.h"

#include <Ogre.h>
#include <OgreDefaultHardwareBufferManager.h>
#include <OgreParticle.h>
#include <OgreParticleAffector.h>
#include <OgreParticleAffectorFactory.h>
#include <OgreParticleSystem.h>
#include <OgreParticleSystemManager.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

// --- The bridge ----------------------------------------------------------------------------------

class FluidAffector : public vorton::Operation<Ogre::ParticleAffector> {
  public:
    FluidAffector(vorton::Op op, Ogre::ParticleSystem *system) : Operation(std::move(op), system) { mType = "Fluid"; }

    void _affectParticles(Ogre::ParticleSystem *system, Ogre::Real dt) override {
        table_.assign(system->_getActiveParticles().begin(), system->_getActiveParticles().end());
        if (table_.empty()) return;
        vorton::View<Ogre::Particle> view =
            vorton::View<Ogre::Particle>::table(table_.data(), table_.size(), table_.size());
        view.bind<VORTON_POSITION>(&Ogre::Particle::mPosition).bind<VORTON_VELOCITY>(&Ogre::Particle::mDirection);
        const double start = spark_seconds();
        spark_check(run(view, dt, frame++).code(), "run");
        seconds += spark_seconds() - start;
    }

    uint32_t frame = 0;
    double seconds = 0;

  private:
    std::vector<Ogre::Particle *> table_;
};

// Creates affectors of this kind for systems and for scripts that name them.
class FluidAffectorFactory : public Ogre::ParticleAffectorFactory {
  public:
    explicit FluidAffectorFactory(vorton::World &world) : world_(world) {}

    Ogre::String getName() const override { return "Fluid"; }
    Ogre::ParticleAffector *createAffector(Ogre::ParticleSystem *system) override {
        vorton::Result<vorton::Op> op = world_.create_op(vorton_default_op_def(VORTON_OP_VELOCITY));
        spark_check(op.status().code(), "create_op");
        Ogre::ParticleAffector *affector = OGRE_NEW FluidAffector(op.take(), system);
        mAffectors.push_back(affector);
        return affector;
    }

  private:
    vorton::World &world_;
};

// --- The game ------------------------------------------------------------------------------------

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("usage: ogre FILE\n");
        return EXIT_FAILURE;
    }
    VortonWorldId id = VortonWorldId();
    spark_check(spark_world(1.0f, &id), "spark_world");
    vorton::World world(id);

    // An engine without a render system and a window: the log is suppressed, and the remainder is the setup
    // of Root::initialise.
    Ogre::LogManager log;
    log.createLog("", true, false, true);
    Ogre::Root root("", "", "");
    Ogre::DefaultHardwareBufferManager buffers;
    Ogre::MaterialManager::getSingleton().initialise();
    Ogre::ParticleSystemManager &manager = Ogre::ParticleSystemManager::getSingleton();
    manager._initialise();
    FluidAffectorFactory factory(world);
    manager.addAffectorFactory(&factory);
    Ogre::ControllerManager controllers;
    Ogre::SceneManager *scene = root.createSceneManager();
    Ogre::ParticleSystem *system = scene->createParticleSystem("sparks", SPARKS);
    FluidAffector *fluid = static_cast<FluidAffector *>(system->addAffector("Fluid"));
    scene->getRootSceneNode()->attachObject(system);
    system->_update(0); // Creates the particles of the pool.
    for (uint32_t i = 0; i < SPARKS; ++i) {
        float start[3];
        spark_start(i, start);
        Ogre::Particle *spark = system->createParticle();
        spark->mPosition = Ogre::Vector3(start[0], start[1], start[2]);
        spark->mDirection = Ogre::Vector3::ZERO;
        spark->mTimeToLive = spark->mTotalTimeToLive = spark_lifetime_frames(i) * SPARK_DT;
        spark->mColour.r = static_cast<float>(i); // Its number, exact in a float.
    }

    for (int frame = 0; frame < SPARK_FRAMES; ++frame) {
        spark_check(world.step(SPARK_DT).code(), "step");
        system->_update(SPARK_DT);
    }

    std::vector<SparkEnd> ends(SPARKS, SparkEnd());
    const Ogre::Particle *last = nullptr;
    int adjacent = 0;
    for (const Ogre::Particle *spark : system->_getActiveParticles()) {
        SparkEnd &end = ends[static_cast<size_t>(spark->mColour.r)];
        memcpy(end.position, spark->mPosition.ptr(), sizeof end.position);
        end.is_alive = 1;
        adjacent += last != nullptr && spark == last + 1;
        last = spark;
    }
    // The engine's position += direction * time rounds as ADVECT does, unless its compiler has fused the two
    // operations into one (which GCC does by default for processors that always have it, such as AArch64).
#ifdef __FP_FAST_FMAF
    const double tolerance = 1e-4;
#else
    const double tolerance = 0.0;
#endif
    const SparkReport report = {"OGRE", "VELOCITY; the engine moves and ages", sizeof(Ogre::Particle),
                                spark_frame_ms(fluid->seconds), tolerance};
    const int failed = spark_compare(&report, ends.data(), argv[1]);
    printf("         a table of pointers; %d particles lie behind the one before\n", adjacent);
    scene->destroyParticleSystem(system);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
