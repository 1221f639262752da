//! While a drop stays in its box, steps allocate nothing: not for the mesh, not for the halo. The only test in its binary, because
//! it counts what every thread allocates.

mod common;
mod drops;

use common::{steps, world};
use drops::{ball, heavy_fluid, vortons};
use fluid_core::initial::DensityProfile::TopHat;
use fluid_core::params::Params;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; counting touches no memory that it hands out.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise about `layout` is the one that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: `memory` came from `System` with this layout, for everything we hand out does.
        unsafe { System.dealloc(memory, layout) }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as for `dealloc`, and `size` is the caller's promise.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn nor_does_its_halo() {
    let params = Params { max_vortons: 4000, relaxation_rate: 1.0, ..heavy_fluid(0.375) };
    let mut sim = world(params, &vortons(&ball(TopHat, 0.25, 1.5)));
    steps(&mut sim, 1.0 / 60.0, 60);
    let (born, retired) = (sim.stats().halo_born, sim.stats().halo_retired);
    let dims = sim.field().scalar_grid().shape().dims();
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    steps(&mut sim, 1.0 / 60.0, 120);
    let allocations = ALLOCATIONS.load(Ordering::SeqCst) - before;
    assert_eq!(sim.field().scalar_grid().shape().dims(), dims, "a larger box needs memory");
    assert!(sim.stats().halo_born > born && sim.stats().halo_retired > retired, "nothing happened");
    assert_eq!(allocations, 0);
}
