//! From particles to nodes (P2G), and the way back for what nodes have to give away.

use super::spline::Splines;
use super::{GridShape, NodeOrder};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use fluid_threads::{Executor, for_each_chunk_mut, for_each_slab_mut};
use glam::{Vec3, Vec4};

/// Planes of nodes that one task fills. Two slabs of one colour run at the same time; each reaches one plane
/// beyond its own.
const SLAB: usize = 4;

/// Adds up what particles carry on the nodes around them (E23): `grid` becomes Σ w value(row), over the rows
/// of `order`. Sum and first moment are kept to round-off. The same bits for any executor.
///
/// # Panics
/// If `grid` is not as long as the shape.
pub fn deposit(
    exec: &dyn Executor,
    shape: &GridShape,
    order: &NodeOrder,
    positions: &Vec3Columns,
    value: &(impl Fn(usize) -> Vec4 + Sync),
    grid: &mut [Vec4],
) {
    assert_eq!(grid.len(), shape.len(), "one value for each node");
    let splines = Splines::new(shape);
    let planes = shape.dims().z as usize;
    for_each_chunk_mut(exec, shape.plane_len() * SLAB, &mut *grid, &|_, part: &mut [Vec4]| {
        part.fill(Vec4::ZERO);
    });
    for_each_slab_mut(exec, grid, shape.plane_len(), (SLAB, 1), &|slab, first_plane, part| {
        let start = first_plane * shape.plane_len();
        for &row in order.rows_of_planes(slab * SLAB..(slab * SLAB + SLAB).min(planes)) {
            let row = row as usize;
            let Some(spline) = splines.at(positions.get(row)) else { continue };
            let value = value(row);
            spline.for_each_node(|node, weight| part[node - start] += value * weight);
        }
    });
}

/// Gives what the nodes have to the particles around them, in proportion to what these deposited (E29): row p
/// of `given` becomes Σ_n share_n w_np V_p, where share_n = S_n / Σ_p w_np V_p is the node's source per
/// deposited volume. What a node has, the particles get: Σ given = Σ S over all nodes with a volume. Rows
/// outside the grid get nothing.
///
/// # Panics
/// If `shares` is not as long as the shape, or `volumes` and `given` differ from `positions` in length.
pub fn return_sources(
    exec: &dyn Executor,
    shape: &GridShape,
    positions: &Vec3Columns,
    volumes: &[f32],
    shares: &[Vec4],
    given: &mut [Vec3],
) {
    assert_eq!(shares.len(), shape.len(), "one share for each node");
    assert_eq!(volumes.len(), positions.len(), "one volume for each position");
    assert_eq!(given.len(), positions.len(), "one row for each position");
    let splines = Splines::new(shape);
    for_each_chunk_mut(exec, PARTICLE_CHUNK, given, &|first, given: &mut [Vec3]| {
        for (i, given) in given.iter_mut().enumerate() {
            let row = first + i;
            let spline = splines.at(positions.get(row));
            *given = spline.map_or(Vec3::ZERO, |spline| spline.value(shares).truncate() * volumes[row]);
        }
    });
}
