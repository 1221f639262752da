//! Particles as splats: positions in the picture, opacity, light.

use crate::camera::View;
use crate::footprint::Footprints;
use glam::{Vec2, Vec3, Vec4};

/// A particle to draw.
#[derive(Debug, Clone, Copy)]
pub struct Particle {
    /// Position \[m\].
    pub position: Vec3,
    /// Path during the exposure, which ends at the position \[m\].
    pub path: Vec3,
    /// Standard deviation of its Gaussian \[m\].
    pub radius: f32,
    /// Extinction cross-section \[m²\] for red, green and blue.
    pub cross_section: Vec3,
    /// Radiance of an opaque cloud of such particles.
    pub light: Vec3,
}

/// A particle in the picture.
#[derive(Debug, Clone, Copy)]
pub struct Splat {
    /// Optical depth for red, green and blue, summed over its pixels; fourth 0.
    pub(crate) depth_sum: Vec4,
    /// Radiance of an opaque cloud; fourth 0.
    pub(crate) light: Vec4,
    /// First position \[pixels\].
    pub(crate) start: Vec2,
    /// From stamp to stamp \[pixels\].
    pub(crate) stride: Vec2,
    /// Distance along the optical axis \[m\].
    pub(crate) depth: f32,
    /// Number of stamps; 0 if it is outside of the picture.
    pub(crate) stamps: u8,
    /// Class of its footprint.
    pub(crate) class: u8,
    /// First and last row, cut to the picture.
    pub(crate) rows: [u16; 2],
}

/// Most stamps of a streak.
const MOST_STAMPS: f32 = 12.0;
/// Distance between stamps, in standard deviations: sums of Gaussians with this spacing are flat.
const STAMP_SPACING: f32 = 1.4;

impl Splat {
    /// A splat outside of the picture.
    pub(crate) const NOWHERE: Self = Self {
        depth_sum: Vec4::ZERO,
        light: Vec4::ZERO,
        start: Vec2::ZERO,
        stride: Vec2::ZERO,
        depth: 0.0,
        stamps: 0,
        class: 0,
        rows: [0; 2],
    };

    /// Projects a particle onto a picture of this size \[pixels\]; `None` if it does not touch it.
    pub fn new(particle: &Particle, view: &View, [width, height]: [usize; 2]) -> Option<Self> {
        let end = view.project(particle.position)?;
        let start = view.project(particle.position - particle.path).unwrap_or(end);
        let pixels_per_metre = view.focal_length / end.depth;
        let radius = particle.radius * pixels_per_metre;
        let class = Footprints::class(radius);
        let reach = (Footprints::reach(class) + 1) as f32;
        let [from, to] = [Vec2::new(start.x, start.y), Vec2::new(end.x, end.y)];
        let [low, high] = [from.min(to) - reach, from.max(to) + reach];
        // Also false for NaN.
        let visible = low.x < width as f32 && low.y < height as f32 && high.min_element() >= 0.0;
        if !visible {
            return None;
        }
        let length = from.distance(to);
        let stamps = (length / (STAMP_SPACING * radius.max(crate::footprint::SMALLEST)))
            .ceil()
            .clamp(1.0, MOST_STAMPS);
        let stride = (to - from) / stamps;
        let row = |y: f32| y.clamp(0.0, (height - 1) as f32) as u16;
        Some(Self {
            depth_sum: (particle.cross_section * pixels_per_metre * pixels_per_metre / stamps).extend(0.0),
            light: particle.light.extend(0.0),
            start: from + 0.5 * stride,
            stride,
            depth: end.depth,
            stamps: stamps as u8,
            class,
            rows: [row(low.y), row(high.y)],
        })
    }
}
