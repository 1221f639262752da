#include "plot.h"

#include "picture_font.h"
#include "png_file.h"
#include "vec3.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    CHANNELS = 3,
    LABEL_BYTES = 64
};

/* All lengths of a plot are in pixels of a picture this wide, and scale with it. */
static const float DESIGN_WIDTH = 960.0f;
static const float PAPER[CHANNELS] = {0.965f, 0.968f, 0.972f};
static const float INK[CHANNELS] = {0.22f, 0.23f, 0.25f};
static const float GRID[CHANNELS] = {0.83f, 0.84f, 0.85f};

typedef struct Canvas {
    int width, height;
    float scale;   /* Pixels per pixel of the design. */
    float *pixels; /* width * height * CHANNELS, sRGB. */
} Canvas;

/* The rectangle between the axes [pixels]; y grows downwards. */
typedef struct Frame {
    float left, right, top, bottom;
} Frame;

static void blend(Canvas *canvas, int column, int row, const float color[CHANNELS], float cover)
{
    if (column < 0 || row < 0 || column >= canvas->width || row >= canvas->height) {
        return;
    }
    float *pixel = canvas->pixels + ((size_t)row * (size_t)canvas->width + (size_t)column) * CHANNELS;
    for (int c = 0; c < CHANNELS; ++c) {
        pixel[c] += cover * (color[c] - pixel[c]);
    }
}

static float distance_to_line(float x, float y, const float a[2], const float b[2])
{
    const float dx = b[0] - a[0];
    const float dy = b[1] - a[1];
    const float length2 = dx * dx + dy * dy;
    const float t = length2 > 0.0f ? clamp_unit(((x - a[0]) * dx + (y - a[1]) * dy) / length2) : 0.0f;
    return hypotf(x - a[0] - t * dx, y - a[1] - t * dy);
}

/* A curve of `count` points, `half_width` pixels to both sides. Each pixel is inked once: joints do not
 * show. */
static void draw_line(Canvas *canvas, const float (*points)[2], size_t count, float half_width,
                      const float color[CHANNELS])
{
    float *cover = calloc((size_t)canvas->width * (size_t)canvas->height, sizeof *cover);
    if (cover == NULL) {
        return;
    }
    for (size_t i = 0; i + 1 < count; ++i) {
        const float *a = points[i];
        const float *b = points[i + 1];
        const float reach = half_width + 1.0f;
        const int x0 = (int)fmaxf(floorf(fminf(a[0], b[0]) - reach), 0.0f);
        const int x1 = (int)fminf(ceilf(fmaxf(a[0], b[0]) + reach), (float)(canvas->width - 1));
        const int y0 = (int)fmaxf(floorf(fminf(a[1], b[1]) - reach), 0.0f);
        const int y1 = (int)fminf(ceilf(fmaxf(a[1], b[1]) + reach), (float)(canvas->height - 1));
        for (int row = y0; row <= y1; ++row) {
            for (int column = x0; column <= x1; ++column) {
                const float away = distance_to_line((float)column + 0.5f, (float)row + 0.5f, a, b);
                float *here = cover + (size_t)row * (size_t)canvas->width + (size_t)column;
                *here = fmaxf(*here, clamp_unit(half_width - away + 0.5f));
            }
        }
    }
    for (int row = 0; row < canvas->height; ++row) {
        for (int column = 0; column < canvas->width; ++column) {
            blend(canvas, column, row, color, cover[(size_t)row * (size_t)canvas->width + (size_t)column]);
        }
    }
    free(cover);
}

static void draw_segment(Canvas *canvas, float x0, float y0, float x1, float y1, const float color[CHANNELS])
{
    const float points[2][2] = {{x0, y0}, {x1, y1}};
    draw_line(canvas, points, 2, 0.6f * canvas->scale, color);
}

static void draw_circle(Canvas *canvas, const float at[2], const float color[CHANNELS])
{
    const float radius = 5.0f * canvas->scale;
    const float half_width = 0.9f * canvas->scale;
    const int reach = (int)ceilf(radius + half_width + 1.0f);
    for (int row = (int)at[1] - reach; row <= (int)at[1] + reach; ++row) {
        for (int column = (int)at[0] - reach; column <= (int)at[0] + reach; ++column) {
            const float from_centre = hypotf((float)column + 0.5f - at[0], (float)row + 0.5f - at[1]);
            blend(canvas, column, row, color, clamp_unit(half_width - fabsf(from_centre - radius) + 0.5f));
        }
    }
}

