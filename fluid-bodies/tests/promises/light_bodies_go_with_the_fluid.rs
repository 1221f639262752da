//! A light body is carried along by a wind at once, and not faster than it; a heavy one is not. Lightness
//! and step length make no difference, because bodies recoil within the step (E37).

use crate::immersed::{CORE, World, body, hull, noise, params};
use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use fluid_core::math::Random;
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Returns the velocities along the wind, relative to it, at the end of each step.
fn carried(shape: Shape, density: f64, wind: f32, rate: f32, seconds: f32) -> Vec<f64> {
    let vortons = noise(Vec3::ZERO, Vec3::splat(0.8), 1e-3);
    let def = body(shape, density, BodyState::default());
    let mut world = World::new(params(Vec3::X * wind), &vortons, &[def]);
    let step = |_: usize| {
        world.step(1.0 / rate);
        let velocity = world.rigid[0].velocity();
        velocity.x / f64::from(wind)
    };
    (0..(seconds * rate) as usize).map(step).collect()
}

#[test]
fn a_light_ball_has_the_speed_of_the_wind_within_a_fifth_of_a_second() {
    let (ball, cuboid) = (Shape::sphere(0.2), Shape::cuboid(Vec3::splat(0.15)));
    for (name, shape, density, rate, wind) in [
        ("ball", ball.clone(), 1e-3, 24.0, 3.0),
        ("ball", ball.clone(), 1e-3, 60.0, 0.5),
        ("ball", ball, 0.03, 120.0, 0.5),
        ("box", cuboid, 1e-3, 60.0, 3.0),
        ("hull", hull(), 1e-3, 60.0, 3.0),
    ] {
        let shares = carried(shape, density, wind, rate, 0.4);
        let at = (0.2 * rate) as usize - 1;
        let most = shares.iter().fold(0.0_f64, |a, &b| a.max(b));
        let least = shares[at..].iter().fold(1.0_f64, |a, &b| a.min(b));
        println!("{name} of {density}, {rate} Hz, wind {wind}: {least:.4} from 0.2 s, at most {most:.4}");
        assert!(
            least > 0.98 && most < 1.05,
            "{name} of {density}, {rate} Hz, wind {wind}: {least} to {most}"
        );
    }
}

#[test]
fn a_heavy_ball_is_not() {
    // Drag, with a coefficient of 1 at most: 3/8 × 0.5 m/s × 0.2 s / 0.2 m / 1000 of the wind; and the mass
    // that is carried along at the start, half a ball of fluid: 0.0005. Ten times that is still negligible.
    for rate in [24.0, 60.0] {
        let shares = carried(Shape::sphere(0.2), 1000.0, 0.5, rate, 0.2);
        println!("heavy, {rate} Hz: {:.4}", shares[shares.len() - 1]);
        assert!(shares.iter().all(|&share| (0.0..0.02).contains(&share)), "{shares:?}");
    }
}

/// Strong vortons in the gap between a heavy wall and a light body thrown at it: vortons pushed out by the
/// body end at the wall, so no contact of the body bounds the impulse of the push. Without a bound on
/// pushes the body reaches 30 times the initial speeds within three steps, with it 1.4 times.
#[test]
fn a_push_that_ends_at_another_body_throws_no_light_one() {
    // The largest velocity around a vorton of unit strength: 0.795/(4π σ²), at 0.6 σ (E2, E3).
    let around_one = 0.795 / (4.0 * std::f32::consts::PI * CORE * CORE);
    let (random, mut drawn) = (Random::new(13), 0..);
    let mut worst = 0.0_f64;
    for case in 0..400 {
        let mut within =
            |from: f32, to: f32| from + (to - from) * random.unit(drawn.next().expect("without end"));
        let wall = BodyState { position: Vec3::X * (0.3 + within(-0.02, 0.1)), ..BodyState::default() };
        let thrown = Vec3::X * within(0.0, 3.0);
        let light = BodyState { position: Vec3::X * -0.2, velocity: thrown, ..BodyState::default() };
        let shape = if case % 2 == 0 { Shape::sphere(0.2) } else { hull() };
        let vorton = |_| Vorton {
            position: Vec3::new(within(-0.05, 0.1), within(-0.1, 0.1), within(-0.1, 0.1)),
            strength: Vec3::new(within(-0.2, 0.2), within(-0.2, 0.2), within(-0.2, 0.2)),
            ..Vorton::default()
        };
        let vortons: Vec<_> = (0..1 + case % 7).map(vorton).collect();
        let moving =
            thrown.x + around_one * vortons.iter().map(|vorton| vorton.strength.length()).sum::<f32>();
        let bodies = [body(Shape::cuboid(Vec3::splat(0.3)), 1000.0, wall), body(shape, 0.05, light)];
        let mut world = World::new(params(Vec3::ZERO), &vortons, &bodies);
        let dt = within(1.0 / 144.0, 1.0 / 15.0);
        for _ in 0..3 {
            world.step(dt);
            worst = worst.max(world.rigid[1].velocity().length() / f64::from(moving));
        }
    }
    println!("at most {worst:.2} times what moved");
    assert!(worst <= 3.0, "{worst} times what moved at first");
}
