//! Translated by a thousand sizes and rotated, a scene has the same distances, to a thousandth of a radius
//! (validation G5).

use crate::common::{Dice, centre_and_size, place, shapes};
use fluid_bodies::Pose;
use fluid_bodies::shapes::{Geometry, Polytope, Shape, ShapeQueries};
use glam::Vec3;

#[test]
fn distances_stay() {
    let mut dice = Dice::new(61);
    for (name, geometry) in shapes() {
        let (_, size) = centre_and_size(geometry.queries());
        for _ in 0..100 {
            let pose = Pose { position: dice.direction() * (1e3 * size), rotation: dice.rotation() };
            let shape = Shape { pose, ..Shape::solid(geometry.clone()) };
            for _ in 0..10 {
                let asked = place(&mut dice, geometry.queries());
                let here = geometry.queries().surface(asked);
                let there = shape.surface(pose.to_world(asked));
                let error = (here.distance - there.distance).abs();
                assert!(error <= 1e-3 * size, "{name}: {} {}", here.distance, there.distance);
                let error = pose.to_world(here.point).distance(there.point);
                if here.distance > 0.0 {
                    assert!(error <= 1e-3 * size, "{name}: {error}");
                }
            }
        }
    }
}

#[test]
fn hulls_far_from_their_origin_are_as_good_as_their_corners() {
    let mut dice = Dice::new(62);
    for round in 0..300 {
        let points = dice.cloud(4 + round % 30, 3.0);
        let way = dice.direction() * 1e3;
        let moved: Vec<Vec3> = points.iter().map(|&point| point + way).collect();
        let here = Polytope::from_points(&points).unwrap();
        let Ok(there) = Polytope::from_points(&moved) else {
            panic!("{points:?}");
        };
        for _ in 0..20 {
            let asked = place(&mut dice, &here);
            let error = (here.surface(asked).distance - there.surface(asked + way).distance).abs();
            assert!(error <= 1e-3, "{asked}: {error}");
        }
        let _ = Geometry::Polytope(there);
    }
}
