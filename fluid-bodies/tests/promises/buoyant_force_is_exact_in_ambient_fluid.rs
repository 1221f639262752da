//! Archimedes' principle in ambient fluid without vortons: F = −g ∫ρ dV, torque ∫ρ (x − c) dV × (−g) (W6),
//! for every shape, rotated and off centre.

use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{Bodies, BodyCoupling, BodyDef, BodyState, Pose};
use fluid_core::boundary::Motion;
use fluid_core::density::{Ambient, Stratification};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Sources;
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Quat, Vec3};
use std::f64::consts::PI;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Corners of the tetrahedron.
const CORNERS: [Vec3; 4] = [
    Vec3::new(1.0, 0.1, -0.6),
    Vec3::new(-0.7, 0.9, -0.5),
    Vec3::new(-0.4, -1.0, -0.7),
    Vec3::new(0.1, 0.2, 0.9),
];
const HALF_EXTENTS: Vec3 = Vec3::new(0.9, 0.5, 0.3);
/// Half height and radius of the capsule.
const CAPSULE: (f64, f64) = (0.7, 0.4);

/// Volume and first moment.
#[derive(Clone, Copy, Default)]
struct Sums(f64, DVec3);

impl Sums {
    fn plus(self, other: Self, factor: f64) -> Self {
        Self(self.0 + factor * other.0, self.1 + factor * other.1)
    }
}

/// Returns the part below z = `height` of one of the shapes, with points `turn · x + shift` in the world.
fn part_below(shape: &Shape, turn: DMat3, shift: DVec3, height: f64) -> Sums {
    let own = DMat3::from_quat(shape.pose.rotation.as_dquat());
    let (turn, shift) = (turn * own, shift + turn * shape.pose.position.as_dvec3());
    let simplices = |all: &[[DVec3; 4]]| {
        let world = |simplex: &[DVec3; 4]| simplex.map(|corner| turn * corner + shift);
        all.iter()
            .map(|s| tetrahedron_below(world(s), height))
            .fold(Sums::default(), |sum, one| sum.plus(one, 1.0))
    };
    match &shape.geometry {
        Geometry::Sphere(sphere) => cap(f64::from(sphere.radius), shift, height),
        Geometry::Cuboid(_) => {
            // Kuhn's six tetrahedra: one for each order of the axes.
            let half = HALF_EXTENTS.as_dvec3();
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            simplices(&orders.map(|order| {
                let mut corner = -half;
                let mut next = |axis: usize| {
                    corner[axis] = half[axis];
                    corner
                };
                let (b, c, d) = (next(order[0]), next(order[1]), next(order[2]));
                [-half, b, c, d]
            }))
        }
        Geometry::Polytope(_) => simplices(&[CORNERS.map(Vec3::as_dvec3)]),
        Geometry::Capsule(_) => capsule_below(turn * DVec3::Z, shift, height),
        Geometry::Cylinder(_) | Geometry::HalfSpace(_) | Geometry::Mesh(_) | Geometry::HeightField(_) => {
            Sums::default()
        }
    }
}

fn tetrahedron(c: [DVec3; 4]) -> Sums {
    let volume = ((c[1] - c[0]).cross(c[2] - c[0]).dot(c[3] - c[0]) / 6.0).abs();
    Sums(volume, (c[0] + c[1] + c[2] + c[3]) * (0.25 * volume))
}

fn tetrahedron_below(mut c: [DVec3; 4], height: f64) -> Sums {
    c.sort_by(|a, b| a.z.total_cmp(&b.z));
    let cut = |a: DVec3, b: DVec3| a.lerp(b, (height - a.z) / (b.z - a.z));
    match c.iter().filter(|corner| corner.z < height).count() {
        0 => Sums::default(),
        1 => tetrahedron([c[0], cut(c[0], c[1]), cut(c[0], c[2]), cut(c[0], c[3])]),
        2 => {
            // A prism of three tetrahedra.
            let (p, q, r, s) = (cut(c[0], c[2]), cut(c[0], c[3]), cut(c[1], c[2]), cut(c[1], c[3]));
            [[c[0], p, q, c[1]], [p, q, c[1], r], [q, c[1], r, s]]
                .map(tetrahedron)
                .into_iter()
                .fold(Sums::default(), |sum, one| sum.plus(one, 1.0))
        }
        3 => {
            tetrahedron(c).plus(tetrahedron([c[3], cut(c[0], c[3]), cut(c[1], c[3]), cut(c[2], c[3])]), -1.0)
        }
        _ => tetrahedron(c),
    }
}

fn cap(r: f64, centre: DVec3, height: f64) -> Sums {
    let deep = (height - centre.z + r).clamp(0.0, 2.0 * r);
    let volume = PI * deep * deep * (3.0 * r - deep) / 3.0;
    // ∫ (z − c) dV up to there is −π d² (2 r − d)² / 4.
    Sums(volume, centre * volume - DVec3::Z * (0.25 * PI * deep * deep * (2.0 * r - deep).powi(2)))
}

