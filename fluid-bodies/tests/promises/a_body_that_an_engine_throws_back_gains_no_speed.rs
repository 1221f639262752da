//! An engine reverses a body's velocity in every frame, or in every other one, without moving it back:
//! steps must not assume that the force continues, and no body gets faster than three times the initial
//! speeds. Nor does a body spin up on planes that throw it back as it falls. A force of the engine does
//! continue: a body towed through vortons gets equally far at any frame rate.

use crate::immersed::{Flow, World, body, hull, noise, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use fluid_threads::Serial;
use glam::{DVec3, Quat, Vec3};

const FRAMES: u32 = 60;

/// Returns the largest speed of the body, and of its surface due to rotation, relative to the initial
/// speeds \[1\].
fn fastest(def: BodyDef, rate: f32, every: u32) -> (f64, f64) {
    let mut world = World::new(params(Vec3::ZERO), &Flow::Block.vortons(), &[def]);
    let first = f64::from(world.fastest_vorton()) + world.rigid[0].velocity().length();
    let (mut speed, mut rim) = (0.0_f64, 0.0_f64);
    for frame in 0..FRAMES {
        world.bodies.set_state(0, world.rigid[0].state()).expect("a finite state");
        world.sim.step(&Serial, &mut world.bodies, 1.0 / rate).expect("a finite step");
        let rigid = &mut world.rigid[0];
        rigid.apply(&world.bodies.body_mut(0).take_impulse());
        rigid.integrate(f64::from(1.0 / rate));
        if frame % every == 0 {
            let state = rigid.state();
            rigid.set_state(&BodyState { velocity: -state.velocity, ..state });
        }
        speed = speed.max(rigid.velocity().length());
        rim = rim.max(rigid.angular_velocity().length() * 0.25);
    }
    (speed / first, rim / first)
}

fn check(no_through: bool) {
    for (name, shape) in [("ball", Shape::sphere(0.2)), ("hull", hull())] {
        // What is lighter is thrown farther.
        for (density, cases) in [(0.05, &[(15.0, 1), (24.0, 1), (60.0, 2)][..]), (0.3, &[(24.0, 1)])] {
            for &(rate, every) in cases {
                let state = BodyState { velocity: Vec3::new(1.0, 0.3, -0.2), ..BodyState::default() };
                let def = BodyDef { no_through, ..body(shape.clone(), density, state) };
                let (speed, rim) = fastest(def, rate, every);
                println!("{name} of {density}, {rate} Hz, every {every}: {speed:.2}, surface {rim:.2}");
                let is_bounded = speed <= 3.0 && rim <= 3.0;
                assert!(is_bounded, "{name} of {density}, {rate} Hz, every {every}: {speed}, {rim}");
            }
        }
    }
}

#[test]
fn where_fluid_goes_through() {
    check(false);
}

#[test]
fn where_it_does_not() {
    check(true);
}

/// Returns the largest energy of rotation \[J\] of a tilted box in fluid at rest in 20 s, and the bound on
/// it: initial energy and work of weight. Its engine reverses 0.7 of the vertical velocity wherever the box
/// is beyond ±1 m, in frames of uneven length, with up to three steps in each.
fn thrown_back_by_planes(density: f64) -> (f64, f64) {
    let tilt = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 1.0);
    let state = BodyState {
        rotation: tilt,
        velocity: Vec3::X * 0.3,
        angular_velocity: Vec3::new(0.5, 0.3, 0.2),
        ..BodyState::default()
    };
    let shape = Shape::cuboid(Vec3::new(0.4, 0.28, 0.32));
    let def = BodyDef { no_through: true, ..body(shape, density, state) };
    let gravity = Vec3::NEG_Z * 9.81;
    let mut params = params(Vec3::ZERO);
    (params.gravity, params.ambient.density) = (gravity, 1.0);
    let mut world = World::new(params, &[], &[def]);
    let volume = 0.4 * 0.28 * 0.32;
    let first = world.rigid[0].kinetic_energy() + 0.5 * volume * 0.09;
    let (random, mut time, mut most, mut lowest, mut highest) =
        (Random::new(3), 0.0, 0.0_f64, 0.0_f64, 0.0_f64);
    for frame in 0.. {
        let dt = 1.0 / 144.0 + random.unit(2 * frame) * (1.0 / 15.0 - 1.0 / 144.0);
        let steps = 1 + (3.0 * random.unit(2 * frame + 1)) as u8;
        world.bodies.set_state(0, world.rigid[0].state()).expect("a finite state");
        for _ in 0..steps {
            world.sim.step(&Serial, &mut world.bodies, dt / f32::from(steps)).expect("a finite step");
        }
        let rigid = &mut world.rigid[0];
        rigid.apply(&world.bodies.body_mut(0).take_impulse());
        rigid.apply_force(gravity.as_dvec3() * rigid.mass());
        rigid.integrate(f64::from(dt));
        let state = rigid.state();
        if state.position.z.abs() > 1.0 && state.position.z * state.velocity.z > 0.0 {
            let velocity = state.velocity * Vec3::new(1.0, 1.0, -0.7);
            rigid.set_state(&BodyState { velocity, ..state });
        }
        most = most.max(rigid.kinetic_energy() - 0.5 * rigid.mass() * rigid.velocity().length_squared());
        let height = rigid.position().z;
        (lowest, highest) = (lowest.min(height), highest.max(height));
        time += dt;
        if time > 20.0 {
            break;
        }
    }
    let fall = if density > 1.0 { -lowest } else { highest };
    (most, first + (density - 1.0).abs() * volume * 9.81 * fall)
}

#[test]
fn planes_do_not_spin_what_they_throw_back() {
    for density in [0.3, 3.0, 8.0] {
        let (energy, most) = thrown_back_by_planes(density);
        println!("density {density}: {energy:.4} J of rotation, of {most:.3} J that it could have");
        // A body of the fluid's momentum may turn; what the planes take is far more.
        assert!(energy < 0.1 * most, "density {density}: {energy} J of {most}");
    }
}

/// Returns the speed \[m/s\] after a second of a force of 10 mN, in fluid at rest that passes through the
/// body.
fn towed(density: f64, rate: u16) -> f64 {
    let state = BodyState { position: Vec3::NEG_X * 0.3, ..BodyState::default() };
    let def = body(Shape::sphere(0.2), density, state);
    let still = noise(Vec3::ZERO, Vec3::splat(0.65), 0.0);
    let mut world = World::new(params(Vec3::ZERO), &still, &[def]);
    for _ in 0..rate {
        world.rigid[0].apply_force(DVec3::X * 0.01);
        world.step_with(&Serial, 1.0 / f32::from(rate));
    }
    world.rigid[0].velocity().x
}

#[test]
fn what_tows_a_body_is_a_force() {
    for density in [0.05, 1.0] {
        let [slow, fast] = [30, 120].map(|rate| towed(density, rate));
        println!("density {density}: {slow:.4}, {fast:.4} m/s at 30, 120 Hz");
        assert!((slow / fast - 1.0).abs() < 0.02, "density {density}: {slow}, {fast} m/s");
    }
}
