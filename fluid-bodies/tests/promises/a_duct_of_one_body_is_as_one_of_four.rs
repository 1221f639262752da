//! A fan in a duct blows as much through one that is one body of four boxes as through four bodies (E38):
//! what one wall's friction makes is not held under the opposite wall.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::pose::Pose;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::Pool;
use glam::{Vec2, Vec3};

/// Half width of the duct, half of its length, and half of the walls' thickness \[m\].
const HALF: f32 = 0.35;
const LENGTH: f32 = 1.2;
const WALL: f32 = 0.1;

/// Middles and half extents of the walls; the fan is in the middle of the coordinates.
fn walls() -> [(Vec3, Vec3); 4] {
    let beside = |side: f32| (Vec3::new(side * (HALF + WALL), 0.0, 0.6), Vec3::new(WALL, HALF, LENGTH));
    let across =
        |side: f32| (Vec3::new(0.0, side * (HALF + WALL), 0.6), Vec3::new(HALF + 2.0 * WALL, WALL, LENGTH));
    [beside(1.0), beside(-1.0), across(1.0), across(-1.0)]
}

/// Returns the flux through the duct .6 m behind the fan, in the mean of the last second of three \[m³/s\].
fn flux(are_one: bool) -> f32 {
    let params = Params { core_radius: 0.1, max_age: 3.0, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let fixed = BodyDef { mass: f32::INFINITY, ..BodyDef::default() };
    let wall = |(position, half): (Vec3, Vec3)| {
        let pose = Pose { position, ..Pose::IDENTITY };
        Shape { pose, ..Shape::cuboid(half) }
    };
    if are_one {
        let shapes = walls().map(wall).to_vec();
        bodies.add(BodyDef { shapes, ..fixed }).expect("a valid body");
    } else {
        for (position, half) in walls() {
            let state = BodyState { position, ..BodyState::default() };
            let def = BodyDef { shapes: vec![Shape::cuboid(half)], state, ..fixed.clone() };
            bodies.add(def).expect("a valid body");
        }
    }
    let nozzle = Nozzle { radius: 0.3, speed: 2.0, ..Nozzle::default() };
    let fan = EmitterDef { rate: 0.0, nozzle: Some(nozzle), seed: 1, ..EmitterDef::default() };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.emitters_mut().push(Emitter::new(fan).expect("a valid emitter"));
    let pool = Pool::new(2).expect("threads");
    let mut sum = 0.0;
    for frame in 0..180 {
        sim.step(&pool, &mut bodies, 1.0 / 60.0).expect("a finite step");
        if frame >= 120 {
            sum += through(&sim) / 60.0;
        }
    }
    sum
}

fn through(sim: &VortexSim) -> f32 {
    let (count, mut places) = (10, Vec::new());
    let at = |n: u32| HALF * (2.0 * (n as f32 + 0.5) / count as f32 - 1.0);
    for i in 0..count {
        places.extend((0..count).map(|j| Vec2::new(at(i), at(j)).extend(0.6)));
    }
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut velocities);
    velocities.iter().map(|velocity| velocity.z).sum::<f32>() / places.len() as f32 * (2.0 * HALF).powi(2)
}

#[test]
fn with_a_fan_that_fills_most_of_it() {
    let [one, four] = [true, false].map(flux);
    println!("{one:.3} m³/s through one body, {four:.3} through four");
    assert!(four > 0.2 && (one / four - 1.0).abs() < 0.3, "{one} and {four} m³/s");
}
