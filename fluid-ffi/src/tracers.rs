//! Tracers: particles that make the flow visible, owned and moved by the world.

use crate::guard;
use crate::handle::{Id, Key, stale};
use crate::heap::Hold;
use crate::lists::write_list;
use crate::memory::{
    check_array, check_optional_output, check_output, read_def, slice, write, write_optional, write_sized,
};
use crate::recorder::Call;
use crate::sample::{code_of, scalar_quantity};
use crate::settings::switch;
use crate::state::published_tracers::TracerRows;
use crate::state::tracer_source::TracerSource;
use crate::state::{Need, State, TracerSet, World, growing, with_world, writing};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::tracers::{VORTON_SHOW_NONE, VortonImpliedDef, VortonTracersDef, VortonTracersId};
use crate::types::world::VortonWorldId;
use fluid_core::density::{ScalarGrid, ScalarSample};
use fluid_core::initial::{ImpliedTracers, MAX_INITIAL_TRACERS};
use fluid_core::particles::{ScalarQuantity, Tracers};
use glam::Vec3;
use std::borrow::Cow;

pub mod definition;

/// Largest capacity of a set.
pub(crate) const MAX_TRACERS: u32 = 1 << 26;

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
        let checked = def.checked()?;
        let id = growing(world, Need::objects("the set"), |world, state| {
            let key = create(world, state, &checked, def.user_data)?;
            world.record(&mut state.recorder, &Call::TracersCreate { def, set: Id::of(key) });
            Ok(VortonTracersId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// A definition that has passed its checks.
pub(crate) struct CheckedDef {
    pub(crate) capacity: usize,
    pub(crate) max_age: f32,
    pub(crate) carry: Option<ScalarQuantity>,
    pub(crate) readable_during_steps: bool,
    pub(crate) turbulence: f32,
}

impl VortonTracersDef {
    fn checked(&self) -> Outcome<CheckedDef> {
        let max_age = age_or_never(self.max_age)?;
        let readable_during_steps = switch("readable_during_steps", self.readable_during_steps)?;
        let turbulence = checked_turbulence(self.turbulence)?;
        if !(1..=MAX_TRACERS).contains(&self.capacity) {
            let text = format_args!("capacity is {}, but must be from 1 to {MAX_TRACERS}", self.capacity);
            return Err(Error::bad_value(text));
        }
        let carry = match (self.show, scalar_quantity(self.show)) {
            (VORTON_SHOW_NONE, _) => None,
            (_, Some(quantity)) => Some(quantity),
            (other, None) => {
                let text = format_args!(
                    "show is {other}, which is neither VORTON_SHOW_NONE nor a VORTON_SAMPLE_... of one number"
                );
                return Err(Error::bad_value(text));
            }
        };
        let capacity = self.capacity as usize;
        Ok(CheckedDef { capacity, max_age, carry, readable_during_steps, turbulence })
    }
}

/// Creates an empty set.
pub(crate) fn create(world: &World, state: &mut State, def: &CheckedDef, user_data: u64) -> Outcome<Key> {
    let &CheckedDef { capacity, max_age, carry, readable_during_steps, turbulence } = def;
    let _hold = Hold::take(TracerSet::memory(capacity, readable_during_steps), "the capacity of the set")?;
    let mut set = Tracers::with_capacity(capacity);
    (set.carry, set.turbulence) = (carry, turbulence);
    let key = state.tracers.insert(set)?;
    if let Some(set) = state.tracers.get(key).filter(|_| readable_during_steps) {
        world.published_tracers.add(key, set);
    }
    state.tracer_sets.push(TracerSet { key, max_age, capacity, readable_during_steps });
    world.user_data().tracers.set(key, user_data);
    world.living().tracers.add(key);
    Ok(key)
}

/// Removes a set; emitters that feed it go on without tracers.
pub(crate) fn remove(world: &World, state: &mut State, key: Key) -> Outcome {
    state.tracers.remove(key).ok_or_else(|| stale(VortonTracersId::KIND))?;
    state.tracer_sets.retain(|set| set.key != key);
    let fed = |source: &&mut TracerSource| source.set == Some(key);
    state.tracer_sources.iter_mut().filter(fed).for_each(|source| source.set = None);
    world.published_tracers.remove(key);
    world.living().tracers.remove(key);
    Ok(())
}

/// Destroys a set of tracers. Emitters that feed the set continue without tracers.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_destroy(world: VortonWorldId, tracers: VortonTracersId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            remove(world, state, tracers.key(world.serial)?)?;
            world.record(&mut state.recorder, &Call::TracersDestroy { set: tracers.recorded() });
            Ok(())
        })
    })
}

