//! Scene 22: a flat plate at an angle.
//!
//! 0.6 kg instead of the articles' 0.02, a fifth of the fluid's density, with which the plate stopped at
//! once; half their speed.

use crate::seeds::{self, NOISE_PEAK};
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_bodies::shapes::Shape;
use glam::{Quat, Vec3};

const LATTICE: f32 = 0.1;
/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(4.0, 1.4, 1.0);

pub(crate) const SCENE: Scene = Scene {
    number: Some(22),
    name: "flat_plate",
    title: "Flat plate",
    expected: "The plate cuts through the smoke at an angle, leaves vortices behind its edges, and is pushed sideways as by lift.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 8,
    frames: 45,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, LATTICE),
    vorton_count: 5600,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, 0.04, |_| true),
    tracer_count: 87_500,
    article_tracers: Some(221_184),
    bodies: || {
        let half = Vec3::new(0.5, 0.5, 0.05);
        let mut plate =
            seeds::body(Shape::cuboid(half), 0.6, Vec3::new(-2.6, 0.0, -0.05), Vec3::new(5.0, 0.0, 0.0));
        plate.state.rotation = Quat::from_rotation_y(-0.2);
        vec![plate.into()]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -7.0, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
