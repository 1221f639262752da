//! Diffusion extends into fluid without vortons, as in the heat equation, from single vortons, filaments
//! and blobs; as many vortons are created as this requires, and no more (E44).

use crate::common::{filament_ring, steps, world};
use crate::diffusion::{CORE, both, diffuse, gaussian, lattice, spread, sum};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Neighbours, Vorton, Vortons};
use fluid_core::velocity::{Kernel, SolverKind};
use fluid_core::vorticity::rim::{Rim, RimSettings};
use fluid_threads::Serial;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const MOST: usize = 100_000;

/// Volume of the cell represented by one created vorton: (0.8 σ)³.
const CELL: f32 = 0.512 * CORE * CORE * CORE;

fn rim_settings(amount: f32, covered: &dyn Fn(Vec3) -> bool, max_vortons: usize) -> RimSettings<'_> {
    RimSettings {
        core_radius: CORE,
        amount: f64::from(amount * CORE * CORE),
        viscous: true,
        diffusive: true,
        covered,
        max_vortons,
    }
}

/// Lets a cloud diffuse: vortons are created, then they exchange, `count` times `amount` σ².
fn diffuse_freely(vortons: &mut Vortons, rim: &mut Rim, amount: f32, count: usize) {
    for _ in 0..count {
        rim.keep_up(&Serial, rim_settings(amount, &|_| false, MOST), &mut Neighbours::default(), vortons);
        diffuse(vortons, both(CORE * CORE), amount);
    }
}

/// Returns Σ m x / Σ m.
fn centre(vortons: &Vortons) -> DVec3 {
    let parts = vortons.positions.iter().zip(&vortons.mass_deviations);
    parts.map(|(x, &m)| x.as_dvec3() * f64::from(m)).sum::<DVec3>() / sum(&vortons.mass_deviations)
}

/// Returns ∫ω² dV and the second moment along an axis, of the cloud's content.
fn square_and_width(vortons: &Vortons) -> (f64, f64) {
    let parts = vortons.mass_deviations.iter().zip(&vortons.volumes);
    (parts.map(|(&m, &v)| f64::from(m).powi(2) / f64::from(v)).sum(), spread(vortons).x_axis.x)
}

#[test]
fn a_blob_spreads_far_beyond_its_vortons() {
    // A Gaussian in a cube of three widths to each side; at the end it extends to six of these.
    let spacing = CORE / 1.6;
    let width = 2.0 * spacing;
    for (jitter, unequal) in [(0.0, 0.0), (0.25, 0.5)] {
        let mut vortons = lattice([12; 3], spacing, jitter, unequal, gaussian(width));
        let (total, place) = (sum(&vortons.mass_deviations), centre(&vortons));
        let (square, before) = square_and_width(&vortons);
        let (amount, count) = (0.02, 100);
        diffuse_freely(&mut vortons, &mut Rim::default(), amount, count);
        let (left, after) = square_and_width(&vortons);
        let grown = 2.0 * f64::from(CORE * CORE * amount) * count as f64;
        let (left, exact) = (left / square, (1.0 + grown / f64::from(width * width)).powf(-1.5));
        let growth = (after - before) / grown;
        println!(
            "jitter {jitter}: 1728 then {} vortons, ∫ω² {left:.4} of {exact:.4}, growth {growth:.3}",
            vortons.len()
        );
        // An insulated cube keeps twice the exact value, and grows by .35 of the exact growth.
        assert!((1.0..1.3).contains(&(left / exact)), "{left} of {exact}");
        // Fluid below a few percent of the peak gets no vortons, and a Gaussian has 30 % of its second
        // moment beyond 5 % of its peak.
        assert!((0.68..1.0).contains(&growth), "{growth}");
        assert!((sum(&vortons.mass_deviations) / total - 1.0).abs() < 1e-6);
        assert!((centre(&vortons) - place).length() < 0.02 * f64::from(CORE), "{}", centre(&vortons) - place);
        assert!(vortons.dyes.iter().all(|&dye| dye > -1e-6));
    }
}

#[test]
fn one_vorton_becomes_a_gaussian() {
    let mut vortons = Vortons::default();
    let place = Vec3::new(0.31, -0.22, 0.17) * CORE;
    vortons.push(Vorton {
        position: place,
        strength: Vec3::Z,
        volume: CELL,
        mass_deviation: 1.0,
        dye: 1.0,
        ..Vorton::default()
    });
    let (amount, count) = (0.02, 100);
    diffuse_freely(&mut vortons, &mut Rim::default(), amount, count);
    let variance = spread(&vortons);
    let off = place.as_dvec3();
    let exact = 2.0 * f64::from(CORE * CORE * amount) * count as f64;
    let values = [
        variance.x_axis.x - off.x * off.x,
        variance.y_axis.y - off.y * off.y,
        variance.z_axis.z - off.z * off.z,
    ];
    println!("{} vortons, variance over exact {:?}", vortons.len(), values.map(|v| v / exact));
    for value in values {
        assert!((0.7..1.0).contains(&(value / exact)), "{}", value / exact);
    }
    assert!((sum(&vortons.strengths.z) - 1.0).abs() < 1e-6);
}