/// True if the id names a living set of tracers of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_is_valid(world: VortonWorldId, tracers: VortonTracersId) -> bool {
    with_world(world, |world| Ok(world.living().tracers.contains(tracers.key(world.serial)?)))
        .is_ok_and(|lives| lives)
}

/// Converts a maximum age; 0 means never and becomes infinity.
pub(crate) fn age_or_never(max_age: f32) -> Outcome<f32> {
    finite(&[max_age], "max_age")?;
    match max_age {
        0.0 => Ok(f32::INFINITY),
        age if age > 0.0 => Ok(age),
        age => Err(Error::bad_value(format_args!("max_age is {age}, but must be at least 0"))),
    }
}

/// Checks a turbulence intensity: finite, at least 0.
pub(crate) fn checked_turbulence(turbulence: f32) -> Outcome<f32> {
    finite(&[turbulence], "turbulence")?;
    if turbulence < 0.0 {
        return Err(Error::bad_value(format_args!("turbulence is {turbulence}, but must be at least 0")));
    }
    Ok(turbulence)
}

impl VortonTracersDef {
    /// Returns the definition that would create this set.
    pub(crate) fn of(state: &State, key: Key) -> Self {
        let mut def = Self::default();
        if let Some(set) = state.tracer_sets.iter().find(|set| set.key == key) {
            def.capacity = set.capacity as u32;
            def.max_age = if set.max_age == f32::INFINITY { 0.0 } else { set.max_age };
            def.readable_during_steps = u32::from(set.readable_during_steps);
        }
        if let Some(set) = state.tracers.get(key) {
            def.show = set.carry.map_or(VORTON_SHOW_NONE, code_of);
            def.turbulence = set.turbulence;
        }
        def
    }
}

/// Returns the slot of a set.
pub(crate) fn tracers_key(state: &State, id: VortonTracersId, world: u32) -> Outcome<Key> {
    let key = id.key(world)?;
    state.tracers.get(key).map(|_| key).ok_or_else(|| stale(VortonTracersId::KIND))
}

/// Returns a set if it has room for `count` more tracers.
pub(crate) fn set_with_room(
    world: u32,
    state: &mut State,
    tracers: VortonTracersId,
    count: usize,
) -> Outcome<&mut Tracers> {
    let key = tracers.key(world)?;
    let capacity = state.tracer_sets.iter().find(|set| set.key == key).map_or(0, |set| set.capacity);
    let set = state.tracers.get_mut(key).ok_or_else(|| stale(VortonTracersId::KIND))?;
    let room = capacity - set.len();
    if count > room {
        let text = format!("{count} tracers do not fit: the capacity leaves room for {room}");
        return Err(Error::new(VORTON_ERR_CAPACITY, text));
    }
    Ok(set)
}

