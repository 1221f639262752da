//! A sparse set of cubic cells: each gets a number when it is first seen, whatever the extent of the cloud.

use glam::{DVec3, IVec3, Vec3};

/// Cells are that far from the origin at most \[cells\]: the farthest ones hold whatever is beyond.
const FARTHEST: f64 = (1 << 30) as f64;

/// Cells, numbered in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells {
    /// Open addressing: number of the cell plus 1, or 0. At most half full.
    table: Vec<u32>,
    cells: Vec<IVec3>,
}

/// Cells that touch, also at corners, belong together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Components {
    labels: Vec<u32>,
    queue: Vec<u32>,
    count: usize,
}

/// The cell of this edge \[m\] in which a finite place is.
pub(crate) fn cell_of(place: Vec3, edge: f64) -> IVec3 {
    (place.as_dvec3() / edge).floor().clamp(DVec3::splat(-FARTHEST), DVec3::splat(FARTHEST)).as_ivec3()
}

impl Cells {
    /// Makes room for `capacity` cells.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.cells.reserve(capacity.saturating_sub(self.cells.len()));
        if self.table.len() < 2 * capacity {
            self.resize_table((2 * capacity).next_power_of_two());
        }
    }

    /// No cells.
    pub(crate) fn clear(&mut self) {
        self.table.fill(0);
        self.cells.clear();
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// The cell with this number.
    pub(crate) fn get(&self, number: usize) -> IVec3 {
        self.cells[number]
    }

    /// Number of this cell, which is added if it is new.
    pub(crate) fn add(&mut self, cell: IVec3) -> usize {
        if 2 * (self.cells.len() + 1) > self.table.len() {
            self.resize_table((2 * self.table.len()).max(1024));
        }
        self.slot(cell).unwrap_or_else(|slot| {
            self.cells.push(cell);
            self.table[slot] = self.cells.len() as u32;
            self.cells.len() - 1
        })
    }

    /// Number of this cell.
    pub(crate) fn find(&self, cell: IVec3) -> Option<usize> {
        if self.table.is_empty() { None } else { self.slot(cell).ok() }
    }

    /// Number of the cell, or the slot that is free for it.
    #[inline]
    fn slot(&self, cell: IVec3) -> Result<usize, usize> {
        let [x, y, z] = cell.to_array().map(|v| v as u64 & 0x1f_ffff);
        let mask = self.table.len() - 1;
        let mut slot = ((x << 42 | y << 21 | z).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            match self.table[slot] as usize {
                0 => return Err(slot),
                number if self.cells[number - 1] == cell => return Ok(number - 1),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn resize_table(&mut self, size: usize) {
        self.table.clear();
        self.table.resize(size, 0);
        for number in 0..self.cells.len() {
            if let Err(slot) = self.slot(self.cells[number]) {
                self.table[slot] = number as u32 + 1;
            }
        }
    }
}

impl Components {
    /// Makes room for `capacity` cells.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.labels.reserve(capacity.saturating_sub(self.labels.len()));
        self.queue.reserve(capacity);
    }

    /// Finds the components, numbered by their first cells.
    pub(crate) fn find(&mut self, cells: &Cells) {
        self.count = 0;
        self.labels.clear();
        self.labels.resize(cells.len(), u32::MAX);
        for first in 0..cells.len() {
            if self.labels[first] != u32::MAX {
                continue;
            }
            let label = self.count as u32;
            self.count += 1;
            self.labels[first] = label;
            self.queue.push(first as u32);
            while let Some(number) = self.queue.pop() {
                let cell = cells.get(number as usize);
                for n in 0..27 {
                    let around = cell + IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
                    if let Some(other) = cells.find(around)
                        && self.labels[other] == u32::MAX
                    {
                        self.labels[other] = label;
                        self.queue.push(other as u32);
                    }
                }
            }
        }
    }

    /// Component of the cell with this number.
    pub(crate) fn of(&self, number: usize) -> usize {
        self.labels[number] as usize
    }

    /// Number of components.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}
