//! An impermeable body in fluid at rest, held against its buoyancy by the engine, gets exactly its lift
//! from the fluid in every frame, however light it is; a body held by a spring of the engine comes to rest.

use crate::immersed::{Flow, World, body, params};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

const GRAVITY: f32 = 9.81;
const FLUID: f64 = 1000.0;
const RADIUS: f32 = 0.25;
const VOLUME: f64 = 4.0 / 3.0 * std::f64::consts::PI * 0.015_625;

fn world(density: f64, solver: SolverKind) -> World {
    let mut params = params(Vec3::ZERO);
    (params.core_radius, params.gravity, params.solver) = (0.15, Vec3::Z * -GRAVITY, solver);
    params.ambient.density = FLUID as f32;
    let def = body(Shape::sphere(RADIUS), FLUID * density, BodyState::default());
    let def = BodyDef { no_through: true, buoyant_force: BuoyantForce::On, ..def };
    World::new(params, &[], &[def])
}

/// Returns the impulses of the fluid on a body with a velocity that the engine resets to zero, relative to
/// its lift, for each frame of a second.
fn pushes(density: f64, rate: f32, solver: SolverKind) -> Vec<f64> {
    let mut world = world(density, solver);
    let lift = FLUID * VOLUME * f64::from(GRAVITY) / f64::from(rate);
    (0..rate as usize)
        .map(|_| {
            world.bodies.set_state(0, BodyState::default()).expect("a finite state");
            world.sim.step(&Serial, &mut world.bodies, 1.0 / rate).expect("a finite step");
            world.bodies.body_mut(0).take_impulse().linear.z / lift
        })
        .collect()
}

#[test]
fn by_a_joint() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for (density, rate) in [(0.05, 60.0), (0.05, 24.0), (0.01, 24.0), (0.5, 60.0)] {
            let pushes = pushes(density, rate, solver);
            println!("density {density}, {rate} Hz, {solver:?}: {:.3?}", &pushes[..24]);
            // That the body is held becomes known in the first frames.
            for (frame, push) in pushes.iter().enumerate().skip(4) {
                assert!((push - 1.0).abs() < 0.01, "density {density}, {rate} Hz, frame {frame}: {push}");
            }
        }
    }
}

/// Returns the largest distance from the spring's equilibrium in each of four seconds, relative to the
/// first.
fn swings(density: f64, frequency: f64, rate: f32) -> [f64; 4] {
    let mut world = world(density, SolverKind::Auto);
    let mass = FLUID * VOLUME * (density + 0.5);
    let omega = std::f64::consts::TAU * frequency;
    let (stiffness, damping) = (mass * omega * omega, 0.4 * mass * omega);
    let rest = FLUID * VOLUME * (1.0 - density) * f64::from(GRAVITY) / stiffness;
    let mut swings = [0.0_f64; 4];
    for frame in 0..4 * rate as usize {
        world.bodies.set_state(0, world.rigid[0].state()).expect("a finite state");
        world.sim.step(&Serial, &mut world.bodies, 1.0 / rate).expect("a finite step");
        let rigid = &mut world.rigid[0];
        rigid.apply(&world.bodies.body_mut(0).take_impulse());
        hold(rigid, (stiffness, damping), f64::from(1.0 / rate));
        let swing = (rigid.position().z - rest).abs() / rest;
        swings[frame / rate as usize] = swings[frame / rate as usize].max(swing);
    }
    swings
}

/// Makes a step of an engine with gravity and an implicit spring: its impulse is that of the end of the
/// step.
fn hold(rigid: &mut RigidBody, (stiffness, damping): (f64, f64), dt: f64) {
    let weight = DVec3::NEG_Z * (f64::from(GRAVITY) * rigid.mass());
    rigid.apply_force(weight);
    let velocity = rigid.velocity() + weight * (dt / rigid.mass());
    let soft = stiffness * dt * dt + damping * dt;
    let force =
        (rigid.position() * stiffness + velocity * (stiffness * dt + damping)) / (1.0 + soft / rigid.mass());
    rigid.apply_force(-force);
    rigid.integrate(dt);
}

