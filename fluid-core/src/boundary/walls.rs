//! Density beside the walls of containers. Without a treatment a node beside a wall lacks half of its fluid,
//! and gravity makes vorticity from the difference for ever (E42).

mod crowding;
mod search;
mod solids;

use self::crowding::Crowding;
use self::search::WallSearch;
use self::solids::SolidNodes;
pub(super) use self::solids::{GAP, MOST_COVERED};
use crate::boundary::enclosure::{Enclosures, StepTime, WALL_BATCH, Walls};
use crate::boundary::poison::{Poison, WallHit, without};
use crate::density::ScalarGrid;
use crate::grid::GridShape;
use crate::saved::{LoadError, Reader, Saved, Writer};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3, Vec4};

/// Treatment of density at the walls of containers. `Balanced` is the model to use: only with it fluid can
/// rest. The other variants are included for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WallTreatment {
    /// Density is mass over deposited volume, and is mirrored into walls (E42).
    #[default]
    Balanced,
    /// Nodes of the cells in which vortons hit walls in the last step lose the density gradient's component
    /// normal to these walls (part 14): a step late, and only at hits.
    PoisonedByHits,
    /// Nodes inside walls, or nearer to one than half a spacing, lose the density gradient's component normal
    /// to the wall (part 14); gradients farther away remain wherever the missing fluid still has an effect.
    PoisonedByNodes,
    /// No treatment: walls act as surfaces of light fluid.
    Untreated,
}

crate::saved::variants!(WallTreatment { Balanced, PoisonedByHits, PoisonedByNodes, Untreated });

/// The walls, and their treatment.
#[derive(Clone, Copy)]
pub struct WallSource<'a> {
    /// Treatment of density at the walls.
    pub treatment: WallTreatment,
    /// Acceleration of gravity \[m/s²\] outside containers.
    pub gravity: Vec3,
    /// The walls.
    pub walls: Walls<'a>,
    /// Vortons that hit walls in the last step, for [`WallTreatment::PoisonedByHits`].
    pub hits: &'a [WallHit],
    /// True where a solid lets no vorton stay.
    pub covers: &'a (dyn Fn(Vec3) -> bool + Sync),
}

/// Effect of walls on the nodes of a [`ScalarGrid`].
#[derive(Debug, Clone, Default)]
pub struct WallNodes {
    treatment: WallTreatment,
    shape: GridShape,
    /// Gravity outside containers \[m/s²\].
    gravity: Vec3,
    /// The enclosures for which the walls were found, and their time in the step.
    known: (Enclosures, StepTime),
    nodes: Vec<WallNode>,
    /// Per node: true if it, or one of the two nodes to either side along x, is in a wall.
    beside: Vec<bool>,
    /// Per row of nodes along x: true if any of its nodes is beside a wall.
    rows_beside: Vec<bool>,
    /// Per node: fraction of its spline in the fluid \[1\].
    open: Vec<f32>,
    /// Per node: volume \[m³\] occupied by its mass.
    volumes: Vec<f32>,
    /// Per node: mass deviation \[kg\] and dye \[m³\] of a cell of the fluid there.
    contents: Vec<Vec2>,
    /// Solids in containers.
    solids: SolidNodes,
    crowding: Crowding,
    poison: Poison,
    /// The same for the grid's other boxes.
    others: Vec<WallNodes>,
}

#[derive(Debug, Clone, Copy)]
struct WallNode {
    /// Signed distance \[m\] to the nearest wall; infinite where there is no container within reach.
    distance: f32,
    normal: Vec3,
    /// Effective gravity \[m/s²\].
    gravity: Vec3,
    /// Point from which a node in a wall takes its density \[m\]: its image in the walls. Not finite if
    /// unused.
    image: Vec3,
}

/// Half-width of the quadratic spline \[spacings\].
const SPLINE_END: f32 = 1.5;

/// Most reflections of an image: the three walls of a corner.
const MIRRORS: usize = 3;

/// Walls are one bent wall if the cosine between their normals is at least this \[1\]. A right-angled corner
/// has less, and one spacing on a sphere with a radius of 1.3 spacings has more.
const SAME_WALL: f32 = 0.71;

