//! Extrapolation in time of strengths found at the middles of steps.

/// Maximum extrapolation, relative to the time between the last two middles \[1\].
const MOST_AHEAD: f32 = 1.5;

/// Strengths \[m²/s\] at the vertices of a sheet, at the middles of the last two steps.
#[derive(Debug, Clone)]
pub(super) struct History {
    values: [Vec<f32>; 2],
    /// Number of known entries of `values`.
    known: usize,
    /// Time between both \[s\].
    between: f32,
    /// Time from the last middle to the start of the present step \[s\].
    age: f32,
    /// Length of the last step \[s\].
    step: f32,
    /// Maximum extrapolation, relative to the time between the last two middles \[1\].
    most_ahead: f32,
}

fluid_core::saved::fields!(History { known, between, age, step, most_ahead } same { values } check is_valid);

impl History {
    /// Returns true if `known` is a possible number of entries.
    fn is_valid(&self) -> bool {
        self.known <= self.values.len()
    }

    /// Creates the history of a sheet with this number of vertices, around which the flow is still unknown.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            values: [vec![0.0; vertices], vec![0.0; vertices]],
            known: 0,
            between: 0.0,
            age: 0.0,
            step: 0.0,
            most_ahead: MOST_AHEAD,
        }
    }

    /// Goes on with the history of another sheet, the strengths of which `convert` writes as those of this
    /// one.
    pub(super) fn go_on_from(&mut self, before: &Self, convert: impl Fn(&[f32], &mut [f32])) {
        self.values.iter_mut().zip(&before.values).for_each(|(to, from)| convert(from, to));
        (self.known, self.between, self.age) = (before.known, before.between, before.age);
        (self.step, self.most_ahead) = (before.step, before.most_ahead);
    }

    /// Discards all strengths.
    pub(super) fn forget(&mut self) {
        self.known = 0;
        self.values.iter_mut().for_each(|values| values.fill(0.0));
    }

    /// Sets the distance `gap` to the nearest surface that answers this one's flow, relative to the size of
    /// the body \[1\]. Each reads the other's answer to itself: where that is strong, extrapolated answers
    /// would grow from step to step.
    pub(super) fn keep_apart(&mut self, gap: f32) {
        self.most_ahead = MOST_AHEAD * gap.clamp(0.0, 1.0);
    }

    /// Returns true if strengths are known.
    pub(super) fn is_known(&self) -> bool {
        self.known > 0
    }

    /// Returns true if their rate of change is known.
    pub(super) fn is_settled(&self) -> bool {
        self.known == 2
    }

    /// Returns the extrapolation to `after` \[s\] from the start of the present step, relative to the time
    /// between the last two middles.
    fn ahead(&self, after: f32) -> f32 {
        let ahead = (after + self.age) / self.between;
        if self.is_settled() && ahead.is_finite() { ahead.clamp(0.0, self.most_ahead) } else { 0.0 }
    }

    /// Returns the strengths \[m²/s\] at `after` \[s\] from the start of the present step.
    pub(super) fn at(&self, after: f32) -> impl Iterator<Item = f32> {
        let ahead = self.ahead(after);
        let [last, before] = &self.values;
        last.iter().zip(before).map(move |(last, before)| last + (last - before) * ahead)
    }

    /// Starts a history with present strengths, of unknown rate of change. The caller writes them to the
    /// returned slice.
    pub(super) fn begin(&mut self) -> &mut [f32] {
        (self.known, self.age, self.step) = (1, 0.0, 0.0);
        &mut self.values[0]
    }

    /// Adds strengths at the middle of a step of `dt` \[s\]. The caller writes them to the returned slice.
    pub(super) fn push(&mut self, dt: f32) -> &mut [f32] {
        self.values.swap(0, 1);
        self.known = (self.known + 1).min(2);
        self.between = 0.5 * (self.step + dt);
        (self.age, self.step) = (-0.5 * dt, dt);
        &mut self.values[0]
    }

    /// Takes this fraction of the last change of strengths.
    pub(super) fn approach(&mut self, pace: f32) {
        let [last, before] = &mut self.values;
        if self.known == 2 && pace < 1.0 {
            last.iter_mut().zip(before).for_each(|(last, before)| *last = *before + (*last - *before) * pace);
        }
    }

    /// Raises earlier strengths by this `part` \[1\] of the difference between the last ones and these
    /// `expected` ones: a jump that does not go on.
    pub(super) fn jump_from(&mut self, expected: &[f32], part: f32) {
        let [last, before] = &mut self.values;
        for ((before, last), expected) in before.iter_mut().zip(last).zip(expected) {
            *before += (*last - expected) * part;
        }
    }

    /// Adds a change to all known strengths.
    pub(super) fn add(&mut self, change: &[f32]) {
        for values in &mut self.values[..self.known] {
            values.iter_mut().zip(change).for_each(|(value, change)| *value += change);
        }
    }

    /// Ends a step of `dt` \[s\].
    pub(super) fn finish_step(&mut self, dt: f32) {
        self.age += dt;
    }
}
