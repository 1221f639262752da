//! Clusters of vortons, far apart, each of which keeps its total strength and linear impulse by itself (E7).
//!
//! One correction for all, of a rigid rotation, would change strengths in proportion to their distance from
//! the middle: what one cluster has lost would be given to another, any distance away and however weak.

use crate::constants::PARTICLE_CHUNK;
use crate::grid::box_of;
use crate::math::{Vec3Columns, partition};
use fluid_threads::{Executor, Rows, chunk_count, chunk_range, for_each_chunk_mut, reduce_ordered};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Smallest gap between clusters \[core radii\].
const LEAST_GAP: f64 = 16.0;

/// Smallest gap between two clusters, relative to the size of the larger \[1\]. A ring then changes the
/// impulse of one of its size by less than a thousandth in the time in which each turns over.
const GAP_PER_SIZE: f64 = 2.0;

/// Upper bound on the number of clusters. Vortons left over form one part, mostly so large that it is joined
/// with all others.
pub(crate) const MOST_CLUSTERS: usize = 64;

/// Sums over the clusters of each chunk of the vortons up to which tasks form them at once.
pub(crate) const MOST_SUMS: usize = 256;

/// Bins along an axis in which gaps are sought.
const BINS: u32 = u128::BITS;

/// A box of the positions of vortons.
#[derive(Debug, Clone, Copy)]
struct ClusterBox {
    low: DVec3,
    high: DVec3,
}

impl ClusterBox {
    fn middle(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }

    fn size(&self) -> f64 {
        (self.high - self.low).max_element()
    }

    /// Returns the distance of a point from the box \[m\], 0 inside.
    fn distance(&self, place: DVec3) -> f64 {
        (self.low - place).max(place - self.high).max(DVec3::ZERO).length()
    }

    fn gap(&self, other: &Self) -> f64 {
        (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO).length()
    }

    fn with(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Returns the bins along each axis that contain this place, as bits.
    fn bins(&self, place: Vec3) -> [u128; 3] {
        let bins = (place.as_dvec3() - self.low) * (f64::from(BINS) / (self.high - self.low));
        // A box without extent, 0/0, has one bin.
        bins.to_array().map(|bin| 1 << (bin as u32).min(BINS - 1))
    }

    /// Returns the axis and the middle \[m\] of the widest gap between occupied bins of at least `least`
    /// \[m\].
    fn widest_gap(&self, bins: [u128; 3], least: f64) -> Option<(usize, f64)> {
        let mut widest: Option<(f64, usize, f64)> = None;
        for (axis, bins) in bins.into_iter().enumerate() {
            let width = (self.high - self.low)[axis] / f64::from(BINS);
            let (mut start, mut rest) = (0, bins);
            while rest != 0 {
                let empty = rest.trailing_zeros();
                let gap = f64::from(empty) * width;
                if gap >= widest.map_or(least, |(gap, ..)| gap) && empty > 0 {
                    let middle = f64::from(start) + 0.5 * f64::from(empty);
                    widest = Some((gap, axis, self.low[axis] + width * middle));
                }
                let full = (rest >> empty).trailing_ones();
                start += empty + full;
                rest = if start < BINS { bins >> start } else { 0 };
            }
        }
        widest.map(|(_, axis, middle)| (axis, middle))
    }
}

/// The clusters of a step, by the positions at its start.
#[derive(Debug, Clone, Default)]
pub struct VortonClusters {
    /// One or none if all vortons are one cluster.
    boxes: Vec<ClusterBox>,
    /// Sum of the magnitudes of the strengths in each \[m³/s\].
    weights: Vec<f64>,
    /// Cluster of each vorton, if there are several.
    of_rows: Vec<u8>,
    /// Rows in the order of the parts that they are divided into.
    rows: Vec<u32>,
    /// Ends of the parts in `rows` that are still to be divided.
    ends: Vec<usize>,
    bins: Vec<[u128; 3]>,
}

impl VortonClusters {
    /// Reserves memory for `capacity` vortons in one cluster; several allocate once.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.boxes.reserve(1);
        self.bins.reserve(chunk_count(capacity, PARTICLE_CHUNK));
    }

