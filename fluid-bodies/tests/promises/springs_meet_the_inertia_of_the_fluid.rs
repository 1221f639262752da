//! Where an engine's mass contains that of the fluid around a light body ([`BodyDef::fluid_mass`]), the body
//! swings on the engine's springs at the frequency of theory and keeps its amplitude, on stiff springs as
//! well, and rises as it does without.

use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{DMat3, DVec3, Quat, Vec3};
use std::f64::consts::{PI, TAU};

const RADIUS: f64 = 0.2;
const VOLUME: f64 = 4.0 / 3.0 * PI * RADIUS * RADIUS * RADIUS;
const GRAVITY: f64 = 10.0;

/// A ball in fluid of density 1 without vortons, and the engine that moves it.
struct Ball {
    sim: VortexSim,
    bodies: Bodies,
    rigid: RigidBody,
}

impl Ball {
    /// A ball of this density; `known` is the part of its added mass that is in the engine's mass.
    fn new(density: f64, known: f64, gravity: f64, place: f64) -> Self {
        let mut params = Params { core_radius: 0.1, gravity: Vec3::Z * -gravity as f32, ..Params::default() };
        params.ambient.density = 1.0;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let fluid_mass = known * 0.5 * VOLUME;
        let def = BodyDef {
            shapes: vec![Shape::sphere(RADIUS as f32)],
            mass: (density * VOLUME + fluid_mass) as f32,
            fluid_mass: fluid_mass as f32,
            state: BodyState { position: Vec3::X * place as f32, ..BodyState::default() },
            no_through: true,
            ..BodyDef::default()
        };
        let rigid = RigidBody::new(&def);
        bodies.add(def).expect("a valid body");
        Self { sim: VortexSim::new(params).expect("valid parameters"), bodies, rigid }
    }

    fn step(&mut self, force: impl Fn(DVec3) -> DVec3, dt: f64) {
        self.bodies.set_state(0, self.rigid.state()).expect("a valid state");
        self.sim.step(&Serial, &mut self.bodies, dt as f32).expect("a finite step");
        self.rigid.apply(&self.bodies.body_mut(0).take_impulse());
        self.rigid.apply_impulse(force(self.rigid.position()) * dt);
        self.rigid.integrate(dt);
    }
}

/// Without it a spring of 6 Hz threw the ball to 1e6 m/s, and one of 1.8 Hz lost most of its amplitude in a
/// period, at 60 Hz.
#[test]
fn a_light_ball_on_a_spring() {
    for (density, hertz, rate) in [
        (0.1, 1.8, 60.0),
        (0.1, 6.0, 60.0),
        (0.02, 6.0, 60.0),
        (0.3, 3.0, 30.0),
        (2.0, 3.0, 60.0),
        (0.1, 2.0, 0.0),
    ] {
        let stiffness = (density + 0.5) * VOLUME * (TAU * hertz) * (TAU * hertz);
        let mut ball = Ball::new(density, 1.0, 0.0, 0.1);
        let (random, mut time, mut crossings, mut before) = (Random::new(3), 0.0, Vec::new(), 0.1);
        let (mut late, mut fastest) = (0.0_f64, 0.0_f64);
        for step in 0.. {
            let uneven = 1.0 / 144.0 + f64::from(random.unit(step)) * (1.0 / 30.0 - 1.0 / 144.0);
            let dt = if rate > 0.0 { 1.0 / rate } else { uneven };
            ball.step(|place| place * -stiffness, dt);
            let now = ball.rigid.position().x;
            time += dt;
            if before > 0.0 && now <= 0.0 {
                crossings.push(time - dt * now / (now - before));
            }
            (before, fastest) = (now, fastest.max(ball.rigid.velocity().length()));
            if time * hertz > 19.0 {
                late = late.max(now.abs());
            }
            if time * hertz > 20.0 {
                break;
            }
        }
        let count = (crossings.len() - 1) as f64;
        let period = (crossings[crossings.len() - 1] - crossings[0]) / count;
        // Euler's symplectic method: sin (w dt / 2) = w0 dt / 2.
        let half = PI * hertz / rate;
        let right = if rate > 0.0 { PI / (rate * half.asin()) } else { 1.0 / hertz };
        println!(
            "density {density}, {hertz} Hz, {rate} frames/s: period {period:.4} of {right:.4} s, amplitude {late:.4}, {fastest:.2} m/s"
        );
        assert!((period / right - 1.0).abs() < 0.01, "{density}, {hertz}, {rate}: {period} of {right} s");
        // Uneven steps of this method change the amplitude by themselves.
        let most = if rate > 0.0 { 0.115 } else { 0.13 };
        assert!((0.085..most).contains(&late), "{density}, {hertz}, {rate}: amplitude {late}");
    }
}

