//! What a run remembers about particles.

use super::{BoundingBox, CHUNK};

/// What is remembered about the particles of one chunk during a run.
#[derive(Debug, Clone)]
pub(super) struct Notes {
    /// Per particle: bits.
    pub(super) marks: [u8; CHUNK],
    /// The chunk's box, while bounds are taken.
    pub(super) bounds: Option<BoundingBox>,
}

impl Notes {
    /// An operation left the particle alone because something was not finite.
    pub(super) const SKIPPED: u8 = 1;
    /// The particle died of age; a bit, so that a list and another kill behind it count it once.
    pub(super) const KILLED: u8 = 2;
    /// The particle is too old (while a list is made or rows are taken out).
    pub(super) const EXPIRED: u8 = 4;
    /// The particle is dead (while rows are taken out).
    pub(super) const DEAD: u8 = 8;

    pub(super) const NONE: Self = Self { marks: [0; CHUNK], bounds: None };

    /// Notes that particle `k` was left alone.
    #[inline]
    pub(super) fn skip(&mut self, k: usize) {
        self.marks[k] |= Self::SKIPPED;
    }
}
