//! `ScatterMemory`: the memory allocated by the first scatter serves all that are no larger.

use fluid_threads::{Scatter, ScatterMemory, Serial};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: forwards everything to the system's allocator; counting touches only a thread-local number, which
// has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is the system allocator's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steady_scatters_do_not_allocate() {
    let contributions =
        |particle: usize| [0, 1, 40].map(|i| (((particle * 7919) % 4000 + i) as u32, [1.0_f32; 3]));
    let mut grid = vec![[0.0; 3]; 4096];
    for way in Scatter::ALL {
        let mut memory = ScatterMemory::default();
        way.add(&Serial, 20_000, &contributions, &mut memory, &mut grid);
        let before = ALLOCATIONS.get();
        for particles in [20_000, 1, 5000, 19_999] {
            way.add(&Serial, particles, &contributions, &mut memory, &mut grid);
        }
        assert_eq!(ALLOCATIONS.get(), before, "{way:?}");
    }
}
