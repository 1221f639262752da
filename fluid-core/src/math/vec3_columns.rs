//! A column of vectors stored as three columns of floats, the layout that SIMD lanes load.

use crate::constants::PARTICLE_CHUNK;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Number of rows that one task copies: some 3 µs of work.
const COPIED: usize = 2048;

/// Three equally long columns x, y, z.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vec3Columns {
    /// First components.
    pub x: Vec<f32>,
    /// Second components.
    pub y: Vec<f32>,
    /// Third components.
    pub z: Vec<f32>,
}

impl Vec3Columns {
    /// Creates columns without rows, with the given capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            x: Vec::with_capacity(capacity),
            y: Vec::with_capacity(capacity),
            z: Vec::with_capacity(capacity),
        }
    }

    /// Reserves memory for `capacity` rows in total.
    pub fn reserve(&mut self, capacity: usize) {
        self.for_each_column(|column| column.reserve(capacity.saturating_sub(column.len())));
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Returns row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn get(&self, i: usize) -> Vec3 {
        Vec3::new(self.x[i], self.y[i], self.z[i])
    }

    /// Overwrites row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn set(&mut self, i: usize, value: Vec3) {
        (self.x[i], self.y[i], self.z[i]) = value.into();
    }

    /// Returns all rows, for loops in chunks.
    pub(crate) fn as_parts_mut(&mut self) -> Vec3Parts<'_> {
        (&mut self.x, &mut self.y, &mut self.z)
    }

    /// Replaces each row by `new(row, value)`, in chunks.
    pub(crate) fn update(&mut self, exec: &dyn Executor, new: &(impl Fn(usize, Vec3) -> Vec3 + Sync)) {
        for_each_chunk_mut(exec, PARTICLE_CHUNK, self.as_parts_mut(), &|first, (x, y, z): Vec3Parts| {
            for i in 0..x.len() {
                (x[i], y[i], z[i]) = new(first + i, Vec3::new(x[i], y[i], z[i])).into();
            }
        });
    }

    /// Shifts the origin of the coordinates to `origin`, for rows that are positions.
    pub fn shift_origin(&mut self, origin: Vec3) {
        for (column, origin) in [&mut self.x, &mut self.y, &mut self.z].into_iter().zip(origin.to_array()) {
            column.iter_mut().for_each(|coordinate| *coordinate -= origin);
        }
    }

    /// Appends a row.
    pub fn push(&mut self, value: Vec3) {
        self.x.push(value.x);
        self.y.push(value.y);
        self.z.push(value.z);
    }

    /// Copies `other`; allocates only to grow.
    pub fn copy_from(&mut self, other: &Self) {
        self.x.clone_from(&other.x);
        self.y.clone_from(&other.y);
        self.z.clone_from(&other.z);
    }

    /// As [`copy_from`](Self::copy_from), in parallel.
    pub(crate) fn copy_in_parallel(&mut self, exec: &dyn Executor, other: &Self) {
        self.resize(other.len());
        for_each_chunk_mut(exec, COPIED, self.as_parts_mut(), &|first, (x, y, z): Vec3Parts| {
            let rows = first..first + x.len();
            x.copy_from_slice(&other.x[rows.clone()]);
            y.copy_from_slice(&other.y[rows.clone()]);
            z.copy_from_slice(&other.z[rows]);
        });
    }

    /// Removes all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.for_each_column(Vec::clear);
    }

    /// Keeps the first `len` rows.
    pub fn truncate(&mut self, len: usize) {
        self.for_each_column(|column| column.truncate(len));
    }

    /// Grows with zeros or shrinks to `len` rows.
    pub fn resize(&mut self, len: usize) {
        self.for_each_column(|column| column.resize(len, 0.0));
    }

    /// Subtracts `times` the rows of `other`.
    pub fn subtract(&mut self, other: &Self, times: f32) {
        for (from, other) in [(&mut self.x, &other.x), (&mut self.y, &other.y), (&mut self.z, &other.z)] {
            from.iter_mut().zip(other).for_each(|(from, other)| *from -= other * times);
        }
    }

    /// Iterates over all rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    fn for_each_column(&mut self, mut action: impl FnMut(&mut Vec<f32>)) {
        [&mut self.x, &mut self.y, &mut self.z].into_iter().for_each(&mut action);
    }
}

/// Some rows of the columns x, y, z.
type Vec3Parts<'a> = (&'a mut [f32], &'a mut [f32], &'a mut [f32]);

/// Returns true if `holds` for all numbers of a column. It is evaluated for each of them, which is faster
/// with vectors than a search for the first exception.
pub(crate) fn all(column: &[f32], holds: impl Fn(f32) -> bool) -> bool {
    column.iter().fold(true, |all, &value| all & holds(value))
}
