//! Clusters of vortons far apart have a box of nodes each (E67), with default settings: they cost what they
//! cost alone, and act on each other as the direct sum says.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::initial::VortexRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FlowSample, SolverKind, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

const SPACING: f32 = 0.1;

fn ring(centre: Vec3, axis: Vec3, circulation: f32) -> Vec<Vorton> {
    let ring = VortexRing { centre, axis, radius: 0.5, thickness: 0.5, circulation, spacing: SPACING };
    ring.vortons().expect("in range")
}

/// Places of the clusters: two on a line, four in a plane, and seven anywhere.
fn places(count: usize) -> Vec<Vec3> {
    match count {
        2 => vec![Vec3::ZERO, Vec3::new(4.0, 0.3, 0.0)],
        4 => {
            [[0, 0], [0, 1], [1, 0], [1, 1]].map(|[i, j]| Vec3::new(i as f32, 0.1, j as f32) * 20.0).to_vec()
        }
        _ => (0..count as u64).map(|i| Random::new(9).centred_vec3(i) * 80.0).collect(),
    }
}

fn rings(count: usize) -> Vec<Vorton> {
    let each = places(count).into_iter().enumerate();
    each.flat_map(|(i, place)| ring(place, [Vec3::X, Vec3::Z, Vec3::Y][i % 3], 1.0 + 0.2 * i as f32))
        .collect()
}

fn params(solver: SolverKind) -> Params {
    Params { solver, core_radius: 1.5 * SPACING, max_vortons: 20_000, ..Params::default() }
}

fn world(solver: SolverKind, vortons: &[Vorton]) -> VortexSim {
    let mut sim = VortexSim::new(params(solver)).expect("valid");
    sim.add_vortons(vortons).expect("there is room");
    sim
}

#[test]
fn with_the_nodes_that_each_needs() {
    for count in [2, 4, 7] {
        let vortons = rings(count);
        let mut sim = world(SolverKind::Auto, &vortons);
        common::steps(&mut sim, 1.0 / 60.0, 1);
        let alone: usize = places(count)
            .iter()
            .enumerate()
            .map(|(i, _)| {
                let each = vortons.len() / count;
                let mut one = world(SolverKind::Mesh, &vortons[i * each..(i + 1) * each]);
                common::steps(&mut one, 1.0 / 60.0, 1);
                one.stats().mesh_nodes
            })
            .sum();
        assert!(sim.field().is_on_mesh());
        assert_eq!((sim.stats().mesh_nodes, sim.stats().mesh_outside), (alone, 0), "{count}");
    }
}

fn flow(sim: &VortexSim, at: &[Vec3]) -> Vec<FlowSample> {
    let mut out = vec![FlowSample::default(); at.len()];
    sim.field().flow(at, &mut out);
    out
}

/// At the vortons and near them; and the flow of the other clusters alone.
#[test]
fn with_the_flow_of_the_direct_sum() {
    for count in [2, 4, 7] {
        let vortons = rings(count);
        let mut sim = world(SolverKind::Mesh, &vortons);
        sim.step(&Serial, &mut NoBodies, 0.0).expect("finite");
        let (kernel, core) = (sim.params().kernel, sim.params().core_radius);
        let exact = common::oracle(kernel, core, &vortons);
        let random = Random::new(2);
        let around = |reach: f32| -> Vec<Vec3> {
            let all = places(count);
            (0..300).map(|i| all[i as usize % count] + random.centred_vec3(i) * 2.0 * reach).collect()
        };
        let at_vortons: Vec<Vec3> = vortons.iter().step_by(7).map(|vorton| vorton.position).collect();
        let of_samples = |places: &[Vec3]| {
            let mut found = vec![Vec3::ZERO; places.len()];
            sim.field().velocities(places, &mut found);
            found
        };
        let of_vortons = |places: &[Vec3]| -> Vec<Vec3> {
            flow(&sim, places).iter().map(|sample| sample.velocity).collect()
        };
        for (name, found, places, most) in [
            ("of vortons", of_vortons(&at_vortons), &at_vortons, 0.012),
            ("of samples at vortons", of_samples(&at_vortons), &at_vortons, 0.035),
            ("of samples near them", of_samples(&around(1.0)), &around(1.0), 0.06),
        ] {
            let expected: Vec<Vec3> =
                places.iter().map(|at| exact.velocity(at.as_dvec3()).as_vec3()).collect();
            let square = |velocities: &mut dyn Iterator<Item = Vec3>| {
                velocities.map(Vec3::length_squared).sum::<f32>()
            };
            let off = square(&mut found.iter().zip(&expected).map(|(a, b)| *a - *b));
            let error = (off / square(&mut expected.iter().copied())).sqrt();
            println!("{count} {name}: {error:.1e}");
            assert!(error < most, "{count} {name}: {error}");
        }
        // Each cluster moves by the flow of the others: the difference to the same world without them.
        let each = vortons.len() / count;
        let own: Vec<Vec3> = vortons[..each].iter().step_by(5).map(|vorton| vorton.position).collect();
        let mut alone = world(SolverKind::Mesh, &vortons[..each]);
        alone.step(&Serial, &mut NoBodies, 0.0).expect("finite");
        let others = common::oracle(kernel, core, &vortons[each..]);
        let (mut off, mut all) = (0.0, 0.0);
        for ((with, without), at) in flow(&sim, &own).iter().zip(flow(&alone, &own)).zip(&own) {
            let expected = others.velocity(at.as_dvec3()).as_vec3();
            off += (with.velocity - without.velocity).distance_squared(expected);
            all += expected.length_squared();
        }
        let error = (off / all).sqrt();
        println!("{count}, of the others: {error:.1e}");
        assert!(error < 0.05, "{count}, of the others: {error}");
    }
}

