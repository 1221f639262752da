//! A ball of denser or lighter fluid (E35).

use super::error::{InitialError, amount, length, out_of_range, point, within};
use super::lattice::{Lattice, cells_covering};
use crate::constants::DENSITY_NODES_PER_CORE;
use crate::particles::Vorton;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// A ball of fluid at rest with a density different from the ambient's.
///
/// Its impulse grows as dI/dt = g Σm'/ρ₀. A top hat accelerates as a whole at ⅔ g δρ/ρ₀, the mass of a
/// Gaussian at ⅔ 2^(−3/2) g δρ/ρ₀ in the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DensityBall {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius R \[m\]: of the surface of a top hat, or the standard deviation of a Gaussian.
    pub radius: f32,
    /// Density minus the ambient's \[kg/m³\], at the centre.
    pub density_deviation: f32,
    /// Lattice spacing h \[m\], at most σ/1.5 for the fluid to be smooth.
    pub spacing: f32,
    /// Core radius σ \[m\] of the world. Needed for a Gaussian: its vortons' densities are more peaked than
    /// the Gaussian, to compensate for the later smoothing by mesh and cores.
    pub core_radius: f32,
    /// Radial profile of the density.
    pub profile: DensityProfile,
    /// Concentration of dye at the centre, 0 to 1; its profile is that of the density.
    pub dye: f32,
    /// Heat that the fuel at the centre releases when it burns \[J/m³\], at least 0; its profile is that of
    /// the density (E62).
    pub fuel: f32,
}

/// Variation of density with the distance r from the centre of a ball.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DensityProfile {
    /// Uniform for r < R. Cells on the surface are weighted by their fraction inside.
    #[default]
    TopHat,
    /// exp(−r²/2R²), for r < 3.2 R. R is at least the core radius.
    Gaussian,
}

/// Cut-off of a Gaussian \[standard deviations\]: up to 1.7 % of its mass is outside.
const GAUSSIAN_REACH: f64 = 3.2;

/// Exponent of the weight (r/reach)^(2 TAIL) by which the truncated mass is distributed to the other
/// vortons: most of it goes to r > 2.5 R.
const TAIL: i32 = 4;

/// Variance along an axis by which the Winckelmans-Leonard core smooths \[σ²\]: that of the Gaussian which
/// slows a drop of 1.2 to 1.5 σ by the same amount. Its own variance, which applies to much larger drops,
/// is ½: the core has a long tail.
const CORE_VARIANCE: f64 = 0.4;

/// Variance of the mesh's smoothing that remains after sharpening (E28) \[H²\].
const MESH_VARIANCE: f64 = 0.1;

impl DensityBall {
    /// Returns the vortons. Σ m' = `density_deviation` times 4πR³/3 (top hat) or (2π)^(3/2) R³ (Gaussian);
    /// Σ dye likewise with `dye`, and Σ fuel with `fuel`.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if it yields no vorton or more than
    /// [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let radius = length("radius", self.radius)?;
        amount("density_deviation", self.density_deviation)?;
        let spacing = length("spacing", self.spacing)?;
        let core = length("core_radius", self.core_radius)?;
        within("dye", self.dye, 0.0, 1.0, "from 0 to 1")?;
        within("fuel", self.fuel, 0.0, f32::MAX, "at least 0")?;
        let (reach, whole) = match self.profile {
            DensityProfile::TopHat => (radius, 4.0 / 3.0 * PI * radius * radius * radius),
            DensityProfile::Gaussian => {
                if radius < core {
                    return Err(out_of_range("radius", self.radius, "at least the core radius"));
                }
                (GAUSSIAN_REACH * radius, 2.0 * PI * (2.0 * PI).sqrt() * radius * radius * radius)
            }
        };
        let lattice =
            Lattice { centre, frame: DMat3::IDENTITY, spacing, cells: [cells_covering(reach, spacing); 3] };
        match self.profile {
            DensityProfile::TopHat => {
                let share = |p: DVec3| share_inside(p, spacing, radius);
                lattice.dense(share, whole, self)
            }
            DensityProfile::Gaussian => {
                let variance = radius * radius - smoothing(core);
                let gaussian = |p: DVec3| {
                    if p.length() < reach { libm::exp(-p.length_squared() / (2.0 * variance)) } else { 0.0 }
                };
                // The truncated mass is added to the outermost vortons rather than to all, so that the
                // centre keeps its density.
                let outermost = |p: DVec3| (p.length_squared() / (reach * reach)).powi(TAIL);
                let peak = whole / (2.0 * PI * variance * (2.0 * PI * variance).sqrt());
                let sum = |of: &dyn Fn(DVec3) -> f64| -> Result<f64, InitialError> {
                    let samples = lattice.sample(|p| Some(DVec3::X * of(p)).filter(|v| v.x > 0.0))?;
                    Ok(peak * spacing.powi(3) * samples.iter().map(|sample| sample.vorticity.x).sum::<f64>())
                };
                let left_out = (whole - sum(&gaussian)?).max(0.0);
                let gain = left_out / sum(&|p| gaussian(p) * outermost(p))?;
                let share = |p: DVec3| gaussian(p) * (1.0 + gain * outermost(p));
                lattice.dense(share, whole, self)
            }
        }
    }
}

