//! Vorticity that bodies hold, and that of the layer in front of it, do not amplify each other: the energy of
//! the fluid stays within a fifth of what it had and what bodies did.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::{Noise, VortexRing};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{Quat, Vec3};

/// A ring of 1,296 vortons hits a free plate of this `density`, three core radii thick and turned, `aside`
/// \[m\] of its middle, at `rate` \[Hz\]. Returns the energies of fluid and plate at first and at most.
fn hit(density: f32, aside: f32, rate: f32) -> (f64, f64) {
    let mut params = Params { core_radius: 0.1, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let half = Vec3::new(0.15, 0.8, 0.6);
    let state = BodyState { rotation: Quat::from_rotation_z(0.6), ..BodyState::default() };
    let mass = density * 8.0 * half.x * half.y * half.z;
    let def = BodyDef { shapes: vec![Shape::cuboid(half)], mass, state, ..BodyDef::default() };
    bodies.add(def.clone()).expect("a valid body");
    let mut rigid = RigidBody::new(&def);
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = VortexRing {
        centre: Vec3::new(-0.9, aside, 0.0),
        axis: Vec3::X,
        radius: 0.5,
        thickness: 0.2,
        circulation: 0.5,
        spacing: 0.0667,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let (mut first, mut most) = (0.0, 0.0_f64);
    for step in 0..(4.0 * rate) as u32 {
        bodies.set_state(0, rigid.state()).expect("a valid state");
        sim.step(&pool, &mut bodies, 1.0 / rate).expect("a finite step");
        rigid.apply(&bodies.body_mut(0).take_impulse());
        rigid.integrate((1.0 / rate).into());
        let moving = 0.5 * f64::from(mass) * rigid.state().velocity.as_dvec3().length_squared();
        most = most.max(sim.stats().energy + moving);
        first = if step == 0 { most } else { first };
    }
    (first, most)
}

#[test]
fn a_ring_that_hits_a_light_plate() {
    for (density, aside, rate) in
        [(0.3, 0.001, 60.0), (0.1, 0.009, 60.0), (0.1, 0.0, 144.0), (0.05, 0.002, 30.0)]
    {
        let (first, most) = hit(density, aside, rate);
        println!("density {density}, {aside} m aside, {rate} Hz: {first:.4} to {most:.4} m⁵/s²");
        assert!(most < 1.5 * first, "density {density}, {aside} m, {rate} Hz: {first} to {most}");
    }
}

/// A floor and a box that stands on it rise and sink together in fluid almost at rest. The floor displaces
/// nothing, so the box does all of the work.
#[test]
fn a_box_on_a_lift() {
    let (sway, rate) = (0.3, 1.5);
    for (frame, gap) in [(60.0_f32, 0.0), (24.0, 0.05), (24.0, 0.0)] {
        let mut params = Params { core_radius: 0.1, ..Params::default() };
        params.ambient.density = 1.0;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let still = |shape| BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        bodies.add(still(Shape::half_space())).expect("a valid floor");
        bodies.add(still(Shape::cuboid(Vec3::new(0.2, 0.2, 0.1)))).expect("a valid box");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let noise = Noise {
            centre: Vec3::Z * 0.25,
            extent: Vec3::new(1.4, 1.4, 0.4),
            spacing: 0.0667,
            amplitude: 0.01,
            seed: 1,
        };
        let place = |bodies: &mut Bodies, time: f32| {
            let height = sway * (1.0 - libm::cosf(rate * time));
            let velocity = Vec3::Z * (sway * rate * libm::sinf(rate * time));
            let at = |z: f32| BodyState { position: Vec3::Z * z, velocity, ..BodyState::default() };
            bodies.set_state(0, at(height)).expect("a valid state");
            bodies.set_state(1, at(height + 0.1 + gap)).expect("a valid state");
            velocity.as_dvec3()
        };
        place(&mut bodies, 0.0);
        let mut vortons = noise.vortons().expect("constants in range");
        vortons.retain(|vorton| !bodies.absorb(vorton.position, vorton.strength, 0.0));
        sim.add_vortons(&vortons).expect("valid vortons");
        let pool = Pool::new(2).expect("threads start");
        let (mut work, mut worst, mut most) = (0.0, (0.0_f64, 0.0), 0.0_f64);
        for step in 0..(6.0 * frame) as u32 {
            let velocity = place(&mut bodies, step as f32 / frame);
            sim.step(&pool, &mut bodies, 1.0 / frame).expect("a finite step");
            work -= bodies.body_mut(1).take_impulse().linear.dot(velocity);
            let energy = sim.stats().energy;
            most = most.max(energy);
            if energy - work > worst.0 {
                worst = (energy - work, work);
            }
        }
        println!(
            "{frame} Hz, {gap} m above the floor: at most {most:.3} m⁵/s²; beyond the work {worst:.3?} of {work:.3}"
        );
        assert!(worst.0 < 0.1 && most < work, "{frame} Hz, gap {gap}: {most}, {worst:?}, {work}");
    }
}
