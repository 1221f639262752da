//! Light fluid is added at a constant rate, rises, and is removed when it reaches its maximum age. So is
//! the surrounding halo, which inherits the age of the fluid in which it was created: the number of vortons
//! becomes steady.

use crate::common::{steps, world};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use glam::Vec3;

const SPACING: f32 = 0.1;
/// Vortons per second \[Hz\].
const RATE: u32 = 30;

struct Plume {
    sim: VortexSim,
    random: Random,
    fed: u64,
}

impl Plume {
    fn new(diffusivity: f32, max_age: f32) -> Self {
        let params = Params {
            core_radius: 1.5 * SPACING,
            gravity: Vec3::NEG_Z * 10.0,
            viscosity: 0.005,
            diffusivity,
            max_age,
            ..Params::default()
        };
        Self { sim: world(params, &[]), random: Random::new(7), fed: 0 }
    }

    /// Runs one second in which one vorton a step is added, a fifth lighter than the surrounding fluid.
    /// Returns the largest number of vortons.
    fn second(&mut self) -> usize {
        let mut most = 0;
        for _ in 0..RATE {
            let volume = SPACING.powi(3);
            let position = self.random.centred_vec3(self.fed) * (2.0 * SPACING);
            let vorton = Vorton { position, volume, mass_deviation: -0.2 * volume, ..Vorton::default() };
            self.sim.add_vortons(&[vorton]).expect("there is room");
            self.fed += 1;
            steps(&mut self.sim, 1.0 / RATE as f32, 1);
            most = most.max(self.sim.vortons().len());
        }
        most
    }
}

/// Compares the counts of the second half of `seconds` seconds with those of the first half without its
/// start.
fn check(diffusivity: f32, max_age: f32, seconds: usize) {
    let mut plume = Plume::new(diffusivity, max_age);
    let counts: Vec<usize> = (0..seconds).map(|_| plume.second()).collect();
    println!("κ {diffusivity}, {max_age} s: {counts:?}");
    assert!(plume.sim.stats().halo_born > 1000, "nothing to see");
    let settled = (3.0 * max_age) as usize;
    let most = |range: std::ops::Range<usize>| *counts[range].iter().max().expect("not empty") as f32;
    let (early, late) = (most(settled..seconds / 2), most(seconds / 2..seconds));
    assert!((late / early - 1.0).abs() < 0.1, "{early} vortons, then {late}");
    // The fed vortons below the maximum age are a part of the count; the halo is of similar size.
    let alive = max_age * RATE as f32;
    let rims = plume.sim.vortons().rims.iter().filter(|&&rim| rim).count() as f32;
    println!("{alive} fed, {rims} for what diffuses");
    assert!(late - rims < 3.5 * alive, "{late} vortons of which {alive} were fed, {rims} for what diffuses");
}

#[test]
fn in_twenty_seconds() {
    check(0.002, 2.0, 20);
}

#[test]
#[ignore = "takes a minute"]
fn in_a_minute() {
    for diffusivity in [0.0, 0.002, 0.02] {
        check(diffusivity, 4.0, 60);
    }
}
