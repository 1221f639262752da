//! A body's sheet, which lets no fluid through its surface (E51), and the fluid around it with which the body
//! shares momentum (E52).

use super::rubbed::LEFT;
use super::walled::WalledHole;
use super::{Body, MOST_WITHHELD};
use crate::added_inertia::AddedInertia;
use crate::free_motion::BodyResponse;
use crate::ledger::BodyImpulse;
use crate::mutual_energy::{EnergyAccount, EnergyExchange};
use crate::pose::Pose;
use crate::reply::{Moving, Reply, SurroundingFluid, TankPush};
use crate::shapes::Shape;
use crate::sheet::{Answer, NearSheets, OwnGroup, Pair, Sheet, SheetFlow, WallSheet};
use fluid_core::boundary::{Motion, StepTime};
use fluid_core::constants::MAX_BODY_SPEED;
use fluid_core::math::rotation;
use fluid_core::velocity::SourcesNearby;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use std::sync::Arc;

/// Data that depends on shapes alone; bodies with equal shapes share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownShapes {
    pub(super) sheet: Option<KnownSheet>,
    /// Of all holes, or none.
    pub(super) walls: Vec<Arc<WallSheet>>,
}

#[derive(Debug, Clone)]
pub(super) struct KnownSheet {
    sheet: Arc<Sheet>,
    added: AddedInertia,
}

impl KnownShapes {
    /// True if both share the same memory.
    #[cfg(test)]
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        let sheets = self.sheet.as_ref().zip(other.sheet.as_ref());
        let mut walls = self.walls.iter().zip(&other.walls);
        sheets.is_some_and(|(a, b)| Arc::ptr_eq(&a.sheet, &b.sheet)) || walls.any(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// True if any data is present.
    pub(crate) fn is_any(&self) -> bool {
        self.sheet.is_some() || !self.walls.is_empty()
    }
}

/// The fluid that moves with a body.
#[derive(Debug, Clone)]
pub(super) struct MovedFluid {
    /// Added inertia.
    pub(super) added: AddedInertia,
    pub(super) reply: Reply,
}

fluid_core::saved::fields!(MovedFluid { reply } not { added });

impl MovedFluid {
    pub(super) fn new(added: AddedInertia) -> Self {
        Self { added, reply: Reply::default() }
    }
}

/// Sheet on the surface of a body, with the state that belongs to it.
#[derive(Debug, Clone)]
pub(super) struct SheetedSurface {
    pub(super) flow: SheetFlow,
    pub(super) fluid: MovedFluid,
    /// Time \[s\] from the pose at which momentum was last shared to the end of the current step.
    step: f64,
    /// Work per density \[m⁵/s²\] on the flow of others in the last step.
    pub(super) work: f64,
    /// The sheet's answer to the flow of others at the start of the last step; None if it was unknown.
    answer: Option<Answer>,
    /// Impulse per density that this flow gave to the sheet in the last step, friction included.
    received: Pair,
    /// Push by its tank at the start of a step.
    pub(super) of_tank: TankPush,
    /// Impulse per density of contacts on the vortons, about the centre of mass, since the last step of
    /// nonzero length.
    pub(super) rubbed: Pair,
    /// Part of it due to friction, in the last step.
    pub(super) friction: Pair,
    /// Impulse of contacts together with the sheet's immediate answer to it, until the body has received its
    /// part.
    pub(super) net: Pair,
    /// Impulse \[N s\], \[N m s\] that the body has received from it in this step.
    pub(super) given: Pair,
    /// Impulse per density that the surrounding fluid has lost in exchange, about the centre at which
    /// momentum was last shared.
    passed: Pair,
    /// Fraction of an impulse of friction that remains after the sheet's answer \[1\].
    pub(super) left: f64,
    /// Work of contacts on the vortons per density \[m⁵/s²\]: since momentum was last shared, and in this
    /// step less heat.
    pub(super) rubbing: f64,
    pub(super) rubbing_now: f64,
    /// Velocity \[m/s\] and angular velocity \[rad/s\] of the body when the flow was last read.
    pub(super) seen: (Vec3, Vec3),
    /// The body's part of the energy of the flow between it and others (E68).
    account: EnergyAccount,
}

fluid_core::saved::fields!(SheetedSurface {
    flow,
    fluid,
    step,
    work,
    answer,
    received,
    rubbed,
    friction,
    net,
    given,
    passed,
    left,
    rubbing,
    rubbing_now,
    seen,
    account,
} not { of_tank });

impl SheetedSurface {
    /// Goes on with the flow around `before`, a body of which the sizes are those of this one over `scale`.
    /// `to_before` maps points of this body to points of that one.
    pub(super) fn go_on_from(&mut self, before: &Self, scale: f32, to_before: &dyn Fn(Vec3) -> Vec3) {
        self.flow.go_on_from(&before.flow, scale, to_before);
        let mut next = before.clone();
        std::mem::swap(&mut next.flow, &mut self.flow);
        next.fluid.added = self.fluid.added;
        *self = next;
    }
}

impl Body {
    /// Creates a sheet for these shapes, if the body is to have one.
    pub(super) fn make_sheet(&mut self, shapes: &[Shape], known: Option<KnownSheet>) {
        let is_wanted = self.no_through && !self.container;
        let make = |settings| {
            let added = self.added_inertia(shapes)?;
            let sheet = Sheet::of(shapes, (self.displaced.volume, &added), settings)?;
            Some(KnownSheet { sheet: Arc::new(sheet), added })
        };
        let sheet = is_wanted.then_some(self.sheet_settings);
        self.surface = sheet.and_then(|settings| known.or_else(|| make(settings))).map(|known| {
            let KnownSheet { sheet, added } = known;
            Box::new(SheetedSurface {
                flow: SheetFlow::new(sheet),
                fluid: MovedFluid::new(added),
                step: 0.0,
                work: 0.0,
                answer: None,
                received: Pair::default(),
                of_tank: TankPush::default(),
                rubbed: Pair::default(),
                friction: Pair::default(),
                net: Pair::default(),
                given: Pair::default(),
                left: LEFT,
                passed: Pair::default(),
                rubbing: 0.0,
                rubbing_now: 0.0,
                seen: (Vec3::ZERO, Vec3::ZERO),
                account: EnergyAccount::default(),
            })
        });
    }

