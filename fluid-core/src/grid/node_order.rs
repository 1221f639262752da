//! Order of particles by their nearest nodes.

use super::GridShape;
use super::extent::BOX_SIZES;
use super::spline::Splines;
use super::wanted::{MARKED, Wanted};
use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::Vec3Columns;
use fluid_threads::{Executor, Parts, Rows, for_each_chunk_mut};
use glam::Vec3;
use std::ops::Range;
use std::slice::ChunksExact;

/// Rows of particles, sorted by nearest node. Particles with any of their 27 nodes outside of the grid are
/// left out.
#[derive(Debug, Clone, Default)]
pub struct NodeOrder {
    rows: Vec<u32>,
    /// Start of each plane of nodes in `rows`, and the end of the last.
    plane_starts: Vec<u32>,
    /// Node of each particle, or [`OUTSIDE_OF_BOX`] or [`UNWANTED`]; in whole chunks.
    nodes: Vec<u32>,
    /// For each chunk: the start of each plane among its rows sorted by plane, and the end of the last;
    /// then the number of wanted particles left out.
    chunk_starts: Vec<u16>,
}

/// Node of a particle that is not wanted.
const UNWANTED: u32 = u32::MAX;

/// Node of a particle that is wanted but left out.
const OUTSIDE_OF_BOX: u32 = UNWANTED - 1;

/// Number of particles that one task sorts by plane.
const PLANE_CHUNK: usize = 2048;

/// Number of planes with memory reserved in advance.
const MOST_PLANES: usize = BOX_SIZES[BOX_SIZES.len() - 1] as usize;

impl NodeOrder {
    /// Reserves memory for `particles`.
    pub fn reserve(&mut self, particles: usize) {
        let whole = particles.next_multiple_of(PLANE_CHUNK);
        self.rows.reserve(particles.saturating_sub(self.rows.len()));
        self.nodes.reserve(whole.saturating_sub(self.nodes.len()));
        let starts = whole / PLANE_CHUNK * (MOST_PLANES + 2);
        self.chunk_starts.reserve(starts.saturating_sub(self.chunk_starts.len()));
        self.plane_starts.reserve((MOST_PLANES + 1).saturating_sub(self.plane_starts.len()));
    }

    /// Returns the length of the work memory for sorting `particles` into the nodes of this shape.
    pub(crate) fn numbers_for(shape: &GridShape, particles: usize) -> usize {
        shape.len() + particles.next_multiple_of(PLANE_CHUNK)
    }

    /// Sorts the `wanted` particles: a stable counting sort, so the order is a function of positions and
    /// rows alone. Allocates work memory in each call.
    ///
    /// # Panics
    /// If a plane of the shape has more than 2^16 nodes.
    pub fn sort(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        positions: &Vec3Columns,
        wanted: impl Wanted + Sync,
    ) {
        let mut numbers = vec![0; Self::numbers_for(shape, positions.len())];
        self.sort_in(exec, &mut numbers, shape, positions, wanted);
    }

    /// As [`sort`](Self::sort), in work memory of length [`numbers_for`](Self::numbers_for), which is
    /// overwritten.
    pub(crate) fn sort_in(
        &mut self,
        exec: &dyn Executor,
        numbers: &mut [u32],
        shape: &GridShape,
        positions: &Vec3Columns,
        wanted: impl Wanted + Sync,
    ) {
        assert!(shape.plane_len() <= 1 << u16::BITS, "the node in its plane has 16 bits");
        let (counts, by_plane) = numbers.split_at_mut(shape.len());
        let by_plane = &mut by_plane[..positions.len().next_multiple_of(PLANE_CHUNK)];
        self.sort_by_plane(exec, by_plane, shape, positions, &wanted);
        let [_, _, planes] = shape.dims_usize();
        let tables = self.chunk_starts.chunks_exact(planes + 2);
        self.plane_starts.clear();
        self.plane_starts.push(0);
        for plane in 0..planes {
            let count: u32 = tables.clone().map(|starts| u32::from(starts[plane + 1] - starts[plane])).sum();
            self.plane_starts.push(self.plane_starts[plane] + count);
        }
        self.rows.resize(self.plane_starts[planes] as usize, 0);
        let columns =
            (Parts::new(&mut self.rows, &self.plane_starts), Rows::new(counts, shape.plane_len().max(1)));
        let sorted_chunks = SortedChunks { starts: tables, particles: by_plane };
        for_each_chunk_mut(exec, 1, columns, &|plane, (sorted, counts): (&mut [u32], &mut [u32])| {
            sorted_chunks.sort_plane(plane, counts, sorted);
        });
    }

