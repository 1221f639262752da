//! The fluid's motion over a step: of second order, or of fourth where a step is long for its flow (E14).

use super::VortexSim;
use crate::constants::PARTICLE_CHUNK;
use crate::coupling::{BodyCoupling, StepTime};
use crate::math::Vec3Columns;
use crate::particles::Vortons;
use crate::stats::Stage;
use crate::vorticity::stretch::{Surplus, stretched, stretching};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// What changes in the motion over a step, as it was at its start.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) positions: Vec3Columns,
    pub(super) strengths: Vec3Columns,
    pub(super) mass_deviations: Vec<f32>,
}

/// Mean rates over a step as far as they have been evaluated.
#[derive(Debug, Clone)]
pub(super) struct MeanRates {
    /// \[m/s\].
    pub(super) velocities: Vec3Columns,
    /// \[m³/s²\].
    pub(super) strengths: Vec3Columns,
    /// Largest |∇u|² \[1/s²\].
    pub(super) gradients2: Vec<f32>,
}

/// A scheme of Runge and Kutta: the rates are evaluated several times in a step, and each leads to the place
/// of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Midpoint: a solve at the start, and one at the middle.
    Second,
    /// The classical one: a solve at the start, two at the middle, one at the end. What turns by z ≤ 2.8 rad in
    /// a step shrinks by z⁶/144 in it, where the midpoint scheme lets it grow by z⁴/8.
    Fourth,
}

/// One evaluation of the rates in a step. Times are parts of the step \[1\].
#[derive(Debug, Clone, Copy)]
struct Evaluation {
    time: StepTime,
    /// In the mean rates.
    weight: f32,
    /// How far from the start of the step these rates lead; the last evaluation's are led by the mean rates.
    lead: f32,
    is_last: bool,
}

impl Evaluation {
    const fn new(time: StepTime, weight: f32, lead: f32) -> Self {
        Self { time, weight, lead, is_last: false }
    }

    const fn last(time: StepTime, weight: f32) -> Self {
        Self { time, weight, lead: 1.0, is_last: true }
    }

    fn is_first(&self) -> bool {
        self.time == StepTime::Start
    }
}

impl Scheme {
    const SECOND: [Evaluation; 2] =
        [Evaluation::new(StepTime::Start, 0.0, 0.5), Evaluation::last(StepTime::Middle, 1.0)];

    const FOURTH: [Evaluation; 4] = [
        Evaluation::new(StepTime::Start, 1.0 / 6.0, 0.5),
        Evaluation::new(StepTime::Middle, 1.0 / 3.0, 0.5),
        Evaluation::new(StepTime::Middle, 1.0 / 3.0, 1.0),
        Evaluation::last(StepTime::End, 1.0 / 6.0),
    ];

    fn evaluations(self) -> &'static [Evaluation] {
        match self {
            Self::Second => &Self::SECOND,
            Self::Fourth => &Self::FOURTH,
        }
    }
}

impl VortexSim {
    /// The scheme for a step of this stretch number at its start, which need not be finite.
    pub(super) fn choose_scheme(&mut self, stretch_number: f32) -> Scheme {
        let is_short = stretch_number.abs() <= self.params.fourth_order_above;
        let scheme = if is_short { Scheme::Second } else { Scheme::Fourth };
        self.stats.solves = scheme.evaluations().len() as u32;
        scheme
    }

    /// Moves the fluid over the step. The flow at its start has been solved, and what density makes there.
    pub(super) fn advance_fluid(
        &mut self,
        exec: &dyn Executor,
        bodies: &dyn BodyCoupling,
        dt: f32,
        scheme: Scheme,
    ) {
        self.start_motion();
        for evaluation in scheme.evaluations() {
            if !evaluation.is_first() {
                self.evaluate(exec, bodies, evaluation.time, dt);
            }
            self.give_source(exec);
            self.credit_work_of_gravity(exec, bodies.has_walls(), evaluation.weight * dt);
            self.follow(exec, evaluation, dt);
        }
        if scheme == Scheme::Fourth {
            // The field of the middle is the one that is published.
            std::mem::swap(&mut self.field, &mut self.end_field);
        }
    }

    fn start_motion(&mut self) {
        let Vortons { positions, strengths, mass_deviations, .. } = &self.vortons;
        self.start.positions.copy_from(positions);
        self.start.strengths.copy_from(strengths);
        self.start.mass_deviations.clone_from(mass_deviations);
        for rates in [&mut self.rates.velocities, &mut self.rates.strengths] {
            rates.clear();
            rates.resize(positions.len());
        }
        self.rates.gradients2.clear();
        self.rates.gradients2.resize(positions.len(), 0.0);
        (self.stats.max_gradient, self.stats.stretch_number) = (0.0, 0.0);
    }

