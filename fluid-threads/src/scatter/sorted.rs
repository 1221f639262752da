//! Particles sorted by the cells to which they add, in parallel and stably: the order is a function of
//! their cells alone.

use super::{Addend, Contributions, for_each_slab_mut};
use crate::{Executor, chunk_count, chunk_range, for_each_chunk_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// Particles per task of counting and sorting.
const SORT_CHUNK: usize = 4096;
/// Largest number of slabs: enough to occupy many workers in each of two colours, few enough that their
/// counts stay in the first-level cache.
const MAX_SLABS: usize = 64;
/// Key of a particle that adds to no cell.
const NO_SLAB: u32 = u32::MAX;

/// Returns the particles in a part of the order.
#[inline(always)]
pub(super) fn rows_of(rows: &[AtomicU32]) -> impl Iterator<Item = usize> + Clone {
    rows.iter().map(|row| row.load(Ordering::Relaxed) as usize)
}

/// Particles sorted by slab, and optionally by cell.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// Midpoint of each particle's range of cells.
    keys: Vec<u32>,
    /// For each chunk of particles and each slab: the number of particles, then the position of the next
    /// one.
    tables: Vec<u32>,
    /// Particles by slab. Atomic, so that chunks can write their entries without `unsafe`: no entry is
    /// written twice, and a relaxed store is a plain store.
    rows: Vec<AtomicU32>,
    /// Particles by cell.
    rows_by_cell: Vec<AtomicU32>,
    by_cell: bool,
    /// Index in `rows` of the first particle of each slab, and the end of the last slab.
    starts: Vec<usize>,
    /// Number of particles of each cell, then the position of the next one.
    counts: Vec<u32>,
    /// Cells per slab, and the distance by which its particles reach beyond it.
    slab: usize,
    halo: usize,
}

impl Sorted {
    /// Sorts by slab; particles of a slab keep their order. A slab is at least as long as the reach of the
    /// widest particle.
    pub(super) fn sort_by_slab<T: Addend, const K: usize>(
        &mut self,
        exec: &dyn Executor,
        particles: usize,
        contributions: &impl Contributions<T, K>,
        cells: usize,
    ) {
        // The maximum of integers does not depend on the order.
        let widest = AtomicU32::new(0);
        self.keys.resize(particles, 0);
        for_each_chunk_mut(exec, SORT_CHUNK, self.keys.as_mut_slice(), &|start, keys: &mut [u32]| {
            let mut span = 0;
            for (i, key) in keys.iter_mut().enumerate() {
                let (mut low, mut high) = (u32::MAX, 0);
                contributions.visit(start + i, |cell, _| (low, high) = (low.min(cell), high.max(cell)));
                if high as usize >= cells {
                    // Some are outside the grid: repeat with the others.
                    (low, high) = (u32::MAX, 0);
                    contributions.visit(start + i, |cell, _| {
                        if (cell as usize) < cells {
                            (low, high) = (low.min(cell), high.max(cell));
                        }
                    });
                }
                *key = if low > high { NO_SLAB } else { low + (high - low) / 2 };
                span = span.max(high.saturating_sub(low));
            }
            widest.fetch_max(span, Ordering::Relaxed);
        });
        self.halo = (widest.into_inner() as usize).div_ceil(2);
        self.slab = (2 * self.halo).max(cells.div_ceil(MAX_SLABS));

        let (keys, slab, slabs) = (&self.keys, self.slab as u32, chunk_count(cells, self.slab));
        self.tables.clear();
        self.tables.resize(chunk_count(particles, SORT_CHUNK) * slabs, 0);
        let chunk_keys = |start: usize| {
            let range = chunk_range(particles, SORT_CHUNK, start / slabs);
            // In 32 bits, because processors divide them several times as fast.
            range.filter(|row| keys[*row] != NO_SLAB).map(|row| (row, (keys[row] / slab) as usize))
        };
        for_each_chunk_mut(exec, slabs, self.tables.as_mut_slice(), &|start, table: &mut [u32]| {
            chunk_keys(start).for_each(|(_, slab)| table[slab] += 1);
        });
        let mut sum = 0;
        self.starts.clear();
        for slab in 0..slabs {
            self.starts.push(sum as usize);
            for place in self.tables[slab..].iter_mut().step_by(slabs) {
                let count = std::mem::replace(place, sum);
                sum += count;
            }
        }
        self.starts.push(sum as usize);
        self.rows.resize_with(particles.max(self.rows.len()), AtomicU32::default);
        let rows = &self.rows;
        for_each_chunk_mut(exec, slabs, self.tables.as_mut_slice(), &|start, table: &mut [u32]| {
            for (row, slab) in chunk_keys(start) {
                rows[table[slab] as usize].store(row as u32, Ordering::Relaxed);
                table[slab] += 1;
            }
        });
        self.by_cell = false;
    }

    /// Sorts the particles of each slab by the midpoint of their cells; particles with the same midpoint
    /// keep their order.
    pub(super) fn sort_by_cell(&mut self, exec: &dyn Executor, cells: usize) {
        self.rows_by_cell.resize_with(self.rows.len(), AtomicU32::default);
        self.counts.resize(cells, 0);
        self.by_cell = true;
        let Self { keys, rows, rows_by_cell, starts, counts, slab: slab_len, .. } = self;
        let slab_len = *slab_len;
        for_each_chunk_mut(exec, slab_len, counts.as_mut_slice(), &|first, counts: &mut [u32]| {
            let slab = first / slab_len;
            let rows = &rows[starts[slab]..starts[slab + 1]];
            counts.fill(0);
            rows_of(rows).for_each(|row| counts[keys[row] as usize - first] += 1);
            let mut sum = starts[slab] as u32;
            for place in counts.iter_mut() {
                let count = std::mem::replace(place, sum);
                sum += count;
            }
            for row in rows_of(rows) {
                let place = &mut counts[keys[row] as usize - first];
                rows_by_cell[*place as usize].store(row as u32, Ordering::Relaxed);
                *place += 1;
            }
        });
    }

    /// Calls `body(rows, first, part)` for each slab, with its particles in order ([`rows_of`]) and the
    /// part of the grid within their reach, which begins at cell `first`.
    pub(super) fn for_each_slab<T: Addend>(
        &self,
        exec: &dyn Executor,
        grid: &mut [T],
        body: &(impl Fn(&[AtomicU32], usize, &mut [T]) + Sync),
    ) {
        let rows = if self.by_cell { &self.rows_by_cell } else { &self.rows };
        for_each_slab_mut(exec, grid, 1, (self.slab, self.halo), &|slab, first, part| {
            body(&rows[self.starts[slab]..self.starts[slab + 1]], first, part);
        });
    }
}
