//! Steepness of the velocity at the vortons, which decides the scheme of a step.

use crate::velocity::FlowSample;
use glam::Vec3;

/// The deciding gradient over the mean of sixth power \[1\]. In a ring, where all vortons turn at about the
/// same rate, this makes it the largest gradient.
const OVER_MEAN: f64 = 1.25;

/// Upper bound on the largest gradient over the deciding one \[1\].
const MOST_OVER: f64 = 1.5;

/// Velocity gradients (Frobenius norm) \[1/s\] at the vortons with strength; vortons without any do not
/// affect the fluid.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Steepness {
    pub(super) largest: f32,
    /// Decides the scheme of a step. The error of a step goes with the sixth power of the gradient, so this
    /// is that mean, weighted by strength: close to the largest gradient if many vortons turn that fast.
    pub(super) deciding: f32,
}

crate::saved::fields!(Steepness { largest, deciding });

impl Steepness {
    /// Returns the larger of each gradient.
    pub(super) fn max(self, other: Self) -> Self {
        Self { largest: self.largest.max(other.largest), deciding: self.deciding.max(other.deciding) }
    }
}

/// Contribution of some vortons.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SteepnessPart {
    /// Largest square \[1/s²\].
    largest: f32,
    /// Sum over strengths \[m³/s\], and of their products with the gradients' sixth powers.
    strengths: f64,
    powers: f64,
}

impl SteepnessPart {
    pub(super) fn and(self, strength: Vec3, flow: &FlowSample) -> Self {
        if strength == Vec3::ZERO {
            return self;
        }
        let (weight, gradient2) = (strength.as_dvec3().length(), flow.gradient_norm2());
        Self {
            largest: self.largest.max(gradient2),
            strengths: self.strengths + weight,
            powers: self.powers + weight * f64::from(gradient2).powi(3),
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            largest: self.largest.max(other.largest),
            strengths: self.strengths + other.strengths,
            powers: self.powers + other.powers,
        }
    }

    pub(super) fn steepness(self) -> Steepness {
        // `max` has skipped NaN; a mean that is NaN is ignored.
        let largest = self.largest.sqrt().min(f32::MAX);
        let mean = OVER_MEAN * libm::cbrt((self.powers / self.strengths).sqrt());
        let few = f64::from(largest) / MOST_OVER;
        let deciding = if mean.is_nan() { f64::from(largest) } else { mean.clamp(few, largest.into()) };
        Steepness { largest, deciding: deciding as f32 }
    }
}
