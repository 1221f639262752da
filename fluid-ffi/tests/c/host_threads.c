/*
 * Worlds on a host's job system that runs tasks inline, on waiting, after the world is destroyed, never, or
 * on eight threads in random order: the same bits as on one thread. Worlds on a shared pool, with callbacks
 * for its threads.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <fenv.h>
#include <pthread.h>

enum { STEPS = 12, TRACERS = 3000, POINTS = 3000, WORKERS = 8, MOST_TASKS = 1 << 16, WORLDS = 4 };

typedef enum Manner { INLINE, IN_FINISH, TOO_LATE, NEVER, THREADS } Manner;

typedef struct Job {
    VortonTaskFn task;
    void *context;
    int is_taken, is_done;
} Job;

/* The host's job system. */
typedef struct Host {
    Manner manner;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    Job jobs[MOST_TASKS];
    unsigned count, taken, finished, refused;
    int ends;
} Host;

static Host host;

static void run(Job *job) {
    job->task(job->context);
    (void)pthread_mutex_lock(&host.lock);
    job->is_done = 1;
    (void)pthread_cond_broadcast(&host.changed);
    (void)pthread_mutex_unlock(&host.lock);
}

/* A world with its statistics read during its steps, and the number of reads. */
static VortonWorldId watched;
static unsigned reads;

static void *watch(VortonTaskFn task, void *context, void *user) {
    VortonStats stats;
    uint64_t hash;
    stats.struct_size = sizeof stats;
    (void)task;
    (void)context;
    CHECK(user == &reads);
    /* Nothing to read before the first step; then statistics and hash after the last one. */
    if (reads == 0) {
        CHECK(vorton_world_stats(watched, &stats) == VORTON_ERR_BUSY);
    } else {
        OK(vorton_world_stats(watched, &stats));
        CHECK(stats.steps == reads && stats.vortons == 100 && stats.workers == 2);
    }
    /* A callback may run host jobs, which expect their own rounding mode. */
    CHECK(fegetround() == FE_TOWARDZERO);
    CHECK(vorton_world_hash(watched, &hash) == (reads == 0 ? VORTON_ERR_BUSY : VORTON_OK));
    CHECK(vorton_world_step(watched, 0.1f) == VORTON_ERR_BUSY);
    reads += 1;
    return NULL;
}

static void *enqueue(VortonTaskFn task, void *context, void *user) {
    Job *job;
    CHECK(user == &host && task != NULL);
    if (host.manner == INLINE) {
        task(context);
        return NULL;
    }
    (void)pthread_mutex_lock(&host.lock);
    CHECK(host.count < MOST_TASKS);
    job = &host.jobs[host.count++];
    job->task = task;
    job->context = context;
    (void)pthread_cond_broadcast(&host.changed);
    (void)pthread_mutex_unlock(&host.lock);
    /* Some tasks need no finish. */
    if (host.manner == TOO_LATE || (host.manner == THREADS && host.count % 5 == 0)) {
        return NULL;
    }
    return job;
}

static void finish(void *handle, void *user) {
    Job *job = handle;
    int mine;
    CHECK(user == &host);
    if (host.manner == NEVER) return;
    (void)pthread_mutex_lock(&host.lock);
    host.finished += 1;
    mine = !job->is_taken;
    if (mine) {
        /* Tasks that have not begun are refused or run here, alternately. */
        job->is_taken = 1;
        host.taken += 1;
        if (host.manner == THREADS && host.finished % 2 == 0) {
            host.refused += 1;
            mine = 0;
            job->is_done = 1;
        }
    }
    (void)pthread_mutex_unlock(&host.lock);
    if (mine) run(job);
    (void)pthread_mutex_lock(&host.lock);
    while (!job->is_done) (void)pthread_cond_wait(&host.changed, &host.lock);
    (void)pthread_mutex_unlock(&host.lock);
}

/* A host thread takes any of the waiting jobs. */
static void *work(void *number) {
    uint32_t n = *(uint32_t *)number * 1000003u;
    (void)pthread_mutex_lock(&host.lock);
    for (;;) {
        unsigned i, first;
        Job *job = NULL;
        while (host.taken == host.count && !host.ends) (void)pthread_cond_wait(&host.changed, &host.lock);
        if (host.taken == host.count) break;
        first = (unsigned)(random_unit(n++) * (float)host.count);
        for (i = 0; i < host.count && job == NULL; ++i) {
            Job *other = &host.jobs[(first + i) % host.count];
            if (!other->is_taken) job = other;
        }
        CHECK(job != NULL);
        job->is_taken = 1;
        host.taken += 1;
        (void)pthread_mutex_unlock(&host.lock);
        run(job);
        (void)pthread_mutex_lock(&host.lock);
    }
    (void)pthread_mutex_unlock(&host.lock);
    return NULL;
}

