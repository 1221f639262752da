//! Bodies that the engine has put to sleep.

use super::{index_of, with_body};
use crate::guard;
use crate::memory::{check_output, write};
use crate::recorder::Call;
use crate::state::reading;
use crate::status::*;
use crate::types::body::VortonBodyId;
use crate::types::world::VortonWorldId;

/// Puts a body to sleep or wakes it, following the engine. Bodies are created awake.
///
/// A sleeping body stays exactly in place, with velocities 0: the fluid does not move it and does not expect
/// it to recoil. It remains an obstacle and exchanges heat as before. It receives no lift, because its
/// support balances the lift; pushes accumulate for vorton_body_take_impulse as before. The engine puts
/// bodies to sleep by its own rules, and in each frame the host checks whether the fluid wakes one:
///
/// - vorton_bodies_take_impulses; the push of each body is linear - lift_linear;
/// - a sleeping body with a push above a threshold: wake the engine's body, call vorton_body_set_awake(true),
///   and apply the impulse;
/// - an awake body: apply the impulse; for the engine's sleep timer, only the push counts;
/// - the engine's own step; then vorton_body_set_awake(false) for each body that the engine has put to sleep.
///
/// A push too weak to wake the body, and not applied, is taken up by the body's support. Either way, the
/// impulses taken equal the momentum that the fluid has lost.
///
/// When a body falls asleep, lift that has not been taken is dropped, and pushes are kept. When it wakes, it
/// starts from rest, and pushes that have not been taken move it (see vorton_body_set_state). Setting a state
/// while it sleeps changes its pose, ignores the velocities, and does not wake it: states of sleeping bodies
/// may be set in each frame or omitted. Mass and inertia set meanwhile apply from when it wakes.
///
/// @param awake true: wakes; false: sleeps. No effect if the body is already in that state.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_awake(
    world: VortonWorldId,
    body: VortonBodyId,
    awake: bool,
) -> VortonResult {
    with_body(world, body, |world, state, index| {
        let sleeper = state.bodies.bodies.body_mut(index);
        if awake {
            sleeper.wake()
        } else {
            sleeper.fall_asleep()
        }
        let call = Call::BodySetAwake { body: body.recorded(), awake: u32::from(awake) };
        world.record(&mut state.recorder, &call);
        Ok(())
    })
}

/// Reads whether a body is awake.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_is_awake(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut bool,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let awake = reading(world, |world, state| {
            let index = index_of(world, state, body)?;
            Ok(!state.bodies.bodies.list()[index].is_asleep())
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, awake, "out") }
    })
}
