//! Scene 7: wind past a ball.
//!
//! Twice as many vortons per second as in the articles: this number fills the stream at the lattice
//! spacing.

use crate::seeds::{self, NOISE_PEAK, SPACING};
use crate::{Camera, Emission, FRAME, Fluid, Scene};
use fluid_bodies::BodyDef;
use fluid_bodies::shapes::Shape;
use glam::{Quat, Vec3};

/// Speed of the stream \[m/s\].
const WIND: f32 = 1.0;
/// Edge of the stream \[m\].
const WIDTH: f32 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    number: Some(7),
    name: "wind_past_ball",
    title: "Wind past a ball",
    expected: "A steady stream of smoke parts before the ball and closes behind it in a wake.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 3,
    frames: 150,
    relaxation_rate: 1.0,
    fluid: Fluid {
        wind: Vec3::new(WIND, 0.0, 0.0),
        max_age: 100.0 * FRAME,
        max_vortons: 8192,
        ..Fluid::VISCOUS
    },
    vortons: || seeds::noise(Vec3::ZERO, Vec3::splat(WIDTH), SPACING),
    vorton_count: 512,
    article_vortons: Some(512),
    peak_vorticity: NOISE_PEAK,
    tracers: || Vec::new(),
    tracer_count: 0,
    article_tracers: None,
    bodies: || {
        let ball = seeds::fixed(Shape::sphere(0.2), Vec3::ZERO, Quat::IDENTITY);
        vec![BodyDef { no_through: true, ..ball }.into()]
    },
    emission: Some(Emission {
        centre: Vec3::new(-0.5, 0.0, 0.0),
        extent: Vec3::new(WIND * FRAME, WIDTH, WIDTH),
        vorton_rate: 1000.0,
        vorton_volume: WIND * WIDTH * WIDTH / 1000.0,
        temperature: None,
        fuel: 0.0,
        tracer_rate: 10_000.0,
    }),
    camera: Camera { eye: Vec3::new(1.2, -5.0, 1.2), target: Vec3::new(1.2, 0.0, 0.0), up: Vec3::Z },
};
