/*
 * What the examples share around the library: stopping with a reason, smoke to start from, and the
 * bookkeeping of a run (time steps that suit the flow, stage times, conserved quantities) with its closing
 * table.
 */
#ifndef EXAMPLES_SCENE_H
#define EXAMPLES_SCENE_H

#include "picture.h"

#include <vorton.h>

#include <stddef.h>
#include <stdint.h>

/* Runs a call of the library and ends the program with its error text if it failed. */
#define CHECK(call) check_result((call), #call, __FILE__, __LINE__)

void check_result(VortonResult result, const char *call, const char *file, int line);

/* Ends the program with exit status 1 after "file:line: what". */
void fail(const char *what, const char *file, int line);

/* malloc that ends the program when there is no memory. */
void *allocate(size_t count, size_t size);

/*
 * The command line of every example: EXAMPLE [FOLDER [FRAMES]]. The picture goes into FOLDER (default: the
 * current one); FRAMES cuts the run short, and then there is neither a picture nor a comparison.
 */
typedef struct Options {
    char picture[512];
    unsigned frames;
    int is_cut;
} Options;

Options read_options(int argc, char **argv, const char *example, unsigned frames);

/* A uniform number in [0, 1) that depends on `counter` alone. */
float random_unit(uint64_t counter);

/* Points where smoke is at the start. Zero-initialise; free with smoke_free. */
typedef struct Smoke {
    VortonVec3 *points;
    size_t count;
    size_t capacity;
} Smoke;

/* One point in each cell of edge about `spacing` of a box, anywhere in its cell: no rows and no clumps. */
void smoke_add_box(Smoke *smoke, VortonVec3 low, VortonVec3 high, float spacing);

/* As smoke_add_box, closer than `thickness` to the circle of `radius` around `centre` across axis 0 x, 1 y or
 * 2 z. */
void smoke_add_ring(Smoke *smoke, VortonVec3 centre, int axis, float radius, float thickness, float spacing);

void smoke_free(Smoke *smoke);

/* The colour of a tracer from its value. */
typedef void (*ColorOfValue)(float value, float rgb[3]);

/* A set of tracers and, for each id, its colour; or a colour that follows from what the tracers show. */
typedef struct Dye {
    VortonWorldId world;
    VortonTracersId tracers;
    size_t count;                /* Refreshed by dye_read; at most capacity. */
    size_t capacity;
    ColorOfValue color_of_value; /* NULL: the colour goes by the id. */
    float *values;               /* NULL then. */
    float (*color_of_id)[3];
    float (*positions)[3]; /* Refreshed by dye_read, and so are colors. */
    float (*colors)[3];
    uint32_t *ids;
} Dye;

/* Makes tracers of the smoke, all of `color`; dye_set_color changes that. */
void dye_create(Dye *dye, VortonWorldId world, const Smoke *smoke, const float color[3]);

/*
 * Makes tracers wherever the density of the world's vortons deviates, per_cell^3 in each cell, and colours
 * each by the deviation [kg/m^3] where it starts.
 */
void dye_create_implied(Dye *dye, VortonWorldId world, uint32_t per_cell, float threshold, ColorOfValue color);

/*
 * Makes tracers of the smoke that take the colour of what the fluid is around them, from step to step:
 * VORTON_SAMPLE_...
 */
void dye_create_showing(Dye *dye, VortonWorldId world, const Smoke *smoke, uint32_t quantity,
                        ColorOfValue color);

void dye_set_color(Dye *dye, size_t id, const float color[3]);

/* Reads the tracers back and gives each its colour. */
void dye_read(Dye *dye);

/* Draws what was read last: puffs of this radius [m] and opacity, and a caption. */
void dye_draw(const Dye *dye, Picture *picture, int panel, const PictureCamera *camera, float radius, float opacity,
              const char *caption);

void dye_destroy(Dye *dye);

enum {
    RUN_STAGES = 7
};

/* Bookkeeping of one world from run_begin to run_report. */
typedef struct Run {
    VortonWorldId world;
    VortonInvariants first;
    double stage_ms[RUN_STAGES];
    double step_seconds;
    float max_gradient; /* Largest velocity gradient of the last step [1/s]. */
    float worst_stretch;
    unsigned steps;
} Run;

/* Notes the conserved quantities and how fast the flow is; call it when the initial conditions are in. */
void run_begin(Run *run, VortonWorldId world);

/* How many equal steps of a frame of dt seconds, at least one, keep VortonStats.stretch_number below
 * `max_stretch`. */
unsigned run_steps(const Run *run, float dt, float max_stretch);

/* Advances by dt in one step. */
void run_step(Run *run, float dt);

/* Advances by dt in run_steps equal steps, but no fewer than `least_steps`. */
void run_frame(Run *run, float dt, float max_stretch, unsigned least_steps);

VortonInvariants run_invariants(const Run *run);

/* Prints counts, stage times and hash. Returns 0, or 1 with a line that says why if something was not
 * finite. */
int run_print(const Run *run, const char *title);

/*
 * run_print, and the drift of what a flow without gravity conserves. Returns 1 with a line that says why also
 * if impulse or total strength drifted by more than `tolerance` of the strength that there is.
 */
int run_report(const Run *run, const char *title, double tolerance);

#endif
