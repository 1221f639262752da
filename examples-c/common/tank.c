#include "tank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float PLANES_MEET = 1e-4f; /* Corners this far [m] from a plane are on it. */
enum {
    DOTS_PER_EDGE = 80
};

/* Computes the intersection point of three planes; returns 0 if there is none. */
static int meet(const float *a, const float *b, const float *c, float corner[3])
{
    const float bc[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};
    const float ca[3] = {c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]};
    const float ab[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const float volume = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
    if (fabsf(volume) < 1e-4f) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        corner[i] = (a[3] * bc[i] + b[3] * ca[i] + c[3] * ab[i]) / volume;
    }
    return 1;
}

/* Depth [m] of a point in the tank's axes behind its nearest wall; negative outside. */
static float depth(const Tank *tank, const float place[3])
{
    float least = INFINITY;
    for (unsigned i = 0; i < tank->plane_count; ++i) {
        const float *plane = tank->planes[i];
        least = fminf(least, plane[3] - plane[0] * place[0] - plane[1] * place[1] - plane[2] * place[2]);
    }
    return least;
}

/* The edge of two planes runs between its corners with all other planes. */
static void find_edges(Tank *tank)
{
    for (unsigned i = 0; i < tank->plane_count; ++i) {
        for (unsigned j = i + 1; j < tank->plane_count; ++j) {
            float ends[2][3];
            unsigned found = 0;
            for (unsigned k = 0; k < tank->plane_count && found < 2; ++k) {
                float corner[3];
                if (k == i || k == j || !meet(tank->planes[i], tank->planes[j], tank->planes[k], corner) ||
                    depth(tank, corner) < -PLANES_MEET) {
                    continue;
                }
                float apart = INFINITY;
                if (found == 1) {
                    apart = fabsf(corner[0] - ends[0][0]) + fabsf(corner[1] - ends[0][1]) + fabsf(corner[2] - ends[0][2]);
                }
                if (apart > PLANES_MEET) {
                    memcpy(ends[found++], corner, sizeof corner);
                }
            }
            if (found == 2 && tank->edge_count < TANK_EDGES) {
                memcpy(tank->edges[tank->edge_count++], ends, sizeof ends);
            }
        }
    }
}

static size_t read_vortons(const Tank *tank, VortonVorton **vortons)
{
    VortonStats stats;
    memset(&stats, 0, sizeof stats);
    stats.struct_size = sizeof stats;
    CHECK(vorton_world_stats(tank->world, &stats));
    *vortons = allocate((size_t)stats.vortons + 1, sizeof **vortons);
    size_t count = 0;
    CHECK(vorton_vortons_read(tank->world, *vortons, (size_t)stats.vortons + 1, &count));
    return count;
}

VortonWorldId tank_create_world(float spacing, float gravity)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * spacing;
    def.gravity.z = -gravity;
    def.viscosity = 1e-3f;
    /* It would disturb layers at rest, with vortex sheets that end at the walls. */
    def.relaxation_rate = 0.0f;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    return world;
}

Tank tank_create(VortonWorldId world, const float (*planes)[4], unsigned plane_count)
{
    if (plane_count > TANK_PLANES) {
        fail("a tank of too many planes", __FILE__, __LINE__);
    }
    Tank tank;
    memset(&tank, 0, sizeof tank);
    tank.world = world;
    tank.plane_count = plane_count;
    memcpy(tank.planes, planes, plane_count * sizeof *planes);
    tank.state.rotation.w = 1.0f;
    find_edges(&tank);

    VortonBodyDef def = vorton_default_body_def();
    def.mass = 0.0f; /* The fluid does not move it. */
    CHECK(vorton_body_create(world, &def, &tank.id));
    VortonShapeDef hole = vorton_default_shape_def(VORTON_SHAPE_PLANES);
    hole.flags = VORTON_SHAPE_HOLE;
    hole.planes = &tank.planes[0][0];
    hole.plane_count = plane_count;
    VortonShapeId shape;
    CHECK(vorton_shape_create(world, tank.id, &hole, &shape));
    return tank;
}

Tank tank_create_box(VortonWorldId world, VortonVec3 half)
{
    const float planes[6][4] = {
        {1.0f, 0.0f, 0.0f, half.x}, {-1.0f, 0.0f, 0.0f, half.x}, {0.0f, 1.0f, 0.0f, half.y},
        {0.0f, -1.0f, 0.0f, half.y}, {0.0f, 0.0f, 1.0f, half.z}, {0.0f, 0.0f, -1.0f, half.z},
    };
    return tank_create(world, planes, 6);
}

void tank_fill_layer(const Tank *tank, VortonVec3 half, int side, float density_deviation, float spacing)
{
    VortonInitialDef layer = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BOX);
    layer.centre.z = 0.5f * (float)side * half.z;
    layer.extent = (VortonVec3){2.0f * half.x, 2.0f * half.y, half.z};
    layer.density_deviation = density_deviation;
    layer.spacing = spacing;
    layer.dye = 0.0f;
    CHECK(vorton_world_add_initial(tank->world, &layer, NULL, NULL));
}

