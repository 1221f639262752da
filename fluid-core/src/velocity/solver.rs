//! Selection of the method that computes the velocity: the direct sum or the mesh.

mod costs;
mod division;
mod energies;
mod flow_by_meshes;
mod groups;
mod other_meshes;
mod saving;
mod tree_choice;

pub(super) use costs::{
    QUADRATIC, SAMPLE, STICKINESS, are_dear, direct_cost, mesh_cost, sample_cost, samples_on_mesh,
    strays_cost, takes_mesh,
};
pub(super) use division::{Divided, Division, is_filled};
pub(super) use groups::summed;

use super::direct::DirectSettings;
use super::mesh::{Elsewhere, MeshSolver, SolvePurpose};
use super::pair_energy::PairEnergy;
use super::source_groups::{SelectedGroups, StretchedGroup};
use super::{FieldSampling, FlowSample, PublishedField, SolverKind, Sources};
use crate::grid::Domain;
use costs::{DEAR_STRAYS, SMALLEST_MESH};
use flow_by_meshes::MeshOrder;
use fluid_threads::Executor;
use glam::Vec3;
use groups::{GroupsApart, NodeScale};
use other_meshes::OtherMeshes;

/// Parameters of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverSettings {
    /// Method that computes the velocity.
    pub kind: SolverKind,
    /// Kernel, core radius and arithmetic.
    pub direct: DirectSettings,
    /// Nodes of the mesh per core radius.
    pub nodes_per_core: f32,
    /// Maximum number of nodes of a mesh.
    pub max_grid_nodes: usize,
    /// Interpolation of a mesh's field between its nodes.
    pub field_sampling: FieldSampling,
}

impl SolverSettings {
    /// Returns the nodes per core radius of a mesh of this fineness.
    pub(super) fn nodes_per_core_of(&self, fineness: Fineness) -> f32 {
        match fineness {
            Fineness::Full => self.nodes_per_core,
            Fineness::Coarse => (self.nodes_per_core / COARSENING).max(1.0),
        }
    }
}

/// Spacing of a mesh's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fineness {
    /// That of [`SolverSettings::nodes_per_core`].
    Full,
    /// [`COARSENING`] times as wide, but not wider than a core radius.
    Coarse,
}

crate::saved::variants!(Fineness { Full, Coarse });

impl Fineness {
    fn other(self) -> Self {
        match self {
            Self::Full => Self::Coarse,
            Self::Coarse => Self::Full,
        }
    }
}

/// Solver for velocities and fields.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    settings: SolverSettings,
    kind: SolverKind,
    mesh: MeshSolver,
    /// For samples of a directly summed field. A separate mesh: the fit of a box depends on its past, and
    /// the number of tracers must not change the fluid.
    sample_mesh: MeshSolver,
    /// For samples of a directly summed field of widely spaced vortons: coarse, but read by the spline.
    wide_mesh: MeshSolver,
    /// True if `wide_mesh` is in use.
    is_wide: bool,
    pairs: PairEnergy,
    /// Velocities \[m/s\] of the sources of volume at the vortons in the last solve; empty without such
    /// sources.
    expansion: Vec<Vec3>,
    /// True if the vortons' velocities are solved on the mesh.
    on_mesh: bool,
    /// The cost of two solves by a tree, and that of nominal samples, when they were last counted \[ns\], and
    /// the number of sources then.
    tree_costs: ([f64; 2], u64),
    /// Steps in which it is not counted again.
    steps_to_count: u32,
    /// True if the vortons' velocities are summed by a tree, unless they are solved on the mesh.
    by_tree: bool,
    /// Groups of sources that are summed apart from the mesh.
    apart: GroupsApart,
    /// The same for samples of a directly summed field.
    apart_for_samples: GroupsApart,
    /// Choice in the last step that had vortons.
    chosen: Option<bool>,
    /// Cost of two solves on the mesh when its box was last fitted for the choice \[ns\].
    mesh_cost: f64,
    /// Steps in which the box is not fitted, as long as the direct sum costs less than `mesh_cost` over
    /// [`MUCH_CHEAPER`].
    steps_to_wait: u32,
    /// Energies before and after a change of lattice.
    remeasured: Option<(f64, f64)>,
    /// Fineness of `mesh` and of `sample_mesh`.
    fineness: [Fineness; 2],
    /// Meshes of the other fineness, with their tables, once they have been used.
    spares: [Option<Box<MeshSolver>>; 2],
    /// Meshes of vortons far from most others.
    others: OtherMeshes,
    mesh_order: MeshOrder,
    /// Largest number of samples of the present field for which a mesh did not pay.
    samples_without_mesh: f64,
    /// Number of vortons for which memory is reserved.
    capacity: usize,
    /// Sources outside of all boxes when these were last fitted for the choice.
    outside: usize,
    /// Energy by the previous division if another one was taken in a step that then summed directly.
    before_division: Option<f64>,
    /// True if tables were made since the last solve.
    made_tables: bool,
}

