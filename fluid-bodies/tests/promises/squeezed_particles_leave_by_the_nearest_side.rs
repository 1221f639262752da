//! Particles between two bodies that close on each other come out beside both, not on the far side of one.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::boundary::Surfaces;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// Half of the width of both bodies \[m\], and their depth: ways out through them are twice as long as
/// those to their sides.
const HALF: f32 = 0.25;
const DEPTH: f32 = 0.5;

#[test]
fn of_two_boxes_or_a_box_and_a_floor() {
    for (name, first, is_floor) in [
        ("two boxes", Shape::cuboid(Vec3::new(HALF, HALF, DEPTH)), false),
        ("a box and a floor", Shape::half_space(), true),
    ] {
        for (speed, overlap) in [(0.3_f32, 0.0_f32), (0.3, 0.01), (3.0, 0.05)] {
            let mut bodies =
                Bodies::new(BodySettings::default(), &Params::default()).expect("valid settings");
            let low = if is_floor { 0.0 } else { -DEPTH };
            let state = BodyState { position: Vec3::Z * low, ..BodyState::default() };
            let still = |shape, state| BodyDef {
                shapes: vec![shape],
                mass: f32::INFINITY,
                state,
                ..BodyDef::default()
            };
            bodies.add(still(first.clone(), state)).expect("a valid body");
            let cuboid = Shape::cuboid(Vec3::new(HALF, HALF, DEPTH));
            bodies.add(still(cuboid, BodyState::default())).expect("a valid body");
            let mut sim = VortexSim::new(Params::default()).expect("valid parameters");
            let random = Random::new(3);
            let gap = 0.1;
            let mut particles: Vec<Vec3> = (0..500)
                .map(|n| random.centred_vec3(n) * Vec3::new(0.49, 0.49, 0.9 * gap) + Vec3::Z * (0.5 * gap))
                .collect();
            let height = |step: u32| DEPTH + (gap - speed * step as f32 / 60.0).max(-overlap);
            let mut longest = 0.0_f32;
            for step in 0..(60.0 * (gap + overlap) / speed) as u32 + 3 {
                let (from, to) = (Vec3::Z * height(step), Vec3::Z * height(step + 1));
                let state =
                    BodyState { position: from, velocity: (to - from) * 60.0, ..BodyState::default() };
                bodies.set_state(1, state).expect("a valid state");
                sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
                let before = particles.clone();
                bodies.obstacles().keep_out(&before, &mut particles);
                for (place, before) in particles.iter().zip(&before) {
                    longest = longest.max(place.distance(*before));
                    assert!(!bodies.obstacles().contains(*place), "{name}, step {step}: {before} to {place}");
                }
            }
            println!("{name}, {speed} m/s, {overlap} m deep: {longest:.3} m in a step");
            assert!(longest < 1.1 * HALF, "{name}, {speed} m/s, {overlap} m deep: {longest} m");
        }
    }
}

/// A crate is pushed 5 mm into the walls of a tank, along one to three of its axes: particles between crate
/// and walls stay in the tank.
#[test]
fn of_a_crate_in_the_corner_of_a_tank() {
    for pushed in [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::ONE] {
        let mut bodies = Bodies::new(BodySettings::default(), &Params::default()).expect("valid settings");
        let still = |shape| BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        bodies.add(still(Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::ONE) })).expect("a valid tank");
        bodies.add(still(Shape::cuboid(Vec3::splat(HALF)))).expect("a valid crate");
        let mut sim = VortexSim::new(Params::default()).expect("valid parameters");
        let random = Random::new(5);
        let mut particles: Vec<Vec3> = (0..3000)
            .map(|n| random.centred_vec3(n) * 1.99)
            .filter(|place| place.abs().max_element() > HALF)
            .collect();
        let place = |step: u32| pushed * (1.005 - HALF) * (step.min(40) as f32 / 40.0);
        for step in 0..60 {
            let (from, to) = (place(step), place(step + 1));
            let state = BodyState { position: from, velocity: (to - from) * 60.0, ..BodyState::default() };
            bodies.set_state(1, state).expect("a valid state");
            sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
            let before = particles.clone();
            bodies.obstacles().keep_out(&before, &mut particles);
            for (place, before) in particles.iter().zip(&before) {
                let is_held = place.abs().max_element() < 1.0 + 1e-4;
                let is_in_crate = (*place - to).abs().max_element() < HALF - 1e-4;
                assert!(is_held && !is_in_crate, "{pushed}, step {step}: {before} to {place}");
            }
        }
    }
}
