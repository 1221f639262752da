/*
 * Plays a recording of vorton.js: each line of the standard input is a call of the C interface, in the words
 * of studio/vorton.js, with fields by name. Prints both hashes after each line "hash", and the time per step
 * at the end.
 */
#include <vorton.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Field {
    const char *owner, *name;
    size_t offset, size;
    char numbers;
} Field;

/* Offsets of fields: the layout maintained by the library's tests. */
#define FLOATS 'f'
#define DOUBLES 'd'
#define OTHER 'u'
#define STRUCT(name, size, alignment)
#define FIELD(owner, name, offset, size, numbers) {#owner, #name, offset, size, numbers},
static const Field fields[] = {
#include "layout.inc"
};

enum { MOST = 16 };
static VortonWorldId world;
static VortonTracersId sets[MOST];
static VortonBodyId bodies[MOST];
static VortonEmitterId emitters[MOST];
static unsigned set_count, body_count, emitter_count, steps;
static uint32_t instructions;
static double seconds;

static void fail(const char *what) {
    char text[512];
    vorton_last_error(text, sizeof text);
    fprintf(stderr, "native: %s: %s\n", what, text);
    exit(1);
}

static void ok(VortonResult result, const char *call) {
    if (result < 0) fail(call);
}
#define OK(call) ok(call, #call)

/* Returns the next word of the line, by strtok. */
static const char *word(void) {
    const char *next = strtok(NULL, " \n");
    if (!next) fail("a line is too short");
    return next;
}

static uint32_t whole(void) { return (uint32_t)strtoul(word(), NULL, 10); }
static float real(void) { return (float)strtod(word(), NULL); }

static VortonVec3 vector(void) {
    VortonVec3 v;
    v.x = real(), v.y = real(), v.z = real();
    return v;
}

static const Field *find(const char *owner, const char *name, size_t length) {
    size_t i;
    for (i = 0; i < sizeof fields / sizeof *fields; ++i) {
        if (!strcmp(fields[i].owner, owner) && !strncmp(fields[i].name, name, length) && !fields[i].name[length]) return &fields[i];
    }
    fail(name);
    return NULL;
}

/* Parses one number of a field; returns its size. */
static size_t write_number(char *to, const Field *field, const char *text, char **end) {
    const float single = (float)strtod(text, end);
    const uint64_t number = strtoull(text, field->numbers == FLOATS ? NULL : end, 10);
    const uint32_t half = (uint32_t)number;
    if (field->numbers == FLOATS) return memcpy(to, &single, sizeof single), sizeof single;
    if (field->numbers == DOUBLES) fail(field->name);
    if (field->size == sizeof number) return memcpy(to, &number, sizeof number), sizeof number;
    return memcpy(to, &half, sizeof half), sizeof half;
}

/* Parses name=value, or name=value,value and so on, for all remaining words. */
static void set_fields(const char *owner, void *base) {
    char *next;
    while ((next = strtok(NULL, " \n"))) {
        char *equals = strchr(next, '=');
        const Field *field = equals ? find(owner, next, (size_t)(equals - next)) : NULL;
        size_t written = 0;
        if (!field) fail(next);
        for (next = equals; *next && written < field->size; ) written += write_number((char *)base + field->offset + written, field, next + 1, &next);
        if (written != field->size || *next) fail(field->name);
    }
}

static void create_world(void) {
    VortonWorldDef def = vorton_default_world_def();
    set_fields("VortonWorldDef", &def);
    def.instructions = instructions;
    set_count = body_count = emitter_count = steps = 0;
    seconds = 0;
    OK(vorton_world_create(&def, &world));
}

static void add_initial(void) {
    VortonInitialDef def = vorton_default_initial_def(whole());
    set_fields("VortonInitialDef", &def);
    OK(vorton_world_add_initial(world, &def, NULL, NULL));
}

static void create_tracers(void) {
    VortonTracersDef def = vorton_default_tracers_def();
    set_fields("VortonTracersDef", &def);
    if (set_count == MOST) fail("too many sets");
    OK(vorton_tracers_create(world, &def, &sets[set_count++]));
}

static void add_tracers(void) {
    const uint32_t set = whole(), tag = whole(), count = whole();
    VortonVec3 *positions = malloc((count + 1) * sizeof *positions);
    uint32_t *tags = malloc((count + 1) * sizeof *tags), i;
    for (i = 0; i < count; ++i) positions[i] = vector(), tags[i] = tag;
    OK(vorton_tracers_add(world, sets[set], positions, tags, NULL, count));
    free(positions);
    free(tags);
}

static void add_implied(void) {
    const uint32_t set = whole();
    VortonImpliedDef def = vorton_default_implied_def();
    set_fields("VortonImpliedDef", &def);
    OK(vorton_tracers_add_implied(world, sets[set], &def, NULL));
}

static void create_emitter(void) {
    const long set = strtol(word(), NULL, 10), body = strtol(word(), NULL, 10);
    VortonEmitterDef def = vorton_default_emitter_def();
    set_fields("VortonEmitterDef", &def);
    if (set >= 0) def.tracers = sets[set];
    if (body >= 0) def.body = bodies[body];
    if (emitter_count == MOST) fail("too many emitters");
    OK(vorton_emitter_create(world, &def, &emitters[emitter_count++]));
}

