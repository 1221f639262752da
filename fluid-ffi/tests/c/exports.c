/* include/vorton_export.h writes the values that the library's functions read, to the last bit: vortons and
 * tracers as PLY, fields as VTK, .fga and .vf, with any axes, in any locale; it reports failed writes and
 * invalid arguments. Compiles as C++, too. If a folder is passed, writes files there and, as this machine's
 * floats, the values that other programs should read from them: see fluid-ffi/tests/foreign_readers.py. */
#include "check.h"

#include <vorton_export.h>

#include <locale.h>
#include <math.h>

enum { WIDTH = 19, HEIGHT = 7, DEPTH = 10, TEXELS = WIDTH * HEIGHT * DEPTH, TRACERS = 700 };

/* A file in memory that is full at `limit` bytes. */
typedef struct Memory {
    unsigned char *bytes;
    size_t size, room, limit, calls;
} Memory;

static size_t to_memory(const void *bytes, size_t count, void *user) {
    Memory *memory = VORTON_EXPORT_AS(Memory *, user);
    const size_t fits = memory->limit - memory->size < count ? memory->limit - memory->size : count;
    ++memory->calls;
    if (memory->size + fits > memory->room) {
        void *more = realloc(memory->bytes, 2 * (memory->size + fits));
        CHECK(more != NULL);
        memory->bytes = VORTON_EXPORT_AS(unsigned char *, more);
        memory->room = 2 * (memory->size + fits);
    }
    if (fits > 0) memcpy(memory->bytes + memory->size, bytes, fits);
    memory->size += fits;
    return fits;
}

static Memory no_bytes(void) {
    Memory memory;
    memset(&memory, 0, sizeof memory);
    memory.limit = ~VORTON_EXPORT_AS(size_t, 0) / 4;
    return memory;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Reads bytes from front to back. */
typedef struct Reader {
    const unsigned char *at, *end;
} Reader;

static Reader reader_of(const Memory *memory) {
    Reader reader;
    reader.at = memory->bytes;
    reader.end = memory->bytes + memory->size;
    return reader;
}

static void expect_text(Reader *reader, const char *text) {
    const size_t length = strlen(text);
    if (VORTON_EXPORT_AS(size_t, reader->end - reader->at) < length || memcmp(reader->at, text, length) != 0) {
        printf("expected: %s\nfound: %.*s\n", text, VORTON_EXPORT_AS(int, length), VORTON_EXPORT_AS(const char *, VORTON_EXPORT_AS(const void *, reader->at)));
        exit(1);
    }
    reader->at += length;
}

static uint32_t read_u32(Reader *reader, int big) {
    uint32_t value = 0;
    int i;
    CHECK(reader->end - reader->at >= 4);
    for (i = 0; i < 4; ++i) value |= VORTON_EXPORT_AS(uint32_t, reader->at[i]) << 8 * (big ? 3 - i : i);
    reader->at += 4;
    return value;
}

static double read_number(Reader *reader) {
    char text[64];
    size_t length = 0;
    char *end;
    double value;
    while (reader->at < reader->end && strchr("+-.0123456789e", *reader->at) != NULL && length < 63) {
        text[length++] = VORTON_EXPORT_AS(char, *reader->at++);
    }
    text[length] = '\0';
    value = strtod(text, &end);
    CHECK(length > 0 && *end == '\0');
    return value;
}

static VortonWorldId make_scene(VortonTracersId *tracers) {
    VortonWorldDef def = vorton_default_world_def();
    VortonTracersDef set = vorton_default_tracers_def();
    VortonInitialDef drop = vorton_default_initial_def(VORTON_INITIAL_DENSITY_DROP);
    VortonWorldId world;
    VortonVorton ember;
    VortonVec3 positions[TRACERS];
    uint32_t tags[TRACERS], i;
    def.gravity = vec3(0, 0, -3);
    OK(vorton_world_create(&def, &world));
    add_ring(world, 150);
    drop.radius = 0.15f;
    drop.spacing = 0.1f;
    drop.dye = 1;
    OK(vorton_world_add_initial(world, &drop, NULL, NULL));
    memset(&ember, 0, sizeof ember);
    ember.volume = 1e-3f;
    ember.fuel = 2.5f;
    OK(vorton_vortons_add(world, &ember, 1, NULL));
    set.capacity = 1000;
    set.show = VORTON_SAMPLE_DENSITY;
    OK(vorton_tracers_create(world, &set, tracers));
    for (i = 0; i < TRACERS; ++i) {
        positions[i] = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, 2 * random_unit(3 * i + 2) - 1);
        tags[i] = i % 3;
    }
    OK(vorton_tracers_add(world, *tracers, positions, tags, NULL, TRACERS));
    for (i = 0; i < 3; ++i) STEP(vorton_world_step(world, 0.02f));
    return world;
}

