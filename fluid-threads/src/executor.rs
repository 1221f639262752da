//! The trait through which every loop runs, and the chunk arithmetic that makes results independent of its
//! implementation.

use std::ops::Range;

/// Runs chunks of work. Dyn-compatible, so that a world can hold any backend behind one pointer.
///
/// # Safety
/// The soundness of disjoint mutable chunks ([`for_each_chunk_mut`](crate::for_each_chunk_mut)) depends on
/// this contract:
/// * [`run`](Executor::run) calls `body(i)` exactly once for every `i` in `0..chunks`, in any order, on any
///   threads, and returns after the last call has returned.
/// * If a call panics, `run` panics once on the calling thread after all running chunks have ended (chunks
///   that have not started may be skipped); the executor stays usable.
pub unsafe trait Executor: Send + Sync {
    /// Returns the number of participating threads. For information: chunk sizes must not depend on it.
    fn worker_count(&self) -> usize;

    /// Calls `body(i)` once for each `i` in `0..chunks` and returns when all calls have ended.
    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync));

    /// Runs `body` where further [`run`](Executor::run) calls are cheapest (for a pool: on one of its
    /// workers). A step enters once, not once per loop: entering costs about 20 µs, a loop inside about 2
    /// µs.
    fn enter(&self, body: &mut (dyn FnMut() + Send));

    /// Returns true if `bytes` of memory beyond those in use are there until the work for which this
    /// executor is used ends. Asked before a large part of a step grows, which is left as it is if not.
    /// Executors that do not know return true.
    fn has_memory(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }
}

/// Returns the number of chunks of `chunk` items that cover `len` items.
///
/// # Panics
/// If `chunk` is 0.
#[inline]
pub fn chunk_count(len: usize, chunk: usize) -> usize {
    len.div_ceil(chunk)
}

/// Returns the items of chunk `index`: `chunk` of them, fewer in the last one.
#[inline]
pub fn chunk_range(len: usize, chunk: usize, index: usize) -> Range<usize> {
    let start = index * chunk;
    start..(start + chunk).min(len)
}

/// Calls `body` with each chunk's range of `0..len`.
pub fn for_each_chunk(exec: &dyn Executor, len: usize, chunk: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
    exec.run(chunk_count(len, chunk), &|index| body(chunk_range(len, chunk, index)));
}
