//! Execution of a list: checks all of it, fuses local operations, runs the others one by one.

use super::error::{OpError, Problem};
use super::notes::Notes;
use super::{BoundingBox, EmitState, Operation};
use crate::view::{Chunk, ParticleView, Semantic};
use fluid_core::boundary::{SurfaceImpulse, Surfaces};
use fluid_core::constants::MAX_STEP;
use fluid_core::velocity::VelocityField;
use fluid_threads::{Executor, chunk_count};

/// Particles per chunk. Only this number determines how work is divided, so results do not depend on the
/// executor. 512 particles of 88 bytes (OGRE's) fit a core's second-level cache together with the data for
/// evaluating the fluid's velocity.
pub const CHUNK: usize = 512;

/// Inputs common to all operations of a run.
#[derive(Clone, Copy)]
pub struct RunInputs<'a> {
    /// The fluid.
    pub field: &'a dyn VelocityField,
    /// The bodies; [`NoSurfaces`](fluid_core::boundary::NoSurfaces) if there are none.
    pub surfaces: &'a dyn Surfaces,
    /// Time step \[s\]: not negative, at most [`MAX_STEP`].
    pub dt: f32,
    /// Number of this frame, for births and ages in frames. May wrap around.
    pub frame: u32,
}

/// Memory written by a run besides the particles. The caller owns all of it, so repeated runs of the same
/// size do not allocate.
pub struct RunMemory<'a> {
    /// Grows once: to a byte for each row of the view's capacity, or for each index if it has indices.
    /// After the run it contains the impulses from particles to bodies.
    pub scratch: &'a mut RunScratch,
    /// One per [`Emit`](super::Emit) in the list, in the same order.
    pub emit_states: &'a mut [EmitState],
    /// Receives the rows from a [`Kill`](super::Kill) in list mode.
    pub killed: &'a mut [u32],
}

/// Records about particles during a run, and the impulses on bodies after it.
#[derive(Debug, Default)]
pub struct RunScratch {
    notes: Vec<Notes>,
    /// Ascending by body.
    impulses: Vec<(u32, SurfaceImpulse)>,
    /// Largest number of bodies expected to receive impulses.
    bodies: usize,
}

impl RunScratch {
    /// Sets the number of bodies, so that the next run reserves memory for their impulses in advance.
    /// Otherwise runs reserve memory for as many bodies as the run with most touched.
    pub fn expect_bodies(&mut self, count: usize) {
        self.bodies = self.bodies.max(count);
    }

    /// Returns the impulses from particles with mass to bodies during the last run: the index of each body
    /// that received one, ascending, and the impulse. Empty if the run was refused.
    pub fn impulses(&self) -> &[(u32, SurfaceImpulse)] {
        &self.impulses
    }

    /// Returns an upper bound \[bytes\] on the memory that a run takes: 0 if an earlier one has taken as
    /// much.
    pub fn memory(&self, operations: &[Operation<'_>], view: &ParticleView<'_>) -> usize {
        let (chunks, touched) = (most_chunks(view), most_bodies_per_chunk(operations, self.bodies));
        let present = &self.notes[..chunks.min(self.notes.len())];
        let mut bytes = 0;
        if present.len() < chunks {
            // A list that is full takes twice its size beside the old one.
            bytes += 3 * chunks * size_of::<Notes>();
        }
        if touched > 0 && (present.len() < chunks || present.iter().any(|notes| notes.room() < touched)) {
            bytes += chunks * (2 * touched + 4) * size_of::<(u32, SurfaceImpulse)>();
        }
        if touched > 0 && self.impulses.capacity() < self.bodies {
            bytes += 3 * self.bodies * size_of::<(u32, SurfaceImpulse)>();
        }
        bytes
    }

    fn forget_impulses(&mut self) {
        self.expect_bodies(self.impulses.len());
        self.impulses.clear();
    }
}

/// Statistics of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RunReport {
    /// Particles after the run: the host's new count.
    pub count: usize,
    /// Particles that at least one operation left untouched because of a value that is not finite.
    pub skipped_non_finite: usize,
    /// Particles that met a body, over all collisions of the run; each counts once.
    pub hits: usize,
    /// Particles that died of age, over all kill operations of any mode. A particle both listed and marked
    /// or removed counts once.
    pub killed: usize,
    /// Rows written to the caller's list.
    pub listed: usize,
    /// True if the list was too short for all rows.
    pub list_truncated: bool,
    /// Rows removed by compaction: died of age in this run, or marked dead before.
    pub removed: usize,
    /// Particles emitted.
    pub emitted: usize,
    /// Particles not emitted for lack of capacity. They are not emitted later.
    pub emit_refused: u64,
    /// Bounding box of the last [`Bounds`](super::Bounds) operation; None without one, or if no particle is
    /// alive.
    pub bounds: Option<BoundingBox>,
}

