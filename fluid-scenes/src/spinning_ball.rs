//! Scene 5: a ball that spins in place.

use crate::seeds::{self, NOISE_PEAK};
use crate::{Camera, FRAME, Fluid, Scene, SceneBody, smoke};
use fluid_bodies::BodyDef;
use fluid_bodies::shapes::Shape;
use glam::Vec3;

const LATTICE: f32 = 0.1;
/// Box of seeds \[m\].
const BOX: Vec3 = Vec3::new(1.6, 1.6, 1.0);
/// Half extents of the box of smoke \[m\].
const SLAB: Vec3 = Vec3::new(0.8, 0.8, 0.1);

pub(crate) const SCENE: Scene = Scene {
    number: Some(5),
    name: "spinning_ball",
    title: "Spinning ball",
    expected: "A heavy ball spins in place: the corners of a slab of smoke at its equator wind up into arms, its middle is flung outwards.",
    core_radius: 1.5 * LATTICE,
    dt: FRAME,
    substeps: 2,
    frames: 90,
    relaxation_rate: 1.0,
    fluid: Fluid::VISCOUS,
    vortons: || seeds::noise(Vec3::ZERO, BOX, LATTICE),
    vorton_count: 2560,
    article_vortons: Some(512),
    peak_vorticity: NOISE_PEAK,
    tracers: || smoke::scatter(-SLAB, SLAB, 0.02, |_| true),
    tracer_count: 64_000,
    article_tracers: Some(85_184),
    bodies: || {
        let ball = seeds::body(Shape::sphere(0.3), 1000.0, Vec3::ZERO, Vec3::ZERO);
        vec![SceneBody {
            def: BodyDef { no_through: true, ..ball },
            angular_impulse: Vec3::Z * 100.0,
            way: None,
        }]
    },
    emission: None,
    camera: Camera { eye: Vec3::new(0.0, -0.8, 3.0), target: Vec3::ZERO, up: Vec3::Y },
};
