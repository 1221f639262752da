//! Transfer from particles to nodes (P2G), and of nodal sources back to the particles.

use super::read_nodes::{halves, joined};
use super::spline::{BATCH, Spline, Splines};
use super::{GridShape, NodeOrder};
use crate::constants::PARTICLE_CHUNK;
use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::Vec3Columns;
use fluid_threads::{Executor, Strip, for_each_chunk_mut, for_each_slab_strip_mut};
use glam::{Vec3, Vec4};
use std::ops::Range;

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
            for of_batch in order.rows_of_plane(shape, k, around).chunks(BATCH) {
                let (mut places, mut values) = ([Vec3::ZERO; BATCH], [[0.0; 4]; BATCH]);
                for ((place, of_place), &row) in places.iter_mut().zip(&mut values).zip(of_batch) {
                    (*place, *of_place) = (positions.get(row as usize), value(row as usize).to_array());
                }
                let (places, values) = (&places[..of_batch.len()], &values[..of_batch.len()]);
                let (splines, strip, rows) = (&splines, &mut strip, rows.clone());
                let job = DepositBatch { splines, places, values, nx, rows, plane, strip };
                run_in_vectors(InstructionSet::Auto, job);
            }
        }
    });
}

/// Deposits values at up to [`BATCH`] points on a strip: these `rows` of nodes, from `plane` on.
struct DepositBatch<'a, 's> {
    splines: &'a Splines,
    places: &'a [Vec3],
    values: &'a [[f32; 4]],
    nx: usize,
    rows: Range<usize>,
    plane: usize,
    strip: &'a mut Strip<'s, Vec4>,
}

impl VectorJob for DepositBatch<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { splines, places, values, nx, rows, plane, strip } = self;
        let batch = splines.batch(places);
        for (i, &value) in values.iter().enumerate() {
            let Some((spline, [x, y, z])) = batch.get(i).zip(batch.lowest(i)) else { continue };
            for k in 0..3 {
                let nodes = strip.row_mut(z + k - plane);
                for j in 0..3 {
                    if rows.contains(&(y + j)) {
                        let start = nx * (y + j - rows.start) + x;
                        add_to_row(&mut nodes[start..start + 3], value, spline.row_weights(j, k));
                    }
                }
            }
        }
    }
}

/// Adds a value to three nodes, two of them together: vectors of eight floats.
#[inline(always)]
fn add_to_row(nodes: &mut [Vec4], value: [f32; 4], [u, v, w]: [f32; 3]) {
    let (pair, last) = nodes.split_at_mut(2);
    let (values, weights) = (joined(value, value), [u, u, u, u, v, v, v, v]);
    let mut sums = joined(pair[0].to_array(), pair[1].to_array());
    for i in 0..8 {
        sums[i] += values[i] * weights[i];
    }
    let [first, second] = halves(sums);
    (pair[0], pair[1]) = (Vec4::from_array(first), Vec4::from_array(second));
    last[0] += Vec4::from_array(value) * w;
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
        let job = ReturnSources { splines: &splines, positions, volumes, shares, first, given };
        run_in_vectors(InstructionSet::Auto, job);
    });
}

/// Computes the rows of `given` from `first` on.
struct ReturnSources<'a> {
    splines: &'a Splines,
    positions: &'a Vec3Columns,
    volumes: &'a [f32],
    shares: &'a [Vec4],
    first: usize,
    given: &'a mut [Vec3],
}

impl VectorJob for ReturnSources<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { splines, positions, volumes, shares, first, given } = self;
        for (part, given) in given.chunks_mut(BATCH).enumerate() {
            let (first, mut places) = (first + part * BATCH, [Vec3::ZERO; BATCH]);
            for (place, row) in places.iter_mut().zip(first..first + given.len()) {
                *place = positions.get(row);
            }
            let batch = splines.batch(&places[..given.len()]);
            for (i, given) in given.iter_mut().enumerate() {
                let share = |spline: Spline| spline.value(shares).truncate() * volumes[first + i];
                *given = batch.get(i).map_or(Vec3::ZERO, share);
            }
        }
    }
}
