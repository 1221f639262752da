//! Exchange of impulse, work and heat between bodies and vortons in contact, in a step.

use super::Bodies;
use crate::contact::ContactSide;
use crate::heat::conduct;
use crate::least_slip::turning;
use crate::ledger::CentredMoments;
use fluid_core::boundary::{Motion, WallHit, WallTreatment};
use fluid_core::particles::Vortons;
use fluid_core::velocity::VelocityField;
use glam::{DVec3, Vec3};

impl Bodies {
    /// Gives the bodies the opposite of the change of the fluid's impulse due to pushing vortons out.
    pub(super) fn settle_ejections(&mut self, density: f64, relaxed: f64, vortons: &Vortons) {
        for body in &mut self.list {
            body.begin_contacts();
            body.pushed = CentredMoments::default();
            (body.taken, body.taken_inside) = ((DVec3::ZERO, DVec3::ZERO), DVec3::ZERO);
            body.lost = 0.0;
        }
        for group in self.contacts.ejections.chunk_by(|a, b| (a.body, a.is_held) == (b.body, b.is_held)) {
            let body = &mut self.list[group[0].body as usize];
            // The contents of holes give the body their whole momentum.
            if body.is_half_space() || group[0].is_held {
                continue;
            }
            let centre = body.middle();
            // A fast body takes vortons along: the middle of the path beside the body counts, not points that
            // its centre had not reached.
            let reach = self.obstacles.list()[group[0].body as usize].ball().radius;
            let mut change = CentredMoments::default();
            for ejection in group {
                let (place, strength) = row(vortons, ejection.row);
                let way = place - ejection.from;
                let middle = place - 0.5 * way.clamp_length_max(reach);
                let mut one = CentredMoments::default();
                one.add_way(centre, middle, way, strength.as_dvec3());
                if one.is_finite() {
                    change = change.and(&one);
                }
            }
            if body.has_sheet() {
                body.share_push(&change, relaxed > 0.0);
                continue;
            }
            body.receive(density, &change, (0, [DVec3::ZERO; 2]), None);
            (body.pushed.linear, body.pushed.angular) = (change.linear * -density, change.angular * -density);
        }
    }

    /// Limits pushes by a body that no vorton touches afterwards, like those of contacts: by the flow at the
    /// vortons' positions without the body. Otherwise one strong vorton throws a light body away.
    pub(super) fn limit_pushes(&mut self, motion: Motion<'_>, density: f64) {
        let (ejections, contacts) = (&self.contacts.ejections, &self.contacts.contacts);
        for group in ejections.chunk_by(|a, b| (a.body, a.is_held) == (b.body, b.is_held)) {
            let index = group[0].body;
            let body = &mut self.list[index as usize];
            if body.is_half_space() || group[0].is_held || body.has_sheet() {
                continue;
            }
            let first = contacts.partition_point(|contact| contact.body < index);
            let mut own = contacts[first..].iter().take_while(|contact| contact.body == index);
            if own.any(|contact| !contact.is_held) {
                continue;
            }
            let moving = self.obstacles.list()[index as usize].velocity_at(body.state.position).as_dvec3();
            let (mut mean, mut fastest) = (DVec3::ZERO, 0.0_f64);
            for ejection in group {
                let mut fluid = [Vec3::ZERO];
                motion.field.velocities(&[ejection.from], &mut fluid);
                let fluid = fluid[0].as_dvec3();
                mean += fluid;
                fastest = fastest.max((fluid - moving).length());
            }
            body.limit(density, (mean / group.len() as f64, fastest));
        }
    }

    /// Returns the work \[J\] of gravity on the displacement of vortons that walls and solids have put back:
    /// they have not fallen as far as the flow led them.
    pub(super) fn work_of_ejections(&self, motion: Motion<'_>, vortons: &Vortons) -> f64 {
        let each = self.contacts.ejections.iter().map(|ejection| {
            let place = vortons.positions.get(ejection.row as usize);
            let velocity = self.obstacles.list()[ejection.body as usize].velocity_at(place);
            let at = (ejection.body, ejection.row);
            let surface = (!ejection.is_held).then_some((ejection.normal, velocity));
            self.work_of_gravity(motion, at, place - ejection.from, surface, vortons)
        });
        each.sum()
    }

