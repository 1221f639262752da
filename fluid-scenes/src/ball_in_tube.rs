//! Scene 6: a ball in a vortex tube.
//!
//! The articles have a ball of radius 0.1 m between vortons 0.25 m apart, of 119 times the density of the
//! fluid; here the lattice is fine enough to resolve the ball, and the ball light enough to be moved by the
//! fluid.

use crate::{COSINE_PROFILE, Camera, FRAME, Fluid, MAGNITUDE, Scene, seeds, smoke};
use fluid_bodies::shapes::Shape;
use fluid_core::initial::VortexTube;
use glam::Vec3;

const LATTICE: f32 = 0.1;
/// Radius of the tube \[m\].
const RADIUS: f32 = 0.5;

pub(crate) const SCENE: Scene = Scene {
    number: Some(6),
    name: "ball_in_tube",
    title: "Ball in a spinning fluid",
    expected: "A ball in the axis of a vortex tube is spun up by the fluid.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 4,
    frames: 90,
    relaxation_rate: 0.0,
    fluid: Fluid::VISCOUS,
    vortons: || {
        let tube = VortexTube {
            centre: Vec3::ZERO,
            axis: Vec3::Y,
            diameter: 2.0 * RADIUS,
            length: 4.0,
            circulation: MAGNITUDE * COSINE_PROFILE * RADIUS * RADIUS,
            variation: 0.0,
            wave_number: 2.0,
            spacing: LATTICE,
        };
        tube.vortons().expect("constants in range")
    },
    vorton_count: 3200,
    article_vortons: Some(192),
    peak_vorticity: 19.1,
    tracers: || {
        let reach = Vec3::new(1.0, 2.0, 0.08);
        smoke::scatter(-reach, reach, 0.027, |_| true)
    },
    tracer_count: 65_712,
    article_tracers: Some(131_072),
    bodies: || vec![seeds::body(Shape::sphere(0.2), 0.2, Vec3::ZERO, Vec3::ZERO).into()],
    emission: None,
    camera: Camera { eye: Vec3::new(2.0, -6.0, 2.5), target: Vec3::ZERO, up: Vec3::Z },
};
