//! The origin of a fluid may be shifted by any vector: the field is immediately the same, and the fluid
//! evolves as without the shift, up to the rounding of positions, with every solver and sampling method.

use crate::common::{filament_ring, inviscid, largest_distance, positions, random_cloud, steps, world};
use crate::drops::{ball, heavy_fluid, moved, vortons};
use fluid_core::density::{Ambient, ScalarSample, Stratification};
use fluid_core::initial::DensityProfile::TopHat;
use fluid_core::kill_volumes::{KillShape, KillSide, KillVolume};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, FlowSample, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const ORIGINS: [Vec3; 3] =
    [Vec3::new(33.3, -7.7, 12.1), Vec3::new(-60.0, 41.0, 0.37), Vec3::new(0.011, 0.0, -5.5)];

/// Positions in and around a cloud within 1 m, some of them far outside any box.
fn places() -> Vec<Vec3> {
    let random = Random::new(11);
    let size = |n: u64| if n.is_multiple_of(5) { 30.0 } else { 3.0 };
    (0..300).map(|n| size(n) * random.centred_vec3(n)).collect()
}

fn samples(sim: &VortexSim, places: &[Vec3]) -> (Vec<FlowSample>, Vec<ScalarSample>) {
    let mut flow = vec![FlowSample::default(); places.len()];
    let mut scalars = vec![ScalarSample::default(); places.len()];
    sim.field().flow(places, &mut flow);
    sim.field().scalars(places, &mut scalars);
    (flow, scalars)
}

/// Shifts a fluid to the origins one after the other, with steps in between, and compares it with an
/// unshifted one.
fn check(params: Params, vortons: &[Vorton], places: &[Vec3], dt: f32) {
    let (mut still, mut shifted) = (world(params, vortons), world(params, vortons));
    let mut total = Vec3::ZERO;
    for origin in ORIGINS {
        [&mut still, &mut shifted].into_iter().for_each(|sim| steps(sim, dt, 6));
        let here = |places: &[Vec3], total: Vec3| places.iter().map(|&p| p - total).collect::<Vec<_>>();
        let before = samples(&shifted, &here(places, total));
        shifted.shift_origin(origin);
        total += origin;
        let after = samples(&shifted, &here(places, total));
        let fastest = before.0.iter().map(|flow| flow.velocity.length()).fold(0.0, f32::max);
        for ((a, b), (c, d)) in before.0.iter().zip(&after.0).zip(before.1.iter().zip(&after.1)) {
            assert!((a.velocity - b.velocity).length() <= 2e-3 * fastest, "{} {}", a.velocity, b.velocity);
            assert!((c.density - d.density).abs() <= 2e-4, "{} {}", c.density, d.density);
            assert!((c.deviation - d.deviation).abs() <= 2e-4, "{} {}", c.deviation, d.deviation);
        }
        let back: Vec<Vec3> = positions(&shifted).iter().map(|&p| p + total).collect();
        assert_eq!(back.len(), still.vortons().len());
        let off = largest_distance(&back, &positions(&still));
        assert!(off < 3e-4, "{off} m");
        assert_eq!(shifted.stats().mesh_nodes, still.stats().mesh_nodes);
    }
}

#[test]
fn however_it_is_solved_and_sampled() {
    for solver in [SolverKind::Direct, SolverKind::Mesh, SolverKind::Auto] {
        for field_sampling in [FieldSampling::Trilinear, FieldSampling::QuadraticSpline] {
            let params = Params { solver, field_sampling, expected_samples: 100_000, ..inviscid(0.2) };
            check(params, &random_cloud(400, 3), &places(), 1e-3);
        }
    }
}

#[test]
fn with_strengths_that_owe_impulse() {
    let params = Params { energy_budget: true, relaxation_rate: 10.0, ..inviscid(0.2) };
    check(params, &random_cloud(300, 5), &places(), 1e-3);
}

