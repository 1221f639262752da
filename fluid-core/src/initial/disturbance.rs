//! Seeded perturbations, from which the instabilities of a flow grow as they do in real ones.

use super::error::{InitialError, within};
use crate::math::Random;
use crate::particles::Vorton;
use glam::{DVec3, Vec3};

/// Random displacements of vortons and random changes of their strength and mass deviation.
///
/// A perfectly symmetric flow stays symmetric: a ring without a disturbance never breaks up, a drop never
/// tears. The disturbance conserves the total strength and the total mass deviation, to rounding: the sum
/// of the random changes is subtracted from the vortons in proportion to their own amounts. The circulation
/// of a part of the flow represented by n vortons changes by a fraction of about `strength` / √(12 n).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disturbance {
    /// Width of the uniform distribution of each coordinate's displacement, as a fraction of the distance
    /// between vortons, 0 to 1.
    pub position: f32,
    /// Width of the uniform distribution of the relative change of strength and mass deviation, 0 to 1.
    pub strength: f32,
    /// Equal seeds give equal disturbances.
    pub seed: u64,
}

impl Disturbance {
    /// Disturbs vortons that are `spacing` \[m\] apart.
    ///
    /// # Errors
    /// `position` or `strength` is not from 0 to 1; nothing is changed then.
    pub fn apply(&self, spacing: f32, vortons: &mut [Vorton]) -> Result<(), InitialError> {
        let position = within("position_disturbance", self.position, 0.0, 1.0, "from 0 to 1")? as f32;
        let strength = within("strength_disturbance", self.strength, 0.0, 1.0, "from 0 to 1")? as f32;
        if position == 0.0 && strength == 0.0 {
            return Ok(());
        }
        let random = Random::new(self.seed);
        let before = VortonTotals::of(vortons);
        for (n, vorton) in (0..).zip(&mut *vortons) {
            // Counters 6n to 6n + 2 displace vorton n, 6n + 3 changes its strength and mass deviation.
            vorton.position += random.centred_vec3(2 * n) * (position * spacing);
            let factor = 1.0 + strength * (random.unit(6 * n + 3) - 0.5);
            vorton.strength *= factor;
            vorton.mass_deviation *= factor;
        }
        let after = VortonTotals::of(vortons);
        let strength = ratio(before.strength - after.strength, after.strengths);
        let mass = ratio(DVec3::X * (before.mass - after.mass), after.masses).x;
        for vorton in vortons {
            vorton.strength += strength * vorton.strength.length();
            vorton.mass_deviation += mass * vorton.mass_deviation.abs();
        }
        Ok(())
    }
}

/// Sums over vortons.
struct VortonTotals {
    /// Σ α and Σ |α| \[m³/s\].
    strength: DVec3,
    strengths: f64,
    /// Σ m' and Σ |m'| \[kg\].
    mass: f64,
    masses: f64,
}

impl VortonTotals {
    fn of(vortons: &[Vorton]) -> Self {
        let sum = |of: fn(&Vorton) -> f32| vortons.iter().map(|vorton| f64::from(of(vorton))).sum();
        Self {
            strength: vortons.iter().map(|vorton| vorton.strength.as_dvec3()).sum(),
            strengths: sum(|vorton| vorton.strength.length()),
            mass: sum(|vorton| vorton.mass_deviation),
            masses: sum(|vorton| vorton.mass_deviation.abs()),
        }
    }
}

/// Returns `missing` per amount of `carried`; 0 if that is 0.
fn ratio(missing: DVec3, carried: f64) -> Vec3 {
    if carried > 0.0 { (missing / carried).as_vec3() } else { Vec3::ZERO }
}
