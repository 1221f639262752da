//! Emissions at a rate: how many are due in a step, and when each was.

/// Emissions due in a step, and their ages at its end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Due {
    /// Number due, bursts included.
    pub(crate) count: u64,
    /// Number of steady emissions; they come first.
    steady: u64,
    /// Time \[s\] since the last steady emission.
    since_last: f64,
    /// Time \[s\] between two steady emissions.
    interval: f64,
}

impl Due {
    /// Returns the same emissions, this number of them: fewer, or bursts as well.
    pub(super) fn with_count(self, count: u64) -> Self {
        Self { count, ..self }
    }

    /// Returns the time \[s\] since the `k`-th emission.
    pub(crate) fn since(&self, k: u64) -> f32 {
        match self.steady.checked_sub(k + 1) {
            Some(later) => (self.since_last + later as f64 * self.interval) as f32,
            None => 0.0,
        }
    }
}

/// Counter of emissions at a rate. The fraction is carried from step to step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Carry {
    fraction: f64,
}

crate::saved::fields!(Carry { fraction } check is_valid);

impl Carry {
    fn is_valid(&self) -> bool {
        (0.0..1.0).contains(&self.fraction)
    }

    /// Returns the emissions due at the end of `dt` \[s\] at `rate` \[1/s\]: none if `dt` is zero or
    /// negative.
    pub(super) fn take(&mut self, rate: f64, dt: f32) -> Due {
        let due = rate * f64::from(dt);
        if !(dt > 0.0 && rate > 0.0 && due.is_finite()) {
            return Due::default();
        }
        self.fraction += due;
        let whole = self.fraction.floor();
        self.fraction -= whole;
        // `as` saturates; the caller limits the count to its free capacity.
        let count = whole as u64;
        Due { count, steady: count, since_last: self.fraction / rate, interval: 1.0 / rate }
    }
}
