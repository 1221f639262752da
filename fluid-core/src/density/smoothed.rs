//! Node values for samples of density that interpolate linearly: the spline's values at the nodes.
//!
//! Between nodes the error is that of linear interpolation: along each axis at most an eighth of the second
//! difference of the node values.

use crate::grid::{BOX_SIZES, FilledRows, GridShape, Splines};
use crate::lanes::{Job, Lanes};
use crate::math::exactly;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3};

/// Points sampled together.
pub(super) const BATCH: usize = 64;

/// Values of the quadratic spline at the nodes of a box.
#[derive(Debug, Default)]
pub(super) struct Smoothed {
    /// 0 on the faces of the box, which are not read.
    nodes: Vec<Vec2>,
    /// Rows of nodes with a non-zero value on or beside them.
    filled: FilledRows,
}

impl Clone for Smoothed {
    fn clone(&self) -> Self {
        Self { nodes: self.nodes.clone(), filled: FilledRows::default() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.nodes.clone_from(&other.nodes);
    }
}

impl Smoothed {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
    }

    /// The values, if there are any.
    pub(super) fn nodes(&self) -> Option<&[Vec2]> {
        (!self.nodes.is_empty()).then_some(&self.nodes)
    }

    /// Sets the spline's values at the nodes from its coefficients `seen`.
    pub(super) fn set(&mut self, exec: &dyn Executor, shape: &GridShape, seen: &[Vec2]) {
        exactly(&mut self.nodes, seen.len(), Vec2::ZERO);
        if seen.is_empty() {
            return;
        }
        self.filled.find(exec, shape, seen, 1, &|seen| *seen != Vec2::ZERO);
        let (filled, plane) = (&self.filled, shape.plane_len());
        for_each_chunk_mut(exec, plane, self.nodes.as_mut_slice(), &|first, nodes: &mut [Vec2]| {
            smooth_plane(shape, seen, filled, first / plane, nodes);
        });
    }
}

/// Most nodes along an axis.
const LONGEST: usize = BOX_SIZES[BOX_SIZES.len() - 1] as usize;

/// Smooths plane k with (1/8, 3/4, 1/8) along each axis; 0 where all coefficients around a node are 0.
fn smooth_plane(shape: &GridShape, seen: &[Vec2], filled: &FilledRows, k: usize, out: &mut [Vec2]) {
    let nx = shape.dims_usize()[0];
    out.fill(Vec2::ZERO);
    let smooth = |below: Vec2, here: Vec2, above: Vec2| here * 0.75 + (below + above) * 0.125;
    let mut in_plane = [Vec2::ZERO; LONGEST];
    for inner in filled.inside_of_plane(k) {
        let (j, from) = (inner.start / nx, inner.start % nx - 1);
        let row = |j: usize, k: usize| &seen[shape.index(from, j, k)..][..inner.len() + 2];
        let along_z =
            |j: usize, i: usize, rows: &[&[Vec2]; 9]| smooth(rows[j][i], rows[j + 3][i], rows[j + 6][i]);
        let nine = std::array::from_fn(|n| row(j + n % 3 - 1, k + n / 3 - 1));
        let in_plane = &mut in_plane[..inner.len() + 2];
        for (i, smoothed) in in_plane.iter_mut().enumerate() {
            *smoothed = smooth(along_z(0, i, &nine), along_z(1, i, &nine), along_z(2, i, &nine));
        }
        for (out, three) in out[inner].iter_mut().zip(in_plane.windows(3)) {
            *out = smooth(three[0], three[1], three[2]);
        }
    }
}

/// Linear interpolation between nodes, the hot loop of tracers that show a quantity.
pub(super) struct Linear<'a> {
    pub(super) splines: &'a Splines,
    pub(super) nodes: &'a [Vec2],
    pub(super) places: &'a [Vec3],
    pub(super) values: &'a mut [Vec3],
}

impl Job for Linear<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut outside = [false; BATCH];
        let outside = &mut outside[..self.places.len()];
        self.splines.trilinear_pairs(self.nodes, self.places, outside, self.values);
    }
}
