//! Scene 12 with seven times as many vortons, initially as irregular as real drops.

use crate::{Camera, FRAME, Fluid, Scene, smoke};
use fluid_core::initial::{DensityBall, DensityProfile, Disturbance};
use fluid_core::particles::Vorton;
use glam::Vec3;

const SPACING: f32 = 0.125;
const CORE_RADIUS: f32 = 1.5 * SPACING;
/// Half of the lattice spacing in position, a fifth in density: large enough for instabilities to show
/// within two seconds, small enough for a round drop.
const DISTURBANCE: Disturbance = Disturbance { position: 0.5, strength: 0.2, seed: 1 };

/// Returns a heavy ball of dye on a lattice with disturbed positions and densities, always the same ones.
fn disturbed_drop() -> Vec<Vorton> {
    let ball = DensityBall {
        centre: Vec3::ZERO,
        radius: 1.0,
        density_deviation: 0.2,
        spacing: SPACING,
        core_radius: CORE_RADIUS,
        profile: DensityProfile::TopHat,
        dye: 1.0,
        fuel: 0.0,
    };
    let mut vortons = ball.vortons().expect("constants in range");
    DISTURBANCE.apply(SPACING, &mut vortons).expect("constants in range");
    vortons
}

pub(crate) const SCENE: Scene = Scene {
    number: None,
    name: "fine_drop",
    title: "Fine dye drop",
    expected: "A heavy blue ball sinks, becomes a ring, and tears into wisps and tendrils.",
    core_radius: CORE_RADIUS,
    dt: FRAME,
    substeps: 2,
    frames: 140,
    relaxation_rate: 1.0,
    fluid: Fluid { viscosity: 5e-4, max_vortons: 16_384, ..Fluid::HEAVY },
    vortons: disturbed_drop,
    vorton_count: 2728,
    article_vortons: None,
    peak_vorticity: 0.0,
    tracers: || smoke::ball(Vec3::ZERO, 1.0, 0.02105),
    tracer_count: 448_873,
    article_tracers: None,
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -12.0, -1.5), target: Vec3::new(0.0, 0.0, -3.0), up: Vec3::Z },
};
