/*
 * Common code of the examples around the library: error exits, smoke for the start, and the statistics of a
 * run (time steps that suit the flow, stage times, conserved quantities) with its closing table.
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

/* malloc that ends the program if there is no memory. */
void *allocate(size_t count, size_t size);

/*
 * The command line of every example: EXAMPLE [FOLDER [FRAMES]]. The picture goes into FOLDER (default: the
 * current one); FRAMES shortens the run, without picture and comparison.
 */
typedef struct Options {
    char picture[512];
    unsigned frames;
    int is_cut;
} Options;

Options read_options(int argc, char **argv, const char *example, unsigned frames);

/* A floor: a half-space that fills everything below z = 0 and does not move. */
void add_floor(VortonWorldId world);

/* Returns a uniform number in [0, 1) that depends on `counter` alone. */
float random_unit(uint64_t counter);

/* Points of the smoke at the start. Zero-initialise; free with smoke_free. */
typedef struct Smoke {
    VortonVec3 *points;
    size_t count;
    size_t capacity;
} Smoke;

/* Adds one point in each cell of a box, of edge about `spacing`, at a random position in the cell: no rows
   and no clumps. */
void smoke_add_box(Smoke *smoke, VortonVec3 low, VortonVec3 high, float spacing);

/* As smoke_add_box, closer than `thickness` to the circle of `radius` around `centre` across axis 0 x, 1 y or
 * 2 z. */
void smoke_add_ring(Smoke *smoke, VortonVec3 centre, int axis, float radius, float thickness, float spacing);

void smoke_free(Smoke *smoke);

/* The colour of a tracer from its value. */
typedef void (*ColorOfValue)(float value, float rgb[3]);

/* Smoke, then the colours of hot gas: red, orange, yellow. Temperature [K]. */
void flame_color(float temperature, float rgb[3]);

/* A set of tracers with a colour for each id, or with colours computed from the tracers' values. */
typedef struct Dye {
    VortonWorldId world;
    VortonTracersId tracers;
    size_t count;                /* Updated by dye_read; at most capacity. */
    size_t capacity;
    ColorOfValue color_of_value; /* NULL: colours by id. */
    float *values;               /* NULL without color_of_value. */
    float (*color_of_id)[3];
    float (*positions)[3]; /* Updated by dye_read, as are colors. */
    float (*colors)[3];
    uint32_t *ids;
} Dye;

/* Creates tracers from the smoke, all of `color`; dye_set_color changes it. */
void dye_create(Dye *dye, VortonWorldId world, const Smoke *smoke, const float color[3]);

/*
 * Creates tracers where the density of the world's vortons deviates, per_cell^3 in each cell, and colours
 * each by the deviation [kg/m^3] at its start.
 */
void dye_create_implied(Dye *dye, VortonWorldId world, uint32_t per_cell, float threshold, ColorOfValue color);

/*
 * Creates tracers from the smoke with the colour of a fluid quantity (VORTON_SAMPLE_...) around them, updated
 * in each step.
 */
void dye_create_showing(Dye *dye, VortonWorldId world, const Smoke *smoke, uint32_t quantity,
                        ColorOfValue color);

void dye_set_color(Dye *dye, size_t id, const float color[3]);

/* Reads the tracers back and sets the colour of each. */
void dye_read(Dye *dye);

/* Draws the tracers read last: puffs of this radius [m] and opacity, and a caption. */
void dye_draw(const Dye *dye, Picture *picture, int panel, const PictureCamera *camera, float radius, float opacity,
              const char *caption);

void dye_destroy(Dye *dye);

enum {
    RUN_STAGES = 7
};

/* Statistics of one world from run_begin to run_report. */
typedef struct Run {
    VortonWorldId world;
    VortonInvariants first;
    double stage_ms[RUN_STAGES];
    double step_seconds;
    float max_gradient; /* Largest velocity gradient of the last step [1/s]. */
    float worst_stretch;
    unsigned steps;
} Run;

/* Records the conserved quantities and the largest velocity gradient; call it after adding the initial
   conditions. */
void run_begin(Run *run, VortonWorldId world);

/* Returns the number of equal steps, at least one, in a frame of dt seconds that keeps
 * VortonStats.stretch_number below `max_stretch`. */
unsigned run_steps(const Run *run, float dt, float max_stretch);

/* Advances by dt in one step. */
void run_step(Run *run, float dt);

/* Advances by dt in run_steps equal steps, but at least `least_steps`. */
void run_frame(Run *run, float dt, float max_stretch, unsigned least_steps);

VortonInvariants run_invariants(const Run *run);

/* Prints counts, stage times and hash. Returns 0, or 1 after a message if something was not finite. */
int run_print(const Run *run, const char *title);

/*
 * run_print, and the drift of the conserved quantities of a flow without gravity. Also returns 1 after a
 * message if impulse or total strength drifted by more than `tolerance` of the total strength magnitude.
 */
int run_report(const Run *run, const char *title, double tolerance);

#endif
