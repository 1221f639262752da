//! A blob of warm fluid rises, spreading its heat.

use crate::dye_drop::CORE_RADIUS;
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_core::density::{Ambient, EquationOfState};
use glam::Vec3;

/// A tenth warmer than the ambient 300 K: an ideal gas expands by as much.
const TEMPERATURE: f32 = 330.0;

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "warm_blob",
    title: "Warm blob",
    expected: "A ball of warm fluid expands, rises, mushrooms into a ring and cools as its heat spreads.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 2,
    frames: 150,
    relaxation_rate: 1.0,
    fluid: Fluid { viscosity: 1e-3, diffusivity: 2e-3, ..Fluid::HEAVY },
    vortons: || {
        let ambient = Ambient::default();
        let deviation = EquationOfState::IdealGas.density(&ambient, TEMPERATURE) - ambient.density;
        crate::dye_drop::drop(Vec3::ZERO, deviation)
    },
    vorton_count: 408,
    article_vortons: None,
    peak_vorticity: 0.0,
    tracers: || smoke::ball(Vec3::ZERO, 1.0, 0.0475),
    tracer_count: 38_745,
    article_tracers: None,
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -12.0, 1.0), target: Vec3::new(0.0, 0.0, 2.0), up: Vec3::Z },
};
