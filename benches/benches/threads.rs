//! `cargo bench -p benches --bench threads [-- scene ...]`: steps with 1, 2, 4 ... threads, by stage.
//! `HOST=1` uses threads of a host's job system. `LOOPS=1` instead lists the loops of a step, and the
//! serial sections between them, by the lines of the library that ran them, with one thread and with all.
//!
//! The first subject, `pairs`, is a reference: a direct sum, all of it arithmetic, in a thousand chunks.
//! The second is a step of 65,536 vortons in rings (`rings`), the others are scenes after they have
//! developed.

use benches::timing::{least, median};
use benches::{executors, host_executors, processors, rings};
use fluid_core::boundary::NoBodies;
use fluid_core::sim::VortexSim;
use fluid_core::stats::Stage;
use fluid_core::velocity::SolverKind;
use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::{Executor, Serial};
use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

/// Measured scenes, and the time at which they count as developed \[s\].
const SCENES: [(&str, f32); 7] = [
    ("leapfrog", 2.0),
    ("jet", 5.0),
    ("ball_through_smoke", 5.0),
    ("fine_drop", 4.5),
    ("stratified_ball", 5.0),
    ("hot_ball", 5.0),
    ("shaken_tank", 5.0),
];
/// Vortons of the direct sum.
const PAIRS: usize = 8192;
/// Vortons in rings.
const RINGS: usize = 65_536;
/// Largest number of threads: games do not have more.
const MOST_THREADS: usize = 16;
/// Steps before the measurement, in which a copy allocates its memory.
const WARM_UP: usize = 3;
/// Measured steps: enough for each kind of step that a scene alternates between.
const STEPS: usize = 16;
/// Number of repetitions of the same steps; the shortest time of each counts.
const ROUNDS: usize = 3;
/// Number of callers in the name of a code location.
const DEPTH: usize = 3;
/// Number of code locations listed.
const MOST_LISTED: usize = 40;

/// Source of the measured steps.
#[derive(Clone)]
enum Subject {
    Cloud(Box<VortexSim>),
    Scene(Box<Run>, f32),
}

impl Subject {
    fn named(name: &str, exec: &dyn Executor) -> Option<Self> {
        if name == "pairs" {
            return Some(Self::Cloud(Box::new(rings(PAIRS, SolverKind::Direct))));
        }
        if name == "rings" {
            return Some(Self::Cloud(Box::new(rings(RINGS, SolverKind::Mesh))));
        }
        let &(_, second) = SCENES.iter().find(|(scene, _)| *scene == name)?;
        let scene = by_name(name)?;
        let mut run = Run::new(scene).expect("scenes are valid");
        for _ in 0..(second / scene.dt).round() as usize {
            run.frame(exec).expect("a finite step");
        }
        Some(Self::Scene(Box::new(run), scene.dt / scene.substeps as f32))
    }

    fn step(&mut self, exec: &dyn Executor) {
        match self {
            Self::Cloud(sim) => sim.step(exec, &mut NoBodies, 1.0 / 120.0).expect("dt is finite"),
            Self::Scene(run, dt) => run.step(exec, *dt).expect("a finite step"),
        }
    }

    fn sim(&self) -> &VortexSim {
        match self {
            Self::Cloud(sim) => sim,
            Self::Scene(run, _) => &run.sim,
        }
    }

    fn tracers(&self) -> usize {
        match self {
            Self::Cloud(_) => 0,
            Self::Scene(run, _) => run.tracers.len(),
        }
    }
}

/// Times \[ms\] of one step: whole, then by stage.
type StepTimes = [f64; 1 + Stage::ALL.len()];

fn timed(subject: &mut Subject, exec: &dyn Executor) -> StepTimes {
    let start = Instant::now();
    subject.step(exec);
    let whole = start.elapsed().as_secs_f64() * 1e3;
    let stats = subject.sim().stats();
    std::array::from_fn(|i| i.checked_sub(1).map_or(whole, |stage| stats.milliseconds(Stage::ALL[stage])))
}

