//! A straight vortex tube with a radius that may vary along it (E19).

use super::error::{InitialError, amount, direction, length, point, within};
use super::lattice::{Lattice, cells_covering, cells_nearest, frame_along};
use crate::particles::Vorton;
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

/// A tube of vorticity ∝ ½(cos(π ρ/r(s)) + 1)/r(s)² along `axis`, with r(s) = (d/2)(1 − v (cos(2π k s/L) −
/// 1)).
///
/// s runs along the axis from the centre and ρ is the distance from it. Every cross-section carries exactly
/// Γ, and where the radius varies the radial part ω_ρ = ω_s ρ r'/r makes the vortex lines follow the wall,
/// so the field is free of divergence between the ends. There the lines end, as in a piece of an infinite
/// tube: Σα ≠ 0, and relaxation disturbs it. The original varied only the radius: its circulation was
/// proportional to r², and varied by a factor (1 + 2v)² along the tube, 1.96 for v = 0.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortexTube {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Direction of the vorticity if Γ > 0; any length but 0.
    pub axis: Vec3,
    /// Diameter d at the centre \[m\].
    pub diameter: f32,
    /// Length L \[m\], rounded to the nearest multiple of the spacing.
    pub length: f32,
    /// Circulation Γ \[m²/s\] of every cross-section.
    pub circulation: f32,
    /// Variation v of the radius, −0.45 to 1.5: the radius goes from d/2 to (1 + 2v) d/2.
    pub variation: f32,
    /// Number k of waves of the radius along the tube, 0 to 1e6.
    pub wave_number: f32,
    /// Lattice spacing h \[m\].
    pub spacing: f32,
}

impl VortexTube {
    /// Returns the vortons. In each lattice plane normal to the axis Σ α/h is Γ along `axis`.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if a cross-section contains no vorton, or
    /// all of them together more than [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let axis = direction("axis", self.axis)?;
        let radius = 0.5 * length("diameter", self.diameter)?;
        let tube_length = length("length", self.length)?;
        let circulation = amount("circulation", self.circulation)?;
        // At −1/2 the tube pinches to nothing; at 1.5 its widest part is 4 times as wide, the original's
        // box.
        let variation = within("variation", self.variation, -0.45, 1.5, "from -0.45 to 1.5")?;
        let wave_number = within("wave_number", self.wave_number, 0.0, 1e6, "from 0 to 1e6")?;
        let spacing = length("spacing", self.spacing)?;

        let across = cells_covering(radius * (1.0 + 2.0 * variation.max(0.0)), spacing);
        let along = cells_nearest(tube_length, spacing);
        let lattice = Lattice { centre, frame: frame_along(axis), spacing, cells: [across, across, along] };
        let wave = 2.0 * PI * wave_number / tube_length;
        let mut samples = lattice.sample(|p| {
            let (sin, cos) = libm::sincos(wave * p.z);
            let local_radius = radius * (1.0 - variation * (cos - 1.0));
            let slope = radius * variation * wave * sin;
            let rho = (p.x * p.x + p.y * p.y).sqrt();
            let spread = slope / local_radius;
            (rho < local_radius).then(|| {
                DVec3::new(p.x * spread, p.y * spread, 1.0) * 0.5 * (libm::cos(PI * rho / local_radius) + 1.0)
            })
        })?;
        // Scaling each plane separately supplies the factor 1/r², and removes the lattice's error of every
        // cross-section.
        lattice.normalise(
            &mut samples,
            along,
            |a, b| a.position.z == b.position.z,
            |s| s.vorticity.z * spacing * spacing,
            circulation,
        )?;
        lattice.vortons(&samples)
    }
}
