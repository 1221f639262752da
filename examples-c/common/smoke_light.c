/*
 * Light that reaches a particle inside a cloud: a coarse grid of extinction, swept once per light.
 */
#include "smoke_light.h"

#include "vec3.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRID_CELLS = 64 * 64 * 64, /* Target size of the grid for any shape of the cloud. */
    GRID_MAX_SIDE = 192        /* Longest side, so that a thin plume keeps a reasonable cell count. */
};

static const float TAU = 6.28318531f;

/* The grid spans this many standard deviations of the cloud, so that strays do not coarsen it. */
static const float GRID_SPREAD = 3.0f;
/* Reduction of extinction for a fully bright colour channel: light is scattered onwards, not lost. */
static const float SCATTERED_ON = 0.3f;
/* Factor on the extinction for lights relative to the visible density: without it, bright clouds look flat.
   */
static const float SHADOW_BOOST = 2.2f;
/* Where particles thin out, puffs widen to this part of the local spacing and fade to the same total, */
static const float PUFF_SPACING = 0.9f;
/* but not beyond this many radii: strays stay small, and so does the time to draw them. */
static const float PUFF_MAX_WIDENING = 2.0f;

static size_t node_count(const ShadeGrid *grid)
{
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
}

void shade_grid_free(ShadeGrid *grid)
{
    free(grid->extinction);
    for (int l = 0; l < LIGHT_COUNT; ++l) {
        free(grid->depth[l]);
    }
    memset(grid, 0, sizeof *grid);
}

/* Fits the grid to the cloud. Without finite particles the box is empty and the grid minimal. */
static void shade_grid_fit(ShadeGrid *grid, const PictureParticles *particles)
{
    double sum[3] = {0.0, 0.0, 0.0};
    double square[3] = {0.0, 0.0, 0.0};
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX};
    float high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    size_t finite = 0;
    for (size_t i = 0; i < particles->count; ++i) {
        float p[3];
        read_vec3(particles->positions, particles->position_stride, i, p);
        if (!is_finite3(p)) {
            continue;
        }
        ++finite;
        for (int a = 0; a < 3; ++a) {
            sum[a] += (double)p[a];
            square[a] += (double)p[a] * (double)p[a];
            low[a] = fminf(low[a], p[a]);
            high[a] = fmaxf(high[a], p[a]);
        }
    }

    const float margin = 2.0f * particles->radius;
    float extent[3];
    for (int a = 0; a < 3; ++a) {
        if (finite == 0) {
            low[a] = high[a] = 0.0f;
        } else {
            const double mean = sum[a] / (double)finite;
            const double spread = sqrt(fmax(square[a] / (double)finite - mean * mean, 0.0));
            low[a] = fmaxf(low[a], (float)(mean - (double)GRID_SPREAD * spread));
            high[a] = fminf(high[a], (float)(mean + (double)GRID_SPREAD * spread));
        }
        grid->origin[a] = low[a] - margin;
        extent[a] = fmaxf(high[a] - low[a], 0.0f) + 2.0f * margin;
    }

    /* Cells below the size of a puff would hold noise, not smoke. */
    float cell = cbrtf(extent[0] * extent[1] * extent[2] / (float)GRID_CELLS);
    cell = fmaxf(cell, 0.75f * particles->radius);
    cell = fmaxf(cell, fmaxf(extent[0], fmaxf(extent[1], extent[2])) / (float)GRID_MAX_SIDE);
    grid->cell = cell;
    for (int a = 0; a < 3; ++a) {
        /* The bounds also hold for positions so large that the extent overflows. */
        const float cells = fminf(fmaxf(ceilf(extent[a] / cell), 1.0f), (float)GRID_MAX_SIDE);
        grid->size[a] = (int)cells + 1;
    }
}

/* Node below `p` on each axis and the fraction beyond it, clamped to the grid. */
static void locate(const ShadeGrid *grid, const float p[3], int node[3], float fraction[3])
{
    for (int a = 0; a < 3; ++a) {
        const float last = (float)(grid->size[a] - 1);
        const float x = fminf(fmaxf((p[a] - grid->origin[a]) / grid->cell, 0.0f), last);
        int n = (int)x;
        if (n > grid->size[a] - 2) {
            n = grid->size[a] - 2;
        }
        node[a] = n;
        fraction[a] = x - (float)n;
    }
}