typedef struct Outcome {
    uint64_t hash;
    float tracers[TRACERS][3], velocities[POINTS][3];
} Outcome;

/* The results for a ring, a drop, a ball, tracers and samples with this many workers. */
static void play(VortonWorldDef def, Outcome *out) {
    static VortonVec3 seeds[TRACERS];
    static float points[POINTS][3];
    VortonInitialDef noise = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    VortonTracersDef tracers_def = vorton_default_tracers_def();
    VortonBodyDef body_def = vorton_default_body_def();
    VortonShapeDef shape_def = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonTracersId tracers;
    VortonBodyId body;
    VortonWorldId world;
    size_t count = 0;
    unsigned i, k;
    memset(out, 0, sizeof *out);
    for (i = 0; i < TRACERS; ++i) {
        VortonVec3 seed = vec3(2 * random_unit(3 * i) - 1, 2 * random_unit(3 * i + 1) - 1, random_unit(3 * i + 2));
        if (seeds[i].x == 0) seeds[i] = seed;
        for (k = 0; k < 3; ++k) {
            if (points[i][k] == 0) points[i][k] = 3 * random_unit(7 * i + k) - 1.5f;
        }
    }
    def.gravity = vec3(0, 0, -10);
    def.viscosity = 1e-3f;
    def.max_vortons = 4000;
    noise.amplitude = 3;
    noise.spacing = 0.15f;
    noise.seed = 3;
    tracers_def.capacity = TRACERS;
    shape_def.radius = 0.25f;
    body_def.velocity = vec3(0.5f, 0, 0.1f);
    OK(vorton_world_create(&def, &world));
    add_ring(world, 500);
    OK(vorton_world_add_initial(world, &noise, NULL, NULL));
    OK(vorton_body_create(world, &body_def, &body));
    OK(vorton_shape_create(world, body, &shape_def, NULL));
    OK(vorton_world_remove_embedded(world, 0.01f, NULL, NULL));
    OK(vorton_tracers_create(world, &tracers_def, &tracers));
    OK(vorton_tracers_add(world, tracers, seeds, NULL, NULL, TRACERS));
    for (i = 0; i < STEPS; ++i) STEP(vorton_world_step(world, 0.01f));
    out->hash = hash_of(world);
    OK(vorton_tracers_read(world, tracers, out->tracers[0], 12, NULL, NULL, NULL, NULL, TRACERS, &count));
    OK(vorton_world_sample(world, VORTON_SAMPLE_VELOCITY, points[0], 12, out->velocities[0], 12, POINTS));
    OK(vorton_world_destroy(world));
}

static VortonWorldDef on_host(Manner manner) {
    VortonWorldDef def = vorton_default_world_def();
    memset(&host.jobs, 0, sizeof host.jobs);
    host.manner = manner;
    host.count = host.taken = host.finished = host.refused = 0;
    host.ends = 0;
    def.threads = VORTON_THREADS_HOST;
    def.worker_count = WORKERS;
    def.enqueue_task = enqueue;
    def.finish_task = finish;
    def.task_user = &host;
    return def;
}

static Outcome alone, other, others[WORLDS];

static void *play_on_threads(void *outcome) {
    VortonWorldDef def = vorton_default_world_def();
    def.threads = VORTON_THREADS_HOST;
    def.worker_count = WORKERS;
    def.enqueue_task = enqueue;
    def.finish_task = finish;
    def.task_user = &host;
    play(def, outcome);
    return NULL;
}

