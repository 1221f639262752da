//! Removal of old particles: marked, listed, or compacted.

use super::error::{Problem, check_rate};
use super::notes::Notes;
use super::run::{CHUNK, Global, GlobalContext, Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};

/// Kills particles older than a limit, in seconds, in frames, or either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kill {
    /// Largest age \[s\]. Requires ages. If the host has lifetimes, each particle's lifetime replaces this
    /// limit; an infinite one means no limit. None: only lifetimes count, if the host has any.
    pub max_age: Option<f32>,
    /// Largest number of frames since birth. Requires birth frames. None: age in frames is ignored.
    pub max_age_frames: Option<u32>,
    /// Treatment of killed particles.
    pub mode: KillMode,
}

/// Treatment of killed particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillMode {
    /// [`DEAD`](crate::view::DEAD) is set in their flags, or their byte of [`Semantic::Alive`]
    /// or [`Semantic::Dead`] is written; all later operations skip them.
    Mark,
    /// Their rows are written, ascending, to [`RunMemory::killed`](super::RunMemory::killed); the host
    /// removes them. If the list is too short, it contains the first rows, and the report has the total. At
    /// most one per run.
    List,
    /// They are removed, and so are particles marked dead before; the others keep their order. Not for
    /// views with a table or indices; see [`ParticleView::check_compact`] for the layouts.
    Compact,
}

impl Runnable for Kill {
    fn needs(&self) -> &'static [Semantic] {
        match (self.max_age.is_some(), self.max_age_frames.is_some()) {
            (false, false) => &[],
            (true, false) => &[Semantic::Age],
            (false, true) => &[Semantic::BirthFrame],
            (true, true) => &[Semantic::Age, Semantic::BirthFrame],
        }
    }

    fn check(&self, view: &ParticleView<'_>) -> Result<(), Problem> {
        if let Some(max_age) = self.max_age {
            check_rate("max_age", max_age)?;
        }
        if self.mode == KillMode::Mark && !Semantic::VITAL.iter().any(|&semantic| view.has(semantic)) {
            return Err(Problem::MissingStream { stream: Semantic::Flags });
        }
        if let KillMode::Compact = self.mode {
            view.check_compact().map_err(Problem::Compact)?;
        }
        Ok(())
    }

    fn kind(&self) -> OperationKind<'_> {
        match self.mode {
            KillMode::Mark => OperationKind::Local(self),
            KillMode::List | KillMode::Compact => OperationKind::Global(self),
        }
    }
}

impl Local for Kill {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let vital = chunk.vital_signs();
        self.for_each_expired(inputs, chunk, notes, |k, marks| {
            vital.mark_dead(k);
            *marks |= Notes::KILLED;
        });
    }
}

impl Global for Kill {
    fn run(&self, context: &mut GlobalContext<'_, '_>) {
        let inputs = context.inputs;
        context.for_each_chunk(&|chunk, notes| {
            self.for_each_expired(inputs, &chunk, notes, |_, marks| *marks |= Notes::EXPIRED | Notes::KILLED);
            if self.mode == KillMode::Compact {
                let vital = chunk.vital_signs();
                (0..chunk.len()).filter(|&k| vital.is_dead(k)).for_each(|k| notes.marks[k] |= Notes::DEAD);
            }
        });
        if self.mode == KillMode::List { list(context) } else { compact(context) }
    }
}

impl Kill {
    /// Calls `act(k, marks)` for each live particle that is too old.
    fn for_each_expired(
        &self,
        inputs: &RunInputs<'_>,
        chunk: &Chunk<'_>,
        notes: &mut Notes,
        act: impl Fn(usize, &mut u8),
    ) {
        let lifetimes = chunk.scalar::<f32>(Semantic::Lifetime);
        // Lifetimes limit ages even if the operation itself does not.
        let limit = self.max_age.or(lifetimes.map(|_| f32::INFINITY));
        let ages = limit.and_then(|limit| Some((chunk.scalar::<f32>(Semantic::Age)?, limit)));
        let births =
            self.max_age_frames.and_then(|limit| Some((chunk.scalar::<i32>(Semantic::BirthFrame)?, limit)));
        chunk.living().for_each(|k| {
            let mut expired = false;
            if let Some((age, limit)) = ages {
                let (age, limit) = (age.get(k), lifetimes.map_or(limit, |lifetime| lifetime.get(k)));
                if !(age.is_finite() && limit > f32::NEG_INFINITY) {
                    notes.skip(k);
                    return;
                }
                expired = age > limit;
            }
            if let Some((birth, limit)) = births {
                // The difference is correct for frame numbers that wrap around; a birth in the future gives
                // a negative age.
                let age = inputs.frame.wrapping_sub(birth.get(k) as u32) as i32;
                expired |= i64::from(age) > i64::from(limit);
            }
            if expired {
                act(k, &mut notes.marks[k]);
            }
        });
    }
}

fn list(context: &mut GlobalContext<'_, '_>) {
    let mut total = 0;
    for visit in 0..context.view.visits() {
        let marks = &mut context.notes[visit / CHUNK].marks[visit % CHUNK];
        if *marks & Notes::EXPIRED != 0 {
            *marks &= !Notes::EXPIRED;
            if let Some(slot) = context.list.get_mut(total) {
                // Rows fit: a view's capacity is checked to be below 2^32.
                *slot = context.view.row_of_visit(visit) as u32;
            }
            total += 1;
        }
    }
    context.report.listed = total.min(context.list.len());
    context.report.list_truncated = total > context.list.len();
}

/// Removes expired and dead particles, and moves the marks of the others along with them.
fn compact(context: &mut GlobalContext<'_, '_>) {
    let GlobalContext { view, notes, report, .. } = context;
    let count = view.count();
    let mut kept = 0;
    let removed = view.compact(|row| {
        let marks = notes[row / CHUNK].marks[row % CHUNK];
        let stays = marks & (Notes::EXPIRED | Notes::DEAD) == 0;
        if stays {
            notes[kept / CHUNK].marks[kept % CHUNK] = marks;
            kept += 1;
        } else {
            GlobalContext::settle(report, marks);
        }
        stays
    });
    for row in kept..count {
        notes[row / CHUNK].marks[row % CHUNK] = 0;
    }
    // The layout was checked before the run began.
    report.removed += removed.unwrap_or(0);
}
