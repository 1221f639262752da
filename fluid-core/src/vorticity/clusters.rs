//! Clusters of vortons, apart from each other, and groups of clusters that exchange impulse (E7).
//!
//! No vortex line leads from one cluster to another, so each keeps its total strength by itself, and neither
//! removal of energy nor relaxation changes its strength or its linear impulse. One correction for all would
//! change strengths in proportion to their distance from the middle: the loss of one cluster would be given
//! to another, any distance away and however weak. In a step's motion clusters near each other exchange
//! linear impulse, so a group of them keeps it together.

mod images;

use self::images::ClusterImages;
use crate::constants::PARTICLE_CHUNK;
use crate::grid::box_of;
use crate::math::{Vec3Columns, partition};
use fluid_threads::{Executor, Rows, chunk_count, chunk_range, for_each_chunk_mut, reduce_ordered};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Smallest gap between clusters \[core radii\]: no resolved vortex line crosses it.
const LEAST_GAP: f64 = 3.0;

/// Fewest vortons of a cluster beside a gap. Fewer, which have strayed from a cluster, belong to the nearest.
const FEWEST: usize = 8;

/// Smallest gap between groups \[core radii\].
const LEAST_GAP_OF_GROUPS: f64 = 16.0;

/// Smallest gap between two groups, relative to the size of the larger \[1\]. A ring then changes the
/// impulse of one of its size by less than a thousandth in the time in which each turns over.
const GAP_PER_SIZE: f64 = 2.0;

/// Upper bound on the number of clusters. A cluster that would be divided into more is not divided.
pub(crate) const MOST_CLUSTERS: usize = 64;

/// Sums over the clusters of each chunk of the vortons up to which tasks form them at once.
pub(crate) const MOST_SUMS: usize = 256;

/// Bins along an axis in which gaps are sought.
const BINS: u32 = u128::BITS;

/// Most enclosures with contents that are apart; those of the rest are with the last.
const MOST_ENCLOSURES: usize = MOST_CLUSTERS / 2;

/// The cluster of a vorton that belongs to the nearest one.
const STRAY: u8 = u8::MAX;

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

    /// Returns the axis with the widest gap of at least `least` \[m\] between occupied bins, if there is one.
    fn axis_of_widest_gap(&self, bins: [u128; 3], least: f64) -> Option<usize> {
        let mut widest: Option<(f64, usize)> = None;
        for (axis, bins) in bins.into_iter().enumerate() {
            let width = (self.high - self.low)[axis] / f64::from(BINS);
            for (_, empty) in Gaps(bins, 0) {
                let gap = f64::from(empty) * width;
                if gap >= widest.map_or(least, |(gap, _)| gap) {
                    widest = Some((gap, axis));
                }
            }
        }
        widest.map(|(_, axis)| axis)
    }

    /// Returns the number of gaps of at least `least` \[m\] below each of the bins along an axis.
    fn gaps_below(&self, axis: usize, bins: u128, least: f64) -> [u8; BINS as usize] {
        let width = (self.high - self.low)[axis] / f64::from(BINS);
        let mut below = [0; BINS as usize];
        for (end, _) in Gaps(bins, 0).filter(|&(_, empty)| f64::from(empty) * width >= least) {
            below[end as usize..].iter_mut().for_each(|below| *below += 1);
        }
        below
    }

    /// Returns the bin of a place along an axis.
    fn bin(&self, axis: usize, place: Vec3) -> usize {
        let bin = (place.as_dvec3() - self.low)[axis] * (f64::from(BINS) / (self.high - self.low)[axis]);
        (bin as u32).min(BINS - 1) as usize
    }
}

/// Gaps between occupied bins, those in bits of the first number from the second on: the end of each, and the
/// number of empty bins.
struct Gaps(u128, u32);

impl Iterator for Gaps {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let Self(bins, start) = self;
        while *start < BINS && *bins >> *start != 0 {
            let (empty, first) = ((*bins >> *start).trailing_zeros(), *start == 0);
            *start += empty;
            let end = *start;
            *start += (*bins >> end).trailing_ones();
            if empty > 0 && !first {
                return Some((end, empty));
            }
        }
        None
    }
}

