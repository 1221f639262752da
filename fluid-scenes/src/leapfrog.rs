//! Two equal rings on one axis, which pass through each other in turn.

use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_core::initial::FilamentRing;
use fluid_core::particles::Vorton;
use glam::Vec3;

const CORE_RADIUS: f32 = 0.2;

/// Returns a ring of radius 1 about the x axis.
fn ring(x: f32) -> Vec<Vorton> {
    let ring = FilamentRing {
        centre: Vec3::X * x,
        axis: Vec3::X,
        radius: 1.0,
        circulation: 1.0,
        core_radius: CORE_RADIUS,
        count: 48,
    };
    ring.vortons().expect("constants in range")
}

/// The known solution (validation R5): with the library's kernel the rings pass at t = 3.72, 11.16 and
/// 18.60 s.
pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "leapfrog",
    title: "Leapfrogging rings",
    expected: "The ring behind shrinks, speeds up and slips through the one ahead, which has widened; then they change roles. \
               Passes at 3.72, 11.16 and 18.60 s.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 2,
    frames: 600,
    relaxation_rate: 0.0,
    fluid: Fluid::UNIFORM,
    vortons: || [ring(-0.5), ring(0.5)].concat(),
    vorton_count: 96,
    article_vortons: None,
    peak_vorticity: 7.96,
    tracers: || [smoke::torus(-0.5, 1.0, 0.2, 0.035), smoke::torus(0.5, 1.0, 0.2, 0.035)].concat(),
    tracer_count: 35_876,
    article_tracers: None,
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(3.5, -9.0, 3.0), target: Vec3::new(3.0, 0.0, 0.0), up: Vec3::Z },
};
