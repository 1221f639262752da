//! Neutral vortons that are added and removed around density differences.
//!
//! A vorton only receives the source near it, and about half of a density gradient lies outside the vortons
//! that carry the mass: a drop without a halo gets a quarter to a half of its buoyancy (validation D2, B1).

use super::baroclinic::Baroclinic;
use crate::constants::PARTICLE_CHUNK;
use crate::density::{Dimensionality, ScalarGrid};
use crate::grid::{GridShape, Splines};
use crate::math::Vec3Columns;
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use crate::particles::{Vorton, Vortons};
use fluid_threads::{Executor, Parts, for_each_chunk_mut};
use glam::{IVec3, Vec3, Vec4};

/// Upkeep of neutral vortons at the nodes where density makes vorticity (E30).
#[derive(Debug, Clone, Default)]
pub struct Halo {
    strongest: StrongestSources,
    steps: u32,
    /// Vortons to be added in this step, in node order.
    births: Vec<Birth>,
    /// Index in `births` of the first one of each plane of a box's nodes, and the end of the last.
    plane_starts: Vec<u32>,
    /// Per vorton: `idle` marks halo vortons that no source reaches or that are in overfilled fluid, `going`
    /// those to be removed.
    idle: Vec<bool>,
    going: Vec<bool>,
    /// `going` in the order of `neighbours`.
    judged: Vec<bool>,
}

crate::saved::fields!(Halo { steps } not { strongest, births, plane_starts, idle, going, judged });

/// Counts of one call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HaloReport {
    /// Vortons added.
    pub born: usize,
    /// Vortons not added because `max_vortons` was reached.
    pub refused: usize,
    /// Vortons removed.
    pub retired: usize,
    /// Least source for which a vorton was added, over the strongest one nearby \[1\]: [`LEAST_SHARE`] if
    /// there was capacity for all of them.
    pub threshold: f32,
}

/// A vorton to be added.
#[derive(Debug, Clone, Copy, Default)]
struct Birth {
    /// Its box: 0 is the grid, 1 the first of its others.
    grid: u32,
    /// Its node.
    index: u32,
    /// The node's source over the strongest one nearby \[1\].
    share: f32,
    position: Vec3,
}

/// A node gets a vorton if less than this fraction of its cell is filled \[1\]. Not a quarter: the edge of a
/// lattice between nodes fills exactly that, and rounding would decide.
const FILLED: f32 = 0.2;

/// Sources below this fraction of the strongest one nearby are left to existing vortons \[1\].
pub const LEAST_SHARE: f32 = 0.02;

/// A halo vorton may be removed if sources around it are below this fraction of the strongest one nearby
/// \[1\]: a quarter of the threshold for adding one, as hysteresis.
const FADED: f32 = 0.25 * LEAST_SHARE;

/// It may also be removed if vortons fill this many times the available volume \[1\]: the flow has led them
/// together, and others are added in the space that they have left. In a tank that is stirred for long their
/// number would keep growing.
const CROWDED: f32 = 1.4;

/// Upper bound of its strength, over the largest of a vorton nearby \[1\]. Nearby vortons receive it.
/// Compared with 2 %, a drop that has fallen six radii keeps 15 % fewer vortons, and impulse, energy and fall
/// differ by less than 1 %.
const SPENT: f32 = 0.1;

/// The same bound for its mass and its dye \[1\]: smaller, because moving mass moves its centre.
const SPENT_CONTENT: f32 = 0.02;

/// Steps between two searches for removable vortons \[steps\]: a search costs about as much as the rest of
/// the halo.
const RETIREMENT_INTERVAL: u32 = 8;

/// Most candidates tested as neighbours of a vorton \[particles\]: there are 27 × 4³ without overlap, and any
/// number where vortons overlap.
const MOST_AROUND: usize = 4096;

/// Radius within which vortons are nearby \[spacings\].
const NEARBY_RADIUS: f32 = 4.0;

