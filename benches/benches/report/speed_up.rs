//! Work without a scene, on an increasing number of threads.

use benches::timing::{interleaved, least};
use benches::{many_tracers, rings, simulation};
use fluid_core::boundary::NoBodies;
use fluid_core::velocity::{FieldSampling, SolverKind};
use fluid_scenes::by_name;
use fluid_threads::{Executor, Serial};

const ROUNDS: usize = 9;
const DIRECT: usize = 4096;
const MESH: usize = 65_536;
const TRACERS: usize = 262_144;

/// The times \[s\] of one task with each executor.
pub(crate) struct Times {
    pub(crate) name: String,
    pub(crate) seconds: Vec<f64>,
}

/// Measures a step of many vortons by direct sum and on the mesh, and many tracers.
pub(crate) fn measure(executors: &[(usize, Box<dyn Executor>)]) -> Vec<Times> {
    let scene = by_name("ring").expect("a scene of the table");
    let mut calls: Vec<Box<dyn FnMut()>> = Vec::new();
    for (kind, count) in [(SolverKind::Direct, DIRECT), (SolverKind::Mesh, MESH)] {
        for (_, exec) in executors {
            let mut sim = rings(count, kind);
            // Two at a time, because every second step computes the energy.
            calls.push(Box::new(move || {
                (0..2).for_each(|_| sim.step(&**exec, &mut NoBodies, 1e-6).expect("dt is finite"));
            }));
        }
    }
    for (_, exec) in executors {
        let mut sim = simulation(scene, SolverKind::Mesh, FieldSampling::Trilinear);
        sim.step(&Serial, &mut NoBodies, 0.0).expect("dt is finite");
        let mut tracers = many_tracers(scene, TRACERS);
        calls.push(Box::new(move || sim.advance_tracers(&**exec, &mut NoBodies, &mut tracers, 1e-6)));
    }
    let times = interleaved(ROUNDS, &mut calls);
    let names = [
        format!("{DIRECT} vortons, direct sum"),
        format!("{MESH} vortons, mesh"),
        format!("{TRACERS} tracers"),
    ];
    let of = |(name, times): (String, &[Vec<f64>])| Times {
        name,
        seconds: times.iter().map(|times| least(times)).collect(),
    };
    names.into_iter().zip(times.chunks(executors.len())).map(of).collect()
}
