//! Tracers: particles that follow the flow, to show it, and do not affect it.

use super::ScalarQuantity;
use crate::constants::PARTICLE_CHUNK;
use crate::saved::is_count;
use fluid_threads::{Executor, for_each_chunk_mut, reduce_ordered};
use glam::Vec3;
use std::ops::{Range, RangeInclusive};

/// A set of tracers: columns of positions, ages, values, ids and tags. The set re-sorts itself by position
/// at intervals, so that neighbours in space are neighbours in memory; a tracer is identified by its id.
#[derive(Debug, Clone, Default)]
pub struct Tracers {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) ages: Vec<f32>,
    pub(crate) values: Vec<f32>,
    /// Velocities \[m/s\], extrapolated from the last steps, that lead to the midpoint of the next step.
    /// NaN if unknown.
    pub(crate) leads: Vec<Vec3>,
    /// Length of the last step \[s\].
    last_step: f32,
    /// Quantity that each advance writes to [`values`](Self::values): the fluid's density, temperature or
    /// dye at the tracer's new position. None (the default): the values belong to the caller.
    pub carry: Option<ScalarQuantity>,
    /// Intensity of the eddies below the core's size that move the tracers \[1\] (E60): 0 (the default)
    /// disables them, 1 follows Kolmogorov's spectrum.
    pub turbulence: f32,
    ids: Vec<u32>,
    tags: Vec<u32>,
    next_id: u32,
    /// Upper bound of all ages \[s\]; infinite after the caller has had mutable access to them.
    oldest: f32,
    /// Advances since the last sort; the first advance sorts.
    advances: u64,
    scratch: SortScratch,
}

crate::saved::fields!(Tracers {
    positions, ages, values, leads, last_step, carry, turbulence, ids, tags, next_id, oldest, advances,
} not { scratch } check are_columns);

#[derive(Debug, Clone, Default)]
struct SortScratch {
    boxes: Vec<(Vec3, Vec3)>,
    cells: Vec<u32>,
    counts: Vec<u32>,
    /// Rows in the order of their cells.
    order: Vec<u32>,
    scalars: Vec<f32>,
    vectors: Vec<Vec3>,
}

impl Tracers {
    /// Returns true if all columns have the same length.
    fn are_columns(&self) -> bool {
        let Self { positions, leads, ages, values, ids, tags, .. } = self;
        let others = [leads.len(), ages.len(), values.len(), ids.len(), tags.len()];
        others.into_iter().all(|len| len == positions.len()) && is_count(self.advances)
    }

