//! The net flux of fluid relative to the wall through each patch of an impermeable body (E51), by a fine
//! quadrature of the published flow: for shapes with edges, and for two balls that answer each other.

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::velocity::{SolverKind, VelocityField};
use glam::Vec3;

const DT: f32 = 1.0 / 60.0;

/// Number of divisions of each triangle's edges; its square is the number of points.
const FINE: usize = 24;

type Triangle = [Vec3; 3];

/// Returns driven bodies after some steps in fluid without vortons.
fn driven(defs: Vec<(Shape, BodyState)>, core: f32, solver: SolverKind, steps: usize) -> World {
    let mut params = params(Vec3::ZERO);
    (params.core_radius, params.solver) = (core, solver);
    let tight = |(shape, state)| BodyDef { no_through: true, ..body(shape, f64::INFINITY, state) };
    let defs: Vec<_> = defs.into_iter().map(tight).collect();
    let mut world = World::new(params, &[], &defs);
    (0..steps).for_each(|_| world.step(DT));
    world
}

/// Returns the flux of the fluid through a triangle relative to a wall that moves with `velocity`, divided
/// by its area \[m/s\].
fn through(world: &World, &[a, b, c]: &Triangle, velocity: Vec3) -> f32 {
    let normal = (b - a).cross(c - a).normalize();
    let step = |i: usize| (i as f32) / FINE as f32;
    let third = 1.0 / (3.0 * FINE as f32);
    let mut points = Vec::new();
    for (i, j) in (0..FINE).flat_map(|i| (0..FINE - i).map(move |j| (i, j))) {
        let at = |u: f32, v: f32| a + (b - a) * u + (c - a) * v;
        points.push(at(step(i) + third, step(j) + third));
        if i + j + 1 < FINE {
            points.push(at(step(i) + 2.0 * third, step(j) + 2.0 * third));
        }
    }
    let mut fluid = vec![Vec3::ZERO; points.len()];
    world.sim.field().velocities(&points, &mut fluid);
    fluid.iter().map(|fluid| (*fluid - velocity).dot(normal)).sum::<f32>() / points.len() as f32
}

/// Divides a triangle into `parts`² patches.
fn patches([a, b, c]: Triangle, parts: usize) -> Vec<Triangle> {
    let at = |i: usize, j: usize| a + ((b - a) * i as f32 + (c - a) * j as f32) / parts as f32;
    let mut all = Vec::new();
    for (i, j) in (0..parts).flat_map(|i| (0..parts - i).map(move |j| (i, j))) {
        all.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
        if i + j + 1 < parts {
            all.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    all
}

/// Returns the root mean square and largest flux through patches about 1.4 cores across, divided by their
/// area and the velocity \[1\]; and the flux of whole faces.
fn flux(shape: Shape, faces: &[Triangle], parts: usize, core: f32, solver: SolverKind) -> (f32, f32, f32) {
    let state = BodyState { velocity: Vec3::new(0.6, 0.0, 0.8), ..BodyState::default() };
    let world = driven(vec![(shape, state)], core, solver, 10);
    let middle = world.rigid[0].state().position - state.velocity * (0.5 * DT);
    let moved = |triangle: &Triangle| triangle.map(|corner| corner + middle);
    let of = |triangle: &Triangle| through(&world, &moved(triangle), state.velocity).abs();
    let each: Vec<f32> =
        faces.iter().flat_map(|face| patches(*face, parts)).map(|patch| of(&patch)).collect();
    let square = each.iter().map(|flux| flux * flux).sum::<f32>() / each.len() as f32;
    let whole = |face: &Triangle| {
        let sum: f32 =
            patches(*face, parts).iter().map(|patch| through(&world, &moved(patch), state.velocity)).sum();
        (sum / (parts * parts) as f32).abs()
    };
    (square.sqrt(), each.iter().copied().fold(0.0, f32::max), faces.iter().map(whole).fold(0.0, f32::max))
}

fn box_faces(half: Vec3) -> Vec<Triangle> {
    let mut faces = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let corner = |u: f32, v: f32| {
                let mut place = Vec3::ZERO;
                (place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3]) = (side, u * side, v);
                place * half
            };
            let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    faces
}

#[test]
fn of_a_box_and_a_tetrahedron() {
    let half = Vec3::new(1.0, 0.5, 0.5);
    let s = 0.5;
    let corners = [Vec3::new(s, s, s), Vec3::new(s, -s, -s), Vec3::new(-s, s, -s), Vec3::new(-s, -s, s)];
    let tetrahedron = Shape::solid(Geometry::Polytope(Polytope::from_points(&corners).expect("in space")));
    let [a, b, c, d] = corners;
    let sides = vec![[a, b, c], [a, c, d], [a, d, b], [b, d, c]];
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for (name, shape, faces, most_direct) in [
            ("box 2:1:1", Shape::cuboid(half), box_faces(half), [0.06, 0.04]),
            ("tetrahedron", tetrahedron.clone(), sides.clone(), [0.02, 0.01]),
        ] {
            let (mean, most, face) = flux(shape, &faces, 4, 0.25, solver);
            println!("{name}, {solver:?}: {mean:.4} U, at most {most:.4}; faces {face:.4}");
            let [most_mean, most_face] = match solver {
                SolverKind::Direct => most_direct,
                _ => [0.1, 0.1],
            };
            assert!(mean < most_mean && face < most_face, "{name}, {solver:?}: {mean} {face}");
        }
    }
}