#[test]
fn with_vortons_at_its_rim() {
    let ring = filament_ring(Vec3::ZERO, Vec3::Z, 0.5, 1.0, 64);
    let params = Params { viscosity: 2e-3, diffusivity: 1e-3, ..inviscid(0.1) };
    check(params, &ring, &places(), 1e-2);
}

#[test]
fn with_drops_in_boxes_of_their_own_in_layers() {
    let drop = vortons(&ball(TopHat, 0.25, 1.5));
    let far = Vec3::new(300.0, 0.0, 100.0);
    let drops: Vec<Vorton> =
        [Vec3::ZERO, far].iter().flat_map(|&place| moved(&drop, |x| x + place)).collect();
    let near_each: Vec<Vec3> = places().iter().flat_map(|&p| [p, p + far]).collect();
    let normal = Vec3::new(0.0, 0.6, 0.8);
    for stratification in [
        Stratification::Layers { normal, height: 0.3, jump: -0.05, thickness: 0.4 },
        Stratification::Linear { gradient: Vec3::new(0.0, 0.0, -2e-4) },
    ] {
        let ambient = Ambient { stratification, ..Ambient::default() };
        check(Params { ambient, ..heavy_fluid(0.375) }, &drops, &near_each, 1e-3);
    }
}

/// The halo of a flat cloud is created in its plane.
#[test]
fn in_a_plane() {
    let vorton = |i: i32, j: i32| Vorton {
        position: 0.25 * Vec3::new(i as f32, 0.0, j as f32),
        volume: 0.25_f32.powi(3),
        mass_deviation: if i * i + j * j < 9 { 1e-3 } else { 0.0 },
        ..Vorton::default()
    };
    let sheet: Vec<Vorton> = (-4..=4).flat_map(|i| (-4..=4).map(move |j| vorton(i, j))).collect();
    let mut sim = world(heavy_fluid(0.375), &sheet);
    steps(&mut sim, 1e-2, 2);
    sim.shift_origin(Vec3::new(1.0, 5.0, -3.0));
    steps(&mut sim, 1e-2, 8);
    assert!(sim.stats().halo_born > 0);
    let plane = positions(&sim).iter().map(|p| (p.y + 5.0).abs()).fold(0.0, f32::max);
    assert!(plane < 1e-5, "{plane} m out of the plane");
}

#[test]
fn zero_changes_no_bit_and_far_shifts_add_up() {
    let mut sim = world(inviscid(0.2), &random_cloud(50, 2));
    steps(&mut sim, 1e-3, 3);
    let hash = sim.state_hash();
    sim.shift_origin(Vec3::ZERO);
    assert_eq!(sim.state_hash(), hash);
    // A round trip of 40,000 km.
    let before = positions(&sim);
    for n in 0..40 {
        let origin = Vec3::new(1e6, -512.0, 64.0) * if n % 2 == 0 { 1.0 } else { -1.0 };
        sim.shift_origin(origin);
    }
    assert!(largest_distance(&before, &positions(&sim)) < 0.1);
    sim.step(&Serial, &mut fluid_core::boundary::NoBodies, 1e-3).expect("valid");
}

/// A reset fluid returns to the origin at which it was created, with its persistent parts: kill volumes and
/// the ambient.
#[test]
fn a_fluid_that_is_reset_is_where_it_was_made() {
    let (mut sim, random) = (VortexSim::new(Params::default()).expect("valid"), Random::new(4));
    let volumes = [0, 1, 2].map(|n| KillVolume {
        shape: KillShape::Ball(1.0),
        position: (random.centred_vec3(n) * 1024.0).round(),
        rotation: Quat::IDENTITY,
        side: KillSide::Inside,
    });
    sim.set_kill_volumes(&volumes).expect("valid");
    for n in 3..9 {
        sim.shift_origin((random.centred_vec3(n) * 1024.0).round());
    }
    assert_ne!(sim.kill_volumes(), volumes);
    sim.reset();
    assert_eq!(sim.kill_volumes(), volumes);
    assert_eq!(sim.params().ambient, Params::default().ambient);
}
