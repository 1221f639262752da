//! Volumes, centroids, moments and parts below planes agree with closed forms.

use crate::common::{Dice, TETRAHEDRON, box_corners, centre_and_size, shapes, step};
use fluid_bodies::Pose;
use fluid_bodies::shapes::{Capsule, Cuboid, MassProperties, Part, Polytope, ShapeQueries, Sphere};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// Compares a part with the expected one: errors are relative to the whole volume, and to the volume times
/// the shape's reach from the origin.
fn assert_part(name: &str, shape: &dyn ShapeQueries, part: Part, expected: Part, relative: f64) {
    let volume = shape.mass_properties().volume;
    let reach = f64::from(shape.bounding_sphere().1 + shape.bounding_sphere().0.length());
    let error = (part.volume - expected.volume).abs() / volume;
    assert!(error <= relative, "{name}: volume {} is {}, off by {error:.1e}", part.volume, expected.volume);
    let error = part.moment.distance(expected.moment) / (volume * reach);
    assert!(error <= relative, "{name}: moment {} is {}, off by {error:.1e}", part.moment, expected.moment);
}

/// Returns integrals over a fine grid of lines along `normal`: of each line, the part inside and below.
fn sliced(shape: &dyn ShapeQueries, normal: Vec3, height: f32) -> (MassProperties, Part) {
    const LINES: i32 = 200;
    let (centre, size) = (shape.bounding_sphere().0, shape.bounding_sphere().1 * 1.01);
    let (u, v) = normal.any_orthonormal_pair();
    let cell = f64::from(2.0 * size / LINES as f32).powi(2);
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let (mut volume, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let mut part = Part::default();
    for i in 0..LINES * LINES {
        let at = |index: i32| (2.0 * (index as f32 + 0.5) / LINES as f32 - 1.0) * size;
        let foot = centre + u * at(i % LINES) + v * at(i / LINES);
        let way = normal * size;
        let (Some(top), Some(bottom)) = (shape.exit(foot, way), shape.exit(foot, -way)) else { continue };
        let end = |share: f32| foot.as_dvec3() + way.as_dvec3() * f64::from(share);
        let (low, high) = (end(-bottom), end(top));
        let dv = low.distance(high) * cell;
        let middle = 0.5 * (low + high);
        volume += dv;
        moment += middle * dv;
        second += outer(middle, middle) * dv + outer(high - low, high - low) * (dv / 12.0);
        let n = normal.as_dvec3();
        let share = ((f64::from(height) - n.dot(low)) / n.dot(high - low)).clamp(0.0, 1.0);
        part.volume += share * dv;
        part.moment += low.lerp(high, 0.5 * share) * (share * dv);
    }
    let centroid = moment / volume;
    (MassProperties { volume, centroid, second_moment: second - outer(centroid, centroid) * volume }, part)
}

#[test]
fn everything_agrees_with_a_sum_over_slices() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(31));
        for _ in 0..4 {
            let normal = dice.direction();
            let (centre, size) = centre_and_size(shape);
            let height = normal.dot(centre) + size * dice.between(-0.4, 0.4);
            let (mass, part) = sliced(shape, normal, height);
            let exact = shape.mass_properties();
            // 200 × 200 lines; those at the rim count in full or not at all, and fewer cross a thin shape.
            let extents = (exact.second_moment.diagonal() / exact.volume).map(f64::sqrt);
            let bound = 4e-3 * f64::from(size) / extents.min_element().max(0.1 * f64::from(size)) + 1e-4;
            let bound = bound * (0.1 * f64::from(size) / smallest(&exact)).max(1.0).powi(2);
            let error = (mass.volume - exact.volume).abs() / exact.volume;
            assert!(
                error <= bound,
                "{name}: volume {} or {}, {error:.1e} > {bound:.1e}",
                mass.volume,
                exact.volume
            );
            let reach = f64::from(size);
            let error = mass.centroid.distance(exact.centroid) / reach;
            assert!(error <= bound, "{name}: centroid {} or {}", mass.centroid, exact.centroid);
            let difference =
                (mass.second_moment - exact.second_moment) * (1.0 / (exact.volume * reach * reach));
            let error = difference.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
            assert!(error <= bound, "{name}: {:?} or {:?}", mass.second_moment, exact.second_moment);
            assert_part(name, shape, shape.part_below(normal, height), part, bound);
        }
    }
}

/// Returns the smallest standard deviation \[m\]: det is the product of all three squares.
fn smallest(mass: &MassProperties) -> f64 {
    let squares = mass.second_moment * (1.0 / mass.volume);
    let trace = squares.diagonal().element_sum();
    (squares.determinant() / (trace * trace)).sqrt()
}

