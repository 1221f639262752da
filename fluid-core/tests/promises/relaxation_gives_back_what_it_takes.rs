//! Relaxation rotates strengths, and returns the total strength and linear impulse that this removes, for
//! any shape of the cloud (I2).

use crate::common::{random_cloud, random_rotation};
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::particles::Vorton;
use fluid_core::velocity::FlowSample;
use fluid_core::vorticity::clusters::VortonClusters;
use fluid_core::vorticity::relax::Relaxation;
use fluid_threads::Serial;
use glam::{DVec3, Mat3, Vec3};

/// Relaxes these vortons in an unrelated flow, and compares sums before and after. Returns the largest
/// change of a strength, relative to the largest strength.
fn check(name: &str, vortons: &[Vorton], rate: f32) -> f32 {
    let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
    for vorton in vortons {
        positions.push(vorton.position);
        strengths.push(vorton.strength);
    }
    let random = Random::new(7);
    let column = |n| random.centred_vec3(n);
    let sample = |i: u64| FlowSample {
        velocity: Vec3::ZERO,
        gradient: Mat3::from_cols(column(3 * i), column(3 * i + 1), column(3 * i + 2)),
    };
    let flow: Vec<_> = (0..vortons.len() as u64).map(sample).collect();
    let before = Sums::of(&positions, &strengths);
    Relaxation::default().apply(
        &Serial,
        &VortonClusters::default(),
        (&positions, &flow),
        &mut strengths,
        rate,
        0.1,
    );
    let after = Sums::of(&positions, &strengths);
    // Each new strength is rounded to f32, 6e-8 of itself; the bound is relative to the sum of magnitudes.
    let strength = (after.strength - before.strength).length() / before.strength_scale;
    let impulse = (after.impulse - before.impulse).length() / before.impulse_scale.max(f64::MIN_POSITIVE);
    assert!(strength <= 1e-6, "{name}, {rate}/s: total strength changes by {strength:e}");
    assert!(impulse <= 1e-6, "{name}, {rate}/s: impulse changes by {impulse:e}");
    let largest = vortons.iter().map(|v| v.strength.length()).fold(0.0, f32::max);
    let change = |(v, new): (&Vorton, Vec3)| v.strength.distance(new);
    vortons.iter().zip(strengths.iter()).map(change).fold(0.0, f32::max) / largest
}

struct Sums {
    strength: DVec3,
    impulse: DVec3,
    strength_scale: f64,
    impulse_scale: f64,
}

impl Sums {
    fn of(positions: &Vec3Columns, strengths: &Vec3Columns) -> Self {
        let rows = || positions.iter().zip(strengths.iter()).map(|(x, a)| (x.as_dvec3(), a.as_dvec3()));
        Self {
            strength: rows().map(|(_, a)| a).sum(),
            impulse: rows().map(|(x, a)| 0.5 * x.cross(a)).sum(),
            strength_scale: rows().map(|(_, a)| a.length()).sum(),
            impulse_scale: rows().map(|(x, a)| x.length() * a.length()).sum(),
        }
    }
}

/// Returns the cloud with its positions scaled by `extent`, rotated, and shifted.
fn shaped(count: usize, extent: Vec3, shift: Vec3) -> Vec<Vorton> {
    let turn = random_rotation(3);
    let place = |v: Vorton| Vorton { position: turn * (v.position * extent) + shift, ..v };
    random_cloud(count, 50).into_iter().map(place).collect()
}

#[test]
fn for_every_shape_of_cloud() {
    let shapes = [
        ("a cloud", 3000, Vec3::ONE),
        ("a large cloud", 500, Vec3::splat(1e4)),
        ("a tiny cloud", 500, Vec3::splat(1e-4)),
        ("a plane", 200, Vec3::new(1.0, 1.0, 0.0)),
        ("a line", 100, Vec3::new(1.0, 0.0, 0.0)),
        ("a point", 50, Vec3::ZERO),
        ("three vortons", 3, Vec3::ONE),
        ("two vortons", 2, Vec3::ONE),
        ("one vorton", 1, Vec3::ONE),
        ("no vorton", 0, Vec3::ONE),
    ];
    for (name, count, extent) in shapes {
        for shift in [Vec3::ZERO, Vec3::new(1000.0, -300.0, 200.0)] {
            // Slow, fast, and complete.
            for rate in [0.1, 3.0, 1e6] {
                let vortons = shaped(count, extent, shift);
                if vortons.is_empty() {
                    let mut none = Vec3Columns::default();
                    Relaxation::default().apply(
                        &Serial,
                        &VortonClusters::default(),
                        (&Vec3Columns::default(), &[]),
                        &mut none,
                        rate,
                        0.1,
                    );
                } else {
                    check(name, &vortons, rate);
                }
            }
        }
    }
}

#[test]
fn and_it_does_relax() {
    let vortons = random_cloud(300, 51);
    // 1 - exp(-0.3) of the change to a random direction: a large part of the strength.
    assert!(check("a cloud", &vortons, 3.0) > 0.2);
    // A single vorton has no others to which anything could be returned.
    assert!(check("one vorton", &vortons[..1], 3.0) < 1e-6);
}

#[test]
fn inert_vortons_stay_inert_and_strength_alone_is_not_lost() {
    let mut vortons = random_cloud(100, 52);
    for vorton in &mut vortons[..40] {
        vorton.strength = Vec3::ZERO;
    }
    let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
    for vorton in &vortons {
        positions.push(vorton.position);
        strengths.push(vorton.strength);
    }
    // Without vorticity there is no target direction: strengths change by round-off only.
    let before = strengths.clone();
    Relaxation::default().apply(
        &Serial,
        &VortonClusters::default(),
        (&positions, &vec![FlowSample::default(); 100]),
        &mut strengths,
        1.0,
        0.1,
    );
    assert_eq!(strengths, before);
    let spin =
        FlowSample { gradient: Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::ZERO), ..FlowSample::default() };
    Relaxation::default().apply(
        &Serial,
        &VortonClusters::default(),
        (&positions, &vec![spin; 100]),
        &mut strengths,
        1.0,
        0.1,
    );
    assert_ne!(strengths, before);
    assert!((0..40).all(|i| strengths.get(i) == Vec3::ZERO));
}

#[test]
fn never_backwards_and_never_without_a_rate() {
    let vortons = random_cloud(50, 53);
    let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
    for vorton in &vortons {
        positions.push(vorton.position);
        strengths.push(vorton.strength);
    }
    let before = strengths.clone();
    let spin =
        FlowSample { gradient: Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::ZERO), ..FlowSample::default() };
    for (rate, dt) in [(0.0, 0.1), (1.0, 0.0), (1.0, -0.1), (f32::MAX, -f32::MAX)] {
        Relaxation::default().apply(
            &Serial,
            &VortonClusters::default(),
            (&positions, &vec![spin; 50]),
            &mut strengths,
            rate,
            dt,
        );
        assert_eq!(strengths, before);
    }
}