/// Sums that a cluster keeps while it moves: walls around it take up strength along them and impulse, walls
/// elsewhere impulse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    StrengthAndImpulse,
    Strength,
    Nothing,
}

/// Containers and bodies that keep clusters apart, or make groups of them, besides their distance.
pub(crate) struct ClusterSurroundings<'a> {
    /// Number of enclosures. The content of each is apart from all else.
    pub(crate) enclosures: usize,
    /// Index of the enclosure that contains a place \[m\] at the start of the step.
    pub(crate) enclosure_at: &'a (dyn Fn(Vec3) -> Option<usize> + Sync),
    /// True if a quick test shows that the first enclosure contains the box between these corners \[m\], or
    /// if there is none.
    pub(crate) has_one_fluid: &'a dyn Fn(Vec3, Vec3) -> bool,
    /// Centre and radius \[m\] of balls. Clusters that the same one touches are one group: the flow of each
    /// gives impulse to the body in it.
    pub(crate) sheets: &'a [(Vec3, f32)],
}

#[cfg(test)]
impl<'a> ClusterSurroundings<'a> {
    /// Those without enclosures.
    pub(crate) const fn of_sheets(sheets: &'a [(Vec3, f32)]) -> Self {
        Self { enclosures: 0, enclosure_at: &|_| None, has_one_fluid: &|_, _| true, sheets }
    }
}

/// The clusters of a step, by the positions at its start.
#[derive(Debug, Clone, Default)]
pub struct VortonClusters {
    /// One or none if all vortons are one cluster.
    boxes: Vec<ClusterBox>,
    /// Group of each cluster, if there are several.
    groups: Vec<u8>,
    /// Boxes of the groups.
    joined: Vec<ClusterBox>,
    /// True for clusters at sheets.
    at_sheets: Vec<bool>,
    /// True for clusters in enclosures, if there are enclosures; otherwise empty.
    are_held: Vec<bool>,
    /// Sum of the magnitudes of the strengths in each \[m³/s\].
    weights: Vec<f64>,
    /// Cluster of each vorton, if there are several.
    of_rows: Vec<u8>,
    /// Rows in the order of the parts that they are divided into.
    rows: Vec<u32>,
    /// Ends of the parts in `rows` that are still to be divided, the first one last, and true if they are in
    /// an enclosure.
    ends: Vec<(usize, bool)>,
    bins: Vec<[u128; 3]>,
    /// Images of the clusters (E50).
    images: ClusterImages,
}

