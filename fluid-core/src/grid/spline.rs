//! The quadratic spline: the weights between a particle and its 27 nearest nodes (E23).

use super::read_nodes::{NodeValue, ReadNodes, Trilinear, TrilinearPairs, halves, joined};
use super::{GridShape, NodeBox};
use crate::lanes::BLOCK;
use glam::{IVec3, Mat3, Vec2, Vec3, Vec4};
use std::ops::{Add, Mul};

/// The quadratic B-spline at a point in a grid: the 3 × 3 × 3 nodes around the nearest one, with weights
/// that sum to 1 and have the point itself as their first moment. Values interpolated with it are
/// continuous, and so are their gradients.
#[derive(Debug, Clone, Copy)]
pub struct Spline {
    /// Index of the lowest of the 27 nodes.
    base: usize,
    /// Offsets from a node to the next row, and to the next plane.
    strides: [usize; 2],
    /// Weights along x, y and z.
    weights: [[f32; 3]; 3],
}

/// Splines of up to [`BATCH`] points, found together.
pub(super) struct SplineBatch {
    strides: [usize; 2],
    inside: [bool; BATCH],
    /// Along x, y and z: nearest nodes, and weights of three nodes.
    nearest: [[u32; BATCH]; 3],
    weights: [[[f32; BATCH]; 3]; 3],
}

impl SplineBatch {
    /// Returns the spline of a point; None where [`Splines::at`] returns it.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> Option<Spline> {
        let (lowest, strides) = (self.lowest(i)?, self.strides);
        let base = lowest[0] + strides[0] * lowest[1] + strides[1] * lowest[2];
        let weights = self.weights.each_ref().map(|axis| [axis[0][i], axis[1][i], axis[2][i]]);
        Some(Spline { base, strides, weights })
    }

    /// Returns the lowest of the 27 nodes; None as for [`get`](Self::get).
    #[inline(always)]
    pub(super) fn lowest(&self, i: usize) -> Option<[usize; 3]> {
        self.inside[i].then(|| self.nearest.each_ref().map(|axis| axis[i] as usize - 1))
    }
}

/// Nodes and offsets of up to [`BATCH`] points, found together.
struct CellBatch {
    inside: [bool; BATCH],
    nodes: [u32; BATCH],
    /// Along x, y and z \[cells\].
    offsets: [[f32; BATCH]; 3],
}

impl CellBatch {
    /// Returns the offset of a point from its node \[cells\].
    #[inline(always)]
    fn offset(&self, i: usize) -> [f32; 3] {
        [self.offsets[0][i], self.offsets[1][i], self.offsets[2][i]]
    }
}

/// Receiver of values at points, given by their index. A trait for the same reason as [`ReadNodes`].
pub(crate) trait ReceiveValues {
    /// Receives value and ∂/∂x, and ∂/∂y and ∂/∂z \[1/cell\], of four components each.
    fn receive(&mut self, i: usize, value: [[f32; 8]; 2]);
}

/// Builder of splines: converts a world's metres to a grid's cells.
#[derive(Debug, Clone, Copy)]
pub struct Splines {
    origin: Vec3,
    cells_per_metre: f32,
    /// Lower and upper bound on nearest nodes with all neighbours in the box, as floats.
    first: Vec3,
    last: Vec3,
    strides: [usize; 2],
}

impl Splines {
    /// Creates the splines of a grid.
    pub fn new(shape: &GridShape) -> Self {
        Self::within(shape, &NodeBox::all(shape))
    }

    /// Creates the splines of some nodes of a grid: the others count as outside.
    pub(crate) fn within(shape: &GridShape, nodes: &NodeBox) -> Self {
        let [nx, ny, _] = shape.dims_usize();
        Self {
            origin: shape.origin(),
            cells_per_metre: 1.0 / shape.spacing(),
            first: nodes.first.as_vec3() + 1.0,
            last: nodes.end.as_vec3() - 2.0,
            strides: [nx, nx * ny],
        }
    }

    /// Returns the nearest node, and the point's offset from it \[cells\]. None if one of the 27 nodes is
    /// outside of the grid, or `place` is not finite.
    #[inline(always)]
    fn nearest(&self, place: Vec3) -> Option<(IVec3, Vec3)> {
        let cells = (place - self.origin) * self.cells_per_metre;
        let shifted = cells + 0.5;
        // NaN fails the comparisons.
        if !(shifted.cmpge(self.first) & shifted.cmplt(self.last + 1.0)).all() {
            return None;
        }
        // Truncation rounds down here, and is an instruction where `floor` is a function.
        let nearest = shifted.as_ivec3();
        Some((nearest, cells - nearest.as_vec3()))
    }

