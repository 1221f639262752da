//! Tracers where the density is: they show what falls or rises (part 8 of the articles).

use super::error::{InitialError, within};
use crate::density::ScalarGrid;
use crate::grid::{GridShape, Splines};
use crate::math::Random;
use glam::{IVec3, Vec3};

/// Most tracers that one density field implies.
pub const MAX_TRACERS: usize = 1 << 22;

/// Sub-cells along an edge of a cell in which tracers are counted for an estimate \[1\].
const PROBES: u32 = 4;

/// Fewer probes than this say nothing \[1\].
const ENOUGH_PROBES: u64 = 64;

/// Tracers implied by a density field: evenly spread where the deviation is large, of either sign, and each
/// with the deviation that it finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpliedTracers {
    /// Cube root m of the number of tracers in each cell of the field's lattice, 1 to 64.
    pub per_cell: u32,
    /// Least share of the field's largest |deviation| that is shown, above 0, at most 1. The articles have
    /// 0.6.
    pub threshold: f32,
    /// Share of its own sub-cell over which a tracer's place is random, 0 to 1.
    pub jitter: f32,
    /// Seed of the random numbers. A tracer's depend on its sub-cell alone, wherever the field's box begins.
    pub seed: u64,
}

impl Default for ImpliedTracers {
    /// The articles' 5³ in each cell, as random as can be.
    fn default() -> Self {
        Self { per_cell: 5, threshold: 0.6, jitter: 1.0, seed: 0 }
    }
}

impl ImpliedTracers {
    /// Places \[m\] and density deviations \[kg/m³\]; none if nothing deviates. Ordered by cell, then by
    /// sub-cell, with z slowest and x fastest.
    ///
    /// The threshold is a share of the largest |deviation| of any node, so of two drops the stronger one
    /// decides. Within a sharp blob there are about m³ tracers per cell of its volume.
    ///
    /// # Errors
    /// Names the first field that is out of range; `per_cell` also if there would be more than
    /// [`MAX_TRACERS`].
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
        if self.estimated_count(grid) > 2 * MAX_TRACERS {
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
                if tracers.len() > MAX_TRACERS {
                    return Err(bad_size());
                }
            }
        }
        Ok(tracers)
    }

    /// About how many tracers there would be, at the cost of `PROBES`³ samples a cell at most; 0 if these
    /// are too few to tell. Refuse what is far too much by it, before [`tracers`](Self::tracers) has found
    /// all of them.
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

    /// One place \[m\] in each sub-cell of a cell.
    fn places(&self, shape: &GridShape, cell: IVec3) -> impl Iterator<Item = Vec3> {
        let m = self.per_cell as i32;
        let (anchor, spacing) = (shape.anchor(), f64::from(shape.spacing()) / f64::from(m));
        (0..m * m * m).map(move |sub| {
            let sub = cell.as_i64vec3() * i64::from(m)
                + IVec3::new(sub % m, sub / m % m, sub / (m * m)).as_i64vec3();
            // One stream for each row of sub-cells: a single counter for all three numbers would repeat
            // itself.
            let plane = Random::new(Random::new(self.seed).bits(sub.z as u64));
            let shift = Random::new(plane.bits(sub.y as u64)).centred_vec3(sub.x as u64) * self.jitter;
            ((sub.as_dvec3() + 0.5 + shift.as_dvec3()) * spacing + anchor).as_vec3()
        })
    }
}

/// All boxes of a grid.
fn boxes(grid: &ScalarGrid) -> impl Iterator<Item = &ScalarGrid> {
    std::iter::once(grid).chain(grid.others())
}

/// Per node of one box: |deviation| \[kg/m³\].
fn deviations(grid: &ScalarGrid) -> Vec<f32> {
    (0..grid.nodes().len()).map(|node| grid.node(node).0.abs()).collect()
}

/// Largest |deviation| of any node \[kg/m³\].
fn largest(grid: &ScalarGrid) -> f32 {
    boxes(grid).flat_map(deviations).fold(0.0, f32::max)
}

/// The cells of which a sample may reach `least`, by the lattice point of their lowest corner: a sample is a
/// mean of the nodes that are less than two from its cell's own.
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
