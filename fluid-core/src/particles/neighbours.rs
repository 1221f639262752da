//! Cell lists: the neighbours of each particle. Space is cut into rows of cells along x, as wide as the
//! radius; particles are sorted by row and by x within it, so that all neighbours of sixteen successive
//! particles lie in nine contiguous runs. Nothing is sized by the extent of the cloud: a particle 10¹⁸ away
//! costs a row.

use crate::lanes::BLOCK;
use crate::math::for_capacity;
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;

/// Particles per chunk of a loop over neighbours \[particles\]: some 30 µs of work. A block of targets does
/// not cross it.
pub(crate) const NEIGHBOUR_CHUNK: usize = 512;

/// Bins of x per radius \[1\]: finer bins would trim the runs by less than they add to the cost of sorting.
const BINS: i64 = 16;

/// Farthest that bins and rows are from the origin: beyond it, two different floats are farther apart than
/// the radius.
const FARTHEST_BIN: f64 = (1 << 30) as f64;

/// Fraction by which cells are wider than the radius \[1\]: more than the position error due to rounding,
/// so that no neighbour is missed.
const WIDENING: f64 = 1e-6;

/// Particles per task of the cell assignment \[particles\].
const SORTED: usize = 2048;

/// Mean particles per block for which memory is reserved \[particles\]. Clouds that fill a volume have 13
/// to 15; for a sparser cloud, the blocks of some chunks are recomputed on each access.
const KEPT_PER_BLOCK: usize = 8;

/// Largest number of bits of a digit in the radix sort: its counts fit into the first-level cache.
const DIGIT_BITS: u32 = 11;

/// Up to [`BLOCK`] successive particles of one row, and the runs that contain their neighbours. All indices
/// are in sorted order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    first: u32,
    len: u32,
    /// One run for each of the nine rows of the neighbourhood; empty if that row has no particles.
    runs: [[u32; 2]; 9],
}

impl Block {
    /// Returns the particles of the block.
    #[inline(always)]
    pub(crate) fn targets(&self) -> Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }

    /// Returns the runs of particles that contain all neighbours, in ascending order.
    #[inline(always)]
    pub(crate) fn sources(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs.into_iter().map(|[start, end]| start as usize..end as usize)
    }
}

/// Particles sorted by position, in blocks: about 30 bytes per particle. Scratch that the terms of the
/// vorticity equation use one after the other; each sorts the particles anew.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// In sorted order: row, bin of x and index of each particle.
    entries: Vec<u64>,
    layout: Layout,
    /// Keys of the rows. During the sort, the second buffer of `entries`.
    rows: Vec<u64>,
    /// Index of the first particle of each row, then the number of particles.
    row_starts: Vec<u32>,
    /// Blocks of the first chunks, as far as memory is reserved for them.
    blocks: Vec<Block>,
    chunk_blocks: Vec<u32>,
}

/// Bit widths of an entry's fields, lowest first: particle, bin, and row (y, then z). If their sum exceeds
/// 64, particle and bin have 32 each, and rows are computed from the positions.
#[derive(Debug, Clone, Copy, Default)]
struct Layout {
    particle: u32,
    bin: u32,
    y: u32,
    z: u32,
}

impl Layout {
    /// Computes the layout for values up to these.
    fn new(most_particle: usize, [z, y, bin]: [u32; 3]) -> Self {
        let narrow = Self { particle: bits(most_particle as u32), bin: bits(bin), y: bits(y), z: bits(z) };
        if narrow.all() <= u64::BITS { narrow } else { Self { particle: 32, bin: 32, y: 0, z: 0 } }
    }

    fn all(&self) -> u32 {
        self.particle + self.bin + self.y + self.z
    }

    fn holds_rows(&self) -> bool {
        self.y + self.z > 0
    }

    fn entry(&self, particle: u64, [z, y, bin]: [u32; 3]) -> u64 {
        let place = u64::from(bin) << self.particle | particle;
        if !self.holds_rows() {
            return place;
        }
        (u64::from(z) << self.y | u64::from(y)) << (self.particle + self.bin) | place
    }

    #[inline(always)]
    fn particle_of(&self, entry: u64) -> usize {
        (entry & ((1 << self.particle) - 1)) as usize
    }

