//! The definition of a set of tracers, read and changed.

use super::{age_or_never, checked_turbulence, tracers_key};
use crate::guard;
use crate::memory::write_sized;
use crate::recorder::Call;
use crate::state::user_data::answer;
use crate::state::{reading, writing};
use crate::status::*;
use crate::types::tracers::{VortonTracersDef, VortonTracersId};
use crate::types::world::VortonWorldId;

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
            data.log.reserve(1)?;
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

/// Reads the definition that would create this set of tracers as it is now, without the tracers.
///
/// @param struct_size sizeof(VortonTracersDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_tracers_def(
    world: VortonWorldId,
    tracers: VortonTracersId,
    out: *mut VortonTracersDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| {
            let key = tracers_key(state, tracers, world.serial)?;
            let user_data = world.user_data().tracers.get(key);
            Ok(VortonTracersDef { user_data, ..VortonTracersDef::of(state, key) })
        })?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Changes the age [s] at which the tracers of a set are removed, from the next step on; 0: never.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_set_max_age(
    world: VortonWorldId,
    tracers: VortonTracersId,
    max_age: f32,
) -> VortonResult {
    guard::run(|| {
        let given = max_age;
        let max_age = age_or_never(max_age)?;
        writing(world, |world, state| {
            let key = tracers_key(state, tracers, world.serial)?;
            state.tracer_sets.iter_mut().filter(|set| set.key == key).for_each(|set| set.max_age = max_age);
            let call = Call::TracersSetMaxAge { set: tracers.recorded(), max_age: given };
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}

/// Changes VortonTracersDef.turbulence from the next step on: the intensity with which eddies smaller than
/// core_radius move the tracers of a set, at least 0; 0: none.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_tracers_set_turbulence(
    world: VortonWorldId,
    tracers: VortonTracersId,
    turbulence: f32,
) -> VortonResult {
    guard::run(|| {
        let turbulence = checked_turbulence(turbulence)?;
        writing(world, |world, state| {
            let key = tracers_key(state, tracers, world.serial)?;
            state.tracers.get_mut(key).into_iter().for_each(|set| set.turbulence = turbulence);
            let call = Call::TracersSetTurbulence { set: tracers.recorded(), turbulence };
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}
