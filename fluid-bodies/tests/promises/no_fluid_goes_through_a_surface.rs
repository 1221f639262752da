//! Impermeable bodies: fluid at their surface has the surface's normal velocity where no vorton touches it,
//! tracers go around them, and the flow around a ball agrees with theory (validation A10).

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::math::Random;
use fluid_core::velocity::{SolverKind, VelocityField};
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::TAU;

const RATE: f32 = 60.0;

/// Returns a driven body after some steps in fluid without vortons, and its pose in the middle of the last
/// step.
fn driven(shape: Shape, state: BodyState, core: f32, solver: SolverKind, steps: usize) -> (World, Pose) {
    let mut params = params(Vec3::ZERO);
    (params.core_radius, params.solver) = (core, solver);
    let def = BodyDef { no_through: true, ..body(shape, f64::INFINITY, state) };
    let mut world = World::new(params, &[], &[def]);
    (0..steps).for_each(|_| world.step(1.0 / RATE));
    let BodyState { position, rotation, .. } = world.rigid[0].state();
    let end = Pose { position, rotation };
    (world, end.advanced(state.velocity, state.angular_velocity, -0.5 / RATE))
}

/// Returns points of the surface, in the shape's axes, with their normals, at the same density for any
/// shape.
fn surface(shape: &Shape, count: u64) -> Vec<(Vec3, Vec3)> {
    let random = Random::new(3);
    let convex = shape.geometry.queries();
    let (centre, radius) = convex.bounding_sphere();
    let shell = 0.02 * radius;
    let places = (0..).map(|i| centre + random.centred_vec3(i) * (2.2 * radius)).map(|x| convex.surface(x));
    let near = places.filter(|wall| wall.distance > 0.0 && wall.distance < shell);
    near.take(count as usize).map(|wall| (wall.point, wall.normal)).collect()
}

/// Returns the root mean square over these points of the normal velocity of the fluid relative to the wall
/// \[m/s\].
fn leak(world: &World, pose: Pose, state: BodyState, places: &[(Vec3, Vec3)]) -> f32 {
    let points: Vec<Vec3> = places.iter().map(|(place, _)| pose.to_world(*place)).collect();
    let mut fluid = vec![Vec3::ZERO; points.len()];
    world.sim.field().velocities(&points, &mut fluid);
    let squares = places.iter().zip(&points).zip(&fluid).map(|(((_, normal), point), fluid)| {
        let wall = state.velocity + state.angular_velocity.cross(*point - pose.position);
        (*fluid - wall).dot(pose.turn(*normal)).powi(2)
    });
    (squares.sum::<f32>() / places.len() as f32).sqrt()
}

#[test]
fn a_ball_and_a_capsule_that_move_and_turn() {
    let state = BodyState {
        velocity: Vec3::new(0.8, 0.0, 0.6),
        angular_velocity: Vec3::new(0.0, 2.0, 1.0),
        rotation: Quat::from_axis_angle(Vec3::X, 0.5),
        ..BodyState::default()
    };
    for (name, shape, core) in [
        ("ball, R = 2.5 σ", Shape::sphere(0.25), 0.1),
        ("ball, R = 5 σ", Shape::sphere(0.5), 0.1),
        ("capsule", Shape::capsule(0.4, 0.25), 0.1),
    ] {
        let places = surface(&shape, 2000);
        for (solver, most) in [(SolverKind::Direct, 0.02), (SolverKind::Mesh, 0.05)] {
            let (world, pose) = driven(shape.clone(), state, core, solver, 10);
            let found = leak(&world, pose, state, &places);
            println!("{name}, {solver:?}: {found:.4} U");
            // The energy budget includes the body's energy exactly once.
            let stats = world.sim.stats();
            let over = stats.energy_allowed / stats.energy;
            assert!((over - 1.0).abs() < 0.02, "{name}, {solver:?}: {over} of the energy allowed");
            assert!(found < most, "{name}, {solver:?}: {found}");
        }
    }
}