/* A box whose texels have centres without round-off. */
static VortonExportDef box(uint32_t format) {
    VortonExportDef def = vorton_default_export_def(format);
    def.width = WIDTH;
    def.height = HEIGHT;
    def.depth = DEPTH;
    def.low = vec3(-1.25f, -0.5f, -0.625f);
    def.high = vec3(-1.25f + WIDTH * 0.125f, -0.5f + HEIGHT * 0.25f, -0.625f + DEPTH * 0.125f);
    return def;
}

static float vectors[TEXELS][3], curls[TEXELS][3], scalars[4][TEXELS];
static const uint32_t SCALARS[] = {VORTON_SAMPLE_DENSITY, VORTON_SAMPLE_DENSITY_DEVIATION, VORTON_SAMPLE_TEMPERATURE, VORTON_SAMPLE_DYE};
static const char *const NAMES[] = {"density", "density_deviation", "temperature", "dye"};

static void sample_box(VortonWorldId world) {
    static float points[TEXELS][3];
    uint32_t i;
    for (i = 0; i < TEXELS; ++i) {
        points[i][0] = -1.25f + VORTON_EXPORT_AS(float, i % WIDTH) * 0.125f + 0.0625f;
        points[i][1] = -0.5f + VORTON_EXPORT_AS(float, i / WIDTH % HEIGHT) * 0.25f + 0.125f;
        points[i][2] = -0.625f + VORTON_EXPORT_AS(float, i / (WIDTH * HEIGHT)) * 0.125f + 0.0625f;
    }
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, vectors[0], 12, TEXELS));
    OK(vorton_world_sample(world, VORTON_SAMPLE_VORTICITY, points[0], 12, curls[0], 12, TEXELS));
    for (i = 0; i < 4; ++i) OK(vorton_world_sample(world, SCALARS[i], points[0], 12, scalars[i], 4, TEXELS));
}

static void expect_vortons(VortonWorldId world) {
    Memory memory = no_bytes();
    Reader reader;
    VortonVorton *vortons;
    char line[64];
    size_t count, i;
    float fuel = 0;
    VortonWorldDef def;
    void *room;
    OK(vorton_world_def(world, &def, sizeof def));
    OK(vorton_vortons_read(world, NULL, 0, &count));
    room = malloc((count + 1) * sizeof *vortons);
    CHECK(room != NULL);
    vortons = VORTON_EXPORT_AS(VortonVorton *, room);
    OK(vorton_vortons_read(world, vortons, count, &count));
    OK(vorton_export_vortons(world, to_memory, &memory));
    reader = reader_of(&memory);
    expect_text(&reader, "ply\nformat binary_little_endian 1.0\ncomment vortons of a vorton world; metres, kilograms, seconds; right-handed\n");
    (void)snprintf(line, sizeof line, "element vertex %u\n", VORTON_EXPORT_AS(unsigned, count));
    expect_text(&reader, line);
    expect_text(&reader, "property float x\nproperty float y\nproperty float z\n"
                         "property float strength_x\nproperty float strength_y\nproperty float strength_z\n"
                         "property float volume\nproperty float radius\nproperty float mass_deviation\nproperty float dye\nproperty float age\n"
                         "property float fuel\nproperty uint flags\nproperty uint vorton_id\nproperty uint vorton_id_high\nend_header\n");
    for (i = 0; i < count; ++i) {
        const VortonVorton *v = &vortons[i];
        const float numbers[] = {v->position.x, v->position.y, v->position.z, v->strength.x, v->strength.y, v->strength.z,
                                 v->volume, def.core_radius, v->mass_deviation, v->dye, v->age, v->fuel};
        uint64_t id;
        size_t k;
        for (k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) CHECK(read_u32(&reader, 0) == bits_of(numbers[k]));
        CHECK(read_u32(&reader, 0) == v->flags);
        fuel += v->fuel;
        id = read_u32(&reader, 0);
        CHECK((id | VORTON_EXPORT_AS(uint64_t, read_u32(&reader, 0)) << 32) == v->id);
    }
    CHECK(reader.at == reader.end && (count == 0 || (fuel > 2.4f && fuel < 2.6f)));
    free(vortons);
    free(memory.bytes);
}

