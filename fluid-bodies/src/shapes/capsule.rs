//! Capsules.

use super::round::{LineInterval, entry, span_in_ball, span_in_cylinder, surface_around};
use super::sections::Cut;
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// All points within `radius` of a line segment along z, centred at the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// Half the length of the straight part \[m\], at least 0.
    pub half_height: f32,
    /// Radius \[m\], positive.
    pub radius: f32,
}

impl Capsule {
    /// Returns the union of the line's intervals in the two balls and in the cylinder between them: a
    /// single interval, since the capsule is convex.
    fn span(&self, start: Vec3, way: DVec3) -> Option<LineInterval> {
        let (start, half, radius) = (start.as_dvec3(), f64::from(self.half_height), f64::from(self.radius));
        let ball = |z: f64| span_in_ball(start - DVec3::Z * z, way, radius);
        let both = |a: LineInterval, b: LineInterval| (a.0.min(b.0), a.1.max(b.1));
        [ball(half), ball(-half), span_in_cylinder(start, way, (half, radius))]
            .into_iter()
            .flatten()
            .reduce(both)
    }
}

impl ShapeQueries for Capsule {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.half_height + self.radius)
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.radius)
    }

    fn surface(&self, point: Vec3) -> Surface {
        let (place, half) = (point.as_dvec3(), f64::from(self.half_height));
        surface_around(place, DVec3::Z * place.z.max(-half).min(half), self.radius.into(), DVec3::X)
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let span = self.span(start, end.as_dvec3() - start.as_dvec3());
        let reach = f64::from(self.half_height) + f64::from(self.radius);
        entry((start, end), reach, span, |point| self.surface(point))
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        let (_, leave) = self.span(start, way.as_dvec3())?;
        leave.is_finite().then_some(leave as f32)
    }

    fn mass_properties(&self) -> MassProperties {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let (cylinder, ball) = (2.0 * PI * r * r * h, 4.0 / 3.0 * PI * r * r * r);
        let across = cylinder * r * r / 4.0 + ball * r * r / 5.0;
        // The half balls are h from the centre; the centroid of a half is 3/8 r from its flat side.
        let along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + 0.75 * h * r + h * h);
        MassProperties {
            volume: cylinder + ball,
            centroid: DVec3::ZERO,
            second_moment: DMat3::from_diagonal(DVec3::new(across, across, along)),
        }
    }

    fn area(&self) -> f64 {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        4.0 * PI * r * (h + r)
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let reach = normal.z.abs() * f64::from(self.half_height) + f64::from(self.radius);
        (-reach, reach)
    }

    fn part_below(&self, normal: Vec3, height: f32) -> Part {
        let (h, r) = (f64::from(self.half_height), f64::from(self.radius));
        let cut = Cut::new(normal, height);
        // Ends of the pieces between which the section or its cut begins, ends or has a kink.
        let mut ends = [-h - r, -h, h, h + r, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        ends[4..8].copy_from_slice(&cut.touches_balls(h, r));
        ends[8..].copy_from_slice(&cut.touches_cylinder(r));
        for end in &mut ends {
            // NaN becomes one of the two ends.
            *end = end.max(-h - r).min(h + r);
        }
        cut.sum_of_sections(&mut ends, |z| {
            let beyond = (z.abs() - h).max(0.0);
            ((r - beyond) * (r + beyond)).max(0.0).sqrt()
        })
    }
}
