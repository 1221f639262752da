//! Crowding of vortons in containers (E73). Density is mass per volume of vortons: it does not change where
//! errors of the motion press vortons together, so gravity does not resist. In a fluid that cannot be
//! compressed, pressure does.

use super::{FULL, WallNodes, cell, corner_weight, corners};
use crate::density::ScalarGrid;
use crate::grid::{GridShape, Splines};
use crate::math::{exactly, for_capacity};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3};

/// Crowding of the nodes in containers.
#[derive(Debug, Clone, Default)]
pub(super) struct Crowding {
    /// Per node, first: volume of vortons in excess of [`ROOM`], and fraction in front of walls, averaged
    /// along x \[1\]. Then, in x: crowding, at nodes in walls that of their images, so that nothing presses
    /// towards a wall.
    rows: Vec<Vec2>,
    /// Per node in the fluid: crowding, that excess over that fraction, both averaged with all neighbours
    /// \[1\].
    excess: Vec<f32>,
    /// Per node: increase over a spacing along each axis \[1\]. Empty if no node is crowded.
    slopes: Vec<Vec3>,
}

/// Volume of vortons over that of the fluid up to which a node is not crowded \[1\]. In fluid that is not
/// crowded, the average over a node and its neighbours varies by less with the places of vortons, that of a
/// single node by more: vortons would part for ever.
const ROOM: f32 = 1.05;

impl WallNodes {
    /// Allocates memory for all nodes, so that a step in which vortons move or crowd for the first time does
    /// not.
    pub(crate) fn make_room_for_crowding(&mut self) {
        self.others.iter_mut().for_each(Self::make_room_for_crowding);
        exactly(&mut self.crowding.rows, self.shape.len(), Vec2::ZERO);
        exactly(&mut self.crowding.excess, self.shape.len(), 0.0);
        for_capacity(&mut self.crowding.slopes, self.shape.len());
    }

    /// Finds where vortons are crowded, from those deposited on the grid for which the walls were found. True
    /// if any are. Memory for it has to be there.
    pub(crate) fn find_crowding(&mut self, exec: &dyn Executor, grid: &ScalarGrid) -> bool {
        let others = self.others.iter_mut().zip(grid.others());
        let is_crowded = others.fold(false, |any, (walls, grid)| walls.find_crowding(exec, grid) || any);
        let mut crowding = std::mem::take(&mut self.crowding);
        crowding.slopes.clear();
        if self.contents().is_some() && grid.nodes().len() == self.shape.len() {
            let share = self.strength_of_crowding(grid);
            if share > 0.0 {
                self.find_excess(exec, grid, &mut crowding, share);
            }
            if share > 0.0 && crowding.excess.iter().any(|&excess| excess > 0.0) {
                self.find_slopes(exec, &mut crowding);
            }
        }
        self.crowding = crowding;
        is_crowded || !self.crowding.slopes.is_empty()
    }

    /// Returns the increase of crowding over a spacing along each axis \[1\] at `place` \[m\].
    pub(crate) fn slope_of_crowding(&self, place: Vec3) -> Vec3 {
        let boxes = std::iter::once(self).chain(&self.others);
        let mut slopes = boxes.filter(|walls| !walls.crowding.slopes.is_empty()).filter_map(|walls| {
            Splines::new(&walls.shape).at(place).map(|spline| spline.value(&walls.crowding.slopes))
        });
        slopes.next().unwrap_or(Vec3::ZERO)
    }

    /// True for a node in a container's fluid.
    fn is_in_fluid(&self, node: usize) -> bool {
        self.nodes[node].is_held() && self.nodes[node].distance >= 0.0
    }

    /// Returns 1 if vortons fill the containers, 0 if there is ambient fluid that they can push away, as in
    /// a room with an emitter \[1\].
    fn strength_of_crowding(&self, grid: &ScalarGrid) -> f32 {
        let of_node = |node: usize| (f64::from(grid.nodes()[node].y), f64::from(self.fluid(node)));
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let inside = (0..self.shape.len()).filter(|&node| self.is_in_fluid(node));
        let (volume, cells) = inside.map(of_node).fold((0.0, 0.0), add);
        let filled = (volume / (cells * f64::from(self.shape.cell_volume()))) as f32;
        // Without fluid 0/0 gives NaN.
        let share = ((filled - FULL[0]) / (FULL[1] - FULL[0])).clamp(0.0, 1.0);
        if share.is_finite() { share } else { 0.0 }
    }

