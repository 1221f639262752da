//! For any vortons, diffusion neither panics nor produces values that are not finite; vortons that cannot
//! take part are left unchanged.

use crate::diffusion::{CORE, both, diffuse, gaussian, lattice, sum};
use crate::hostile::{float, vector};
use fluid_core::InstructionSet;
use fluid_core::particles::{Neighbours, Vorton, Vortons};
use fluid_core::velocity::Precision;
use fluid_core::vorticity::diffuse::{Diffusion, DiffusionSettings, Diffusivities};
use fluid_threads::Serial;
use glam::Vec3;
use proptest::prelude::*;

fn vorton() -> impl Strategy<Value = Vorton> {
    let volume = prop_oneof![4 => 0.0_f32..2.0, 1 => float()];
    (vector(), vector(), volume, float(), float()).prop_map(
        |(position, strength, volume, mass_deviation, dye)| Vorton {
            position,
            strength,
            volume,
            mass_deviation,
            dye,
            ..Vorton::default()
        },
    )
}

/// Returns the number of cases: PROPTEST_CASES if it is set (the long checks set it), else `usual`.
/// with_cases alone would ignore it.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Sets of this processor: cases for others would have to be rejected, and too many rejections are a
/// failure.
fn available_sets() -> Vec<InstructionSet> {
    InstructionSet::ALL.into_iter().filter(|set| set.is_available()).collect()
}

fn row_bits(vortons: &Vortons, i: usize) -> [u32; 5] {
    let Vorton { strength, mass_deviation, dye, .. } = vortons.get(i);
    [strength.x, strength.y, strength.z, mass_deviation, dye].map(f32::to_bits)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(3000)))]

    #[test]
    fn finite_stays_finite(
        rows in prop::collection::vec(vorton(), 0..40),
        core in prop_oneof![3 => 0.1_f32..2.0, 1 => prop::sample::select(vec![1e-9, 1e9])],
        set in prop::sample::select(available_sets()),
        precision in prop::sample::select(vec![Precision::Exact, Precision::Fast]),
        steps in prop::collection::vec((float(), float(), float()), 1..4),
    ) {
        let mut vortons = Vortons::default();
        rows.iter().for_each(|&row| {
            vortons.push(row);
        });
        let settings = DiffusionSettings { core_radius: core, instruction_set: set, precision };
        let (mut diffusion, mut neighbours) = (Diffusion::default(), Neighbours::default());
        for (viscosity, diffusivity, dt) in steps {
            let before = vortons.clone();
            let rates = Diffusivities { viscosity, diffusivity };
            let report = diffusion.apply(&Serial, settings, &mut neighbours, &mut vortons, rates, dt);
            prop_assert!((0.0..=1.0).contains(&report.share) && report.stages <= 64);
            for i in 0..vortons.len() {
                let was = before.get(i);
                if was.is_valid() && was.volume > 0.0 {
                    prop_assert!(vortons.get(i).is_valid(), "{was:?} {:?}", vortons.get(i));
                } else {
                    prop_assert_eq!(row_bits(&vortons, i), row_bits(&before, i));
                }
            }
        }
    }
}

#[test]
fn no_rate_no_time_no_change() {
    let cloud = lattice([8; 3], CORE / 1.6, 0.25, 0.5, gaussian(CORE));
    for (rates, dt) in [
        (both(0.0), 1.0),
        (both(-1.0), 1.0),
        (both(f32::NAN), 1.0),
        (both(1.0), 0.0),
        (both(1.0), -0.1),
        (both(1.0), f32::NAN),
    ] {
        let mut vortons = cloud.clone();
        let report = diffuse(&mut vortons, rates, dt);
        assert_eq!((report.stages, report.share), (0, 1.0));
        assert_eq!(vortons.hash_bits(0), cloud.hash_bits(0));
    }
}

#[test]
fn vortons_that_cannot_take_part_change_nothing_for_the_others() {
    let cloud = lattice([8; 3], CORE / 1.6, 0.25, 0.5, gaussian(CORE));
    let mut alone = cloud.clone();
    diffuse(&mut alone, both(CORE * CORE), 0.3);
    let good = Vorton { strength: Vec3::ONE, volume: CORE.powi(3), dye: 1.0, ..Vorton::default() };
    let strays = [
        Vorton { volume: 0.0, ..good },
        Vorton { volume: f32::NAN, ..good },
        Vorton { position: Vec3::NAN, ..good },
        Vorton { position: Vec3::splat(f32::INFINITY), ..good },
        Vorton { position: Vec3::new(1e30, 0.0, 0.0), ..good },
        Vorton { position: Vec3::new(0.0, -1e9, 1e15), ..good },
        Vorton { strength: Vec3::new(0.0, f32::NAN, 0.0), ..good },
        Vorton { mass_deviation: f32::INFINITY, ..good },
        Vorton { dye: f32::NAN, ..good },
    ];
    let mut vortons = cloud;
    strays.iter().for_each(|&stray| {
        vortons.push(stray);
    });
    let with_strays = vortons.clone();
    let report = diffuse(&mut vortons, both(CORE * CORE), 0.3);
    assert_eq!(report.share, 1.0);
    let rows = alone.len();
    assert!((0..rows).all(|i| row_bits(&vortons, i) == row_bits(&alone, i)));
    assert!((rows..vortons.len()).all(|i| row_bits(&vortons, i) == row_bits(&with_strays, i)));
}

