//! Advection by the fluid plus eddies smaller than its vortons' cores (E60).

use super::error::{Problem, check_factor, check_rate};
use super::notes::Notes;
use super::places::{Places, SampleAt};
use super::relax::{blend, relax};
use super::run::{CHUNK, Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use fluid_core::velocity::{EddyField, PlacedFlow};
use glam::Vec3;

/// Relaxes v to g (u + i u'), where u is the fluid's velocity and u' that of eddies below the core's size.
/// Use it instead of [`Velocity`](super::Velocity): v is replaced, so nothing accumulates from frame to
/// frame, and [`Collide`](super::Collide) tests the path that [`Advect`](super::Advect) makes of it. If the
/// field has no eddies, or the flow does not strain, u' is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turbulence {
    /// Rate \[1/s\]. 0 does nothing; `f32::MAX` assigns g (u + i u').
    pub rate: f32,
    /// The gain g \[1\]: 1 m/s in the host's unit of velocity, or the fraction of the motion to be shown.
    pub gain: f32,
    /// Position at which u and u' are sampled.
    pub sample: SampleAt,
    /// The intensity i \[1\]: 1 follows Kolmogorov's spectrum.
    pub intensity: f32,
    /// Particles with the same seed are moved by the same eddies. Tracers use [`SEED`](Self::SEED).
    pub seed: u64,
}

impl Turbulence {
    /// The seed of tracers.
    pub const SEED: u64 = EddyField::TRACER_SEED;
}

impl Default for Turbulence {
    /// Assigns the velocity at the midpoint, with full eddies, as for tracers.
    fn default() -> Self {
        Self { rate: f32::MAX, gain: 1.0, sample: SampleAt::Midpoint, intensity: 1.0, seed: Self::SEED }
    }
}

impl Runnable for Turbulence {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_factor("gain", self.gain)?;
        check_rate("intensity", self.intensity)?;
        check_rate("rate", self.rate)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Turbulence {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let blend = blend(self.rate, inputs.dt);
        let Some(velocity) = chunk.vec3(Semantic::Velocity).filter(|_| blend > 0.0) else { return };
        let places = Places::find(inputs, chunk, notes, self.sample, |k| velocity.get(k).is_finite());
        let mut fluid = [Vec3::ZERO; CHUNK];
        let fluid = &mut fluid[..places.places().len()];
        self.sample(inputs, places.places(), fluid);
        for (k, u) in places.numbers().zip(fluid) {
            let new = relax(velocity.get(k), *u * self.gain, blend);
            if u.is_finite() && new.is_finite() {
                velocity.set(k, new);
            } else {
                notes.skip(k);
            }
        }
    }
}

impl Turbulence {
    /// Samples u + i u'.
    fn sample(&self, inputs: &RunInputs<'_>, places: &[Vec3], out: &mut [Vec3]) {
        let mut flow = [PlacedFlow::ZERO; CHUNK];
        let flow = &mut flow[..places.len()];
        inputs.field.placed_flow(false, places, flow);
        out.iter_mut().zip(&*flow).for_each(|(out, flow)| *out = flow.velocity());
        if let Some(eddies) = inputs.field.eddies() {
            let dt = if self.sample == SampleAt::Midpoint { inputs.dt } else { 0.0 };
            eddies.with_seed(self.seed).add_to(self.intensity, dt, flow, out);
        }
    }
}
