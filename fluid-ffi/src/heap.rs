//! The library's memory: the system's or the host's, counted, and what calls hold ready for the case that
//! these have no more.
//!
//! Rust ends the process if an allocation fails, and an allocator must not unwind. So a call that allocates
//! first takes a [`Hold`]: one piece of memory, as large as all that it can need at a time. If there is none,
//! the call returns an error before it has changed anything; otherwise, blocks that are refused later come
//! from the piece. What a call without a hold needs, for instance for error sentences, comes from a small
//! reserve.

mod account;
mod hold;
mod region;

pub(crate) use account::{Counts, WorldMemory, without_world};
pub(crate) use hold::{Hold, Spare, StepHold, WithHolds};

use account::{Account, close_block, open_block, resize_block, with_header};
use libc::c_void;
use region::Region;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

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