#[test]
fn with_the_same_bits_for_any_worker_count() {
    let run = |exec: &dyn Executor| {
        let mut sim = world(SolverKind::Auto, &rings(4));
        let mut tracers = Tracers::default();
        let random = Random::new(3);
        for i in 0..2000 {
            tracers.push(places(4)[i as usize % 4] + random.centred_vec3(i) * 3.0);
        }
        for _ in 0..12 {
            sim.step(exec, &mut NoBodies, 1.0 / 60.0).expect("finite");
            sim.advance_tracers(exec, &mut NoBodies, &mut tracers, 1.0 / 60.0);
        }
        let bits: Vec<_> =
            tracers.positions().iter().map(|place| place.to_array().map(f32::to_bits)).collect();
        (sim.state_hash(), bits)
    };
    let serial = run(&Serial);
    for exec in [&Pool::new(3).expect("threads start") as &dyn Executor, &Shuffled::new(5)] {
        assert_eq!(run(exec), serial);
    }
}

/// Together they have no more nodes than one box may have, while they grow.
#[test]
fn within_the_maximum_of_nodes() {
    let limit = 60_000;
    let params = Params { max_grid_nodes: limit, gravity: Vec3::Z, ..params(SolverKind::Mesh) };
    let mut sim = VortexSim::new(params).expect("valid");
    let heavy = rings(4).into_iter().map(|vorton| Vorton { mass_deviation: 0.3 * vorton.volume, ..vorton });
    sim.add_vortons(&heavy.collect::<Vec<_>>()).expect("there is room");
    let (random, mut most) = (Random::new(8), 0);
    for step in 0..15 {
        common::steps(&mut sim, 1.0 / 144.0 + 0.06 * random.unit(step), 1);
        most = most.max(sim.stats().mesh_nodes);
        assert!(sim.stats().mesh_nodes <= limit, "{step}: {}", sim.stats().mesh_nodes);
    }
    assert!(2 * most > limit, "the limit was near: {most}");
}

#[test]
fn that_become_one_when_they_meet() {
    two_rings_that_meet(150);
}

#[test]
#[ignore = "a minute"]
fn that_become_one_and_mix() {
    two_rings_that_meet(2000);
}

/// Two rings that fly at each other from afar, in frames of any length of several steps: their boxes become
/// one when they meet, and the energy stays what it was.
fn two_rings_that_meet(most_steps: u64) {
    let mut vortons = ring(Vec3::X * -3.0, Vec3::X, 3.0);
    vortons.extend(ring(Vec3::new(3.0, 0.2, 0.0), Vec3::NEG_X, 2.5));
    let mut sim = world(SolverKind::Mesh, &vortons);
    common::steps(&mut sim, 1e-3, 1);
    let (first, before) = (sim.stats().mesh_nodes, sim.pair_sums(&Serial).energy);
    let (random, mut steps, mut most, mut changes, mut nodes) = (Random::new(6), 0, 0.0_f64, 0, first);
    while steps < most_steps {
        let dt = 1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(steps);
        let count = 1 + (random.unit(10_000 + steps) * 3.0) as usize;
        common::steps(&mut sim, dt / count as f32, count);
        steps += count as u64;
        changes += u32::from(sim.stats().mesh_nodes != nodes);
        nodes = sim.stats().mesh_nodes;
        if steps % 10 == 0 {
            most = most.max(sim.pair_sums(&Serial).energy / before);
        }
    }
    println!("{first} nodes at first, {nodes} at last, {changes} changes; energy at most {most:.4}");
    assert_eq!((sim.vortons().len(), sim.stats().non_finite), (vortons.len(), 0));
    assert!(most < 1.02, "energy {most}");
    assert!(common::positions(&sim).iter().all(|place| place.is_finite()));
}