/// What stands for fluid has no weight: the lift balances it, in the first frame and later.
#[test]
fn a_light_ball_rises_as_it_does_without() {
    for (density, rate) in [(0.1, 60.0), (0.02, 24.0), (0.5, 120.0)] {
        let right = (1.0 - density) / (density + 0.5) * GRAVITY;
        let mut speeds = [0.0, 0.5, 1.0].map(|known| {
            let mut ball = Ball::new(density, known, GRAVITY, 0.0);
            let mass = ball.rigid.mass();
            let mut first = 0.0;
            for frame in 0..(0.5 * rate) as u32 {
                ball.step(|_| DVec3::Z * -GRAVITY * mass, 1.0 / rate);
                first = if frame == 1 { ball.rigid.velocity().z * 0.5 * rate } else { first };
            }
            (first, ball.rigid.velocity().z / 0.5)
        });
        println!("density {density}, {rate} frames/s: {speeds:.3?} of {right:.3} m/s²");
        for (first, mean) in &mut speeds {
            assert!((*first / right - 1.0).abs() < 0.03, "density {density}: {first} of {right}");
            assert!((*mean / right - 1.0).abs() < 0.03, "density {density}: {mean} of {right}");
        }
    }
}

/// On a torsion spring the part of the inertia tensor that stands for fluid acts in the same way, and without
/// it the swing is lost.
#[test]
fn a_light_capsule_on_a_torsion_spring() {
    let (density, hertz, rate) = (0.1, 3.0, 60.0);
    let shape = Shape::capsule(0.1, 0.2);
    let added = AddedInertia::of(std::slice::from_ref(&shape)).expect("a solid").angular;
    let axis = if added.x_axis.x > added.z_axis.z { DVec3::X } else { DVec3::Z };
    let solid = MassProperties::of(std::slice::from_ref(&shape));
    let whole = solid.inertia() * density + added;
    let stiffness = axis.dot(whole * axis) * (TAU * hertz) * (TAU * hertz);
    let swing = |known: f64| {
        let mut params = Params { core_radius: 0.1, ..Params::default() };
        params.ambient.density = 1.0;
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let rotation = Quat::from_axis_angle(axis.as_vec3(), 0.1);
        let def = BodyDef {
            shapes: vec![shape.clone()],
            mass: (density * solid.volume) as f32,
            inertia: Some(solid.inertia() * density + added * known),
            fluid_inertia: added * known,
            state: BodyState { rotation, ..BodyState::default() },
            no_through: true,
            ..BodyDef::default()
        };
        let mut rigid = RigidBody::new(&def);
        bodies.add(def).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let (mut crossings, mut before, mut late) = (Vec::new(), 0.1, 0.0_f64);
        for step in 0..(10.0 * rate / hertz) as u32 {
            bodies.set_state(0, rigid.state()).expect("a valid state");
            sim.step(&Serial, &mut bodies, (1.0 / rate) as f32).expect("a finite step");
            rigid.apply(&bodies.body_mut(0).take_impulse());
            let angle = rigid.rotation().to_scaled_axis().dot(axis);
            rigid.apply_impulsive_torque(axis * (-stiffness * angle / rate));
            rigid.integrate(1.0 / rate);
            let now = rigid.rotation().to_scaled_axis().dot(axis);
            if before > 0.0 && now <= 0.0 {
                crossings.push((f64::from(step) - now / (now - before)) / rate);
            }
            before = now;
            if f64::from(step) > 9.0 * rate / hertz {
                late = late.max(now.abs());
            }
        }
        let last = crossings.len() - 1;
        ((crossings[last] - crossings[0]) / last as f64, late)
    };
    let right = PI / (rate * (PI * hertz / rate).asin());
    let [(_, lost), (period, kept)] = [0.0, 1.0].map(swing);
    println!("period {period:.4} of {right:.4} s, amplitude {kept:.4}, {lost:.4} without it");
    assert!((period / right - 1.0).abs() < 0.01, "{period} of {right} s");
    assert!((0.085..0.115).contains(&kept) && lost < 0.02, "{kept}, {lost}");
}

/// The part is less than the whole, also of the inertia tensor and of a mass set later.
#[test]
fn nonsense_is_refused() {
    let mut params = Params { core_radius: 0.1, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let tensor = |x: f64, y: f64, z: f64| DMat3::from_diagonal(DVec3::new(x, y, z));
    let def = |fluid_mass: f32, fluid_inertia: DMat3| BodyDef {
        shapes: vec![Shape::sphere(0.2)],
        inertia: Some(tensor(0.02, 0.02, 0.02)),
        fluid_mass,
        fluid_inertia,
        ..BodyDef::default()
    };
    for (mass, inertia) in [
        (1.0, DMat3::ZERO),
        (-0.1, DMat3::ZERO),
        (f32::NAN, DMat3::ZERO),
        (0.5, tensor(-0.01, 0.01, 0.01)),
        (0.5, tensor(0.03, 0.0, 0.0)),
        (0.5, tensor(f64::INFINITY, 0.0, 0.0)),
    ] {
        bodies.add(def(mass, inertia)).expect_err("nonsense");
    }
    let index = bodies.add(def(0.5, tensor(0.01, 0.01, 0.0))).expect("a valid body");
    let body = bodies.body_mut(index);
    body.set_mass(0.5).expect_err("as much as the fluid's");
    body.set_inertia(Some(tensor(0.008, 0.008, 0.008))).expect_err("less than the fluid's");
    body.set_mass(f32::INFINITY).expect("it moves by itself from now on");
    body.set_mass(0.6).expect("more than the fluid's");
    assert!(
        body.definition().fluid_mass == 0.5 && body.definition().fluid_inertia == tensor(0.01, 0.01, 0.0)
    );
}
