//! Balls around targets of sums, or around sources.

use crate::lanes::BLOCK;
use glam::Vec3;

/// Distance of sources from the centre of a ball, relative to its radius, from which a local expansion
/// represents their flow in the ball \[1\] (E65).
pub(super) const SMOOTH_FROM: f32 = 2.0;

/// A ball around targets or sources.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TargetBall {
    pub(super) centre: Vec3,
    pub(super) radius: f32,
}

crate::saved::fields!(TargetBall { centre, radius });

impl TargetBall {
    /// Returns true if a local expansion represents in the ball the flow of sources at this distance from its
    /// centre (E65).
    pub(super) fn is_smooth_from(&self, distance: f32) -> bool {
        distance >= SMOOTH_FROM * self.radius
    }

    /// Returns the ball around the middle of the box around some targets, of infinite radius if one of them
    /// is at no place.
    pub(super) fn around(count: usize, place: &dyn Fn(usize) -> Vec3) -> Self {
        let places = || (0..count).map(place);
        let low = places().fold(Vec3::INFINITY, Vec3::min);
        let centre = (low + places().fold(Vec3::NEG_INFINITY, Vec3::max)) * 0.5;
        let square = |place: Vec3| match place.distance_squared(centre) {
            square if square.is_finite() => square,
            _ => f32::INFINITY,
        };
        Self { centre, radius: places().map(square).fold(0.0, f32::max).sqrt() }
    }

    #[inline(always)]
    pub(super) fn of([x, y, z]: &[[f32; BLOCK]; 3]) -> Self {
        let low = Vec3::from([x, y, z].map(|column| column.iter().copied().fold(f32::INFINITY, f32::min)));
        let high =
            Vec3::from([x, y, z].map(|column| column.iter().copied().fold(f32::NEG_INFINITY, f32::max)));
        Self { centre: (low + high) * 0.5, radius: (high - low).length() * 0.5 }
    }
}
