//! The choice of what computes the velocity: the direct sum or the mesh.

mod saving;

use super::direct::DirectSettings;
use super::mesh::{Components, MeshSolver, Scratch};
use super::pair_energy::PairEnergy;
use super::{FieldSampling, FlowSample, PublishedField, SolverKind, Sources};
use crate::math::Vec3Columns;
use fluid_threads::Executor;
use glam::Vec3;

/// What solving needs to know beside the vortons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverSettings {
    /// How velocity is computed.
    pub kind: SolverKind,
    /// Kernel, core radius and arithmetic.
    pub direct: DirectSettings,
    /// Nodes of the mesh per core radius.
    pub nodes_per_core: f32,
    /// Most nodes of a mesh.
    pub max_grid_nodes: usize,
    /// How a mesh's field is read between its nodes.
    pub field_sampling: FieldSampling,
}

impl SolverSettings {
    /// Nodes of a mesh of this fineness per core radius.
    pub(super) fn nodes_per_core_of(&self, fineness: Fineness) -> f32 {
        match fineness {
            Fineness::Full => self.nodes_per_core,
            Fineness::Coarse => (self.nodes_per_core / COARSENING).max(1.0),
        }
    }
}

/// How close the nodes of a mesh are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fineness {
    /// As [`SolverSettings::nodes_per_core`] says.
    Full,
    /// [`COARSENING`] times as far apart, but not further than a core radius.
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

/// Makes velocities and fields.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    settings: SolverSettings,
    kind: SolverKind,
    mesh: MeshSolver,
    /// Of samples of a directly summed field. One of its own: how a box fits depends on its past, which the
    /// number of tracers may not change for the fluid.
    sample_mesh: MeshSolver,
    /// Of samples of a directly summed field whose vortons are far apart: coarse, but read by the spline.
    wide_mesh: MeshSolver,
    /// True if it is in use.
    is_wide: bool,
    pairs: PairEnergy,
    /// True if vortons are solved on the mesh.
    on_mesh: bool,
    /// What was chosen for the last step that had vortons.
    chosen: Option<bool>,
    /// Cost of two solves on the mesh when its box was last fitted for the choice \[ns\].
    mesh_cost: f64,
    /// Steps for which the box is not fitted, while the direct sum costs less than `mesh_cost` over
    /// [`MUCH_CHEAPER`].
    steps_to_wait: u32,
    /// Energies before and after the lattice changed.
    remeasured: Option<(f64, f64)>,
    /// Of `mesh`, and of `sample_mesh`.
    fineness: [Fineness; 2],
    /// Meshes of the other fineness, with their tables, once they have been used.
    spares: [Option<Box<MeshSolver>>; 2],
}

