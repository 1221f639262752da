//! Meshes of clusters far from the one with most vortons (E67).

use super::costs::STICKINESS;
use super::division::{Divided, Division, cost_of, is_filled};
use super::{Solver, mesh};
use crate::constants::LEAST_GRID_NODES;
use crate::grid::Domain;
use crate::math::Vec3Columns;
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use crate::velocity::flow_parts::MOST_OTHERS;
use crate::velocity::mesh::{Components, Elsewhere, MeshField, MeshSolver, PotentialElsewhere, SolvePurpose};
use crate::velocity::strength_scale::StrengthScale;
use crate::velocity::{SolverSettings, SourceCloud, Sources};
use fluid_threads::Executor;
use glam::Vec3;

/// Steps from one search for a better division to the next.
const STEPS_BETWEEN_DIVISIONS: u32 = 8;

/// The meshes besides that with most vortons. Sources in none of their domains are summed directly.
#[derive(Debug, Clone)]
pub(super) struct OtherMeshes {
    solvers: Vec<MeshSolver>,
    steps_to_wait: u32,
    /// True if the cost of the present division is known.
    is_known: bool,
    /// Number of vortons for which there is memory.
    capacity: usize,
    /// Cost of reading their far fields at the vortons of others, in two solves, when they were chosen
    /// \[ns\].
    reading: f64,
    division: Division,
    /// No sources: those beside the meshes are beside the first one.
    strays: SourceCloud,
    grouped: SourceCloud,
}

impl OtherMeshes {
    pub(super) fn new(settings: &SolverSettings) -> Self {
        Self {
            solvers: Vec::new(),
            steps_to_wait: 0,
            is_known: false,
            capacity: 0,
            reading: 0.0,
            division: Division::default(),
            strays: SourceCloud::new(settings.direct),
            grouped: SourceCloud::new(settings.direct),
        }
    }

    /// Reserves memory for `vortons`.
    pub(super) fn reserve(&mut self, vortons: usize) {
        self.capacity = vortons;
    }

    pub(super) fn all(&self) -> &[MeshSolver] {
        &self.solvers
    }

    pub(super) fn all_mut(&mut self) -> &mut [MeshSolver] {
        &mut self.solvers
    }

    /// Returns true if there is more than one mesh.
    pub(super) fn are_used(&self) -> bool {
        !self.solvers.is_empty()
    }

    /// Returns the cost of reading far fields at the vortons of other meshes in two solves \[ns\].
    pub(super) fn reading(&self) -> f64 {
        self.reading
    }

    /// Returns an upper bound \[bytes\] on the memory for nodes.
    pub(super) fn memory(&self) -> usize {
        self.all().iter().map(MeshSolver::memory).sum()
    }

    /// Returns the number of nodes.
    pub(super) fn node_count(&self) -> usize {
        self.all().iter().map(MeshSolver::node_count).sum()
    }

    /// Returns true if this source was on one of the meshes in the last field or energy computation.
    pub(super) fn has(&self, row: usize) -> bool {
        self.all().iter().any(|mesh| mesh.is_in_box(row))
    }

    /// Fits the boxes one after the other, each to the nodes that the others leave of `most`, of which the
    /// first mesh has `first`. Returns the number of sources in their domains that are outside.
    pub(super) fn fit(&mut self, exec: &dyn Executor, sources: &Sources, first: usize, most: usize) -> usize {
        let mut outside = 0;
        self.one_by_one(first, most, |mesh| outside += mesh.fit(exec, sources).1);
        outside
    }

    /// Calls `fit` for each mesh, after its maximum number of nodes has been set to what the others leave.
    fn one_by_one(&mut self, first: usize, most: usize, mut fit: impl FnMut(&mut MeshSolver)) {
        let mut taken = first + self.node_count();
        for mesh in &mut self.solvers {
            taken -= mesh.node_count();
            mesh.set_max_nodes(room(most, taken, mesh));
            fit(mesh);
            taken += mesh.node_count();
        }
    }

    /// Returns true if the next solve makes tables.
    pub(super) fn lack_tables(&self) -> bool {
        self.all().iter().any(MeshSolver::lacks_tables)
    }

    /// Calls `call` for each mesh, with the scratch of the `first` one.
    fn with_scratch(&mut self, first: &mut MeshSolver, mut call: impl FnMut(usize, &mut MeshSolver)) {
        for (i, mesh) in self.solvers.iter_mut().enumerate() {
            mesh.swap_scratch(first);
            call(i, mesh);
            mesh.swap_scratch(first);
        }
    }

