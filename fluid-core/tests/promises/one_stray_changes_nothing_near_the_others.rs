//! A vorton far from all others, inert, strong or heavy, does not affect the resolution of the others
//! (validation X4): vortons outside the mesh's box are summed directly, and counted.

use crate::common;

use fluid_core::boundary::NoBodies;
use fluid_core::grid::{Extent, ExtentRules};
use fluid_core::initial::VortexRing;
use fluid_core::math::Vec3Columns;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

const SPACING: f32 = 0.25;

fn ring() -> Vec<Vorton> {
    let ring = VortexRing {
        centre: Vec3::ZERO,
        axis: Vec3::X,
        radius: 1.0,
        thickness: 1.0,
        circulation: 20.0,
        spacing: SPACING,
    };
    ring.vortons().expect("in range")
}

fn moved(solver: SolverKind, strays: &[Vorton]) -> VortexSim {
    let mut vortons = ring();
    vortons.extend(strays);
    let params = Params { solver, max_grid_nodes: 1 << 16, ..common::inviscid(1.5 * SPACING) };
    let mut sim = common::world(params, &vortons);
    common::steps(&mut sim, 1.0 / 90.0, 30);
    sim
}

fn stray(x: f32, strength: f32) -> Vorton {
    Vorton {
        position: Vec3::new(x, 3.0, -2.0),
        strength: Vec3::Y * strength,
        volume: 0.01,
        ..Vorton::default()
    }
}

#[test]
fn whatever_it_carries() {
    let alone = moved(SolverKind::Mesh, &[]);
    let count = alone.vortons().len();
    let travelled = common::largest_distance(
        &common::positions(&alone),
        &ring().iter().map(|v| v.position).collect::<Vec<_>>(),
    );
    // A stray's velocity at the ring, 50 m away, is α/(4π 50²): for the last one a tenth of a percent of
    // the ring's speed.
    for (name, strays, outside) in [
        ("inert", vec![stray(50.0, 0.0)], 0),
        ("inert and very far", vec![stray(1e30, 0.0)], 0),
        ("weak", vec![stray(50.0, 1.0)], 1),
        ("strong", vec![stray(50.0, 200.0)], 1),
        ("strong, both sides", vec![stray(50.0, 100.0), stray(-60.0, 100.0)], 2),
        ("heavy", vec![Vorton { mass_deviation: 100.0, ..stray(50.0, 0.0) }], 0),
        ("very far", vec![stray(1e12, 100.0)], 1),
    ] {
        let sim = moved(SolverKind::Mesh, &strays);
        assert!(sim.field().is_on_mesh(), "{name}");
        assert_eq!(sim.stats().mesh_outside, outside, "{name}");
        let difference =
            common::largest_distance(&common::positions(&sim)[..count], &common::positions(&alone)[..count]);
        println!("{name}: {:.1e} of the way", difference / travelled);
        assert!(difference < 0.01 * travelled, "{name}: {difference} of {travelled}");
    }
}

/// The stray's velocity is included: near it, it is exact.
#[test]
fn and_is_felt_where_it_is() {
    let strays = [stray(50.0, 200.0)];
    let sim = moved(SolverKind::Mesh, &strays);
    let at = sim.vortons().get(sim.vortons().len() - 1).position;
    let places = [at + Vec3::X * 0.3, at + Vec3::Z];
    let mut found = [Vec3::ZERO; 2];
    sim.field().velocities(&places, &mut found);
    let exact = common::oracle(sim.params().kernel, sim.params().core_radius, &strays);
    for (place, found) in places.iter().zip(found) {
        let exact = exact.velocity(place.as_dvec3());
        assert!((found.as_dvec3() - exact).length() < 0.01 * exact.length(), "{found} for {exact}");
    }
}

/// The stray itself moves with the flow of the others.
#[test]
fn and_moves_with_the_flow() {
    let near = Vorton { position: Vec3::new(9.0, 1.0, 0.5), ..stray(0.0, 1e-3) };
    let mesh = moved(SolverKind::Mesh, &[near]);
    let direct = moved(SolverKind::Direct, &[near]);
    let last = mesh.vortons().len() - 1;
    let (a, b) = (mesh.vortons().get(last).position, direct.vortons().get(last).position);
    assert!(b.distance(near.position) > 1e-4, "it moves");
    assert!(a.distance(b) < 0.02 * b.distance(near.position), "{a} for {b}");
}

/// The number of vortons outside is as small as possible.
#[test]
fn the_box_holds_the_crowd() {
    let mut positions = Vec3Columns::default();
    for i in 0..1000_i16 {
        let at = |n: i16| f32::from(n % 10) * 0.1;
        positions.push(Vec3::new(at(i), at(i / 10), at(i / 100)));
    }
    for i in 0..5_i16 {
        positions.push(Vec3::new(500.0 + f32::from(i), -3.0, 200.0));
    }
    positions.push(Vec3::splat(f32::NAN));
    positions.push(Vec3::splat(1e35));
    let mut extent = Extent::new(ExtentRules {
        spacing: 0.1,
        margin: 4,
        max_nodes: 1 << 16,
        patience: 64,
        fits_ahead: 0,
        bytes_per_node: 0,
    });
    assert_eq!(extent.fit(&Serial, &positions, |_| true), 7);
    let shape = *extent.shape();
    assert!(shape.len() <= 1 << 16);
    let last = shape.position(shape.len() - 1);
    assert!(shape.origin().max_element() < -0.3 && last.min_element() > 1.2, "{} to {last}", shape.origin());
}

/// While the cloud drifts, the box keeps its size and moves by whole nodes.
#[test]
fn the_box_changes_its_size_rarely_and_its_nodes_never_move() {
    let mut extent = Extent::new(ExtentRules {
        spacing: 0.1,
        margin: 4,
        max_nodes: 1 << 16,
        patience: 64,
        fits_ahead: 0,
        bytes_per_node: 0,
    });
    let mut sizes = Vec::new();
    for step in 0..400 {
        let mut positions = Vec3Columns::default();
        let centre = Vec3::new(0.037, -0.011, 0.02) * step as f32;
        for i in 0..200 {
            let wobble = 0.05 * ((step * 7 + i) as f32).sin();
            positions.push(
                centre
                    + Vec3::new((i % 7) as f32 * 0.15 + wobble, (i % 5) as f32 * 0.2, (i / 35) as f32 * 0.2),
            );
        }
        assert_eq!(extent.fit(&Serial, &positions, |_| true), 0);
        sizes.push(extent.shape().dims());
        let nodes = extent.shape().origin() / 0.1;
        assert!((nodes - nodes.round()).abs().max_element() < 1e-3, "{nodes}");
    }
    sizes.dedup();
    assert!(sizes.len() <= 3, "{sizes:?}");
}

#[test]
fn without_strength_there_is_no_box_and_no_motion() {
    let vortons: Vec<Vorton> = ring().into_iter().map(|v| Vorton { strength: Vec3::ZERO, ..v }).collect();
    let params = Params { solver: SolverKind::Mesh, ..common::inviscid(0.375) };
    let mut sim = common::world(params, &vortons);
    sim.step(&Serial, &mut NoBodies, 0.1).expect("dt is finite");
    assert_eq!(sim.stats().mesh_nodes, 0);
    let before: Vec<Vec3> = vortons.iter().map(|v| v.position).collect();
    assert_eq!(common::positions(&sim), before);
}
