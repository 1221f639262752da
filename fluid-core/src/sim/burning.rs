//! Fuel that burns during a step (E62).

use super::VortexSim;
use crate::combustion::Burning;
use crate::constants::PARTICLE_CHUNK;
use crate::params::Params;
use crate::stats::Stage;
use fluid_threads::Executor;
use glam::Vec3;

impl VortexSim {
    /// Reserves memory for vortons that burn, their images included.
    pub(super) fn reserve_fire(&mut self) {
        let (vortons, capacity) = (self.params.max_vortons, self.params.max_vortons * self.copies);
        self.fire.reserve(vortons);
        let partials = vortons.div_ceil(PARTICLE_CHUNK);
        self.pushes.reserve(partials.saturating_sub(self.pushes.len()));
        self.sources.reserve_rates(self.most_sources());
        self.solver.reserve_expansion(capacity);
        self.field.reserve_expansions(capacity);
        self.end_field.reserve_expansions(capacity);
    }

    /// Burns the fuel of hot vortons, which expand in this step.
    pub(super) fn begin_burning(&mut self, exec: &dyn Executor, dt: f32) {
        let stage = self.stats.time(Stage::Diffuse);
        let enclosures = &self.boundary.enclosures;
        let is_enclosed = |place: Vec3| enclosures.hold(place);
        let burnt = self.fire.begin(exec, burning(&self.params), &mut self.vortons, &is_enclosed, dt);
        self.stats.heat_released += burnt.heat;
        (self.stats.fuel, self.stats.burning) = (burnt.fuel, burnt.vortons);
        self.stats.record(stage);
    }

    /// Completes the expansion of the vortons that burn.
    pub(super) fn end_burning(&mut self, exec: &dyn Executor) {
        if self.stats.burning == 0 {
            return;
        }
        let stage = self.stats.time(Stage::Diffuse);
        self.fire.end(exec, burning(&self.params), &mut self.vortons);
        self.stats.record(stage);
    }
}

/// Returns the fluid that burns.
fn burning(params: &Params) -> Burning<'_> {
    Burning { combustion: params.combustion, ambient: &params.ambient, state: params.equation_of_state }
}
