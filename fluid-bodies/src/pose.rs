//! Where a body is, and how it is turned.

use fluid_core::boundary::StepTime;
use fluid_core::math::rotation::{self, is_unit, rotate, rotate_back, unit};
use glam::{Quat, Vec3};

/// A rotation followed by a translation: takes points of the body to points of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the body's origin is \[m\].
    pub position: Vec3,
    /// Unit quaternion that turns the body's axes into the world's.
    pub rotation: Quat,
}

fluid_core::saved::fields!(Pose { position, rotation } check is_valid);

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// Not turned.
    pub fn at(position: Vec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// True if it is finite and its quaternion of unit length.
    pub fn is_valid(&self) -> bool {
        self.position.is_finite() && is_unit(self.rotation)
    }

    /// The world's point for a point of the body.
    #[inline]
    pub fn to_world(&self, point: Vec3) -> Vec3 {
        self.position + rotate(self.rotation, point)
    }

    /// The body's point for a point of the world.
    #[inline]
    pub fn to_local(&self, point: Vec3) -> Vec3 {
        rotate_back(self.rotation, point - self.position)
    }

    /// The world's direction for a direction of the body.
    #[inline]
    pub fn turn(&self, direction: Vec3) -> Vec3 {
        rotate(self.rotation, direction)
    }

    /// The body's direction for a direction of the world.
    #[inline]
    pub fn turn_back(&self, direction: Vec3) -> Vec3 {
        rotate_back(self.rotation, direction)
    }

    /// First `inner`, then this one.
    pub fn then_after(&self, inner: &Self) -> Self {
        Self { position: self.to_world(inner.position), rotation: self.rotation * inner.rotation }
    }

    /// After `dt` \[s\] with constant velocity \[m/s\] and angular velocity \[rad/s\] (world axes): exact for
    /// both.
    pub fn advanced(&self, velocity: Vec3, angular_velocity: Vec3, dt: f32) -> Self {
        Self {
            position: self.position + velocity * dt,
            rotation: unit(Quat::from_scaled_axis(angular_velocity * dt) * self.rotation),
        }
    }

    /// On the way to `end`, at `share` of it: straight, and turning about one axis.
    pub fn between(&self, end: &Self, share: f32) -> Self {
        Self {
            position: self.position.lerp(end.position, share),
            rotation: rotation::between(self.rotation, end.rotation, share),
        }
    }
}

/// Where a body is during a step, contacts apart: found when the step begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepPoses {
    pub(crate) start: Pose,
    pub(crate) middle: Pose,
    pub(crate) end: Pose,
}

fluid_core::saved::fields!(StepPoses { start, middle, end });

impl StepPoses {
    /// Of a body that stays where it is.
    pub(crate) fn standing(pose: Pose) -> Self {
        Self { start: pose, middle: pose, end: pose }
    }

    /// The place `origin` \[m\] becomes the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        let Self { start, middle, end } = self;
        [start, middle, end].into_iter().for_each(|pose| pose.position -= origin);
    }

    /// At one of these times.
    pub(crate) fn at(&self, time: StepTime) -> Pose {
        match time {
            StepTime::Start => self.start,
            StepTime::Middle => self.middle,
            StepTime::End => self.end,
        }
    }
}
