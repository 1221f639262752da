//! A ball through still fluid follows the same path at any frame rate (X2): all rates are per second.

use crate::immersed::{World, body, noise, params};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::density::{Ambient, Stratification};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Quat, Vec3};

const GRAVITY: f32 = 9.81;

/// Returns the distance \[m\] that a ball of radius 0.2, six times as dense as the fluid, moves in a
/// second, from 2 m/s.
fn way(steps: impl Iterator<Item = f32>) -> f64 {
    let state = BodyState { velocity: Vec3::X * 2.0, ..BodyState::default() };
    let vortons = noise(Vec3::X * 0.4, Vec3::new(1.6, 0.6, 0.6), 0.5);
    let mut world = World::new(params(Vec3::ZERO), &vortons, &[body(Shape::sphere(0.2), 6.0, state)]);
    let mut time = 0.0;
    for dt in steps {
        let dt = dt.min(1.0 - time);
        if dt <= 0.0 {
            break;
        }
        time += dt;
        world.step(dt);
    }
    world.rigid[0].position().x
}

fn steady(rate: u16) -> impl Iterator<Item = f32> {
    std::iter::repeat_n(1.0 / f32::from(rate), rate.into())
}

/// Returns frames of 60 Hz, each up to half longer or shorter.
fn jittered(seed: u64) -> impl Iterator<Item = f32> {
    let random = Random::new(seed);
    (0..).map(move |n| (0.5 + random.unit(n)) / 60.0)
}

/// Bodies and fluid interact once a step, so this is first order in the step; slip that is hard to cancel
/// decays at the same rate in steps of any length.
#[test]
fn a_ball_gets_as_far() {
    let finest = way(steady(120));
    assert!((0.5..1.5).contains(&finest), "{finest} m: it meets nothing");
    // 1.7, 0.9, 0.1 and -0.4 %; 0.3 % with jitter.
    for rate in [24, 30, 60, 240] {
        let off = way(steady(rate)) / finest - 1.0;
        println!("{rate} Hz {off:+.4}");
        assert!(off.abs() < 0.02, "{rate} Hz: {off}");
    }
    let off = way(jittered(1)) / finest - 1.0;
    println!("jitter {off:+.4}");
    assert!(off.abs() < 0.02, "jitter: {off}");
}

/// Steps a body without an engine: the library moves it, from `state` on.
fn alone(def: BodyDef, params: Params, steps: u32, dt: f32) -> BodyState {
    let def = BodyDef { buoyant_force: BuoyantForce::OnWithWeight, ..def };
    let mut world = World::new(params, &[], &[def]);
    (0..steps).for_each(|_| world.sim.step(&Serial, &mut world.bodies, dt).expect("a finite step"));
    *world.bodies.list()[0].state()
}

/// Returns the height and speed of a ball released in fluid full of vortons, after half a second, from the
/// engine's body if there is one.
fn let_go(density: f64, rate: u16, engine: bool) -> (f64, f64) {
    let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
    let vortons = noise(Vec3::ZERO, Vec3::new(0.6, 0.6, 0.8), 1e-3);
    let mut def = body(Shape::sphere(0.2), density, BodyState::default());
    def.buoyant_force = if engine { BuoyantForce::On } else { BuoyantForce::OnWithWeight };
    let mut world = World::new(params, &vortons, &[def]);
    let dt = 1.0 / f32::from(rate);
    for _ in 0..rate / 2 {
        if !engine {
            world.sim.step(&Serial, &mut world.bodies, dt).expect("a finite step");
            continue;
        }
        world.step_under(DVec3::NEG_Z * f64::from(GRAVITY), dt);
    }
    if engine {
        let rigid = &world.rigid[0];
        // The engine moves it with its velocity after the step.
        return (rigid.position().z - 0.5 * f64::from(dt) * rigid.velocity().z, rigid.velocity().z);
    }
    let state = world.bodies.list()[0].state();
    (state.position.z.into(), state.velocity.z.into())
}

#[test]
fn a_ball_rises_and_sinks_as_far() {
    for (density, engine, bound) in
        [(0.05, false, 0.03), (0.5, false, 0.04), (2.0, false, 0.02), (6.0, false, 0.01), (2.0, true, 0.02)]
    {
        let [slow, fast] = [30, 120].map(|rate| let_go(density, rate, engine));
        let (way, speed) = (slow.0 / fast.0 - 1.0, slow.1 / fast.1 - 1.0);
        println!(
            "density {density}, engine {engine}: {:.4} m, {:.4} m/s, {way:+.4}, {speed:+.4}",
            fast.0, fast.1
        );
        assert!(
            way.abs() < bound && speed.abs() < bound,
            "density {density}, engine {engine}: {way} {speed}"
        );
    }
}

