//! The library's allocator and its statistics.

use crate::guard;
use crate::heap::{self, Counts};
use crate::memory::{struct_size, write_sized};
use crate::status::*;
use crate::types::allocator::{VortonAllocateFn, VortonFreeFn, VortonMemory};
use libc::c_void;

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
    if heap::counts().allocations == 0 {
        let (Some(allocate), Some(free)) = (allocate, free) else { return VORTON_ERR_NULL };
        heap::set_hosts(allocate, free, user);
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
    // SAFETY: as the caller promises.
    guard::run(|| unsafe { write_counts(out, || Ok(heap::counts())) })
}

/// Writes the counts to the host's struct.
///
/// # Safety
/// `out` is null or points to a struct of `struct_size` bytes.
pub(crate) unsafe fn write_counts(
    out: *mut VortonMemory,
    counts: impl FnOnce() -> Outcome<Counts>,
) -> Outcome {
    // SAFETY: as the caller promises.
    let size = unsafe { struct_size(out, "out") }?;
    let Counts { bytes, peak_bytes, blocks, allocations } = counts()?;
    let memory = VortonMemory { struct_size: size, reserved: 0, bytes, peak_bytes, blocks, allocations };
    // SAFETY: as the caller promises.
    unsafe { write_sized(out, size, memory, "out") }
}
