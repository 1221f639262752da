//! Closed fluid holds no momentum but that of its tank, so the walls get the thrust ½ ρ U² π R² of a fan in
//! the tank (E59). One that the tank carries pushes it in neither way.

use crate::immersed::{World, params};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::math::Random;
use glam::{DVec3, Quat, Vec3};

const NOZZLE: Nozzle = Nozzle { radius: 0.2, speed: 1.0, disturbance: 0.1 };
const DENSITY: f32 = 1000.0;
const PLACE: Vec3 = Vec3::new(-0.4, 0.0, 0.15);

fn world(mass: f32, carrier: Option<usize>, turn: Quat) -> World {
    let mut params = params(Vec3::ZERO);
    params.ambient.density = DENSITY;
    params.max_age = 2.0;
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::new(1.0, 0.5, 0.5)) };
    let state = BodyState { rotation: turn, ..BodyState::default() };
    let tank = BodyDef { shapes: vec![hole], mass, state, ..BodyDef::default() };
    let mut world = World::new(params, &[], &[tank]);
    let along = Quat::from_rotation_arc(Vec3::Z, Vec3::X);
    let (position, rotation) = if carrier.is_some() { (PLACE, along) } else { (turn * PLACE, turn * along) };
    let fan = EmitterDef {
        body: carrier,
        position,
        rotation,
        rate: 0.0,
        volume: 0.0,
        nozzle: Some(NOZZLE),
        ..EmitterDef::default()
    };
    world.sim.emitters_mut().push(Emitter::new(fan).expect("a valid emitter"));
    world
}

fn thrust() -> f64 {
    0.5 * f64::from(DENSITY) * std::f64::consts::PI * 0.04
}

/// Impulse \[N s\] of a ring, which leaves the nozzle each 2/3 σ of the sheet at half the jet's speed.
fn ring() -> f64 {
    thrust() * 2.0 / 3.0 * 0.1 / 0.5
}

/// Returns times of steps of 1/144 to 1/15 s, up to 2 s together.
fn steps() -> impl Iterator<Item = f32> {
    let random = Random::new(5);
    let mut left = 2.0;
    (0..).map_while(move |n| {
        let dt = (1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(n)).min(left);
        left -= dt;
        (dt > 0.0).then_some(dt)
    })
}

#[test]
fn one_that_is_held() {
    let turn = Quat::from_rotation_y(0.7);
    let mut world = world(f32::INFINITY, None, turn);
    let mut linear = DVec3::ZERO;
    for dt in steps() {
        world.step(dt);
        linear += world.impulses[0].linear;
    }
    let along = (turn * Vec3::X).as_dvec3();
    let (got, across) = (linear.dot(along), linear.reject_from(along).length());
    let expected = 2.0 * thrust();
    println!("{got:.2} of {expected:.2} N s, {across:.4} across; a ring has {:.2}", ring());
    assert!((expected - 1.01 * ring()..1.01 * expected).contains(&got), "{got} of {expected}");
    assert!(across < 0.01 * expected, "{across}");
}

#[test]
fn one_that_is_free() {
    let turn = Quat::from_rotation_z(1.0);
    let mut world = world(100.0, None, turn);
    for dt in steps() {
        world.step(dt);
    }
    let along = (turn * Vec3::X).as_dvec3();
    let gained = world.rigid[0].velocity() * (100.0 + 2.0 * f64::from(DENSITY));
    let (got, across) = (gained.dot(along), gained.reject_from(along).length());
    let expected = 2.0 * thrust();
    println!("{got:.2} of {expected:.2} N s, {across:.4} across");
    // The last one is shared in the next step.
    assert!((expected - 2.02 * ring()..1.01 * expected).contains(&got), "{got} of {expected}");
    assert!(across < 0.01 * expected, "{across}");
}

#[test]
fn its_own_fan_does_not_move_it() {
    for mass in [100.0, f32::INFINITY] {
        let mut world = world(mass, Some(0), Quat::IDENTITY);
        let mut linear = DVec3::ZERO;
        for dt in steps() {
            world.step(dt);
            linear += world.impulses[0].linear;
        }
        println!("{mass} kg: {linear:.4} N s, thrust {:.1} N", thrust());
        assert!(linear.length() < 0.03 * thrust(), "{linear}");
    }
}
