//! Conserved quantities of an unbounded inviscid flow, in f64 (E8-E12).

use crate::constants::{DIRECT_CHUNK, PARTICLE_CHUNK};
use crate::particles::Vortons;
use crate::velocity::Kernel;
use fluid_threads::{Executor, reduce_ordered};
use glam::DVec3;

/// Sums over all vortons that cost O(N).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Ω = Σ α \[m³/s\] (E9).
    pub total_strength: DVec3,
    /// I = ½ Σ x × α \[m⁴/s\] (E10).
    pub linear_impulse: DVec3,
    /// A = ⅓ Σ x × (x × α) \[m⁵/s\] (E11).
    pub angular_impulse: DVec3,
    /// Σ |α| \[m³/s\]: the scale against which to judge Ω.
    pub strength_magnitude: f64,
    /// Largest |α| \[m³/s\].
    pub max_strength: f64,
}

impl Moments {
    fn add(self, other: Self) -> Self {
        Self {
            total_strength: self.total_strength + other.total_strength,
            linear_impulse: self.linear_impulse + other.linear_impulse,
            angular_impulse: self.angular_impulse + other.angular_impulse,
            strength_magnitude: self.strength_magnitude + other.strength_magnitude,
            max_strength: self.max_strength.max(other.max_strength),
        }
    }

    /// Computes the sums of these vortons. Allocates one partial sum per chunk.
    pub fn of(exec: &dyn Executor, vortons: &Vortons) -> Self {
        reduce_ordered(
            exec,
            vortons.len(),
            PARTICLE_CHUNK,
            Self::default(),
            &mut Vec::new(),
            &|range| {
                range.fold(Self::default(), |sum, i| {
                    let (x, strength) = row(vortons, i);
                    let moment = x.cross(strength);
                    sum.add(Self {
                        total_strength: strength,
                        linear_impulse: 0.5 * moment,
                        angular_impulse: x.cross(moment) / 3.0,
                        strength_magnitude: strength.length(),
                        max_strength: strength.length(),
                    })
                })
            },
            Self::add,
        )
    }
}

/// Sums over all pairs of vortons: O(N²), for diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairSums {
    /// E = ½ ΣΣ α·α' G(r/σ)/σ \[m⁵/s²\], kinetic energy per density (E8).
    pub energy: f64,
    /// H = Σ α·u \[m⁴/s²\] (E12).
    pub helicity: f64,
}

impl PairSums {
    fn add(self, other: Self) -> Self {
        Self { energy: self.energy + other.energy, helicity: self.helicity + other.helicity }
    }

    /// Computes the sums of these vortons with this kernel and core radius \[m\].
    pub fn of(exec: &dyn Executor, vortons: &Vortons, kernel: Kernel, core_radius: f32) -> Self {
        let sigma = f64::from(core_radius);
        let velocity_factor = 1.0 / (4.0 * std::f64::consts::PI * sigma.powi(3));
        reduce_ordered(
            exec,
            vortons.len(),
            DIRECT_CHUNK,
            Self::default(),
            &mut Vec::new(),
            &|range| {
                range.fold(Self::default(), |sum, i| {
                    let (x, strength) = row(vortons, i);
                    let own = 0.5 * strength.length_squared() * kernel.green(0.0) / sigma;
                    // A pair counts the same from either side.
                    (0..i).fold(sum.add(Self { energy: own, helicity: 0.0 }), |sum, j| {
                        let (y, other) = row(vortons, j);
                        let d = x - y;
                        let rho = d.length() / sigma;
                        let triple = 2.0 * strength.dot(other.cross(d));
                        sum.add(Self {
                            energy: strength.dot(other) * kernel.green(rho) / sigma,
                            helicity: triple * kernel.q_over_cube(rho) * velocity_factor,
                        })
                    })
                })
            },
            Self::add,
        )
    }
}

fn row(vortons: &Vortons, i: usize) -> (DVec3, DVec3) {
    (vortons.positions.get(i).as_dvec3(), vortons.strengths.get(i).as_dvec3())
}
