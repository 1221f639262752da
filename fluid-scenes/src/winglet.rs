//! Scene 24: a small wing that tumbles.
//!
//! Four times the articles' mass and angular impulse, so that it crosses the smoke with the same spin, 16
//! rad/s.

use crate::seeds::{self, NOISE_PEAK};
use crate::{Camera, FRAME, Fluid, Scene, SceneBody, smoke};
use fluid_bodies::shapes::Shape;
use glam::Vec3;

const LATTICE: f32 = 0.0625;
/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(4.0, 0.75, 0.5);
/// Between tracers \[m\].
const SMOKE: f32 = 0.028;

pub(crate) const SCENE: Scene = Scene {
    number: Some(24),
    name: "winglet",
    title: "Winglet",
    expected: "A small box, wider than long, tumbles through the smoke and leaves rolls behind.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 6,
    frames: 90,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, LATTICE),
    vorton_count: 6144,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, SMOKE, |_| true),
    tracer_count: 69_498,
    article_tracers: Some(65_536),
    bodies: || {
        let half = Vec3::new(0.1, 0.25, 0.05);
        let def = seeds::body(Shape::cuboid(half), 0.06, Vec3::new(-2.2, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
        vec![SceneBody { def, angular_impulse: Vec3::Y * 0.004, way: None }]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -6.5, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
