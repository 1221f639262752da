/*
 * vorton_export.h - exports a vorton world to other programs: vortons and tracers as PLY, boxes of the field
 * as VTK, Unreal's .fga and Unity's .vf. C99 and later, C++11 and later. Optional and header only: it calls
 * vorton.h and the C standard library, and the library contains none of it. MIT OR Apache-2.0.
 *
 *     FILE *file = fopen("tracers.ply", "wb");
 *     vorton_export_tracers(world, tracers, vorton_export_to_file, file);
 *
 *     VortonExportDef def = vorton_default_export_def(VORTON_EXPORT_FGA);
 *     def.low = ...; def.high = ...;
 *     vorton_export_field(world, &def, vorton_export_to_file, another_file);
 *
 * A callback receives the bytes, so they can be written to an engine's files, an archive or a socket. Open a
 * FILE in binary mode ("wb"), also for .fga, and check the result of fclose, which writes the last bytes.
 *
 * Coordinates of vorton are right-handed, any axis may be up, and units are metres and seconds. PLY files
 * store them unchanged. VTK fields follow VortonExportDef, by default unchanged; .fga and .vf files are
 * left-handed by default, with the axes and the scale of VortonExportDef.
 *
 * Results are those of vorton.h, and VORTON_ERR_EXPORT_WRITE. An invalid definition or id is rejected before
 * the first byte is written; after a failed write the file is incomplete. Only functions of vorton.h set the
 * message of vorton_last_error; vorton_export_check returns one for definitions.
 *
 * Files have the same bytes on every machine, regardless of byte order and locale. Call these functions
 * between steps: vortons cannot be read during a step (VORTON_ERR_BUSY), and a field that is sampled while
 * another thread steps the world mixes the fields of several steps.
 */
#ifndef VORTON_EXPORT_H
#define VORTON_EXPORT_H

#include "vorton.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory for the vortons (64 bytes each) or tracers (28 bytes each) of an export. Fields allocate none. */
#ifndef VORTON_EXPORT_MALLOC
# define VORTON_EXPORT_MALLOC(size) malloc(size)
# define VORTON_EXPORT_FREE(memory) free(memory)
#endif

/* The callback did not write all bytes. (vorton_result_name does not name this code.) */
#define VORTON_ERR_EXPORT_WRITE -1001

/* VTK's legacy format ("# vtk DataFile Version 3.0"), STRUCTURED_POINTS, binary, for VTK, ParaView, VisIt,
   PyVista, meshio and others. Any quantities, each as an array of that name: velocity, vorticity, density,
   density_deviation, temperature, dye. Samples are points, the first one half a texel inside the box. */
#define VORTON_EXPORT_VTK 1u

/* Fluid grid ASCII, Unreal's vector field: resolution, lowest corner, highest corner, vectors, x fastest. One
   quantity, velocity or vorticity. At most VORTON_EXPORT_FGA_MAX texels along each axis. */
#define VORTON_EXPORT_FGA 2u

/* Volume file, the vector field of Unity's VFX Graph: VF_V with vectors or VF_F with floats, x fastest. One
   quantity. At most 65535 texels along each axis and 2^31 - 1 bytes. It does not store the box's position. */
#define VORTON_EXPORT_VF 3u

/* Largest number of texels along an axis that Unreal imports. */
#define VORTON_EXPORT_FGA_MAX 128u

/* Largest number of texels in a VTK file. */
#define VORTON_EXPORT_VTK_MAX 2147483647u

/* VortonExportDef.quantities: see VORTON_SAMPLE_... */
#define VORTON_EXPORT_VELOCITY (1u << VORTON_SAMPLE_VELOCITY)
#define VORTON_EXPORT_VORTICITY (1u << VORTON_SAMPLE_VORTICITY)
#define VORTON_EXPORT_DENSITY (1u << VORTON_SAMPLE_DENSITY)
#define VORTON_EXPORT_DENSITY_DEVIATION (1u << VORTON_SAMPLE_DENSITY_DEVIATION)
#define VORTON_EXPORT_TEMPERATURE (1u << VORTON_SAMPLE_TEMPERATURE)
#define VORTON_EXPORT_DYE (1u << VORTON_SAMPLE_DYE)

/* Writes `count` bytes and returns the number written: any other value than count ends the export with
   VORTON_ERR_EXPORT_WRITE. It may call the library, but must not exit by longjmp or an exception. */
