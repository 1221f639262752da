//! What a step counted and how long its stages took. In this crate the clock is read here and nowhere else;
//! no result depends on it.

use crate::clock::Moment;
use crate::constants::{STRETCH_BOUNDED, STRETCH_FOLLOWED};
use crate::governor::{Quality, TracerQuality};
use std::fmt::Debug;
use std::sync::Arc;

/// The stages of a step, in order. The same words in code, statistics and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Emitters add vortons.
    Emit,
    /// Neutral vortons come and go around density.
    Halo,
    /// The velocity solves.
    Velocity,
    /// Density and gravity make vorticity.
    Baroclinic,
    /// Energy beyond the budget is taken out.
    Energy,
    /// Positions and strengths advance.
    Advance,
    /// Vorticity, heat and dye spread.
    Diffuse,
    /// Strengths relax.
    Relax,
    /// Bodies.
    Bodies,
    /// Ageing and removal.
    Remove,
    /// Tracers follow.
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

    /// Its name, in lower case.
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

/// Counts since the world began, and the times of the last step.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Steps taken.
    pub steps: u64,
    /// Vortons alive after the last step.
    pub vortons: usize,
    /// Vortons that emitters and the halo could not add for want of room.
    pub not_added: u64,
    /// Neutral vortons that were born where density varied and none was near.
    pub halo_born: u64,
    /// Vortons of the halo that went because they were of no use any more.
    pub halo_retired: u64,
    /// Least source of the last step, as a share of the strongest one around, for which the halo had a vorton
    /// born where none was near \[1\]: 0.02, more if there was no room for all, 0 without gravity.
    pub halo_threshold: f32,
    /// Nodes of the mesh in the last step; 0 if it summed directly.
    pub mesh_nodes: usize,
    /// Vortons that the mesh's box had no room for in the last step: they were summed directly.
    pub mesh_outside: usize,
    /// Nodes of the mesh to each core radius in the last step \[1\]:
    /// [`Params::nodes_per_core`](crate::params::Params::nodes_per_core), or fewer where that mesh would have
    /// left many vortons outside; 0 if it summed directly.
    pub nodes_per_core: f32,
    /// Vortons that carry mass or dye and lie outside of all of density's boxes: gravity does not see them.
    pub density_outside: usize,
    /// Share of the vorticity that density made in the last step which found no vorton near \[1\].
    pub baroclinic_lost: f32,
    /// Viscosity \[m²/s\] in the last step, that of small eddies included.
    pub viscosity: f32,
    /// Passes of diffusion in the last step.
    pub diffusion_stages: u32,
    /// Share of the last step's diffusion that was done \[1\]: below 1 where it was too much for the most
    /// passes there may be.
    pub diffused_share: f32,
    /// Vortons removed because of their age.
    pub expired: u64,
    /// Vortons removed because their position or strength was not finite any more: the step was too long for
    /// the flow.
    pub non_finite: u64,
    /// Tracers removed because their position was not finite any more.
    pub lost_tracers: u64,
    /// Vortons that have become part of others, where flow along a surface has led both to one place.
    pub merged: u64,
    /// Vortons removed by [`KillVolume`](crate::kill_volumes::KillVolume)s.
    pub killed: u64,
    /// Tracers removed by these.
    pub killed_tracers: u64,
    /// Length of the last step times the largest velocity gradient in it \[1\]. A step of fourth order
    /// ([`solves`](Self::solves)) is accurate below about 1, one of second order below about 0.3.
    pub stretch_number: f32,
    /// Largest velocity gradient \[1/s\] (Frobenius norm) at a vorton with strength in the last step, known
    /// also after a step of length zero: a frame of length T wants about T times this many steps.
    pub max_gradient: f32,
    /// Velocity solves for the motion in the last step: 1 of a step that the last two lead
    /// ([`multistep`](crate::params::Params::multistep)), 2 of a corrected step and of any other of second
    /// order, 4 of one of fourth order, because its stretch number was large
    /// ([`fourth_order_above`](crate::params::Params::fourth_order_above)).
    pub solves: u32,
    /// Energy per density (E8) \[m⁵/s²\] of the vortons and of the bound vorticity of bodies at the start of
    /// the last step, at its middle if its start was not solved for, at its end if it took four solves;
    /// beside half-spaces that of the fluid's side, images included (E50); 0 without an energy budget. Of the
    /// steps whose start is not solved for every second one does not sum it while it is clear of
    /// `energy_allowed`: the value is then that of the last sum.
    pub energy: f64,
    /// Energy per density \[m⁵/s²\] that the budget allowed at that time.
    pub energy_allowed: f64,
    /// Energy per density \[m⁵/s²\] that the budget took out in the last step. If that was at most 2 % of the
    /// energy, this is an estimate from its slope: the energy falls by a few percent less, in noise by up to
    /// a third less; on a mesh, where slopes come from earlier steps, by some tenths less or more.
    pub energy_removed: f64,
    /// Steps in which the budget had to scale all strengths, because taking out what is rough did not
    /// suffice.
    pub energy_scalings: u64,
    /// Quality of the last step's fluid: full but for steps within a budget
    /// ([`step_within`](crate::sim::VortexSim::step_within)).
    pub quality: Quality,
    /// Quality that the budget allows for tracers. Over a step that is too fast for it they are moved with
    /// more samples.
    pub tracer_quality: TracerQuality,
    /// Cost of the last step within a budget that was expected before it \[ms\], tracers aside, as the budget
    /// measures it; 0 of any other step.
    pub expected_cost: f64,
    /// The same of tracers.
    pub expected_tracer_cost: f64,
    /// How often the quality of the fluid or of tracers has changed.
    pub quality_changes: u64,
    milliseconds: [f64; Stage::ALL.len()],
    pub(crate) zones: Option<Arc<dyn Zones>>,
}

crate::saved::fields!(Stats {
    steps, vortons, not_added, halo_born, halo_retired, halo_threshold, mesh_nodes, mesh_outside,
    nodes_per_core, density_outside, baroclinic_lost, viscosity, diffusion_stages, diffused_share, expired,
    non_finite, lost_tracers, merged, killed, killed_tracers, stretch_number, max_gradient, solves, energy, energy_allowed, energy_removed,
    energy_scalings, quality, tracer_quality, expected_cost, expected_tracer_cost, quality_changes,
} not { milliseconds, zones });

/// Is told of the stages of a step as they begin and end, on the thread that makes it: for a profiler. They
/// follow each other, and are not nested.
pub trait Zones: Debug + Send + Sync {
    /// A stage begins.
    fn begin(&self, stage: Stage);

    /// The stage that has begun last is over.
    fn end(&self, stage: Stage);
}

/// A stage that is running.
#[must_use]
pub(crate) struct Running(Stage, Moment);

impl Stats {
    /// Time \[ms\] that the stage took in the last step.
    pub fn milliseconds(&self, stage: Stage) -> f64 {
        self.milliseconds[stage as usize]
    }

    /// False if the last step was too coarse for its flow: some strengths turned or stretched by more than a
    /// step can follow, and were held back. Smaller steps, as many as
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

    pub(crate) fn time(&self, stage: Stage) -> Running {
        if let Some(zones) = &self.zones {
            zones.begin(stage);
        }
        Running(stage, Moment::now())
    }

    pub(crate) fn record(&mut self, running: Running) {
        self.milliseconds[running.0 as usize] += running.1.elapsed_ms();
        if let Some(zones) = &self.zones {
            zones.end(running.0);
        }
    }
}
