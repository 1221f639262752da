//! For any values carried by vortons, nothing panics and the rest of the fluid stays finite.

use crate::common::{inviscid, steps, world};
use crate::drops::{GRAVITY, heavy_fluid};
use fluid_core::constants::MAX_GRAVITY;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::VelocityField;
use glam::Vec3;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -1.0..1.0f32,
        1 => Just(0.0),
        1 => prop::sample::select(vec![1e38, -1e38, f32::MAX, f32::MIN, 1e-38, 1e-45, 1e30, -1e20, 1e6]),
    ]
}

fn vorton() -> impl Strategy<Value = Vorton> {
    let vector = || (value(), value(), value()).prop_map(Vec3::from);
    (vector(), vector(), value(), value(), value()).prop_map(
        |(position, strength, volume, mass_deviation, dye)| Vorton {
            position,
            strength,
            volume: volume.abs(),
            mass_deviation,
            dye,
            ..Vorton::default()
        },
    )
}

/// Returns the number of cases: PROPTEST_CASES if it is set (the long checks set it), else `usual`.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(150)) })]

    #[test]
    fn of_any_vortons(
        vortons in prop::collection::vec(vorton(), 0..60),
        gravity in (value(), value(), value()),
        max_vortons in 60..400usize,
    ) {
        let most = Vec3::splat(0.5 * MAX_GRAVITY);
        let gravity = Vec3::from(gravity).clamp(-most, most);
        let params = Params { gravity, max_vortons, ..heavy_fluid(0.2) };
        let mut sim = world(params, &vortons);
        steps(&mut sim, 0.02, 12);
        prop_assert!(sim.vortons().len() <= max_vortons);
        for row in 0..sim.vortons().len() {
            let vorton = sim.vortons().get(row);
            prop_assert!(vorton.position.is_finite() && vorton.strength.is_finite());
        }
        let mut samples = [Default::default(); 3];
        sim.field().scalars(&[Vec3::ZERO, Vec3::splat(1e30), Vec3::splat(f32::NAN)], &mut samples);
        for sample in samples {
            prop_assert!(sample.temperature > 0.0 && sample.temperature.is_finite());
        }
    }
}

/// A fluid with one invalid vorton.
#[test]
fn one_bad_vorton_is_alone() {
    let good = |i: u64| Vorton {
        position: 2.0 * fluid_core::math::Random::new(3).centred_vec3(i),
        volume: 1e-3,
        mass_deviation: 1e-4,
        ..Vorton::default()
    };
    let good: Vec<Vorton> = (0..500).map(good).collect();
    let far = Vorton { position: Vec3::splat(1e30), mass_deviation: 1e38, volume: 1e38, ..good[0] };
    let all: Vec<Vorton> = good.iter().copied().chain([far]).collect();
    let mut sim = world(Params { gravity: GRAVITY, ..inviscid(0.15) }, &all);
    steps(&mut sim, 0.02, 20);
    let alive = good.len() as u64;
    assert!((0..alive).all(|id| sim.vortons().row_of(id).is_some()), "a good vorton has gone");
    assert!(sim.stats().density_outside >= 1);
}
