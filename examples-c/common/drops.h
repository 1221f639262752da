/*
 * Common code of the examples with density: a world in which heavy fluid sinks and light fluid rises, drops
 * of both, and the conservation laws that hold for any flow.
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
    DropSums light; /* Has negative mass. */
    size_t vortons;
    size_t halo; /* Number of halo vortons among these. */
} DropsState;

/* Parameters of the vortons of drops. */
typedef struct DropsFluid {
    float spacing;     /* Between vortons [m]; the core radius is 1.5 times that. */
    float viscosity;   /* Kinematic [m^2/s]. */
    float disturbance; /* Disturbance of positions, and two fifths of it for densities (VortonInitialDef). */
} DropsFluid;

/* Creates a world with gravity 10 m/s^2 along -z and an ambient of 1 kg/m^3. */
VortonWorldId drops_create_world(const DropsFluid *fluid);

/* Adds a ball of radius 1 m with this density deviation from the ambient [kg/m^3]. */
void drops_add(VortonWorldId world, const DropsFluid *fluid, VortonVec3 centre, float density_deviation);

DropsState drops_read(VortonWorldId world);

/* Advances by a frame of dt seconds. */
void drops_frame(Run *run, float dt);

/*
 * The closing table: run_print, and the laws that hold for any flow, with `first` the state at the start.
 * - Impulse equals that from gravity: g times mass deviation times time over the ambient density.
 * - Mass is conserved.
 * - No sideways force acts on the drops, so they stay within `off_axis` [m] of the axis: rounding errors grow
 *   in a flow that is about to break up, and disturbances grow sooner.
 * - The flow has no more energy than the potential energy released by gravity.
 * Returns 0, or 1 after printing the law that is broken.
 */
int drops_report(const Run *run, const char *title, const DropsState *first, double off_axis);

#endif
