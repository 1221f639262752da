//! The library's allocator and its statistics.

use crate::guard;
use crate::memory::{struct_size, write_sized};
use crate::status::*;
use crate::types::allocator::{VortonAllocateFn, VortonFreeFn, VortonMemory};
use libc::c_void;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

type Allocate = unsafe extern "C" fn(usize, usize, *mut c_void) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, usize, usize, *mut c_void);

/// The host's functions: null until set, then never changed.
static ALLOCATE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static FREE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
static USER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

static BYTES: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: CountedAllocator = CountedAllocator;

/// The system's memory or the host's, counted.
struct CountedAllocator;

/// Bytes of a block of the reserve.
const RESERVED_BLOCK: usize = 512;
const RESERVED_BLOCKS: usize = 128;
const RESERVED_WORDS: usize = RESERVED_BLOCKS / 64;

/// Memory for small allocations that the system or the host refuses: error sentences, so that running out of
/// memory can be reported, and the first of what a call still needs.
#[repr(C, align(64))]
struct Reserve {
    blocks: UnsafeCell<[[u8; RESERVED_BLOCK]; RESERVED_BLOCKS]>,
    /// A bit of each block: 1 if in use.
    used: [AtomicU64; RESERVED_WORDS],
}

// SAFETY: a block belongs to the one that has set its bit.
unsafe impl Sync for Reserve {}

static RESERVE: Reserve = Reserve {
    blocks: UnsafeCell::new([[0; RESERVED_BLOCK]; RESERVED_BLOCKS]),
    used: [const { AtomicU64::new(0) }; RESERVED_WORDS],
};

impl Reserve {
    /// Returns a block, or null if the layout is too large or no block is left.
    fn take(&self, layout: Layout) -> *mut u8 {
        if layout.size() > RESERVED_BLOCK || layout.align() > 64 {
            return std::ptr::null_mut();
        }
        for (word, used) in self.used.iter().enumerate() {
            let free = |bits: u64| (bits != u64::MAX).then(|| bits | (bits + 1));
            if let Ok(before) = used.fetch_update(Ordering::AcqRel, Ordering::Acquire, free) {
                let block = 64 * word + before.trailing_ones() as usize;
                return self.blocks.get().cast::<u8>().wrapping_add(RESERVED_BLOCK * block);
            }
        }
        std::ptr::null_mut()
    }

    /// Returns the block at this address, if it is one.
    fn block_of(&self, memory: *mut u8) -> Option<usize> {
        let offset = memory.addr().wrapping_sub(self.blocks.get().addr());
        (offset < RESERVED_BLOCK * RESERVED_BLOCKS).then_some(offset / RESERVED_BLOCK)
    }

    fn give_back(&self, block: usize) {
        self.used[block / 64].fetch_and(!(1 << (block % 64)), Ordering::AcqRel);
    }
}

fn hosts() -> Option<(Allocate, Free, *mut c_void)> {
    let allocate = ALLOCATE.load(Ordering::Acquire);
    if allocate.is_null() {
        return None;
    }
    let (free, user) = (FREE.load(Ordering::Relaxed), USER.load(Ordering::Relaxed));
    // SAFETY: `ALLOCATE` is stored last, and all three are stored from functions of these types, once.
    Some(unsafe {
        (
            std::mem::transmute::<*mut c_void, Allocate>(allocate),
            std::mem::transmute::<*mut c_void, Free>(free),
            user,
        )
    })
}