/// Statistics of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SolveReport {
    /// Nodes of the mesh; 0 for the direct sum.
    pub(crate) nodes: usize,
    /// Vortons outside of the mesh's box.
    pub(crate) outside: usize,
    /// Nodes of the mesh per core radius \[1\]; 0 for the direct sum.
    pub(crate) nodes_per_core: f32,
    /// Energy of all sources (E8) \[m⁵/s²\], if requested: on one side of their mirrors.
    pub(crate) energy: f64,
    /// True if the mesh made tables, or a part of them, for a size that had not been expected long enough:
    /// that takes up to one or two solves.
    pub(crate) made_tables: bool,
}

impl Solver {
    pub(crate) fn new(settings: &SolverSettings) -> Self {
        Self {
            settings: *settings,
            kind: settings.kind,
            mesh: mesh(settings, Fineness::Full),
            sample_mesh: mesh(settings, Fineness::Full),
            wide_mesh: mesh(settings, Fineness::Coarse).read_by_spline(),
            is_wide: false,
            pairs: PairEnergy::new(settings.direct),
            expansion: Vec::new(),
            on_mesh: false,
            tree_costs: ([f64::INFINITY; 2], 0),
            steps_to_count: 0,
            by_tree: false,
            apart: GroupsApart::default(),
            apart_for_samples: GroupsApart::default(),
            chosen: None,
            mesh_cost: 0.0,
            steps_to_wait: 0,
            remeasured: None,
            fineness: [Fineness::Full; 2],
            spares: [None, None],
            others: OtherMeshes::new(settings),
            mesh_order: MeshOrder::default(),
            samples_without_mesh: 0.0,
            capacity: 0,
            outside: 0,
            before_division: None,
            made_tables: false,
        }
    }

    /// Reserves memory for `vortons`.
    pub(crate) fn reserve(&mut self, vortons: usize) {
        self.mesh.reserve(vortons);
        self.others.reserve(vortons);
        self.capacity = vortons;
        self.pairs.reserve(vortons);
    }

    /// Reserves memory for `capacity` sources of volume.
    pub(crate) fn reserve_expansion(&mut self, capacity: usize) {
        self.expansion.reserve(capacity.saturating_sub(self.expansion.len()));
        self.pairs.reserve_expansions(capacity);
    }

    /// Returns an upper bound \[bytes\] on the memory for the nodes of all meshes.
    pub(crate) fn memory_of_nodes(&self) -> usize {
        let spares = self.spares.iter().flatten().map(|spare| &**spare);
        [&self.mesh, &self.sample_mesh, &self.wide_mesh]
            .into_iter()
            .chain(spares)
            .map(MeshSolver::memory)
            .sum::<usize>()
            + self.others.memory()
    }

    /// Returns the velocities \[m/s\] of the sources of volume at the vortons in the last solve: a part of
    /// their velocities. Empty without such sources.
    pub(crate) fn expansion(&self) -> &[Vec3] {
        &self.expansion
    }

    /// Returns the stretching of groups apart from the mesh in the last solve, which no vorton's flow has.
    pub(crate) fn stretched(&self) -> &[StretchedGroup] {
        if self.on_mesh { self.mesh.stretched() } else { &[] }
    }

    /// Returns the fineness of the vortons' mesh.
    pub(crate) fn fineness(&self) -> Fineness {
        self.fineness[0]
    }

    /// Sets the fineness of the vortons' mesh, and of the mesh for samples of a directly summed field.
    /// Meshes of the other fineness keep their tables.
    pub(crate) fn set_fineness(&mut self, vortons: Fineness, samples: Fineness) {
        let coarse = self.settings.nodes_per_core_of(Fineness::Coarse);
        if coarse == self.settings.nodes_per_core {
            return;
        }
        let (wanted, settings, mut is_other) = ([vortons, samples], self.settings, false);
        for (i, used) in [&mut self.mesh, &mut self.sample_mesh].into_iter().enumerate() {
            if self.fineness[i] == wanted[i] {
                continue;
            }
            let spare =
                self.spares[i].get_or_insert_with(|| Box::new(mesh(&settings, wanted[i]).anchored_as(used)));
            std::mem::swap(used, spare);
            used.swap_memory(spare);
            self.fineness[i] = wanted[i];
            // The mesh for samples must not change the fluid.
            if i == 0 {
                self.steps_to_wait = 0;
                is_other = true;
            }
        }
        if is_other {
            self.forget_division();
        }
    }

