//! Clusters of nearby contacts: the flow at one part of a large body is independent of the flow at another.

use crate::contact::Contact;
use crate::pose::Pose;
use glam::{IVec3, Vec3};

/// Most clusters of the contacts of one body \[1\].
pub(crate) const MOST_CLUSTERS: usize = 32;

/// Most contacts of a cluster, on one side, that act on each other one by one \[1\]: the sums for twice as
/// many take four times as long.
pub(crate) const MOST_TOGETHER: usize = 256;

/// Most contacts in a block of more, which act on distant blocks by their sum \[1\]: as many as sums fill
/// lanes.
pub(crate) const PATCH: usize = 16;

/// Part of the contacts of a cluster that are at least at each of its walls: one of so many \[1\].
const LEAST_OF_A_WALL: usize = 50;

/// Mean cosine between normals and the way to the middle, from which on walls are around their fluid \[1\]:
/// in a square duct .7, at a floor and a wall .35, on a floor 0, on a ball -1.
const CONCAVE: f32 = 0.2;

/// Clusters of contacts of one body: contacts in the same or touching cells of a lattice in the body's axes.
/// Owns its scratch memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Clusters {
    /// Edge length of a cell \[m\].
    edge: f32,
    /// All cells with contacts, sorted.
    cells: Vec<Cell>,
    count: usize,
    /// True if the walls of an alley are clusters of their own.
    parted: bool,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    key: [i32; 3],
    /// A cell of the same cluster that is no later than this one; the cell itself for the first of a cluster.
    parent: u32,
    /// Index of its cluster, once assigned.
    cluster: u32,
}

/// No index assigned yet.
const NONE: u32 = u32::MAX;

/// Steps from a cell to half of the cells that touch it: for two touching cells, one of these leads from one
/// to the other.
const FORWARD: [[i32; 3]; 13] = [
    [0, 0, 1],
    [0, 1, -1],
    [0, 1, 0],
    [0, 1, 1],
    [1, -1, -1],
    [1, -1, 0],
    [1, -1, 1],
    [1, 0, -1],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, -1],
    [1, 1, 0],
    [1, 1, 1],
];

