//! What a run remembers about particles.

use super::{BoundingBox, CHUNK};
use crate::boundary::surfaces::SurfaceImpulse;

/// What is remembered about the particles of one chunk during a run.
#[derive(Debug)]
pub(super) struct Notes {
    /// Per particle: bits.
    pub(super) marks: [u8; CHUNK],
    /// The chunk's box, while bounds are taken.
    pub(super) bounds: Option<BoundingBox>,
    /// What the chunk's particles have given to bodies, in the order in which bodies were first touched.
    given: Vec<(u32, SurfaceImpulse)>,
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
    /// The particle met a body.
    pub(super) const HIT: u8 = 16;

    pub(super) const NONE: Self = Self { marks: [0; CHUNK], bounds: None, given: Vec::new() };

    /// Forgets everything; memory stays.
    pub(super) fn clear(&mut self) {
        self.marks = [0; CHUNK];
        self.bounds = None;
        self.given.clear();
    }

    /// Makes room for what is given to so many bodies.
    pub(super) fn expect_bodies(&mut self, count: usize) {
        self.given.reserve(count.saturating_sub(self.given.len()));
    }

    /// What is given to `body`.
    pub(super) fn given_to(&mut self, body: u32) -> &mut SurfaceImpulse {
        // Neighbours in memory mostly touch the same body, which was then looked for a moment ago.
        let at = self.given.iter().rposition(|given| given.0 == body).unwrap_or_else(|| {
            self.given.push((body, SurfaceImpulse::default()));
            self.given.len() - 1
        });
        &mut self.given[at].1
    }

    /// Bodies that got something, and what.
    pub(super) fn given(&self) -> &[(u32, SurfaceImpulse)] {
        &self.given
    }

    /// Notes that particle `k` was left alone.
    #[inline]
    pub(super) fn skip(&mut self, k: usize) {
        self.marks[k] |= Self::SKIPPED;
    }
}
