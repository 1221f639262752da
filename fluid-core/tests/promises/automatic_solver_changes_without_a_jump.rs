//! `SolverKind::Auto` uses the direct sum while it is cheaper and the mesh otherwise, chosen by counts
//! alone, and the change of velocities is no larger than the mesh's error.

use crate::common;

use crate::common::{random_cloud, steps, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, SolverKind, VelocityField};
use fluid_threads::{Pool, Serial};
use glam::Vec3;

const CORE: f32 = 0.2;

fn automatic(vortons: &[Vorton]) -> VortexSim {
    world(Params { solver: SolverKind::Auto, nodes_per_core: 2.5, ..common::inviscid(CORE) }, vortons)
}

#[test]
fn few_vortons_are_summed_and_many_are_meshed() {
    for (count, on_mesh) in [(1, false), (200, false), (1000, false), (12_000, true)] {
        let mut sim = automatic(&weakened(random_cloud(count, 1), 0.01));
        sim.step(&Serial, &mut NoBodies, 0.01).expect("dt is finite");
        assert_eq!(sim.field().is_on_mesh(), on_mesh, "{count} vortons");
    }
}

/// A cubic lattice of vortons with a spacing of the core radius over 1.5, at the default resolution: there
/// the direct sum is the cheaper method up to about 512 vortons, by measurement (`cargo bench -p benches
/// --bench solvers`).
#[test]
fn a_block_is_summed_while_that_is_cheaper() {
    for (edge, on_mesh) in [(2, false), (4, false), (7, false), (10, true), (12, true)] {
        let at = |i: i32| Vec3::new((i % edge) as f32, (i / edge % edge) as f32, (i / edge / edge) as f32);
        let vorton =
            |i: i32| Vorton { position: at(i) * CORE / 1.5, strength: Vec3::X * 1e-3, ..Vorton::default() };
        let vortons: Vec<Vorton> = (0..edge * edge * edge).map(vorton).collect();
        let params = Params { solver: SolverKind::Auto, ..common::inviscid(CORE) };
        let mut sim = world(params, &vortons);
        steps(&mut sim, 1e-3, 1);
        assert_eq!(sim.field().is_on_mesh(), on_mesh, "{} vortons", vortons.len());
    }
}

/// With few vortons, many tracers sample the direct sum from a mesh, within its error; for few tracers a
/// mesh does not pay, and vortons never move in it.
#[test]
fn many_tracers_of_few_vortons_look_at_a_mesh() {
    let moved = |count: u64, solver| {
        let params = Params { solver, nodes_per_core: 2.5, ..common::inviscid(CORE) };
        let mut sim = world(params, &weakened(random_cloud(200, 1), 0.01));
        let mut tracers = Tracers::default();
        for i in 0..count {
            tracers.push(fluid_core::math::Random::new(3).centred_vec3(i) * 2.0);
        }
        sim.step(&Serial, &mut NoBodies, 0.01).expect("dt is finite");
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.01);
        assert!(!sim.field().is_on_mesh());
        // They are sorted by position now and then.
        let mut places: Vec<(u32, Vec3)> =
            tracers.ids().iter().copied().zip(tracers.positions().iter().copied()).collect();
        places.sort_by_key(|&(id, _)| id);
        (sim.field().is_sampled_on_mesh(), sim.state_hash(), places)
    };
    let direct = moved(100_000, SolverKind::Direct);
    for (count, on_mesh) in [(0, false), (100, false), (100_000, true)] {
        let auto = moved(count, SolverKind::Auto);
        assert_eq!((auto.0, auto.1), (on_mesh, direct.1), "{count} tracers");
        for (a, b) in auto.2.iter().zip(&direct.2) {
            assert_eq!(a.0, b.0);
            assert!(a.1.distance(b.1) < 1e-4, "{a:?} and {b:?}");
        }
    }
    assert!(!direct.0, "a direct sum that was asked for stays one");
    let expecting = Params { expected_samples: 100_000, solver: SolverKind::Auto, ..common::inviscid(CORE) };
    let mut sim = world(expecting, &weakened(random_cloud(200, 1), 0.01));
    steps(&mut sim, 0.01, 1);
    assert!(!sim.field().is_on_mesh() && sim.field().is_sampled_on_mesh());
}

/// Tracers are passive: the number that a machine can draw must not change the fluid of a lockstep game.
#[test]
fn tracers_change_nothing() {
    const DT: f32 = 0.02;
    let run = |count: u64| {
        let params = Params {
            solver: SolverKind::Auto,
            nodes_per_core: 2.5,
            multistep: true,
            ..common::inviscid(CORE)
        };
        let mut sim = world(params, &weakened(random_cloud(1000, 1), 0.3));
        let mut tracers = Tracers::default();
        for i in 0..count {
            tracers.push(fluid_core::math::Random::new(3).centred_vec3(i) * 2.0);
        }
        for _ in 0..8 {
            sim.step(&Serial, &mut NoBodies, DT).expect("dt is finite");
            sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, DT);
            assert_eq!(sim.field().is_sampled_on_mesh(), count > 0);
            // A new vorton starts with the velocity of the last field.
            let position = Vec3::new(0.1, 0.2, 0.3);
            sim.add_vortons(&[Vorton { position, ..Vorton::default() }]).expect("there is room");
        }
        assert_eq!(sim.stats().solves, 1, "led by the last steps");
        sim.state_hash()
    };
    assert_eq!(run(0), run(20_000));
}

