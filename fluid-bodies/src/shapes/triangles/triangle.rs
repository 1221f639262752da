//! A triangle: nearest point, and intersection with a line segment. In f64, for corners in f32.

use glam::{DVec3, Vec3};

/// A triangle, counterclockwise as seen from its front.
#[derive(Debug, Clone, Copy)]
pub(in crate::shapes) struct Triangle {
    pub(in crate::shapes) corners: [DVec3; 3],
}

/// Feature of a triangle that contains a nearest point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shapes) enum Feature {
    /// Interior of the triangle.
    Face,
    /// The edge from corner `.0` to the next one.
    Edge(usize),
    /// Corner `.0`.
    Corner(usize),
}

/// Sides from which a triangle can be crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shapes) enum Sides {
    /// Front only.
    Front,
    /// Both sides.
    Both,
}

/// Distance behind a triangle within which a start still counts as on it, relative to the coordinates of
/// both \[1\].
const ON_SURFACE: f64 = 4.0 * f32::EPSILON as f64;

impl Triangle {
    pub(in crate::shapes) fn new(corners: [Vec3; 3]) -> Self {
        Self { corners: corners.map(|corner| corner.as_dvec3()) }
    }

    /// Returns the normal with the length of twice the area \[m²\].
    pub(in crate::shapes) fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    /// Returns the lowest and highest coordinates \[m\].
    pub(in crate::shapes) fn bounds(&self) -> (DVec3, DVec3) {
        let [a, b, c] = self.corners;
        (a.min(b).min(c), a.max(b).max(c))
    }

    /// Returns the nearest point to `place` \[m\], and the feature that contains it (Ericson, Real-Time
    /// Collision Detection, 5.1.5).
    pub(in crate::shapes) fn nearest(&self, place: DVec3) -> (DVec3, Feature) {
        let [a, b, c] = self.corners;
        let (ab, ac, ap) = (b - a, c - a, place - a);
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return (a, Feature::Corner(0));
        }
        let bp = place - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return (b, Feature::Corner(1));
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
        }
        let cp = place - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return (c, Feature::Corner(2));
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            let share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            return (b + (c - b) * share, Feature::Edge(1));
        }
        let scale = 1.0 / (va + vb + vc);
        (a + ab * (vb * scale) + ac * (vc * scale), Feature::Face)
    }

    /// Returns the fraction, 0 to 1, at which the segment from `start` to `start + way` crosses the
    /// triangle. A segment through an edge crosses both triangles of that edge: the products that decide
    /// are the same to the last bit, so nothing slips between them (Woop et al. 2013).
    pub(in crate::shapes) fn crossing(&self, start: DVec3, way: DVec3, sides: Sides) -> Option<f64> {
        let [a, b, c] = self.corners.map(|corner| corner - start);
        let turns = [way.dot(a.cross(b)), way.dot(b.cross(c)), way.dot(c.cross(a))];
        let is_through = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
        let normal = self.normal();
        let (height, rate) = (-a.dot(normal), way.dot(normal));
        if !is_through || rate == 0.0 {
            return None;
        }
        let far = start.abs().max(self.corners[0].abs()).max_element();
        let slack = ON_SURFACE * far * normal.length();
        let goes_in = match sides {
            Sides::Front => rate < 0.0 && height >= -slack && height + rate < 0.0,
            // A start on the surface counts as on the side towards which the segment goes.
            Sides::Both => (height > 0.0 && height + rate <= 0.0) || (height < 0.0 && height + rate >= 0.0),
        };
        goes_in.then(|| (height / -rate).clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    fn random(random: &Random, counter: u64) -> DVec3 {
        random.centred_vec3(counter).as_dvec3()
    }

    /// No point of a fine sample of the triangle is nearer, and the point found is as far as the nearest
    /// sample, up to the sample's spacing; the reported edge or corner contains the point.
    #[test]
    fn the_nearest_point_is_the_nearest_of_a_sample() {
        let dice = Random::new(5);
        for round in 0..2000_u64 {
            let corners = [0, 1, 2].map(|corner| random(&dice, 4 * round + corner));
            let (triangle, place) = (Triangle { corners }, 2.0 * random(&dice, 4 * round + 3));
            let (point, feature) = triangle.nearest(place);
            let mut least = f64::INFINITY;
            for i in 0..=40 {
                for j in 0..=40 - i {
                    let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let sample = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                    least = least.min(sample.distance(place));
                }
            }
            let distance = point.distance(place);
            assert!(distance <= least + 1e-12 && least <= distance + 0.05, "{round}: {distance} {least}");
            let off = match feature {
                Feature::Face => {
                    let normal = triangle.normal().normalize();
                    (point - corners[0]).dot(normal).abs() + (place - point).cross(normal).length()
                }
                Feature::Edge(edge) => {
                    let along = (corners[(edge + 1) % 3] - corners[edge]).normalize();
                    (point - corners[edge]).cross(along).length() + (place - point).dot(along).abs()
                }
                Feature::Corner(corner) => point.distance(corners[corner]),
            };
            assert!(off < 1e-9, "{round}: {feature:?} is off by {off}");
        }
    }

    /// Segments through the common edge of two triangles cross at least one of them, from either side.
    #[test]
    fn nothing_slips_through_a_common_edge() {
        let dice = Random::new(6);
        for round in 0..20_000_u64 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| dice.centred_vec3(6 * round + k));
            let share = dice.unit(6 * round + 4);
            let (on_edge, start) = (a.lerp(b, share), 2.0 * dice.centred_vec3(6 * round + 5));
            let (front, back) = (Triangle::new([a, b, c]), Triangle::new([b, a, d]));
            let (start, way) = (start.as_dvec3(), 2.0 * (on_edge.as_dvec3() - start.as_dvec3()));
            // There is no gap only if the triangles are on opposite sides of the segment.
            let left = |p: Vec3| {
                way.dot((a.as_dvec3() - start).cross(b.as_dvec3() - start).cross(way))
                    * (p.as_dvec3() - start).dot((b.as_dvec3() - a.as_dvec3()).cross(way))
            };
            if left(c) * left(d) >= 0.0 {
                continue;
            }
            let hits = [front, back].map(|triangle| triangle.crossing(start, way, Sides::Both).is_some());
            assert!(hits[0] || hits[1], "{round}");
        }
    }

    #[test]
    fn a_front_is_crossed_from_the_front_only() {
        let triangle = Triangle::new([Vec3::ZERO, Vec3::X, Vec3::Y]);
        let cross = |z: f64, way: f64, sides| {
            triangle.crossing(DVec3::new(0.2, 0.2, z), DVec3::new(0.0, 0.0, way), sides)
        };
        assert_eq!(cross(1.0, -2.0, Sides::Front), Some(0.5));
        assert_eq!(cross(-1.0, 2.0, Sides::Front), None);
        assert_eq!(cross(-1.0, 2.0, Sides::Both), Some(0.5));
        assert_eq!(cross(0.0, -1.0, Sides::Front), Some(0.0));
        assert_eq!((cross(0.0, -1.0, Sides::Both), cross(0.0, 1.0, Sides::Both)), (None, None));
        assert_eq!(cross(1.0, -0.5, Sides::Both), None);
        assert!(triangle.crossing(DVec3::splat(1.0), DVec3::NEG_Z * 2.0, Sides::Both).is_none());
    }
}
