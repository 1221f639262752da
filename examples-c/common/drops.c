#include "drops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double GRAVITY = 10.0;        /* Along -z [m/s^2]. */
static const double AMBIENT_DENSITY = 1.0; /* [kg/m^3] */
static const float MAX_STRETCH = 0.3f;

enum {
    /* A drop at rest has no velocity gradient from which to find the number of steps, but it is about to
       fall. */
    LEAST_STEPS = 2
};

/* Largest accepted errors. Impulse: relative to the impulse from gravity. */
static const double IMPULSE_TOLERANCE = 0.01;
/* Relative to the mass: deviations are copied, not computed, except those that halo vortons pass on. */
static const double MASS_TOLERANCE = 1e-5;
/* Relative to the energy from gravity. */
static const double ENERGY_TOLERANCE = 0.05;

VortonWorldId drops_create_world(const DropsFluid *fluid)
{
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * fluid->spacing;
    def.ambient_density = (float)AMBIENT_DENSITY;
    def.gravity = (VortonVec3){0.0f, 0.0f, (float)-GRAVITY};
    def.viscosity = fluid->viscosity;
    VortonWorldId world;
    CHECK(vorton_world_create(&def, &world));
    return world;
}

void drops_add(VortonWorldId world, const DropsFluid *fluid, VortonVec3 centre, float density_deviation)
{
    VortonInitialDef ball = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    ball.centre = centre;
    ball.radius = 1.0f;
    ball.density_deviation = density_deviation;
    ball.spacing = fluid->spacing;
    ball.position_disturbance = fluid->disturbance;
    ball.strength_disturbance = 0.4f * fluid->disturbance;
    CHECK(vorton_world_add_initial(world, &ball, NULL, NULL));
}

static void add_mass(DropSums *sums, double mass, VortonVec3 at)
{
    sums->mass += mass;
    sums->centre[0] += mass * (double)at.x;
    sums->centre[1] += mass * (double)at.y;
    sums->centre[2] += mass * (double)at.z;
}

static void divide_by_mass(DropSums *sums)
{
    for (int a = 0; a < 3 && sums->mass != 0.0; ++a) {
        sums->centre[a] /= sums->mass;
    }
}

DropsState drops_read(VortonWorldId world)
{
    DropsState state = {{0.0, {0.0, 0.0, 0.0}}, {0.0, {0.0, 0.0, 0.0}}, 0, 0};
    CHECK(vorton_vortons_read(world, NULL, 0, &state.vortons));
    VortonVorton *vortons = allocate(state.vortons, sizeof *vortons);
    CHECK(vorton_vortons_read(world, vortons, state.vortons, &state.vortons));
    for (size_t i = 0; i < state.vortons; ++i) {
        const double mass = (double)vortons[i].mass_deviation;
        add_mass(mass > 0.0 ? &state.heavy : &state.light, mass, vortons[i].position);
        state.halo += (vortons[i].flags & VORTON_VORTON_HALO) != 0;
    }
    free(vortons);
    divide_by_mass(&state.heavy);
    divide_by_mass(&state.light);
    return state;
}

void drops_frame(Run *run, float dt)
{
    run_frame(run, dt, MAX_STRETCH, LEAST_STEPS);
}

/* Largest of the three. */
static double farthest(const double v[3])
{
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

/* From the axis, x or y. */
static double sideways(const DropSums *sums)
{
    return fmax(fabs(sums->centre[0]), fabs(sums->centre[1]));
}

static double first_moment(const DropsState *state)
{
    return state->heavy.mass * state->heavy.centre[2] + state->light.mass * state->light.centre[2];
}

static int broken(const char *law, double error, double tolerance)
{
    if (error <= tolerance) {
        return 0;
    }
    printf("FAILED: %s: %.2e, at most %.0e\n", law, error, tolerance); /* NaN also fails. */
    return 1;
}

int drops_report(const Run *run, const char *title, const DropsState *first, double off_axis)
{
    int failed = run_print(run, title);
    VortonStats stats = {.struct_size = sizeof stats};
    CHECK(vorton_world_stats(run->world, &stats));
    const DropsState now = drops_read(run->world);
    const VortonInvariants invariants = run_invariants(run);
    const double *impulse = invariants.linear_impulse;

    const double gravity_time = GRAVITY * stats.time / AMBIENT_DENSITY;
    const double given = 0.0 - gravity_time * (first->heavy.mass + first->light.mass); /* Not -0. */
    const double off[3] = {impulse[0], impulse[1], impulse[2] - given};
    /* The impulse of each drop alone: the impulses of two opposite drops cancel, and 0 is no scale. */
    const double masses = first->heavy.mass - first->light.mass;
    const double impulse_error = farthest(off) / (gravity_time * masses);
    const double mass_error =
        fmax(fabs(now.heavy.mass - first->heavy.mass), fabs(now.light.mass - first->light.mass)) / masses;
    const double beside = fmax(sideways(&now.heavy), sideways(&now.light));
    const double work = GRAVITY / AMBIENT_DENSITY * (first_moment(first) - first_moment(&now));

    printf("  seeds and halo   %10u    + %u\n", (unsigned)(now.vortons - now.halo), (unsigned)now.halo);
    printf("  impulse          %10.4f    from gravity %.4f m^4/s, off by %.2f %%\n", impulse[2], given,
           100.0 * impulse_error);
    printf("  energy           %10.4f    from gravity %.4f m^5/s^2\n", invariants.energy, work);
    printf("  heavy mass       %10.4f    kg beyond the ambient's, light mass %.4f kg, drift %.1e\n", now.heavy.mass,
           now.light.mass, mass_error);
    printf("  off the axis     %10.4f    m\n", beside);
    failed |= broken("impulse is not what gravity has given", impulse_error, IMPULSE_TOLERANCE);
    failed |= broken("the flow has more energy than gravity has given", invariants.energy / work - 1.0,
                     ENERGY_TOLERANCE);
    failed |= broken("mass is lost or made", mass_error, MASS_TOLERANCE);
    failed |= broken("the drops drift sideways", beside, off_axis);
    return failed;
}