typedef size_t (*VortonExportFn)(const void *bytes, size_t count, void *user);

/* A box of the field and its layout in a file. Fill it with vorton_default_export_def, then set the box. */
typedef struct VortonExportDef {
    /* VORTON_EXPORT_VTK, _FGA or _VF. */
    uint32_t format;
    /* Sum of VORTON_EXPORT_VELOCITY and the like; a single one in .fga and .vf. Default
       VORTON_EXPORT_VELOCITY. */
    uint32_t quantities;
    /* Texels along the world's x, at least 1. Default 32. */
    uint32_t width;
    /* Texels along the world's y, at least 1. Default 32. */
    uint32_t height;
    /* Texels along the world's z, at least 1. Default 32. */
    uint32_t depth;
    /* Lowest corner of the box [m]. Samples are taken at the centres of texels, as in VortonVolumeDef. */
    VortonVec3 low;
    /* Highest corner of the box [m], above the lowest along each axis. */
    VortonVec3 high;
    /* Units of the file per metre, above 0: positions and velocities are multiplied by it. Default 1, and 100
       in .fga, because Unreal's unit is the centimetre. */
    float scale;
    /* World axis for each of the file's x, y and z: 1 x, 2 y, 3 z, negative for the opposite direction; each
       once. Texels, bounds and vectors are permuted and reversed alike. Vorticity changes sign in left-handed
       files, so that it is the curl of the velocity by the left-hand rule.

                                              world with z up       world with y up, forward -z
       .fga: x forward, y right, z up         1, -2, 3 (default)    -3, 1, 2
       .vf:  x right, y up, z forward         1, 3, 2 (default)     1, 2, -3
       .vtk: as in the world                  1, 2, 3 (default)     1, 2, 3

       With z up, forward is x for .fga and y for .vf. */
    int32_t axes[3];
} VortonExportDef;

VORTON_INLINE VortonExportDef vorton_default_export_def(uint32_t format) {
    VortonExportDef def;
    memset(&def, 0, sizeof def);
    def.format = format;
    def.quantities = VORTON_EXPORT_VELOCITY;
    def.width = def.height = def.depth = 32;
    def.scale = format == VORTON_EXPORT_FGA ? 100.0f : 1.0f;
    def.axes[0] = 1;
    def.axes[1] = format == VORTON_EXPORT_FGA ? -2 : format == VORTON_EXPORT_VF ? 3 : 2;
    def.axes[2] = format == VORTON_EXPORT_VF ? 2 : 3;
    return def;
}

#ifdef __cplusplus
# define VORTON_EXPORT_AS(type, value) static_cast<type>(value)
#else
# define VORTON_EXPORT_AS(type, value) ((type)(value))
#endif

/* A VortonExportFn that writes to the FILE passed as `user`. */
VORTON_INLINE size_t vorton_export_to_file(const void *bytes, size_t count, void *user) {
    return fwrite(bytes, 1, count, VORTON_EXPORT_AS(FILE *, user));
}

/* ---- Buffered output; internal, not for callers. ---- */

typedef struct VortonExportSink {
    VortonExportFn write;
    void *user;
    size_t used;
    VortonResult result;
    unsigned char bytes[4096];
} VortonExportSink;

VORTON_INLINE void vorton_export_sink_begin(VortonExportSink *sink, VortonExportFn write, void *user) {
    sink->write = write;
    sink->user = user;
    sink->used = 0;
    sink->result = VORTON_OK;
}

VORTON_INLINE void vorton_export_sink_flush(VortonExportSink *sink) {
    if (sink->used > 0 && sink->result >= 0 && sink->write(sink->bytes, sink->used, sink->user) != sink->used) {
        sink->result = VORTON_ERR_EXPORT_WRITE;
    }
    sink->used = 0;
}

/* Reserves `count` bytes of the buffer, at most 512, and returns their address. */
VORTON_INLINE unsigned char *vorton_export_sink_room(VortonExportSink *sink, size_t count) {
    unsigned char *room;
    if (sink->used + count > sizeof sink->bytes) {
        vorton_export_sink_flush(sink);
    }
    room = sink->bytes + sink->used;
    sink->used += count;
    return room;
}

VORTON_INLINE void vorton_export_put_text(VortonExportSink *sink, const char *text) {
    for (; *text != '\0'; ++text) {
        *vorton_export_sink_room(sink, 1) = VORTON_EXPORT_AS(unsigned char, *text);
    }
}