/// What a solve used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SolveReport {
    /// Nodes of the mesh; 0 for the direct sum.
    pub(crate) nodes: usize,
    /// Vortons that the mesh's box has no room for.
    pub(crate) outside: usize,
    /// Nodes of the mesh per core radius \[1\]; 0 for the direct sum.
    pub(crate) nodes_per_core: f32,
    /// Energy of all sources (E8) \[m⁵/s²\], if it was asked for: on one side of their mirrors.
    pub(crate) energy: f64,
    /// True if the mesh made tables, or a part of them, for a size that had not been expected for long: that
    /// takes up to one or two solves.
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
            on_mesh: false,
            chosen: None,
            mesh_cost: 0.0,
            steps_to_wait: 0,
            remeasured: None,
            fineness: [Fineness::Full; 2],
            spares: [None, None],
        }
    }

    /// Makes room for `vortons`.
    pub(crate) fn reserve(&mut self, vortons: usize) {
        self.mesh.reserve(vortons);
        self.pairs.reserve(vortons);
    }

    /// How fine the mesh of vortons is.
    pub(crate) fn fineness(&self) -> Fineness {
        self.fineness[0]
    }

    /// Meshes of vortons, and of samples of a directly summed field, are as fine as this from now on. Those
    /// of the other fineness keep their tables.
    pub(crate) fn set_fineness(&mut self, vortons: Fineness, samples: Fineness) {
        let coarse = self.settings.nodes_per_core_of(Fineness::Coarse);
        if coarse == self.settings.nodes_per_core {
            return;
        }
        let (wanted, settings) = ([vortons, samples], self.settings);
        for (i, used) in [&mut self.mesh, &mut self.sample_mesh].into_iter().enumerate() {
            if self.fineness[i] == wanted[i] {
                continue;
            }
            let spare =
                self.spares[i].get_or_insert_with(|| Box::new(mesh(&settings, wanted[i]).anchored_as(used)));
            std::mem::swap(used, spare);
            used.swap_memory(spare);
            self.fineness[i] = wanted[i];
            // What samples are read from may not change the fluid.
            if i == 0 {
                self.steps_to_wait = 0;
            }
        }
    }

    /// The nodes of all meshes stay where they are relative to the fluid, whose place `origin` \[m\] becomes
    /// the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        let Self { mesh, sample_mesh, wide_mesh, spares, .. } = self;
        let spares = spares.iter_mut().flatten().map(|spare| &mut **spare);
        let meshes = [mesh, sample_mesh, wide_mesh].into_iter().chain(spares);
        meshes.for_each(|mesh| mesh.shift_origin(origin));
    }

    /// Chooses how the velocity of the first `vortons` sources is computed from now on: once per step, so
    /// that both solves of a step agree. Bodies hold the other sources.
    pub(crate) fn choose(&mut self, exec: &dyn Executor, sources: &Sources, vortons: usize) {
        self.on_mesh = match self.kind {
            SolverKind::Direct => false,
            SolverKind::Mesh => {
                self.fit_mesh(exec, sources);
                true
            }
            SolverKind::Auto => self.is_mesh_cheaper(exec, sources, vortons),
        };
        // Without vortons there is nothing to stay with.
        self.chosen = (vortons > 0).then_some(self.on_mesh);
    }

    /// All vortons are gone: those that come may be anywhere.
    pub(crate) fn forget_choice(&mut self) {
        (self.chosen, self.steps_to_wait) = (None, 0);
        self.mesh.forget_lattice();
        self.sample_mesh.forget_lattice();
        self.wide_mesh.forget_lattice();
        self.is_wide = false;
        self.spares.iter_mut().flatten().for_each(|mesh| mesh.forget_lattice());
    }

    /// Nodes of the mesh's box around the sources, and how many of these are outside: on a coarser lattice
    /// where they would cost a tenth of the mesh. Once a step, so that all solves of a step agree.
    fn fit_mesh(&mut self, exec: &dyn Executor, sources: &Sources) -> (usize, usize) {
        let Sources { positions, strengths, .. } = sources;
        let count = sources.len();
        let is_costly = |outside, nodes| are_dear(outside, count, nodes);
        let (found, other) = self.mesh.fit_lattice(exec, positions, strengths, is_costly);
        let Some(other) = other else { return found };
        let own = sources.own();
        let before = self.on_mesh.then(|| self.energy_anew(exec, positions, strengths, own));
        let found = self.mesh.take(other);
        self.remeasured = before.map(|before| (before, self.energy_anew(exec, positions, strengths, own)));
        found
    }

    /// If the lattice has changed since this was last asked: the energies of the same sources \[m⁵/s²\] on
    /// the one before and on the new one, which differ where a cloud is rough.
    pub(crate) fn take_remeasured(&mut self) -> Option<(f64, f64)> {
        self.remeasured.take()
    }

    fn is_mesh_cheaper(&mut self, exec: &dyn Executor, sources: &Sources, vortons: usize) -> bool {
        let direct = direct_cost(sources.len(), vortons);
        // Fewer than the smallest mesh is worth, chosen or not: the box need not be known.
        if direct * STICKINESS < mesh_cost(0, SMALLEST_MESH) {
            self.steps_to_wait = 0;
            return false;
        }
        // Fitting a box to a cloud too large for any box takes a third of a direct sum.
        if self.chosen == Some(false) && self.steps_to_wait > 0 && direct * MUCH_CHEAPER < self.mesh_cost {
            self.steps_to_wait -= 1;
            return false;
        }
        let (nodes, outside) = self.fit_mesh(exec, sources);
        let mesh = mesh_cost(sources.len(), nodes) + direct_cost(outside, sources.len());
        (self.mesh_cost, self.steps_to_wait) = (mesh, STEPS_BETWEEN_FITS);
        takes_mesh(self.chosen, mesh, direct)
    }

    /// True if vortons were solved on the mesh in the last step that had any; none at first.
    pub(crate) fn chosen(&self) -> Option<bool> {
        self.chosen
    }

    /// Puts a directly summed field on a mesh, for so many `samples` of what cannot act on the fluid:
    /// tracers, particle operations. How many of them there are changes what they see by the mesh's error,
    /// but never the fluid, so a game in lockstep may draw as many tracers as each machine can.
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
        let count = field.cloud.len();
        if sample_cost(samples, count) <= samples * SAMPLE {
            return;
        }
        field.cloud.write_to(sources);
        let (nodes, outside) = self.fit_for_samples(exec, samples, sources);
        let mesh = 0.5 * mesh_cost(count, nodes) + sample_cost(samples, outside);
        if mesh + samples * SAMPLE < sample_cost(samples, count) {
            let own = if self.is_wide { &mut self.wide_mesh } else { &mut self.sample_mesh };
            // The mesh of the vortons is at rest; its order has room for all of them.
            own.swap_memory(&mut self.mesh);
            own.solve(exec, sources, &mut field.mesh, &mut field.cloud, false);
            own.make_ahead(exec, &mut field.mesh, false);
            own.swap_memory(&mut self.mesh);
            field.sampled_on_mesh = true;
        }
    }

    /// Chooses the mesh for so many samples, and fits its box. Returns its nodes, and how many sources are
    /// outside.
    fn fit_for_samples(&mut self, exec: &dyn Executor, samples: f64, sources: &Sources) -> (usize, usize) {
        let (Sources { positions, strengths, .. }, count) = (sources, sources.len());
        let fit = |mesh: &mut MeshSolver| {
            let is_costly =
                |outside, nodes| sample_cost(samples, outside) > DEAR_STRAYS * 0.5 * mesh_cost(count, nodes);
            let (found, other) = mesh.fit_lattice(exec, positions, strengths, is_costly);
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

    /// Velocity and gradient at the first `vortons` sources, on a mesh at all that are no images (its sums
    /// want to be corrected together), and the field for samples. `with_energy` asks for the energy of all
    /// sources.
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
        if !self.on_mesh {
            field.cloud.set(positions, strengths);
            let flow = &mut flow[..vortons];
            let energy = if with_energy {
                self.pairs.flow_and_energy(exec, &field.cloud, sources, flow)
            } else {
                field.cloud.flow_in_parallel(exec, positions, flow);
                0.0
            };
            return SolveReport { energy, ..SolveReport::default() };
        }
        self.mesh.fit(exec, positions, strengths);
        let made_tables = self.mesh.lacks_tables();
        let mut energy = self.mesh.solve(exec, sources, &mut field.mesh, &mut field.cloud, with_energy);
        if with_energy {
            if !field.cloud.is_empty() {
                energy += self.energy_of_strays(exec, positions, strengths);
            }
            energy /= copies(positions, sources.own());
        }
        field.mesh.flow_in_parallel(exec, positions, &field.cloud, flow);
        SolveReport {
            nodes: field.mesh.shape().len(),
            outside: field.cloud.len(),
            nodes_per_core: self.mesh.nodes_per_core(),
            energy,
            made_tables,
        }
    }

    /// Makes a part of the tables of the mesh's next box, where one is expected: once a step, after the last
    /// solve; with `is_long`, if the step had other long work to do, only where they are needed soon.
    pub(crate) fn make_ahead(&mut self, exec: &dyn Executor, field: &mut PublishedField, is_long: bool) {
        if self.on_mesh {
            self.mesh.make_ahead(exec, &mut field.mesh, is_long);
        }
    }

    /// Energy (E8) \[m⁵/s²\] of these vortons, found as in the last [`solve`](Self::solve): on its mesh, or
    /// pair by pair. The first `own` of them are no images; the energy is that on one side of the mirrors.
    pub(crate) fn energy(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        own: usize,
    ) -> f64 {
        if !self.on_mesh {
            return self.pairs.energy(exec, positions, strengths, own);
        }
        let all =
            self.mesh.energy(exec, positions, strengths) + self.energy_of_strays(exec, positions, strengths);
        all / copies(positions, own)
    }

    /// The same without a solve before, as a solve would find it now.
    pub(crate) fn energy_anew(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        own: usize,
    ) -> f64 {
        if self.on_mesh {
            self.mesh.prepare(exec, positions, strengths);
        }
        self.energy(exec, positions, strengths, own)
    }

    /// True if the last energy has made the vector potentials at its sources known.
    pub(crate) fn knows_potentials(&self) -> bool {
        !self.on_mesh
    }

    /// Makes the vector potentials at `sources` known. Their energy must be the last result of
    /// [`solve`](Self::solve) or [`energy`](Self::energy).
    pub(crate) fn find_potentials(&mut self, exec: &dyn Executor, sources: &Sources) {
        self.find_components_of_potentials(exec, Components::All, sources);
    }

    /// The same for some components only, in a time proportional to their number: for
    /// [`Components::Xy`] first, and then for [`Components::Z`], which makes all known.
    pub(crate) fn find_components_of_potentials(
        &mut self,
        exec: &dyn Executor,
        components: Components,
        sources: &Sources,
    ) {
        if !self.on_mesh {
            // They are known: energies are sums of them.
            return;
        }
        let Sources { positions, strengths, .. } = sources;
        let potentials = self.pairs.potentials_mut(positions.len());
        self.mesh.potentials(exec, components, positions, strengths, potentials);
        if components != Components::Xy {
            // Strays add to all components at once.
            let mesh = &self.mesh;
            self.pairs.add_potentials_of_part(exec, positions, strengths, &|row| !mesh.is_in_box(row));
        }
    }

    /// The potentials that were last found, at the sources of then, to be put where these are now.
    pub(crate) fn last_potentials(&mut self) -> &mut Vec<Vec3> {
        self.pairs.last_potentials()
    }

    /// Slope b \[m⁵/s²\] of the energy E − λb + λ²q of the sources less λ times `direction`, from the known
    /// potentials: as [`energy`](Self::energy), on one side of the mirrors.
    pub(crate) fn slope(&mut self, exec: &dyn Executor, direction: &Vec3Columns, own: usize) -> f64 {
        let sum = self.pairs.slope(exec, direction);
        // A mesh errs differently on either side: its potentials are known on both.
        if self.on_mesh { sum / copies(direction, own) } else { sum }
    }

    /// Curvature q \[m⁵/s²\] of this energy: the energy of `direction` alone, as [`energy`](Self::energy).
    pub(crate) fn energy_of_change(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        direction: &Vec3Columns,
        own: usize,
    ) -> f64 {
        match self.on_mesh {
            true => self.energy(exec, positions, direction, own),
            false => self.pairs.energy_of_change(exec, positions, direction, own),
        }
    }

    /// Updates the potentials after `lambda` times the direction last given to
    /// [`energy_of_change`](Self::energy_of_change) has been taken out of `sources`.
    pub(crate) fn went_along(&mut self, exec: &dyn Executor, sources: &Sources, lambda: f32) {
        match self.on_mesh {
            true => self.find_potentials(exec, sources),
            false => self.pairs.went_along(lambda),
        }
    }

    /// Columns that the next energy overwrites.
    pub(crate) fn scratch(&mut self) -> [&mut Vec3Columns; 2] {
        self.pairs.scratch()
    }

    /// Lends a field without memory for sources that of the energies, or takes it back: no energy of a part
    /// may be asked for meanwhile.
    pub(crate) fn lend_cloud(&mut self, field: &mut PublishedField) {
        self.pairs.swap_cloud(&mut field.cloud);
    }

    /// What solves on a mesh work in, for others between two solves.
    pub(crate) fn scratch_of_mesh(&mut self) -> &mut Scratch {
        self.mesh.scratch_mut()
    }

    /// True if the energy of a part of so many `sources` costs less as a sum over its pairs than as the
    /// difference of the energies with it and without it.
    pub(crate) fn is_part_cheaper(&self, part: usize, sources: usize) -> bool {
        // An energy is half a solve.
        let energies = 0.5 * mesh_cost(sources, self.mesh.node_count());
        !self.on_mesh || part as f64 * sources as f64 * PAIR <= energies
    }

    /// The energy that a part of the first `own` vortons, which are no images, has by itself and with all
    /// others: what is gone without it and its images, on one side of the mirrors.
    pub(crate) fn energy_of_part(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        own: usize,
        is_one: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        self.pairs.energy_of_part(exec, positions, strengths, own, is_one)
    }

    /// What vortons and images outside of the mesh's box have by themselves and with those inside.
    fn energy_of_strays(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) -> f64 {
        let mesh = &self.mesh;
        self.pairs.energy_of_part(exec, positions, strengths, positions.len(), &|row| !mesh.is_in_box(row))
    }
}

