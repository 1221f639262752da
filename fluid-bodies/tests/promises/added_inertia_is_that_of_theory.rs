//! Added inertia of shapes (E49): closed forms, values from the literature, and properties of any body.

use crate::common::{Dice, TETRAHEDRON, box_corners};
use fluid_bodies::Pose;
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::shapes::{Geometry, MassProperties, Parity, Polytope, Shape};
use glam::{DMat3, DVec3, Quat, Vec3};
use std::f32::consts::TAU;
use std::f64::consts::PI;

fn of(shapes: &[Shape]) -> AddedInertia {
    AddedInertia::of(shapes).expect("no holes")
}

fn hull(points: &[Vec3]) -> Shape {
    Shape::solid(Geometry::Polytope(Polytope::from_points(points).expect("a hull")))
}

fn at(position: Vec3, shape: Shape) -> Shape {
    Shape { pose: Pose::at(position), ..shape }
}

fn volume(shapes: &[Shape]) -> f64 {
    MassProperties::of(shapes).volume
}

fn diagonal(m: DMat3) -> DVec3 {
    DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z)
}

/// Returns the largest element.
fn largest(m: DMat3) -> f64 {
    m.to_cols_array().into_iter().fold(0.0, |most, value| most.max(value.abs()))
}

fn off_diagonal(m: DMat3) -> f64 {
    largest(m - DMat3::from_diagonal(diagonal(m)))
}

/// Returns twice the kinetic energy per density \[m⁵/s²\] of the fluid.
fn energy(body: &AddedInertia, velocity: DVec3, spin: DVec3) -> f64 {
    velocity.dot(body.linear * velocity + body.coupling * spin * 2.0) + spin.dot(body.angular * spin)
}

fn assert_near(what: &str, value: f64, expected: f64, tolerance: f64) {
    let error = (value / expected - 1.0).abs();
    assert!(error <= tolerance, "{what}: {value} instead of {expected}, off by {error:.1e}");
}

/// Compares relative to the largest element of each block.
fn assert_same(what: &str, a: &AddedInertia, b: &AddedInertia, tolerance: f64) {
    let size = largest(b.linear).cbrt();
    let blocks = [(a.linear - b.linear, 3), (a.coupling - b.coupling, 4), (a.angular - b.angular, 5)];
    for (difference, power) in blocks {
        let error = largest(difference) / size.powi(power);
        assert!(error <= tolerance, "{what}: {a:?} or {b:?}, off by {error:.1e} in m^{power}");
    }
}

/// Returns points of a prism about z.
fn prism(sides: usize, half_height: f32) -> Vec<Vec3> {
    let angle = |n: usize| (n / 2) as f32 / sides as f32 * TAU;
    let height = |n: usize| if n.is_multiple_of(2) { half_height } else { -half_height };
    (0..2 * sides).map(|n| Vec3::new(angle(n).cos(), angle(n).sin(), height(n))).collect()
}

/// Returns points spread over an ellipsoid (a spiral of golden angles).
fn ellipsoid(count: usize, axes: Vec3) -> Vec<Vec3> {
    let point = |n: usize| {
        let z = 1.0 - (2.0 * n as f32 + 1.0) / count as f32;
        let (angle, radius) = (2.399_963 * n as f32, (1.0 - z * z).sqrt());
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z) * axes
    };
    (0..count).map(point).collect()
}

#[test]
fn a_ball_has_half_of_what_it_displaces_and_turns_alone() {
    let body = of(&[Shape::sphere(0.7)]);
    let half = 2.0 / 3.0 * PI * f64::from(0.7_f32).powi(3);
    assert!(largest(body.linear - DMat3::from_diagonal(DVec3::splat(half))) < 1e-15);
    assert_eq!((body.coupling, body.angular), (DMat3::ZERO, DMat3::ZERO));
    assert_eq!(of(&[Shape::capsule(0.0, 0.7)]), body);
    assert_eq!(of(&[]), AddedInertia::NONE);
}

