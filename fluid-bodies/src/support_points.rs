//! Speed of a body's surface by rotation.

use crate::ball::ball_around;
use crate::free_motion::share_within;
use crate::shapes::Shape;
use glam::{DQuat, DVec3, Vec3};

/// Distance from which surface points are searched, relative to the radius of the bounding sphere \[1\]: the
/// surface point nearest to such a distant point is about the farthest one in its direction.
const SEARCH_DISTANCE: f32 = 10.0;

/// Farthest points of a body's surface along its axes and between them, in its axes \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SupportPoints([Vec3; 14]);

impl SupportPoints {
    /// Points of a body without extent.
    pub(crate) const NONE: Self = Self([Vec3::ZERO; 14]);

    /// Finds the points for all of these shapes.
    pub(crate) fn of(shapes: &[Shape]) -> Self {
        let ball = ball_around(shapes);
        let mut support = Self::NONE;
        for (point, direction) in support.0.iter_mut().zip(directions()) {
            let place = ball.centre + direction * (SEARCH_DISTANCE * ball.radius);
            let each = shapes.iter().map(|shape| shape.surface(place).point);
            let along = |point: &Vec3| point.dot(direction);
            *point = each.max_by(|a, b| along(a).total_cmp(&along(b))).unwrap_or(Vec3::ZERO);
        }
        support
    }

    /// Returns the velocities of the points by rotation, in the body's axes \[m/s\].
    fn velocities(&self, rotation: DQuat, spin: DVec3) -> impl Iterator<Item = DVec3> {
        let spin = rotation.conjugate() * spin;
        self.0.iter().map(move |point| spin.cross(point.as_dvec3()))
    }

    /// Returns the largest speed \[m/s\] by rotation, for this `rotation` and `spin` \[rad/s\], world's axes.
    pub(crate) fn speed(&self, rotation: DQuat, spin: DVec3) -> f64 {
        self.velocities(rotation, spin).map(|velocity| velocity.length()).fold(0.0, f64::max)
    }

    /// Returns the largest fraction of a `change` of spin, up to 1, with which the surface moves no faster by
    /// rotation than before, or than `most` \[m/s\].
    pub(crate) fn share_within(&self, rotation: DQuat, spin: DVec3, change: DVec3, most: f64) -> f64 {
        let most = self.speed(rotation, spin).max(most);
        let pairs = self.velocities(rotation, spin).zip(self.velocities(rotation, change));
        pairs.map(|(before, more)| share_within(before, more, most)).fold(1.0, f64::min)
    }
}

/// Returns the directions along the axes, and to the corners of a cube.
fn directions() -> impl Iterator<Item = Vec3> {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
    let sign = |i: u32, bit: u32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
    axes.chain((0..8).map(move |i| Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2)).normalize()))
}
