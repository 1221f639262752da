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

/* A world with gravity 10 m/s^2 along -z, an ambient of 1 kg/m^3 and this kinematic viscosity [m^2/s]. */
VortonWorldId drops_create_world(float viscosity);

/* A ball of radius 1 m whose density deviates by so much from the ambient's [kg/m^3]. */
void drops_add(VortonWorldId world, VortonVec3 centre, float density_deviation);

DropsState drops_read(VortonWorldId world);

/* Advances by a frame of dt seconds. */
void drops_frame(Run *run, float dt);

/*
 * The closing table: run_print, and the laws that hold whatever the flow does, `first` being the state at the
 * start.
 * - Impulse is what gravity has given: g times mass deviation times time over the ambient density.
 * - Mass is neither lost nor made.
 * - Nothing pushes the drops to a side, so they stay on the axis.
 * - The flow has no more energy than gravity has given, which is the way that mass has gone down.
 * Returns 0, or 1 with a line that says why when one of them is broken.
 */
int drops_report(const Run *run, const char *title, const DropsState *first);

#endif
