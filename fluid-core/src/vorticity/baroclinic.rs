//! Baroclinic generation of vorticity by density gradients (E28): the source on nodes, and its distribution
//! to vortons (E29).

mod saving;

use super::mass_differences::{DIFFERENCE_REACH, difference_planes, sharpen_in_planes};
use crate::boundary::walls::WallNodes;
use crate::constants::PARTICLE_CHUNK;
use crate::density::{Dimensionality, ScalarGrid};
use crate::grid::{FilledRows, GridShape, deposit, return_sources};
use crate::lanes::LaneBlock;
use crate::math::{PlaceMoments, all, at_least, exactly};
use crate::particles::Vortons;
use crate::velocity::Scratch;
use fluid_threads::{Executor, Rows, for_each_chunk_mut, reduce_ordered};
use glam::{DVec3, Vec3, Vec4};

/// The baroclinic term, on nodes and at vortons.
#[derive(Debug, Clone)]
pub struct Baroclinic {
    /// False if there is no source: the nodes below are then outdated.
    active: bool,
    /// True if walls affected the last source.
    walled: bool,
    dimensionality: Dimensionality,
    /// Nodes with a source, nodes that distribute it, and nodes to which it is moved.
    filled: FilledRows,
    /// Per node: source S \[m³/s²\] and its length.
    sources: Vec<Vec4>,
    /// Per node: true if vortons near it can receive its source and it is not on a face.
    gives: Vec<bool>,
    /// Per plane: number of nodes that pass their source to neighbours.
    donor_counts: Vec<u32>,
    /// Holds masses while the source is computed, and the nodes of [`DistributionScratch`] while it is
    /// distributed.
    scratch: Scratch,
    rates: Vec<Vec3>,
    dimension_sums: Vec<PlaceMoments>,
    totals: Vec<SourceTotals>,
    /// The same for the grid's other boxes.
    others: Vec<Baroclinic>,
}

/// Forces that act on density differences.
#[derive(Debug, Clone, Copy)]
pub struct Forces<'a> {
    /// Acceleration of gravity g \[m/s²\].
    pub gravity: Vec3,
    /// Reference density ρ₀ \[kg/m³\].
    pub density: f32,
    /// Effect of walls on the nodes, if there are any.
    pub walls: &'a WallNodes,
}

/// Least deposited volume of a node that distributes its source, over its cell's volume \[1\]. Only keeps S/V
/// finite in `f32`.
const LEAST_VOLUME: f32 = 1e-6;

/// Gravity counts as normal to a flat cloud if its part along the cloud is below this fraction of it \[1\]:
/// normals have an error of about a thousandth of a spacing over the size of the cloud.
const ALONG_NORMAL: f32 = 1e-4;

type CorrectedChunk<'a> = (&'a mut [Vec3], &'a mut [Vec3]);
type DonorChunk<'a> = ((&'a mut [Vec3], &'a mut [Vec4]), (&'a mut [u32], &'a mut [u32]));

/// Working memory of the distribution, per node.
struct DistributionScratch<'a> {
    /// First the offset from the volume-weighted mean position of the vortons around the node to the node
    /// \[m\]. For a donor, a node without vortons that has neighbours with some: the source that each of
    /// those receives \[m³/s²\]. Finally the source per deposited volume \[1/s²\].
    arms: &'a mut [Vec4],
    /// Impulse \[m⁴/s²\] that the distribution would omit.
    missing: &'a mut [Vec3],
    /// The corrected source \[m³/s²\] to distribute.
    complete: &'a mut [Vec3],
    /// At the start of each plane: the indices of its donors within the plane.
    donors: &'a mut [u32],
}

impl<'a> DistributionScratch<'a> {
    /// Takes working memory for `nodes` nodes from `scratch`.
    fn new(scratch: &'a mut Scratch, nodes: usize) -> Self {
        let (numbers, vectors) = (LaneBlock::count_of::<u32>(nodes), LaneBlock::count_of::<Vec3>(nodes));
        let blocks = at_least(&mut scratch.blocks, numbers + 2 * vectors, LaneBlock::ZERO);
        let (donors, rest) = blocks.split_at_mut(numbers);
        let (missing, complete) = rest.split_at_mut(vectors);
        Self {
            arms: at_least(&mut scratch.nodes, nodes, Vec4::ZERO),
            missing: &mut LaneBlock::vectors_mut(missing)[..nodes],
            complete: &mut LaneBlock::vectors_mut(complete)[..nodes],
            donors: &mut LaneBlock::numbers_mut(donors)[..nodes],
        }
    }
}

