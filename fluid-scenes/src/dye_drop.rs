//! Scene 12: a heavy drop of dye sinks.

use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::particles::Vorton;
use glam::Vec3;

const SPACING: f32 = 0.25;
pub(crate) const CORE_RADIUS: f32 = 1.5 * SPACING;

/// Returns a ball of radius 1 with a density deviation of `density_deviation` \[kg/m³\].
pub(crate) fn drop(centre: Vec3, density_deviation: f32) -> Vec<Vorton> {
    let ball = DensityBall {
        centre,
        radius: 1.0,
        density_deviation,
        spacing: SPACING,
        core_radius: CORE_RADIUS,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    ball.vortons().expect("constants in range")
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(12),
    name: "dye_drop",
    title: "Dye drop",
    expected: "A heavy blue ball sinks, mushrooms and becomes a ring, from which tendrils hang.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 2,
    frames: 120,
    relaxation_rate: 1.0,
    fluid: Fluid::HEAVY,
    vortons: || drop(Vec3::ZERO, 0.2),
    vorton_count: 408,
    article_vortons: Some(280),
    peak_vorticity: 0.0,
    tracers: || smoke::ball(Vec3::ZERO, 1.0, 0.0362),
    tracer_count: 87_132,
    article_tracers: Some(88_173),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -12.0, -1.5), target: Vec3::new(0.0, 0.0, -3.0), up: Vec3::Z },
};