static void expect_tracers(VortonWorldId world, VortonTracersId tracers) {
    static float positions[TRACERS][3], ages[TRACERS], values[TRACERS];
    static uint32_t ids[TRACERS], tags[TRACERS];
    Memory memory = no_bytes();
    Reader reader;
    char line[64];
    size_t count, i;
    OK(vorton_tracers_read(world, tracers, positions[0], 12, ids, tags, ages, values, TRACERS, &count));
    OK(vorton_export_tracers(world, tracers, to_memory, &memory));
    reader = reader_of(&memory);
    expect_text(&reader, "ply\nformat binary_little_endian 1.0\ncomment tracers of a vorton world; metres, kilograms, seconds; right-handed\n");
    (void)snprintf(line, sizeof line, "element vertex %u\n", VORTON_EXPORT_AS(unsigned, count));
    expect_text(&reader, line);
    expect_text(&reader, "property float x\nproperty float y\nproperty float z\nproperty float age\nproperty float value\n"
                         "property uint tracer_id\nproperty uint tag\nend_header\n");
    for (i = 0; i < count; ++i) {
        const float numbers[] = {positions[i][0], positions[i][1], positions[i][2], ages[i], values[i]};
        size_t k;
        for (k = 0; k < 5; ++k) CHECK(read_u32(&reader, 0) == bits_of(numbers[k]));
        CHECK(read_u32(&reader, 0) == ids[i]);
        CHECK(read_u32(&reader, 0) == tags[i]);
    }
    CHECK(reader.at == reader.end);
    free(memory.bytes);
}

/* Returns the world's texel for texel `i` of a file. */
static uint32_t texel_of(const VortonExportDef *def, uint32_t i) {
    const uint32_t counts[3] = {def->width, def->height, def->depth};
    uint32_t index[3], a;
    for (a = 0; a < 3; ++a) {
        const uint32_t axis = VORTON_EXPORT_AS(uint32_t, abs(def->axes[a])) - 1;
        index[axis] = def->axes[a] < 0 ? counts[axis] - 1 - i % counts[axis] : i % counts[axis];
        i /= counts[axis];
    }
    return index[0] + WIDTH * (index[1] + HEIGHT * index[2]);
}

static float component(const VortonExportDef *def, const float vector[3], uint32_t a, float factor) {
    return vector[abs(def->axes[a]) - 1] * (def->axes[a] < 0 ? -factor : factor);
}

