//! The particle mesh reproduces the direct sum's velocity to a stated fraction of its largest speed, at the
//! vortons, between the nodes, outside the box, and with strays (E25, E26). These tests print the table of
//! `docs/equations.md`.

use crate::common;

use crate::common::{oracle, world};
use fluid_core::boundary::NoBodies;
use fluid_core::initial::{FilamentRing, VortexRing, VortexSheet, VortexTube};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{FieldSampling, FlowSample, Kernel, SolverKind, VelocityField};
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Vec3};

/// Root mean square and largest error, relative to the largest exact length.
#[derive(Debug, Clone, Copy)]
struct Errors {
    rms: f64,
    max: f64,
}

fn errors(found: impl Iterator<Item = DVec3>, exact: &[DVec3]) -> Errors {
    let largest = exact.iter().map(|u| u.length()).fold(0.0, f64::max);
    let errors: Vec<f64> = found.zip(exact).map(|(u, e)| (u - *e).length() / largest).collect();
    assert_eq!(errors.len(), exact.len());
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    Errors { rms, max: errors.iter().copied().fold(0.0, f64::max) }
}

fn on_mesh(core_radius: f32, nodes_per_core: f32, sampling: FieldSampling, vortons: &[Vorton]) -> VortexSim {
    let params = Params {
        core_radius,
        nodes_per_core,
        field_sampling: sampling,
        solver: SolverKind::Mesh,
        max_grid_nodes: 1 << 20,
        ..common::inviscid(core_radius)
    };
    let mut sim = world(params, vortons);
    sim.step(&Serial, &mut NoBodies, 0.0).expect("dt is finite");
    assert!(sim.field().is_on_mesh() && sim.stats().mesh_outside == 0);
    sim
}

/// Returns the velocity and gradient errors at the vortons themselves.
fn at_vortons(core_radius: f32, nodes_per_core: f32, vortons: &[Vorton]) -> (Errors, f64) {
    let sim = on_mesh(core_radius, nodes_per_core, FieldSampling::Trilinear, vortons);
    let places: Vec<Vec3> = vortons.iter().map(|v| v.position).collect();
    let mut flow = vec![FlowSample::default(); places.len()];
    sim.field().flow(&places, &mut flow);
    let exact = oracle(Kernel::default(), core_radius, vortons);
    let velocities: Vec<DVec3> = places.iter().map(|p| exact.velocity(p.as_dvec3())).collect();
    let gradients: Vec<DMat3> = places.iter().map(|p| exact.gradient(p.as_dvec3())).collect();
    let norm2 = |m: DMat3| m.to_cols_array().iter().map(|v| v * v).sum::<f64>();
    let largest = gradients.iter().map(|g| norm2(*g)).fold(0.0, f64::max);
    let differences = flow.iter().zip(&gradients).map(|(f, g)| norm2(f.gradient.as_dmat3() - *g));
    let gradient_rms = (differences.sum::<f64>() / flow.len() as f64 / largest).sqrt();
    (errors(flow.iter().map(|f| f.velocity.as_dvec3()), &velocities), gradient_rms)
}

/// Positions and the exact velocities there.
struct Exact {
    places: Vec<Vec3>,
    velocities: Vec<DVec3>,
}

/// Returns the largest exact speed at the vortons, which is the speed of the scene, and the exact velocities
/// at these positions.
fn exact<const N: usize>(core_radius: f32, vortons: &[Vorton], places: [Vec<Vec3>; N]) -> (f64, [Exact; N]) {
    let oracle = oracle(Kernel::default(), core_radius, vortons);
    let at = |place: &Vec3| oracle.velocity(place.as_dvec3());
    let largest = vortons.iter().map(|v| at(&v.position).length()).fold(0.0, f64::max);
    (largest, places.map(|places| Exact { velocities: places.iter().map(at).collect(), places }))
}

/// Errors of the sampled field, relative to the speed of the scene.
fn sampled(sim: &VortexSim, largest: f64, Exact { places, velocities }: &Exact) -> Errors {
    let here = velocities.iter().map(|u| u.length()).fold(0.0, f64::max);
    let mut found = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(places, &mut found);
    let errors = errors(found.iter().map(|u| u.as_dvec3()), velocities);
    Errors { rms: errors.rms * here / largest, max: errors.max * here / largest }
}

/// Returns 2,000 vortons with random strengths in a cube of edge 2, σ = 1.25 mean spacings.
fn rough_cloud(count: usize, seed: u64) -> (f32, Vec<Vorton>) {
    let spacing = 2.0 / (count as f32).cbrt();
    (1.25 * spacing, common::random_cloud(count, seed))
}