/// Returns 4πG of the default kernel, averaged over a Gaussian of this variance.
fn spread_green(r: f64, core: f64, variance: f64) -> f64 {
    let green = |q: f64| 4.0 * PI * Kernel::WinckelmansLeonard.green(q / core) / core;
    if variance == 0.0 {
        return green(r);
    }
    let width = variance.sqrt();
    let (low, high, panels) = ((r - 7.0 * width).max(0.0), r + 7.0 * width, 400);
    let step = (high - low) / f64::from(panels);
    let bell = |x: f64| (-x * x / (2.0 * variance)).exp();
    let value = |i: i32| {
        let q = low + (f64::from(i) + 0.5) * step;
        green(q) * q * (bell(r - q) - bell(r + q))
    };
    (0..panels).map(value).sum::<f64>() * step / ((2.0 * PI * variance).sqrt() * r)
}

/// Returns the energy of a circular filament of radius 1 with vorticity that has spread for νt, up to a
/// factor.
fn ring_energy(core: f64, nu_t: f64) -> f64 {
    let panels = 600;
    let value = |i: i32| {
        let angle = 2.0 * PI * (f64::from(i) + 0.5) / f64::from(panels);
        angle.cos() * spread_green(2.0 * (angle / 2.0).sin(), core, 4.0 * nu_t)
    };
    (0..panels).map(value).sum()
}

#[test]
fn a_filament_ring_loses_energy_as_vorticity_that_spreads() {
    for viscosity in [1e-3, 5e-3_f32] {
        let (core, dt, count) = (0.15_f32, 1.0 / 30.0, 45);
        let ring = filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 2.3, 53);
        let ring: Vec<_> = ring.into_iter().map(|v| Vorton { volume: 0.3 * core.powi(3), ..v }).collect();
        let params = Params { core_radius: core, viscosity, solver: SolverKind::Direct, ..Params::default() };
        let mut sim = world(params, &ring);
        let before = sim.pair_sums(&Serial).energy;
        steps(&mut sim, dt, count);
        let lost = 1.0 - sim.pair_sums(&Serial).energy / before;
        let nu_t = f64::from(viscosity * dt) * count as f64;
        let exact = 1.0 - ring_energy(core.into(), nu_t) / ring_energy(core.into(), 0.0);
        println!("ν {viscosity}: {} vortons, lost {lost:.4}, exact {exact:.4}", sim.vortons().len());
        // The rim stops at a few percent of the peak: 15 % too little at the start. (Steps too long to
        // follow the ring compensated for it.)
        assert!((lost / exact - 1.0).abs() < 0.18, "ν {viscosity}: {lost} of {exact}");
    }
}

#[test]
fn clusters_far_apart_spread_each_by_itself() {
    // The second is a hundred times weaker, the third is round-off.
    let mut vortons = Vortons::default();
    for (n, size) in [1.0, 0.01, 1e-9_f32].into_iter().enumerate() {
        let position = Vec3::new(3e3 * n as f32, -1e3, 7.0);
        vortons.push(Vorton { position, volume: CELL, mass_deviation: size, ..Vorton::default() });
    }
    let mut rim = Rim::default();
    diffuse_freely(&mut vortons, &mut rim, 0.02, 50);
    let near = |n: i32| vortons.positions.iter().filter(|x| (x.x - 3e3 * n as f32).abs() < 10.0).count();
    println!("{} {} {} vortons", near(0), near(1), near(2));
    assert!(near(0) > 50 && near(1) > 50, "{} {}", near(0), near(1));
    assert_eq!((near(2), near(0) + near(1) + 1), (1, vortons.len()));
}

#[test]
fn none_is_born_where_none_may_be() {
    let wall = |place: Vec3| place.x > 0.0;
    let mut vortons = lattice([6; 3], CORE / 1.6, 0.0, 0.0, |_| 1.0);
    let own = vortons.len();
    let mut rim = Rim::default();
    for _ in 0..50 {
        rim.keep_up(&Serial, rim_settings(0.02, &wall, MOST), &mut Neighbours::default(), &mut vortons);
        diffuse(&mut vortons, both(CORE * CORE), 0.02);
    }
    assert!(vortons.len() > own + 100);
    assert!((own..vortons.len()).all(|row| !wall(vortons.positions.get(row))));
    // Created vortons are marked, and others are not.
    assert!(
        (0..vortons.len()).all(|row| (vortons.halos[row], vortons.rims[row]) == (row >= own, row >= own))
    );
}

