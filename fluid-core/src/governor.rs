//! Quality within a time budget: levels of quality for the fluid and for tracers, and the rules for
//! switching between them.

use crate::params::ParamError;
use crate::saved::is_count;

/// Quality of the fluid's solution. Each level costs less than the levels before it, and includes their
/// savings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(usize)]
pub enum Quality {
    /// The quality set by the parameters.
    #[default]
    Full,
    /// One solve per step up to a stretch number of 0.6 instead of 0.5, two up to 1 instead of 0.8 (up to
    /// 1.2 where few vortons are as fast; 0.6 instead of 0.4 where the last two steps cannot be
    /// extrapolated), four only above. In such steps a vortex grows or shrinks by up to 0.7 % each, which
    /// the energy budget bounds.
    FewerSolves,
    /// Mesh nodes 1.5 times as far apart, but not further than a core radius.
    CoarseMesh,
}

crate::saved::variants!(Quality { Full, FewerSolves, CoarseMesh });

impl Quality {
    /// All levels, best first.
    pub const ALL: [Self; 3] = [Self::Full, Self::FewerSolves, Self::CoarseMesh];
}

/// Quality of tracer motion. The fluid never depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(usize)]
pub enum TracerQuality {
    /// One sample of the field per step, at a position extrapolated from the last velocities. Two samples
    /// (midpoint) if the stretch number is above 0.8 or the step is not as long as the last one. Both are
    /// second order.
    #[default]
    Full,
    /// A mesh used only for samples has nodes 1.5 times as far apart.
    CoarseMesh,
    /// One sample in every second step, alternating between chunks of tracers; in the other step a tracer
    /// keeps its velocity.
    EverySecondStep,
}

crate::saved::variants!(TracerQuality { Full, CoarseMesh, EverySecondStep });

impl TracerQuality {
    /// All levels, best first.
    pub const ALL: [Self; 3] = [Self::Full, Self::CoarseMesh, Self::EverySecondStep];
}

/// Measure of a budget's milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Counts of vortons, pairs, nodes, solves and samples, each at a fixed cost: that of one core with
    /// AVX2 to AVX-512 at 3 GHz. Decisions and results are the same on every machine and with any number of
    /// threads. Bodies are not counted.
    #[default]
    Counted,
    /// Clock time of all threads together. Decisions depend on the machine and its other load: results are
    /// not reproducible.
    Clock,
}

/// Time limits of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// How time is measured.
    pub measure: Measure,
    /// Limit for everything except tracers \[ms\], at least 0; infinity: no limit.
    pub fluid: f64,
    /// Limit for all sets of tracers \[ms\], at least 0; infinity: no limit. It is separate so that the
    /// fluid of a game in lockstep does not depend on the number of tracers that each machine draws.
    pub tracers: f64,
}

impl Budget {
    /// Checks both limits.
    ///
    /// # Errors
    /// One of them is negative or NaN.
    pub fn validate(&self) -> Result<(), ParamError> {
        for (field, limit) in [("budget.fluid", self.fluid), ("budget.tracers", self.tracers)] {
            ParamError::check(limit >= 0.0, field, limit, "at least 0 ms, or infinity")?;
        }
        Ok(())
    }
}

/// Fraction of the limit that a better level may cost before it is taken \[1\].
const CLEARLY_BELOW: f64 = 0.8;

/// Consecutive steps for which it must stay below that cost, initially.
const CLEAR_STEPS: u32 = 30;

/// Maximum of this number: it is doubled whenever a better level does not last.
const MOST_PATIENCE: u32 = 480;

/// Number of steps after which a better level counts as lasting.
const LASTING: u32 = 480;

/// Quality level of a step. It drops at once when the expected cost exceeds the limit, and rises after a
/// better level would have cost clearly less than the limit for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QualityLevel {
    level: usize,
    /// Consecutive steps in which a better level would have been clearly cheap enough; `next` is the worst
    /// of these levels.
    clear: u32,
    next: usize,
    patience: u32,
    /// Steps since the last change to a better level.
    since_better: u32,
    changes: u64,
}

crate::saved::fields!(QualityLevel { level, clear, next, patience, since_better, changes } check is_valid);

