//! Which particles of a cloud a lattice is made for, and the box that these are in.

use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::Vec3Columns;
use glam::Vec3;

/// Which particles a box is fitted to, or are sorted into its nodes. Functions of the row are such, too.
pub trait Wanted {
    /// Tells for each row from `first` on whether its particle is one.
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

/// Rows that are marked together.
pub(super) const MARKED: usize = 64;

/// Rows that vectors hold.
const LANES: usize = 16;

/// Lowest and highest coordinates \[m\] of the wanted particles, none if there are none; None if a coordinate
/// is not a number.
pub(super) fn box_of(positions: &Vec3Columns, wanted: &impl Wanted) -> Option<Option<(Vec3, Vec3)>> {
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let mut all_numbers = true;
    run_in_vectors(
        InstructionSet::Auto,
        FindBox { positions, wanted, bounds: &mut bounds, all_numbers: &mut all_numbers },
    );
    let [low, high] = bounds.map(Vec3::from_array);
    all_numbers.then(|| low.cmple(high).all().then_some((low, high)))
}

struct FindBox<'a, W> {
    positions: &'a Vec3Columns,
    wanted: &'a W,
    bounds: &'a mut [[f32; 3]; 2],
    all_numbers: &'a mut bool,
}

impl<W: Wanted> VectorJob for FindBox<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { positions: Vec3Columns { x, y, z }, wanted, bounds: [low, high], all_numbers } = self;
        for first in (0..x.len()).step_by(MARKED) {
            let rows = first..x.len().min(first + MARKED);
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

/// Widens bounds by the marked values. False if one is not a number.
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

    #[test]
    fn the_box_of_marked_rows_is_theirs() {
        let random = Random::new(5);
        for count in [0, 1, 63, 64, 65, 1000] {
            let mut positions = Vec3Columns::default();
            (0..count as u64).for_each(|row| positions.push(100.0 * random.centred_vec3(row)));
            for every in [1, 2, 7, 5000] {
                let wanted = |row: usize| row % every == every - 1;
                let rows = || positions.iter().enumerate().filter(|(row, _)| wanted(*row)).map(|(_, p)| p);
                let expected = rows().fold(None, |bounds: Option<(Vec3, Vec3)>, p| {
                    Some(bounds.map_or((p, p), |(low, high)| (low.min(p), high.max(p))))
                });
                assert_eq!(box_of(&positions, &wanted), Some(expected), "{count} {every}");
            }
        }
        let mut odd = Vec3Columns::default();
        [Vec3::ONE, Vec3::new(0.0, f32::NAN, 0.0)].into_iter().for_each(|p| odd.push(p));
        assert_eq!(box_of(&odd, &|_| true), None);
        assert_eq!(box_of(&odd, &|row| row == 0), Some(Some((Vec3::ONE, Vec3::ONE))));
    }
}
