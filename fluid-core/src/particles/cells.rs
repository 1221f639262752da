//! A sparse set of cubic cells: each gets a number when it is first seen, whatever the extent of the cloud.

use glam::{DVec3, IVec3, Vec3};

/// Farthest that cells are from the origin \[cells\]: the outermost cells contain everything beyond.
const FARTHEST_CELL: f64 = (1 << 30) as f64;

/// Cells, numbered in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells {
    /// Open addressing: number of the cell plus 1, or 0. At most half full.
    table: Vec<u32>,
    cells: Vec<IVec3>,
    /// Index of the cell returned last: particles adjacent in memory are often in the same cell.
    last: usize,
}

/// Connected components of cells; cells that touch, also at corners, are connected.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectedComponents {
    labels: Vec<u32>,
    count: usize,
}

/// Half of the neighbours of a cell: those before it by z, then y, then x. Ordered so that cells that touch
/// most of the others come first.
const BELOW: [IVec3; 13] = [
    IVec3::new(0, 0, -1),
    IVec3::new(0, -1, 0),
    IVec3::new(-1, 0, 0),
    IVec3::new(0, 1, -1),
    IVec3::new(0, -1, -1),
    IVec3::new(1, 0, -1),
    IVec3::new(-1, 0, -1),
    IVec3::new(1, -1, 0),
    IVec3::new(-1, -1, 0),
    IVec3::new(1, 1, -1),
    IVec3::new(-1, 1, -1),
    IVec3::new(1, -1, -1),
    IVec3::new(-1, -1, -1),
];
const ALL_BELOW: u32 = (1 << BELOW.len()) - 1;

/// For each cell of [`BELOW`]: a bit for each of them that touches it.
const TOUCHED: [u32; BELOW.len()] = touched();

const fn touched() -> [u32; BELOW.len()] {
    let (mut touched, mut pair) = ([0; BELOW.len()], 0);
    while pair < BELOW.len() * BELOW.len() {
        let (a, b) = (pair / BELOW.len(), pair % BELOW.len());
        let (x, y, z) = (BELOW[a].x - BELOW[b].x, BELOW[a].y - BELOW[b].y, BELOW[a].z - BELOW[b].z);
        if x * x <= 1 && y * y <= 1 && z * z <= 1 {
            touched[a] |= 1 << b;
        }
        pair += 1;
    }
    touched
}

/// Returns the cell of edge `edge` \[m\] that contains a finite position.
pub(crate) fn cell_of(place: Vec3, edge: f64) -> IVec3 {
    IVec3::from(place.to_array().map(|v| cell_along(v, edge)))
}

/// Returns the coordinate along one axis of the cell that [`cell_of`] returns.
#[inline(always)]
pub(crate) fn cell_along(v: f32, edge: f64) -> i32 {
    let cells = (f64::from(v) / edge).clamp(-FARTHEST_CELL, FARTHEST_CELL);
    let cut = cells as i32;
    cut - i32::from(f64::from(cut) > cells)
}

/// Rounds values between ±2³¹ down. Truncation is one instruction; `floor` is a function call.
#[inline]
pub(crate) fn floor(v: DVec3) -> IVec3 {
    let cut = v.as_ivec3();
    let above = cut.as_dvec3().cmpgt(v);
    cut - IVec3::new(i32::from(above.x), i32::from(above.y), i32::from(above.z))
}

/// Returns the slot of a cell in a table of up to 2³² slots, a power of two. Each coordinate affects every
/// bit: cells of a compact cloud hardly ever share a slot, even in small tables.
#[inline]
pub(crate) fn slot(cell: IVec3) -> usize {
    // Odd factors with random-looking bits.
    const FACTORS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];
    let [x, y, z] = cell.to_array().map(|v| v as u64);
    let [a, b, c] = FACTORS;
    (x.wrapping_mul(a).wrapping_add(y.wrapping_mul(b)).wrapping_add(z.wrapping_mul(c)) >> 32) as usize
}

impl Cells {
    /// Reserves memory for `capacity` cells.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.cells.reserve(capacity.saturating_sub(self.cells.len()));
        if self.table.len() < 2 * capacity {
            self.resize_table((2 * capacity).next_power_of_two());
        }
    }

    /// Removes all cells.
    pub(crate) fn clear(&mut self) {
        self.table.fill(0);
        self.cells.clear();
    }

    /// Returns the number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the cell with this number.
    pub(crate) fn get(&self, number: usize) -> IVec3 {
        self.cells[number]
    }

    /// Returns the number of this cell, and adds it if it is new.
    pub(crate) fn add(&mut self, cell: IVec3) -> usize {
        if self.cells.get(self.last) != Some(&cell) {
            self.last = self.find_or_add(cell);
        }
        self.last
    }

    fn find_or_add(&mut self, cell: IVec3) -> usize {
        if 2 * (self.cells.len() + 1) > self.table.len() {
            self.resize_table((2 * self.table.len()).max(1024));
        }
        self.slot(cell).unwrap_or_else(|slot| {
            self.cells.push(cell);
            self.table[slot] = self.cells.len() as u32;
            self.cells.len() - 1
        })
    }

    /// Returns the number of this cell if it has been added.
    pub(crate) fn find(&self, cell: IVec3) -> Option<usize> {
        if self.table.is_empty() { None } else { self.slot(cell).ok() }
    }

    /// Returns the number of the cell, or else the slot where it would be inserted.
    #[inline]
    fn slot(&self, cell: IVec3) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut slot = slot(cell) & mask;
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

