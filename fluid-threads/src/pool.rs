//! Threads of our own: a rayon pool that belongs to one owner and ends with it. The global pool is never
//! touched, so a host that uses rayon itself sees nothing of us.

use crate::Executor;
use rayon::prelude::*;
use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A pool of worker threads. They have ended when it has been dropped.
///
/// A child process that `fork()` made has none of its parent's threads: there, everything runs on the calling
/// thread, with the same results.
pub struct Pool {
    /// Taken out by `drop` alone.
    running: Option<Running>,
    /// The process that has the threads.
    process: u32,
}

struct Running {
    // Order matters: fields are dropped from top to bottom. The first tells the threads to end, the second
    // waits for them.
    threads: rayon::ThreadPool,
    _ends: Ends,
}

/// Waits for the threads. (rayon's own pool does not, and a host that unloads the library would pull the code
/// from under them.)
struct Ends(Vec<JoinHandle<()>>);

impl Drop for Ends {
    fn drop(&mut self) {
        let here = std::thread::current().id();
        for thread in self.0.drain(..).filter(|thread| thread.thread().id() != here) {
            // A worker that panicked has told its caller already.
            let _ = thread.join();
        }
    }
}

/// The system refused to start the threads.
#[derive(Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start worker threads: {}", self.0)
    }
}

impl std::error::Error for PoolError {}

impl Pool {
    /// Most workers a pool can have. A game machine has fewer; a larger number is a mistake, not a wish.
    pub const MAX_WORKERS: usize = 256;

    /// Starts `workers` threads, clamped to 1..=[`MAX_WORKERS`](Self::MAX_WORKERS).
    ///
    /// # Errors
    /// [`PoolError`] if the system cannot start them.
    pub fn new(workers: usize) -> Result<Self, PoolError> {
        Self::with_hooks(workers, |_| (), |_| ())
    }

    /// Like [`new`](Self::new). `on_start` runs first on every worker thread and `on_stop` last, each with
    /// the number of the worker from 0 on.
    ///
    /// # Errors
    /// [`PoolError`] if the system cannot start the threads.
    pub fn with_hooks(
        workers: usize,
        on_start: impl Fn(usize) + Send + Sync + 'static,
        on_stop: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Self, PoolError> {
        let hooks = Arc::new((on_start, on_stop));
        let mut ends = Ends(Vec::new());
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(workers.clamp(1, Self::MAX_WORKERS))
            .spawn_handler(|worker| {
                let hooks = Arc::clone(&hooks);
                let name = format!("vorton-{}", worker.index());
                ends.0.push(std::thread::Builder::new().name(name).spawn(move || {
                    let index = worker.index();
                    hooks.0(index);
                    worker.run();
                    hooks.1(index);
                })?);
                Ok(())
            })
            .build()
            .map_err(|error| PoolError(error.to_string()))?;
        Ok(Self { running: Some(Running { threads, _ends: ends }), process: std::process::id() })
    }

    /// True if this process has started the pool, and is no child that `fork()` made.
    pub fn is_of_this_process(&self) -> bool {
        std::process::id() == self.process
    }

    /// The threads, if this process has them.
    fn threads(&self) -> Option<&rayon::ThreadPool> {
        let threads = &self.running.as_ref()?.threads;
        // One of the threads need not ask: a step enters once, and runs hundreds of loops inside.
        let here = threads.current_thread_index().is_some() || self.is_of_this_process();
        here.then_some(threads)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !self.is_of_this_process() {
            // There is no thread to be told or waited for, and a lock may be held for ever.
            std::mem::forget(self.running.take());
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("workers", &self.worker_count()).finish()
    }
}

// SAFETY: rayon calls each index of the range once and joins before it returns; a panic is passed on after
// the join.
unsafe impl Executor for Pool {
    fn worker_count(&self) -> usize {
        self.threads().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        // One chunk is not worth waking a worker for.
        let threads = if chunks > 1 { self.threads() } else { None };
        match threads {
            Some(threads) => {
                threads.install(|| (0..chunks).into_par_iter().with_max_len(1).for_each(body));
            }
            None => (0..chunks).for_each(body),
        }
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        match self.threads() {
            Some(threads) => threads.install(body),
            None => body(),
        }
    }
}