    /// Returns the index of the nearest node, if all 27 nodes are in the grid.
    #[inline(always)]
    pub fn nearest_node(&self, place: Vec3) -> Option<usize> {
        self.nearest(place).map(|(nearest, _)| self.element(nearest))
    }

    /// As [`nearest_node`](Self::nearest_node), with its plane.
    #[inline(always)]
    pub(super) fn nearest_node_and_plane(&self, place: Vec3) -> Option<(usize, u16)> {
        self.nearest(place).map(|(nearest, _)| (self.element(nearest), nearest.z as u16))
    }

    #[inline(always)]
    fn element(&self, node: IVec3) -> usize {
        node.x as usize + self.strides[0] * node.y as usize + self.strides[1] * node.z as usize
    }

    /// Interpolates the value at each point \[m\] at least one cell inside the grid, linearly along each
    /// axis between the 8 surrounding nodes; 0 elsewhere, with `outside` set to true. Returns true if all
    /// are inside.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline(always)]
    pub fn trilinear(&self, grid: &[Vec4], places: &[Vec3], outside: &mut [bool], out: &mut [Vec3]) -> bool {
        self.for_each_inside(Trilinear { grid, strides: self.strides }, places, outside, out)
    }

    /// As [`trilinear`](Self::trilinear), but by the quadratic spline from the 27 surrounding nodes.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline(always)]
    pub fn quadratic(&self, grid: &[Vec4], places: &[Vec3], outside: &mut [bool], out: &mut [Vec3]) -> bool {
        self.for_each_inside(Quadratic { grid, splines: self }, places, outside, out)
    }

    /// As [`trilinear`](Self::trilinear), for two numbers at each node; the third is 0.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline(always)]
    pub fn trilinear_pairs(
        &self,
        grid: &[Vec2],
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut [Vec3],
    ) -> bool {
        self.for_each_inside(TrilinearPairs { grid, strides: self.strides }, places, outside, out)
    }

    /// As [`quadratic`](Self::quadratic), for two numbers at each node; the third is 0.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[inline(always)]
    pub fn quadratic_pairs(
        &self,
        grid: &[Vec2],
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut [Vec3],
    ) -> bool {
        self.for_each_inside(QuadraticPairs { grid, splines: self }, places, outside, out)
    }

    #[inline(always)]
    fn spline(&self, nearest: usize, offset: [f32; 3]) -> Spline {
        let base = nearest - (1 + self.strides[0] + self.strides[1]);
        Spline { base, strides: self.strides, weights: offset.map(weights) }
    }

