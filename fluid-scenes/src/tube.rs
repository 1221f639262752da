//! Scene 9: a short straight vortex tube.

use crate::{COSINE_PROFILE, Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::VortexTube;
use glam::Vec3;

const SPACING: f32 = 0.25;

pub(crate) const SCENE: Scene = Scene {
    number: Some(9),
    name: "tube",
    title: "Vortex tube",
    expected: "A slab of smoke through the axis (y) winds up into a spiral; the tube itself swirls in place.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 2,
    frames: 90,
    relaxation_rate: 0.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let tube = VortexTube {
            centre: Vec3::ZERO,
            axis: Vec3::Y,
            diameter: 1.0,
            length: 2.0,
            circulation: MAGNITUDE * COSINE_PROFILE * 0.25,
            variation: 0.0,
            wave_number: 2.0,
            spacing: SPACING,
        };
        tube.vortons().expect("constants in range")
    },
    vorton_count: 96,
    article_vortons: Some(96),
    peak_vorticity: 14.5,
    tracers: || {
        let reach = Vec3::new(1.25, 1.0, 0.15);
        smoke::scatter(-reach, reach, 0.042, |_| true)
    },
    tracer_count: 20_160,
    article_tracers: Some(16_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(1.5, -5.0, 1.5), target: Vec3::ZERO, up: Vec3::Z },
};
