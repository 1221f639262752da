//! Drag of a body in the flow around it (E64).

use super::Body;
use crate::cloud::induced;
use crate::drag::{Flown, radius};
use crate::ledger::BodyImpulse;
use crate::sheet::Pair;
use fluid_core::boundary::{Motion, StepTime};
use fluid_core::particles::VortonRing;
use fluid_core::velocity::VelocityField;
use glam::{DMat3, DVec3, Vec3};

/// How much farther in front of a body that vortons cover the flow is read \[1\]: the flow around a ball has
/// faded to 4 % of its speed at three radii.
const FURTHER: f32 = 2.0;

/// Factor from the coefficient of drag to that of pressure by the normal velocity at the surface \[1\]:
/// ½ · ¼ · 3, because the cross-section is a quarter of the surface, and the mean of n n is ⅓.
const PRESSED: f64 = 0.375;

impl Body {
    /// Applies the drag of a step to the body with this index, of which `contacts` vortons touch the surface.
    /// A vorton covers a square of a core radius.
    pub(crate) fn drag_along_flow(&mut self, motion: Motion<'_>, index: usize, contacts: usize) {
        let (dt, core) = (f64::from(motion.dt), f64::from(motion.params.core_radius));
        let is_solid = self.area > 0.0 && !self.container && !self.immovable;
        if self.drag.is_off() || !is_solid || self.asleep || dt <= 0.0 {
            return;
        }
        // The fluid that moves with a sheet is known from its first step on.
        if self.surface.as_ref().is_some_and(|surface| !surface.fluid.reply.is_known()) {
            return;
        }
        let bare = (1.0 - contacts as f64 * core * core / self.area).max(0.0);
        let velocity = self.state.velocity.as_dvec3();
        let flow = self.flow_in_front(motion, index, 1.0 - bare) - velocity;
        self.brake_spin(flow.length(), bare, dt);
        let is_free = bare > 0.0 || self.drag.magnus > 0.0;
        if !is_free || flow == DVec3::ZERO || !flow.is_finite() {
            return;
        }
        // Fractions of an impulse that the body gets, and of its moment: the rest moves the fluid around it.
        let own = self.mass / self.density;
        let (linear, angular) =
            self.part().map_or((DMat3::IDENTITY, DMat3::ZERO), |part| part.of_acceleration);
        let along = flow.normalize();
        let flown = Flown {
            flow,
            spin: self.state.angular_velocity.as_dvec3(),
            volume: self.displaced.volume,
            area: self.area,
            bare,
            mass: own / along.dot(linear * along),
        };
        let impulse = self.drag.act(&flown, |impulse| linear * impulse / own, dt);
        let body = Pair { linear: linear * impulse, angular: angular * impulse / self.mass };
        let before = velocity - self.wind_at_vortons().as_dvec3();
        if let Some(surface) = &mut self.surface {
            let fluid = Pair { linear: impulse, angular: DVec3::ZERO }.and(body.times(-1.0));
            let change = body.linear / own;
            let energy = fluid.linear.dot(before + 0.5 * change) * self.density;
            surface.fluid.reply.give_part(fluid, energy);
            // The fluid that the body could not take along stays behind, where no vortons carry it.
            let passed = bare * flow.length() * dt / (2.0 * radius(self.area));
            self.drag.owe(surface.fluid.reply.leave_behind(passed.min(1.0)));
        }
        let Pair { linear, angular } = body.times(self.density);
        self.push(&BodyImpulse { linear, angular, ..BodyImpulse::default() });
    }

