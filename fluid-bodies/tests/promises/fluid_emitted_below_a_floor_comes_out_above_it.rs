//! An emitter with a part below the plane of a half-space emits that part at its mirror image (E59): a fire
//! with its middle on the floor has all of its heat, and burns as one of half the height that stands on it. A
//! part inside of another solid is emitted in front of its face.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::emitter::{Emitter, EmitterDef};
use fluid_core::params::Params;
use fluid_core::particles::Tracers;
use fluid_core::sim::{TracerFeed, VortexSim};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const CORE: f32 = 0.1;
const HEIGHT: f32 = 0.4;

fn params() -> Params {
    Params {
        core_radius: CORE,
        gravity: Vec3::new(0.0, 0.0, -9.8),
        smagorinsky: 0.1,
        max_age: 2.0,
        max_vortons: 4096,
        ..Params::default()
    }
}

fn floor(point: Vec3, rotation: Quat) -> BodyDef {
    let state = BodyState { position: point, rotation, ..BodyState::default() };
    BodyDef { shapes: vec![Shape::half_space()], mass: f32::INFINITY, state, ..BodyDef::default() }
}

fn world(defs: &[BodyDef], emitter: EmitterDef) -> (VortexSim, Bodies) {
    let mut bodies = Bodies::new(BodySettings::default(), &params()).expect("valid settings");
    for def in defs {
        bodies.add(def.clone()).expect("a valid body");
    }
    let mut sim = VortexSim::new(params()).expect("valid parameters");
    sim.emitters_mut().push(Emitter::new(emitter).expect("a valid emitter"));
    (sim, bodies)
}

/// Fluid of .3 of the ambient's density, in a box with its middle at this height.
fn fire(middle: f32, height: f32) -> EmitterDef {
    EmitterDef {
        position: Vec3::Z * middle,
        extent: Vec3::new(0.4, 0.4, height),
        rate: 300.0,
        volume: 3e-4,
        density_deviation: -0.3,
        ..EmitterDef::default()
    }
}

