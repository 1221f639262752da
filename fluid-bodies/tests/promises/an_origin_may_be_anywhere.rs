//! What the fluid does, and what a body gets from it, does not depend on which point of the body is its
//! origin.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::PI;

/// Duration \[s\]: later, vortons that began nearly alike have gone different ways.
const DURATION: f32 = 0.75;

/// A door of 1 m begins to swing beside a vortex ring, which its first half-turn hits. The origin of the door
/// is this far from its middle \[m\], 0.5 at its hinge, which is at the world's origin. Returns the energy of
/// the fluid \[m⁵/s²\] and the door's impulse and angular impulse about the hinge.
fn swing(off: f32, aside: Vec3) -> (f64, DVec3, DVec3) {
    let rate = 120.0_f32;
    let mut params = Params { core_radius: 0.1, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let arm = Vec3::X * (0.5 - off);
    let at = |time: f32| {
        let (angle, spin) =
            (0.525 * (1.0 - libm::cosf(PI * time)), Vec3::Z * (0.525 * PI * libm::sinf(PI * time)));
        let rotation = Quat::from_rotation_z(angle);
        let position = rotation * arm;
        BodyState { position, rotation, velocity: spin.cross(position), angular_velocity: spin }
    };
    let mut door = Shape::cuboid(Vec3::new(0.5, 0.06, 0.4));
    door.pose.position = Vec3::X * off;
    let def = BodyDef { shapes: vec![door], mass: f32::INFINITY, state: at(0.0), ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = VortexRing {
        centre: Vec3::new(0.6, 0.5, 0.0) + aside,
        axis: -Vec3::Y,
        radius: 0.3,
        thickness: 0.15,
        circulation: 0.5,
        spacing: 0.0667,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for step in 0..(DURATION * rate) as u32 {
        bodies.set_state(0, at(step as f32 / rate)).expect("a valid state");
        sim.step(&pool, &mut bodies, 1.0 / rate).expect("a finite step");
        let impulse = bodies.body_mut(0).take_impulse();
        let position = at((step + 1) as f32 / rate).position.as_dvec3();
        linear += impulse.linear;
        angular += impulse.angular + position.cross(impulse.linear);
    }
    (sim.stats().energy, linear, angular)
}

/// Sums over several places of the ring: what single vortons do at the door is chaotic.
#[test]
fn of_a_door_that_swings() {
    let sums = |off: f32| {
        let random = Random::new(11);
        let places = (0..24).map(|i| random.centred_vec3(i) * 0.16);
        places
            .map(|aside| swing(off, aside))
            .fold((0.0, DVec3::ZERO, DVec3::ZERO), |sum, one| (sum.0 + one.0, sum.1 + one.1, sum.2 + one.2))
    };
    let (expected, of_middle, about_hinge) = sums(0.0);
    // Far origins move along a chord within a step.
    for (off, most) in [(0.1, 0.02), (0.5, 0.03), (-1.5, 0.08)] {
        let (energy, linear, angular) = sums(off);
        let errors = [
            (energy / expected - 1.0).abs(),
            (linear - of_middle).length() / of_middle.length(),
            (angular - about_hinge).length() / about_hinge.length(),
        ];
        println!("{off} m: {energy:.4} of {expected:.4} m⁵/s², errors {errors:.3?}");
        assert!(errors.into_iter().all(|error| error < most), "{off} m: {errors:?}");
    }
}