/// How often each of the first `own` vortons is there, itself included \[1\].
fn copies(positions: &Vec3Columns, own: usize) -> f64 {
    positions.len().checked_div(own).unwrap_or(1) as f64
}

/// True if samples may read a coarse mesh by the spline: about as exact as the fine one read linearly, which
/// is what these settings ask for.
pub(super) fn can_be_wide(settings: &SolverSettings) -> bool {
    settings.field_sampling == FieldSampling::Trilinear
        && settings.nodes_per_core_of(Fineness::Coarse) < settings.nodes_per_core
}

fn mesh(settings: &SolverSettings, fineness: Fineness) -> MeshSolver {
    MeshSolver::new(&settings.direct, settings.nodes_per_core_of(fineness), settings.max_grid_nodes)
}

/// Spacing of a coarse mesh over that of the full one \[1\]: 0.3 of the nodes, margins aside.
const COARSENING: f32 = 1.5;

/// `Auto` changes over when the other way costs less than 1/this \[1\]: a tenth of the vortons, a fifth of
/// their pairs, may come and go.
const STICKINESS: f64 = 1.25;

/// Cost of the mesh over that of the direct sum \[1\] above which the two are compared only after
/// [`STEPS_BETWEEN_FITS`] steps.
const MUCH_CHEAPER: f64 = 2.0;

