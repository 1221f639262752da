//! The flow of groups of sources outside of a box, on its nodes (E63): evaluated on lattices of 1, 2, 4 and 8
//! spacings, the wider the farther the group is away, and interpolated from each to the next finer one.

use crate::grid::{GridShape, NodeBox};
use crate::velocity::VelocityField;
use crate::velocity::direct::{DirectSettings, SourceCloud};
use crate::velocity::source_groups::SourceGroup;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec3, Vec4};
use std::ops::Range;

/// Number of lattices, each with twice the spacing of the one before \[1\].
const LATTICES: usize = 4;

/// Least distance of a group's centre from the box, in spacings of the lattice on which its flow is evaluated
/// \[1\]: cubic interpolation of the flow of a doublet is then off by 3 % at most, which is a thousandth of
/// the body's speed three radii away.
const LATTICE_REACH: f32 = 4.0;

/// Number of positions that are summed together.
const BATCH: usize = 64;

/// Lattices around a box, with the groups that each takes.
#[derive(Debug, Clone)]
pub(super) struct GroupNodes {
    lattices: [GroupLattice; LATTICES],
    /// Nodes that are interpolated along x, and along x and y.
    along_x: Vec<Vec4>,
    along_xy: Vec<Vec4>,
}

/// A lattice of 2ⁿ spacings.
#[derive(Debug, Clone)]
struct GroupLattice {
    /// Sources of the groups, or the pseudo-vortons that stand for them at all nodes.
    cloud: SourceCloud,
    dims: [usize; 3],
    /// Velocities \[m/s\].
    nodes: Vec<Vec4>,
}

impl GroupNodes {
    pub(super) fn new(settings: DirectSettings) -> Self {
        let lattice = || GroupLattice { cloud: SourceCloud::new(settings), dims: [0; 3], nodes: Vec::new() };
        Self { lattices: std::array::from_fn(|_| lattice()), along_x: Vec::new(), along_xy: Vec::new() }
    }

    /// Adds the velocities \[m/s\] of these groups to some nodes of a grid. A spline whose coefficients are
    /// the velocities of a harmonic flow differs from it by the fourth power of the spacing.
    pub(super) fn add(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        range: NodeBox,
        grouped: &SourceCloud,
        nodes: &mut [Vec4],
    ) {
        if range.dims().min_element() == 0 {
            return;
        }
        self.reserve(shape, grouped);
        let low = shape.origin() + range.first.as_vec3() * shape.spacing();
        self.share_out(low, &range, shape.spacing(), grouped);
        let coarsest = self.lattices.iter().rposition(|lattice| !lattice.cloud.is_empty()).unwrap_or(0);
        for level in (0..=coarsest).rev() {
            let (finer, coarser) = self.lattices.split_at_mut(level + 1);
            let GroupLattice { cloud, dims, nodes } = &mut finer[level];
            nodes.clear();
            nodes.resize(dims.iter().product(), Vec4::ZERO);
            if let Some(coarser) = coarser.first().filter(|_| level < coarsest) {
                let scratch = (&mut self.along_x, &mut self.along_xy);
                add_interpolated(exec, (&coarser.nodes, coarser.dims), (nodes, *dims), scratch);
            }
            // Each lattice begins two of its spacings before the one that it is interpolated to.
            let (spacings, before) = ((1 << level) as f32, ((2 << level) - 2) as f32);
            let place = |[i, j, k]: [usize; 3]| {
                let node = Vec3::new(i as f32, j as f32, k as f32) * spacings - before;
                low + node * shape.spacing()
            };
            add_cloud(exec, cloud, &place, *dims, nodes);
        }
        let GroupLattice { dims: [nx, ny, _], nodes: found, .. } = &self.lattices[0];
        let [i, j, k] = range.first.to_array().map(|first| first as usize);
        for (row, found) in found.chunks_exact(*nx).enumerate() {
            let first = shape.index(i, j + row % ny, k + row / ny);
            nodes[first..first + nx].iter_mut().zip(found).for_each(|(node, found)| *node += *found);
        }
    }

    /// Reserves memory for all nodes of a grid and for these groups at any distance.
    fn reserve(&mut self, shape: &GridShape, grouped: &SourceCloud) {
        let mut dims = shape.dims_usize();
        for (level, lattice) in self.lattices.iter_mut().enumerate() {
            lattice.cloud.reserve(grouped.len());
            reserve(&mut lattice.nodes, dims.iter().product());
            let [nx, ny, _] = dims;
            dims = dims.map(|nodes| nodes / 2 + 3);
            if level == 0 {
                reserve(&mut self.along_x, nx * dims[1] * dims[2]);
                reserve(&mut self.along_xy, nx * ny * dims[2]);
            }
        }
    }

