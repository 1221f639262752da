//! How threads help the one that makes a step.
//!
//! A step is a *session*. It takes a seat of a table that lives as long as the program, has tasks run on
//! other threads, and closes the session at its end. A task joins the loops of its session, one after the
//! other, until the session is closed; one that runs later finds it closed and returns, even after the
//! executor has been dropped. The session's thread works on each loop from its start and waits for chunks
//! that others have begun, never for a task that has not: threads that do not come only make steps slower.

use crossbeam::utils::{Backoff, CachePadded};
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

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
        self.run_until(None, &|| false);
    }

    /// The same, or until its thread `is_wanted` elsewhere: asked between loops, and when all are
    /// [woken](wake_all).
    ///
    /// `number` tells this thread from the others of the session; without one it gets the next.
    pub(crate) fn run_until(self, number: Option<usize>, is_wanted: &dyn Fn() -> bool) {
        let seat = &SEATS[self.0 % SEATS.len()];
        let place = PLACE.get();
        // 0 is of no session; seats that are closed have it.
        if self.0 == 0 || place.seat.is_some() || place.is_busy {
            return;
        }
        let _back = Restore::to(Place { seat: None, is_busy: true, number: place.number });
        let number = number.unwrap_or_else(|| 1 + seat.helpers.fetch_add(1, Ordering::Relaxed));
        let (backoff, mut idle) = (Backoff::new(), 0);
        while seat.token.load(Ordering::SeqCst) == self.0 && !is_wanted() {
            let has_worked = seat.help(number);
            if !has_worked && idle < PATIENCE {
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

/// How often a task looks for a loop, giving way to other threads in between, before it sleeps: some 100 µs
/// where no thread wants its processor. Waking a sleeper takes as long as a short loop.
const PATIENCE: u32 = 400;

/// Sessions at a time, of all executors; more run on their own threads alone.
const SEAT_COUNT: usize = 64;

static SEATS: [CachePadded<Seat>; SEAT_COUNT] = [const { CachePadded::new(Seat::new()) }; SEAT_COUNT];

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place { seat: None, is_busy: false, number: 0 }) };
}

/// What a thread is doing.
#[derive(Clone, Copy)]
struct Place {
    /// The session that the thread has begun.
    seat: Option<&'static Seat>,
    /// True in a chunk, and in a task.
    is_busy: bool,
    /// Tells the thread that has begun the session from those that help.
    number: usize,
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
pub(crate) struct Seat {
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
    /// Threads that work on the session at most.
    threads: AtomicUsize,
    /// Tasks that have begun to help the session.
    helpers: AtomicUsize,
    /// Chunks of each part of the loop that are taken.
    taken: [CachePadded<AtomicUsize>; MOST_PARTS],
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

/// Parts of a loop at most. Each thread begins with a part of its own: loops over the same memory then find
/// it in that thread's caches. Then it takes from the others.
const MOST_PARTS: usize = 16;

/// A loop.
#[derive(Clone, Copy)]
struct Work {
    chunks: usize,
    /// At least one.
    parts: usize,
    body: *const (dyn Fn(usize) + Sync),
}

impl Work {
    /// The chunks of a part.
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
            work: UnsafeCell::new(Work { chunks: 0, parts: 1, body: &nothing }),
            threads: AtomicUsize::new(1),
            helpers: AtomicUsize::new(0),
            taken: [const { CachePadded::new(AtomicUsize::new(0)) }; MOST_PARTS],
            panic: Mutex::new(None),
            sleepers: AtomicUsize::new(0),
            bed: Mutex::new(()),
            alarm: Condvar::new(),
        }
    }

    /// Runs a loop with whatever comes to help. Called by the session's thread alone. Gives each index to one
    /// thread, which `taken` counts, and returns when all threads that may have taken one have left; a panic
    /// is passed on after that.
    pub(crate) fn share(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        // SAFETY: only the lifetime changes. The pointer is used by threads that are inside, and this
        // function does not return or unwind before they have left.
        let body: *const (dyn Fn(usize) + Sync) =
            unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(body) };
        let parts = self.threads.load(Ordering::Relaxed).clamp(1, MOST_PARTS).min(chunks.max(1));
        let work = Work { chunks, parts, body };
        // SAFETY: no thread is inside with an open loop: the last `share` has closed it and waited. A thread
        // that comes in now finds `is_open` false and leaves without reading.
        unsafe { *self.work.get() = work };
        self.taken[..parts].iter().for_each(|taken| taken.store(0, Ordering::Relaxed));
        self.is_open.store(true, Ordering::SeqCst);
        self.wake(chunks - 1);
        self.take_chunks(work, PLACE.get().number);
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

