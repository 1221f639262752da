//! Results are a function of the problem: workers, threads and order of execution change no bit (determinism,
//! level 1).

use crate::common::{random_cloud, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::combustion::Combustion;
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::velocity::SolverKind;
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

/// Chunks hold 64 targets, 1,024 particles and 256 tracers: these numbers are several chunks of each, with
/// a remainder.
const VORTONS: usize = 1500;
const TRACERS: usize = 1100;

/// More than the 16 steps after which tracers are sorted.
const STEPS: usize = 20;

/// All results of a run, as bits.
#[derive(PartialEq, Debug)]
struct Outcome {
    state: u64,
    stretch_number: u32,
    tracers: Vec<(u32, [u32; 3], u32)>,
    impulse: [u64; 3],
    energy: u64,
}

fn run(exec: &dyn Executor, params: Params) -> Outcome {
    let vortons: Vec<_> = weakened(random_cloud(VORTONS, 21), 0.02)
        .into_iter()
        .map(|v| Vorton { volume: 1e-3, mass_deviation: 2e-3 * v.strength.x, dye: 1e-4, ..v })
        .map(|v| Vorton { fuel: if params.combustion.is_on() { 30.0 } else { 0.0 }, ..v })
        .collect();
    let mut sim = world(params, &vortons);
    let def = EmitterDef {
        rate: 300.0,
        extent: Vec3::ONE,
        strength_spread: Vec3::splat(0.02),
        ..EmitterDef::default()
    };
    for seed in [1, 2] {
        sim.emitters_mut().push(Emitter::new(EmitterDef { seed, ..def }).expect("valid"));
    }
    let mut tracers = Tracers::default();
    tracers.turbulence = 0.5;
    random_cloud(TRACERS, 22).iter().for_each(|v| {
        tracers.push(v.position);
    });
    for _ in 0..STEPS {
        sim.step(exec, &mut NoBodies, 0.02).expect("dt is finite");
        sim.advance_tracers(exec, &mut NoBodies, &mut tracers, 0.02);
    }
    assert!(sim.vortons().len() > VORTONS, "emitters have emitted");
    assert_eq!(sim.stats().non_finite, 0);
    let row = |i: usize| {
        (tracers.ids()[i], tracers.positions()[i].to_array().map(f32::to_bits), tracers.ages()[i].to_bits())
    };
    let rows: Vec<_> = (0..tracers.len()).map(row).collect();
    assert!(rows.iter().enumerate().any(|(i, row)| row.0 != i as u32), "tracers have been sorted");
    Outcome {
        state: sim.state_hash(),
        stretch_number: sim.stats().stretch_number.to_bits(),
        tracers: rows,
        impulse: sim.moments(exec).linear_impulse.to_array().map(f64::to_bits),
        energy: sim.pair_sums(exec).energy.to_bits(),
    }
}

#[test]
fn serial_pools_and_a_hostile_order_agree() {
    agree(Params { core_radius: 0.15, max_age: 0.45, max_vortons: 1700, ..Params::default() });
}

/// About half of the vortons are warm enough to burn.
#[test]
fn and_in_a_fire() {
    let combustion = Combustion { ignition_temperature: 300.0, ..Combustion::default() };
    let params = Params { core_radius: 0.15, max_vortons: 1700, combustion, ..Params::default() };
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        agree(Params { solver, ..params });
    }
}

#[test]
fn on_the_mesh_with_density_and_diffusion_too() {
    let gravity = Vec3::new(0.0, 0.0, -1.0);
    let params = Params { core_radius: 0.15, max_vortons: 2600, gravity, ..Params::default() };
    agree(Params { solver: SolverKind::Mesh, viscosity: 1e-3, diffusivity: 2e-3, ..params });
}

fn agree(params: Params) {
    let run = |exec: &dyn Executor| run(exec, params);
    let truth = run(&Serial);
    for workers in [1, 2, 3, 8] {
        assert!(
            run(&Pool::new(workers).expect("threads start")) == truth,
            "{workers} workers give other bits"
        );
    }
    for seed in [1, 2, 3] {
        assert!(run(&Shuffled::new(seed)) == truth, "shuffled order {seed} gives other bits");
    }
}