/// Filled fractions of the space around a node \[1\]. Below the first, gaps are ambient fluid, as they are
/// without walls; above the second, disordered vortons fill the space and gaps belong to them. With a first
/// value of one half, a drop in a large tank would be 9 % too heavy.
const FULL: [f32; 2] = [0.75, 0.85];

/// Keeps mass over volume finite in `f32` where both are 0 \[cells\].
pub(super) const LEAST_VOLUME: f32 = 1e-6;

/// Gradients below this fraction of the density at the surrounding nodes, per spacing, count as rounding of
/// deposits \[1\]: about five times the largest in a box of uniform density with disordered vortons. So fluid
/// at rest stays at rest, exactly.
const GRADIENT_ROUNDING: f32 = 3e-5;

/// Number of nodes behind the mirrored ones that are affected by them \[1\]: the reach of sharpening and
/// differences.
const BEHIND: usize = 2;

/// Walls farther away than this do not change a source \[spacings\]: sources reach [`SPLINE_END`] into a
/// wall, and the nodes from which they are computed at most √6 further (two along one axis, for difference
/// and sharpening, and one along the others).
const WALL_REACH: f32 = 4.0;

impl WallNodes {
    /// Returns the wall nodes of the grid's other boxes; empty without walls.
    pub fn others(&self) -> &[Self] {
        &self.others
    }

