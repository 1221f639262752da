//! Vortons scattered over a level, for which no mesh pays, are summed by a tree (E76): they move as by the
//! sum over all pairs, with the same bits on any threads, with any tracers, and after a snapshot.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{FilamentRing, VortexRing};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::saved::{NoInsides, Reader, Saved, Writer};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectOracle, FlowSample, Kernel, SolverKind, VelocityField};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

const CORE: f32 = 0.1;

fn rings(count: u64) -> Vec<Vorton> {
    let random = Random::new(11);
    let ring = |n: u64| {
        let (centre, axis) = (random.centred_vec3(2 * n) * 60.0, random.centred_vec3(2 * n + 1));
        let (radius, circulation) = (0.4 + 0.005 * n as f32, 1.0 + 0.02 * n as f32);
        FilamentRing { centre, axis, radius, circulation, core_radius: CORE, count: 64 }
    };
    (0..count).flat_map(|n| ring(n).vortons().expect("in range")).collect()
}

/// A thick ring on a mesh, and weak vortons strewn around it, one by one.
fn ring_and_strays(strays: u64) -> Vec<Vorton> {
    let random = Random::new(5);
    let (centre, axis, radius, thickness, circulation) = (Vec3::ZERO, Vec3::Z, 0.5, 0.3, 1.0);
    let ring = VortexRing { centre, axis, radius, thickness, circulation, spacing: CORE / 1.3 };
    let ring = ring.vortons().expect("in range");
    let stray = |n: u64| Vorton {
        position: random.centred_vec3(2 * n) * 30.0,
        strength: random.centred_vec3(2 * n + 1) * 0.02,
        ..Vorton::default()
    };
    ring.into_iter().chain((0..strays).map(stray)).collect()
}

fn world(solver: SolverKind, vortons: &[Vorton]) -> VortexSim {
    common::world(Params { solver, core_radius: CORE, ..Params::default() }, vortons)
}

fn steps(exec: &dyn Executor, sim: &mut VortexSim, tracers: &mut Tracers, count: u64) {
    for step in 0..count {
        let dt = 1.0 / 144.0 + 0.02 * Random::new(8).unit(step / 3);
        sim.step(exec, &mut NoBodies, dt).expect("a finite step");
        sim.advance_tracers(exec, &mut NoBodies, tracers, dt);
    }
}

fn root_mean_square(values: impl Iterator<Item = f32>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), v| (sum + f64::from(v * v), count + 1.0));
    (sum / count).sqrt()
}

#[test]
fn rings_fly_as_far() {
    let vortons = rings(40);
    let moved = |solver| {
        let mut sim = world(solver, &vortons);
        steps(&Serial, &mut sim, &mut Tracers::default(), 60);
        assert_eq!(sim.stats().mesh_nodes, 0, "no mesh pays");
        assert_eq!(sim.vortons().len(), vortons.len());
        let way = |(place, vorton): (Vec3, &Vorton)| place - vorton.position;
        (sim.vortons().positions.iter().zip(&vortons).map(way).collect::<Vec<_>>(), sim.moments(&Serial))
    };
    let [(ways, sums), (pairs, sums_of_pairs)] = [SolverKind::Auto, SolverKind::Direct].map(moved);
    assert!(ways != pairs, "by a tree");
    let off = root_mean_square(ways.iter().zip(&pairs).map(|(a, b)| a.distance(*b)));
    let way = root_mean_square(pairs.iter().map(|way| way.length()));
    let impulse = (sums.linear_impulse - sums_of_pairs.linear_impulse).length();
    println!(
        "{off:.1e} of {way:.2} m, impulse {impulse:.1e} of {:.1}",
        sums_of_pairs.linear_impulse.length()
    );
    assert!(off < 1e-3 * way, "{off} of {way} m");
    assert!(impulse < 1e-4 * sums_of_pairs.linear_impulse.length(), "{impulse} m4/s");
}

#[test]
fn strays_beside_a_mesh_act_on_all() {
    let vortons = ring_and_strays(600);
    let mut sim = world(SolverKind::Mesh, &vortons);
    sim.step(&Serial, &mut NoBodies, 1e-6).expect("a finite step");
    assert!(
        sim.stats().mesh_nodes > 0 && sim.stats().mesh_outside > 192,
        "{} outside",
        sim.stats().mesh_outside
    );
    let of = |v: &Vorton| (v.position.as_dvec3(), v.strength.as_dvec3());
    let vortons: Vec<_> = vortons.iter().map(of).collect();
    let exact =
        DirectOracle { kernel: Kernel::default(), core_radius: f64::from(CORE), vortons: vortons.clone() };
    let places: Vec<Vec3> = vortons.iter().step_by(7).map(|(place, _)| place.as_vec3()).collect();
    let mut found = vec![FlowSample::default(); places.len()];
    sim.field().flow(&places, &mut found);
    let right: Vec<Vec3> = places.iter().map(|place| exact.velocity(place.as_dvec3()).as_vec3()).collect();
    let off = root_mean_square(found.iter().zip(&right).map(|(a, b)| a.velocity.distance(*b)));
    let speed = root_mean_square(right.iter().map(|u| u.length()));
    println!("{off:.1e} of {speed:.2} m/s");
    assert!(off < 0.01 * speed, "{off} of {speed} m/s");
}

#[test]
fn with_the_same_bits() {
    for vortons in [rings(30), ring_and_strays(400)] {
        let run = |exec: &dyn Executor, count: u64| {
            let mut sim = world(SolverKind::Auto, &vortons);
            let mut tracers = Tracers::with_capacity(1000);
            (0..count).for_each(|n| _ = tracers.push(Random::new(1).centred_vec3(n) * 50.0));
            steps(exec, &mut sim, &mut tracers, 12);
            (sim.state_hash(), tracers.positions().to_vec())
        };
        let expected = run(&Serial, 1000);
        let pool = Pool::new(3).expect("threads start");
        for exec in [&pool as &dyn Executor, &Shuffled::new(3)] {
            assert!(run(exec, 1000) == expected);
        }
        assert_eq!(run(&Serial, 0).0, expected.0, "without tracers");
    }
}

#[test]
fn a_saved_world_goes_on() {
    let bytes = |sim: &VortexSim| {
        let write = |bytes: &mut [u8]| {
            let mut out = Writer::new(bytes, &NoInsides);
            sim.save(&mut out);
            out.len()
        };
        let mut bytes = vec![0; write(&mut [])];
        write(&mut bytes);
        bytes
    };
    for vortons in [rings(30), ring_and_strays(400)] {
        let (mut sim, none) = (world(SolverKind::Auto, &vortons), &mut Tracers::default());
        let mut twin = world(SolverKind::Auto, &vortons);
        steps(&Serial, &mut sim, none, 7);
        let saved = bytes(&sim);
        twin.load(&mut Reader::new(&saved, &NoInsides, &Serial)).expect("a fluid");
        assert!(bytes(&twin) == saved, "loaded");
        // Damaged trees are refused or harmless, never read out of bounds.
        for at in (0..saved.len()).step_by(997) {
            let mut damaged = saved.clone();
            damaged[at] ^= 0x55;
            let mut other = world(SolverKind::Auto, &vortons[..64]);
            _ = other.load(&mut Reader::new(&damaged, &NoInsides, &Serial));
        }
        for sim in [&mut sim, &mut twin] {
            steps(&Serial, sim, none, 9);
        }
        assert!(bytes(&twin) == bytes(&sim), "nine steps on");
    }
}
