//! A slug of moving fluid that rolls up into a ring (E18).

use super::error::{InitialError, amount, direction, length, point};
use super::lattice::{Lattice, cells_covering, frame_along};
use crate::particles::Vorton;
use glam::Vec3;
use std::f64::consts::PI;

/// A cylindrical sleeve of vorticity ½(cos(π s/R) + 1) sin(π(ρ − R)/T) where R < ρ < R + T and |s| < R.
///
/// ρ is the distance from the axis and s the coordinate along it. The fluid inside the sleeve moves along
/// `axis` if Γ > 0, as if pushed out of a nozzle of radius R.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JetRing {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Direction of travel; any length but 0.
    pub axis: Vec3,
    /// Inner radius R of the sleeve \[m\], and half its length.
    pub radius: f32,
    /// Thickness T of the sleeve \[m\].
    pub thickness: f32,
    /// Circulation Γ \[m²/s\] through a half-plane that ends at the axis.
    pub circulation: f32,
    /// Lattice spacing h \[m\].
    pub spacing: f32,
}

impl JetRing {
    /// Returns the vortons. Σ α_φ/(2πρ) = Γ and Σ α = 0.
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
        let across = cells_covering(radius + thickness, spacing);
        let cells = [across, across, cells_covering(radius, spacing)];
        let lattice = Lattice { centre, frame: frame_along(axis), spacing, cells };
        lattice.azimuthal_ring(circulation, |rho, s| {
            let inside = rho > radius && rho < radius + thickness && s.abs() < radius;
            inside.then(|| {
                0.5 * (libm::cos(PI * s / radius) + 1.0) * libm::sin(PI * (rho - radius) / thickness)
            })
        })
    }
}
