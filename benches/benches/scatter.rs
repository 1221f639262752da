//! Comparison of the strategies for adding from many vortons to one grid: figure 7 of part 14, for its
//! poisoning of the density gradient and for the deposit.
//!
//! `cargo bench -p benches --bench scatter` measures a few sizes, like the other benches. With `-- --plot
//! PATH` (relative to the repository's root) it sweeps all sizes, prints the tables of `docs/scatter.md`
//! and draws its picture, in a few minutes.

use benches::{executors, processors};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use fluid_core::math::Random;
use fluid_threads::{
    Addend, AtomicF32, Contributions, Executor, Scatter, ScatterMemory, Serial, for_each_chunk,
};
use glam::Vec3;
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Distribution of the vortons in a cubic grid of about as many cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Uniform, one to eight cells.
    Sparse,
    /// Uniform, one to a cell.
    Spread,
    /// Uniform, eight to a cell.
    Dense,
    /// All in eight cells in the middle of a grid with one cell for each.
    Clustered,
}

const PLACES: [(Place, &str); 4] = [
    (Place::Sparse, "one to eight cells"),
    (Place::Spread, "one to a cell"),
    (Place::Dense, "eight to a cell"),
    (Place::Clustered, "all in eight cells"),
];

/// Vortons in a grid; lengths in cells. In random order, as after a while in a simulation.
struct Vortons {
    side: usize,
    places: Vec<Vec3>,
    others: Vec<Vec3>,
    gradient: Vec<Vec3>,
}

impl Vortons {
    fn new(count: usize, place: Place) -> Self {
        let per_cell = match place {
            Place::Sparse => 0.125,
            Place::Dense => 8.0,
            Place::Spread | Place::Clustered => 1.0,
        };
        // One cell of margin on each side, for the 27 nodes.
        let box_side = (count as f32 / per_cell).cbrt().round().max(2.0);
        let side = box_side as usize + 2;
        // Slightly smaller than the box, so that rounding cannot leave it.
        let extent = if place == Place::Clustered { 2.0 } else { box_side - 0.01 };
        let vectors = |seed: u64, count: usize| {
            let random = Random::new(seed);
            (0..count as u64).map(|n| random.centred_vec3(n)).collect::<Vec<_>>()
        };
        let middle = Vec3::splat(0.5 * (side as f32 - 1.0));
        let places = vectors(1, count).into_iter().map(|p| middle + p * extent).collect();
        Self { side, places, others: vectors(2, count), gradient: vectors(3, side.pow(3)) }
    }

    /// Returns the index of the node in the cell's low corner, and the strides to the next row and plane.
    #[inline(always)]
    fn node(&self, cell: Vec3) -> (u32, [u32; 2]) {
        let (row, plane) = (self.side as u32, (self.side * self.side) as u32);
        (cell.x as u32 + cell.y as u32 * row + cell.z as u32 * plane, [row, plane])
    }
}

/// Part 14's RemoveComponent: each vorton that has hit a wall removes the gradient's component along the
/// wall's normal at the 8 nodes around it. (From the initial gradient: the article's threads read while
/// others write, so their result depends on the order.)
struct Poisoning<'a>(&'a Vortons);

impl Contributions<[f32; 3], 8> for Poisoning<'_> {
    #[inline(always)]
    fn visit(&self, vorton: usize, mut add: impl FnMut(u32, [f32; 3])) {
        let Self(vortons) = self;
        let normal = vortons.others[vorton];
        let (corner, [row, plane]) = vortons.node(vortons.places[vorton]);
        for node in [corner, corner + row, corner + plane, corner + plane + row] {
            for node in [node, node + 1] {
                let removed = -vortons.gradient[node as usize].dot(normal) * normal;
                add(node, [removed.x, removed.y, removed.z]);
            }
        }
    }
}

/// The quadratic spline's 27 weights of four floats, such as strength and volume.
struct Deposit<'a>(&'a Vortons);

