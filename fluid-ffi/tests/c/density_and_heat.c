/* Density and heat through the C interface: added fluid is present, sinks as predicted, and is visible in
   tracers. */
#include "check.h"

#include <math.h>

enum { MOST = 8000, TRACERS = 60000, STEPS = 20 };

static VortonVorton vortons[MOST];
static float values[TRACERS];

static int near(double value, double expected, double share) {
    if (fabs(value - expected) <= share * fabs(expected)) return 1;
    printf("%g, but should be %g\n", value, expected);
    return 0;
}

static float sample(VortonWorldId world, uint32_t quantity, VortonVec3 place) {
    float out = 0;
    OK(vorton_world_sample(world, quantity, &place.x, sizeof place, &out, sizeof out, 1));
    return out;
}

static void conversions(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    float out;
    def.max_vortons = 1;
    def.ambient_density = 2;
    def.ambient_temperature = 250;
    OK(vorton_world_create(&def, &world));
    OK(vorton_world_density_from_temperature(world, 500, &out));
    CHECK(near(out, 1, 1e-6));
    OK(vorton_world_temperature_from_density(world, 4, &out));
    CHECK(near(out, 125, 1e-6));
    OK(vorton_world_mass_deviation(world, 3, 500, &out));
    CHECK(near(out, -3, 1e-6));
    OK(vorton_world_destroy(world));

    def.equation_of_state = VORTON_LINEAR_EXPANSION;
    def.expansion = 0.01f;
    def.stratification = VORTON_STRATIFICATION_LAYERS;
    def.layer_normal = vec3(0, 0, 5);
    def.layer_height = 1;
    def.layer_jump = -0.5f;
    OK(vorton_world_create(&def, &world));
    OK(vorton_world_density_from_temperature(world, 260, &out));
    CHECK(near(out, 1.8, 1e-6));
    OK(vorton_world_temperature_from_density(world, 1.8f, &out));
    CHECK(near(out, 260, 1e-5));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY, vec3(3, 4, 2)), 1.75, 1e-6));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY, vec3(3, 4, 0)), 2.25, 1e-6));
    CHECK(fabsf(sample(world, VORTON_SAMPLE_DENSITY_DEVIATION, vec3(3, 4, 0))) <= 0);
    OK(vorton_world_destroy(world));
}

static size_t implied(VortonWorldId world, uint32_t show, float low, float high) {
    VortonTracersDef def = vorton_default_tracers_def();
    VortonImpliedDef implied_def = vorton_default_implied_def();
    VortonTracersId tracers;
    size_t count, read, i;
    def.capacity = TRACERS;
    def.show = show;
    implied_def.per_cell = 2;
    OK(vorton_tracers_create(world, &def, &tracers));
    OK(vorton_tracers_add_implied(world, tracers, &implied_def, &count));
    OK(vorton_tracers_read(world, tracers, NULL, 0, NULL, NULL, NULL, values, TRACERS, &read));
    CHECK(read == count && count > 1000);
    for (i = 0; i < count; ++i) {
        if (!(values[i] >= low && values[i] <= high)) {
            printf("a tracer shows %g\n", values[i]);
            exit(1);
        }
    }
    OK(vorton_tracers_destroy(world, tracers));
    return count;
}

