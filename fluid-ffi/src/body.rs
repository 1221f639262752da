//! Bodies of the host's physics engine: poses and velocities in, impulses and heat out.

pub mod definition;
pub mod heat;
pub mod sleep;

pub use definition::VortonBodyDef;

use self::definition::{inertia_of, kelvins, or_infinity};
use crate::guard;
use crate::handle::{child_id, stale};
use crate::memory::{
    check_array, check_optional_output, check_output, check_strided, read_def, slice, write, write_optional,
    write_sized,
};
use crate::status::*;
use crate::types::{VortonQuat, VortonVec3, saturated, saturated64};
use crate::world::{State, VortonWorldId, World, reading, with_world, writing};
use fluid_bodies::BodyState;
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::ledger::Reaction;
use fluid_core::constants::{MAX_BODY_SPEED, MAX_COORDINATE, MAX_SPIN};
use glam::DVec3;

/// A body. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonBodyId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonBodyId, "body");

/// Bit of VortonBodyDef.flags: the body's own weight (mass * VortonWorldDef.gravity) is part of the impulses,
/// too. For hosts without gravity of their own; with an engine's it would count twice.
pub const VORTON_BODY_WEIGHT: u32 = 1;
/// Bit of VortonBodyDef.flags: no lift by the weight of the fluid that the body displaces. Not together with
/// VORTON_BODY_WEIGHT.
pub const VORTON_BODY_NO_BUOYANT_FORCE: u32 = 2;
/// Bit of VortonBodyDef.flags: the kinetic energy that body and fluid lose by friction
/// (VortonBodyImpulse.lost_energy) warms the body.
pub const VORTON_BODY_FRICTION_WARMS: u32 = 4;
/// Bit of VortonBodyDef.flags: no fluid goes through the body's surface, whether or not vortons touch it, and
/// the body moves the fluid around it: fluid makes way for it and closes behind it, and its added mass holds
/// it back, so that light bodies rise and fall as they do in water. Impulses contain it; hosts do nothing for
/// it. Where vortons touch the body, fluid sticks to it: it is braked, sheds a wake and turns fluid with it;
/// where there are none, fluid slides along. Each shape that the body is given takes 2 to 220 ms then,
/// unless another body of the world has the same shapes, and each step up to 2,048 more sources: switch it on
/// for the bodies that are large against the core radius. Without effect on bodies with holes, on
/// half-spaces, and on bodies of more than 30 shapes or so. A body that moves by more than half of its size,
/// or turns by more than a third of a radian, in a step feels less of the flow of others.
pub const VORTON_BODY_NO_THROUGH: u32 = 8;

/// How a body moves, as the physics engine says: vectors in the world's axes. No struct_size, so that it may
/// lie in structs of yours.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonBodyState {
    /// Where its centre of mass is [m].
    pub position: VortonVec3,
    /// How its axes are turned.
    pub rotation: VortonQuat,
    /// Velocity of the centre of mass [m/s], at most VORTON_MAX_BODY_SPEED.
    pub velocity: VortonVec3,
    /// Angular velocity [rad/s], at most VORTON_MAX_SPIN.
    pub angular_velocity: VortonVec3,
}

/// What the fluid has given to a body since this was last taken: add it to the engine's body before the
/// engine's step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonBodyImpulse {
    /// Impulse [N s], lift included, to be applied at the centre of mass: velocity += linear / mass.
    pub linear: VortonVec3,
    /// Angular impulse [N m s] about the centre of mass, in the world's axes, that of lift included.
    pub angular: VortonVec3,
    /// Heat [J] that has gone into the body; negative: out of it.
    pub heat: f32,
    /// Kinetic energy [J] that body and fluid have lost by friction and impact.
    pub lost_energy: f32,
    /// The body's temperature now [K].
    pub temperature: f32,
    /// Vortons that were at its surface, counted in each step, and particles of yours that met it
    /// (VORTON_OP_BODIES).
    pub hits: u32,
    /// The part of `linear` that gravity has given [N s]: lift, with VORTON_BODY_WEIGHT the body's weight,
    /// and the weight of what fills its hole. It acts in every step, also on a body that floats at rest,
    /// where the engine's gravity balances it: it is no reason to wake a body. The rest, linear -
    /// lift_linear, is what has pushed the body: vortons, fluid that is set moving, particles. Fluid at rest
    /// pushes a body at rest by 0. (One with VORTON_BODY_NO_THROUGH that a floor or a joint holds is pushed
    /// in its first frame, and one with a hole less and less in its first twenty: until the library has seen
    /// that something holds it, the fluid around or in it counts as falling along.)
    pub lift_linear: VortonVec3,
    /// The part of `angular` that gravity has given [N m s].
    pub lift_angular: VortonVec3,
}