/* Offset of the node (x, y, z); x runs fastest. */
static size_t node_offset(const ShadeGrid *grid, int x, int y, int z)
{
    return ((size_t)z * (size_t)grid->size[1] + (size_t)y) * (size_t)grid->size[0] + (size_t)x;
}

/* The weights of the 8 nodes around `p` and their offsets. */
static void stencil(const ShadeGrid *grid, const float p[3], size_t offset[8], float weight[8])
{
    int n[3];
    float f[3];
    locate(grid, p, n, f);
    for (int corner = 0; corner < 8; ++corner) {
        const int dx = corner & 1;
        const int dy = corner >> 1 & 1;
        const int dz = corner >> 2;
        offset[corner] = node_offset(grid, n[0] + dx, n[1] + dy, n[2] + dz);
        weight[corner] = (dx ? f[0] : 1.0f - f[0]) * (dy ? f[1] : 1.0f - f[1]) * (dz ? f[2] : 1.0f - f[2]);
    }
}

/* Spreads each puff's extinction: its optical depth times its area 2 pi radius^2, per cell volume. */
static void shade_grid_fill(ShadeGrid *grid, const PictureParticles *particles)
{
    grid->optical_area = -logf(1.0f - particles->opacity) * TAU * particles->radius * particles->radius;
    const float amount = grid->optical_area / (grid->cell * grid->cell * grid->cell);
    for (size_t i = 0; i < particles->count; ++i) {
        float p[3];
        read_vec3(particles->positions, particles->position_stride, i, p);
        if (!is_finite3(p)) {
            continue;
        }
        size_t offset[8];
        float weight[8];
        stencil(grid, p, offset, weight);
        for (int corner = 0; corner < 8; ++corner) {
            grid->extinction[offset[corner]] += amount * weight[corner];
        }
    }
}

/* One [1 2 1] / 4 pass along an axis: variance grows by half a cell squared. */
static void smooth_axis(const ShadeGrid *grid, int axis)
{
    const size_t step[3] = {1, (size_t)grid->size[0], (size_t)grid->size[0] * (size_t)grid->size[1]};
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (int j = 0; j < grid->size[v]; ++j) {
        for (int i = 0; i < grid->size[u]; ++i) {
            float *line = grid->extinction + (size_t)i * step[u] + (size_t)j * step[v];
            float before = 0.0f;
            for (int k = 0; k < grid->size[axis]; ++k) {
                float *here = line + (size_t)k * step[axis];
                const float after = k + 1 < grid->size[axis] ? here[step[axis]] : 0.0f;
                const float value = *here;
                *here = 0.25f * before + 0.5f * value + 0.25f * after;
                before = value;
            }
        }
    }
}

/* Gives the extinction the softness of the puffs themselves, at least one pass against particle noise. */
static void shade_grid_smooth(const ShadeGrid *grid, float radius)
{
    const float wanted = radius * radius / (0.5f * grid->cell * grid->cell);
    const int passes = wanted < 1.5f ? 1 : (wanted < 2.5f ? 2 : 3);
    for (int pass = 0; pass < passes; ++pass) {
        for (int axis = 0; axis < 3; ++axis) {
            smooth_axis(grid, axis);
        }
    }
}

/*
 * Optical depth toward a light, slice by slice from the lit side: each node continues from the point where
 * its ray crosses the slice before. One visit per node instead of a march, and the interpolation softens
 * shadows with distance, as a broad lamp does.
 */
