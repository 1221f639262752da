//! The energy budget credits all energy put in, to the last vorton, acts the same in any unit of length and
//! time, and preserves total strength and impulse (E46).

use crate::common;

use crate::common::{filament_ring, positions, steps, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Pool, Serial, Shuffled};
use glam::Vec3;

const CORE: f32 = 0.15;

fn noise(amplitude: f32) -> Vec<Vorton> {
    let noise = Noise { centre: Vec3::ZERO, extent: Vec3::splat(0.8), spacing: 0.1, amplitude, seed: 3 };
    noise.vortons().expect("in range")
}

fn params(solver: SolverKind) -> Params {
    Params { core_radius: CORE, solver, ..Params::default() }
}

/// Returns the energy that the budget has removed in these steps, as a fraction of the initial energy.
fn removed(sim: &mut VortexSim, count: usize) -> f64 {
    let first = sim.pair_sums(&Serial).energy;
    let mut sum = 0.0;
    for _ in 0..count {
        steps(sim, 1.0 / 60.0, 1);
        sum += sim.stats().energy_removed;
    }
    sum / first
}

#[test]
fn what_is_taken_out_leaves_total_strength_and_impulse() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        // A significant impulse, in noise that is being damped.
        let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 64);
        let mut sim = world(params(solver), &[noise(60.0), ring].concat());
        let mut acted = 0;
        for _ in 0..100 {
            // A step of nearly zero length, which removes only the excess of the previous one.
            let mut next = sim.clone();
            steps(&mut next, 1e-7, 1);
            if next.stats().energy_removed > 0.0 {
                acted += 1;
                let (before, after) = (sim.moments(&Serial), next.moments(&Serial));
                let strength =
                    (after.total_strength - before.total_strength).length() / before.strength_magnitude;
                let impulse =
                    (after.linear_impulse - before.linear_impulse).length() / before.linear_impulse.length();
                let energy = sim.pair_sums(&Serial).energy - next.pair_sums(&Serial).energy;
                let error = energy / next.stats().energy_removed - 1.0;
                println!(
                    "{solver:?}: strength {strength:.1e}, impulse {impulse:.1e}, energy by {error:.1e} more than told"
                );
                assert!(strength < 1e-6 && impulse < 1e-5, "{solver:?}: {strength:e}, {impulse:e}");
                // The energy's slope neglects its curvature, which is positive: the removed energy is less
                // than accounted. A mesh does not count the shortest waves, of which roughness has more
                // than smooth flow: the removed energy is more than accounted. Large excesses:
                // energy_budget_tests.
                let most = if solver == SolverKind::Direct { 1e-4 } else { f64::INFINITY };
                assert!(error > -0.35 && error < most, "{solver:?}: {error}");
            }
            steps(&mut sim, 1.0 / 60.0, 1);
        }
        assert!(acted > 2 && sim.stats().energy_scalings == 0, "{solver:?}: {acted}");
    }
}

/// A new, distant and very weak vorton makes the mesh larger.
#[test]
fn a_small_excess_waits_while_the_mesh_makes_tables() {
    let mut sim = world(params(SolverKind::Mesh), &noise(20.0));
    let mut waited = 0;
    for step in 0..60 {
        let mut with_tables = sim.clone();
        steps(&mut sim, 1.0 / 60.0, 1);
        let stats = sim.stats();
        if stats.energy_removed > 0.0 && stats.energy < 1.015 * stats.energy_allowed && step > 2 {
            let stray = Vorton { position: Vec3::X * 2.0, strength: Vec3::Y * 1e-6, ..Vorton::default() };
            with_tables.add_vortons(&[stray]).expect("there is room");
            steps(&mut with_tables, 1.0 / 60.0, 1);
            assert!(with_tables.stats().mesh_nodes > stats.mesh_nodes, "{step}: no tables were made");
            assert_eq!(with_tables.stats().energy_removed, 0.0, "{step}");
            // The waiting excess is removed at the next check, or at the one after two others that compute
            // potentials.
            let acts = (0..3).any(|_| {
                steps(&mut with_tables, 1.0 / 60.0, 1);
                with_tables.stats().energy_removed > 0.0
            });
            assert!(acts, "{step}");
            waited += 1;
        }
    }
    assert!(waited > 2, "{waited}");
}

