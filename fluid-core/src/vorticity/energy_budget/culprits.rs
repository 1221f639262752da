//! The clusters from which an excess is removed (E46): those with vortons that stretch or shorten, as a whole
//! or each for itself. Clusters far away that move on undisturbed keep most of their energy.

use super::directions::strain;
use super::{BudgetedCloud, EnergyBudget};
use crate::vorticity::clusters::{MOST_SUMS, sum_in_clusters};
use glam::{DVec3, DVec4, Vec3};

/// Least rate of a cluster of which some vortons stretch and others shorten, relative to the mean of their
/// own rates \[1\]: they may break up without order. In a steady ring, vortons that turn around its core do
/// so.
const INCOHERENT: f64 = 0.1;

/// Largest part of the strengths of a cluster that scaling takes because of its share, before it takes some
/// from all \[1\].
const MOST_BY_SHARES: f64 = 0.3;

impl EnergyBudget {
    /// Finds which part of a direction is removed from each cluster \[1\]; none if there is one cluster, or
    /// if all are steady. With g = max(|Σ α·Sα|, .1 Σ|α·Sα|) of a cluster, the rate at which its Σ|α|²/2
    /// changes, or its vortons' parts of it, q = g / Σ |S| |α|² and r = Σ|α·Sα| / Σ|α|², the part is
    /// min(1, q/q̄)² min(1, r/r̄) over the largest one, q̄ and r̄ the means weighted by g: a slow cluster
    /// makes little.
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
            let sums = DVec4::new(change, change.abs(), size, strength.length_squared());
            sums.is_finite().then_some((clusters.of(row), sums))
        };
        let size = (cloud.ids.len(), clusters.count(), MOST_SUMS);
        sum_in_clusters(cloud.exec, size, (&mut self.changes_of_squares, DVec4::ZERO), &of_row, &|a, b| {
            a + b
        });
        self.changes_of_squares.truncate(clusters.count());
        let changes = &mut self.changes_of_squares;
        changes.iter_mut().for_each(|sums| sums.x = sums.x.abs().max(INCOHERENT * sums.y));
        let changing = changes.iter().filter(|sums| sums.x > 0.0 && sums.z > 0.0);
        let weighted = changing
            .fold(DVec3::ZERO, |all, sums| all + sums.x * DVec3::new(1.0, sums.x / sums.z, sums.y / sums.w));
        let (part, rate) = (weighted.y / weighted.x, weighted.z / weighted.x);
        if !(part > 0.0 && part.is_finite() && rate > 0.0 && rate.is_finite()) {
            return;
        }
        let share = |sums: &DVec4| {
            let (part, rate) = (sums.x / sums.z / part, sums.y / sums.w / rate);
            if sums.z > 0.0 { (part.min(1.0).powi(2) * rate.min(1.0)) as f32 } else { 0.0 }
        };
        self.shares.extend(changes.iter().map(share));
        let most = self.shares.iter().copied().fold(0.0, f32::max);
        self.shares.iter_mut().for_each(|share| *share /= most);
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

    /// Finds the factors on the strengths of each cluster that leave the part `square` of the energy of all
    /// \[1\]: 1 − λ times its share, λ at most [`MOST_BY_SHARES`]. If that does not suffice, the rest is
    /// taken `from_all`, or not at all. Returns the part left. The energies of clusters are those of their
    /// vortons in the flow of all; the potentials are known.
    pub(super) fn find_factors(&mut self, cloud: &mut BudgetedCloud, square: f64, from_all: bool) -> f64 {
        self.factors.clear();
        let [all, once, twice] = self.energies_by_shares(cloud);
        if !(all > 0.0 && once > 0.0) {
            self.factors.push(square.sqrt() as f32);
            return square;
        }
        // Σ e (1 − λ s)² = square Σ e, by the smaller root.
        let excess = (1.0 - square) * all;
        let rest = once * once - twice * excess;
        let lambda = if rest >= 0.0 { excess / (once + rest.sqrt()) } else { MOST_BY_SHARES };
        let lambda = lambda.min(MOST_BY_SHARES);
        let left = 1.0 - (2.0 * lambda * once - lambda * lambda * twice) / all;
        let of_all = if from_all && left > square { (square / left).sqrt() } else { 1.0 };
        let factor = |share: &f32| (of_all * (1.0 - lambda * f64::from(*share))) as f32;
        self.factors.extend(self.shares.iter().map(factor));
        of_all * of_all * left
    }

    /// Returns Σ e, Σ s e and Σ s² e, e twice the energy of each cluster \[m⁵/s²\] and s its share; 0 without
    /// shares.
    fn energies_by_shares(&mut self, cloud: &mut BudgetedCloud) -> [f64; 3] {
        if self.shares.is_empty() {
            return [0.0; 3];
        }
        let (clusters, strengths) = (cloud.clusters, &cloud.sources.strengths);
        let potentials = &*cloud.solver.last_potentials();
        let energy = |row: usize| {
            let energy = strengths.get(row).as_dvec3().dot(potentials[row].as_dvec3());
            Some((clusters.of(row), if energy.is_finite() { energy } else { 0.0 }))
        };
        let size = (cloud.ids.len(), clusters.count(), MOST_SUMS);
        sum_in_clusters(cloud.exec, size, (&mut self.energies, 0.0), &energy, &|a, b| a + b);
        let each = self.shares.iter().zip(&self.energies);
        each.fold([0.0; 3], |[all, once, twice], (&share, &energy)| {
            let (share, energy) = (f64::from(share), energy.max(0.0));
            [all + energy, once + share * energy, twice + share * share * energy]
        })
    }

    /// Scales the strengths of the first `rows` sources, and of their images, by the factors of their
    /// clusters; bound vorticity by that of the nearest one.
    pub(super) fn scale_rows(&self, cloud: &mut BudgetedCloud, rows: usize) {
        let (clusters, vortons) = (cloud.clusters, cloud.ids.len());
        let mut strengths = std::mem::take(&mut cloud.sources.strengths);
        for row in 0..rows {
            let factor = match &*self.factors {
                [factor] => factor,
                factors if row < vortons => &factors[clusters.of(row)],
                factors => &factors[clusters.at(cloud.sources.positions.get(row))],
            };
            strengths.set(row, strengths.get(row) * *factor);
        }
        cloud.sources.complete(&mut strengths);
        cloud.sources.strengths = strengths;
    }
}
