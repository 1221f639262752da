/*
 * A plot of curves over one quantity, with a scale on the left and, if wanted, another on the right, written
 * as PNG.
 */
#ifndef EXAMPLES_PLOT_H
#define EXAMPLES_PLOT_H

#include <stddef.h>

/* Ticks and their numbers are at low, low + step, ... up to high. Text is ASCII. */
typedef struct PlotAxis {
    const char *label; /* NULL: no axis; for `right` only. */
    float low, high, step;
    int decimals;
} PlotAxis;

typedef struct PlotCurve {
    const char *label;
    const float *x;
    const float *y;
    size_t count;
    int on_right;   /* 1: y is on the right scale. */
    int as_circles; /* 1: a circle at each point, for measurements; 0: a line. */
    float color[3]; /* sRGB in [0, 1]. */
} PlotCurve;

typedef struct Plot {
    const char *title;
    PlotAxis x, left, right;
    const PlotCurve *curves;
    size_t curve_count;
    /* Start of the list of labels, as fractions of the width from the left and of the height from the top. */
    float legend[2];
} Plot;

/* Points that are not finite, or outside the scales, are left out. 0, or -1 if the file could not be written.
   */
int plot_write_png(const Plot *plot, int width, int height, const char *path);

#endif
