//! Parallel scatter-add strategies from many particles to one grid, behind one interface: [`Scatter`]. All
//! but one give the same bits on any number of workers. `docs/scatter.md` tells which one is fastest for
//! which sizes.

mod slabs;
mod sorted;

pub use slabs::{for_each_slab_mut, for_each_slab_strip_mut};

use crate::{AtomicF32, Executor, chunk_range, for_each_chunk, for_each_chunk_mut};
use sorted::{Sorted, rows_of};
use std::sync::atomic::Ordering;

/// Scatter-add strategy: how particles add to the cells of a grid when several of them add to the same
/// cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scatter {
    /// On the calling thread, particle by particle: the reference order for all others.
    Serial,
    /// Every addition is a compare-and-swap on the grid (Gourlay, part 14). **Unordered**: different bits
    /// from run to run.
    Atomic,
    /// A few grids, each the sum of one range of particles, added up in order. Their number depends on the
    /// sizes, never on workers.
    PrivateGrids,
    /// Particles sorted by slabs of cells. A slab is one task; even slabs run first, then odd ones, so that
    /// no two that run together overlap.
    ColouredSlabs,
    /// Like [`ColouredSlabs`](Self::ColouredSlabs), with particles also sorted by cell within a slab:
    /// consecutive particles with the same cells are summed first, and added to the grid once.
    SortedSegments,
}

/// Value of a cell: `f32`, or a small vector `[f32; N]`.
pub trait Addend: Copy + Send + Sync + 'static {
    /// Zero.
    const ZERO: Self;
    /// Number of floats in one cell.
    const LANES: usize;
    /// Adds lane by lane, in place, because a returned vector would go through memory.
    fn accumulate(&mut self, other: Self);
    /// Returns one lane.
    fn lane(&self, lane: usize) -> f32;
    /// Returns all cells' lanes, one after the other.
    fn lanes(cells: &mut [Self]) -> &mut [f32];
}

impl Addend for f32 {
    const ZERO: Self = 0.0;
    const LANES: usize = 1;
    #[inline(always)]
    fn accumulate(&mut self, other: Self) {
        *self += other;
    }
    #[inline(always)]
    fn lane(&self, _: usize) -> f32 {
        *self
    }
    fn lanes(cells: &mut [Self]) -> &mut [f32] {
        cells
    }
}

impl<const N: usize> Addend for [f32; N] {
    const ZERO: Self = [0.0; N];
    const LANES: usize = N;
    #[inline(always)]
    fn accumulate(&mut self, other: Self) {
        self.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> f32 {
        self[lane]
    }
    fn lanes(cells: &mut [Self]) -> &mut [f32] {
        cells.as_flattened_mut()
    }
}

/// Contributions of particles to a grid: up to `K` values per particle, each for one cell.
///
/// Implemented by closures `|particle| [(cell, value); K]`. Where speed matters, implement the trait with
/// `#[inline(always)]`: then no list is made, and a caller that needs only the cells does not pay for
/// values.
pub trait Contributions<T, const K: usize>: Sync {
    /// Calls `add(cell, value)` for each contribution of a particle, always the same contributions in the
    /// same order.
    fn visit(&self, particle: usize, add: impl FnMut(u32, T));
}

impl<T, const K: usize, F: Fn(usize) -> [(u32, T); K] + Sync> Contributions<T, K> for F {
    #[inline(always)]
    fn visit(&self, particle: usize, mut add: impl FnMut(u32, T)) {
        self(particle).into_iter().for_each(|(cell, value)| add(cell, value));
    }
}

/// Scratch memory of scatters: grows to the needs of the largest one, so repeated scatters do not allocate.
#[derive(Debug)]
pub struct ScatterMemory<T> {
    private: Vec<T>,
    sorted: Sorted,
}

// By hand: the derive would require `T: Default`.
impl<T> Default for ScatterMemory<T> {
    fn default() -> Self {
        Self { private: Vec::new(), sorted: Sorted::default() }
    }
}

/// Particles per task of the atomic scatter.
const ATOMIC_CHUNK: usize = 256;
/// Largest number of private grids. More would occupy more workers, at the cost of as much memory again;
/// the sum of all is read once in any case.
const MAX_PRIVATE_GRIDS: usize = 8;
/// Cells per task of the sum over the private grids: 16 kB of vectors of four, which stay in the
/// first-level cache.
const REDUCTION_CHUNK: usize = 1024;
/// Contributions below which [`Scatter::by_size`] stays serial.
const SERIAL_BELOW: usize = 1 << 16;
/// Largest number of cells for private grids: with vectors of four, all of them take 64 MB.
const PRIVATE_UP_TO: usize = 1 << 19;
/// Number of cells from which particles are sorted by cell: a grid of vectors of four then takes 32 MB, and
/// visiting neighbours in order reduces waits for memory.
const SEGMENTS_FROM: usize = 1 << 21;

impl Scatter {
    /// All strategies, in the order of the enum.
    pub const ALL: [Self; 5] =
        [Self::Serial, Self::Atomic, Self::PrivateGrids, Self::ColouredSlabs, Self::SortedSegments];

