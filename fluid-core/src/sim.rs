//! The step: the table of contents of the fluid.

use crate::constants::{
    BOUND_VORTONS, PARTICLE_CHUNK, SUBSTEP_STRETCH, TRACER_CELL, TRACER_SORT_INTERVAL, WALL_CREDIT,
};
use crate::coupling::{BodyCoupling, Motion, StepTime};
use crate::density::{WallNodes, WallSource};
use crate::emitter::Emitter;
use crate::invariants::{Moments, PairSums};
use crate::math::Vec3Columns;
use crate::params::{ParamError, Params, check_step};
use crate::particles::{Tracers, Vorton, Vortons};
use crate::stats::{Stage, Stats};
use crate::tracer_motion::advance_tracers;
use crate::velocity::{FlowSample, PublishedField, Rooms, SolveReport, Solver, Sources};
use crate::vorticity::baroclinic::{Baroclinic, Forces};
use crate::vorticity::diffuse::{DIFFUSION_RADIUS, Diffusion, DiffusionSettings, Diffusivities};
use crate::vorticity::energy_budget::{Cloud, EnergyBudget};
use crate::vorticity::halo::Halo;
use crate::vorticity::pin::Pin;
use crate::vorticity::relax::Relaxation;
use crate::vorticity::rim::{Rim, RimSettings};
use crate::vorticity::stretch::{Surplus, SurplusPart, stretched, stretching};
use fluid_threads::{Executor, Serial, for_each_chunk_mut, reduce_ordered};
use glam::{DVec2, Vec3};
use std::ops::Range;

/// A fluid: vortons, what emits them, and the field that the last step left behind.
#[derive(Debug, Clone)]
pub struct VortexSim {
    params: Params,
    vortons: Vortons,
    emitters: Vec<Emitter>,
    /// Where vortons were at the start of the step; `start` belongs to the part of it that runs.
    before: Vec3Columns,
    strengths_before: Vec3Columns,
    start: State,
    flow: Vec<FlowSample>,
    /// Vortons and what bodies hold; `flow` goes by its rows.
    sources: Sources,
    /// Those of the published field.
    published_sources: Sources,
    solver: Solver,
    field: PublishedField,
    /// The field of the parts of a step behind its middle, whose own is published.
    later_field: PublishedField,
    walls: WallNodes,
    rooms_before: Rooms,
    baroclinic: Baroclinic,
    halo: Halo,
    diffusion: Diffusion,
    rim: Rim,
    pin: Pin,
    relaxation: Relaxation,
    budget: EnergyBudget,
    surplus_partials: Vec<SurplusPart>,
    partials: Vec<f32>,
    works: Vec<f64>,
    weighted_partials: Vec<DVec2>,
    time: f64,
    stats: Stats,
    /// Vortons have been added since the last solve.
    unseen: bool,
}

/// What changes within a part of a step, as it was at its start.
#[derive(Debug, Clone)]
struct State {
    positions: Vec3Columns,
    strengths: Vec3Columns,
    mass_deviations: Vec<f32>,
}

