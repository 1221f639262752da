// oneTBB 2021: worlds whose steps run as tasks of the host's job system, VORTON_THREADS_HOST. The library
// starts no thread; a task of it is a task of a tbb::task_group, and waiting for the group runs other tasks
// meanwhile.
//
// Runs a cloud of eddies with a ball, tracers and sparks of the host on one thread, then under oneTBB with 2,
// 4 and 8 workers, then four such worlds at a time from a tbb::parallel_for. Exits with 1 unless hash,
// tracers and sparks are the same bits in all, and tasks were run by threads that do not step a world.
#include "sparks.h"
#include "vorton.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <thread>
#include <vector>

static void check(vorton::Status status) {
    if (status) return;
    std::printf("FAILED: %s: %s\n", status.name(), status.text().c_str());
    std::exit(EXIT_FAILURE);
}

// --- The bridge ----------------------------------------------------------------------------------

static std::atomic<unsigned> tasks_elsewhere(0);

static void *enqueue(VortonTaskFn task, void *context, void *) {
    tbb::task_group *group = new tbb::task_group;
    const std::thread::id caller = std::this_thread::get_id();
    group->run([=] {
        if (std::this_thread::get_id() != caller) ++tasks_elsewhere;
        task(context);
    });
    return group;
}

// A task that has not begun is run here, and returns at once: its step is over.
static void finish(void *group, void *) {
    static_cast<tbb::task_group *>(group)->wait();
    delete static_cast<tbb::task_group *>(group);
}

// --- The game ------------------------------------------------------------------------------------

enum { STEPS = 40, TRACERS = 20000, WORLDS = 4 };

// Everything that a run ends with.
struct End {
    uint64_t hash;
    std::vector<float> tracers, sparks;
    bool operator==(const End &other) const {
        return hash == other.hash && tracers == other.tracers && sparks == other.sparks;
    }
};

// `workers` of 0: serial.
static End play(uint32_t workers) {
    VortonWorldDef def = vorton_default_world_def();
    def.core_radius = 0.15f;
    if (workers > 0) {
        def.threads = VORTON_THREADS_HOST;
        def.worker_count = workers;
        def.enqueue_task = enqueue;
        def.finish_task = finish;
    }
    vorton::Result<vorton::World> made = vorton::World::create(def);
    check(made.status());
    vorton::World world = made.take();
    VortonInitialDef cloud = vorton_default_initial_def(VORTON_INITIAL_NOISE);
    cloud.extent = {2.0f, 1.5f, 1.5f};
    cloud.spacing = 0.1f;
    check(world.add_initial(cloud).status());
    vorton::Result<vorton::Body> ball = world.create_body(vorton_default_body_def());
    check(ball.status());
    VortonShapeDef sphere = vorton_default_shape_def(VORTON_SHAPE_SPHERE);
    sphere.radius = 0.2f;
    check(vorton_shape_create(world.id(), ball->id(), &sphere, nullptr));
    VortonTracersDef set_def = vorton_default_tracers_def();
    set_def.capacity = TRACERS;
    VortonTracersId set;
    check(vorton_tracers_create(world.id(), &set_def, &set));
    std::vector<VortonVec3> places(TRACERS);
    for (uint32_t i = 0; i < TRACERS; ++i) spark_start(i, &places[i].x);
    check(vorton_tracers_add(world.id(), set, places.data(), nullptr, nullptr, TRACERS));
    std::vector<float> sparks(6 * SPARKS);
    for (uint32_t i = 0; i < SPARKS; ++i) spark_start(i, &sparks[6 * i]);
    const uint32_t stride = 6 * sizeof(float);
    const VortonStream streams[] = {{VORTON_POSITION, VORTON_F32X3, stride, 0, sparks.data()},
                                    {VORTON_VELOCITY, VORTON_F32X3, stride, 12, sparks.data()}};
    const VortonParticleView view = {sizeof view, 2, SPARKS, SPARKS, streams, nullptr, nullptr, 0, stride};
    VortonOpId ops[2];
    const uint32_t types[2] = {VORTON_OP_VELOCITY, VORTON_OP_ADVECT};
    for (int i = 0; i < 2; ++i) {
        const VortonOpDef op = vorton_default_op_def(types[i]);
        check(vorton_op_create(world.id(), &op, &ops[i]));
    }
    for (uint32_t step = 0; step < STEPS; ++step) {
        VortonOpResult result = VortonOpResult();
        result.struct_size = sizeof result;
        check(world.step(SPARK_DT));
        check(vorton_ops_run(world.id(), ops, 2, &view, SPARK_DT, step, &result));
    }
    End end = {0, std::vector<float>(3 * TRACERS), sparks};
    size_t count = 0;
    check(vorton_world_hash(world.id(), &end.hash));
    check(vorton_tracers_read(world.id(), set, end.tracers.data(), 12, nullptr, nullptr, nullptr, nullptr, TRACERS, &count));
    if (count < TRACERS) end.tracers.resize(3 * count);
    return end;
}

int main() {
    const End golden = play(0);
    std::printf("serial   hash %016llx\n", static_cast<unsigned long long>(golden.hash));
    // More threads than cores: tasks begin late, or after their step.
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
    bool is_good = true;
    for (uint32_t workers = 2; workers <= 8; workers *= 2) {
        tbb::task_arena arena(static_cast<int>(workers));
        End end = End();
        arena.execute([&] { end = play(workers); });
        const bool is_same = end == golden;
        std::printf("oneTBB   %u workers: hash %016llx, %s\n", unsigned(workers),
                    static_cast<unsigned long long>(end.hash), is_same ? "the same bits" : "OTHER BITS");
        is_good = is_good && is_same;
    }
    std::atomic<unsigned> same(0);
    tbb::parallel_for(0, int(WORLDS), [&](int) {
        if (play(3) == golden) ++same;
    });
    std::printf("oneTBB   %u worlds at a time: %u with the same bits; in all, %u tasks on other threads\n",
                unsigned(WORLDS), same.load(), tasks_elsewhere.load());
    is_good = is_good && same == WORLDS && tasks_elsewhere > 0;
    if (!is_good) std::printf("FAILED: the bits differ, or no task ran on another thread\n");
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