    /// Returns the sheet data that is expensive to compute from its shapes.
    pub(crate) fn known_shapes(&self) -> KnownShapes {
        let sheet = self.surface.as_ref();
        KnownShapes {
            sheet: sheet.map(|s| KnownSheet { sheet: s.flow.sheet(), added: s.fluid.added }),
            walls: self.walls.iter().map(|walls| walls.flow.sheet()).collect(),
        }
    }

    /// Returns the inertia of the fluid that moves with the body.
    pub(super) fn moved_inertia(&self) -> Option<AddedInertia> {
        let content = self.filling.as_ref().map(|filling| filling.content.inertia(self.density));
        self.surface.as_ref().map(|surface| self.beside_engine(&surface.fluid.added)).or(content)
    }

    /// Returns the added inertia without the part that is in the engine's mass and inertia (E69).
    pub(super) fn beside_engine(&self, added: &AddedInertia) -> AddedInertia {
        // An engine that moves the body by itself uses no mass.
        if self.told_mass.is_infinite() {
            return *added;
        }
        let AddedInertia { linear, coupling, angular } = *added;
        let fluid_mass = DMat3::from_diagonal(DVec3::splat(self.fluid_mass / self.density));
        AddedInertia {
            linear: linear - fluid_mass,
            coupling,
            angular: angular - self.fluid_inertia * (1.0 / self.density),
        }
    }

    /// Returns the fraction of forces and torques that acts on the body and not on the fluid that moves with
    /// it.
    pub(super) fn part(&self) -> Option<BodyResponse> {
        let added = self.moved_inertia().filter(|_| self.mass.is_finite() && !self.motion.is_ignored())?;
        let AddedInertia { linear, coupling, angular } = added;
        let (mass, tensor) =
            (DMat3::from_diagonal(DVec3::splat(self.mass)), self.inertia_tensor_of(self.mass));
        let is_turned = self.inverse_inertia != DMat3::ZERO;
        let coupling = if is_turned { coupling * self.density } else { DMat3::ZERO };
        // Inverse of the joint inertia, by blocks.
        let alone = (linear * self.density + mass).inverse();
        let turned = (angular * self.density + tensor - coupling.transpose() * alone * coupling).inverse();
        let across = alone * coupling * turned * -1.0;
        let moved = alone - across * coupling.transpose() * alone;
        let turn = DMat3::from_quat(self.state.rotation.as_dquat().normalize());
        let world = |block: DMat3| turn * block * turn.transpose();
        let (of_itself, of_turning) = if is_turned {
            (tensor * across.transpose() * self.mass, tensor * turned)
        } else {
            (DMat3::ZERO, DMat3::IDENTITY)
        };
        let part = BodyResponse {
            of_acceleration: (world(moved * self.mass), world(of_itself)),
            of_torque: (if is_turned { world(across) } else { DMat3::ZERO }, world(of_turning)),
        };
        let BodyResponse { of_acceleration: (a, b), of_torque: (c, d) } = part;
        [a, b, c, d].iter().all(|block| block.is_finite()).then_some(part)
    }

