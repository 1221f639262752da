//! The report's tables and the text between them, as Markdown.

use crate::accuracy::Errors;
use crate::limits::Limits;
use crate::memory::Memory;
use crate::pairs::{OPERATIONS, OPERATIONS_WITH_GRADIENT, Rate};
use crate::phases::{COLUMNS, Phase, SceneTimes, Solver};
use crate::solvers::Sizes;
use crate::tracers::{BYTES, Kind};
use fluid_core::InstructionSet;
use fluid_core::velocity::Precision;

/// Formats a table, the first `words` columns left-aligned, the others, of numbers, right-aligned.
fn table(words: usize, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let names: Vec<String> = head.iter().map(|&name| name.to_owned()).collect();
    let rule: Vec<String> =
        (0..head.len()).map(|i| if i < words { "---" } else { "---:" }.to_owned()).collect();
    let mut text = line(&names) + &line(&rule);
    for row in rows {
        debug_assert_eq!(row.len(), head.len(), "{row:?}");
        text += &line(&row);
    }
    text + "\n"
}

/// Formats a number with about three digits.
fn number(value: f64) -> String {
    match value.abs() {
        v if !v.is_finite() => "–".into(),
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 => format!("{value:.2}"),
        0.0 => "0".into(),
        v if v >= 1e-3 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        p if !p.is_finite() => "–".into(),
        p if p >= 10.0 => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

/// Formats an error of any size.
fn error(share: f64) -> String {
    format!("{share:.1e}")
}

fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".into())
}

/// Returns the name of the processor, as far as the system reports it.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn name_of(set: InstructionSet) -> &'static str {
    match set {
        InstructionSet::Avx512 => "AVX-512",
        InstructionSet::Avx2 => "AVX2",
        InstructionSet::Portable | InstructionSet::Auto => "portable",
    }
}

pub(crate) fn head(limits: &Limits, threads: usize, noise: f64) -> String {
    format!(
        "# Performance report\n\n\
         Written by `cargo bench -p benches --bench report`. [docs/performance.md](../../docs/performance.md) says how to read it. Everything is of one run on one\n\
         machine: compare rows with each other, not with other reports.\n\n{}",
        table(
            2,
            &["machine", ""],
            [
                vec!["processor".into(), processor()],
                vec!["instruction set in use".into(), name_of(limits.set).into()],
                vec!["threads".into(), threads.to_string()],
                vec!["noise: the same step taken twice, longer : shorter".into(), format!("{noise:.2}")],
            ],
        )
    )
}

pub(crate) fn limits(limits: &Limits) -> String {
    let mut rows = vec![
        vec!["multiply and add, fused".into(), "one core, GFlop/s".into(), or_dash(limits.fused.map(number))],
        vec!["multiply and add, each rounded".into(), "one core, GFlop/s".into(), number(limits.separate)],
        vec![
            "1/√x, square root and division rounded".into(),
            "one core, 10⁹/s".into(),
            number(limits.inverse_sqrt),
        ],
    ];
    for &(bytes, threads, rate) in &limits.reading {
        let size =
            if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) };
        let threads = if threads == 1 { "one core".into() } else { format!("{threads} threads") };
        rows.push(vec![format!("reading {size} again and again"), format!("{threads}, GB/s"), number(rate)]);
    }
    let words = "Single precision, by plain loops that the compiler vectorises for the instruction set above (the library's own `Lanes` are private to it). \
                 Results of `Precision::Exact` round each operation, so the second and third rows are their limits.\n\n";
    format!("## 1. Limits of this machine\n\n{words}{}", table(2, &["limit", "of", "rate"], rows))
}

pub(crate) fn phases(scenes: &[SceneTimes]) -> String {
    let both = || scenes.iter().flat_map(|scene| [&scene.early, &scene.late]);
    let whole = |phase: &Phase| {
        let serial = phase.serial();
        let ratio = phase.with(2).map(|two| format!("{:.2}", serial.median() / two.median()));
        vec![
            phase.scene.into(),
            format!("{:.1}", phase.second),
            phase.vortons.to_string(),
            phase.tracers.to_string(),
            match phase.solver {
                Solver::Mesh(nodes) => nodes.to_string(),
                Solver::Direct => "direct".into(),
                Solver::Nothing => "at rest".into(),
            },
            number(serial.median()),
            format!("{:.2}", serial.worst()),
            or_dash(phase.with(2).map(|two| number(two.median()))),
            or_dash(ratio),
            format!("{:.0}", phase.bytes as f64 / 1e6),
        ]
    };
    let head = [
        "scene",
        "second",
        "vortons",
        "tracers",
        "mesh nodes",
        "step, 1 thread, ms",
        "worst : median",
        "2 threads, ms",
        "1 : 2 threads",
        "heap, MB",
    ];
    let stages = |phase: &Phase| {
        let times = phase.serial().stages();
        let mut row = vec![phase.scene.into(), format!("{:.1}", phase.second)];
        row.extend(times.iter().map(|time| if *time < 0.005 { "0".into() } else { format!("{time:.2}") }));
        row
    };
    let names: Vec<&str> =
        ["scene", "second"].into_iter().chain(COLUMNS.map(|stage| stage.name())).chain(["other"]).collect();
    format!(
        "## 2. Steps of the articles' scenes\n\n\
         A step with all tracers and bodies, in its first second and after the scene has developed. Each of {} steps in a row was taken {} times on copies of the\n\
         same state, and the shortest time of each counts; with one thread and with more in turns.\n\n{}\
         ![Steps by stage](frame_by_phase.svg)\n\n\
         The same steps by stage, one thread, means over the middle half of them in ms:\n\n{}",
        crate::phases::STEPS,
        crate::phases::ROUNDS,
        table(1, &head, both().map(whole)),
        table(1, &names, both().map(stages)),
    )
}