impl Halo {
    /// Reserves memory for `capacity` vortons, once.
    pub fn reserve(&mut self, capacity: usize) {
        if self.idle.capacity() < capacity {
            for column in [&mut self.idle, &mut self.going, &mut self.judged] {
                column.reserve(capacity - column.len());
            }
            self.births.reserve(capacity);
        }
    }

    /// Adds vortons on nodes that are not `covered` by a body, in node order, and removes those no longer
    /// needed, until there are `most` vortons. Σ α, Σ m' and Σ dye are conserved.
    pub fn keep_up(
        &mut self,
        exec: &dyn Executor,
        (grid, source): (&ScalarGrid, &Baroclinic),
        covered: &dyn Fn(Vec3) -> bool,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
        most: usize,
    ) -> HaloReport {
        self.steps = self.steps.wrapping_add(1) % RETIREMENT_INTERVAL;
        let looks = self.steps == 0 && self.find_idle(exec, (grid, source), vortons);
        let around = NEARBY_RADIUS * grid.shape().spacing();
        let retired = if looks { self.retire(exec, around, neighbours, vortons) } else { 0 };
        self.births.clear();
        for (number, (grid, source)) in boxes(grid, source).enumerate() {
            if !source.sources().is_empty() {
                self.find_births(exec, number, grid, source, covered);
            }
        }
        let room = most.saturating_sub(vortons.len());
        let threshold = threshold(&self.births, room);
        let mut report = HaloReport { retired, threshold, ..HaloReport::default() };
        for &Birth { grid: number, index, share, position } in &self.births {
            if share < threshold {
                report.refused += 1;
                continue;
            }
            let Some((grid, source)) = boxes(grid, source).nth(number as usize) else { continue };
            let index = index as usize;
            let volume = Sublattice::new(grid.shape(), source).empty_volume(grid.nodes(), index);
            let age = age_around(grid, index);
            vortons.push(Vorton { position, volume, age, halo: true, ..Vorton::default() });
            report.born += 1;
        }
        report
    }

    /// Finds the vortons to add in one box: on each node of the sublattice with a source but without fluid to
    /// take it up.
    fn find_births(
        &mut self,
        exec: &dyn Executor,
        number: usize,
        grid: &ScalarGrid,
        source: &Baroclinic,
        covered: &dyn Fn(Vec3) -> bool,
    ) {
        let shape = grid.shape();
        let cell = shape.cell_volume();
        let (sources, dimensionality, nodes) = (source.sources(), source.dimensionality(), grid.nodes());
        self.strongest.find(exec, shape, source);
        let (sublattice, strongest) = (Sublattice::new(shape, source), &self.strongest);
        let birth = |index: usize| {
            let (node, source) = (nodes[index], sources[index]);
            if source.w == 0.0 || node.y >= FILLED * cell || !sublattice.contains(index) {
                return None;
            }
            let share = relative_source(source.w, strongest.at(shape, index))?;
            let position = birthplace(shape.position(index), shape.spacing(), dimensionality)?;
            Some(Birth { grid: number as u32, index: index as u32, share, position })
        };
        let births = |k: usize| {
            let nodes = source.filled().of_plane(k).flatten();
            nodes.filter_map(move |i| birth(k * shape.plane_len() + i))
        };
        // Counted first, to find the range of each plane.
        let (planes, starts) = (shape.dims_usize()[2], &mut self.plane_starts);
        starts.resize(1 + planes, 0);
        for_each_chunk_mut(exec, 1, &mut starts[1..], &|k, count: &mut [u32]| {
            count[0] = births(k).count() as u32;
        });
        for k in 0..planes {
            starts[k + 1] += starts[k];
        }
        let first = self.births.len();
        self.births.resize(first + starts[planes] as usize, Birth::default());
        let columns = Parts::new(&mut self.births[first..], starts);
        for_each_chunk_mut(exec, 1, columns, &|k, part: &mut [Birth]| {
            part.iter_mut().zip(births(k)).for_each(|(to, birth)| *to = birth);
        });
        let mut kept = first;
        for i in first..self.births.len() {
            if !covered(self.births[i].position) {
                self.births.swap(kept, i);
                kept += 1;
            }
        }
        self.births.truncate(kept);
    }

