//! The library's memory: the system's or the host's, counted, and what calls hold ready for the case that
//! these have no more.
//!
//! Rust ends the process if an allocation fails, and an allocator must not unwind. So a call that allocates
//! first takes a [`Hold`]: one piece of memory, as large as all that it can need at a time. If there is none,
//! the call returns an error before it has changed anything; otherwise, blocks that are refused later come
//! from the piece. What a call without a hold needs, for instance for error sentences, comes from a small
//! reserve.

mod account;
mod region;

pub(crate) use account::{Counts, WorldMemory, without_world};

use crate::status::*;
use account::{Account, close_block, open_block, resize_block, with_header};
use fluid_threads::Executor;
use libc::c_void;
use region::Region;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub(crate) type AllocateFn = unsafe extern "C" fn(usize, usize, *mut c_void) -> *mut c_void;
pub(crate) type FreeFn = unsafe extern "C" fn(*mut c_void, usize, usize, *mut c_void);

/// The host's functions: null until set, then never changed.
static ALLOCATE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static FREE: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static USER: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

static BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: CountedAllocator = CountedAllocator;

/// The system's memory or the host's, counted.
struct CountedAllocator;

/// Returns the number of requests for memory so far.
pub(crate) fn requests() -> u64 {
    ALLOCATIONS.load(Ordering::Relaxed)
}

pub(crate) fn counts() -> Counts {
    Counts {
        bytes: BYTES.load(Ordering::Relaxed) as u64,
        peak_bytes: PEAK.load(Ordering::Relaxed) as u64,
        blocks: BLOCKS.load(Ordering::Relaxed) as u64,
        allocations: ALLOCATIONS.load(Ordering::Relaxed),
    }
}

/// Makes all memory come from the host, from now on. There is none yet.
pub(crate) fn set_hosts(allocate: AllocateFn, free: FreeFn, user: *mut c_void) {
    USER.store(user, Ordering::Relaxed);
    FREE.store(free as *mut c_void, Ordering::Relaxed);
    ALLOCATE.store(allocate as *mut c_void, Ordering::Release);
}

fn hosts() -> Option<(AllocateFn, FreeFn, *mut c_void)> {
    let allocate = ALLOCATE.load(Ordering::Acquire);
    if allocate.is_null() {
        return None;
    }
    let (free, user) = (FREE.load(Ordering::Relaxed), USER.load(Ordering::Relaxed));
    // SAFETY: `ALLOCATE` is stored last, and all three are stored from functions of these types, once.
    Some(unsafe {
        (
            std::mem::transmute::<*mut c_void, AllocateFn>(allocate),
            std::mem::transmute::<*mut c_void, FreeFn>(free),
            user,
        )
    })
}

/// Counts a request, and its memory if there is some.
fn count(memory: *mut u8, size: usize) {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    if !memory.is_null() {
        BLOCKS.fetch_add(1, Ordering::Relaxed);
        let bytes = BYTES.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
}

fn uncount(size: usize) {
    BLOCKS.fetch_sub(1, Ordering::Relaxed);
    BYTES.fetch_sub(size, Ordering::Relaxed);
}

/// Returns memory from the system or the host, or null.
///
/// # Safety
/// As [`GlobalAlloc::alloc`].
unsafe fn from_outside(layout: Layout) -> *mut u8 {
    let memory = match hosts() {
        // SAFETY: as the caller promises.
        None => unsafe { System.alloc(layout) },
        // SAFETY: the host has promised that its function may be called so.
        Some((allocate, _, user)) => unsafe { allocate(layout.size(), layout.align(), user) }.cast(),
    };
    count(memory, layout.size());
    memory
}

/// Frees memory of the system or the host.
///
/// # Safety
/// As [`GlobalAlloc::dealloc`].
unsafe fn to_outside(memory: *mut u8, layout: Layout) {
    uncount(layout.size());
    match hosts() {
        // SAFETY: as the caller promises.
        None => unsafe { System.dealloc(memory, layout) },
        // SAFETY: its function gave this memory, with this size and alignment.
        Some((_, free, user)) => unsafe { free(memory.cast(), layout.size(), layout.align(), user) },
    }
}

/// Size of the reserve for calls without a hold.
const RESERVE: usize = 1 << 16;

#[repr(align(64))]
struct Reserve(UnsafeCell<[u8; RESERVE]>);

// SAFETY: used only as a region, behind the lock.
unsafe impl Sync for Reserve {}

static MEMORY_OF_RESERVE: Reserve = Reserve(UnsafeCell::new([0; RESERVE]));

/// The lock of all regions, and of the list of them.
static LOCKED: AtomicBool = AtomicBool::new(false);
/// The first region of the list; the reserve is the last.
static FIRST: AtomicPtr<Region> = AtomicPtr::new(null_mut());
/// Number of blocks in use of all regions.
static SERVED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// What a call has set up on the thread that makes it, and on those that help it.
    static HERE: Cell<Here> = const { Cell::new(Here::NOTHING) };
}

