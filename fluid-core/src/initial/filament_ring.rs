//! The thinnest ring: a single row of vortons on a circle (E21).

use super::error::{InitialError, amount, collected, direction, length, point};
use super::lattice::{MAX_INITIAL_VORTONS, frame_along};
use crate::particles::{Vorton, VortonRing};
use glam::Vec3;
use std::f64::consts::PI;

/// Vortons evenly spaced on a circle, each along the tangent with |α| = Γ 2πR/N. Its thickness is the core
/// radius of the world.
///
/// It travels along `axis` if Γ > 0, with a thin core at U = Γ/(4πR) (ln(8R/σ) − C), where C depends on the
/// kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilamentRing {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Direction of travel; any length but 0.
    pub axis: Vec3,
    /// Radius R \[m\].
    pub radius: f32,
    /// Circulation Γ \[m²/s\].
    pub circulation: f32,
    /// Radius a \[m\] of the tube of fluid that the vortons represent. Sets their volumes, (2πR/N) πa², and
    /// not their velocities; usually the core radius of the world.
    pub core_radius: f32,
    /// Number N of vortons, 3 to [`MAX_INITIAL_VORTONS`].
    pub count: u32,
}

impl FilamentRing {
    /// Returns the vortons. Σ α_φ/(2πρ) = Γ and Σ α = 0.
    ///
    /// # Errors
    /// Names the first field that is out of range.
    pub fn vortons(&self) -> Result<Vec<Vorton>, InitialError> {
        let centre = point("centre", self.centre)?;
        let frame = frame_along(direction("axis", self.axis)?);
        let radius = length("radius", self.radius)?;
        let circulation = amount("circulation", self.circulation)?;
        let core_radius = length("core_radius", self.core_radius)?;
        if !(3..=MAX_INITIAL_VORTONS).contains(&(self.count as usize)) {
            let value = f64::from(self.count);
            return Err(InitialError::OutOfRange { field: "count", value, range: "from 3 to 2^20" });
        }
        let ring = VortonRing {
            centre,
            plane: [frame.x_axis, frame.y_axis],
            radius,
            circulation,
            section: PI * core_radius * core_radius,
            count: self.count as usize,
            phase: 0.0,
        };
        collected(ring.vortons())
    }
}
