//! Lists in host memory.

use crate::guard;
use crate::memory::{check_array, check_output, write};
use crate::state::{State, World, reading};
use crate::status::*;
use crate::types::world::VortonWorldId;

/// Writes `count` elements, called `what`, to `out` if they fit; `list` puts each element at its index.
///
/// # Safety
/// `out` has room for `capacity` elements, and `out_count` is null or valid for writing.
pub(crate) unsafe fn write_list<I>(
    world: VortonWorldId,
    what: &str,
    (out, capacity, out_count): (*mut I, usize, *mut usize),
    count: impl FnOnce(&World, &State) -> Outcome<usize>,
    list: impl FnOnce(&World, &State, &mut dyn FnMut(usize, I)) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        check_array(out, capacity, "out")?;
        check_output(out_count, "out_count")?;
        reading(world, |world, state| {
            let count = count(world, state)?;
            // SAFETY: checked above; the caller promises the rest.
            unsafe { write(out_count, count, "out_count") }?;
            if capacity == 0 {
                return Ok(());
            }
            if capacity < count {
                let text = format!("room for {capacity} {what}, but there are {count}");
                return Err(Error::new(VORTON_ERR_BUFFER_SMALL, text));
            }
            list(world, state, &mut |place, id| {
                if place < count {
                    // SAFETY: place < count <= capacity, and the caller promises that much room.
                    unsafe { out.add(place).write(id) };
                }
            })
        })
    })
}
