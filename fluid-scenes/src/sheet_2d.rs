//! Scene 11: a vortex sheet of uniform thickness, short along the vorticity: nearly two-dimensional.

use crate::{Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::VortexSheet;
use glam::Vec3;

const SPACING: f32 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    number: Some(11),
    name: "sheet_2d",
    title: "Two-dimensional vortex sheet",
    expected: "Kelvin-Helmholtz: the layer of smoke rolls up into a spiral at each end, the same in every slice across y.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 3,
    frames: 90,
    relaxation_rate: 0.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let sheet = VortexSheet {
            centre: Vec3::ZERO,
            normal: Vec3::Z,
            direction: Vec3::Y,
            thickness: 1.0,
            width: 2.0,
            extent: 14.0,
            velocity_jump: 2.0 * MAGNITUDE,
            variation: 0.0,
            spacing: SPACING,
        };
        sheet.vortons().expect("constants in range")
    },
    vorton_count: 896,
    article_vortons: Some(1024),
    peak_vorticity: 20.8,
    tracers: || {
        let reach = Vec3::new(7.0, 1.0, 0.4);
        smoke::scatter(-reach, reach, 0.085, |_| true)
    },
    tracer_count: 35_640,
    article_tracers: Some(256_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -18.0, 4.0), target: Vec3::ZERO, up: Vec3::Z },
};
