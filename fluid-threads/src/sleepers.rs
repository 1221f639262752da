//! Threads that sleep until there is work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Threads that wait for an event.
pub(crate) struct Sleepers {
    count: AtomicUsize,
    bed: Mutex<()>,
    alarm: Condvar,
}

impl Sleepers {
    pub(crate) const fn new() -> Self {
        Self { count: AtomicUsize::new(0), bed: Mutex::new(()), alarm: Condvar::new() }
    }

    /// Sleeps until woken, unless the event `has_come` already: read, as it was written before
    /// [`wake`](Self::wake), in sequentially consistent order.
    pub(crate) fn sleep(&self, has_come: &dyn Fn() -> bool) {
        let guard = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        // Sequentially consistent, as in `wake`: either the sleeper is counted there, or it sees here the
        // event that would have woken it.
        self.count.fetch_add(1, Ordering::SeqCst);
        if !has_come() {
            drop(self.alarm.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        self.count.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes up to `most` sleepers.
    pub(crate) fn wake(&self, most: usize) {
        let sleepers = self.count.load(Ordering::SeqCst).min(most);
        if sleepers == 0 {
            return;
        }
        // A counted sleeper that holds the lock is about to wait.
        drop(self.bed.lock().unwrap_or_else(PoisonError::into_inner));
        (0..sleepers).for_each(|_| self.alarm.notify_one());
    }
}
