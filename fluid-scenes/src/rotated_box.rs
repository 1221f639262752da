//! Scene 20: a box at an angle, embedded in smoke.

use crate::seeds::{self, NOISE_PEAK};
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_bodies::shapes::Shape;
use glam::{Quat, Vec3};

const LATTICE: f32 = 0.125;

/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(1.0, 1.0, 1.0);
/// Spacing of the tracers \[m\].
const SMOKE: f32 = 0.025;

pub(crate) const SCENE: Scene = Scene {
    number: Some(20),
    name: "rotated_box",
    title: "Rotated box",
    expected: "A box at an angle stands in a block of smoke, which ends cleanly at its faces. Nothing moves.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 1,
    frames: 30,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, LATTICE),
    vorton_count: 512,
    article_vortons: Some(512),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, SMOKE, |_| true),
    tracer_count: 64_000,
    article_tracers: Some(110_592),
    bodies: || {
        vec![seeds::fixed(Shape::cuboid(Vec3::splat(0.25)), Vec3::ZERO, Quat::from_rotation_x(0.5)).into()]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(2.5, -1.5, 1.2), target: Vec3::ZERO, up: Vec3::Z },
};