    /// As [`trilinear`](Self::trilinear), with ∂/∂x, ∂/∂y and ∂/∂z \[1/cell\] of the interpolated values,
    /// which jump at the faces of cells, for up to [`BATCH`] points. Nothing is received outside.
    ///
    /// # Panics
    /// If there are more points, or if the slices differ in length.
    #[inline(always)]
    pub(crate) fn trilinear_with_gradients(
        &self,
        grid: &[Vec4],
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut impl ReceiveValues,
    ) {
        assert!(places.len() <= BATCH && places.len() == outside.len(), "one value for each place");
        let (read, cells) = (Trilinear { grid, strides: self.strides }, self.cells::<Trilinear<'_>>(places));
        for (i, outside) in outside.iter_mut().enumerate() {
            *outside = !cells.inside[i];
            if cells.inside[i] {
                out.receive(i, read.value_and_gradient(cells.nodes[i] as usize, cells.offset(i)));
            }
        }
    }

    /// Writes the value that `read` returns for each point at least a cell inside, 0 for the others.
    #[inline(always)]
    fn for_each_inside<R: ReadNodes>(
        &self,
        read: R,
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut [<R::Value as NodeValue>::Needed],
    ) -> bool {
        assert!(places.len() == outside.len() && places.len() == out.len(), "one value for each place");
        let mut all = true;
        for ((places, outside), out) in
            places.chunks(BATCH).zip(outside.chunks_mut(BATCH)).zip(out.chunks_mut(BATCH))
        {
            let cells = self.cells::<R>(places);
            let mut values = [R::Value::ZERO; BATCH];
            for (i, outside) in outside.iter_mut().enumerate() {
                *outside = !cells.inside[i];
                all &= cells.inside[i];
                if cells.inside[i] {
                    values[i] = read.value(cells.nodes[i] as usize, cells.offset(i));
                }
            }
            for (out, value) in out.iter_mut().zip(&values) {
                *out = value.needed();
            }
        }
        all
    }

    /// Returns the nodes from which `R` reads at up to [`BATCH`] points \[m\].
    #[inline(always)]
    fn cells<R: ReadNodes>(&self, places: &[Vec3]) -> CellBatch {
        let [origin, first, last] = [self.origin, self.first, self.last].map(|corner| corner.to_array());
        let strides = [1, self.strides[0] as u32, self.strides[1] as u32];
        let mut cells = CellBatch { inside: [true; BATCH], nodes: [0; BATCH], offsets: [[0.0; BATCH]; 3] };
        let CellBatch { inside, nodes, offsets } = &mut cells;
        for (i, place) in places.iter().enumerate() {
            for (axis, coordinates) in offsets.iter_mut().enumerate() {
                coordinates[i] = place[axis];
            }
        }
        // The same operations for all, so that the compiler vectorises them.
        for (axis, offsets) in offsets.iter_mut().enumerate() {
            for i in 0..BATCH {
                let cell = (offsets[i] - origin[axis]) * self.cells_per_metre;
                // NaN fails the comparisons.
                inside[i] &= cell >= first[axis] && cell < last[axis];
                let node = floor(if R::NEAREST { cell + 0.5 } else { cell });
                offsets[i] = cell - node;
                nodes[i] = nodes[i].wrapping_add(whole(node).wrapping_mul(strides[axis]));
            }
        }
        cells
    }

    /// Interpolates value, ∂/∂x, ∂/∂y and ∂/∂z \[1/cell\], of four components each, at up to [`BATCH`] points
    /// \[m\] by the quadratic spline. Sets `outside` to true, and nothing is received, where
    /// [`at`](Self::at) returns None.
    ///
    /// # Panics
    /// If there are more points, or if the slices differ in length.
    #[inline(always)]
    pub(crate) fn values_and_gradients(
        &self,
        grid: &[Vec4],
        places: &[Vec3],
        outside: &mut [bool],
        out: &mut impl ReceiveValues,
    ) {
        assert_eq!(places.len(), outside.len(), "one value for each place");
        let splines = self.batch(places);
        for (i, outside) in outside.iter_mut().enumerate() {
            match splines.get(i) {
                Some(spline) => out.receive(i, spline.value_and_gradient_columns(grid)),
                None => *outside = true,
            }
        }
    }

    /// Returns the splines of up to [`BATCH`] points \[m\].
    ///
    /// # Panics
    /// If there are more points.
    #[inline(always)]
    pub(super) fn batch(&self, places: &[Vec3]) -> SplineBatch {
        let last = self.last + 1.0;
        let mut batch = SplineBatch {
            strides: self.strides,
            inside: [true; BATCH],
            nearest: [[0; BATCH]; 3],
            weights: [[[0.0; BATCH]; 3]; 3],
        };
        let SplineBatch { inside, nearest, weights: of_axes, .. } = &mut batch;
        for (axis, (nearest, of_axis)) in nearest.iter_mut().zip(of_axes).enumerate() {
            let mut coordinates = [0.0_f32; BATCH];
            let used = &mut coordinates[..places.len()];
            for (coordinate, place) in used.iter_mut().zip(places) {
                *coordinate = place[axis];
            }
            let (origin, first, last) = (self.origin[axis], self.first[axis], last[axis]);
            // The same operations for all, so that the compiler vectorises them.
            for i in 0..places.len().next_multiple_of(BLOCK) {
                let cell = (coordinates[i] - origin) * self.cells_per_metre;
                let shifted = cell + 0.5;
                // NaN fails the comparisons.
                inside[i] &= shifted >= first && shifted < last;
                let node = floor(shifted);
                nearest[i] = whole(node);
                [of_axis[0][i], of_axis[1][i], of_axis[2][i]] = weights(cell - node);
            }
        }
        batch
    }

    /// Returns the spline at a point \[m\]; None as for [`nearest_node`](Self::nearest_node).
    #[inline(always)]
    pub fn at(&self, place: Vec3) -> Option<Spline> {
        let (nearest, offset) = self.nearest(place)?;
        Some(self.spline(self.element(nearest), offset.to_array()))
    }
}

/// Interpolation by the quadratic spline.
struct Quadratic<'a> {
    grid: &'a [Vec4],
    splines: &'a Splines,
}