impl ConnectedComponents {
    /// Reserves memory for `capacity` cells.
    pub(crate) fn reserve(&mut self, capacity: usize) {
        self.labels.reserve(capacity.saturating_sub(self.labels.len()));
    }

    /// Finds the components, numbered by their first cells.
    pub(crate) fn find(&mut self, cells: &Cells) {
        self.labels.clear();
        self.labels.extend(0..cells.len() as u32);
        for number in 0..cells.len() {
            let cell = cells.get(number);
            // The other half of the neighbours find this cell in their turn.
            let mut left = ALL_BELOW;
            while left != 0 {
                let n = left.trailing_zeros() as usize;
                left &= left - 1;
                if let Some(other) = cells.find(cell + BELOW[n]) {
                    self.join(number, other);
                    // Neighbours that touch `other` are joined to it anyway: both come before this cell,
                    // and of two such cells that touch, the later one joins them or finds them joined.
                    left &= !TOUCHED[n];
                }
            }
        }
        // A root is the first cell of its component, so its label is set before the other cells need it.
        self.count = 0;
        for number in 0..self.labels.len() {
            let root = self.root(number);
            self.labels[number] = root as u32;
        }
        for number in 0..self.labels.len() {
            let root = self.labels[number] as usize;
            self.labels[number] = if root == number { self.count as u32 } else { self.labels[root] };
            self.count += usize::from(root == number);
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.labels[a.max(b)] = a.min(b) as u32;
    }

    /// Returns the first cell of the component of this one. Halves the path to it.
    fn root(&mut self, mut number: usize) -> usize {
        while self.labels[number] as usize != number {
            self.labels[number] = self.labels[self.labels[number] as usize];
            number = self.labels[number] as usize;
        }
        number
    }

    /// Returns the component of the cell with this number.
    pub(crate) fn of(&self, number: usize) -> usize {
        self.labels[number] as usize
    }

    /// Returns the number of components.
    pub(crate) fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Compared with a search over all pairs: cells that touch have the same label, labels count from 0 in
    /// the order of the first cells, and no two components touch.
    #[test]
    fn components_are_those_of_all_pairs() {
        let random = Random::new(11);
        let sparse = [(0, 1.0), (1, 1.0), (400, 25.0), (900, 22.0), (600, 60.0)];
        let dense = [(900, 4.0), (300, 9.0), (900, 14.0)];
        for (count, size) in sparse.into_iter().chain(dense) {
            let (mut cells, mut components) = (Cells::default(), ConnectedComponents::default());
            for i in 0..count {
                cells.add(floor((random.centred_vec3(i) * size).as_dvec3()));
            }
            components.find(&cells);
            let all = 0..cells.len();
            let touch = |a: usize, b: usize| (cells.get(a) - cells.get(b)).abs().max_element() <= 1;
            // Spreads the least number among touching cells until nothing changes.
            let mut least: Vec<usize> = all.clone().collect();
            loop {
                let before = least.clone();
                for (a, b) in all.clone().flat_map(|a| all.clone().map(move |b| (a, b))) {
                    if touch(a, b) {
                        least[a] = least[a].min(least[b]);
                    }
                }
                if least == before {
                    break;
                }
            }
            let firsts: Vec<usize> = all.clone().filter(|&i| least[i] == i).collect();
            assert_eq!(components.count(), firsts.len());
            for i in all {
                assert_eq!(firsts[components.of(i)], least[i], "cell {i} of {}", cells.len());
            }
        }
    }

    /// In half-full tables of any size, cells of a ball probe no more slots than with random hashing, where
    /// the mean is ½ (1 / (1 - ½) - 1) (Knuth, linear probing).
    #[test]
    fn cells_of_a_ball_rarely_share_a_slot() {
        for (size, radius) in [(1 << 10, 6), (1 << 12, 8), (1 << 13, 10), (1 << 16, 20)] {
            let around = -radius..=radius;
            let all = around.clone().flat_map(|z| around.clone().map(move |y| (y, z)));
            let cells = all.flat_map(|(y, z)| around.clone().map(move |x| IVec3::new(x, y, z)));
            let cells = cells.filter(|cell| cell.length_squared() < radius * radius).take(size / 2);
            let (mut table, mut count, mut taken) = (vec![false; size], 0, 0);
            for cell in cells {
                let mut at = slot(cell) & (size - 1);
                while std::mem::replace(&mut table[at], true) {
                    (at, taken) = ((at + 1) & (size - 1), taken + 1);
                }
                count += 1;
            }
            assert!(2 * taken <= count, "{taken} taken slots for {count} cells of {size}");
        }
    }

    #[test]
    fn rounding_down_is_that_of_f64() {
        let random = Random::new(12);
        for i in 0..1000 {
            let v = (random.centred_vec3(i) * 10.0_f32.powi(i as i32 % 10)).as_dvec3();
            for v in [v, v.round(), DVec3::splat(-1e-20), DVec3::splat(-0.0)] {
                assert_eq!(floor(v).as_dvec3(), v.floor() + 0.0);
            }
        }
    }

    #[test]
    fn the_cell_of_a_place_is_rounded_down_in_f64() {
        let random = Random::new(13);
        for i in 0..1000 {
            let place = random.centred_vec3(i) * 10.0_f32.powi(i as i32 % 20);
            for place in [place, place.round(), Vec3::splat(-0.0), Vec3::splat(f32::MAX)] {
                let cells = (place.as_dvec3() / 0.15)
                    .floor()
                    .clamp(DVec3::splat(-FARTHEST_CELL), DVec3::splat(FARTHEST_CELL));
                assert_eq!(cell_of(place, 0.15).as_dvec3(), cells + 0.0, "{place}");
            }
        }
    }
}
