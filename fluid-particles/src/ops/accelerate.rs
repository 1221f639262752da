//! Constant acceleration, such as gravity.

use super::error::{Problem, check_finite};
use super::notes::Notes;
use super::relax::update_velocities;
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use glam::Vec3;

/// v += a dt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accelerate {
    /// Acceleration a \[m/s²\].
    pub acceleration: Vec3,
}

impl Runnable for Accelerate {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_finite("acceleration", self.acceleration.into())
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Accelerate {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let change = self.acceleration * inputs.dt;
        update_velocities(chunk, notes, |v| v + change);
    }
}
