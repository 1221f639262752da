//! The particle-mesh solver (E25): vortons are deposited on a lattice, one convolution in free space with
//! the deconvolved kernel computes their whole field, and samples are interpolated from it.

mod butterflies;
mod convolution;
mod far_field;
mod group_nodes;
mod kernel_table;
mod lines;
mod memory;
mod mesh_field;
mod passes;
mod plan;
mod transform;

pub(crate) use memory::Scratch;
pub(crate) use mesh_field::{BesideMesh, MeshField};
pub(crate) use passes::Components;

use super::direct::{DirectSettings, SourceCloud};
use super::source_groups::{SelectedGroups, StretchedGroup};
use super::strength_scale::{Counting, StrengthScale};
use super::{FlowSample, GroupedRows, Sources};
use crate::constants::{MESH_MARGIN, PARTICLE_CHUNK};
use crate::grid::{
    Domain, Extent, ExtentRules, GridShape, NodeBox, NodeOrder, Splines, Wanted, box_of, deposit,
};
use crate::lanes::LaneBlock;
use crate::math::{Vec3Columns, at_least};
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use convolution::Convolution;
use fluid_threads::{Executor, Serial, for_each_chunk_mut};
use glam::{DVec3, Vec3, Vec4};
use group_nodes::GroupNodes;
use memory::Ready;

/// Solver that fits the box, deposits and convolves. Holds the memory needed only for solving; results are
/// in a [`MeshField`].
#[derive(Debug, Clone)]
pub(crate) struct MeshSolver {
    core_radius: f32,
    /// Nodes of the finest lattice per core radius.
    finest: f32,
    /// Lattice in use: 0 is the finest, [`MOST_COARSENINGS`] the coarsest.
    coarsenings: u32,
    /// Steps for which no other lattice is tried.
    steps_to_wait: u32,
    extent: Extent,
    /// The box on another lattice.
    trial: Extent,
    order: NodeOrder,
    scale: StrengthScale,
    rate_scale: StrengthScale,
    scratch: Scratch,
    /// Number of nodes for which the scratch is ready.
    nodes_ready: Ready,
    convolution: Convolution,
    groups: GroupNodes,
    /// Stretching of the groups apart in the last solve.
    stretched: Vec<StretchedGroup>,
    /// True if its fields are read by the spline, whatever the world's sampling.
    by_spline: bool,
    /// The sources of this domain are its own.
    domain: Domain,
}

/// What a field is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolvePurpose {
    /// The motion of vortons, with the stretching of groups apart and, if requested, the energy.
    Vortons { with_energy: bool },
    /// Samples alone.
    Samples,
}

/// The other meshes of a solve.
#[derive(Clone, Copy)]
pub(super) struct Elsewhere<'a> {
    /// Their fields.
    pub(super) fields: &'a [MeshField],
    /// True for the rows of sources on them.
    pub(super) has: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Elsewhere<'_> {
    /// There are no others.
    pub(super) const NOWHERE: Self = Self { fields: &[], has: &|_| false };
    /// No source outside of the box is wanted.
    pub(super) const ALL: Self = Self { fields: &[], has: &|_| true };

    fn has(&self, row: usize) -> bool {
        (self.has)(row)
    }
}

/// Vector potentials at vortons that are not on a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PotentialElsewhere {
    /// They are zero.
    Zero,
    /// They keep the value that they have.
    Kept,
}

/// A more suitable lattice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherLattice {
    coarsenings: u32,
    /// Number of nodes of its box, and of vortons outside.
    pub(super) nodes: usize,
    pub(super) outside: usize,
}

/// Ratio of the spacings of two lattices \[1\].
pub(super) const COARSENING: f32 = 1.25;

/// Number of lattices beside the finest one.
pub(super) const MOST_COARSENINGS: u32 = 2;

/// Nodes per core radius of the coarsest lattice \[1\]: with fewer, velocities of coherent vortices are off
/// by more than 5 % (1.5: 1 to 2 %; 1.25: 1 to 3 %; 1: 2 to 5 %).
const LEAST_NODES_PER_CORE: f32 = 1.0;

