//! The same polytope results from its corners and from its planes; invalid input is rejected.

use crate::common::{Dice, box_corners, place};
use fluid_bodies::shapes::{Polytope, PolytopeError, ShapeQueries};
use glam::{DVec3, Vec3};

#[test]
fn corners_and_planes_make_the_same() {
    let mut dice = Dice::new(51);
    for round in 0..2000 {
        let points = dice.cloud(4 + round % 37, 50.0);
        let hull = Polytope::from_points(&points).unwrap();
        // Normals of any length, and redundant planes.
        let mut planes: Vec<(Vec3, f32)> = hull
            .planes()
            .map(|(normal, offset)| {
                let scale = dice.between(0.1, 10.0);
                (normal * scale, offset * scale)
            })
            .collect();
        for _ in 0..5 {
            planes.push((dice.direction(), dice.between(3.5, 100.0)));
        }
        planes.push((Vec3::X, 1e30));
        let again = Polytope::from_planes(&planes).unwrap_or_else(|error| panic!("{error}: {planes:?}"));
        assert!(
            again.planes().len() <= hull.planes().len(),
            "{} {}",
            again.planes().len(),
            hull.planes().len()
        );
        let (a, b) = (hull.mass_properties(), again.mass_properties());
        // Normals and offsets are rounded to 6e-8, up to 3 from the origin: planes move by up to 5e-7.
        let moved = 5e-7;
        assert!((a.volume - b.volume).abs() <= moved * hull.area(), "{} {}", a.volume, b.volume);
        // An inscribed ball has a radius of at least V/A, so shrinking the hull about its centre by
        // moved/radius is equivalent: rounding moves the surface most at tips, which are at most a diameter
        // away.
        let (diameter, radius) = (2.0 * f64::from(hull.bounding_sphere().1), a.volume / hull.area());
        let moved = moved * diameter / radius;
        assert!(a.centroid.distance(b.centroid) <= moved, "{} {}", a.centroid, b.centroid);
        for _ in 0..10 {
            let asked = place(&mut dice, &hull);
            let (a, b) = (hull.surface(asked).distance, again.surface(asked).distance);
            assert!(f64::from((a - b).abs()) <= moved, "{asked}: {a} {b}, not {moved:.1e}");
        }
    }
}

#[test]
fn corners_are_held_by_all_planes_and_volume_by_triangles() {
    let mut dice = Dice::new(52);
    for round in 0..500 {
        let points = dice.cloud(4 + round % 60, 10.0);
        let hull = Polytope::from_points(&points).unwrap();
        for (normal, offset) in hull.planes() {
            let beyond = points.iter().map(|point| normal.dot(*point) - offset);
            let highest = beyond.fold(f32::NEG_INFINITY, f32::max);
            assert!(highest.abs() < 1e-6, "{highest}");
        }
        // Closed: Euler's formula for triangles, each edge once in either direction, and triangles ordered
        // by face.
        assert_eq!(hull.triangles().len(), 2 * hull.corners().len() - 4);
        let rows: Vec<usize> = (0..hull.planes().len()).flat_map(|face| hull.face(face)).collect();
        assert!(rows.iter().copied().eq(0..hull.triangles().len()));
        let corners: Vec<DVec3> = hull.corners().map(|corner| corner.as_dvec3()).collect();
        let volume: f64 = hull
            .triangles()
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((volume / hull.mass_properties().volume - 1.0).abs() < 1e-4);
    }
}