/// Operations per node of the mesh in a velocity solve, if each transform of length n takes 5 n log₂ n: 15
/// for lines along x, 30 for those along y and 60 for those along z, forwards and backwards, times log₂ of
/// their length.
fn operations_of_node(nodes: usize) -> f64 {
    2.0 * (15.0 + 30.0 + 60.0) * (nodes as f64).log2() / 3.0
}

pub(crate) fn units(scenes: &[SceneTimes], limits: &Limits) -> String {
    let both = || scenes.iter().flat_map(|scene| [&scene.early, &scene.late]);
    let stage = |phase: &Phase, name: &str| {
        let at = COLUMNS.iter().position(|stage| stage.name() == name).expect("a column");
        1e6 * phase.serial().stages()[at]
    };
    let row = |phase: &Phase| {
        let (solve, vortons) = (1e6 * phase.serial().solve(), phase.vortons as f64);
        let (of_node, of_pair, share) = match phase.solver {
            Solver::Mesh(nodes) => {
                let node = solve / nodes as f64;
                (node, f64::NAN, operations_of_node(nodes) / node / limits.separate)
            }
            Solver::Direct => {
                let pair = solve / (vortons * vortons);
                (f64::NAN, pair, OPERATIONS_WITH_GRADIENT / pair / limits.separate)
            }
            Solver::Nothing => (f64::NAN, f64::NAN, f64::NAN),
        };
        let tracer = stage(phase, "tracers") / phase.tracers.max(1) as f64;
        let others = ["baroclinic", "diffuse", "bodies"].map(|name| stage(phase, name) / vortons);
        let mut row = vec![
            phase.scene.into(),
            format!("{:.1}", phase.second),
            number(of_node),
            number(of_pair),
            percent(share),
            number(tracer),
        ];
        row.extend(others.map(|time| if time < 20.0 { "–".into() } else { number(time) }));
        row
    };
    let head = [
        "scene",
        "second",
        "solve, ns a node",
        "solve, ns a pair",
        "of the limit",
        "ns a tracer",
        "baroclinic, ns a vorton",
        "diffusion, ns a vorton",
        "bodies, ns a vorton",
    ];
    format!(
        "### What one costs\n\n\
         A velocity solve over the nodes of its mesh, or over pairs of vortons, and its share of the limit \"multiply and add, each rounded\": {OPERATIONS_WITH_GRADIENT} operations a pair,\n\
         and for a node those of the transforms alone. One thread.\n\n{}",
        table(1, &head, both().map(row))
    )
}

pub(crate) fn pairs(rates: &[Rate], limits: &Limits) -> String {
    let widest = |rate: &Rate| rate.set == limits.set;
    let row = |rate: &Rate| {
        let arithmetic = match rate.precision {
            Precision::Exact => Some(limits.separate),
            Precision::Fast => limits.fused,
        };
        let share = |pairs: f64, operations: f64| {
            or_dash(arithmetic.filter(|_| widest(rate)).map(|limit| percent(pairs * operations / limit)))
        };
        let is_exact = rate.precision == Precision::Exact && widest(rate);
        vec![
            format!("{}, {}", name_of(rate.set), format!("{:?}", rate.precision).to_lowercase()),
            number(rate.velocity),
            share(rate.velocity, OPERATIONS),
            or_dash(is_exact.then(|| percent(rate.velocity / limits.inverse_sqrt))),
            number(rate.flow),
            share(rate.flow, OPERATIONS_WITH_GRADIENT),
        ]
    };
    let head = [
        "instruction set, precision",
        "velocity, 10⁹ pairs/s",
        "of multiply and add",
        "of 1/√x",
        "with gradient, 10⁹ pairs/s",
        "of multiply and add",
    ];
    format!(
        "## 3. Velocity solvers\n\n\
         Direct sum on one core. Shares are of the limits in section 1, with {OPERATIONS} and {OPERATIONS_WITH_GRADIENT} operations a pair and one 1/√x.\n\n{}",
        table(1, &head, rates.iter().map(row))
    )
}

