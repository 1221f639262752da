//! Tracers: particles that show the flow, owned and moved by the world.

use crate::guard;
use crate::handle::{child_id, stale};
use crate::memory::{check_array, check_output, read_def, sized32, slice, write, write_sized};
use crate::status::*;
use crate::types::VortonVec3;
use crate::world::{VortonWorldId, reading, writing};
use fluid_core::particles::Tracers;
use glam::Vec3;

/// A set of tracers. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonTracersId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonTracersId, "tracers");

/// Tracers that one set may be asked to hold.
const MAX_TRACERS: u32 = 1 << 26;

/// What a set of tracers is made from. Fill it with vorton_tracers_def_init, then change what you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonTracersDef {
    /// sizeof(VortonTracersDef); set by vorton_tracers_def_init.
    pub struct_size: u32,
    /// Most tracers alive at a time, up to 67108864. Memory for all of them (about 70 bytes each) is taken at creation. Default
    /// 65536.
    pub capacity: u32,
    /// Age [s] at which a tracer is removed; 0: never. Default 0.
    pub max_age: f32,
}

impl Default for VortonTracersDef {
    fn default() -> Self {
        Self { struct_size: size_of::<Self>() as u32, capacity: 65_536, max_age: 0.0 }
    }
}

sized32!(VortonTracersDef);

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonTracersDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_def_init(
    out: *mut VortonTracersDef,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonTracersDef::default(), "out") })
}

/// Creates an empty set of tracers. Every step of the world moves them with the flow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_create(
    world: VortonWorldId,
    def: *const VortonTracersDef,
    out: *mut VortonTracersId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonTracersDef::default(), "def") }?;
        finite(&[def.max_age], "max_age")?;
        if def.max_age < 0.0 {
            return Err(Error::bad_value(format_args!("max_age is {}, but must be at least 0", def.max_age)));
        }
        if !(1..=MAX_TRACERS).contains(&def.capacity) {
            let text = format_args!("capacity is {}, but must be from 1 to {MAX_TRACERS}", def.capacity);
            return Err(Error::bad_value(text));
        }
        let max_age = if def.max_age == 0.0 { f32::INFINITY } else { def.max_age };
        let id = writing(world, |world, state| {
            let key = state.tracers.insert(Tracers::with_capacity(def.capacity as usize))?;
            state.tracer_sets.push(crate::world::TracerSet { key, max_age, capacity: def.capacity as usize });
            Ok(VortonTracersId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys a set of tracers.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_destroy(world: VortonWorldId, tracers: VortonTracersId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let key = tracers.key(world.serial)?;
            state.tracers.remove(key).ok_or_else(|| stale(VortonTracersId::KIND))?;
            state.tracer_sets.retain(|set| set.key != key);
            Ok(())
        })
    })
}

/// Adds tracers at these positions [m], all or none.
///
/// @param positions count of them
/// @param tags      NULL (all 0), or count numbers of yours, such as a dye or an emitter, which stay with the tracers
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_add(
    world: VortonWorldId,
    tracers: VortonTracersId,
    positions: *const VortonVec3,
    tags: *const u32,
    count: usize,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller promises `count` readable positions.
        let positions = unsafe { slice(positions, count, "positions") }?;
        // SAFETY: the caller promises NULL or `count` readable tags.
        let tags = unsafe { slice(tags, if tags.is_null() { 0 } else { count }, "tags") }?;
        for position in positions {
            position.checked("the position of a tracer")?;
        }
        writing(world, |world, state| {
            let key = tracers.key(world.serial)?;
            let capacity = state.tracer_sets.iter().find(|set| set.key == key).map_or(0, |set| set.capacity);
            let set = state.tracers.get_mut(key).ok_or_else(|| stale(VortonTracersId::KIND))?;
            let room = capacity - set.len();
            if count > room {
                let text = format!("{count} tracers do not fit: the capacity leaves room for {room}");
                return Err(Error::new(VORTON_ERR_CAPACITY, text));
            }
            for (n, position) in positions.iter().enumerate() {
                set.push_tagged(position.vec(), tags.get(n).copied().unwrap_or(0));
            }
            Ok(())
        })
    })
}

