//! Lists of the objects in a world.

use crate::body::{VortonBodyId, index_of};
use crate::emitter::VortonEmitterId;
use crate::guard;
use crate::memory::{check_array, check_output, write};
use crate::shape::VortonShapeId;
use crate::status::*;
use crate::tracers::VortonTracersId;
use crate::world::{State, VortonWorldId, World, reading};

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

/// Lists the bodies of a world, in the order in which they were created.
///
/// @param out       room for capacity ids; may be NULL if capacity is 0
/// @param out_count receives the number of bodies, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is listed then. A capacity of 0
///     only returns the count, and is VORTON_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_bodies(
    world: VortonWorldId,
    out: *mut VortonBodyId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.bodies.bodies.list().len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonBodyId)| {
        let bodies = 0..state.bodies.bodies.list().len();
        bodies.for_each(|index| put(index, VortonBodyId::new(state.bodies.key(index), world.serial)));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}

/// Lists the shapes of a body, in the order in which they were created: see vorton_world_bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_shapes(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonShapeId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count =
        |world: &World, state: &State| Ok(state.bodies.shape_keys(index_of(world, state, body)?).len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonShapeId)| {
        let keys = state.bodies.shape_keys(index_of(world, state, body)?);
        keys.enumerate().for_each(|(place, key)| put(place, VortonShapeId::new(key, world.serial)));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}

/// Lists the emitters of a world, in the order in which they were created: see vorton_world_bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_emitters(
    world: VortonWorldId,
    out: *mut VortonEmitterId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.emitters.len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonEmitterId)| {
        for (key, serial) in state.emitter_ids.iter() {
            if let Ok(place) = state.emitters.binary_search(serial) {
                put(place, VortonEmitterId::new(key, world.serial));
            }
        }
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}

/// Lists the sets of tracers of a world, in the order in which they were created: see vorton_world_bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_tracers(
    world: VortonWorldId,
    out: *mut VortonTracersId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.tracer_sets.len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonTracersId)| {
        let sets = state.tracer_sets.iter().enumerate();
        sets.for_each(|(place, set)| put(place, VortonTracersId::new(set.key, world.serial)));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}
