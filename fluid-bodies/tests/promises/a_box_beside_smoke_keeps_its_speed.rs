//! An impermeable box that glides past fluid that hardly moves keeps its speed, and an engine that drives it
//! feels no force, on a mesh as in the direct sum (E51): errors of the mesh are no flow.

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::velocity::SolverKind;
use glam::{DVec3, Vec3};

const CORE: f32 = 0.1;
const HALF: Vec3 = Vec3::new(0.5, 0.2, 0.3);
const SPEED: f32 = 3.0;

/// A world with smoke beside the path of a box of twice the fluid's density, `gap` \[m\] away.
fn world(gap: f32, is_driven: bool) -> World {
    let extent = Vec3::new(2.0, 0.6, 0.6);
    let centre = Vec3::new(0.0, HALF.y + gap + 0.5 * extent.y, 0.4);
    let smoke = Noise { centre, extent, spacing: 0.08, amplitude: 0.01, seed: 3 };
    let params = Params { core_radius: CORE, solver: SolverKind::Mesh, ..params(Vec3::ZERO) };
    let state =
        BodyState { position: Vec3::new(-1.6, 0.0, 0.45), velocity: Vec3::X * SPEED, ..BodyState::default() };
    let density = 2.0 * f64::from(params.ambient.density);
    let free = body(Shape::cuboid(HALF), density, state);
    let mass = if is_driven { f32::INFINITY } else { free.mass };
    let def = BodyDef { no_through: true, mass, ..free };
    World::new(params, &smoke.vortons().expect("constants in range"), &[def])
}

#[test]
fn and_an_engine_that_drives_it_feels_nothing() {
    for rate in [60.0_f32, 120.0] {
        let mut world = world(0.4, true);
        let mut given = DVec3::ZERO;
        for _ in 0..rate as u32 {
            world.step(1.0 / rate);
            given += world.impulses[0].linear;
        }
        println!("{rate} Hz: {given:.4} N s in a second");
        assert!(given.length() < 0.02, "{rate} Hz: {given} N s");
    }
}

/// A heavy ball flies through smoke and out of it, in steps of two and four solves, and is braked on a mesh
/// as in the direct sum, without a kick.
#[test]
fn and_a_ball_flies_through_it_as_in_the_direct_sum() {
    let flown = |solver: SolverKind| {
        let extent = Vec3::new(1.6, 0.9, 0.9);
        let smoke = Noise { centre: Vec3::ZERO, extent, spacing: CORE, amplitude: 0.05, seed: 3 };
        let params = Params { core_radius: CORE, solver, ..params(Vec3::ZERO) };
        let velocity = Vec3::X * 4.0;
        let state = BodyState { position: Vec3::NEG_X * 1.3, velocity, ..BodyState::default() };
        let density = 20.0 * f64::from(params.ambient.density);
        let def = BodyDef { no_through: true, ..body(Shape::sphere(0.2), density, state) };
        let mut world = World::new(params, &smoke.vortons().expect("constants in range"), &[def]);
        let (mut last, mut kick, mut solves) = (world.rigid[0].velocity(), 0.0_f64, 0);
        for _ in 0..30 {
            world.step(1.0 / 30.0);
            let velocity = world.rigid[0].velocity();
            kick = kick.max((velocity - last).length());
            last = velocity;
            solves = solves.max(world.sim.stats().solves);
        }
        println!("{solver:?}: {last:.3} m/s, at most {kick:.3} in a frame, {solves} solves");
        assert_eq!(solves, 4);
        (last, kick)
    };
    let [(direct, most), (mesh, kick)] = [SolverKind::Direct, SolverKind::Mesh].map(flown);
    assert!(
        (mesh - direct).length() < 0.02 * direct.length() && kick < 1.1 * most,
        "{mesh} of {direct}, {kick}"
    );
}

#[test]
fn at_any_rate() {
    for (gap, rate) in [(0.5, 30.0_f32), (0.5, 120.0), (0.3, 60.0)] {
        let mut world = world(gap, false);
        let mut nodes = 0;
        for _ in 0..rate as u32 {
            world.step(1.0 / rate);
            nodes = nodes.max(world.sim.stats().mesh_nodes);
        }
        let velocity = world.rigid[0].velocity();
        println!("{gap} m, {rate} Hz: {velocity:.4} m/s, {nodes} nodes");
        assert!(nodes > 0);
        assert!((velocity.x / f64::from(SPEED) - 1.0).abs() < 3e-3, "{gap} m, {rate} Hz: {velocity}");
        assert!(velocity.y.hypot(velocity.z) < 0.02, "{gap} m, {rate} Hz: {velocity}");
    }
}
