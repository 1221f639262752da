/*
 * Three-vectors as plain arrays, for the picture code only.
 */
#ifndef EXAMPLES_VEC3_H
#define EXAMPLES_VEC3_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static inline float clamp_unit(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; /* NaN becomes 0. */
}

static inline float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* -1 when the length is zero or not finite. */
static inline int normalize(float v[3])
{
    const float length = sqrtf(dot(v, v));
    if (!(length > FLT_MIN) || !isfinite(length)) {
        return -1;
    }
    for (int a = 0; a < 3; ++a) {
        v[a] /= length;
    }
    return 0;
}

static inline void read_vec3(const float *base, size_t stride, size_t index, float out[3])
{
    memcpy(out, (const char *)base + index * stride, 3 * sizeof *out); /* The stride may break alignment. */
}

static inline int is_finite3(const float v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

#endif