/// Adds tracers at these positions, all or none.
///
/// @param positions `count` positions [m]
/// @param tags      NULL (all 0), or count tags, such as the number of a dye or an emitter, stored with the
///     tracers
/// @param values    NULL (all 0), or count values; steps overwrite them unless VortonTracersDef.show is
///     VORTON_SHOW_NONE
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_add(
    world: VortonWorldId,
    tracers: VortonTracersId,
    positions: *const VortonVec3,
    tags: *const u32,
    values: *const f32,
    count: usize,
) -> VortonResult {
    guard::run(|| {
        let given = |skip: bool| if skip { 0 } else { count };
        // SAFETY: the caller promises `count` readable positions.
        let positions = unsafe { slice(positions, count, "positions") }?;
        // SAFETY: the caller promises NULL or `count` readable tags.
        let tags = unsafe { slice(tags, given(tags.is_null()), "tags") }?;
        // SAFETY: the caller promises NULL or `count` readable values.
        let values = unsafe { slice(values, given(values.is_null()), "values") }?;
        for position in positions {
            position.checked("the position of a tracer")?;
        }
        finite(values, "values")?;
        writing(world, |world, state| {
            let arrays = size_of_val(positions) + size_of_val(tags) + size_of_val(values);
            let _hold = match state.recorder.is_on() {
                true => Some(world.hold(state, Need::objects("the record").recorded(arrays))?),
                false => None,
            };
            let set = set_with_room(world.serial, state, tracers, count)?;
            for (n, position) in positions.iter().enumerate() {
                let (tag, value) = (tags.get(n).copied(), values.get(n).copied());
                set.push_with_value(position.vec(), tag.unwrap_or(0), value.unwrap_or(0.0));
            }
            let (tags, values) = (Cow::Borrowed(tags), Cow::Borrowed(values));
            let positions = Cow::Borrowed(positions);
            let call = Call::TracersAdd { set: tracers.recorded(), positions, tags, values };
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonImpliedDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_implied_def_init(
    out: *mut VortonImpliedDef,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonImpliedDef::default(), "out") })
}

/// Adds tracers where the density of the present vortons deviates from the ambient density: all or none. No
/// step is needed before. Their values are the quantity VortonTracersDef.show, or the density deviation
/// [kg/m^3] with VORTON_SHOW_NONE. Allocates.
///
/// @param out_count NULL, or receives the number of tracers added
/// @return VORTON_ERR_CAPACITY if they do not fit into the set
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_add_implied(
    world: VortonWorldId,
    tracers: VortonTracersId,
    def: *const VortonImpliedDef,
    out_count: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_count, "out_count")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonImpliedDef::default(), "def") }?;
        finite(&[def.threshold, def.jitter], "the implied tracers' definition")?;
        reserved(&[def.reserved], "the implied tracers' definition")?;
        let VortonImpliedDef { per_cell, threshold, jitter, seed, .. } = def;
        let count = writing(world, |world, state| {
            let bytes = memory_of_implied(state);
            let _hold = world.hold(state, Need::objects("the density of the vortons").and(bytes))?;
            let params = state.sim.params();
            let mut grid = ScalarGrid::new(params.core_radius, params.max_grid_nodes);
            grid.follow_lattice(state.sim.field().scalar_grid());
            grid.set(&*world.exec, state.sim.vortons());
            let implied = ImpliedTracers { per_cell, threshold, jitter, seed };
            // A request far beyond the capacity is refused before all positions are computed.
            let estimate = implied.estimated_count(&grid);
            if estimate <= MAX_INITIAL_TRACERS {
                set_with_room(world.serial, state, tracers, estimate / 2)?;
            }
            // A list that is full takes twice its size beside the old one.
            let bytes = 3 * size_of::<(Vec3, f32)>() * (2 * estimate.min(2 * MAX_INITIAL_TRACERS) + 1024);
            let _list = Hold::take(bytes, "the tracers")?;
            let implied = implied.tracers(&grid).map_err(Error::bad_value)?;
            let params = state.sim.params();
            let (ambient, equation_of_state) = (params.ambient, params.equation_of_state);
            let instruction_set = params.instruction_set;
            let set = set_with_room(world.serial, state, tracers, implied.len())?;
            for &(place, deviation) in &implied {
                let value = set.carry.map(|quantity| {
                    let mut sample = [ScalarSample::default()];
                    let state = (&ambient, equation_of_state);
                    grid.scalars(state, instruction_set, &[place], &mut sample);
                    quantity.of(&sample[0])
                });
                let value = value.filter(|value| value.is_finite()).unwrap_or(deviation);
                set.push_with_value(place, def.tag, value);
            }
            let (set, count) = (tracers.recorded(), implied.len());
            world.record(&mut state.recorder, &Call::TracersAddImplied { set, def, count: count as u64 });
            Ok(count)
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out_count, count, "out_count") }
    })
}

/// Returns an upper bound \[bytes\] on the memory of the density of all vortons on nodes.
fn memory_of_implied(state: &State) -> usize {
    const BYTES_PER_NODE: f32 = 64.0;
    let (vortons, params) = (state.sim.vortons(), state.sim.params());
    let mut bounds = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for place in (0..vortons.len()).map(|row| vortons.positions.get(row)).filter(|place| place.is_finite()) {
        bounds = (bounds.0.min(place), bounds.1.max(place));
    }
    let nodes = (bounds.1 - bounds.0).max(Vec3::ZERO) / params.core_radius + 16.0;
    let nodes = nodes.element_product().min(4.0 * params.max_grid_nodes as f32);
    (BYTES_PER_NODE * nodes) as usize + 256 * vortons.len()
}

/// Removes all tracers of a set.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_clear(world: VortonWorldId, tracers: VortonTracersId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let set = state.tracers.get_mut(tracers.key(world.serial)?);
            set.ok_or_else(|| stale(VortonTracersId::KIND))?.clear();
            world.record(&mut state.recorder, &Call::TracersClear { set: tracers.recorded() });
            Ok(())
        })
    })
}

