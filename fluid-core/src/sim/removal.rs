//! Removal at the end of a step: vortons that are too old or not finite, and particles in kill volumes.

use super::VortexSim;
use crate::boundary::BodyCoupling;
use crate::constants::PARTICLE_CHUNK;
use crate::kill_volumes::{KillVolume, MOST_KILL_VOLUMES, Relevant, is_killed};
use crate::math::all;
use crate::params::ParamError;
use crate::particles::{Tracers, Vortons};
use crate::stats::Stage;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Vortons per task when ages are advanced.
const AGED: usize = 4096;

impl VortexSim {
    /// Sets volumes that remove vortons and tracers. From the next step on a particle in one of them at the
    /// end of a step, or outside of all bounding ones, is removed, and none is added there. Steps of length
    /// zero remove nothing. Allocates when volumes are set for the first time.
    ///
    /// # Errors
    /// Too many volumes, or one that is not valid; nothing has changed then.
    pub fn set_kill_volumes(&mut self, volumes: &[KillVolume]) -> Result<(), ParamError> {
        let count = volumes.len();
        ParamError::check(count <= MOST_KILL_VOLUMES, "kill volumes", count, "at most 256")?;
        let invalid = volumes.iter().find(|volume| !volume.is_valid());
        let valid = "finite, with positive sizes and a unit quaternion";
        ParamError::check(invalid.is_none(), "kill volume", invalid, valid)?;
        self.kill_volumes.clear();
        self.kill_volumes.extend_from_slice(volumes);
        self.reserve_sources();
        self.reserve_doomed();
        Ok(())
    }

    /// The volumes in which vortons and tracers are removed.
    pub fn kill_volumes(&self) -> &[KillVolume] {
        &self.kill_volumes
    }

    /// Reserves the mark of each vorton if there are kill volumes.
    pub(super) fn reserve_doomed(&mut self) {
        if !self.kill_volumes.is_empty() {
            self.doomed.reserve(self.params.max_vortons.saturating_sub(self.doomed.len()));
        }
    }

    pub(super) fn age_and_remove(&mut self, exec: &dyn Executor, bodies: &dyn BodyCoupling, dt: f32) {
        let stage = self.stats.time(Stage::Remove);
        let absorbed = bodies.absorbed();
        if !absorbed.is_empty() {
            let mut next = absorbed.iter().peekable();
            let keep =
                |_: &Vortons, row: usize| next.next_if(|&&absorbed| absorbed as usize == row).is_none();
            self.stats.merged += self.vortons.retain(keep) as u64;
        }
        let max_age = self.params.max_age;
        let Aged { some_are_old, some_are_broken } = age(exec, &mut self.vortons, max_age, dt);
        if some_are_old {
            self.debit(exec, &|vortons, row| vortons.ages[row] > max_age);
            self.stats.expired += self.vortons.retain(|vortons, row| vortons.ages[row] <= max_age) as u64;
        }
        if some_are_broken {
            self.stats.non_finite += self.vortons.retain(Vortons::is_finite) as u64;
        }
        if !self.kill_volumes.is_empty() && dt != 0.0 {
            self.kill_in_volumes(exec);
        }
        self.stats.record(stage);
    }

    /// Removes the vortons in kill volumes; their energy is debited.
    fn kill_in_volumes(&mut self, exec: &dyn Executor) {
        let mut doomed = std::mem::take(&mut self.doomed);
        let positions = &self.vortons.positions;
        if mark(exec, &self.kill_volumes, &mut doomed, positions.len(), &|row| positions.get(row)) {
            self.debit(exec, &|_, row| doomed[row]);
            self.stats.killed += self.vortons.retain(|_, row| !doomed[row]) as u64;
        }
        self.doomed = doomed;
    }

    /// Removes the tracers in kill volumes.
    pub(super) fn kill_tracers(&mut self, exec: &dyn Executor, tracers: &mut Tracers) {
        // As much memory as the set has, so that sets that grow within their capacity allocate nothing.
        self.doomed.reserve(tracers.capacity().saturating_sub(self.doomed.len()));
        let (doomed, positions) = (&mut self.doomed, tracers.positions());
        if mark(exec, &self.kill_volumes, doomed, positions.len(), &|row| positions[row]) {
            self.stats.killed_tracers += tracers.retain_rows(|_, row| !doomed[row]) as u64;
        }
    }
}

/// Result of [`age`].
struct Aged {
    /// True if a vorton is older than `max_age`.
    some_are_old: bool,
    /// True if a vorton is not finite.
    some_are_broken: bool,
}

/// Advances the ages by `dt` \[s\], and looks for old vortons and for values that are not finite.
fn age(exec: &dyn Executor, vortons: &mut Vortons, max_age: f32, dt: f32) -> Aged {
    let (some_are_old, some_are_broken) = (AtomicBool::new(false), AtomicBool::new(false));
    let Vortons { ages, .. } = vortons;
    let mut ages = std::mem::take(ages);
    let rest = &*vortons;
    for_each_chunk_mut(exec, AGED, ages.as_mut_slice(), &|first, ages: &mut [f32]| {
        ages.iter_mut().for_each(|age| *age += dt);
        let are_broken = !rest.are_finite(first..first + ages.len());
        some_are_old.fetch_or(!all(ages, |age| age <= max_age), Ordering::Relaxed);
        some_are_broken.fetch_or(are_broken, Ordering::Relaxed);
    });
    vortons.ages = ages;
    Aged { some_are_old: some_are_old.into_inner(), some_are_broken: some_are_broken.into_inner() }
}

/// Marks those of `count` particles that the volumes remove; true if there are any.
fn mark(
    exec: &dyn Executor,
    volumes: &[KillVolume],
    doomed: &mut Vec<bool>,
    count: usize,
    place: &(impl Fn(usize) -> Vec3 + Sync),
) -> bool {
    doomed.resize(count, false);
    for_each_chunk_mut(exec, PARTICLE_CHUNK, doomed.as_mut_slice(), &|first, doomed: &mut [bool]| {
        let rows = first..first + doomed.len();
        let volumes = Relevant::new(volumes, rows.clone().map(place));
        for (row, doomed) in rows.zip(doomed) {
            *doomed = is_killed(volumes.iter(), place(row));
        }
    });
    doomed.contains(&true)
}
