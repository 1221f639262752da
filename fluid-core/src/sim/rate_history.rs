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

/// Returns the number of first ids that are the same in both. Ids ascend, and all of `present` are in
/// `before` or larger than those: from the first one that has gone on, they differ.
fn common_prefix(before: &[u64], present: &[u64]) -> usize {
    let (mut same, mut differ) = (0, before.len().min(present.len()));
    // Usually all are the same.
    if differ > 0 && before[differ - 1] == present[differ - 1] {
        same = differ;
    }
    while same < differ {
        let middle = same.midpoint(differ);
        if before[middle] == present[middle] {
            same = middle + 1;
        } else {
            differ = middle;
        }
    }
    same
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

    /// Length of the last step \[s\].
    pub(super) fn last_length(&self) -> f32 {
        self.lengths[0]
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
        let unmoved = common_prefix(&self.ids, &vortons.ids);
        let (mut known, mut source) = (unmoved, unmoved);
        for &id in &vortons.ids[unmoved..] {
            while source < self.ids.len() && self.ids[source] < id {
                source += 1;
            }
            if source == self.ids.len() || self.ids[source] != id {
                break;
            }
            self.latest.move_row(source, known);
            self.earlier.move_row(source, known);
            (known, source) = (known + 1, source + 1);
        }
        for rates in [&mut self.latest, &mut self.earlier] {
            rates.keep(known, vortons.len());
        }
        self.ids.truncate(unmoved);
        self.ids.extend_from_slice(&vortons.ids[unmoved..]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Vorton;

    /// The rows of the vortons left after some were removed and others added are those that they had.
    #[test]
    fn rates_follow_their_vortons() {
        for (count, added, is_removed) in [
            (7, 0, (|_| false) as fn(u64) -> bool),
            (7, 3, |_| false),
            (7, 0, |id| id == 0),
            (7, 2, |id| id == 6),
            (64, 5, |id| id % 7 == 3),
            (64, 1, |id| id > 40),
            (5, 4, |_| true),
            (0, 4, |_| false),
        ] {
            let (mut vortons, mut history) = (Vortons::default(), RateHistory::with_capacity(0));
            let add = |vortons: &mut Vortons, count| {
                (0..count).for_each(|_| {
                    vortons.push(Vorton::default());
                });
            };
            add(&mut vortons, count);
            assert_eq!(history.keep(&vortons), 0);
            let rate = |id: u64| Vec3::splat(id as f32 + 1.0);
            (0..count).for_each(|row| history.set_new(row, rate(row as u64), -rate(row as u64)));
            vortons.retain(|vortons, row| !is_removed(vortons.ids[row]));
            let left = vortons.len();
            add(&mut vortons, added);
            assert_eq!(history.keep(&vortons), left, "{count} vortons, {added} added");
            for (row, &id) in vortons.ids.iter().enumerate().take(left) {
                let found = (history.earlier.velocities.get(row), history.latest.strengths.get(row));
                assert_eq!(found, (rate(id), -rate(id)), "vorton {id} in row {row}");
            }
            assert_eq!(history.ids, vortons.ids);
        }
    }
}
