//! A box without a sheet that turns in quiet fluid makes no energy: a free one slows down, and the energy of
//! the fluid around a driven one stays below the work of its drive (E37, decision 46).

use crate::a_vortex_that_ends_at_a_body_stays_bounded as tube_on_slab;
use crate::common::Dice;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{DMat3, DVec3, Quat, Vec3};

const CORE: f32 = 0.15;

struct Turned {
    /// Energy of the body and of the flow \[J\], over that of the body at first.
    energy: f64,
    /// Work of the drive and energy of the flow \[J\].
    work: f64,
    flow: f64,
}

fn params(core_radius: f32) -> Params {
    let mut params = Params { core_radius, ..Params::default() };
    params.ambient.density = 1.0;
    params
}

/// Turns a box with these half edges \[m\] at 3 to 6 rad/s about z for `time` \[s\] in fluid around it. A
/// `density` of infinity drives it.
fn turn(half: Vec3, density: f64, spin: f32, time: f32, mut step: impl FnMut() -> f32) -> Turned {
    let params = params(CORE);
    let mass = density * 8.0 * f64::from(half.x * half.y * half.z);
    let state = BodyState { angular_velocity: Vec3::Z * spin, ..BodyState::default() };
    let squares = (half * half).as_dvec3();
    let inertia = DMat3::from_diagonal(
        DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * (mass / 3.0),
    );
    let is_driven = density.is_infinite();
    let def = BodyDef {
        shapes: vec![Shape::cuboid(half)],
        mass: mass as f32,
        inertia: (!is_driven).then_some(inertia),
        state,
        ..BodyDef::default()
    };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    bodies.add(def.clone()).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let noise = Noise {
        centre: Vec3::ZERO,
        extent: Vec3::new(1.7, 1.7, 1.2),
        spacing: 0.8 * CORE,
        amplitude: 0.05,
        seed: 12,
    };
    let outside = |vorton: &Vorton| vorton.position.abs().cmpgt(half + 0.02).any();
    let vortons: Vec<_> = noise.vortons().expect("in range").into_iter().filter(outside).collect();
    sim.add_vortons(&vortons).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let mut rigid = RigidBody::new(&def);
    let kinetic = |rigid: &RigidBody| {
        let spin = rigid.state().rotation.inverse() * rigid.state().angular_velocity;
        0.5 * mass * f64::from(rigid.state().velocity.length_squared())
            + 0.5 * spin.as_dvec3().dot(inertia * spin.as_dvec3())
    };
    let first = if is_driven { 1.0 } else { kinetic(&rigid) };
    let (mut now, mut work) = (0.0, 0.0);
    while now < time {
        let dt = step();
        let driven = BodyState { rotation: Quat::from_rotation_z(spin * now), ..state };
        bodies.set_state(0, if is_driven { driven } else { rigid.state() }).expect("a valid state");
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        let impulse = bodies.body_mut(0).take_impulse();
        work -= impulse.angular.z * f64::from(spin);
        if !is_driven {
            rigid.apply(&impulse);
            rigid.integrate(dt.into());
        }
        now += dt;
    }
    let flow = sim.stats().energy;
    Turned { energy: if is_driven { 0.0 } else { (kinetic(&rigid) + flow) / first }, work, flow }
}

/// The lengths of successive steps \[s\].
type Steps = Box<dyn FnMut() -> f32>;

fn even() -> Steps {
    Box::new(|| 1.0 / 60.0)
}

fn uneven() -> Steps {
    let mut dice = Dice::new(3);
    Box::new(move || dice.between(1.0 / 144.0, 1.0 / 15.0))
}

#[test]
fn when_it_is_free() {
    turn_freely(&[("long box", Vec3::new(0.6, 0.3, 0.1), 100.0, -6.0)], &[uneven]);
}

#[test]
#[ignore = "a minute"]
fn when_it_is_a_free_plate_or_a_wide_box() {
    let long_box = ("long box", Vec3::new(0.6, 0.3, 0.1), 100.0, -6.0);
    turn_freely(&[long_box], &[even]);
    let plate = ("plate", Vec3::new(0.6, 0.6, 0.1), 100.0, 6.0);
    turn_freely(&[plate, ("box", Vec3::new(0.6, 0.6, 0.3), 100.0, 3.0)], &[even, uneven]);
}

fn turn_freely(boxes: &[(&str, Vec3, f64, f32)], steps: &[fn() -> Steps]) {
    for &(name, half, density, spin) in boxes {
        for step in steps {
            let Turned { energy, .. } = turn(half, density, spin, 10.0, step());
            println!("{name}: energy after 10 s {energy:.3} of that of the body at first");
            assert!(energy < 1.0, "{name}: {energy}");
        }
    }
}

#[test]
fn when_it_is_driven() {
    drive(&[("plate", Vec3::new(0.6, 0.6, 0.1), 6.0)], &[uneven]);
}

#[test]
#[ignore = "half a minute"]
fn when_it_is_driven_in_even_steps_or_is_a_box() {
    drive(&[("plate", Vec3::new(0.6, 0.6, 0.1), 6.0)], &[even]);
    drive(&[("box", Vec3::new(0.6, 0.6, 0.3), 3.0)], &[even, uneven]);
}

fn drive(boxes: &[(&str, Vec3, f32)], steps: &[fn() -> Steps]) {
    for &(name, half, spin) in boxes {
        for step in steps {
            let Turned { work, flow, .. } = turn(half, f64::INFINITY, spin, 8.0, step());
            println!("{name}: work {work:.1} J, flow {flow:.1} J");
            assert!(work > 10.0 && flow < 0.7 * work, "{name}: {work} {flow}");
        }
    }
}

/// Angular speed of a slab \[rad/s\].
const SLOW: f32 = 0.03;

/// A slab that rocks does not feed the vortex that ends at it.
#[test]
fn when_a_vortex_ends_at_it() {
    let rocks = |time: f32| {
        let phase = SLOW * time / 0.3;
        (Quat::from_rotation_x(0.3 * phase.sin()), Vec3::X * SLOW * phase.cos())
    };
    end_a_vortex("rocks", &rocks);
}

/// Nor does one that turns slowly about its normal.
#[test]
#[ignore = "a quarter of a minute"]
fn when_a_vortex_ends_at_a_slab_that_turns_about_its_normal() {
    end_a_vortex("turns", &|time| (Quat::from_rotation_z(SLOW * time), Vec3::Z * SLOW));
}

fn end_a_vortex(name: &str, pose: &dyn Fn(f32) -> (Quat, Vec3)) {
    let params = params(tube_on_slab::CORE);
    let mut shape = Shape::cuboid(Vec3::new(2.0, 2.0, 0.5));
    shape.pose.position = Vec3::Z * -0.5;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&tube_on_slab::tube().vortons().expect("in range")).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let (mut most, mut first) = (0.0_f64, None);
    for frame in 0..1200_u16 {
        let (rotation, angular_velocity) = pose(f32::from(frame) / 60.0);
        let state = BodyState { rotation, angular_velocity, ..BodyState::default() };
        bodies.set_state(0, state).expect("a valid state");
        sim.step(&pool, &mut bodies, 1.0 / 60.0).expect("a finite step");
        first.get_or_insert(sim.stats().energy);
        most = most.max(sim.stats().energy);
    }
    println!("{name}: {first:?}, at most {most:.4} m^5/s^2");
    assert!(most < 1.1 * first.expect("a step"), "{name}: {most}");
}