void tank_fill(const Tank *tank, float spacing)
{
    float reach = 0.0f;
    for (unsigned i = 0; i < tank->edge_count; ++i) {
        for (int c = 0; c < 3; ++c) {
            reach = fmaxf(reach, fmaxf(fabsf(tank->edges[i][0][c]), fabsf(tank->edges[i][1][c])));
        }
    }
    VortonVorton *there;
    const size_t taken = read_vortons(tank, &there);
    const int cells = (int)ceilf(reach / spacing);
    const size_t most = (size_t)(2 * cells) * (size_t)(2 * cells) * (size_t)(2 * cells);
    VortonVorton *seeds = allocate(most, sizeof *seeds);
    size_t count = 0;
    for (size_t n = 0; n < most; ++n) {
        const int i[3] = {(int)(n % (size_t)(2 * cells)), (int)(n / (size_t)(2 * cells) % (size_t)(2 * cells)),
                          (int)(n / (size_t)(4 * cells * cells))};
        float place[3];
        for (int c = 0; c < 3; ++c) {
            place[c] = ((float)(i[c] - cells) + 0.5f) * spacing;
        }
        int is_free = depth(tank, place) > 0.3f * spacing;
        for (size_t k = 0; k < taken && is_free; ++k) {
            const float off[3] = {place[0] - there[k].position.x, place[1] - there[k].position.y,
                                  place[2] - there[k].position.z};
            is_free = off[0] * off[0] + off[1] * off[1] + off[2] * off[2] > 0.5f * spacing * spacing;
        }
        if (is_free) {
            memset(&seeds[count], 0, sizeof *seeds);
            seeds[count].position = (VortonVec3){place[0], place[1], place[2]};
            seeds[count].volume = spacing * spacing * spacing;
            ++count;
        }
    }
    CHECK(vorton_vortons_add(tank->world, seeds, count, NULL));
    free(seeds);
    free(there);
}

void tank_move(Tank *tank, VortonVec3 position, VortonVec3 velocity)
{
    tank->state.position = position;
    tank->state.velocity = velocity;
    CHECK(vorton_body_set_state(tank->world, tank->id, &tank->state));
}

/* In the tank's axes, which are the world's as long as it is not turned; relative to its position after the
   last step. */
static void seen_from(const VortonVorton *vorton, const VortonBodyState *now, float place[3])
{
    place[0] = vorton->position.x - now->position.x;
    place[1] = vorton->position.y - now->position.y;
    place[2] = vorton->position.z - now->position.z;
}

size_t tank_count_outside(const Tank *tank)
{
    VortonBodyState now;
    CHECK(vorton_body_read(tank->world, tank->id, &now));
    VortonVorton *vortons;
    const size_t count = read_vortons(tank, &vortons);
    size_t outside = 0;
    for (size_t i = 0; i < count; ++i) {
        float place[3];
        seen_from(&vortons[i], &now, place);
        outside += depth(tank, place) < 0.0f;
    }
    free(vortons);
    return outside;
}

TankLayers tank_layers(const Tank *tank)
{
    VortonBodyState now;
    CHECK(vorton_body_read(tank->world, tank->id, &now));
    VortonVorton *vortons;
    const size_t count = read_vortons(tank, &vortons);
    TankLayers layers = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; ++i) {
        const double mass = (double)vortons[i].mass_deviation;
        if (mass > 0.0) {
            float place[3];
            seen_from(&vortons[i], &now, place);
            layers.mass += mass;
            layers.heavy_x += mass * (double)place[0];
            layers.heavy_z += mass * (double)place[2];
        }
    }
    free(vortons);
    if (layers.mass > 0.0) {
        layers.heavy_x /= layers.mass;
        layers.heavy_z /= layers.mass;
    }
    return layers;
}

void tank_draw(const Tank *tank, Picture *picture, int panel, const PictureCamera *camera, const float color[3])
{
    VortonBodyState now;
    CHECK(vorton_body_read(tank->world, tank->id, &now));
    const size_t count = (size_t)tank->edge_count * DOTS_PER_EDGE;
    float(*dots)[3] = allocate(count, sizeof *dots);
    for (size_t i = 0; i < count; ++i) {
        const float(*ends)[3] = (const float(*)[3])tank->edges[i / DOTS_PER_EDGE];
        const float share = (float)(i % DOTS_PER_EDGE) / (float)(DOTS_PER_EDGE - 1);
        const float centre[3] = {now.position.x, now.position.y, now.position.z};
        for (int c = 0; c < 3; ++c) {
            dots[i][c] = centre[c] + ends[0][c] + share * (ends[1][c] - ends[0][c]);
        }
    }
    const PictureParticles particles = {.count = count,
                                        .positions = &dots[0][0],
                                        .position_stride = sizeof *dots,
                                        .color = {color[0], color[1], color[2]},
                                        .radius = 0.006f,
                                        .opacity = 0.35f};
    (void)picture_draw_particles(picture, panel, camera, &particles);
    free(dots);
}