/// Returns the largest flux through an octant of one of two adjacent balls, divided by its area and their
/// largest velocity \[1\].
fn pair(gap: f32, solver: SolverKind, steps: usize, second: Vec3) -> f32 {
    let radius = 0.5;
    let velocity = Vec3::new(0.8, 0.6, 0.0);
    let state =
        |x: f32, velocity: Vec3| BodyState { position: Vec3::X * x, velocity, ..BodyState::default() };
    let ball = || Shape::sphere(radius);
    let apart = 2.0 * radius + gap * radius;
    let world =
        driven(vec![(ball(), state(0.0, velocity)), (ball(), state(apart, second))], 0.15, solver, steps);
    let middle = world.rigid[0].state().position - velocity * (0.5 * DT);
    let octant = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let [x, y, z] = [Vec3::X * sign(0), Vec3::Y * sign(1), Vec3::Z * sign(2)];
        let parts = patches([x, y, z], 16);
        let (mut flux, mut area) = (0.0, 0.0);
        let places: Vec<Vec3> = parts.iter().map(|part| part.iter().sum::<Vec3>().normalize()).collect();
        let points: Vec<Vec3> = places.iter().map(|n| middle + *n * radius).collect();
        let mut fluid = vec![Vec3::ZERO; points.len()];
        world.sim.field().velocities(&points, &mut fluid);
        for ((part, normal), fluid) in parts.iter().zip(&places).zip(fluid) {
            // The solid angle of a small triangle.
            let [a, b, c] = *part;
            let centre = (a + b + c) / 3.0;
            let solid = 0.5 * (b - a).cross(c - a).dot(*normal).abs() / centre.length_squared();
            flux += (fluid - velocity).dot(*normal) * solid;
            area += solid;
        }
        (flux / area).abs()
    };
    (0..8).map(octant).fold(0.0, f32::max) / (velocity - second).length().max(velocity.length())
}

#[test]
fn of_two_balls_beside_each_other() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        for gap in [0.1, 0.5, 1.0] {
            for (name, second) in [
                ("at rest", Vec3::ZERO),
                ("beside", Vec3::new(0.8, 0.6, 0.0)),
                ("apart", Vec3::new(0.2, -1.0, 0.0)),
            ] {
                let found = [1, 3, 10].map(|steps| pair(gap, solver, steps, second));
                println!("gap {gap} R, {solver:?}, the other {name}: {found:.4?} after 1, 3, 10 steps");
                // On a mesh, some two percent leak through one ball alone.
                let most = if solver == SolverKind::Direct { 0.01 } else { 0.035 };
                assert!(found[1] < most && found[2] < most, "gap {gap} R, {solver:?}, {name}: {found:?}");
            }
        }
    }
}
