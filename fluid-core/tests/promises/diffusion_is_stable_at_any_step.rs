//! For any ν dt, nothing grows, nothing changes its sign, and diffusing quantities spread as far as they
//! should (validation P5).

use crate::diffusion::{CORE, both, diffuse, gaussian, lattice, spread, sum};
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::vorticity::diffuse::MOST_DIFFUSION_STAGES;
use glam::Vec3;

/// Returns the content per volume of each vorton.
fn contents(vortons: &Vortons) -> impl Iterator<Item = f32> {
    vortons.mass_deviations.iter().zip(&vortons.volumes).map(|(m, volume)| m / volume)
}

fn extremes(vortons: &Vortons) -> (f32, f32) {
    contents(vortons).fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

#[test]
fn a_step_of_ten_squared_cores_is_right() {
    // Wide enough for four standard deviations of the result.
    let start = lattice([60; 3], CORE / 1.6, 0.0, 0.0, gaussian(1.5 * CORE));
    let mut vortons = start.clone();
    let report = diffuse(&mut vortons, both(CORE * CORE), 10.0);
    assert!((20..=32).contains(&report.stages), "{report:?}");
    assert_eq!(report.share, 1.0);
    let grown = (spread(&vortons).x_axis.x - spread(&start).x_axis.x) / f64::from(20.0 * CORE * CORE);
    assert!((grown - 1.0).abs() < 0.1, "{grown}");
    let (low, high) = extremes(&vortons);
    assert!(low >= 0.0 && high <= extremes(&start).1, "{low} {high}");
}

#[test]
fn nothing_changes_its_sign_and_nothing_grows() {
    nothing_grows(&[(0.25, 0.7)]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn nothing_changes_its_sign_and_nothing_grows_in_equal_vortons() {
    nothing_grows(&[(0.0, 0.0), (0.25, 0.0)]);
}

fn nothing_grows(clouds: &[(f32, f32)]) {
    let spacing = CORE / 1.6;
    let spike = |x: Vec3| if x.length() < 0.6 * spacing { 1.0 } else { 0.0 };
    let corner = |x: Vec3| if x.min_element() > 9.0 * spacing { 1.0 } else { 0.0 };
    let half = |x: Vec3| if x.x > 0.0 { 1.0 } else { 0.0 };
    let ball = |x: Vec3| if x.length() < 1.3 * CORE { 1.0 } else { 0.0 };
    let starts: [&dyn Fn(Vec3) -> f32; 4] = [&spike, &corner, &half, &ball];
    for &(jitter, unequal) in clouds {
        for start in starts {
            let cloud = lattice([21; 3], spacing, jitter, unequal, start);
            for amount in [0.05, 0.12, 0.2, 0.3, 0.6, 1.0, 2.0, 3.0, 6.0, 10.0, 30.0, 100.0, 1e6] {
                let mut vortons = cloud.clone();
                diffuse(&mut vortons, both(CORE * CORE), amount);
                let ((low, high), (_, most)) = (extremes(&vortons), extremes(&cloud));
                // Rounding of 1 plus a change.
                let allowed = 2e-7 * most;
                assert!(low >= -allowed, "jitter {jitter}, {amount}: {low:e} of {high:e}");
                assert!(high <= most + allowed, "jitter {jitter}, {amount}: {high} of {most}");
            }
        }
    }
}

#[test]
fn what_is_too_much_is_cut_and_said_so() {
    let start = lattice([21; 3], CORE / 1.6, 0.0, 0.0, gaussian(CORE));
    let mut vortons = start.clone();
    let report = diffuse(&mut vortons, both(CORE * CORE), 1e3);
    assert_eq!(report.stages, MOST_DIFFUSION_STAGES);
    assert!((0.02..0.1).contains(&report.share), "{report:?}");
    for _ in 0..20 {
        diffuse(&mut vortons, both(1e30), 1e30);
    }
    // Uniform, in the end.
    let mean = (sum(&vortons.mass_deviations) / sum(&vortons.volumes)) as f32;
    let (low, high) = extremes(&vortons);
    assert!(low > 0.99 * mean && high < 1.01 * mean, "{low} {mean} {high}");
}

#[test]
fn a_knot_of_vortons_slows_no_other_down() {
    let cloud = lattice([16; 3], CORE / 1.6, 0.0, 0.0, gaussian(CORE));
    let alone = diffuse(&mut cloud.clone(), both(CORE * CORE), 0.5);
    let mut vortons = cloud;
    for _ in 0..300 {
        let position = Vec3::splat(0.1 * CORE);
        vortons.push(Vorton { position, volume: CORE.powi(3), dye: 1.0, ..Vorton::default() });
    }
    let report = diffuse(&mut vortons, both(CORE * CORE), 0.5);
    assert_eq!(report.share, 1.0);
    assert!(report.stages <= 3 * alone.stages, "{alone:?} {report:?}");
}
