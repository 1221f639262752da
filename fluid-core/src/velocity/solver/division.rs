//! The division of vortons between meshes (E67): clusters far apart get boxes of their own if that costs
//! less than one box around all, or than sums over the vortons that it leaves outside.

use super::costs::{SMALLEST_MESH, direct_cost, mesh_cost, part_cost, samples_on_mesh, strays_cost};
use crate::constants::MESH_MARGIN;
use crate::grid::{Domain, MARKED, Wanted, box_nodes, find_cut};
use crate::math::{Vec3Columns, partition};
use crate::velocity::flow_parts::MOST_OTHERS;
use glam::Vec3;
use std::cmp::Reverse;

/// Number of times that a part of the vortons is cut again.
const LEVELS: u32 = 6;

/// Smallest gap \[nodes\] across which vortons are divided: more than two margins, and a size of a box.
const LEAST_GAP: f32 = 2.0 * MESH_MARGIN as f32 + 8.0;

/// Costs of reading the far field of another mesh at a vorton, and of each source on the lattice that is read
/// there \[ns\]: where it is read for each vorton, and, estimated, from a distance on at which it is mostly
/// expanded for 256 together (E70).
const READ_FAR: [f64; 2] = [60.0, 12.0];
const READ_SOURCE: [f64; 2] = [1.3, 0.2];

/// That distance, over the size of the mesh of the vortons \[1\].
const EXPANDED_FROM: f32 = 3.0;

/// Spacings of that lattice in the distance of the other mesh's vortons.
const READ_SPACINGS: f32 = 4.0;

/// Nodes for each vorton up to which one box is filled well enough that no division is sought.
const FILLED: usize = 8;

/// Returns true if no division of so many vortons in a box of this many nodes is sought.
pub(in crate::velocity) fn is_filled(nodes: usize, vortons: usize) -> bool {
    nodes > 0 && nodes <= FILLED * vortons || nodes == SMALLEST_MESH
}

/// Vortons of a division.
#[derive(Clone, Copy)]
pub(in crate::velocity) struct Divided<'a> {
    pub(in crate::velocity) positions: &'a Vec3Columns,
    /// Distance of nodes \[m\], and the maximum number of all nodes.
    pub(in crate::velocity) spacing: f32,
    pub(in crate::velocity) max_nodes: usize,
}

/// A part of the vortons.
#[derive(Debug, Clone, Copy)]
struct DividedPart {
    domain: Domain,
    count: usize,
    /// Nodes of its box; 0 if its vortons are summed directly.
    nodes: usize,
}

/// A division, and the memory to find one.
#[derive(Debug, Clone, Default)]
pub(in crate::velocity) struct Division {
    rows: Vec<u32>,
    parts: Vec<DividedPart>,
    /// Cost of reading far fields at other meshes' vortons in two solves \[ns\].
    pub(in crate::velocity) reading: f64,
}

/// Returns the cost of two solves of `total` vortons, of which `summed` are on no mesh, on meshes with these
/// numbers of nodes, without that of reading far fields.
pub(super) fn cost_of(total: usize, nodes: impl Iterator<Item = usize>, summed: usize) -> f64 {
    nodes.map(|nodes| mesh_cost(0, nodes)).sum::<f64>()
        + samples_on_mesh(total.saturating_sub(summed))
        + strays_cost(summed, total)
}

