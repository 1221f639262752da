// Bullet 3.24: four balls of a btDiscreteDynamicsWorld in water, for 60 s. A buoy floats on a rod, a stone
// sinks to a floor, a drifter as heavy as water is pushed by a vortex ring, and a ball three times as heavy
// hangs on a rod. Then the same with that ball hot: it warms the water.
//
// The fluid is stepped in Bullet's pre-tick callback, setInternalTickCallback(f, user, true). It runs at the
// start of each substep, before Bullet integrates velocities and solves contacts and joints. So fluid and
// bodies take the same steps however Bullet divides a frame; contacts and joints react to the fluid in the
// same substep; and after stepSimulation both are at the same time.
//
// Do not use btActionInterface::updateAction: Bullet calls it after bodies have moved. When a frame is drawn,
// the fluid is then a substep ahead of the bodies (the drifter by 5.6 mm on average here; 2 um in the
// pre-tick callback) and no contact has reacted to its last push (the stone moves up and down on its floor at
// 17 mm/s; 1 um/s). The first substep runs without fluid, and forces added in a frame's last substep are
// cleared before they act.
//
// Prints the momentum of fluid and bodies, and exits with 1 if the balance exceeds its error bounds: see
// LIMITS.
#include "vorton.hpp"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

static void check(vorton::Status status) {
    if (status) return;
    std::printf("FAILED: %s: %s\n", status.name(), status.text().c_str());
    std::exit(EXIT_FAILURE);
}

// --- The bridge ----------------------------------------------------------------------------------

static VortonVec3 to_fluid(const btVector3 &v) {
    const VortonVec3 out = {float(v.x()), float(v.y()), float(v.z())};
    return out;
}
static btVector3 to_bullet(VortonVec3 v) { return btVector3(v.x, v.y, v.z); }

class FluidBodies {
  public:
    explicit FluidBodies(vorton::World &world) : world_(world) {}

    // For spheres; boxes, capsules and hulls work in the same way.
    void add(btRigidBody *engine, VortonBodyDef def) {
        const VortonBodyState state = state_of(*engine);
        def.position = state.position;
        def.rotation = state.rotation;
        def.mass = engine->getInvMass() > 0 ? float(1 / engine->getInvMass()) : 0.0f;
        vorton::Result<vorton::Body> body = world_.create_body(def);
        check(body.status());
        VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
        sphere.radius = float(static_cast<const btSphereShape *>(engine->getCollisionShape())->getRadius());
        check(vorton_shape_create(world_.id(), body->id(), &sphere, nullptr));
        // Bullet puts bodies to sleep that are slow for two seconds, and then applies no impulse to them.
        engine->setActivationState(DISABLE_DEACTIVATION);
        engines_.push_back(engine);
        ids_.push_back(body->release()); // Destroyed with its world.
        states_.push_back(state);
        impulses_.push_back(VortonBodyImpulse());
    }
    // The four calls of a step; Bullet's own step follows.
    void tick(float dt) {
        for (size_t i = 0; i < engines_.size(); ++i) states_[i] = state_of(*engines_[i]);
        check(world_.set_body_states(ids_.data(), states_.data(), ids_.size()));
        check(world_.step(dt));
        check(world_.take_body_impulses(ids_.data(), impulses_.data(), ids_.size()));
        for (size_t i = 0; i < engines_.size(); ++i) {
            engines_[i]->applyCentralImpulse(to_bullet(impulses_[i].linear));
            engines_[i]->applyTorqueImpulse(to_bullet(impulses_[i].angular));
        }
    }

    vorton::World &world() { return world_; }
    size_t count() const { return ids_.size(); }
    btRigidBody &engine(size_t i) { return *engines_[i]; }
    VortonBodyId id(size_t i) const { return ids_[i]; }
    const VortonBodyImpulse &impulse(size_t i) const { return impulses_[i]; }

  private:
    static VortonBodyState state_of(const btRigidBody &engine) {
        const btTransform &pose = engine.getWorldTransform(); // Of this substep; motion states interpolate.
        const btQuaternion turn = pose.getRotation();
        VortonBodyState state = VortonBodyState();
        state.position = to_fluid(pose.getOrigin());
        state.rotation.x = float(turn.x());
        state.rotation.y = float(turn.y());
        state.rotation.z = float(turn.z());
        state.rotation.w = float(turn.w());
        state.velocity = to_fluid(engine.getLinearVelocity());
        state.angular_velocity = to_fluid(engine.getAngularVelocity());
        return state;
    }

    vorton::World &world_;
    std::vector<btRigidBody *> engines_;
    std::vector<VortonBodyId> ids_;
    std::vector<VortonBodyState> states_;
    std::vector<VortonBodyImpulse> impulses_;
};

// --- The game ------------------------------------------------------------------------------------

