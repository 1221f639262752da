//! Restores the linear impulse of each cluster after a change of strengths (E45).

use super::clusters::sum_in_clusters;
use super::restoring::{Restoring, SumsChange};
use crate::grid::box_of;
use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::{Vec3Columns, for_capacity};
use crate::particles::cells::{Cells, ConnectedComponents, cell_along, cell_of};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{IVec3, Vec3};

/// Conservation of each cluster's total strength and linear impulse while another term changes strengths.
#[derive(Debug, Clone, Default)]
pub struct Pin {
    before: Vec3Columns,
    cells: Cells,
    components: ConnectedComponents,
    /// Per vorton: the index of its cell; [`NO_CELL_INDEX`] if its position or strength is not finite.
    cell_of: Vec<u32>,
    /// Numbers of the cells in a box, or [`NO_CELL_INDEX`].
    numbers: Vec<[u32; 3]>,
    /// Per cluster. The first two begin with the sums of all vortons; those of the chunks follow.
    sums: Vec<ClusterSums>,
    after: Vec<f64>,
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

/// Sums over a cluster.
#[derive(Debug, Clone, Copy)]
struct ClusterSums {
    change: SumsChange,
    /// Σ|α| before the change and after it.
    before: f64,
    changed_to: f64,
    /// Σ|δα|.
    changed: f64,
}

impl ClusterSums {
    const NONE: Self = Self { change: SumsChange::NONE, before: 0.0, changed_to: 0.0, changed: 0.0 };

    /// Returns the sums over one vorton at `place` with a changed strength.
    fn of(place: Vec3, old: Vec3, new: Vec3) -> Self {
        let (before, changed_to) = (old.as_dvec3(), new.as_dvec3());
        Self {
            change: SumsChange::of(place, old, new),
            before: before.length(),
            changed_to: changed_to.length(),
            changed: (changed_to - before).length(),
        }
    }