/// A plane of nodes that receives the sources of donors.
struct Taken<'a> {
    walls: &'a WallNodes,
    /// First node of the plane.
    first: usize,
    gives: &'a [bool],
    complete: &'a mut [Vec3],
    missing: &'a mut [Vec3],
}

impl Taken<'_> {
    /// Adds `shares` of the donors of the plane that begins at node `plane`; `steps` lead from there to this
    /// plane.
    fn take(&mut self, plane: usize, donors: &[u32], shares: &[Vec4], steps: &[(isize, Vec3)]) {
        for &donor in donors {
            let from = plane + donor as usize;
            let share = shares[from].truncate();
            // Beside a wall, the wall takes up this impulse.
            let is_open = self.walls.fluid(from) == 1.0;
            for &(offset, step) in steps {
                let to = from.wrapping_add_signed(offset) - self.first;
                if self.gives[to] {
                    self.complete[to] += share;
                    if is_open {
                        self.missing[to] -= 0.5 * step.cross(share);
                    }
                }
            }
        }
    }
}

/// Sums over nodes.
#[derive(Debug, Clone, Copy, Default)]
struct SourceTotals {
    /// Σ |S|.
    length: f64,
    /// Σ |S| of nodes without vortons around them or their neighbours.
    lost_length: f64,
    /// Σ S and Σ |S| distributed to fluid outside containers.
    given: DVec3,
    given_length: f64,
    /// Σ |S| distributed to fluid in containers.
    held_length: f64,
}

impl Default for Baroclinic {
    fn default() -> Self {
        Self {
            active: false,
            walled: false,
            dimensionality: Dimensionality::Line,
            filled: FilledRows::default(),
            sources: Vec::new(),
            gives: Vec::new(),
            donor_counts: Vec::new(),
            scratch: Scratch::default(),
            rates: Vec::new(),
            dimension_sums: Vec::new(),
            totals: Vec::new(),
            others: Vec::new(),
        }
    }
}

impl Baroclinic {
    /// Reserves memory for `capacity` vortons.
    pub fn reserve(&mut self, capacity: usize) {
        self.rates.reserve(capacity.saturating_sub(self.rates.len()));
        self.dimension_sums.reserve(capacity.div_ceil(crate::constants::PARTICLE_CHUNK));
    }

