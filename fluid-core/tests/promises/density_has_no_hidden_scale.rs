//! A drop a thousand times as large or small falls the same, in its own time scale (validation B8).

use crate::common;

use crate::common::{positions, steps, world};
use crate::drops::{ball, heavy_fluid, mass_centre, vortons};
use fluid_core::initial::{DensityBall, DensityProfile::Gaussian};
use fluid_core::params::Params;
use glam::Vec3;

/// Positions of the seeds in units of R, and the fall of their centre of mass, after 4 √(R/g'). Densities
/// are scaled, too.
fn fallen(size: f32, duration: f32, density: f32) -> (Vec<Vec3>, f64) {
    let unit = ball(Gaussian, 0.5, 1.5);
    let scaled = DensityBall {
        radius: size * unit.radius,
        spacing: size * unit.spacing,
        core_radius: size * unit.core_radius,
        density_deviation: density * unit.density_deviation,
        ..unit
    };
    let mut params = heavy_fluid(scaled.core_radius);
    params.gravity *= size / (duration * duration);
    params.ambient.density *= density;
    let seeds = vortons(&scaled);
    let mut sim = world(Params { relaxation_rate: 1.0 / duration, ..params }, &seeds);
    steps(&mut sim, duration / 30.0, 120);
    let places = positions(&sim)[..seeds.len()].iter().map(|&p| p / size).collect();
    (places, mass_centre(&sim).z / f64::from(size))
}

#[test]
fn of_length_time_or_mass() {
    is_scaled(&[(1e3, 30.0, 1000.0), (1e-3, 1e-2, 1e-3)]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn of_length() {
    is_scaled(&[(1e3, 1.0, 1.0), (1e-3, 1.0, 1.0)]);
}

fn is_scaled(scales: &[(f32, f32, f32)]) {
    let (places, fall) = fallen(1.0, 1.0, 1.0);
    for &(size, duration, density) in scales {
        let (scaled, scaled_fall) = fallen(size, duration, density);
        let off = common::largest_distance(&places, &scaled);
        println!(
            "size {size}, time {duration}, density {density}: vortons off by {off:.1e} R, fall by {:.1e}",
            scaled_fall / fall - 1.0
        );
        assert!((scaled_fall / fall - 1.0).abs() < 1e-3 && off < 1e-2, "off by {off}");
    }
}
