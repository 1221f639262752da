//! Fluid in a tank moves with it, and so does the frame in which an impermeable body there meets it (E74): a
//! tank that moves steadily is as one at rest, and when the tank gets faster, the body gets its share of the
//! pressure that moves the fluid in the same step.

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::velocity::VelocityField;
use glam::Vec3;

/// A tank that its engine moves, with an impermeable body of this density \[kg/m³\] in fluid of 1 kg/m³.
fn world(shape: Shape, density: f64, velocity: Vec3) -> World {
    world_of(BodyDef { no_through: true, ..body(shape, density, BodyState::default()) }, velocity)
}

/// The same of this body.
fn world_of(def: BodyDef, velocity: Vec3) -> World {
    let mut params = params(Vec3::ZERO);
    params.ambient.density = 1.0;
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::ONE) };
    let state = BodyState { velocity, ..BodyState::default() };
    let tank = BodyDef { shapes: vec![hole], mass: f32::INFINITY, state, ..BodyDef::default() };
    World::new(params, &[], &[tank, BodyDef { state, ..def }])
}

/// Moves a ball to and fro in a tank of this velocity \[m/s\]. Returns its impulses \[N s\] and the
/// velocities of the fluid \[m/s\] beside and before it, relative to the tank.
fn to_and_fro(radius: f32, velocity: Vec3, rate: f32) -> Vec<[Vec3; 3]> {
    let mut world = world(Shape::sphere(radius), f64::INFINITY, velocity);
    let mut seen = Vec::new();
    for step in 0..rate as usize {
        let time = step as f32 / rate;
        let (way, speed) = (0.3 * time * (1.0 - time), 0.3 * (1.0 - 2.0 * (time + 0.5 / rate)));
        let state =
            |position, own: Vec3| BodyState { position, velocity: velocity + own, ..BodyState::default() };
        world.rigid[0].set_state(&state(velocity * time, Vec3::ZERO));
        world.rigid[1].set_state(&state(velocity * time + Vec3::Z * way, Vec3::Z * speed));
        world.step(1.0 / rate);
        // The field is that of the middle of the step.
        let place = world.rigid[1].state().position - 0.5 / rate * world.rigid[1].state().velocity;
        let places = [place + Vec3::X * (2.0 * radius), place + Vec3::Z * (2.0 * radius)];
        let mut flow = [Vec3::ZERO; 2];
        world.sim.field().velocities(&places, &mut flow);
        seen.push([world.impulses[1].linear.as_vec3(), flow[0] - velocity, flow[1] - velocity]);
    }
    seen
}

#[test]
fn a_tank_that_moves_steadily_is_as_one_at_rest() {
    for (radius, rate) in [(0.25, 60.0), (0.25, 30.0), (0.1, 30.0)] {
        let still = to_and_fro(radius, Vec3::ZERO, rate);
        let scale = [0, 1, 2].map(|part| still.iter().map(|seen| seen[part].length()).fold(0.0, f32::max));
        assert!(scale.iter().all(|&most| most > 0.0), "{scale:?}");
        for velocity in [Vec3::X * 3.0, Vec3::new(-8.0, 2.0, 5.0)] {
            let moved = to_and_fro(radius, velocity, rate);
            let mut errors = [0.0_f32; 3];
            for (still, moved) in still.iter().zip(&moved) {
                for part in 0..3 {
                    errors[part] = errors[part].max(still[part].distance(moved[part]));
                }
            }
            println!("radius {radius} m, {rate} Hz, {velocity} m/s: errors {errors:?} of {scale:?}");
            // Positions are exact to 1e-7 of the distance, over a short step.
            let rounding = 2e-5 * velocity.length();
            let displaced = 4.0 / 3.0 * std::f32::consts::PI * radius.powi(3);
            let most = [rounding * displaced, rounding, rounding];
            for part in 0..3 {
                assert!(errors[part] < most[part] + 1e-3 * scale[part], "{errors:?}");
            }
        }
    }
}

/// Returns the velocity relative to the tank \[m/s\] of a free body after this many steps. The tank begins to
/// move as `motion` says, which returns its velocity \[m/s\] in a step.
fn relative(def: BodyDef, (rate, steps): (f32, usize), motion: impl Fn(usize) -> Vec3) -> Vec3 {
    let mut world = world_of(def, motion(0));
    let mut position = Vec3::ZERO;
    // Nothing moves in a step of no length.
    world.step(0.0);
    for step in 0..steps {
        let velocity = motion(step);
        world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
        world.step(1.0 / rate);
        position += velocity / rate;
    }
    world.rigid[1].state().velocity - motion(steps - 1)
}

fn ball(density: f64) -> BodyDef {
    BodyDef { no_through: true, ..body(Shape::sphere(0.15), density, BodyState::default()) }
}

#[test]
fn it_moves_as_accelerated_fluid_moves_it() {
    for density in [0.02, 0.2, 1.0, 3.0] {
        for rate in [24.0, 60.0, 144.0] {
            let acceleration = Vec3::new(1.0, -1.0, 2.0);
            let steps = (0.5 * rate) as usize;
            let found = relative(ball(density), (rate, steps), |step| acceleration * step as f32 / rate);
            let response = (1.5 / (density + 0.5)) as f32;
            let expected = acceleration * ((response - 1.0) * (steps - 1) as f32 / rate);
            println!("density {density}, {rate} Hz: {found} of {expected}");
            assert!(found.distance(expected) < 0.02 * expected.length() + 1e-3, "{found} of {expected}");
        }
    }
}

