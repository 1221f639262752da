//! The flow of groups of sources beside a box or across its faces, on its nodes (E63): as a multipole
//! expansion of each (E66), evaluated on lattices of 1, 2, 4 and 8 spacings, the wider the farther the group
//! is away, and interpolated from each to the next finer one.

use crate::grid::{GridShape, NodeBox};
use crate::lanes::BLOCK;
use crate::velocity::direct::SourceCloud;
use crate::velocity::group_sphere::GroupSphere;
use crate::velocity::sphere_expansion::SphereExpansion;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec3, Vec4};

/// Number of lattices, each with twice the spacing of the one before \[1\].
const LATTICES: usize = 4;

/// Least distance of a group's centre from the box, in spacings of the lattice on which its flow is evaluated
/// \[1\]: cubic interpolation of the flow of a doublet is then off by 3 % at most.
const LATTICE_REACH: f32 = 4.0;

/// The same from its nearest source.
const LATTICE_GAP: f32 = 2.0;

/// Number of positions that are summed together.
const BATCH: usize = BLOCK;

/// Lattices around a box, with the groups that each takes.
#[derive(Debug, Clone)]
pub(super) struct GroupNodes {
    lattices: [GroupLattice; LATTICES],
    /// Each group, its expansion, and its lattice.
    expanded: Vec<(GroupSphere, SphereExpansion, usize)>,
    /// Nodes that are interpolated along x, and along x and y.
    along_x: Vec<Vec4>,
    along_xy: Vec<Vec4>,
}

/// A lattice of 2ⁿ spacings.
#[derive(Debug, Clone)]
struct GroupLattice {
    groups: GroupsOnLattice,
    dims: [usize; 3],
    /// Velocities \[m/s\].
    nodes: Vec<Vec4>,
}

/// Groups that are evaluated on one lattice.
#[derive(Debug, Clone, Default)]
struct GroupsOnLattice {
    /// Those of which no node is in the sphere around them.
    far: Vec<SphereExpansion>,
    /// The others, which are summed at nodes in their spheres.
    near: Vec<(GroupSphere, SphereExpansion)>,
}

impl GroupNodes {
    pub(super) fn new() -> Self {
        Self {
            lattices: std::array::from_fn(|_| GroupLattice {
                groups: GroupsOnLattice::default(),
                dims: [0; 3],
                nodes: Vec::new(),
            }),
            expanded: Vec::new(),
            along_x: Vec::new(),
            along_xy: Vec::new(),
        }
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
        self.assign_lattices(exec, low, &range, shape.spacing(), grouped);
        let coarsest = self.lattices.iter().rposition(|lattice| !lattice.groups.is_empty()).unwrap_or(0);
        for level in (0..=coarsest).rev() {
            let (finer, coarser) = self.lattices.split_at_mut(level + 1);
            let GroupLattice { groups, dims, nodes } = &mut finer[level];
            nodes.clear();
            nodes.resize(dims.iter().product(), Vec4::ZERO);
            if let Some(coarser) = coarser.first().filter(|_| level < coarsest) {
                let scratch = (&mut self.along_x, &mut self.along_xy);
                add_interpolated(exec, (&coarser.nodes, coarser.dims), (nodes, *dims), scratch);
            }
            // Each lattice begins one of its spacings before the one that it is interpolated to.
            let (spacings, before) = ((1 << level) as f32, ((2 << level) - 2) as f32);
            let place = |[i, j, k]: [usize; 3]| {
                let node = Vec3::new(i as f32, j as f32, k as f32) * spacings - before;
                low + node * shape.spacing()
            };
            let add = |places: &[Vec3], out: &mut [Vec3]| groups.add_velocities(grouped, places, out);
            if !groups.is_empty() {
                add_at_nodes(exec, &add, &place, *dims, nodes);
            }
        }
        let GroupLattice { groups, dims, nodes: found } = &self.lattices[0];
        let first = range.first.to_array().map(|first| first as usize);
        for_each_chunk_mut(exec, shape.plane_len(), nodes, &|start, plane: &mut [Vec4]| {
            let k = (start / shape.plane_len()).wrapping_sub(first[2]);
            if k >= dims[2] {
                return;
            }
            for j in 0..dims[1] {
                let row = &mut plane[shape.index(first[0], first[1] + j, 0)..][..dims[0]];
                match groups.near.is_empty() {
                    true => {
                        row.iter_mut().zip(&found[dims[0] * (j + dims[1] * k)..]).for_each(|(a, b)| *a += *b)
                    }
                    false => row
                        .iter_mut()
                        .enumerate()
                        .for_each(|(i, a)| *a += coefficient(found, *dims, [i, j, k])),
                }
            }
        });
    }

