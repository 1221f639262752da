//! Second moments grow by 2νt in every direction, waves decay at νk², and faces insulate: on lattices in
//! any number of dimensions, on jittered ones, and with unequal volumes (validation P2 to P4, H1).

use crate::diffusion::{CORE, both, diffuse, eigenvalues, gaussian, lattice, spread, sum};
use fluid_core::particles::Vortons;
use fluid_core::vorticity::diffuse::{DIFFUSION_RADIUS, Diffusivities};
use glam::{DMat3, Vec3};

/// Spacings of vortons in a volume.
const SPACINGS: [f32; 3] = [CORE / 1.5, CORE / 1.57, CORE / 1.65];

/// ν for which ν times one second is σ².
const CORE_PER_SECOND: f32 = CORE * CORE;

/// Returns the growth of the second moment over the exact one, 2νt, with ν t = `steps` times `amount` σ².
fn growth(mut vortons: Vortons, amount: f32, steps: usize) -> DMat3 {
    let before = spread(&vortons);
    for _ in 0..steps {
        diffuse(&mut vortons, both(CORE_PER_SECOND), amount);
    }
    (spread(&vortons) - before) * (1.0 / (2.0 * f64::from(CORE_PER_SECOND * amount) * steps as f64))
}

#[test]
fn a_blob_on_a_lattice_grows_by_two_nu_t_at_every_step() {
    for spacing in SPACINGS {
        for (amount, steps) in [(0.001, 5), (0.1, 3), (0.3, 1), (1.0, 1)] {
            let growth = growth(lattice([32; 3], spacing, 0.0, 0.0, gaussian(2.0 * spacing)), amount, steps);
            for value in eigenvalues(growth) {
                // The deficit has reached the edges; the error of one step is that of f32.
                assert!((value - 1.0).abs() < 2e-3, "{amount}: {value}");
            }
        }
    }
}

#[test]
fn a_blob_on_a_jittered_lattice_of_unequal_volumes_grows_nearly_so() {
    for spacing in SPACINGS {
        for (jitter, unequal) in [(0.25, 0.0), (0.0, 0.5), (0.25, 0.5)] {
            let cloud = lattice([32; 3], spacing, jitter, unequal, gaussian(2.5 * spacing));
            let values = eigenvalues(growth(cloud, 0.05, 4));
            let mean = values.iter().sum::<f64>() / 3.0;
            assert!((mean - 1.0).abs() < 0.02, "{mean}");
            assert!(values[2] / values[0] < 1.05, "{values:?}");
        }
    }
}

#[test]
fn a_spike_spreads_alike_in_all_directions() {
    for spacing in SPACINGS {
        let spike = |x: Vec3| if x.length() < 0.1 * spacing { 1.0 } else { 0.0 };
        for amount in [0.02, 0.4] {
            let values = eigenvalues(growth(lattice([25; 3], spacing, 0.0, 0.0, spike), amount, 1));
            assert!(values[2] / values[0] < 1.001, "{values:?}");
            assert!((values[1] - 1.0).abs() < 1e-3, "{values:?}");
        }
    }
}

/// Returns the decay rate of cos kx by the scheme on a full lattice, over ν: the scheme's symbol, in f64.
fn symbol(spacing: f64, k: f64) -> f64 {
    let radius = f64::from(DIFFUSION_RADIUS * CORE);
    let reach = (radius / spacing) as i32;
    let (mut moment, mut decay) = (0.0, 0.0);
    for z in -reach..=reach {
        for y in -reach..=reach {
            for x in -reach..=reach {
                let r2 = f64::from(x * x + y * y + z * z) * spacing * spacing;
                let weight = (1.0 - r2 / (radius * radius)).max(0.0).powi(2);
                moment += weight * r2 / 6.0;
                decay += weight * (1.0 - (k * f64::from(x) * spacing).cos());
            }
        }
    }
    decay / moment
}

#[test]
fn waves_decay_at_nu_k_squared() {
    for spacing in SPACINGS {
        for wave in [0.2_f32, 0.35, 0.5] {
            let k = wave / spacing;
            let mut vortons = lattice([24; 3], spacing, 0.0, 0.0, |x| (k * x.x).cos());
            let before = vortons.clone();
            let dt = 0.05;
            let report = diffuse(&mut vortons, both(CORE_PER_SECOND), dt);
            assert_eq!(report.stages, 1);
            // Vortons with all their neighbours, each of which also has all of its neighbours.
            let inner = |i: &usize| vortons.positions.get(*i).abs().max_element() < 6.5 * spacing;
            let project = |of: &Vortons| {
                let part = |i: usize| of.mass_deviations[i] * (k * of.positions.get(i).x).cos();
                (0..of.len()).filter(inner).map(|i| f64::from(part(i))).sum::<f64>()
            };
            let decay = (1.0 - project(&vortons) / project(&before)) / f64::from(CORE_PER_SECOND * dt);
            let (own, exact) = (symbol(f64::from(spacing), f64::from(k)), f64::from(k * k));
            assert!((decay / own - 1.0).abs() < 2e-3, "{decay} {own}");
            assert!((decay / exact - 1.0).abs() < 0.05, "{decay} {exact}");
        }
    }
}