/* Returns the determinant of the axes: 1, or -1 if the file is left-handed. */
static float hand(const VortonExportDef *def) {
    float m[3][3];
    uint32_t a;
    memset(m, 0, sizeof m);
    for (a = 0; a < 3; ++a) m[a][abs(def->axes[a]) - 1] = def->axes[a] < 0 ? -1.0f : 1.0f;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static uint32_t count_along(const VortonExportDef *def, uint32_t a) {
    const uint32_t counts[3] = {def->width, def->height, def->depth};
    return counts[abs(def->axes[a]) - 1];
}

/* Returns the box's lowest (-1) or highest (1) corner along the file's axis. */
static double corner(const VortonExportDef *def, uint32_t a, int side) {
    const float lows[3] = {def->low.x, def->low.y, def->low.z}, highs[3] = {def->high.x, def->high.y, def->high.z};
    const int axis = abs(def->axes[a]) - 1;
    if (def->axes[a] < 0) return -VORTON_EXPORT_AS(double, side < 0 ? highs[axis] : lows[axis]);
    return VORTON_EXPORT_AS(double, side < 0 ? lows[axis] : highs[axis]);
}

static void expect_vtk(VortonWorldId world, const VortonExportDef *def) {
    Memory memory = no_bytes();
    Reader reader;
    char line[64];
    uint32_t i, a;
    OK(vorton_export_field(world, def, to_memory, &memory));
    reader = reader_of(&memory);
    expect_text(&reader, "# vtk DataFile Version 3.0\nfield of a vorton world\nBINARY\nDATASET STRUCTURED_POINTS\n");
    (void)snprintf(line, sizeof line, "DIMENSIONS %u %u %u\nORIGIN", count_along(def, 0), count_along(def, 1), count_along(def, 2));
    expect_text(&reader, line);
    for (i = 0; i < 2; ++i) {
        for (a = 0; a < 3; ++a) {
            const double step = (corner(def, a, 1) - corner(def, a, -1)) / count_along(def, a);
            expect_text(&reader, " ");
            CHECK(fabs(read_number(&reader) - (i == 0 ? corner(def, a, -1) + 0.5 * step : step) * VORTON_EXPORT_AS(double, def->scale)) < 1e-14);
        }
        expect_text(&reader, i == 0 ? "\nSPACING" : "\nPOINT_DATA 1330\n");
    }
    if (def->quantities & VORTON_EXPORT_VELOCITY) {
        expect_text(&reader, "VECTORS velocity float\n");
        for (i = 0; i < TEXELS; ++i) {
            for (a = 0; a < 3; ++a) CHECK(read_u32(&reader, 1) == bits_of(component(def, vectors[texel_of(def, i)], a, def->scale)));
        }
        expect_text(&reader, "\n");
    }
    if (def->quantities & VORTON_EXPORT_VORTICITY) {
        expect_text(&reader, "VECTORS vorticity float\n");
        for (i = 0; i < TEXELS; ++i) {
            for (a = 0; a < 3; ++a) CHECK(read_u32(&reader, 1) == bits_of(component(def, curls[texel_of(def, i)], a, hand(def))));
        }
        expect_text(&reader, "\n");
    }
    for (a = 0; a < 4; ++a) {
        if (!(def->quantities & 1u << SCALARS[a])) continue;
        (void)snprintf(line, sizeof line, "SCALARS %s float 1\nLOOKUP_TABLE default\n", NAMES[a]);
        expect_text(&reader, line);
        for (i = 0; i < TEXELS; ++i) CHECK(read_u32(&reader, 1) == bits_of(scalars[a][texel_of(def, i)]));
        expect_text(&reader, "\n");
    }
    CHECK(reader.at == reader.end);
    free(memory.bytes);
}

static void expect_fga(VortonWorldId world, const VortonExportDef *def) {
    Memory memory = no_bytes();
    Reader reader;
    uint32_t i, a;
    OK(vorton_export_field(world, def, to_memory, &memory));
    reader = reader_of(&memory);
    for (i = 0; i < TEXELS + 3; ++i) {
        for (a = 0; a < 3; ++a) {
            const float found = VORTON_EXPORT_AS(float, read_number(&reader));
            if (i == 0) CHECK(found >= VORTON_EXPORT_AS(float, count_along(def, a)) && found <= VORTON_EXPORT_AS(float, count_along(def, a)));
            if (i == 1 || i == 2) CHECK(bits_of(found) == bits_of(VORTON_EXPORT_AS(float, corner(def, a, i == 1 ? -1 : 1)) * def->scale));
            if (i > 2) CHECK(bits_of(found) == bits_of(component(def, vectors[texel_of(def, i - 3)], a, def->scale)));
            expect_text(&reader, a < 2 ? ", " : i + 1 < TEXELS + 3 ? ",\n" : "\n");
        }
    }
    CHECK(reader.at == reader.end);
    free(memory.bytes);
}

static void expect_vf(VortonWorldId world, const VortonExportDef *def) {
    const uint32_t is_vector = def->quantities == VORTON_EXPORT_VELOCITY;
    Memory memory = no_bytes();
    Reader reader;
    uint32_t i, a;
    OK(vorton_export_field(world, def, to_memory, &memory));
    CHECK(memory.size == 10 + TEXELS * (is_vector ? 12u : 4u));
    reader = reader_of(&memory);
    expect_text(&reader, is_vector ? "VF_V" : "VF_F");
    for (a = 0; a < 3; ++a) CHECK(reader.at[2 * a] + 256u * reader.at[2 * a + 1] == count_along(def, a));
    reader.at += 6;
    for (i = 0; i < TEXELS; ++i) {
        if (!is_vector) CHECK(read_u32(&reader, 0) == bits_of(scalars[3][texel_of(def, i)]));
        for (a = 0; a < 3 && is_vector; ++a) CHECK(read_u32(&reader, 0) == bits_of(component(def, vectors[texel_of(def, i)], a, def->scale)));
    }
    CHECK(reader.at == reader.end);
    free(memory.bytes);
}

/* Every order and every direction of the three axes, in each format. */
static void every_axis(VortonWorldId world) {
    int a, b, signs;
    for (a = 1; a <= 3; ++a) {
        for (b = 1; b <= 3; ++b) {
            if (a == b) continue;
            for (signs = 0; signs < 8; ++signs) {
                uint32_t format;
                for (format = VORTON_EXPORT_VTK; format <= VORTON_EXPORT_VF; ++format) {
                    VortonExportDef def = box(format);
                    def.axes[0] = signs & 1 ? -a : a;
                    def.axes[1] = signs & 2 ? -b : b;
                    def.axes[2] = signs & 4 ? -(6 - a - b) : 6 - a - b;
                    if (format == VORTON_EXPORT_VTK) {
                        def.quantities |= VORTON_EXPORT_VORTICITY;
                        expect_vtk(world, &def);
                    }
                    if (format == VORTON_EXPORT_FGA) expect_fga(world, &def);
                    if (format == VORTON_EXPORT_VF) expect_vf(world, &def);
                }
            }
        }
    }
}

/* The axes of both engines are left-handed, and the world's up axis is the engine's. */
static void engines_are_left_handed(void) {
    static const int32_t axes[4][4] = {{1, -2, 3, 3}, {-3, 1, 2, 2}, {1, 3, 2, 3}, {1, 2, -3, 2}};
    uint32_t i;
    for (i = 0; i < 4; ++i) {
        VortonExportDef def = vorton_default_export_def(i < 2 ? VORTON_EXPORT_FGA : VORTON_EXPORT_VF);
        if (i == 0 || i == 2) CHECK(memcmp(def.axes, axes[i], sizeof def.axes) == 0);
        memcpy(def.axes, axes[i], sizeof def.axes);
        CHECK(hand(&def) < 0);
        CHECK(def.axes[i < 2 ? 2 : 1] == axes[i][3]);
    }
}

static void refuse(VortonWorldId world, VortonExportDef def, VortonResult expected, const char *word) {
    Memory memory = no_bytes();
    const char *why = NULL;
    check_result(__FILE__, __LINE__, word, expected, vorton_export_check(&def, &why));
    CHECK(strstr(why, word) != NULL);
    check_result(__FILE__, __LINE__, word, expected, vorton_export_field(world, &def, to_memory, &memory));
    CHECK(memory.calls == 0);
}

static void what_is_not_valid(VortonWorldId world, VortonTracersId tracers) {
    const float nan = VORTON_EXPORT_AS(float, strtod("nan", NULL));
    VortonExportDef def;
    VortonWorldId no_world;
    VortonTracersId no_tracers;
    Memory memory = no_bytes();
    memset(&no_world, 0, sizeof no_world);
    memset(&no_tracers, 0, sizeof no_tracers);
    def = vorton_default_export_def(VORTON_EXPORT_VTK);
    refuse(world, def, VORTON_ERR_BAD_VALUE, "high is not above low"); /* The default has no box yet. */
    def = box(VORTON_EXPORT_VTK), def.low.y = nan;
    refuse(world, def, VORTON_ERR_NOT_FINITE, "corner");
    def = box(VORTON_EXPORT_FGA), def.high.z = VORTON_EXPORT_AS(float, HUGE_VAL);
    refuse(world, def, VORTON_ERR_NOT_FINITE, "corner");
    def = box(VORTON_EXPORT_VF), def.scale = nan;
    refuse(world, def, VORTON_ERR_NOT_FINITE, "scale");
    def = box(VORTON_EXPORT_VF), def.scale = -1;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "scale");
    def = box(VORTON_EXPORT_VTK), def.high.x = def.low.x;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "high is not above low");
    def = box(VORTON_EXPORT_VTK), def.format = 0;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "format");
    def = box(VORTON_EXPORT_VTK), def.format = 4;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "format");
    def = box(VORTON_EXPORT_VTK), def.axes[0] = 2;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "axes");
    def = box(VORTON_EXPORT_VTK), def.axes[0] = -2147483647 - 1;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "axes");
    def = box(VORTON_EXPORT_VTK), def.quantities = 0;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "quantities");
    def = box(VORTON_EXPORT_VTK), def.quantities = 1;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "quantities");
    def = box(VORTON_EXPORT_FGA), def.quantities = VORTON_EXPORT_DYE;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "one quantity");
    def = box(VORTON_EXPORT_VF), def.quantities |= VORTON_EXPORT_DYE;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "one quantity");
    def = box(VORTON_EXPORT_VTK), def.depth = 0;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "depth is 0");
    def = box(VORTON_EXPORT_VTK), def.width = def.height = def.depth = 0xffffffffu;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "more texels");
    def = box(VORTON_EXPORT_VTK), def.width = 2048, def.height = 1024, def.depth = 1024;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "more texels");
    def = box(VORTON_EXPORT_FGA), def.height = 129;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "128");
    def = box(VORTON_EXPORT_VF), def.height = 65536;
    refuse(world, def, VORTON_ERR_BAD_VALUE, "65535");
    def = box(VORTON_EXPORT_VF), def.width = def.height = def.depth = 564; /* Unity counts bytes in an int. */
    refuse(world, def, VORTON_ERR_BAD_VALUE, "more texels");
    def.width = 562;
    OK(vorton_export_check(&def, NULL));
    def = box(VORTON_EXPORT_VTK);
    CHECK(vorton_export_check(NULL, NULL) == VORTON_ERR_NULL);
    CHECK(vorton_export_field(world, NULL, to_memory, &memory) == VORTON_ERR_NULL);
    CHECK(vorton_export_field(world, &def, NULL, &memory) == VORTON_ERR_NULL);
    CHECK(vorton_export_vortons(world, NULL, &memory) == VORTON_ERR_NULL);
    CHECK(vorton_export_tracers(world, tracers, NULL, &memory) == VORTON_ERR_NULL);
    CHECK(vorton_export_field(no_world, &def, to_memory, &memory) == VORTON_ERR_STALE_ID);
    CHECK(vorton_export_vortons(no_world, to_memory, &memory) == VORTON_ERR_STALE_ID);
    CHECK(vorton_export_tracers(world, no_tracers, to_memory, &memory) == VORTON_ERR_STALE_ID);
    CHECK(memory.calls == 0);
}

