//! Drops of heavy fluid, and quantities measured on them.
#![allow(dead_code, reason = "programs of tests take what they need")]

use crate::common::inviscid;
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use glam::{DVec3, Vec3};

/// Gravity \[m/s²\]. With a deviation of a tenth of the ambient density, g' = 1.
pub(crate) const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -10.0);

/// Returns parameters without viscosity and relaxation, with direct sums and gravity.
pub(crate) fn heavy_fluid(core_radius: f32) -> Params {
    Params { gravity: GRAVITY, ..inviscid(core_radius) }
}

/// Returns a ball with R = 1 and g' = 1 in the centre; σ is `overlap` times the spacing.
pub(crate) fn ball(profile: DensityProfile, spacing: f32, overlap: f32) -> DensityBall {
    DensityBall {
        centre: Vec3::ZERO,
        radius: 1.0,
        density_deviation: 0.1,
        spacing,
        core_radius: overlap * spacing,
        profile,
        dye: 1.0,
        fuel: 0.0,
    }
}

/// Returns the vortons of a ball with valid parameters.
pub(crate) fn vortons(ball: &DensityBall) -> Vec<Vorton> {
    ball.vortons().expect("in range")
}

/// Returns the vortons at positions mapped by `place`.
pub(crate) fn moved(vortons: &[Vorton], place: impl Fn(Vec3) -> Vec3) -> Vec<Vorton> {
    vortons.iter().map(|v| Vorton { position: place(v.position), ..*v }).collect()
}

/// Displaces each coordinate by up to ±`size` \[m\].
pub(crate) fn jittered(vortons: &[Vorton], size: f32, seed: u64) -> Vec<Vorton> {
    let random = Random::new(seed);
    let jitter = |i: u64| random.centred_vec3(i) * (2.0 * size);
    (0..).zip(vortons).map(|(i, v)| Vorton { position: v.position + jitter(i), ..*v }).collect()
}

/// Returns Σ m' \[kg\].
pub(crate) fn mass(sim: &VortexSim) -> f64 {
    sim.vortons().mass_deviations.iter().map(|&m| f64::from(m)).sum()
}

/// Returns Σ m' x / Σ m' \[m\].
pub(crate) fn mass_centre(sim: &VortexSim) -> DVec3 {
    let vortons = sim.vortons();
    let moment = |i: usize| vortons.positions.get(i).as_dvec3() * f64::from(vortons.mass_deviations[i]);
    (0..vortons.len()).map(moment).sum::<DVec3>() / mass(sim)
}