    /// Returns the same for the displacement by which contacts keep vortons off surfaces.
    pub(super) fn work_of_placing(&self, motion: Motion<'_>, vortons: &Vortons) -> f64 {
        let each = self.contacts.contacts.iter().zip(self.no_slip.assigned()).map(|(contact, old)| {
            let way = vortons.positions.get(contact.row as usize) - old.position;
            let surface = (!contact.is_held).then_some((contact.normal, contact.velocity));
            self.work_of_gravity(motion, (contact.body, contact.row), way, surface, vortons)
        });
        each.sum()
    }

    /// Returns the work \[J\] of gravity on a vorton, `at` this body and row, displaced by `way` \[m\]: in a
    /// hole, or outside at a `surface` of this normal and velocity \[m/s\]. The way of the surface itself
    /// does not count: the body does that work.
    fn work_of_gravity(
        &self,
        motion: Motion<'_>,
        (body, row): (u32, u32),
        way: Vec3,
        surface: Option<(Vec3, Vec3)>,
        vortons: &Vortons,
    ) -> f64 {
        let deviation = f64::from(vortons.mass_deviations[row as usize]);
        if deviation == 0.0 || way == Vec3::ZERO {
            return 0.0;
        }
        let (gravity, index) = (motion.params.gravity, body as usize);
        let work = match surface {
            Some((normal, velocity)) => {
                let moved = (normal.dot(velocity) * motion.dt).clamp(0.0, normal.dot(way).max(0.0));
                (way - normal * moved).as_dvec3().dot(gravity.as_dvec3()) * deviation
            }
            None => {
                let place = vortons.positions.get(row as usize);
                let room = self.obstacles.list()[index].room_at(place).unwrap_or(0);
                let felt = gravity - self.list[index].acceleration(room);
                way.as_dvec3().dot(felt.as_dvec3()) * deviation
            }
        };
        if work.is_finite() { work } else { 0.0 }
    }

    /// Records the vortons that walls have put back, if the treatment of walls uses them.
    pub(super) fn note_wall_hits(&mut self, treatment: WallTreatment, vortons: &Vortons) {
        self.wall_hits.clear();
        if treatment != WallTreatment::PoisonedByHits {
            return;
        }
        let hits = self.contacts.ejections.iter().filter(|hit| hit.is_held);
        let hits =
            hits.map(|hit| WallHit { position: vortons.positions.get(hit.row as usize), normal: hit.normal });
        self.wall_hits.extend(hits);
    }

    /// Lets the strength that bodies with sheets hold induce less velocity while no vorton touches them: the
    /// layer to which it belongs has left, and the flow of the strength alone would push the body sideways
    /// for as long as it moves.
    pub(super) fn let_go_of_layers(&mut self, dt: f32) {
        let left = match self.relaxed(dt) {
            // Without friction nothing holds it.
            0.0 if dt != 0.0 => 0.0,
            relaxed => libm::exp(-relaxed),
        };
        let mut contacts = self.contacts.contacts.as_slice();
        for (index, body) in self.list.iter_mut().enumerate() {
            let count = contacts.partition_point(|contact| contact.body as usize <= index);
            let (own, others) = contacts.split_at(count);
            contacts = others;
            if own.is_empty() && body.has_sheet() {
                body.weaken(left);
                body.let_go_of_traces();
            }
        }
    }

    /// Exchanges heat between bodies and the vortons that touch them.
    pub(super) fn conduct_heat(&mut self, motion: Motion<'_>, vortons: &mut Vortons) {
        for group in self.contacts.contacts.chunk_by(|a, b| a.body == b.body) {
            let body = &mut self.list[group[0].body as usize];
            if body.heat_transfer > 0.0 {
                body.impulse.heat += conduct(motion, body, group, vortons, self.settings.specific_heat);
            }
        }
    }

    /// Applies friction between bodies with sheets and the vortons that touch them.
    pub(super) fn rub(&mut self, motion: Motion<'_>, vortons: &mut Vortons) {
        let (mut rest, mirrors, without) = self.no_slip.assigned_mut();
        for contacts in self.contacts.contacts.chunk_by(|a, b| a.body == b.body) {
            let (assigned, others) = rest.split_at_mut(contacts.len());
            rest = others;
            let body = &mut self.list[contacts[0].body as usize];
            if body.has_sheet() {
                let mirrors = if without.has_body(contacts[0].body as usize) { &[] } else { mirrors };
                self.friction.rub(
                    motion,
                    self.settings.no_slip.rate,
                    body,
                    (contacts, assigned),
                    (vortons, mirrors),
                );
            }
        }
    }

