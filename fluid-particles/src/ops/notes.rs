//! Per-chunk records of a run.

use super::{BoundingBox, CHUNK};
use fluid_core::boundary::SurfaceImpulse;

/// Records about the particles of one chunk during a run.
#[derive(Debug)]
pub(super) struct Notes {
    /// Bit flags per particle.
    pub(super) marks: [u8; CHUNK],
    /// The chunk's bounding box, while bounds are computed.
    pub(super) bounds: Option<BoundingBox>,
    /// Impulses from the chunk's particles to bodies, in the order in which bodies were first touched.
    given: Vec<(u32, SurfaceImpulse)>,
}

impl Notes {
    /// An operation skipped the particle because a value was not finite.
    pub(super) const SKIPPED: u8 = 1;
    /// The particle died of age; a bit, so that a particle both listed and killed by a later operation
    /// counts once.
    pub(super) const KILLED: u8 = 2;
    /// The particle is too old (set during listing or compaction).
    pub(super) const EXPIRED: u8 = 4;
    /// The particle is dead (set during compaction).
    pub(super) const DEAD: u8 = 8;
    /// The particle met a body.
    pub(super) const HIT: u8 = 16;

    pub(super) const NONE: Self = Self { marks: [0; CHUNK], bounds: None, given: Vec::new() };

    /// Clears all records; memory is kept.
    pub(super) fn clear(&mut self) {
        self.marks = [0; CHUNK];
        self.bounds = None;
        self.given.clear();
    }

    /// Reserves memory for impulses on `count` bodies.
    pub(super) fn expect_bodies(&mut self, count: usize) {
        self.given.reserve(count.saturating_sub(self.given.len()));
    }

    /// Returns the number of bodies for whose impulses there is memory.
    pub(super) fn room(&self) -> usize {
        self.given.capacity()
    }

    /// Returns the accumulated impulse on `body`.
    pub(super) fn given_to(&mut self, body: u32) -> &mut SurfaceImpulse {
        // Particles adjacent in memory mostly touch the same body, which is then near the end of the list.
        let at = self.given.iter().rposition(|given| given.0 == body).unwrap_or_else(|| {
            self.given.push((body, SurfaceImpulse::default()));
            self.given.len() - 1
        });
        &mut self.given[at].1
    }

    /// Returns the bodies that received impulses, with their impulses.
    pub(super) fn given(&self) -> &[(u32, SurfaceImpulse)] {
        &self.given
    }

    /// Records that particle `k` was skipped.
    #[inline]
    pub(super) fn skip(&mut self, k: usize) {
        self.marks[k] |= Self::SKIPPED;
    }
}