/// Heat as a mass deviation \[kg\], its mean height \[m\], the impulse upwards \[m⁴/s\] and the share of
/// vortons on the floor, after 1.5 s.
fn burn(emitter: EmitterDef) -> [f64; 4] {
    let (mut sim, mut bodies) = world(&[floor(Vec3::ZERO, Quat::IDENTITY)], emitter);
    (0..90).for_each(|_| sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a step"));
    let vortons = sim.vortons();
    let mass = |row: usize| f64::from(vortons.mass_deviations[row]);
    let place = |row: usize| vortons.positions.get(row).as_dvec3();
    let rows = || 0..vortons.len();
    let heat = rows().map(mass).sum::<f64>();
    let height = rows().map(|row| mass(row) * place(row).z).sum::<f64>() / heat;
    let lift = rows().map(|row| place(row).cross(vortons.strengths.get(row).as_dvec3()).z);
    let low = rows().filter(|&row| place(row).z < 0.02 * f64::from(CORE)).count();
    [heat, height, lift.sum::<f64>(), low as f64 / rows().len() as f64]
}

#[test]
fn and_burns_as_fluid_emitted_there() {
    let (half, raised) = (burn(fire(0.0, HEIGHT)), burn(fire(0.25 * HEIGHT, 0.5 * HEIGHT)));
    println!("half below {half:.4?}, on the floor {raised:.4?}");
    let error = |k: usize| (half[k] / raised[k] - 1.0).abs();
    assert!(error(0) < 1e-5, "heat");
    assert!(error(1) < 0.05, "height");
    assert!(error(2) < 0.05, "lift");
    assert!(half[3] < 0.05, "on the floor");
}

/// In a corner of two half-spaces, vortons and tracers appear at the mirror images.
#[test]
fn and_in_corners() {
    let walls = [
        floor(Vec3::ZERO, Quat::IDENTITY),
        floor(Vec3::ZERO, Quat::from_rotation_y(std::f32::consts::FRAC_PI_2)),
    ];
    let emitter =
        EmitterDef { extent: Vec3::splat(0.6), rate: 6000.0, density_deviation: 0.0, ..fire(0.0, 0.0) };
    let (mut sim, mut bodies) = world(&walls, emitter);
    let feed = TracerFeed { rate: 6000.0, tag: 0, capacity: 1000 };
    let mut tracers = Tracers::default();
    sim.step(&Serial, &mut bodies, 0.01).expect("a step");
    sim.feed_tracers(&bodies, (0, feed), &mut tracers, 0.01);
    let vortons: Vec<_> = sim.vortons().positions.iter().collect();
    for places in [&vortons[..], tracers.positions()] {
        let low = places.iter().fold(Vec3::MAX, |low, place| low.min(*place));
        let mean = places.iter().sum::<Vec3>() / places.len() as f32;
        println!("{} particles, from {low:.3} on, {mean:.3} in the mean", places.len());
        assert!(places.len() == 59 && low.x > 0.0 && low.z > 0.0 && low.y < -0.2, "{}", places.len());
        assert!((mean - Vec3::new(0.15, 0.0, 0.15)).abs().max_element() < 0.06);
    }
}

/// A box deep in a tilted floor emits within its width in front of it, with strengths as images have.
#[test]
fn just_above_from_deep_below() {
    let (rotation, point) = (Quat::from_rotation_x(0.5), Vec3::new(0.2, -0.1, 0.3));
    let normal = rotation * Vec3::Z;
    let (along, across) = (rotation * Vec3::X, normal);
    let emitter = EmitterDef {
        position: point - normal * 1.7,
        rotation,
        extent: Vec3::new(0.5, 0.5, 0.2),
        rate: 6000.0,
        strength: Vec3::new(1e-4, 0.0, 2e-4),
        density_deviation: 0.0,
        ..fire(0.0, 0.0)
    };
    let (mut sim, mut bodies) = world(&[floor(point, rotation)], emitter);
    sim.step(&Serial, &mut bodies, 0.05).expect("a step");
    let vortons = sim.vortons();
    let heights: Vec<f32> = vortons.positions.iter().map(|place| (place - point).dot(normal)).collect();
    let mean = heights.iter().sum::<f32>() / heights.len() as f32;
    let low = heights.iter().copied().fold(f32::MAX, f32::min);
    let high = heights.iter().copied().fold(f32::MIN, f32::max);
    println!("{} vortons {low:.3} to {high:.3} m above, {mean:.3} in the mean", heights.len());
    assert!(heights.len() > 290 && low > -0.01 && high < 0.21 && (mean - 0.1).abs() < 0.02);
    let sum: Vec3 = vortons.strengths.iter().sum();
    let each = Vec3::new(sum.dot(along), 0.0, sum.dot(across)) / heights.len() as f32;
    assert!((each - Vec3::new(-1e-4, 0.0, 2e-4)).length() < 2e-5, "{each}");
}

fn solid(shape: Shape, position: Vec3) -> BodyDef {
    let state = BodyState { position, ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() }
}

/// On a box and a ball, and from deep inside of the ball.
#[test]
fn and_in_front_of_the_faces_of_solids() {
    let extent = Vec3::new(0.4, 0.4, 0.6);
    for (name, ground, middle, most) in [
        ("box", solid(Shape::cuboid(Vec3::new(2.0, 2.0, 0.5)), Vec3::Z * -0.5), 0.0, 0.3),
        ("ball", solid(Shape::sphere(1.0), Vec3::NEG_Z), 0.0, 0.3),
        ("deep in a ball", solid(Shape::sphere(1.0), Vec3::NEG_Z), -0.69, 0.61),
    ] {
        let fluid = EmitterDef { extent, rate: 6000.0, density_deviation: 0.0, ..fire(middle, 0.6) };
        let (mut sim, mut bodies) = world(std::slice::from_ref(&ground), fluid);
        let feed = TracerFeed { rate: 6000.0, tag: 0, capacity: 1000 };
        let mut tracers = Tracers::default();
        sim.step(&Serial, &mut bodies, 0.05).expect("a step");
        sim.feed_tracers(&bodies, (0, feed), &mut tracers, 0.05);
        let vortons: Vec<_> = sim.vortons().positions.iter().collect();
        for places in [&vortons[..], tracers.positions()] {
            let of = |place: &Vec3| ground.shapes[0].surface(*place - ground.state.position);
            let (low, high) = places.iter().fold((f32::MAX, f32::MIN), |(low, high), place| {
                (low.min(of(place).distance), high.max(of(place).distance))
            });
            let top = places.iter().map(|place| of(place).normal.z).fold(f32::MAX, f32::min);
            println!("{name}: {} particles, {low:.3} to {high:.3} m outside", places.len());
            assert!(places.len() > 290 && top > 0.5, "{name}: {}, {top}", places.len());
            assert!(low > -1e-3 && high > 0.8 * most && high < most + 0.08, "{name}: {low} to {high}");
        }
    }
}

/// A crate in a mist larger than itself, and a plank: what is emitted in them comes out on all sides, within
/// the box.
#[test]
fn and_around_solids_smaller_than_the_box() {
    for (name, half) in [("crate", Vec3::splat(0.5)), ("plank", Vec3::new(2.0, 2.0, 0.1))] {
        let (middle, extent) = (Vec3::new(0.1, 0.05, 0.0), Vec3::splat(2.0));
        let mist =
            EmitterDef { position: middle, extent, rate: 2e4, density_deviation: 0.0, ..fire(0.0, 0.0) };
        let shape = Shape::cuboid(half);
        let (mut sim, mut bodies) = world(&[solid(shape.clone(), Vec3::ZERO)], mist);
        sim.step(&Serial, &mut bodies, 0.05).expect("a step");
        let places: Vec<_> = sim.vortons().positions.iter().collect();
        let beyond = places.iter().map(|place| (*place - middle).abs().max_element()).fold(0.0, f32::max);
        let mean = places.iter().sum::<Vec3>() / places.len() as f32;
        println!(
            "{name}: {} vortons up to {beyond:.3} m from the middle, {mean:.3} in the mean",
            places.len()
        );
        assert!(places.len() > 900 && places.iter().all(|place| shape.surface(*place).distance > -1e-3));
        assert!(beyond < 1.101 && (mean - middle).length() < 0.12, "{name}: {beyond}, {mean}");
    }
}
