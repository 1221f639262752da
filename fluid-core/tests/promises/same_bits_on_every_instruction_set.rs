//! Exact arithmetic gives the same bits on the portable, AVX2 and AVX-512 paths, for whole steps
//! (determinism, level 2).

use crate::common::{random_cloud, weakened, world};
use fluid_core::InstructionSet;
use fluid_core::boundary::NoBodies;
use fluid_core::combustion::Combustion;
use fluid_core::params::Params;
use fluid_core::particles::{ScalarQuantity, Tracers, Vorton};
use fluid_core::velocity::{FlowSample, Kernel, Precision, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

/// Bits of all vortons, of the tracers and the density they carry, and of a sampled flow after some steps.
fn run(params: Params) -> (u64, Vec<[u32; 4]>, Vec<u32>) {
    // A multiple of neither the block nor the tile.
    let vortons: Vec<_> = weakened(random_cloud(701, 31), 0.02)
        .into_iter()
        .map(|v| Vorton { volume: 1e-3, mass_deviation: 2e-3 * v.strength.x, dye: 1e-4, ..v })
        .map(|v| Vorton { fuel: if params.combustion.is_on() { 30.0 } else { 0.0 }, ..v })
        .collect();
    let mut sim = world(params, &vortons);
    let mut tracers = Tracers::default();
    tracers.carry = Some(ScalarQuantity::DensityDeviation);
    tracers.turbulence = 0.5;
    random_cloud(301, 32).iter().for_each(|v| {
        tracers.push(v.position);
    });
    for _ in 0..18 {
        sim.step(&Serial, &mut NoBodies, 0.02).expect("dt is finite");
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.02);
    }
    assert_eq!((sim.vortons().len(), tracers.len()), (701, 301));
    let places: Vec<Vec3> = random_cloud(33, 33).iter().map(|v| 3.0 * v.position).collect();
    let mut flow = vec![FlowSample::default(); places.len()];
    sim.field().flow(&places, &mut flow);
    let bits = |sample: &FlowSample| {
        let gradient = sample.gradient.to_cols_array();
        sample.velocity.to_array().into_iter().chain(gradient).map(f32::to_bits).collect::<Vec<_>>()
    };
    assert!(tracers.values().iter().any(|&value| value != 0.0), "none shows density");
    let rows = tracers.positions().iter().zip(tracers.values());
    let tracers = rows.map(|(x, value)| [x.x, x.y, x.z, *value].map(f32::to_bits)).collect();
    (sim.state_hash(), tracers, flow.iter().flat_map(bits).collect())
}

/// About half of the vortons are warm enough to burn.
#[test]
fn fire_is_exact() {
    let combustion = Combustion { ignition_temperature: 300.0, ..Combustion::default() };
    for kernel in Kernel::ALL {
        for solver in [SolverKind::Direct, SolverKind::Mesh] {
            let params = Params { kernel, solver, combustion, core_radius: 0.15, ..Params::default() };
            let run = |instruction_set| run(Params { instruction_set, ..params });
            let portable = run(InstructionSet::Portable);
            for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
                assert!(run(set) == portable, "{set:?} gives other bits with {kernel:?}, {solver:?}");
            }
        }
    }
}

#[test]
fn exact_is_exact() {
    for kernel in Kernel::ALL {
        let params = |instruction_set| Params {
            kernel,
            instruction_set,
            precision: Precision::Exact,
            core_radius: 0.15,
            ..Params::default()
        };
        let portable = run(params(InstructionSet::Portable));
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            assert!(run(params(set)) == portable, "{set:?} gives other bits with {kernel:?}");
        }
    }
}

/// The mesh's Fourier transforms, density and diffusion, too.
#[test]
fn on_the_mesh_with_density_and_diffusion() {
    let params = |instruction_set| Params {
        instruction_set,
        precision: Precision::Exact,
        core_radius: 0.15,
        solver: SolverKind::Mesh,
        gravity: Vec3::new(0.0, 0.0, -1.0),
        viscosity: 1e-3,
        diffusivity: 2e-3,
        max_vortons: 701,
        ..Params::default()
    };
    let portable = run(params(InstructionSet::Portable));
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        assert!(run(params(set)) == portable, "{set:?} gives other bits");
    }
}

#[test]
fn a_set_that_is_missing_is_refused() {
    for instruction_set in InstructionSet::ALL {
        let valid = Params { instruction_set, ..Params::default() }.validate().is_ok();
        assert_eq!(valid, instruction_set.is_available(), "{instruction_set:?}");
    }
    assert!(InstructionSet::Auto.resolve().is_available());
}
