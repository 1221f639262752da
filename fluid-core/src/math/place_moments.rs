//! Moments of places up to the second.

use super::outer;
use glam::{DMat3, DVec3};

/// Number, Σ x and Σ x xᵀ of places x, from an origin so near that squares lose no digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaceMoments {
    pub(crate) count: f64,
    pub(crate) first: DVec3,
    pub(crate) second: DMat3,
}

impl PlaceMoments {
    pub(crate) const NONE: Self = Self { count: 0.0, first: DVec3::ZERO, second: DMat3::ZERO };

    pub(crate) fn of(place: DVec3) -> Self {
        Self { count: 1.0, first: place, second: outer(place, place) }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }

    /// Returns the mean place; not finite without places.
    pub(crate) fn mean(&self) -> DVec3 {
        self.first / self.count
    }

    /// Returns the covariances of the coordinates; not finite without places.
    pub(crate) fn covariance(&self) -> DMat3 {
        let mean = self.mean();
        self.second * (1.0 / self.count) - outer(mean, mean)
    }
}