fn thick_ring(centre: Vec3, axis: Vec3, spacing: f32) -> Vec<Vorton> {
    let ring = VortexRing { centre, axis, radius: 1.0, thickness: 1.0, circulation: 20.0, spacing };
    ring.vortons().expect("in range")
}

fn eight_rings(spacing: f32) -> Vec<Vorton> {
    let random = Random::new(11);
    let ring = |i: u64| thick_ring(3.0 * random.centred_vec3(2 * i), random.centred_vec3(2 * i + 1), spacing);
    (0..8).flat_map(ring).collect()
}

fn random_places(count: u64, centre: Vec3, half_edge: Vec3) -> Vec<Vec3> {
    let random = Random::new(77);
    (0..count).map(|i| centre + 2.0 * half_edge * random.centred_vec3(i)).collect()
}

#[test]
fn at_the_vortons_of_a_rough_cloud() {
    for seed in 1..4 {
        let (core, vortons) = rough_cloud(2000, seed);
        let (velocity, gradient) = at_vortons(core, 2.5, &vortons);
        println!("rough cloud, 2.5 nodes per core: {velocity:.5?}, gradient rms {gradient:.2e}");
        assert!(velocity.rms < 0.01 && velocity.max < 0.03, "{velocity:?}");
        assert!(gradient < 0.05, "{gradient}");
    }
}

#[test]
fn at_the_vortons_of_thick_rings() {
    let spacing = 0.25;
    for (name, vortons) in
        [("one ring", thick_ring(Vec3::ZERO, Vec3::X, spacing)), ("eight rings", eight_rings(spacing))]
    {
        let (velocity, gradient) = at_vortons(1.5 * spacing, 1.5, &vortons);
        println!("{name}, 1.5 nodes per core: {velocity:.5?}, gradient rms {gradient:.2e}");
        assert!(velocity.rms < 0.01 && velocity.max < 0.03, "{name}: {velocity:?}");
        assert!(gradient < 0.05, "{name}: {gradient}");
    }
}

#[test]
fn the_error_falls_as_nodes_are_added() {
    let (core, vortons) = rough_cloud(1000, 5);
    let mut before = f64::INFINITY;
    for nodes_per_core in [1.0, 1.5, 2.0, 2.5, 3.0, 4.0] {
        let (velocity, gradient) = at_vortons(core, nodes_per_core, &vortons);
        println!("rough cloud, {nodes_per_core} nodes per core: {velocity:.5?}, gradient rms {gradient:.2e}");
        assert!(velocity.rms < 0.7 * before, "{nodes_per_core}: {velocity:?}");
        before = velocity.rms;
    }
    assert!(before < 0.002, "{before}");
}

/// In a box half as large again as the cloud, inside and outside the mesh.
#[test]
fn between_the_nodes_and_around_the_box() {
    let (rough_core, rough) = rough_cloud(2000, 1);
    let scenes = [
        ("rough cloud", rough_core, 2.5, rough, Vec3::ONE),
        ("thick ring", 0.375, 1.5, thick_ring(Vec3::ZERO, Vec3::X, 0.25), Vec3::new(1.0, 2.0, 2.0)),
        ("eight rings", 0.375, 1.5, eight_rings(0.25), Vec3::splat(3.5)),
    ];
    for (name, core, nodes_per_core, vortons, half_edge) in scenes {
        let places = [1.0, 1.5, 6.0].map(|times| random_places(1500, Vec3::ZERO, half_edge * times));
        let (largest, places) = exact(core, &vortons, places);
        for (sampling, bound) in [(FieldSampling::Trilinear, 0.05), (FieldSampling::QuadraticSpline, 0.01)] {
            let sim = on_mesh(core, nodes_per_core, sampling, &vortons);
            let [inside, around, beyond] = places.each_ref().map(|places| sampled(&sim, largest, places));
            println!("{name}, {sampling:?}: inside {inside:.5?}, around {around:.5?}, beyond {beyond:.5?}");
            assert!(inside.rms < bound && around.rms < bound, "{name} {sampling:?}: {inside:?} {around:?}");
            assert!(around.max < 5.0 * bound, "{name} {sampling:?}: {around:?}");
            assert!(beyond.rms < 0.005 && beyond.max < 0.05, "{name} {sampling:?}: {beyond:?}");
        }
    }
}