    /// Gives the bodies the opposite of the change of the fluid's impulse due to new strengths at surfaces.
    pub(super) fn settle_strengths(
        &mut self,
        density: f64,
        (relaxed, is_step): (f64, bool),
        vortons: &Vortons,
    ) {
        let assigned = self.no_slip.assigned();
        let taken = -libm::expm1(-relaxed);
        let pairs = self.contacts.contacts.iter().zip(assigned);
        let mut pairs = pairs.peekable();
        while let Some(&(first, _)) = pairs.peek() {
            let body = &mut self.list[first.body as usize];
            let centre = body.middle();
            let cluster = first.cluster as usize;
            // The impulse of a change of total strength is one about the position of the bound strength.
            let lever = 0.5 * (body.centre_of_bound(cluster) - centre);
            let impulse = |moments: &CentredMoments| moments.linear - lever.cross(moments.strength);
            let (mut change, mut bound, mut lost) = (CentredMoments::default(), [DVec3::ZERO; 2], 0.0);
            let own = pairs.clone().take_while(|(contact, _)| contact.is_with(first));
            let across = turning(self.core_radius, own);
            let (mut mean_slip, mut count) = (DVec3::ZERO, 0.0);
            // Mean velocity of the fluid, and its largest speed relative to the centre of mass.
            let (mut mean, mut fastest) = (DVec3::ZERO, 0.0_f64);
            let moving =
                self.obstacles.list()[first.body as usize].velocity_at(body.state.position).as_dvec3();
            while let Some((contact, old)) = pairs.next_if(|(contact, _)| contact.is_with(first)) {
                let (place, mut strength) = row(vortons, contact.row);
                if body.has_sheet() {
                    // Changes by friction have been settled already.
                    strength = old.strength;
                }
                let mut one = CentredMoments::default();
                one.add(centre, old.position, -old.strength.as_dvec3());
                one.add(centre, place, strength.as_dvec3());
                if let Some(merged) = self.merging.move_of(contact).filter(|_| body.has_sheet()) {
                    one.add_way(centre, merged.middle, merged.way, merged.strength);
                }
                let slip = old.slip.as_dvec3();
                // The step removes such a vorton: its former values are unknown.
                if !(one.is_finite() && slip.is_finite()) {
                    continue;
                }
                // Plastic collision: half of the impulse times the previous relative velocity.
                lost -= 0.5 * density * impulse(&one).dot(slip);
                mean_slip += slip;
                let fluid = slip + contact.velocity.as_dvec3();
                mean += fluid;
                fastest = fastest.max((fluid - moving).length());
                body.impulse.hits = body.impulse.hits.saturating_add(1);
                count += 1.0;
                change = change.and(&one);
                let normal = contact.normal.as_dvec3();
                let along = one.strength - normal * (normal.dot(one.strength) * f64::from(1.0 - across));
                bound =
                    [bound[0] - one.strength * f64::from(old.crowd), bound[1] - along * f64::from(old.crowd)];
            }
            let side = first.side();
            if count == 0.0 || side == ContactSide::Wall {
                continue;
            }
            if body.has_sheet() {
                // Keeping vortons off the sheet is not friction.
                body.share_push(&change, relaxed > 0.0);
                if is_step {
                    body.take_part((mean / count, fastest));
                }
                continue;
            }
            let obstacle = &self.obstacles.list()[first.body as usize];
            let inside = (side == ContactSide::Inside).then(|| {
                let room = obstacle.room_at(vortons.positions.get(first.row as usize)).unwrap_or(0);
                let middle = obstacle.pose().to_world(obstacle.rooms()[room].middle);
                middle.as_dvec3() - body.state.position.as_dvec3()
            });
            body.receive(density, &change, (cluster, bound), inside);
            body.lose(lost.max(0.0));
            if inside.is_some() {
                continue;
            }
            body.limit(density, (mean / count, fastest));
            body.look_at_reply(mean_slip / count, taken);
            // Heat from slip beyond its mean is hardly known: impulses of single vortons overestimate that of
            // a spin by a half.
            body.lost += (-0.5 * density * impulse(&change).dot(mean_slip / count)).max(0.0);
        }
    }
}

fn row(vortons: &Vortons, row: u32) -> (Vec3, Vec3) {
    (vortons.positions.get(row as usize), vortons.strengths.get(row as usize))
}