/* Fuel is distributed as dye is, in all of it the prescribed heat, and burns where it is hot. */
static void fuel(void) {
    static const uint32_t types[] = {VORTON_INITIAL_DENSITY_BALL, VORTON_INITIAL_DENSITY_DROP, VORTON_INITIAL_DENSITY_BOX,
                                     VORTON_INITIAL_RING};
    const double pi = 3.141592653589793, volumes[] = {4.0 / 3.0 * pi * 0.008, pow(2 * pi, 1.5) * 0.008, 0.125, 0};
    size_t k, i;
    for (k = 0; k < 4; ++k) {
        VortonWorldDef def = vorton_default_world_def();
        VortonInitialDef initial = vorton_default_initial_def(types[k]);
        VortonStats stats = vorton_default_stats();
        VortonWorldId world;
        size_t count = 0;
        double sum = 0;
        def.ignition_temperature = 600;
        initial.radius = 0.2f;
        initial.thickness = 0.1f;
        initial.extent = vec3(0.5f, 0.5f, 0.5f);
        initial.density_deviation = -0.6f;
        initial.dye = 0.5f;
        initial.fuel = 1e5f;
        OK(vorton_world_create(&def, &world));
        OK(vorton_world_add_initial(world, &initial, NULL, NULL));
        OK(vorton_vortons_read(world, vortons, MOST, &count));
        for (i = 0; i < count; ++i) {
            sum += (double)vortons[i].fuel;
            CHECK(near(vortons[i].fuel, k < 3 ? 2e5 * (double)vortons[i].dye : 0, 1e-5));
        }
        CHECK(near(sum, 1e5 * volumes[k], 1e-4));
        STEP(vorton_world_step(world, 0.01f));
        OK(vorton_world_stats(world, &stats));
        CHECK((stats.heat_released > 1e-4 * sum) == (k < 3));
        CHECK(near(stats.heat_released + stats.fuel, sum, 1e-4));
        OK(vorton_world_destroy(world));
    }
}

int main(void) {
    const double pi = 3.141592653589793, mass = 0.1 * 4.0 / 3.0 * pi * 0.5 * 0.5 * 0.5;
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ball = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    const VortonVec3 centre = {0, 0, 0}, far = {5, 0, 0};
    VortonWorldId world;
    VortonInvariants invariants;
    double sum = 0;
    size_t count, seeds, halo = 0, i;
    uint64_t id;
    int step;

    conversions();
    fuel();

    def.max_vortons = MOST;
    def.gravity = vec3(0, 0, -10);
    OK(vorton_world_create(&def, &world));
    ball.dye = 0.5f;
    OK(vorton_world_add_initial(world, &ball, NULL, &seeds));
    OK(vorton_vortons_read(world, vortons, MOST, &count));
    CHECK(count == seeds);
    for (i = 0; i < count; ++i) sum += vortons[i].mass_deviation;
    CHECK(near(sum, mass, 1e-5));

    /* Tracers use the present vortons, samples the field of a step. */
    CHECK(implied(world, VORTON_SHOW_NONE, 0.055f, 0.125f) == implied(world, VORTON_SAMPLE_TEMPERATURE, 265, 285));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY, centre), 1, 1e-6));
    STEP(vorton_world_step(world, 0));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY, centre), 1.1, 0.01));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY_DEVIATION, centre), 0.1, 0.1));
    CHECK(near(sample(world, VORTON_SAMPLE_TEMPERATURE, centre), 300 / 1.1, 0.01));
    CHECK(near(sample(world, VORTON_SAMPLE_DYE, centre), 0.5, 0.1));
    CHECK(near(sample(world, VORTON_SAMPLE_DENSITY, far), 1, 1e-6) && sample(world, VORTON_SAMPLE_DYE, far) <= 0);

    /* Impulse per density grows by g m t: the ball sinks, and a halo forms. */
    for (step = 0; step < STEPS; ++step) STEP(vorton_world_step(world, 0.02f));
    memset(&invariants, 0, sizeof invariants);
    invariants.struct_size = sizeof invariants;
    OK(vorton_world_invariants(world, &invariants));
    CHECK(near(invariants.linear_impulse[2], -10 * mass * STEPS * 0.02, 0.02));
    OK(vorton_vortons_read(world, vortons, MOST, &count));
    for (i = 0; i < count; ++i) halo += vortons[i].flags == VORTON_VORTON_HALO;
    CHECK(count - halo == seeds && halo > 0);

    /* The halo flag is not kept when vortons are added again. */
    OK(vorton_vortons_clear(world));
    vortons[0].flags = VORTON_VORTON_HALO;
    OK(vorton_vortons_add(world, vortons, 1, &id));
    OK(vorton_vortons_read(world, vortons, MOST, &count));
    CHECK(count == 1 && vortons[0].flags == 0 && vortons[0].id == id);
    OK(vorton_world_destroy(world));
    printf("%zu heavy vortons, %zu of their halo\n", seeds, halo);
    return 0;
}
