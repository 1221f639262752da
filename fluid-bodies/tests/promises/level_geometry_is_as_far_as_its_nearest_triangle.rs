//! The distance of meshes and height fields is that of the nearest of all their triangles; points are solid
//! by the winding number of a closed surface, or below the ground; segments enter at their first crossing of
//! a triangle.

use crate::common::Dice;
use crate::level::{
    Triangles, distance, ground, mesh, rock, soup, terrain, triangles_of, turned_inside_out, unwelded,
    winding,
};
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::{HeightField, MeshError, Shape, ShapeQueries, TriangleMesh};
use glam::{UVec2, UVec3, Vec2, Vec3};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{Ray, RayCast};
use parry3d_f64::shape::TriMesh;
use std::sync::Arc;

/// Queries a surface, checks that the result is consistent, and returns the distance.
fn ask(shape: &dyn ShapeQueries, place: Vec3) -> f64 {
    let surface = shape.surface(place);
    let (apart, far) = (surface.point.distance(place), place.abs().max_element() + 2.0);
    assert!((apart - surface.distance.abs()).abs() <= 4.0 * f32::EPSILON * far, "{surface:?} from {place}");
    assert!((surface.normal.length() - 1.0).abs() <= 4.0 * f32::EPSILON, "{surface:?} from {place}");
    let off = (place - surface.point - surface.normal * surface.distance).length();
    assert!(off <= 8.0 * f32::EPSILON * far, "{surface:?} from {place}: off by {off}");
    surface.distance.into()
}

/// Rocks and caves of many shapes, with shared or separate vertices.
#[test]
fn closed_surfaces_are_solid_where_they_go_around() {
    let (mut inside, mut asked) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice::new(seed);
        let (rings, sectors) = (2 + seed as u32 % 9, 3 + seed as u32 % 13);
        let roughness = 0.1 + 0.7 * dice.unit();
        let mut triangles = rock(&mut dice, rings, sectors, roughness);
        if seed % 3 == 0 {
            triangles = unwelded(triangles);
        }
        let is_cave = seed % 2 == 1;
        if is_cave {
            triangles = turned_inside_out(triangles);
        }
        let shape = mesh(triangles.clone());
        assert!(shape.is_closed());
        let (low, high) = triangles.0.iter().fold((Vec3::MAX, Vec3::MIN), |a, &v| (a.0.min(v), a.1.max(v)));
        let (centre, radius) = shape.bounding_sphere();
        let mut obstacles = Obstacles::new(1e-4);
        obstacles.push(Obstacle::new(Arc::from(vec![Shape::mesh(shape.clone())]), Pose::IDENTITY));
        obstacles.refresh();
        for _ in 0..100 {
            let place = dice.cube() * 2.0;
            let (found, wanted) = (ask(&shape, place), distance(&triangles, place));
            assert!((found.abs() - wanted).abs() < 1e-6, "{seed}: {place} is {wanted} away, not {found}");
            // Around a cave, which has the opposite orientation, everything is solid.
            let around = winding(&triangles, place);
            let is_solid = if is_cave { around > -0.5 } else { around > 0.5 };
            assert!(wanted < 1e-5 || (found < 0.0) == is_solid, "{seed}: {place} {found} {around}");
            // Points outside the bounding box or sphere of a cave are not tested.
            let contains = obstacles.contains(place);
            let is_in_box = place.cmpge(low).all() && place.cmple(high).all();
            let is_asked = !is_cave || (is_in_box && place.distance(centre) < radius);
            assert!(wanted < 1e-5 || !is_asked || contains == is_solid, "{seed}: {place} {around}");
            inside += usize::from(is_solid);
            asked += 1;
        }
    }
    assert!(inside > asked / 10 && inside < asked * 9 / 10, "{inside} of {asked}");
}

#[test]
fn other_surfaces_have_two_sides() {
    for seed in 0..40 {
        let mut dice = Dice::new(100 + seed);
        let triangles = soup(&mut dice, 1 + 5 * seed as u32);
        let shape = mesh(triangles.clone());
        assert!(!shape.is_closed());
        // The order of triangles changes nothing.
        let (vertices, mut order) = triangles.clone();
        order.reverse();
        let reversed = mesh((vertices, order));
        for _ in 0..100 {
            let place = dice.cube() * 2.0;
            let (found, wanted) = (ask(&shape, place), distance(&triangles, place));
            assert!((found - wanted).abs() < 1e-6, "{seed}: {place} is {wanted} away, not {found}");
            assert_eq!(reversed.surface(place).distance, shape.surface(place).distance);
        }
    }
}