/// Returns the velocity of a vortex that turns its inside faster than its outside, and stretches its
/// content along its axis and back: every cell is sheared indefinitely.
fn stirred(place: Vec3, time: f32) -> Vec3 {
    let turn = 1.5 / (1.0 + place.truncate().length_squared());
    let draw = 0.4 * (1.3 * time).cos();
    Vec3::new(-turn * place.y - 0.5 * draw * place.x, turn * place.x - 0.5 * draw * place.y, draw * place.z)
}

#[test]
fn the_count_follows_the_volume_of_fluid_for_thousands_of_steps() {
    // So little diffusion that the volume hardly grows.
    let mut vortons = lattice([8; 3], 0.8 * CORE, 0.1, 0.0, gaussian(2.0 * CORE));
    let (total, own) = (sum(&vortons.mass_deviations), vortons.len());
    let mut rim = Rim::default();
    let dt = 1.0 / 60.0;
    let mut counts = Vec::new();
    for step in 0..6000 {
        rim.keep_up(&Serial, rim_settings(2e-5, &|_| false, MOST), &mut Neighbours::default(), &mut vortons);
        for row in 0..vortons.len() {
            let (place, time) = (vortons.positions.get(row) / CORE, step as f32 * dt);
            let middle = place + 0.5 * dt * stirred(place, time);
            vortons.positions.set(row, CORE * (place + dt * stirred(middle, time + 0.5 * dt)));
        }
        diffuse(&mut vortons, both(CORE * CORE), 2e-5);
        if step % 1000 == 999 {
            counts.push(vortons.len());
        }
    }
    println!("{own} then {counts:?} vortons");
    // For a Gaussian of two cores, the region above 1.5 % of its peak is within 5.8 cores: 1,600 cells.
    assert!(counts.iter().all(|&count| count < 1600), "{counts:?}");
    assert!(counts[5] as f64 <= 1.1 * counts[2] as f64, "{counts:?}");
    assert!((sum(&vortons.mass_deviations) / total - 1.0).abs() < 1e-5);
}

#[test]
fn with_little_room_the_strongest_places_get_vortons_evenly() {
    let middle = Vec3::new(0.5, 0.5, 0.5) * 0.8 * CORE;
    for most in [10, 20, 40, 100] {
        let mut vortons = Vortons::default();
        vortons.push(Vorton { position: middle, volume: CELL, mass_deviation: 1.0, ..Vorton::default() });
        let mut rim = Rim::default();
        for _ in 0..60 {
            rim.keep_up(
                &Serial,
                rim_settings(0.02, &|_| false, most),
                &mut Neighbours::default(),
                &mut vortons,
            );
            diffuse(&mut vortons, both(CORE * CORE), 0.02);
            // Around the corner of eight cells all sides are equivalent: vortons are created in whole
            // shells, and the centre stays in place.
            assert!(vortons.len() <= most);
            assert!((centre(&vortons) - middle.as_dvec3()).length() < 1e-5 * f64::from(CORE), "{most}");
        }
        println!("at most {most}: {}", vortons.len());
    }
}

#[test]
fn hostile_vortons_bear_nothing_and_break_nothing() {
    let random = Random::new(9);
    let good = Vorton { volume: CELL, mass_deviation: 1.0, strength: Vec3::X, ..Vorton::default() };
    for bad in [
        Vorton { position: Vec3::NAN, ..good },
        Vorton { position: Vec3::splat(f32::MAX), ..good },
        Vorton { position: Vec3::splat(1e15), ..good },
        Vorton { volume: 0.0, ..good },
        Vorton { volume: f32::NAN, ..good },
        Vorton { strength: Vec3::splat(f32::INFINITY), ..good },
        Vorton { mass_deviation: f32::NAN, ..good },
    ] {
        let mut vortons = Vortons::default();
        (0..20).for_each(|_| {
            vortons.push(bad);
        });
        let mut rim = Rim::default();
        diffuse_freely(&mut vortons, &mut rim, 0.1, 20);
        assert_eq!(vortons.len(), 20, "{bad:?}");
    }
    // Thousands at one position, with strengths from nearly 0 to the largest.
    let mut vortons = Vortons::default();
    for n in 0..3000 {
        let strength = random.centred_vec3(n) * (60.0 * random.centred_vec3(n + 5000).x).exp();
        vortons.push(Vorton { strength, ..good });
    }
    diffuse_freely(&mut vortons, &mut Rim::default(), 0.1, 10);
    assert!(vortons.strengths.iter().all(Vec3::is_finite));
}
