//! Another origin for the coordinates of a world, as games with a floating origin have it.

use crate::guard;
use crate::status::*;
use crate::types::VortonVec3;
use crate::world::{State, VortonWorldId, World, writing};
use glam::Vec3;

impl World {
    /// The place `origin` becomes the origin of all that the world holds, and of what it has published.
    fn shift_origin(&self, state: &mut State, origin: Vec3) -> Outcome {
        state.bodies.bodies.shift_origin(origin)?;
        if origin == Vec3::ZERO {
            return Ok(());
        }
        state.sim.shift_origin(origin);
        let State { tracers, tracer_sets, .. } = &mut *state;
        for set in &*tracer_sets {
            tracers.get_mut(set.key).into_iter().for_each(|tracers| tracers.shift_origin(origin));
        }
        self.exec.enter(&mut || self.publish_tracers(tracers, tracer_sets));
        self.publish(state);
        Ok(())
    }
}

/// Shifts the origin of a world's coordinates, for large worlds: the place `origin` [m] becomes (0, 0, 0),
/// and every position p becomes p - origin, as in PhysX's shiftOrigin. Positions are floats: 4 km from the
/// origin they are multiples of 0.25 to 0.5 mm, and a slow flow stands still there. A game that moves its
/// origin to the player now and then calls this with the same vector.
///
/// All that the world holds comes along: vortons, tracers, bodies with their shapes and contacts, emitters,
/// kill volumes, layers of the ambient, the published field, and what vorton_world_draw draws. vorton_sample
/// has at p - origin what it had at p, without a step. Velocities, strengths, impulses of bodies and ids stay
/// what they are; VortonInvariants are about the new origin. The fluid goes on as it would have, up to the
/// rounding of positions, whatever the vector is: lattices come along, too. A shift by 0 changes nothing.
///
/// What belongs to the host does not come along: particles of operations, positions that an emission
/// (VORTON_OP_EMIT) writes, rows that were acquired before (vorton_tracers_acquire), and places that are told
/// from now on, such as states of bodies. A snapshot has the origin of its world: restoring it goes back to
/// that. vorton_world_def reads the layers of the ambient where they were when the world was created, and
/// vorton_world_reset puts them, and kill volumes, back there.
///
/// Between steps; takes some 3 % of a step, and does not allocate in steady state.
///
/// @param origin old coordinates of the new origin [m], from -1e9 to 1e9
/// @return VORTON_ERR_BAD_VALUE if it, or a body afterwards, is farther away; VORTON_ERR_BUSY while another
///     thread uses the world. Nothing changes then
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_shift_origin(world: VortonWorldId, origin: VortonVec3) -> VortonResult {
    guard::run(|| {
        let origin = origin.checked("origin")?;
        writing(world, |world, state| world.shift_origin(state, origin))
    })
}
