//! The coefficients of a body give it drag where no vorton touches it and sideways force everywhere, and
//! rings in its wake carry the opposite momentum (E64).

use crate::immersed::{World, body, hull, noise, params};
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const RADIUS: f32 = 0.25;
const FLUID: f64 = 1000.0;
const GRAVITY: f64 = 9.81;
/// Of a ball in fast flow.
const BALL: [f32; 2] = [0.47, 0.375];

fn ball(density: f64, no_through: bool, [drag, magnus]: [f32; 2], state: BodyState) -> BodyDef {
    let (drag_coefficient, magnus_coefficient) = (drag, magnus);
    let ball = body(Shape::sphere(RADIUS), FLUID * density, state);
    BodyDef { no_through, drag_coefficient, magnus_coefficient, ..ball }
}

fn thrown() -> BodyState {
    let (velocity, angular_velocity) = (Vec3::X * 6.0, Vec3::Y * 8.0);
    BodyState { velocity, angular_velocity, ..BodyState::default() }
}

/// Fluid without vortons, in which wakes last for two seconds.
fn fluid() -> Params {
    let mut params = params(Vec3::ZERO);
    params.ambient.density = FLUID as f32;
    (params.max_age, params.max_vortons) = (2.0, 4096);
    params
}

#[test]
fn a_ball_falls_or_rises_at_its_terminal_speed() {
    for no_through in [false, true] {
        let cases = [
            (2.0, 24.0_f32),
            (2.0, 60.0),
            (2.0, 120.0),
            (7.8, 60.0),
            (0.5, 60.0),
            (0.1, 24.0),
            (0.1, 60.0),
            (0.1, 120.0),
        ];
        for (density, rate) in cases {
            let params = Params { gravity: Vec3::Z * -GRAVITY as f32, ..fluid() };
            let def = ball(density, no_through, [BALL[0], 0.0], BodyState::default());
            let mut world = World::new(params, &[], &[def]);
            // Weight less buoyancy is drag on the cross-section.
            let ratio = 8.0 / 3.0 * f64::from(RADIUS) / f64::from(BALL[0]);
            let right = f64::sqrt(ratio * GRAVITY * (density - 1.0_f64).abs());
            for _ in 0..(4.0 * rate) as usize {
                world.step_under(DVec3::Z * -GRAVITY, 1.0 / rate);
            }
            let speed = world.rigid[0].velocity().length();
            println!("no_through {no_through}, density {density}, {rate} Hz: {speed:.3} of {right:.3} m/s");
            assert!((speed / right - 1.0).abs() < 0.015, "{no_through}, {density}, {rate} Hz: {speed}");
            let wake = world.sim.vortons().len();
            assert!((100..1000).contains(&wake), "{wake} vortons");
        }
    }
}

#[test]
fn a_ball_with_topspin_curves_down() {
    for (no_through, added) in [(false, 0.0), (true, 0.5)] {
        for rate in [24.0_f32, 60.0, 120.0] {
            let mut world = World::new(fluid(), &[], &[ball(2.0, no_through, [0.0, BALL[1]], thrown())]);
            for _ in 0..rate as usize {
                world.step(1.0 / rate);
            }
            // A circle: (m + added mass) v' = k ρ V w × v.
            let turn = f64::from(BALL[1]) * 8.0 / (2.0 + added);
            let right = DVec3::new(f64::sin(turn), 0.0, f64::cos(turn) - 1.0) * (6.0 / turn);
            let (place, speed) = (world.rigid[0].position(), world.rigid[0].velocity().length());
            println!("no_through {no_through}, {rate} Hz: {place:.3} of {right:.3}, {speed:.3} m/s");
            assert!(place.distance(right) < 0.04 * right.length(), "{no_through}, {rate} Hz: {place}");
            assert!((speed / 6.0 - 1.0).abs() < 0.005, "{no_through}, {rate} Hz: {speed} m/s");
        }
    }
}

#[test]
fn the_wake_gets_what_the_body_loses() {
    for no_through in [false, true] {
        for coefficients in [[BALL[0], 0.0], BALL] {
            let params = Params { max_age: f32::INFINITY, ..fluid() };
            let mut world = World::new(params, &[], &[ball(2.0, no_through, coefficients, thrown())]);
            let mass = 2.0 * 4.0 / 3.0 * PI * f64::from(RADIUS).powi(3);
            let sum = |world: &World| {
                let body = &world.bodies.list()[0];
                let bound = body.bound().impulse + body.fluid_momentum();
                let of_vortons = world.sim.moments(&Serial).linear_impulse;
                world.rigid[0].velocity() * mass + of_vortons + bound
            };
            // The momentum of the fluid that moves with the body is known from its second step on.
            (0..2).for_each(|_| world.step(1.0 / 60.0));
            let before = sum(&world);
            for step in 0..60 {
                world.step(1.0 / 60.0);
                let error = (sum(&world) - before).length() / before.length();
                assert!(error < 2e-5, "{no_through}, {coefficients:?}, step {step}: {error:.1e}");
            }
            let gone = 1.0 - world.rigid[0].velocity().length() / 6.0;
            assert!(gone > 0.3, "{no_through}, {coefficients:?}: {gone}");
        }
    }
}

