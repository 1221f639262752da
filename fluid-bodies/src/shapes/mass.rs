//! Displaced volume of solids, and its moments.

use super::Shape;
use crate::pose::Pose;
use fluid_core::math::{outer, trace};
use glam::{DMat3, DVec3};

/// Moments of a solid of density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume \[m³\].
    pub volume: f64,
    /// Centroid \[m\].
    pub centroid: DVec3,
    /// ∫ (x − c)(x − c)ᵀ dV about the centroid c \[m⁵\].
    pub second_moment: DMat3,
}

fluid_core::saved::fields!(MassProperties { volume, centroid, second_moment });

/// A part of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Part {
    /// Volume \[m³\].
    pub volume: f64,
    /// First moment ∫ x dV \[m⁴\] about the origin of the shape's coordinates.
    pub moment: DVec3,
}

impl Part {
    /// Returns this fraction of the part.
    pub(crate) fn times(&self, fraction: f64) -> Self {
        Self { volume: self.volume * fraction, moment: self.moment * fraction }
    }
}

impl MassProperties {
    /// Moments of an empty solid.
    pub const NONE: Self = Self { volume: 0.0, centroid: DVec3::ZERO, second_moment: DMat3::ZERO };

    /// Sums over all shapes of a body, in the body's axes. Overlaps count twice.
    pub fn of(shapes: &[Shape]) -> Self {
        let each = shapes.iter().map(|shape| shape.geometry.queries().mass_properties().moved(&shape.pose));
        each.fold(Self::NONE, |sum, one| sum.and(&one))
    }

    /// Returns the inertia tensor about the origin, for density 1 \[m⁵\].
    pub fn inertia_about_origin(&self) -> DMat3 {
        let c = self.centroid;
        let away = DMat3::from_diagonal(DVec3::splat(c.length_squared())) - outer(c, c);
        self.inertia() + away * self.volume
    }

    /// Returns the inertia tensor about the centroid, for density 1 \[m⁵\].
    pub fn inertia(&self) -> DMat3 {
        let trace = trace(&self.second_moment);
        DMat3::from_diagonal(DVec3::splat(trace)) - self.second_moment
    }

    /// Returns the moments of the same solid at another pose.
    pub fn moved(&self, pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.rotation.as_dquat().normalize());
        Self {
            volume: self.volume,
            centroid: pose.position.as_dvec3() + turn * self.centroid,
            second_moment: turn * self.second_moment * turn.transpose(),
        }
    }

    /// Adds the moments of two solids.
    pub fn and(&self, other: &Self) -> Self {
        let volume = self.volume + other.volume;
        if volume == 0.0 {
            return Self::NONE;
        }
        let centroid = (self.centroid * self.volume + other.centroid * other.volume) / volume;
        let about = |part: &Self| {
            let d = part.centroid - centroid;
            part.second_moment + outer(d, d) * part.volume
        };
        Self { volume, centroid, second_moment: about(self) + about(other) }
    }
}
