//! Advection by the fluid: the particles' velocity becomes the fluid's (parts 7 to 20 of the articles).

use super::error::{Problem, check_factor, check_rate};
use super::notes::Notes;
use super::places::SampleAt;
use super::relax::{blend, relax, update_velocities_in_fluid};
use super::run::{Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};

/// Relaxes v to g u, where u is the fluid's velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocity {
    /// Rate \[1/s\]. 0 does nothing; `f32::MAX` assigns g u.
    pub rate: f32,
    /// The gain g \[1\]: 1 m/s in the host's unit of velocity, or the fraction of the flow to be shown.
    pub gain: f32,
    /// Position at which u is sampled.
    pub sample: SampleAt,
}

impl Default for Velocity {
    /// Assigns the velocity at the midpoint.
    fn default() -> Self {
        Self { rate: f32::MAX, gain: 1.0, sample: SampleAt::Midpoint }
    }
}

impl Runnable for Velocity {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_factor("gain", self.gain)?;
        check_rate("rate", self.rate)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Velocity {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let blend = blend(self.rate, inputs.dt);
        if blend == 0.0 {
            return;
        }
        update_velocities_in_fluid(inputs, chunk, notes, self.sample, |v, u| relax(v, u * self.gain, blend));
    }
}
