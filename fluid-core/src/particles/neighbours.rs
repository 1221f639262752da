//! Cell lists: the neighbours of each particle. Space is cut into rows of cells along x, as wide as the
//! radius; particles are sorted by row and by x within it, so that all neighbours of sixteen successive
//! particles lie in nine contiguous runs. Nothing is sized by the extent of the cloud: a particle 10¹⁸ away
//! costs a row.

use crate::lanes::BLOCK;
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;

/// Particles per chunk of a loop over neighbours \[particles\]: some 30 µs of work. A block of targets does
/// not cross it.
pub(crate) const NEIGHBOUR_CHUNK: usize = 512;

/// Bins of x per radius \[1\]: finer ones trim the runs less than they cost in sorting.
const BINS: i64 = 16;

/// Bins and rows are that far from the origin at most: two different floats beyond it are farther apart than
/// the radius.
const FARTHEST: f64 = (1 << 30) as f64;

/// Share by which cells are wider than the radius \[1\]: more than rounding can move a particle, so that no
/// neighbour is missed.
const WIDENING: f64 = 1e-6;

/// Particles for which one task finds cells \[particles\].
const SORTED: usize = 2048;

/// Particles in the mean of the blocks for which there is memory \[particles\]. Clouds that fill a volume
/// have 13 to 15; of a cloud that has fewer, the blocks of some chunks are cut anew at each look.
const KEPT_PER_BLOCK: usize = 8;

/// Most bits of a digit in the radix sort: its counts fit into the first-level cache.
const DIGIT_BITS: u32 = 11;

/// Up to [`BLOCK`] successive particles of one row, and where their neighbours are; all indices count in
/// sorted order.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    first: u32,
    len: u32,
    /// One run for each of the nine rows around; empty where there is no such row.
    runs: [[u32; 2]; 9],
}

impl Block {
    /// The particles.
    #[inline(always)]
    pub(crate) fn targets(&self) -> Range<usize> {
        self.first as usize..(self.first + self.len) as usize
    }

    /// Runs of particles among which all neighbours are, in ascending order.
    #[inline(always)]
    pub(crate) fn sources(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs.into_iter().map(|[start, end]| start as usize..end as usize)
    }
}

/// Particles sorted by place, in blocks: about 30 bytes for each. Scratch that the terms of the vorticity
/// equation use one after the other; each sorts the particles anew.
#[derive(Debug, Clone, Default)]
pub struct Neighbours {
    /// In sorted order: row, bin of x and number of each particle.
    entries: Vec<u64>,
    layout: Layout,
    /// Keys of the rows. The other half of `entries` while they are sorted.
    rows: Vec<u64>,
    /// Where they begin, and behind the last.
    row_starts: Vec<u32>,
    /// Of the first chunks, as far as there is memory for them.
    blocks: Vec<Block>,
    chunk_blocks: Vec<u32>,
}

/// Bits of an entry, lowest first: the particle, its bin, and its row (y, then z). Where these are more than
/// 64, particle and bin have 32 each, and rows are found from the places.
#[derive(Debug, Clone, Copy, Default)]
struct Layout {
    particle: u32,
    bin: u32,
    y: u32,
    z: u32,
}

impl Layout {
    /// For values up to these.
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

    /// Of an entry that holds it.
    fn row_of(&self, entry: u64) -> u64 {
        let row = entry >> (self.particle + self.bin);
        row_key((row >> self.y) as u32, (row & ((1 << self.y) - 1)) as u32)
    }
}

/// The cells of places, counted from the lowest.
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

    /// z, y, and bin of x.
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

/// The cell along an axis, `per` cells to a metre. An offset of 2³⁰ makes all of them positive; unsigned,
/// their order is that of the places.
#[inline]
fn index(v: f32, per: f64) -> u32 {
    let cells = (f64::from(v) * per).clamp(-FARTHEST, FARTHEST);
    // Cutting off is an instruction where `floor` is a function.
    let cut = cells as i32;
    (cut - i32::from(f64::from(cut) > cells)).wrapping_add(1 << 30) as u32
}

impl Neighbours {
    /// Makes room for `capacity` particles.
    pub fn reserve(&mut self, capacity: usize) {
        make_room(&mut self.entries, capacity);
        make_room(&mut self.rows, capacity);
        make_room(&mut self.row_starts, capacity + 1);
        make_room(&mut self.blocks, most_blocks(capacity));
        make_room(&mut self.chunk_blocks, capacity.div_ceil(NEIGHBOUR_CHUNK) + 1);
    }

    /// Number of sorted particles.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Which particle is at place `i` of the sorted order.
    #[inline(always)]
    pub(crate) fn particle(&self, i: usize) -> usize {
        self.layout.particle_of(self.entries[i])
    }

    /// Blocks of the chunk of [`NEIGHBOUR_CHUNK`] sorted particles that starts at `start`.
    pub(crate) fn blocks(&self, start: usize) -> impl Iterator<Item = Block> + '_ {
        let (kept, end) = match self.chunk_blocks.get(start / NEIGHBOUR_CHUNK..start / NEIGHBOUR_CHUNK + 2) {
            Some(&[first, end]) => (&self.blocks[first as usize..end as usize], start),
            _ => (&[][..], (start + NEIGHBOUR_CHUNK).min(self.len())),
        };
        let cut = Cut::new(self, start..end).map(|mut block| {
            trim(&mut block, &self.entries, self.layout);
            block
        });
        kept.iter().copied().chain(cut)
    }

    /// Sorts these particles, which have finite places. Afterwards every two of them that are closer than
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

    /// By z, then y, then x; particles that share a bin stay in the caller's order.
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

    /// Blocks of as many chunks as there is memory for.
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
                let cut = Cut::new(self, start..(start + NEIGHBOUR_CHUNK).min(self.len()));
                for (block, mut new) in blocks.iter_mut().zip(cut) {
                    trim(&mut new, &self.entries, self.layout);
                    *block = new;
                }
            },
        );
        (self.blocks, self.chunk_blocks) = (blocks, chunk_blocks);
    }

    /// Number of blocks into which these particles are cut. `row` is that of the first, and becomes that of
    /// the one behind the last.
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

    /// The nine rows around this one, whole.
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

/// Cuts sorted particles into blocks with whole rows for runs: they end with their row, or when they are
/// full.
struct Cut<'a> {
    neighbours: &'a Neighbours,
    particles: Range<usize>,
    row: usize,
    runs: [[u32; 2]; 9],
}

impl<'a> Cut<'a> {
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

impl Iterator for Cut<'_> {
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

/// Cuts each run down to what is within a radius along x.
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

/// Blocks that are kept of so many particles.
fn most_blocks(particles: usize) -> usize {
    particles.div_ceil(KEPT_PER_BLOCK)
}

fn row_key(z: u32, y: u32) -> u64 {
    u64::from(z) << 32 | u64::from(y)
}

/// Bits of numbers up to this one.
fn bits(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

/// Sorts entries by these bits of their values, lowest digit first. Stable.
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

fn make_room<T>(column: &mut Vec<T>, capacity: usize) {
    column.reserve(capacity.saturating_sub(column.len()));
}

#[cfg(test)]
#[path = "neighbours_tests.rs"]
mod tests;