impl VortonClusters {
    /// Reserves memory for `capacity` vortons in one cluster; several allocate once.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.boxes.reserve(1);
        self.are_held.reserve(1);
        self.bins.reserve(chunk_count(capacity, PARTICLE_CHUNK));
        self.images.reserve();
    }

    /// Finds the clusters of vortons at these positions at the start of a step.
    pub(crate) fn find(
        &mut self,
        exec: &dyn Executor,
        (positions, strengths): (&Vec3Columns, &Vec3Columns),
        core_radius: f32,
        surroundings: &ClusterSurroundings<'_>,
    ) {
        let core_radius = f64::from(core_radius);
        let least = LEAST_GAP * core_radius;
        self.boxes.clear();
        self.are_held.clear();
        self.see_mirrors(&[], core_radius as f32);
        let has_enclosures = surroundings.enclosures > 0;
        let is_finite = |row: usize| positions.get(row).is_finite();
        let Some((low, high)) = box_of(exec, positions, &is_finite).flatten() else { return };
        let all = ClusterBox { low: low.as_dvec3(), high: high.as_dvec3() };
        let has_gap = all.size() >= least && self.has_gap(exec, positions, &all, least);
        if !has_gap && (surroundings.has_one_fluid)(low, high) {
            self.boxes.push(all);
            self.are_held.extend(has_enclosures.then_some(true));
            return;
        }
        self.begin(exec, positions, surroundings);
        self.divide(positions, least, has_enclosures);
        self.assign_strays(exec, positions);
        self.join(LEAST_GAP_OF_GROUPS * core_radius, surroundings.sheets);
        self.weigh(strengths);
    }

    /// Returns the number of clusters, at least one.
    pub(crate) fn count(&self) -> usize {
        self.boxes.len().max(1)
    }

    /// Returns the cluster of the vorton in this row.
    pub(crate) fn of(&self, row: usize) -> usize {
        if self.boxes.len() < 2 { 0 } else { self.of_rows[row].into() }
    }

    /// Returns the number of groups, at least one.
    pub(crate) fn count_groups(&self) -> usize {
        if self.boxes.len() < 2 { 1 } else { self.joined.len() }
    }

    /// Returns the group of a cluster.
    pub(crate) fn group_of(&self, cluster: usize) -> usize {
        if self.boxes.len() < 2 { 0 } else { self.groups[cluster].into() }
    }

    /// Returns the gap \[m\] between two clusters through which they exchange impulse: none between those at
    /// the same sheet, through which they do.
    pub(crate) fn gap(&self, a: usize, b: usize) -> f64 {
        if self.at_sheets[a] && self.at_sheets[b] { 0.0 } else { self.boxes[a].gap(&self.boxes[b]) }
    }

    /// Returns the sums that a cluster keeps.
    pub(crate) fn keeps(&self, cluster: usize) -> Keeps {
        match self.are_held.get(cluster) {
            None => Keeps::StrengthAndImpulse,
            Some(false) => Keeps::Strength,
            Some(true) => Keeps::Nothing,
        }
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

    fn has_gap(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        all: &ClusterBox,
        least: f64,
    ) -> bool {
        let of_rows = |rows: Range<usize>| {
            let places = rows.map(|row| positions.get(row)).filter(|place| place.is_finite());
            places.fold([0; 3], |bins, place| both(bins, all.bins(place)))
        };
        let (count, partials) = (positions.len(), &mut self.bins);
        let bins = reduce_ordered(exec, count, PARTICLE_CHUNK, [0; 3], partials, &of_rows, both);
        all.axis_of_widest_gap(bins, least).is_some()
    }

    /// Fills `rows` and `ends` with the vortons in each enclosure, and those outside.
    fn begin(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        surroundings: &ClusterSurroundings<'_>,
    ) {
        let &ClusterSurroundings { enclosures, enclosure_at, .. } = surroundings;
        let Self { of_rows, rows, ends, .. } = self;
        of_rows.clear();
        of_rows.resize(positions.len(), 0);
        if enclosures > 0 {
            for_each_chunk_mut(exec, PARTICLE_CHUNK, of_rows.as_mut_slice(), &|first, of: &mut [u8]| {
                for (row, enclosure) in (first..).zip(of) {
                    let index = enclosure_at(positions.get(row)).map(|index| index.min(MOST_ENCLOSURES - 1));
                    *enclosure = index.unwrap_or(MOST_ENCLOSURES) as u8;
                }
            });
        }
        rows.clear();
        rows.extend((0..positions.len() as u32).filter(|&row| positions.get(row as usize).is_finite()));
        ends.clear();
        let mut start = 0;
        for enclosure in 0..enclosures.min(MOST_ENCLOSURES) {
            let held = partition(&mut rows[start..], |row| usize::from(of_rows[row as usize]) == enclosure);
            if held > 0 {
                start += held;
                ends.push((start, true));
            }
        }
        if start < rows.len() {
            ends.push((rows.len(), false));
        }
        ends.reverse();
    }

    /// Cuts the vortons at gaps until there are none, or as many clusters as may be. Few vortons beside a gap
    /// are strays.
    fn divide(&mut self, positions: &Vec3Columns, least: f64, has_enclosures: bool) {
        let mut start = 0;
        while let Some((end, is_held)) = self.ends.pop() {
            let places = || self.rows[start..end].iter().map(|&row| positions.get(row as usize));
            let none = ClusterBox { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
            let own = places()
                .map(|place| place.as_dvec3())
                .fold(none, |own, place| own.with(&ClusterBox { low: place, high: place }));
            let bins = places().fold([0; 3], |bins, place| both(bins, own.bins(place)));
            if let Some(axis) = own.axis_of_widest_gap(bins, least) {
                let below = own.gaps_below(axis, bins[axis], least);
                let piece_of = |place: Vec3| below[own.bin(axis, place)];
                if let Some(strays) = self.cut(positions, start..end, is_held, piece_of) {
                    start += strays;
                    continue;
                }
            }
            let cluster = self.boxes.len() as u8;
            self.rows[start..end].iter().for_each(|&row| self.of_rows[row as usize] = cluster);
            self.boxes.push(own);
            self.are_held.extend(has_enclosures.then_some(is_held));
            start = end;
        }
    }

    /// Sorts this part of `rows` by pieces, strays first, and adds the ends of pieces that are not too small.
    /// Returns the number of strays. `None` if there are no such pieces, or too many.
    fn cut(
        &mut self,
        positions: &Vec3Columns,
        part: Range<usize>,
        is_held: bool,
        piece_of: impl Fn(Vec3) -> u8,
    ) -> Option<usize> {
        let Self { boxes, rows, ends, of_rows, .. } = self;
        let (mut to, rows) = (part.end, &mut rows[part.clone()]);
        let mut counts = [0; BINS as usize];
        for &row in &*rows {
            let piece = piece_of(positions.get(row as usize));
            of_rows[row as usize] = piece;
            counts[usize::from(piece)] += 1;
        }
        let most = MOST_CLUSTERS - boxes.len() - ends.len();
        let large = counts.iter().filter(|&&count| count >= FEWEST).count();
        if large == 0 || large > most {
            return None;
        }
        for &row in &*rows {
            let piece = &mut of_rows[row as usize];
            *piece = if counts[usize::from(*piece)] < FEWEST { STRAY } else { *piece };
        }
        rows.sort_unstable_by_key(|&row| of_rows[row as usize].wrapping_add(1));
        for count in counts.into_iter().rev().filter(|&count| count >= FEWEST) {
            ends.push((to, is_held));
            to -= count;
        }
        Some(to - part.start)
    }

    /// Assigns strays to the nearest clusters.
    fn assign_strays(&mut self, exec: &dyn Executor, positions: &Vec3Columns) {
        let mut of_rows = std::mem::take(&mut self.of_rows);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, of_rows.as_mut_slice(), &|first, rows: &mut [u8]| {
            for (row, cluster) in (first..).zip(rows).filter(|(_, cluster)| **cluster == STRAY) {
                *cluster = self.at(positions.get(row)) as u8;
            }
        });
        self.of_rows = of_rows;
    }

    /// Joins clusters that are near each other, or at the same body, to groups.
    fn join(&mut self, least: f64, sheets: &[(Vec3, f32)]) {
        let Self { boxes, groups, joined, at_sheets, .. } = self;
        let touches = |one: &ClusterBox, (centre, radius): (Vec3, f32)| {
            one.distance(centre.as_dvec3()) <= f64::from(radius)
        };
        at_sheets.clear();
        at_sheets.extend(boxes.iter().map(|one| sheets.iter().any(|&sheet| touches(one, sheet))));
        joined.clone_from(boxes);
        groups.clear();
        groups.extend(0..boxes.len() as u8);
        loop {
            join_while((joined, groups), |a, b| a.gap(b) < least.max(GAP_PER_SIZE * a.size().max(b.size())));
            let apart = joined.len();
            for &sheet in sheets {
                let touches = |one: &ClusterBox| touches(one, sheet);
                if joined.iter().filter(|one| touches(one)).nth(1).is_some() {
                    join_while((joined, groups), |a, b| touches(a) && touches(b));
                }
            }
            if joined.len() == apart {
                return;
            }
        }
    }

    /// Finds the weights.
    fn weigh(&mut self, strengths: &Vec3Columns) {
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

/// Joins pairs of boxes for which `are_one` holds until there is none, and their groups.
fn join_while(
    (boxes, groups): (&mut Vec<ClusterBox>, &mut [u8]),
    are_one: impl Fn(&ClusterBox, &ClusterBox) -> bool,
) {
    let mut first = 0;
    while first < boxes.len() {
        match (first + 1..boxes.len()).find(|&other| are_one(&boxes[first], &boxes[other])) {
            Some(other) => {
                boxes[first] = boxes[first].with(&boxes[other]);
                boxes.remove(other);
                for group in groups.iter_mut() {
                    match usize::from(*group) {
                        of if of == other => *group = first as u8,
                        of if of > other => *group -= 1,
                        _ => {}
                    }
                }
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
    use crate::velocity::Mirror;
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
        clusters.find(&Serial, (positions, positions), 0.1, &ClusterSurroundings::of_sheets(sheets));
        let of = (0..positions.len()).map(|row| clusters.of(row)).collect();
        (clusters, of)
    }

    /// Clouds around each other's corners, for which no plane divides all: each is a group.
    #[test]
    fn clouds_far_apart_are_groups() {
        let wheel = [(0.0, 0.0), (40.0, 5.0), (35.0, 45.0), (-5.0, 40.0), (18.0, 20.0)];
        let places = wheel.map(|(x, y)| (Vec3::new(x, y, 0.3 * x), 1.5));
        let (clusters, of) = found(&clouds(&places, 2000), &[]);
        assert_eq!((clusters.count(), clusters.count_groups()), (5, 5));
        for (number, of) in of.chunks(2000).enumerate() {
            assert!(of.iter().all(|cluster| *cluster == of[0]), "{number}: {of:?}");
            assert!(places[number].0.distance(clusters.middle(of[0])) < 0.5);
        }
    }

    /// Nearer than two sizes, or with a body around both, they are one group.
    #[test]
    fn clouds_near_each_other_or_at_one_body_are_one_group() {
        let pair = |apart: f32| clouds(&[(Vec3::ZERO, 1.0), (Vec3::X * apart, 0.2)], 1000);
        let count = |apart: f32, sheets: &[(Vec3, f32)]| {
            let (clusters, _) = found(&pair(apart), sheets);
            assert_eq!(clusters.count(), 2);
            clusters.count_groups()
        };
        assert_eq!(count(4.5, &[]), 1);
        assert_eq!(count(8.0, &[]), 2);
        assert_eq!(count(8.0, &[(Vec3::X * 4.0, 3.9)]), 1);
        assert_eq!(count(8.0, &[(Vec3::X * 4.0, 1.0), (Vec3::X * 8.0, 1.0)]), 2);
    }

    /// A cloud at a plane is one with its image; a higher one exchanges impulse with it, or nothing.
    #[test]
    fn a_cloud_is_one_with_its_image_or_near_it() {
        let mirror = Mirror::new(Vec3::Z, Vec3::Z);
        let mirrors_at = |height: f32| {
            let (mut clusters, _) = found(&clouds(&[(Vec3::Z * (1.0 + height), 1.0)], 1000), &[]);
            clusters.see_mirrors(&[mirror], 0.1);
            let gaps: Vec<_> = clusters.gaps_to_images(0, 0).collect();
            assert!(gaps.iter().all(|gap| (gap - f64::from(2.0 * height - 2.0)).abs() < 0.2), "{gaps:?}");
            [clusters.mirrors_at(0).count(), clusters.mirrors_at_group(0).count(), gaps.len()]
        };
        assert_eq!([1.1, 1.3, 2.7, 3.3].map(mirrors_at), [[1, 1, 0], [0, 1, 1], [0, 1, 1], [0, 0, 0]]);
    }

    /// Few vortons that have strayed are no cluster, and belong to the nearest one.
    #[test]
    fn strays_belong_to_the_nearest_cluster() {
        let mut positions = clouds(&[(Vec3::ZERO, 1.0), (Vec3::X * 5.0, 1.0)], 1000);
        for n in 0..5 {
            positions.push(Vec3::new(-3.0, 0.1 * n as f32, 0.0));
            positions.push(Vec3::new(3.4, 0.1 * n as f32, 9.0));
        }
        let (clusters, of) = found(&positions, &[]);
        assert_eq!(clusters.count(), 2);
        for n in 0..5 {
            assert_eq!((of[2000 + 2 * n], of[2001 + 2 * n]), (of[0], of[1000]));
        }
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