impl Contributions<[f32; 4], 27> for Deposit<'_> {
    #[inline(always)]
    fn visit(&self, vorton: usize, mut add: impl FnMut(u32, [f32; 4])) {
        let Self(vortons) = self;
        let (value, place) = (vortons.others[vorton], vortons.places[vorton]);
        let nearest = Vec3::new(whole(place.x + 0.5), whole(place.y + 0.5), whole(place.z + 0.5));
        let t = place - nearest;
        let (base, [row, plane]) = vortons.node(nearest - 1.0);
        for (z, wz) in weights(t.z).into_iter().enumerate() {
            for (y, wy) in weights(t.y).into_iter().enumerate() {
                for (x, wx) in weights(t.x).into_iter().enumerate() {
                    let w = wx * (wy * wz);
                    let node = base + x as u32 + y as u32 * row + z as u32 * plane;
                    add(node, [w * value.x, w * value.y, w * value.z, w]);
                }
            }
        }
    }
}

/// Truncates; a cast is one instruction, `trunc` is a function call.
#[inline(always)]
fn whole(x: f32) -> f32 {
    x as i32 as f32
}

/// Weights of the nodes at -1, 0 and 1 for a position `t` from -1/2 to 1/2.
#[inline(always)]
fn weights(t: f32) -> [f32; 3] {
    let (below, above) = (0.5 * (0.5 - t) * (0.5 - t), 0.5 * (0.5 + t) * (0.5 + t));
    [below, 1.0 - (below + above), above]
}

/// The library's strategies, and the article's naive one: unsynchronised additions, some of which are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Of(Scatter),
    Naive,
}

/// All that are compared with [`Scatter::Serial`], with their colours.
const WAYS: [(Way, RGBColor); 5] = [
    (Way::Of(Scatter::Atomic), RGBColor(31, 98, 176)),
    (Way::Naive, RGBColor(150, 150, 150)),
    (Way::Of(Scatter::PrivateGrids), RGBColor(222, 130, 20)),
    (Way::Of(Scatter::ColouredSlabs), RGBColor(190, 30, 45)),
    (Way::Of(Scatter::SortedSegments), RGBColor(30, 140, 70)),
];

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Of(scatter) => scatter.name(),
            Way::Naive => "naive",
        }
    }

    fn add<const K: usize, const L: usize>(
        self,
        exec: &dyn Executor,
        count: usize,
        payload: &impl Contributions<[f32; L], K>,
        memory: &mut ScatterMemory<[f32; L]>,
        grid: &mut [[f32; L]],
    ) {
        let Way::Of(scatter) = self else {
            let lanes = AtomicF32::from_mut_slice(Addend::lanes(grid));
            // Separate loads and stores, not one operation: a race without undefined behaviour.
            return for_each_chunk(exec, count, 256, &|range| {
                range.for_each(|row| {
                    payload.visit(row, |cell, value| {
                        for (sum, value) in lanes[cell as usize * L..][..L].iter().zip(value) {
                            sum.store(sum.load(Relaxed) + value, Relaxed);
                        }
                    });
                });
            });
        };
        scatter.add(exec, count, payload, memory, grid);
    }
}

/// A few sizes, measured like the other benches.
fn scatters(c: &mut Criterion) {
    for (place, name) in [PLACES[1], PLACES[3]] {
        for count in [1024, 16_384, 262_144] {
            let vortons = Vortons::new(count, place);
            let at = format!("{name}/{count}");
            bench(c, "scatter_poisoning", &at, &vortons, &Poisoning(&vortons));
            bench(c, "scatter_deposit", &at, &vortons, &Deposit(&vortons));
        }
    }
}

fn bench<const K: usize, const L: usize>(
    c: &mut Criterion,
    group: &str,
    at: &str,
    vortons: &Vortons,
    payload: &impl Contributions<[f32; L], K>,
) {
    let mut group = c.benchmark_group(group);
    let count = vortons.places.len();
    group.throughput(Throughput::Elements(count as u64));
    let mut grid = vec![[0.0; L]; vortons.gradient.len()];
    for (workers, exec) in executors(processors()) {
        for scatter in Scatter::ALL {
            let mut memory = ScatterMemory::default();
            let id = BenchmarkId::new(format!("{}/{workers}", scatter.name()), at);
            group.bench_function(id, |b| {
                b.iter(|| scatter.add(&*exec, count, payload, &mut memory, &mut grid))
            });
        }
    }
}