impl Division {
    /// Divides the wanted vortons with finite positions. Returns its [cost](cost_of), with that of
    /// [`reading`](Self::reading); infinity if all would be summed.
    pub(in crate::velocity) fn find(&mut self, vortons: Divided<'_>, wanted: &impl Wanted) -> f64 {
        self.parts.clear();
        self.rows.clear();
        let count = vortons.positions.len();
        for first in (0..count).step_by(MARKED) {
            let mut marks = [false; MARKED];
            let marks = &mut marks[..MARKED.min(count - first)];
            wanted.mark(first, marks);
            let marked = (first..).zip(marks).filter(|(_, mark)| **mark).map(|(row, _)| row);
            let finite = marked.filter(|&row| vortons.positions.get(row).is_finite());
            self.rows.extend(finite.map(|row| row as u32));
        }
        let Self { rows, parts, reading } = self;
        let total = rows.len();
        let PartCost { whole, undivided, reading: read, .. } =
            divide(vortons, rows, (Domain::ALL, LEVELS), total, parts);
        *reading = read;
        parts.sort_by_key(|part| Reverse((part.nodes > 0, part.count)));
        parts.truncate(1 + MOST_OTHERS);
        parts.retain(|part| part.nodes > 0);
        // Those with most vortons come first; the others are summed if there are too few nodes for all.
        let mut left = vortons.max_nodes;
        parts.retain(|part| {
            let fits = part.nodes <= left;
            left -= if fits { part.nodes } else { 0 };
            fits
        });
        let nodes = self.parts.iter().map(|part| part.nodes);
        let cost = cost_of(total, nodes, self.summed()) + self.reading;
        if self.parts.is_empty() {
            // That all are summed is not a division.
            return f64::INFINITY;
        }
        if cost <= whole {
            return cost;
        }
        // More parts than there may be meshes, or nodes.
        self.parts.clear();
        self.parts.extend(Some(undivided).filter(|part| part.nodes > 0));
        self.reading = 0.0;
        if self.parts.is_empty() { f64::INFINITY } else { whole }
    }

    /// Reserves memory for `vortons`.
    pub(super) fn reserve(&mut self, vortons: usize) {
        self.rows.reserve(vortons.saturating_sub(self.rows.len()));
    }

    /// Iterates over the rows of the last division.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|&row| row as usize)
    }

    /// Returns the number of vortons in the last division.
    pub(super) fn vortons(&self) -> usize {
        self.rows.len()
    }

    /// Returns false if the last division is a single mesh for all vortons.
    pub(in crate::velocity) fn is_divided(&self) -> bool {
        !matches!(&self.parts[..], [part] if part.domain == Domain::ALL)
    }

    /// Returns the number of nodes of all meshes of the last division.
    pub(in crate::velocity) fn nodes(&self) -> usize {
        self.parts.iter().map(|part| part.nodes).sum()
    }

    /// Returns the number of vortons on no mesh in the last division.
    pub(in crate::velocity) fn summed(&self) -> usize {
        self.rows.len() - self.parts.iter().map(|part| part.count).sum::<usize>()
    }

    /// Returns the domains of the meshes of the last division, that with most vortons first: all space if
    /// the vortons are not divided.
    pub(super) fn domains(&self) -> impl Iterator<Item = Domain> {
        self.parts.iter().map(|part| part.domain)
    }
}

/// Costs of some vortons \[ns\].
struct PartCost {
    /// All costs, and those of all of them in one part.
    all: f64,
    whole: f64,
    undivided: DividedPart,
    /// Reading far fields of parts of them at the other parts.
    reading: f64,
    /// Bounds of the vortons \[m\].
    bounds: [Vec3; 2],
}

/// Divides `rows`, which are those in a domain, and appends the parts.
fn divide(
    vortons: Divided<'_>,
    rows: &mut [u32],
    (domain, levels): (Domain, u32),
    total: usize,
    parts: &mut Vec<DividedPart>,
) -> PartCost {
    let place = |row: u32| vortons.positions.get(row as usize);
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for &row in &*rows {
        (low, high) = (low.min(place(row)), high.max(place(row)));
    }
    let (count, bounds) = (rows.len(), [low, high]);
    let nodes = box_nodes((high - low) / vortons.spacing, MESH_MARGIN);
    // A box that would be too large leaves most of its vortons outside, if they have gaps.
    let left_out = count - count / 4;
    let most = (vortons.max_nodes, direct_cost(left_out, total).min(part_cost(left_out)));
    let nodes = nodes.filter(|&nodes| nodes <= vortons.max_nodes);
    let (nodes, outside) = nodes.map_or(most, |nodes| (nodes, 0.0));
    let on_mesh = mesh_cost(0, nodes) + outside + samples_on_mesh(count);
    let summed = direct_cost(count, total).min(part_cost(count));
    let whole = on_mesh.min(summed);
    let undivided = DividedPart { domain, count, nodes: if on_mesh <= summed { nodes } else { 0 } };
    let cut = if levels > 0 {
        find_cut(vortons.positions, rows, bounds, LEAST_GAP * vortons.spacing)
    } else {
        None
    };
    if let Some((axis, at)) = cut {
        let first = parts.len();
        let middle = partition(rows, |row| place(row)[axis] < at);
        let (below, above) = rows.split_at_mut(middle);
        let [lower, upper] = domain.cut(axis, at);
        let counts = [below.len(), above.len()];
        let below = divide(vortons, below, (lower, levels - 1), total, parts);
        let above = divide(vortons, above, (upper, levels - 1), total, parts);
        let here = counts[0] as f64 * cost_of_reading(above.bounds, below.bounds)
            + counts[1] as f64 * cost_of_reading(below.bounds, above.bounds);
        let (all, reading) = (below.all + above.all, below.reading + above.reading + here);
        if all + here < whole {
            return PartCost { all: all + here, whole, undivided, reading, bounds };
        }
        parts.truncate(first);
    }
    parts.push(undivided);
    PartCost { all: whole, whole, undivided, reading: 0.0, bounds }
}