    /// Moves the origin to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.dimensionality.shift_origin(origin);
        self.others.iter_mut().for_each(|other| other.shift_origin(origin));
    }

    /// Swaps the working memory with memory that is free meanwhile; called again to swap back.
    pub(crate) fn lend(&mut self, scratch: &mut Scratch) {
        std::mem::swap(&mut self.scratch, scratch);
    }

    /// Computes the source S = H³ ∇δρ × g/ρ₀ \[m³/s²\] of strength on each node (E28), next to walls with
    /// their correction (E42).
    ///
    /// In a flat cloud only the part of S along its normal is used; on a line S is 0.
    pub fn find_source(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        vortons: &Vortons,
        forces: Forces<'_>,
    ) {
        self.others.resize_with(grid.others().len(), Self::default);
        let without = WallNodes::default();
        for (index, (source, grid)) in self.others.iter_mut().zip(grid.others()).enumerate() {
            let walls = forces.walls.others().get(index).unwrap_or(&without);
            source.lend(&mut self.scratch);
            source.find_source(exec, grid, vortons, Forces { walls, ..forces });
            source.lend(&mut self.scratch);
        }
        let Forces { gravity, density, walls } = forces;
        let gravity_per_density = gravity / density;
        let massive = !all(&vortons.mass_deviations, |mass| mass == 0.0);
        self.active = false;
        self.walled = walls.is_active();
        if (gravity_per_density == Vec3::ZERO && !walls.is_active()) || grid.shape().is_empty() || !massive {
            return;
        }
        let shape = *grid.shape();
        self.dimensionality = Dimensionality::of(
            exec,
            &vortons.positions,
            grid.order().rows(),
            shape.spacing(),
            &mut self.dimension_sums,
        );
        let normal = match self.dimensionality {
            Dimensionality::Volume => None,
            Dimensionality::Plane { normal, .. } => {
                let along = gravity_per_density.reject_from_normalized(normal).length();
                if !walls.is_active() && along <= ALONG_NORMAL * gravity_per_density.length() {
                    return;
                }
                Some(normal)
            }
            Dimensionality::Line => return,
        };
        self.active = true;
        self.find_filled(exec, grid);
        // Mass deviations [kg], sharpened along x and y.
        let sharp =
            at_least(&mut self.scratch.blocks, LaneBlock::count_of::<f32>(shape.len()), LaneBlock::ZERO);
        let sharp = &mut LaneBlock::floats_mut(sharp)[..shape.len()];
        exactly(&mut self.sources, shape.len(), Vec4::ZERO);
        let filled = &self.filled;
        match walls.contents() {
            Some(contents) => sharpen_in_planes(exec, &shape, filled, contents, &|content| content.x, sharp),
            None => sharpen_in_planes(exec, &shape, filled, grid.nodes(), &|node| node.x, sharp),
        }
        let source = |source: Vec3| {
            let source = along(normal, source);
            let length = source.length();
            // Masses near the limit of `f32` have no finite gradient.
            if length.is_finite() { source.extend(length) } else { Vec4::ZERO }
        };
        // δρ = M/H³ and ∇ = difference/2H.
        if walls.is_active() {
            let per_density = 1.0 / (2.0 * shape.spacing() * density);
            let source = |node: usize, difference: Vec3| {
                source(walls.source(node, difference, walls.gravity(node) * per_density))
            };
            difference_planes(exec, &shape, filled, sharp, &source, &mut self.sources);
        } else {
            let factor = gravity_per_density / (2.0 * shape.spacing());
            let source = |_, difference: Vec3| source(difference.cross(factor));
            difference_planes(exec, &shape, filled, sharp, &source, &mut self.sources);
        }
    }

    /// Finds the nodes that may have or distribute a source: next to walls all of them.
    fn find_filled(&mut self, exec: &dyn Executor, grid: &ScalarGrid) {
        if self.walled {
            self.filled.fill(grid.shape());
        } else {
            // The curl of the impulse defect reaches one node further than differences.
            self.filled
                .find(exec, grid.shape(), grid.nodes(), DIFFERENCE_REACH + 1, &|node| *node != Vec4::ZERO);
        }
    }

    /// Distributes the nodal source to the vortons in proportion to deposited volume (E29), as
    /// [`rates`](Self::rates). They sum to zero to round-off, as Σ S does, except inside containers. Returns
    /// the fraction of Σ |S| that is lost \[1\], because there were no vortons around the node or its
    /// neighbours.
    pub fn give(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        walls: &WallNodes,
        vortons: &Vortons,
    ) -> f32 {
        let mut totals = self.give_in_box(exec, grid, walls, vortons);
        let without = WallNodes::default();
        for (index, (source, grid)) in self.others.iter_mut().zip(grid.others()).enumerate() {
            let walls = walls.others().get(index).unwrap_or(&without);
            source.lend(&mut self.scratch);
            let more = source.give_in_box(exec, grid, walls, vortons);
            source.lend(&mut self.scratch);
            totals = [totals[0] + more[0], totals[1] + more[1]];
            for_each_chunk_mut(
                exec,
                PARTICLE_CHUNK,
                self.rates.as_mut_slice(),
                &|first, rates: &mut [Vec3]| {
                    rates.iter_mut().zip(&source.rates[first..]).for_each(|(rate, more)| *rate += *more);
                },
            );
        }
        let [lost, length] = totals;
        if length > 0.0 { (lost / length) as f32 } else { 0.0 }
    }

    /// Distributes the source of one box; returns the lost and the total Σ |S|.
    fn give_in_box(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        walls: &WallNodes,
        vortons: &Vortons,
    ) -> [f64; 2] {
        self.rates.resize(vortons.len(), Vec3::ZERO);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, self.rates.as_mut_slice(), &|_, rates: &mut [Vec3]| {
            rates.fill(Vec3::ZERO);
        });
        if !self.active {
            return [0.0; 2];
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let work = DistributionScratch::new(&mut scratch, grid.shape().len());
        let given = self.give_with(exec, grid, walls, vortons, work);
        self.scratch = scratch;
        given
    }

    fn give_with(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        walls: &WallNodes,
        vortons: &Vortons,
        mut work: DistributionScratch<'_>,
    ) -> [f64; 2] {
        let shape = grid.shape();
        self.complete(exec, grid, walls, vortons, &mut work);
        let DistributionScratch { arms: shares, complete: sources, .. } = work;
        let (nodes, own, sources) = (grid.nodes(), &self.sources, &*sources);
        let (gives, filled, plane_len) = (&self.gives, &self.filled, shape.plane_len());
        let around = neighbours(shape);
        let totals = reduce_ordered(
            exec,
            nodes.len(),
            plane_len,
            SourceTotals::default(),
            &mut self.totals,
            &|plane| {
                let mut totals = SourceTotals::default();
                let nodes = filled.of_plane(plane.start / plane_len).flatten().map(|i| plane.start + i);
                for node in nodes.filter(|&node| sources[node] != Vec3::ZERO || own[node].w > 0.0) {
                    totals.length += f64::from(own[node].w);
                    if gives[node] && walls.holds(node) {
                        totals.held_length += f64::from(sources[node].length());
                    } else if gives[node] {
                        totals.given += sources[node].as_dvec3();
                        totals.given_length += f64::from(sources[node].length());
                    } else if own[node].w > 0.0
                        && !around.iter().any(|(offset, _)| gives[node.wrapping_add_signed(*offset)])
                    {
                        totals.lost_length += f64::from(own[node].w);
                    }
                }
                totals
            },
            SourceTotals::add,
        );
        if totals.given_length + totals.held_length == 0.0 {
            return [totals.length; 2];
        }
        // Lost sources leave a non-zero sum. Removing it in proportion to |S| changes each source by the lost
        // fraction at most.
        let surplus = if totals.given_length > 0.0 {
            (totals.given / totals.given_length).as_vec3()
        } else {
            Vec3::ZERO
        };
        for_each_chunk_mut(exec, plane_len, &mut *shares, &|first, plane: &mut [Vec4]| {
            for i in filled.of_plane(first / plane_len).flatten() {
                let (volume, source) = (nodes[first + i].y, sources[first + i]);
                plane[i] = if source != Vec3::ZERO && gives[first + i] {
                    let surplus = if walls.holds(first + i) { Vec3::ZERO } else { surplus };
                    ((source - surplus * source.length()) / volume).extend(0.0)
                } else {
                    Vec4::ZERO
                };
            }
        });
        return_sources(exec, shape, &vortons.positions, &vortons.volumes, shares, &mut self.rates);
        [totals.lost_length, totals.length]
    }

    /// Computes the corrected source of the nodes with vortons around (E29): their own source, that of
    /// neighbours without vortons, and the curl of the impulse defect due to vortons not being at the nodes.
    fn complete(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        walls: &WallNodes,
        vortons: &Vortons,
        work: &mut DistributionScratch<'_>,
    ) {
        let shape = grid.shape();
        self.find_arms(exec, grid, walls, vortons, work.arms);
        let (filled, sources, plane_len) = (&self.filled, &self.sources, shape.plane_len());
        let columns = (&mut *work.complete, &mut *work.missing);
        for_each_chunk_mut(exec, plane_len, columns, &|first, (complete, missing): CorrectedChunk| {
            missing.fill(Vec3::ZERO);
            complete.fill(Vec3::ZERO);
            for i in filled.of_plane(first / plane_len).flatten() {
                complete[i] = sources[first + i].truncate();
            }
        });
        self.hand_to_neighbours(exec, shape, walls, work);
        let filled = &self.filled;
        // Donors have no source of their own left.
        let arms = &*work.arms;
        let columns = (&mut *work.complete, &mut *work.missing);
        for_each_chunk_mut(exec, plane_len, columns, &|first, (complete, missing): CorrectedChunk| {
            for i in filled.of_plane(first / plane_len).flatten() {
                missing[i] += 0.5 * arms[first + i].truncate().cross(complete[i]);
            }
        });
        let (normal, missing) = (self.normal(), &*work.missing);
        for_each_chunk_mut(exec, plane_len, &mut *work.complete, &|first, complete: &mut [Vec3]| {
            add_curl(shape, filled, missing, first / plane_len, normal, complete);
        });
        // The curl reaches one node further.
        self.hand_to_neighbours(exec, shape, walls, work);
    }

    /// Finds the nodes with vortons around, and the offset from the vortons' mean position to the node \[m\]:
    /// zero at a wall, because the node's source arises in front of the wall, as the vortons are.
    fn find_arms(
        &mut self,
        exec: &dyn Executor,
        grid: &ScalarGrid,
        walls: &WallNodes,
        vortons: &Vortons,
        arms: &mut [Vec4],
    ) {
        let shape = grid.shape();
        let (nodes, spacing) = (grid.nodes(), shape.spacing());
        let least = LEAST_VOLUME * shape.cell_volume();
        let origin = shape.origin();
        let Vortons { positions, volumes, .. } = vortons;
        let moment = |row: usize| ((positions.get(row) - origin) * volumes[row]).extend(0.0);
        exactly(&mut self.gives, shape.len(), false);
        deposit(exec, shape, grid.order(), positions, &moment, &mut *arms);
        let columns = (arms, self.gives.as_mut_slice());
        let (filled, plane_len, nx) = (&self.filled, shape.plane_len(), shape.dims_usize()[0]);
        for_each_chunk_mut(exec, plane_len, columns, &|first, (arms, gives): (&mut [Vec4], &mut [bool])| {
            gives.fill(false);
            for i in filled.inside_of_plane(first / plane_len).flatten() {
                let volume = nodes[first + i].y;
                gives[i] = volume >= least;
                if walls.fluid(first + i) < 1.0 {
                    arms[i] = Vec4::ZERO;
                } else if gives[i] {
                    // Relative to the box's origin, so that the box's position costs no digits.
                    let cell = Vec3::new((i % nx) as f32, (i / nx) as f32, (first / plane_len) as f32);
                    arms[i] = (cell * spacing - arms[i].truncate() / volume).extend(0.0);
                }
            }
        });
    }

    /// Moves the source of nodes without vortons to their neighbours with vortons, in equal parts, and adds
    /// the impulse omitted by these displacements to `missing`.
    fn hand_to_neighbours(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        walls: &WallNodes,
        work: &mut DistributionScratch<'_>,
    ) {
        self.find_donors(exec, shape, work);
        let (plane_len, planes) = (shape.plane_len(), shape.dims_usize()[2]);
        let (counts, gives) = (&self.donor_counts, &self.gives);
        let around = neighbours(shape);
        let DistributionScratch { arms: shares, missing, complete, donors } = work;
        let (shares, donors, columns) = (&**shares, &**donors, (&mut **complete, &mut **missing));
        for_each_chunk_mut(exec, plane_len, columns, &|first, (complete, missing): CorrectedChunk| {
            let k = first / plane_len;
            let mut taken =
                Taken { walls, first, gives: &gives[first..first + plane_len], complete, missing };
            // From the lowest plane up: the order of a node's sum is that of its donors.
            for from in k.saturating_sub(1)..(k + 2).min(planes) {
                // Steps from that plane to this one.
                let steps = &around[9 * (k + 1 - from)..][..9];
                let donors = &donors[from * plane_len..][..counts[from] as usize];
                taken.take(from * plane_len, donors, shares, steps);
            }
        });
    }

    /// Collects the nodes that pass their source to neighbours, plane by plane, and sets their own to 0.
    fn find_donors(&mut self, exec: &dyn Executor, shape: &GridShape, work: &mut DistributionScratch<'_>) {
        let (plane_len, planes) = (shape.plane_len(), shape.dims_usize()[2]);
        self.donor_counts.resize(planes, 0);
        let (gives, filled) = (&self.gives, &self.filled);
        let around = neighbours(shape);
        let nodes = (Rows::new(&mut *work.complete, plane_len), Rows::new(&mut *work.arms, plane_len));
        let found = (Rows::new(&mut *work.donors, plane_len), self.donor_counts.as_mut_slice());
        for_each_chunk_mut(
            exec,
            1,
            (nodes, found),
            &|k, ((complete, shares), (donors, count)): DonorChunk| {
                let first = k * plane_len;
                count[0] = 0;
                for i in filled.of_plane(k).flatten() {
                    let (node, source) = (first + i, &mut complete[i]);
                    if *source == Vec3::ZERO || gives[node] {
                        continue;
                    }
                    let takers =
                        around.iter().filter(|(offset, _)| gives[node.wrapping_add_signed(*offset)]).count();
                    if takers > 0 {
                        shares[i] = (std::mem::take(source) / takers as f32).extend(0.0);
                        donors[count[0] as usize] = i as u32;
                        count[0] += 1;
                    }
                }
            },
        );
    }

    /// The normal of a flat cloud.
    fn normal(&self) -> Option<Vec3> {
        match self.dimensionality {
            Dimensionality::Plane { normal, .. } => Some(normal),
            Dimensionality::Volume | Dimensionality::Line => None,
        }
    }

    /// Returns the rate of change \[m³/s²\] of each vorton's strength, from the last [`give`](Self::give).
    pub fn rates(&self) -> &[Vec3] {
        &self.rates
    }

    /// Returns, per node, S \[m³/s²\] and |S|, from the last [`find_source`](Self::find_source). Empty if all
    /// sources are 0.
    pub fn sources(&self) -> &[Vec4] {
        if self.active { &self.sources } else { &[] }
    }

    /// Returns the nodes that may have a source.
    pub(crate) fn filled(&self) -> &FilledRows {
        &self.filled
    }

    /// The sources on the nodes of the grid's other boxes.
    pub fn others(&self) -> &[Self] {
        &self.others
    }

    /// True if the last source was found beside walls: density there is mass over the volume of the vortons
    /// present (E42).
    pub fn is_walled(&self) -> bool {
        self.walled
    }

    /// True if the vortons of one of the boxes fill a plane.
    pub(crate) fn is_flat(&self) -> bool {
        matches!(self.dimensionality, Dimensionality::Plane { .. }) || self.others.iter().any(Self::is_flat)
    }

    /// Returns the dimensionality of the deposited vortons.
    pub fn dimensionality(&self) -> Dimensionality {
        self.dimensionality
    }
}

