//! User data: a host number stored with each world, body, shape, emitter and set of tracers, which the
//! library never interprets.

use crate::emitter::emitter_key;
use crate::guard;
use crate::handle::{Key, stale};
use crate::memory::{check_output, write};
use crate::recorder::Call;
use crate::state::body_table::BodyIds;
use crate::state::user_data::UserData;
use crate::state::{World, reading, with_world};
use crate::status::*;
use crate::tracers::tracers_key;
use crate::types::body::VortonBodyId;
use crate::types::emitter::VortonEmitterId;
use crate::types::shape::VortonShapeId;
use crate::types::tracers::VortonTracersId;
use crate::types::world::VortonWorldId;

fluid_core::saved::fields!(UserData { bodies, shapes, emitters, tracers } not { world, log });

fn body_key(world: &World, ids: &BodyIds, body: VortonBodyId) -> Outcome<Key> {
    world.check_alive()?;
    let key = body.key(world.serial)?;
    ids.bodies.get(key).map(|_| key).ok_or_else(|| stale(VortonBodyId::KIND))
}

fn shape_key(world: &World, ids: &BodyIds, shape: VortonShapeId) -> Outcome<Key> {
    world.check_alive()?;
    let key = shape.key(world.serial)?;
    ids.shapes.get(key).map(|_| key).ok_or_else(|| stale(VortonShapeId::KIND))
}

/// Writes the result of `find`.
///
/// # Safety
/// `out` is null or valid for writing.
unsafe fn answer(out: *mut u64, find: impl FnOnce() -> Outcome<u64>) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let value = find()?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}

/// Changes the user data of a world (VortonWorldDef.user_data), for instance an address or an index. The
/// library never interprets it. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_user_data(world: VortonWorldId, user_data: u64) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            world.check_alive()?;
            let mut data = world.user_data();
            data.world = user_data;
            data.log.push(Call::SetUserData { value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a world. Does not wait for a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_user_data(world: VortonWorldId, out: *mut u64) -> VortonResult {
    let find = |world: &World| world.check_alive().map(|()| world.user_data().world);
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, || with_world(world, find)) }
}

/// Changes the user data of a body (VortonBodyDef.user_data). Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_user_data(
    world: VortonWorldId,
    body: VortonBodyId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            // Locked meanwhile, so that the change is recorded before the body is destroyed.
            let ids = world.body_ids();
            let key = body_key(world, &ids, body)?;
            let mut data = world.user_data();
            data.bodies.set(key, user_data);
            data.log.push(Call::BodySetUserData { body: body.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a body. Does not wait for a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_user_data(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut u64,
) -> VortonResult {
    let find =
        |world: &World| body_key(world, &world.body_ids(), body).map(|key| world.user_data().bodies.get(key));
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, || with_world(world, find)) }
}

/// Changes the user data of a shape (VortonShapeDef.user_data). Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_set_user_data(
    world: VortonWorldId,
    shape: VortonShapeId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            // Locked meanwhile, so that the change is recorded before the shape is destroyed.
            let ids = world.body_ids();
            let key = shape_key(world, &ids, shape)?;
            let mut data = world.user_data();
            data.shapes.set(key, user_data);
            data.log.push(Call::ShapeSetUserData { shape: shape.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a shape. Does not wait for a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_user_data(
    world: VortonWorldId,
    shape: VortonShapeId,
    out: *mut u64,
) -> VortonResult {
    let find = |world: &World| {
        shape_key(world, &world.body_ids(), shape).map(|key| world.user_data().shapes.get(key))
    };
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, || with_world(world, find)) }
}

/// Changes the user data of an emitter (VortonEmitterDef.user_data).
#[unsafe(no_mangle)]
pub extern "C" fn vorton_emitter_set_user_data(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        reading(world, |world, state| {
            let key = emitter_key(state, emitter, world.serial)?;
            let mut data = world.user_data();
            data.emitters.set(key, user_data);
            data.log.push(Call::EmitterSetUserData { emitter: emitter.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of an emitter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_user_data(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    out: *mut u64,
) -> VortonResult {
    let find = || {
        reading(world, |world, state| {
            emitter_key(state, emitter, world.serial).map(|key| world.user_data().emitters.get(key))
        })
    };
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, find) }
}

/// Changes the user data of a set of tracers (VortonTracersDef.user_data).
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_set_user_data(
    world: VortonWorldId,
    tracers: VortonTracersId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        reading(world, |world, state| {
            let key = tracers_key(state, tracers, world.serial)?;
            let mut data = world.user_data();
            data.tracers.set(key, user_data);
            data.log.push(Call::TracersSetUserData { set: tracers.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a set of tracers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_user_data(
    world: VortonWorldId,
    tracers: VortonTracersId,
    out: *mut u64,
) -> VortonResult {
    let find = || {
        reading(world, |world, state| {
            tracers_key(state, tracers, world.serial).map(|key| world.user_data().tracers.get(key))
        })
    };
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, find) }
}
