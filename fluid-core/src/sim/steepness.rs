//! How steep the velocity is where there are vortons: it decides how a step is made.

use crate::velocity::FlowSample;
use glam::Vec3;

/// The gradient that decides, over the mean of sixth power \[1\]: the largest one over that mean in a ring,
/// where all vortons turn about as fast.
const OVER_MEAN: f64 = 1.25;

/// The largest gradient over the one that decides, at most \[1\].
const MOST_OVER: f64 = 1.5;

/// Velocity gradients (Frobenius norm) \[1/s\] at the vortons with strength: others do not change the fluid.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Steepness {
    pub(super) largest: f32,
    /// What decides how a step is made. The error of a step goes with the sixth power of the gradient, so
    /// what counts is the mean of that over the strengths: the largest one if many turn as fast.
    pub(super) deciding: f32,
}

crate::saved::fields!(Steepness { largest, deciding });

impl Steepness {
    /// The larger ones.
    pub(super) fn max(self, other: Self) -> Self {
        Self { largest: self.largest.max(other.largest), deciding: self.deciding.max(other.deciding) }
    }
}

/// What some vortons add.
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
        // `max` has left out what is no number; a mean that is none says nothing.
        let largest = self.largest.sqrt().min(f32::MAX);
        let mean = OVER_MEAN * libm::cbrt((self.powers / self.strengths).sqrt());
        let few = f64::from(largest) / MOST_OVER;
        let deciding = if mean.is_nan() { f64::from(largest) } else { mean.clamp(few, largest.into()) };
        Steepness { largest, deciding: deciding as f32 }
    }
}
