//! Density: what the fluid around is like, what a mass deviation means, and the field of it that particles
//! make.

mod ambient;
mod equation_of_state;
mod line_integral;
mod scalar_grid;
mod smoothed;
mod span;

pub use ambient::{Ambient, Stratification};
pub use equation_of_state::EquationOfState;
pub use scalar_grid::ScalarGrid;
pub use span::Span;
pub(crate) use span::SpanSums;

use crate::particles::ScalarQuantity;

/// What a particle would find at one point, velocity aside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScalarSample {
    /// Density ρ \[kg/m³\]: ambient and deviation.
    pub density: f32,
    /// Density deviation δρ \[kg/m³\] from the ambient at that place: heavy is positive, light negative.
    pub deviation: f32,
    /// Temperature T \[K\], by the equation of state.
    pub temperature: f32,
    /// Concentration of dye: 1 where every vorton is dyed through.
    pub dye: f32,
}

impl ScalarQuantity {
    /// This quantity of a sample.
    pub fn of(self, sample: &ScalarSample) -> f32 {
        match self {
            Self::Density => sample.density,
            Self::DensityDeviation => sample.deviation,
            Self::Temperature => sample.temperature,
            Self::Dye => sample.dye,
        }
    }
}
