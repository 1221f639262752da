//! Scene 13: a rising light drop meets a falling heavy one.

use crate::dye_drop::{CORE_RADIUS, drop};
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use glam::Vec3;

/// Centres of the heavy and the light drop.
const HEIGHT: Vec3 = Vec3::new(0.0, 0.0, 2.0);

pub(crate) const SCENE: Scene = Scene {
    number: Some(13),
    name: "two_drops",
    title: "Two drops",
    expected: "The light red drop rises, the heavy blue one falls; both become rings, collide and spread sideways.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 2,
    frames: 120,
    relaxation_rate: 1.0,
    // Without viscosity the collision makes finer scales than vortons of this size can resolve, and energy
    // grows.
    fluid: Fluid { viscosity: 5e-3, ..Fluid::HEAVY },
    vortons: || [drop(HEIGHT, 0.2), drop(-HEIGHT, -0.2)].concat(),
    vorton_count: 816,
    article_vortons: Some(560),
    peak_vorticity: 0.0,
    tracers: || [smoke::ball(HEIGHT, 1.0, 0.0527), smoke::ball(-HEIGHT, 1.0, 0.0527)].concat(),
    tracer_count: 57_410,
    article_tracers: Some(57_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -11.0, 1.5), target: Vec3::ZERO, up: Vec3::Z },
};
