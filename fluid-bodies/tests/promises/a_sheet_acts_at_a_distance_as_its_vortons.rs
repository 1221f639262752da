//! At a distance, a few pseudo-vortons stand for the sheet of a body (E63): velocity and gradient are those
//! of all its vortons within a thousandth of the body's speed, and of that over its radius. Near the body
//! they are the same bits as without pseudo-vortons.

use crate::immersed::{CORE, body, hull, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::{Boundary, StepTime};
use fluid_core::math::Random;
use fluid_core::particles::Vortons;
use fluid_core::velocity::{FlowSample, SourceCloud, Sources, VelocityField};
use fluid_threads::Serial;
use glam::{Quat, Vec3};

/// Targets that are near each other, as those of a body are.
const BLOCK: usize = 16;

/// Velocity of the bodies \[m/s\], and that of an outermost point by rotation, per axis \[m/s\].
const VELOCITY: Vec3 = Vec3::new(1.0, 0.4, -0.2);
const SPIN: Vec3 = Vec3::new(-0.5, 1.0, 0.7);

/// Largest error of the velocity, over the body's speed, and of the gradient, over that speed per radius
/// \[1\].
const MOST: f32 = 1e-3;

/// The same of the velocity for bodies thinner than a third of a core radius, with up to 50 times as much
/// slip.
const MOST_OF_THIN: f32 = 2e-3;

/// Rotation of the bodies, as an axis times an angle \[rad\].
const TURNED: Vec3 = Vec3::new(0.4, -0.3, 1.1);

/// Returns the sheet of a body of this shape that moves and turns, rotated by an angle about an axis.
fn sheet(shape: Shape, scale: f32, turned: Vec3) -> Sources {
    let params = params(Vec3::ZERO);
    let state = BodyState {
        position: Vec3::new(0.3, -0.2, 0.1),
        rotation: Quat::from_scaled_axis(turned),
        velocity: VELOCITY,
        angular_velocity: SPIN / scale,
    };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    bodies.add(BodyDef { no_through: true, ..body(shape, 1.0, state) }).expect("a valid body");
    bodies.begin_step(&Serial, 0.01, &Vortons::default(), &mut Boundary::default());
    let mut sources = Sources::default();
    bodies.bound_vortons(&Serial, StepTime::Start, &mut sources);
    sources
}

/// Returns the clouds of these sources: each by itself, and grouped.
fn clouds(sources: &Sources) -> [SourceCloud; 2] {
    let mut alone = SourceCloud::new(params(Vec3::ZERO).direct_settings());
    alone.set(&sources.positions, &sources.strengths);
    let mut grouped = alone.clone();
    grouped.set_groups(sources.groups());
    [alone, grouped]
}

fn flow(cloud: &SourceCloud, places: &[Vec3]) -> Vec<FlowSample> {
    let mut flow = vec![FlowSample::default(); places.len()];
    cloud.flow(places, &mut flow);
    flow
}

/// Returns the largest speed of a body's surface \[m/s\]: of the centre, and of the outermost point due to
/// the rotation.
fn speed() -> f32 {
    VELOCITY.length() + SPIN.length()
}

/// Returns the centre of the box around these sources and the radius of a ball about it.
fn ball(sources: &Sources) -> (Vec3, f32) {
    let low = sources.positions.iter().fold(Vec3::INFINITY, Vec3::min);
    let centre = (low + sources.positions.iter().fold(Vec3::NEG_INFINITY, Vec3::max)) * 0.5;
    (centre, sources.positions.iter().map(|place| place.distance(centre)).fold(0.0, f32::max))
}

/// Returns blocks of targets at a distance in all directions, in radii of the sources.
fn targets(sources: &Sources, distance: f32) -> Vec<Vec3> {
    let (centre, radius) = ball(sources);
    let random = Random::new(7);
    let block = |n: u64| {
        let way = random.centred_vec3(n).normalize_or(Vec3::X);
        let place = centre + way * (distance * radius);
        (0..BLOCK as u64).map(move |i| place + Random::new(n).centred_vec3(i) * 0.2 * CORE)
    };
    (0..100).flat_map(block).collect()
}

/// The pseudo-vortons of two faces near each other lie between them, in a plane, and could have the moment of
/// the faces only by strengths of any size: then the vortons themselves are summed.
#[test]
fn far_from_thin_bodies_however_they_are_turned() {
    let shapes = [
        ("plate", Shape::cuboid(Vec3::new(0.22, 0.22, 0.012)), 0.31, 24),
        ("needle", Shape::cuboid(Vec3::new(0.3, 0.015, 0.015)), 0.3, 4),
        ("blade", Shape::cuboid(Vec3::new(0.6, 0.12, 0.004)), 0.61, 4),
    ];
    let random = Random::new(5);
    for (name, shape, scale, turns) in shapes {
        let mut worst = 0.0_f32;
        for n in 0..turns {
            let sources = sheet(shape.clone(), scale, random.centred_vec3(n) * (n as f32 / 4.0));
            let [alone, grouped] = clouds(&sources);
            for distance in [3.3, 6.5, 12.0] {
                let places = targets(&sources, distance);
                let (exact, found) = (flow(&alone, &places), flow(&grouped, &places));
                let errors = exact.iter().zip(&found).map(|(a, b)| a.velocity.distance(b.velocity));
                let error = errors.fold(0.0, f32::max) / speed();
                worst = worst.max(error);
                assert!(error < MOST_OF_THIN, "{name}, rotation {n}, {distance} radii: {error}");
            }
        }
        println!("{name}: error at most {worst:.1e}");
    }
}

#[test]
fn far_from_it_and_near_it() {
    let shapes = [
        ("ball", Shape::sphere(0.5), 0.5),
        ("large ball", Shape::sphere(1.2), 1.2),
        ("cube", Shape::cuboid(Vec3::splat(0.25)), 0.25),
        ("plank", Shape::cuboid(Vec3::new(0.8, 0.2, 0.1)), 0.8),
        ("capsule", Shape::capsule(0.5, 0.2), 0.5),
        ("hull", hull(), 0.25),
    ];
    for (name, shape, scale) in shapes {
        let sources = sheet(shape, scale, TURNED);
        let filled = sources.groups().iter().filter(|group| !group.range().is_empty());
        assert_eq!(filled.count(), 1, "{name}");
        let [alone, grouped] = clouds(&sources);
        let targets = |distance: f32| targets(&sources, distance);
        let (count, speed, radius) = (sources.len(), speed(), ball(&sources).1);
        for distance in [3.3, 5.0, 10.0] {
            let places = targets(distance);
            let (exact, found) = (flow(&alone, &places), flow(&grouped, &places));
            let size = |m: glam::Mat3| m.to_cols_array().iter().map(|v| v * v).sum::<f32>().sqrt();
            let pairs = || exact.iter().zip(&found);
            let velocity = pairs().map(|(a, b)| a.velocity.distance(b.velocity)).fold(0.0, f32::max) / speed;
            let gradient = pairs().map(|(a, b)| size(a.gradient - b.gradient)).fold(0.0, f32::max);
            let gradient = gradient * radius / speed;
            let caused = exact.iter().map(|sample| sample.velocity.length()).fold(0.0, f32::max) / speed;
            println!(
                "{name}, {count} vortons, {distance} radii: errors {velocity:.1e}, {gradient:.1e}, flow {caused:.1e}"
            );
            assert!(exact != found, "{name}: summed by itself");
            assert!(velocity < MOST && gradient < MOST, "{name}: {velocity}, {gradient}");
        }
        let places = targets(1.5);
        assert_eq!(flow(&alone, &places), flow(&grouped, &places), "{name}");
    }
}
