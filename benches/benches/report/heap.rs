//! The program's allocator: the system's, with a count of allocated bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes currently allocated.
pub(crate) fn taken() -> usize {
    TAKEN.load(Relaxed)
}

/// Bytes that `made` allocates and keeps, and its result.
pub(crate) fn of<T>(made: impl FnOnce() -> T) -> (usize, T) {
    let before = taken();
    let value = made();
    (taken().saturating_sub(before), value)
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it returns,
// and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: the caller's promise about `layout` is the one that the system's allocator requires.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `memory` came from `System` with this layout, as does all memory returned here.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        TAKEN.fetch_add(size, Relaxed);
        TAKEN.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as for `dealloc`, and `size` is the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }
}
