//! A free body of half a core radius to three, much lighter than the fluid, in front of or beside a ring of
//! few strong vortons: friction with those that touch it neither throws it nor makes energy.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::FilamentRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;
use std::f32::consts::TAU;

const CORE: f32 = 0.2;

/// Returns the largest energy of the fluid in two seconds, relative to that at first, and the largest speed
/// of the body \[m/s\]. The ring moves at .3 m/s, and the fluid in its middle at 1.
fn pushed(shape: Shape, density: f32, place: Vec3, hz: f32) -> (f64, f32) {
    let mut params = Params { core_radius: CORE, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let mass = density * MassProperties::of(std::slice::from_ref(&shape)).volume as f32;
    let state = BodyState { position: place, ..BodyState::default() };
    let def = BodyDef { shapes: vec![shape], mass, state, ..BodyDef::default() };
    let mut body = RigidBody::new(&def);
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = FilamentRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 1.0,
        circulation: 1.0,
        core_radius: CORE,
        count: 64,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let (mut first, mut most, mut fastest) = (0.0, 0.0_f64, 0.0_f32);
    for step in 0..(2.0 * hz) as u32 {
        bodies.set_state(0, body.state()).expect("a valid state");
        sim.step(&Serial, &mut bodies, 1.0 / hz).expect("a finite step");
        body.apply(&bodies.body_mut(0).take_impulse());
        body.integrate(f64::from(1.0 / hz));
        assert!(sim.stats().energy.is_finite(), "step {step}");
        first = if step == 0 { sim.stats().energy } else { first };
        most = most.max(sim.stats().energy);
        fastest = fastest.max(body.state().velocity.length());
    }
    (most / first, fastest)
}

#[test]
fn beside_a_ring_of_few_vortons() {
    let random = Random::new(3);
    let (mut grown, mut fastest) = (0.0_f64, 0.0_f32);
    for number in 0..80 {
        let at = |k: u64| random.unit(8 * number + k);
        let width = [0.5, 1.0, 2.0, 3.0][number as usize % 4] * CORE;
        let shape = match number % 8 {
            0..4 => Shape::sphere(0.5 * width),
            _ => Shape::cuboid(Vec3::splat(0.5 * width)),
        };
        let (density, hz) = ([0.05, 0.1, 0.3][number as usize % 3], [30.0, 60.0][number as usize / 2 % 2]);
        let (along, around) = (TAU * at(0), TAU * at(1));
        let away = CORE + 0.65 * width + 0.2 * at(2);
        let out = 1.0 + away * around.cos();
        let place = Vec3::new(out * along.cos(), out * along.sin(), (away * around.sin()).abs());
        let (energy, speed) = pushed(shape, density, place, hz);
        let what = format!("{number}: {:.1} cores, density {density}, {hz} Hz", width / CORE);
        assert!(energy < 1.5 && speed < 3.0, "{what}: energy {energy} times, {speed} m/s");
        (grown, fastest) = (grown.max(energy), fastest.max(speed));
    }
    println!("energy at most {grown:.3} times the first, speed at most {fastest:.2} m/s");
}