    /// Gives each group to the widest lattice that resolves its flow in a box of nodes from `low` \[m\] on.
    fn share_out(&mut self, low: Vec3, range: &NodeBox, spacing: f32, grouped: &SourceCloud) {
        let high = low + (range.dims().as_vec3() - 1.0) * spacing;
        let seen = |group: &SourceGroup| -> (usize, Range<usize>) {
            let centre = grouped.unscaled(group.ball().centre);
            let nearest = centre.clamp(low, high);
            let spacings = centre.distance(nearest) / (LATTICE_REACH * spacing);
            let level = libm::ilogbf(spacings.max(1.0)) as usize;
            (level.min(LATTICES - 1), group.seen_from_box(grouped.scaled(nearest)))
        };
        let mut dims = range.dims().to_array().map(|nodes| nodes as usize);
        for (level, lattice) in self.lattices.iter_mut().enumerate() {
            let of_level = grouped.groups().iter().map(seen).filter(|(of_group, _)| *of_group == level);
            lattice.cloud.set_from(of_level.flat_map(|(_, rows)| rows).map(|row| grouped.source(row)));
            lattice.dims = dims;
            dims = dims.map(|nodes| nodes / 2 + 3);
        }
    }
}

/// Makes room for `count` nodes in all.
fn reserve(nodes: &mut Vec<Vec4>, count: usize) {
    nodes.clear();
    nodes.reserve(count);
}

/// Adds the velocities of a cloud to nodes at these positions.
fn add_cloud(
    exec: &dyn Executor,
    cloud: &SourceCloud,
    place: &(dyn Fn([usize; 3]) -> Vec3 + Sync),
    [nx, ny, _]: [usize; 3],
    nodes: &mut [Vec4],
) {
    if cloud.is_empty() {
        return;
    }
    for_each_chunk_mut(exec, nx, nodes, &|first, nodes: &mut [Vec4]| {
        let row = first / nx;
        for (batch, nodes) in nodes.chunks_mut(BATCH).enumerate() {
            let places: [Vec3; BATCH] =
                std::array::from_fn(|i| place([batch * BATCH + i, row % ny, row / ny]));
            let mut velocities = [Vec3::ZERO; BATCH];
            let velocities = &mut velocities[..nodes.len()];
            cloud.velocities(&places[..nodes.len()], velocities);
            nodes.iter_mut().zip(velocities).for_each(|(node, velocity)| *node += velocity.extend(0.0));
        }
    });
}

/// Adds the nodes of a lattice, interpolated by cubics, to those of one with half the spacing.
fn add_interpolated(
    exec: &dyn Executor,
    (coarse, [cx, cy, cz]): (&[Vec4], [usize; 3]),
    (fine, [nx, ny, _]): (&mut [Vec4], [usize; 3]),
    (along_x, along_xy): (&mut Vec<Vec4>, &mut Vec<Vec4>),
) {
    along_x.clear();
    along_x.resize(nx * cy * cz, Vec4::ZERO);
    for_each_chunk_mut(exec, nx * cy, along_x.as_mut_slice(), &|first, plane: &mut [Vec4]| {
        let rows = &coarse[first / nx * cx..];
        for (out, row) in plane.chunks_exact_mut(nx).zip(rows.chunks_exact(cx)) {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = between(i, |c| row[c]));
        }
    });
    along_xy.clear();
    along_xy.resize(nx * ny * cz, Vec4::ZERO);
    for_each_chunk_mut(exec, nx * ny, along_xy.as_mut_slice(), &|first, plane: &mut [Vec4]| {
        let rows = &along_x[first / ny * cy..][..nx * cy];
        for (j, out) in plane.chunks_exact_mut(nx).enumerate() {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = between(j, |c| rows[c * nx + i]));
        }
    });
    let plane_len = nx * ny;
    for_each_chunk_mut(exec, plane_len, fine, &|first, plane: &mut [Vec4]| {
        let k = first / plane_len;
        plane.iter_mut().enumerate().for_each(|(i, out)| *out += between(k, |c| along_xy[c * plane_len + i]));
    });
}

/// Interpolates at node `i` of a lattice between the nodes of one with twice the spacing, the second of which
/// is its node 0.
#[inline(always)]
fn between(i: usize, coarse: impl Fn(usize) -> Vec4) -> Vec4 {
    let c = i / 2;
    match i % 2 {
        0 => coarse(c + 1),
        _ => (coarse(c + 1) + coarse(c + 2)) * 0.5625 - (coarse(c) + coarse(c + 3)) * 0.0625,
    }
}
