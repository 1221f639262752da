/*
 * A container that the caller moves: a body of the fluid with a hole, and its edges for the picture.
 */
#ifndef EXAMPLES_TANK_H
#define EXAMPLES_TANK_H

#include "picture.h"
#include "scene.h"

#include <vorton.h>

enum {
    TANK_PLANES = 32,  /* At most. */
    TANK_EDGES = 96    /* At most: planes that each meet few others have three edges a piece. */
};

typedef struct Tank {
    VortonWorldId world;
    VortonBodyId id;
    VortonBodyState state; /* Where it is, and how it moves. */
    float planes[TANK_PLANES][4];
    unsigned plane_count;
    float edges[TANK_EDGES][2][3]; /* Their ends, in the tank's axes. */
    unsigned edge_count;
} Tank;

/* A world for fluid in tanks: vortons this far from each other [m], gravity along -z [m/s^2], a little
 * viscosity. */
VortonWorldId tank_create_world(float spacing, float gravity);

/* Fluid is on the inner sides of all planes nx x + ny y + nz z <= d, with normals of length 1. At rest at the
 * origin. */
Tank tank_create(VortonWorldId world, const float (*planes)[4], unsigned plane_count);

/* A box of these half edges. */
Tank tank_create_box(VortonWorldId world, VortonVec3 half);

/* Fills it with a lattice of fluid at rest of this density deviation below (`side` < 0) or above the middle
 * of a box. */
void tank_fill_layer(const Tank *tank, VortonVec3 half, int side, float density_deviation, float spacing);

/* Fills what is free of it with a lattice of fluid of the ambient's density: a vorton that feels a gradient
 * of density needs neighbours. */
void tank_fill(const Tank *tank, float spacing);

/* Says that it moves like this from now on. */
void tank_move(Tank *tank, VortonVec3 position, VortonVec3 velocity);

/* How many vortons are outside of it: none, if all is well. */
size_t tank_count_outside(const Tank *tank);

/* The fluid that is denser than the ambient's. */
typedef struct TankLayers {
    double heavy_x, heavy_z; /* Its centre of mass, in the tank [m]. */
    double mass;             /* How much more it is than ambient fluid would be [kg]. */
} TankLayers;

TankLayers tank_layers(const Tank *tank);

/* Its edges. */
void tank_draw(const Tank *tank, Picture *picture, int panel, const PictureCamera *camera, const float color[3]);

#endif
