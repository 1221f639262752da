//! Distances of all shapes are true: no point of the surface is nearer, also at edges and corners, and
//! normals are their gradient.

use crate::common::{Dice, Facets, TETRAHEDRON, box_corners, centre_and_size, place, shapes, step};
use fluid_bodies::shapes::{Cuboid, Geometry, Polytope, ShapeQueries, Surface};
use glam::Vec3;

#[test]
fn the_nearest_point_is_as_far_as_said_and_on_the_surface() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(1));
        // Query point, nearest point, and their difference: each is rounded once.
        let rounding = 3.0 * step(shape);
        for _ in 0..2000 {
            let asked = place(&mut dice, shape);
            let Surface { distance, point, normal } = shape.surface(asked);
            let error = (asked.distance(point) - distance.abs()).abs();
            assert!(error <= rounding, "{name}: {asked} is {distance} away, off by {error}");
            assert!(shape.surface(point).distance.abs() <= rounding, "{name}: {point} is off the surface");
            assert!((normal.length() - 1.0).abs() <= 2.0 * f32::EPSILON, "{name}: normal {normal}");
            let error = (asked - point - normal * distance).length();
            assert!(error <= rounding, "{name}: normal {normal} does not lead from {point} to {asked}");
        }
    }
}

#[test]
fn no_point_of_the_surface_is_nearer() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(2));
        let (centre, size) = centre_and_size(shape);
        let on_surface: Vec<Vec3> = (0..1000)
            .map(|_| {
                let way = dice.direction() * size;
                centre + way * shape.exit(centre, way).unwrap()
            })
            .collect();
        for _ in 0..300 {
            let asked = place(&mut dice, shape);
            let Surface { distance, .. } = shape.surface(asked);
            let nearest = on_surface.iter().map(|point| point.distance(asked)).fold(f32::INFINITY, f32::min);
            assert!(nearest >= distance.abs() - 5.0 * step(shape), "{name}: {asked} {distance} > {nearest}");
            // Inside is before the exit of the line from the centre.
            let way = asked - centre;
            let leaves = shape.exit(centre, way).unwrap_or(f32::INFINITY);
            if (leaves - 1.0).abs() * way.length() > 10.0 * step(shape) * size / distance.abs().min(size) {
                assert_eq!(leaves > 1.0, distance < 0.0, "{name}: {asked}");
            }
        }
    }
}

#[test]
fn distance_changes_no_faster_than_place_and_along_the_normal() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(3));
        let (_, size) = centre_and_size(shape);
        for _ in 0..1000 {
            let asked = place(&mut dice, shape);
            let Surface { distance, normal, .. } = shape.surface(asked);
            let other = asked + dice.cube() * (0.1 * size * dice.unit());
            let change = (shape.surface(other).distance - distance).abs();
            assert!(change <= asked.distance(other) + 2.0 * step(shape), "{name}: {asked} {other}");
            // Outside a convex solid the distance is smooth, with a curvature of at most 1/distance.
            let reach = 0.02 * distance;
            if reach > 100.0 * step(shape) {
                let slope = |axis: Vec3| {
                    let ahead = shape.surface(asked + axis * reach).distance;
                    (ahead - shape.surface(asked - axis * reach).distance) / (2.0 * reach)
                };
                let gradient = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                let error = gradient.distance(normal);
                let bound = 0.02 + 4.0 * step(shape) / reach;
                assert!(error <= bound, "{name}: {asked} gradient {gradient}, normal {normal}");
            }
        }
    }
}

