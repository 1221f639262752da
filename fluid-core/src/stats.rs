//! What a step counted and how long its stages took. Clocks are read here and nowhere else; no result depends on them.

use std::time::Instant;

/// The stages of a step, in order. The same words in code, statistics and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Emitters add vortons.
    Emit,
    /// The two velocity solves.
    Velocity,
    /// Positions and strengths advance.
    Advance,
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
    pub const ALL: [Self; 7] =
        [Self::Emit, Self::Velocity, Self::Advance, Self::Relax, Self::Bodies, Self::Remove, Self::Tracers];

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emit => "emit",
            Self::Velocity => "velocity",
            Self::Advance => "advance",
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
    /// Vortons that emitters could not add for want of room.
    pub not_added: u64,
    /// Vortons removed because of their age.
    pub expired: u64,
    /// Vortons removed because their position or strength was not finite any more: the step was too long for the flow.
    pub non_finite: u64,
    /// Tracers removed because their position was not finite any more.
    pub lost_tracers: u64,
    /// |dt| times the largest velocity gradient of the last step \[1\]. Above about 0.3 motion is inaccurate, above 1 unstable.
    pub stretch_number: f32,
    /// Largest velocity gradient \[1/s\] (Frobenius norm) in the last step, known also after a step of length zero: a frame of
    /// length T wants about T times this over 0.3 steps.
    pub max_gradient: f32,
    milliseconds: [f64; Stage::ALL.len()],
}

/// A stage that is running.
#[must_use]
pub(crate) struct Running(Stage, Instant);

impl Stats {
    /// Time \[ms\] that the stage took in the last step.
    pub fn milliseconds(&self, stage: Stage) -> f64 {
        self.milliseconds[stage as usize]
    }

    pub(crate) fn begin_step(&mut self) {
        self.milliseconds = Default::default();
    }

    pub(crate) fn end_step(&mut self, vortons: usize) {
        self.steps += 1;
        self.vortons = vortons;
    }

    pub(crate) fn time(&self, stage: Stage) -> Running {
        Running(stage, Instant::now())
    }

    pub(crate) fn record(&mut self, running: Running) {
        self.milliseconds[running.0 as usize] += running.1.elapsed().as_secs_f64() * 1e3;
    }
}
