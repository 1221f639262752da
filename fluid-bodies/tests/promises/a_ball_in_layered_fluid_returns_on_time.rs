//! An impermeable ball, released away from its equilibrium level in fluid with a linear density profile,
//! passes the level after 1.98/N (theory of internal waves, within 7 %), and without waves, which only
//! vortons can carry, after ½ π √1.5 /N, as its added mass predicts.

use crate::immersed::{World, body, params};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::density::Stratification;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const GRAVITY: f32 = 9.81;

/// Returns the time of the first passage, in units of 1/N.
fn passage(no_through: bool, rate: f32) -> f64 {
    let mut params = params(Vec3::ZERO);
    let frequency = 1.0_f64;
    let gradient = Vec3::NEG_Z * (frequency * frequency) as f32 / GRAVITY;
    (params.core_radius, params.gravity) = (0.1, Vec3::NEG_Z * GRAVITY);
    params.ambient.stratification = Stratification::Linear { gradient };
    let state = BodyState { position: Vec3::Z * 0.3, ..BodyState::default() };
    let def = body(Shape::sphere(0.25), 1.0, state);
    let def = BodyDef { no_through, buoyant_force: BuoyantForce::On, ..def };
    let mut world = World::new(params, &[], &[def]);
    let mut before = world.rigid[0].position().z;
    for step in 1..10 * rate as usize {
        world.step_under(DVec3::NEG_Z * f64::from(GRAVITY), 1.0 / rate);
        let now = world.rigid[0].position().z;
        if now <= 0.0 {
            return (step as f64 - now / (now - before)) / f64::from(rate) * frequency;
        }
        before = now;
    }
    f64::INFINITY
}

#[test]
fn at_any_frame_rate() {
    for rate in [24.0, 60.0, 120.0] {
        let found = passage(true, rate);
        println!("{rate} Hz: {found:.4}/N");
        assert!((found / 1.98 - 1.0).abs() < 0.07, "{rate} Hz: {found}");
        assert!((found / (0.5 * PI * 1.5_f64.sqrt()) - 1.0).abs() < 0.015, "{rate} Hz: {found}");
    }
}

/// Without a sheet it has no added mass, and passes early.
#[test]
fn without_a_sheet_it_is_early() {
    let found = passage(false, 60.0);
    println!("{found:.4}/N");
    assert!((found / (0.5 * PI) - 1.0).abs() < 0.015, "{found}");
}
