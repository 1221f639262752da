//! The memory of the fluid: what is reserved before steps, and bounds of what is not.

use super::VortexSim;
use crate::constants::{BOUND_VORTONS, PARTICLE_CHUNK};
use crate::params::Params;
use glam::Vec3;

/// Upper bound \[bytes\] on the memory that all terms reserve per source.
const BYTES_OF_TERMS: usize = 448;

const ALL_TERMS: u8 = 0b1_1111;

/// Returns the terms that need memory of their own, a bit each.
fn terms(params: &Params, kills: bool) -> u8 {
    let of = |bit: u8, is_on: bool| u8::from(is_on) << bit;
    of(0, params.diffuses())
        | of(1, params.diffuses() || params.gravity != Vec3::ZERO)
        | of(2, params.combustion.is_on())
        | of(3, params.max_age < f32::INFINITY || kills)
        | of(4, kills)
}

/// Upper bounds on the memory \[bytes\] that is allocated in a step: a fixed part, and a part per source, for
/// what is not reserved with the source or for all of it.
const BYTES_OF_STEP: usize = 640 << 10;
const BYTES_PER_SOURCE: usize = 400;
const BYTES_PER_NEW_SOURCE: usize = 944;

impl VortexSim {
    /// Returns an upper bound on the number of sources, images included.
    pub(super) fn most_sources(&self) -> usize {
        (self.params.max_vortons + BOUND_VORTONS) * self.copies
    }

    /// Returns an upper bound \[bytes\] on the memory that the next step takes beyond that in use if bodies
    /// make so many `copies` of each vorton, itself and its images; without that for boxes of other sizes,
    /// which ask the [executor](fluid_threads::Executor::has_memory), and for bodies and tracers.
    pub fn memory_of_step(&self, copies: usize) -> usize {
        let per_source = if copies > self.copies { BYTES_PER_NEW_SOURCE } else { BYTES_PER_SOURCE };
        let sources = (self.params.max_vortons + BOUND_VORTONS) * copies.max(self.copies);
        let nodes = self.solver.memory_of_nodes() + self.field.scalars.memory();
        BYTES_OF_STEP + per_source * sources + nodes + self.field.memory_of_samples()
    }

    /// Reserves memory for the largest number of sources, images included.
    pub(super) fn reserve_sources(&mut self) {
        let capacity = self.most_sources();
        self.solver.reserve(capacity);
        self.sources.reserve(capacity);
        self.field.reserve(capacity);
        let own = capacity / self.copies;
        self.flow.reserve(own.saturating_sub(self.flow.len()));
        if self.params.combustion.is_on() {
            self.reserve_fire();
        }
        let partials = own.div_ceil(PARTICLE_CHUNK);
        self.surplus_partials.reserve(partials.saturating_sub(self.surplus_partials.len()));
        if self.params.energy_budget {
            self.budget.reserve(capacity);
            self.neighbours.reserve(capacity);
            if self.params.max_age < f32::INFINITY || !self.kill_volumes.is_empty() {
                self.leaving.reserve(self.params.max_vortons * self.copies);
            }
        }
        self.note_reserved();
    }

    /// Returns an upper bound \[bytes\] on the memory that is reserved if the parameters become these, and
    /// there are kill volumes or not: 0 if it has been reserved before.
    pub fn memory_of_terms(&self, params: &Params, kills: bool) -> usize {
        let new = terms(params, kills) & !self.reserved;
        if new == 0 { 0 } else { (16 << 10) + BYTES_OF_TERMS * self.params.max_vortons * self.copies }
    }

    /// Returns an upper bound \[bytes\] on the memory that all terms reserve which have none yet.
    pub fn memory_of_all_terms(&self) -> usize {
        if self.reserved == ALL_TERMS { 0 } else { BYTES_OF_TERMS * self.params.max_vortons * self.copies }
    }

    pub(super) fn note_reserved(&mut self) {
        self.reserved |= terms(&self.params, !self.kill_volumes.is_empty());
    }

    /// Reserves memory for the terms that the parameters switch on.
    pub(super) fn reserve_for_terms(&mut self) {
        let capacity = self.params.max_vortons;
        if self.params.combustion.is_on() {
            self.reserve_fire();
        }
        if self.params.diffuses() {
            self.diffusion.reserve(capacity);
            self.rim.reserve(capacity);
            self.pin.reserve(capacity);
        }
        if self.params.diffuses() || self.params.gravity != Vec3::ZERO {
            self.neighbours.reserve(capacity);
        }
        self.note_reserved();
    }
}
