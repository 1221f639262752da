//! Once each quality has been used, steps within a budget allocate nothing, and changes of quality neither.
//! The only test in its binary, because its threads share one counter.

mod counting;
mod common;

use common::{random_cloud, weakened, world};
use fluid_core::boundary::NoBodies;
use fluid_core::governor::{Budget, Measure, Quality, TracerQuality};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_threads::Serial;

/// Steps of a cloud and its tracers within changing budgets. `limit` is the tracers' limit in most steps,
/// relative to their cost at full quality. Returns the levels that were used and the allocations of the
/// second half.
fn decided(vortons: usize, count: usize, limit: f64) -> (Vec<(Quality, TracerQuality)>, usize) {
    let spread = |v: Vorton| Vorton { position: 2.0 * v.position, ..v };
    let vortons: Vec<Vorton> = weakened(random_cloud(vortons, 3), 1e-3).into_iter().map(spread).collect();
    let mut sim = world(Params { core_radius: 0.2, ..Params::default() }, &vortons);
    let mut tracers = Tracers::with_capacity(count);
    random_cloud(count, 42).iter().for_each(|v| {
        tracers.push(v.position);
    });
    let mut seen = Vec::with_capacity(400);
    let (mut before, mut full) = (0, f64::INFINITY);
    for step in 0..400 {
        // The quality falls within a step, and rises again after a wait.
        let fluid = if [0, 100, 250].contains(&step) { 0.0 } else { f64::INFINITY };
        let within = if step == 60 || step > 300 { 0.0 } else { limit * full };
        let budget = Budget { measure: Measure::Counted, fluid, tracers: within };
        if step == 200 {
            before = counting::allocations();
            seen.clear();
        }
        sim.step_within(&Serial, &mut NoBodies, 0.02, budget).expect("valid");
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.02);
        if step == 10 {
            full = sim.stats().expected_tracer_cost;
        }
        seen.push((sim.stats().quality, sim.stats().tracer_quality));
    }
    (seen, counting::allocations() - before)
}

#[test]
fn whatever_they_decide() {
    let (seen, allocations) = decided(3000, 2000, 1.5);
    assert_eq!(allocations, 0);
    for quality in [Quality::Full, Quality::CoarseMesh] {
        assert!(seen.iter().any(|seen| seen.0 == quality), "never {quality:?}");
    }
    for quality in [TracerQuality::Full, TracerQuality::EverySecondStep] {
        assert!(seen.iter().any(|seen| seen.1 == quality), "never {quality:?}");
    }
    // So few vortons are summed directly, and their tracers have a separate mesh.
    let (seen, allocations) = decided(300, 20_000, 0.97);
    assert_eq!(allocations, 0);
    for quality in [TracerQuality::CoarseMesh, TracerQuality::EverySecondStep] {
        assert!(seen.iter().any(|seen| seen.1 == quality), "never {quality:?}");
    }
}