static const float DENSITY = 1000.0f;       // Density of the water [kg/m^3].
static const float SPECIFIC_HEAT = 4200.0f; // [J/(kg K)]
static const float EXPANSION = 2e-4f;       // [1/K]
static const float COLD = 300.0f, HOT = 360.0f; // [K]
static const float GRAVITY = 2.0f;              // Along -z [m/s^2]: weak enough that 60 s stay in view.
static const float RADIUS = 0.25f;              // Radius of the balls [m].
static const double VOLUME = 4.18879020478639 * double(RADIUS) * double(RADIUS) * double(RADIUS);
static const float SUBSTEP = 1.0f / 60.0f;
static const int SUBSTEPS = 2, FRAMES = 1800; // 60 s.

// Missing momentum, as a fraction of the momentum exchanged by fluid and bodies; missing heat, as a fraction
// of the ball's heat loss.
static const struct {
    double momentum, heat;
} LIMITS[] = {
    // Cold: rounding. A float velocity of 1 m/s has an error of up to 6e-8, a ball's momentum 1e-5. Over
    // 3,600 steps of four balls it accumulates like a random walk: 1e-3 kg m/s, 1e-6 of 1,000. Measured:
    // 3e-7.
    {1e-5, 0},
    // Hot: the ball's loss becomes missing mass of vortons. Measured: 1e-11. The momentum from gravity on
    // light water is summed on a lattice of nodes, step by step. Measured: 1e-3.
    {5e-3, 1e-6},
};

