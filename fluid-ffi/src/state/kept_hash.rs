//! The hash of a world after its last step, for callers during the next step.

use crate::state::body_table::BodyTable;
use fluid_core::sim::VortexSim;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Steps compute the hash only once a caller has asked for it during a step: it takes 1 to 2 % of a step.
#[derive(Debug, Default)]
pub(crate) struct KeptHash {
    is_wanted: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    /// The hash after the last completed step.
    hash: Option<u64>,
    /// True while the world has not changed since.
    is_current: bool,
}

/// Computes a hash of all vortons, bodies and the time.
pub(crate) fn hash_of(sim: &VortexSim, bodies: &BodyTable) -> u64 {
    bodies.hash_bits(sim.state_hash())
}

impl KeptHash {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// Marks the hash as outdated: the world may change from now on.
    pub(crate) fn begin_change(&self) {
        self.kept().is_current = false;
    }

    /// Updates the hash, if wanted, after a step or any other publication of the world.
    pub(crate) fn publish(&self, sim: &VortexSim, bodies: &BodyTable) {
        if self.is_wanted.load(Ordering::Relaxed) {
            let hash = hash_of(sim, bodies);
            *self.kept() = Kept { hash: Some(hash), is_current: true };
        }
    }

    /// Returns the hash of a world that does not change meanwhile.
    pub(crate) fn now(&self, sim: &VortexSim, bodies: &BodyTable) -> u64 {
        let Kept { hash, is_current } = *self.kept();
        hash.filter(|_| is_current).unwrap_or_else(|| hash_of(sim, bodies))
    }

    /// Returns the hash after the last completed step, if it was wanted before that step ended. Steps compute
    /// it from now on.
    pub(crate) fn last(&self) -> Option<u64> {
        self.is_wanted.store(true, Ordering::Relaxed);
        self.kept().hash
    }
}
