/* A volume of texels equals vorton_world_sample at their centres, as floats or as halves, packed or with
 * pitches, on any number of threads; padding between rows stays untouched. */
#include "check.h"

#include <math.h>

enum { WIDTH = 37, HEIGHT = 9, DEPTH = 6, TEXELS = WIDTH * HEIGHT * DEPTH, ROW = 40 * 16, SLICE = 11 * ROW };

static float half_value(uint16_t half) {
    const int exponent = half >> 10 & 31;
    const float fraction = (float)(half & 1023);
    const float size = exponent == 0 ? ldexpf(fraction, -24) : ldexpf(1 + fraction / 1024, exponent - 15);
    return half >> 15 ? -size : size;
}

static VortonWorldId world_of(uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonWorldId world;
    uint32_t i;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 3;
    def.gravity = vec3(0, 0, -3);
    OK(vorton_world_create(&def, &world));
    add_ring(world, 150);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    drop.dye = 1;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    for (i = 0; i < 3; ++i) STEP(vorton_world_step(world, 0.02f));
    return world;
}

static VortonVolumeDef volume_def(void) {
    VortonVolumeDef def = vorton_default_volume_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.depth = DEPTH;
    def.low = vec3(-1.2f, -0.9f, -0.5f);
    def.high = vec3(1.1f, 0.8f, 0.6f);
    return def;
}

static float centres[TEXELS][3], vectors[TEXELS][3], scalars[TEXELS];

static void sample(VortonWorldId world, const VortonVolumeDef *def) {
    const float low[3] = {def->low.x, def->low.y, def->low.z}, high[3] = {def->high.x, def->high.y, def->high.z};
    const uint32_t dims[3] = {WIDTH, HEIGHT, DEPTH};
    uint32_t texel, axis;
    for (texel = 0; texel < TEXELS; ++texel) {
        const uint32_t index[3] = {texel % WIDTH, texel / WIDTH % HEIGHT, texel / (WIDTH * HEIGHT)};
        for (axis = 0; axis < 3; ++axis) {
            centres[texel][axis] = low[axis] + ((float)index[axis] + 0.5f) * ((high[axis] - low[axis]) / (float)dims[axis]);
        }
    }
    if (def->vector != 0) OK(vorton_world_sample(world, def->vector, centres[0], 12, vectors[0], 12, TEXELS));
    if (def->scalar != 0) OK(vorton_world_sample(world, def->scalar, centres[0], 12, scalars, 4, TEXELS));
}

static unsigned char memory[2][DEPTH * SLICE + 64];

/* Fills on one thread and on several, and compares each number. */
static void compare(const VortonWorldId worlds[2], const VortonVolumeDef *def) {
    const uint32_t size = def->format == VORTON_TEXEL_F32 ? 4 : 2, vector = def->vector != 0 ? 3 : 0;
    const size_t row = def->row_pitch != 0 ? def->row_pitch : WIDTH * def->components * size;
    const size_t slice = def->slice_pitch != 0 ? def->slice_pitch : HEIGHT * row;
    const size_t bytes = (DEPTH - 1) * slice + (HEIGHT - 1) * row + WIDTH * def->components * size;
    double largest = 0;
    uint32_t texel, c, filled = 0, i;
    for (i = 0; i < 2; ++i) {
        memset(memory[i], 0x5a, sizeof memory[i]);
        check_result(__FILE__, __LINE__, "too small", VORTON_ERR_BUFFER_SMALL, vorton_world_sample_volume(worlds[i], def, memory[i], bytes - 1));
        CHECK(memory[i][0] == 0x5a);
        OK(vorton_world_sample_volume(worlds[i], def, memory[i], bytes));
    }
    CHECK(memcmp(memory[0], memory[1], sizeof memory[0]) == 0);
    sample(worlds[0], def);
    for (texel = 0; texel < TEXELS; ++texel) {
        const size_t at = (texel / (WIDTH * HEIGHT)) * slice + (texel / WIDTH % HEIGHT) * row + (texel % WIDTH) * def->components * size;
        for (c = 0; c < def->components; ++c) {
            const float expected = c < vector ? vectors[texel][c] : c == vector && def->scalar != 0 ? scalars[texel] : 0;
            float found;
            uint16_t half;
            if (size == 4) {
                memcpy(&found, memory[0] + at + 4 * c, 4);
                CHECK(fabsf(found - expected) <= 2e-5f * (1 + fabsf(expected)));
            } else {
                memcpy(&half, memory[0] + at + 2 * c, 2);
                found = half_value(half);
                CHECK(fabsf(found - expected) <= 6e-4f * fabsf(expected) + 2e-5f);
            }
            if (fabs(found) > largest) largest = fabs(found);
            filled += size;
        }
    }
    CHECK(largest > 0.1);
    /* All other bytes are unchanged. */
    for (i = 0; i < sizeof memory[0]; ++i) filled += i >= bytes && memory[0][i] == 0x5a;
    if (def->row_pitch == 0) CHECK(filled == sizeof memory[0]);
    if (def->row_pitch != 0) {
        const size_t behind = WIDTH * def->components * size;
        CHECK(memory[0][behind] == 0x5a && memory[0][row - 1] == 0x5a && memory[0][HEIGHT * row] == 0x5a);
    }
}

int main(void) {
    const VortonWorldId worlds[2] = {world_of(VORTON_THREADS_SERIAL), world_of(VORTON_THREADS_POOL)};
    static const uint32_t shown[][3] = {
        {VORTON_SAMPLE_VELOCITY, 0, 3}, {VORTON_SAMPLE_VELOCITY, 0, 4}, {VORTON_SAMPLE_VELOCITY, VORTON_SAMPLE_DYE, 4},
        {VORTON_SAMPLE_VORTICITY, VORTON_SAMPLE_DENSITY_DEVIATION, 4}, {0, VORTON_SAMPLE_DYE, 1}, {0, VORTON_SAMPLE_DENSITY, 2},
    };
    uint32_t i, format, pitched;
    for (i = 0; i < sizeof shown / sizeof shown[0]; ++i) {
        for (format = VORTON_TEXEL_F32; format <= VORTON_TEXEL_F16; ++format) {
            for (pitched = 0; pitched < 2; ++pitched) {
                VortonVolumeDef def = volume_def();
                def.format = format;
                def.vector = shown[i][0];
                def.scalar = shown[i][1];
                def.components = shown[i][2];
                def.row_pitch = pitched ? ROW : 0;
                def.slice_pitch = pitched ? SLICE : 0;
                compare(worlds, &def);
            }
        }
    }
    OK(vorton_world_destroy(worlds[0]));
    OK(vorton_world_destroy(worlds[1]));
    printf("volumes hold what samples see\n");
    return 0;
}
