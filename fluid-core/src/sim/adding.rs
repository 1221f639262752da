//! Vortons that a step adds before it moves them: emitted ones, halo and rim.

use super::VortexSim;
use crate::boundary::{BodyCoupling, StepTime};
use crate::emitter::Carried;
use crate::kill_volumes::is_killed;
use crate::params::Params;
use crate::stats::Stage;
use crate::vorticity::rim::RimSettings;
use fluid_threads::Executor;
use glam::{DVec3, Vec3};

/// `max_vortons` over the room that is kept for rings of nozzles, at most. Larger rings have to find it.
const MOST_KEPT: usize = 4;

impl VortexSim {
    /// Returns the room that is kept for nozzles of which more than this number of rings did not fit, so that
    /// single vortons, and rings of others, do not take it before.
    fn kept_for_rings(&self, missed: u32) -> usize {
        let (core_radius, most) = (self.params.core_radius, self.params.max_vortons / MOST_KEPT);
        let waiting = self.emitters.iter().filter(|emitter| emitter.missed_rings() > missed);
        let rings = waiting.map(|emitter| emitter.vortons_per_ring(core_radius));
        let rings = rings.filter_map(|each| usize::try_from(each).ok()).filter(|&each| each <= most);
        rings.fold(0, usize::saturating_add).min(most)
    }

    /// Returns the number of vortons with which the world is full for all but rings that did not fit.
    fn most_vortons(&self) -> usize {
        self.params.max_vortons - self.kept_for_rings(0)
    }

    /// Returns the number of vortons that fit.
    fn room(&self) -> u64 {
        self.most_vortons().saturating_sub(self.vortons.len()) as u64
    }

    /// Adds the vortons that emitters and bodies have made in a step of `dt` \[s\].
    pub(super) fn emit(&mut self, bodies: &mut dyn BodyCoupling, dt: f32) {
        let stage = self.stats.time(Stage::Emit);
        let left = std::mem::take(&mut self.frame_left);
        let core_radius = self.params.core_radius;
        for i in 0..self.emitters.len() {
            let room = self.room();
            let emitter = &mut self.emitters[i];
            let time = emitter.begin_step(bodies, dt, left);
            let carried = Carried::at(emitter.placed().position, self.params.wind, bodies);
            let due = emitter.take_due(time, dt > 0.0);
            let fits = due.count.min(room);
            for k in 0..fits {
                self.vortons.push(emitter.emit((due.since(k), time, carried), &self.params, bodies));
            }
            let free = self.params.max_vortons - self.vortons.len();
            let room = free.saturating_sub(self.kept_for_rings(self.emitters[i].missed_rings()));
            let emitter = &mut self.emitters[i];
            let (rings, partial) = emitter.take_due_rings(time, core_radius, room as u64);
            let first = self.vortons.len();
            for k in 0..rings.count {
                for vorton in emitter.emit_ring((rings.since(k), carried), core_radius) {
                    self.vortons.push(vorton);
                }
            }
            self.push_content(bodies, i, first);
            let left_out = (due.count - fits).saturating_add(partial);
            self.stats.leave_out(left_out);
        }
        if dt > 0.0 {
            let free = self.room() as usize;
            let left_out = bodies.take_rings(free, &mut |vorton| _ = self.vortons.push(vorton));
            self.stats.leave_out(left_out);
        }
        self.stats.record(stage);
    }

    /// Passes the thrust of the rings that emitter number `index` has emitted, all vortons from number
    /// `first` on, to the container around it. One that carries the emitter itself is pushed in neither way.
    fn push_content(&self, bodies: &mut dyn BodyCoupling, index: usize, first: usize) {
        if first == self.vortons.len() {
            return;
        }
        let place = self.emitters[index].placed().position;
        let Some((container, _)) = bodies.carried(place) else { return };
        if self.emitters[index].is_on(container) {
            return;
        }
        let impulse_of = |row: usize| {
            let from = self.vortons.positions.get(row).as_dvec3() - place.as_dvec3();
            from.cross(self.vortons.strengths.get(row).as_dvec3()) * 0.5
        };
        let impulse = (first..self.vortons.len()).map(impulse_of).sum::<DVec3>();
        bodies.push_content(container, place, impulse * f64::from(self.params.ambient.density));
    }

    /// Adds and removes halo vortons, where density makes vorticity. The source comes from the middle of the
    /// last step if that was much like this one, otherwise from the start of this one.
    pub(super) fn keep_up_halo(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, dt: f32) {
        self.has_start_source = !self.is_much_as_before(dt);
        if self.has_start_source {
            self.find_source(exec, bodies, StepTime::Start);
        }
        if self.params.gravity == Vec3::ZERO && !self.walls.is_active() {
            return;
        }
        // In a corner that vortons cannot reach, a node has little deposited and only a small part of a cell
        // to fill.
        let margin = 0.5 * self.field.scalars.shape().spacing();
        let stage = self.stats.time(Stage::Halo);
        let (boundary, core_radius) = (&self.boundary, self.params.core_radius);
        let most = self.most_vortons();
        self.halo.reserve(self.params.max_vortons);
        self.neighbours.reserve(self.params.max_vortons);
        let kill_volumes = &self.kill_volumes;
        let report = self.halo.keep_up(
            exec,
            (&self.field.scalars, &self.baroclinic),
            &|place| is_killed(kill_volumes, place) || boundary.covers(bodies, place, core_radius, margin),
            &mut self.neighbours,
            &mut self.vortons,
            most,
        );
        self.stats.halo_born += report.born as u64;
        self.stats.halo_retired += report.retired as u64;
        self.stats.halo_threshold = report.threshold;
        self.stats.leave_out(report.refused as u64);
        self.stats.record(stage);
        self.has_start_source &= report.born == 0 && report.retired == 0;
    }

    /// Adds and removes rim vortons, onto which diffusion spreads.
    pub(super) fn keep_up_rim(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, dt: f32) {
        let Params { viscosity, diffusivity, core_radius, .. } = self.params;
        // With gravity and density differences the halo takes up diffused vorticity, and rim vortons become
        // part of it.
        if self.is_pulled() {
            self.vortons.rims.fill(false);
            return;
        }
        // Eddy viscosity alone acts on existing vortons and needs no rim.
        if !((viscosity > 0.0 || diffusivity > 0.0) && dt > 0.0) {
            return;
        }
        let (stage, boundary) = (self.stats.time(Stage::Halo), &self.boundary);
        let kill_volumes = &self.kill_volumes;
        let settings = RimSettings {
            core_radius,
            amount: f64::from(viscosity.max(diffusivity)) * f64::from(dt),
            viscous: viscosity > 0.0,
            diffusive: diffusivity > 0.0,
            covered: &|place| {
                is_killed(kill_volumes, place)
                    || boundary.covers(bodies, place, core_radius, 0.5 * core_radius)
            },
            max_vortons: self.most_vortons(),
        };
        let report = self.rim.keep_up(exec, settings, &mut self.neighbours, &mut self.vortons);
        self.stats.halo_born += report.born as u64;
        self.stats.halo_retired += report.retired as u64;
        self.stats.record(stage);
    }
}