#[test]
fn a_box_has_six_planes_however_it_is_made() {
    let cube = |from: Vec3, to: Vec3| {
        let axes = Vec3::AXES.into_iter().enumerate();
        axes.flat_map(|(i, axis)| [(axis, to[i]), (-axis, -from[i])]).collect::<Vec<_>>()
    };
    let shape = Polytope::from_planes(&cube(Vec3::new(9.0, 1.0, -3.0), Vec3::new(10.0, 3.0, 1.0))).unwrap();
    assert_eq!((shape.planes().len(), shape.corners().len()), (6, 8));
    assert!((shape.mass_properties().volume - 8.0).abs() < 1e-5);
    assert!(shape.mass_properties().centroid.distance(DVec3::new(9.5, 2.0, -1.0)) < 1e-5);
    // Very long, far away, and with all planes repeated.
    let long = cube(Vec3::new(1000.0, 0.0, 0.0), Vec3::new(1001.0, 1.0, 1000.0));
    let twice: Vec<_> = long.iter().chain(&long).copied().collect();
    for planes in [long, twice] {
        let shape = Polytope::from_planes(&planes).unwrap();
        assert_eq!(shape.planes().len(), 6);
        assert!((shape.mass_properties().volume - 1000.0).abs() < 0.5);
    }
}

#[test]
fn what_makes_no_polytope_is_refused() {
    use PolytopeError::{Empty, Flat, NoNormal, NotBounded, NotFinite, TooMany};
    let points = |points: &[Vec3]| Polytope::from_points(points).map(|_| ()).unwrap_err();
    let planes = |planes: &[(Vec3, f32)]| Polytope::from_planes(planes).map(|_| ()).unwrap_err();
    assert_eq!(points(&[]), Flat);
    assert_eq!(points(&[Vec3::X, Vec3::Y, Vec3::Z]), Flat);
    assert_eq!(points(&[Vec3::ONE; 20]), Flat);
    let line: Vec<Vec3> = (0..20).map(|i| Vec3::new(0.1, 0.2, 0.3) * i as f32).collect();
    assert_eq!(points(&line), Flat);
    let mut dice = Dice::new(53);
    let turn = dice.rotation();
    let flat: Vec<Vec3> = (0..50).map(|_| turn * (dice.cube() * Vec3::new(1.0, 1.0, 0.0))).collect();
    assert_eq!(points(&flat), Flat);
    // As thin as the rounding of coordinates.
    assert_eq!(points(&box_corners(Vec3::new(1.0, 1.0, 1e-7))), Flat);
    assert_eq!(points(&box_corners(Vec3::ONE).map(|corner| corner + Vec3::X * 1e8)), Flat);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut corners = box_corners(Vec3::ONE);
        corners[3].y = bad;
        assert_eq!(points(&corners), NotFinite);
        assert_eq!(planes(&[(Vec3::X, bad)]), NotFinite);
        assert_eq!(planes(&[(Vec3::new(0.0, bad, 0.0), 1.0)]), NotFinite);
    }
    let sphere: Vec<Vec3> = (0..400).map(|_| dice.direction()).collect();
    assert_eq!(points(&sphere), TooMany);
    assert_eq!(points(&vec![Vec3::ZERO; Polytope::MAX_INPUT + 1]), TooMany);

    assert_eq!(planes(&[]), NotBounded);
    assert_eq!(planes(&[(Vec3::ZERO, 1.0)]), NoNormal);
    let cube: Vec<(Vec3, f32)> =
        Vec3::AXES.into_iter().flat_map(|axis| [(axis, 1.0), (-axis, 1.0)]).collect();
    assert_eq!(planes(&cube[..5]), NotBounded);
    assert_eq!(planes(&cube[..4]), NotBounded);
    let with = |plane: (Vec3, f32)| [&cube[..], &[plane]].concat();
    assert_eq!(planes(&with((Vec3::X, -1.5))), Empty);
    assert!(matches!(planes(&with((Vec3::X, -1.0))), Empty | Flat));
    assert_eq!(planes(&with((Vec3::ONE, -3.5))), Empty);
    assert!(Polytope::from_planes(&with((Vec3::ONE, -2.5))).is_ok());
    let balls: Vec<(Vec3, f32)> = (0..400).map(|_| (dice.direction(), 1.0)).collect();
    assert_eq!(planes(&balls), TooMany);
    assert!(PolytopeError::Flat.to_string().contains("four points"));
    let _: &dyn std::error::Error = &PolytopeError::Flat;
}
