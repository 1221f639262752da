//! The simulation step: `take_step` lists its stages in order.

mod adding;
mod between_steps;
mod burning;
mod crowding;
mod governing;
mod keeping;
mod memory;
mod motion;
mod publishing;
mod rate_history;
mod relaxing;
mod removal;
mod saving;
mod shift;
mod steepness;
mod tracer_feed;

use self::motion::MotionState;
use self::rate_history::RateHistory;
use self::steepness::{Steepness, SteepnessPart};
pub use self::tracer_feed::TracerFeed;
use crate::boundary::{
    BodyCoupling, Boundary, ContactWork, Enclosures, Follower, FollowerMass, Motion, StepTime, WallHit,
    WallNodes, WallSource, Walls,
};
use crate::combustion::Fire;
use crate::constants::{DENSITY_NODES_PER_CORE, PARTICLE_CHUNK, TRACER_CELL, TRACER_SORT_INTERVAL};
use crate::emitter::Emitter;
use crate::governor::{Governor, Quality, TracerQuality};
use crate::kill_volumes::KillVolume;
use crate::math::{Vec3Columns, all};
use crate::params::{ParamError, Params, check_step};
use crate::particles::{Neighbours, Tracers, Vortons};
use crate::stats::{Stage, Stats};
use crate::tracer_motion::advance_tracers;
use crate::velocity::{
    Eddies, FlowSample, Forecast, PartedRows, PublishedField, SolveReport, Solver, SolverKind, Sources,
};
use crate::vorticity::baroclinic::{Baroclinic, Forces};
use crate::vorticity::clusters::VortonClusters;
use crate::vorticity::diffuse::{DIFFUSION_RADIUS, Diffusion, DiffusionSettings, Diffusivities};
use crate::vorticity::energy_budget::EnergyBudget;
use crate::vorticity::halo::Halo;
use crate::vorticity::pin::Pin;
use crate::vorticity::relax::Relaxation;
use crate::vorticity::rim::Rim;
use crate::vorticity::stretch::SurplusPart;
use fluid_threads::{Executor, reduce_ordered};
use glam::{DVec2, DVec3, Vec3};
use std::ops::Range;

/// Largest displacement of a vorton since the middle of the last step for which the halo reuses the source
/// found there \[spacings of density's nodes\].
const HALO_LAG: f32 = 0.5;

