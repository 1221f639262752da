//! Scene 3: a ball that spins about its direction of flight.
//!
//! Ten times the mass of the articles from part 8 on (0.2 kg, as in part 4) and ten times the angular
//! impulse: the same spin, 6.25 rad/s.

use crate::ball_through_smoke;
use crate::{Scene, SceneBody, seeds};
use fluid_bodies::shapes::Shape;
use glam::Vec3;

pub(crate) const SCENE: Scene = Scene {
    number: Some(3),
    name: "drilling_ball",
    title: "Drilling ball",
    expected: "The ball bores through the smoke and drags it around its way: a helical wake.",
    substeps: 8,
    frames: 60,
    article_tracers: Some(65_536),
    bodies: || {
        vec![SceneBody {
            def: seeds::body(Shape::sphere(0.2), 0.2, Vec3::new(-2.5, 0.0, 0.0), Vec3::new(5.0, 0.0, 0.0)),
            angular_impulse: Vec3::X * 0.02,
            way: None,
        }]
    },
    ..ball_through_smoke::SCENE
};
