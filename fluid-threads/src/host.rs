//! The host's threads: tasks that its job system runs when and where it likes help the thread that makes a
//! step.
//!
//! A step is a *session*. It takes a seat of a table that lives as long as the program, hands tasks to the
//! host, and closes the session at its end. A task joins the loops of its session, one after the other, until
//! the session is closed; one that the host runs later finds it closed and returns, even after the executor
//! has been dropped. The calling thread works on each loop from its start and waits for chunks that others
//! have begun, never for a task that has not: a host that runs no task at all only makes steps slower.

use crate::Executor;
use crossbeam::utils::{Backoff, CachePadded};
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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

/// Help for one session, to be run on any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task(usize);

impl Task {
    /// As a number that a foreign scheduler can carry.
    pub fn to_token(self) -> usize {
        self.0
    }

    /// The task of a [token](Self::to_token). Any number is harmless: the task of a session that is not open
    /// does nothing.
    pub fn from_token(token: usize) -> Self {
        Self(token)
    }

    /// Works on the loops of the session until it is closed. Returns at once if it is closed already, and on
    /// a thread that is in a session itself (which would wait for itself).
    pub fn run(self) {
        let seat = &SEATS[self.0 % SEATS.len()];
        let place = PLACE.get();
        // 0 is of no session; seats that are closed have it.
        if self.0 == 0 || place.seat.is_some() || place.is_busy {
            return;
        }
        let _back = Restore::to(Place { seat: None, is_busy: true });
        let (backoff, mut idle) = (Backoff::new(), 0);
        while seat.token.load(Ordering::SeqCst) == self.0 {
            let has_worked = seat.help();
            if !has_worked && idle < PATIENCE {
                backoff.snooze();
                idle += 1;
                continue;
            }
            if !has_worked {
                seat.sleep(self);
            }
            backoff.reset();
            idle = 0;
        }
    }
}

/// How often a task looks for a loop, giving way to other threads in between, before it sleeps: some 100 µs
/// where no thread wants its processor. Waking a sleeper takes as long as a short loop.
const PATIENCE: u32 = 400;

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
        let Some(mut session) = Session::begin(&*self.scheduler) else { return body() };
        session.call_for_help(self.workers - 1);
        body();
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("workers", &self.workers).finish()
    }
}

// SAFETY: `Seat::share` gives each index to one thread, which `next` counts, and returns when all threads
// that may have taken one have left (`inside`); it passes a panic on after that.
unsafe impl Executor for Host {
    fn worker_count(&self) -> usize {
        self.workers
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        let place = PLACE.get();
        match place.seat {
            // A loop within a chunk: its thread alone.
            _ if chunks <= 1 || place.is_busy => (0..chunks).for_each(body),
            Some(seat) => seat.share(chunks, body),
            None => self.in_session(&mut || match PLACE.get().seat {
                Some(seat) => seat.share(chunks, body),
                None => (0..chunks).for_each(body),
            }),
        }
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        let place = PLACE.get();
        if place.seat.is_some() || place.is_busy { body() } else { self.in_session(body) }
    }
}

/// Sessions at a time, of all hosts; more run on their calling threads alone.
const SEAT_COUNT: usize = 64;

static SEATS: [CachePadded<Seat>; SEAT_COUNT] = [const { CachePadded::new(Seat::new()) }; SEAT_COUNT];

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place { seat: None, is_busy: false }) };
}

/// What a thread is doing.
#[derive(Clone, Copy)]
struct Place {
    /// The session that the thread has begun.
    seat: Option<&'static Seat>,
    /// True in a chunk, and in a task.
    is_busy: bool,
}

/// Sets this thread's place, and what was there before on drop.
struct Restore(Place);

impl Restore {
    fn to(place: Place) -> Self {
        Self(PLACE.replace(place))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        PLACE.set(self.0);
    }
}

/// Where a session and its tasks meet.
struct Seat {
    is_taken: AtomicBool,
    /// Of the session that is open; 0: none is.
    token: AtomicUsize,
    /// Sessions so far. Changed by the session alone.
    sessions: AtomicUsize,
    /// True while there is a loop to join.
    is_open: AtomicBool,
    /// Threads that may read `work`, beside the one that wrote it.
    inside: AtomicUsize,
    /// Written while `is_open` is false and nothing is inside.
    work: UnsafeCell<Work>,
    /// The next chunk that is not taken.
    next: CachePadded<AtomicUsize>,
    /// What the first chunk that panicked has said.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Tasks that have seen no loop for a while and wait for one.
    sleepers: AtomicUsize,
    bed: Mutex<()>,
    alarm: Condvar,
}

// SAFETY: `work` is the only field that is not `Sync`; see there, and `share` and `help` for the order. What
// it points to may be shared (`dyn Fn + Sync`).
unsafe impl Sync for Seat {}

/// A loop.
#[derive(Clone, Copy)]
struct Work {
    chunks: usize,
    body: *const (dyn Fn(usize) + Sync),
}

fn nothing(_: usize) {}

