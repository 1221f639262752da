/*
 * A ball in two worlds: a body of the fluid and one of the physics engine, which here is the stand-in of
 * rigid_body.h. ball_step is how the two talk to each other.
 */
#ifndef EXAMPLES_BALL_H
#define EXAMPLES_BALL_H

#include "picture.h"
#include "rigid_body.h"
#include "scene.h"

#include <vorton.h>

typedef struct Ball {
    VortonWorldId world;
    VortonBodyId id;  /* The fluid's. */
    RigidBody engine; /* The physics engine's. */
    float radius;     /* [m] */
    int is_fixed;     /* Nothing moves it. */
    /* What the fluid has given to it so far. */
    double heat;        /* [J] */
    double lost_energy; /* Kinetic, that the two have lost to each other [J]. */
    double temperature; /* Now [K]. */
    uint32_t most_hits; /* Most contacts with vortons in a step. */
} Ball;

/* How much there is to be conserved of the ball and of the fluid around it [kg m/s]. */
typedef struct Momentum {
    double ball[3];
    double fluid[3]; /* Density times the impulse of all vorticity, that bound to the ball included. */
} Momentum;

/*
 * A ball of this radius [m] in both worlds. Takes mass, position, velocity and the rest from `def`; a mass of
 * 0 fixes it. Vortons and tracers inside of it are removed.
 */
Ball ball_create(VortonWorldId world, const VortonBodyDef *def, float radius);

/* Advances the fluid by dt, and the ball with it. */
void ball_step(Ball *ball, Run *run, float dt);

/* Advances by dt seconds in as many equal steps as the flow asks for (run_steps), but no fewer than
 * `least_steps`. */
void ball_frame(Ball *ball, Run *run, float dt, float max_stretch, unsigned least_steps);

/* `density` is the fluid's [kg/m^3]. */
Momentum ball_momentum(const Ball *ball, double density);

/* A ball in two colours that shows how it has turned. Draw it before the smoke. */
void ball_draw(const Ball *ball, Picture *picture, int panel, const PictureCamera *camera, const float colors[2][3]);

void ball_destroy(Ball *ball);

#endif
