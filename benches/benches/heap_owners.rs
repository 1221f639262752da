//! `cargo bench -p benches --bench heap_owners [-- scene ...]`: heap memory of developed scenes, by the
//! lines of the library that allocated it. `SECOND=2` measures at another time, `MOST=50` lists more lines.

use fluid_scenes::run::Run;
use fluid_scenes::{Scene, by_name};
use fluid_threads::Serial;
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Measured scenes, and the time of the measurement \[s\].
const SCENES: [(&str, f32); 4] =
    [("ring", 5.0), ("dye_drop", 5.0), ("hot_ball", 5.0), ("stratified_ball", 5.0)];
/// Smaller allocations are counted together \[bytes\].
const SMALL: usize = 1 << 10;
/// Number of callers in an owner's name.
const DEPTH: usize = 4;
/// Number of owners listed.
const MOST: usize = 30;

/// The system's allocator, with a record of the call stacks of live allocations.
struct Remembering;

#[global_allocator]
static ALLOCATOR: Remembering = Remembering;

/// By address: size in bytes, and the call stack of large allocations.
static HELD: Mutex<BTreeMap<usize, (usize, Option<Backtrace>)>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// True on threads with counted allocations. Initialised without allocating, and without a destructor.
    static COUNTS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `remember` without counting its allocations, if counting is on.
fn unless_nested(remember: impl FnOnce()) {
    if COUNTS.replace(false) {
        remember();
        COUNTS.set(true);
    }
}

fn taken(memory: *mut u8, bytes: usize) {
    unless_nested(|| {
        let way = (bytes >= SMALL).then(Backtrace::force_capture);
        HELD.lock().expect("not poisoned").insert(memory.addr(), (bytes, way));
    });
}

fn given_back(memory: *mut u8) {
    unless_nested(|| {
        HELD.lock().expect("not poisoned").remove(&memory.addr());
    });
}

// SAFETY: every call goes to the system's allocator unchanged; the record touches no memory that it
// returns.
unsafe impl GlobalAlloc for Remembering {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about `layout` is the one that the system's allocator requires.
        let memory = unsafe { System.alloc(layout) };
        taken(memory, layout.size());
        memory
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory = unsafe { System.alloc_zeroed(layout) };
        taken(memory, layout.size());
        memory
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        given_back(memory);
        // SAFETY: `memory` came from `System` with this layout, as does all memory returned here.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given_back(memory);
        // SAFETY: as for `dealloc`, and `size` is the caller's promise.
        let memory = unsafe { System.realloc(memory, layout, size) };
        taken(memory, size);
        memory
    }
}

/// Returns the innermost lines of the library in this call stack.
fn owner(way: &Backtrace) -> String {
    let text = way.to_string();
    let mut owners: Vec<String> = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let Some((_, function)) = line.split_once(": ") else { continue };
        let is_ours = (function.starts_with("fluid_") || function.starts_with("<fluid_"))
            && !function.contains("threads");
        if !is_ours {
            continue;
        }
        let place = lines.next().and_then(|at| at.rsplit_once("/src/")).map_or("", |(_, place)| place);
        let place = place.rsplit_once(':').map_or(place, |(place, _)| place);
        owners.push(place.to_owned());
        if owners.len() == DEPTH {
            break;
        }
    }
    owners.join(" < ")
}

fn number(name: &str) -> Option<f32> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Develops a scene and lists its heap memory.
fn list(scene: &Scene, second: f32) {
    COUNTS.set(true);
    let mut run = Run::new(scene).expect("scenes are valid");
    for _ in 0..(second / scene.dt).round() as usize {
        run.frame(&Serial).expect("a finite step");
    }
    COUNTS.set(false);
    let held = HELD.lock().expect("not poisoned");
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for (bytes, way) in held.values() {
        *owners.entry(way.as_ref().map_or("small pieces".into(), owner)).or_default() += bytes;
    }
    let whole: usize = owners.values().sum();
    let stats = run.sim.stats();
    println!(
        "\n{} at {second} s: {:.2} MB, {} vortons of {}, {} tracers, {} nodes",
        scene.name,
        whole as f64 / 1e6,
        run.sim.vortons().len(),
        run.sim.params().max_vortons,
        run.tracers.len(),
        stats.mesh_nodes,
    );
    let mut owners: Vec<_> = owners.into_iter().collect();
    owners.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
    for (owner, bytes) in owners.into_iter().take(number("MOST").map_or(MOST, |most| most as usize)) {
        println!("{:>12} {:>5.1} %  {owner}", bytes, 100.0 * bytes as f64 / whole as f64);
    }
    drop(held);
    COUNTS.set(true);
    drop(run);
    COUNTS.set(false);
    HELD.lock().expect("not poisoned").clear();
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    for (name, second) in SCENES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            list(by_name(name).expect("a scene"), number("SECOND").unwrap_or(second));
        }
    }
}
