//! Vortons close to each other, which diffuse as one.

use super::problem::DiffusionProblem;
use crate::math::for_capacity;
use crate::particles::Vortons;
use crate::particles::cells::{Cells, cell_of, slot};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{DVec3, Vec3};

/// Vortons that take part, in crowds. A crowd is usually one vorton; where a cell holds more than
/// [`MOST_APART`], all its vortons are one crowd, because N vortons at one point have N² pairs.
///
/// This is exact if the vortons coincide: each exchanges with vortons outside of the crowd at the same rate,
/// and its difference from the crowd's mean decays at the rate of its total exchange.
#[derive(Debug, Clone, Default)]
pub(super) struct Crowds {
    /// Upper bounds on the number of vortons in each cell; several cells share an entry.
    pub(super) bounds: Vec<u8>,
    pub(super) cells: Cells,
    /// Per vorton that takes part: its row, its cell and its crowd.
    pub(super) part: Vec<[u32; 3]>,
    /// Per cell: the number of its vortons, and its crowd if they exchange as one.
    pub(super) counts: Vec<u32>,
    pub(super) crowd_of: Vec<u32>,
    /// Per crowd: its position in the problem's units, and the start of its rows.
    pub(super) places: Vec<Vec3>,
    pub(super) starts: Vec<u32>,
    pub(super) rows: Vec<u32>,
}

/// Edge of the cells in which vortons are grouped \[core radii\].
pub(super) const CROWD_CELL: f64 = 0.5;
/// Most vortons in a cell that exchange individually \[1\]. A volume with the overlap 1.7 has 0.6 in a cell.
pub(super) const MOST_APART: u32 = 8;

/// Largest coordinate at which vortons are grouped \[cells from the origin\].
pub(super) const FARTHEST_CROWD: f64 = 1e6;

/// Returns the number of entries of `bounds` for so many vortons: a power of two, with few of them shared.
pub(super) fn bounds_len(vortons: usize) -> usize {
    (2 * vortons).next_power_of_two()
}

/// Marks a vorton that is in no crowd yet, and a cell whose vortons exchange individually.
pub(super) const NO_CROWD: u32 = u32::MAX;
/// Marks a vorton beyond [`FARTHEST_CROWD`].
pub(super) const NO_CELL: u32 = u32::MAX;
/// Marks a vorton that does not take part.
const LEFT_OUT: u32 = u32::MAX - 1;

/// Vortons per task that finds their cells \[particles\]: some 10 µs of work.
const ENTRIES: usize = 512;

impl Crowds {
    pub(super) fn reserve(&mut self, capacity: usize) {
        for_capacity(&mut self.bounds, bounds_len(capacity));
        self.cells.reserve(capacity);
        for_capacity(&mut self.part, capacity);
        for column in [&mut self.counts, &mut self.crowd_of, &mut self.rows] {
            for_capacity(column, capacity);
        }
        for_capacity(&mut self.places, capacity);
        for_capacity(&mut self.starts, capacity + 1);
    }

    pub(super) fn find(&mut self, exec: &dyn Executor, problem: &DiffusionProblem, vortons: &Vortons) {
        let edge = CROWD_CELL * f64::from(problem.settings.core_radius);
        if !self.find_alone(exec, edge, problem, vortons) {
            self.find_crowds(edge, problem, vortons);
        }
    }

    /// Makes each vorton a crowd of its own. Returns false, with incomplete crowds, if a cell may contain
    /// more than [`MOST_APART`].
    pub(super) fn find_alone(
        &mut self,
        exec: &dyn Executor,
        edge: f64,
        problem: &DiffusionProblem,
        vortons: &Vortons,
    ) -> bool {
        let len = bounds_len(vortons.len());
        // The counts of cells are not needed.
        let entries = &mut self.counts;
        entries.resize(vortons.len(), 0);
        for_each_chunk_mut(exec, ENTRIES, entries.as_mut_slice(), &|first, entries: &mut [u32]| {
            for (row, entry) in (first..).zip(entries) {
                let place = vortons.positions.get(row);
                *entry = if !problem.takes_part(vortons, row) {
                    LEFT_OUT
                } else if place.abs().max_element() < (FARTHEST_CROWD * edge) as f32 {
                    (slot(cell_of(place, edge)) & (len - 1)) as u32
                } else {
                    NO_CELL
                };
            }
        });
        self.bounds.clear();
        self.bounds.resize(len, 0);
        self.rows.clear();
        self.places.clear();
        for (row, &entry) in entries.iter().enumerate().filter(|(_, entry)| **entry != LEFT_OUT) {
            if entry != NO_CELL {
                let bound = &mut self.bounds[entry as usize];
                if u32::from(*bound) == MOST_APART {
                    return false;
                }
                *bound += 1;
            }
            self.rows.push(row as u32);
            self.places.push(vortons.positions.get(row) * problem.length);
        }
        self.starts.clear();
        self.starts.extend(0..=self.rows.len() as u32);
        true
    }

    pub(super) fn find_crowds(&mut self, edge: f64, problem: &DiffusionProblem, vortons: &Vortons) {
        self.cells.clear();
        self.part.clear();
        self.counts.clear();
        for row in (0..vortons.len()).filter(|&row| problem.takes_part(vortons, row)) {
            let place = vortons.positions.get(row);
            // Farther away, f32 cannot distinguish positions within reach of each other.
            if place.abs().max_element() >= (FARTHEST_CROWD * edge) as f32 {
                self.part.push([row as u32, NO_CELL, NO_CROWD]);
                continue;
            }
            let cell = self.cells.add(cell_of(place, edge));
            self.counts.resize(self.cells.len(), 0);
            self.counts[cell] += 1;
            self.part.push([row as u32, cell as u32, NO_CROWD]);
        }
        self.crowd_of.clear();
        self.crowd_of.resize(self.cells.len(), NO_CROWD);
        self.starts.clear();
        for part in &mut self.part {
            let cell = part[1] as usize;
            let crowd = self.crowd_of.get(cell).copied().unwrap_or(NO_CROWD);
            part[2] = crowd;
            if crowd == NO_CROWD {
                part[2] = self.starts.len() as u32;
                self.starts.push(0);
                if self.counts.get(cell).is_some_and(|&count| count > MOST_APART) {
                    self.crowd_of[cell] = part[2];
                }
            }
            self.starts[part[2] as usize] += 1;
        }
        // Ends first; filling backwards turns them into starts.
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.starts.push(end);
        self.rows.clear();
        self.rows.resize(self.part.len(), 0);
        for &[row, _, crowd] in self.part.iter().rev() {
            self.starts[crowd as usize] -= 1;
            self.rows[self.starts[crowd as usize] as usize] = row;
        }
        self.places.clear();
        for crowd in 0..self.starts.len() - 1 {
            let place = |row: u32| vortons.positions.get(row as usize) * problem.length;
            let middle = match self.rows(crowd) {
                &[row] => place(row),
                rows => {
                    let mut sum = (DVec3::ZERO, 0.0);
                    for &row in rows {
                        let volume = problem.volume(vortons.volumes[row as usize]);
                        sum = (sum.0 + place(row).as_dvec3() * volume, sum.1 + volume);
                    }
                    (sum.0 / sum.1).as_vec3()
                }
            };
            self.places.push(middle);
        }
    }

    pub(super) fn place(&self, crowd: usize) -> Vec3 {
        self.places[crowd]
    }

    /// Returns the rows of its vortons, ascending.
    pub(super) fn rows(&self, crowd: usize) -> &[u32] {
        &self.rows[self.starts[crowd] as usize..self.starts[crowd + 1] as usize]
    }
}
