//! Momentum that a body shares with the fluid that moves with it: around a sheet (E52), or in a tank (E55).

use super::Body;
use crate::free_motion::Inertia;
use crate::mutual_energy::EnergyExchange;
use crate::reply::{Moving, Reply, SurroundingFluid};
use crate::sheet::Pair;
use glam::{DMat3, DQuat, DVec3};

impl Body {
    /// Returns the motion with which the body shares momentum in a step of `dt` \[s\], with the time \[s\]
    /// from now to its pose, and that of the move with the resulting velocities: an engine moves the body
    /// from its own pose, in one go, for all steps of a frame.
    pub(super) fn moving_to_share(&self, dt: f32) -> (Moving, f64, f64) {
        let (mut moving, inertia, dt) = (self.moving(), self.inertia_to_share(), f64::from(dt));
        let known = self.motion.shared_at(dt).filter(|_| inertia.mass.is_finite());
        let Some((position, rotation, [ahead, frame])) = known else { return (moving, 0.0, dt) };
        let rotation = rotation.as_dquat().normalize();
        if inertia.turns() && rotation != moving.rotation {
            moving.spin = inertia.spin(rotation, inertia.momentum(moving.rotation, moving.spin));
        }
        moving.rotation = rotation;
        moving.centre = position - self.wind_at_vortons().as_dvec3() * ahead;
        (moving, ahead, frame)
    }

    /// Shares momentum between the body, `moving`, and the fluid `around` it at the start of a move of `time`
    /// \[s\]. Returns the resulting velocities \[m/s\], \[rad/s\].
    pub(super) fn share(
        &mut self,
        time: f64,
        moving: Moving,
        around: &SurroundingFluid<'_>,
        (reply, exchange): (&mut Reply, &mut EnergyExchange),
    ) -> (DVec3, DVec3) {
        let inertia = self.inertia_to_share();
        let half = 0.5 * time;
        let middle = |velocity: DVec3, spin: DVec3| {
            let turn = DQuat::from_scaled_axis(spin * half);
            (moving.centre + velocity * half, (turn * moving.rotation).normalize())
        };
        let (new_velocity, new_spin, impulse) = reply.share(&inertia, moving, around, exchange, &middle);
        self.get_share(new_velocity - moving.velocity, impulse);
        (new_velocity, new_spin)
    }

    /// Returns the inertia for sharing momentum: infinite if the engine moves the body by itself.
    pub(super) fn inertia_to_share(&self) -> Inertia {
        let mut inertia = self.inertia();
        if self.motion.is_ignored() {
            (inertia.mass, inertia.inverse) = (f64::INFINITY, DMat3::ZERO);
        }
        inertia
    }

    /// Applies an impulse of the fluid, and the change of velocity \[m/s\] if impulses move the body.
    pub(super) fn get_share(&mut self, velocity: DVec3, impulse: Pair) {
        self.impulse.linear += impulse.linear;
        self.impulse.angular += impulse.angular;
        if self.inertia_to_share().mass.is_finite() {
            self.motion.kick(velocity, impulse.angular);
            self.change_motion(velocity, impulse.angular);
        }
    }
}