impl VortexSim {
    /// An empty fluid. All memory that steps need for `params.max_vortons` is taken here.
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.validate()?;
        let capacity = params.max_vortons;
        let sources_capacity = capacity + BOUND_VORTONS;
        let mut solver = Solver::new(&params.solver_settings());
        solver.reserve(sources_capacity);
        let mut sources = Sources::default();
        sources.reserve(sources_capacity);
        let mut published_sources = Sources::default();
        published_sources.reserve(sources_capacity);
        let mut field =
            PublishedField::new(&params.solver_settings(), params.ambient, params.equation_of_state);
        field.reserve(sources_capacity);
        field.wind = params.wind;
        let mut later_field = field.clone();
        later_field.reserve(sources_capacity);
        let mut baroclinic = Baroclinic::default();
        baroclinic.reserve(capacity);
        let (mut diffusion, mut rim, mut pin) = (Diffusion::default(), Rim::default(), Pin::default());
        if params.diffuses() {
            diffusion.reserve(capacity);
            rim.reserve(capacity);
            pin.reserve(capacity);
        }
        let mut relaxation = Relaxation::default();
        relaxation.reserve(capacity);
        let mut budget = EnergyBudget::default();
        if params.energy_budget {
            budget.reserve(sources_capacity);
        }
        let columns = || Vec3Columns::with_capacity(capacity);
        Ok(Self {
            params,
            vortons: Vortons::with_capacity(capacity),
            emitters: Vec::new(),
            before: columns(),
            strengths_before: columns(),
            start: State {
                positions: columns(),
                strengths: columns(),
                mass_deviations: Vec::with_capacity(capacity),
            },
            flow: Vec::with_capacity(sources_capacity),
            published_sources,
            sources,
            solver,
            later_field,
            field,
            walls: WallNodes::default(),
            rooms_before: Rooms::default(),
            baroclinic,
            halo: Halo::default(),
            diffusion,
            rim,
            pin,
            relaxation,
            budget,
            surplus_partials: Vec::with_capacity(sources_capacity.div_ceil(PARTICLE_CHUNK)),
            partials: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            works: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            weighted_partials: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            time: 0.0,
            stats: Stats::default(),
            unseen: true,
        })
    }

    /// Advances the fluid by `dt` \[s\]: second order in time (midpoint). A negative `dt` runs time backwards (without relaxation
    /// and emission), zero only publishes the field of the present.
    ///
    /// Choose `dt` so that [`Stats::stretch_number`] stays below about 0.3; where a scene is faster, take several smaller steps:
    /// [`advance`](Self::advance) does.
    ///
    /// # Errors
    /// `dt` is not finite, or longer than [`MAX_STEP`](crate::constants::MAX_STEP); nothing has changed then.
    pub fn step(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        dt: f32,
    ) -> Result<(), ParamError> {
        check_step(dt)?;
        exec.enter(&mut || {
            self.stats.begin_step();
            self.emit(dt);
            self.find_rooms(bodies, dt);
            self.keep_up_rim(exec, bodies, dt);
            self.keep_up_halo(exec, bodies);
            self.solve_start(exec, bodies);
            let stretch_number = dt * self.largest_gradient(exec);
            let parts = self.count_parts(stretch_number);
            // A step in parts is looked at when it is over.
            self.keep_energy(exec, if parts > 1 { 0.0 } else { stretch_number });
            self.before.copy_from(&self.vortons.positions);
            self.strengths_before.copy_from(&self.vortons.strengths);
            for part in 0..parts {
                self.advance_part(exec, bodies, StepPart::new(dt, part, parts));
            }
            if parts > 1 {
                self.keep_energy_of_parts(exec, bodies, dt, stretch_number);
            }
            self.keep_impulse(exec, dt);
            self.diffuse(exec, bodies, dt);
            self.relax(exec, dt);
            self.meet_bodies(exec, bodies, dt);
            self.prepare_samples(exec);
            self.age_and_remove(exec, dt);
            self.budget.know_all(self.vortons.next_id());
            self.time += f64::from(dt);
            self.stats.end_step(self.vortons.len());
        });
        Ok(())
    }

    /// Moves a set of tracers over the step just taken, with the field of that step. Call it once per step.
    pub fn advance_tracers(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        tracers: &mut Tracers,
        dt: f32,
    ) {
        let stage = self.stats.time(Stage::Tracers);
        exec.enter(&mut || {
            self.solver.mesh_for(exec, tracers.len(), &self.published_sources, &mut self.field);
            let motion = Motion { exec, dt, params: &self.params, field: &self.field };
            advance_tracers(exec, &self.field, tracers, dt);
            bodies.tracer_contacts(motion, &tracers.before, &mut tracers.positions);
            self.stats.lost_tracers += tracers.retain(|position, _| position.is_finite()) as u64;
            if tracers.is_sort_due(TRACER_SORT_INTERVAL) {
                tracers.sort_by_cell(TRACER_CELL * self.params.core_radius);
            }
        });
        self.stats.record(stage);
    }
}

