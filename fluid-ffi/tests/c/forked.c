/* A world with a pool continues in a child process after fork(): serially, with the bits of the parent, and
   can be destroyed. */
#define _POSIX_C_SOURCE 200112L
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { VORTONS = 3000, FRAMES = 3 };

static VortonWorldId pool_with_a_ring(void) {
    const VortonWorldId world = make_world(VORTON_THREADS_POOL, 3, VORTONS);
    add_ring(world, VORTONS);
    return world;
}

static uint64_t play(VortonWorldId world) {
    unsigned i;
    for (i = 0; i < FRAMES; ++i) CHECK(vorton_world_step(world, 0.001f) >= 0);
    return hash_of(world);
}

/* The child process; a hang is ended by the alarm, which the parent detects. */
static void child(VortonWorldId world, int out) {
    uint64_t hash;
    VortonWorldId own;
    VortonStats stats;
    float point[3 * 300], velocity[3 * 300];
    unsigned i;
    (void)alarm(60);
    hash = play(world);
    for (i = 0; i < 3 * 300; ++i) point[i] = random_unit(i);
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, point, 12, velocity, 12, 300));
    stats.struct_size = sizeof stats;
    OK(vorton_world_stats(world, &stats));
    CHECK(stats.workers == 1);
    OK(vorton_world_destroy(world));
    /* A new pool of the child works. */
    own = pool_with_a_ring();
    (void)play(own);
    OK(vorton_world_stats(own, &stats));
    CHECK(stats.workers == 3);
    OK(vorton_world_destroy(own));
    CHECK(write(out, &hash, sizeof hash) == (ssize_t)sizeof hash);
    _exit(0);
}

int main(void) {
    const VortonWorldId world = pool_with_a_ring();
    int ends[2], status = 0;
    uint64_t mine, childs = 0;
    pid_t process;
    (void)play(world);
    CHECK(pipe(ends) == 0);
    process = fork();
    CHECK(process >= 0);
    if (process == 0) child(world, ends[1]);
    mine = play(world);
    CHECK(waitpid(process, &status, 0) == process);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(read(ends[0], &childs, sizeof childs) == (ssize_t)sizeof childs);
    CHECK(childs == mine);
    OK(vorton_world_destroy(world));
    printf("the child went on with the parent's bits\n");
    return 0;
}