impl ReadNodes for Quadratic<'_> {
    const NEAREST: bool = true;
    type Value = [f32; 4];

    #[inline(always)]
    fn value(&self, node: usize, offset: [f32; 3]) -> [f32; 4] {
        self.splines.spline(node, offset).value(self.grid).to_array()
    }
}

/// Interpolation of two numbers by the quadratic spline.
struct QuadraticPairs<'a> {
    grid: &'a [Vec2],
    splines: &'a Splines,
}

impl ReadNodes for QuadraticPairs<'_> {
    const NEAREST: bool = true;
    type Value = [f32; 4];

    #[inline(always)]
    fn value(&self, node: usize, offset: [f32; 3]) -> [f32; 4] {
        let Vec2 { x, y } = self.splines.spline(node, offset).value(self.grid);
        [x, y, 0.0, 0.0]
    }
}

/// 2²³: floats from here on are integers, counted by their low bits.
const WHOLE: f32 = 8_388_608.0;

/// Returns the largest integer not above `x`, for x from 0 to 2²². The library's `floor` is a function, for
/// which there is no vector instruction; this is four operations that every vector unit has.
#[inline(always)]
fn floor(x: f32) -> f32 {
    let nearest = (x + WHOLE) - WHOLE;
    if nearest > x { nearest - 1.0 } else { nearest }
}

/// Converts an integral float from 0 to 2²² to an integer; any other float to some integer below 2²³.
#[inline(always)]
fn whole(x: f32) -> u32 {
    (x + WHOLE).to_bits() & 0x007f_ffff
}

/// Number of points with nodes computed together.
pub(crate) const BATCH: usize = 64;

/// Returns the weights of the nodes at -1, 0 and 1, for a point at `t` in [-1/2, 1/2].
#[inline(always)]
fn weights(t: f32) -> [f32; 3] {
    let (below, above) = (0.5 * (0.5 - t) * (0.5 - t), 0.5 * (0.5 + t) * (0.5 + t));
    // As the remainder, so that the sum is 1 to the last bit or two.
    [below, 1.0 - (below + above), above]
}

/// Returns the slopes of [`weights`], from the weights: (t - 1/2), -2t, (t + 1/2).
#[inline(always)]
fn slopes([below, _, above]: [f32; 3]) -> [f32; 3] {
    // above - below = t, up to rounding.
    let t = above - below;
    [t - 0.5, -2.0 * t, t + 0.5]
}

#[inline(always)]
fn blend<T: Copy + Mul<f32, Output = T> + Add<Output = T>>(values: [T; 3], weights: [f32; 3]) -> T {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
}

/// Returns each weight four times, and each slope four times.
#[inline(always)]
fn both(weights: [f32; 3], slopes: [f32; 3]) -> [[f32; 8]; 3] {
    std::array::from_fn(|i| {
        let (w, s) = (weights[i], slopes[i]);
        [w, w, w, w, s, s, s, s]
    })
}

#[inline(always)]
fn doubled([a, b, c, d]: [f32; 4]) -> [f32; 8] {
    [a, b, c, d, a, b, c, d]
}

/// As [`blend`], with a weight for each component.
#[inline(always)]
fn blend_each<const N: usize>(values: [[f32; N]; 3], weights: [[f32; N]; 3]) -> [f32; N] {
    let mut sum = [0.0; N];
    for i in 0..N {
        sum[i] = values[0][i] * weights[0][i] + values[1][i] * weights[1][i] + values[2][i] * weights[2][i];
    }
    sum
}

impl Spline {
    /// Calls `visit(index, weight)` for each of the 27 nodes, in the order of their indices.
    #[inline]
    pub fn for_each_node(&self, mut visit: impl FnMut(usize, f32)) {
        let [wx, wy, wz] = self.weights;
        for (k, wz) in wz.into_iter().enumerate() {
            for (j, wy) in wy.into_iter().enumerate() {
                let row = self.base + j * self.strides[0] + k * self.strides[1];
                for (i, wx) in wx.into_iter().enumerate() {
                    visit(row + i, wx * (wy * wz));
                }
            }
        }
    }

    /// Returns the weights of a row of three nodes.
    #[inline(always)]
    pub(super) fn row_weights(&self, j: usize, k: usize) -> [f32; 3] {
        let [wx, wy, wz] = self.weights;
        let along_row = wy[j] * wz[k];
        [wx[0] * along_row, wx[1] * along_row, wx[2] * along_row]
    }