/// Measures the same steps with each executor, in turns. Returns for each its steps, the shortest of all
/// rounds.
fn measure(subject: &Subject, executors: &[(usize, Box<dyn Executor>)]) -> Vec<Vec<StepTimes>> {
    let mut shortest = vec![[[f64::INFINITY; 1 + Stage::ALL.len()]; STEPS]; executors.len()];
    for _ in 0..ROUNDS {
        for ((_, exec), shortest) in executors.iter().zip(&mut shortest) {
            let mut copy = subject.clone();
            (0..WARM_UP).for_each(|_| copy.step(&**exec));
            for shortest in shortest.iter_mut() {
                let times = timed(&mut copy, &**exec);
                if times[0] < shortest[0] {
                    *shortest = times;
                }
            }
        }
    }
    shortest.into_iter().map(|steps| steps.to_vec()).collect()
}

fn print_table(name: &str, subject: &Subject, executors: &[(usize, Box<dyn Executor>)]) {
    let times = measure(subject, executors);
    let stats = subject.sim().stats();
    let (vortons, tracers) = (subject.sim().vortons().len(), subject.tracers());
    println!("\n### {name}: {vortons} vortons, {tracers} tracers, {} nodes of the mesh", stats.mesh_nodes);
    let head: Vec<String> = executors.iter().map(|(threads, _)| format!(" {threads} |")).collect();
    println!("\n| median ms with threads |{}", head.concat());
    println!("|---|{}", "---:|".repeat(executors.len()));
    let mean_of =
        |row: usize, steps: &[StepTimes]| steps.iter().map(|s| s[row]).sum::<f64>() / steps.len() as f64;
    let step: Vec<f64> = times.iter().map(|steps| median(steps.iter().map(|s| s[0]))).collect();
    let row = |name: &str, times: &[f64]| {
        let cells: Vec<String> = times.iter().map(|time| format!(" {time:.2} |")).collect();
        println!("| {name} |{}", cells.concat());
    };
    row("step", &step);
    for (i, stage) in Stage::ALL.iter().enumerate() {
        let times: Vec<f64> = times.iter().map(|steps| mean_of(1 + i, steps)).collect();
        if times[0] > 0.01 * step[0] {
            row(stage.name(), &times);
        }
    }
    let ratios: Vec<f64> = step.iter().map(|time| step[0] / time).collect();
    row("times as fast", &ratios);
}

/// Prints the time \[µs\] of an empty loop with as many chunks as threads, inside a step.
fn print_latencies(executors: &[(usize, Box<dyn Executor>)]) {
    const LOOPS: usize = 1000;
    println!("\n| a loop of | µs |\n|---|---:|");
    for (threads, exec) in executors.iter().skip(1) {
        let mut times = Vec::new();
        exec.enter(&mut || {
            for _ in 0..10 {
                let start = Instant::now();
                (0..LOOPS).for_each(|_| exec.run(*threads, &|_| ()));
                times.push(start.elapsed().as_secs_f64() / LOOPS as f64 * 1e6);
            }
        });
        println!("| {threads} empty chunks on {threads} threads | {:.1} |", least(&times));
    }
}

/// A loop, identified by the function that it runs for each chunk and by that of the previous loop.
type Loop = (usize, usize);

/// Times of a loop over some steps.
#[derive(Clone, Copy, Default)]
struct LoopTimes {
    calls: usize,
    chunks: usize,
    /// Seconds in the loop, and between the previous loop and this one.
    inside: f64,
    between: f64,
}

/// Times of the loops of some steps.
#[derive(Default)]
struct Taken {
    loops: BTreeMap<Loop, LoopTimes>,
    /// The last loop, and the time of its end.
    last: Option<(usize, Instant)>,
}

/// Measures the time of each loop that another executor runs.
struct Timed<'a> {
    exec: &'a dyn Executor,
    taken: Mutex<Taken>,
    /// Call locations of the functions, if requested.
    places: Option<Mutex<BTreeMap<usize, String>>>,
}

impl<'a> Timed<'a> {
    fn new(exec: &'a dyn Executor, finds_places: bool) -> Self {
        Self { exec, taken: Mutex::default(), places: finds_places.then(Mutex::default) }
    }
}

/// Returns the innermost lines of the library in the current call stack.
fn place() -> String {
    let text = Backtrace::force_capture().to_string();
    let mut places: Vec<&str> = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some((_, function)) = line.split_once(": ") else { continue };
        if function.contains("fluid_core::") || function.contains("fluid_bodies::") {
            let at = lines.next().and_then(|at| at.rsplit_once("/src/")).map_or("", |(_, place)| place);
            places.push(at.rsplit_once(':').map_or(at, |(place, _)| place));
        }
        if places.len() == DEPTH {
            break;
        }
    }
    places.join(" < ")
}

