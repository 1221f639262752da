//! An impermeable body that is put into a strong vortex moves alike at any frame rate, and after a step of
//! zero length: the energy of its answer is not taken from the vortex, nor given to it again and again (E46).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::{FilamentRing, VortexRing};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const GRAVITY: f32 = 9.81;
const MASS: f32 = 0.1;

/// Puts a ball half above the core of a ring, and returns its velocity \[m/s\] after half a second, moved by
/// an engine that sets states, steps and takes impulses; `pauses` steps of zero length come first.
fn velocity(hertz: u16, pauses: u32) -> Vec3 {
    let mut params = Params { core_radius: 0.1, gravity: Vec3::NEG_Z * GRAVITY, ..Params::default() };
    params.ambient.density = 1.0;
    let ring = VortexRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 0.5,
        thickness: 0.2,
        circulation: 1.0,
        spacing: 0.0667,
    };
    let mut state = BodyState { position: Vec3::new(0.45, 0.0, 0.35), ..BodyState::default() };
    let shapes = vec![Shape::sphere(0.25)];
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { shapes, mass: MASS, state, no_through: true, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let dt = 1.0 / f32::from(hertz);
    for _ in 0..pauses {
        sim.step(&Serial, &mut bodies, 0.0).expect("a finite step");
    }
    for _ in 0..hertz / 2 {
        bodies.set_state(0, state).expect("a valid state");
        sim.step(&Serial, &mut bodies, dt).expect("a finite step");
        let push = bodies.body_mut(0).take_impulse().linear.as_vec3() / MASS;
        state.velocity += push + params.gravity * dt;
        state.position += state.velocity * dt;
    }
    state.velocity
}

/// A ball that is put far away and back to its place beside a ring in every second step: its answer appears
/// and goes each time.
#[test]
fn again_and_again_it_makes_no_energy() {
    let params = Params { core_radius: 0.2, ..Params::default() };
    let (circulation, radius) = (5.0, 1.0);
    let (centre, axis, core_radius) = (Vec3::ZERO, Vec3::Z, 0.2);
    let ring = FilamentRing { centre, axis, radius, circulation, core_radius, count: 64 };
    let state = BodyState { position: Vec3::new(1.0, 0.0, 0.9), ..BodyState::default() };
    let shapes = vec![Shape::sphere(0.35)];
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { shapes, mass: f32::INFINITY, state, no_through: true, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let (mut first, mut most) = (0.0, 0.0_f64);
    for step in 0..400 {
        if step % 2 == 0 {
            let away = BodyState { position: state.position + Vec3::X * 50.0, ..state };
            bodies.place(0, away).expect("a valid state");
            bodies.place(0, state).expect("a valid state");
        }
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
        let energy = sim.stats().energy;
        first = if step == 0 { energy } else { first };
        most = most.max(energy);
    }
    println!("energy {:.3} times the first", most / first);
    assert!(most < 1.3 * first, "{first} to {most}");
}

#[test]
fn in_the_core_of_a_ring() {
    let finest = velocity(120, 0);
    for (hertz, pauses) in [(30, 0), (60, 0), (72, 0), (60, 1)] {
        let other = velocity(hertz, pauses);
        println!("{hertz} Hz after {pauses} pauses: {other:.4} m/s, {finest:.4} at 120 Hz");
        let most = 2.0 * (1.0 / f32::from(hertz) - 1.0 / 120.0) + 0.01;
        assert!(other.distance(finest) < most, "{hertz} Hz after {pauses} pauses: {other} and {finest}");
    }
}
