//! The groups of a cloud (E63): made from those of sources, and their energy.

use super::SourceCloud;
use super::sums::MutualEnergyJob;
use crate::math::{Vec3Columns, for_capacity};
use crate::velocity::kernel::{Kernel, RigidCore, RosenheadMoore, WinckelmansLeonard};
use crate::velocity::source_groups::{SelectedGroups, SourceGroup, most_pseudo_vortons, most_summed};
use crate::velocity::{FlowSample, GroupedRows, Sources};
use fluid_threads::{Executor, reduce_ordered};
use glam::Vec3;

/// Memory with which the rows of a cloud are sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartedRows {
    parts: Vec<u8>,
    ends: Vec<u32>,
    positions: Vec3Columns,
    strengths: Vec3Columns,
}

impl SourceCloud {
    /// Replaces the cloud by the groups of sources that are summed apart.
    pub(in crate::velocity) fn set_apart(&mut self, sources: &Sources) {
        let Sources { positions, strengths, .. } = sources;
        let rows = sources.groups_apart().flat_map(GroupedRows::range);
        self.set_from(rows.map(|row| (positions.get(row), strengths.get(row))));
        let mut end = 0;
        let groups = sources.groups_apart().map(|group| {
            let first = end;
            end += group.rows[1] - group.rows[0];
            GroupedRows { rows: [first, end], ..*group }
        });
        self.add_groups(groups);
    }

    /// Sums each group by pseudo-vortons where it is far from the targets (E63), until the cloud is
    /// [set](Self::set) again. Groups are in order and do not overlap.
    ///
    /// # Panics
    /// If a row does not exist.
    pub fn set_groups(&mut self, groups: &[GroupedRows]) {
        let len = self.len();
        self.forget_groups();
        self.positions.truncate(len);
        self.strengths.truncate(len);
        self.add_groups(groups.iter().copied());
    }

    fn add_groups(&mut self, groups: impl Iterator<Item = GroupedRows>) {
        let Self { positions, strengths, .. } = self;
        let filled = groups.filter(|group| group.rows[0] < group.rows[1]);
        self.groups.extend(filled.map(|group| {
            let most = most_pseudo_vortons(&group.rows);
            positions.reserve(positions.len() + most);
            strengths.reserve(positions.len() + most);
            SourceGroup::with_pseudo_vortons(&group, positions, strengths)
        }));
        self.pseudo = self.groups.iter().map(SourceGroup::pseudo_vortons).sum();
    }

    /// Sorts the vortons by part, of which `part_of` returns the number for a position \[m\]: each of `count`
    /// parts becomes a group, until the cloud is [set](Self::set) again.
    pub(in crate::velocity) fn part(
        &mut self,
        count: usize,
        part_of: &dyn Fn(Vec3) -> usize,
        memory: &mut PartedRows,
    ) {
        let len = self.len();
        let PartedRows { parts, ends, positions, strengths } = memory;
        let capacity = self.positions.x.capacity();
        for_capacity(parts, capacity);
        positions.reserve(capacity);
        strengths.reserve(capacity);
        parts.clear();
        parts.extend((0..len).map(|row| part_of(self.unscaled(self.positions.get(row))) as u8));
        ends.clear();
        ends.resize(count, 0_u32);
        parts.iter().for_each(|&part| ends[usize::from(part)] += 1);
        let mut first = 0;
        for end in &mut *ends {
            first += std::mem::replace(end, first);
        }
        positions.resize(len);
        strengths.resize(len);
        for (row, &part) in parts.iter().enumerate() {
            let end = &mut ends[usize::from(part)];
            positions.set(*end as usize, self.positions.get(row));
            strengths.set(*end as usize, self.strengths.get(row));
            *end += 1;
        }
        self.forget_groups();
        self.positions.copy_from(positions);
        self.strengths.copy_from(strengths);
        let firsts = std::iter::once(0).chain(ends.iter().copied());
        let groups = firsts.zip(&*ends).enumerate().map(|(id, (first, &end))| GroupedRows {
            rows: [first, end],
            id: id as u32,
            ..GroupedRows::default()
        });
        self.add_groups(groups);
    }

    /// Replaces the cloud by the vortons of another, in no groups, without sources of volume.
    pub(in crate::velocity) fn copy_vortons_of(&mut self, other: &Self) {
        self.positions.reserve(other.positions.x.capacity());
        self.strengths.reserve(other.strengths.x.capacity());
        self.positions.copy_from(&other.positions);
        self.strengths.copy_from(&other.strengths);
        self.positions.truncate(other.len());
        self.strengths.truncate(other.len());
        self.unit = other.unit;
        self.expansions.clear();
        self.forget_groups();
    }

