//! Density in bodies that follow the fluid. No vortons are inside a body, so its space would count as
//! ambient fluid, and the vorticity that gravity makes of the difference would hold back the fluid around the
//! body. Instead the density around the body is continued through it, level by level (E71).

use super::walls::{GAP, LEAST_VOLUME, MOST_COVERED, around, volume_of_mass, weight_around};
use crate::density::ScalarGrid;
use crate::grid::GridShape;
use crate::math::exactly;
use glam::Vec3;
use std::mem::swap;

/// A body that follows the fluid around it.
pub struct Follower<'a> {
    /// Its number: where bodies overlap, the lowest counts.
    pub number: u32,
    /// Its acceleration in fluid that accelerates, over that of the fluid: above 0, at most 1 \[1\].
    pub follows: f32,
    /// Lowest and highest coordinates of the places that it covers \[m\].
    pub ends: (Vec3, Vec3),
    /// True where no vorton can stay because of the body.
    pub covers: &'a dyn Fn(Vec3) -> bool,
}

/// Calls back for the followers that may cover a part of a box \[m\].
pub(crate) type VisitFollowers<'a> = dyn Fn(Vec3, Vec3, &mut dyn FnMut(&Follower<'_>)) + 'a;

/// Masses of the nodes in and beside such bodies, in place of the deposited ones while the source of
/// vorticity is computed. They do not depend on the order in which bodies are visited.
#[derive(Debug, Clone, Default)]
pub(crate) struct FollowerMass {
    /// Per node: place of the body that covers it in the list of bodies, from 1 on; 0 elsewhere.
    bodies: Vec<u32>,
    /// Per node: covered fraction of its spline \[1\].
    parts: Vec<f32>,
    /// The number of each body, and how far it follows \[1\].
    list: Vec<(u32, f32)>,
    covered: Vec<u32>,
    beside: Vec<Beside>,
    /// For each body, one level after the other.
    levels: Vec<Level>,
    /// For each body: its lowest level \[spacings\], and the first of its levels.
    firsts: Vec<(f32, usize)>,
    /// Nodes and their masses \[kg\].
    masses: Vec<(u32, f32)>,
    /// The same for the grid's other boxes.
    others: Vec<FollowerMass>,
}

/// A node with a part of its spline in a body.
#[derive(Debug, Clone, Copy)]
struct Beside {
    node: u32,
    /// The body, by its place in the list.
    body: u32,
    /// Covered fraction \[1\].
    part: f32,
}

/// Sum of the masses around a body at a level \[kg\], and of their weights.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    mass: f32,
    weight: f32,
}

/// Nodes between a body and the faces of the box: the reach of sharpening and differences, and one.
const MARGIN: f32 = 3.0;

/// Levels beyond those of a body's nodes, of the nodes beside them and for interpolation.
const BEYOND: f32 = 2.0;

impl FollowerMass {
    /// Finds the masses with gravity \[m/s²\] along `down`.
    pub(crate) fn find(&mut self, grid: &ScalarGrid, down: Vec3, visit: &VisitFollowers<'_>) {
        self.others.resize_with(grid.others().len(), Self::default);
        for (own, grid) in self.others.iter_mut().zip(grid.others()) {
            own.find(grid, down, visit);
        }
        self.clear();
        if grid.nodes().is_empty() {
            return;
        }
        self.find_covered(grid, visit);
        self.find_beside(grid.shape());
        self.find_levels(grid, down.normalize_or_zero());
        self.find_masses(grid, down.normalize_or_zero());
    }

    /// Forgets all bodies.
    pub(crate) fn clear(&mut self) {
        self.others.iter_mut().for_each(Self::clear);
        for beside in self.beside.drain(..) {
            (self.bodies[beside.node as usize], self.parts[beside.node as usize]) = (0, 0.0);
        }
        self.covered.clear();
        self.list.clear();
        self.masses.clear();
    }

