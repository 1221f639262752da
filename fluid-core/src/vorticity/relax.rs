//! Relaxation (E7): strengths turn towards the vorticity that they make together, which keeps the cloud
//! nearly free of divergence; each cluster gets back its changes of total strength and linear impulse.

use super::clusters::{MOST_SUMS, VortonClusters, sum_in_clusters, sum_of_vortons};
use super::restoring::{Restoring, SumsChange};
use crate::constants::{PARTICLE_CHUNK, RELAXATION_COST};
use crate::math::Vec3Columns;
use crate::velocity::FlowSample;
use fluid_threads::Executor;
use glam::Vec3;

/// Scratch of the relaxation; grows to the number of vortons once.
#[derive(Debug, Clone, Default)]
pub struct Relaxation {
    relaxed: Vec3Columns,
    /// Per cluster, and for the chunks of its vortons.
    changes: Vec<SumsChange>,
    lengths: Vec<f64>,
    restoring: Vec<Option<Restoring>>,
}

/// Returns α turned towards ω by the fraction `share`. The target is the part of α along ω: Pedrizzetti's
/// (1992), which has the length of α, makes the strengths of a rough cloud coherent and its energy grow
/// (noise: by 4 to 16 % in 0.07 s at 1/s). Without vorticity there is no direction to turn to.
fn relaxed(strength: Vec3, vorticity: Vec3, share: f32) -> Vec3 {
    // In f64 no square of a strength over- or underflows, whatever the unit of length.
    match vorticity.as_dvec3().try_normalize() {
        Some(direction) => {
            let target = (direction * strength.as_dvec3().dot(direction).max(0.0)).as_vec3();
            strength + (target - strength) * share
        }
        None => strength,
    }
}

impl Relaxation {
    /// Reserves memory for `capacity` vortons, but not for their strengths (see [`lend`](Self::lend)).
    pub fn reserve(&mut self, capacity: usize) {
        self.changes.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.lengths.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.restoring.reserve(1);
    }

    /// Swaps the column for new strengths in [`apply`](Self::apply) with one that is free meanwhile; called
    /// again to swap back.
    pub fn lend(&mut self, column: &mut Vec3Columns) {
        std::mem::swap(&mut self.relaxed, column);
    }

    /// Relaxes all strengths over `dt` \[s\] at `rate` \[1/s\] towards the vorticity of the flow. Total
    /// strength and linear impulse of each cluster are conserved to round-off, and its Σ|α| grows by at most
    /// [`RELAXATION_COST`] of the fraction turned: a relaxation that would exceed this is skipped (vortex
    /// lines that end in it, E7). Does nothing unless `rate * dt` is positive (relaxation cannot run
    /// backwards).
    pub fn apply(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        (positions, flow): (&Vec3Columns, &[FlowSample]),
        strengths: &mut Vec3Columns,
        rate: f32,
        dt: f32,
    ) {
        let vorticity = |row: usize| flow[row].vorticity();
        self.apply_towards(exec, clusters, (positions, &vorticity), strengths, rate, dt);
    }

    /// Relaxes them likewise, towards this `vorticity` \[1/s\] of each row.
    pub(crate) fn apply_towards(
        &mut self,
        exec: &dyn Executor,
        clusters: &VortonClusters,
        (positions, vorticity): (&Vec3Columns, &(dyn Fn(usize) -> Vec3 + Sync)),
        strengths: &mut Vec3Columns,
        rate: f32,
        dt: f32,
    ) {
        let share = -libm::expm1f(-rate * dt);
        if share <= 0.0 {
            return;
        }
        self.relaxed.resize(strengths.len());
        let before: &Vec3Columns = strengths;
        self.relaxed.update(exec, &|row, _| relaxed(before.get(row), vorticity(row), share));
        let (after, size) = (&self.relaxed, (before.len(), clusters.count(), MOST_SUMS));
        let cluster = |row: usize| clusters.of(row);
        let change = |row: usize| SumsChange::of(positions.get(row), before.get(row), after.get(row));
        let sums = (&mut self.changes, SumsChange::NONE);
        sum_of_vortons(exec, (clusters, size.0), sums, &change, &SumsChange::add);
        // A change that cannot be given back is discarded: relaxation is optional, the conserved sums are
        // not.
        self.restoring.clear();
        let each = self.changes.iter().take(size.1).enumerate();
        let with_images = |(cluster, change): (usize, &SumsChange)| {
            Restoring::of(&change.with_images(clusters.mirrors_at(cluster)))
        };
        self.restoring.extend(each.map(with_images));
        let restoring = &self.restoring;
        self.relaxed.update(exec, &|row, relaxed| match &restoring[cluster(row)] {
            Some(restoring) => restoring.strength(positions.get(row), relaxed),
            None => before.get(row),
        });
        let after = &self.relaxed;
        let lengthening = |row: usize| {
            let length = f64::from(after.get(row).length()) - f64::from(before.get(row).length());
            Some((cluster(row), length))
        };
        sum_in_clusters(exec, size, (&mut self.lengths, 0.0), &lengthening, &|a, b| a + b);
        let most = RELAXATION_COST * f64::from(share);
        let each = self.restoring.iter_mut().zip(&self.lengths).zip(&self.changes);
        each.filter(|((_, lengthened), change)| **lengthened > most * change.weight)
            .for_each(|((restoring, _), _)| *restoring = None);
        let restoring = &self.restoring;
        strengths.update(exec, &|row, before| {
            if restoring[cluster(row)].is_some() { after.get(row) } else { before }
        });
    }
}