    /// Reserves memory for all nodes of a grid and for these groups at any distance.
    fn reserve(&mut self, shape: &GridShape, grouped: &SourceCloud) {
        let mut dims = shape.dims_usize();
        for (level, lattice) in self.lattices.iter_mut().enumerate() {
            let GroupsOnLattice { far, near } = &mut lattice.groups;
            far.clear();
            far.reserve(grouped.groups().len());
            near.clear();
            near.reserve(grouped.groups().len());
            reserve(&mut lattice.nodes, dims.iter().product());
            let [nx, ny, _] = dims;
            dims = dims.map(|nodes| nodes / 2 + 3);
            if level == 0 {
                reserve(&mut self.along_x, nx * dims[1] * dims[2]);
                reserve(&mut self.along_xy, nx * ny * dims[2]);
            }
        }
    }

    /// Assigns each group to the widest lattice that resolves its flow in a box of nodes from `low` \[m\] on.
    fn assign_lattices(
        &mut self,
        exec: &dyn Executor,
        low: Vec3,
        range: &NodeBox,
        spacing: f32,
        grouped: &SourceCloud,
    ) {
        let high = low + (range.dims().as_vec3() - 1.0) * spacing;
        self.expanded.clear();
        self.expanded.resize(grouped.groups().len(), Default::default());
        for_each_chunk_mut(exec, 1, self.expanded.as_mut_slice(), &|index, out: &mut [_]| {
            let around = GroupSphere::of(index, grouped, [low, high]);
            let expansion = around.expanded_flow(grouped);
            let distance = around.distance([low, high]);
            let spacings = (distance / LATTICE_REACH).min((distance - around.rim()) / LATTICE_GAP) / spacing;
            let level = (libm::ilogbf(spacings.max(1.0)) as usize).min(LATTICES - 1);
            out[0] = (around, expansion, level);
        });
        for &(around, expansion, level) in &self.expanded {
            let GroupsOnLattice { far, near } = &mut self.lattices[level].groups;
            // A lattice begins and ends so far outside of the box.
            let further = ((2 << level) - 2) as f32 * spacing;
            match around.encloses(around.distance([low - further, high + further])) {
                true => near.push((around, expansion)),
                false => far.push(expansion),
            }
        }
        let mut dims = range.dims().to_array().map(|nodes| nodes as usize);
        for lattice in &mut self.lattices {
            lattice.dims = dims;
            dims = dims.map(|nodes| nodes / 2 + 3);
        }
    }
}

impl GroupsOnLattice {
    fn is_empty(&self) -> bool {
        self.far.is_empty() && self.near.is_empty()
    }

    /// Adds the velocities \[m/s\] of these groups at positions \[m\] near each other.
    fn add_velocities(&self, grouped: &SourceCloud, places: &[Vec3], out: &mut [Vec3]) {
        let set = grouped.settings().instruction_set;
        self.far.iter().for_each(|expansion| expansion.add_velocities(set, places, out));
        let bounds = places.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], place| {
            [low.min(*place), high.max(*place)]
        });
        for (around, expansion) in &self.near {
            match around.encloses(around.distance(bounds)) {
                true => around.add_flow(grouped, places, out),
                false => expansion.add_velocities(set, places, out),
            }
        }
    }
}

/// Returns the coefficient at a node of a spline with these values v: v − h²/8 ∇²v, or v on the faces of the
/// box. Of a harmonic flow both are the same, but not in the core of a vorton.
fn coefficient(values: &[Vec4], [nx, ny, nz]: [usize; 3], [i, j, k]: [usize; 3]) -> Vec4 {
    let at = i + nx * (j + ny * k);
    let is_inside = |n: usize, count: usize| n > 0 && n + 1 < count;
    if !(is_inside(i, nx) && is_inside(j, ny) && is_inside(k, nz)) {
        return values[at];
    }
    let beside = |stride: usize| values[at - stride] + values[at + stride];
    values[at] * 1.75 - (beside(1) + beside(nx) + beside(nx * ny)) * 0.125
}

/// Reserves memory for `count` nodes in all.
fn reserve(nodes: &mut Vec<Vec4>, count: usize) {
    nodes.clear();
    nodes.reserve(count);
}

/// Adds velocities to nodes at these positions.
fn add_at_nodes(
    exec: &dyn Executor,
    add: &(impl Fn(&[Vec3], &mut [Vec3]) + Sync),
    place: &(impl Fn([usize; 3]) -> Vec3 + Sync),
    [nx, ny, _]: [usize; 3],
    nodes: &mut [Vec4],
) {
    for_each_chunk_mut(exec, nx, nodes, &|first, nodes: &mut [Vec4]| {
        let row = first / nx;
        for (batch, nodes) in nodes.chunks_mut(BATCH).enumerate() {
            let places: [Vec3; BATCH] =
                std::array::from_fn(|i| place([batch * BATCH + i, row % ny, row / ny]));
            let mut velocities = [Vec3::ZERO; BATCH];
            let velocities = &mut velocities[..nodes.len()];
            add(&places[..nodes.len()], velocities);
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