#[test]
fn terrain_is_solid_below_the_ground() {
    let (mut below, mut asked) = (0, 0);
    for seed in 0..40 {
        let mut dice = Dice::new(200 + seed);
        let samples = UVec2::new(2 + seed as u32 % 17, 2 + seed as u32 % 11);
        let spacing = Vec2::new(dice.between(0.1, 0.4), dice.between(0.1, 0.4));
        let field = terrain(&mut dice, samples, spacing);
        let (triangles, end) = (triangles_of(&field), (samples - 1).as_vec2() * spacing);
        for _ in 0..100 {
            let at = (end + 1.0) * Vec2::new(dice.unit(), dice.unit()) - 0.5;
            let place = at.extend(dice.between(-0.5, 1.5));
            let (found, wanted) = (ask(&field, place), distance(&triangles, place));
            assert!((found.abs() - wanted).abs() < 1e-6, "{seed}: {place} is {wanted} away, not {found}");
            let is_below = ground(&field, at).is_some_and(|height| f64::from(place.z) < height);
            assert!(wanted < 1e-5 || (found < 0.0) == is_below, "{seed}: {place} {found}");
            below += usize::from(is_below);
            asked += 1;
        }
    }
    assert!(below > asked / 10 && below < asked / 2, "{below} of {asked}");
}

/// First entry points of segments into soups, rocks and terrain, compared with another library.
#[test]
fn ways_enter_where_another_library_says() {
    let (mut entered, mut missed) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice::new(300 + seed);
        let (shape, triangles): (Box<dyn ShapeQueries>, Triangles) = match seed % 3 {
            0 => {
                let triangles = soup(&mut dice, 40);
                (Box::new(mesh(triangles.clone())), triangles)
            }
            1 => {
                let triangles = rock(&mut dice, 6, 9, 0.5);
                (Box::new(mesh(triangles.clone())), triangles)
            }
            _ => {
                let field = terrain(&mut dice, UVec2::new(9, 6), Vec2::splat(0.2));
                let triangles = triangles_of(&field);
                (Box::new(field), triangles)
            }
        };
        let vector = |v: Vec3| Vector::new(v.x.into(), v.y.into(), v.z.into());
        let vertices: Vec<Vector> = triangles.0.iter().map(|&vertex| vector(vertex)).collect();
        let judge = TriMesh::new(vertices, triangles.1.iter().map(|one| one.to_array()).collect());
        let judge = judge.expect("a valid mesh");
        for _ in 0..200 {
            // Starts outside all solids, because segments that start inside do not enter.
            let start = Vec3::new(dice.between(-2.0, 2.0), dice.between(-2.0, 2.0), dice.between(1.8, 3.0));
            let end = dice.cube() * 2.0;
            let ray = Ray::new(vector(start), vector(end) - vector(start));
            let theirs = judge.cast_local_ray(&ray, 1.0, false);
            let ours = shape.entry(start, end);
            // Terrain is entered from above only.
            let is_from_above = |share: f64| {
                let below = start + (end - start) * (share as f32) + (end - start).normalize() * 1e-3;
                seed % 3 != 2 || shape.surface(below).distance < 0.0
            };
            match (ours, theirs) {
                (Some(ours), Some(theirs)) => {
                    if !is_from_above(theirs) {
                        assert!(f64::from(ours.share) > theirs);
                        continue;
                    }
                    assert!((f64::from(ours.share) - theirs).abs() < 1e-6, "{seed}: {start} {end}");
                    assert!(ours.normal.dot(end - start) <= 0.0);
                    entered += 1;
                }
                (None, Some(theirs)) => assert!(!is_from_above(theirs), "{seed}: {start} {end} {theirs}"),
                (Some(_), None) => panic!("{seed}: {start} {end} enters nothing"),
                (None, None) => missed += 1,
            }
        }
    }
    println!("{entered} entered, {missed} missed");
    assert!(entered > 2000 && missed > 2000);
}

