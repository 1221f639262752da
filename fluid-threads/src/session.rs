//! Sessions: other threads help the thread that makes a step.
//!
//! A step is a *session*. It takes a seat in a static table, has tasks run on other threads, and closes the
//! session at its end. A task joins the loops of its session, one after the other, until the session is
//! closed; a task that runs later finds it closed and returns, even after the executor has been dropped.
//! The session's thread works on each loop from its start and waits for chunks that other threads have
//! begun, never for a task that has not started: missing threads only make steps slower.

use crate::sleepers::Sleepers;
use crossbeam::utils::{Backoff, CachePadded};
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A task that helps one session, to be run on any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task(usize);

impl Task {
    /// Returns the task as a number that a foreign scheduler can store.
    pub fn to_token(self) -> usize {
        self.0
    }

    /// Returns the task of a [token](Self::to_token). Any number is safe: the task of a session that is not
    /// open does nothing.
    pub fn from_token(token: usize) -> Self {
        Self(token)
    }

    /// Returns the number of its session's seat.
    pub(crate) fn seat(self) -> usize {
        self.0 % SEAT_COUNT
    }

    /// Works on the loops of the session until it is closed. Returns at once if it is already closed, or if
    /// this thread is in a session itself (which would wait for itself).
    pub fn run(self) {
        self.run_until(None, &|| false);
    }

    /// Like [`run`](Self::run), but also returns when `is_wanted` says that the thread is needed elsewhere:
    /// called between loops, and when all tasks are [woken](wake_all).
    ///
    /// `number` identifies this thread within the session; with `None` the next free number is taken.
    pub(crate) fn run_until(self, number: Option<usize>, is_wanted: &dyn Fn() -> bool) {
        let seat = &SEATS[self.seat()];
        let place = PLACE.get();
        // Token 0 belongs to no session; closed seats have it.
        if self.0 == 0 || place.seat.is_some() || place.is_busy {
            return;
        }
        let _back = Restore::to(ThreadState { seat: None, is_busy: true, number: place.number });
        let number = number.unwrap_or_else(|| 1 + seat.helpers.fetch_add(1, Ordering::Relaxed));
        let (backoff, mut idle) = (Backoff::new(), 0);
        while seat.token.load(Ordering::SeqCst) == self.0 && !is_wanted() {
            let has_worked = seat.help(number);
            if !has_worked && idle < LOOKS_BEFORE_SLEEP {
                backoff.snooze();
                idle += 1;
                continue;
            }
            if !has_worked && seat.sleep(self, is_wanted) {
                return;
            }
            backoff.reset();
            idle = 0;
        }
    }
}

/// Number of times that a thread looks for a loop or a step, yielding to others in between, before it sleeps:
/// some 100 µs if no thread needs its processor. Waking a sleeper takes as long as a short loop.
pub(crate) const LOOKS_BEFORE_SLEEP: u32 = 400;

/// Simultaneous sessions, of all executors; further ones run on their own threads alone.
pub(crate) const SEAT_COUNT: usize = 64;

static SEATS: [CachePadded<Seat>; SEAT_COUNT] = [const { CachePadded::new(Seat::new()) }; SEAT_COUNT];

thread_local! {
    static PLACE: Cell<ThreadState> = const { Cell::new(ThreadState { seat: None, is_busy: false, number: 0 }) };
}

/// State of a thread.
#[derive(Clone, Copy)]
struct ThreadState {
    /// Session begun by the thread.
    seat: Option<&'static Seat>,
    /// True within a chunk or a task.
    is_busy: bool,
    /// Number of the thread that has begun the session, distinct from its helpers' numbers.
    number: usize,
}

/// Sets this thread's state, and restores the previous one on drop.
struct Restore(ThreadState);

impl Restore {
    fn to(place: ThreadState) -> Self {
        Self(PLACE.replace(place))
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        PLACE.set(self.0);
    }
}