#[test]
fn steps_with_one_solve_take_out_what_they_find() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 64);
        let mut sim = world(params(solver), &[noise(20.0), ring].concat());
        let (first, energy) = (sim.moments(&Serial), sim.pair_sums(&Serial).energy);
        let (mut with_one, mut most) = (0, 0.0_f64);
        for _ in 0..300 {
            steps(&mut sim, 1.0 / 60.0, 1);
            let stats = sim.stats();
            with_one += u32::from(stats.solves == 1 && stats.energy_removed > 0.0);
            most = most.max(stats.energy / stats.energy_allowed);
        }
        let last = sim.moments(&Serial);
        let strength = (last.total_strength - first.total_strength).length() / first.strength_magnitude;
        let impulse = (last.linear_impulse - first.linear_impulse).length() / first.linear_impulse.length();
        let energy = sim.pair_sums(&Serial).energy / energy;
        println!(
            "{solver:?}: {with_one} steps, at most {most:.4} of what is allowed, energy {energy:.3}, strength {strength:.1e}, impulse {impulse:.1e}"
        );
        assert!(with_one > 5 && sim.stats().energy_scalings == 0, "{solver:?}: {with_one}");
        // The tolerance, plus the excess of one step.
        assert!(most < 1.02 && energy < 1.005, "{solver:?}: {most} {energy}");
        assert!(strength < 1e-6 && impulse < 1e-6, "{solver:?}: {strength:e} {impulse:e}");
    }
}

#[test]
fn vortons_that_are_added_bring_their_energy_and_those_removed_take_it() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let mut sim = world(params(solver), &filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 64));
        let mut taken = removed(&mut sim, 10);
        // Opposite to the first: both together have less energy than their sum, and more than one of them;
        // more than 64 at a time, and fewer.
        for count in [128, 48] {
            let other = filament_ring(Vec3::Z * 0.9, Vec3::Z, 1.0, -0.5, count);
            let first = sim.add_vortons(&other).expect("room");
            taken += removed(&mut sim, 10);
            let ids: Vec<u64> = (first..first + other.len() as u64).collect();
            assert_eq!(sim.remove_vortons(&ids), other.len());
            taken += removed(&mut sim, 10);
        }
        let scalings = sim.stats().energy_scalings;
        println!("{solver:?}: {taken:.1e} of the energy taken out, {scalings} scalings");
        assert_eq!(taken, 0.0, "{solver:?}: coming and going of vortons is no excess");
        sim.clear_vortons();
        sim.add_vortons(&filament_ring(Vec3::ZERO, Vec3::X, 1.0, 3.0, 64)).expect("room");
        assert_eq!(removed(&mut sim, 20), 0.0);
    }
}

#[test]
fn a_jet_that_is_fed_and_ages_keeps_its_energy() {
    // A row of vortons that is emitted and removed by age: energy in equals energy out, and nothing is
    // rough.
    let mut sim = world(Params { max_age: 1.0, ..params(SolverKind::Direct) }, &[]);
    let def = EmitterDef {
        rate: 600.0,
        extent: Vec3::new(0.4, 0.4, 0.1),
        strength: Vec3::new(0.0, 2e-3, 0.0),
        volume: 1e-3,
        ..EmitterDef::default()
    };
    sim.emitters_mut().push(Emitter::new(def).expect("valid"));
    let mut energies = Vec::new();
    for _ in 0..10 {
        steps(&mut sim, 1.0 / 60.0, 60);
        energies.push(sim.pair_sums(&Serial).energy);
    }
    println!("{energies:.3?}");
    let steady = &energies[2..];
    let (least, most) =
        steady.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), &e| (least.min(e), most.max(e)));
    assert!(most < 2.0 * least, "{energies:?}");
    assert_eq!(sim.stats().energy_scalings, 0);
}

