/* A set that is readable during steps returns during a step the tracers from before it, on any number of
 * threads, copied out or in place; any other set is busy. Acquired rows stay unchanged after any change of
 * the set. */
#include "check.h"

#include <math.h>
#include <pthread.h>

enum { COUNT = 20000, FRAMES = 40 };

typedef struct Rows {
    VortonVec3 positions[COUNT];
    uint32_t ids[COUNT], tags[COUNT];
    float ages[COUNT], values[COUNT];
    size_t count;
} Rows;

typedef struct Reader {
    VortonWorldId world;
    VortonTracersId shown, hidden;
    const Rows *before;
    unsigned reads;
    /* Rows held, and their contents when acquired. */
    VortonTracerRows held;
    Rows was;
    bool ready;
} Reader;

static Rows before, during, after;

static VortonResult read_rows(VortonWorldId world, VortonTracersId set, Rows *rows) {
    return vorton_tracers_read(world, set, &rows->positions[0].x, sizeof rows->positions[0], rows->ids, rows->tags,
                               rows->ages, rows->values, COUNT, &rows->count);
}

/* Copies the rows readable in place. */
static void copy(const VortonTracerRows *from, Rows *rows) {
    CHECK(from->struct_size == sizeof *from && from->count <= COUNT);
    rows->count = from->count;
    if (from->count == 0) return;
    memcpy(rows->positions, from->positions, from->count * sizeof rows->positions[0]);
    memcpy(rows->ids, from->ids, from->count * sizeof rows->ids[0]);
    memcpy(rows->tags, from->tags, from->count * sizeof rows->tags[0]);
    memcpy(rows->ages, from->ages, from->count * sizeof rows->ages[0]);
    memcpy(rows->values, from->values, from->count * sizeof rows->values[0]);
}

static bool same(const Rows *a, const Rows *b) {
    const size_t n = a->count;
    return n == b->count && memcmp(a->positions, b->positions, n * sizeof a->positions[0]) == 0 &&
           memcmp(a->ids, b->ids, n * sizeof a->ids[0]) == 0 && memcmp(a->tags, b->tags, n * sizeof a->tags[0]) == 0 &&
           memcmp(a->ages, b->ages, n * sizeof a->ages[0]) == 0 &&
           memcmp(a->values, b->values, n * sizeof a->values[0]) == 0;
}

/* The reads of another thread during a step. */
static void *look(void *user) {
    Reader *reader = (Reader *)user;
    VortonTracerRows rows;
    size_t count = 77;
    CHECK(vorton_tracers_is_valid(reader->world, reader->hidden) && vorton_tracers_is_valid(reader->world, reader->shown));
    CHECK(read_rows(reader->world, reader->hidden, &during) == VORTON_ERR_BUSY);
    OK(read_rows(reader->world, reader->shown, &during));
    CHECK(same(&during, reader->before));
    CHECK(vorton_tracers_read(reader->world, reader->shown, NULL, 0, during.ids, NULL, NULL, NULL, 1, &count) ==
          (reader->before->count > 1 ? VORTON_ERR_BUFFER_SMALL : VORTON_OK));
    CHECK(count == reader->before->count);
    CHECK(vorton_tracers_acquire(reader->world, reader->hidden, &rows, sizeof rows) == VORTON_ERR_BUSY);
    OK(vorton_tracers_acquire(reader->world, reader->shown, &rows, sizeof rows));
    copy(&rows, &during);
    CHECK(same(&during, reader->before));
    OK(vorton_tracers_release(reader->world, rows.lease));
    CHECK(vorton_tracers_release(reader->world, rows.lease) == VORTON_ERR_STALE_ID);
    copy(&reader->held, &during);
    CHECK(same(&during, &reader->was));
    /* Some rows are held over several steps. */
    if (reader->reads % 37 == 0) {
        OK(vorton_tracers_release(reader->world, reader->held.lease));
        OK(vorton_tracers_acquire(reader->world, reader->shown, &reader->held, sizeof reader->held));
        copy(&reader->held, &reader->was);
    }
    reader->reads += 1;
    return NULL;
}

