//! Executor on a host's job system: the host runs tasks on its threads at any time, and these help the
//! thread that makes a step ([`session`](crate::session)).

use crate::Executor;
use crate::session::{Help, Session, Task};
use std::fmt;

/// A host's job system.
pub trait Scheduler: Send + Sync {
    /// Enqueues a task that any thread may [run](Task::run), now or later. Returns a handle for
    /// [`finish`](Self::finish), or `None` if that call is not needed.
    fn enqueue(&self, task: Task) -> Option<TaskHandle>;

    /// Returns once the task of this handle is no longer running. Its session is closed: a task that has
    /// not started may be run here, later or never.
    fn finish(&self, handle: TaskHandle);
}

/// A scheduler's handle of a task: any non-zero number or address.
pub type TaskHandle = std::num::NonZeroUsize;

/// Executor that runs loops on the calling thread, with the help of a host's threads.
pub struct Host {
    workers: usize,
    scheduler: Box<dyn Scheduler>,
}

impl Host {
    /// Largest number of threads that work on a step, the calling one included.
    pub const MAX_WORKERS: usize = 256;

    /// Creates an executor that runs loops on the calling thread and in up to `workers` - 1 tasks at a
    /// time, clamped to 1..=[`MAX_WORKERS`](Self::MAX_WORKERS) workers.
    pub fn new(workers: usize, scheduler: impl Scheduler + 'static) -> Self {
        Self { workers: workers.clamp(1, Self::MAX_WORKERS), scheduler: Box::new(scheduler) }
    }

    /// Runs `body` in a new session, or without one if all seats are taken.
    fn in_session(&self, body: &mut dyn FnMut()) {
        let mut called = Called { scheduler: &*self.scheduler, handles: [None; Self::MAX_WORKERS] };
        let Some(session) = Session::begin(self.workers, 0) else { return body() };
        for handle in &mut called.handles[..self.workers - 1] {
            *handle = self.scheduler.enqueue(session.task());
        }
        body();
    }
}

/// Tasks of a session. When they are finished, the session has been closed, so the host may run other work
/// meanwhile, including steps of other worlds.
struct Called<'a> {
    scheduler: &'a dyn Scheduler,
    handles: [Option<TaskHandle>; Host::MAX_WORKERS],
}

impl Drop for Called<'_> {
    fn drop(&mut self) {
        for handle in self.handles.into_iter().flatten() {
            self.scheduler.finish(handle);
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("workers", &self.workers).finish()
    }
}

// SAFETY: `Seat::share` fulfils the contract, and so does a loop on this thread.
unsafe impl Executor for Host {
    fn worker_count(&self) -> usize {
        self.workers
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        match Help::here() {
            Help::Session(seat) if chunks > 1 => seat.share(chunks, body),
            Help::ToBegin if chunks > 1 => self.in_session(&mut || match Help::here() {
                Help::Session(seat) => seat.share(chunks, body),
                _ => (0..chunks).for_each(body),
            }),
            _ => (0..chunks).for_each(body),
        }
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        match Help::here() {
            Help::ToBegin => self.in_session(body),
            _ => body(),
        }
    }
}
