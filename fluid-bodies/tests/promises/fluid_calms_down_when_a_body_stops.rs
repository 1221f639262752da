//! When a body stops, energy that its layer and its wake lose is lost: with nothing that moves the fluid it
//! does not rise again (E38, E46).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

/// Moves a body of this shape through noise at 3 m/s for .4 s, or lets the wind blow past it, and lets it
/// rest for a second. Returns the largest ratio of the energy to the least since the body has stopped.
fn rise(shape: Shape, blows: bool, rate: u16) -> f64 {
    let mut params = Params { core_radius: 0.15, ..Params::default() };
    params.ambient.density = 1.2;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let body = bodies.add(def).expect("a valid body");
    let centre = Vec3::X * if blows { -1.5 } else { 1.5 };
    let noise = Noise { centre, extent: Vec3::new(4.0, 1.2, 1.8), spacing: 0.15, amplitude: 0.02, seed: 1 };
    let mut vortons = noise.vortons().expect("constants in range");
    vortons.retain(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&vortons).expect("valid vortons");
    let (moving, steps) = (2 * u32::from(rate) / 5, 7 * u32::from(rate) / 5);
    let (mut least, mut ratio) = (f64::INFINITY, 0.0_f64);
    for step in 0..steps {
        let speed = if step < moving { 3.0 } else { 0.0 };
        if blows {
            sim.set_wind(Vec3::X * speed).expect("a valid wind");
        } else {
            let state = BodyState { velocity: Vec3::X * speed, ..*bodies.list()[body].state() };
            bodies.set_state(body, state).expect("a valid state");
        }
        sim.step(&Serial, &mut bodies, 1.0 / f32::from(rate)).expect("a finite step");
        if step > moving {
            let energy = sim.stats().energy;
            least = least.min(energy);
            ratio = ratio.max(energy / least);
        }
    }
    ratio
}

#[test]
fn a_capsule_and_a_ball() {
    let (capsule, ball) = (|| Shape::capsule(0.4, 0.25), || Shape::sphere(0.25));
    for (shape, blows, rate) in
        [(capsule(), false, 60), (capsule(), false, 30), (capsule(), true, 60), (ball(), false, 60)]
    {
        let ratio = rise(shape, blows, rate);
        println!("blows {blows}, {rate} Hz: {ratio:.3}");
        assert!(ratio < 1.15, "blows {blows}, {rate} Hz: {ratio}");
    }
}
