//! A body released in fluid at rest accelerates the fluid around it: its acceleration is its buoyant force
//! and weight divided by its mass plus added mass (validation A12), from the first frame on and at any
//! frame rate.

use crate::immersed::{World, body, params};
use fluid_bodies::shapes::{Geometry, Polytope, Shape};
use fluid_bodies::{BodyDef, BodyState};
use glam::Vec3;

const GRAVITY: f32 = 9.81;
const FLUID: f64 = 1000.0;

fn tetrahedron(s: f32) -> Shape {
    let corners = [Vec3::new(s, s, s), Vec3::new(s, -s, -s), Vec3::new(-s, s, -s), Vec3::new(-s, -s, s)];
    Shape::solid(Geometry::Polytope(Polytope::from_points(&corners).expect("points in space")))
}

/// Returns the speed against gravity after the first step and after `seconds`, relative to theory for this
/// added mass (relative to the displaced fluid's).
fn rise(shape: &Shape, up: Vec3, added: f64, density: f64, rate: f32, seconds: f32) -> [f64; 2] {
    let mut params = params(Vec3::ZERO);
    params.core_radius = 0.15;
    params.gravity = up * -GRAVITY;
    params.ambient.density = FLUID as f32;
    let def = BodyDef { no_through: true, ..body(shape.clone(), FLUID * density, BodyState::default()) };
    let mut world = World::new(params, &[], &[def]);
    let acceleration = f64::from(GRAVITY) * (1.0 - density) / (density + added);
    let steps = (seconds * rate) as usize;
    let speeds: Vec<f64> = (1..=steps)
        .map(|step| {
            world.step_under((up * -GRAVITY).as_dvec3(), 1.0 / rate);
            let velocity = world.rigid[0].velocity().dot(up.as_dvec3());
            velocity * f64::from(rate) / (acceleration * step as f64)
        })
        .collect();
    [speeds[0], speeds[steps - 1]]
}

fn check(shape: &Shape, up: Vec3, added: f64, seconds: f32) {
    for density in [0.5, 0.1, 0.02, 0.01] {
        for rate in [24.0, 60.0, 120.0] {
            let [first, last] = rise(shape, up, added, density, rate, seconds);
            println!("density {density}, {rate} Hz: {first:.4}, {last:.4} of theory");
            assert!((first - 1.0).abs() < 0.01, "first step, density {density}, {rate} Hz: {first}");
            assert!((last - 1.0).abs() < 0.01, "density {density}, {rate} Hz: {last}");
        }
    }
}

#[test]
fn a_ball() {
    check(&Shape::sphere(0.25), Vec3::Z, 0.5, 1.0);
}

#[test]
fn a_cube() {
    check(&Shape::cuboid(Vec3::splat(0.2)), Vec3::Z, 0.638, 1.0);
}

/// Rising along its long axis, it turns across its path within half a second, as in theory: any error grows
/// by a factor of e in each of its lengths.
#[test]
fn a_long_box() {
    let shape = Shape::cuboid(Vec3::new(0.4, 0.2, 0.2));
    check(&shape, Vec3::Z, 0.83, 1.0);
    check(&shape, Vec3::X, 0.335, 0.1);
}

#[test]
fn a_tetrahedron() {
    check(&tetrahedron(0.25), Vec3::Y, 0.806, 1.0);
}

/// The engine sets states and takes impulses once in several fluid steps.
#[test]
fn several_fluid_steps_go_into_an_engine_step() {
    let density = 0.1;
    for (steps, rate) in [(3, 30.0_f32), (8, 24.0)] {
        let mut params = params(Vec3::ZERO);
        (params.core_radius, params.gravity) = (0.15, Vec3::Z * -GRAVITY);
        params.ambient.density = FLUID as f32;
        let def =
            BodyDef { no_through: true, ..body(Shape::sphere(0.25), FLUID * density, BodyState::default()) };
        let mut world = World::new(params, &[], &[def]);
        let weight = glam::DVec3::Z * (-f64::from(GRAVITY) * world.rigid[0].mass());
        for _ in 0..rate as usize {
            world.bodies.set_state(0, world.rigid[0].state()).expect("a finite state");
            for _ in 0..steps {
                let dt = 1.0 / (rate * steps as f32);
                world.sim.step(&fluid_threads::Serial, &mut world.bodies, dt).expect("a finite step");
            }
            world.rigid[0].apply(&world.bodies.body_mut(0).take_impulse());
            world.rigid[0].apply_force(weight);
            world.rigid[0].integrate(f64::from(1.0 / rate));
        }
        let theory = f64::from(GRAVITY) * (1.0 - density) / (density + 0.5);
        let share = world.rigid[0].velocity().z / theory;
        println!("{steps} steps in one of {rate} Hz: {share:.4} of theory after a second");
        assert!((share - 1.0).abs() < 0.02, "{steps} steps, {rate} Hz: {share}");
    }
}

/// Without added mass, buoyancy accelerates the mass of the light body alone.
#[test]
fn the_fluid_does_not_move_with_other_bodies() {
    let mut params = params(Vec3::ZERO);
    params.gravity = Vec3::Z * -GRAVITY;
    params.ambient.density = FLUID as f32;
    let def = body(Shape::sphere(0.25), 0.25 * FLUID, BodyState::default());
    let mut world = World::new(params, &[], &[def]);
    world.step_under(glam::DVec3::Z * f64::from(-GRAVITY), 0.01);
    let found = world.rigid[0].velocity().z / (0.01 * f64::from(GRAVITY));
    assert!((found - 3.0).abs() < 0.01, "{found} g");
}
