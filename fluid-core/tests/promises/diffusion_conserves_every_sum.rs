//! Exchange between neighbours is antisymmetric: the sums of strength, mass deviation and dye are conserved
//! to round-off, for any positions, volumes and step length (validation P1, H2).

use crate::diffusion::{CORE, both, diffuse, lattice, sum};
use fluid_core::math::Random;
use fluid_core::particles::{Vorton, Vortons};
use glam::Vec3;

/// Returns the largest change of a sum, relative to the sum of magnitudes.
fn lost(before: &Vortons, after: &Vortons) -> f64 {
    let columns = |of: &Vortons| {
        let Vortons { strengths, mass_deviations, dyes, .. } = of.clone();
        [strengths.x, strengths.y, strengths.z, mass_deviations, dyes]
    };
    let share = |(before, after): (Vec<f32>, Vec<f32>)| {
        let magnitudes: f64 = before.iter().map(|&v| f64::from(v.abs())).sum();
        assert_ne!(before, after, "something is exchanged");
        (sum(&after) - sum(&before)).abs() / magnitudes
    };
    columns(before).into_iter().zip(columns(after)).map(share).fold(0.0, f64::max)
}

/// Returns vortons with random positions and contents, and volumes from nearly 0 to eight times the usual.
fn disorder(count: u64, extent: f32) -> Vortons {
    let random = Random::new(3);
    let mut vortons = Vortons::default();
    for n in 0..count {
        let size = 0.1 * CORE + random.unit(10 * n + 9) * CORE;
        vortons.push(Vorton {
            position: extent * random.centred_vec3(3 * n),
            strength: random.centred_vec3(3 * n + 1) * (10.0 * random.unit(n)).exp(),
            volume: size.powi(3),
            mass_deviation: random.centred_vec3(3 * n + 2).x,
            dye: random.unit(10 * n + 8),
            ..Vorton::default()
        });
    }
    vortons
}

#[test]
fn at_any_step_and_for_any_cloud() {
    let wave = |x: Vec3| 1.3 + (20.0 * x.x).sin() + (13.0 * x.y).cos();
    let clouds = [
        lattice([20; 3], CORE / 1.6, 0.0, 0.0, wave),
        lattice([20; 3], CORE / 1.6, 0.25, 0.7, wave),
        disorder(3000, 1.0),
        disorder(3000, 0.3),
        disorder(50, 0.1),
    ];
    for cloud in clouds {
        for amount in [1e-3, 0.1, 1.0, 10.0, 1e4] {
            let mut vortons = cloud.clone();
            for _ in 0..5 {
                diffuse(&mut vortons, both(CORE * CORE), amount);
            }
            let lost = lost(&cloud, &vortons);
            assert!(lost < 1e-6, "ν dt = {amount} σ²: {lost:e}");
        }
    }
}

#[test]
fn what_is_uniform_stays_uniform_to_the_bit() {
    // Equal contents of equal volumes: differences are 0, not small.
    let cloud = lattice([12; 3], CORE / 1.6, 0.25, 0.0, |_| 0.7);
    let mut vortons = cloud.clone();
    for amount in [0.01, 1.0, 100.0] {
        diffuse(&mut vortons, both(CORE * CORE), amount);
        assert_eq!(vortons.hash_bits(0), cloud.hash_bits(0));
    }
}

#[test]
fn a_thousand_steps_lose_no_more_than_a_few() {
    let cloud = lattice([12; 3], CORE / 1.6, 0.25, 0.5, |x| 1.0 + x.x + (20.0 * x.y).sin());
    let mut vortons = cloud.clone();
    for _ in 0..1000 {
        diffuse(&mut vortons, both(CORE * CORE), 0.02);
    }
    let lost = lost(&cloud, &vortons);
    assert!(lost < 1e-6, "{lost:e}");
}