/// Vorton counts of the sweep.
const COUNTS: [usize; 9] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18];
/// Rounds of the sweep. A round measures everything once; the least time of all rounds counts, because
/// other activity of the machine only adds time.
const ROUNDS: u32 = 30;
/// Least duration of one measurement, over as many calls as needed.
const LEAST: Duration = Duration::from_micros(500);

/// Least seconds of a call so far: of serial, and of each of [`WAYS`] with each of the executors.
struct Row {
    vortons: Vortons,
    pick: Scatter,
    serial: f64,
    ways: Vec<Vec<f64>>,
}

impl Row {
    fn new<const K: usize>(count: usize, place: Place, executors: usize) -> Self {
        let vortons = Vortons::new(count, place);
        let pick = Scatter::by_size(count, K, vortons.gradient.len());
        Self { vortons, pick, serial: f64::INFINITY, ways: vec![vec![f64::INFINITY; executors]; WAYS.len()] }
    }

    fn count(&self) -> usize {
        self.vortons.places.len()
    }

    /// Returns the speed relative to serial.
    fn ratio(&self, way: usize, exec: usize) -> f64 {
        self.serial / self.ways[way][exec]
    }
}

/// Measures everything once.
fn measure<const K: usize, const L: usize>(
    executors: &[(usize, Box<dyn Executor>)],
    vortons: &Vortons,
    payload: &impl Contributions<[f32; L], K>,
    (serial, ways): (&mut f64, &mut [Vec<f64>]),
) {
    let count = vortons.places.len();
    let mut grid = vec![[0.0; L]; vortons.gradient.len()];
    let mut memory = ScatterMemory::default();
    let mut time = |way: Way, exec: &dyn Executor, least: &mut f64| {
        // Entered once, as in a step.
        exec.enter(&mut || {
            way.add(exec, count, payload, &mut memory, &mut grid);
            let (start, mut calls) = (Instant::now(), 0);
            while calls == 0 || start.elapsed() < LEAST {
                way.add(exec, count, payload, &mut memory, &mut grid);
                calls += 1;
            }
            *least = least.min(start.elapsed().as_secs_f64() / f64::from(calls));
        });
    };
    time(Way::Of(Scatter::Serial), &Serial, serial);
    for ((way, _), times) in WAYS.iter().zip(ways) {
        for ((_, exec), least) in executors.iter().zip(times) {
            time(*way, &**exec, least);
        }
    }
}

/// One payload and distribution.
struct Panel {
    poisoning: bool,
    title: String,
    rows: Vec<Row>,
}

/// Measures everything, prints the tables and draws the picture.
fn sweep(path: &Path) -> Result<(), Box<dyn Error>> {
    let executors = executors(processors());
    let workers: Vec<usize> = executors.iter().map(|(workers, _)| *workers).collect();
    let mut panels = Vec::new();
    for poisoning in [true, false] {
        for (place, name) in PLACES {
            let rows = COUNTS.map(|count| match poisoning {
                true => Row::new::<8>(count, place, workers.len()),
                false => Row::new::<27>(count, place, workers.len()),
            });
            let title = format!("{}, {name}", if poisoning { "poisoning" } else { "deposit" });
            panels.push(Panel { poisoning, title, rows: rows.into() });
        }
    }
    for round in 0..ROUNDS {
        eprintln!("round {} of {ROUNDS}", round + 1);
        for panel in &mut panels {
            for Row { vortons, serial, ways, .. } in &mut panel.rows {
                match panel.poisoning {
                    true => measure(&executors, vortons, &Poisoning(vortons), (serial, ways)),
                    false => measure(&executors, vortons, &Deposit(vortons), (serial, ways)),
                }
            }
        }
    }
    for panel in &panels {
        println!("{}", table(panel, &workers)?);
    }
    draw(&panels, &workers, path)
}