/// A fluid: vortons, the emitters that add to them, and the published field of the last step.
///
/// ```
/// use fluid_core::boundary::NoBodies;
/// use fluid_core::glam::Vec3;
/// use fluid_core::initial::VortexTube;
/// use fluid_core::velocity::VelocityField;
/// use fluid_core::{params::Params, sim::VortexSim};
/// use fluid_threads::Serial;
///
/// let mut sim = VortexSim::new(Params { core_radius: 0.15, max_vortons: 4096, ..Params::default() })?;
/// let tube = VortexTube {
///     centre: Vec3::ZERO,
///     axis: Vec3::Y,
///     diameter: 0.6,
///     length: 2.0,
///     circulation: 3.0,
///     variation: 0.0,
///     wave_number: 1.0,
///     spacing: 0.1,
/// };
/// sim.add_vortons(&tube.vortons()?)?;
/// let strength = sim.moments(&Serial).total_strength;
/// for _ in 0..10 {
///     sim.step(&Serial, &mut NoBodies, 1.0 / 60.0)?;
/// }
/// // The last completed step, to be read anywhere.
/// let mut wind = [Vec3::ZERO];
/// sim.field().velocities(&[Vec3::new(0.3, 0.0, 0.0)], &mut wind);
/// assert!(wind[0].length() > 0.1);
/// assert!((sim.moments(&Serial).total_strength - strength).length() < 1e-4 * strength.length());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct VortexSim {
    params: Params,
    vortons: Vortons,
    emitters: Vec<Emitter>,
    /// The vortons at the start of the step.
    start: MotionState,
    history: RateHistory,
    flow: Vec<FlowSample>,
    /// Vortons, the vorticity bound in bodies, and the images of both; `flow` has its rows.
    sources: Sources,
    /// The sources of the middle of a step of fourth order, while those of its end are in use: for bodies
    /// that sum the flow where it is on meshes. Empty otherwise.
    middle_sources: Sources,
    /// All vortons with their images, copied while some are about to be removed.
    leaving: Sources,
    /// Upper bound on the copies of each vorton among the sources: itself and its images \[1\].
    copies: usize,
    /// The terms for which memory has been reserved.
    reserved: u8,
    solver: Solver,
    field: PublishedField,
    /// The field of the end of a step of fourth order, while that of its middle waits to be published.
    end_field: PublishedField,
    walls: WallNodes,
    followers: FollowerMass,
    /// The boundary of the last step begun, and the enclosures of the step before.
    boundary: Boundary,
    enclosures_before: Enclosures,
    /// Time of the frame that is left at the start of the step \[s\]; 0 if the step is the frame.
    frame_left: f32,
    /// Vortons that hit walls in the last step, as reported by the host.
    wall_hits: Vec<WallHit>,
    /// Upper bound on the energy that the flow of the sources last gathered gains per unit of work on the
    /// fluid \[1\].
    energy_of_work: f64,
    baroclinic: Baroclinic,
    halo: Halo,
    fire: Fire,
    clusters: VortonClusters,
    parted: PartedRows,
    /// Balls, centre and radius \[m\], around the bodies to which the flow gives impulse.
    sheets: Vec<(Vec3, f32)>,
    /// Impulse per density \[m⁴/s\] that the flow of each cluster has given to bodies in this step, less that
    /// which expanding vortons have given to it.
    given: Vec<DVec3>,
    diffusion: Diffusion,
    rim: Rim,
    pin: Pin,
    relaxation: Relaxation,
    /// Shared by halo, rim, diffusion and energy budget, one after the other.
    neighbours: Neighbours,
    budget: EnergyBudget,
    surplus_partials: Vec<SurplusPart>,
    partials: Vec<SteepnessPart>,
    /// The steepness of the flow in the last step.
    steepness: Steepness,
    works: Vec<f64>,
    pushes: Vec<(DVec3, f64)>,
    weighted_partials: Vec<DVec2>,
    /// Viscosity times time \[m²\] over which vorticity has diffused in this step.
    diffused: f32,
    time: f64,
    eddies: Eddies,
    stats: Stats,
    /// True if vortons have been added since the last solve.
    unseen: bool,
    /// True if the mesh has made tables in this step.
    made_tables: bool,
    /// True if the baroclinic source has been found at the start of this step, for the present vortons.
    has_start_source: bool,
    /// Gravity \[m/s²\] and wind \[m/s\] when the source was last found at the middle of a step.
    source_forces: (Vec3, Vec3),
    quality: Quality,
    tracer_quality: TracerQuality,
    governor: Governor,
    forecast: Forecast,
    kill_volumes: Vec<KillVolume>,
    /// Marks the vortons, or the tracers of a set, that the kill volumes remove.
    doomed: Vec<bool>,
}

impl VortexSim {
    /// Returns an empty fluid. Allocates all memory that steps need for `params.max_vortons`, with two
    /// exceptions that are allocated once, on first use: nodes, and the energy budget's columns for steps of
    /// fourth order and for more bound vortons than `max_vortons` leaves space for.
    ///
    /// # Errors
    /// A parameter out of its range.
    pub fn new(params: Params) -> Result<Self, ParamError> {
        params.validate()?;
        let mut new = Self::with_room(params, params.max_vortons);
        new.reserve_sources();
        Ok(new)
    }