    /// Removes all walls.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.known.0.clear();
        self.others.clear();
    }

    /// Discards everything known of the nodes, because their positions have changed.
    pub fn forget(&mut self) {
        self.shape = GridShape::default();
        self.others.iter_mut().for_each(Self::forget);
    }

    /// True if there may be walls.
    pub fn is_active(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Finds the walls around the nodes, unless they have not changed, and the density beside them.
    pub fn keep_up(&mut self, exec: &dyn Executor, grid: &ScalarGrid, source: WallSource<'_>) {
        let shape = *grid.shape();
        if shape.is_empty() {
            self.clear();
            return;
        }
        self.others.resize_with(grid.others().len(), Self::default);
        for (walls, grid) in self.others.iter_mut().zip(grid.others()) {
            walls.keep_up(exec, grid, source);
        }
        let WallSource { treatment, gravity, walls, .. } = source;
        let is_same = (self.shape, self.treatment, self.gravity) == (shape, treatment, gravity);
        if !is_same || !walls.are_where(&self.known) {
            (self.shape, self.treatment, self.gravity) = (shape, treatment, gravity);
            walls.copy_to(&mut self.known);
            self.find_nodes(exec, source);
            if self.treatment == WallTreatment::Balanced {
                self.find_open(exec);
            }
        }
        match self.treatment {
            WallTreatment::Balanced => {
                self.find_solids(exec, grid, source.covers);
                self.find_contents(exec, grid);
                self.fill_solids();
            }
            WallTreatment::PoisonedByHits => self.find_hits(source.hits),
            WallTreatment::PoisonedByNodes | WallTreatment::Untreated => {}
        }
    }

    /// Returns, per node, mass deviation \[kg\] and dye \[m³\] of a cell of the fluid there, with or without
    /// walls. `None` without walls, or unless the treatment is balanced.
    pub fn contents(&self) -> Option<&[Vec2]> {
        (self.is_active() && self.treatment == WallTreatment::Balanced).then_some(&self.contents)
    }

    /// Returns the fraction of a node's spline that is neither in a wall nor in a solid \[1\].
    pub fn fluid(&self, node: usize) -> f32 {
        if self.contents().is_some() { self.open[node] * (1.0 - self.solids.part(node)) } else { 1.0 }
    }

    /// Returns the effective gravity \[m/s²\] of the fluid at a node.
    pub fn gravity(&self, node: usize) -> Vec3 {
        self.nodes[node].gravity
    }

    /// True inside a container, where the source need not sum to zero: the walls carry the reaction.
    pub fn holds(&self, node: usize) -> bool {
        self.is_active() && self.treatment != WallTreatment::Untreated && self.nodes[node].is_held()
    }

    /// Returns a node's mass difference without the components removed by poison.
    pub fn poisoned(&self, node: usize, difference: Vec3) -> Vec3 {
        match self.treatment {
            WallTreatment::PoisonedByNodes => {
                let WallNode { distance, normal, .. } = self.nodes[node];
                if distance < 0.5 * self.shape.spacing() { without(difference, normal) } else { difference }
            }
            WallTreatment::PoisonedByHits => self.poison.left_of(node, difference),
            WallTreatment::Balanced | WallTreatment::Untreated => difference,
        }
    }

    /// Returns the source \[any unit\] of a mass difference at an inner node, crossed with a factor that
    /// contains gravity: 0 if the difference is a rounding error.
    pub fn source(&self, node: usize, difference: Vec3, factor: Vec3) -> Vec3 {
        let source = self.poisoned(node, difference).cross(factor);
        let Some(contents) = self.contents() else { return source };
        let [nx, ny, _] = self.shape.dims_usize();
        let around = [1, nx, nx * ny]
            .map(|stride| contents[node - stride].x.abs().max(contents[node + stride].x.abs()));
        let scale = around.into_iter().fold(contents[node].x.abs(), f32::max);
        if source.length() <= GRADIENT_ROUNDING * scale * factor.length() {
            return Vec3::ZERO;
        }
        source * self.fluid(node)
    }

    fn find_nodes(&mut self, exec: &dyn Executor, source: WallSource<'_>) {
        let shape = self.shape;
        let [nx, ny, _] = shape.dims_usize();
        let (h, origin, plane_len) = (shape.spacing(), shape.origin(), shape.plane_len());
        let find = WallSearch { source, reach: WALL_REACH * h };
        self.nodes.resize(shape.len(), WallNode::free(source.gravity));
        for_each_chunk_mut(exec, plane_len, self.nodes.as_mut_slice(), &|first, plane: &mut [WallNode]| {
            let k = (first / plane_len) as f32;
            for (j, row) in (0..ny).zip(plane.chunks_exact_mut(nx)) {
                let place = |i: usize| origin + Vec3::new(i as f32, j as f32, k) * h;
                if source.walls.are_far(place(0), place(nx - 1), WALL_REACH * h) {
                    row.fill(WallNode::free(source.gravity));
                    continue;
                }
                for (n, nodes) in row.chunks_mut(WALL_BATCH).enumerate() {
                    find.walls(nodes, |i| place(n * WALL_BATCH + i));
                }
            }
        });
    }

    /// Finds the fraction of each node's spline in the fluid: exact for walls at right angles, aligned with
    /// the lattice.
    fn find_open(&mut self, exec: &dyn Executor) {
        self.find_beside(exec);
        let (shape, nodes, beside, rows) = (self.shape, &self.nodes, &self.beside, &self.rows_beside);
        let (h, nx) = (shape.spacing(), shape.dims_usize()[0]);
        let end = SPLINE_END * h;
        self.open.resize(shape.len(), 1.0);
        for_each_chunk_mut(exec, shape.plane_len(), self.open.as_mut_slice(), &|first, plane: &mut [f32]| {
            let mut is_near = false;
            for (i, open) in plane.iter_mut().enumerate() {
                if i.is_multiple_of(nx) {
                    is_near = any_row_around(&shape, (first + i) / nx, |row| rows[row]);
                }
                let here = nodes[first + i];
                *open = if is_near && !here.is_held() && is_behind_a_wall(&shape, beside, first + i) {
                    0.0
                } else if here.distance >= end {
                    1.0
                } else if here.distance <= -end {
                    0.0
                } else if let Some(distance) = distance_of_flat_wall(&shape, nodes, first + i) {
                    spline_share(distance / h)
                } else {
                    walls_around(&shape, nodes, first + i, end)
                        .into_iter()
                        .flatten()
                        .fold(1.0, |open, wall| open * spline_share(wall.distance / h))
                };
            }
        });
    }

    fn find_beside(&mut self, exec: &dyn Executor) {
        let (nodes, nx) = (&self.nodes, self.shape.dims_usize()[0]);
        self.beside.resize(nodes.len(), false);
        let beside = self.beside.as_mut_slice();
        for_each_chunk_mut(exec, self.shape.plane_len(), beside, &|first, plane: &mut [bool]| {
            for (y, row) in plane.chunks_mut(nx).enumerate() {
                let nodes = &nodes[first + y * nx..][..nx];
                for (x, beside) in row.iter_mut().enumerate() {
                    let around = x.saturating_sub(BEHIND)..(x + BEHIND + 1).min(nx);
                    *beside = nodes[around].iter().any(|node| node.distance < 0.0);
                }
            }
        });
        self.rows_beside.clear();
        self.rows_beside.extend(self.beside.chunks_exact(nx).map(|row| row.contains(&true)));
    }

    /// Adds poison at the nodes of the cells in which vortons hit walls.
    fn find_hits(&mut self, hits: &[WallHit]) {
        self.poison.clear(self.shape.len());
        for hit in hits.iter().filter(|hit| hit.normal.is_finite()) {
            let Some((base, _)) = cell(&self.shape, hit.position) else { continue };
            corners(&self.shape, base).into_iter().for_each(|node| self.poison.add(node, hit.normal));
        }
    }

    /// Finds the density beside walls: nodes in the fluid have deposited mass over its volume, nodes in a
    /// wall the value at their image.
    fn find_contents(&mut self, exec: &dyn Executor, grid: &ScalarGrid) {
        self.find_volumes(exec, grid);
        let (shape, nodes, volumes, deposits) = (self.shape, &self.nodes, &self.volumes, grid.nodes());
        let cell_volume = shape.cell_volume();
        let least = LEAST_VOLUME * cell_volume;
        let mean =
            |carried: Vec4, volume: f32| Vec2::new(carried.x, carried.z) / volume.max(least) * cell_volume;
        self.contents.resize(shape.len(), Vec2::ZERO);
        let contents = self.contents.as_mut_slice();
        for_each_chunk_mut(exec, shape.plane_len(), contents, &|first, plane: &mut [Vec2]| {
            for (i, content) in plane.iter_mut().enumerate() {
                let index = first + i;
                let node = nodes[index];
                *content = if !node.is_held() {
                    Vec2::new(deposits[index].x, deposits[index].z)
                } else if node.distance >= 0.0 {
                    mean(deposits[index], volumes[index])
                } else if let Some((base, offset)) = cell(&shape, node.image) {
                    // Weighted by volume, so the part of the cell in a wall counts only for the fluid in it.
                    let mut sums = (Vec4::ZERO, 0.0);
                    for (corner, index) in corners(&shape, base).into_iter().enumerate() {
                        let weight = corner_weight(corner, offset);
                        sums = (sums.0 + deposits[index] * weight, sums.1 + volumes[index] * weight);
                    }
                    mean(sums.0, sums.1)
                } else {
                    Vec2::ZERO
                };
            }
        });
    }

    /// Finds the volume of the mass on each node: the deposited volume where vortons fill the surroundings,
    /// the available volume elsewhere.
    fn find_volumes(&mut self, exec: &dyn Executor, grid: &ScalarGrid) {
        let (shape, nodes, deposits) = (self.shape, &self.nodes, grid.nodes());
        let (open, solids) = (&self.open, &self.solids);
        let fluid = |node: usize| open[node] * (1.0 - solids.part(node));
        let (plane_len, cell_volume) = (shape.plane_len(), shape.cell_volume());
        let least = LEAST_VOLUME * cell_volume;
        self.volumes.resize(shape.len(), 0.0);
        for_each_chunk_mut(exec, plane_len, self.volumes.as_mut_slice(), &|first, plane: &mut [f32]| {
            for (index, volume) in (first..).zip(plane) {
                let (deposited, there) = (deposits[index].y, fluid(index) * cell_volume);
                *volume = there;
                if is_inner(&shape, index) && nodes[index].is_held() && deposited > 0.0 {
                    let mut sums = (0.0, 0.0);
                    for at in around(&shape, index) {
                        sums = (sums.0 + deposits[at].y, sums.1 + fluid(at));
                    }
                    let filled = sums.0 / (sums.1 * cell_volume).max(least);
                    *volume = volume_of_mass(deposited, there, filled);
                }
            }
        });
    }
}

