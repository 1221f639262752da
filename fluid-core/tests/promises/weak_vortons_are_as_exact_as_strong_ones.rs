//! Strengths near the smallest numbers of `f32` give the same flow as strong ones, to a factor: no
//! intermediate product is a denormal number, which would lose digits and cost up to thirty times as much.

use crate::common::random_cloud;
use fluid_core::boundary::NoBodies;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vorton;
use fluid_core::velocity::{
    DirectSettings, FlowSample, Kernel, Precision, SolverKind, SourceCloud, VelocityField,
};
use fluid_core::{InstructionSet, params::Params, sim::VortexSim};
use fluid_threads::Serial;
use glam::Vec3;

const CORE: f32 = 0.2;

/// Returns 2^-exponent.
fn power(exponent: i32) -> f32 {
    2.0_f32.powi(-exponent)
}

fn direct(vortons: &[Vorton]) -> Vec<FlowSample> {
    let settings = DirectSettings {
        kernel: Kernel::default(),
        core_radius: CORE,
        instruction_set: InstructionSet::Auto,
        precision: Precision::Exact,
    };
    let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
    for vorton in vortons {
        positions.push(vorton.position);
        strengths.push(vorton.strength);
    }
    let mut cloud = SourceCloud::new(settings);
    cloud.set(&positions, &strengths);
    let places: Vec<Vec3> = vortons.iter().map(|vorton| 3.0 * vorton.position).collect();
    let mut flow = vec![FlowSample::default(); places.len()];
    cloud.flow(&places, &mut flow);
    flow
}

fn on_mesh(vortons: &[Vorton]) -> Vec<FlowSample> {
    let params = Params { solver: SolverKind::Mesh, core_radius: CORE, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(vortons).expect("valid");
    sim.step(&Serial, &mut NoBodies, 0.0).expect("dt is finite");
    let places: Vec<Vec3> = vortons.iter().map(|vorton| 3.0 * vorton.position).collect();
    let mut flow = vec![FlowSample::default(); places.len()];
    sim.field().flow(&places, &mut flow);
    flow
}

#[test]
fn by_a_power_of_two() {
    let strong = random_cloud(300, 1);
    for solve in [direct, on_mesh] {
        let expected = solve(&strong);
        let fastest = expected.iter().map(|sample| sample.velocity.length()).fold(0.0, f32::max);
        for exponent in [1, 40, 90, 110, 118, 122] {
            let weak: Vec<Vorton> =
                strong.iter().map(|v| Vorton { strength: v.strength * power(exponent), ..*v }).collect();
            let flow = solve(&weak);
            for (weak, strong) in flow.iter().zip(&expected) {
                // In two factors: the inverse of the smallest is beyond f32.
                let velocity = weak.velocity / power(exponent / 2) / power(exponent - exponent / 2);
                let error = velocity.distance(strong.velocity);
                // The remainder is the rounding of results that are denormal numbers themselves.
                let rounding = if exponent < 110 { 0.0 } else { 1e-5 * fastest };
                assert!(error <= rounding, "2^-{exponent}: {velocity} instead of {}", strong.velocity);
            }
        }
    }
}

/// A few weak vortons among strong ones have no effect at all.
#[test]
fn next_to_nothing_is_nothing() {
    let strong = random_cloud(300, 1);
    for solve in [direct, on_mesh] {
        let silent = |strength: Vec3| {
            let weak =
                random_cloud(20, 2).into_iter().map(|v| Vorton { strength, position: 9.0 * v.position, ..v });
            strong.iter().copied().chain(weak).collect::<Vec<_>>()
        };
        let (with, without) = (solve(&silent(Vec3::splat(1e-30))), solve(&silent(Vec3::ZERO)));
        for (a, b) in with.iter().zip(&without) {
            assert_eq!(a.velocity, b.velocity);
        }
    }
}
