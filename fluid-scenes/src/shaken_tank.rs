//! Scene 28: the two layers of the resting tank, shaken along three axes at once.

use crate::resting_tank::{self, HALF};
use crate::seeds::tank;
use crate::{Scene, SceneBody};
use fluid_bodies::Pose;
use glam::Vec3;

fn shaken(time: f32) -> Pose {
    let sine = libm::sinf;
    Pose::at(Vec3::new(0.5 * sine(time), 0.2 * (libm::cosf(2.0 * time) - 1.0), 0.05 * sine(0.1 * time)))
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(28),
    name: "shaken_tank",
    title: "Shaken tank",
    expected: "The interface tilts against each push, and waves run to and fro on it.",
    bodies: || vec![SceneBody { way: Some(shaken), ..tank(HALF).into() }],
    ..resting_tank::SCENE
};
