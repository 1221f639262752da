//! How a body gives way to changes of strength at its surface.

use crate::body::Body;
use crate::ledger::CentredMoments;
use glam::{DMat3, DVec3, Vec3};

/// Mobility of a body under changes of strength at its surface: their impulse moves it in the same step
/// (backward Euler), which cancels slip as well. Zero if impulses do not move the body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Give {
    pub(super) centre: DVec3,
    /// From the centre of mass to the middle of the solids \[m\].
    pub(super) arm: DVec3,
    /// False if impulses do not move the body.
    pub(super) is_moved: bool,
    /// Velocity per ½ Σ y × δ, about the middle.
    linear: f64,
    /// Angular velocity per angular impulse, ⅓ Σ y × (y × δ) and that of the impulse at the middle.
    angular: DMat3,
    /// Moments of the places of bound strength about the middle: their mean y, and their mean y yᵀ − |y|².
    first: DVec3,
    second: DMat3,
}

impl Give {
    /// Returns the mobility of a body in a fluid of the given `density` \[kg/m³\], already multiplied by the
    /// fraction of the changes that is applied. Solids in a hole (`is_held`) give their contents' whole
    /// momentum back, and so are not moved.
    pub(super) fn of(body: &Body, density: f64, is_held: bool) -> Self {
        if is_held {
            return Self::default();
        }
        let spin = |axis| body.spin_from(axis) * -density;
        let linear = -density / body.mass;
        let angular = DMat3::from_cols(spin(DVec3::X), spin(DVec3::Y), spin(DVec3::Z));
        let is_moved = linear != 0.0 || angular != DMat3::ZERO;
        Self {
            centre: body.state.position.as_dvec3(),
            arm: body.arm(),
            is_moved,
            linear,
            angular,
            first: DVec3::ZERO,
            second: DMat3::ZERO,
        }
    }

    /// Sets the places of bound strength \[m\].
    pub(super) fn hold(&mut self, inside: &[Vec3]) {
        (self.first, self.second) = (DVec3::ZERO, DMat3::ZERO);
        for place in inside {
            let y = place.as_dvec3() - self.middle();
            self.first += y;
            self.second +=
                DMat3::from_cols(y * y.x, y * y.y, y * y.z) - DMat3::from_diagonal(DVec3::splat(y.dot(y)));
        }
        let count = inside.len().max(1) as f64;
        (self.first, self.second) = (self.first / count, self.second * (1.0 / count));
    }

    /// Returns the point about which strengths are summed \[m\].
    pub(super) fn middle(&self) -> DVec3 {
        self.centre + self.arm
    }

    /// Returns the velocity of the surface at a point.
    pub(super) fn at(&self, point: Vec3, velocity: DVec3, spin: DVec3) -> Vec3 {
        if !self.is_moved {
            return Vec3::ZERO;
        }
        (velocity + spin.cross(point.as_dvec3() - self.centre)).as_vec3()
    }

    /// Returns the velocity and angular velocity of the body due to changes of strength at its surface, and
    /// `bound` \[m³/s\] inside.
    pub(super) fn motion(&self, moments: CentredMoments, bound: DVec3) -> (DVec3, DVec3) {
        if !self.is_moved {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let sums = CentredMoments {
            linear: moments.linear + 0.5 * self.first.cross(bound),
            angular: moments.angular + self.second * bound / 3.0,
            ..moments
        };
        (sums.linear * self.linear, self.angular * sums.angular_about(self.arm))
    }

    /// Applies the adjoint: returns L and T such that L × y + (T × y) × y is the contribution of residuals,
    /// with the sum `force` and the moment `torque`, to the gradient for a strength at y from the middle.
    pub(super) fn levers(&self, force: DVec3, torque: DVec3) -> (DVec3, DVec3) {
        if !self.is_moved {
            return (DVec3::ZERO, DVec3::ZERO);
        }
        let turned = self.angular.transpose() * torque;
        (force * (0.5 * self.linear) + turned.cross(self.arm) * 0.5, turned / 3.0)
    }

    /// Returns that contribution for bound strength.
    pub(super) fn adjoint_inside(&self, force: DVec3, torque: DVec3) -> DVec3 {
        let (lever, turned) = self.levers(force, torque);
        lever.cross(self.first) + self.second * turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    /// Residuals times the velocities that strengths give the surface are the strengths times the
    /// contributions of the residuals.
    #[test]
    fn the_adjoint_is_that_of_the_motion() {
        let random = Random::new(4);
        let vector = |n: u64| random.centred_vec3(n).as_dvec3();
        let columns = |n: u64| DMat3::from_cols(vector(n), vector(n + 1), vector(n + 2));
        let mut give = Give {
            centre: vector(0),
            arm: vector(1),
            is_moved: true,
            linear: -0.7,
            angular: columns(2),
            ..Give::default()
        };
        let inside: Vec<Vec3> = (0..5).map(|n| random.centred_vec3(100 + n)).collect();
        give.hold(&inside);
        let (strength, place) = (|n: u64| vector(200 + n), |n: u64| vector(300 + n));
        let (residual, point) = (|n: u64| vector(400 + n), |n: u64| random.centred_vec3(500 + n));
        let bound = vector(600);
        let mut moments = CentredMoments::default();
        (0..9).for_each(|n| moments.add_at(place(n), strength(n)));
        let (velocity, spin) = give.motion(moments, bound);
        let done: f64 = (0..9).map(|n| residual(n).dot(give.at(point(n), velocity, spin).as_dvec3())).sum();
        let force: DVec3 = (0..9).map(residual).sum();
        let torque: DVec3 = (0..9).map(|n| (point(n).as_dvec3() - give.centre).cross(residual(n))).sum();
        let (lever, turned) = give.levers(force, torque);
        let of_vortons: f64 = (0..9)
            .map(|n| strength(n).dot(lever.cross(place(n)) + turned.cross(place(n)).cross(place(n))))
            .sum();
        let contributions = of_vortons + bound.dot(give.adjoint_inside(force, torque));
        assert!((done - contributions).abs() < 1e-6, "{done} or {contributions}");
        assert!(done.abs() > 0.01, "{done}");
    }
}