impl VortonBodyState {
    fn checked(&self) -> Outcome<BodyState> {
        Ok(BodyState {
            position: at_most(self.position.checked("position")?, MAX_COORDINATE, "position", "m")?,
            rotation: self.rotation.checked("rotation")?,
            velocity: at_most(self.velocity.checked("velocity")?, MAX_BODY_SPEED, "velocity", "m/s")?,
            angular_velocity: at_most(
                self.angular_velocity.checked("angular_velocity")?,
                MAX_SPIN,
                "angular_velocity",
                "rad/s",
            )?,
        })
    }

    fn of(state: &BodyState) -> Self {
        let [x, y, z, w] = state.rotation.to_array();
        Self {
            position: state.position.into(),
            rotation: VortonQuat { x, y, z, w },
            velocity: state.velocity.into(),
            angular_velocity: state.angular_velocity.into(),
        }
    }
}

impl VortonBodyImpulse {
    fn of(reaction: &Reaction, temperature: f64) -> Self {
        let vector = |v: DVec3| VortonVec3::from(v.map(saturated64).as_vec3());
        Self {
            linear: vector(reaction.linear),
            angular: vector(reaction.angular),
            heat: saturated(reaction.heat),
            lost_energy: saturated(reaction.lost_energy),
            temperature: saturated(temperature),
            hits: reaction.hits,
            lift_linear: vector(reaction.lift_linear),
            lift_angular: vector(reaction.lift_angular),
        }
    }
}

/// Which body is meant, by its number in the world's list.
pub(crate) fn index_of(world: &World, state: &State, body: VortonBodyId) -> Outcome<usize> {
    state.bodies.index_of(&world.body_ids(), body.key(world.serial)?)
}

/// Runs `body` on one body of a world that is not used otherwise meanwhile.
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
    let pending = world.reactions().take(state.bodies.key(index));
    let body = state.bodies.bodies.body_mut(index);
    body.push(&pending);
    VortonBodyImpulse::of(&body.take_reaction(), body.temperature())
}

/// Looks up all ids, into `state.bodies.indices`.
fn find_all(world: &World, state: &mut State, ids: &[VortonBodyId]) -> Outcome {
    let alive = world.body_ids();
    let bodies = &mut state.bodies;
    let mut indices = std::mem::take(&mut bodies.indices);
    indices.clear();
    let found = ids.iter().enumerate().try_for_each(|(n, id)| {
        let index = id.key(world.serial).and_then(|key| bodies.index_of(&alive, key));
        indices.push(index.map_err(|error| of_element("ids", n, error))?);
        Ok(())
    });
    bodies.indices = indices;
    found
}

/// Says which element of an array was meant.
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

/// Creates a body without shapes, which touches nothing; give it some with vorton_shape_create, in
/// coordinates whose origin is its centre of mass.
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
            let key = state.bodies.add(&mut world.body_ids(), def)?;
            world.user_data().bodies.set(key, given.user_data);
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
        world.reactions().take(state.bodies.key(index));
        state.bodies.remove(&mut world.body_ids(), index);
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

/// The number of a body, 1 to VORTON_MAX_OBJECTS, that VORTON_HIT streams hold: stays the same for as long as
/// the body lives, and may belong to another one afterwards. Small: fit for an array of yours.
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

/// Says how a body moves: where it is at the world's present time, and with which velocities the engine lets
/// it move on. The next step clears the body's whole way, from where it was at the end of the last step to
/// where it is then.
///
/// Impulses that have not been taken yet move the body inside of the library, from the step that gave them
/// on: the library adds the change of velocity that they make to the state that is set, and a body whose
/// state is not set goes on as it went, pushed by them. So any number of fluid steps may be taken in one
/// engine step, with the impulses taken and the states set once, in either order: nothing counts twice, if
/// each impulse that is taken has been applied to the engine's body before the next state is set. Impulses
/// that are not taken within .25 s of steps are left out of states that are set from then on; so are all if
/// none was ever taken.
///
/// What the engine does by itself (weight, floors, joints) is measured from one state to the next, and taken
/// to go on during a step.
///
/// Coordinates are at most 1e9 m, velocities 1e6 m/s and angular velocities 1e6 rad/s, along each axis;
/// others are refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_set_state(
    world: VortonWorldId,
    body: VortonBodyId,
    state: *const VortonBodyState,
) -> VortonResult {
    with_body(world, body, |_, own, index| {
        // SAFETY: the caller passes null or one readable state.
        let next = unsafe { slice(state, 1, "state") }?[0].checked()?;
        Ok(own.bodies.bodies.set_state(index, next)?)
    })
}

/// Sets a body down somewhere else (teleports it): as vorton_body_set_state, but without a way from where it
/// was. The next step pushes out what is inside of it there; or remove that before, with
/// vorton_world_remove_embedded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_place(
    world: VortonWorldId,
    body: VortonBodyId,
    state: *const VortonBodyState,
) -> VortonResult {
    with_body(world, body, |_, own, index| {
        // SAFETY: the caller passes null or one readable state.
        let next = unsafe { slice(state, 1, "state") }?[0].checked()?;
        Ok(own.bodies.bodies.place(index, next)?)
    })
}