    /// Applies the drag of rotation (E64) to a body with a sheet in a step of `dt` \[s\]: pressure on each
    /// part of its surface against that part's normal velocity, in fluid that moves past the body at this
    /// `speed` \[m/s\]. Backward Euler, so that no spin is reversed.
    fn brake_spin(&mut self, speed: f64, bare: f64, dt: f64) {
        let spin = self.state.angular_velocity.as_dvec3();
        let Some(surface) = self.surface.as_ref().filter(|_| spin != DVec3::ZERO) else { return };
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let arms = turn * surface.flow.arms() * turn.transpose();
        let speed = (speed * speed + 3.0 * spin.dot(arms * spin) / self.area).sqrt();
        let per_spin = arms * (PRESSED * self.drag.drag * bare * speed * dt);
        let slowed = match self.joint_inertia().filter(|_| self.inverse_inertia != DMat3::ZERO) {
            Some([_, _, joint]) => {
                let joint = joint * (1.0 / self.density);
                (joint + per_spin).inverse() * (joint * spin)
            }
            None => spin,
        };
        let angular = per_spin * slowed * -self.density;
        if !angular.is_finite() || angular == DVec3::ZERO {
            return;
        }
        let (across, part) = self.part().map_or((DMat3::ZERO, DMat3::IDENTITY), |part| part.of_torque);
        let own = Pair { linear: across * angular * self.mass, angular: part * angular };
        let own = if own.linear.is_finite() { own } else { Pair { linear: DVec3::ZERO, angular } };
        let velocity = self.moving().velocity;
        if let Some(surface) = &mut self.surface {
            let fluid = Pair { linear: DVec3::ZERO, angular }.and(own.times(-1.0)).times(1.0 / self.density);
            let energy =
                (fluid.angular.dot(0.5 * (spin + slowed)) + fluid.linear.dot(velocity)) * self.density;
            surface.fluid.reply.give_part(fluid, energy);
        }
        let Pair { linear, angular } = own;
        self.push(&BodyImpulse { linear, angular, ..BodyImpulse::default() });
    }

    /// Returns the velocity of the fluid in front of the body with this index at the middle of the step
    /// \[m/s\], without that of the body's sheet: its wake is behind it. Vortons that touch a fraction
    /// `touched` of the surface carry the fluid before it along.
    fn flow_in_front(&self, motion: Motion<'_>, index: usize, touched: f64) -> DVec3 {
        let pose = self.poses.middle;
        let middle = pose.to_world(self.displaced.centroid.as_vec3());
        let wider = 1.0 + FURTHER * touched as f32;
        let reach = (radius(self.area) as f32 + motion.params.core_radius) * wider;
        let can_leave_out = motion.field.can_leave_out_in(index, middle, reach);
        let at = |place: Vec3| {
            let mut fluid = [Vec3::ZERO];
            if can_leave_out {
                motion.field.velocities_without(index, &[place], &mut fluid);
                return fluid[0];
            }
            motion.field.velocities(&[place], &mut fluid);
            let own = self.sheet_vortons(StepTime::Middle);
            fluid[0]
                - own.map(|(from, strength)| induced(motion.params, place - from, strength)).sum::<Vec3>()
        };
        let relative = self.state.velocity - at(middle);
        let front = middle + relative.normalize_or_zero() * reach;
        // In front may be beyond the wall of the tank that the body is in.
        let carried = [middle, front].map(|place| motion.field.carried_at_middle(place));
        (at(front) + (carried[0] - carried[1])).as_dvec3()
    }

    /// Returns the ring that the body leaves behind now, if one is due. Vortons nearer to the surface than
    /// this `depth` \[core radii\] touch it. `extent` returns the distance of the farthest point of the
    /// solids from the centre of mass along a direction.
    pub(crate) fn take_ring(
        &mut self,
        (core_radius, depth): (f32, f32),
        extent: impl Fn(DVec3) -> f64,
    ) -> Option<VortonRing> {
        let (core, touching) = (f64::from(core_radius), f64::from(core_radius * depth.max(1.0)));
        let touching = self.surface.is_none().then_some(touching);
        let (middle, arm) = (self.middle(), self.arm());
        self.drag.take_ring(middle, |way| extent(way) - arm.dot(way), (self.area, core), touching)
    }
}
