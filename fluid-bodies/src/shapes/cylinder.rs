//! Cylinders.

use super::polyhedron::{length_and_direction, rounding};
use super::round::{span_in_ball, span_in_cylinder};
use super::sections::Cut;
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

/// A circular cylinder centred at the origin, along z, with flat ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    /// Half the distance between its ends \[m\], positive.
    pub half_height: f32,
    /// Radius \[m\], positive.
    pub radius: f32,
}

impl Cylinder {
    /// Returns the half height and radius \[m\].
    fn size(&self) -> (f64, f64) {
        (self.half_height.into(), self.radius.into())
    }

    /// Returns the direction and distance from the axis to a point; on the axis, an arbitrary perpendicular
    /// direction.
    fn outwards(place: DVec3) -> (DVec3, f64) {
        let (distance, direction) = length_and_direction(place.with_z(0.0)).unwrap_or((0.0, DVec3::X));
        (direction, distance)
    }
}

impl ShapeQueries for Cylinder {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        let (h, r) = self.size();
        (Vec3::ZERO, (h * h + r * r).sqrt() as f32)
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (Vec3::ZERO, self.half_height.min(self.radius))
    }

    fn surface(&self, point: Vec3) -> Surface {
        let ((h, r), place) = (self.size(), point.as_dvec3());
        let (outwards, from_axis) = Self::outwards(place);
        let up = if place.z < 0.0 { DVec3::NEG_Z } else { DVec3::Z };
        let (beside, above) = (from_axis - r, place.z.abs() - h);
        let surface = |distance: f64, at: DVec3, normal: DVec3| Surface {
            distance: distance as f32,
            point: at.as_vec3(),
            normal: normal.as_vec3(),
        };
        if beside > 0.0 && above > 0.0 {
            let rim = outwards * r + up * h;
            let (distance, normal) =
                length_and_direction(outwards * beside + up * above).unwrap_or((0.0, up));
            return surface(distance, rim, normal);
        }
        if beside >= above {
            return surface(beside, (outwards * r).with_z(place.z), outwards);
        }
        surface(above, place.with_z(up.z * h), up)
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let ((h, r), start, way) = (self.size(), start.as_dvec3(), end.as_dvec3() - start.as_dvec3());
        let (enter, leave) = span_in_cylinder(start, way, (h, r))?;
        let side = span_in_ball(start.with_z(0.0), way.with_z(0.0), r)?;
        // Signed distances of the start from an end and from the side.
        let from_end = |up: f64| up * start.z - h;
        let from_side = Self::outwards(start).1 - r;
        let up = way.z.signum();
        let (through_end, out_of_end) = (enter > side.0, leave < side.1);
        let distance = if through_end { from_end(-up) } else { from_side };
        let is_outbound = start.truncate().dot(way.truncate()) >= 0.0;
        let behind = match (out_of_end, is_outbound) {
            (true, _) => from_end(up),
            (false, true) => from_side,
            (false, false) => f64::NEG_INFINITY,
        };
        // At the rim a segment may enter through one surface and exit through the other: within rounding it
        // exits.
        let on_surface = rounding(start, h + r);
        let starts_outside = distance >= -on_surface && behind < -on_surface;
        if !(starts_outside && enter <= 1.0 && leave > 0.0) {
            return None;
        }
        let enter = enter.max(0.0);
        let normal = if through_end { DVec3::Z * -up } else { Self::outwards(start + way * enter).0 };
        Some(Entry { share: enter as f32, normal: normal.as_vec3() })
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        let (_, leave) = span_in_cylinder(start.as_dvec3(), way.as_dvec3(), self.size())?;
        leave.is_finite().then_some(leave as f32)
    }

    fn mass_properties(&self) -> MassProperties {
        let (h, r) = self.size();
        let volume = 2.0 * PI * r * r * h;
        let (across, along) = (volume * r * r / 4.0, volume * h * h / 3.0);
        let second_moment = DMat3::from_diagonal(DVec3::new(across, across, along));
        MassProperties { volume, centroid: DVec3::ZERO, second_moment }
    }

    fn area(&self) -> f64 {
        let (h, r) = self.size();
        2.0 * PI * r * (2.0 * h + r)
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let (h, r) = self.size();
        let reach = normal.z.abs() * h + normal.truncate().length() * r;
        (-reach, reach)
    }

    fn part_below(&self, normal: Vec3, height: f32) -> Part {
        let ((h, r), cut) = (self.size(), Cut::new(normal, height));
        let [from, to] = cut.touches_cylinder(r);
        // NaN becomes one of the two ends.
        let mut ends = [-h, h, from.max(-h).min(h), to.max(-h).min(h)];
        cut.sum_of_sections(&mut ends, |_| r)
    }
}
