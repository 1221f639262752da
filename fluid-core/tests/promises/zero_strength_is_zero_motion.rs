//! No vorticity, no velocity: bit for bit (X6).

use crate::common::{filament_ring, random_cloud, steps, world};
use fluid_core::InstructionSet;
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{Kernel, Precision};
use fluid_threads::Serial;
use glam::Vec3;

/// Returns every kernel with every kind of arithmetic.
fn all_params() -> impl Iterator<Item = Params> {
    Kernel::ALL.into_iter().flat_map(|kernel| {
        InstructionSet::ALL.into_iter().filter(|set| set.is_available()).flat_map(move |instruction_set| {
            [Precision::Exact, Precision::Fast].map(|precision| Params {
                kernel,
                instruction_set,
                precision,
                ..Params::default()
            })
        })
    })
}

fn bits(sim: &VortexSim) -> Vec<[u32; 3]> {
    sim.vortons().positions.iter().map(|x| x.to_array().map(f32::to_bits)).collect()
}

#[test]
fn vortons_and_tracers_without_strength_stay() {
    let cloud: Vec<_> =
        random_cloud(100, 4).into_iter().map(|v| Vorton { strength: Vec3::ZERO, ..v }).collect();
    for params in all_params() {
        let mut sim = world(params, &cloud);
        let before = bits(&sim);
        let mut tracers = Tracers::default();
        random_cloud(30, 5).iter().for_each(|v| {
            tracers.push(v.position);
        });
        let places = tracers.positions().to_vec();
        for _ in 0..10 {
            steps(&mut sim, 0.1, 1);
            sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.1);
        }
        assert_eq!(bits(&sim), before);
        // They have been sorted: ids identify them.
        for (position, &id) in tracers.positions().iter().zip(tracers.ids()) {
            assert_eq!(*position, places[id as usize]);
        }
        assert!(sim.vortons().strengths.iter().all(|strength| strength == Vec3::ZERO));
    }
}

#[test]
fn a_single_vorton_does_not_move_itself() {
    let strength = Vec3::new(0.3, -0.7, 1.1);
    let alone = [Vorton { position: Vec3::new(0.1, 0.2, -0.3), strength, ..Vorton::default() }];
    for params in all_params() {
        let mut sim = world(params, &alone);
        let before = bits(&sim);
        steps(&mut sim, 0.005, 100);
        assert_eq!(bits(&sim), before);
        let after = sim.vortons().strengths.get(0);
        // Its own gradient is a rotation about α, which preserves α up to the rounding of two equal
        // products: 6e-8 of a radian per step, a hundred times.
        assert!(after.distance(strength) <= 1e-5 * strength.length(), "{after} was {strength}");
    }
}

#[test]
fn a_vorton_without_strength_changes_nothing_for_the_others() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 1.0, 20);
    let ghosts = random_cloud(20, 9).into_iter().map(|v| Vorton { strength: Vec3::ZERO, ..v });
    for params in all_params() {
        let mut alone = world(params, &ring);
        let mut company = world(params, &ring.iter().copied().chain(ghosts.clone()).collect::<Vec<_>>());
        steps(&mut alone, 0.02, 30);
        steps(&mut company, 0.02, 30);
        assert_eq!(bits(&alone), bits(&company)[..20]);
    }
}

#[test]
fn an_empty_world_steps() {
    for params in all_params() {
        let mut sim = world(params, &[]);
        steps(&mut sim, 0.1, 3);
        assert_eq!(sim.vortons().len(), 0);
        assert_eq!(sim.stats().steps, 3);
        assert_eq!(sim.stats().stretch_number, 0.0);
        let mut tracers = Tracers::default();
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.1);
        tracers.push(Vec3::ONE);
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.1);
        assert_eq!(tracers.positions(), [Vec3::ONE]);
        assert_eq!(sim.pair_sums(&Serial).energy, 0.0);
        assert_eq!(sim.moments(&Serial).strength_magnitude, 0.0);
    }
}
