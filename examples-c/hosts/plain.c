/*
 * The golden result: the scene of sparks.h on a plain array in C, with all operations from the library.
 * Writes the end position of each spark to the file given on the command line; the hosts compare with it.
 */
#include "sparks.h"

#include <stddef.h>

typedef struct Spark {
    float position[3];
    float velocity[3];
    float age, lifetime; /* [s] */
    uint32_t number;
} Spark;

enum {
    OPERATIONS = 4
};

int main(int argc, char **argv)
{
    static Spark sparks[SPARKS];
    static SparkEnd ends[SPARKS];
    static const uint32_t TYPES[OPERATIONS] = {VORTON_OP_VELOCITY, VORTON_OP_ADVECT, VORTON_OP_AGE, VORTON_OP_KILL};
    const VortonStream streams[] = {
        {VORTON_POSITION, VORTON_F32X3, sizeof(Spark), offsetof(Spark, position), sparks},
        {VORTON_VELOCITY, VORTON_F32X3, sizeof(Spark), offsetof(Spark, velocity), sparks},
        {VORTON_AGE, VORTON_F32, sizeof(Spark), offsetof(Spark, age), sparks},
        {VORTON_LIFETIME, VORTON_F32, sizeof(Spark), offsetof(Spark, lifetime), sparks},
    };
    VortonParticleView view = {sizeof view, 4, SPARKS, SPARKS, streams, NULL, NULL, 0, sizeof(Spark)};
    VortonWorldId world;
    VortonOpId ops[OPERATIONS];
    if (argc != 2) {
        printf("usage: plain FILE\n");
        return EXIT_FAILURE;
    }
    spark_check(spark_world(1.0f, &world), "spark_world");
    for (int i = 0; i < OPERATIONS; ++i) {
        VortonOpDef def = vorton_default_op_def(TYPES[i]);
        def.kill_mode = VORTON_KILL_COMPACT;
        spark_check(vorton_op_create(world, &def, &ops[i]), "vorton_op_create");
    }
    for (uint32_t i = 0; i < SPARKS; ++i) {
        spark_start(i, sparks[i].position);
        sparks[i].lifetime = spark_lifetime_frames(i) * SPARK_DT;
        sparks[i].number = i;
    }

    double seconds = 0.0;
    for (uint32_t frame = 0; frame < SPARK_FRAMES; ++frame) {
        VortonOpResult result = {.struct_size = sizeof result};
        spark_check(vorton_world_step(world, SPARK_DT), "vorton_world_step");
        const double start = spark_seconds();
        spark_check(vorton_ops_run(world, ops, OPERATIONS, &view, SPARK_DT, frame, &result), "vorton_ops_run");
        seconds += spark_seconds() - start;
        view.count = view.capacity = result.count;
    }
    spark_check(vorton_world_destroy(world), "vorton_world_destroy");

    for (size_t i = 0; i < view.count; ++i) {
        SparkEnd *end = &ends[sparks[i].number];
        memcpy(end->position, sparks[i].position, sizeof end->position);
        end->is_alive = 1;
    }
    const double ms = spark_frame_ms(seconds);
    const SparkReport report = {"plain C", "VELOCITY, ADVECT, AGE, KILL", sizeof(Spark), ms, 0.0};
    spark_print(&report, ends);
    printf(": golden\n");
    FILE *file = fopen(argv[1], "wb");
    if (file == NULL || fwrite(ends, sizeof *ends, SPARKS, file) != SPARKS || fclose(file) != 0) {
        printf("FAILED: %s could not be written\n", argv[1]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
