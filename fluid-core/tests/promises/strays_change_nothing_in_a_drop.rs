//! One vorton 50 radii away, inert, strong or heavy, does not affect a drop (validation X4).

use crate::common;

use crate::common::{positions, steps, world};
use crate::drops::{ball, heavy_fluid, mass_centre, vortons};
use fluid_core::initial::DensityProfile::TopHat;
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Returns the fall of the drop's mass in 3 √(R/g'), and its vortons' positions then, in the presence of
/// `others`.
fn fall(others: &[Vorton]) -> (f64, Vec<Vec3>, usize) {
    let drop = vortons(&ball(TopHat, 0.25, 1.5));
    let all: Vec<Vorton> = drop.iter().chain(others).copied().collect();
    let mut sim = world(heavy_fluid(0.375), &all);
    steps(&mut sim, 1.0 / 30.0, 90);
    let masses = &sim.vortons().mass_deviations[..drop.len()];
    let places = positions(&sim)[..drop.len()].to_vec();
    let total: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    let mean = places.iter().zip(masses).map(|(p, &m)| f64::from(p.z) * f64::from(m)).sum::<f64>() / total;
    assert!(mass_centre(&sim).is_finite());
    (mean, places, sim.vortons().len() - others.len())
}

#[test]
fn inert_strong_and_heavy_ones() {
    let (alone, places, count) = fall(&[]);
    let away = Vec3::new(50.0, 3.0, -7.0);
    let stray = Vorton { position: away, volume: 0.015, ..Vorton::default() };
    let strays = [
        ("inert", vec![stray]),
        ("strong", vec![Vorton { strength: Vec3::splat(5.0), ..stray }]),
        ("heavy", vec![Vorton { mass_deviation: 0.015, ..stray }]),
        ("very heavy", vec![Vorton { mass_deviation: 0.15, strength: Vec3::X, ..stray }]),
        (
            "heavy and near",
            vec![Vorton { mass_deviation: 0.0015, position: Vec3::new(6.0, 5.0, 4.0), ..stray }],
        ),
        ("heavy without volume", vec![Vorton { mass_deviation: 0.015, volume: 0.0, ..stray }]),
    ];
    for (name, strays) in strays {
        let (with, with_places, with_count) = fall(&strays);
        let off = common::largest_distance(&places, &with_places);
        println!(
            "{name}: falls {:.1e} more, vortons off by {off:.1e}, {with_count} against {count}",
            with / alone - 1.0
        );
        assert!((with / alone - 1.0).abs() < 0.01, "{name}: fell {with} instead of {alone}");
        assert!(f64::from(off) < 0.01 * alone.abs(), "{name}: a vorton is off by {off}");
    }
}