    #[inline(always)]
    fn bin_of(&self, entry: u64) -> u32 {
        (entry >> self.particle & ((1 << self.bin) - 1)) as u32
    }

    /// Returns the row of an entry; requires a layout that holds rows.
    fn row_of(&self, entry: u64) -> u64 {
        let row = entry >> (self.particle + self.bin);
        row_key((row >> self.y) as u32, (row & ((1 << self.y) - 1)) as u32)
    }
}

/// Maps positions to cells, counted from the lowest.
struct CellsOfPlaces {
    per_row: f64,
    per_bin: f64,
    lowest: [u32; 3],
}

impl CellsOfPlaces {
    fn new(radius: f32, lowest: Vec3) -> Self {
        // In f64, where rounding cannot move a particle by a cell's WIDENING.
        let per_row = 1.0 / (f64::from(radius) * (1.0 + WIDENING));
        let mut cells = Self { per_row, per_bin: BINS as f64 * per_row, lowest: [0; 3] };
        cells.lowest = cells.of(lowest);
        cells
    }

    /// Returns z, y, and bin of x.
    #[inline]
    fn of(&self, place: Vec3) -> [u32; 3] {
        let [low_z, low_y, low_bin] = self.lowest;
        [
            index(place.z, self.per_row) - low_z,
            index(place.y, self.per_row) - low_y,
            index(place.x, self.per_bin) - low_bin,
        ]
    }
}

/// Returns the cell along an axis with `per` cells per metre. An offset of 2³⁰ makes all indices positive;
/// unsigned, they have the order of the positions.
#[inline]
fn index(v: f32, per: f64) -> u32 {
    let cells = (f64::from(v) * per).clamp(-FARTHEST_BIN, FARTHEST_BIN);
    // Truncation is one instruction; `floor` is a function call.
    let cut = cells as i32;
    (cut - i32::from(f64::from(cut) > cells)).wrapping_add(1 << 30) as u32
}

impl Neighbours {
    /// Reserves memory for `capacity` particles.
    pub fn reserve(&mut self, capacity: usize) {
        for_capacity(&mut self.entries, capacity);
        for_capacity(&mut self.rows, capacity);
        for_capacity(&mut self.row_starts, capacity + 1);
        for_capacity(&mut self.blocks, most_blocks(capacity));
        for_capacity(&mut self.chunk_blocks, capacity.div_ceil(NEIGHBOUR_CHUNK) + 1);
    }

    /// Returns the number of sorted particles.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the particle at index `i` of the sorted order.
    #[inline(always)]
    pub(crate) fn particle(&self, i: usize) -> usize {
        self.layout.particle_of(self.entries[i])
    }

