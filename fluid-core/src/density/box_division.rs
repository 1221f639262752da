//! The division of density between boxes (E67): clusters far apart get boxes of their own if these have fewer
//! nodes together than one around all.

use crate::constants::DENSITY_MARGIN;
use crate::grid::{Domain, box_nodes, find_cut};
use crate::math::{Vec3Columns, for_capacity, partition};
use glam::Vec3;
use std::cmp::Reverse;

/// Most boxes beside the first: fluid in more clusters than this, far from each other, feels no gravity in
/// the remaining ones.
pub(super) const MOST_BOXES: usize = 63;

/// Number of times that a part of the vortons is cut again.
const LEVELS: u32 = 6;

/// Smallest gap \[nodes\] across which vortons are divided: two margins, and a size of a box.
const LEAST_GAP: f32 = 2.0 * DENSITY_MARGIN as f32 + 8.0;

/// Vortons in other boxes that cost a box as much time as a node: it looks at each vorton.
const VORTONS_PER_NODE: usize = 4;

/// Nodes counted for a box that is too large for any.
const TOO_LARGE: usize = 1 << 26;

/// A division, and the memory to find one.
#[derive(Debug, Clone, Default)]
pub(super) struct BoxDivision {
    rows: Vec<u32>,
    /// Domains with their number of vortons and nodes, that with most vortons first.
    parts: Vec<DensityPart>,
    /// Number of vortons for which memory is reserved by the first division.
    capacity: usize,
}

/// The vortons in a domain.
#[derive(Debug, Clone, Copy)]
struct DensityPart {
    domain: Domain,
    count: usize,
    nodes: usize,
}

impl BoxDivision {
    /// Lets the first division reserve memory for so many vortons.
    pub(super) fn reserve(&mut self, capacity: usize) {
        self.capacity = capacity;
    }

    /// Divides the vortons for which `carries` holds. Returns the number of nodes of their boxes.
    pub(super) fn find(
        &mut self,
        positions: &Vec3Columns,
        spacing: f32,
        carries: impl Fn(usize) -> bool,
    ) -> usize {
        let Self { rows, parts, .. } = self;
        rows.clear();
        for_capacity(rows, self.capacity);
        for_capacity(parts, 1 + MOST_BOXES);
        let finite = |row: &usize| carries(*row) && positions.get(*row).is_finite();
        rows.extend((0..positions.len()).filter(finite).map(|row| row as u32));
        parts.clear();
        if rows.is_empty() {
            return 0;
        }
        divide((positions, spacing), rows, (Domain::ALL, LEVELS), parts);
        parts.sort_by_key(|part| Reverse(part.count));
        parts.truncate(1 + MOST_BOXES);
        parts.iter().map(|part| part.nodes).sum()
    }

    /// Returns the domains of the last division, that with most vortons first: all space if the vortons are
    /// not divided.
    pub(super) fn domains(&self) -> impl ExactSizeIterator<Item = Domain> {
        self.parts.iter().map(|part| part.domain)
    }

    /// Returns the cost of so many boxes beside the first one, with these nodes in all boxes and so many
    /// vortons \[nodes\].
    pub(super) fn cost_of(nodes: usize, others: usize, vortons: usize) -> usize {
        nodes + others * vortons / VORTONS_PER_NODE
    }
}

/// Divides `rows`, which are those in a domain, and appends the parts. Returns the cost of their boxes, and
/// the bounds of the vortons \[m\].
fn divide(
    (positions, spacing): (&Vec3Columns, f32),
    rows: &mut [u32],
    (domain, levels): (Domain, u32),
    parts: &mut Vec<DensityPart>,
) -> (usize, [Vec3; 2]) {
    let place = |row: u32| positions.get(row as usize);
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &row in &*rows {
        (low, high) = (low.min(place(row)), high.max(place(row)));
    }
    let bounds = [low, high];
    let whole = box_nodes((high - low) / spacing, DENSITY_MARGIN).unwrap_or(TOO_LARGE);
    let cut = if levels > 0 { find_cut(positions, rows, bounds, LEAST_GAP * spacing) } else { None };
    if let Some((axis, at)) = cut {
        let first = parts.len();
        let middle = partition(rows, |row| place(row)[axis] < at);
        let (below, above) = rows.split_at_mut(middle);
        let [lower, upper] = domain.cut(axis, at);
        let (below, _) = divide((positions, spacing), below, (lower, levels - 1), parts);
        let (above, _) = divide((positions, spacing), above, (upper, levels - 1), parts);
        let divided = BoxDivision::cost_of(below + above, 1, positions.len());
        if divided < whole {
            return (divided, bounds);
        }
        parts.truncate(first);
    }
    parts.push(DensityPart { domain, count: rows.len(), nodes: whole });
    (whole, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn clouds(places: &[Vec3], each: u64) -> Vec3Columns {
        let (random, mut positions) = (Random::new(3), Vec3Columns::default());
        for (number, &middle) in places.iter().enumerate() {
            (0..each).for_each(|n| positions.push(middle + random.centred_vec3(each * number as u64 + n)));
        }
        positions
    }

    #[test]
    fn clouds_far_apart_are_divided_and_those_near_are_not() {
        let grid =
            |spacing: f32| (0..9).map(move |i| Vec3::new((i % 3) as f32, (i / 3) as f32, 0.0) * spacing);
        for (spacing, expected) in [(0.9, 1), (6.0, 9), (500.0, 9)] {
            let positions = clouds(&grid(spacing).collect::<Vec<_>>(), 100);
            let mut division = BoxDivision::default();
            let cost = division.find(&positions, 0.05, |_| true);
            let domains: Vec<Domain> = division.domains().collect();
            assert_eq!(domains.len(), expected, "{spacing}");
            for place in positions.iter() {
                assert_eq!(domains.iter().filter(|domain| domain.contains(place)).count(), 1);
            }
            println!("{spacing}: {cost}");
        }
    }

    #[test]
    fn what_carries_nothing_does_not_count() {
        let positions = clouds(&[Vec3::ZERO, Vec3::X * 20.0], 100);
        let mut division = BoxDivision::default();
        division.find(&positions, 0.05, |row| row < 100);
        assert_eq!(division.domains().collect::<Vec<_>>(), [Domain::ALL]);
        assert_eq!(division.find(&Vec3Columns::default(), 0.05, |_| true), 0);
    }
}