    /// Ends a step of `dt` \[s\]: gives the impulse of other flow on the sheet to the fluid, and the changes
    /// of velocity \[m/s\] and angular momentum \[N m s\] that the forces would have given to the body
    /// without the fluid. `rotation` is the rotation at which the forces were computed.
    pub(super) fn give_to_fluid(
        &mut self,
        dt: f64,
        density: f64,
        (withheld, withheld_angular): (DVec3, DVec3),
        rotation: Quat,
    ) {
        let withheld = match self.mass.is_finite() {
            true => {
                let most = MOST_WITHHELD * f64::from(MAX_BODY_SPEED);
                Pair { linear: withheld.clamp_length_max(most) * self.mass, angular: withheld_angular }
            }
            false => Pair::default(),
        };
        let Moving { centre, velocity, spin, .. } = self.moving();
        let (wind, lever) = (self.wind.as_dvec3(), self.lever());
        let energy = withheld.linear.dot(velocity) + withheld.angular.dot(spin);
        if let Some(filling) = self.filling.as_mut().filter(|_| dt != 0.0) {
            filling.content.give(withheld, rotation.as_dquat().normalize(), velocity);
        }
        if let Some(surface) = self.surface.as_mut().filter(|_| dt != 0.0) {
            surface.fluid.reply.give_part(withheld.times(1.0 / density), energy);
        }
        if self.surface.is_none() && self.filling.is_none() {
            return;
        }
        self.impulse.linear -= withheld.linear;
        self.impulse.angular -= withheld.angular;
        let Some(surface) = self.surface.as_mut().filter(|_| dt != 0.0) else { return };
        let rubbed = std::mem::take(&mut surface.rubbed).times(-1.0);
        let lever = lever.unwrap_or(DMat3::IDENTITY);
        // To where the wind has carried the fluid by the time of the contacts.
        surface.fluid.reply.carry(wind * dt);
        let rubbed = surface.fluid.reply.as_of_last(centre, rubbed, lever);
        surface.received = surface.flow.force().times(dt).and(rubbed);
        surface.net = Pair::default();
        let passed = std::mem::take(&mut surface.given).times(-1.0 / density);
        surface.passed = surface.fluid.reply.as_of_last(centre, passed, lever);
        surface.fluid.reply.give(surface.received.and(surface.passed));
        surface.flow.finish_step(dt as f32);
    }

    /// Returns the sheet on the surface as vortons at `time`: positions and strengths.
    pub(crate) fn sheet_vortons(&self, time: StepTime) -> impl Iterator<Item = (Vec3, Vec3)> {
        let (pose, after) = (self.poses.at(time), time.part() * self.step);
        self.surface
            .iter()
            .flat_map(move |surface| surface.flow.vortons(pose, self.motion_at(pose, after), after))
    }

    /// Returns the energy per density \[m⁵/s²\] of these vortons by themselves.
    pub(crate) fn sheet_energy(&self, time: StepTime) -> f64 {
        let (pose, after) = (self.poses.at(time), time.part() * self.step);
        let surface = self.surface.as_ref();
        surface.map_or(0.0, |surface| surface.flow.energy_of_sheet(self.motion_at(pose, after), after))
    }

    /// Returns the sheets as vortons at the end of a step of `dt` \[s\], after the body has moved.
    pub(crate) fn sheet_at_end(&self, dt: f32) -> impl Iterator<Item = (Vec3, Vec3)> {
        let pose = self.state.pose();
        let of_solids = self
            .surface
            .iter()
            .flat_map(move |surface| surface.flow.vortons(pose, self.motion_at(pose, dt), dt));
        of_solids.chain(self.walls.iter().flat_map(move |walls| walls.flow.vortons(pose)))
    }

    /// True if the body has a sheet.
    pub(crate) fn has_sheet(&self) -> bool {
        self.surface.is_some()
    }

    /// Sets the surfaces around the body's own.
    pub(crate) fn keep_apart(&mut self, neighbours: NearSheets) {
        self.walls.iter_mut().for_each(|walls| walls.flow.keep_apart(neighbours.gap));
        if let Some(surface) = &mut self.surface {
            surface.flow.keep_apart(neighbours);
        }
    }