#[test]
fn above_everything_is_everything_and_two_sides_are_the_whole() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(32));
        let (centre, size) = centre_and_size(shape);
        let mass = shape.mass_properties();
        let whole = Part { volume: mass.volume, moment: mass.centroid * mass.volume };
        let mut last = (Part::default(), f32::NEG_INFINITY, Vec3::ZERO);
        for round in 0..400 {
            let normal = if round % 20 == 0 { dice.direction() } else { last.2 };
            let far = [f32::INFINITY, f32::MAX, normal.dot(centre) + 3.0 * size];
            for height in far {
                assert_part(name, shape, shape.part_below(normal, height), whole, 1e-6);
                assert_part(name, shape, shape.part_below(-normal, -height), Part::default(), 1e-6);
            }
            let height = normal.dot(centre) + size * dice.between(-1.1, 1.1);
            let (below, above) = (shape.part_below(normal, height), shape.part_below(-normal, -height));
            let sum = Part { volume: below.volume + above.volume, moment: below.moment + above.moment };
            assert_part(name, shape, sum, whole, 1e-6);
            // The difference of two parts is between the planes.
            if round % 20 != 0 {
                let between =
                    Part { volume: below.volume - last.0.volume, moment: below.moment - last.0.moment };
                assert_eq!(
                    between.volume >= -1e-6 * mass.volume,
                    height >= last.1 || between.volume.abs() < 1e-6 * mass.volume,
                    "{name}"
                );
                if between.volume.abs() > 1e-3 * mass.volume {
                    let place = normal.as_dvec3().dot(between.moment / between.volume) as f32;
                    let slack = 1e-3 * size + step(shape);
                    assert!(
                        place > height.min(last.1) - slack && place < height.max(last.1) + slack,
                        "{name}"
                    );
                }
            }
            last = (below, height, normal);
        }
    }
}

#[test]
fn a_plane_through_a_box_has_the_closed_form() {
    let mut dice = Dice::new(33);
    for _ in 0..2000 {
        let half = Vec3::new(dice.between(0.05, 1.0), dice.between(0.05, 1.0), dice.between(0.05, 1.0));
        let (normal, height) = (dice.direction(), dice.between(-1.0, 1.0));
        let n = normal.as_dvec3().abs().to_array();
        if n.iter().any(|n| *n < 0.05) {
            continue; // The closed form divides by them.
        }
        // Tetrahedra cut off by the plane at each corner, by inclusion and exclusion.
        let edges = (half.as_dvec3() * 2.0).to_array();
        let depth = f64::from(height) + n.iter().zip(&edges).map(|(n, edge)| 0.5 * n * edge).sum::<f64>();
        let volume: f64 = (0..8_u32)
            .map(|corner| {
                let beyond: f64 =
                    (0..3).filter(|axis| corner >> axis & 1 == 1).map(|axis| n[axis] * edges[axis]).sum();
                let sign = if corner.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
                sign * (depth - beyond).max(0.0).powi(3) / (6.0 * n[0] * n[1] * n[2])
            })
            .sum();
        let cuboid = Cuboid { half_extents: half };
        let polytope = Polytope::from_points(&box_corners(half)).unwrap();
        let whole = cuboid.mass_properties().volume;
        for (name, part) in
            [("box", cuboid.part_below(normal, height)), ("hull", polytope.part_below(normal, height))]
        {
            let error = (part.volume - volume).abs() / whole;
            assert!(error <= 1e-9, "{name} {half} {normal} {height}: {} is {volume}", part.volume);
        }
        let (a, b) = (cuboid.part_below(normal, height), polytope.part_below(normal, height));
        assert!(a.moment.distance(b.moment) <= 1e-9 * whole);
    }
}

#[test]
fn a_plane_through_a_tetrahedron_has_the_closed_form() {
    let mut dice = Dice::new(34);
    let random: Vec<[Vec3; 4]> = (0..500).map(|_| [(); 4].map(|()| dice.cube())).collect();
    for corners in random.iter().chain([&TETRAHEDRON]) {
        let shape = Polytope::from_points(corners).unwrap();
        let v =
            f64::from((corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]))
                .abs()
                / 6.0;
        if v < 1e-3 {
            continue;
        }
        let whole = shape.mass_properties();
        assert!((whole.volume - v).abs() <= 1e-6 * v.max(1.0));
        let mean = corners.iter().map(|c| c.as_dvec3()).sum::<DVec3>() / 4.0;
        assert!(whole.centroid.distance(mean) <= 1e-12);
        let (normal, height) = (dice.direction(), dice.between(-0.5, 0.5));
        let mut heights = corners.map(|c| normal.as_dvec3().dot(c.as_dvec3()));
        heights.sort_by(f64::total_cmp);
        let ([a, b, c, d], z) = (heights, f64::from(height));
        if (b - a).min(c - b).min(d - c) < 1e-3 {
            continue; // The closed form divides by them.
        }
        // Validation W6.
        let share = if z <= a {
            0.0
        } else if z <= b {
            (z - a).powi(3) / ((b - a) * (c - a) * (d - a))
        } else if z <= c {
            (z - a).powi(3) / ((b - a) * (c - a) * (d - a)) - (z - b).powi(3) / ((b - a) * (c - b) * (d - b))
        } else if z <= d {
            1.0 - (d - z).powi(3) / ((d - a) * (d - b) * (d - c))
        } else {
            1.0
        };
        let part = shape.part_below(normal, height);
        assert!((part.volume / whole.volume - share).abs() <= 1e-9, "{corners:?} {normal} {height}");
    }
}