    /// The flow where the vortons are on their way, and what density makes there.
    fn evaluate(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, time: StepTime, dt: f32) {
        if time == StepTime::End {
            std::mem::swap(&mut self.field, &mut self.end_field);
            self.field.go_on_from(&self.end_field);
        }
        if self.field.rooms.are_moving() {
            self.walls.forget();
        }
        self.solve_on_the_way(exec, bodies, time, dt);
        self.find_source(exec, bodies, time);
    }

    /// The last solve at the middle of the step is also the field that is sampled.
    fn solve_on_the_way(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, time: StepTime, dt: f32) {
        let stage = self.stats.time(Stage::Velocity);
        let after = time.part() * dt;
        self.gather_sources(bodies, after);
        let report = self.solve(exec, false);
        self.unseen = false;
        // `max` leaves out what is no number.
        let gradient = self.largest_gradient(exec).min(f32::MAX).max(self.stats.max_gradient);
        self.stats.max_gradient = gradient;
        self.stats.stretch_number = (dt.abs() * gradient).min(f32::MAX);
        if time == StepTime::Middle {
            self.field.time = self.time + f64::from(after);
            self.published_sources.copy_from(&self.sources.positions, &self.sources.strengths);
            (self.stats.mesh_nodes, self.stats.mesh_outside) = (report.nodes, report.outside);
        }
        self.stats.record(stage);
    }

    /// Goes from the start of the step to the place of the next evaluation with the rates last evaluated, or
    /// to the end with the mean of all.
    fn follow(&mut self, exec: &dyn Executor, evaluation: &Evaluation, dt: f32) {
        let stage = self.stats.time(Stage::Advance);
        // A direct sum's pairs cancel to the bit; a mesh's gradient is not quite the one whose pairs do.
        let surplus = match self.field.is_on_mesh() {
            true => Surplus::of(exec, &self.flow, &self.sources.strengths, &mut self.surplus_partials),
            false => Surplus::default(),
        };
        let (start, flow, sources, field) = (&self.start, &self.flow, self.baroclinic.rates(), &self.field);
        let &Evaluation { weight, lead, is_last, .. } = evaluation;
        let dt = lead * dt;
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        let MeanRates { velocities, strengths: strength_rates, gradients2 } = &mut self.rates;
        let mean = (columns_mut(velocities), columns_mut(strength_rates), gradients2.as_mut_slice());
        let columns = ((columns_mut(positions), columns_mut(strengths)), mean);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, (place, mean)| {
            let ((x, y, z), (ax, ay, az)) = place;
            let ((u, v, w), (bx, by, bz), steepest) = mean;
            for i in 0..x.len() {
                let row = first + i;
                let origin = start.positions.get(row);
                let velocity = flow[row].velocity + field.carried(origin);
                // The rate belongs to the strength with which the flow was solved, which is the one still in
                // the column.
                let strength = Vec3::new(ax[i], ay[i], az[i]);
                let rate = stretching(&flow[row], strength) - surplus.share(strength);
                let rate = rate + sources[row];
                let mean_velocity = Vec3::new(u[i], v[i], w[i]) + velocity * weight;
                let mean_rate = Vec3::new(bx[i], by[i], bz[i]) + rate * weight;
                let gradient2 = flow[row].gradient_norm2();
                let largest = if weight > 0.0 { steepest[i].max(gradient2) } else { 0.0 };
                let (velocity, rate, gradient2) =
                    if is_last { (mean_velocity, mean_rate, largest) } else { (velocity, rate, gradient2) };
                let position = origin + velocity * dt;
                let start = start.strengths.get(row);
                let strength = stretched(gradient2, start, (rate, sources[row]), dt);
                (x[i], y[i], z[i]) = position.into();
                (ax[i], ay[i], az[i]) = strength.into();
                (u[i], v[i], w[i]) = mean_velocity.into();
                (bx[i], by[i], bz[i]) = mean_rate.into();
                steepest[i] = largest;
            }
        });
        self.lift_through_ambient(exec);
        self.stats.record(stage);
    }

    /// A vorton keeps its density, so its deviation changes where the ambient does (E27).
    fn lift_through_ambient(&mut self, exec: &dyn Executor) {
        let stratification = self.params.ambient.stratification;
        if stratification.is_uniform() {
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
                    let ambient = |place: Vec3| stratification.deviation(place);
                    let change = ambient(start.positions.get(row)) - ambient(positions.get(row));
                    *mass = start.mass_deviations[row] + volumes[row] * change;
                }
            },
        );
    }
}

fn columns_mut(columns: &mut Vec3Columns) -> (&mut [f32], &mut [f32], &mut [f32]) {
    (&mut columns.x, &mut columns.y, &mut columns.z)
}