/* `align` 0: x is the text's left end; 0.5: its middle; 1: its right end. y is the middle of a capital
 * letter. */
static void draw_text(Canvas *canvas, const char *text, float x, float y, float align, const float color[CHANNELS])
{
    const float pitch = 1.9f * canvas->scale; /* Pixels per dot of the font. */
    const float pen = 0.42f * pitch + 0.2f;
    const float advance = (float)(FONT_COLUMNS + 1) * pitch;
    const size_t length = strlen(text);
    const float left = x - align * ((float)length * advance - pitch);
    const float top = y - 3.0f * pitch; /* Letters are seven dots high. */
    for (size_t i = 0; i < length; ++i) {
        const float glyph_left = left + (float)i * advance;
        for (int row = (int)(top - pitch); row <= (int)(top + 9.0f * pitch); ++row) {
            for (int column = (int)(glyph_left - pitch); column <= (int)(glyph_left + advance); ++column) {
                const float across = ((float)column + 0.5f - glyph_left) / pitch;
                const float down = ((float)row + 0.5f - top) / pitch;
                const float away = font_distance((unsigned char)text[i], across, down);
                blend(canvas, column, row, color, clamp_unit(pen - away * pitch + 0.5f));
            }
        }
    }
}

static float share_of(const PlotAxis *axis, float value)
{
    return (value - axis->low) / (axis->high - axis->low);
}

static size_t tick_count(const PlotAxis *axis)
{
    return (size_t)floorf((axis->high - axis->low) / axis->step + 1.001f);
}

static void format_tick(const PlotAxis *axis, float value, char text[LABEL_BYTES])
{
    /* Avoids "-0.0". */
    const double shown = fabsf(value) < 1e-3f * axis->step ? 0.0 : (double)value;
    (void)snprintf(text, LABEL_BYTES, "%.*f", axis->decimals, shown);
}

static void draw_axes(Canvas *canvas, const Plot *plot, const Frame *frame)
{
    const float s = canvas->scale;
    char text[LABEL_BYTES];
    for (size_t i = 0; i < tick_count(&plot->x); ++i) {
        const float value = plot->x.low + (float)i * plot->x.step;
        const float x = frame->left + share_of(&plot->x, value) * (frame->right - frame->left);
        draw_segment(canvas, x, frame->top, x, frame->bottom, GRID);
        draw_segment(canvas, x, frame->bottom, x, frame->bottom + 6.0f * s, INK);
        format_tick(&plot->x, value, text);
        draw_text(canvas, text, x, frame->bottom + 20.0f * s, 0.5f, INK);
    }
    draw_text(canvas, plot->x.label, 0.5f * (frame->left + frame->right), frame->bottom + 46.0f * s, 0.5f, INK);

    for (int side = 0; side < (plot->right.label != NULL ? 2 : 1); ++side) {
        const PlotAxis *axis = side == 0 ? &plot->left : &plot->right;
        const float at = side == 0 ? frame->left : frame->right;
        const float outwards = side == 0 ? -1.0f : 1.0f;
        for (size_t i = 0; i < tick_count(axis); ++i) {
            const float value = axis->low + (float)i * axis->step;
            const float y = frame->bottom - share_of(axis, value) * (frame->bottom - frame->top);
            if (side == 0) {
                draw_segment(canvas, frame->left, y, frame->right, y, GRID);
            }
            draw_segment(canvas, at, y, at + outwards * 6.0f * s, y, INK);
            format_tick(axis, value, text);
            draw_text(canvas, text, at + outwards * 12.0f * s, y, side == 0 ? 1.0f : 0.0f, INK);
        }
        const float edge = side == 0 ? 16.0f * s : (float)canvas->width - 16.0f * s;
        draw_text(canvas, axis->label, edge, frame->top - 22.0f * s, side == 0 ? 0.0f : 1.0f, INK);
    }
    const float corners[5][2] = {{frame->left, frame->top},
                                 {frame->right, frame->top},
                                 {frame->right, frame->bottom},
                                 {frame->left, frame->bottom},
                                 {frame->left, frame->top}};
    draw_line(canvas, corners, 5, 0.8f * s, INK);
}