#[test]
fn shapes_with_edges_leak_there() {
    let state = BodyState { velocity: Vec3::new(0.6, 0.0, 0.8), ..BodyState::default() };
    let (reach, core) = (Vec3::new(1.0, 0.5, 0.5), 0.25);
    let shape = Shape::cuboid(reach);
    let places = surface(&shape, 2000);
    let gap = |place: &Vec3| {
        let mut gaps = (reach - place.abs()).to_array();
        gaps.sort_by(f32::total_cmp);
        gaps[1]
    };
    let (off_edges, _): (Vec<_>, Vec<_>) = places.iter().partition(|(place, _)| gap(place) > core);
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let (world, pose) = driven(shape.clone(), state, core, solver, 10);
        let (all, off) = (leak(&world, pose, state, &places), leak(&world, pose, state, &off_edges));
        println!("box 2:1:1, {solver:?}: {all:.3} U, {off:.3} U farther than a core from edges");
        assert!(all < 0.2 && off < 0.08, "{solver:?}: {all} {off}");
    }
    let s = 0.5;
    let corners = [Vec3::new(s, s, s), Vec3::new(s, -s, -s), Vec3::new(-s, s, -s), Vec3::new(-s, -s, s)];
    let shape = Shape::solid(Geometry::Polytope(Polytope::from_points(&corners).expect("points in space")));
    let places = surface(&shape, 2000);
    let (world, pose) = driven(shape, state, 0.25, SolverKind::Direct, 10);
    let all = leak(&world, pose, state, &places);
    println!("tetrahedron: {all:.3} U");
    assert!(all < 0.2, "{all}");
}

/// A prism of many sides approximates a cylinder.
#[test]
fn a_cylinder_that_moves_and_turns() {
    let state = BodyState {
        velocity: Vec3::new(0.8, 0.0, 0.6),
        angular_velocity: Vec3::new(0.0, 1.0, 0.5),
        ..BodyState::default()
    };
    for (name, shape, core, most) in [
        ("as high as wide", Shape::cylinder(0.5, 0.5), 0.25, 0.2),
        ("long", Shape::cylinder(1.0, 0.4), 0.2, 0.2),
    ] {
        let places = surface(&shape, 2000);
        let (world, pose) = driven(shape, state, core, SolverKind::Direct, 10);
        let all = leak(&world, pose, state, &places);
        println!("cylinder, {name}: {all:.3} U");
        assert!(all < most, "{name}: {all}");
    }
}