/// While the direct sum costs much less, the two are compared in every ninth step only, but at once if
/// there are more vortons.
#[test]
fn a_block_is_meshed_in_the_step_it_comes() {
    let edge = 13;
    let at = |i: i32| Vec3::new((i % edge) as f32, (i / edge % edge) as f32, (i / edge / edge) as f32);
    let vorton =
        |i: i32| Vorton { position: at(i) * CORE / 1.5, strength: Vec3::X * 1e-3, ..Vorton::default() };
    let block: Vec<Vorton> = (0..edge.pow(3)).map(vorton).collect();
    let apart = |i: i32| Vorton { position: Vec3::X * (i as f32 * 2.0), ..vorton(i) };
    let line: Vec<Vorton> = (0..1000).map(apart).collect();
    let params = Params { solver: SolverKind::Auto, max_vortons: 4000, ..common::inviscid(CORE) };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&line).expect("there is room");
    for _ in 0..3 {
        steps(&mut sim, 1e-3, 1);
        assert!(!sim.field().is_on_mesh());
    }
    sim.add_vortons(&block).expect("there is room");
    steps(&mut sim, 1e-3, 1);
    assert!(sim.field().is_on_mesh(), "a block of {} is summed", block.len());

    // The same number of vortons at other positions.
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&line).expect("there is room");
    steps(&mut sim, 1e-3, 3);
    assert!(!sim.field().is_on_mesh());
    sim.clear_vortons();
    sim.add_vortons(&block[..line.len()]).expect("there is room");
    steps(&mut sim, 1e-3, 1);
    assert!(sim.field().is_on_mesh(), "a block of {} is summed", line.len());
}

#[test]
fn the_choice_holds_while_the_number_wavers() {
    let vortons = weakened(random_cloud(8000, 2), 0.01);
    // The lowest count at which the mesh is used.
    let crossing = (1..80)
        .map(|hundreds| hundreds * 100)
        .find(|&count| {
            let mut sim = automatic(&vortons[..count]);
            steps(&mut sim, 0.0, 1);
            sim.field().is_on_mesh()
        })
        .expect("many vortons want a mesh");
    let mut sim = automatic(&vortons[..crossing]);
    let mut changes = 0;
    let mut before = true;
    for step in 0..40 {
        steps(&mut sim, 1e-4, 1);
        changes += usize::from(sim.field().is_on_mesh() != before);
        before = sim.field().is_on_mesh();
        // A tenth of them is removed and added again.
        if step % 2 == 0 {
            let ids: Vec<u64> = sim.vortons().ids[crossing * 9 / 10..].to_vec();
            sim.remove_vortons(&ids);
        } else {
            sim.add_vortons(&vortons[crossing * 9 / 10..crossing]).expect("there is room");
        }
    }
    assert_eq!(changes, 0, "from {crossing} vortons on");
}

/// Vortons move with the spline; other samples depend on the chosen sampling method.
#[test]
fn velocities_at_the_change_differ_by_the_error_of_the_mesh() {
    let vortons = weakened(random_cloud(2500, 4), 0.01);
    let places: Vec<Vec3> = vortons.iter().map(|v| v.position).collect();
    let field = |solver, field_sampling| {
        let params = Params { solver, field_sampling, nodes_per_core: 2.5, ..common::inviscid(CORE) };
        let mut sim = world(params, &vortons);
        steps(&mut sim, 0.0, 1);
        let mut velocities = vec![Vec3::ZERO; places.len()];
        sim.field().velocities(&places, &mut velocities);
        velocities
    };
    let direct = field(SolverKind::Direct, FieldSampling::Trilinear);
    let fastest = direct.iter().map(|u| u.length()).fold(0.0, f32::max);
    for (sampling, rms_bound, bound) in
        [(FieldSampling::QuadraticSpline, 0.01, 0.03), (FieldSampling::Trilinear, 0.05, 0.15)]
    {
        let mesh = field(SolverKind::Mesh, sampling);
        let errors = direct.iter().zip(&mesh).map(|(a, b)| a.distance(*b) / fastest);
        let rms = (errors.clone().map(|e| e * e).sum::<f32>() / places.len() as f32).sqrt();
        let largest = errors.fold(0.0, f32::max);
        println!("{sampling:?}: rms {rms:.4}, largest {largest:.4} of the largest speed");
        assert!(rms < rms_bound && largest < bound, "{sampling:?}: {rms}, {largest}");
    }
}

#[test]
fn the_choice_and_the_bits_are_the_same_on_any_number_of_threads() {
    let vortons = weakened(random_cloud(6000, 6), 0.01);
    let run = |exec: &dyn fluid_threads::Executor| {
        let mut sim = automatic(&vortons);
        for _ in 0..4 {
            sim.step(exec, &mut NoBodies, 0.01).expect("dt is finite");
        }
        (sim.field().is_on_mesh(), sim.state_hash())
    };
    let serial = run(&Serial);
    assert!(serial.0);
    for workers in [1, 2, 3, 8] {
        assert_eq!(serial, run(&Pool::new(workers).expect("threads start")), "{workers} workers");
    }
    assert_eq!(serial, run(&fluid_threads::Shuffled::new(5)));
}
