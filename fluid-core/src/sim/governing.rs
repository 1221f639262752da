//! Steps within a budget of time: choice of the next step's quality.

use super::VortexSim;
use crate::boundary::BodyCoupling;
use crate::governor::{Budget, Choice, Governor, Measure, Quality, StepCost, TracerQuality};
use crate::params::{ParamError, check_step};
use crate::particles::{Tracers, Vortons};
use crate::stats::Stage;
use crate::tracer_motion::TracerSteps;
use crate::velocity::{Fineness, Sources};
use fluid_threads::Executor;
use glam::Vec3;

/// Nominal costs \[ns\] of a vorton in a step, on one core, without the solves: its advance, relaxation and
/// energy; its density in a solve; its diffusion. Bodies are not counted.
const COST_OF_VORTON: f64 = 125.0;
const VORTON_WITH_DENSITY: f64 = 300.0;
const VORTON_THAT_DIFFUSES: f64 = 400.0;

/// Nominal cost \[ns\] of a node of density in each step that looks at it.
const NODE_WITH_DENSITY: f64 = 24.0;

/// The same for a tracer without its samples, and for the quantity that it shows.
const TRACER: f64 = 5.0;
const TRACER_THAT_SHOWS: f64 = 12.0;

/// Additional cost of a tracer in turbulence, over that of a plain one \[1\]: 22 ns against 7, for the
/// gradient of the flow and the sum of waves.
const IN_TURBULENCE: usize = 2;

/// Most tracers of a set of which the cost of sums beside the mesh is counted \[1\].
const COUNTED_TRACERS: usize = 2048;

/// Largest stretch number of a step in which the last velocities lead a tracer \[1\]: a rotation grows by
/// 0.8 % in it, in a midpoint step by 1.3 %.
const MOST_STRETCH_LED: f32 = 0.8;

/// The same for tracers in turbulence: they spread 4 % less than in short steps.
const MOST_STRETCH_LED_IN_EDDIES: f32 = 0.35;

/// Largest stretch number between two samples of a tracer in every second step \[1\]: a rotation grows by
/// 1.1 % from one to the next.
const MOST_STRETCH_IN_TURNS: f32 = 0.6;

impl VortexSim {
    /// Advances the fluid by `dt` \[s\] like [`step`](Self::step), at the best quality with an expected cost
    /// of at most `budget`, reported in [`Stats::quality`](crate::stats::Stats::quality). Quality drops
    /// before a step that would cost more, and rises when the better level would have cost less than 0.8 of
    /// the limit for 30 steps, or for more if it did not last before.
    ///
    /// The [`advance_tracers`](Self::advance_tracers) that follows has its own limit and quality, from the
    /// tracers moved after the last step. With an unlimited budget the result equals that of
    /// [`step`](Self::step) bit for bit. A limit below the cost of the cheapest quality is exceeded.
    ///
    /// # Errors
    /// `dt` as for [`step`](Self::step), or a limit that is negative or NaN; the fluid is unchanged then.
    pub fn step_within(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        dt: f32,
        budget: Budget,
    ) -> Result<(), ParamError> {
        self.choose_within(exec, dt, budget)?;
        self.step_as_chosen(exec, bodies, dt)
    }

    /// Chooses the quality of the next [`step_as_chosen`](Self::step_as_chosen) of `dt` \[s\]: the first half
    /// of [`step_within`](Self::step_within).
    ///
    /// # Errors
    /// As [`step_within`](Self::step_within).
    pub fn choose_within(&mut self, exec: &dyn Executor, dt: f32, budget: Budget) -> Result<(), ParamError> {
        check_step(dt)?;
        budget.validate()?;
        if budget.measure == Measure::Clock {
            self.note_last_step();
        }
        self.look_ahead(exec);
        self.choose_quality(dt, &budget);
        self.choose_tracer_quality(dt, &budget);
        Ok(())
    }

    /// Returns the quality just chosen.
    pub fn choice(&self) -> Choice {
        Choice {
            quality: self.quality,
            tracer_quality: self.tracer_quality,
            governor: self.governor,
            expected: [self.stats.expected_cost, self.stats.expected_tracer_cost],
        }
    }

    /// Chooses the quality of the next [`step_as_chosen`](Self::step_as_chosen) as it was chosen in a fluid
    /// with the same state.
    pub fn choose_again(&mut self, exec: &dyn Executor, choice: &Choice) {
        self.look_ahead(exec);
        let Choice { quality, tracer_quality, governor, expected } = *choice;
        (self.quality, self.tracer_quality, self.governor) = (quality, tracer_quality, governor);
        [self.stats.expected_cost, self.stats.expected_tracer_cost] = expected;
    }

    /// Advances the fluid by `dt` \[s\] at the quality just chosen.
    ///
    /// # Errors
    /// `dt` as for [`step`](Self::step); the fluid is unchanged then.
    pub fn step_as_chosen(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        dt: f32,
    ) -> Result<(), ParamError> {
        check_step(dt)?;
        self.use_quality(exec);
        self.take_step(exec, bodies, dt);
        Ok(())
    }

