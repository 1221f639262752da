/* During a step another thread reads the hash after the last completed step, from the second read on. Between
 * steps the hash is that of the present world, after any change: equal to that of a twin never read during
 * steps. */
#include "check.h"

#include <pthread.h>

enum { FRAMES = 24 };

typedef struct Reader {
    VortonWorldId world;
    uint64_t last; /* Hash after the last completed step. */
    bool is_first, ready;
    unsigned busy, reads;
} Reader;

static Reader reader;

static void *look(void *unused) {
    uint64_t hash = 77;
    const VortonResult result = vorton_world_hash(reader.world, &hash);
    if (reader.is_first) {
        CHECK(result == VORTON_ERR_BUSY && hash == 77);
        reader.busy += 1;
    } else {
        CHECK(result == VORTON_OK && hash == reader.last);
        reader.reads += 1;
    }
    return unused;
}

/* Called at the beginning of each stage; blocks the step until the other thread has read. */
static void zone_begin(const char *name, void *user) {
    pthread_t thread;
    (void)name;
    (void)user;
    if (!reader.ready) return;
    CHECK(pthread_create(&thread, NULL, look, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void zone_end(void *user) {
    (void)user;
}

typedef struct Twin {
    VortonWorldId world;
    VortonBodyId ball;
    VortonEmitterId emitter;
} Twin;

static void fill(Twin *twin) {
    VortonBodyDef body = vorton_default_body_def();
    VortonShapeDef shape = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    VortonEmitterDef emitter = vorton_default_emitter_def();
    add_ring(twin->world, 100);
    shape.radius = 0.2f;
    body.mass = 0.05f;
    body.position.z = 0.8f;
    OK(vorton_body_create(twin->world, &body, &twin->ball));
    OK(vorton_shape_create(twin->world, twin->ball, &shape, NULL));
    emitter.strength_spread = vec3(0.1f, 0.1f, 0.1f);
    OK(vorton_emitter_create(twin->world, &emitter, &twin->emitter));
}

/* Changes the world, differently in each frame; returns whether the hash depends on the change. */
static bool change(Twin *twin, int frame) {
    static unsigned char snapshots[2][1 << 20];
    static size_t sizes[2];
    const size_t mine = twin->world.index1 == reader.world.index1;
    VortonVorton vorton;
    VortonBodyImpulse impulse;
    VortonBodyState state;
    memset(&vorton, 0, sizeof vorton);
    vorton.strength.z = 0.01f;
    switch (frame % 8) {
    case 0: OK(vorton_vortons_add(twin->world, &vorton, 1, NULL)); return true;
    case 1: OK(vorton_body_take_impulse(twin->world, twin->ball, &impulse)); return false;
    case 2:
        OK(vorton_body_read(twin->world, twin->ball, &state));
        state.position.x += 0.01f;
        state.velocity.x += 0.1f;
        OK(vorton_body_place(twin->world, twin->ball, &state));
        return true;
    case 3: OK(vorton_world_set_wind(twin->world, vec3(0.01f * (float)frame, 0, 0))); return false;
    case 4: OK(vorton_world_save(twin->world, snapshots[mine], sizeof snapshots[mine], &sizes[mine])); return false;
    case 5: OK(vorton_body_set_temperature(twin->world, twin->ball, 300 + (float)frame)); return true;
    case 6: OK(vorton_world_restore(twin->world, snapshots[mine], sizes[mine])); return true;
    default:
        OK(vorton_world_reset(twin->world));
        fill(twin);
        return true;
    }
}

static void play(uint32_t threads) {
    VortonWorldDef def = vorton_default_world_def();
    Twin asked, plain;
    int frame;
    memset(&reader, 0, sizeof reader);
    reader.is_first = true;
    def.threads = threads;
    def.worker_count = threads == VORTON_THREADS_SERIAL ? 0 : 2;
    def.max_vortons = 2000;
    OK(vorton_world_create(&def, &plain.world));
    def.zone_begin = zone_begin;
    def.zone_end = zone_end;
    OK(vorton_world_create(&def, &asked.world));
    reader.world = asked.world;
    fill(&asked);
    fill(&plain);
    for (frame = 0; frame < FRAMES; ++frame) {
        uint64_t before;
        bool differs;
        reader.ready = true;
        STEP(vorton_world_step(asked.world, 0.01f));
        reader.ready = false;
        reader.is_first = false;
        STEP(vorton_world_step(plain.world, 0.01f));
        reader.last = before = hash_of(plain.world);
        CHECK(hash_of(asked.world) == before && hash_of(asked.world) == before);
        differs = change(&asked, frame);
        CHECK(change(&plain, frame) == differs);
        CHECK(hash_of(asked.world) == hash_of(plain.world));
        CHECK((hash_of(asked.world) != before) == differs);
        /* The next step begins with the restored or reset world. */
        if (frame % 8 == 6) reader.last = hash_of(plain.world);
        if (frame % 8 == 7) {
            OK(vorton_world_reset(asked.world));
            OK(vorton_world_reset(plain.world));
            reader.last = hash_of(plain.world);
            CHECK(hash_of(asked.world) == reader.last);
            fill(&asked);
            fill(&plain);
        }
    }
    CHECK(reader.busy >= 5 && reader.reads > 5 * (FRAMES - 1));
    OK(vorton_world_destroy(asked.world));
    OK(vorton_world_destroy(plain.world));
}

int main(void) {
    play(VORTON_THREADS_SERIAL);
    play(VORTON_THREADS_POOL);
    printf("hashes have been read during steps\n");
    return 0;
}
