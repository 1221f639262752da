//! The ways to add from many particles to one grid, behind one interface: [`Scatter`]. All but one have the
//! same bits on any number of workers. Which one is quickest where: `docs/scatter.md`.

mod slabs;
mod sorted;

pub use slabs::{for_each_slab_mut, for_each_slab_strip_mut};

use crate::{AtomicF32, Executor, chunk_range, for_each_chunk, for_each_chunk_mut};
use sorted::{Sorted, rows_of};
use std::sync::atomic::Ordering;

/// How particles add to the cells of a grid that several of them share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scatter {
    /// The calling thread alone, particle by particle: the order that all others are measured against.
    Serial,
    /// Every addition is a compare-and-swap on the grid (Gourlay, part 14). **Unordered**: other bits from
    /// run to run.
    Atomic,
    /// A few grids, each the sum of one range of particles, added up in order. How many is a matter of the
    /// sizes, never of workers.
    PrivateGrids,
    /// Particles sorted by slabs of cells. A slab is one task; even slabs come first, then odd ones, so that
    /// no two meet.
    ColouredSlabs,
    /// As [`ColouredSlabs`](Self::ColouredSlabs), and sorted by cell within a slab: particles that share
    /// their cells are summed up first, and added to the grid once.
    SortedSegments,
}

/// What a cell holds: `f32`, or a small vector `[f32; N]`.
pub trait Addend: Copy + Send + Sync + 'static {
    /// The empty sum.
    const ZERO: Self;
    /// Floats in one cell.
    const LANES: usize;
    /// Adds lane by lane, in place: a vector that is returned goes through memory on its way.
    fn accumulate(&mut self, other: Self);
    /// One lane.
    fn lane(&self, lane: usize) -> f32;
    /// All cells' lanes, one after the other.
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

/// What particles add to a grid: up to `K` times a value to a cell, for each.
///
/// A closure `|particle| [(cell, value); K]` is one. Where speed counts, implement the trait, with
/// `#[inline(always)]`: then no list is made, and a caller that asks for the cells alone does not pay for
/// values.
pub trait Contributions<T, const K: usize>: Sync {
    /// Calls `add(cell, value)` for each contribution of a particle, always the same ones in the same order.
    fn visit(&self, particle: usize, add: impl FnMut(u32, T));
}

impl<T, const K: usize, F: Fn(usize) -> [(u32, T); K] + Sync> Contributions<T, K> for F {
    #[inline(always)]
    fn visit(&self, particle: usize, mut add: impl FnMut(u32, T)) {
        self(particle).into_iter().for_each(|(cell, value)| add(cell, value));
    }
}

/// Memory of scatters: it grows to what the largest one needs, and a steady caller never allocates again.
#[derive(Debug)]
pub struct ScatterMemory<T> {
    private: Vec<T>,
    sorted: Sorted,
}

// By hand: derived, it would ask for `T: Default`.
impl<T> Default for ScatterMemory<T> {
    fn default() -> Self {
        Self { private: Vec::new(), sorted: Sorted::default() }
    }
}

/// Particles that one task adds atomically.
const ATOMIC_CHUNK: usize = 256;
/// Private grids at most. More would feed more workers, and cost as much memory again; the sum of all is read
/// once in any case.
const MAX_PRIVATE_GRIDS: usize = 8;
/// Cells that one task sums over the private grids: 16 kB of vectors of four, which stay in the first cache.
const REDUCTION_CHUNK: usize = 1024;
/// Contributions below which [`Scatter::by_size`] stays serial.
const SERIAL_BELOW: usize = 1 << 16;
/// Cells up to which it takes private grids: with vectors of four, all of them are 64 MB.
const PRIVATE_UP_TO: usize = 1 << 19;
/// Cells from which it sorts by cell: a grid of vectors of four is then 32 MB, and neighbours one after the
/// other save waiting for memory.
const SEGMENTS_FROM: usize = 1 << 21;

impl Scatter {
    /// All, in the order of the enum.
    pub const ALL: [Self; 5] =
        [Self::Serial, Self::Atomic, Self::PrivateGrids, Self::ColouredSlabs, Self::SortedSegments];

    /// The way to add `contributions` per particle to `cells` cells, as measured in `docs/scatter.md`. A
    /// function of these sizes alone, not of workers or of a clock, so that a world has the same bits
    /// wherever it runs; never [`Atomic`](Self::Atomic).
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

    /// True if the bits of the sums depend neither on the number of workers nor on the order in which they
    /// run.
    pub fn is_deterministic(self) -> bool {
        self != Self::Atomic
    }

    /// A short name, for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::Atomic => "atomic",
            Self::PrivateGrids => "private grids",
            Self::ColouredSlabs => "coloured slabs",
            Self::SortedSegments => "sorted segments",
        }
    }

    /// Adds to `grid` what each of the `particles` contributes. Cells that the grid does not have are left
    /// out; `u32::MAX` is a good name for none.
    ///
    /// Contributions must be a function of the particle: the sorted ways ask for them twice, first for the
    /// cells. (What comes only the second time may be lost.) These ways are at their best if the cells of a
    /// particle are near one another in memory; if they are anywhere, one task does it all.
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

/// Adds to a cell of the part of a grid that begins at cell `first`.
#[inline(always)]
fn add_to<T: Addend>(cell: u32, value: T, first: usize, part: &mut [T]) {
    // Cells before the part wrap to ones far behind it.
    if let Some(sum) = part.get_mut((cell as usize).wrapping_sub(first)) {
        sum.accumulate(value);
    }
}

/// Row by row.
#[inline(always)]
fn add_rows<T: Addend, const K: usize>(
    rows: impl Iterator<Item = usize>,
    contributions: &impl Contributions<T, K>,
    first: usize,
    part: &mut [T],
) {
    rows.for_each(|row| contributions.visit(row, |cell, value| add_to(cell, value, first, part)));
}

/// As [`add_rows`]; neighbours that have the same cells are summed up before.
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
        // A list that is the beginning of the segment's may join it, too.
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
    // A private grid is cleared and read again, which is worth it if as many contributions come to it.
    let grids = (particles.saturating_mul(K) / cells).clamp(2, MAX_PRIVATE_GRIDS);
    let share = particles.div_ceil(grids);
    private.resize(grids * cells, T::ZERO);
    for_each_chunk_mut(exec, cells, private.as_mut_slice(), &|start, sums: &mut [T]| {
        sums.fill(T::ZERO);
        // The last grids of very few particles have none.
        add_rows(chunk_range(particles, share, start / cells), contributions, 0, sums);
    });
    for_each_chunk_mut(exec, REDUCTION_CHUNK, grid, &|start, part: &mut [T]| {
        for sums in private.chunks_exact(cells) {
            let sums = &sums[start..start + part.len()];
            part.iter_mut().zip(sums).for_each(|(sum, one)| sum.accumulate(*one));
        }
    });
}
