//! Initial positions of the smoke.

use fluid_core::math::Random;
use glam::Vec3;

/// Fraction of its cell over which a tracer is scattered: below 1, so that no two can coincide (the
/// articles' number).
const JITTER: f32 = 0.9999;

/// Returns one tracer in each cell of edge about `spacing` \[m\] of the box from `low` to `high`, at a
/// random position in its cell, if `keep` holds there. Always the same positions.
pub(crate) fn scatter(low: Vec3, high: Vec3, spacing: f32, keep: impl Fn(Vec3) -> bool) -> Vec<Vec3> {
    let cells = ((high - low) / spacing).round().max(Vec3::ONE);
    let cell = (high - low) / cells;
    let [nx, ny, nz] = cells.to_array().map(|n| n as u32);
    let random = Random::new(1);
    let indices = (0..nz).flat_map(|k| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k])));
    let place = |(n, [i, j, k]): (u64, [u32; 3])| {
        let index = Vec3::new(i as f32, j as f32, k as f32);
        low + (index + 0.5 + random.centred_vec3(n) * JITTER) * cell
    };
    (0..).zip(indices).map(place).filter(|&p| keep(p)).collect()
}

/// Returns smoke in a ring about the x axis: closer than `thickness` to the circle of `radius` around (`x`,
/// 0, 0) \[m\].
pub(crate) fn torus(x: f32, radius: f32, thickness: f32, spacing: f32) -> Vec<Vec3> {
    let outer = radius + thickness;
    let (low, high) = (Vec3::new(x - thickness, -outer, -outer), Vec3::new(x + thickness, outer, outer));
    scatter(low, high, spacing, |p| {
        let off = p.with_x(0.0).length() - radius;
        off * off + (p.x - x) * (p.x - x) < thickness * thickness
    })
}

/// Returns smoke in a ball.
pub(crate) fn ball(centre: Vec3, radius: f32, spacing: f32) -> Vec<Vec3> {
    let inside = |p: Vec3| p.distance_squared(centre) < radius * radius;
    scatter(centre - radius, centre + radius, spacing, inside)
}
