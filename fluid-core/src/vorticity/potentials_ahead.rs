//! Vector potentials found in two steps and used in a later one (E46). On a mesh they cost most of a solve,
//! and the search for directions half as much: a step with all of it would take three times as long as
//! others.

use crate::velocity::Components;
use glam::Vec3;

/// Looks in which potentials are found: two components in the first, the third in the second.
pub(super) const LOOKS_FOR_POTENTIALS: u32 = 2;

/// The vortons at which potentials are known; the potentials themselves are stored with the sum of the
/// energy.
#[derive(Debug, Clone, Default)]
pub(super) struct PotentialsAhead {
    state: Availability,
    /// Ids of the vortons for which they were found, ascending.
    ids: Vec<u64>,
}

crate::saved::fields!(PotentialsAhead { state, ids });

#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Availability {
    #[default]
    Unwanted,
    /// An act needs them.
    Wanted,
    /// A step has found [`Components::Xy`].
    PartlyFound,
    /// All components are known, and no act has used them.
    Found,
}

crate::saved::variants!(Availability { Unwanted, Wanted, PartlyFound, Found });

impl PotentialsAhead {
    /// Reserves memory for `capacity` vortons.
    pub(super) fn reserve(&mut self, capacity: usize) {
        self.ids.reserve(capacity);
    }

    /// Discards the potentials.
    pub(super) fn forget(&mut self) {
        self.state = Availability::Unwanted;
    }

    /// Requests them: the next step starts or continues to find them.
    pub(super) fn want(&mut self) {
        if self.state != Availability::PartlyFound {
            self.state = Availability::Wanted;
        }
    }

    pub(super) fn are_wanted(&self) -> bool {
        matches!(self.state, Availability::Wanted | Availability::PartlyFound)
    }

    /// True if a step has found some or all components, and no act has used them.
    pub(super) fn are_being_found(&self) -> bool {
        matches!(self.state, Availability::PartlyFound | Availability::Found)
    }

    /// Returns the components of `potentials` that this step has to find. Components found earlier are moved
    /// to the vortons' present rows, as in [`take`](Self::take).
    pub(super) fn next(&self, ids: &[u64], sources: usize, potentials: &mut Vec<Vec3>) -> Components {
        if self.state != Availability::PartlyFound {
            return Components::Xy;
        }
        self.follow_rows(ids, sources, potentials);
        Components::Z
    }

    /// Notes that these components have been found for the vortons with these ids.
    pub(super) fn found(&mut self, components: Components, ids: &[u64]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
        self.state =
            if components == Components::Xy { Availability::PartlyFound } else { Availability::Found };
    }

    /// Moves `potentials` found by earlier steps to the vortons' present rows among `sources` sources. New
    /// vortons and bound vorticity get zeros. False if none have been found.
    pub(super) fn take(&mut self, ids: &[u64], sources: usize, potentials: &mut Vec<Vec3>) -> bool {
        if self.state != Availability::Found {
            return false;
        }
        self.state = Availability::Unwanted;
        self.follow_rows(ids, sources, potentials);
        true
    }

    fn follow_rows(&self, ids: &[u64], sources: usize, potentials: &mut Vec<Vec3>) {
        potentials.resize(sources.max(self.ids.len()), Vec3::ZERO);
        // Ids ascend, and new ones are larger: a vorton's row never increases.
        let mut before = 0;
        for (row, id) in ids.iter().enumerate() {
            before += self.ids[before..].iter().take_while(|known| *known < id).count();
            let is_known = self.ids.get(before) == Some(id);
            potentials[row] = if is_known { potentials[before] } else { Vec3::ZERO };
        }
        potentials.truncate(sources);
        potentials[ids.len()..].fill(Vec3::ZERO);
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
        // The last one is bound in a body.
        assert_eq!(ahead.next(&[3, 4, 7, 8, 20], 6, &mut potentials), Components::Xy);
        ahead.found(Components::Xy, &[3, 4, 7, 8, 20]);
        assert!(!ahead.take(&[3, 4, 7, 8, 20], 6, &mut potentials), "one component is missing");
        assert_eq!(ahead.next(&[3, 4, 7, 8, 20], 6, &mut potentials), Components::Z);
        assert_eq!(potentials, [1.0, 2.0, 3.0, 4.0, 5.0, 0.0].map(Vec3::splat));
        ahead.found(Components::Z, &[3, 4, 7, 8, 20]);
        assert!(ahead.take(&[4, 8, 20, 21, 22, 23], 8, &mut potentials));
        assert_eq!(potentials, [2.0, 4.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(Vec3::splat));
        assert!(!ahead.take(&[4], 1, &mut potentials), "they are used once");
        ahead.found(Components::Z, &[4, 8]);
        assert!(ahead.take(&[], 0, &mut potentials) && potentials.is_empty());
    }
}
