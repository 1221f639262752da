//! The fluid's motion over a step: second order, with one solve or two (E13), or fourth order where the step
//! is too long for those schemes (E14).

use super::VortexSim;
use super::rate_history::{MeanRates, RateHistory};
use super::steepness::Steepness;
use crate::boundary::{BodyCoupling, StepTime};
use crate::constants::{FOURTH_ORDER_ABOVE, PARTICLE_CHUNK};
use crate::governor::Quality;
use crate::math::Vec3Columns;
use crate::particles::Vortons;
use crate::stats::Stage;
use crate::velocity::VelocityField;
use crate::vorticity::stretch::{Surplus, stretched, stretching};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// Most new vortons with strength in a step led by the rates of the last ones: as many as the energy budget
/// sums pair by pair.
const MOST_NEW: usize = 64;

/// Time before the start of the step of the extrapolated rates that lead to the middle, over the step \[1\].
/// With these rates a rotation keeps its amplitude to fourth order; it grows with earlier rates (by z⁴/4 with
/// those of the last middle) and shrinks with later ones.
const LED_BY_RATES_BEFORE: f32 = 1.0 / 6.0;

/// The same time for the past rates in a corrected step: again a rotation keeps its amplitude.
const CORRECTED_BY_RATES_BEFORE: f32 = 0.7;

/// Weight of these past rates in a corrected step \[1\]. The mean time of both rates is a quarter of the
/// step, which makes the position at the middle second order.
const CORRECTED_BY_PAST: f32 = (0.5 - 0.25) / (0.5 + CORRECTED_BY_RATES_BEFORE);

/// Largest stretch number of a step that the last two lead, over that of a midpoint step \[1\]: a rotation
/// grows by 0.017 % a step then, in the longest midpoint step by 0.08 %.
const MOST_LED: f32 = 1.25;

/// The same limit for corrected steps \[1\].
const MOST_CORRECTED: f32 = 2.0;

/// Largest stretch numbers of a step with one solve and of a midpoint step at less than full quality, over
/// that of a midpoint step at full quality \[1\]. With the default limits a rotation then grows by 0.07 % and
/// by 0.4 % a step, and no cloud by more than the energy budget allows.
const MORE_STRETCH: f32 = 1.5;

/// Largest stretch number of a corrected step at less than full quality, over that of a midpoint step at full
/// quality \[1\]. With the default limits that is 1, up to which strengths are followed; a rotation shrinks
/// by 0.7 % a step.
const MOST_CORRECTED_AT_LESS: f32 = 2.5;

/// Largest Σ|α| of new vortons in such a step, over that of the known ones \[1\]: the past rates lack the
/// flow of new vortons, and the error this makes is about that of the rest of the scheme.
const NEW_PART: f32 = 0.01;

/// The quantities that the motion changes, at the start of the step.
#[derive(Debug, Clone)]
pub(super) struct MotionState {
    pub(super) positions: Vec3Columns,
    pub(super) strengths: Vec3Columns,
    /// Filled only in a stratified ambient, which changes them.
    pub(super) mass_deviations: Vec<f32>,
}

/// The scheme of a step. The rates are evaluated once or several times, and each evaluation leads the vortons
/// to the state of the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scheme {
    /// One solve at the middle, reached with the rates of the last two steps. A rotation by z per step grows
    /// by z⁶/11.
    Multistep,
    /// The same and a second solve at the middle, reached with the rates of the first solve combined with
    /// those of the last two steps. A rotation by z per step shrinks by z⁶/15.
    Corrected,
    /// Midpoint: a solve at the start, and one at the middle.
    Midpoint,
    /// The classical Runge-Kutta scheme: a solve at the start, two at the middle, one at the end. A rotation
    /// by z ≤ 2.8 per step shrinks by z⁶/144; in a midpoint step it grows by z⁴/8.
    Fourth,
}

