//! Types and constants of the allocator.

use crate::memory::sized32;
use libc::c_void;

/// Allocates `size` bytes, at least 1, at a multiple of `alignment`, a power of two. Return NULL if there is
/// no memory. A function that makes a world larger, or needs memory to compute something, first allocates one
/// block as large as everything that it can need, and frees it at its end: without that block it returns
/// VORTON_ERR_OUT_OF_MEMORY and has changed nothing; with it, it completes, whatever is refused later. What
/// other functions need comes from a reserve of 64 KiB. Steps do so with VortonWorldDef.check_memory. Without
/// it, a step that needs more (a mesh that grows, more contacts with bodies than before) ends the process if
/// that is refused. Called on any thread; must not call the library, throw or longjmp.
pub type VortonAllocateFn =
    Option<unsafe extern "C" fn(size: usize, alignment: usize, user: *mut c_void) -> *mut c_void>;

/// Frees memory from VortonAllocateFn, with the same size and alignment. The same rules as for
/// VortonAllocateFn.
pub type VortonFreeFn =
    Option<unsafe extern "C" fn(memory: *mut c_void, size: usize, alignment: usize, user: *mut c_void)>;

/// Memory used by the library, all worlds together or one. Fill it with vorton_memory_init before the call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonMemory {
    /// sizeof(VortonMemory); set by vorton_memory_init.
    pub struct_size: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// Bytes currently allocated.
    pub bytes: u64,
    /// Largest number of bytes so far.
    pub peak_bytes: u64,
    /// Blocks currently allocated.
    pub blocks: u64,
    /// Allocations since the start. Steps make none in steady state.
    pub allocations: u64,
}

sized32!(VortonMemory);