/* One export of each kind. */
static VortonResult export_number(uint32_t number, VortonWorldId world, VortonTracersId tracers, VortonExportFn write, void *user) {
    VortonExportDef def = box(number);
    if (number == 0) return vorton_export_vortons(world, write, user);
    if (number == 4) return vorton_export_tracers(world, tracers, write, user);
    return vorton_export_field(world, &def, write, user);
}

/* A failed write ends an export at any byte; a FILE receives the same bytes as memory. */
static void failed_writes(VortonWorldId world, VortonTracersId tracers) {
    uint32_t number;
    for (number = 0; number < 5; ++number) {
        Memory whole = no_bytes(), part = no_bytes();
        size_t limit;
        FILE *file = tmpfile();
        int byte;
        OK(export_number(number, world, tracers, to_memory, &whole));
        for (limit = 0; limit < whole.size; limit += 1 + whole.size / 37) {
            part.size = part.calls = 0;
            part.limit = limit;
            CHECK(export_number(number, world, tracers, to_memory, &part) == VORTON_ERR_EXPORT_WRITE);
            CHECK(part.size == limit && (limit == 0 || memcmp(part.bytes, whole.bytes, limit) == 0));
            CHECK(part.calls <= limit / 3500 + 1);
        }
        part.size = 0;
        part.limit = whole.size;
        OK(export_number(number, world, tracers, to_memory, &part));
        CHECK(file != NULL);
        OK(export_number(number, world, tracers, vorton_export_to_file, file));
        rewind(file);
        for (limit = 0; (byte = fgetc(file)) != EOF; ++limit) CHECK(limit < whole.size && byte == whole.bytes[limit]);
        CHECK(limit == whole.size);
        CHECK(fclose(file) == 0);
        free(whole.bytes);
        free(part.bytes);
    }
}

