//! Scene 23: a cube that spins about its direction of flight.
//!
//! 2.5 times the articles' mass and angular impulse, so that it crosses the smoke with the same spin, 7.5
//! rad/s.

use crate::seeds::{self, NOISE_PEAK};
use crate::{Camera, FRAME, Fluid, Scene, SceneBody, smoke};
use fluid_bodies::shapes::Shape;
use glam::Vec3;

const LATTICE: f32 = 0.05;
/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(4.0, 0.4, 0.4);
/// Spacing of the tracers \[m\].
const SMOKE: f32 = 0.022;

pub(crate) const SCENE: Scene = Scene {
    number: Some(23),
    name: "cube",
    title: "Cube",
    expected: "The cube turns about its way as it bores through the smoke, and leaves a square wake that rolls up.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 8,
    frames: 60,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, LATTICE),
    vorton_count: 5120,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, SMOKE, |_| true),
    tracer_count: 58_968,
    article_tracers: Some(65_536),
    bodies: || {
        let def = seeds::body(
            Shape::cuboid(Vec3::splat(0.1)),
            0.05,
            Vec3::new(-2.2, 0.0, 0.0),
            Vec3::new(4.0, 0.0, 0.0),
        );
        vec![SceneBody { def, angular_impulse: Vec3::X * 0.0025, way: None }]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -6.5, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
