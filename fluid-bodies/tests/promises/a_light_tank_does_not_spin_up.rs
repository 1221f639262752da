//! A light tank that turns by itself keeps its energy: the motion of its contents, which grows from almost
//! nothing in the flow of a turning box, cannot turn the shell faster than their joint energy allows.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{DMat3, DVec3, Quat, Vec3};

/// Half of the tank's edges \[m\]: 7 × 6 × 5.2 core radii.
const HALF: Vec3 = Vec3::new(0.35, 0.3, 0.26);

const CORE: f32 = 0.1;

/// Returns the largest spin \[rad/s\] and the last of a tank of .2 times its content's mass in `time` \[s\],
/// from 1 rad/s on, full of vortons with a vorticity of a hundredth of that. `step` returns the length of a
/// frame \[s\].
fn turn(time: f32, mut step: impl FnMut() -> f32) -> (f64, f64) {
    let mass = 0.2 * 8.0 * f64::from(HALF.x * HALF.y * HALF.z);
    let squares = (HALF * HALF).as_dvec3();
    let about = DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    let rotation = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 0.5).normalize(), 0.4);
    let state =
        BodyState { rotation, angular_velocity: Vec3::new(0.505, 0.303, 0.808), ..BodyState::default() };
    let def = BodyDef {
        shapes: vec![Shape { parity: Parity::Hole, ..Shape::cuboid(HALF) }],
        mass: mass as f32,
        inertia: Some(DMat3::from_diagonal(about * (0.55 * mass))),
        state,
        ..BodyDef::default()
    };
    let mut params = Params { core_radius: CORE, relaxation_rate: 0.0, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    bodies.add(def.clone()).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let noise =
        Noise { centre: Vec3::ZERO, extent: 2.0 * HALF, spacing: CORE / 1.5, amplitude: 0.02, seed: 7 };
    let mut vortons = noise.vortons().expect("constants in range");
    vortons.iter_mut().for_each(|vorton| vorton.position = rotation * vorton.position);
    sim.add_vortons(&vortons).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let mut rigid = RigidBody::new(&def);
    let (mut most, mut now) = (0.0_f64, 0.0);
    while now < time {
        let dt = step();
        bodies.set_state(0, rigid.state()).expect("a valid state");
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        rigid.apply(&bodies.body_mut(0).take_impulse());
        rigid.integrate(dt.into());
        most = most.max(rigid.angular_velocity().length());
        now += dt;
    }
    // Vortons at walls do not gather in points.
    let left = sim.vortons().len();
    println!("{left} of {} vortons are left", vortons.len());
    assert!(left * 50 > vortons.len() * 49, "{left} vortons are left");
    (most, rigid.angular_velocity().length())
}

fn check((most, last): (f64, f64)) {
    println!("spin at most {most:.3}, {last:.3} rad/s at the end");
    assert!(most < 1.35 && (0.75..1.25).contains(&last), "{most}, {last}");
}

#[test]
#[ignore = "a quarter of a minute"]
fn in_even_frames() {
    check(turn(20.0, || 1.0 / 60.0));
}

#[test]
fn in_uneven_frames() {
    let (random, mut count) = (Random::new(5), 0);
    check(turn(40.0, || {
        count += 1;
        1.0 / 144.0 + random.unit(count) * (1.0 / 15.0 - 1.0 / 144.0)
    }));
}