/// A part of a step.
#[derive(Debug, Clone, Copy)]
struct StepPart {
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
    fn new(dt: f32, part: u32, parts: u32) -> Self {
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

/// The stages of a step, in order.
impl VortexSim {
    fn emit(&mut self, dt: f32) {
        let stage = self.stats.time(Stage::Emit);
        let room = |vortons: &Vortons| (self.params.max_vortons - vortons.len()) as u64;
        for emitter in &mut self.emitters {
            let due = emitter.take_due(dt);
            let fits = due.min(room(&self.vortons));
            self.stats.not_added = self.stats.not_added.saturating_add(due - fits);
            for _ in 0..fits {
                self.vortons.push(emitter.emit());
            }
        }
        self.stats.record(stage);
    }

    fn find_rooms(&mut self, bodies: &mut dyn BodyCoupling, dt: f32) {
        std::mem::swap(&mut self.field.rooms, &mut self.rooms_before);
        self.field.rooms.clear();
        bodies.rooms(dt, &mut self.field.rooms);
        if !self.field.rooms.stand_since(&self.rooms_before) {
            self.walls.forget();
        }
        self.field.wind = self.params.wind;
    }

    /// Finds where density is about to make vorticity; there must be vortons to take it up.
    fn keep_up_halo(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling) {
        self.find_source(exec, bodies, StepTime::Start);
        if self.params.gravity == Vec3::ZERO && !self.walls.is_active() {
            return;
        }
        // In a corner that no vorton can come to, a node has little deposited and little of a cell to fill.
        let margin = 0.5 * self.field.scalars.shape().spacing();
        let stage = self.stats.time(Stage::Halo);
        let report = self.halo.keep_up(
            exec,
            &self.field.scalars,
            &self.baroclinic,
            &|place| is_covered(bodies, place, margin),
            &mut self.vortons,
            self.params.max_vortons,
        );
        self.stats.halo_born += report.born as u64;
        self.stats.halo_retired += report.retired as u64;
        self.stats.halo_threshold = report.threshold;
        self.stats.not_added = self.stats.not_added.saturating_add(report.refused as u64);
        self.stats.record(stage);
        if report.born > 0 || report.retired > 0 {
            self.find_source(exec, bodies, StepTime::Start);
        }
    }

    /// Vortons are born where diffusion has to carry something.
    fn keep_up_rim(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, dt: f32) {
        let Params { viscosity, diffusivity, core_radius, max_vortons, .. } = self.params;
        // Where density makes vorticity there is a halo to take it up, to which those of the rim belong from then on.
        if self.is_pulled() {
            self.vortons.rims.fill(false);
            return;
        }
        // Small eddies stir what is there: for them nothing is born.
        if !((viscosity > 0.0 || diffusivity > 0.0) && dt > 0.0) {
            return;
        }
        let stage = self.stats.time(Stage::Halo);
        let settings = RimSettings {
            core_radius,
            amount: f64::from(viscosity.max(diffusivity)) * f64::from(dt),
            viscous: viscosity > 0.0,
            diffusive: diffusivity > 0.0,
            covered: &|place| is_covered(bodies, place, 0.5 * core_radius),
            max_vortons,
        };
        let report = self.rim.keep_up(exec, settings, &mut self.vortons);
        self.stats.halo_born += report.born as u64;
        self.stats.halo_retired += report.retired as u64;
        self.stats.record(stage);
    }

    /// True if there is gravity, and mass for it to pull.
    fn is_pulled(&self) -> bool {
        self.params.gravity != Vec3::ZERO && self.vortons.mass_deviations.iter().any(|&mass| mass != 0.0)
    }

    fn remember_start(&mut self) {
        self.start.positions.copy_from(&self.vortons.positions);
        self.start.strengths.copy_from(&self.vortons.strengths);
        self.start.mass_deviations.clone_from(&self.vortons.mass_deviations);
    }

    /// The flow at the start of the step, and the energy.
    fn solve_start(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling) {
        let stage = self.stats.time(Stage::Velocity);
        self.gather_sources(bodies, 0.0);
        self.solver.choose(&self.sources, self.vortons.len());
        let report = self.solve(exec, self.params.energy_budget);
        self.stats.energy = report.energy;
        self.stats.record(stage);
    }

    /// Takes out the energy that the last step made of nothing.
    fn keep_energy(&mut self, exec: &dyn Executor, stretch_number: f32) {
        if self.params.energy_budget {
            self.take_out_energy(exec, self.stats.energy, stretch_number);
        }
    }

    /// Takes out what `energy` \[m⁵/s²\], that of the sources, is beyond the budget.
    fn take_out_energy(&mut self, exec: &dyn Executor, energy: f64, stretch_number: f32) {
        let settings = self.params.direct_settings();
        let stage = self.stats.time(Stage::Energy);
        let ids = self.vortons.ids.as_slice();
        let (solver, sources, flow) = (&mut self.solver, &mut self.sources, &self.flow[..ids.len()]);
        let mut cloud = Cloud { exec, solver, sources, ids, flow, settings };
        let report = self.budget.balance(&mut cloud, energy, stretch_number);
        if report.removed > 0.0 {
            self.vortons.strengths.copy_from(&self.sources.strengths);
            self.vortons.strengths.truncate(self.vortons.positions.len());
        }
        (self.stats.energy_allowed, self.stats.energy_removed) = (report.allowed, report.removed);
        self.stats.energy_scalings += u64::from(report.scaled);
        self.stats.record(stage);
    }

    /// The same at the end of a step that was too long for its flow: what it made would be seen before the next one begins.
    fn keep_energy_of_parts(
        &mut self,
        exec: &dyn Executor,
        bodies: &dyn BodyCoupling,
        dt: f32,
        stretch_number: f32,
    ) {
        if !self.params.energy_budget {
            return;
        }
        let stage = self.stats.time(Stage::Energy);
        self.gather_sources(bodies, dt);
        let Sources { positions, strengths } = &self.sources;
        let energy = self.solver.energy(exec, positions, strengths);
        self.stats.record(stage);
        self.take_out_energy(exec, energy, stretch_number);
    }

    /// Into how many parts the motion in a step is cut: an odd number, so that one of them has the step's middle in its own.
    fn count_parts(&mut self, stretch_number: f32) -> u32 {
        let most = (self.params.max_substeps - 1) | 1;
        let number = stretch_number.abs() / SUBSTEP_STRETCH;
        // Not finite: as many as there may be.
        let parts = if number <= 1.0 { 1 } else { (number.ceil().min(16.0) as u32 | 1).min(most) };
        self.stats.substeps = parts;
        parts
    }

    /// One midpoint step of the fluid's motion, over a part of the step.
    fn advance_part(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, part: StepPart) {
        if !part.is_first {
            // The flow of the middle of the part before leads to the middle of this one: second order, for one solve less.
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

    /// Keeps the field of the middle of the step for everybody else, whatever parts follow.
    fn publish(&mut self, part: StepPart) {
        if part.is_last != part.is_middle {
            std::mem::swap(&mut self.field, &mut self.later_field);
        }
        if part.is_middle {
            self.published_sources.copy_from(&self.sources.positions, &self.sources.strengths);
        }
        if part.is_middle && !part.is_last {
            self.field.wind = self.later_field.wind;
            self.field.rooms.copy_from(&self.later_field.rooms);
        }
    }

    /// Falling mass gives its energy to the vortons: g·u Σ m'/ρ₀ \[m⁵/s³\], by the velocities at the middle. With containers, whose walls take
    /// part in it, it is known only to a factor.
    fn credit_work_of_gravity(&mut self, exec: &dyn Executor, has_walls: bool, dt: f32) {
        let Params { gravity, ambient, energy_budget, .. } = self.params;
        let rooms = &self.field.rooms;
        if !energy_budget || (gravity == Vec3::ZERO && rooms.is_empty()) {
            return;
        }
        let (flow, Vortons { positions, mass_deviations, .. }) = (&self.flow, &self.vortons);
        let power = |row: usize| {
            let felt = gravity - rooms.acceleration_at_middle(positions.get(row));
            let power = f64::from(mass_deviations[row]) * flow[row].velocity.as_dvec3().dot(felt.as_dvec3());
            let power = if has_walls { WALL_CREDIT * power.abs() } else { power };
            if power.is_finite() { power } else { 0.0 }
        };
        let sum = |range: Range<usize>| range.map(power).sum::<f64>();
        let count = positions.len();
        let power = reduce_ordered(exec, count, PARTICLE_CHUNK, 0.0, &mut self.works, &sum, |a, b| a + b);
        self.budget.credit(power * f64::from(dt) / f64::from(ambient.density));
    }

    /// The vortons where they are now, and what bodies hold where they are `after` \[s\] from the start of
    /// the step.
    fn gather_sources(&mut self, bodies: &dyn BodyCoupling, after: f32) {
        self.sources.copy_from(&self.vortons.positions, &self.vortons.strengths);
        bodies.bound_vortons(after, &mut self.sources);
    }

    /// The flow of the sources, and their energy if it is asked for.
    fn solve(&mut self, exec: &dyn Executor, with_energy: bool) -> SolveReport {
        let vortons = self.vortons.len();
        self.solver.solve(exec, &self.sources, vortons, &mut self.field, &mut self.flow, with_energy)
    }

    /// Deposits density where the vortons are now, and finds how gravity turns it into vorticity on the nodes.
    fn find_source(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, time: StepTime) {
        let stage = self.stats.time(Stage::Baroclinic);
        let Params { gravity, ambient, walls: treatment, .. } = self.params;
        self.stats.density_outside = self.field.set_scalars(exec, &self.vortons);
        if bodies.has_walls() {
            let at = |place, reach| bodies.wall_at(place, reach, time);
            let source = WallSource { treatment, gravity, at: &at, hits: bodies.wall_hits() };
            self.walls.keep_up(exec, &self.field.scalars, source);
            // The field of the middle is the one that everybody samples.
            if time == StepTime::Middle {
                self.field.scalars.see_walls(exec, &self.walls);
            }
        } else {
            self.walls.clear();
        }
        let forces = Forces { gravity, density: ambient.density, walls: &self.walls };
        self.baroclinic.find_source(exec, &self.field.scalars, &self.vortons, forces);
        self.stats.record(stage);
    }

    /// What the nodes make, the vortons get.
    fn give_source(&mut self, exec: &dyn Executor) {
        let stage = self.stats.time(Stage::Baroclinic);
        self.stats.baroclinic_lost =
            self.baroclinic.give(exec, &self.field.scalars, &self.walls, &self.vortons);
        self.stats.record(stage);
    }

    /// The solve at the middle of the step is also the field that everybody else samples.
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

    /// Euler steps from the start of the part with the rates last solved: half of it reaches its middle, all of it the end.
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
                // The rate belongs to the strength with which the flow was solved, which is the one still in the column.
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

    fn diffuse(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, dt: f32) {
        let Params { viscosity, diffusivity, core_radius, instruction_set, precision, .. } = self.params;
        if !self.params.diffuses() {
            return;
        }
        let stage = self.stats.time(Stage::Diffuse);
        let viscosity = viscosity + self.eddy_viscosity(exec);
        self.stats.viscosity = viscosity;
        let settings = DiffusionSettings { core_radius, instruction_set, precision };
        let rates = Diffusivities { viscosity, diffusivity };
        self.pin.remember(&self.vortons.strengths);
        let report = self.diffusion.apply(exec, settings, &mut self.vortons, rates, dt);
        // A container's walls take up impulse that diffuses to them.
        if report.stages > 0 && viscosity > 0.0 && !bodies.has_walls() {
            let Vortons { positions, strengths, .. } = &mut self.vortons;
            self.pin.give_back(f64::from(DIFFUSION_RADIUS * core_radius), positions, strengths);
        }
        self.stats.diffusion_stages = report.stages;
        self.stats.diffused_share = report.share;
        self.stats.record(stage);
    }

    /// What eddies too small for the vortons do to those that are not (E36).
    fn eddy_viscosity(&mut self, exec: &dyn Executor) -> f32 {
        let Params { smagorinsky, core_radius, .. } = self.params;
        if smagorinsky == 0.0 {
            return 0.0;
        }
        let (flow, strengths) = (&self.flow, &self.vortons.strengths);
        let sums = |range: Range<usize>| {
            range.fold(DVec2::ZERO, |sum, row| {
                let weight = f64::from(strengths.get(row).length());
                sum + DVec2::new(weight * f64::from(flow[row].gradient_norm2()), weight)
            })
        };
        let partials = &mut self.weighted_partials;
        let sums =
            reduce_ordered(exec, strengths.len(), PARTICLE_CHUNK, DVec2::ZERO, partials, &sums, |a, b| a + b);
        let viscosity = f64::from(smagorinsky * core_radius).powi(2) * (sums.x / sums.y).sqrt();
        // Without strength there are no eddies.
        if viscosity.is_finite() { viscosity as f32 } else { 0.0 }
    }

    fn relax(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Relax);
        let Vortons { positions, strengths, .. } = &mut self.vortons;
        self.relaxation.apply(exec, positions, &self.flow, strengths, self.params.relaxation_rate, dt);
        self.stats.record(stage);
    }

    /// Gives back what the motion took from the total strength and the linear impulse, which nothing but gravity and bodies may change.
    fn keep_impulse(&mut self, exec: &dyn Executor, dt: f32) {
        let Params { wind, energy_budget, .. } = self.params;
        if !energy_budget || dt <= 0.0 || !self.field.rooms.is_empty() || self.is_pulled() {
            return;
        }
        let stage = self.stats.time(Stage::Energy);
        let start = (&self.before, &self.strengths_before);
        self.budget.keep_impulse(exec, start, wind * dt, &mut self.vortons);
        self.stats.record(stage);
    }

    fn meet_bodies(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling, dt: f32) {
        let stage = self.stats.time(Stage::Bodies);
        let motion = Motion { exec, dt, params: &self.params, field: &self.field };
        bodies.vorton_contacts(motion, &self.before, &mut self.vortons);
        self.budget.credit_bodies(bodies.work());
        bodies.hand_over(motion);
        self.stats.record(stage);
    }

    /// Puts the field on a mesh if the host's samples are cheaper there. Bodies have met the vortons before.
    fn prepare_samples(&mut self, exec: &dyn Executor) {
        let stage = self.stats.time(Stage::Velocity);
        let places = self.params.expected_samples;
        self.solver.mesh_for(exec, places, &self.published_sources, &mut self.field);
        self.stats.record(stage);
    }

    fn age_and_remove(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Remove);
        for age in &mut self.vortons.ages {
            *age += dt;
        }
        let max_age = self.params.max_age;
        self.debit(exec, &|vortons, row| vortons.ages[row] > max_age);
        self.stats.expired += self.vortons.retain(|vortons, row| vortons.ages[row] <= max_age) as u64;
        let finite = |vortons: &Vortons, row: usize| {
            vortons.positions.get(row).is_finite()
                && vortons.strengths.get(row).is_finite()
                && vortons.mass_deviations[row].is_finite()
                && vortons.dyes[row].is_finite()
        };
        self.stats.non_finite += self.vortons.retain(finite) as u64;
        self.stats.record(stage);
    }

    /// The energy that goes with vortons that are about to be removed.
    fn debit(&mut self, exec: &dyn Executor, goes: &(dyn Fn(&Vortons, usize) -> bool + Sync)) {
        let (vortons, budget) = (&self.vortons, &mut self.budget);
        let known = |row: usize| budget.knows(vortons.ids[row]);
        if !self.params.energy_budget || !(0..vortons.len()).any(|row| goes(vortons, row) && known(row)) {
            return;
        }
        let next_new = vortons.ids.partition_point(|&id| budget.knows(id));
        let cloud = (&vortons.positions, &vortons.strengths);
        let is_in = |row: usize| row < next_new && goes(vortons, row);
        let energy = budget.energy_of_part(exec, &mut self.solver, cloud, &is_in);
        budget.credit(-energy);
    }

    fn largest_gradient(&mut self, exec: &dyn Executor) -> f32 {
        let flow = &self.flow[..self.vortons.len()];
        let largest =
            |range: Range<usize>| flow[range].iter().map(FlowSample::gradient_norm2).fold(0.0, f32::max);
        reduce_ordered(exec, flow.len(), PARTICLE_CHUNK, 0.0, &mut self.partials, &largest, f32::max).sqrt()
    }
}

/// Looking in, and changing things between steps.
impl VortexSim {
    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The vortons.
    pub fn vortons(&self) -> &Vortons {
        &self.vortons
    }

    /// The flow at the middle of the last step.
    pub fn field(&self) -> &PublishedField {
        &self.field
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Counts and stage times.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// True if [`Stats::max_gradient`] is that of the vortons there are: some step has met all that were added.
    pub fn has_seen_all(&self) -> bool {
        !self.unseen
    }

    /// Total strength and impulses.
    pub fn moments(&self, exec: &dyn Executor) -> Moments {
        Moments::of(exec, &self.vortons)
    }

    /// Energy and helicity: O(N²).
    pub fn pair_sums(&self, exec: &dyn Executor) -> PairSums {
        PairSums::of(exec, &self.vortons, self.params.kernel, self.params.core_radius)
    }

    /// Adds vortons, all or none; returns the id of the first (the others follow).
    ///
    /// # Errors
    /// A value that is not finite, a negative volume, or no room for all of them; nothing has changed then.
    pub fn add_vortons(&mut self, vortons: &[Vorton]) -> Result<u64, ParamError> {
        let invalid = vortons.iter().find(|vorton| !vorton.is_valid());
        ParamError::check(invalid.is_none(), "vorton", invalid, "finite, with a volume of at least 0")?;
        let total = self.vortons.len().saturating_add(vortons.len());
        ParamError::check(total <= self.params.max_vortons, "vorton count", total, "at most max_vortons")?;
        let first = self.vortons.next_id();
        self.unseen |= !vortons.is_empty();
        for &vorton in vortons {
            self.vortons.push(vorton);
        }
        Ok(first)
    }

    /// Removes the vortons with these ids; unknown ones are ignored. Returns how many went.
    pub fn remove_vortons(&mut self, ids: &[u64]) -> usize {
        let mut wanted = ids.to_vec();
        wanted.sort_unstable();
        self.debit(&Serial, &|vortons, row| wanted.binary_search(&vortons.ids[row]).is_ok());
        self.take_vortons(ids)
    }

    /// As [`remove_vortons`](Self::remove_vortons), for vortons whose strengths bodies hold from now on: their energy stays in the fluid.
    pub fn take_vortons(&mut self, ids: &[u64]) -> usize {
        let mut wanted = ids.to_vec();
        wanted.sort_unstable();
        self.vortons.retain(|vortons, row| wanted.binary_search(&vortons.ids[row]).is_err())
    }

    /// Removes all vortons.
    pub fn clear_vortons(&mut self) {
        self.budget.forget();
        self.vortons.clear();
    }

    /// The emitters, in the order in which they emit.
    pub fn emitters(&self) -> &[Emitter] {
        &self.emitters
    }

    /// The emitters, for adding, moving and removing.
    pub fn emitters_mut(&mut self) -> &mut Vec<Emitter> {
        &mut self.emitters
    }

    /// Changes the wind \[m/s\] from the next step on.
    ///
    /// # Errors
    /// Not finite, or longer than [`MAX_SPEED`](crate::constants::MAX_SPEED).
    pub fn set_wind(&mut self, wind: Vec3) -> Result<(), ParamError> {
        self.change(Params { wind, ..self.params })
    }

    /// Changes gravity \[m/s²\] from the next step on.
    ///
    /// # Errors
    /// Not finite, or longer than [`MAX_GRAVITY`](crate::constants::MAX_GRAVITY).
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), ParamError> {
        self.change(Params { gravity, ..self.params })
    }

    /// Changes the kinematic viscosity ν and the diffusivity κ of heat and dye \[m²/s\] from the next step on.
    ///
    /// # Errors
    /// One of them is negative or not finite.
    pub fn set_diffusion(&mut self, viscosity: f32, diffusivity: f32) -> Result<(), ParamError> {
        self.change(Params { viscosity, diffusivity, ..self.params })?;
        if self.params.diffuses() {
            self.diffusion.reserve(self.params.max_vortons);
            self.rim.reserve(self.params.max_vortons);
            self.pin.reserve(self.params.max_vortons);
        }
        Ok(())
    }

    /// Changes the relaxation rate \[1/s\] from the next step on.
    ///
    /// # Errors
    /// The rate is negative or not finite.
    pub fn set_relaxation_rate(&mut self, rate: f32) -> Result<(), ParamError> {
        self.change(Params { relaxation_rate: rate, ..self.params })
    }

    /// Only for values that nothing is built from.
    fn change(&mut self, params: Params) -> Result<(), ParamError> {
        params.validate()?;
        self.params = params;
        Ok(())
    }

    /// A hash of the fluid (FNV-1a over the bits of every column of the vortons and the time): equal fluids give equal hashes.
    pub fn state_hash(&self) -> u64 {
        self.vortons.hash_bits(self.time.to_bits())
    }
}

/// True if no vorton can be born at `place`: a body is there, or a container's wall is nearer than `margin` \[m\].
fn is_covered(bodies: &dyn BodyCoupling, place: Vec3, margin: f32) -> bool {
    bodies.covers(place)
        || bodies.has_walls()
            && bodies.wall_at(place, margin, StepTime::Start).is_some_and(|wall| wall.distance < margin)
}

fn columns_mut(columns: &mut Vec3Columns) -> (&mut [f32], &mut [f32], &mut [f32]) {
    (&mut columns.x, &mut columns.y, &mut columns.z)
}
