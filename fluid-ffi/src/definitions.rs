//! Reading the present definitions of objects, and the remaining setters of worlds, emitters and sets of
//! tracers.

use crate::body::index_of as index_of_body;
use crate::emitter::{emitter_key, index_of as index_of_emitter};
use crate::guard;
use crate::memory::{read_def, write_sized};
use crate::recorder::Call;
use crate::settings::{body_settings, params};
use crate::state::{State, World, reading, writing};
use crate::status::*;
use crate::tracers::{age_or_never, checked_turbulence, tracers_key};
use crate::types::body::VortonBodyDef;
use crate::types::body::VortonBodyId;
use crate::types::emitter::{VortonEmitterDef, VortonEmitterId};
use crate::types::tracers::{VortonTracersDef, VortonTracersId};
use crate::types::world::VortonWorldId;
use crate::types::world_def::VortonWorldDef;

/// Returns the definition of a world, including changes since its creation.
fn world_def(world: &World, state: &State) -> VortonWorldDef {
    world.present_def(state)
}

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
fn redefine(
    world: VortonWorldId,
    call: Call<'_>,
    change: impl FnOnce(&mut VortonWorldDef),
    apply: impl FnOnce(&mut State, &VortonWorldDef) -> Outcome,
) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let mut def = world_def(world, state);
            change(&mut def);
            apply(state, &def)?;
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
}

/// Applies the body settings of a definition.
fn apply_body_settings(state: &mut State, def: &VortonWorldDef) -> Outcome {
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
        let def = reading(world, |world, state| Ok(world_def(world, state)))?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Reads the definition that would create this body as it is now, without its shapes: its state (as
/// vorton_body_read), its present temperature, and the other fields as last set. A mass or a heat capacity of
/// 0 stays 0; an inertia that has not been set is all 0. Does not contain whether the body sleeps.
///
/// @param struct_size sizeof(VortonBodyDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_def(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonBodyDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| {
            let index = index_of_body(world, state, body)?;
            let user_data = world.user_data().bodies.get(state.bodies.key(index));
            let def = VortonBodyDef::of(&state.bodies.bodies.list()[index].definition());
            Ok(VortonBodyDef { user_data, ..def })
        })?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Reads the definition that would create this emitter as it is now.
///
/// @param struct_size sizeof(VortonEmitterDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_def(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    out: *mut VortonEmitterDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| {
            let user_data = world.user_data().emitters.get(emitter_key(state, emitter, world.serial)?);
            let index = index_of_emitter(state, emitter, world.serial)?;
            let def = &state.sim.emitters()[index].def;
            let def = VortonEmitterDef::of(def, &state.tracer_sources[index], world.serial);
            Ok(VortonEmitterDef { user_data, ..def })
        })?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Replaces the whole definition of an emitter. Emission continues: vortons that are due stay due, and the
/// sequence of random numbers continues.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_emitter_update(
    world: VortonWorldId,
    emitter: VortonEmitterId,
    def: *const VortonEmitterDef,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let given = unsafe { read_def(def, VortonEmitterDef::default(), "def") }?;
        let def = given.checked()?;
        def.validate()?;
        writing(world, |world, state| {
            let key = emitter_key(state, emitter, world.serial)?;
            let index = index_of_emitter(state, emitter, world.serial)?;
            state.tracer_sources[index] = given.source(state, world.serial)?;
            state.sim.emitters_mut()[index].def = def;
            world.user_data().emitters.set(key, given.user_data);
            let call = Call::EmitterUpdate { emitter: emitter.recorded(), def: given.without_world() };
            world.record(&mut state.recorder, &call);
            Ok(())
        })
    })
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

/// Changes VortonWorldDef.no_slip_rate [1/s] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_no_slip_rate(world: VortonWorldId, rate: f32) -> VortonResult {
    redefine(world, Call::SetNoSlipRate { rate }, |def| def.no_slip_rate = rate, apply_body_settings)
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

/// Changes VortonWorldDef.specific_heat [J/(kg K)] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_specific_heat(world: VortonWorldId, specific_heat: f32) -> VortonResult {
    redefine(
        world,
        Call::SetSpecificHeat { specific_heat },
        |def| def.specific_heat = specific_heat,
        apply_body_settings,
    )
}