/// Drag depends on the motion relative to the wind alone.
#[test]
fn wind_changes_nothing() {
    for no_through in [false, true] {
        let [against, still, along] = [-15.0, 0.0, 15.0].map(|wind| {
            let wind = Vec3::X * wind;
            let state = BodyState { velocity: thrown().velocity + wind, ..thrown() };
            let mut world =
                World::new(Params { wind, ..fluid() }, &[], &[ball(2.0, no_through, BALL, state)]);
            (0..60).for_each(|_| world.step(1.0 / 60.0));
            world.rigid[0].velocity() - wind.as_dvec3()
        });
        println!("no_through {no_through}: {against:.4} {still:.4} {along:.4} m/s");
        for other in [against, along] {
            assert!((other - still).length() < 1e-3 * still.length(), "{no_through}: {other} and {still}");
        }
    }
}

/// The ring of a slow body that is pushed sideways lies clear of the surface, which would otherwise stop the
/// body and its spin by friction.
#[test]
fn a_slow_body_does_not_touch_its_own_wake() {
    for rate in [30.0_f32, 60.0, 120.0, 240.0] {
        let state = BodyState { velocity: Vec3::X, angular_velocity: Vec3::Y * 4.0, ..BodyState::default() };
        let mut world = World::new(fluid(), &[], &[ball(3.2, false, [0.0, 0.4], state)]);
        for _ in 0..(3.0 * rate) as usize {
            world.step(1.0 / rate);
        }
        let (speed, spin) = (world.rigid[0].velocity().length(), world.rigid[0].angular_velocity().length());
        println!("{rate} Hz: {speed:.3} m/s, {spin:.3} rad/s");
        assert!((speed - 1.0).abs() < 0.01 && (spin - 4.0).abs() < 0.04, "{rate} Hz: {speed} {spin}");
    }
}

/// Nor does one with all of its shape behind its centre of mass, a shuttlecock.
#[test]
fn a_shuttlecock_does_not_touch_its_own_wake() {
    let (radius, density) = (0.16, 6.0);
    for rate in [30.0_f32, 60.0, 240.0] {
        let pose = Pose { position: Vec3::new(-0.1, 0.02, 0.0), ..Pose::IDENTITY };
        let shape = Shape { pose, ..Shape::sphere(radius) };
        let state = BodyState { velocity: Vec3::X * 6.0, ..BodyState::default() };
        let def = BodyDef { drag_coefficient: BALL[0], ..body(shape, FLUID * density, state) };
        let mut world = World::new(Params { core_radius: 0.06, ..fluid() }, &[], &[def]);
        for _ in 0..rate as usize {
            world.step(1.0 / rate);
        }
        // v' = -k v², k = ½ ρ C π R²/m.
        let per_metre = f64::from(BALL[0]) * 3.0 / (8.0 * f64::from(radius) * density);
        let right = 6.0 / (1.0 + per_metre * 6.0);
        let (speed, spin) = (world.rigid[0].velocity().length(), world.rigid[0].angular_velocity().length());
        println!("{rate} Hz: {speed:.3} of {right:.3} m/s, {spin:.4} rad/s");
        assert!((speed / right - 1.0).abs() < 0.02 && spin < 0.01, "{rate} Hz: {speed} {spin}");
    }
}

/// A body that vortons cover has their drag.
#[test]
fn vortons_that_touch_replace_it() {
    let speeds = [0.0, 2.0].map(|drag| {
        let vortons = noise(Vec3::ZERO, Vec3::splat(0.7), 0.0);
        let mut world = World::new(fluid(), &vortons, &[ball(2.0, false, [drag, 0.0], thrown())]);
        (0..3).for_each(|_| world.step(1.0 / 120.0));
        assert!(world.bodies.contacts().len() > 100);
        world.rigid[0].velocity().x
    });
    assert_eq!(speeds[0], speeds[1]);
}

/// A heavy ball that spins across its way through vortons at rest keeps its velocity, so the sideways force
/// is constant.
#[test]
fn a_ball_curves_among_vortons_as_without_them() {
    let heavy = 1e3;
    for no_through in [false, true] {
        for rate in [30.0_f32, 120.0] {
            let steps = (0.1 * rate) as usize;
            let [with, without] = [BALL[1], 0.0].map(|magnus| {
                let vortons = noise(Vec3::X, Vec3::new(3.0, 0.8, 0.8), 0.0);
                let def = ball(heavy, no_through, [0.0, magnus], thrown());
                let mut world = World::new(Params { max_vortons: 10_000, ..fluid() }, &vortons, &[def]);
                (0..steps).for_each(|_| world.step(1.0 / rate));
                assert!(world.bodies.contacts().len() > 100);
                world.rigid[0].velocity().z * heavy
            });
            // The fluid that moves with a sheet is known from its second step on.
            let acting = (steps - usize::from(no_through)) as f64 / f64::from(rate);
            let (found, right) = (with - without, -f64::from(BALL[1]) * 8.0 * 6.0 * acting);
            println!(
                "no_through {no_through}, {rate} Hz: {found:.3} of {right:.3}, {without:.3} by contacts"
            );
            assert!((found / right - 1.0).abs() < 0.05, "{no_through}, {rate} Hz: {found} of {right}");
        }
    }
}

