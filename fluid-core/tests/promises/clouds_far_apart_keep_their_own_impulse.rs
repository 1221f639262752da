//! A cloud keeps its total strength and linear impulse by itself, and moves as if it were alone, whatever
//! else is far away: however weak, and also where the energy budget removes what is no longer resolved.

use fluid_core::boundary::NoBodies;
use fluid_core::initial::{FilamentRing, Noise, VortexRing};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Pool, Serial};
use glam::{DVec3, Vec3};

/// A ring in noise, from which the energy budget removes a fifth of the energy in two seconds.
fn near() -> Vec<Vorton> {
    let ring = VortexRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 0.6,
        thickness: 0.3,
        circulation: 2.0,
        spacing: 0.15,
    };
    let extent = Vec3::splat(1.4);
    let noise = Noise { centre: Vec3::ZERO, extent, spacing: 0.2, amplitude: 8.0, seed: 3 };
    let noise = noise.vortons().expect("constants in range");
    [ring.vortons().expect("constants in range"), noise].concat()
}

/// A ring around `centre` \[m\].
fn ring(centre: Vec3, circulation: f32) -> Vec<Vorton> {
    let (axis, radius, core_radius, count) = (Vec3::Z, 0.6, 0.15, 64);
    FilamentRing { centre, axis, radius, circulation, core_radius, count }.vortons().expect("in range")
}

/// Returns total strength and impulse about `middle` \[m\] of vortons nearer than 5 m to it, and the sum of
/// the magnitudes of their strengths.
fn sums(sim: &VortexSim, middle: Vec3) -> (DVec3, DVec3, f64) {
    let vortons = sim.vortons();
    let rows = (0..vortons.len()).filter(|&row| vortons.positions.get(row).distance(middle) < 5.0);
    rows.fold((DVec3::ZERO, DVec3::ZERO, 0.0), |(sum, impulse, size), row| {
        let strength = vortons.strengths.get(row).as_dvec3();
        let place = (vortons.positions.get(row) - middle).as_dvec3();
        (sum + strength, impulse + 0.5 * place.cross(strength), size + strength.length())
    })
}

/// Returns the fluid after two seconds, with what is removed of its energy \[m⁵/s²\].
fn after(exec: &dyn Executor, vortons: &[Vorton], wind: Vec3) -> (VortexSim, f64) {
    let params = Params { core_radius: 0.15, solver: SolverKind::Direct, wind, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(vortons).expect("valid vortons");
    let mut removed = 0.0;
    for _ in 0..120 {
        sim.step(exec, &mut NoBodies, 1.0 / 60.0).expect("a finite step");
        removed += sim.stats().energy_removed;
    }
    (sim, removed)
}

#[test]
fn whatever_else_there_is() {
    let (alone, lost) = after(&Serial, &near(), Vec3::ZERO);
    let (right, energy) = (sums(&alone, Vec3::ZERO), alone.stats().energy);
    println!("alone: impulse {:.3}, energy {energy:.3} and {lost:.3} m^5/s^2 removed", right.1);
    assert!(lost > 0.1, "the budget removes {lost}");
    for (place, circulation) in [(15.0, 1e-6), (15.0, 0.1), (150.0, 1e-6), (150.0, 0.1), (1000.0, 1e-3)] {
        let far = Vec3::new(place, 0.0, 0.0);
        let (both, _) = after(&Serial, &[near(), ring(far, circulation)].concat(), Vec3::ZERO);
        let (strength, impulse, _) = sums(&both, Vec3::ZERO);
        let (_, of_far, size) = sums(&both, far);
        println!("{circulation} at {place} m: impulse {impulse:.3}, there {size:.3e} in sum");
        let error = (impulse - right.1).length() / right.1.length();
        assert!(error < 1e-4, "{circulation} at {place} m: impulse differs by {error:.1e}");
        assert!((strength - right.0).length() < 1e-5 * right.2, "{circulation} at {place} m: {strength}");
        // Noise amplifies what little flow there is from the ring, and rounding.
        let rows = || alone.vortons().positions.iter().zip(both.vortons().positions.iter());
        let moved = rows().map(|(a, b)| f64::from(a.distance_squared(b))).sum::<f64>();
        let moved = (moved / alone.vortons().len() as f64).sqrt();
        let own = both.stats().energy - after(&Serial, &ring(far, circulation), Vec3::ZERO).0.stats().energy;
        println!("    moved by {moved:.1e} m, energy {own:.3}");
        assert!(moved < 0.1, "{circulation} at {place} m: vortons are {moved} m elsewhere");
        assert!((own / energy - 1.0).abs() < 0.02, "{circulation} at {place} m: energy {own} of {energy}");
        // The ring has moved, which adds nothing to the impulse of a closed line.
        let expected = std::f64::consts::PI * 0.36 * f64::from(circulation);
        assert!((of_far.z / expected - 1.0).abs() < 0.01, "{circulation} at {place} m: {of_far} there");
        assert!(size < 1.02 * 0.6 * std::f64::consts::TAU * f64::from(circulation), "{size} there");
    }
}

/// With the same bits on any number of threads.
#[test]
fn on_any_number_of_threads() {
    let places = [Vec3::ZERO, Vec3::X * 20.0, Vec3::new(30.0, 50.0, 0.0), Vec3::Z * -90.0];
    let vortons: Vec<_> = places.iter().flat_map(|&at| shifted(near(), at)).collect();
    let (serial, _) = after(&Serial, &vortons, Vec3::ZERO);
    let (pool, _) = after(&Pool::new(3).expect("threads start"), &vortons, Vec3::ZERO);
    assert!(serial.vortons().positions.iter().eq(pool.vortons().positions.iter()));
    assert!(serial.vortons().strengths.iter().eq(pool.vortons().strengths.iter()));
}

fn shifted(mut vortons: Vec<Vorton>, way: Vec3) -> Vec<Vorton> {
    vortons.iter_mut().for_each(|vorton| vorton.position += way);
    vortons
}

/// In wind that carries both along.
#[test]
fn in_any_wind() {
    let far = Vec3::X * 30.0;
    let vortons = [near(), ring(far, 0.5)].concat();
    let (still, _) = after(&Serial, &vortons, Vec3::ZERO);
    let wind = Vec3::new(7.0, -3.0, 1.0);
    let (carried, _) = after(&Serial, &vortons, wind);
    for middle in [Vec3::ZERO, far] {
        let (a, b) = (sums(&still, middle).1, sums(&carried, middle + 2.0 * wind).1);
        assert!((a - b).length() < 1e-3 * a.length(), "{a} and {b} in wind");
    }
}