impl WallNode {
    /// Returns a node outside all containers.
    fn free(gravity: Vec3) -> Self {
        Self { distance: f32::INFINITY, normal: Vec3::ZERO, gravity, image: Vec3::INFINITY }
    }

    fn is_held(&self) -> bool {
        self.distance < f32::INFINITY
    }
}

/// A wall as a plane, seen from a node.
#[derive(Debug, Clone, Copy)]
struct WallPlane {
    /// Signed distance of the node \[m\].
    distance: f32,
    normal: Vec3,
}

impl WallPlane {
    const NONE: Self = Self { distance: f32::INFINITY, normal: Vec3::ZERO };
}

/// Returns the smallest distance \[m\] of an inner node from the wall that is nearest to it and to all its
/// neighbours; None where that is not one flat wall.
fn distance_of_flat_wall(shape: &GridShape, nodes: &[WallNode], index: usize) -> Option<f32> {
    let ([nx, ny, _], h) = (shape.dims_usize(), shape.spacing());
    if !is_inner(shape, index) {
        return None;
    }
    let normal = nodes[index].normal;
    let step = [1, nx, nx * ny];
    let low = index - step.iter().sum::<usize>();
    // Most bent walls show at the corners.
    let corners = (0..8).map(|c| low + 2 * ((c & 1) * step[0] + (c >> 1 & 1) * step[1] + (c >> 2) * step[2]));
    if corners.into_iter().any(|corner| nodes[corner].normal != normal) {
        return None;
    }
    let mut least = f32::INFINITY;
    for (k, z) in [-h, 0.0, h].into_iter().enumerate() {
        for (j, y) in [-h, 0.0, h].into_iter().enumerate() {
            let row = &nodes[low + k * step[2] + j * step[1]..][..3];
            if row.iter().any(|node| node.normal != normal) {
                return None;
            }
            for (node, x) in row.iter().zip([-h, 0.0, h]) {
                least = least.min(node.distance - normal.dot(Vec3::new(x, y, z)));
            }
        }
    }
    Some(least)
}

