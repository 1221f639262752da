//! Density in solids that are in a container. No vortons are inside a solid, so it would count as ambient
//! fluid, a bubble in each layer from which gravity makes vorticity in every step. Instead the density of the
//! surrounding fluid is continued through it, level by level (E71).

use super::{WallNodes, around, cell, corner_weight, corners, is_inner, weight_around};
use crate::density::ScalarGrid;
use crate::math::exactly;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3};

/// Nodes that solids in containers cover.
#[derive(Debug, Clone, Default)]
pub(super) struct SolidNodes {
    /// Per node: true if it is in a container, where a solid lets no vorton stay.
    covered: Vec<bool>,
    /// Per node: covered fraction of its spline inside of the container \[1\]. Empty if there are no solids.
    parts: Vec<f32>,
    /// Per node: the pass that finds its content; 0 if it has that of its vortons.
    passes: Vec<u32>,
    /// Nodes without a content.
    unknown: Vec<u32>,
}

/// A node of which solids cover more than this fraction takes its content from its neighbours \[1\].
pub(crate) const MOST_COVERED: f32 = 0.5;

/// Solids are looked for at nodes where vortons fill less than this fraction of a cell \[1\].
pub(crate) const GAP: f32 = 0.75;

/// Weight of a neighbour straight above or below, over that of one at the same level \[1\]: it decides only
/// where there is no other.
const UPRIGHT: f32 = 1e-3;

/// Marks a node in [`SolidNodes::passes`] without a content.
const UNKNOWN: u32 = u32::MAX;

impl SolidNodes {
    /// Returns the covered fraction of a node's spline inside of its container \[1\].
    pub(super) fn part(&self, node: usize) -> f32 {
        if self.parts.is_empty() { 0.0 } else { self.parts[node] }
    }
}

impl WallNodes {
    /// True if solids cover nodes.
    pub(super) fn has_solids(&self) -> bool {
        !self.solids.parts.is_empty()
    }

    /// Finds the nodes in containers that solids cover.
    pub(super) fn find_solids(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        covers: &(dyn Fn(Vec3) -> bool + Sync),
    ) {
        let (shape, nodes, deposits) = (self.shape, &self.nodes, grid.nodes());
        let (plane_len, gap) = (shape.plane_len(), GAP * shape.cell_volume());
        let SolidNodes { covered, parts, passes, unknown } = &mut self.solids;
        let is_inside = |node: usize| nodes[node].is_held() && nodes[node].distance >= 0.0;
        exactly(covered, shape.len(), false);
        for_each_chunk_mut(exec, plane_len, covered.as_mut_slice(), &|first, plane: &mut [bool]| {
            for (node, covered) in (first..).zip(plane) {
                *covered = deposits[node].y < gap && is_inside(node) && covers(shape.position(node));
            }
        });
        parts.clear();
        unknown.clear();
        if !covered.contains(&true) {
            return;
        }
        exactly(parts, shape.len(), 0.0);
        exactly(passes, shape.len(), 0);
        unknown.reserve_exact(shape.len());
        let covered = &*covered;
        for_each_chunk_mut(exec, plane_len, parts.as_mut_slice(), &|first, plane: &mut [f32]| {
            for (node, part) in (first..).zip(plane) {
                if !is_inside(node) || !is_inner(&shape, node) {
                    continue;
                }
                let mut sums = (0.0, 0.0);
                for (n, at) in around(&shape, node).into_iter().enumerate().filter(|&(_, at)| is_inside(at)) {
                    let weight = weight_around(n);
                    sums = (sums.0 + if covered[at] { weight } else { 0.0 }, sums.1 + weight);
                }
                *part = sums.0 / sums.1;
            }
        });
    }

    /// Gives nodes in solids the contents of the fluid around them, at the same level as far as there is any.
    pub(super) fn fill_solids(&mut self) {
        if self.solids.parts.is_empty() {
            return;
        }
        let (shape, contents) = (self.shape, &mut self.contents);
        let SolidNodes { parts, passes, unknown, .. } = &mut self.solids;
        passes.fill(0);
        for index in 0..shape.len() {
            let node = self.nodes[index];
            let part = if !node.is_held() || !is_inner(&shape, index) {
                0.0
            } else if node.distance >= 0.0 {
                parts[index]
            } else if let Some((base, offset)) = cell(&shape, node.image) {
                let corners = corners(&shape, base).into_iter().enumerate();
                corners.map(|(corner, at)| corner_weight(corner, offset) * parts[at]).sum()
            } else {
                0.0
            };
            if part > MOST_COVERED {
                unknown.push(index as u32);
                passes[index] = UNKNOWN;
            }
        }
        for pass in 1.. {
            let left = unknown.len();
            unknown.retain(|&index| {
                let index = index as usize;
                let down = self.nodes[index].gravity.normalize_or_zero();
                let mut sums = (Vec2::ZERO, 0.0);
                // The node itself has no content yet.
                for (n, at) in around(&shape, index).into_iter().enumerate() {
                    let node = self.nodes[at];
                    // A node in a wall without an image has no content.
                    let is_known = node.distance >= 0.0 || cell(&shape, node.image).is_some();
                    if passes[at] < pass && node.is_held() && is_known {
                        let step = Vec3::new(n as f32 % 3.0, (n / 3 % 3) as f32, (n / 9) as f32) - 1.0;
                        let level = 1.0 - step.dot(down).powi(2) / step.length_squared();
                        let weight = UPRIGHT + level.max(0.0).powi(4);
                        sums = (sums.0 + contents[at] * weight, sums.1 + weight);
                    }
                }
                if sums.1 > 0.0 {
                    contents[index] = sums.0 / sums.1;
                    passes[index] = pass;
                }
                sums.1 == 0.0
            });
            if unknown.is_empty() || unknown.len() == left {
                break;
            }
        }
    }
}
