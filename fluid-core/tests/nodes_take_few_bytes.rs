//! Memory of a step per node of the mesh and of density, which use the same working memory one after the
//! other. The only test in its binary, because its threads share one counter.

mod common;
mod counting;

use common::{random_cloud, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::Vec3;

#[test]
fn as_the_mesh_and_density_share_theirs() {
    let params = Params {
        core_radius: 0.2,
        max_vortons: 800,
        solver: SolverKind::Mesh,
        gravity: Vec3::NEG_Z,
        ..Params::default()
    };
    let vortons: Vec<_> = weakened(random_cloud(400, 43), 0.01)
        .into_iter()
        .map(|v| Vorton { volume: 1e-3, mass_deviation: 1e-4, ..v })
        .collect();
    let mut sim = world(params, &vortons);
    let before = counting::bytes();
    for _ in 0..10 {
        sim.step(&Serial, &mut NoBodies, 0.01).expect("dt is finite");
    }
    let held = counting::bytes() - before;
    let (mesh, density) = (sim.stats().mesh_nodes, sim.field().scalar_grid().nodes().len());
    assert!(mesh > 10_000 && density > 10_000, "{mesh} and {density} nodes");
    let each = held as f64 / (mesh + density) as f64;
    println!("{each:.0} bytes for each of {mesh} nodes of the mesh and {density} of density");
    assert!(each <= MOST, "{each:.0} bytes a node");
}

/// It was 152 when each had separate memory. Now it is 105.01, of which some hundredths are the clouds of the
/// far field, which have room for a tree each.
const MOST: f64 = 105.1;
