//! Where the particles of a chunk ask what the fluid is like.

use super::notes::Notes;
use super::run::{CHUNK, Moment};
use crate::particles::view::{Chunk, Semantic};
use glam::Vec3;

// Particles of a chunk are numbered by `u16`.
const _: () = assert!(CHUNK <= 1 << u16::BITS);

/// Where in the step the fluid is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SampleAt {
    /// At the particle.
    Here,
    /// Where the fluid carries the particle in half a step, at the time that the field is of: for a step from
    /// t to t + dt that is t + dt/2. With the wind W, v = u(x + dt/2 u(x + W dt/2)), all at that time.
    /// Velocity followed by advection is then of second order in dt.
    ///
    /// Why not u(x) within: by then the wind has carried the whole flow along for half a step, so what the
    /// particle sees at t is found at x + W dt/2. In this way a uniform wind changes nothing but the place.
    #[default]
    Midpoint,
}

/// Some live particles of a chunk, each with a finite place: packed, because the others are not to be asked
/// about.
pub(super) struct Places {
    numbers: [u16; CHUNK],
    places: [Vec3; CHUNK],
    len: usize,
}

impl Places {
    /// The places of all live particles for which `usable` holds; a particle without a finite one is noted.
    pub(super) fn find(
        moment: &Moment<'_>,
        chunk: &Chunk<'_>,
        notes: &mut Notes,
        at: SampleAt,
        usable: impl Fn(usize) -> bool,
    ) -> Self {
        let mut found = Self { numbers: [0; CHUNK], places: [Vec3::ZERO; CHUNK], len: 0 };
        let Some(position) = chunk.vec3(Semantic::Position) else { return found };
        let half = 0.5 * moment.dt;
        chunk.living().for_each(|k| {
            if usable(k) {
                found.add(k, position.get(k), notes);
            } else {
                notes.skip(k);
            }
        });
        if at == SampleAt::Midpoint {
            moment.field.carry(&mut found.places[..found.len], half);
            found.move_to(notes, |_, _, carried| carried);
            let mut fluid = [Vec3::ZERO; CHUNK];
            moment.field.velocities(found.places(), &mut fluid[..found.len]);
            found.move_to(notes, |i, k, _| position.get(k) + fluid[i] * half);
        }
        found
    }

    /// Each goes to `place(its number here, its number in the chunk, where it is)`; one that has nowhere to
    /// go then is noted, and left out.
    fn move_to(&mut self, notes: &mut Notes, place: impl Fn(usize, usize, Vec3) -> Vec3) {
        for i in 0..std::mem::take(&mut self.len) {
            let k = self.numbers[i].into();
            self.add(k, place(i, k, self.places[i]), notes);
        }
    }

    /// Never beyond what has been read: at most one is added for each particle looked at.
    fn add(&mut self, k: usize, place: Vec3, notes: &mut Notes) {
        if place.is_finite() {
            self.numbers[self.len] = k as u16;
            self.places[self.len] = place;
            self.len += 1;
        } else {
            notes.skip(k);
        }
    }

    /// The places \[m\].
    pub(super) fn places(&self) -> &[Vec3] {
        &self.places[..self.len]
    }

    /// The numbers of their particles in the chunk, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.numbers[..self.len].iter().map(|&k| k.into())
    }
}
