//! Worlds: creation, lifetime and the step.

use crate::frame::Frame;
use crate::guard::{self};
use crate::handle::stale;
use crate::memory::{check_optional_output, check_output, read_def, write, write_optional};
use crate::recorder::Call;
use crate::state::{WORLDS, World, lookup, with_world, world_key, writing};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::budget::VortonBudget;
use crate::types::world::{VORTON_MAX_OBJECTS, VortonWorldId};
use crate::types::world_def::VortonWorldDef;
use fluid_core::advance::{Advance, StepLimits};
use fluid_core::params::Params;

pub mod definition;

const _: () = assert!(VORTON_MAX_OBJECTS <= u16::MAX as u32);

/// Returns the result code of a step.
fn followed(advance: &Advance) -> VortonResult {
    if advance.followed { VORTON_OK } else { VORTON_NOTE_TOO_COARSE }
}
use crate::memory::*;

/// Creates a world. Allocates all memory that its steps need, except that of mesh nodes
/// (VortonWorldDef.max_grid_nodes). There may be VORTON_MAX_WORLDS worlds at a time, each with
/// VORTON_MAX_OBJECTS objects of each kind; beyond that, creation returns VORTON_ERR_CAPACITY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_create(
    def: *const VortonWorldDef,
    out: *mut VortonWorldId,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonWorldDef::default(), "def") }?;
        let world = World::new(&def)?;
        let key = WORLDS.write().unwrap_or_else(|poison| poison.into_inner()).insert(world)?;
        let id = VortonWorldId { index1: key.index1, generation: u32::from(key.generation) };
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, id, "out") }
    })
}

/// Destroys a world and everything in it; all its ids become stale. When this returns, its memory is freed
/// and the threads of its pool have ended, unless another thread is inside a call on it: that call completes
/// normally and cleans up at its end.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_destroy(world: VortonWorldId) -> VortonResult {
    guard::run(|| {
        let mut worlds = WORLDS.write().unwrap_or_else(|poison| poison.into_inner());
        let removed = world_key(world).and_then(|key| worlds.remove(key));
        // The lock is released before the world is dropped: joining a pool's threads takes time.
        drop(worlds);
        removed.map(drop).ok_or_else(|| stale("world"))
    })
}

/// True if the id names a living world.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_is_valid(world: VortonWorldId) -> bool {
    lookup(world).is_ok()
}

/// Advances the world by dt seconds in one step and publishes the new field: emitters, vortons and bodies,
/// then every tracer set. Second order in time, or fourth if dt is long for the flow
/// (VortonWorldDef.fourth_order_above). Does not allocate in steady state: only a mesh that changes its size,
/// or is about to, allocates.
///
/// Keep VortonStats.stretch_number below about 1: for faster flows, take several smaller steps.
/// vorton_world_advance takes as many as needed. A negative dt runs time backwards (without relaxation,
/// diffusion, emission, and the flow's forces on bodies with VORTON_BODY_NO_THROUGH). 0 publishes the present
/// field, and moves nothing; steps that follow may differ slightly from those of a world without it, so hosts
/// in lockstep pause together.
///
/// @param dt finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @return VORTON_NOTE_TOO_COARSE if growth too fast for the step was limited (VortonStats.stretch_number);
///     VORTON_ERR_OUT_OF_MEMORY only with VortonWorldDef.check_memory
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_step(world: VortonWorldId, dt: f32) -> VortonResult {
    guard::call(|| {
        finite(&[dt], "dt")?;
        let one = Frame::Steps(StepLimits::ONE);
        let advance = writing(world, |world, state| world.advance(state, dt, one))?;
        Ok(followed(&advance))
    })
}

/// Advances the world by dt seconds in as many equal steps as its flow needs: each as vorton_world_step,
/// tracers and bodies included. The field is published once, after the last.
///
/// The number of steps follows from VortonStats.max_gradient of the last step. If vortons have been added
/// since, or no step has been taken yet, a step of dt 0 measures the flow first; it is not counted. Run
/// particle operations that follow each step *out_steps times, with a dt of dt / *out_steps.
///
/// @param dt          finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param max_stretch target for the largest VortonStats.stretch_number, positive: 0.3 is accurate at second
///     order, 1 at fourth order, which long steps use (VortonWorldDef.fourth_order_above)
/// @param max_steps   most steps, at least 1
/// @param out_steps   NULL, or receives the number of steps taken
/// @return VORTON_NOTE_TOO_COARSE if more than max_steps were needed, or growth too fast for a step was
///     limited; VORTON_ERR_OUT_OF_MEMORY only with VortonWorldDef.check_memory
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_advance(
    world: VortonWorldId,
    dt: f32,
    max_stretch: f32,
    max_steps: u32,
    out_steps: *mut u32,
) -> VortonResult {
    guard::call(|| {
        check_optional_output(out_steps, "out_steps")?;
        finite(&[dt, max_stretch], "dt or max_stretch")?;
        let limits = StepLimits { max_stretch, max_steps };
        let advance = writing(world, |world, state| world.advance(state, dt, Frame::Steps(limits)))?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out_steps, advance.steps, "out_steps") }?;
        Ok(followed(&advance))
    })
}

