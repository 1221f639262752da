//! Density beside the walls of containers: without a word about walls a node beside one finds half of its
//! fluid missing, and gravity makes vorticity of the difference for ever (E42).

use crate::boundary::enclosure::{Enclosures, StepTime, Wall, Walls};
use crate::boundary::poison::{Poison, WallHit, without};
use crate::density::ScalarGrid;
use crate::grid::GridShape;
use crate::saved::{LoadError, Reader, Saved, Writer};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec2, Vec3, Vec4};

/// What is done about density at the walls of containers. Only `Balanced` lets fluid rest; the others show
/// what it is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WallTreatment {
    /// Density is mass over deposited volume, and is continued into walls as in a mirror (E42).
    #[default]
    Balanced,
    /// Nodes of the cells in which vortons hit walls in the last step lose the part of the density's gradient
    /// along these walls' normals (part 14): a step late, and only where a vorton hits.
    PoisonedByHits,
    /// Nodes inside of walls, or nearer to one than half a spacing, lose the part of the density's gradient
    /// along the wall's normal (part 14): gradients further away, as far as the missing fluid is felt, stay.
    PoisonedByNodes,
    /// Nothing: walls are surfaces of light fluid.
    Untreated,
}

crate::saved::variants!(WallTreatment { Balanced, PoisonedByHits, PoisonedByNodes, Untreated });

/// Where walls are, and what is to be done about them.
#[derive(Clone, Copy)]
pub struct WallSource<'a> {
    /// What is done.
    pub treatment: WallTreatment,
    /// Acceleration of gravity \[m/s²\] in fluid that no container holds.
    pub gravity: Vec3,
    /// Where they are.
    pub walls: Walls<'a>,
    /// Vortons that hit walls in the last step, for [`WallTreatment::PoisonedByHits`].
    pub hits: &'a [WallHit],
}

/// What walls do to the nodes of a [`ScalarGrid`].
#[derive(Debug, Clone, Default)]
pub struct WallNodes {
    treatment: WallTreatment,
    shape: GridShape,
    /// Of fluid that no container holds \[m/s²\].
    gravity: Vec3,
    /// The enclosures around which the walls were found, and where in a step these were then.
    known: (Enclosures, StepTime),
    nodes: Vec<Node>,
    /// Per node: true if it or one of two to either side of it along x is in a wall.
    beside: Vec<bool>,
    /// Per row of nodes along x: true if one of them is.
    rows_beside: Vec<bool>,
    /// Per node: share of its spline that is in the fluid \[1\].
    open: Vec<f32>,
    /// Per node: volume \[m³\] that its mass is in.
    volumes: Vec<f32>,
    /// Per node: mass deviation \[kg\] and dye \[m³\] of a cell of the fluid there.
    contents: Vec<Vec2>,
    poison: Poison,
    /// The same for the grid's other boxes.
    others: Vec<WallNodes>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// Signed distance \[m\] to the nearest wall; infinite where no container is known.
    distance: f32,
    normal: Vec3,
    /// \[m/s²\].
    gravity: Vec3,
    /// Where a node in a wall finds its density \[m\]: its image in the mirrors that the walls are. Not
    /// finite if it is not needed.
    image: Vec3,
}

/// The quadratic spline ends this far from its node \[spacings\].
const SPLINE_END: f32 = 1.5;

/// Mirrors that an image is sought in: the three walls of a corner.
const MIRRORS: usize = 3;

/// Sine of the slope from which on a wall is steep \[1\]: 45°. From 30° on, images would be further away than
/// a tank of 12 spacings is wide.
const STEEP: f32 = 0.7;

/// Walls whose normals have at least this cosine are one wall, bent \[1\]: less than a right angle's corner,
/// more than one spacing of a sphere with a radius of 1.3 spacings.
const SAME_WALL: f32 = 0.71;

/// Below the first share of what fluid could fill around a node, gaps are ambient fluid, as they are without
/// walls; above the second, vortons in disorder fill it, and gaps between them are theirs \[1\]. From a half
/// on, a drop in a large tank would be 9 % too heavy.
const FULL: [f32; 2] = [0.75, 0.85];

/// Only keeps mass over volume an `f32` where there is neither \[cells\].
const LEAST_VOLUME: f32 = 1e-6;

/// Gradients below this share of the density at the nodes around, per spacing, are taken for rounding errors
/// of deposits \[1\]: about five times the largest in a box of even density, where vortons are in disorder.
/// Fluid at rest is at rest, exactly.
const ROUNDING: f32 = 3e-5;

