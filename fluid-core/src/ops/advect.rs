//! Particles move.

use super::run::{Described, Local, Moment, Notes, Problem, Work};
use crate::particles::view::{Chunk, ParticleView, Semantic};

/// x += v dt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Advect;

impl Described for Advect {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn work(&self) -> Work<'_> {
        Work::Local(self)
    }
}

impl Local for Advect {
    fn run(&self, moment: &Moment<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let (Some(position), Some(velocity)) =
            (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity))
        else {
            return;
        };
        let vital = chunk.vital_signs();
        for k in 0..chunk.len() {
            if vital.is_dead(k) {
                continue;
            }
            let (x, v) = (position.get(k), velocity.get(k));
            let way = v * moment.dt;
            // The sum is finite only if x and v are: an infinite v makes a way that is infinite, or NaN if dt is 0.
            if (x + way).is_finite() {
                position.add(k, way);
            } else {
                notes.skip(k);
            }
        }
    }
}
