//! What the benches share: worlds to measure and the two backends to compare, by name.

use fluid_core::math::{Random, Vec3Columns};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectSettings, SourceCloud};
use fluid_scenes::Scene;
use fluid_threads::{Executor, Pool, Serial};
use glam::Vec3;

/// Serial against a pool with one worker for each processor.
pub fn backends() -> [(&'static str, Box<dyn Executor>); 2] {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool::new(workers).expect("threads can be started");
    [("serial", Box::new(Serial)), ("pool", Box::new(pool))]
}

/// `count` points, uniform in the unit cube.
pub fn points(count: usize, seed: u64) -> Vec<Vec3> {
    let random = Random::new(seed);
    (0..count as u64).map(|n| random.centred_vec3(n)).collect()
}

/// A cloud of `count` random vortons in the unit cube, core radius 1.25 mean spacings.
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

/// A simulation of a scene, ready to step.
pub fn simulation(scene: &Scene) -> VortexSim {
    let vortons = (scene.vortons)();
    let params = Params {
        core_radius: scene.core_radius,
        relaxation_rate: scene.relaxation_rate,
        max_vortons: vortons.len(),
        ..Params::default()
    };
    let mut sim = VortexSim::new(params).expect("scenes are valid");
    sim.add_vortons(&vortons).expect("there is room");
    sim
}
