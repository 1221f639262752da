/* Loads each plugin, runs it on two threads, unloads it, and does so again. ../plugin.c is the plugin, with
 * the library's archive inside or linked to vorton.dll. */
#include <windows.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__LINE__, #condition))

typedef uint64_t (*PluginRun)(uint32_t);

typedef struct Call {
    PluginRun run;
    uint64_t hash;
    HANDLE done, unloaded;
} Call;

static void check_failed(int line, const char *condition) {
    printf("%s:%d: does not hold: %s (error %lu)\n", __FILE__, line, condition, GetLastError());
    exit(1);
}

/* The thread ends after the plugin was unloaded: the library's values of this thread are still there. */
static DWORD WINAPI run_on_thread(void *user) {
    Call *call = (Call *)user;
    call->hash = call->run(1);
    CHECK(SetEvent(call->done));
    CHECK(WaitForSingleObject(call->unloaded, INFINITE) == WAIT_OBJECT_0);
    return 0;
}

static uint64_t load_and_run(const char *path) {
    const HMODULE plugin = LoadLibraryA(path);
    FARPROC function;
    HANDLE thread;
    uint64_t hash;
    Call call;
    CHECK(plugin != NULL);
    function = GetProcAddress(plugin, "plugin_run");
    CHECK(function != NULL);
    memcpy(&call.run, &function, sizeof call.run);
    call.hash = 0;
    call.done = CreateEventA(NULL, TRUE, FALSE, NULL);
    call.unloaded = CreateEventA(NULL, TRUE, FALSE, NULL);
    CHECK(call.done != NULL && call.unloaded != NULL);
    thread = CreateThread(NULL, 0, run_on_thread, &call, 0, NULL);
    CHECK(thread != NULL);
    hash = call.run(0);
    CHECK(WaitForSingleObject(call.done, INFINITE) == WAIT_OBJECT_0);
    CHECK(FreeLibrary(plugin));
    CHECK(GetModuleHandleA(path) == NULL && GetModuleHandleA("vorton.dll") == NULL);
    CHECK(SetEvent(call.unloaded));
    CHECK(WaitForSingleObject(thread, INFINITE) == WAIT_OBJECT_0);
    CHECK(CloseHandle(thread) && CloseHandle(call.done) && CloseHandle(call.unloaded));
    CHECK(call.hash == hash);
    return hash;
}

int main(int count, char **arguments) {
    uint64_t first;
    int i;
    CHECK(count > 1);
    first = load_and_run(arguments[1]);
    for (i = 1; i < count; ++i) CHECK(load_and_run(arguments[i]) == first);
    printf("%d plugins agree\n", count - 1);
    return 0;
}
