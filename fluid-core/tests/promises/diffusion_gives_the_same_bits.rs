//! Diffusion gives the same bits on every instruction set, with any workers and in any order of execution,
//! and does not depend on the unit of length.

use crate::diffusion::{CORE, both, diffuse, lattice, settings};
use fluid_core::InstructionSet;
use fluid_core::boundary::NoBodies;
use fluid_core::initial::FilamentRing;
use fluid_core::params::Params;
use fluid_core::particles::{Neighbours, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Precision;
use fluid_core::vorticity::diffuse::{Diffusion, DiffusionSettings};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

fn cloud() -> Vortons {
    // Rows, blocks and chunks that are not full.
    lattice([17, 15, 13], CORE / 1.6, 0.25, 0.5, |x| 0.3 + (30.0 * x.x).sin() * (17.0 * x.y).cos() + x.z)
}

fn bits(exec: &dyn Executor, settings: DiffusionSettings) -> u64 {
    let (mut vortons, mut diffusion) = (cloud(), Diffusion::default());
    let mut neighbours = Neighbours::default();
    for amount in [0.02, 0.3, 3.0] {
        diffusion.apply(exec, settings, &mut neighbours, &mut vortons, both(CORE * CORE), amount);
    }
    vortons.hash_bits(0)
}

#[test]
fn on_every_instruction_set() {
    let with = |instruction_set| bits(&Serial, DiffusionSettings { instruction_set, ..settings() });
    let portable = with(InstructionSet::Portable);
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        assert_eq!(with(set), portable, "{set:?}");
    }
}

#[test]
fn with_any_executor() {
    let serial = bits(&Serial, settings());
    for workers in [1, 2, 3, 8] {
        assert_eq!(
            bits(&Pool::new(workers).expect("threads start"), settings()),
            serial,
            "{workers} workers"
        );
    }
    for seed in 0..3 {
        assert_eq!(bits(&Shuffled::new(seed), settings()), serial, "shuffled {seed}");
    }
}

/// Runs a viscous ring around which vortons are created and removed, with and without enough capacity;
/// returns its hash.
fn ring(exec: &dyn Executor, instruction_set: InstructionSet, max_vortons: usize) -> u64 {
    let ring = FilamentRing {
        centre: Vec3::new(0.1, 0.2, 0.3),
        axis: Vec3::new(1.0, 2.0, 3.0),
        radius: 0.3,
        circulation: 1.0,
        core_radius: CORE,
        count: 24,
    };
    let params = Params {
        core_radius: CORE,
        viscosity: 5e-3,
        smagorinsky: 0.1,
        instruction_set,
        max_vortons,
        ..Params::default()
    };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&ring.vortons().expect("a ring")).expect("room");
    (0..40).for_each(|_| sim.step(exec, &mut NoBodies, 0.02).expect("a step"));
    assert!(sim.stats().halo_born > 100 && sim.stats().halo_retired > 0, "nothing comes and goes");
    sim.state_hash()
}

#[test]
fn with_vortons_that_come_and_go() {
    for room in [8192, 600] {
        let portable = ring(&Serial, InstructionSet::Portable, room);
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            assert_eq!(ring(&Serial, set, room), portable, "{set:?}");
        }
        for workers in [1, 2, 3, 8] {
            let pool = Pool::new(workers).expect("threads start");
            assert_eq!(ring(&pool, InstructionSet::Auto, room), portable, "{workers} workers");
        }
        assert_eq!(ring(&Shuffled::new(1), InstructionSet::Auto, room), portable, "shuffled");
    }
}

#[test]
fn fast_arithmetic_is_nearly_exact() {
    let (mut exact, mut fast) = (cloud(), cloud());
    diffuse(&mut exact, both(CORE * CORE), 0.3);
    let settings = DiffusionSettings { precision: Precision::Fast, ..settings() };
    Diffusion::default().apply(
        &Serial,
        settings,
        &mut Neighbours::default(),
        &mut fast,
        both(CORE * CORE),
        0.3,
    );
    let largest = exact.dyes.iter().fold(0.0_f32, |largest, v| largest.max(v.abs()));
    for (exact, fast) in exact.dyes.iter().zip(&fast.dyes) {
        assert!((exact - fast).abs() < 1e-5 * largest, "{exact} {fast}");
    }
}

#[test]
fn in_any_unit_of_length() {
    let mut here = cloud();
    diffuse(&mut here, both(CORE * CORE), 0.3);
    for scale in [1e-8_f32, 1e-3, 1e3, 1e9] {
        let mut there = cloud();
        for i in 0..there.len() {
            there.positions.set(i, there.positions.get(i) * scale);
            there.strengths.set(i, there.strengths.get(i) * scale.powi(3));
            there.volumes[i] *= scale.powi(3);
            there.mass_deviations[i] *= scale.powi(3);
            there.dyes[i] *= scale.powi(3);
        }
        let settings = DiffusionSettings { core_radius: CORE * scale, ..settings() };
        let rate = CORE * scale * CORE * scale;
        Diffusion::default().apply(
            &Serial,
            settings,
            &mut Neighbours::default(),
            &mut there,
            both(rate),
            0.3,
        );
        let largest = here.strengths.z.iter().fold(0.0_f32, |largest, v| largest.max(v.abs()));
        for (here, there) in here.strengths.iter().zip(there.strengths.iter()) {
            let difference = (there / scale.powi(3) - here).abs();
            // Far inside the bound of 1e-3: the remainder is the rounding of positions.
            assert!(difference.cmple(Vec3::splat(1e-5 * largest)).all(), "{scale}: {here} {there}");
        }
    }
}
