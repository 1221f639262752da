//! The rates of the last two steps, which lead the next one to its middle without a solve (E13).

use super::motion::MeanRates;
use crate::particles::Vortons;
use glam::Vec3;

/// Largest ratio of the lengths of successive steps for which rates are extrapolated \[1\].
const MOST_UNEVEN: f32 = 2.0;

/// The time to which rates are extrapolated, before the start of the step, as a part of it \[1\]: what turns
/// keeps its size there. From an earlier one it would grow, by z⁴/4 from the middle of the last step; from a
/// later one it would shrink.
const BEFORE_START: f32 = 1.0 / 6.0;

/// Rates at the middles of the last two steps. Their rows are vortons, in the order of ids.
#[derive(Debug, Clone)]
pub(super) struct RateHistory {
    pub(super) latest: MeanRates,
    pub(super) earlier: MeanRates,
    ids: Vec<u64>,
    /// How long those steps were, the last one first \[s\]; 0 where a step is not known.
    lengths: [f32; 2],
}

impl RateHistory {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            latest: MeanRates::with_capacity(capacity),
            earlier: MeanRates::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            lengths: [0.0; 2],
        }
    }

    /// How much of the earlier rates is to be taken off the latest, which come in 1 + θ times: θ \[1\] for a
    /// step of `dt` \[s\]. None if the last steps do not tell.
    pub(super) fn extrapolation(&self, dt: f32) -> Option<f32> {
        let [latest, earlier] = self.lengths;
        let is_even = |a: f32, b: f32| a > 0.0 && b > 0.0 && a <= MOST_UNEVEN * b && b <= MOST_UNEVEN * a;
        let known = is_even(dt, latest) && is_even(latest, earlier);
        known.then(|| (latest - 2.0 * BEFORE_START * dt) / (latest + earlier))
    }

    /// Goes on with the vortons that there are. Returns how many of them are known; those after them are new.
    pub(super) fn keep(&mut self, vortons: &Vortons) -> usize {
        let mut known = 0;
        let mut source = 0;
        for &id in &vortons.ids {
            while source < self.ids.len() && self.ids[source] < id {
                source += 1;
            }
            if source == self.ids.len() || self.ids[source] != id {
                break;
            }
            if source != known {
                self.latest.move_row(source, known);
                self.earlier.move_row(source, known);
            }
            (known, source) = (known + 1, source + 1);
        }
        for rates in [&mut self.latest, &mut self.earlier] {
            rates.keep(known, vortons.len());
        }
        self.ids.clone_from(&vortons.ids);
        known
    }

    /// What is taken for the rates of a vorton that is new.
    pub(super) fn set_new(&mut self, row: usize, velocity: Vec3, strength_rate: Vec3) {
        for rates in [&mut self.latest, &mut self.earlier] {
            rates.velocities.set(row, velocity);
            rates.strengths.set(row, strength_rate);
        }
    }

    /// A step of `dt` \[s\] begins, whose rates are going to be the latest.
    pub(super) fn begin(&mut self, dt: f32) {
        std::mem::swap(&mut self.latest, &mut self.earlier);
        self.latest.reset(self.ids.len());
        self.lengths = [dt, self.lengths[0]];
    }
}