/// One evaluation of the rates in a step. Times are parts of the step \[1\].
#[derive(Debug, Clone, Copy)]
struct Evaluation {
    time: StepTime,
    /// Weight of these rates in the mean.
    weight: f32,
    /// Weight of the baroclinic source in the mean.
    source_weight: f32,
    /// True if the baroclinic source is found here; later evaluations reuse it.
    finds_source: bool,
    /// Time from the start of the step to which the vortons are led.
    lead: f32,
    led_by: LedBy,
    /// True for the first solve of the step, which chooses the solver for the others.
    is_first: bool,
    /// True if the energy at the middle is checked against the budget here.
    keeps_energy: bool,
}

/// The rates that lead vortons on after an evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LedBy {
    /// The rates just evaluated.
    Rates,
    /// The same combined with those of the last two steps, held in the columns of the mean until then.
    RatesAndPast,
    /// The mean of all evaluations.
    Mean,
}

impl Evaluation {
    const fn new(time: StepTime, weight: f32, lead: f32) -> Self {
        Self {
            time,
            weight,
            source_weight: weight,
            finds_source: true,
            lead,
            led_by: LedBy::Rates,
            is_first: false,
            keeps_energy: false,
        }
    }

    /// Reuses the baroclinic source found before. A source found once, at the middle, is second order.
    const fn with_known_source(self, source_weight: f32) -> Self {
        Self { source_weight, finds_source: false, ..self }
    }

    const fn last(time: StepTime, weight: f32) -> Self {
        Self { led_by: LedBy::Mean, ..Self::new(time, weight, 1.0) }
    }
}

impl Scheme {
    const MULTISTEP: [Evaluation; 1] =
        [Evaluation { is_first: true, keeps_energy: true, ..Evaluation::last(StepTime::Middle, 1.0) }];

    const CORRECTED: [Evaluation; 2] = [
        Evaluation {
            led_by: LedBy::RatesAndPast,
            is_first: true,
            ..Evaluation::new(StepTime::Middle, 0.0, 0.5)
        },
        Evaluation { keeps_energy: true, ..Evaluation::last(StepTime::Middle, 1.0).with_known_source(1.0) },
    ];

    const MIDPOINT: [Evaluation; 2] =
        [Evaluation::new(StepTime::Start, 0.0, 0.5), Evaluation::last(StepTime::Middle, 1.0)];

    const FOURTH: [Evaluation; 4] = [
        Evaluation { source_weight: 0.0, ..Evaluation::new(StepTime::Start, 1.0 / 6.0, 0.5) },
        Evaluation { source_weight: 0.5, ..Evaluation::new(StepTime::Middle, 1.0 / 3.0, 0.5) },
        Evaluation::new(StepTime::Middle, 1.0 / 3.0, 1.0).with_known_source(0.5),
        Evaluation::last(StepTime::End, 1.0 / 6.0).with_known_source(0.0),
    ];

    fn evaluations(self) -> &'static [Evaluation] {
        match self {
            Self::Multistep => &Self::MULTISTEP,
            Self::Corrected => &Self::CORRECTED,
            Self::Midpoint => &Self::MIDPOINT,
            Self::Fourth => &Self::FOURTH,
        }
    }

    /// True if the rates of the last two steps lead to the middle of this one.
    fn goes_on(self) -> bool {
        matches!(self, Self::Multistep | Self::Corrected)
    }
}

/// Largest stretch number of the fastest vorton in a corrected step if few are that fast, over that of a
/// midpoint step \[1\]. A rotation shrinks by 2.5 % a step then.
const MOST_CORRECTED_OF_FEW: f32 = 3.0;

/// Largest stretch numbers of the schemes \[1\].
struct StretchLimits {
    multistep: f32,
    /// For the whole cloud, and for the fastest vorton.
    corrected: [f32; 2],
    midpoint: f32,
}

impl StretchLimits {
    /// Returns the scheme of a step of `dt` \[s\] in a flow of this steepness, if the last two steps can lead
    /// it. In steps with one solve fast rotations grow, so the limit holds for every vorton; in corrected
    /// steps they shrink.
    fn led(&self, dt: f32, steepness: Steepness) -> Option<Scheme> {
        let (whole, fastest) = (dt * steepness.deciding, dt * steepness.largest);
        if fastest <= self.multistep {
            return Some(Scheme::Multistep);
        }
        (whole <= self.corrected[0] && fastest <= self.corrected[1]).then_some(Scheme::Corrected)
    }
}