    /// Selects the strategy for adding `contributions` per particle to `cells` cells, from measurements in
    /// `docs/scatter.md`. A function of these sizes alone, not of workers or of a clock, so that a world
    /// has the same bits on every machine; never [`Atomic`](Self::Atomic).
    pub fn by_size(particles: usize, contributions: usize, cells: usize) -> Self {
        let additions = particles.saturating_mul(contributions);
        if additions < SERIAL_BELOW {
            Self::Serial
        } else if cells <= PRIVATE_UP_TO && additions >= 2 * cells {
            Self::PrivateGrids
        } else if cells < SEGMENTS_FROM {
            Self::ColouredSlabs
        } else {
            Self::SortedSegments
        }
    }

    /// Returns true if the bits of the sums depend neither on the number of workers nor on their order of
    /// execution.
    pub fn is_deterministic(self) -> bool {
        self != Self::Atomic
    }

    /// Returns a short name, for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Atomic => "atomic",
            Self::PrivateGrids => "private grids",
            Self::ColouredSlabs => "coloured slabs",
            Self::SortedSegments => "sorted segments",
        }
    }

    /// Adds the contributions of all `particles` to `grid`. Cells outside the grid are skipped; use
    /// `u32::MAX` for no cell.
    ///
    /// Contributions must be a function of the particle: the sorted strategies evaluate them twice, first
    /// for the cells. (A contribution that appears only the second time may be lost.) These strategies are
    /// fastest if the cells of a particle are close together in memory; if they are scattered over the
    /// grid, one task does all the work.
    pub fn add<T: Addend, const K: usize>(
        self,
        exec: &dyn Executor,
        particles: usize,
        contributions: &impl Contributions<T, K>,
        memory: &mut ScatterMemory<T>,
        grid: &mut [T],
    ) {
        if grid.is_empty() || particles == 0 || K == 0 {
            return;
        }
        let cells = grid.len();
        match self {
            Self::Serial => add_rows(0..particles, contributions, 0, grid),
            Self::Atomic => add_atomically(exec, particles, contributions, grid),
            Self::PrivateGrids => add_privately(exec, particles, contributions, &mut memory.private, grid),
            Self::ColouredSlabs => {
                memory.sorted.sort_by_slab(exec, particles, contributions, cells);
                memory.sorted.for_each_slab(exec, grid, &|rows, first, part| {
                    add_rows(rows_of(rows), contributions, first, part);
                });
            }
            Self::SortedSegments => {
                memory.sorted.sort_by_slab(exec, particles, contributions, cells);
                memory.sorted.sort_by_cell(exec, cells);
                memory.sorted.for_each_slab(exec, grid, &|rows, first, part| {
                    add_segments(rows_of(rows), contributions, first, part);
                });
            }
        }
    }
}

