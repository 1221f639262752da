//! Steps of the articles' scenes, early and after the scenes have developed.

use crate::heap;
use benches::timing::{largest, median};
use fluid_core::stats::Stage;
use fluid_scenes::run::Run;
use fluid_scenes::{Scene, by_name};
use fluid_threads::Executor;
use std::time::Instant;

/// The scenes, and the time \[s\] at which they count as developed.
const SCENES: [(&str, f32); 12] = [
    ("ring", 5.0),
    ("jet", 5.0),
    ("ball_through_smoke", 5.0),
    ("spinning_ball", 5.0),
    ("curving_ball", 5.0),
    ("dye_drop", 5.0),
    ("two_drops", 5.0),
    ("fine_drop", 4.5),
    ("stratified_ball", 5.0),
    ("hot_ball", 5.0),
    ("resting_tank", 5.0),
    ("shaken_tank", 5.0),
];

/// Steps per measurement: enough for each kind of step that a scene alternates between.
pub(crate) const STEPS: usize = 16;
/// Steps before them, in which a copy allocates the memory that the scene had.
const WARM_UP: usize = 3;
/// Number of repetitions of the same steps; the shortest time of each counts.
pub(crate) const ROUNDS: usize = 3;

/// Stages with a column in the table; the others are `other`.
pub(crate) const COLUMNS: [Stage; 7] = [
    Stage::Velocity,
    Stage::Tracers,
    Stage::Baroclinic,
    Stage::Halo,
    Stage::Energy,
    Stage::Diffuse,
    Stage::Bodies,
];

/// Times \[ms\] of one step.
#[derive(Debug, Clone, Copy)]
struct StepTime {
    whole: f64,
    stages: [f64; COLUMNS.len()],
    velocity_per_solve: f64,
}

impl StepTime {
    fn shortest(self, other: Self) -> Self {
        if other.whole < self.whole { other } else { self }
    }
}

/// The same steps with one executor.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    pub(crate) threads: usize,
    steps: Vec<StepTime>,
    /// Longer over shorter time of each repeated step.
    repeats: Vec<f64>,
}

impl Timing {
    /// Returns the median time of a step \[ms\].
    pub(crate) fn median(&self) -> f64 {
        median(self.steps.iter().map(|step| step.whole))
    }

    /// Returns the longest step over the median one \[1\].
    pub(crate) fn worst(&self) -> f64 {
        largest(&self.steps.iter().map(|step| step.whole).collect::<Vec<_>>()) / self.median()
    }

    fn add(&mut self, step: usize, time: StepTime) {
        match self.steps.get_mut(step) {
            None => self.steps.push(time),
            Some(before) => {
                let (shorter, longer) = (before.whole.min(time.whole), before.whole.max(time.whole));
                self.repeats.push(longer / shorter);
                *before = before.shortest(time);
            }
        }
    }

    /// Times of the stages of [`COLUMNS`] \[ms\], and of the rest of a step: means over the middle half of
    /// the steps, so that they add up.
    pub(crate) fn stages(&self) -> [f64; COLUMNS.len() + 1] {
        let mut sorted = self.steps.clone();
        sorted.sort_by(|a, b| a.whole.total_cmp(&b.whole));
        let middle = &sorted[sorted.len() / 4..sorted.len() - sorted.len() / 4];
        let mean = |of: &dyn Fn(&StepTime) -> f64| middle.iter().map(of).sum::<f64>() / middle.len() as f64;
        std::array::from_fn(|i| match i {
            i if i < COLUMNS.len() => mean(&|step| step.stages[i]),
            _ => mean(&|step| step.whole - step.stages.iter().sum::<f64>()),
        })
    }

    /// Returns the median time of a velocity solve \[ms\].
    pub(crate) fn solve(&self) -> f64 {
        median(self.steps.iter().map(|step| step.velocity_per_solve))
    }
}

/// Velocity solver of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Solver {
    Direct,
    /// With this number of nodes.
    Mesh(usize),
    /// Fluid at rest: no vorton has strength.
    Nothing,
}

impl Solver {
    fn of(run: &Run) -> Self {
        match run.sim.stats().mesh_nodes {
            0 if run.sim.field().is_on_mesh() => Self::Nothing,
            0 => Self::Direct,
            nodes => Self::Mesh(nodes),
        }
    }
}

