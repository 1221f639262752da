//! A quaternion and its negative are the same rotation: engines that report w ≥ 0 turn tanks and bodies as
//! those that report continuous quaternions do.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const CORE: f32 = 0.1;

/// Turns a tank, with a body in it, at 2 rad/s for more than a turn. Returns positions and strengths of its
/// vortons, and the largest energy.
fn turn(reported: impl Fn(Quat) -> Quat) -> (Vec<[Vec3; 2]>, f64) {
    let params = Params { core_radius: CORE, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let tank = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::new(0.3, 0.2, 0.25)) };
    let fan = Shape::cuboid(Vec3::new(0.1, 0.05, 0.05));
    let (fixed, no_through) = (BodyDef { mass: f32::INFINITY, ..BodyDef::default() }, true);
    bodies.add(BodyDef { shapes: vec![tank.clone()], ..fixed.clone() }).expect("a valid tank");
    bodies.add(BodyDef { shapes: vec![fan.clone()], no_through, ..fixed }).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let extent = Vec3::splat(0.6);
    let noise = Noise { centre: Vec3::ZERO, extent, spacing: CORE / 1.5, amplitude: 0.02, seed: 3 };
    let mut vortons = noise.vortons().expect("in range");
    vortons.retain(|vorton| {
        let place = vorton.position;
        tank.surface(place).distance > 0.2 * CORE && fan.surface(place).distance > 0.2 * CORE
    });
    sim.add_vortons(&vortons).expect("valid vortons");
    let (dt, spin) = (1.0 / 60.0, Vec3::new(1.2, 0.9, 1.3));
    let mut most = 0.0_f64;
    for step in 0..220 {
        let rotation = reported(Quat::from_scaled_axis(spin * (step as f32 * dt)));
        for body in 0..2 {
            let state = BodyState { rotation, angular_velocity: spin, ..BodyState::default() };
            bodies.set_state(body, state).expect("a valid state");
        }
        sim.step(&Serial, &mut bodies, dt).expect("a finite step");
        most = most.max(sim.stats().energy);
    }
    let vortons = sim.vortons();
    let row = |row: usize| [vortons.positions.get(row), vortons.strengths.get(row)];
    ((0..vortons.len()).map(row).collect(), most)
}

#[test]
fn a_tank_turns_alike_whatever_the_sign() {
    let (continuous, energy) = turn(|rotation| rotation);
    println!("{} vortons, energy up to {energy:.4} m⁵/s²", continuous.len());
    for (name, reported) in [
        ("w ≥ 0", (|rotation: Quat| if rotation.w < 0.0 { -rotation } else { rotation }) as fn(Quat) -> Quat),
        ("always negative", |rotation| -rotation),
    ] {
        let (vortons, most) = turn(reported);
        assert_eq!(most, energy, "{name}");
        assert_eq!(vortons, continuous, "{name}");
    }
}
