//! Memory of meshes: what one of them only works in, others may use meanwhile.

use crate::lanes::Block;
use crate::math::at_least;
use glam::Vec4;

/// Memory whose contents are of no use once the solve that wrote them is over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    /// Of nodes.
    pub(crate) nodes: Vec<Vec4>,
    /// Of modes.
    pub(crate) blocks: Vec<Block>,
    /// Larger memory for modes, as far as it has been touched.
    next_blocks: Vec<Block>,
}

impl Scratch {
    /// So many blocks, at once.
    pub(super) fn take_blocks(&mut self, len: usize) -> &mut [Block] {
        if self.blocks.len() < len {
            // A box that was not expected has come first.
            self.blocks = std::mem::take(&mut self.next_blocks);
        }
        at_least(&mut self.blocks, len, Block::ZERO)
    }

    /// Memory for so many blocks, of which another part of so many has been touched: new pages take as long
    /// as what is done with them.
    pub(super) fn touch_blocks(&mut self, len: usize, part: usize) {
        if self.blocks.len() >= len {
            self.next_blocks = Vec::new();
            return;
        }
        let next = &mut self.next_blocks;
        if next.capacity() < len {
            *next = Vec::with_capacity(len);
        }
        next.resize((next.len() + part).min(len), Block::ZERO);
        if next.len() == len {
            self.blocks = std::mem::take(next);
        }
    }
}

/// For how much a mesh has made ready, as if all of its memory were its own: in which steps it makes tables
/// must not depend on what others have taken.
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
    /// True if there is not enough for so much.
    pub(super) fn lacks(self, len: usize) -> bool {
        self.0 < len
    }

    /// Exactly so much is ready.
    pub(super) fn set(&mut self, len: usize) {
        self.0 = len;
    }

    /// So much is needed at once: twice of what there was is ready then, as far as it was too little.
    pub(super) fn grow(&mut self, len: usize) {
        if self.lacks(len) {
            self.0 = len.max(2 * self.0);
        }
    }
}