    fn add(self, other: Self) -> Self {
        Self {
            change: self.change.add(other.change),
            before: self.before + other.before,
            changed_to: self.changed_to + other.changed_to,
            changed: self.changed + other.changed,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct PinnedCluster {
    restoring: Option<Restoring>,
    /// True if only a part of the change, or nothing, is given back.
    is_bounded: bool,
}

impl PinnedCluster {
    /// Bounds what is given back, so that Σ|α| `after` giving back all of it is not above the allowed value.
    fn bound(&mut self, sums: &ClusterSums, after: f64) {
        let allowed = sums.before * (1.0 + SUM_ROUNDING) + COST * sums.changed;
        // A NaN fraction is rejected below.
        let share = (allowed - sums.changed_to) / (after - sums.changed_to);
        if after > allowed {
            let part = |restoring: Restoring| (share > 0.0).then(|| restoring.times(share));
            (self.restoring, self.is_bounded) = (self.restoring.and_then(part), true);
        } else if !after.is_finite() {
            (self.restoring, self.is_bounded) = (None, true);
        }
    }
}

impl Pin {
    /// Reserves memory for `capacity` vortons, but not for columns that are [lent](Self::lend).
    pub fn reserve(&mut self, capacity: usize) {
        self.components.reserve(capacity);
        let clusters = capacity.div_ceil(VORTONS_PER_CLUSTER);
        for_capacity(&mut self.sums, clusters);
        for_capacity(&mut self.after, clusters);
        for_capacity(&mut self.clusters, clusters);
    }

    /// Swaps the column for remembered strengths with one that is free until the change has been given back;
    /// called again to swap back.
    pub fn lend(&mut self, column: &mut Vec3Columns) {
        std::mem::swap(&mut self.before, column);
    }

    /// Swaps the memory in which clusters are found.
    pub(crate) fn lend_cells(&mut self, memory: (&mut Cells, &mut Vec<u32>, &mut Vec<[u32; 3]>)) {
        let (cells, cell_of, numbers) = memory;
        std::mem::swap(&mut self.cells, cells);
        std::mem::swap(&mut self.cell_of, cell_of);
        std::mem::swap(&mut self.numbers, numbers);
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
        self.find_clusters(exec, edge, positions, strengths);
        let mut sums = std::mem::take(&mut self.sums);
        let rows = strengths.len();
        // As many sums as there is memory for.
        let size = (rows, self.components.count(), rows.div_ceil(VORTONS_PER_CLUSTER));
        let changed = |row: usize| {
            let (old, new) = (self.before.get(row), strengths.get(row));
            Some((self.cluster(row)?, ClusterSums::of(positions.get(row), old, new)))
        };
        sum_in_clusters(exec, size, (&mut sums, ClusterSums::NONE), &changed, &ClusterSums::add);
        let restoring = sums.iter().take(size.1).map(|sums| Restoring::of(&sums.change));
        self.clusters.clear();
        self.clusters.extend(restoring.map(|restoring| PinnedCluster { restoring, is_bounded: false }));
        // The earlier strengths are no longer needed.
        let mut before = std::mem::take(&mut self.before);
        before.update(exec, &|row, before| self.restored(row, positions, strengths).unwrap_or(before));
        self.before = before;
        let mut after = std::mem::take(&mut self.after);
        let restored = |row: usize| Some((self.cluster(row)?, self.before.get(row).as_dvec3().length()));
        sum_in_clusters(exec, size, (&mut after, 0.0), &restored, &|a, b| a + b);
        for (cluster, (sums, &after)) in self.clusters.iter_mut().zip(sums.iter().zip(&after)) {
            if cluster.restoring.is_some() {
                cluster.bound(sums, after);
            }
        }
        (self.sums, self.after) = (sums, after);
        strengths.update(
            exec,
            &|row, strength| match self.cluster(row).map(|cluster| &self.clusters[cluster]) {
                Some(PinnedCluster { restoring: Some(restoring), is_bounded: true }) => {
                    restoring.strength(positions.get(row), strength)
                }
                Some(PinnedCluster { restoring: Some(_), .. }) => self.before.get(row),
                _ => strength,
            },
        );
    }

    fn find_clusters(
        &mut self,
        exec: &dyn Executor,
        edge: f64,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) {
        let Self { before, cells, cell_of: found, numbers, .. } = self;
        let columns = [positions, strengths, &*before];
        let is_finite = |row: usize| columns.iter().all(|column| column.get(row).is_finite());
        cells.clear();
        found.clear();
        found.resize(strengths.len(), NO_CELL_INDEX);
        let corners = box_of(exec, positions, &is_finite).flatten();
        let corners = corners.map(|(low, high)| [cell_of(low, edge), cell_of(high, edge)]);
        match corners.and_then(|corners| CellBox::of(corners, strengths.len())) {
            Some(space) => {
                for_each_chunk_mut(exec, SOUGHT, found.as_mut_slice(), &|first, found: &mut [u32]| {
                    run_in_vectors(InstructionSet::Auto, FindCells { columns, edge, first, space, found });
                });
                numbers.clear();
                numbers.resize(space.len().div_ceil(3), [NO_CELL_INDEX; 3]);
                let numbers = numbers.as_flattened_mut();
                for index in found.iter_mut().filter(|index| **index != NO_CELL_INDEX) {
                    let number = &mut numbers[*index as usize];
                    if *number == NO_CELL_INDEX {
                        *number = cells.add(space.cell(*index)) as u32;
                    }
                    *index = *number;
                }
            }
            None => {
                for row in (0..strengths.len()).filter(|&row| is_finite(row)) {
                    found[row] = cells.add(cell_of(positions.get(row), edge)) as u32;
                }
            }
        }
        self.components.find(&self.cells);
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

/// A box of cells, small enough for an array of all of them.
#[derive(Debug, Clone, Copy)]
struct CellBox {
    low: IVec3,
    size: IVec3,
}

impl CellBox {
    /// Returns the box with these corner cells if it has at most [`CELLS_PER_VORTON`] for each vorton.
    fn of([low, high]: [IVec3; 2], vortons: usize) -> Option<Self> {
        let size = high.as_i64vec3() - low.as_i64vec3() + 1;
        let most = (CELLS_PER_VORTON * vortons) as i64;
        let is_small = size.x <= most && size.y <= most / size.x && size.z <= most / (size.x * size.y);
        is_small.then(|| Self { low, size: size.as_ivec3() })
    }

    fn len(&self) -> usize {
        self.size.as_usizevec3().element_product()
    }

    /// Returns the index of a cell, x fastest.
    #[inline(always)]
    fn index(&self, [x, y, z]: [i32; 3]) -> u32 {
        let (low, size) = (self.low, self.size);
        (((z - low.z) * size.y + (y - low.y)) * size.x + (x - low.x)) as u32
    }

    /// Returns the cell with this index.
    fn cell(&self, index: u32) -> IVec3 {
        let (index, IVec3 { x, y, .. }) = (index as i32, self.size);
        self.low + IVec3::new(index % x, index / x % y, index / x / y)
    }
}

/// Most cells of a [`CellBox`] for each vorton \[1\]: as many as there is memory for.
const CELLS_PER_VORTON: usize = 3;

/// Vortons per task that finds their cells \[particles\]: some 10 µs of work.
const SOUGHT: usize = 1024;

/// Number of vortons with cells found together.
const TOGETHER: usize = 64;

/// Finds the indices of the cells of vortons from `first` on in `space`, those that are finite. Of all
/// columns, the first are the positions.
struct FindCells<'a> {
    columns: [&'a Vec3Columns; 3],
    edge: f64,
    first: usize,
    space: CellBox,
    found: &'a mut [u32],
}

impl VectorJob for FindCells<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { columns, edge, first, space, found } = self;
        for (part, found) in found.chunks_mut(TOGETHER).enumerate() {
            let first = first + part * TOGETHER;
            let (mut cells, mut are_finite) = ([[0; TOGETHER]; 3], [true; TOGETHER]);
            for (number, Vec3Columns { x, y, z }) in columns.into_iter().enumerate() {
                for (axis, column) in [x, y, z].into_iter().enumerate() {
                    let mut values = [0.0; TOGETHER];
                    values[..found.len()].copy_from_slice(&column[first..first + found.len()]);
                    for (is_finite, value) in are_finite.iter_mut().zip(&values) {
                        *is_finite &= value.is_finite();
                    }
                    if number == 0 {
                        for (cell, &value) in cells[axis].iter_mut().zip(&values) {
                            *cell = cell_along(value, edge);
                        }
                    }
                }
            }
            for (i, found) in found.iter_mut().enumerate() {
                if are_finite[i] {
                    *found = space.index([cells[0][i], cells[1][i], cells[2][i]]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use fluid_threads::Serial;

    /// A far vorton makes the box too large for an array of its cells; all others keep their clusters.
    #[test]
    fn clusters_do_not_depend_on_how_cells_are_found() {
        let random = Random::new(5);
        for (count, size) in [(1, 1.0), (70, 3.0), (1500, 4.0), (1500, 9.0), (3000, 30.0)] {
            let (mut positions, mut strengths) = (Vec3Columns::default(), Vec3Columns::default());
            for i in 0..count {
                let stretched = Vec3::new(size, 0.5 * size, 0.2 * size);
                positions.push(random.centred_vec3(i) * stretched);
                let is_broken = i % 17 == 3;
                strengths.push(if is_broken { Vec3::NAN } else { random.centred_vec3(count + i) });
            }
            let clusters = |positions: &Vec3Columns, strengths: &Vec3Columns| {
                let mut pin = Pin::default();
                pin.remember(&Serial, strengths);
                pin.find_clusters(&Serial, 0.3, positions, strengths);
                (0..count as usize).map(|row| pin.cluster(row)).collect::<Vec<_>>()
            };
            let compact = clusters(&positions, &strengths);
            let corners = [IVec3::splat(-1 << 30), IVec3::splat(1 << 30)];
            assert!(CellBox::of(corners, count as usize + 1).is_none());
            positions.push(Vec3::splat(1e6));
            strengths.push(Vec3::X);
            assert_eq!(compact, clusters(&positions, &strengths), "{count} in {size}");
            assert!(compact.iter().enumerate().all(|(row, found)| found.is_some() != (row % 17 == 3)));
        }
    }
}