    /// Exchanges these masses and those of the grid: called again, it exchanges them back.
    pub(crate) fn exchange(&mut self, grid: &mut ScalarGrid) {
        let nodes = grid.nodes_mut();
        self.masses.iter_mut().for_each(|(node, mass)| swap(mass, &mut nodes[*node as usize].x));
        for (own, grid) in self.others.iter_mut().zip(grid.others_mut()) {
            own.exchange(grid);
        }
    }

    /// Finds the nodes that bodies cover. One that reaches beyond the box counts as none: its density would
    /// end at the box.
    fn find_covered(&mut self, grid: &ScalarGrid, visit: &VisitFollowers<'_>) {
        let (shape, deposits) = (grid.shape(), grid.nodes());
        let (origin, spacing, gap) = (shape.origin(), shape.spacing(), GAP * shape.cell_volume());
        let last = shape.dims().as_vec3() - 1.0;
        let Self { bodies, parts, list, covered, .. } = self;
        visit(origin, origin + last * spacing, &mut |follower| {
            let [low, high] = [follower.ends.0, follower.ends.1].map(|end| (end - origin) / spacing);
            // NaN fails the comparisons.
            if !(low.cmpge(Vec3::splat(MARGIN)).all() && high.cmple(last - MARGIN).all()) {
                return;
            }
            exactly(bodies, shape.len(), 0);
            exactly(parts, shape.len(), 0.0);
            list.push((follower.number, follower.follows));
            let (low, high) = (low.as_uvec3(), high.as_uvec3() + 1);
            let rows = (low.z..=high.z).flat_map(|k| (low.y..=high.y).map(move |j| (j, k)));
            let nodes = rows.flat_map(|(j, k)| (low.x..=high.x).map(move |i| [i, j, k].map(|n| n as usize)));
            for [i, j, k] in nodes {
                let node = shape.index(i, j, k);
                let known = bodies[node];
                let counts = known == 0 || follower.number < list[known as usize - 1].0;
                if counts && deposits[node].y < gap && (follower.covers)(shape.position(node)) {
                    bodies[node] = list.len() as u32;
                    covered.extend((known == 0).then_some(node as u32));
                }
            }
        });
    }

    /// Finds the nodes beside covered ones, these among them.
    fn find_beside(&mut self, shape: &GridShape) {
        let Self { bodies, parts, list, covered, beside, .. } = self;
        // A node beside two bodies belongs to the one with the lower number.
        covered.sort_unstable_by_key(|&node| (list[bodies[node as usize] as usize - 1].0, node));
        for &node in &*covered {
            for at in around(shape, node as usize) {
                if parts[at] == 0.0 {
                    parts[at] = 1.0;
                    beside.push(Beside { node: at as u32, body: bodies[node as usize], part: 0.0 });
                }
            }
        }
        for beside in &mut *beside {
            let each = around(shape, beside.node as usize).into_iter().enumerate();
            beside.part = each.filter(|(_, at)| bodies[*at] > 0).map(|(n, _)| weight_around(n)).sum();
            let own = bodies[beside.node as usize];
            beside.body = if own > 0 { own } else { beside.body };
        }
        beside.sort_unstable_by_key(|beside| (beside.body, beside.node));
        beside.iter().for_each(|beside| parts[beside.node as usize] = beside.part);
    }