fn count(memory: *mut u8, size: usize) {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    if !memory.is_null() {
        BLOCKS.fetch_add(1, Ordering::Relaxed);
        let bytes = BYTES.fetch_add(size, Ordering::Relaxed) + size;
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
}

// SAFETY: memory comes from the system, from the reserve, or from the host, which promises the same
// guarantees; the system or host does not change after the first block. Nothing here unwinds.
unsafe impl GlobalAlloc for CountedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = match hosts() {
            // SAFETY: as the caller promises.
            None => unsafe { System.alloc(layout) },
            // SAFETY: the host has promised that its function may be called so.
            Some((allocate, _, user)) => unsafe { allocate(layout.size(), layout.align(), user) }.cast(),
        };
        let memory = if memory.is_null() { RESERVE.take(layout) } else { memory };
        count(memory, layout.size());
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if hosts().is_none() {
            // SAFETY: as the caller promises. Fresh pages from the system are zero already.
            let memory = unsafe { System.alloc_zeroed(layout) };
            if !memory.is_null() {
                count(memory, layout.size());
                return memory;
            }
        }
        // SAFETY: as the caller promises.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: it has so many bytes.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        BLOCKS.fetch_sub(1, Ordering::Relaxed);
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        if let Some(block) = RESERVE.block_of(memory) {
            return RESERVE.give_back(block);
        }
        match hosts() {
            // SAFETY: as the caller promises.
            None => unsafe { System.dealloc(memory, layout) },
            // SAFETY: its function gave this memory, with this size and alignment.
            Some((_, free, user)) => unsafe { free(memory.cast(), layout.size(), layout.align(), user) },
        }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if hosts().is_none() && RESERVE.block_of(memory).is_none() {
            // SAFETY: as the caller promises.
            let new = unsafe { System.realloc(memory, layout, size) };
            count(new, size);
            if !new.is_null() {
                BLOCKS.fetch_sub(1, Ordering::Relaxed);
                BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
            }
            return new;
        }
        // SAFETY: the caller promises a size that makes a layout.
        let layout_of_new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: as the caller promises.
        let new = unsafe { self.alloc(layout_of_new) };
        if !new.is_null() {
            // SAFETY: both have so many bytes and are not the same; the old one is not used any more.
            unsafe {
                std::ptr::copy_nonoverlapping(memory, new, layout.size().min(size));
                self.dealloc(memory, layout);
            }
        }
        new
    }
}

/// Fails if `bytes` cannot be allocated: allocates them in one block as a probe and frees it again.
pub(crate) fn check_memory(bytes: usize, what: impl std::fmt::Display) -> Outcome {
    let mut probe = Vec::<u8>::new();
    probe.try_reserve_exact(bytes).map_err(|_| {
        let mib = bytes >> 20;
        Error::new(VORTON_ERR_OUT_OF_MEMORY, format_args!("there is no memory for {what}, about {mib} MiB"))
    })
}

/// Makes the library allocate all memory from the host, permanently. Call it before any other function,
/// including those that fill in defaults and vorton_check_abi: it is refused once the library has allocated
/// memory. Both functions must work until the process ends.
///
/// @param allocate allocates memory
/// @param free     frees it
/// @param user     passed through to both
/// @return VORTON_ERR_TOO_LATE if the library has memory already; VORTON_ERR_NULL, without a sentence in
///     vorton_last_error, if a function is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_set_allocator(
    allocate: VortonAllocateFn,
    free: VortonFreeFn,
    user: *mut c_void,
) -> VortonResult {
    // The first guarded call allocates memory, and so do error sentences.
    if ALLOCATIONS.load(Ordering::Relaxed) == 0 {
        let (Some(allocate), Some(free)) = (allocate, free) else { return VORTON_ERR_NULL };
        USER.store(user, Ordering::Relaxed);
        FREE.store(free as *mut c_void, Ordering::Relaxed);
        ALLOCATE.store(allocate as *mut c_void, Ordering::Release);
        return VORTON_OK;
    }
    guard::run(|| {
        if allocate.is_none() || free.is_none() {
            return Err(Error::new(VORTON_ERR_NULL, "allocate or free is NULL"));
        }
        let text = "the library has memory already: its allocator is to be set before any other call";
        Err(Error::new(VORTON_ERR_TOO_LATE, text))
    })
}

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonMemory)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_memory_init(out: *mut VortonMemory, struct_size: u32) -> VortonResult {
    let empty =
        VortonMemory { struct_size: 0, reserved: 0, bytes: 0, peak_bytes: 0, blocks: 0, allocations: 0 };
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, empty, "out") })
}

/// Reports how much memory the library has allocated, all worlds together. May be called at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_memory(out: *mut VortonMemory) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        let size = unsafe { struct_size(out, "out") }?;
        let memory = VortonMemory {
            struct_size: size,
            reserved: 0,
            bytes: BYTES.load(Ordering::Relaxed) as u64,
            peak_bytes: PEAK.load(Ordering::Relaxed) as u64,
            blocks: BLOCKS.load(Ordering::Relaxed) as u64,
            allocations: ALLOCATIONS.load(Ordering::Relaxed),
        };
        // SAFETY: as above.
        unsafe { write_sized(out, size, memory, "out") }
    })
}
