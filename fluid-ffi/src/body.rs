//! Bodies of the host's physics engine: poses and velocities in, impulses and heat out.

use self::definition::{inertia_of, kelvins, or_infinity};
use crate::guard;
use crate::handle::{Id, stale};
use crate::heap::Hold;
use crate::lists::write_list;
use crate::memory::{
    check_array, check_optional_output, check_output, check_strided, read_def, slice, write, write_optional,
    write_sized,
};
use crate::recorder::Call;
use crate::state::{Need, State, World, reading, with_world, writing};
use crate::status::*;
use crate::types::body::VortonBodyDef;
use crate::types::body::{VortonBodyId, VortonBodyImpulse, VortonBodyState};
use crate::types::saturated;
use crate::types::world::VortonWorldId;
use fluid_bodies::BodyState;
use fluid_bodies::added_inertia::AddedInertia;
use std::borrow::Cow;

pub mod definition;
pub mod heat;
pub mod sleep;

/// Returns the index of a body in the world's list.
pub(crate) fn index_of(world: &World, state: &State, body: VortonBodyId) -> Outcome<usize> {
    state.bodies.index_of(&world.body_ids(), body.key(world.serial)?)
}

/// Runs `change` on one body as the world's only writer.
fn with_body(
    world: VortonWorldId,
    body: VortonBodyId,
    change: impl FnOnce(&World, &mut State, usize) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let index = index_of(world, state, body)?;
            change(world, state, index)
        })
    })
}

fn take(world: &World, state: &mut State, index: usize) -> VortonBodyImpulse {
    let pending = world.pending_impulses_in_order(&mut state.recorder).take(state.bodies.key(index));
    let body = state.bodies.bodies.body_mut(index);
    body.push(&pending);
    VortonBodyImpulse::of(&body.take_impulse(), body.temperature())
}

/// Looks up all ids and stores the indices in `state.bodies.indices`, and the ids as they are recorded.
fn find_all(world: &World, state: &mut State, ids: &[VortonBodyId]) -> Outcome {
    let alive = world.body_ids();
    let bodies = &mut state.bodies;
    let mut indices = std::mem::take(&mut bodies.indices);
    indices.clear();
    bodies.recorded.clear();
    bodies.recorded.extend(ids.iter().map(|id| id.recorded()));
    let found = ids.iter().enumerate().try_for_each(|(n, id)| {
        let index = id.key(world.serial).and_then(|key| bodies.index_of(&alive, key));
        indices.push(index.map_err(|error| of_element("ids", n, error))?);
        Ok(())
    });
    bodies.indices = indices;
    found
}

/// Upper bound \[bytes\] on the memory that a call for many bodies takes for each.
const BYTES_OF_MANY: usize = 3 * (size_of::<BodyState>() + size_of::<VortonBodyState>() + 16);

/// Upper bound \[bytes\] on the memory per vorton that removing them takes.
const BYTES_PER_REMOVED: usize = 32;

/// Takes the memory for a call for `count` bodies, unless an earlier call was for as many. `sets`: with
/// states.
fn hold_for_many(world: &World, state: &State, count: usize, sets: bool) -> Outcome<Option<Hold>> {
    let table = &state.bodies;
    let lists = table.indices.capacity().min(table.recorded.capacity());
    if count <= lists && (!sets || count <= table.states.capacity().min(table.given.capacity())) {
        return Ok(None);
    }
    let bytes = BYTES_OF_MANY * count;
    world.hold(state, Need::objects("the bodies").and(bytes).recorded(bytes)).map(Some)
}

/// Adds the array element to an error's text.
fn of_element(array: &str, n: usize, error: Error) -> Error {
    Error::new(error.code, format_args!("{array}[{n}]: {}", error.text))
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonBodyDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_def_init(out: *mut VortonBodyDef, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonBodyDef::default(), "out") })
}