impl Default for QualityLevel {
    fn default() -> Self {
        Self { level: 0, clear: 0, next: 0, patience: CLEAR_STEPS, since_better: u32::MAX, changes: 0 }
    }
}

impl QualityLevel {
    /// Returns true if both levels exist, and the counters are those that a world can have.
    fn is_valid(&self) -> bool {
        self.level < Quality::ALL.len()
            && self.next < Quality::ALL.len()
            && (1..=MOST_PATIENCE).contains(&self.patience)
            && self.clear <= MOST_PATIENCE
            && is_count(self.changes)
    }

    /// Returns the level of a step, given the costs of all levels, best first, none of them NaN, in the
    /// unit of `limit`.
    pub(crate) fn decide(&mut self, costs: &[f64], limit: f64) -> usize {
        self.since_better = self.since_better.saturating_add(1);
        let wanted = first_within(costs, limit);
        if costs[self.level] > limit && costs[wanted] < costs[self.level] {
            self.change(wanted);
            let lasted = self.since_better > LASTING;
            self.patience = if lasted { CLEAR_STEPS } else { (2 * self.patience).min(MOST_PATIENCE) };
            return self.level;
        }
        let better = first_within(costs, CLEARLY_BELOW * limit);
        if better >= self.level || costs[better] > CLEARLY_BELOW * limit {
            self.clear = 0;
            return self.level;
        }
        self.next = if self.clear == 0 { better } else { self.next.max(better) };
        self.clear += 1;
        if self.clear >= self.patience {
            self.change(self.next);
            self.since_better = 0;
        }
        self.level
    }

    fn change(&mut self, level: usize) {
        (self.level, self.clear) = (level, 0);
        self.changes += 1;
    }

    /// Resets to the best level.
    pub(crate) fn reset(&mut self) {
        if self.level != 0 {
            self.change(0);
        }
    }

    /// Returns the number of changes of the level.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }
}

/// Returns the best level within the limit; if there is none, the best of the cheapest levels.
fn first_within(costs: &[f64], limit: f64) -> usize {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    costs.iter().position(|&cost| cost <= limit.max(least)).unwrap_or(0)
}

/// Ratio of a stage's time to its nominal cost in the last two steps \[1\]. The smaller ratio is the
/// forecast, so that a single hiccup of the machine changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Pace {
    last: [f64; 2],
}

crate::saved::fields!(Pace { last });

impl Pace {
    /// Records that the last step took `milliseconds` for a `nominal` cost \[ms\].
    pub(crate) fn note(&mut self, milliseconds: f64, nominal: f64) {
        let pace = if nominal > 0.0 { milliseconds / nominal } else { 0.0 };
        self.last = [pace, self.last[0]];
    }

    /// Returns the expected ratio; 0 before the second step.
    pub(crate) fn expected(&self) -> f64 {
        self.last[0].min(self.last[1])
    }
}

/// Levels of the fluid and of tracers, and the data on which they are decided.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Governor {
    pub(crate) fluid: QualityLevel,
    pub(crate) tracers: QualityLevel,
    /// Paces of the velocity solves, of everything else except tracers, and of tracers.
    pub(crate) velocity_pace: Pace,
    pub(crate) other_pace: Pace,
    pub(crate) tracer_pace: Pace,
    /// Nominal costs \[ms\] of the last step at its quality, the velocity's per solve.
    pub(crate) nominal: StepCost,
    /// Tracers moved since the last step: without turbulence, with it, and those of both that carry a
    /// quantity.
    pub(crate) moved: usize,
    pub(crate) stirred: usize,
    pub(crate) showing: usize,
    /// Nominal cost \[ns\] of one sample for each of them beyond that of reading nodes: without turbulence,
    /// and with it.
    pub(crate) beside_mesh: f32,
    pub(crate) stirred_beside_mesh: f32,
    /// Length of the last step within a budget \[s\].
    pub(crate) last_step: f32,
}

impl Governor {
    /// Counts tracers from none on.
    pub(crate) fn count_anew(&mut self) {
        (self.moved, self.stirred, self.showing) = (0, 0, 0);
        (self.beside_mesh, self.stirred_beside_mesh) = (0.0, 0.0);
    }
}

crate::saved::fields!(Governor {
    fluid,
    tracers,
    velocity_pace,
    other_pace,
    tracer_pace,
    nominal,
    moved,
    stirred,
    showing,
    beside_mesh,
    stirred_beside_mesh,
    last_step,
});

