//! Neutral vortons that come and go around density.
//!
//! A vorton can only take up what is made near it, and about half of a gradient lies outside of what has it: a drop alone
//! gets a quarter to a half of its buoyancy (validation D2, B1).

use super::baroclinic::Baroclinic;
use crate::density::{ScalarGrid, Span};
use crate::grid::{GridShape, Splines};
use crate::math::Vec3Columns;
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use crate::particles::{Vorton, Vortons};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{IVec3, Vec3, Vec4};

/// Keeps neutral vortons where density makes vorticity (E30).
#[derive(Debug, Clone, Default)]
pub struct Halo {
    strongest: Surroundings,
    steps: u32,
    neighbours: Neighbours,
    /// Per vorton: true if it is of the halo and no source reaches it; true if it goes.
    idle: Vec<bool>,
    going: Vec<bool>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HaloReport {
    /// Vortons born.
    pub born: usize,
    /// Vortons not born for want of room.
    pub refused: usize,
    /// Vortons removed.
    pub retired: usize,
}

/// A node needs a vorton if less than this share of its cell is filled \[1\]. Not a quarter: an edge of a lattice between nodes
/// fills exactly that, and rounding would decide.
const FILLED: f32 = 0.2;

/// A source below this share of the strongest one around is left to whoever is there \[1\].
const WEAK: f32 = 0.02;

/// A vorton of the halo may go where sources are below this share of the strongest one around \[1\]: a quarter of what makes it
/// come, so that it does not come and go.
const FADED: f32 = 0.25 * WEAK;

/// What it carries, as a share of the most that one vorton around carries, is then at most this \[1\]. Those around get it.
const SPENT: f32 = 0.02;

/// Steps between two looks for vortons that may go \[steps\]: a look costs about as much as all the rest.
const RETIREMENT_INTERVAL: u32 = 8;

/// Around: within this distance \[spacings\].
const AROUND: f32 = 4.0;

impl Halo {
    /// Makes room for `capacity` vortons, once.
    fn reserve(&mut self, capacity: usize) {
        if self.idle.capacity() < capacity {
            self.neighbours.reserve(capacity);
            for column in [&mut self.idle, &mut self.going] {
                column.reserve(capacity - column.len());
            }
        }
    }

    /// Lets vortons be born on nodes that are not `covered` by a body, in node order, and lets those go that are of no use. Σ α, Σ m' and Σ dye stay.
    pub fn keep_up(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        source: &Baroclinic,
        covered: &dyn Fn(Vec3) -> bool,
        vortons: &mut Vortons,
        max_vortons: usize,
    ) -> HaloReport {
        self.reserve(max_vortons);
        let sources = source.sources();
        if !sources.is_empty() {
            self.strongest.find(exec, grid.shape(), sources);
        }
        self.steps = (self.steps + 1) % RETIREMENT_INTERVAL;
        let retired = if self.steps == 0 { self.retire(exec, grid.shape(), sources, vortons) } else { 0 };
        let (born, refused) = match sources {
            [] => (0, 0),
            _ => self.bear(grid, (sources, source.span()), covered, vortons, max_vortons),
        };
        HaloReport { born, refused, retired }
    }

    fn bear(
        &self,
        grid: &ScalarGrid,
        (sources, span): (&[Vec4], Span),
        covered: &dyn Fn(Vec3) -> bool,
        vortons: &mut Vortons,
        max_vortons: usize,
    ) -> (usize, usize) {
        let shape = grid.shape();
        let cell = shape.cell_volume();
        let (mut born, mut refused) = (0, 0);
        for (index, (node, source)) in grid.nodes().iter().zip(sources).enumerate() {
            if source.w == 0.0
                || node.y >= FILLED * cell
                || source.w <= WEAK * self.strongest.at(shape, index)
            {
                continue;
            }
            let Some(position) = birthplace(shape.position(index), shape.spacing(), span) else { continue };
            if covered(position) {
                continue;
            }
            if vortons.len() >= max_vortons {
                refused += 1;
                continue;
            }
            vortons.push(Vorton { position, volume: cell - node.y, halo: true, ..Vorton::default() });
            born += 1;
        }
        (born, refused)
    }

