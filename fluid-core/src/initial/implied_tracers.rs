//! Tracers placed by density: they visualise falling or rising fluid (part 8 of the articles).

use super::error::{InitialError, within};
use crate::density::ScalarGrid;
use crate::grid::{GridShape, Splines};
use crate::math::Random;
use glam::{IVec3, Vec3};

/// Maximum number of tracers implied by a density field.
pub const MAX_INITIAL_TRACERS: usize = 1 << 22;

/// Sub-cells along an edge of a cell in which tracers are counted for an estimate \[1\].
const PROBES: u32 = 4;

/// Minimum number of probes for a meaningful estimate \[1\].
const ENOUGH_PROBES: u64 = 64;

/// Tracers implied by a density field: evenly spread where the deviation is large, of either sign, each
/// with the local deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpliedTracers {
    /// Cube root m of the number of tracers in each cell of the field's lattice, 1 to 64.
    pub per_cell: u32,
    /// Smallest shown |deviation| as a fraction of the field's largest one, above 0, at most 1. The
    /// articles use 0.6.
    pub threshold: f32,
    /// Fraction of its sub-cell over which a tracer's position is random, 0 to 1.
    pub jitter: f32,
    /// Seed of the random numbers. Those of a tracer depend on its sub-cell alone, not on the bounds of the
    /// field's box.
    pub seed: u64,
}

impl Default for ImpliedTracers {
    /// Returns the articles' 5³ tracers per cell, with full jitter.
    fn default() -> Self {
        Self { per_cell: 5, threshold: 0.6, jitter: 1.0, seed: 0 }
    }
}

impl ImpliedTracers {
    /// Returns positions \[m\] and density deviations \[kg/m³\]; none without any deviation. Ordered by
    /// cell, then by sub-cell, with z slowest and x fastest.
    ///
    /// The threshold is a fraction of the largest |deviation| of any node, so of two drops the stronger one
    /// sets it. Within a sharp blob there are about m³ tracers per cell of its volume.
    ///
    /// # Errors
    /// Names the first field that is out of range; `per_cell` also if there would be more than
    /// [`MAX_INITIAL_TRACERS`].
    pub fn tracers(&self, grid: &ScalarGrid) -> Result<Vec<(Vec3, f32)>, InitialError> {
        const SIZE: &str = "from 1 to 64, and small enough for at most 2^22 tracers";
        let bad_size =
            || InitialError::OutOfRange { field: "per_cell", value: f64::from(self.per_cell), range: SIZE };
        if !(1..=64).contains(&self.per_cell) {
            return Err(bad_size());
        }
        within("threshold", self.threshold, f32::MIN_POSITIVE, 1.0, "above 0 and at most 1")?;
        within("jitter", self.jitter, 0.0, 1.0, "from 0 to 1")?;

        let mut tracers = Vec::new();
        if self.estimated_count(grid) > 2 * MAX_INITIAL_TRACERS {
            return Err(bad_size());
        }
        let least = self.threshold * largest(grid);
        if least == 0.0 {
            return Ok(tracers);
        }
        for grid in boxes(grid) {
            let splines = Splines::new(grid.shape());
            for cell in cells_near(grid.shape(), &deviations(grid), least) {
                for place in self.places(grid.shape(), cell) {
                    let (deviation, _) = grid.sample(&splines, place);
                    if deviation.abs() >= least && deviation.is_finite() {
                        tracers.push((place, deviation));
                    }
                }
                if tracers.len() > MAX_INITIAL_TRACERS {
                    return Err(bad_size());
                }
            }
        }
        Ok(tracers)
    }

    /// Estimates the number of tracers, at the cost of at most `PROBES`³ samples per cell; 0 if there are
    /// too few samples for an estimate. Use it to reject excessive numbers before calling
    /// [`tracers`](Self::tracers), which computes all of them.
    pub fn estimated_count(&self, grid: &ScalarGrid) -> usize {
        let least = self.threshold * largest(grid);
        if self.per_cell == 0 || least.is_nan() || least <= 0.0 {
            return 0;
        }
        let coarse = Self { per_cell: self.per_cell.min(PROBES), jitter: 0.0, ..*self };
        let mut count = 0_u64;
        for grid in boxes(grid) {
            let splines = Splines::new(grid.shape());
            for cell in cells_near(grid.shape(), &deviations(grid), least) {
                let shown = |place: Vec3| grid.sample(&splines, place).0.abs() >= least;
                count += coarse.places(grid.shape(), cell).filter(|&place| shown(place)).count() as u64;
            }
        }
        let finer = (f64::from(self.per_cell) / f64::from(coarse.per_cell)).powi(3);
        if count < ENOUGH_PROBES { 0 } else { (count as f64 * finer) as usize }
    }

    /// Returns one position \[m\] in each sub-cell of a cell.
    fn places(&self, shape: &GridShape, cell: IVec3) -> impl Iterator<Item = Vec3> {
        let m = self.per_cell as i32;
        let (anchor, spacing) = (shape.anchor(), f64::from(shape.spacing()) / f64::from(m));
        (0..m * m * m).map(move |sub| {
            let sub = cell.as_i64vec3() * i64::from(m)
                + IVec3::new(sub % m, sub / m % m, sub / (m * m)).as_i64vec3();
            // One stream for each row of sub-cells: a single counter for all three numbers would repeat.
            let plane = Random::new(Random::new(self.seed).bits(sub.z as u64));
            let shift = Random::new(plane.bits(sub.y as u64)).centred_vec3(sub.x as u64) * self.jitter;
            ((sub.as_dvec3() + 0.5 + shift.as_dvec3()) * spacing + anchor).as_vec3()
        })
    }
}

/// Iterates over all boxes of a grid.
fn boxes(grid: &ScalarGrid) -> impl Iterator<Item = &ScalarGrid> {
    std::iter::once(grid).chain(grid.others())
}

/// Returns |deviation| \[kg/m³\] at each node of one box.
fn deviations(grid: &ScalarGrid) -> Vec<f32> {
    (0..grid.nodes().len()).map(|node| grid.node(node).0.abs()).collect()
}

/// Returns the largest |deviation| of any node \[kg/m³\].
fn largest(grid: &ScalarGrid) -> f32 {
    boxes(grid).flat_map(deviations).fold(0.0, f32::max)
}

/// Returns the cells in which a sample may reach `least`, by the lattice point of their lowest corner: a
/// sample is a mean of nodes less than two nodes from its cell's own.
fn cells_near(shape: &GridShape, values: &[f32], least: f32) -> impl Iterator<Item = IVec3> {
    let [nx, ny, nz] = shape.dims_usize();
    let row = move |j: usize, k: usize| &values[shape.index(0, j, k)..][..nx];
    let any = move |nodes: &[f32]| nodes.iter().any(|&value| value >= least);
    let rows_around =
        |j: usize, k: usize| (k - 1..k + 3).flat_map(move |k| (j - 1..j + 3).map(move |j| (j, k)));
    let rows = (1..nz.saturating_sub(2)).flat_map(move |k| (1..ny.saturating_sub(2)).map(move |j| (j, k)));
    rows.filter(move |&(j, k)| rows_around(j, k).any(|(j, k)| any(row(j, k)))).flat_map(move |(j, k)| {
        (1..nx.saturating_sub(2))
            .filter(move |&i| rows_around(j, k).any(|(j, k)| any(&row(j, k)[i - 1..i + 3])))
            .map(move |i| shape.first() + IVec3::new(i as i32, j as i32, k as i32))
    })
}
