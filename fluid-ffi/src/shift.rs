//! Shifting the origin of a world's coordinates, for games with a floating origin.

use crate::guard;
use crate::recorder::Call;
use crate::state::{State, World, writing};
use crate::status::*;
use crate::types::VortonVec3;
use crate::types::world::VortonWorldId;
use fluid_threads::Executor;
use glam::Vec3;

impl World {
    /// Makes the point `origin` the origin of the world's contents and of its published field.
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

/// Shifts the origin of a world's coordinates, for large worlds: the point `origin` [m] becomes (0, 0, 0),
/// and every position p becomes p - origin, as in PhysX's shiftOrigin. Positions are floats: 4 km from the
/// origin they are multiples of 0.25 to 0.5 mm, too coarse for a slow flow to move. A game that moves its
/// origin to the player from time to time calls this with the same vector.
///
/// All contents of the world are shifted: vortons, tracers, bodies with their shapes and contacts, emitters,
/// kill volumes, layers of the ambient, the published field, and the output of vorton_world_draw.
/// vorton_world_sample returns at p - origin the values it had at p, without a step. Velocities, strengths,
/// impulses of bodies and ids do not change; VortonInvariants are about the new origin. The flow continues
/// unchanged, up to the rounding of positions, for any vector: lattices are shifted, too. A shift by 0
/// changes nothing.
///
/// Data of the host is not shifted: particles of operations, positions that an emission (VORTON_OP_EMIT)
/// writes, rows acquired before (vorton_tracers_acquire), and positions passed from now on, such as states of
/// bodies. A snapshot contains the origin of its world, and restoring returns to it. vorton_world_def reads
/// the layers of the ambient in the coordinates of the world's creation, and vorton_world_reset moves them,
/// and kill volumes, back to these.
///
/// Call it between steps; takes about 3 % of a step, and does not allocate in steady state.
///
/// @param origin old coordinates of the new origin [m], from -1e9 to 1e9
/// @return VORTON_ERR_BAD_VALUE if it, or a body afterwards, is farther away; VORTON_ERR_BUSY while another
///     thread uses the world. The world is then unchanged
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_shift_origin(world: VortonWorldId, origin: VortonVec3) -> VortonResult {
    guard::run(|| {
        let origin = origin.checked("origin")?;
        writing(world, |world, state| {
            let _hold = world.hold_to_publish(state)?;
            world.shift_origin(state, origin)?;
            world.record(&mut state.recorder, &Call::ShiftOrigin { origin: origin.into() });
            Ok(())
        })
    })
}
