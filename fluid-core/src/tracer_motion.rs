//! Tracers follow the flow.

use crate::constants::TRACER_CHUNK;
use crate::density::ScalarSample;
use crate::particles::{ScalarQuantity, Tracers};
use crate::velocity::VelocityField;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Moves tracers over `dt` \[s\] with a field frozen at the middle of that time: midpoint in space, hence
/// second order. Tracers that carry a quantity sample it at their new positions. With `remember` the old
/// positions are kept for the bodies. Returns true if all positions are finite. Does not allocate in steady
/// state.
pub(crate) fn advance_tracers(
    exec: &dyn Executor,
    field: &dyn VelocityField,
    tracers: &mut Tracers,
    remember: bool,
    dt: f32,
) -> bool {
    tracers.grow_older(dt);
    let Tracers { positions, ages, values, before, carry, .. } = tracers;
    let (motion, all_finite) = (TracerMotion { field, carry: *carry, dt }, AtomicBool::new(true));
    let note = |finite: bool| {
        if !finite {
            all_finite.store(false, Ordering::Relaxed);
        }
    };
    let columns = (positions.as_mut_slice(), (ages.as_mut_slice(), values.as_mut_slice()));
    if remember {
        before.resize(columns.0.len(), Vec3::ZERO);
        let columns = (before.as_mut_slice(), columns);
        for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|_, (before, (positions, shown))| {
            before.copy_from_slice(positions);
            note(motion.advance(positions, shown));
        });
    } else {
        for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|_, (positions, shown)| {
            note(motion.advance(positions, shown));
        });
    }
    all_finite.into_inner()
}

/// How the tracers of a set move in a step.
struct TracerMotion<'a> {
    field: &'a dyn VelocityField,
    carry: Option<ScalarQuantity>,
    dt: f32,
}

impl TracerMotion<'_> {
    /// Moves a chunk of tracers, with their ages and values. Returns true if all have come to finite places.
    fn advance(&self, places: &mut [Vec3], (ages, values): (&mut [f32], &mut [f32])) -> bool {
        let &Self { field, carry, dt } = self;
        let (mut starts, mut velocities) = ([Vec3::ZERO; TRACER_CHUNK], [Vec3::ZERO; TRACER_CHUNK]);
        let (starts, velocities) = (&mut starts[..places.len()], &mut velocities[..places.len()]);
        starts.copy_from_slice(places);
        // The field has been carried along for half a step; where the tracer is in it does not depend on
        // that.
        field.carry(places, 0.5 * dt);
        field.velocities(places, velocities);
        for ((place, start), velocity) in places.iter_mut().zip(&*starts).zip(&*velocities) {
            *place = *start + *velocity * (0.5 * dt);
        }
        field.velocities(places, velocities);
        let mut finite = true;
        for ((place, start), velocity) in places.iter_mut().zip(starts).zip(velocities) {
            *place = *start + *velocity * dt;
            finite &= place.is_finite();
        }
        ages.iter_mut().for_each(|age| *age += dt);
        if let Some(quantity) = carry {
            let mut samples = [ScalarSample::default(); TRACER_CHUNK];
            let samples = &mut samples[..places.len()];
            field.scalars(places, samples);
            for (value, sample) in values.iter_mut().zip(samples) {
                let new = quantity.of(sample);
                // One beyond f32 shows what it showed.
                *value = if new.is_finite() { new } else { *value };
            }
        }
        finite
    }
}