/// State shared by a session and its tasks.
pub(crate) struct Seat {
    is_taken: AtomicBool,
    /// Token of the open session, or 0 if there is none.
    token: AtomicUsize,
    /// Number of sessions so far. Changed by the session alone.
    sessions: AtomicUsize,
    /// True while there is a loop to join.
    is_open: AtomicBool,
    /// Threads that may read `work`, besides the one that wrote it.
    inside: AtomicUsize,
    /// Written only while `is_open` is false and no thread is inside.
    work: UnsafeCell<ParallelLoop>,
    /// Largest number of threads that work on the session.
    threads: AtomicUsize,
    /// Tasks that have begun to help the session.
    helpers: AtomicUsize,
    /// Number of chunks taken from each part of the loop.
    taken: [CachePadded<AtomicUsize>; MOST_PARTS],
    /// Payload of the first panic in a chunk.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Tasks that have found no loop for a while and sleep.
    sleepers: Sleepers,
}

// SAFETY: `work` is the only field that is not `Sync`; see there, and `share` and `help` for the order. Its
// pointee may be shared (`dyn Fn + Sync`).
unsafe impl Sync for Seat {}

/// Largest number of parts of a loop. Each thread begins with its own part, so that loops over the same
/// memory find it in that thread's caches, and then takes chunks from the others.
const MOST_PARTS: usize = 16;

/// One loop.
#[derive(Clone, Copy)]
struct ParallelLoop {
    chunks: usize,
    /// At least one.
    parts: usize,
    body: *const (dyn Fn(usize) + Sync),
}

impl ParallelLoop {
    /// Returns the chunks of a part.
    fn part(&self, part: usize) -> Range<usize> {
        part * self.chunks / self.parts..(part + 1) * self.chunks / self.parts
    }
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
            work: UnsafeCell::new(ParallelLoop { chunks: 0, parts: 1, body: &nothing }),
            threads: AtomicUsize::new(1),
            helpers: AtomicUsize::new(0),
            taken: [const { CachePadded::new(AtomicUsize::new(0)) }; MOST_PARTS],
            panic: Mutex::new(None),
            sleepers: Sleepers::new(),
        }
    }

    /// Runs a loop together with the tasks that join it. Called only by the session's thread. Assigns each
    /// index to one thread, counted by `taken`, and returns when all threads that may have taken one have
    /// left; a panic is resumed after that.
    pub(crate) fn share(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes. The pointer is used by threads that are inside, and this
        // function does not return or unwind before they have left.
        let body: *const (dyn Fn(usize) + Sync) =
            unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(body) };
        let parts = self.threads.load(Ordering::Relaxed).clamp(1, MOST_PARTS).min(chunks.max(1));
        let work = ParallelLoop { chunks, parts, body };
        // SAFETY: no thread is inside with an open loop: the last `share` has closed it and waited. A
        // thread that enters now finds `is_open` false and leaves without reading.
        unsafe { *self.work.get() = work };
        self.taken[..parts].iter().for_each(|taken| taken.store(0, Ordering::Relaxed));
        self.is_open.store(true, Ordering::SeqCst);
        self.sleepers.wake(chunks - 1);
        self.take_chunks(work, PLACE.get().number);
        // Sequentially consistent, as in `help`: a thread that enters is either seen here or sees that the
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

    /// Joins the open loop, if there is one with chunks left. Returns true if a chunk was run.
    fn help(&self, number: usize) -> bool {
        if !self.is_open.load(Ordering::Relaxed) {
            return false;
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        let has_worked = self.is_open.load(Ordering::SeqCst) && {
            // SAFETY: the loop is open and this thread is inside, so `work` is not written until it leaves.
            let work = unsafe { *self.work.get() };
            self.take_chunks(work, number)
        };
        self.inside.fetch_sub(1, Ordering::SeqCst);
        has_worked
    }

    /// Sleeps until there is a loop or the task's session ends. Returns true if the thread was already
    /// wanted elsewhere.
    fn sleep(&self, task: Task, is_wanted: &dyn Fn() -> bool) -> bool {
        let was_wanted = Cell::new(false);
        self.sleepers.sleep(&|| {
            was_wanted.set(is_wanted());
            was_wanted.get()
                || self.is_open.load(Ordering::SeqCst)
                || self.token.load(Ordering::SeqCst) != task.0
        });
        was_wanted.get()
    }

    /// Runs untaken chunks until none is left, the thread's own part first. Returns true if one was run.
    /// Does not unwind.
    fn take_chunks(&self, work: ParallelLoop, number: usize) -> bool {
        let _back = Restore::to(ThreadState { is_busy: true, ..PLACE.get() });
        let own = number % work.parts;
        let parts = (own..work.parts).chain(0..own);
        parts.fold(false, |has_worked, part| self.take_from(work, part) | has_worked)
    }

    /// Runs chunks of one part of the loop until none is left. Returns true if one was run.
    fn take_from(&self, work: ParallelLoop, part: usize) -> bool {
        let (chunks, taken, mut has_worked) = (work.part(part), &self.taken[part], false);
        // Tested first, so that repeated calls do not make the counter overflow.
        while taken.load(Ordering::Relaxed) < chunks.len() {
            let index = taken.fetch_add(1, Ordering::Relaxed);
            if index >= chunks.len() {
                break;
            }
            has_worked = true;
            // SAFETY: the caller is inside the loop that `work` was read from, or is its owner, which waits
            // for all threads inside; until then the body lives.
            let body = unsafe { &*work.body };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(chunks.start + index))) {
                self.taken.iter().for_each(|taken| taken.store(work.chunks, Ordering::Relaxed));
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
            }
        }
        has_worked
    }
}