    /// Marks halo vortons that no source reaches or that are in overfilled fluid; true if there are any.
    fn find_idle(
        &mut self,
        exec: &dyn Executor,
        (grid, source): (&ScalarGrid, &Baroclinic),
        vortons: &Vortons,
    ) -> bool {
        self.idle.clear();
        self.idle.extend(
            (0..vortons.len()).map(|row| {
                vortons.halos[row] && !vortons.rims[row] && vortons.positions.get(row).is_finite()
            }),
        );
        for (grid, source) in boxes(grid, source) {
            if source.sources().is_empty() {
                continue;
            }
            let (shape, splines) = (grid.shape(), Splines::new(grid.shape()));
            self.strongest.find(exec, shape, source);
            let strongest = &self.strongest;
            for_each_chunk_mut(
                exec,
                PARTICLE_CHUNK,
                self.idle.as_mut_slice(),
                &|first, idle: &mut [bool]| {
                    for (row, idle) in (first..).zip(idle) {
                        let place = vortons.positions.get(row);
                        *idle = *idle
                            && (is_crowded(grid, &splines, place)
                                || !strongest.feeds(shape, &splines, source.sources(), place));
                    }
                },
            );
        }
        self.idle.contains(&true)
    }

    /// Removes those of the marked vortons that carry next to nothing, and distributes that to the remaining
    /// vortons within `around` \[m\].
    fn retire(
        &mut self,
        exec: &dyn Executor,
        around: f32,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
    ) -> usize {
        let positions = &vortons.positions;
        let finite = (0..vortons.len()).filter(|&row| positions.get(row).is_finite());
        neighbours.sort(exec, around, finite, |row| positions.get(row));
        // All decisions use the values before any transfer, so they do not depend on the order of rows.
        self.going.clear();
        self.going.resize(vortons.len(), false);
        self.judged.resize(neighbours.len(), false);
        let idle = Idle { neighbours, rows: &self.idle, reach2: around * around };
        idle.judge(exec, vortons, &mut self.judged);
        for (i, &goes) in self.judged.iter().enumerate() {
            self.going[neighbours.particle(i)] = goes;
        }
        idle.hand_over(vortons, &mut self.going);
        let going = &self.going;
        vortons.retain(|_, row| !going[row])
    }
}

/// True if the vortons around this point fill more than [`CROWDED`] times the available volume.
fn is_crowded(grid: &ScalarGrid, splines: &Splines, place: Vec3) -> bool {
    let Some(spline) = splines.at(place) else { return false };
    let mut filled = 0.0;
    spline.for_each_node(|index, weight| filled += weight * grid.nodes()[index].y);
    filled > CROWDED * grid.shape().cell_volume()
}

/// Returns the position of a node's new vorton: at the node or, in a flat cloud, in its plane, if the node is
/// next to it.
fn birthplace(node: Vec3, spacing: f32, dimensionality: Dimensionality) -> Option<Vec3> {
    match dimensionality {
        Dimensionality::Volume => Some(node),
        Dimensionality::Plane { point, normal } => {
            // Along the axis nearest to the normal: each column of nodes then has one within half a spacing.
            let axis = normal.abs().max_position();
            let distance = (point - node).dot(normal) / normal[axis];
            let mut place = node;
            place[axis] += distance;
            (-0.5 * spacing <= distance && distance < 0.5 * spacing).then_some(place)
        }
        Dimensionality::Line => None,
    }
}

