//! The data of a convolution that depend on the numbers of nodes alone.

use super::kernel_table::KernelTable;
use super::lines::Axis;
use crate::lanes::{BLOCK, InstructionSet, LaneBlock};
use crate::math::exactly;
use std::sync::Arc;

/// Data that depend on the dims alone. Modes along x are in blocks of as many as there are lanes.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) dims: [usize; 3],
    pub(super) axes: [Arc<Axis>; 3],
    /// Instruction set for these dims.
    pub(super) set: InstructionSet,
    /// Number of blocks of kx. Lanes of the last one may be unused.
    pub(super) width: usize,
    /// Sine transforms of the kernel's components, \[|ky|\]\[kx block\]\[|kz|\]\[component\], folded.
    pub(super) kernel: Vec<LaneBlock>,
    /// Cosine transform of its Green's function, \[|ky|\]\[kx block\]\[|kz|\], folded.
    pub(super) green: Vec<LaneBlock>,
}

impl Plan {
    /// Creates a plan for nodes along these axes, in the memory of a plan that is no longer needed. The
    /// table is yet to be made.
    pub(super) fn new(old: Option<Self>, set: InstructionSet, axes: [Arc<Axis>; 3]) -> Self {
        let (mut kernel, mut green) =
            old.map_or_else(|| (Vec::new(), Vec::new()), |plan| (plan.kernel, plan.green));
        let dims = axes.each_ref().map(|axis| axis.nodes());
        let [nx, ny, nz] = dims;
        let set = suited(set, nx);
        let lanes = set.width();
        let width = nx.div_ceil(lanes);
        let entries = ny * width * lanes * nz;
        exactly(&mut kernel, 3 * entries / BLOCK, LaneBlock::ZERO);
        exactly(&mut green, entries / BLOCK, LaneBlock::ZERO);
        Self { dims, axes, set, width, kernel, green }
    }

    /// Returns the blocks of memory for its solves and the making of its table.
    pub(super) fn memory_len(&self) -> usize {
        KernelTable::scratch_len(self.dims).max(self.planes_len())
    }

    /// Returns the blocks of memory for all planes.
    pub(super) fn planes_len(&self) -> usize {
        self.dims[2] * self.plane_stride()
    }

    /// Returns the memory for its solves and the making of its table as counted by [`Ready`]: without the
    /// padding of rows for the widest lanes, so that decisions and snapshots are the same on every
    /// instruction set.
    pub(super) fn counted_memory(&self) -> usize {
        KernelTable::scratch_len(self.dims).max(self.counted_planes())
    }

    /// Returns the memory for its planes, counted in the same way.
    pub(super) fn counted_planes(&self) -> usize {
        let [nx, ny, nz] = self.dims;
        nz * plane_stride(ny, 3 * 2 * nx / BLOCK)
    }

    /// Returns the blocks of memory for the modes of one ky of a plane.
    pub(super) fn row_blocks(&self) -> usize {
        3 * 2 * self.width * self.set.width() / BLOCK
    }

    /// Returns the blocks from a plane to the next: an odd number, so that the nodes of a row along z do
    /// not fall into the same set of a cache.
    pub(super) fn plane_stride(&self) -> usize {
        plane_stride(self.dims[1], self.row_blocks())
    }
}

fn plane_stride(ny: usize, row_blocks: usize) -> usize {
    (2 * ny * row_blocks) | 1
}

/// Returns the instruction set for `nx`: lanes of half the width are faster if a quarter of the widest
/// would be unused.
fn suited(set: InstructionSet, nx: usize) -> InstructionSet {
    match set.resolve() {
        InstructionSet::Avx512 if nx == 8 || nx == 24 => InstructionSet::Avx2,
        set => set,
    }
}