impl Clusters {
    /// Reserves memory for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        self.cells.reserve(contacts.saturating_sub(self.cells.len()));
    }

    /// Returns the number of clusters.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// True if the walls of an alley are clusters of their own.
    pub(crate) fn are_parted(&self) -> bool {
        self.parted
    }

    /// Finds the clusters of the contacts of a body at `pose`, numbers them in the order of their first
    /// contacts, and sorts the contacts by cluster, side, block and row. Cells have edges of `edge` \[m\],
    /// multiplied by the least power of two that leaves at most [`MOST_CLUSTERS`].
    pub(crate) fn find(&mut self, contacts: &mut [Contact], pose: &Pose, edge: f32) {
        self.edge = edge;
        loop {
            self.fill(contacts, pose);
            self.join();
            self.number(contacts, pose);
            if self.count <= MOST_CLUSTERS {
                break;
            }
            self.edge *= 2.0;
        }
        self.part_walls(contacts, pose);
        // Rows are unique, so the order is.
        contacts.sort_unstable_by_key(|contact| (contact.cluster, contact.side(), contact.row));
        divide_all(contacts);
    }

    /// Puts all contacts into one cluster and one block, wherever they are.
    pub(crate) fn join_all(&mut self) {
        (self.edge, self.count, self.parted) = (f32::INFINITY, 1, false);
        self.cells.clear();
        self.cells.push(Cell { key: [0; 3], parent: 0, cluster: 0 });
    }

    /// Returns the cluster at a point of the body: that of its cell, or of the first touching cell with
    /// contacts.
    pub(crate) fn around(&self, point: Vec3) -> Option<usize> {
        let key = self.key(point);
        let forward = FORWARD.map(IVec3::from_array);
        let steps = std::iter::once(IVec3::ZERO).chain(forward).chain(forward.map(|step| -step));
        let cells = steps.filter_map(|step| self.cell_at(beside(key, step)));
        cells.map(|cell| self.cells[cell].cluster as usize).next()
    }

    /// Collects the cells of all contacts.
    fn fill(&mut self, contacts: &[Contact], pose: &Pose) {
        self.cells.clear();
        for contact in contacts {
            let key = self.key(pose.to_local(contact.point));
            // Neighbours in the list are mostly neighbours in space.
            if self.cells.last().is_none_or(|last| last.key != key) {
                self.cells.push(Cell { key, parent: NONE, cluster: NONE });
            }
        }
        self.cells.sort_unstable_by_key(|cell| cell.key);
        self.cells.dedup_by_key(|cell| cell.key);
        (0..).zip(&mut self.cells).for_each(|(number, cell)| cell.parent = number);
    }

    /// Joins cells that touch.
    fn join(&mut self) {
        for cell in 0..self.cells.len() {
            for step in FORWARD {
                let key = beside(self.cells[cell].key, IVec3::from_array(step));
                if let Some(other) = self.cell_at(key) {
                    let (a, b) = (self.first_of(cell), self.first_of(other));
                    self.cells[a.max(b)].parent = a.min(b) as u32;
                }
            }
        }
    }

    /// Numbers clusters in the order of their first contacts.
    fn number(&mut self, contacts: &mut [Contact], pose: &Pose) {
        self.count = 0;
        for contact in contacts {
            let key = self.key(pose.to_local(contact.point));
            let Some(cell) = self.cell_at(key) else { continue };
            let first = self.first_of(cell);
            if self.cells[first].cluster == NONE {
                self.cells[first].cluster = self.count as u32;
                self.count += 1;
            }
            contact.cluster = self.cells[first].cluster;
            self.cells[cell].cluster = contact.cluster;
        }
    }

    /// Parts clusters of several walls that fluid flows along, as in an alley or a duct, into one for each
    /// wall: as if each were a body. A room that encloses its fluid stays one cluster.
    fn part_walls(&mut self, contacts: &mut [Contact], pose: &Pose) {
        let facing = |contact: &Contact| facing(pose.rotation.conjugate() * contact.normal);
        contacts.sort_unstable_by_key(|contact| (contact.cluster, facing(contact), contact.row));
        let most = MOST_CLUSTERS.saturating_sub(self.count);
        let mut added = 0;
        for cluster in contacts.chunk_by_mut(|a, b| a.cluster == b.cluster) {
            let walls = cluster.chunk_by(|a, b| facing(a) == facing(b)).count();
            if walls < 2 || added + walls - 1 > most || !is_alley(cluster, facing) {
                continue;
            }
            for wall in cluster.chunk_by_mut(|a, b| facing(a) == facing(b)).skip(1) {
                wall.iter_mut().for_each(|contact| contact.cluster = (self.count + added) as u32);
                added += 1;
            }
        }
        self.parted = added > 0;
        if !self.parted {
            return;
        }
        self.count += added;
        // Clusters are numbered in the order of their contacts again, and a cell has that of its first
        // contact.
        contacts.sort_unstable_by_key(|contact| contact.row);
        self.cells.iter_mut().for_each(|cell| cell.cluster = NONE);
        let (mut numbers, mut next) = ([NONE; MOST_CLUSTERS], 0);
        for contact in contacts {
            let number = &mut numbers[contact.cluster as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            contact.cluster = *number;
            let key = self.key(pose.to_local(contact.point));
            if let Some(cell) = self.cell_at(key).filter(|cell| self.cells[*cell].cluster == NONE) {
                self.cells[cell].cluster = contact.cluster;
            }
        }
    }

    /// Returns the first cell of a cell's cluster, and halves the path to it.
    fn first_of(&mut self, mut cell: usize) -> usize {
        while self.cells[cell].parent as usize != cell {
            self.cells[cell].parent = self.cells[self.cells[cell].parent as usize].parent;
            cell = self.cells[cell].parent as usize;
        }
        cell
    }

    fn cell_at(&self, key: [i32; 3]) -> Option<usize> {
        self.cells.binary_search_by_key(&key, |cell| cell.key).ok()
    }

    /// Returns the cell of a point; conversion saturates.
    fn key(&self, point: Vec3) -> [i32; 3] {
        (point / self.edge).floor().to_array().map(|coordinate| coordinate as i32)
    }
}

/// Returns the direction along an axis that is nearest to a normal: 0 to 5.
fn facing(normal: Vec3) -> usize {
    let axis = normal.abs().max_position();
    2 * axis + usize::from(normal[axis] < 0.0)
}