/// The boxes of a grid, each with its sources.
fn boxes<'a>(
    grid: &'a ScalarGrid,
    source: &'a Baroclinic,
) -> impl Iterator<Item = (&'a ScalarGrid, &'a Baroclinic)> {
    std::iter::once((grid, source)).chain(grid.others().iter().zip(source.others()))
}

/// Returns the mean age \[s\], by volume, of the fluid within the reach from which mass contributes to a
/// node's source.
fn age_around(grid: &ScalarGrid, index: usize) -> f32 {
    let [nx, ny, nz] = grid.shape().dims_usize();
    let [i, j, k] = [index % nx, index / nx % ny, index / (nx * ny)];
    let near = |at: usize, n: usize| at.saturating_sub(SOURCE_REACH)..(at + SOURCE_REACH + 1).min(n);
    let (mut volume, mut aged) = (0.0_f32, 0.0_f32);
    for k in near(k, nz) {
        for j in near(j, ny) {
            for node in &grid.nodes()[grid.shape().index(0, j, k)..][near(i, nx)] {
                volume += node.y;
                aged += node.w;
            }
        }
    }
    let age = aged / volume;
    if age.is_finite() { age } else { 0.0 }
}

/// Returns a source relative to the strongest nearby, if it is large enough for a vorton. That of sources
/// that overflow is NaN, which no threshold would refuse.
fn relative_source(source: f32, strongest: f32) -> Option<f32> {
    Some(source / strongest).filter(|&share| share > LEAST_SHARE)
}

/// Returns the least relative source that gets a vorton if at most `room` vortons may be added. Equal sources
/// are treated alike.
fn threshold(births: &[Birth], room: usize) -> f32 {
    if births.len() <= room {
        return LEAST_SHARE;
    }
    let mut counts = [0_usize; SHARE_BINS];
    births.iter().for_each(|birth| counts[share_bin(birth.share)] += 1);
    let mut fitting = 0;
    let full = (0..SHARE_BINS).rev().find(|&bin| {
        fitting += counts[bin];
        fitting > room
    });
    f32::from_bits((full.map_or(0, |bin| bin as u32 + 1) << SHARE_DIGITS) + SHARE_FLOOR)
}

/// Returns the bin of a relative source on a logarithmic scale: its exponent and the first digits of its
/// mantissa.
fn share_bin(share: f32) -> usize {
    ((share.to_bits().saturating_sub(SHARE_FLOOR) >> SHARE_DIGITS) as usize).min(SHARE_BINS - 1)
}

/// Digits of the mantissa within a bin: 64 bins for each factor of two.
const SHARE_DIGITS: u32 = 17;

/// The bits of the least share, without those digits.
const SHARE_FLOOR: u32 = LEAST_SHARE.to_bits() >> SHARE_DIGITS << SHARE_DIGITS;

/// Bins from the least share to 1.
const SHARE_BINS: usize = ((1.0_f32.to_bits() - SHARE_FLOOR) >> SHARE_DIGITS) as usize + 1;

/// Distance in nodes within which mass contributes to a source.
const SOURCE_REACH: usize = 2;

/// The nodes that may get halo vortons: every fourth node, in a body-centred lattice, or in a flat cloud
/// every second column of nodes, in a checkerboard. Lattice coordinates count, not those in the box, so that
/// the box may move and mirror images stay mirror images.
///
/// Beside walls it is every node: density is mass over volume there, and vortons of unequal volumes make it
/// uneven (a drop in a tank then gets 3.8 % too much of its weight, with every node 2 %).
struct Sublattice<'a> {
    shape: &'a GridShape,
    kind: SublatticeKind,
}

enum SublatticeKind {
    BodyCentred,
    /// Columns along this axis.
    Checkerboard(usize),
    Whole,
}