#[test]
fn it_is_thrown_when_its_tank_stops() {
    for density in [0.05, 1.0, 3.0] {
        for rate in [30.0, 120.0] {
            let stops = |step| if step < 6 { Vec3::X * 2.0 } else { Vec3::ZERO };
            let found = relative(ball(density), (rate, 7), stops);
            let expected = Vec3::X * (2.0 - (3.0 / (density + 0.5)) as f32);
            println!("density {density}, {rate} Hz: {found} of {expected}");
            assert!(found.distance(expected) < 0.02 * 2.0, "{found} of {expected}");
        }
    }
}

/// An engine that corrects the position of a tank has not accelerated it.
#[test]
fn a_corrected_position_is_no_blow() {
    for (density, rate) in [(0.2, 60.0), (0.2, 144.0), (3.0, 144.0)] {
        let mut world = world(Shape::sphere(0.15), density, Vec3::ZERO);
        let mut fastest = 0.0_f64;
        for step in 0..20 {
            let position = if step < 5 { Vec3::ZERO } else { Vec3::X * 0.05 };
            world.rigid[0].set_state(&BodyState { position, ..BodyState::default() });
            world.step(1.0 / rate);
            fastest = fastest.max(world.rigid[1].velocity().length());
        }
        println!("density {density}, {rate} Hz: at most {fastest} m/s");
        // 15 and 3 m/s if it were a blow.
        assert!(fastest < 0.02, "{fastest} m/s");
    }
}

/// As it moves in a tank by itself, whether or not its engine's mass stands for fluid, too.
#[test]
fn fluid_in_its_engines_mass_changes_nothing() {
    let displaced = 4.0 / 3.0 * std::f64::consts::PI * 0.15_f64.powi(3);
    for density in [0.1, 1.0] {
        let own = ball(density + 0.4);
        let def = BodyDef { fluid_mass: (0.4 * displaced) as f32, ..own };
        let acceleration = Vec3::X * 2.0;
        let found = relative(def, (60.0, 30), |step| acceleration * step as f32 / 60.0);
        let expected = acceleration * (((1.5 / (density + 0.5)) as f32 - 1.0) * 29.0 / 60.0);
        println!("density {density}: {found} of {expected}");
        assert!(found.distance(expected) < 0.03 * expected.length() + 2e-3, "{found} of {expected}");
    }
}

/// Put into a tank at 3 m/s, it goes on as it is; so it does when the tank is destroyed or it is taken out.
#[test]
fn it_enters_and_leaves_with_its_own_velocity() {
    for density in [0.1, 1.0] {
        for is_paused in [false, true] {
            let (away, velocity) = (Vec3::Y * 5.0, Vec3::X * 3.0);
            let mut world = world(Shape::sphere(0.15), density, velocity);
            let mut position = Vec3::ZERO;
            let outside = BodyState { position: away, velocity, ..BodyState::default() };
            let mut go = |world: &mut World, count: u8| {
                for _ in 0..count {
                    world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
                    world.step(1.0 / 60.0);
                    position += velocity / 60.0;
                }
                world.rigid[1].state().velocity
            };
            // Alone in fluid at rest, at 3 m/s with the fluid that it moves.
            world.rigid[1].set_state(&outside);
            world.bodies.place(1, outside).expect("a valid state");
            let alone = go(&mut world, 10);
            assert!(alone.distance(velocity) < 1e-3, "{alone}");
            let place = |world: &mut World, state: BodyState| {
                world.rigid[1].set_state(&state);
                world.bodies.place(1, state).expect("a valid state");
                if is_paused {
                    world.step(0.0);
                }
            };
            let inside = BodyState { position: velocity * (10.0 / 60.0), ..outside };
            place(&mut world, inside);
            let entered = go(&mut world, 10);
            place(&mut world, outside);
            let left = go(&mut world, 10);
            println!("density {density}: {entered}, then {left} m/s");
            assert!(entered.distance(velocity) < 1e-3 && left.distance(velocity) < 1e-3, "{entered}, {left}");
        }
    }
}

/// The pressure of accelerated fluid acts at the centroid of a body: a neutral one does not turn.
#[test]
fn a_neutral_body_does_not_turn() {
    let shape = Shape::cuboid(Vec3::new(0.1, 0.2, 0.3));
    let mut world = world(shape, 1.0, Vec3::ZERO);
    let turn = glam::Quat::from_scaled_axis(Vec3::new(0.4, -0.3, 0.7));
    world.rigid[1].set_state(&BodyState { rotation: turn, ..BodyState::default() });
    let mut position = Vec3::ZERO;
    for step in 0..60_u8 {
        let velocity = Vec3::new(1.0, 2.0, -0.5) * (f32::from(step) / 60.0);
        world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
        world.step(1.0 / 60.0);
        position += velocity / 60.0;
    }
    let (spin, slip) =
        (world.rigid[1].state().angular_velocity, world.rigid[1].velocity() - world.rigid[0].velocity());
    println!("spin {spin} rad/s, slip {slip} m/s");
    assert!(spin.length() < 0.01 && slip.length() < 0.02, "{spin}, {slip}");
}
