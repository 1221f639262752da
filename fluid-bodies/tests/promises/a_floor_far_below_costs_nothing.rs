//! Images are used only where they matter: a scene high above its floor gives the same bits as without a
//! floor, and leaving out images changes no velocity by more than the documented fraction of the largest
//! one.

use crate::floor::{CORE, RADIUS, half_space, params, ring, world};
use fluid_bodies::{BodyCoupling, Pose};
use fluid_core::boundary::StepTime;
use fluid_core::math::Random;
use fluid_core::particles::Vorton;
use fluid_core::velocity::{Mirror, SolverKind, SourceCloud, Sources, VelocityField};
use fluid_threads::Serial;
use glam::Vec3;

/// Creates a ring that travels along its floor at constant height.
fn along(height: f32) -> Vec<Vorton> {
    let upright = Pose { rotation: glam::Quat::from_rotation_y(1.5), position: Vec3::Z * height };
    ring(&upright, 0.0, 128)
}

/// Returns bits and nodes of the mesh after 30 steps. The first step, in a world that is discarded, tells
/// the bodies the speed of the fluid; until then there are images.
fn run(solver: SolverKind, height: f32, has_floor: bool) -> (u64, usize) {
    let floor = [half_space(Pose::IDENTITY)];
    let new = || world(params(solver), &along(height), &floor[..usize::from(has_floor)]);
    let (mut first, mut bodies) = new();
    first.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
    let (mut sim, _) = new();
    for _ in 0..30 {
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
    }
    (sim.state_hash(), sim.stats().mesh_nodes)
}

#[test]
fn high_above_all_is_as_without_a_floor() {
    for solver in [SolverKind::Direct, SolverKind::Mesh] {
        let [high, near] = [10.0, 1.5].map(|radii| radii * RADIUS as f32);
        assert_eq!(run(solver, high, true), run(solver, high, false), "{solver:?}");
        let (with, without) = (run(solver, near, true), run(solver, near, false));
        assert!(with.0 != without.0, "{solver:?}: there are no images");
        assert!(solver == SolverKind::Direct || with.1 > without.1);
    }
}

/// Velocity that is missing when images have just been left out, at the floor and at the vortons.
#[test]
fn what_is_left_out_is_less_than_a_hundredth() {
    let (mut left_out, mut lowest) = (0, f32::INFINITY);
    for step in 0..60 {
        let height = (3.0 + 0.1 * step as f32) * RADIUS as f32;
        let vortons = along(height);
        let (mut sim, mut bodies) =
            world(params(SolverKind::Direct), &vortons, &[half_space(Pose::IDENTITY)]);
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
        let mut sources = Sources::default();
        sources.copy_from(&sim.vortons().positions, &sim.vortons().strengths);
        let own = sources.clone();
        bodies.clone().bound_vortons(&Serial, StepTime::Start, &mut sources);
        if sources.has_images() {
            assert_eq!(left_out, 0, "images are back at {height} m");
            continue;
        }
        (left_out, lowest) = (left_out + 1, lowest.min(height));
        let mut cloud = SourceCloud::new(sim.params().direct_settings());
        cloud.set(&own.positions, &own.strengths);
        let mirror = Mirror::new(Vec3::ZERO, Vec3::Z);
        let speed = |places: &[Vec3]| {
            let mut velocities = vec![Vec3::ZERO; places.len()];
            cloud.velocities(places, &mut velocities);
            velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max)
        };
        // The images' velocity is that of the vortons at mirrored positions.
        let vortons: Vec<Vec3> = own.positions.iter().collect();
        let mirrored: Vec<Vec3> = vortons.iter().map(|&place| mirror.place(place)).collect();
        let random = Random::new(5);
        let floor: Vec<Vec3> =
            (0..2000).map(|i| (2.0 * height * random.centred_vec3(i)).with_z(0.0)).collect();
        let (fastest, missing) = (speed(&vortons), [speed(&floor), speed(&mirrored)]);
        let shares = missing.map(|missing| missing / fastest);
        assert!(shares[0] < 0.01 && shares[1] < 0.002, "{height} m: {shares:?}");
    }
    println!("without images from {:.2} radii on", lowest / RADIUS as f32);
    assert!(left_out > 10 && lowest > 30.0 * CORE as f32);
}