    /// Shifts the origin of the coordinates to `origin` \[m\]; the nodes of all meshes keep their positions
    /// in the fluid.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        let Self { mesh, sample_mesh, wide_mesh, spares, others, .. } = self;
        let spares = spares.iter_mut().flatten().map(|spare| &mut **spare);
        let meshes = [mesh, sample_mesh, wide_mesh].into_iter().chain(spares).chain(others.all_mut());
        meshes.for_each(|mesh| mesh.shift_origin(origin));
    }

    /// Chooses the method for the velocity of the first `vortons` sources, and the groups summed apart: once
    /// per step, so that both solves of a step agree. The other sources are bound vorticity of bodies.
    pub(crate) fn choose(&mut self, exec: &dyn Executor, sources: &mut Sources, vortons: usize) {
        let (mut before, was_divided) = (None, self.others.are_used());
        self.on_mesh = match self.kind {
            SolverKind::Direct => false,
            SolverKind::Mesh => {
                before = self.part_groups(exec, sources);
                self.fit_mesh(exec, sources, |_, _, _| true)
            }
            SolverKind::Auto => self.is_mesh_cheaper(exec, sources, vortons, &mut before),
        };
        self.mark_groups(sources);
        if let Some(before) = before.filter(|_| self.on_mesh) {
            self.remeasured = Some((before, self.energy_anew(exec, sources)));
        }
        let changes = self.chosen.is_some_and(|before| before != self.on_mesh);
        let of_division = self.before_division.take();
        if changes && (was_divided || self.others.are_used()) {
            let (before, after) = self.energies_of_both(exec, sources);
            self.remeasured = Some((of_division.unwrap_or(before), after));
        }
        if self.on_mesh && self.chosen.is_none() {
            self.pairs.forget_tree();
        }
        // Without vortons there is no choice to keep.
        self.chosen = (vortons > 0).then_some(self.on_mesh);
    }

    /// Returns the energy by the other method than that of this step, and by this one: the direct sum has the
    /// energy between different meshes, too.
    fn energies_of_both(&mut self, exec: &dyn Executor, sources: &mut Sources) -> (f64, f64) {
        let is_on_mesh = self.on_mesh;
        let [before, after] = [!is_on_mesh, is_on_mesh].map(|on_mesh| {
            self.on_mesh = on_mesh;
            self.mark_groups(sources);
            self.energy_anew(exec, sources)
        });
        (before, after)
    }

    /// Marks the groups of these sources that are summed apart in this step.
    pub(crate) fn mark_groups(&self, sources: &mut Sources) {
        sources.part_groups(|index| !self.on_mesh || self.apart.is_apart(index));
    }

    fn scale_of(&self, mesh: &MeshSolver) -> NodeScale {
        NodeScale {
            spacing: mesh.spacing(),
            like_points_from: self.settings.direct.like_points_from(),
            most_nodes: self.settings.max_grid_nodes as f32,
        }
    }

    /// Chooses the groups that are summed apart from the mesh. If these are others than in the last step on
    /// the mesh, returns the energy as that step would have measured it: a mesh errs by some percent of the
    /// energy of a sheet.
    fn part_groups(&mut self, exec: &dyn Executor, sources: &mut Sources) -> Option<f64> {
        let has_changed = self.apart.choose(exec, self.scale_of(&self.mesh), self.mesh.domain(), sources);
        if !(has_changed && self.chosen == Some(true)) {
            return None;
        }
        sources.part_groups(|index| self.apart.was_apart(index));
        let before = self.energy_anew(exec, sources);
        sources.part_groups(|index| self.apart.is_apart(index));
        Some(before)
    }

    /// Resets the choice after all vortons have been removed: new ones may be anywhere.
    pub(crate) fn forget_choice(&mut self) {
        (self.chosen, self.steps_to_wait) = (None, 0);
        self.forget_division();
        self.mesh.forget_lattice();
        self.sample_mesh.forget_lattice();
        self.wide_mesh.forget_lattice();
        self.is_wide = false;
        self.spares.iter_mut().flatten().for_each(|mesh| mesh.forget_lattice());
    }

    /// Fits the mesh's box to the sources, on a coarser lattice if those outside would cost a tenth of the
    /// mesh, if that mesh `is_wanted` with its number of nodes and of sources outside. Once a step, so that
    /// all solves of a step agree. Returns whether it was wanted.
    fn fit_mesh(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        is_wanted: impl FnOnce(&mut Self, usize, usize) -> bool,
    ) -> bool {
        let count = sources.len();
        let is_costly = |outside, nodes| are_dear(outside, count, nodes);
        let divided = self.divide(exec, sources);
        self.limit_first_mesh();
        let (found, other) = self.mesh.fit_lattice(exec, sources, is_costly);
        let (nodes, outside) = other.as_ref().map_or(found, |other| (other.nodes, other.outside));
        let first = nodes.max(self.mesh.node_count());
        let of_others = self.others.fit(exec, sources, first, self.settings.max_grid_nodes);
        self.outside = outside + of_others + self.in_no_domain(exec, sources);
        if !is_wanted(self, nodes + self.others.node_count(), self.outside) {
            self.before_division = divided;
            return false;
        }
        let before =
            divided.or_else(|| other.filter(|_| self.on_mesh).map(|_| self.energy_anew(exec, sources)));
        if let Some(other) = other {
            self.mesh.take(other);
        }
        if let Some(before) = before {
            self.remeasured = Some((before, self.energy_anew(exec, sources)));
        }
        true
    }

    /// Returns, if the lattice has changed since the last call, the energies of the same sources \[m⁵/s²\]
    /// on the previous lattice and on the new one, which differ for rough clouds.
    pub(crate) fn take_remeasured(&mut self) -> Option<(f64, f64)> {
        self.remeasured.take()
    }

    /// As [`part_groups`](Self::part_groups), the energy that a mesh would have measured is returned in
    /// `before`.
    fn is_mesh_cheaper(
        &mut self,
        exec: &dyn Executor,
        sources: &mut Sources,
        vortons: usize,
        before: &mut Option<f64>,
    ) -> bool {
        let direct = direct_cost(summed(sources.len(), sources.groups()), vortons);
        let direct = self.choose_tree(exec, sources, vortons, direct);
        // The direct sum costs less than the smallest mesh, even with hysteresis: the box is not needed.
        if direct * STICKINESS < mesh_cost(0, SMALLEST_MESH) {
            self.steps_to_wait = 0;
            return false;
        }
        // Fitting a box to a cloud too large for any box takes a third of a direct sum.
        if self.chosen == Some(false) && self.steps_to_wait > 0 && direct * MUCH_CHEAPER < self.mesh_cost {
            self.steps_to_wait -= 1;
            return false;
        }
        *before = self.part_groups(exec, sources);
        let count = sources.len();
        self.fit_mesh(exec, sources, |solver, nodes, outside| {
            // Where all are dense, strays have more sources near them than usual.
            let part = if solver.by_tree { direct * (outside as f64 / count as f64) } else { 0.0 };
            let strays = strays_cost(outside, count).max(part.min(direct_cost(outside, count)));
            let mesh = mesh_cost(count, nodes) + strays + solver.others.reading();
            let mesh = if solver.by_tree { mesh + samples_on_mesh(count) } else { mesh };
            (solver.mesh_cost, solver.steps_to_wait) = (mesh, STEPS_BETWEEN_FITS);
            // Fluid at rest, which may move when its velocity is solved for: in a box of any size.
            let is_unknown = nodes == 0 && direct < MOST_UNKNOWN;
            !is_unknown && takes_mesh(solver.chosen, mesh, direct)
        })
    }

    /// Returns true if vortons were solved on the mesh in the last step that had any; None if there was
    /// none.
    pub(crate) fn chosen(&self) -> Option<bool> {
        self.chosen
    }

    /// Puts a directly summed field on a mesh if that pays for this number of `samples` by tracers and
    /// particle operations, which cannot act on the fluid. Their number changes the samples by the mesh's
    /// error, but never the fluid, so each machine of a game in lockstep may draw as many tracers as it
    /// can.
    ///
    /// The sources are those of the field; `sources` is overwritten.
    pub(crate) fn mesh_for(
        &mut self,
        exec: &dyn Executor,
        samples: f64,
        sources: &mut Sources,
        field: &mut PublishedField,
    ) {
        if self.kind != SolverKind::Auto || field.on_mesh || field.sampled_on_mesh || samples == 0.0 {
            return;
        }
        // A mesh that does not pay for some samples of a field does not for fewer.
        if samples <= self.samples_without_mesh {
            return;
        }
        let (count, summed) = (field.cloud.len() + field.grouped.summed(), field.summed_for_a_sample());
        if sample_cost(samples, summed) <= samples * SAMPLE {
            return;
        }
        field.cloud.write_to(sources);
        field.grouped.append_groups_to(sources);
        self.apart_for_samples.choose(exec, self.scale_of(&self.sample_mesh), Domain::ALL, sources);
        let (nodes, outside) = self.fit_for_samples(exec, samples, sources);
        let mesh = 0.5 * mesh_cost(count, nodes) + sample_cost(samples, outside);
        if nodes > 0 && mesh + samples * SAMPLE < sample_cost(samples, summed) {
            let own = if self.is_wide { &mut self.wide_mesh } else { &mut self.sample_mesh };
            // The mesh of the vortons is idle; its order has capacity for all of them.
            own.swap_memory(&mut self.mesh);
            field.grouped.set_apart(sources);
            let beside = (&mut field.cloud, &field.grouped);
            let (purpose, nowhere) = (SolvePurpose::Samples, Elsewhere::NOWHERE);
            own.solve(exec, sources, &mut field.mesh, beside, nowhere, (purpose, &mut []));
            field.expand_groups(exec);
            field.use_others(0);
            own.make_ahead(exec, &mut field.mesh, false);
            own.swap_memory(&mut self.mesh);
            field.sampled_on_mesh = true;
            field.forget_parts();
        } else {
            self.samples_without_mesh = samples;
        }
    }

    /// Chooses the mesh for this number of samples, and fits its box. Returns its number of nodes and of
    /// sources outside.
    fn fit_for_samples(&mut self, exec: &dyn Executor, samples: f64, sources: &Sources) -> (usize, usize) {
        let count = sources.len();
        let fit = |mesh: &mut MeshSolver| {
            let is_costly =
                |outside, nodes| sample_cost(samples, outside) > DEAR_STRAYS * 0.5 * mesh_cost(count, nodes);
            let (found, other) = mesh.fit_lattice(exec, sources, is_costly);
            other.map_or(found, |other| mesh.take(other))
        };
        let can_be_wide = self.fineness[1] == Fineness::Full && can_be_wide(&self.settings);
        if self.is_wide && can_be_wide {
            let found = fit(&mut self.wide_mesh);
            if found.0 >= LEAST_WIDE {
                return found;
            }
        }
        self.is_wide = false;
        let found = fit(&mut self.sample_mesh);
        if can_be_wide && found.0 >= WIDE {
            let wide = fit(&mut self.wide_mesh);
            let more_reading = (QUADRATIC - 1.0) * samples * SAMPLE;
            self.is_wide = 0.5 * (mesh_cost(count, found.0) - mesh_cost(count, wide.0)) > more_reading
                && wide.0 >= LEAST_WIDE
                && wide.1 <= found.1;
            return if self.is_wide { wide } else { found };
        }
        found
    }

    /// Computes velocity and gradient at the first `vortons` sources, and the field for samples. On a mesh
    /// it computes them at all sources that are not images, because their rates are corrected together (E6).
    /// With `with_energy`, also computes the energy of all sources.
    pub(crate) fn solve(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        vortons: usize,
        field: &mut PublishedField,
        flow: &mut Vec<FlowSample>,
        with_energy: bool,
    ) -> SolveReport {
        let Sources { positions, strengths, .. } = sources;
        flow.resize(sources.own(), FlowSample::default());
        (field.on_mesh, field.sampled_on_mesh) = (self.on_mesh, false);
        field.forget_parts();
        field.expanded.clear();
        self.samples_without_mesh = 0.0;
        field.grouped.set_apart(sources);
        self.expansion.clear();
        if !sources.rates().is_empty() {
            self.expansion.resize(vortons, Vec3::ZERO);
        }
        let made_tables = std::mem::take(&mut self.made_tables);
        if !self.on_mesh {
            field.use_others(0);
            field.cloud.set_together(sources, strengths);
            let by_tree = self.by_tree && self.pairs.plant(exec, &mut field.cloud);
            field.cloud.set_expansions(sources.expansions());
            let flow = &mut flow[..vortons];
            let energy = if with_energy {
                self.pairs.flow_and_energy(exec, (&field.cloud, &field.grouped), sources, flow)
            } else {
                match by_tree {
                    true => self.pairs.flow_by_tree(exec, (&field.cloud, sources), flow),
                    false => field.cloud.flow_in_parallel(exec, positions, flow),
                }
                field.grouped.add_flow_in_parallel(exec, positions, flow);
                0.0
            };
            if field.cloud.expands() {
                field.cloud.add_expansion_in_parallel(exec, positions, flow, &mut self.expansion);
            }
            return SolveReport { energy, made_tables, ..SolveReport::default() };
        }
        self.limit_first_mesh();
        let Self { mesh, others, expansion, .. } = self;
        mesh.fit(exec, sources);
        others.fit(exec, sources, mesh.node_count(), self.settings.max_grid_nodes);
        let made_tables = made_tables || mesh.lacks_tables() || others.lack_tables();
        let purpose = SolvePurpose::Vortons { with_energy };
        field.use_others(others.all().len());
        let PublishedField { mesh: on_mesh, others: fields, cloud, grouped, .. } = &mut *field;
        let mut energy = others.solve(exec, mesh, sources, fields, (purpose, expansion));
        let elsewhere = Elsewhere { fields, has: &|row| others.has(row) };
        energy += mesh.solve(exec, sources, on_mesh, (cloud, grouped), elsewhere, (purpose, expansion));
        if with_energy {
            if !field.cloud.is_empty() {
                energy += self.energy_of_strays(exec, sources, strengths);
            }
            energy /= sources.copies() as f64;
            energy += self.pairs.energy_of_groups_beside(exec, &field.grouped, sources, strengths);
        }
        if self.others.are_used() || field.cloud.has_tree() {
            self.flow_by_meshes(exec, sources, field, flow);
        } else {
            let beside = field.beside_mesh(SelectedGroups::ALL);
            field.mesh.flow_in_parallel(exec, sources, beside, flow);
        }
        let nodes = field.sampled_nodes();
        SolveReport {
            nodes,
            outside: field.cloud.len(),
            nodes_per_core: if nodes > 0 { self.mesh.nodes_per_core() } else { 0.0 },
            energy,
            made_tables,
        }
    }

    /// Makes a part of the tables of the mesh's next box, if one is expected: once a step, after the last
    /// solve. With `is_long`, in a step with other long work, only if they are needed soon.
    pub(crate) fn make_ahead(&mut self, exec: &dyn Executor, field: &mut PublishedField, is_long: bool) {
        if self.on_mesh {
            self.mesh.make_ahead(exec, &mut field.mesh, is_long);
            self.others.make_ahead(exec, &mut self.mesh, &mut field.others, is_long);
        }
    }
}

