//! Parts below a plane of solids of revolution about z, integrated over their sections.

use super::Part;
use glam::{DVec2, Vec3};

/// The half-space below a plane, in terms of sections at constant z: its boundary in a section is a
/// straight line.
pub(super) struct Cut {
    /// Unit vector of the normal's component perpendicular to z, and that component's length.
    across: DVec2,
    slope: f64,
    /// The normal's component along z.
    along: f64,
    height: f64,
}

impl Cut {
    pub(super) fn new(normal: Vec3, height: f32) -> Self {
        let normal = normal.as_dvec3();
        let slope = normal.truncate().length();
        let across = normal.truncate().try_normalize().unwrap_or(DVec2::X);
        Self { across, slope, along: normal.z, height: height.into() }
    }

    /// Integrates the part of a solid that is below the plane. Between consecutive `ends` \[m\], neither
    /// the section's radius \[m\], which `radius_at` returns for its height, nor its cut has a kink. Sorts
    /// `ends`.
    pub(super) fn sum_of_sections(&self, ends: &mut [f64], radius_at: impl Fn(f64) -> f64) -> Part {
        let mut parts = Part::default();
        ends.sort_unstable_by(f64::total_cmp);
        for pair in ends.windows(2) {
            let (from, length) = (pair[0], pair[1] - pair[0]);
            if length <= 0.0 {
                continue;
            }
            for (node, weight) in GAUSS_NODES.into_iter().flat_map(|(x, weight)| [(-x, weight), (x, weight)])
            {
                // Near an end the section grows as a square root; the substitution makes that smooth at
                // both ends.
                let u = 0.5 * (1.0 + node);
                let z = from + length * u * u * (3.0 - 2.0 * u);
                let step = length * 0.5 * weight * 6.0 * u * (1.0 - u);
                let section = self.section(z, radius_at(z));
                parts.volume += step * section.volume;
                parts.moment += section.moment * step;
            }
        }
        parts
    }

    /// Returns the area and first moment of the part below the plane of the disc at height `z`.
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

    /// Returns the heights at which the line touches the rim of a ball's section (NaN if it never does).
    pub(super) fn touches_balls(&self, half_height: f64, radius: f64) -> [f64; 4] {
        let one = |centre: f64| {
            let distance = self.height - self.along * centre;
            let half = self.slope * (radius * radius - distance * distance).sqrt();
            let middle = centre + distance * self.along;
            [middle - half, middle + half]
        };
        let ([a, b], [c, d]) = (one(half_height), one(-half_height));
        [a, b, c, d]
    }

    /// Same for the cylinder.
    pub(super) fn touches_cylinder(&self, radius: f64) -> [f64; 2] {
        [(self.height - self.slope * radius) / self.along, (self.height + self.slope * radius) / self.along]
    }
}

/// Gauss-Legendre rule with 16 nodes on −1 to 1: positive nodes, and their weights.
const GAUSS_NODES: [(f64, f64); 8] = [
    (0.09501250983763745, 0.18945061045506834),
    (0.2816035507792589, 0.1826034150449236),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657682),
    (0.755404408355003, 0.12462897125553378),
    (0.8656312023878318, 0.09515851168249285),
    (0.9445750230732326, 0.062253523938647776),
    (0.9894009349916499, 0.027152459411754016),
];