#[test]
fn hulls_agree_with_all_facets_edges_and_corners() {
    let mut dice = Dice::new(4);
    for round in 0..400 {
        let points = dice.cloud(4 + round % 9, 50.0);
        let Ok(shape) = Polytope::from_points(&points) else {
            panic!("no hull of {points:?}");
        };
        let facets = Facets::new(&points, 1e-12);
        for _ in 0..30 {
            let asked = place(&mut dice, &shape);
            let (distance, point) = facets.nearest(asked.as_dvec3());
            let surface = shape.surface(asked);
            // One rounding of the distance, and faces that coincide except for rounding of their corners.
            let error = (f64::from(surface.distance) - distance).abs();
            assert!(error <= f64::from(6.0 * f32::EPSILON), "{asked}: {} is {distance}", surface.distance);
            if distance > 1e-3 {
                let normal = (asked.as_dvec3() - point) / distance;
                assert!(
                    surface.normal.as_dvec3().distance(normal) < 2e-3,
                    "{asked}: {} is {normal}",
                    surface.normal
                );
            }
        }
    }
}

#[test]
fn a_cube_has_the_closed_form() {
    let cube = Cuboid { half_extents: Vec3::ONE };
    let of_points = Polytope::from_points(&box_corners(Vec3::ONE)).unwrap();
    let mut dice = Dice::new(5);
    for _ in 0..10_000 {
        let asked = dice.cube() * 2.0;
        let beyond = asked.as_dvec3().abs() - 1.0;
        let expected = beyond.max(glam::DVec3::ZERO).length() + beyond.max_element().min(0.0);
        for shape in [&cube as &dyn ShapeQueries, &of_points] {
            let error = f64::from(shape.surface(asked).distance) - expected;
            assert!(error.abs() <= 1.5e-7, "{asked} {expected} {error}");
        }
    }
    // Distance from the farthest plane: 1/√3 of the distance here.
    let corner = cube.surface(Vec3::splat(2.0));
    assert_eq!(corner.point, Vec3::ONE);
    assert!((corner.distance - 3_f32.sqrt()).abs() < 1e-6);
}

#[test]
fn a_face_of_many_triangles_is_one_plane() {
    let count = |points: &[Vec3]| {
        let shape = Polytope::from_points(points).unwrap();
        (shape.planes().len(), shape.corners().len())
    };
    assert_eq!(count(&TETRAHEDRON), (4, 4));
    let mut dice = Dice::new(6);
    for _ in 0..200 {
        // Rotated and translated: corners are rounded, so none of the six faces is exactly planar.
        let half = Vec3::new(dice.between(0.1, 1.0), dice.between(0.1, 1.0), dice.between(0.1, 1.0));
        let (turn, way) = (dice.rotation(), dice.cube() * 100.0);
        let moved = box_corners(half).map(|corner| way + turn * corner);
        assert_eq!(count(&moved), (6, 8));
    }
    // Points in faces, on edges, and repeated at corners.
    let grid: Vec<Vec3> =
        (0..125).map(|i| Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i / 25) as f32)).collect();
    let doubled: Vec<Vec3> = grid.iter().chain(&grid).copied().collect();
    assert_eq!(Polytope::from_points(&doubled).unwrap().planes().len(), 6);
}

#[test]
fn bounding_spheres_hold_everything_and_little_more() {
    for (name, geometry) in shapes() {
        let shape = geometry.queries();
        let (centre, radius) = shape.bounding_sphere();
        let mut dice = Dice::new(7);
        let (middle, size) = centre_and_size(shape);
        for _ in 0..2000 {
            let way = dice.direction() * size;
            let point = middle + way * shape.exit(middle, way).unwrap();
            assert!(point.distance(centre) <= radius + step(shape), "{name}");
        }
        if let Geometry::Polytope(polytope) = &geometry {
            // Half the largest distance between two corners is a lower bound, and √(3/8) of it an upper one
            // (Jung).
            let corners: Vec<Vec3> = polytope.corners().collect();
            let pairs = corners.iter().flat_map(|a| corners.iter().map(move |b| a.distance(*b)));
            let largest = pairs.fold(0.0, f32::max);
            assert!(radius <= 1.01 * (3_f32 / 8.0).sqrt() * largest, "{name}: {radius} {largest}");
        }
    }
}
