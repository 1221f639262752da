//! Scene 4: a ball that spins about an axis normal to its direction of flight.
//!
//! Ten times the mass of the articles from part 8 on; half the spin, 16 rad/s: the surface is nearly as
//! fast as the ball.

use crate::ball_through_smoke;
use crate::{Fluid, Scene, SceneBody, seeds};
use fluid_bodies::BodyDef;
use fluid_bodies::shapes::Shape;
use glam::Vec3;

pub(crate) const SCENE: Scene = Scene {
    number: Some(4),
    name: "curving_ball",
    title: "Curving ball",
    expected: "The ball spins across its way, deflects its wake to one side, and is pushed to the other.",
    substeps: 8,
    frames: 60,
    article_tracers: Some(65_536),
    bodies: || {
        let ball = seeds::body(Shape::sphere(0.2), 0.2, Vec3::new(-2.5, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0));
        vec![SceneBody {
            def: BodyDef { no_through: true, magnus_coefficient: 0.375, ..ball },
            angular_impulse: Vec3::Y * 0.05,
            way: None,
        }]
    },
    fluid: Fluid { max_vortons: 8192, ..Fluid::VISCOUS },
    ..ball_through_smoke::SCENE
};
