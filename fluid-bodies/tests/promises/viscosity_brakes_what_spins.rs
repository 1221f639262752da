//! A viscous fluid brakes a ball that spins, with the torque of Stokes's law within a factor of three, at any
//! frame rate: angular momentum that the fluid gains where vorticity diffuses comes from the body (E38).

use crate::immersed::{World, body, noise, params};
use fluid_bodies::BodyState;
use fluid_bodies::shapes::Shape;
use fluid_core::params::Params;
use glam::Vec3;
use std::f64::consts::PI;

const RADIUS: f32 = 0.35;
const SPIN: f32 = 3.0;

/// Mean torque [N m] from the second `from` to `to` on a ball that is kept spinning, in a fluid of density 1.
fn torque((viscosity, smagorinsky): (f32, f32), no_through: bool, dt: f32, (from, to): (f32, f32)) -> f64 {
    let state = BodyState { angular_velocity: Vec3::Z * SPIN, ..BodyState::default() };
    let mut ball = body(Shape::sphere(RADIUS), f64::INFINITY, state);
    ball.no_through = no_through;
    let params = Params { viscosity, smagorinsky, ..params(Vec3::ZERO) };
    let mut world = World::new(params, &noise(Vec3::ZERO, Vec3::splat(1.2), 1e-6), &[ball]);
    let (mut sum, mut time) = (0.0, 0.0);
    while time < to {
        world.step(dt);
        time += dt;
        if time > from {
            sum += world.reactions[0].angular.z;
        }
    }
    -sum / f64::from(to - from)
}

/// 8π μ R³ Ω of Stokes, times what a flow that has lasted for `time` has not spread yet.
fn stokes(viscosity: f32, time: f32) -> f64 {
    let (nu, r) = (f64::from(viscosity), f64::from(RADIUS));
    let tau = (nu * f64::from(time)).sqrt() / r;
    8.0 * PI * nu * r.powi(3) * f64::from(SPIN) * (1.0 + 1.0 / (3.0 * PI.sqrt() * tau))
}

#[test]
fn torque_is_that_of_a_viscous_fluid() {
    for (no_through, viscosity) in [(false, 0.005), (false, 0.02), (true, 0.01)] {
        let exact = stokes(viscosity, 1.0);
        let [often, rarely] =
            [1.0 / 60.0, 1.0 / 30.0].map(|dt| torque((viscosity, 0.0), no_through, dt, (0.5, 1.5)) / exact);
        println!("{viscosity}, no_through {no_through}: {often:.2} of Stokes's torque, at 30 Hz {rarely:.2}");
        // Layers are a core radius thick and leave the ball late.
        assert!((0.3..1.0).contains(&often), "{viscosity}, {no_through}: {often}");
        assert!((rarely / often - 1.0).abs() < 0.1, "{viscosity}, {no_through}: {often}, {rarely}");
    }
}

/// An eddy viscosity takes angular momentum along, too.
#[test]
fn eddies_brake_as_well() {
    let alone = torque((0.005, 0.0), false, 1.0 / 30.0, (0.5, 1.5));
    let with_eddies = torque((0.005, 0.2), false, 1.0 / 30.0, (0.5, 1.5));
    println!("{alone} without, {with_eddies} with");
    assert!(with_eddies > 1.05 * alone, "{alone}, {with_eddies}");
}
