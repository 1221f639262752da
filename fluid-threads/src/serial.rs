//! Serial execution on the calling thread: chunks in order, without synchronisation.

use crate::Executor;

/// Runs every chunk on the calling thread, in order.
#[derive(Debug, Default, Clone, Copy)]
pub struct Serial;

// SAFETY: a loop over the range calls each index once, and returns at its end.
unsafe impl Executor for Serial {
    fn worker_count(&self) -> usize {
        1
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        (0..chunks).for_each(body);
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        body();
    }
}
