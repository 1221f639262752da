//! Cell lists: the neighbours of each particle. Space is cut into rows of cells along x, as wide as the radius; particles
//! are sorted by row and by x within it, so that all neighbours of sixteen successive particles lie in nine
//! contiguous runs. Nothing is sized by the extent of the cloud: a particle 10¹⁸ away costs a row.

use crate::lanes::BLOCK;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;

/// Particles per chunk of a loop over neighbours \[particles\]: some 30 µs of work. A block of targets does
/// not cross it.
pub(crate) const NEIGHBOUR_CHUNK: usize = 512;

/// Bins of x per radius \[1\]: finer ones trim the runs less than they cost in sorting.
const BINS: i64 = 16;

/// Bins and rows are that far from the origin at most: two different floats beyond it are farther apart than
/// the radius.
const FARTHEST: i64 = 1 << 30;

/// Share by which cells are wider than the radius \[1\]: more than rounding can move a particle, so that no
/// neighbour is missed.
const WIDENING: f64 = 1e-6;

/// Blocks per chunk when runs are cut to length \[blocks\].
const BLOCK_CHUNK: usize = 64;

/// Where a particle is: bin along x, row along y and z, counted from the lowest, and which particle it is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// z, y, x: most significant first.
    cell: [u32; 3],
    particle: u32,
}

/// Up to [`BLOCK`] successive particles of one row, and where their neighbours are; all indices count in
/// sorted order.
#[derive(Debug, Clone, Copy)]
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

/// Particles sorted by place, in blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbours {
    places: Vec<Place>,
    swap: Vec<Place>,
    bins: Vec<u32>,
    row_keys: Vec<u64>,
    row_starts: Vec<u32>,
    blocks: Vec<Block>,
    chunk_blocks: Vec<u32>,
}

