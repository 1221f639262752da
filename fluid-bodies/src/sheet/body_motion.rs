//! Motion of a body as its sheet needs it.

use glam::Vec3;

/// Motion of a body in its own axes: velocity \[m/s\] relative to the wind, and angular velocity \[rad/s\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct BodyMotion {
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
}

fluid_core::saved::fields!(BodyMotion { velocity, spin });

impl BodyMotion {
    pub(super) fn values(&self) -> [f32; 6] {
        let ([a, b, c], [d, e, f]) = (self.velocity.to_array(), self.spin.to_array());
        [a, b, c, d, e, f]
    }
}
