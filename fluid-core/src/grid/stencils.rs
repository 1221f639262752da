//! Derivatives on nodes.

use super::GridShape;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Mat3, Vec3};
use std::ops::{Add, Mul, Sub};

/// Values with derivatives.
pub(super) trait Differentiable:
    Copy + Default + Send + Sync + 'static + Add<Output = Self> + Sub<Output = Self> + Mul<f32, Output = Self>
{
}
impl<T> Differentiable for T where
    T: Copy + Default + Send + Sync + 'static + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>
{
}

/// Computes ∂/∂x, ∂/∂y, ∂/∂z at node (i, j, k) in units per cell: central inside, three-point one-sided at
/// the faces (E24). Both are exact for quadratics. An axis with two nodes has the slope between them, an
/// axis with one has slope 0.
fn slopes<T: Differentiable>(shape: &GridShape, values: &[T], node: [usize; 3]) -> [T; 3] {
    let dims = shape.dims_usize();
    let here = shape.index(node[0], node[1], node[2]);
    let strides = [1, dims[0], dims[0] * dims[1]];
    std::array::from_fn(|axis| {
        let (at, last, stride) = (node[axis], dims[axis] - 1, strides[axis]);
        let ahead = |steps: usize| values[here + steps * stride];
        let behind = |steps: usize| values[here - steps * stride];
        match (last, at) {
            (0, _) => T::default(),
            (1, 0) => ahead(1) - ahead(0),
            (1, _) => ahead(0) - behind(1),
            (_, 0) => (ahead(1) - ahead(0)) * 2.0 - (ahead(2) - ahead(0)) * 0.5,
            (_, at) if at == last => (behind(2) - ahead(0)) * 0.5 - (behind(1) - ahead(0)) * 2.0,
            _ => (ahead(1) - behind(1)) * 0.5,
        }
    })
}

/// Calls `body(node, out)` for every node, in parallel by planes.
fn for_each_node<O: Send + 'static>(
    exec: &dyn Executor,
    shape: &GridShape,
    out: &mut [O],
    body: &(impl Fn([usize; 3], &mut O) + Sync),
) {
    assert_eq!(out.len(), shape.len(), "one result for each node");
    let [nx, _, _] = shape.dims_usize();
    for_each_chunk_mut(exec, shape.plane_len().max(1), out, &|first, plane: &mut [O]| {
        let k = first / shape.plane_len();
        for (i, out) in plane.iter_mut().enumerate() {
            body([i % nx, i / nx, k], out);
        }
    });
}

/// Computes the gradient \[1/m\] of a scalar at every node, exact for quadratics at every node, faces and
/// corners included.
///
/// # Panics
/// If the slices are not as long as the shape.
pub fn gradient(exec: &dyn Executor, shape: &GridShape, values: &[f32], out: &mut [Vec3]) {
    assert_eq!(values.len(), shape.len(), "one value for each node");
    let per_metre = 1.0 / shape.spacing();
    for_each_node(exec, shape, out, &|node, out| *out = Vec3::from(slopes(shape, values, node)) * per_metre);
}

/// Computes the Jacobian \[1/m\] of a vector at every node: columns are ∂/∂x, ∂/∂y, ∂/∂z. Exact as
/// [`gradient`].
///
/// # Panics
/// If the slices are not as long as the shape.
pub fn jacobian(exec: &dyn Executor, shape: &GridShape, values: &[Vec3], out: &mut [Mat3]) {
    assert_eq!(values.len(), shape.len(), "one value for each node");
    let per_metre = 1.0 / shape.spacing();
    for_each_node(exec, shape, out, &|node, out| {
        let [x, y, z] = slopes(shape, values, node);
        *out = Mat3::from_cols(x, y, z) * per_metre;
    });
}

/// Computes the curl \[1/m\] of a vector at every node. Exact as [`gradient`].
///
/// # Panics
/// If the slices are not as long as the shape.
pub fn curl(exec: &dyn Executor, shape: &GridShape, values: &[Vec3], out: &mut [Vec3]) {
    assert_eq!(values.len(), shape.len(), "one value for each node");
    let per_metre = 1.0 / shape.spacing();
    for_each_node(exec, shape, out, &|node, out| {
        let [x, y, z] = slopes(shape, values, node);
        *out = Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x) * per_metre;
    });
}
