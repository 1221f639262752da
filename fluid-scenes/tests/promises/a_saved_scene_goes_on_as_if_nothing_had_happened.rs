//! A saved scene that is loaded into a new world, or back into its own after further steps, continues to the
//! same bytes as a scene that was never saved: fluid, bodies and tracers, in steps of random length.

use fluid_bodies::Bodies;
use fluid_core::governor::{Budget, Measure};
use fluid_core::math::Random;
use fluid_core::particles::Tracers;
use fluid_core::saved::{NoInsides, Reader, Saved, Writer};
use fluid_core::sim::VortexSim;
use fluid_scenes::run::Run;
use fluid_scenes::{Scene, all};
use fluid_threads::{Executor, Pool, Serial};
use std::ops::Range;

/// Returns a length of 1/144 s to 1/15 s over the scene's sub-steps, equal for three steps in a row, so that
/// some steps can start from the rates of the last steps.
fn dt(scene: &Scene, step: u64) -> f32 {
    let random = Random::new(3).unit(step / 3 + 1000 * scene.vorton_count as u64);
    1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * random / scene.substeps as f32
}

/// Takes steps without a budget, or within budgets of 1, 2, 4 and 8 ms in turn, so that quality changes.
fn steps(run: &mut Run, scene: &Scene, exec: &dyn Executor, steps: Range<u64>, budgets: bool) {
    for step in steps {
        let dt = dt(scene, step);
        if !budgets {
            run.step(exec, dt).expect("a valid step");
            continue;
        }
        let limit = f64::from(1 << (step / 4 % 4));
        let budget = Budget { measure: Measure::Counted, fluid: limit, tracers: 0.5 * limit };
        let Run { sim, bodies, tracers, .. } = run;
        sim.step_within(exec, bodies, dt, budget).expect("a valid step");
        sim.advance_tracers(exec, bodies, tracers, dt);
    }
}

fn save(Run { sim, bodies, tracers, .. }: &Run) -> Vec<u8> {
    let write = |bytes: &mut [u8]| {
        let mut out = Writer::new(bytes, bodies);
        bodies.save(&mut out);
        sim.save(&mut out);
        tracers.save(&mut out);
        out.len()
    };
    let mut bytes = vec![0; write(&mut [])];
    write(&mut bytes);
    bytes
}

/// Returns a copy of `engine` with the fluid, bodies and tracers that are loaded from `bytes`.
fn load(bytes: &[u8], engine: &Run, (mut sim, mut bodies, mut tracers): (VortexSim, Bodies, Tracers)) -> Run {
    let mut from = Reader::new(bytes, &NoInsides, &Serial);
    bodies.load(&mut from).expect("bodies");
    let mut from = Reader::new(from.rest(), &bodies, &Serial);
    sim.load(&mut from).expect("a fluid");
    tracers.load(&mut from).expect("tracers");
    assert!(from.is_at_end());
    let mut run = engine.clone();
    (run.sim, run.bodies, run.tracers) = (sim, bodies, tracers);
    run
}

fn assert_same(name: &str, a: &[u8], b: &[u8]) {
    let differs = a.iter().zip(b).position(|(a, b)| a != b);
    assert!(
        a.len() == b.len() && differs.is_none(),
        "{name}: {} and {} bytes, {differs:?}",
        a.len(),
        b.len()
    );
}

/// Saves the scene after `before` steps and compares after `after` more.
fn goes_on(scene: &Scene, exec: &dyn Executor, [before, after]: [u64; 2], budgets: bool) {
    let mut run = Run::new(scene).expect("a scene");
    let new = run.clone();
    steps(&mut run, scene, exec, 0..before, budgets);
    let (saved, engine) = (save(&run), run.clone());
    let loaded = load(&saved, &engine, (new.sim, new.bodies, new.tracers));
    assert_same(&format!("{}, loaded", scene.name), &save(&loaded), &saved);
    let mut twin = loaded;
    let further = before..before + after;
    steps(&mut run, scene, exec, further.clone(), budgets);
    steps(&mut twin, scene, exec, further.clone(), budgets);
    let end = save(&run);
    assert_same(&format!("{}, in a new world", scene.name), &save(&twin), &end);
    let mut again = load(&saved, &engine, (run.sim, run.bodies, run.tracers));
    steps(&mut again, scene, exec, further, budgets);
    assert_same(&format!("{}, back in its own", scene.name), &save(&again), &end);
    println!("{}: {} vortons, {} bytes", scene.name, engine.sim.vortons().len(), saved.len());
}

#[test]
fn every_scene() {
    let pool = Pool::new(2).expect("two threads");
    for scene in all() {
        goes_on(scene, &pool, [6, 4], false);
    }
}

#[test]
fn within_a_budget() {
    let pool = Pool::new(2).expect("two threads");
    let named = |name: &str| all().iter().find(|scene| scene.name == name).expect("a scene");
    for name in ["sheet", "dye_drop", "crossed_tubes"] {
        goes_on(named(name), &pool, [11, 8], true);
    }
}

/// Takes two minutes.
#[test]
#[ignore = "long"]
fn every_scene_when_it_has_developed() {
    let pool = Pool::new(2).expect("two threads");
    for (scene, steps) in all().iter().zip(60..) {
        goes_on(scene, &pool, [steps, 40], false);
        goes_on(scene, &pool, [steps, 40], true);
    }
}
