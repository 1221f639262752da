//! Copies of the tracers after the last step, for readers during the next step: copied out
//! (vorton_tracers_read) or read in place (vorton_tracers_acquire).

use crate::guard;
use crate::memory::{check_output, write_sized};
use crate::state::published_tracers::TracerRows;
use crate::state::with_world;
use crate::status::*;
use crate::tracers::tracers_key;
use crate::types::published_tracers::VortonTracerRows;
use crate::types::tracers::VortonTracersId;
use crate::types::world::VortonWorldId;

/// Returns pointers to the tracers of a set after the last completed step, without a copy, even while another
/// thread runs the next step. The set needs VortonTracersDef.readable_during_steps. The rows stay unchanged
/// until vorton_tracers_release or until the world is destroyed, even if the set is changed or destroyed.
/// Tracers added since are not included. If rows are held while two steps end, the set allocates memory for
/// its capacity once more, up to three times, and keeps it.
///
/// @param struct_size sizeof(VortonTracerRows)
/// @return VORTON_ERR_BAD_VALUE for a set that is not readable during steps; VORTON_ERR_CAPACITY while 1024
///     leases have not been released
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_acquire(
    world: VortonWorldId,
    tracers: VortonTracersId,
    out: *mut VortonTracerRows,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        with_world(world, |world| {
            world.check_alive()?;
            let key = tracers.key(world.serial)?;
            let Some(copied) = world.published_tracers.last(key) else {
                tracers_key(&*world.read()?, tracers, world.serial)?;
                return Err(Error::bad_value("the tracers were not made with readable_during_steps"));
            };
            let lease = world.published_tracers.lease(&copied)?;
            let TracerRows { positions, ids, tags, ages, values } = copied.rows();
            let rows = VortonTracerRows {
                struct_size: 0,
                reserved: 0,
                lease,
                count: positions.len(),
                positions: positions.as_ptr().cast(),
                ids: ids.as_ptr(),
                tags: tags.as_ptr(),
                ages: ages.as_ptr(),
                values: values.as_ptr(),
            };
            // SAFETY: checked above; the caller promises the rest.
            let written = unsafe { write_sized(out, struct_size, rows, "out") };
            if written.is_err() {
                world.published_tracers.release(lease)?;
            }
            written
        })
    })
}

/// Releases rows from vorton_tracers_acquire: their arrays must not be read any more. May be called on any
/// thread, also while a step runs.
///
/// @param lease VortonTracerRows.lease
/// @return VORTON_ERR_STALE_ID if there is no such lease, or it has been released
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_release(world: VortonWorldId, lease: u64) -> VortonResult {
    guard::run(|| with_world(world, |world| world.published_tracers.release(lease)))
}
