//! A light body is carried along by a wind at once, and no faster than it; a heavy one is not. How light and
//! how long the step is makes no difference, because bodies give way within the step (E37).

mod immersed;

use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use glam::Vec3;
use immersed::{World, body, hull, noise, params};

/// Velocities along the wind, as shares of it, at the end of each step.
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
    // that is carried along at the start, half a ball of fluid: 0.0005. Ten times that is still nothing.
    for rate in [24.0, 60.0] {
        let shares = carried(Shape::sphere(0.2), 1000.0, 0.5, rate, 0.2);
        println!("heavy, {rate} Hz: {:.4}", shares[shares.len() - 1]);
        assert!(shares.iter().all(|&share| (0.0..0.02).contains(&share)), "{shares:?}");
    }
}
