//! Helpers of several operations: fractions per step, and loops over the velocities of live particles (E15).

use super::notes::Notes;
use super::places::{Places, SampleAt};
use super::run::{CHUNK, RunInputs};
use crate::view::{Chunk, Semantic};
use glam::Vec3;

/// Returns the fraction of a difference that disappears in `dt` at `rate` \[1/s\]: 1 - exp(-rate dt). The
/// largest rate applies all of it, whatever `dt`.
pub(super) fn blend(rate: f32, dt: f32) -> f32 {
    if rate == f32::MAX { 1.0 } else { -libm::expm1f(-rate * dt) }
}

/// Moves `from` towards `to`; a blend of 1 returns exactly `to`.
#[inline]
pub(super) fn relax(from: Vec3, to: Vec3, blend: f32) -> Vec3 {
    if blend >= 1.0 { to } else { from + (to - from) * blend }
}

/// Replaces the velocity of each live particle.
pub(super) fn update_velocities(chunk: &Chunk<'_>, notes: &mut Notes, new: impl Fn(Vec3) -> Vec3) {
    let Some(velocity) = chunk.vec3(Semantic::Velocity) else { return };
    chunk.living().for_each(|k| {
        let old = velocity.get(k);
        let new = new(old);
        if old.is_finite() && new.is_finite() {
            velocity.set(k, new);
        } else {
            notes.skip(k);
        }
    });
}

/// Replaces the velocity of each live particle by `new(velocity, fluid)`, with the fluid's velocity sampled
/// at `at`.
pub(super) fn update_velocities_in_fluid(
    inputs: &RunInputs<'_>,
    chunk: &Chunk<'_>,
    notes: &mut Notes,
    at: SampleAt,
    new: impl Fn(Vec3, Vec3) -> Vec3,
) {
    let Some(velocity) = chunk.vec3(Semantic::Velocity) else { return };
    let places = Places::find(inputs, chunk, notes, at, |k| velocity.get(k).is_finite());
    let mut fluid = [Vec3::ZERO; CHUNK];
    let fluid = &mut fluid[..places.places().len()];
    inputs.field.velocities(places.places(), fluid);
    for (k, u) in places.numbers().zip(fluid) {
        let new = new(velocity.get(k), *u);
        if u.is_finite() && new.is_finite() {
            velocity.set(k, new);
        } else {
            notes.skip(k);
        }
    }
}
