//! Queries of shapes never panic, even for non-finite points; for all finite and not huge values they are
//! right.

use crate::common::{Dice, shapes};
use fluid_bodies::shapes::{Capsule, Cuboid, Geometry, Polytope, Shape, Sphere};
use glam::Vec3;
use proptest::prelude::*;

fn float() -> impl Strategy<Value = f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        1e30,
        -1e20,
        0.02,
    ];
    prop_oneof![prop::sample::select(special.to_vec()), -3.0_f32..3.0, any::<f32>()]
}

fn vector() -> impl Strategy<Value = Vec3> {
    [float(), float(), float()].prop_map(Vec3::from_array)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn of_shapes(place in vector(), other in vector(), height in float()) {
        for (_, shape) in shapes() {
            let solid = shape.queries();
            let surface = solid.surface(place);
            if place.is_finite() {
                prop_assert!(!surface.distance.is_nan() && surface.normal.is_normalized(), "{shape:?} {place}");
            }
            if let Some(entry) = solid.entry(place, other) {
                prop_assert!((0.0..=1.0).contains(&entry.share), "{shape:?} {place} {other} {entry:?}");
            }
            solid.exit(place, other);
            let part = solid.part_below(other, height);
            if other.is_normalized() && !height.is_nan() {
                let volume = solid.mass_properties().volume;
                prop_assert!((-1e-6 * volume..=volume * 1.000_001).contains(&part.volume), "{shape:?} {other} {height} {part:?}");
            }
        }
    }

    #[test]
    fn of_shapes_that_are_none(size in vector(), place in vector(), other in vector()) {
        let none = [
            Geometry::Sphere(Sphere { radius: size.x }),
            Geometry::Cuboid(Cuboid { half_extents: size }),
            Geometry::Capsule(Capsule { half_height: size.y, radius: size.x }),
        ];
        for shape in none {
            let solid = shape.queries();
            solid.surface(place);
            solid.entry(place, other);
            solid.exit(place, other);
            solid.part_below(other, size.x);
        }
    }

    #[test]
    fn of_polytopes(points in prop::collection::vec(vector(), 0..20), offsets in prop::collection::vec(float(), 20), place in vector()) {
        let planes: Vec<(Vec3, f32)> = points.iter().copied().zip(offsets).collect();
        for shape in [Polytope::from_points(&points), Polytope::from_planes(&planes)].into_iter().flatten() {
            let shape = Geometry::Polytope(shape);
            let solid = shape.queries();
            prop_assert!(solid.mass_properties().volume > 0.0);
            solid.surface(place);
            solid.entry(place, points[0]);
            solid.part_below(Vec3::Z, place.x);
        }
    }
}

#[test]
fn sizes_that_are_none_are_told() {
    let valid = |shape: Shape| shape.geometry.is_valid();
    assert!(shapes().iter().all(|(_, shape)| shape.is_valid()));
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(!valid(Shape::sphere(bad)));
        assert!(!valid(Shape::cuboid(Vec3::new(1.0, bad, 1.0))));
        assert!(!valid(Shape::capsule(1.0, bad)));
        assert_eq!(valid(Shape::capsule(bad, 1.0)), bad == 0.0);
    }
}

#[test]
fn random_grids_and_repeats_make_hulls() {
    // Small integers: many points in one plane, on one line, or repeated.
    let mut dice = Dice::new(71);
    for _ in 0..3000 {
        let count = 4 + (dice.unit() * 40.0) as usize;
        let side = 1.0 + (dice.unit() * 4.0).floor();
        let points: Vec<Vec3> = (0..count).map(|_| (dice.cube() * side).round()).collect();
        let Ok(shape) = Polytope::from_points(&points) else { continue };
        let solid = Geometry::Polytope(shape.clone());
        for &point in &points {
            assert!(solid.queries().surface(point).distance <= 1e-6, "{points:?}: {point} is outside");
        }
        for corner in shape.corners() {
            let error = points.iter().map(|point| point.distance(corner)).fold(f32::INFINITY, f32::min);
            assert!(error <= 1e-6, "{points:?}: {corner} is none of them");
        }
        assert_eq!(shape.triangles().len(), 2 * shape.corners().len() - 4);
    }
}
