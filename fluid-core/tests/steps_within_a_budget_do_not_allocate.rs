//! Once each quality has been met, steps within a budget allocate nothing, and changes of quality neither.
//! The only test in its binary, because its threads share one counter.

mod counting;
mod common;

use common::{random_cloud, weakened, world};
use fluid_core::coupling::NoBodies;
use fluid_core::governor::{Budget, Measure, Quality, TracerQuality};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_threads::Serial;

#[test]
fn whatever_they_decide() {
    let spread = |v: Vorton| Vorton { position: 2.0 * v.position, ..v };
    let vortons: Vec<Vorton> = weakened(random_cloud(3000, 3), 1e-3).into_iter().map(spread).collect();
    let mut sim = world(Params { core_radius: 0.2, ..Params::default() }, &vortons);
    let mut tracers = Tracers::with_capacity(2000);
    random_cloud(2000, 42).iter().for_each(|v| {
        tracers.push(v.position);
    });
    let mut seen = Vec::with_capacity(400);
    let mut before = 0;
    for step in 0..400 {
        // Down in a step, and up again after a wait.
        let fluid = if [0, 100, 250].contains(&step) { 0.0 } else { f64::INFINITY };
        // One sample of each costs 0.019 ms by counts, two cost 0.028 ms.
        let tracers_within = if step == 60 || step > 300 { 0.0 } else { 0.025 };
        let budget = Budget { measure: Measure::Counted, fluid, tracers: tracers_within };
        if step == 200 {
            before = counting::allocations();
            seen.clear();
        }
        sim.step_within(&Serial, &mut NoBodies, 0.02, budget).expect("valid");
        sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.02);
        seen.push((sim.stats().quality, sim.stats().tracer_quality));
    }
    assert_eq!(counting::allocations() - before, 0);
    for quality in [Quality::Full, Quality::CoarseMesh] {
        assert!(seen.iter().any(|seen| seen.0 == quality), "never {quality:?}");
    }
    for quality in [TracerQuality::CoarseMesh, TracerQuality::EverySecondStep] {
        assert!(seen.iter().any(|seen| seen.1 == quality), "never {quality:?}");
    }
}
