//! Counters of a step and the durations of its stages. In this crate the clock is read here and nowhere
//! else; no result depends on it, except in steps within a budget measured by the clock.

use crate::clock::Moment;
use crate::constants::{STRETCH_BOUNDED, STRETCH_FOLLOWED};
use crate::governor::{Quality, TracerQuality};
use crate::saved::{MOST_COUNTED, is_count};
use std::fmt::Debug;
use std::sync::Arc;

/// The stages of a step, in order. Code, statistics and documents use the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Emitters add vortons.
    Emit,
    /// Neutral vortons are created and removed around density variations.
    Halo,
    /// The velocity solves.
    Velocity,
    /// Density variations and gravity create vorticity.
    Baroclinic,
    /// Energy beyond the budget is removed.
    Energy,
    /// Positions and strengths advance.
    Advance,
    /// Fuel burns; vorticity, heat, dye and fuel diffuse.
    Diffuse,
    /// Strengths relax.
    Relax,
    /// Coupling with bodies.
    Bodies,
    /// Ageing and removal.
    Remove,
    /// Tracers advance.
    Tracers,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 11] = [
        Self::Emit,
        Self::Halo,
        Self::Velocity,
        Self::Baroclinic,
        Self::Energy,
        Self::Advance,
        Self::Diffuse,
        Self::Relax,
        Self::Bodies,
        Self::Remove,
        Self::Tracers,
    ];

    /// Returns the name of the stage, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emit => "emit",
            Self::Halo => "halo",
            Self::Velocity => "velocity",
            Self::Baroclinic => "baroclinic",
            Self::Energy => "energy",
            Self::Advance => "advance",
            Self::Diffuse => "diffuse",
            Self::Relax => "relax",
            Self::Bodies => "bodies",
            Self::Remove => "remove",
            Self::Tracers => "tracers",
        }
    }
}

/// Counters since the world was created, and the stage times of the last step.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Steps taken.
    pub steps: u64,
    /// Vortons alive after the last step.
    pub vortons: usize,
    /// Vortons that emitters, wakes of bodies and the halo could not add because the world was full; each
    /// attempt counts.
    pub not_added: u64,
    /// Neutral vortons created where density varied, or onto which something diffuses, and no vorton was
    /// near.
    pub halo_born: u64,
    /// Halo vortons removed because they were no longer useful.
    pub halo_retired: u64,
    /// Smallest source of the last step, relative to the strongest source nearby, at which the halo created
    /// a vorton where none was near \[1\]: 0.02, more if there was no capacity for all, 0 without gravity.
    pub halo_threshold: f32,
    /// Nodes of all meshes in the last step; 0 if it summed.
    pub mesh_nodes: usize,
    /// Vortons outside of all meshes' boxes in the last step, which were summed.
    pub mesh_outside: usize,
    /// Nodes of the mesh per core radius in the last step \[1\]:
    /// [`Params::nodes_per_core`](crate::params::Params::nodes_per_core), or fewer if that mesh would have
    /// left many vortons outside; 0 if it summed.
    pub nodes_per_core: f32,
    /// Nodes of all boxes of density in the last step that looked at it.
    pub density_nodes: usize,
    /// Vortons that carry mass or dye and lie outside of all boxes of density: gravity does not act on
    /// them.
    pub density_outside: usize,
    /// Fraction of the last step's baroclinic source that was lost because no vorton was near enough to
    /// take it \[1\].
    pub baroclinic_lost: f32,
    /// Viscosity \[m²/s\] in the last step, including that of small eddies.
    pub viscosity: f32,
    /// Diffusion passes in the last step.
    pub diffusion_stages: u32,
    /// Fraction of the last step's diffusion that was carried out \[1\]: below 1 if it needed more than the
    /// maximum number of passes.
    pub diffused_share: f32,
    /// Heat \[J\] that burnt fuel has released since the world was created.
    pub heat_released: f64,
    /// Heat \[J\] of the fuel that was left after the last step's combustion, if any could burn.
    pub fuel: f64,
    /// Vortons with fuel that burned in the last step.
    pub burning: usize,
    /// Vortons removed by age.
    pub expired: u64,
    /// Vortons removed because their position or strength was no longer finite: the step was too long for
    /// the flow.
    pub non_finite: u64,
    /// Tracers removed because their position was no longer finite.
    pub lost_tracers: u64,
    /// Vortons merged into others after flow along a surface brought both to the same point.
    pub merged: u64,
    /// Vortons removed by [`KillVolume`](crate::kill_volumes::KillVolume)s.
    pub killed: u64,
    /// Tracers removed by kill volumes.
    pub killed_tracers: u64,
    /// Length of the last step times the largest velocity gradient in it \[1\]. A step of fourth order
    /// ([`solves`](Self::solves)) is accurate below about 1, one of second order below about 0.3.
    pub stretch_number: f32,
    /// Largest velocity gradient \[1/s\] (Frobenius norm) at a vorton with strength in the last step, set
    /// also by a step of length zero: a frame of length T needs about T times this many steps.
    pub max_gradient: f32,
    /// Velocity solves for the motion in the last step: 1 if it was extrapolated from the last two steps
    /// ([`multistep`](crate::params::Params::multistep)), 2 for a corrected step and any other of second
    /// order, 4 for one of fourth order, taken because its stretch number was large
    /// ([`fourth_order_above`](crate::params::Params::fourth_order_above)).
    pub solves: u32,
    /// Energy per density (E8) \[m⁵/s²\] of the vortons and of the bound vorticity of bodies at the start
    /// of the last step, at its midpoint if its start was not solved for, at its end if it took four
    /// solves; beside half-spaces that of the fluid's side, images included (E50); 0 without an energy
    /// budget. Of the steps with no solve at their start, every second one skips the sum while it is well
    /// below `energy_allowed`; the value is then that of the last sum.
    pub energy: f64,
    /// Energy per density \[m⁵/s²\] that the budget allowed at that time.
    pub energy_allowed: f64,
    /// Energy per density \[m⁵/s²\] that the budget removed in the last step. If that was at most 2 % of
    /// the energy, this is an estimate from its slope: the energy falls by a few percent less, in noise by
    /// up to a third less; on a mesh, where slopes come from earlier steps, by some tenths less or more.
    pub energy_removed: f64,
    /// Steps in which the budget had to scale all strengths, because removing the rough part did not
    /// suffice.
    pub energy_scalings: u64,
    /// Quality of the last step's fluid: always full except in steps within a budget
    /// ([`step_within`](crate::sim::VortexSim::step_within)).
    pub quality: Quality,
    /// Quality that the budget allows for tracers. In a step too fast for it, tracers are moved with more
    /// samples.
    pub tracer_quality: TracerQuality,
    /// Forecast cost \[ms\] of the last step within a budget, without tracers, in the budget's measure; 0
    /// after any other step.
    pub expected_cost: f64,
    /// Forecast cost \[ms\] of tracers in that step, in the same measure; 0 after any other step.
    pub expected_tracer_cost: f64,
    /// Number of changes of quality, of the fluid or of tracers.
    pub quality_changes: u64,
    milliseconds: [f64; Stage::ALL.len()],
    pub(crate) zones: Option<Arc<dyn Zones>>,
}

