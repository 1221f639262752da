//! A fire: fuel vapour of 720 K rises from a square of 1 m, burns while it rises, and leaves smoke.
//!
//! The proportions are those of the preset `Bonfire`: 430 kW, from vapour that burns to four times its
//! volume.

use crate::{Camera, Emission, FRAME, Fluid, Scene};
use fluid_core::combustion::Combustion;
use glam::Vec3;

const CORE_RADIUS: f32 = 0.2;

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "fire",
    title: "Fire",
    expected: "Vapour burns above a square, in flames of two to three metres that pinch and detach; dark smoke rises from their tips.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 4,
    frames: 210,
    relaxation_rate: 1.0,
    fluid: Fluid {
        max_age: 2.85,
        diffusivity: 0.008,
        smagorinsky: 0.1,
        combustion: Combustion {
            ignition_temperature: 600.0,
            burn_time: 0.25,
            specific_heat: 1000.0,
            expansion: 1.0,
        },
        ..Fluid::HEAVY
    },
    vortons: Vec::new,
    vorton_count: 0,
    article_vortons: None,
    peak_vorticity: 0.0,
    tracers: Vec::new,
    tracer_count: 0,
    article_tracers: None,
    bodies: Vec::new,
    emission: Some(Emission {
        centre: Vec3::ZERO,
        extent: Vec3::new(1.0, 1.0, 0.1),
        vorton_rate: 800.0,
        vorton_volume: 5.93e-4,
        temperature: Some(720.0),
        fuel: 9e5,
        tracer_rate: 10_000.0,
    }),
    camera: Camera { eye: Vec3::new(0.0, -9.0, 2.0), target: Vec3::new(0.0, 0.0, 2.0), up: Vec3::Z },
};