    /// Leaves out the flow through the part of the surface, at `pose`, that is in another body, see
    /// [`SheetFlow::dry`].
    pub(crate) fn dry(&mut self, pose: Pose, height: impl Fn(Vec3) -> f32) {
        if let Some(surface) = &mut self.surface {
            surface.flow.dry(pose, height);
        }
    }

    /// Returns its part of the energy of the flow between it and others, if it has a sheet.
    pub(crate) fn account(&mut self) -> Option<&mut EnergyAccount> {
        self.surface.as_mut().map(|surface| &mut surface.account)
    }

    /// True if the flow of others was last read with errors of a mesh.
    pub(crate) fn reads_errors(&self) -> bool {
        self.surface.as_ref().is_some_and(|surface| surface.flow.has_errors())
    }

    /// Returns what may be taken from that part \[J\].
    pub(crate) fn available(&self) -> f64 {
        self.surface.as_ref().map_or(0.0, |surface| surface.account.available())
    }

    /// True if impulses do not move the body: it is static, asleep, or the engine moves it by itself.
    pub(crate) fn is_driven(&self) -> bool {
        self.mass.is_infinite() || self.motion.is_ignored()
    }

    /// Returns the radius of a ball around the centre of mass that encloses the body \[m\].
    pub(crate) fn radius(&self) -> f64 {
        self.reach * 3.0_f64.sqrt()
    }

    /// Reads the flow at the middle of a step, with or without that of its own `group` of sources.
    pub(crate) fn see_flow(&mut self, step: Motion<'_>, group: OwnGroup, nearby: &mut SourcesNearby) {
        self.see_flow_at_walls(step);
        if self.surface.is_none() || step.dt <= 0.0 {
            return;
        }
        let pose = self.poses.middle;
        let motion = self.motion_at(pose, 0.5 * step.dt);
        let Some(surface) = &mut self.surface else { return };
        if !surface.flow.is_known() {
            // The flow was there before it is first read: its onset must not count as an impulse.
            surface.fluid.reply.forget();
        }
        surface.seen = (pose.turn(motion.velocity) + self.wind, pose.turn(motion.spin));
        let jump = surface.flow.read((step, self.wind), pose, motion, group, nearby);
        let jump = jump.turned(pose.rotation.as_dquat().normalize());
        let used = jump.times(surface.flow.part_of_others());
        surface.fluid.reply.hear(used);
        if let Some(answer) = &mut surface.answer {
            *answer = Answer { whole: answer.whole.and(jump), used: answer.used.and(used) };
        }
    }

    /// Returns the force per density of the flow of others on the sheet \[m⁴/s²\], world's axes.
    pub(crate) fn force_of_flow(&self) -> DVec3 {
        self.surface.as_ref().map_or(DVec3::ZERO, |surface| surface.flow.force().linear)
    }

    /// Returns the momentum per density \[m⁴/s\] of the fluid that moves with the body, and of the wake that
    /// its next ring is.
    pub fn fluid_momentum(&self) -> DVec3 {
        let content = self.filling.as_ref().map(|filling| filling.content.momentum() / self.density);
        let moved = self.surface.as_ref().map(|surface| surface.fluid.reply.momentum());
        moved.or(content).unwrap_or(DVec3::ZERO) + self.drag.owed()
    }

    /// Returns the energy per density \[m⁵/s²\] that the flow driven by the body has gained from the middle
    /// of the last step to that of this one, of `dt` \[s\].
    pub(super) fn energy_gained(&mut self, dt: f32) -> f64 {
        let flows = self.filling.is_some() || self.surface.is_some();
        // A step of zero or negative length has no middle.
        if flows && dt <= 0.0 {
            return 0.0;
        }
        let energy = match &self.surface {
            None => self.energy_of_turning(),
            Some(surface) => surface.flow.energy(self.motion_at(self.poses.middle, 0.5 * dt)),
        };
        energy - std::mem::replace(&mut self.own_energy, energy) + self.energy_stirred(dt)
    }