/// A finer lattice is taken when the vortons that it leaves outside cost one part in this many of the cost
/// that makes a coarser one suitable.
const LATTICE_STICKINESS: usize = 4;

/// Steps between two trials of another lattice that is not suitable: a trial costs up to half a solve.
const STEPS_BETWEEN_LATTICES: u32 = 8;

/// Fits after which a box that is too large shrinks: some thirty steps of one solve.
const FITS_TO_SHRINK: u32 = 64;

/// Fits over which the memory and the tables of an unexpected box are made: twelve steps of one solve, one
/// more than there are such parts.
const FITS_AHEAD: u32 = 24;

/// Number of sources of a group at which the flow is read together.
const SAMPLED_TOGETHER: usize = 32;

/// Upper bound on the memory \[bytes\] for a node: strengths, modes, tables and field of this box and of the
/// expected one, and the fields published before.
const BYTES_PER_NODE: usize = 256;

impl MeshSolver {
    /// Creates a solver for the settings' core radius, with `nodes_per_core` nodes to each.
    pub(crate) fn new(settings: &DirectSettings, nodes_per_core: f32, max_nodes: usize) -> Self {
        let spacing = settings.core_radius / nodes_per_core;
        let rules = ExtentRules {
            spacing,
            margin: MESH_MARGIN,
            max_nodes,
            patience: FITS_TO_SHRINK,
            fits_ahead: FITS_AHEAD,
            bytes_per_node: BYTES_PER_NODE,
        };
        let extent = Extent::new(rules);
        Self {
            core_radius: settings.core_radius,
            finest: nodes_per_core,
            coarsenings: 0,
            steps_to_wait: 0,
            trial: extent.clone(),
            extent,
            order: NodeOrder::default(),
            scale: StrengthScale::of_columns(&Serial, &Vec3Columns::default()),
            rate_scale: StrengthScale::of_rates(&[]),
            scratch: Scratch::default(),
            nodes_ready: Ready::default(),
            convolution: Convolution::new(settings.kernel, nodes_per_core, settings.instruction_set),
            groups: GroupNodes::new(),
            stretched: Vec::new(),
            by_spline: false,
            domain: Domain::ALL,
        }
    }

    /// Returns the domain of its sources.
    pub(super) fn domain(&self) -> Domain {
        self.domain
    }

    /// Sets the domain of its sources, from the next [`fit`](Self::fit) on.
    pub(super) fn set_domain(&mut self, domain: Domain) {
        self.domain = domain;
    }

    /// Sets the maximum number of nodes, from the next [`fit`](Self::fit) on.
    pub(super) fn set_max_nodes(&mut self, max_nodes: usize) {
        self.extent.set_max_nodes(max_nodes);
        self.trial.set_max_nodes(max_nodes);
    }

    /// Drops the scratch: another one is used.
    pub(super) fn forget_scratch(&mut self) {
        self.scratch = Scratch::default();
    }