/* The numbers of its tracer set and body follow its own: -1 is none, "same" keeps the present one. */
static void update_emitter(void) {
    static const VortonTracersId none;
    static const VortonBodyId world_itself;
    const VortonEmitterId emitter = emitters[whole()];
    const char *set = word(), *body = word();
    VortonEmitterDef def;
    OK(vorton_emitter_def(world, emitter, &def, sizeof def));
    set_fields("VortonEmitterDef", &def);
    if (strcmp(set, "same")) def.tracers = *set == '-' ? none : sets[strtol(set, NULL, 10)];
    if (strcmp(body, "same")) def.body = *body == '-' ? world_itself : bodies[strtol(body, NULL, 10)];
    OK(vorton_emitter_update(world, emitter, &def));
}

static void move_emitter(void) {
    const uint32_t emitter = whole();
    const VortonVec3 position = vector(), turned = vector();
    VortonQuat rotation;
    rotation.x = turned.x, rotation.y = turned.y, rotation.z = turned.z, rotation.w = real();
    OK(vorton_emitter_set_pose(world, emitters[emitter], position, rotation));
}

static void set_emitter_rate(void) {
    const uint32_t emitter = whole();
    OK(vorton_emitter_set_rate(world, emitters[emitter], real()));
}

static void burst_emitter(void) {
    const uint32_t emitter = whole();
    OK(vorton_emitter_burst(world, emitters[emitter], whole()));
}

static void destroy_emitter(void) { OK(vorton_emitter_destroy(world, emitters[whole()])); }

static void create_body(void) {
    VortonBodyDef def = vorton_default_body_def();
    set_fields("VortonBodyDef", &def);
    if (body_count == MOST) fail("too many bodies");
    OK(vorton_body_create(world, &def, &bodies[body_count++]));
}

static void create_shape(void) {
    const uint32_t body = whole();
    VortonShapeDef def = vorton_default_shape_def(whole());
    set_fields("VortonShapeDef", &def);
    OK(vorton_shape_create(world, bodies[body], &def, NULL));
}

static void surround(void) {
    VortonSurroundDef def = vorton_default_surround_def();
    set_fields("VortonSurroundDef", &def);
    OK(vorton_bodies_surround(world, &def, NULL, NULL));
}

static void set_state(void) {
    const uint32_t body = whole();
    VortonBodyState state;
    memset(&state, 0, sizeof state);
    set_fields("VortonBodyState", &state);
    OK(vorton_body_set_state(world, bodies[body], &state));
}

static void take_impulse(void) {
    VortonBodyImpulse impulse;
    OK(vorton_body_take_impulse(world, bodies[whole()], &impulse));
}

static void step(void) {
    const float dt = real();
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    OK(vorton_world_step(world, dt));
    clock_gettime(CLOCK_MONOTONIC, &to);
    seconds += (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    steps += 1;
}

static void advance(void) {
    const float dt = real(), max_stretch = real();
    OK(vorton_world_advance(world, dt, max_stretch, whole(), NULL));
}

static void set_diffusion(void) {
    const float viscosity = real(), diffusivity = real();
    OK(vorton_world_set_diffusion(world, viscosity, diffusivity));
}

static void set_gravity(void) { OK(vorton_world_set_gravity(world, vector())); }
static void set_wind(void) { OK(vorton_world_set_wind(world, vector())); }
static void remove_embedded(void) { OK(vorton_world_remove_embedded(world, real(), NULL, NULL)); }

static void hash(void) {
    uint64_t fluid = 0, all = 0;
    OK(vorton_world_hash(world, &fluid));
    OK(vorton_world_hash_all(world, &all));
    printf("hash %016llx %016llx\n", (unsigned long long)fluid, (unsigned long long)all);
}

static void destroy(void) {
    OK(vorton_world_destroy(world));
    printf("steps %u ms %.4f\n", steps, steps ? 1e3 * seconds / steps : 0.0);
}

static const struct { const char *name; void (*play)(void); } commands[] = {
    {"world", create_world}, {"initial", add_initial}, {"tracers", create_tracers}, {"add", add_tracers}, {"implied", add_implied},
    {"emitter", create_emitter}, {"emitter_update", update_emitter}, {"emitter_pose", move_emitter}, {"emitter_rate", set_emitter_rate},
    {"emitter_burst", burst_emitter}, {"emitter_destroy", destroy_emitter},
    {"body", create_body}, {"shape", create_shape}, {"surround", surround}, {"state", set_state}, {"take", take_impulse},
    {"step", step}, {"advance", advance}, {"gravity", set_gravity}, {"wind", set_wind}, {"diffusion", set_diffusion},
    {"embedded", remove_embedded}, {"hash", hash}, {"destroy", destroy},
};

static void play(char *line) {
    const char *name = strtok(line, " \n");
    size_t i;
    for (i = 0; i < sizeof commands / sizeof *commands; ++i) {
        if (name && !strcmp(name, commands[i].name)) {
            commands[i].play();
            return;
        }
    }
    fail(name ? name : "an empty line");
}

int main(int argc, char **argv) {
    char *line = NULL;
    size_t capacity = 0;
    OK(vorton_check_abi(VORTON_ABI_VERSION, VORTON_HEADER_VERSION));
    if (argc > 1 && !strcmp(argv[1], "portable")) instructions = VORTON_INSTRUCTIONS_PORTABLE;
    printf("build %s\n", vorton_build_info());
    while (getline(&line, &capacity, stdin) > 0) play(line);
    free(line);
    return 0;
}
