//! A thick ring at default settings breaks up into eddies that its cloud does not resolve (E46). What that
//! and the budget take from its impulse is owed, and repaid only as far as the budget has room: otherwise a
//! flow that is calm again would lose in each step what the last one has repaid, until nothing is left.

use crate::common::world;
use fluid_core::initial::VortexRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// A ring of this circulation \[m²/s\]: with 4 it breaks up after some 18 s, with 2 in uneven steps after
/// 30.
fn ring(circulation: f32) -> VortexSim {
    let params = Params::default();
    let spacing = params.core_radius * 2.0 / 3.0;
    let ring =
        VortexRing { centre: Vec3::ZERO, axis: Vec3::Z, radius: 0.5, thickness: 0.15, circulation, spacing };
    world(params, &ring.vortons().expect("a ring"))
}

/// Follows the ring for `steps` steps. Returns the parts of impulse and energy that are left, and the number
/// of scalings in the first and in the second half.
fn follow(circulation: f32, steps: u32, dt: impl Fn(u64) -> f32) -> (f64, f64, [u64; 2]) {
    let mut sim = ring(circulation);
    let start = sim.moments(&Serial).linear_impulse.z;
    let (mut first, mut half, mut worst) = (0.0, 0, 0.0_f64);
    for step in 0..steps {
        sim.step(&Serial, &mut fluid_core::boundary::NoBodies, dt(step.into())).expect("a valid step");
        let (energy, scalings) = (sim.stats().energy, sim.stats().energy_scalings);
        first = if step == 0 { energy } else { first };
        half = if step == steps / 2 { scalings } else { half };
        // An excess of up to 3 % may wait for the next look.
        assert!(energy <= 1.03 * first, "step {step}: {energy} of {first}");
        if step % 50 == 0 {
            let sum = (sim.moments(&Serial).linear_impulse.z - sim.impulse_owed().z) / start;
            worst = worst.max((sum - 1.0).abs());
            assert!(worst < 1e-5, "step {step}: impulse and what is owed of it are {sum}");
        }
    }
    println!("impulse less what is owed deviates by {worst:.1e}");
    let stats = sim.stats();
    let left = sim.moments(&Serial).linear_impulse.z / start;
    (left, stats.energy / first, [half, stats.energy_scalings - half])
}

#[test]
#[ignore = "a quarter of a minute"]
fn in_even_steps() {
    // Where it broke up after 6 s, .03 and .0004 were left with all repaid at once, after 471 scalings.
    let (impulse, energy, scalings) = follow(4.0, 1800, |_| 1.0 / 60.0);
    println!("impulse {impulse:.3}, energy {energy:.4}, scalings {scalings:?}");
    assert!(impulse < 0.95, "the ring has not broken up");
    assert!(impulse > 0.2 && energy > 0.02 && scalings[1] < 150, "{impulse} {energy} {scalings:?}");
}

#[test]
fn in_uneven_steps() {
    let random = Random::new(3);
    let (impulse, energy, scalings) =
        follow(2.0, 1000, |step| 1.0 / 144.0 + random.unit(step) * (1.0 / 15.0 - 1.0 / 144.0));
    println!("impulse {impulse:.3}, energy {energy:.4}, scalings {scalings:?}");
    assert!(impulse < 0.95, "the ring has not broken up");
    assert!(impulse > 0.2 && energy > 0.02 && scalings[1] < 150, "{impulse} {energy} {scalings:?}");
}
