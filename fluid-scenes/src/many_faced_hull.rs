//! Two shaken layers in a hull of a hundred faces: a round bottle.

use crate::resting_tank::{self, DEVIATION, SPACING, layers};
use crate::seeds::hole;
use crate::{Camera, Scene, SceneBody, smoke};
use fluid_bodies::Pose;
use fluid_bodies::shapes::{Geometry, Polytope};
use fluid_core::particles::Vorton;
use glam::Vec3;

const RADIUS: f32 = 0.6;
const CORNERS: u32 = 52;

/// Corners spread evenly on a sphere, along a spiral.
fn hull() -> Geometry {
    let corner = |n: u32| {
        let height = 1.0 - (2.0 * n as f32 + 1.0) / CORNERS as f32;
        let angle = n as f32 * std::f32::consts::PI * (3.0 - libm::sqrtf(5.0));
        let across = libm::sqrtf(1.0 - height * height);
        Vec3::new(across * libm::cosf(angle), across * libm::sinf(angle), height) * RADIUS
    };
    let corners: Vec<Vec3> = (0..CORNERS).map(corner).collect();
    Geometry::Polytope(Polytope::from_points(&corners).expect("points on a sphere"))
}

fn is_inside(shape: &Geometry, place: Vec3) -> bool {
    shape.queries().surface(place).distance < -0.25 * SPACING
}

fn filled() -> Vec<Vorton> {
    let shape = hull();
    let mut vortons = layers(Vec3::splat(RADIUS), DEVIATION, SPACING);
    vortons.retain(|vorton| is_inside(&shape, vorton.position));
    vortons
}

fn shaken(time: f32) -> Pose {
    Pose::at(Vec3::X * (0.2 * libm::sinf(2.0 * time)))
}

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "many_faced_hull",
    title: "Hull of many faces",
    expected: "The layers slosh in the round hull as in a bowl, and nothing leaks at its edges.",
    frames: 240,
    vortons: filled,
    vorton_count: 683,
    article_vortons: None,
    tracers: || {
        let shape = hull();
        let (min, max) = (Vec3::splat(-RADIUS), Vec3::new(RADIUS, RADIUS, 0.0));
        smoke::scatter(min, max, 0.03, |place| is_inside(&shape, place))
    },
    tracer_count: 13028,
    bodies: || vec![SceneBody { way: Some(shaken), ..hole(hull()).into() }],
    camera: Camera { eye: Vec3::new(0.0, -3.4, 0.4), target: Vec3::ZERO, up: Vec3::Z },
    ..resting_tank::SCENE
};