    /// Interpolates the value at the point.
    #[inline(always)]
    pub fn value<T: Copy + Mul<f32, Output = T> + Add<Output = T>>(&self, grid: &[T]) -> T {
        let [wx, wy, wz] = self.weights;
        let plane = |k: usize| blend(std::array::from_fn(|j| blend(*self.row(grid, j, k), wx)), wy);
        blend(std::array::from_fn(plane), wz)
    }

    /// Interpolates the value at the point (first three components), and its gradient in units per cell:
    /// columns are ∂/∂x, ∂/∂y, ∂/∂z.
    #[inline(always)]
    pub fn value_and_gradient(&self, grid: &[Vec4]) -> (Vec3, Mat3) {
        let columns = self.value_and_gradient_columns(grid);
        let [[value, x], [y, z]] = columns.map(halves);
        let [value, x, y, z] = [value, x, y, z].map(|[a, b, c, _]| Vec3::new(a, b, c));
        (value, Mat3::from_cols(x, y, z))
    }

    /// Returns the value, ∂/∂x, ∂/∂y and ∂/∂z, of four components each.
    #[inline(always)]
    fn value_and_gradient_columns(&self, grid: &[Vec4]) -> [[f32; 8]; 2] {
        let [wx, wy, wz] = self.weights;
        let [sx, sy, sz] = self.weights.map(slopes);
        // Values and slopes along x together: twice as wide as a node, for vectors of eight.
        let along_x = both(wx, sx);
        let mut planes = [[[0.0; 4]; 3]; 3];
        for (k, plane) in planes.iter_mut().enumerate() {
            let mut rows = [[0.0; 8]; 3];
            for (j, row) in rows.iter_mut().enumerate() {
                let [a, b, c] = self.row(grid, j, k).map(|node| doubled(node.to_array()));
                *row = blend_each([a, b, c], along_x);
            }
            let [value, along_x] = halves(blend_each(rows, wy.map(|w| [w; 8])));
            let values = rows.map(|row| halves(row)[0]);
            *plane = [value, along_x, blend_each(values, sy.map(|s| [s; 4]))];
        }
        let along_z = both(wz, sz);
        let value_and_x = blend_each(planes.map(|[v, x, _]| joined(v, x)), wz.map(|w| [w; 8]));
        [value_and_x, blend_each(planes.map(|[v, _, y]| joined(y, v)), along_z)]
    }

    #[inline(always)]
    fn row<'g, T>(&self, grid: &'g [T], j: usize, k: usize) -> &'g [T; 3] {
        let start = self.base + j * self.strides[0] + k * self.strides[1];
        grid[start..start + 3].try_into().expect("three of them")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;
    use glam::UVec3;

    struct Rows<'a>(&'a mut [[[f32; 8]; 2]]);

    impl ReceiveValues for Rows<'_> {
        fn receive(&mut self, i: usize, value: [[f32; 8]; 2]) {
            self.0[i] = value;
        }
    }

    /// The bits of the batch are those of one point after the other, inside of the grid and at its edges.
    #[test]
    fn values_and_gradients_are_those_of_single_points() {
        let random = Random::new(8);
        let shape = GridShape::new(0.1, IVec3::new(-3, 20, 1), UVec3::new(8, 16, 24));
        let nodes: Vec<Vec4> =
            (0..shape.len() as u64).map(|i| random.centred_vec3(i).extend(random.unit(i))).collect();
        let splines = Splines::new(&shape);
        let middle = shape.origin() + Vec3::new(0.4, 0.8, 1.2);
        for count in [1, 5, 16, 17, 63, 64] {
            for round in 0..20 {
                let place =
                    |i: u64| middle + random.centred_vec3(900 + 64 * round + i) * Vec3::new(0.9, 1.7, 2.5);
                let mut places: Vec<Vec3> = (0..count).map(place).collect();
                places[0] =
                    [Vec3::NAN, Vec3::MAX, shape.position(shape.len() - 1), middle][round as usize % 4];
                let (mut outside, none) = (vec![false; places.len()], [[7.0; 8]; 2]);
                let mut out = vec![none; places.len()];
                splines.values_and_gradients(&nodes, &places, &mut outside, &mut Rows(&mut out));
                for ((place, outside), out) in places.iter().zip(outside).zip(out) {
                    let one = splines.at(*place).map(|spline| spline.value_and_gradient_columns(&nodes));
                    assert_eq!((outside, out), (one.is_none(), one.unwrap_or(none)), "{place}");
                }
            }
        }
    }
}
