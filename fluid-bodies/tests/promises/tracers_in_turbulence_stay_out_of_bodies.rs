//! Subgrid eddies, smaller than the core, carry no tracer through the surface of a body, nor out of a tank,
//! in steps of any length.

use crate::immersed::{Flow, World, body, hull, noise, params};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use glam::Vec3;

/// Returns lengths of steps \[s\].
fn step_lengths(count: u64) -> impl Iterator<Item = f32> {
    let random = Random::new(17);
    (0..count).map(move |n| 0.004 + 0.06 * random.unit(n))
}

/// Far above natural intensity, so that whole steps would pass through bodies.
const INTENSITY: f32 = 5.0;

#[test]
fn none_is_inside_of_a_body() {
    for shape in [Shape::sphere(0.2), hull()] {
        let thrown = BodyState { position: Vec3::NEG_X * 0.3, velocity: Vec3::X, ..BodyState::default() };
        let def = body(shape, 20.0, thrown);
        let mut world = World::new(params(Vec3::ZERO), &Flow::Block.vortons(), &[def]).with_tracers();
        let plain = world.tracers.clone();
        world.tracers.turbulence = INTENSITY;
        let (mut near, mut count) = (0, 0);
        for dt in step_lengths(150) {
            let before = world.bodies.obstacles().embedded(plain.positions().iter().copied(), 0.02).count();
            near += before;
            world.step(dt);
            count += world.tracers.len();
            assert_eq!(world.embedded(), 0);
            assert!(world.tracers.positions().iter().all(|place| place.is_finite()));
        }
        assert!(near > 150 && count == 150 * plain.len(), "{near} {count}");
    }
}

#[test]
fn none_leaves_a_tank() {
    const HALF: f32 = 0.3;
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(HALF)) };
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let run = |turbulence: f32| {
        let mut world = World::new(params(Vec3::ZERO), &[], std::slice::from_ref(&def));
        world.sim.add_vortons(&noise(Vec3::ZERO, Vec3::splat(1.8 * HALF), 8.0)).expect("valid vortons");
        let mut world = world.with_tracers();
        world.tracers.retain(|place, _| place.abs().max_element() < HALF - 0.01);
        world.tracers.turbulence = turbulence;
        let (count, mut time, mut at_walls) = (world.tracers.len(), 0.0, 0);
        for dt in step_lengths(150) {
            time += dt;
            let position = Vec3::X * (0.3 * libm::sinf(5.0 * time));
            let velocity = Vec3::X * (1.5 * libm::cosf(5.0 * time));
            world.step(dt);
            let centre = world.bodies.list()[0].state().position;
            for place in world.tracers.positions() {
                let most = (*place - centre).abs().max_element();
                assert!(most < HALF + 1e-4, "{place} in a tank at {centre}");
                at_walls += usize::from(most > HALF - 1e-3);
            }
            assert_eq!(world.tracers.len(), count);
            world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
        }
        at_walls
    };
    let [still, shaken] = [0.0, INTENSITY].map(run);
    println!("met walls: {still} without, {shaken} with eddies");
    assert!(shaken > 2 * still + 100, "{still} {shaken}");
}