    /// Finds the clusters of vortons at these positions. Those that the same ball of `sheets`, centre and
    /// radius \[m\], touches are one: the flow of each gives impulse to the body in it.
    pub(crate) fn find(
        &mut self,
        exec: &dyn Executor,
        (positions, strengths): (&Vec3Columns, &Vec3Columns),
        core_radius: f32,
        sheets: &[(Vec3, f32)],
    ) {
        let least = LEAST_GAP * f64::from(core_radius);
        self.boxes.clear();
        let is_finite = |row: usize| positions.get(row).is_finite();
        let Some((low, high)) = box_of(exec, positions, &is_finite).flatten() else { return };
        let all = ClusterBox { low: low.as_dvec3(), high: high.as_dvec3() };
        if all.size() < least || self.gap_in(exec, positions, &all, least).is_none() {
            self.boxes.push(all);
            return;
        }
        self.divide(positions, least);
        self.join(least, sheets);
        self.assign(exec, (positions, strengths));
    }

    /// Returns the number of clusters, at least one.
    pub(crate) fn count(&self) -> usize {
        self.boxes.len().max(1)
    }

    /// Returns the cluster of the vorton in this row.
    pub(crate) fn of(&self, row: usize) -> usize {
        if self.boxes.len() < 2 { 0 } else { self.of_rows[row].into() }
    }

    /// Returns the cluster at a place, or the one nearest to it.
    pub(crate) fn at(&self, place: Vec3) -> usize {
        let place = place.as_dvec3();
        least(self.boxes.iter().map(|one| one.distance(place)))
    }

    /// Returns the cluster with the fastest flow at a place: that of a closed vortex falls with the cube of
    /// the distance.
    pub(crate) fn fastest_at(&self, place: Vec3) -> usize {
        let place = place.as_dvec3();
        let each = self.boxes.iter().zip(&self.weights);
        least(each.map(|(one, weight)| {
            let distance = (place - one.middle()).length().max(0.5 * one.size());
            distance.powi(3) / (weight * one.size())
        }))
    }

    /// Returns the middle \[m\] of a cluster.
    pub(crate) fn middle(&self, cluster: usize) -> Vec3 {
        self.boxes.get(cluster).map_or(Vec3::ZERO, |one| one.middle().as_vec3())
    }

    fn gap_in(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        all: &ClusterBox,
        least: f64,
    ) -> Option<(usize, f64)> {
        let of_rows = |rows: Range<usize>| {
            let places = rows.map(|row| positions.get(row)).filter(|place| place.is_finite());
            places.fold([0; 3], |bins, place| both(bins, all.bins(place)))
        };
        let (count, partials) = (positions.len(), &mut self.bins);
        let bins = reduce_ordered(exec, count, PARTICLE_CHUNK, [0; 3], partials, &of_rows, both);
        all.widest_gap(bins, least)
    }

    /// Cuts the vortons at gaps until there are none, or as many parts as may be.
    fn divide(&mut self, positions: &Vec3Columns, least: f64) {
        let Self { boxes, rows, ends, .. } = self;
        rows.clear();
        rows.extend((0..positions.len() as u32).filter(|&row| positions.get(row as usize).is_finite()));
        ends.clear();
        ends.push(rows.len());
        let mut start = 0;
        while let Some(&end) = ends.last() {
            let part = &mut rows[start..end];
            let places = || part.iter().map(|&row| positions.get(row as usize));
            let none = ClusterBox { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
            let own = places()
                .map(|place| place.as_dvec3())
                .fold(none, |own, place| own.with(&ClusterBox { low: place, high: place }));
            let bins = places().fold([0; 3], |bins, place| both(bins, own.bins(place)));
            let has_room = boxes.len() + ends.len() < MOST_CLUSTERS;
            let gap = own.widest_gap(bins, least).filter(|_| has_room);
            let below = gap.map_or(0, |(axis, middle)| {
                partition(part, |row| f64::from(positions.get(row as usize)[axis]) < middle)
            });
            if below > 0 && below < end - start {
                ends.push(start + below);
            } else {
                boxes.push(own);
                start = end;
                ends.pop();
            }
        }
    }

    /// Joins clusters that are near each other, or at the same body.
    fn join(&mut self, least: f64, sheets: &[(Vec3, f32)]) {
        let boxes = &mut self.boxes;
        loop {
            join_while(boxes, |a, b| a.gap(b) < least.max(GAP_PER_SIZE * a.size().max(b.size())));
            let apart = boxes.len();
            for &(centre, radius) in sheets {
                let touches = |one: &ClusterBox| one.distance(centre.as_dvec3()) <= f64::from(radius);
                if boxes.iter().filter(|one| touches(one)).nth(1).is_some() {
                    join_while(boxes, |a, b| touches(a) && touches(b));
                }
            }
            if boxes.len() == apart {
                return;
            }
        }
    }

    /// Finds the cluster of each vorton, and the weights.
    fn assign(&mut self, exec: &dyn Executor, (positions, strengths): (&Vec3Columns, &Vec3Columns)) {
        let mut of_rows = std::mem::take(&mut self.of_rows);
        of_rows.clear();
        of_rows.resize(positions.len(), 0);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, of_rows.as_mut_slice(), &|first, rows: &mut [u8]| {
            for (row, cluster) in (first..).zip(rows) {
                *cluster = self.at(positions.get(row)) as u8;
            }
        });
        self.of_rows = of_rows;
        self.weights.clear();
        self.weights.resize(self.boxes.len(), 0.0);
        for (row, &cluster) in self.of_rows.iter().enumerate() {
            let weight = strengths.get(row).as_dvec3().length();
            self.weights[usize::from(cluster)] += if weight.is_finite() { weight } else { 0.0 };
        }
    }
}

