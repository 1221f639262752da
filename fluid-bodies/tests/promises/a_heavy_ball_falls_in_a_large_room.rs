//! In a room too large for walls with a sheet, or of cavities that overlap, the flow that a heavy ball makes
//! by falling has no more energy than gravity has given (E46).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::Pool;
use glam::Vec3;

const GRAVITY: f32 = 9.81;

/// Points along an edge at which the flow is read.
const POINTS: i16 = 24;

/// Energy per density \[m⁵/s²\] of the flow in a box around the origin with these half edges \[m\].
fn energy_inside(sim: &VortexSim, half: Vec3) -> f64 {
    let along = |i: i16| (2.0 * f32::from(i) + 1.0) / f32::from(POINTS) - 1.0;
    let range = || 0..POINTS;
    let points: Vec<_> = range()
        .flat_map(|x| {
            range().flat_map(move |y| range().map(move |z| Vec3::new(along(x), along(y), along(z))))
        })
        .map(|point| point * half)
        .collect();
    let mut flow = vec![Vec3::ZERO; points.len()];
    sim.field().velocities(&points, &mut flow);
    let mean = flow.iter().map(|u| f64::from(u.length_squared())).sum::<f64>() / flow.len() as f64;
    0.5 * mean * 8.0 * f64::from(half.x * half.y * half.z)
}

/// Lets a ball of a tenth more than the fluid's density fall for `time` \[s\] in holes with these half edges
/// \[m\]. Returns the largest energy of the flow over the work of gravity up to then, and the largest work.
fn fall(halves: &[Vec3], radius: f32, core: f32, time: f32, dt: f32) -> (f64, f64) {
    let mut params = Params {
        core_radius: core,
        gravity: Vec3::NEG_Z * GRAVITY,
        max_vortons: 12_000,
        ..Params::default()
    };
    params.ambient.density = 1.0;
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let (state, shapes) = (BodyState::default(), halves.iter().map(|&half| room(half)).collect());
    bodies.add(BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() }).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ball = DensityBall {
        centre: Vec3::ZERO,
        radius,
        density_deviation: 0.1,
        spacing: core / 1.5,
        core_radius: core,
        profile: DensityProfile::TopHat,
        dye: 0.0,
        fuel: 0.0,
    };
    sim.add_vortons(&ball.vortons().expect("constants in range")).expect("valid vortons");
    let fallen = |sim: &VortexSim| {
        let vortons = sim.vortons();
        let each = vortons.positions.iter().zip(&vortons.mass_deviations);
        each.map(|(place, mass)| f64::from(place.z * mass)).sum::<f64>() * -f64::from(GRAVITY)
    };
    let half = halves.iter().fold(Vec3::ZERO, |largest, half| largest.max(*half));
    let pool = Pool::new(2).expect("threads start");
    let at_first = fallen(&sim);
    let (mut most, mut work) = (0.0_f64, 0.0_f64);
    for frame in 1..=(time / dt) as u16 {
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        if frame % 6 == 0 {
            work = work.max(fallen(&sim) - at_first);
            most = most.max(energy_inside(&sim, half) / work);
        }
    }
    (most, work)
}

fn room(half: Vec3) -> Shape {
    Shape { parity: Parity::Hole, ..Shape::cuboid(half) }
}

fn fall_in_two(dt: f32) {
    let holes = [Vec3::new(0.5, 0.4, 0.5), Vec3::new(0.4, 0.5, 0.5)];
    let (ratio, work) = fall(&holes, 0.3, 0.06, 2.5, dt);
    println!("steps of {dt:.4} s: {ratio:.3} of the work of {work:.4} m^5/s^2");
    assert!(work > 0.02 && ratio < 1.05, "{ratio} {work}");
}

#[test]
fn of_cavities_that_overlap() {
    fall_in_two(1.0 / 60.0);
}

#[test]
#[ignore = "half a minute"]
fn of_cavities_that_overlap_in_short_steps() {
    fall_in_two(1.0 / 144.0);
}

#[test]
fn of_one_cavity() {
    fall_in_one(1.2, 0.02);
}

#[test]
#[ignore = "half a minute"]
fn of_one_cavity_to_its_floor() {
    fall_in_one(2.5, 0.2);
}

fn fall_in_one(time: f32, least_work: f64) {
    let (ratio, work) = fall(&[Vec3::splat(0.8)], 0.5, 0.07, time, 1.0 / 60.0);
    println!("{ratio:.3} of the work of {work:.4} m^5/s^2");
    assert!(work > least_work && ratio < 1.05, "{ratio} {work}");
}
