//! `cargo bench -p benches --bench long_runs [-- scene ...]`: every scene for 2,000 steps, long after it
//! has developed. Reports the worst step over the median one, a step over the median of the hundred around
//! it (scenes grow), the vortons, and the actions of the energy budget. The same run is taken twice, and
//! the shorter time of each step counts: a run repeats itself bit by bit, interruptions by other programs
//! do not. Times of steps are CPU times of the thread, times of stages wall-clock times.
//!
//! `STEPS=500` takes fewer steps, `ROUNDS=1` runs once, `WORST=5` lists that many of the longest steps,
//! `DT=0.985` scales the length of the scene's steps.

use benches::timing::thread_seconds;
use fluid_core::stats::Stage;
use fluid_scenes::run::Run;
use fluid_scenes::{Scene, all};
use fluid_threads::Serial;

const STEPS: usize = 2000;
const ROUNDS: usize = 2;
const AROUND: usize = 100;

/// Times of a step and its stages \[ms\], and properties of the step.
#[derive(Clone, Copy)]
struct Time {
    whole: f64,
    stages: [f64; Stage::ALL.len()],
    solves: u32,
    stretch: f32,
    removed: f64,
    nodes: usize,
    outside: usize,
}

/// Returns the time of the middle one of these steps over their median.
fn spike_in(steps: &[Time]) -> f64 {
    let mut sorted: Vec<f64> = steps.iter().map(|step| step.whole).collect();
    sorted.sort_by(f64::total_cmp);
    steps[steps.len() / 2].whole / sorted[sorted.len() / 2]
}

impl Time {
    /// Returns the stages and their times \[ms\], the longest first.
    fn by_stage(&self) -> Vec<(Stage, f64)> {
        let mut times: Vec<_> = Stage::ALL.into_iter().zip(self.stages).collect();
        times.sort_by(|a, b| b.1.total_cmp(&a.1));
        times
    }

    /// Returns the stages that took more than a twentieth of the step.
    fn profile(&self) -> String {
        let long = |&(_, time): &(Stage, f64)| time > 0.05 * self.whole;
        let stages = self.by_stage().into_iter().take_while(long);
        stages.map(|(stage, time)| format!("{} {time:.3}", stage.name())).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the time of each step of `pace` times the scene's step length, the final state, its largest
/// stretch number, and its energy in the first step.
fn run(scene: &Scene, steps: usize, pace: f32) -> (Vec<Time>, Run, (f32, f64)) {
    let mut run = Run::new(scene).expect("scenes are valid");
    // The cost of smoke is proportional to its amount; only the fluid is measured.
    run.tracers.retain(|_, _| false);
    let dt = pace * scene.dt / scene.substeps as f32;
    let (mut stretch, mut first) = (0.0_f32, 0.0);
    let times = (0..steps).map(|step| {
        let start = thread_seconds();
        run.step(&Serial, dt).expect("a finite step");
        stretch = stretch.max(run.sim.stats().stretch_number);
        let (whole, stats) = ((thread_seconds() - start) * 1e3, run.sim.stats());
        if step == 0 {
            first = stats.energy;
        }
        Time {
            whole,
            stages: Stage::ALL.map(|stage| stats.milliseconds(stage)),
            solves: stats.solves,
            stretch: stats.stretch_number,
            removed: stats.energy_removed,
            nodes: stats.mesh_nodes,
            outside: stats.mesh_outside,
        }
    });
    let times = times.collect();
    (times, run, (stretch, first))
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let (steps, rounds) = (number("STEPS").unwrap_or(STEPS), number("ROUNDS").unwrap_or(ROUNDS));
    let pace = std::env::var("DT").ok().and_then(|value| value.parse().ok()).unwrap_or(1.0);
    println!(
        "{:>18} {:>8} {:>8} {:>9} {:>9} {:>6} {:>6} {:>8} {:>10} {:>6} {:>8} {:>8} {:>8} {:>8}",
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
        "E/first",
        "scalings"
    );
    for scene in
        all().iter().filter(|scene| wanted.is_empty() || wanted.iter().any(|name| name == scene.name))
    {
        let (mut shortest, first, stretch) = run(scene, steps, pace);
        let mut end = Some((first, stretch));
        for _ in 1..rounds {
            let (times, run, stretch) = run(scene, steps, pace);
            for (shortest, time) in shortest.iter_mut().zip(times) {
                if time.whole < shortest.whole {
                    *shortest = time;
                }
            }
            end = Some((run, stretch));
        }
        let (run, (stretch, first)) = end.expect("at least one round");
        let spike = shortest.windows(AROUND).map(spike_in).fold(0.0, f64::max);
        let mut sorted: Vec<(usize, Time)> = shortest.into_iter().enumerate().collect();
        sorted.sort_by(|a, b| a.1.whole.total_cmp(&b.1.whole));
        let (median, (at, worst)) = (sorted[steps / 2].1.whole, sorted[steps - 1]);
        let (stats, (longest, time)) = (run.sim.stats(), worst.by_stage()[0]);
        println!(
            "{:>18} {:>8} {:>8} {median:>9.3} {:>9.3} {:>6.2} {spike:>6.2} {at:>8} {:>10} {:>6.2} {stretch:>8.2} {:>8.3} {:>8.3} {:>8}",
            scene.name,
            scene.vorton_count,
            run.sim.vortons().len(),
            worst.whole,
            worst.whole / median,
            longest.name(),
            time / worst.whole,
            stats.energy / stats.energy_allowed,
            stats.energy / first,
            stats.energy_scalings
        );
        for (at, time) in sorted.iter().rev().take(number("WORST").unwrap_or(0)) {
            println!(
                "{at:>10}: {:>8.3} ms, {} solves, stretch {:.2}, took out {:.1e}, {} nodes, {} outside; {}",
                time.whole,
                time.solves,
                time.stretch,
                time.removed,
                time.nodes,
                time.outside,
                time.profile()
            );
        }
    }
}