/// Measurements of a scene around one time.
#[derive(Debug, Clone)]
pub(crate) struct Phase {
    pub(crate) scene: &'static str,
    pub(crate) second: f64,
    pub(crate) vortons: usize,
    pub(crate) tracers: usize,
    pub(crate) solver: Solver,
    /// Heap memory of the scene \[bytes\].
    pub(crate) bytes: usize,
    /// Timings, one thread first.
    pub(crate) timings: Vec<Timing>,
}

impl Phase {
    pub(crate) fn serial(&self) -> &Timing {
        &self.timings[0]
    }

    /// Returns the timing with this number of threads.
    pub(crate) fn with(&self, threads: usize) -> Option<&Timing> {
        self.timings.iter().find(|timing| timing.threads == threads)
    }
}

/// A scene at its start and after it has developed.
pub(crate) struct SceneTimes {
    pub(crate) early: Phase,
    pub(crate) late: Phase,
}

/// Returns the longer over the shorter time of a repeated step, the median of all: 1 on an otherwise idle
/// machine.
pub(crate) fn noise(scenes: &[SceneTimes]) -> f64 {
    let timings = scenes.iter().flat_map(|scene| scene.early.timings.iter().chain(&scene.late.timings));
    median(timings.flat_map(|timing| timing.repeats.iter().copied()))
}

/// Measures all scenes, developed up to `most` seconds. The early phases take the first two executors, the
/// late ones all.
pub(crate) fn measure(executors: &[(usize, Box<dyn Executor>)], most: f32) -> Vec<SceneTimes> {
    let of_scene = |&(name, second): &(&str, f32)| {
        let started = Instant::now();
        let scene = by_name(name).expect("a scene of the table");
        let before = heap::taken();
        let mut run = Run::new(scene).expect("scenes are valid");
        let few = &executors[..executors.len().min(2)];
        let early = phase(scene, &run, few, heap::taken() - before);
        develop(scene, &mut run, &*executors[executors.len() - 1].1, second.min(most));
        let developed = started.elapsed();
        let late = phase(scene, &run, executors, heap::taken() - before);
        eprintln!("  {name}: {developed:.1?}, then {:.1?}", started.elapsed() - developed);
        SceneTimes { early, late }
    };
    SCENES.iter().map(of_scene).collect()
}

/// Runs a scene up to this time \[s\]. The result is the same with any executor.
fn develop(scene: &Scene, run: &mut Run, exec: &dyn Executor, second: f32) {
    for _ in 0..(second / scene.dt).round() as usize {
        run.frame(exec).expect("a finite step");
    }
}

fn phase(scene: &Scene, run: &Run, executors: &[(usize, Box<dyn Executor>)], bytes: usize) -> Phase {
    let mut timings: Vec<Timing> = executors
        .iter()
        .map(|&(threads, _)| Timing { threads, steps: Vec::new(), repeats: Vec::new() })
        .collect();
    let mut last = None;
    for _ in 0..ROUNDS {
        let mut copies: Vec<Run> = executors.iter().map(|_| run.clone()).collect();
        for step in 0..WARM_UP + STEPS {
            for (((_, exec), copy), timing) in executors.iter().zip(&mut copies).zip(&mut timings) {
                let time = timed_step(scene, copy, &**exec);
                if let Some(step) = step.checked_sub(WARM_UP) {
                    timing.add(step, time);
                }
            }
        }
        last = copies.pop();
    }
    let run = last.expect("at least one executor");
    Phase {
        scene: scene.name,
        second: run.sim.time(),
        vortons: run.sim.vortons().len(),
        tracers: run.tracers.len(),
        solver: Solver::of(&run),
        bytes,
        timings,
    }
}

fn timed_step(scene: &Scene, run: &mut Run, exec: &dyn Executor) -> StepTime {
    let start = Instant::now();
    run.step(exec, scene.dt / scene.substeps as f32).expect("a finite step");
    let whole = start.elapsed().as_secs_f64() * 1e3;
    let stats = run.sim.stats();
    let stages = COLUMNS.map(|stage| stats.milliseconds(stage));
    StepTime {
        whole,
        stages,
        velocity_per_solve: stats.milliseconds(Stage::Velocity) / f64::from(stats.solves.max(1)),
    }
}
