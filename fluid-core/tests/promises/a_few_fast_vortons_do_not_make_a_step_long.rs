//! The scheme of a step is chosen by its error in the whole cloud (E14): a few vortons in a faster flow
//! than all others do not cost additional solves, and lose hardly any accuracy.

use crate::common::{filament_ring, steps, world};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::Vec3;

const CORE: f32 = 0.3;
/// Position of the small ring: so far from the large one that this contributes a hundredth of its flow.
const FAR: Vec3 = Vec3::new(0.0, 0.0, 8.0);

/// Returns a small ring with a large velocity gradient.
fn fast() -> Vec<Vorton> {
    filament_ring(FAR, Vec3::Z, 0.6, 2.0, 24)
}

/// Returns a ring with eight times its strengths.
fn slow() -> Vec<Vorton> {
    filament_ring(Vec3::ZERO, Vec3::Z, 10.0, 1.0, 420)
}

fn params() -> Params {
    Params { core_radius: CORE, solver: SolverKind::Direct, ..Params::default() }
}

/// Worlds with the fast ring alone, and beside the slow one.
fn alone_and_beside() -> [VortexSim; 2] {
    [world(params(), &fast()), world(params(), &[slow(), fast()].concat())]
}

/// Returns the step length \[s\] for this stretch number in the fast ring.
fn step_of(stretch_number: f32) -> f32 {
    let mut sim = world(params(), &fast());
    steps(&mut sim, 0.0, 1);
    stretch_number / sim.stats().max_gradient
}

#[test]
fn they_take_the_solves_of_a_slower_flow() {
    for (stretch_number, expected) in [(0.45, [1, 1]), (0.6, [2, 2]), (0.9, [4, 2]), (1.5, [4, 4])] {
        let dt = step_of(stretch_number);
        let solves = alone_and_beside().map(|mut sim| {
            steps(&mut sim, dt, 5);
            let found = sim.stats().stretch_number;
            assert!((found / stretch_number - 1.0).abs() < 0.1, "{found} is the largest");
            sim.stats().solves
        });
        assert_eq!(solves, expected, "{stretch_number}");
    }
}

/// Returns the energy \[m⁵/s²\] of the fast ring without the other, and its height \[m\].
fn energy_and_height(sim: &VortexSim) -> [f64; 2] {
    let count = fast().len();
    let rows = sim.vortons().len() - count..sim.vortons().len();
    let vortons: Vec<Vorton> = rows
        .map(|row| (sim.vortons().positions.get(row), sim.vortons().strengths.get(row)))
        .map(|(position, strength)| Vorton { position, strength, ..Vorton::default() })
        .collect();
    let height = vortons.iter().map(|vorton| f64::from(vorton.position.z)).sum::<f64>() / count as f64;
    [world(params(), &vortons).pair_sums(&Serial).energy, height]
}

#[test]
fn they_keep_their_energy_and_their_speed() {
    compare(&[0.9]);
}

#[test]
#[ignore = "half a minute"]
fn slower_ones_keep_their_energy_and_their_speed() {
    compare(&[0.6, 0.75]);
}

fn compare(stretch_numbers: &[f32]) {
    for &stretch_number in stretch_numbers {
        let (dt, count) = (step_of(stretch_number), 400);
        let [_, mut coarse] = alone_and_beside();
        let [_, mut fine] = alone_and_beside();
        let start = energy_and_height(&coarse);
        steps(&mut coarse, dt, count);
        steps(&mut fine, 0.25 * dt, 4 * count);
        let [found, expected] = [coarse, fine].map(|sim| energy_and_height(&sim));
        let energy = found[0] / expected[0];
        let way = (found[1] - start[1]) / (expected[1] - start[1]);
        println!("{stretch_number}: energy {energy}, way {way} of those in steps of a quarter");
        assert!((energy - 1.0).abs() < 1e-5 && (way - 1.0).abs() < 1e-5, "{stretch_number}");
    }
}
