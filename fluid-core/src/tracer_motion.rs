//! Tracers follow the flow.

use crate::constants::TRACER_CHUNK;
use crate::particles::Tracers;
use crate::velocity::VelocityField;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Moves tracers over `dt` \[s\] with a field frozen at the middle of that time: midpoint in space, hence second order.
/// Remembers where they were, for the bodies. Does not allocate in steady state.
pub(crate) fn advance_tracers(
    exec: &dyn Executor,
    field: &dyn VelocityField,
    tracers: &mut Tracers,
    dt: f32,
) {
    let Tracers { positions, ages, before, .. } = tracers;
    before.clone_from(positions);
    let columns = (positions.as_mut_slice(), ages.as_mut_slice());
    for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|_, (positions, ages): (&mut [Vec3], &mut [f32])| {
        let mut velocities = [Vec3::ZERO; TRACER_CHUNK];
        let mut middles = [Vec3::ZERO; TRACER_CHUNK];
        let (velocities, middles) = (&mut velocities[..positions.len()], &mut middles[..positions.len()]);
        // The field has been carried along by the wind for half a step; where the tracer is in it does not depend on the wind.
        for (middle, position) in middles.iter_mut().zip(&*positions) {
            *middle = *position + field.wind() * (0.5 * dt);
        }
        field.velocities(middles, velocities);
        for ((middle, position), velocity) in middles.iter_mut().zip(&*positions).zip(&*velocities) {
            *middle = *position + *velocity * (0.5 * dt);
        }
        field.velocities(middles, velocities);
        for ((position, age), velocity) in positions.iter_mut().zip(ages).zip(velocities) {
            *position += *velocity * dt;
            *age += dt;
        }
    });
}
