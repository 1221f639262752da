//! Spheres.

use super::round::{LineInterval, entry, span_in_ball, surface_around};
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// A solid sphere centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Radius \[m\], positive.
    pub radius: f32,
}

impl Sphere {
    fn span(&self, start: Vec3, way: DVec3) -> Option<LineInterval> {
        span_in_ball(start.as_dvec3(), way, self.radius.into())
    }
}

impl ShapeQueries for Sphere {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.radius)
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.radius)
    }

    fn surface(&self, point: Vec3) -> Surface {
        surface_around(point.as_dvec3(), DVec3::ZERO, self.radius.into(), DVec3::Z)
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let span = self.span(start, end.as_dvec3() - start.as_dvec3());
        entry((start, end), self.radius.into(), span, |point| self.surface(point))
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        let (_, leave) = self.span(start, way.as_dvec3())?;
        leave.is_finite().then_some(leave as f32)
    }

    fn mass_properties(&self) -> MassProperties {
        let r = f64::from(self.radius);
        let volume = 4.0 / 3.0 * PI * r * r * r;
        MassProperties {
            volume,
            centroid: DVec3::ZERO,
            second_moment: DMat3::from_diagonal(DVec3::splat(volume * r * r / 5.0)),
        }
    }

    fn area(&self) -> f64 {
        4.0 * PI * f64::from(self.radius) * f64::from(self.radius)
    }

    fn span(&self, _normal: DVec3) -> (f64, f64) {
        let radius = f64::from(self.radius);
        (-radius, radius)
    }

    fn part_below(&self, normal: Vec3, height: f32) -> Part {
        let r = f64::from(self.radius);
        let d = f64::from(height).max(-r).min(r);
        // A cap of height r + d: its moment along the normal is −π (r² − d²)² / 4.
        let (cap, rim2) = (r + d, (r - d) * (r + d));
        Part {
            volume: PI * cap * cap * (3.0 * r - cap) / 3.0,
            moment: normal.as_dvec3() * (-0.25 * PI * rim2 * rim2),
        }
    }
}
