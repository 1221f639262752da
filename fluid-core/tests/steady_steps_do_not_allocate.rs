//! Once counts have reached their maximum, a step allocates nothing on this thread, and with a pool no more
//! than the pool's own queue. The only test in its binary, because its threads share one counter.

mod counting;
mod common;

use common::{random_cloud, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::combustion::Combustion;
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Host, Pool, Scheduler, Serial, Task, TaskHandle};
use glam::Vec3;

const DT: f32 = 0.02;

/// Returns a world with all processes: relaxation, emitters and a jet that reach the vorton limit, removal
/// by age, and tracers that are sorted.
fn busy_world(params: Params) -> (VortexSim, Tracers) {
    // More than one chunk of 1,024, so that a pool has work to distribute.
    let params = Params { core_radius: 0.2, max_age: 0.3, max_vortons: 1300, ..params };
    let vortons: Vec<_> = weakened(random_cloud(1200, 41), 0.01)
        .into_iter()
        .map(|v| Vorton { volume: 1e-3, mass_deviation: 1e-4 * v.strength.x, dye: 1e-4, ..v })
        .collect();
    let mut sim = world(params, &vortons);
    let def = EmitterDef { extent: Vec3::ONE, strength_spread: Vec3::splat(0.01), ..EmitterDef::default() };
    let (volume, fuel) = if params.combustion.is_on() { (1e-4, 1e5) } else { (0.0, 0.0) };
    let def = EmitterDef { volume, fuel, ..def };
    let nozzle = Some(Nozzle { radius: 0.6, speed: 0.5, ..Nozzle::default() });
    for (seed, rate, nozzle) in [(1, 4000.0, None), (2, 333.3, None), (3, 10.0, nozzle)] {
        sim.emitters_mut().push(Emitter::new(EmitterDef { seed, rate, nozzle, ..def }).expect("valid"));
    }
    let mut tracers = Tracers::with_capacity(600);
    tracers.turbulence = 1.0;
    random_cloud(600, 42).iter().for_each(|v| {
        tracers.push(v.position);
    });
    (sim, tracers)
}

/// Allocations of all threads in `steps` steps, with the tracers if given.
fn allocations(
    exec: &dyn Executor,
    sim: &mut VortexSim,
    tracers: Option<&mut Tracers>,
    steps: usize,
) -> usize {
    let before = counting::allocations();
    let mut tracers = tracers;
    for _ in 0..steps {
        sim.step(exec, &mut NoBodies, DT).expect("dt is finite");
        if let Some(tracers) = tracers.as_deref_mut() {
            sim.advance_tracers(exec, &mut NoBodies, tracers, DT);
        }
    }
    counting::allocations() - before
}

/// A host that runs tasks at once on the thread that enqueues them.
struct Inline;

impl Scheduler for Inline {
    fn enqueue(&self, task: Task) -> Option<TaskHandle> {
        task.run();
        None
    }
    fn finish(&self, _: TaskHandle) {}
}

#[test]
fn neither_on_this_thread_nor_in_a_pool() {
    let gravity = Vec3::new(0.0, 0.0, -1.0);
    let whole =
        Params { solver: SolverKind::Mesh, gravity, viscosity: 1e-3, diffusivity: 1e-3, ..Params::default() };
    let combustion = Combustion { ignition_temperature: 290.0, ..Combustion::default() };
    let burning = [SolverKind::Direct, SolverKind::Mesh].map(|solver| Params { solver, combustion, ..whole });
    for params in [Params::default(), whole].into_iter().chain(burning) {
        check(params);
    }
}

fn check(params: Params) {
    let (mut sim, mut tracers) = busy_world(params);
    // Past one sort of the tracers and one generation of vortons.
    let warm_up = 40;

    allocations(&Serial, &mut sim, Some(&mut tracers), warm_up);
    let (expired, not_added) = (sim.stats().expired, sim.stats().not_added);
    assert_eq!(allocations(&Serial, &mut sim, Some(&mut tracers), 100), 0, "on this thread");
    assert!(sim.stats().expired > expired && sim.stats().not_added > not_added, "nothing happened");
    assert_eq!(sim.stats().non_finite, 0);
    assert_eq!(sim.stats().burning > 0, params.combustion.is_on());

    let host = Host::new(4, Inline);
    assert_eq!(allocations(&host, &mut sim, Some(&mut tracers), 100), 0, "on a host's job system");

    let pool = Pool::with_hooks(2, |_| counting::count_this_thread(), |_| ()).expect("threads start");
    let (mut sim, mut tracers) = busy_world(params);
    allocations(&pool, &mut sim, Some(&mut tracers), warm_up);
    // Entering a pool from outside allocates one block of its queue per 63 entries: a step enters once.
    let in_pool = allocations(&pool, &mut sim, None, 100);
    assert!(in_pool <= 100 / 50, "{in_pool} allocations in 100 steps");
    // Advancing tracers enters once more.
    let with_tracers = allocations(&pool, &mut sim, Some(&mut tracers), 100);
    assert!(with_tracers <= 2 * 100 / 50, "{with_tracers} allocations in 100 steps with tracers");
}