    /// Of the vortons that no source reaches, those go that carry next to nothing. Those around that stay get what they have.
    fn retire(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        sources: &[Vec4],
        vortons: &mut Vortons,
    ) -> usize {
        let splines = Splines::new(shape);
        self.idle.clear();
        for (row, &halo) in vortons.halos.iter().enumerate() {
            let place = vortons.positions.get(row);
            self.idle.push(halo && place.is_finite() && !self.is_fed(shape, &splines, sources, place));
        }
        if !self.idle.contains(&true) {
            return 0;
        }
        let around = AROUND * shape.spacing();
        let finite = vortons.positions.iter().enumerate().filter(|(_, place)| place.is_finite());
        self.neighbours.sort(exec, around, finite);
        // All decide by what all carry now, so that the order of rows decides nothing.
        self.going.clear();
        self.going.resize(vortons.len(), false);
        let idle = Idle { neighbours: &self.neighbours, rows: &self.idle, reach2: around * around };
        idle.judge(vortons, &mut self.going);
        idle.hand_over(vortons, &mut self.going);
        let going = &self.going;
        vortons.retain(|_, row| !going[row])
    }

    /// True if a source reaches this place.
    fn is_fed(&self, shape: &GridShape, splines: &Splines, sources: &[Vec4], place: Vec3) -> bool {
        if sources.is_empty() {
            return false;
        }
        let (Some(spline), Some(nearest)) = (splines.at(place), splines.nearest_node(place)) else {
            return false;
        };
        let mut strongest = 0.0_f32;
        spline.for_each_node(|index, _| strongest = strongest.max(sources[index].w));
        strongest > 0.0 && strongest > FADED * self.strongest.at(shape, nearest)
    }
}

/// Where the vorton of a node is born: at the node, but in a flat cloud in its plane, and only for the nodes next to it.
fn birthplace(node: Vec3, spacing: f32, span: Span) -> Option<Vec3> {
    match span {
        Span::Volume => Some(node),
        Span::Plane { point, normal } => {
            // Along the axis nearest to the normal: each column of nodes then has one that is within half a spacing.
            let axis = normal.abs().max_position();
            let distance = (point - node).dot(normal) / normal[axis];
            let mut place = node;
            place[axis] += distance;
            (-0.5 * spacing <= distance && distance < 0.5 * spacing).then_some(place)
        }
        Span::Line => None,
    }
}

/// Vortons of the halo that no source reaches, and who is around them.
struct Idle<'a> {
    neighbours: &'a Neighbours,
    /// Per row.
    rows: &'a [bool],
    /// Square of how far around reaches \[m²\].
    reach2: f32,
}

impl Idle<'_> {
    /// Calls `visit(row, block)` for each, with the block that knows its neighbours.
    fn for_each(&self, mut visit: impl FnMut(usize, &Block)) {
        for start in (0..self.neighbours.len()).step_by(NEIGHBOUR_CHUNK) {
            for block in self.neighbours.blocks(start) {
                let rows = block.targets().map(|i| self.neighbours.particle(i));
                rows.filter(|&row| self.rows[row]).for_each(|row| visit(row, block));
            }
        }
    }

    /// Calls `visit(other, weight)` for the others around this one, with weights from 1 (at the same place) to 0.
    fn around(&self, positions: &Vec3Columns, row: usize, block: &Block, mut visit: impl FnMut(usize, f32)) {
        let place = positions.get(row);
        for other in block.sources().flatten().map(|i| self.neighbours.particle(i)) {
            let near = 1.0 - positions.get(other).distance_squared(place) / self.reach2;
            if near > 0.0 && other != row {
                // Steep, so that what is handed over stays where it is.
                visit(other, near.powi(4));
            }
        }
    }

    /// Those are to go that carry next to nothing beside the most that one of the others around carries.
    fn judge(&self, vortons: &Vortons, going: &mut [bool]) {
        self.for_each(|row, block| {
            let (mut strength2, mut mass, mut dye) = (0.0_f32, 0.0_f32, 0.0_f32);
            self.around(&vortons.positions, row, block, |other, _| {
                strength2 = strength2.max(vortons.strengths.get(other).length_squared());
                mass = mass.max(vortons.mass_deviations[other].abs());
                dye = dye.max(vortons.dyes[other].abs());
            });
            going[row] = vortons.strengths.get(row).length() <= SPENT * strength2.sqrt()
                && vortons.mass_deviations[row].abs() <= SPENT * mass
                && vortons.dyes[row].abs() <= SPENT * dye;
        });
    }

    /// Those around that stay get what the others had, the near ones most. Who has something and nobody to leave it to stays.
    fn hand_over(&self, vortons: &mut Vortons, going: &mut [bool]) {
        self.for_each(|row, block| {
            let Vorton { strength, mass_deviation, dye, .. } = vortons.get(row);
            if !going[row] || (strength == Vec3::ZERO && mass_deviation == 0.0 && dye == 0.0) {
                return;
            }
            let mut sum = 0.0;
            self.around(&vortons.positions, row, block, |other, weight| {
                sum += if going[other] { 0.0 } else { weight };
            });
            if sum == 0.0 {
                going[row] = false;
                return;
            }
            let Vortons { positions, strengths, mass_deviations, dyes, .. } = &mut *vortons;
            self.around(positions, row, block, |other, weight| {
                if !going[other] {
                    let share = weight / sum;
                    strengths.set(other, strengths.get(other) + strength * share);
                    mass_deviations[other] += mass_deviation * share;
                    dyes[other] += dye * share;
                }
            });
        });
    }
}