/// Steps between two such comparisons. A cloud that contracts is summed that much too long at most, which
/// costs time, not accuracy.
const STEPS_BETWEEN_FITS: u32 = 8;

/// Cost of what the mesh has no room for, over that of the mesh \[1\], above which a coarser lattice is worth
/// its errors.
const DEAR_STRAYS: f64 = 0.1;

/// Nodes from which on the mesh of samples is coarse, if that costs less: its spline errs by as much as what
/// is linear between the nodes of the fine one (jet: 5.6 and 5.7 % of the root mean square), and there are
/// three eighths of the nodes. It stays so down to a quarter of what it has then.
pub(super) const WIDE: usize = 1 << 16;
const LEAST_WIDE: usize = 1 << 13;

/// One vorton's box with its margins \[nodes\].
const SMALLEST_MESH: usize = 16 * 16 * 16;

/// Costs on one core \[ns\], measured once and fixed, so that the choice is the same on every machine. With
/// sixteen lanes a pair costs 0.95 and a node 33 to 58, with eight lanes a pair twice as much and a node a
/// third more; this is between, so that neither is much more than 1.3 times off where direct sum and mesh
/// cost the same (`cargo bench -p benches --bench solvers`).
const PAIR_WITH_GRADIENT: f64 = 1.3;
/// One place and one source, without gradient; 0.54 with sixteen lanes.
const PAIR: f64 = 0.75;
/// Of the smallest mesh.
const NODE: f64 = 38.0;
/// More for each doubling of the mesh, which outgrows one cache after the other.
const NODE_PER_DOUBLING: f64 = 4.0;
const VORTON: f64 = 100.0;
/// Reading one place from a mesh, over a direct sum without sources; 3.6 with sixteen lanes.
pub(super) const SAMPLE: f64 = 4.5;
/// Reading 27 nodes instead of 8 \[1\].
pub(super) const QUADRATIC: f64 = 2.5;

