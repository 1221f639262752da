/*
 * Light that reaches a particle inside a cloud: a coarse grid of extinction, swept once per light. Internal
 * to the picture code.
 */
#ifndef EXAMPLES_SMOKE_LIGHT_H
#define EXAMPLES_SMOKE_LIGHT_H

#include "picture.h"

enum {
    LIGHT_COUNT = 3
};

typedef struct Light {
    float direction[3]; /* Toward the light, unit length. */
    float color[3];     /* Linear; reflected by a single white puff. */
} Light;

/* Optical depth toward each light, on a grid of cube cells whose node 0 lies at `origin`. */
typedef struct ShadeGrid {
    int size[3];
    float origin[3];
    float cell;
    float optical_area;        /* Extinction of one puff, integrated over space. */
    float *extinction;         /* Per world unit. */
    float *depth[LIGHT_COUNT]; /* Optical depth from the node to the light. */
} ShadeGrid;

/* Creates the grid for a cloud with valid radius and opacity. -1 when out of memory; nothing needs to be
   freed then. */
int shade_grid_build(ShadeGrid *grid, const PictureParticles *particles, const Light lights[LIGHT_COUNT]);

void shade_grid_free(ShadeGrid *grid);

/* Returns the light reflected by a puff of linear colour `albedo` at `p`, linear. */
void shade_grid_light(const ShadeGrid *grid, const Light lights[LIGHT_COUNT], const float p[3],
                      const float albedo[3], float out[3]);

/* Returns the factor on `radius` with which a puff at `p` is drawn, so that thin smoke shows no single
   particles. */
float shade_grid_widening(const ShadeGrid *grid, const float p[3], float radius);

#endif