/// The quality chosen for a step, and the data on which the next choices depend.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    pub(crate) quality: Quality,
    pub(crate) tracer_quality: TracerQuality,
    pub(crate) governor: Governor,
    /// Expected costs of the fluid and of tracers \[ms\].
    pub(crate) expected: [f64; 2],
}

crate::saved::fields!(Choice { quality, tracer_quality, governor, expected });

/// Cost of a step \[ms\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct StepCost {
    pub(crate) velocity: f64,
    pub(crate) other: f64,
    pub(crate) tracers: f64,
}

crate::saved::fields!(StepCost { velocity, other, tracers });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    const COSTS: [f64; 3] = [3.0, 2.0, 1.0];

    fn decisions(limits: impl IntoIterator<Item = f64>) -> (Vec<usize>, u64) {
        let mut level = QualityLevel::default();
        let decided = limits.into_iter().map(|limit| level.decide(&COSTS, limit)).collect();
        (decided, level.changes())
    }

    #[test]
    fn the_best_within_the_limit_at_once() {
        for (limit, wanted) in
            [(f64::INFINITY, 0), (3.0, 0), (2.9, 1), (2.0, 1), (1.5, 2), (0.5, 2), (0.0, 2)]
        {
            assert_eq!(decisions([limit]).0, [wanted], "{limit}");
        }
    }

    #[test]
    fn a_better_one_after_thirty_steps_clearly_below() {
        let above = CLEAR_STEPS as usize;
        let (decided, changes) = decisions([1.0].into_iter().chain([3.8; 50]));
        assert_eq!(changes, 2);
        assert!(decided[1..above].iter().all(|&level| level == 2), "{decided:?}");
        assert!(decided[above..].iter().all(|&level| level == 0), "{decided:?}");
        // 2 of 2.4 and 3 of 3.7 are not clearly below.
        assert!(decisions([1.0].into_iter().chain([2.4; 500])).0[1..].iter().all(|&level| level == 2));
        // A single step that is not clear restarts the wait.
        let broken = (0..1000).map(|step| if step % 20 == 0 { 1.0 } else { 9.0 });
        assert!(decisions(broken).0.iter().all(|&level| level == 2));
    }

    #[test]
    fn the_worst_of_those_that_were_clear_all_the_while() {
        let (decided, _) =
            decisions([1.0].into_iter().chain((0..40).map(|i| if i == 7 { 2.6 } else { 9.0 })));
        assert_eq!(decided.last(), Some(&1));
    }

    #[test]
    fn noise_around_the_limit_changes_little() {
        let random = Random::new(1);
        for part in [0.7, 1.0, 1.3] {
            let limits = (0..1000).map(|step| 3.0 / part * (0.9 + 0.2 * random.unit(step) as f64));
            let (_, changes) = decisions(limits);
            assert!(changes <= 2, "{changes} changes around {part}");
        }
    }

    #[test]
    fn the_worst_rhythm_is_outwaited() {
        // Enough for each level until that level has been taken.
        let mut level = QualityLevel::default();
        let mut now = 0;
        for _ in 0..1000 {
            now = level.decide(&COSTS, if now == 0 { 1.0 } else { 9.0 });
        }
        assert!((5..=12).contains(&level.changes()), "{} changes", level.changes());
    }

    #[test]
    fn what_does_not_pay_is_not_taken() {
        let mut level = QualityLevel::default();
        assert_eq!(level.decide(&[3.0, 3.0, 3.0], 1.0), 0);
        assert_eq!(level.decide(&[3.0, 2.0, 2.5], 1.0), 1);
        assert_eq!(level.decide(&[0.0, 0.0, 0.0], 0.0), 1, "no hurry to come back");
    }

    #[test]
    fn one_hiccup_is_forgotten() {
        let mut pace = Pace::default();
        assert_eq!(pace.expected(), 0.0);
        for (milliseconds, expected) in
            [(2.0, 0.0), (2.0, 1.0), (90.0, 1.0), (2.0, 1.0), (8.0, 1.0), (8.0, 4.0)]
        {
            pace.note(milliseconds, 2.0);
            assert_eq!(pace.expected(), expected);
        }
    }
}
