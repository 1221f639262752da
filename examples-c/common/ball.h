/*
 * A ball in two worlds: a body in the fluid and a body in the physics engine, which here is the stand-in of
 * rigid_body.h. ball_step couples the two.
 */
#ifndef EXAMPLES_BALL_H
#define EXAMPLES_BALL_H

#include "picture.h"
#include "rigid_body.h"
#include "scene.h"

#include <vorton.h>

typedef struct Ball {
    VortonWorldId world;
    VortonBodyId id;  /* Body in the fluid. */
    RigidBody engine; /* Body in the physics engine. */
    float radius;     /* [m] */
    int is_fixed;     /* 1: static. */
    /* Totals received from the fluid so far. */
    double heat;        /* [J] */
    double lost_energy; /* Kinetic energy lost to friction [J]. */
    double temperature; /* Present temperature [K]. */
    uint32_t most_hits; /* Most contacts with vortons in a step. */
} Ball;

/* Conserved momentum of the ball and of the fluid around it [kg m/s]. */
typedef struct Momentum {
    double ball[3];
    double fluid[3]; /* Density times the impulse of all vorticity, bound vorticity of the ball included. */
} Momentum;

/*
 * A ball of this radius [m] in both worlds. Takes mass, position, velocity and the rest from `def`; a mass of
 * 0 fixes it. Vortons and tracers inside the ball are removed.
 */
Ball ball_create(VortonWorldId world, const VortonBodyDef *def, float radius);

/* Advances the fluid by dt, and the ball with it. */
void ball_step(Ball *ball, Run *run, float dt);

/* Advances by dt seconds in as many equal steps as the flow needs (run_steps), but at least `least_steps`. */
void ball_frame(Ball *ball, Run *run, float dt, float max_stretch, unsigned least_steps);

/* `density` is the fluid's [kg/m^3]. */
Momentum ball_momentum(const Ball *ball, double density);

/* Draws the ball in two colours, so that its rotation is visible. Draw it before the smoke. */
void ball_draw(const Ball *ball, Picture *picture, int panel, const PictureCamera *camera, const float colors[2][3]);

void ball_destroy(Ball *ball);

#endif
