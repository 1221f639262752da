#include "rigid_body.h"

#include "scene.h"

#include <math.h>
#include <string.h>

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* q v q*, or q* v q with `turn` -1. */
static void rotate(const double rotation[4], double turn, const double v[3], double out[3])
{
    const double axis[3] = {turn * rotation[0], turn * rotation[1], turn * rotation[2]};
    double across[3];
    double twice[3];
    cross3(axis, v, across);
    cross3(axis, across, twice);
    for (int a = 0; a < 3; ++a) {
        out[a] = v[a] + 2.0 * (rotation[3] * across[a] + twice[a]);
    }
}

static void multiply(const double matrix[9], const double v[3], double out[3])
{
    for (int row = 0; row < 3; ++row) {
        out[row] = dot3(matrix + 3 * row, v);
    }
}

/* Inverts a symmetric matrix: the rows of the inverse are the cross products of the other rows, over the
   determinant. */
static void invert_symmetric(const double matrix[9], double out[9])
{
    for (int row = 0; row < 3; ++row) {
        cross3(matrix + 3 * ((row + 1) % 3), matrix + 3 * ((row + 2) % 3), out + 3 * row);
    }
    const double determinant = dot3(matrix, out);
    if (!(determinant > 0.0)) {
        fail("a shape without inertia", __FILE__, __LINE__);
    }
    for (int i = 0; i < 9; ++i) {
        out[i] /= determinant;
    }
}

/* omega = R I^-1 R^T L. */
static void angular_velocity(const RigidBody *body, double out[3])
{
    double momentum[3];
    double spin[3];
    rotate(body->rotation, -1.0, body->angular_momentum, momentum);
    multiply(body->inverse_inertia, momentum, spin);
    rotate(body->rotation, 1.0, spin, out);
}

RigidBody rigid_body_create(const VortonShapeDef *shape, double mass, VortonVec3 position)
{
    VortonMassProperties properties;
    CHECK(vorton_shape_mass_properties(shape, &properties));
    RigidBody body;
    memset(&body, 0, sizeof body);
    body.mass = mass;
    double inertia[9];
    for (int i = 0; i < 9; ++i) {
        inertia[i] = mass / (double)properties.volume * (double)properties.inertia[i];
    }
    invert_symmetric(inertia, body.inverse_inertia);
    body.position[0] = (double)position.x;
    body.position[1] = (double)position.y;
    body.position[2] = (double)position.z;
    body.rotation[3] = 1.0;
    return body;
}

static VortonVec3 narrow(const double v[3])
{
    return (VortonVec3){(float)v[0], (float)v[1], (float)v[2]};
}

VortonBodyState rigid_body_state(const RigidBody *body)
{
    double spin[3];
    angular_velocity(body, spin);
    const double *q = body->rotation;
    VortonBodyState state;
    memset(&state, 0, sizeof state);
    state.position = narrow(body->position);
    state.rotation = (VortonQuat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
    state.velocity = narrow(body->velocity);
    state.angular_velocity = narrow(spin);
    return state;
}

void rigid_body_push(RigidBody *body, VortonVec3 impulse, VortonVec3 angular_impulse)
{
    const double linear[3] = {(double)impulse.x, (double)impulse.y, (double)impulse.z};
    const double angular[3] = {(double)angular_impulse.x, (double)angular_impulse.y, (double)angular_impulse.z};
    for (int a = 0; a < 3; ++a) {
        body->velocity[a] += linear[a] / body->mass;
        body->angular_momentum[a] += angular[a];
    }
}

void rigid_body_spin(RigidBody *body, VortonVec3 angular_velocity)
{
    const double spin[3] = {(double)angular_velocity.x, (double)angular_velocity.y, (double)angular_velocity.z};
    double inertia[9];
    double own[3];
    double momentum[3];
    invert_symmetric(body->inverse_inertia, inertia);
    rotate(body->rotation, -1.0, spin, own);
    multiply(inertia, own, momentum);
    rotate(body->rotation, 1.0, momentum, body->angular_momentum);
}

/* Turns by a rotation vector [rad]. */
static void turn_by(double rotation[4], const double turn[3])
{
    const double angle = sqrt(dot3(turn, turn));
    const double half = 0.5 * angle;
    const double scale = angle > 1e-9 ? sin(half) / angle : 0.5;
    const double v[3] = {scale * turn[0], scale * turn[1], scale * turn[2]};
    const double w = cos(half);
    double across[3];
    cross3(v, rotation, across);
    const double real = w * rotation[3] - dot3(v, rotation);
    for (int a = 0; a < 3; ++a) {
        across[a] += w * rotation[a] + rotation[3] * v[a];
    }
    /* Normalizes, so that rounding errors do not accumulate. */
    const double length = sqrt(dot3(across, across) + real * real);
    for (int a = 0; a < 3; ++a) {
        rotation[a] = across[a] / length;
    }
    rotation[3] = real / length;
}

void rigid_body_move(RigidBody *body, double dt)
{
    /* With the angular velocity at midstep: with that at the start, an elongated body would gain energy. */
    RigidBody halfway = *body;
    double spin[3];
    double turn[3];
    angular_velocity(body, spin);
    for (int a = 0; a < 3; ++a) {
        turn[a] = 0.5 * dt * spin[a];
    }
    turn_by(halfway.rotation, turn);
    angular_velocity(&halfway, spin);
    for (int a = 0; a < 3; ++a) {
        turn[a] = dt * spin[a];
        body->position[a] += dt * body->velocity[a];
    }
    turn_by(body->rotation, turn);
}

double rigid_body_energy(const RigidBody *body)
{
    double spin[3];
    angular_velocity(body, spin);
    return 0.5 * (body->mass * dot3(body->velocity, body->velocity) + dot3(spin, body->angular_momentum));
}
