//! The impulse with which a host wakes a sleeping body is that of contacts with fluid, so it makes no body
//! faster than that fluid, however light the body is.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::Serial;
use glam::Vec3;

/// Returns the largest impulse that a sleeping cube in front of a ring gets in this number of steps, over its
/// mass \[m/s\], and the largest speed of the fluid on the ring's axis \[m/s\].
fn hit(density: f32, cores: f32, hz: f32, steps: u32) -> (f32, f32) {
    let mut params = Params { core_radius: 0.1, ..Params::default() };
    params.ambient.density = 1.0;
    let ring = VortexRing {
        centre: Vec3::ZERO,
        axis: Vec3::Z,
        radius: 0.3,
        thickness: 0.2,
        circulation: 1.5,
        spacing: 0.07,
    };
    let shape = Shape::cuboid(Vec3::splat(0.5 * cores * params.core_radius));
    let mass = density * MassProperties::of(std::slice::from_ref(&shape)).volume as f32;
    let state = BodyState { position: Vec3::new(0.25, 0.0, 0.8), ..BodyState::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let id = bodies.add(BodyDef { shapes: vec![shape], mass, state, ..BodyDef::default() });
    id.expect("a valid body");
    bodies.body_mut(0).fall_asleep();
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let (mut push, mut flow) = (0.0_f32, 0.0_f32);
    for step in 1..=(1.2 * hz) as u32 {
        sim.step(&Serial, &mut bodies, 1.0 / hz).expect("a finite step");
        if step % steps == 0 {
            push = push.max(bodies.body_mut(0).take_impulse().linear.length() as f32 / mass);
        }
        let places = [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8].map(|z| Vec3::Z * z);
        let mut velocities = [Vec3::ZERO; 6];
        sim.field().velocities(&places, &mut velocities);
        flow = velocities.iter().fold(flow, |most, velocity| most.max(velocity.length()));
    }
    (push, flow)
}

#[test]
fn of_any_density_and_size() {
    for (density, cores, hz, steps) in [
        (0.1, 1.5, 30.0, 1),
        (0.1, 1.5, 60.0, 1),
        (0.1, 3.0, 60.0, 1),
        (0.5, 3.0, 30.0, 1),
        (1.0, 1.5, 30.0, 1),
        (0.02, 2.0, 15.0, 1),
        // Taken rarely, as by an engine with several steps per frame, or by `wake`.
        (0.1, 1.5, 60.0, 8),
        (0.1, 3.0, 120.0, 24),
        (0.5, 2.0, 60.0, 72),
    ] {
        let (push, flow) = hit(density, cores, hz, steps);
        println!("density {density}, {cores} core radii, {hz} Hz: {push:.2} m/s in fluid at {flow:.2} m/s");
        assert!(push > 0.05, "density {density}, {cores} core radii, {hz} Hz: nothing hits it, {push} m/s");
        assert!(push < 1.2 * flow, "density {density}, {cores} core radii, {hz} Hz: {push} of {flow} m/s");
    }
}