impl VortexSim {
    /// Returns the schemes' limits of the stretch number, for the parameters and the quality.
    fn stretch_limits(&self, quality: Quality) -> StretchLimits {
        let midpoint = self.params.fourth_order_above;
        let most = midpoint.min(FOURTH_ORDER_ABOVE);
        if quality == Quality::Full {
            let corrected = [MOST_CORRECTED, MOST_CORRECTED_OF_FEW].map(|times| times * most);
            return StretchLimits { multistep: MOST_LED * most, corrected, midpoint };
        }
        StretchLimits {
            multistep: MORE_STRETCH * most,
            corrected: [MOST_CORRECTED_AT_LESS, MOST_CORRECTED_OF_FEW].map(|times| times * most),
            midpoint: MORE_STRETCH * midpoint,
        }
    }

    /// True if the last two steps were about as long as one of `dt` \[s\], and may lead it. Without vortons
    /// there is nothing to lead.
    fn is_even(&self, dt: f32) -> bool {
        self.vortons.is_empty() || self.params.multistep && self.history.leads(dt)
    }

    /// True if the last two steps lead one of `dt` \[s\], unless many vortons are new in it.
    pub(super) fn is_likely_led(&self, dt: f32) -> bool {
        let limits = self.stretch_limits(self.quality);
        self.is_even(dt) && limits.led(dt, self.steepness).is_some()
    }

    /// Velocity solves that a step of `dt` \[s\] is likely to take.
    pub(super) fn expected_solves(&self, dt: f32, quality: Quality) -> u32 {
        if dt == 0.0 {
            return 1;
        }
        let limits = self.stretch_limits(quality);
        let stretch_number = dt * self.steepness.largest;
        let led = limits.led(dt, self.steepness).filter(|_| self.is_even(dt));
        let is_short = stretch_number.abs() <= limits.midpoint;
        let scheme = led.unwrap_or(if is_short { Scheme::Midpoint } else { Scheme::Fourth });
        scheme.evaluations().len() as u32
    }

    /// Chooses the scheme, and solves the flow at the start of the step if the scheme needs it.
    pub(super) fn begin_motion(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        dt: f32,
    ) -> Scheme {
        let known = self.history.keep(&self.vortons);
        let scheme = match self.go_on(exec, bodies, dt, known) {
            Some(scheme) => scheme,
            None => {
                self.solve_start(exec, bodies);
                for row in known..self.vortons.len() {
                    let rate = stretching(&self.flow[row], self.vortons.strengths.get(row));
                    self.history.set_new(row, self.flow[row].velocity, rate);
                }
                let stretch_number = dt * self.steepness(exec).largest;
                // NaN counts as long.
                let is_short = stretch_number.abs() <= self.stretch_limits(self.quality).midpoint;
                // After a long step the energy is checked at its end.
                self.keep_energy(exec, if is_short { stretch_number } else { 0.0 });
                if is_short { Scheme::Midpoint } else { Scheme::Fourth }
            }
        };
        self.stats.solves = scheme.evaluations().len() as u32;
        scheme
    }