/* An empty world, and boxes of one texel. */
static void small_ones(VortonWorldId world) {
    VortonTracersDef set = vorton_default_tracers_def();
    VortonWorldId empty = make_world(VORTON_THREADS_SERIAL, 0, 100);
    VortonTracersId none;
    Memory memory = no_bytes();
    Reader reader;
    VortonExportDef def;
    float centre[3] = {0.125f, 0.25f, 0.5f}, value[3];
    uint32_t format;
    OK(vorton_tracers_create(empty, &set, &none));
    expect_vortons(empty);
    expect_tracers(empty, none);
    def = box(VORTON_EXPORT_VTK);
    def.width = def.height = def.depth = 1;
    def.low = vec3(0, 0, 0);
    def.high = vec3(0.25f, 0.5f, 1);
    for (format = VORTON_EXPORT_VTK; format <= VORTON_EXPORT_VF; ++format) {
        def.format = format;
        memory.size = 0;
        OK(vorton_export_field(world, &def, to_memory, &memory));
        reader = reader_of(&memory);
        if (format == VORTON_EXPORT_VTK) {
            expect_text(&reader, "# vtk DataFile Version 3.0\nfield of a vorton world\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 1 1 1\n"
                                 "ORIGIN 0.125 0.25 0.5\nSPACING 0.25 0.5 1\nPOINT_DATA 1\nVECTORS velocity float\n");
        } else if (format == VORTON_EXPORT_FGA) {
            expect_text(&reader, "1, 1, 1,\n0, 0, 0,\n0.25, 0.5, 1,\n");
        } else {
            expect_text(&reader, "VF_V\1");
            CHECK(memory.size == 22);
            reader.at += 5;
        }
        OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, centre, 12, value, 12, 1));
        if (format == VORTON_EXPORT_FGA) CHECK(bits_of(VORTON_EXPORT_AS(float, read_number(&reader))) == bits_of(value[0]));
        else CHECK(read_u32(&reader, format == VORTON_EXPORT_VTK) == bits_of(value[0]));
    }
    /* Before the first step the fluid is undisturbed. */
    def.format = VORTON_EXPORT_VTK;
    def.quantities = VORTON_EXPORT_VELOCITY | VORTON_EXPORT_TEMPERATURE;
    memory.size = 0;
    OK(vorton_export_field(empty, &def, to_memory, &memory));
    /* A huge box is valid; values that the scale moves beyond float's range are clamped to the largest. */
    def = box(VORTON_EXPORT_FGA);
    def.low = vec3(-3e38f, -3e38f, -3e38f);
    def.high = vec3(3e38f, 3e38f, 3e38f);
    memory.size = 0;
    OK(vorton_export_field(world, &def, to_memory, &memory));
    reader = reader_of(&memory);
    expect_text(&reader, "19, 7, 10,\n-3.40282347e+38, -3.40282347e+38, -3.40282347e+38,\n3.40282347e+38,");
    free(memory.bytes);
    OK(vorton_world_destroy(empty));
}

