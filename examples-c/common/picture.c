/*
 * Smoke in software. A panel takes three passes: a coarse grid gives the light that reaches each particle
 * (smoke_light.h), particles are sorted by depth, and each is blended as a Gaussian puff.
 *
 * Pixels are linear light, four floats (r, g, b and one unused), so that a pixel is one SIMD register.
 */
#include "picture.h"

#include "picture_font.h"
#include "png_file.h"
#include "smoke_light.h"
#include "vec3.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHANNELS = 4,
    MIN_PANEL_PIXELS = 16,
    CAPTION_BYTES = 64
};

static const float TAU = 6.28318531f;

/* Puffs end here [standard deviations]; the Gaussian is lowered to reach 0 there without a step. */
static const float PUFF_REACH = 2.5f;
/* Smaller puffs [pixels] would flicker between pixels: they are widened and made fainter instead. */
static const float PUFF_MIN_PIXELS = 0.7f;
/* Puffs nearer to the eye than this [radii] are dropped: one of them would fog the whole panel. */
static const float NEAR_RADII = 8.0f;

struct Picture {
    int width, height;
    int columns, rows;
    int gap;                         /* Pixels between panels. */
    float *pixels;                   /* width * height * CHANNELS, linear light. */
    float *depths;                   /* width * height, distance along the view to the nearest ball. */
    char (*captions)[CAPTION_BYTES]; /* columns * rows. */
};

/* A panel's pixels within the picture. */
typedef struct Panel {
    int left, top, width, height;
} Panel;

/* A prepared camera: orthonormal axes in world space and the pixel scale. */
typedef struct View {
    float eye[3];
    float right[3], up[3], forward[3];
    float focal;              /* Pixels per unit of tan(angle). */
    float center_x, center_y; /* Of the panel, in pixels of the picture. */
} View;

/* A particle waiting to be drawn. */
typedef struct Puff {
    float distance; /* Along the view. */
    uint32_t index;
} Puff;

/* A puff projected to pixels. */
typedef struct Splat {
    float x, y;     /* Centre [pixels of the picture]. */
    float sigma;    /* Standard deviation [pixels]. */
    float alpha;    /* Opacity at the centre. */
    float color[3]; /* Linear. */
    float distance; /* Along the view. */
    float radius;   /* Half its depth [world units]. */
} Splat;

static float linear_from_srgb(float s)
{
    s = clamp_unit(s);
    return s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
}

static float srgb_from_linear(float x)
{
    x = clamp_unit(x);
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1.0f / 2.4f) - 0.055f;
}

static void linear_color(const float srgb[3], float out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = linear_from_srgb(srgb[c]);
    }
}

/* Identity up to the knee, then a shoulder that meets 1 only at infinity: bright smoke keeps its shading. */
static float tone_map(float x)
{
    const float knee = 0.4f;
    return x <= knee ? x : knee + (1.0f - knee) * (1.0f - expf(-(x - knee) / (1.0f - knee)));
}

static Panel panel_at(const Picture *picture, int index)
{
    const int column = index % picture->columns;
    const int row = index / picture->columns;
    /* Panel edges are rounded from the whole width, so the last panel ends at the last pixel. */
    const int wide = picture->width + picture->gap;
    const int high = picture->height + picture->gap;
    Panel panel;
    panel.left = (int)((long long)wide * column / picture->columns);
    panel.top = (int)((long long)high * row / picture->rows);
    panel.width = (int)((long long)wide * (column + 1) / picture->columns) - picture->gap - panel.left;
    panel.height = (int)((long long)high * (row + 1) / picture->rows) - picture->gap - panel.top;
    return panel;
}

static int panel_exists(const Picture *picture, int panel)
{
    return picture != NULL && panel >= 0 && panel < picture->columns * picture->rows;
}