static void shade_grid_sweep(const ShadeGrid *grid, const float toward[3], float *depth)
{
    const size_t step[3] = {1, (size_t)grid->size[0], (size_t)grid->size[0] * (size_t)grid->size[1]};
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
        if (fabsf(toward[a]) > fabsf(toward[axis])) {
            axis = a;
        }
    }
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const float shift_u = toward[u] / fabsf(toward[axis]);
    const float shift_v = toward[v] / fabsf(toward[axis]);
    const float half_path = 0.5f * grid->cell / fabsf(toward[axis]);
    const int first = toward[axis] > 0.0f ? grid->size[axis] - 1 : 0;
    const int onward = toward[axis] > 0.0f ? -1 : 1;

    for (int k = 0; k < grid->size[axis]; ++k) {
        const int slice = first + onward * k;
        for (int j = 0; j < grid->size[v]; ++j) {
            for (int i = 0; i < grid->size[u]; ++i) {
                const size_t here = (size_t)slice * step[axis] + (size_t)i * step[u] + (size_t)j * step[v];
                float total = half_path * grid->extinction[here];
                if (k > 0) {
                    const float x = (float)i + shift_u;
                    const float y = (float)j + shift_v;
                    const int x0 = (int)floorf(x);
                    const int y0 = (int)floorf(y);
                    const float fx = x - (float)x0;
                    const float fy = y - (float)y0;
                    for (int corner = 0; corner < 4; ++corner) {
                        const int xi = x0 + (corner & 1);
                        const int yi = y0 + (corner >> 1);
                        if (xi < 0 || xi >= grid->size[u] || yi < 0 || yi >= grid->size[v]) {
                            continue; /* Clear air around the cloud. */
                        }
                        const float weight = (corner & 1 ? fx : 1.0f - fx) * (corner >> 1 ? fy : 1.0f - fy);
                        const size_t lit = (size_t)(slice - onward) * step[axis] + (size_t)xi * step[u] +
                                           (size_t)yi * step[v];
                        total += weight * (depth[lit] + half_path * grid->extinction[lit]);
                    }
                }
                depth[here] = total;
            }
        }
    }
}

int shade_grid_build(ShadeGrid *grid, const PictureParticles *particles, const Light lights[LIGHT_COUNT])
{
    memset(grid, 0, sizeof *grid);
    shade_grid_fit(grid, particles);
    const size_t nodes = node_count(grid);
    int failed = 0;
    grid->extinction = calloc(nodes, sizeof *grid->extinction);
    failed |= grid->extinction == NULL;
    for (int l = 0; l < LIGHT_COUNT; ++l) {
        grid->depth[l] = malloc(nodes * sizeof *grid->depth[l]);
        failed |= grid->depth[l] == NULL;
    }
    if (failed) {
        shade_grid_free(grid);
        return -1;
    }
    shade_grid_fill(grid, particles);
    shade_grid_smooth(grid, particles->radius);
    for (int l = 0; l < LIGHT_COUNT; ++l) {
        shade_grid_sweep(grid, lights[l].direction, grid->depth[l]);
    }
    return 0;
}

/*
 * Light scattered once still arrives from other directions, so a part of it fades at a quarter of the rate
 * (octaves of multiple scattering, Wrenninge 2013), and least in the channels that smoke reflects.
 */
void shade_grid_light(const ShadeGrid *grid, const Light lights[LIGHT_COUNT], const float p[3],
                      const float albedo[3], float out[3])
{
    const float direct_part = 0.75f;
    size_t offset[8];
    float weight[8];
    stencil(grid, p, offset, weight);
    out[0] = out[1] = out[2] = 0.0f;
    for (int l = 0; l < LIGHT_COUNT; ++l) {
        float depth = 0.0f;
        for (int corner = 0; corner < 8; ++corner) {
            depth += weight[corner] * grid->depth[l][offset[corner]];
        }
        for (int c = 0; c < 3; ++c) {
            const float lost = SHADOW_BOOST * depth * (1.0f - SCATTERED_ON * albedo[c]);
            const float passed = direct_part * expf(-lost) + (1.0f - direct_part) * expf(-0.25f * lost);
            out[c] += albedo[c] * lights[l].color[c] * passed;
        }
    }
}

float shade_grid_widening(const ShadeGrid *grid, const float p[3], float radius)
{
    size_t offset[8];
    float weight[8];
    stencil(grid, p, offset, weight);
    float extinction = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
        extinction += weight[corner] * grid->extinction[offset[corner]];
    }
    const float spacing = cbrtf(grid->optical_area / fmaxf(extinction, FLT_MIN));
    return fminf(fmaxf(PUFF_SPACING * spacing / radius, 1.0f), PUFF_MAX_WIDENING);
}
