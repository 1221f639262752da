//! Drag of a body in the flow around it (E64).

use super::Body;
use crate::cloud::induced;
use crate::drag::{Flown, WakeRing};
use crate::ledger::BodyImpulse;
use crate::sheet::Pair;
use fluid_core::boundary::{Motion, StepTime};
use fluid_core::velocity::VelocityField;
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::PI;

impl Body {
    /// Applies the drag of a step to the body, of which `contacts` vortons touch the surface. A vorton
    /// covers a square of a core radius.
    pub(crate) fn drag_along_flow(&mut self, motion: Motion<'_>, contacts: usize) {
        let (dt, core) = (f64::from(motion.dt), f64::from(motion.params.core_radius));
        let is_solid = self.area > 0.0 && !self.container && !self.immovable;
        if self.drag.is_off() || !is_solid || self.asleep || dt <= 0.0 {
            return;
        }
        // The fluid that moves with a sheet is known from its first step on.
        if self.surface.as_ref().is_some_and(|surface| !surface.fluid.reply.is_known()) {
            return;
        }
        let bare = 1.0 - contacts as f64 * core * core / self.area;
        let velocity = self.state.velocity.as_dvec3();
        let flow = self.flow_in_front(motion) - velocity;
        if bare <= 0.0 || flow == DVec3::ZERO || !flow.is_finite() {
            return;
        }
        // Added mass over the density, in the world's axes.
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let added = self.surface.as_ref().map_or(DMat3::ZERO, |surface| surface.fluid.added.linear);
        let added = turn * added * turn.transpose();
        let own = self.mass / self.density;
        let flown = Flown {
            flow,
            spin: self.state.angular_velocity.as_dvec3(),
            volume: self.displaced.volume,
            area: self.area,
            bare,
            mass: own + (added.x_axis.x + added.y_axis.y + added.z_axis.z) / 3.0,
        };
        let impulse = self.drag.act(&flown, dt);
        let Some(surface) = self.surface.as_mut().filter(|_| own.is_finite()) else {
            return self.push_by_drag(impulse);
        };
        // The body and the fluid that moves with it share the impulse.
        let change = (added + DMat3::from_diagonal(DVec3::splat(own))).inverse() * impulse;
        let fluid = added * change;
        let energy = fluid.dot(velocity + 0.5 * change) * self.density;
        surface.fluid.reply.give(Pair { linear: fluid, angular: DVec3::ZERO }, energy);
        self.push_by_drag(impulse - fluid);
    }

    fn push_by_drag(&mut self, impulse: DVec3) {
        self.push(&BodyImpulse { linear: impulse * self.density, ..BodyImpulse::default() });
    }

    /// Returns the velocity of the fluid in front of the body at the middle of the step \[m/s\], without
    /// that of the body's sheet: its wake is behind it.
    fn flow_in_front(&self, motion: Motion<'_>) -> DVec3 {
        let at = |place: Vec3| {
            let mut fluid = [Vec3::ZERO];
            motion.field.velocities(&[place], &mut fluid);
            let own = self.sheet_vortons(StepTime::Middle);
            fluid[0]
                - own.map(|(from, strength)| induced(motion.params, place - from, strength)).sum::<Vec3>()
        };
        let middle = self.poses.middle.position;
        let relative = self.state.velocity - at(middle);
        let reach = (self.area / (4.0 * PI)).sqrt() as f32 + motion.params.core_radius;
        at(middle + relative.normalize_or_zero() * reach).as_dvec3()
    }

    /// Returns the ring that the body leaves behind now, if one is due.
    pub(crate) fn take_ring(&mut self, core_radius: f32) -> Option<WakeRing> {
        self.drag.take_ring(self.state.position, self.area, core_radius.into(), self.surface.is_some())
    }
}
