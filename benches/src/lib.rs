//! Common parts of the benches: worlds to measure, and the two backends to compare, by name.

pub mod clouds;
#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../fluid-threads/tests/hosts/mod.rs"]
mod hosts;
pub mod timing;

use fluid_core::initial::VortexRing;
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectSettings, FieldSampling, SolverKind, SourceCloud};
use fluid_scenes::Scene;
use fluid_threads::{Executor, Host, Pool, Serial};
use glam::Vec3;

/// Returns the serial executor, and a pool with one worker per processor.
pub fn backends() -> [(&'static str, Box<dyn Executor>); 2] {
    [("serial", Box::new(Serial)), ("pool", pool(processors()))]
}

/// Returns an executor on a host's job system, with one thread per processor, the calling one included.
pub fn host() -> (&'static str, Box<dyn Executor>) {
    ("host", Box::new(Host::new(processors(), hosts::Threads::start(processors() - 1))))
}

/// Returns the number of threads that this machine runs at a time.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Executors of 1, 2, 4 ... workers, and of `most`; the one with a single worker is serial.
pub fn executors(most: usize) -> Vec<(usize, Box<dyn Executor>)> {
    let mut workers: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < most).collect();
    workers.push(most.max(1));
    let executor = |n| if n == 1 { Box::new(Serial) } else { pool(n) };
    workers.into_iter().map(|n| (n, executor(n))).collect()
}

/// Returns executors with the same numbers of workers on a host's job system.
pub fn host_executors(most: usize) -> Vec<(usize, Box<dyn Executor>)> {
    let executor = |(n, serial)| match n {
        1 => (1, serial),
        n => (n, Box::new(Host::new(n, hosts::Threads::start(n - 1))) as Box<dyn Executor>),
    };
    executors(most).into_iter().map(executor).collect()
}

fn pool(workers: usize) -> Box<dyn Executor> {
    Box::new(Pool::new(workers).expect("threads can be started"))
}

/// Returns `count` points, uniform in the unit cube.
pub fn points(count: usize, seed: u64) -> Vec<Vec3> {
    let random = Random::new(seed);
    (0..count as u64).map(|n| random.centred_vec3(n)).collect()
}

/// Returns a cloud of `count` random vortons in the unit cube, core radius 1.25 mean spacings.
pub fn cloud(count: usize, settings: DirectSettings) -> (SourceCloud, Vec3Columns) {
    let columns = |seed| {
        let mut columns = Vec3Columns::with_capacity(count);
        points(count, seed).into_iter().for_each(|p| columns.push(p));
        columns
    };
    let (positions, strengths) = (columns(1), columns(2));
    let core_radius = 1.25 / (count as f32).cbrt();
    let mut cloud = SourceCloud::new(DirectSettings { core_radius, ..settings });
    cloud.set(&positions, &strengths);
    (cloud, positions)
}

/// Returns a simulation of a scene, ready to step.
pub fn simulation(scene: &Scene, solver: SolverKind, sampling: FieldSampling) -> VortexSim {
    let params = Params { solver, field_sampling: sampling, ..scene.params() };
    let mut sim = VortexSim::new(params).expect("scenes are valid");
    sim.add_vortons(&(scene.vortons)()).expect("there is room");
    sim
}

/// Returns a world of `count` vortons in a coherent flow, a stack of thick rings, for any count; spacing h,
/// core 1.5 h.
pub fn rings(count: usize, solver: SolverKind) -> VortexSim {
    // A thick ring of radius and thickness R has 2π² R³/h³ vortons, of which the profile's edge loses a few.
    let spacing = (2.0 * std::f32::consts::PI.powi(2) / 1024.0).cbrt();
    let mut vortons = Vec::new();
    for i in 0..count.div_ceil(1024) {
        let place = Vec3::new((i % 4) as f32, (i / 4 % 4) as f32, (i / 16) as f32) * 4.0;
        let ring = VortexRing {
            centre: place,
            axis: Vec3::X,
            radius: 1.0,
            thickness: 1.0,
            circulation: 1.0,
            spacing,
        };
        vortons.extend(ring.vortons().expect("in range"));
    }
    vortons.truncate(count);
    world(&vortons, spacing, solver)
}

/// Returns a world of these vortons `spacing` apart, core 1.5 spacings, with memory for a mesh of any size.
pub fn world(vortons: &[Vorton], spacing: f32, solver: SolverKind) -> VortexSim {
    let params = Params {
        core_radius: 1.5 * spacing,
        solver,
        max_vortons: vortons.len(),
        max_grid_nodes: 1 << 22,
        ..Params::default()
    };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(vortons).expect("there is room");
    sim
}

/// Returns `count` tracers at random positions in the bounding box of a scene's vortons, as in the
/// articles.
pub fn many_tracers(scene: &Scene, count: usize) -> Tracers {
    let places: Vec<Vec3> = (scene.vortons)().iter().map(|vorton| vorton.position).collect();
    let (low, high) =
        places.iter().fold((places[0], places[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let random = Random::new(6);
    let mut tracers = Tracers::with_capacity(count);
    for n in 0..count as u64 {
        tracers.push(0.5 * (low + high) + random.centred_vec3(n) * (high - low));
    }
    tracers
}