    /// Finds the mean mass around each body at each level.
    fn find_levels(&mut self, grid: &ScalarGrid, down: Vec3) {
        let shape = grid.shape();
        self.levels.clear();
        self.firsts.clear();
        for body in self.beside.chunk_by(|a, b| a.body == b.body) {
            let heights = body.iter().map(|beside| height(shape, beside.node as usize, down));
            let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), height| {
                (low.min(height), high.max(height))
            });
            let (low, first) = ((low - BEYOND).floor(), self.levels.len());
            self.firsts.push((low, first));
            self.levels.resize(first + (high + BEYOND - low) as usize + 2, Level::default());
            let levels = &mut self.levels[first..];
            for beside in body.iter().filter(|beside| beside.part > MOST_COVERED) {
                for at in around(shape, beside.node as usize) {
                    if self.parts[at] <= MOST_COVERED {
                        let mass = whole_mass(grid, &self.parts, at);
                        let (level, share) = place_among(height(shape, at, down) - low);
                        for (level, weight) in levels[level..].iter_mut().zip([1.0 - share, share]) {
                            level.mass += mass * weight;
                            level.weight += weight;
                        }
                    }
                }
            }
            fill_gaps(levels);
        }
    }

    /// Finds the masses of the nodes beside bodies.
    fn find_masses(&mut self, grid: &ScalarGrid, down: Vec3) {
        let (shape, nodes) = (grid.shape(), grid.nodes());
        for (body, &(low, first)) in self.beside.chunk_by(|a, b| a.body == b.body).zip(&self.firsts) {
            for &Beside { node, body, part } in body {
                let at = node as usize;
                let mass = if part > MOST_COVERED {
                    let (level, share) = place_among(height(shape, at, down) - low);
                    let [a, b] = [first + level, first + level + 1].map(|level| self.levels[level].mass);
                    a + (b - a) * share
                } else {
                    whole_mass(grid, &self.parts, at)
                };
                let (_, follows) = self.list[body as usize - 1];
                self.masses.push((node, nodes[at].x + (mass - nodes[at].x) * follows));
            }
        }
    }
}

/// Turns sums into means, and gives levels without any that of the nearest one with some.
fn fill_gaps(levels: &mut [Level]) {
    levels.iter_mut().filter(|level| level.weight > 0.0).for_each(|level| level.mass /= level.weight);
    let (mut below, count) = (None, levels.len());
    for n in 0..count {
        if levels[n].weight > 0.0 {
            below = Some(n);
            continue;
        }
        let above = (n + 1..count).find(|&m| levels[m].weight > 0.0);
        let nearest = match (below, above) {
            (Some(below), Some(above)) => Some(if n - below <= above - n { below } else { above }),
            (below, above) => below.or(above),
        };
        levels[n].mass = nearest.map_or(0.0, |nearest| levels[nearest].mass);
    }
}

/// Returns the mass \[kg\] of a cell of the fluid beside a body: the deposited mass over the deposited volume
/// where vortons fill the space outside of the body, elsewhere over that space (as in E42).
fn whole_mass(grid: &ScalarGrid, parts: &[f32], node: usize) -> f32 {
    let (nodes, cell) = (grid.nodes(), grid.shape().cell_volume());
    let (deposit, open) = (nodes[node], (1.0 - parts[node]) * cell);
    if parts[node] == 0.0 {
        return deposit.x;
    }
    let sums = around(grid.shape(), node)
        .into_iter()
        .fold((0.0, 0.0), |(volume, space), at| (volume + nodes[at].y, space + (1.0 - parts[at]) * cell));
    let filled = sums.0 / sums.1.max(f32::MIN_POSITIVE);
    deposit.x / volume_of_mass(deposit.y, open, filled).max(LEAST_VOLUME * cell) * cell
}

/// Returns the height of a node above the first one of its box \[spacings\].
fn height(shape: &GridShape, node: usize, down: Vec3) -> f32 {
    let [nx, ny, _] = shape.dims_usize();
    -down.dot(Vec3::new((node % nx) as f32, (node / nx % ny) as f32, (node / (nx * ny)) as f32))
}

/// Returns the level at or below a height above the lowest one, and the share of the next level.
fn place_among(height: f32) -> (usize, f32) {
    let level = height.floor();
    (level as usize, height - level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_without_fluid_have_that_of_the_nearest() {
        let level = |mass: f32, weight: f32| Level { mass, weight };
        let mut levels =
            [level(0.0, 0.0), level(4.0, 2.0), level(0.0, 0.0), level(0.0, 0.0), level(5.0, 1.0)];
        fill_gaps(&mut levels);
        assert_eq!(levels.map(|level| level.mass), [2.0, 2.0, 2.0, 5.0, 5.0]);
    }
}
