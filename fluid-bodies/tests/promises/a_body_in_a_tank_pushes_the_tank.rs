//! The momentum of the fluid in a tank is ρ (V v − V_b v_b), because nothing flows through walls: a tank that
//! throws a neutral body inside of it comes to rest, one on scales reads what holds the body in it, and one
//! in which a ball only turns gets no torque before the fluid at its walls turns.

use crate::immersed::{World, body, noise, params};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::particles::Vorton;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const HALF: f32 = 0.6;
const RADIUS: f32 = 0.25;
const DISPLACED: f64 = 4.0 / 3.0 * PI * 0.25 * 0.25 * 0.25;

/// A tank of this mass \[kg\] and the ball in it.
fn world(shape: Shape, mass: f32, ball: BodyDef, vortons: &[Vorton]) -> World {
    let mut params = params(Vec3::ZERO);
    params.ambient.density = 1.0;
    let tank = BodyDef { shapes: vec![Shape { parity: Parity::Hole, ..shape }], mass, ..BodyDef::default() };
    World::new(params, vortons, &[tank, ball])
}

fn cube() -> Shape {
    Shape::cuboid(Vec3::splat(HALF))
}

fn ball(density: f64, at: Vec3, no_through: bool) -> BodyDef {
    let def = body(Shape::sphere(RADIUS), density, BodyState { position: at, ..BodyState::default() });
    BodyDef { no_through, ..def }
}

#[test]
fn a_tank_that_throws_a_neutral_ball_comes_to_rest() {
    let (throw, content) = (0.1, (2.0 * f64::from(HALF)).powi(3));
    let filled = noise(Vec3::ZERO, Vec3::splat(1.1), 1e-3);
    // The last one with a fourth of its fluid's mass in the engine's (E69).
    for (no_through, rate, vortons, fluid) in [
        (true, 30.0, &[][..], 0.0),
        (true, 120.0, &[], 0.0),
        (false, 30.0, &[], 0.0),
        (false, 120.0, &[], 0.0),
        (true, 60.0, &filled, 0.0),
        (true, 60.0, &[], 0.25),
    ] {
        let ball = ball(1.0 + fluid, Vec3::X * -0.2, no_through);
        let ball = BodyDef { fluid_mass: (fluid * DISPLACED) as f32, ..ball };
        let mut world = world(cube(), 0.5, ball, vortons);
        for step in 0..rate as usize / 3 {
            if step == 4 {
                world.rigid[0].apply_impulse(DVec3::X * -throw);
                world.rigid[1].apply_impulse(DVec3::X * throw);
            }
            world.step(1.0 / rate);
        }
        let momentum = world.rigid[0].velocity().x * (0.5 + content);
        println!("impermeable {no_through}, {rate} Hz, {} vortons: {momentum:.5} N s", vortons.len());
        assert!(momentum.abs() < 0.03 * throw, "{momentum}");
        assert!(world.rigid[1].velocity().x * DISPLACED > 0.1 * throw);
    }
}

/// The impulse on the tank is the opposite of that on the ball, plus that of the fluid that the ball moves:
/// for a ball with a sheet 1 + ½ times its fluid's.
#[test]
fn a_ball_that_swings_in_a_tank_at_rest_pushes_it_with_its_fluid() {
    for (no_through, expected) in [(true, 1.5), (false, 1.0)] {
        for rate in [30.0_f64, 120.0] {
            let held = ball(f64::INFINITY, Vec3::ZERO, no_through);
            let mut world = world(Shape::sphere(HALF), f32::INFINITY, held, &[]);
            let (mut sum, mut squares, mut before) = (0.0, 0.0, 0.0);
            for step in 0..2 * rate as usize {
                let place = |step: usize| 0.02 * (2.0 * PI * step as f64 / rate).sin();
                let velocity = (place(step + 1) - place(step)) * rate;
                let state = BodyState {
                    position: Vec3::Z * place(step) as f32,
                    velocity: Vec3::Z * velocity as f32,
                    ..BodyState::default()
                };
                world.rigid[1].set_state(&state);
                world.step(1.0 / rate as f32);
                if step >= 2 {
                    sum += world.impulses[0].linear.z * (velocity - before);
                    squares += (velocity - before).powi(2) * DISPLACED;
                }
                before = velocity;
            }
            let found = sum / squares;
            println!("impermeable {no_through}, {rate} Hz: {found:.4} of {expected}");
            assert!((found / expected - 1.0).abs() < 0.02, "{found}");
        }
    }
}

#[test]
fn a_ball_that_turns_takes_its_spin_from_the_fluid_not_from_the_tank() {
    let vortons = noise(Vec3::ZERO, Vec3::splat(1.1), 1e-3);
    for shape in [cube(), Shape::sphere(HALF)] {
        let mut world = world(shape, f32::INFINITY, ball(1.0, Vec3::X * 0.1, false), &vortons);
        let state =
            BodyState { angular_velocity: Vec3::Z * 4.0, position: Vec3::X * 0.1, ..world.rigid[1].state() };
        world.rigid[1].set_state(&state);
        let before = world.rigid[1].angular_momentum().z;
        let mut on_tank = 0.0;
        for _ in 0..10 {
            world.step(1.0 / 60.0);
            on_tank += world.impulses[0].angular.z;
        }
        let lost = before - world.rigid[1].angular_momentum().z;
        println!("the ball has lost {lost:.5}, the tank got {on_tank:.5} N m s");
        assert!(lost > 0.3 * before && on_tank.abs() < 0.1 * lost, "{on_tank} of {lost}");
    }
}

/// A shell of a hundredth of its content's mass, to which an engine welds a light ball or a heavy one, gets a
/// blow: all move on together with the momentum of what there is. A loose ball stays bounded as well.
#[test]
fn a_light_tank_with_a_ball_moves_by_its_momentum() {
    let content = (2.0 * f64::from(HALF)).powi(3);
    let blow = 0.1 * content;
    for (no_through, rate, density) in
        [(true, 30.0, 0.05), (true, 120.0, 3.0), (false, 60.0, 0.05), (false, 120.0, 0.3), (false, 30.0, 3.0)]
    {
        for is_welded in [true, false] {
            let ball = ball(density, Vec3::ZERO, no_through);
            let mut world = world(cube(), (0.01 * content) as f32, ball, &[]);
            let mass: f64 = world.rigid.iter().map(RigidBody::mass).sum();
            let mut fastest = 0.0_f64;
            for step in 0..150 {
                if step == 5 {
                    world.rigid[0].apply_impulse(DVec3::X * blow);
                }
                if is_welded {
                    let momentum: DVec3 = world.rigid.iter().map(RigidBody::momentum).sum();
                    let velocity = (momentum / mass).as_vec3();
                    let state = BodyState { velocity, ..world.rigid[0].state() };
                    world.rigid.iter_mut().for_each(|rigid| rigid.set_state(&state));
                }
                world.step(1.0 / rate);
                let last = world.rigid.iter().map(|rigid| rigid.velocity().length()).fold(0.0, f64::max);
                fastest = if step > 100 { fastest.max(last) } else { 0.0 };
            }
            let expected = blow / (mass + content - DISPLACED);
            let found = world.rigid[0].velocity().x;
            println!("{no_through}, {rate} Hz, {density}, welded {is_welded}: {found:.4} of {expected:.4}");
            if is_welded {
                assert!((found / expected - 1.0).abs() < 0.005, "{found} of {expected}");
            }
            assert!(fastest < 6.0 * expected, "{fastest}");
        }
    }
}