    /// Begins a step of `dt` \[s\]: body and fluid share their momentum (E52). `fastest` bounds the speed of
    /// flows at the body that have energy without limit \[m/s\].
    pub(super) fn share_with_fluid(&mut self, dt: f32, fastest: f64, exchange: &mut EnergyExchange) {
        if self.filling.is_some() {
            return self.share_with_content(dt);
        }
        let Some(surface) = &mut self.surface else { return };
        surface.work = 0.0;
        // A step of zero length changes nothing.
        if dt == 0.0 {
            return;
        }
        // Back in time, the fluid returns nothing.
        if dt < 0.0 {
            surface.step = dt.into();
            return self.forget_flow();
        }
        let (sharing, ahead, frame) = self.moving_to_share(dt);
        let Some(mut surface) = self.surface.take() else { return };
        let last = std::mem::replace(&mut surface.step, f64::from(dt) - ahead) + ahead;
        let density = self.density;
        let Moving { rotation, velocity, spin, .. } = self.moving();
        let (way, angle) = (velocity.length() * f64::from(dt.abs()), spin.length() * f64::from(dt.abs()));
        let size = self.reach as f32;
        let followed = f64::from(surface.flow.followed());
        let left_out = surface.flow.begin_step((way as f32, angle as f32), size).turned(rotation);
        surface.fluid.reply.give(left_out);
        let back = |answer: Pair| answer.turned(rotation.conjugate());
        let now = surface.flow.answer(rotation);
        let answer = now.used;
        if let Some(before) = &mut surface.answer {
            let unforced = surface.flow.unforced_change((before, &now), followed, rotation);
            surface.fluid.reply.hear(unforced.and(left_out.times(-1.0)));
            before.used = before.used.and(unforced);
        }
        // Impulse that others have taken from the body and its fluid, and the part that the body has not
        // received yet.
        let (taken, left) = surface.answer.map_or((Pair::default(), Pair::default()), |before| {
            let taken = answer.and(before.used.times(-1.0)).and(surface.received.times(-1.0));
            (taken, taken.and(surface.passed.times(-1.0)))
        });
        let others = left.times(-density);
        let before = surface.answer.map(|before| before.used);
        let drifts = [Some(answer), before].into_iter().flatten().map(|a| surface.flow.drift(back(a)));
        let drift = drifts.fold(0.0, f64::max);
        let moved = ((velocity.length() * frame) as f32, (spin.length() * frame) as f32);
        let is_resolved = surface.flow.is_resolved() && SheetFlow::part_after(moved, size) == 1.0;
        let lever = turned_by(surface.flow.turns(), sharing.rotation);
        let of_tank = std::mem::take(&mut surface.of_tank);
        let reply = &mut surface.fluid.reply;
        reply.give(reply.as_of_last(sharing.centre, of_tank.push, lever));
        let whole = &surface.fluid.added;
        let added = &self.beside_engine(whole);
        let from_outside = drift.min(fastest);
        let around = SurroundingFluid {
            density,
            added,
            whole,
            lever,
            not_round: turned_by(surface.flow.not_round(), sharing.rotation),
            last,
            goes_on: frame > f64::from(dt),
            answer,
            others,
            of_tank,
            drift,
            from_outside,
            is_resolved,
        };
        let reply = &mut surface.fluid.reply;
        let (new_velocity, new_spin) = self.share(frame, sharing, &around, (reply, exchange));

        // Work on the flow of others. The body's own flow is counted by its energy, and friction has been
        // counted.
        let rubbing = std::mem::take(&mut surface.rubbing);
        let work =
            taken.linear.dot(0.5 * (velocity + new_velocity)) + taken.angular.dot(0.5 * (spin + new_spin));
        surface.work = if surface.answer.is_some() { work - rubbing } else { 0.0 };
        surface.answer = surface.flow.is_known().then_some(now);
        self.surface = Some(surface);
    }

    /// Records that the engine has moved the body for a time \[s\] more than the steps took.
    pub(super) fn wait(&mut self, time: f64) {
        let wind = self.wind_at_vortons().as_dvec3();
        if let Some(surface) = self.surface.as_mut().filter(|_| time != 0.0) {
            surface.step += time;
            surface.fluid.reply.carry(wind * time);
        }
    }

    /// Returns the part of a torque of contacts that the body receives \[1\]: without friction, the part that
    /// pressure can produce.
    pub(super) fn lever(&self) -> Option<DMat3> {
        let surface = self.surface.as_ref()?;
        Some(turned_by(surface.flow.turns(), self.state.rotation.as_dquat().normalize()))
    }

    /// Returns the energy per density \[m⁵/s²\] of the flow driven by the body at the middle of the last
    /// step.
    pub(crate) fn own_energy(&self) -> f64 {
        self.own_energy
    }