/// Returns the decay rate of cos(nπ(x + L/2)/L), with slope 0 on both faces, in a bar, over κ(nπ/L)².
fn decay_in_a_bar(mode: f32, width: usize) -> f64 {
    let spacing = CORE / 1.6;
    let length = 40.0 * spacing;
    let k = mode * std::f32::consts::PI / length;
    let wave = |x: Vec3| (k * (x.x + length / 2.0)).cos();
    let mut vortons = lattice([40, width, width], spacing, 0.0, 0.0, wave);
    let project = |of: &Vortons| {
        of.positions.iter().zip(&of.mass_deviations).map(|(x, m)| f64::from(m * wave(x))).sum::<f64>()
    };
    let before = project(&vortons);
    // Until it has decayed to 1/e, in steps that cause half a percent of error.
    let time = 1.0 / (CORE_PER_SECOND * k * k);
    for _ in 0..100 {
        diffuse(&mut vortons, both(CORE_PER_SECOND), time / 100.0);
    }
    -(project(&vortons) / before).ln()
}

#[test]
fn faces_insulate() {
    for mode in [1.0, 2.0] {
        let row = decay_in_a_bar(mode, 1);
        assert!((row - 1.0).abs() < 0.02, "row, mode {mode}: {row}");
        // Along a face, vortons conduct like a layer thicker by 0.15 spacings: four faces, 24 spacings
        // apart.
        let bar = decay_in_a_bar(mode, 24);
        assert!((bar - 1.0 - 4.0 * 0.15 / 24.0).abs() < 0.01, "bar, mode {mode}: {bar}");
    }
}

#[test]
fn the_peak_of_a_warm_blob_falls_as_it_should() {
    let spacing = CORE / 1.6;
    let width = 2.5 * spacing;
    let mut vortons = lattice([35; 3], spacing, 0.0, 0.0, gaussian(width));
    let centre = vortons.len() / 2;
    let before = vortons.mass_deviations[centre];
    for _ in 0..10 {
        diffuse(&mut vortons, both(CORE_PER_SECOND), 0.1);
    }
    let exact = (1.0 + 2.0 * CORE_PER_SECOND / (width * width)).powf(-1.5);
    let ratio = vortons.mass_deviations[centre] / before / exact;
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
}

#[test]
fn planes_and_rows_diffuse_along_themselves_at_the_right_rate() {
    for spacing in SPACINGS {
        let plane = growth(lattice([40, 40, 1], spacing, 0.0, 0.0, gaussian(2.5 * spacing)), 0.1, 3);
        assert!((plane.x_axis.x - 1.0).abs() < 5e-3, "{plane}");
        assert!((plane.y_axis.y - 1.0).abs() < 5e-3, "{plane}");
        assert_eq!(plane.z_axis.z, 0.0);
        // On a row the limit of the boost is reached: somewhat too slow, never too fast.
        let row = growth(lattice([1, 60, 1], spacing, 0.0, 0.0, gaussian(3.0 * spacing)), 0.1, 3);
        assert!((0.85..1.005).contains(&row.y_axis.y), "{row}");
    }
}

#[test]
fn vorticity_and_heat_each_spread_at_their_own_rate() {
    let spacing = CORE / 1.6;
    let start = lattice([24; 3], spacing, 0.0, 0.0, gaussian(2.0 * spacing));
    for amount in [0.02, 0.5] {
        let (mut together, mut viscous, mut warm) = (start.clone(), start.clone(), start.clone());
        let (nu, kappa) = (CORE_PER_SECOND, 0.3 * CORE_PER_SECOND);
        diffuse(&mut together, Diffusivities { viscosity: nu, diffusivity: kappa }, amount);
        diffuse(&mut viscous, Diffusivities { viscosity: nu, diffusivity: 0.0 }, amount);
        diffuse(&mut warm, Diffusivities { viscosity: 0.0, diffusivity: kappa }, amount);
        assert_eq!(together.strengths, viscous.strengths);
        assert_eq!((&viscous.mass_deviations, &viscous.dyes), (&start.mass_deviations, &start.dyes));
        assert_eq!(warm.strengths, start.strengths);
        // Additional stages for the larger diffusivity leave the smaller one as accurate.
        let grown = |of: &Vortons| spread(of).x_axis.x - spread(&start).x_axis.x;
        let exact = 2.0 * f64::from(kappa * amount);
        for of in [&together, &warm] {
            assert!((grown(of) / exact - 1.0).abs() < 3e-3, "{}", grown(of) / exact);
        }
        // Dye diffuses like heat, to the bit.
        assert_eq!(together.dyes, together.mass_deviations);
    }
}

#[test]
fn a_viscous_vortex_widens_as_lamb_and_oseen_say() {
    // Vorticity alone: a row of blobs is a tube; in its middle nothing varies along it.
    let spacing = CORE / 1.6;
    let width = 2.0 * spacing;
    let tube = |x: Vec3| (-(x.x * x.x + x.y * x.y) / (2.0 * width * width)).exp();
    let mut vortons = lattice([29, 29, 15], spacing, 0.0, 0.0, tube);
    let slice = |of: &Vortons| {
        let middle = (0..of.len()).filter(|&i| of.positions.get(i).z.abs() < 0.1 * spacing);
        let (mut total, mut second) = (0.0, 0.0);
        for i in middle {
            let (x, weight) = (f64::from(of.positions.get(i).x), f64::from(of.strengths.z[i]));
            (total, second) = (total + weight, second + weight * x * x);
        }
        (total, second / total)
    };
    let (total, before) = slice(&vortons);
    let time = 0.5;
    for _ in 0..5 {
        diffuse(&mut vortons, both(CORE_PER_SECOND), time / 5.0);
    }
    let (left, after) = slice(&vortons);
    let growth = (after - before) / (2.0 * f64::from(CORE_PER_SECOND * time));
    assert!((left / total - 1.0).abs() < 1e-3, "{}", left / total);
    assert!((growth - 1.0).abs() < 0.01, "{growth}");
    assert!((sum(&vortons.strengths.z) / sum(&vortons.mass_deviations) - 3.0).abs() < 1e-5);
}