impl SourceTotals {
    fn add(self, other: Self) -> Self {
        Self {
            length: self.length + other.length,
            lost_length: self.lost_length + other.lost_length,
            given: self.given + other.given,
            given_length: self.given_length + other.given_length,
            held_length: self.held_length + other.held_length,
        }
    }
}

/// Returns the index offsets of an inner node's 26 neighbours and of the node itself, and their displacements
/// \[m\].
fn neighbours(shape: &GridShape) -> [(isize, Vec3); 27] {
    let [nx, ny, _] = shape.dims_usize().map(|n| n as isize);
    std::array::from_fn(|n| {
        let [i, j, k] = [n % 3, n / 3 % 3, n / 9].map(|i| i as isize - 1);
        (i + nx * (j + ny * k), Vec3::new(i as f32, j as f32, k as f32) * shape.spacing())
    })
}

/// Adds the curl, by central differences, at the filled inner nodes of plane `k`.
fn add_curl(
    shape: &GridShape,
    filled: &FilledRows,
    values: &[Vec3],
    k: usize,
    normal: Option<Vec3>,
    out: &mut [Vec3],
) {
    let nx = shape.dims_usize()[0];
    let (plane_len, per_spacing) = (shape.plane_len(), 0.5 / shape.spacing());
    for i in filled.inside_of_plane(k).flatten() {
        let at = k * plane_len + i;
        let difference = |stride: usize| values[at + stride] - values[at - stride];
        let (x, y, z) = (difference(1), difference(nx), difference(plane_len));
        out[i] += along(normal, Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x) * per_spacing);
    }
}

/// Returns the part of a source that a cloud can have: along its normal, if it is flat.
fn along(normal: Option<Vec3>, source: Vec3) -> Vec3 {
    normal.map_or(source, |normal| normal * normal.dot(source))
}

#[cfg(test)]
#[path = "baroclinic_tests.rs"]
mod tests;
