//! The library's own threads: a rayon pool that belongs to one owner and ends with it. The global pool is
//! never touched, so a host that uses rayon itself is not affected.
//!
//! A step runs on one of the threads, and the others help it ([`session`](crate::session)): each receives
//! one task for the whole step, not one for each part of each loop.

use crate::Executor;
use crate::session::{self, Help, Session, Task};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// A pool of worker threads. All of them have ended when drop returns.
///
/// A child process created by `fork()` has none of its parent's threads: there, everything runs on the
/// calling thread, with the same results.
pub struct Pool {
    /// Taken only by `drop`.
    running: Option<RunningThreads>,
    /// Id of the process that started the threads.
    process: u32,
    /// Number of steps running on the threads.
    steps: AtomicUsize,
    /// Number of steps that arrived while other steps were running, and have not begun.
    wanted: AtomicUsize,
}

struct RunningThreads {
    // Order matters: fields are dropped from top to bottom. The first signals the threads to end, the
    // second waits for them.
    threads: rayon::ThreadPool,
    _ends: Ends,
}

/// Largest number of threads that help a step: a thread's queue has capacity for that many tasks, and
/// allocates for more.
const MOST_TASKS: usize = 63;

/// Joins the threads on drop. (rayon's own pool does not, so a host that unloads the library would remove
/// their code while they run.)
struct Ends(Vec<JoinHandle<()>>);

impl Drop for Ends {
    fn drop(&mut self) {
        let here = std::thread::current().id();
        for thread in self.0.drain(..).filter(|thread| thread.thread().id() != here) {
            // A worker that panicked has already reported it to its caller.
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
    /// Largest number of workers in a pool. Game machines have fewer; a larger number is taken for a
    /// mistake.
    pub const MAX_WORKERS: usize = 256;

    /// Starts `workers` threads, clamped to 1..=[`MAX_WORKERS`](Self::MAX_WORKERS). Up to 64 of them work on
    /// one step.
    ///
    /// # Errors
    /// [`PoolError`] if the system cannot start them.
    pub fn new(workers: usize) -> Result<Self, PoolError> {
        Self::with_hooks(workers, |_| (), |_| ())
    }

    /// Like [`new`](Self::new). `on_start` runs first on every worker thread and `on_stop` last, each with
    /// the number of the worker, counted from 0.
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
        let (steps, wanted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let running = Some(RunningThreads { threads, _ends: ends });
        Ok(Self { running, process: std::process::id(), steps, wanted })
    }

    /// Returns true if this process started the pool, false in a child created by `fork()`.
    pub fn is_of_this_process(&self) -> bool {
        std::process::id() == self.process
    }

    /// Runs `body` on one of the threads, in a new session, or without one if all seats are taken.
    fn in_session(&self, threads: &rayon::ThreadPool, body: &mut (dyn FnMut() + Send)) {
        // All helpers are released: one of them could otherwise join a third step before it looks for new
        // ones.
        let waits = self.steps.load(Ordering::SeqCst) > 0;
        if waits {
            self.wanted.fetch_add(1, Ordering::SeqCst);
            session::wake_all();
        }
        threads.install(|| {
            if waits {
                self.wanted.fetch_sub(1, Ordering::SeqCst);
            }
            let _counted = CountGuard::new(&self.steps);
            // At the end of a step its thread waits for the helpers: it must not help another step then,
            // which may be long.
            let _busy = session::be_busy();
            let (count, number) = (threads.current_num_threads(), threads.current_thread_index());
            let Some(session) = Session::begin(count, number.unwrap_or(0)) else { return body() };
            let (tasks, task) = ((count - 1).min(MOST_TASKS), session.task());
            self.with_help(tasks, task, &mut Some(session), body);
        });
    }

    /// Runs `body` with the help of `tasks` tasks, then closes the session. Tasks not taken by a thread by
    /// then return at once. Does not allocate.
    fn with_help(
        &self,
        tasks: usize,
        task: Task,
        session: &mut Option<Session>,
        body: &mut (dyn FnMut() + Send),
    ) {
        if tasks == 0 {
            let _closes = session.take();
            return body();
        }
        rayon::join(
            || self.with_help(tasks - 1, task, session, body),
            || task.run_until(rayon::current_thread_index(), &|| self.wanted.load(Ordering::SeqCst) > 0),
        );
    }

    /// Returns the threads, if they belong to this process.
    fn threads(&self) -> Option<&rayon::ThreadPool> {
        let threads = &self.running.as_ref()?.threads;
        // A pool thread need not check: a step enters once, and runs hundreds of loops inside.
        let here = threads.current_thread_index().is_some() || self.is_of_this_process();
        here.then_some(threads)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if !self.is_of_this_process() {
            // There are no threads to signal or wait for, and a lock may be held for ever.
            std::mem::forget(self.running.take());
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("workers", &self.worker_count()).finish()
    }
}

/// Increments a counter until dropped.
struct CountGuard<'a>(&'a AtomicUsize);

impl<'a> CountGuard<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

// SAFETY: `Seat::share` fulfils the contract, and so does a loop on this thread.
unsafe impl Executor for Pool {
    fn worker_count(&self) -> usize {
        self.threads().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        match (Help::here(), self.threads()) {
            (Help::Session(seat), Some(_)) if chunks > 1 => seat.share(chunks, body),
            (Help::ToBegin, Some(threads)) if chunks > 1 => {
                self.in_session(threads, &mut || match Help::here() {
                    Help::Session(seat) => seat.share(chunks, body),
                    _ => (0..chunks).for_each(body),
                });
            }
            _ => (0..chunks).for_each(body),
        }
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        match (Help::here(), self.threads()) {
            (Help::ToBegin, Some(threads)) => self.in_session(threads, body),
            _ => body(),
        }
    }
}