    /// Returns an empty fluid with capacity for the columns of `capacity` vortons; `params` have to be valid.
    fn with_room(params: Params, capacity: usize) -> Self {
        let solver = Solver::new(&params.solver_settings());
        let mut field =
            PublishedField::new(&params.solver_settings(), params.ambient, params.equation_of_state);
        field.wind = params.wind;
        // The memory for its sources is lent to it; that for nodes is allocated in the first long step.
        let end_field = field.clone();
        let mut baroclinic = Baroclinic::default();
        baroclinic.reserve(capacity);
        let (mut diffusion, mut rim, mut pin) = (Diffusion::default(), Rim::default(), Pin::default());
        if params.diffuses() {
            diffusion.reserve(capacity);
            rim.reserve(capacity);
            pin.reserve(capacity);
        }
        let (mut relaxation, mut clusters) = (Relaxation::default(), VortonClusters::default());
        relaxation.reserve(capacity);
        clusters.reserve(capacity);
        let mut neighbours = Neighbours::default();
        if !params.energy_budget && (params.diffuses() || params.gravity != Vec3::ZERO) {
            neighbours.reserve(capacity);
        }
        let is_uniform = params.ambient.stratification.is_uniform();
        let columns = || Vec3Columns::with_capacity(capacity);
        Self {
            params,
            vortons: Vortons::with_capacity(capacity),
            emitters: Vec::new(),
            start: MotionState {
                positions: columns(),
                strengths: columns(),
                mass_deviations: Vec::with_capacity(if is_uniform { 0 } else { capacity }),
            },
            history: RateHistory::with_capacity(capacity),
            flow: Vec::new(),
            sources: Sources::default(),
            middle_sources: Sources::default(),
            leaving: Sources::default(),
            copies: 1,
            reserved: 0,
            solver,
            end_field,
            field,
            walls: WallNodes::default(),
            followers: FollowerMass::default(),
            boundary: Boundary::default(),
            enclosures_before: Enclosures::default(),
            frame_left: 0.0,
            wall_hits: Vec::new(),
            energy_of_work: 1.0,
            baroclinic,
            halo: Halo::default(),
            fire: Fire::default(),
            clusters,
            parted: PartedRows::default(),
            sheets: Vec::new(),
            given: Vec::with_capacity(1),
            diffusion,
            rim,
            pin,
            relaxation,
            neighbours,
            budget: EnergyBudget::default(),
            surplus_partials: Vec::new(),
            steepness: Steepness::default(),
            partials: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            works: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            pushes: Vec::new(),
            weighted_partials: Vec::with_capacity(capacity.div_ceil(PARTICLE_CHUNK)),
            diffused: 0.0,
            time: 0.0,
            eddies: Eddies::new(params.core_radius, params.instruction_set),
            stats: Stats::default(),
            unseen: true,
            made_tables: false,
            has_start_source: false,
            source_forces: (Vec3::ZERO, Vec3::ZERO),
            quality: Quality::Full,
            tracer_quality: TracerQuality::Full,
            governor: Governor::default(),
            forecast: Forecast::new(&params.solver_settings()),
            kill_volumes: Vec::new(),
            doomed: Vec::new(),
        }
    }

    /// Advances the fluid by `dt` \[s\]: second order in time, or fourth where `dt` is long for the flow
    /// ([`Params::fourth_order_above`]). A negative `dt` runs time backwards (without relaxation and
    /// emission), zero publishes the present field and moves nothing.
    ///
    /// Choose `dt` so that [`Stats::stretch_number`] stays below about 1; for faster scenes take several
    /// smaller steps, as [`advance`](Self::advance) does.
    ///
    /// # Errors
    /// `dt` is not finite, or longer than [`MAX_STEP`](crate::constants::MAX_STEP); the fluid is unchanged
    /// then.
    pub fn step(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        dt: f32,
    ) -> Result<(), ParamError> {
        check_step(dt)?;
        self.use_full_quality(exec);
        self.take_step(exec, bodies, dt);
        Ok(())
    }

    /// Takes a step of a valid length, at the quality already chosen.
    fn take_step(&mut self, exec: &dyn Executor, bodies: &mut (dyn BodyCoupling + Send), dt: f32) {
        exec.enter(&mut || {
            self.stats.begin_step();
            (self.made_tables, self.diffused) = (false, 0.0);
            if dt == 0.0 {
                self.publish(exec, bodies);
                return self.stats.end_step(self.vortons.len());
            }
            self.emit(bodies, dt);
            self.find_boundary(exec, bodies, dt);
            self.keep_up_rim(exec, bodies, dt);
            self.keep_up_halo(exec, bodies, dt);
            self.find_clusters(exec, bodies);
            self.begin_burning(exec, dt);
            bodies.set_out(exec, &self.vortons);
            let scheme = self.begin_motion(exec, bodies, dt);
            self.advance_fluid(exec, bodies, dt, scheme);
            self.part_crowded(exec, dt);
            self.end_burning(exec);
            self.make_tables_ahead(exec);
            self.show_flow(exec, bodies, dt);
            self.keep_impulse(exec, dt);
            self.diffuse(exec, dt);
            self.relax(exec, dt);
            self.meet_bodies(exec, bodies, dt);
            self.part_field();
            self.prepare_samples(exec);
            self.age_and_remove(exec, bodies, dt);
            self.budget.know_all(self.vortons.next_id());
            self.pass_time(dt);
            self.stats.end_step(self.vortons.len());
        });
    }

