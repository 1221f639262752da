//! Energies of the sources and vector potentials at them, by the method of the last solve.

use super::Solver;
use super::costs::{PAIR, mesh_cost};
use crate::math::Vec3Columns;
use crate::velocity::mesh::{Components, PotentialElsewhere};
use crate::velocity::{PublishedField, Scratch, Sources};
use fluid_threads::Executor;
use glam::Vec3;

impl Solver {
    /// Computes the energy (E8) \[m⁵/s²\] of these sources by the method of the last [`solve`](Self::solve):
    /// on its mesh, or pair by pair. The energy is that on one side of the mirrors. The `strengths` are those
    /// of the sources, or others of the sources that are in no group.
    pub(crate) fn energy(&mut self, exec: &dyn Executor, sources: &Sources, strengths: &Vec3Columns) -> f64 {
        if !self.on_mesh {
            return self.pairs.energy(exec, sources, strengths);
        }
        self.energy_together(exec, sources, strengths) + self.pairs.energy_of_groups(exec, sources, strengths)
    }

    /// As [`energy`](Self::energy) on a mesh, without the groups that are summed apart.
    pub(super) fn energy_together(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        let others = self.others.energy(exec, &mut self.mesh, sources, strengths);
        let on_meshes = others + self.mesh.energy(exec, sources, strengths);
        (on_meshes + self.energy_of_strays(exec, sources, strengths)) / sources.copies() as f64
    }

    /// As [`energy`](Self::energy), without a previous solve, by the method that a solve would use now.
    pub(crate) fn energy_anew(&mut self, exec: &dyn Executor, sources: &Sources) -> f64 {
        if self.on_mesh {
            self.limit_first_mesh();
            self.made_tables |= self.mesh.prepare(exec, sources);
            let most = self.settings.max_grid_nodes;
            self.made_tables |= self.others.prepare(exec, &mut self.mesh, sources, most);
        }
        self.energy(exec, sources, &sources.strengths)
    }

    /// Returns true if the last energy has computed the vector potentials at its sources.
    pub(crate) fn knows_potentials(&self) -> bool {
        !self.on_mesh
    }

    /// Computes the vector potentials at `sources`. Their energy must be the last result of
    /// [`solve`](Self::solve) or [`energy`](Self::energy).
    pub(crate) fn find_potentials(&mut self, exec: &dyn Executor, sources: &Sources) {
        self.find_components_of_potentials(exec, Components::All, sources);
    }

    /// As [`find_potentials`](Self::find_potentials) for some components only, in a time proportional to
    /// their number: call with [`Components::Xy`] first, then with [`Components::Z`], which completes them.
    pub(crate) fn find_components_of_potentials(
        &mut self,
        exec: &dyn Executor,
        components: Components,
        sources: &Sources,
    ) {
        if !self.on_mesh {
            // Already computed: energies are sums of them.
            return;
        }
        let potentials = self.pairs.potentials_mut(sources.len());
        self.mesh.potentials(exec, components, sources, PotentialElsewhere::Zero, potentials);
        self.others.potentials(exec, &mut self.mesh, components, (sources, potentials));
        if components != Components::Xy {
            // Strays and groups add to all components at once.
            let (mesh, others) = (&self.mesh, &self.others);
            self.pairs
                .add_potentials_of_part(exec, sources, &|row| !(mesh.is_in_box(row) || others.has(row)));
            self.pairs.add_potentials_of_groups(exec, sources);
        }
    }

    /// Returns the potentials last computed, in the order of the sources at that time, to be reordered for
    /// the current ones.
    pub(crate) fn last_potentials(&mut self) -> &mut Vec<Vec3> {
        self.pairs.last_potentials()
    }

    /// Returns the slope b \[m⁵/s²\] of E − λb + λ²q, the energy of the sources minus λ times `direction`,
    /// from the known potentials: as [`energy`](Self::energy), on one side of the mirrors.
    pub(crate) fn slope(&mut self, exec: &dyn Executor, sources: &Sources, direction: &Vec3Columns) -> f64 {
        let sum = self.pairs.slope(exec, direction);
        // A mesh has different errors on either side, so its potentials are known on both.
        if self.on_mesh { sum / sources.copies() as f64 } else { sum }
    }

    /// Returns the curvature q \[m⁵/s²\] of this energy: the energy of `direction` alone, as
    /// [`energy`](Self::energy).
    pub(crate) fn energy_of_change(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        direction: &Vec3Columns,
    ) -> f64 {
        match self.on_mesh {
            true => self.energy_together(exec, sources, direction),
            false => self.pairs.energy_of_change(exec, sources, direction),
        }
    }

    /// Updates the potentials after `lambda` times the last direction passed to
    /// [`energy_of_change`](Self::energy_of_change) has been subtracted from `sources`.
    pub(crate) fn went_along(&mut self, exec: &dyn Executor, sources: &Sources, lambda: f32) {
        match self.on_mesh {
            true => self.find_potentials(exec, sources),
            false => self.pairs.went_along(lambda),
        }
    }

    /// Returns columns that the next energy overwrites.
    pub(crate) fn scratch(&mut self) -> [&mut Vec3Columns; 2] {
        self.pairs.scratch()
    }

    /// Lends the energies' source memory to a field without such memory, or takes it back: no energy of a
    /// part may be computed meanwhile.
    pub(crate) fn lend_cloud(&mut self, field: &mut PublishedField) {
        self.pairs.swap_cloud(&mut field.cloud);
    }

    /// Returns the scratch memory of mesh solves, for other uses between two solves.
    pub(crate) fn scratch_of_mesh(&mut self) -> &mut Scratch {
        self.mesh.scratch_mut()
    }

    /// Returns true if the energy of a part of the `sources` costs less as a sum over its pairs than as the
    /// difference of the energies with and without it.
    pub(crate) fn is_part_cheaper(&self, part: usize, sources: usize) -> bool {
        // An energy is half a solve.
        let energies = 0.5 * mesh_cost(sources, self.mesh.node_count() + self.others.node_count());
        !self.on_mesh || part as f64 * sources as f64 * PAIR <= energies
    }

    /// Computes the energy that a part of the vortons, which are not images, has by itself and with all
    /// others: the amount by which the energy falls without it and its images, on one side of the mirrors.
    pub(crate) fn energy_of_part(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        is_one: &(dyn Fn(usize) -> bool + Sync),
    ) -> f64 {
        let Sources { positions, strengths, .. } = sources;
        self.pairs.energy_of_part(exec, positions, strengths, sources.own(), is_one)
    }

    /// Computes the energy of vortons and images outside of the mesh's box, by themselves and with those
    /// inside, without groups that are summed apart.
    pub(super) fn energy_of_strays(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        strengths: &Vec3Columns,
    ) -> f64 {
        let (mesh, others) = (&self.mesh, &self.others);
        let is_stray = |row| !(mesh.is_in_box(row) || others.has(row));
        self.pairs.energy_of_strays(exec, sources, strengths, &is_stray)
    }
}