/// Creates a body without shapes, which does not touch the fluid; add shapes with vorton_shape_create, in
/// coordinates with the origin at the centre of mass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_create(
    world: VortonWorldId,
    def: *const VortonBodyDef,
    out: *mut VortonBodyId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let given = unsafe { read_def(def, VortonBodyDef::default(), "def") }?;
        let def = given.checked()?;
        let id = writing(world, |world, state| {
            let bytes = state.bodies.bodies.memory_of_body();
            let _hold = world.hold(state, Need::objects("the body").and(bytes))?;
            let key = state.bodies.add(&mut world.body_ids(), def)?;
            world.user_data().bodies.set(key, given.user_data);
            world.record(&mut state.recorder, &Call::BodyCreate { def: given, body: Id::of(key) });
            Ok(VortonBodyId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys a body and its shapes. Impulses that were not taken are lost.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_destroy(world: VortonWorldId, body: VortonBodyId) -> VortonResult {
    with_body(world, body, |world, state, index| {
        world.pending_impulses_in_order(&mut state.recorder).take(state.bodies.key(index));
        state.sim.body_will_be_removed(&state.bodies.bodies, index);
        state.bodies.remove(&mut world.body_ids(), index);
        world.record(&mut state.recorder, &Call::BodyDestroy { body: body.recorded() });
        Ok(())
    })
}

/// True if the id names a living body of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_is_valid(world: VortonWorldId, body: VortonBodyId) -> bool {
    let find = |world: &World| {
        let key = body.key(world.serial)?;
        world.body_ids().bodies.get(key).map(|_| ()).ok_or_else(|| stale(VortonBodyId::KIND))
    };
    with_world(world, find).is_ok()
}

/// Returns the number of a body, 1 to VORTON_MAX_OBJECTS, as written to VORTON_HIT streams. It is constant
/// for the lifetime of the body and may be reused afterwards. Small, so it can index an array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_number(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut u32,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let key = with_world(world, |world| {
            world.check_alive()?;
            let key = body.key(world.serial)?;
            world.body_ids().bodies.get(key).map(|_| key).ok_or_else(|| stale(VortonBodyId::KIND))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, key.index1, "out") }
    })
}

/// Sets the state of a body: its pose at the world's present time, and the velocities with which the engine
/// lets it continue. The next step clears the body's whole path, from its pose at the end of the last step to
/// its pose at the end of the next one.
///
/// Impulses that have not been taken yet move the library's copy of the body, from the step that produced
/// them on: the library adds their change of velocity to the state that is set, and if no state is set, the
/// body continues with its own motion and these impulses. So any number of fluid steps may be taken in one
/// engine step, with the impulses taken and the states set once, in either order: nothing counts twice if
/// each impulse taken has been applied to the engine's body before the next state is set. Impulses not taken
/// within .25 s of simulated time are not added to states set from then on; nor is any impulse if none was
/// ever taken.
///
/// The engine's own acceleration of the body (weight, floors, joints) is measured from one state to the next,
/// and extrapolated during a step.
///
/// The position is at most 1e9 m from the origin, the velocity at most 1e6 m/s and the angular velocity at
/// most 1e6 rad/s; larger values are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_set_state(
    world: VortonWorldId,
    body: VortonBodyId,
    state: *const VortonBodyState,
) -> VortonResult {
    with_body(world, body, |world, own, index| {
        // SAFETY: the caller passes null or one readable state.
        let given = unsafe { slice(state, 1, "state") }?[0];
        own.bodies.bodies.set_state(index, given.checked()?)?;
        let call = Call::BodySetState { body: body.recorded(), state: given };
        world.record(&mut own.recorder, &call);
        Ok(())
    })
}

/// Teleports a body: as vorton_body_set_state, but without a path from its previous position. The contents
/// of a container stay where they are (vorton_body_set_state takes them along). The next step
/// pushes out vortons and tracers inside the body; to remove them instead, call vorton_world_remove_embedded.
/// A VORTON_BODY_NO_THROUGH body nearer than its largest half extent (and 2/3 rad) to where it was at the end
/// of the last step keeps the flow around it; farther away the flow begins anew, as around a new body, and
/// what the fluid held around the former place leaves VortonInvariants.bound_impulse. Impulses of contacts
/// are not lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_place(
    world: VortonWorldId,
    body: VortonBodyId,
    state: *const VortonBodyState,
) -> VortonResult {
    with_body(world, body, |world, own, index| {
        // SAFETY: the caller passes null or one readable state.
        let given = unsafe { slice(state, 1, "state") }?[0];
        own.bodies.bodies.place(index, given.checked()?)?;
        own.sim.body_was_placed(index);
        world.record(&mut own.recorder, &Call::BodyPlace { body: body.recorded(), state: given });
        Ok(())
    })
}

/// Reads the state of a body: as last set, advanced by the steps since, including all impulses, taken or not.
/// What your engine adds, its gravity for instance, is known from the states that you set: before a second
/// one, a body much lighter than the fluid is expected to rise as if it had added mass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_read(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonBodyState,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let value = reading(world, |world, state| {
            let index = index_of(world, state, body)?;
            Ok(VortonBodyState::of(state.bodies.bodies.list()[index].state()))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}

/// Number of values of an added inertia.
pub(crate) const ADDED_INERTIA: usize = 21;