static int view_of(const PictureCamera *camera, Panel panel, View *view)
{
    const float fov = camera->vertical_fov_degrees;
    if (!(fov > 0.0f && fov < 180.0f)) {
        return -1;
    }
    for (int a = 0; a < 3; ++a) {
        view->eye[a] = camera->eye[a];
        view->forward[a] = camera->target[a] - camera->eye[a];
    }
    if (normalize(view->forward) != 0) {
        return -1;
    }
    cross(view->forward, camera->up, view->right);
    if (normalize(view->right) != 0) {
        return -1;
    }
    cross(view->right, view->forward, view->up);
    view->focal = 0.5f * (float)panel.height / tanf(fov * TAU / 720.0f);
    view->center_x = (float)panel.left + 0.5f * (float)panel.width;
    view->center_y = (float)panel.top + 0.5f * (float)panel.height;
    return 0;
}

/* World direction from its components along the camera's right, up and toward the viewer. */
static void camera_direction(const View *view, float right, float up, float back, float out[3])
{
    for (int a = 0; a < 3; ++a) {
        out[a] = right * view->right[a] + up * view->up[a] - back * view->forward[a];
    }
}

/* Key, rim and sky. `toward_key` NULL or all zero means the default. */
static void light_scene(const View *view, const float *toward_key, Light lights[LIGHT_COUNT])
{
    static const float COLORS[LIGHT_COUNT][3] = {
        {1.32f, 1.26f, 1.17f}, /* Key: a warm lamp. */
        {0.36f, 0.42f, 0.51f}, /* Rim: cool, from behind, separates the smoke from the dark. */
        {0.13f, 0.15f, 0.18f}, /* Sky: fills the shadows. */
    };
    camera_direction(view, -0.62f, 0.70f, 0.36f, lights[0].direction);
    camera_direction(view, 0.72f, 0.28f, -0.63f, lights[1].direction);
    camera_direction(view, 0.10f, 0.80f, 0.60f, lights[2].direction);
    if (toward_key != NULL) {
        float key[3] = {toward_key[0], toward_key[1], toward_key[2]};
        if (normalize(key) == 0) {
            memcpy(lights[0].direction, key, sizeof key);
        }
    }
    for (int l = 0; l < LIGHT_COUNT; ++l) {
        (void)normalize(lights[l].direction); /* Cannot fail: the axes are orthonormal. */
        memcpy(lights[l].color, COLORS[l], sizeof COLORS[l]);
    }
}

