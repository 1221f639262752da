//! Colours of glowing fluid.

use glam::Vec3;

/// Light of fluid that glows where it is hot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glow {
    /// Temperature \[K\] at which fluid begins to glow.
    pub from: f32,
    /// Temperature \[K\] of the brightest fluid.
    pub to: f32,
    /// Radiance of the brightest fluid.
    pub radiance: f32,
}

impl Glow {
    /// Returns the radiance at a temperature \[K\].
    #[inline]
    pub fn at(&self, temperature: f32) -> Vec3 {
        ramp((temperature - self.from) / (self.to - self.from)) * self.radiance
    }
}

/// Returns the colour of a glow from 0 (dark) over red and orange to 1 (bright yellow-white): each channel
/// sets in later than the one before and rises with a power of the heat, as for a black body.
#[inline]
pub fn ramp(heat: f32) -> Vec3 {
    let heat = heat.clamp(0.0, 1.0);
    let square = heat * heat;
    Vec3::new(heat * square.sqrt(), 0.55 * heat * square, 0.30 * square * square)
}