/* A box with round-off equals that of vorton_world_sample_volume. */
static void as_volumes(VortonWorldId world) {
    static float volume[TEXELS][3];
    VortonExportDef def = box(VORTON_EXPORT_VF);
    VortonVolumeDef like = vorton_default_volume_def();
    Memory memory = no_bytes();
    Reader reader;
    uint32_t i, a;
    def.low = like.low = vec3(-1.2f, -0.9f, -0.5f);
    def.high = like.high = vec3(1.1f, 0.8f, 0.6f);
    def.axes[1] = 2;
    def.axes[2] = 3;
    like.format = VORTON_TEXEL_F32;
    like.components = 3;
    like.width = WIDTH;
    like.height = HEIGHT;
    like.depth = DEPTH;
    OK(vorton_world_sample_volume(world, &like, volume, sizeof volume));
    OK(vorton_export_field(world, &def, to_memory, &memory));
    reader = reader_of(&memory);
    reader.at += 10;
    for (i = 0; i < TEXELS; ++i) {
        for (a = 0; a < 3; ++a) {
            const uint32_t bits = read_u32(&reader, 0);
            float found;
            memcpy(&found, &bits, 4);
            CHECK(fabsf(found - volume[i][a]) <= 2e-5f * (1 + fabsf(found)));
        }
    }
    free(memory.bytes);
}

static FILE *create(const char *folder, const char *name) {
    char path[1024];
    FILE *file;
    CHECK(snprintf(path, sizeof path, "%s/%s", folder, name) < 1024);
    file = fopen(path, "wb");
    CHECK(file != NULL);
    return file;
}