    /// Finds the nodes of particles, and sorts the particles of each chunk by plane.
    fn sort_by_plane(
        &mut self,
        exec: &dyn Executor,
        by_plane: &mut [u32],
        shape: &GridShape,
        positions: &Vec3Columns,
        wanted: &(impl Wanted + Sync),
    ) {
        let ([_, _, planes], whole) = (shape.dims_usize(), positions.len().next_multiple_of(PLANE_CHUNK));
        self.nodes.resize(whole, UNWANTED);
        self.chunk_starts.resize(whole / PLANE_CHUNK * (planes + 2), 0);
        let splines = Splines::new(shape);
        let columns = (
            Rows::new(&mut self.nodes, PLANE_CHUNK),
            Rows::new(by_plane, PLANE_CHUNK),
            Rows::new(&mut self.chunk_starts, planes + 2),
        );
        for_each_chunk_mut(exec, 1, columns, &|chunk, (nodes, sorted, starts)| {
            let (nodes, sorted, starts): (&mut [u32], &mut [u32], &mut [u16]) = (nodes, sorted, starts);
            let (first, mut of_particles) = (chunk * PLANE_CHUNK, [0; PLANE_CHUNK]);
            let count = PLANE_CHUNK.min(positions.len() - first);
            let (nodes, unused) = nodes.split_at_mut(count);
            unused.fill(UNWANTED);
            let of_particles = &mut of_particles[..count];
            let job = FindNodes { splines, positions, wanted, first, nodes, planes: of_particles };
            run_in_vectors(InstructionSet::Auto, job);
            let of_shape = (shape.plane_len() as u32, &mut starts[..=planes]);
            sort_chunk(nodes, of_particles, sorted, of_shape);
            starts[planes + 1] = nodes.iter().map(|&node| u16::from(node == OUTSIDE_OF_BOX)).sum();
        });
    }

    /// Returns the number of wanted particles that are left out.
    pub(crate) fn left_out(&self) -> usize {
        let planes = self.plane_starts.len().saturating_sub(1);
        let tables = self.chunk_starts.chunks_exact(planes + 2);
        tables.map(|starts| usize::from(starts[planes + 1])).sum()
    }

    /// Returns all sorted rows.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the rows of particles with their nearest nodes in the rows of nodes `js` of a plane of the
    /// shape, in the order of these nodes.
    pub(super) fn rows_of_plane(&self, shape: &GridShape, plane: usize, js: Range<usize>) -> &[u32] {
        let [nx, ny, _] = shape.dims_usize();
        let rows = &self.rows[self.plane_starts[plane] as usize..self.plane_starts[plane + 1] as usize];
        let before = |j: usize| {
            let first = (nx * (ny * plane + j)) as u32;
            rows.partition_point(|&row| self.nodes[row as usize] < first)
        };
        if js == (0..ny) { rows } else { &rows[before(js.start)..before(js.end)] }
    }

    /// Returns true if the particle in this row is in the order.
    pub fn contains(&self, row: usize) -> bool {
        self.nodes.get(row).is_some_and(|&node| node < OUTSIDE_OF_BOX)
    }
}

/// Packs a particle of a chunk and a plane: the index of its node in the plane (at most 2^16 nodes), and
/// its row, counted from the chunk's first.
fn packed(node: u32, row: usize) -> u32 {
    node << u16::BITS | row as u32
}