/// True if a solve at this cost on a mesh is chosen instead of a direct sum. A chosen one stays until the
/// other is clearly better.
pub(super) fn takes_mesh(chosen: Option<bool>, mesh: f64, direct: f64) -> bool {
    match chosen {
        Some(true) => mesh < direct * STICKINESS,
        Some(false) => mesh * STICKINESS < direct,
        None => mesh < direct,
    }
}

/// True if so many of the sources, left outside of a mesh of so many nodes, make a coarser lattice worth its
/// errors.
pub(super) fn are_dear(outside: usize, sources: usize, nodes: usize) -> bool {
    direct_cost(outside, sources) > DEAR_STRAYS * mesh_cost(sources, nodes)
}

/// Two solves of `sources` that are summed directly, at so many vortons.
pub(super) fn direct_cost(sources: usize, vortons: usize) -> f64 {
    2.0 * sources as f64 * vortons as f64 * PAIR_WITH_GRADIENT
}

/// Two solves on the mesh.
pub(super) fn mesh_cost(sources: usize, nodes: usize) -> f64 {
    let doublings = (nodes / SMALLEST_MESH).max(1).ilog2();
    let node = NODE + NODE_PER_DOUBLING * f64::from(doublings);
    2.0 * (nodes as f64 * node + sources as f64 * VORTON)
}

/// So many samples, summed directly.
pub(super) fn sample_cost(samples: f64, sources: usize) -> f64 {
    samples * sources as f64 * PAIR
}
