//! Bodies created among vortons, with densities from a hundredth to a million times that of the fluid or
//! driven, at up to ten core radii a step, spinning, in a wind and at 24 to 144 Hz: all values stay finite,
//! no particle is inside a body, and neither bodies nor fluid get faster than three times the initial
//! speeds.

use crate::immersed::{CORE, World, body, hull, noise, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use glam::{Quat, Vec3};

/// Radius of a ball of about the size of all shapes \[m\].
const SIZE: f32 = 0.2;

/// Moved by its own velocity alone.
const DRIVEN: f64 = f64::INFINITY;

#[derive(Debug, Clone, Copy)]
enum Body {
    Ball,
    Box,
    Hull,
    Plate,
}

impl Body {
    /// Returns the distance of the farthest point from the centre \[m\].
    fn radius(self) -> f32 {
        match self {
            Self::Ball | Self::Hull => SIZE,
            Self::Box => Vec3::new(0.2, 0.15, 0.25).length(),
            Self::Plate => Vec3::new(0.25, 0.25, 0.03).length(),
        }
    }

    fn shape(self) -> Shape {
        match self {
            Self::Ball => Shape::sphere(SIZE),
            Self::Box => Shape::cuboid(Vec3::new(0.2, 0.15, 0.25)),
            Self::Hull => hull(),
            Self::Plate => Shape::cuboid(Vec3::new(0.25, 0.25, 0.03)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Case {
    body: Body,
    density: f64,
    /// Steps per second.
    rate: f32,
    /// Core radii per step.
    speed: f32,
    /// Spin \[rad/s\].
    spin: f32,
    /// Wind \[m/s\].
    wind: f32,
    /// Noise of the vorticity \[1/s\].
    noise: f32,
}

fn check(seed: u64, case: Case, no_through: bool) {
    let random = Random::new(seed);
    let direction = |n| random.centred_vec3(n).normalize();
    let state = BodyState {
        velocity: direction(1) * (case.speed * CORE * case.rate),
        angular_velocity: direction(2) * case.spin,
        rotation: Quat::from_scaled_axis(direction(3)),
        ..BodyState::default()
    };
    let wind = direction(4) * case.wind;
    let vortons = noise(Vec3::ZERO, Vec3::splat(0.8), case.noise);
    let def = BodyDef { no_through, ..body(case.body.shape(), case.density, state) };
    let mut world = World::new(params(wind), &vortons, &[def]).with_tracers();
    // Initial speeds: of the body relative to the fluid, and of the fluid itself.
    let inflow = (state.velocity - wind).length().max(state.velocity.length());
    let radius = case.body.radius();
    let first = world.fastest_vorton().max(inflow).max(case.spin * radius);
    let (mut speed, mut rim, mut fluid) = (0.0_f64, 0.0_f64, 0.0_f32);
    for _ in 0..case.rate as usize {
        world.step(1.0 / case.rate);
        let rigid = &world.rigid[0];
        speed = speed.max(rigid.velocity().length());
        rim = rim.max(rigid.angular_velocity().length() * f64::from(radius));
        fluid = fluid.max(world.fastest_vorton());
        assert!(rigid.velocity().is_finite() && rigid.angular_velocity().is_finite(), "{case:?}");
        assert_eq!(world.embedded(), 0, "{case:?}: a particle is inside");
    }
    assert_eq!((world.sim.stats().non_finite, world.sim.stats().lost_tracers), (0, 0), "{case:?}");
    let (speed, rim, fluid) = (speed / f64::from(first), rim / f64::from(first), fluid / first);
    println!("{case:?}: body {speed:.2}, its surface {rim:.2}, fluid {fluid:.2} of {first:.2} m/s");
    assert!(speed <= 3.0 && rim <= 3.0 && fluid <= 3.0, "{case:?}: {speed}, {rim}, {fluid} of {first} m/s");
}

fn check_each(cases: &[(Body, f64, f32, f32, f32, f32, f32)], no_through: bool) {
    for (seed, &(body, density, rate, speed, spin, wind, noise)) in (0..).zip(cases) {
        check(seed, Case { body, density, rate, speed, spin, wind, noise }, no_through);
    }
}

fn check_all(cases: &[(Body, f64, f32, f32, f32, f32, f32)]) {
    check_each(cases, false);
}

#[test]
fn those_that_let_nothing_through() {
    let cases = [
        (Body::Ball, 0.01, 24.0, 0.0, 10.0, 4.0, 1.0),
        (Body::Box, 0.01, 144.0, 3.0, 50.0, 0.0, 1e-3),
        (Body::Hull, 0.03, 30.0, 1.0, 0.0, 10.0, 20.0),
        (Body::Plate, 0.1, 60.0, 3.0, 10.0, 10.0, 1.0),
        (Body::Ball, 0.3, 24.0, 0.5, 50.0, 1.0, 20.0),
        (Body::Box, 1.0, 30.0, 3.0, 10.0, 4.0, 1e-3),
        (Body::Hull, 1.0, 120.0, 0.2, 0.0, 10.0, 1.0),
        (Body::Plate, 1.0, 60.0, 10.0, 10.0, 4.0, 20.0),
        (Body::Plate, 3.0, 60.0, 1.0, 10.0, 1.0, 20.0),
        (Body::Ball, 3.0, 30.0, 10.0, 50.0, 4.0, 20.0),
        (Body::Box, 10.0, 60.0, 0.5, 1.0, 1.0, 1e-3),
        (Body::Plate, 100.0, 144.0, 0.5, 0.0, 4.0, 1.0),
        (Body::Hull, DRIVEN, 60.0, 3.0, 50.0, 1.0, 20.0),
    ];
    check_each(&cases, true);
}

#[test]
fn light_ones() {
    check_all(&[
        (Body::Ball, 0.01, 24.0, 0.0, 10.0, 4.0, 1.0),
        (Body::Box, 0.01, 144.0, 3.0, 50.0, 0.0, 1e-3),
        (Body::Hull, 0.03, 30.0, 1.0, 0.0, 10.0, 20.0),
        (Body::Plate, 0.1, 60.0, 3.0, 10.0, 10.0, 1.0),
        (Body::Ball, 0.3, 24.0, 0.5, 50.0, 1.0, 20.0),
    ]);
}

#[test]
fn those_that_float() {
    check_all(&[
        (Body::Box, 1.0, 30.0, 3.0, 10.0, 4.0, 1e-3),
        (Body::Hull, 1.0, 120.0, 0.2, 0.0, 10.0, 1.0),
        (Body::Plate, 1.0, 60.0, 10.0, 10.0, 4.0, 20.0),
        (Body::Plate, 3.0, 60.0, 1.0, 10.0, 1.0, 20.0),
        (Body::Ball, 3.0, 30.0, 10.0, 50.0, 4.0, 20.0),
    ]);
}

#[test]
fn heavy_ones() {
    check_all(&[
        (Body::Ball, 10.0, 24.0, 3.0, 10.0, 0.0, 1.0),
        (Body::Box, 10.0, 60.0, 0.5, 1.0, 1.0, 1e-3),
        (Body::Ball, 1e6, 60.0, 10.0, 0.0, 0.0, 1e-3),
    ]);
}

#[test]
#[ignore = "half a minute"]
fn heavier_ones() {
    check_all(&[
        (Body::Ball, 100.0, 60.0, 0.0, 10.0, 10.0, 1.0),
        (Body::Plate, 100.0, 144.0, 0.0, 0.0, 4.0, 1.0),
        (Body::Plate, 100.0, 144.0, 0.5, 0.0, 4.0, 1.0),
        (Body::Ball, 1000.0, 144.0, 10.0, 0.0, 10.0, 20.0),
        (Body::Hull, 1e6, 144.0, 0.0, 0.0, 4.0, 1e-3),
    ]);
}

#[test]
fn driven_ones() {
    check_all(&[
        (Body::Ball, DRIVEN, 60.0, 0.0, 0.0, 4.0, 1e-3),
        (Body::Box, DRIVEN, 24.0, 1.0, 10.0, 0.0, 1.0),
        (Body::Hull, DRIVEN, 60.0, 3.0, 50.0, 1.0, 20.0),
        (Body::Plate, DRIVEN, 120.0, 0.3, 20.0, 2.0, 1e-3),
    ]);
}