/// Advances the world by dt seconds in one step, as vorton_world_step does, at the best quality that is
/// expected to cost no more than the budget. VortonStats.quality and tracer_quality report the quality
/// chosen, expected_ms and expected_tracers_ms its expected cost. Quality is lowered before a step that would
/// exceed the limit; it is raised when the better quality would have cost less than 0.8 of the limit for 30
/// steps, or for more steps if it did not last before. Limits below the cost of the cheapest quality are
/// exceeded. vorton_world_step and vorton_world_advance always use full quality.
///
/// @param dt     finite, from -VORTON_MAX_STEP to VORTON_MAX_STEP
/// @param budget cost limits of the step
/// @return as vorton_world_step
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_step_within(
    world: VortonWorldId,
    dt: f32,
    budget: *const VortonBudget,
) -> VortonResult {
    guard::call(|| {
        finite(&[dt], "dt")?;
        // SAFETY: the caller passes null or a budget of struct_size bytes.
        let given = unsafe { read_def(budget, VortonBudget::default(), "budget") }?;
        let budget = crate::types::budget::budget(&given)?;
        let advance = writing(world, |world, state| world.advance(state, dt, Frame::Within(budget)))?;
        Ok(followed(&advance))
    })
}

/// Changes the uniform velocity [m/s] of all fluid outside of containers from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_wind(world: VortonWorldId, wind: VortonVec3) -> VortonResult {
    guard::run(|| {
        let wind = wind.checked("wind")?;
        writing(world, |world, state| {
            state.sim.set_wind(wind)?;
            world.record(&mut state.recorder, &Call::SetWind { wind: wind.into() });
            Ok(())
        })
    })
}

/// Changes gravity [m/s^2] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_gravity(world: VortonWorldId, gravity: VortonVec3) -> VortonResult {
    guard::run(|| {
        let gravity = gravity.checked("gravity")?;
        writing(world, |world, state| {
            let params = Params { gravity, ..*state.sim.params() };
            let _hold = world.hold_for_terms(state, &params, None)?;
            state.sim.set_gravity(gravity)?;
            world.record(&mut state.recorder, &Call::SetGravity { gravity: gravity.into() });
            Ok(())
        })
    })
}

/// Changes viscosity and the diffusivity of heat and dye [m^2/s], both at least 0, from the next step on.
/// Allocates when diffusion is switched on for the first time.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_diffusion(
    world: VortonWorldId,
    viscosity: f32,
    diffusivity: f32,
) -> VortonResult {
    guard::run(|| {
        finite(&[viscosity, diffusivity], "viscosity or diffusivity")?;
        writing(world, |world, state| {
            let params = Params { viscosity, diffusivity, ..*state.sim.params() };
            let _hold = world.hold_for_terms(state, &params, None)?;
            state.sim.set_diffusion(viscosity, diffusivity)?;
            world.record(&mut state.recorder, &Call::SetDiffusion { viscosity, diffusivity });
            Ok(())
        })
    })
}

/// Changes the relaxation rate [1/s] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_relaxation_rate(world: VortonWorldId, rate: f32) -> VortonResult {
    guard::run(|| {
        finite(&[rate], "rate")?;
        writing(world, |world, state| {
            state.sim.set_relaxation_rate(rate)?;
            world.record(&mut state.recorder, &Call::SetRelaxationRate { rate });
            Ok(())
        })
    })
}

/// Computes a hash of all vortons, bodies and the time, not of tracers and emitters. Equal fluids have equal
/// hashes on any number of threads: compare it between machines of a network game that run the same build.
///
/// While another thread steps or changes the world, the hash is that of the last completed step. Only the
/// first such call, and further calls until the running step has ended, return VORTON_ERR_BUSY: from then on
/// each step of the world computes its hash, which takes about 12 ns per vorton. Between steps a hash that
/// the last step has computed is reused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_hash(world: VortonWorldId, out: *mut u64) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let hash = with_world(world, World::hash)?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, hash, "out") }
    })
}

/// Fills a budget with the defaults.
///
/// @param struct_size sizeof(VortonBudget)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_budget_init(out: *mut VortonBudget, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonBudget::default(), "out") })
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonWorldDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_def_init(out: *mut VortonWorldDef, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonWorldDef::default(), "out") })
}
