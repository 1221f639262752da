/*
 * A stand-in for a game's physics engine, just enough for the examples. No contacts between bodies, no
 * joints, no sleeping. Use Jolt, Bullet, PhysX or Rapier instead; for the fluid, only the order of the calls
 * in ball_step (ball.c) matters.
 *
 * Semi-implicit Euler in double precision. The state is the angular momentum, so a torque-free body tumbles
 * correctly: its angular velocity is recomputed from the inertia in the world's axes in each step.
 */
#ifndef EXAMPLES_RIGID_BODY_H
#define EXAMPLES_RIGID_BODY_H

#include <vorton.h>

typedef struct RigidBody {
    double mass;                /* [kg] */
    double inverse_inertia[9];  /* About the centre of mass, in the body's axes [1/(kg m^2)], row by row. */
    double position[3];         /* Position of the centre of mass [m]. */
    double rotation[4];         /* Unit quaternion x y z w, from the body's axes to the world's. */
    double velocity[3];         /* [m/s] */
    double angular_momentum[3]; /* About the centre of mass, in the world's axes [kg m^2/s]. */
} RigidBody;

/*
 * Creates a body at rest of this shape and mass [kg], of uniform density, with its centre of mass at
 * `position`. The shape's centroid must be its origin, as for a ball or box.
 */
RigidBody rigid_body_create(const VortonShapeDef *shape, double mass, VortonVec3 position);

/* Returns the state of the body for the fluid. */
VortonBodyState rigid_body_state(const RigidBody *body);

/* Applies an impulse [N s] at the centre of mass and an angular impulse [N m s], both in the world's axes. */
void rigid_body_push(RigidBody *body, VortonVec3 impulse, VortonVec3 angular_impulse);

/* Sets the angular velocity [rad/s], in the world's axes. */
void rigid_body_spin(RigidBody *body, VortonVec3 angular_velocity);

/* Advances the pose by dt seconds with the present velocities. */
void rigid_body_move(RigidBody *body, double dt);

/* Returns the kinetic energy [J] of translation and rotation. */
double rigid_body_energy(const RigidBody *body);

#endif
