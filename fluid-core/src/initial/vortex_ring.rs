//! A thick vortex ring with a cosine profile (E17).

use super::error::{InitialError, amount, direction, length, out_of_range, point};
use super::lattice::{Lattice, cells_covering, frame_along};
use crate::particles::Vorton;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// A ring of vorticity ½(cos(π c/T) + 1) around a core circle, where c < T is the distance from that
/// circle.
///
/// It travels along `axis` if Γ > 0 (right-hand rule: fingers along the vorticity, thumb along the motion).
/// Its impulse is I = πΓ(R² + ⟨c²⟩/2) along `axis`, where ⟨c²⟩ ≤ T² is the mean of c² over the core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortexRing {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Direction of travel; any length but 0.
    pub axis: Vec3,
    /// Radius R of the core circle \[m\].
    pub radius: f32,
    /// Radius T of the core \[m\], at most `radius`.
    pub thickness: f32,
    /// Circulation Γ \[m²/s\] through a half-plane that ends at the axis.
    pub circulation: f32,
    /// Lattice spacing h \[m\].
    pub spacing: f32,
}

impl VortexRing {
    /// Returns the vortons. Σ α_φ/(2πρ) = Γ and Σ α = 0, where ρ is the distance from the axis.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if it yields no vorton or more than
    /// [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let axis = direction("axis", self.axis)?;
        let radius = length("radius", self.radius)?;
        let thickness = length("thickness", self.thickness)?;
        let circulation = amount("circulation", self.circulation)?;
        let spacing = length("spacing", self.spacing)?;
        if thickness > radius {
            return Err(out_of_range("thickness", self.thickness, "at most the radius"));
        }
        let across = cells_covering(radius + thickness, spacing);
        let cells = [across, across, cells_covering(thickness, spacing)];
        let lattice = Lattice { centre, frame: frame_along(axis), spacing, cells };
        lattice.azimuthal_ring(circulation, |rho, z| {
            let c = ((rho - radius) * (rho - radius) + z * z).sqrt();
            (c < thickness).then(|| 0.5 * (libm::cos(PI * c / thickness) + 1.0))
        })
    }
}

impl Lattice {
    /// Returns vortons of the azimuthal vorticity `profile(ρ, z)`, any scale, scaled to Σ α_φ/(2πρ) =
    /// `circulation`.
    ///
    /// The measure is ∫ω_φ dA over a half-plane, averaged over the azimuth: dV/(2πρ) is dA.
    pub(super) fn azimuthal_ring(
        &self,
        circulation: f64,
        profile: impl Fn(f64, f64) -> Option<f64>,
    ) -> Result<Vec<Vorton>, InitialError> {
        // ρ is never 0: the number of cells across is even.
        let rho = |p: DVec3| (p.x * p.x + p.y * p.y).sqrt();
        let mut samples = self.sample(|p| {
            let azimuth = DVec3::new(-p.y, p.x, 0.0) / rho(p);
            profile(rho(p), p.z).map(|vorticity| azimuth * vorticity)
        })?;
        let volume = self.spacing * self.spacing * self.spacing;
        let measure = |s: &super::lattice::Sample| {
            (s.position.x * s.vorticity.y - s.position.y * s.vorticity.x) * volume
                / (2.0 * PI * rho(s.position) * rho(s.position))
        };
        self.normalise(&mut samples, 1.0, |_, _| true, measure, circulation)?;
        self.vortons(&samples)
    }
}
