/*
 * A ball of warm, dyed air rises and becomes a ring; then its vortons, smoke and flow are written as files
 * for other programs with vorton_export.h, a header that is not part of the library.
 *
 *     export_vortons.ply, export_tracers.ply    points with attributes: Blender, ParaView, MeshLab
 *     export_field.vtk                          velocity, vorticity, dye and temperature: ParaView
 *     export_velocity.fga                       the vector field for Unreal: cm, left-handed, z up
 *     export_velocity.vf                        the vector field for Unity's VFX Graph: m, left-handed, y up
 */
#include "common/progress.h"
#include "common/scene.h"

#include <vorton_export.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 60 /* 2 s. */
};

static const float FRAME_SECONDS = 1.0f / 30.0f;
static const float MAX_STRETCH = 0.5f;
static const float SPACING = 0.1f; /* Of vortons [m]. */

static VortonWorldId create_world(void)
{
    VortonWorldDef def = vorton_default_world_def();
    VortonInitialDef ball = vorton_default_initial_def(VORTON_INITIAL_DENSITY_BALL);
    VortonWorldId world;
    def.threads = VORTON_THREADS_POOL;
    def.core_radius = 1.5f * SPACING;
    def.gravity.z = -9.8f;
    CHECK(vorton_world_create(&def, &world));
    ball.radius = 0.5f;
    ball.density_deviation = -0.1f * def.ambient_density;
    ball.dye = 1.0f;
    ball.spacing = SPACING;
    CHECK(vorton_world_add_initial(world, &ball, NULL, NULL));
    return world;
}

static VortonTracersId create_smoke(VortonWorldId world)
{
    VortonTracersDef def = vorton_default_tracers_def();
    VortonImpliedDef where = vorton_default_implied_def();
    VortonTracersId smoke;
    def.show = VORTON_SAMPLE_TEMPERATURE;
    CHECK(vorton_tracers_create(world, &def, &smoke));
    CHECK(vorton_tracers_add_implied(world, smoke, &where, NULL));
    return smoke;
}

/* Opens a file in `folder` for writing. */
static FILE *open_file(const char *folder, const char *name)
{
    char path[512];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
    if (file == NULL) {
        printf("%s/%s: %s\n", folder, name, strerror(errno));
        exit(EXIT_FAILURE);
    }
    return file;
}

/* Closes a file and checks the result, because closing writes the last bytes and may fail. */
static void close_file(FILE *file, VortonResult result, const char *name)
{
    const long bytes = ftell(file);
    const int closed = fclose(file);
    if (result == VORTON_ERR_EXPORT_WRITE || closed != 0) {
        fail("a file could not be written: is the disk full?", __FILE__, __LINE__);
    }
    CHECK(result);
    printf("  %-20s %9ld bytes\n", name, bytes);
}

static void write_field(VortonWorldId world, VortonExportDef def, float height, const char *folder, const char *name)
{
    const char *why;
    FILE *file;
    def.width = def.height = 48;
    def.depth = 64;
    def.low = (VortonVec3){-1.5f, -1.5f, height - 2.0f};
    def.high = (VortonVec3){1.5f, 1.5f, height + 2.0f};
    if (vorton_export_check(&def, &why) < 0) {
        fail(why, __FILE__, __LINE__);
    }
    file = open_file(folder, name);
    close_file(file, vorton_export_field(world, &def, vorton_export_to_file, file), name);
}

/* Mean height of the dye [m]. */
static float dye_height(VortonWorldId world)
{
    size_t count;
    double dye = 0.0, moment = 0.0;
    CHECK(vorton_vortons_read(world, NULL, 0, &count));
    VortonVorton *vortons = allocate(count, sizeof *vortons);
    CHECK(vorton_vortons_read(world, vortons, count, &count));
    for (size_t i = 0; i < count; ++i) {
        dye += (double)vortons[i].dye;
        moment += (double)vortons[i].dye * (double)vortons[i].position.z;
    }
    free(vortons);
    return (float)(moment / dye);
}

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv, "export", FRAMES);
    const char *folder = argc > 1 ? argv[1] : ".";
    CHECK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    printf("%s\n", vorton_build_info());

    const VortonWorldId world = create_world();
    const VortonTracersId smoke = create_smoke(world);
    Run run;
    run_begin(&run, world);
    progress_line("export", 0, options.frames);
    for (unsigned frame = 1; frame <= options.frames; ++frame) {
        run_frame(&run, FRAME_SECONDS, MAX_STRETCH, 1);
        progress_line("export", frame, options.frames);
    }
    int failed = run_print(&run, "export");
    const float height = dye_height(world);
    printf("  the dye has risen    %9.2f m\n", (double)height);
    if (!(height > 0.0f)) {
        printf("FAILED: nothing rises\n");
        failed = 1;
    }

    FILE *file = open_file(folder, "export_vortons.ply");
    close_file(file, vorton_export_vortons(world, vorton_export_to_file, file), "export_vortons.ply");
    file = open_file(folder, "export_tracers.ply");
    close_file(file, vorton_export_tracers(world, smoke, vorton_export_to_file, file), "export_tracers.ply");

    VortonExportDef def = vorton_default_export_def(VORTON_EXPORT_VTK);
    def.quantities = VORTON_EXPORT_VELOCITY | VORTON_EXPORT_VORTICITY | VORTON_EXPORT_DYE | VORTON_EXPORT_TEMPERATURE;
    write_field(world, def, height, folder, "export_field.vtk");
    write_field(world, vorton_default_export_def(VORTON_EXPORT_FGA), height, folder, "export_velocity.fga");
    write_field(world, vorton_default_export_def(VORTON_EXPORT_VF), height, folder, "export_velocity.vf");

    CHECK(vorton_world_destroy(world));
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
