//! The fluid far from everything: at rest, given by formulas instead of particles.

use crate::particles::Vorton;
use glam::Vec3;

/// The state of fluid that no vorton speaks for. Vortons carry deviations from it (E27).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ambient {
    /// Reference density ρ₀ \[kg/m³\], positive: the inertia of all fluid (Boussinesq, E28).
    pub density: f32,
    /// Temperature T₀ \[K\] of fluid of the reference density, positive.
    pub temperature: f32,
    /// How density varies in space.
    pub stratification: Stratification,
}

/// How the ambient density varies in space. A fluid at rest is stratified along gravity; nothing checks that, and the vorticity
/// that an ambient gradient across gravity would make everywhere is not computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Stratification {
    /// The same everywhere.
    #[default]
    Uniform,
    /// ρ₀ + gradient · x.
    Linear {
        /// \[kg/m⁴\].
        gradient: Vec3,
    },
    /// Two layers with a smooth interface: ρ₀ + ½ jump tanh((normal · x − height)/thickness).
    Layers {
        /// Unit vector across the interface.
        normal: Vec3,
        /// Where the interface is along the normal \[m\].
        height: f32,
        /// Density behind the interface (where the normal points to) minus density before it \[kg/m³\].
        jump: f32,
        /// Half thickness of the interface \[m\], positive.
        thickness: f32,
    },
}

impl Default for Ambient {
    /// Density 1 kg/m³, 300 K, the same everywhere.
    fn default() -> Self {
        Self { density: 1.0, temperature: 300.0, stratification: Stratification::Uniform }
    }
}

impl Ambient {
    /// Density \[kg/m³\] of undisturbed fluid at `x` \[m\].
    pub fn density_at(&self, x: Vec3) -> f32 {
        self.density + self.stratification.deviation(x)
    }

    /// Mass \[kg\] of the fluid that a vorton stands for: the ambient's in its volume, and its deviation.
    pub fn mass_of(&self, vorton: &Vorton) -> f32 {
        vorton.volume * self.density_at(vorton.position) + vorton.mass_deviation
    }

    /// Density \[kg/m³\] of a vorton's fluid; the ambient's where it has no volume.
    pub fn density_of(&self, vorton: &Vorton) -> f32 {
        let deviation = if vorton.volume > 0.0 { vorton.mass_deviation / vorton.volume } else { 0.0 };
        self.density_at(vorton.position) + deviation
    }

    /// True if all values are finite, density and temperature positive, a normal of unit length and a thickness positive.
    pub fn is_valid(&self) -> bool {
        let positive = |v: f32| v.is_finite() && v > 0.0;
        positive(self.density)
            && positive(self.temperature)
            && match self.stratification {
                Stratification::Uniform => true,
                Stratification::Linear { gradient } => gradient.is_finite(),
                Stratification::Layers { normal, height, jump, thickness } => {
                    normal.is_normalized() && height.is_finite() && jump.is_finite() && positive(thickness)
                }
            }
    }
}

impl Stratification {
    /// Density \[kg/m³\] at `x` \[m\] beyond the reference.
    pub fn deviation(&self, x: Vec3) -> f32 {
        match *self {
            Self::Uniform => 0.0,
            Self::Linear { gradient } => gradient.dot(x),
            Self::Layers { normal, height, jump, thickness } => {
                0.5 * jump * libm::tanhf((normal.dot(x) - height) / thickness)
            }
        }
    }

    /// True if density is the same everywhere.
    pub fn is_uniform(&self) -> bool {
        matches!(self, Self::Uniform)
    }
}
