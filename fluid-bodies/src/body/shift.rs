//! Moves a body along when the origin of the coordinates is shifted.

use super::Body;
use glam::Vec3;

impl Body {
    /// Makes the position `origin` \[m\] the origin. The bound impulse is about the new origin.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.shift_former(origin);
        self.state.position -= origin;
        self.poses.shift_origin(origin);
        self.motion.shift_origin(origin);
        let origin = origin.as_dvec3();
        self.bound.shift_origin(origin);
        if let Some(surface) = &mut self.surface {
            surface.fluid.reply.carry(-origin);
        }
    }
}
