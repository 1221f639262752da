//! At any quality that a budget imposes on a step, the energy stays bounded, no vorton and no tracer is lost,
//! and fluid with bodies stays finite.

use fluid_core::boundary::NoBodies;
use fluid_core::governor::{Budget, Measure, Quality};
use fluid_core::initial::Noise;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_scenes::by_name;
use fluid_scenes::run::Run;
use fluid_threads::{Executor, Pool, Serial};
use glam::Vec3;

const NONE: Budget = Budget { measure: Measure::Counted, fluid: 0.0, tracers: 0.0 };

/// Returns a random budget, from 0 to 1.5 times the cost of a full step, drawn anew every 45 steps.
fn random_budget(full: f64, step: u64) -> Budget {
    let random = Random::new(11);
    let part = |i: u64| 1.5 * f64::from(random.unit(2 * (step / 45) + i));
    Budget { measure: Measure::Counted, fluid: full * part(0), tracers: part(1) }
}

/// Takes the step of a frame as an engine does.
fn step(run: &mut Run, exec: &dyn Executor, dt: f32, budget: Budget) {
    for (index, rigid) in run.rigid_bodies.iter().enumerate() {
        run.bodies.set_state(index, rigid.state()).expect("finite");
    }
    run.sim.step_within(exec, &mut run.bodies, dt, budget).expect("a valid budget");
    run.sim.advance_tracers(exec, &mut run.bodies, &mut run.tracers, dt);
    for (index, rigid) in run.rigid_bodies.iter_mut().enumerate() {
        rigid.integrate(f64::from(dt));
        rigid.apply(&run.bodies.body_mut(index).take_impulse());
    }
}

/// Runs an undriven scene for this number of steps.
fn stays_bounded(name: &str, steps: u64) {
    let scene = by_name(name).expect("in the table");
    // With the relaxation rate that is the default for coarse clouds.
    let params = Params { relaxation_rate: Params::default().relaxation_rate, ..scene.params() };
    let mut run = Run::with(scene, params, Default::default()).expect("valid");
    run.tracers.retain(|place, _| place.x.abs() < 0.1);
    let (first, vortons, tracers) =
        (run.sim.pair_sums(&Serial).energy, run.sim.vortons().len(), run.tracers.len());
    let (mut largest, mut counts) = (0.0_f64, [0; 3]);
    for i in 0..steps {
        step(&mut run, &Serial, 1.0 / 60.0, random_budget(3.0, i));
        counts[run.sim.stats().quality as usize] += 1;
        if i % 50 == 49 {
            largest = largest.max(run.sim.pair_sums(&Serial).energy / first);
        }
    }
    let stats = run.sim.stats();
    println!("{name}: E/E0 up to {largest:.4}, {counts:?} steps, {} changes", stats.quality_changes);
    assert!(largest <= 1.05, "{name}: {largest}");
    assert_eq!((run.sim.vortons().len(), stats.non_finite), (vortons, 0), "{name}");
    assert_eq!((run.tracers.len(), stats.lost_tracers), (tracers, 0), "{name}");
    assert!(stats.quality_changes >= 4, "{name}: {counts:?}");
}

#[test]
fn of_a_ring() {
    stays_bounded("ring", 600);
}

#[test]
#[ignore = "long"]
fn of_a_ring_for_two_thousand_steps() {
    stays_bounded("ring", 2000);
}

#[test]
#[ignore = "long"]
fn of_a_jet_for_two_thousand_steps() {
    stays_bounded("jet", 2000);
}

#[test]
#[ignore = "long"]
fn of_colliding_rings_for_two_thousand_steps() {
    stays_bounded("head_on", 2000);
}

/// Returns the largest ratio of the noise's energy to its earlier minimum, and the number of quality changes.
/// `limit` is the fluid's budget at each step.
fn largest_rise_of_noise(spacing: f32, amplitude: f32, limit: &dyn Fn(u64) -> f64) -> (f64, u64) {
    let noise =
        Noise { centre: Vec3::ZERO, extent: Vec3::splat(12.0 * spacing), spacing, amplitude, seed: 1 };
    let params = Params { core_radius: 0.15, solver: SolverKind::Mesh, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&noise.vortons().expect("in range")).expect("there is room");
    let (mut least, mut rise) = (f64::INFINITY, 1.0_f64);
    for i in 0..400 {
        let budget = Budget { fluid: limit(i), ..NONE };
        sim.step_within(&Serial, &mut NoBodies, 1.0 / 120.0, budget).expect("valid");
        if i % 25 == 0 {
            let energy = sim.pair_sums(&Serial).energy;
            least = least.min(energy);
            rise = rise.max(energy / least);
        }
    }
    (rise, sim.stats().quality_changes)
}

