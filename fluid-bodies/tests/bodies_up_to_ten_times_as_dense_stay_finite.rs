//! Bodies that are born among vortons, from a hundredth to ten times as dense as the fluid, up to three core radii a step fast, spinning, in a wind and at
//! 24 to 144 Hz: everything stays finite, nobody is inside of them, and they get no faster than three times what moved at first.

mod immersed;

use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use fluid_core::math::Random;
use glam::{Quat, Vec3};
use immersed::{CORE, World, body, hull, noise, params};

/// Radius of a ball of about the size of all shapes \[m\].
const SIZE: f32 = 0.2;

fn shapes() -> [(&'static str, Shape); 4] {
    [
        ("ball", Shape::sphere(SIZE)),
        ("box", Shape::cuboid(Vec3::new(0.2, 0.15, 0.25))),
        ("hull", hull()),
        ("plate", Shape::cuboid(Vec3::new(0.25, 0.25, 0.03))),
    ]
}

#[derive(Debug, Clone, Copy)]
struct Case {
    density: f64,
    /// Steps per second.
    rate: f32,
    /// Core radii per step.
    speed: f32,
    /// rad/s.
    spin: f32,
    /// m/s.
    wind: f32,
    /// Of the vorticity \[1/s\].
    noise: f32,
}

fn check(seed: u64, (name, shape): (&str, Shape), case: Case) {
    let random = Random::new(seed);
    let direction = |n| random.centred_vec3(n).normalize();
    let state = BodyState {
        velocity: direction(1) * (case.speed * CORE * case.rate),
        angular_velocity: direction(2) * case.spin,
        rotation: Quat::from_scaled_axis(direction(3)),
        ..BodyState::default()
    };
    let vortons = noise(Vec3::ZERO, Vec3::splat(0.8), case.noise);
    let def = body(shape, case.density, state);
    let mut world = World::new(params(direction(4) * case.wind), &vortons, &[def]).with_tracers();
    let first = world.fastest_vorton().max(state.velocity.length()).max(case.spin * SIZE);
    let (mut speed, mut rim) = (0.0_f64, 0.0_f64);
    for _ in 0..case.rate as usize {
        world.step(1.0 / case.rate);
        let rigid = &world.rigid[0];
        speed = speed.max(rigid.velocity().length());
        rim = rim.max(rigid.angular_velocity().length() * f64::from(SIZE));
        assert!(rigid.velocity().is_finite() && rigid.angular_velocity().is_finite(), "{name}, {case:?}");
        assert_eq!(world.embedded(), 0, "{name}, {case:?}: somebody is inside");
    }
    assert_eq!((world.sim.stats().non_finite, world.sim.stats().lost_tracers), (0, 0), "{name}, {case:?}");
    let (speed, rim) = (speed / f64::from(first), rim / f64::from(first));
    println!("{name}, {case:?}: speed {speed:.2}, surface {rim:.2} of {first:.2} m/s");
    assert!(speed <= 3.0 && rim <= 3.0, "{name}, {case:?}: speed {speed}, surface {rim} of {first} m/s");
}

#[test]
fn at_any_frame_rate() {
    let cases = [
        (0.01, 24.0, 0.0, 10.0, 4.0, 1.0),
        (0.01, 144.0, 3.0, 50.0, 0.0, 1e-3),
        (0.03, 30.0, 1.0, 0.0, 10.0, 20.0),
        (0.1, 60.0, 3.0, 10.0, 10.0, 1.0),
        (0.3, 24.0, 0.5, 50.0, 1.0, 20.0),
        (1.0, 30.0, 3.0, 10.0, 4.0, 1e-3),
        (1.0, 120.0, 0.2, 0.0, 10.0, 1.0),
        (3.0, 60.0, 1.0, 10.0, 1.0, 20.0),
        (10.0, 24.0, 3.0, 10.0, 0.0, 1.0),
        (10.0, 60.0, 0.5, 1.0, 1.0, 1e-3),
    ];
    for (seed, (density, rate, speed, spin, wind, noise)) in (0..).zip(cases) {
        let case = Case { density, rate, speed, spin, wind, noise };
        check(seed, shapes()[seed as usize % 4].clone(), case);
    }
}