#[derive(Debug, Clone, Copy)]
struct Here {
    /// The hold taken last.
    hold: *mut Region,
    /// The account of the call's world; null if it has none.
    account: *const Account,
    /// True if nothing comes from outside, except holds: for tests.
    is_refused: bool,
}

// SAFETY: regions are used behind the lock, and accounts change by atomic operations.
unsafe impl Sync for Here {}

impl Here {
    const NOTHING: Self = Self { hold: null_mut(), account: null(), is_refused: false };

    fn now() -> Self {
        HERE.try_with(Cell::get).unwrap_or(Self::NOTHING)
    }

    /// True if blocks come from outside and belong to no world.
    fn is_nothing(&self) -> bool {
        self.hold.is_null() && self.account.is_null() && !self.is_refused
    }

    /// Runs `body` with this set up, on any thread.
    fn during<T>(self, body: impl FnOnce() -> T) -> T {
        struct Before(Here);
        impl Drop for Before {
            fn drop(&mut self) {
                HERE.set(self.0);
            }
        }
        let _before = Before(HERE.replace(self));
        body()
    }
}

/// The regions, locked. Does not allocate.
struct Regions;

impl Regions {
    fn lock() -> Self {
        while LOCKED.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        if FIRST.load(Ordering::Relaxed).is_null() {
            // SAFETY: the memory is aligned, and nothing else uses it.
            let reserve = unsafe { Region::create(MEMORY_OF_RESERVE.0.get().cast(), RESERVE) };
            FIRST.store(reserve, Ordering::Relaxed);
        }
        Self
    }

    fn iter(&self) -> impl Iterator<Item = *mut Region> {
        let there = |region: *mut Region| (!region.is_null()).then_some(region);
        // SAFETY: the list has living regions, and changes behind the lock.
        std::iter::successors(there(FIRST.load(Ordering::Relaxed)), move |&region| unsafe {
            there((*region).next)
        })
    }

    /// Returns a block of the holds of this call, else of the reserve, else of any hold; null if none has a
    /// gap for it.
    fn take(&self, layout: Layout) -> *mut u8 {
        let Here { hold: mut own, is_refused, .. } = Here::now();
        let is_strict = cfg!(debug_assertions) && is_refused && !own.is_null();
        // SAFETY: a call's holds live while they are set, and are used behind the lock.
        let mut try_take = |region: *mut Region| unsafe { (*region).take(layout) };
        let mut block: *mut u8 = null_mut();
        while block.is_null() && !own.is_null() {
            block = try_take(own);
            // SAFETY: as above.
            own = unsafe { (*own).outer };
        }
        if block.is_null() && !is_strict {
            let last = self.iter().last().map_or(null_mut(), &mut try_take);
            block = if last.is_null() {
                self.iter().map(&mut try_take).find(|block| !block.is_null()).unwrap_or(null_mut())
            } else {
                last
            };
        }
        if !block.is_null() {
            SERVED.fetch_add(1, Ordering::Relaxed);
        }
        block
    }

    fn owner(&self, memory: *mut u8) -> Option<*mut Region> {
        // SAFETY: as in `iter`.
        self.iter().find(|&region| unsafe { (*region).contains(memory) })
    }

    fn add(&self, region: *mut Region) {
        // SAFETY: a new region, and as in `iter`.
        unsafe { (*region).next = FIRST.load(Ordering::Relaxed) };
        FIRST.store(region, Ordering::Relaxed);
    }

    /// Frees a region if it has no blocks and its call has ended.
    fn free_if_unused(self, region: *mut Region) {
        // SAFETY: as in `iter`.
        unsafe {
            if (*region).is_held || (*region).blocks > 0 {
                return;
            }
            let next = (*region).next;
            match self.iter().find(|&other| (*other).next == region) {
                Some(before) => (*before).next = next,
                None => FIRST.store(next, Ordering::Relaxed),
            }
            let layout = Layout::from_size_align_unchecked((*region).size, region::ALIGNMENT);
            drop(self);
            to_outside(region.cast(), layout);
        }
    }
}

impl Drop for Regions {
    fn drop(&mut self) {
        LOCKED.store(false, Ordering::Release);
    }
}

/// Returns true if the block was one of a region.
///
/// # Safety
/// As [`GlobalAlloc::dealloc`].
unsafe fn to_region(memory: *mut u8, layout: Layout) -> bool {
    // A block reaches the thread that frees it after the count.
    if SERVED.load(Ordering::Relaxed) == 0 {
        return false;
    }
    let regions = Regions::lock();
    let Some(region) = regions.owner(memory) else { return false };
    // SAFETY: the region has given this block, of this size; it is locked.
    unsafe { (*region).give_back(memory, layout.size()) };
    SERVED.fetch_sub(1, Ordering::Relaxed);
    regions.free_if_unused(region);
    true
}

/// Returns memory for a block and its header, or null.
///
/// # Safety
/// As [`GlobalAlloc::alloc`].
unsafe fn allocate(layout: Layout) -> *mut u8 {
    if !is_refused() {
        // SAFETY: as the caller promises.
        let memory = unsafe { from_outside(layout) };
        if !memory.is_null() {
            return memory;
        }
    }
    Regions::lock().take(layout)
}