    /// Returns the blocks of the chunk of [`NEIGHBOUR_CHUNK`] sorted particles that starts at `start`.
    pub(crate) fn blocks(&self, start: usize) -> impl Iterator<Item = Block> + '_ {
        let (kept, end) = match self.chunk_blocks.get(start / NEIGHBOUR_CHUNK..start / NEIGHBOUR_CHUNK + 2) {
            Some(&[first, end]) => (&self.blocks[first as usize..end as usize], start),
            _ => (&[][..], (start + NEIGHBOUR_CHUNK).min(self.len())),
        };
        let cut = BlockCutter::new(self, start..end).map(|mut block| {
            trim(&mut block, &self.entries, self.layout);
            block
        });
        kept.iter().copied().chain(cut)
    }

    /// Sorts these particles, which must have finite positions. Afterwards any two of them closer than
    /// `radius` are in each other's runs.
    pub(crate) fn sort(
        &mut self,
        exec: &dyn Executor,
        radius: f32,
        particles: impl Iterator<Item = usize>,
        place: impl Fn(usize) -> Vec3 + Sync,
    ) {
        self.entries.clear();
        let (mut low, mut high, mut last) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0);
        for particle in particles {
            let at = place(particle);
            (low, high, last) = (low.min(at), high.max(at), last.max(particle));
            self.entries.push(particle as u64);
        }
        if self.entries.is_empty() {
            self.chunk_blocks.clear();
            return;
        }
        let cells = CellsOfPlaces::new(radius, low);
        self.layout = Layout::new(last, cells.of(high));
        let layout = self.layout;
        for_each_chunk_mut(exec, SORTED, self.entries.as_mut_slice(), &|_, entries: &mut [u64]| {
            for entry in entries {
                *entry = layout.entry(*entry, cells.of(place(*entry as usize)));
            }
        });
        let cell = |entry: u64| cells.of(place(layout.particle_of(entry)));
        self.sort_entries(cells.of(high), &cell);
        self.cut_rows(&cell);
        self.cut_blocks(exec);
    }

    /// Sorts by z, then y, then x; particles in the same bin stay in the caller's order.
    fn sort_entries(&mut self, [most_z, most_y, _]: [u32; 3], cell: &impl Fn(u64) -> [u32; 3]) {
        let (entries, swap, layout) = (&mut self.entries, &mut self.rows, self.layout);
        radix_sort(entries, swap, layout.particle..layout.all(), |entry| entry);
        if !layout.holds_rows() {
            radix_sort(entries, swap, 0..bits(most_y), |entry| u64::from(cell(entry)[1]));
            radix_sort(entries, swap, 0..bits(most_z), |entry| u64::from(cell(entry)[0]));
        }
    }

    fn cut_rows(&mut self, cell: &impl Fn(u64) -> [u32; 3]) {
        let layout = self.layout;
        self.rows.clear();
        self.row_starts.clear();
        for (i, &entry) in self.entries.iter().enumerate() {
            let key = if layout.holds_rows() {
                layout.row_of(entry)
            } else {
                let [z, y, _] = cell(entry);
                row_key(z, y)
            };
            if self.rows.last() != Some(&key) {
                self.rows.push(key);
                self.row_starts.push(i as u32);
            }
        }
        self.row_starts.push(self.entries.len() as u32);
    }

    /// Cuts the blocks of as many chunks as memory is reserved for.
    fn cut_blocks(&mut self, exec: &dyn Executor) {
        let (mut blocks, mut chunk_blocks) =
            (std::mem::take(&mut self.blocks), std::mem::take(&mut self.chunk_blocks));
        chunk_blocks.clear();
        chunk_blocks.push(0);
        let (most, mut count, mut row) = (most_blocks(self.len()), 0, 0);
        for start in (0..self.len()).step_by(NEIGHBOUR_CHUNK) {
            count += self.count_blocks(start..(start + NEIGHBOUR_CHUNK).min(self.len()), &mut row);
            if count > most {
                break;
            }
            chunk_blocks.push(count as u32);
        }
        blocks.resize(chunk_blocks.last().map_or(0, |&count| count as usize), Block::default());
        for_each_chunk_mut(
            exec,
            1,
            Parts::new(&mut blocks, &chunk_blocks),
            &|chunk, blocks: &mut [Block]| {
                let start = chunk * NEIGHBOUR_CHUNK;
                let cut = BlockCutter::new(self, start..(start + NEIGHBOUR_CHUNK).min(self.len()));
                for (block, mut new) in blocks.iter_mut().zip(cut) {
                    trim(&mut new, &self.entries, self.layout);
                    *block = new;
                }
            },
        );
        (self.blocks, self.chunk_blocks) = (blocks, chunk_blocks);
    }

    /// Returns the number of blocks into which these particles are cut. `row` is the row of the first
    /// particle, and becomes the row of the particle after the last.
    fn count_blocks(&self, particles: Range<usize>, row: &mut usize) -> usize {
        let (mut at, mut count) = (particles.start, 0);
        while at < particles.end {
            let row_end = self.row_starts[*row + 1] as usize;
            let end = row_end.min(particles.end);
            count += (end - at).div_ceil(BLOCK);
            at = end;
            *row += usize::from(at == row_end);
        }
        count
    }

    /// Returns the runs of this row and its eight neighbours, untrimmed.
    fn rows_around(&self, key: u64) -> [[u32; 2]; 9] {
        let (z, y) = ((key >> 32) as i64, (key & 0xffff_ffff) as i64);
        let mut runs = [[0; 2]; 9];
        for plane in 0..3 {
            let z = z + plane as i64 - 1;
            // Rows count from 0 to 2³¹, so that only -1 is outside.
            if z < 0 {
                continue;
            }
            let first = row_key(z as u32, (y - 1).max(0) as u32);
            let last = row_key(z as u32, (y + 1) as u32);
            let from = self.rows.partition_point(|&row| row < first);
            for row in (from..self.rows.len()).take_while(|&row| self.rows[row] <= last) {
                let column = ((self.rows[row] & 0xffff_ffff) as i64 - (y - 1)) as usize;
                runs[3 * plane + column] = [self.row_starts[row], self.row_starts[row + 1]];
            }
        }
        runs
    }
}

