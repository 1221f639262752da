//! The runner: checks a whole list, fuses what is local, runs the rest one by one.

use super::error::{OpError, Problem};
use super::notes::Notes;
use super::{BoundingBox, EmitState, Operation};
use crate::boundary::surfaces::{SurfaceImpulse, Surfaces};
use crate::constants::MAX_STEP;
use crate::particles::view::{Chunk, ParticleView, Semantic};
use crate::velocity::VelocityField;
use fluid_threads::{Executor, chunk_count};

/// Particles per chunk. Work is cut by this number alone, so bits do not depend on the executor; 512
/// particles of 88 bytes (OGRE's) fit a core's second-level cache together with what the fluid's velocity
/// needs.
pub const CHUNK: usize = 512;

/// Under which circumstances operations run.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// The fluid.
    pub field: &'a dyn VelocityField,
    /// The bodies; [`NoSurfaces`](crate::boundary::surfaces::NoSurfaces) if there are none.
    pub surfaces: &'a dyn Surfaces,
    /// Time that passes \[s\]: not negative, at most [`MAX_STEP`].
    pub dt: f32,
    /// Number of this frame, for births and ages in frames. May wrap around.
    pub frame: u32,
}

/// Memory that a run writes besides the particles. All of it is the caller's, so a steady caller never
/// allocates.
pub struct RunMemory<'a> {
    /// Grows once: to a byte for each row of the view's capacity, or for each index if it has indices. After
    /// the run it has what particles gave to bodies.
    pub scratch: &'a mut RunScratch,
    /// One per [`Emit`](super::Emit) in the list, in their order.
    pub emit_states: &'a mut [EmitState],
    /// Where a [`Kill`](super::Kill) that lists writes the rows.
    pub killed: &'a mut [u32],
}

/// Notes about particles while operations run, and what they have given to bodies when it is over.
#[derive(Debug, Default)]
pub struct RunScratch {
    notes: Vec<Notes>,
    /// Ascending by body.
    impulses: Vec<(u32, SurfaceImpulse)>,
    /// The most bodies that are expected to get something.
    bodies: usize,
}

impl RunScratch {
    /// Says how many bodies there are, so that the next run makes room for what they get, before one is
    /// touched. Without this, runs make room for as many as were touched in the run with most.
    pub fn expect_bodies(&mut self, count: usize) {
        self.bodies = self.bodies.max(count);
    }

    /// What particles of a mass have given to bodies during the last run: the number of each body that got
    /// something, ascending, and what it got. Empty if the run was refused.
    pub fn impulses(&self) -> &[(u32, SurfaceImpulse)] {
        &self.impulses
    }

    fn forget_impulses(&mut self) {
        self.expect_bodies(self.impulses.len());
        self.impulses.clear();
    }
}

/// What a run did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunReport {
    /// Particles afterwards: the host's new count.
    pub count: usize,
    /// Particles that at least one operation left untouched because of a value that is not finite.
    pub skipped_non_finite: usize,
    /// Particles that met a body, in all collisions of the run together; each counts once.
    pub hits: usize,
    /// Particles that died of age, in all kill operations together, whatever their mode. One that is listed
    /// and also marked or taken out counts once.
    pub killed: usize,
    /// Rows written to the caller's list.
    pub listed: usize,
    /// The list was too short for all rows.
    pub list_truncated: bool,
    /// Rows taken out by compaction: died of age just now, or marked dead before.
    pub removed: usize,
    /// Particles born.
    pub emitted: usize,
    /// Particles not born because there was no room for them. They are not made up for later.
    pub emit_refused: u64,
    /// Box of the last [`Bounds`](super::Bounds) operation; None without one, or if there is no particle
    /// alive.
    pub bounds: Option<BoundingBox>,
}