    /// Exchanges the scratch.
    pub(super) fn swap_scratch(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.scratch, &mut other.scratch);
    }

    /// Returns an upper bound \[bytes\] on the memory for the nodes of its boxes.
    pub(crate) fn memory(&self) -> usize {
        BYTES_PER_NODE * self.extent.most_nodes().max(self.trial.most_nodes())
    }

    /// Returns this solver with fields that are read by the spline.
    pub(crate) fn read_by_spline(self) -> Self {
        Self { by_spline: true, ..self }
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]; the nodes keep their positions in the fluid.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.extent.shift_origin(origin);
        self.trial.shift_origin(origin);
        self.domain.shift_origin(origin);
    }

    /// Aligns its lattices with those of `other`.
    pub(crate) fn anchored_as(mut self, other: &Self) -> Self {
        for extent in [&mut self.extent, &mut self.trial] {
            extent.set_anchor(other.extent.anchor());
        }
        self
    }

    /// Reserves memory for `vortons`. Memory for nodes is allocated on demand.
    pub(crate) fn reserve(&mut self, vortons: usize) {
        self.order.reserve(vortons);
    }

    /// Fits the box to the sources with significant strength, or rate of expansion, beside the largest one.
    /// Returns its number of nodes and the number of such sources outside.
    pub(crate) fn fit(&mut self, exec: &dyn Executor, sources: &Sources) -> (usize, usize) {
        let Sources { positions, strengths, .. } = sources;
        self.scale = StrengthScale::of_columns(exec, strengths);
        self.rate_scale = StrengthScale::of_rates(sources.rates());
        let counting = counting(self.scale, self.rate_scale, sources, self.domain);
        let outside = self.extent.fit(exec, positions, counting);
        (self.extent.shape().len(), outside)
    }

    /// Fits the box, and checks whether another lattice is more suitable. If the maximum number of nodes
    /// leaves many vortons outside, a coarser lattice encloses more of them: it is suitable if
    /// `is_costly(vortons, nodes)` holds for the vortons that it gains, compared with a mesh of `nodes`
    /// nodes, and until they cost next to nothing. Returns the result of [`fit`](Self::fit), and the other
    /// lattice's box, valid until it is [taken](Self::take).
    pub(crate) fn fit_lattice(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        is_costly: impl Fn(usize, usize) -> bool,
    ) -> ((usize, usize), Option<OtherLattice>) {
        let (nodes, outside) = self.fit(exec, sources);
        let can_coarsen = self.coarsened(self.coarsenings + 1) < self.nodes_per_core();
        let is_crowded = can_coarsen && is_costly(outside, nodes);
        if self.steps_to_wait > 0 || !(is_crowded || self.coarsenings > 0) {
            self.steps_to_wait = self.steps_to_wait.saturating_sub(1);
            return ((nodes, outside), None);
        }
        let (scale, rate_scale) = (self.scale, self.rate_scale);
        let others = match is_crowded {
            true => self.coarsenings + 1..MOST_COARSENINGS + 1,
            false => self.coarsenings - 1..self.coarsenings,
        };
        for coarsenings in others {
            self.trial.set_spacing(self.core_radius / self.coarsened(coarsenings));
            let counting = counting(scale, rate_scale, sources, self.domain);
            let other_outside = self.trial.fit(exec, &sources.positions, counting);
            let other_nodes = self.trial.shape().len();
            let suits = match is_crowded {
                true => is_costly(outside.saturating_sub(other_outside), nodes),
                // Hysteresis against switching back and forth.
                false => !is_costly(LATTICE_STICKINESS * other_outside.saturating_sub(outside), other_nodes),
            };
            if suits {
                let other = OtherLattice { coarsenings, nodes: other_nodes, outside: other_outside };
                return ((nodes, outside), Some(other));
            }
        }
        self.steps_to_wait = STEPS_BETWEEN_LATTICES;
        ((nodes, outside), None)
    }

    /// Switches to the more suitable lattice. Returns as [`fit`](Self::fit).
    pub(crate) fn take(&mut self, other: OtherLattice) -> (usize, usize) {
        self.take_lattice(other.coarsenings);
        (other.nodes, other.outside)
    }

    /// Returns to the finest lattice: new vortons may be anywhere.
    pub(crate) fn forget_lattice(&mut self) {
        self.steps_to_wait = 0;
        if self.coarsenings > 0 {
            self.trial.set_spacing(self.core_radius / self.coarsened(0));
            self.take_lattice(0);
        }
    }

    /// Takes the trial box.
    fn take_lattice(&mut self, coarsenings: u32) {
        std::mem::swap(&mut self.extent, &mut self.trial);
        self.coarsenings = coarsenings;
        self.convolution.set_nodes_per_core(self.nodes_per_core());
    }

    /// Returns the nodes per core radius of the lattice in use \[1\].
    pub(crate) fn nodes_per_core(&self) -> f32 {
        self.coarsened(self.coarsenings)
    }

    fn coarsened(&self, coarsenings: u32) -> f32 {
        // A power with a variable exponent has another rounding on every system.
        let wider = (0..coarsenings.min(MOST_COARSENINGS)).fold(1.0, |wider, _| wider * COARSENING);
        let coarser = self.finest / wider;
        coarser.max(LEAST_NODES_PER_CORE.min(self.finest))
    }

    /// Exchanges the memory for the order of vortons, and the scratch.
    pub(crate) fn swap_memory(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.order, &mut other.order);
        std::mem::swap(&mut self.scratch, &mut other.scratch);
    }

    /// Returns the memory with contents that are not needed between two solves.
    pub(crate) fn scratch_mut(&mut self) -> &mut Scratch {
        &mut self.scratch
    }

    /// Prepares for the energy of these sources without a solve. Returns true if it has made tables.
    pub(crate) fn prepare(&mut self, exec: &dyn Executor, sources: &Sources) -> bool {
        self.scale = StrengthScale::of_columns(exec, &sources.strengths);
        let counting = self.scale.counting(&sources.strengths).without_apart(sources.groups());
        self.extent.fit(exec, &sources.positions, counting.within(self.domain, &sources.positions));
        let makes_tables = self.lacks_tables();
        if !self.extent.shape().is_empty() {
            self.convolution.resize(exec, self.extent.shape().dims_usize(), &mut self.scratch);
        }
        makes_tables
    }

    /// Returns true if the box of the last [`fit`](Self::fit) has another size than that of the last
    /// [`solve`](Self::solve).
    fn is_resized(&self) -> bool {
        self.convolution.dims() != self.extent.shape().dims_usize()
    }

    /// Returns true if the next [`solve`](Self::solve) makes tables, because its box was not expected.
    pub(crate) fn lacks_tables(&self) -> bool {
        !self.convolution.has_table(self.extent.shape().dims_usize())
    }

    /// Computes the field of the sources for which [`fit`](Self::fit) was called. Those outside of the box
    /// are written to `strays`, except for those `elsewhere`; `grouped` holds the groups that are summed
    /// apart. Returns the energy of the vortons inside (E8) \[m⁵/s²\] if it is requested, otherwise 0. If
    /// some sources expand, their velocities \[m/s\] at the first sources inside are added to `expansion`,
    /// without those of sources outside.
    pub(crate) fn solve(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        field: &mut MeshField,
        (strays, grouped): (&mut SourceCloud, &SourceCloud),
        elsewhere: Elsewhere<'_>,
        (purpose, expansion): (SolvePurpose, &mut [Vec3]),
    ) -> f64 {
        let Sources { positions, strengths, .. } = sources;
        let rates = sources.rates();
        let shape = *self.extent.shape();
        field.set_shape(&shape, self.by_spline);
        let (scale, rate_scale) = (self.scale, self.rate_scale);
        self.sort(exec, &shape, positions, counting(scale, rate_scale, sources, self.domain));
        let is_out =
            |row: &usize| !self.order.contains(*row) && !elsewhere.has(*row) && !sources.is_apart(*row);
        let are_all_here = self.order.left_out() == 0 && self.domain == Domain::ALL;
        let looked_at = if are_all_here { 0..0 } else { 0..sources.len() };
        let rows = looked_at.clone().filter(is_out).filter(|row| scale.counts(strengths.get(*row)));
        strays.set_from(rows.map(|row| (positions.get(row), strengths.get(row))));
        strays.plant_if_many(exec);
        let rate = |row: usize| rates.get(row).copied().unwrap_or(0.0);
        if !rates.is_empty() {
            let rows = looked_at.filter(is_out).filter(|row| rate_scale.counts_rate(rate(*row)));
            strays.set_expansions(rows.map(|row| (positions.get(row), rate(row))));
        }
        if shape.is_empty() {
            if purpose != SolvePurpose::Samples {
                self.stretch_groups(exec, sources, field, (strays, grouped), elsewhere.fields);
            }
            return 0.0;
        }
        let scaled = |row: usize| if rates.is_empty() { 0.0 } else { rate_scale.scaled(rate(row)) };
        self.deposit(exec, positions, strengths, scale, &scaled);
        self.convolution.resize(exec, shape.dims_usize(), &mut self.scratch);
        let Scratch { nodes, blocks, .. } = &mut self.scratch;
        let source = &mut nodes[..shape.len()];
        let per_area = 1.0 / (shape.spacing() * shape.spacing());
        let (units, out) = ([per_area, scale.unit], field.nodes_mut());
        let energy = if purpose == (SolvePurpose::Vortons { with_energy: true }) {
            self.convolution.velocities_and_energy(exec, source, blocks, units, out)
        } else {
            self.convolution.velocities(exec, source, blocks, units, out);
            0.0
        };
        field.set_far(exec, source, scale.unit, (!rates.is_empty()).then_some(rate_scale.unit));
        if !rates.is_empty() {
            // The strengths are not needed any more.
            for_each_chunk_mut(exec, shape.plane_len(), &mut *source, &|_, nodes: &mut [Vec4]| {
                nodes.iter_mut().for_each(|node| *node = Vec3::new(0.0, 0.0, node.w).extend(0.0));
            });
            self.convolution.expansion(exec, source, blocks, [per_area, rate_scale.unit]);
            field.read(exec, source, positions, expansion);
            field.add(exec, source);
        }
        if purpose != SolvePurpose::Samples {
            self.stretch_groups(exec, sources, field, (strays, grouped), elsewhere.fields);
        }
        self.add_groups(exec, sources, grouped, field);
        field.find_values(exec);
        energy * f64::from(scale.unit).powi(2) / f64::from(shape.spacing())
    }

    /// Computes the stretching of the groups that are summed apart and are not images, before their own flow
    /// is on the nodes.
    fn stretch_groups(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        field: &MeshField,
        beside: (&SourceCloud, &SourceCloud),
        others: &[MeshField],
    ) {
        let own = sources.own_groups();
        self.stretched.clear();
        if beside.1.is_empty() {
            return;
        }
        self.stretched.reserve(own.len());
        let filled = own.iter().filter(|group| group.is_apart && !group.range().is_empty());
        let at_rest = |group: &GroupedRows| StretchedGroup { row: group.range().start, rate: DVec3::ZERO };
        self.stretched.extend(filled.map(at_rest));
        field.stretch_groups(exec, beside, others, &mut self.stretched);
    }

    /// Returns the stretching of the groups apart in the last solve, of which no source has a flow.
    pub(crate) fn stretched(&self) -> &[StretchedGroup] {
        &self.stretched
    }

    /// Adds the flow of the groups that are summed apart to the nodes near all other sources. The remaining
    /// nodes may be near groups, and are not read.
    fn add_groups(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        grouped: &SourceCloud,
        field: &mut MeshField,
    ) {
        if grouped.is_empty() {
            return;
        }
        let shape = *self.extent.shape();
        let counting = counting(self.scale, self.rate_scale, sources, self.domain);
        let bounds = box_of(exec, &sources.positions, &counting).flatten();
        let read = bounds
            .map_or(NodeBox::all(&shape), |(low, high)| NodeBox::around(&shape, [low, high], MESH_MARGIN));
        self.groups.add(exec, &shape, read, grouped, field.nodes_mut());
        field.set_read(read);
    }

    /// Makes a part of the tables and memory of the next box, if one is expected. With `if_soon` only if it
    /// may come within the next steps.
    pub(crate) fn make_ahead(&mut self, exec: &dyn Executor, field: &mut MeshField, if_soon: bool) {
        let Some(next) = self.extent.expected().filter(|next| next.is_soon || !if_soon) else { return };
        let nodes = next.dims.iter().product();
        // One after the other: each takes about as long as a part of the table.
        if self.nodes_ready.lacks(nodes) {
            self.nodes_ready.set(nodes);
            at_least(&mut self.scratch.nodes, nodes, Vec4::ZERO);
        } else if !field.touch(nodes) {
            self.convolution.make_ahead(exec, next.dims, &mut self.scratch);
        }
    }

    /// Computes the derivative of the energy of these vortons with respect to the strength of each: these
    /// components of the vector potential \[m²/s\] at each vorton in the box of the last
    /// [`solve`](Self::solve), and what they are `elsewhere` at the others. `out` has an element for each
    /// vorton; its other components are kept.
    pub(crate) fn potentials(
        &mut self,
        exec: &dyn Executor,
        components: Components,
        sources: &Sources,
        elsewhere: PotentialElsewhere,
        out: &mut [Vec3],
    ) {
        let Sources { positions, strengths, .. } = sources;
        let shape = *self.extent.shape();
        let scale = StrengthScale::of_columns(exec, strengths);
        let counting = scale.counting(strengths).without_apart(sources.groups());
        self.sort(exec, &shape, positions, counting.within(self.domain, positions));
        if shape.is_empty() || self.is_resized() {
            if elsewhere == PotentialElsewhere::Zero {
                out.iter_mut().for_each(|out| set_components(out, components, Vec3::ZERO));
            }
            return;
        }
        self.deposit(exec, positions, strengths, scale, &|_| 0.0);
        let Scratch { nodes, blocks, .. } = &mut self.scratch;
        let nodes = &mut nodes[..shape.len()];
        self.convolution.potentials(exec, components, nodes, blocks);
        let (order, nodes, splines) = (&self.order, &*nodes, Splines::new(&shape));
        let unit = scale.unit / shape.spacing();
        for_each_chunk_mut(exec, PARTICLE_CHUNK, out, &|first, out: &mut [Vec3]| {
            for (i, out) in out.iter_mut().enumerate() {
                let spline = splines.at(positions.get(first + i)).filter(|_| order.contains(first + i));
                if spline.is_none() && elsewhere == PotentialElsewhere::Kept {
                    continue;
                }
                let potential = spline.map_or(Vec3::ZERO, |spline| spline.value(nodes).truncate() * unit);
                set_components(out, components, potential);
            }
        });
    }

    /// Computes the energy (E8) \[m⁵/s²\] of the sources with these strengths, as far as they are in the box
    /// of the last [`solve`](Self::solve); without groups that are summed apart.
    pub(crate) fn energy(&mut self, exec: &dyn Executor, sources: &Sources, strengths: &Vec3Columns) -> f64 {
        let positions = &sources.positions;
        let shape = *self.extent.shape();
        let scale = StrengthScale::of_columns(exec, strengths);
        let counting = scale.counting(strengths).without_apart(sources.groups());
        self.sort(exec, &shape, positions, counting.within(self.domain, positions));
        if shape.is_empty() || self.is_resized() {
            return 0.0;
        }
        self.deposit(exec, positions, strengths, scale, &|_| 0.0);
        let Scratch { nodes, blocks, .. } = &mut self.scratch;
        let energy = self.convolution.energy(exec, &nodes[..shape.len()], blocks);
        energy * f64::from(scale.unit).powi(2) / f64::from(shape.spacing())
    }

    /// Returns the distance between nodes of the finest lattice \[m\].
    pub(super) fn finest_spacing(&self) -> f32 {
        self.core_radius / self.finest
    }

    /// Returns the distance between nodes \[m\].
    pub(crate) fn spacing(&self) -> f32 {
        self.extent.shape().spacing()
    }

    /// Returns the number of nodes of the box of the last [`fit`](Self::fit).
    pub(crate) fn node_count(&self) -> usize {
        self.extent.shape().len()
    }

    /// Returns true if this vorton was inside the box in the last field or energy computation.
    pub(crate) fn is_in_box(&self, row: usize) -> bool {
        self.order.contains(row)
    }

    /// Returns the rows of these sources, sorted by node.
    pub(super) fn rows_in_box(&self) -> &[u32] {
        self.order.rows()
    }

    fn sort(
        &mut self,
        exec: &dyn Executor,
        shape: &GridShape,
        positions: &Vec3Columns,
        wanted: impl Wanted + Sync,
    ) {
        let numbers = NodeOrder::numbers_for(shape, positions.len());
        let counts = at_least(&mut self.scratch.blocks, LaneBlock::count_of::<u32>(numbers), LaneBlock::ZERO);
        self.order.sort_in(exec, &mut LaneBlock::numbers_mut(counts)[..numbers], shape, positions, wanted);
    }

    fn deposit(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        scale: StrengthScale,
        scaled_rate: &(impl Fn(usize) -> f32 + Sync),
    ) {
        let shape = self.extent.shape();
        self.nodes_ready.grow(shape.len());
        let nodes = at_least(&mut self.scratch.nodes, shape.len(), Vec4::ZERO);
        let strength = |row: usize| {
            let strength = Vec3::from_array(strengths.get(row).to_array().map(|v| scale.scaled(v)));
            strength.extend(scaled_rate(row))
        };
        deposit(exec, shape, &self.order, positions, &strength, nodes);
    }
}