    /// Returns the scheme of a step that the last two lead: of about their length, in a slow enough flow,
    /// with hardly any new strength. `None` otherwise.
    fn go_on(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        dt: f32,
        known: usize,
    ) -> Option<Scheme> {
        let scheme = self.stretch_limits(self.quality).led(dt, self.steepness)?;
        // The velocity is sampled once for each new vorton, which is too costly for a whole cloud of them.
        let is_grown = self.vortons.len() - known > known;
        if !self.is_even(dt) || is_grown {
            return None;
        }
        let size = |row: usize| self.vortons.strengths.get(row).length();
        let (old, new) = (0..known, known..self.vortons.len());
        let count = new.clone().filter(|&row| size(row) > 0.0).count();
        let is_much = || new.clone().map(size).sum::<f32>() > NEW_PART * old.map(size).sum::<f32>();
        if count > MOST_NEW || count > 0 && is_much() {
            return None;
        }
        if !new.is_empty() {
            // The field may have been put on a mesh for tracers; the fluid's result must not depend on that.
            self.field.sum_again(exec, &mut self.sources, self.solver.sums_by_tree());
        }
        for row in new {
            // The field is that of the middle of the last step: where the fluid was then.
            let (place, mut velocity) = (self.vortons.positions.get(row), [Vec3::ZERO]);
            let then = place - self.field.carried(place) * (0.5 * self.history.last_length());
            self.field.velocities(&[then], &mut velocity);
            self.history.set_new(row, velocity[0] - self.field.carried_at_middle(then), Vec3::ZERO);
        }
        if count > 0 {
            self.gather_sources(exec, bodies, StepTime::Start);
            self.credit_new(exec);
        }
        Some(scheme)
    }

    /// Moves the fluid over the step. The flow and the baroclinic source at its start are known if the scheme
    /// evaluates them.
    pub(super) fn advance_fluid(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        dt: f32,
        scheme: Scheme,
    ) {
        self.remember_start(exec);
        if scheme.goes_on() {
            self.lead_to_middle(exec, dt);
        }
        let past = if scheme == Scheme::Corrected { CORRECTED_BY_PAST } else { 0.0 };
        self.history.begin(exec, dt, (past, CORRECTED_BY_RATES_BEFORE));
        (self.stats.max_gradient, self.stats.stretch_number) = (0.0, 0.0);
        self.steepness = Steepness::default();
        for evaluation in scheme.evaluations() {
            if evaluation.time != StepTime::Start {
                self.evaluate(exec, bodies, evaluation, dt);
            } else if !self.has_start_source {
                self.find_source(exec, bodies, StepTime::Start);
            }
            if evaluation.finds_source {
                self.give_source(exec);
            }
            self.credit_work_of_gravity(exec, evaluation.weight * dt);
            self.credit_work_of_expansion(exec, evaluation.weight * dt);
            if evaluation.keeps_energy {
                self.keep_energy_at_middle(exec, dt);
            }
            self.follow(exec, evaluation, dt);
        }
        self.calm_cornered(bodies, dt);
        if scheme == Scheme::Fourth {
            // The field of the middle is published.
            std::mem::swap(&mut self.field, &mut self.end_field);
            self.solver.lend_cloud(&mut self.end_field);
            self.end_field.forget();
            self.keep_energy_of_long_step(exec, bodies, dt);
        }
    }

    /// Limits strengths in edges and corners of containers to those at the start of the step, and lets them
    /// decay within the time in which the flow there turns. Such a vorton stays where it is: an error of the
    /// flow would stretch it for ever. Not backwards in time.
    fn calm_cornered(&mut self, bodies: &dyn BodyCoupling, dt: f32) {
        if dt <= 0.0 {
            return;
        }
        let (start, flow, strengths) = (&self.start.strengths, &self.flow, &mut self.vortons.strengths);
        bodies.visit_cornered(&mut |row| {
            let turned = flow[row].gradient_norm2().sqrt() * dt;
            let most = strengths.get(row).clamp_length_max(start.get(row).length());
            strengths.set(row, most * libm::expf(-turned));
        });
    }

    pub(super) fn remember_start(&mut self, exec: &dyn Executor) {
        let Vortons { positions, strengths, mass_deviations, .. } = &self.vortons;
        self.start.positions.copy_in_parallel(exec, positions);
        self.start.strengths.copy_in_parallel(exec, strengths);
        if !self.params.ambient.stratification.is_uniform() {
            self.start.mass_deviations.clone_from(mass_deviations);
        }
    }

