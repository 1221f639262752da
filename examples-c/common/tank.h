/*
 * A container moved by the caller: a body with a hole, and its edges for the picture.
 */
#ifndef EXAMPLES_TANK_H
#define EXAMPLES_TANK_H

#include "picture.h"
#include "scene.h"

#include <vorton.h>

enum {
    TANK_PLANES = 32,  /* At most. */
    TANK_EDGES = 96    /* At most: three edges per plane if each plane meets few others. */
};

typedef struct Tank {
    VortonWorldId world;
    VortonBodyId id;
    VortonBodyState state; /* Pose and velocities. */
    float planes[TANK_PLANES][4];
    unsigned plane_count;
    float edges[TANK_EDGES][2][3]; /* End points of the edges, in the tank's axes. */
    unsigned edge_count;
} Tank;

/* Creates a world for fluid in tanks: spacing of vortons [m], gravity along -z [m/s^2], a little viscosity.
 * */
VortonWorldId tank_create_world(float spacing, float gravity);

/* Creates a tank with fluid on the inner sides of all planes nx x + ny y + nz z <= d, with normals of length
 * 1. At rest at the origin. */
Tank tank_create(VortonWorldId world, const float (*planes)[4], unsigned plane_count);

/* Creates a box with these half edges. */
Tank tank_create_box(VortonWorldId world, VortonVec3 half);

/* Fills a box with a lattice of fluid at rest of this density deviation below (`side` < 0) or above its
 * middle. */
void tank_fill_layer(const Tank *tank, VortonVec3 half, int side, float density_deviation, float spacing);

/* Fills the empty part of the tank with a lattice of fluid of ambient density: a vorton needs neighbours to
 * compute a density gradient. */
void tank_fill(const Tank *tank, float spacing);

/* Sets the motion of the tank from now on. */
void tank_move(Tank *tank, VortonVec3 position, VortonVec3 velocity);

/* Returns the number of vortons outside the tank, which must be 0. */
size_t tank_count_outside(const Tank *tank);

/* Fluid denser than the ambient. */
typedef struct TankLayers {
    double heavy_x, heavy_z; /* Its centre of mass, in the tank [m]. */
    double mass;             /* Mass in excess of ambient fluid [kg]. */
} TankLayers;

TankLayers tank_layers(const Tank *tank);

/* Draws the edges. */
void tank_draw(const Tank *tank, Picture *picture, int panel, const PictureCamera *camera, const float color[3]);

#endif