/// Wakes all sleeping tasks, so that they check whether their threads are wanted elsewhere.
pub(crate) fn wake_all() {
    SEATS.iter().for_each(|seat| seat.sleepers.wake(usize::MAX));
}

/// Threads available to a loop of this thread.
pub(crate) enum Help {
    /// The session begun by the thread.
    Session(&'static Seat),
    /// Only this thread: it is in a chunk or a task.
    None,
    /// None yet: a session must be begun.
    ToBegin,
}

impl Help {
    pub(crate) fn here() -> Self {
        let place = PLACE.get();
        match place.seat {
            _ if place.is_busy => Self::None,
            Some(seat) => Self::Session(seat),
            None => Self::ToBegin,
        }
    }
}

/// A taken seat, until the end of a step. Used on the thread that began it.
pub(crate) struct Session {
    seat: &'static Seat,
    task: Task,
    /// State of this thread before.
    before: ThreadState,
}

impl Session {
    /// Takes a free seat, for at most `threads` threads. `number` identifies this thread within the
    /// session.
    pub(crate) fn begin(threads: usize, number: usize) -> Option<Self> {
        let index = SEATS.iter().position(|seat| !seat.is_taken.swap(true, Ordering::Acquire))?;
        let seat: &Seat = &SEATS[index];
        // Session numbers wrap after 2^58 sessions (2^26 with 32-bit addresses), and never give token 0.
        let session = seat.sessions.load(Ordering::Relaxed).wrapping_add(1) % (usize::MAX / SEAT_COUNT);
        seat.sessions.store(session, Ordering::Relaxed);
        let task = Task((session + 1) * SEAT_COUNT + index);
        seat.threads.store(threads, Ordering::Relaxed);
        seat.helpers.store(0, Ordering::Relaxed);
        seat.token.store(task.0, Ordering::SeqCst);
        let before = PLACE.replace(ThreadState { seat: Some(seat), is_busy: false, number });
        Some(Self { seat, task, before })
    }

    /// Returns the task with which other threads join this session.
    pub(crate) fn task(&self) -> Task {
        self.task
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.seat.token.store(0, Ordering::SeqCst);
        self.seat.sleepers.wake(usize::MAX);
        PLACE.set(self.before);
        self.seat.is_taken.store(false, Ordering::Release);
    }
}