#[test]
fn a_plane_through_a_capsule_has_the_closed_forms() {
    let mut dice = Dice::new(35);
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        let capsule = Capsule { half_height: dice.between(0.0, 2.0), radius: dice.between(0.1, 1.0) };
        let (h, r) = (f64::from(capsule.half_height), f64::from(capsule.radius));
        // A single ball: a capsule of zero length.
        let ball = Sphere { radius: capsule.radius };
        let (normal, height) = (dice.direction(), dice.between(-1.2, 1.2) * capsule.radius);
        let short = Capsule { half_height: 0.0, radius: capsule.radius };
        let (a, b) = (short.part_below(normal, height), ball.part_below(normal, height));
        let volume = ball.mass_properties().volume;
        worst =
            worst.max((a.volume - b.volume).abs() / volume).max(a.moment.distance(b.moment) / (volume * r));
        // Cut by a plane that meets only the round side: a cylinder cut at an angle has the height of the
        // cut at its axis.
        let tilt = dice.between(0.0, 3.0);
        let normal = Vec3::new(tilt, 0.0, 1.0).normalize();
        let middle = dice.between(-1.0, 1.0) * capsule.half_height;
        let (tilt, middle) = (f64::from(tilt), f64::from(middle));
        let volume = capsule.mass_properties().volume;
        if middle.abs() + tilt * r < h {
            let height = (middle * f64::from(normal.z)) as f32;
            let middle = f64::from(height) / f64::from(normal.z);
            let tilt = f64::from(normal.x) / f64::from(normal.z);
            let half_ball = 2.0 / 3.0 * PI * r * r * r;
            let expected = Part {
                volume: PI * r * r * (middle + h) + half_ball,
                moment: DVec3::new(
                    -tilt * PI * r.powi(4) / 4.0,
                    0.0,
                    0.5 * PI * r * r * (middle * middle + tilt * tilt * r * r / 4.0 - h * h)
                        - half_ball * (h + 0.375 * r),
                ),
            };
            assert_part("askew", &capsule, capsule.part_below(normal, height), expected, 1e-6);
        }
        // Any plane through the centre cuts off half.
        let normal = dice.direction();
        let half = capsule.part_below(normal, 0.0).volume;
        worst = worst.max((half / volume - 0.5).abs());
        // Perpendicular to the axis.
        let z = dice.between(-1.0, 1.0) * capsule.half_height;
        let expected = PI * r * r * (f64::from(z) + h) + 2.0 / 3.0 * PI * r * r * r;
        worst = worst.max((capsule.part_below(Vec3::Z, z).volume - expected).abs() / volume);
    }
    println!("capsule: {worst:.1e}");
    assert!(worst <= 1e-6, "{worst}");
}

#[test]
fn areas_are_the_growth_of_the_volume() {
    // For bodies with closed forms; a hull's area is the sum of its faces.
    let cube = Polytope::from_points(&box_corners(Vec3::new(0.5, 1.0, 2.0))).unwrap();
    let area = 8.0 * (0.5 * 1.0 + 1.0 * 2.0 + 2.0 * 0.5);
    assert!((cube.area() - area).abs() < 1e-12);
    assert_eq!(Cuboid { half_extents: Vec3::new(0.5, 1.0, 2.0) }.area(), area);
    let tetrahedron = Polytope::from_points(&TETRAHEDRON).unwrap();
    assert!((tetrahedron.area() - 8.0 * 3_f64.sqrt()).abs() < 1e-12);
    // dV/dr of the ball and of the capsule.
    let volume = |r: f32| Capsule { half_height: 1.5, radius: r }.mass_properties().volume;
    let growth = (volume(1.0 + 1.0 / 1024.0) - volume(1.0 - 1.0 / 1024.0)) * 512.0;
    assert!((growth / Capsule { half_height: 1.5, radius: 1.0 }.area() - 1.0).abs() < 1e-6);
    assert!((Sphere { radius: 2.0 }.area() - 16.0 * PI).abs() < 1e-12);
}

#[test]
fn moved_shapes_have_moved_moments() {
    let mut dice = Dice::new(36);
    let points = dice.cloud(20, 3.0);
    let pose = Pose { position: dice.cube() * 3.0, rotation: dice.rotation() };
    let here = Polytope::from_points(&points).unwrap().mass_properties().moved(&pose);
    let moved: Vec<Vec3> = points.iter().map(|&point| pose.to_world(point)).collect();
    let there = Polytope::from_points(&moved).unwrap().mass_properties();
    assert!((here.volume / there.volume - 1.0).abs() < 1e-5);
    assert!(here.centroid.distance(there.centroid) < 1e-6);
    let difference = here.second_moment - there.second_moment;
    assert!(difference.to_cols_array().into_iter().all(|entry| entry.abs() < 1e-5 * here.volume));
}
