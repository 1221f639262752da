//! Vortons on a circle.

use super::Vorton;
use glam::DVec3;
use std::f64::consts::PI;

/// A vortex filament on a circle as vortons at equal distances, each along the tangent (E21). Their strengths
/// sum to zero, and their impulse per density is Γ πR² along the axis.
#[derive(Debug, Clone, Copy)]
pub struct VortonRing {
    /// Centre \[m\].
    pub centre: DVec3,
    /// Orthonormal vectors in the plane of the circle; the axis is their cross product.
    pub plane: [DVec3; 2],
    /// Radius R \[m\].
    pub radius: f64,
    /// Circulation Γ \[m²/s\].
    pub circulation: f64,
    /// Area \[m²\] of the cross-section of fluid that the vortons represent.
    pub section: f64,
    /// Number of vortons, at least 2.
    pub count: usize,
    /// Position of the first vorton on the circle, from the first vector on, in distances between vortons
    /// \[1\].
    pub phase: f64,
}

impl VortonRing {
    /// Returns the length \[m\] of the arc between two neighbouring vortons.
    pub fn arc(&self) -> f64 {
        2.0 * PI * self.radius / self.count as f64
    }

    /// Returns the vortons, in their order along the circle.
    pub fn vortons(self) -> impl ExactSizeIterator<Item = Vorton> {
        let Self { centre, plane: [first, second], radius, circulation, section, count, phase } = self;
        let arc = self.arc();
        let strength = circulation * arc;
        (0..count).map(move |k| {
            let (sin, cos) = libm::sincos(2.0 * PI * (k as f64 + phase) / count as f64);
            Vorton {
                position: (centre + first * (radius * cos) + second * (radius * sin)).as_vec3(),
                strength: (second * (strength * cos) - first * (strength * sin)).as_vec3(),
                volume: (arc * section) as f32,
                ..Vorton::default()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_sum_to_zero_and_the_impulse_is_that_of_a_disc() {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        let ring = VortonRing {
            centre: DVec3::new(3.0, 1.0, -2.0),
            plane: axis.any_orthonormal_pair().into(),
            radius: 0.7,
            circulation: -1.3,
            section: 0.01,
            count: 4096,
            phase: 0.5,
        };
        let (mut sum, mut impulse, mut volume) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for vorton in ring.vortons() {
            let strength = vorton.strength.as_dvec3();
            sum += strength;
            impulse += 0.5 * vorton.position.as_dvec3().cross(strength);
            volume += f64::from(vorton.volume);
        }
        let axis = ring.plane[0].cross(ring.plane[1]);
        let exact = axis * (ring.circulation * PI * ring.radius * ring.radius);
        assert!(sum.length() < 1e-6, "{sum}");
        assert!((impulse - exact).length() < 1e-6 * exact.length(), "{impulse} of {exact}");
        assert!((volume / (2.0 * PI * ring.radius * ring.section) - 1.0).abs() < 1e-6, "{volume}");
    }
}
