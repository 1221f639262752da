//! Saving the solver's choice: boxes and counts. Tables of meshes are not saved.

use super::Solver;
use crate::saved::{LoadError, Reader, Saved, Writer, check};

impl Saved for Solver {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            settings: _,
            kind: _,
            mesh,
            sample_mesh,
            wide_mesh,
            is_wide,
            pairs,
            expansion: _,
            on_mesh,
            tree_costs,
            steps_to_count,
            by_tree,
            apart,
            apart_for_samples,
            chosen,
            mesh_cost,
            steps_to_wait,
            remeasured,
            fineness,
            spares,
            others,
            mesh_order: _,
            samples_without_mesh,
            capacity: _,
            outside,
            before_division: _,
            made_tables,
        } = self;
        fineness.save(out);
        [mesh, sample_mesh, wide_mesh].into_iter().for_each(|mesh| mesh.save(out));
        for spare in spares {
            spare.is_some().save(out);
            spare.iter().for_each(|mesh| mesh.save(out));
        }
        others.save(out);
        (*outside as u64).save(out);
        made_tables.save(out);
        pairs.save(out);
        [*is_wide, *on_mesh].save(out);
        apart.save(out);
        apart_for_samples.save(out);
        chosen.save(out);
        mesh_cost.save(out);
        steps_to_wait.save(out);
        remeasured.save(out);
        samples_without_mesh.save(out);
        tree_costs.save(out);
        steps_to_count.save(out);
        by_tree.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let mut fineness = self.fineness;
        fineness.load(from)?;
        self.set_fineness(fineness[0], fineness[1]);
        check(self.fineness == fineness)?;
        let Self { mesh, sample_mesh, wide_mesh, .. } = self;
        [mesh, sample_mesh, wide_mesh].into_iter().try_for_each(|mesh| mesh.load(from))?;
        for i in 0..self.spares.len() {
            if from.value()? {
                let other = self.fineness[i].other();
                let spare =
                    self.spares[i].get_or_insert_with(|| Box::new(super::mesh(&self.settings, other)));
                spare.load(from)?;
            } else {
                self.spares[i] = None;
            }
        }
        let (settings, fineness) = (self.settings, self.fineness[0]);
        self.others.load(from, || super::mesh(&settings, fineness))?;
        let outside: u64 = from.value()?;
        self.outside = outside as usize;
        self.made_tables.load(from)?;
        self.pairs.load(from)?;
        [self.is_wide, self.on_mesh] = from.value()?;
        self.apart.load(from)?;
        self.apart_for_samples.load(from)?;
        self.chosen.load(from)?;
        self.mesh_cost.load(from)?;
        self.steps_to_wait.load(from)?;
        self.remeasured.load(from)?;
        self.samples_without_mesh.load(from)?;
        self.tree_costs.load(from)?;
        self.steps_to_count.load(from)?;
        self.by_tree.load(from)
    }
}