    /// Forecasts the cost of the next step.
    fn look_ahead(&mut self, exec: &dyn Executor) {
        // The sources of the last step include their images.
        let Sources { positions, strengths, .. } = &self.sources;
        let tree = self.solver.costs_by_tree();
        match self.sources.has_images() {
            true => self.forecast.look(exec, (positions, strengths), self.sources.groups(), tree),
            false => {
                let Vortons { positions, strengths, .. } = &self.vortons;
                self.forecast.look(exec, (positions, strengths), &[], tree);
            }
        }
    }

    /// Switches to full quality and resets the governor, so nothing depends on a budget any more.
    pub(super) fn use_full_quality(&mut self, exec: &dyn Executor) {
        self.governor.fluid.reset();
        self.governor.tracers.reset();
        (self.quality, self.tracer_quality) = (Quality::Full, TracerQuality::Full);
        (self.stats.expected_cost, self.stats.expected_tracer_cost) = (0.0, 0.0);
        self.governor.nominal = StepCost::default();
        self.governor.count_anew();
        self.use_quality(exec);
    }

    fn use_quality(&mut self, exec: &dyn Executor) {
        let wanted = (fineness(self.quality), sample_fineness(self.tracer_quality));
        let changes = self.solver.fineness() != wanted.0;
        if changes && self.params.energy_budget && self.solver.chosen().is_some() {
            exec.enter(&mut || self.change_meshes(exec, wanted));
        } else {
            self.solver.set_fineness(wanted.0, wanted.1);
        }
        (self.stats.quality, self.stats.tracer_quality) = (self.quality, self.tracer_quality);
        self.stats.quality_changes = self.governor.fluid.changes() + self.governor.tracers.changes();
    }

    /// Carries the energy budget over to the new mesh. Meshes disagree on the energy of a rough cloud by up
    /// to a fifth; without this the energy could grow by the difference, or it would be removed.
    fn change_meshes(&mut self, exec: &dyn Executor, (vortons, samples): (Fineness, Fineness)) {
        self.sources.copy_from(&self.vortons.positions, &self.vortons.strengths);
        let before = self.solver.energy_anew(exec, &self.sources);
        self.solver.set_fineness(vortons, samples);
        self.solver.choose(exec, &mut self.sources, self.vortons.len());
        // The difference between lattices is part of that between meshes.
        self.solver.take_remeasured();
        let after = self.solver.energy_anew(exec, &self.sources);
        self.budget.measure_anew(before, after);
    }

    /// Relates the times of the last step to its nominal costs.
    fn note_last_step(&mut self) {
        let StepCost { velocity, other, tracers } = self.governor.nominal;
        let time = |stages: &[Stage]| stages.iter().map(|&stage| self.stats.milliseconds(stage)).sum::<f64>();
        let (solving, moving) = (time(&[Stage::Velocity, Stage::Energy]), time(&[Stage::Tracers]));
        let rest = time(&Stage::ALL) - solving - moving;
        self.governor.velocity_pace.note(solving, velocity * f64::from(self.stats.solves));
        self.governor.other_pace.note(rest, other);
        self.governor.tracer_pace.note(moving, tracers);
    }

    fn choose_quality(&mut self, dt: f32, budget: &Budget) {
        let other = 1e-6 * self.nominal_without_solves(dt);
        let solve = Quality::ALL.map(|quality| self.nominal_solve(quality));
        let solves = Quality::ALL.map(|quality| f64::from(self.expected_solves(dt, quality)));
        let (pace, other_pace) = match budget.measure {
            Measure::Counted => (1.0, 1.0),
            Measure::Clock => (self.governor.velocity_pace.expected(), self.governor.other_pace.expected()),
        };
        let costs: [f64; 3] =
            std::array::from_fn(|level| pace * solve[level] * solves[level] + other_pace * other);
        let level = self.governor.fluid.decide(&costs, budget.fluid);
        self.quality = Quality::ALL[level];
        self.stats.expected_cost = costs[level];
        self.governor.nominal = StepCost { velocity: solve[level], other, tracers: 0.0 };
    }

    /// Returns the nominal cost of a solve \[ms\].
    fn nominal_solve(&self, quality: Quality) -> f64 {
        1e-6 * self.forecast.solve(fineness(quality), self.solver.chosen())
    }

    /// Returns the nominal cost of a step of `dt` \[s\], without the solves \[ns\].
    fn nominal_without_solves(&self, dt: f32) -> f64 {
        let (count, nodes) = (self.vortons.len() as f64, self.stats.density_nodes as f64);
        let density = match self.params.gravity {
            Vec3::ZERO => 0.0,
            _ => VORTON_WITH_DENSITY * count + NODE_WITH_DENSITY * nodes,
        };
        let diffusion = if self.params.diffuses() { VORTON_THAT_DIFFUSES } else { 0.0 };
        // Density is evaluated at the middle, and at the start unless the last steps lead to the middle.
        let times = if self.is_likely_led(dt) { 1.0 } else { 2.0 };
        (COST_OF_VORTON + diffusion) * count + times * density
    }

