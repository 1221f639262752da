//! Neutral vortons are created where density makes vorticity, but not where a body keeps them away: around
//! a hot ball their number soon reaches the capacity of its surroundings, and does not grow further (E30).

use crate::immersed::{CORE, SPACING, noise, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// Returns the number of vortons nearer than `depth` \[m\] to a hot ball, every half second.
fn crowds(radius: f32, depth: f32) -> Vec<usize> {
    let params =
        Params { gravity: Vec3::Z * -9.81, viscosity: 0.01, max_vortons: 20_000, ..params(Vec3::ZERO) };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let hot = BodyDef {
        shapes: vec![Shape::sphere(radius)],
        state: BodyState::default(),
        mass: f32::INFINITY,
        temperature: 375.0,
        heat_capacity: f32::INFINITY,
        heat_transfer: 300.0,
        ..BodyDef::default()
    };
    bodies.add(hot).expect("a valid body");
    let mut around = noise(Vec3::ZERO, Vec3::splat(2.0 * radius + 4.0 * CORE), 1e-3);
    around.retain(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&around).expect("valid vortons");
    let mut counts = Vec::new();
    for step in 1..=180 {
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
        if step % 30 == 0 {
            let near = sim.vortons().positions.iter().filter(|place| place.length() < radius + depth);
            counts.push(near.count());
        }
    }
    assert!(sim.stats().halo_born > 0);
    counts
}

#[test]
fn as_many_as_there_is_room_for() {
    let (radius, depth) = (0.2, 3.0 * CORE);
    let counts = crowds(radius, depth);
    let room =
        4.0 / 3.0 * std::f32::consts::PI * ((radius + depth).powi(3) - radius.powi(3)) / SPACING.powi(3);
    println!("{counts:?} vortons where there is room for {room:.0}");
    // Vortons carried against the ball from below add to the initial ones.
    assert!(counts.iter().all(|&count| (count as f32) < 2.0 * room), "{counts:?} of {room}");
    assert!(counts[5] as f32 <= 1.15 * counts[3] as f32, "still grows: {counts:?}");
}
