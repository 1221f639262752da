//! Steps too long to follow the flow lose accuracy, but no vorton: strengths settle instead of growing
//! until they overflow (E6).

use fluid_core::boundary::NoBodies;
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

/// Returns the sum and maximum of |α| \[m³/s\].
fn sizes(sim: &VortexSim) -> (f64, f64) {
    let sizes = sim.vortons().strengths.iter().map(|strength| strength.as_dvec3().length());
    sizes.fold((0.0, 0.0), |(sum, largest), size| (sum + size, largest.max(size)))
}

/// Runs a cloud of noise of vorticity `amplitude` \[1/s\] for `steps` steps of `dt` \[s\]: the final state,
/// initial strengths, and the first and the largest stretch number.
fn run(
    amplitude: f32,
    dt: f32,
    steps: usize,
    solver: SolverKind,
    fourth: bool,
) -> (VortexSim, (f64, f64), (f32, f32)) {
    // Only the limit on growth: the energy budget would keep most of these flows from becoming so fast.
    let fourth_order_above = if fourth { 0.0 } else { f32::INFINITY };
    let params =
        Params { core_radius: 0.1, solver, energy_budget: false, fourth_order_above, ..Params::default() };
    let noise =
        Noise { centre: Vec3::ZERO, extent: Vec3::splat(0.6), spacing: 0.1 / 1.5, amplitude, seed: 5 };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&noise.vortons().expect("in range")).expect("valid vortons");
    let first = sizes(&sim);
    let (mut at_first, mut stretch) = (0.0, 0.0_f32);
    for _ in 0..steps {
        sim.step(&Serial, &mut NoBodies, dt).expect("a finite step");
        stretch = stretch.max(sim.stats().stretch_number);
        if at_first == 0.0 {
            at_first = stretch;
        }
    }
    (sim, first, (at_first, stretch))
}

fn from_a_little_to_a_thousand_times_too_long(solver: SolverKind, fourth: bool) {
    for amplitude in [100.0, 3e3, 1e5] {
        let (sim, first, (at_first, stretch)) = run(amplitude, 1.0 / 60.0, 60, solver, fourth);
        let last = sizes(&sim);
        println!(
            "{solver:?} {fourth} {amplitude}: |∇u| dt {at_first:.1}, up to {stretch:.1}, strengths {:.2} in all, largest {:.2} times",
            last.0 / first.0,
            last.1 / first.1
        );
        assert!(!sim.stats().was_followed());
        assert!(stretch > 1.0, "not too long at all: {stretch}");
        assert_eq!(sim.stats().non_finite, 0, "{solver:?} {amplitude}");
        // A fourth-order step moves farther from one solve to the next.
        let most = if fourth { 25.0_f32 } else { 12.0 }.max(1.5 * at_first);
        assert!(stretch < most, "{solver:?} {amplitude}: {stretch}");
    }
}

#[test]
fn a_thousand_times_too_long_by_direct_sum() {
    from_a_little_to_a_thousand_times_too_long(SolverKind::Direct, false);
}

#[test]
fn a_thousand_times_too_long_at_fourth_order() {
    from_a_little_to_a_thousand_times_too_long(SolverKind::Direct, true);
}

#[test]
#[ignore = "a quarter of a minute"]
fn a_thousand_times_too_long_at_fourth_order_on_the_mesh() {
    from_a_little_to_a_thousand_times_too_long(SolverKind::Mesh, true);
}

#[test]
fn a_thousand_times_too_long_on_the_mesh() {
    from_a_little_to_a_thousand_times_too_long(SolverKind::Mesh, false);
}

#[test]
fn a_step_that_can_follow_keeps_the_total_strength() {
    let (sim, first, (_, stretch)) = run(5.0, 1.0 / 60.0, 60, SolverKind::Direct, false);
    assert!(stretch < 0.5, "{stretch}");
    let total: DVec3 = sim.vortons().strengths.iter().map(|strength| strength.as_dvec3()).sum();
    let noise = run(5.0, 1.0 / 60.0, 0, SolverKind::Direct, false).0;
    let before: DVec3 = noise.vortons().strengths.iter().map(|strength| strength.as_dvec3()).sum();
    assert!((total - before).length() < 1e-5 * first.0, "{total} after {before}");
}
