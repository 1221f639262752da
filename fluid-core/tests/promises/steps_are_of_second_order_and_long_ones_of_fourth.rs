//! Halving a second-order step quarters the error, for vortons and for tracers; halving a fourth-order step
//! leaves a sixteenth of it (E14).

use crate::common::{inviscid, leapfrog, positions, random_cloud, steps, world};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_threads::Serial;
use glam::Vec3;

/// Beyond the first pass of the rings.
const DURATION: f32 = 4.0;

/// Returns vortons and tracers after `DURATION` in `count` steps.
fn run(count: usize, params: Params) -> [Vec<Vec3>; 2] {
    let dt = DURATION / count as f32;
    let mut sim = world(params, &leapfrog(1.0, 32));
    let mut tracers = Tracers::default();
    // Around both rings.
    random_cloud(40, 61).iter().for_each(|v| {
        tracers.push(v.position * 1.5 + Vec3::Z * 0.5);
    });
    for _ in 0..count {
        steps(&mut sim, dt, 1);
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, dt);
    }
    let mut rows: Vec<_> = tracers.ids().iter().zip(tracers.positions()).collect();
    rows.sort_by_key(|(id, _)| **id);
    [positions(&sim), rows.into_iter().map(|(_, x)| *x).collect()]
}

/// Returns the root mean square distance.
fn error(a: &[Vec3], b: &[Vec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance_squared(*b))).sum();
    (sum / a.len() as f64).sqrt()
}

fn check(params: Params) {
    // The reference's error is 1/64 of that of the finest step tried; round-off is 1e-6, a hundredth of the
    // least error here.
    let reference = run(640, Params { multistep: false, ..params });
    for (name, which) in [("vortons", 0), ("tracers", 1)] {
        let [coarse, middle, fine] =
            [20, 40, 80].map(|count| error(&run(count, params)[which], &reference[which]));
        // Second order is a slope of 2; the asymptotic range is not quite reached.
        let slope = (coarse / fine).log2() / 2.0;
        assert!(slope >= 1.9, "{name}: errors {coarse:e}, {middle:e}, {fine:e} fall with order {slope}");
        assert!(fine > 1e-5, "{name}: error {fine:e} is round-off, not truncation");
    }
}

#[test]
fn long_steps_are_of_fourth_order() {
    let params = Params { fourth_order_above: 0.0, wind: Vec3::new(0.4, -0.3, 0.2), ..inviscid(0.3) };
    let [reference, _] = run(160, params);
    let [coarse, middle, fine] = [4, 8, 16].map(|count| error(&run(count, params)[0], &reference));
    let slope = (coarse / fine).log2() / 2.0;
    assert!(slope >= 3.8, "errors {coarse:e}, {middle:e}, {fine:e} fall with order {slope}");
    assert!(fine > 5e-6, "error {fine:e} is round-off, not truncation");
}

#[test]
fn in_still_air() {
    check(inviscid(0.3));
}

#[test]
fn in_a_wind() {
    check(Params { wind: Vec3::new(0.4, -0.3, 0.2), ..inviscid(0.3) });
}

#[test]
fn with_one_solve_a_step() {
    // With thinner cores the longest of these steps take two.
    check(Params { multistep: true, wind: Vec3::new(0.4, -0.3, 0.2), ..inviscid(0.6) });
}

#[test]
fn one_solve_is_as_accurate_as_two() {
    let reference = run(640, inviscid(0.3));
    for (name, which) in [("vortons", 0), ("tracers", 1)] {
        let [two, one] = [false, true].map(|multistep| {
            error(&run(60, Params { multistep, ..inviscid(0.3) })[which], &reference[which])
        });
        println!("{name}: {two:e} with two solves, {one:e} with one");
        assert!(one < 2.0 * two, "{name}: {one:e} with one solve a step, {two:e} with two");
    }
}

#[test]
fn corrected_steps_are_as_accurate_as_midpoint_steps_of_half_their_length() {
    let params = inviscid(0.15);
    let corrected = Params { multistep: true, fourth_order_above: 0.4, ..params };
    let mut sim = world(corrected, &leapfrog(1.0, 32));
    steps(&mut sim, DURATION / 120.0, 10);
    let stats = sim.stats();
    assert!(stats.solves == 2 && (0.41..0.79).contains(&stats.stretch_number), "{stats:?}");
    let reference = run(1280, params);
    let errors = |count: usize, params: Params| {
        let places = run(count, params);
        [0, 1].map(|which| error(&places[which], &reference[which]))
    };
    let [corrected, half, same] = [errors(120, corrected), errors(240, params), errors(120, params)];
    println!("vortons, tracers: {corrected:?} corrected, {half:?} in half steps, {same:?} in as many steps");
    assert!(corrected[0] < 1.2 * half[0], "{corrected:?} {half:?}");
    // Tracers are moved by the same field in the same steps.
    assert!(corrected[1] < 1.2 * same[1], "{corrected:?} {same:?}");
}
