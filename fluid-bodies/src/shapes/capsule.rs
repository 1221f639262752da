//! A capsule.

use super::round::{Span, entry, span_in_ball, surface_around};
use super::{Entry, MassProperties, Part, ShapeQueries, Surface};
use glam::{DMat3, DVec2, DVec3, Vec3};
use std::f64::consts::PI;

/// All places within a distance of a straight line about the origin, along z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// Half the length of the straight part \[m\], at least 0.
    pub half_height: f32,
    /// Radius \[m\], positive.
    pub radius: f32,
}

impl Capsule {
    /// The line's spans in the two balls and in the cylinder between them, together: they are one, since the
    /// capsule is convex.
    fn span(&self, start: Vec3, way: DVec3) -> Option<Span> {
        let (start, half, radius) = (start.as_dvec3(), f64::from(self.half_height), f64::from(self.radius));
        let ball = |z: f64| span_in_ball(start - DVec3::Z * z, way, radius);
        let both = |a: Span, b: Span| (a.0.min(b.0), a.1.max(b.1));
        [ball(half), ball(-half), self.span_in_cylinder(start, way)].into_iter().flatten().reduce(both)
    }

    fn span_in_cylinder(&self, start: DVec3, way: DVec3) -> Option<Span> {
        let (enter, leave) = span_in_ball(start.with_z(0.0), way.with_z(0.0), self.radius.into())?;
        let half = f64::from(self.half_height);
        let (a, b) = ((-half - start.z) / way.z, (half - start.z) / way.z);
        if way.z == 0.0 {
            return (start.z.abs() <= half).then_some((enter, leave));
        }
        let (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
        (enter <= leave).then_some((enter, leave))
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
        // The ball's halves are h away; a half's centroid is 3/8 r from its flat side.
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
        let mut parts = Part::default();
        // Between the places where the section or its cut begins, ends or has a kink.
        let mut ends = [-h - r, -h, h, h + r, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        ends[4..8].copy_from_slice(&cut.touches_balls(h, r));
        ends[8..].copy_from_slice(&cut.touches_cylinder(r));
        for end in &mut ends {
            // One that is not a number becomes an end.
            *end = end.max(-h - r).min(h + r);
        }
        ends.sort_unstable_by(f64::total_cmp);
        for pair in ends.windows(2) {
            let (from, length) = (pair[0], pair[1] - pair[0]);
            if length <= 0.0 {
                continue;
            }
            for (node, weight) in NODES.into_iter().flat_map(|(x, weight)| [(-x, weight), (x, weight)]) {
                // At such places the section grows as a root: evening out both ends makes that smooth.
                let u = 0.5 * (1.0 + node);
                let z = from + length * u * u * (3.0 - 2.0 * u);
                let step = length * 0.5 * weight * 6.0 * u * (1.0 - u);
                let beyond = (z.abs() - h).max(0.0);
                let section = cut.section(z, ((r - beyond) * (r + beyond)).max(0.0).sqrt());
                parts.volume += step * section.volume;
                parts.moment += section.moment * step;
            }
        }
        parts
    }
}

/// The half-space below a plane, as seen along z: in the plane across z the cut is a straight line.
struct Cut {
    /// Unit vector across z, and the normal's component along it.
    across: DVec2,
    slope: f64,
    /// The normal's component along z.
    along: f64,
    height: f64,
}

impl Cut {
    fn new(normal: Vec3, height: f32) -> Self {
        let normal = normal.as_dvec3();
        let slope = normal.truncate().length();
        let across = normal.truncate().try_normalize().unwrap_or(DVec2::X);
        Self { across, slope, along: normal.z, height: height.into() }
    }

    /// Area, and first moment, of the part of the disc at height `z` that is below.
    fn section(&self, z: f64, radius: f64) -> Part {
        let reach = self.height - self.along * z;
        let line =
            if reach.abs() < self.slope * radius { reach / self.slope } else { radius.copysign(reach) };
        let half_chord = ((radius - line) * (radius + line)).sqrt();
        let angle = if radius > 0.0 { libm::acos(-line / radius) } else { 0.0 };
        let area = radius * radius * angle + line * half_chord;
        let moment = self.across * (-2.0 / 3.0 * half_chord * half_chord * half_chord);
        Part { volume: area, moment: moment.extend(z * area) }
    }

    /// Heights at which the line touches the rim of a ball's section (not a number where it never does).
    fn touches_balls(&self, half_height: f64, radius: f64) -> [f64; 4] {
        let one = |centre: f64| {
            let distance = self.height - self.along * centre;
            let half = self.slope * (radius * radius - distance * distance).sqrt();
            let middle = centre + distance * self.along;
            [middle - half, middle + half]
        };
        let ([a, b], [c, d]) = (one(half_height), one(-half_height));
        [a, b, c, d]
    }

    /// The same for the cylinder.
    fn touches_cylinder(&self, radius: f64) -> [f64; 2] {
        [(self.height - self.slope * radius) / self.along, (self.height + self.slope * radius) / self.along]
    }
}

/// Gauss and Legendre's rule with 16 nodes on −1 to 1: positive nodes, and their weights.
const NODES: [(f64, f64); 8] = [
    (0.09501250983763745, 0.18945061045506834),
    (0.2816035507792589, 0.1826034150449236),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657682),
    (0.755404408355003, 0.12462897125553378),
    (0.8656312023878318, 0.09515851168249285),
    (0.9445750230732326, 0.062253523938647776),
    (0.9894009349916499, 0.027152459411754016),
];
