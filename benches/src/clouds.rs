//! Vorton positions in variable number, for benches over the number of vortons.

use fluid_core::math::Random;
use glam::{Vec2, Vec3};

/// Spacing in all clouds but [`scattered`] \[m\].
pub const SPACING: f32 = 0.1;

/// Function that returns `count` vorton positions.
pub type Cloud = fn(usize) -> Vec<Vec3>;

/// Returns a cubic lattice block.
pub fn block(count: usize) -> Vec<Vec3> {
    let edge = (count as f32).cbrt().ceil() as usize;
    let at = |i: usize| Vec3::new((i % edge) as f32, (i / edge % edge) as f32, (i / (edge * edge)) as f32);
    (0..count).map(|i| (at(i) - 0.5 * edge as f32) * SPACING).collect()
}

/// Returns a square lattice sheet.
pub fn sheet(count: usize) -> Vec<Vec3> {
    let edge = (count as f32).sqrt().ceil() as usize;
    let at = |i: usize| Vec2::new((i % edge) as f32, (i / edge) as f32) - 0.5 * edge as f32;
    (0..count).map(|i| (at(i) * SPACING).extend(0.0)).collect()
}

/// Returns a circle.
pub fn ring(count: usize) -> Vec<Vec3> {
    let radius = count as f32 * 0.8 * SPACING / std::f32::consts::TAU;
    let at = |i: usize| Vec2::from_angle(std::f32::consts::TAU * i as f32 / count as f32);
    (0..count).map(|i| (at(i) * radius).extend(0.0)).collect()
}

/// Returns two separate cubes with half of the vortons each.
pub fn pair(count: usize) -> Vec<Vec3> {
    let half = block(count / 2);
    let apart = Vec3::X * (4.0 * (count as f32).cbrt() * SPACING);
    half.iter().copied().chain(half.iter().map(|&place| place + apart)).collect()
}

/// Returns random positions in a cube of eight times the lattice block's volume: the remains of a jet.
pub fn scattered(count: usize) -> Vec<Vec3> {
    let edge = 2.0 * (count as f32).cbrt() * SPACING;
    (0..count as u64).map(|i| Random::new(5).centred_vec3(i) * edge).collect()
}