    /// Evaluates the flow at the vortons' intermediate positions and, where required, the baroclinic source.
    fn evaluate(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        evaluation: &Evaluation,
        dt: f32,
    ) {
        if evaluation.time == StepTime::End {
            if self.field.is_on_mesh() && !self.sheets.is_empty() {
                self.middle_sources.reserve(self.most_sources());
                std::mem::swap(&mut self.sources, &mut self.middle_sources);
            }
            std::mem::swap(&mut self.field, &mut self.end_field);
            self.solver.lend_cloud(&mut self.field);
            self.field.go_on_from(&self.end_field);
        }
        self.solve_on_the_way(exec, bodies, evaluation, dt);
        if !evaluation.finds_source {
            return;
        }
        self.find_source(exec, bodies, evaluation.time);
    }

    /// Solves the flow at the present positions, as the field to publish.
    pub(super) fn solve_present(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling) {
        (self.steepness, self.stats.solves) = (Steepness::default(), 1);
        let evaluation =
            Evaluation { is_first: true, keeps_energy: true, ..Evaluation::new(StepTime::Middle, 1.0, 0.0) };
        self.solve_on_the_way(exec, bodies, &evaluation, 0.0);
        self.find_source(exec, bodies, StepTime::Middle);
    }

    /// Solves the flow at intermediate positions. The last solve at the middle of the step is also the
    /// sampled field.
    fn solve_on_the_way(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut dyn BodyCoupling,
        evaluation: &Evaluation,
        dt: f32,
    ) {
        let stage = self.stats.time(Stage::Velocity);
        let &Evaluation { time, is_first, keeps_energy, .. } = evaluation;
        self.gather_sources(exec, bodies, time);
        if is_first {
            self.choose_solver(exec);
        } else {
            self.solver.mark_groups(&mut self.sources);
        }
        let looks = keeps_energy && self.params.energy_budget && (self.budget.is_due() || dt == 0.0);
        let report = self.solve(exec, looks);
        if looks {
            self.stats.energy = report.energy;
        }
        self.unseen = false;
        self.steepness = self.steepness(exec).max(self.steepness);
        self.stats.max_gradient = self.steepness.largest;
        self.stats.stretch_number = (dt.abs() * self.steepness.largest).min(f32::MAX);
        if time == StepTime::Middle {
            self.field.time = self.time + f64::from(time.part() * dt);
            (self.stats.mesh_nodes, self.stats.mesh_outside) = (report.nodes, report.outside);
            self.stats.nodes_per_core = report.nodes_per_core;
        }
        self.stats.record(stage);
    }

    /// Advances time and eddies to the end of the step; the field gets the eddies of its middle.
    pub(super) fn pass_time(&mut self, dt: f32) {
        self.time += f64::from(dt);
        self.eddies.advance(0.5 * dt, self.steepness.deciding);
        self.field.eddies.copy_from(&self.eddies);
        self.eddies.advance(0.5 * dt, self.steepness.deciding);
    }

