//! Integrals of density and dye along lines, such as the amount of smoke between two points.

use super::scalar_grid::ScalarGrid;
use super::smoothed::BATCH;
use crate::grid::GridShape;
use crate::lanes::InstructionSet;
use glam::{DVec3, Vec2, Vec3};

/// Samples per lattice spacing. The integrand is linear between nodes or a spline, so the midpoint rule is
/// then within a hundredth.
const SAMPLES_PER_SPACING: f64 = 2.0;

impl ScalarGrid {
    /// Integrals of density deviation \[kg/m²\] and of the concentration of dye \[m\] along the straight line
    /// between two points \[m\]; 0 unless both are finite. The integrand is that of
    /// [`scalars`](Self::scalars), by the midpoint rule with two samples for each spacing of the lattice.
    pub fn line_integral(&self, set: InstructionSet, from: Vec3, to: Vec3) -> Vec2 {
        let boxes = std::iter::once(self).chain(self.others());
        boxes.map(|grid| grid.line_integral_in_box(set, from.as_dvec3(), to.as_dvec3())).sum()
    }

    fn line_integral_in_box(&self, set: InstructionSet, from: DVec3, to: DVec3) -> Vec2 {
        let Some((start, end)) = clip(self.shape(), from, to) else { return Vec2::ZERO };
        let length = start.distance(end);
        let count = (length / f64::from(self.shape().spacing()) * SAMPLES_PER_SPACING).ceil().max(1.0);
        let step = (end - start) / count;
        let (mut sum, mut next, count) = (Vec2::ZERO, 0, count as usize);
        while next < count {
            let len = BATCH.min(count - next);
            let (mut places, mut values) = ([Vec3::ZERO; BATCH], [Vec3::ZERO; BATCH]);
            for (k, place) in (next..).zip(&mut places[..len]) {
                *place = (start + step * (k as f64 + 0.5)).as_vec3();
            }
            self.look_in_box(set, &places[..len], &mut values[..len]);
            sum += values[..len].iter().map(|value| value.truncate()).sum::<Vec2>();
            next += len;
        }
        sum * step.length() as f32
    }
}

/// Returns the part of a line in a lattice's box; the outermost nodes of a box are empty.
fn clip(shape: &GridShape, from: DVec3, to: DVec3) -> Option<(DVec3, DVec3)> {
    if shape.is_empty() || !from.is_finite() || !to.is_finite() {
        return None;
    }
    let low = shape.origin().as_dvec3();
    let high = low + (shape.dims().as_dvec3() - 1.0) * f64::from(shape.spacing());
    let way = to - from;
    let direction = way.try_normalize()?;
    // From the point of the line that is next to the box, because ends far away would cost digits there.
    // Products of coordinates, which are floats of 32 bits, are exact in 64.
    let next_to_origin = way.cross(from.cross(to)) / way.length_squared();
    let centre = (low + high) / 2.0;
    let point = next_to_origin + direction * (centre - next_to_origin).dot(direction);
    let [mut enter, mut leave] = [from, to].map(|end| (end - point).dot(direction));
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if point[axis] < low[axis] || point[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let [a, b] = [low, high].map(|side| (side[axis] - point[axis]) / direction[axis]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter < leave).then(|| (point + direction * enter, point + direction * leave))
}
