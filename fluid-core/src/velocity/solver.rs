//! Who computes the velocity: the direct sum or the mesh.

use super::direct::DirectSettings;
use super::mesh::MeshSolver;
use super::pair_energy::PairEnergy;
use super::{FieldSampling, FlowSample, PublishedField, SolverKind, Sources};
use crate::math::Vec3Columns;
use crate::particles::Vortons;
use fluid_threads::Executor;

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

/// Makes velocities and fields.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    kind: SolverKind,
    mesh: MeshSolver,
    pairs: PairEnergy,
    /// What `Auto` chose last.
    on_mesh: bool,
}

/// What a solve used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SolveReport {
    /// Nodes of the mesh; 0 for the direct sum.
    pub(crate) nodes: usize,
    /// Vortons that the mesh's box has no room for.
    pub(crate) outside: usize,
    /// Energy of all sources (E8) \[m⁵/s²\], if it was asked for.
    pub(crate) energy: f64,
}

impl Solver {
    pub(crate) fn new(settings: &SolverSettings) -> Self {
        Self {
            kind: settings.kind,
            mesh: MeshSolver::new(&settings.direct, settings.nodes_per_core, settings.max_grid_nodes),
            pairs: PairEnergy::new(settings.direct),
            on_mesh: false,
        }
    }

    /// Makes room for `vortons`.
    pub(crate) fn reserve(&mut self, vortons: usize) {
        self.mesh.reserve(vortons);
        self.pairs.reserve(vortons);
    }

    /// Chooses how the vortons' velocity is computed from now on: once per step, so that both solves of a step agree.
    pub(crate) fn choose(&mut self, vortons: &Vortons) {
        self.on_mesh = match self.kind {
            SolverKind::Direct => false,
            SolverKind::Mesh => true,
            SolverKind::Auto => {
                let (nodes, outside) = self.mesh.fit(&vortons.positions, &vortons.strengths);
                let direct = direct_cost(vortons.len(), vortons.len());
                let mesh = mesh_cost(vortons.len(), nodes) + direct_cost(outside, vortons.len());
                // A chosen one stays until the other is clearly better.
                if self.on_mesh { mesh < direct * STICKINESS } else { mesh * STICKINESS < direct }
            }
        };
    }

    /// Velocity and gradient at the first `vortons` sources, on a mesh at all of them (its sums want to be corrected together), and the field for
    /// everybody else. `with_energy` asks for the energy of all sources.
    pub(crate) fn solve(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        vortons: usize,
        field: &mut PublishedField,
        flow: &mut Vec<FlowSample>,
        with_energy: bool,
    ) -> SolveReport {
        let Sources { positions, strengths } = sources;
        flow.resize(sources.len(), FlowSample::default());
        field.on_mesh = self.on_mesh;
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
        self.mesh.fit(positions, strengths);
        let mut energy = self.mesh.solve(exec, positions, strengths, &mut field.mesh, with_energy);
        if with_energy {
            energy += self.energy_of_strays(exec, positions, strengths);
        }
        field.mesh.flow_in_parallel(exec, positions, flow);
        SolveReport { nodes: field.mesh.shape().len(), outside: field.mesh.stray_count(), energy }
    }

    /// Energy (E8) \[m⁵/s²\] of these vortons, found as in the last [`solve`](Self::solve): on its mesh, or pair by pair.
    pub(crate) fn energy(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) -> f64 {
        if !self.on_mesh {
            return self.pairs.energy(exec, positions, strengths);
        }
        self.mesh.energy(exec, positions, strengths) + self.energy_of_strays(exec, positions, strengths)
    }

    /// Part of the energy that a few vortons have by themselves and with all others: what is gone without them.
    pub(crate) fn energy_of_few(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
        is_one: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        self.pairs.energy_of_part(exec, positions, strengths, is_one)
    }

    /// What vortons outside of the mesh's box have by themselves and with those inside.
    fn energy_of_strays(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        strengths: &Vec3Columns,
    ) -> f64 {
        let mesh = &self.mesh;
        self.pairs.energy_of_part(exec, positions, strengths, &|row| !mesh.is_in_box(row))
    }
}

/// `Auto` changes over when the other way costs less than 1/this \[1\].
const STICKINESS: f64 = 1.5;

/// Costs on one core \[ns\], measured once and fixed, so that the choice is the same on every machine.
const PAIR_WITH_GRADIENT: f64 = 0.7;
const PAIR: f64 = 0.4;
const NODE: f64 = 60.0;
const VORTON: f64 = 80.0;
const SAMPLE: f64 = 8.0;

/// Places at which the field is taken to be sampled in a step, twice each \[places\]. A constant: if it were the number of tracers,
/// how many of them a player's machine can draw would change the fluid.
const SAMPLES: f64 = 8192.0;

/// Two solves at all vortons, and the field, of `sources` that are summed directly.
fn direct_cost(sources: usize, vortons: usize) -> f64 {
    2.0 * sources as f64 * (vortons as f64 * PAIR_WITH_GRADIENT + SAMPLES * PAIR)
}

fn mesh_cost(vortons: usize, nodes: usize) -> f64 {
    2.0 * (nodes as f64 * NODE + vortons as f64 * VORTON + SAMPLES * SAMPLE)
}
