//! A triangle of a surface, and closed forms for the influence of an even source and a linear dipole on it
//! at a point.

use super::branchless::{atan2, log};
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
    /// Edges that begin at each corner.
    edges: [Edge; 3],
    /// Products of the gradients and the edges' normals.
    slopes: [[f64; 3]; 3],
}

/// An edge of an element.
#[derive(Debug, Clone, Copy)]
struct Edge {
    length: f64,
    /// Its direction.
    along: DVec3,
    /// Its normal in the plane of the element.
    outwards: DVec3,
}

/// Number of points processed together \[1\].
pub(super) const LANES: usize = 16;

/// A value for each of these points.
pub(super) type Lane = [f64; LANES];

/// Integrals over an element for some points.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementInfluence {
    /// ∫ N_c / r dS for the linear function N_c of each corner.
    pub(super) source: [Lane; 3],
    /// ∫ f (y − x)·n / r³ dS for each node, where f is 1 at that node and 0 at the others. The sum of all
    /// three is the solid angle, positive as seen from behind.
    pub(super) dipole: [Lane; 3],
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
        let edges = [b - a, c - b, a - c].map(|edge| {
            let (length, along) = (edge.length(), edge / edge.length());
            Edge { length, along, outwards: along.cross(normal) }
        });
        gradients.iter().all(|g| g.is_finite()).then_some(Self {
            corners,
            normal,
            area: 0.5 * twice,
            gradients,
            edges,
            slopes: gradients.map(|gradient| edges.map(|edge| gradient.dot(edge.outwards))),
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

    /// Returns the integrals for some points, given by component. The dipole integral for a point on the
    /// element itself is 0, and is not computed here.
    #[inline(always)]
    pub(super) fn influence(&self, [x, y, z]: &[Lane; 3]) -> ElementInfluence {
        const ZERO: Lane = [0.0; LANES];
        // The corners relative to the points, and their distances.
        let (mut corners, mut distances) = ([[ZERO; 3]; 3], [ZERO; 3]);
        for ((corner, [cx, cy, cz]), distances) in self.corners.iter().zip(&mut corners).zip(&mut distances) {
            for k in 0..LANES {
                (cx[k], cy[k], cz[k]) = (corner.x - x[k], corner.y - y[k], corner.z - z[k]);
                distances[k] = (cx[k] * cx[k] + cy[k] * cy[k] + cz[k] * cz[k]).sqrt();
            }
        }
        let (mut height, mut angle) = (ZERO, ZERO);
        let ([a, b, c], n) = (&corners, self.normal);
        for k in 0..LANES {
            height[k] = a[0][k] * n.x + a[1][k] * n.y + a[2][k] * n.z;
        }
        solid_angle(&corners, &distances, &mut angle);
        // ∮ m·(y − x) / r along the edges, m their normals in the plane, and of each edge ∫ 1/r and ∫ r.
        let (mut potential, mut inverse, mut linear) = (ZERO, [ZERO; 3], [ZERO; 3]);
        for (from, edge) in self.edges.iter().enumerate() {
            let to = (from + 1) % 3;
            let (start, end, along, outwards) = (&corners[from], &corners[to], edge.along, edge.outwards);
            let (log, linear) = (&mut inverse[from], &mut linear[from]);
            for k in 0..LANES {
                let sum = distances[from][k] + distances[to][k];
                let gap = sum - edge.length;
                let least = LEAST_GAP * sum;
                log[k] = (sum + edge.length) / if gap > least { gap } else { least };
            }
            log_of_all(log);
            for k in 0..LANES {
                let away = start[0][k] * outwards.x + start[1][k] * outwards.y + start[2][k] * outwards.z;
                let ends = (end[0][k] * along.x + end[1][k] * along.y + end[2][k] * along.z)
                    * distances[to][k]
                    - (start[0][k] * along.x + start[1][k] * along.y + start[2][k] * along.z)
                        * distances[from][k];
                potential[k] += away * log[k];
                linear[k] = 0.5 * (ends + (away * away + height[k] * height[k]) * log[k]);
            }
        }
        for k in 0..LANES {
            potential[k] -= height[k] * angle[k];
        }
        let mut influence = ElementInfluence { source: [ZERO; 3], dipole: [ZERO; 3] };
        for (corner, gradient) in self.gradients.iter().enumerate() {
            let (source, dipole) = (&mut influence.source[corner], &mut influence.dipole[corner]);
            // Products with the normals of the edges.
            let [p, q, r] = self.slopes[corner];
            for k in 0..LANES {
                let middle = [0, 1, 2].map(|axis| a[axis][k] + b[axis][k] + c[axis][k]);
                let slope = middle[0] * gradient.x + middle[1] * gradient.y + middle[2] * gradient.z;
                let own = (1.0 - slope) / 3.0;
                source[k] = own * potential[k] + (p * linear[0][k] + q * linear[1][k] + r * linear[2][k]);
                dipole[k] =
                    own * angle[k] - height[k] * (p * inverse[0][k] + q * inverse[1][k] + r * inverse[2][k]);
            }
        }
        // From functions that are 1 at a corner to functions that are 1 at a node.
        let [a, b, c] = &mut influence.dipole;
        for k in 0..LANES {
            let mean = (a[k] + b[k] + c[k]) / 3.0;
            (a[k], b[k], c[k]) = (2.0 * a[k] - mean, 2.0 * b[k] - mean, 2.0 * c[k] - mean);
        }
        influence
    }
}

#[inline(always)]
fn log_of_all(values: &mut Lane) {
    for value in values {
        *value = log(*value);
    }
}

/// Van Oosterom and Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30 (1983).
#[inline(always)]
fn solid_angle([a, b, c]: &[[Lane; 3]; 3], [ra, rb, rc]: &[Lane; 3], angle: &mut Lane) {
    let (mut volume, mut along) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..LANES {
        let across = [
            b[1][k] * c[2][k] - c[1][k] * b[2][k],
            b[2][k] * c[0][k] - c[2][k] * b[0][k],
            b[0][k] * c[1][k] - c[0][k] * b[1][k],
        ];
        volume[k] = a[0][k] * across[0] + a[1][k] * across[1] + a[2][k] * across[2];
        let ab = a[0][k] * b[0][k] + a[1][k] * b[1][k] + a[2][k] * b[2][k];
        let bc = b[0][k] * c[0][k] + b[1][k] * c[1][k] + b[2][k] * c[2][k];
        let ca = c[0][k] * a[0][k] + c[1][k] * a[1][k] + c[2][k] * a[2][k];
        along[k] = ra[k] * rb[k] * rc[k] + ab * rc[k] + bc * ra[k] + ca * rb[k];
    }
    for k in 0..LANES {
        angle[k] = 2.0 * atan2(volume[k], along[k]);
    }
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
            let influence = element.influence(&[point.x, point.y, point.z].map(|x| [x; LANES]));
            // Converts values at nodes to values at corners, one function after the other.
            for n in 0..3 {
                let at_corner = |c: usize| if c == n { 5.0 / 3.0 } else { -1.0 / 3.0 };
                let source = sum(&corners, 200, |weights, y| weights[n] / (y - point).length());
                let dipole = sum(&corners, 200, |weights, y| {
                    let value: f64 = (0..3).map(|c| weights[c] * at_corner(c)).sum();
                    value * (y - point).dot(element.normal) / (y - point).length().powi(3)
                });
                assert!(
                    (influence.source[n][0] - source).abs() < 1e-5,
                    "{} or {source}",
                    influence.source[n][0]
                );
                assert!(
                    (influence.dipole[n][0] - dipole).abs() < 5e-5,
                    "{} or {dipole}",
                    influence.dipole[n][0]
                );
            }
        }
    }

    #[test]
    fn a_closed_surface_is_seen_under_the_whole_angle_from_inside_and_none_from_outside() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let elements =
            [[o, y, x], [o, z, y], [o, x, z], [x, y, z]].map(|t| BoundaryElement::new(t).expect("an area"));
        let angle = |point: DVec3| -> f64 {
            let lanes = point.to_array().map(|x| [x; LANES]);
            elements.iter().flat_map(|element| element.influence(&lanes).dipole.map(|lane| lane[7])).sum()
        };
        assert!((angle(DVec3::splat(0.2)) - 4.0 * PI).abs() < 1e-12);
        assert!(angle(DVec3::new(0.6, 0.7, -0.1)).abs() < 1e-12);
    }
}
