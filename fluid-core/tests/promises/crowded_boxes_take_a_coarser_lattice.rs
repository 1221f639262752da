//! If the largest mesh on the finest lattice leaves many vortons outside, a coarser lattice that contains
//! them is used, because summing them would cost more than the mesh. Velocities stay within a few percent
//! of the direct sum, and the finest lattice returns when the vortons fit again.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{Noise, VortexRing};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FlowSample, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

const SPACING: f32 = 0.25;

/// Returns thick rings around these points, each with a different axis.
fn rings(centres: &[Vec3]) -> Vec<Vorton> {
    let ring = |(i, &centre): (usize, &Vec3)| {
        let axis = Random::new(7).centred_vec3(i as u64).normalize();
        let ring =
            VortexRing { centre, axis, radius: 1.0, thickness: 1.0, circulation: 5.0, spacing: SPACING };
        ring.vortons().expect("in range")
    };
    centres.iter().enumerate().flat_map(ring).collect()
}

/// Returns a cluster of rings too large for the finest lattice's largest box.
fn cluster() -> Vec<Vorton> {
    rings(&[
        Vec3::ZERO,
        Vec3::new(3.2, 0.4, 0.0),
        Vec3::new(0.0, 3.2, 0.4),
        Vec3::new(0.4, 0.0, 3.2),
        Vec3::new(3.2, 3.0, 3.1),
    ])
}

fn params(solver: SolverKind) -> Params {
    Params { solver, max_grid_nodes: 50_000, ..common::inviscid(1.5 * SPACING) }
}

fn flow(sim: &VortexSim, places: &[Vec3]) -> Vec<FlowSample> {
    let mut flow = vec![FlowSample::default(); places.len()];
    sim.field().flow(places, &mut flow);
    flow
}

fn nodes_per_core(sim: &VortexSim) -> f32 {
    sim.stats().nodes_per_core
}

#[test]
fn all_are_inside_and_velocities_within_a_few_percent() {
    let vortons = cluster();
    let mut mesh = common::world(params(SolverKind::Mesh), &vortons);
    let mut direct = common::world(params(SolverKind::Direct), &vortons);
    for sim in [&mut mesh, &mut direct] {
        sim.step(&Serial, &mut NoBodies, 0.0).expect("finite");
    }
    let stats = mesh.stats();
    println!("{} nodes, {} a core, {} outside", stats.mesh_nodes, stats.nodes_per_core, stats.mesh_outside);
    assert!(stats.nodes_per_core < 1.5 && stats.nodes_per_core >= 1.0, "{}", stats.nodes_per_core);
    assert!(stats.mesh_nodes <= 50_000 && stats.mesh_outside * 50 < vortons.len());
    assert_eq!(nodes_per_core(&direct), 0.0);

    let places = common::positions(&direct);
    let (found, exact) = (flow(&mesh, &places), flow(&direct, &places));
    let square = |of: &dyn Fn(usize) -> Vec3| (0..places.len()).map(|i| of(i).length_squared()).sum::<f32>();
    let error = square(&|i| found[i].velocity - exact[i].velocity) / square(&|i| exact[i].velocity);
    println!("velocities are off by {:.2} %", 100.0 * error.sqrt());
    assert!(error.sqrt() < 0.03, "{}", error.sqrt());
}

#[test]
fn the_finest_lattice_comes_back_with_the_room() {
    let mut sim = common::world(params(SolverKind::Mesh), &cluster());
    common::steps(&mut sim, 0.01, 3);
    assert!(nodes_per_core(&sim) < 1.5);
    let far = |row: &usize| sim.vortons().positions.get(*row).length() > 1.7;
    let ids: Vec<u64> = (0..sim.vortons().len()).filter(far).map(|row| sim.vortons().ids[row]).collect();
    assert_eq!(sim.remove_vortons(&ids), ids.len());
    common::steps(&mut sim, 0.01, 20);
    assert_eq!((nodes_per_core(&sim), sim.stats().mesh_outside), (1.5, 0));

    // A cloud that is cleared and refilled counts as new.
    let mut sim = common::world(params(SolverKind::Mesh), &cluster());
    common::steps(&mut sim, 0.01, 3);
    sim.clear_vortons();
    sim.add_vortons(&rings(&[Vec3::ZERO])).expect("room");
    common::steps(&mut sim, 0.01, 1);
    assert_eq!(nodes_per_core(&sim), 1.5);
}

/// Two clusters far apart have a box each.
#[test]
fn what_is_far_away_does_not_make_it_coarse() {
    let vortons = rings(&[Vec3::ZERO, Vec3::new(60.0, 10.0, 3.0)]);
    let mut sim = common::world(params(SolverKind::Mesh), &vortons);
    for _ in 0..20 {
        common::steps(&mut sim, 0.01, 1);
        assert_eq!(nodes_per_core(&sim), 1.5);
        assert_eq!(sim.stats().mesh_outside, 0);
    }
}

/// The cluster spreads, and lattices change. Its energy, summed over pairs in f64, exceeds the initial value
/// by less than 2 %.
#[test]
fn lattices_that_change_make_no_energy() {
    let params = Params { energy_budget: true, ..params(SolverKind::Mesh) };
    let mut sim = common::world(params, &cluster());
    let first = sim.pair_sums(&Serial).energy;
    let (mut changes, mut last, mut most) = (0, 1.5, 0.0_f64);
    for step in 1..=160 {
        common::steps(&mut sim, 0.02, 1);
        changes += u32::from(nodes_per_core(&sim) != last);
        last = nodes_per_core(&sim);
        if step % 20 == 0 {
            most = most.max(sim.pair_sums(&Serial).energy / first);
        }
    }
    println!("{changes} changes, at most {most:.4} of the energy");
    assert!((2..=12).contains(&changes), "{changes} changes");
    // The mesh measures energies to about a percent on the coarser lattices.
    assert!(most < 1.02, "{most}");
    assert_eq!(sim.vortons().len(), cluster().len());
}

/// Lattices measure different energies of noise. Noise that crowds the box must not grow by the difference.
#[test]
fn rough_clouds_gain_nothing_by_a_change() {
    let noise = |x: f32, seed: u64| {
        let (extent, spacing) = (Vec3::splat(1.2), 0.1);
        let centre = Vec3::X * x;
        Noise { centre, extent, spacing, amplitude: 100.0, seed }.vortons().expect("in range")
    };
    let params = Params { core_radius: 0.15, solver: SolverKind::Mesh, ..Params::default() };
    let mut sim = common::world(Params { max_grid_nodes: 24_000, ..params }, &noise(0.0, 1));
    common::steps(&mut sim, 1.0 / 120.0, 20);
    assert_eq!(nodes_per_core(&sim), 1.5);
    sim.add_vortons(&noise(3.0, 2)).expect("room");
    let (mut least, mut rise) = (f64::INFINITY, 1.0_f64);
    for _ in 0..25 {
        common::steps(&mut sim, 1.0 / 120.0, 4);
        assert!(nodes_per_core(&sim) < 1.5);
        let energy = sim.pair_sums(&Serial).energy;
        least = least.min(energy);
        rise = rise.max(energy / least);
    }
    println!("energy rises by {:.2} %", 100.0 * (rise - 1.0));
    assert!(rise < 1.05, "{rise}");
}
