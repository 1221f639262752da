//! A heavy drop and a light one below it, and two drops side by side, move as mirror images (validation B4).

use crate::common::{positions, steps, world};
use crate::drops::{ball, heavy_fluid, vortons};
use fluid_core::initial::{DensityBall, DensityProfile::TopHat};
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Returns the largest distance \[R\] between vortons of the first drop and mirror images of the second's,
/// after 5 time units.
fn asymmetry(first: &[Vorton], mirror: Vec3, mass: f32) -> f32 {
    let image =
        |v: &Vorton| Vorton { position: v.position * mirror, mass_deviation: v.mass_deviation * mass, ..*v };
    let both: Vec<Vorton> = first.iter().copied().chain(first.iter().map(image)).collect();
    let mut sim = world(heavy_fluid(0.375), &both);
    steps(&mut sim, 1.0 / 30.0, 150);
    let places = positions(&sim);
    let (a, b) = places[..2 * first.len()].split_at(first.len());
    println!("{} vortons, {} gone", sim.vortons().len(), sim.stats().halo_retired);
    a.iter().zip(b).map(|(a, b)| a.distance(*b * mirror)).fold(0.0, f32::max)
}

#[test]
fn one_above_the_other() {
    let ball = DensityBall { centre: Vec3::Z * 2.0, ..ball(TopHat, 0.25, 1.5) };
    let off = asymmetry(&vortons(&ball), Vec3::new(1.0, 1.0, -1.0), -1.0);
    println!("off by {off:.1e} after the collision");
    assert!(off < 1e-4, "off by {off}");
}

#[test]
fn side_by_side() {
    let ball = DensityBall { centre: Vec3::X * 1.5, ..ball(TopHat, 0.25, 1.5) };
    let off = asymmetry(&vortons(&ball), Vec3::new(-1.0, 1.0, 1.0), 1.0);
    println!("off by {off:.1e}");
    assert!(off < 1e-4, "off by {off}");
}
