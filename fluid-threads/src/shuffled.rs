//! An adversarial backend for tests: any order that the [`Executor`] contract allows.

use crate::Executor;
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs chunks on the calling thread in an order that differs from call to call. Code with results that
/// change under it depends on the schedule, which is a defect. Allocates; for tests of determinism, in this
/// library and in hosts.
#[derive(Debug)]
pub struct Shuffled {
    state: AtomicU64,
}

impl Shuffled {
    /// Creates a sequence of orders; equal seeds give equal sequences.
    pub fn new(seed: u64) -> Self {
        Self { state: AtomicU64::new(seed) }
    }

    fn next(&self) -> u64 {
        // SplitMix64 (Steele, Lea, Flood 2014).
        let mut z = self.state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

// SAFETY: the order is a permutation of the range.
unsafe impl Executor for Shuffled {
    fn worker_count(&self) -> usize {
        1
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        let mut order: Vec<usize> = (0..chunks).collect();
        for last in (1..chunks).rev() {
            order.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
        order.into_iter().for_each(body);
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        body();
    }
}