/// Sihvola, Ylä-Oijala, Järvenpää, Avelin, Polarizabilities of platonic solids, IEEE Trans. Antennas
/// Propag. 52 (2004): minus the polarizability of an insulator, minus 1.
#[test]
fn platonic_solids_have_the_inertia_of_the_literature() {
    let golden = (1.0 + 5.0_f32.sqrt()) / 2.0;
    let cycled = |x: f32, y: f32, z: f32| [Vec3::new(x, y, z), Vec3::new(y, z, x), Vec3::new(z, x, y)];
    let signs = || [-1.0_f32, 1.0].into_iter().flat_map(|s| [(s, -1.0_f32), (s, 1.0)]);
    let octahedron = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z];
    let icosahedron: Vec<Vec3> = signs().flat_map(|(s, t)| cycled(0.0, s, t * golden)).collect();
    let mut dodecahedron = box_corners(Vec3::ONE).to_vec();
    dodecahedron.extend(signs().flat_map(|(s, t)| cycled(0.0, s / golden, t * golden)));
    let cases = [
        ("tetrahedron", hull(&TETRAHEDRON), 1.8063),
        ("cube", Shape::cuboid(Vec3::ONE), 1.6383),
        ("cube of points", hull(&box_corners(Vec3::ONE)), 1.6383),
        ("octahedron", hull(&octahedron), 1.5871),
        ("icosahedron", hull(&icosahedron), 1.5236),
        ("dodecahedron", hull(&dodecahedron), 1.5422),
    ];
    for (name, shape, polarizability) in cases {
        let volume = volume(std::slice::from_ref(&shape));
        let body = of(&[shape]);
        for coefficient in (diagonal(body.linear) / volume).to_array() {
            assert_near(name, coefficient, polarizability - 1.0, 4e-3);
        }
        assert!(off_diagonal(body.linear) < 5e-4 * volume, "{name}: {:?}", body.linear);
    }
}

/// 0.335 and 0.83: an independent panel code, extrapolated (docs/validation.md).
#[test]
fn a_long_box_has_less_along_and_more_across() {
    let half = Vec3::new(2.0, 1.0, 1.0);
    for shape in [Shape::cuboid(half), hull(&box_corners(half))] {
        let coefficients = diagonal(of(&[shape]).linear) / 16.0;
        assert_near("along", coefficients.x, 0.335, 0.01);
        assert_near("across", coefficients.y, 0.83, 0.01);
        assert_near("across", coefficients.z, coefficients.y, 1e-3);
    }
}

/// Lamb, Hydrodynamics, §§ 114, 115, 373: along and across the axis of a spheroid per displaced volume, and
/// for rotation across it per displaced moment of inertia. `ratio` is its half axis over its radius.
fn spheroid(ratio: f64) -> (f64, f64, f64) {
    let a2 = ratio * ratio;
    // α₀ = a b² ∫ dλ / (a² + λ)^(3/2) (b² + λ), and 2 β₀ = 2 − α₀.
    let alpha = if ratio > 1.0 {
        let e = (1.0 - 1.0 / a2).sqrt();
        2.0 * (1.0 - e * e) / (e * e * e) * (e.atanh() - e)
    } else {
        let e = (1.0 - a2).sqrt();
        2.0 / (e * e) * (1.0 - ratio / e * e.asin())
    };
    let beta = 1.0 - 0.5 * alpha;
    let (difference, sum) = (1.0 - a2, 1.0 + a2);
    let turning = difference * difference * (alpha - beta) / (2.0 * difference + sum * (beta - alpha));
    (alpha / (2.0 - alpha), beta / (2.0 - beta), turning / sum)
}

