//! Without relaxation the flow is reversible: forward and back ends at the start (X1).

use crate::common::{inviscid, largest_distance, leapfrog, positions, steps, world};

#[test]
fn leapfrogging_rings_return_to_their_start() {
    // The midpoint rule returns to second order: 6.5e-5 measured at dt = 0.1 (validation X1), plus
    // round-off of f32.
    for dt in [0.1_f32, 1.0 / 30.0] {
        let mut sim = world(inviscid(0.2), &leapfrog(1.0, 48));
        let start = positions(&sim);
        let count = (8.0 / dt).round() as usize;
        steps(&mut sim, dt, count);
        assert!(largest_distance(&start, &positions(&sim)) > 1.0, "the rings have not moved");
        steps(&mut sim, -dt, count);
        let error = largest_distance(&start, &positions(&sim));
        // A thousandth of the radius.
        assert!(error <= 1e-3, "dt = {dt}: {error} away from the start");
        assert!(sim.time().abs() < 1e-6);
    }
}

#[test]
fn nothing_relaxes_and_nothing_is_emitted_backwards() {
    use fluid_core::emitter::{Emitter, EmitterDef};
    let mut sim = world(inviscid(0.2), &leapfrog(1.0, 48));
    sim.emitters_mut().push(Emitter::new(EmitterDef::default()).expect("valid"));
    sim.set_relaxation_rate(5.0).expect("valid");
    let mut plain = world(inviscid(0.2), &leapfrog(1.0, 48));
    steps(&mut sim, -0.05, 20);
    steps(&mut plain, -0.05, 20);
    assert_eq!(sim.state_hash(), plain.state_hash());
}

#[test]
fn a_step_is_as_coarse_backwards_as_forwards() {
    let [forwards, backwards] = [0.01, -0.01].map(|dt| {
        let mut sim = world(inviscid(0.2), &leapfrog(1.0, 48));
        steps(&mut sim, dt, 1);
        sim.stats().stretch_number
    });
    assert!(forwards > 0.01, "{forwards}");
    // The midpoints of the steps are 0.01 s apart.
    assert!((backwards / forwards - 1.0).abs() < 0.01, "{backwards} backwards, {forwards} forwards");
}
