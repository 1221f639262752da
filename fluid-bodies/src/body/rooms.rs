//! Rooms of a body, which carry their fluid along (E43).

use super::Body;
use glam::Vec3;

/// How a room of a body carries its fluid along.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CarriedRoom {
    /// Velocity \[m/s\] in the previous step, and the duration of that step \[s\].
    carried: Option<(Vec3, f32)>,
    /// Rate of change of that velocity \[m/s²\].
    acceleration: Vec3,
}

fluid_core::saved::fields!(CarriedRoom { carried, acceleration });
impl fluid_core::saved::Element for CarriedRoom {}

impl Body {
    /// Records the `velocity` \[m/s\] with which a room carries fluid along in a step of `dt` \[s\]. Returns
    /// its rate of change \[m/s²\].
    pub(crate) fn carry(&mut self, room: usize, velocity: Vec3, dt: f32) -> Vec3 {
        let room = &mut self.rooms[room];
        // A step of zero or negative length gives no acceleration.
        if dt > 0.0 {
            // Mean velocities belong to the middles of their steps, which may differ in length.
            let between = |(before, step): (Vec3, f32)| (velocity - before) / (0.5 * (dt + step));
            room.acceleration = room.carried.map_or(Vec3::ZERO, between);
            room.carried = Some((velocity, dt));
        }
        room.acceleration
    }

    /// Returns the rate of change of the velocity with which a room carries fluid along \[m/s²\].
    pub(crate) fn acceleration(&self, room: usize) -> Vec3 {
        self.rooms.get(room).map_or(Vec3::ZERO, |room| room.acceleration)
    }
}