/// Selects the sources in a domain that are not negligible, without groups that are summed apart.
fn counting(
    scale: StrengthScale,
    rate_scale: StrengthScale,
    sources: &Sources,
    domain: Domain,
) -> Counting<'_> {
    let counting = scale.counting(&sources.strengths).or(rate_scale, sources.rates());
    counting.without_apart(sources.groups()).within(domain, &sources.positions)
}

fn set_components(out: &mut Vec3, components: Components, value: Vec3) {
    for c in components.range() {
        out[c] = value[c];
    }
}

impl MeshField {
    /// Computes velocity and gradient at the first sources, as many as `flow` has elements, in parallel; at
    /// groups that are summed apart 0.
    pub(crate) fn flow_in_parallel(
        &self,
        exec: &dyn Executor,
        sources: &Sources,
        beside: BesideMesh<'_>,
        flow: &mut [FlowSample],
    ) {
        let mut end = 0;
        for rows in sources.rows_together(flow.len()).chain(std::iter::once(flow.len()..flow.len())) {
            flow[end..rows.start].fill(FlowSample::default());
            let first = rows.start;
            end = rows.end;
            for_each_chunk_mut(
                exec,
                PARTICLE_CHUNK / 4,
                &mut flow[rows],
                &|start, flow: &mut [FlowSample]| {
                    self.flow_at(beside, false, |i| sources.positions.get(first + start + i), flow);
                },
            );
        }
    }

