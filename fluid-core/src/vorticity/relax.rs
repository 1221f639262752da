//! Relaxation (E7): strengths turn towards the vorticity that they make together, which keeps the cloud nearly free of
//! divergence; what that takes from the total strength and the linear impulse is given back.

use crate::constants::{PARTICLE_CHUNK, RELAXATION_COST};
use crate::math::Vec3Columns;
use crate::velocity::FlowSample;
use fluid_threads::{Executor, for_each_chunk_mut, reduce_ordered};
use glam::{DMat3, DVec3, Vec3};

/// Scratch of the relaxation; grows to the number of vortons once.
#[derive(Debug, Clone, Default)]
pub struct Relaxation {
    relaxed: Vec<Vec3>,
    partials: Vec<Change>,
    lengths: Vec<f64>,
}

/// What relaxation does to the conserved sums, and the weights for giving it back.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Σ δα.
    strength: DVec3,
    /// ½ Σ x × δα.
    impulse: DVec3,
    /// Σ |α|.
    weight: f64,
    /// Σ |α| x.
    weighted_position: DVec3,
    /// Σ |α| x xᵀ.
    weighted_square: DMat3,
}

impl Change {
    // Not `Default`: glam's default matrix is the identity.
    const NONE: Self = Self {
        strength: DVec3::ZERO,
        impulse: DVec3::ZERO,
        weight: 0.0,
        weighted_position: DVec3::ZERO,
        weighted_square: DMat3::ZERO,
    };

    fn add(self, other: Self) -> Self {
        Self {
            strength: self.strength + other.strength,
            impulse: self.impulse + other.impulse,
            weight: self.weight + other.weight,
            weighted_position: self.weighted_position + other.weighted_position,
            weighted_square: self.weighted_square + other.weighted_square,
        }
    }

    fn of(position: Vec3, before: Vec3, after: Vec3) -> Self {
        let (x, delta) = (position.as_dvec3(), after.as_dvec3() - before.as_dvec3());
        let weight = after.as_dvec3().length();
        Self {
            strength: delta,
            impulse: 0.5 * x.cross(delta),
            weight,
            weighted_position: weight * x,
            weighted_square: DMat3::from_cols(x * x.x, x * x.y, x * x.z) * weight,
        }
    }
}

/// The strengths to add, |α| (a + b × (x - c)): least in the norm Σ |δα|²/|α| among all that restore both sums.
#[derive(Debug, Clone, Copy)]
struct Restoring {
    a: DVec3,
    b: DVec3,
    centre: DVec3,
}

impl Restoring {
    /// About the |α|-weighted centre the 6 × 6 system falls apart into a division and a 3 × 3 solve with the cloud's
    /// inertia tensor.
    fn of(change: &Change) -> Option<Self> {
        if change.weight <= 0.0 {
            return None;
        }
        let centre = change.weighted_position / change.weight;
        let square = change.weighted_square
            - DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z) * change.weight;
        let trace = square.x_axis.x + square.y_axis.y + square.z_axis.z;
        // The ridge makes vortons on one line (a singular tensor) harmless; their impulse has no part along the line.
        let inertia = DMat3::from_diagonal(DVec3::splat(trace * (1.0 + 1e-9))) - square;
        let impulse = change.impulse - 0.5 * centre.cross(change.strength);
        let b = if trace > 0.0 { inertia.inverse() * (-2.0 * impulse) } else { DVec3::ZERO };
        let restoring = Self { a: -change.strength / change.weight, b, centre };
        (restoring.a.is_finite() && restoring.b.is_finite()).then_some(restoring)
    }

    fn strength(&self, position: Vec3, relaxed: Vec3) -> Vec3 {
        let share = self.a + self.b.cross(position.as_dvec3() - self.centre);
        (relaxed.as_dvec3() + share * relaxed.as_dvec3().length()).as_vec3()
    }
}

/// α turned towards ω by `share` of the way, its length kept in the target (Pedrizzetti 1992). Without vorticity there is
/// no direction to turn to.
fn relaxed(strength: Vec3, vorticity: Vec3, share: f32) -> Vec3 {
    // In f64 no square of a strength over- or underflows, whatever the unit of length.
    match vorticity.as_dvec3().try_normalize() {
        Some(direction) => {
            let target = (direction * strength.as_dvec3().length()).as_vec3();
            strength + (target - strength) * share
        }
        None => strength,
    }
}

impl Relaxation {
    /// Makes room for `capacity` vortons.
    pub fn reserve(&mut self, capacity: usize) {
        self.relaxed.reserve(capacity);
        self.partials.reserve(capacity.div_ceil(PARTICLE_CHUNK));
        self.lengths.reserve(capacity.div_ceil(PARTICLE_CHUNK));
    }

    /// Relaxes all strengths over `dt` \[s\] at `rate` \[1/s\]; total strength and linear impulse stay what they were to
    /// round-off, and Σ|α| grows by at most [`RELAXATION_COST`] of the share that is turned: a relaxation that would cost more
    /// is not made (vortex lines that end in the cloud, E7). Does nothing where `rate * dt` is not positive (time that runs backwards cannot forget).
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
        self.relaxed.clear();
        self.relaxed.resize(strengths.len(), Vec3::ZERO);
        let before: &Vec3Columns = strengths;
        for_each_chunk_mut(exec, PARTICLE_CHUNK, self.relaxed.as_mut_slice(), &|start, out: &mut [Vec3]| {
            for (i, out) in (start..).zip(out) {
                *out = relaxed(before.get(i), flow[i].vorticity(), share);
            }
        });
        let after = &self.relaxed;
        let change = reduce_ordered(
            exec,
            after.len(),
            PARTICLE_CHUNK,
            Change::NONE,
            &mut self.partials,
            &|range| {
                let each = range.map(|i| Change::of(positions.get(i), before.get(i), after[i]));
                each.fold(Change::NONE, Change::add)
            },
            Change::add,
        );
        // A change that cannot be given back is not made: relaxation is optional, the conserved sums are not.
        let Some(restoring) = Restoring::of(&change) else { return };
        let after_all = |i: usize| restoring.strength(positions.get(i), after[i]);
        let lengthening = |i: usize| f64::from(after_all(i).length()) - f64::from(before.get(i).length());
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
        let columns = (strengths.x.as_mut_slice(), strengths.y.as_mut_slice(), strengths.z.as_mut_slice());
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|start,
                                                            (x, y, z): (
            &mut [f32],
            &mut [f32],
            &mut [f32],
        )| {
            for i in 0..x.len() {
                (x[i], y[i], z[i]) = after_all(start + i).into();
            }
        });
    }
}
