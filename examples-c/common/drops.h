/*
 * What the examples with density share: a world in which heavy fluid sinks and light fluid rises, drops of
 * both, and the laws that they obey whatever the flow does.
 */
#ifndef EXAMPLES_DROPS_H
#define EXAMPLES_DROPS_H

#include "scene.h"

#include <vorton.h>

/* The mass deviations of one sign, or of both, summed over all vortons. */
typedef struct DropSums {
    double mass;      /* [kg] */
    double centre[3]; /* Of that mass [m]; 0 if there is none. */
} DropSums;

typedef struct DropsState {
    DropSums heavy;
    DropSums light; /* Its mass is negative. */
    size_t vortons;
    size_t halo; /* Of these, how many are the halo's. */
} DropsState;

/* What drops are made of. */
typedef struct DropsFluid {
    float spacing;     /* Between vortons [m]; the core radius is 1.5 times that. */
    float viscosity;   /* Kinematic [m^2/s]. */
    float disturbance; /* Of positions, and two fifths of it of densities (VortonInitialDef). */
} DropsFluid;

/* A world with gravity 10 m/s^2 along -z and an ambient of 1 kg/m^3. */
VortonWorldId drops_create_world(const DropsFluid *fluid);

/* A ball of radius 1 m whose density deviates by so much from the ambient's [kg/m^3]. */
void drops_add(VortonWorldId world, const DropsFluid *fluid, VortonVec3 centre, float density_deviation);

DropsState drops_read(VortonWorldId world);

/* Advances by a frame of dt seconds. */
void drops_frame(Run *run, float dt);

/*
 * The closing table: run_print, and the laws that hold whatever the flow does, `first` being the state at the
 * start.
 * - Impulse is what gravity has given: g times mass deviation times time over the ambient density.
 * - Mass is neither lost nor made.
 * - Nothing pushes the drops to a side, so they stay on the axis, at most `off_axis` [m] beside it: rounding
 *   errors grow in a flow that is about to break up, and disturbances do so sooner.
 * - The flow has no more energy than gravity has given, which is the way that mass has gone down.
 * Returns 0, or 1 with a line that says why when one of them is broken.
 */
int drops_report(const Run *run, const char *title, const DropsState *first, double off_axis);

#endif