/// Reads how a body moves: as last set, advanced by the steps since, and pushed by all impulses, taken or
/// not.
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

/// Numbers of an added inertia.
pub(crate) const ADDED_INERTIA: usize = 21;

/// What a host gets of it; an error if there is none.
pub(crate) fn added_inertia_values(body: Option<AddedInertia>) -> Outcome<[f32; ADDED_INERTIA]> {
    let none = "holes, half-spaces, meshes and height fields have no added inertia: what is around a hole is not known, and nothing moves the others";
    Ok(body.ok_or_else(|| Error::bad_value(none))?.upper_triangle().map(saturated))
}

/// Reads the added inertia of a body, of all its shapes together: see vorton_shape_added_inertia, also for
/// the order of the numbers. Where shapes overlap, nothing counts twice. All 0 if it has no shapes; refused
/// if it has holes, half-spaces, meshes or height fields. The first call after the body's shapes have changed
/// takes up to 0.7 s and allocates, during which steps of this world on other threads answer VORTON_ERR_BUSY:
/// call it while loading. Later calls only read.
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
            added_inertia_values(state.bodies.bodies.added_inertia(index_of(world, state, body)?))
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
    with_body(world, body, |_, state, index| {
        let temperature = kelvins(temperature)?;
        Ok(state.bodies.bodies.body_mut(index).set_temperature(temperature)?)
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
    with_body(world, body, |_, state, index| {
        let mut told = [0.0; 9];
        if !inertia.is_null() {
            // SAFETY: the caller passes null or 9 readable floats.
            told.copy_from_slice(unsafe { slice(inertia, 9, "inertia") }?);
        }
        let inertia = inertia_of(&told)?;
        Ok(state.bodies.bodies.body_mut(index).set_inertia(inertia)?)
    })
}

/// Changes a body's mass [kg]; 0: impulses do not move it (see VortonBodyDef.mass). An inertia tensor that
/// has been told stays.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_mass(world: VortonWorldId, body: VortonBodyId, mass: f32) -> VortonResult {
    with_body(world, body, |_, state, index| {
        let mass = or_infinity(mass, "mass")?;
        Ok(state.bodies.bodies.body_mut(index).set_mass(mass)?)
    })
}

/// Takes what the fluid has given to a body since this was last taken; it adds up over steps until then. See
/// vorton_body_set_state for how that goes together with states.
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
            Ok(take(world, state, index))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}

/// vorton_body_set_state for many bodies, all or none: the states may lie in structs of yours. Of an id that
/// stands twice, the last state counts. Does not allocate in steady state.
///
/// @param ids    count of them
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
            find_all(world, state, ids)?;
            let table = &mut state.bodies;
            table.states.clear();
            for n in 0..count {
                // SAFETY: checked above; the caller promises `count` readable states at this stride.
                let next = unsafe { states.byte_add(n * stride).read() };
                let next = next.checked().map_err(|error| of_element("states", n, error))?;
                let checked = table.bodies.check_state(table.indices[n], &next);
                checked.map_err(|error| of_element("states", n, error.into()))?;
                table.states.push(next);
            }
            for (&index, &next) in table.indices.iter().zip(&table.states) {
                table.bodies.set_state(index, next)?;
            }
            Ok(())
        })
    })
}

/// vorton_body_take_impulse for many bodies, all or none. An id that stands twice gets everything at its
/// first place and nothing at the others. Does not allocate in steady state.
///
/// @param ids    count of them
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
            find_all(world, state, ids)?;
            for n in 0..count {
                let value = take(world, state, state.bodies.indices[n]);
                // SAFETY: checked above; the caller promises room for `count` impulses at this stride.
                unsafe { out.byte_add(n * stride).write(value) };
            }
            Ok(())
        })
    })
}

/// Removes all vortons and tracers that are inside of bodies: after creating bodies in fluid that is there
/// already, say, or after vorton_body_place. Bodies are where the last step left them, or where they were
/// created or placed since (a state set for the next step does not count yet). What the vortons turned there,
/// their body holds from now on. Steps need no help: they keep particles outside. Allocates.
///
/// @param margin      distance [m] from the surfaces within which particles go, too, at least 0
/// @param out_vortons NULL, or receives how many vortons went
/// @param out_tracers NULL, or receives how many tracers went, of all sets
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
        let (vortons, tracers) = writing(world, |_, state| Ok(remove_embedded(state, margin)))?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe {
            write_optional(out_vortons, vortons, "out_vortons")?;
            write_optional(out_tracers, tracers, "out_tracers")
        }
    })
}

fn remove_embedded(state: &mut State, margin: f32) -> (usize, usize) {
    let bodies = &mut state.bodies.bodies;
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
