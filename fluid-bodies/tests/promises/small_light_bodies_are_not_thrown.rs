//! A free body much lighter than the fluid in front of or beside a ring of few strong vortons: neither
//! friction with those that touch a small one, nor the sheet of a thin impermeable one, throws it or makes
//! energy.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::FilamentRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{EulerRot, Quat, Vec3};
use std::f32::consts::TAU;

const CORE: f32 = 0.2;

/// Returns the largest energy of the fluid in two seconds, relative to that at first, and the largest speed
/// of the body \[m/s\]. The ring moves at .3 m/s, and the fluid in its middle at 1.
fn pushed(def: BodyDef, density: f32, hz: f32) -> (f64, f32) {
    let mut params = Params { core_radius: CORE, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { mass: density * MassProperties::of(&def.shapes).volume as f32, ..def };
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

/// A place in front of the ring, `away` \[m\] from its line, for two random numbers.
fn beside_ring(away: f32, [along, around]: [f32; 2]) -> Vec3 {
    let out = 1.0 + away * (TAU * around).cos();
    let (sin, cos) = (TAU * along).sin_cos();
    Vec3::new(out * cos, out * sin, (away * (TAU * around).sin()).abs())
}

/// Plates and needles of six core radii, .2 to .5 thick. Their sheets had strengths of up to fifty times the
/// body's speed, on which the flow of others drives a plate along its plane: energies grew up to 15 times.
#[test]
fn thin_and_impermeable() {
    let random = Random::new(5);
    let (mut grown, mut fastest) = (0.0_f64, 0.0_f32);
    for number in 0..36 {
        let at = |k: u64| random.unit(8 * number + k);
        let half = match number % 3 {
            0 => Vec3::new(0.6, 0.3 + 0.3 * at(3), 0.036),
            1 => Vec3::new(0.6, 0.18, 0.018),
            _ => Vec3::new(0.6, 0.05, 0.04),
        };
        let position = beside_ring(0.3 + 0.4 * at(2), [at(0), at(1)]);
        let turn = Vec3::new(at(4), at(5), at(6)) * TAU;
        let rotation = Quat::from_euler(EulerRot::XYZ, turn.x, turn.y, turn.z);
        let state = BodyState { position, rotation, ..BodyState::default() };
        let def =
            BodyDef { shapes: vec![Shape::cuboid(half)], state, no_through: true, ..BodyDef::default() };
        let density = [0.05, 0.5][number as usize / 3 % 2];
        let (energy, speed) = pushed(def, density, 60.0);
        println!("{number}: {:.2}, density {density}: energy {energy:.3} times, {speed:.2} m/s", half / CORE);
        assert!(energy < 2.0 && speed < 3.5, "{number}, {density}: energy {energy} times, {speed} m/s");
        (grown, fastest) = (grown.max(energy), fastest.max(speed));
    }
    println!("energy at most {grown:.3} times the first, speed at most {fastest:.2} m/s");
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
        let position = beside_ring(CORE + 0.65 * width + 0.2 * at(2), [at(0), at(1)]);
        let state = BodyState { position, ..BodyState::default() };
        let def = BodyDef { shapes: vec![shape], state, ..BodyDef::default() };
        let (energy, speed) = pushed(def, density, hz);
        let what = format!("{number}: {:.1} cores, density {density}, {hz} Hz", width / CORE);
        assert!(energy < 1.5 && speed < 3.0, "{what}: energy {energy} times, {speed} m/s");
        (grown, fastest) = (grown.max(energy), fastest.max(speed));
    }
    println!("energy at most {grown:.3} times the first, speed at most {fastest:.2} m/s");
}
