//! Gaps between clusters of particles, across which space is cut.

use crate::math::Vec3Columns;
use glam::Vec3;

/// Bins along an axis in which gaps are sought.
const BINS: usize = 256;

/// Returns axis and coordinate \[m\] of the middle of a gap of at least `least_gap` \[m\] between the
/// particles in these rows, which have these bounds: the one with the most particles on its emptier side.
pub(crate) fn find_cut(
    positions: &Vec3Columns,
    rows: &[u32],
    [low, high]: [Vec3; 2],
    least_gap: f32,
) -> Option<(usize, f32)> {
    let mut best: Option<(usize, usize, f32)> = None;
    for axis in 0..3 {
        let extent = high[axis] - low[axis];
        let bin = extent / BINS as f32;
        // NaN and infinite extents have no gaps.
        if !(extent > least_gap && bin.is_finite()) {
            continue;
        }
        let mut counts = [0_u32; BINS];
        for &row in rows {
            let at = (positions.get(row as usize)[axis] - low[axis]) / bin;
            counts[(at as usize).min(BINS - 1)] += 1;
        }
        let (mut before, mut empty) = (0, 0);
        for (index, &count) in counts.iter().enumerate() {
            if count == 0 {
                empty += 1;
                continue;
            }
            if empty as f32 * bin >= least_gap {
                let emptier = before.min(rows.len() - before);
                if best.is_none_or(|(most, ..)| emptier > most) {
                    let middle = index as f32 - 0.5 * empty as f32;
                    best = Some((emptier, axis, low[axis] + middle * bin));
                }
            }
            (before, empty) = (before + count as usize, 0);
        }
    }
    best.map(|(_, axis, at)| (axis, at))
}
