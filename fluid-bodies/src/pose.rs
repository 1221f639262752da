//! Position and rotation of a body.

use fluid_core::boundary::StepTime;
use fluid_core::math::rotation::{self, is_unit, rotate, rotate_back, unit};
use glam::{Quat, Vec3};

/// A rotation followed by a translation: transforms points from the body's axes to the world's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the body's origin \[m\].
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
    /// At the origin, not rotated.
    pub const IDENTITY: Self = Self { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// Returns the pose at a position, not rotated.
    pub fn at(position: Vec3) -> Self {
        Self { position, ..Self::IDENTITY }
    }

    /// True if it is finite and its quaternion of unit length.
    pub fn is_valid(&self) -> bool {
        self.position.is_finite() && is_unit(self.rotation)
    }

    /// Transforms a point from the body's axes to the world's.
    #[inline]
    pub fn to_world(&self, point: Vec3) -> Vec3 {
        self.position + rotate(self.rotation, point)
    }

    /// Transforms a point from the world's axes to the body's.
    #[inline]
    pub fn to_local(&self, point: Vec3) -> Vec3 {
        rotate_back(self.rotation, point - self.position)
    }

    /// Rotates a direction from the body's axes to the world's.
    #[inline]
    pub fn turn(&self, direction: Vec3) -> Vec3 {
        rotate(self.rotation, direction)
    }

    /// Rotates a direction from the world's axes to the body's.
    #[inline]
    pub fn turn_back(&self, direction: Vec3) -> Vec3 {
        rotate_back(self.rotation, direction)
    }

    /// Returns the composition: first `inner`, then this pose.
    pub fn then_after(&self, inner: &Self) -> Self {
        Self { position: self.to_world(inner.position), rotation: self.rotation * inner.rotation }
    }

    /// Returns the pose after `dt` \[s\] with constant velocity \[m/s\] and angular velocity \[rad/s\] (world
    /// axes): exact for both.
    pub fn advanced(&self, velocity: Vec3, angular_velocity: Vec3, dt: f32) -> Self {
        Self {
            position: self.position + velocity * dt,
            rotation: unit(Quat::from_scaled_axis(angular_velocity * dt) * self.rotation),
        }
    }

    /// Interpolates to `end` at the fraction `share`: straight, with rotation about one axis.
    pub fn between(&self, end: &Self, share: f32) -> Self {
        Self {
            position: self.position.lerp(end.position, share),
            rotation: rotation::between(self.rotation, end.rotation, share),
        }
    }
}

/// Poses of a body during a step, contacts not included: computed at the start of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepPoses {
    pub(crate) start: Pose,
    pub(crate) middle: Pose,
    pub(crate) end: Pose,
}

fluid_core::saved::fields!(StepPoses { start, middle, end });

impl StepPoses {
    /// Returns the poses of a body at rest.
    pub(crate) fn standing(pose: Pose) -> Self {
        Self { start: pose, middle: pose, end: pose }
    }

    /// Makes the position `origin` \[m\] the origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        let Self { start, middle, end } = self;
        [start, middle, end].into_iter().for_each(|pose| pose.position -= origin);
    }

    /// Returns the pose at one of these times.
    pub(crate) fn at(&self, time: StepTime) -> Pose {
        match time {
            StepTime::Start => self.start,
            StepTime::Middle => self.middle,
            StepTime::End => self.end,
        }
    }
}
