//! A ball through still fluid goes the same way at any frame rate (X2): what is said in rates is in rates per second.

mod immersed;

use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use fluid_core::math::Random;
use glam::Vec3;
use immersed::{World, body, noise, params};

/// How far \[m\] a ball of radius 0.2, six times as dense as the fluid, gets in a second, from 2 m/s.
fn way(steps: impl Iterator<Item = f32>) -> f64 {
    let state = BodyState { velocity: Vec3::X * 2.0, ..BodyState::default() };
    let vortons = noise(Vec3::X * 0.4, Vec3::new(1.6, 0.6, 0.6), 0.5);
    let mut world = World::new(params(Vec3::ZERO), &vortons, &[body(Shape::sphere(0.2), 6.0, state)]);
    let mut time = 0.0;
    for dt in steps {
        let dt = dt.min(1.0 - time);
        if dt <= 0.0 {
            break;
        }
        time += dt;
        world.step(dt);
    }
    world.rigid[0].position().x
}

fn steady(rate: u16) -> impl Iterator<Item = f32> {
    std::iter::repeat_n(1.0 / f32::from(rate), rate.into())
}

/// Frames of 60 Hz, each up to half longer or shorter.
fn jittered(seed: u64) -> impl Iterator<Item = f32> {
    let random = Random::new(seed);
    (0..).map(move |n| (0.5 + random.unit(n)) / 60.0)
}

/// Bodies and fluid act on each other once a step, so this is of first order in the step.
#[test]
fn a_ball_gets_as_far() {
    let finest = way(steady(120));
    assert!((0.5..1.5).contains(&finest), "{finest} m: it meets nothing");
    for rate in [24, 30, 60] {
        let off = way(steady(rate)) / finest - 1.0;
        println!("{rate} Hz {off:+.4}");
        assert!(off.abs() < 0.005, "{rate} Hz: {off}");
    }
    let off = way(jittered(1)) / finest - 1.0;
    println!("jitter {off:+.4}");
    assert!(off.abs() < 0.005, "jitter: {off}");
}