#[test]
fn in_any_unit() {
    // Powers of two scale floats exactly: the same bits.
    let run = |size: f32, duration: f32, solver| {
        let scaled = |v: Vorton| Vorton {
            position: v.position * size,
            strength: v.strength * (size.powi(3) / duration),
            volume: v.volume * size.powi(3),
            ..v
        };
        let cloud: Vec<_> = noise(30.0).into_iter().map(scaled).collect();
        let scaled = params(solver);
        let scaled =
            Params { core_radius: CORE * size, relaxation_rate: scaled.relaxation_rate / duration, ..scaled };
        let mut sim = world(scaled, &cloud);
        let mut acted = 0;
        for _ in 0..40 {
            steps(&mut sim, duration / 64.0, 1);
            acted += u32::from(sim.stats().energy_removed > 0.0);
        }
        assert!(acted > 3, "{acted}");
        positions(&sim).into_iter().map(|place| place / size).collect::<Vec<_>>()
    };
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let places = run(1.0, 1.0, solver);
        for (size, duration) in [(1024.0, 1.0), (1.0 / 1024.0, 1.0), (16.0, 1.0 / 256.0)] {
            let off = common::largest_distance(&places, &run(size, duration, solver));
            println!("{solver:?}, size {size}, time {duration}: off by {off:.1e}");
            assert!(off < 1e-5, "{solver:?}, size {size}, time {duration}: off by {off}");
        }
    }
}

#[test]
fn with_the_same_bits_on_any_workers() {
    let run = |exec: &dyn fluid_threads::Executor, solver| {
        let mut sim = world(params(solver), &weakened(noise(1.0), 300.0));
        let mut acted = 0;
        for _ in 0..20 {
            sim.step(exec, &mut NoBodies, 1.0 / 60.0).expect("a finite step");
            acted += u32::from(sim.stats().energy_removed > 0.0);
        }
        assert!(acted > 3, "{acted}");
        sim.state_hash()
    };
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let serial = run(&Serial, solver);
        assert_eq!(serial, run(&Pool::new(3).expect("threads"), solver));
        assert_eq!(serial, run(&Shuffled::new(5), solver));
    }
}

#[test]
fn time_that_runs_backwards_is_free() {
    for (dt, solves) in [(1.0 / 240.0, 2), (1.0 / 10.0, 4)] {
        let mut sim = world(params(SolverKind::Direct), &noise(30.0));
        for step in 0..10 {
            steps(&mut sim, -dt, 1);
            assert_eq!(sim.stats().energy_removed, 0.0, "step {step} of -{dt}");
        }
        assert_eq!(sim.stats().solves, solves, "{dt}");
        steps(&mut sim, 0.0, 1);
        assert_eq!(sim.stats().energy_removed, 0.0);
    }
}

#[test]
fn a_crowd_at_one_point_costs_no_more_than_its_vortons() {
    // 20,000 vortons within a core radius, each a neighbour of all others: no fit is made, and the excess
    // is still removed.
    let crowd: Vec<Vorton> = common::random_cloud(20_000, 9)
        .into_iter()
        .map(|v| Vorton { position: v.position * 0.02, strength: v.strength * 1e-4, ..v })
        .collect();
    let mut sim = world(Params { max_vortons: 20_000, ..params(SolverKind::Mesh) }, &crowd);
    let first = sim.moments(&Serial).strength_magnitude;
    for _ in 0..5 {
        steps(&mut sim, 1.0 / 15.0, 1);
    }
    assert!(sim.moments(&Serial).strength_magnitude < 2.0 * first);
    assert_eq!(sim.stats().non_finite, 0);
}
