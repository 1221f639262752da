//! Friction of the fluid at the surface of a body with a sheet (E56).

use super::Body;
use crate::added_inertia::AddedInertia;
use crate::contact::Contact;
use crate::free_motion::Inertia;
use crate::ledger::CentredMoments;
use crate::sheet::{Pair, Patch, SheetFlow};
use crate::solve::{rows_of, solve_definite};
use glam::{DMat3, DVec3, Vec3};

/// Initial estimate of the fraction of a friction impulse on vortons that remains after the sheet's answer
/// \[1\]: the value for a ball of 2.5 core radii with vortons one core radius from it.
pub(super) const LEFT: f64 = 0.65;

/// Least size of an impulse, relative to the sum of its parts, from which that fraction is measured \[1\].
const CLEAR: f64 = 0.05;

/// Lower bound of that fraction \[1\].
const LEAST_LEFT: f64 = 0.2;

/// Joint inertia of a body and the fluid that it moves, in the world's axes: linear part, coupling and
/// angular part \[kg\], \[kg m\], \[kg m²\].
pub(crate) type JointInertia = [DMat3; 3];

impl Body {
    /// Returns the flow along the sheet.
    fn sheet_flow(&self) -> Option<&SheetFlow> {
        self.surface.as_ref().map(|surface| &surface.flow)
    }

    /// Returns the patch of the sheet at a `point` of the surface \[m\] with this normal.
    pub(crate) fn patch_at(&self, point: Vec3, normal: Vec3) -> Patch {
        let pose = self.state.pose();
        let (place, normal) = (pose.to_local(point), pose.turn_back(normal));
        self.sheet_flow().map_or(Patch::default(), |flow| flow.patch(place, normal))
    }

    /// Returns the slip of the fluid at a patch \[m/s\], relative to the body's velocity as seen by the
    /// contact.
    pub(crate) fn slip_at(&self, patch: &Patch, contact: &Contact) -> Vec3 {
        let Some(surface) = &self.surface else { return Vec3::ZERO };
        let (velocity, spin) = surface.seen;
        let seen = velocity + spin.cross(contact.point - self.state.position);
        self.state.pose().turn(surface.flow.slip(patch)) + (seen - contact.velocity)
    }

    /// Returns the surface area \[m²\] that belongs to each vertex of the sheet.
    pub(crate) fn areas_of_vertices(&self) -> impl Iterator<Item = f32> {
        self.sheet_flow().into_iter().flat_map(SheetFlow::areas)
    }

    /// Returns the fraction of friction that steps follow \[1\].
    pub(crate) fn followed(&self) -> f32 {
        self.sheet_flow().map_or(0.0, SheetFlow::followed)
    }

    /// Returns the points at which the sheet reads the flow \[m\].
    pub(crate) fn points_of_sheet(&self) -> impl Iterator<Item = Vec3> {
        let pose = self.state.pose();
        self.sheet_flow().into_iter().flat_map(SheetFlow::points).map(move |point| pose.to_world(point))
    }

    /// Answers a change of the flow of others by these velocities \[m/s\] at the sheet's points; `sum` is the
    /// sum of the magnitudes of the impulses per density that caused it \[m⁴/s\].
    pub(crate) fn answer_change(&mut self, velocities: &[Vec3], sum: f64) {
        let (pose, rotation) = (self.state.pose(), self.state.rotation.as_dquat().normalize());
        if let Some(surface) = &mut self.surface {
            let before = surface.flow.impulse_of_others(0.0);
            surface.flow.add_flow(pose, velocities);
            let change = surface.flow.impulse_of_others(0.0).and(before.times(-1.0)).turned(rotation);
            surface.net = surface.net.and(change);
            let given = surface.friction.linear;
            let left = 1.0 + given.dot(change.linear) / given.length_squared();
            // The linear impulse of a body that only spins is round-off.
            let is_clear = given.length() > CLEAR * sum;
            if left.is_finite() && is_clear {
                surface.left = 0.5 * (surface.left + left.clamp(LEAST_LEFT, 1.0));
            }
        }
    }