/// Returns the values for the host; an error if there is no added inertia.
pub(crate) fn added_inertia_values(body: Option<AddedInertia>) -> Outcome<[f32; ADDED_INERTIA]> {
    let none = "holes, half-spaces, meshes and height fields have no added inertia: what is around a hole is not known, and nothing moves the others";
    Ok(body.ok_or_else(|| Error::bad_value(none))?.upper_triangle().map(saturated))
}

/// Reads the added inertia of a body, for all its shapes together: see vorton_shape_added_inertia, also for
/// the order of the numbers. Overlapping parts of shapes count once. All 0 if it has no shapes; refused if it
/// has holes, half-spaces, meshes or height fields. The first call after the body's shapes have changed takes
/// up to 0.7 s and allocates; meanwhile steps of this world on other threads return VORTON_ERR_BUSY: call it
/// while loading. Later calls only read.
///
/// @param out 21 floats [m^3], [m^4], [m^5]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_added_inertia(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut f32,
) -> VortonResult {
    guard::run(|| {
        check_array(out, ADDED_INERTIA, "out")?;
        let values = reading(world, |world, state| {
            let (bodies, index) = (&state.bodies.bodies, index_of(world, state, body)?);
            let _hold = match bodies.memory_of_added_inertia(index) {
                0 => None,
                bytes => Some(Hold::take(bytes, "the added inertia")?),
            };
            added_inertia_values(bodies.added_inertia(index))
        })?;
        // SAFETY: checked above; the caller promises 21 writable floats.
        unsafe { write(out.cast(), values, "out") }
    })
}

/// Changes a body's temperature [K], positive.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_temperature(
    world: VortonWorldId,
    body: VortonBodyId,
    temperature: f32,
) -> VortonResult {
    with_body(world, body, |world, state, index| {
        let temperature = kelvins(temperature)?;
        state.bodies.bodies.body_mut(index).set_temperature(temperature)?;
        let call = Call::BodySetTemperature { body: body.recorded(), temperature };
        world.record(&mut state.recorder, &call);
        Ok(())
    })
}

/// Changes a body's inertia tensor (see VortonBodyDef.inertia).
///
/// @param inertia 9 floats [kg m^2]; NULL or all 0: the mass is spread evenly over the shapes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_set_inertia(
    world: VortonWorldId,
    body: VortonBodyId,
    inertia: *const f32,
) -> VortonResult {
    with_body(world, body, |world, state, index| {
        let mut told = [0.0; 9];
        if !inertia.is_null() {
            // SAFETY: the caller passes null or 9 readable floats.
            told.copy_from_slice(unsafe { slice(inertia, 9, "inertia") }?);
        }
        let inertia = inertia_of(&told, "inertia")?;
        state.bodies.bodies.body_mut(index).set_inertia(inertia)?;
        let call = Call::BodySetInertia { body: body.recorded(), inertia: told };
        world.record(&mut state.recorder, &call);
        Ok(())
    })
}

/// Changes a body's mass [kg]; 0: impulses do not move it (see VortonBodyDef.mass). More than
/// VortonBodyDef.fluid_mass. An inertia tensor that has been set is kept.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_mass(world: VortonWorldId, body: VortonBodyId, mass: f32) -> VortonResult {
    with_body(world, body, |world, state, index| {
        state.bodies.bodies.body_mut(index).set_mass(or_infinity(mass, "mass")?)?;
        world.record(&mut state.recorder, &Call::BodySetMass { body: body.recorded(), mass });
        Ok(())
    })
}

/// Takes the impulses and heat that a body has received since they were last taken; they accumulate over
/// steps. See vorton_body_set_state for the interplay with states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_take_impulse(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonBodyImpulse,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let value = writing(world, |world, state| {
            let index = index_of(world, state, body)?;
            let impulse = take(world, state, index);
            world.record(&mut state.recorder, &Call::BodyTakeImpulse { body: body.recorded() });
            Ok(impulse)
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}

/// Calls vorton_body_set_state for many bodies, all or none; the states may be embedded in your own structs.
/// If an id occurs twice, the last state counts. Does not allocate in steady state.
///
/// @param ids    `count` ids
/// @param states the state of ids[i] begins i * stride bytes after this
/// @param stride bytes from one state to the next, a multiple of 4; 0: sizeof(VortonBodyState)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_bodies_set_states(
    world: VortonWorldId,
    ids: *const VortonBodyId,
    states: *const VortonBodyState,
    stride: usize,
    count: usize,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller promises `count` readable ids.
        let ids = unsafe { slice(ids, count, "ids") }?;
        let stride = check_strided(states, stride, count, "states")?;
        writing(world, |world, state| {
            let _hold = hold_for_many(world, state, count, true)?;
            find_all(world, state, ids)?;
            let table = &mut state.bodies;
            table.states.clear();
            table.given.clear();
            for n in 0..count {
                // SAFETY: checked above; the caller promises `count` readable states at this stride.
                let given = unsafe { states.byte_add(n * stride).read() };
                table.given.push(given);
                let next = given.checked().map_err(|error| of_element("states", n, error))?;
                let checked = table.bodies.check_state(table.indices[n], &next);
                checked.map_err(|error| of_element("states", n, error.into()))?;
                table.states.push(next);
            }
            for (&index, &next) in table.indices.iter().zip(&table.states) {
                table.bodies.set_state(index, next)?;
            }
            let (bodies, states) = (Cow::Borrowed(&*table.recorded), Cow::Borrowed(&*table.given));
            world.record(&mut state.recorder, &Call::BodiesSetStates { bodies, states });
            Ok(())
        })
    })
}

