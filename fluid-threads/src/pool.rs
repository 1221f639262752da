//! The library's own threads: a rayon pool that belongs to one owner and ends with it. The global pool is
//! never touched, so a host that uses rayon itself is not affected.
//!
//! A step runs on the thread that makes it, and the pool's threads help ([`session`](crate::session)). They
//! look for steps on a [`Board`], and never make one themselves: no step waits for a thread that another step
//! keeps, and none begins within another.

use crate::Executor;
use crate::session::{self, Help, Session, Task};
use crate::sleepers::Sleepers;
use crossbeam::utils::Backoff;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// A pool of threads that help the threads that make steps. All of them have ended when drop returns.
///
/// A child process created by `fork()` has none of its parent's threads: there, everything runs on the
/// calling thread, with the same results.
pub struct Pool {
    /// Taken only by `drop`; None if there is no thread besides the calling one.
    running: Option<RunningThreads>,
    /// Number of threads that work on a step, the calling one included.
    workers: usize,
    board: Arc<Board>,
}

struct RunningThreads {
    /// Id of the process that started them; only platforms with threads have one.
    process: u32,
    // Order matters: fields are dropped from top to bottom. The first signals the threads to end, the
    // second waits for them.
    _threads: rayon::ThreadPool,
    _ends: Ends,
}

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

    /// Creates a pool in which `workers` threads, clamped to 1..=[`MAX_WORKERS`](Self::MAX_WORKERS), work on
    /// a step: the calling one and `workers` - 1 threads that this starts.
    ///
    /// # Errors
    /// [`PoolError`] if the system cannot start them.
    pub fn new(workers: usize) -> Result<Self, PoolError> {
        Self::with_hooks(workers, |_| (), |_| ())
    }

    /// Like [`new`](Self::new). `on_start` runs first on every thread of the pool and `on_stop` last, each
    /// with the number of the thread, counted from 0.
    ///
    /// # Errors
    /// [`PoolError`] if the system cannot start the threads.
    pub fn with_hooks(
        workers: usize,
        on_start: impl Fn(usize) + Send + Sync + 'static,
        on_stop: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Self, PoolError> {
        let workers = workers.clamp(1, Self::MAX_WORKERS);
        let board = Arc::new(Board::new(workers));
        let mut running = None;
        if workers > 1 {
            let hooks = Arc::new((on_start, on_stop));
            let mut ends = Ends(Vec::new());
            let threads = rayon::ThreadPoolBuilder::new()
                .num_threads(workers - 1)
                .spawn_handler(|worker| {
                    let hooks = Arc::clone(&hooks);
                    let name = format!("vorton-{}", worker.index());
                    ends.0.push(std::thread::Builder::new().name(name).spawn(move || {
                        let index = worker.index();
                        // The thread must run in any case: the pool's end waits for it.
                        _ = catch_unwind(AssertUnwindSafe(|| hooks.0(index)));
                        worker.run();
                        hooks.1(index);
                    })?);
                    Ok(())
                })
                .build()
                .map_err(|error| PoolError(error.to_string()))?;
            let work = Arc::clone(&board);
            threads.spawn_broadcast(move |thread| work.help(thread.index()));
            running = Some(RunningThreads { process: std::process::id(), _threads: threads, _ends: ends });
        }
        Ok(Self { running, workers, board })
    }

    /// Returns true if this process started the pool, false in a child created by `fork()`.
    pub fn is_of_this_process(&self) -> bool {
        self.running.as_ref().is_none_or(|threads| threads.process == std::process::id())
    }

    /// Runs `body` in a new session, or without one if all seats are taken.
    fn in_session(&self, body: &mut dyn FnMut()) {
        let Some(session) = Session::begin(self.workers, 0) else { return body() };
        let _posted = self.board.post(session.task());
        body();
    }

    /// True if there are threads that can help.
    fn has_help(&self) -> bool {
        self.running.is_some() && self.is_of_this_process()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            self.board.close();
        } else {
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

/// The steps that the threads of a pool may help.
struct Board {
    /// Number of threads that work at a time: those that make steps, and as many helpers as are left.
    workers: usize,
    /// Token of the session in each seat, or 0.
    tokens: [AtomicUsize; session::SEAT_COUNT],
    /// Number of sessions.
    sessions: AtomicUsize,
    /// Number of changes so far. A helper looks for a session anew after each.
    changes: AtomicUsize,
    is_closed: AtomicBool,
    /// Helpers without a session, which sleep.
    sleepers: Sleepers,
}

impl Board {
    fn new(workers: usize) -> Self {
        Self {
            workers,
            tokens: [const { AtomicUsize::new(0) }; session::SEAT_COUNT],
            sessions: AtomicUsize::new(0),
            changes: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
            sleepers: Sleepers::new(),
        }
    }

    /// Adds a session, until the value is dropped.
    fn post(&self, task: Task) -> Posted<'_> {
        let posted = Posted { board: self, token: &self.tokens[task.seat()] };
        posted.token.store(task.to_token(), Ordering::SeqCst);
        let others = self.sessions.fetch_add(1, Ordering::SeqCst);
        self.change(others > 0);
        posted
    }

    /// Has helpers look for a session anew: those without one, and those `in_sessions`.
    fn change(&self, in_sessions: bool) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.sleepers.wake(usize::MAX);
        if in_sessions {
            session::wake_all();
        }
    }

    /// Ends the work of all helpers.
    fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        self.change(true);
    }

    /// Helps one session after the other until the board is closed. `helper` counts from 0.
    fn help(&self, helper: usize) {
        let (backoff, mut idle) = (Backoff::new(), 0);
        loop {
            let seen = self.changes.load(Ordering::SeqCst);
            if self.is_closed.load(Ordering::SeqCst) {
                return;
            }
            let has_changed = || self.changes.load(Ordering::SeqCst) != seen;
            if let Some(task) = self.task_for(helper) {
                task.run_until(Some(helper + 1), &has_changed);
                backoff.reset();
                idle = 0;
            } else if idle < session::LOOKS_BEFORE_SLEEP {
                backoff.snooze();
                idle += 1;
            } else {
                self.sleepers.sleep(&has_changed);
                idle = 0;
            }
        }
    }

    /// Returns the task of the session that a helper joins, if any needs it. Helpers are dealt out evenly.
    fn task_for(&self, helper: usize) -> Option<Task> {
        let sessions = self.sessions.load(Ordering::SeqCst);
        if sessions == 0 || helper + sessions >= self.workers {
            return None;
        }
        let tokens = self.tokens.iter().map(|token| token.load(Ordering::SeqCst)).filter(|&token| token != 0);
        tokens.map(Task::from_token).nth(helper % sessions)
    }
}

/// A session on a board, until it is dropped.
struct Posted<'a> {
    board: &'a Board,
    token: &'a AtomicUsize,
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        self.token.store(0, Ordering::SeqCst);
        if self.board.sessions.fetch_sub(1, Ordering::SeqCst) > 1 {
            self.board.change(true);
        }
    }
}

// SAFETY: `Seat::share` fulfils the contract, and so does a loop on this thread.
unsafe impl Executor for Pool {
    fn worker_count(&self) -> usize {
        if self.has_help() { self.workers } else { 1 }
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        match Help::here() {
            Help::Session(seat) if chunks > 1 => seat.share(chunks, body),
            Help::ToBegin if chunks > 1 && self.has_help() => {
                self.in_session(&mut || match Help::here() {
                    Help::Session(seat) => seat.share(chunks, body),
                    _ => (0..chunks).for_each(body),
                });
            }
            _ => (0..chunks).for_each(body),
        }
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        match Help::here() {
            Help::ToBegin if self.has_help() => self.in_session(body),
            _ => body(),
        }
    }
}
