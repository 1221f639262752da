//! A viscous fluid brakes a ball that spins slowly with the torque of Stokes's law within a fifth, as soon as
//! its layer is a core radius thick, at any frame rate: angular momentum that the fluid gains where vorticity
//! diffuses comes from the body (E38), and the lines that leave the surface at the poles are those of a fluid
//! that sticks to it (E75).

use crate::immersed::{World, body, noise, params};
use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use fluid_core::math::Random;
use fluid_core::params::Params;
use glam::Vec3;
use std::f64::consts::PI;

const RADIUS: f32 = 0.35;
/// Slow enough that the fluid has no inertia: Ω R²/ν is at most 4 \[rad/s\].
const SPIN: f32 = 0.3;

/// Mean torque [N m] in each of these spans of time [s] on a ball that is kept spinning, in a fluid of
/// density 1. The last span ends last.
fn torques<const SPANS: usize>(
    (viscosity, smagorinsky, spin): (f32, f32, f32),
    no_through: bool,
    dt: f32,
    spans: [(f32, f32); SPANS],
) -> [f64; SPANS] {
    let state = BodyState { angular_velocity: Vec3::Z * spin, ..BodyState::default() };
    let mut ball = body(Shape::sphere(RADIUS), f64::INFINITY, state);
    ball.no_through = no_through;
    let params = Params { viscosity, smagorinsky, ..params(Vec3::ZERO) };
    let mut world = World::new(params, &noise(Vec3::ZERO, Vec3::splat(1.2), 1e-6), &[ball]);
    let (mut sums, mut time) = ([0.0; SPANS], 0.0);
    while time < spans[SPANS - 1].1 {
        world.step(dt);
        time += dt;
        for (sum, &(from, to)) in sums.iter_mut().zip(&spans) {
            if time > from && time < to + 0.5 * dt {
                *sum -= world.impulses[0].angular.z / f64::from(to - from);
            }
        }
    }
    sums
}

/// Torque [N m] on the ball when it has been spinning for `time`: 8π μ R³ Ω, and that of the flow
/// which still spreads, 1 + ⅓ (1/√(πx) − eˣ erfc √x), x = ν t/R².
fn exact(viscosity: f32, time: f32) -> f64 {
    let (nu, r) = (f64::from(viscosity), f64::from(RADIUS));
    let x = nu * f64::from(time) / (r * r);
    let spreading = 1.0 / (PI * x).sqrt() - libm::exp(x) * libm::erfc(x.sqrt());
    8.0 * PI * nu * r.powi(3) * f64::from(SPIN) * (1.0 + spreading / 3.0)
}

fn check<const TIMES: usize>(no_through: bool, viscosity: f32, times: [f32; TIMES]) {
    let spans = times.map(|time| (time - 0.25, time + 0.25));
    let of = |dt: f32| torques((viscosity, 0.0, SPIN), no_through, dt, spans);
    let [often, rarely] = [1.0 / 60.0, 1.0 / 30.0].map(of);
    for ((time, often), rarely) in times.into_iter().zip(often).zip(rarely) {
        let often = often / exact(viscosity, time);
        let rarely = rarely / exact(viscosity, time);
        println!("no_through {no_through}, {viscosity} m²/s, {time} s: {often:.2}, at 30 Hz {rarely:.2}");
        assert!((0.8..1.1).contains(&often), "{no_through}, {viscosity}, {time} s: {often}");
        assert!((rarely / often - 1.0).abs() < 0.1, "{no_through}, {viscosity}: {often}, {rarely}");
    }
}

#[test]
fn torque_is_that_of_a_viscous_fluid() {
    for no_through in [false, true] {
        check(no_through, 0.01, [2.0]);
        check(no_through, 0.02, [0.75, 2.0]);
    }
}

/// An eddy viscosity takes angular momentum along, too.
#[test]
fn eddies_brake_as_well() {
    let of = |smagorinsky: f32| torques((0.005, smagorinsky, 3.0), false, 1.0 / 30.0, [(0.5, 1.5)]);
    let ([alone], [with_eddies]) = (of(0.0), of(0.2));
    println!("{alone} without, {with_eddies} with");
    assert!(with_eddies > 1.05 * alone, "{alone}, {with_eddies}");
}

/// Spins of a thrown body, frame by frame, in frames of 1/144 to 1/15 s of up to three steps.
fn spins(shape: Shape, density: f64, no_through: bool, speed: f32, frames: u64) -> Vec<f64> {
    let random = Random::new(3);
    let state = BodyState {
        velocity: Vec3::X * speed,
        angular_velocity: Vec3::new(1.0, 2.0, 4.0),
        ..BodyState::default()
    };
    let mut def = body(shape, density, state);
    def.no_through = no_through;
    let params = Params { viscosity: 0.02, ..params(Vec3::ZERO) };
    let mut world = World::new(params, &noise(Vec3::ZERO, Vec3::splat(0.9), 0.5), &[def]);
    let frame = |n: u64| {
        let dt = 1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random.unit(n);
        let steps = 1 + random.bits(n) % 3;
        (0..steps).for_each(|_| world.step(dt / steps as f32));
        world.rigid[0].angular_velocity().length()
    };
    (0..frames).map(frame).collect()
}

#[test]
fn no_body_is_spun_up_in_uneven_frames() {
    let first = f64::from(Vec3::new(1.0, 2.0, 4.0).length());
    let shapes = [Shape::sphere(0.25), Shape::cuboid(Vec3::new(0.2, 0.15, 0.25))];
    for (shape, no_through) in shapes.into_iter().zip([false, true]) {
        for density in [0.02, 3.0] {
            let spins = spins(shape.clone(), density, no_through, 0.6, 80);
            let (most, last) = (spins.iter().copied().fold(0.0, f64::max), spins[79]);
            println!("density {density}, no_through {no_through}: at most {most:.2}, {last:.3} at the end");
            assert!(most <= first && last < 0.2 * first, "density {density}: {most}, {last}");
        }
    }
}

/// It takes a layer along, which goes on braking it; the wake that diffuses behind it does not turn it.
#[test]
fn a_body_that_has_left_the_cloud_spins_ever_slower() {
    let spins = spins(Shape::sphere(0.25), 30.0, false, 3.0, 60);
    println!("{:.4} at first, {:.4} at the end", spins[0], spins[59]);
    assert!(spins.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{spins:?}");
    assert!(spins[59] < spins[0] - 0.01, "the fluid has not braked it: {spins:?}");
}
