//! Scene 1: a slug of fluid that rolls up into a ring.

use crate::{Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::JetRing;
use glam::Vec3;

const SPACING: f32 = 0.25;
const RADIUS: f32 = 1.0;

pub(crate) const SCENE: Scene = Scene {
    number: Some(1),
    name: "jet",
    title: "Jet",
    expected: "A slug of fluid shoots along +x, rolls up into a ring and pulls itself out of the cloud.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 8,
    frames: 60,
    relaxation_rate: 1.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let jet = JetRing {
            centre: Vec3::ZERO,
            axis: Vec3::X,
            radius: RADIUS,
            thickness: 1.0,
            circulation: 2.0 * MAGNITUDE * RADIUS,
            spacing: SPACING,
        };
        jet.vortons().expect("constants in range")
    },
    vorton_count: 1248,
    article_vortons: Some(1248),
    peak_vorticity: 60.0,
    tracers: || {
        let reach = Vec3::new(1.0, 1.5, 1.5);
        smoke::scatter(-reach, reach, 0.07, |p| p.with_x(0.0).length_squared() < 1.5 * 1.5)
    },
    tracer_count: 42_121,
    article_tracers: Some(55_296),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(5.0, -12.0, 4.0), target: Vec3::new(5.0, 0.0, 0.0), up: Vec3::Z },
};