#[test]
fn spheroids_of_points_have_lambs_inertia() {
    for (count, tolerance) in [(45, 0.02), (130, 0.01)] {
        for ratio in [2.0_f32, 0.5, 0.2, 0.1] {
            let shape = hull(&ellipsoid(count, Vec3::new(1.0, 1.0, ratio)));
            let mass = MassProperties::of(std::slice::from_ref(&shape));
            let body = of(&[shape]);
            let name = |what: &str| format!("{what}, {count} points, ratio {ratio}");
            let (along, across, turning) = spheroid(ratio.into());
            assert_near(&name("along"), body.linear.z_axis.z / mass.volume, along, tolerance);
            assert_near(&name("across"), body.linear.x_axis.x / mass.volume, across, tolerance);
            let turned = body.angular.x_axis.x / mass.inertia().x_axis.x;
            // Relative to the total with the body's own inertia: a hull adds 0.5 % even if Lamb's value is 0.
            assert!((turned - turning).abs() <= 2.0 * tolerance * (1.0 + turning), "{turned} or {turning}");
        }
    }
}

#[test]
fn a_capsule_gets_slender_and_a_ball() {
    let coefficients = |half_height: f32| {
        let shape = Shape::capsule(half_height, 1.0);
        let volume = volume(std::slice::from_ref(&shape));
        let body = of(&[shape]);
        assert_eq!(body.angular.z_axis, DVec3::ZERO);
        (body.linear.x_axis.x / volume, body.linear.z_axis.z / volume)
    };
    let (across, along) = coefficients(1e-3);
    assert_near("almost a ball, across", across, 0.5, 0.01);
    assert_near("almost a ball, along", along, 0.5, 0.02);
    let (across, along) = coefficients(1e4);
    assert_near("slender, across", across, 1.0, 0.01);
    assert!((0.0..1e-3).contains(&along), "{along}");
    let row = [0.1, 0.5, 1.0, 3.0, 10.0, 100.0].map(coefficients);
    assert!(row.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1), "{row:?}");
}

/// A prism of 24 sides with the same volume, and a coin, which is nearly a disc of zero thickness.
#[test]
fn a_cylinder_is_a_prism_of_many_sides() {
    for half_height in [0.3_f32, 1.0, 3.0] {
        let cylinder = of(&[Shape::cylinder(half_height, 1.0)]);
        let wider = ((TAU / 24.0) / (TAU / 24.0).sin()).sqrt();
        let points: Vec<Vec3> =
            prism(24, half_height).iter().map(|p| Vec3::new(p.x * wider, p.y * wider, p.z)).collect();
        let same = of(&[hull(&points)]);
        for axis in 0..3 {
            let (a, b) = (diagonal(cylinder.linear)[axis], diagonal(same.linear)[axis]);
            println!("h {half_height}, axis {axis}: {a:.4} {b:.4}");
            assert_near("cylinder", a, b, 0.05);
        }
        let (a, b) = (cylinder.angular.x_axis.x, same.angular.x_axis.x);
        println!("h {half_height}, turning across: {a:.4} {b:.4}");
        assert!((a - b).abs() < 0.1 * b + 0.01 * volume(&[Shape::cylinder(half_height, 1.0)]), "{a} {b}");
        assert_eq!((cylinder.angular.z_axis.z, cylinder.coupling), (0.0, DMat3::ZERO));
    }
    let coin = of(&[Shape::cylinder(0.02, 1.0)]);
    println!("coin: {:.4}", coin.linear.z_axis.z);
    assert_near("coin", coin.linear.z_axis.z, 8.0 / 3.0, 0.08);
}