/// Light and heavy bodies of several shapes, that meet each other's wakes, in unsteady frames.
#[test]
fn nothing_gains_speed() {
    let random = Random::new(17);
    for seed in 0..2 {
        let at = |n: u64| random.centred_vec3(97 * seed + n);
        let shapes =
            [Shape::sphere(0.2), Shape::cuboid(Vec3::new(0.3, 0.1, 0.2)), hull(), Shape::capsule(0.1, 0.2)];
        let defs = shapes.into_iter().enumerate().map(|(index, shape)| {
            let n = 10 * index as u64;
            let density = FLUID * [0.02, 0.3, 1.0, 4.0][(index + seed as usize) % 4];
            let state = BodyState {
                position: Vec3::X * (1.5 * index as f32) + at(n) * 0.5,
                velocity: at(n + 1) * 6.0,
                angular_velocity: at(n + 2) * 20.0,
                ..BodyState::default()
            };
            let (drag_coefficient, magnus_coefficient) = (1.0, 0.5);
            let no_through = !(index as u64 + seed).is_multiple_of(3);
            BodyDef { no_through, drag_coefficient, magnus_coefficient, ..body(shape, density, state) }
        });
        let defs: Vec<_> = defs.collect();
        let mut params = fluid();
        (params.max_vortons, params.max_age) = (600, 4.0);
        let mut world = World::new(params, &[], &defs);
        let fastest =
            |world: &World| world.rigid.iter().map(|one| one.velocity().length()).fold(0.0, f64::max);
        let (at_first, mut most, mut energy) = (fastest(&world), 0.0_f64, 0.0_f64);
        for step in 0..200 {
            let part = random.centred_vec3(1000 + step).x.abs() * 2.0;
            world.step(1.0 / 144.0 + (1.0 / 15.0 - 1.0 / 144.0) * part.min(1.0));
            most = most.max(fastest(&world));
            energy = energy.max(world.sim.pair_sums(&Serial).energy);
        }
        let (last, count) = (fastest(&world), world.sim.vortons().len());
        println!(
            "seed {seed}: {at_first:.2}, at most {most:.2}, {last:.2} m/s, energy {energy:.3}, {count} vortons"
        );
        assert!(most < 1.1 * at_first && last < 0.7 * at_first, "{seed}: {at_first}, {most}, {last}");
        assert!(count <= 600);
    }
}

/// A plate that spins in place has the drag of its faces, ½ C ¾ S for the square of a normal velocity.
#[test]
fn a_plate_that_spins_in_place_is_braked_as_by_the_formula() {
    let half = DVec3::new(0.5, 0.5, 0.15);
    let (spin, density) = (4.0, 2.0);
    for rate in [30.0_f64, 120.0] {
        let mut params = params(Vec3::ZERO);
        params.ambient.density = 1.0;
        let state = BodyState { angular_velocity: Vec3::X * spin as f32, ..BodyState::default() };
        let def = BodyDef {
            no_through: true,
            drag_coefficient: 1.0,
            ..body(Shape::cuboid(half.as_vec3()), density, state)
        };
        let mut world = World::new(params, &[], &[def]);
        let added = AddedInertia::of(&[Shape::cuboid(half.as_vec3())]).expect("a solid").angular.x_axis.x;
        let volume = 8.0 * half.x * half.y * half.z;
        let inertia = density * volume / 3.0 * (half.y * half.y + half.z * half.z) + added;
        // ∫ (x × n)² dS about x: faces across y have the arm z, and those across z the arm y.
        let face = |across: f64, arm: f64| 2.0 * (2.0 * half.x) * (2.0 * across) * arm * arm / 3.0;
        let arms = face(half.z, half.z) + face(half.y, half.y);
        let area = 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x);
        let rate_of = 0.375 * (3.0 * arms / area).sqrt() * arms / inertia;
        let steps = (2.0 * rate) as usize;
        for _ in 0..steps {
            world.step(1.0 / rate as f32);
        }
        let expected = spin / (1.0 + rate_of * spin * (steps as f64 / rate));
        let found = f64::from(world.rigid[0].state().angular_velocity.x);
        println!("{rate} Hz: {found:.4} of {expected:.4} rad/s");
        assert!((found / expected - 1.0).abs() < 0.03, "{rate} Hz: {found} of {expected}");
        assert!(expected < 0.8 * spin);
    }
}
