//! Bounding spheres of shapes, for cheap conservative tests.

use crate::shapes::Shape;
use glam::Vec3;

/// A bounding sphere, for cheap tests that never miss its contents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius \[m\]; minus infinity for an empty sphere.
    pub radius: f32,
}

fluid_core::saved::fields!(Ball { centre, radius });

/// Added to the radius of a sphere, relative to the radius and to its coordinates \[1\]: covers the round-off
/// in f32 between the sphere and its contents.
const BALL_ROUNDING: f32 = 16.0 * f32::EPSILON;
/// Reduces the square of a distance by more than its round-off and the slack of a sphere can increase it
/// \[1\].
const ROUNDED_DOWN: f32 = 0.999;

impl Ball {
    /// An empty sphere.
    pub const EMPTY: Self = Self { centre: Vec3::ZERO, radius: f32::NEG_INFINITY };
    /// A sphere that contains everything.
    pub const EVERYWHERE: Self = Self { centre: Vec3::ZERO, radius: f32::INFINITY };

    /// Creates a sphere, slightly enlarged for round-off; [`EVERYWHERE`](Self::EVERYWHERE) if it is not
    /// finite.
    pub fn around(centre: Vec3, radius: f32) -> Self {
        let radius = radius + BALL_ROUNDING * (radius + centre.abs().max_element());
        if centre.is_finite() && radius.is_finite() { Self { centre, radius } } else { Self::EVERYWHERE }
    }

    /// Returns the distance \[m\] from the sphere, a lower bound of that from its contents; negative inside.
    #[inline]
    pub fn distance(&self, place: Vec3) -> f32 {
        (place - self.centre).length() - self.radius
    }

    /// True if a box from `low` to `high` \[m\] may touch the sphere.
    #[inline]
    pub fn meets_box(&self, low: Vec3, high: Vec3) -> bool {
        let away = (low - self.centre).max(self.centre - high).max(Vec3::ZERO);
        // Written so that NaN is not ruled out.
        let apart = away.length() > self.radius;
        !apart
    }

    /// True if the straight path from `start` to `end` \[m\] may touch the sphere.
    #[inline]
    pub fn meets_way(&self, start: Vec3, end: Vec3) -> bool {
        let (way, there) = (end - start, self.centre - start);
        // Most spheres are farther away than the path is long; this test takes no division and no root.
        let reach = self.radius + way.abs().element_sum();
        if ROUNDED_DOWN * there.length_squared() > reach * reach {
            return false;
        }
        let square = way.length_squared();
        let share = if square > 0.0 { (there.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
        // On a long path, the nearest point is known only to the path's round-off.
        let slack = BALL_ROUNDING * (way.abs().max_element() + there.abs().max_element());
        let apart = (there - way * share).length() > self.radius + slack;
        !apart
    }
}

/// Returns a sphere that contains all of these shapes.
pub(crate) fn ball_around(shapes: &[Shape]) -> Ball {
    let balls = || {
        shapes.iter().map(|shape| {
            let (centre, radius) = shape.geometry.queries().bounding_sphere();
            (shape.pose.to_world(centre), radius)
        })
    };
    if shapes.is_empty() {
        return Ball::EMPTY;
    }
    let centre = balls().map(|(centre, _)| centre).sum::<Vec3>() / shapes.len() as f32;
    Ball::around(centre, balls().map(|(c, radius)| c.distance(centre) + radius).fold(0.0, f32::max))
}
