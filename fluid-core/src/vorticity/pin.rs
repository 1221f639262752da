//! What a change of strengths takes from the linear impulse of a cluster, the cluster gets back (E45).

use super::restoring::{Change, Restoring};
use crate::math::Vec3Columns;
use crate::particles::cells::{Cells, Components, cell_of};
use fluid_threads::Executor;
use glam::Vec3;

/// Keeps total strength and linear impulse of each cluster, while something else changes strengths.
#[derive(Debug, Clone, Default)]
pub struct Pin {
    before: Vec3Columns,
    cells: Cells,
    components: Components,
    /// Per vorton: the number of its cell; [`NOWHERE`] if its place or strength is not finite.
    cell_of: Vec<u32>,
    clusters: Vec<Cluster>,
}

const NOWHERE: u32 = u32::MAX;

/// Vortons for each cluster for which there is memory from the start \[particles\]: a cloud that falls into
/// more takes more once.
const VORTONS_PER_CLUSTER: usize = 16;

/// What giving back may make Σ|α| exceed what it was, as a part of Σ|δα| that changed \[1\]: a cloud whose
/// rim keeps what it should pass on needs a hundredth.
const COST: f64 = 0.02;

/// Rounding of Σ|α| \[1\].
const ROUNDING: f64 = 1e-5;

#[derive(Debug, Clone, Copy)]
struct Cluster {
    change: Change,
    /// Σ|α| before the change, behind it, and after giving back.
    before: f64,
    changed_to: f64,
    after: f64,
    /// Σ|δα|.
    changed: f64,
    restoring: Option<Restoring>,
    /// True if a part of it is given back, or nothing.
    is_bounded: bool,
}

impl Cluster {
    const NONE: Self = Self {
        change: Change::NONE,
        before: 0.0,
        changed_to: 0.0,
        after: 0.0,
        changed: 0.0,
        restoring: None,
        is_bounded: false,
    };
}

impl Pin {
    /// Makes room for `capacity` vortons, but not for what is [lent](Self::lend).
    pub fn reserve(&mut self, capacity: usize) {
        self.components.reserve(capacity);
        for_capacity(&mut self.clusters, capacity.div_ceil(VORTONS_PER_CLUSTER));
    }

    /// Exchanges the column in which strengths are remembered: for one that is free until they have been
    /// given back, and back.
    pub fn lend(&mut self, column: &mut Vec3Columns) {
        std::mem::swap(&mut self.before, column);
    }

    /// Exchanges the memory in which clusters are found.
    pub(crate) fn lend_cells(&mut self, (cells, cell_of): (&mut Cells, &mut Vec<u32>)) {
        std::mem::swap(&mut self.cells, cells);
        std::mem::swap(&mut self.cell_of, cell_of);
    }

    /// Remembers the strengths that are about to change.
    pub fn remember(&mut self, exec: &dyn Executor, strengths: &Vec3Columns) {
        self.before.copy_in_parallel(exec, strengths);
    }

    /// Makes the smallest change (in Σ |δα|²/|α|, E7) that restores total strength and linear impulse of each
    /// cluster: of all vortons that a chain of cells of this edge \[m\] joins. Clusters whose Σ|α| would
    /// exceed what it was get as much of it as brings them there.
    ///
    /// # Panics
    /// If the number of vortons is not what it was when they were remembered.
    pub fn give_back(
        &mut self,
        exec: &dyn Executor,
        edge: f64,
        positions: &Vec3Columns,
        strengths: &mut Vec3Columns,
    ) {
        assert_eq!(self.before.len(), strengths.len(), "the vortons that were remembered");
        self.find_clusters(edge, positions, strengths);
        for row in 0..strengths.len() {
            let Some(cluster) = self.cluster(row) else { continue };
            let (old, new) = (self.before.get(row), strengths.get(row));
            let cluster = &mut self.clusters[cluster];
            cluster.change = cluster.change.add(Change::of(positions.get(row), old, new));
            cluster.before += old.as_dvec3().length();
            cluster.changed_to += new.as_dvec3().length();
            cluster.changed += (new.as_dvec3() - old.as_dvec3()).length();
        }
        for cluster in &mut self.clusters {
            cluster.restoring = Restoring::of(&cluster.change);
        }
        // The strengths of before are not needed any more.
        let mut before = std::mem::take(&mut self.before);
        before.update(exec, &|row, before| self.restored(row, positions, strengths).unwrap_or(before));
        self.before = before;
        for row in 0..strengths.len() {
            let Some(cluster) = self.cluster(row).map(|cluster| &mut self.clusters[cluster]) else {
                continue;
            };
            if cluster.restoring.is_some() {
                cluster.after += self.before.get(row).as_dvec3().length();
            }
        }
        for cluster in &mut self.clusters {
            let allowed = cluster.before * (1.0 + ROUNDING) + COST * cluster.changed;
            // NaN is no share.
            let share = (allowed - cluster.changed_to) / (cluster.after - cluster.changed_to);
            if cluster.after > allowed {
                let part = |restoring: Restoring| (share > 0.0).then(|| restoring.times(share));
                (cluster.restoring, cluster.is_bounded) = (cluster.restoring.and_then(part), true);
            } else if !cluster.after.is_finite() {
                (cluster.restoring, cluster.is_bounded) = (None, true);
            }
        }
        strengths.update(
            exec,
            &|row, strength| match self.cluster(row).map(|cluster| &self.clusters[cluster]) {
                Some(Cluster { restoring: Some(restoring), is_bounded: true, .. }) => {
                    restoring.strength(positions.get(row), strength)
                }
                Some(Cluster { restoring: Some(_), .. }) => self.before.get(row),
                _ => strength,
            },
        );
    }

    fn find_clusters(&mut self, edge: f64, positions: &Vec3Columns, strengths: &Vec3Columns) {
        self.cells.clear();
        self.cell_of.clear();
        for row in 0..strengths.len() {
            let place = positions.get(row);
            let finite =
                place.is_finite() && strengths.get(row).is_finite() && self.before.get(row).is_finite();
            self.cell_of.push(if finite { self.cells.add(cell_of(place, edge)) as u32 } else { NOWHERE });
        }
        self.components.find(&self.cells);
        self.clusters.clear();
        self.clusters.resize(self.components.count(), Cluster::NONE);
    }

    fn cluster(&self, row: usize) -> Option<usize> {
        let cell = self.cell_of[row];
        (cell != NOWHERE).then(|| self.components.of(cell as usize))
    }

    fn restored(&self, row: usize, positions: &Vec3Columns, strengths: &Vec3Columns) -> Option<Vec3> {
        let restoring = self.clusters[self.cluster(row)?].restoring?;
        Some(restoring.strength(positions.get(row), strengths.get(row)))
    }
}

fn for_capacity<T>(column: &mut Vec<T>, capacity: usize) {
    column.reserve(capacity.saturating_sub(column.len()));
}
