//! A shear layer: a sheet of vorticity with a thickness that may vary (E20).

use super::error::{InitialError, amount, direction, length, point, within};
use super::lattice::{Lattice, cells_covering, cells_nearest};
use crate::particles::Vorton;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// Edge of the sheet \[d\]: sech² is 0.1 here, the original's cut-off (|ω|² < 0.01 of the peak).
const EDGE: f64 = 1.818_446_459_232_066_8;

/// A sheet ω_y = (ΔU/2) f(z/d)/d, ω_z = (ΔU/2) f(z/d) z d'/d², with d(y) = T (1 − (v/2)(cos(2π y/w) − 1)).
///
/// y runs along `direction`, z along `normal`, x along `direction` × `normal`. The fluid above the sheet
/// moves by ΔU relative to the fluid below it, along x. The profile is the shear layer u_x = (ΔU/2)
/// tanh(z/d), so f = sech², except at the edge: f = C sech²(ζ) (1 − (ζ/1.82)⁶) ends at |ζ| = 1.82, and C =
/// 1.1 compensates for the truncated part. With a plain cut at sech² = 0.1 that part would jump from column
/// to column.
///
/// ω_z is chosen so that the field is free of divergence for every f. The original had tanh² instead of
/// sech²: for v = 0.2, T = 1, w = 7 its divergence is up to 0.12 of the peak vorticity per T; and since
/// tanh² does not fall off, 1792 cells of its box stayed above the cut-off although the layer fills 512.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortexSheet {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Normal of the sheet; any length but 0.
    pub normal: Vec3,
    /// Direction of the vorticity if ΔU > 0, perpendicular to `normal` within 1e-3; any length but 0.
    pub direction: Vec3,
    /// Smallest thickness T (for v ≥ 0) \[m\].
    pub thickness: f32,
    /// Size w along `direction`, one wave of the thickness \[m\], rounded to the nearest multiple of the
    /// spacing.
    pub width: f32,
    /// Size along `direction` × `normal` \[m\], rounded to the nearest multiple of the spacing.
    pub extent: f32,
    /// Velocity jump ΔU \[m/s\] across the sheet.
    pub velocity_jump: f32,
    /// Variation v of the thickness, −0.75 to 4: it goes from T to (1 + v) T.
    pub variation: f32,
    /// Lattice spacing h \[m\].
    pub spacing: f32,
}

impl VortexSheet {
    /// Returns the vortons. In each lattice column along the normal Σ α/h² is ΔU along `direction`.
    ///
    /// # Errors
    /// Names the first field that is out of range; `spacing` also if a column contains no vorton, or all of
    /// them together more than [`MAX_INITIAL_VORTONS`](super::MAX_INITIAL_VORTONS).
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let normal = direction("normal", self.normal)?;
        let along = direction("direction", self.direction)?;
        let thickness = length("thickness", self.thickness)?;
        let width = length("width", self.width)?;
        let extent = length("extent", self.extent)?;
        let velocity_jump = amount("velocity_jump", self.velocity_jump)?;
        // At −1 the sheet thins to nothing. The limits keep the thinnest and the thickest part within a
        // factor 5.
        let variation = within("variation", self.variation, -0.75, 4.0, "from -0.75 to 4")?;
        let spacing = length("spacing", self.spacing)?;
        if along.dot(normal).abs() > 1e-3 {
            let range = "perpendicular to the normal";
            return Err(InitialError::VectorOutOfRange { field: "direction", value: self.direction, range });
        }
        let along = (along - along.dot(normal) * normal).normalize();

        // Local x is the normal, so that a column is a run of neighbouring samples; local y is the direction.
        let frame = DMat3::from_cols(normal, along, normal.cross(along));
        let thickest = thickness * (1.0 + variation.max(0.0));
        let columns = [cells_nearest(width, spacing), cells_nearest(extent, spacing)];
        let cells = [cells_covering(EDGE * thickest, spacing), columns[0], columns[1]];
        let lattice = Lattice { centre, frame, spacing, cells };
        let wave = 2.0 * PI / width;
        let mut samples = lattice.sample(|p| {
            let (sin, cos) = libm::sincos(wave * p.y);
            let d = thickness * (1.0 - 0.5 * variation * (cos - 1.0));
            let slope = 0.5 * thickness * variation * wave * sin;
            let height = p.x / d;
            let sech = 1.0 / libm::cosh(height);
            let profile = sech * sech * (1.0 - libm::pow(height / EDGE, 6.0));
            (height.abs() < EDGE).then(|| DVec3::new(height * slope, 1.0, 0.0) * (profile / d))
        })?;
        lattice.normalise(
            &mut samples,
            columns[0] * columns[1],
            |a, b| a.position.y == b.position.y && a.position.z == b.position.z,
            |s| s.vorticity.y * spacing,
            velocity_jump,
        )?;
        lattice.vortons(&samples)
    }
}
