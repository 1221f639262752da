//! Sections of long clusters (E46): impulse that removal of energy takes from one of them is given back in
//! it.
//!
//! Strengths given back to a whole cluster grow in proportion to themselves, wherever they are. A wake,
//! which is rough where it is young and smooth in the ring that was shed first, would pass all of its impulse
//! on to that ring: no wake would be left behind the body, and the ring would grow without end.

use super::clusters::{Keeps, MOST_SUMS, VortonClusters, sum_in_clusters};
use crate::math::{PlaceMoments, Vec3Columns, principal_axes};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Most sections of a cluster \[1\].
pub(super) const MOST_SECTIONS: usize = 16;

/// Least length of a section \[core radii\]: that of the vortices that a body of a few core radii sheds. With
/// 10 a capsule of 3.3 core radii in wind has 1.7 times as much drag at 240 Hz as at 30.
const LEAST_LENGTH: f64 = 6.0;

/// The sections of one cluster: their weights fall linearly from their middles to those of the next ones.
#[derive(Debug, Clone, Copy)]
struct LongCluster {
    /// Number of its first section, and of its last one.
    first: usize,
    last: usize,
    /// Along the cluster, in sections per metre, and the place of its first middle \[sections\].
    along: DVec3,
    origin: f64,
}

impl LongCluster {
    /// A cluster of one section.
    const fn whole(first: usize) -> Self {
        Self { first, last: first, along: DVec3::ZERO, origin: 0.0 }
    }
}

/// The extent of a cluster along its principal axes.
#[derive(Debug, Clone, Copy)]
struct AxesSpan {
    low: DVec3,
    high: DVec3,
}

impl AxesSpan {
    const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn of(place: DVec3) -> Self {
        Self { low: place, high: place }
    }

    fn and(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// The sections of all clusters of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Sections {
    clusters: Vec<LongCluster>,
    places: Vec<PlaceMoments>,
    /// Principal axes of each cluster.
    axes: Vec<[DVec3; 3]>,
    extents: Vec<AxesSpan>,
    /// True for clusters that bodies shed vorticity into.
    at_bodies: Vec<bool>,
}

impl Sections {
    /// Reserves memory for one cluster without bodies; others allocate once.
    pub(super) fn reserve(&mut self) {
        self.clusters.reserve(1);
        self.axes.reserve(1);
        self.at_bodies.reserve(1);
    }

    /// Divides long clusters of the first `count` of these sources, except beside containers, if one of the
    /// `others` is in them: strength that a body holds. Vortons without strength do not count.
    pub(super) fn find(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        (positions, strengths, count, others): (&Vec3Columns, &Vec3Columns, usize, Range<usize>),
        core_radius: f32,
    ) {
        self.at_bodies.clear();
        self.at_bodies.resize(clusters.count(), false);
        let holds = |row: &usize| positions.get(*row).is_finite() && strengths.get(*row) != Vec3::ZERO;
        for row in others.filter(holds) {
            let cluster = clusters.at(positions.get(row));
            self.at_bodies[cluster] = clusters.keeps(cluster) == Keeps::StrengthAndImpulse;
        }
        if !self.at_bodies.contains(&true) {
            self.clusters.clear();
            self.clusters.extend((0..clusters.count()).map(LongCluster::whole));
            return;
        }
        // From a place of the cluster: squares of coordinates far from the origin would lose digits.
        let place = |row: usize| {
            let place = positions.get(row);
            let counts = place.is_finite() && strengths.get(row) != Vec3::ZERO;
            let cluster = clusters.of(row);
            counts.then(|| (cluster, (place - clusters.middle(cluster)).as_dvec3()))
        };
        let size = (count, clusters.count(), MOST_SUMS);
        let of_row = |row: usize| place(row).map(|(cluster, place)| (cluster, PlaceMoments::of(place)));
        sum_in_clusters(exec, size, (&mut self.places, PlaceMoments::NONE), &of_row, &PlaceMoments::and);
        self.axes.clear();
        self.axes.extend(self.places.iter().take(clusters.count()).map(axes_of));
        let axes = &self.axes;
        let extent = |row: usize| {
            let (cluster, place) = place(row)?;
            Some((cluster, AxesSpan::of(DVec3::from_array(axes[cluster].map(|axis| axis.dot(place))))))
        };
        sum_in_clusters(exec, size, (&mut self.extents, AxesSpan::NONE), &extent, &AxesSpan::and);
        self.clusters.clear();
        let mut first = 0;
        for (cluster, (axes, extent)) in self.axes.iter().zip(&self.extents).enumerate() {
            let middle = clusters.middle(cluster).as_dvec3();
            let core_radius = f64::from(core_radius);
            let divided = match self.at_bodies[cluster] {
                true => divided((axes, extent), middle, core_radius, first),
                false => LongCluster::whole(first),
            };
            first = divided.last + 1;
            self.clusters.push(divided);
        }
    }

    /// Returns the number of sections of all clusters.
    pub(super) fn count(&self) -> usize {
        self.clusters.last().map_or(0, |cluster| cluster.last + 1)
    }

    /// Iterates over the number of the cluster of each section.
    pub(super) fn clusters(&self) -> impl Iterator<Item = usize> {
        let each = self.clusters.iter().enumerate();
        each.flat_map(|(cluster, one)| std::iter::repeat_n(cluster, one.last + 1 - one.first))
    }

    /// Returns the number of the section that a place in a cluster belongs to, and its part in the next one
    /// of that cluster \[1\], 0 if there is none.
    pub(super) fn at(&self, cluster: usize, place: Vec3) -> (usize, f64) {
        let LongCluster { first, last, along, origin } = self.clusters[cluster];
        if first == last || !place.is_finite() {
            return (first, 0.0);
        }
        let at = (along.dot(place.as_dvec3()) - origin).clamp(0.0, (last - first) as f64);
        let before = (at as usize).min(last - first - 1);
        (first + before, at - before as f64)
    }
}

/// Returns the principal axes of places with these moments.
fn axes_of(places: &PlaceMoments) -> [DVec3; 3] {
    let covariance = places.covariance();
    if covariance.is_finite() { principal_axes(covariance).1 } else { DVec3::AXES }
}

/// Divides a cluster with this extent about its `middle` \[m\] along its longest axis.
fn divided(
    (axes, extent): (&[DVec3; 3], &AxesSpan),
    middle: DVec3,
    core_radius: f64,
    first: usize,
) -> LongCluster {
    let sizes = (extent.high - extent.low).to_array();
    let longest = (0..3).fold(0, |longest, axis| if sizes[axis] > sizes[longest] { axis } else { longest });
    let length = sizes[longest];
    // Not finite without vortons: one section.
    let sections = (length / (LEAST_LENGTH * core_radius)).round().min(MOST_SECTIONS as f64) as usize;
    if sections < 2 || !length.is_finite() {
        return LongCluster::whole(first);
    }
    let per_metre = sections as f64 / length;
    let along = axes[longest] * per_metre;
    let origin = along.dot(middle) + extent.low[longest] * per_metre + 0.5;
    LongCluster { first, last: first + sections - 1, along, origin }
}
