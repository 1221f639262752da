//! Selection of the particles for which a lattice is made, and their bounding box.

use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::Vec3Columns;
use fluid_threads::{Executor, for_each_chunk};
use glam::Vec3;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Selection of the particles to which a box is fitted, or that are sorted into its nodes. Implemented by
/// functions of the row.
pub trait Wanted {
    /// Sets for each row from `first` on whether its particle is wanted.
    fn mark(&self, first: usize, wanted: &mut [bool]);
}

impl<F: Fn(usize) -> bool> Wanted for F {
    #[inline(always)]
    fn mark(&self, first: usize, wanted: &mut [bool]) {
        for (row, wanted) in (first..).zip(wanted) {
            *wanted = self(row);
        }
    }
}

/// Number of rows marked together.
pub(crate) const MARKED: usize = 64;

/// Number of rows in a vector.
const LANES: usize = 16;

/// Number of rows per task.
const MARK_CHUNK: usize = 4096;

/// Returns the lowest and highest coordinates \[m\] of the wanted particles, `Some(None)` if there are
/// none; None if a coordinate is NaN.
pub(crate) fn box_of(
    exec: &dyn Executor,
    positions: &Vec3Columns,
    wanted: &(impl Wanted + Sync),
) -> Option<Option<(Vec3, Vec3)>> {
    // Minimum and maximum do not depend on the order of comparisons.
    let [low, high] = [i32::MAX, i32::MIN].map(|none| std::array::from_fn(|_| AtomicI32::new(none)));
    let (bounds, all_numbers): ([[AtomicI32; 3]; 2], _) = ([low, high], AtomicBool::new(true));
    for_each_chunk(exec, positions.len(), MARK_CHUNK, &|rows| {
        let mut of_rows = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        let mut all_are_numbers = true;
        let (low_high, all_of_rows) = (&mut of_rows, &mut all_are_numbers);
        let job = FindBox { positions, wanted, rows, bounds: low_high, all_numbers: all_of_rows };
        run_in_vectors(InstructionSet::Auto, job);
        for axis in 0..3 {
            bounds[0][axis].fetch_min(ordered(of_rows[0][axis]), Ordering::Relaxed);
            bounds[1][axis].fetch_max(ordered(of_rows[1][axis]), Ordering::Relaxed);
        }
        all_numbers.fetch_and(all_are_numbers, Ordering::Relaxed);
    });
    if !all_numbers.into_inner() {
        return None;
    }
    let [low, high] = bounds.map(|corner| Vec3::from_array(corner.map(|v| from_ordered(v.into_inner()))));
    // Without a chunk both are NaN.
    Some(low.cmple(high).all().then_some((low, high)))
}

/// Maps a float to an integer in the same order.
fn ordered(v: f32) -> i32 {
    let bits = v.to_bits() as i32;
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

fn from_ordered(v: i32) -> f32 {
    f32::from_bits(if v < 0 { v ^ i32::MAX } else { v } as u32)
}

struct FindBox<'a, W> {
    positions: &'a Vec3Columns,
    wanted: &'a W,
    rows: Range<usize>,
    bounds: &'a mut [[f32; 3]; 2],
    all_numbers: &'a mut bool,
}

impl<W: Wanted> VectorJob for FindBox<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { positions: Vec3Columns { x, y, z }, wanted, rows, bounds: [low, high], all_numbers } =
            self;
        for first in rows.clone().step_by(MARKED) {
            let rows = first..rows.end.min(first + MARKED);
            let mut marks = [false; MARKED];
            wanted.mark(first, &mut marks[..rows.len()]);
            for (axis, column) in [x, y, z].into_iter().enumerate() {
                let mut values = [0.0; MARKED];
                values[..rows.len()].copy_from_slice(&column[rows.clone()]);
                *all_numbers &= widen(&values, &marks, &mut low[axis], &mut high[axis]);
            }
        }
    }
}

/// Extends bounds by the marked values. Returns false if one of them is NaN.
#[inline(always)]
fn widen(values: &[f32; MARKED], marks: &[bool; MARKED], low: &mut f32, high: &mut f32) -> bool {
    let (mut lows, mut highs, mut odd) = ([*low; LANES], [*high; LANES], [false; LANES]);
    let (values, _) = values.as_chunks::<LANES>();
    let (marks, _) = marks.as_chunks::<LANES>();
    for (values, marks) in values.iter().zip(marks) {
        for lane in 0..LANES {
            let (value, mark) = (values[lane], marks[lane]);
            lows[lane] = if mark & (value < lows[lane]) { value } else { lows[lane] };
            highs[lane] = if mark & (value > highs[lane]) { value } else { highs[lane] };
            odd[lane] |= mark & value.is_nan();
        }
    }
    *low = lows.into_iter().fold(*low, f32::min);
    *high = highs.into_iter().fold(*high, f32::max);
    !odd.into_iter().fold(false, |odd, lane| odd | lane)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::Serial;

    #[test]
    fn the_box_of_marked_rows_is_theirs() {
        let random = Random::new(5);
        for count in [0, 1, 63, 64, 65, 1000, 5000] {
            let mut positions = Vec3Columns::default();
            (0..count as u64).for_each(|row| positions.push(100.0 * random.centred_vec3(row)));
            for every in [1, 2, 7, 4999, 6000] {
                let wanted = |row: usize| row % every == every - 1;
                let rows = || positions.iter().enumerate().filter(|(row, _)| wanted(*row)).map(|(_, p)| p);
                let expected = rows().fold(None, |bounds: Option<(Vec3, Vec3)>, p| {
                    Some(bounds.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
                });
                assert_eq!(box_of(&Serial, &positions, &wanted), Some(expected), "{count} {every}");
            }
        }
        let mut odd = Vec3Columns::default();
        [Vec3::ONE, Vec3::new(0.0, f32::NAN, 0.0)].into_iter().for_each(|p| odd.push(p));
        assert_eq!(box_of(&Serial, &odd, &|_| true), None);
        assert_eq!(box_of(&Serial, &odd, &|row| row == 0), Some(Some((Vec3::ONE, Vec3::ONE))));
    }
}
