//! A shape inside of another one of the same body, or the same shape twice, displaces nothing, and the flow
//! around the body, lift and impulses are those without it.

use crate::common::Dice;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Vec3};

/// Returns the velocity of a light body of these shapes after a ring has met it, and the impulses it got.
fn meet(shapes: Vec<Shape>, no_through: bool) -> (DVec3, DVec3) {
    let mut params = Params { core_radius: 0.1, gravity: Vec3::Y * -9.81, ..Params::default() };
    params.ambient.density = 1.0;
    let inertia = DMat3::from_diagonal(DVec3::splat(0.02));
    let state = BodyState { position: Vec3::X * 0.1, ..BodyState::default() };
    let def = BodyDef { shapes, mass: 0.3, inertia: Some(inertia), no_through, state, ..BodyDef::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    bodies.add(def.clone()).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = VortexRing {
        centre: Vec3::Z * -0.8,
        axis: Vec3::Z,
        radius: 0.45,
        thickness: 0.25,
        circulation: 2.0,
        spacing: 0.0667,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let mut rigid = RigidBody::new(&def);
    let (mut given, mut dice) = (DVec3::ZERO, Dice::new(5));
    for _ in 0..40 {
        let dt = dice.between(1.0 / 144.0, 1.0 / 30.0);
        bodies.set_state(0, rigid.state()).expect("a valid state");
        sim.step(&Serial, &mut bodies, dt).expect("a finite step");
        let impulse = bodies.body_mut(0).take_impulse();
        given += impulse.linear;
        rigid.apply(&impulse);
        rigid.integrate(dt.into());
    }
    (rigid.state().velocity.as_dvec3(), given)
}

#[test]
fn with_and_without_a_sheet() {
    let half = Vec3::new(0.4, 0.4, 0.2);
    let cuboid = Shape::cuboid(half);
    let mut ball = Shape::sphere(0.15);
    ball.pose.position = Vec3::new(0.1, -0.05, 0.02);
    for no_through in [true, false] {
        let alone = meet(vec![cuboid.clone()], no_through);
        assert!(alone.1.length() > 0.1, "{alone:?}");
        for (name, others) in [
            ("the same box", vec![cuboid.clone(), cuboid.clone()]),
            ("a ball", vec![cuboid.clone(), ball.clone()]),
            ("a smaller box, first", vec![Shape::cuboid(half * 0.9), cuboid.clone()]),
        ] {
            let (velocity, given) = meet(others, no_through);
            let error = (velocity - alone.0).length() / alone.0.length();
            println!("sheet {no_through}, with {name}: {error:.1e} of the velocity, impulse {given:.4}");
            assert!(error < 0.01 && (given - alone.1).length() < 0.01 * alone.1.length(), "{name}: {error}");
        }
    }
}
