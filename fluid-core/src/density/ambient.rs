//! The undisturbed fluid far from all vortons: at rest, given by formulas instead of particles.

use crate::constants::AMBIENT_RANGE;
use crate::particles::Vorton;
use crate::saved::{LoadError, Reader, Saved, Writer};
use glam::{DVec3, Vec3};

/// The state of fluid without vortons. Vortons carry deviations from it (E27).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ambient {
    /// Reference density ρ₀ \[kg/m³\], inside [`AMBIENT_RANGE`]: the inertia of all fluid (Boussinesq, E28).
    pub density: f32,
    /// Temperature T₀ \[K\] of fluid of the reference density, inside [`AMBIENT_RANGE`].
    pub temperature: f32,
    /// Variation of density in space.
    pub stratification: Stratification,
    /// Origin of the stratification's coordinates \[m\]: 0 unless the fluid's origin has been shifted.
    pub origin: DVec3,
}

crate::saved::fields!(Ambient { density, temperature, stratification, origin });

/// Variation of the ambient density in space. A fluid at rest is stratified along gravity; this is not
/// checked, and the vorticity that an ambient gradient normal to gravity would make everywhere is not
/// computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Stratification {
    /// Uniform density.
    #[default]
    None,
    /// ρ₀ + gradient · x.
    Linear {
        /// Density gradient \[kg/m⁴\].
        gradient: Vec3,
    },
    /// Two layers with a smooth interface: ρ₀ + ½ jump tanh((normal · x − height)/thickness).
    Layers {
        /// Unit normal of the interface.
        normal: Vec3,
        /// Position of the interface along the normal \[m\].
        height: f32,
        /// Density behind the interface (on the side to which the normal points) minus density before it
        /// \[kg/m³\].
        jump: f32,
        /// Half thickness of the interface \[m\], positive.
        thickness: f32,
    },
}

impl Saved for Stratification {
    fn save(&self, out: &mut Writer<'_>) {
        match *self {
            Self::None => 0_u8.save(out),
            Self::Linear { gradient } => {
                1_u8.save(out);
                gradient.save(out);
            }
            Self::Layers { normal, height, jump, thickness } => {
                2_u8.save(out);
                (normal, [height, jump, thickness]).save(out);
            }
        }
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        *self = match from.value::<u8>()? {
            0 => Self::None,
            1 => Self::Linear { gradient: from.value()? },
            2 => {
                let (normal, [height, jump, thickness]) = from.value()?;
                Self::Layers { normal, height, jump, thickness }
            }
            _ => return Err(LoadError::Damaged),
        };
        Ok(())
    }
}

