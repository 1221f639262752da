/*
 * Pictures of particles as smoke or dye, drawn in software and written as PNG. No window, no GPU, no clock:
 * the same particles give the same picture.
 *
 * A picture is a grid of panels, for example four moments in time side by side. In each panel: draw balls
 * first, then particles, then write the file.
 *
 *     const PictureCamera camera = {{0, 0, 9}, {0, 0, 0}, {0, 1, 0}, 35};
 *     Picture *picture = picture_create(1600, 500, 4, 1);
 *     for (int panel = 0; panel < 4; ++panel) {
 *         ... step the simulation ...
 *         const PictureParticles smoke = {.count = n, .positions = xyz, .position_stride = 3 * sizeof(float),
 *                                         .color = {0.9f, 0.9f, 0.9f}, .radius = 0.02f, .opacity = 0.04f};
 *         picture_draw_particles(picture, panel, &camera, &smoke);
 *         picture_caption(picture, panel, "t = 1.25 s");
 *     }
 *     picture_write_png(picture, "ring.png");
 *     picture_destroy(picture);
 *
 * Colours are sRGB in [0, 1], as in a colour picker; the arithmetic behind them is in linear light. Functions
 * returning int give 0 on success and -1 on failure (bad argument or no memory); a failed call draws nothing.
 * A NULL Picture is accepted everywhere and fails, so the check of picture_write_png covers picture_create.
 */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Picture Picture;

/* A pinhole camera in a right-handed world: the right of the picture is cross(target - eye, up). */
typedef struct PictureCamera {
    float eye[3];
    float target[3];
    float up[3];                /* Any length, not parallel to target - eye. */
    float vertical_fov_degrees; /* Whole angle from bottom to top of a panel, in (0, 180). */
} PictureCamera;

/* A cloud of particles. Zero-initialise, then set the fields you need. */
typedef struct PictureParticles {
    size_t count;
    const float *positions;   /* x, y, z of each particle [world units]; skipped where not finite. */
    size_t position_stride;   /* Bytes from one particle to the next: 12 for packed xyz. */
    const float *colors;      /* r, g, b of each particle, or NULL: all have `color`. */
    size_t color_stride;      /* Bytes, as position_stride. */
    float color[3];
    float radius;             /* Standard deviation of a puff [world units]. Good: 0.5 to 0.8 spacings. */
    float opacity;            /* Of a puff at its centre, in (0, 1). Good: 0.02 (veils) to 0.08 (solid). */
    float light_direction[3]; /* Toward the main light. All zero: from above left of the camera. */
} PictureParticles;

/*
 * Creates a picture of width x height pixels, divided into `columns` x `rows` panels, on a dark neutral
 * background. Panels are numbered row by row from the top left, from 0. NULL when out of memory, when a size
 * is not positive, or when the panels would be under 16 pixels wide or high.
 */
Picture *picture_create(int width, int height, int columns, int rows);

void picture_destroy(Picture *picture);

/*
 * Repaints all panels: `glow` behind the centre, fading to `edge` at the corners. Erases drawings, not
 * captions. Use a light background for dye, such as {0.95, 0.955, 0.96} and {0.74, 0.77, 0.80}.
 */
int picture_background(Picture *picture, const float glow[3], const float edge[3]);

/*
 * Draws a solid, lit ball. Draw balls before particles: particles then appear behind, around and in front of
 * them.
 */
int picture_draw_ball(Picture *picture, int panel, const PictureCamera *camera, const float center[3],
                      float radius, const float color[3]);

/*
 * Draws a ball in two colours, one for every other octant, so that its rotation is visible: the unit
 * quaternion x y z w turns its axes into the world's.
 */
int picture_draw_spun_ball(Picture *picture, int panel, const PictureCamera *camera, const float center[3],
                           float radius, const float rotation[4], const float colors[2][3]);

/*
 * Draws particles as smoke: soft puffs, sorted by depth and blended back to front, each lit by a main light,
 * a weaker one from behind and the sky, all dimmed by the smoke along the ray (a coarse density grid). Where
 * particles thin out, their puffs widen up to twofold and fade, so that wisps stay smooth. A second call
 * draws over the first without sorting the two; put particles of several colours in one call. Time grows with
 * count and with the square of the radius in pixels.
 */
int picture_draw_particles(Picture *picture, int panel, const PictureCamera *camera,
                           const PictureParticles *particles);

/* Text at the lower left of a panel, ASCII, cut after 63 characters. Replaces the panel's earlier caption. */
int picture_caption(Picture *picture, int panel, const char *text);

/* Writes an 8-bit sRGB PNG file. Also -1 if the file cannot be opened or written in full. */
int picture_write_png(const Picture *picture, const char *path);

/*
 * Colour for a speed, or any other amount: `unit` 0 is slate blue, 1 is pale yellow. Values outside [0, 1]
 * are clamped and NaN is 0. Lightness increases monotonically, so the order survives in grey and for
 * colour-blind readers.
 */
void picture_speed_color(float unit, float rgb[3]);

#ifdef __cplusplus
}
#endif

#endif
