/* Loads the plugin, runs it on two threads, unloads it, and does so again. This program also contains vorton
 * and another Rust library. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>

int32_t other_library_pick(size_t index);
size_t other_library_count_panics(void);
uint64_t plugin_run(uint32_t threads);

typedef uint64_t (*PluginRun)(uint32_t);

typedef struct Call {
    PluginRun run;
    uint64_t hash;
    pthread_barrier_t *unloaded;
} Call;

/* The thread ends after the plugin was unloaded: its thread-local values are destroyed then. */
static void *run_on_thread(void *user) {
    Call *call = (Call *)user;
    call->hash = call->run(VORTON_THREADS_POOL);
    (void)pthread_barrier_wait(call->unloaded);
    (void)pthread_barrier_wait(call->unloaded);
    return NULL;
}

static uint64_t load_and_run(const char *path) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    pthread_barrier_t unloaded;
    pthread_t thread;
    uint64_t hash;
    Call call;
    void *symbol;
    if (plugin == NULL) printf("%s\n", dlerror());
    CHECK(plugin != NULL);
    symbol = dlsym(plugin, "plugin_run");
    CHECK(symbol != NULL);
    memcpy(&call.run, &symbol, sizeof symbol);
    call.hash = 0;
    call.unloaded = &unloaded;
    CHECK(pthread_barrier_init(&unloaded, NULL, 2) == 0);
    CHECK(pthread_create(&thread, NULL, run_on_thread, &call) == 0);
    hash = call.run(VORTON_THREADS_SERIAL);
    (void)pthread_barrier_wait(&unloaded);
    CHECK(dlclose(plugin) == 0);
    (void)pthread_barrier_wait(&unloaded);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(call.hash == hash);
    return hash;
}

int main(int count, char **arguments) {
    const uint64_t own = plugin_run(VORTON_THREADS_SERIAL);
    CHECK(count == 2);
    CHECK(other_library_count_panics() == 0);
    CHECK(other_library_pick(3) == -1);
    CHECK(load_and_run(arguments[1]) == own);
    CHECK(other_library_pick(2) == 3 && other_library_count_panics() == 1);
    CHECK(load_and_run(arguments[1]) == own);
    CHECK(plugin_run(VORTON_THREADS_POOL) == own);
    printf("plugin and host agree\n");
    return 0;
}
