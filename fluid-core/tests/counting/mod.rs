//! An allocator that counts allocations of the threads that request it: the test's own, and the workers of
//! its pools. Simultaneous allocations of the test harness, on its own thread, do not count. All counted
//! threads share one counter, so such a test binary contains one test.
#![allow(dead_code, reason = "not every test has a pool, or noise")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// Bytes allocated by counted threads, less the bytes that they freed.
static BYTES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Initialised without allocating, and without a destructor: an allocator may read it at any time.
    static IS_COUNTED: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    ALLOCATIONS.fetch_add(usize::from(IS_COUNTED.get()), Ordering::Relaxed);
}

/// Counts bytes allocated, and freed.
fn count_bytes(taken: usize, given: usize) {
    if IS_COUNTED.get() {
        BYTES.fetch_add(taken.wrapping_sub(given), Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it returns,
// and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        count_bytes(layout.size(), 0);
        // SAFETY: the caller's promise about `layout` is the one that the system's allocator requires.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count_bytes(0, layout.size());
        // SAFETY: `memory` came from `System` with this layout, as does all memory returned here.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        count_bytes(size, layout.size());
        // SAFETY: as for `dealloc`, and `size` is the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Starts counting the allocations of this thread. For `Pool::with_hooks`.
pub(crate) fn count_this_thread() {
    IS_COUNTED.set(true);
}

/// Allocations so far of all counted threads; includes the calling one from now on.
pub(crate) fn allocations() -> usize {
    count_this_thread();
    ALLOCATIONS.load(Ordering::SeqCst)
}

/// Bytes held by all counted threads; includes the calling one from now on.
pub(crate) fn bytes() -> usize {
    count_this_thread();
    BYTES.load(Ordering::SeqCst)
}

/// A thread that allocates until it is dropped, and is not counted: the test harness on a busy machine.
pub(crate) struct Noise {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Noise {
    /// Returns once the thread has begun.
    pub(crate) fn new() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (has_begun, begins) = mpsc::channel();
        let over = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            let _ = has_begun.send(());
            while !over.load(Ordering::Relaxed) {
                std::hint::black_box(vec![0_u8; 100]);
            }
        });
        let _ = begins.recv();
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Noise {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
