//! Scene 8: a vortex sheet whose thickness varies across the stream.

use crate::{Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::VortexSheet;
use glam::Vec3;

const SPACING: f32 = 7.0 / 12.0;

/// Finer than the articles' lattice (0.875 m) for the same number of vortons: theirs are mostly outside the
/// layer, where the tanh² in their formula leaves spurious vorticity.
pub(crate) const SCENE: Scene = Scene {
    number: Some(8),
    name: "sheet",
    title: "Vortex sheet of varying thickness",
    expected: "The layer of smoke rolls up from both ends into two bent rolls, which turn about each other and break up.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 3,
    frames: 60,
    relaxation_rate: 0.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let sheet = VortexSheet {
            centre: Vec3::ZERO,
            normal: Vec3::Z,
            direction: Vec3::Y,
            thickness: 1.0,
            width: 7.0,
            extent: 14.0,
            velocity_jump: 2.0 * MAGNITUDE,
            variation: 0.2,
            spacing: SPACING,
        };
        sheet.vortons().expect("constants in range")
    },
    vorton_count: 2016,
    article_vortons: Some(1792),
    peak_vorticity: 20.2,
    tracers: || {
        let reach = Vec3::new(7.0, 3.5, 0.4);
        smoke::scatter(-reach, reach, 0.125, |_| true)
    },
    tracer_count: 37_632,
    article_tracers: Some(256_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(4.0, -22.0, 8.0), target: Vec3::ZERO, up: Vec3::Z },
};
