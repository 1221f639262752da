//! Scene 10: two vortex tubes at right angles that just touch.

use crate::{COSINE_PROFILE, Camera, FRAME, Fluid, MAGNITUDE, Scene, smoke};
use fluid_core::initial::VortexTube;
use glam::Vec3;

const SPACING: f32 = 0.25;
const RADIUS: f32 = 0.5;
/// Half the length of a tube.
const REACH: f32 = 2.0;

fn tube(axis: Vec3, z: f32) -> VortexTube {
    VortexTube {
        centre: Vec3::Z * z,
        axis,
        diameter: 2.0 * RADIUS,
        length: 2.0 * REACH,
        circulation: MAGNITUDE * COSINE_PROFILE * RADIUS * RADIUS,
        variation: 0.0,
        wave_number: 2.0,
        spacing: SPACING,
    }
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(10),
    name: "crossed_tubes",
    title: "Crossed vortex tubes",
    expected: "The tubes bulge and bend into arches where they cross, and stretch: the stress test of stretching.",
    core_radius: 1.5 * SPACING,
    dt: FRAME,
    substeps: 4,
    frames: 120,
    relaxation_rate: 0.0,
    fluid: Fluid::UNIFORM,
    vortons: || {
        let tubes = [tube(Vec3::X, -RADIUS), tube(Vec3::Y, RADIUS)];
        tubes.iter().flat_map(|tube| tube.vortons().expect("constants in range")).collect()
    },
    vorton_count: 384,
    article_vortons: Some(384),
    peak_vorticity: 14.5,
    tracers: || {
        let (x, y) = (Vec3::new(REACH, RADIUS, RADIUS), Vec3::new(RADIUS, REACH, RADIUS));
        let (below, above) = (Vec3::Z * -RADIUS, Vec3::Z * RADIUS);
        let radius2 = RADIUS * RADIUS;
        let mut smoke = smoke::scatter(below - x, below + x, 0.055, |p| {
            (p - below).with_x(0.0).length_squared() < radius2
        });
        smoke.extend(smoke::scatter(above - y, above + y, 0.055, |p| {
            (p - above).with_y(0.0).length_squared() < radius2
        }));
        smoke
    },
    tracer_count: 37_180,
    article_tracers: Some(256_000),
    bodies: Vec::new,
    emission: None,
    camera: Camera { eye: Vec3::new(4.5, -4.5, 5.5), target: Vec3::ZERO, up: Vec3::Z },
};
