//! Bodies with uneven mass distributions: the fluid uses the given inertia, so ballast and shells are as
//! stable as solid bodies; invalid tensors are rejected.

use crate::immersed::{CORE, World, body, noise, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use glam::{DMat3, DVec3, Quat, Vec3};

/// Returns the inertia tensor of `def` with evenly spread mass.
fn even(def: &BodyDef) -> DMat3 {
    let solid = MassProperties::of(&def.shapes);
    solid.inertia_about_origin() * (f64::from(def.mass) / solid.volume)
}

/// Returns the largest speed \[m/s\] of the body, or of its corners due to rotation, in the last three
/// quarters of a second, relative to the fastest initial speed.
fn fastest(shape: Shape, density: f64, factor: f64, rate: u16) -> f64 {
    let state = BodyState {
        velocity: Vec3::new(1.5, 0.5, 0.0),
        angular_velocity: Vec3::new(0.5, 3.0, -2.0),
        rotation: Quat::from_scaled_axis(Vec3::new(0.4, -0.3, 0.2)),
        ..BodyState::default()
    };
    let mut def = body(shape, density, state);
    def.inertia = Some(even(&def) * factor);
    let radius = 0.2;
    let mut world = World::new(params(Vec3::ZERO), &noise(Vec3::X * 0.2, Vec3::splat(0.5), 1.0), &[def]);
    let first = f64::from(world.fastest_vorton().max(state.velocity.length()));
    let mut fastest = 0.0_f64;
    for _ in 0..rate * 3 / 4 {
        world.step(1.0 / f32::from(rate));
        let rigid = &world.rigid[0];
        fastest = fastest.max(rigid.velocity().length()).max(rigid.angular_velocity().length() * radius);
        fastest = fastest.max(world.fastest_vorton().into());
    }
    fastest / first
}

#[test]
fn ballast_and_shells_are_as_steady_as_solid_bodies() {
    let cuboid = || Shape::cuboid(Vec3::new(0.15, 0.1, 0.12));
    for (shape, density, factor, rate) in [
        (cuboid(), 6.0, 0.1, 60),
        (cuboid(), 2.0, 0.4, 60),
        (cuboid(), 1.0, 0.1, 30),
        (cuboid(), 6.0, 10.0, 30),
        (Shape::capsule(0.1, 0.08), 2.0, 0.1, 60),
        (Shape::sphere(0.15), 0.3, 0.1, 30),
        (Shape::sphere(0.15), 2.0, 10.0, 60),
    ] {
        let fastest = fastest(shape.clone(), density, factor, rate);
        println!("{:?} of density {density}, inertia x {factor}, {rate} Hz: {fastest:.2}", shape.geometry);
        assert!(fastest < 3.0, "{shape:?}, density {density}, inertia x {factor}, {rate} Hz: {fastest}");
    }
}

/// A ball in rotating fluid: the smaller its inertia, the sooner it rotates with the fluid.
#[test]
fn what_is_told_decides_how_much_a_body_turns() {
    let vortons: Vec<_> = noise(Vec3::ZERO, Vec3::splat(1.0), 0.0)
        .into_iter()
        .map(|vorton| fluid_core::particles::Vorton { strength: Vec3::Z * (2.0 * vorton.volume), ..vorton })
        .collect();
    let spin = |factor: Option<f64>| {
        let mut def = body(Shape::sphere(0.2), 2.0, BodyState::default());
        def.inertia = factor.map(|factor| even(&def) * factor);
        let mut world = World::new(params(Vec3::ZERO), &vortons, &[def]);
        (0..6).for_each(|_| world.step(1.0 / 60.0));
        world.rigid[0].angular_velocity().z
    };
    let (light, told, left, heavy) = (spin(Some(0.1)), spin(Some(1.0)), spin(None), spin(Some(10.0)));
    println!("x 0.1 {light:.3}, x 1 {told:.3}, left to the shapes {left:.3}, x 10 {heavy:.3}");
    assert!((told / left - 1.0).abs() < 1e-5, "{told} {left}");
    assert!(light > 1.2 * told && told > 3.0 * heavy && heavy > 0.0, "{light} {told} {heavy}");
}

fn tensor(x: f64, y: f64, z: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::new(x, y, z))
}

#[test]
fn tensors_that_no_body_has_are_refused() {
    let mut bodies = Bodies::new(BodySettings::default(), &params(Vec3::ZERO)).expect("valid");
    let def = BodyDef { shapes: vec![Shape::sphere(CORE)], ..BodyDef::default() };
    bodies.add(def.clone()).expect("valid");
    let turn = DMat3::from_rotation_x(0.7) * DMat3::from_rotation_y(-0.3);
    let turned = |tensor: DMat3| turn * tensor * turn.transpose();
    let skew = DMat3::from_cols(DVec3::new(1.0, 0.1, 0.0), DVec3::Y, DVec3::Z);
    let bad = [
        tensor(0.0, 0.0, 0.0),
        tensor(1.0, 1.0, 0.0),
        tensor(1.0, 1.0, -0.1),
        tensor(1.0, 1.0, 2.1),
        turned(tensor(1.0, 1.0, 2.1)),
        turned(tensor(1.0, 1.0, -0.1)),
        tensor(1.0, f64::NAN, 1.0),
        tensor(f64::INFINITY, 1.0, 1.0),
        skew,
        -tensor(1.0, 1.0, 1.0),
    ];
    for inertia in bad {
        assert!(bodies.add(BodyDef { inertia: Some(inertia), ..def.clone() }).is_err(), "{inertia} is taken");
        assert!(bodies.body_mut(0).set_inertia(Some(inertia)).is_err(), "{inertia} is taken");
    }
    // A plate, a rod, a ball, at tiny and huge scales; and then none again.
    for inertia in [tensor(1.0, 1.0, 2.0), tensor(1.0, 1.0, 1e-4), tensor(1.0, 1.0, 1.0)] {
        for scale in [1e-12, 1.0, 1e12] {
            let inertia = turned(inertia) * scale;
            bodies
                .body_mut(0)
                .set_inertia(Some(inertia))
                .unwrap_or_else(|error| panic!("{inertia}: {error}"));
            bodies.add(BodyDef { inertia: Some(inertia), ..def.clone() }).expect("a body");
        }
    }
    bodies.body_mut(0).set_inertia(None).expect("none");
}

/// The substitute for an engine uses it as well.
#[test]
fn the_reference_integrator_turns_by_it() {
    let def = BodyDef { inertia: Some(tensor(2.0, 3.0, 4.0)), ..BodyDef::default() };
    let mut rigid = RigidBody::new(&def);
    rigid.apply_impulsive_torque(DVec3::ONE);
    assert!(rigid.angular_velocity().distance(DVec3::new(0.5, 1.0 / 3.0, 0.25)) < 1e-12);
}