static int farther_first(const void *left, const void *right)
{
    const Puff *a = left;
    const Puff *b = right;
    if (a->distance != b->distance) {
        return a->distance > b->distance ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index; /* qsort is not stable; pictures must repeat. */
}

/* Gaussian weights of the pixels first .. last around `center`; 1 in the middle and 0 at PUFF_REACH. */
static void falloff(float center, float sigma, int first, int last, float *weights)
{
    const float floor_value = expf(-0.5f * PUFF_REACH * PUFF_REACH);
    const float scale = 1.0f / (1.0f - floor_value);
    for (int i = first; i <= last; ++i) {
        const float t = ((float)i + 0.5f - center) / sigma;
        weights[i - first] = fmaxf(expf(-0.5f * t * t) - floor_value, 0.0f) * scale;
    }
}

/* Blends a puff into the panel. `across` has room for a row of the panel. */
static void draw_puff(Picture *picture, Panel panel, const Splat *splat, float *across)
{
    const float x = splat->x;
    const float y = splat->y;
    const float sigma = splat->sigma;
    const float reach = PUFF_REACH * sigma;
    const float panel_right = (float)(panel.left + panel.width - 1);
    const float panel_bottom = (float)(panel.top + panel.height - 1);
    const float left = fmaxf(ceilf(x - reach - 0.5f), (float)panel.left);
    const float right = fminf(floorf(x + reach - 0.5f), panel_right);
    const float top = fmaxf(ceilf(y - reach - 0.5f), (float)panel.top);
    const float bottom = fminf(floorf(y + reach - 0.5f), panel_bottom);
    if (left > right || top > bottom) {
        return;
    }
    const int x0 = (int)left;
    const int x1 = (int)right;
    falloff(x, sigma, x0, x1, across);
    const float paint[CHANNELS] = {splat->color[0], splat->color[1], splat->color[2], 0.0f};
    const float soft = 0.5f / splat->radius; /* A puff fades into a ball over its own depth: no hard cut. */
    for (int row = (int)top; row <= (int)bottom; ++row) {
        float down;
        falloff(y, sigma, row, row, &down);
        const float row_alpha = splat->alpha * down;
        const size_t start = (size_t)row * (size_t)picture->width + (size_t)x0;
        float *pixel = picture->pixels + start * CHANNELS;
        const float *solid = picture->depths + start;
        for (int i = 0; i <= x1 - x0; ++i, pixel += CHANNELS) {
            const float in_front = (solid[i] - splat->distance) * soft + 0.5f;
            const float cover = row_alpha * across[i] * (in_front < 1.0f ? fmaxf(in_front, 0.0f) : 1.0f);
            for (int c = 0; c < CHANNELS; ++c) {
                pixel[c] += cover * (paint[c] - pixel[c]);
            }
        }
    }
}

static int particles_are_valid(const PictureParticles *particles)
{
    return particles != NULL && (particles->count == 0 || particles->positions != NULL) &&
           particles->count <= UINT32_MAX && particles->radius > 0.0f && isfinite(particles->radius) &&
           particles->opacity > 0.0f && particles->opacity < 1.0f;
}

int picture_draw_particles(Picture *picture, int panel_index, const PictureCamera *camera,
                           const PictureParticles *particles)
{
    View view;
    if (!panel_exists(picture, panel_index) || camera == NULL || !particles_are_valid(particles)) {
        return -1;
    }
    const Panel panel = panel_at(picture, panel_index);
    if (view_of(camera, panel, &view) != 0) {
        return -1;
    }
    if (particles->count == 0) {
        return 0;
    }

    Light lights[LIGHT_COUNT];
    light_scene(&view, particles->light_direction, lights);
    ShadeGrid grid;
    if (shade_grid_build(&grid, particles, lights) != 0) {
        return -1;
    }
    float *across = malloc((size_t)panel.width * sizeof *across);
    const int fits = particles->count <= SIZE_MAX / sizeof(Puff);
    Puff *puffs = fits ? malloc(particles->count * sizeof *puffs) : NULL;
    if (across == NULL || puffs == NULL) {
        free(across);
        free(puffs);
        shade_grid_free(&grid);
        return -1;
    }

    size_t visible = 0;
    for (size_t i = 0; i < particles->count; ++i) {
        float p[3];
        read_vec3(particles->positions, particles->position_stride, i, p);
        const float offset[3] = {p[0] - view.eye[0], p[1] - view.eye[1], p[2] - view.eye[2]};
        const float distance = dot(offset, view.forward);
        if (is_finite3(p) && isfinite(distance) && distance > NEAR_RADII * particles->radius) {
            puffs[visible].distance = distance;
            puffs[visible].index = (uint32_t)i;
            ++visible;
        }
    }
    qsort(puffs, visible, sizeof *puffs, farther_first);

    float albedo[3];
    linear_color(particles->color, albedo);
    for (size_t i = 0; i < visible; ++i) {
        const size_t index = puffs[i].index;
        const float distance = puffs[i].distance;
        float p[3];
        read_vec3(particles->positions, particles->position_stride, index, p);
        if (particles->colors != NULL) {
            float srgb[3];
            read_vec3(particles->colors, particles->color_stride, index, srgb);
            linear_color(srgb, albedo);
        }

        const float offset[3] = {p[0] - view.eye[0], p[1] - view.eye[1], p[2] - view.eye[2]};
        const float scale = view.focal / distance;
        const float sigma = scale * particles->radius;
        Splat splat;
        splat.x = view.center_x + scale * dot(offset, view.right);
        splat.y = view.center_y - scale * dot(offset, view.up);
        splat.sigma = fmaxf(sigma * shade_grid_widening(&grid, p, particles->radius), PUFF_MIN_PIXELS);
        splat.alpha = particles->opacity * (sigma / splat.sigma) * (sigma / splat.sigma);
        splat.distance = distance;
        splat.radius = particles->radius;
        shade_grid_light(&grid, lights, p, albedo, splat.color);
        draw_puff(picture, panel, &splat, across);
    }

    free(across);
    free(puffs);
    shade_grid_free(&grid);
    return 0;
}

/* True in every other octant of the axes rotated by the unit quaternion x y z w. */
static int is_second_octant(const float rotation[4], const float normal[3])
{
    /* Back from the world's axes to the ball's. */
    const float axis[3] = {-rotation[0], -rotation[1], -rotation[2]};
    float across[3];
    float twice[3];
    cross(axis, normal, across);
    cross(axis, across, twice);
    int octant = 0;
    for (int a = 0; a < 3; ++a) {
        octant += normal[a] + 2.0f * (rotation[3] * across[a] + twice[a]) < 0.0f;
    }
    return octant % 2;
}

int picture_draw_spun_ball(Picture *picture, int panel_index, const PictureCamera *camera, const float center[3],
                           float radius, const float rotation[4], const float colors[2][3])
{
    View view;
    if (!panel_exists(picture, panel_index) || camera == NULL || center == NULL || rotation == NULL ||
        colors == NULL || !is_finite3(center) || !(radius > 0.0f) || !isfinite(radius)) {
        return -1;
    }
    const Panel panel = panel_at(picture, panel_index);
    if (view_of(camera, panel, &view) != 0) {
        return -1;
    }
    Light lights[LIGHT_COUNT];
    light_scene(&view, NULL, lights);
    float albedos[2][3];
    linear_color(colors[0], albedos[0]);
    linear_color(colors[1], albedos[1]);

    const float to_center[3] = {center[0] - view.eye[0], center[1] - view.eye[1], center[2] - view.eye[2]};
    for (int row = panel.top; row < panel.top + panel.height; ++row) {
        for (int column = panel.left; column < panel.left + panel.width; ++column) {
            float ray[3];
            camera_direction(&view, ((float)column + 0.5f - view.center_x) / view.focal,
                             (view.center_y - ((float)row + 0.5f)) / view.focal, -1.0f, ray);
            const float forward_per_length = 1.0f / sqrtf(dot(ray, ray));
            for (int a = 0; a < 3; ++a) {
                ray[a] *= forward_per_length;
            }
            const float along = dot(ray, to_center);
            float miss[3];
            for (int a = 0; a < 3; ++a) {
                miss[a] = along * ray[a] - to_center[a];
            }
            const float missed_by = sqrtf(dot(miss, miss));
            const float pixel_size = along * forward_per_length / view.focal;
            const float cover = clamp_unit((radius - missed_by) / pixel_size + 0.5f);
            const float back_off = sqrtf(fmaxf(radius * radius - missed_by * missed_by, 0.0f));
            const float distance = (along - back_off) * forward_per_length;
            const size_t index = (size_t)row * (size_t)picture->width + (size_t)column;
            if (along <= back_off || cover <= 0.0f || distance >= picture->depths[index]) {
                continue; /* Behind the eye, around the eye, beside the ball or behind another one. */
            }

            float normal[3];
            for (int a = 0; a < 3; ++a) {
                normal[a] = (miss[a] - back_off * ray[a]) / fmaxf(radius, missed_by);
            }
            float *pixel = picture->pixels + index * CHANNELS;
            const float *albedo = albedos[is_second_octant(rotation, normal)];
            for (int c = 0; c < 3; ++c) {
                float light = 0.0f;
                for (int l = 0; l < LIGHT_COUNT; ++l) {
                    /* Half-Lambert: shading goes on past the terminator, so no part of a ball is black. */
                    const float wrapped = 0.5f + 0.5f * dot(normal, lights[l].direction);
                    light += lights[l].color[c] * wrapped * wrapped;
                }
                pixel[c] += cover * (albedo[c] * light - pixel[c]);
            }
            if (cover >= 0.5f) {
                picture->depths[index] = distance;
            }
        }
    }
    return 0;
}

int picture_draw_ball(Picture *picture, int panel, const PictureCamera *camera, const float center[3], float radius,
                      const float color[3])
{
    static const float UNTURNED[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    if (color == NULL) {
        return -1;
    }
    const float colors[2][3] = {{color[0], color[1], color[2]}, {color[0], color[1], color[2]}};
    return picture_draw_spun_ball(picture, panel, camera, center, radius, UNTURNED, colors);
}

int picture_background(Picture *picture, const float glow[3], const float edge[3])
{
    if (picture == NULL || glow == NULL || edge == NULL) {
        return -1;
    }
    float inner[3];
    float outer[3];
    linear_color(glow, inner);
    linear_color(edge, outer);
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < count; ++i) {
        picture->depths[i] = FLT_MAX;
    }
    memset(picture->pixels, 0, count * CHANNELS * sizeof *picture->pixels);
    for (int index = 0; index < picture->columns * picture->rows; ++index) {
        const Panel panel = panel_at(picture, index);
        for (int row = 0; row < panel.height; ++row) {
            for (int column = 0; column < panel.width; ++column) {
                /* From the middle of the panel in half sides: an ellipse that fits the panel. */
                const float x = ((float)column + 0.5f) / (0.5f * (float)panel.width) - 1.0f;
                const float y = ((float)row + 0.5f) / (0.5f * (float)panel.height) - 1.0f;
                const float fade = expf(-0.9f * (x * x + y * y));
                float *pixel = picture->pixels + ((size_t)(panel.top + row) * (size_t)picture->width +
                                                  (size_t)(panel.left + column)) *
                                                     CHANNELS;
                for (int c = 0; c < 3; ++c) {
                    pixel[c] = outer[c] + fade * (inner[c] - outer[c]);
                }
            }
        }
    }
    return 0;
}

Picture *picture_create(int width, int height, int columns, int rows)
{
    static const float GLOW[3] = {0.165f, 0.175f, 0.19f};
    static const float EDGE[3] = {0.06f, 0.065f, 0.075f};
    if (width <= 0 || height <= 0 || columns <= 0 || rows <= 0) {
        return NULL;
    }
    if (width / columns < MIN_PANEL_PIXELS || height / rows < MIN_PANEL_PIXELS) {
        return NULL;
    }
    /* The encoder counts bytes in int; this also keeps every product below within size_t. */
    if (width > INT_MAX / CHANNELS / (int)sizeof(float) / height) {
        return NULL;
    }
    Picture *picture = calloc(1, sizeof *picture);
    if (picture == NULL) {
        return NULL;
    }
    const size_t count = (size_t)width * (size_t)height;
    picture->width = width;
    picture->height = height;
    picture->columns = columns;
    picture->rows = rows;
    picture->gap = columns * rows > 1 ? 2 : 0;
    picture->pixels = malloc(count * CHANNELS * sizeof *picture->pixels);
    picture->depths = malloc(count * sizeof *picture->depths);
    picture->captions = calloc((size_t)columns * (size_t)rows, sizeof *picture->captions);
    if (picture->pixels == NULL || picture->depths == NULL || picture->captions == NULL) {
        picture_destroy(picture);
        return NULL;
    }
    (void)picture_background(picture, GLOW, EDGE); /* Cannot fail: no argument is NULL. */
    return picture;
}

void picture_destroy(Picture *picture)
{
    if (picture != NULL) {
        free(picture->pixels);
        free(picture->depths);
        free(picture->captions);
        free(picture);
    }
}

void picture_speed_color(float unit, float rgb[3])
{
    /* Rising lightness (CIE L* 44 to 92); sRGB is even enough between neighbours to mix there. */
    static const float STOPS[][3] = {
        {0.27f, 0.40f, 0.70f}, {0.48f, 0.46f, 0.76f}, {0.73f, 0.47f, 0.70f},
        {0.92f, 0.56f, 0.56f}, {0.98f, 0.73f, 0.50f}, {0.99f, 0.91f, 0.68f},
    };
    const int last = (int)(sizeof STOPS / sizeof STOPS[0]) - 1;
    const float x = clamp_unit(unit) * (float)last;
    int stop = (int)x;
    if (stop > last - 1) {
        stop = last - 1;
    }
    for (int c = 0; c < 3; ++c) {
        rgb[c] = STOPS[stop][c] + (x - (float)stop) * (STOPS[stop + 1][c] - STOPS[stop][c]);
    }
}

int picture_caption(Picture *picture, int panel, const char *text)
{
    if (!panel_exists(picture, panel) || text == NULL) {
        return -1;
    }
    const size_t length = strlen(text);
    const size_t kept = length < CAPTION_BYTES ? length : CAPTION_BYTES - 1;
    memcpy(picture->captions[panel], text, kept);
    picture->captions[panel][kept] = '\0';
    return 0;
}

/* Draws a panel's caption into the finished 8-bit picture, in the ink that its corner calls for. */
static void burn_caption(const Picture *picture, int index, unsigned char *rgb)
{
    const char *text = picture->captions[index];
    const Panel panel = panel_at(picture, index);
    const float pitch = fminf(fmaxf((float)panel.height / 260.0f, 1.5f), 4.0f); /* Pixels per font dot. */
    const float pen = 0.42f * pitch + 0.2f;                                    /* Half the stroke's width. */
    const float left = (float)panel.left + 8.0f * pitch;
    const float top = (float)(panel.top + panel.height) - 15.0f * pitch;
    const int from_row = (int)fmaxf(top - pitch, (float)panel.top);
    const int to_row = panel.top + panel.height;
    const int to_column = panel.left + panel.width;

    const unsigned char *corner =
        rgb + 3 * ((size_t)(to_row - 1) * (size_t)picture->width + (size_t)panel.left);
    const float ink = corner[1] < 128 ? 215.0f : 40.0f;
    for (int row = from_row; row < to_row; ++row) {
        for (int column = (int)(left - pitch); column < to_column; ++column) {
            const float x = ((float)column + 0.5f - left) / pitch;
            const float y = ((float)row + 0.5f - top) / pitch;
            /* A cell is a glyph and one dot of space; -0.5 lets strokes spread half a dot to the left. */
            const int cell = (int)floorf((x + 0.5f) / (float)(FONT_COLUMNS + 1));
            if (cell < 0 || (size_t)cell >= strlen(text)) {
                continue;
            }
            const float away =
                font_distance((unsigned char)text[cell], x - (float)(cell * (FONT_COLUMNS + 1)), y);
            const float cover = 0.9f * clamp_unit(pen - away * pitch + 0.5f);
            unsigned char *pixel = rgb + 3 * ((size_t)row * (size_t)picture->width + (size_t)column);
            for (int c = 0; c < 3; ++c) {
                const float value = (float)pixel[c] + cover * (ink - (float)pixel[c]);
                pixel[c] = (unsigned char)(value + 0.5f);
            }
        }
    }
}

int picture_write_png(const Picture *picture, const char *path)
{
    if (picture == NULL || path == NULL) {
        return -1;
    }
    const size_t count = (size_t)picture->width * (size_t)picture->height;
    unsigned char *rgb = malloc(count * 3);
    if (rgb == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t c = 0; c < 3; ++c) {
            const float value = srgb_from_linear(tone_map(picture->pixels[i * CHANNELS + c]));
            rgb[3 * i + c] = (unsigned char)(255.0f * value + 0.5f);
        }
    }
    for (int index = 0; index < picture->columns * picture->rows; ++index) {
        burn_caption(picture, index, rgb);
    }

    const int written = png_write_file(path, picture->width, picture->height, rgb);
    free(rgb);
    return written;
}

