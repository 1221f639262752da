//! Strengths that were found at the middles of steps, and are wanted at other times.

/// Most that strengths are extrapolated, over the time between the last two middles \[1\].
const MOST_AHEAD: f32 = 1.5;

/// Strengths \[m²/s\] at the vertices of a sheet, at the middle of the last step and at that of the step
/// before.
#[derive(Debug, Clone)]
pub(super) struct History {
    values: [Vec<f32>; 2],
    /// How many of these are known.
    known: usize,
    /// Time between both \[s\].
    between: f32,
    /// Time from the last of them to the start of the present step \[s\].
    age: f32,
    /// Length of the last step \[s\].
    step: f32,
    /// Most that strengths are extrapolated, over the time between the last two middles \[1\].
    most_ahead: f32,
}

fluid_core::saved::fields!(History { known, between, age, step, most_ahead } same { values } check is_valid);

impl History {
    /// True if so many strengths can be known.
    fn is_valid(&self) -> bool {
        self.known <= self.values.len()
    }

    /// Of a sheet with so many vertices, around which nothing is known.
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

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.known = 0;
        self.values.iter_mut().for_each(|values| values.fill(0.0));
    }

    /// The nearest surface that answers this one's flow is `gap` of the size of the body away from it \[1\].
    /// Each reads the other's answer to itself: where that is strong, extrapolated answers would grow from
    /// step to step.
    pub(super) fn keep_apart(&mut self, gap: f32) {
        self.most_ahead = MOST_AHEAD * gap.clamp(0.0, 1.0);
    }

    /// True if strengths have been found.
    pub(super) fn is_known(&self) -> bool {
        self.known > 0
    }

    /// Part of the way from the middle before the last to the last by which strengths are extrapolated to
    /// `after` \[s\] from the start of the present step.
    fn ahead(&self, after: f32) -> f32 {
        let ahead = (after + self.age) / self.between;
        if self.known == 2 && ahead.is_finite() { ahead.clamp(0.0, self.most_ahead) } else { 0.0 }
    }

    /// Strengths \[m²/s\], `after` \[s\] from the start of the present step.
    pub(super) fn at(&self, after: f32) -> impl Iterator<Item = f32> {
        let ahead = self.ahead(after);
        let [last, before] = &self.values;
        last.iter().zip(before).map(move |(last, before)| last + (last - before) * ahead)
    }

    /// Those of now are known, and not how they change: they are to be written to what this returns.
    pub(super) fn begin(&mut self) -> &mut [f32] {
        (self.known, self.age, self.step) = (1, 0.0, 0.0);
        &mut self.values[0]
    }

    /// Those at the middle of a step of `dt` \[s\] are known: they are to be written to what this returns.
    pub(super) fn push(&mut self, dt: f32) -> &mut [f32] {
        self.values.swap(0, 1);
        self.known = (self.known + 1).min(2);
        self.between = 0.5 * (self.step + dt);
        (self.age, self.step) = (-0.5 * dt, dt);
        &mut self.values[0]
    }

    /// Adds to what is known.
    pub(super) fn add(&mut self, change: &[f32]) {
        for values in &mut self.values[..self.known] {
            values.iter_mut().zip(change).for_each(|(value, change)| *value += change);
        }
    }

    /// The step is over.
    pub(super) fn finish_step(&mut self, dt: f32) {
        self.age += dt;
    }
}
