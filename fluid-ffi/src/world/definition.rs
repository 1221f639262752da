//! The definition of a world, read and changed.

use crate::guard;
use crate::memory::write_sized;
use crate::recorder::Call;
use crate::settings::{body_settings, params};
use crate::state::user_data::answer;
use crate::state::{State, World, reading, with_world, writing};
use crate::status::*;
use crate::types::world::VortonWorldId;
use crate::types::world_def::VortonWorldDef;

impl World {
    /// Returns the definition of the world, including changes since its creation.
    pub(crate) fn present_def(&self, state: &State) -> VortonWorldDef {
        let (params, bodies) = (state.sim.params(), state.bodies.bodies.settings());
        VortonWorldDef {
            relaxation_rate: params.relaxation_rate,
            viscosity: params.viscosity,
            diffusivity: params.diffusivity,
            gravity: params.gravity.into(),
            wind: params.wind.into(),
            max_age: if params.max_age == f32::INFINITY { 0.0 } else { params.max_age },
            smagorinsky: params.smagorinsky,
            no_slip_rate: bodies.no_slip.rate,
            specific_heat: bodies.specific_heat,
            ignition_temperature: params.combustion.ignition_temperature,
            burn_time: params.combustion.burn_time,
            burn_expansion: params.combustion.expansion,
            expected_samples: params.expected_samples as u32,
            user_data: self.user_data().world,
            ..*self.def()
        }
    }
}

/// Changes a world to a modified definition, with the same checks as at creation; recorded as `call`.
pub(crate) fn redefine(
    world: VortonWorldId,
    call: Call<'_>,
    change: impl FnOnce(&mut VortonWorldDef),
    apply: impl FnOnce(&mut State, &VortonWorldDef) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let mut def = world.present_def(state);
            change(&mut def);
            // A definition that is not valid is refused below.
            let next = params(&def).unwrap_or(*state.sim.params());
            let _hold = world.hold_for_terms(state, &next, None)?;
            apply(state, &def)?;
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}

/// Applies the body settings of a definition.
pub(crate) fn apply_body_settings(state: &mut State, def: &VortonWorldDef) -> Outcome {
    let (settings, combustion) = (body_settings(def)?, params(def)?.combustion);
    state.bodies.bodies.set_settings(settings)?;
    Ok(state.sim.set_combustion(combustion)?)
}

/// Reads the definition that would create this world as it is now, without its contents: the definition
/// passed to vorton_world_create, with the changes by setters since.
///
/// @param struct_size sizeof(VortonWorldDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_def(
    world: VortonWorldId,
    out: *mut VortonWorldDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| Ok(world.present_def(state)))?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Changes VortonWorldDef.smagorinsky from the next step on. Allocates when diffusion is switched on for the
/// first time.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_smagorinsky(world: VortonWorldId, smagorinsky: f32) -> VortonResult {
    redefine(
        world,
        Call::SetSmagorinsky { smagorinsky },
        |def| def.smagorinsky = smagorinsky,
        |state, def| Ok(state.sim.set_smagorinsky(params(def)?.smagorinsky)?),
    )
}

/// Changes VortonWorldDef.max_age [s] from the next step on; 0: never.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_max_age(world: VortonWorldId, max_age: f32) -> VortonResult {
    redefine(
        world,
        Call::SetMaxAge { max_age },
        |def| def.max_age = max_age,
        |state, def| Ok(state.sim.set_max_age(params(def)?.max_age)?),
    )
}

/// Changes VortonWorldDef.expected_samples from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_expected_samples(world: VortonWorldId, samples: u32) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            state.sim.set_expected_samples(samples as usize);
            world.record(&mut state.recorder, &Call::SetExpectedSamples { samples });
            Ok(())
        })
    })
}

/// Changes VortonWorldDef.ignition_temperature [K] (0: nothing burns), burn_time [s] and burn_expansion from
/// the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_combustion(
    world: VortonWorldId,
    ignition_temperature: f32,
    burn_time: f32,
    burn_expansion: f32,
) -> VortonResult {
    redefine(
        world,
        Call::SetCombustion { ignition_temperature, burn_time, burn_expansion },
        |def| {
            (def.ignition_temperature, def.burn_time) = (ignition_temperature, burn_time);
            def.burn_expansion = burn_expansion;
        },
        apply_body_settings,
    )
}

/// Changes the user data of a world (VortonWorldDef.user_data), for instance an address or an index. The
/// library never interprets it. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_user_data(world: VortonWorldId, user_data: u64) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            world.check_alive()?;
            let mut data = world.user_data();
            data.log.reserve(1)?;
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
