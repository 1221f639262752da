//! Scene 27: a tank with a light layer on a heavy one.
//!
//! The tank does not move, so the fluid in it must stay at rest. The articles' deviations are ±0.6; the
//! ones used here are within the validity of the Boussinesq equations.

use crate::seeds::tank;
use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_core::initial::DensityBox;
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Half of the tank's edges \[m\].
pub(crate) const HALF: Vec3 = Vec3::new(0.5, 0.5, 1.0);
/// Lattice spacing \[m\].
pub(crate) const SPACING: f32 = 0.1;
/// Density deviation of the heavy layer, and minus that of the light one \[kg/m³\].
pub(crate) const DEVIATION: f32 = 0.1;

/// Returns two layers of equal depth that fill a tank of these half edges: the lower one with this density
/// deviation \[kg/m³\], the upper one with the opposite, on a lattice of this spacing \[m\].
///
/// # Panics
/// If a half edge or the spacing is not positive, or there would be too many vortons.
pub fn layers(half: Vec3, below: f32, spacing: f32) -> Vec<Vorton> {
    let layer = |side: f32| DensityBox {
        centre: Vec3::Z * (0.5 * side * half.z),
        extent: Vec3::new(2.0 * half.x, 2.0 * half.y, half.z),
        spacing,
        density_deviation: -side * below,
        dye: if side < 0.0 { 1.0 } else { 0.0 },
        fuel: 0.0,
    };
    [-1.0, 1.0].map(|side| layer(side).vortons().expect("constants in range")).concat()
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(27),
    name: "resting_tank",
    title: "Resting tank",
    expected: "Light fluid lies on heavy fluid, and nothing moves.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 2,
    frames: 300,
    // Layers at rest have sheets of vorticity that end at walls: relaxation would stir them.
    relaxation_rate: 0.0,
    fluid: Fluid { viscosity: 1e-3, ..Fluid::HEAVY },
    vortons: || layers(HALF, DEVIATION, SPACING),
    vorton_count: 2000,
    article_vortons: Some(1024),
    peak_vorticity: 0.0,
    tracers: || smoke::scatter(-HALF, HALF.with_z(0.0), 0.03, |_| true),
    tracer_count: 35_937,
    article_tracers: None,
    bodies: || vec![tank(HALF).into()],
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -5.0, 0.6), target: Vec3::ZERO, up: Vec3::Z },
};