/// Returns the index of the least of these values, the first one if there is none.
pub(crate) fn least(values: impl Iterator<Item = f64>) -> usize {
    let first = (f64::INFINITY, 0);
    let smaller = |least: (f64, usize), (index, value)| if value < least.0 { (value, index) } else { least };
    values.enumerate().fold(first, smaller).1
}

fn both(a: [u128; 3], b: [u128; 3]) -> [u128; 3] {
    [a[0] | b[0], a[1] | b[1], a[2] | b[2]]
}

/// Joins pairs of boxes for which `are_one` holds until there is none.
fn join_while(boxes: &mut Vec<ClusterBox>, are_one: impl Fn(&ClusterBox, &ClusterBox) -> bool) {
    let mut first = 0;
    while first < boxes.len() {
        match (first + 1..boxes.len()).find(|&other| are_one(&boxes[first], &boxes[other])) {
            Some(other) => {
                boxes[first] = boxes[first].with(&boxes[other]);
                boxes.remove(other);
                // The larger box may be near to one that its parts were not near to.
                first = 0;
            }
            None => first += 1,
        }
    }
}

/// Fills `sums` with the sums of `one` over the first `count` vortons in each cluster, followed by those over
/// chunks.
pub(crate) fn sum_of_vortons<T: Copy + Send + 'static>(
    exec: &dyn Executor,
    (clusters, count): (&VortonClusters, usize),
    sums: (&mut Vec<T>, T),
    one: &(impl Fn(usize) -> T + Sync),
    add: &(impl Fn(T, T) -> T + Sync),
) {
    let one = |row: usize| Some((clusters.of(row), one(row)));
    sum_in_clusters(exec, (count, clusters.count(), MOST_SUMS), sums, &one, add);
}