VORTON_INLINE void vorton_export_put_u16_little(VortonExportSink *sink, uint32_t value) {
    unsigned char *room = vorton_export_sink_room(sink, 2);
    room[0] = VORTON_EXPORT_AS(unsigned char, value & 255u);
    room[1] = VORTON_EXPORT_AS(unsigned char, value >> 8 & 255u);
}

VORTON_INLINE void vorton_export_put_u32(VortonExportSink *sink, uint32_t value, int big) {
    unsigned char *room = vorton_export_sink_room(sink, 4);
    int i;
    for (i = 0; i < 4; ++i) {
        room[big ? 3 - i : i] = VORTON_EXPORT_AS(unsigned char, value >> (8 * i) & 255u);
    }
}

VORTON_INLINE void vorton_export_put_f32(VortonExportSink *sink, float value, int big) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    vorton_export_put_u32(sink, bits, big);
}

VORTON_INLINE void vorton_export_put_vec3_little(VortonExportSink *sink, VortonVec3 v) {
    vorton_export_put_f32(sink, v.x, 0);
    vorton_export_put_f32(sink, v.y, 0);
    vorton_export_put_f32(sink, v.z, 0);
}

VORTON_INLINE void vorton_export_put_count(VortonExportSink *sink, uint64_t value) {
    char text[24];
    char *digit = text + sizeof text - 1;
    *digit = '\0';
    do {
        *--digit = VORTON_EXPORT_AS(char, '0' + VORTON_EXPORT_AS(int, value % 10));
        value /= 10;
    } while (value > 0);
    vorton_export_put_text(sink, digit);
}