/// Half the slip of a spin is transferred to the fluid in the first steps.
#[test]
fn a_ball_spins_as_far() {
    let spun = |rate: u16| {
        let params = params(Vec3::ZERO);
        let state = BodyState { angular_velocity: Vec3::Z * 5.0, ..BodyState::default() };
        let def = body(Shape::sphere(0.2), 2.0, state);
        let mut world = World::new(params, &noise(Vec3::ZERO, Vec3::splat(0.6), 1e-3), &[def]);
        for _ in 0..rate / 2 {
            world.sim.step(&Serial, &mut world.bodies, 1.0 / f32::from(rate)).expect("a finite step");
        }
        world.bodies.list()[0].state().angular_velocity.z
    };
    let (slow, fast) = (spun(30), spun(120));
    println!("{slow:.4} and {fast:.4} rad/s of 5");
    assert!(fast < 4.5 && (slow / fast - 1.0).abs() < 0.02, "{slow} {fast} rad/s");
}

/// A body that bobs in stratified fluid without vortons: second order, compared with the closed form.
#[test]
fn a_body_bobs_of_second_order() {
    let (gradient, amplitude, density) = (-0.5_f32, 0.3_f32, 2.0);
    let stratification = Stratification::Linear { gradient: Vec3::Z * gradient };
    let ambient = Ambient { density: density as f32, stratification, ..Ambient::default() };
    let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ambient, ..params(Vec3::ZERO) };
    let state = BodyState { position: Vec3::Z * amplitude, ..BodyState::default() };
    let rate = (f64::from(GRAVITY * -gradient) / density).sqrt();
    let error = |steps: u32| {
        let def = body(Shape::cuboid(Vec3::splat(0.1)), density, state);
        let end = alone(def, params, steps, 2.0 / steps as f32);
        let (sine, cosine) = (rate * 2.0).sin_cos();
        let exact = DVec3::new(cosine, -sine * rate, 0.0) * f64::from(amplitude);
        DVec3::new(end.position.z.into(), end.velocity.z.into(), 0.0).distance(exact)
    };
    let (coarse, fine) = (error(40), error(80));
    println!("{coarse:.2e} {fine:.2e}");
    assert!(fine < 1e-3 && (3.4..4.6).contains(&(coarse / fine)), "{coarse} {fine}");
}

/// Same for a body that rocks because its shape is not centred at its centre of mass.
#[test]
fn a_body_rocks_of_second_order() {
    let (arm, inertia, start) = (0.05_f32, 0.002, 1.0_f32);
    let shape = Shape { pose: Pose::at(Vec3::Z * arm), ..Shape::sphere(0.1) };
    let params = Params { gravity: Vec3::NEG_Z * GRAVITY, ..params(Vec3::ZERO) };
    let rotation = Quat::from_rotation_x(start);
    let def = BodyDef {
        inertia: Some(DMat3::from_diagonal(DVec3::splat(inertia))),
        ..body(shape, 1.0, BodyState { rotation, ..BodyState::default() })
    };
    // I θ'' = −ρ V g a sin θ, by small steps.
    let pull = f64::from(GRAVITY * arm) * 4.0 / 3.0 * std::f64::consts::PI * 1e-3 / inertia;
    let (mut angle, mut spin, dt) = (f64::from(start), 0.0, 1e-5);
    for _ in 0..200_000 {
        spin -= 0.5 * dt * pull * angle.sin();
        angle += dt * spin;
        spin -= 0.5 * dt * pull * angle.sin();
    }
    let error = |steps: u32| {
        let end = alone(def.clone(), params, steps, 2.0 / steps as f32);
        let turned = 2.0 * f64::from(end.rotation.x).atan2(end.rotation.w.into());
        (turned - angle).hypot(f64::from(end.angular_velocity.x) - spin)
    };
    let (coarse, fine) = (error(40), error(80));
    println!("{coarse:.2e} {fine:.2e}");
    assert!(fine < 2e-3 && (3.4..4.6).contains(&(coarse / fine)), "{coarse} {fine}");
}