/// Returns the nearest walls, less than `end` \[m\] away, known to a node and its neighbours and different
/// from each other. Walls farther away remove nothing from the node's spline.
fn walls_around(
    shape: &GridShape,
    nodes: &[WallNode],
    index: usize,
    end: f32,
) -> [Option<WallPlane>; MIRRORS] {
    let ([nx, ny, nz], h) = (shape.dims_usize(), shape.spacing());
    let [x, y, z] = [index % nx, index / nx % ny, index / (nx * ny)];
    let around = |here: usize, count: usize| here.saturating_sub(1)..(here + 2).min(count);
    let mut planes = [WallPlane::NONE; 27];
    let mut count = 0;
    for k in around(z, nz) {
        for j in around(y, ny) {
            for i in around(x, nx) {
                let node = &nodes[shape.index(i, j, k)];
                let step = Vec3::new(i as f32 - x as f32, j as f32 - y as f32, k as f32 - z as f32);
                planes[count] =
                    WallPlane { distance: node.distance - node.normal.dot(step * h), normal: node.normal };
                count += usize::from(planes[count].distance < end);
            }
        }
    }
    let planes = &planes[..count];
    let mut found: [Option<WallPlane>; MIRRORS] = [None; MIRRORS];
    for count in 0..MIRRORS {
        let known = found;
        let is_new = |plane: &WallPlane| {
            known.iter().flatten().all(|known| known.normal.dot(plane.normal) < SAME_WALL)
        };
        found[count] = (planes.iter().copied())
            .filter(is_new)
            .reduce(|nearest, plane| if plane.distance < nearest.distance { plane } else { nearest });
        if found[count].is_none() {
            break;
        }
    }
    found
}

/// True if a node outside all known containers is within the reach of sharpening and differences from
/// mirrored nodes: behind the wall, where the source acts on no fluid.
fn is_behind_a_wall(shape: &GridShape, beside: &[bool], index: usize) -> bool {
    let nx = shape.dims_usize()[0];
    any_row_around(shape, index / nx, |row| beside[row * nx + index % nx])
}

/// True if `is_one` holds for a row of nodes along x or one of those up to [`BEHIND`] beside it.
fn any_row_around(shape: &GridShape, row: usize, is_one: impl Fn(usize) -> bool) -> bool {
    let [_, ny, nz] = shape.dims_usize();
    let around = |here: usize, count: usize| here.saturating_sub(BEHIND)..(here + BEHIND + 1).min(count);
    around(row / ny, nz).any(|z| around(row % ny, ny).any(|y| is_one(z * ny + y)))
}

/// Returns the fraction of the quadratic spline in front of a wall normal to an axis, `distance` \[spacings\]
/// from its node. For other normals the spline has the same variance and nearly the same fraction.
fn spline_share(distance: f32) -> f32 {
    let tail = |t: f32| t * t * t / 6.0;
    if distance <= -SPLINE_END {
        0.0
    } else if distance < -0.5 {
        tail(SPLINE_END + distance)
    } else if distance <= 0.5 {
        0.5 + distance * (0.75 - distance * distance / 3.0)
    } else if distance < SPLINE_END {
        1.0 - tail(SPLINE_END - distance)
    } else {
        1.0
    }
}

