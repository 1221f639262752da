//! Scene 14: a ball between two layers.
//!
//! The layers belong to the ambient, hence they are unbounded. The articles' two blocks, in a fluid with a
//! density between theirs, spread within the second that the ball takes to fall. Viscosity is a fifth of
//! the other scenes': at 0.01 m²/s the ball would creep instead of bobbing.

use crate::seeds::{self, NOISE_PEAK, SPACING};
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_bodies::BodyDef;
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::Shape;
use fluid_core::density::Stratification;
use glam::Vec3;

/// Radius of the ball \[m\].
const RADIUS: f32 = 0.2;
/// Mass of a ball of the ambient's mean density, 1 kg/m³ \[kg\].
const MASS: f32 = 4.0 / 3.0 * std::f32::consts::PI * RADIUS * RADIUS * RADIUS;
/// Box of seeds and smoke \[m\].
const BOX: Vec3 = Vec3::new(0.75, 0.75, 1.5);

pub(crate) const SCENE: Scene = Scene {
    number: Some(14),
    name: "stratified_ball",
    title: "Ball in a stratified fluid",
    expected: "The ball sinks from the light layer, overshoots the interface, bobs and settles at it.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 2,
    frames: 240,
    relaxation_rate: 1.0,
    fluid: Fluid {
        stratification: Stratification::Layers { normal: Vec3::Z, height: 0.0, jump: -0.4, thickness: 0.05 },
        viscosity: 2e-3,
        ..Fluid::HEAVY
    },
    vortons: || seeds::noise(Vec3::ZERO, BOX, SPACING),
    vorton_count: 3456,
    article_vortons: Some(1024),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-0.5 * BOX, 0.5 * BOX, 0.025, |_| true),
    tracer_count: 54_000,
    article_tracers: Some(51_000),
    bodies: || {
        let ball = seeds::body(Shape::sphere(RADIUS), MASS, Vec3::new(0.0, 0.0, 0.4), Vec3::ZERO);
        vec![BodyDef { buoyant_force: BuoyantForce::OnWithWeight, no_through: true, ..ball }.into()]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -4.0, 0.5), target: Vec3::ZERO, up: Vec3::Z },
};
