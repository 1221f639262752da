//! Lines of nodes in lanes: transforms along one axis, memory for lines, and transposition.

use super::transform::{Transform, root_of_unity};
use crate::lanes::{BLOCK, InstructionSet, Job, LaneBlock, Lanes, dispatch_exact};
use glam::Vec4;

/// Maximum number of nodes on an axis.
pub(super) const MAX_NODES: usize = 256;

/// Transforms along one axis.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) transform: Transform<f32>,
    /// e^(-iπt/n).
    pub(super) half_turns: Vec<[f32; 2]>,
}

impl Axis {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            transform: Transform::new(nodes),
            half_turns: (0..nodes).map(|t| root_of_unity(t, 2 * nodes)).collect(),
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.transform.len()
    }
}

/// Number of lines for a [`LineJob`].
pub(super) const LINES: usize = 8;

/// A [`Job`] that needs memory for lines.
pub(super) trait LineJob {
    /// `lines` holds [`LINES`] lines of complex numbers, of the requested length.
    fn run<L: Lanes>(self, lines: &mut [[L; 2]]);
}

/// Runs `job` with lines of `nodes` on the stack.
pub(super) fn run_with_lines(set: InstructionSet, nodes: usize, job: impl LineJob) {
    const LINE: usize = 2 * MAX_NODES;
    // Smaller boxes and narrower lanes clear less.
    match LINES * 2 * nodes * set.width() / BLOCK {
        ..=256 => on_stack::<256>(set, nodes, job),
        257..=512 => on_stack::<512>(set, nodes, job),
        513..=768 => on_stack::<768>(set, nodes, job),
        769..=1024 => on_stack::<1024>(set, nodes, job),
        1025..=1280 => on_stack::<1280>(set, nodes, job),
        1281..=1536 => on_stack::<1536>(set, nodes, job),
        1537..=2048 => on_stack::<2048>(set, nodes, job),
        _ => on_stack::<{ LINES * LINE }>(set, nodes, job),
    }
}

// Not inlined: the caller's frame would hold the memory of every size.
#[inline(never)]
fn on_stack<const BLOCKS: usize>(set: InstructionSet, nodes: usize, job: impl LineJob) {
    let mut blocks = [LaneBlock::ZERO; BLOCKS];
    dispatch_exact(set, WithLines { blocks: &mut blocks, nodes, job });
}

struct WithLines<'a, J> {
    blocks: &'a mut [LaneBlock],
    nodes: usize,
    job: J,
}

impl<J: LineJob> Job for WithLines<'_, J> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (lines, _) = L::slice_mut(self.blocks).as_chunks_mut::<2>();
        self.job.run::<L>(&mut lines[..LINES * self.nodes]);
    }
}

/// A square of `WIDTH` vectors; the remainder is not used.
pub(super) type Tile<L> = [L; BLOCK];

/// Turns rows into columns.
#[inline(always)]
pub(super) fn transpose<L: Lanes>(mut tile: Tile<L>) -> Tile<L> {
    let half = L::WIDTH / 2;
    let mut round = 1;
    while round < L::WIDTH {
        let mut next = tile;
        for i in 0..half {
            (next[2 * i], next[2 * i + 1]) = tile[i].interleave(tile[i + half]);
        }
        tile = next;
        round *= 2;
    }
    tile
}

/// Loads as many vectors of four as the lanes hold.
#[inline(always)]
pub(super) fn load_vectors<L: Lanes>(from: &[Vec4]) -> L {
    let mut floats = [0.0; BLOCK];
    for i in 0..L::WIDTH / 4 {
        [floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], floats[4 * i + 3]] = from[i].to_array();
    }
    L::load(&floats, 0)
}

/// Stores as many vectors of four as the lanes hold.
#[inline(always)]
pub(super) fn store_vectors<L: Lanes>(vectors: L, to: &mut [Vec4]) {
    let mut floats = [0.0; BLOCK];
    vectors.store(&mut floats, 0);
    for i in 0..L::WIDTH / 4 {
        to[i] = Vec4::new(floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], floats[4 * i + 3]);
    }
}
