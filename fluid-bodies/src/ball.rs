//! Balls around shapes, for tests that are cheap and never miss.

use crate::shapes::Shape;
use glam::Vec3;

/// A ball that holds something, for tests that are cheap and never miss it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Its centre \[m\].
    pub centre: Vec3,
    /// Its radius \[m\]; minus infinity: it holds nothing.
    pub radius: f32,
}

fluid_core::saved::fields!(Ball { centre, radius });

/// Added to the radius of a ball, as a share of it and of its coordinates \[1\]: what f32 loses between the
/// ball and what it holds.
const BALL_ROUNDING: f32 = 16.0 * f32::EPSILON;
/// Makes the square of a distance smaller than its rounding and the slack of a ball can make it larger \[1\].
const ROUNDED_DOWN: f32 = 0.999;

impl Ball {
    /// Holds nothing.
    pub const NOWHERE: Self = Self { centre: Vec3::ZERO, radius: f32::NEG_INFINITY };
    /// Holds everything.
    pub const EVERYWHERE: Self = Self { centre: Vec3::ZERO, radius: f32::INFINITY };

    /// A ball a little larger than that, for rounding; everywhere, if it is not finite.
    pub fn around(centre: Vec3, radius: f32) -> Self {
        let radius = radius + BALL_ROUNDING * (radius + centre.abs().max_element());
        if centre.is_finite() && radius.is_finite() { Self { centre, radius } } else { Self::EVERYWHERE }
    }

    /// Distance \[m\] of a place from it, and so at least from what it holds; negative inside.
    #[inline]
    pub fn distance(&self, place: Vec3) -> f32 {
        (place - self.centre).length() - self.radius
    }

    /// True if a box from `low` to `high` \[m\] may have a point in common with it.
    #[inline]
    pub fn meets_box(&self, low: Vec3, high: Vec3) -> bool {
        let away = (low - self.centre).max(self.centre - high).max(Vec3::ZERO);
        // Written so that what is not a number is not ruled out.
        let apart = away.length() > self.radius;
        !apart
    }

    /// True if the straight way from `start` to `end` \[m\] may have a point in common with it.
    #[inline]
    pub fn meets_way(&self, start: Vec3, end: Vec3) -> bool {
        let (way, there) = (end - start, self.centre - start);
        // Most are further away than the way is long, and that takes no division and no root.
        let reach = self.radius + way.abs().element_sum();
        if ROUNDED_DOWN * there.length_squared() > reach * reach {
            return false;
        }
        let square = way.length_squared();
        let share = if square > 0.0 { (there.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
        // The foot of a long way is known to no more than its rounding.
        let slack = BALL_ROUNDING * (way.abs().max_element() + there.abs().max_element());
        let apart = (there - way * share).length() > self.radius + slack;
        !apart
    }
}

/// A ball that holds all of these shapes.
pub(crate) fn ball_around(shapes: &[Shape]) -> Ball {
    let balls = || {
        shapes.iter().map(|shape| {
            let (centre, radius) = shape.geometry.queries().bounding_sphere();
            (shape.pose.to_world(centre), radius)
        })
    };
    if shapes.is_empty() {
        return Ball::NOWHERE;
    }
    let centre = balls().map(|(centre, _)| centre).sum::<Vec3>() / shapes.len() as f32;
    Ball::around(centre, balls().map(|(c, radius)| c.distance(centre) + radius).fold(0.0, f32::max))
}
