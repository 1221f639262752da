//! Stages of a step of diffusion (E32).

use super::MOST_DIFFUSION_STAGES;
use super::problem::{ChannelValues, DiffusionProblem};

/// Order λ of the Gegenbauer polynomials. In three dimensions the response to a spike is (1 - r²/a²)^(λ-2)
/// for many stages: positive for λ ≥ 1 and bounded for λ ≥ 2. (Legendre's λ = 1/2, RKL1, undershoots by seven
/// times the peak.)
const ORDER: f64 = 2.0;

/// Division of a call into stages (E32): one Euler step if that preserves signs, otherwise two steps of s
/// stages. Two, because the square of a polynomial leaves no part of a spike with the wrong sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stages {
    pub(super) steps: u32,
    pub(super) stages: u32,
    pub(super) share: f64,
}

impl Stages {
    /// Makes a plan for `amount`, the larger of ν dt and κ dt. An Euler step preserves signs up to `rate *
    /// amount` = 1.
    pub(super) fn new(rate: f32, amount: f64) -> Self {
        let wanted = f64::from(rate) * amount;
        if wanted <= 1.0 {
            return Self { steps: 1, stages: 1, share: 1.0 };
        }
        let most = MOST_DIFFUSION_STAGES / 2;
        let share = (2.0 * Self::reach(most) / wanted).min(1.0);
        let stages = (1..most).find(|&stages| 2.0 * Self::reach(stages) >= wanted).unwrap_or(most);
        Self { steps: 2, stages, share }
    }

    /// Returns the length of a step with this number of stages, in Euler steps: the derivative at 1 of the
    /// Gegenbauer polynomial.
    pub(super) fn reach(stages: u32) -> f64 {
        let s = f64::from(stages);
        s * (s + 2.0 * ORDER) / (2.0 * ORDER + 1.0)
    }

    /// Returns the relative change in one step at this decay rate \[1\]: from −1 to 0.
    pub(super) fn decay(&self, problem: &DiffusionProblem, channel: usize, rate: f32) -> f32 {
        let (mut newer, mut older) = (0.0_f64, 0.0_f64);
        for j in 1..=self.stages {
            let stage = self.stage(j, problem);
            let change = f64::from(stage.newer) * newer + f64::from(stage.older) * older
                - f64::from(stage.change[channel]) * f64::from(rate) * (1.0 + newer);
            (older, newer) = (newer, change);
        }
        newer as f32
    }

    /// Three-term recurrence of C_j(x)/C_j(1), applied to x = 1 + L/reach.
    pub(super) fn stage(&self, j: u32, problem: &DiffusionProblem) -> GegenbauerStage {
        let j = f64::from(j);
        let factor = 2.0 * (j + ORDER - 1.0) / (j + 2.0 * ORDER - 1.0);
        // Nothing has changed at the start; the columns still hold values of an earlier step.
        let newer = if j > 1.0 { factor } else { 0.0 };
        let older = if j > 2.0 { (1.0 - j) / (j + 2.0 * ORDER - 1.0) } else { 0.0 };
        let step = factor * self.share / (f64::from(self.steps) * Self::reach(self.stages));
        // If all rates are close to 0, the amount may exceed f32; it has no effect there.
        let change = problem.amounts.map(|amount| (step * amount).min(1e30) as f32);
        GegenbauerStage { newer: newer as f32, older: older as f32, change }
    }
}

/// D_j = newer D_(j-1) + older D_(j-2) + change L(Y_(j-1)), where Y_j is the start of the step plus D_j.
#[derive(Debug, Clone, Copy)]
pub(super) struct GegenbauerStage {
    pub(super) newer: f32,
    pub(super) older: f32,
    pub(super) change: ChannelValues,
}
