//! Scene 4: a ball that spins across its way.
//!
//! Ten times the mass of part 8 on; half the spin, 16 rad/s: the surface is nearly as fast as the ball.

use crate::seeds::{self, NOISE_PEAK, SPACING};
use crate::{Camera, FRAME, Fluid, Scene, SceneBody, smoke};
use fluid_bodies::shapes::Shape;
use glam::Vec3;

/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(4.0, 0.5, 0.5);
/// Between tracers \[m\].
const SMOKE: f32 = 0.025;

pub(crate) const SCENE: Scene = Scene {
    number: Some(4),
    name: "curving_ball",
    title: "Curving ball",
    expected: "The ball spins across its way, deflects its wake to one side, and is pushed to the other.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 8,
    frames: 60,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, SPACING),
    vorton_count: 4096,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, SMOKE, |_| true),
    tracer_count: 64_000,
    article_tracers: Some(65_536),
    bodies: || {
        vec![SceneBody {
            def: seeds::body(Shape::sphere(0.2), 0.2, Vec3::new(-2.5, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0)),
            angular_impulse: Vec3::Y * 0.05,
        }]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -6.5, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