/// Returns true if samples may read a coarse mesh by the spline: about as accurate as the fine one read
/// linearly, which is the accuracy that these settings request.
pub(super) fn can_be_wide(settings: &SolverSettings) -> bool {
    settings.field_sampling == FieldSampling::Trilinear
        && settings.nodes_per_core_of(Fineness::Coarse) < settings.nodes_per_core
}

fn mesh(settings: &SolverSettings, fineness: Fineness) -> MeshSolver {
    MeshSolver::new(&settings.direct, settings.nodes_per_core_of(fineness), settings.max_grid_nodes)
}

/// Spacing of a coarse mesh over that of the full one \[1\]: 0.3 of the nodes, margins aside.
const COARSENING: f32 = 1.5;

/// Cost of the mesh over that of the direct sum \[1\] above which the two are compared only after
/// [`STEPS_BETWEEN_FITS`] steps.
const MUCH_CHEAPER: f64 = 2.0;

/// Cost of sums \[ns\] up to which they are chosen while the box of the mesh is not yet known.
const MOST_UNKNOWN: f64 = 5e6;

/// Steps between two such comparisons. A cloud that contracts is summed directly for that many steps too
/// long at most, which costs time, not accuracy.
const STEPS_BETWEEN_FITS: u32 = 8;

/// Nodes above which the mesh of samples is coarse, if that costs less: its spline is as accurate as linear
/// interpolation between the nodes of the fine one (jet: 5.6 and 5.7 % of the root mean square), with three
/// eighths of the nodes. It stays coarse down to a quarter of the nodes that it has at that point.
pub(super) const WIDE: usize = 1 << 16;
const LEAST_WIDE: usize = 1 << 13;
