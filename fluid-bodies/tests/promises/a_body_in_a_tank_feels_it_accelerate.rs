//! In a tank that accelerates, gravity is g − a: a body without a sheet moves in it as in a tank at rest
//! under that gravity, at any frame rate, and in free fall it floats.

use crate::immersed::{World, body, params};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use glam::{DVec3, Vec3};

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
fn it_moves_as_under_that_gravity() {
    for density in [0.2, 1.0, 3.0] {
        let along = Vec3::X * ACCELERATION;
        for rate in [30.0, 60.0, 120.0] {
            let [moved, _] = relative_speed(density, [along, Vec3::ZERO], (0.5, rate));
            let expected = Vec3::X * ((1.0 / density - 1.0) as f32 * ACCELERATION * 0.5);
            println!("density {density}, {rate} Hz: {moved} of {expected}");
            // The acceleration of a tank is known from its second step on.
            let missing = ACCELERATION / (density as f32 * rate);
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
            assert!(late.distance(early) < 0.02, "{late}, was {early}");
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
        assert!(is_push && (impulse.linear.x > 1e-3 || step == 0 || step > 10), "{step}: {impulse:?}");
        assert!(impulse.linear.length() < 1e-6 || step <= 10, "{step}: {impulse:?}");
    }
    assert!((world.rigid[1].velocity() - DVec3::X).length() < 1e-3, "{}", world.rigid[1].velocity());
}
