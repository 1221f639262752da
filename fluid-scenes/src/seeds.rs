//! Fluid without vorticity of its own, for bodies to shed into, and the bodies.

use crate::SceneBody;
use fluid_bodies::shapes::{Geometry, Parity, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::Noise;
use fluid_core::particles::Vorton;
use glam::{Quat, Vec3};

/// Full range of each vorticity component \[1/s\] of vortons with only noise.
pub(crate) const NOISE: f32 = 1e-6;
/// Upper bound of their vorticity \[1/s\]: √3/2 of the range, plus the mean that is subtracted.
pub(crate) const NOISE_PEAK: f32 = NOISE;
/// Lattice spacing \[m\] around bodies of a few tenths of a metre; equal to the articles' for the same
/// number of vortons, in boxes as thick as the body's wake.
pub(crate) const SPACING: f32 = 0.0625;

/// Returns vortons with only noise on a lattice that fills a box.
pub(crate) fn noise(centre: Vec3, extent: Vec3, spacing: f32) -> Vec<Vorton> {
    let noise = Noise { centre, extent, spacing, amplitude: NOISE, seed: 1 };
    noise.vortons().expect("constants in range")
}

/// Returns a freely moving body of one shape.
pub(crate) fn body(shape: Shape, mass: f32, position: Vec3, velocity: Vec3) -> BodyDef {
    let state = BodyState { position, velocity, ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass, state, ..BodyDef::default() }
}

/// Returns a fixed body.
pub(crate) fn fixed(shape: Shape, position: Vec3, rotation: Quat) -> BodyDef {
    let state = BodyState { position, rotation, ..BodyState::default() };
    BodyDef { shapes: vec![shape], mass: f32::INFINITY, state, ..BodyDef::default() }
}

/// Returns a container at rest, with this cavity.
pub(crate) fn hole(geometry: Geometry) -> BodyDef {
    let shape = Shape { parity: Parity::Hole, ..Shape::solid(geometry) };
    fixed(shape, Vec3::ZERO, Quat::IDENTITY)
}

/// Returns a box-shaped container.
pub(crate) fn tank(half_extents: Vec3) -> BodyDef {
    hole(Shape::cuboid(half_extents).geometry)
}

impl From<BodyDef> for SceneBody {
    /// Creates a scene body without spin or prescribed motion.
    fn from(def: BodyDef) -> Self {
        Self { def, angular_impulse: Vec3::ZERO, way: None }
    }
}
