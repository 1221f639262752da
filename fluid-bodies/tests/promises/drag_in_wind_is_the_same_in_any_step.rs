//! A body that sheds the vorticity of an emitter's smoke into the wind has the drag of its cross-section, in
//! steps of any length: its wake keeps its impulse, so that it is not given to the vortex shed first (E46).

use fluid_bodies::BodyDef;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const SPEED: f32 = 3.0;
const DENSITY: f32 = 1.2;
const RADIUS: f32 = 0.25;
const HALF_HEIGHT: f32 = 0.4;

/// Returns the mean drag \[N\] from 1.5 to 3 s, and the energy \[m⁵/s²\] at last.
fn drag(rate: u16) -> (f64, f64) {
    let wind = Vec3::X * SPEED;
    let mut params = Params { core_radius: 0.15, max_age: 4.0, wind, ..Params::default() };
    params.ambient.density = DENSITY;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let shapes = vec![Shape::capsule(HALF_HEIGHT, RADIUS)];
    let body =
        bodies.add(BodyDef { shapes, mass: f32::INFINITY, ..BodyDef::default() }).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let smoke = EmitterDef {
        position: Vec3::X * -0.6,
        extent: Vec3::new(0.5, 0.5, 0.2),
        rate: 150.0,
        volume: 0.001,
        strength_spread: Vec3::splat(2e-3),
        seed: 1,
        ..EmitterDef::default()
    };
    sim.emitters_mut().push(Emitter::new(smoke).expect("a valid emitter"));
    let (steps, mut impulse) = (3 * u32::from(rate), 0.0);
    for step in 0..steps {
        sim.step(&Serial, &mut bodies, 1.0 / f32::from(rate)).expect("a finite step");
        let given = bodies.body_mut(body).take_impulse().linear.x;
        impulse += if step >= steps / 2 { given } else { 0.0 };
    }
    (impulse / 1.5, sim.stats().energy)
}

#[test]
fn a_capsule_in_smoke() {
    let area = 4.0 * RADIUS * HALF_HEIGHT + std::f32::consts::PI * RADIUS.powi(2);
    let pressure = f64::from(0.5 * DENSITY * SPEED.powi(2) * area);
    let found = [144, 30].map(drag);
    println!("{found:.2?}, dynamic pressure times area: {pressure:.2} N");
    for (drag, energy) in found {
        assert!((0.8..2.2).contains(&(drag / pressure)), "{drag} N of {pressure} N");
        assert!(energy < 28.0, "{energy}");
    }
    let ratio = found[0].0 / found[1].0;
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}
