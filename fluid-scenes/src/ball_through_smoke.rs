//! Scene 2: a ball crosses a block of smoke.
//!
//! Mass and speed are those of part 4, figure 5 (position and speed against time): six times as dense as
//! the fluid. With the 0.02 kg of later parts the ball would be lighter than the fluid it displaces.

use crate::seeds::{self, NOISE_PEAK, SPACING};
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_bodies::BodyDef;
use fluid_bodies::shapes::Shape;
use glam::Vec3;

/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(4.0, 0.5, 0.5);
/// Spacing of the tracers \[m\].
const SMOKE: f32 = 0.025;

pub(crate) const SCENE: Scene = Scene {
    number: Some(2),
    name: "ball_through_smoke",
    title: "Ball through smoke",
    expected: "An invisible ball bores through the block of smoke, which curls into its wake; drag slows the ball.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 3,
    frames: 150,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, SPACING),
    vorton_count: 4096,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, SMOKE, |_| true),
    tracer_count: 64_000,
    article_tracers: Some(221_184),
    bodies: || {
        let ball = seeds::body(Shape::sphere(0.2), 0.2, Vec3::new(-2.0, 0.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
        vec![BodyDef { no_through: true, ..ball }.into()]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -6.5, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