impl<'a> Sublattice<'a> {
    fn new(shape: &'a GridShape, source: &Baroclinic) -> Self {
        let kind = match source.dimensionality() {
            _ if source.is_walled() => SublatticeKind::Whole,
            Dimensionality::Plane { normal, .. } => SublatticeKind::Checkerboard(normal.abs().max_position()),
            Dimensionality::Volume | Dimensionality::Line => SublatticeKind::BodyCentred,
        };
        Self { shape, kind }
    }

    fn contains(&self, index: usize) -> bool {
        let [nx, ny, _] = self.shape.dims_usize();
        let node = [index % nx, index / nx % ny, index / (nx * ny)];
        let odd: [bool; 3] =
            std::array::from_fn(|a| (self.shape.first()[a] as i64 + node[a] as i64).rem_euclid(2) == 1);
        match self.kind {
            SublatticeKind::BodyCentred => odd[0] == odd[1] && odd[1] == odd[2],
            SublatticeKind::Checkerboard(axis) => odd[(axis + 1) % 3] == odd[(axis + 2) % 3],
            SublatticeKind::Whole => true,
        }
    }

    /// Returns the unfilled volume \[m³\] of the node and of its part of the nodes outside the sublattice;
    /// each of these has two face neighbours in the body-centred lattice. The space between the columns of a
    /// flat cloud is assumed to be as empty as the column.
    fn empty_volume(&self, nodes: &[Vec4], index: usize) -> f32 {
        let cell = self.shape.cell_volume();
        let empty = |node: usize| (cell - nodes[node].y).max(0.0);
        match self.kind {
            SublatticeKind::Whole => empty(index),
            SublatticeKind::Checkerboard(_) => 2.0 * empty(index),
            SublatticeKind::BodyCentred => {
                let [nx, _, _] = self.shape.dims_usize();
                let around = [1, nx, self.shape.plane_len()];
                let pair = |stride: &usize| empty(index - stride) + empty(index + stride);
                empty(index) + 0.5 * around.iter().map(pair).sum::<f32>()
            }
        }
    }
}

/// Idle vortons of the halo, and the vortons near them.
struct Idle<'a> {
    neighbours: &'a Neighbours,
    /// Per row: true if idle.
    rows: &'a [bool],
    /// Square of the radius within which vortons are nearby \[m²\].
    reach2: f32,
}