/// A disc: 8/3 a³, and turning about a diameter 16/45 a⁵ (Lamb, §§ 102, 108); a square: 0.579 π/4 a³
/// (DNV-RP-H103, table A-2).
#[test]
fn thin_plates_push_fluid_across_only() {
    for thickness in [1e-3_f32, 1e-4] {
        let half = Vec3::new(1.0, 1.0, thickness);
        for shape in [Shape::cuboid(half), hull(&box_corners(half))] {
            let body = of(&[shape]);
            assert_near("square", body.linear.z_axis.z, 0.579 * PI / 4.0 * 8.0, 0.05);
            assert!(body.linear.x_axis.x < 2e-3 * body.linear.z_axis.z);
        }
        let mut dice = Dice::new(11);
        for _ in 0..8 {
            let turn = dice.rotation();
            let body = of(&[hull(&box_corners(half).map(|corner| turn * corner))]);
            let across = (turn * Vec3::Z).as_dvec3();
            assert_near("turned square", energy(&body, across, DVec3::ZERO), 0.579 * PI / 4.0 * 8.0, 0.06);
        }
        let shape = hull(&prism(24, thickness));
        let area = volume(std::slice::from_ref(&shape)) / (2.0 * f64::from(thickness));
        let (radius, body) = ((area / PI).sqrt(), of(&[shape]));
        assert_near("disc", body.linear.z_axis.z, 8.0 / 3.0 * radius.powi(3), 0.08);
        assert_near("turned disc", body.angular.x_axis.x, 16.0 / 45.0 * radius.powi(5), 0.09);
    }
}

#[test]
fn bodies_with_three_planes_of_symmetry_do_not_couple() {
    let shape = Shape::cuboid(Vec3::new(0.3, 1.1, 0.5));
    let body = of(&[shape]);
    assert_eq!(body.coupling, DMat3::ZERO);
    assert_eq!((off_diagonal(body.linear), off_diagonal(body.angular)), (0.0, 0.0));
    for points in [prism(6, 0.4), prism(24, 0.02), box_corners(Vec3::new(0.3, 1.1, 0.5)).to_vec()] {
        let body = of(&[hull(&points)]);
        let size = largest(body.linear).powf(4.0 / 3.0);
        assert!(largest(body.coupling) < 1e-3 * size, "{:?}", body.coupling);
    }
}

#[test]
fn inertia_grows_with_the_powers_of_size() {
    let points = Dice::new(5).cloud(12, 3.0);
    let make = |factor: f32| {
        let points: Vec<Vec3> = points.iter().map(|&point| point * factor).collect();
        of(&[hull(&points)])
    };
    let one = make(1.0);
    for factor in [0.001, 1.7, 1000.0] {
        let (body, f) = (make(factor), f64::from(factor));
        let scaled = AddedInertia {
            linear: one.linear * f.powi(3),
            coupling: one.coupling * f.powi(4),
            angular: one.angular * f.powi(5),
        };
        assert_same("scaled", &body, &scaled, 1e-5);
    }
}

#[test]
fn a_turned_shape_has_the_turned_inertia() {
    let points = Dice::new(6).cloud(12, 3.0);
    let pose = Pose {
        position: Vec3::new(0.4, -2.0, 1.1),
        rotation: Quat::from_euler(glam::EulerRot::ZYZ, 0.3, 1.2, -2.0),
    };
    let one = hull(&points);
    let posed = of(&[Shape { pose, ..one.clone() }]);
    let turned: Vec<Vec3> = points.iter().map(|&point| pose.to_world(point)).collect();
    assert_same("points against pose", &of(&[hull(&turned)]), &posed, 1e-4);
    assert_same("moved against pose", &of(&[one]).moved(&pose), &posed, 1e-12);
}

/// The fluid's energy depends on the motion, and not on the point at which velocities are given.
#[test]
fn energy_does_not_depend_on_the_point_of_reference() {
    let body = of(&[hull(&Dice::new(7).cloud(12, 3.0))]);
    let mut dice = Dice::new(8);
    let mut vector = || dice.cube().as_dvec3();
    for _ in 0..20 {
        let (velocity, spin, to) = (vector(), vector(), vector() * 3.0);
        let elsewhere = energy(&body.about(to), velocity + spin.cross(to), spin);
        assert_near("energy", elsewhere, energy(&body, velocity, spin), 1e-10);
    }
}

