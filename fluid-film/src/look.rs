//! Everything that a film adds to a scene.

use crate::camera::Camera;
use crate::light::Lamp;
use crate::ramp::Glow;
use crate::smoke::Volume;
use fluid_scenes::Scene;
use glam::Vec3;

/// A scene with the description of its film.
#[derive(Debug, Clone)]
pub struct Look {
    /// The scene, with changes if the film has some.
    pub scene: Scene,
    /// Smoke at the start, each part with the index of its dye.
    pub smoke: Vec<(Volume, u32)>,
    /// Smoke that is added during the film.
    pub feed: Option<Feed>,
    /// Dyes.
    pub dyes: Vec<Dye>,
    /// Extinction of the smoke at the start, or of added smoke \[1/m\].
    pub extinction: f32,
    /// Standard deviation of a tracer's Gaussian, as a fraction of the tracers' distance.
    pub softness: f32,
    /// Intensity of the eddies below the vortons' size that move the tracers \[1\].
    pub turbulence: f32,
    /// Camera at the start and at the end.
    pub cameras: [Camera; 2],
    /// Index of a body with which both cameras move.
    pub follows: Option<usize>,
    /// Lights.
    pub lamp: Lamp,
    /// Floor and background.
    pub stage: Stage,
    /// Fraction of light that solids scatter.
    pub body: Vec3,
    /// Radiance of solids.
    pub body_glow: Vec3,
    /// Radiance of the edges of cavities.
    pub edges: Vec3,
    /// Glow of hot fluid.
    pub glow: Option<Glow>,
    /// Strength of the bloom.
    pub bloom: f32,
    /// Exposure.
    pub exposure: f32,
    /// Time of the scene at the film's first frame \[s\].
    pub from: f32,
    /// Time of the scene that the film shows \[s\].
    pub seconds: f32,
}

/// A colour of smoke.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dye {
    /// Extinction for red, green and blue, relative to the smoke's: white smoke has 1, ink has little for
    /// its own colour.
    pub extinction: Vec3,
    /// Fraction of the extinct light that is scattered.
    pub albedo: Vec3,
}

/// A volume in which smoke is added.
#[derive(Debug, Clone)]
pub struct Feed {
    /// The volume; places outside of bodies are used.
    pub volume: Volume,
    /// Volume of smoke of the look's extinction per time \[m³/s\].
    pub rate: f32,
}

/// Floor and background.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Radiance of the background at the upper edge of the picture.
    pub above: Vec3,
    /// Radiance of the background at the lower edge.
    pub below: Vec3,
    /// Fraction of light lost in the corners of the picture; half of it in the middle of its edges.
    pub vignette: f32,
    /// Floor.
    pub floor: Option<Floor>,
}

/// A matt floor that fades into the background.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Height \[m\].
    pub height: f32,
    /// Fraction of light that it scatters.
    pub albedo: Vec3,
    /// Point around which it is seen \[m\].
    pub middle: Vec3,
    /// Distance at which it has faded to 1/e \[m\].
    pub reach: f32,
}

impl Look {
    /// Returns the volume of all smoke that appears in the film \[m³\].
    pub fn smoke_volume(&self) -> f32 {
        let fed = self.feed.as_ref().map_or(0.0, |feed| feed.rate * (self.from + self.seconds));
        self.smoke.iter().map(|(volume, _)| volume.volume()).sum::<f32>() + fed
    }

    /// Returns the camera at a time of the scene \[s\].
    pub fn camera_at(&self, time: f32) -> Camera {
        let share = ((time - self.from) / self.seconds).clamp(0.0, 1.0);
        self.cameras[0].towards(&self.cameras[1], share)
    }
}