/// Calls vorton_body_take_impulse for many bodies, all or none. If an id occurs twice, its first element
/// receives everything and the others zero. Does not allocate in steady state.
///
/// @param ids    `count` ids
/// @param out    the impulse of ids[i] is written i * stride bytes after this
/// @param stride bytes from one impulse to the next, a multiple of 4; 0: sizeof(VortonBodyImpulse)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_bodies_take_impulses(
    world: VortonWorldId,
    ids: *const VortonBodyId,
    out: *mut VortonBodyImpulse,
    stride: usize,
    count: usize,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller promises `count` readable ids.
        let ids = unsafe { slice(ids, count, "ids") }?;
        let stride = check_strided(out.cast_const(), stride, count, "out")?;
        writing(world, |world, state| {
            let _hold = hold_for_many(world, state, count, false)?;
            find_all(world, state, ids)?;
            for n in 0..count {
                let value = take(world, state, state.bodies.indices[n]);
                // SAFETY: checked above; the caller promises room for `count` impulses at this stride.
                unsafe { out.byte_add(n * stride).write(value) };
            }
            let bodies = Cow::Borrowed(&*state.bodies.recorded);
            world.record(&mut state.recorder, &Call::BodiesTakeImpulses { bodies });
            Ok(())
        })
    })
}

/// Removes all vortons and tracers inside bodies, for instance after creating bodies in existing fluid, or
/// after vorton_body_place. Bodies have their poses after the last step, or those with which they were
/// created or placed since (a state set for the next step does not count yet). The strength of removed
/// vortons is added to the bound strength of their body. Not needed in ordinary steps, which keep particles
/// outside. Allocates.
///
/// @param margin      distance [m] from the surfaces within which particles are removed, too, at least 0
/// @param out_vortons NULL, or receives the number of vortons removed
/// @param out_tracers NULL, or receives the number of tracers removed, from all sets
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_remove_embedded(
    world: VortonWorldId,
    margin: f32,
    out_vortons: *mut usize,
    out_tracers: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_vortons, "out_vortons")?;
        check_optional_output(out_tracers, "out_tracers")?;
        finite(&[margin], "margin")?;
        if margin < 0.0 {
            return Err(Error::bad_value(format_args!("margin is {margin}, but must be at least 0")));
        }
        let (vortons, tracers) = writing(world, |world, state| {
            let bytes = BYTES_PER_REMOVED * state.sim.vortons().len();
            let _hold = world.hold(state, Need::objects("the removal").and(bytes))?;
            let (vortons, tracers) = remove_embedded(state, margin);
            let removed = (vortons as u64, tracers as u64);
            let call = Call::RemoveEmbedded { margin, vortons: removed.0, tracers: removed.1 };
            world.record(&mut state.recorder, &call);
            Ok((vortons, tracers))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe {
            write_optional(out_vortons, vortons, "out_vortons")?;
            write_optional(out_tracers, tracers, "out_tracers")
        }
    })
}

fn remove_embedded(state: &mut State, margin: f32) -> (usize, usize) {
    let bodies = &mut state.bodies.bodies;
    bodies.refresh_broad_phase();
    let vortons = state.sim.vortons();
    let mut ids = Vec::new();
    for (row, &id) in vortons.ids.iter().enumerate() {
        if bodies.absorb(vortons.positions.get(row), vortons.strengths.get(row), margin) {
            ids.push(id);
        }
    }
    let vortons = state.sim.take_vortons(&ids);
    let obstacles = state.bodies.bodies.obstacles();
    let inside = |place| obstacles.embedded([place], margin).next().is_some();
    let mut tracers = 0;
    for set in &state.tracer_sets {
        if let Some(set) = state.tracers.get_mut(set.key) {
            tracers += set.retain(|place, _| !inside(place));
        }
    }
    (vortons, tracers)
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
