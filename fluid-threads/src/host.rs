//! A host's threads: tasks that its job system runs when and where it likes help the thread that makes a
//! step ([`session`](crate::session)).

use crate::Executor;
use crate::session::{Help, Session, Task};
use std::fmt;

/// A host's job system.
pub trait Scheduler: Send + Sync {
    /// Hands over a task that any thread may [run](Task::run), now or later. Returns what
    /// [`finish`](Self::finish) is to be called with, or `None` if that is not needed.
    fn enqueue(&self, task: Task) -> Option<TaskHandle>;

    /// Returns when the task of this handle does not run any more. Its session is closed: a task that has not
    /// begun may be run here, later or never.
    fn finish(&self, handle: TaskHandle);
}

/// What a scheduler calls a task by: any non-zero number or address.
pub type TaskHandle = std::num::NonZeroUsize;

/// Runs loops on the calling thread, with the help of a host's threads.
pub struct Host {
    workers: usize,
    scheduler: Box<dyn Scheduler>,
}

impl Host {
    /// Most threads that work on a step, the calling one included.
    pub const MAX_WORKERS: usize = 256;

    /// Loops on the calling thread and in up to `workers` - 1 tasks at a time, clamped to
    /// 1..=[`MAX_WORKERS`](Self::MAX_WORKERS) workers.
    pub fn new(workers: usize, scheduler: impl Scheduler + 'static) -> Self {
        Self { workers: workers.clamp(1, Self::MAX_WORKERS), scheduler: Box::new(scheduler) }
    }

    /// Runs `body` in a session of its own; without one where all seats are taken.
    fn in_session(&self, body: &mut dyn FnMut()) {
        let mut called = Called { scheduler: &*self.scheduler, handles: [None; Self::MAX_WORKERS] };
        let Some(session) = Session::begin(self.workers, 0) else { return body() };
        for handle in &mut called.handles[..self.workers - 1] {
            *handle = self.scheduler.enqueue(session.task());
        }
        body();
    }
}

/// Tasks of a session. It has been closed when they are finished, so the host may run other work of its own
/// meanwhile, steps of other worlds among it.
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

// SAFETY: `Seat::share` keeps the contract, and so does a loop on this thread.
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
