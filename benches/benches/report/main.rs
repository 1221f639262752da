//! `cargo bench -p benches --bench report`: one run that measures the limits of the machine, the articles'
//! scenes, solvers, accuracy, tracers, threads and memory, and writes `benches/results/report.md` with its
//! pictures. About two minutes on two cores.
//!
//! `SECONDS=1` develops the scenes for at most that long: for a quick look.
//!
//! Each section is a file with its measurement; `text` and `plots` write the results. Their interpretation
//! is in `docs/performance.md`.

mod accuracy;
mod heap;
mod limits;
mod memory;
mod pairs;
mod phases;
mod plots;
mod solvers;
mod speed_up;
mod text;
mod tracers;

use benches::{executors, processors};
use limits::Limits;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// Largest number of threads: games do not have more.
const MOST_THREADS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let progress = |next: &str| eprintln!("{:5.1?} s: {next}", started.elapsed().as_secs_f64());
    // At least two, because their ratio to one is a column of the tables.
    let executors = executors(processors().clamp(2, MOST_THREADS));
    let threads: Vec<usize> = executors.iter().map(|(threads, _)| *threads).collect();
    let (two, most) = (&executors[..2], &*executors[executors.len() - 1].1);

    progress("memory");
    let memory = memory::measure();
    progress("limits");
    let limits = Limits::measure(&executors);
    progress("pairs");
    let pairs = pairs::measure();
    progress("solvers");
    let sizes = solvers::measure();
    progress("accuracy");
    let errors = accuracy::measure(most);
    progress("tracers");
    let tracers = tracers::measure(two);
    progress("threads");
    let times = speed_up::measure(&executors);
    progress("scenes");
    let seconds = std::env::var("SECONDS").ok().and_then(|value| value.parse().ok()).unwrap_or(f32::INFINITY);
    let scenes = phases::measure(&executors, seconds);
    progress("done");

    let ratios = |times: &[f64]| times.iter().map(|time| times[0] / time).collect::<Vec<f64>>();
    let of_scene = |scene: &phases::SceneTimes| {
        let medians: Vec<f64> = scene.late.timings.iter().map(|timing| timing.median()).collect();
        (scene.late.scene.to_owned(), ratios(&medians))
    };
    let mut lines: Vec<(String, Vec<f64>)> =
        times.into_iter().map(|times| (times.name, ratios(&times.seconds))).collect();
    lines.extend(scenes.iter().map(of_scene));

    // Cargo runs benches in their package's folder.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    std::fs::create_dir_all(&folder)?;
    plots::time_by_count(&sizes, &folder.join("time_by_count.svg"))?;
    plots::frame_by_phase(&scenes, &folder.join("frame_by_phase.svg"))?;
    plots::speed_up(&threads, &lines, &folder.join("speed_up.svg"))?;
    let report = [
        text::head(&limits, processors(), phases::noise(&scenes)),
        text::limits(&limits),
        text::phases(&scenes),
        text::units(&scenes, &limits),
        text::pairs(&pairs, &limits),
        text::sizes(&sizes),
        text::accuracy(&errors),
        text::tracers(&tracers, &limits),
        text::speed_up(&threads, &lines),
        text::memory(&memory),
    ];
    std::fs::write(folder.join("report.md"), report.concat())?;
    eprintln!("benches/results/report.md is written");
    Ok(())
}
