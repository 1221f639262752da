//! What bodies do in a step, in the order in which the fluid calls it.

use super::Bodies;
use crate::body::{Body, BuoyantForce};
use crate::buoyant_force::ambient_in_holes;
use crate::contact::Layers;
use crate::contact_energy::counts;
use crate::mirrors;
use crate::pose::Pose;
use crate::sheet::OwnGroup;
use fluid_core::boundary::{
    BodyCoupling, Boundary, Carrier, ContactWork, Follower, Motion, StepTime, Surfaces,
};
use fluid_core::math::Vec3Columns;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::velocity::{Mirror, Sources};
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

impl Bodies {
    /// True if tanks turn freely, and no other body holds strength at contacts: its work on the vortons is
    /// known less well, as is that of an engine that turns a tank.
    fn work_is_known(&self) -> bool {
        let turns = |body: &Body| body.has_walls() && body.own_energy() != 0.0;
        let is_known = |body: &Body| match turns(body) {
            true => body.turns_freely(),
            false => body.bound().felt == DVec3::ZERO,
        };
        self.list.iter().any(turns) && self.list.iter().all(is_known)
    }
}

/// Distance of the nearest vorton from a body within which vortons may touch it in the same step \[core
/// radii\].
const TOUCHING: f32 = 4.0;

/// Most pairs that are summed at sheets on a mesh, for each of its nodes \[1\]: a fifth of what a step takes
/// there.
const PAIRS_PER_NODE: usize = 24;

impl BodyCoupling for Bodies {
    fn begin_step(&mut self, exec: &dyn Executor, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
        self.gone_levels.clear();
        self.obstacles.refresh_if_changed();
        self.list.iter_mut().for_each(|body| body.settle_changes(dt));
        self.find_tanks();
        for (index, body) in self.list.iter_mut().enumerate() {
            if body.in_tank().place().is_some() {
                continue;
            }
            let is_sheltered =
                boundary.wind != Vec3::ZERO && self.obstacles.hold(body.state().position, index);
            body.feel_wind(if is_sheltered { Vec3::ZERO } else { boundary.wind });
        }
        if vortons.is_empty() {
            self.list.iter_mut().for_each(Body::let_go);
        }
        self.keep_sheets_apart();
        let smooth = boundary.smoothing_at_walls;
        let each = self.list.iter_mut().zip(self.obstacles.list());
        each.for_each(|(body, obstacle)| body.see_layers(exec, *obstacle.pose(), vortons, smooth));
        let gained = self.set_out_all(dt, vortons);
        boundary.energy_gained = gained - std::mem::take(&mut self.energy_gone);
        let changed = self.list.iter_mut().map(|body| body.take_changed_sheets(dt)).sum::<f64>();
        boundary.appeared = changed + std::mem::take(&mut self.sheets_gone);
        boundary.driven = self.list.iter().map(Body::own_energy).sum();
        boundary.work_is_known = self.work_is_known();
        let mut holders = self.list.iter().filter(|body| body.bound().felt != DVec3::ZERO).peekable();
        boundary.holders_are_driven = holders.peek().is_some() && holders.all(|body| !body.turns_freely());
        boundary.work_is_late =
            self.list.iter().any(|body| body.has_sheet() || body.bound().felt != DVec3::ZERO);
        let moved_by_engine = self.list.iter().filter(|body| !body.turns_freely());
        boundary.friction = moved_by_engine.map(Body::work_of_friction).sum();
        boundary.copies = self.copies();
        self.add_enclosures(dt, &mut boundary.enclosures);
    }

    fn covers(&self, place: Vec3) -> bool {
        // Touching vortons are kept a core radius away from a solid: one created nearer would be moved away
        // at once. Fluid at the walls of its container stays at its position.
        self.obstacles.is_near_a_solid(place, self.contact_distance())
    }

