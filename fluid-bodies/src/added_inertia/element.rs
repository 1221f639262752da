//! A triangle of a surface, and closed forms for the influence of an even source and a linear dipole on it
//! at a point.

use crate::surface::TriangleCorners;
use glam::DVec3;

/// Lower bound on the gap between a point and an edge, relative to their distance \[1\]. It bounds the
/// logarithm for a point on the line of an edge, for which the contribution of that edge is 0.
const LEAST_GAP: f64 = 1e-15;

/// A triangle with a linear potential, given at three nodes.
#[derive(Debug, Clone)]
pub(super) struct BoundaryElement {
    corners: TriangleCorners,
    /// Unit normal into the fluid.
    pub(super) normal: DVec3,
    pub(super) area: f64,
    /// Gradients of the functions that are 1 at one corner and 0 at the others.
    gradients: [DVec3; 3],
}

/// Integrals over an element for a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementInfluence {
    /// ∫ N_c / r dS for the linear function N_c of each corner.
    pub(super) source: [f64; 3],
    /// ∫ f (y − x)·n / r³ dS for each node, where f is 1 at that node and 0 at the others. The sum of all
    /// three is the solid angle, positive as seen from behind.
    pub(super) dipole: [f64; 3],
}

impl BoundaryElement {
    /// Creates an element; `None` without area.
    pub(super) fn new(corners: TriangleCorners) -> Option<Self> {
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a);
        let twice = across.length();
        if !(twice > 0.0 && twice.is_finite()) {
            return None;
        }
        let normal = across / twice;
        let gradients = [c - b, a - c, b - a].map(|edge| normal.cross(edge) / twice);
        gradients.iter().all(|g| g.is_finite()).then_some(Self {
            corners,
            normal,
            area: 0.5 * twice,
            gradients,
        })
    }

    /// Returns the three nodes: quadratic functions are integrated exactly with equal weights there.
    pub(super) fn nodes(&self) -> [DVec3; 3] {
        let [a, b, c] = self.corners;
        let sum = a + b + c;
        [a, b, c].map(|corner| (corner * 3.0 + sum) / 6.0)
    }

    /// Returns the corners.
    pub(super) fn corners(&self) -> &TriangleCorners {
        &self.corners
    }

    /// Returns the integrals for `point`. The dipole integral for a point on the element itself is 0, and
    /// is not computed here.
    pub(super) fn influence(&self, point: DVec3) -> ElementInfluence {
        let corners = self.corners.map(|corner| corner - point);
        let distances = corners.map(|corner| corner.length());
        let height = corners[0].dot(self.normal);
        let angle = solid_angle(corners, distances);
        let mut potential = -height * angle;
        // ∮ m / r and ∮ m r along the edges, m their normals in the plane.
        let (mut inverse, mut linear) = (DVec3::ZERO, DVec3::ZERO);
        for from in 0..3 {
            let to = (from + 1) % 3;
            let edge = corners[to] - corners[from];
            let length = edge.length();
            let along = edge / length;
            let outwards = along.cross(self.normal);
            let away = corners[from].dot(outwards);
            let sum = distances[from] + distances[to];
            let log = libm::log((sum + length) / (sum - length).max(LEAST_GAP * sum));
            potential += away * log;
            inverse += outwards * log;
            let ends = corners[to].dot(along) * distances[to] - corners[from].dot(along) * distances[from];
            linear += outwards * (0.5 * (ends + (away * away + height * height) * log));
        }
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let below = self.gradients.map(|gradient| 1.0 / 3.0 - gradient.dot(middle));
        let both =
            |c: usize, of_one: f64, of_slope: DVec3| below[c] * of_one + self.gradients[c].dot(of_slope);
        let source = [0, 1, 2].map(|c| both(c, potential, linear));
        let dipole = [0, 1, 2].map(|c| both(c, angle, -inverse * height));
        ElementInfluence { source, dipole: at_nodes(dipole) }
    }
}

/// Converts from functions that are 1 at a corner to functions that are 1 at a node.
fn at_nodes(corners: [f64; 3]) -> [f64; 3] {
    let mean = (corners[0] + corners[1] + corners[2]) / 3.0;
    corners.map(|value| 2.0 * value - mean)
}

/// Van Oosterom and Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983).
fn solid_angle([a, b, c]: TriangleCorners, [ra, rb, rc]: [f64; 3]) -> f64 {
    let along = ra * rb * rc + a.dot(b) * rc + b.dot(c) * ra + c.dot(a) * rb;
    2.0 * libm::atan2(a.dot(b.cross(c)), along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Sums over `parts`² pieces of equal area, evaluated at their centroids.
    fn sum(corners: &TriangleCorners, parts: usize, value: impl Fn([f64; 3], DVec3) -> f64) -> f64 {
        let [a, b, c] = *corners;
        let piece = 0.5 * (b - a).cross(c - a).length() / (parts * parts) as f64;
        let mut sum = 0.0;
        for (i, j) in (0..parts).flat_map(|i| (0..parts - i).map(move |j| (i, j))) {
            for up in [1.0, 2.0].into_iter().take(if i + j + 1 < parts { 2 } else { 1 }) {
                let share = |n: usize| (n as f64 + up / 3.0) / parts as f64;
                let weights = [1.0 - share(i) - share(j), share(i), share(j)];
                sum += piece * value(weights, a * weights[0] + b * weights[1] + c * weights[2]);
            }
        }
        sum
    }

    #[test]
    fn integrals_are_sums_over_small_pieces() {
        let corners = [DVec3::new(0.1, 0.2, -0.3), DVec3::new(1.3, 0.0, 0.4), DVec3::new(0.2, 1.1, 0.3)];
        let element = BoundaryElement::new(corners).expect("an area");
        for point in [DVec3::new(0.4, 0.3, 1.0), DVec3::new(0.3, 0.5, -0.5), DVec3::new(2.0, -1.0, 0.3)] {
            let influence = element.influence(point);
            // Converts values at nodes to values at corners, one function after the other.
            for n in 0..3 {
                let at_corner = |c: usize| if c == n { 5.0 / 3.0 } else { -1.0 / 3.0 };
                let source = sum(&corners, 200, |weights, y| weights[n] / (y - point).length());
                let dipole = sum(&corners, 200, |weights, y| {
                    let value: f64 = (0..3).map(|c| weights[c] * at_corner(c)).sum();
                    value * (y - point).dot(element.normal) / (y - point).length().powi(3)
                });
                assert!((influence.source[n] - source).abs() < 1e-5, "{} or {source}", influence.source[n]);
                assert!((influence.dipole[n] - dipole).abs() < 5e-5, "{} or {dipole}", influence.dipole[n]);
            }
        }
    }

    #[test]
    fn a_closed_surface_is_seen_under_the_whole_angle_from_inside_and_none_from_outside() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let elements =
            [[o, y, x], [o, z, y], [o, x, z], [x, y, z]].map(|t| BoundaryElement::new(t).expect("an area"));
        let angle = |point: DVec3| -> f64 {
            elements.iter().flat_map(|element| element.influence(point).dipole).sum()
        };
        assert!((angle(DVec3::splat(0.2)) - 4.0 * PI).abs() < 1e-12);
        assert!(angle(DVec3::new(0.6, 0.7, -0.1)).abs() < 1e-12);
    }
}