/* 9 digits distinguish all floats, 17 all doubles. The decimal point is '.' in every locale. */
VORTON_INLINE void vorton_export_put_number(VortonExportSink *sink, double value, int digits) {
    char text[64];
    const char *c;
    int pointed = 0;
    if (snprintf(text, sizeof text, "%.*g", digits, value) < 0) {
        text[0] = '0';
        text[1] = '\0';
    }
    for (c = text; *c != '\0'; ++c) {
        if ((*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e') {
            *vorton_export_sink_room(sink, 1) = VORTON_EXPORT_AS(unsigned char, *c);
        } else if (!pointed) {
            *vorton_export_sink_room(sink, 1) = '.';
            pointed = 1;
        }
    }
}

VORTON_INLINE VortonResult vorton_export_sink_end(VortonExportSink *sink) {
    vorton_export_sink_flush(sink);
    return sink->result;
}

/* Converts to float, clamped to the largest finite values. */
VORTON_INLINE float vorton_export_to_float(double value) {
    const double most = VORTON_EXPORT_AS(double, FLT_MAX);
    return VORTON_EXPORT_AS(float, value > most ? most : value < -most ? -most : value);
}

/* ---- Particles ---- */

VORTON_INLINE void vorton_export_put_ply_head(VortonExportSink *sink, const char *what, size_t count) {
    vorton_export_put_text(sink, "ply\nformat binary_little_endian 1.0\ncomment ");
    vorton_export_put_text(sink, what);
    vorton_export_put_text(sink, " of a vorton world; metres, kilograms, seconds; right-handed\nelement vertex ");
    vorton_export_put_count(sink, count);
    vorton_export_put_text(sink, "\nproperty float x\nproperty float y\nproperty float z\n");
}

/* Writes the vortons of a world as a PLY file of points (binary, little endian), in the order of
 * vorton_vortons_read. Properties: x y z [m], strength_x strength_y strength_z [m^3/s], volume [m^3],
 * radius [m] (VortonWorldDef.core_radius, the same for all), mass_deviation [kg], dye [m^3], age [s] and fuel
 * [J] as float; flags, vorton_id and vorton_id_high (the lower and the upper half of VortonVorton.id: PLY has
 * no 64-bit integers, and Blender rejects a property named id) as uint. A world without vortons makes a file
 * without points. */
VORTON_INLINE VortonResult vorton_export_vortons(VortonWorldId world, VortonExportFn write, void *user) {
    VortonExportSink sink;
    VortonWorldDef def;
    VortonVorton *vortons = NULL;
    size_t count = 0, i;
    int attempt;
    const uint32_t def_size = sizeof def;
    VortonResult result;
    if (write == NULL) {
        return VORTON_ERR_NULL;
    }
    result = vorton_world_def(world, &def, def_size);
    if (result < 0) {
        return result;
    }
    result = vorton_vortons_read(world, NULL, 0, &count);
    for (attempt = 0; attempt < 4 && result >= 0 && count > 0; ++attempt) {
        const size_t capacity = count + count / 16 + 16; /* A step of another thread may add some meanwhile. */
        VORTON_EXPORT_FREE(vortons);
        vortons = VORTON_EXPORT_AS(VortonVorton *, VORTON_EXPORT_MALLOC(capacity * sizeof *vortons));
        result = vortons == NULL ? VORTON_ERR_OUT_OF_MEMORY : vorton_vortons_read(world, vortons, capacity, &count);
        if (result != VORTON_ERR_BUFFER_SMALL) {
            break;
        }
        result = VORTON_OK;
    }
    if (result < 0 || attempt == 4) {
        VORTON_EXPORT_FREE(vortons);
        return result < 0 ? result : VORTON_ERR_BUSY;
    }
    vorton_export_sink_begin(&sink, write, user);
    vorton_export_put_ply_head(&sink, "vortons", count);
    vorton_export_put_text(&sink,
                           "property float strength_x\nproperty float strength_y\nproperty float strength_z\n"
                           "property float volume\nproperty float radius\nproperty float mass_deviation\n"
                           "property float dye\nproperty float age\nproperty float fuel\n"
                           "property uint flags\nproperty uint vorton_id\nproperty uint vorton_id_high\nend_header\n");
    for (i = 0; i < count && sink.result >= 0; ++i) {
        const VortonVorton *vorton = &vortons[i];
        vorton_export_put_vec3_little(&sink, vorton->position);
        vorton_export_put_vec3_little(&sink, vorton->strength);
        vorton_export_put_f32(&sink, vorton->volume, 0);
        vorton_export_put_f32(&sink, def.core_radius, 0);
        vorton_export_put_f32(&sink, vorton->mass_deviation, 0);
        vorton_export_put_f32(&sink, vorton->dye, 0);
        vorton_export_put_f32(&sink, vorton->age, 0);
        vorton_export_put_f32(&sink, vorton->fuel, 0);
        vorton_export_put_u32(&sink, vorton->flags, 0);
        vorton_export_put_u32(&sink, VORTON_EXPORT_AS(uint32_t, vorton->id & 0xffffffffu), 0);
        vorton_export_put_u32(&sink, VORTON_EXPORT_AS(uint32_t, vorton->id >> 32), 0);
    }
    VORTON_EXPORT_FREE(vortons);
    return vorton_export_sink_end(&sink);
}

/* Writes a set of tracers as a PLY file of points (binary, little endian), in the order of
 * vorton_tracers_read. Properties: x y z [m], age [s] and value (the quantity VortonTracersDef.show, or the
 * values added) as float; tracer_id and tag as uint. A set without tracers makes a file without points. A set
 * with VortonTracersDef.readable_during_steps may be written while another thread steps the world. */
VORTON_INLINE VortonResult vorton_export_tracers(VortonWorldId world, VortonTracersId tracers, VortonExportFn write,
                                                 void *user) {
    VortonExportSink sink;
    void *memory = NULL, *rest;
    float *positions = NULL, *ages = NULL, *values = NULL;
    uint32_t *ids = NULL, *tags = NULL;
    size_t count = 0, i;
    int attempt;
    VortonResult result;
    if (write == NULL) {
        return VORTON_ERR_NULL;
    }
    result = vorton_tracers_read(world, tracers, NULL, 0, NULL, NULL, NULL, NULL, 0, &count);
    for (attempt = 0; attempt < 4 && result >= 0 && count > 0; ++attempt) {
        const size_t capacity = count + count / 16 + 16; /* A step of another thread may add some meanwhile. */
        VORTON_EXPORT_FREE(memory);
        memory = VORTON_EXPORT_MALLOC(capacity * 7 * sizeof *positions);
        if (memory == NULL) {
            return VORTON_ERR_OUT_OF_MEMORY;
        }
        positions = VORTON_EXPORT_AS(float *, memory);
        ages = positions + 3 * capacity;
        values = ages + capacity;
        rest = values + capacity;
        ids = VORTON_EXPORT_AS(uint32_t *, rest);
        tags = ids + capacity;
        result = vorton_tracers_read(world, tracers, positions, 12, ids, tags, ages, values, capacity, &count);
        if (result != VORTON_ERR_BUFFER_SMALL) {
            break;
        }
        result = VORTON_OK;
    }
    if (result < 0 || attempt == 4) {
        VORTON_EXPORT_FREE(memory);
        return result < 0 ? result : VORTON_ERR_BUSY;
    }
    vorton_export_sink_begin(&sink, write, user);
    vorton_export_put_ply_head(&sink, "tracers", count);
    vorton_export_put_text(&sink,
                           "property float age\nproperty float value\nproperty uint tracer_id\nproperty uint tag\n"
                           "end_header\n");
    for (i = 0; i < count && sink.result >= 0; ++i) {
        vorton_export_put_f32(&sink, positions[3 * i], 0);
        vorton_export_put_f32(&sink, positions[3 * i + 1], 0);
        vorton_export_put_f32(&sink, positions[3 * i + 2], 0);
        vorton_export_put_f32(&sink, ages[i], 0);
        vorton_export_put_f32(&sink, values[i], 0);
        vorton_export_put_u32(&sink, ids[i], 0);
        vorton_export_put_u32(&sink, tags[i], 0);
    }
    VORTON_EXPORT_FREE(memory);
    return vorton_export_sink_end(&sink);
}

/* ---- Fields ---- */

VORTON_INLINE int vorton_export_is_finite(float value) {
    return value >= -FLT_MAX && value <= FLT_MAX;
}

VORTON_INLINE int vorton_export_is_vector(uint32_t quantity) {
    return quantity == VORTON_SAMPLE_VELOCITY || quantity == VORTON_SAMPLE_VORTICITY;
}

/* Returns the quantity if the sum has exactly one, otherwise 0. */
VORTON_INLINE uint32_t vorton_export_the_quantity(uint32_t quantities) {
    uint32_t quantity;
    for (quantity = VORTON_SAMPLE_VELOCITY; quantity <= VORTON_SAMPLE_DYE; ++quantity) {
        if (quantities == 1u << quantity) {
            return quantity;
        }
    }
    return 0;
}

/* Checks a definition without writing anything. `why` is NULL, or receives a sentence with the error. */
VORTON_INLINE VortonResult vorton_export_check(const VortonExportDef *def, const char **why) {
    const uint32_t all = VORTON_EXPORT_VELOCITY | VORTON_EXPORT_VORTICITY | VORTON_EXPORT_DENSITY |
                         VORTON_EXPORT_DENSITY_DEVIATION | VORTON_EXPORT_TEMPERATURE | VORTON_EXPORT_DYE;
    const char *unused;
    const char **sentence = why != NULL ? why : &unused;
    uint32_t quantity, seen = 0;
    uint64_t texels, most;
    int axis;
    *sentence = "";
    if (def == NULL) {
        *sentence = "the definition is NULL";
        return VORTON_ERR_NULL;
    }
    if (!vorton_export_is_finite(def->low.x) || !vorton_export_is_finite(def->low.y) ||
        !vorton_export_is_finite(def->low.z) || !vorton_export_is_finite(def->high.x) ||
        !vorton_export_is_finite(def->high.y) || !vorton_export_is_finite(def->high.z)) {
        *sentence = "a corner of the box is not finite";
        return VORTON_ERR_NOT_FINITE;
    }
    if (!vorton_export_is_finite(def->scale)) {
        *sentence = "scale is not finite";
        return VORTON_ERR_NOT_FINITE;
    }
    *sentence = "format is none of VORTON_EXPORT_VTK, _FGA and _VF";
    if (def->format < VORTON_EXPORT_VTK || def->format > VORTON_EXPORT_VF) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "high is not above low along each axis";
    if (!(def->low.x < def->high.x && def->low.y < def->high.y && def->low.z < def->high.z)) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "scale is not above 0";
    if (!(def->scale > 0.0f)) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "axes are not 1, 2 and 3, each once, with any signs";
    for (axis = 0; axis < 3; ++axis) {
        const int32_t a = def->axes[axis];
        if (a == 0 || a < -3 || a > 3) {
            return VORTON_ERR_BAD_VALUE;
        }
        seen |= 1u << (a < 0 ? -a : a);
    }
    if (seen != 14u) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "quantities are no sum of VORTON_EXPORT_VELOCITY and the like";
    if (def->quantities == 0 || (def->quantities & ~all) != 0) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "a file of this format has one quantity, in .fga velocity or vorticity";
    quantity = vorton_export_the_quantity(def->quantities);
    if ((def->format != VORTON_EXPORT_VTK && quantity == 0) ||
        (def->format == VORTON_EXPORT_FGA && !vorton_export_is_vector(quantity))) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "width, height or depth is 0";
    if (def->width == 0 || def->height == 0 || def->depth == 0) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "Unreal imports at most 128 texels along each axis";
    if (def->format == VORTON_EXPORT_FGA && (def->width > VORTON_EXPORT_FGA_MAX ||
        def->height > VORTON_EXPORT_FGA_MAX || def->depth > VORTON_EXPORT_FGA_MAX)) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "a .vf file has at most 65535 texels along each axis";
    if (def->format == VORTON_EXPORT_VF && (def->width > 65535u || def->height > 65535u || def->depth > 65535u)) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "more texels than a file of this format may have";
    most = VORTON_EXPORT_VTK_MAX;
    if (def->format == VORTON_EXPORT_VF) {
        most = (2147483647u - 10u) / (vorton_export_is_vector(quantity) ? 12u : 4u);
    }
    texels = VORTON_EXPORT_AS(uint64_t, def->width) * def->height;
    if (texels > most || texels * def->depth > most) {
        return VORTON_ERR_BAD_VALUE;
    }
    *sentence = "";
    return VORTON_OK;
}

/* Texels in the order of a file. */
typedef struct VortonExportGrid {
    uint32_t count[3];  /* Along the file's axes. */
    int axis[3];        /* World axis of each file axis, */
    int reversed[3];    /* and whether their directions are opposite. */
    double low[3], high[3]; /* Along the world's axes. */
    int mirrored;
} VortonExportGrid;

VORTON_INLINE VortonExportGrid vorton_export_grid(const VortonExportDef *def) {
    const uint32_t counts[3] = {def->width, def->height, def->depth};
    const float lows[3] = {def->low.x, def->low.y, def->low.z}, highs[3] = {def->high.x, def->high.y, def->high.z};
    VortonExportGrid grid;
    int a;
    for (a = 0; a < 3; ++a) {
        const int32_t signed_axis = def->axes[a];
        grid.reversed[a] = signed_axis < 0;
        grid.axis[a] = (signed_axis < 0 ? -signed_axis : signed_axis) - 1;
        grid.count[a] = counts[grid.axis[a]];
        grid.low[a] = VORTON_EXPORT_AS(double, lows[a]);
        grid.high[a] = VORTON_EXPORT_AS(double, highs[a]);
    }
    /* An odd permutation and each reversal change the handedness. */
    grid.mirrored = (grid.axis[1] - grid.axis[0] + 3) % 3 == 2;
    for (a = 0; a < 3; ++a) {
        grid.mirrored ^= grid.reversed[a];
    }
    return grid;
}

/* Centre of the world's texel `i` along the file's axis `a`. The products are exact in double below 2^28
   texels, so compilers that fuse multiply and add compute the same result. */
VORTON_INLINE double vorton_export_centre(const VortonExportGrid *grid, int a, uint64_t i) {
    const double below = VORTON_EXPORT_AS(double, 2 * i + 1), all = 2.0 * VORTON_EXPORT_AS(double, grid->count[a]);
    return (grid->low[grid->axis[a]] * (all - below) + grid->high[grid->axis[a]] * below) / all;
}

/* Lowest corner of the box along the file's axis `a`, in the world's units. */
VORTON_INLINE double vorton_export_low(const VortonExportGrid *grid, int a) {
    return grid->reversed[a] ? -grid->high[grid->axis[a]] : grid->low[grid->axis[a]];
}

VORTON_INLINE double vorton_export_high(const VortonExportGrid *grid, int a) {
    return grid->reversed[a] ? -grid->low[grid->axis[a]] : grid->high[grid->axis[a]];
}

enum { VORTON_EXPORT_CHUNK = 512 };

/* Computes the positions of a chunk of the file's texels from number `first` on; returns their count. */
VORTON_INLINE size_t vorton_export_points(const VortonExportGrid *grid, uint64_t first, float *points) {
    const uint64_t row = grid->count[0], slice = row * grid->count[1], all = slice * grid->count[2];
    uint64_t index[3];
    size_t n = 0;
    int a;
    index[0] = first % row;
    index[1] = first / row % grid->count[1];
    index[2] = first / slice;
    while (n < VORTON_EXPORT_CHUNK && first + n < all) {
        for (a = 0; a < 3; ++a) {
            const int axis = grid->axis[a];
            const uint64_t i = grid->reversed[a] ? grid->count[a] - 1 - index[a] : index[a];
            points[3 * n + VORTON_EXPORT_AS(size_t, axis)] = vorton_export_to_float(vorton_export_centre(grid, a, i));
        }
        ++n;
        if (++index[0] == grid->count[0]) {
            index[0] = 0;
            if (++index[1] == grid->count[1]) {
                index[1] = 0;
                ++index[2];
            }
        }
    }
    return n;
}

/* Samples the box in chunks and writes the values. */
VORTON_INLINE VortonResult vorton_export_put_quantity(VortonExportSink *sink, VortonWorldId world,
                                                      const VortonExportDef *def, const VortonExportGrid *grid,
                                                      uint32_t quantity) {
    const uint64_t all = VORTON_EXPORT_AS(uint64_t, grid->count[0]) * grid->count[1] * grid->count[2];
    const int is_vector = vorton_export_is_vector(quantity);
    const uint32_t stride = is_vector ? 12 : 4;
    float points[3 * VORTON_EXPORT_CHUNK], values[3 * VORTON_EXPORT_CHUNK];
    double factor[3];
    uint64_t first = 0;
    VortonResult note = VORTON_OK;
    int a;
    for (a = 0; a < 3; ++a) {
        factor[a] = quantity == VORTON_SAMPLE_VELOCITY ? VORTON_EXPORT_AS(double, def->scale) : 1.0;
        if (grid->reversed[a]) {
            factor[a] = -factor[a];
        }
        if (quantity == VORTON_SAMPLE_VORTICITY && grid->mirrored) {
            factor[a] = -factor[a];
        }
    }
    while (first < all && sink->result >= 0) {
        const size_t count = vorton_export_points(grid, first, points);
        VortonResult result;
        size_t i;
        memset(values, 0, sizeof values);
        result = vorton_world_sample(world, quantity, points, 12, values, stride, count);
        if (result < 0) {
            return result;
        }
        note = result > 0 ? result : note;
        for (i = 0; i < count; ++i) {
            if (!is_vector) {
                vorton_export_put_f32(sink, values[i], def->format == VORTON_EXPORT_VTK);
                continue;
            }
            for (a = 0; a < 3; ++a) {
                const float world_value = values[3 * i + VORTON_EXPORT_AS(size_t, grid->axis[a])];
                const float value = vorton_export_to_float(VORTON_EXPORT_AS(double, world_value) * factor[a]);
                if (def->format != VORTON_EXPORT_FGA) {
                    vorton_export_put_f32(sink, value, def->format == VORTON_EXPORT_VTK);
                    continue;
                }
                vorton_export_put_number(sink, VORTON_EXPORT_AS(double, value), 9);
                /* Only a line end follows the last number: Unreal warns about further characters. */
                vorton_export_put_text(sink, a < 2 ? ", " : first + i + 1 < all ? ",\n" : "\n");
            }
        }
        first += count;
    }
    return sink->result < 0 ? sink->result : note;
}

VORTON_INLINE void vorton_export_put_vtk_head(VortonExportSink *sink, const VortonExportDef *def,
                                              const VortonExportGrid *grid) {
    const double scale = VORTON_EXPORT_AS(double, def->scale);
    double centre, size;
    int a;
    vorton_export_put_text(sink, "# vtk DataFile Version 3.0\nfield of a vorton world\nBINARY\n"
                                 "DATASET STRUCTURED_POINTS\nDIMENSIONS");
    for (a = 0; a < 3; ++a) {
        vorton_export_put_text(sink, " ");
        vorton_export_put_count(sink, grid->count[a]);
    }
    vorton_export_put_text(sink, "\nORIGIN");
    for (a = 0; a < 3; ++a) {
        vorton_export_put_text(sink, " ");
        centre = grid->reversed[a] ? -vorton_export_centre(grid, a, grid->count[a] - 1u) : vorton_export_centre(grid, a, 0);
        vorton_export_put_number(sink, centre * scale, 17);
    }
    vorton_export_put_text(sink, "\nSPACING");
    for (a = 0; a < 3; ++a) {
        vorton_export_put_text(sink, " ");
        size = vorton_export_high(grid, a) - vorton_export_low(grid, a);
        vorton_export_put_number(sink, size / grid->count[a] * scale, 17);
    }
    vorton_export_put_text(sink, "\nPOINT_DATA ");
    vorton_export_put_count(sink, VORTON_EXPORT_AS(uint64_t, grid->count[0]) * grid->count[1] * grid->count[2]);
    vorton_export_put_text(sink, "\n");
}

VORTON_INLINE void vorton_export_put_fga_head(VortonExportSink *sink, const VortonExportDef *def,
                                              const VortonExportGrid *grid) {
    const double scale = VORTON_EXPORT_AS(double, def->scale);
    int line, a;
    for (line = 0; line < 3; ++line) {
        for (a = 0; a < 3; ++a) {
            if (line == 0) {
                vorton_export_put_count(sink, grid->count[a]);
            } else {
                const double at = line == 1 ? vorton_export_low(grid, a) : vorton_export_high(grid, a);
                vorton_export_put_number(sink, VORTON_EXPORT_AS(double, vorton_export_to_float(at * scale)), 9);
            }
            vorton_export_put_text(sink, a < 2 ? ", " : ",\n");
        }
    }
}

/* Writes a box of the field that vorton_world_sample reads, in the definition's format. Allocates no memory
 * and uses some 20 KB of stack: VORTON_EXPORT_CHUNK texels are sampled at a time. Returns
 * VORTON_NOTE_SKIPPED_NONFINITE if a value was not finite; such values are 0. */
VORTON_INLINE VortonResult vorton_export_field(VortonWorldId world, const VortonExportDef *def, VortonExportFn write,
                                               void *user) {
    static const char *const NAMES[] = {"", "velocity", "vorticity", "density", "density_deviation", "temperature",
                                        "dye"};
    VortonExportSink sink;
    VortonExportGrid grid;
    VortonResult result = vorton_export_check(def, NULL), note = VORTON_OK;
    uint32_t quantity;
    if (result >= 0 && write == NULL) {
        result = VORTON_ERR_NULL;
    }
    if (result < 0) {
        return result;
    }
    grid = vorton_export_grid(def);
    for (quantity = VORTON_SAMPLE_VELOCITY; quantity <= VORTON_SAMPLE_DYE; ++quantity) {
        /* Errors of vorton_world_sample are returned here, before any byte is written. */
        if ((def->quantities & 1u << quantity) != 0) {
            const float corner[3] = {def->low.x, def->low.y, def->low.z};
            float value[3];
            result = vorton_world_sample(world, quantity, corner, 12, value, 12, 1);
            if (result < 0) {
                return result;
            }
        }
    }
    vorton_export_sink_begin(&sink, write, user);
    if (def->format == VORTON_EXPORT_VTK) {
        vorton_export_put_vtk_head(&sink, def, &grid);
    } else if (def->format == VORTON_EXPORT_FGA) {
        vorton_export_put_fga_head(&sink, def, &grid);
    } else {
        vorton_export_put_text(&sink, vorton_export_is_vector(vorton_export_the_quantity(def->quantities)) ? "VF_V"
                                                                                                           : "VF_F");
        vorton_export_put_u16_little(&sink, grid.count[0]);
        vorton_export_put_u16_little(&sink, grid.count[1]);
        vorton_export_put_u16_little(&sink, grid.count[2]);
    }
    for (quantity = VORTON_SAMPLE_VELOCITY; quantity <= VORTON_SAMPLE_DYE; ++quantity) {
        if ((def->quantities & 1u << quantity) == 0) {
            continue;
        }
        if (def->format == VORTON_EXPORT_VTK) {
            vorton_export_put_text(&sink, vorton_export_is_vector(quantity) ? "VECTORS " : "SCALARS ");
            vorton_export_put_text(&sink, NAMES[quantity]);
            vorton_export_put_text(&sink, vorton_export_is_vector(quantity) ? " float\n"
                                                                            : " float 1\nLOOKUP_TABLE default\n");
        }
        result = vorton_export_put_quantity(&sink, world, def, &grid, quantity);
        if (result < 0) {
            return result;
        }
        note = result > 0 ? result : note;
        if (def->format == VORTON_EXPORT_VTK) {
            vorton_export_put_text(&sink, "\n");
        }
    }
    result = vorton_export_sink_end(&sink);
    return result < 0 ? result : note;
}

#endif