/// Runs `operations` in their order over the particles of `view`, whose count follows births and removals.
///
/// The list is checked before anything is changed. Neighbours in the list that work particle by particle run
/// fused, chunk by chunk, which gives the same bits as running them one after the other.
///
/// # Errors
/// [`OpError`]; nothing has been changed then.
pub fn run_operations(
    exec: &dyn Executor,
    moment: &Moment<'_>,
    operations: &[Operation<'_>],
    view: &mut ParticleView<'_>,
    memory: RunMemory<'_>,
) -> Result<RunReport, OpError> {
    memory.scratch.forget_impulses();
    check(moment, operations, view, &memory)?;
    let RunMemory { scratch, emit_states, killed } = memory;
    let touched = most_bodies_per_chunk(operations, scratch.bodies);
    if touched > 0 {
        scratch.impulses.reserve(scratch.bodies);
    }
    let mut stage = Stage {
        exec,
        moment,
        notes: fit_notes(&mut scratch.notes, view, touched),
        impulses: &mut scratch.impulses,
        view,
        clean: 0,
        emit_states,
        next_emit_state: 0,
        list: killed,
        report: RunReport::default(),
    };
    stage.clean_notes();
    if stage.view.visits() > CHUNK {
        exec.enter(&mut || stage.run(operations));
    } else {
        // One chunk runs here in any case; entering a pool would cost more than it.
        stage.run(operations);
    }
    Ok(stage.finish())
}

/// What an operation tells the runner.
pub(super) trait Described {
    /// Attributes that must be there.
    fn needs(&self) -> &'static [Semantic];
    /// Checks parameters and what else `view` must be.
    fn check(&self, _view: &ParticleView<'_>) -> Result<(), Problem> {
        Ok(())
    }
    /// How it runs.
    fn work(&self) -> Work<'_>;
}

/// Two kinds of work.
pub(super) enum Work<'a> {
    /// Looks at one particle at a time: fused.
    Local(&'a (dyn Local + Sync)),
    /// Needs all particles: a barrier.
    Global(&'a dyn Global),
}

/// Work on one chunk, on any thread.
pub(super) trait Local {
    /// Changes the particles of `chunk`; at most [`CHUNK`] of them.
    fn run(&self, moment: &Moment<'_>, chunk: &Chunk<'_>, notes: &mut Notes);
}

/// Work on the whole view, on the thread that runs the list.
pub(super) trait Global {
    /// Changes the view and the report.
    fn run(&self, stage: &mut Stage<'_, '_>);
}

/// Everything that a global operation may use.
pub(super) struct Stage<'s, 'v> {
    pub(super) exec: &'s dyn Executor,
    pub(super) moment: &'s Moment<'s>,
    pub(super) view: &'s mut ParticleView<'v>,
    /// Per chunk of the most particles that the view can come to visit.
    pub(super) notes: &'s mut [Notes],
    /// So many of the notes are this run's; behind them lie those of earlier runs.
    clean: usize,
    impulses: &'s mut Vec<(u32, SurfaceImpulse)>,
    pub(super) emit_states: &'s mut [EmitState],
    pub(super) next_emit_state: usize,
    pub(super) list: &'s mut [u32],
    pub(super) report: RunReport,
}

impl Stage<'_, '_> {
    fn run(&mut self, operations: &[Operation<'_>]) {
        let mut rest = operations;
        while let Some(first) = rest.first() {
            if let Work::Global(global) = first.work() {
                global.run(self);
                self.clean_notes();
                rest = &rest[1..];
                continue;
            }
            let len = rest.iter().take_while(|operation| matches!(operation.work(), Work::Local(_))).count();
            let (fused, after) = rest.split_at(len);
            let moment = self.moment;
            self.for_each_chunk(&|chunk, notes| {
                for operation in fused {
                    if let Work::Local(local) = operation.work() {
                        local.run(moment, &chunk, notes);
                    }
                }
            });
            rest = after;
        }
    }

    /// Every chunk with its notes, in parallel.
    pub(super) fn for_each_chunk(&mut self, body: &(dyn Fn(Chunk<'_>, &mut Notes) + Sync)) {
        let chunks = self.chunks();
        self.view.for_each_chunk(self.exec, CHUNK, &mut self.notes[..chunks], body);
    }

    /// The notes of the particles that are visited now.
    pub(super) fn notes_in_use(&self) -> &[Notes] {
        &self.notes[..self.chunks()]
    }

    fn chunks(&self) -> usize {
        chunk_count(self.view.visits(), CHUNK)
    }

    /// Clears the notes that came into use, at the beginning or by emission.
    fn clean_notes(&mut self) {
        let chunks = self.chunks();
        while self.clean < chunks {
            self.notes[self.clean].clear();
            self.clean += 1;
        }
    }

    /// Counts what is remembered about one particle.
    pub(super) fn settle(report: &mut RunReport, marks: u8) {
        report.skipped_non_finite += usize::from(marks & Notes::SKIPPED != 0);
        report.killed += usize::from(marks & Notes::KILLED != 0);
        report.hits += usize::from(marks & Notes::HIT != 0);
    }

    fn finish(self) -> RunReport {
        let mut report = self.report;
        for &marks in self.notes_in_use().iter().flat_map(|notes| &notes.marks) {
            Self::settle(&mut report, marks);
        }
        report.count = self.view.count();
        // Also of chunks that compaction has emptied. In their order, so that sums do not depend on which
        // thread ran them.
        for &(body, impulse) in self.notes[..self.clean].iter().flat_map(Notes::given) {
            match self.impulses.binary_search_by_key(&body, |given| given.0) {
                Ok(at) => self.impulses[at].1.add(impulse),
                Err(at) => self.impulses.insert(at, (body, impulse)),
            }
        }
        report
    }
}

fn check(
    moment: &Moment<'_>,
    operations: &[Operation<'_>],
    view: &ParticleView<'_>,
    memory: &RunMemory<'_>,
) -> Result<(), OpError> {
    if !(0.0..=MAX_STEP).contains(&moment.dt) {
        return Err(OpError::BadTimeStep { dt: moment.dt });
    }
    let mut emissions = 0;
    let mut lists = 0;
    for (number, operation) in operations.iter().enumerate() {
        operation.check(view).map_err(|problem| OpError::Operation {
            operation: number,
            name: operation.name(),
            problem,
        })?;
        match operation {
            Operation::Emit(_) => emissions += 1,
            Operation::Kill(kill) if kill.mode == super::KillMode::List => lists += 1,
            _ => {}
        }
        if lists > 1 {
            return Err(OpError::SecondList { operation: number });
        }
    }
    if emissions > memory.emit_states.len() {
        return Err(OpError::MissingEmitState { needed: emissions, given: memory.emit_states.len() });
    }
    for (state, &EmitState { remainder, .. }) in memory.emit_states[..emissions].iter().enumerate() {
        if !(0.0..1.0).contains(&remainder) {
            return Err(OpError::BadEmitState { state, remainder });
        }
    }
    Ok(())
}

/// To how many of `bodies` the particles of one chunk can give something.
fn most_bodies_per_chunk(operations: &[Operation<'_>], bodies: usize) -> usize {
    let gives = |operation: &&Operation<'_>| matches!(operation, Operation::Collide(c) if c.mass > 0.0);
    bodies.min(CHUNK * operations.iter().filter(gives).count())
}

/// Notes for as many particles as `view` can come to visit: emission reaches its capacity, but adds nothing
/// to indices. Each has room for what `touched` bodies get.
fn fit_notes<'n>(notes: &'n mut Vec<Notes>, view: &ParticleView<'_>, touched: usize) -> &'n mut [Notes] {
    let most = if view.has_indices() { view.visits() } else { view.capacity() };
    let chunks = chunk_count(most, CHUNK);
    if notes.len() < chunks {
        notes.resize_with(chunks, || Notes::NONE);
    }
    if touched > 0 {
        notes[..chunks].iter_mut().for_each(|notes| notes.expect_bodies(touched));
    }
    notes
}