static void dump(const char *folder, const char *name, const void *bytes, size_t size) {
    FILE *file = create(folder, name);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

static void leave(const char *folder, const char *name, VortonWorldId world, const VortonExportDef *def) {
    FILE *file = create(folder, name);
    OK(vorton_export_field(world, def, vorton_export_to_file, file));
    CHECK(fclose(file) == 0);
}

/* Writes files for other programs, and the values that these should read. */
static void leave_files(const char *folder, VortonWorldId world, VortonTracersId tracers) {
    static VortonVorton vortons[4096];
    static float positions[TRACERS][3], ages[TRACERS], values[TRACERS];
    static uint32_t ids[TRACERS], tags[TRACERS];
    VortonExportDef def = box(VORTON_EXPORT_VTK);
    FILE *file = create(folder, "vortons.ply");
    size_t count;
    OK(vorton_export_vortons(world, vorton_export_to_file, file));
    CHECK(fclose(file) == 0);
    file = create(folder, "tracers.ply");
    OK(vorton_export_tracers(world, tracers, vorton_export_to_file, file));
    CHECK(fclose(file) == 0);
    def.quantities = VORTON_EXPORT_VELOCITY | VORTON_EXPORT_VORTICITY | VORTON_EXPORT_DENSITY |
                     VORTON_EXPORT_DENSITY_DEVIATION | VORTON_EXPORT_TEMPERATURE | VORTON_EXPORT_DYE;
    leave(folder, "field.vtk", world, &def);
    def = box(VORTON_EXPORT_FGA);
    leave(folder, "velocity.fga", world, &def);
    def = box(VORTON_EXPORT_VF);
    leave(folder, "velocity.vf", world, &def);
    def.quantities = VORTON_EXPORT_DYE;
    leave(folder, "dye.vf", world, &def);
    OK(vorton_vortons_read(world, vortons, 4096, &count));
    dump(folder, "vortons.raw", vortons, count * sizeof *vortons);
    OK(vorton_tracers_read(world, tracers, positions[0], 12, ids, tags, ages, values, TRACERS, &count));
    dump(folder, "tracers_positions.raw", positions, sizeof positions);
    dump(folder, "tracers_age.raw", ages, sizeof ages);
    dump(folder, "tracers_value.raw", values, sizeof values);
    dump(folder, "tracers_id.raw", ids, sizeof ids);
    dump(folder, "tracers_tag.raw", tags, sizeof tags);
    dump(folder, "velocity.raw", vectors, sizeof vectors);
    dump(folder, "vorticity.raw", curls, sizeof curls);
    for (count = 0; count < 4; ++count) {
        char name[64];
        CHECK(snprintf(name, sizeof name, "%s.raw", NAMES[count]) < 64);
        dump(folder, name, scalars[count], sizeof scalars[count]);
    }
}

int main(int argc, char **argv) {
    VortonTracersId tracers;
    const VortonWorldId world = make_scene(&tracers);
    const uint64_t hash = hash_of(world);
    VortonExportDef def = box(VORTON_EXPORT_VTK);
    Memory here = no_bytes(), there = no_bytes();
    VortonExportDef text = box(VORTON_EXPORT_FGA);
    sample_box(world);
    expect_vortons(world);
    expect_tracers(world, tracers);
    def.quantities = VORTON_EXPORT_VELOCITY | VORTON_EXPORT_VORTICITY | VORTON_EXPORT_DENSITY |
                     VORTON_EXPORT_DENSITY_DEVIATION | VORTON_EXPORT_TEMPERATURE | VORTON_EXPORT_DYE;
    expect_vtk(world, &def);
    def.scale = 100;
    expect_vtk(world, &def);
    def = box(VORTON_EXPORT_VF);
    def.quantities = VORTON_EXPORT_DYE;
    expect_vf(world, &def);
    every_axis(world);
    engines_are_left_handed();
    small_ones(world);
    as_volumes(world);
    what_is_not_valid(world, tracers);
    failed_writes(world, tracers);
    CHECK(hash_of(world) == hash);
    /* A locale's decimal comma does not reach files. */
    OK(vorton_export_field(world, &text, to_memory, &here));
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "de_DE.utf8") != NULL) printf("in a locale with a comma\n");
    OK(vorton_export_field(world, &text, to_memory, &there));
    (void)setlocale(LC_ALL, "C");
    CHECK(here.size == there.size && memcmp(here.bytes, there.bytes, here.size) == 0);
    free(here.bytes);
    free(there.bytes);
    if (argc > 1) leave_files(argv[1], world, tracers);
    OK(vorton_world_destroy(world));
    printf("files hold what the world holds\n");
    return 0;
}
