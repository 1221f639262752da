//! If vortons are summed directly and far apart, many tracers sample a coarse mesh by the spline: a third
//! of the nodes, as accurate as a fine one that is sampled linearly, and without effect on the fluid.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::initial::VortexRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

const SPACING: f32 = 0.3;
const TRACERS: u64 = 40_000;
const DT: f32 = 0.01;

/// Returns two thick rings `apart` \[m\] from each other, a large one and a small one, and a line of weak
/// vortons from one to the other: without it each would have a mesh of its own.
fn rings(apart: f32) -> Vec<Vorton> {
    let ring = |(centre, radius)| VortexRing {
        centre,
        axis: Vec3::X,
        radius,
        thickness: 1.0,
        circulation: 1.0,
        spacing: SPACING,
    };
    let rings = [(Vec3::ZERO, 2.0), (Vec3::X * apart, 1.0)];
    let mut vortons = rings.map(|ring_at| ring(ring_at).vortons().expect("in range")).concat();
    let line = (0..apart as u32).step_by(2).map(|x| Vorton {
        position: Vec3::X * x as f32,
        strength: Vec3::Y * 1e-4,
        ..Vorton::default()
    });
    vortons.extend(line);
    vortons
}

fn sim(vortons: &[Vorton], solver: SolverKind, field_sampling: FieldSampling) -> VortexSim {
    let params = Params { solver, field_sampling, ..common::inviscid(1.5 * SPACING) };
    common::world(params, vortons)
}

/// Tracers near both rings, and between them.
fn tracers(apart: f32) -> Tracers {
    let (random, mut tracers) = (Random::new(3), Tracers::default());
    for n in 0..TRACERS {
        let along = match n % 5 {
            0 => random.unit(n) * apart,
            n => (n % 2) as f32 * apart,
        };
        tracers.push(random.centred_vec3(n) * 3.0 + Vec3::X * along);
    }
    tracers
}

/// Returns the field after a step that has moved tracers.
fn sampled(vortons: &[Vorton], apart: f32, solver: SolverKind, sampling: FieldSampling) -> VortexSim {
    let (mut sim, mut tracers) = (sim(vortons, solver, sampling), tracers(apart));
    sim.step(&Serial, &mut NoBodies, 0.0).expect("finite");
    sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.0);
    sim
}

/// Returns the root-mean-square error relative to the direct sum's root mean square.
fn error(sim: &VortexSim, places: &[Vec3], direct: &[Vec3]) -> f32 {
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(places, &mut velocities);
    let off: f32 = velocities.iter().zip(direct).map(|(a, b)| a.distance_squared(*b)).sum();
    (off / direct.iter().map(|u| u.length_squared()).sum::<f32>()).sqrt()
}

#[test]
fn as_exactly_as_on_a_fine_mesh() {
    let apart = 60.0;
    let (vortons, places) = (rings(apart), tracers(apart).positions().to_vec());
    let direct = sampled(&vortons, apart, SolverKind::Direct, FieldSampling::Trilinear);
    let mut exact = vec![Vec3::ZERO; places.len()];
    direct.field().velocities(&places, &mut exact);
    let fine = sampled(&vortons, apart, SolverKind::Mesh, FieldSampling::Trilinear);
    let auto = sampled(&vortons, apart, SolverKind::Auto, FieldSampling::Trilinear);
    assert!(!auto.field().is_on_mesh() && auto.field().is_sampled_on_mesh());
    let (nodes, fewer) = (fine.field().sampled_nodes(), auto.field().sampled_nodes());
    let (off, wide) = (error(&fine, &places, &exact), error(&auto, &places, &exact));
    println!("{nodes} nodes: {off:.4}; {fewer} nodes: {wide:.4}");
    assert!(2 * fewer < nodes, "{fewer} of {nodes}");
    // The spline on 1.5 times the spacing has the same error as linear interpolation on the fine nodes.
    assert!(wide <= 1.1 * off && off < 0.1, "{wide} {off}");
    // With spline sampling the nodes stay fine.
    let spline = sampled(&vortons, apart, SolverKind::Auto, FieldSampling::QuadraticSpline);
    assert_eq!(spline.field().sampled_nodes(), nodes);
    assert!(error(&spline, &places, &exact) < 0.5 * off);
}

#[test]
fn near_ones_are_sampled_on_fine_nodes() {
    let vortons = rings(4.0);
    let auto = sampled(&vortons, 4.0, SolverKind::Auto, FieldSampling::Trilinear);
    let fine = sampled(&vortons, 4.0, SolverKind::Mesh, FieldSampling::Trilinear);
    assert_eq!(auto.field().sampled_nodes(), fine.field().sampled_nodes());
}

#[test]
fn the_fluid_does_not_depend_on_tracers() {
    let run = |with: bool| {
        let apart = 60.0;
        let (mut sim, mut tracers) = (
            sim(&rings(apart), SolverKind::Auto, FieldSampling::Trilinear),
            if with { tracers(apart) } else { Tracers::default() },
        );
        for _ in 0..5 {
            sim.step(&Serial, &mut NoBodies, DT).expect("finite");
            sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, DT);
            assert_eq!(sim.field().is_sampled_on_mesh(), with);
        }
        sim.state_hash()
    };
    assert_eq!(run(false), run(true));
}
