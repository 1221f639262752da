//! Memory that calls hold ready, for blocks that the system or the host refuses.

use super::region::{self, Region};
use super::{HERE, Here, Regions, account, from_outside};
use crate::status::*;
use fluid_threads::Executor;
use std::alloc::Layout;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Memory that is held ready until dropped, for blocks that are refused on any thread.
#[derive(Debug)]
pub(crate) struct Spare(*mut Region);

// SAFETY: the region is used behind the lock.
unsafe impl Send for Spare {}

impl Spare {
    /// Takes memory for blocks of `bytes` in sum, if there is so much.
    pub(crate) fn take(bytes: usize) -> Option<Self> {
        let size = Region::size_for(bytes)?;
        let layout = Layout::from_size_align(size, region::ALIGNMENT).ok()?;
        // SAFETY: the size is not 0.
        let memory = unsafe { from_outside(layout) };
        if memory.is_null() {
            return None;
        }
        // SAFETY: new memory, of that alignment and size.
        let region = unsafe { Region::create(memory, size) };
        Regions::lock().add(region);
        Some(Self(region))
    }

    /// Takes over memory that a call held before and that still has blocks in use, if it has a gap of at
    /// least `least` bytes, with the size of its largest gap.
    fn take_over(least: usize) -> Option<(Self, usize)> {
        let regions = Regions::lock();
        // SAFETY: the list has living regions, and they are used behind the lock.
        unsafe {
            let left = regions.iter().filter(|&region| !(*region).is_held);
            let (gap, region) = left.map(|region| ((*region).largest_gap(), region)).max()?;
            (gap >= least).then(|| {
                (*region).is_held = true;
                (Self(region), gap)
            })
        }
    }
}

impl Drop for Spare {
    fn drop(&mut self) {
        let regions = Regions::lock();
        // SAFETY: a held region lives, and is used behind the lock.
        unsafe { (*self.0).is_held = false };
        regions.free_if_unused(self.0);
    }
}

/// Memory that a call holds ready until it ends, for blocks that are refused on its threads.
#[derive(Debug)]
pub(crate) struct Hold {
    spare: Spare,
    /// The hold that the call had before.
    outer: *mut Region,
}

impl Hold {
    /// Takes memory for all blocks that the call has at a time, `bytes` in sum. Fails if there is none, or if
    /// the world could exceed its limit; `what` tells what it is for.
    pub(crate) fn take(bytes: usize, what: &str) -> Outcome<Self> {
        let left = account::left();
        if bytes > left {
            let [kib, left] = [bytes.div_ceil(1024), left / 1024];
            let text = format_args!("max_memory leaves {left} KiB, and {what} can need {kib} KiB");
            return Err(Error::new(VORTON_ERR_OUT_OF_MEMORY, text));
        }
        Self::beyond_limits(bytes, what)
    }

    /// As [`take`](Self::take), whatever the limit of the world is.
    pub(crate) fn beyond_limits(bytes: usize, what: &str) -> Outcome<Self> {
        let spare = Spare::take(bytes).ok_or_else(|| {
            let kib = bytes.div_ceil(1024);
            let text = format_args!("there is no memory for {what}, {kib} KiB at most");
            Error::new(VORTON_ERR_OUT_OF_MEMORY, text)
        })?;
        let here = Here::now();
        // SAFETY: a held region lives; only this thread reads `outer` and writes it.
        unsafe { (*spare.0).outer = here.hold };
        HERE.set(Here { hold: spare.0, ..here });
        Ok(Self { spare, outer: here.hold })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HERE.set(Here { hold: self.outer, ..Here::now() });
    }
}

/// An executor with threads that can use a call's memory, and that takes more of it for a step.
pub(crate) struct WithHolds {
    executor: Arc<dyn Executor>,
    /// The hold of the step that runs now, if it has taken one.
    step: AtomicPtr<Region>,
    /// What that step has taken since.
    more: Mutex<Vec<Spare>>,
}

/// Most pieces of memory that the steps of a call take beside their hold.
const MOST_PIECES: usize = 64;

/// A gap counts for a step if it is at least one part in this many of what the step can need: the largest
/// block of a mesh is a fifth of the mesh's bound.
const LEAST_OF_GAP: usize = 3;

impl WithHolds {
    pub(crate) fn new(executor: Arc<dyn Executor>) -> Self {
        let more = Mutex::new(Vec::with_capacity(MOST_PIECES));
        Self { executor, step: AtomicPtr::new(null_mut()), more }
    }

    /// Takes memory for blocks of `bytes` in sum for the steps of a call, which may take more. Pieces that
    /// earlier steps left, because some of their blocks are in use, count as far as they are free.
    pub(crate) fn hold_for_steps(&self, bytes: usize) -> Outcome<StepHold<'_>> {
        let mut pieces = self.pieces();
        let mut left = bytes;
        while left > 0
            && let Some((piece, gap)) = Spare::take_over(bytes / LEAST_OF_GAP)
        {
            left = left.saturating_sub(gap);
            pieces.push(piece);
        }
        let hold = Hold::beyond_limits(left, "the step").inspect_err(|_| pieces.clear())?;
        self.step.store(hold.spare.0, Ordering::Release);
        pieces.iter().for_each(|piece| self.link(piece));
        Ok(StepHold { executor: self, hold: Some(hold) })
    }

    /// Makes a piece available to the step.
    fn link(&self, piece: &Spare) {
        let step = self.step.load(Ordering::Acquire);
        let _regions = Regions::lock();
        // SAFETY: the step's hold and the piece live until the step ends, and are used behind the lock.
        unsafe {
            (*piece.0).outer = (*step).outer;
            (*step).outer = piece.0;
        }
    }

    fn pieces(&self) -> MutexGuard<'_, Vec<Spare>> {
        self.more.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

/// The memory that steps hold ready until they end.
pub(crate) struct StepHold<'e> {
    executor: &'e WithHolds,
    hold: Option<Hold>,
}

impl Drop for StepHold<'_> {
    fn drop(&mut self) {
        self.executor.step.store(null_mut(), Ordering::Release);
        // First: it leads to the others.
        self.hold = None;
        self.executor.pieces().clear();
    }
}

// SAFETY: passes everything on.
unsafe impl Executor for WithHolds {
    fn worker_count(&self) -> usize {
        self.executor.worker_count()
    }

    fn run(&self, chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        let here = Here::now();
        if here.is_nothing() {
            return self.executor.run(chunks, body);
        }
        self.executor.run(chunks, &|chunk| here.during(|| body(chunk)));
    }

    fn enter(&self, body: &mut (dyn FnMut() + Send)) {
        let here = Here::now();
        if here.is_nothing() {
            return self.executor.enter(body);
        }
        let here = &here;
        self.executor.enter(&mut || here.during(&mut *body));
    }

    fn has_memory(&self, bytes: usize) -> bool {
        if bytes > account::left() {
            return false;
        }
        if self.step.load(Ordering::Acquire).is_null() || bytes == 0 {
            return true;
        }
        let mut pieces = self.pieces();
        if pieces.len() == pieces.capacity() {
            return false;
        }
        let piece = Spare::take_over(bytes).map(|(piece, _)| piece).or_else(|| Spare::take(bytes));
        piece.is_some_and(|piece| {
            self.link(&piece);
            pieces.push(piece);
            true
        })
    }
}