/// Cuts sorted particles into blocks with untrimmed runs: a block ends with its row, or when it is full.
struct BlockCutter<'a> {
    neighbours: &'a Neighbours,
    particles: Range<usize>,
    row: usize,
    runs: [[u32; 2]; 9],
}

impl<'a> BlockCutter<'a> {
    fn new(neighbours: &'a Neighbours, particles: Range<usize>) -> Self {
        let mut cut = Self { neighbours, particles, row: 0, runs: [[0; 2]; 9] };
        if !cut.particles.is_empty() {
            let start = cut.particles.start as u32;
            cut.enter(neighbours.row_starts.partition_point(|&row| row <= start) - 1);
        }
        cut
    }

    fn enter(&mut self, row: usize) {
        (self.row, self.runs) = (row, self.neighbours.rows_around(self.neighbours.rows[row]));
    }
}

impl Iterator for BlockCutter<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if self.particles.is_empty() {
            return None;
        }
        let first = self.particles.start;
        if first == self.neighbours.row_starts[self.row + 1] as usize {
            self.enter(self.row + 1);
        }
        let row_end = self.neighbours.row_starts[self.row + 1] as usize;
        self.particles.start = row_end.min(self.particles.end).min(first + BLOCK);
        let len = (self.particles.start - first) as u32;
        Some(Block { first: first as u32, len, runs: self.runs })
    }
}

/// Trims each run to the particles within a radius along x.
fn trim(block: &mut Block, entries: &[u64], layout: Layout) {
    let targets = block.targets();
    let low = layout.bin_of(entries[targets.start]).saturating_sub(BINS as u32);
    let high = layout.bin_of(entries[targets.end - 1]).saturating_add(BINS as u32);
    for [start, end] in &mut block.runs {
        let run = &entries[*start as usize..*end as usize];
        let skip = run.partition_point(|&entry| layout.bin_of(entry) < low);
        let keep = run.partition_point(|&entry| layout.bin_of(entry) <= high);
        (*start, *end) = (*start + skip as u32, *start + keep as u32);
    }
}

/// Returns the number of blocks kept for this many particles.
fn most_blocks(particles: usize) -> usize {
    particles.div_ceil(KEPT_PER_BLOCK)
}

fn row_key(z: u32, y: u32) -> u64 {
    u64::from(z) << 32 | u64::from(y)
}

/// Returns the bits needed for numbers up to `most`.
fn bits(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

/// Sorts entries by the given bits of their values, lowest digit first. Stable.
fn radix_sort(entries: &mut Vec<u64>, swap: &mut Vec<u64>, bits: Range<u32>, value: impl Fn(u64) -> u64) {
    let passes = bits.len().div_ceil(DIGIT_BITS as usize) as u32;
    let width = (bits.len() as u32).div_ceil(passes.max(1));
    swap.resize(entries.len(), 0);
    for pass in 0..passes {
        let shift = bits.start + pass * width;
        let digit = |entry: u64| (value(entry) >> shift) as usize & ((1 << width) - 1);
        let mut starts = [0_u32; 1 << DIGIT_BITS];
        entries.iter().for_each(|&entry| starts[digit(entry)] += 1);
        let mut sum = 0;
        for start in &mut starts[..1 << width] {
            sum += *start;
            *start = sum - *start;
        }
        for &entry in entries.iter() {
            let start = &mut starts[digit(entry)];
            swap[*start as usize] = entry;
            *start += 1;
        }
        std::mem::swap(entries, swap);
    }
}

#[cfg(test)]
#[path = "neighbours_tests.rs"]
mod tests;