/// So many nodes behind those that mirror the fluid feel what these have \[1\]: sharpening and differences
/// reach that far.
const BEHIND: usize = 2;

/// Walls further away than this change no source \[spacings\]: sources reach [`SPLINE_END`] into a wall, and
/// what they are made of at most √6 nodes further (two along one axis, for difference and sharpening, and one
/// along the others).
const REACH: f32 = 4.0;

impl WallNodes {
    /// The walls around the nodes of the grid's other boxes; none if there are no walls.
    pub fn others(&self) -> &[Self] {
        &self.others
    }

    /// There are no walls.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.known.0.clear();
        self.others.clear();
    }

    /// The nodes are other places from now on: what is known of them is found anew.
    pub fn forget(&mut self) {
        self.shape = GridShape::default();
        self.others.iter_mut().for_each(Self::forget);
    }

    /// True if there may be walls.
    pub fn is_active(&self) -> bool {
        !self.nodes.is_empty()
    }

    /// Finds the walls around the nodes, unless those known are where they were, and the density beside them.
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
            WallTreatment::Balanced => self.find_contents(exec, grid),
            WallTreatment::PoisonedByHits => self.find_hits(source.hits),
            WallTreatment::PoisonedByNodes | WallTreatment::Untreated => {}
        }
    }

    /// Per node: mass deviation \[kg\] and dye \[m³\] of a cell of the fluid there, walls or not. None if
    /// walls are not to be seen in it.
    pub fn contents(&self) -> Option<&[Vec2]> {
        (self.is_active() && self.treatment == WallTreatment::Balanced).then_some(&self.contents)
    }

    /// Share of a node's spline that is in the fluid \[1\].
    pub fn open(&self, node: usize) -> f32 {
        if self.contents().is_some() { self.open[node] } else { 1.0 }
    }

    /// Gravity \[m/s²\] that the fluid at a node feels.
    pub fn gravity(&self, node: usize) -> Vec3 {
        self.nodes[node].gravity
    }

    /// True if a container holds the fluid at a node: what gravity makes there need not add up, because walls
    /// hold against it.
    pub fn holds(&self, node: usize) -> bool {
        self.is_active() && self.treatment != WallTreatment::Untreated && self.nodes[node].is_held()
    }

    /// What is left of a difference of masses at a node.
    pub fn poisoned(&self, node: usize, difference: Vec3) -> Vec3 {
        match self.treatment {
            WallTreatment::PoisonedByNodes => {
                let Node { distance, normal, .. } = self.nodes[node];
                if distance < 0.5 * self.shape.spacing() { without(difference, normal) } else { difference }
            }
            WallTreatment::PoisonedByHits => self.poison.left_of(node, difference),
            WallTreatment::Balanced | WallTreatment::Untreated => difference,
        }
    }

    /// A source \[any unit\] from a difference of masses at an inner node and something that gravity is in: 0
    /// if it is a rounding error.
    pub fn source(&self, node: usize, difference: Vec3, factor: Vec3) -> Vec3 {
        let source = self.poisoned(node, difference).cross(factor);
        let Some(contents) = self.contents() else { return source };
        let [nx, ny, _] = self.shape.dims_usize();
        let around = [1, nx, nx * ny]
            .map(|stride| contents[node - stride].x.abs().max(contents[node + stride].x.abs()));
        let scale = around.into_iter().fold(contents[node].x.abs(), f32::max);
        if source.length() <= ROUNDING * scale * factor.length() {
            return Vec3::ZERO;
        }
        source * self.open[node]
    }

    fn find_nodes(&mut self, exec: &dyn Executor, source: WallSource<'_>) {
        let shape = self.shape;
        let [nx, ny, _] = shape.dims_usize();
        let (h, origin, plane_len) = (shape.spacing(), shape.origin(), shape.plane_len());
        let mirrors = source.treatment == WallTreatment::Balanced;
        let at = |place: Vec3, reach: f32| {
            let wall = source.walls.at(place, reach)?;
            (wall.distance.is_finite() && wall.normal.is_finite() && wall.acceleration.is_finite())
                .then_some(wall)
        };
        let node = |place: Vec3| {
            at(place, REACH * h).map_or(Node::free(source.gravity), |wall| {
                let gravity = source.gravity - wall.acceleration;
                let image = if mirrors { image(&at, REACH * h, place, wall, gravity) } else { place };
                Node { distance: wall.distance, normal: wall.normal, gravity, image }
            })
        };
        self.nodes.resize(shape.len(), Node::free(source.gravity));
        for_each_chunk_mut(exec, plane_len, self.nodes.as_mut_slice(), &|first, plane: &mut [Node]| {
            let k = (first / plane_len) as f32;
            for (j, row) in (0..ny).zip(plane.chunks_exact_mut(nx)) {
                let place = |i: usize| origin + Vec3::new(i as f32, j as f32, k) * h;
                if source.walls.are_far(place(0), place(nx - 1), REACH * h) {
                    row.fill(Node::free(source.gravity));
                    continue;
                }
                row.iter_mut().enumerate().for_each(|(i, slot)| *slot = node(place(i)));
            }
        });
    }

    /// The share of each node's spline that is in the fluid: exact for walls at right angles that are aligned
    /// with the lattice.
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

    /// The nodes of the cells in which vortons hit walls.
    fn find_hits(&mut self, hits: &[WallHit]) {
        self.poison.clear(self.shape.len());
        for hit in hits.iter().filter(|hit| hit.normal.is_finite()) {
            let Some((base, _)) = cell(&self.shape, hit.position) else { continue };
            corners(&self.shape, base).into_iter().for_each(|node| self.poison.add(node, hit.normal));
        }
    }

    /// Density beside walls: nodes in the fluid have what is deposited over the volume that is, nodes in a
    /// wall what their image has.
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
                    // Volumes weigh: what is left of the cell in a wall counts as little as it holds.
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

    /// The volume that the mass on each node is in: what was deposited where vortons fill what is around,
    /// else what there is to fill.
    fn find_volumes(&mut self, exec: &dyn Executor, grid: &ScalarGrid) {
        let (shape, nodes, open, deposits) = (self.shape, &self.nodes, &self.open, grid.nodes());
        let [nx, ny, nz] = shape.dims_usize();
        let cell_volume = shape.cell_volume();
        let least = LEAST_VOLUME * cell_volume;
        self.volumes.resize(shape.len(), 0.0);
        for_each_chunk_mut(exec, nx * ny, self.volumes.as_mut_slice(), &|first, plane: &mut [f32]| {
            let k = first / (nx * ny);
            for (i, volume) in plane.iter_mut().enumerate() {
                let index = first + i;
                let (deposited, there) = (deposits[index].y, open[index] * cell_volume);
                let [x, y] = [i % nx, i / nx];
                let inner = 0 < x && x + 1 < nx && 0 < y && y + 1 < ny && 0 < k && k + 1 < nz;
                *volume = there;
                if inner && nodes[index].is_held() && deposited > 0.0 {
                    let mut sums = (0.0, 0.0);
                    for at in around(&shape, index) {
                        sums = (sums.0 + deposits[at].y, sums.1 + open[at]);
                    }
                    let filled = sums.0 / (sums.1 * cell_volume).max(least);
                    let share = ((filled - FULL[0]) / (FULL[1] - FULL[0])).clamp(0.0, 1.0);
                    *volume = there + share * (deposited - there);
                }
            }
        });
    }
}