// SAFETY: every call goes to an executor that fulfils the contract.
unsafe impl Executor for Timed<'_> {
    fn worker_count(&self) -> usize {
        self.exec.worker_count()
    }
    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        let begun = Instant::now();
        let mut taken = self.taken.lock().expect("not poisoned");
        // The vtable of the function's type identifies a loop: it is the second word of such a reference.
        // SAFETY: a reference to a trait object is two words of plain data.
        let [_, function] = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), [usize; 2]>(body) };
        if let Some(places) = &self.places {
            places.lock().expect("not poisoned").entry(function).or_insert_with(place);
        }
        let (before, gap) =
            taken.last.map_or((0, 0.0), |(before, ended)| (before, (begun - ended).as_secs_f64()));
        let start = Instant::now();
        self.exec.run(chunks, body);
        let ended = Instant::now();
        let times = taken.loops.entry((before, function)).or_default();
        times.calls += 1;
        times.chunks += chunks;
        times.inside += (ended - start).as_secs_f64();
        times.between += gap;
        taken.last = Some((function, Instant::now()));
    }
    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        self.exec.enter(body);
    }
}

/// Lists loops and the sections between them, with one thread and with the most.
fn print_loops(name: &str, subject: &Subject, executors: &[(usize, Box<dyn Executor>)]) {
    let places = {
        let finding = Timed::new(&Serial, true);
        let mut copy = subject.clone();
        (0..WARM_UP + STEPS).for_each(|_| copy.step(&finding));
        finding.places.expect("they were to be found").into_inner().expect("not poisoned")
    };
    let (most, exec) = &executors[executors.len() - 1];
    let [one, all] = [&Serial as &dyn Executor, &**exec].map(|exec| {
        let timed = Timed::new(exec, false);
        let mut copy = subject.clone();
        (0..WARM_UP).for_each(|_| copy.step(&timed));
        *timed.taken.lock().expect("not poisoned") = Taken::default();
        (0..STEPS).for_each(|_| copy.step(&timed));
        timed.taken.into_inner().expect("not poisoned").loops
    });
    let each = 1e6 / STEPS as f64;
    let [inside, between] = [|times: &LoopTimes| times.inside, |times: &LoopTimes| times.between]
        .map(|of| [&one, &all].map(|loops| loops.values().map(of).sum::<f64>() * each));
    println!(
        "\n### {name}: µs a step with 1 and {most} threads: in loops {:.0}, {:.0}, between {:.0}, {:.0}",
        inside[0], inside[1], between[0], between[1],
    );
    println!("\n| calls | chunks a call | µs in it, 1 | {most} | µs before it, 1 | {most} | loop, after |");
    println!("|---:|---:|---:|---:|---:|---:|---|");
    let mut rows: Vec<_> = one.iter().filter_map(|(key, one)| Some((key, one, all.get(key)?))).collect();
    rows.sort_by(|a, b| (b.2.inside + b.2.between).total_cmp(&(a.2.inside + a.2.between)));
    let place = |function: usize| places.get(&function).map_or("", String::as_str);
    for ((before, function), one, all) in rows.into_iter().take(MOST_LISTED) {
        println!(
            "| {:.1} | {:.1} | {:.0} | {:.0} | {:.0} | {:.0} | {}, {} |",
            one.calls as f64 / STEPS as f64,
            one.chunks as f64 / one.calls as f64,
            one.inside * each,
            all.inside * each,
            one.between * each,
            all.between * each,
            place(*function),
            place(*before),
        );
    }
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let all = ["pairs", "rings"].into_iter().chain(SCENES.iter().map(|(name, _)| *name));
    let most = processors().min(MOST_THREADS);
    let executors = if std::env::var_os("HOST").is_some() { host_executors(most) } else { executors(most) };
    let only_loops = std::env::var_os("LOOPS").is_some();
    if !only_loops {
        print_latencies(&executors);
    }
    for name in all.filter(|name| named.is_empty() || named.iter().any(|given| given == name)) {
        let subject = Subject::named(name, &*executors[executors.len() - 1].1).expect("of the list above");
        if only_loops {
            print_loops(name, &subject, &executors);
        } else {
            print_table(name, &subject, &executors);
        }
    }
}
