//! `cargo bench -p benches --bench long_runs [-- scene ...]`: every scene for 2,000 steps, long after it has
//! developed. The worst step over the median one, a step over the median of the hundred around it (scenes
//! grow), the vortons, and what the energy budget did. The same run is taken twice, and of each step the
//! shorter time counts: a run repeats itself bit by bit, the interruptions by other programs do not.
//!
//! `STEPS=500` takes fewer, `ROUNDS=1` each once.

use fluid_core::stats::{Stage, Stats};
use fluid_scenes::run::Run;
use fluid_scenes::{Scene, all};
use fluid_threads::Serial;
use std::time::Instant;

const STEPS: usize = 2000;
const ROUNDS: usize = 2;
const AROUND: usize = 100;

/// How long a step took, and which stage took longest \[ms\].
#[derive(Clone, Copy)]
struct Time {
    whole: f64,
    longest: (Stage, f64),
}

/// The middle one of these steps over their median.
fn spike_in(steps: &[Time]) -> f64 {
    let mut sorted: Vec<f64> = steps.iter().map(|step| step.whole).collect();
    sorted.sort_by(f64::total_cmp);
    steps[steps.len() / 2].whole / sorted[sorted.len() / 2]
}

/// The stage of the last step that took longest, and its time \[ms\].
fn longest(stats: &Stats) -> (Stage, f64) {
    let times = Stage::ALL.map(|stage| (stage, stats.milliseconds(stage)));
    times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are stages")
}

/// The time of each step, the scene at the end, and its largest stretch number.
fn run(scene: &Scene, steps: usize) -> (Vec<Time>, Run, f32) {
    let mut run = Run::new(scene).expect("scenes are valid");
    // Smoke costs in proportion to its amount; the fluid is what is looked at.
    run.tracers.retain(|_, _| false);
    let dt = scene.dt / scene.substeps as f32;
    let mut stretch = 0.0_f32;
    let times = (0..steps).map(|_| {
        let start = Instant::now();
        run.step(&Serial, dt).expect("a finite step");
        stretch = stretch.max(run.sim.stats().stretch_number);
        Time { whole: start.elapsed().as_secs_f64() * 1e3, longest: longest(run.sim.stats()) }
    });
    let times = times.collect();
    (times, run, stretch)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let (steps, rounds) = (number("STEPS").unwrap_or(STEPS), number("ROUNDS").unwrap_or(ROUNDS));
    println!(
        "{:>18} {:>8} {:>8} {:>9} {:>9} {:>6} {:>6} {:>8} {:>10} {:>6} {:>8} {:>8} {:>8}",
        "scene",
        "vortons",
        "at end",
        "median ms",
        "worst ms",
        "ratio",
        "spike",
        "at step",
        "mostly",
        "share",
        "stretch",
        "E/budget",
        "scalings"
    );
    for scene in
        all().iter().filter(|scene| wanted.is_empty() || wanted.iter().any(|name| name == scene.name))
    {
        let none = Time { whole: f64::INFINITY, longest: (Stage::Emit, 0.0) };
        let mut shortest = vec![none; steps];
        let mut end = None;
        for _ in 0..rounds {
            let (times, run, stretch) = run(scene, steps);
            for (shortest, time) in shortest.iter_mut().zip(times) {
                if time.whole < shortest.whole {
                    *shortest = time;
                }
            }
            end = Some((run, stretch));
        }
        let (run, stretch) = end.expect("at least one round");
        let spike = shortest.windows(AROUND).map(spike_in).fold(0.0, f64::max);
        let mut sorted: Vec<(usize, Time)> = shortest.into_iter().enumerate().collect();
        sorted.sort_by(|a, b| a.1.whole.total_cmp(&b.1.whole));
        let (median, (at, worst)) = (sorted[steps / 2].1.whole, sorted[steps - 1]);
        let stats = run.sim.stats();
        println!(
            "{:>18} {:>8} {:>8} {median:>9.3} {:>9.3} {:>6.2} {spike:>6.2} {at:>8} {:>10} {:>6.2} {stretch:>8.2} {:>8.3} {:>8}",
            scene.name,
            scene.vorton_count,
            run.sim.vortons().len(),
            worst.whole,
            worst.whole / median,
            worst.longest.0.name(),
            worst.longest.1 / worst.whole,
            stats.energy / stats.energy_allowed,
            stats.energy_scalings
        );
    }
}
