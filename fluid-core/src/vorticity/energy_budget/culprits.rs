//! The clusters from which an excess is removed (E46): those whose vortons stretch or shorten as a whole.
//! Clusters far away that move on undisturbed keep their energy.

use super::{BudgetedCloud, EnergyBudget};
use crate::vorticity::clusters::{MOST_SUMS, sum_in_clusters};
use glam::{DVec2, Vec3};

impl EnergyBudget {
    /// Finds which part of a direction is removed from each cluster \[1\]; none if there is one cluster, or
    /// if all are steady. With g = |Σ α·Sα| of a cluster, the rate at which its Σ|α|²/2 changes, and
    /// r = g / Σ|α|², the part is the square of r over the mean of r that is weighted by g, at most 1.
    pub(super) fn find_shares(&mut self, cloud: &BudgetedCloud) {
        self.shares.clear();
        let (clusters, flow, strengths) = (cloud.clusters, cloud.flow, &cloud.sources.strengths);
        if clusters.count() < 2 {
            return;
        }
        let of_row = |row: usize| {
            let strength: Vec3 = strengths.get(row);
            let (gradient, strength) = (flow[row].gradient.as_dmat3(), strength.as_dvec3());
            let both = DVec2::new(strength.dot(gradient * strength), strength.length_squared());
            both.is_finite().then_some((clusters.of(row), both))
        };
        let size = (cloud.ids.len(), clusters.count(), MOST_SUMS);
        sum_in_clusters(cloud.exec, size, (&mut self.changes_of_squares, DVec2::ZERO), &of_row, &|a, b| {
            a + b
        });
        self.changes_of_squares.truncate(clusters.count());
        let changes = &mut self.changes_of_squares;
        changes.iter_mut().for_each(|sums| sums.x = sums.x.abs());
        let changing = changes.iter().filter(|sums| sums.x > 0.0 && sums.y > 0.0);
        let add = |(all, weighted), sums: &DVec2| (all + sums.x, weighted + sums.x * (sums.x / sums.y));
        let (all, weighted) = changing.fold((0.0, 0.0), add);
        let mean: f64 = weighted / all;
        if !(mean > 0.0 && mean.is_finite()) {
            return;
        }
        let share = |sums: &DVec2| (sums.x / sums.y / mean).min(1.0).powi(2) as f32;
        self.shares.extend(changes.iter().map(|sums| if sums.y > 0.0 { share(sums) } else { 0.0 }));
    }

    /// Restricts `direction` to the clusters' shares.
    pub(super) fn take_shares(&mut self, cloud: &BudgetedCloud) {
        if self.shares.is_empty() {
            return;
        }
        for row in 0..cloud.ids.len() {
            let share = self.shares[cloud.clusters.of(row)];
            self.direction.set(row, self.direction.get(row) * share);
        }
    }
}
