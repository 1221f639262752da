//! The energy spectrum of a cloud (E8): that of a thin ring has a closed formula, and the integral of every
//! spectrum is the energy.

use fluid_core::initial::FilamentRing;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_film::spectrum::{slopes, spectrum, wavenumbers};
use fluid_threads::{Pool, Serial};
use glam::Vec3;
use std::f64::consts::PI;

const RADIUS: f32 = 0.7;
const CIRCULATION: f32 = 1.3;

fn world(core_radius: f32, vortons: &[Vorton]) -> VortexSim {
    let params = Params { core_radius, max_vortons: 1024, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("parameters in range");
    sim.add_vortons(vortons).expect("room");
    sim
}

fn ring(core_radius: f32, tilt: f32) -> Vec<Vorton> {
    let ring = FilamentRing {
        centre: Vec3::new(0.2, -0.1, 0.3),
        axis: Vec3::new(tilt, 0.0, 1.0),
        radius: RADIUS,
        circulation: CIRCULATION,
        core_radius,
        count: 256,
    };
    ring.vortons().expect("in range")
}

/// J₁(x) = (1/π) ∫ cos(t - x sin t) dt from 0 to π.
fn bessel_j1(x: f64) -> f64 {
    const STEPS: i32 = 200;
    let value = |n: i32| {
        let t = PI * (f64::from(n) + 0.5) / f64::from(STEPS);
        (t - x * t.sin()).cos()
    };
    (0..STEPS).map(value).sum::<f64>() / f64::from(STEPS)
}

/// E(k) of a circle with circulation: ½ Γ² R² ∫ J₁²(kR sin θ) sin θ dθ from 0 to π.
fn of_a_circle(k: f64) -> f64 {
    const STEPS: i32 = 400;
    let (radius, circulation) = (f64::from(RADIUS), f64::from(CIRCULATION));
    let value = |n: i32| {
        let theta = PI * (f64::from(n) + 0.5) / f64::from(STEPS);
        bessel_j1(k * radius * theta.sin()).powi(2) * theta.sin()
    };
    let integral = PI / f64::from(STEPS) * (0..STEPS).map(value).sum::<f64>();
    0.5 * (circulation * radius).powi(2) * integral
}

#[test]
fn of_a_thin_ring() {
    // So thin that the core does not change these scales.
    let sim = world(0.001, &ring(0.001, 0.4));
    let wavenumbers = wavenumbers(0.05, 30.0, 40);
    let found = spectrum(&Serial, &sim, &wavenumbers);
    for (k, found) in wavenumbers.iter().zip(found) {
        let exact = of_a_circle(*k);
        assert!((found / exact - 1.0).abs() < 0.01, "k = {k}: {found}, but {exact} is exact");
    }
}

#[test]
fn integrated_over_all_scales_it_is_the_energy() {
    for core_radius in [0.1, 0.3] {
        let rings = [ring(core_radius, 0.0), ring(core_radius, 2.0)].concat();
        let sim = world(core_radius, &rings);
        let wavenumbers = wavenumbers(1e-3, 200.0, 600);
        let spectrum = spectrum(&Serial, &sim, &wavenumbers);
        let part = |(k, e): (&[f64], &[f64])| 0.5 * (k[1] - k[0]) * (e[0] + e[1]);
        let integral: f64 = wavenumbers.windows(2).zip(spectrum.windows(2)).map(part).sum();
        let energy = sim.pair_sums(&Serial).energy;
        assert!((integral / energy - 1.0).abs() < 2e-3, "{integral}, but the energy is {energy}");
    }
}

#[test]
fn on_any_number_of_threads_with_the_same_bits() {
    let sim = world(0.2, &ring(0.2, 1.0));
    let wavenumbers = wavenumbers(0.1, 20.0, 7);
    let serial = spectrum(&Serial, &sim, &wavenumbers);
    let pool = Pool::new(3).expect("threads start");
    assert_eq!(spectrum(&pool, &sim, &wavenumbers), serial);
}

#[test]
fn exponents_are_those_of_powers() {
    let wavenumbers = wavenumbers(0.5, 40.0, 9);
    let power: Vec<f64> = wavenumbers.iter().map(|k| 3.0 * k.powf(-5.0 / 3.0)).collect();
    let slopes = slopes(&wavenumbers, &power);
    assert_eq!(slopes.len(), 8);
    assert!(slopes.iter().all(|slope| (slope + 5.0 / 3.0).abs() < 1e-9), "{slopes:?}");
}