/// Runs `operations` in order over the particles of `view`; its count is updated by emission and
/// compaction.
///
/// The list is checked before anything is changed. Consecutive operations that work particle by particle
/// run fused, chunk by chunk, which gives the same bits as running them one after the other.
///
/// # Errors
/// [`OpError`]; nothing has been changed in that case.
pub fn run_operations(
    exec: &dyn Executor,
    inputs: &RunInputs<'_>,
    operations: &[Operation<'_>],
    view: &mut ParticleView<'_>,
    memory: RunMemory<'_>,
) -> Result<RunReport, OpError> {
    memory.scratch.forget_impulses();
    check(inputs, operations, view, &memory)?;
    let RunMemory { scratch, emit_states, killed } = memory;
    let touched = most_bodies_per_chunk(operations, scratch.bodies);
    if touched > 0 {
        scratch.impulses.reserve(scratch.bodies);
    }
    let mut context = GlobalContext {
        exec,
        inputs,
        notes: fit_notes(&mut scratch.notes, view, touched),
        impulses: &mut scratch.impulses,
        view,
        clean: 0,
        emit_states,
        next_emit_state: 0,
        list: killed,
        report: RunReport::default(),
    };
    context.clean_notes();
    if context.view.visits() > CHUNK {
        exec.enter(&mut || context.run(operations));
    } else {
        // A single chunk runs on this thread in any case; entering a pool would cost more than the chunk.
        context.run(operations);
    }
    Ok(context.finish())
}

/// An operation, as the runner sees it.
pub(super) trait Runnable {
    /// Returns the attributes that the view must have.
    fn needs(&self) -> &'static [Semantic];
    /// Checks the parameters and other requirements on `view`.
    fn check(&self, _view: &ParticleView<'_>) -> Result<(), Problem> {
        Ok(())
    }
    /// Returns whether the operation works on particles one by one.
    fn kind(&self) -> OperationKind<'_>;
}

/// How the runner calls an operation.
pub(super) enum OperationKind<'a> {
    /// Works on one particle at a time: fused.
    Local(&'a (dyn Local + Sync)),
    /// Needs all particles: a barrier.
    Global(&'a dyn Global),
}

/// Work on one chunk, on any thread.
pub(super) trait Local {
    /// Changes the particles of `chunk`; at most [`CHUNK`] of them.
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes);
}

/// Work on the whole view, on the thread that runs the list.
pub(super) trait Global {
    /// Changes the view and the report.
    fn run(&self, context: &mut GlobalContext<'_, '_>);
}

/// Data available to a global operation.
pub(super) struct GlobalContext<'s, 'v> {
    pub(super) exec: &'s dyn Executor,
    pub(super) inputs: &'s RunInputs<'s>,
    pub(super) view: &'s mut ParticleView<'v>,
    /// One per chunk, for the largest number of particles that the view can come to visit.
    pub(super) notes: &'s mut [Notes],
    /// Number of records cleared for this run; the others are from earlier runs.
    clean: usize,
    impulses: &'s mut Vec<(u32, SurfaceImpulse)>,
    pub(super) emit_states: &'s mut [EmitState],
    pub(super) next_emit_state: usize,
    pub(super) list: &'s mut [u32],
    pub(super) report: RunReport,
}

impl GlobalContext<'_, '_> {
    fn run(&mut self, operations: &[Operation<'_>]) {
        let mut rest = operations;
        while let Some(first) = rest.first() {
            if let OperationKind::Global(global) = first.kind() {
                global.run(self);
                self.clean_notes();
                rest = &rest[1..];
                continue;
            }
            let len = rest
                .iter()
                .take_while(|operation| matches!(operation.kind(), OperationKind::Local(_)))
                .count();
            let (fused, after) = rest.split_at(len);
            let inputs = self.inputs;
            self.for_each_chunk(&|chunk, notes| {
                for operation in fused {
                    if let OperationKind::Local(local) = operation.kind() {
                        local.run(inputs, &chunk, notes);
                    }
                }
            });
            rest = after;
        }
    }

    /// Calls `body` with every chunk and its records, in parallel.
    pub(super) fn for_each_chunk(&mut self, body: &(dyn Fn(Chunk<'_>, &mut Notes) + Sync)) {
        let chunks = self.chunks();
        self.view.for_each_chunk(self.exec, CHUNK, &mut self.notes[..chunks], body);
    }

    /// Returns the records of the particles visited now.
    pub(super) fn notes_in_use(&self) -> &[Notes] {
        &self.notes[..self.chunks()]
    }

    fn chunks(&self) -> usize {
        chunk_count(self.view.visits(), CHUNK)
    }

    /// Clears the records that have come into use, at the beginning or by emission.
    fn clean_notes(&mut self) {
        let chunks = self.chunks();
        while self.clean < chunks {
            self.notes[self.clean].clear();
            self.clean += 1;
        }
    }

    /// Adds one particle's flags to the report.
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
        // Includes chunks that compaction has emptied. In chunk order, so that sums do not depend on
        // threads.
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
    inputs: &RunInputs<'_>,
    operations: &[Operation<'_>],
    view: &ParticleView<'_>,
    memory: &RunMemory<'_>,
) -> Result<(), OpError> {
    if !(0.0..=MAX_STEP).contains(&inputs.dt) {
        return Err(OpError::BadTimeStep { dt: inputs.dt });
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

/// Returns an upper bound on the bodies that the particles of one chunk can touch.
fn most_bodies_per_chunk(operations: &[Operation<'_>], bodies: usize) -> usize {
    let gives = |operation: &&Operation<'_>| matches!(operation, Operation::Collide(c) if c.mass > 0.0);
    bodies.min(CHUNK * operations.iter().filter(gives).count())
}

/// Returns the number of chunks of the particles that a run can come to visit.
fn most_chunks(view: &ParticleView<'_>) -> usize {
    chunk_count(if view.has_indices() { view.visits() } else { view.capacity() }, CHUNK)
}

/// Returns records for as many particles as `view` can come to visit: emission extends it up to its
/// capacity, but does not add to indices. Each has memory for impulses on `touched` bodies.
fn fit_notes<'n>(notes: &'n mut Vec<Notes>, view: &ParticleView<'_>, touched: usize) -> &'n mut [Notes] {
    let chunks = most_chunks(view);
    if notes.len() < chunks {
        notes.resize_with(chunks, || Notes::NONE);
    }
    if touched > 0 {
        notes[..chunks].iter_mut().for_each(|notes| notes.expect_bodies(touched));
    }
    notes
}