crate::saved::fields!(Stats {
    steps, vortons, not_added, halo_born, halo_retired, halo_threshold, mesh_nodes, mesh_outside,
    nodes_per_core, density_nodes, density_outside, baroclinic_lost, viscosity, diffusion_stages, diffused_share,
    heat_released, fuel, burning, expired,
    non_finite, lost_tracers, merged, killed, killed_tracers, stretch_number, max_gradient, solves, energy, energy_allowed, energy_removed,
    energy_scalings, quality, tracer_quality, expected_cost, expected_tracer_cost, quality_changes,
} not { milliseconds, zones } check are_counts);

impl Stats {
    /// Counts vortons that were not added: any number that emitters have due in a step.
    pub(crate) fn leave_out(&mut self, count: u64) {
        self.not_added = self.not_added.saturating_add(count).min(MOST_COUNTED);
    }

    /// False for numbers that no counter reaches.
    fn are_counts(&self) -> bool {
        let Self { steps, not_added, halo_born, halo_retired, expired, non_finite, lost_tracers, .. } = *self;
        let Self { merged, killed, killed_tracers, energy_scalings, quality_changes, .. } = *self;
        let first = [steps, not_added, halo_born, halo_retired, expired, non_finite, lost_tracers];
        let others = [merged, killed, killed_tracers, energy_scalings, quality_changes];
        first.into_iter().chain(others).all(is_count)
    }
}

/// Callbacks for a profiler at the begin and end of each stage of a step, on the stepping thread. Stages
/// are consecutive, not nested.
pub trait Zones: Debug + Send + Sync {
    /// Called when a stage begins.
    fn begin(&self, stage: Stage);

    /// Called when the stage that began last ends.
    fn end(&self, stage: Stage);
}

/// A stage in progress.
#[must_use]
pub(crate) struct RunningStage(Stage, Moment);

impl Stats {
    /// Returns the time \[ms\] of the stage in the last step.
    pub fn milliseconds(&self, stage: Stage) -> f64 {
        self.milliseconds[stage as usize]
    }

    /// Returns false if the last step was too coarse for its flow: some strengths turned or stretched by
    /// more than a step can follow, and were limited. Smaller steps, as many as
    /// [`VortexSim::advance`](crate::sim::VortexSim::advance) takes, follow it.
    pub fn was_followed(&self) -> bool {
        self.stretch_number <= if self.solves > 2 { STRETCH_FOLLOWED } else { STRETCH_BOUNDED }
    }

    pub(crate) fn begin_step(&mut self) {
        self.milliseconds = Default::default();
        (self.viscosity, self.diffusion_stages, self.diffused_share) = (0.0, 0, 1.0);
        (self.energy_removed, self.solves) = (0.0, 2);
        self.halo_threshold = 0.0;
    }

    pub(crate) fn end_step(&mut self, vortons: usize) {
        self.steps += 1;
        self.vortons = vortons;
    }

    pub(crate) fn time(&self, stage: Stage) -> RunningStage {
        if let Some(zones) = &self.zones {
            zones.begin(stage);
        }
        RunningStage(stage, Moment::now())
    }

    pub(crate) fn record(&mut self, running: RunningStage) {
        self.milliseconds[running.0 as usize] += running.1.elapsed_ms();
        if let Some(zones) = &self.zones {
            zones.end(running.0);
        }
    }
}
