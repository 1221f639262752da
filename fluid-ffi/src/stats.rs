//! Statistics: counts, times, conserved quantities.

use crate::allocator::write_counts;
use crate::guard;
use crate::memory::{struct_size, write_sized};
use crate::state::stats::stats_of;
use crate::state::{lookup, reading, with_world};
use crate::status::*;
use crate::types::allocator::VortonMemory;
use crate::types::stats::{VORTON_INVARIANTS_PAIRS, VortonInvariants, VortonStats};
use crate::types::world::VortonWorldId;
use glam::DVec3;

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonStats)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_stats_init(out: *mut VortonStats, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonStats::default(), "out") })
}

/// Fills a struct with zeros and its size.
///
/// @param struct_size sizeof(VortonInvariants)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_invariants_init(
    out: *mut VortonInvariants,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonInvariants::default(), "out") })
}

/// Reads counters and stage times. While another thread steps or changes the world, they are those of the
/// last completed step; before the first step this returns VORTON_ERR_BUSY in that case.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_stats(world: VortonWorldId, inout: *mut VortonStats) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        let size = unsafe { struct_size(inout, "inout") }?;
        let value = with_world(world, |world| match world.read() {
            Ok(state) => Ok(stats_of(world, &state)),
            Err(error) if error.code == VORTON_ERR_BUSY => world.stats_of_step().ok_or(error),
            Err(error) => Err(error),
        })?;
        // SAFETY: as above.
        unsafe { write_sized(inout, size, value, "inout") }
    })
}

/// Reports how much memory one world has allocated, with everything in it. May be called during a step. Not
/// included are blocks that hold memory ready until a call ends (see VortonAllocateFn), and some KB of each
/// thread of a pool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_memory(world: VortonWorldId, out: *mut VortonMemory) -> VortonResult {
    // SAFETY: as the caller promises.
    guard::run(|| unsafe { write_counts(out, || Ok(lookup(world)?.memory.counts())) })
}

/// Computes the invariants of the present vortons and of the strength bound to bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_invariants(
    world: VortonWorldId,
    inout: *mut VortonInvariants,
) -> VortonResult {
    guard::run(|| {
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        let size = unsafe { struct_size(inout, "inout") }?;
        // SAFETY: not null, aligned, and large enough for `flags` (struct_size has been checked).
        let flags = unsafe { (&raw const (*inout).flags).read() };
        if flags & !VORTON_INVARIANTS_PAIRS != 0 {
            return Err(Error::bad_value(format_args!("flags is {flags:#x}, which has unknown bits")));
        }
        let value = reading(world, |world, state| {
            let moments = state.sim.moments(&*world.exec);
            let pairs = match flags & VORTON_INVARIANTS_PAIRS {
                0 => Default::default(),
                _ => state.sim.pair_sums(&*world.exec),
            };
            let bodies = state.bodies.bodies.list().iter();
            let (bound_strength, bound_impulse) = bodies.fold((DVec3::ZERO, DVec3::ZERO), |sum, body| {
                let bound = body.bound();
                (sum.0 + bound.strength, sum.1 + bound.impulse + body.fluid_momentum())
            });
            Ok(VortonInvariants {
                struct_size: 0,
                flags,
                total_strength: DVec3::to_array(&moments.total_strength),
                linear_impulse: moments.linear_impulse.to_array(),
                angular_impulse: moments.angular_impulse.to_array(),
                strength_magnitude: moments.strength_magnitude,
                max_strength: moments.max_strength,
                energy: pairs.energy,
                helicity: pairs.helicity,
                bound_strength: bound_strength.to_array(),
                bound_impulse: bound_impulse.to_array(),
                owed_impulse: state.sim.impulse_owed().to_array(),
            })
        })?;
        // SAFETY: as above.
        unsafe { write_sized(inout, size, value, "inout") }
    })
}
