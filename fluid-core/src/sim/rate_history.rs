//! The rates of the last two steps, which lead the next one to its middle without a solve (E13).

use crate::math::Vec3Columns;
use crate::particles::Vortons;
use fluid_threads::Executor;
use glam::Vec3;

/// Largest ratio of the lengths of successive steps for which rates are extrapolated \[1\].
const MOST_UNEVEN: f32 = 2.0;

/// Vortons added or removed, over those known, up to which a step counts as similar to the last \[1\].
const MOST_CHANGED: f32 = 0.02;

/// Mean rates over a step, summed over the evaluations so far.
#[derive(Debug, Clone)]
pub(super) struct MeanRates {
    /// Velocities \[m/s\].
    pub(super) velocities: Vec3Columns,
    /// Rates of the strengths \[m³/s²\].
    pub(super) strengths: Vec3Columns,
}

crate::saved::fields!(MeanRates { velocities, strengths });

impl MeanRates {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            velocities: Vec3Columns::with_capacity(capacity),
            strengths: Vec3Columns::with_capacity(capacity),
        }
    }

    pub(super) fn columns_mut(&mut self) -> [&mut Vec3Columns; 2] {
        [&mut self.velocities, &mut self.strengths]
    }

    /// Copies row `from` to row `to`.
    pub(super) fn move_row(&mut self, from: usize, to: usize) {
        self.velocities.set(to, self.velocities.get(from));
        self.strengths.set(to, self.strengths.get(from));
    }

    /// Keeps the first `known` rows and resizes to `len`; the new rows have no rates yet.
    pub(super) fn keep(&mut self, known: usize, len: usize) {
        for column in [&mut self.velocities, &mut self.strengths] {
            column.truncate(known);
            column.resize(len);
        }
    }

    /// Replaces these (earlier) rates by `weights[0]` × `latest` + `weights[1]` × these.
    pub(super) fn mix(&mut self, exec: &dyn Executor, latest: &Self, weights: [f32; 2]) {
        let pairs = [(&mut self.velocities, &latest.velocities), (&mut self.strengths, &latest.strengths)];
        for (earlier, latest) in pairs {
            earlier.update(exec, &|row, earlier| latest.get(row) * weights[0] + earlier * weights[1]);
        }
    }

    /// Sets `len` rows of zeros.
    pub(super) fn reset(&mut self, exec: &dyn Executor, len: usize) {
        for column in [&mut self.velocities, &mut self.strengths] {
            column.resize(len);
            column.update(exec, &|_, _| Vec3::ZERO);
        }
    }
}

/// Rates at the middles of the last two steps. Their rows are vortons, in the order of ids.
#[derive(Debug, Clone)]
pub(super) struct RateHistory {
    pub(super) latest: MeanRates,
    pub(super) earlier: MeanRates,
    /// Largest |∇u|² of each vorton in the step \[1/s²\].
    pub(super) gradients2: Vec<f32>,
    ids: Vec<u64>,
    /// Lengths of these steps, the last one first \[s\]; 0 for an unknown step.
    lengths: [f32; 2],
}

crate::saved::fields!(RateHistory { latest, earlier, gradients2, ids, lengths } check are_columns);

impl RateHistory {
    /// True if all columns have the same rows.
    fn are_columns(&self) -> bool {
        let rates =
            [&self.latest, &self.earlier].into_iter().flat_map(|rates| [&rates.velocities, &rates.strengths]);
        rates.map(Vec3Columns::len).chain([self.gradients2.len()]).all(|len| len == self.ids.len())
    }

    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            latest: MeanRates::with_capacity(capacity),
            earlier: MeanRates::with_capacity(capacity),
            gradients2: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            lengths: [0.0; 2],
        }
    }

    /// True if the last two steps determine the rates around the start of one of `dt` \[s\].
    pub(super) fn leads(&self, dt: f32) -> bool {
        let [latest, earlier] = self.lengths;
        let is_even = |a: f32, b: f32| a > 0.0 && b > 0.0 && a <= MOST_UNEVEN * b && b <= MOST_UNEVEN * a;
        is_even(dt, latest) && is_even(latest, earlier)
    }

    /// True if hardly any vortons have been added or removed since the last step, and none with mass has been
    /// added.
    pub(super) fn knows_most(&self, vortons: &Vortons) -> bool {
        let Some(&last) = self.ids.last() else { return false };
        let known = vortons.ids.partition_point(|&id| id <= last);
        let (new, gone) = (vortons.len() - known, self.ids.len() - known);
        let is_light = vortons.mass_deviations[known..].iter().all(|&mass| mass == 0.0);
        is_light && (new + gone) as f32 <= MOST_CHANGED * known as f32
    }

    /// Returns the distance \[m\] that the fastest vorton has moved since the middle of the last step, in
    /// this wind \[m/s\].
    pub(super) fn way_since_middle(&self, wind: Vec3) -> f32 {
        let speeds2 = self.latest.velocities.iter().map(|velocity| (velocity + wind).length_squared());
        0.5 * self.lengths[0] * speeds2.fold(0.0, f32::max).sqrt()
    }

    /// Returns the weights \[1\] of the latest and the earlier rates in the rates at the time `before` × `dt`
    /// \[s\] before the step's start.
    pub(super) fn weights(&self, dt: f32, before: f32) -> [f32; 2] {
        let [latest, earlier] = self.lengths;
        let beyond = (latest - 2.0 * before * dt) / (latest + earlier);
        [1.0 + beyond, -beyond]
    }

    /// Matches the rows to the present vortons. Returns the number of known ones; the rows after them are
    /// new.
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

    /// Sets the assumed rates of a new vorton.
    pub(super) fn set_new(&mut self, row: usize, velocity: Vec3, strength_rate: Vec3) {
        for rates in [&mut self.latest, &mut self.earlier] {
            rates.velocities.set(row, velocity);
            rates.strengths.set(row, strength_rate);
        }
    }

    /// Begins a step of `dt` \[s\]; its mean rates become the latest. Their columns start with `part` \[1\]
    /// times the past rates at `before` (see [`weights`](Self::weights)).
    pub(super) fn begin(&mut self, exec: &dyn Executor, dt: f32, (part, before): (f32, f32)) {
        let weights = self.weights(dt, before).map(|weight| weight * part);
        std::mem::swap(&mut self.latest, &mut self.earlier);
        self.lengths = [dt, self.lengths[0]];
        self.gradients2.clear();
        self.gradients2.resize(self.ids.len(), 0.0);
        if part == 0.0 {
            self.latest.reset(exec, self.ids.len());
        } else {
            self.latest.mix(exec, &self.earlier, weights);
        }
    }
}
