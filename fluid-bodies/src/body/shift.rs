//! A body comes along where the origin of the coordinates is shifted.

use super::Body;
use glam::Vec3;

impl Body {
    /// The place `origin` \[m\] becomes the origin. What it holds of the fluid's impulse is that about it.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.state.position -= origin;
        self.poses.shift_origin(origin);
        let origin = origin.as_dvec3();
        self.bound.shift_origin(origin);
        if let Some(surface) = &mut self.surface {
            surface.fluid.reply.carry(-origin);
        }
    }
}