struct Vec {
    double x, y, z;
};
static Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vec operator*(double s, const btVector3 &v) {
    return {s * double(v.x()), s * double(v.y()), s * double(v.z())};
}
static double length(Vec v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// The momentum balance of fluid and bodies [kg m/s], and the heat [J] received by bodies.
struct Books {
    explicit Books(FluidBodies *kept)
        : fluid(kept), engine(), lift(), weight(), start(), after(), exchanged(0), heat(0), ticks(0) {}

    FluidBodies *fluid;
    Vec engine; // Impulse from Bullet: weight, floor, rods.
    Vec lift;   // Archimedes' force: the pressure of water at rest, which no vorton carries.
    Vec weight; // Weight of warm water minus that of cold water.
    Vec start;  // Momentum of both after the second step: the fluid moving with a body is known from then on.
    Vec after;  // Momentum of the bodies after the last tick.
    double exchanged, heat;
    int ticks;

    Vec of_bodies() const {
        Vec sum = Vec();
        for (size_t i = 0; i < fluid->count(); ++i)
            sum = sum + 1.0 / double(fluid->engine(i).getInvMass()) * fluid->engine(i).getLinearVelocity();
        return sum;
    }
    Vec of_fluid() const {
        const vorton::Result<VortonInvariants> found = fluid->world().invariants();
        check(found.status());
        const double *a = found->linear_impulse, *b = found->bound_impulse, *owed = found->owed_impulse;
        const double d = double(DENSITY);
        return {d * (a[0] + b[0] - owed[0]), d * (a[1] + b[1] - owed[1]), d * (a[2] + b[2] - owed[2])};
    }
    // Mass of warm water minus that of cold water [kg]: negative.
    double extra_mass() const {
        size_t count = 0;
        check(fluid->world().read_vortons(nullptr, 0, &count));
        std::vector<VortonVorton> all(count);
        check(fluid->world().read_vortons(all.data(), count, &count));
        double sum = 0;
        for (const VortonVorton &vorton : all) sum += double(vorton.mass_deviation);
        return sum;
    }
    double heat_in_fluid() const { return -double(SPECIFIC_HEAT) / double(EXPANSION) * extra_mass(); }
    Vec sum() const { return of_fluid() + after - engine - lift - weight; }

    void tick(float dt) {
        const double up = double(DENSITY) * VOLUME * double(GRAVITY) * double(dt), before = extra_mass();
        if (ticks > 0) engine = engine + (of_bodies() - after);
        fluid->tick(dt);
        after = of_bodies();
        weight.z -= 0.5 * (before + extra_mass()) * double(GRAVITY) * double(dt);
        for (size_t i = 0; i < fluid->count(); ++i) {
            Vec given = 1.0 * to_bullet(fluid->impulse(i).linear);
            given.z -= up; // In cold water: the effect of the ball's warm film is in the error.
            exchanged += length(given);
            lift.z += up;
            heat += double(fluid->impulse(i).heat);
        }
        if (++ticks == 2) start = sum();
    }
};

static void pre_tick(btDynamicsWorld *world, btScalar dt) {
    static_cast<Books *>(world->getWorldUserInfo())->tick(float(dt));
}

static int play(bool is_hot) {
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = 0.15f;
    def.ambient_density = DENSITY;
    def.ambient_temperature = COLD;
    def.equation_of_state = VORTON_LINEAR_EXPANSION;
    def.expansion = EXPANSION;
    def.specific_heat = SPECIFIC_HEAT;
    def.gravity.z = -GRAVITY;
    def.max_vortons = 2000;
    vorton::Result<vorton::World> made = vorton::World::create(def);
    check(made.status());
    vorton::World world = made.take();
    // Nearly empty vortons for bodies to stir, and a ring that travels to the drifter.
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    noise.extent = {3.2f, 0.8f, 1.2f};
    noise.amplitude = 1e-3f;
    noise.spacing = 0.15f;
    check(world.add_initial(noise).status());
    VortonInitialDef ring = vorton_default_initial_def(VORTON_INITIAL_FILAMENT_RING);
    ring.centre = {-0.3f, -1.5f, 0.0f};
    ring.axis = {0.0f, 1.0f, 0.0f};
    ring.radius = 0.4f;
    ring.count = 40;
    check(world.add_initial(ring).status());

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld bullet(&dispatcher, &broadphase, &solver, &configuration);
    bullet.setGravity(btVector3(0, 0, -GRAVITY));
    // A floor that supports balls and lets fluid through, as a grating: the fluid's world has no such body.
    btStaticPlaneShape plane(btVector3(0, 0, 1), -1.5f);
    btRigidBody floor(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane));
    bullet.addRigidBody(&floor);

    struct Ball {
        float x, density, rod; // Rod: length from its anchor up to the ball [m]; 0: none.
    };
    static const Ball BALLS[] = {{-1.2f, 0.5f, 0.8f}, {-0.3f, 1.0f, 0.0f}, {0.5f, 2.0f, 0.0f}, {1.2f, 3.0f, -0.8f}};
    enum { BUOY, DRIFTER, STONE, HANGING };
    btSphereShape sphere(RADIUS);
    FluidBodies fluid(world);
    std::vector<std::unique_ptr<btRigidBody> > bodies;
    std::vector<std::unique_ptr<btPoint2PointConstraint> > rods;
    for (const Ball &ball : BALLS) {
        const btScalar mass = DENSITY * ball.density * float(VOLUME);
        btVector3 inertia(0, 0, 0);
        sphere.calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &sphere, inertia);
        info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), btVector3(ball.x, 0, 0));
        bodies.emplace_back(new btRigidBody(info)); // Without damping, which the fluid provides.
        bullet.addRigidBody(bodies.back().get());
        if (ball.rod != 0) {
            rods.emplace_back(new btPoint2PointConstraint(*bodies.back(), btVector3(0, 0, -ball.rod)));
            bullet.addConstraint(rods.back().get());
        }
        VortonBodyDef body = vorton_default_body_def();
        body.flags |= VORTON_BODY_NO_THROUGH; // It displaces the fluid.
        body.temperature = COLD;
        if (is_hot && bodies.size() == HANGING + 1) {
            body.temperature = HOT;
            body.heat_capacity = 2e5f;
            body.heat_transfer = 1000.0f;
        }
        fluid.add(bodies.back().get(), body);
    }
    check(world.remove_embedded(0.0f));

    Books books(&fluid);
    bullet.setInternalTickCallback(pre_tick, &books, true);
    for (int frame = 0; frame < FRAMES; ++frame) bullet.stepSimulation(SUBSTEP * SUBSTEPS, SUBSTEPS, SUBSTEP);

    const Vec error = books.sum() - books.start;
    const double share = length(error) / books.exchanged, lost = -books.heat, found = books.heat_in_fluid();
    const double heat_share = lost > 0 ? std::fabs(found / lost - 1) : 0;
    const btVector3 buoy = bodies[BUOY]->getWorldTransform().getOrigin();
    const btVector3 stone = bodies[STONE]->getWorldTransform().getOrigin();
    const btVector3 way = bodies[DRIFTER]->getWorldTransform().getOrigin() - btVector3(BALLS[DRIFTER].x, 0, 0);
    const vorton::Result<VortonStats> stats = world.stats();
    check(stats.status());
    std::printf("Bullet   %s water, %.0f s: %.1f kg m/s exchanged, error (%.1e, %.1e, %.1e), %.1e of it; %d vortons\n",
                is_hot ? "warmed" : "cold", double(SUBSTEP) * FRAMES * SUBSTEPS, books.exchanged, error.x, error.y,
                error.z, share, int(stats->vortons));
    std::printf("         buoy at %.2f m, stone at %.2f m, drifter pushed by %.1f m\n", double(buoy.z()),
                double(stone.z()), double(way.length()));
    if (is_hot)
        std::printf("         ball cooled to %.1f K: lost %.4e J, the water has %.4e J, %.1e off\n",
                    double(fluid.impulse(HANGING).temperature), lost, found, heat_share);

    // The buoy floats on its rod, the stone lies on the floor, the drifter has moved.
    const bool is_placed = buoy.z() > -0.1f && std::fabs(stone.z() + 1.5f - RADIUS) < 0.02f && way.length() > 1;
    const bool is_kept = share <= LIMITS[is_hot].momentum && heat_share <= LIMITS[is_hot].heat && is_hot == (lost > 0);
    const bool is_good = is_placed && is_kept;
    if (!is_good) std::printf("FAILED: a body is out of place, or momentum or heat is missing\n");
    for (const std::unique_ptr<btPoint2PointConstraint> &rod : rods) bullet.removeConstraint(rod.get());
    for (const std::unique_ptr<btRigidBody> &body : bodies) bullet.removeRigidBody(body.get());
    bullet.removeRigidBody(&floor);
    return is_good ? 0 : 1;
}

int main() { return play(false) + play(true) == 0 ? EXIT_SUCCESS : EXIT_FAILURE; }
