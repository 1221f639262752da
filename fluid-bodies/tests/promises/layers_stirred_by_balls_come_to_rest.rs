//! A solid in a tank of layered fluid is no bubble of ambient fluid (E71): balls that are held within a layer
//! leave it at rest, and layers that balls have stirred come to rest, without falling below their least
//! potential energy. Vortons that are crowded part as the fluid moves (E73).

use crate::immersed::World;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use glam::Vec3;
use std::f32::consts::TAU;

/// Core radius \[m\] and density deviation of either layer \[kg/m³\].
const CORE: f32 = 0.16;
const DEVIATION: f32 = 0.1;

/// Half edges of the tank, and radius of the balls \[m\].
const HALF: f32 = 0.5;
const RADIUS: f32 = 0.13;

/// Least Σ m' z of two layers, of half a cubic metre each \[kg m\].
const LEAST: f64 = -0.025;

/// A tank of two layers with balls that its engine moves, at first at these places.
fn world(core: f32, no_through: bool, places: &[Vec3]) -> World {
    world_of(core, no_through, (places, Vec3::ZERO), |_| {})
}

/// The same with changed vortons, in a tank with this velocity \[m/s\].
fn world_of(
    core: f32,
    no_through: bool,
    (places, velocity): (&[Vec3], Vec3),
    change: impl Fn(&mut Vorton),
) -> World {
    let params = Params {
        core_radius: core,
        gravity: Vec3::Z * -9.81,
        viscosity: 0.1 * core * core,
        relaxation_rate: 0.0,
        ..Params::default()
    };
    let layer = |side: f32| DensityBox {
        centre: Vec3::Z * (0.5 * side * HALF),
        extent: Vec3::new(2.0 * HALF, 2.0 * HALF, HALF),
        spacing: 0.75 * core,
        density_deviation: -side * DEVIATION,
        dye: 0.0,
        fuel: 0.0,
    };
    let mut vortons = [-1.0, 1.0].map(|side| layer(side).vortons().expect("constants in range")).concat();
    vortons.iter_mut().for_each(change);
    let driven = |shape: Shape, position: Vec3| BodyDef {
        shapes: vec![shape],
        mass: f32::INFINITY,
        state: BodyState { position, velocity, ..BodyState::default() },
        ..BodyDef::default()
    };
    let tank = driven(Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::splat(HALF)) }, Vec3::ZERO);
    let balls = places.iter().map(|&place| BodyDef { no_through, ..driven(Shape::sphere(RADIUS), place) });
    let bodies: Vec<BodyDef> = std::iter::once(tank).chain(balls).collect();
    World::new(params, &vortons, &bodies)
}

/// Sets the state of each ball.
fn set(world: &mut World, states: [(Vec3, Vec3); 3]) {
    for (ball, (position, velocity)) in world.rigid[1..].iter_mut().zip(states) {
        ball.set_state(&BodyState { position, velocity, ..BodyState::default() });
    }
}

/// Returns the states of balls, at first beside each other, at `time` \[s\]: for two seconds one rises to the
/// ceiling, one sinks to the floor, and one goes around between them.
fn stirring(time: f32, side: Vec3) -> [(Vec3, Vec3); 3] {
    let part = (time / 2.0).min(1.0);
    let moves = if part < 1.0 { 0.5 } else { 0.0 };
    let (way, rate) = (part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part) * moves);
    let end = HALF - RADIUS;
    let to = |at: Vec3, z: f32| (at + Vec3::Z * (z * way), Vec3::Z * (z * rate));
    let between = 0.15 * Vec3::Y;
    let turn = TAU * part;
    let around = (between * turn.sin(), between * (TAU * moves * turn.cos()));
    [to(-side, end), around, to(side, -end)]
}

/// Returns Σ m' z \[kg m\].
fn height(world: &World) -> f64 {
    let vortons = world.sim.vortons();
    let of = |(place, &mass): (Vec3, &f32)| f64::from(mass) * f64::from(place.z);
    vortons.positions.iter().zip(&vortons.mass_deviations).map(of).sum()
}

