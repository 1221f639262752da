//! Initial motion of a heavy ball (validation B2): its centre accelerates at ⅔ g', a Gaussian's mass at ⅔
//! 2^(-3/2) g' on average, and the half plane gains circulation at the rate ∫ g' dz along the axis.

use crate::common::{positions, steps, world};
use crate::drops::{ball, heavy_fluid, vortons};
use fluid_core::initial::DensityProfile::{self, Gaussian, TopHat};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use glam::Vec3;

const DT: f32 = 0.01;

/// Returns the world after its first step; its field has the velocities of that time.
fn started(profile: DensityProfile, spacing: f32, overlap: f32) -> VortexSim {
    let mut sim = world(heavy_fluid(spacing * overlap), &vortons(&ball(profile, spacing, overlap)));
    steps(&mut sim, DT, 1);
    steps(&mut sim, 0.0, 1);
    sim
}

fn accelerations(sim: &VortexSim, places: &[Vec3]) -> Vec<f64> {
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(places, &mut velocities);
    velocities.iter().map(|u| -f64::from(u.z / DT)).collect()
}

#[test]
fn the_centre_of_a_ball_at_two_thirds() {
    for overlap in [1.5, 1.65] {
        let centre = accelerations(&started(TopHat, 1.0 / 6.0, overlap), &[Vec3::ZERO])[0];
        println!("{centre:.4} of g'");
        assert!((centre / (2.0 / 3.0) - 1.0).abs() < 0.03, "{centre}");
    }
}

#[test]
fn the_mass_of_a_gaussian_at_its_mean() {
    for (spacing, overlap) in [(0.5, 1.5), (0.5, 1.65), (0.4, 1.5), (0.6, 1.65)] {
        let sim = started(Gaussian, spacing, overlap);
        let masses = &sim.vortons().mass_deviations;
        let each = accelerations(&sim, &positions(&sim));
        let total: f64 = masses.iter().map(|&m| f64::from(m)).sum();
        let mean = each.iter().zip(masses).map(|(a, &m)| a * f64::from(m)).sum::<f64>() / total;
        println!("h {spacing} σ/h {overlap}: {mean:.4} of g'");
        assert!((mean / 0.23570 - 1.0).abs() < 0.03, "{mean}");
    }
}

#[test]
fn the_half_plane_gains_circulation() {
    // ∮ u·dl along the axis, to 40 radii, and back where the velocity is negligible. A core of a quarter of
    // the radius smooths the force on the axis by about 3 %.
    let sim = started(TopHat, 1.0 / 6.0, 1.5);
    let step = 0.05_f32;
    let axis: Vec<Vec3> = (-800..=800).map(|i| Vec3::Z * (i as f32 * step)).collect();
    let circulation: f64 = accelerations(&sim, &axis).iter().sum::<f64>() * f64::from(step);
    println!("{circulation:.4} of R g', exactly 2");
    assert!((circulation / 2.0 - 1.0).abs() < 0.05);
}