    /// Prepares for energies without a solve. Returns true if it has made tables.
    pub(super) fn prepare(
        &mut self,
        exec: &dyn Executor,
        first: &mut MeshSolver,
        sources: &Sources,
        most: usize,
    ) -> bool {
        let mut makes_tables = false;
        self.one_by_one(first.node_count(), most, |mesh| {
            mesh.swap_scratch(first);
            makes_tables |= mesh.prepare(exec, sources);
            mesh.swap_scratch(first);
        });
        makes_tables
    }

    /// Computes the fields, and the energies if requested: without those between different meshes. The
    /// velocities \[m/s\] of sources of volume at the first sources are added to `expansion`.
    pub(super) fn solve(
        &mut self,
        exec: &dyn Executor,
        first: &mut MeshSolver,
        sources: &Sources,
        fields: &mut [MeshField],
        (purpose, expansion): (SolvePurpose, &mut [Vec3]),
    ) -> f64 {
        let Self { solvers, strays, grouped, .. } = self;
        let mut energy = 0.0;
        for (mesh, field) in solvers.iter_mut().zip(fields) {
            mesh.swap_scratch(first);
            let beside = (&mut *strays, &*grouped);
            energy += mesh.solve(exec, sources, field, beside, Elsewhere::ALL, (purpose, &mut *expansion));
            mesh.swap_scratch(first);
        }
        energy
    }

    /// Makes a part of the tables of the next boxes.
    pub(super) fn make_ahead(
        &mut self,
        exec: &dyn Executor,
        first: &mut MeshSolver,
        fields: &mut [MeshField],
        is_long: bool,
    ) {
        self.with_scratch(first, |i, mesh| {
            if let Some(field) = fields.get_mut(i) {
                mesh.make_ahead(exec, field, is_long);
            }
        });
    }

    /// Computes the energy \[m⁵/s²\] of the sources with these strengths on each mesh.
    pub(super) fn energy(
        &mut self,
        exec: &dyn Executor,
        first: &mut MeshSolver,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        let mut energy = 0.0;
        self.with_scratch(first, |_, mesh| energy += mesh.energy(exec, sources, strengths));
        energy
    }

    /// Computes these components of the vector potentials at the vortons on each mesh.
    pub(super) fn potentials(
        &mut self,
        exec: &dyn Executor,
        first: &mut MeshSolver,
        components: Components,
        (sources, out): (&Sources, &mut [Vec3]),
    ) {
        let kept = PotentialElsewhere::Kept;
        self.with_scratch(first, |_, mesh| mesh.potentials(exec, components, sources, kept, out));
    }
}

impl Solver {
    /// Divides the sources between meshes, if another division costs less. Returns the energy as the present
    /// one would have measured it, if it has changed and there is one.
    pub(super) fn divide(&mut self, exec: &dyn Executor, sources: &Sources) -> Option<f64> {
        let (nodes, others) = (self.mesh.node_count(), &mut self.others);
        // Boxes are fitted in each step on meshes alone, so only then is the cost of the present ones known.
        let is_known = others.is_known && self.chosen == Some(true) && nodes > 0;
        if is_known && others.steps_to_wait > 0 {
            others.steps_to_wait -= 1;
            return None;
        }
        (others.steps_to_wait, others.is_known) = (STEPS_BETWEEN_DIVISIONS, true);
        if is_known && !others.are_used() && is_filled(nodes, sources.len()) && self.outside == 0 {
            return None;
        }
        let (spacing, max_nodes) = (self.mesh.finest_spacing(), self.settings.max_grid_nodes);
        let vortons = Divided { positions: &sources.positions, spacing, max_nodes };
        let scale = StrengthScale::of_columns(exec, &sources.strengths);
        let rates = StrengthScale::of_rates(sources.rates());
        let counting = scale.counting(&sources.strengths).or(rates, sources.rates());
        others.division.reserve(others.capacity);
        let cost = others.division.find(vortons, &counting.without_apart(sources.groups()));
        let all = [nodes].into_iter().chain(others.all().iter().map(MeshSolver::node_count));
        let present = cost_of(others.division.vortons(), all, self.outside) + others.reading;
        let is_better = !is_known || cost * STICKINESS < present;
        if !is_better || others.is_alike(self.mesh.domain(), sources) {
            return None;
        }
        let before = (self.on_mesh && self.chosen.is_some()).then(|| self.energy_anew(exec, sources));
        self.take_division();
        before
    }