/* Called at the beginning of each stage; blocks the step until the other thread has read. */
static void zone_begin(const char *name, void *user) {
    Reader *reader = (Reader *)user;
    pthread_t thread;
    (void)name;
    if (!reader->ready) return;
    CHECK(pthread_create(&thread, NULL, look, reader) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void zone_end(void *user) {
    (void)user;
}

static VortonTracersId create_set(VortonWorldId world, uint32_t readable) {
    VortonTracersDef def = vorton_default_tracers_def(), now;
    VortonTracersId set;
    def.capacity = COUNT;
    def.show = VORTON_SAMPLE_DYE;
    def.max_age = 0.4f;
    def.readable_during_steps = readable;
    OK(vorton_tracers_create(world, &def, &set));
    OK(vorton_tracers_def(world, set, &now, sizeof now));
    CHECK(now.readable_during_steps == readable);
    return set;
}

/* More tracers in each frame; the oldest expire. */
static void add_some(VortonWorldId world, VortonTracersId set, uint32_t frame) {
    enum { SOME = 700 };
    static VortonVec3 places[SOME];
    static uint32_t tags[SOME];
    uint32_t i;
    for (i = 0; i < SOME; ++i) {
        const float turn = (float)(i + 31 * frame);
        places[i] = vec3(sinf(turn), cosf(1.3f * turn), 0.4f * sinf(0.7f * turn));
        tags[i] = frame;
    }
    OK(vorton_tracers_add(world, set, places, tags, NULL, SOME));
}

static uint64_t play(uint32_t threads, uint32_t readable, size_t *out_most) {
    VortonWorldDef def = vorton_default_world_def();
    static Reader reader;
    VortonTracerRows refused = {0};
    void *snapshot = NULL;
    size_t size = 0;
    uint64_t hash;
    uint32_t frame;
    memset(&reader, 0, sizeof reader);
    def.threads = threads;
    def.worker_count = 3;
    def.zone_begin = readable != 0 ? zone_begin : NULL;
    def.zone_end = readable != 0 ? zone_end : NULL;
    def.zone_user = readable != 0 ? &reader : NULL;
    OK(vorton_world_create(&def, &reader.world));
    add_ring(reader.world, 200);
    reader.shown = create_set(reader.world, readable);
    reader.hidden = create_set(reader.world, 0);
    add_some(reader.world, reader.hidden, 0);
    CHECK(vorton_tracers_acquire(reader.world, reader.hidden, &refused, sizeof refused) == VORTON_ERR_BAD_VALUE);
    CHECK(refused.struct_size == 0);
    if (readable != 0) {
        CHECK(vorton_tracers_acquire(reader.world, reader.shown, &refused, 3) == VORTON_ERR_STRUCT_SIZE);
        CHECK(vorton_tracers_acquire(reader.world, reader.shown, NULL, sizeof refused) == VORTON_ERR_NULL);
        OK(vorton_tracers_acquire(reader.world, reader.shown, &reader.held, sizeof reader.held));
        CHECK(reader.held.count == 0);
    }
    reader.before = &before;
    before.count = 0; /* Nothing has been stepped yet. */
    *out_most = 0;
    for (frame = 0; frame < FRAMES; ++frame) {
        reader.ready = readable != 0;
        STEP(frame % 3 == 0 ? vorton_world_advance(reader.world, 0.03f, 0.2f, 4, NULL)
                            : vorton_world_step(reader.world, 0.01f + 0.001f * (float)frame));
        reader.ready = false;
        OK(read_rows(reader.world, reader.shown, &before));
        /* Tracers added now are read at once, but not during the next step. */
        add_some(reader.world, reader.shown, frame);
        OK(read_rows(reader.world, reader.shown, &after));
        CHECK(after.count > before.count);
        if (after.count > *out_most) *out_most = after.count;
        if (frame == 20) {
            CHECK(vorton_world_save(reader.world, NULL, 0, &size) == VORTON_OK);
            snapshot = malloc(size);
            CHECK(snapshot != NULL);
            OK(vorton_world_save(reader.world, snapshot, size, &size));
        }
        if (frame == 30) {
            /* During the next step, the restored tracers are read until it has ended. */
            OK(vorton_world_restore(reader.world, snapshot, size));
            OK(read_rows(reader.world, reader.shown, &before));
        }
    }
    CHECK(readable == 0 || reader.reads > 2 * FRAMES);
    OK(vorton_world_hash_all(reader.world, &hash));
    OK(vorton_tracers_destroy(reader.world, reader.shown));
    CHECK(read_rows(reader.world, reader.shown, &after) == VORTON_ERR_STALE_ID);
    if (readable != 0) {
        copy(&reader.held, &during);
        CHECK(same(&during, &reader.was));
        CHECK(vorton_tracers_acquire(reader.world, reader.shown, &refused, sizeof refused) == VORTON_ERR_STALE_ID);
        OK(vorton_tracers_release(reader.world, reader.held.lease));
    }
    OK(vorton_world_destroy(reader.world));
    free(snapshot);
    return hash;
}

int main(void) {
    size_t most;
    const uint64_t shown = play(VORTON_THREADS_SERIAL, 1, &most);
    CHECK(most > 5000);
    CHECK(play(VORTON_THREADS_POOL, 1, &most) == shown);
    (void)play(VORTON_THREADS_SERIAL, 0, &most);
    printf("tracers have been read during steps\n");
    return 0;
}
