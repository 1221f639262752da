//! Particles grow older.

use super::run::{Described, Local, Moment, Notes, Problem, Work};
use crate::particles::view::{Chunk, ParticleView, Semantic};

/// age += dt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Age;

impl Described for Age {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Age]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        Ok(())
    }

    fn work(&self) -> Work<'_> {
        Work::Local(self)
    }
}

impl Local for Age {
    fn run(&self, moment: &Moment<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let Some(age) = chunk.scalar::<f32>(Semantic::Age) else { return };
        let vital = chunk.vital_signs();
        for k in 0..chunk.len() {
            if vital.is_dead(k) {
                continue;
            }
            let older = age.get(k) + moment.dt;
            if older.is_finite() {
                age.set(k, older);
            } else {
                notes.skip(k);
            }
        }
    }
}
