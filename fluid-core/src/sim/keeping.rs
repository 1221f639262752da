//! Quantities that a step has to conserve: energy within the budget, total strength, linear impulse (E46).

use super::VortexSim;
use crate::boundary::{BodyCoupling, Boundary, StepTime};
use crate::constants::{PARTICLE_CHUNK, WALL_CREDIT};
use crate::params::Params;
use crate::particles::Vortons;
use crate::stats::Stage;
use crate::vorticity::clusters::{ClusterSurroundings, MOST_SUMS, sum_in_clusters};
use crate::vorticity::energy_budget::{BudgetedCloud, EnergyReport, FromOutside};
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec3, Vec3};
use std::ops::Range;

impl VortexSim {
    /// Removes the energy in excess of the budget that the last step made.
    pub(super) fn keep_energy(&mut self, exec: &dyn Executor, stretch_number: f32) {
        if self.params.energy_budget {
            let lends = self.lend_start(self.sources.len());
            let report = self.take_out_energy(exec, self.stats.energy, stretch_number);
            self.take_start_back(lends);
            // Other removals keep the impulse. The stretch number has the sign of the step.
            if report.scaled && self.keeps_impulse(stretch_number) {
                let strengths = (&self.vortons.strengths, &self.sources.strengths);
                self.budget.owe(exec, &self.clusters, &self.vortons.positions, strengths);
            }
            self.take_strengths_of_sources(report);
        }
    }

    /// Does the same at the end of a step that was long for its flow; left to the next step, the excess would
    /// be visible until then.
    pub(super) fn keep_energy_of_long_step(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        dt: f32,
    ) {
        if !self.params.energy_budget {
            return;
        }
        let stage = self.stats.time(Stage::Energy);
        self.gather_sources(exec, bodies, StepTime::End);
        self.solver.mark_groups(&mut self.sources);
        let energy = self.solver.energy(exec, &self.sources, &self.sources.strengths);
        self.stats.record(stage);
        self.stats.energy = energy;
        // The start and the rates are still needed, so the budget gets columns of its own.
        self.budget.reserve_directions(self.most_sources());
        let report = self.take_out_energy(exec, energy, self.stats.stretch_number.copysign(dt));
        if report.scaled && self.keeps_impulse(dt) {
            let strengths = (&self.vortons.strengths, &self.sources.strengths);
            self.budget.owe_at_end(exec, &self.clusters, &self.vortons.positions, strengths);
        }
        self.take_strengths_of_sources(report);
    }

    /// Does the same at the middle of a step that began without a solve: strength removed there is also
    /// removed from the strengths at its start.
    pub(super) fn keep_energy_at_middle(&mut self, exec: &dyn Executor, dt: f32) {
        if !self.params.energy_budget {
            return;
        }
        if !self.budget.is_due() {
            self.budget.skip_look(self.stats.stretch_number.copysign(dt));
            return;
        }
        let stretch_number = self.stats.stretch_number.copysign(dt);
        let lends = self.lend_rates();
        let report = self.take_out_energy(exec, self.stats.energy, stretch_number);
        self.take_rates_back(exec, lends);
        if !report.has_changed() {
            return;
        }
        let (before, after) = (&self.vortons.strengths, &self.sources.strengths);
        if self.keeps_impulse(dt) {
            self.budget.owe(exec, &self.clusters, &self.start.positions, (before, after));
        }
        let strengths = &mut self.start.strengths;
        for row in 0..strengths.len() {
            strengths.set(row, strengths.get(row) + (after.get(row) - before.get(row)));
        }
        self.take_strengths_of_sources(report);
    }

    /// Credits the energy of new vortons among the sources.
    pub(super) fn credit_new(&mut self, exec: &dyn Executor) {
        if !self.params.energy_budget {
            return;
        }
        let lends = self.lend_start(self.sources.len());
        let (vortons, budget) = (&self.vortons, &mut self.budget);
        let first_new = vortons.ids.partition_point(|&id| budget.knows(id));
        let is_new = |row: usize| (first_new..vortons.len()).contains(&row);
        let energy = budget.energy_of_part(exec, &mut self.solver, &self.sources, &is_new);
        budget.credit(energy);
        budget.know_all(vortons.next_id());
        self.take_start_back(lends);
    }

    /// Lends the energy budget the columns of the start for directions of `sources` sources: before the start
    /// of a step is remembered, or after the motion. False if `sources` exceeds `max_vortons`; the budget
    /// then uses columns of its own.
    fn lend_start(&mut self, sources: usize) -> bool {
        let lends = self.lends_for(sources);
        self.take_start_back(lends);
        lends
    }

    /// Takes the columns back, if they are lent.
    fn take_start_back(&mut self, lends: bool) {
        if lends {
            self.budget.lend([&mut self.start.positions, &mut self.start.strengths]);
        }
    }

