//! The choice between sums over pairs and by a tree (E76), by counts alone.

use super::costs::{STICKINESS, direct_cost, least_of_tree, tree_costs};
use super::groups::summed_apart;
use super::{STEPS_BETWEEN_FITS, Solver};
use crate::velocity::Sources;
use fluid_threads::Executor;

/// Cost of a direct sum \[ns\] from which a tree may cost less.
const LEAST_OF_TREE: f64 = 1e6;

/// Change of the number of sources after which the cost of a tree is counted again \[1\].
const RECOUNTED: f64 = 0.2;

impl Solver {
    /// Chooses whether a tree is used for sums, which cost `direct` pair by pair. Returns the cost of the
    /// cheaper of both.
    pub(super) fn choose_tree(
        &mut self,
        exec: &dyn Executor,
        sources: &Sources,
        vortons: usize,
        direct: f64,
    ) -> f64 {
        let apart = direct_cost(summed_apart(sources), vortons);
        if direct - apart < LEAST_OF_TREE {
            (self.tree_costs, self.steps_to_count) = (([f64::INFINITY; 2], 0), 0);
            self.set_by_tree(exec, sources, false);
            return direct;
        }
        if self.chosen == Some(true) && self.mesh_cost < least_of_tree(sources.len()) {
            self.steps_to_count = 0;
            self.set_by_tree(exec, sources, false);
            return direct;
        }
        let (count, before) = (sources.len() as f64, self.tree_costs.1 as f64);
        if self.steps_to_count == 0 || (count - before).abs() > RECOUNTED * before {
            let counts = self.pairs.count_by_tree(exec, sources);
            let costs = counts.map_or([f64::INFINITY; 2], |counts| tree_costs(sources.len(), counts));
            (self.tree_costs, self.steps_to_count) = ((costs, sources.len() as u64), STEPS_BETWEEN_FITS);
        }
        self.steps_to_count -= 1;
        let (costs, counted) = self.tree_costs;
        let by_tree = (costs[0] + costs[1]) * (count / counted as f64) + apart;
        let sticky = if self.by_tree { STICKINESS } else { 1.0 / STICKINESS };
        self.set_by_tree(exec, sources, by_tree < direct * sticky);
        if self.by_tree { by_tree } else { direct }
    }

    /// Returns the costs \[ns\] of two solves and of nominal samples by a tree, if it is used without a mesh.
    pub(crate) fn costs_by_tree(&self) -> Option<[f64; 2]> {
        self.by_tree.then_some(self.tree_costs.0)
    }

    /// Returns true if vortons that were not solved on the mesh were summed by a tree.
    pub(crate) fn sums_by_tree(&self) -> bool {
        self.by_tree
    }

    /// Sums by a tree, or pair by pair: with other energies, by a ten-thousandth.
    fn set_by_tree(&mut self, exec: &dyn Executor, sources: &Sources, by_tree: bool) {
        if by_tree != self.by_tree && self.chosen == Some(false) {
            let energies = [self.by_tree, by_tree].map(|by_tree| {
                self.pairs.set_by_tree(by_tree);
                self.pairs.energy(exec, sources, &sources.strengths)
            });
            self.remeasured = Some(energies.into());
        }
        self.by_tree = by_tree;
        self.pairs.set_by_tree(by_tree);
    }
}
