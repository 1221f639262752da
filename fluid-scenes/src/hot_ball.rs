//! Scene 15: a ball that heats the fluid.
//!
//! A quarter warmer than the ambient 300 K: the fluid in contact expands by up to as much. The articles'
//! +300 K is beyond small deviations.

use crate::seeds::{self, NOISE_PEAK, SPACING};
use crate::{Camera, Emission, FRAME, Fluid, Scene, smoke};
use fluid_bodies::BodyDef;
use fluid_bodies::shapes::Shape;
use glam::{Quat, Vec3};

/// Edge of the box of seeds and smoke, and of the emission \[m\].
const EDGE: f32 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    number: Some(15),
    name: "hot_ball",
    title: "Hot ball",
    expected: "The ball warms the fluid around it, which rises in a plume with a mushroom cap; in its cross-section two vortices \
               turn against each other.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 2,
    frames: 180,
    relaxation_rate: 1.0,
    fluid: Fluid { max_age: 300.0 * FRAME, viscosity: 0.01, diffusivity: 1e-3, ..Fluid::HEAVY },
    vortons: || seeds::noise(Vec3::ZERO, Vec3::splat(EDGE), SPACING),
    vorton_count: 512,
    article_vortons: Some(512),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(Vec3::splat(-0.5 * EDGE), Vec3::splat(0.5 * EDGE), 0.0208, |_| true),
    tracer_count: 13_824,
    article_tracers: Some(13_824),
    bodies: || {
        let ball = seeds::fixed(Shape::sphere(0.2), Vec3::ZERO, Quat::IDENTITY);
        let hot = BodyDef { temperature: 375.0, heat_capacity: f32::INFINITY, heat_transfer: 300.0, ..ball };
        let hot = BodyDef { no_through: true, ..hot };
        vec![hot.into()]
    },
    emission: Some(Emission {
        centre: Vec3::ZERO,
        extent: Vec3::splat(EDGE),
        vorton_rate: 400.0,
        vorton_volume: SPACING * SPACING * SPACING,
        temperature: None,
        fuel: 0.0,
        tracer_rate: 5000.0,
    }),
    camera: Camera { eye: Vec3::new(0.0, -5.0, 1.0), target: Vec3::new(0.0, 0.0, 1.0), up: Vec3::Z },
};
