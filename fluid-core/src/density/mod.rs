//! Density: the ambient fluid, the equation of state, and the density field of the vortons' mass deviations.
//! Beside the walls of containers `boundary/walls` computes it (E42).

mod ambient;
mod box_division;
mod equation_of_state;
mod line_integral;
mod scalar_grid;
mod smoothed;
mod dimensionality;

pub use ambient::{Ambient, Stratification};
pub use dimensionality::Dimensionality;
pub use equation_of_state::EquationOfState;
pub use scalar_grid::ScalarGrid;

use crate::particles::ScalarQuantity;

/// The fluid's scalar properties at a point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScalarSample {
    /// Density ρ \[kg/m³\]: ambient and deviation.
    pub density: f32,
    /// Density deviation δρ \[kg/m³\] from the ambient at that point: heavy is positive, light negative.
    pub deviation: f32,
    /// Temperature T \[K\], by the equation of state.
    pub temperature: f32,
    /// Concentration of dye: 1 where all vortons are fully dyed.
    pub dye: f32,
}

impl ScalarQuantity {
    /// Returns this quantity of a sample.
    pub fn of(self, sample: &ScalarSample) -> f32 {
        match self {
            Self::Density => sample.density,
            Self::DensityDeviation => sample.deviation,
            Self::Temperature => sample.temperature,
            Self::Dye => sample.dye,
        }
    }
}