#[test]
fn parts_together_are_the_body_that_they_make() {
    let cube = Shape::cuboid(Vec3::ONE);
    let corners = (0..8).map(|n| Vec3::new((n & 1) as f32, (n >> 1 & 1) as f32, (n >> 2) as f32) * 2.0 - 1.0);
    let eight: Vec<Shape> = corners.map(|corner| at(corner, cube.clone())).collect();
    assert_same("eight cubes", &of(&eight), &of(&[Shape::cuboid(Vec3::splat(2.0))]), 2e-3);
    let long = of(&[Shape::cuboid(Vec3::new(2.0, 1.0, 1.0))]);
    let touching = [at(Vec3::X, cube.clone()), at(Vec3::NEG_X, cube.clone())];
    assert_same("two cubes that touch", &of(&touching), &long, 2e-3);
    let overlapping =
        [at(Vec3::X * 0.7, Shape::cuboid(Vec3::new(1.3, 1.0, 1.0))), at(Vec3::NEG_X, cube.clone())];
    assert_same("two boxes that overlap", &of(&overlapping), &long, 0.04);
    assert_same("a ball in a cube", &of(&[cube.clone(), Shape::sphere(0.9)]), &of(&[cube]), 0.015);
    let ball = Shape::sphere(1.0);
    let rod = [at(Vec3::Z, ball.clone()), at(Vec3::NEG_Z, ball), Shape::capsule(1.0, 1.0)];
    assert_same("balls in the ends of a capsule", &of(&rod), &of(&[Shape::capsule(1.0, 1.0)]), 0.01);
}

/// To the order of (a/c)³: each is in the flow of the other's dipole. Along the line ½ V (1 − 3 (a/c)³),
/// across ½ V (1 + 3/2 (a/c)³), and with the other sign when they turn about each other (Lamb, § 138).
#[test]
fn two_balls_feel_each_other() {
    for distance in [4.0_f32, 6.0, 100.0] {
        let balls = [1.0, -1.0].map(|side| at(Vec3::X * (0.5 * side * distance), Shape::sphere(1.0)));
        let body = of(&balls);
        let displaced = volume(&balls);
        let near = f64::from(distance).powi(-3);
        assert_near("along", body.linear.x_axis.x / displaced, 0.5 * (1.0 - 3.0 * near), 0.01);
        assert_near("across", body.linear.y_axis.y / displaced, 0.5 * (1.0 + 1.5 * near), 0.01);
        let lever = 0.25 * f64::from(distance).powi(2);
        assert_near("turning", body.angular.z_axis.z / (displaced * lever), 0.5 * (1.0 - 1.5 * near), 0.01);
    }
}

/// A body of more parts than are solved together.
#[test]
fn very_many_parts_count_as_if_alone() {
    let cubes: Vec<Shape> =
        (0..60).map(|n| at(Vec3::X * (100.0 * n as f32), Shape::cuboid(Vec3::ONE))).collect();
    let one = of(&[Shape::cuboid(Vec3::ONE)]).linear.x_axis.x;
    assert_near("sixty cubes far apart", of(&cubes).linear.x_axis.x, 60.0 * one, 1e-12);
}

/// Virtual mass (added mass plus displaced fluid) grows with the body (Schiffer and Szegő 1949), so it lies
/// between the values of inscribed and circumscribed balls.
#[test]
fn random_hulls_have_more_than_a_ball_inside_and_less_than_one_around() {
    let mut dice = Dice::new(9);
    let ball = |radius: f32| 2.0 * PI * f64::from(radius).powi(3);
    for round in 0..60 {
        let aspect = [1.0, 3.0, 10.0][round % 3];
        let shape = hull(&dice.cloud(4 + round % 20, aspect));
        let (convex, volume) = (shape.geometry.queries(), volume(std::slice::from_ref(&shape)));
        let (least, most) = (ball(convex.inscribed_sphere().1), ball(convex.bounding_sphere().1));
        let body = of(std::slice::from_ref(&shape));
        for _ in 0..10 {
            let direction = dice.direction().as_dvec3();
            let virtual_mass = energy(&body, direction, DVec3::ZERO) + volume;
            assert!(
                (0.99 * least..=most).contains(&virtual_mass),
                "{round}: {virtual_mass}, {least} to {most}"
            );
        }
    }
}

