//! Scene 0: a thick vortex ring.

use crate::{COSINE_PROFILE, Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::VortexRing;
use glam::Vec3;

const SPACING: f32 = 0.25;

/// The magnitude is that of the last article. The 100 of parts 6 to 13 turns the fluid in the core by 1.7
/// rad per frame and carries the ring out of sight within a second: too fast for the eye, and for any step
/// of 1/30 s.
pub(crate) const SCENE: Scene = Scene {
    number: Some(0),
    name: "ring",
    title: "Vortex ring",
    expected: "A ring of smoke travels along +x, swallows the ball of smoke ahead of it, and leaves a thin wake.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 3,
    frames: 110,
    relaxation_rate: 1.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let ring = VortexRing {
            centre: Vec3::ZERO,
            axis: Vec3::X,
            radius: 1.0,
            thickness: 1.0,
            circulation: MAGNITUDE * COSINE_PROFILE,
            spacing: SPACING,
        };
        ring.vortons().expect("constants in range")
    },
    vorton_count: 1312,
    article_vortons: Some(1312),
    peak_vorticity: 19.2,
    tracers: || {
        let mut smoke = smoke::torus(0.0, 1.0, 0.5, 0.055);
        smoke.extend(smoke::ball(Vec3::new(2.5, 0.0, 0.0), 0.75, 0.055));
        smoke
    },
    tracer_count: 40_186,
    article_tracers: Some(256_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(3.2, -10.0, 3.0), target: Vec3::new(3.2, 0.0, 0.0), up: Vec3::Z },
};