/// Copies the tracers out, for instance directly into a vertex buffer. Their order changes from time to time
/// (the set sorts itself by position); the ids identify them.
///
/// While another thread steps or changes the world, a set with VortonTracersDef.readable_during_steps returns
/// the tracers of the last completed step; for any other set this returns VORTON_ERR_BUSY.
///
/// @param positions       NULL, or room for capacity positions, three floats each
/// @param position_stride bytes from one position to the next, a multiple of 4 and at least 12; 0: packed;
///     ignored without positions
/// @param ids             NULL, or room for capacity ids: 0 for the first tracer ever added to the set, and
///     so on (removal does not restart the count; it wraps after 2^32)
/// @param tags            NULL, or room for capacity tags
/// @param ages            NULL, or room for capacity ages [s]
/// @param values          NULL, or room for capacity values: the quantity VortonTracersDef.show, or the
///     values added
/// @param out_count       receives the number of tracers, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is copied then. A capacity of 0
///     only returns the count, and is VORTON_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_read(
    world: VortonWorldId,
    tracers: VortonTracersId,
    positions: *mut f32,
    position_stride: u32,
    ids: *mut u32,
    tags: *mut u32,
    ages: *mut f32,
    values: *mut f32,
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
        check_array(values, wanted(values.is_null()), "values")?;
        let stride = if position_stride == 0 { size_of::<VortonVec3>() } else { position_stride as usize };
        if !positions.is_null() && (stride < 12 || !stride.is_multiple_of(4)) {
            let text = format!("position_stride is {stride}, but must be a multiple of 4 and at least 12");
            return Err(Error::new(VORTON_ERR_BAD_STREAM, text));
        }
        let bytes = wanted(positions.is_null()).checked_mul(stride);
        if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
            return Err(Error::bad_value(format_args!("{capacity} positions do not fit into memory")));
        }
        let give = |rows: TracerRows<'_>| {
            let len = rows.positions.len();
            // SAFETY: checked above; the caller promises the rest.
            unsafe { write(out_count, len, "out_count") }?;
            if capacity < len && capacity > 0 {
                let text = format!("room for {capacity} tracers, but there are {len}");
                return Err(Error::new(VORTON_ERR_BUFFER_SMALL, text));
            }
            let count = len.min(capacity);
            // SAFETY: at most `capacity` elements go to each array; the caller promises that much room.
            unsafe {
                copy_positions(&rows.positions[..count], positions, stride);
                copy_out(&rows.ids[..count], ids);
                copy_out(&rows.tags[..count], tags);
                copy_out(&rows.ages[..count], ages);
                copy_out(&rows.values[..count], values);
            }
            Ok(())
        };
        with_rows(world, tracers, give)
    })
}

/// Passes the present rows of a set to `give`, or those of the last step if there is a writer.
fn with_rows(
    world: VortonWorldId,
    tracers: VortonTracersId,
    give: impl Fn(TracerRows<'_>) -> Outcome,
) -> Outcome {
    with_world(world, |world| {
        let key = tracers.key(world.serial)?;
        let busy = match world.read() {
            Ok(state) => {
                return give(state.tracers.get(key).ok_or_else(|| stale(VortonTracersId::KIND))?.into());
            }
            Err(error) => error,
        };
        // A world that an internal error has stopped is not busy.
        world.check_alive()?;
        give(world.published_tracers.last(key).ok_or(busy)?.rows())
    })
}

/// # Safety
/// `out` is null or has room for all positions at this stride, which keeps them aligned.
unsafe fn copy_positions(positions: &[Vec3], out: *mut f32, stride: usize) {
    if !out.is_null() {
        for (row, &Vec3 { x, y, z }) in positions.iter().enumerate() {
            // SAFETY: the caller promises room and alignment.
            unsafe { out.byte_add(row * stride).cast::<[f32; 3]>().write([x, y, z]) };
        }
    }
}

/// # Safety
/// `out` is null or has room for all of the column.
unsafe fn copy_out<T: Copy>(column: &[T], out: *mut T) {
    if !out.is_null() {
        // SAFETY: the caller promises the room; a host's array does not overlap ours.
        unsafe { std::ptr::copy_nonoverlapping(column.as_ptr(), out, column.len()) };
    }
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
