//! The contents of a tank weigh what the ambient fluid at its place weighs: a jar of the density of its
//! surroundings hovers wherever it is, and a tank at rest gets the weight and torque of −g ∫ ρ dV.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::density::Stratification;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::Vec3;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -10.0);
/// Change of density with height \[kg/m⁴\].
const SLOPE: f32 = -0.1;

fn params(stratification: Stratification) -> Params {
    let mut params = Params { core_radius: 0.1, gravity: GRAVITY, ..Params::default() };
    params.ambient.stratification = stratification;
    params
}

fn layers() -> Stratification {
    Stratification::Layers { normal: Vec3::Z, height: 0.0, jump: -0.4, thickness: 0.05 }
}

fn linear() -> Stratification {
    Stratification::Linear { gradient: Vec3::Z * SLOPE }
}

fn world(params: &Params, def: &BodyDef) -> (VortexSim, Bodies) {
    let mut bodies = Bodies::new(BodySettings::default(), params).expect("valid settings");
    bodies.add(def.clone()).expect("a valid body");
    (VortexSim::new(*params).expect("valid parameters"), bodies)
}

fn hole(half: Vec3, position: Vec3) -> Shape {
    let mut shape = Shape { parity: Parity::Hole, ..Shape::cuboid(half) };
    shape.pose.position = position;
    shape
}

#[test]
fn a_neutral_jar_hovers_in_any_layer() {
    let shapes = vec![Shape::cuboid(Vec3::splat(0.4)), hole(Vec3::splat(0.35), Vec3::ZERO)];
    let glass = 0.8_f32.powi(3) - 0.7_f32.powi(3);
    let depth = 2.0;
    for (stratification, density) in [(layers(), 1.2), (linear(), 1.0 - SLOPE * depth)] {
        let params = params(stratification);
        let state = BodyState { position: GRAVITY * (0.1 * depth), ..BodyState::default() };
        let def = BodyDef {
            shapes: shapes.clone(),
            state,
            mass: density * glass,
            buoyant_force: BuoyantForce::OnWithWeight,
            ..BodyDef::default()
        };
        let ((mut sim, mut bodies), mut rigid) = (world(&params, &def), RigidBody::new(&def));
        for _ in 0..60 {
            bodies.set_state(0, rigid.state()).expect("a valid state");
            sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
            let impulse = bodies.body_mut(0).take_impulse();
            rigid.integrate(1.0 / 60.0);
            rigid.apply(&impulse);
        }
        let velocity = rigid.state().velocity;
        println!("{stratification:?}: {velocity}");
        assert!(velocity.length() < 1e-3, "{velocity}");
    }
}

/// Force \[N\] and torque \[N m\] on a tank that stands at `position`.
fn weight(stratification: Stratification, shapes: Vec<Shape>, position: Vec3) -> (Vec3, Vec3) {
    let state = BodyState { position, ..BodyState::default() };
    let def = BodyDef { shapes, state, mass: f32::INFINITY, ..BodyDef::default() };
    let (mut sim, mut bodies) = world(&params(stratification), &def);
    let dt = 1.0 / 60.0;
    for _ in 0..3 {
        bodies.body_mut(0).take_impulse();
        sim.step(&Serial, &mut bodies, dt).expect("a finite step");
    }
    let impulse = bodies.body_mut(0).take_impulse();
    ((impulse.lift_linear / f64::from(dt)).as_vec3(), (impulse.lift_angular / f64::from(dt)).as_vec3())
}

#[test]
fn a_tank_at_rest_carries_the_ambient_in_it() {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let (volume, middle) = (8.0 * half.x * half.y * half.z, Vec3::new(0.3, 0.0, 0.2));
    let is_near = |(force, torque): (Vec3, Vec3), mass: f32, moment: Vec3, allowed: f32| {
        println!("{force} {torque} of {} {}", GRAVITY * mass, moment.cross(GRAVITY));
        force.distance(GRAVITY * mass) < allowed * (GRAVITY * mass).length()
            && torque.distance(moment.cross(GRAVITY)) < allowed * (GRAVITY * mass).length()
    };
    // Above, below, and with the interface in its middle.
    for (z, mass) in [(3.0, 0.8 * volume), (-3.0, 1.2 * volume), (-middle.z, volume)] {
        let found = weight(layers(), vec![hole(half, middle)], Vec3::Z * z);
        assert!(is_near(found, mass, middle * mass, 1e-4), "layers, {z}");
    }
    // Two holes of which each covers half of the other: their joint volume is known to 1 %.
    let found =
        weight(linear(), vec![hole(half, middle), hole(half, middle + Vec3::X * half.x)], Vec3::Z * 2.0);
    let mass = 1.5 * volume * (1.0 + SLOPE * (2.0 + middle.z));
    assert!(is_near(found, mass, (middle + 0.5 * Vec3::X * half.x) * mass, 0.01), "linear");
}

/// Sideways, the denser side is the heavier one.
#[test]
fn a_tank_across_a_gradient_gets_its_torque() {
    let half = Vec3::new(0.5, 0.4, 0.3);
    let sideways = Stratification::Linear { gradient: Vec3::X * SLOPE };
    let (force, torque) = weight(sideways, vec![hole(half, Vec3::ZERO)], Vec3::ZERO);
    let second = 8.0 * half.x * half.y * half.z * half.x * half.x / 3.0;
    let expected = (Vec3::X * (SLOPE * second)).cross(GRAVITY);
    println!("{force} {torque} of {expected}");
    assert!(torque.distance(expected) < 0.01 * expected.length(), "{torque} of {expected}");
}