/// The strongest source around each node: about 10 nodes to either side, along each axis. A local measure, so that
/// what happens far away, however strong, decides nothing here.
#[derive(Debug, Clone, Default)]
struct Surroundings {
    /// Lattice point of the first coarse node, and how many there are.
    first: IVec3,
    dims: [usize; 3],
    /// Largest |S| within half a coarse cell of each coarse node, both ends included.
    near: Vec<f32>,
    /// Largest of `near` within [`REACH`] coarse nodes.
    around: Vec<f32>,
}

/// Distance of coarse nodes \[nodes\]. They are multiples of it on the lattice, not in the box: what a node finds must not depend on
/// where the box begins, or mirror images would differ.
const COARSE: i32 = 4;
/// \[coarse nodes\].
const REACH: usize = 2;

impl Surroundings {
    fn find(&mut self, exec: &dyn Executor, shape: &GridShape, sources: &[Vec4]) {
        let fine = shape.dims_usize();
        let low = shape.first().to_array();
        self.first = IVec3::from_array(low.map(|v| v.div_euclid(COARSE)));
        let first = self.first.to_array();
        // Enough wherever the box begins, so that moving it needs no memory.
        self.dims = fine.map(|n| n.div_ceil(COARSE as usize) + 2);
        let dims = self.dims;
        let [nx, ny, nz] = dims;
        for values in [&mut self.near, &mut self.around] {
            values.resize(nx * ny * nz, 0.0);
        }
        for_each_chunk_mut(exec, nx * ny, self.near.as_mut_slice(), &|start, plane: &mut [f32]| {
            let reach = |coarse: usize, axis: usize| {
                let centre = (first[axis] + coarse as i32) * COARSE - low[axis];
                let inside = |node: i32| node.clamp(0, fine[axis] as i32) as usize;
                inside(centre - COARSE / 2)..inside(centre + COARSE / 2 + 1)
            };
            let ks = reach(start / (nx * ny), 2);
            for (at, value) in plane.iter_mut().enumerate() {
                *value = 0.0;
                for k in ks.clone() {
                    for j in reach(at / nx, 1) {
                        let row = (k * fine[1] + j) * fine[0];
                        let is = reach(at % nx, 0);
                        for source in &sources[row + is.start..row + is.end] {
                            *value = value.max(source.w);
                        }
                    }
                }
            }
        });
        let near = &self.near;
        for_each_chunk_mut(exec, nx * ny, self.around.as_mut_slice(), &|start, plane: &mut [f32]| {
            let reach = |at: usize, axis: usize| at.saturating_sub(REACH)..(at + REACH + 1).min(dims[axis]);
            for (at, value) in plane.iter_mut().enumerate() {
                *value = 0.0;
                for k in reach(start / (nx * ny), 2) {
                    for j in reach(at / nx, 1) {
                        for i in reach(at % nx, 0) {
                            *value = value.max(near[i + nx * (j + ny * k)]);
                        }
                    }
                }
            }
        });
    }

    /// The strongest source around a node, given by its element.
    fn at(&self, shape: &GridShape, index: usize) -> f32 {
        let [fx, fy, _] = shape.dims_usize();
        let fine = [index % fx, index / fx % fy, index / (fx * fy)];
        let (low, first) = (shape.first().to_array(), self.first.to_array());
        // One coarse node if it is at a coarse node, both if it is between two.
        let ends: [[usize; 2]; 3] = std::array::from_fn(|a| {
            let lattice = low[a] + fine[a] as i32;
            [lattice.div_euclid(COARSE), (lattice + COARSE - 1).div_euclid(COARSE)]
                .map(|coarse| (coarse - first[a]) as usize)
        });
        let [nx, ny, _] = self.dims;
        let mut strongest = 0.0_f32;
        for k in ends[2] {
            for j in ends[1] {
                for i in ends[0] {
                    strongest = strongest.max(self.around[i + nx * (j + ny * k)]);
                }
            }
        }
        strongest
    }
}