#[test]
fn by_a_spring() {
    for frequency in [3.0, 8.0] {
        for (density, rate) in [(0.05, 60.0), (0.05, 24.0), (0.01, 24.0)] {
            let swings = swings(density, frequency, rate);
            println!("{frequency} Hz spring, density {density}, {rate} Hz: {swings:.4?}");
            assert!(
                swings[1] < 0.02 && swings[3] < 0.002,
                "{frequency} Hz spring, density {density}, {rate} Hz: {swings:?}"
            );
        }
    }
}

/// A steady force of the engine is no hold, however little it changes a body's velocity while the fluid
/// answers. At half of the fluid's density the answer to two frames stops the ball once, at a tenth of
/// that it moves by a twelfth of what the force would give it alone.
#[test]
fn a_steady_force_is_no_hold() {
    for density in [0.03, 0.05, 0.2, 0.5, 1.0, 2.0] {
        for rate in [24.0, 60.0] {
            let mut params = params(Vec3::ZERO);
            params.ambient.density = FLUID as f32;
            let def = body(Shape::sphere(RADIUS), FLUID * density, BodyState::default());
            let mut world = World::new(params, &[], &[BodyDef { no_through: true, ..def }]);
            let (mass, force) = (world.rigid[0].mass(), 0.1 * FLUID * VOLUME);
            let (mut given, mut worst) = (0.0, 0.0_f64);
            for frame in 0..60 {
                world.step(1.0 / rate);
                let answer = -world.impulses[0].linear.x * f64::from(rate) / force;
                worst =
                    if frame > 10 { worst.max((answer * (density + 0.5) / 0.5 - 1.0).abs()) } else { worst };
                if frame > 3 {
                    world.rigid[0].apply_force(DVec3::X * force);
                    given += force / f64::from(rate);
                }
            }
            // The force of the last frame is yet to be answered.
            let expected = given / (FLUID * VOLUME * (density + 0.5));
            let velocity = world.rigid[0].velocity().x;
            println!(
                "density {density}, {rate} Hz: answers {worst:.4} off, {velocity:.4} of {expected:.4} m/s"
            );
            assert!(worst < 0.01, "density {density}, {rate} Hz: an answer is {worst} off");
            let late = force / (f64::from(rate) * mass);
            assert!((velocity - expected).abs() < 0.02 * expected + late, "{density}: {velocity}");
        }
    }
}

/// The flow measured at contacts includes the body's own: limits derived from it grew with the body's
/// motion, to ten million times the initial energy. A chip of one core radius, set back in each frame,
/// still produces some energy.
#[test]
fn a_light_chip_that_is_held_beside_a_ring_stays_bounded() {
    for (density, held_steps) in [(0.07, 1), (0.07, 2)] {
        let state = BodyState { position: Vec3::new(-0.3, 0.3, 0.0), ..BodyState::default() };
        let chip = Shape::cuboid(Vec3::new(0.06, 0.04, 0.03));
        let def = BodyDef { no_through: true, ..body(chip, density, state) };
        let mut world = World::new(params(Vec3::ZERO), &Flow::Ring.vortons(), &[def]);
        let (mut first, mut most) = (f64::NAN, 0.0_f64);
        for frame in 0..200 {
            world.bodies.set_state(0, state).expect("a valid state");
            for _ in 0..held_steps {
                world.sim.step(&Serial, &mut world.bodies, 1.0 / 60.0).expect("a finite step");
            }
            world.bodies.body_mut(0).take_impulse();
            let energy = world.sim.stats().energy;
            first = if frame == 0 { energy } else { first };
            most = most.max(energy);
        }
        println!("density {density}, {held_steps} steps a frame: {first:.3} to {most:.3} m⁵/s²");
        assert!(most < 6.0 * first, "density {density}, {held_steps}: {first} {most}");
    }
}
