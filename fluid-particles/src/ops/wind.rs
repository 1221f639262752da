//! Wind: velocity relaxes to a constant.

use super::error::{Problem, check_finite, check_rate};
use super::notes::Notes;
use super::relax::{blend, relax, update_velocities};
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use glam::Vec3;

/// Relaxes v to a constant velocity. (The articles' gain is a fraction per frame; here it is a rate.)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wind {
    /// The wind \[m/s\].
    pub velocity: Vec3,
    /// Rate \[1/s\]. 0 does nothing; `f32::MAX` assigns the wind.
    pub rate: f32,
}

impl Runnable for Wind {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_finite("velocity", self.velocity.into())?;
        check_rate("rate", self.rate)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Wind {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let blend = blend(self.rate, inputs.dt);
        if blend == 0.0 {
            return;
        }
        update_velocities(chunk, notes, |v| relax(v, self.velocity, blend));
    }
}