/// Adds to a cell, given the part of a grid that begins at cell `first`.
#[inline(always)]
fn add_to<T: Addend>(cell: u32, value: T, first: usize, part: &mut [T]) {
    // Indices of cells before the part wrap around and are out of range.
    if let Some(sum) = part.get_mut((cell as usize).wrapping_sub(first)) {
        sum.accumulate(value);
    }
}

/// Adds row by row.
#[inline(always)]
fn add_rows<T: Addend, const K: usize>(
    rows: impl Iterator<Item = usize>,
    contributions: &impl Contributions<T, K>,
    first: usize,
    part: &mut [T],
) {
    rows.for_each(|row| contributions.visit(row, |cell, value| add_to(cell, value, first, part)));
}

/// Like [`add_rows`], but consecutive rows with the same cells are summed first.
#[inline(always)]
fn add_segments<T: Addend, const K: usize>(
    rows: impl Iterator<Item = usize>,
    contributions: &impl Contributions<T, K>,
    first: usize,
    part: &mut [T],
) {
    let mut flush = |cells: &[u32; K], sums: &[T; K]| {
        cells.iter().zip(sums).for_each(|(cell, sum)| add_to(*cell, *sum, first, part));
    };
    let (mut cells, mut sums) = ([u32::MAX; K], [T::ZERO; K]);
    for row in rows {
        // A row with cells that are a prefix of the segment's may join it, too.
        let (mut known, mut same) = (cells.iter(), true);
        contributions.visit(row, |cell, _| same &= known.next() == Some(&cell));
        if !same {
            flush(&cells, &sums);
            (cells, sums) = ([u32::MAX; K], [T::ZERO; K]);
            let mut entries = cells.iter_mut();
            contributions.visit(row, |cell, _| _ = entries.next().map(|entry| *entry = cell));
        }
        let mut entries = sums.iter_mut();
        contributions.visit(row, |_, value| _ = entries.next().map(|sum| sum.accumulate(value)));
    }
    flush(&cells, &sums);
}

fn add_atomically<T: Addend, const K: usize>(
    exec: &dyn Executor,
    particles: usize,
    contributions: &impl Contributions<T, K>,
    grid: &mut [T],
) {
    let lanes = AtomicF32::from_mut_slice(T::lanes(grid));
    for_each_chunk(exec, particles, ATOMIC_CHUNK, &|range| {
        for row in range {
            contributions.visit(row, |cell, value| {
                let start = cell as usize * T::LANES;
                let Some(sums) = lanes.get(start..start + T::LANES) else { return };
                for (lane, sum) in sums.iter().enumerate() {
                    sum.fetch_add(value.lane(lane), Ordering::Relaxed);
                }
            });
        }
    });
}

fn add_privately<T: Addend, const K: usize>(
    exec: &dyn Executor,
    particles: usize,
    contributions: &impl Contributions<T, K>,
    private: &mut Vec<T>,
    grid: &mut [T],
) {
    let cells = grid.len();
    // A private grid is cleared and read again, which pays if it receives as many contributions as it has
    // cells.
    let grids = (particles.saturating_mul(K) / cells).clamp(2, MAX_PRIVATE_GRIDS);
    let share = particles.div_ceil(grids);
    private.resize(grids * cells, T::ZERO);
    for_each_chunk_mut(exec, cells, private.as_mut_slice(), &|start, sums: &mut [T]| {
        sums.fill(T::ZERO);
        // With very few particles the last grids receive none.
        add_rows(chunk_range(particles, share, start / cells), contributions, 0, sums);
    });
    for_each_chunk_mut(exec, REDUCTION_CHUNK, grid, &|start, part: &mut [T]| {
        for sums in private.chunks_exact(cells) {
            let sums = &sums[start..start + part.len()];
            part.iter_mut().zip(sums).for_each(|(sum, one)| sum.accumulate(*one));
        }
    });
}
