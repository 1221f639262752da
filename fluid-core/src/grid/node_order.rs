//! Which particles are near which nodes.

use super::GridShape;
use super::spline::Splines;
use super::wanted::{MARKED, Wanted};
use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::Vec3Columns;
use glam::Vec3;

/// Rows of particles, sorted by nearest node. Particles whose 27 nodes are not all in the grid are left out.
#[derive(Debug, Clone, Default)]
pub struct NodeOrder {
    rows: Vec<u32>,
    /// Where the rows of each plane of nodes begin in `rows`, and behind the last.
    plane_starts: Vec<u32>,
    /// Node of each particle, or [`NOWHERE`].
    nodes: Vec<u32>,
}

/// Node of a particle that is left out.
const NOWHERE: u32 = u32::MAX;

impl NodeOrder {
    /// Makes room for `particles`.
    pub fn reserve(&mut self, particles: usize) {
        self.rows.reserve(particles.saturating_sub(self.rows.len()));
        self.nodes.reserve(particles.saturating_sub(self.nodes.len()));
    }

    /// Numbers that a sort into the nodes of this shape works with.
    pub(crate) fn counts_of(shape: &GridShape) -> usize {
        shape.len() + 1
    }

    /// Sorts the `wanted` particles: a stable counting sort, so the order is a function of positions and rows
    /// alone. Takes memory for the nodes' counts each time.
    pub fn sort(&mut self, shape: &GridShape, positions: &Vec3Columns, wanted: impl Wanted) {
        self.sort_in(&mut vec![0; Self::counts_of(shape)], shape, positions, wanted);
    }

    /// The same in memory for [`counts_of`](Self::counts_of) the shape. What is in it is lost.
    pub(crate) fn sort_in(
        &mut self,
        counts: &mut [u32],
        shape: &GridShape,
        positions: &Vec3Columns,
        wanted: impl Wanted,
    ) {
        let [_, _, planes] = shape.dims_usize();
        self.nodes.resize(positions.len(), NOWHERE);
        let job = FindNodes { splines: Splines::new(shape), positions, wanted, nodes: &mut self.nodes };
        run_in_vectors(InstructionSet::Auto, job);
        counts.fill(0);
        for &node in self.nodes.iter().filter(|node| **node != NOWHERE) {
            counts[node as usize + 1] += 1;
        }
        let mut sum = 0;
        for count in &mut *counts {
            sum += *count;
            *count = sum;
        }
        self.plane_starts.clear();
        self.plane_starts.extend((0..=planes).map(|k| counts[k * shape.plane_len()]));
        self.rows.clear();
        self.rows.resize(sum as usize, 0);
        for (row, &node) in self.nodes.iter().enumerate().filter(|(_, node)| **node != NOWHERE) {
            let place = &mut counts[node as usize];
            self.rows[*place as usize] = row as u32;
            *place += 1;
        }
    }

    /// All sorted rows.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Rows whose nearest nodes are in these planes, in the order of their nodes.
    pub fn rows_of_planes(&self, planes: std::ops::Range<usize>) -> &[u32] {
        &self.rows[self.plane_starts[planes.start] as usize..self.plane_starts[planes.end] as usize]
    }

    /// True if the particle in this row is in the order.
    pub fn contains(&self, row: usize) -> bool {
        self.nodes.get(row).is_some_and(|&node| node != NOWHERE)
    }
}

/// Finds the node of each particle.
struct FindNodes<'a, W> {
    splines: Splines,
    positions: &'a Vec3Columns,
    wanted: W,
    nodes: &'a mut [u32],
}

impl<W: Wanted> VectorJob for FindNodes<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { splines, positions: Vec3Columns { x, y, z }, wanted, nodes } = self;
        for (chunk, nodes) in nodes.chunks_mut(MARKED).enumerate() {
            let (first, count) = (chunk * MARKED, nodes.len());
            let mut marks = [false; MARKED];
            wanted.mark(first, &mut marks[..count]);
            let [x, y, z] = [x, y, z].map(|column| &column[first..][..count]);
            for i in 0..count {
                let node = splines.nearest_node(Vec3::new(x[i], y[i], z[i]));
                nodes[i] = node.filter(|_| marks[i]).map_or(NOWHERE, |node| node as u32);
            }
        }
    }
}
