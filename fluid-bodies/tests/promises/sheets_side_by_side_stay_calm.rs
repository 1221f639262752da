//! Bodies with sheets that touch each other or a floor answer each other's answers, and these do not grow: a
//! weak ring in front of bodies at rest keeps its energy, and so do the bodies that it moves.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::{MassProperties, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::VortexRing;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{Quat, Vec3};
use std::f32::consts::FRAC_PI_2;

const STEPS: u32 = 100;

/// Largest energy \[m⁵/s²\] of fluid and bodies in 100 steps, relative to that after the first.
fn growth(defs: Vec<BodyDef>, uneven: bool) -> f64 {
    let mut params = Params { core_radius: 0.1, ..Params::default() };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let mut rigid: Vec<RigidBody> = defs.iter().map(RigidBody::new).collect();
    let masses: Vec<f64> = defs.iter().map(|def| def.mass.into()).collect();
    for def in defs {
        bodies.add(def).expect("a valid body");
    }
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = VortexRing {
        centre: Vec3::new(1.6, 0.25, 1.1),
        axis: Vec3::new(-1.0, -0.2, -0.4).normalize(),
        radius: 0.3,
        thickness: 0.15,
        circulation: 0.5,
        spacing: 0.0667,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let pool = Pool::new(2).expect("threads start");
    let (mut first, mut most) = (0.0, 0.0_f64);
    for step in 0..STEPS {
        let dt = if uneven { [1.0 / 144.0, 1.0 / 15.0, 1.0 / 60.0][step as usize % 3] } else { 1.0 / 60.0 };
        for (index, body) in rigid.iter().enumerate() {
            bodies.set_state(index, body.state()).expect("a valid state");
        }
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        let mut energy = sim.stats().energy;
        for (index, (body, mass)) in rigid.iter_mut().zip(&masses).enumerate() {
            let impulse = bodies.body_mut(index).take_impulse();
            if mass.is_finite() {
                body.apply(&impulse);
                body.integrate(dt.into());
                energy += 0.5 * mass * body.state().velocity.as_dvec3().length_squared();
            }
        }
        most = most.max(energy);
        first = if step == 0 { energy } else { first };
    }
    most / first
}

fn body(shape: Shape, position: Vec3, density: Option<f32>) -> BodyDef {
    let mass = density.map_or(f32::INFINITY, |density| {
        density * MassProperties::of(std::slice::from_ref(&shape)).volume as f32
    });
    let state = BodyState { position, ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass, state, no_through: true, ..BodyDef::default() }
}

/// Crates of .5 m in a block of this many each way, with a `gap` \[m\] between them.
fn crates(counts: [usize; 3], gap: f32, density: Option<f32>) -> Vec<BodyDef> {
    let [x, y, z] = counts;
    let places = (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k])));
    let at = |numbers: [usize; 3]| Vec3::from_array(numbers.map(|number| number as f32 * (0.5 + gap)));
    places.map(|numbers| body(Shape::cuboid(Vec3::splat(0.25)), at(numbers), density)).collect()
}

fn floor(height: f32, rotation: Quat) -> BodyDef {
    let state = BodyState { position: rotation * Vec3::Z * height, rotation, ..BodyState::default() };
    let shapes = vec![Shape::half_space()];
    BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() }
}

#[test]
fn of_crates_in_a_pile() {
    for (counts, gap, density, uneven) in [
        ([2, 1, 2], 0.01, None, false),
        ([2, 1, 2], 0.05, None, true),
        ([2, 2, 2], 0.0, None, false),
        ([2, 2, 2], 0.1, None, false),
        ([1, 1, 3], 0.01, None, false),
        ([2, 1, 2], 0.01, Some(0.1), false),
        ([2, 1, 2], 0.01, Some(5.0), true),
    ] {
        let growth = growth(crates(counts, gap, density), uneven);
        println!("{counts:?}, {gap} m apart, density {density:?}: {growth:.3} times");
        assert!(growth < 1.2, "{counts:?}, {gap} m apart, density {density:?}: {growth} times");
    }
}

#[test]
fn of_crates_on_a_floor_and_in_a_corner() {
    let aside = Quat::from_rotation_y(FRAC_PI_2);
    for (counts, planes) in [
        ([1, 1, 3], vec![floor(-0.25, Quat::IDENTITY)]),
        ([2, 1, 2], vec![floor(-0.25, Quat::IDENTITY), floor(-0.26, aside)]),
        ([1, 1, 1], vec![floor(-0.23, Quat::IDENTITY), floor(-0.23, aside)]),
    ] {
        let mut defs = crates(counts, 0.0, None);
        let number = planes.len();
        defs.extend(planes);
        let growth = growth(defs, false);
        println!("{counts:?} on {number} planes: {growth:.3} times");
        assert!(growth < 1.2, "{counts:?} on {number} planes: {growth} times");
    }
}

/// The vortons of round shapes are below their surface: where two intersect, those of the other are nearer.
#[test]
fn of_round_bodies_that_lie_in_a_floor_or_in_each_other() {
    let lying = Quat::from_rotation_x(FRAC_PI_2);
    for depth in [0.005, 0.01, 0.03, 0.05, 0.08] {
        let mut capsule = body(Shape::capsule(0.2, 0.2), Vec3::ZERO, None);
        capsule.state.rotation = lying;
        let mut other = capsule.clone();
        other.state.position.x = depth - 0.4;
        let ball = body(Shape::sphere(0.3), Vec3::ZERO, None);
        for (name, defs) in [
            ("a capsule", vec![capsule.clone(), floor(depth - 0.2, Quat::IDENTITY)]),
            ("a ball", vec![ball, floor(depth - 0.3, Quat::IDENTITY)]),
            ("two capsules", vec![capsule, other]),
        ] {
            let growth = growth(defs, false);
            println!("{name}, {depth} m deep: {growth:.3} times");
            assert!(growth < 1.4, "{name}, {depth} m deep: {growth} times");
        }
    }
}