    /// Creates an empty set with memory for `capacity` tracers.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut tracers = Self::default();
        tracers.reserve(capacity);
        tracers
    }

    /// Reserves memory, so that advancing up to `capacity` tracers does not allocate.
    pub fn reserve(&mut self, capacity: usize) {
        let grow = |len: usize| capacity.saturating_sub(len);
        self.positions.reserve(grow(self.positions.len()));
        self.ages.reserve(grow(self.ages.len()));
        self.values.reserve(grow(self.values.len()));
        self.ids.reserve(grow(self.ids.len()));
        self.tags.reserve(grow(self.tags.len()));
        self.leads.reserve(grow(self.leads.len()));
        self.scratch.cells.reserve(grow(self.scratch.cells.len()));
        self.scratch.boxes.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.scratch.order.reserve(grow(self.scratch.order.len()));
        self.scratch.counts.reserve(MAX_CELLS_PER_TRACER * capacity + 2);
        self.scratch.scalars.reserve(grow(self.scratch.scalars.len()));
        self.scratch.vectors.reserve(grow(self.scratch.vectors.len()));
    }

    /// Returns the number of tracers for which memory is reserved.
    pub fn capacity(&self) -> usize {
        self.positions.capacity()
    }

    /// Returns the number of tracers.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if there are no tracers.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a tracer at `position` \[m\], age 0, tag 0, value 0, and returns its id. Ids count up from 0
    /// and wrap after 2³² tracers.
    pub fn push(&mut self, position: Vec3) -> u32 {
        self.push_tagged(position, 0)
    }

    /// Adds a tracer with a number chosen by the caller (a dye, an emitter), which stays with it.
    pub fn push_tagged(&mut self, position: Vec3, tag: u32) -> u32 {
        self.push_with_value(position, tag, 0.0)
    }

    /// Adds a tracer with a tag and an initial value, in the unit of the quantity shown.
    pub fn push_with_value(&mut self, position: Vec3, tag: u32, value: f32) -> u32 {
        let id = self.next_id;
        self.next_id = id.wrapping_add(1);
        self.oldest = self.oldest.max(0.0);
        if self.len() == self.positions.capacity() {
            self.make_room();
        }
        self.positions.push(position);
        self.ages.push(0.0);
        self.values.push(value);
        self.ids.push(id);
        self.tags.push(tag);
        self.leads.push(Vec3::NAN);
        id
    }

    /// Grows the capacity of all columns by a quarter.
    fn make_room(&mut self) {
        let capacity = self.len() + (self.len() / 4).max(LEAST_ROOM);
        fn for_all<T>(columns: &mut [&mut Vec<T>], capacity: usize) {
            for column in columns {
                column.reserve_exact(capacity.saturating_sub(column.len()));
            }
        }
        let SortScratch { cells, order, scalars, vectors, .. } = &mut self.scratch;
        for_all(&mut [&mut self.positions, &mut self.leads, vectors], capacity);
        for_all(&mut [&mut self.ages, &mut self.values, scalars], capacity);
        for_all(&mut [&mut self.ids, &mut self.tags, cells, order], capacity);
    }

    /// Returns the positions \[m\], in the current order.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Returns positions \[m\] and ages \[s\], for operations that change them in place.
    pub fn columns_mut(&mut self) -> (&mut [Vec3], &mut [f32]) {
        self.oldest = f32::INFINITY;
        self.leads.fill(Vec3::NAN);
        (&mut self.positions, &mut self.ages)
    }

    /// Makes `origin` \[m\] the new origin of coordinates; the extrapolated velocities are kept.
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.positions.iter_mut().for_each(|place| *place -= origin);
    }

    /// Returns the ages \[s\], in the current order.
    pub fn ages(&self) -> &[f32] {
        &self.ages
    }

    /// Returns the values, in the current order: the quantity selected by [`carry`](Self::carry) (ρ
    /// \[kg/m³\], T \[K\], dye \[1\]), or numbers written by the caller.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns the values, for a caller that shows a quantity of its own.
    pub fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// Returns the ids, in the current order.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the tags, in the current order.
    pub fn tags(&self) -> &[u32] {
        &self.tags
    }

    /// Removes all tracers; ids continue to count.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps the tracers for which `keep(position, age)` holds, in order. Returns the number removed.
    pub fn retain(&mut self, mut keep: impl FnMut(Vec3, f32) -> bool) -> usize {
        self.retain_rows(|tracers, row| keep(tracers.positions[row], tracers.ages[row]))
    }

    /// Like [`retain`](Self::retain), by rows.
    pub(crate) fn retain_rows(&mut self, mut keeps: impl FnMut(&Self, usize) -> bool) -> usize {
        let len = self.len();
        // Usually none is removed, and rows before the first removed one do not move.
        let Some(mut kept) = (0..len).find(|&row| !keeps(self, row)) else { return 0 };
        for row in kept + 1..len {
            if keeps(self, row) {
                self.positions[kept] = self.positions[row];
                self.ages[kept] = self.ages[row];
                self.values[kept] = self.values[row];
                self.ids[kept] = self.ids[row];
                self.tags[kept] = self.tags[row];
                self.leads[kept] = self.leads[row];
                kept += 1;
            }
        }
        self.truncate(kept);
        len - kept
    }

    /// Keeps the tracers that are not older than `age` \[s\], in order. Returns the number removed. Free
    /// while none is older.
    pub fn retain_up_to(&mut self, age: f32) -> usize {
        if self.oldest <= age {
            return 0;
        }
        let mut oldest = f32::NEG_INFINITY;
        let gone = self.retain(|_, own| {
            let keep = own <= age;
            oldest = if keep { oldest.max(own) } else { oldest };
            keep
        });
        self.oldest = oldest;
        gone
    }

    /// Raises the upper bound of all ages by `dt` \[s\].
    pub(crate) fn grow_older(&mut self, dt: f32) {
        self.oldest += dt;
    }

    fn truncate(&mut self, len: usize) {
        self.positions.truncate(len);
        self.ages.truncate(len);
        self.values.truncate(len);
        self.ids.truncate(len);
        self.tags.truncate(len);
        self.leads.truncate(len);
    }

    /// Range of the ratio of a step to the previous one within which the extrapolated velocities are used.
    pub(crate) const EVEN_STEPS: RangeInclusive<f32> = 0.8..=1.25;

    /// Returns true if the last step was about as long as this one of `dt` \[s\], and stores `dt` as the
    /// last step.
    pub(crate) fn is_even(&mut self, dt: f32) -> bool {
        let ratio = dt / std::mem::replace(&mut self.last_step, dt);
        Self::EVEN_STEPS.contains(&ratio)
    }

    /// Returns the number of advances.
    pub(crate) fn advances(&self) -> u64 {
        self.advances
    }

    /// Counts an advance. Returns true for the first one and for every `interval`-th after it, when the
    /// order of the tracers has become stale enough for a sort to pay.
    pub(crate) fn is_sort_due(&mut self, interval: u64) -> bool {
        self.advances += 1;
        self.advances % interval == 1
    }

    /// Sorts by cells of edge `cell` \[m\], x fastest. A stable counting sort, so the order is a function
    /// of the positions and the previous order. The edge is doubled while the bounding box has too many
    /// cells. Positions must be finite.
    pub fn sort_by_cell(&mut self, exec: &dyn Executor, cell: f32) {
        let SortScratch { boxes, cells, counts, order, scalars, vectors } = &mut self.scratch;
        let places = self.positions.as_slice();
        let Some(grid) = CellGrid::around(exec, places, cell, boxes) else { return };
        cells.resize(places.len(), 0);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, cells.as_mut_slice(), &|first, cells: &mut [u32]| {
            cells.iter_mut().zip(&places[first..]).for_each(|(cell, &place)| *cell = grid.cell_of(place));
        });
        counts.clear();
        counts.resize(grid.cell_count() + 1, 0);
        for &cell in &*cells {
            counts[cell as usize + 1] += 1;
        }
        for cell in 1..counts.len() {
            counts[cell] += counts[cell - 1];
        }
        order.resize(places.len(), 0);
        for (row, &cell) in cells.iter().enumerate() {
            let place = &mut counts[cell as usize];
            order[*place as usize] = row as u32;
            *place += 1;
        }
        // Column by column, so that all use the same scratch memory: the cells are not needed any more.
        reorder(exec, order, &mut self.positions, vectors);
        reorder(exec, order, &mut self.leads, vectors);
        reorder(exec, order, &mut self.ages, scalars);
        reorder(exec, order, &mut self.values, scalars);
        reorder(exec, order, &mut self.ids, cells);
        reorder(exec, order, &mut self.tags, cells);
    }
}

