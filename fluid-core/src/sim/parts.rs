//! The fluid's motion over a step, in one midpoint step or in several (E14).

use super::VortexSim;
use crate::constants::{PARTICLE_CHUNK, SUBSTEP_STRETCH};
use crate::coupling::{BodyCoupling, StepTime};
use crate::math::Vec3Columns;
use crate::particles::Vortons;
use crate::stats::Stage;
use crate::vorticity::stretch::{Surplus, stretched, stretching};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// What changes within a part of a step, as it was at its start.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) positions: Vec3Columns,
    pub(super) strengths: Vec3Columns,
    pub(super) mass_deviations: Vec<f32>,
}

/// A part of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepPart {
    /// When it begins, from the start of the step, and how long it is \[s\].
    begin: f32,
    length: f32,
    is_first: bool,
    /// The field of the middle of the step is the one that is published.
    is_middle: bool,
    is_last: bool,
}

impl StepPart {
    /// Part `part` of a step of `dt` \[s\] that is cut into `parts`, an odd number.
    pub(super) fn new(dt: f32, part: u32, parts: u32) -> Self {
        let length = dt / parts as f32;
        Self {
            begin: length * part as f32,
            length,
            is_first: part == 0,
            is_middle: 2 * part + 1 == parts,
            is_last: part + 1 == parts,
        }
    }
}

impl VortexSim {
    /// Into how many parts the motion in a step is cut: an odd number, so that one of them has the step's
    /// middle in its own.
    pub(super) fn count_parts(&mut self, stretch_number: f32) -> u32 {
        let most = (self.params.max_substeps - 1) | 1;
        let number = stretch_number.abs() / SUBSTEP_STRETCH;
        // Not finite: as many as there may be.
        let parts = if number <= 1.0 { 1 } else { (number.ceil().min(16.0) as u32 | 1).min(most) };
        self.stats.substeps = parts;
        parts
    }

    /// One midpoint step of the fluid's motion, over a part of the step.
    pub(super) fn advance_part(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, part: StepPart) {
        if !part.is_first {
            // The flow of the middle of the part before leads to the middle of this one: second order, for
            // one solve less.
            self.sources.overwrite(&self.vortons.positions, &self.vortons.strengths);
            self.find_source(exec, bodies, StepTime::Middle);
        }
        self.remember_start();
        self.give_source(exec);
        self.advance_to(exec, 0.5 * part.length);
        if self.field.rooms.are_moving() {
            self.walls.forget();
        }
        self.solve_midpoint(exec, bodies, part);
        self.find_source(exec, bodies, StepTime::Middle);
        self.give_source(exec);
        self.credit_work_of_gravity(exec, bodies.has_walls(), part.length);
        self.advance_to(exec, part.length);
        self.publish(part);
    }

    fn remember_start(&mut self) {
        self.start.positions.copy_from(&self.vortons.positions);
        self.start.strengths.copy_from(&self.vortons.strengths);
        self.start.mass_deviations.clone_from(&self.vortons.mass_deviations);
    }

    /// The solve at the middle of the step is also the field that is sampled.
    fn solve_midpoint(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, part: StepPart) {
        let stage = self.stats.time(Stage::Velocity);
        let middle = part.begin + 0.5 * part.length;
        self.gather_sources(bodies, middle);
        let report = self.solve(exec, false);
        self.field.time = self.time + f64::from(middle);
        self.unseen = false;
        let gradient = self.largest_gradient(exec).min(f32::MAX);
        if part.is_first || gradient > self.stats.max_gradient {
            self.stats.max_gradient = gradient;
            self.stats.stretch_number = (part.length.abs() * gradient).min(f32::MAX);
        }
        if part.is_middle {
            (self.stats.mesh_nodes, self.stats.mesh_outside) = (report.nodes, report.outside);
        }
        self.stats.record(stage);
    }

    /// Keeps the field of the middle of the step for samples, whatever parts follow.
    fn publish(&mut self, part: StepPart) {
        if part.is_last != part.is_middle {
            std::mem::swap(&mut self.field, &mut self.later_field);
        }
        if part.is_middle {
            self.published_sources.copy_from(&self.sources.positions, &self.sources.strengths);
        }
        if part.is_middle && !part.is_last {
            self.field.go_on_from(&self.later_field);
        }
    }

    /// Euler steps from the start of the part with the rates last solved: half of it reaches its middle, all
    /// of it the end.
    fn advance_to(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Advance);
        // A direct sum's pairs cancel to the bit; a mesh's gradient is not quite the one whose pairs do.
        let surplus = match self.field.is_on_mesh() {
            true => Surplus::of(exec, &self.flow, &self.sources.strengths, &mut self.surplus_partials),
            false => Surplus::default(),
        };
        let (start, flow, sources, field) = (&self.start, &self.flow, self.baroclinic.rates(), &self.field);
        let before = &self.before;
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        let columns = (columns_mut(positions), columns_mut(strengths));
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, ((x, y, z), (ax, ay, az))| {
            for i in 0..x.len() {
                let row = first + i;
                // The rate belongs to the strength with which the flow was solved, which is the one still in
                // the column.
                let strength = Vec3::new(ax[i], ay[i], az[i]);
                let rate = stretching(&flow[row], strength) - surplus.share(strength);
                let position = start.positions.get(row);
                let position = position + (flow[row].velocity + field.carried(before.get(row))) * dt;
                let start = start.strengths.get(row);
                let strength = stretched(&flow[row], start, rate, dt) + sources[row] * dt;
                (x[i], y[i], z[i]) = position.into();
                (ax[i], ay[i], az[i]) = strength.into();
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