    /// Moves a set of tracers over the step just taken, with the field of that step. Call it once per step
    /// and set.
    pub fn advance_tracers(
        &mut self,
        exec: &dyn Executor,
        bodies: &mut (dyn BodyCoupling + Send),
        tracers: &mut Tracers,
        dt: f32,
    ) {
        let stage = self.stats.time(Stage::Tracers);
        exec.enter(&mut || {
            let steps = self.steps_of_tracers(tracers);
            let samples = steps.samples() * tracers.len() as f64;
            self.solver.mesh_for(exec, samples, &mut self.sources, &mut self.field);
            if tracers.turbulence != 0.0 {
                self.field.expand_gradients(exec);
            }
            self.count_sums_at(tracers);
            let surroundings = (&self.field as _, bodies.surfaces());
            let all_finite =
                advance_tracers(exec, surroundings, tracers, (self.params.instruction_set, steps), dt);
            if !all_finite {
                self.stats.lost_tracers += tracers.retain(|position, _| position.is_finite()) as u64;
            }
            if !self.kill_volumes.is_empty() && dt != 0.0 {
                self.kill_tracers(exec, tracers);
            }
            if tracers.is_sort_due(TRACER_SORT_INTERVAL) {
                tracers.sort_by_cell(exec, TRACER_CELL * self.params.core_radius);
            }
        });
        self.stats.record(stage);
    }
}

/// The stages of a step, in order.
impl VortexSim {
    /// Collects the step's boundary from the bodies. New half-spaces raise the number of images and allocate
    /// once.
    fn find_boundary(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling, dt: f32) {
        self.boundary.begin(&self.params, &mut self.enclosures_before);
        bodies.begin_step(exec, dt, &self.vortons, &mut self.boundary);
        if self.boundary.copies > self.copies {
            self.copies = self.boundary.copies;
            self.reserve_sources();
        }
        self.budget.credit_driven(self.boundary.energy_gained);
        self.budget.lend_for_friction(self.boundary.friction);
        self.budget.expect_change(self.boundary.appeared);
        self.field.enclosures.copy_from(&self.boundary.enclosures);
        self.field.wind = self.params.wind;
    }

    /// True if the last two steps lead this one of `dt` \[s\], gravity is unchanged, hardly any vortons have
    /// come or gone since the middle of the last one, and neither vortons nor enclosures have moved far.
    fn is_much_as_before(&self, dt: f32) -> bool {
        let reach = HALO_LAG * self.params.core_radius / DENSITY_NODES_PER_CORE;
        let (gravity, wind) = self.source_forces;
        // A flat cloud stays flat only if new halo vortons are placed in its present plane.
        self.is_likely_led(dt)
            && gravity == self.params.gravity
            && !self.baroclinic.is_flat()
            && self.history.knows_most(&self.vortons)
            && self.history.way_since_middle(wind) <= reach
            && self.boundary.enclosures.hardly_move_since(&self.enclosures_before, reach, dt)
    }

    /// Solves the flow at the start of the step, with the energy.
    fn solve_start(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling) {
        let stage = self.stats.time(Stage::Velocity);
        self.gather_sources(exec, bodies, StepTime::Start);
        self.choose_solver(exec);
        let report = self.solve(exec, self.params.energy_budget);
        self.stats.energy = report.energy;
        self.stats.record(stage);
    }

    /// Gathers the vortons at their present positions and the bound vorticity at the bodies' poses at `time`.
    fn gather_sources(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling, time: StepTime) {
        let Vortons { positions, strengths, .. } = &self.vortons;
        self.sources.copy_in_parallel(exec, positions, strengths);
        self.sources.set_rates(self.fire.rates());
        self.energy_of_work = bodies.bound_vortons(exec, time, &mut self.sources);
        self.clusters.see_mirrors(self.sources.mirrors(), self.params.core_radius);
    }

