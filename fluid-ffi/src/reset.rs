//! Resetting worlds.

use crate::guard;
use crate::recorder::Call;
use crate::state::warned::Warned;
use crate::state::{Need, State, World, writing};
use crate::status::*;
use crate::types::world::VortonWorldId;
use fluid_particles::ops::EmitState;

/// Upper bound \[bytes\] on the memory of an empty fluid.
const BYTES_OF_RESET: usize = 2 << 20;

impl World {
    /// Resets the world to its present definition; keeps its operations.
    fn reset(&self, state: &mut State) -> Outcome {
        let ops = self.ops()?;
        for (_, op) in ops.iter().filter(|(_, op)| op.emits()) {
            drop(op.lock_state()?);
        }
        for (_, op) in ops.iter().filter(|(_, op)| op.emits()) {
            // An emission that has begun to run meanwhile keeps its state.
            if let Ok(mut carried) = op.lock_state() {
                *carried = EmitState::default();
            }
        }
        drop(ops);
        state.sim.reset();
        state.bodies.reset(&mut self.body_ids(), state.sim.params());
        self.pending_impulses_in_order(&mut state.recorder).clear();
        state.emitters.clear();
        state.next_emitter = 0;
        state.emitter_ids.clear();
        state.tracer_sources.clear();
        state.tracers.clear();
        state.tracer_sets.clear();
        self.published_tracers.keep(&state.tracer_sets);
        self.note_living(state);
        state.warned = Warned::default();
        state.step_ms = 0.0;
        self.publish(state);
        self.note_stats(state);
        self.record(&mut state.recorder, &Call::Reset {});
        Ok(())
    }
}

/// Empties a world, for instance to restart a level: vortons, bodies with their shapes, emitters and sets of
/// tracers are destroyed, their ids become stale, and time, statistics and ids of vortons start at 0. Changes
/// by setters are kept: the world continues with the same bits as a world created with the definition that
/// vorton_world_def reads now. Its vorton_world_hash is that of such a world; vorton_world_hash_all is not,
/// because new ids follow the stale ones. User data, operations and kill volumes are kept; the state that
/// emissions carry from run to run is cleared.
///
/// Keeps the memory of the world, so it is faster than destroying and creating one, and allocates next to
/// nothing. The costly preparation of shapes (see VORTON_BODY_NO_THROUGH) is kept for the last few kinds. A
/// snapshot that was saved before may still be restored.
///
/// @return VORTON_ERR_BUSY while an emission runs, or another thread steps or reads the world
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_reset(world: VortonWorldId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            // An emptied world has no more memory than before, so its limit does not count.
            let need = Need::objects("the reset").and(BYTES_OF_RESET + world.memory_to_publish(state));
            let _hold = world.hold_beyond_limit(state, need)?;
            world.reset(state)
        })
    })
}