    /// Lends the columns of the mean rates, before the only evaluation that has a weight in them.
    fn lend_rates(&mut self) -> bool {
        let lends = self.lends_for(self.sources.len());
        if lends {
            self.budget.lend(self.history.latest.columns_mut());
        }
        lends
    }

    /// Takes these columns back, if they are lent, and clears them: there are no rates yet.
    fn take_rates_back(&mut self, exec: &dyn Executor, lends: bool) {
        if lends && self.budget.lend(self.history.latest.columns_mut()) {
            self.history.latest.reset(exec, self.vortons.len());
        }
    }

    /// True if columns for vortons have capacity for `sources` sources. Otherwise the budget allocates its
    /// own, once.
    fn lends_for(&mut self, sources: usize) -> bool {
        let lends = sources <= self.params.max_vortons;
        if !lends {
            self.budget.reserve_directions(self.most_sources());
        }
        lends
    }

    /// Removes from the sources the part of their energy `energy` \[m⁵/s²\] that exceeds the budget.
    fn take_out_energy(&mut self, exec: &dyn Executor, energy: f64, stretch_number: f32) -> EnergyReport {
        let settings = self.params.direct_settings();
        let stage = self.stats.time(Stage::Energy);
        let ids = self.vortons.ids.as_slice();
        let (solver, neighbours) = (&mut self.solver, &mut self.neighbours);
        let (sources, flow) = (&mut self.sources, &self.flow[..ids.len()]);
        let (can_wait, clusters) = (self.made_tables, &self.clusters);
        let &Boundary { driven, work_is_known, work_is_late, holders_are_driven, .. } = &self.boundary;
        let mut cloud = BudgetedCloud {
            exec,
            solver,
            neighbours,
            clusters,
            sources,
            ids,
            flow,
            settings,
            can_wait,
            driven,
            work_is_known,
            work_is_late,
            holders_are_driven,
        };
        let report = self.budget.balance(&mut cloud, energy, stretch_number);
        (self.stats.energy_allowed, self.stats.energy_removed) = (report.allowed, report.removed);
        self.stats.energy_scalings += u64::from(report.scaled);
        self.stats.record(stage);
        report
    }

    /// Copies the strengths changed by the budget from the sources to the vortons.
    fn take_strengths_of_sources(&mut self, report: EnergyReport) {
        if report.has_changed() {
            self.vortons.strengths.copy_from(&self.sources.strengths);
            self.vortons.strengths.truncate(self.vortons.positions.len());
        }
    }

    /// Credits the work of gravity on the vortons: g·u Σ m'/ρ₀ \[m⁵/s³\], with the velocities at the middle.
    /// In leaky containers the walls take part, so it is known only to a factor.
    pub(super) fn credit_work_of_gravity(&mut self, exec: &dyn Executor, dt: f32) {
        let Params { gravity, ambient, energy_budget, .. } = self.params;
        let enclosures = &self.boundary.enclosures;
        let is_leaky = enclosures.are_leaky();
        if !energy_budget || dt == 0.0 || (gravity == Vec3::ZERO && enclosures.is_empty()) {
            return;
        }
        let (flow, Vortons { positions, mass_deviations, .. }) = (&self.flow, &self.vortons);
        let power = |row: usize| {
            let felt = gravity - enclosures.acceleration_at_middle(positions.get(row));
            let power = f64::from(mass_deviations[row]) * flow[row].velocity.as_dvec3().dot(felt.as_dvec3());
            let power = if is_leaky && power * f64::from(dt) > 0.0 { WALL_CREDIT * power } else { power };
            if power.is_finite() { power } else { 0.0 }
        };
        let sum = |range: Range<usize>| range.map(power).sum::<f64>();
        let count = positions.len();
        let power = reduce_ordered(exec, count, PARTICLE_CHUNK, 0.0, &mut self.works, &sum, |a, b| a + b);
        let work = power * f64::from(dt) / f64::from(ambient.density);
        self.budget.credit(if work > 0.0 { work * self.energy_of_work } else { work });
    }

