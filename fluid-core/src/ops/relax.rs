//! What several operations share: fractions per step, loops over live particles, and the fluid's velocity where they are.

use super::run::{CHUNK, Moment, Notes};
use crate::particles::view::{Chunk, Semantic};
use glam::Vec3;

/// How much of a difference disappears in `dt` at `rate` \[1/s\]: 1 - exp(-rate dt). The largest rate means at once,
/// whatever `dt`.
pub(super) fn blend(rate: f32, dt: f32) -> f32 {
    if rate == f32::MAX { 1.0 } else { -libm::expm1f(-rate * dt) }
}

/// `from` moved towards `to`; a whole blend gives exactly `to`.
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

// `update_velocities_in_fluid` numbers the particles of a chunk by `u16`.
const _: () = assert!(CHUNK <= 1 << u16::BITS);

/// Where in the step the fluid's velocity is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleAt {
    /// At the particle.
    Here,
    /// Where the fluid carries the particle in half a step, at the time that the field is of: for a step from t to t + dt
    /// that is t + dt/2. With the wind W, v = u(x + dt/2 u(x + W dt/2)), all at that time. Velocity followed by advection is
    /// then of second order in dt.
    ///
    /// Why not u(x) within: by then the wind has carried the whole flow along for half a step, so what the particle sees at
    /// t is found at x + W dt/2. In this way a uniform wind changes nothing but the place.
    #[default]
    Midpoint,
}

/// Replaces the velocity of each live particle by `new(velocity, fluid)`, where the fluid's velocity is taken at `at`.
pub(super) fn update_velocities_in_fluid(
    moment: &Moment<'_>,
    chunk: &Chunk<'_>,
    notes: &mut Notes,
    at: SampleAt,
    new: impl Fn(Vec3, Vec3) -> Vec3,
) {
    let (Some(position), Some(velocity)) = (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity))
    else {
        return;
    };
    let half = 0.5 * moment.dt;
    let shift = moment.field.wind() * half;
    // The dead are not sampled, so those who are lie packed: number within the chunk, velocity, place to ask for.
    let mut numbers = [0_u16; CHUNK];
    let mut velocities = [Vec3::ZERO; CHUNK];
    let mut places = [Vec3::ZERO; CHUNK];
    let mut fluid = [Vec3::ZERO; CHUNK];
    let mut len = 0;
    chunk.living().for_each(|k| {
        let (x, v) = (position.get(k), velocity.get(k));
        let place = match at {
            SampleAt::Here => x,
            SampleAt::Midpoint => x + shift,
        };
        // A place is finite only if x is.
        if place.is_finite() && v.is_finite() {
            numbers[len] = k as u16;
            velocities[len] = v;
            places[len] = place;
            len += 1;
        } else {
            notes.skip(k);
        }
    });
    moment.field.velocities(&places[..len], &mut fluid[..len]);
    if at == SampleAt::Midpoint {
        let sampled = len;
        len = 0;
        for i in 0..sampled {
            let middle = position.get(numbers[i].into()) + fluid[i] * half;
            if middle.is_finite() {
                numbers[len] = numbers[i];
                velocities[len] = velocities[i];
                places[len] = middle;
                len += 1;
            } else {
                notes.skip(numbers[i].into());
            }
        }
        moment.field.velocities(&places[..len], &mut fluid[..len]);
    }
    for i in 0..len {
        let k = numbers[i].into();
        let new = new(velocities[i], fluid[i]);
        if fluid[i].is_finite() && new.is_finite() {
            velocity.set(k, new);
        } else {
            notes.skip(k);
        }
    }
}