    /// Moves from the start of the step to its middle with the rates of the last two.
    fn lead_to_middle(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Advance);
        let weights = self.history.weights(dt, LED_BY_RATES_BEFORE);
        let RateHistory { latest, earlier, .. } = &self.history;
        let (field, half) = (&self.field, 0.5 * dt);
        let rate = |latest: &Vec3Columns, earlier: &Vec3Columns, row: usize| {
            latest.get(row) * weights[0] + earlier.get(row) * weights[1]
        };
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        let columns = (positions.as_parts_mut(), strengths.as_parts_mut());
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, ((x, y, z), (ax, ay, az))| {
            for i in 0..x.len() {
                let row = first + i;
                let (position, strength) = (Vec3::new(x[i], y[i], z[i]), Vec3::new(ax[i], ay[i], az[i]));
                let velocity = rate(&latest.velocities, &earlier.velocities, row) + field.carried(position);
                let rate = rate(&latest.strengths, &earlier.strengths, row);
                (x[i], y[i], z[i]) = (position + velocity * half).into();
                (ax[i], ay[i], az[i]) = (strength + rate * half).into();
            }
        });
        self.lift_through_ambient(exec);
        self.stats.record(stage);
    }

    /// Moves from the start of the step to the state of the next evaluation with the rates last evaluated, or
    /// to the end with the mean of all.
    fn follow(&mut self, exec: &dyn Executor, evaluation: &Evaluation, dt: f32) {
        let stage = self.stats.time(Stage::Advance);
        // In a direct sum the pairs' stretching cancels exactly; a mesh's gradient leaves a remainder.
        let surplus = match self.field.is_on_mesh() {
            true => {
                let sources = (&self.sources, self.solver.stretched());
                Surplus::of(exec, &self.flow, sources, &mut self.surplus_partials)
            }
            false => Surplus::default(),
        };
        let (start, flow, sources, field) = (&self.start, &self.flow, self.baroclinic.rates(), &self.field);
        let &Evaluation { weight, source_weight, lead, led_by, .. } = evaluation;
        let dt = lead * dt;
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        let RateHistory { latest: MeanRates { velocities, strengths: strength_rates }, gradients2, .. } =
            &mut self.history;
        let mean = (velocities.as_parts_mut(), strength_rates.as_parts_mut(), gradients2.as_mut_slice());
        let columns = ((positions.as_parts_mut(), strengths.as_parts_mut()), mean);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, (place, mean)| {
            let ((x, y, z), (ax, ay, az)) = place;
            let ((u, v, w), (bx, by, bz), steepest) = mean;
            for i in 0..x.len() {
                let row = first + i;
                let origin = start.positions.get(row);
                let velocity = flow[row].velocity;
                // The rate is that of the strength with which the flow was solved, which is still in the
                // column.
                let strength = Vec3::new(ax[i], ay[i], az[i]);
                let stretching = stretching(&flow[row], strength) - surplus.share(strength);
                let rate = stretching + sources[row];
                let gradient2 = flow[row].gradient_norm2();
                let largest = if weight > 0.0 { steepest[i].max(gradient2) } else { 0.0 };
                let known = (Vec3::new(u[i], v[i], w[i]), Vec3::new(bx[i], by[i], bz[i]));
                let so_far = if led_by == LedBy::RatesAndPast { (Vec3::ZERO, Vec3::ZERO) } else { known };
                let rates = stretching * weight + sources[row] * source_weight;
                let mean = (so_far.0 + velocity * weight, so_far.1 + rates);
                let (velocity, rate, gradient2) = match led_by {
                    LedBy::Rates => (velocity, rate, gradient2),
                    LedBy::RatesAndPast => {
                        let new = 1.0 - CORRECTED_BY_PAST;
                        (known.0 + velocity * new, known.1 + rate * new, gradient2)
                    }
                    LedBy::Mean => (mean.0, mean.1, largest),
                };
                let position = origin + (velocity + field.carried(origin)) * dt;
                let start = start.strengths.get(row);
                let strength = stretched(gradient2, start, (rate, sources[row]), dt);
                (x[i], y[i], z[i]) = position.into();
                (ax[i], ay[i], az[i]) = strength.into();
                (u[i], v[i], w[i]) = mean.0.into();
                (bx[i], by[i], bz[i]) = mean.1.into();
                steepest[i] = largest;
            }
        });
        self.lift_through_ambient(exec);
        self.stats.record(stage);
    }

    /// Updates the mass deviations: a vorton keeps its density, so its deviation changes with the ambient's
    /// (E27).
    pub(super) fn lift_through_ambient(&mut self, exec: &dyn Executor) {
        let fluid = self.params.ambient;
        if fluid.stratification.is_uniform() {
            return;
        }
        let start = &self.start;
        let Vortons { positions, volumes, mass_deviations, .. } = &mut self.vortons;
        for_each_chunk_mut(
            exec,
            PARTICLE_CHUNK,
            mass_deviations.as_mut_slice(),
            &|first, masses: &mut [f32]| {
                for (i, mass) in masses.iter_mut().enumerate() {
                    let row = first + i;
                    let ambient = |place: Vec3| fluid.deviation(place);
                    let change = ambient(start.positions.get(row)) - ambient(positions.get(row));
                    *mass = start.mass_deviations[row] + volumes[row] * change;
                }
            },
        );
    }
}
