//! The flow at vortons on several meshes: in the order of each mesh's vortons, so that successive ones are
//! near each other, and the flow of distant meshes is expanded (E70); those on no mesh follow, sorted
//! likewise.

use super::Solver;
use crate::constants::PARTICLE_CHUNK;
use crate::velocity::tree::SourceTree;
use crate::velocity::{FlowSample, PublishedField, Sources};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Number of vortons that one task samples.
const SAMPLED: usize = PARTICLE_CHUNK / 4;

/// Vortons in the order of meshes, with their flow.
#[derive(Debug, Clone, Default)]
pub(super) struct MeshOrder {
    rows: Vec<u32>,
    is_on_mesh: Vec<bool>,
    flow: Vec<FlowSample>,
    /// Of those on no mesh.
    tree: SourceTree,
}

impl MeshOrder {
    /// Reserves memory for `sources`, those that are not images.
    fn reserve(&mut self, sources: usize) {
        self.rows.reserve(sources.saturating_sub(self.rows.len()));
        self.is_on_mesh.reserve(sources.saturating_sub(self.is_on_mesh.len()));
        self.flow.reserve(sources.saturating_sub(self.flow.len()));
    }
}

impl Solver {
    /// Computes velocity and gradient at the first sources, as many as `flow` has elements, in the field of
    /// several meshes; at groups that are summed apart 0.
    pub(super) fn flow_by_meshes(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        field: &PublishedField,
        flow: &mut [FlowSample],
    ) {
        let Self { mesh, others, mesh_order, capacity, .. } = self;
        mesh_order.reserve((*capacity / sources.copies()).max(flow.len()));
        let MeshOrder { rows, is_on_mesh, flow: sorted, tree } = mesh_order;
        rows.clear();
        is_on_mesh.clear();
        is_on_mesh.resize(flow.len(), false);
        for row in [&*mesh].into_iter().chain(others.all()).flat_map(|mesh| mesh.rows_in_box()) {
            if let Some(mark) = is_on_mesh.get_mut(*row as usize).filter(|mark| !**mark) {
                *mark = true;
                rows.push(*row);
            }
        }
        let others = sources.rows_together(flow.len()).flatten().filter(|row| !is_on_mesh[*row]);
        let on_meshes = rows.len();
        rows.extend(others.map(|row| row as u32));
        tree.sort_near_each_other(exec, &sources.positions, &mut rows[on_meshes..]);
        sorted.resize(rows.len(), FlowSample::default());
        for_each_chunk_mut(exec, SAMPLED, sorted.as_mut_slice(), &|first, flow: &mut [FlowSample]| {
            let mut places = [Vec3::ZERO; SAMPLED];
            let places = &mut places[..flow.len()];
            for (place, row) in places.iter_mut().zip(&rows[first..]) {
                *place = sources.positions.get(*row as usize);
            }
            field.induced_together(false, places, flow);
        });
        flow.fill(FlowSample::default());
        for (row, sample) in rows.iter().zip(&*sorted) {
            flow[*row as usize] = *sample;
        }
    }
}
