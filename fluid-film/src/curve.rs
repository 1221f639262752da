//! From linear light to 8 bits.

use glam::Vec3;

/// Film curve: linear light to display-linear light from 0 to 1, with a toe and a shoulder (Narkowicz's fit
/// of the ACES reference rendering).
#[inline]
pub fn film(light: f32) -> f32 {
    let light = light.max(0.0);
    (light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)).min(1.0)
}

/// Display-linear light to the sRGB signal, both from 0 to 1.
#[inline]
pub fn srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// Develops a pixel: exposure, film curve, sRGB, dither, 8 bits.
#[inline]
pub(crate) fn develop(light: Vec3, exposure: f32, [x, y]: [usize; 2]) -> [u8; 3] {
    let dither = dither(x, y);
    (light * exposure).to_array().map(|channel| (255.0 * srgb(film(channel)) + dither) as u8)
}

/// Threshold of a pixel, 0 to 1: interleaved gradient noise (Jimenez), the same in every frame, so that
/// resting parts of a film do not flicker and cost no bits.
#[inline]
fn dither(x: usize, y: usize) -> f32 {
    (52.982_918 * (0.067_110_56 * x as f32 + 0.005_837_15 * y as f32).fract()).fract()
}
