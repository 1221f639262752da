//! Friction of the fluid at the surface of a body that no fluid goes through (E56).

use super::Body;
use crate::added_inertia::AddedInertia;
use crate::contact::Contact;
use crate::free_motion::Inertia;
use crate::ledger::Moments;
use crate::sheet::{Pair, Patch, SheetFlow};
use crate::solve::{rows_of, solve_definite};
use glam::{DMat3, DVec3, Vec3};

/// The part of the impulse that friction gives to vortons which is left of it after the answer of the sheet
/// \[1\], before that is known: of a ball of 2.5 core radii, with vortons one core radius from it.
pub(super) const LEFT: f64 = 0.65;

/// An impulse that is this share of the sum of its parts tells how much is left of it \[1\].
const CLEAR: f64 = 0.05;

/// Least part of it \[1\].
const LEAST_LEFT: f64 = 0.2;

/// Inertia of a body and of the fluid that it moves, in the world's axes: linear part, coupling and angular
/// part \[kg\], \[kg m\], \[kg m²\].
pub(crate) type JointInertia = [DMat3; 3];

impl Body {
    /// The flow along its sheet.
    fn sheet_flow(&self) -> Option<&SheetFlow> {
        self.surface.as_ref().map(|surface| &surface.flow)
    }

    /// Where on its sheet a `point` of the surface \[m\] with this normal is.
    pub(crate) fn patch_at(&self, point: Vec3, normal: Vec3) -> Patch {
        let pose = self.state.pose();
        let (place, normal) = (pose.to_local(point), pose.turn_back(normal));
        self.sheet_flow().map_or(Patch::default(), |flow| flow.patch(place, normal))
    }

    /// Slip of the fluid there \[m/s\], against the velocity with which the contact meets the body.
    pub(crate) fn slip_at(&self, patch: &Patch, contact: &Contact) -> Vec3 {
        let Some(surface) = &self.surface else { return Vec3::ZERO };
        let (velocity, spin) = surface.seen;
        let seen = velocity + spin.cross(contact.point - self.state.position);
        self.state.pose().turn(surface.flow.slip(patch)) + (seen - contact.velocity)
    }

    /// Area \[m²\] of the surface that each vertex of its sheet stands for.
    pub(crate) fn areas_of_vertices(&self) -> impl Iterator<Item = f32> {
        self.sheet_flow().into_iter().flat_map(SheetFlow::areas)
    }

    /// The part of friction that steps follow \[1\].
    pub(crate) fn followed(&self) -> f32 {
        self.sheet_flow().map_or(0.0, SheetFlow::followed)
    }

    /// Where its sheet reads the flow \[m\].
    pub(crate) fn points_of_sheet(&self) -> impl Iterator<Item = Vec3> {
        let pose = self.state.pose();
        self.sheet_flow().into_iter().flat_map(SheetFlow::points).map(move |point| pose.to_world(point))
    }

    /// What others do to the flow has changed by these velocities \[m/s\] at those points; `sum` is that of
    /// the sizes of the impulses per density that did it \[m⁴/s\].
    pub(crate) fn answer_change(&mut self, velocities: &[Vec3], sum: f64) {
        let (pose, rotation) = (self.state.pose(), self.state.rotation.as_dquat().normalize());
        if let Some(surface) = &mut self.surface {
            let before = surface.flow.impulse_of_others(0.0);
            surface.flow.add_flow(pose, velocities);
            let change = surface.flow.impulse_of_others(0.0).and(before.times(-1.0)).turned(rotation);
            surface.net = surface.net.and(change);
            let given = surface.friction.linear;
            let left = 1.0 + given.dot(change.linear) / given.length_squared();
            // That of one that only spins is rounding.
            let is_clear = given.length() > CLEAR * sum;
            if left.is_finite() && is_clear {
                surface.left = 0.5 * (surface.left + left.clamp(LEAST_LEFT, 1.0));
            }
        }
    }

    /// Inertia that an impulse of friction meets; none if nothing moves the body.
    pub(crate) fn joint_inertia(&self) -> Option<JointInertia> {
        let is_moved = self.mass.is_finite() && !self.motion.is_ignored();
        let fluid = self.surface.as_ref().filter(|_| is_moved).map(|surface| &surface.fluid)?;
        let AddedInertia { linear, coupling, angular } = fluid.added;
        let Inertia { mass, tensor, .. } = self.inertia();
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let world = |block: DMat3| turn * block * turn.transpose();
        let own = if self.inverse_inertia == DMat3::ZERO {
            // Nothing turns it.
            DMat3::from_diagonal(DVec3::splat(f64::MAX.sqrt()))
        } else {
            world(tensor)
        };
        Some([
            world(linear) * self.density + DMat3::from_diagonal(DVec3::splat(mass)),
            world(coupling) * self.density,
            world(angular) * self.density + own,
        ])
    }

