//! Readers of the value at a point from the nodes around it, and those that interpolate linearly along each
//! axis.

use glam::{Vec2, Vec3, Vec4};

/// Reads a value from nodes. A trait, because a closure need not be compiled with the instruction set of
/// its caller.
pub(super) trait ReadNodes {
    /// True if `node` is the nearest node, false if it is the one at or below the point along each axis.
    const NEAREST: bool;
    type Value: NodeValue;

    /// Returns the value at `offset` \[cells\] from a node.
    fn value(&self, node: usize, offset: [f32; 3]) -> Self::Value;
}

/// A value with all components of a node, although not all are needed: the compiler splits three into one
/// and two.
pub(super) trait NodeValue: Copy {
    const ZERO: Self;
    /// The components that are needed.
    type Needed;

    fn needed(&self) -> Self::Needed;
}

impl NodeValue for [f32; 4] {
    const ZERO: Self = [0.0; 4];
    type Needed = Vec3;

    #[inline(always)]
    fn needed(&self) -> Vec3 {
        let [x, y, z, _] = *self;
        Vec3::new(x, y, z)
    }
}

/// Linear interpolation along each axis.
pub(super) struct Trilinear<'a> {
    pub(super) grid: &'a [Vec4],
    pub(super) strides: [usize; 2],
}

impl ReadNodes for Trilinear<'_> {
    const NEAREST: bool = false;
    type Value = [f32; 4];

    #[inline(always)]
    fn value(&self, node: usize, [tx, ty, tz]: [f32; 3]) -> [f32; 4] {
        let (grid, [row, plane]) = (self.grid, self.strides);
        let near = lerp(pair(grid, node), pair(grid, node + row), ty);
        let far = lerp(pair(grid, node + plane), pair(grid, node + plane + row), ty);
        let [a, b, c, d, e, f, g, h] = lerp(near, far, tz);
        lerp([a, b, c, d], [e, f, g, h], tx)
    }
}

impl Trilinear<'_> {
    /// Returns the value and ∂/∂x, and ∂/∂y and ∂/∂z \[1/cell\], of four components each.
    #[inline(always)]
    pub(super) fn value_and_gradient(&self, node: usize, [tx, ty, tz]: [f32; 3]) -> [[f32; 8]; 2] {
        let (grid, [row, plane]) = (self.grid, self.strides);
        let (a, b) = (pair(grid, node), pair(grid, node + row));
        let (c, d) = (pair(grid, node + plane), pair(grid, node + plane + row));
        let (near, far) = (lerp(a, b, ty), lerp(c, d, ty));
        let [here, next] = halves(lerp(near, far, tz));
        let [y_here, y_next] = halves(lerp(difference(a, b), difference(c, d), tz));
        let [z_here, z_next] = halves(difference(near, far));
        [
            joined(lerp(here, next, tx), difference(here, next)),
            joined(lerp(y_here, y_next, tx), lerp(z_here, z_next, tx)),
        ]
    }
}

/// Linear interpolation of two numbers along each axis.
pub(super) struct TrilinearPairs<'a> {
    pub(super) grid: &'a [Vec2],
    pub(super) strides: [usize; 2],
}

impl ReadNodes for TrilinearPairs<'_> {
    const NEAREST: bool = false;
    type Value = [f32; 4];

    #[inline(always)]
    fn value(&self, node: usize, [tx, ty, tz]: [f32; 3]) -> [f32; 4] {
        let (grid, [row, plane]) = (self.grid, self.strides);
        let near = lerp(pair_of_pairs(grid, node), pair_of_pairs(grid, node + row), ty);
        let far = lerp(pair_of_pairs(grid, node + plane), pair_of_pairs(grid, node + plane + row), ty);
        let [a, b, c, d] = lerp(near, far, tz);
        let [x, y] = lerp([a, b], [c, d], tx);
        [x, y, 0.0, 0.0]
    }
}

/// Returns two nodes that are adjacent along x.
#[inline(always)]
fn pair(grid: &[Vec4], at: usize) -> [f32; 8] {
    let nodes = &grid[at..at + 2];
    let ([a, b, c, d], [e, f, g, h]) = (nodes[0].to_array(), nodes[1].to_array());
    [a, b, c, d, e, f, g, h]
}

/// As [`pair`], with two numbers at each node.
#[inline(always)]
fn pair_of_pairs(grid: &[Vec2], at: usize) -> [f32; 4] {
    let nodes = &grid[at..at + 2];
    let ([a, b], [c, d]) = (nodes[0].to_array(), nodes[1].to_array());
    [a, b, c, d]
}

#[inline(always)]
fn lerp<const N: usize>(from: [f32; N], to: [f32; N], t: f32) -> [f32; N] {
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * t)
}

#[inline(always)]
fn difference<const N: usize>(from: [f32; N], to: [f32; N]) -> [f32; N] {
    std::array::from_fn(|i| to[i] - from[i])
}

#[inline(always)]
pub(super) fn joined([a, b, c, d]: [f32; 4], [e, f, g, h]: [f32; 4]) -> [f32; 8] {
    [a, b, c, d, e, f, g, h]
}

#[inline(always)]
pub(super) fn halves([a, b, c, d, e, f, g, h]: [f32; 8]) -> [[f32; 4]; 2] {
    [[a, b, c, d], [e, f, g, h]]
}
