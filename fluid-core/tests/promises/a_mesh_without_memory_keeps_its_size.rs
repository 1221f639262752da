//! A mesh that gets no memory to grow keeps its size: vortons outside are summed directly, so the flow is the
//! same within the accuracy of a mesh.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, SolverKind, VelocityField};
use fluid_threads::{Executor, Serial};
use glam::Vec3;
use std::sync::atomic::{AtomicUsize, Ordering};

const SPACING: f32 = 0.25;
const CORE: f32 = 1.5 * SPACING;

/// The calling thread, with so much memory for boxes of other sizes.
struct WithMemory {
    bytes: AtomicUsize,
}

impl WithMemory {
    fn of(bytes: usize) -> Self {
        Self { bytes: AtomicUsize::new(bytes) }
    }
}

// SAFETY: as `Serial`, which runs everything.
unsafe impl Executor for WithMemory {
    fn worker_count(&self) -> usize {
        Serial.worker_count()
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        Serial.run(chunks, body);
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        Serial.enter(body);
    }

    fn has_memory(&self, bytes: usize) -> bool {
        bytes <= self.bytes.load(Ordering::Relaxed)
    }
}

fn ring(x: f32) -> Vec<Vorton> {
    let ring = VortexRing {
        centre: Vec3::X * x,
        axis: Vec3::X,
        radius: 1.0,
        thickness: 1.0,
        circulation: 20.0,
        spacing: SPACING,
    };
    ring.vortons().expect("in range")
}

/// A ring, and after ten steps another one; from then on there is so much memory.
fn two_rings(solver: SolverKind, executors: [&dyn Executor; 2]) -> VortexSim {
    let field_sampling = FieldSampling::QuadraticSpline;
    let params = Params { solver, field_sampling, ..common::inviscid(CORE) };
    let mut sim = common::world(params, &ring(0.0));
    let take = |sim: &mut VortexSim, exec: &dyn Executor| {
        for _ in 0..10 {
            sim.step(exec, &mut NoBodies, 1.0 / 90.0).expect("in range");
        }
    };
    take(&mut sim, executors[0]);
    sim.add_vortons(&ring(6.0)).expect("valid vortons");
    take(&mut sim, executors[1]);
    sim
}

fn velocities(sim: &VortexSim) -> Vec<Vec3> {
    let places: Vec<Vec3> = (0..60_u8).map(|i| Vec3::new(-2.0 + 0.2 * f32::from(i), 0.4, -0.3)).collect();
    let mut found = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut found);
    found
}

fn root_mean_square(values: impl Iterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0, 0.0_f32);
    for value in values {
        sum += value * value;
        count += 1.0;
    }
    (sum / count).sqrt()
}

#[test]
fn and_the_flow_is_that_of_all_vortons() {
    let (enough, none) = (WithMemory::of(usize::MAX), WithMemory::of(0));
    let exact = two_rings(SolverKind::Direct, [&Serial, &Serial]);
    let grown = two_rings(SolverKind::Mesh, [&enough, &enough]);
    let kept = two_rings(SolverKind::Mesh, [&enough, &none]);
    let direct = two_rings(SolverKind::Mesh, [&none, &none]);
    let nodes = |sim: &VortexSim| sim.stats().mesh_nodes;
    assert!(nodes(&grown) > nodes(&kept) && nodes(&kept) > 0 && nodes(&direct) == 0);
    let outside = |sim: &VortexSim| sim.stats().mesh_outside;
    let count = ring(0.0).len();
    assert_eq!([outside(&grown), outside(&direct)], [0, 2 * count]);
    assert!((count..count + count / 4).contains(&outside(&kept)), "{} of {count}", outside(&kept));
    let expected = velocities(&exact);
    let largest = root_mean_square(expected.iter().map(|v| v.length()));
    for (name, sim, most) in [("grown", &grown, 0.01), ("kept", &kept, 0.01), ("direct", &direct, 1e-5)] {
        let found = velocities(sim);
        let error = root_mean_square(found.iter().zip(&expected).map(|(a, b)| a.distance(*b))) / largest;
        println!("{name}: {} nodes, {} outside, {error:.1e} off", nodes(sim), outside(sim));
        assert!(error < most, "{name}: {error}");
    }
}

/// Once there is memory, the mesh grows as if there had always been.
#[test]
fn until_there_is_memory_again() {
    let (enough, none) = (WithMemory::of(usize::MAX), WithMemory::of(0));
    let mut sim = two_rings(SolverKind::Mesh, [&enough, &none]);
    sim.step(&none, &mut NoBodies, 1.0 / 90.0).expect("in range");
    assert!(sim.stats().mesh_outside > 0);
    for _ in 0..30 {
        sim.step(&enough, &mut NoBodies, 1.0 / 90.0).expect("in range");
    }
    assert_eq!(sim.stats().mesh_outside, 0);
}