#[test]
fn nonsense_is_refused() {
    let corner = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    let vertices = || vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)];
    let refused = |vertices, triangles| TriangleMesh::new(vertices, triangles).err();
    let one = UVec3::new(0, 1, 2);
    assert_eq!(refused(vertices(), vec![]), Some(MeshError::Empty));
    assert_eq!(refused(vec![], vec![one]), Some(MeshError::NoVertex { triangle: 0 }));
    assert_eq!(
        refused(vertices(), vec![one, UVec3::new(0, 1, 3)]),
        Some(MeshError::NoVertex { triangle: 1 })
    );
    assert_eq!(refused(vertices(), vec![UVec3::new(0, 1, 1)]), Some(MeshError::Empty));
    let line = vec![corner(0.0, 0.0), corner(1.0, 1.0), corner(2.0, 2.0)];
    assert_eq!(refused(line, vec![one]), Some(MeshError::Empty));
    for bad in [f32::NAN, f32::INFINITY] {
        let vertices = vec![corner(0.0, bad), corner(1.0, 0.0), corner(0.0, 1.0)];
        assert_eq!(refused(vertices, vec![one]), Some(MeshError::NotFinite));
    }
    let many = vec![one; TriangleMesh::MAX_TRIANGLES + 1];
    assert_eq!(refused(vertices(), many), Some(MeshError::TooMany));
    let field = |heights: Vec<f32>, x: u32, y: u32, spacing: f32| {
        HeightField::new(heights, UVec2::new(x, y), Vec2::splat(spacing)).err()
    };
    assert_eq!(field(vec![0.0; 4], 2, 2, 1.0), None);
    assert_eq!(field(vec![0.0; 2], 1, 2, 1.0), Some(MeshError::NoGrid));
    assert_eq!(field(vec![0.0; 5], 2, 2, 1.0), Some(MeshError::NoGrid));
    assert_eq!(field(vec![0.0; 4], 2, 2, 0.0), Some(MeshError::NoGrid));
    assert_eq!(field(vec![0.0; 4], 2, 2, f32::NAN), Some(MeshError::NotFinite));
    assert_eq!(field(vec![0.0; 4], 2, 2, f32::INFINITY), Some(MeshError::NotFinite));
    assert_eq!(field(vec![f32::NAN; 4], 2, 2, 1.0), Some(MeshError::NotFinite));
    assert_eq!(field(Vec::new(), 4098, 2, 1.0), Some(MeshError::TooMany));
}

/// A tetrahedron with one edge divided by a triangle without area: the edge's neighbours do not meet there.
#[test]
fn lines_among_the_triangles_leave_a_surface_open() {
    let corner = Vec3::new;
    let vertices =
        vec![Vec3::ZERO, corner(1.0, 0.0, 0.0), corner(0.0, 1.0, 0.0), Vec3::Z, corner(0.5, 0.0, 0.0)];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(UVec3::from_array);
    assert!(mesh((vertices.clone(), faces.to_vec())).is_closed());
    // The first face has the edge 1 0, the second 0 4 and 4 1.
    let divided = [[0, 2, 1], [0, 4, 3], [4, 1, 3], [0, 1, 4], [1, 2, 3], [0, 3, 2]].map(UVec3::from_array);
    assert!(!mesh((vertices.clone(), divided.to_vec())).is_closed());
    // A triangle that repeats a corner divides nothing.
    let named_twice = faces.iter().copied().chain([UVec3::new(0, 1, 1)]).collect();
    assert!(mesh((vertices, named_twice)).is_closed());
}

/// The largest mesh allowed, and triangles all at one position or in a line.
#[test]
fn trees_of_any_triangles_are_searched() {
    let place = Vec3::new(0.3, 0.2, 5.0);
    let in_one_place = (vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![UVec3::new(0, 1, 2); 100_000]);
    assert!((mesh(in_one_place).surface(place).distance - 5.0).abs() < 1e-6);
    let count = TriangleMesh::MAX_TRIANGLES as u32;
    let strip = |i: u32| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0);
    let in_a_line =
        ((0..count + 2).map(strip).collect(), (0..count).map(|i| UVec3::new(i, i + 1, i + 2)).collect());
    let (found, far) = (mesh(in_a_line), Vec3::new(400_000.3, 0.5, 3.0));
    assert_eq!(found.surface(far).distance, 3.0);
    assert!(found.entry(far, far - Vec3::Z * 4.0).is_some_and(|entry| entry.share == 0.75));
    let samples = UVec2::new(4097, 3);
    let flat = HeightField::new(vec![1.0; 3 * 4097], samples, Vec2::ONE).expect("a valid height field");
    assert_eq!(flat.surface(Vec3::new(4095.7, 1.9, 3.0)).distance, 2.0);
}