/// From the inside of the box to the outside, and from one lattice to the next, velocity does not jump by
/// more than the mesh's error.
#[test]
fn the_field_is_nearly_continuous_where_the_mesh_ends() {
    let tube = VortexTube {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        diameter: 1.5,
        length: 10.0,
        circulation: 1.0,
        variation: 0.0,
        wave_number: 1.0,
        spacing: 0.25,
    };
    let sheet = VortexSheet {
        centre: Vec3::ZERO,
        normal: Vec3::Z,
        direction: Vec3::X,
        thickness: 0.75,
        width: 5.0,
        extent: 5.0,
        velocity_jump: 1.0,
        variation: 0.0,
        spacing: 0.25,
    };
    let filament = FilamentRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 4.0,
        circulation: 1.0,
        core_radius: 0.375,
        count: 600,
    };
    let scenes = [
        ("thick ring", thick_ring(Vec3::ZERO, Vec3::X, 0.25)),
        ("tube", tube.vortons().expect("in range")),
        ("sheet", sheet.vortons().expect("in range")),
        ("filament ring", filament.vortons().expect("in range")),
    ];
    for (name, vortons) in scenes {
        let sim = on_mesh(0.375, 1.5, FieldSampling::QuadraticSpline, &vortons);
        let (mut largest, mut fastest) = (0.0_f32, 0.0_f32);
        for direction in random_places(40, Vec3::ZERO, Vec3::ONE) {
            let step = direction.normalize() * 1e-3;
            let places: Vec<Vec3> = (0..30_000).map(|i| step * i as f32).collect();
            let mut velocities = vec![Vec3::ZERO; places.len()];
            sim.field().velocities(&places, &mut velocities);
            for pair in velocities.windows(2) {
                largest = largest.max(pair[0].distance(pair[1]));
                fastest = fastest.max(pair[0].length());
            }
        }
        println!("{name}: largest jump {:.2e} of the largest speed", largest / fastest);
        assert!(largest < 0.01 * fastest, "{name}: {largest} of {fastest}");
    }
}

/// The three kernels, a box that is not a cube, and a cloud away from the world's origin.
#[test]
fn for_every_kernel_and_place() {
    let vortons: Vec<Vorton> = rough_cloud(800, 8)
        .1
        .into_iter()
        .map(|v| Vorton { position: v.position * Vec3::new(2.0, 0.5, 1.0) + Vec3::new(40.0, -7.3, 3.1), ..v })
        .collect();
    for kernel in [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore] {
        let params = Params {
            kernel,
            solver: SolverKind::Mesh,
            nodes_per_core: 3.0,
            max_grid_nodes: 1 << 20,
            ..common::inviscid(0.25)
        };
        let mut sim = world(params, &vortons);
        sim.step(&Serial, &mut NoBodies, 0.0).expect("dt is finite");
        let places: Vec<Vec3> = vortons.iter().map(|v| v.position).collect();
        let exact: Vec<DVec3> = {
            let oracle = oracle(kernel, 0.25, &vortons);
            places.iter().map(|p| oracle.velocity(p.as_dvec3())).collect()
        };
        let mut flow = vec![FlowSample::default(); places.len()];
        sim.field().flow(&places, &mut flow);
        let errors = errors(flow.iter().map(|f| f.velocity.as_dvec3()), &exact);
        println!("{kernel:?}: {errors:.5?}");
        assert!(errors.rms < 0.01 && errors.max < 0.03, "{kernel:?}: {errors:?}");
    }
}

/// Clouds without extent along some axis are as accurate as others: one vorton (which must not move
/// itself), a line, a plane.
#[test]
fn in_degenerate_clouds() {
    let random = Random::new(3);
    let peak = 0.79693 / (4.0 * std::f32::consts::PI * 0.1 * 0.1);
    for seed in 0..20 {
        let strength = random.centred_vec3(2 * seed).normalize();
        let alone = [Vorton { position: random.centred_vec3(2 * seed + 1), strength, ..Vorton::default() }];
        let sim = on_mesh(0.1, 1.5, FieldSampling::QuadraticSpline, &alone);
        let mut found = [FlowSample::default()];
        sim.field().flow(&[alone[0].position], &mut found);
        // Validation R1: 1e-3 of its peak speed.
        assert!(found[0].velocity.length() < 1e-5 * peak, "{}", found[0].velocity);
    }
    for keep in [Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::new(0.0, 1.0, 1.0)] {
        let cloud: Vec<Vorton> = rough_cloud(600, 2)
            .1
            .into_iter()
            .map(|v| Vorton {
                position: v.position * keep + Vec3::new(0.3, 0.02, -0.4),
                strength: Vec3::new(0.2, 0.3, 1.0) * (1.0 + v.strength.x),
                ..v
            })
            .collect();
        let (velocity, _) = at_vortons(0.3, 2.5, &cloud);
        println!("along {keep}: {velocity:.5?}");
        assert!(velocity.rms < 0.01 && velocity.max < 0.03, "{keep}: {velocity:?}");
    }
}
