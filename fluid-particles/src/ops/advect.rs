//! Moves particles with their velocities.

use super::notes::Notes;
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, Semantic};

/// x += v dt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Advect;

impl Runnable for Advect {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Advect {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let (Some(position), Some(velocity)) =
            (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity))
        else {
            return;
        };
        chunk.living().for_each(|k| {
            let (x, v) = (position.get(k), velocity.get(k));
            let way = v * inputs.dt;
            // The sum is finite only if x and v are: an infinite v makes the displacement infinite, or NaN
            // if dt is 0.
            if (x + way).is_finite() {
                position.add(k, way);
            } else {
                notes.skip(k);
            }
        });
    }
}
