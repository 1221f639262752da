#include "ball.h"

#include <string.h>

Ball ball_create(VortonWorldId world, const VortonBodyDef *def, float radius)
{
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    sphere.radius = radius;
    Ball ball;
    memset(&ball, 0, sizeof ball);
    ball.world = world;
    ball.radius = radius;
    ball.is_fixed = def->mass == 0.0f;
    ball.temperature = (double)def->temperature;
    ball.engine = rigid_body_create(&sphere, ball.is_fixed ? 1.0 : (double)def->mass, def->position);
    ball.engine.velocity[0] = (double)def->velocity.x;
    ball.engine.velocity[1] = (double)def->velocity.y;
    ball.engine.velocity[2] = (double)def->velocity.z;
    rigid_body_spin(&ball.engine, def->angular_velocity);

    VortonShapeId shape;
    CHECK(vorton_body_create(world, def, &ball.id));
    CHECK(vorton_shape_create(world, ball.id, &sphere, &shape));
    CHECK(vorton_world_remove_embedded(world, 0.0f, NULL, NULL));
    return ball;
}

void ball_step(Ball *ball, Run *run, float dt)
{
    /* 1. Set the body's pose and velocity in the fluid. The body continues with them during the step, and the
     * fluid reacts. */
    const VortonBodyState state = rigid_body_state(&ball->engine);
    CHECK(vorton_bodies_set_states(ball->world, &ball->id, &state, 0, 1));
    run_step(run, dt);
    /* 2. Apply the impulses of the fluid to the body. */
    VortonBodyImpulse given;
    CHECK(vorton_bodies_take_impulses(ball->world, &ball->id, &given, 0, 1));
    if (!ball->is_fixed) {
        /* 3. The engine's own step. */
        rigid_body_push(&ball->engine, given.linear, given.angular);
        rigid_body_move(&ball->engine, (double)dt);
    }
    ball->heat += (double)given.heat;
    ball->lost_energy += (double)given.lost_energy;
    ball->temperature = (double)given.temperature;
    ball->most_hits = given.hits > ball->most_hits ? given.hits : ball->most_hits;
}

void ball_frame(Ball *ball, Run *run, float dt, float max_stretch, unsigned least_steps)
{
    const unsigned wanted = run_steps(run, dt, max_stretch);
    const unsigned steps = wanted > least_steps ? wanted : least_steps;
    for (unsigned i = 0; i < steps; ++i) {
        ball_step(ball, run, dt / (float)steps);
    }
}

Momentum ball_momentum(const Ball *ball, double density)
{
    VortonInvariants fluid = {.struct_size = sizeof fluid};
    CHECK(vorton_world_invariants(ball->world, &fluid));
    const RigidBody *engine = &ball->engine;
    Momentum momentum;
    for (int a = 0; a < 3; ++a) {
        momentum.ball[a] = engine->mass * engine->velocity[a];
        momentum.fluid[a] = density * (fluid.linear_impulse[a] + fluid.bound_impulse[a] - fluid.owed_impulse[a]);
    }
    return momentum;
}

void ball_draw(const Ball *ball, Picture *picture, int panel, const PictureCamera *camera, const float colors[2][3])
{
    const VortonBodyState state = rigid_body_state(&ball->engine);
    const float center[3] = {state.position.x, state.position.y, state.position.z};
    const float rotation[4] = {state.rotation.x, state.rotation.y, state.rotation.z, state.rotation.w};
    (void)picture_draw_spun_ball(picture, panel, camera, center, ball->radius, rotation, colors);
}

void ball_destroy(Ball *ball)
{
    CHECK(vorton_body_destroy(ball->world, ball->id));
    memset(ball, 0, sizeof *ball);
}
