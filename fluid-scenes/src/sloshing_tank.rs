//! A tank that moves left and right (part 14, figure 6), near the frequency at which its two layers slosh
//! in the simulation: three quarters of the theoretical ω² = g' k / (coth k h₁ + coth k h₂), 1.70 rad/s
//! with k = π/L, L = 1 m, h₁ = h₂ = 0.5 m and g' = 2 m/s², because the layer between them is as thick as a
//! vorton and vortex lines end at the walls of so narrow a tank.

use crate::resting_tank::{self, DEVIATION, layers};
use crate::seeds::tank;
use crate::{Camera, Scene, SceneBody, smoke};
use fluid_bodies::Pose;
use glam::Vec3;

/// Half of the tank's edges \[m\].
pub(crate) const HALF: Vec3 = Vec3::new(0.5, 0.28125, 0.5);
/// Lattice spacing \[m\].
const SPACING: f32 = 0.0625;
/// Angular frequency \[rad/s\].
const FREQUENCY: f32 = 1.4;
/// Amplitude \[m\].
const AMPLITUDE: f32 = 0.5;

fn left_and_right(time: f32) -> Pose {
    Pose::at(Vec3::X * (AMPLITUDE * libm::sinf(FREQUENCY * time)))
}

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "sloshing_tank",
    title: "Sloshing tank",
    expected: "The dyed layer climbs one wall, then the other, higher each time, until its crest rolls up.",
    frames: 360,
    vortons: || layers(HALF, DEVIATION, SPACING),
    core_radius: 1.5 * SPACING,
    vorton_count: 2304,
    article_vortons: None,
    tracers: || smoke::scatter(-HALF, HALF.with_z(0.0), 0.025, |_| true),
    tracer_count: 18_400,
    bodies: || vec![SceneBody { way: Some(left_and_right), ..tank(HALF).into() }],
    camera: Camera { eye: Vec3::new(0.0, -3.0, 0.2), target: Vec3::ZERO, up: Vec3::Z },
    ..resting_tank::SCENE
};
