//! The direct sum in f32 lanes equals the formulas: for every kernel, instruction set, and count around a
//! block or a tile (A1).

use crate::common::{oracle, random_cloud};
use fluid_core::InstructionSet;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::velocity::{DirectSettings, FlowSample, Kernel, Precision, SourceCloud, VelocityField};
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Vec3};

const CORE: f32 = 0.1;

/// A few dozen roundings of 6e-8 per pair and (512 + N/512) additions with mostly cancelling errors stay
/// below this fraction of the largest value.
const EXACT: f64 = 1e-5;

/// The reciprocal square root of fast arithmetic is accurate to 1e-5, and the gradient uses its fifth
/// power.
const FAST: f64 = 1e-4;

/// The exact flow at some targets.
struct Truth {
    velocities: Vec<DVec3>,
    gradients: Vec<DMat3>,
    fastest: f64,
    steepest: f64,
}

fn truth(kernel: Kernel, sources: &[Vorton], targets: &[Vec3]) -> Truth {
    let oracle = oracle(kernel, CORE, sources);
    let velocities: Vec<_> = targets.iter().map(|x| oracle.velocity(x.as_dvec3())).collect();
    let gradients: Vec<_> = targets.iter().map(|x| oracle.gradient(x.as_dvec3())).collect();
    let fastest = velocities.iter().map(|u| u.length()).fold(0.0, f64::max);
    let steepest = gradients.iter().map(|g| norm(*g)).fold(0.0, f64::max);
    Truth { velocities, gradients, fastest, steepest }
}

fn norm(g: DMat3) -> f64 {
    (g.x_axis.length_squared() + g.y_axis.length_squared() + g.z_axis.length_squared()).sqrt()
}

fn cloud_of(sources: &[Vorton], settings: DirectSettings) -> SourceCloud {
    let mut vortons = Vortons::default();
    for &vorton in sources {
        vortons.push(vorton);
    }
    let mut cloud = SourceCloud::new(settings);
    cloud.set(&vortons.positions, &vortons.strengths);
    cloud
}

/// Returns the largest errors of velocity and gradient over all targets, relative to the largest exact
/// values; over all three entry points.
fn errors(truth: &Truth, cloud: &SourceCloud, targets: &[Vec3]) -> (f64, f64) {
    let mut velocities = vec![Vec3::NAN; targets.len()];
    cloud.velocities(targets, &mut velocities);
    let mut flow = vec![FlowSample::default(); targets.len()];
    cloud.flow(targets, &mut flow);
    let mut columns = Vec3Columns::default();
    targets.iter().for_each(|&x| columns.push(x));
    let mut parallel = vec![FlowSample::default(); targets.len()];
    cloud.flow_in_parallel(&Serial, &columns, &mut parallel);
    assert_eq!(flow, parallel);
    let (mut velocity_error, mut gradient_error) = (0.0_f64, 0.0_f64);
    for i in 0..targets.len() {
        for velocity in [velocities[i], flow[i].velocity] {
            let error = (velocity.as_dvec3() - truth.velocities[i]).length();
            assert!(error.is_finite());
            velocity_error = velocity_error.max(error);
        }
        gradient_error = gradient_error.max(norm(flow[i].gradient.as_dmat3() - truth.gradients[i]));
    }
    // A single vorton induces no velocity at its own position: there is no largest value to be relative to,
    // and no error.
    (
        velocity_error / truth.fastest.max(f64::MIN_POSITIVE),
        gradient_error / truth.steepest.max(f64::MIN_POSITIVE),
    )
}

fn check(sources: &[Vorton], targets: &[Vec3]) {
    for kernel in Kernel::ALL {
        let truth = truth(kernel, sources, targets);
        for instruction_set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            for (precision, bound) in [(Precision::Exact, EXACT), (Precision::Fast, FAST)] {
                let settings = DirectSettings { kernel, core_radius: CORE, instruction_set, precision };
                let cloud = cloud_of(sources, settings);
                assert_eq!(cloud.len(), sources.len());
                let (velocity, gradient) = errors(&truth, &cloud, targets);
                let case = format!("{} sources, {} targets, {settings:?}", sources.len(), targets.len());
                assert!(velocity <= bound, "velocity error {velocity:e}: {case}");
                assert!(gradient <= bound, "gradient error {gradient:e}: {case}");
            }
        }
    }
}

fn places(vortons: &[Vorton]) -> Vec<Vec3> {
    vortons.iter().map(|vorton| vorton.position).collect()
}

#[test]
fn a_cloud_of_two_thousand() {
    let vortons = random_cloud(2000, 1);
    check(&vortons, &places(&vortons));
}

#[test]
fn counts_around_blocks_and_tiles() {
    let vortons = random_cloud(513, 2);
    let places = places(&random_cloud(40, 3));
    for sources in [1, 2, 15, 16, 17, 511, 512, 513] {
        check(&vortons[..sources], &places);
    }
    for targets in [1, 15, 16, 17, 31, 32, 33] {
        check(&vortons[..100], &places[..targets]);
    }
}

#[test]
fn nothing_induces_nothing() {
    let cloud = cloud_of(
        &[],
        DirectSettings {
            kernel: Kernel::default(),
            core_radius: CORE,
            instruction_set: InstructionSet::Auto,
            precision: Precision::Exact,
        },
    );
    let mut out = [Vec3::ONE; 3];
    cloud.velocities(&[Vec3::ZERO; 3], &mut out);
    assert_eq!(out, [Vec3::ZERO; 3]);
    cloud.velocities(&[], &mut []);
    cloud.flow(&[], &mut []);
}
