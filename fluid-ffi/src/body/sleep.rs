//! Bodies that their engine has put to sleep.

use super::{VortonBodyId, index_of, with_body};
use crate::guard;
use crate::memory::{check_output, write};
use crate::status::*;
use crate::world::{VortonWorldId, reading};

/// Puts a body to sleep or wakes it, as its engine has done. Bodies are created awake.
///
/// While it sleeps, a body stays exactly where it is, with velocities 0: nothing in the fluid moves it, and
/// the fluid does not count on its giving way. It is in the way as before, and exchanges heat as before. It
/// gets no lift, because something balances that; what pushes it adds up for vorton_body_take_impulse as
/// before. So an engine puts bodies to sleep by its own rules, and in each frame the host looks whether the
/// fluid wakes one:
///
/// - vorton_bodies_take_impulses; the push of each body is linear - lift_linear;
/// - a body that sleeps and has been pushed by more than a threshold: wake the engine's body, call
///   vorton_body_set_awake(true), and apply the impulse;
/// - a body that is awake: apply the impulse; for the engine's sleep timer, only the push counts;
/// - the engine's own step; then vorton_body_set_awake(false) for each body that the engine has put to sleep.
///
/// A push that is too weak to wake a body, and is not applied, goes to what holds the body in place. Either
/// way, the impulses that were handed out are what the fluid has lost.
///
/// When a body falls asleep, lift that has not been taken is dropped, and pushes are kept. When it wakes, it
/// starts from rest, and pushes that have not been taken move it (see vorton_body_set_state). A state that
/// is set while it sleeps moves it, but its velocities are ignored, and it sleeps on: states of sleeping
/// bodies may be set in each frame, or left out. Mass and inertia count from when it wakes.
///
/// @param awake true: wakes; false: sleeps. Without effect on a body that does so already.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_awake(
    world: VortonWorldId,
    body: VortonBodyId,
    awake: bool,
) -> VortonResult {
    with_body(world, body, |_, state, index| {
        let body = state.bodies.bodies.body_mut(index);
        if awake {
            body.wake()
        } else {
            body.fall_asleep()
        }
        Ok(())
    })
}

/// Tells whether a body is awake.
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
