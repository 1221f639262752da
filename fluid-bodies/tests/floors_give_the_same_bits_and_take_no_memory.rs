//! Steps beside half-spaces give the same bits with any executor, and allocate nothing. The only test in
//! its binary, because its threads share one counter.

#[path = "../../fluid-core/tests/counting/mod.rs"]
mod counting;
mod floor;

use floor::{half_space, params, world};
use fluid_bodies::bodies::Bodies;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::{Quat, Vec3};

const DT: f32 = 1.0 / 60.0;

/// Creates noise between a floor and a wall, with a ball and tracers in it. Vortons expire by age, which
/// removes their energy and that of their images.
fn corner(solver: SolverKind) -> (VortexSim, Bodies, Tracers) {
    let noise = Noise {
        centre: Vec3::new(0.0, 0.0, 0.42),
        extent: Vec3::new(1.2, 0.8, 0.8),
        spacing: 0.08,
        amplitude: 4.0,
        seed: 3,
    };
    let wall =
        Pose { position: Vec3::new(-0.62, 0.0, 0.0), rotation: Quat::from_rotation_arc(Vec3::Z, Vec3::X) };
    let ball = BodyDef {
        shapes: vec![Shape::sphere(0.15)],
        state: BodyState { position: Vec3::new(0.1, 0.0, 0.2), ..BodyState::default() },
        mass: f32::INFINITY,
        ..BodyDef::default()
    };
    let bodies = [half_space(Pose::IDENTITY), half_space(wall), ball];
    let params = Params { solver, max_age: 100.0, ..params(solver) };
    let (mut sim, mut bodies) = world(params, &[], &bodies);
    let mut vortons = noise.vortons().expect("constants in range");
    vortons.retain(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
    vortons.iter_mut().step_by(7).for_each(|vorton| vorton.age = 100.0 - 0.3);
    sim.add_vortons(&vortons).expect("valid vortons");
    let mut tracers = Tracers::with_capacity(vortons.len());
    for vorton in &vortons {
        tracers.push(vorton.position);
    }
    (sim, bodies, tracers)
}

fn steps(exec: &dyn Executor, (sim, bodies, tracers): &mut (VortexSim, Bodies, Tracers), count: usize) {
    for _ in 0..count {
        sim.step(exec, bodies, DT).expect("a finite step");
        sim.advance_tracers(exec, bodies, tracers, DT);
    }
}

fn outcome(exec: &dyn Executor, solver: SolverKind) -> (u64, Vec<[u32; 3]>) {
    let mut world = corner(solver);
    steps(exec, &mut world, 24);
    assert!(world.0.vortons().len() > 500 && world.0.stats().expired > 100);
    (world.0.state_hash(), world.2.positions().iter().map(|p| p.to_array().map(f32::to_bits)).collect())
}

#[test]
fn for_any_workers() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let expected = outcome(&Serial, solver);
        for workers in [1, 2, 3] {
            let pool = Pool::new(workers).expect("threads start");
            assert!(outcome(&pool, solver) == expected, "{solver:?}: {workers} workers give other bits");
        }
        assert!(outcome(&Shuffled::new(1), solver) == expected, "{solver:?}: another order, other bits");
        let mut world = corner(solver);
        // After the first sort of tracers, and before the old vortons expire.
        steps(&Serial, &mut world, 17);
        let (before, expired) = (counting::allocations(), world.0.stats().expired);
        steps(&Serial, &mut world, 3);
        assert!(world.0.stats().expired > expired, "none has gone meanwhile");
        assert_eq!(counting::allocations() - before, 0, "{solver:?}");
    }
}