/// Returns the corners of a regular icosahedron of this circumradius \[m\].
fn icosahedron(radius: f32) -> Shape {
    let scale = radius / 1.902_113;
    let signs = [(-1.0, -1.618_034), (-1.0, 1.618_034), (1.0, -1.618_034), (1.0, 1.618_034)];
    let corners = (0..3).flat_map(|axis| {
        signs.map(|(short, long)| {
            let mut corner = Vec3::ZERO;
            (corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (short * scale, long * scale);
            corner
        })
    });
    let corners: Vec<Vec3> = corners.collect();
    Shape::solid(Geometry::Polytope(Polytope::from_points(&corners).expect("points in space")))
}

/// Its 60 triangles between centres and edges of faces are divided into 540 at most sizes.
#[test]
fn a_hull_of_many_triangles_at_any_size() {
    let state = BodyState { velocity: Vec3::new(0.6, 0.0, 0.8), ..BodyState::default() };
    for radius in [0.3, 0.5, 0.8] {
        let shape = icosahedron(radius);
        let places = surface(&shape, 2000);
        for solver in [SolverKind::Direct, SolverKind::Mesh] {
            let (world, pose) = driven(shape.clone(), state, 0.1, solver, 10);
            let all = leak(&world, pose, state, &places);
            println!("icosahedron of {radius} m, {solver:?}: {all:.3} U");
            assert!(all < 0.1, "{radius} m, {solver:?}: {all}");
        }
    }
}

/// Shapes of one body that overlap or touch have one sheet, on the surface of their union.
#[test]
fn compounds_of_shapes_that_overlap_or_touch() {
    let at = |shape: Shape, x: f32, y: f32| Shape { pose: Pose::at(Vec3::new(x, y, 0.0)), ..shape };
    let ball = |x: f32| at(Shape::sphere(0.3), x, 0.0);
    let cuboid = |half: Vec3, x: f32, y: f32| at(Shape::cuboid(half), x, y);
    let cube = |half: f32, x: f32| cuboid(Vec3::splat(half), x, 0.0);
    // Longer than 272 vertices allow at the usual spacing.
    let ring = (0..8).map(|i| {
        let (sin, cos) = libm::sincosf(TAU * i as f32 / 8.0);
        let rotation = Quat::from_rotation_arc(Vec3::Z, Vec3::new(-sin, cos, 0.0));
        let pose = Pose { position: Vec3::new(cos, sin, 0.0) * 0.8, rotation };
        Shape { pose, ..Shape::capsule(0.33, 0.15) }
    });
    for (name, shapes, most) in [
        ("a row of 20 balls", (0..20).map(|i| at(Shape::sphere(0.2), 0.3 * i as f32, 0.0)).collect(), 0.1),
        ("a ring of 8 capsules", ring.collect(), 0.15),
        ("two balls", vec![ball(-0.25), ball(0.25)], 0.05),
        ("two cubes side by side", vec![cube(0.25, -0.25), cube(0.25, 0.25)], 0.17),
        ("two cubes, one in part in the other", vec![cube(0.25, -0.2), cube(0.25, 0.2)], 0.17),
        ("a ball on a cube", vec![cube(0.25, -0.1), at(Shape::sphere(0.25), 0.15, 0.0)], 0.12),
        ("an L", vec![cuboid(Vec3::new(0.5, 0.2, 0.2), 0.0, 0.0), cuboid(Vec3::splat(0.2), 0.3, 0.4)], 0.17),
    ] {
        for velocity in [Vec3::X, Vec3::new(0.0, 0.6, 0.8)] {
            let state = BodyState { velocity, ..BodyState::default() };
            let wet = shapes.iter().enumerate().flat_map(|(own, shape)| {
                let others = || shapes.iter().enumerate().filter(move |(other, _)| *other != own);
                let places = surface(shape, 1500).into_iter();
                let places =
                    places.map(|(place, normal)| (shape.pose.to_world(place), shape.pose.turn(normal)));
                let is_wet =
                    move |place: Vec3| others().all(|(_, other)| other.surface(place).distance > 1e-4);
                places.filter(move |(place, _)| is_wet(*place)).collect::<Vec<_>>()
            });
            let places: Vec<_> = wet.collect();
            let mut params = params(Vec3::ZERO);
            (params.core_radius, params.solver) = (0.1, SolverKind::Direct);
            let one = body(shapes[0].clone(), f64::INFINITY, state);
            let def = BodyDef { no_through: true, shapes: shapes.clone(), ..one };
            let mut world = World::new(params, &[], &[def]);
            (0..10).for_each(|_| world.step(1.0 / RATE));
            let BodyState { position, rotation, .. } = world.rigid[0].state();
            let pose = Pose { position, rotation }.advanced(velocity, Vec3::ZERO, -0.5 / RATE);
            let all = leak(&world, pose, state, &places);
            println!("{name}, along {velocity}: {all:.3} U");
            assert!(all < most, "{name}, along {velocity}: {all}");
        }
    }
}

/// Returns the dipole of a ball (Lamb, Hydrodynamics, § 92), at `from` relative to its centre, for a
/// velocity of 1 m/s along x.
fn dipole(from: DVec3, radius: f64) -> DVec3 {
    let distance = from.length();
    let n = from / distance;
    (n * (3.0 * n.x) - DVec3::X) * (0.5 * (radius / distance).powi(3))
}

#[test]
fn the_field_of_a_ball_is_that_of_theory() {
    let radius = 0.5_f32;
    let state = BodyState { velocity: Vec3::X, ..BodyState::default() };
    let directions: Vec<Vec3> = surface(&Shape::sphere(1.0), 500).iter().map(|(place, _)| *place).collect();
    for core in [0.2, 0.1] {
        for (distance, most) in [(1.0, 0.03), (2.0, 0.02)] {
            let (world, pose) = driven(Shape::sphere(radius), state, core, SolverKind::Direct, 10);
            let from = directions.iter().map(|n| *n * (radius + distance * core));
            let points: Vec<Vec3> = from.clone().map(|from| pose.position + from).collect();
            let mut fluid = vec![Vec3::ZERO; points.len()];
            world.sim.field().velocities(&points, &mut fluid);
            let squares =
                from.zip(&fluid).map(|(x, u)| (u.as_dvec3() - dipole(x.as_dvec3(), 0.5)).length_squared());
            let error = (squares.sum::<f64>() / points.len() as f64).sqrt();
            println!("core {core}, {distance} of them away: {error:.4} U");
            assert!(error < most, "core {core}, {distance} away: {error}");
        }
    }
}

/// Displacement of a lattice of tracers as a ball passes through it, compared with integrated theory.
#[test]
fn tracers_go_around_a_ball() {
    let (radius, dt) = (0.5_f64, f64::from(1.0 / RATE));
    let start = DVec3::X * -1.5;
    let state = BodyState { position: start.as_vec3(), velocity: Vec3::X, ..BodyState::default() };
    for (core, solver, most) in [(0.2, SolverKind::Direct, 0.3), (0.1, SolverKind::Auto, 0.15)] {
        let mut params = params(Vec3::ZERO);
        (params.core_radius, params.solver) = (core, solver);
        let def = BodyDef { no_through: true, ..body(Shape::sphere(0.5), f64::INFINITY, state) };
        let mut world = World::new(params, &[], &[def]);
        let lattice = |i: usize| DVec3::new((i % 16) as f64, (i / 16 % 16) as f64, (i / 256) as f64);
        let mut exact: Vec<DVec3> =
            (0..4096).map(|i| (lattice(i) + DVec3::new(0.5, 1.0, 1.0)) / 8.0 - 1.0).collect();
        let before = exact.clone();
        exact.iter().for_each(|place| {
            world.tracers.push(place.as_vec3());
        });
        let mut contacts = 0;
        for step in 0..180 {
            world.step(dt as f32);
            let centre = |time: f64| start + DVec3::X * (dt * (step as f64 + time));
            for place in &mut exact {
                let flow = |place: DVec3, time: f64| match place - centre(time) {
                    inside if inside.length() < radius => DVec3::X,
                    outside => dipole(outside, radius),
                };
                let [a, b] = [flow(*place, 0.0), flow(*place + flow(*place, 0.0) * (0.5 * dt), 0.5)];
                let c = flow(*place + b * (0.5 * dt), 0.5);
                let d = flow(*place + c * dt, 1.0);
                *place += (a + (b + c) * 2.0 + d) * (dt / 6.0);
            }
            let ball = world.rigid[0].state().position;
            let touches = |place: &&Vec3| place.distance(ball) < radius as f32 + 2e-3 * core;
            contacts += world.tracers.positions().iter().filter(touches).count();
        }
        let mut found: Vec<_> = world.tracers.ids().iter().zip(world.tracers.positions()).collect();
        found.sort_by_key(|(id, _)| **id);
        let (mut error, mut way) = (0.0, 0.0);
        for ((exact, before), (_, found)) in exact.iter().zip(&before).zip(found) {
            // On the axis the displacement grows without bound.
            if before.y.hypot(before.z) > 0.1 {
                error += (found.as_dvec3() - *exact).length_squared();
                way += (*exact - *before).length_squared();
            }
        }
        let (error, touched) = ((error / way).sqrt(), contacts as f64 / (4096.0 * 180.0));
        println!("core {core}: error {error:.3} of the way, {touched:.1e} contacts per tracer and step");
        assert!(error < most && touched < 2e-3, "core {core}: {error} {touched}");
    }
}

/// A body animated by an engine that takes no impulses moves as prescribed, whatever its mass.
#[test]
fn a_body_that_the_engine_moves_by_itself() {
    let def = BodyDef { no_through: true, ..body(Shape::sphere(0.25), 2.0, BodyState::default()) };
    let mut world = World::new(params(Vec3::ZERO), &[], &[def]);
    let places = surface(&Shape::sphere(0.25), 500);
    for frame in 0..60 {
        let position = Vec3::X * (frame as f32 / RATE);
        let state = BodyState { position, velocity: Vec3::X, ..BodyState::default() };
        world.bodies.set_state(0, state).expect("a finite state");
        world.sim.step(&fluid_threads::Serial, &mut world.bodies, 1.0 / RATE).expect("a finite step");
        if frame >= 5 {
            let found = leak(&world, Pose::at(position + Vec3::X * (0.5 / RATE)), state, &places);
            assert!(found < 0.02, "frame {frame}: {found}");
        }
    }
}