/// Integrates discs along the axis, each cut by a chord, or not at all if the axis is upright.
fn capsule_below(axis: DVec3, centre: DVec3, height: f64) -> Sums {
    let (half, r) = CAPSULE;
    let tilt = (1.0 - axis.z * axis.z).sqrt();
    let upright = tilt < 1e-6;
    let down = (axis * axis.z - DVec3::Z).normalize_or_zero();
    let disc = |s: f64| {
        let beyond = (s.abs() - half).max(0.0);
        let radius = (r * r - beyond * beyond).max(0.0).sqrt();
        // The disc's points are below if they are at least `chord` towards `down`.
        let above = centre.z + s * axis.z - height;
        let chord = if upright { -radius } else { (above / tilt).clamp(-radius, radius) };
        let half_width = (radius * radius - chord * chord).max(0.0).sqrt();
        let area = radius * radius * half_width.atan2(chord) - chord * half_width;
        Sums(area, (centre + axis * s) * area + down * (2.0 / 3.0 * half_width.powi(3)))
    };
    let end = half + r;
    let last = if upright { (height - centre.z).clamp(-end, end) } else { end };
    const STEPS: usize = 2000;
    let step = (last + end) / STEPS as f64;
    (0..=STEPS).fold(Sums::default(), |sum, i| {
        let weight = if i == 0 || i == STEPS { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
        sum.plus(disc(i as f64 * step - end), weight * step / 3.0)
    })
}

fn shapes() -> Vec<(&'static str, Shape, f64)> {
    let tetrahedron = Polytope::from_points(&CORNERS).expect("a tetrahedron");
    vec![
        ("sphere", Shape::sphere(0.8), 1.6),
        ("box", Shape::cuboid(HALF_EXTENTS), 2.2),
        ("capsule", Shape::capsule(CAPSULE.0 as f32, CAPSULE.1 as f32), 2.2),
        ("tetrahedron", Shape::solid(Geometry::Polytope(tetrahedron)), 2.4),
    ]
}

/// Returns the force and torque on a body in this ambient, from the reaction of a step of 1/64 s.
fn wrench(ambient: Ambient, shapes: &[Shape], pose: Pose) -> (DVec3, DVec3) {
    let params = Params { ambient, gravity: GRAVITY, ..Params::default() };
    let sim = VortexSim::new(params).expect("valid");
    let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
    let state = BodyState { position: pose.position, rotation: pose.rotation, ..BodyState::default() };
    bodies.add(BodyDef { shapes: shapes.to_vec(), state, ..BodyDef::default() }).expect("valid");
    let dt = 1.0 / 64.0;
    bodies.end_step(Motion {
        exec: &Serial,
        dt,
        params: &params,
        field: sim.field(),
        sources: &Sources::default(),
        diffused: 0.0,
    });
    let impulse = bodies.body_mut(0).take_impulse();
    // There is no other force than lift.
    assert_eq!((impulse.linear, impulse.angular), (impulse.lift_linear, impulse.lift_angular));
    (impulse.linear / f64::from(dt), impulse.angular / f64::from(dt))
}

fn poses() -> [Pose; 4] {
    let turned = |axis: Vec3, angle: f32| Quat::from_axis_angle(axis.normalize(), angle);
    [
        Pose::IDENTITY,
        Pose { position: Vec3::new(3.0, -2.0, 0.25), rotation: turned(Vec3::X, 0.6) },
        Pose { position: Vec3::new(-900.0, 700.0, -0.4), rotation: turned(Vec3::new(1.0, 2.0, -0.5), 2.1) },
        Pose { position: Vec3::new(0.0, 0.0, 0.1), rotation: turned(Vec3::Y, std::f32::consts::FRAC_PI_4) },
    ]
}

/// Tests 1 and 3 kg/m³ with an interface of any thickness: the bound is 1e-4 of the weight of the heavier
/// fluid.
fn check_layers(name: &str, solids: &[Shape], reach: f64, pose: Pose, thickness: f32) -> f64 {
    let turn = DMat3::from_quat(pose.rotation.as_dquat());
    let below = |z: f64| {
        solids
            .iter()
            .map(|s| part_below(s, turn, DVec3::ZERO, z))
            .fold(Sums::default(), |sum, one| sum.plus(one, 1.0))
    };
    let whole = below(1e6);
    let mut worst = 0.0_f64;
    for share in [-0.9, -0.5, -0.15, 0.0, 0.2, 0.4, 0.95] {
        let middle = share * 0.5 * reach;
        let height = pose.position.z + middle as f32;
        let middle = f64::from(height) - f64::from(pose.position.z);
        let stratification = Stratification::Layers { normal: Vec3::Z, height, jump: -2.0, thickness };
        let ambient = Ambient { density: 2.0, stratification, ..Ambient::default() };
        let (force, torque) = wrench(ambient, solids, pose);
        // 1 kg/m³, plus 2 kg/m³ below the interface: as a sum of layers that end at heights equally spaced
        // in tanh.
        let capsule = solids.iter().any(|solid| matches!(solid.geometry, Geometry::Capsule(_)));
        let layers = match (thickness < 1e-3, capsule) {
            (true, _) => 1,
            (false, false) => 4000,
            // Integrating its discs is slow.
            (false, true) => 500,
        };
        let fluid = (0..layers).fold(Sums(0.0, DVec3::ZERO).plus(whole, 1.0), |sum, i| {
            let s = (2.0 * f64::from(i) + 1.0) / f64::from(layers) - 1.0;
            sum.plus(below(middle + f64::from(thickness) * s.atanh()), 2.0 / f64::from(layers))
        });
        let weight = 3.0 * whole.0 * 9.81;
        let force_error = (force - DVec3::Z * (9.81 * fluid.0)).length() / weight;
        let torque_error = (torque - fluid.1.cross(DVec3::Z * 9.81)).length() / (weight * 0.5 * reach);
        worst = worst.max(force_error).max(torque_error);
    }
    assert!(worst < 1e-4, "{name}, thickness {thickness}: {worst:.1e}");
    worst
}

#[test]
fn between_two_layers() {
    for (name, shape, reach) in shapes() {
        let mut worst = [0.0_f64; 4];
        for pose in poses() {
            for (&thickness, worst) in [1e-6, 0.02, 0.2, 1.0].iter().zip(&mut worst) {
                *worst = worst.max(check_layers(name, std::slice::from_ref(&shape), reach, pose, thickness));
            }
        }
        println!("{name}: sharp, 0.02, 0.2, 1 m thick: {:?}", worst.map(|e| format!("{e:.1e}")));
    }
}

#[test]
fn of_several_shapes_off_the_centre() {
    let mut solids = Vec::new();
    for (i, (_, mut shape, _)) in shapes().into_iter().enumerate() {
        let away = Vec3::new(i as f32 - 1.0, 0.3 * i as f32, 0.5 - 0.4 * i as f32);
        shape.pose =
            Pose { position: away, rotation: Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), i as f32) };
        if !matches!(shape.geometry, Geometry::Capsule(_)) {
            solids.push(shape);
        }
    }
    for pose in poses() {
        for thickness in [1e-6, 0.2] {
            check_layers("compound", &solids, 5.0, pose, thickness);
        }
    }
}

