//! Rooms of a body, which carry their fluid along (E43).

use super::Body;
use crate::free_motion::in_both;
use glam::{DVec3, Vec3};

/// How a room of a body carries its fluid along.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CarriedRoom {
    /// Velocity \[m/s\] in the previous step, and the duration of that step \[s\].
    carried: Option<(Vec3, f32)>,
    /// Rate of change of that velocity \[m/s²\], and the same in the step before.
    acceleration: Vec3,
    before: Vec3,
}

fluid_core::saved::fields!(CarriedRoom { carried, acceleration, before });
impl fluid_core::saved::Element for CarriedRoom {}

impl Body {
    /// Returns the velocity \[m/s\] with which a room with this `middle` \[m\], in the body's axes, carries
    /// fluid along in a step of `dt` \[s\]: that of its actual displacement, because an engine may move the
    /// body by its position alone.
    pub(crate) fn velocity_of_room(&self, middle: Vec3, dt: f32) -> Vec3 {
        let way = self.poses.end.to_world(middle) - self.poses.start.to_world(middle);
        if dt == 0.0 { Vec3::ZERO } else { way / dt }
    }

    /// Returns the velocity \[m/s\] of the same room by the body's velocities alone, in a step of `dt` \[s\]
    /// that is not 0: an engine that corrects a position has not accelerated the fluid.
    pub(crate) fn driven_velocity_of_room(&self, middle: Vec3, dt: f32) -> Vec3 {
        let (velocity, _) = self.mean_velocities(dt);
        velocity + (self.poses.end.turn(middle) - self.state.pose().turn(middle)) / dt
    }

    /// Records the `velocity` \[m/s\] with which a room carries fluid along in a step of `dt` \[s\]. Returns
    /// its rate of change \[m/s²\].
    pub(crate) fn carry(&mut self, room: usize, velocity: Vec3, dt: f32) -> Vec3 {
        let room = &mut self.rooms[room];
        // A step of zero or negative length gives no acceleration.
        if dt > 0.0 {
            // Mean velocities belong to the middles of their steps, which may differ in length.
            let between = |(before, step): (Vec3, f32)| (velocity - before) / (0.5 * (dt + step));
            room.before = room.acceleration;
            room.acceleration = room.carried.map_or(Vec3::ZERO, between);
            room.carried = Some((velocity, dt));
        }
        room.acceleration
    }

    /// Returns the part of that rate of change which lasts: that of a blow is in one step only.
    pub(super) fn lasting_acceleration(&self, room: usize) -> DVec3 {
        self.rooms
            .get(room)
            .map_or(DVec3::ZERO, |room| in_both(room.acceleration.as_dvec3(), room.before.as_dvec3()))
    }

    /// Returns the rate of change of the velocity with which a room carries fluid along \[m/s²\].
    pub(crate) fn acceleration(&self, room: usize) -> Vec3 {
        self.rooms.get(room).map_or(Vec3::ZERO, |room| room.acceleration)
    }
}