/// Abscissas and weights of the Gauss-Legendre rule with eight points on [-1, 1].
const GAUSS: [(f64, f64); 8] = [
    (-0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
    (-0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (-0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (-0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// Panels to which that rule is applied. With three, the whole interface is divided at two thicknesses from
/// its middle, so the poles of its profile, at ±π/2 off the real axis, are far enough from each panel.
const PANELS: usize = 3;

/// Half-width of an interface \[thicknesses\]: 1 - tanh 6 is 1e-5.
const INTERFACE_END: f64 = 6.0;

impl Default for Ambient {
    /// Uniform density of 1 kg/m³, 300 K.
    fn default() -> Self {
        Self { density: 1.0, temperature: 300.0, stratification: Stratification::None, origin: DVec3::ZERO }
    }
}

impl Ambient {
    /// Returns the density \[kg/m³\] of undisturbed fluid at `x` \[m\].
    pub fn density_at(&self, x: Vec3) -> f32 {
        self.density + self.deviation(x)
    }

    /// Returns the density \[kg/m³\] of undisturbed fluid at `x` \[m\], minus the reference density.
    pub fn deviation(&self, x: Vec3) -> f32 {
        match self.stratification {
            Stratification::None => 0.0,
            Stratification::Linear { gradient } => {
                // Avoids −0, which would change the sign of a 0.
                let at_origin = gradient.as_dvec3().dot(self.origin) + 0.0;
                self.stratification.deviation(x) - at_origin as f32
            }
            Stratification::Layers { .. } => self.layers_here().deviation(x),
        }
    }

    /// Returns layers in the fluid's coordinates; other stratifications unchanged.
    pub fn layers_here(&self) -> Stratification {
        let Stratification::Layers { normal, height, jump, thickness } = self.stratification else {
            return self.stratification;
        };
        let height = (f64::from(height) + normal.as_dvec3().dot(self.origin)) as f32;
        Stratification::Layers { normal, height, jump, thickness }
    }

    /// Moves the origin to `origin` \[m\].
    pub fn shift_origin(&mut self, origin: Vec3) {
        self.origin -= origin.as_dvec3();
    }

    /// Mass \[kg\] of a vorton's fluid: the ambient's in its volume, plus its deviation.
    pub fn mass_of(&self, vorton: &Vorton) -> f32 {
        vorton.volume * self.density_at(vorton.position) + vorton.mass_deviation
    }

    /// Density \[kg/m³\] of a vorton's fluid; the ambient's where it has no volume.
    pub fn density_of(&self, vorton: &Vorton) -> f32 {
        let deviation = if vorton.volume > 0.0 { vorton.mass_deviation / vorton.volume } else { 0.0 };
        self.density_at(vorton.position) + deviation
    }

    /// True if density and temperature are inside [`AMBIENT_RANGE`], all other values finite, the normal of
    /// unit length and the thickness positive.
    pub fn is_valid(&self) -> bool {
        let in_range = |v: f32| (AMBIENT_RANGE.0..=AMBIENT_RANGE.1).contains(&v);
        let positive = |v: f32| v.is_finite() && v > 0.0;
        in_range(self.density)
            && in_range(self.temperature)
            && self.origin.is_finite()
            && match self.stratification {
                Stratification::None => true,
                Stratification::Linear { gradient } => gradient.is_finite(),
                Stratification::Layers { normal, height, jump, thickness } => {
                    normal.is_normalized() && height.is_finite() && jump.is_finite() && positive(thickness)
                }
            }
    }
}

impl Stratification {
    /// Returns the density \[kg/m³\] at `x` \[m\], minus the reference density.
    pub fn deviation(&self, x: Vec3) -> f32 {
        match *self {
            Self::None => 0.0,
            Self::Linear { gradient } => gradient.dot(x),
            Self::Layers { normal, height, jump, thickness } => {
                0.5 * jump * libm::tanhf((normal.dot(x) - height) / thickness)
            }
        }
    }

    /// Returns the changes of density between two heights \[m\], `low` ≤ `high`, both measured from the
    /// middle of the interface along the normal: pairs (height, change \[kg/m³\]) with Σ change · f(height) =
    /// ∫ f dρ, for smooth f to 1e-5 of its largest value. The last pair is at `high` and holds the change
    /// beyond it. `None` unless there are layers.
    pub fn changes(&self, low: f64, high: f64) -> Option<[(f64, f64); PANELS * GAUSS.len() + 1]> {
        let Self::Layers { jump, thickness, .. } = *self else { return None };
        let (half_jump, thickness) = (0.5 * f64::from(jump), f64::from(thickness));
        let [first, last] = [low, high].map(|z| (z / thickness).clamp(-INTERFACE_END, INTERFACE_END));
        let mut changes = [(0.0, 0.0); PANELS * GAUSS.len() + 1];
        let mut sum = 0.0;
        let half = 0.5 * (last - first) / PANELS as f64;
        for (panel, changes) in changes.chunks_exact_mut(GAUSS.len()).enumerate() {
            let centre = first + half * (2 * panel + 1) as f64;
            for ((x, weight), change) in GAUSS.into_iter().zip(changes) {
                let y = centre + half * x;
                let tanh = libm::tanh(y);
                *change = (y * thickness, half * weight * (1.0 - tanh * tanh));
                sum += change.1;
            }
        }
        let [below, above] = [low, high].map(|z| libm::tanh(z / thickness));
        let scale = if sum > 0.0 { half_jump * (above - below) / sum } else { 0.0 };
        changes.iter_mut().for_each(|change| change.1 *= scale);
        changes[PANELS * GAUSS.len()] = (high, half_jump * (1.0 - above));
        Some(changes)
    }

    /// True if density is the same everywhere.
    pub fn is_uniform(&self) -> bool {
        matches!(self, Self::None)
    }
}
