//! Increases the age of particles.

use super::notes::Notes;
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, Semantic};

/// age += dt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Age;

impl Runnable for Age {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Age]
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Age {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let Some(age) = chunk.scalar::<f32>(Semantic::Age) else { return };
        chunk.living().for_each(|k| {
            let older = age.get(k) + inputs.dt;
            if older.is_finite() {
                age.set(k, older);
            } else {
                notes.skip(k);
            }
        });
    }
}