    /// Moments about the centre of mass of the strength that goes inside where a layer of vortons gets its
    /// opposite.
    pub(crate) fn moments_of_felt(&self, felt: DVec3) -> Moments {
        if self.held.points_of(0).is_empty() { Moments::default() } else { self.moments_inside(0, felt) }
    }

    /// Friction has changed the fluid's moments about the centre of mass, and leaves this strength inside;
    /// `heat` is what it has made of the mean slip per density \[m⁵/s²\].
    pub(crate) fn rub(&mut self, change: &Moments, felt: DVec3, heat: f64) {
        let bound = self.bind(change, 0, felt);
        let given = Pair { linear: change.linear + bound.linear, angular: change.angular + bound.angular };
        self.share_later(given);
        if let Some(surface) = &mut self.surface {
            surface.friction = given;
            surface.rubbing_now -= heat;
        }
    }

    /// Pushing vortons has changed the fluid's moments about the centre of mass. Without friction, only
    /// pressure does that.
    pub(crate) fn share_push(&mut self, change: &Moments, is_rough: bool) {
        let bound = self.bind(change, 0, DVec3::ZERO);
        let angular = change.angular + bound.angular;
        let lever = self.lever().filter(|_| !is_rough);
        let angular = lever.map_or(angular, |lever| lever * angular);
        self.share_later(Pair { linear: change.linear + bound.linear, angular });
    }

    /// Vortons have got this momentum per density, about the centre of mass, and the fluid that moves with
    /// the body the opposite.
    fn share_later(&mut self, given: Pair) {
        let moving = self.moving();
        let Some(surface) = &mut self.surface else { return };
        surface.rubbed = surface.rubbed.and(given);
        surface.net = surface.net.and(given);
        let work = given.linear.dot(moving.velocity) + given.angular.dot(moving.spin);
        surface.rubbing += work;
        surface.rubbing_now += work;
    }

    /// The part of an impulse of friction that is left of it after the answer of its sheet \[1\], as far as
    /// earlier steps tell.
    pub(crate) fn left_of_friction(&self) -> f64 {
        self.surface.as_ref().map_or(1.0, |surface| surface.left)
    }

    /// Friction carries along so much fluid, over the inertia of the body and the fluid that it moves \[1\].
    pub(crate) fn carries(&mut self, fluid: f64) {
        if !self.asleep {
            self.motion.carries(fluid);
        }
    }

    /// Contacts have been settled: the body gets its part of what they have taken from it and from the fluid
    /// that moves with it, at once. `fluid` is what [`Body::limit`] takes.
    pub(crate) fn take_part(&mut self, fluid: (DVec3, f64)) {
        let blocks = self.joint_inertia();
        let Some(surface) = &mut self.surface else { return };
        let net = std::mem::take(&mut surface.net).times(-self.density);
        let Some((velocity, spin)) = blocks.and_then(|blocks| solve_joint(&blocks, net)) else { return };
        let Inertia { mass, tensor, .. } = self.inertia();
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let (linear, angular) = (velocity * mass, turn * (tensor * (turn.transpose() * spin)));
        self.motion.push(linear, angular);
        let (too_much, too_much_angular) = self.excess(fluid);
        let (linear, angular) = (linear - too_much, angular - too_much_angular);
        if let Some(surface) = &mut self.surface {
            surface.given = Pair { linear, angular };
        }
        self.reaction.linear += linear;
        self.reaction.angular += angular;
    }

    /// Nothing has touched it in this step yet.
    pub(crate) fn begin_contacts(&mut self) {
        if let Some(surface) = &mut self.surface {
            surface.rubbing_now = 0.0;
        }
    }

    /// Work per density \[m⁵/s²\] that its sheet and friction have done in this step.
    pub(super) fn work_of_sheet(&self) -> f64 {
        self.surface.as_ref().map_or(0.0, |surface| surface.work + surface.rubbing_now)
    }
}

/// Velocity and angular velocity for this momentum.
fn solve_joint([linear, coupling, angular]: &JointInertia, momentum: Pair) -> Option<(DVec3, DVec3)> {
    let mut rows = rows_of(linear, coupling, angular);
    let ([a, b, c], [d, e, f]) = (momentum.linear.to_array(), momentum.angular.to_array());
    let mut q = [a, b, c, d, e, f];
    let is_solved =
        solve_definite(rows.as_flattened_mut(), &mut q) && q.iter().all(|value| value.is_finite());
    is_solved.then(|| (DVec3::new(q[0], q[1], q[2]), DVec3::new(q[3], q[4], q[5])))
}