    /// Waits for a loop or the end of the task's session, without taking time of the processor. True if its
    /// thread was wanted elsewhere before.
    fn sleep(&self, task: Task, is_wanted: &dyn Fn() -> bool) -> bool {
        let guard = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
        // Sequentially consistent, as in `wake`: either the sleeper is counted there, or it sees here what it
        // would have been woken for.
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let is_wanted = is_wanted();
        if !is_wanted && !self.is_open.load(Ordering::SeqCst) && self.token.load(Ordering::SeqCst) == task.0 {
            drop(self.alarm.wait(guard).unwrap_or_else(PoisonError::into_inner));
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        is_wanted
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

    /// Runs chunks that are not taken until none is left, those of the thread's own part first. True if there
    /// was one. Does not unwind.
    fn take_chunks(&self, work: Work, number: usize) -> bool {
        let _back = Restore::to(Place { is_busy: true, ..PLACE.get() });
        let own = number % work.parts;
        let parts = (own..work.parts).chain(0..own);
        parts.fold(false, |has_worked, part| self.take_from(work, part) | has_worked)
    }

    /// Runs chunks of a part of the loop until none is left. True if there was one.
    fn take_from(&self, work: Work, part: usize) -> bool {
        let (chunks, taken, mut has_worked) = (work.part(part), &self.taken[part], false);
        // Asked first, so that threads that look again and again do not make the count overflow.
        while taken.load(Ordering::Relaxed) < chunks.len() {
            let index = taken.fetch_add(1, Ordering::Relaxed);
            if index >= chunks.len() {
                break;
            }
            has_worked = true;
            // SAFETY: the caller is inside of the loop that `work` was read from, or is its owner, which
            // waits for all that are; until then the body lives.
            let body = unsafe { &*work.body };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| body(chunks.start + index))) {
                self.taken.iter().for_each(|taken| taken.store(work.chunks, Ordering::Relaxed));
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
            }
        }
        has_worked
    }
}

/// Wakes all tasks that wait for a loop, so that they look whether their threads are wanted elsewhere.
pub(crate) fn wake_all() {
    SEATS.iter().for_each(|seat| seat.wake(usize::MAX));
}

/// Marks this thread as busy until the value is dropped: its loops run on it alone, and tasks return at once.
pub(crate) fn be_busy() -> impl Drop {
    Restore::to(Place { seat: None, is_busy: true, number: 0 })
}

/// What a loop of this thread runs on.
pub(crate) enum Help {
    /// The session that the thread has begun.
    Session(&'static Seat),
    /// This thread alone: it is in a chunk or a task.
    None,
    /// A session that has to be begun.
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

/// A seat that is taken, until the end of a step. Used on the thread that has begun it.
pub(crate) struct Session {
    seat: &'static Seat,
    task: Task,
    /// What this thread was doing before.
    before: Place,
}

impl Session {
    /// Takes a free seat, for so many threads at most. `number` tells this thread from the others.
    pub(crate) fn begin(threads: usize, number: usize) -> Option<Self> {
        let index = SEATS.iter().position(|seat| !seat.is_taken.swap(true, Ordering::Acquire))?;
        let seat: &Seat = &SEATS[index];
        // Numbers of sessions wrap after 2^58 of them (2^26 where addresses have 32 bits), and leave out 0.
        let session = seat.sessions.load(Ordering::Relaxed).wrapping_add(1) % (usize::MAX / SEAT_COUNT);
        seat.sessions.store(session, Ordering::Relaxed);
        let task = Task((session + 1) * SEAT_COUNT + index);
        seat.threads.store(threads, Ordering::Relaxed);
        seat.helpers.store(0, Ordering::Relaxed);
        seat.token.store(task.0, Ordering::SeqCst);
        let before = PLACE.replace(Place { seat: Some(seat), is_busy: false, number });
        Some(Self { seat, task, before })
    }

    /// What helps it.
    pub(crate) fn task(&self) -> Task {
        self.task
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.seat.token.store(0, Ordering::SeqCst);
        self.seat.wake(usize::MAX);
        PLACE.set(self.before);
        self.seat.is_taken.store(false, Ordering::Release);
    }
}