/// Removes all tracers of a set.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_clear(world: VortonWorldId, tracers: VortonTracersId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let set = state.tracers.get_mut(tracers.key(world.serial)?);
            set.ok_or_else(|| stale(VortonTracersId::KIND))?.clear();
            Ok(())
        })
    })
}

/// Copies tracers out, straight into a vertex buffer if you like. Their order changes from time to time (the set sorts itself by
/// place); the ids say which is which.
///
/// @param positions       NULL, or room for capacity positions, three floats each
/// @param position_stride bytes from one position to the next, a multiple of 4 and at least 12; ignored without positions
/// @param ids             NULL, or room for capacity ids: 0 for the first tracer ever added to the set, and so on (removing
///                        does not start anew; wraps after 2^32)
/// @param tags            NULL, or room for capacity tags
/// @param ages            NULL, or room for capacity ages [s]
/// @param out_count       receives the number of tracers, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0 only asks for the
///         count, and is VORTON_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_read(
    world: VortonWorldId,
    tracers: VortonTracersId,
    positions: *mut f32,
    position_stride: u32,
    ids: *mut u32,
    tags: *mut u32,
    ages: *mut f32,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_output(out_count, "out_count")?;
        let wanted = |skip: bool| if skip { 0 } else { capacity };
        check_array(positions, wanted(positions.is_null()), "positions")?;
        check_array(ids, wanted(ids.is_null()), "ids")?;
        check_array(tags, wanted(tags.is_null()), "tags")?;
        check_array(ages, wanted(ages.is_null()), "ages")?;
        let stride = position_stride as usize;
        if !positions.is_null() && (stride < 12 || !stride.is_multiple_of(4)) {
            let text = format!("position_stride is {stride}, but must be a multiple of 4 and at least 12");
            return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
        }
        let bytes = wanted(positions.is_null()).checked_mul(stride);
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Error::bad_value(format_args!("{capacity} positions do not fit into memory")));
        }
        reading(world, |world, state| {
            let set =
                state.tracers.get(tracers.key(world.serial)?).ok_or_else(|| stale(VortonTracersId::KIND))?;
            // SAFETY: checked above; the caller promises the rest.
            unsafe { write(out_count, set.len(), "out_count") }?;
            if capacity < set.len() && capacity > 0 {
                let text = format!("room for {capacity} tracers, but there are {}", set.len());
                return Err(Error::new(VORTON_ERR_BUFFER_SMALL, text));
            }
            // SAFETY: at most `capacity` elements go to each array; the caller promises that much room.
            unsafe { copy_out(set, set.len().min(capacity), positions, stride, ids, tags, ages) };
            Ok(())
        })
    })
}

/// # Safety
/// Each pointer is null or has room for `count` elements at its stride.
unsafe fn copy_out(
    set: &Tracers,
    count: usize,
    positions: *mut f32,
    position_stride: usize,
    ids: *mut u32,
    tags: *mut u32,
    ages: *mut f32,
) {
    if !positions.is_null() {
        for (row, &Vec3 { x, y, z }) in set.positions()[..count].iter().enumerate() {
            // SAFETY: row < count; alignment and stride were checked.
            unsafe { positions.byte_add(row * position_stride).cast::<[f32; 3]>().write([x, y, z]) };
        }
    }
    if !ids.is_null() {
        // SAFETY: room for `count` ids.
        unsafe { std::ptr::copy_nonoverlapping(set.ids().as_ptr(), ids, count) };
    }
    if !tags.is_null() {
        // SAFETY: room for `count` tags.
        unsafe { std::ptr::copy_nonoverlapping(set.tags().as_ptr(), tags, count) };
    }
    if !ages.is_null() {
        // SAFETY: room for `count` ages.
        unsafe { std::ptr::copy_nonoverlapping(set.ages().as_ptr(), ages, count) };
    }
}
