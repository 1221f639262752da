// OpenSceneGraph 3.6: particles are one std::vector of osgParticle::Particle (280 bytes, protected fields);
// dead particles stay in the vector until an emitter reuses them.
//
// The library's operation is an osgParticle::Operator in a ModularProgram, next to the engine's operators.
// The view has a list of the living particles. VELOCITY is the only operation: the engine handles position +=
// velocity * dt, age and death after its programs, and the fluid is sampled at the middle of the engine's
// displacement of a particle, so the combination is second order in time.
#include "vorton.hpp"

#include "sparks.h"

#include <osg/FrameStamp>
#include <osg/Group>
#include <osg/Viewport>
#include <osgParticle/ModularProgram>
#include <osgParticle/ParticleSystem>
#include <osgParticle/ParticleSystemUpdater>
#include <osgUtil/CullVisitor>

#include <utility>
#include <vector>

// --- The bridge ----------------------------------------------------------------------------------

namespace vorton {
// One member, an array of three floats.
template <> struct Layout<osg::Vec3f> : Components<float, 3> {};
} // namespace vorton

// The fields are protected: a class derived from Particle may access them.
struct Fields : osgParticle::Particle {
    static osg::Vec3f osgParticle::Particle::*position() { return &Fields::_position; }
    static osg::Vec3f osgParticle::Particle::*velocity() { return &Fields::_velocity; }
};

class FluidOperator : public vorton::Operation<osgParticle::Operator> {
  public:
    explicit FluidOperator(vorton::Op op) : Operation(std::move(op)) {}

    void operateParticles(osgParticle::ParticleSystem *system, double dt) override {
        const int count = system->numParticles();
        if (!isEnabled() || count == 0) return;
        living_.clear();
        for (int i = 0; i < count; ++i)
            if (system->getParticle(i)->isAlive()) living_.push_back(static_cast<uint32_t>(i));
        if (living_.empty()) return;
        vorton::View<osgParticle::Particle> view(system->getParticle(0), static_cast<size_t>(count));
        view.bind<VORTON_POSITION>(Fields::position()).bind<VORTON_VELOCITY>(Fields::velocity());
        view.only(living_.data(), living_.size());
        const double start = spark_seconds();
        spark_check(run(view, static_cast<float>(dt), frame++).code(), "run");
        seconds += spark_seconds() - start;
    }
    void operate(osgParticle::Particle *, double) override {} // Replaced by the function above.

    uint32_t frame = 0;
    double seconds = 0;
    size_t living() const { return living_.size(); }

    // As META_Object writes: the engine's files identify the class by its name. A clone is independent.
    osg::Object *cloneType() const override { return nullptr; }
    osg::Object *clone(const osg::CopyOp &) const override { return nullptr; }
    const char *className() const override { return "FluidOperator"; }

  private:
    std::vector<uint32_t> living_;
};

// --- The game ------------------------------------------------------------------------------------

int main(int argc, char **argv) {
    if (argc != 2) {
        printf("usage: osg FILE\n");
        return EXIT_FAILURE;
    }
    VortonWorldId id = VortonWorldId();
    spark_check(spark_world(1.0f, &id), "spark_world");
    vorton::World world(id);
    vorton::Result<vorton::Op> velocity = world.create_op(vorton_default_op_def(VORTON_OP_VELOCITY));
    spark_check(velocity.status().code(), "create_op");

    osg::ref_ptr<osgParticle::ParticleSystem> system = new osgParticle::ParticleSystem;
    system->setFreezeOnCull(false); // Nothing is drawn here.
    for (uint32_t i = 0; i < SPARKS; ++i) {
        float start[3];
        spark_start(i, start);
        osgParticle::Particle *spark = system->createParticle(nullptr);
        spark->setPosition(osg::Vec3f(start[0], start[1], start[2]));
        spark->setVelocity(osg::Vec3f());
        spark->setLifeTime(static_cast<double>(spark_lifetime_frames(i)) * static_cast<double>(SPARK_DT));
    }
    osg::ref_ptr<FluidOperator> fluid = new FluidOperator(velocity.take());
    osg::ref_ptr<osgParticle::ModularProgram> program = new osgParticle::ModularProgram;
    program->setParticleSystem(system.get());
    program->addOperator(fluid.get());
    osg::ref_ptr<osgParticle::ParticleSystemUpdater> updater = new osgParticle::ParticleSystemUpdater;
    updater->addParticleSystem(system.get());
    osg::ref_ptr<osg::Group> root = new osg::Group;
    root->addChild(program.get());
    root->addChild(updater.get()); // After the program, as in every scene with particles.

    // Programs and updaters run when a view is culled; this view has no window. Both use the time since the
    // previous view, so the first view only sets their clocks.
    osg::ref_ptr<osgUtil::CullVisitor> cull = new osgUtil::CullVisitor;
    osg::ref_ptr<osg::FrameStamp> stamp = new osg::FrameStamp;
    cull->setFrameStamp(stamp.get());
    cull->pushViewport(new osg::Viewport(0, 0, 1, 1));
    cull->pushProjectionMatrix(new osg::RefMatrix);
    cull->pushModelViewMatrix(new osg::RefMatrix, osg::Transform::ABSOLUTE_RF);
    for (unsigned frame = 0; frame <= SPARK_FRAMES; ++frame) {
        if (frame > 0) spark_check(world.step(SPARK_DT).code(), "step");
        stamp->setFrameNumber(frame + 1);
        stamp->setSimulationTime(static_cast<double>(frame * SPARK_FRAME_MS) / 1000.0);
        root->accept(*cull);
    }

    std::vector<SparkEnd> ends(SPARKS, SparkEnd());
    int dead = 0;
    for (int i = 0; i < system->numParticles(); ++i) {
        const osgParticle::Particle *spark = system->getParticle(i);
        dead += !spark->isAlive();
        if (!spark->isAlive()) continue;
        SparkEnd &end = ends[static_cast<size_t>(i)]; // Particles keep their index, which is the number.
        memcpy(end.position, spark->getPosition().ptr(), sizeof end.position);
        end.is_alive = 1;
    }
    // The engine's position += velocity * dt rounds as ADVECT does, unless its compiler has fused the two
    // operations into one (which GCC does by default for processors that always have it, such as AArch64).
#ifdef __FP_FAST_FMAF
    const double tolerance = 1e-4;
#else
    const double tolerance = 0.0;
#endif
    const SparkReport report = {"OSG", "VELOCITY; the engine moves and ages", sizeof(osgParticle::Particle),
                                spark_frame_ms(fluid->seconds), tolerance};
    const int failed = spark_compare(&report, ends.data(), argv[1]);
    printf("         the %d dead lie among the living; the last view had an index list of %d\n", dead,
           static_cast<int>(fluid->living()));
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