/// Least number of tracers for which memory is reserved at once.
const LEAST_ROOM: usize = 64;

/// Permutes a column to the order of these rows. The old memory becomes `scratch`.
fn reorder<T: Copy + Default + Send + Sync + 'static>(
    exec: &dyn Executor,
    order: &[u32],
    column: &mut Vec<T>,
    scratch: &mut Vec<T>,
) {
    scratch.resize(column.len(), T::default());
    let old = column.as_slice();
    for_each_chunk_mut(exec, PARTICLE_CHUNK, scratch.as_mut_slice(), &|first, new: &mut [T]| {
        new.iter_mut().zip(&order[first..]).for_each(|(new, &row)| *new = old[row as usize]);
    });
    std::mem::swap(column, scratch);
}

/// A sort with more cells than this per tracer spends its time on empty cells.
const MAX_CELLS_PER_TRACER: usize = 2;

/// Grid over the tracers' bounding box.
struct CellGrid {
    min: Vec3,
    cells_per_metre: f32,
    dims: [u32; 3],
}

impl CellGrid {
    fn around(
        exec: &dyn Executor,
        positions: &[Vec3],
        cell: f32,
        partials: &mut Vec<(Vec3, Vec3)>,
    ) -> Option<Self> {
        let &first = positions.first()?;
        let all = (first, first);
        let join = |(min, max): (Vec3, Vec3), (least, most): (Vec3, Vec3)| (min.min(least), max.max(most));
        let of_rows = |rows: Range<usize>| {
            positions[rows].iter().fold(all, |found, &place| join(found, (place, place)))
        };
        let (min, max) = reduce_ordered(exec, positions.len(), PARTICLE_CHUNK, all, partials, &of_rows, join);
        // In f64: the extent of a box of f32 need not be representable in f32.
        let extent = max.as_dvec3() - min.as_dvec3();
        let limit = (MAX_CELLS_PER_TRACER * positions.len()).max(1) as f64;
        let mut edge = f64::from(cell);
        let cells = |edge: f64| (extent / edge).floor() + 1.0;
        while cells(edge).element_product() > limit {
            edge *= 2.0;
        }
        let dims = cells(edge).to_array().map(|n| n as u32);
        Some(Self { min, cells_per_metre: (1.0 / edge) as f32, dims })
    }

    fn cell_count(&self) -> usize {
        self.dims.iter().map(|&n| n as usize).product()
    }

    fn cell_of(&self, position: Vec3) -> u32 {
        // `as` saturates, and positions that rounding moves past the last cell of an axis are clamped to
        // it.
        let cell = ((position - self.min) * self.cells_per_metre).to_array();
        let [x, y, z] = std::array::from_fn(|axis| (cell[axis] as u32).min(self.dims[axis] - 1));
        x + self.dims[0] * (y + self.dims[1] * z)
    }
}
