//! A float to which many threads can add without a lock (Gourlay, part 14).

use crossbeam::utils::Backoff;
use std::sync::atomic::{AtomicU32, Ordering};

/// An `f32` with an atomic [`fetch_add`](Self::fetch_add).
///
/// Float addition is not associative, so the sum depends on the order in which threads arrive:
/// **unordered**. The default step does not use it; it is for hosts and comparisons that accept different
/// bits from run to run.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct AtomicF32(AtomicU32);

impl AtomicF32 {
    /// Creates an atomic float.
    pub const fn new(value: f32) -> Self {
        Self(AtomicU32::new(value.to_bits()))
    }

    /// Returns floats as atomic ones, for as long as they are borrowed.
    pub fn from_mut_slice(floats: &mut [f32]) -> &[Self] {
        const { assert!(align_of::<Self>() == align_of::<f32>()) };
        // SAFETY: an `AtomicF32` is an `AtomicU32`, which has the size and bits of a `u32`, as `f32` has; the
        // alignment is checked above. The borrow is unique, so that while the result lives, all access is
        // through it.
        unsafe { &*(std::ptr::from_mut(floats) as *const [Self]) }
    }

    /// Loads the value.
    #[inline]
    pub fn load(&self, ordering: Ordering) -> f32 {
        f32::from_bits(self.0.load(ordering))
    }

    /// Replaces the value.
    #[inline]
    pub fn store(&self, value: f32, ordering: Ordering) {
        self.0.store(value.to_bits(), ordering);
    }

    /// Adds `value` and returns the previous value. Lock-free: a failed exchange means that another thread
    /// succeeded.
    ///
    /// The comparison is on bits, not on floats: NaN is unequal to itself as a float, so a loop that
    /// compares floats would never end once the value is NaN.
    #[inline]
    pub fn fetch_add(&self, value: f32, ordering: Ordering) -> f32 {
        fetch_add(&self.0, value, ordering)
    }
}

/// Memory operations of the loop of [`fetch_add`]. A trait, so that the tests can run the same loop through
/// every interleaving of threads.
trait Word {
    fn load(&self) -> u32;
    fn compare_exchange_weak(&self, seen: u32, new: u32, success: Ordering) -> Result<u32, u32>;
}

impl Word for AtomicU32 {
    #[inline(always)]
    fn load(&self) -> u32 {
        self.load(Ordering::Relaxed)
    }
    #[inline(always)]
    fn compare_exchange_weak(&self, seen: u32, new: u32, success: Ordering) -> Result<u32, u32> {
        self.compare_exchange_weak(seen, new, success, Ordering::Relaxed)
    }
}

#[inline(always)]
fn fetch_add(word: &impl Word, value: f32, ordering: Ordering) -> f32 {
    let backoff = Backoff::new();
    let mut seen = word.load();
    loop {
        let sum = (f32::from_bits(seen) + value).to_bits();
        match word.compare_exchange_weak(seen, sum, ordering) {
            Ok(before) => return f32::from_bits(before),
            Err(now) => seen = now,
        }
        backoff.spin();
    }
}

#[cfg(test)]
mod tests;
