//! dI/dt = g Σm'/ρ₀ for any shape, at any position and time (validation B1). The original delivers 23 to 46
//! % of it.

use crate::common::{random_rotation, steps, world};
use crate::drops::{GRAVITY, ball, heavy_fluid, jittered, mass, mass_centre, moved, vortons};
use fluid_core::initial::DensityProfile::{Gaussian, TopHat};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// Returns the impulse along gravity and across it, as fractions of the exact impulse from gravity, and Σα
/// over Σ|α|.
fn shares(sim: &VortexSim, time: f64) -> [f64; 3] {
    let expected = GRAVITY.as_dvec3() * (mass(sim) * time);
    let moments = sim.moments(&Serial);
    let along = moments.linear_impulse.dot(expected) / expected.length_squared();
    let across = moments.linear_impulse.reject_from(expected).length() / expected.length();
    [along, across, moments.total_strength.length() / moments.strength_magnitude]
}

fn first_step(vortons: &[Vorton], core_radius: f32) -> [f64; 3] {
    let dt = 1e-3;
    let mut sim = world(heavy_fluid(core_radius), vortons);
    steps(&mut sim, dt, 1);
    shares(&sim, dt.into())
}

fn check(name: &str, [along, across, sum]: [f64; 3], bound: f64) {
    println!("{name}: {along:.4} along, {across:.5} across, sum {sum:.1e}");
    assert!((along - 1.0).abs() <= bound, "{name}: {along} of the impulse");
    assert!(across <= 0.005, "{name}: {across} across gravity");
    assert!(sum <= 1e-6, "{name}: a sum of {sum}");
}

/// Returns the ball of radius 4 h (about 400 vortons with its surface) and a Gaussian of about 1,100, for
/// both overlaps.
fn clouds() -> impl Iterator<Item = (Vec<Vorton>, f32, f32)> {
    [(TopHat, 0.25), (Gaussian, 0.5)].into_iter().flat_map(|(profile, spacing)| {
        [1.5, 1.65].map(|overlap| (vortons(&ball(profile, spacing, overlap)), spacing, overlap * spacing))
    })
}

#[test]
fn on_any_lattice() {
    for (cloud, spacing, core) in clouds() {
        check("on the nodes", first_step(&cloud, core), 0.005);
        let between = moved(&cloud, |p| p + spacing * Vec3::new(0.17, 0.31, 0.45));
        check("between the nodes", first_step(&between, core), 0.005);
        let rotation = random_rotation(3);
        check("rotated", first_step(&moved(&cloud, |p| rotation * p), core), 0.005);
    }
}

#[test]
fn of_jittered_vortons_and_of_unequal_ones() {
    for (cloud, spacing, core) in clouds() {
        for seed in 0..3 {
            check("a quarter off", first_step(&jittered(&cloud, 0.25 * spacing, seed), core), 0.01);
            check("a half off", first_step(&jittered(&cloud, 0.5 * spacing, seed), core), 0.01);
        }
        let random = Random::new(9);
        let unequal = |(i, v): (u64, &Vorton)| {
            let factor = 0.5 + random.unit(i);
            Vorton { volume: v.volume * factor, mass_deviation: v.mass_deviation * factor, ..*v }
        };
        let unequal: Vec<Vorton> = (0..).zip(&cloud).map(unequal).collect();
        check("unequal", first_step(&unequal, core), 0.01);
    }
}

#[test]
fn of_vortons_without_volume() {
    // No vorton can take up vorticity before the halo has been created.
    let cloud: Vec<Vorton> =
        vortons(&ball(TopHat, 0.25, 1.5)).iter().map(|v| Vorton { volume: 0.0, ..*v }).collect();
    check("points", first_step(&cloud, 0.375), 0.01);
}

#[test]
fn while_a_drop_falls_four_radii() {
    fall_four_radii(0.0);
}

#[test]
#[ignore = "a quarter of a minute"]
fn while_a_drop_falls_four_radii_with_relaxation() {
    fall_four_radii(1.0);
}

fn fall_four_radii(relaxation_rate: f32) {
    for (cloud, _, core) in clouds() {
        let mut sim = world(Params { relaxation_rate, ..heavy_fluid(core) }, &cloud);
        while mass_centre(&sim).z > -4.0 {
            steps(&mut sim, 1.0 / 30.0, 10);
            assert!(sim.time() < 8.0, "the drop does not fall");
        }
        check("after the fall", shares(&sim, sim.time()), 0.006);
        // Also for the current rate, with the current disorder.
        let still: Vec<Vorton> = (0..sim.vortons().len())
            .map(|row| Vorton { strength: Vec3::ZERO, ..sim.vortons().get(row) })
            .collect();
        check("given then", first_step(&still, core), 0.02);
    }
}
