//! Equation of state: warm fluid is lighter.

use super::Ambient;
use crate::saved::{LoadError, Reader, Saved, Writer};

/// Density as a function of temperature, at the pressure of the ambient (E33).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum EquationOfState {
    /// ρ T = ρ₀ T₀. The excess heat Σ ρ V c (T − T₀) is then −c T₀ Σ m' at any temperatures.
    #[default]
    IdealGas,
    /// ρ = ρ₀ (1 − β (T − T₀)): liquids, and small differences.
    Linear {
        /// Thermal expansion β \[1/K\], positive.
        expansion: f32,
    },
}

impl Saved for EquationOfState {
    fn save(&self, out: &mut Writer<'_>) {
        let expansion = match *self {
            Self::IdealGas => None,
            Self::Linear { expansion } => Some(expansion),
        };
        expansion.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let expansion: Option<f32> = from.value()?;
        *self = expansion.map_or(Self::IdealGas, |expansion| Self::Linear { expansion });
        Ok(())
    }
}

/// Lower bound of density, over the ambient's \[1\]: deposits of overlapping vortons may give a negative
/// density, and temperature has to stay positive and finite.
const LEAST_DENSITY: f32 = 1e-3;
/// Lower bound of temperature, over the ambient's \[1\].
const LEAST_TEMPERATURE: f32 = 1e-3;

impl EquationOfState {
    /// True if its parameters are in range.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::IdealGas => true,
            Self::Linear { expansion } => expansion.is_finite() && expansion > 0.0,
        }
    }

    /// Returns the density \[kg/m³\] of fluid at `temperature` \[K\], which is raised to at least a
    /// thousandth of the ambient's.
    pub fn density(self, ambient: &Ambient, temperature: f32) -> f32 {
        let temperature = temperature.max(LEAST_TEMPERATURE * ambient.temperature);
        let density = match self {
            Self::IdealGas => ambient.density * (ambient.temperature / temperature),
            Self::Linear { expansion } => {
                ambient.density * (1.0 - expansion * (temperature - ambient.temperature))
            }
        };
        density.max(LEAST_DENSITY * ambient.density)
    }

    /// Returns the temperature \[K\] of fluid of density `density` \[kg/m³\]: positive and finite for any
    /// finite density.
    pub fn temperature(self, ambient: &Ambient, density: f32) -> f32 {
        let density = density.max(LEAST_DENSITY * ambient.density);
        let temperature = match self {
            Self::IdealGas => ambient.temperature * (ambient.density / density),
            Self::Linear { expansion } => ambient.temperature + (1.0 - density / ambient.density) / expansion,
        };
        temperature.clamp(LEAST_TEMPERATURE * ambient.temperature, f32::MAX)
    }

    /// Mass deviation m' \[kg\] of a volume \[m³\] of fluid of temperature `temperature` \[K\].
    pub fn mass_deviation(self, ambient: &Ambient, volume: f32, temperature: f32) -> f32 {
        volume * (self.density(ambient, temperature) - ambient.density)
    }

    /// Returns the temperature \[K\] of fluid of density `density` \[kg/m³\], in f64. `None` where
    /// [`temperature`](Self::temperature) is clamped, because such fluid could exchange any amount of heat,
    /// and where `density` is not finite.
    pub fn exact_temperature(self, ambient: &Ambient, density: f64) -> Option<f64> {
        let (reference, normal) = (f64::from(ambient.density), f64::from(ambient.temperature));
        let temperature = match self {
            Self::IdealGas => normal * (reference / density),
            Self::Linear { expansion } => normal + (1.0 - density / reference) / f64::from(expansion),
        };
        let fluid = density > f64::from(LEAST_DENSITY) * reference && density.is_finite();
        (fluid && temperature > f64::from(LEAST_TEMPERATURE) * normal).then_some(temperature)
    }

    /// Inverts [`exact_temperature`](Self::exact_temperature): returns the density \[kg/m³\] of fluid at
    /// `temperature` \[K\], in f64, clamped to densities that have a temperature.
    pub fn exact_density(self, ambient: &Ambient, temperature: f64) -> f64 {
        let (reference, normal) = (f64::from(ambient.density), f64::from(ambient.temperature));
        let temperature = temperature.max(2.0 * f64::from(LEAST_TEMPERATURE) * normal);
        let density = match self {
            Self::IdealGas => reference * (normal / temperature),
            Self::Linear { expansion } => reference * (1.0 - f64::from(expansion) * (temperature - normal)),
        };
        density.max(2.0 * f64::from(LEAST_DENSITY) * reference)
    }

    /// Returns 1/β \[K\]: heat is −c/β times mass deviation. For the ideal gas this is T₀, and exact (E33).
    pub fn inverse_expansion(self, ambient: &Ambient) -> f64 {
        match self {
            Self::IdealGas => f64::from(ambient.temperature),
            Self::Linear { expansion } => 1.0 / f64::from(expansion),
        }
    }

    /// Returns the mean heat capacity per volume \[kg/m³\] between two temperatures \[K\], for a specific
    /// heat of 1: the heat absorbed from one to the other, over their difference.
    pub fn mean_heat_capacity(self, ambient: &Ambient, from: f64, to: f64) -> f64 {
        let (reference, normal) = (f64::from(ambient.density), f64::from(ambient.temperature));
        match self {
            Self::IdealGas => reference * (normal / from) * (normal / to),
            Self::Linear { .. } => reference,
        }
    }
}
