//! A float that many threads may add to without a lock (Gourlay, part 14).

use crossbeam::utils::Backoff;
use std::sync::atomic::{AtomicU32, Ordering};

/// An `f32` with an atomic [`fetch_add`](Self::fetch_add).
///
/// Float addition is not associative, so the sum depends on the order in which threads arrive: **unordered**. Nothing in
/// the default step uses it; it serves hosts and comparisons that accept different bits from run to run.
#[derive(Debug, Default)]
pub struct AtomicF32(AtomicU32);

impl AtomicF32 {
    /// A new atomic float.
    pub const fn new(value: f32) -> Self {
        Self(AtomicU32::new(value.to_bits()))
    }

    /// The value now.
    pub fn load(&self, ordering: Ordering) -> f32 {
        f32::from_bits(self.0.load(ordering))
    }

    /// Replaces the value.
    pub fn store(&self, value: f32, ordering: Ordering) {
        self.0.store(value.to_bits(), ordering);
    }

    /// Adds `value` and returns what was there before. Lock-free: a failed exchange means that another thread succeeded.
    ///
    /// The comparison is on bits, not on floats: NaN differs from itself as a float, and a loop that waits for equality
    /// of floats would never end once a NaN is in.
    pub fn fetch_add(&self, value: f32, ordering: Ordering) -> f32 {
        let backoff = Backoff::new();
        let mut seen = self.0.load(Ordering::Relaxed);
        loop {
            let sum = (f32::from_bits(seen) + value).to_bits();
            match self.0.compare_exchange_weak(seen, sum, ordering, Ordering::Relaxed) {
                Ok(before) => return f32::from_bits(before),
                Err(now) => seen = now,
            }
            backoff.spin();
        }
    }
}
