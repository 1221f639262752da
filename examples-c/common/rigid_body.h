/*
 * A stand-in for the physics engine that a game has: just enough of one for the examples. No contacts between
 * bodies, no joints, no sleeping. Take Jolt, Bullet, PhysX or Rapier instead; what matters to the fluid is
 * the order of the calls in ball.c, ball_step.
 *
 * Semi-implicit Euler in double precision. Angular momentum is what is kept, so a body that nothing turns
 * tumbles as it should: its angular velocity follows from the inertia in the world's axes, anew in each step.
 */
#ifndef EXAMPLES_RIGID_BODY_H
#define EXAMPLES_RIGID_BODY_H

#include <vorton.h>

typedef struct RigidBody {
    double mass;                /* [kg] */
    double inverse_inertia[9];  /* About the centre of mass, in the body's axes [1/(kg m^2)], row by row. */
    double position[3];         /* Of the centre of mass [m]. */
    double rotation[4];         /* Unit quaternion x y z w, from the body's axes to the world's. */
    double velocity[3];         /* [m/s] */
    double angular_momentum[3]; /* About the centre of mass, in the world's axes [kg m^2/s]. */
} RigidBody;

/*
 * A body at rest of this shape, filled evenly with this mass [kg], whose centre of mass is at `position`. The
 * shape's own centroid has to be its origin, as that of a ball or box is.
 */
RigidBody rigid_body_create(const VortonShapeDef *shape, double mass, VortonVec3 position);

/* How it moves, as the fluid wants to know it. */
VortonBodyState rigid_body_state(const RigidBody *body);

/* An impulse [N s] through the centre of mass and an angular impulse [N m s], both in the world's axes. */
void rigid_body_push(RigidBody *body, VortonVec3 impulse, VortonVec3 angular_impulse);

/* Sets the angular velocity [rad/s], in the world's axes. */
void rigid_body_spin(RigidBody *body, VortonVec3 angular_velocity);

/* Moves on by dt seconds with the velocities that it has. */
void rigid_body_move(RigidBody *body, double dt);

/* Kinetic energy [J] of travel and spin. */
double rigid_body_energy(const RigidBody *body);

#endif
