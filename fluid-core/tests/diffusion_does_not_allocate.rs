//! After room was made once, diffusion allocates nothing, however the vortons move. The only test in its binary, because it counts
//! what every thread allocates.

mod diffusion;

use diffusion::{CORE, both, lattice, settings};
use fluid_core::math::Random;
use fluid_core::vorticity::diffuse::Diffusion;
use fluid_threads::Serial;
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
fn wherever_the_vortons_go() {
    let mut vortons = lattice([13, 11, 12], CORE / 1.6, 0.25, 0.5, |x| x.x);
    let mut diffusion = Diffusion::default();
    diffusion.reserve(vortons.len());
    let random = Random::new(5);
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    for step in 0..20 {
        // From a dense cloud to one in which everybody has a row of his own.
        for i in 0..vortons.len() {
            let moved = random.centred_vec3(i as u64) * CORE * 1.5_f32.powi(step);
            vortons.positions.set(i, vortons.positions.get(i) + moved);
        }
        diffusion.apply(&Serial, settings(), &mut vortons, both(CORE * CORE), 0.1 * step as f32);
    }
    assert_eq!(ALLOCATIONS.load(Ordering::SeqCst) - before, 0);
}