/// Returns the cost of reading the far field of vortons with the first bounds at one with the others, in two
/// solves \[ns\].
fn cost_of_reading([low, high]: [Vec3; 2], readers: [Vec3; 2]) -> f64 {
    let middle = 0.5 * (readers[0] + readers[1]);
    let away = middle.distance(middle.clamp(low, high)).max(f32::MIN_POSITIVE);
    let is_expanded = usize::from(away >= EXPANDED_FROM * (readers[1] - readers[0]).max_element());
    let sources = ((high - low) * (READ_SPACINGS / away)).max(Vec3::splat(READ_SPACINGS)).element_product();
    2.0 * (READ_FAR[is_expanded] + READ_SOURCE[is_expanded] * f64::from(sources))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    fn cloud(clusters: &[(Vec3, usize)]) -> Vec3Columns {
        let (random, mut positions, mut seed) = (Random::new(4), Vec3Columns::default(), 0);
        for &(centre, count) in clusters {
            for _ in 0..count {
                positions.push(centre + random.centred_vec3(seed));
                seed += 1;
            }
        }
        positions
    }

    fn divided(positions: &Vec3Columns) -> Vec<Domain> {
        let vortons = Divided { positions, spacing: 0.05, max_nodes: 1 << 18 };
        let mut division = Division::default();
        division.find(vortons, &|_| true);
        division.domains().collect()
    }

    #[test]
    fn clusters_far_apart_have_domains_of_their_own() {
        let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let lone = cloud(&[(at(0.0, 0.0, 0.0), 3000)]);
        assert_eq!(divided(&lone), [Domain::ALL]);
        for (clusters, expected) in [
            (vec![(at(0.0, 0.0, 0.0), 3000), (at(9.0, 0.0, 0.0), 2000)], 2),
            (vec![(at(0.0, 0.0, 0.0), 3000), (at(9e4, 0.0, 0.0), 2000)], 2),
            ((0..4).map(|i| (at((i % 2) as f32 * 20.0, 0.0, (i / 2) as f32 * 20.0), 2000)).collect(), 4),
            ((0..7).map(|i| (at(i as f32 * 15.0, i as f32, 0.0), 1000)).collect(), 7),
            // The few are summed.
            (vec![(at(0.0, 0.0, 0.0), 3000), (at(0.0, 40.0, 0.0), 3)], 1),
        ] {
            let (positions, domains) = (cloud(&clusters), divided(&cloud(&clusters)));
            assert_eq!(domains.len(), expected, "{clusters:?}");
            let mut held = vec![0; domains.len()];
            for place in positions.iter() {
                let holders = || (0..domains.len()).filter(|&i| domains[i].contains(place));
                assert!(holders().count() <= 1, "domains are apart");
                holders().for_each(|i| held[i] += 1);
            }
            let mut counts: Vec<usize> =
                clusters.iter().map(|(_, count)| *count).filter(|&n| n > 3).collect();
            counts.sort_by(|a, b| b.cmp(a));
            assert_eq!(held, counts);
        }
    }

    #[test]
    fn a_cloud_without_gaps_is_whole() {
        let line: Vec<_> = (0..10).map(|i| (Vec3::X * 0.9 * i as f32, 500)).collect();
        assert_eq!(divided(&cloud(&line)), [Domain::ALL]);
    }
}
