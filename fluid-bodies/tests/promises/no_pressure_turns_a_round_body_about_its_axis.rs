//! Pressure has no lever arm about an axis of symmetry: a capsule or a cylinder that vortons do not touch
//! keeps its spin about that axis, however it falls, turns and drags its wake along (E51, E64). Nor does a
//! wake drive the spin of other long bodies: they come to lie across their path.

use crate::immersed::{World, body, params};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::FilamentRing;
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::TAU;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A capsule or a cylinder, leaning, with a coefficient of drag, in fluid of 1 kg/m³.
fn world(shape: Shape, density: f64, max_age: f32) -> World {
    let mut params = params(Vec3::ZERO);
    (params.gravity, params.max_age) = (GRAVITY, max_age);
    params.ambient.density = 1.0;
    let rotation = Quat::from_scaled_axis(Vec3::new(0.2, 0.4, 0.6));
    let state = BodyState { rotation, ..BodyState::default() };
    let def = BodyDef { no_through: true, drag_coefficient: 0.8, ..body(shape, density, state) };
    World::new(params, &[], &[def])
}

/// Returns the spin \[rad/s\] of a body about its own z.
fn axial_spin(rigid: &RigidBody) -> f64 {
    let state = rigid.state();
    state.angular_velocity.as_dvec3().dot(state.rotation.as_dquat() * DVec3::Z)
}

/// Returns the largest spin about its axis \[rad/s\] of a body that falls or rises for this time \[s\], with
/// that of all spin, and the body at the end.
fn fallen(shape: Shape, density: f64, (time, rate): (f32, f32)) -> (f64, f64, RigidBody) {
    let mut world = world(shape, density, 2.0);
    let (mut fastest, mut turning) = (0.0_f64, 0.0_f64);
    for _ in 0..(time * rate) as usize {
        world.step_under(GRAVITY.as_dvec3(), 1.0 / rate);
        fastest = fastest.max(axial_spin(&world.rigid[0]).abs());
        turning = turning.max(world.rigid[0].state().angular_velocity.length().into());
    }
    println!("density {density}, {rate} Hz: {fastest:.1e} rad/s of {turning:.2}");
    (fastest, turning, world.rigid.remove(0))
}

#[test]
fn as_it_falls_or_rises_with_its_wake() {
    for (shape, density, time, rate) in [
        (Shape::capsule(0.3, 0.2), 0.3, 16.0, 60.0),
        (Shape::cylinder(0.5, 0.2), 0.3, 16.0, 30.0),
        (Shape::capsule(0.3, 0.2), 3.0, 24.0, 60.0),
    ] {
        let (fastest, turning, _) = fallen(shape, density, (time, rate));
        // 1 to 5 and growing to 20 to 140 when small errors of the torque drove it.
        assert!(fastest < 0.01 && turning > 0.5, "density {density}: {fastest} rad/s of {turning}");
    }
}

/// Momentum of the wake that a body could not take, and that stayed with it, turned long bodies faster and
/// faster (a prism of six sides to 22 rad/s).
#[test]
fn long_bodies_come_to_lie_across_their_path() {
    let prism = |sides: u8| {
        let corner = |side: u8, z: f32| {
            let angle = TAU * f32::from(side) / f32::from(sides);
            Vec3::new(0.2 * angle.cos(), 0.2 * angle.sin(), z)
        };
        let points: Vec<_> = (0..sides).flat_map(|side| [corner(side, -0.5), corner(side, 0.5)]).collect();
        Shape::solid(Geometry::Polytope(Polytope::from_points(&points).expect("points in space")))
    };
    for (shape, density) in [(prism(6), 0.3), (prism(12), 0.3), (Shape::capsule(0.3, 0.2), 3.0)] {
        let (fastest, _, body) = fallen(shape, density, (16.0, 60.0));
        let axis = body.state().rotation * Vec3::Z;
        let (lean, spin) = (axis.dot(body.velocity().normalize().as_vec3()), body.state().angular_velocity);
        println!("leans by {lean:.3}, {spin} rad/s");
        assert!(fastest < 0.5 && lean.abs() < 0.1 && spin.length() < 0.5, "{fastest}, {lean}, {spin}");
    }
}

/// A spin about the axis stays, too, while a ring passes a core radius beside the body and turns its axis.
#[test]
fn as_a_ring_passes_it() {
    let ring = FilamentRing {
        centre: Vec3::new(-0.9, 0.35, 0.1),
        axis: Vec3::X,
        radius: 0.9,
        circulation: 1.0,
        core_radius: 0.1,
        count: 64,
    };
    for density in [0.3, 2.0] {
        let mut params = params(Vec3::ZERO);
        params.ambient.density = 1.0;
        let spin = Quat::from_scaled_axis(Vec3::Y * 0.7) * Vec3::Z * 2.0;
        let rotation = Quat::from_scaled_axis(Vec3::Y * 0.7);
        let state = BodyState { rotation, angular_velocity: spin, ..BodyState::default() };
        let def = BodyDef { no_through: true, ..body(Shape::capsule(0.15, 0.1), density, state) };
        let mut world = World::new(params, &ring.vortons().expect("in range"), &[def]);
        let (mut errors, mut across, mut hits) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..90 {
            world.step(1.0 / 60.0);
            let axial = axial_spin(&world.rigid[0]);
            errors = errors.max((axial - 2.0).abs());
            let all: f64 = world.rigid[0].state().angular_velocity.length().into();
            across = across.max((all * all - axial * axial).max(0.0).sqrt());
            hits += world.impulses[0].hits;
        }
        println!("density {density}: {errors:.1e} rad/s of 2, {across:.2} across, {hits} contacts");
        assert!(hits == 0 && across > 0.05, "{across} rad/s, {hits} contacts");
        assert!(errors < 2e-3, "density {density}: {errors} rad/s");
    }
}