/// Lists the speed of each strategy relative to serial, and the size from which on it is faster.
fn table(panel: &Panel, workers: &[usize]) -> Result<String, std::fmt::Error> {
    let mut text = format!("**{}**\n\n| vortons | serial, µs |", panel.title);
    let columns = || (0..WAYS.len()).flat_map(|way| (0..workers.len()).map(move |exec| (way, exec)));
    for (way, exec) in columns() {
        write!(text, " {} {} |", WAYS[way].0.name(), workers[exec])?;
    }
    write!(text, " default |\n|{}", "---|".repeat(3 + columns().count()))?;
    for row in &panel.rows {
        write!(text, "\n| {} | {:.1} |", row.count(), 1e6 * row.serial)?;
        for (way, exec) in columns() {
            write!(text, " {:.2} |", row.ratio(way, exec))?;
        }
        write!(text, " {} |", row.pick.name())?;
    }
    write!(text, "\n| faster from | |")?;
    for (way, exec) in columns() {
        // The last size at which it is not faster; the next one is the crossover.
        let slower = panel.rows.iter().rposition(|row| row.ratio(way, exec) <= 1.0);
        match panel.rows.get(slower.map_or(0, |last| last + 1)) {
            Some(row) => write!(text, " {} |", row.count())?,
            None => write!(text, " never |")?,
        }
    }
    writeln!(text, " |")?;
    Ok(text)
}

/// Draws the speed relative to serial against the number of vortons, a panel for each payload and
/// distribution: dashed with one worker, solid with the most.
fn draw(panels: &[Panel], workers: &[usize], path: &Path) -> Result<(), Box<dyn Error>> {
    let font = |size: u32| ("sans-serif", size).into_font();
    let root = SVGBackend::new(path, (1760, 940)).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(90);
    let last = workers.len() - 1;
    let title = "Adding from vortons to a grid: times as fast as one thread that adds particle by particle";
    head.draw(&Text::new(title, (20, 14), font(22)))?;
    for (i, (way, colour)) in WAYS.iter().enumerate() {
        let x = 20 + 175 * i as i32;
        head.draw(&PathElement::new([(x, 66), (x + 30, 66)], colour.stroke_width(3)))?;
        head.draw(&Text::new(way.name(), (x + 38, 58), font(17)))?;
    }
    let key = format!(
        "drawn through: {} threads; dashed: 1 thread; black: serial; circles: the default, {0} threads",
        workers[last]
    );
    head.draw(&Text::new(key, (930, 58), font(17)))?;

    for (panel, area) in panels.iter().zip(body.split_evenly((2, PLACES.len()))) {
        let (low, high) = (COUNTS[0] as f64, COUNTS[COUNTS.len() - 1] as f64);
        let mut chart = ChartBuilder::on(&area)
            .caption(&panel.title, font(19))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(58)
            .build_cartesian_2d((low..high).log_scale().base(2.0), (1.0 / 32.0..8.0).log_scale().base(2.0))?;
        chart
            .configure_mesh()
            .x_desc("vortons")
            .y_desc("times as fast as serial")
            .x_labels(9)
            .y_labels(9)
            .x_label_formatter(&|count| format!("{:.0}k", count / 1024.0))
            .y_label_formatter(&|ratio| {
                if *ratio < 1.0 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.0}") }
            })
            .label_style(font(14))
            .axis_desc_style(font(15))
            .light_line_style(TRANSPARENT)
            .draw()?;
        chart.draw_series(LineSeries::new([(low, 1.0), (high, 1.0)], BLACK.stroke_width(2)))?;
        for (way, (_, colour)) in WAYS.iter().enumerate() {
            let line = |exec: usize| {
                panel.rows.iter().map(move |row| (row.count() as f64, row.ratio(way, exec).max(1.0 / 32.0)))
            };
            chart.draw_series(DashedLineSeries::new(line(0), 6, 5, colour.stroke_width(1)))?;
            if last > 0 {
                chart.draw_series(LineSeries::new(line(last), colour.stroke_width(3)))?;
            }
        }
        let picks = panel.rows.iter().map(|row| {
            let way = WAYS.iter().position(|(way, _)| *way == Way::Of(row.pick));
            let ratio = way.map_or(1.0, |way| row.ratio(way, last));
            Circle::new((row.count() as f64, ratio), 6, BLACK.stroke_width(2))
        });
        chart.draw_series(picks)?;
    }
    root.present()?;
    Ok(())
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    targets = scatters
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--plot");
    if arguments.next().is_some() {
        let path = arguments.next().ok_or("--plot needs a path")?;
        // Cargo runs benches in their package's folder; the path is relative to the repository's root.
        return sweep(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path));
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
    Ok(())
}