#[test]
fn slivers_are_finite_and_cost_energy_to_move() {
    let mut dice = Dice::new(10);
    let thin = [1e-5_f32, 1e-3];
    let mut shapes: Vec<Shape> =
        (0..40).map(|n| hull(&dice.cloud(4 + n % 9, 10.0_f32.powi(1 + n as i32 % 3)))).collect();
    shapes.extend(thin.map(|t| Shape::cuboid(Vec3::new(1.0, t, t))));
    shapes.extend(thin.map(|t| Shape::cuboid(Vec3::new(1.0, 1.0, t))));
    shapes.extend(thin.map(|t| Shape::capsule(1.0, t)));
    shapes.extend(thin.map(|t| hull(&prism(12, t))));
    shapes.extend([1e-18_f32, 1e12].map(|size| Shape::cuboid(Vec3::new(size, 2.0 * size, size))));
    shapes.extend([0.1, 0.01].map(|t| hull(&ellipsoid(40, Vec3::new(1.0, 1.0, t)))));
    for shape in shapes {
        let body = of(std::slice::from_ref(&shape));
        assert!(
            body.linear.is_finite() && body.coupling.is_finite() && body.angular.is_finite(),
            "{shape:?}"
        );
        assert_eq!((body.linear.transpose(), body.angular.transpose()), (body.linear, body.angular));
        // Velocities of about the same magnitude all over the body, about its centre.
        let (centre, radius) = shape.geometry.queries().bounding_sphere();
        let (about, radius) = (body.about(centre.as_dvec3()), f64::from(radius));
        let most = largest(about.linear);
        assert!(most > 0.0, "{shape:?}");
        for _ in 0..50 {
            let (velocity, spin) = (dice.cube().as_dvec3(), dice.cube().as_dvec3() / radius);
            let energy = energy(&about, velocity, spin) / most;
            assert!(energy >= -1e-9, "{energy:.1e} for {shape:?}");
        }
    }
}

#[test]
fn holes_have_none() {
    let hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::ONE) };
    assert_eq!(AddedInertia::of(&[Shape::sphere(1.0), hole]), None);
}

/// Two plates that stand on or cross each other. Across each one the inertia is at least nearly that of this
/// plate alone, and a box around both gives the upper bound.
#[test]
fn compounds_of_thin_walls_are_possible() {
    for thickness in [0.04, 0.08, 0.12, 0.2, 0.3, 0.5_f32] {
        for height in [0.0, 0.5, 1.0 + 0.5 * thickness] {
            let lying = Shape::cuboid(Vec3::new(1.0, 0.5 * thickness, 1.0));
            let mut standing = Shape::cuboid(Vec3::new(0.5 * thickness, 1.0, 1.0));
            standing.pose.position.y = height;
            let of = |shapes: &[Shape]| AddedInertia::of(shapes).expect("solids").linear;
            let both = of(&[lying.clone(), standing.clone()]);
            let alone = of(std::slice::from_ref(&lying)).y_axis.y;
            let half = 0.5 * (height + 1.0 - (height - 1.0).min(-0.5 * thickness));
            let box_around = of(&[Shape::cuboid(Vec3::new(1.0, half, 1.0))]);
            for (name, across, most) in
                [("x", both.x_axis.x, box_around.x_axis.x), ("y", both.y_axis.y, box_around.y_axis.y)]
            {
                println!("{thickness} thick, {height} up, along {name}: {across:.2}; alone {alone:.2}");
                let volume = 4.0 * f64::from(thickness);
                assert!(across > 0.9 * alone - volume, "{thickness}, {height}, {name}: {across}");
                assert!(
                    across < 1.1 * (most + 8.0),
                    "{thickness}, {height}, {name}: {across}, at most {most}"
                );
            }
        }
    }
}
