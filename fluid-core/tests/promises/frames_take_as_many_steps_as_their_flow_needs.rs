//! `VortexSim::advance` divides a frame into as many equal steps as keep its stretch number within the
//! limit: equivalent to that many calls of `step`, with tracers in each of them.

use crate::common::{filament_ring, random_cloud, weakened, world};
use fluid_core::advance::{Advance, StepLimits};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const FRAME: f32 = 1.0 / 15.0;

fn cloud() -> (VortexSim, Tracers) {
    let sim = world(Params { core_radius: 0.2, ..Params::default() }, &weakened(random_cloud(200, 3), 0.8));
    let mut tracers = Tracers::default();
    random_cloud(50, 4).iter().for_each(|v| {
        tracers.push(v.position);
    });
    (sim, tracers)
}

fn advance(sim: &mut VortexSim, tracers: &mut Tracers, dt: f32, limits: StepLimits) -> Advance {
    let after_step = |sim: &mut VortexSim, bodies: &mut NoBodies, step: f32| {
        sim.advance_tracers(&Serial, bodies, tracers, step);
    };
    sim.advance(&Serial, &mut NoBodies, dt, limits, after_step).expect("right limits")
}

#[test]
fn equal_to_as_many_steps() {
    let (mut sim, mut tracers) = cloud();
    let (mut other, mut others) = cloud();
    let limits = StepLimits { max_stretch: 0.3, max_steps: 1000 };
    let mut most = 0;
    for frame in 0..5 {
        if frame == 0 {
            // The step of length 0 that measures the flow.
            other.step(&Serial, &mut NoBodies, 0.0).expect("finite");
        }
        let wanted = (f64::from(FRAME) * f64::from(other.stats().max_gradient) / f64::from(0.3_f32)).ceil();
        let taken = advance(&mut sim, &mut tracers, FRAME, limits);
        assert_eq!(f64::from(taken.steps), wanted);
        assert!((taken.step * taken.steps as f32 - FRAME).abs() < 1e-6 * FRAME);
        for _ in 0..taken.steps {
            other.step(&Serial, &mut NoBodies, taken.step).expect("finite");
            other.advance_tracers(&Serial, &mut NoBodies, &mut others, taken.step);
        }
        assert_eq!(sim.state_hash(), other.state_hash());
        assert_eq!(tracers.positions(), others.positions());
        most = most.max(taken.steps);
    }
    assert!(most > 3, "at most {most} steps: the flow is too slow to show anything");
    assert!((sim.time() - 5.0 * f64::from(FRAME)).abs() < 1e-6);
}

#[test]
fn backwards_as_many_as_forwards() {
    let (mut sim, mut tracers) = cloud();
    let mut back = sim.clone();
    let limits = StepLimits { max_stretch: 0.3, max_steps: 1000 };
    let steps = advance(&mut sim, &mut tracers, FRAME, limits).steps;
    assert_eq!(advance(&mut back, &mut tracers, -FRAME, limits).steps, steps);
    assert!(steps > 3 && back.time() < 0.0);
}

#[test]
fn a_limit_that_is_too_low_is_told() {
    let (mut sim, mut tracers) = cloud();
    let limits = StepLimits { max_stretch: 0.3, max_steps: 2 };
    let taken = advance(&mut sim, &mut tracers, FRAME, limits);
    assert_eq!((taken.steps, taken.followed), (2, false));
    // With enough steps allowed, the same frame is followed.
    let taken = advance(&mut sim, &mut tracers, FRAME, StepLimits { max_steps: 1000, ..limits });
    assert!(taken.steps > 2 && taken.followed);
}

#[test]
fn one_step_is_a_step() {
    let (mut sim, mut tracers) = cloud();
    let mut other = sim.clone();
    let one = StepLimits { max_stretch: f32::MAX, max_steps: 1 };
    let taken = advance(&mut sim, &mut tracers, FRAME, one);
    other.step(&Serial, &mut NoBodies, FRAME).expect("finite");
    assert_eq!((taken.steps, taken.step, sim.stats().steps), (1, FRAME, 1));
    assert_eq!(sim.state_hash(), other.state_hash());
    // Far too coarse: 10 s at a gradient of some 40 / s.
    let taken = advance(&mut sim, &mut tracers, 10.0, one);
    assert_eq!(taken.followed, sim.stats().was_followed());
    assert!(!taken.followed, "stretch number {}", sim.stats().stretch_number);
}

#[test]
fn what_was_added_is_looked_at() {
    let limits = StepLimits::default();
    let (mut sim, mut tracers) =
        (world(Params { core_radius: 0.2, ..Params::default() }, &[]), Tracers::default());
    assert_eq!(advance(&mut sim, &mut tracers, FRAME, limits).steps, 1, "nothing moves");
    sim.add_vortons(&filament_ring(Vec3::ZERO, Vec3::Z, 1.0, 2.0, 64)).expect("valid");
    assert!(!sim.has_seen_all());
    let taken = advance(&mut sim, &mut tracers, FRAME, limits);
    assert!(taken.steps > 1 && sim.has_seen_all(), "{taken:?}");
    assert!(sim.stats().stretch_number < 1.05 * limits.max_stretch, "{}", sim.stats().stretch_number);
}

#[test]
fn wrong_limits_change_nothing() {
    let (mut sim, _) = cloud();
    let before = sim.state_hash();
    let good = StepLimits::default();
    for (field, limits, dt) in [
        ("max_steps", StepLimits { max_steps: 0, ..good }, FRAME),
        ("max_stretch", StepLimits { max_stretch: 0.0, ..good }, FRAME),
        ("max_stretch", StepLimits { max_stretch: f32::NAN, ..good }, FRAME),
        ("max_stretch", StepLimits { max_stretch: f32::INFINITY, ..good }, FRAME),
        ("dt", good, 1.1e7),
        ("dt", good, f32::NAN),
    ] {
        let refused = sim.advance(&Serial, &mut NoBodies, dt, limits, |_, _, _| ()).expect_err(field);
        assert_eq!(refused.field, field);
    }
    assert_eq!((sim.state_hash(), sim.stats().steps), (before, 0));
}
