//! Sampling of the fluid's scalars at particles (part 10 of the articles: `AssignScalarFromGrid`).

use super::error::Problem;
use super::notes::Notes;
use super::places::{Places, SampleAt};
use super::run::{CHUNK, Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use fluid_core::density::ScalarSample;
use fluid_core::particles::ScalarQuantity;

/// Writes the fluid's density, density deviation, temperature or dye at the particle to an attribute. Like
/// every sample, the value is that of the middle of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleScalar {
    /// Sampled quantity.
    pub quantity: ScalarQuantity,
    /// Target: [`Semantic::Density`], [`Semantic::Temperature`] or a user stream, each for any quantity.
    pub into: Semantic,
}

impl SampleScalar {
    /// Samples into the stream of the same name; dye into user stream 0.
    pub const fn new(quantity: ScalarQuantity) -> Self {
        let into = match quantity {
            ScalarQuantity::Density | ScalarQuantity::DensityDeviation => Semantic::Density,
            ScalarQuantity::Temperature => Semantic::Temperature,
            ScalarQuantity::Dye => Semantic::User0,
        };
        Self { quantity, into }
    }

    fn has_target(&self) -> bool {
        let code = self.into.code();
        matches!(self.into, Semantic::Density | Semantic::Temperature)
            || (Semantic::User0.code()..=Semantic::User15.code()).contains(&code)
    }
}

/// Required attributes for each target, in the order of [`Semantic::ALL`].
static NEEDS: [[Semantic; 2]; Semantic::ALL.len()] = {
    let mut needs = [[Semantic::Position; 2]; Semantic::ALL.len()];
    let mut i = 0;
    while i < needs.len() {
        needs[i][1] = Semantic::ALL[i];
        i += 1;
    }
    needs
};

impl Runnable for SampleScalar {
    fn needs(&self) -> &'static [Semantic] {
        NEEDS.iter().find(|needs| needs[1] == self.into).map_or(&[], |needs| needs.as_slice())
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        if self.has_target() { Ok(()) } else { Err(Problem::BadTarget { stream: self.into }) }
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for SampleScalar {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let Some(target) = chunk.scalar::<f32>(self.into) else { return };
        let places = Places::find(inputs, chunk, notes, SampleAt::Particle, |_| true);
        let mut samples = [ScalarSample::default(); CHUNK];
        let samples = &mut samples[..places.places().len()];
        inputs.field.scalars(places.places(), samples);
        for (k, sample) in places.numbers().zip(samples) {
            let value = self.quantity.of(sample);
            if value.is_finite() {
                target.set(k, value);
            } else {
                notes.skip(k);
            }
        }
    }
}