    /// Finds the crowding of nodes in the fluid, averaged with weights of ¼, ½, ¼ along each axis, times
    /// `share` \[1\].
    fn find_excess(&self, exec: &dyn Executor, grid: &ScalarGrid, crowding: &mut Crowding, share: f32) {
        let (shape, per_cell) = (self.shape, 1.0 / self.shape.cell_volume());
        let (plane_len, nx) = (shape.plane_len(), shape.dims_usize()[0]);
        let (open, deposits) = (&self.open, grid.nodes());
        let Crowding { rows, excess, .. } = crowding;
        for_each_chunk_mut(exec, nx, rows.as_mut_slice(), &|first, row: &mut [Vec2]| {
            row.fill(Vec2::ZERO);
            if open[first..first + nx].iter().all(|&open| open == 0.0) {
                return;
            }
            let has_solids = self.has_solids();
            let of = |node: usize| {
                let fluid = if has_solids { self.fluid(node) } else { open[node] };
                Vec2::new(deposits[node].y * per_cell - ROOM * fluid, open[node])
            };
            let (mut before, mut here) = (of(first), of(first + 1));
            for (x, value) in row.iter_mut().enumerate().take(nx - 1).skip(1) {
                let after = of(first + x + 1);
                *value = 0.5 * here + 0.25 * (before + after);
                (before, here) = (here, after);
            }
        });
        let rows = &*rows;
        for_each_chunk_mut(exec, nx, excess.as_mut_slice(), &|first, row: &mut [f32]| {
            row.fill(0.0);
            if !is_inner_row(&shape, first) {
                return;
            }
            let along_y = |node: usize| 0.5 * rows[node] + 0.25 * (rows[node - nx] + rows[node + nx]);
            for (node, excess) in (first..).zip(row).take(nx - 1).skip(1) {
                let sides = along_y(node - plane_len) + along_y(node + plane_len);
                let sum = 0.5 * along_y(node) + 0.25 * sides;
                if sum.x > 0.0 && self.is_in_fluid(node) {
                    *excess = share * (sum.x / sum.y);
                }
            }
        });
    }

    fn find_slopes(&self, exec: &dyn Executor, crowding: &mut Crowding) {
        let (shape, nodes) = (self.shape, &self.nodes);
        let (plane_len, nx) = (shape.plane_len(), shape.dims_usize()[0]);
        let Crowding { rows: mirrored, excess, slopes } = crowding;
        let excess = &*excess;
        for_each_chunk_mut(exec, nx, mirrored.as_mut_slice(), &|first, row: &mut [Vec2]| {
            for (node, mirrored) in (first..).zip(row) {
                let is_in_wall = nodes[node].is_held() && nodes[node].distance < 0.0;
                mirrored.x = if is_in_wall { self.excess_at_image(node, excess) } else { excess[node] };
            }
        });
        let mirrored = &*mirrored;
        exactly(slopes, shape.len(), Vec3::ZERO);
        for_each_chunk_mut(exec, nx, slopes.as_mut_slice(), &|first, row: &mut [Vec3]| {
            row.fill(Vec3::ZERO);
            if !is_inner_row(&shape, first) {
                return;
            }
            for (node, slope) in (first..).zip(row).take(nx - 1).skip(1) {
                let along = |stride: usize| 0.5 * (mirrored[node + stride].x - mirrored[node - stride].x);
                let here = Vec3::new(along(1), along(nx), along(plane_len));
                if here != Vec3::ZERO && nodes[node].is_held() {
                    *slope = here;
                }
            }
        });
    }

    /// Returns the crowding at the image of a node in a wall: in front of the wall, where it is open \[1\].
    fn excess_at_image(&self, node: usize, excess: &[f32]) -> f32 {
        let Some((base, offset)) = cell(&self.shape, self.nodes[node].image) else { return 0.0 };
        let corners = corners(&self.shape, base);
        if corners.iter().all(|&at| excess[at] == 0.0) {
            return 0.0;
        }
        let mut sums = (0.0, 0.0);
        for (corner, at) in corners.into_iter().enumerate() {
            let weight = corner_weight(corner, offset) * self.open[at];
            if weight > 0.0 && self.is_in_fluid(at) {
                sums = (sums.0 + excess[at] * weight, sums.1 + weight);
            }
        }
        if sums.0 > 0.0 { sums.0 / sums.1 } else { 0.0 }
    }
}

/// True for a row of nodes along x that has neighbours along y and z.
fn is_inner_row(shape: &GridShape, first: usize) -> bool {
    let [nx, ny, nz] = shape.dims_usize();
    let [y, z] = [first / nx % ny, first / (nx * ny)];
    0 < y && y + 1 < ny && 0 < z && z + 1 < nz
}
