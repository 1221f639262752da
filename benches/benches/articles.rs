//! The tables of the articles: times of a frame of the scenes of parts 9, 10 and 14, and of the fire, by
//! process, on 1, 2 and 4 threads.
//!
//! Part 9, table 1: body buoyancy 2 µs a frame ("well under 1 percent"). Part 10, table 1: heat diffusion
//! 0.021, 0.015, 0.011 ms of 10.7, 7.55, 6.46 ms on 1, 2, 4 threads of a 3.4 GHz Core i7. The times
//! measured here are of one step of a frame; diffusion sorts, and spreads vorticity, heat and dye in one
//! pass.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fluid_bodies::buoyant_force::buoyant_force;
use fluid_core::boundary::Motion;
use fluid_core::stats::Stage;
use fluid_core::velocity::Sources;
use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::{Executor, Pool, Serial};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Frames before the measurement: by then the ball is at its equilibrium height, or the plume has begun to
/// rise.
const WARM_UP: u32 = 20;

fn executors() -> Vec<(usize, Box<dyn Executor>)> {
    let pool = |threads| Box::new(Pool::new(threads).expect("threads"));
    vec![(1, Box::new(Serial)), (2, pool(2)), (4, pool(4))]
}

/// Repeats one step from the same state, on copies.
fn step(
    run: &Run,
    exec: &dyn Executor,
    iterations: u64,
    time: impl Fn(&Run, Duration) -> Duration,
) -> Duration {
    let mut sum = Duration::ZERO;
    for _ in 0..iterations {
        let mut run = run.clone();
        let start = Instant::now();
        run.step(exec, 1.0 / 60.0).expect("finite");
        sum += time(&run, start.elapsed());
    }
    sum
}

fn table(c: &mut Criterion, group: &str, scene: &str) -> Run {
    let scene = by_name(scene).expect("a scene of the table");
    let mut group = c.benchmark_group(group);
    let mut run = Run::new(scene).expect("constants in range");
    for _ in 0..WARM_UP {
        run.frame(&Serial).expect("finite");
    }
    for (threads, exec) in executors() {
        group.bench_function(BenchmarkId::new("total", threads), |b| {
            b.iter_custom(|iterations| step(&run, &*exec, iterations, |_, whole| whole));
        });
        for stage in [Stage::Velocity, Stage::Baroclinic, Stage::Diffuse, Stage::Bodies, Stage::Tracers] {
            group.bench_function(BenchmarkId::new(stage.name(), threads), |b| {
                b.iter_custom(|iterations| {
                    step(&run, &*exec, iterations, |run, _| {
                        Duration::from_secs_f64(run.sim.stats().milliseconds(stage) * 1e-3)
                    })
                });
            });
        }
    }
    group.finish();
    run
}

fn part_9(c: &mut Criterion) {
    let run = table(c, "part_9", "stratified_ball");
    let motion = Motion {
        exec: &Serial,
        dt: 1.0 / 60.0,
        params: run.sim.params(),
        field: run.sim.field(),
        sources: &Sources::default(),
        diffused: 0.0,
    };
    c.bench_function("part_9/buoyant force of one body", |b| {
        b.iter(|| buoyant_force(motion, run.bodies.obstacles(), 0, black_box(&run.bodies.list()[0])));
    });
}

fn part_10(c: &mut Criterion) {
    table(c, "part_10", "hot_ball");
}

fn fire(c: &mut Criterion) {
    table(c, "fire", "fire");
}

fn part_14(c: &mut Criterion) {
    table(c, "part_14", "resting_tank");
    table(c, "part_14_moving", "sloshing_tank");
}

criterion_group! {
    name = articles;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(2));
    targets = part_9, part_10, part_14, fire
}
criterion_main!(articles);
