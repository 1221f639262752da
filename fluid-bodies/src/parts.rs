//! Loops over vortons in a few parts, each with its own sums, which are added in order.

use fluid_threads::{Columns, Executor, chunk_range, for_each_chunk_mut};
use std::ops::Range;

/// Maximum number of parts.
pub(crate) const MOST_PARTS: usize = 8;

/// Minimum number of vortons per part, except in the last one: some 20 µs of work.
const LEAST_PART: usize = 128;

/// The division of a number of rows into parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowParts {
    rows: usize,
    /// Rows of each part but the last.
    each: usize,
}

impl RowParts {
    pub(crate) fn of(rows: usize) -> Self {
        Self { rows, each: rows.div_ceil(MOST_PARTS).max(LEAST_PART) }
    }

    /// Returns the number of parts.
    pub(crate) fn count(self) -> usize {
        self.rows.div_ceil(self.each)
    }

    /// Returns the first row of each part, and the number of rows for those after the last.
    pub(crate) fn starts(self) -> [u32; MOST_PARTS + 1] {
        std::array::from_fn(|part| (part * self.each).min(self.rows) as u32)
    }

    /// Calls `body` for each part, with its rows and its sums, which start from the default. Returns the
    /// sums, added in the order of the parts.
    pub(crate) fn sum<T: Sum>(self, exec: &dyn Executor, body: impl Fn(Range<usize>, &mut T) + Sync) -> T {
        let none: &mut [()] = &mut [(); MOST_PARTS][..self.count()];
        self.sum_with(exec, none, |rows, sums, _| body(rows, sums))
    }

    /// As [`sum`](Self::sum), with `columns` of one element for each part.
    pub(crate) fn sum_with<T: Sum, C: Columns>(
        self,
        exec: &dyn Executor,
        columns: C,
        body: impl for<'a> Fn(Range<usize>, &mut T, C::Chunk<'a>) + Sync,
    ) -> T {
        let mut sums = [T::default(); MOST_PARTS];
        let sums = &mut sums[..self.count()];
        for_each_chunk_mut(exec, 1, (&mut *sums, columns), &|part, (sums, columns): (&mut [T], _)| {
            body(chunk_range(self.rows, self.each, part), &mut sums[0], columns);
        });
        sums.iter().fold(T::default(), |all, part| all.plus(part))
    }
}

/// Sums of a part.
pub(crate) trait Sum: Copy + Default + Send + 'static {
    /// Returns both together.
    fn plus(self, other: &Self) -> Self;
}

impl Sum for f64 {
    fn plus(self, other: &Self) -> Self {
        self + other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_threads::{Parts, Rows, Serial};

    /// Each row is in one part, and each part has elements of the columns to itself.
    #[test]
    fn parts_are_all_rows_in_order() {
        for rows in [0, 1, 127, 128, 129, 2000, 2048, 2049, 50_000] {
            let parts = RowParts::of(rows);
            let starts = parts.starts();
            let starts = &starts[..=parts.count()];
            let (mut marks, mut lens) = (vec![0_u32; rows], vec![0_u32; 2 * parts.count()]);
            let columns = (Parts::new(&mut marks, starts), Rows::new(&mut lens, 2));
            let sum = parts.sum_with(&Serial, columns, |range, sum: &mut f64, (marks, lens)| {
                assert_eq!(marks.len(), range.len());
                lens.fill(range.len() as u32);
                for (mark, row) in marks.iter_mut().zip(range) {
                    *mark += 1;
                    *sum += row as f64;
                }
            });
            assert!(marks.iter().all(|mark| *mark == 1));
            assert_eq!(lens.iter().sum::<u32>() as usize, 2 * rows);
            assert_eq!(sum, (0..rows).map(|row| row as f64).sum::<f64>());
            assert_eq!(
                sum,
                parts.sum(&Serial, |range, sum: &mut f64| *sum = range.map(|row| row as f64).sum())
            );
            assert!(parts.count() <= MOST_PARTS);
        }
    }
}
