//! Clusters of vortons and their images in mirrors (E50).

use super::{ClusterBox, GAP_PER_SIZE, LEAST_GAP, LEAST_GAP_OF_GROUPS, VortonClusters};
use crate::velocity::{Mirror, Sources};
use glam::DVec3;

/// A set of mirrors: bit n is that of mirror n.
type MirrorBits = u8;

/// Images of the clusters of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct ClusterImages {
    /// Mirrors with images of the vortons.
    mirrors: Vec<Mirror>,
    /// Mirrors of each cluster and of each group that is one with its image; empty without mirrors.
    at_mirrors: Vec<MirrorBits>,
    groups_at_mirrors: Vec<MirrorBits>,
}

impl ClusterImages {
    /// Reserves memory for one cluster.
    pub(super) fn reserve(&mut self) {
        self.mirrors.reserve(Sources::MOST_MIRRORS);
        self.at_mirrors.reserve(1);
        self.groups_at_mirrors.reserve(1);
    }

    fn clear(&mut self) {
        self.mirrors.clear();
        self.at_mirrors.clear();
        self.groups_at_mirrors.clear();
    }
}

impl ClusterBox {
    /// Returns the distance \[m\] of its lowest corner from a mirror, negative behind it.
    fn lowest(&self, mirror: &Mirror) -> f64 {
        let half = 0.5 * (self.high - self.low);
        mirror.normal().dot(self.middle()) - mirror.offset() - mirror.normal().abs().dot(half)
    }

    /// Returns the box around its image.
    fn mirrored(&self, mirror: &Mirror) -> Self {
        let (normal, half) = (mirror.normal(), 0.5 * (self.high - self.low));
        let height = normal.dot(self.middle()) - mirror.offset();
        let middle = self.middle() - 2.0 * height * normal;
        let turned = |axis: DVec3| (axis - 2.0 * normal.dot(axis) * normal).abs();
        let half = half.x * turned(DVec3::X) + half.y * turned(DVec3::Y) + half.z * turned(DVec3::Z);
        Self { low: middle - half, high: middle + half }
    }
}

impl VortonClusters {
    /// Finds the images of the clusters in these mirrors, in which the vortons have images in this step.
    ///
    /// A cluster and its image are like any two clusters: without a gap between them vortex lines lead from
    /// one to the other, and they keep total strength and impulse together. Near each other they are one
    /// group, and exchange impulse. The contents of enclosures keep theirs by themselves.
    pub(crate) fn see_mirrors(&mut self, mirrors: &[Mirror], core_radius: f32) {
        let Self { boxes, groups, joined, are_held, images, .. } = self;
        images.clear();
        if mirrors.is_empty() || boxes.is_empty() {
            return;
        }
        images.mirrors.extend_from_slice(mirrors);
        let core_radius = f64::from(core_radius);
        images.at_mirrors.extend(boxes.iter().enumerate().map(|(cluster, one)| {
            let is_held = are_held.get(cluster).is_some_and(|is_held| *is_held);
            let is_one = |mirror: &Mirror| !is_held && 2.0 * one.lowest(mirror) < LEAST_GAP * core_radius;
            bits_of(mirrors, is_one)
        }));
        // Of one cluster the groups are those of an earlier step.
        let is_one = boxes.len() < 2;
        let all = if is_one { &*boxes } else { &*joined };
        let group_of = |cluster: usize| if is_one { 0 } else { usize::from(groups[cluster]) };
        let at_mirrors = &images.at_mirrors;
        images.groups_at_mirrors.extend(all.iter().enumerate().map(|(group, one)| {
            let least = (LEAST_GAP_OF_GROUPS * core_radius).max(GAP_PER_SIZE * one.size());
            let near = bits_of(mirrors, |mirror| 2.0 * one.lowest(mirror) < least);
            let members = at_mirrors.iter().enumerate().filter(|(cluster, _)| group_of(*cluster) == group);
            members.fold(near, |near, (_, bits)| near | bits)
        }));
    }

    /// Returns the mirrors with images that are one with this cluster.
    pub(crate) fn mirrors_at(&self, cluster: usize) -> impl Iterator<Item = &Mirror> + Clone {
        chosen(&self.images.mirrors, self.images.at_mirrors.get(cluster).copied().unwrap_or(0))
    }

    /// Returns the mirrors with images that exchange impulse with this group.
    pub(crate) fn mirrors_at_group(&self, group: usize) -> impl Iterator<Item = &Mirror> {
        chosen(&self.images.mirrors, self.images.groups_at_mirrors.get(group).copied().unwrap_or(0))
    }

    /// Iterates over the gaps \[m\] between a cluster and the images of another one, or its own that are not
    /// one with it, in the mirrors of their group.
    pub(crate) fn gaps_to_images(&self, cluster: usize, other: usize) -> impl Iterator<Item = f64> {
        let near = self.images.groups_at_mirrors.get(self.group_of(cluster)).copied().unwrap_or(0);
        let own = self.images.at_mirrors.get(cluster).copied().unwrap_or(0);
        let is_apart = move |copy: &MirrorBits| other != cluster || copy & !own != 0;
        (1..=near).filter(move |copy| copy & !near == 0).filter(is_apart).map(move |copy| {
            let image = chosen(&self.images.mirrors, copy);
            let image = image.fold(self.boxes[other], |image, mirror| image.mirrored(mirror));
            self.boxes[cluster].gap(&image)
        })
    }
}

/// Returns the set of the mirrors for which this holds.
fn bits_of(mirrors: &[Mirror], holds: impl Fn(&Mirror) -> bool) -> MirrorBits {
    let bit = |(number, mirror): (usize, &Mirror)| MirrorBits::from(holds(mirror)) << number;
    mirrors.iter().enumerate().map(bit).sum()
}

/// Iterates over the mirrors of a set.
fn chosen(mirrors: &[Mirror], bits: MirrorBits) -> impl Iterator<Item = &Mirror> + Clone {
    mirrors.iter().enumerate().filter(move |(number, _)| bits >> number & 1 == 1).map(|(_, mirror)| mirror)
}
