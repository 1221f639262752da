//! Fluid of uniform density in a container under any translation moves with it and creates no vorticity
//! (C5); a rotating container also keeps its fluid.

use crate::immersed::{World, noise, params};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::combustion::Combustion;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::VelocityField;
use glam::{Quat, Vec3};

const HALF: f32 = 0.4;

/// Creates a tank full of neutral vortons, with tracers between them.
fn tank(wind: Vec3) -> World {
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(HALF)) };
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let seeds = noise(Vec3::ZERO, Vec3::splat(2.0 * HALF), 0.0);
    let mut world = World::new(params(wind), &[], &[def]);
    world.sim.add_vortons(&seeds).expect("valid vortons");
    let mut world = world.with_tracers();
    assert!(world.sim.vortons().len() > 1000);
    // Removes tracers seeded into the wall.
    world.tracers.retain(|place, _| place.abs().max_element() < HALF - 0.01);
    world
}

/// Returns the positions of vortons and tracers relative to the tank.
fn seen_from(world: &World) -> Vec<Vec3> {
    let pose = world.bodies.list()[0].state().pose();
    // Tracers are sorted by position now and then.
    let mut tracers: Vec<_> = world.tracers.ids().iter().zip(world.tracers.positions()).collect();
    tracers.sort_unstable_by_key(|(id, _)| **id);
    let places = world.sim.vortons().positions.iter().chain(tracers.iter().map(|(_, place)| **place));
    places.map(|place| pose.to_local(place)).collect()
}

/// Returns the largest displacement of a particle relative to the tank \[m\] while it is moved along `way`
/// at 60 Hz for a second, and the largest strength \[m³/s\].
fn stirred(wind: Vec3, says_velocity: bool, way: impl Fn(f32) -> Vec3) -> (f32, f32) {
    let mut world = tank(wind);
    let before = seen_from(&world);
    let dt = 1.0 / 60.0;
    for step in 0..60 {
        let time = step as f32 * dt;
        let velocity = if says_velocity { (way(time + dt) - way(time)) / dt } else { Vec3::ZERO };
        world.rigid[0].set_state(&BodyState { position: way(time), velocity, ..BodyState::default() });
        world.step(dt);
    }
    let moved = before.iter().zip(seen_from(&world)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
    let strength = world.sim.vortons().strengths.iter().map(|strength| strength.length()).fold(0.0, f32::max);
    assert_eq!(world.sim.stats().non_finite, 0);
    (moved, strength)
}

#[test]
fn whatever_is_done_to_it() {
    let shaken =
        |time: f32| Vec3::new(0.3 * libm::sinf(9.0 * time), 0.1 * libm::cosf(17.0 * time), time * time);
    // Several cells a step, to and fro.
    let jerked = |time: f32| Vec3::X * if (time * 30.0) as i32 % 2 == 0 { 0.0 } else { 0.5 };
    for (name, (moved, strength)) in
        [("shaken", stirred(Vec3::ZERO, true, shaken)), ("jerked", stirred(Vec3::ZERO, true, jerked))]
    {
        println!("{name}: {moved:.1e} m, {strength:.1e} m³/s");
        assert!(moved < 1e-4 * HALF && strength < 1e-6, "{name}: {moved} m, {strength} m³/s");
    }
}

#[test]
fn inside_the_velocity_is_that_of_the_tank_and_outside_it_is_not() {
    let mut world = tank(Vec3::ZERO);
    world.rigid[0].set_state(&BodyState { velocity: Vec3::X * 2.0, ..BodyState::default() });
    world.step(1.0 / 60.0);
    let mut velocities = [Vec3::ZERO; 2];
    world.sim.field().velocities(&[Vec3::Y * 0.2, Vec3::Y * 1.0], &mut velocities);
    assert!(
        (velocities[0] - Vec3::X * 2.0).length() < 1e-4 && velocities[1].length() < 1e-4,
        "{velocities:?}"
    );
}

/// A container that is already moving in its first step does not jerk; nor does it with steps of zero
/// length, as for the field, in between.
#[test]
fn steps_of_no_length_do_not_push() {
    let mut world = tank(Vec3::ZERO);
    for step in 0..8 {
        let dt = if step % 2 == 0 { 0.0 } else { 1.0 / 60.0 };
        let position = world.bodies.list()[0].state().position;
        world.rigid[0].set_state(&BodyState { position, velocity: Vec3::X * 2.0, ..BodyState::default() });
        world.step(dt);
        let pushed = world.sim.boundary().enclosures.iter().next();
        let acceleration = pushed.expect("a tank").acceleration;
        assert!(acceleration.length() < 1e-2, "step {step}: {acceleration}");
    }
}

#[test]
fn an_engine_that_moves_a_tank_without_a_velocity_loses_no_particle() {
    let mut world = tank(Vec3::ZERO);
    for step in 0..60 {
        let position = Vec3::X * (0.5 * libm::sinf(0.3 * step as f32));
        world.rigid[0].set_state(&BodyState { position, ..BodyState::default() });
        world.step(1.0 / 60.0);
        let outside = seen_from(&world).iter().filter(|place| place.abs().max_element() > HALF).count();
        assert_eq!(outside, 0, "step {step}");
    }
}

#[test]
fn a_box_that_turns_keeps_and_throws_no_particle() {
    let mut world = tank(Vec3::ZERO);
    let dt = 1.0 / 60.0;
    for step in 0..60 {
        let rotation = Quat::from_rotation_z(step as f32 * dt);
        world.rigid[0].set_state(&BodyState { angular_velocity: Vec3::Z, rotation, ..BodyState::default() });
        world.step(dt);
        let fastest = world.fastest_vorton() / (HALF * std::f32::consts::SQRT_2);
        assert!(fastest < 3.0, "step {step}: {fastest} times the fastest wall");
        let outside = seen_from(&world).iter().filter(|place| place.abs().max_element() > HALF).count();
        assert_eq!(outside, 0, "step {step}");
    }
}

/// Heat makes fluid in a container lighter, but has no space to push other fluid away (E62).
#[test]
fn burning_fluid_pushes_nothing_inside_and_all_around_it_outside() {
    let velocity = |place: Vec3| {
        let combustion = Combustion { ignition_temperature: 500.0, ..Combustion::default() };
        let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(HALF)) };
        let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        let mut world = World::new(Params { combustion, ..params(Vec3::ZERO) }, &[], &[def]);
        // Air of 600 K.
        let hot = Vorton {
            position: place,
            volume: 1e-3,
            mass_deviation: -0.5e-3,
            fuel: 100.0,
            ..Vorton::default()
        };
        world.sim.add_vortons(&[hot]).expect("valid");
        world.step(1.0 / 60.0);
        assert!(world.sim.stats().heat_released > 5.0, "{:?}", world.sim.stats());
        assert!(world.sim.vortons().volumes[0] > 1.01e-3, "it expands in both cases");
        let mut velocity = [Vec3::ZERO];
        world.sim.field().velocities(&[place + Vec3::X * 0.2], &mut velocity);
        velocity[0]
    };
    assert_eq!(velocity(Vec3::ZERO), Vec3::ZERO);
    assert!(velocity(Vec3::X * 2.0).x > 1e-4, "{}", velocity(Vec3::X * 2.0));
}
