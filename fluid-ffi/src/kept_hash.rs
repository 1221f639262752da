//! The hash of a world as its last step has left it, for callers that come while the next one runs.

use crate::body_table::BodyTable;
use fluid_core::sim::VortexSim;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Steps keep the hash only once a caller has come while one ran: it takes 1 to 2 % of a step.
#[derive(Debug, Default)]
pub(crate) struct KeptHash {
    is_wanted: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    /// As the last completed step has left it.
    hash: Option<u64>,
    /// True while nothing has changed since.
    is_current: bool,
}

/// A hash of all vortons, bodies and the time.
pub(crate) fn hash_of(sim: &VortexSim, bodies: &BodyTable) -> u64 {
    bodies.hash_bits(sim.state_hash())
}

impl KeptHash {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(|poison| poison.into_inner())
    }

    /// From now on the world may change.
    pub(crate) fn begin_change(&self) {
        self.kept().is_current = false;
    }

    /// A step has ended, or something else that publishes the world.
    pub(crate) fn publish(&self, sim: &VortexSim, bodies: &BodyTable) {
        if self.is_wanted.load(Ordering::Relaxed) {
            let hash = hash_of(sim, bodies);
            *self.kept() = Kept { hash: Some(hash), is_current: true };
        }
    }

    /// The hash of a world that does not change meanwhile.
    pub(crate) fn now(&self, sim: &VortexSim, bodies: &BodyTable) -> u64 {
        let Kept { hash, is_current } = *self.kept();
        hash.filter(|_| is_current).unwrap_or_else(|| hash_of(sim, bodies))
    }

    /// As the last completed step has left it, if it was wanted before that ended. Steps keep it from now
    /// on.
    pub(crate) fn last(&self) -> Option<u64> {
        self.is_wanted.store(true, Ordering::Relaxed);
        self.kept().hash
    }
}
