//! Scene 32: a tank with two layers that turns about a horizontal axis.

use crate::seeds::tank;
use crate::sloshing_tank::{self, HALF};
use crate::{Camera, Scene, SceneBody};
use fluid_bodies::Pose;
use glam::{Quat, Vec3};

/// Angular velocity \[rad/s\].
const SPIN: f32 = 1.0;

fn turning(time: f32) -> Pose {
    Pose { position: Vec3::ZERO, rotation: Quat::from_rotation_y(SPIN * time) }
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(32),
    name: "tumbling_box",
    title: "Tumbling box",
    expected: "The heavy layer stays below while the box turns around it.",
    frames: 240,
    bodies: || vec![SceneBody { way: Some(turning), ..tank(HALF).into() }],
    camera: Camera { eye: Vec3::new(0.0, -3.4, 0.2), target: Vec3::ZERO, up: Vec3::Z },
    ..sloshing_tank::SCENE
};