    /// Chooses how the sources are solved in this step.
    fn choose_solver(&mut self, exec: &dyn Executor) {
        self.solver.choose(exec, &mut self.sources, self.vortons.len());
        if let Some((before, after)) = self.solver.take_remeasured() {
            self.budget.measure_anew(before, after);
        }
    }

    /// Solves the flow of the sources, with their energy if `with_energy`.
    fn solve(&mut self, exec: &dyn Executor, with_energy: bool) -> SolveReport {
        let vortons = self.vortons.len();
        let (field, flow) = (&mut self.field, &mut self.flow);
        let report = self.solver.solve(exec, &self.sources, vortons, field, flow, with_energy);
        self.made_tables |= report.made_tables;
        report
    }

    /// Makes the tables for the mesh's next box over several steps, so that no single step is delayed.
    fn make_tables_ahead(&mut self, exec: &dyn Executor) {
        let stage = self.stats.time(Stage::Velocity);
        let is_long =
            self.made_tables || self.stats.energy_removed != 0.0 || self.budget.has_found_potentials();
        self.solver.make_ahead(exec, &mut self.field, is_long);
        self.stats.record(stage);
    }

    /// Deposits density at the vortons' present positions and computes the baroclinic source on the nodes.
    fn find_source(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, time: StepTime) {
        let stage = self.stats.time(Stage::Baroclinic);
        let Params { gravity, ambient, walls: treatment, .. } = self.params;
        // The mesh is idle meanwhile.
        let scratch = self.solver.scratch_of_mesh();
        self.stats.density_outside = self.field.set_scalars(scratch, exec, &self.vortons);
        self.stats.density_nodes = self.field.scalars.node_count();
        self.followers.clear();
        if gravity != Vec3::ZERO && !all(&self.vortons.mass_deviations, |mass| mass == 0.0) {
            let visit =
                |low, high, visit: &mut dyn FnMut(&Follower<'_>)| bodies.visit_followers(low, high, visit);
            self.followers.find(&self.field.scalars, gravity, &visit);
        }
        let enclosures = &self.boundary.enclosures;
        if enclosures.is_empty() {
            self.walls.clear();
        } else {
            let walls = Walls { enclosures, time };
            // Bodies are known where they are at the start; those that move with a container go with it.
            let covers = &|place| bodies.covers(enclosures.carried_back(place, time));
            let source = WallSource { treatment, gravity, walls, hits: &self.wall_hits, covers };
            self.followers.exchange(&mut self.field.scalars);
            self.walls.keep_up(exec, &self.field.scalars, source);
            self.followers.exchange(&mut self.field.scalars);
        }
        // Only the field of the middle is published.
        if time == StepTime::Middle {
            self.field.see_scalars(exec, &self.walls);
        }
        let forces = Forces { gravity, density: ambient.density, walls: &self.walls };
        self.baroclinic.lend(self.solver.scratch_of_mesh());
        self.followers.exchange(&mut self.field.scalars);
        self.baroclinic.find_source(exec, &self.field.scalars, &self.vortons, forces);
        self.followers.exchange(&mut self.field.scalars);
        self.baroclinic.lend(self.solver.scratch_of_mesh());
        if time == StepTime::Middle {
            self.source_forces = (gravity, self.field.wind);
        }
        self.stats.record(stage);
    }

    /// Distributes the nodes' baroclinic source to the vortons.
    fn give_source(&mut self, exec: &dyn Executor) {
        let stage = self.stats.time(Stage::Baroclinic);
        self.baroclinic.lend(self.solver.scratch_of_mesh());
        self.stats.baroclinic_lost =
            self.baroclinic.give(exec, &self.field.scalars, &self.walls, &self.vortons);
        self.baroclinic.lend(self.solver.scratch_of_mesh());
        self.stats.record(stage);
    }

    fn diffuse(&mut self, exec: &dyn Executor, dt: f32) {
        let Params { viscosity, diffusivity, core_radius, instruction_set, precision, .. } = self.params;
        if !self.params.diffuses() {
            return;
        }
        let stage = self.stats.time(Stage::Diffuse);
        let viscosity = viscosity + self.eddy_viscosity(exec);
        self.stats.viscosity = viscosity;
        let settings = DiffusionSettings { core_radius, instruction_set, precision };
        let rates = Diffusivities { viscosity, diffusivity };
        // The strengths of the start are no longer needed.
        self.pin.lend(&mut self.start.strengths);
        self.pin.remember(exec, &self.vortons.strengths);
        let report = self.diffusion.apply(exec, settings, &mut self.neighbours, &mut self.vortons, rates, dt);
        // A container's walls absorb impulse that diffuses to them.
        if report.stages > 0 && viscosity > 0.0 && self.boundary.enclosures.is_empty() {
            let Vortons { positions, strengths, .. } = &mut self.vortons;
            self.pin.lend_cells(self.diffusion.cells_mut());
            self.pin.give_back(exec, f64::from(DIFFUSION_RADIUS * core_radius), positions, strengths);
            self.pin.lend_cells(self.diffusion.cells_mut());
        }
        self.pin.lend(&mut self.start.strengths);
        self.stats.diffusion_stages = report.stages;
        self.stats.diffused_share = report.share;
        self.diffused = if report.stages > 0 { viscosity * report.share * dt } else { 0.0 };
        self.stats.record(stage);
    }

    /// Returns the viscosity by which eddies too small for the vortons damp the resolved ones (E36).
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
        // If all strengths are zero, 0/0 gives NaN: no eddy viscosity.
        if viscosity.is_finite() { viscosity as f32 } else { 0.0 }
    }

