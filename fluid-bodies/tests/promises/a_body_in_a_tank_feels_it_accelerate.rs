//! In a tank that accelerates, gravity is g − a: a body without a sheet moves in it as accelerated fluid
//! moves it, at any frame rate, and in free fall it floats. Blows by its own contacts do not drive it.

use crate::immersed::{World, body, params};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use glam::{DVec3, Vec3};
use std::f32::consts::TAU;

const ACCELERATION: f32 = 2.0;

fn world(density: f64, gravity: Vec3) -> World {
    let mut params = params(Vec3::ZERO);
    (params.ambient.density, params.gravity) = (1.0, gravity);
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::ONE) };
    let tank = BodyDef { shapes: vec![hole], mass: f32::INFINITY, ..BodyDef::default() };
    let ball = body(Shape::sphere(0.25), density, BodyState::default());
    World::new(params, &[], &[tank, BodyDef { buoyant_force: BuoyantForce::On, ..ball }])
}

/// Moves the tank from rest with this acceleration \[m/s²\]. Returns how much faster the ball is than the
/// tank after `time` \[s\], and as it was after the first two steps \[m/s\].
fn relative_speed(density: f64, [acceleration, gravity]: [Vec3; 2], (time, rate): (f32, f32)) -> [Vec3; 2] {
    let mut world = world(density, gravity);
    let (steps, mut early) = ((time * rate) as usize, Vec3::ZERO);
    let mut relative = Vec3::ZERO;
    for step in 0..steps {
        let time = step as f32 / rate;
        let state = BodyState {
            position: acceleration * (0.5 * time * time),
            velocity: acceleration * (time + 0.5 / rate),
            ..BodyState::default()
        };
        world.rigid[0].set_state(&state);
        let weight = gravity.as_dvec3() * world.rigid[1].mass();
        world.rigid[1].apply_force(weight);
        world.step(1.0 / rate);
        relative = world.rigid[1].state().velocity - acceleration * (step as f32 + 1.0) / rate;
        early = if step == 1 { relative } else { early };
    }
    [relative, early]
}

#[test]
fn it_moves_as_accelerated_fluid_moves_it() {
    for density in [0.2, 1.0, 3.0] {
        let along = Vec3::X * ACCELERATION;
        for rate in [30.0, 60.0, 120.0] {
            let [moved, _] = relative_speed(density, [along, Vec3::ZERO], (0.5, rate));
            // With the added mass of a ball.
            let response = (1.5 / (density + 0.5)) as f32;
            let expected = Vec3::X * ((response - 1.0) * ACCELERATION * 0.5);
            println!("density {density}, {rate} Hz: {moved} of {expected}");
            // The acceleration of a tank is known to last from its third step on.
            let missing = 2.0 * response * ACCELERATION / rate;
            assert!(moved.distance(expected) < 0.01 + 1.01 * missing, "{moved} of {expected}");
        }
    }
}

#[test]
fn it_floats_in_free_fall() {
    let gravity = Vec3::Z * -9.8;
    for density in [0.1, 2.0] {
        for rate in [30.0, 120.0] {
            let [late, early] = relative_speed(density, [gravity; 2], (0.2, rate));
            println!("density {density}, {rate} Hz: {early} then {late} m/s");
            // Its lift in the first two steps, in which the tank's fall is not known to last.
            let most = 2.0 * 9.8 / (density as f32 * rate) + 0.01;
            assert!(late.distance(early) < 0.02 && early.length() < most, "{late}, was {early}");
        }
    }
}

/// It counts as a push, not as lift, which an engine's gravity balances. A tank that moves steadily gives
/// none.
#[test]
fn what_it_gets_is_a_push() {
    let mut world = world(1.0, Vec3::ZERO);
    for step in 0..20 {
        let speed = if step < 10 { step as f32 * 0.1 } else { 1.0 };
        let position = world.rigid[0].state().position;
        world.rigid[0].set_state(&BodyState { position, velocity: Vec3::X * speed, ..BodyState::default() });
        world.step(1.0 / 60.0);
        let impulse = world.impulses[1];
        let is_push = impulse.lift_linear == DVec3::ZERO;
        assert!(is_push && (impulse.linear.x > 1e-3 || !(2..10).contains(&step)), "{step}: {impulse:?}");
        assert!(impulse.linear.length() < 1e-6 || step <= 10, "{step}: {impulse:?}");
    }
    // Two steps of ten are missing, and one at the end.
    assert!((world.rigid[1].velocity() - DVec3::X * 0.8).length() < 0.11, "{}", world.rigid[1].velocity());
}

/// A tank that trembles about its place, as in a hand, moves a neutral ball to no side.
#[test]
fn a_tank_that_trembles_moves_it_nowhere() {
    let mut world = world(1.0, Vec3::Z * -9.8);
    let mut mean = Vec3::ZERO;
    for step in 0..300_u16 {
        // Seven times a second: 35 times in all.
        let velocity = Vec3::Z * (0.1 * (TAU * 7.0 * f32::from(step) / 60.0).sin());
        let position = world.rigid[0].state().position;
        world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
        let weight = DVec3::Z * (-9.8 * world.rigid[1].mass());
        world.rigid[1].apply_force(weight);
        world.step(1.0 / 60.0);
        mean += world.rigid[1].state().velocity / 300.0;
    }
    println!("mean velocity {mean} m/s");
    assert!(mean.length() < 0.05, "{mean}");
}

/// A light ball between the walls of a free tank, thrown back by an engine without loss. A blow that came
/// back to it through tank and fluid raised its speed by a sixth each time.
#[test]
fn a_ball_that_bounces_in_a_free_tank_gains_nothing() {
    for (density, share, no_through) in
        [(0.05, 1.0, false), (0.2, 0.3, false), (0.05, 1.0, true), (0.2, 0.3, true)]
    {
        let mut params = params(Vec3::ZERO);
        params.ambient.density = 1.0;
        let hole = Shape { parity: Parity::Hole, ..Shape::sphere(0.5) };
        let mass = share * 0.52;
        let tank = BodyDef { shapes: vec![hole], mass, ..BodyDef::default() };
        let state = BodyState { velocity: Vec3::X, ..BodyState::default() };
        let ball = BodyDef { no_through, ..body(Shape::sphere(0.15), density, state) };
        let mut world = World::new(params, &[], &[tank, ball]);
        let mut fastest = 0.0_f64;
        for _ in 0..600 {
            world.step(1.0 / 60.0);
            let [tank, ball] = [0, 1].map(|body| world.rigid[body].clone());
            let (way, faster) =
                (ball.state().position - tank.state().position, ball.velocity() - tank.velocity());
            let normal = way.normalize_or_zero().as_dvec3();
            fastest = fastest.max(faster.length());
            if way.length() > 0.35 && faster.dot(normal) > 0.0 {
                let reduced = ball.mass() * tank.mass() / (ball.mass() + tank.mass());
                let push = normal * (-2.0 * reduced * faster.dot(normal));
                world.rigid[1].apply_impulse(push);
                world.rigid[0].apply_impulse(-push);
            }
        }
        println!("density {density}, {no_through}, tank {share} of its fluid: at most {fastest:.3} m/s");
        assert!(fastest < 1.2, "density {density}, {share}: {fastest} m/s");
    }
}