#[test]
fn all_in_one_place_or_on_one_line_exchange_without_a_division_by_zero() {
    for direction in [Vec3::ZERO, Vec3::X, Vec3::new(1e-20, 0.0, 1e-12), Vec3::new(0.3, -1.0, 0.5)] {
        let mut vortons = Vortons::default();
        for i in 0..500 {
            let content = if i < 250 { 1.0 } else { 0.0 };
            vortons.push(Vorton {
                position: Vec3::splat(3.0) + direction * (i as f32 * 0.1 * CORE),
                strength: Vec3::splat(content),
                volume: CORE.powi(3),
                dye: content,
                ..Vorton::default()
            });
        }
        for _ in 0..10 {
            diffuse(&mut vortons, both(CORE * CORE), 1.0);
        }
        assert!(vortons.dyes.iter().all(|&dye| (-1e-6..1.000_001).contains(&dye)), "{direction}");
        let total: f64 = vortons.dyes.iter().map(|&dye| f64::from(dye)).sum();
        assert!((total / 250.0 - 1.0).abs() < 1e-6, "{direction}: {total}");
        assert!(vortons.dyes[249] < 0.9, "{direction}: nothing is exchanged");
    }
}

#[test]
fn a_cloud_wider_than_any_grid_is_sorted_all_the_same() {
    // Two clusters of two, 10⁸ cores apart on every axis, and a row of single ones between them.
    let good = Vorton { volume: CORE.powi(3), ..Vorton::default() };
    let mut vortons = Vortons::default();
    for corner in [-1e7_f32, 0.0, 1e3, 1e7] {
        for dye in [1.0, 0.0] {
            vortons.push(Vorton { position: Vec3::splat(corner), dye, ..good });
        }
    }
    for i in 0..1000 {
        vortons.push(Vorton { position: Vec3::new(1e4 * i as f32, -50.0, 1e5), ..good });
    }
    diffuse(&mut vortons, both(CORE * CORE), 1e3);
    for pair in vortons.dyes[..8].chunks(2) {
        assert!((pair[0] - pair[1]).abs() < 1e-3 && (pair[0] + pair[1] - 1.0).abs() < 1e-6, "{pair:?}");
    }
    assert!(vortons.dyes[8..].iter().all(|&dye| dye == 0.0));
}

#[test]
fn a_crowd_in_one_place_exchanges_as_one() {
    // 20,000 at three positions, near others: positions count as neighbours, not vortons.
    let mut vortons = lattice([8; 3], CORE / 1.6, 0.25, 0.5, gaussian(CORE));
    let own = vortons.len();
    let crowd = |n: usize| Vorton {
        position: Vec3::new(0.3, -0.2, 0.1) * CORE * (n % 3) as f32,
        volume: 1e-5 * CORE.powi(3),
        dye: if n.is_multiple_of(2) { 1e-5 } else { 0.0 },
        strength: Vec3::X * 1e-5 * (n % 5) as f32,
        ..Vorton::default()
    };
    (0..20_000).for_each(|n| {
        vortons.push(crowd(n));
    });
    let (dye, strength) = (sum(&vortons.dyes), sum(&vortons.strengths.x));
    for amount in [0.05, 1.0, 20.0] {
        let report = diffuse(&mut vortons, both(CORE * CORE), amount);
        assert!((own as u32..=own as u32 + 3).contains(&report.places), "{}", report.places);
    }
    assert!((sum(&vortons.dyes) / dye - 1.0).abs() < 1e-6, "{}", sum(&vortons.dyes) / dye);
    assert!((sum(&vortons.strengths.x) / strength - 1.0).abs() < 1e-6);
    assert!(vortons.dyes.iter().all(|&dye| dye > -1e-9));
}

#[test]
fn a_crowd_does_as_each_of_it_alone_would() {
    // Eight at one position exchange separately; sixteen halves of them as one. The results of the others
    // and of the halves must be the same.
    let mut others = lattice([7; 3], CORE / 1.6, 0.25, 0.5, |x| 1.0 + 5.0 * x.x);
    let place = Vec3::new(0.1, 0.12, 0.13) * CORE;
    others.retain(|vortons, row| vortons.positions.get(row).distance(place) > 0.9 * CORE);
    for amount in [0.02, 0.5, 5.0] {
        let run = |parts: usize| {
            let mut vortons = others.clone();
            for n in 0..8 * parts {
                let share = 1.0 / parts as f32;
                let content = share * CORE.powi(3) * (n / parts) as f32;
                vortons.push(Vorton {
                    position: place,
                    volume: 0.05 * share * CORE.powi(3),
                    dye: content,
                    strength: Vec3::Y * content,
                    ..Vorton::default()
                });
            }
            let report = diffuse(&mut vortons, both(CORE * CORE), amount);
            (vortons, report.places)
        };
        let ((each, places), (crowd, fewer)) = (run(1), run(2));
        let own = others.len();
        assert!(fewer < places, "{fewer} of {places} places");
        let largest = each.dyes.iter().fold(0.0_f32, |largest, &dye| largest.max(dye));
        for row in 0..own {
            let off = (each.dyes[row] - crowd.dyes[row]).abs() / largest;
            assert!(off < 1e-5, "{amount}: row {row} is off by {off}");
        }
        for n in 0..8 {
            let halves = crowd.dyes[own + 2 * n] + crowd.dyes[own + 2 * n + 1];
            let off = (each.dyes[own + n] - halves).abs() / largest;
            assert!(off < 1e-5, "{amount}: vorton {n} of the crowd is off by {off}");
        }
    }
}
