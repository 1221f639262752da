//! What is removed at the end of a step: vortons that are too old, or not finite, and those in volumes that
//! kill.

use super::VortexSim;
use crate::constants::PARTICLE_CHUNK;
use crate::kill_volumes::{KillVolume, MOST_KILL_VOLUMES, is_killed};
use crate::math::all;
use crate::params::ParamError;
use crate::particles::Vortons;
use crate::stats::Stage;
use fluid_threads::{Executor, for_each_chunk_mut};

impl VortexSim {
    /// From the next step on vortons and tracers that are in one of these volumes when a step has ended, or
    /// outside of all that bound, are removed, and none is born there. Steps of length zero remove nothing.
    /// Takes memory when there are volumes for the first time.
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

    /// Makes room for what is known of each vorton while there are volumes.
    pub(super) fn reserve_doomed(&mut self) {
        if !self.kill_volumes.is_empty() {
            self.doomed.reserve(self.params.max_vortons.saturating_sub(self.doomed.len()));
        }
    }

    pub(super) fn age_and_remove(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Remove);
        for age in &mut self.vortons.ages {
            *age += dt;
        }
        let max_age = self.params.max_age;
        if !all(&self.vortons.ages, |age| age <= max_age) {
            self.debit(exec, &|vortons, row| vortons.ages[row] > max_age);
            self.stats.expired += self.vortons.retain(|vortons, row| vortons.ages[row] <= max_age) as u64;
        }
        if !self.vortons.are_finite() {
            self.stats.non_finite += self.vortons.retain(Vortons::is_finite) as u64;
        }
        if !self.kill_volumes.is_empty() && dt != 0.0 {
            self.kill_in_volumes(exec);
        }
        self.stats.record(stage);
    }

    /// Removes the vortons that are in volumes that kill; their energy goes with them.
    fn kill_in_volumes(&mut self, exec: &dyn Executor) {
        let (volumes, positions) = (&self.kill_volumes, &self.vortons.positions);
        let mut doomed = std::mem::take(&mut self.doomed);
        doomed.resize(positions.len(), false);
        for_each_chunk_mut(exec, PARTICLE_CHUNK, doomed.as_mut_slice(), &|first, doomed: &mut [bool]| {
            for (row, doomed) in (first..).zip(doomed) {
                *doomed = is_killed(volumes, positions.get(row));
            }
        });
        if doomed.contains(&true) {
            self.debit(exec, &|_, row| doomed[row]);
            self.stats.killed += self.vortons.retain(|_, row| !doomed[row]) as u64;
        }
        self.doomed = doomed;
    }
}