/* The visible points of the curve, in pixels. */
static size_t place_points(const Plot *plot, const PlotCurve *curve, const Frame *frame, float (*points)[2])
{
    const PlotAxis *axis = curve->on_right ? &plot->right : &plot->left;
    size_t count = 0;
    for (size_t i = 0; i < curve->count; ++i) {
        const float x = share_of(&plot->x, curve->x[i]);
        const float y = share_of(axis, curve->y[i]);
        if (x >= 0.0f && x <= 1.0f && y >= 0.0f && y <= 1.0f) { /* False for NaN. */
            points[count][0] = frame->left + x * (frame->right - frame->left);
            points[count][1] = frame->bottom - y * (frame->bottom - frame->top);
            ++count;
        }
    }
    return count;
}

static int draw_curve(Canvas *canvas, const Plot *plot, const PlotCurve *curve, const Frame *frame)
{
    float(*points)[2] = malloc((curve->count + 1) * sizeof *points);
    if (points == NULL) {
        return -1;
    }
    const size_t count = place_points(plot, curve, frame, points);
    if (curve->as_circles) {
        for (size_t i = 0; i < count; ++i) {
            draw_circle(canvas, points[i], curve->color);
        }
    } else {
        draw_line(canvas, (const float(*)[2])points, count, 1.4f * canvas->scale, curve->color);
    }
    free(points);
    return 0;
}

static void draw_legend(Canvas *canvas, const Plot *plot, const Frame *frame)
{
    const float s = canvas->scale;
    const float x = frame->left + plot->legend[0] * (frame->right - frame->left);
    float y = frame->top + plot->legend[1] * (frame->bottom - frame->top);
    for (size_t i = 0; i < plot->curve_count; ++i, y += 24.0f * s) {
        const PlotCurve *curve = plot->curves + i;
        if (curve->as_circles) {
            const float at[2] = {x + 18.0f * s, y};
            draw_circle(canvas, at, curve->color);
        } else {
            const float sample[2][2] = {{x, y}, {x + 36.0f * s, y}};
            draw_line(canvas, sample, 2, 1.4f * s, curve->color);
        }
        draw_text(canvas, curve->label, x + 48.0f * s, y, 0.0f, INK);
    }
}

static int plot_is_valid(const Plot *plot, int width, int height)
{
    const PlotAxis *axes[3] = {&plot->x, &plot->left, plot->right.label != NULL ? &plot->right : &plot->left};
    for (int i = 0; i < 3; ++i) {
        const float steps = (axes[i]->high - axes[i]->low) / axes[i]->step;
        if (axes[i]->label == NULL || !(axes[i]->high > axes[i]->low) || !(steps >= 1.0f && steps <= 1000.0f)) {
            return 0;
        }
    }
    return width > 0 && height > 0 && width <= INT_MAX / CHANNELS / (int)sizeof(float) / height;
}

int plot_write_png(const Plot *plot, int width, int height, const char *path)
{
    if (!plot_is_valid(plot, width, height)) {
        return -1;
    }
    const size_t count = (size_t)width * (size_t)height * CHANNELS;
    Canvas canvas = {width, height, (float)width / DESIGN_WIDTH, malloc(count * sizeof(float))};
    unsigned char *rgb = malloc(count);
    int failed = canvas.pixels == NULL || rgb == NULL ? -1 : 0;
    if (failed == 0) {
        for (size_t i = 0; i < count; ++i) {
            canvas.pixels[i] = PAPER[i % CHANNELS];
        }
        const float s = canvas.scale;
        const Frame frame = {84.0f * s, (float)width - 84.0f * s, 92.0f * s, (float)height - 66.0f * s};
        draw_text(&canvas, plot->title, 0.5f * (float)width, 28.0f * s, 0.5f, INK);
        draw_axes(&canvas, plot, &frame);
        for (size_t i = 0; i < plot->curve_count && failed == 0; ++i) {
            failed = draw_curve(&canvas, plot, plot->curves + i, &frame);
        }
        draw_legend(&canvas, plot, &frame);
        for (size_t i = 0; i < count; ++i) {
            rgb[i] = (unsigned char)(255.0f * clamp_unit(canvas.pixels[i]) + 0.5f);
        }
        if (failed == 0) {
            failed = png_write_file(path, width, height, rgb);
        }
    }
    free(canvas.pixels);
    free(rgb);
    return failed;
}