impl Neighbours {
    /// Makes room for `capacity` particles.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        let chunks = capacity.div_ceil(NEIGHBOUR_CHUNK);
        self.places.reserve(capacity);
        self.swap.reserve(capacity);
        self.bins.reserve(capacity);
        self.row_keys.reserve(capacity);
        self.row_starts.reserve(capacity + 1);
        self.blocks.reserve(capacity + chunks);
        self.chunk_blocks.reserve(chunks + 1);
    }

    /// Number of sorted particles.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Which particle is at place `i` of the sorted order.
    #[inline]
    pub(crate) fn particle(&self, i: usize) -> usize {
        self.places[i].particle as usize
    }

    /// Blocks of the chunk of [`NEIGHBOUR_CHUNK`] sorted particles that starts at `start`.
    pub(crate) fn blocks(&self, start: usize) -> &[Block] {
        let chunk = start / NEIGHBOUR_CHUNK;
        &self.blocks[self.chunk_blocks[chunk] as usize..self.chunk_blocks[chunk + 1] as usize]
    }

    /// Sorts these particles, given with their finite positions. Afterwards every two of them that are closer
    /// than `radius` are in each other's runs.
    pub(crate) fn sort(
        &mut self,
        exec: &dyn Executor,
        radius: f32,
        particles: impl Iterator<Item = (usize, Vec3)>,
    ) {
        self.place(radius, particles);
        self.sort_places();
        self.bins.clear();
        self.bins.extend(self.places.iter().map(|place| place.cell[2]));
        self.cut_rows();
        self.cut_blocks();
        let (blocks, bins) = (&mut self.blocks, &self.bins);
        for_each_chunk_mut(exec, BLOCK_CHUNK, blocks.as_mut_slice(), &|_, blocks: &mut [Block]| {
            blocks.iter_mut().for_each(|block| trim(block, bins));
        });
    }

    fn place(&mut self, radius: f32, particles: impl Iterator<Item = (usize, Vec3)>) {
        // In f64, where rounding cannot move a particle by a cell's WIDENING.
        let per_row = 1.0 / (f64::from(radius) * (1.0 + WIDENING));
        let per_bin = BINS as f64 * per_row;
        // An offset of 2³⁰ makes all of them positive; unsigned, their order is that of the places.
        let index = |v: f32, per: f64| {
            (((f64::from(v) * per).floor() as i64).clamp(-FARTHEST, FARTHEST) + FARTHEST) as u32
        };
        self.places.clear();
        let mut lowest = [u32::MAX; 3];
        for (particle, at) in particles {
            let cell = [index(at.z, per_row), index(at.y, per_row), index(at.x, per_bin)];
            lowest = std::array::from_fn(|axis| lowest[axis].min(cell[axis]));
            self.places.push(Place { cell, particle: particle as u32 });
        }
        // Counted from the lowest, most digits are the same for all and need no sorting.
        for place in &mut self.places {
            place.cell = std::array::from_fn(|axis| place.cell[axis] - lowest[axis]);
        }
    }

    /// Radix sort, a byte at a time, by x, then y, then z. Stable: what shares a bin stays in the caller's
    /// order.
    fn sort_places(&mut self) {
        for axis in [2, 1, 0] {
            for shift in [0, 8, 16, 24] {
                let digit = |place: &Place| (place.cell[axis] >> shift) as usize & 0xff;
                let mut starts = [0_u32; 257];
                self.places.iter().for_each(|place| starts[digit(place) + 1] += 1);
                if starts.contains(&(self.places.len() as u32)) {
                    continue;
                }
                (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
                self.swap.resize(self.places.len(), Place::default());
                for place in &self.places {
                    let start = &mut starts[digit(place)];
                    self.swap[*start as usize] = *place;
                    *start += 1;
                }
                std::mem::swap(&mut self.places, &mut self.swap);
            }
        }
    }

    fn cut_rows(&mut self) {
        self.row_keys.clear();
        self.row_starts.clear();
        for (i, place) in self.places.iter().enumerate() {
            let key = row_key(place.cell[0], place.cell[1]);
            if self.row_keys.last() != Some(&key) {
                self.row_keys.push(key);
                self.row_starts.push(i as u32);
            }
        }
        self.row_starts.push(self.places.len() as u32);
    }

    /// Blocks end with their row, with their chunk, or when they are full.
    fn cut_blocks(&mut self) {
        self.blocks.clear();
        self.chunk_blocks.clear();
        for row in 0..self.row_keys.len() {
            let runs = self.rows_around(self.row_keys[row]);
            let (mut first, end) = (self.row_starts[row], self.row_starts[row + 1]);
            while first < end {
                let into_chunk = first as usize % NEIGHBOUR_CHUNK;
                if into_chunk == 0 {
                    self.chunk_blocks.push(self.blocks.len() as u32);
                }
                let len = ((end - first) as usize).min(BLOCK).min(NEIGHBOUR_CHUNK - into_chunk) as u32;
                self.blocks.push(Block { first, len, runs });
                first += len;
            }
        }
        self.chunk_blocks.push(self.blocks.len() as u32);
    }

    /// The nine rows around this one, whole.
    fn rows_around(&self, key: u64) -> [[u32; 2]; 9] {
        let (z, y) = ((key >> 32) as i64, (key & 0xffff_ffff) as i64);
        std::array::from_fn(|i| {
            let (z, y) = (z + i as i64 / 3 - 1, y + i as i64 % 3 - 1);
            // Rows count from 0 to 2³¹, so that only -1 is outside.
            let key = (z >= 0 && y >= 0).then(|| row_key(z as u32, y as u32));
            match key.and_then(|key| self.row_keys.binary_search(&key).ok()) {
                Some(row) => [self.row_starts[row], self.row_starts[row + 1]],
                None => [0, 0],
            }
        })
    }
}

fn row_key(z: u32, y: u32) -> u64 {
    u64::from(z) << 32 | u64::from(y)
}

/// Cuts each run down to what is within a radius along x.
fn trim(block: &mut Block, bins: &[u32]) {
    let targets = block.targets();
    let low = bins[targets.start].saturating_sub(BINS as u32);
    let high = bins[targets.end - 1].saturating_add(BINS as u32);
    for [start, end] in &mut block.runs {
        let run = &bins[*start as usize..*end as usize];
        let (skip, keep) = (run.partition_point(|&bin| bin < low), run.partition_point(|&bin| bin <= high));
        (*start, *end) = (*start + skip as u32, *start + keep as u32);
    }
}