/// Returns the volume \[m³\] of the mass on a node: the `deposited` one where vortons fill the fraction
/// `filled` of the surroundings, the one that is `there` where they do not.
pub(super) fn volume_of_mass(deposited: f32, there: f32, filled: f32) -> f32 {
    let share = ((filled - FULL[0]) / (FULL[1] - FULL[0])).clamp(0.0, 1.0);
    there + share * (deposited - there)
}

/// Returns the weight of the spline of a node at the n-th of the nodes [around](around) it \[1\].
pub(super) fn weight_around(n: usize) -> f32 {
    let along = |n: usize| [0.125, 0.75, 0.125][n % 3];
    along(n) * along(n / 3) * along(n / 9)
}

/// Returns the indices of an inner node and its 26 neighbours.
pub(super) fn around(shape: &GridShape, index: usize) -> [usize; 27] {
    let [nx, ny, _] = shape.dims_usize();
    let base = index - 1 - nx - nx * ny;
    std::array::from_fn(|n| base + n % 3 + n / 3 % 3 * nx + n / 9 * nx * ny)
}

/// True if all neighbours of a node are in the box.
fn is_inner(shape: &GridShape, node: usize) -> bool {
    let [nx, ny, nz] = shape.dims_usize();
    let [x, y, z] = [node % nx, node / nx % ny, node / (nx * ny)];
    0 < x && x + 1 < nx && 0 < y && y + 1 < ny && 0 < z && z + 1 < nz
}

/// Returns the lowest node of the cell that contains a position, and the offset from it \[cells\]. `None`
/// outside the grid.
fn cell(shape: &GridShape, place: Vec3) -> Option<(usize, Vec3)> {
    let cells = (place - shape.origin()) / shape.spacing();
    // NaN fails the comparisons.
    let inside = cells.cmpge(Vec3::ZERO) & cells.cmplt(shape.dims().as_vec3() - 1.0);
    let node = inside.all().then(|| cells.as_ivec3())?;
    Some((shape.index(node.x as usize, node.y as usize, node.z as usize), cells - node.as_vec3()))
}

/// Returns the indices of the nodes of a cell, from its lowest: x fastest.
fn corners(shape: &GridShape, base: usize) -> [usize; 8] {
    let [nx, ny, _] = shape.dims_usize();
    std::array::from_fn(|corner| base + corner % 2 + corner / 2 % 2 * nx + corner / 4 * nx * ny)
}

/// Returns the weight of a corner for a position in a cell, linear along each axis.
fn corner_weight(corner: usize, offset: Vec3) -> f32 {
    let along = |high: usize, t: f32| if high == 1 { t } else { 1.0 - t };
    along(corner % 2, offset.x) * along(corner / 2 % 2, offset.y) * along(corner / 4, offset.z)
}

/// Stores only whether there are walls; the rest is found anew at the next evaluation of density.
impl Saved for WallNodes {
    fn save(&self, out: &mut Writer<'_>) {
        self.is_active().save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let is_active: bool = from.value()?;
        self.clear();
        self.shape = GridShape::default();
        self.nodes.resize(usize::from(is_active), WallNode::free(Vec3::ZERO));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_spline_are_its_integral() {
        let spline = |t: f64| match t.abs() {
            t if t < 0.5 => 0.75 - t * t,
            t if t < 1.5 => 0.5 * (1.5 - t) * (1.5 - t),
            _ => 0.0,
        };
        for distance in [-2.0, -1.5, -1.0, -0.5, -0.2, 0.0, 0.3, 0.5, 0.9, 1.5, 3.0_f32] {
            let steps = 30_000;
            let distance = distance.clamp(-1.5, 1.5);
            let step = (1.5 + f64::from(distance)) / f64::from(steps);
            let integral: f64 =
                (0..steps).map(|i| spline((f64::from(i) + 0.5) * step - f64::from(distance)) * step).sum();
            let share = f64::from(spline_share(distance));
            assert!((share - integral).abs() < 1e-5, "{distance}: {share}, integral {integral}");
        }
    }
}
