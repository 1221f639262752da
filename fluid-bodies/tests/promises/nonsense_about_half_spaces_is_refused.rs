//! Invalid half-spaces are errors that state the reason, and change nothing.

use crate::floor::{half_space, params, ring, world};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

fn turned(rotation: Quat) -> BodyDef {
    half_space(Pose { position: Vec3::ZERO, rotation })
}

fn upright() -> Quat {
    Quat::from_rotation_arc(Vec3::Z, Vec3::X)
}

#[test]
fn definitions_that_mean_nothing() {
    let (_, mut bodies) = world(params(SolverKind::Direct), &[], &[half_space(Pose::IDENTITY)]);
    let wall = turned(upright());
    let spinning = BodyState { angular_velocity: Vec3::X, ..wall.state };
    let hole = Shape { parity: Parity::Hole, ..Shape::half_space() };
    let nowhere = Shape { pose: Pose::at(Vec3::NAN), ..Shape::half_space() };
    let cases = [
        ("mass is 1", BodyDef { mass: 1.0, ..wall.clone() }),
        ("angular_velocity", BodyDef { state: spinning, ..wall.clone() }),
        (
            "number of shapes is 2",
            BodyDef { shapes: vec![Shape::half_space(), Shape::sphere(1.0)], ..wall.clone() },
        ),
        (
            "number of shapes is 2",
            BodyDef { shapes: vec![Shape::sphere(1.0), Shape::half_space()], ..wall.clone() },
        ),
        ("a solid, no hole", BodyDef { shapes: vec![hole], ..wall.clone() }),
        ("shapes", BodyDef { shapes: vec![nowhere], ..wall.clone() }),
        ("right angles", half_space(Pose::at(Vec3::NEG_Z))),
        ("right angles", turned(Quat::from_rotation_x(1.0))),
    ];
    for (reason, def) in cases {
        let error = bodies.add(def).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
        assert_eq!((bodies.list().len(), bodies.copies()), (1, 2));
    }
    bodies.add(wall.clone()).expect("a corner of two");
    bodies.add(turned(Quat::from_rotation_arc(Vec3::Z, Vec3::NEG_Y))).expect("a corner of three");
    let error = bodies.add(wall).expect_err("a fourth").to_string();
    assert!(error.contains("right angles") && bodies.copies() == 8, "{error}");
}

#[test]
fn changes_that_mean_nothing() {
    let defs = [half_space(Pose::IDENTITY), turned(upright()), BodyDef::default()];
    let (_, mut bodies) = world(params(SolverKind::Direct), &[], &defs);
    let before = *bodies.list()[0].state();
    let tilted = BodyState { rotation: Quat::from_rotation_y(0.1), ..before };
    let spinning = BodyState { angular_velocity: Vec3::Z, ..before };
    for state in [tilted, spinning] {
        assert!(bodies.set_state(0, state).is_err() && bodies.place(0, state).is_err());
        assert_eq!(*bodies.list()[0].state(), before);
    }
    assert!(bodies.body_mut(0).set_mass(5.0).is_err() && bodies.body_mut(0).set_mass(f32::INFINITY).is_ok());
    assert!(bodies.set_shapes(2, vec![Shape::half_space()]).is_err(), "of a free body");
    assert!(bodies.set_shapes(0, vec![Shape::half_space(), Shape::sphere(1.0)]).is_err());
    assert_eq!((bodies.obstacles().list()[0].shapes().len(), bodies.copies()), (1, 4));
    assert!(bodies.added_inertia(0).is_none());
    // A floor may move along its plane and across it, and rotate about its normal.
    let elsewhere = BodyState { position: Vec3::splat(1e8), rotation: Quat::from_rotation_z(2.0), ..before };
    bodies.set_state(0, elsewhere).expect("still at right angles");
    bodies.remove(1);
    bodies.place(0, tilted).expect("there is no other");
    bodies.set_shapes(0, vec![Shape::sphere(1.0)]).expect("a ball");
    assert_eq!(bodies.copies(), 1);
}

/// A floor in the middle of a ring, vortons exactly on it, floors far away and jumping, and finally none.
#[test]
fn floors_in_impossible_places_are_survived() {
    let floor = Pose::IDENTITY;
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let (mut sim, mut bodies) = world(params(solver), &ring(&floor, 0.0, 64), &[half_space(floor)]);
        for height in [0.0, 0.3, -1e9, 1e9, 0.0, -0.1, 1e-30] {
            let state = BodyState { position: Vec3::Z * height, ..BodyState::default() };
            bodies.set_state(0, state).expect("a valid place");
            for _ in 0..3 {
                sim.step(&Serial, &mut bodies, 0.02).expect("a finite step");
                let places = || sim.vortons().positions.iter();
                assert!(places().all(|place| place.is_finite() && place.z >= height), "{height}");
            }
            bodies.place(0, BodyState::default()).expect("a valid place");
        }
        assert_eq!(sim.vortons().len(), 64);
        bodies.remove(0);
        sim.step(&Serial, &mut bodies, 0.02).expect("a finite step");
    }
}