/// Sorts the particles of a chunk, which have these nodes in these planes, by plane. Sets `starts` to the
/// start of each plane, and the end of the last.
fn sort_chunk(nodes: &[u32], planes: &[u16], sorted: &mut [u32], (plane_len, starts): (u32, &mut [u16])) {
    starts.fill(0);
    // Counts are shifted by two, so that each entry is the next free position of a plane while particles
    // are written, and the plane's start afterwards.
    for (plane, _) in planes.iter().zip(nodes).filter(|(_, node)| **node < OUTSIDE_OF_BOX) {
        if let Some(count) = starts.get_mut(usize::from(*plane) + 2) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in starts.iter_mut().skip(2) {
        sum += *start;
        *start = sum;
    }
    for (row, (&plane, &node)) in planes.iter().zip(nodes).enumerate() {
        if node < OUTSIDE_OF_BOX {
            let place = &mut starts[usize::from(plane) + 1];
            sorted[usize::from(*place)] = packed(node - u32::from(plane) * plane_len, row);
            *place += 1;
        }
    }
}

/// Chunks of particles, each sorted by plane.
struct SortedChunks<'a> {
    /// Per chunk, as in [`NodeOrder`].
    starts: ChunksExact<'a, u16>,
    /// Per chunk: [`packed`].
    particles: &'a [u32],
}

impl SortedChunks<'_> {
    /// Visits the particles of a plane, chunk by chunk, with the first row of each chunk.
    #[inline(always)]
    fn visit(&self, plane: usize, mut visit: impl FnMut(usize, u32)) {
        let chunks = self.starts.clone().zip(self.particles.chunks_exact(PLANE_CHUNK));
        for (chunk, (starts, particles)) in chunks.enumerate() {
            for &particle in &particles[usize::from(starts[plane])..usize::from(starts[plane + 1])] {
                visit(chunk * PLANE_CHUNK, particle);
            }
        }
    }

    /// Sorts the rows of a plane by node: rows with the same node keep their order.
    fn sort_plane(&self, plane: usize, counts: &mut [u32], sorted: &mut [u32]) {
        counts.fill(0);
        self.visit(plane, |_, particle| counts[(particle >> u16::BITS) as usize] += 1);
        let mut sum = 0;
        for count in &mut *counts {
            sum += std::mem::replace(count, sum);
        }
        self.visit(plane, |first, particle| {
            let place = &mut counts[(particle >> u16::BITS) as usize];
            sorted[*place as usize] = first as u32 + (particle & u32::from(u16::MAX));
            *place += 1;
        });
    }
}

/// Finds the node of each particle of a chunk, and its plane.
struct FindNodes<'a, W> {
    splines: Splines,
    positions: &'a Vec3Columns,
    wanted: &'a W,
    /// First row of the chunk.
    first: usize,
    nodes: &'a mut [u32],
    planes: &'a mut [u16],
}

impl<W: Wanted> VectorJob for FindNodes<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { splines, positions: Vec3Columns { x, y, z }, wanted, first, nodes, planes } = self;
        for (part, (nodes, planes)) in nodes.chunks_mut(MARKED).zip(planes.chunks_mut(MARKED)).enumerate() {
            let (first, count) = (first + part * MARKED, nodes.len());
            let mut marks = [false; MARKED];
            wanted.mark(first, &mut marks[..count]);
            let [x, y, z] = [x, y, z].map(|column| &column[first..][..count]);
            let planes = &mut planes[..count];
            for i in 0..count {
                let found = splines.nearest_node_and_plane(Vec3::new(x[i], y[i], z[i]));
                let (node, plane) = found.map_or((OUTSIDE_OF_BOX, 0), |(node, plane)| (node as u32, plane));
                (nodes[i], planes[i]) = (if marks[i] { node } else { UNWANTED }, plane);
            }
        }
    }
}
