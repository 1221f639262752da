//! Tracers follow the flow.

use crate::constants::TRACER_CHUNK;
use crate::density::ScalarSample;
use crate::governor::TracerQuality;
use crate::particles::{ScalarQuantity, Tracers};
use crate::velocity::VelocityField;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Moves tracers over `dt` \[s\] with a field frozen at the middle of that time: midpoint in space, hence
/// second order. At less than full quality the last velocity leads to the middle instead of a sample: second
/// order, too. Tracers that carry a quantity sample it at their new positions. With `remember` the old
/// positions are kept for the bodies. Returns true if all positions are finite. Does not allocate in steady
/// state.
pub(crate) fn advance_tracers(
    exec: &dyn Executor,
    field: &dyn VelocityField,
    tracers: &mut Tracers,
    remember: bool,
    quality: TracerQuality,
    dt: f32,
) -> bool {
    tracers.grow_older(dt);
    tracers.know_velocities(quality != TracerQuality::Full);
    let turn = tracers.advances() as usize;
    let Tracers { positions, ages, values, before, velocities, carry, .. } = tracers;
    let (motion, all_finite) = (TracerMotion { field, carry: *carry, dt }, AtomicBool::new(true));
    let note = |finite: bool| {
        if !finite {
            all_finite.store(false, Ordering::Relaxed);
        }
    };
    if remember {
        before.resize(positions.len(), Vec3::ZERO);
        for_each_chunk_mut(exec, TRACER_CHUNK, before.as_mut_slice(), &|first, before: &mut [Vec3]| {
            before.copy_from_slice(&positions[first..first + before.len()]);
        });
    }
    let shown = (ages.as_mut_slice(), values.as_mut_slice());
    if quality == TracerQuality::Full {
        let columns = (positions.as_mut_slice(), shown);
        for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|_, (positions, shown)| {
            note(motion.advance(positions, shown));
        });
    } else {
        let in_turns = quality == TracerQuality::EverySecondStep;
        let columns = ((positions.as_mut_slice(), velocities.as_mut_slice()), shown);
        for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|first, (led, shown)| {
            let goes_on = in_turns && (first / TRACER_CHUNK + turn) % 2 == 1;
            note(motion.advance_led(led, shown, if in_turns { 2.0 } else { 1.0 }, goes_on));
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
    fn advance(&self, places: &mut [Vec3], shown: (&mut [f32], &mut [f32])) -> bool {
        let &Self { field, dt, .. } = self;
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
        self.show(places, shown);
        finite
    }

    /// The same with the last velocities, which lead to the middle of `steps` steps, where the next ones are
    /// sampled. If the chunk only `goes_on`, they lead all of the step, and nothing is sampled.
    fn advance_led(
        &self,
        (places, velocities): (&mut [Vec3], &mut [Vec3]),
        (ages, values): (&mut [f32], &mut [f32]),
        steps: f32,
        goes_on: bool,
    ) -> bool {
        let &Self { field, dt, .. } = self;
        let is_known = velocities.iter().all(|velocity| !velocity.is_nan());
        let samples = !(goes_on && is_known);
        if samples {
            let mut middles = [Vec3::ZERO; TRACER_CHUNK];
            let middles = &mut middles[..places.len()];
            if !is_known {
                self.find_unknown(places, velocities, middles);
            }
            for ((middle, place), velocity) in middles.iter_mut().zip(&*places).zip(&*velocities) {
                *middle = *place + *velocity * (0.5 * steps * dt);
            }
            field.velocities(middles, velocities);
        }
        let mut finite = true;
        for (place, velocity) in places.iter_mut().zip(velocities) {
            *place += *velocity * dt;
            finite &= place.is_finite();
        }
        if samples {
            self.show(places, (ages, values));
        } else {
            ages.iter_mut().for_each(|age| *age += dt);
        }
        finite
    }

    /// Samples the velocities that are not known where the tracers are.
    fn find_unknown(&self, places: &[Vec3], velocities: &mut [Vec3], carried: &mut [Vec3]) {
        carried.copy_from_slice(places);
        self.field.carry(carried, 0.5 * self.dt);
        let mut sampled = [Vec3::ZERO; TRACER_CHUNK];
        let sampled = &mut sampled[..places.len()];
        self.field.velocities(carried, sampled);
        for (velocity, sampled) in velocities.iter_mut().zip(sampled) {
            *velocity = if velocity.is_nan() { *sampled } else { *velocity };
        }
    }

    /// Makes the tracers a step older, and has them show what there is where they have come to.
    fn show(&self, places: &[Vec3], (ages, values): (&mut [f32], &mut [f32])) {
        ages.iter_mut().for_each(|age| *age += self.dt);
        if let Some(quantity) = self.carry {
            let mut samples = [ScalarSample::default(); TRACER_CHUNK];
            let samples = &mut samples[..places.len()];
            self.field.scalars(places, samples);
            for (value, sample) in values.iter_mut().zip(samples) {
                let new = quantity.of(sample);
                // One beyond f32 shows what it showed.
                *value = if new.is_finite() { new } else { *value };
            }
        }
    }
}
