//! Sample positions of the particles of a chunk.

use super::notes::Notes;
use super::run::{CHUNK, RunInputs};
use crate::view::{Chunk, Semantic};
use glam::Vec3;

// Particles of a chunk are numbered by `u16`.
const _: () = assert!(CHUNK <= 1 << u16::BITS);

/// Position at which the fluid is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleAt {
    /// At the particle.
    Particle,
    /// At the position to which the fluid carries the particle in half a step, at the time of the field:
    /// for a step from t to t + dt that is t + dt/2. With the wind W, v = u(x + dt/2 u(x + W dt/2)), all at
    /// that time. Velocity followed by advection is then second-order in dt.
    ///
    /// The inner argument is x + W dt/2 rather than x: by the time of the field the wind has carried the
    /// whole flow along for half a step, so the flow at x at time t is found at x + W dt/2. A uniform wind
    /// then only shifts the position.
    #[default]
    Midpoint,
}

/// Sample positions of some live particles of a chunk, all finite. Packed, because the other particles are
/// not sampled.
pub(super) struct Places {
    numbers: [u16; CHUNK],
    places: [Vec3; CHUNK],
    len: usize,
}

impl Places {
    /// Collects the positions of all live particles for which `usable` holds; a particle without a finite
    /// position is recorded as skipped.
    pub(super) fn find(
        inputs: &RunInputs<'_>,
        chunk: &Chunk<'_>,
        notes: &mut Notes,
        at: SampleAt,
        usable: impl Fn(usize) -> bool,
    ) -> Self {
        let mut found = Self { numbers: [0; CHUNK], places: [Vec3::ZERO; CHUNK], len: 0 };
        let Some(position) = chunk.vec3(Semantic::Position) else { return found };
        let half = 0.5 * inputs.dt;
        chunk.living().for_each(|k| {
            if usable(k) {
                found.add(k, position.get(k), notes);
            } else {
                notes.skip(k);
            }
        });
        if at == SampleAt::Midpoint {
            inputs.field.carry(&mut found.places[..found.len], half);
            found.move_to(notes, |_, _, carried| carried);
            let mut fluid = [Vec3::ZERO; CHUNK];
            inputs.field.velocities(found.places(), &mut fluid[..found.len]);
            found.move_to(notes, |i, k, _| position.get(k) + fluid[i] * half);
        }
        found
    }

    /// Moves each sample position to `place(index here, particle's index in the chunk, position)`.
    /// Particles with a new position that is not finite are recorded as skipped and dropped.
    fn move_to(&mut self, notes: &mut Notes, place: impl Fn(usize, usize, Vec3) -> Vec3) {
        for i in 0..std::mem::take(&mut self.len) {
            let k = self.numbers[i].into();
            self.add(k, place(i, k, self.places[i]), notes);
        }
    }

    /// Appends a position. Never overtakes the reader in `move_to`: it adds at most one entry per entry
    /// read.
    fn add(&mut self, k: usize, place: Vec3, notes: &mut Notes) {
        if place.is_finite() {
            self.numbers[self.len] = k as u16;
            self.places[self.len] = place;
            self.len += 1;
        } else {
            notes.skip(k);
        }
    }

    /// Returns the positions \[m\].
    pub(super) fn places(&self) -> &[Vec3] {
        &self.places[..self.len]
    }

    /// Returns the indices of their particles in the chunk, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.numbers[..self.len].iter().map(|&k| k.into())
    }
}