/// Noise breaks up at once, and its energy differs between meshes: a change of mesh must not raise it by the
/// difference.
fn noise_does_not_rise(spacing: f32, amplitude: f32) {
    let free = f64::INFINITY;
    let often = |i: u64| if i % 150 < 100 { free } else { 0.0 };
    let schedules: [(&str, &dyn Fn(u64) -> f64); 4] = [
        ("full", &|_| free),
        ("cheapest", &|_| 0.0),
        ("once", &|i| if i < 60 { free } else { 0.0 }),
        ("often", &often),
    ];
    for (name, limit) in schedules {
        let (rise, changes) = largest_rise_of_noise(spacing, amplitude, limit);
        println!("noise {spacing} {amplitude}, {name}: {rise:.4}, {changes} changes");
        assert!(rise <= 1.01, "{spacing}, {amplitude}, {name}: {rise}");
        assert!(name != "often" || changes >= 3, "{changes} changes");
    }
}

#[test]
fn of_noise_whose_energy_meshes_see_differently() {
    noise_does_not_rise(0.1, 100.0);
}

#[test]
#[ignore = "long"]
fn of_sparse_noise_whose_energy_meshes_see_differently() {
    noise_does_not_rise(0.2, 30.0);
}

/// However often the quality changes, a smooth ring loses no more energy than at the most dissipative
/// quality, and gains none.
#[test]
fn changes_themselves_cost_next_to_nothing() {
    let scene = by_name("ring").expect("in the table");
    let run = |limit: &dyn Fn(u64) -> f64| {
        let mut run = Run::new(scene).expect("valid");
        run.tracers.clear();
        let first = run.sim.pair_sums(&Serial).energy;
        let mut largest = 0.0_f64;
        for i in 0..600 {
            step(&mut run, &Serial, 1.0 / 60.0, Budget { fluid: limit(i), tracers: f64::INFINITY, ..NONE });
            if i % 20 == 19 {
                largest = largest.max(run.sim.pair_sums(&Serial).energy / first);
            }
        }
        let last = run.sim.pair_sums(&Serial).energy / first;
        println!(
            "E/E0 at the end {last:.4}, at most {largest:.4}, {} changes",
            run.sim.stats().quality_changes
        );
        (last, largest, run.sim.stats().quality_changes)
    };
    let full = run(&|_| f64::INFINITY);
    let coarse = run(&|_| 0.0);
    let changing = run(&|i| if i % 62 == 0 { 0.0 } else { f64::INFINITY });
    assert!(changing.2 >= 6, "{changing:?}");
    assert!(changing.0 >= full.0.min(coarse.0) - 0.01, "{full:?}, {coarse:?}, {changing:?}");
    assert!(changing.1 <= full.1.max(coarse.1) + 0.003, "{full:?}, {coarse:?}, {changing:?}");
}

#[test]
fn of_scenes_with_bodies_and_density_on_any_number_of_threads() {
    for name in ["hot_ball", "ball_through_smoke", "two_drops"] {
        let scene = by_name(name).expect("in the table");
        let run = |exec: &dyn Executor| {
            let mut run = Run::new(scene).expect("valid");
            let mut coarse = 0;
            for i in 0..60 {
                let budget = random_budget(6.0, i * 5);
                step(&mut run, exec, 1.0 / 60.0, budget);
                coarse += usize::from(run.sim.stats().quality == Quality::CoarseMesh);
            }
            assert_eq!(run.sim.stats().non_finite, 0, "{name}");
            (run.sim.state_hash(), coarse, run.tracers.positions().to_vec())
        };
        let serial = run(&Serial);
        assert!(serial == run(&Pool::new(2).expect("threads")), "{name}");
        println!("{name}: {} of 60 steps on a coarse mesh", serial.1);
    }
}
