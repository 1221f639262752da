//! Bodies, the fluid's reactions on them, and the fluid itself do not depend on workers, threads or order
//! of execution: no bit changes, with direct summation or on the mesh.

use crate::immersed::{World, body, hull, noise, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::params::Params;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::{Quat, Vec3};

/// More than the 16 steps after which tracers are sorted.
const STEPS: usize = 30;

/// Creates a ball, a box and a hull that move and spin towards each other.
fn defs() -> Vec<BodyDef> {
    let state = |x: f32| BodyState {
        position: Vec3::new(x, 0.3 * x * x, 0.0),
        rotation: Quat::from_scaled_axis(Vec3::new(0.3, x, 0.2)),
        velocity: Vec3::new(-x, 0.4, 0.2),
        angular_velocity: Vec3::new(1.0, 2.0, -x * 4.0),
    };
    vec![
        body(Shape::sphere(0.15), 0.1, state(-0.5)),
        BodyDef { no_through: true, ..body(Shape::cuboid(Vec3::new(0.1, 0.15, 0.12)), 1.0, state(0.0)) },
        body(hull(), 10.0, state(0.5)),
    ]
}

/// Complete result of a run, as bits.
#[derive(PartialEq)]
struct Outcome {
    state: u64,
    impulses: Vec<[u64; 8]>,
    tracers: Vec<(u32, [u32; 3])>,
    positions: Vec<[u64; 3]>,
}

fn run(exec: &dyn Executor, solver: SolverKind) -> Outcome {
    let vortons = noise(Vec3::ZERO, Vec3::new(1.4, 0.7, 0.7), 1.0);
    let params = Params { solver, ..params(Vec3::new(0.2, 0.0, 0.1)) };
    let mut world = World::new(params, &vortons, &defs()).with_tracers();
    let mut impulses = Vec::new();
    for _ in 0..STEPS {
        world.step_with(exec, 1.0 / 60.0);
        for impulse in &world.impulses {
            let [(a, b, c), (d, e, f)]: [(f64, f64, f64); 2] =
                [impulse.linear.into(), impulse.angular.into()];
            let all = [a, b, c, d, e, f, impulse.lost_energy];
            assert!(all.iter().all(|value| value.is_finite()));
            let [a, b, c, d, e, f, g] = all.map(f64::to_bits);
            impulses.push([a, b, c, d, e, f, g, impulse.hits.into()]);
        }
    }
    let contacts = world.bodies.contacts().len();
    assert!(contacts > 200 && world.sim.vortons().len() > 1024, "{contacts} contacts are too few");
    let tracer = |(&id, place): (&u32, &Vec3)| (id, place.to_array().map(f32::to_bits));
    Outcome {
        state: world.sim.state_hash(),
        impulses,
        tracers: world.tracers.ids().iter().zip(world.tracers.positions()).map(tracer).collect(),
        positions: world.rigid.iter().map(|rigid| rigid.position().to_array().map(f64::to_bits)).collect(),
    }
}

fn agree(solver: SolverKind) {
    let expected = run(&Serial, solver);
    for workers in [1, 2, 3, 8] {
        let pool = Pool::new(workers).expect("threads start");
        assert!(run(&pool, solver) == expected, "{workers} workers give other bits");
    }
    for seed in [1, 2] {
        assert!(run(&Shuffled::new(seed), solver) == expected, "shuffled order {seed} gives other bits");
    }
}

#[test]
fn summed_directly() {
    agree(SolverKind::Direct);
}

#[test]
fn on_the_mesh() {
    agree(SolverKind::Mesh);
}
