//! User data of a world and of its objects.

use crate::guard;
use crate::handle::Key;
use crate::memory::{check_output, write};
use crate::recorder::Log;
use crate::status::*;
use fluid_core::saved::{LoadError, Reader, Saved, Writer};

/// The user data of a world and its objects, the latter by slot: written when an object is created, so the
/// value of an older object in the same slot does not matter.
#[derive(Debug, Default)]
pub(crate) struct UserData {
    pub(crate) world: u64,
    pub(crate) bodies: BySlot,
    pub(crate) shapes: BySlot,
    pub(crate) emitters: BySlot,
    pub(crate) tracers: BySlot,
    /// Changes since the last call that was recorded.
    pub(crate) log: Log,
}

fluid_core::saved::fields!(UserData { bodies, shapes, emitters, tracers } not { world, log });

/// A number for each slot; 0 if never set.
#[derive(Debug, Default)]
pub(crate) struct BySlot(Vec<u64>);

impl Saved for BySlot {
    fn save(&self, out: &mut Writer<'_>) {
        self.0.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load(from)
    }
}

impl BySlot {
    pub(crate) fn set(&mut self, key: Key, value: u64) {
        let index = key.index1 as usize - 1;
        if index >= self.0.len() {
            self.0.resize(index + 1, 0);
        }
        self.0[index] = value;
    }

    pub(crate) fn get(&self, key: Key) -> u64 {
        self.0.get(key.index1 as usize - 1).copied().unwrap_or(0)
    }
}

/// Writes the user data that `find` returns.
///
/// # Safety
/// `out` is null or valid for writing.
pub(crate) unsafe fn answer(out: *mut u64, find: impl FnOnce() -> Outcome<u64>) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        let value = find()?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}
