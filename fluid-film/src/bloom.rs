//! Bloom: light of bright pixels, scattered in the lens.

use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Standard deviation, as a fraction of the picture's height.
const WIDTH: f32 = 0.018;
/// Radiance above which light is scattered.
const BRIGHT: f32 = 0.8;

/// Adds the light of bright pixels, blurred at half resolution, times `strength`.
pub(crate) fn add(exec: &dyn Executor, pixels: &mut [Vec3], [width, height]: [usize; 2], strength: f32) {
    if strength == 0.0 {
        return;
    }
    let half = [width.div_ceil(2), height.div_ceil(2)];
    let mut bright = vec![Vec3::ZERO; half[0] * half[1]];
    for (n, pixel) in pixels.iter().enumerate() {
        let excess = (*pixel - BRIGHT).max(Vec3::ZERO);
        bright[n / width / 2 * half[0] + n % width / 2] += 0.25 * excess;
    }
    let weights = gaussian(0.5 * WIDTH * height as f32);
    let along =
        blurred(exec, &bright, half, &weights, |[x, y], k, [width, _]| [(x + k).clamp(0, width - 1), y]);
    let both =
        blurred(exec, &along, half, &weights, |[x, y], k, [_, height]| [x, (y + k).clamp(0, height - 1)]);
    for_each_chunk_mut(exec, width, pixels, &|start, row: &mut [Vec3]| {
        let y = start / width;
        row.iter_mut().enumerate().for_each(|(x, pixel)| *pixel += strength * between(&both, half, [x, y]));
    });
}

/// Returns one half of a Gaussian's weights, from its middle; the sum of both halves is 1.
fn gaussian(deviation: f32) -> Vec<f32> {
    let weights: Vec<f32> = (0..=(2.5 * deviation).ceil() as i32)
        .map(|n| (-0.5 * (n as f32 / deviation).powi(2)).exp())
        .collect();
    let sum = 2.0 * weights.iter().sum::<f32>() - 1.0;
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Blurs along one direction; `step(place, k, size)` is the pixel k steps along it.
fn blurred(
    exec: &dyn Executor,
    pixels: &[Vec3],
    size: [usize; 2],
    weights: &[f32],
    step: impl Fn([i32; 2], i32, [i32; 2]) -> [i32; 2] + Sync,
) -> Vec<Vec3> {
    let mut blurred = vec![Vec3::ZERO; pixels.len()];
    let extent = size.map(|edge| edge as i32);
    for_each_chunk_mut(exec, size[0], blurred.as_mut_slice(), &|start, row: &mut [Vec3]| {
        for (x, sum) in (0..).zip(row) {
            let place = [x, (start / size[0]) as i32];
            let at = |k: i32| {
                let [x, y] = step(place, k, extent);
                pixels[y as usize * size[0] + x as usize]
            };
            *sum = weights[0] * at(0);
            for (k, weight) in (1..).zip(&weights[1..]) {
                *sum += *weight * (at(-k) + at(k));
            }
        }
    });
    blurred
}

/// Interpolates a picture of half the resolution.
fn between(half: &[Vec3], [width, height]: [usize; 2], [x, y]: [usize; 2]) -> Vec3 {
    // The near half pixel has three quarters of the weight.
    let other = |x: usize, edge: usize| {
        if x.is_multiple_of(2) { (x / 2).saturating_sub(1) } else { (x / 2 + 1).min(edge - 1) }
    };
    let [columns, rows] = [[x / 2, other(x, width)], [y / 2, other(y, height)]];
    let along = |row: usize| 0.75 * half[row * width + columns[0]] + 0.25 * half[row * width + columns[1]];
    0.75 * along(rows[0]) + 0.25 * along(rows[1])
}