/// True if contacts of a cluster, sorted by their `facing`, are at walls around their middle, and at least
/// two directions are open.
fn is_alley(contacts: &[Contact], facing: impl Fn(&Contact) -> usize) -> bool {
    let middle = contacts.iter().map(|contact| contact.point).sum::<Vec3>() / contacts.len() as f32;
    let towards = |contact: &Contact| -(contact.point - middle).dot(contact.normal);
    let lengths = contacts.iter().map(|contact| contact.point.distance(middle)).sum::<f32>();
    let least = contacts.len().div_ceil(LEAST_OF_A_WALL);
    let is_around = |wall: &[Contact]| wall.iter().filter(|contact| towards(contact) > 0.0).count() >= least;
    let walls = contacts.chunk_by(|a, b| facing(a) == facing(b)).filter(|wall| is_around(wall)).count();
    (2..5).contains(&walls) && contacts.iter().map(towards).sum::<f32>() > CONCAVE * lengths
}

/// Divides the contacts of a body, sorted by cluster, side and row, into blocks: few contacts are one block,
/// many are halved.
fn divide_all(contacts: &mut [Contact]) {
    let mut blocks = 0;
    for side in contacts.chunk_by_mut(|a, b| a.is_with(b)) {
        if side.len() > MOST_TOGETHER {
            halve(side, &mut blocks);
            continue;
        }
        side.iter_mut().for_each(|contact| contact.block = blocks);
        blocks += 1;
    }
}

/// Halves contacts across the longest extent of their points down to [`PATCH`], and numbers the blocks from
/// `blocks` on. All but the last are full, so that a sum over the pairs of two fills its lanes.
fn halve(contacts: &mut [Contact], blocks: &mut u32) {
    if contacts.len() <= PATCH {
        contacts.sort_unstable_by_key(|contact| contact.row);
        contacts.iter_mut().for_each(|contact| contact.block = *blocks);
        *blocks += 1;
        return;
    }
    let ends =
        |(low, high): (Vec3, Vec3), contact: &Contact| (low.min(contact.point), high.max(contact.point));
    let (low, high) = contacts.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), ends);
    let axis = (high - low).max_position();
    let order = |a: &Contact, b: &Contact| a.point[axis].total_cmp(&b.point[axis]).then(a.row.cmp(&b.row));
    let middle = (contacts.len() / 2).next_multiple_of(PATCH);
    contacts.select_nth_unstable_by(middle, order);
    let (lower, upper) = contacts.split_at_mut(middle);
    halve(lower, blocks);
    halve(upper, blocks);
}