impl Idle<'_> {
    /// Calls `visit(row, block)` for each idle vorton, with the block of its neighbours.
    fn for_each(&self, mut visit: impl FnMut(usize, &Block)) {
        for start in (0..self.neighbours.len()).step_by(NEIGHBOUR_CHUNK) {
            for block in self.neighbours.blocks(start) {
                let rows = block.targets().map(|i| self.neighbours.particle(i));
                rows.filter(|&row| self.rows[row]).for_each(|row| visit(row, &block));
            }
        }
    }

    /// Calls `visit(other, weight)` for each other vorton nearby, with weights from 1 (at the same position)
    /// to 0.
    fn around(&self, positions: &Vec3Columns, row: usize, block: &Block, mut visit: impl FnMut(usize, f32)) {
        let place = positions.get(row);
        for other in block.sources().flatten().take(MOST_AROUND).map(|i| self.neighbours.particle(i)) {
            let near = self.nearness(positions, place, other);
            if near > 0.0 && other != row {
                // Steep, so that transferred amounts stay near their origin.
                visit(other, near.powi(4));
            }
        }
    }

    /// Returns 1 for a vorton at `place` \[m\], falling to 0 at the radius within which vortons are nearby.
    #[inline]
    fn nearness(&self, positions: &Vec3Columns, place: Vec3, other: usize) -> f32 {
        1.0 - positions.get(other).distance_squared(place) / self.reach2
    }

    /// Marks, in the order of neighbours, the idle vortons with at most [`SPENT`] of the largest strength and
    /// [`SPENT_CONTENT`] of the largest mass, dye and fuel among the vortons nearby.
    fn judge(&self, exec: &dyn Executor, vortons: &Vortons, judged: &mut [bool]) {
        let is_spent = |row: usize, block: &Block| {
            let own = vortons.get(row);
            let [strength, mass, dye] = [own.strength.length(), own.mass_deviation.abs(), own.dye.abs()];
            let (mut most_strength2, mut most_mass, mut most_dye, mut most_fuel) = (0.0, 0.0, 0.0, 0.0);
            let place = own.position;
            block.sources().flatten().take(MOST_AROUND).any(|i| {
                let other = self.neighbours.particle(i);
                if self.nearness(&vortons.positions, place, other) > 0.0 && other != row {
                    most_strength2 = vortons.strengths.get(other).length_squared().max(most_strength2);
                    most_mass = vortons.mass_deviations[other].abs().max(most_mass);
                    most_dye = vortons.dyes[other].abs().max(most_dye);
                    most_fuel = vortons.fuels[other].max(most_fuel);
                }
                // Of most idle vortons a few neighbours decide.
                strength <= SPENT * most_strength2.sqrt()
                    && mass <= SPENT_CONTENT * most_mass
                    && dye <= SPENT_CONTENT * most_dye
                    && own.fuel <= SPENT_CONTENT * most_fuel
            })
        };
        for_each_chunk_mut(exec, NEIGHBOUR_CHUNK, judged, &|start, judged: &mut [bool]| {
            for block in self.neighbours.blocks(start) {
                for i in block.targets() {
                    let row = self.neighbours.particle(i);
                    judged[i - start] = self.rows[row] && is_spent(row, &block);
                }
            }
        });
    }

    /// Distributes the contents of removed vortons to the remaining ones nearby, weighted by distance. A
    /// vorton with contents but without remaining neighbours is kept.
    fn hand_over(&self, vortons: &mut Vortons, going: &mut [bool]) {
        self.for_each(|row, block| {
            let Vorton { strength, mass_deviation, dye, fuel, .. } = vortons.get(row);
            let is_empty = strength == Vec3::ZERO && [mass_deviation, dye, fuel] == [0.0; 3];
            if !going[row] || is_empty {
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
            let Vortons { positions, strengths, mass_deviations, dyes, fuels, .. } = &mut *vortons;
            self.around(positions, row, block, |other, weight| {
                if !going[other] {
                    let share = weight / sum;
                    strengths.set(other, strengths.get(other) + strength * share);
                    mass_deviations[other] += mass_deviation * share;
                    dyes[other] += dye * share;
                    fuels[other] += fuel * share;
                }
            });
        });
    }
}

/// The strongest source around each node: within about 10 nodes to either side, along each axis. A local
/// measure, so that distant sources of any strength have no effect here.
#[derive(Debug, Clone, Default)]
struct StrongestSources {
    /// Lattice coordinates of the first coarse node, and numbers of coarse nodes.
    first: IVec3,
    dims: [usize; 3],
    /// Largest |S| within half a coarse cell of each coarse node, both ends included.
    near: Vec<f32>,
    /// Largest of `near` within [`COARSE_REACH`] coarse nodes, and scratch for it.
    around: Vec<f32>,
    along: Vec<f32>,
}

/// Raises each value to the other one if that is larger.
fn raise(values: &mut [f32], others: &[f32]) {
    values.iter_mut().zip(others).for_each(|(value, other)| *value = value.max(*other));
}

/// Distance of coarse nodes \[nodes\]. They are at multiples of it on the lattice, not in the box: results
/// must not depend on where the box begins, or mirror images would differ.
const COARSE: i32 = 4;
/// Half-width of the neighbourhood \[coarse nodes\].
const COARSE_REACH: usize = 2;

