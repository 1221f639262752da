//! Scene 32's tank with two layers: it turns about a horizontal axis.

use crate::resting_tank::{self, DEVIATION, layers};
use crate::seeds::tank;
use crate::{Camera, Scene, SceneBody, smoke};
use fluid_bodies::Pose;
use glam::{Quat, Vec3};

const HALF: Vec3 = Vec3::new(0.5, 0.28125, 0.5);
/// Lattice spacing \[m\].
const SPACING: f32 = 0.0625;
/// \[rad/s\].
const SPIN: f32 = 1.0;

fn turning(time: f32) -> Pose {
    Pose { position: Vec3::ZERO, rotation: Quat::from_rotation_y(SPIN * time) }
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(32),
    name: "tumbling_box",
    title: "Tumbling box",
    expected: "The heavy layer stays below while the box turns around it, dragged along at the walls.",
    frames: 240,
    vortons: || layers(HALF, DEVIATION, SPACING),
    core_radius: 1.5 * SPACING,
    vorton_count: 2304,
    article_vortons: None,
    tracers: || smoke::scatter(-HALF, HALF.with_z(0.0), 0.025, |_| true),
    tracer_count: 18_400,
    bodies: || vec![SceneBody { way: Some(turning), ..tank(HALF).into() }],
    camera: Camera { eye: Vec3::new(0.0, -3.4, 0.2), target: Vec3::ZERO, up: Vec3::Z },
    ..resting_tank::SCENE
};
