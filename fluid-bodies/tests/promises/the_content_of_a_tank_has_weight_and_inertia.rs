//! The contents of a body's hole have weight and inertia, which act on the body: a force on a closed tank
//! accelerates m + ρV, at any masses and frame rate, and a driven tank reports the required impulse.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{DVec3, Vec3};

const HALF: Vec3 = Vec3::new(0.5, 0.4, 0.3);
/// Mass of the fluid in it, which has the density 1.2 kg/m³ \[kg\].
const CONTENT: f32 = 1.2 * 8.0 * 0.5 * 0.4 * 0.3;

struct World {
    sim: VortexSim,
    bodies: Bodies,
    rigid: RigidBody,
}

impl World {
    fn new(def: &BodyDef, gravity: Vec3, deviation: f32) -> Self {
        let spacing = 0.1;
        let mut params =
            Params { core_radius: 1.5 * spacing, gravity, solver: SolverKind::Direct, ..Params::default() };
        params.ambient.density = 1.2;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        bodies.add(def.clone()).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let filling = DensityBox {
            centre: def.state.position + def.shapes[0].pose.position,
            extent: HALF * 2.0,
            spacing,
            density_deviation: deviation,
            dye: 0.0,
            fuel: 0.0,
        };
        sim.add_vortons(&filling.vortons().expect("constants in range")).expect("valid vortons");
        Self { sim, bodies, rigid: RigidBody::new(def) }
    }

    /// Makes an engine's frame, in which it pushes with `force` \[N\].
    fn frame(&mut self, dt: f32, force: Vec3, mass: f32) {
        let mut state = self.rigid.state();
        state.velocity += force * (dt / mass);
        self.rigid.set_state(&state);
        self.bodies.set_state(0, state).expect("a valid state");
        self.sim.step(&Serial, &mut self.bodies, dt).expect("a finite step");
        let impulse = self.bodies.body_mut(0).take_impulse();
        self.rigid.integrate(dt.into());
        self.rigid.apply(&impulse);
    }
}

fn tank(mass: f32, buoyant_force: BuoyantForce, offset: Vec3) -> BodyDef {
    let mut shape = Shape { parity: Parity::Hole, ..Shape::cuboid(HALF) };
    shape.pose.position = offset;
    BodyDef { shapes: vec![shape], mass, buoyant_force, ..BodyDef::default() }
}

/// A steady push on a shell that is much lighter than its content is not the hold of a joint.
#[test]
fn a_push_moves_it_with_all_that_is_in_it() {
    for share in [0.02, 0.2, 1.0, 10.0] {
        let mass = share * CONTENT;
        for rate in [24.0, 60.0, 120.0] {
            let mut world = World::new(&tank(mass, BuoyantForce::Off, Vec3::ZERO), Vec3::ZERO, 0.0);
            let force = Vec3::new(0.3, 0.1, -0.2) * (mass + CONTENT);
            let mut speeds = Vec::new();
            for _ in 0..rate as usize {
                world.frame(1.0 / rate, force, mass);
                speeds.push(world.rigid.state().velocity);
            }
            // The first frames do not tell a force from a hold: where the shell has the content's mass, the
            // fluid's answer to two of them stops it.
            let gained = speeds[rate as usize - 1] - speeds[5];
            let expected = Vec3::new(0.3, 0.1, -0.2) * ((rate - 6.0) / rate);
            let spin = world.rigid.state().angular_velocity;
            println!("{mass:.3} kg at {rate} Hz: {gained} of {expected}, spin {spin}");
            assert!(gained.distance(expected) < 1e-3 * expected.length(), "{mass}, {rate}: {gained}");
            assert!(spin.length() < 1e-4, "{mass}, {rate}: a spin of {spin}");
        }
    }
}

/// Nor is one that changes slowly, in an engine that moves the tank by impulse and force together.
#[test]
fn so_does_a_push_that_swells() {
    for share in [0.02, 0.2] {
        let (mass, rate) = (share * CONTENT, 60.0);
        let mut world = World::new(&tank(mass, BuoyantForce::Off, Vec3::ZERO), Vec3::ZERO, 0.0);
        let (mut given, mut worst) = (0.0, 0.0_f64);
        for frame in 0..180 {
            world.bodies.set_state(0, world.rigid.state()).expect("a valid state");
            world.sim.step(&Serial, &mut world.bodies, 1.0 / rate).expect("a finite step");
            world.rigid.apply(&world.bodies.body_mut(0).take_impulse());
            let force = 2.0 + f64::from(libm::sinf(6.0 * frame as f32 / rate));
            world.rigid.apply_force(DVec3::X * force);
            world.rigid.integrate((1.0 / rate).into());
            given += force / f64::from(rate);
            let error = world.rigid.velocity().x - given / f64::from(mass + CONTENT);
            worst = if frame > 5 { worst.max(error.abs()) } else { worst };
        }
        let alone = 2.0 / f64::from(rate * mass);
        println!("{mass:.3} kg: up to {worst:.4} m/s off, {alone:.4} m/s alone in a frame");
        assert!(worst < 0.15 * alone, "{mass}: {worst}");
    }
}

#[test]
fn it_falls_as_everything_does() {
    for (deviation, offset) in [(0.0, Vec3::ZERO), (0.3, Vec3::ZERO), (0.0, Vec3::new(0.2, 0.0, 0.1))] {
        for mass in [0.05 * CONTENT, CONTENT] {
            let def = tank(mass, BuoyantForce::OnWithWeight, offset);
            let mut world = World::new(&def, Vec3::Z * -9.81, deviation);
            for _ in 0..60 {
                world.frame(1.0 / 60.0, Vec3::ZERO, mass);
            }
            let BodyState { velocity, angular_velocity: spin, .. } = world.rigid.state();
            println!("{deviation} {offset} {mass}: {velocity}, spin {spin}");
            let free = Vec3::Z * -9.81;
            assert!(velocity.distance(free) < 0.01 * 9.81 && spin.length() < 1e-3, "{velocity} {spin}");
        }
    }
}

#[test]
fn one_that_is_driven_reports_weight_and_inertia() {
    for rate in [24.0_f32, 120.0] {
        let gravity = Vec3::Z * -9.81;
        let mut world = World::new(&tank(f32::INFINITY, BuoyantForce::On, Vec3::ZERO), gravity, 0.0);
        let mut given = Vec3::ZERO;
        let velocity = |time: f32| Vec3::X * libm::sinf(3.0 * time) * 0.5;
        let mut before = Vec3::ZERO;
        for step in 0..rate as usize {
            let time = step as f32 / rate;
            let position = Vec3::X * (1.0 - libm::cosf(3.0 * time)) * 0.5 / 3.0;
            let state = BodyState { velocity: velocity(time), position, ..BodyState::default() };
            world.bodies.set_state(0, state).expect("a valid state");
            world.sim.step(&Serial, &mut world.bodies, 1.0 / rate).expect("a finite step");
            given += world.bodies.body_mut(0).take_impulse().linear.as_vec3();
            before = velocity(time);
        }
        let expected = -before * CONTENT + gravity * CONTENT;
        println!("{rate} Hz: {given} of {expected}");
        assert!(given.distance(expected) < 0.01 * expected.length(), "{given} of {expected}");
    }
}