/// Returns the reduction of a Gaussian's variance \[m²\]. The mean acceleration of mass is ∫ m(x) f(x),
/// with m the mass and f the force after smoothing, so the mean of both smoothings counts: that of m, which
/// is none, and that of mesh and core.
fn smoothing(core_radius: f64) -> f64 {
    let mesh = MESH_VARIANCE / f64::from(DENSITY_NODES_PER_CORE).powi(2);
    0.5 * (mesh + CORE_VARIANCE) * core_radius * core_radius
}

/// Returns the fraction of the cell around `p` that is less than `radius` from the origin: by the centres
/// of 8 × 8 × 8 parts.
fn share_inside(p: DVec3, spacing: f64, radius: f64) -> f64 {
    const PARTS: i32 = 8;
    // Half of a cell's diagonal.
    let half = 0.5 * 3.0_f64.sqrt() * spacing;
    if p.length() <= radius - half {
        return 1.0;
    }
    if p.length() >= radius + half {
        return 0.0;
    }
    let middle = |i: i32| ((f64::from(i) + 0.5) / f64::from(PARTS) - 0.5) * spacing;
    let mut inside = 0;
    for i in 0..PARTS {
        for j in 0..PARTS {
            for k in 0..PARTS {
                let q = p + DVec3::new(middle(i), middle(j), middle(k));
                inside += u32::from(q.length_squared() < radius * radius);
            }
        }
    }
    f64::from(inside) / f64::from(PARTS).powi(3)
}

/// Returns the heat \[J\] of fuel \[J/m³\] in a volume \[m³\]: at most the largest number, because a vorton's
/// fuel is finite.
pub(super) fn heat(volume: f64, fuel: f32) -> f32 {
    (volume as f32 * fuel).min(f32::MAX)
}

impl Lattice {
    /// Creates vortons without strength where `share` (local position to a fraction of the density, in \[0,
    /// 1\]) is positive: Σ m' is the ball's deviation times the volume `whole`, Σ dye and Σ fuel likewise.
    fn dense(
        &self,
        share: impl Fn(DVec3) -> f64,
        whole: f64,
        ball: &DensityBall,
    ) -> Result<Vec<Vorton>, InitialError> {
        let positive = |p: DVec3| Some(share(p)).filter(|&share| share > 0.0).map(|share| DVec3::X * share);
        let mut samples = self.sample(positive)?;
        let volume = self.spacing.powi(3);
        self.normalise(&mut samples, 1.0, |_, _| true, |sample| sample.vorticity.x * volume, whole)?;
        let mut vortons = self.vortons(&samples)?;
        for (vorton, sample) in vortons.iter_mut().zip(&samples) {
            let filled = sample.vorticity.x * volume;
            vorton.strength = Vec3::ZERO;
            vorton.mass_deviation = (filled * f64::from(ball.density_deviation)) as f32;
            vorton.dye = (filled * f64::from(ball.dye)) as f32;
            vorton.fuel = heat(filled, ball.fuel);
        }
        Ok(vortons)
    }
}
