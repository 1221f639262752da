//! Relaxation (E7): strengths turn towards the vorticity that they make together, which keeps the cloud
//! nearly free of divergence; the changes of total strength and linear impulse are given back.

use super::restoring::{Restoring, SumsChange};
use crate::constants::{PARTICLE_CHUNK, RELAXATION_COST};
use crate::math::Vec3Columns;
use crate::velocity::FlowSample;
use fluid_threads::{Executor, reduce_ordered};
use glam::Vec3;

/// Scratch of the relaxation; grows to the number of vortons once.
#[derive(Debug, Clone, Default)]
pub struct Relaxation {
    relaxed: Vec3Columns,
    partials: Vec<SumsChange>,
    lengths: Vec<f64>,
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
        self.partials.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.lengths.reserve(capacity.div_ceil(PARTICLE_CHUNK));
    }

    /// Swaps the column for new strengths in [`apply`](Self::apply) with one that is free meanwhile; called
    /// again to swap back.
    pub fn lend(&mut self, column: &mut Vec3Columns) {
        std::mem::swap(&mut self.relaxed, column);
    }

    /// Relaxes all strengths over `dt` \[s\] at `rate` \[1/s\]. Total strength and linear impulse are
    /// conserved to round-off, and Σ|α| grows by at most [`RELAXATION_COST`] of the fraction turned: a
    /// relaxation that would exceed this is skipped (vortex lines that end in the cloud, E7). Does nothing
    /// unless `rate * dt` is positive (relaxation cannot run backwards).
    pub fn apply(
        &mut self,
        exec: &dyn Executor,
        positions: &Vec3Columns,
        flow: &[FlowSample],
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
        self.relaxed.update(exec, &|row, _| relaxed(before.get(row), flow[row].vorticity(), share));
        let after = &self.relaxed;
        let one = |i: usize| SumsChange::of(positions.get(i), before.get(i), after.get(i));
        let change = SumsChange::sum(exec, after.len(), &mut self.partials, &one);
        // A change that cannot be given back is discarded: relaxation is optional, the conserved sums are
        // not.
        let Some(restoring) = Restoring::of(&change) else { return };
        self.relaxed.update(exec, &|row, relaxed| restoring.strength(positions.get(row), relaxed));
        let after = &self.relaxed;
        let lengthening = |i: usize| f64::from(after.get(i).length()) - f64::from(before.get(i).length());
        let lengthened = reduce_ordered(
            exec,
            after.len(),
            PARTICLE_CHUNK,
            0.0,
            &mut self.lengths,
            &|range| range.map(lengthening).sum::<f64>(),
            |a, b| a + b,
        );
        if lengthened > RELAXATION_COST * f64::from(share) * change.weight {
            return;
        }
        strengths.copy_in_parallel(exec, after);
    }
}
