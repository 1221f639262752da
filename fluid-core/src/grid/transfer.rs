//! Transfer from particles to nodes (P2G), and of nodal sources back to the particles.

use super::spline::Splines;
use super::{GridShape, NodeOrder};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use fluid_threads::{Executor, for_each_chunk_mut, for_each_slab_strip_mut};
use glam::{Vec3, Vec4};

/// Planes of nodes per task. Two slabs of one colour are filled concurrently; each reaches one plane beyond
/// its own.
const SLAB: usize = 4;

/// Rows of these planes per task, if there are so many particles that a slab is too much for one task.
/// Particles next to its edge are visited by two tasks.
const STRIP: usize = 16;

/// Number of particles from which on slabs are divided.
const MANY: usize = 16_384;

/// Deposits particle values on the nodes around them (E23): `grid` becomes Σ w value(row), over the rows of
/// `order`. Sum and first moment are conserved to round-off. The same bits for any executor.
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
    let [nx, ny, planes] = shape.dims_usize();
    for_each_chunk_mut(exec, shape.plane_len() * SLAB, &mut *grid, &|_, part: &mut [Vec4]| {
        part.fill(Vec4::ZERO);
    });
    let strip_rows = if order.rows().len() < MANY { ny } else { STRIP };
    for_each_slab_strip_mut(exec, grid, [nx, ny], (SLAB, 1), strip_rows, &|slab, plane, first, mut strip| {
        let rows = first..(first + strip_rows).min(ny);
        for k in slab * SLAB..(slab * SLAB + SLAB).min(planes) {
            let around = rows.start.saturating_sub(1)..(rows.end + 1).min(ny);
            for row in order.rows_of_plane(shape, k, around).iter().map(|&row| row as usize) {
                let Some((nearest, spline)) = splines.at_node(positions.get(row)) else { continue };
                let (value, [i, j]) = (value(row), [nearest.x as usize - 1, nearest.y as usize - 1]);
                spline.for_each_row(|dj, dk, weights| {
                    if rows.contains(&(j + dj)) {
                        let start = nx * (j + dj - rows.start) + i;
                        let nodes = &mut strip.row_mut(k + dk - 1 - plane)[start..start + 3];
                        nodes.iter_mut().zip(weights).for_each(|(node, weight)| *node += value * weight);
                    }
                });
            }
        }
    });
}

/// Distributes nodal sources to the surrounding particles in proportion to their deposits (E29): row p of
/// `given` becomes Σ_n share_n w_np V_p, where share_n = S_n / Σ_p w_np V_p is the node's source per
/// deposited volume. The sum is conserved: Σ given = Σ S over all nodes with a volume. Rows outside the
/// grid receive zero.
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
