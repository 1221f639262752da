//! Vector potentials that a step finds and a later one uses (E46): on a mesh they cost most of a solve, and
//! the search for directions half as much, so that a step with both takes three times as long as others.

use glam::Vec3;

/// Which vortons the potentials are known at; they themselves are kept where the energy is summed.
#[derive(Debug, Clone, Default)]
pub(super) struct PotentialsAhead {
    state: State,
    /// Ids of the vortons for which they were found, ascending.
    ids: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum State {
    #[default]
    Unwanted,
    /// An act needs them.
    Wanted,
    /// A step has found them, and no other has used them.
    Found,
}

impl PotentialsAhead {
    /// Makes room for `capacity` vortons.
    pub(super) fn reserve(&mut self, capacity: usize) {
        self.ids.reserve(capacity);
    }

    /// They are of no use any more.
    pub(super) fn forget(&mut self) {
        self.state = State::Unwanted;
    }

    /// The next step finds them.
    pub(super) fn want(&mut self) {
        self.state = State::Wanted;
    }

    pub(super) fn are_wanted(&self) -> bool {
        self.state == State::Wanted
    }

    /// True if a step has found them, and no other has used them.
    pub(super) fn are_found(&self) -> bool {
        self.state == State::Found
    }

    /// They have been found for the vortons of these ids.
    pub(super) fn found(&mut self, ids: &[u64]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.state = State::Found;
    }

    /// If an earlier step has found `potentials`, puts them at the rows of those vortons that there are now,
    /// among so many `sources`. New ones, and what bodies hold, get zeros. False if there are none.
    pub(super) fn take(&mut self, ids: &[u64], sources: usize, potentials: &mut Vec<Vec3>) -> bool {
        if self.state != State::Found {
            return false;
        }
        self.state = State::Unwanted;
        potentials.resize(sources.max(self.ids.len()), Vec3::ZERO);
        // Ids ascend, and new ones are larger: a vorton's row is never behind the one that it had.
        let mut before = 0;
        for (row, id) in ids.iter().enumerate() {
            before += self.ids[before..].iter().take_while(|known| *known < id).count();
            let is_known = self.ids.get(before) == Some(id);
            potentials[row] = if is_known { potentials[before] } else { Vec3::ZERO };
        }
        potentials.truncate(sources);
        potentials[ids.len()..].fill(Vec3::ZERO);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vortons_keep_their_potentials_and_new_ones_have_none() {
        let mut ahead = PotentialsAhead::default();
        let mut potentials: Vec<_> = (0..6).map(|row| Vec3::splat(row as f32 + 1.0)).collect();
        assert!(!ahead.take(&[1], 1, &mut potentials));
        // The last one is what a body holds.
        ahead.found(&[3, 4, 7, 8, 20]);
        assert!(ahead.take(&[4, 8, 20, 21, 22, 23], 8, &mut potentials));
        assert_eq!(potentials, [2.0, 4.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(Vec3::splat));
        assert!(!ahead.take(&[4], 1, &mut potentials), "they are used once");
        ahead.found(&[4, 8]);
        assert!(ahead.take(&[], 0, &mut potentials) && potentials.is_empty());
    }
}