impl Node {
    /// In fluid that no container holds.
    fn free(gravity: Vec3) -> Self {
        Self { distance: f32::INFINITY, normal: Vec3::ZERO, gravity, image: Vec3::INFINITY }
    }

    fn is_held(&self) -> bool {
        self.distance < f32::INFINITY
    }
}

/// Where a place in a wall is seen in its mirrors; itself if it is in the fluid. Where mirrors lead from one
/// wall into the next, it is on the last one.
///
/// Steep walls are looked at along the horizontal: fluid at rest is the same at one height, and so it is in
/// the mirror, however the wall leans. Flat ones are looked at along their normal: the horizontal would lead
/// far away.
fn image(
    at: &impl Fn(Vec3, f32) -> Option<Wall>,
    reach: f32,
    place: Vec3,
    wall: Wall,
    gravity: Vec3,
) -> Vec3 {
    if wall.distance >= 0.0 {
        return place;
    }
    let down = gravity.normalize_or_zero();
    // Most images are in the fluid, and to know that takes no wall.
    let behind = |place: Vec3| {
        let wall = at(place, f32::MIN_POSITIVE).or_else(|| at(place, reach));
        wall.filter(|wall| wall.distance < 0.0)
    };
    let (mut place, mut wall) = (place, Some(wall));
    for _ in 0..MIRRORS {
        let Some(Wall { distance, normal, .. }) = wall else { break };
        let level = normal - down * down.dot(normal);
        let steep = (level.length() / STEEP).min(1.0);
        let direction = level + (1.0 - steep) * (normal - level);
        place -= 2.0 * distance / direction.dot(normal) * direction;
        wall = behind(place);
    }
    for _ in 0..MIRRORS {
        let Some(Wall { distance, normal, .. }) = wall else { break };
        place -= distance * normal;
        wall = behind(place);
    }
    place
}