    /// Returns the distance \[m\] and the angle \[rad\] from the present pose to this one.
    pub(super) fn way_to(&self, pose: &Pose) -> (f32, f32) {
        let now = self.state.pose();
        let (_, angle) = rotation::shorter(now.rotation.conjugate() * pose.rotation).to_axis_angle();
        (now.position.distance(pose.position), angle)
    }

    /// True if the flow around the body remains that around it after a displacement by this distance \[m\]
    /// and angle \[rad\], as far as an answer to the flow of others is used at all then (E51).
    pub(super) fn goes_on_after(&self, [way, angle]: [f32; 2]) -> bool {
        SheetFlow::part_after((way, angle), self.reach_of_any() as f32) > 0.0
    }

    /// Returns what the next step would give to a body that impulses do not move for the last one, for use
    /// before its sheet or the flow around it is forgotten. A body that they move has its part of contacts
    /// already.
    pub(super) fn due_to_sheet(&self) -> BodyImpulse {
        let none = BodyImpulse::default();
        let Some(surface) = self.surface.as_ref().filter(|_| self.is_driven()) else { return none };
        let Moving { centre, rotation, .. } = self.moving();
        let answer = surface.flow.impulse_of_others(0.0).turned(rotation);
        let changed = surface.answer.map_or(Pair::default(), |before| before.used.and(answer.times(-1.0)));
        let due = surface.received.and(surface.passed).and(changed);
        let arm = surface.fluid.reply.arm(centre);
        let due = Pair { linear: due.linear, angular: due.angular + arm.cross(due.linear) };
        let Pair { linear, angular } = due.and(surface.rubbed.times(-1.0)).times(self.density);
        if linear.is_finite() && angular.is_finite() { BodyImpulse { linear, angular, ..none } } else { none }
    }

    /// Discards all state about the flow around the body.
    pub(super) fn forget_flow(&mut self) {
        self.lose_sheet();
        let rotation = self.state.rotation.as_dquat().normalize();
        if let Some(filling) = &mut self.filling {
            filling.forget(self.density, rotation);
        }
        self.walls.iter_mut().for_each(WalledHole::forget);
        if let Some(surface) = &mut self.surface {
            surface.flow.forget();
            surface.fluid.reply.forget();
            (surface.answer, surface.received) = (None, Pair::default());
            surface.of_tank = TankPush::default();
            (surface.rubbed, surface.net) = (Pair::default(), Pair::default());
            (surface.given, surface.passed) = (Pair::default(), Pair::default());
            (surface.rubbing, surface.rubbing_now, surface.work) = (0.0, 0.0, 0.0);
            surface.left = LEFT;
            surface.account = EnergyAccount::default();
        }
    }
}

/// Rotates a matrix to the world's axes.
fn turned_by(matrix: DMat3, rotation: DQuat) -> DMat3 {
    let turn = DMat3::from_quat(rotation);
    turn * matrix * turn.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::{Bodies, BodySettings};
    use crate::body::BodyDef;
    use crate::shapes::Parity;
    use fluid_core::params::Params;

    /// Each sheet takes up to 0.2 s to create.
    #[test]
    fn equal_bodies_share_their_sheets() {
        let params = Params { core_radius: 0.1, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let cube = |size: f32, parity| Shape { parity, ..Shape::cuboid(Vec3::splat(size)) };
        let defs = [
            (0.2, Parity::Solid),
            (0.2, Parity::Solid),
            (0.25, Parity::Solid),
            (0.5, Parity::Hole),
            (0.5, Parity::Hole),
        ];
        for (size, parity) in defs {
            let def = BodyDef { shapes: vec![cube(size, parity)], no_through: true, ..BodyDef::default() };
            bodies.add(def).expect("a valid body");
        }
        let known: Vec<KnownShapes> = bodies.list().iter().map(Body::known_shapes).collect();
        let sheet = |index: usize| known[index].sheet.as_ref().map(|known| &known.sheet);
        let is_same = |a, b| sheet(a).zip(sheet(b)).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        assert!(is_same(0, 1) && !is_same(0, 2) && sheet(2).is_some());
        assert!(Arc::ptr_eq(&known[3].walls[0], &known[4].walls[0]));
        // Different shapes first, then the same again.
        bodies.set_shapes(1, vec![cube(0.25, Parity::Solid)]).expect("valid shapes");
        let now = bodies.list()[1].known_shapes().sheet.map(|known| known.sheet);
        assert!(now.zip(sheet(2)).is_some_and(|(a, b)| Arc::ptr_eq(&a, b)));
    }
}
