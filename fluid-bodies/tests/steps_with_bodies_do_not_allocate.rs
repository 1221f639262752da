//! Once the numbers of bodies, vortons and contacts have reached their maximum, a step with bodies
//! allocates nothing. The only test in its binary, because its threads share one counter.

#[path = "../../fluid-core/tests/counting/mod.rs"]
mod counting;
mod immersed;

use fluid_bodies::shapes::{HeightField, Parity, Shape, TriangleMesh};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Pool, Serial};
use glam::{UVec2, UVec3, Vec2, Vec3};
use immersed::{World, body, hull, noise, params};

const DT: f32 = 1.0 / 60.0;

/// Steps in which the bodies complete a circle.
const ROUND: usize = 16;

/// Rounds after the removal of two thirds of the vortons.
const SETTLING: usize = 4;

/// Radius of the circles \[m\].
const RADIUS: f32 = 0.02;

/// Creates terrain below the other bodies.
fn ground() -> Shape {
    let heights = (0..81).map(|n| 0.02 * (n % 5) as f32).collect();
    Shape::height_field(HeightField::new(heights, UVec2::splat(9), Vec2::splat(0.25)).expect("in range"))
}

/// Creates a wall beside them, relative to the corner of the terrain.
fn wall() -> Shape {
    let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]].map(|[x, z]| Vec3::new(x, 1.25, z));
    let triangles = vec![UVec3::new(0, 1, 2), UVec3::new(0, 2, 3)];
    Shape::mesh(TriangleMesh::new(corners.to_vec(), triangles).expect("a wall"))
}

fn level(shape: Shape) -> BodyDef {
    let state = BodyState { position: Vec3::new(-1.0, -1.0, -0.3), ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() }
}

/// Creates a box with two compartments, one of them with a rock in it.
fn jar() -> BodyDef {
    let hole = |x: f32| {
        let mut hole = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(0.14)) };
        hole.pose.position = Vec3::X * x;
        hole
    };
    let mut rock = Shape::sphere(0.05);
    rock.pose.position = Vec3::X * 0.3;
    let shapes = vec![Shape::cuboid(Vec3::new(0.45, 0.2, 0.2)), hole(0.26), hole(-0.26), rock];
    let state = BodyState { position: Vec3::new(0.0, 0.65, 0.6), ..BodyState::default() };
    BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() }
}

fn defs() -> Vec<BodyDef> {
    let free = |x| BodyState { position: Vec3::X * x, ..BodyState::default() };
    let still = |shape, x| body(shape, f64::INFINITY, free(x));
    let conducting = BodyDef { heat_transfer: 10.0, ..still(Shape::sphere(0.15), -0.4) };
    let tight = BodyDef { no_through: true, ..still(Shape::cuboid(Vec3::splat(0.1)), 0.0) };
    let ball = |x| Shape { pose: Pose::at(Vec3::X * x), ..Shape::sphere(0.08) };
    let tight_compound =
        BodyDef { no_through: true, shapes: vec![ball(-0.05), ball(0.05)], ..still(ball(0.0), 0.2) };
    vec![conducting, tight, still(hull(), 0.4), level(ground()), level(wall()), jar(), tight_compound]
}

/// Makes all kinds of steps with bodies: driven bodies move in circles of this radius \[m\] and spin, so
/// that after one round no state is new to any of them. Returns the allocations of all threads.
fn round(exec: &dyn Executor, world: &mut World, radius: f32) -> usize {
    let before = counting::allocations();
    for step in 0..ROUND {
        let angle = std::f32::consts::TAU * step as f32 / ROUND as f32;
        for index in 0..3 {
            let home = Vec3::X * (index as f32 - 1.0) * 0.4;
            let round = Vec3::new(angle.cos(), angle.sin(), 0.0) * radius;
            let state = BodyState {
                position: home + round,
                velocity: Vec3::new(-angle.sin(), angle.cos(), 0.0)
                    * (std::f32::consts::TAU * radius / (ROUND as f32 * DT)),
                angular_velocity: Vec3::Z * 0.2,
                ..BodyState::default()
            };
            world.bodies.set_state(index, state).expect("a finite state");
        }
        world.sim.step(exec, &mut world.bodies, DT).expect("a finite step");
        world.sim.advance_tracers(exec, &mut world.bodies, &mut world.tracers, DT);
        (0..3).for_each(|index| world.impulses[index] = world.bodies.body_mut(index).take_impulse());
    }
    counting::allocations() - before
}

/// Creates a world that has had its maximum of vortons, contacts and tracers in as many cells as possible,
/// after the removal of two thirds of them.
fn warm_world(exec: &dyn Executor, params: Params) -> World {
    let mut vortons = noise(Vec3::ZERO, Vec3::new(1.2, 0.7, 0.7), 1e-3);
    let near = vortons.len();
    // Some everywhere, and two permanent ones that keep the mesh at its size.
    let random = Random::new(4);
    let anywhere = (0..1000).map(|n| 1.9 * random.centred_vec3(n));
    let corners = [-0.97, 0.97].map(Vec3::splat);
    let strength = Vec3::X * 1e-5;
    vortons.extend(anywhere.chain(corners).map(|position| Vorton {
        position,
        strength,
        ..Vorton::default()
    }));
    let mut world = World::new(params, &vortons, &defs()).with_tracers();
    round(exec, &mut world, 2.0 * RADIUS);
    let contacts = world.bodies.contacts().len();
    let ids = &world.sim.vortons().ids;
    let gone = (0..ids.len() - 2).filter(|row| row % 3 == 0 || *row >= near);
    let gone: Vec<u64> = gone.map(|row| ids[row]).collect();
    world.sim.remove_vortons(&gone);
    // The mesh shrinks some time after their removal.
    (0..SETTLING).for_each(|_| _ = round(exec, &mut world, RADIUS));
    assert!(contacts > 300 && world.bodies.contacts().len() < contacts, "{contacts} contacts at first");
    world
}

#[test]
fn neither_on_this_thread_nor_in_a_pool() {
    let gravity = Vec3::new(0.0, -1.0, 0.0);
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let params = Params { solver, gravity, smagorinsky: 0.2, ..params(Vec3::ZERO) };
        let mut world = warm_world(&Serial, params);
        for number in 0..2 {
            let allocated = round(&Serial, &mut world, RADIUS);
            assert_eq!(allocated, 0, "{solver:?}, round {number}, on this thread");
        }
        assert!(world.bodies.contacts().len() > 100, "nothing is touched");
        let pool = Pool::with_hooks(2, |_| counting::count_this_thread(), |_| ()).expect("threads start");
        let mut world = warm_world(&pool, params);
        let allocated: usize = (0..2).map(|_| round(&pool, &mut world, RADIUS)).sum();
        // Entering a pool from outside, twice a step, allocates one block of its queue every 63 entries.
        let blocks = (2 * 2 * ROUND).div_ceil(63);
        assert!(allocated <= blocks, "{solver:?}: {allocated} allocations in a pool");
    }
}
