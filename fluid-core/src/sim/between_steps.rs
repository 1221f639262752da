//! Access to a fluid and changes of it between steps.

use super::VortexSim;
use crate::boundary::{BodyCoupling, Boundary, WallHit};
use crate::combustion::Combustion;
use crate::emitter::Emitter;
use crate::invariants::{Moments, PairSums};
use crate::params::{ParamError, Params};
use crate::particles::{Vorton, Vortons};
use crate::stats::{Stats, Zones};
use crate::velocity::PublishedField;
use fluid_threads::{Executor, Serial};
use glam::{DVec3, Vec3};
use std::sync::Arc;

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

    /// Sets the profiler zones that are notified of the stages of steps from now on, or none.
    pub fn set_zones(&mut self, zones: Option<Arc<dyn Zones>>) {
        self.stats.zones = zones;
    }

    /// True if [`Stats::max_gradient`] covers all vortons: a step has been taken since the last were added.
    pub fn has_seen_all(&self) -> bool {
        !self.unseen
    }

    /// Total strength and impulses.
    pub fn moments(&self, exec: &dyn Executor) -> Moments {
        Moments::of(exec, &self.vortons)
    }

    /// Returns the change of linear impulse per density \[m⁴/s\], by errors of the motion and removals of the
    /// energy budget, that the vortons are still to undo: a step undoes only a part that neither disturbs
    /// them nor raises their energy beyond the budget. The impulse in [`moments`](Self::moments) less this
    /// one is changed by bodies, gravity, expansion, diffusion without a rim (`Params::smagorinsky` alone),
    /// and vortons that come and go.
    /// The debt of vortons in enclosures, of which the walls take up impulse, stays as it is; beside mirrors,
    /// which take up impulse across them, only that along them is undone.
    pub fn impulse_owed(&self) -> DVec3 {
        self.budget.impulse_owed()
    }

    /// Returns the change of total strength \[m³/s\] that the vortons are still to undo, see
    /// [`impulse_owed`](Self::impulse_owed).
    pub fn strength_owed(&self) -> DVec3 {
        self.budget.strength_owed()
    }

    /// Computes energy and helicity, in O(N²).
    pub fn pair_sums(&self, exec: &dyn Executor) -> PairSums {
        PairSums::of(exec, &self.vortons, self.params.kernel, self.params.core_radius)
    }

    /// Adds vortons, all or none; returns the id of the first (the others follow).
    ///
    /// # Errors
    /// A value that is not finite, a negative volume or fuel, or more than `max_vortons`; the fluid is
    /// unchanged then.
    pub fn add_vortons(&mut self, vortons: &[Vorton]) -> Result<u64, ParamError> {
        let invalid = vortons.iter().find(|vorton| !vorton.is_valid());
        ParamError::check(
            invalid.is_none(),
            "vorton",
            invalid,
            "finite, with a volume and fuel of at least 0",
        )?;
        let total = self.vortons.len().saturating_add(vortons.len());
        ParamError::check(total <= self.params.max_vortons, "vorton count", total, "at most max_vortons")?;
        let first = self.vortons.next_id();
        self.unseen |= !vortons.is_empty();
        for &vorton in vortons {
            self.vortons.push(vorton);
        }
        Ok(first)
    }

    /// Removes the vortons with these ids; unknown ids are ignored. Returns the number removed.
    pub fn remove_vortons(&mut self, ids: &[u64]) -> usize {
        let mut wanted = ids.to_vec();
        wanted.sort_unstable();
        self.debit(&Serial, &|vortons, row| wanted.binary_search(&vortons.ids[row]).is_ok());
        self.take_vortons(ids)
    }

    /// Like [`remove_vortons`](Self::remove_vortons), for vortons with strengths that are bound in bodies
    /// from now on: their energy stays in the fluid.
    pub fn take_vortons(&mut self, ids: &[u64]) -> usize {
        let mut wanted = ids.to_vec();
        wanted.sort_unstable();
        self.vortons.retain(|vortons, row| wanted.binary_search(&vortons.ids[row]).is_err())
    }

    /// Tells the next step, which is a part of a frame, how much of that is left \[s\].
    pub(crate) fn set_frame_left(&mut self, left: f32) {
        self.frame_left = left;
    }

    /// Sets the vortons that hit walls in the last step. With
    /// [`WallTreatment::PoisonedByHits`](crate::boundary::WallTreatment::PoisonedByHits) the next step treats
    /// the cells that contain them. Allocates when there are more than ever before.
    pub fn set_wall_hits(&mut self, hits: &[WallHit]) {
        self.wall_hits.clear();
        self.wall_hits.extend_from_slice(hits);
    }

    /// Returns the boundary of the fluid in the last step.
    pub fn boundary(&self) -> &Boundary {
        &self.boundary
    }

    /// Removes all vortons.
    pub fn clear_vortons(&mut self) {
        self.budget.forget();
        self.solver.forget_choice();
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

    /// Tells emitters that body number `index` was teleported: none emits on the way.
    pub fn body_was_placed(&mut self, index: usize) {
        self.emitters.iter_mut().for_each(|emitter| emitter.follow_teleport(index));
    }

    /// Call it before body number `index` is removed, and those behind it move up: emitters that it carries
    /// stay where they are.
    pub fn body_will_be_removed(&mut self, bodies: &dyn BodyCoupling, index: usize) {
        self.emitters.iter_mut().for_each(|emitter| emitter.leave_body(bodies, index));
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
        self.change(Params { gravity, ..self.params })?;
        self.reserve_for_terms();
        Ok(())
    }

    /// Changes how fuel burns from the next step on.
    ///
    /// # Errors
    /// A value out of its range.
    pub fn set_combustion(&mut self, combustion: Combustion) -> Result<(), ParamError> {
        self.change(Params { combustion, ..self.params })?;
        self.reserve_for_terms();
        Ok(())
    }

    /// Changes the kinematic viscosity ν and the diffusivity κ of heat, dye and fuel \[m²/s\] from the next
    /// step on.
    ///
    /// # Errors
    /// One of them is negative or not finite.
    pub fn set_diffusion(&mut self, viscosity: f32, diffusivity: f32) -> Result<(), ParamError> {
        self.change(Params { viscosity, diffusivity, ..self.params })?;
        self.reserve_for_terms();
        Ok(())
    }

    /// Changes Smagorinsky's constant \[1\] from the next step on.
    ///
    /// # Errors
    /// It is negative or not finite.
    pub fn set_smagorinsky(&mut self, smagorinsky: f32) -> Result<(), ParamError> {
        self.change(Params { smagorinsky, ..self.params })?;
        self.reserve_for_terms();
        Ok(())
    }

    /// Changes the age \[s\] at which vortons are removed from the next step on; infinity keeps them.
    ///
    /// # Errors
    /// It is not positive.
    pub fn set_max_age(&mut self, max_age: f32) -> Result<(), ParamError> {
        self.change(Params { max_age, ..self.params })?;
        self.reserve_sources();
        Ok(())
    }

    /// Changes the number of samples that the host takes of the field in a step, from the next step on.
    pub fn set_expected_samples(&mut self, expected_samples: usize) {
        self.params.expected_samples = expected_samples;
    }

    /// Changes the relaxation rate \[1/s\] from the next step on.
    ///
    /// # Errors
    /// The rate is negative or not finite.
    pub fn set_relaxation_rate(&mut self, rate: f32) -> Result<(), ParamError> {
        self.change(Params { relaxation_rate: rate, ..self.params })
    }

    /// Changes parameters from which nothing has been built.
    fn change(&mut self, params: Params) -> Result<(), ParamError> {
        params.validate()?;
        self.params = params;
        Ok(())
    }

    /// A hash of the fluid (FNV-1a over the bits of every column of the vortons and the time): equal fluids
    /// give equal hashes.
    pub fn state_hash(&self) -> u64 {
        self.vortons.hash_bits(self.time.to_bits())
    }
}
