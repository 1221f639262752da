//! A vortex that ends at a body gains no energy by itself, on bodies of any shape and at any frame rate: the
//! layer at the surface and the strength bound below it do not grow against each other.

use crate::common::Dice;
use fluid_bodies::BodyDef;
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_core::initial::{VortexRing, VortexTube};
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::VelocityField;
use fluid_threads::{Pool, Serial};
use glam::Vec3;

pub(crate) const CORE: f32 = 0.1;

/// A tube of 1 m that ends half a core above z = 0.
pub(crate) fn tube() -> VortexTube {
    VortexTube {
        centre: Vec3::Z * 0.55,
        axis: Vec3::Z,
        length: 1.0,
        diameter: 0.6,
        circulation: 0.5,
        variation: 0.0,
        wave_number: 1.0,
        spacing: CORE / 1.5,
    }
}

/// Returns the energy \[m⁵/s²\] after the first step, the largest, and the last, of a tube of 1 m that stands
/// on a body for 20 s, and the largest bound strength relative to that of all vortons.
fn stand(shape: Shape, depth: f32, mut step: impl FnMut() -> f32) -> (f64, f64, f64, f64) {
    let params = Params { core_radius: CORE, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let mut shape = shape;
    shape.pose.position = Vec3::Z * -depth;
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let vortons = tube().vortons().expect("constants in range");
    sim.add_vortons(&vortons).expect("valid vortons");
    let total: f32 = vortons.iter().map(|vorton| vorton.strength.length()).sum();
    let pool = Pool::new(2).expect("threads start");
    let (mut first, mut most, mut last, mut bound, mut now) = (None, 0.0_f64, 0.0, 0.0_f64, 0.0);
    while now < 20.0 {
        let dt = step();
        sim.step(&pool, &mut bodies, dt).expect("a finite step");
        last = sim.stats().energy;
        first.get_or_insert(last);
        most = most.max(last);
        bound = bound.max(bodies.list()[0].bound().strength.length() / f64::from(total));
        now += dt;
    }
    (first.unwrap_or(0.0), most, last, bound)
}

#[test]
fn on_a_slab() {
    stand_in_uneven_steps(&[("slab", Shape::cuboid(Vec3::new(2.0, 2.0, 0.5)), 0.5)]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn on_a_ball_and_a_block() {
    stand_in_uneven_steps(&[
        ("ball", Shape::sphere(1.5), 1.5),
        ("block", Shape::cuboid(Vec3::new(0.4, 0.4, 0.2)), 0.2),
    ]);
}

fn stand_in_uneven_steps(shapes: &[(&str, Shape, f32)]) {
    for &(name, ref shape, depth) in shapes {
        let mut dice = Dice::new(7);
        let random = || dice.between(1.0 / 144.0, 1.0 / 15.0);
        let (first, most, last, bound) = stand(shape.clone(), depth, random);
        println!("{name}: {first:.4}, at most {most:.4}, then {last:.4} m^5/s^2; bound {bound:.3}");
        assert!(most < 1.05 * first && last < first && bound < 1.0, "{name}: {most}, {last}, {bound}");
    }
}

/// What a body holds of vortons that have all expired moves nothing any more.
#[test]
fn a_flow_ends_with_its_last_vorton() {
    let params = Params { core_radius: CORE, max_age: 1.0, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let def = BodyDef { shapes: vec![Shape::sphere(0.4)], mass: f32::INFINITY, ..BodyDef::default() };
    bodies.add(def).expect("a valid body");
    let mut sim = VortexSim::new(params).expect("valid parameters");
    let ring = VortexRing {
        centre: Vec3::Z * 0.6,
        axis: -Vec3::Z,
        radius: 0.4,
        thickness: 0.3,
        circulation: 1.0,
        spacing: CORE / 1.5,
    };
    sim.add_vortons(&ring.vortons().expect("constants in range")).expect("valid vortons");
    let place = [Vec3::new(0.5, 0.1, 0.2)];
    let speed = |sim: &VortexSim| {
        let mut flow = [Vec3::ZERO];
        sim.field().velocities(&place, &mut flow);
        flow[0].length()
    };
    for _ in 0..30 {
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
    }
    let (before, bound) = (speed(&sim), bodies.list()[0].bound().strength.length());
    assert!(before > 0.1 && bound > 1e-5, "{before} m/s, bound {bound}");
    for _ in 0..35 {
        sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
    }
    assert!(sim.vortons().is_empty(), "{} vortons", sim.vortons().len());
    assert_eq!((speed(&sim), sim.stats().energy), (0.0, 0.0));
}
