//! The clusters from which an excess is removed (E46): those with vortons that stretch or shorten, as a whole
//! or each for itself. Clusters far away that move on undisturbed keep most of their energy.

use super::directions::strain;
use super::{BudgetedCloud, EnergyBudget};
use crate::vorticity::clusters::{MOST_SUMS, sum_in_clusters};
use glam::{DVec3, Vec3};

/// Least rate of a cluster of which some vortons stretch and others shorten, relative to the mean of their
/// own rates \[1\]: they may break up without order. In a steady ring, vortons that turn around its core do
/// so.
const INCOHERENT: f64 = 0.1;

impl EnergyBudget {
    /// Finds which part of a direction is removed from each cluster \[1\]; none if there is one cluster, or
    /// if all are steady. With g = max(|Σ α·Sα|, .1 Σ|α·Sα|) of a cluster, the rate at which its Σ|α|²/2
    /// changes, or its vortons' parts of it, and q = g / Σ |S| |α|², at most 1, the part is the square of q
    /// over the mean of q that is weighted by g, at most 1. How fast a cluster's flow is does not matter.
    pub(super) fn find_shares(&mut self, cloud: &BudgetedCloud) {
        self.shares.clear();
        let (clusters, flow, strengths) = (cloud.clusters, cloud.flow, &cloud.sources.strengths);
        if clusters.count() < 2 {
            return;
        }
        let of_row = |row: usize| {
            let strength: Vec3 = strengths.get(row);
            let (gradient, strength) = (flow[row].gradient.as_dmat3(), strength.as_dvec3());
            let change = strength.dot(gradient * strength);
            let size = f64::from(strain(&flow[row])) * strength.length_squared();
            let sums = DVec3::new(change, change.abs(), size);
            sums.is_finite().then_some((clusters.of(row), sums))
        };
        let size = (cloud.ids.len(), clusters.count(), MOST_SUMS);
        sum_in_clusters(cloud.exec, size, (&mut self.changes_of_squares, DVec3::ZERO), &of_row, &|a, b| {
            a + b
        });
        self.changes_of_squares.truncate(clusters.count());
        let changes = &mut self.changes_of_squares;
        changes.iter_mut().for_each(|sums| sums.x = sums.x.abs().max(INCOHERENT * sums.y));
        let changing = changes.iter().filter(|sums| sums.x > 0.0 && sums.z > 0.0);
        let add = |(all, weighted), sums: &DVec3| (all + sums.x, weighted + sums.x * (sums.x / sums.z));
        let (all, weighted) = changing.fold((0.0, 0.0), add);
        let mean: f64 = weighted / all;
        if !(mean > 0.0 && mean.is_finite()) {
            return;
        }
        let share = |sums: &DVec3| (sums.x / sums.z / mean).min(1.0).powi(2) as f32;
        self.shares.extend(changes.iter().map(|sums| if sums.z > 0.0 { share(sums) } else { 0.0 }));
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