/// As [`allocate`], zeroed.
///
/// # Safety
/// As [`GlobalAlloc::alloc_zeroed`].
unsafe fn allocate_zeroed(layout: Layout) -> *mut u8 {
    if hosts().is_none() && !is_refused() {
        // SAFETY: as the caller promises. Fresh pages from the system are zero already.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            count(memory, layout.size());
            return memory;
        }
    }
    // SAFETY: as the caller promises.
    let memory = unsafe { allocate(layout) };
    if !memory.is_null() {
        // SAFETY: it has so many bytes.
        unsafe { memory.write_bytes(0, layout.size()) };
    }
    memory
}

/// Makes a block of memory from `take`.
///
/// # Safety
/// `take` returns null, or unused memory of the layout that it is given.
unsafe fn block_in(layout: Layout, take: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
    let Some((whole, offset)) = with_header(layout) else { return null_mut() };
    // SAFETY: its size is not 0.
    let memory = unsafe { take(whole) };
    if memory.is_null() {
        return null_mut();
    }
    // SAFETY: `with_header` makes room for the header in front of the block.
    unsafe {
        let block = memory.add(offset);
        open_block(block, whole.size());
        block
    }
}

/// Returns the layout of a block in use with its header, and the offset of the block.
///
/// # Safety
/// A block of this layout has been allocated.
unsafe fn whole_of(layout: Layout) -> (Layout, usize) {
    // SAFETY: there was a layout when it was allocated.
    unsafe { with_header(layout).unwrap_unchecked() }
}

// SAFETY: memory comes from the system, from a region, or from the host, which promises the same guarantees;
// the system or host does not change after the first block. Nothing here unwinds.
unsafe impl GlobalAlloc for CountedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { block_in(layout, allocate) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { block_in(layout, allocate_zeroed) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is one of `block_in`, with this layout.
        unsafe {
            let (whole, offset) = whole_of(layout);
            close_block(block, whole.size());
            let memory = block.sub(offset);
            if !to_region(memory, whole) {
                to_outside(memory, whole);
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises a size that makes a layout.
        let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the block is one of `block_in`, with this layout.
        let (whole, offset) = unsafe { whole_of(layout) };
        if hosts().is_none()
            && SERVED.load(Ordering::Relaxed) == 0
            && !is_refused()
            && let Some((new, _)) = with_header(layout_of_new)
        {
            // SAFETY: the memory is the system's, of that layout, and begins `offset` in front of the block.
            let memory = unsafe { System.realloc(block.sub(offset), whole, new.size()) };
            if !memory.is_null() {
                count(memory, new.size());
                uncount(whole.size());
                // SAFETY: the offset follows from the alignment, which is the same; the header has moved.
                unsafe {
                    let block = memory.add(offset);
                    resize_block(block, whole.size(), new.size());
                    return block;
                }
            }
        }
        // SAFETY: as the caller promises.
        let new = unsafe { self.alloc(layout_of_new) };
        if !new.is_null() {
            // SAFETY: both have so many bytes and are not the same; the old one is not used any more.
            unsafe {
                std::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                self.dealloc(block, layout);
            }
        }
        new
    }
}

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
    fn beyond_limits(bytes: usize, what: &str) -> Outcome<Self> {
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

/// True if the world of the running call may have so much more.
pub(crate) fn is_within_limit(bytes: usize) -> bool {
    bytes <= account::left()
}

/// True if a test lets nothing come from outside on this thread now, except holds.
fn is_refused() -> bool {
    cfg!(debug_assertions) && Here::now().is_refused
}

/// Builds with debug assertions only: until dropped, blocks on this thread come from its holds and the
/// reserve alone, if the environment has `VORTON_TEST_REFUSE`. So any program shows whether holds suffice.
pub(crate) struct Refusing(Here);

impl Refusing {
    #[inline]
    pub(crate) fn begin(refuses: bool) -> Self {
        if !cfg!(debug_assertions) {
            return Self(Here::NOTHING);
        }
        let here = Here::now();
        HERE.set(Here { is_refused: refuses && refuses_in_this_test(), ..here });
        Self(here)
    }
}

impl Drop for Refusing {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            HERE.set(Here { is_refused: self.0.is_refused, ..Here::now() });
        }
    }
}

/// Builds with debug assertions only: true if the environment has `VORTON_TEST_REFUSE`. Steps of every world
/// then check their memory.
pub(crate) fn refuses_in_this_test() -> bool {
    if !cfg!(debug_assertions) {
        return false;
    }
    static REFUSES: AtomicU64 = AtomicU64::new(0);
    match REFUSES.load(Ordering::Relaxed) {
        0 => {
            let refuses = std::env::var_os("VORTON_TEST_REFUSE").is_some();
            REFUSES.store(1 + u64::from(refuses), Ordering::Relaxed);
            refuses
        }
        known => known == 2,
    }
}