/// Linear stratification in any direction, and the same force from moments computed by hand: ρ(centroid) V,
/// and the tensor of second moments times the gradient. The integrals are exact, so the bound is the f32
/// rounding of poses and shapes.
#[test]
fn in_linear_stratification() {
    for (name, mut shape, _) in shapes() {
        for pose in poses() {
            shape.pose = Pose { position: Vec3::new(0.3, -0.2, 0.5), rotation: Quat::from_rotation_y(0.7) };
            let gradient = Vec3::new(0.0004, -0.0003, -0.0007);
            let ambient = Ambient {
                density: 2.0,
                stratification: Stratification::Linear { gradient },
                ..Ambient::default()
            };
            let (force, torque) = wrench(ambient, std::slice::from_ref(&shape), pose);
            let full = shape.geometry.queries().mass_properties().moved(&shape.pose);
            let turn = DMat3::from_quat(pose.rotation.as_dquat());
            let arm = turn * full.centroid;
            let density = 2.0 + gradient.as_dvec3().dot(pose.position.as_dvec3() + arm);
            let moment = arm * (density * full.volume)
                + turn * full.second_moment * turn.transpose() * gradient.as_dvec3();
            let weight = density * full.volume * 9.81;
            assert!((force - DVec3::Z * weight).length() < 1e-6 * weight, "{name}");
            assert!((torque - moment.cross(DVec3::Z * 9.81)).length() < 1e-6 * weight, "{name}");
        }
    }
}

#[test]
fn and_is_nothing_without_gravity() {
    let params = Params { gravity: Vec3::ZERO, ..Params::default() };
    let sim = VortexSim::new(params).expect("valid");
    let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
    bodies.add(BodyDef { shapes: vec![Shape::sphere(1.0)], ..BodyDef::default() }).expect("valid");
    bodies.end_step(Motion {
        exec: &Serial,
        dt: 0.1,
        params: &params,
        field: sim.field(),
        sources: &Sources::default(),
        diffused: 0.0,
    });
    assert_eq!(bodies.body_mut(0).take_impulse().linear, DVec3::ZERO);
}