    /// Takes the division that was found last.
    fn take_division(&mut self) {
        let (settings, fineness) = (self.settings, self.fineness[0]);
        let Self { mesh: first, others, .. } = self;
        others.reading = others.division.reading;
        let mut domains = others.division.domains();
        first.set_domain(domains.next().unwrap_or(Domain::ALL));
        let mut used = 0;
        for domain in domains {
            if others.solvers.len() == used {
                let mut new = mesh(&settings, fineness).anchored_as(first);
                new.reserve(others.capacity);
                others.solvers.push(new);
            }
            others.solvers[used].set_domain(domain);
            used += 1;
        }
        // A mesh that is not in use would have a past that snapshots do not know.
        others.solvers.truncate(used);
    }

    /// Limits the first mesh to the nodes that the others leave.
    pub(super) fn limit_first_mesh(&mut self) {
        let taken = self.others.node_count();
        self.mesh.set_max_nodes(room(self.settings.max_grid_nodes, taken, &self.mesh));
    }

    /// Returns the number of sources that count and are in no domain.
    pub(super) fn in_no_domain(&self, exec: &dyn Executor, sources: &Sources) -> usize {
        if self.mesh.domain() == Domain::ALL {
            return 0;
        }
        let meshes = || [&self.mesh].into_iter().chain(self.others.all());
        let scale = StrengthScale::of_columns(exec, &sources.strengths);
        let is_out = |&row: &usize| {
            scale.counts(sources.strengths.get(row))
                && !sources.is_apart(row)
                && !meshes().any(|mesh| mesh.domain().contains(sources.positions.get(row)))
        };
        (0..sources.len()).filter(is_out).count()
    }

    /// Returns to one mesh for all sources.
    pub(super) fn forget_division(&mut self) {
        self.mesh.set_domain(Domain::ALL);
        self.others.solvers.clear();
        (self.others.steps_to_wait, self.others.reading, self.others.is_known) = (0, 0.0, false);
        self.outside = 0;
    }
}

/// Returns the maximum number of nodes of a mesh if the others have `taken` so many of `most`.
fn room(most: usize, taken: usize, mesh: &MeshSolver) -> usize {
    most.saturating_sub(taken).max(mesh.node_count()).max(LEAST_GRID_NODES)
}

/// Number of parts and, for those in none, one more.
const PARTS: usize = MOST_OTHERS + 2;

impl OtherMeshes {
    /// Returns true if the division found last has the same vortons together as the present one; `first` is
    /// the domain of the first mesh.
    fn is_alike(&self, first: Domain, sources: &Sources) -> bool {
        let present = || [first].into_iter().chain(self.all().iter().map(MeshSolver::domain));
        let (mut there, mut back) = ([None; PARTS], [None; PARTS]);
        self.division.rows().all(|row| {
            let place = sources.positions.get(row);
            let is_here = |domain: Domain| domain.contains(place);
            let from = present().position(is_here).unwrap_or(PARTS - 1);
            let to = self.division.domains().position(is_here).unwrap_or(PARTS - 1);
            *there[from].get_or_insert(to) == to && *back[to].get_or_insert(from) == from
        })
    }

    pub(super) fn save(&self, out: &mut Writer<'_>) {
        let Self {
            solvers,
            steps_to_wait,
            is_known,
            capacity: _,
            reading,
            division: _,
            strays: _,
            grouped: _,
        } = self;
        (solvers.len() as u32).save(out);
        steps_to_wait.save(out);
        is_known.save(out);
        reading.save(out);
        solvers.iter().for_each(|mesh| mesh.save(out));
    }

    /// Loads the saved state; meshes that are missing are made by `new`.
    pub(super) fn load(
        &mut self,
        from: &mut Reader<'_>,
        new: impl Fn() -> MeshSolver,
    ) -> Result<(), LoadError> {
        let used: u32 = from.value()?;
        check(used as usize <= MOST_OTHERS)?;
        self.steps_to_wait.load(from)?;
        self.is_known.load(from)?;
        self.reading.load(from)?;
        check(self.reading.is_finite() && self.reading >= 0.0)?;
        self.solvers.truncate(used as usize);
        while self.solvers.len() < used as usize {
            let mut new = new();
            new.reserve(self.capacity);
            self.solvers.push(new);
        }
        self.solvers.iter_mut().try_for_each(|mesh| {
            mesh.load(from)?;
            mesh.forget_scratch();
            Ok(())
        })
    }
}
