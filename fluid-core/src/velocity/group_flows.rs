//! Velocities of groups of sources at samples: expanded outside of the spheres around the groups (E66), and
//! summed over all sources of a group inside of its sphere.

use super::FlowSample;
use super::direct::SourceCloud;
use super::group_potentials::PartOfChunk;
use super::group_sphere::GroupSphere;
use super::sphere_expansion::SphereExpansion;
use crate::constants::DIRECT_CHUNK;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat3, Vec3};

/// A group with its expansion.
type ExpandedGroup = (GroupSphere, SphereExpansion);

/// The groups of a cloud with their expansions; none if they are not in use.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupFlows {
    groups: Vec<ExpandedGroup>,
    /// Columns of the gradient of each; none unless they are in use.
    gradients: Vec<[SphereExpansion; 3]>,
}

crate::saved::fields!(GroupFlows { groups, gradients });

impl GroupFlows {
    /// True if groups are not expanded.
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// True if they are groups of this cloud, or there are none.
    pub(super) fn are_of(&self, grouped: &SourceCloud) -> bool {
        let Self { groups, gradients } = self;
        let mut indices = groups.iter().map(|(around, _)| around.index()).enumerate();
        let are_all = groups.len() == grouped.groups().len() && indices.all(|(index, of)| index == of);
        (groups.is_empty() || are_all) && (gradients.is_empty() || gradients.len() == groups.len())
    }

    /// Forgets all groups, keeps the memory.
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.gradients.clear();
    }

    /// True if gradients are expanded, too.
    pub(super) fn have_gradients(&self) -> bool {
        !self.gradients.is_empty()
    }

    /// Copies `other`; allocates only to grow.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.groups.clone_from(&other.groups);
        self.gradients.clone_from(&other.gradients);
    }

    /// Returns an upper bound on the memory \[bytes\] for so many groups in a field and a copy of it.
    pub(super) fn memory(groups: usize) -> usize {
        2 * (size_of::<ExpandedGroup>() + size_of::<[SphereExpansion; 3]>()) * groups
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(super) fn shift_origin(&mut self, origin: Vec3) {
        for (around, expansion) in &mut self.groups {
            around.shift_origin(origin);
            expansion.shift_origin(origin);
        }
        self.gradients.iter_mut().flatten().for_each(|expansion| expansion.shift_origin(origin));
    }

    /// Expands the flow of all groups of a cloud.
    pub(super) fn expand(&mut self, exec: &dyn Executor, grouped: &SourceCloud) {
        self.clear();
        self.groups.resize(grouped.groups().len(), Default::default());
        for_each_chunk_mut(exec, 1, self.groups.as_mut_slice(), &|index, out: &mut [ExpandedGroup]| {
            let around = GroupSphere::for_any_targets(index, grouped);
            out[0] = (around, around.expanded_flow(grouped));
        });
    }

    /// Expands the gradients of the groups, too.
    pub(super) fn expand_gradients(&mut self, exec: &dyn Executor, grouped: &SourceCloud) {
        self.gradients.resize(self.groups.len(), Default::default());
        let groups = &self.groups;
        for_each_chunk_mut(exec, 1, self.gradients.as_mut_slice(), &|index, out: &mut [_]| {
            out[0] = groups[index].0.expanded_gradient(grouped);
        });
    }

    /// Adds velocity \[m/s\] and gradient \[1/s\] of the groups of this cloud at positions \[m\], where
    /// gradients are expanded.
    pub(super) fn add_flow(&self, grouped: &SourceCloud, places: &[Vec3], out: &mut [FlowSample]) {
        let set = grouped.settings().instruction_set;
        for (places, out) in places.chunks(DIRECT_CHUNK).zip(out.chunks_mut(DIRECT_CHUNK)) {
            for ((around, velocity), gradient) in self.groups.iter().zip(&self.gradients) {
                PartOfChunk::of(places, |place| !around.holds(place)).add(out, |places, more| {
                    let mut columns = [[Vec3::ZERO; DIRECT_CHUNK]; 4];
                    let expansions = [velocity].into_iter().chain(gradient);
                    for (expansion, column) in expansions.zip(&mut columns) {
                        expansion.add_velocities(set, places, &mut column[..places.len()]);
                    }
                    for (i, more) in more.iter_mut().enumerate() {
                        let [velocity, x, y, z] = columns.each_ref().map(|column| column[i]);
                        *more = FlowSample { velocity, gradient: Mat3::from_cols(x, y, z) };
                    }
                });
                PartOfChunk::of(places, |place| around.holds(place)).add(out, |places, more| {
                    grouped.flow_of_group(around.index(), places, more);
                });
            }
        }
    }

    /// Adds the velocities \[m/s\] of the groups of this cloud at positions \[m\].
    pub(super) fn add(&self, grouped: &SourceCloud, places: &[Vec3], out: &mut [Vec3]) {
        let set = grouped.settings().instruction_set;
        for (places, out) in places.chunks(DIRECT_CHUNK).zip(out.chunks_mut(DIRECT_CHUNK)) {
            for (around, expansion) in &self.groups {
                if !places.iter().any(|place| around.holds(*place)) {
                    expansion.add_velocities(set, places, out);
                    continue;
                }
                PartOfChunk::of(places, |place| !around.holds(place)).add(out, |places, more| {
                    expansion.add_velocities(set, places, more);
                });
                PartOfChunk::of(places, |place| around.holds(place)).add(out, |places, more| {
                    around.add_flow(grouped, places, more);
                });
            }
        }
    }
}