impl StrongestSources {
    fn find(&mut self, exec: &dyn Executor, shape: &GridShape, source: &Baroclinic) {
        let (sources, filled) = (source.sources(), source.filled());
        let fine = shape.dims_usize();
        let low = shape.first().to_array();
        self.first = IVec3::from_array(low.map(|v| v.div_euclid(COARSE)));
        let first = self.first.to_array();
        // Sufficient for any start of the box, so that moving it needs no memory.
        self.dims = fine.map(|n| n.div_ceil(COARSE as usize) + 2);
        let dims = self.dims;
        let [nx, ny, nz] = dims;
        for values in [&mut self.near, &mut self.around, &mut self.along] {
            values.resize(nx * ny * nz, 0.0);
        }
        for_each_chunk_mut(exec, nx * ny, self.near.as_mut_slice(), &|start, plane: &mut [f32]| {
            let reach = |coarse: usize, axis: usize| {
                let centre = (first[axis] + coarse as i32) * COARSE - low[axis];
                let inside = |node: i32| node.clamp(0, fine[axis] as i32) as usize;
                inside(centre - COARSE / 2)..inside(centre + COARSE / 2 + 1)
            };
            plane.fill(0.0);
            for k in reach(start / (nx * ny), 2) {
                for (coarse, values) in plane.chunks_exact_mut(nx).enumerate() {
                    for j in reach(coarse, 1).filter(|&j| filled.has(j, k)) {
                        let row = &sources[(k * fine[1] + j) * fine[0]..][..fine[0]];
                        for (i, value) in values.iter_mut().enumerate() {
                            *value = row[reach(i, 0)].iter().fold(*value, |most, source| most.max(source.w));
                        }
                    }
                }
            }
        });
        // One axis after the other: along z, x and y.
        let near = &self.near;
        let columns = (self.around.as_mut_slice(), self.along.as_mut_slice());
        for_each_chunk_mut(exec, nx * ny, columns, &|start, (around, along): (&mut [f32], &mut [f32])| {
            let reach = |at: usize, axis: usize| {
                at.saturating_sub(COARSE_REACH)..(at + COARSE_REACH + 1).min(dims[axis])
            };
            around.fill(0.0);
            for k in reach(start / (nx * ny), 2) {
                raise(around, &near[k * nx * ny..][..nx * ny]);
            }
            for (most, values) in along.chunks_exact_mut(nx).zip(around.chunks_exact(nx)) {
                for (i, most) in most.iter_mut().enumerate() {
                    *most = values[reach(i, 0)].iter().copied().fold(0.0, f32::max);
                }
            }
            for (j, most) in around.chunks_exact_mut(nx).enumerate() {
                most.fill(0.0);
                for j in reach(j, 1) {
                    raise(most, &along[j * nx..][..nx]);
                }
            }
        });
    }

    /// True if a source above [`FADED`] reaches this point.
    fn feeds(&self, shape: &GridShape, splines: &Splines, sources: &[Vec4], place: Vec3) -> bool {
        let (Some(spline), Some(nearest)) = (splines.at(place), splines.nearest_node(place)) else {
            return false;
        };
        let mut strongest = 0.0_f32;
        spline.for_each_node(|index, _| strongest = strongest.max(sources[index].w));
        strongest > 0.0 && strongest > FADED * self.at(shape, nearest)
    }

    /// Returns the strongest source around a node, given by its index.
    fn at(&self, shape: &GridShape, index: usize) -> f32 {
        let [fx, fy, _] = shape.dims_usize();
        let fine = [index % fx, index / fx % fy, index / (fx * fy)];
        let (low, first) = (shape.first().to_array(), self.first.to_array());
        // One coarse node if the node is at it, both if it is between two.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_that_overflow_get_no_vorton() {
        for (source, strongest) in [(f32::INFINITY, f32::INFINITY), (f32::NAN, 1.0), (0.0, 0.0)] {
            assert_eq!(relative_source(source, strongest), None);
        }
        assert_eq!(relative_source(LEAST_SHARE, 1.0), None);
        assert_eq!(relative_source(1.0, 2.0), Some(0.5));
    }
}