    fn choose_tracer_quality(&mut self, dt: f32, budget: &Budget) {
        let Governor { moved, stirred, showing, beside_mesh, stirred_beside_mesh, .. } = self.governor;
        self.governor.count_anew();
        let stretch_number = dt.abs() * self.stats.max_gradient;
        let last = std::mem::replace(&mut self.governor.last_step, dt);
        let is_even = dt == last || Tracers::EVEN_STEPS.contains(&(dt / last));
        let pace = match budget.measure {
            Measure::Counted => 1.0,
            Measure::Clock => self.governor.tracer_pace.expected(),
        };
        let fluid = (fineness(self.quality), self.solver.chosen());
        let summed = self.field.is_searched().then(|| self.field.summed_for_a_sample());
        let nominal = TracerQuality::ALL.map(|wanted| {
            let steps =
                if is_even { self.possible_steps(wanted, stretch_number) } else { TracerSteps::Midpoint };
            // Tracers in turbulence are sampled in each step.
            let stirred = (IN_TURBULENCE * stirred) as f64;
            let (plain, in_eddies) = (steps.samples(), steps.samples().max(1.0));
            let samples = plain * moved as f64 + in_eddies * stirred;
            let beside = plain * f64::from(beside_mesh) + in_eddies * f64::from(stirred_beside_mesh);
            let shown = steps.samples().min(1.0) * TRACER_THAT_SHOWS * showing as f64;
            let read = self.forecast.samples((samples, beside, summed), fluid, sample_fineness(wanted));
            1e-6 * (TRACER * (moved as f64 + stirred) + read + shown)
        });
        let costs = nominal.map(|cost| pace * cost);
        let level = self.governor.tracers.decide(&costs, budget.tracers);
        self.tracer_quality = TracerQuality::ALL[level];
        self.stats.expected_tracer_cost = costs[level];
        self.governor.nominal.tracers = nominal[level];
    }

    /// Returns the steps of this quality, or of a better one, with which tracers can follow the flow.
    fn possible_steps(&self, wanted: TracerQuality, stretch_number: f32) -> TracerSteps {
        // In a moving container a tracer's position at the middle of the step follows the container, not the
        // tracer's last velocity.
        if self.boundary.enclosures.are_moving() {
            return TracerSteps::Midpoint;
        }
        // A tracer that keeps its last velocity would leave a container that starts to move.
        let can_go_on = 2.0 * stretch_number <= MOST_STRETCH_IN_TURNS && self.boundary.enclosures.is_empty();
        match wanted {
            TracerQuality::EverySecondStep if can_go_on => TracerSteps::EverySecond,
            _ if stretch_number <= MOST_STRETCH_LED => TracerSteps::Led,
            _ => TracerSteps::Midpoint,
        }
    }

    /// Counts what samples at tracers cost beyond reading nodes, by some of the tracers: outside of the mesh
    /// they are sums. Only for steps within a budget.
    pub(super) fn count_sums_at(&mut self, tracers: &Tracers) {
        if self.governor.nominal.tracers > 0.0 {
            let one_in = tracers.len().div_ceil(COUNTED_TRACERS).max(1);
            let counted = tracers.positions().iter().step_by(one_in);
            let cost = counted.map(|&place| self.field.cost_beside_mesh(place)).sum::<f64>();
            let Governor { beside_mesh, stirred_beside_mesh, .. } = &mut self.governor;
            let sum = if tracers.turbulence != 0.0 { stirred_beside_mesh } else { beside_mesh };
            *sum += (one_in as f64 * cost) as f32;
        }
    }

    /// Returns how a set moves in this step, and counts its tracers.
    pub(super) fn steps_of_tracers(&mut self, tracers: &Tracers) -> TracerSteps {
        let is_stirred = tracers.turbulence != 0.0;
        self.governor.moved += if is_stirred { 0 } else { tracers.len() };
        self.governor.stirred += if is_stirred { tracers.len() } else { 0 };
        self.governor.showing += if tracers.carry.is_some() { tracers.len() } else { 0 };
        let stretch_number = self.stats.stretch_number;
        match self.possible_steps(self.tracer_quality, stretch_number) {
            TracerSteps::EverySecond if is_stirred => TracerSteps::Led,
            TracerSteps::Led if is_stirred && stretch_number > MOST_STRETCH_LED_IN_EDDIES => {
                TracerSteps::Midpoint
            }
            steps => steps,
        }
    }
}

fn fineness(quality: Quality) -> Fineness {
    if quality < Quality::CoarseMesh { Fineness::Full } else { Fineness::Coarse }
}

fn sample_fineness(quality: TracerQuality) -> Fineness {
    if quality < TracerQuality::CoarseMesh { Fineness::Full } else { Fineness::Coarse }
}
