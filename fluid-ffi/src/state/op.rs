//! Operations in the table of a world.

use crate::status::*;
use fluid_particles::ops::*;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// An operation in a world's table. A run holds a reference, so the operation may be changed or destroyed
/// meanwhile.
pub(crate) type OpEntry = Arc<OpData>;

#[derive(Debug)]
pub(crate) struct OpData {
    pub(crate) kind: Kind,
    pub(crate) prototype: Vec<Attribute>,
    pub(crate) emit_state: Mutex<EmitState>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Plain(Operation<'static>),
    Emit { rate: f32, seed: u64, timing: EmitTiming },
}

impl OpData {
    pub(crate) fn operation(&self) -> Operation<'_> {
        match self.kind {
            Kind::Plain(operation) => operation,
            Kind::Emit { rate, seed, timing } => {
                Emit { rate, seed, timing, prototype: &self.prototype }.into()
            }
        }
    }

    /// True if the operation carries state from run to run.
    pub(crate) fn emits(&self) -> bool {
        matches!(self.kind, Kind::Emit { .. })
    }

    /// True if its outcome is reported only in the result struct.
    pub(crate) fn reports(&self) -> bool {
        match &self.kind {
            Kind::Emit { .. } | Kind::Plain(Operation::Bounds(_)) => true,
            Kind::Plain(Operation::Kill(kill)) => kill.mode != KillMode::Mark,
            Kind::Plain(_) => false,
        }
    }

    /// Locks the state of an emission for a run.
    pub(crate) fn lock_state(&self) -> Outcome<MutexGuard<'_, EmitState>> {
        match self.emit_state.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poison)) => Ok(poison.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let text = "this emission is running already, in another thread or earlier in the list";
                Err(Error::new(VORTON_ERR_BUSY, text))
            }
        }
    }
}