/// Adds up what each of the `rows` has in its cluster, if it has one, into the first `clusters` of `sums`: in
/// chunks if that takes at most `most` sums, or there is one cluster.
pub(crate) fn sum_in_clusters<T: Copy + Send + 'static>(
    exec: &dyn Executor,
    (rows, clusters, most): (usize, usize, usize),
    (sums, none): (&mut Vec<T>, T),
    one: &(impl Fn(usize) -> Option<(usize, T)> + Sync),
    add: &(impl Fn(T, T) -> T + Sync),
) {
    sums.clear();
    if clusters == 0 {
        return;
    }
    let in_chunks = clusters == 1 || chunk_count(rows, PARTICLE_CHUNK) * clusters <= most;
    let chunk = if in_chunks { PARTICLE_CHUNK } else { rows.max(1) };
    sums.resize(chunk_count(rows, chunk).max(1) * clusters, none);
    for_each_chunk_mut(exec, 1, Rows::new(sums, clusters), &|index, sums: &mut [T]| {
        for (cluster, value) in chunk_range(rows, chunk, index).filter_map(one) {
            sums[cluster] = add(sums[cluster], value);
        }
    });
    let (all, rest) = sums.split_at_mut(clusters);
    for chunk in rest.chunks_exact(clusters) {
        all.iter_mut().zip(chunk).for_each(|(sum, part)| *sum = add(*sum, *part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::Serial;

    /// Positions in balls around these places \[m\].
    fn clouds(places: &[(Vec3, f32)], each: u64) -> Vec3Columns {
        let random = Random::new(4);
        let mut positions = Vec3Columns::default();
        for (number, &(middle, radius)) in places.iter().enumerate() {
            for n in 0..each {
                let place = random.centred_vec3(each * number as u64 + n) * 2.0;
                positions.push(middle + radius * place);
            }
        }
        positions
    }

    fn found(positions: &Vec3Columns, sheets: &[(Vec3, f32)]) -> (VortonClusters, Vec<usize>) {
        let mut clusters = VortonClusters::default();
        clusters.find(&Serial, (positions, positions), 0.1, sheets);
        let of = (0..positions.len()).map(|row| clusters.of(row)).collect();
        (clusters, of)
    }

    /// Clouds around each other's corners, for which no plane divides all: each is a cluster.
    #[test]
    fn clouds_far_apart_are_clusters() {
        let wheel = [(0.0, 0.0), (40.0, 5.0), (35.0, 45.0), (-5.0, 40.0), (18.0, 20.0)];
        let places = wheel.map(|(x, y)| (Vec3::new(x, y, 0.3 * x), 1.5));
        let (clusters, of) = found(&clouds(&places, 50), &[]);
        assert_eq!(clusters.count(), 5);
        for (number, of) in of.chunks(50).enumerate() {
            assert!(of.iter().all(|cluster| *cluster == of[0]), "{number}: {of:?}");
            assert!(places[number].0.distance(clusters.middle(of[0])) < 0.5);
        }
    }

    /// Nearer than two sizes, or with a body around both, they are one.
    #[test]
    fn clouds_near_each_other_or_at_one_body_are_one() {
        let pair = |apart: f32| clouds(&[(Vec3::ZERO, 1.0), (Vec3::X * apart, 0.2)], 300);
        assert_eq!(found(&pair(4.5), &[]).0.count(), 1);
        assert_eq!(found(&pair(8.0), &[]).0.count(), 2);
        assert_eq!(found(&pair(8.0), &[(Vec3::X * 4.0, 3.9)]).0.count(), 1);
        assert_eq!(found(&pair(8.0), &[(Vec3::X * 4.0, 1.0), (Vec3::X * 8.0, 1.0)]).0.count(), 2);
    }

    /// More clouds than there may be clusters, one vorton far off, and positions that are no numbers.
    #[test]
    fn any_positions_have_clusters() {
        let row: Vec<_> = (0..100).map(|n| (Vec3::X * (9.0 * n as f32), 0.4)).collect();
        assert_eq!(found(&clouds(&row[..MOST_CLUSTERS], 20), &[]).0.count(), MOST_CLUSTERS);
        let mut positions = clouds(&row, 20);
        positions.push(Vec3::new(1e30, -1e30, 0.0));
        positions.push(Vec3::new(f32::NAN, 0.0, 0.0));
        positions.push(Vec3::splat(f32::INFINITY));
        let (clusters, of) = found(&positions, &[]);
        assert!((1..=MOST_CLUSTERS).contains(&clusters.count()));
        assert!(of.iter().all(|&cluster| cluster < clusters.count()));
        for none in [Vec3Columns::default(), clouds(&[(Vec3::ONE, 0.0)], 3)] {
            assert_eq!(found(&none, &[]).0.count(), 1);
        }
    }

    /// The sums over each cluster are those of its rows.
    #[test]
    fn sums_are_those_of_rows() {
        let places = [(Vec3::ZERO, 1.0), (Vec3::Y * 30.0, 1.0), (Vec3::Z * -50.0, 2.0)];
        for each in [3, 700, 3000] {
            let (clusters, of) = found(&clouds(&places, each), &[]);
            let (size, mut sums) = ((of.len(), clusters.count(), 8), Vec::new());
            sum_in_clusters(&Serial, size, (&mut sums, 0), &|row| Some((of[row], row)), &|a, b| a + b);
            for (cluster, &sum) in sums.iter().enumerate().take(clusters.count()) {
                let rows = (0..of.len()).filter(|&row| of[row] == cluster);
                assert_eq!(sum, rows.sum::<usize>(), "{cluster} of {each}");
            }
        }
    }
}