pub(crate) fn sizes(sizes: &[Sizes]) -> String {
    let row = |row: &Sizes| {
        vec![
            row.cloud.into(),
            row.count.to_string(),
            row.nodes.to_string(),
            or_dash(row.direct.map(number)),
            number(row.mesh),
            number(1e6 * row.mesh_solve / row.nodes.max(1) as f64),
            or_dash(row.direct.map(|direct| format!("{:.2}", direct / row.mesh))),
            if row.auto_takes_mesh { "mesh".into() } else { "direct".into() },
            format!("{:.2}", row.auto_over_best()),
        ]
    };
    let ratios = sizes.iter().map(Sizes::auto_over_best);
    let (count, sum, worst) =
        ratios.fold((0.0, 0.0, 0.0_f64), |(n, sum, worst), r| (n + 1.0, sum + r, worst.max(r)));
    let head = [
        "cloud",
        "vortons",
        "mesh nodes",
        "direct, ms",
        "mesh, ms",
        "mesh solve, ns a node",
        "direct : mesh",
        "Auto takes",
        "Auto : better",
    ];
    format!(
        "A step without tracers with each solver, one thread. `rings`: thick rings, a coherent flow; `scattered`: random strengths at random places, eight times as much\n\
         space for each vorton. A mesh costs by its nodes, so what counts is how much space the vortons take. `Auto` over the better of the two: {:.2} on average, {worst:.2} at worst.\n\n\
         ![Time against number](time_by_count.svg)\n\n{}",
        sum / count,
        table(1, &head, sizes.iter().map(row))
    )
}

pub(crate) fn accuracy(errors: &[Errors]) -> String {
    let row = |errors: &Errors| {
        vec![
            errors.cloud.into(),
            errors.settings.clone(),
            error(errors.at_vortons),
            error(errors.gradient_at_vortons),
            error(errors.at_tracers),
        ]
    };
    let head = ["cloud", "settings", "velocity at vortons", "gradient at vortons", "velocity at tracers"];
    format!(
        "## 4. Accuracy\n\n\
         Root mean square of the error over that of the exact values, which are the direct sum in double precision. Tracers are at random places in the box of the vortons.\n\
         Vortons read the mesh by the spline in any case; only tracers and other samples choose.\n\n{}",
        table(2, &head, errors.iter().map(row))
    )
}

pub(crate) fn tracers(kinds: &[Kind], limits: &Limits) -> String {
    let row = |kind: &Kind| {
        let of = |threads: usize| kind.nanoseconds.iter().find(|(n, _)| *n == threads).map(|(_, time)| *time);
        let one = of(1).unwrap_or(f64::NAN);
        vec![
            kind.name.into(),
            number(one),
            or_dash(of(2).map(number)),
            or_dash(of(2).map(|two| format!("{:.2}", one / two))),
            or_dash(kind.is_plain.then(|| percent(BYTES / one / limits.second_cache()))),
        ]
    };
    let head =
        ["tracers", "1 thread, ns each", "2 threads, ns each", "1 : 2 threads", "of the second cache's rate"];
    format!(
        "## 5. Tracers\n\nA tracer in a step, its sample of the velocity included; medians of steps in turns.\n\n{}",
        table(1, &head, kinds.iter().map(row))
    )
}

pub(crate) fn speed_up(threads: &[usize], lines: &[(String, Vec<f64>)]) -> String {
    let names: Vec<String> =
        threads.iter().map(|n| if *n == 1 { "1 thread".into() } else { format!("{n} threads") }).collect();
    let head: Vec<&str> = ["step"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let row = |(name, ratios): &(String, Vec<f64>)| {
        [name.clone()].into_iter().chain(ratios.iter().map(|ratio| format!("{ratio:.2}"))).collect()
    };
    format!(
        "## 6. Speed-up by threads\n\nTimes as fast as one thread; the scenes are developed, and their tracers count.\n\n![Speed-up](speed_up.svg)\n\n{}",
        table(1, &head, lines.iter().map(row))
    )
}

pub(crate) fn memory(memory: &Memory) -> String {
    let rows = [
        ("room for a vorton (`max_vortons`)", memory.vorton),
        ("room for a vorton, with viscosity", memory.diffusing_vorton),
        ("a node of the mesh in use", memory.node),
        ("room for a tracer", memory.tracer),
    ];
    let rows = rows.map(|(name, bytes)| vec![name.into(), format!("{bytes:.0}")]);
    format!(
        "## 7. Memory\n\nBytes on the heap for one more of each. Density has nodes of its own.\n\n{}\
         ## Beside this report\n\n\
         Five ways to add from many threads to one grid: [docs/scatter.md](../../docs/scatter.md),\n\
         measured by the bench `scatter`.\n",
        table(1, &["of", "bytes"], rows)
    )
}