    /// Credits the work of expanding vortons on the vorticity \[m⁵/s²\], and notes the impulse that they give
    /// to the flow, over `dt` \[s\] (E61).
    pub(super) fn credit_work_of_expansion(&mut self, exec: &dyn Executor, dt: f32) {
        let (expansion, rates) = (self.solver.expansion(), self.fire.rates());
        if dt == 0.0 || expansion.is_empty() || rates.is_empty() {
            return;
        }
        let (flow, strengths) = (&self.flow, &self.vortons.strengths);
        let finite = |v: DVec3| if v.is_finite() { v } else { DVec3::ZERO };
        let of_row = |row: usize| {
            let velocity = flow[row].velocity.as_dvec3();
            let power = velocity.cross(expansion[row].as_dvec3()).dot(strengths.get(row).as_dvec3());
            let power = if power.is_finite() { power } else { 0.0 };
            (finite(velocity * f64::from(rates[row])), power)
        };
        let none = (DVec3::ZERO, 0.0);
        let add = |a: (DVec3, f64), b: (DVec3, f64)| (a.0 + b.0, a.1 + b.1);
        let clusters = &self.clusters;
        let in_cluster = |row: usize| Some((clusters.of(row), of_row(row)));
        let (size, pushes) = ((rates.len(), clusters.count(), MOST_SUMS), &mut self.pushes);
        sum_in_clusters(exec, size, (pushes, none), &in_cluster, &add);
        let mut power = 0.0;
        for (given, (force, of_cluster)) in self.given.iter_mut().zip(&self.pushes) {
            *given -= *force * f64::from(dt);
            power += of_cluster;
        }
        if self.params.energy_budget {
            let work = power * f64::from(dt);
            self.budget.credit(if work > 0.0 { work * self.energy_of_work } else { work });
        }
    }

    /// Debits the energy of vortons about to be removed, and their part of the impulse owed.
    pub(super) fn debit(&mut self, exec: &dyn Executor, goes: &(dyn Fn(&Vortons, usize) -> bool + Sync)) {
        let (vortons, budget) = (&self.vortons, &mut self.budget);
        let known = |row: usize| budget.knows(vortons.ids[row]);
        if !self.params.energy_budget || !(0..vortons.len()).any(|row| goes(vortons, row) && known(row)) {
            return;
        }
        let next_new = vortons.ids.partition_point(|&id| budget.knows(id));
        self.leaving.copy_mirrored(&vortons.positions, &vortons.strengths, &self.sources);
        let lends = self.lend_start(self.leaving.len());
        let (vortons, budget) = (&self.vortons, &mut self.budget);
        let is_in = |row: usize| row < next_new && goes(vortons, row);
        let energy = budget.energy_of_part(exec, &mut self.solver, &self.leaving, &is_in);
        budget.credit(-energy);
        budget.keep_owed(vortons, |row| goes(vortons, row));
        self.take_start_back(lends);
    }

    /// Finds the clusters that keep their total strength and impulse in this step.
    pub(super) fn find_clusters(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling) {
        let stage = self.stats.time(Stage::Energy);
        self.sheets.clear();
        bodies.visit_sheets(&mut |centre, radius| self.sheets.push((centre, radius)));
        let Vortons { positions, strengths, .. } = &self.vortons;
        let enclosures = &self.boundary.enclosures;
        let surroundings = ClusterSurroundings {
            enclosures: enclosures.iter().count(),
            enclosure_at: &|place| enclosures.index_at_start(place),
            has_one_fluid: &|low, high| enclosures.hold_all_alike(low, high),
            sheets: &self.sheets,
        };
        self.clusters.find(exec, (positions, strengths), self.params.core_radius, &surroundings);
        self.budget.assign_owed(&self.clusters);
        self.given.clear();
        self.given.resize(self.clusters.count(), DVec3::ZERO);
        self.stats.record(stage);
    }

    /// Gives back the change that the motion made in total strength and linear impulse, except for the
    /// impulse given to bodies, and for that of gravity and of expansion.
    pub(super) fn keep_impulse(&mut self, exec: &dyn Executor, dt: f32) {
        if !self.keeps_impulse(dt) {
            return;
        }
        let carried = self.params.wind * dt;
        let stage = self.stats.time(Stage::Energy);
        let start = (&self.start.positions, &self.start.strengths);
        let rates = self.baroclinic.rates();
        let Params { gravity, ambient, .. } = self.params;
        let (has_weight, is_level) = (gravity != Vec3::ZERO, ambient.stratification.is_uniform());
        let is_pulled = |mass: f32, volume: f32| (has_weight && mass != 0.0) || (volume != 0.0 && !is_level);
        let pulled = &|row| rates[row] * dt;
        let outside =
            FromOutside { time: dt.into(), carried, given: &self.given, pulled, is_pulled: &is_pulled };
        self.budget.keep_impulse(exec, &self.clusters, start, &outside, &mut self.vortons);
        self.stats.record(stage);
    }

    /// True if clusters keep total strength and impulse in a step of `dt` \[s\], those with images beside
    /// them together with these.
    fn keeps_impulse(&self, dt: f32) -> bool {
        self.params.energy_budget && dt > 0.0
    }

    /// True if there is gravity, and a mass deviation for it to act on.
    pub(super) fn is_pulled(&self) -> bool {
        self.params.gravity != Vec3::ZERO && self.vortons.mass_deviations.iter().any(|&mass| mass != 0.0)
    }
}