/// A wall as a plane, seen from a node.
#[derive(Debug, Clone, Copy)]
struct Plane {
    /// Signed distance of the node \[m\].
    distance: f32,
    normal: Vec3,
}

impl Plane {
    const NONE: Self = Self { distance: f32::INFINITY, normal: Vec3::ZERO };
}

/// The nearest walls, less than `end` \[m\] away, that a node and those around it know, as far as they are
/// different. Walls further away take nothing from the node's spline.
fn walls_around(shape: &GridShape, nodes: &[Node], index: usize, end: f32) -> [Option<Plane>; MIRRORS] {
    let ([nx, ny, nz], h) = (shape.dims_usize(), shape.spacing());
    let [x, y, z] = [index % nx, index / nx % ny, index / (nx * ny)];
    let around = |here: usize, count: usize| here.saturating_sub(1)..(here + 2).min(count);
    let mut planes = [Plane::NONE; 27];
    let mut count = 0;
    for k in around(z, nz) {
        for j in around(y, ny) {
            for i in around(x, nx) {
                let node = &nodes[shape.index(i, j, k)];
                let step = Vec3::new(i as f32 - x as f32, j as f32 - y as f32, k as f32 - z as f32);
                planes[count] =
                    Plane { distance: node.distance - node.normal.dot(step * h), normal: node.normal };
                count += usize::from(planes[count].distance < end);
            }
        }
    }
    let planes = &planes[..count];
    let mut found: [Option<Plane>; MIRRORS] = [None; MIRRORS];
    for count in 0..MIRRORS {
        let known = found;
        let is_new =
            |plane: &Plane| known.iter().flatten().all(|known| known.normal.dot(plane.normal) < SAME_WALL);
        found[count] = (planes.iter().copied())
            .filter(is_new)
            .reduce(|nearest, plane| if plane.distance < nearest.distance { plane } else { nearest });
        if found[count].is_none() {
            break;
        }
    }
    found
}

/// True if a node that no container is known to hold is so near to nodes in a wall that sharpening and
/// differences reach what these mirror: the back of a wall, where there is no fluid to be moved.
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

/// Share of the quadratic spline that is in front of a wall across an axis, `distance` \[spacings\] from its
/// node. Across any other direction the spline has the same variance and nearly the same share.
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

/// Elements of an inner node and its 26 neighbours.
fn around(shape: &GridShape, index: usize) -> [usize; 27] {
    let [nx, ny, _] = shape.dims_usize();
    let base = index - 1 - nx - nx * ny;
    std::array::from_fn(|n| base + n % 3 + n / 3 % 3 * nx + n / 9 * nx * ny)
}

/// Lowest node of the cell that a place is in, and where the place is from it \[cells\]. None outside of the
/// grid.
fn cell(shape: &GridShape, place: Vec3) -> Option<(usize, Vec3)> {
    let cells = (place - shape.origin()) / shape.spacing();
    // NaN fails the comparisons.
    let inside = cells.cmpge(Vec3::ZERO) & cells.cmplt(shape.dims().as_vec3() - 1.0);
    let node = inside.all().then(|| cells.as_ivec3())?;
    Some((shape.index(node.x as usize, node.y as usize, node.z as usize), cells - node.as_vec3()))
}

/// Elements of the nodes of a cell, by its lowest: x fastest.
fn corners(shape: &GridShape, base: usize) -> [usize; 8] {
    let [nx, ny, _] = shape.dims_usize();
    std::array::from_fn(|corner| base + corner % 2 + corner / 2 % 2 * nx + corner / 4 * nx * ny)
}

/// Weight of a corner for a place in a cell, linear along each axis.
fn corner_weight(corner: usize, offset: Vec3) -> f32 {
    let along = |high: usize, t: f32| if high == 1 { t } else { 1.0 - t };
    along(corner % 2, offset.x) * along(corner / 2 % 2, offset.y) * along(corner / 4, offset.z)
}

/// Only whether there are walls: all else is found anew when density is looked at next.
impl Saved for WallNodes {
    fn save(&self, out: &mut Writer<'_>) {
        self.is_active().save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let is_active: bool = from.value()?;
        self.clear();
        self.shape = GridShape::default();
        self.nodes.resize(usize::from(is_active), Node::free(Vec3::ZERO));
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