    fn visit_followers(&self, low: Vec3, high: Vec3, visit: &mut dyn FnMut(&Follower<'_>)) {
        let margin = self.contact_distance();
        self.obstacles.visit(low - margin, high + margin, |body| {
            let (follows, obstacle) =
                (self.list[body as usize].follows_fluid(), &self.obstacles.list()[body as usize]);
            if follows > 0.0 && !obstacle.is_container() {
                let (low, high) = obstacle.box_at_end();
                let ends = (low - margin, high + margin);
                let covers = &|place| self.obstacles.is_near_solid_of(body, place, margin);
                visit(&Follower { number: body, follows, ends, covers });
            }
        });
    }

    fn mirror_over(&self, middle: Vec3, half_width: &dyn Fn(Vec3) -> f32, place: Vec3) -> Option<Mirror> {
        let behind = |mirror: &Mirror| mirror.height(place) < 0.0;
        let half_space = self.mirrors().map(|(_, mirror)| mirror).find(behind);
        half_space.or_else(|| self.obstacles.face_over(middle, half_width, place))
    }

    fn carried(&self, place: Vec3) -> Option<(usize, Vec3)> {
        self.obstacles.carried_in_tank(place)
    }

    fn push_content(&mut self, container: usize, place: Vec3, impulse: DVec3) {
        self.push_tank(container, place, impulse);
    }

    fn carrier(&self, index: usize) -> Option<Carrier> {
        let (body, obstacle) = (self.list.get(index)?, &self.obstacles.list()[index]);
        // A container takes its contents along from where it was.
        let Pose { position, rotation } =
            if body.is_container() { *obstacle.pose() } else { body.state().pose() };
        Some(Carrier { position, rotation })
    }

    fn set_out(&mut self, exec: &dyn Executor, vortons: &Vortons) {
        self.list.iter_mut().for_each(|body| body.find_inside(exec, vortons));
    }

    fn weaken(&mut self, part: f32) {
        self.list.iter_mut().for_each(|body| body.weaken(part.into()));
    }

    fn visit_cornered(&self, visit: &mut dyn FnMut(usize)) {
        self.list.iter().for_each(|body| body.visit_cornered(visit));
    }

    fn bound_vortons(&mut self, exec: &dyn Executor, time: StepTime, sources: &mut Sources) -> f64 {
        self.add_bound_vortons(exec, time, sources);
        let bodies = self.list.iter().zip(self.obstacles.list());
        for (body, obstacle) in bodies.filter(|(_, obstacle)| obstacle.is_half_space()) {
            let mirror = obstacle.mirror_at(&body.poses().at(time));
            if let Some(mirror) = mirror.filter(|mirror| mirrors::are_felt(sources, mirror, self.fastest)) {
                sources.mirror(mirror);
            }
        }
        self.energy_of_work()
    }

    fn visit_sheets(&self, visit: &mut dyn FnMut(Vec3, f32)) {
        for body in self.list.iter().filter(|body| body.has_sheet()) {
            visit(body.poses().start.position, body.radius() as f32);
        }
    }

    fn see_flow(&mut self, motion: Motion<'_>, visit: &mut dyn FnMut(Vec3, DVec3)) {
        self.fluid.wind = motion.params.wind;
        let (vortons, slack) = (self.vortons, TOUCHING * self.core_radius);
        let count = self.list.iter().filter(|body| body.has_sheet()).count();
        let most_pairs = PAIRS_PER_NODE * motion.field.sampled_nodes() / count.max(1);
        for (index, body) in self.list.iter_mut().enumerate() {
            // Vortons that touch a sheet see its whole slip, to which its own flow belongs.
            let reach = body.radius() + f64::from(slack);
            let is_alone = vortons.is_empty() || vortons.distance(body.poses().middle.position) > reach;
            body.see_flow(motion, OwnGroup { index, is_alone, most_pairs }, &mut self.nearby);
        }
        for body in &self.list {
            visit(body.poses().start.position, body.force_of_flow() * f64::from(motion.dt));
        }
    }

    fn vorton_contacts(
        &mut self,
        motion: Motion<'_>,
        before: &Vec3Columns,
        vortons: &mut Vortons,
    ) -> ContactWork {
        self.merging.clear();
        if self.list.is_empty() {
            return ContactWork::default();
        }
        let density = f64::from(motion.params.ambient.density);
        self.advance(motion);
        self.note_fastest(motion, before, &vortons.positions);
        let layers = Layers::new(self.core_radius, self.settings.no_slip.depth);
        self.contacts.find(motion.exec, &self.obstacles, before, &mut vortons.positions, layers);
        self.note_ejections_in_tanks(vortons);
        self.settle_ejections(density, self.relaxed(motion.dt), vortons);
        let lifted = self.work_of_ejections(motion, vortons);
        self.note_wall_hits(motion.params.walls, vortons);
        self.conduct_heat(motion, vortons);
        for contacts in self.contacts.contacts.chunk_by_mut(|a, b| a.body == b.body) {
            let body = &mut self.list[contacts[0].body as usize];
            body.hold_under(contacts, (&mut self.clusters, &mut self.held_before));
        }
        if !self.contacts.contacts.is_empty() {
            let each = self.list.iter().zip(self.obstacles.list());
            let mirrors = each.filter_map(|(body, obstacle)| obstacle.mirror_at(&body.state.pose()));
            self.no_slip.set_mirrors(mirrors, &self.without_images);
        }
        self.energy.begin(&self.list, &self.contacts.ejections, &self.no_slip, vortons);
        self.no_slip.assign(motion, (&self.list, &self.obstacles), &self.contacts.contacts, vortons);
        self.list.iter_mut().for_each(|body| body.drag_along(motion, vortons));
        self.no_slip.keep_outside(&self.obstacles, &self.contacts.contacts, vortons);
        let lifted = lifted + self.work_of_placing(motion, vortons);
        self.rub(motion, vortons);
        if motion.dt > 0.0 {
            self.merging.merge(&self.contacts.contacts, self.core_radius, before, vortons);
        }
        // Before the impulses of contacts are limited, so that this torque is, too.
        for contacts in self.contacts.contacts.chunk_by(|a, b| a.body == b.body) {
            self.list[contacts[0].body as usize].pay_for_diffusion(density, motion.diffused);
        }
        self.settle_strengths(density, (self.relaxed(motion.dt), motion.dt != 0.0), vortons);
        self.note_contacts_in_tanks(vortons);
        self.let_go_of_layers(motion.dt);
        self.limit_pushes(motion, density);
        let gravity = motion.params.gravity.as_dvec3();
        let each = self.list.iter_mut().zip(self.obstacles.list());
        each.for_each(|(body, obstacle)| {
            let excess = ambient_in_holes(&motion.params.ambient, obstacle, body);
            body.weigh_content(motion.exec, (gravity, excess), (vortons, obstacle.holes()))
        });
        let work = |is_summed: bool| -> f64 {
            self.list.iter().filter(|body| counts(body) == is_summed).map(Body::work).sum()
        };
        let (others, summed) = ((work(false) + lifted) / density, work(true) / density);
        let contacts = &self.contacts.contacts;
        match self.energy.given(motion, &self.list, contacts, &self.no_slip, vortons, summed) {
            Some(known) => ContactWork { work: others, known },
            None => ContactWork { work: others + summed, known: 0.0 },
        }
    }

    fn absorbed(&self) -> &[u32] {
        self.merging.absorbed()
    }

    fn take_rings(&mut self, room: usize, add: &mut dyn FnMut(Vorton)) -> u64 {
        let (core_radius, depth) = (self.core_radius, self.settings.no_slip.depth);
        let (mut room, mut left_out) = (room, 0);
        for (body, obstacle) in self.list.iter_mut().zip(self.obstacles.list()) {
            let ring = body.take_ring((core_radius, depth), |way| obstacle.extent_along(way));
            let Some(ring) = ring else { continue };
            if ring.count > room {
                left_out += ring.count as u64;
                continue;
            }
            room -= ring.count;
            ring.vortons().for_each(&mut *add);
        }
        left_out
    }

    fn end_step(&mut self, motion: Motion<'_>) {
        for index in 0..self.list.len() {
            let (lift, weight) = self.lift(motion, index);
            let push = self.push_of_tank(motion, index, lift);
            let body = &mut self.list[index];
            let dt = f64::from(motion.dt);
            // A tank that accelerates wakes what sleeps in it.
            body.impulse.linear += push.force * dt;
            body.impulse.angular += push.torque * dt;
            if body.buoyant_force != BuoyantForce::Off && !body.is_asleep() {
                body.impulse.add_lift((lift.force - push.force) * dt, (lift.torque - push.torque) * dt);
            }
            body.finish_step(motion.dt, lift, weight, motion.params.ambient.density.into());
            let contacts = &self.contacts.contacts;
            let touching = contacts.partition_point(|contact| contact.body as usize <= index)
                - contacts.partition_point(|contact| (contact.body as usize) < index);
            body.drag_along_flow(motion, index, touching);
            body.find_poses(motion.dt, *self.obstacles.list()[index].pose());
        }
        self.push_tanks(motion.dt);
    }

    fn surfaces(&self) -> Option<&dyn Surfaces> {
        (!self.list.is_empty()).then_some(&self.obstacles as &dyn Surfaces)
    }
}