    /// Returns the inertia that resists an impulse of friction; None if impulses do not move the body.
    pub(crate) fn joint_inertia(&self) -> Option<JointInertia> {
        let is_moved = self.mass.is_finite() && !self.motion.is_ignored();
        let fluid = self.surface.as_ref().filter(|_| is_moved).map(|surface| &surface.fluid)?;
        let AddedInertia { linear, coupling, angular } = self.beside_engine(&fluid.added);
        let Inertia { mass, tensor, .. } = self.inertia();
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let world = |block: DMat3| turn * block * turn.transpose();
        let own = if self.inverse_inertia == DMat3::ZERO {
            // The body cannot rotate.
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

    /// Returns the angular velocity per angular impulse of contacts \[1/(kg m²)\], of the body alone or, with
    /// a sheet, with the fluid that moves with it; 0 if impulses do not turn it.
    pub(crate) fn spin_per_torque(&self) -> DMat3 {
        if self.motion.is_ignored() {
            return DMat3::ZERO;
        }
        let blocks = self.joint_inertia();
        let spin = |axis| match &blocks {
            Some(blocks) => solve_joint(blocks, Pair { linear: DVec3::ZERO, angular: axis })
                .map_or(DVec3::ZERO, |(_, spin)| spin),
            None if self.has_sheet() => DVec3::ZERO,
            None => self.spin_from(axis),
        };
        DMat3::from_cols(spin(DVec3::X), spin(DVec3::Y), spin(DVec3::Z))
    }

    /// Returns the moments about the [middle](Self::middle) of the strength bound inside when a layer of
    /// vortons, those of a cluster of contacts, gets the opposite strength.
    pub(crate) fn moments_of_felt(&self, cluster: usize, felt: DVec3) -> CentredMoments {
        if self.held.points_of(cluster).is_empty() {
            CentredMoments::default()
        } else {
            self.moments_inside(cluster, felt)
        }
    }

    /// Applies the change of the fluid's moments by friction, about the [middle](Self::middle), and binds the
    /// strength `felt` inside; `heat` is the heat from the mean slip per density \[m⁵/s²\].
    pub(crate) fn rub(&mut self, change: &CentredMoments, felt: DVec3, heat: f64) {
        let sum = change.and(&self.bind(change, 0, [felt; 2]));
        let given = Pair { linear: sum.linear, angular: sum.angular_about(self.arm()) };
        self.share_later(given);
        if let Some(surface) = &mut self.surface {
            surface.friction = given;
            surface.rubbing_now -= heat;
        }
    }

    /// Applies the change of the fluid's moments by pushing vortons, about the [middle](Self::middle).
    /// Without friction, only pressure acts.
    pub(crate) fn share_push(&mut self, change: &CentredMoments, is_rough: bool) {
        let sum = change.and(&self.bind(change, 0, [DVec3::ZERO; 2]));
        let angular = sum.angular_about(self.arm());
        let lever = self.lever().filter(|_| !is_rough);
        let angular = lever.map_or(angular, |lever| lever * angular);
        self.share_later(Pair { linear: sum.linear, angular });
    }

    /// Records a momentum per density given to vortons, about the centre of mass; the fluid that moves with
    /// the body gets the opposite.
    fn share_later(&mut self, given: Pair) {
        let moving = self.moving();
        let Some(surface) = &mut self.surface else { return };
        surface.rubbed = surface.rubbed.and(given);
        surface.net = surface.net.and(given);
        let work = given.linear.dot(moving.velocity) + given.angular.dot(moving.spin);
        surface.rubbing += work;
        surface.rubbing_now += work;
    }

    /// Pays for the angular momentum that the layer on the surface gains where it diffuses over `diffused`
    /// \[m²\], viscosity times time: -4/3 of that times its total strength, the opposite of the strength of
    /// the body's interior (E38). By this torque a viscous fluid slows down a body that carries a layer
    /// along; its work is dissipated in the layer. Called only if vortons touch the body, because a wake left
    /// behind does not turn it.
    pub(crate) fn pay_for_diffusion(&mut self, density: f64, diffused: f32) {
        // The walls of a container have friction of their own (E54); half-spaces have none.
        if self.container || self.half_space || diffused == 0.0 {
            return;
        }
        let gained = self.bound.felt * (4.0 / 3.0 * f64::from(diffused));
        if let Some(surface) = &mut self.surface {
            let gained = Pair { linear: DVec3::ZERO, angular: gained };
            surface.rubbed = surface.rubbed.and(gained);
            surface.net = surface.net.and(gained);
            return;
        }
        let angular = gained * -density;
        self.impulse.angular += angular;
        self.motion.push(DVec3::ZERO, angular);
    }

    /// Returns the fraction of an impulse of friction that remains after the sheet's answer \[1\], as
    /// estimated from earlier steps.
    pub(crate) fn left_of_friction(&self) -> f64 {
        self.surface.as_ref().map_or(1.0, |surface| surface.left)
    }

    /// Records how much fluid friction carries along, relative to the joint inertia of the body and the fluid
    /// that it moves \[1\].
    pub(crate) fn carries(&mut self, fluid: f64) {
        if !self.asleep {
            self.motion.carries(fluid);
        }
    }

    /// Gives the body, at once, its part of the impulse that contacts have taken from it and from the fluid
    /// that moves with it. `fluid` is the argument of [`Body::limit`].
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
        self.impulse.linear += linear;
        self.impulse.angular += angular;
    }

    /// Begins the contacts of a step.
    pub(crate) fn begin_contacts(&mut self) {
        if let Some(surface) = &mut self.surface {
            surface.rubbing_now = 0.0;
        }
    }

    /// Returns the work per density \[m⁵/s²\] of the sheet and of friction in this step.
    pub(super) fn work_of_sheet(&self) -> f64 {
        self.surface.as_ref().map_or(0.0, |surface| surface.work + surface.rubbing_now)
    }
}

/// Solves for the velocity and angular velocity of this momentum.
fn solve_joint([linear, coupling, angular]: &JointInertia, momentum: Pair) -> Option<(DVec3, DVec3)> {
    let mut rows = rows_of(linear, coupling, angular);
    let ([a, b, c], [d, e, f]) = (momentum.linear.to_array(), momentum.angular.to_array());
    let mut q = [a, b, c, d, e, f];
    let is_solved =
        solve_definite(rows.as_flattened_mut(), &mut q) && q.iter().all(|value| value.is_finite());
    is_solved.then(|| (DVec3::new(q[0], q[1], q[2]), DVec3::new(q[3], q[4], q[5])))
}