fn beside(key: [i32; 3], step: IVec3) -> [i32; 3] {
    IVec3::from_array(key).saturating_add(step).to_array()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    fn contacts(points: &[Vec3]) -> Vec<Contact> {
        let contact = |(row, &point)| Contact { row, point, ..Contact::default() };
        (0..).zip(points).map(contact).collect()
    }

    /// Returns the cluster of each contact, by row, found by joining pairs of contacts in touching cells
    /// until nothing changes.
    fn one_by_one(points: &[Vec3], edge: f32) -> Vec<usize> {
        let cells: Vec<_> = points.iter().map(|point| (*point / edge).floor()).collect();
        let mut cluster: Vec<_> = (0..points.len()).collect();
        loop {
            let mut changed = false;
            for i in 0..points.len() {
                for j in 0..points.len() {
                    let touch = (cells[i] - cells[j]).abs().max_element() <= 1.0;
                    if touch && cluster[j] < cluster[i] {
                        (cluster[i], changed) = (cluster[j], true);
                    }
                }
            }
            if !changed {
                return cluster;
            }
        }
    }

    /// For points in clouds of several densities; each contact, looked up by its position, is found in its
    /// own cluster.
    #[test]
    fn clusters_are_those_of_pairs_that_touch() {
        let (random, mut clusters, mut several) = (Random::new(11), Clusters::default(), 0);
        for case in 0..200_u64 {
            let (count, spread) = (1 + case % 60, 4.0 + (case % 7) as f32 * 6.0);
            let points: Vec<_> = (0..count).map(|i| random.centred_vec3(100 * case + i) * spread).collect();
            let (mut found, pose) = (contacts(&points), Pose::IDENTITY);
            clusters.find(&mut found, &pose, 2.0);
            let expected = one_by_one(&points, clusters.edge);
            let mut by_row = vec![0; found.len()];
            found.iter().for_each(|contact| by_row[contact.row as usize] = contact.cluster as usize);
            for i in 0..points.len() {
                assert_eq!(clusters.around(points[i]), Some(by_row[i]), "case {case}");
                for j in 0..points.len() {
                    let together = (by_row[i] == by_row[j], expected[i] == expected[j]);
                    assert_eq!(together.0, together.1, "case {case}: {i} and {j}");
                }
            }
            assert!(found.is_sorted_by_key(|contact| (contact.cluster, contact.row)), "case {case}");
            assert!(found.iter().all(|contact| contact.block == contact.cluster), "case {case}");
            assert!(by_row.iter().all(|&cluster| cluster < clusters.count()), "case {case}");
            several += usize::from(clusters.count() > 1);
        }
        assert!(several > 50, "{several} cases with several clusters");
    }

    /// In a long and wide layer of many contacts, each contact is in one block; blocks of many contacts are
    /// full but for the last of a cluster; they are in the order of their clusters, and do not overlap.
    #[test]
    fn blocks_are_apart() {
        let (random, mut clusters) = (Random::new(12), Clusters::default());
        for count in [256, 257, 5000] {
            let wide = Vec3::new(40.0, 10.0, 1.0);
            let place = |i: u64| random.centred_vec3(i) * wide + Vec3::X * (i % 2) as f32 * 100.0;
            let points: Vec<_> = (0..count).map(place).collect();
            let mut found = contacts(&points);
            clusters.find(&mut found, &Pose::IDENTITY, 8.0);
            let mut rows: Vec<_> = found.iter().map(|contact| contact.row).collect();
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..count as u32), "{count}");
            assert!(found.is_sorted_by_key(|contact| (contact.cluster, contact.block, contact.row)));
            let blocks: Vec<_> = found.chunk_by(|a, b| a.block == b.block).collect();
            assert!((0..).zip(&blocks).all(|(number, block)| block[0].block == number));
            let most = if found.len() / 2 > MOST_TOGETHER { PATCH } else { MOST_TOGETHER };
            assert!(blocks.iter().all(|block| block.len() <= most), "{count}");
            assert!(blocks.len() <= 2 * (count as usize / 2).div_ceil(most), "{} blocks", blocks.len());
            let ends = |block: &[Contact]| {
                let points = || block.iter().map(|contact| contact.point);
                (points().reduce(Vec3::min).unwrap(), points().reduce(Vec3::max).unwrap())
            };
            for (i, a) in blocks.iter().enumerate() {
                assert!(a.iter().all(|contact| contact.cluster == a[0].cluster));
                for b in &blocks[..i] {
                    let ((low, high), (other_low, other_high)) = (ends(a), ends(b));
                    let overlap = high.min(other_high) - low.max(other_low);
                    assert!(overlap.min_element() <= 0.0, "{count}: blocks overlap by {overlap}");
                }
            }
        }
    }

    /// Contacts far from each other, more than the limit on clusters; and positions that are not finite.
    #[test]
    fn clusters_are_few() {
        let points: Vec<_> = (0..1000).map(|i| Vec3::X * (i as f32 * 100.0)).collect();
        let (mut found, mut clusters) = (contacts(&points), Clusters::default());
        clusters.find(&mut found, &Pose::IDENTITY, 1.0);
        assert!((1..=MOST_CLUSTERS).contains(&clusters.count()), "{}", clusters.count());
        clusters.join_all();
        assert_eq!((clusters.count(), clusters.around(Vec3::splat(1e9))), (1, Some(0)));
        let far = [Vec3::splat(3e38), Vec3::splat(-3e38), Vec3::NAN, Vec3::ZERO];
        clusters.find(&mut contacts(&far), &Pose::IDENTITY, 1e-3);
        assert!(clusters.count() > 1);
        clusters.find(&mut [], &Pose::IDENTITY, 1.0);
        assert_eq!((clusters.count(), clusters.around(Vec3::ZERO)), (0, None));
    }
}
