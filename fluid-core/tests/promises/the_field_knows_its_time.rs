//! The published field belongs to the middle of its step, and so does a copy of it.

use crate::common::{inviscid, leapfrog, world};
use fluid_core::boundary::NoBodies;
use fluid_core::params::Params;
use fluid_threads::Serial;

fn whatever_the_step(fourth_order_above: f32) {
    let mut sim = world(Params { fourth_order_above, ..inviscid(0.2) }, &leapfrog(1.0, 24));
    let mut copy = sim.field().clone();
    assert_eq!(sim.field().time(), 0.0);
    for dt in [0.02_f32, 0.05, 0.0, -0.03, 0.01] {
        let before = sim.time();
        sim.step(&Serial, &mut NoBodies, dt).expect("finite");
        let middle = 0.5 * (before + sim.time());
        assert!((sim.field().time() - middle).abs() < 1e-12, "{} instead of {middle}", sim.field().time());
        copy.copy_from(sim.field());
        assert_eq!(copy.time(), sim.field().time());
    }
}

#[test]
fn of_second_order() {
    whatever_the_step(f32::INFINITY);
}

#[test]
fn of_fourth_order() {
    whatever_the_step(0.0);
}