    /// Passes the flow at the middle of the step to the bodies, and notes the impulse that it gives to the
    /// bound vorticity.
    fn show_flow(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling, dt: f32) {
        let stage = self.stats.time(Stage::Bodies);
        let sources = if self.middle_sources.is_empty() { &self.sources } else { &self.middle_sources };
        let (params, field) = (&self.params, &self.field);
        let motion = Motion { exec, dt, params, field, sources, diffused: self.diffused };
        let (clusters, given) = (&self.clusters, &mut self.given);
        bodies.see_flow(motion, &mut |place, impulse| {
            // A step of no length finds no clusters, and gives nothing.
            if let Some(given) = given.get_mut(clusters.fastest_at(place)) {
                *given += impulse;
            }
        });
        self.middle_sources.clear();
        self.stats.record(stage);
    }

    fn meet_bodies(&mut self, exec: &dyn Executor, bodies: &mut dyn BodyCoupling, dt: f32) {
        let stage = self.stats.time(Stage::Bodies);
        let (params, field, sources) = (&self.params, &self.field, &self.sources);
        let motion = Motion { exec, dt, params, field, sources, diffused: self.diffused };
        let part_held = self.budget.take_part_held();
        if part_held < 1.0 {
            bodies.weaken(part_held);
        }
        let ContactWork { work, known } =
            bodies.vorton_contacts(motion, &self.start.positions, &mut self.vortons);
        self.budget.credit_bodies(work, known);
        bodies.end_step(motion);
        self.stats.record(stage);
    }

    /// Divides the sources of the field by the clusters that are nearest to them.
    fn part_field(&mut self) {
        let Self { field, clusters, parted, .. } = self;
        field.part(clusters.count(), &|place| clusters.at(place), parted);
    }

    /// Puts the field on a mesh if the host's samples are cheaper there. Called after the vortons have met
    /// bodies.
    fn prepare_samples(&mut self, exec: &dyn Executor) {
        let stage = self.stats.time(Stage::Velocity);
        // Particle operations take two samples for each particle that they move.
        let samples = 2.0 * self.params.expected_samples as f64;
        self.solver.mesh_for(exec, samples, &mut self.sources, &mut self.field);
        if self.params.solver == SolverKind::Auto && !self.field.has_expanded_groups() {
            self.field.expand_groups(exec);
        }
        self.stats.record(stage);
    }

    fn steepness(&mut self, exec: &dyn Executor) -> Steepness {
        let (flow, strengths) = (&self.flow[..self.vortons.len()], &self.vortons.strengths);
        let of_rows = |rows: Range<usize>| {
            rows.fold(SteepnessPart::default(), |sum, row| sum.and(strengths.get(row), &flow[row]))
        };
        let (none, partials) = (SteepnessPart::default(), &mut self.partials);
        let all =
            reduce_ordered(exec, flow.len(), PARTICLE_CHUNK, none, partials, &of_rows, SteepnessPart::add);
        all.steepness()
    }
}