    /// Removes all sources, keeps the memory.
    pub(in crate::velocity) fn clear(&mut self) {
        self.positions.clear();
        self.strengths.clear();
        self.unit = 1.0;
        self.expansions.clear();
        self.forget_groups();
    }

    /// Returns true if each vorton is in one of at most `most` groups.
    pub(in crate::velocity) fn is_in_groups(&self, most: usize) -> bool {
        let firsts = std::iter::once(0).chain(self.groups.iter().map(|group| group.sources().end));
        let rows = self.groups.iter().map(|group| group.sources().start).chain([self.len()]);
        self.groups.len() <= most && firsts.eq(rows)
    }

    /// Writes the velocity \[m/s\] of one group, given by its index, at each position.
    pub(in crate::velocity) fn velocities_of_group(
        &self,
        index: usize,
        positions: &[Vec3],
        out: &mut [Vec3],
    ) {
        let only = SelectedGroups { only: Some(index), ..SelectedGroups::ALL };
        self.velocities_without_expansion(self.settings.kernel, only, positions, out);
    }

    /// Writes velocity and gradient of one group, given by its index, at each position.
    pub(in crate::velocity) fn flow_of_group(
        &self,
        index: usize,
        positions: &[Vec3],
        out: &mut [FlowSample],
    ) {
        let only = SelectedGroups { only: Some(index), ..SelectedGroups::ALL };
        self.flow_of(only, &|i| positions[i], out);
    }

    /// Returns the number of rows that are summed at some distance from its groups.
    pub(in crate::velocity) fn summed(&self) -> usize {
        self.groups.iter().map(|group| most_summed(group.sources().len())).sum()
    }

    /// Returns its groups.
    pub(in crate::velocity) fn groups(&self) -> &[SourceGroup] {
        &self.groups
    }

    /// Makes all sources members of no group and no tree.
    pub(super) fn forget_groups(&mut self) {
        self.groups.clear();
        self.pseudo = 0;
        self.tree.clear();
    }

    /// Appends its groups to `sources`.
    pub(in crate::velocity) fn append_groups_to(&self, sources: &mut Sources) {
        for group in &self.groups {
            let first = sources.len();
            group.sources().map(|row| self.source(row)).for_each(|(place, strength)| {
                sources.push(place, strength);
            });
            sources.add_group(first, group.grouped_rows());
        }
    }

    /// Returns its group with this id.
    pub(in crate::velocity) fn group(&self, id: u32) -> Option<&SourceGroup> {
        self.groups.iter().find(|group| group.id() == id)
    }

    /// Computes the energy \[m⁵/s²\] of the first `own` groups by themselves and with all other groups, each
    /// pair of own groups once and pairs with images half.
    pub(in crate::velocity) fn energy_of_groups(
        &self,
        exec: &dyn Executor,
        own: usize,
        partials: &mut Vec<f64>,
    ) -> f64 {
        let one = |index: usize| {
            let group = &self.groups[index];
            let mut energy = group.energy();
            for (other_index, other) in self.groups.iter().enumerate().skip(index + 1) {
                let weight = if other_index < own { 1.0 } else { 0.5 };
                energy += weight * self.energy_between(group, other);
            }
            energy
        };
        let sum = |range: std::ops::Range<usize>| range.map(one).sum::<f64>();
        reduce_ordered(exec, own.min(self.groups.len()), 1, 0.0, partials, &sum, |a, b| a + b)
    }

    /// Computes Σ α·ψ \[m⁵/s²\] of one group in the vector potential of another.
    fn energy_between(&self, one: &SourceGroup, other: &SourceGroup) -> f64 {
        let (targets, sources) = (one.seen_in_energy(&other.ball()), other.seen_in_energy(&one.ball()));
        let mut energy = 0.0;
        let job = (targets, sources, &mut energy);
        match self.settings.kernel {
            Kernel::WinckelmansLeonard => {
                self.run_exact(MutualEnergyJob::<WinckelmansLeonard>::new(self, job))
            }
            Kernel::RosenheadMoore => self.run_exact(MutualEnergyJob::<RosenheadMoore>::new(self, job)),
            Kernel::RigidCore => self.run_exact(MutualEnergyJob::<RigidCore>::new(self, job)),
        }
        energy
    }
}
