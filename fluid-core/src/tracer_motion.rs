//! Tracers follow the flow.

use crate::constants::TRACER_CHUNK;
use crate::density::ScalarSample;
use crate::particles::Tracers;
use crate::velocity::VelocityField;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Moves tracers over `dt` \[s\] with a field frozen at the middle of that time: midpoint in space, hence
/// second order. Those that carry a quantity take it where they have come to. Remembers where they were, for
/// the bodies. Does not allocate in steady state.
pub(crate) fn advance_tracers(
    exec: &dyn Executor,
    field: &dyn VelocityField,
    tracers: &mut Tracers,
    dt: f32,
) {
    let Tracers { positions, ages, values, before, carry, .. } = tracers;
    before.resize(positions.len(), Vec3::ZERO);
    let carry = *carry;
    let columns =
        ((positions.as_mut_slice(), before.as_mut_slice()), (ages.as_mut_slice(), values.as_mut_slice()));
    for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|_, ((positions, before), (ages, values))| {
        let mut velocities = [Vec3::ZERO; TRACER_CHUNK];
        let velocities = &mut velocities[..positions.len()];
        before.copy_from_slice(positions);
        // The field has been carried along for half a step; where the tracer is in it does not depend on
        // that.
        field.carry(positions, 0.5 * dt);
        field.velocities(positions, velocities);
        for ((place, start), velocity) in positions.iter_mut().zip(&*before).zip(&*velocities) {
            *place = *start + *velocity * (0.5 * dt);
        }
        field.velocities(positions, velocities);
        for ((place, start), velocity) in positions.iter_mut().zip(&*before).zip(velocities) {
            *place = *start + *velocity * dt;
        }
        ages.iter_mut().for_each(|age| *age += dt);
        if let Some(quantity) = carry {
            let mut samples = [ScalarSample::default(); TRACER_CHUNK];
            let samples = &mut samples[..positions.len()];
            field.scalars(positions, samples);
            for (value, sample) in values.iter_mut().zip(samples) {
                let new = quantity.of(sample);
                // One beyond f32 shows what it showed.
                *value = if new.is_finite() { new } else { *value };
            }
        }
    });
}
