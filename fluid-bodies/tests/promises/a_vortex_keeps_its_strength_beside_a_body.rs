//! A vortex keeps its strength, its impulse and its energy, whatever a body stirs some metres away.

use crate::immersed::{World, noise, params};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::{Disturbance, VortexRing};
use fluid_core::particles::Vorton;
use glam::{DVec3, Quat, Vec3};

const RATE: f32 = 30.0;

/// A ring around the origin.
fn calm() -> Vec<Vorton> {
    let (centre, axis, spacing) = (Vec3::ZERO, Vec3::Z, 0.06);
    let ring = VortexRing { centre, axis, radius: 0.5, thickness: 0.2, circulation: 1.0, spacing };
    let mut vortons = ring.vortons().expect("constants in range");
    let disturbance = Disturbance { position: 0.05, strength: 0.0, seed: 0 };
    disturbance.apply(spacing, &mut vortons).expect("constants in range");
    vortons
}

/// Returns the calm ring's total strength \[m³/s\], impulse \[m⁴/s\] and Σ|α|² beside a body that moves
/// through these states.
fn beside(
    def: BodyDef,
    others: &[Vorton],
    time: f32,
    state: &dyn Fn(f32) -> BodyState,
) -> (DVec3, DVec3, f64) {
    let vortons = [calm(), others.to_vec()].concat();
    let mut world = World::new(params(Vec3::ZERO), &vortons, &[def]);
    for step in 0..(time * RATE) as u32 {
        world.rigid[0].set_state(&state(step as f32 / RATE));
        world.step(1.0 / RATE);
    }
    let vortons = world.sim.vortons();
    let none = (DVec3::ZERO, DVec3::ZERO, 0.0);
    (0..calm().len()).fold(none, |(sum, impulse, square), row| {
        let strength = vortons.strengths.get(row).as_dvec3();
        let turn = 0.5 * vortons.positions.get(row).as_dvec3().cross(strength);
        (sum + strength, impulse + turn, square + strength.length_squared())
    })
}

fn check(name: &str, far: (DVec3, DVec3, f64), near: (DVec3, DVec3, f64), most: f64) {
    println!("{name}: {near:.3?}, far away {far:.3?}");
    assert!((near.0 - far.0).length() < most, "{name}: a strength of {}", near.0);
    assert!((near.1 - far.1).length() < most, "{name}: an impulse of {}", near.1);
}

/// A plate that swings in fluid at rest.
#[test]
fn beside_a_plate() {
    let swing = |x: f32| {
        let half = Vec3::new(0.4, 0.4, 0.12);
        let def = BodyDef { shapes: vec![Shape::cuboid(half)], mass: f32::INFINITY, ..BodyDef::default() };
        let fluid = noise(Vec3::X * x, Vec3::splat(1.5), 0.01);
        let state = move |time: f32| {
            let place = |time: f32| 0.3 * (5.0 * time).sin();
            let velocity = (place(time + 1.0 / RATE) - place(time)) * RATE;
            let position = Vec3::new(x, 0.0, place(time));
            BodyState { position, velocity: Vec3::Z * velocity, ..BodyState::default() }
        };
        let def = BodyDef { state: state(0.0), ..def };
        beside(def, &fluid, 2.5, &state)
    };
    check("plate", swing(40.0), swing(4.0), 0.04);
}

/// A closed tank that turns with its content.
#[test]
fn beside_a_tank() {
    let turn = |x: f32| {
        let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(Vec3::new(0.6, 0.5, 0.5)) };
        let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        let fluid = noise(Vec3::X * x, Vec3::new(1.1, 0.9, 0.9), 4.0);
        let state = move |time: f32| {
            let rotation = Quat::from_rotation_x(3.0 * time);
            let position = Vec3::X * x;
            BodyState { position, rotation, angular_velocity: Vec3::X * 3.0, ..BodyState::default() }
        };
        let def = BodyDef { state: state(0.0), ..def };
        beside(def, &fluid, 2.5, &state)
    };
    check("tank", turn(40.0), turn(3.0), 0.06);
}