#[test]
fn layers_that_were_stirred_come_to_rest() {
    let dt = 1.0 / 30.0;
    for no_through in [false, true] {
        let side = 0.28 * Vec3::X;
        let mut world = world(CORE, no_through, &[-side, Vec3::ZERO, side]);
        let mut stirred = 0.0;
        for step in 0..300 {
            set(&mut world, stirring(step as f32 * dt, side));
            world.step(dt);
            if step == 59 {
                stirred = world.sim.stats().energy;
            }
        }
        let (energy, height) = (world.sim.stats().energy, height(&world));
        println!(
            "impermeable {no_through}: energy {stirred:.5} to {energy:.5} m5/s2, height {height:.5} kg m"
        );
        // .036 and .031 m⁵/s², −.031 and −.032 kg m, when balls were bubbles of ambient fluid. Balls
        // on both layers press them together, and the lattice leaves some room.
        assert!(energy < 0.25 * stirred, "{energy} of {stirred}");
        assert!(height > 1.1 * LEAST, "{height}");
    }
}

#[test]
fn a_ball_held_within_a_layer_leaves_it_at_rest() {
    for no_through in [false, true] {
        let (end, side) = (Vec3::Z * (HALF - RADIUS), Vec3::X * 0.3);
        let places = [end - side, end + side, -end];
        let mut world = world(CORE, no_through, &places);
        for _ in 0..60 {
            set(&mut world, places.map(|place| (place, Vec3::ZERO)));
            world.step(1.0 / 30.0);
        }
        let fastest = world.fastest_vorton();
        println!("impermeable {no_through}: fastest vorton {fastest} m/s");
        // .05 m/s and growing when balls were bubbles of ambient fluid; waves have √(g' H) = 1 m/s. The
        // rest is of the interface, at which the smoothed surfaces of the balls end.
        assert!(fastest < 0.012, "{fastest}");
    }
}

/// A ball far from the interface, in a layer that its smoothed surface does not leave.
#[test]
fn a_ball_held_under_the_ceiling_stirs_nothing() {
    for no_through in [false, true] {
        let mut world = world(0.75 * CORE, no_through, &[Vec3::Z * (HALF - RADIUS)]);
        for _ in 0..75 {
            world.step(1.0 / 30.0);
        }
        let fastest = world.fastest_vorton();
        println!("impermeable {no_through}: fastest vorton {fastest} m/s");
        // .07 and .1 m/s when balls were bubbles of ambient fluid.
        assert!(fastest < 0.012, "{fastest}");
    }
}

#[test]
fn crowded_vortons_part_as_the_fluid_moves() {
    let (dt, side) = (1.0 / 30.0, 0.28 * Vec3::X);
    // As errors of the motion leave them after minutes: at the floor and the ceiling in 1 / 1.4 of their
    // volume, at the interface in 1 / .8 of it.
    let press = |vorton: &mut Vorton| {
        let z = vorton.position.z;
        let depth = (HALF - z.abs()) / HALF;
        vorton.position.z = HALF.copysign(z) * (1.0 - depth * (0.7 + 0.3 * depth));
    };
    // At rest, and in a tank that moves by more than half of a core radius in a step.
    for (speed, no_through) in [(0.0, true), (3.0, false)] {
        let velocity = Vec3::X * speed;
        let mut world = world_of(CORE, no_through, (&[-side, Vec3::ZERO, side], velocity), press);
        let crowded = height(&world);
        for step in 0..240 {
            let time = step as f32 * dt;
            let position = velocity * time;
            world.rigid[0].set_state(&BodyState { position, velocity, ..BodyState::default() });
            set(&mut world, stirring(time, side).map(|(x, u)| (x + position, u + velocity)));
            world.step(dt);
        }
        let (energy, parted) = (world.sim.stats().energy, height(&world));
        println!("{speed} m/s: height {crowded:.5} to {parted:.5} kg m, energy {energy:.5} m5/s2");
        assert!(crowded < 1.09 * LEAST, "{crowded}");
        assert!(parted > 1.05 * LEAST, "{speed} m/s: {parted}");
        // Default balls stir it to .04 m⁵/s² before.
        let most = if no_through { 0.002 } else { 0.012 };
        assert!(energy < most, "{speed} m/s: {energy}");
    }
}
