//! Restores the linear impulse of each cluster after a change of strengths (E45).

use super::restoring::{Restoring, SumsChange};
use crate::math::Vec3Columns;
use crate::particles::cells::{Cells, ConnectedComponents, cell_of};
use fluid_threads::Executor;
use glam::Vec3;

/// Conservation of each cluster's total strength and linear impulse while another term changes strengths.
#[derive(Debug, Clone, Default)]
pub struct Pin {
    before: Vec3Columns,
    cells: Cells,
    components: ConnectedComponents,
    /// Per vorton: the index of its cell; [`NO_CELL_INDEX`] if its position or strength is not finite.
    cell_of: Vec<u32>,
    clusters: Vec<PinnedCluster>,
}

const NO_CELL_INDEX: u32 = u32::MAX;

/// Vortons per cluster for the memory reserved at the start \[particles\]: a cloud with more clusters
/// allocates once.
const VORTONS_PER_CLUSTER: usize = 16;

/// Allowed excess of Σ|α| over its earlier value after giving back, over Σ|δα| \[1\]: a cloud with a rim that
/// keeps the content it should pass on needs a hundredth.
const COST: f64 = 0.02;

/// Rounding of Σ|α| \[1\].
const SUM_ROUNDING: f64 = 1e-5;

#[derive(Debug, Clone, Copy)]
struct PinnedCluster {
    change: SumsChange,
    /// Σ|α| before the change, after it, and after giving back.
    before: f64,
    changed_to: f64,
    after: f64,
    /// Σ|δα|.
    changed: f64,
    restoring: Option<Restoring>,
    /// True if only a part of the change, or nothing, is given back.
    is_bounded: bool,
}

impl PinnedCluster {
    const NONE: Self = Self {
        change: SumsChange::NONE,
        before: 0.0,
        changed_to: 0.0,
        after: 0.0,
        changed: 0.0,
        restoring: None,
        is_bounded: false,
    };
}

impl Pin {
    /// Reserves memory for `capacity` vortons, but not for columns that are [lent](Self::lend).
    pub fn reserve(&mut self, capacity: usize) {
        self.components.reserve(capacity);
        for_capacity(&mut self.clusters, capacity.div_ceil(VORTONS_PER_CLUSTER));
    }

    /// Swaps the column for remembered strengths with one that is free until the change has been given back;
    /// called again to swap back.
    pub fn lend(&mut self, column: &mut Vec3Columns) {
        std::mem::swap(&mut self.before, column);
    }

    /// Swaps the memory in which clusters are found.
    pub(crate) fn lend_cells(&mut self, (cells, cell_of): (&mut Cells, &mut Vec<u32>)) {
        std::mem::swap(&mut self.cells, cells);
        std::mem::swap(&mut self.cell_of, cell_of);
    }

    /// Stores the strengths before they change.
    pub fn remember(&mut self, exec: &dyn Executor, strengths: &Vec3Columns) {
        self.before.copy_in_parallel(exec, strengths);
    }

    /// Makes the smallest change (in Σ |δα|²/|α|, E7) that restores total strength and linear impulse of each
    /// cluster, which is all vortons joined by a chain of cells of this edge \[m\]. Clusters in which Σ|α|
    /// would exceed the allowed value get only the part that reaches it.
    ///
    /// # Panics
    /// If the number of vortons differs from that of the remembered ones.
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
            cluster.change = cluster.change.add(SumsChange::of(positions.get(row), old, new));
            cluster.before += old.as_dvec3().length();
            cluster.changed_to += new.as_dvec3().length();
            cluster.changed += (new.as_dvec3() - old.as_dvec3()).length();
        }
        for cluster in &mut self.clusters {
            cluster.restoring = Restoring::of(&cluster.change);
        }
        // The earlier strengths are no longer needed.
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
            let allowed = cluster.before * (1.0 + SUM_ROUNDING) + COST * cluster.changed;
            // A NaN fraction is rejected below.
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
                Some(PinnedCluster { restoring: Some(restoring), is_bounded: true, .. }) => {
                    restoring.strength(positions.get(row), strength)
                }
                Some(PinnedCluster { restoring: Some(_), .. }) => self.before.get(row),
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
            self.cell_of.push(if finite {
                self.cells.add(cell_of(place, edge)) as u32
            } else {
                NO_CELL_INDEX
            });
        }
        self.components.find(&self.cells);
        self.clusters.clear();
        self.clusters.resize(self.components.count(), PinnedCluster::NONE);
    }

    fn cluster(&self, row: usize) -> Option<usize> {
        let cell = self.cell_of[row];
        (cell != NO_CELL_INDEX).then(|| self.components.of(cell as usize))
    }

    fn restored(&self, row: usize, positions: &Vec3Columns, strengths: &Vec3Columns) -> Option<Vec3> {
        let restoring = self.clusters[self.cluster(row)?].restoring?;
        Some(restoring.strength(positions.get(row), strengths.get(row)))
    }
}

fn for_capacity<T>(column: &mut Vec<T>, capacity: usize) {
    column.reserve(capacity.saturating_sub(column.len()));
}
