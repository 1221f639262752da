//! The body that carries an emitter.

use crate::math::rotation::{is_unit, rotate, unit};
use glam::{Quat, Vec3};

/// Pose of the body that carries an emitter, at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Carrier {
    /// Centre of mass \[m\].
    pub position: Vec3,
    /// Orientation (unit quaternion).
    pub rotation: Quat,
}

crate::saved::fields!(Carrier { position, rotation } check is_valid);

impl Carrier {
    /// True if a body can be there.
    fn is_valid(&self) -> bool {
        self.position.is_finite() && is_unit(self.rotation)
    }

    /// Transforms a pose from the body's axes to the world's.
    pub(crate) fn to_world(self, (position, rotation): (Vec3, Quat)) -> (Vec3, Quat) {
        (self.position + rotate(self.rotation, position), unit(self.rotation * rotation))
    }
}
