//! Memory of meshes: scratch that others may use between solves.

use crate::lanes::LaneBlock;
use crate::math::at_least;
use glam::Vec4;

/// Memory with contents that are not needed once the solve that wrote them is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// Memory for nodes.
    pub(crate) nodes: Vec<Vec4>,
    /// Memory for modes.
    pub(crate) blocks: Vec<LaneBlock>,
    /// Larger memory for modes, up to the length touched so far.
    next_blocks: Vec<LaneBlock>,
}

impl Scratch {
    /// Returns `len` blocks at once.
    pub(super) fn take_blocks(&mut self, len: usize) -> &mut [LaneBlock] {
        if self.blocks.len() < len {
            // An unexpected box has come first.
            self.blocks = std::mem::take(&mut self.next_blocks);
        }
        at_least(&mut self.blocks, len, LaneBlock::ZERO)
    }

    /// Prepares memory for `len` blocks by touching another `part` of them: first access to new pages takes
    /// as long as the work done with them.
    pub(super) fn touch_blocks(&mut self, len: usize, part: usize) {
        if self.blocks.len() >= len {
            self.next_blocks = Vec::new();
            return;
        }
        let next = &mut self.next_blocks;
        if next.capacity() < len {
            *next = Vec::with_capacity(len);
        }
        next.resize((next.len() + part).min(len), LaneBlock::ZERO);
        if next.len() == len {
            self.blocks = std::mem::take(next);
        }
    }
}

/// The amount of memory that a mesh has prepared, as if all of it were its own: the steps in which it makes
/// tables must not depend on memory allocated by others.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ready(usize);

impl crate::saved::Saved for Ready {
    fn save(&self, out: &mut crate::saved::Writer<'_>) {
        self.0.save(out);
    }

    fn load(&mut self, from: &mut crate::saved::Reader<'_>) -> Result<(), crate::saved::LoadError> {
        self.0.load(from)
    }
}

impl Ready {
    /// Returns true if less than `len` is ready.
    pub(super) fn lacks(self, len: usize) -> bool {
        self.0 < len
    }

    /// Sets the amount that is ready.
    pub(super) fn set(&mut self, len: usize) {
        self.0 = len;
    }

    /// Requires `len` at once; if less was ready, the amount becomes `len`, but at least twice the previous
    /// one.
    pub(super) fn grow(&mut self, len: usize) {
        if self.lacks(len) {
            self.0 = len.max(2 * self.0);
        }
    }
}