static void hosts_of_all_manners(void) {
    static const Manner manners[] = {INLINE, IN_FINISH, TOO_LATE, NEVER};
    static uint32_t numbers[WORKERS];
    pthread_t threads[WORKERS], players[WORLDS];
    unsigned i;
    for (i = 0; i < sizeof manners / sizeof manners[0]; ++i) {
        play(on_host(manners[i]), &other);
        CHECK(memcmp(&alone, &other, sizeof alone) == 0);
        CHECK(manners[i] == INLINE || host.count >= STEPS * (WORKERS - 1));
        if (manners[i] == TOO_LATE) {
            unsigned k;
            for (k = 0; k < host.count; ++k) host.jobs[k].task(host.jobs[k].context);
        }
    }
    /* One world on threads, then four at a time on the same threads. */
    (void)on_host(THREADS);
    for (i = 0; i < WORKERS; ++i) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    }
    (void)play_on_threads(&other);
    CHECK(memcmp(&alone, &other, sizeof alone) == 0);
    for (i = 0; i < WORLDS; ++i) CHECK(pthread_create(&players[i], NULL, play_on_threads, &others[i]) == 0);
    for (i = 0; i < WORLDS; ++i) {
        CHECK(pthread_join(players[i], NULL) == 0);
        CHECK(memcmp(&alone, &others[i], sizeof alone) == 0);
    }
    (void)pthread_mutex_lock(&host.lock);
    host.ends = 1;
    (void)pthread_cond_broadcast(&host.changed);
    (void)pthread_mutex_unlock(&host.lock);
    for (i = 0; i < WORKERS; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    printf("%u tasks on threads, %u of them refused\n", host.count, host.refused);
}

static unsigned started, stopped, busy;

static void thread_start(uint32_t worker, void *user) {
    VortonWorldDef def;
    CHECK(worker < 2 && user == &started);
    if (vorton_world_def_init(&def, sizeof def) == VORTON_ERR_BUSY) (void)__atomic_add_fetch(&busy, 1u, __ATOMIC_SEQ_CST);
    (void)__atomic_add_fetch(&started, 1u, __ATOMIC_SEQ_CST);
}

static void thread_stop(uint32_t worker, void *user) {
    CHECK(worker < 2 && user == &started);
    (void)__atomic_add_fetch(&stopped, 1u, __ATOMIC_SEQ_CST);
}

static void pools_of_one_world_and_of_several(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId first, second;
    def.worker_count = 3;
    def.thread_start = thread_start;
    def.thread_stop = thread_stop;
    def.thread_user = &started;
    def.threads = VORTON_THREADS_POOL;
    play(def, &other);
    CHECK(memcmp(&alone, &other, sizeof alone) == 0);
    /* The calling thread is the third. */
    CHECK(started == 2 && stopped == 2 && busy == 2);

    def.threads = VORTON_THREADS_SHARED_POOL;
    play(def, &other);
    CHECK(memcmp(&alone, &other, sizeof alone) == 0);
    CHECK(started == 4 && stopped == 4);
    OK(vorton_world_create(&def, &first));
    OK(vorton_world_create(&def, &second));
    play(def, &other);
    CHECK(memcmp(&alone, &other, sizeof alone) == 0);
    OK(vorton_world_destroy(first));
    CHECK(stopped == 4);
    STEP(vorton_world_step(second, 0.01f));
    OK(vorton_world_destroy(second));
    CHECK(started == 6 && stopped == 6);
}

static void what_is_missing_is_named(void) {
    VortonWorldDef def = vorton_default_world_def();
    VortonWorldId world;
    char text[200];
    def.threads = VORTON_THREADS_HOST;
    def.enqueue_task = enqueue;
    CHECK(vorton_world_create(&def, &world) == VORTON_ERR_NULL);
    (void)vorton_last_error(text, sizeof text);
    CHECK(strstr(text, "finish_task") != NULL);
    def.enqueue_task = NULL;
    def.finish_task = finish;
    CHECK(vorton_world_create(&def, &world) == VORTON_ERR_NULL);
    def.threads = 4;
    CHECK(vorton_world_create(&def, &world) == VORTON_ERR_BAD_VALUE);
}

static void statistics_are_there_during_a_step(void) {
    VortonWorldDef def = vorton_default_world_def();
    unsigned i;
    def.threads = VORTON_THREADS_HOST;
    def.worker_count = 2;
    def.enqueue_task = watch;
    def.finish_task = finish;
    def.task_user = &reads;
    OK(vorton_world_create(&def, &watched));
    add_ring(watched, 100);
    CHECK(reads == 0);
    CHECK(fesetround(FE_TOWARDZERO) == 0);
    for (i = 0; i < 5; ++i) STEP(vorton_world_step(watched, 0.01f));
    CHECK(reads == 5 && fegetround() == FE_TOWARDZERO);
    CHECK(fesetround(FE_TONEAREST) == 0);
    OK(vorton_world_destroy(watched));
}

int main(void) {
    CHECK(pthread_mutex_init(&host.lock, NULL) == 0 && pthread_cond_init(&host.changed, NULL) == 0);
    play(vorton_default_world_def(), &alone);
    hosts_of_all_manners();
    pools_of_one_world_and_of_several();
    what_is_missing_is_named();
    statistics_are_there_during_a_step();
    printf("the same bits in all\n");
    return 0;
}