    /// Computes the stretching of each of the first groups that are summed apart, as many as there are
    /// `rates` \[m³/s²\], in the flow of all sources on the nodes, of which groups apart are not yet a part.
    fn stretch_groups(
        &self,
        exec: &dyn Executor,
        (strays, grouped): (&SourceCloud, &SourceCloud),
        others: &[MeshField],
        rates: &mut [StretchedGroup],
    ) {
        let beside =
            BesideMesh { strays, others, grouped: None, expanded: None, selected: SelectedGroups::ALL };
        for_each_chunk_mut(exec, 1, rates, &|index, rates: &mut [StretchedGroup]| {
            let group = &grouped.groups()[index];
            let centre = grouped.unscaled(group.ball().centre);
            let distances = others.iter().map(|other| other.distance(centre));
            let distance = distances.fold(self.distance(centre), f32::min);
            let rows = group.sampled(grouped.scaled(Vec3::X * distance).x);
            let mut sum = DVec3::ZERO;
            for first in rows.clone().step_by(SAMPLED_TOGETHER) {
                let mut flow = [FlowSample::default(); SAMPLED_TOGETHER];
                let flow = &mut flow[..(rows.end - first).min(SAMPLED_TOGETHER)];
                self.flow_at(beside, false, |i| grouped.source(first + i).0, flow);
                for (i, flow) in flow.iter().enumerate() {
                    sum += (flow.gradient.transpose() * grouped.source(first + i).1).as_dvec3();
                }
            }
            rates[0].rate = sum;
        });
    }
}

impl Saved for MeshSolver {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            core_radius: _,
            finest: _,
            coarsenings,
            steps_to_wait,
            extent,
            trial,
            order: _,
            scale: _,
            rate_scale: _,
            scratch: _,
            nodes_ready,
            convolution,
            groups: _,
            stretched: _,
            by_spline: _,
            domain,
        } = self;
        domain.save(out);
        [*coarsenings, *steps_to_wait].save(out);
        extent.save(out);
        trial.save(out);
        nodes_ready.save(out);
        convolution.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.domain.load(from)?;
        let before = self.coarsenings;
        [self.coarsenings, self.steps_to_wait] = from.value()?;
        check(self.coarsenings <= MOST_COARSENINGS)?;
        self.extent.load(from)?;
        self.trial.load(from)?;
        self.nodes_ready.load(from)?;
        if self.coarsenings != before {
            self.convolution.set_nodes_per_core(self.nodes_per_core());
        }
        self.convolution.load(&mut self.scratch, from)
    }
}