impl Seat {
    const fn new() -> Self {
        Self {
            is_taken: AtomicBool::new(false),
            token: AtomicUsize::new(0),
            sessions: AtomicUsize::new(0),
            is_open: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            work: UnsafeCell::new(Work { chunks: 0, body: &nothing }),
            next: CachePadded::new(AtomicUsize::new(0)),
            panic: Mutex::new(None),
            sleepers: AtomicUsize::new(0),
            bed: Mutex::new(()),
            alarm: Condvar::new(),
        }
    }

    /// Runs a loop with whatever comes to help. Called by the session's thread alone.
    fn share(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes. The pointer is used by threads that are inside, and this
        // function does not return or unwind before they have left.
        let body: *const (dyn Fn(usize) + Sync) =
            unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(body) };
        let work = Work { chunks, body };
        // SAFETY: no thread is inside with an open loop: the last `share` has closed it and waited. A thread
        // that comes in now finds `is_open` false and leaves without reading.
        unsafe { *self.work.get() = work };
        self.next.store(0, Ordering::Relaxed);
        self.is_open.store(true, Ordering::SeqCst);
        self.wake(chunks - 1);
        self.take_chunks(work);
        // Sequentially consistent, as in `help`: a thread that comes in either is seen here or sees that the
        // loop is closed.
        self.is_open.store(false, Ordering::SeqCst);
        let backoff = Backoff::new();
        while self.inside.load(Ordering::SeqCst) > 0 {
            backoff.snooze();
        }
        let payload = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = payload {
            resume_unwind(payload);
        }
    }

    /// Joins the loop that is open, if one is and a chunk is left. True if there was.
    fn help(&self) -> bool {
        if !self.is_open.load(Ordering::Relaxed) {
            return false;
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        let has_worked = self.is_open.load(Ordering::SeqCst) && {
            // SAFETY: the loop is open and this thread is inside, so `work` is not written until it leaves.
            let work = unsafe { *self.work.get() };
            self.take_chunks(work)
        };
        self.inside.fetch_sub(1, Ordering::SeqCst);
        has_worked
    }

    /// Waits for a loop or the end of the task's session, without taking time of the processor.
    fn sleep(&self, task: Task) {
        let guard = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        // Sequentially consistent, as in `wake`: either the sleeper is counted there, or it sees here what it
        // would have been woken for.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        if !self.is_open.load(Ordering::SeqCst) && self.token.load(Ordering::SeqCst) == task.0 {
            drop(self.alarm.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes up to `count` sleepers.
    fn wake(&self, count: usize) {
        let sleepers = self.sleepers.load(Ordering::SeqCst).min(count);
        if sleepers == 0 {
            return;
        }
        // A sleeper that is counted and holds the lock is about to wait.
        drop(self.bed.lock().unwrap_or_else(PoisonError::into_inner));
        (0..sleepers).for_each(|_| self.alarm.notify_one());
    }

    /// Runs chunks that are not taken until none is left. True if there was one. Does not unwind.
    fn take_chunks(&self, work: Work) -> bool {
        let _back = Restore::to(Place { is_busy: true, ..PLACE.get() });
        let mut has_worked = false;
        // Asked first, so that threads that look again and again do not make the count overflow.
        while self.next.load(Ordering::Relaxed) < work.chunks {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= work.chunks {
                break;
            }
            has_worked = true;
            // SAFETY: the caller is inside of the loop that `work` was read from, or is its owner, which
            // waits for all that are; until then the body lives.
            let body = unsafe { &*work.body };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(index))) {
                self.next.store(work.chunks, Ordering::Relaxed);
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
            }
        }
        has_worked
    }
}

/// A seat that is taken, until the end of a step.
struct Session<'a> {
    seat: &'static Seat,
    task: Task,
    scheduler: &'a dyn Scheduler,
    handles: [Option<TaskHandle>; Host::MAX_WORKERS],
    /// What this thread was doing before.
    before: Place,
}

impl<'a> Session<'a> {
    /// Takes a free seat.
    fn begin(scheduler: &'a dyn Scheduler) -> Option<Self> {
        let index = SEATS.iter().position(|seat| !seat.is_taken.swap(true, Ordering::Acquire))?;
        let seat: &Seat = &SEATS[index];
        // Numbers of sessions wrap after 2^58 of them (2^26 where addresses have 32 bits), and leave out 0.
        let number = seat.sessions.load(Ordering::Relaxed).wrapping_add(1) % (usize::MAX / SEAT_COUNT);
        seat.sessions.store(number, Ordering::Relaxed);
        let task = Task((number + 1) * SEAT_COUNT + index);
        seat.token.store(task.0, Ordering::SeqCst);
        let before = PLACE.replace(Place { seat: Some(seat), is_busy: false });
        Some(Self { seat, task, scheduler, handles: [None; Host::MAX_WORKERS], before })
    }

    fn call_for_help(&mut self, tasks: usize) {
        for handle in &mut self.handles[..tasks] {
            *handle = self.scheduler.enqueue(self.task);
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.seat.token.store(0, Ordering::SeqCst);
        self.seat.wake(usize::MAX);
        // A host may run other work of its own while it waits, steps of other worlds among it.
        PLACE.set(self.before);
        for handle in self.handles.into_iter().flatten() {
            self.scheduler.finish(handle);
        }
        self.seat.is_taken.store(false, Ordering::Release);
    }
}
