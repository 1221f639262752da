//! Motion of a body relative to the wind, or to the fluid that its tank carries along.

use super::{Body, BodyState};
use crate::free_motion::Expected;
use crate::pose::Pose;
use crate::reply::Moving;
use crate::sheet::BodyMotion;
use glam::Vec3;

impl Body {
    /// Sets the wind \[m/s\] at the start of a step. The body changes its motion relative to it at once. A
    /// body that has come from a tank of another velocity, or into one, knows nothing of the flow there.
    pub(crate) fn feel_wind(&mut self, wind: Vec3) {
        if self.is_new_here() && wind != self.wind {
            self.leave_flow();
        }
        self.wind = wind;
    }

    /// Forgets the flow around the body, which gets its impulse of the last step.
    pub(crate) fn leave_flow(&mut self) {
        self.impulse = self.impulse.and(&self.due_to_sheet());
        self.forget_flow();
    }

    /// Returns the velocities relative to the wind in the body's axes, `after` \[s\] from the start of a
    /// step, contacts not included; `pose` is the pose at that time.
    pub(super) fn motion_at(&self, pose: Pose, after: f32) -> BodyMotion {
        let inertia = self.inertia();
        let Expected { acceleration, torque } = self.motion.expected(&inertia);
        let after = f64::from(after);
        let velocity = (self.state.velocity.as_dvec3() + acceleration * after).as_vec3() - self.wind;
        let mut spin = self.state.angular_velocity;
        if inertia.turns() {
            let momentum = inertia.momentum(self.state.rotation.as_dquat().normalize(), spin.as_dvec3());
            spin = inertia.spin(pose.rotation.as_dquat().normalize(), momentum + torque * after).as_vec3();
        }
        BodyMotion { velocity: pose.turn_back(velocity), spin: pose.turn_back(spin) }
    }

    /// Returns the wind \[m/s\] for the vortons at the body: the contents of a hole are sheltered from it.
    pub(super) fn wind_at_vortons(&self) -> Vec3 {
        if self.container { Vec3::ZERO } else { self.wind }
    }

    /// Returns the motion relative to that wind.
    pub(super) fn moving(&self) -> Moving {
        let wind = self.wind_at_vortons();
        Moving {
            centre: self.state.position.as_dvec3(),
            rotation: self.state.rotation.as_dquat().normalize(),
            velocity: (self.state.velocity - wind).as_dvec3(),
            spin: self.state.angular_velocity.as_dvec3(),
            reach: self.reach,
            support_points: self.support_points,
        }
    }

    /// Returns an upper bound of the speed of its surface \[m/s\] relative to the fluid in which another body
    /// is.
    pub(crate) fn fastest_at(&self, other: &Self) -> f64 {
        let BodyState { velocity, angular_velocity, .. } = self.state;
        let relative = (velocity - other.wind).as_dvec3();
        relative.length() + angular_velocity.as_dvec3().length() * self.radius()
    }
}
