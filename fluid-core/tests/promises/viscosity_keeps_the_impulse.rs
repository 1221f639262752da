//! Viscous unbounded fluid conserves its linear impulse: rings spread into the surrounding fluid, at any
//! frame rate, with constant viscosity or that of small eddies, and also if the capacity for more vortons
//! is exhausted (E44, E45).

use crate::common::world;
use fluid_core::boundary::NoBodies;
use fluid_core::initial::{FilamentRing, VortexRing};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::Vec3;

const CORE: f32 = 0.15;

fn params() -> Params {
    Params {
        core_radius: CORE,
        viscosity: 5e-3,
        solver: SolverKind::Direct,
        max_vortons: 4096,
        ..Params::default()
    }
}

fn filament() -> Vec<Vorton> {
    let ring = FilamentRing {
        centre: Vec3::ZERO,
        axis: Vec3::new(1.0, 2.0, -1.0),
        radius: 1.0,
        circulation: 2.3,
        core_radius: CORE,
        count: 53,
    };
    ring.vortons().expect("a ring")
}

/// Its thickness is 1.7 cores and its neighbours are σ/1.25 apart: the coarsest admissible ring.
fn thick() -> Vec<Vorton> {
    let ring = VortexRing {
        centre: Vec3::new(0.3, 0.2, 0.1),
        axis: Vec3::new(1.0, 2.0, -1.0),
        radius: 1.0,
        thickness: 0.25,
        circulation: 2.3,
        spacing: CORE / 1.25,
    };
    ring.vortons().expect("a ring")
}

/// Returns the largest change of impulse and of total strength during `time` \[s\], relative to the impulse
/// and to Σ|α| at the start. Without `rate` \[1/s\], steps take from 1/144 to 1/15 s at random.
fn changes(sim: &mut VortexSim, rate: Option<f32>, time: f64) -> (f64, f64) {
    let start = sim.moments(&Serial);
    let random = Random::new(3);
    let (mut impulse, mut strength) = (0.0_f64, 0.0_f64);
    while sim.time() < time {
        let unit = random.unit(sim.stats().steps);
        let dt = rate.map_or(1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * unit, |rate| 1.0 / rate);
        sim.step(&Serial, &mut NoBodies, dt).expect("a step");
        let now = sim.moments(&Serial);
        let turned = (now.linear_impulse - start.linear_impulse).length() / start.linear_impulse.length();
        impulse = impulse.max(turned);
        strength =
            strength.max((now.total_strength - start.total_strength).length() / start.strength_magnitude);
    }
    (impulse, strength)
}

fn check(vortons: &[Vorton], rate: Option<f32>, allowed: f64) {
    let mut sim = world(params(), vortons);
    let (impulse, strength) = changes(&mut sim, rate, 2.0);
    let count = sim.vortons().len();
    println!(
        "{rate:?}/s: {} then {count} vortons, impulse off by {impulse:.1e}, strength by {strength:.1e}",
        vortons.len()
    );
    assert!(impulse < allowed, "{rate:?}: impulse changes by {impulse:e}");
    assert!(strength < 1e-6, "{rate:?}: total strength changes by {strength:e}");
    assert!(count > vortons.len(), "nothing was born");
}

#[test]
fn a_filament_ring_does_at_any_frame_rate() {
    for rate in [Some(30.0), Some(60.0), Some(120.0), None] {
        check(&filament(), rate, 2e-3);
    }
}

#[test]
fn a_thick_ring_does_at_any_frame_rate() {
    for rate in [Some(30.0), Some(60.0), None] {
        check(&thick(), rate, 2e-3);
    }
}

#[test]
fn small_eddies_take_none_of_it() {
    for vortons in [filament(), thick()] {
        for rate in [Some(30.0), Some(60.0), Some(120.0)] {
            let mut sim = world(Params { viscosity: 0.0, smagorinsky: 0.2, ..params() }, &vortons);
            let (impulse, _) = changes(&mut sim, rate, 1.0);
            println!("{} vortons, {rate:?}/s: impulse off by {impulse:.1e}", vortons.len());
            assert!(impulse < 1e-3, "{rate:?}: {impulse:e}");
            assert_eq!(sim.vortons().len(), vortons.len());
        }
    }
}

#[test]
fn a_world_without_room_keeps_it_as_well() {
    for max_vortons in [53, 200, 400] {
        let mut sim = world(Params { max_vortons, ..params() }, &filament());
        let (impulse, _) = changes(&mut sim, None, 2.0);
        let count = sim.vortons().len();
        println!("at most {max_vortons}: {count}, impulse off by {impulse:.1e}");
        assert!(impulse < 2e-3, "{max_vortons}: {impulse:e}");
        assert!(count <= max_vortons);
        // The threshold rises before the capacity is exhausted: vortons added by hosts and emitters still
        // fit.
        assert!(max_vortons < 200 || count < max_vortons, "{count} of {max_vortons}");
    }
}
